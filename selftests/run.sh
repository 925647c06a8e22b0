#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Run the selftests, each in a virtual machine of its own: run.sh [-k KERNEL] [-j JOBS] [TEST...]
#   -k: only where KERNEL is: 6.1, 6.12, uml-exact, uml-debug, or user (no machine at all)
#   NATIVE=1: on this machine's own kernel instead, each in a new network and mount namespace; only what needs no exact clock
# A test is an executable selftests/NAME.sh whose head says where it runs, and prints KTAP:
#   # machine: uml-exact|uml-debug|qemu|qemu-icount|qemu-pair|user ...     # kernels: 6.1 6.12     # timeout: SECONDS
# It finds MODULE, TC_LIB_DIR, SELFTESTS, MACHINE, KERNEL, and our programs first in PATH. Logs: build/log/NAME.MACHINE.log
set -euo pipefail
# shellcheck source=vm/lib.sh
. "$(dirname "$0")/vm/lib.sh"

SELFTESTS=$REPO/selftests
LOGS=$REPO/build/log
export SELFTESTS

# header TEST NAME DEFAULT: the value of a line "# NAME: value" at a test's head
header() {
	local value
	value=$(sed -n "1,30s/^# $2: *//p" "$1" | head -n 1)
	echo "${value:-$3}"
}

all_tests() {
	local file
	for file in "$SELFTESTS"/*.sh; do
		case ${file##*/} in run.sh | lib.sh | _*) continue ;; esac
		[ -x "$file" ] && [ -n "$(header "$file" machine "")" ] && echo "$file"
	done
	return 0
}

chosen_tests() {
	local name
	[ $# -gt 0 ] || { all_tests; return; }
	for name; do
		name=$SELFTESTS/$(basename "$name" .sh).sh
		[ -x "$name" ] || die "no such test: $name"
		echo "$name"
	done
}

# One line for each boot: TEST MACHINE KERNEL; KERNEL is what build.sh builds the module for
plan_jobs() {
	local file machine kernel kernels
	for file; do
		for machine in $(header "$file" machine "" | tr '|,' '  '); do
			case $machine in
			uml-*) kernels=$machine ;;
			user) kernels=user ;;
			qemu | qemu-*) kernels=$(header "$file" kernels 6.12) ;;
			*) die "$file names an unknown machine: $machine" ;;
			esac
			case $only in 6.* | 7.*) [[ $machine = qemu* ]] && kernels=$only ;; esac
			for kernel in $kernels; do
				[ -z "$only" ] || [ "$only" = "$kernel" ] || continue
				echo "$file $machine $kernel"
			done
		done
	done
}

# On this machine's own kernel; a test that only virtual time or a machine of its own can judge is left out
plan_native() {
	local file machines
	for file; do
		machines=$(header "$file" machine "" | tr '|,' '  ')
		[[ " $machines " != *" user "* ]] || echo "$file user user"
		if [[ " $machines " =~ \ (qemu|uml-debug)\  ]]; then
			echo "$file native native"
		elif [ "$machines" != user ]; then
			say "left out on this machine's own kernel: $(basename "$file") (needs $machines)"
		fi
	done
}

build_all() {
	local kernel
	"$VM_DIR/build.sh" user
	cut -d ' ' -f 3 "$jobs_file" | sort -u | while read -r kernel; do
		[ "$kernel" = user ] || "$VM_DIR/build.sh" "$kernel" > /dev/null
	done
}

run_native() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	timeout -k 5 "$VM_TIMEOUT" unshare --mount --net --propagation private bash -c '
		mount -t sysfs sys /sys
		mkdir -p /run/netns
		mount -t tmpfs run /run/netns
		ip link set lo up
		"$0"' "$1" < /dev/null
}

# run_job TEST MACHINE KERNEL
run_job() {
	case $2 in
	uml-exact) "$VM_DIR/uml-boot.sh" exact "$1" ;;
	uml-debug) "$VM_DIR/uml-boot.sh" debug "$1" ;;
	qemu) "$VM_DIR/boot.sh" -k "$3" "$1" ;;
	qemu-icount) "$VM_DIR/boot.sh" -k "$3" -m icount "$1" ;;
	qemu-pair) "$VM_DIR/pair.sh" -k "$3" "$1" "$1" ;;
	native) run_native "$1" ;;
	user) timeout -k 5 "$VM_TIMEOUT" "$1" < /dev/null ;;
	esac
}

# read_ktap LOG STATUS: prints "PASSED FAILED SKIPPED", then a line for each thing that went wrong or was skipped.
# Only the top level counts; what went wrong beside the results is one failure more.
read_ktap() {
	awk -v status="$2" '
	function wrong(what) { broken = broken ? broken "; " what : what }
	/^1\.\.[0-9]+/ {
		if (planned != "") wrong("two plans")
		planned = substr($1, 4) + 0
		if (planned == 0 && /# *SKIP/) { skipped++; text = text "\n  " $0 }
		next
	}
	/^(not )?ok [0-9]+/ {
		results++
		number = ($1 == "not") ? $3 : $2
		if (number + 0 != results) order = "results are not numbered 1, 2, 3, ..."
		if ($1 == "not") { failed++; text = text "\n  " $0 }
		else if (/# *SKIP/) { skipped++; text = text "\n  " $0 }
		else passed++
	}
	/^Bail out!/ { wrong($0) }
	END {
		if (planned == "") wrong("no plan")
		else if (results + 0 != planned) wrong(results + 0 " results of " planned " planned")
		if (order) wrong(order)
		if (status == 124 || status == 137) wrong("ran out of time")
		else if (status == 98) wrong("the kernel complained")
		else if (status == 99) wrong("the machine died")
		else if (status != 0 && !failed) wrong("exit status " status)
		if (broken) { failed++; text = text "\n  " broken }
		print passed + 0, failed + 0, skipped + 0 text
	}' "$1"
}

# In the background, one for each boot
perform() {
	local file=$1 machine=$2 kernel=$3 slot=$4 name log status=0 start counts
	name=$(basename "$file" .sh)
	log=$LOGS/$name.$machine.log
	[[ $machine != qemu* ]] || log=$LOGS/$name.$machine-$kernel.log
	start=$(date +%s)
	VM_TIMEOUT=$(header "$file" timeout 300)
	MODULE=$REPO/build/$kernel/sch_lossless.ko MACHINE=$machine KERNEL=$kernel TC_LIB_DIR=$REPO/build/tc VM_CPU=$((slot % $(nproc)))
	PATH=$REPO/tools:$SELFTESTS/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	export VM_TIMEOUT MODULE MACHINE KERNEL TC_LIB_DIR PATH VM_CPU
	run_job "$file" "$machine" "$kernel" > "$log" 2>&1 || status=$?
	read_ktap "$log" "$status" > "$log.result"
	read -r -a counts < "$log.result"
	{
		printf '%-6s %-28s %-16s %3d passed %3d failed %3d skipped %4d s\n' "$([ "${counts[1]}" = 0 ] && echo ok || echo FAILED)" \
			"$name" "$(basename "$log" .log | sed "s/^$name\.//")" "${counts[@]}" "$(($(date +%s) - start))"
		sed -n '2,$p' "$log.result"
		[ "${counts[1]}" = 0 ] || echo "  log: $log"
	} > "$log.line"
	cat "$log.line"
}

run_all() {
	local file machine kernel slot pid
	local -A slot_of=()
	while read -r file machine kernel <&3; do
		if [ ${#slot_of[@]} -ge "$jobs" ]; then
			wait -n -p pid "${!slot_of[@]}" || true
			unset "slot_of[$pid]"
		fi
		for ((slot = 0; slot < jobs; slot++)); do
			[[ " ${slot_of[*]} " == *" $slot "* ]] || break
		done
		perform "$file" "$machine" "$kernel" "$slot" 3<&- &
		slot_of[$!]=$slot
	done 3< "$jobs_file"
	wait
}

verdict() {
	cat "$LOGS"/*.result 2> /dev/null | awk '
	/^[0-9]+ [0-9]+ [0-9]+$/ { passed += $1; failed += $2; skipped += $3 }
	END {
		printf "%d passed, %d failed%s\n", passed, failed, skipped ? ", " skipped " skipped" : ""
		exit failed > 0 || passed == 0
	}'
}

only="" jobs=$(nproc)
while getopts k:j: option; do
	case $option in
	k) only=$OPTARG ;;
	j) jobs=$OPTARG ;;
	*) die "usage: run.sh [-k KERNEL] [-j JOBS] [TEST...]" ;;
	esac
done
shift $((OPTIND - 1))

rm -rf "$LOGS"
mkdir -p "$LOGS"
jobs_file=$LOGS/jobs
chosen_tests "$@" > "$LOGS/tests"
mapfile -t tests < "$LOGS/tests"
if [ "${NATIVE:-}" = 1 ]; then
	jobs=1
	plan_native "${tests[@]}" > "$jobs_file"
else
	plan_jobs "${tests[@]}" > "$jobs_file"
fi
build_all
if grep -q ' native$' "$jobs_file"; then
	insmod "$REPO/build/native/sch_lossless.ko"
	trap 'rmmod sch_lossless' EXIT
fi
say "$(wc -l < "$jobs_file") runs, $jobs at a time"
run_all
verdict
