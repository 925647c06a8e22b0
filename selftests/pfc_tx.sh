#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact
# timeout: 600
#
# What a port sends when its PGs turn XOFF and XON: every byte, every nanosecond.
#
# Host 1 sends to host 2, whose port holds the frames, so that p1's PGs fill and p1 has to
# tell host 1. Hosts have no qdisc: they hear and do not obey. p1 counts its quanta at 1
# Gbit/s. p2 sends at 1 Mbit/s: 1000 bytes take 8,192,000 ns, overhead included.
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

# Pauses hold queues here for longer than the watchdog would let them
PORT_OPTIONS=(watchdog off)

HALF=16776960		# of 65535 quanta at 1 Gbit/s
FRAME=8192000		# of 1000 bytes at 1 Mbit/s

# XOFF by the third frame of 1000 bytes, XON by the departure that leaves one
SIZES="guaranteed 0 static xoff 3000 xon 1500 headroom 16k"

# setup [RATE [OPTION...]]: the switch, with options of p1 besides; p2 holds
setup() {
	star 2
	# shellcheck disable=SC2086 # words
	port sw p1 rate "${1:-1gbit}" pfc 3,4 "${@:2}" prio 3 $SIZES prio 4 $SIZES
	port sw p2 rate 1mbit pfc 3,4
	listen h1 e /tmp/h1 type 0x8808
	hold 2
	START=$(($(now) + 1000000))
}

expect_sent() {
	expect_lines "what p1 sent" "$(pauses /tmp/h1 "$START")" "$@"
}

# --- the frame ---------------------------------------------------------------

# One PG turns XOFF, then XON: 60 bytes each, from the port's own address, a new one too
frame_bytes() {
	local head=0180c20000010200000001018808 zeros
	zeros=$(printf '%052d' 0)
	setup
	fill 3 0
	let_go 2 at $((START + 1000000))
	frame until $((START + 50000000))
	ip -n sw link set p1 address 02:00:00:00:01:99
	hold 2
	data 1 2 4 1000 count 3
	end 60000000
	expect_lines "the frames of p1" "$(awk '/^[0-9]/ { print $2, $3 }' /tmp/h1)" \
		"60 ${head}010100080000""00000000ffff0000000000000000$zeros" \
		"60 ${head}010100080000""0000000000000000000000000000$zeros" \
		"60 ${head}010100080000""0000000000000000000000000000$zeros" \
		"60 ${head/0101880/0199880}010100100000""000000000000ffff000000000000$zeros"
}

# Frames within the guarantee, and up to a byte below XOFF, cause nothing
no_pause_below_xoff() {
	setup
	port sw p1 prio 3 guaranteed 5000 static xoff 6000 xon 3000
	data 1 2 3 1000 count 5
	data 1 2 3 999
	end 100000000
	expect_sent ""
	expect_stat sw p1 3.is_xoff == 0
	expect_stat sw p1 3.guaranteed_bytes == 5000
	expect_stat sw p1 3.shared_bytes == 999
}

# --- refresh -----------------------------------------------------------------

# In XOFF the pause is sent again exactly when half of its time has passed
refresh_at_half_time() {
	setup
	fill 3 0
	end $((3 * HALF + 1000000))
	expect_sent "0 3=ffff" "$HALF 3=ffff" "$((2 * HALF)) 3=ffff" "$((3 * HALF)) 3=ffff"
	expect_stat sw p1 3.pfc_tx == 4
	expect_stat sw p1 3.pfc_tx_resumes == 0
	expect_stat sw p1 3.xoff == 1
	expect_stat sw p1 4.pfc_tx == 0
	expect_stat sw p1 pfc_deferred == 0
}

# Other quanta and rates: RATE QUANTA HEX HALF-OF-ITS-TIME; halves of a nanosecond are cut off
refresh_of_other_quanta() {
	local rate quanta hex half
	while read -r rate quanta hex half; do
		setup "$rate" quanta "$quanta"
		fill 3 0
		end $((2 * half + half / 2))
		expect_sent "0 3=$hex" "$half 3=$hex" "$((2 * half)) 3=$hex"
		teardown
		module_load
	done <<- END
		100mbit 2000 07d0 5120000
		7gbit 1001 03e9 36608
		400gbit 65535 ffff 41942
	END
}

# New quanta are told with the next refresh
quanta_changed_in_xoff() {
	setup 1gbit quanta 1000
	fill 3 0
	port sw p1 quanta 3000
	end 2000000
	expect_sent "0 3=03e8" "256000 3=0bb8" "1024000 3=0bb8" "1792000 3=0bb8"
}

# --- resume ------------------------------------------------------------------

# XON is told at once, again 1 ms later, and then there is silence
resume_twice() {
	local xon=$((1000000 + FRAME))
	setup
	fill 3 0
	let_go 2 at $((START + 1000000))
	end 1000000000
	expect_sent "0 3=ffff" "$xon 3=0000" "$((xon + 1000000)) 3=0000"
	expect_stat sw p1 3.pfc_tx == 1
	expect_stat sw p1 3.pfc_tx_resumes == 2
	expect_stat sw p1 3.rxwait_ns == "$xon"
	expect_drained sw p1 p2
}

# XOFF again within that millisecond: the repetition is withheld. Time in XOFF adds up.
repeat_withheld() {
	local xon=$((1000000 + FRAME)) xoff=$((1000000 + FRAME + 700000)) xon2
	xon2=$((xoff + 1000000 + FRAME))
	setup
	fill 3 0
	let_go 2 at $((START + 1000000)) &
	hold 2 at $((START + xon + 1000))
	data 1 2 3 1000 count 2 at $((START + xoff)) gap 0
	# p2's wire has been free for long
	let_go 2 at $((START + xoff + 1000000 + FRAME)) &
	frame until $((START + xon2 + FRAME + 1000))
	end 1000000000
	xon2=$((xoff + 1000000 + 2 * FRAME))
	expect_sent "0 3=ffff" "$xon 3=0000" "$xoff 3=ffff" "$((xoff + HALF)) 3=ffff" \
		"$xon2 3=0000" "$((xon2 + 1000000)) 3=0000"
	expect_stat sw p1 3.xoff == 2
	expect_stat sw p1 3.rxwait_ns == $((xon + xon2 - xoff))
}

# rxwait counts while XOFF lasts, to the nanosecond between two looks at the clock
rxwait_of_a_lasting_xoff() {
	local before wait after
	setup
	fill 3 0
	sleep 0.02
	before=$(now)
	wait=$(stat_of sw p1 3.rxwait_ns)
	after=$(now)
	expect "rxwait_ns" "$wait" ">=" $((before - START))
	expect "rxwait_ns" "$wait" "<=" $((after - START))
	expect "how long that took" $((after - before)) "<" 200000
}

# --- several priorities ------------------------------------------------------

# A frame tells the state of the whole port: what changed and what is in XOFF, nothing else
vector_of_two() {
	local xon=$((5000000 + FRAME))
	setup
	fill 3 0
	fill 4 2000000
	send_pfc 2 0x08 0 at $((START + 5000000))
	end $((xon + 1000000 + HALF + 1000))
	expect_sent "0 3=ffff" "2000000 3=ffff 4=ffff" "$xon 3=0000 4=ffff" \
		"$((xon + 1000000)) 3=0000 4=ffff" "$((xon + 1000000 + HALF)) 4=ffff"
	expect_stat sw p1 3.pfc_tx == 2
	expect_stat sw p1 3.pfc_tx_resumes == 2
	expect_stat sw p1 4.pfc_tx == 4
	expect_stat sw p1 4.pfc_tx_resumes == 0
}

# Lossy priorities overflow, and nobody is told
never_for_lossy() {
	local prio
	setup
	port sw p2 prio 0 limit 2000 prio 7 limit 2000
	for prio in 0 7; do
		data 1 2 $prio 1000 count 10
		expect_stat sw p2 $prio.buffer_drops ">" 0
		expect_stat sw p1 $prio.is_xoff == 0
		expect_stat sw p1 $prio.pfc_tx == 0
	done
	end 100000000
	expect_sent ""
}

# --- no peer is left paused --------------------------------------------------

# ends_with_resume LAST-LINES COMMAND...: in XOFF, the command makes p1 send this and no more,
# long before the refresh, which comes after 168 ms
ends_with_resume() {
	local expected=$1 times
	shift
	setup 100mbit
	fill 3 0
	"$@"
	sleep 1
	end 0
	expect_lines "what p1 sent for $*" "$(pauses /tmp/h1 | cut -d ' ' -f 2-)" "3=ffff" "$expected"
	mapfile -t times < <(pauses /tmp/h1 "$START" | cut -d ' ' -f 1)
	expect "time of the resume for $*" "${times[1]:-}" "<" 100000000
	[ "$expected" = 3=0000 ] || expect "time of the second one" "${times[2]:-}" == $((times[1] + 1000000))
}

twice=$'3=0000\n3=0000'

resume_when_down() {
	ends_with_resume 3=0000 ip -n sw link set p1 down
}

resume_when_deleted() {
	ends_with_resume 3=0000 tc -n sw qdisc del dev p1 root
}

resume_when_replaced() {
	ends_with_resume 3=0000 tc -n sw qdisc replace dev p1 root pfifo
}

resume_when_lossy() {
	ends_with_resume "$twice" port sw p1 prio 3 lossy
	expect_stat sw p1 3.is_xoff == 0
}

resume_when_pfc_none() {
	ends_with_resume "$twice" port sw p1 pfc none
	expect_stat sw p1 3.is_xoff == 0
}

# The frames are flushed at the other port
resume_when_egress_goes_down() {
	ends_with_resume "$twice" ip -n sw link set p2 down
	expect_drained sw p1 p2
}

resume_when_egress_is_deleted() {
	ends_with_resume "$twice" tc -n sw qdisc del dev p2 root
	expect_drained sw p1
}

# p1, then host 1, goes down and up while p2 still holds p1's frames: the peer is told anew
pause_anew_after_link_up() {
	local side
	for side in "sw p1" "h1 e"; do
		setup
		fill 3 0
		# shellcheck disable=SC2086 # words
		set -- $side
		ip -n "$1" link set "$2" down
		sleep 2
		listen h1 e /tmp/again type 0x8808
		ip -n "$1" link set "$2" up
		sleep 2
		expect_stat sw p1 3.is_xoff == 1
		expect_text "the first frame after $* came up" \
			"$(pauses /tmp/again | head -n 1 | cut -d ' ' -f 2-)" "3=ffff"
		teardown
		module_load
	done
}

# --- how it goes out ---------------------------------------------------------

# p1 is paused itself, and holds frames: its own pauses go out all the same
sent_while_paused() {
	setup
	hold 1
	data 2 1 3 1000 count 5
	expect_stat sw p1 qlen == 5
	fill 3 0
	end 1000000
	expect_sent "0 3=ffff"
	expect_stat sw p1 qlen == 5
}

# 100 frames wait for p1's slow wire: the pause does not wait behind them, and is free
not_behind_data() {
	setup 1mbit
	data 2 1 0 1000 count 100
	expect_stat sw p1 qlen == 99
	listen h1 e /tmp/data
	fill 3 300000
	end $((4 * FRAME))
	expect_sent "300000 3=ffff"
	expect_text "gaps between the data frames" "$(awk '$2 == 1000 { if (last) print $1 - last; last = $1 }' /tmp/data | uniq)" "$FRAME"
}

# On the switch a tap sees what goes out, byte for byte
taps_see_it() {
	setup
	listen sw p1 /tmp/tap type 0x8808 outgoing 1
	START=$(($(now) + 1000000))
	fill 3 0
	end 1000000
	check "the tap sees one frame" grep -q 8808 /tmp/tap
	expect_text "what the tap sees" "$(grep '^[0-9]' /tmp/tap)" "$(grep '^[0-9]' /tmp/h1)"
}

# From the bottom half, as on stacked devices and when the device is busy: the same frames
from_the_bottom_half() {
	local xon=$((1000000 + FRAME))
	echo 0 > /sys/module/sch_lossless/parameters/direct
	setup
	fill 3 0
	let_go 2 at $((START + 1000000))
	end 100000000
	expect_sent "0 3=ffff" "$xon 3=0000" "$((xon + 1000000)) 3=0000"
}

run_tests frame_bytes no_pause_below_xoff \
	refresh_at_half_time refresh_of_other_quanta quanta_changed_in_xoff \
	resume_twice repeat_withheld rxwait_of_a_lasting_xoff vector_of_two never_for_lossy \
	resume_when_down resume_when_deleted resume_when_replaced resume_when_lossy \
	resume_when_pfc_none resume_when_egress_goes_down resume_when_egress_is_deleted \
	pause_anew_after_link_up sent_while_paused not_behind_data taps_see_it from_the_bottom_half
