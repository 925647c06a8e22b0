#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Run a script as root under a Debian kernel in QEMU, on this machine's own root filesystem (9p, read-only):
#   boot.sh -k 6.1|6.12 [-m smp|icount] [-n LOCAL,REMOTE,MAC] SCRIPT [ARGS]
#   smp (default): 2 CPUs     icount: one CPU, one instruction takes 1 ns: for the cost of code, not for timing
#   -n: a virtio NIC whose frames travel between two sockets in the file system (pair.sh)
# stdout: the script's output. Exit status: the script's; 98 if the kernel complained, 99 if it died, 124 after VM_TIMEOUT seconds.
# The guest has a /tmp, /run, /etc, /var and /root of its own that it may write. VM_LOG=FILE keeps the kernel's console.
# Software emulation always: a /dev/kvm that exists does not always work.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=job.sh
. "$VM_DIR/job.sh"

usage="usage: boot.sh -k 6.1|6.12 [-m smp|icount] [-n LOCAL,REMOTE,MAC] SCRIPT [ARGS]"
series="" mode=smp link=""
while getopts k:m:n: option; do
	case $option in
	k) series=$OPTARG ;;
	m) mode=$OPTARG ;;
	n) link=$OPTARG ;;
	*) die "$usage" ;;
	esac
done
shift $((OPTIND - 1))
if [ -z "$series" ] || [ $# -lt 1 ]; then
	die "$usage"
fi

case $mode in
smp) machine=(-accel "tcg,thread=multi" -smp 2) ;;
icount) machine=(-accel tcg -icount "shift=0,sleep=off" -smp 1) ;;
*) die "$usage" ;;
esac

# What the initial RAM disk loads to reach the root file system, in load order
boot_modules() {
	local module
	for module in virtio_pci 9pnet_virtio 9p overlay; do
		modprobe -C /var/empty -d "$kernel" -S "$version" --show-depends "$module" | awk '$1 == "insmod" { print $2 }'
	done | awk '!seen[$0]++'
}

copy_modules() {
	local file out n=10
	boot_modules | while read -r file; do
		n=$((n + 1))
		out=$ram/modules/$n.ko
		case $file in
		*.xz) xz -dc "$file" > "$out" ;;
		*.zst) zstd -dcq "$file" > "$out" ;;
		*) cp "$file" "$out" ;;
		esac
	done
}

write_init() {
	local folder
	cat <<-INIT
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		mount -t proc proc /proc
		mount -t sysfs sys /sys
		mount -t devtmpfs dev /dev
		for m in /modules/*.ko; do insmod \$m; done
		n=/newroot
		mount -t 9p -o trans=virtio,version=9p2000.L,access=any,msize=512000,cache=loose,ro hostroot \$n || poweroff -f
		mount -t proc proc \$n/proc
		mount -t sysfs sys \$n/sys
		mount -t devtmpfs dev \$n/dev
		mount -t tmpfs run \$n/run
		over() {
			mkdir -p \$n/run/over/\$2/upper \$n/run/over/\$2/work
			mount -t overlay -o lowerdir=\$n/\$1,upperdir=\$n/run/over/\$2/upper,workdir=\$n/run/over/\$2/work,xino=off over \$n/\$1
		}
		over etc etc
		over var var
		over root root
		cp -r /job \$n/run/job
		mkdir -p \$n/run/modules/$version
		mount -o bind \$n$modules \$n/run/modules/$version
		[ -d \$n/lib/modules ] || { over usr/lib lib; mkdir -p \$n/usr/lib/modules; }
		mount -o rbind \$n/run/modules \$n/usr/lib/modules
	INIT
	# shellcheck disable=SC2016 # the guest's $n
	for folder in $(hidden_folders); do
		printf 'mkdir -p $n/run/keep%q\nmount -o bind $n%q $n/run/keep%q\n' "$folder" "$folder" "$folder"
	done
	# shellcheck disable=SC2016
	printf 'mount -t tmpfs tmp $n/tmp\n'
	# shellcheck disable=SC2016
	for folder in $(hidden_folders); do
		printf 'mkdir -p $n%q\nmount -o bind $n/run/keep%q $n%q\n' "$folder" "$folder" "$folder"
	done
	cat <<-INIT
		export PATH=/usr/sbin:/usr/bin:/sbin:/bin
		exec switch_root \$n /bin/bash "$VM_DIR/guest.sh" /dev/ttyS0 /dev/ttyS1
	INIT
}

make_ram_disk() {
	mkdir -p "$ram"/{bin,dev,proc,sys,modules,newroot,job}
	cp "$(command -v busybox)" "$ram/bin/busybox"
	copy_modules
	write_job "$ram/job" "$@"
	write_init > "$ram/init"
	chmod +x "$ram/init"
	(cd "$ram" && find . | cpio -o -H newc --quiet) > "$work/ram.cpio"
}

network() {
	local local_socket remote_socket mac
	if [ -z "$link" ]; then
		echo "-net none"
		return
	fi
	IFS=, read -r local_socket remote_socket mac <<< "$link"
	echo "-netdev dgram,id=link,local.type=unix,local.path=$local_socket,remote.type=unix,remote.path=$remote_socket"
	echo "-device virtio-net-pci,netdev=link,mac=$mac,romfile="
}

"$VM_DIR/packages.sh" vm
kernel=$("$VM_DIR/kernel.sh" "$series")
version=$(cat "$kernel/version")
modules=$(realpath "$kernel/modules")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ram=$work/ram
make_ram_disk "$@"

# No cx16: after cmpxchg16b QEMU 7.2 was seen to leave an address in the flags register, and the kernel took a double fault
run_machine() {
	# shellcheck disable=SC2046 # several words are meant
	timeout --foreground -k 5 "${VM_TIMEOUT:-300}" qemu-system-x86_64 -nodefaults -no-user-config -machine q35 -cpu Nehalem,-cx16 \
		"${machine[@]}" -m "${VM_MEM:-2G}" -display none -vga none -no-reboot $(network) \
		-chardev stdio,id=output,signal=off -serial chardev:output -serial "file:$work/console" \
		-kernel "$kernel/vmlinuz" -initrd "$work/ram.cpio" -append "console=ttyS1 sysctl.kernel.hung_task_timeout_secs=0 $KERNEL_ARGUMENTS" \
		-fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap \
		-device virtio-9p-pci,fsdev=root,mount_tag=hostroot < /dev/null
}

# An emulated machine that dies before our script has begun says nothing about us: it gets a second try, and that is told
status=0
run_machine || status=$?
if [ "$status" != 124 ] && ! grep -q guest-script-starts "$work/console"; then
	say "the machine died while it booted, $(grep -m 1 -oE 'PANIC: .*|Kernel panic.*' "$work/console" | tr -d '\r'): once more"
	status=0
	run_machine || status=$?
fi
[ -z "${VM_LOG:-}" ] || cp "$work/console" "$VM_LOG"
judge "$work/console" "$status"
