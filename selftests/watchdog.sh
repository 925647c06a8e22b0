#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact
# timeout: 900
#
# The watchdog of a queue: when pauses are a storm, what is done about it, and when it is over.
#
# Host 1 sends to host 2 through p2 at 1 Gbit/s, and host 2 pauses priority 3 of p2 with 65535
# quanta (33.5 ms) every 10 ms. Times are since START; whatever happens is exact to the ns.
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

MS=1000000
PAUSE=0,0,0,65535

# lab [OPTION...]: two hosts, p2 with these options; START is 1 ms from now
lab() {
	star 2
	port sw p1 pfc "${PFC:-3,4}"
	port sw p2 rate "${RATE:-1gbit}" pfc "${PFC:-3,4}" "$@"
	REALTIME=$(frame offset)
	START=$(($(now) + MS))
}

# storm FROM TO [HOST [VECTOR [TIMES]]]: a pause every GAP ms, the first at FROM, the last before TO (in ms)
GAP=10
storm() {
	"$SELFTESTS/bin/frame" -n "h${3:-2}" send e dst 01:80:c2:00:00:01 kind pfc \
		vector "${4:-0x08}" times "${5:-$PAUSE}" at $((START + $1 * MS)) \
		gap $((GAP * MS)) count $((($2 - $1 + GAP - 1) / GAP)) &
}

# traffic FROM COUNT GAP [PRIORITY]: frames of 1000 bytes to host 2 in the background (FROM in ms)
traffic() {
	"$SELFTESTS/bin/frame" -n h1 send e dst "$(host_mac 2)" from 10.9.0.1 to 10.9.0.2 \
		dscp $((${4:-3} * 8)) size 1000 at $((START + $1 * MS)) count "$2" gap "$3" &
}

# at TIME: wait until this time (ns) after START
at() {
	frame until $((START + $1))
}

# began [PRIORITY]: when the last storm of p2 was found, ns since START
began() {
	echo $(($(stat_of sw p2 "${1:-3}.storm_start_ns") - REALTIME - START))
}

expect_began() {
	expect "the storm's begin" "$(began)" == "$1"
}

# --- detection ---------------------------------------------------------------

# Frames wait from START + 3 ms in a queue that is paused since START: blocked since then. The
# storm is found after the detection time, to the ns, and not at all if a resume comes 1 ns before
detection_is_exact() {
	local detect ms
	for detect in 1ms 7ms 100ms 1s 60s; do
		lab watchdog detect "$detect"
		ms=$(case $detect in *ms) echo "${detect%ms}" ;; *) echo "${detect%s}000" ;; esac)
		storm 0 $((ms + 30))
		data 1 2 3 1000 at $((START + 3 * MS)) count 5 gap 0
		at $(((3 + ms) * MS - 100000))
		expect_stat sw p2 3.storms == 0
		at $(((3 + ms) * MS))
		expect_stat sw p2 3.storms == 1
		expect_began $(((3 + ms) * MS))
		expect_stat sw p2 3.is_storm == 1
		expect_stat sw p2 3.txwait_ns == $((ms * MS))
		again
	done
}

again() {
	teardown
	module_load
}

never_early() {
	lab watchdog detect 50ms
	storm 0 60
	data 1 2 3 1000 at $((START + 3 * MS)) count 5 gap 0
	send_pfc 2 0x08 0,0,0,0 at $((START + 53 * MS - 1))
	at $((58 * MS))
	expect_stat sw p2 3.txwait_ns == $((50 * MS - 1))
	expect_stat sw p2 3.storms == 0
	expect_stat sw p2 3.packets == 5
}

# An empty queue that is paused is not blocked, however long; nor is one that is only slow
not_blocked() {
	RATE=10mbit lab
	storm 0 500
	data 1 2 4 1226 at "$START" count 400 gap 0
	at $((480 * MS))
	expect_stat sw p2 3.storms == 0
	expect_stat sw p2 4.storms == 0
	expect_stat sw p2 3.txwait_ns == 0
	expect_stat sw p2 4.packets == 400
}

# A pause that blinks does the same harm: 50 us open every 5 ms, or 40 ms shut and 10 ms open.
# CLOSED OPEN TIMES WINDOW DUTY: without a window never a storm, with it one in time
blink() {
	local i
	for ((i = 0; i < $3; i++)); do
		send_pfc 2 0x08 0,0,0,65535 at $((START + i * ($1 + $2)))
		(($1 <= 33000000)) || send_pfc 2 0x08 0,0,0,65535 at $((START + i * ($1 + $2) + 20 * MS))
		send_pfc 2 0x08 0,0,0,0 at $((START + i * ($1 + $2) + $1))
	done &
	# the queue never gets empty
	data 1 2 3 1226 at "$START" count 3000 gap 0
	traffic 0 $((($1 + $2) * $3 / 20000)) 20000
	at $((($1 + $2) * $3))
}

# A frame that leaves begins the time anew, however short the opening: 20 us every 5 ms, of 10 us a frame
departure_restarts() {
	lab watchdog detect 100ms prio 3 guaranteed 16mb
	blink 4980000 20000 100
	expect_stat sw p2 3.storms == 0
	expect_stat sw p2 3.packets ">=" 99
}

blinking_50us() {
	lab watchdog detect 100ms prio 3 guaranteed 16mb
	blink 4950000 50000 100
	expect_stat sw p2 3.storms == 0
	again
	lab watchdog detect 100ms window 200ms duty 95 prio 3 guaranteed 16mb
	blink 4950000 50000 100
	expect_stat sw p2 3.storms ">=" 1
	expect "the storm's begin" "$(began)" ">=" $((190 * MS))
	expect "the storm's begin" "$(began)" "<=" $((200 * MS))
}

blinking_10ms() {
	lab watchdog detect 100ms
	blink 40000000 10000000 20
	expect_stat sw p2 3.storms == 0
	again
	lab watchdog detect 100ms window 200ms duty 81
	blink 40000000 10000000 20
	expect_stat sw p2 3.storms == 0
	again
	lab watchdog detect 100ms window 200ms duty 79
	blink 40000000 10000000 20
	expect_stat sw p2 3.storms ">=" 1
	expect "the storm's begin" "$(began)" ">=" $((158 * MS))
	expect "the storm's begin" "$(began)" "<=" $((250 * MS))
}

# --- actions -----------------------------------------------------------------

# busy FROM TO: frames of priority 3 to host 2, one a ms (in ms)
busy() {
	traffic "$1" $(($2 - $1)) "$MS"
}

# accounts SENT: of the frames for host 2, those that came, were flushed and were dropped
accounts() {
	local came drained dropped
	came=$(heard /tmp/h2 frames)
	drained=$(stat_of sw p2 3.drained)
	dropped=$(stat_of sw p2 3.dropped)
	note "sent $1: came $came, drained $drained, dropped $dropped"
	expect "came + drained + dropped" $((came + drained + dropped)) == "$1"
}

# The queue is flushed, what comes is dropped before it charges anything, the upstream is not
# paused; 1 s after the last pause frames go again
action_drop() {
	lab watchdog detect 50ms
	listen h2 e /tmp/h2 type 0x0800
	storm 0 500
	busy 0 2000
	at $((50 * MS))
	expect_began $((50 * MS))
	at $((60 * MS + 1))
	expect_stat sw p2 3.last_drained == 50
	expect_stat sw p1 3.guaranteed_bytes == 0
	expect_stat sw p2 3.last_dropped == 11
	at $((490 * MS + 1000 * MS - 100000))
	expect_stat sw p2 3.restores == 0
	expect_stat sw p1 3.xoff == 0
	at $((490 * MS + 1000 * MS))
	expect_stat sw p2 3.restores == 1
	expect_stat sw p2 3.storm_ns == $((1440 * MS))
	expect_stat sw p2 3.is_storm == 0
	at $((2010 * MS))
	end 2010000000
	accounts 2000
	expect_stat sw p2 3.drained == 50
	expect_stat sw p2 3.dropped == 1440
	expect_drained sw p1 p2
}

# Pauses are ignored, all frames go, nothing is lost
action_forward() {
	lab watchdog detect 50ms action forward
	listen h2 e /tmp/h2 type 0x0800
	storm 0 500
	busy 0 2000
	at $((60 * MS))
	expect_stat sw p2 3.storms == 1
	expect_stat sw p2 3.packets == 61
	at $((490 * MS + 1000 * MS))
	expect_stat sw p2 3.restores == 1
	expect_stat sw p2 3.pfc_rx == 50
	expect_stat sw p2 3.pfc_ignored == 0
	end 2010000000
	expect "came" "$(heard /tmp/h2 frames)" == 2000
	expect_stat sw p2 3.storms == 1
}

# Nothing is done; the queue stays blocked until the peer lets it go
action_alert() {
	lab watchdog detect 50ms action alert
	listen h2 e /tmp/h2 type 0x0800
	storm 0 500
	busy 0 20
	at $((510 * MS))
	expect_stat sw p2 3.storms == 1
	expect_stat sw p2 3.packets == 0
	expect_stat sw p2 3.queue_bytes == 20000
	end 600000000
	expect "came" "$(heard /tmp/h2 frames)" == 20
	at $((1490 * MS))
	expect_stat sw p2 3.restores == 1
	expect_stat sw p2 3.drained == 0
	expect_stat sw p2 3.dropped == 0
}

# Frames of the priority that arrive on the port in storm are dropped, unless ingress-pass
ingress_is_dropped() {
	local pass
	for pass in off on; do
		lab watchdog detect 50ms ingress-pass "$pass"
		listen h1 e /tmp/h1 type 0x0800
		storm 0 500
		busy 0 500
		# before, in, and after the storm; priority 4 always passes
		data 2 1 3 500 at "$START" count 20 gap "$MS" flow 7
		data 2 1 3 500 at $((START + 100 * MS)) count 30 gap "$MS" flow 7
		data 2 1 4 500 at $((START + 200 * MS)) count 40 gap "$MS" flow 7
		at $((1600 * MS))
		data 2 1 3 500 count 10 gap "$MS" flow 7
		end 1700000000
		if [ "$pass" = on ]; then
			expect "came" "$(heard /tmp/h1 frames)" == 100
			expect_stat sw p2 3.ingress_dropped == 0
		else
			expect "came" "$(heard /tmp/h1 frames)" == 70
			expect_stat sw p2 3.ingress_dropped == 30
			expect_stat sw p2 3.last_ingress_dropped == 30
		fi
		again
	done
}

# --- restoring ---------------------------------------------------------------

# A storm of pauses that turned into a stream of resumes: they do not hold it back
resumes_do_not_hold_back() {
	lab watchdog detect 50ms restore auto 200ms
	storm 0 100
	storm 100 2000 2 0x08 0,0,0,0
	busy 0 1000
	at $((290 * MS - 100000))
	expect_stat sw p2 3.restores == 0
	at $((290 * MS))
	expect_stat sw p2 3.restores == 1
	at $((1010 * MS))
	expect_stat sw p2 3.storms == 1
	expect_stat sw p2 3.packets == $((1000 - 290))
}

# Pauses go on for 3 s: with `auto` the storm lasts until they end
auto_waits_for_silence() {
	lab watchdog detect 50ms restore auto 200ms
	storm 0 3000
	busy 0 3500
	at $((3190 * MS - 100000))
	expect_stat sw p2 3.storms == 1
	expect_stat sw p2 3.restores == 0
	at $((3190 * MS))
	expect_stat sw p2 3.restores == 1
}

# With `fixed` it ends in any case, and may begin anew
fixed_ends_in_any_case() {
	lab watchdog detect 50ms restore fixed 200ms
	storm 0 600
	busy 0 700
	at $((250 * MS - 100000))
	expect_stat sw p2 3.restores == 0
	at $((250 * MS))
	expect_stat sw p2 3.restores == 1
	at $((600 * MS))
	# blocked again by the pause at 250 or 260 ms
	expect_stat sw p2 3.storms == 3
}

off_is_by_hand() {
	lab watchdog detect 50ms restore off
	storm 0 100
	busy 0 5000
	at $((5010 * MS))
	expect_stat sw p2 3.storms == 1
	expect_stat sw p2 3.restores == 0
	expect_stat sw p2 3.dropped == 4950
	check "recover" on sw lossless watchdog recover p2 prio 3
	expect_stat sw p2 3.restores == 1
	data 1 2 3 1000 count 10 gap 100000
	expect_stat sw p2 3.packets == 10
}

# --- more --------------------------------------------------------------------

# All eight priorities at once: one storm each, and the others' frames are not concerned
all_priorities_at_once() {
	local i
	PFC=0-7 lab watchdog detect 50ms
	storm 0 200 2 0xff 65535,65535,65535,65535,65535,65535,65535,65535
	for i in 0 1 2 3 4 5 6 7; do
		traffic "$i" 10 $((10 * MS)) "$i"
	done
	at $((60 * MS))
	for i in 0 1 2 3 4 5 6 7; do
		expect "priority $i's begin" "$(began "$i")" == $(((50 + i) * MS))
		expect_stat sw p2 "$i.storms" == 1
	done
	at $((1190 * MS))
	for i in 0 1 2 3 4 5 6 7; do
		expect_stat sw p2 "$i.storms" == 1
		expect_stat sw p2 "$i.restores" == 1
	done
	expect "lines in the log" "$(dmesg | grep -c "p2: lossless: prio . in storm")" ">=" 8
}

# One line of the kernel's log for each transition, with port, priority and counts
log_lines() {
	dmesg -C
	lab watchdog detect 50ms restore auto 100ms
	storm 0 100
	busy 0 100
	at $((195 * MS))
	expect_lines "the log" "$(dmesg | sed -n 's/.*p2: lossless: //p')" \
		"prio 3 in storm: blocked by pauses for 50000 us, 50 frames in the queue, action drop" \
		"prio 3 restored after 140000 us (no pause came): drained 50, dropped 50, dropped at ingress 0"
}

# Bare defaults: on, 100 ms, drop, auto 1 s
defaults() {
	star 2
	port sw p1
	port sw p2
	START=$(($(now) + MS)) REALTIME=$(frame offset)
	GAP=1 storm 0 150
	data 1 2 3 1000 at $((START + 2 * MS)) count 10 gap "$MS"
	at $((102 * MS))
	expect_began $((102 * MS))
	at $((103 * MS))
	expect_stat sw p2 3.drained == 10
	at $((149 * MS + 1000 * MS))
	expect_stat sw p2 3.restores == 1
}

# --- what a review found -----------------------------------------------------

# A pause that is over just when the port would time out: it may send again
pause_as_long_as_the_timeout() {
	lab watchdog off pause-timeout 10ms
	send_pfc 2 0x08 0,0,0,20000 at "$START"
	data 1 2 3 1000 at $((START + 240000)) count 2 gap 0
	at $((40 * MS))
	expect_stat sw p2 pause_timeouts == 0
	expect_stat sw p2 3.packets == 2
}

# Whoever listens must know that the port which did not trust its peer is gone
distrust_ends_with_the_port() {
	dmesg -C
	lab watchdog detect 10ms untrust 1 1min
	storm 0 30
	busy 0 1
	at $((20 * MS))
	expect_stat sw p2 3.is_untrusted == 1
	tc -n sw qdisc del dev p2 root
	check "is told" grep -q "p2: lossless: prio 3 restored .* (port down)" <(dmesg)
}

# What tc counts never goes back, and holds the frames of a pause timeout
drops_never_go_back() {
	lab watchdog detect 10ms pause-timeout 50ms
	storm 0 30
	busy 0 10
	at $((25 * MS))
	expect_stat sw p2 3.drops == 10
	check "clear" on sw lossless watchdog clear p2
	expect_stat sw p2 3.storms == 1
	expect_stat sw p2 3.drained == 0
	expect_stat sw p2 3.drops == 10
	again
	lab watchdog off pause-timeout 10ms
	storm 0 30
	busy 0 5
	at $((25 * MS))
	expect_stat sw p2 3.drops == 5
	check "clear" on sw lossless watchdog clear p2
	expect_stat sw p2 is_timed_out == 1
	expect_stat sw p2 pause_timeouts == 1
	expect_stat sw p2 pause_timeout_drops == 0
}

# Frames that were put together before they arrive count one by one
super_frames_are_counted() {
	lab watchdog detect 10ms restore off
	storm 0 30
	busy 0 1
	at $((20 * MS))
	on h2 python3 -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 24 * 4)
s.setsockopt(socket.IPPROTO_UDP, 103, 1000)	# UDP_SEGMENT
s.sendto(b"x" * 10000, ("10.0.0.1", 5000))'
	at $((25 * MS))
	expect_stat sw p2 3.ingress_dropped == 10
}

# One pause of 3.3 s, which nothing is done about, is one storm: it is over with the pause
one_long_pause_is_one_storm() {
	RATE=10mbit lab watchdog action alert
	send_pfc 2 0x08 0,0,0,65535 at "$START"
	busy 0 1
	at $((3300 * MS))
	expect_stat sw p2 3.storms == 1
	expect_stat sw p2 3.restores == 0
	at $((3400 * MS))
	expect_stat sw p2 3.restores == 1
	expect_stat sw p2 3.packets == 1
}

# A pause arrives at the moment in which the end of the one before is noticed, which makes a storm: it is ignored, too.
# At 1 Mbit/s priority 7 keeps the wire busy meanwhile.
pause_that_finds_the_storm() {
	RATE=1mbit lab watchdog detect 60s window 10s duty 10 restore off action forward
	data 1 2 7 1226 at $((START + 10)) gap 0 count 110 &
	data 1 2 3 1000 at $((START + 20)) gap 0 count 5
	send_pfc 2 0x08 0,0,0,1855 at $((START + 5 * MS))
	send_pfc 2 0x08 0,0,0,110 at $((START + 960 * MS))
	send_pfc 2 0x08 0,0,0,65535 at $((START + 1017 * MS))
	at $((5000 * MS))
	expect_stat sw p2 3.is_storm == 1
	expect_stat sw p2 3.is_paused == 0
	expect_stat sw p2 3.packets == 5
}

run_tests detection_is_exact never_early not_blocked departure_restarts blinking_50us blinking_10ms \
	action_drop action_forward action_alert ingress_is_dropped resumes_do_not_hold_back \
	auto_waits_for_silence fixed_ends_in_any_case off_is_by_hand all_priorities_at_once log_lines defaults \
	pause_as_long_as_the_timeout distrust_ends_with_the_port drops_never_go_back super_frames_are_counted \
	one_long_pause_is_one_storm pause_that_finds_the_storm
