#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact
# timeout: 600
#
# Marking and WRED: which frames become CE, how many, and that nothing else of them changes.
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

NS_PER_S=1000000000
PAUSE_GROUP=01:80:c2:00:00:01

# two_hosts OPTION...: h1 -> p1 -> p2 -> h2, IPv6 too; the options are p2's
two_hosts() {
	star 2
	port sw p1 pfc 3
	port sw p2 pfc 3 pfc-rx all "$@"
}

# hold PRIO: h2 pauses a priority of p2, and release lets it go
hold() {
	on h2 "$SELFTESTS/bin/frame" send e kind pfc dst $PAUSE_GROUP vector $((1 << $1)) \
		times 65535,65535,65535,65535,65535,65535,65535,65535
}

release() {
	on h2 "$SELFTESTS/bin/frame" send e kind pfc dst $PAUSE_GROUP vector $((1 << $1))
}

# from_h1 OPTION...: frames to h2, priority 3 unless told otherwise
from_h1() {
	on h1 "$SELFTESTS/bin/frame" send e dst "$(host_mac 2)" dscp 24 "$@"
}

# burst FILE PRIO OPTION...: frames that wait until all of them are there; FILE: what h2 hears
burst() {
	local file=$1 prio=$2
	shift 2
	hold "$prio"
	listen h2 e "$file" quiet $((NS_PER_S / 10))
	from_h1 "$@"
	release "$prio"
	wait "$LISTENER"
}

# ecn_of FILE OFFSET: the ECN codepoint of each frame, in order; OFFSET of the byte that holds it
# in its two lowest bits (IPv4) or, with a third argument, in bits 4 and 5 (IPv6)
ecn_of() {
	awk -v at="$2" -v shift="${3:-0}" '
		/^frames / { next }
		{
			digit = index("0123456789abcdef", substr($3, at * 2 + (shift ? 1 : 2), 1)) - 1
			printf "%s%d", (NR > 1 ? " " : ""), digit % 4
		}' "$1"
}

# header_sum FILE OFFSET: the ones' complement sum of each IPv4 header, 65535 if it is right
header_sum() {
	awk -v at="$2" '
		function hex(text, i, n) {
			for (i = 1; i <= length(text); i++)
				n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
			return n
		}
		/^frames / { next }
		{
			sum = 0
			for (i = 0; i < 20; i += 2)
				sum += hex(substr($3, (at + i) * 2 + 1, 4))
			while (sum > 65535)
				sum = sum % 65536 + int(sum / 65536)
			print sum
		}' "$1" | sort -u
}

# codepoints KIND OFFSET SHIFT OPTION...: above kmax 00 stays, 01, 10 and 11 arrive as CE
codepoints() {
	local kind=$1 offset=$2 shift=$3 ecn before
	shift 3
	before=$(stat_of sw p2 3.ce_marked)
	hold 3
	listen h2 e /tmp/heard count 4 quiet $NS_PER_S
	for ecn in 0 1 2 3; do
		from_h1 kind "$kind" ecn "$ecn" "$@"
	done
	release 3
	wait "$LISTENER"
	expect_text "codepoints of $kind $* arrived" "$(ecn_of /tmp/heard "$offset" "$shift")" "0 3 3 3"
	expect "frames of $kind $* marked" $(($(stat_of sw p2 3.ce_marked) - before)) == 2
}

V6="from fd00::1 to fd00::2"

codepoints_ipv4() {
	two_hosts prio 3 ecn 0 0 100
	codepoints udp 15 0
	expect_text "checksum of the IPv4 headers" "$(header_sum /tmp/heard 14)" 65535
}

codepoints_ipv6() {
	two_hosts prio 3 ecn 0 0 100
	# shellcheck disable=SC2086 # words
	codepoints udp6 15 4 $V6
}

# The listener's socket gets the tag beside the frame.
codepoints_vlan_tagged() {
	two_hosts prio 3 ecn 0 0 100
	codepoints udp 15 0 vid 10 pcp 3
	expect_text "checksum of the IPv4 headers" "$(header_sum /tmp/heard 14)" 65535
	# shellcheck disable=SC2086
	codepoints udp6 15 4 vid 10 pcp 3 $V6
	expect "frames with the tag" "$(grep -c 'tci 600a$' /tmp/heard)" == 4
}

# A tag in the packet itself, as a packet socket of this host makes it
codepoints_tag_in_the_packet() {
	two_hosts prio 3 ecn 0 0 100
	listen h2 e /tmp/heard count 2 quiet $NS_PER_S
	on sw "$SELFTESTS/bin/frame" send p2 dst "$(host_mac 2)" dscp 24 ecn 2 vid 10
	on sw "$SELFTESTS/bin/frame" send p2 dst "$(host_mac 2)" dscp 24 ecn 0 vid 10
	wait "$LISTENER"
	expect_text "codepoints that arrived" "$(ecn_of /tmp/heard 15)" "3 0"
	expect_text "checksum of the IPv4 headers" "$(header_sum /tmp/heard 14)" 65535
}

# Nothing but ECN and the checksum changes
marking_changes_nothing_else() {
	two_hosts prio 3 noecn
	burst /tmp/plain 3 ecn 2 ttl 33 size 120
	tc -n sw qdisc change dev p2 root handle 1: lossless prio 3 ecn 0 0 100
	burst /tmp/marked 3 ecn 2 ttl 33 size 120
	expect_text "ECN unmarked" "$(ecn_of /tmp/plain 15)" 2
	expect_text "ECN marked" "$(ecn_of /tmp/marked 15)" 3
	expect_text "the rest" "$(awk 'NR == 1 { print substr($3, 1, 30) substr($3, 33, 16) substr($3, 53) }' /tmp/marked)" \
		"$(awk 'NR == 1 { print substr($3, 1, 30) substr($3, 33, 16) substr($3, 53) }' /tmp/plain)"
}

# ARP and the like have no ECN
frames_without_ecn_are_left_alone() {
	two_hosts default-prio 3 prio 3 ecn 0 0 100
	listen h2 e /tmp/heard count 1 quiet $NS_PER_S
	from_h1 kind raw type 0x0806 hex 000108000604000102030405060708090a0b0c0d0e0f
	wait "$LISTENER"
	expect_text "frame" "$(awk 'NR == 1 { print substr($3, 29, 44) }' /tmp/heard)" \
		000108000604000102030405060708090a0b0c0d0e0f
	expect_stat sw p2 3.ce_marked == 0
}

# kmin = kmax = N KB, 2N frames of 1 KB queued: the first of them is CE, the last is not, all arrive.
# At exactly kmin = kmax the probability is pmax: 0 here, so the N frames that see more are marked.
first_marked_last_not() {
	two_hosts prio 3 ecn 50k 50k 0
	burst /tmp/heard 3 ecn 1 size 1024 count 100
	expect "frames" "$(heard /tmp/heard frames)" == 100
	expect "CE" "$(heard /tmp/heard ce)" == 50
	expect_text "codepoints" "$(ecn_of /tmp/heard 15)" "$(printf '3 %.0s' {1..50})$(printf '1 %.0s' {1..49})1"
	expect_stat sw p2 3.ce_marked == 50
	expect_stat sw p2 drops == 0
	expect_drained sw p1 p2
}

# The same with pmax 100 %: the frame that sees exactly kmax is marked, too
at_kmax_the_probability_is_pmax() {
	two_hosts prio 3 ecn 50k 50k 100
	burst /tmp/heard 3 ecn 1 size 1024 count 100
	expect_text "codepoints" "$(ecn_of /tmp/heard 15)" "$(printf '3 %.0s' {1..51})$(printf '1 %.0s' {1..48})1"
}

# at_depth DEPTH FRAMES: how many of so many frames are marked that leave while the queue holds DEPTH
# frames of 1000 bytes: as many arrive as leave. The frame time is 80 us at 102.4 Mbit/s.
at_depth() {
	local depth=$1 frames=$2 frame_ns=80000 start
	start=$(($(now) + NS_PER_S / 10))
	listen h2 e /tmp/heard quiet $((NS_PER_S / 10))
	on sw "$SELFTESTS/bin/frame" send p2 dst "$(host_mac 2)" dscp 24 ecn 2 size 1000 count "$depth" at "$start" &
	on sw "$SELFTESTS/bin/frame" send p2 dst "$(host_mac 2)" dscp 24 ecn 2 size 1000 count "$frames" \
		at $((start + frame_ns / 2)) gap $frame_ns &
	wait
	awk -v last=$((frames + 1)) 'NR > 1 && NR <= last && substr($3, 32, 1) % 4 == 3 { n++ } END { print n + 0 }' /tmp/heard
}

# expect_marks DEPTH FRAMES PER_MILLE: within 10 %
expect_marks() {
	local marks
	marks=$(at_depth "$1" "$2")
	note "depth $1: $marks of $2 frames marked, the law says $(($2 * $3 / 1000))"
	expect "marks at depth $1" $((marks * 10000)) ">=" $(($2 * $3 * 9))
	expect "marks at depth $1" $((marks * 10000)) "<=" $(($2 * $3 * 11))
}

# kmin 10000, kmax 50000, pmax 80 %: at 20000 20 %, at 30000 40 %, at 40000 60 %; with 4000 frames 10 % is more
# than three standard deviations
curve_within_10_percent() {
	two_hosts rate 102.4mbit prio 3 ecn 10000 50000 80
	expect "marks at depth 9" "$(at_depth 9 200)" == 0
	expect "marks at depth 10" "$(at_depth 10 200)" == 0
	expect_marks 20 4000 200
	expect_marks 30 3000 400
	expect_marks 40 2000 600
	expect_marks 50 1000 800
	expect "marks at depth 51" "$(at_depth 51 200)" == 200
	expect_drained sw p1 p2
}

ce_counter_counts_what_arrives() {
	two_hosts prio 3 ecn 0 100k 50
	burst /tmp/heard 3 ecn 2 size 1000 count 100
	expect "frames" "$(heard /tmp/heard frames)" == 100
	expect "CE" "$(heard /tmp/heard ce)" ">" 0
	expect "CE" "$(heard /tmp/heard ce)" "<" 100
	expect_stat sw p2 3.ce_marked == "$(heard /tmp/heard ce)"
	expect_stat sw p1 3.ce_marked == 0
}

# Above kmax, more than the PG's threshold: Not-ECT pauses its sender, it is neither dropped nor marked
not_ect_is_never_dropped_on_a_lossless_priority() {
	two_hosts prio 3 ecn 10k 10k 100
	port h1 e pfc 3 rate 1gbit
	tc -n sw qdisc change dev p2 root handle 1: lossless rate 100mbit
	tc -n sw qdisc change dev p1 root handle 1: lossless prio 3 static xoff 40k xon 20k
	listen h2 e /tmp/heard print 0 quiet $((NS_PER_S / 10))
	from_h1 ecn 0 size 1500 count 1000
	wait "$LISTENER"
	expect "frames" "$(heard /tmp/heard frames)" == 1000
	expect "CE" "$(heard /tmp/heard ce)" == 0
	expect_stat sw p1 3.xoff ">" 0
	expect_stat sw p2 drops == 0
	expect_stat sw p2 3.wred_drops == 0
	expect_drained sw p1 p2
}

# A lossy priority with WRED: what leaves while more than kmax is queued is dropped if Not-ECT, marked if ECT
wred_drops_not_ect_and_marks_ect() {
	two_hosts prio 0 lossy ecn 50k 50k 0 wred
	burst /tmp/heard 0 dscp 0 ecn 0 size 1024 count 100
	expect "Not-ECT frames" "$(heard /tmp/heard frames)" == 50
	expect_stat sw p2 0.wred_drops == 50
	expect_stat sw p2 drops == 50
	expect_stat sw p2 0.ce_marked == 0
	burst /tmp/heard 0 dscp 0 ecn 1 size 1024 count 100
	expect "ECT frames" "$(heard /tmp/heard frames)" == 100
	expect "ECT frames marked" "$(heard /tmp/heard ce)" == 50
	expect_stat sw p2 0.wred_drops == 50
	expect_drained sw p1 p2
}

lossy_without_wred_drops_nothing() {
	two_hosts prio 0 lossy ecn 50k 50k 100
	burst /tmp/heard 0 dscp 0 ecn 0 size 1024 count 100
	expect "frames" "$(heard /tmp/heard frames)" == 100
	expect "CE" "$(heard /tmp/heard ce)" == 0
}

# A filter puts frames that p1's PG admitted into a queue with WRED: they are not its to drop
wred_leaves_alone_what_a_pg_admitted() {
	two_hosts prio 0 lossy ecn 0 0 100 wred
	tc -n sw filter add dev p2 parent 1: matchall classid 1:1
	burst /tmp/heard 0 ecn 0 size 1024 count 20
	expect "frames" "$(heard /tmp/heard frames)" == 20
	expect_stat sw p2 0.packets == 20
	expect_stat sw p2 0.wred_drops == 0
}

# marked_copy MARKING OTHER: a flooded frame becomes CE at one port only; its copies share their data
marked_copy() {
	local marking=$1 other=$2
	port sw "p$marking" pfc 3 prio 3 ecn 0 0 100
	port sw "p$other" pfc 3 prio 3 noecn
	listen "h$marking" e /tmp/marking count 1 quiet $NS_PER_S
	listen "h$other" e /tmp/other count 1 quiet $NS_PER_S
	on h1 "$SELFTESTS/bin/frame" send e dscp 24 ecn 2
	wait
	expect_text "ECN at h$marking" "$(ecn_of /tmp/marking 15)" 3
	expect_text "ECN at h$other" "$(ecn_of /tmp/other 15)" 2
	expect_text "checksum at h$other" "$(header_sum /tmp/other 14)" 65535
}

ce_does_not_leak_to_flooded_copies() {
	star 3
	port sw p1 pfc 3
	marked_copy 2 3
	marked_copy 3 2
}

run_tests codepoints_ipv4 codepoints_ipv6 codepoints_vlan_tagged codepoints_tag_in_the_packet \
	marking_changes_nothing_else frames_without_ecn_are_left_alone first_marked_last_not \
	at_kmax_the_probability_is_pmax curve_within_10_percent ce_counter_counts_what_arrives \
	not_ect_is_never_dropped_on_a_lossless_priority wred_drops_not_ect_and_marks_ect \
	lossy_without_wred_drops_nothing wred_leaves_alone_what_a_pg_admitted ce_does_not_leak_to_flooded_copies
