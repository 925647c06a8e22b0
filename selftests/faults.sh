#!/bin/bash
# Faults that the module had once, each with what showed it.
# machine: uml-exact uml-debug
# timeout: 600

# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

STATIC="prio 3 guaranteed 3k static xoff 12k xon 6k"

# Two tags: the stack takes the outer one out, and what is then called the network header is the
# inner tag (VID 0x061, whose low byte reads like DSCP 24 and ECT(1)), with IPv4 behind it. Whoever looks for
# the EtherType behind a tag that is not there finds 0x0800, in TTL and protocol or in the source address.
INNER=a0610800450000280000000008000000
two_tags() {
	frame -n h1 send e dst "$(host_mac 2)" pcp 2 vid 7 kind raw type 0x8100 \
		hex "${INNER}080000010a0900020001000200140000$(printf '%024d' 0)" "$@"
}

second_tag_is_no_ip_header() {
	star 2
	port sw p1
	port sw p2
	two_tags count 5
	wait_until 5 stat_is sw p2 2.packets == 5 || fail "the outer tag's priority 2 has $(stat_of sw p2 2.packets) frames of 5"
}

second_tag_is_not_marked() {
	star 2
	port sw p1 trust pcp
	port sw p2 prio 2 ecn 0 0 100
	listen h2 e /tmp/heard count 1
	two_tags
	wait "$LISTENER"
	check "the inner tag and the IP header are as they were sent" \
		grep -q "${INNER}08000001" /tmp/heard
	expect_stat sw p2 2.ce_marked == 0
}

# The PG of priority 3 is in XOFF only because p2's frames fill the pool, and its own frames are
# held. When the pool is free it has to be judged at the next refresh, and this must not be put
# off by priority 4, which turns XOFF and XON more often than that.
xoff_by_a_full_pool() {
	star 3
	port sw p1 rate 1gbit pfc 3,4 prio 3 guaranteed 0 alpha 1/8 xon-offset 0 \
		prio 4 guaranteed 3k static xoff 6k xon 4k
	port sw p2 rate 1gbit pfc-rx all prio 5 alpha 128
	port sw p3 rate 100mbit pfc 3,4
	hold 2
	data 1 2 5 1500 count 11000
	send_pfc 3 0x08 0,0,0,65535
	data 1 3 3 1500 count 19
	data 1 3 3 1150
	data 1 3 3 1500
	expect_stat sw p1 3.is_xoff == 1
}

judged_while_another_pg_flaps() {
	local start k flapping=()
	is_exact || return 0
	xoff_by_a_full_pool
	ip -n sw link set p2 down
	start=$(now)
	for ((k = 0; k < 20; k++)); do
		data 1 3 4 1500 count 10 at $((start + k * 4000000)) &
		flapping+=($!)
	done
	frame until $((start + 40000000))
	expect_stat sw p1 4.pfc_tx '>' 2
	expect_stat sw p1 3.is_xoff == 0
	wait "${flapping[@]}"
}

# The pause finds the peer's backlog full: veth drops it and says so
dropped_pause_is_sent_again() {
	local start
	is_exact || return 0
	star 3
	# shellcheck disable=SC2086 # words
	port sw p1 rate 100mbit $STATIC
	port sw p3 rate 100mbit
	send_pfc 3 0x08 0,0,0,65535
	listen h1 e /tmp/heard type 0x8808
	# flooded to the port that joined last first: p2's copy is in the CPU's backlog when p3's is charged
	ip -n sw link set p2 nomaster
	ip -n sw link set p2 master br0
	start=$(now)
	sysctl -qw net.core.netdev_max_backlog=0
	frame -n h1 send e dst ff:ff:ff:ff:ff:ff from 10.9.0.1 to 10.9.0.3 dscp 24 size 1500 count 9
	sysctl -qw net.core.netdev_max_backlog=100000
	expect_stat sw p1 3.is_xoff == 1
	expect_stat sw p1 pfc_deferred '>=' 1
	frame until $((start + 10000000))
	kill "$LISTENER"
	wait "$LISTENER"
	check "the pause is heard within 10 ms" grep -q '3=ffff' <(pauses /tmp/heard "$start")
}

# One frame at 1 kbit/s takes 12 s; a rate that is raised does not wait for it
raised_rate_frees_the_wire() {
	star 2
	port sw p1
	port sw p2 rate 1kbit
	data 1 2 0 1500 count 2
	wait_until 5 stat_is sw p2 qlen == 1 || fail "the second frame does not wait"
	tc -n sw qdisc change dev p2 root lossless rate 1gbit
	wait_until 2 stat_is sw p2 qlen == 0 || fail "the second frame waits for the old rate"
}

# Headroom has to hold a frame of the MTU in whole cells
headroom_holds_whole_cells() {
	star 2
	expect_refusal '*prio 3 headroom 2000 is less than a frame of the MTU, 65536*' \
		tc -n sw qdisc add dev p1 root lossless cell 65536 prio 3 headroom 2000b
	expect_refusal '*prio 3 headroom 2000 is less than a frame of the MTU, 4096*' \
		eval 'port sw p1 prio 3 headroom 2000b && lossless -n sw buffer set cell 4096'
}

# The pool gets free while the port has no link: its PG is judged when it has one again, before anyone is paused
link_up_pauses_for_no_reason() {
	is_exact || return 0
	xoff_by_a_full_pool
	ip -n sw link set p1 down
	ip -n sw link set p2 down
	expect_stat sw p1 3.is_xoff == 1
	listen h1 e /tmp/heard type 0x8808
	ip -n sw link set p1 up
	wait_until 5 stat_is sw p1 3.is_xoff == 0 || fail "p1 is not judged"
	kill "$LISTENER"
	wait "$LISTENER"
	expect_text "what h1 heard" "$(pauses /tmp/heard)" ""
}

# A router on a stick: frames of a stacked port's PG leave by the device below it, so its pauses and
# its PG's releases meet on one qdisc lock. It is lockdep that has to say nothing.
stacked_port_over_its_egress() {
	local v
	add_ns sw h1
	link sw p1 "$(port_mac 1)" h1 e "$(host_mac 1)"
	for v in 10 20; do
		ip -n sw link add link p1 name "v$v" type vlan id $v
		ip -n sw link set "v$v" up
		ip -n sw addr add "10.0.$v.1/24" dev "v$v"
		ip -n sw neigh replace "10.0.$v.2" lladdr "$(host_mac 1)" nud permanent dev "v$v"
	done
	on sw sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.v10.rp_filter=0
	port sw p1 rate 10mbit pfc-rx none
	# shellcheck disable=SC2086 # words
	port sw v10 rate 10mbit $STATIC
	frame -n h1 send e dst "$(port_mac 1)" vid 10 pcp 3 from 10.0.10.2 to 10.0.20.2 dscp 24 size 1500 count 60
	wait_until 10 stat_is sw v10 3.pfc_tx '>' 0 || fail "v10 pauses nobody"
	wait_until 10 stat_is sw p1 qlen == 0
	wait_until 10 stat_is sw v10 3.is_xoff == 0 || fail "v10 stays in XOFF"
	expect_drained sw p1 v10
}

run_tests second_tag_is_no_ip_header second_tag_is_not_marked judged_while_another_pg_flaps dropped_pause_is_sent_again \
	raised_rate_frees_the_wire headroom_holds_whole_cells link_up_pauses_for_no_reason stacked_port_over_its_egress
