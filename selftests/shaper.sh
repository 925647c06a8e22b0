#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact
# timeout: 600
#
# The shaper: a train of frames takes the time that its bytes and overhead take at the rate, to
# the nanosecond, and time for which the port was idle or paused is not made up for.
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

NS_PER_S=1000000000
MARK=0x88b5	# local experimental: the first and the last frame of a train

# wire_ns FRAMES BYTES RATE: whole nanoseconds of so many frames at bytes per second
wire_ns() {
	echo $(($1 * $2 * NS_PER_S / $3))
}

# took FILE: nanoseconds from the first frame to the last
took() {
	echo $(($(heard "$1" last) - $(heard "$1" first)))
}

packets() {
	stat_of sw p1 packets
}

# one_port [OPTION...]: sw's p1 to h1, with room for every train
one_port() {
	hosts 1 9000
	lossless -n sw buffer set size 4g
	port sw p1 prio 0 limit 2g "$@"
}

# send_all FRAMES SIZE START: local frames, all at the same moment. Several senders: virtual time
# goes on by 10 ms for a program that makes 10000 system calls without a rest.
send_all() {
	local left=$1 each=9000
	for (( ; left > 0; left -= each)); do
		on sw "$SELFTESTS/bin/frame" send p1 size "$2" count $((left < each ? left : each)) at "$3" &
	done
}

# train FILE FRAMES SIZE: FILE has when the first and the last frame of a train came to h1, and only
# these, since to hear each of a hundred thousand takes long. While a frame of 9000 bytes is on the
# wire, which lasts 90 ns even at 800 Gbit/s, the train is lined up.
train() {
	local file=$1 frames=$2 size=$3 start=$(($(now) + NS_PER_S))
	listen h1 e "$file" count 2 quiet $((2 * NS_PER_S)) type $MARK
	on sw "$SELFTESTS/bin/frame" send p1 size 9000 at "$start" &
	on sw "$SELFTESTS/bin/frame" send p1 kind raw type $MARK size "$size" at $((start + 10)) &
	send_all $((frames - 2)) "$size" $((start + 20))
	on sw "$SELFTESTS/bin/frame" send p1 kind raw type $MARK size "$size" at $((start + 60)) &
	wait
}

# Both ends of a train are heard in whole nanoseconds, so they may be one off
expect_train() {
	local rate=$1 bytes_per_s=$2 size=$3 overhead=$4 frames=$5 file=/tmp/train took want sent
	sent=$(packets)
	tc -n sw qdisc change dev p1 root handle 1: lossless rate "$rate" overhead "$overhead"
	train $file "$frames" "$size"
	took=$(took $file)
	want=$(wire_ns $((frames - 1)) $((size + overhead)) "$bytes_per_s")
	expect "ends heard of frames of $size bytes at $rate" "$(heard $file frames)" == 2
	expect "frames of $size bytes sent at $rate" $(($(packets) - sent)) == $((frames + 1))
	expect "ns of $frames frames of $size bytes at $rate, overhead $overhead," "$took" "<=" $((want + 1))
	expect "ns of $frames frames of $size bytes at $rate, overhead $overhead," "$took" ">=" $((want - 1))
}

# 10 ppm are 1 ns of 100 us: trains of at least that, and of at least 20 frames
trains_at() {
	local rate=$1 bytes_per_s=$2 overhead=$3 size frames
	for size in 64 512 1500 9000; do
		frames=$((bytes_per_s / 10000 / (size + overhead) + 2))
		expect_train "$rate" "$bytes_per_s" "$size" "$overhead" $((frames > 20 ? frames : 20))
	done
}

rate_1mbit_to_100gbit_is_exact() {
	one_port
	trains_at 1mbit 125000 24
	trains_at 100mbit 12500000 24
	trains_at 1gbit 125000000 24
	trains_at 10gbit 1250000000 24
	trains_at 100gbit 12500000000 24
}

rate_without_overhead_is_exact() {
	one_port
	trains_at 1mbit 125000 0
	trains_at 34.3gbit 4287500000 0
	expect_train 400gbit 50000000000 1500 0 3400
	expect_train 800gbit 100000000000 9000 0 1200
}

rate_400gbit_is_exact() {
	one_port
	trains_at 400gbit 50000000000 24
}

rate_800gbit_is_exact() {
	one_port
	trains_at 800gbit 100000000000 24
}

# 30.48 ns a frame: the K-th leaves 30.48 * K ns after the first, rounded down, not 30 * K and not 31 * K
every_frame_of_a_400gbit_train_is_in_time() {
	local wrong
	one_port rate 400gbit
	listen h1 e /tmp/train count 10000 quiet $NS_PER_S
	send_all 10000 1500 $(($(now) + NS_PER_S))
	wait
	wrong=$(awk '
		/^frames / { next }
		NR == 1 { first = $1; next }
		{
			due = int((NR - 1) * 3048 / 100)
			late = $1 - first - due
			if (late != 0 && !(late == -1 && (NR - 1) * 3048 % 100 == 0))
				wrong++
		}
		END { print wrong + 0 }' /tmp/train)
	expect "frames heard" "$(heard /tmp/train frames)" == 10000
	expect "frames at the wrong time" "$wrong" == 0
	expect "ns of the train" "$(took /tmp/train)" == 304769
}

# smallest_gap FILE: between two frames
smallest_gap() {
	awk '/^frames / { next }
		before && (!smallest || $1 - before < smallest) { smallest = $1 - before }
		{ before = $1 }
		END { print smallest }' "$1"
}

# 12192 ns a frame at 1 Gbit/s. A port that did nothing for 20 ms, twice, owes nothing.
idle_time_gives_no_burst() {
	local start
	one_port rate 1gbit
	start=$(($(now) + NS_PER_S))
	listen h1 e /tmp/heard count 60 quiet $((2 * NS_PER_S))
	for i in 0 1 2; do
		on sw "$SELFTESTS/bin/frame" send p1 size 1500 count 20 at $((start + i * 20000000)) &
	done
	wait
	expect "frames" "$(heard /tmp/heard frames)" == 60
	expect "smallest gap" "$(smallest_gap /tmp/heard)" == 12192
	# the first of each train goes at once, the 19 others at the rate
	expect "ns from the first to the last" "$(took /tmp/heard)" == $((40000000 + 19 * 12192))
}

# Paused for 5 ms in the middle of a train: the rest follows at the rate from the resume on.
paused_time_gives_no_burst() {
	local start
	one_port rate 1gbit pfc 3 pfc-rx 0
	start=$(($(now) + NS_PER_S))
	listen h1 e /tmp/heard count 100 quiet $((2 * NS_PER_S))
	on sw "$SELFTESTS/bin/frame" send p1 size 1500 count 100 at "$start" &
	on h1 "$SELFTESTS/bin/frame" send e kind pfc dst 01:80:c2:00:00:01 vector 1 times 65535 at $((start + 500000)) &
	on h1 "$SELFTESTS/bin/frame" send e kind pfc dst 01:80:c2:00:00:01 vector 1 times 0 at $((start + 5500000)) &
	wait
	expect "frames" "$(heard /tmp/heard frames)" == 100
	expect "smallest gap" "$(smallest_gap /tmp/heard)" == 12192
	# 42 frames have begun by 500 us (the 42nd at 499.872 us), 58 from 5.5 ms on
	expect "ns from the first to the last" "$(took /tmp/heard)" == $((5500000 + 57 * 12192))
}

# A change of the rate: at once, and without a burst
rate_change_takes_effect_at_once() {
	local start
	one_port rate 100mbit
	start=$(($(now) + NS_PER_S))
	listen h1 e /tmp/heard count 100 quiet $((2 * NS_PER_S))
	on sw "$SELFTESTS/bin/frame" send p1 size 1500 count 100 at "$start" &
	frame send lo at $((start + 1000000))
	tc -n sw qdisc change dev p1 root handle 1: lossless rate 1gbit
	wait
	expect "frames" "$(heard /tmp/heard frames)" == 100
	# 121.92 us each: the 9th begins at 975.36 us and would last to 1097.28 us; the 10th begins
	# with the change, some us after 1 ms, and 90 more follow at 12192 ns
	expect "ns from the first to the last" "$(took /tmp/heard)" ">=" $((1000000 + 90 * 12192))
	expect "ns from the first to the last" "$(took /tmp/heard)" "<" $((1050000 + 90 * 12192))
}

run_tests rate_1mbit_to_100gbit_is_exact rate_without_overhead_is_exact rate_400gbit_is_exact rate_800gbit_is_exact \
	every_frame_of_a_400gbit_train_is_in_time idle_time_gives_no_burst paused_time_gives_no_burst \
	rate_change_takes_effect_at_once
