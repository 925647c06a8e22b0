#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact uml-debug
# timeout: 1800
#
# A storm in the middle of everything that can happen to a port. Afterwards nothing stays paused, there is no
# phantom storm, the counters are right, nothing is left in the buffer, the priority flows again, the kernel's log
# has the watchdog's own lines and no others, and the module can be removed.
#
#     h1 --- p1 \
#                sw (a bridge)          p2 is in storm, and would stay so for ever: `restore off`.
#     h2 --- p2 /|                      A pause lasts 34 s at its 1 Mbit/s.
#     h3 --- p3 -+
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

MS=1000000
# Seconds, and the milliseconds in which a slow machine has sent what is to be found in the queue. In virtual
# time nothing is late, but a link is noticed after a second.
PATIENCE=20 DETECT=500
! is_exact || PATIENCE=4 DETECT=10
SIZES="guaranteed 3000 static xoff 6000 xon 5000 headroom 100000"

# --- topology ----------------------------------------------------------------

# stormy [OPTION...]: p2 with these options
stormy() {
	port sw p2 rate 1mbit pfc 3 watchdog detect ${DETECT}ms restore off "$@"
}

switch() {
	echo "storm_life ${FUNCNAME[1]}" > /dev/kmsg
	star 3
	# shellcheck disable=SC2086 # words
	port sw p1 rate 1mbit prio 3 $SIZES
	port sw p3 rate 1mbit
	stormy "$@"
}

change() {
	check "change" tc -n sw qdisc change dev p2 root lossless "$@"
}

# join DEV I: the bridge finds host I by this device
join() {
	ip -n sw link set "$1" up master br0
	ip -n sw link set "$1" type bridge_slave learning off flood off mcast_flood off
	command bridge -n sw fdb replace "$(host_mac "$2")" dev "$1" master static
}

# has_link I: the port forwards frames
has_link() {
	wait_until "$PATIENCE" eval "ip -n sw link show p$1 | grep -q LOWER_UP &&
		command bridge -n sw link show dev p$1 | grep -q forwarding" || fail "p$1 has no link"
}

# --- the storm ---------------------------------------------------------------

# pause HOST PRIORITY [QUANTA]
pause() {
	local quanta=${3:-65535}
	send_pfc "$1" $((1 << $2)) "$quanta,$quanta,$quanta,$quanta,$quanta,$quanta,$quanta,$quanta"
}

# to FROM TO PRIORITY [COUNT]
to() {
	data "$1" "$2" "$3" 1000 count "${4:-1}"
}

# waits DEV PRIORITY KEY OPERATOR VALUE
waits() {
	wait_until "$PATIENCE" stat_is sw "$1" "$2" "$3" "$4" || fail "$1 $2 does not get $3 $4"
}

# storm [PRIORITY]: p2 is found in storm with five frames in the queue
storm() {
	local priority=${1:-3}
	pause 2 "$priority"
	to 1 2 "$priority" 5
	waits p2 "$priority.is_storm" == 1
}

# dropping: ... and costs ten frames: five drained, three that came, two that arrived there
dropping() {
	storm
	waits p2 3.drained == 5
	to 1 2 3 3
	to 2 1 3 2
	expect_counts storms 1 restores 0 drained 5 dropped 3 ingress_dropped 2
	expect_stat sw p2 qlen == 0
}

# full: ... and its queue is full, since it is only told about: p1 keeps its upstream paused
full() {
	change watchdog action alert
	storm
	to 1 2 3 60
	expect_stat sw p2 qlen == 65
	expect_stat sw p1 3.is_xoff == 1
}

expect_counts() {
	while [ $# -gt 0 ]; do
		expect_stat sw p2 "3.$1" == "$2"
		shift 2
	done
}

# --- what must hold afterwards -----------------------------------------------

# goes FROM TO PRIORITY: a frame leaves by the port
goes() {
	local before
	before=$(stat_of sw "p$2" "$3.packets")
	to "$1" "$2" "$3"
	wait_until "$PATIENCE" stat_is sw "p$2" "$3.packets" == $((before + 1)) || fail "priority $3 from h$1 to h$2 is stuck"
}

# arrives FROM TO PRIORITY: a frame reaches the host, whose port is none
arrives() {
	listen "h$2" e /tmp/arrived type 0x0800 count 1
	to "$1" "$2" "$3"
	wait_until "$PATIENCE" grep -q ^frames /tmp/arrived || fail "priority $3 from h$1 does not reach h$2"
}

# calm STORMS: so many there were on p2, and none is left; priority 3 flows both ways
calm() {
	expect_counts storms "$1" restores "$1" is_storm 0 is_paused 0
	goes 1 2 3
	goes 2 1 3
	empty
	expect_counts storms "$1"
}

# empty [PORT...]: nothing is held, by all three ports or these, and the first one's upstream is not paused
empty() {
	local ports=(p1 p2 p3)
	[ $# -eq 0 ] || ports=("$@")
	waits "${ports[0]}" 3.is_xoff == 0
	expect_drained sw "${ports[@]}"
	expect "bytes of the pools used" "$(lossless -j -n sw buffer show | jq '.shared_used + .headroom_pool_used')" == 0
}

# A new storm is found on p2, and ends
watched() {
	local storms
	storms=$(stat_of sw p2 3.storms)
	change watchdog detect ${DETECT}ms restore off action drop
	pause 2 3
	to 1 2 3
	waits p2 3.storms == $((storms + 1))
	over
}

# What keeps the storm is taken away
over() {
	change watchdog restore auto 1ms
	waits p2 3.is_storm == 0
}

# The kernel's lines since the test began; those of bridges, veths and the like are none of ours
OWN='lossless: prio [0-7] (in storm: blocked by pauses for [0-9]+ us, [0-9]+ frames in the queue, action [a-z]+'
OWN+='|restored after [0-9]+ us \([a-z ]+\): drained [0-9]+, dropped [0-9]+, dropped at ingress [0-9]+)$'
OTHERS='(br0|bond0|v2)( \(unregistering\))?: |8021q: adding VLAN 0|(entered|left) (allmulticast|promiscuous) mode|: renamed from'
OTHERS+='|callbacks suppressed|sch_lossless: loading out-of-tree|storm_life|hrtimer: interrupt took|workqueue: .* hogged CPU'

kernel_log() {
	dmesg | sed 's/^\[[^]]*\] //' | awk '/^storm_life / { n = 0 } { line[n++] = $0 } END { for (i = 0; i < n; i++) print line[i] }'
}

silence() {
	local said
	said=$(kernel_log | grep -vE "$OWN|$OTHERS")
	[ -z "$said" ] || fail "the kernel says: $said"
}

# logged COUNT PATTERN: lines of the watchdog
logged() {
	wait_until "$PATIENCE" eval "(( \$(kernel_log | grep -cE '$2') == $1 ))" ||
		fail "$(kernel_log | grep -cE "$2") lines say \"$2\", expected $1"
}

# --- links -------------------------------------------------------------------

# The port is closed in its storm: that ends it. Opened again, it forwards.
port_flaps() {
	switch
	dropping
	ip -n sw link set p2 down
	expect_counts storms 1 restores 1 is_storm 0
	ip -n sw link set p2 up
	has_link 2
	calm 1
	full
	ip -n sw link set p2 down
	empty
	ip -n sw link set p2 up
	has_link 2
	calm 2
	logged 2 "p2: lossless: prio 3 in storm"
	logged 1 "p2: lossless: prio 3 restored .*\(port down\): drained 5, dropped 3, dropped at ingress 2"
	watched
	silence
}

# Its peer is: the link is lost
peer_flaps() {
	switch
	dropping
	ip -n h2 link set e down
	waits p2 3.is_storm == 0
	expect_counts storms 1 restores 1
	ip -n h2 link set e up
	has_link 2
	calm 1
	watched
	silence
}

# A port is closed before it has been blocked for long enough, and what its peer sends then has no effect
closed_port() {
	local i
	switch
	change watchdog detect 2s
	pause 2 3
	to 1 2 3 2
	ip -n sw link set p2 down
	for i in 1 2 3; do
		frame until $(($(now) + 800 * MS))
		pause 2 3
	done
	ip -n sw link set p2 up
	has_link 2
	calm 0
	silence
}

# --- the qdisc goes ----------------------------------------------------------

# in_storm COMMAND...: does it to a switch whose p2 drops in storm, and to one whose p2 has a full queue
in_storm() {
	local state
	switch
	for state in dropping full; do
		stormy action drop
		$state
		"$@"
	done
	silence
}

# without_p2 COMMAND...: p2 is no port any more: its queue is given back, and both directions work
without_p2() {
	"$@"
	empty p1 p3
	arrives 1 2 3
	arrives 2 1 3
	stormy
	calm 0
	watched
	tc -n sw qdisc del dev p2 root
}

qdisc_deleted() { in_storm without_p2 tc -n sw qdisc del dev p2 root; }
replaced_by_pfifo() { in_storm without_p2 tc -n sw qdisc replace dev p2 root pfifo limit 100; }

# Another lossless begins anew
replace() {
	tc -n sw qdisc replace dev p2 root handle 2: lossless rate 1mbit watchdog detect ${DETECT}ms restore off
	calm 0
	watched
	tc -n sw qdisc del dev p2 root
}

replaced_by_another() { in_storm replace; }

# --- the device goes ---------------------------------------------------------

# anew I: a port that was deleted, with its host's end
anew() {
	link sw "p$1" "$(port_mac "$1")" "h$1" e "$(host_mac "$1")"
	join "p$1" "$1"
	has_link "$1"
}

delete_device() {
	ip -n sw link del p2
	empty p1 p3
	anew 2
	stormy
	calm 0
	tc -n sw qdisc del dev p2 root
}

device_deleted() { in_storm delete_device; }

# p1, by which the frames in p2's queue came in; they stay there, and go when the storm is over
delete_ingress() {
	local left
	left=$(stat_of sw p2 qlen)
	ip -n sw link del p1
	expect_stat sw p2 qlen == "$left"
	expect_stat sw p2 3.is_storm == 1
	change watchdog action forward
	waits p2 qlen == 0
	empty p2 p3
	anew 1
	# shellcheck disable=SC2086 # words
	port sw p1 rate 1mbit prio 3 $SIZES
	expect_stat sw p2 3.packets == "$left"
	over
	goes 1 2 3
	tc -n sw qdisc del dev p2 root
}

ingress_device_deleted() { in_storm delete_ingress; }

move() {
	ip -n sw link set p2 netns elsewhere
	empty p1 p3
	ip -n elsewhere link set p2 up
	port elsewhere p2 rate 1mbit
	expect_stat elsewhere p2 3.storms == 0
	expect_stat elsewhere p2 3.is_paused == 0
	expect_drained elsewhere p2
	ip -n elsewhere link set p2 netns sw
	join p2 2
	has_link 2
	stormy
	calm 0
	tc -n sw qdisc del dev p2 root
}

moved() {
	add_ns elsewhere
	in_storm move
}

# without_host I: the namespace of a host goes, and the port with it
without_host() {
	local ns kept=()
	for ns in "${NAMESPACES[@]}"; do
		[ "$ns" = "h$1" ] || kept+=("$ns")
	done
	NAMESPACES=("${kept[@]}")
	ip netns del "h$1"
	wait_until "$PATIENCE" eval "! ip -n sw link show p$1" || fail "p$1 remains"
}

peers_namespace_dies() {
	switch
	full
	without_host 2
	empty p1 p3
	goes 1 3 3
	silence
}

senders_namespace_dies() {
	switch
	full
	without_host 1
	expect_stat sw p2 qlen == 65
	change watchdog action drop
	waits p2 qlen == 0
	expect_counts storms 1 restores 0 drained 65 is_storm 1
	empty p2 p3
	over
	goes 3 2 3
	silence
}

# ahead: ... and all is still to come: the end of one priority's storm, and the storm of another one
ahead() {
	change pfc 3,4
	dropping
	change watchdog restore auto 1h detect 60s
	pause 2 4
	to 1 2 4 5
}

# The whole switch: with an empty queue, with a full one, with timers that run
switch_dies() {
	local state ns
	for state in dropping full ahead; do
		switch
		$state
		for ns in sw h1 h2 h3; do
			ip netns del $ns
		done
		NAMESPACES=()
		wait_until "$PATIENCE" grep -qx 0 /sys/module/sch_lossless/refcnt || fail "a port remains"
	done
	silence
}

# --- the configuration changes -----------------------------------------------

# What does not concern the storm leaves it alone
mtu_and_other_options() {
	switch
	dropping
	ip -n sw link set p2 mtu 4000
	change rate 2mbit burst 8 overhead 20
	to 1 2 3
	expect_counts storms 1 restores 0 is_storm 1 drained 5 dropped 4
	over
	calm 1
	change watchdog restore off
	full
	ip -n sw link set p2 mtu 1500
	expect_stat sw p2 qlen == 65
	change watchdog action drop
	waits p2 qlen == 0
	expect_stat sw p2 3.last_drained == 65
	over
	calm 2
	silence
}

# Whether the kernel resets the qdisc then (before 7.2) or not
queue_length() {
	switch
	dropping
	ip -n sw link set p2 txqueuelen 77
	expect "restored or in storm" $(($(stat_of sw p2 3.restores) + $(stat_of sw p2 3.is_storm))) == 1
	over
	calm 1
	watched
	silence
}

# Off, the storm is over and pauses hold again, for as long as they like; on, a storm is found again
watchdog_off_and_on() {
	switch
	dropping
	change watchdog off
	expect_counts storms 1 restores 1 is_storm 0
	pause 2 3
	to 1 2 3 2
	expect_counts is_paused 1 dropped 3
	expect_stat sw p2 qlen == 2
	frame until $(($(now) + (DETECT + 90) * MS))
	expect_counts storms 1 is_storm 0
	change watchdog
	waits p2 3.is_storm == 1
	waits p2 3.last_drained == 2
	expect_counts storms 2 restores 1
	over
	calm 2
	logged 1 "p2: lossless: prio 3 restored .*\(configuration\)"
	silence
}

# The time before counts for nothing: blocked for 100 ms without a watchdog, then for 10 ms - 1 with it, no storm
on_counts_from_then() {
	local on
	is_exact || return 0
	switch
	change watchdog off
	pause 2 3
	to 1 2 3 2
	frame until $(($(now) + 100 * MS))
	on=$(now)
	change watchdog detect ${DETECT}ms
	frame until $((on + DETECT * MS - 1))
	pause 2 3 0
	waits p2 qlen == 0
	expect_counts storms 0
	pause 2 3
	to 1 2 3
	change watchdog off
	frame until $(($(now) + 100 * MS))
	change watchdog detect ${DETECT}ms
	on=$(now)
	frame until $((on + DETECT * MS + 2))
	expect_counts storms 1
	silence
}

# PFC is disabled: the storm ends, the queue works, pauses mean nothing. Enabled, it is watched.
pfc_disabled() {
	switch
	dropping
	change pfc none
	expect_counts storms 1 restores 1 is_storm 0
	pause 2 3
	expect_counts pfc_ignored 1
	calm 1
	change pfc 3
	pause 2 3
	to 1 2 3
	waits p2 3.is_storm == 1
	change pfc none
	calm 2
	silence
}

# Another priority is enabled instead, and is watched
pfc_of_another_priority() {
	switch
	dropping
	change pfc 4
	expect_counts storms 1 restores 1 is_storm 0
	pause 2 3
	goes 1 2 3
	storm 4
	waits p2 4.drained == 5
	goes 1 2 3
	change watchdog restore auto 1ms
	waits p2 4.is_storm == 0
	goes 1 2 4
	calm 1
	silence
}

# Lossy and lossless again; as long as its pauses are honoured the storm goes on
lossy_and_back() {
	switch pfc-rx 3
	dropping
	change pfc none
	expect_counts is_storm 1 restores 0
	change pfc 3
	expect_counts is_storm 1 restores 0
	to 1 2 3
	expect_counts dropped 4
	change pfc none pfc-rx none
	expect_counts storms 1 restores 1 is_storm 0
	calm 1
	change pfc 3 pfc-rx 3
	calm 1
	watched
	silence
}

# The ingress port's priority becomes lossy while its frames sit in the storming queue, and lossless again
ingress_lossy_and_back() {
	switch
	full
	tc -n sw qdisc change dev p1 root lossless pfc none
	expect_stat sw p2 qlen == 65
	tc -n sw qdisc change dev p1 root lossless pfc 3
	change watchdog action drop
	waits p2 3.drained == 65
	over
	calm 1
	silence
}

# Link pause instead of PFC: its pauses are watched as well, and of every priority
llfc_in_storm() {
	switch
	dropping
	change pfc none llfc on watchdog restore auto 1ms
	waits p2 3.is_storm == 0
	calm 1
	change watchdog restore off
	frame -n h2 send e dst 01:80:c2:00:00:01 kind pause time 65535
	to 1 2 3 4
	to 1 2 0 2
	waits p2 3.is_storm == 1
	waits p2 0.is_storm == 1
	waits p2 3.last_drained == 4
	waits p2 0.last_drained == 2
	change llfc off pfc 3
	expect_stat sw p2 0.is_storm == 0
	expect_stat sw p2 0.restores == 1
	goes 1 2 0
	over
	calm 2
	silence
}

# --- the action changes ------------------------------------------------------

forward_then_drop() {
	switch action forward
	storm
	waits p2 3.packets == 5
	pause 2 3
	expect_counts is_paused 0
	goes 1 2 3
	goes 2 1 3
	change watchdog action drop
	to 1 2 3 4
	to 2 1 3
	expect_counts storms 1 restores 0 drained 0 dropped 4 ingress_dropped 1 packets 6
	over
	calm 1
	silence
}

drop_then_forward() {
	switch
	dropping
	change watchdog action forward
	goes 1 2 3
	goes 2 1 3
	expect_counts storms 1 restores 0 drained 5 dropped 3 ingress_dropped 2 is_storm 1
	over
	calm 1
	silence
}

# Only told about, the priority is held by its pauses again
drop_then_alert() {
	switch
	dropping
	change watchdog action alert
	pause 2 3
	to 1 2 3
	expect_counts is_paused 1 is_storm 1 dropped 3
	expect_stat sw p2 qlen == 1
	goes 2 1 3
	pause 2 3 0
	waits p2 qlen == 0
	expect_counts packets 1 restores 0
	over
	calm 1
	silence
}

alert_then_drop() {
	switch
	full
	change watchdog action drop
	waits p2 3.drained == 65
	waits p1 3.is_xoff == 0
	over
	calm 1
	silence
}

alert_then_forward() {
	switch
	full
	change watchdog action forward
	waits p2 3.packets == 65
	expect_counts drained 0 dropped 0
	over
	calm 1
	silence
}

ingress_pass_changes() {
	switch
	dropping
	change watchdog ingress-pass
	goes 2 1 3
	change watchdog ingress-pass off
	to 2 1 3
	expect_counts ingress_dropped 3
	over
	calm 1
	silence
}

# --- the law changes ---------------------------------------------------------

restore_changes() {
	switch
	dropping
	change watchdog restore fixed 1h
	expect_counts is_storm 1
	change watchdog restore auto 1h
	expect_counts is_storm 1
	change watchdog restore fixed 1ms
	waits p2 3.is_storm == 0
	calm 1
	logged 1 "p2: lossless: prio 3 restored .*\(fixed time\)"
	change watchdog restore off
	storm
	over
	calm 2
	logged 1 "p2: lossless: prio 3 restored .*\(no pause came\)"
	silence
}

# In a storm, what one is does not matter
detection_changes_in_storm() {
	local option
	switch
	dropping
	for option in "detect 1s" "detect 1ms" "window 100ms duty 50" "window 1s duty 1" "window off" "untrust 1 1s"; do
		# shellcheck disable=SC2086 # words
		change watchdog $option
		expect "storms after $option" "$(stat_of sw p2 3.storms)" == 1
		expect "is_storm after $option" "$(stat_of sw p2 3.is_storm)" == 1
	done
	to 1 2 3
	expect_counts dropped 4
	change watchdog untrust off restore auto 1ms
	waits p2 3.is_storm == 0
	calm 1
	silence
}

# A queue that is blocked is in storm as soon as it has been so for the new time, and not before
detection_changes_while_blocked() {
	local start
	switch
	change watchdog detect 60s
	pause 2 3
	to 1 2 3 2
	start=$(now)
	frame until $((start + 50 * MS))
	expect_counts storms 0
	change watchdog detect 80ms
	! is_exact || expect_counts storms 0
	frame until $((start + 80 * MS - 100000))
	! is_exact || expect_counts storms 0
	waits p2 3.is_storm == 1
	expect "since then" $(($(now) - start)) '>=' $((79 * MS))
	waits p2 3.drained == 2
	over
	change watchdog detect 60s
	pause 2 3
	to 1 2 3
	frame until $(($(now) + 50 * MS))
	change watchdog detect 30ms
	expect_counts storms 2
	waits p2 3.is_storm == 0
	calm 2
	silence
}

# The pause is over, but the wire is busy for 100 ms, and nothing has been sent since: the queue has been paused for
# 51 ms, whatever is asked for afterwards
detection_after_the_pause() {
	is_exact || return 0
	switch
	change rate 100kbit watchdog detect 1s
	data 1 2 0 1226 count 2
	pause 2 3 10
	to 1 2 3
	frame until $(($(now) + 80 * MS))
	expect_stat sw p2 qlen == 2
	change watchdog detect 60ms
	expect_counts storms 0
	waits p2 qlen == 0
	calm 0
	silence
}

# --- the port is closed ------------------------------------------------------

is_closed() {
	ip -n sw link show p2 | grep -q 'state DOWN'
}

# found: a storm whose action ends it
found() {
	local storms
	storms=$(stat_of sw p2 3.storms)
	pause 2 3
	to 1 2 3 5
	waits p2 3.storms == $((storms + 1))
}

# Closed, until somebody opens it
shutdown() {
	switch action shutdown
	found
	wait_until "$PATIENCE" is_closed || fail "p2 is not closed"
	expect_counts storms 1 restores 1 is_storm 0
	frame until $(($(now) + 2000 * MS))
	check "p2 stays closed" is_closed
	ip -n sw link set p2 up
	has_link 2
	calm 1
	found
	wait_until "$PATIENCE" is_closed || fail "p2 is not closed again"
	silence
}

# Closed and opened by itself, as often as it storms
flap() {
	local i
	switch action flap
	for i in 1 2 3; do
		found
		waits p2 3.restores == $i
		has_link 2
		calm $i
	done
	logged 3 "p2: lossless: prio 3 restored .*\(port down\)"
	silence
}

# The action is asked for in the storm
drop_then_shutdown() {
	switch
	dropping
	change watchdog action shutdown
	wait_until "$PATIENCE" is_closed || fail "p2 is not closed"
	ip -n sw link set p2 up
	has_link 2
	calm 1
	silence
}

# In virtual time the clock stands still for as long as anybody is busy
busy_rtnl() {
	while :; do
		ip link add busy type dummy
		ip link del busy
		! is_exact || sleep 0.001
	done
}

# Somebody else takes RTNL all the time. On one CPU hardly anybody sleeps while he has it: that it is waited for
# takes two to show.
flap_with_busy_rtnl() {
	local i busy
	switch action flap
	busy_rtnl &
	busy=$!
	for i in 1 2 3; do
		found
		waits p2 3.restores == $i
		has_link 2
	done
	kill "$busy"
	wait "$busy" 2> /dev/null
	calm 3
	silence
}

# The qdisc is deleted when the port is to be closed: before, meanwhile, after
deleted_at_the_same_moment() {
	local action i start
	switch
	for action in shutdown flap; do
		for i in -200 -1 0 1 200 20000; do
			stormy action $action
			pause 2 3
			start=$(now)
			to 1 2 3
			frame until $((start + DETECT * MS + i * 1000))
			tc -n sw qdisc del dev p2 root
			ip -n sw link set p2 up
			has_link 2
		done
	done
	stormy action drop
	calm 0
	silence
}

# --- which queues, and where -------------------------------------------------

# Pauses of lossy priorities are honoured: their storms are seen, and concern nobody else
lossy_priorities() {
	switch pfc-rx all
	storm 0
	storm 6
	waits p2 0.drained == 5
	waits p2 6.drained == 5
	calm 0
	change watchdog restore auto 1ms
	waits p2 0.is_storm == 0
	waits p2 6.is_storm == 0
	goes 1 2 0
	goes 1 2 6
	expect_stat sw p2 0.restores == 1
	expect_stat sw p2 0.pfc_tx == 0
	change pfc-rx 3
	pause 2 0
	goes 1 2 0
	expect_stat sw p2 0.storms == 1
	silence
}

# stacked DEV COMMAND...: the port is DEV, on p2; the command pauses it
stacked() {
	local dev=$1
	shift
	tc -n sw qdisc del dev p2 root
	port sw "$dev" rate 1mbit pfc 3 watchdog detect ${DETECT}ms restore off
	"$@" 65535
	"$SEND" 1 2 3 5
	waits "$dev" 3.is_storm == 1
	waits "$dev" 3.drained == 5
	"$SEND" 1 2 3 2
	waits "$dev" 3.dropped == 2
	tc -n sw qdisc change dev "$dev" root lossless watchdog restore auto 1ms
	waits "$dev" 3.restores == 1
	"$SEND" 1 2 3
	waits "$dev" 3.packets == 1
	tc -n sw qdisc change dev "$dev" root lossless watchdog restore off action alert
	"$@" 65535
	"$SEND" 1 2 3 20
	waits "$dev" 3.storms == 2
	ip -n sw link del "$dev"
	empty p1 p3
	silence
}
SEND=to

pause_by_vlan() {
	send_pfc 2 8 "0,0,0,$1" vid 5 size 64
}

storm_on_vlan() {
	switch
	ip -n sw link set p2 nomaster
	ip -n sw link add link p2 name v2 type vlan id 5
	join v2 2
	stacked v2 pause_by_vlan
}

pause_by_address() {
	send_pfc 2 8 "0,0,0,$1" dst 02:00:00:00:02:02
}

storm_on_bond() {
	switch
	ip -n sw link set p2 nomaster
	ip -n sw link add bond0 type bond mode active-backup
	ip -n sw link set bond0 address 02:00:00:00:02:02
	ip -n sw link set p2 down
	ip -n sw link set p2 master bond0
	ip -n sw link set p2 up
	join bond0 2
	ip -n sw link set bond0 address 02:00:00:00:02:02
	stacked bond0 pause_by_address
}

# routed_to FROM TO PRIORITY [COUNT]: the switch routes
routed_to() {
	data "$1" "$2" "$3" 1000 count "${4:-1}" dst "$(port_mac 1)" from 10.1.0.2 to 10.2.0.2
}

# The switch routes from p1 to br0, which has p2
storm_on_bridge() {
	local SEND=routed_to
	switch
	ip -n sw link set p1 nomaster
	ip -n sw link set br0 address 02:00:00:00:02:02
	ip -n sw addr add 10.1.0.1/24 dev p1
	ip -n sw addr add 10.2.0.1/24 dev br0
	ip -n sw neigh replace 10.2.0.2 lladdr "$(host_mac 2)" nud permanent dev br0
	on sw sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.p1.rp_filter=0
	stacked br0 pause_by_address
}

# hundred_pauses START: a pause and a frame that it holds, every 5 ms
hundred_pauses() {
	send_pfc 2 8 0,0,0,65535 count 100 gap $((5 * MS)) at "$1" &
	data 1 2 3 1000 count 100 gap $((5 * MS)) at $(($1 + 1000))
	waits p2 3.restores == 100
}

one_after_the_other() {
	local i
	for ((i = 1; i <= 100 && !FAILURES; i++)); do
		pause 2 3
		to 1 2 3
		waits p2 3.restores == $i
	done
}

# As short as it can be, a hundred times
a_hundred_times() {
	switch
	change watchdog detect 1ms restore auto 1ms
	if is_exact; then
		hundred_pauses $(($(now) + 10 * MS))
	else
		one_after_the_other
	fi
	expect_counts storms 100 restores 100 drained 100 dropped 0 packets 0 is_storm 0
	calm 100
	silence
}

forget_leaks
run_tests port_flaps peer_flaps closed_port qdisc_deleted replaced_by_pfifo replaced_by_another device_deleted \
	ingress_device_deleted moved peers_namespace_dies senders_namespace_dies switch_dies mtu_and_other_options \
	queue_length watchdog_off_and_on on_counts_from_then pfc_disabled pfc_of_another_priority lossy_and_back \
	ingress_lossy_and_back llfc_in_storm forward_then_drop drop_then_forward drop_then_alert alert_then_drop \
	alert_then_forward ingress_pass_changes restore_changes detection_changes_in_storm \
	detection_changes_while_blocked detection_after_the_pause shutdown flap drop_then_shutdown flap_with_busy_rtnl \
	deleted_at_the_same_moment lossy_priorities storm_on_vlan storm_on_bond storm_on_bridge a_hundred_times no_leak
