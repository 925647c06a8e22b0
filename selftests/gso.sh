#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact
# timeout: 600
#
# Super-frames: segmented before they are charged, so that each frame is charged, paced and paused by itself.
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

# Pauses hold queues here for longer than the watchdog would let them
PORT_OPTIONS=(watchdog off)

NS_PER_S=1000000000
PAUSE_GROUP=01:80:c2:00:00:01
MTU_FRAME=1514
FRAME=1042	# 1000 bytes of UDP payload with its headers

# two_hosts OPTION...: h1 -> p1 -> p2 -> h2; the options are p2's
two_hosts() {
	star 2
	port sw p1
	port sw p2 "$@"
}

# udp_super_frame SEGMENTS [MORE_BYTES]: one call of h1's, 1000 bytes a segment, to h2, DSCP 24
udp_super_frame() {
	on h1 /usr/bin/python3 -c '
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 24 << 2)
s.setsockopt(socket.SOL_UDP if hasattr(socket, "SOL_UDP") else 17, 103, 1000)  # UDP_SEGMENT
s.sendto(bytes(1000 * int(sys.argv[1]) + int(sys.argv[2])), ("10.0.0.2", 9))' "$1" "${2:-0}"
}

# lengths FILE: of the frames of UDP and TCP that were heard, as "COUNTxLENGTH"
lengths() {
	awk '/^frames / { next } { print $2 }' "$1" | uniq -c | awk '{ printf "%s%dx%d", (NR > 1 ? " " : ""), $1, $2 }'
}

udp_super_frame_is_segmented() {
	two_hosts
	listen h2 e /tmp/heard type 0x0800 quiet $((NS_PER_S / 10))
	udp_super_frame 30 500
	wait "$LISTENER"
	expect_text "frames" "$(lengths /tmp/heard)" "30x$FRAME 1x542"
	expect_stat sw p2 3.packets == 31
	expect_stat sw p2 3.bytes == $((30 * FRAME + 542))
	expect_stat sw p2 packets == 31
	expect_stat sw p2 drops == 0
	expect_drained sw p1 p2
}

# What is queued, charged and counted is frames
segments_are_charged_one_by_one() {
	two_hosts
	pause 65535
	udp_super_frame 30
	expect_stat sw p2 qlen == 30
	expect_stat sw p2 backlog == $((30 * FRAME))
	expect_stat sw p2 3.queue_bytes == $((30 * FRAME))
	# guaranteed is two frames of the MTU: 2 * 1518
	expect_stat sw p1 3.guaranteed_bytes == 3036
	expect_stat sw p1 3.shared_bytes == $((30 * FRAME - 3036))
	pause 0
	expect_stat sw p2 3.packets == 30
	expect_drained sw p1 p2
}

# pause QUANTA [OPTION...]: h2 pauses priority 3 of p2, or ends the pause
pause() {
	local quanta=$1
	shift
	on h2 "$SELFTESTS/bin/frame" send e kind pfc dst $PAUSE_GROUP vector 8 times "0,0,0,$quanta" "$@"
}

# A pause stops a super-frame in its middle. 1066 bytes take 85.28 us at 100 Mbit/s, so 12 frames have begun
# 1 ms after the resume; 1000 quanta are 5.12 ms.
pause_stops_between_segments() {
	local start
	two_hosts rate 100mbit
	pause 65535
	udp_super_frame 30
	listen h2 e /tmp/heard type 0x0800 quiet $((NS_PER_S / 10))
	start=$(($(now) + NS_PER_S / 10))
	pause 0 at $start &
	pause 1000 at $((start + 1000000)) &
	wait
	expect "frames" "$(heard /tmp/heard frames)" == 30
	expect_text "ns after the first at which the 12th, 13th and 30th came" \
		"$(awk 'NR == 1 { first = $1 } NR == 12 || NR == 13 || NR == 30 { printf "%s%d", (NR > 12 ? " " : ""), $1 - first }' /tmp/heard)" \
		"938080 6120000 $((6120000 + 17 * 85280))"
}

# Segments that find no room are dropped by themselves, and counted by themselves
segments_without_room_are_dropped() {
	two_hosts pfc none prio 3 guaranteed 0 limit 10420
	tc -n sw qdisc change dev p1 root handle 1: lossless pfc none
	tc -n sw qdisc change dev p2 root handle 1: lossless rate 1mbit
	listen h2 e /tmp/heard type 0x0800 quiet $((NS_PER_S / 2))
	udp_super_frame 30
	wait "$LISTENER"
	# all segments are queued before the first of them leaves: ten find room
	expect "frames" "$(heard /tmp/heard frames)" == 10
	expect_stat sw p2 3.buffer_drops == 20
	expect_stat sw p2 drops == 20
	expect_drained sw p1 p2
}

keep_gso_leaves_super_frames() {
	two_hosts keep-gso
	listen h2 e /tmp/heard type 0x0800 quiet $((NS_PER_S / 10))
	udp_super_frame 30
	wait "$LISTENER"
	expect_text "frames" "$(lengths /tmp/heard)" "1x$((42 + 30000))"
	expect_stat sw p1 3.guaranteed_peak_bytes == 3036
	expect_stat sw p1 3.shared_peak_bytes ">" $((42 + 30000 - 3036 - 1))
	expect_drained sw p1 p2
}

# keep-gso can be changed at any time
keep_gso_changes() {
	two_hosts keep-gso
	tc -n sw qdisc change dev p2 root handle 1: lossless keep-gso off
	listen h2 e /tmp/heard type 0x0800 quiet $((NS_PER_S / 10))
	udp_super_frame 30
	wait "$LISTENER"
	expect_text "frames" "$(lengths /tmp/heard)" "30x$FRAME"
}

# A megabyte over TCP, whose sender makes super-frames: it arrives whole in frames of the MTU
tcp_arrives_in_frames_of_the_mtu() {
	local sum
	two_hosts rate 1gbit
	listen h2 e /tmp/heard type 0x0800 quiet $((NS_PER_S / 2))
	on h2 /usr/bin/python3 -c '
import hashlib, socket
s = socket.create_server(("10.0.0.2", 9000))
print("listening", flush=True)
c, _ = s.accept()
h = hashlib.sha256()
while True:
    data = c.recv(65536)
    if not data:
        break
    h.update(data)
print(h.hexdigest())' > /tmp/server &
	wait_until 30 grep -q listening /tmp/server || fail "the server does not start"
	sum=$(on h1 /usr/bin/python3 -c '
import hashlib, random, socket
random.seed(1)
data = random.randbytes(1 << 20)
s = socket.socket()
s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 24 << 2)
s.connect(("10.0.0.2", 9000))
s.sendall(data)
s.close()
print(hashlib.sha256(data).hexdigest())')
	wait
	expect_text "sum of the data" "$(tail -n 1 /tmp/server)" "$sum"
	expect "longest frame" "$(awk '/^frames / { next } $2 > n { n = $2 } END { print n }' /tmp/heard)" == $MTU_FRAME
	expect_stat sw p2 3.packets ">=" 725
	expect_stat sw p2 drops == 0
	expect_drained sw p1 p2
}

run_tests udp_super_frame_is_segmented segments_are_charged_one_by_one pause_stops_between_segments \
	segments_without_room_are_dropped keep_gso_leaves_super_frames keep_gso_changes tcp_arrives_in_frames_of_the_mtu
