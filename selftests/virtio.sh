#!/bin/bash
# machine: qemu-pair
# kernels: 6.12
# timeout: 600
#
# Two virtual machines, a virtio link between them. A virtio NIC passes a multicast address to those only who have joined it, and a port
# has: pauses cross in both directions. Both machines run this script: machine b is a host, machine a a switch with another host.
#
#     b: h1 e --- the link --- a: sw p1, br0, p2 --- h2

# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

# Pauses hold queues here for longer than the watchdog would let them
PORT_OPTIONS=(watchdog off)

FRAME=1000
COUNT=500	# data frames that b sends
GREETINGS=20	# pauses of one quantum, of priority 5, that each wants to hear

# take_nic NS DEV: the machine's only NIC
take_nic() {
	local nic
	modprobe virtio_net
	wait_until 10 nic_name
	nic=$(nic_name)
	ip link set "$nic" netns "$1" name "$2"
	ip -n "$1" link set "$2" up
}

nic_name() {
	ip -o link show | awk -F ': ' -v mac="$LINK_MAC" '$0 ~ mac { print $2; found = 1 } END { exit !found }'
}

# greet NS DEV: until it is killed
greet() {
	"$SELFTESTS/bin/frame" -n "$1" send "$2" dst 01:80:c2:00:00:01 kind pfc vector 0x20 times 0,0,0,0,0,1,0,0 \
		count 3000 gap 50000000 &
	GREETER=$!
}

silence() {
	kill "$GREETER"
	wait "$GREETER" 2> /dev/null
}

# greeted NS DEV: hears the other machine, by the port's own doing
greeted() {
	wait_until 120 stat_is "$1" "$2" 5.pfc_rx '>=' $GREETINGS || fail "the pauses of the other machine do not arrive"
	expect_text "promiscuity of $2" "$(ip -n "$1" -d link show "$2" | sed -n 's/.*promiscuity \([0-9]*\).*/\1/p')" 0
}

# Frames from b to h2, ten times as fast as p2: all of them arrive
switch() {
	add_ns sw h2
	take_nic sw p1
	port sw p1 rate 20mbit prio 3 guaranteed 3000 static xoff 6000 xon 5000 headroom 250000
	greeted sw p1

	link sw p2 "$(port_mac 2)" h2 e "$(host_mac 2)"
	port sw p2 rate 2mbit
	bridge 2
	command bridge -n sw fdb replace "$LINK_MAC" dev p1 master static
	listen h2 e /tmp/h2 print 0 count $COUNT quiet 60000000000
	greet sw p1
	wait "$LISTENER"
	silence
	expect "frames received" "$(heard /tmp/h2 frames)" == $COUNT
	expect "frames out of order" "$(heard /tmp/h2 reordered)" == 0
	expect_stat sw p1 3.pfc_tx '>' 5
	expect_stat sw p1 3.headroom_drops == 0
	expect_stat sw p2 drops == 0
	wait_until 5 stat_is sw p1 3.is_xoff == 0 || fail "p1 remains in XOFF"
	expect_no_foreign_drops
	expect_drained sw p1 p2
}

host() {
	add_ns h1
	take_nic h1 e
	port h1 e rate 20mbit prio 3 limit 4m
	greet h1 e
	greeted h1 e
	silence
	"$SELFTESTS/bin/frame" -n h1 send e dst "$(host_mac 2)" dscp 24 size $FRAME count $COUNT
	wait_until 60 stat_is h1 e 3.packets == $COUNT || fail "not all frames have left"
	wait_until 5 stat_is h1 e 3.is_paused == 0 || fail "h1 is left paused"
	expect_stat h1 e 3.pfc_rx '>' 5
	expect_stat h1 e 3.pfc_rx_resumes '>' 5
	expect_stat h1 e 3.txwait_ns '>' 500000000
	expect_stat h1 e 3.local_drops == 0
	expect_drained h1 e
}

if [ "$ROLE" = a ]; then
	run_tests switch
else
	run_tests host
fi
