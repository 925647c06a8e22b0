#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact
# timeout: 600
#
# 802.3x instead of PFC: `llfc on` pauses and is paused with the whole link.
#
# Host 1 sends to host 2. 1226 bytes with 24 of overhead take 10 us at 1 Gbit/s; 1000 bytes
# take 8,192,000 ns at 1 Mbit/s.
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

HALF=16776960		# of 65535 quanta at 1 Gbit/s
FRAME=8192000		# of 1000 bytes at 1 Mbit/s
SIZES="guaranteed 0 static xoff 3000 xon 1500 headroom 16k"

# --- received ----------------------------------------------------------------

receiver() {
	star 2
	port sw p1
	port sw p2 rate 1gbit llfc on
	listen h2 e /tmp/h2
	START=$(($(now) + 1000000))
}

link_pause_at() {
	frame -n h2 send e dst 01:80:c2:00:00:01 kind pause time "$2" at $((START + $1))
}

# came TIME: times of the data frames until then
came() {
	frame until $((START + $1))
	kill "$LISTENER"
	wait "$LISTENER"
	awk -v start="$START" '/^[0-9]/ && $2 == 1226 { print $1 - start }' /tmp/h2
}

# A pause holds all priorities, and its end is exact
pauses_all_priorities() {
	local prio
	receiver
	for prio in 0 3 7; do
		data 1 2 $prio 1226 count 2 at "$START" gap 0 &
	done
	link_pause_at 5000 1000
	expect_lines "arrivals" "$(came 10000000)" 0 "$(seq 517000 10000 557000)"
	expect_stat sw p2 llfc_rx == 1
	expect_stat sw p2 llfc_rx_resumes == 0
	expect_stat sw p2 llfc_ignored == 0
	for prio in 0 3 7; do
		expect_stat sw p2 $prio.txwait_ns == 512000
		expect_stat sw p2 $prio.pfc_rx == 0
	done
	expect_drained sw p1 p2
}

# Reloaded by a later one, ended by time 0
reload_and_zero() {
	receiver
	data 1 2 0 1226 count 3 at "$START" gap 0
	link_pause_at 5000 1000
	link_pause_at 105000 1000
	data 1 2 0 1226 at $((START + 1000000))
	link_pause_at 2000000 65535
	data 1 2 0 1226 at $((START + 2050000))
	link_pause_at 2100000 0
	expect_lines "arrivals" "$(came 50000000)" 0 617000 627000 1000000 2100000
	expect_stat sw p2 llfc_rx == 3
	expect_stat sw p2 llfc_rx_resumes == 1
	expect_stat sw p2 0.txwait_ns == $((612000 + 50000))
}

# PFC means nothing now: counted, without effect
pfc_is_ignored() {
	receiver
	hold 2
	data 1 2 3 1226 at "$START"
	expect_lines "arrivals" "$(came 10000000)" 0
	expect_stat sw p2 3.pfc_rx == 1
	expect_stat sw p2 3.pfc_ignored == 1
	expect_stat sw p2 3.is_paused == 0
	expect_stat sw p2 malformed == 0
}

# --- sent --------------------------------------------------------------------

# sender OPTION...: p1's options; p2 holds
sender() {
	star 2
	# shellcheck disable=SC2086 # words
	port sw p1 rate 1gbit "$@" prio 3 lossless $SIZES prio 4 lossless $SIZES
	port sw p2 rate 1mbit pfc-rx all
	listen h1 e /tmp/h1 type 0x8808
	hold 2
	START=$(($(now) + 1000000))
}

# Every byte of a pause and of a resume
frame_bytes() {
	sender llfc on
	fill 3 0
	let_go 2
	end 50000000
	expect_lines "the frames of p1" "$(awk '/^[0-9]/ { print $2, $3 }' /tmp/h1)" \
		"60 0180c200000102000000010188080001ffff$(printf %084d 0)" \
		"60 0180c2000001020000000101880800010000$(printf %084d 0)" \
		"60 0180c2000001020000000101880800010000$(printf %084d 0)"
}

# At once; again at half time; the resume at once, once more 1 ms later, and silence
refresh_and_resume() {
	local xon=$((20000000 + FRAME))
	sender llfc on
	fill 3 0
	let_go 2 at $((START + 20000000))
	end 1000000000
	expect_lines "what p1 sent" "$(pauses /tmp/h1 "$START")" "0 link=ffff" "$HALF link=ffff" \
		"$xon link=0000" "$((xon + 1000000)) link=0000"
	expect_stat sw p1 llfc_tx == 2
	expect_stat sw p1 llfc_tx_resumes == 2
	expect_stat sw p1 3.pfc_tx == 0
	expect_stat sw p1 3.pfc_tx_resumes == 0
	expect_stat sw p1 3.rxwait_ns == "$xon"
	expect_drained sw p1 p2
}

# While one PG is in XOFF, no other one's XON resumes the link
no_resume_until_all_are_xon() {
	local one=$((2000000 + FRAME)) two=$((12000000 + FRAME)) resumes
	sender llfc on
	fill 3 0
	fill 4 1000000
	send_pfc 2 0x08 0 at $((START + 2000000))
	frame until $((START + one + 1000))
	expect_stat sw p1 3.is_xoff == 0
	expect_stat sw p1 4.is_xoff == 1
	frame until $((START + 11000000))
	hold 2
	send_pfc 2 0x10 0 at $((START + 12000000))
	# p2's wire is still busy with the second frame of priority 3
	two=$((two + 2000000 + 2 * FRAME - 12000000))
	end 1000000000
	resumes=$(pauses /tmp/h1 "$START" | awk '$2 == "link=0000" { print $1 }')
	expect_lines "the resumes" "$resumes" "$two" "$((two + 1000000))"
}

# In XOFF from PFC to 802.3x and back: the peer is freed in the old language first
changes_in_xoff() {
	sender pfc 3,4
	fill 3 0
	port sw p1 pfc none llfc on prio 3 lossless
	end 1000000
	expect_lines "to llfc" "$(pauses /tmp/h1 | cut -d ' ' -f 2- | head -n 3)" 3=ffff 3=0000 link=ffff
	expect_stat sw p1 3.is_xoff == 1
	listen h1 e /tmp/h1 type 0x8808
	port sw p1 llfc off pfc 3
	end 2000000
	expect_lines "to pfc" "$(pauses /tmp/h1 | cut -d ' ' -f 2- | head -n 2)" link=0000 3=ffff
}

# Deleted in XOFF: no peer is left paused
resume_when_deleted() {
	sender llfc on
	fill 3 0
	tc -n sw qdisc del dev p1 root
	end 100000000
	expect_lines "what p1 sent" "$(pauses /tmp/h1 | cut -d ' ' -f 2-)" link=ffff link=0000
}

# --- refused -----------------------------------------------------------------

not_with_pfc() {
	star 1
	expect_refusal "*llfc on and pfc 3 exclude each other*" port sw p1 llfc on pfc 3
	expect_refusal "*llfc on and pfc 3 exclude each other*" port sw p1 pfc 3 llfc on
	port sw p1 llfc on
	expect_refusal "*pfc 0x08 and llfc on exclude each other*" port sw p1 pfc 3
	expect_refusal "*pfc-rx 0x10 and llfc on exclude each other*" port sw p1 pfc-rx 4
	check "back to PFC" port sw p1 llfc off pfc 3
	check "and forth" port sw p1 pfc none llfc on
}

run_tests pauses_all_priorities reload_and_zero pfc_is_ignored \
	frame_bytes refresh_and_resume no_resume_until_all_are_xon changes_in_xoff resume_when_deleted \
	not_with_pfc
