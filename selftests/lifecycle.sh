#!/bin/bash
# machine: uml-exact uml-debug qemu
# kernels: 6.1 6.12
# timeout: 900
#
# A port comes, changes and goes while frames of its PGs sit in other ports' queues: nothing crashes, nothing is left in the buffer, no
# peer is left paused, and the module can be removed. Ten kinds of ends, 200 rounds in all.
#
#     h1 ---\
#            sw (a bridge) --- h3, whose port is slow, so that h1 and h2 are paused most of the time
#     h2 ---/

# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

# Pauses hold queues here for longer than the watchdog would let them
PORT_OPTIONS=(watchdog off)

FRAME=1000
SIZES="guaranteed 3000 static xoff 6000 xon 5000 headroom 100000"
ROUNDS=20	# of each kind
is_exact || ROUNDS=3 # slow machines, which see more of what goes wrong
declare -A SENDER

# --- topology and traffic ----------------------------------------------------

# switch_port I: 65535 quanta are 3.4 s at this rate: a peer that was forgotten stays paused for long
switch_port() {
	# shellcheck disable=SC2086 # words
	port sw "p$1" rate 10mbit prio 3 $SIZES
}

slow_port() {
	port sw p3 rate 1mbit
}

host_port() {
	port "h$1" e rate 10mbit prio 3 limit 20000
}

# send_from I: eight times what the slow port can send
send_from() {
	"$SELFTESTS/bin/frame" -n "h$1" send e dst "$(host_mac 3)" from "10.0.0.$1" to 10.0.0.3 dscp 24 size $FRAME \
		count 1000000 gap 2000000 flow "$1" 2> /dev/null &
	SENDER[$1]=$!
}

topology() {
	local i
	star 3
	slow_port
	for i in 1 2; do
		switch_port $i
		host_port $i
		send_from $i
	done
	host_port 3
}

stop_sending() {
	kill "${SENDER[@]}"
	wait "${SENDER[@]}"
	SENDER=()
} 2> /dev/null

# Both hosts are paused, and frames of p1's and p2's PGs sit in p3's queue
congested() {
	wait_until 20 stat_is h2 e 3.is_paused == 1 || fail "h2 is not paused"
	wait_until 20 stat_is h1 e 3.is_paused == 1 || fail "h1 is not paused"
	expect_stat sw p3 qlen '>=' 8
}

# free I: right after p1 or p2 has gone, its host is not left paused
free() {
	expect "h$1 still paused" "$(stat_of "h$1" e 3.is_paused)" == 0
}

buffer_used() {
	lossless -j -n sw buffer show | jq '.shared_used + .headroom_pool_used'
}

# The traffic ends: all that was charged is given back, no PG holds a peer paused
settled() {
	local i
	stop_sending
	for i in 1 2; do
		wait_until 20 stat_is "h$i" e qlen == 0 || fail "h$i has frames left"
	done
	wait_until 20 stat_is sw p3 qlen == 0 || fail "p3 has frames left"
	wait_until 10 stat_is sw p1 3.is_xoff == 0 || fail "p1 remains in XOFF"
	wait_until 10 stat_is sw p2 3.is_xoff == 0 || fail "p2 remains in XOFF"
	expect_drained sw p1 p2 p3
	expect "bytes of the pools used" "$(buffer_used)" == 0
	for i in 1 2 3; do
		expect "h$i still paused" "$(stat_of "h$i" e 3.is_paused)" == 0
		expect_drained "h$i" e
	done
}

# rounds ACTION: each leaves the topology as it was, under traffic; a failure ends them
rounds() {
	local round
	topology
	for ((round = 1; round <= ROUNDS && !FAILURES; round++)); do
		congested
		"$1"
	done
	congested
	settled
}

# --- what is done to the ports -----------------------------------------------

# A priority that stops being lossless, and becomes it again
change() {
	tc -n sw qdisc change dev p1 root lossless pfc none
	free 1
	tc -n sw qdisc change dev p1 root lossless pfc 3
}

delete() {
	tc -n sw qdisc del dev p1 root
	free 1
	switch_port 1
}

other_handle() {
	# shellcheck disable=SC2086 # words
	tc -n sw qdisc replace dev p1 root handle 2: lossless rate 10mbit prio 3 $SIZES
	switch_port 1
}

# The ports that hold the frames
delete_egress() {
	tc -n sw qdisc del dev p3 root
	slow_port
}

flap() {
	ip -n sw link set p1 down
	wait_until 5 stat_is h1 e 3.is_paused == 0 || fail "h1 is paused without a link"
	ip -n sw link set p1 up
}

flap_egress() {
	ip -n sw link set p3 down
	wait_until 5 stat_is sw p1 3.is_xoff == 0 || fail "p1 is in XOFF, and nothing is queued"
	free 1
	ip -n sw link set p3 up
}

join_bridge() {
	ip -n sw link set "p$1" up master br0
	ip -n sw link set "p$1" type bridge_slave learning off flood off mcast_flood off
	command bridge -n sw fdb replace "$(host_mac "$1")" dev "p$1" master static
}

move() {
	ip -n sw link set p1 netns elsewhere
	free 1
	ip -n elsewhere link set p1 netns sw
	join_bridge 1
	switch_port 1
}

unregister() {
	ip -n sw link del p2
	link sw p2 "$(port_mac 2)" h2 e "$(host_mac 2)"
	kill "${SENDER[2]}" 2> /dev/null
	wait "${SENDER[2]}"
	join_bridge 2
	switch_port 2
	host_port 2
	send_from 2
}

# Frames that are queued have left the bridge
bridge_removed() {
	ip -n sw link del br0
	bridge 3
}

# --- tests -------------------------------------------------------------------

changed() { rounds change; }
deleted() { rounds delete; }
replaced() { rounds other_handle; }
egress_deleted() { rounds delete_egress; }
link_flaps() { rounds flap; }
egress_flaps() { rounds flap_egress; }
unregistered() { rounds unregister; }
without_bridge() { rounds bridge_removed; }

moved() {
	add_ns elsewhere
	rounds move
}

# The whole switch dies with frames in its queues, and a host's namespace with its port's frames in another's
namespace_dies() {
	local round ns
	for ((round = 1; round <= ROUNDS && !FAILURES; round++)); do
		topology
		congested
		stop_sending
		for ns in h1 sw h2 h3; do
			ip netns del $ns
		done
		NAMESPACES=()
	done
}

forget_leaks
run_tests changed deleted replaced egress_deleted link_flaps egress_flaps moved unregistered without_bridge namespace_dies no_leak
