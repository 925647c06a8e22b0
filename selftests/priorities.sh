#!/bin/bash
# machine: uml-exact
# timeout: 600
#
# A pause holds the priorities that it names and no other: the others lose not a nanosecond of the link.
#
#     h1 e (the port under test, 100 Mbit/s, eight priorities of equal weight) --- p1 sw p2 --- h2

# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

# Pauses hold queues here for longer than the watchdog would let them
PORT_OPTIONS=(watchdog off)

FRAME=1000
WIRE_NS=$(((FRAME + 24) * 80))	# at 100 Mbit/s
QUANTUM_NS=5120
LONG=60000			# quanta: longer than all frames of a test together
EACH=30				# frames of each priority
ALL=0,1,2,3,4,5,6,7

weights() {
	local i
	for i in 0 1 2 3 4 5 6 7; do
		echo "prio $i weight 1"
	done
}

# under_test OPTION...: make h1's e the port
under_test() {
	star 2
	# shellcheck disable=SC2046 # several words are meant
	port h1 e rate 100mbit "$@" $(weights)
}

# round MASK TIMES: record at the other end of the link; the pause comes first, then all queues are filled at one moment, flow
# P + 1 with priority P
round() {
	local i senders=()
	listen sw p1 /tmp/seen quiet 1000000000
	PAUSED_AT=$(($(now) + 100000000))
	FILLED_AT=$((PAUSED_AT + 1000000))
	frame -n sw send p1 dst 01:80:c2:00:00:01 kind pfc vector "$1" times "$2" at $PAUSED_AT &
	senders+=($!)
	for i in 0 1 2 3 4 5 6 7; do
		frame -n h1 send e dst "$(host_mac 2)" dscp $((8 * i)) size $FRAME count $EACH at $FILLED_AT \
			flow $((i + 1)) &
		senders+=($!)
	done
	wait "${senders[@]}"
}

# times QUANTA PRIORITY...: for `pause`
times() {
	local quanta=$1 i list=""
	shift
	for i in 0 1 2 3 4 5 6 7; do
		case " $* " in *" $i "*) list+=,$quanta ;; *) list+=,0 ;; esac
	done
	echo "${list#,}"
}

# seen: "TIME PRIORITY" of each frame, from the listener's record
seen() {
	awk 'length($3) > 100 { print $1, substr($3, 92, 1) - 1 }' /tmp/seen
}

# counts FROM TO: how many of these frames, counted from 1, each priority has: eight numbers
counts() {
	seen | awk -v from="$1" -v to="$2" 'NR >= from && NR <= to { n[$2]++ }
		END { for (i = 0; i < 8; i++) print n[i] + 0 }' | xargs
}

# Waits for the listener: each frame of every priority has arrived
expect_all_seen() {
	wait "$LISTENER"
	expect_text "frames of each priority" "$(counts 1 1000000)" "$EACH $EACH $EACH $EACH $EACH $EACH $EACH $EACH"
	expect "frames out of order" "$(heard /tmp/seen reordered)" == 0
	expect_stat h1 e drops == 0
	expect_drained h1 e
}

# expect_back_to_back FIRST LAST: these frames, counted from 1, left without a pause between two
expect_back_to_back() {
	local taken
	taken=$(seen | awk -v from="$1" -v to="$2" 'NR == from { first = $1 } NR == to { printf "%.0f", $1 - first }')
	expect "time from frame $1 to frame $2" "$taken" == $((($2 - $1) * WIRE_NS))
}

# expect_equal_shares EACH PAUSED...: so many frames of each other priority left first, to one frame; of a paused one none
expect_equal_shares() {
	local each=$1 i count number=0
	shift
	for count in $(counts 1 $((each * (8 - $#)))); do
		i=$number number=$((number + 1))
		case " $* " in
		*" $i "*) expect "early frames of paused priority $i" "$count" == 0 ;;
		*) expect "distance of priority $i from its share" $(((count - each) ** 2)) '<=' 1 ;;
		esac
	done
}

# pause_end QUANTA
pause_end() {
	echo $((PAUSED_AT + $1 * QUANTUM_NS))
}

# expect_start PRIORITY TIME: of its first frame
expect_start() {
	expect "start of priority $1" "$(seen | awk -v p="$1" '$2 == p { print $1; exit }')" == "$2"
}

# The seven others share the whole link, and the paused one begins when its pause ends, to the nanosecond
each_alone() {
	local paused
	under_test pfc $ALL
	for paused in 0 1 2 3 4 5 6 7; do
		round $((1 << paused)) "$(times $LONG $paused)"
		expect_stat h1 e $paused.is_paused == 1
		expect_all_seen
		expect_equal_shares $((EACH / 2)) $paused
		expect_back_to_back 1 $((7 * EACH))
		expect_start $paused "$(pause_end $LONG)"
		expect_back_to_back $((7 * EACH + 1)) $((8 * EACH))
		expect_stat h1 e $paused.pfc_rx == 1
		expect_stat h1 e $paused.txwait_ns == $((PAUSED_AT + LONG * QUANTUM_NS - FILLED_AT))
	done
}

# Two pauses in one frame, of different length: each queue by its own
two_at_once() {
	local short=$((LONG / 2))
	under_test pfc $ALL
	round 0x24 0,0,$short,0,0,$LONG,0,0
	expect_all_seen
	expect_equal_shares $((EACH / 2)) 2 5
	expect_back_to_back 1 $((6 * EACH))
	expect_start 2 "$(pause_end $short)"
	expect_start 5 "$(pause_end $LONG)"
	expect_back_to_back $((6 * EACH + 1)) $((7 * EACH))
	expect_stat h1 e 2.txwait_ns == $((PAUSED_AT + short * QUANTUM_NS - FILLED_AT))
	expect_stat h1 e 5.txwait_ns == $((PAUSED_AT + LONG * QUANTUM_NS - FILLED_AT))
}

# A resume in the middle sets free what it names: priority 2 of two
one_resumed() {
	local resume_at
	under_test pfc $ALL
	resume_at=$(($(now) + 300000000))
	frame -n sw send p1 dst 01:80:c2:00:00:01 kind pfc vector 0x04 times 0,0,0,0,0,0,0,0 at $resume_at &
	round 0x24 0,0,$LONG,0,0,$LONG,0,0
	expect_all_seen
	expect_start 2 $resume_at
	expect_start 5 "$(pause_end $LONG)"
}

# expect_unpaused PRIORITY: its pause was counted, and it got its equal share at once
expect_unpaused() {
	expect_all_seen
	expect_equal_shares $((EACH / 2))
	expect_back_to_back 1 $((8 * EACH))
	expect_stat h1 e "$1.pfc_rx" == 1
	expect_stat h1 e "$1.pfc_ignored" == 1
	expect_stat h1 e "$1.txwait_ns" == 0
}

lossy_priority_is_not_stopped() {
	under_test pfc 3
	round 0x10 "$(times $LONG 4)"
	expect_stat h1 e 4.is_paused == 0
	expect_unpaused 4
}

pfc_rx_none_stops_nothing() {
	under_test pfc 3 pfc-rx none
	round 0x08 "$(times $LONG 3)"
	expect_stat h1 e 3.is_paused == 0
	expect_unpaused 3
}

# Through a switch whose egress is paused for priority 3: the flows of the seven others arrive as regularly as they were sent, and
# only priority 3 is paused upstream
seven_flow_through() {
	local gap=$((10 * WIRE_NS)) count=200 i regular
	star 2
	port h1 e rate 100mbit pfc $ALL
	port sw p1 rate 100mbit pfc $ALL
	port sw p2 rate 100mbit pfc $ALL
	lossless -n sw buffer set size 1500000
	listen h2 e /tmp/seen quiet 1000000000
	PAUSED_AT=$(($(now) + 100000000)) FILLED_AT=$((PAUSED_AT + 1000000))
	send_pfc 2 8 "$(times 65535 3)" at $PAUSED_AT
	for i in 0 1 2 3 4 5 6 7; do
		frame -n h1 send e dst "$(host_mac 2)" dscp $((8 * i)) size $FRAME flow $((i + 1)) \
			count $count gap $gap at $((FILLED_AT + i * WIRE_NS)) &
	done
	wait_until 10 stat_is sw p1 3.xoff '>' 0
	expect_stat h1 e 3.is_paused == 1
	wait "$LISTENER"
	regular=$(seen | awk -v first=$FILLED_AT -v wire=$WIRE_NS -v gap=$gap '
		$1 == first + $2 * wire + gap * n[$2] { n[$2]++ }
		END { for (i = 0; i < 8; i++) if (i != 3) print n[i] + 0 }' | xargs)
	expect_text "frames on time" "$regular" "$count $count $count $count $count $count $count"
	for i in 0 1 2 4 5 6 7; do
		expect_stat sw p1 $i.pfc_tx == 0
		expect_stat h1 e $i.txwait_ns == 0
	done
	expect "frames of priority 3" "$(seen | awk '$2 == 3' | wc -l)" == $count
	expect_start 3 "$(pause_end 65535)"
	expect_stat sw p1 3.headroom_drops == 0
	expect_drained sw p1 p2
}

run_tests each_alone two_at_once one_resumed lossy_priority_is_not_stopped pfc_rx_none_stops_nothing seven_flow_through
