#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact
# timeout: 900
#
# PFC that does its work is no storm, however much of it there is: no storm, and no frame lost. Each test ends with a pause that
# does last too long, to show that the watchdog was awake.

# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

MINUTES=30
QUANTUM=5120			# ns at 100 Mbit/s
MS=1000000

# --- half an hour of incast ----------------------------------------------------
#
#     h1, h2 --- p1, p2 up p9 --- p9 sw p5 --- h5        2:1: from h1 and h3; 4:1: from all
#                   h3, h4 --- p3, p4 /
#
# All links have the same rate and nothing but that is configured; senders fill their sockets and block.

# forward NS PORT...: a bridge over these ports that knows that h5 is behind the last
forward() {
	local ns=$1 dev
	shift
	ip -n "$ns" link add br0 type bridge mcast_snooping 0
	ip -n "$ns" link set br0 up
	for dev; do
		ip -n "$ns" link set "$dev" master br0
		ip -n "$ns" link set "$dev" type bridge_slave learning off flood off mcast_flood off
		port "$ns" "$dev" rate "$RATE"
	done
	command bridge -n "$ns" fdb replace "$(host_mac 5)" dev "$dev" master static
}

# sender HOST SWITCH: 10.9.0.5 is an address that h5 does not have, so that it answers nothing
sender() {
	link "$2" "p$1" "$(port_mac "$1")" "h$1" e "$(host_mac "$1")"
	ip -n "h$1" -batch <(echo "addr add 10.0.0.$1/24 dev e
		route add 10.9.0.5/32 dev e
		neigh replace 10.9.0.5 lladdr $(host_mac 5) nud permanent dev e")
	port "h$1" e rate "$RATE"
}

# incast_tree HOST...: the senders, in pairs at the two switches
incast_tree() {
	local i up=() sw=()
	add_ns up sw h5
	for i; do
		add_ns "h$i"
		if ((i <= 2)); then
			sender "$i" up
			up+=("p$i")
		else
			sender "$i" sw
			sw+=("p$i")
		fi
	done
	link up p9 "$(port_mac 9)" sw p9 "$(port_mac 19)"
	link sw p5 "$(port_mac 5)" h5 e "$(host_mac 5)"
	forward up "${up[@]}" p9
	forward sw "${sw[@]}" p9 p5
}

# stream HOST: datagrams of 1472 bytes, 32 in a call, for MINUTES, as fast as the socket takes them
stream() {
	on "h$1" python3 - "$MINUTES" <<-'PYTHON' &
		import socket, sys, time
		s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 24 << 2)
		s.setsockopt(socket.IPPROTO_UDP, 103, 1472)    # UDP_SEGMENT
		s.setsockopt(socket.IPPROTO_IP, 11, 1)         # IP_RECVERR: tells of drops
		s.connect(("10.9.0.5", 9))
		end = time.monotonic() + 60 * int(sys.argv[1])
		while time.monotonic() < end:
		    try:
		        s.send(bytes(32 * 1472))
		    except OSError:
		        time.sleep(0.01)    # one that spins would stop the clock
	PYTHON
	SENDERS+=($!)
}

# share NS DEV KEY: of the time since START, in thousandths
share() {
	echo $(($(stat_of "$1" "$2" "$3") * 1000 / ($(now) - START)))
}

# expect_paused_share FROM TO NS DEV...: thousandths of the time, of each of these ports
expect_paused_share() {
	local from=$1 to=$2 ns dev share
	shift 2
	while [ $# -gt 0 ]; do
		ns=$1 dev=$2
		shift 2
		share=$(share "$ns" "$dev" 3.txwait_ns)
		note "$ns $dev: paused for $((share / 10)).$((share % 10)) % of the time, by $(stat_of "$ns" "$dev" 3.pfc_rx) pauses"
		expect "thousandths for which $ns $dev was paused" "$share" '>=' "$from"
		expect "thousandths for which $ns $dev was paused" "$share" '<=' "$to"
	done
}

# expect_peaceful NS:DEV...: no storm and no drop, anywhere, ever
expect_peaceful() {
	local where found=""
	for where; do
		found+=$("$SELFTESTS/bin/stats" -n "${where%:*}" "${where#*:}" | awk -v port="${where/:/ }" '
			$1 ~ /(^|\.)(drops|storms|restores|drained|dropped|ingress_dropped|is_storm|[a-z]+_drops|pause_timeouts)$/ {
				seen++
				if ($2)
					print port, $1, $2 ";"
			}
			END { if (seen < 80) print port, "has only", seen + 0, "counters" }')
	done
	[ -z "$found" ] || fail "lost or stormed: $found"
}

# sent HOST...: frames that left them
sent() {
	local i sum=0
	for i; do
		sum=$((sum + $(stat_of "h$i" e 3.packets)))
	done
	echo $sum
}

# expect_awake NS DEV FROM TO HOST: host TO pauses for good, FROM sends one frame: a storm of its port
expect_awake() {
	send_pfc "$4" 8 0,0,0,65535 count 4 gap $((30 * MS))
	data "$3" "$4" 3 1000
	wait_until 3 stat_is "$1" "$2" 3.storms '==' 1 || fail "the watchdog of $1 $2 sees no storm"
}

# incast FROM TO HOST...: paused for this share of the time
incast() {
	local from=$1 to=$2 i where=() ports=(up p9)
	shift 2
	SENDERS=() START=$(now)
	incast_tree "$@"
	for i; do
		stream "$i"
		ports+=("h$i" e)
		where+=("h$i:e" "$( ((i <= 2)) && echo up || echo sw):p$i")
	done
	wait "${SENDERS[@]}"
	wait_until 30 stat_is up p9 qlen == 0
	wait_until 30 stat_is sw p5 qlen == 0
	expect_paused_share "$from" "$to" "${ports[@]}"
	note "$(sent "$@") frames"
	expect "frames that left sw" "$(stat_of sw p5 3.packets)" == "$(sent "$@")"
	expect "frames that h5 received" "$(on h5 cat /sys/class/net/e/statistics/rx_packets)" == "$(sent "$@")"
	expect_peaceful "${where[@]}" up:p9 sw:p9 sw:p5
	expect_no_foreign_drops
	expect_awake sw p5 "$1" 5
}

incast_2_to_1() {
	RATE=10mbit incast 300 950 1 3
}

incast_4_to_1() {
	RATE=10mbit incast 300 950 1 2 3 4
}

# --- pauses of a peer that plays by the rules, to the nanosecond -----------------
#
# h2 pauses sw's port; what waits for it comes from h1, around any qdisc.

# watched DETECT_MS: h2's port
watched() {
	star 2
	port sw p1 rate 100mbit
	port sw p2 rate 100mbit watchdog detect "$1ms"
	listen h2 e /tmp/h2
	START=$(($(now) + 200 * MS))
}

# pauses_of NS PERIOD_NS COUNT: the first at START; sets PAUSE, their exact length
pauses_of() {
	local quanta=$(($1 / QUANTUM))
	PAUSE=$((quanta * QUANTUM))
	send_pfc 2 8 0,0,0,$quanta count "$3" gap "$2" at "$START" &
	SENDERS=($!)
}

# frames COUNT GAP_NS AT_NS: from h1 to h2
frames() {
	data 1 2 3 1000 count "$1" gap "$2" at $((START + $3)) &
	SENDERS+=($!)
}

# expect_just_paused FRAMES TXWAIT_NS
expect_just_paused() {
	wait "${SENDERS[@]}"
	wait_until 10 stat_is sw p2 qlen == 0
	sleep 0.1
	kill "$LISTENER"
	wait "$LISTENER"
	expect "frames received" "$(heard /tmp/h2 frames)" == "$1"
	expect "frames out of order" "$(heard /tmp/h2 reordered)" == 0
	expect_stat sw p2 3.txwait_ns == "$2"
	expect_peaceful sw:p1 sw:p2
	expect_awake sw p2 1 2
}

# periodic DETECT_MS PAUSE_MS PERIOD_MS COUNT: a frame comes each quarter of a millisecond all the time; the pauses come at
# the end of each period, in whose beginning the port sends what has waited
periodic() {
	local each=$(($3 * 4))
	watched "$1"
	pauses_of $(($2 * MS)) $(($3 * MS)) "$4"
	frames $((each * $4)) $((MS / 4)) $((1000 - ($3 - $2) * MS))
	expect_just_paused $((each * $4)) $(($4 * (PAUSE - 1000)))
}

# Pauses for the last 60 ms of each 100 ms
at_the_end_of_each_period() {
	periodic 100 60 100 100
}

fifteen_bursts_of_half_the_time() {
	local detect
	for detect in 10 100 200; do
		periodic $detect $((detect / 2)) $detect 15
		teardown
		module_load
	done
}

# one_frame DETECT_MS COUNT: pauses of 0.9 times the detection time; the next comes 10 us after the first frame has begun to leave
one_frame() {
	local i expected=""
	watched "$1"
	PAUSE=$(($1 * MS * 9 / 10 / QUANTUM * QUANTUM))
	pauses_of "$PAUSE" $((PAUSE + 10000)) "$2"
	frames $(($2 + 10)) 100000 1000
	expect_just_paused $(($2 + 10)) $(($2 * PAUSE - 1000))
	for ((i = 1; i <= $2; i++)); do
		expected+=$((i * PAUSE + (i - 1) * 10000))$'\n'
	done
	expect_lines "when the frames left between the pauses" \
		"$(awk -v start="$START" '$2 == 1000 { printf "%.0f\n", $1 - start }' /tmp/h2 | head -n "$2")" "${expected%$'\n'}"
}

one_frame_between_long_pauses() {
	one_frame 100 50
	teardown
	module_load
	one_frame 10 100
}

run_tests incast_2_to_1 incast_4_to_1 at_the_end_of_each_period fifteen_bursts_of_half_the_time one_frame_between_long_pauses
