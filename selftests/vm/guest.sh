#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The first process of a guest, once boot.sh or uml-boot.sh has put its root in place: runs one script, looks through the kernel's
# log, reports, and powers off.     guest.sh TTY LOG    TTY: where the script's output goes, LOG: where the report goes
# /run/job, handed over by the host, says what to run: `environment` and `command` are read by bash.
set -u
tty=$1 log=$2

# What the kernel says when it or the module is wrong
splat='BUG:|WARNING:|Oops|UBSAN:|ODEBUG:|general protection|suspicious RCU|inconsistent lock state|INFO: (task|rcu|trying|HARDIRQ|SOFTIRQ)'
splat+='|refcount_t|unregister_netdevice: waiting|kmemleak: [1-9]|soft lockup|detected stalls|(list_add|list_del) corruption|leaked reference'

mount_kernel_filesystems() {
	ln -sn /proc/self/fd /dev/fd
	ln -s fd/0 /dev/stdin
	ln -s fd/1 /dev/stdout
	ln -s fd/2 /dev/stderr
	mkdir -p /dev/pts /dev/shm
	mount -t devpts devpts /dev/pts
	mount -t tmpfs shm /dev/shm
	mount -t debugfs debug /sys/kernel/debug
	mount -t tracefs trace /sys/kernel/tracing
	mount -t bpf bpf /sys/fs/bpf
} > /dev/null 2>&1

run_script() (
	set -a
	# shellcheck source=/dev/null
	. /run/job/environment
	set +a
	# shellcheck source=/dev/null
	. /run/job/command
)

# The log since the script began; all of it when the script has cleared the mark away
find_splats() {
	dmesg | awk '/sch_lossless-vm: start/ { text = ""; next } { text = text $0 "\n" } END { printf "%s", text }' > /run/job/dmesg
	grep -qE "$splat" /run/job/dmesg || return 0
	echo "# the kernel complains:"
	grep -E -B 2 -A 60 "$splat" /run/job/dmesg | head -n 300 | sed 's/^/# /'
	echo "guest-kernel-complains" > "$log"
}

# What a module built with GCOV=1 counted, each time that it was loaded, goes to the host's COVERAGE
save_coverage() (
	# shellcheck source=/dev/null
	. /run/job/environment
	[ -n "${COVERAGE:-}" ] || return 0
	read -r test _ < <(tail -n 1 /run/job/command)
	mkdir /run/coverage
	mount -t hostfs coverage /run/coverage -o "$COVERAGE"
	cd /sys/kernel/debug/gcov || return
	find . -name '*.gcda' | while read -r file; do
		folder=/run/coverage/$(basename "$test" .sh)/${file%/*}
		mkdir -p "$folder"
		cat "$file" > "$folder/${file##*/}"
		cp -d "${file%.gcda}.gcno" "$folder/"
	done
)

exec < /dev/null > "$tty" 2>&1
stty raw -echo < "$tty"
ulimit -n 65536
mount_kernel_filesystems
hostname guest
ip link set lo up
[ "${SETTLE:-0}" = 0 ] || sleep "$SETTLE"
echo "guest-script-starts" > "$log"
echo "<6>sch_lossless-vm: start" > /dev/kmsg
run_script
status=$?
find_splats
save_coverage
echo "guest-exit-status: $status" > "$log"
sync
echo o > /proc/sysrq-trigger
sleep 60
