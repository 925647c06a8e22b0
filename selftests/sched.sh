#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact
# timeout: 600
#
# Which queue is next: strict before weighted, weights as shares of bytes, and nothing for the past.
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

NS_PER_S=1000000000
FRAME_NS=12192	# 1500 bytes and 24 of overhead at 1 Gbit/s
PAUSE_GROUP=01:80:c2:00:00:01

# one_port OPTION...: sw's p1 to h1 at 1 Gbit/s
one_port() {
	hosts 1
	port sw p1 rate 1gbit "$@"
	START=$(($(now) + NS_PER_S))
}

# queue PRIO COUNT AT [OPTION...]: local frames of a priority, AT ns after START
queue() {
	local prio=$1 count=$2 at=$3
	shift 3
	on sw "$SELFTESTS/bin/frame" send p1 dscp $((prio * 8)) count "$count" at $((START + at)) flow "$prio" "$@" &
}

pause() {
	on h1 "$SELFTESTS/bin/frame" send e kind pfc dst $PAUSE_GROUP vector "$1" \
		times "$2,$2,$2,$2,$2,$2,$2,$2" at $((START + $3)) &
}

# priorities FILE: "TIME LENGTH PRIORITY" of each frame, from its DSCP
priorities() {
	awk '
		/^frames / { next }
		{
			high = index("0123456789abcdef", substr($3, 31, 1)) - 1
			print $1, $2, int(high / 2)
		}' "$1"
}

# All that wait when a frame ends: 7 before 6, and 6 before all weighted ones
strict_7_before_6_before_weighted() {
	local order
	one_port
	listen h1 e /tmp/heard count 81 quiet $NS_PER_S
	queue 1 1 0 size 1500
	for prio in 0 6 5 7; do
		queue $prio 20 100 size 1500
	done
	wait
	order=$(priorities /tmp/heard | awk '{ print $3 }' | uniq -c | awk 'NR <= 3 { printf "%s%dx%d", (NR > 1 ? " " : ""), $1, $2 }')
	expect_text "order" "$order" "1x1 20x7 20x6"
	# 0 and 5 have weight 1 each
	expect "frames of 5 among the first 20 weighted" \
		"$(priorities /tmp/heard | awk 'NR > 41 && NR <= 61 && $3 == 5 { n++ } END { print n }')" == 10
}

# A strict frame waits for the frame in flight and for nothing else
strict_frame_goes_next() {
	local late
	one_port
	listen h1 e /tmp/heard count 110 quiet $NS_PER_S
	queue 0 100 0 size 1500
	# ten frames, each in the middle of a frame of priority 0
	queue 7 10 $((FRAME_NS / 2)) size 1500 gap $((10 * FRAME_NS))
	wait
	late=$(priorities /tmp/heard | awk -v frame=$FRAME_NS '
		NR == 1 { first = $1 }
		$3 == 7 {
			due = first + (1 + 10 * n) * frame
			if ($1 != due)
				wrong++
			n++
		}
		END { print n " frames, " wrong + 0 " late" }')
	expect_text "strict frames" "$late" "10 frames, 0 late"
}

# Any priority may be strict, and the higher one goes first
configured_strict_priorities() {
	one_port prio 2 strict prio 4 strict prio 7 weight 1
	listen h1 e /tmp/heard count 81 quiet $NS_PER_S
	queue 1 1 0 size 1500
	for prio in 2 7 0 4; do
		queue $prio 20 100 size 1500
	done
	wait
	expect_text "order" "$(priorities /tmp/heard | awk '{ print $3 }' | uniq -c |
		awk 'NR <= 3 { printf "%s%dx%d", (NR > 1 ? " " : ""), $1, $2 }')" "1x1 20x4 20x2"
}

# share FILE PRIO FRAMES: bytes of a priority among so many frames, per 100000
share() {
	priorities "$1" | awk -v prio="$2" -v frames="$3" '
		NR <= frames { all += $2 }
		NR <= frames && $3 == prio { mine += $2 }
		END { printf "%d", mine * 100000 / all }'
}

expect_share() {
	local parts
	parts=$(share "$1" "$2" "$3")
	expect "share of priority $2 in 100000" $((parts * 100)) ">=" $(($4 * 99))
	expect "share of priority $2 in 100000" $((parts * 100)) "<=" $(($4 * 101))
}

# 1:2:4 with frames from 64 to 1500 bytes, among the first 4000 frames, while all three have some
weights_share_bytes() {
	one_port prio 0 weight 1 prio 1 weight 2 prio 2 weight 4
	listen h1 e /tmp/heard count 4000 quiet $NS_PER_S
	for size in 64 1500; do
		queue 0 1300 0 size $size gap 100
	done
	for size in 300 900; do
		queue 1 2200 0 size $size gap 100
	done
	for size in 100 512 1400; do
		queue 2 2200 0 size $size gap 100
	done
	wait
	expect "frames of 0 before it ran out" "$(priorities /tmp/heard | grep -c " 0$")" "<" 2600
	expect "frames of 1 before it ran out" "$(priorities /tmp/heard | grep -c " 1$")" "<" 4400
	expect "frames of 2 before it ran out" "$(priorities /tmp/heard | grep -c " 2$")" "<" 6600
	expect_share /tmp/heard 0 4000 14286
	expect_share /tmp/heard 1 4000 28571
	expect_share /tmp/heard 2 4000 57143
}

# The largest weight against the smallest: 1000 to 1
weights_reach_1000() {
	one_port prio 0 weight 1 prio 1 weight 1000
	listen h1 e /tmp/heard count 4004 quiet $NS_PER_S
	queue 0 100 0 size 1000
	queue 1 5000 0 size 1000
	wait
	expect "frames of weight 1" "$(priorities /tmp/heard | grep -c " 0$")" ">=" 4
	expect "frames of weight 1" "$(priorities /tmp/heard | grep -c " 0$")" "<=" 6
}

# Priority 0 is paused for 4 ms (328 frames) while 1 sends: then they share again, 0 gets no more than its half
paused_queue_claims_nothing() {
	local during after
	one_port pfc 3 pfc-rx 0
	listen h1 e /tmp/heard count 1000 quiet $NS_PER_S
	queue 0 600 0 size 1500
	queue 1 600 0 size 1500
	pause 1 65535 1000000
	pause 1 0 5000000
	wait
	read -r during after < <(priorities /tmp/heard | awk '
		NR == 1 { first = $1 }
		$1 - first > 1000000 + 12192 && $1 - first < 5000000 && $3 == 0 { during++ }
		$1 - first >= 5000000 && n < 200 { n++; zero += $3 == 0 }
		END { print during + 0, zero }')
	expect "frames of 0 during the pause" "$during" == 0
	# one frame more than its half may be the first one
	expect "frames of 0 among 200 after the pause" "$after" ">=" 100
	expect "frames of 0 among 200 after the pause" "$after" "<=" 101
}

# A queue that was empty while others shared begins at the present: its past is nobody's debt
idle_queue_claims_nothing() {
	local third
	one_port
	listen h1 e /tmp/heard count 900 quiet $NS_PER_S
	queue 0 600 0 size 1500
	queue 2 600 0 size 1500
	queue 1 10 0 size 1500
	queue 1 300 4000000 size 1500
	wait
	third=$(priorities /tmp/heard | awk '
		NR == 1 { first = $1 }
		$1 - first > 4000000 && n < 198 { n++; one += $3 == 1 }
		END { print one }')
	expect "frames of 1 among 198 after it came back" "$third" ">=" 66
	expect "frames of 1 among 198 after it came back" "$third" "<=" 67
}

# A change of the weights counts from the next frame on, and loses none
weights_can_change_under_load() {
	local before after
	one_port
	listen h1 e /tmp/heard count 1200 quiet $NS_PER_S
	queue 0 600 0 size 1500
	queue 1 600 0 size 1500
	frame send lo at $((START + 200 * FRAME_NS))
	tc -n sw qdisc change dev p1 root handle 1: lossless prio 1 weight 3
	wait
	expect "frames" "$(heard /tmp/heard frames)" == 1200
	read -r before after < <(priorities /tmp/heard | awk '
		NR <= 200 { before += $3 == 1 }
		NR > 204 && NR <= 604 { after += $3 == 1 }
		END { print before, after }')
	expect "frames of 1 among 200 before" "$before" ">=" 99
	expect "frames of 1 among 200 before" "$before" "<=" 101
	expect "frames of 1 among 400 after" "$after" ">=" 299
	expect "frames of 1 among 400 after" "$after" "<=" 301
}

# through_filter CLASS [ACTION...]: ten frames of priority 3 from h1 by p1 and p2 to h2
through_filter() {
	star 2
	port sw p1 pfc 3
	port sw p2 pfc 3
	tc -n sw filter add dev p2 parent 1: protocol ip flower ip_proto udp "$@"
	listen h2 e /tmp/heard print 0 quiet $((NS_PER_S / 10))
	on h1 "$SELFTESTS/bin/frame" send e dst "$(host_mac 2)" dscp 24 size 1000 count 10
	wait
}

# A tc filter moves frames to another queue; what they are charged to stays where they came from
filter_moves_the_queue_but_not_the_pg() {
	through_filter classid 1:6
	expect "frames" "$(heard /tmp/heard frames)" == 10
	expect_stat sw p2 5.packets == 10
	expect_stat sw p2 3.packets == 0
	expect_stat sw p2 5.local_bytes == 0
	expect_stat sw p1 3.guaranteed_peak_bytes == 1000
	expect_stat sw p1 5.guaranteed_peak_bytes == 0
	expect_drained sw p1 p2
}

filter_without_a_class_of_ours_is_ignored() {
	through_filter classid 1:9
	expect "frames" "$(heard /tmp/heard frames)" == 10
	expect_stat sw p2 3.packets == 10
}

filter_that_drops_charges_nothing() {
	through_filter classid 1:6 action drop
	expect "frames" "$(heard /tmp/heard frames)" == 0
	expect_stat sw p2 drops == 10
	expect_stat sw p1 3.guaranteed_peak_bytes == 0
	expect_drained sw p1 p2
}

# An action that takes a frame away is no drop
filter_that_redirects_is_no_drop() {
	through_filter action mirred egress redirect dev p1
	expect "frames" "$(heard /tmp/heard frames)" == 0
	expect_stat sw p2 drops == 0
	expect_stat sw p2 packets == 0
	expect_stat sw p1 packets == 10
	expect_drained sw p1 p2
}

run_tests strict_7_before_6_before_weighted strict_frame_goes_next configured_strict_priorities weights_share_bytes \
	weights_reach_1000 paused_queue_claims_nothing idle_queue_claims_nothing weights_can_change_under_load \
	filter_moves_the_queue_but_not_the_pg filter_without_a_class_of_ours_is_ignored filter_that_drops_charges_nothing \
	filter_that_redirects_is_no_drop
