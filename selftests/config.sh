#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact
# timeout: 600
#
# Configuration: what is set is in force and can be fed back, what is wrong is refused with its message and changes
# nothing, a change loses no frame, and headroom follows MTU, rate, speed and cable.
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

NS_PER_S=1000000000

change() {
	tc -n sw qdisc change dev p1 root handle 1: lossless "$@"
}

# dump PORT: the options in force, on one line, as they can be given again
dump() {
	tc -n sw qdisc show dev "$1" root | sed 's/^qdisc lossless 1: root refcnt [0-9]* //' | tr -s ' \n' ' '
}

json() {
	tc -n sw -j qdisc show dev "$1" root
}

json_value() {
	json "$1" | jq -r ".[0].options | $2"
}

# --- the dump can be fed in again --------------------------------------------------

round_trip() {
	local first again
	tc -n sw qdisc del dev p1 root 2> /dev/null
	tc -n sw qdisc del dev p2 root 2> /dev/null
	port sw p1 "$@" || fail "refused: $*"
	first=$(dump p1)
	# shellcheck disable=SC2086 # words
	port sw p2 $first || fail "the dump of \"$*\" is refused: $first"
	expect_text "dump of the dump of \"$*\"" "$(dump p2)" "$first"
	expect_text "JSON of the dump of \"$*\"" "$(json p2)" "$(json p1)"
	again=$(json p1)
	# shellcheck disable=SC2086
	change $first
	expect_text "JSON after the port's own dump of \"$*\"" "$(json p1)" "$again"
}

dump_can_be_fed_in_again() {
	hosts 2
	round_trip
	round_trip rate 100gbit cable 100m pfc 3,4
	round_trip rate 34.3gbit overhead 0 burst 64
	round_trip keep-gso keep-socket trust pcp
	round_trip trust skb default-prio 7 cell 208
	round_trip dscp-map 0-63:5
	round_trip dscp-map 0:1,1:2,2:3,62:0,63:1 pcp-map 0:7,1:6,2:5,3:4,4:3,5:2,6:1,7:0
	round_trip pfc none
	round_trip pfc 0-7 pfc-rx none
	round_trip pfc 3 pfc-rx all
	round_trip pfc none pfc-rx 1,3,5-7
	round_trip watchdog off
	round_trip watchdog detect 1ms restore fixed 1ms action forward window 1ms duty 1
	round_trip watchdog detect 60s restore off action alert window 1min duty 100% untrust 16 24h ingress-pass
	round_trip watchdog action shutdown untrust 1 1ms pause-timeout 1ms prio 3 max-age 1us prio 0 max-age 1h
	round_trip watchdog action flap restore auto 100500us pause-timeout 60s
	round_trip llfc on
	round_trip pfc none llfc on prio 5 lossless
	round_trip rate 1mbit quanta 1 cable 2.5km response 0
	round_trip prio 0 strict prio 7 weight 1000 prio 6 weight 3
	round_trip prio 3 guaranteed 0 alpha 1/1024 xon-offset 0 headroom 2k
	round_trip prio 3 static xoff 200k xon 100k headroom auto
	round_trip prio 3 lossy limit 1m prio 4 lossless limit 64k alpha 128
	round_trip prio 1 lossy ecn 5k 200k 0.0001 wred prio 3 noecn
	round_trip rate 800gbit overhead 1024 burst 1 keep-gso on keep-socket on trust dscp dscp-map 8-15:7 pcp-map 1:7 \
		default-prio 6 cable 100km response 64m pfc 3,6 pfc-rx 2-4 llfc off quanta 40000 cell 65536 \
		prio 0 lossy weight 7 guaranteed 1k limit 3m ecn 1 2 3 wred prio 3 lossless strict guaranteed 64k alpha 2 \
		xon-offset 1k headroom 1m ecn 0 4294967295 100 prio 6 lossless weight 9 static xoff 128k xon 0 headroom auto noecn
}

# A change after which a default no longer follows is dumped as what it is: "headroom auto" stays auto
dump_keeps_headroom_auto() {
	local first
	hosts 2
	port sw p1
	first=$(dump p1)
	# shellcheck disable=SC2086
	port sw p2 $first
	ip -n sw link set p2 mtu 1000
	expect "headroom that follows the MTU after the dump was fed in" \
		"$(json_value p2 .priorities[3].headroom)" == $(($(json_value p1 .priorities[3].headroom) - 1000))
}

rates_are_exact() {
	local rate bytes
	hosts 1
	port sw p1
	while read -r rate bytes; do
		change rate "$rate"
		expect "bytes per second of $rate" "$(json_value p1 .rate)" == "$bytes"
		expect "link rate of $rate" "$(json_value p1 .link_rate)" == "$bytes"
		expect_text "rate in words" "$(dump p1 | awk '{ print $2 }')" "$(echo "$rate" | sed 's/34\.\(.\)gbit/34\100Mbit/; s/gbit/Gbit/')"
	done <<-RATES
		34.3gbit 4287500000
		34.4gbit 4300000000
		100gbit 12500000000
		400gbit 50000000000
		800gbit 100000000000
	RATES
	change rate none
	expect "bytes per second of none" "$(json_value p1 .rate)" == 0
	# a veth says 10 Gbit/s
	expect "link rate of none" "$(json_value p1 .link_rate)" == 1250000000
}

defaults() {
	hosts 1
	port sw p1
	expect_text "options of the port" "$(dump p1 | sed 's/ prio 0.*//')" \
		"rate none overhead 24 burst 4 keep-gso off keep-socket off trust dscp dscp-map 0-7:0,8-15:1,16-23:2,24-31:3,32-39:4,40-47:5,48-55:6,56-63:7 pcp-map 0:0,1:1,2:2,3:3,4:4,5:5,6:6,7:7 default-prio 0 cable 100m response 64Kb pfc 3 pfc-rx 3 llfc off quanta 65535 cell $(json_value p1 .cell) watchdog detect 100ms restore auto 1s action drop window off untrust off ingress-pass off pause-timeout off"
	# F = 1500 + 18
	expect_text "a lossy priority" "$(dump p1 | sed 's/.*\(prio 2 .*\) prio 3 .*/\1/; s/ xon-offset.*//')" \
		"prio 2 lossy weight 1 guaranteed 3036b alpha 1"
	expect_text "ECN of a lossy priority" "$(json_value p1 .priorities[2].ecn)" false
	expect_text "the lossless priority" "$(dump p1 | sed 's/.*\(prio 3 .*\) prio 4 .*/\1/; s/ wred .*//')" \
		"prio 3 lossless weight 1 guaranteed 3036b alpha 1/8 xon-offset 3036b headroom auto ecn 100Kb 200Kb 20%"
	expect_text "strict priorities" "$(json_value p1 '[.priorities[] | select(.weight == 0) | .prio] | join(" ")')" "6 7"
}

# --- bad input ---------------------------------------------------------------------

BAD=0

# unchanged TEXT: the last refusal left everything as it was
unchanged() {
	local now
	BAD=$((BAD + 1))
	now=$(json p1)
	if [ -z "$now" ] || [ "$now" != "$BEFORE" ]; then
		fail "$1 changed something: $now"
	fi
}

# refused MESSAGE OPTION...: by the plugin or the kernel, in these words
refused() {
	local want=$1 said
	shift
	if said=$(change "$@" 2>&1); then
		fail "was accepted: $*"
	fi
	expect_text "what tc says to \"$*\"" "${said%%$'\n'*}" "$want"
	unchanged "$*"
}

# kernel_refuses MESSAGE WORD...: what a program without the plugin sends
kernel_refuses() {
	local want=$1 said
	shift
	if said=$(on sw "$SELFTESTS/bin/badattr" p1 "$@" 2>&1); then
		fail "was accepted: $*"
	fi
	expect_text "what the kernel says to \"$*\"" "$said" "$want"
	unchanged "$*"
}

# A port in an unusual state, so that something would be seen to change
configured_port() {
	hosts 1
	port sw p1 rate 40gbit trust pcp pcp-map 1:2 prio 2 weight 5 prio 3 static xoff 100k xon 50k prio 4 limit 1m
	BEFORE=$(json p1)
}

bad_words() {
	configured_port
	refused 'What is "frob"?' frob
	refused 'What is "Rate"?' Rate 1gbit
	refused 'Error: rate needs a value: RATE or none.' overhead 4 rate
	refused 'Error: rate "1.7tbit" is out of range; allowed: 1Kbit to 1600Gbit, or none.' rate 1.7tbit
	refused 'Error: rate "-1gbit" is not a rate; allowed: 1Kbit to 1600Gbit, or none.' rate -1gbit
	refused 'Error: rate "nan" is not a rate; allowed: 1Kbit to 1600Gbit, or none.' rate nan
	refused 'Error: rate "1001bit" is not a whole number of bytes per second; allowed: 1Kbit to 1600Gbit, or none.' rate 1001bit
	refused 'Error: overhead "1025" is out of range; allowed: 0 to 1024.' overhead 1025
	refused 'Error: burst "0" is out of range; allowed: 1 to 64.' burst 0
	refused 'Error: quanta "65536" is out of range; allowed: 1 to 65535.' quanta 65536
	refused 'Error: cell "65537" is out of range; allowed: 0 to 65536.' cell 65537
	refused 'Error: default-prio "8" is out of range; allowed: 0 to 7.' default-prio 8
	refused 'Error: response "65m" is out of range; allowed: 0b to 64Mb.' response 65m
	refused 'Error: cable "101km" is out of range; allowed: 0m to 100km.' cable 101km
	refused 'Error: trust "DSCP" is unknown; allowed: dscp, pcp, skb.' trust DSCP
	refused 'Error: llfc on and pfc 3,4 exclude each other.' llfc on pfc 3,4
	refused 'Error: pfc "8" is not a list of priorities; allowed: priorities 0 to 7 as in 3,4 or 3-5, or none.' pfc 8
	refused 'Error: pfc "3,3" names priority 3 twice.' pfc 3,3
	refused 'Error: dscp-map "64:1" is not a map; allowed: DSCP 0 to 63 and priority 0 to 7 as in 24-31:3,46:5.' dscp-map 64:1
	refused 'Error: pcp-map "1:1,1:1" names PCP 1 twice.' pcp-map 1:1,1:1
	refused 'Error: prio "8" is out of range; allowed: 0 to 7.' prio 8 lossy
	refused 'Error: prio 3 is not followed by an option of a priority.' prio 3
	refused 'Error: duplicate "prio 3".' prio 3 lossy prio 3 strict
	refused 'Error: duplicate "rate": "2gbit" is the second value.' rate 1gbit rate 2gbit
	refused 'Error: prio 3 weight "0" is out of range; allowed: 1 to 1000.' prio 3 weight 0
	refused 'Error: prio 3 weight and strict exclude each other.' prio 3 strict weight 2
	refused 'Error: prio 3 guaranteed "5g" is out of range; allowed: 0b to 4Gb.' prio 3 guaranteed 5g
	refused 'Error: prio 3 alpha "1/3" is not a power of two; allowed: 1/1024, 1/512, .. 1/2, 1, 2, .. 128.' prio 3 alpha 1/3
	refused 'Error: prio 3 static xon "2k" is more than xoff.' prio 3 static xoff 1k xon 2k
	refused 'Error: prio 3 ecn kmin "200k" is more than kmax "100k".' prio 3 ecn 200k 100k 20
	refused 'Error: prio 3 ecn pmax "101" is out of range; allowed: 0% to 100%.' prio 3 ecn 1k 2k 101
	expect "bad inputs" "$BAD" == 31
}

# What only the kernel can know, and what it says though the first options of the line were good
bad_combinations() {
	configured_port
	BAD=0
	refused 'Error: prio 3 xoff 2048 is below its guaranteed 3036.' rate 1gbit prio 3 static xoff 2k xon 1k
	refused 'Error: prio 3 xoff 102400 is below its guaranteed 204800.' prio 3 guaranteed 200k
	refused 'Error: prio 3 headroom 1517 is less than a frame of the MTU, 1518.' trust dscp prio 3 headroom 1517
	refused 'Error: prio 1 headroom 0 is less than a frame of the MTU, 1518.' prio 1 lossless headroom 0
	refused 'Error: prio 3 is lossless: wred needs a lossy priority.' prio 3 wred
	refused 'Error: prio 2 wred needs the curve of ecn.' prio 2 wred
	refused 'Error: quanta 1 last 6 ns at this rate, less than 20000 ns.' rate 100gbit quanta 1
	refused 'Error: quanta 1562 last 19994 ns at this rate, less than 20000 ns.' quanta 1562
	refused 'Error: pfc-rx 0x08 and llfc on exclude each other.' llfc on pfc none pfc-rx 3
	lossless -n sw buffer set size 200k
	refused 'Error: the buffer of 204800 bytes is smaller than 1094404 bytes reserved.' \
		prio 3 headroom 1m guaranteed 24k
	expect "bad inputs" "$BAD" == 10
}

bad_messages() {
	configured_port
	BAD=0
	kernel_refuses 'rate (bytes per second) 124 is out of range 125 to 200000000000' RATE64/8=124
	kernel_refuses 'rate (bytes per second) 200000000001 is out of range 125 to 200000000000' RATE64/8=200000000001
	kernel_refuses 'overhead 1025 is out of range 0 to 1024' OVERHEAD/4=1025
	kernel_refuses 'burst 0 is out of range 1 to 64' BURST/4=0
	kernel_refuses 'burst 65 is out of range 1 to 64' BURST/4=65
	kernel_refuses 'keep-gso 2 is out of range 0 to 1' KEEP_GSO/1=2
	kernel_refuses 'keep-socket 255 is out of range 0 to 1' KEEP_SOCKET/1=255
	kernel_refuses 'trust 3 is out of range 0 to 2' TRUST/1=3
	kernel_refuses 'dscp-map 64:1 is out of range 0:0 to 63:7' DSCP_MAP: MAP_ENTRY/2=0x0140 end
	kernel_refuses 'dscp-map 63:8 is out of range 0:0 to 63:7' DSCP_MAP: MAP_ENTRY/2=0x0101 MAP_ENTRY/2=0x083f end
	kernel_refuses 'pcp-map 8:0 is out of range 0:0 to 7:7' PCP_MAP: MAP_ENTRY/2=0x0008 end
	kernel_refuses 'default-prio 8 is out of range 0 to 7' DEFAULT_PRIO/1=8
	kernel_refuses 'cable (cm) 10000001 is out of range 0 to 10000000' CABLE_CM/4=10000001
	kernel_refuses 'response 67108865 is out of range 0 to 67108864' RESPONSE/4=67108865
	kernel_refuses 'llfc 2 is out of range 0 to 1' LLFC/1=2
	kernel_refuses 'pfc 0x18 and llfc on exclude each other' PFC/1=0x18 LLFC/1=1
	kernel_refuses 'quanta 0 is out of range 1 to 65535' QUANTA/2=0
	kernel_refuses 'cell 65537 is out of range 0 to 65536' CELL/4=65537
	kernel_refuses 'prio: which priority is missing, 0 to 7' OVERHEAD/4=1 PRIO: PRIO_WEIGHT/4=2 end
	kernel_refuses 'prio 8 is out of range 0 to 7' PRIO: PRIO_INDEX/1=8 end
	kernel_refuses 'prio 2 is given twice' PRIO: PRIO_INDEX/1=2 PRIO_WEIGHT/4=2 end PRIO: PRIO_INDEX/1=2 PRIO_WEIGHT/4=3 end
	kernel_refuses 'prio 3 lossless 2 is out of range 0 to 1' PRIO: PRIO_INDEX/1=3 PRIO_LOSSLESS/1=2 end
	kernel_refuses 'prio 3 weight 1001 is out of range 0 to 1000' PRIO: PRIO_INDEX/1=3 PRIO_WEIGHT/4=1001 end
	kernel_refuses 'prio 3 guaranteed 4294967297 is out of range 0 to 4294967296' PRIO: PRIO_INDEX/1=3 PRIO_GUARANTEED/8=4294967297 end
	kernel_refuses 'prio 3 guaranteed 18446744073709551615 is out of range 0 to 4294967296' PRIO: PRIO_INDEX/1=3 PRIO_GUARANTEED/8=-1 end
	kernel_refuses 'prio 3 alpha 2^8 is out of range 2^-10 to 2^7' PRIO: PRIO_INDEX/1=3 PRIO_ALPHA/1=8 end
	kernel_refuses 'prio 3 alpha 2^-11 is out of range 2^-10 to 2^7' PRIO: PRIO_INDEX/1=3 PRIO_ALPHA/1=-11 end
	kernel_refuses 'prio 3 needs xoff and xon together, and no alpha' PRIO: PRIO_INDEX/1=3 PRIO_XOFF/8=5000 end
	kernel_refuses 'prio 3 needs xoff and xon together, and no alpha' PRIO: PRIO_INDEX/1=3 PRIO_XOFF/8=5000 PRIO_XON/8=0 PRIO_ALPHA/1=0 end
	kernel_refuses 'prio 3 xoff 0 is out of range 1 to 4294967296' PRIO: PRIO_INDEX/1=3 PRIO_XOFF/8=0 PRIO_XON/8=0 end
	kernel_refuses 'prio 3 xon 6000 is above its xoff 5000' PRIO: PRIO_INDEX/1=3 PRIO_XOFF/8=5000 PRIO_XON/8=6000 end
	kernel_refuses 'prio 3 xon-offset 4294967297 is out of range 0 to 4294967296' PRIO: PRIO_INDEX/1=3 PRIO_XON_OFFSET/8=4294967297 end
	kernel_refuses 'prio 3 headroom 4294967297 is out of range 0 to 4294967296' PRIO: PRIO_INDEX/1=3 PRIO_HEADROOM/8=4294967297 end
	kernel_refuses 'prio 4 limit 4294967297 is out of range 0 to 4294967296' PRIO: PRIO_INDEX/1=4 PRIO_LIMIT/8=4294967297 end
	kernel_refuses 'prio 3 ecn 2 is out of range 0 to 1' PRIO: PRIO_INDEX/1=3 PRIO_ECN/1=2 end
	kernel_refuses 'prio 3 ecn kmin 9000 is above kmax 8000' PRIO: PRIO_INDEX/1=3 PRIO_KMIN/4=9000 PRIO_KMAX/4=8000 end
	kernel_refuses 'prio 3 ecn pmax (millionths) 1000001 is out of range 0 to 1000000' PRIO: PRIO_INDEX/1=3 PRIO_PMAX/4=1000001 end
	kernel_refuses 'prio 3 wred 2 is out of range 0 to 1' PRIO: PRIO_INDEX/1=3 PRIO_WRED/1=2 end
	expect "bad inputs" "$BAD" == 38
}

# Attributes of a wrong length, that are no nest, that nobody knows or that only a dump may hold: the kernel's own words
bad_attributes() {
	local words
	configured_port
	while read -r words; do
		# shellcheck disable=SC2086 # words
		if on sw "$SELFTESTS/bin/badattr" p1 $words > /tmp/said; then
			fail "was accepted: $words"
		fi
		unchanged "$words"
	done <<-BAD
		RATE64/4=1000000
		RATE64/0
		OVERHEAD/8=10
		OVERHEAD/2=10
		TRUST/4=1
		QUANTA/1=9
		PFC/2=8
		DSCP_MAP/4=0
		DSCP_MAP: MAP_ENTRY/1=0 end
		DSCP_MAP: MAP_ENTRY/3=0 end
		DSCP_MAP: 2/2=0 end
		PRIO/1=3
		PRIO: PRIO_INDEX/2=3 end
		PRIO: PRIO_INDEX/1=3 PRIO_GUARANTEED/4=9000 end
		PRIO: PRIO_INDEX/1=3 PRIO_ALPHA/2=1 end
		PRIO: PRIO_INDEX/1=3 60/4=1 end
		VERSION/4=1
		LINK_RATE64/8=1250000000
		0/4=1
		1000/4=1
	BAD
}

# A good first part does not count if a later part is bad, also in the kernel
a_change_is_all_or_nothing() {
	configured_port
	kernel_refuses 'prio 7 weight 1001 is out of range 0 to 1000' RATE64/8=1000000 TRUST/1=2 PFC/1=255 \
		PRIO: PRIO_INDEX/1=1 PRIO_WEIGHT/4=9 end PRIO: PRIO_INDEX/1=7 PRIO_WEIGHT/4=1001 end
	# nor is a new port half made
	tc -n sw qdisc del dev p1 root
	if on sw "$SELFTESTS/bin/badattr" -c p1 RATE64/8=1000000 BURST/4=99 > /tmp/said; then
		fail "a bad new port was accepted"
	fi
	expect_text "what the kernel says" "$(cat /tmp/said)" 'burst 99 is out of range 1 to 64'
	expect_text "qdisc" "$(tc -n sw -j qdisc show dev p1 root | jq -r '.[0].kind')" noqueue
	expect "ports of the namespace" "$(lossless -n sw -j buffer | jq .ports)" == 0
}

# XOFF 2M and XON 1M become 4M and 3M, and the reverse: no half of it is ever in force, which would be refused
thresholds_move_past_each_other() {
	hosts 1
	port sw p1 prio 3 guaranteed 0 static xoff 2m xon 1m
	check "up" change prio 3 static xoff 4m xon 3m
	check "down, with a guarantee that would not fit the old ones" change prio 3 guaranteed 600k static xoff 1m xon 500k
	check "up, with a guarantee above the old XOFF" change prio 3 guaranteed 3m static xoff 4m xon 3500k
	expect "xoff" "$(json_value p1 .priorities[3].static_xoff)" == $((4 << 20))
	expect "xon" "$(json_value p1 .priorities[3].static_xon)" == $((3500 << 10))
}

only_at_the_root() {
	hosts 1
	tc -n sw qdisc add dev p1 root handle 2: prio
	expect_refusal 'Error: lossless works at the root only, not under 2:1.' tc -n sw qdisc add dev p1 parent 2:1 lossless
	tc -n sw qdisc del dev p1 root
	ip -n sw link add d1 numtxqueues 2 type dummy
	ip -n sw link set d1 up
	tc -n sw qdisc add dev d1 root handle 2: mq
	expect_refusal 'Error: lossless works at the root only, not under 2:1.' tc -n sw qdisc add dev d1 parent 2:1 lossless
	ip -n sw tuntap add tun0 mode tun
	expect_refusal 'Error: lossless needs an Ethernet device, tun0 is of type 65534.' tc -n sw qdisc add dev tun0 root lossless
	expect "ports of the namespace" "$(lossless -n sw -j buffer | jq .ports)" == 0
}

priorities_take_nothing_below() {
	hosts 1
	port sw p1
	expect_refusal 'Error: lossless: a priority takes no qdisc of its own.' tc -n sw qdisc add dev p1 parent 1:4 pfifo
	expect_refusal 'Error: lossless: filters go to the qdisc, not to a priority.*' \
		tc -n sw filter add dev p1 parent 1:4 matchall classid 1:1
	expect_refusal 'Error: the classes of lossless are its priorities; change them with "tc qdisc change ... lossless prio P ...".' \
		tc -n sw class add dev p1 parent 1: classid 1:9 lossless
	expect "classes" "$(tc -n sw class show dev p1 | grep -c '^class lossless 1:[1-8] ')" == 8
}

# --- a change under load -----------------------------------------------------------

CHANGES=(
	"rate 500mbit" "rate 1gbit" "pfc 3,4" "pfc 3" "overhead 0" "overhead 24" "burst 1" "burst 16"
	"prio 3 guaranteed 20k" "prio 3 guaranteed 0" "prio 3 alpha 1" "prio 3 alpha 1/64" "prio 3 static xoff 100k xon 50k"
	"prio 3 headroom 200k" "prio 3 headroom auto" "cable 10km" "response 128k" "cell 208" "cell 1" "pfc none" "pfc 3,5"
	"prio 3 strict" "prio 3 weight 9" "prio 3 ecn 1k 2k 50" "prio 3 noecn" "keep-gso" "keep-socket" "quanta 30000"
	"pfc none llfc on" "llfc off pfc 3" "trust dscp dscp-map 24:3" "default-prio 5" "pfc-rx none" "pfc-rx all"
)

# 6000 frames from h1 and h2 to h3 at 1 Gbit/s (73 ms), and a change of each port every millisecond. Priority 3 may
# become lossy: its queue has room for everything then.
a_change_loses_no_frame() {
	local options=() name
	star 3
	lossless -n sw buffer set size 1g headroom-pool 1m
	for name in p1 p2 p3; do
		port sw $name rate 1gbit prio 3 limit 32m
	done
	port h1 e rate 1gbit prio 3 limit 32m
	port h2 e rate 1gbit prio 3 limit 32m
	listen h3 e /tmp/heard print 0 quiet $NS_PER_S
	for name in 1 2; do
		on "h$name" "$SELFTESTS/bin/frame" send e src "$(host_mac $name)" dst "$(host_mac 3)" dscp 24 size 1500 \
			count 3000 flow $name &
	done
	for options in "${CHANGES[@]}"; do
		sleep 0.001
		for name in p1 p3; do
			# shellcheck disable=SC2086,SC2128 # words
			tc -n sw qdisc change dev $name root handle 1: lossless $options || fail "refused: $options"
		done
	done
	expect "frames that wait after the last change" "$(stat_of sw p3 qlen)" ">" 0
	wait
	expect "frames" "$(heard /tmp/heard frames)" == 6000
	expect "frames out of order" "$(heard /tmp/heard reordered)" == 0
	expect_stat sw p3 drops == 0
	expect_stat sw p1 3.headroom_drops == 0
	expect_stat sw p2 3.headroom_drops == 0
	expect_drained sw p1 p2 p3
	expect_no_foreign_drops
}

# The whole configuration replaced at once while frames wait
a_replacement_loses_no_frame() {
	star 2
	port sw p1
	port sw p2 rate 100mbit
	listen h2 e /tmp/heard print 0 quiet $NS_PER_S
	on h1 "$SELFTESTS/bin/frame" send e dst "$(host_mac 2)" dscp 24 size 1500 count 500
	tc -n sw qdisc replace dev p2 root handle 1: lossless rate 1gbit trust pcp pfc 0-7 llfc off cell 100
	tc -n sw qdisc replace dev p1 root handle 1: lossless pfc none
	expect "frames that wait" "$(stat_of sw p2 qlen)" ">" 400
	wait
	expect "frames" "$(heard /tmp/heard frames)" == 500
	expect_drained sw p1 p2
}

# Options that are not given stay as they were
a_change_leaves_the_rest() {
	local before
	configured_port
	before=$(json_value p1 'del(.overhead)')
	change overhead 99
	expect "overhead" "$(json_value p1 .overhead)" == 99
	expect_text "the rest" "$(json_value p1 'del(.overhead)')" "$before"
	change
	expect_text "after a change of nothing" "$(json_value p1 'del(.overhead)')" "$before"
	change prio 3 alpha 1/2
	expect_text "limit of another priority" "$(json_value p1 .priorities[4].limit)" 1048576
}

# On a lossless priority alpha is the PG's and limit the local frames': one does not undo the other
alpha_of_a_lossless_priority_leaves_its_limit() {
	hosts 1
	port sw p1 prio 3 limit 64k
	change prio 3 alpha 1/2
	expect_text "limit after alpha" "$(json_value p1 .priorities[3].limit)" 65536
}

# --- headroom ----------------------------------------------------------------------

# expect_headroom TEXT BYTES: configured and in force
expect_headroom() {
	expect "headroom, $1," "$(json_value p1 .priorities[3].headroom)" == "$2"
	expect "headroom in force, $1," "$(stat_of sw p1 3.headroom_size_bytes)" == "$2"
}

# Vectors of H = 2*C*D + 2*F + 84 + C*t_resp + 2*C*t_if + response, each term rounded up, by hand
headroom_follows_rate_cable_and_mtu() {
	local rate cable mtu response bytes
	hosts 1
	port sw p1 response 0
	while read -r rate cable mtu response bytes; do
		ip -n sw link set p1 mtu "$mtu"
		change rate "$rate" cable "$cable" response "$response"
		expect_headroom "$rate $cable $mtu $response" "$bytes"
	done <<-VECTORS
		10gbit 5m 9216 0 24952
		25gbit 40m 9216 0 26471
		40gbit 100m 9216 0 37299
		100gbit 100m 9216 0 87115
		100mbit 100m 1500 0 3218
		1gbit 5m 9216 0 18892
		10gbit 2.5km 9000 64k 121558
		25gbit 100m 1500 0 12933
		50gbit 5m 9216 0 38516
		200gbit 2.5km 9000 64k 805402
		400gbit 100m 1500 0 234426
		800gbit 5m 9216 0 327283
		800gbit 2.5km 9000 64k 2912589
		100gbit 100m 1500 0 71683
	VECTORS
}

# tap NS DEV: a device whose speed and carrier we can set; it lasts as long as the program that holds it
tap() {
	# not by on(): a function in the background is a shell that would not hand the end on
	ip netns exec "$1" /usr/bin/python3 -c '
import fcntl, struct, sys, time
tun = open("/dev/net/tun", "r+b", buffering=0)
fcntl.ioctl(tun, 0x400454ca, struct.pack("16sH22x", sys.argv[1].encode(), 0x1002))  # TUNSETIFF, IFF_TAP | IFF_NO_PI
time.sleep(3600)' "$2" &
	wait_until 30 ip -n "$1" link show dev "$2" || fail "no tap device"
}

# Without a rate the speed of the link counts, and a link that comes back may have another one
headroom_follows_the_speed() {
	hosts 1
	tap sw t1
	on sw ethtool -s t1 speed 100000
	ip -n sw link set t1 up
	port sw t1 response 0
	expect "headroom at 100 Gbit/s" "$(stat_of sw t1 3.headroom_size_bytes)" == 71683
	ip -n sw link set t1 carrier off
	on sw ethtool -s t1 speed 40000
	ip -n sw link set t1 carrier on
	wait_until 5 stat_is sw t1 3.headroom_size_bytes == 21867 ||
		fail "headroom at 40 Gbit/s is $(stat_of sw t1 3.headroom_size_bytes), expected 21867"
	expect "link rate" "$(json_value t1 .link_rate)" == 5000000000
	# a rate that is given counts more
	tc -n sw qdisc change dev t1 root handle 1: lossless rate 10gbit
	expect "headroom at a rate of 10 Gbit/s" "$(stat_of sw t1 3.headroom_size_bytes)" == 10719
}

given_headroom_stays() {
	hosts 1
	port sw p1 prio 3 headroom 50k
	ip -n sw link set p1 mtu 9000
	change rate 100gbit cable 10km
	expect_headroom "given" 51200
	expect "guaranteed, which was not given," "$(json_value p1 .priorities[3].guaranteed)" == $((2 * 9018))
	change prio 3 headroom auto response 0 cable 100m rate 100gbit
	ip -n sw link set p1 mtu 1500
	expect_headroom "auto again" 71683
}

mtu_of() {
	ip -n sw -j link show dev "$1" | jq '.[0].mtu'
}

# An MTU whose headroom does not fit the buffer, or whose frame does not fit the headroom, is refused
unfit_mtu_is_refused() {
	local before
	hosts 2
	port sw p1 rate 1gbit
	port sw p2 rate 1gbit prio 3 headroom 2k
	lossless -n sw buffer set size 200k
	before="$(json p1) $(json p2) $(lossless -n sw -j buffer)"
	if ip -n sw link set p1 mtu 9000 2> /dev/null; then
		fail "an MTU of 9000 was accepted though its headroom does not fit"
	fi
	if ip -n sw link set p2 mtu 2031 2> /dev/null; then
		fail "an MTU of 2031 was accepted though headroom is 2048 bytes"
	fi
	expect "MTU of p1" "$(mtu_of p1)" == 1500
	expect "MTU of p2" "$(mtu_of p2)" == 1500
	expect_text "all that is configured" "$(json p1) $(json p2) $(lossless -n sw -j buffer)" "$before"
	ip -n sw link set p2 mtu 2030
	expect "MTU of p2" "$(mtu_of p2)" == 2030
	expect_stat sw p1 3.headroom_size_bytes == 69116
}

reserved() {
	lossless -n sw -j buffer | jq "$1"
}

# A port reserves 8 * 3036 guaranteed and 69116 headroom at 1 Gbit/s
ports_of_a_namespace_sum_up() {
	hosts 3
	port sw p1 rate 1gbit
	expect "reserved by one port" "$(reserved .reserved)" == 93404
	port sw p2 rate 1gbit
	expect "reserved by two ports" "$(reserved .reserved)" == 186808
	expect "shared while the size is auto" "$(reserved .shared)" == $((16 << 20))
	lossless -n sw buffer set size 200k
	expect "shared of a fixed size" "$(reserved .shared)" == $((204800 - 186808))
	expect_refusal 'Error: the buffer of 204800 bytes is smaller than 280212 bytes reserved.' \
		tc -n sw qdisc add dev p3 root handle 1: lossless rate 1gbit
	expect "ports" "$(reserved .ports)" == 2
	expect "reserved" "$(reserved .reserved)" == 186808
	# another namespace has a buffer of its own
	port h3 e rate 1gbit
	expect "reserved in h3" "$(lossless -n h3 -j buffer | jq .reserved)" == 93404
	tc -n sw qdisc del dev p2 root
	expect "reserved after one is gone" "$(reserved .reserved)" == 93404
	port sw p3 rate 1gbit
	expect "reserved" "$(reserved .reserved)" == 186808
}

# buffer_refused MESSAGE WORDS...
buffer_refused() {
	local want=$1 before
	shift
	before=$(lossless -n sw -j buffer)
	expect_refusal "$want" lossless -n sw buffer set "$@"
	expect_text "buffer after a refusal" "$(lossless -n sw -j buffer)" "$before"
}

buffer_that_is_too_small_is_refused() {
	hosts 2
	port sw p1 rate 1gbit
	port sw p2 rate 1gbit
	buffer_refused 'Error: the buffer of 186807 bytes is smaller than 186808 bytes reserved' size 186807
	buffer_refused 'Error: the buffer of 204800 bytes is smaller than 252344 bytes reserved' size 200k headroom-pool 64k
	buffer_refused 'Error: size "16383" is out of range; allowed: 16Kb to 4Gb, or auto.' size 16383
	buffer_refused 'Error: size "5g" is out of range; allowed: 16Kb to 4Gb, or auto.' size 5g
	buffer_refused 'Error: cell "0" is out of range; allowed: 1 to 65536.' size 1m cell 0
	lossless -n sw buffer set size 186808
	expect "shared of a buffer that is all reserved" "$(reserved .shared)" == 0
	buffer_refused 'Error: the buffer of 186808 bytes is smaller than 186809 bytes reserved' headroom-pool 1
	lossless -n sw buffer set size auto headroom-pool 64k cell 208
	expect_text "buffer" "$(lossless -n sw buffer | head -n 1)" "size auto headroom-pool 64Kb cell 208"
}

# A PG may have no headroom of its own while the pool has room for a frame; the pool may not go from under it
headroom_pool_stays_as_large_as_a_frame() {
	hosts 1
	lossless -n sw buffer set headroom-pool 4k
	port sw p1 prio 3 headroom 0
	expect_stat sw p1 3.headroom_size_bytes == 0
	buffer_refused '*headroom*' headroom-pool 1517
	lossless -n sw buffer set headroom-pool 1518 || fail "a pool of one frame was refused"
}

run_tests defaults dump_can_be_fed_in_again dump_keeps_headroom_auto rates_are_exact bad_words bad_combinations \
	bad_messages bad_attributes a_change_is_all_or_nothing thresholds_move_past_each_other only_at_the_root priorities_take_nothing_below \
	a_change_loses_no_frame a_replacement_loses_no_frame a_change_leaves_the_rest \
	alpha_of_a_lossless_priority_leaves_its_limit headroom_follows_rate_cable_and_mtu headroom_follows_the_speed \
	given_headroom_stays unfit_mtu_is_refused ports_of_a_namespace_sum_up buffer_that_is_too_small_is_refused \
	headroom_pool_stays_as_large_as_a_frame
