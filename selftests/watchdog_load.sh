#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: qemu-icount
# kernels: 6.1 6.12
# timeout: 900
#
# A machine under load: the watchdog counts real time, and is at most 1 ms late. The virtual machine's time is that of the
# instructions which it executes, whatever else this computer does. And its trace event, which needs a kernel with tracing.
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

HOGS=()

# lab [RESTORE]: at 1 Mbit/s one pause lasts for 33 s, so that nobody has to be in time with the next
lab() {
	star 3
	port sw p1
	port sw p2 rate 1mbit watchdog detect 50ms restore auto "${1:-1ms}"
	port sw p3
	dmesg -C
}

hogs() {
	local i
	for ((i = 0; i < $1; i++)); do
		nice -n -20 bash -c 'while :; do :; done' &
		HOGS+=($!)
	done
}

hogs_off() {
	kill "${HOGS[@]}"
	wait "${HOGS[@]}" 2> /dev/null
	HOGS=()
}

# One storm after the other: what comes between is the pause, and the frame that it holds
storms() {
	local i
	for ((i = 1; i <= $1; i++)); do
		send_pfc 2 0x08 0,0,0,65535
		data 1 2 3 100 count 3 gap 0
		wait_until 60 stat_is sw p2 3.storms == "$i" || fail "no storm $i"
		wait_until 60 stat_is sw p2 3.restores == "$i" || fail "storm $i does not end"
	done
}

# blocked_times: of the storms in the log, in us
blocked_times() {
	dmesg | sed -n 's/.*in storm: blocked by pauses for \([0-9]*\) us.*/\1/p'
}

expect_in_time() {
	local us count=0 latest=0
	for us in $(blocked_times); do
		count=$((count + 1))
		expect "storm $count found after us" "$us" ">=" 50000
		expect "storm $count found after us" "$us" "<=" 51000
		((us <= latest)) || latest=$us
	done
	expect "storms in the log" "$count" == "$1"
	note "the latest was found after $latest us"
}

busy_processes() {
	lab
	hogs 2
	storms 3
	hogs_off
	expect_in_time 3
}

# Processes, and frames that keep the softirqs busy
busy_network() {
	lab
	hogs 1
	"$SELFTESTS/bin/frame" -n h1 send e dst "$(host_mac 3)" from 10.9.0.1 to 10.9.0.3 dscp 0 size 60 count 100000000 gap 0 &
	storms 3
	hogs_off
	expect_in_time 3
}

# One trace event for each transition, with port, priority and counts
trace_event() {
	local trace=/sys/kernel/tracing seen
	mount -t tracefs tracefs "$trace" 2> /dev/null
	lab 20ms
	echo > "$trace/trace"
	echo 1 > "$trace/events/lossless/lossless_watchdog/enable"
	storms 1
	echo 0 > "$trace/events/lossless/lossless_watchdog/enable"
	seen=$(sed -n 's/.*lossless_watchdog: //p' "$trace/trace" | sed 's/ifindex=[0-9]*/ifindex=I/; s/duration_ns=[0-9]*/duration_ns=D/')
	expect_lines "the trace" "$seen" \
		"dev=p2 ifindex=I prio=3 event=storm cause=0 action=0 duration_ns=D backlog=3 drained=0 dropped=0 ingress_dropped=0" \
		"dev=p2 ifindex=I prio=3 event=restore cause=0 action=0 duration_ns=D backlog=0 drained=3 dropped=0 ingress_dropped=0"
}

run_tests busy_processes busy_network trace_event
