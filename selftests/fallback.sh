#!/bin/bash
# machine: uml-exact
# timeout: 600
#
# Pauses that cannot be transmitted directly still go out, and so do their resumes: by a bottom half where a port must not or was told
# not to, by a retry where the device would not.

# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

# Pauses hold queues here for longer than the watchdog would let them
PORT_OPTIONS=(watchdog off)

DIRECT=/sys/module/sch_lossless/parameters/direct
FRAME=1000
SIZES="guaranteed 3000 static xoff 6000 xon 5000 headroom 20000"
RETRY_NS=100000	# within which a pause that the device would not send is tried again

# incast PORT...: h1 and h2 send to h3 through sw with these ports, the last one slow; all of it arrives
incast() {
	local i listeners
	listen h1 e /tmp/h1 type 0x8808 quiet 1000000000
	listeners=("$LISTENER")
	listen h3 e /tmp/h3 print 0 quiet 1000000000
	listeners+=("$LISTENER")
	for i in 1 2; do
		data $i 3 3 $FRAME count 300 flow $i &
	done
	wait "${listeners[@]}"
	expect "frames received" "$(heard /tmp/h3 frames)" == 600
	expect "frames out of order" "$(heard /tmp/h3 reordered)" == 0
	expect_no_foreign_drops
	for i in "$@"; do
		expect_stat sw "$i" drops == 0
		expect_stat sw "$i" 3.headroom_drops == 0
	done
	expect_drained sw "$@"
}

# expect_pauses_answered PORT: what h1 heard of it begins with a pause and ends with its resume
expect_pauses_answered() {
	expect_stat sw "$1" 3.pfc_tx '>' 0
	expect_stat sw "$1" 3.pfc_tx_resumes '>' 0
	expect_stat sw "$1" 3.is_xoff == 0
	expect "pauses heard" "$(pauses /tmp/h1 | grep -c '3=ffff')" == "$(stat_of sw "$1" 3.pfc_tx)"
	expect_text "first word" "$(pauses /tmp/h1 | awk 'NR == 1 { print $2 }')" 3=ffff
	expect_text "last word" "$(pauses /tmp/h1 | awk 'END { print $2 }')" 3=0000
	expect_stat h1 e 3.is_paused == 0
	expect_stat h1 e 3.txwait_ns '>' 0
}

# ports DEV...: of sw, the last one at a tenth of the rate, and the hosts' ends
ports() {
	local i
	for i in "$@"; do
		# shellcheck disable=SC2086 # words
		port sw "$i" rate 100mbit prio 3 $SIZES
	done
	tc -n sw qdisc change dev "${!#}" root lossless rate 10mbit
	for i in 1 2; do
		port h$i e rate 100mbit
	done
	port h3 e rate 10mbit
}

# By the module's parameter: the direct way is not taken
bottom_half_only() {
	star 3
	ports p1 p2 p3
	echo 0 > $DIRECT
	incast p1 p2 p3
	expect_pauses_answered p1
	expect_stat sw p1 pfc_deferred == 0
}

# With no time for the CPU a bottom half is as early as the direct way: in the nanosecond of the frame that crosses
pause_time() {
	local start
	start=$(($(now) + 100000000))
	listen h1 e /tmp/pause type 0x8808 until $((start + 20000000))
	hold 3
	data 1 3 3 $FRAME count 6 gap 10000 at $start
	wait "$LISTENER"
	pauses /tmp/pause $start | head -n 1
	let_go 3
	wait_until 5 stat_is sw p3 qlen == 0
}

bottom_half_is_as_early() {
	star 3
	# shellcheck disable=SC2086 # words
	port sw p1 rate 100mbit prio 3 $SIZES
	port sw p3 rate 100mbit
	expect_text "direct" "$(pause_time)" "50000 3=ffff"
	echo 0 > $DIRECT
	expect_text "from a bottom half" "$(pause_time)" "50000 3=ffff"
}

# stack KIND DEV LOWER [OPTION...]: DEV takes LOWER's place in sw's bridge
stack() {
	local kind=$1 dev=$2 lower=$3
	shift 3
	ip -n sw link set "$lower" nomaster
	if [ "$kind" = bond ]; then
		ip -n sw link add "$dev" type bond "$@"
		ip -n sw link set "$lower" down
		ip -n sw link set "$lower" master "$dev"
	else
		ip -n sw link add "$dev" link "$lower" type "$kind" "$@"
	fi
	ip -n sw link set "$lower" up
	ip -n sw link set "$dev" up
	wait_until 10 eval "ip -n sw link show $dev | grep -q LOWER_UP" || fail "$dev has no carrier"
	ip -n sw link set "$dev" master br0
	ip -n sw link set "$dev" type bridge_slave learning off flood off mcast_flood off
}

know() {
	command bridge -n sw fdb replace "$(host_mac "$1")" dev "$2" master static
}

# A stacked device passes frames on through another device's qdisc, whose lock may be the one that is held
stacked() {
	local kind=$1
	shift
	star 3
	stack "$kind" up1 p1 "$@"
	stack "$kind" up3 p3 "$@"
	know 1 up1
	know 3 up3
	ports up1 p2 up3
	incast up1 p2 up3
	expect_pauses_answered up1
	honours_pauses up3
	resumes_when_down up1
	resumes_when_deleted up1
}

# hold_port PORT: h3 pauses it. By its own address, which is as good: macvlan keeps MAC Control frames to the group from its ports
hold_port() {
	hold 3 dst "$(port_mac 3)"
	wait_until 5 stat_is sw "$1" 3.is_paused == 1 || fail "$1 does not hear the pause"
}

let_port_go() {
	let_go 3 dst "$(port_mac 3)"
	wait_until 5 stat_is sw "$1" qlen == 0 || fail "the resume of $1 has no effect"
}

honours_pauses() {
	local before
	before=$(stat_of sw "$1" 3.packets)
	hold_port "$1"
	data 1 3 3 $FRAME count 2
	wait_until 1 stat_is sw "$1" qlen == 2 || fail "$1 holds nothing"
	let_port_go "$1"
	expect_stat sw "$1" 3.packets == $((before + 2))
}

# xoff PORT: h1 is paused by it, since up3 holds its frames
xoff() {
	hold_port up3
	data 1 3 3 $FRAME count 8
	wait_until 1 stat_is sw "$1" 3.is_xoff == 1 || fail "$1 has no XOFF"
	expect "h1 paused by $1" "$(stat_of h1 e 3.is_paused)" == 1
}

resumes_when_down() {
	xoff "$1"
	ip -n sw link set "$1" down
	expect "h1 still paused after $1 is down" "$(stat_of h1 e 3.is_paused)" == 0
	ip -n sw link set "$1" up
	wait_until 5 eval "ip -n sw link show $1 | grep -q LOWER_UP" || fail "$1 has no carrier"
	expect "h1 paused again after $1 is up" "$(stat_of h1 e 3.is_paused)" == 1
	let_port_go up3
	expect_stat sw "$1" 3.is_xoff == 0
	expect_stat h1 e 3.is_paused == 0
}

resumes_when_deleted() {
	xoff "$1"
	tc -n sw qdisc del dev "$1" root
	expect "h1 still paused after $1's qdisc is gone" "$(stat_of h1 e 3.is_paused)" == 0
	let_port_go up3
	expect_drained sw up3
}

stacked_bond() {
	stacked bond mode active-backup miimon 100
}

stacked_macvlan() {
	stacked macvlan mode passthru
}

# A veth with NAPI has a ring of 256 slots and answers TX_BUSY when it is full. Its thread has to wait for real-time processes: in the
# moment START, in which `fill_ring` and what is done `at_start` run, p1 can send nothing more.
busy_link() {
	star 3
	on sw ethtool -K p1 tso off
	on h1 ethtool -K e gro on
	on h1 sh -c 'echo 1 > /sys/class/net/e/threaded'
	# shellcheck disable=SC2086 # words
	port sw p1 prio 3 $SIZES
	port sw p3 rate 100mbit
	port h1 e
	hold 3
	listen h1 e /tmp/h1 type 0x8808
	START=$(($(now) + 200000000))
	in_real_time 50 data 2 1 0 $FRAME count 300 at "$START"
}

# in_real_time PRIORITY COMMAND...: in the background; the higher of two in one moment goes first
in_real_time() {
	local priority=$1
	shift
	(chrt -f -p "$priority" $BASHPID; "$@") &
}

at_start() {
	in_real_time 40 "$@" at "$START"
}

# expect_sent WORD...: what p1 said, nothing of it is stuck: the 300 frames are through, h1 is free
expect_sent() {
	frame until $((START + 10000000))
	kill "$LISTENER"
	wait "$LISTENER"
	expect_text "what p1 sent" "$(pauses /tmp/h1 "$START" | cut -d ' ' -f 2 | xargs)" "$*"
	expect_stat sw p1 pfc_deferred '>=' 1
	expect_stat sw p1 0.packets == 300
	expect_stat h1 e 3.is_paused == 0
	expect_drained sw p1 p3
}

# expect_retried LINE: this one left soon after START, but not in it
expect_retried() {
	local at
	at=$(pauses /tmp/h1 "$START" | awk -v line="$1" 'NR == line { print $1 }')
	expect "time of pause $1" "$at" '>' 0
	expect "time of pause $1" "$at" '<=' $RETRY_NS
}

pause_is_retried() {
	busy_link
	data 1 3 3 $FRAME count 3
	at_start data 1 3 3 $FRAME count 3
	let_go 3 at $((START + 1000000))
	expect_sent 3=ffff 3=0000 3=0000
	expect_retried 1
}

# The repetition is counted from the resume that went out
resume_is_retried() {
	busy_link
	data 1 3 3 $FRAME count 6 at $((START - 1000000))
	at_start let_go 3
	expect_sent 3=ffff 3=0000 3=0000
	expect_retried 2
	expect "time to the repetition" "$(pauses /tmp/h1 | awk '{ d = $1 - last; last = $1 } END { print d }')" == 1000000
}

# XOFF and XON before the pause could be sent: nothing is left to say
nothing_left_to_say() {
	busy_link
	data 1 3 3 $FRAME count 5
	at_start data 1 3 3 $FRAME
	in_real_time 30 let_go 3 at "$START"
	expect_sent
	expect_stat sw p1 3.xoff == 1
}

run_tests bottom_half_only bottom_half_is_as_early stacked_bond stacked_macvlan \
	pause_is_retried resume_is_retried nothing_left_to_say
