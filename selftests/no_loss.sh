#!/bin/bash
# machine: uml-exact
# timeout: 600
#
# Senders that do not throttle themselves, on links that are ten times as fast as the one that all of them want. What a host
# cannot send is dropped in the host; what has left it arrives, in order.
#
#     h1 --- 20 Mbit/s ----\
#                           sw --- 2 Mbit/s --- h3        all ends of links are ports, of the same rate at both ends
#     h2 --- 20 Mbit/s ----/

# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

# At 2 Mbit/s a frame takes 36 ms, and legitimate pauses last for more than 100 ms
PORT_OPTIONS=(watchdog detect 2s)

MTU=9000
FRAME=9000			# bytes without FCS
WIRE_NS=$(((FRAME + 24) * 400))	# of a frame at 20 Mbit/s
SLOW_NS=$((10 * WIRE_NS))	# and at 2 Mbit/s
declare -A SAMPLE

# topology MTU LOCAL_LIMIT [OPTION...]
topology() {
	local mtu=$1 limit=$2 i
	shift 2
	star 3 "$mtu"
	for i in 1 2; do
		port sw "p$i" rate 20mbit "$@"
		port "h$i" e rate 20mbit "$@" prio 3 limit "$limit"
	done
	port sw p3 rate 2mbit "$@"
	port h3 e rate 2mbit "$@"
	lossless -n sw buffer set size 2000000
}

# offer HOST COUNT GAP: priority 3, flow HOST
offer() {
	on "h$1" "$SELFTESTS/bin/frame" send e dst "$(host_mac 3)" from "10.0.0.$1" to 10.0.0.3 dscp 26 size $FRAME \
		count "$2" gap "$3" flow "$1" &
	SENDERS+=($!)
}

# sample NAME: counters of this very moment
sample() {
	SAMPLE[$1.in]=$(($(stat_of h1 e 3.packets) + $(stat_of h2 e 3.packets)))
	SAMPLE[$1.out]=$(stat_of sw p3 3.packets)
	SAMPLE[$1.ns]=$(now)
}

# growth KEY: from sample `early` to sample `late`
growth() {
	echo $((${SAMPLE[late.$1]} - ${SAMPLE[early.$1]}))
}

# A host that always has frames waits exactly as long as its upstream switch port holds it. To start a program takes
# 2000 ns even here: what lies between two readings is half of what the waits grow by.
expect_waits_equal() {
	local i before between after
	for i in 1 2; do
		before=$(stat_of "h$i" e 3.txwait_ns)
		between=$(stat_of sw "p$i" 3.rxwait_ns)
		after=$(stat_of "h$i" e 3.txwait_ns)
		expect "txwait of h$i's e" $(((before + after) / 2)) == "$between"
		expect "txwait of h$i's e" "$before" '>' 0
	done
}

# What left each host has arrived, and nothing was dropped on the way
expect_all_arrived() {
	local file=$1 i
	expect "frames out of order" "$(heard "$file" reordered)" == 0
	for i in 1 2; do
		expect "frames of h$i" "$(awk -v f="$i" '$1 == "flow" && $2 == f { print $4 }' "$file")" == \
			"$(stat_of "h$i" e 3.packets)"
		expect_stat sw "p$i" 3.headroom_drops == 0
		expect_stat sw "p$i" 3.pfc_tx '>' 0
		expect_stat "h$i" e 3.is_paused == 0
		expect_stat sw "p$i" 3.is_xoff == 0
		expect_stat sw "p$i" 3.headroom_peak_bytes '<=' "$FRAME"
	done
	expect_stat sw p3 drops == 0
	expect_no_foreign_drops
	expect_drained sw p1 p2 p3
}

# Two minutes at 111 % of the fast links, 22 times the slow one
rates_equalise() {
	local out=/tmp/rates gap=$((WIRE_NS * 9 / 10)) count entered left ns share
	SENDERS=()
	topology $MTU 100k
	count=$((120000000000 / gap))
	listen h3 e $out print 0 flows 1 quiet 2000000000
	offer 1 $count $gap
	offer 2 $count $gap
	sleep 20
	sample early
	expect_waits_equal
	sleep 90
	sample late
	expect_waits_equal
	wait "${SENDERS[@]}" $LISTENER

	entered=$(growth in) left=$(growth out) ns=$(growth ns)
	note "90 s: $entered frames in, $left frames out"
	expect "frames in for 1000 out" $((entered * 1000 / left)) '>=' 990
	expect "frames in for 1000 out" $((entered * 1000 / left)) '<=' 1010
	expect "frames out" "$left" '>=' $((ns / SLOW_NS))
	expect "frames out" "$left" '<=' $((ns / SLOW_NS + 1))
	share=$(($(stat_of h1 e 3.packets) * 1000 / $(stat_of sw p3 3.packets)))
	expect "frames of h1 in 1000" $share '>=' 450
	expect "frames of h1 in 1000" $share '<=' 550
	expect_stat h1 e 3.local_drops '>' 0
	expect_all_arrived $out
}

# Pauses so short that every XOFF lasts for many of them: the peer sees no gap between them
refreshed_without_gap() {
	local out=/tmp/refreshed gap=$((WIRE_NS * 9 / 10)) i
	SENDERS=()
	topology $MTU 100k quanta 100
	listen h3 e $out print 0 flows 1 quiet 2000000000
	for i in 1 2; do
		offer $i $((10000000000 / gap)) $gap
	done
	sleep 9
	expect_waits_equal
	for i in 1 2; do
		expect "pauses per XOFF of p$i" $(($(stat_of sw p$i 3.pfc_tx) / $(stat_of sw p$i 3.xoff))) '>=' 10
	done
	wait "${SENDERS[@]}" $LISTENER
	expect_all_arrived $out
}

# udp_burst HOST COUNT: from a socket of the IP stack, all at once
udp_burst() {
	on "h$1" python3 - "$1" "$2" <<-'PYTHON' &
		import socket, struct, sys
		flow, count = int(sys.argv[1]), int(sys.argv[2])
		s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		s.setsockopt(socket.SOL_SOCKET, 32, 1 << 29)    # SO_SNDBUFFORCE
		s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 26 << 2)
		for i in range(count):
		    s.sendto(struct.pack("!LL", flow, i) + bytes(1400), socket.MSG_DONTWAIT, ("10.0.0.3", 9))
	PYTHON
	SENDERS+=($!)
}

# The same from UDP sockets: what ingress ports orphan throttles no sender, and loses nothing either
sockets_lose_nothing() {
	local out=/tmp/sockets i
	SENDERS=()
	topology 1500 4m
	listen h3 e $out print 0 flows 1 quiet 2000000000
	for i in 1 2; do
		udp_burst $i 2500
	done
	wait "${SENDERS[@]}" $LISTENER
	for i in 1 2; do
		expect_stat "h$i" e 3.packets == 2500
		expect_stat "h$i" e 3.local_drops == 0
	done
	expect_all_arrived $out
}

run_tests rates_equalise refreshed_without_gap sockets_lose_nothing
