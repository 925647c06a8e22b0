#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact
# timeout: 600
#
# Statistics: valid JSON with all its keys, the same numbers in text, and numbers that are true.
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

NS_PER_S=1000000000
PAUSE_GROUP=01:80:c2:00:00:01
QDISC_KEYS="kind handle root refcnt options bytes packets drops overlimits requeues backlog qlen"
PORT_KEYS="port_id source_stamp source_iif source_lower source_local malformed pfc_deferred llfc_rx llfc_rx_resumes
	llfc_ignored llfc_tx llfc_tx_resumes pause_timeouts pause_timeout_drops is_timed_out"
OPTION_KEYS="version rate overhead burst keep_gso keep_socket trust dscp_map pcp_map default_prio cable_cm response pfc
	pfc_rx llfc quanta cell link_rate watchdog detect_ns restore restore_ns action window_ns duty_percent untrust
	untrust_ns ingress_pass pause_timeout_ns priorities"
PRIO_KEYS="prio lossless weight guaranteed alpha_log2 static_xoff static_xon xon_offset headroom headroom_auto limit ecn
	kmin kmax pmax_millionths wred max_age_ns"
BUFFER_KEYS="size size_auto headroom_pool cell ports reserved shared shared_used shared_peak headroom_pool_used"

# two_hosts OPTION...: h1 -> p1 -> p2 -> h2; the options are p2's
two_hosts() {
	star 2
	port sw p1
	port sw p2 "$@"
}

pause() {
	on h2 "$SELFTESTS/bin/frame" send e kind pfc dst $PAUSE_GROUP vector 8 times "0,0,0,$1"
}

to_h2() {
	on h1 "$SELFTESTS/bin/frame" send e dst "$(host_mac 2)" dscp 24 "$@"
}

# twice_in FILE: keys that stand twice in the same object of JSON, which jq does not see
twice_in() {
	/usr/bin/python3 -c '
import json, sys
def check(pairs):
    keys = [key for key, _ in pairs]
    print(*sorted({key for key in keys if keys.count(key) > 1}), end="")
    return dict(pairs)
json.load(open(sys.argv[1]), object_pairs_hook=check)' "$1"
}

# expect_keys FILE JQ_PATH KEYS: no more and no less
expect_keys() {
	local want
	# shellcheck disable=SC2086 # words
	want=$(printf '%s\n' $3 | sort | tr '\n' ' ')
	expect_text "keys of $2" "$(jq -r "$2 | keys_unsorted | sort | join(\" \")" "$1") " "$want"
}

json_is_valid_and_complete() {
	two_hosts rate 34.4gbit pfc 3,4 prio 3 static xoff 200k xon 100k prio 2 limit 1m
	tc -n sw -s -j qdisc show dev p2 > /tmp/json
	jq . /tmp/json > /dev/null || fail "this is no JSON: $(cat /tmp/json)"
	expect "objects" "$(jq length /tmp/json)" == 1
	expect_text "keys that stand twice" "$(twice_in /tmp/json)" ""
	expect_keys /tmp/json '.[0]' "$QDISC_KEYS $PORT_KEYS"
	expect_keys /tmp/json '.[0].options' "$OPTION_KEYS"
	for i in 0 3 7; do
		expect_keys /tmp/json ".[0].options.priorities[$i]" "$PRIO_KEYS"
	done
	expect "priorities" "$(jq '.[0].options.priorities | length' /tmp/json)" == 8
	expect_text "masks are lists" "$(jq -c '.[0].options | .pfc, .pfc_rx' /tmp/json | tr '\n' ' ')" "[3,4] [3,4] "
	expect_text "raw numbers" "$(jq -c '.[0].options | .rate, .priorities[3].static_xoff' /tmp/json | tr '\n' ' ')" "4300000000 204800 "
	expect_text "pretty JSON is the same" "$(tc -n sw -s -j -p qdisc show dev p2 | jq -cS .)" "$(jq -cS . /tmp/json)"
	expect_text "stderr" "$(tc -n sw -s -j qdisc show dev p2 2>&1 > /dev/null)" ""
}

buffer_json_is_valid_and_complete() {
	two_hosts
	lossless -n sw -j buffer > /tmp/json
	expect_text "keys that stand twice" "$(twice_in /tmp/json)" ""
	expect_keys /tmp/json . "$BUFFER_KEYS"
}

# Ten frames of 1000 bytes wait: what is in the queue, in the PG and in the pool, in JSON and in text
what_waits_is_told() {
	local text
	two_hosts
	pause 65535
	to_h2 size 1000 count 10
	tc -n sw -s -j qdisc show dev p2 > /tmp/json
	expect_text "qlen, backlog" "$(jq -c '.[0] | [.qlen, .backlog]' /tmp/json)" "[10,10000]"
	expect_text "sources" "$(jq -c '.[0] | [.source_stamp, .source_iif, .source_lower, .source_local]' /tmp/json)" "[10,0,0,0]"
	expect_stat sw p2 3.queue_bytes == 10000
	expect_stat sw p2 3.qlen == 10
	expect_stat sw p2 3.is_paused == 1
	expect_stat sw p1 3.guaranteed_bytes == 3036
	expect_stat sw p1 3.shared_bytes == 6964
	expect "used of the shared pool" "$(lossless -n sw -j buffer | jq .shared_used)" == 6964
	text=$(tc -n sw -s class show dev p2 classid 1:4)
	check "text of the class has the queue" grep -q '^  queue now 10000b peak 10000b local 0b' <<< "$text"
	check "text of the class has the state" grep -q '^  state pg xon queue paused' <<< "$text"
	text=$(tc -n sw -s class show dev p1 classid 1:4)
	check "text of the class has the PG" \
		grep -q '^  pg guaranteed 3036b peak 3036b shared 6964b peak 6964b headroom 0b peak 0b of 76255b' <<< "$text"
	check "text of the port has the sources" \
		grep -q '^  source stamp 10 iif 0 lower 0 local 0' <<< "$(tc -n sw -s qdisc show dev p2)"
	pause 0
	expect_stat sw p2 3.queue_bytes == 0
	expect_stat sw p2 3.queue_peak_bytes == 10000
	expect_stat sw p2 3.is_paused == 0
	expect "peak of the shared pool" "$(lossless -n sw -j buffer | jq .shared_peak)" == 6964
	expect_drained sw p1 p2
}

# Bytes and packets, of the port and of each priority
what_left_is_counted() {
	local prio
	two_hosts
	# to no address of h2's, which would answer
	for prio in 0 3 7; do
		on h1 "$SELFTESTS/bin/frame" send e dst "$(host_mac 2)" to 10.9.9.9 dscp $((prio * 8)) size $((100 + prio)) count $((prio + 1))
	done
	for prio in 0 3 7; do
		expect_stat sw p2 $prio.packets == $((prio + 1))
		expect_stat sw p2 $prio.bytes == $(((prio + 1) * (100 + prio)))
	done
	expect_stat sw p2 packets == 13
	expect_stat sw p2 bytes == $((100 + 4 * 103 + 8 * 107))
	expect_stat sw p1 packets == 0
	check "text of the class has them" grep -q ' Sent 412 bytes 4 pkt' <<< "$(tc -n sw -s class show dev p2 classid 1:4)"
}

# Where a frame was lost: each kind of drop has its counter, and the port's drops are their sum
each_drop_has_its_counter() {
	two_hosts rate 1mbit pfc-rx all prio 2 guaranteed 0 limit 5000 prio 5 lossy guaranteed 0 limit 3000
	tc -n sw qdisc change dev p1 root handle 1: lossless prio 3 static xoff 4k xon 0 headroom 2k
	# of 20 frames of 1000 bytes one is on the wire: lossy 5 more, local 3 more, lossless up to xoff and headroom
	on h1 "$SELFTESTS/bin/frame" send e dst "$(host_mac 2)" dscp 16 size 1000 count 20
	on sw "$SELFTESTS/bin/frame" send p2 dst "$(host_mac 2)" dscp 40 size 1000 count 20
	to_h2 size 1000 count 20
	expect_stat sw p2 2.buffer_drops == 14
	expect_stat sw p2 5.local_drops == 17
	# 3036 guaranteed, 1060 shared, 2048 headroom: six frames, of which the last fills headroom
	expect_stat sw p1 3.headroom_drops == 14
	expect_stat sw p2 drops == $((14 + 17 + 14))
	expect_stat sw p2 2.drops == 14
	expect_stat sw p2 5.drops == 17
	expect_stat sw p1 drops == 0
}

# Time for which a queue waited, to the nanosecond: from the first frame or the pause on, to the resume or its end
txwait_is_exact() {
	local start
	two_hosts rate 1gbit
	pause 1000
	sleep 0.01
	expect_stat sw p2 3.txwait_ns == 0
	pause 65535
	pause 0
	expect_stat sw p2 3.txwait_ns == 0
	start=$(($(now) + NS_PER_S / 10))
	on h2 "$SELFTESTS/bin/frame" send e kind pfc dst $PAUSE_GROUP vector 8 times 0,0,0,1000 at "$start" &
	to_h2 at $((start + 100000))  &
	wait
	wait_until 5 stat_is sw p2 3.packets == 1
	# 1000 quanta at 1 Gbit/s are 512 us, the frame came 100 us later
	expect_stat sw p2 3.txwait_ns == 412000
	start=$(($(now) + NS_PER_S / 10))
	on h2 "$SELFTESTS/bin/frame" send e kind pfc dst $PAUSE_GROUP vector 8 times 0,0,0,65535 at "$start" &
	to_h2 at $((start + 50000))  &
	on h2 "$SELFTESTS/bin/frame" send e kind pfc dst $PAUSE_GROUP vector 8 at $((start + 250000)) &
	wait
	expect_stat sw p2 3.txwait_ns == $((412000 + 200000))
	check "text of the class has it" grep -q '^  wait tx 612.000us rx ' <<< "$(tc -n sw -s class show dev p2 classid 1:4)"
	expect_stat sw p2 3.pfc_rx == 4
	expect_stat sw p2 3.pfc_rx_resumes == 2
}

# All lines of a priority, of the port, and all classes
text_is_complete() {
	two_hosts
	tc -n sw -s class show dev p2 classid 1:4 > /tmp/class
	expect_text "lines of a class" "$(awk '/^  [a-z]/ { printf "%s ", $1 }' /tmp/class)" \
		"state queue pg pfc ecn drops wait watchdog "
	expect_text "lines of the port" "$(tc -n sw -s qdisc show dev p2 | awk '/^  [a-z]/ && $1 != "prio" { printf "%s ", $1 }')" \
		"port source pfc llfc pause_timeout "
	expect "classes" "$(tc -n sw class show dev p2 | grep -c '^class lossless 1:[1-8] root')" == 8
}

# Statistics without -s are none, and show changes nothing
show_has_no_side_effects() {
	local before
	two_hosts
	to_h2 size 1000 count 10
	before=$(on sw "$SELFTESTS/bin/stats" p2)
	tc -n sw -s -d qdisc show dev p2 > /dev/null
	tc -n sw -s -d class show dev p2 > /dev/null
	expect_text "statistics after looking" "$(on sw "$SELFTESTS/bin/stats" p2)" "$before"
	expect "statistics without -s" "$(tc -n sw qdisc show dev p2 | grep -c -e Sent -e source)" == 0
}

run_tests json_is_valid_and_complete buffer_json_is_valid_and_complete what_waits_is_told what_left_is_counted \
	each_drop_has_its_counter txwait_is_exact text_is_complete show_has_no_side_effects
