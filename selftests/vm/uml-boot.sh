#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Run a script as root in User-Mode Linux, on this machine's own root filesystem: uml-boot.sh exact|debug SCRIPT [ARGS]
#   exact: CPU work costs no time, the clock is exact to the nanosecond, two runs are identical; VT_SEED=N chooses other random numbers
#   debug: real time, with KASAN, lockdep, kmemleak and failslab
# stdout: the script's output. Exit status: the script's; 98 if the kernel complained, 99 if it died, 124 after VM_TIMEOUT seconds.
# The guest has a /tmp, /run, /etc, /var and /root of its own that it may write. VM_LOG=FILE keeps the kernel's console.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=job.sh
. "$VM_DIR/job.sh"

flavour=${1:-}
[ $# -ge 2 ] || die "usage: uml-boot.sh exact|debug SCRIPT [ARGS]"
[ "$(id -u)" = 0 ] || die "root is needed: the guest works on this machine's files"
shift

# The same path in every run, so that the kernel's command line is too: a mount of this process's own lies on it
job=$CACHE/uml-job
if [ -z "${UML_JOB_MOUNTED:-}" ]; then
	kernel=$("$VM_DIR/uml.sh" "$flavour")
	mkdir -p "$job"
	UML_JOB_MOUNTED=$kernel exec unshare --mount --propagation private "$0" "$flavour" "$@"
fi
kernel=$UML_JOB_MOUNTED
mount -t tmpfs -o size=4g,mode=755 job "$job"

seeded_random() {
	local source=$VM_DIR/config/seeded-random.c library
	library=$CACHE/seeded-random-$(hash_of "$source").so
	if [ ! -e "$library" ]; then
		gcc -O2 -Wall -shared -fPIC -o "$library.$$" "$source" -ldl
		mv "$library.$$" "$library"
	fi
	echo "$library"
}

write_init() {
	local folder
	cat <<-INIT
		#!/bin/bash
		export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root SETTLE=$settle
		mount -t proc proc /proc
		mount -t sysfs sys /sys
		mount -t tmpfs run /run
		mkdir /run/job
		cp "$job/environment" "$job/command" /run/job/
		for d in etc var root; do
			mkdir -p /run/over/\$d/upper /run/over/\$d/work
			mount -t overlay -o lowerdir=/\$d,upperdir=/run/over/\$d/upper,workdir=/run/over/\$d/work,xino=off over /\$d
		done
		mount -t tmpfs tmp /tmp
	INIT
	for folder in $(hidden_folders); do
		printf 'mkdir -p %q\nmount -t hostfs host %q -o %q\n' "$folder" "$folder" "$folder"
	done
	printf 'exec %q /dev/tty1 /dev/tty0\n' "$VM_DIR/guest.sh"
}

options=(rootfstype=hostfs ro mem=2G init="$job/init" uml_dir="$job" umid=guest)
options+=("con=null" "con0=null,fd:3" "con1=null,fd:4")
read -ra arguments <<< "$KERNEL_ARGUMENTS"
options+=("${arguments[@]}")
settle=0 run=()
if [ "$flavour" = exact ]; then
	options+=(time-travel=inf-cpu time-travel-start=1700000000000000000 ttclock=256)
	settle=3
	run=(env -i VT_SEED="${VT_SEED:-1}" LD_PRELOAD="$(seeded_random)" HOME=/root TMPDIR="$job" setarch -R)
fi

write_job "$job" "$@"
write_init > "$job/init"
chmod +x "$job/init"
: > "$job/output"

# Into a file and not into a pipe: a full pipe would make the guest wait, and two runs differ
tail -n +1 -f "$job/output" &
follow=$!
status=0
TMPDIR=$job timeout -k 5 "${VM_TIMEOUT:-300}" taskset -c "${VM_CPU:-0-$(($(nproc) - 1))}" "${run[@]}" "$kernel/linux" "${options[@]}" \
	< /dev/null > "$job/stdout" 2>&1 3> "$job/console" 4> "$job/output" || status=$?
sleep 0.1
kill "$follow" 2> /dev/null || true
wait "$follow" 2> /dev/null || true
cat "$job/stdout" >> "$job/console"
[ -z "${VM_LOG:-}" ] || cp "$job/console" "$VM_LOG"
judge "$job/console" "$status"
