#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact
# timeout: 900
#
# Rings of switches that wait for each other. Every flow goes over two links of the ring, and every link carries two flows: its
# switch's own, and one in transit. Senders obey pauses and offer more than the links carry. Once each ring port's PG holds
# nothing but frames for the next ring link, and all are XOFF, no frame can ever leave: a deadlock, which only the watchdog ends.
#
#          a0 --- in s0 out --- b0
#                 /    \                 a: senders, b: receivers; clockwise from s0's cw to s1's ccw, and so on
#               cw      ccw              with two switches a flow ends where it began, having gone round
#               /        \
#     a1 --- in s1 ...    s3 in --- a3   flow I: from aI into the ring at sI, out of it two switches further on

# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

RATE=40mbit
FRAME=1500			# bytes without FCS
WIRE_NS=$(((FRAME + 24) * 200))	# at 40 Mbit/s
GAP=$((WIRE_NS * 10 / 11))	# 110 % of a link from each sender
SIZES="guaranteed 0 static xoff 30000 xon 24000 headroom 6000"
SECOND=1000000000

mac() {
	printf '02:00:00:00:%02x:%02x' "$1" "$2"
}

routes() {
	local i=$1 next=$2
	cat <<-ROUTES
		addr add 10.9.$i.254/32 dev in
		route add 10.8.$i.1/32 dev out
		neigh replace 10.8.$i.1 lladdr $(mac "$i" 2) nud permanent dev out
		route add default via 10.7.0.1 dev cw onlink
		route add default via 10.7.0.1 dev cw onlink table 7
		neigh replace 10.7.0.1 lladdr $(mac "$next" 6) nud permanent dev cw
		rule add iif in table 7 priority 7
	ROUTES
}

# ring COUNT WATCHDOG...: the switches, as routers, all of whose links have a port at either end that sends
ring() {
	local i next dev
	COUNT=$1
	shift
	for ((i = 0; i < COUNT; i++)); do
		add_ns "s$i" "a$i" "b$i"
		on "s$i" sysctl -qw net.ipv4.ip_forward=1
	done
	for ((i = 0; i < COUNT; i++)); do
		next=$(((i + 1) % COUNT))
		link "s$i" in "$(mac $i 3)" "a$i" e "$(mac $i 1)"
		link "s$i" out "$(mac $i 4)" "b$i" e "$(mac $i 2)"
		link "s$i" cw "$(mac $i 5)" "s$next" ccw "$(mac $next 6)"
	done
	for ((i = 0; i < COUNT; i++)); do
		ip -n "s$i" -batch <(routes $i $(((i + 1) % COUNT)))
		port "a$i" e rate $RATE watchdog off prio 3 limit 60k
		for dev in in out cw ccw; do
			# shellcheck disable=SC2086 # words
			port "s$i" $dev rate $RATE watchdog "${@}" prio 3 $SIZES
		done
	done
}

# load SECONDS GAP: from every sender at once, in the background; START is when
load() {
	local i
	SENDERS=()
	START=$(($(now) + 100000000))
	EACH=$(($1 * SECOND / $2))
	SENT=$((SENT + COUNT * EACH))
	for ((i = 0; i < COUNT; i++)); do
		frame -n "a$i" send e dst "$(mac $i 3)" from "10.9.$i.1" to "10.8.$(((i + 2) % COUNT)).1" dscp 24 \
			size $FRAME count $EACH gap "$2" at $((START + i * 777)) &
		SENDERS+=($!)
	done
}

# receive: at all receivers, until the end of the test
receive() {
	local i
	SENT=0 LISTENERS=()
	for ((i = 0; i < COUNT; i++)); do
		listen "b$i" e "/tmp/b$i" print 0
		LISTENERS+=("$LISTENER")
	done
}

received() {
	local i sum=0
	kill "${LISTENERS[@]}"
	wait "${LISTENERS[@]}"
	for ((i = 0; i < COUNT; i++)); do
		sum=$((sum + $(heard "/tmp/b$i" frames)))
	done
	echo $sum
}

# gather DEVICE...: the present statistics of these devices, s: of all switches' except a's e, of all senders'
gather() {
	local i dev ns
	for ((i = 0; i < COUNT; i++)); do
		for dev; do
			ns=s$i
			[ "$dev" != e ] || ns=a$i
			"$SELFTESTS/bin/stats" -n "$ns" "$dev" | sed "s/^/$dev /"
		done
	done > /tmp/gathered
}

# sum KEY DEVICE...: over all switches, or senders, of what was gathered
sum() {
	awk -v key="$1" -v devices=" ${*:2} " '$2 == key && index(devices, " " $1 " ") { sum += $3 }
		END { print sum + 0 }' /tmp/gathered
}

# total KEY DEVICE: of this moment
total() {
	gather "$2"
	sum "$@"
}

total_is() {
	(($(total "$1" "$2") == $3))
}

# Each link of the ring is paused and has frames, by a PG that is XOFF
expect_deadlock() {
	gather cw ccw
	expect "paused ring queues" "$(sum 3.is_paused cw)" == "$COUNT"
	expect "PGs in XOFF" "$(sum 3.is_xoff ccw)" == "$COUNT"
	expect "ring queues with less than XON in them" "$(awk '$1 == "cw" && $2 == "3.queue_bytes" && $3 <= 24000' /tmp/gathered | wc -l)" == 0
}

# expect_accounted RECEIVED: every frame that was sent, wherever it is or was lost
expect_accounted() {
	local lost queued refused
	gather e in out cw ccw
	refused=$(sum 3.local_drops e)
	lost=$(($(sum 3.drained in out cw ccw) + $(sum 3.dropped in out cw ccw) + $(sum 3.ingress_dropped in out cw ccw)))
	queued=$(sum qlen e in out cw ccw)
	note "sent $SENT, refused by the senders' own ports $refused, received $1, lost in $(sum 3.storms cw) storms $lost, queued $queued"
	expect "all these frames" $((refused + $1 + lost + queued)) == "$SENT"
	expect "drops of the switches" "$(sum drops in out cw ccw)" == $((lost - $(sum 3.ingress_dropped in out cw ccw)))
	expect "frames that found no room" "$(sum 3.headroom_drops in out cw ccw)" == 0
	expect "storms of ports that are not of the ring" "$(sum 3.storms e in out ccw)" == 0
	expect_no_foreign_drops
}

expect_all_drained() {
	local i
	for ((i = 0; i < COUNT; i++)); do
		expect_drained "s$i" in out cw ccw
		expect_drained "a$i" e
	done
}

# expect_storms_end: every ring queue is restored and empty within the pauses' and the restore time
expect_storms_end() {
	wait_until 4 total_is 3.is_storm cw 0 || fail "storms last"
	sleep 0.5
	gather cw
	expect "restores" "$(sum 3.restores cw)" == "$(sum 3.storms cw)"
	expect "paused ring queues" "$(sum 3.is_paused cw)" == 0
	expect "frames in ring queues" "$(sum qlen cw)" == 0
}

# Below what the links carry: all of it arrives, with no more storms
expect_works_again() {
	local storms before
	storms=$(total 3.storms cw)
	before=$(total 3.packets out)
	load 1 $((WIRE_NS * 5 / 2))
	wait "${SENDERS[@]}"
	sleep 0.1
	expect "frames received of a light load" $(($(total 3.packets out) - before)) == $((COUNT * EACH))
	expect "storms" "$(total 3.storms cw)" == "$storms"
}

# --- without a watchdog ------------------------------------------------------

# deadlock COUNT: nothing leaves the ring while senders go on offering, nor when they have stopped; the watchdog, turned on, ends it
deadlock() {
	local i received refused
	ring "$1" off
	receive
	load 3 $GAP
	frame until $((START + SECOND))
	received=$(total 3.packets out)
	refused=$(total 3.local_drops e)
	expect "frames received before" "$received" '>' 0
	expect_deadlock
	frame until $((START + 2 * SECOND))
	expect "frames refused in a second" $(($(total 3.local_drops e) - refused)) '>=' $((COUNT * (SECOND / GAP - 1)))
	expect "frames received" "$(total 3.packets out)" == "$received"
	wait "${SENDERS[@]}"
	sleep 5
	expect_deadlock
	expect "frames received" "$(total 3.packets out)" == "$received"
	expect_accounted "$received"

	for ((i = 0; i < COUNT; i++)); do
		port "s$i" cw watchdog on
	done
	wait_until 2 total_is qlen cw 0 || fail "the watchdog, turned on, does not end it"
	expect_storms_end
	expect_works_again
	expect_accounted "$(received)"
	expect_all_drained
}

two_switches_deadlock() {
	deadlock 2
}

four_switches_deadlock() {
	deadlock 4
}

# --- with it -----------------------------------------------------------------

# recover COUNT WATCHDOG...: under the load that locks it up storms come again whenever they have been restored, and frames are
# received in between; it is over when the load is
recover() {
	local received growth
	ring "$@"
	receive
	load 4 $GAP
	frame until $((START + SECOND * 9 / 10))
	expect "storms" "$(total 3.storms cw)" '>=' 1
	received=$(total 3.packets out)
	frame until $((START + 4 * SECOND))
	growth=$(($(total 3.packets out) - received))
	note "received $received frames in 0.9 s and $growth in the 3.1 s that follow; $(total 3.storms cw) storms"
	expect "frames received after the first storms" "$growth" '>=' "$received"
	wait "${SENDERS[@]}"
	expect_storms_end
	expect_works_again
	expect_accounted "$(received)"
	expect_all_drained
}

two_switches_recover() {
	recover 2 on
}

four_switches_recover() {
	recover 4 on
}

two_switches_recover_fast() {
	recover 2 detect 10ms
}

four_switches_recover_fast() {
	recover 4 detect 10ms
}

run_tests two_switches_deadlock four_switches_deadlock two_switches_recover four_switches_recover two_switches_recover_fast \
	four_switches_recover_fast
