#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact qemu
# kernels: 6.1 6.12
# timeout: 600
#
# What a port does about MAC Control frames that it receives.
#
# Host 1 sends to host 2 through p2, and host 2 pauses p2. Where time counts, 1226 bytes
# with 24 of overhead take 10 us at p2's 1 Gbit/s; where it does not, p2 sends at 100
# kbit/s, so that a pause of 65535 quanta lasts 335 s, and the machine may be slow.
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

# Pauses hold queues here for longer than the watchdog would let them
PORT_OPTIONS=(watchdog off)

# Seconds; in virtual time nothing is late
PATIENCE=20
! is_exact || PATIENCE=2

# --- exact times -------------------------------------------------------------

# timed RATE [COUNT [PRIORITY]]: frames of 1226 bytes are in p2's queue from START on
timed() {
	star 2
	port sw p1
	port sw p2 rate "$1" pfc 3,4
	listen h2 e /tmp/h2
	START=$(($(now) + 1000000))
	data 1 2 "${3:-3}" 1226 at "$START" gap 0 count "${2:-20}"
}

# pause_at TIME QUANTA [VECTOR]: host 2 sends a pause of these priorities
pause_at() {
	local i times=""
	for i in 0 1 2 3 4 5 6 7; do
		times+=$(($2)),
	done
	send_pfc 2 "${3:-0x08}" "${times%,}" at $((START + $1))
}

# came TIME: when the frames came since START, compressed: FIRST xCOUNT of back to back ones
came() {
	frame until $((START + $1))
	kill "$LISTENER"
	wait "$LISTENER"
	awk -v start="$START" -v gap="${2:-10000}" '
		/^[0-9]/ && $2 == 1226 {
			if (count && $1 - last == gap) {
				count++
			} else {
				if (count)
					print first, "x" count
				first = $1 - start
				count = 1
			}
			last = $1
		}
		END { if (count) print first, "x" count }' /tmp/h2
}

# A pause in the middle of a frame: the frame in flight finishes, the next one leaves when
# the pause has passed since its arrival, and the others follow at the rate
expiry() {
	timed 1gbit
	pause_at 45000 1000
	expect_lines "arrivals" "$(came 10000000)" "0 x5" "$((45000 + 512000)) x15"
	expect_stat sw p2 3.txwait_ns == 512000
	expect_stat sw p2 3.pfc_rx == 1
	expect_stat sw p2 3.pfc_rx_resumes == 0
	expect_drained sw p1 p2
	expect_no_foreign_drops
}

# At other rates, with the longest and the shortest pause: RATE QUANTA TIME; a fraction of a
# nanosecond is rounded up. One frame goes out at once, the second one waits.
expiry_at_other_rates() {
	local rate quanta ns
	while read -r rate quanta ns; do
		star 2
		port sw p1
		port sw p2 rate "$rate" pfc 3
		listen h2 e /tmp/h2
		START=$(($(now) + 1000000))
		pause_at 0 "$quanta"
		data 1 2 3 1226
		expect_lines "arrivals at $rate" "$(came $((ns + 1000000)))" "$ns x1"
		expect "txwait_ns at $rate" "$(stat_of sw p2 3.txwait_ns)" "<=" "$ns"
		teardown
		module_load
	done <<- END
		100mbit 1 5120
		1gbit 65535 33553920
		7gbit 1000 73143
		100gbit 65535 335540
		400gbit 65535 83885
	END
}

# A later pause reloads the time: it does not add to it, and it may shorten it
reload() {
	timed 1gbit
	pause_at 5000 1000
	pause_at 105000 1000
	expect_lines "arrivals" "$(came 10000000)" "0 x1" "$((105000 + 512000)) x19"
	expect_stat sw p2 3.txwait_ns == $((100000 + 512000))
	expect_stat sw p2 3.pfc_rx == 2
}

shorten() {
	timed 1gbit
	pause_at 5000 65535
	pause_at 105000 100
	expect_lines "arrivals" "$(came 40000000)" "0 x1" "$((105000 + 51200)) x19"
	expect_stat sw p2 3.txwait_ns == $((100000 + 51200))
}

# Time 0 ends the pause at once
zero() {
	timed 1gbit
	pause_at 5000 65535
	pause_at 105000 0
	expect_lines "arrivals" "$(came 40000000)" "0 x1" "105000 x19"
	expect_stat sw p2 3.txwait_ns == 100000
	expect_stat sw p2 3.pfc_rx == 1
	expect_stat sw p2 3.pfc_rx_resumes == 1
}

# Refreshed before it ends, a pause has no gap
refreshed_without_gap() {
	local i
	timed 1gbit
	for i in 0 1 2 3 4; do
		pause_at $((5000 + i * 500000)) 1000
	done
	expect_lines "arrivals" "$(came 10000000)" "0 x1" "$((2005000 + 512000)) x19"
	expect_stat sw p2 3.txwait_ns == 2512000
}

# Each priority has a timer of its own; the others take the whole wire meanwhile
others_go_on() {
	local times
	timed 1gbit 20 3
	data 1 2 0 1226 count 20 at "$((START + 5000))" gap 0 &
	data 1 2 4 1226 count 20 at "$((START + 5000))" gap 0 &
	pause_at 5000 1000
	frame until $((START + 2000000))
	kill "$LISTENER"
	wait "$LISTENER"
	# byte 15 of the frame is the traffic class: priority << 5
	times=$(awk -v start="$START" '/^[0-9]/ { print $1 - start, substr($3, 31, 2) }' /tmp/h2)
	expect_lines "frames of the others" "$(echo "$times" | awk '$2 != "60" && $2 != "88" { print $1 }')" \
		"$(seq 10000 10000 400000)"
	expect_lines "frames of priority 3" "$(echo "$times" | awk '$2 == "60" { print $1 }')" \
		0 "$(seq 517000 10000 697000)"
	expect_stat sw p2 3.txwait_ns == 512000
	expect_stat sw p2 4.txwait_ns == 0
	expect_stat sw p2 0.txwait_ns == 0
}

# Two priorities, two times in one frame
two_times() {
	star 2
	port sw p1
	port sw p2 rate 1gbit pfc 3,4
	listen h2 e /tmp/h2
	START=$(($(now) + 1000000))
	send_pfc 2 0x18 0,0,0,1000,2000 at "$START"
	data 1 2 3 1226
	data 1 2 4 1226
	expect_lines "arrivals" "$(came 10000000)" "512000 x1" "1024000 x1"
}

# txwait counts only while there is something to send
txwait_of_an_empty_queue() {
	star 2
	port sw p1
	port sw p2 rate 1gbit
	listen h2 e /tmp/h2
	START=$(($(now) + 1000000))
	pause_at 0 1000
	pause_at 600000 1000
	data 1 2 3 1226 at $((START + 700000))
	expect_lines "arrivals" "$(came 10000000)" "$((600000 + 512000)) x1"
	expect_stat sw p2 3.txwait_ns == $((600000 + 512000 - 700000))
}

# txwait goes on while the pause lasts
txwait_of_a_lasting_pause() {
	local before wait after
	timed 1gbit
	pause_at 5000 65535
	frame until $((START + 10000000))
	before=$(now)
	wait=$(stat_of sw p2 3.txwait_ns)
	after=$(now)
	expect "txwait_ns" "$wait" ">=" $((before - START - 5000))
	expect "txwait_ns" "$wait" "<=" $((after - START - 5000))
	expect "how long that took" $((after - before)) "<" 200000
}

# --- which frames count ------------------------------------------------------

# slow [OPTION...]: p2 at 100 kbit/s
slow() {
	star 2
	port sw p1
	port sw p2 rate 100kbit pfc 3,4 "$@"
}

# goes PRIORITY, waits_in PRIORITY: a frame of this priority leaves p2, is held by p2
goes() {
	local before
	before=$(stat_of sw p2 "$1.packets")
	data 1 2 "$1" 60
	wait_until "$PATIENCE" stat_is sw p2 "$1.packets" == $((before + 1)) || fail "priority $1 is paused"
}

waits_in() {
	data 1 2 "$1" 60
	wait_until "$PATIENCE" stat_is sw p2 "$1.queue_bytes" ">" 0 || fail "priority $1 is not paused"
}

control() {
	frame -n h2 send e dst 01:80:c2:00:00:01 kind pfc vector 8 times 0,0,0,65535 "$@"
}

expect_rx() {
	local key
	while [ $# -gt 0 ]; do
		key=$1
		expect_stat sw p2 "$key" == "$2"
		shift 2
	done
}

# The enable bit decides. Times of other priorities, and the reserved byte, mean nothing.
only_enabled_bits() {
	slow pfc-rx all
	control vector 0x0008 times 65535,65535,65535,65535,65535,65535,65535,65535
	waits_in 3
	goes 0
	goes 4
	expect_rx 3.pfc_rx 1 0.pfc_rx 0 4.pfc_rx 0 4.pfc_rx_resumes 0
	control vector 0xff00 times 65535,65535,65535,65535,65535,65535,65535,65535
	goes 0
	goes 4
	expect_rx 3.pfc_rx 1 0.pfc_rx 0 4.pfc_rx 0
	control vector 0xef10 times 0,0,0,0,65535
	waits_in 4
	goes 0
	expect_rx 4.pfc_rx 1 3.pfc_rx 1 3.pfc_rx_resumes 0 malformed 0
}

# A vector of 0 is a valid frame that means nothing
empty_vector() {
	slow
	control vector 0 times 65535,65535,65535,65535,65535,65535,65535,65535
	goes 3
	expect_rx 3.pfc_rx 0 3.pfc_ignored 0 malformed 0
}

# Extra bytes, the port's own address, a source that is all zero: accepted
odd_but_valid() {
	local options n=0
	slow
	for options in "size 61" "size 1514" "src 00:00:00:00:00:00" "dst $(port_mac 2)"; do
		# shellcheck disable=SC2086 # words
		control $options
		waits_in 3
		n=$((n + 1))
		expect_rx 3.pfc_rx $n malformed 0
		# shellcheck disable=SC2086
		control $options times 0,0,0,0
		wait_until "$PATIENCE" stat_is sw p2 3.queue_bytes == 0 || fail "not resumed: $options"
	done
}

# A pause of a priority that pfc-rx does not list: counted, without effect
not_listed() {
	slow pfc-rx 3
	control vector 0x18 times 0,0,0,65535,65535
	goes 4
	waits_in 3
	expect_rx 4.pfc_rx 1 4.pfc_ignored 1 3.pfc_rx 1 3.pfc_ignored 0
	port sw p2 pfc-rx none
	wait_until "$PATIENCE" stat_is sw p2 3.queue_bytes == 0 || fail "pfc-rx none does not end the pause"
	control
	goes 3
	expect_rx 3.pfc_rx 2 3.pfc_ignored 1
}

# A lossy priority can be listed
listed_lossy() {
	slow pfc-rx all
	control vector 1 times 65535
	waits_in 0
	goes 3
	expect_rx 0.pfc_rx 1 0.pfc_ignored 0
}

# The pause of the whole link is ignored while PFC is on, and is no PFC
link_pause_ignored() {
	slow
	frame -n h2 send e dst 01:80:c2:00:00:01 kind pause time 65535
	goes 3
	goes 0
	expect_rx llfc_ignored 1 llfc_rx 0 3.pfc_rx 0 3.pfc_ignored 0 malformed 0
}

# Down and up again: nothing stays paused
link_flap_ends_pauses() {
	slow
	control
	waits_in 3
	ip -n sw link set p2 down
	ip -n sw link set p2 up
	wait_until "$PATIENCE" eval "ip -n sw link show p2 | grep -q LOWER_UP"
	wait_until "$PATIENCE" eval "command bridge -n sw link show dev p2 | grep -q forwarding"
	goes 3
	expect_rx 3.is_paused 0
}

# --- malformed and foreign frames --------------------------------------------

# watched: a bridge that floods everything, listeners where nothing may come
watched() {
	star 3
	port sw p1
	port sw p2 rate 100kbit pfc 3
	port sw p3
	ip -n sw link add link p2 name p2.5 up type vlan id 5
	ip -n sw -batch <(printf 'link set %s type bridge_slave flood on mcast_flood on bcast_flood on\n' p1 p2 p3)
	listen h1 e /tmp/w1
	listen h3 e /tmp/w2
	listen sw br0 /tmp/w3
	listen sw p2.5 /tmp/w4
}

# all_of_it: one frame of each kind; ETHERTYPE 0x8808, or another one to see that they get through
malformed_frames() {
	local type=$1 dst
	for dst in "$(host_mac 1)" "$(host_mac 3)" 02:00:00:00:77:77 ff:ff:ff:ff:ff:ff \
		01:00:5e:00:00:01 "$(port_mac 1)"; do
		frame -n h2 send e dst "$dst" kind raw type "$type" hex "$BODY"
	done
	frame -n h2 send e dst "$(host_mac 1)" size 64 pcp 3 vid 0 kind raw type "$type" hex "$BODY"
	frame -n h2 send e dst "$(host_mac 1)" size 64 pcp 3 vid 5 kind raw type "$type" hex "$BODY"
	frame -n h2 send e dst ff:ff:ff:ff:ff:ff size 64 pcp 3 vid 5 kind raw type "$type" hex "$BODY"
}
BODY=01010008000000000000ffff0000000000000000

# Frames for others and tagged ones: consumed and counted, seen nowhere. The same frames with
# another EtherType are seen everywhere.
foreign_frames_consumed() {
	watched
	malformed_frames 0x8808
	wait_until "$PATIENCE" stat_is sw p2 malformed == 9 || fail "9 malformed frames are not counted"
	malformed_frames 0x88b5
	wait_until "$PATIENCE" eval "grep -q 88b5 /tmp/w1 && grep -q 88b5 /tmp/w2 && grep -q 88b5 /tmp/w3 && grep -q 88b5 /tmp/w4" ||
		fail "frames of another EtherType are not seen everywhere"
	expect "MAC Control frames seen elsewhere" "$(cat /tmp/w? | grep -c 8808)" == 0
	expect_rx malformed 9 3.pfc_rx 0 3.is_paused 0
	goes 3
}

# To the right address, but short, or of another opcode: counted, without effect
malformed_frames_have_no_effect() {
	local n=0 options
	watched
	for options in "size 59" "size 34" "size 17" "opcode 0x0100" "opcode 0x0102" "opcode 0x1001" "size 64 pcp 3" \
		"size 64 pcp 0 vid 5" "dst 01:80:c2:00:00:02" "dst 01:80:c2:00:00:00"; do
		# shellcheck disable=SC2086 # words
		control $options
		n=$((n + 1))
		wait_until "$PATIENCE" stat_is sw p2 malformed == $n || fail "$options is not counted"
	done
	expect_rx 3.pfc_rx 0 3.pfc_rx_resumes 0 3.pfc_ignored 0 llfc_ignored 0 3.is_paused 0
	goes 3
	control
	waits_in 3
	expect "MAC Control frames seen elsewhere" "$(cat /tmp/w? | grep -c '8808')" == 0
}

exact=(expiry expiry_at_other_rates reload shorten zero refreshed_without_gap others_go_on two_times
	txwait_of_an_empty_queue txwait_of_a_lasting_pause)
is_exact || exact=()

run_tests "${exact[@]}" only_enabled_bits empty_vector odd_but_valid not_listed listed_lossy \
	link_pause_ignored link_flap_ends_pauses foreign_frames_consumed malformed_frames_have_no_effect
