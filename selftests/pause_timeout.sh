#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact
# timeout: 600
#
# What bounds the harm of pauses beside the storm itself: the pause timeout of a whole port, the age that a
# priority's frames may reach, and the peer that is believed no longer.
#
# Host 1 sends to host 2 through p2, and host 2 pauses p2. Times are nanoseconds after START, and exact. At p2's
# 1 Gbit/s a quantum is 512 ns; a frame of 1000 bytes takes 8.2 us.
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

MS=1000000
LONGEST=65535	# quanta: 33.6 ms

# --- topology and traffic ----------------------------------------------------

# slow_peer [OPTION...]: a switch whose p2 has these options; host 2 listens
slow_peer() {
	star 3
	port sw p1
	port sw p3 rate 1gbit watchdog off
	port sw p2 rate 1gbit "$@"
	listen h2 e /tmp/h2 type 0x0800
	START=$(($(now) + 10 * MS))
}

# again OPTION...: as slow_peer, in another round of the same test
again() {
	teardown
	module_load
	slow_peer "$@"
}

# All of the following are sent in the background, at their time. "Later" is 2 ns: who sleeps until T is woken
# at T - 1 if another timer is there.

# pause HOST TIME QUANTA [VECTOR]: pauses or resumes these priorities of the host's port, all by default
pause() {
	send_pfc "$1" "${4:-0xff}" "$3,$3,$3,$3,$3,$3,$3,$3" at $((START + $2)) &
}

# link_pause TIME QUANTA: the whole link of 802.3x
link_pause() {
	frame -n h2 send e dst 01:80:c2:00:00:01 kind pause time "$2" at $((START + $1)) &
}

# frames PRIORITY TIME [COUNT]: of 1000 bytes, from host 1 to host 2, all at this time
frames() {
	data 1 2 "$1" 1000 at $((START + $2)) gap 0 count "${3:-1}" &
}

at() {
	frame until $((START + $1))
}

# arrivals TIME: what host 2 has heard until this time, a line for each frame: TIME PRIORITY
arrivals() {
	end "$1"
	awk -v start="$START" '/^[0-9]/ {
		print $1 - start, int((index("0123456789abcdef", substr($3, 31, 1)) - 1) / 2)
	}' /tmp/h2
}

expect_arrivals() {
	local time=$1
	shift
	expect_lines "what host 2 heard" "$(arrivals "$time")" "$@"
}

# expect_timeouts COUNT DROPS: of p2, which is over them
expect_timeouts() {
	expect_stat sw p2 pause_timeouts == "$1"
	expect_stat sw p2 pause_timeout_drops == "$2"
	expect_stat sw p2 drops == "$2"
	expect_stat sw p2 is_timed_out == 0
	expect_drained sw p1 p2 p3
}

# --- pause-timeout -----------------------------------------------------------

# Scenario: the pause comes first, frames make p2 blocked 1 us later. Action: a resume 1 ns before 5 ms have
# passed. Bound: all frames go; 2 ns later: all are dropped.
exact_time() {
	slow_peer pfc 0-7 watchdog off pause-timeout 5ms
	pause 2 0 $LONGEST
	frames 3 1000 2
	pause 2 $((1000 + 5 * MS - 1)) 0
	expect_arrivals $((20 * MS)) "5000999 3" "5009191 3"
	expect_timeouts 0 0
	again pfc 0-7 watchdog off pause-timeout 5ms
	pause 2 0 $LONGEST
	frames 3 1000 2
	pause 2 $((1000 + 5 * MS + 2)) 0
	expect_arrivals $((20 * MS)) ""
	expect_timeouts 1 2
}

# The frames come first, and the pause finds them: the time counts from the last one that left. At most one frame
# is on the wire when the pause comes.
exact_time_of_a_pause() {
	slow_peer pfc 0-7 watchdog off pause-timeout 5ms
	frames 3 0 3
	pause 2 1000 $LONGEST
	pause 2 $((1000 + 5 * MS - 1)) 0
	expect_arrivals $((20 * MS)) "0 3" "5000999 3" "5009191 3"
	expect_timeouts 0 0
	again pfc 0-7 watchdog off pause-timeout 5ms
	frames 3 0 3
	pause 2 1000 $LONGEST
	pause 2 $((1000 + 5 * MS + 2)) 0
	expect_arrivals $((20 * MS)) "0 3"
	expect_timeouts 1 2
}

# Frames that come while it lasts are dropped, of every priority, until the pause has passed: the last 1 ns before
# that, none 2 ns after it. Nothing is held then.
until_expiry() {
	local end=$((20000 * 512))
	slow_peer pfc 0-7 watchdog off pause-timeout 5ms
	pause 2 0 20000
	frames 3 0 2
	frames 0 $((7 * MS)) 4
	frames 3 $((end - 1))
	frames 3 $((end + 2))
	frames 0 $((end + MS))
	at $((6 * MS))
	expect_stat sw p2 is_timed_out == 1
	expect_stat sw p2 qlen == 0
	expect_arrivals $((20 * MS)) "$((end + 2)) 3" "$((end + MS)) 0"
	expect_timeouts 1 7
	expect_stat sw p2 3.is_paused == 0
}

until_resume() {
	slow_peer pfc 0-7 watchdog off pause-timeout 5ms
	pause 2 0 $LONGEST
	frames 3 0 2
	frames 5 $((8 * MS - 1)) 3
	pause 2 $((8 * MS)) 0
	frames 3 $((8 * MS + 2))
	expect_arrivals $((20 * MS)) "8000002 3"
	expect_timeouts 1 5
}

# Refreshed pauses prolong it to the end of the last one
until_the_last_refresh_expires() {
	local i end=$((5 * 8 * MS + LONGEST * 512))
	slow_peer pfc 0-7 watchdog off pause-timeout 5ms
	pause 2 0 $LONGEST
	frames 3 0 2
	for i in 1 2 3 4 5; do
		pause 2 $((i * 8 * MS)) $LONGEST
		frames 3 $((i * 8 * MS + 2))
	done
	frames 3 $((end - 1))
	frames 3 $((end + 2))
	expect_arrivals $((100 * MS)) "$((end + 2)) 3"
	expect_timeouts 1 8
}

# A later pause that is shorter ends it earlier
until_a_shortened_pause_expires() {
	local end=$((6 * MS + 1000 * 512))
	slow_peer pfc 0-7 watchdog off pause-timeout 5ms
	pause 2 0 $LONGEST
	frames 3 0 2
	pause 2 $((6 * MS)) 1000
	frames 3 $((end - 1))
	frames 3 $((end + 2))
	expect_arrivals $((50 * MS)) "$((end + 2)) 3"
	expect_timeouts 1 3
}

# After it, the time begins anew: held for 1 ns less than the timeout, frames go
begins_anew() {
	slow_peer pfc 0-7 watchdog off pause-timeout 5ms
	pause 2 0 10000
	frames 3 0
	pause 2 $((6 * MS)) $LONGEST
	pause 2 $((7 * MS)) 0
	pause 2 $((8 * MS)) $LONGEST
	frames 3 $((8 * MS)) 2
	pause 2 $((13 * MS - 1)) 0
	pause 2 $((14 * MS)) $LONGEST
	frames 3 $((14 * MS)) 3
	pause 2 $((19 * MS + 2)) 0
	expect_arrivals $((30 * MS)) "12999999 3" "13008191 3"
	expect_timeouts 2 4
}

# The whole link is paused as 802.3x has it
link_pauses() {
	slow_peer pfc none llfc on watchdog off pause-timeout 5ms
	link_pause 0 $LONGEST
	frames 0 1000 2
	frames 6 $((5 * MS + 1001))
	link_pause $((6 * MS)) 0
	frames 0 $((6 * MS + 2))
	link_pause $((10 * MS)) $LONGEST
	frames 0 $((10 * MS))
	link_pause $((15 * MS - 1)) 0
	link_pause $((20 * MS)) $LONGEST
	frames 0 $((20 * MS))
	link_pause $((25 * MS + 2)) 0
	expect_arrivals $((30 * MS)) "6000002 0" "14999999 0"
	expect_timeouts 2 4
}

# What enters by the port, and other ports, paused or not, are not concerned
no_other_port() {
	slow_peer pfc 0-7 watchdog off pause-timeout 5ms
	port sw p3 rate 1gbit pfc 0-7 watchdog off
	pause 2 0 $LONGEST
	pause 3 0 $LONGEST
	frames 3 0 2
	data 1 3 3 1000 at "$START" gap 0 count 4 &
	at $((6 * MS))
	expect_stat sw p2 is_timed_out == 1
	expect_stat sw p3 is_timed_out == 0
	expect_stat sw p3 qlen == 4
	data 2 1 3 1000 count 5
	expect_stat sw p1 3.packets == 5
	at $((40 * MS))
	expect_stat sw p3 3.packets == 4
	expect_stat sw p3 drops == 0
	expect_stat sw p1 drops == 0
	expect_timeouts 1 2
}

# Two priorities are held: the end of the first pause ends it, the other one is held by its pause as before
first_end_ends_it() {
	local end=$((20000 * 512))
	slow_peer pfc 3,4 watchdog off pause-timeout 5ms
	pause 2 0 20000 0x08
	pause 2 0 40000 0x10
	frames 3 0 2
	frames 4 0 2
	frames 4 $((end - 1))
	frames 4 $((end + 2)) 2
	frames 3 $((end + 4))
	pause 2 $((end + MS)) 0 0x10
	expect_arrivals $((30 * MS)) "$((end + 4)) 3" "$((end + MS)) 4" "$((end + MS + 8192)) 4"
	expect_timeouts 1 5
}

# trickle RESUME: a frame of priority 3 is held from 0 to RESUME; one of priority 0 leaves 1 ns before each timeout,
# the last one at 20 ms - 4
trickle() {
	local i
	pause 2 0 $LONGEST 0x08
	frames 3 0
	for i in 1 2 3 4; do
		frames 0 $((i * (5 * MS - 1)))
	done
	pause 2 "$1" 0 0x08
	at $((40 * MS))
}

# Frames of a priority that is not paused keep leaving: no timeout. The last one begins the time.
another_priority_goes_on() {
	slow_peer pfc 3 watchdog off pause-timeout 5ms
	trickle $((25 * MS - 5))
	expect_stat sw p2 0.packets == 4
	expect_stat sw p2 3.packets == 1
	expect_timeouts 0 0
	again pfc 3 watchdog off pause-timeout 5ms
	trickle $((25 * MS - 2))
	expect_stat sw p2 0.packets == 4
	expect_timeouts 1 1
}

# busy_wire RESUME: three frames of 10 ms at 1 Mbit/s, and one of priority 3 that is held from 0 to RESUME
busy_wire() {
	port sw p2 rate 1mbit
	pause 2 0 $LONGEST 0x08
	data 1 2 0 1226 at $((START + 10)) gap 0 count 3 &
	frames 3 20
	pause 2 "$1" 0 0x08
	expect_arrivals $((50 * MS)) "10 0" "10000010 0" "20000010 0" "${@:2}"
}

# A frame that waits for the wire, and not for a pause, keeps the time from beginning. The last one leaves at 20 ms.
busy_wire_is_no_pause() {
	slow_peer pfc 3 watchdog off pause-timeout 5ms
	busy_wire $((25 * MS + 9)) "30000010 3"
	expect_timeouts 0 0
	again pfc 3 watchdog off pause-timeout 5ms
	busy_wire $((25 * MS + 12))
	expect_timeouts 1 1
}

# Frames wait, and nothing pauses the port; or it is paused, and nothing waits
needs_both() {
	slow_peer pfc 0-7 watchdog off pause-timeout 1ms
	pause 2 0 $LONGEST
	frames 3 $((5 * MS))
	pause 2 $((6 * MS - 1)) 0
	frames 3 $((7 * MS)) 1000
	expect_arrivals $((16 * MS)) "5999999 3" "$(seq -f '%.0f 3' $((7 * MS)) 8192 $((7 * MS + 999 * 8192)))"
	expect_timeouts 0 0
}

# The timeout is switched off, changed, and switched on while the port is blocked
changed_meanwhile() {
	slow_peer pfc 0-7 watchdog off pause-timeout 5ms
	pause 2 0 $LONGEST
	frames 3 0 2
	frames 3 $((7 * MS)) 2
	pause 2 $((30 * MS)) 0
	frames 3 $((30 * MS + 2))
	at $((6 * MS))
	tc -n sw qdisc change dev p2 root lossless pause-timeout off
	expect_stat sw p2 is_timed_out == 0
	at $((20 * MS))
	expect_stat sw p2 qlen == 2
	tc -n sw qdisc change dev p2 root lossless pause-timeout 10ms
	at $((29 * MS))
	expect_stat sw p2 qlen == 2
	tc -n sw qdisc change dev p2 root lossless pause-timeout 9001us
	at $((29 * MS + 2000))
	expect_stat sw p2 is_timed_out == 1
	expect_arrivals $((50 * MS)) "30000002 3"
	expect_timeouts 2 4
}

# A flap ends it with the pauses
link_flaps() {
	slow_peer pfc 0-7 watchdog off pause-timeout 5ms
	pause 2 0 $LONGEST
	frames 3 0 2
	at $((6 * MS))
	ip -n sw link set p2 down
	expect_stat sw p2 is_timed_out == 0
	ip -n sw link set p2 up
	wait_until 5 eval "command bridge -n sw link show dev p2 | grep -q forwarding"
	data 1 2 3 1000
	wait_until 5 stat_is sw p2 3.packets == 1 || fail "priority 3 does not flow"
	expect_timeouts 1 2
}

# The frames that are dropped leave their PG, and its upstream is resumed at once
upstream_is_resumed() {
	slow_peer pfc 3 watchdog off pause-timeout 5ms
	port sw p1 rate 1gbit prio 3 guaranteed 3k static xoff 12k xon 6k
	listen h1 e /tmp/h1 type 0x8808
	pause 2 0 $LONGEST 0x08
	frames 3 0 13
	pause 2 $((8 * MS)) 0 0x08
	at $((4 * MS))
	expect_stat sw p1 3.is_xoff == 1
	end $((7 * MS))
	expect_lines "what host 1 heard" "$(pauses /tmp/h1 "$START")" "0 3=ffff" "5000000 3=0000" "6000000 3=0000"
	at $((9 * MS))
	expect_timeouts 1 13
}

# --- with the watchdog -------------------------------------------------------

# both OPTION...: blocked from 0 to 20 ms, with a frame at 10 ms; pause-timeout is 5 ms
both() {
	again pfc 0-7 pause-timeout 5ms watchdog restore auto 1s "$@"
	pause 2 0 $LONGEST
	frames 3 0 2
	frames 3 $((10 * MS))
	pause 2 $((20 * MS)) 0
	at $((21 * MS))
}

# The watchdog is first: what it does leaves nothing for the timeout, except when it only tells
watchdog_is_first() {
	both detect 2ms action drop
	expect_stat sw p2 3.storms == 1
	expect_stat sw p2 3.drained == 2
	expect_stat sw p2 3.dropped == 1
	expect_stat sw p2 pause_timeouts == 0
	both detect 2ms action forward
	expect_stat sw p2 3.storms == 1
	expect_arrivals $((30 * MS)) "2000000 3" "2008192 3" "10000000 3"
	expect_timeouts 0 0
	both detect 2ms action alert
	expect_stat sw p2 3.storms == 1
	expect_stat sw p2 3.drained == 0
	expect_stat sw p2 3.dropped == 0
	expect_timeouts 1 3
}

# The timeout is first: nothing is left to be blocked. Off, the watchdog sees nothing.
timeout_is_first() {
	both detect 8ms
	expect_stat sw p2 3.storms == 0
	expect_timeouts 1 3
	again pfc 0-7 watchdog off pause-timeout 5ms
	pause 2 0 $LONGEST
	frames 3 0 2
	pause 2 $((20 * MS)) 0
	at $((21 * MS))
	expect_stat sw p2 3.storms == 0
	expect_timeouts 1 2
}

# --- max-age -----------------------------------------------------------------

# 100 us are allowed for priority 3, which is paused
aged() {
	slow_peer pfc 3,4 watchdog off prio 3 max-age 100us
	pause 2 0 $LONGEST 0x18
}

# held_for TIME: a frame of priority 3 and one of priority 4 wait for so long
held_for() {
	frames 4 1000
	frames 3 1000
	pause 2 $((1000 + $1)) 0 0x18
}

# Just as old as allowed it goes, 2 ns older it is dropped; the same of priority 4 goes
exact_age() {
	aged
	held_for 100000
	expect_arrivals $((10 * MS)) "101000 3" "109192 4"
	expect_stat sw p2 3.age_drops == 0
	again pfc 3,4 watchdog off prio 3 max-age 100us
	pause 2 0 $LONGEST 0x18
	held_for 100002
	expect_arrivals $((10 * MS)) "101002 4"
	expect_stat sw p2 3.age_drops == 1
	expect_stat sw p2 4.age_drops == 0
	expect_stat sw p2 drops == 1
	expect_drained sw p1 p2 p3
}

# Each frame has its own age: of three the two that came first are dropped
each_its_own() {
	aged
	frames 3 1000 2
	frames 3 11000
	pause 2 101005 0 0x18
	expect_arrivals $((10 * MS)) "101005 3"
	expect_stat sw p2 3.age_drops == 2
}

# More than one dequeue drops: the young frame behind 200 old ones goes at once. Without a rate, too.
young_behind_many() {
	aged
	frames 3 1000 200
	frames 3 300000
	pause 2 350000 0 0x18
	expect_arrivals $((10 * MS)) "350000 3"
	expect_stat sw p2 3.age_drops == 200
	expect_drained sw p1 p2 p3
}

# A frame that has no place on the wire ages as well: at 1 Gbit/s the 13th of 13 leaves after 98 us, the 14th after 106 us
queue_is_too_long() {
	slow_peer pfc none watchdog off prio 0 max-age 100us
	frames 0 0 20
	expect_arrivals $((10 * MS)) "$(seq -f '%.0f 0' 0 8192 98304)"
	expect_stat sw p2 0.age_drops == 7
	expect_drained sw p2
}

# Nobody knows how old frames are that were queued before an age was asked for
queued_before() {
	slow_peer pfc 3 watchdog off
	pause 2 0 $LONGEST 0x08
	frames 3 1000 2
	frames 3 $((3 * MS))
	pause 2 $((4 * MS)) 0 0x08
	at $((2 * MS))
	tc -n sw qdisc change dev p2 root lossless prio 3 max-age 100us
	expect_arrivals $((10 * MS)) "4000000 3" "4008192 3"
	expect_stat sw p2 3.age_drops == 1
}

# Switched off, no frame is too old
switched_off() {
	aged
	frames 3 1000 2
	pause 2 $((4 * MS)) 0 0x18
	at $((2 * MS))
	tc -n sw qdisc change dev p2 root lossless prio 3 max-age off
	expect_arrivals $((10 * MS)) "4000000 3" "4008192 3"
	expect_stat sw p2 3.age_drops == 0
}

# What is dropped leaves its PG, and its upstream is resumed at once
age_resumes_upstream() {
	aged
	port sw p1 rate 1gbit prio 3 guaranteed 3k static xoff 12k xon 6k
	listen h1 e /tmp/h1 type 0x8808
	frames 3 0 13
	pause 2 $((2 * MS)) 0 0x08
	at $((1 * MS))
	expect_stat sw p1 3.is_xoff == 1
	end $((4 * MS))
	expect_stat sw p2 3.age_drops == 13
	expect_lines "what host 1 heard" "$(pauses /tmp/h1 "$START")" "0 3=ffff" "2000000 3=0000" "3000000 3=0000"
	expect_drained sw p1 p2 p3
}

# --- untrust -----------------------------------------------------------------

# storm_at TIME: p2's priority 3 is in storm 2 ms after this time, and restored 1 ms later
storm_at() {
	pause 2 "$1" 5000 0x08
	frames 3 "$1"
	at $(($1 + 4 * MS))
}

UNTRUST="pfc 3,4 watchdog detect 2ms restore auto 1ms untrust 3 100ms"

# distrusted: the third storm within 100 ms
distrusted() {
	# shellcheck disable=SC2086 # words
	slow_peer $UNTRUST
	storm_at 0
	storm_at $((10 * MS))
	expect_stat sw p2 3.is_untrusted == 0
	storm_at $((20 * MS))
	expect_stat sw p2 3.is_untrusted == 1
}

# held HOST PRIORITY: its pauses are honoured; ignored HOST PRIORITY: they are not, but counted
held() {
	local before
	before=$(stat_of sw "p$1" "$2.packets")
	send_pfc "$1" $((1 << $2)) 100,100,100,100,100,100,100,100
	expect_stat sw "p$1" "$2.is_paused" == 1
	data 1 "$1" "$2" 1000
	expect_stat sw "p$1" "$2.packets" == "$before"
	wait_until 1 stat_is sw "p$1" "$2.packets" == $((before + 1)) || fail "p$1 holds priority $2 for ever"
}

ignored() {
	local pauses packets
	pauses=$(stat_of sw "p$1" "$2.pfc_rx")
	packets=$(stat_of sw "p$1" "$2.packets")
	send_pfc "$1" $((1 << $2)) $LONGEST,$LONGEST,$LONGEST,$LONGEST,$LONGEST,$LONGEST,$LONGEST,$LONGEST
	expect_stat sw "p$1" "$2.is_paused" == 0
	data 1 "$1" "$2" 1000
	expect_stat sw "p$1" "$2.pfc_rx" == $((pauses + 1))
	expect_stat sw "p$1" "$2.packets" == $((packets + 1))
}

# The third storm's frame is not dropped as those before, but goes; pauses have no effect, on this priority of
# this port only, however long none has come
third_storm() {
	distrusted
	ignored 2 3
	at $((5000 * MS))
	expect_stat sw p2 3.is_untrusted == 1
	ignored 2 3
	held 2 4
	port sw p3 rate 1gbit
	held 3 3
	expect_stat sw p2 3.storms == 3
	expect_stat sw p2 3.drained == 2
	check "the third storm's frame is heard when the storm is found" \
		grep -q "^22000000 3$" <<< "$(arrivals $((5100 * MS)))"
}

# The third storm comes 100 ms after the first, or 1 ns later, and then the second one no longer counts either
exact_span() {
	# shellcheck disable=SC2086 # words
	slow_peer $UNTRUST
	storm_at 0
	storm_at $((50 * MS))
	storm_at $((100 * MS))
	expect_stat sw p2 3.is_untrusted == 1
	# shellcheck disable=SC2086
	again $UNTRUST
	storm_at 0
	storm_at $((50 * MS))
	storm_at $((100 * MS + 2))
	expect_stat sw p2 3.is_untrusted == 0
	storm_at $((150 * MS + 2))
	expect_stat sw p2 3.is_untrusted == 0
	expect_stat sw p2 3.storms == 4
	expect_stat sw p2 3.restores == 4
	storm_at $((200 * MS + 2))
	expect_stat sw p2 3.is_untrusted == 1
}

# Storms far from each other never add up
far_apart() {
	local i
	# shellcheck disable=SC2086 # words
	slow_peer $UNTRUST
	for ((i = 0; i < 20; i++)); do
		storm_at $((i * 51 * MS))
	done
	expect_stat sw p2 3.is_untrusted == 0
	expect_stat sw p2 3.storms == 20
	expect_stat sw p2 3.restores == 20
}

# Each port and each priority has storms of its own
do_not_add_up() {
	# shellcheck disable=SC2086 # words
	slow_peer $UNTRUST
	storm_at 0
	storm_at $((10 * MS))
	pause 2 $((20 * MS)) 5000 0x10
	frames 4 $((20 * MS))
	at $((24 * MS))
	expect_stat sw p2 4.storms == 1
	expect_stat sw p2 3.is_untrusted == 0
	expect_stat sw p2 4.is_untrusted == 0
}

# Neither a flap of the link nor other options make it trust the peer again
survives() {
	distrusted
	ip -n sw link set p2 down
	ip -n sw link set p2 up
	wait_until 5 eval "command bridge -n sw link show dev p2 | grep -q forwarding"
	expect_stat sw p2 3.is_untrusted == 1
	ignored 2 3
	tc -n sw qdisc change dev p2 root lossless rate 2gbit watchdog detect 5ms restore fixed 1ms action alert
	ip -n sw link set p2 mtu 4000
	expect_stat sw p2 3.is_untrusted == 1
	ignored 2 3
	expect_stat sw p2 3.storms == 3
	expect_stat sw p2 3.restores == 2
}

# A hand does, of this priority of this port; and forgets the storms before
recovered_by_hand() {
	distrusted
	check "recover another port" lossless -n sw watchdog recover p3
	check "recover another priority" lossless -n sw watchdog recover p2 prio 4
	ignored 2 3
	check "recover" lossless -n sw watchdog recover p2 prio 3
	expect_stat sw p2 3.is_untrusted == 0
	expect_stat sw p2 3.restores == 3
	held 2 3
	storm_at $((30 * MS))
	storm_at $((40 * MS))
	expect_stat sw p2 3.is_untrusted == 0
	storm_at $((50 * MS))
	expect_stat sw p2 3.is_untrusted == 1
	check "recover all" lossless -n sw watchdog recover p2
	held 2 3
	expect_stat sw p2 3.storms == 6
	expect_stat sw p2 3.restores == 6
}

# Nobody wants to distrust any more, or the priority is no longer watched: pauses are believed
no_longer_configured() {
	local option
	for option in "watchdog untrust off" "watchdog off" "pfc 4"; do
		distrusted
		# shellcheck disable=SC2086 # words
		tc -n sw qdisc change dev p2 root lossless $option
		expect "is_untrusted after $option" "$(stat_of sw p2 3.is_untrusted)" == 0
		expect_stat sw p2 3.restores == 3
		tc -n sw qdisc change dev p2 root lossless pfc 3,4
		held 2 3
		teardown
		module_load
	done
}

run_tests exact_time exact_time_of_a_pause until_expiry until_resume until_the_last_refresh_expires \
	until_a_shortened_pause_expires begins_anew link_pauses no_other_port first_end_ends_it \
	another_priority_goes_on busy_wire_is_no_pause needs_both changed_meanwhile link_flaps upstream_is_resumed \
	watchdog_is_first timeout_is_first exact_age each_its_own young_behind_many queue_is_too_long queued_before \
	switched_off age_resumes_upstream third_storm exact_span far_apart do_not_add_up survives recovered_by_hand \
	no_longer_configured
