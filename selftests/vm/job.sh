# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What boot.sh and uml-boot.sh share: handing a job to a guest, and judging how it ended. Sourced after lib.sh.

# Variables that reach the guest's script, if set; a caller adds names in VM_ENV
JOB_VARIABLES="PATH MODULE TC_LIB_DIR SELFTESTS MACHINE KERNEL VT_SEED ${VM_ENV:-}"

# Only devices that a script makes exist, none has an IPv6 address of its own accord, and an oops ends the guest
KERNEL_ARGUMENTS="panic=-1 oops=panic loglevel=4 log_buf_len=4M ipv6.disable_ipv6=1"
KERNEL_ARGUMENTS+=" bonding.max_bonds=0 dummy.numdummies=0 ifb.numifbs=0"

# write_job DIR SCRIPT [ARGS]: the files that guest.sh reads
write_job() {
	local dir=$1 script name
	script=$(realpath "$2")
	[ -x "$script" ] || die "$2 is not an executable file"
	case $script in
	"$REPO"/* | "$CACHE"/* | "${VM_KEEP:-$REPO}"/*) ;;
	/tmp/*) die "the guest has a /tmp of its own: put $2 elsewhere, or name its folder in VM_KEEP" ;;
	esac
	shift 2
	{
		printf 'HOME=/root\nTERM=dumb\n'
		for name in $JOB_VARIABLES; do
			[ -z "${!name+set}" ] || printf '%s=%q\n' "$name" "${!name}"
		done
	} > "$dir/environment"
	printf 'cd %q\n' "$(dirname "$script")" > "$dir/command"
	{ printf '%q ' "$script" "$@"; echo; } >> "$dir/command"
}

# hidden_folders: the guest gets a /tmp of its own; what it needs of the host's is put back
hidden_folders() {
	local folder
	for folder in "$REPO" "$CACHE" "${VM_KEEP:-}"; do
		case $folder/ in /tmp/?*) echo "$folder" ;; esac
	done
	return 0
}

# judge LOG STATUS: LOG is the kernel's console and guest.sh's report, STATUS that of the virtual machine's process
judge() {
	local log=$1 status=$2 guest
	[ "$status" != 137 ] || status=124
	guest=$(sed -n 's/.*guest-exit-status: \([0-9]\{1,3\}\).*/\1/p' "$log" | tail -n 1)
	if [ -z "$guest" ]; then
		[ "$status" != 124 ] || echo "# still running after ${VM_TIMEOUT:-300} s of wall-clock time: stopped"
		echo "# the guest did not get to its end; last lines of its console:"
		tail -n 60 "$log" | tr -d '\r' | sed 's/^/# /'
		[ "$status" = 124 ] && return 124
		return 99
	fi
	if grep -q guest-kernel-complains "$log"; then
		[ "$guest" != 0 ] || return 98
	fi
	return "$guest"
}
