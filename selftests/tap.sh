#!/bin/bash
# machine: uml-exact
# timeout: 600
#
# A tap device as a port: the program behind it, a virtual machine for one, hears the pauses and is heard with its own.
#
#     a program --- t1 sw p2 --- h2

# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

FRAME=1000
SIZES="guaranteed 3000 static xoff 6000 xon 5000 headroom 3000"
TAP_MAC=02:00:00:00:02:01
QUANTUM_NS=51200		# at 10 Mbit/s
FRAME_NS=$(((FRAME + 24) * 800))

# topology RATE [OPTION...]: of t1, the port
topology() {
	star 2
	ip -n sw tuntap add t1 mode tap
	ip -n sw link set t1 address $TAP_MAC up master br0
	ip -n sw link set t1 type bridge_slave learning off flood off
	command bridge -n sw fdb replace $TAP_MAC dev t1 master static
	port sw t1 rate "$@"
	START=$(($(now) + 3000000000))
}

# program send COUNT: what sits behind t1 sends, from START on, data of priority 3 to h2 as fast as it can, but none while it is paused
# program pause QUANTA: it pauses priority 3 at START
# It reads until it is stopped. Each MAC Control frame that it reads is a line, as frame's; with `pause` each data frame is, too, and
# "paused TIME".
program() {
	ip netns exec sw python3 - "$START" "$@" > /tmp/program <<-'PYTHON' &
		import ctypes, fcntl, os, select, struct, sys, time
		def now():
		    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)
		start, command, number = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
		own, peer, group = (bytes.fromhex(a) for a in ("020000000201", "020000000002", "0180c2000001"))
		ctypes.CDLL(None).prctl(29, 1)                                      # PR_SET_TIMERSLACK: 1 ns
		tap = os.open("/dev/net/tun", os.O_RDWR)
		fcntl.ioctl(tap, 0x400454ca, struct.pack("16sH22x", b"t1", 0x1002)) # TUNSETIFF: IFF_TAP | IFF_NO_PI
		paused = False

		def read_all(timeout):
		    global paused
		    while select.select([tap], [], [], timeout)[0]:
		        timeout, frame, at = 0, os.read(tap, 65536), now()
		        if frame[12:14] == b"\x88\x08" or command == "pause":
		            print(at, len(frame), frame[:60].hex(), flush=True)
		        if frame[12:16] == b"\x88\x08\x01\x01" and frame[17] & 8:
		            paused = frame[24:26] != b"\0\0"

		time.sleep((start - now()) / 1e9)
		if command == "pause":
		    os.write(tap, group + own + struct.pack("!HHH8H", 0x8808, 0x101, 8, 0, 0, 0, number, 0, 0, 0, 0) + bytes(26))
		    print("paused", now(), flush=True)
		else:
		    for i in range(number):
		        read_all(0)
		        while paused:
		            read_all(None)
		        ip = struct.pack("!BBHHHBBHLL", 0x45, 3 << 5, 986, 0, 0, 64, 17, 0, 0x0a090001, 0x0a090002)
		        udp = struct.pack("!HHHHLL", 40001, 9, 966, 0, 1, i)
		        os.write(tap, peer + own + b"\x08\0" + ip + udp + bytes(950))
		while True:
		    read_all(None)
	PYTHON
	wait_until 10 eval 'ip -n sw link show t1 | grep -q LOWER_UP' || fail "the program does not open t1"
}

joins_the_group() {
	topology 100mbit
	check "t1 is no member" on sw sh -c 'ip maddr show dev t1 | grep -q 01:80:c2:00:00:01'
	tc -n sw qdisc del dev t1 root
	check "t1 is still a member" on sw sh -c '! ip maddr show dev t1 | grep -q 01:80:c2:00:00:01'
}

# The program sends ten times as fast as p2, and stops when it is told: nothing is lost, and nothing comes after a pause
hears_pauses() {
	local count=400
	# shellcheck disable=SC2086 # words
	topology 100mbit prio 3 $SIZES
	port sw p2 rate 10mbit
	listen h2 e /tmp/h2 print 0 quiet 4000000000
	program send $count
	wait "$LISTENER"
	expect "frames received" "$(heard /tmp/h2 frames)" == $count
	expect "frames out of order" "$(heard /tmp/h2 reordered)" == 0
	expect "pauses heard" "$(pauses /tmp/program | grep -c ' 3=ffff$')" == "$(stat_of sw t1 3.pfc_tx)"
	expect "resumes heard" "$(pauses /tmp/program | grep -c ' 3=0000$')" == "$(stat_of sw t1 3.pfc_tx_resumes)"
	expect_stat sw t1 3.pfc_tx '>=' $((count / 2 - 10))
	expect_text "last word" "$(pauses /tmp/program | awk 'END { print $2 }')" 3=0000
	expect_stat sw t1 pfc_deferred == 0
	expect_stat sw t1 3.headroom_peak_bytes == 0
	expect_stat sw t1 3.headroom_drops == 0
	expect_drained sw t1 p2
}

# Its own pause holds what goes to it: to the nanosecond
is_heard() {
	local paused end
	topology 10mbit
	program pause 1000
	frame -n h2 send e dst $TAP_MAC dscp 24 size $FRAME count 3 at $((START + 1000000))
	wait_until 2 stat_is sw t1 3.packets == 3 || fail "t1 remains paused"
	paused=$(awk '$1 == "paused" { print $2 }' /tmp/program)
	end=$((paused + 1000 * QUANTUM_NS))
	expect_text "arrivals after the pause ended" "$(awk -v end=$end '$2 == 1000 { print $1 - end }' /tmp/program | xargs)" \
		"0 $FRAME_NS $((2 * FRAME_NS))"
	expect_stat sw t1 3.pfc_rx == 1
}

run_tests joins_the_group hears_pauses is_heard
