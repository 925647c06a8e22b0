#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact
# timeout: 600
#
# Which priority a frame gets: by DSCP, PCP or skb->priority, with default and changed maps.
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

V6="kind udp6 from fd00::1 to fd00::2"

# two_hosts OPTION...: h1 -> p1 -> p2 -> h2; the options are p1's, where frames are classified
two_hosts() {
	star 2
	port sw p1 "$@"
	port sw p2 trust pcp default-prio 1
}

again() {
	tc -n sw qdisc change dev p1 root handle 1: lossless "$@"
}

# The frames that p2 has sent, by priority
sent_by_priority() {
	on sw "$SELFTESTS/bin/stats" p2 |
		awk '$1 ~ /^[0-7]\.packets$/ { n[substr($1, 1, 1)] = $2 } END { for (i = 0; i < 8; i++) printf "%d ", n[i] }'
}

# expect_priority PRIO OPTION...: the priority of such a frame from h1
expect_priority() {
	local want=$1 i before after got=""
	shift
	read -r -a before <<< "$(sent_by_priority)"
	on h1 "$SELFTESTS/bin/frame" send e dst "$(host_mac 2)" "$@"
	read -r -a after <<< "$(sent_by_priority)"
	for i in 0 1 2 3 4 5 6 7; do
		((after[i] == before[i])) || got+=" $i:$((after[i] - before[i]))"
	done
	expect_text "priority of a frame with $*" "$got" " $want:1"
}

# expect_dscps KIND_OPTIONS FUNCTION: D + 1 frames of each DSCP D arrive where FUNCTION D says
expect_dscps() {
	local options=$1 where=$2 d before after sent=(0 0 0 0 0 0 0 0)
	read -r -a before <<< "$(sent_by_priority)"
	for d in {0..63}; do
		# shellcheck disable=SC2086 # words
		on h1 "$SELFTESTS/bin/frame" send e dst "$(host_mac 2)" dscp "$d" count $((d + 1)) $options
		sent[$("$where" "$d")]=$((sent[$("$where" "$d")] + d + 1))
	done
	read -r -a after <<< "$(sent_by_priority)"
	for d in 0 1 2 3 4 5 6 7; do
		expect "frames of priority $d" $((after[d] - before[d])) == "${sent[d]}"
	done
}

default_map() { echo $(($1 >> 3)); }
changed_map() { echo $(($1 % 8)); }

dscp_default_map() {
	two_hosts
	expect_dscps "" default_map
}

dscp_changed_map_ipv6() {
	local map="" d
	for d in {0..63}; do
		map+=,$d:$((d % 8))
	done
	two_hosts dscp-map "${map#,}"
	expect_dscps "$V6" changed_map
}

# One entry changes, the others stay, and back again
dscp_map_changes_one_entry() {
	two_hosts
	again dscp-map 26:5
	expect_priority 5 dscp 26
	expect_priority 3 dscp 27
	expect_priority 3 dscp 25
	again dscp-map 26:3,46:7
	expect_priority 3 dscp 26
	expect_priority 7 dscp 46
}

# trust dscp: DSCP of IP, tagged or not; else PCP; else the default priority
trust_dscp() {
	two_hosts default-prio 2
	expect_priority 3 dscp 24
	expect_priority 3 dscp 24 ecn 3
	expect_priority 3 dscp 24 vid 10 pcp 6
	expect_priority 3 dscp 24 vid 0 pcp 6
	expect_priority 0 dscp 0
	# shellcheck disable=SC2086
	expect_priority 6 dscp 48 $V6
	# shellcheck disable=SC2086
	expect_priority 6 dscp 48 vid 10 pcp 1 $V6
	expect_priority 2 kind raw
	expect_priority 6 kind raw vid 10 pcp 6
	expect_priority 6 kind raw vid 0 pcp 6
	expect_priority 0 kind raw vid 10 pcp 0
}

# An IP frame that ends before its DSCP can be trusted is as one that is no IP
trust_dscp_truncated_ip() {
	two_hosts default-prio 2
	expect_priority 2 kind raw type 0x0800 hex 45e0 size 16
	expect_priority 4 kind raw type 0x0800 hex 45e0 size 24 vid 10 pcp 4
	expect_priority 2 kind raw type 0x86dd hex 6e000000 size 20
}

# trust pcp: of a tag with any VID; IP's DSCP does not count
trust_pcp() {
	local p
	two_hosts trust pcp default-prio 2
	for p in 0 1 2 3 4 5 6 7; do
		expect_priority $p dscp 24 vid 10 pcp $p
		expect_priority $p dscp 24 vid 0 pcp $p
	done
	expect_priority 2 dscp 24
	expect_priority 2 kind raw
	expect_priority 5 kind raw vid 4095 pcp 5
}

pcp_map_changes() {
	two_hosts trust pcp pcp-map 3:0,0:3
	expect_priority 0 vid 10 pcp 3
	expect_priority 3 vid 10 pcp 0
	expect_priority 1 vid 10 pcp 1
	again pcp-map 3:6
	expect_priority 6 vid 10 pcp 3
	expect_priority 3 vid 10 pcp 0
}

# A provider tag in front: the outermost PCP counts
pcp_of_the_outer_tag() {
	two_hosts trust pcp
	# 0x88a8, PCP 6 VID 100; inside 0x8100, PCP 1 VID 10, and nothing that is known
	expect_priority 6 kind raw type 0x88a8 hex c0648100200a88b500000000
	# two 802.1Q tags
	expect_priority 4 vid 7 pcp 4 kind raw type 0x8100 hex 200a88b500000000
}

default_prio_changes() {
	local p
	two_hosts trust pcp
	expect_priority 0 dscp 24
	for p in 7 4 1; do
		again default-prio $p
		expect_priority $p dscp 24
	done
}

# set_priority CLASS: tc at p1's ingress, which comes before the port's hook
set_priority() {
	tc -n sw filter del dev p1 ingress
	tc -n sw filter add dev p1 ingress protocol all matchall action skbedit priority "$1"
}

# trust skb: what tc at the ingress says; 8 and more is no priority
trust_skb() {
	local p
	two_hosts trust skb default-prio 2
	tc -n sw qdisc add dev p1 clsact
	for p in 0 3 7; do
		set_priority :$p
		expect_priority $p dscp 40 vid 10 pcp 5
	done
	set_priority :8
	expect_priority 2 dscp 40
	set_priority 1:3
	expect_priority 2 dscp 40
}

trust_changes() {
	two_hosts default-prio 2
	expect_priority 3 dscp 24 vid 10 pcp 6
	again trust pcp
	expect_priority 6 dscp 24 vid 10 pcp 6
	again trust skb
	expect_priority 0 dscp 24 vid 10 pcp 6
	again trust dscp
	expect_priority 3 dscp 24 vid 10 pcp 6
}

# from_sw PRIO OPTION...: frames of this host have no ingress port: the egress port's setting counts
from_sw() {
	local want=$1 packets
	shift
	packets=$(stat_of sw p2 "$want.packets")
	on sw "$SELFTESTS/bin/frame" send p2 dst "$(host_mac 2)" "$@"
	expect "frames of priority $want of this host with $*" $(($(stat_of sw p2 "$want.packets") - packets)) == 1
}

local_frames_are_the_egress_ports() {
	two_hosts dscp-map 24:7
	from_sw 1 dscp 24
	from_sw 5 dscp 24 vid 10 pcp 5
	tc -n sw qdisc change dev p2 root handle 1: lossless trust dscp
	from_sw 3 dscp 24
	from_sw 3 dscp 24 vid 10 pcp 5
	from_sw 5 kind raw vid 10 pcp 5
	tc -n sw qdisc change dev p2 root handle 1: lossless trust skb
	from_sw 6 dscp 24 priority 6
	from_sw 1 dscp 24 priority 9
}

# The ingress port classifies, not the egress port: p2 trusts PCP, p1 trusts DSCP
the_ingress_port_classifies() {
	two_hosts
	expect_priority 3 dscp 24 vid 10 pcp 6
	tc -n sw qdisc change dev p2 root handle 1: lossless trust dscp
	again trust pcp
	expect_priority 6 dscp 24 vid 10 pcp 6
}

run_tests dscp_default_map dscp_changed_map_ipv6 dscp_map_changes_one_entry trust_dscp trust_dscp_truncated_ip trust_pcp \
	pcp_map_changes pcp_of_the_outer_tag default_prio_changes trust_skb trust_changes local_frames_are_the_egress_ports \
	the_ingress_port_classifies
