#!/bin/bash
# See what a lossless fabric is good for: `make demo`, or NATIVE=1 for this machine's own kernel instead of a virtual machine.
# Two RDMA senders write to one receiver behind a port that is ten times too slow (lab/incast.sh): with a drop-tail port, then with
# `lossless`. Prints a table and a verdict. Exit status 0: lossless lost nothing, repeated nothing, filled the link and was fair.
set -euo pipefail
# shellcheck source=../selftests/vm/lib.sh
. "$(dirname "$0")/../selftests/vm/lib.sh"

LAB=$REPO/lab
KERNEL=6.12
LINK_MBIT=100
# Of 16384 bytes of payload in 16 frames of a 1024-byte path MTU: headers of 58 bytes each, 16 more in the first
CEILING=$(awk -v link="$LINK_MBIT" 'BEGIN { print link * 16384 / 17328 }')
CEILING_SHARE_MIN=95
FAIRNESS_MAX=2
NATIVE=${NATIVE:-}

headline() {
	cat <<-TEXT

		sch_lossless: two RDMA senders, one receiver, one slow port

		    host 1 --- 1 Gbit/s ---\\
		                            switch with 30 KB of buffer in all --- 100 Mbit/s --- host 3
		    host 2 --- 1 Gbit/s ---/

		Both senders write to host 3 (ib_write_bw over Soft-RoCE, DSCP 26) as fast as they can: first with an
		ordinary drop-tail port, then with the qdisc "lossless" on every port and the same 30 KB.
		$(place)

	TEXT
}

place() {
	if [ -n "$NATIVE" ]; then
		echo "It runs on this machine's own kernel, $(uname -r); what it changes is put back at the end."
	else
		echo "It runs in a virtual machine with Linux $KERNEL: nothing on this machine changes."
	fi
}

# step WORDS COMMAND...: "WORDS" may be several; says how long the command took
step() {
	local words=$1 start
	shift
	start=$(date +%s)
	say "$words"
	"$@"
	say "    done in $(($(date +%s) - start)) s"
}

prepare_packages() {
	"$VM_DIR/packages.sh" build demo
	[ -n "$NATIVE" ] || "$VM_DIR/packages.sh" vm
}

prepare_kernel() {
	"$VM_DIR/kernel.sh" "$KERNEL" > /dev/null
}

build() {
	"$VM_DIR/build.sh" user
	"$VM_DIR/build.sh" "$1" > "$work/module"
}

prepare() {
	step "packages: perftest, Soft-RoCE's user space, a compiler$([ -n "$NATIVE" ] || echo ", QEMU")" prepare_packages
	if [ -n "$NATIVE" ]; then
		step "module and tc plugin, for kernel $(uname -r)" build native
	else
		step "test kernel: Linux $KERNEL of Debian, kept in $CACHE" prepare_kernel
		step "module and tc plugin, for Linux $KERNEL" build "$KERNEL"
	fi
}

# What the guest says on its way becomes progress; what it counted is kept
follow() {
	local line
	while IFS= read -r line; do
		line=${line%$'\r'}
		case $line in
		"result "*) echo "${line#result }" >> "$work/results" ;;
		"# "*) say "  ${line#\# }" ;;
		*) say "  $line" ;;
		esac
	done
}

run_job() {
	local status=0
	MODULE=$(cat "$work/module") TC_LIB_DIR=$REPO/build/tc PATH=$REPO/tools:$PATH
	VM_ENV="LAB_SECONDS LAB_VIRTUAL_TIME" VM_TIMEOUT=${VM_TIMEOUT:-1500}
	export MODULE TC_LIB_DIR PATH VM_ENV VM_TIMEOUT
	if [ -n "$NATIVE" ]; then
		"$LAB/incast.sh" 2>&1 < /dev/null | follow || status=$?
	else
		LAB_VIRTUAL_TIME=1 "$VM_DIR/boot.sh" -k "$KERNEL" -m icount "$LAB/incast.sh" 2>&1 | follow || status=$?
	fi
	case $status in
	0) ;;
	98) problem "the kernel complained: see above" ;;
	99) problem "the virtual machine died: see above" ;;
	124) problem "the job was not done after $VM_TIMEOUT s" ;;
	*) problem "the job ended with status $status" ;;
	esac
}

# value ROW KEY
value() {
	awk -v row="$1" -v key="$2" '$1 == row && $2 == key { print $3 }' "$work/results"
}

# calculate EXPRESSION: with a tenth
calculate() {
	awk "BEGIN { printf \"%.1f\", $1 }"
}

is_true() {
	awk "BEGIN { exit !($1) }"
}

thousands() {
	sed -E ':a; s/^([0-9]+)([0-9]{3})/\1,\2/; ta' <<< "$1"
}

kilobytes() {
	calculate "$1 / 1024"
}

# lost ROW: frames, each counted once: a full softnet queue is an error of the veth too, and what vanished should be what the others say
lost() {
	local row=$1 known link
	link=$(value "$row" lost_veth)
	[ "$link" -ge "$(value "$row" lost_softnet)" ] || link=$(value "$row" lost_softnet)
	known=$(($(value "$row" lost_switch) + $(value "$row" lost_bridge) + link))
	[ "$known" -ge "$(value "$row" vanished)" ] || known=$(value "$row" vanished)
	echo $((known + $(value "$row" lost_host) + $(value "$row" lost_neighbour)))
}

# Frames that neither arrived nor were counted as lost
lost_unseen() {
	local row=$1 unseen
	unseen=$(($(value "$row" vanished) - $(value "$row" lost_switch) - $(value "$row" lost_bridge) - $(value "$row" lost_veth)))
	[ "$unseen" -gt 0 ] && echo "$unseen" || echo 0
}

# The places, with the number of frames if there are several
lost_where() {
	local row=$1 key place places=()
	while read -r key place; do
		[ "$(value "$row" "$key")" = 0 ] || places+=("$place" "$(value "$row" "$key")")
	done <<-PLACES
		lost_switch switch's queues
		lost_host hosts' queues
		lost_bridge bridge
		lost_veth veth
		lost_softnet softnet
		lost_neighbour unresolved neighbours
	PLACES
	[ "$(lost_unseen "$row")" = 0 ] || places+=("unseen" "$(lost_unseen "$row")")
	case ${#places[@]} in
	0) echo "nowhere" ;;
	2) echo "${places[0]}" ;;
	*) printf '%s: %s; ' "${places[@]}" | sed 's/; $/\n/' ;;
	esac
}

flow_mbit() {
	awk -v gbit="$(value "$1" "goodput$2")" 'BEGIN { printf "%.2f", gbit * 1000 }'
}

share() {
	calculate "($(flow_mbit "$1" 1) + $(flow_mbit "$1" 2)) * 100 / $CEILING"
}

is_complete() {
	[ -n "$(value "$1" rdma_errors)" ]
}

LAYOUT='%-9s  %6s %7s  %8s  %7s  %7s  %15s  %10s  %7s  %11s  %s\n'

# shellcheck disable=SC2059 # the layout is one
table_line() {
	printf "$LAYOUT" "$@" | sed 's/ *$//'
}

table_row() {
	local row=$1
	local line=("$row" "$(flow_mbit "$row" 1)" "$(flow_mbit "$row" 2)" "$(printf '%.0f %%' "$(share "$row")")")
	line+=("$(thousands "$(lost "$row")")" "$(thousands "$(value "$row" retries)")")
	if [ -n "$(value "$row" pauses_sent)" ]; then
		line+=("$(thousands "$(value "$row" pauses_sent)") / $(thousands "$(value "$row" pauses_honoured)")")
		line+=("$(thousands "$(value "$row" after_xoff)")" "$(kilobytes "$(value "$row" largest_queue)") KB")
		line+=("$(seconds "$(value "$row" txwait1)") / $(seconds "$(value "$row" txwait2)") s")
	else
		line+=("-" "-" "$([ "$(value "$row" lost_switch)" = 0 ] && echo "-" || echo "full")" "-")
	fi
	table_line "${line[@]}" "$(lost_where "$row")"
}

seconds() {
	calculate "$1 / 1e9"
}

table() {
	local row
	is_complete drop-tail || is_complete lossless || return 0
	echo
	table_line "" Mbit/s goodput "share of" frames "" "pauses sent" "bytes" largest "txwait of" "frames lost"
	table_line port "host 1" "host 2" ceiling lost retries "/ honoured" "after XOFF" queue "host 1 / 2" where
	table_line --------- ------ ------- -------- ------- ------- --------------- ---------- ------- ----------- ---------------
	for row in drop-tail lossless; do
		! is_complete "$row" || table_row "$row"
	done
	cat <<-TEXT

		share of ceiling  of the $LINK_MBIT Mbit/s, headers leave $(calculate "$CEILING") for payload at a path MTU of 1024 bytes
		frames lost       RDMA answers a loss with a retry: everything from the lost frame on is sent again
		pauses            PFC frames that the switch sent / that the hosts honoured
		bytes after XOFF  what a sender still sent after the switch had decided to pause it: what headroom is for
		largest queue     of the switch's ports; full: 30 KB, the buffer's end
		txwait            how long a sender had frames but was paused

	TEXT
}

problems=()
problem() {
	problems+=("$*")
}

check_lossless() {
	local a b key
	if ! is_complete lossless; then
		problem "the lossless run did not come to its end"
		return
	fi
	a=$(flow_mbit lossless 1) b=$(flow_mbit lossless 2)
	[ "$(lost lossless)" = 0 ] || problem "$(lost lossless) frames lost: $(lost_where lossless)"
	for key in softnet veth neighbour; do
		[ "$(value lossless "lost_$key")" = 0 ] || problem "drops in $key: $(value lossless "lost_$key")"
	done
	[ "$(value lossless retries)" = 0 ] || problem "$(value lossless retries) retries"
	[ "$(value lossless rdma_errors)" = 0 ] || problem "$(value lossless rdma_errors) errors counted by Soft-RoCE"
	is_true "$(share lossless) >= $CEILING_SHARE_MIN" || problem "$(share lossless) % of the payload ceiling, $CEILING_SHARE_MIN % are due"
	is_true "$a > 0 && $b > 0 && ($a - $b) ^ 2 <= (($a > $b ? $a : $b) * $FAIRNESS_MAX / 100) ^ 2" ||
		problem "one flow got $a Mbit/s and the other $b: more than $FAIRNESS_MAX % apart"
}

verdict() {
	local line
	if [ ${#problems[@]} -gt 0 ]; then
		echo "FAILED:"
		for line in "${problems[@]}"; do
			echo "  - $line"
		done
		return 1
	fi
	echo "PASSED: lossless delivered all of $(thousands "$(value lossless frames)") frames at their first try, filled the link and shared" \
		"it evenly."
	! is_complete drop-tail ||
		echo "        Drop-tail lost $(thousands "$(lost drop-tail)") of $(thousands "$(value drop-tail frames)") with the same buffer, and" \
			"$(printf '%.0f' "$(share drop-tail)") % of the link was of use."
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'echo; say "interrupted"; exit 130' INT TERM HUP
: > "$work/results"
headline
prepare
step "running the job$([ -n "$NATIVE" ] || echo " in a virtual machine with one CPU and virtual time: takes 2 to 4 minutes")" run_job
table
check_lossless
verdict
