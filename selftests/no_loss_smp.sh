#!/bin/bash
# machine: qemu
# kernels: 6.1 6.12
# timeout: 600
#
# Two CPUs, veths with NAPI, four flows that do not throttle themselves into one slow port: nothing is lost, nothing overtakes. An emulated
# CPU may stand still for 77 ms in the middle of a pause: headroom is 256 KB.
#
#     h1 (flow 13 of priority 3, 14 of priority 4) --- 50 Mbit/s ---\
#                                                                    sw --- 5 Mbit/s --- h3
#     h2 (flow 23 of priority 3, 24 of priority 4) --- 50 Mbit/s ---/

# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

# Pauses hold queues here for longer than the watchdog would let them
PORT_OPTIONS=(watchdog off)

FRAME=1000
COUNT=15000
GAP=150000	# 55 Mbit/s of each flow

# napi NS DEV: receive by NAPI instead of the per-CPU backlog, which reorders; needs both
napi() {
	on "$1" ethtool -K "$2" tso off gro on
}

topology() {
	local i
	star 3
	for i in 1 2 3; do
		napi sw "p$i"
		napi "h$i" e
	done
	for i in 1 2; do
		port sw "p$i" rate 50mbit pfc 3,4 prio 3 headroom 256k prio 4 headroom 256k
		port "h$i" e rate 50mbit pfc 3,4 prio 3 limit 50k prio 4 limit 50k
	done
	port sw p3 rate 5mbit pfc 3,4
	port h3 e rate 5mbit pfc 3,4
	lossless -n sw buffer set size 2000000
}

# offer HOST PRIORITY: from a CPU of its own, as the other priority's flow
offer() {
	taskset -c $(($2 - 3)) "$SELFTESTS/bin/frame" -n "h$1" send e dst "$(host_mac 3)" from "10.9.0.$1" to 10.9.0.3 \
		dscp $((8 * $2)) size $FRAME count $COUNT gap $GAP flow "$1$2" &
	SENDERS+=($!)
}

two_cpus() {
	local i priority
	SENDERS=()
	expect "CPUs" "$(nproc)" '>=' 2
	topology
	listen h3 e /tmp/h3 print 0 flows 1 quiet 5000000000
	for i in 1 2; do
		offer $i 3
		offer $i 4
	done
	wait "${SENDERS[@]}" "$LISTENER"

	expect "frames out of order" "$(heard /tmp/h3 reordered)" == 0
	for i in 1 2; do
		for priority in 3 4; do
			expect "frames of flow $i$priority" \
				"$(awk -v f=$i$priority '$1 == "flow" && $2 == f { print $4 }' /tmp/h3)" == \
				"$(stat_of h$i e $priority.packets)"
			expect_stat "h$i" e $priority.packets '>=' 500
			expect_stat sw "p$i" $priority.headroom_drops == 0
			expect_stat sw "p$i" $priority.pfc_tx '>' 5
			wait_until 5 stat_is "h$i" e $priority.is_paused == 0 || fail "h$i is left paused"
		done
		note "p$i: at most $(stat_of sw "p$i" 3.headroom_peak_bytes) bytes of headroom"
	done
	expect_stat sw p3 drops == 0
	expect_no_foreign_drops
	expect_drained sw p1 p2 p3
}

run_tests two_cpus
