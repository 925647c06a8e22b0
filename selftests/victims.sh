#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact
# timeout: 600
#
# A receiver whose pauses do not end, and those that share a link with it. All is exact: every flow sends a frame each
# millisecond, at a moment of its own at which all links are idle.
#
#                                              p2 --- h2, the culprit
#     h1 --- u1 up u2 --- the uplink --- p1 sw
#                                              p3 --- h3, the victim's
#
#     flow 1  h1 to h2, priority 3: what the storm is about      flow 5  h2 to h3, priority 3: the culprit sends, too
#     flow 2  h1 to h3, priority 3: the victim                   flow 6  h2 to h3, priority 4
#     flow 3  h1 to h2, priority 4, lossless as well             flow 4  h1 to h2, priority 0
#
# In ms: from 200 on h2 pauses priority 3; the PG of the uplink turns XOFF when it holds five frames of flow 1 and one of flow 2
# comes through it, at 204.25; the storm is found at FOUND = 200 + detect, the last pause comes at LAST = 700 + detect, and the
# storm is over at OVER = 900 + detect.

# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

MS=1000000
FRAME=1000
HALF=167769600			# ns: half of the longest pause, at 100 Mbit/s
PAUSED=200
STUCK=5				# frames of flow 1 in the queue by then
XOFF_AT=204250000		# ns after START
SMALL="guaranteed 0 static xoff 6000 xon 3000 headroom 4000"
# of each flow's frames after every full millisecond, in us
AT=(0 0 250 500 750 600 680)

# ports "NS DEV..." OPTION...: ports of 100 Mbit/s
ports() {
	local ns dev
	read -r ns dev <<< "$1"
	shift
	for dev in $dev; do
		port "$ns" "$dev" rate 100mbit pfc 3,4 "$@"
	done
}

# chain DETECT [OPTION...]: every port watches; OPTIONs are of the watchdogs of sw
chain() {
	local i
	add_ns sw up h1 h2 h3
	link sw p1 "$(port_mac 1)" up u2 "$(port_mac 11)"
	link up u1 "$(port_mac 12)" h1 e "$(host_mac 1)"
	link sw p2 "$(port_mac 2)" h2 e "$(host_mac 2)"
	link sw p3 "$(port_mac 3)" h3 e "$(host_mac 3)"
	bridge 3
	ip -n up link add br0 type bridge mcast_snooping 0
	ip -n up link set br0 up
	for i in u1 u2; do
		ip -n up link set $i master br0
		ip -n up link set $i type bridge_slave learning off flood off mcast_flood off
	done
	command bridge -n up fdb replace "$(host_mac 1)" dev u1 master static
	command bridge -n up fdb replace "$(host_mac 2)" dev u2 master static
	command bridge -n up fdb replace "$(host_mac 3)" dev u2 master static
	ports "h1 e" watchdog detect "$1" prio 3 limit 4m
	ports "up u1 u2" watchdog detect "$1"
	# shellcheck disable=SC2086 # words
	ports "sw p1 p2 p3" watchdog detect "$1" restore auto 200ms "${@:2}" prio 3 $SMALL
}

# flow NUMBER FROM TO PRIORITY: SENT frames in the background
flow() {
	data "$2" "$3" "$4" $FRAME flow "$1" count "$SENT" gap $MS at $((START + AT[$1] * 1000)) &
	SENDERS+=($!)
}

# pause_storm HOST: one pause of priority 3 each 10 ms, from 50 us before the millisecond PAUSED to 500 ms after FOUND
pause_storm() {
	send_pfc "$1" 8 0,0,0,65535 count $(((LAST - PAUSED) / 10 + 1)) gap $((10 * MS)) at $((START + PAUSED * MS - 50000)) &
	SENDERS+=($!)
}

# moments DETECT_MS
moments() {
	FOUND=$((PAUSED + $1)) LAST=$((PAUSED + $1 + 500)) OVER=$((PAUSED + $1 + 700))
	SENT=$((OVER + 200))
	START=$(($(now) + 100 * MS))
	SENDERS=()
}

# until_ms MS: a third of a millisecond before
until_ms() {
	frame until $((START + $1 * MS - MS / 3))
}

# times FILE FLOW: when its frames came, in ns after START
times() {
	awk -v start="$START" -v flow="$2" 'length($3) > 100 && substr($3, 92, 1) == flow { printf "%.0f\n", $1 - start }' "$1"
}

# expect_rate FILE FLOW FROM TO OPERATOR: frames in each 10 ms between these milliseconds, against ten; delays of up to three
# frames are no matter
expect_rate() {
	local odd
	odd=$(times "$1" "$2" | awk -v at="${AT[$2]}" -v from="$3" -v to="$4" -v sign="$5" '
		{ count[int(($1 - at * 1000 + 200000) / 10000000)]++ }
		END {
			for (i = from / 10; i < to / 10; i++)
				if (count[i] < 10 || (sign == "==" && count[i] > 10))
					print i * 10 "ms:" count[i] + 0
		}' | xargs)
	[ -z "$odd" ] || fail "flow $2: 10 ms with another number of frames than 10: ${odd:0:300}"
}

expect_count() {
	expect "frames of flow $2" "$(times "$1" "$2" | wc -l)" == "$3"
}

# What CLOCK_REALTIME is ahead of CLOCK_MONOTONIC; to read a clock takes 256 ns here
realtime_ahead() {
	python3 -c 'from time import *
before, real, after = [clock_gettime_ns(c) for c in (CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_MONOTONIC)]
print(real - (before + after) // 2)'
}

# expect_no_loss_but "NS DEV PRIORITY" NS:DEV...: of these ports no priority but this one knows of a storm or a loss
expect_no_loss_but() {
	local where found="" culprit=$1
	shift
	for where; do
		found+=$("$SELFTESTS/bin/stats" -n "${where%:*}" "${where#*:}" | awk -v port="${where/:/ }" -v culprit="$culprit" '
			$1 ~ /^[0-7]\.(storms|drained|dropped|ingress_dropped|headroom_drops|buffer_drops|local_drops|age_drops)$/ &&
			$2 && port " " substr($1, 1, 1) != culprit { print port, $1, $2 ";" }')
	done
	[ -z "$found" ] || fail "others than $culprit lost frames or stormed: $found"
}

expect_culprit() {
	local key value
	while [ $# -gt 1 ]; do
		key=$1 value=$2
		shift 2
		expect_stat sw p2 "3.$key" == "$value"
	done
}

# What went up the uplink: pauses from XOFF on until the storm is found, two resumes then, and nothing more
expect_pauses_upstream() {
	local lines=() at
	for ((at = XOFF_AT; at < FOUND * MS; at += HALF)); do
		lines+=("$at 3=ffff")
	done
	lines+=("$((FOUND * MS)) 3=0000" "$(((FOUND + 1) * MS)) 3=0000")
	expect_lines "what sw sent upstream" "$(pauses /tmp/up "$START")" "${lines[@]}"
}

# In the storm, when all that had waited upstream has passed: counters are those of this moment
expect_counts_in_storm() {
	until_ms "$LAST"
	expect_stat sw p2 3.is_storm == 1
	expect_culprit drained $STUCK dropped $((LAST - PAUSED - STUCK)) last_dropped $((LAST - PAUSED - STUCK)) \
		ingress_dropped "$(ingress_dropped "$LAST")" restores 0
}

# ingress_dropped MS: so many frames of flow 5 until then
ingress_dropped() {
	case "$INGRESS" in
	drop) echo $(($1 - FOUND)) ;;
	pass) echo 0 ;;
	esac
}

# hear NS DEV FILE [OPTION...]: until all that is sent has come
hear() {
	listen "$@" until $((START + (SENT + 50) * MS))
}

all_flows() {
	flow 1 1 2 3
	flow 2 1 3 3
	flow 3 1 2 4
	flow 4 1 2 0
	flow 5 2 3 3
	flow 6 2 3 4
}

expect_victim() {
	local still back
	still=$(times /tmp/h3 2 | awk '$1 - last > most { most = $1 - last } { last = $1 } END { printf "%.3f", most / 1e6 }')
	back=$(times /tmp/h3 2 | awk -v found=$((FOUND * MS)) '$1 >= found { printf "%.0f", $1 - found; exit }')
	note "detect $((FOUND - PAUSED)) ms: the victim stood still for $still ms and was back $back ns after that"
	expect "frames of the victim between XOFF and the storm" "$(times /tmp/h3 2 |
		awk -v from=$((XOFF_AT + 1)) -v to=$((FOUND * MS)) '$1 > from && $1 < to' | wc -l)" == 0
	expect "ns from the storm's detection to the victim's next frame" "$back" '<=' 100000
	expect_rate /tmp/h3 2 0 $PAUSED ==
	expect_rate /tmp/h3 2 $((FOUND + 10)) "$SENT" '>='
	expect_count /tmp/h3 2 "$SENT"
}

# Other priorities of the culprit, both ways
expect_others() {
	expect_rate /tmp/h2 3 0 "$SENT" ==
	expect_rate /tmp/h2 4 0 "$SENT" ==
	expect_rate /tmp/h3 6 0 "$SENT" ==
	expect_count /tmp/h2 3 "$SENT"
	expect_count /tmp/h2 4 "$SENT"
	expect_count /tmp/h3 6 "$SENT"
}

# Flow 1, frame by frame; after the storm nothing is lost any more
expect_culprit_after() {
	local before
	before=$(times /tmp/h2 1 | awk -v over=$((OVER * MS)) '$1 < over' | wc -l)
	expect "frames of flow 1 until restored" "$before" == "$PAUSED"
	expect_count /tmp/h2 1 $((PAUSED + SENT - OVER))
	expect_count /tmp/h3 5 $((SENT - $(ingress_dropped "$OVER")))
	expect_culprit storms 1 restores 1 drained $STUCK dropped $((OVER - PAUSED - STUCK)) \
		ingress_dropped "$(ingress_dropped "$OVER")" last_drained $STUCK \
		storm_start_ns $((START + FOUND * MS + $(realtime_ahead))) storm_ns $(((OVER - FOUND) * MS - 50000)) \
		txwait_ns $(((FOUND - PAUSED) * MS)) pfc_rx $(((LAST - PAUSED) / 10 + 1))
	expect_stat sw p2 drops == $((OVER - PAUSED))
}

# storm DETECT_MS [OPTION...]
storm() {
	chain "$1ms" "${@:2}"
	moments "$1"
	hear h2 e /tmp/h2
	hear h3 e /tmp/h3
	hear up u2 /tmp/up type 0x8808
	all_flows
	pause_storm 2
	expect_counts_in_storm
	wait

	expect_victim
	expect_others
	expect_culprit_after
	expect_pauses_upstream
	expect_no_loss_but "sw p2 3" sw:p1 sw:p2 sw:p3 up:u1 up:u2 h1:e
	expect_no_foreign_drops
	expect_drained sw p1 p2 p3
	expect_drained up u1 u2
	expect_drained h1 e
}

detect_10ms() {
	INGRESS=drop storm 10
}

detect_100ms() {
	INGRESS=drop storm 100
}

detect_500ms() {
	INGRESS=drop storm 500
}

ingress_pass() {
	INGRESS=pass storm 100 ingress-pass
}

# Two senders, two receivers, on one switch: h3 storms, and nothing happens to h2 and h4
only_its_pair_loses() {
	local stuck=6
	star 4
	ports "h1 e" prio 3 limit 4m
	ports "h2 e" prio 3 limit 4m
	# shellcheck disable=SC2086 # words
	ports "sw p1 p2 p3 p4" watchdog restore auto 200ms prio 3 $SMALL
	moments 100
	hear h3 e /tmp/h3
	hear h4 e /tmp/h4
	hear h2 e /tmp/up type 0x8808
	flow 1 1 3 3
	flow 2 2 4 3
	pause_storm 3
	wait

	expect_rate /tmp/h4 2 0 "$SENT" ==
	expect_count /tmp/h4 2 "$SENT"
	expect "pauses that h2 was sent" "$(heard /tmp/up frames)" == 0
	expect_count /tmp/h3 1 $((SENT - OVER + PAUSED))
	expect_stat sw p3 3.drained == $stuck
	expect_stat sw p3 3.dropped == $((OVER - PAUSED - stuck))
	expect_no_loss_but "sw p3 3" sw:p1 sw:p2 sw:p3 sw:p4 h1:e h2:e
	expect_drained sw p1 p2 p3 p4
	expect_drained h1 e
	expect_drained h2 e
}

run_tests detect_10ms detect_100ms detect_500ms ingress_pass only_its_pair_loses
