#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact qemu
# kernels: 6.1 6.12
# timeout: 600
#
# The last byte of headroom: a frame below XOFF, the frame that causes XOFF, the last one
# that still finds a place, and the first one that does not.
#
# Host 1 sends to host 2, whose port holds everything. Host 1 has no qdisc and does not
# obey. At 100 kbit/s a pause lasts 335 s, so no refresh and no expiry comes in between.
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

# Pauses hold queues here for longer than the watchdog would let them
PORT_OPTIONS=(watchdog off)

# Seconds; in virtual time nothing is late
PATIENCE=20
! is_exact || PATIENCE=2

# setup MTU OPTION...: with options of p1; p2 holds
setup() {
	star 2 "$1"
	port sw p1 rate 100kbit pfc 3,4 "${@:2}"
	port sw p2 rate 100kbit pfc 3,4
	listen h1 e /tmp/h1 type 0x8808
	listen h2 e /tmp/h2 print 0
	hold 2
	wait_until "$PATIENCE" stat_is sw p2 3.is_paused == 1 || fail "p2 is not paused"
}

# arrive COUNT BYTES [PRIORITY]: so many frames more; waits until they were looked at
arrive() {
	local before now
	before=$(stat_of sw p2 source_stamp)
	[ "$1" = 0 ] || data 1 2 "${3:-3}" "$2" count "$1"
	now=$((before + $1))
	wait_until "$PATIENCE" stat_is sw p2 source_stamp == "$now" || fail "$1 frames do not arrive at p2"
}

# expect_pg TEXT KEY VALUE...: of p1's priority 3
expect_pg() {
	local text=$1
	shift
	while [ $# -gt 0 ]; do
		expect "$text: 3.$1" "$(stat_of sw p1 "3.$1")" == "$2"
		shift 2
	done
}

# everything_arrives COUNT: p2 lets all go: so many frames were in the buffer
everything_arrives() {
	expect "frames in p2" "$(stat_of sw p2 qlen)" == "$1"
	port sw p2 rate 10gbit
	let_go 2
	wait_until "$PATIENCE" stat_is sw p2 qlen == 0 || fail "p2 does not drain"
	wait_until "$PATIENCE" stat_is sw p1 3.is_xoff == 0 || fail "p1 stays in XOFF"
	wait_until "$PATIENCE" stat_is sw p1 4.is_xoff == 0 || fail "p1 stays in XOFF"
	expect_drained sw p1 p2
	sleep 0.1
	kill "$LISTENER"
	wait "$LISTENER"
	expect "frames that host 2 got" "$(heard /tmp/h2 frames)" == "$1"
}

# walk BYTES XOFF HEADROOM [CELL]: through all of it with frames of one size
walk() {
	local bytes=$1 xoff=$2 headroom=$3 cell=${4:-1} len fit quiet last
	len=$(((bytes + cell - 1) / cell * cell))
	fit=$((xoff / len)) last=$((headroom / len))
	quiet=$((fit * len == xoff ? fit - 1 : fit))

	arrive "$quiet" "$bytes"
	expect_pg "below XOFF" xoff 0 is_xoff 0 pfc_tx 0 headroom_drops 0 headroom_bytes 0 \
		shared_bytes $((quiet * len))
	arrive 1 "$bytes"
	expect_pg "at XOFF" xoff 1 is_xoff 1 pfc_tx 1 headroom_drops 0 \
		shared_bytes $((fit * len)) headroom_bytes $(((quiet + 1 - fit) * len))
	arrive $((fit + last - quiet - 1)) "$bytes"
	expect_pg "headroom full" xoff 1 pfc_tx 1 headroom_drops 0 \
		shared_bytes $((fit * len)) headroom_bytes $((last * len))
	arrive 1 "$bytes"
	expect_pg "one more" xoff 1 pfc_tx 1 headroom_drops 1 \
		shared_bytes $((fit * len)) headroom_bytes $((last * len))
	expect_lines "what p1 sent" "$(pauses /tmp/h1 | cut -d ' ' -f 2-)" 3=ffff
	everything_arrives $((fit + last))
	expect_pg "in the end" xoff 1 pfc_tx 1 headroom_drops 1 headroom_peak_bytes $((last * len))
}

# SIZES XOFF HEADROOM of p1's priority 3
limits() {
	echo "prio 3 guaranteed 0 static xoff $1 xon 0 headroom $2 noecn"
}

# The headroom is a whole number of frames: the last byte of it is used
last_byte() {
	# shellcheck disable=SC2046 # words
	setup 1500 $(limits 6000 10000)
	walk 1000 6000 10000
}

# One byte less: one frame less
one_byte_less() {
	# shellcheck disable=SC2046 # words
	setup 1500 $(limits 6000 9999)
	walk 1000 6000 9999
}

# The frame that does not fit below XOFF lies in the headroom as a whole
above_xoff() {
	# shellcheck disable=SC2046 # words
	setup 1500 $(limits 6999 10000)
	walk 1000 6999 10000
}

# 64, 512, 1518 and 9216 byte frames (here without FCS)
frames_of_all_sizes() {
	local bytes
	for bytes in 60 508 1514 9212; do
		# shellcheck disable=SC2046 # words
		setup 9216 $(limits 40000 30000)
		walk $bytes 40000 30000
		teardown
		module_load
	done
}

# Of a mix, too, the headroom takes what fits, and refuses what does not
mixed_sizes() {
	# shellcheck disable=SC2046 # words
	setup 1500 $(limits 3000 2100)
	arrive 2 1500
	arrive 1 1500
	arrive 1 601
	expect_pg "601 bytes into 600" headroom_drops 1 headroom_bytes 1500
	arrive 1 600
	expect_pg "600 bytes into 600" headroom_drops 1 headroom_bytes 2100
	arrive 1 60
	expect_pg "60 bytes into none" headroom_drops 2 headroom_bytes 2100
	everything_arrives 4
}

# Frames take whole cells: 1000 bytes take 1040; of the port, then of the namespace
cells() {
	# shellcheck disable=SC2046 # words
	setup 1500 $(limits 4160 2080)
	port sw p2 cell 208
	walk 1000 4160 2080 208
	teardown
	module_load
	# shellcheck disable=SC2046 # words
	setup 1500 $(limits 4096 3072)
	check "cell of the namespace" lossless -n sw buffer set cell 512
	walk 1000 4096 3072 512
}

# The guaranteed part fills first, and a frame may lie in several parts
guarantee_first() {
	setup 1500 prio 3 guaranteed 2500 static xoff 4000 xon 0 headroom 2000 noecn
	arrive 2 1000
	expect_pg "two frames" guaranteed_bytes 2000 shared_bytes 0 is_xoff 0
	arrive 1 1000
	expect_pg "three frames" guaranteed_bytes 2500 shared_bytes 500 is_xoff 0
	arrive 1 1000
	expect_pg "four frames" guaranteed_bytes 2500 shared_bytes 1500 is_xoff 1 headroom_bytes 0
	arrive 2 1000
	expect_pg "six frames" headroom_bytes 2000 headroom_drops 0
	arrive 1 1000
	expect_pg "seven frames" headroom_bytes 2000 headroom_drops 1
	everything_arrives 6
}

pool_used() {
	lossless -j -n sw buffer | sed 's/.*"headroom_pool_used":\([0-9]*\).*/\1/'
}

# Two PGs share a headroom pool of 5000 bytes beside 2000 of their own; the pool's bytes are
# given back first
pool_of_headroom() {
	setup 1500
	check "a pool" lossless -n sw buffer set headroom-pool 5000
	port sw p1 prio 3 guaranteed 0 static xoff 3000 xon 0 headroom 2000 noecn \
		prio 4 guaranteed 0 static xoff 3000 xon 0 headroom 2000 noecn
	arrive 5 1000
	expect "pool used by the private headroom" "$(pool_used)" == 0
	arrive 5 1000
	expect_pg "the whole pool" headroom_bytes 7000 headroom_drops 0
	expect "pool used" "$(pool_used)" == 5000
	arrive 1 1000
	expect_pg "one more" headroom_bytes 7000 headroom_drops 1
	arrive 5 1000 4
	expect_stat sw p1 4.headroom_bytes == 2000
	expect_stat sw p1 4.headroom_drops == 0
	arrive 1 1000 4
	expect_stat sw p1 4.headroom_drops == 1

	# one frame of priority 3 leaves: the wire is slow, and takes no second one
	send_pfc 2 0x08 0
	wait_until "$PATIENCE" stat_is sw p2 qlen == 14 || fail "no frame leaves"
	hold 2
	expect "pool used after a departure" "$(pool_used)" == 4000
	arrive 2 1000 4
	expect_stat sw p1 4.headroom_bytes == 3000
	expect_stat sw p1 4.headroom_drops == 2
	port sw p2 rate 10gbit
	let_go 2
	wait_until "$PATIENCE" stat_is sw p2 qlen == 0 || fail "p2 does not drain"
	expect_drained sw p1 p2
	expect "pool used in the end" "$(pool_used)" == 0
}

# Headroom below one frame of the MTU is refused where it is configured
too_small_is_refused() {
	star 2
	port sw p1
	expect_refusal "*prio 3 headroom 1000 is less than a frame of the MTU, 1518*" \
		port sw p1 prio 3 headroom 1000
	expect_refusal "*prio 3 headroom 0 *" port sw p1 prio 3 headroom 0
	check "headroom of one frame" port sw p1 prio 3 headroom 1518
	check "a pool" lossless -n sw buffer set headroom-pool 2000
	check "headroom in the pool only" port sw p1 prio 3 headroom 0
}

# Two CPUs that emulate are too slow to let out a single frame
tests=(last_byte one_byte_less guarantee_first too_small_is_refused)
! is_exact || tests+=(above_xoff frames_of_all_sizes mixed_sizes cells pool_of_headroom)

run_tests "${tests[@]}"
