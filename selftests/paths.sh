#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact
# timeout: 600
#
# Every way from one port to another: the PG of the port that the frame came in by is charged, and no other,
# whatever lies between. p1 faces h1, p2 faces h2; where nothing else is said h1 sends one frame of priority 3.
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

NS_PER_S=1000000000
LEN=200		# of a frame without tag

# send HOST DST_MAC OPTION...: one frame of priority 3; 10.0.2.2 is behind p2
send() {
	local host=$1 dst=$2
	shift 2
	on "$host" "$SELFTESTS/bin/frame" send e dst "$dst" from 10.0.1.1 to 10.0.2.2 dscp 24 size $LEN "$@"
}

to_h2() {
	send h1 "$(host_mac 2)" "$@"
}

# All PGs of sw's ports that were ever charged, as "PORT.PRIO=PEAK"
charged_pgs() {
	local port
	for port in "${PORTS[@]}"; do
		on sw "$SELFTESTS/bin/stats" "$port" |
			awk -v port="$port" '
				/^[0-7]\.(guaranteed|shared|headroom)_peak_bytes / { peak[substr($1, 1, 1)] += $2 }
				END { for (p = 0; p < 8; p++) if (peak[p]) printf "%s%s.%d=%d", (n++ ? " " : ""), port, p, peak[p] }'
	done | tr -d '\n'
}

# How the frames that left by a port were found to have come, as "SOURCE=FRAMES"
sources() {
	on sw "$SELFTESTS/bin/stats" "$1" |
		awk '/^source_/ && $2 { printf "%s%s=%d", (n++ ? " " : ""), substr($1, 8), $2 }'
}

# expect_path EGRESS SOURCES PGS
expect_path() {
	expect_text "how $1 found where frames came from" "$(sources "$1")" "$2"
	expect_text "PGs that were charged" "$(charged_pgs)" "$3"
	expect_drained sw "${PORTS[@]}"
}

# ports NAME...: of sw, two lossless priorities, so that a wrong one would be seen
ports() {
	local port
	PORTS=("$@")
	for port; do
		port sw "$port" pfc 1,3
	done
}

# bridged [OPTION...]: p1 and p2 in br0
bridged() {
	hosts 2
	bridge 2 "$@"
	ports p1 p2
}

tagged() {
	tc -n sw qdisc change dev p1 root handle 1: lossless trust pcp
	to_h2 pcp 3 dscp 8 "$@"
}

bridge_unaware() {
	bridged
	to_h2
	expect_path p2 stamp=1 p1.3=$LEN
}

bridge_other_direction() {
	bridged
	send h2 "$(host_mac 1)"
	expect_path p1 stamp=1 p2.3=$LEN
}

bridge_unaware_tagged() {
	bridged
	tagged vid 10
	expect_path p2 stamp=1 p1.3=$((LEN - 4))
}

bridge_unaware_priority_tagged() {
	bridged
	tagged vid 0
	expect_path p2 stamp=1 p1.3=$((LEN - 4))
}

vlan_aware_bridge() {
	bridged vlan_filtering 1
	command bridge -n sw vlan add vid 10 dev p1
	command bridge -n sw vlan add vid 10 dev p2 "$@"
	command bridge -n sw fdb replace "$(host_mac 2)" dev p2 master static vlan 10
}

vlan_aware_bridge_without_tag() {
	bridged vlan_filtering 1
	command bridge -n sw fdb replace "$(host_mac 2)" dev p2 master static vlan 1
	to_h2
	expect_path p2 stamp=1 p1.3=$LEN
}

vlan_aware_bridge_with_tag() {
	vlan_aware_bridge
	tagged vid 10
	expect_path p2 stamp=1 p1.3=$((LEN - 4))
}

# The PCP is gone when the frame reaches p2's queue: only the stamp knows it
vlan_aware_bridge_that_untags() {
	vlan_aware_bridge pvid untagged
	listen h2 e /tmp/heard count 1 quiet $NS_PER_S
	tagged vid 10
	wait "$LISTENER"
	expect "tags that arrived" "$(grep -c tci /tmp/heard)" == 0
	expect_path p2 stamp=1 p1.3=$((LEN - 4))
}

vlan_aware_bridge_priority_tagged() {
	bridged vlan_filtering 1
	command bridge -n sw fdb replace "$(host_mac 2)" dev p2 master static vlan 1
	listen h2 e /tmp/heard count 1 quiet $NS_PER_S
	tagged vid 0
	wait "$LISTENER"
	expect "tags that arrived" "$(grep -c tci /tmp/heard)" == 0
	expect_path p2 stamp=1 p1.3=$((LEN - 4))
}

# routed DEV [VRF]: sw routes from DEV, which has 10.0.1.254, to p2
routed() {
	local dev=$1
	on sw sysctl -qw net.ipv4.ip_forward=1
	ip -n sw addr add 10.0.1.254/24 dev "$dev"
	ip -n sw addr add 10.0.2.254/24 dev p2
	ip -n sw neigh replace 10.0.2.2 lladdr "$(host_mac 2)" nud permanent dev p2
}

mac_of() {
	ip -n sw -j link show dev "$1" | jq -r '.[0].address'
}

l3() {
	hosts 2
	ports p1 p2
	routed p1
	send h1 "$(mac_of p1)"
	expect_path p2 stamp=1 p1.3=$LEN
}

# Routing sets skb->priority from TOS, here to what is not the stamped priority
l3_keeps_the_ingress_priority() {
	hosts 2
	ports p1 p2
	tc -n sw qdisc change dev p1 root handle 1: lossless dscp-map 24:1
	routed p1
	send h1 "$(mac_of p1)"
	expect_path p2 stamp=1 p1.1=$LEN
	expect_stat sw p2 1.packets == 1
}

# In three fragments of at most 580 bytes, each charged
l3_fragments() {
	hosts 2
	ports p1 p2
	routed p1
	ip -n h1 addr add 10.0.1.1/24 dev e
	ip -n h1 route add 10.0.2.0/24 via 10.0.1.254
	ip -n h1 neigh replace 10.0.1.254 lladdr "$(mac_of p1)" nud permanent dev e
	ip -n sw link set p2 mtu 580
	# h2 has no such address and does not answer
	on h1 ping -q -c 1 -W 0.1 -M dont -s 1400 -Q 0x60 10.0.2.2 > /dev/null
	expect_stat sw p2 source_stamp == 3
	expect_stat sw p2 3.packets == 3
	expect_stat sw p1 3.guaranteed_peak_bytes == $((580 + 14))
}

l3_hairpin() {
	hosts 1
	ports p1
	on sw sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.send_redirects=0 net.ipv4.conf.p1.send_redirects=0
	ip -n sw addr add 10.0.2.254/24 dev p1
	ip -n sw addr add 10.0.1.254/24 dev p1
	ip -n sw neigh replace 10.0.2.2 lladdr "$(host_mac 1)" nud permanent dev p1
	send h1 "$(mac_of p1)"
	expect_path p1 stamp=1 p1.3=$LEN
}

bridge_hairpin() {
	bridged
	ip -n sw link set p1 type bridge_slave hairpin on
	send h1 "$(host_mac 1)" src 02:00:00:00:00:99
	expect_path p1 stamp=1 p1.3=$LEN
}

vlan_subinterface() {
	hosts 2
	ports p1 p2
	ip -n sw link add p1.10 link p1 type vlan id 10
	ip -n sw link set p1.10 up
	routed p1.10
	send h1 "$(mac_of p1.10)" vid 10
	expect_path p2 stamp=1 p1.3=$((LEN - 4))
}

svi() {
	hosts 2
	bridge 1
	ports p1 p2
	routed br0
	send h1 "$(mac_of br0)"
	expect_path p2 stamp=1 p1.3=$LEN
}

svi_of_a_vlan() {
	hosts 2
	bridge 1 vlan_filtering 1
	ports p1 p2
	command bridge -n sw vlan add vid 10 dev p1
	command bridge -n sw vlan add vid 10 dev br0 self
	ip -n sw link add br0.10 link br0 type vlan id 10
	ip -n sw link set br0.10 up
	routed br0.10
	tc -n sw qdisc change dev p1 root handle 1: lossless trust pcp
	send h1 "$(mac_of br0.10)" vid 10 pcp 3 dscp 8
	expect_path p2 stamp=1 p1.3=$((LEN - 4))
}

# A frame that came in by the second member of a bond is charged there
bond() {
	hosts 3
	ip -n sw link add bond0 type bond mode balance-xor
	ip -n sw link set p1 down
	ip -n sw link set p3 down
	ip -n sw link set p1 master bond0
	ip -n sw link set p3 master bond0
	ip -n sw link set bond0 up
	ports p1 p2 p3
	routed bond0
	send h3 "$(mac_of bond0)"
	expect_path p2 stamp=1 p3.3=$LEN
}

bond_in_a_bridge() {
	hosts 2
	bridge 0
	ip -n sw link add bond0 type bond mode active-backup
	ip -n sw link set p1 down
	ip -n sw link set p1 master bond0
	ip -n sw link set bond0 up master br0
	ip -n sw link set p2 master br0
	ports p1 p2
	to_h2
	expect_path p2 stamp=1 p1.3=$LEN
}

# Without a mode, which only teamd could set, a team receives, and its members keep their addresses
team() {
	hosts 2
	ip -n sw link add team0 type team
	ip -n sw link set p1 down
	ip -n sw link set p1 master team0
	ip -n sw link set team0 up
	ports p1 p2
	routed team0
	send h1 "$(mac_of p1)"
	expect_path p2 stamp=1 p1.3=$LEN
}

macvlan() {
	hosts 2
	ip -n sw link add mv0 link p1 type macvlan mode private
	ip -n sw link set mv0 up
	ports p1 p2
	routed mv0
	send h1 "$(mac_of mv0)"
	expect_path p2 stamp=1 p1.3=$LEN
}

vrf() {
	hosts 2
	ip -n sw link add vrf0 type vrf table 10
	ip -n sw link set vrf0 up
	ip -n sw link set p1 master vrf0
	ip -n sw link set p2 master vrf0
	ports p1 p2
	routed p1
	send h1 "$(mac_of p1)"
	expect_path p2 stamp=1 p1.3=$LEN
}

# vxlan_tunnel: h1's frames are bridged by p1, br0 and vxlan0 to h2, which has the other end over p2
vxlan_tunnel() {
	hosts 2
	bridge 1
	ip -n sw addr add 10.0.0.254/24 dev p2
	ip -n sw neigh replace 10.0.0.2 lladdr "$(host_mac 2)" nud permanent dev p2
	ip -n h2 neigh replace 10.0.0.254 lladdr "$(mac_of p2)" nud permanent dev e
	ip -n sw link add vxlan0 type vxlan id 5 dev p2 local 10.0.0.254 remote 10.0.0.2 dstport 4789 tos inherit
	ip -n h2 link add vxlan0 type vxlan id 5 dev e local 10.0.0.2 remote 10.0.0.254 dstport 4789 tos inherit
	ip -n h2 link set vxlan0 up
	ip -n sw link set vxlan0 up master br0
	ports p1 p2
}

# 50 bytes of tunnel in front of the frame; skb_iif is 0 there
vxlan_encapsulation() {
	vxlan_tunnel
	to_h2
	expect_path p2 stamp=1 p1.3=$((LEN + 50))
}

vxlan_decapsulation() {
	vxlan_tunnel
	on h2 "$SELFTESTS/bin/frame" send vxlan0 dst "$(host_mac 1)" dscp 24 size $LEN
	expect_path p1 stamp=1 p2.3=$LEN
}

# The DSCP that counts is the outer header's: the tunnel of h2 does not copy the inner one here
vxlan_outer_header_counts() {
	vxlan_tunnel
	ip -n h2 link del vxlan0
	ip -n h2 link add vxlan0 type vxlan id 5 dev e local 10.0.0.2 remote 10.0.0.254 dstport 4789 tos 0x20
	ip -n h2 link set vxlan0 up
	on h2 "$SELFTESTS/bin/frame" send vxlan0 dst "$(host_mac 1)" dscp 24 size $LEN
	expect_path p1 stamp=1 p2.1=$LEN
}

# Every copy is charged: two frames to two slow ports, of which one pair waits
flooded_copies() {
	hosts 3
	bridge 3
	ports p1 p2 p3
	tc -n sw qdisc change dev p2 root handle 1: lossless rate 1mbit
	tc -n sw qdisc change dev p3 root handle 1: lossless rate 1mbit
	listen h3 e /tmp/heard count 2 quiet $NS_PER_S
	send h1 ff:ff:ff:ff:ff:ff count 2
	wait "$LISTENER"
	expect_path p2 stamp=2 p1.3=$((2 * LEN))
	expect_text "how p3 found where frames came from" "$(sources p3)" stamp=2
}

# --- no stamp, or a lost one ------------------------------------------------------

# tc's redirect at the ingress comes before the port's hook: skb_iif says where the frame came in
redirect_at_the_ingress() {
	hosts 2
	ports p1 p2
	tc -n sw qdisc add dev p1 clsact
	tc -n sw filter add dev p1 ingress protocol all matchall action mirred egress redirect dev p2
	to_h2
	expect_path p2 iif=1 p1.3=$LEN
}

# The ingress port's settings classify a frame without a stamp, too
redirect_at_the_ingress_is_classified_by_the_ingress_port() {
	hosts 2
	ports p1 p2
	tc -n sw qdisc change dev p1 root handle 1: lossless dscp-map 24:1
	tc -n sw qdisc add dev p1 clsact
	tc -n sw filter add dev p1 ingress protocol all matchall action mirred egress redirect dev p2
	to_h2
	expect_path p2 iif=1 p1.1=$LEN
}

# egress_action ACTION: at p2's clsact
egress_action() {
	tc -n sw qdisc add dev p2 clsact
	tc -n sw filter add dev p2 egress protocol all matchall action "$1"
}

clsact_egress_action_ok() {
	bridged
	egress_action ok
	to_h2
	expect_path p2 iif=1 p1.3=$LEN
}

clsact_egress_action_continue() {
	bridged
	egress_action continue
	to_h2
	expect_path p2 stamp=1 p1.3=$LEN
}

# Stamp gone and skb_iif the subinterface: of the devices below it only p1 is a port
lower_device_of_a_subinterface() {
	hosts 2
	ports p1 p2
	ip -n sw link add p1.10 link p1 type vlan id 10
	ip -n sw link set p1.10 up
	routed p1.10
	egress_action ok
	send h1 "$(mac_of p1.10)" vid 10
	expect_path p2 lower=1 p1.3=$((LEN - 4))
}

# Two devices down: a VLAN of a bridge with a single port
lower_device_of_an_svi() {
	hosts 2
	bridge 1
	ports p1 p2
	routed br0
	egress_action ok
	send h1 "$(mac_of br0)"
	expect_path p2 lower=1 p1.3=$LEN
}

# With two ports below, none can be told from the other: local
lower_device_is_not_unique() {
	hosts 3
	ip -n sw link add br0 type bridge mcast_snooping 0
	ip -n sw link set br0 up
	ip -n sw link set p1 master br0
	ip -n sw link set p3 master br0
	ports p1 p2 p3
	routed br0
	egress_action ok
	send h1 "$(mac_of br0)"
	expect_path p2 local=1 ""
}

vxlan_without_stamp_is_local() {
	vxlan_tunnel
	egress_action ok
	to_h2
	expect_path p2 local=1 ""
}

# --- local frames -----------------------------------------------------------------

frames_of_this_host_are_local() {
	hosts 2
	ports p1 p2
	on sw "$SELFTESTS/bin/frame" send p2 dscp 24 size $LEN count 5
	expect_path p2 local=5 ""
	expect_stat sw p2 3.packets == 5
	expect_stat sw p2 3.queue_peak_bytes == $LEN
}

# From a device that is no port
frames_from_no_port_are_local() {
	hosts 2
	bridge 2
	ports p2
	to_h2
	expect_path p2 local=1 ""
}

# The stamp of a port of another namespace comes over the veth, and means nothing there
stamps_of_another_namespace_are_not_ours() {
	hosts 2
	bridge 2
	ports p1 p2
	add_ns h3
	link h2 f "$(host_mac 12)" h3 e "$(host_mac 3)"
	ip -n h2 link add br0 type bridge mcast_snooping 0
	ip -n h2 link set br0 up
	ip -n h2 link set e master br0
	ip -n h2 link set f master br0
	port h2 f pfc 3
	command bridge -n sw fdb replace "$(host_mac 3)" dev p2 master static
	send h1 "$(host_mac 3)"
	expect_stat sw p2 source_stamp == 1
	expect_stat h2 f packets == 1
	expect_stat h2 f source_stamp == 0
	expect_stat h2 f source_local == 1
}

# Both ends of a link in two namespaces are ports: each stamps anew
each_switch_stamps_anew() {
	hosts 2
	bridge 2
	ports p1 p2
	add_ns h3
	link h2 f "$(host_mac 12)" h3 e "$(host_mac 3)"
	ip -n h2 link add br0 type bridge mcast_snooping 0
	ip -n h2 link set br0 up
	ip -n h2 link set e master br0
	ip -n h2 link set f master br0
	port h2 e pfc 3
	port h2 f pfc 3
	command bridge -n sw fdb replace "$(host_mac 3)" dev p2 master static
	send h1 "$(host_mac 3)"
	expect_path p2 stamp=1 p1.3=$LEN
	expect_stat h2 f source_stamp == 1
	expect_stat h2 e 3.guaranteed_peak_bytes == $LEN
}

run_tests bridge_unaware bridge_other_direction bridge_unaware_tagged bridge_unaware_priority_tagged \
	vlan_aware_bridge_without_tag vlan_aware_bridge_with_tag vlan_aware_bridge_that_untags \
	vlan_aware_bridge_priority_tagged l3 l3_keeps_the_ingress_priority l3_fragments l3_hairpin bridge_hairpin \
	vlan_subinterface svi svi_of_a_vlan bond bond_in_a_bridge team macvlan vrf vxlan_encapsulation \
	vxlan_decapsulation vxlan_outer_header_counts flooded_copies redirect_at_the_ingress \
	redirect_at_the_ingress_is_classified_by_the_ingress_port clsact_egress_action_ok clsact_egress_action_continue \
	lower_device_of_a_subinterface lower_device_of_an_svi lower_device_is_not_unique vxlan_without_stamp_is_local \
	frames_of_this_host_are_local frames_from_no_port_are_local stamps_of_another_namespace_are_not_ours \
	each_switch_stamps_anew
