#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact
# timeout: 600
#
# Thresholds of the shared pool: at which byte a PG turns XOFF and XON, and how much of the
# pool several PGs get. In the end a long random sequence of arrivals, departures and
# changes, after each of which the port must hold what buffer-trace says.
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

# Pauses hold queues here for longer than the watchdog would let them
PORT_OPTIONS=(watchdog off)

# Seconds; in virtual time nothing is late
PATIENCE=2

# arrive FROM TO PRIORITY BYTES [COUNT]
arrive() {
	data "$1" "$2" "$3" "$4" count "${5:-1}"
}

# leave PORT PRIORITY COUNT: so many frames leave a held port at 10 Mbit/s, one at a time
leave() {
	local i
	for ((i = 0; i < $3; i++)); do
		send_pfc "$1" $((1 << $2)) 0
		hold "$1"
		sleep 0.002
	done
}

expect_pg() {
	local text=$1 dev=$2 prio=$3
	shift 3
	while [ $# -gt 0 ]; do
		expect "$text: $dev $prio.$1" "$(stat_of sw "$dev" "$prio.$1")" == "$2"
		shift 2
	done
}

# buffer_of KEY: of the switch
buffer_of() {
	lossless -j -n sw buffer | sed "s/.*\"$1\":\([0-9]*\).*/\1/"
}

# let_all_go PORT...: all arrive, and nothing is left
let_all_go() {
	local i
	for i in "$@"; do
		let_go "$i"
	done
	for i in "$@"; do
		wait_until "$PATIENCE" stat_is sw "p$i" qlen == 0 || fail "p$i does not drain"
	done
	# a refresh: those in XOFF that have no departures
	sleep 2
	for i in "$@"; do
		expect "p$i in XOFF in the end" "$("$SELFTESTS/bin/stats" -n sw "p$i" | grep -c 'is_xoff 1')" == 0
	done
	expect "S in the end" "$(buffer_of shared_used)" == 0
}

# --- static ------------------------------------------------------------------

# 120000 bytes for a PG: pause at 46000, resume at 32000
static_to_the_byte() {
	star 2
	port sw p1 rate 10mbit prio 3 guaranteed 0 static xoff 46000 xon 32000 headroom 74000
	port sw p2 rate 10mbit
	hold 2
	arrive 1 2 3 1000 45
	arrive 1 2 3 999
	expect_pg "45999 bytes" p1 3 shared_bytes 45999 is_xoff 0 pfc_tx 0
	leave 2 3 1
	arrive 1 2 3 1001
	expect_pg "46000 bytes" p1 3 shared_bytes 46000 headroom_bytes 0 is_xoff 1 pfc_tx 1
	arrive 1 2 3 1000 74
	expect_pg "120000 bytes" p1 3 shared_bytes 46000 headroom_bytes 74000 headroom_drops 0
	arrive 1 2 3 60
	expect_pg "60 bytes more" p1 3 shared_bytes 46000 headroom_bytes 74000 headroom_drops 1

	# 44 frames of 1000, one each of 999 and 1001, 74 of 1000
	leave 2 3 86
	expect_pg "34000 bytes" p1 3 shared_bytes 34000 headroom_bytes 0 is_xoff 1
	leave 2 3 1
	expect_pg "33000 bytes" p1 3 shared_bytes 33000 is_xoff 1
	leave 2 3 1
	expect_pg "32000 bytes" p1 3 shared_bytes 32000 is_xoff 0 xoff 1
	let_all_go 2
}

# One byte above xon is not enough, and the guarantee counts towards both thresholds
static_with_guarantee() {
	star 2
	port sw p1 rate 10mbit prio 3 guaranteed 2000 static xoff 5000 xon 1999
	port sw p2 rate 10mbit
	hold 2
	arrive 1 2 3 1000 4
	expect_pg "4000 bytes" p1 3 guaranteed_bytes 2000 shared_bytes 2000 is_xoff 0
	arrive 1 2 3 1000
	expect_pg "5000 bytes" p1 3 guaranteed_bytes 2000 shared_bytes 3000 is_xoff 1
	leave 2 3 3
	expect_pg "2000 bytes" p1 3 guaranteed_bytes 2000 shared_bytes 0 is_xoff 1
	leave 2 3 1
	expect_pg "1000 bytes" p1 3 guaranteed_bytes 1000 shared_bytes 0 is_xoff 0
	let_all_go 2
}

# --- dynamic -----------------------------------------------------------------

# dynamic SHARED-BYTES OPTION...: three ports, priority 3 of p1 and p2 with these options, p3
# held, and the shared pool has this size
dynamic() {
	local i
	star 3
	for i in 1 2; do
		port sw p$i rate 10mbit prio 3 "${@:2}"
	done
	port sw p3 rate 10mbit
	check "size of the buffer" lossless -n sw buffer set size $(($(buffer_of reserved) + $1))
	expect "P" "$(buffer_of shared)" == "$1"
	hold 3
}

# alpha 1 and P 20000: at s = 10000 the threshold is 10000 too
dynamic_to_the_byte() {
	dynamic 20000 guaranteed 0 alpha 1 xon-offset 3000 headroom 10000
	arrive 1 3 3 1000 9
	arrive 1 3 3 999
	expect_pg "9999 bytes" p1 3 shared_bytes 9999 is_xoff 0
	leave 3 3 1
	arrive 1 3 3 1001
	expect_pg "10000 bytes" p1 3 shared_bytes 10000 headroom_bytes 0 is_xoff 1
	leave 3 3 1
	# T is 11000: 9000 + 3000 is more
	expect_pg "9000 bytes" p1 3 shared_bytes 9000 is_xoff 1
	leave 3 3 1
	# T is 12000: 8000 + 3000 is less
	expect_pg "8000 bytes" p1 3 shared_bytes 8000 is_xoff 0
	expect "S" "$(buffer_of shared_used)" == 8000
	let_all_go 3
}

# Offset 4000: XON where s + offset is T exactly, and not a byte before
hysteresis_to_the_byte() {
	dynamic 20000 guaranteed 0 alpha 1 xon-offset 4000 headroom 10000
	arrive 1 3 3 1000 7
	arrive 1 3 3 999
	arrive 1 3 3 1001
	arrive 1 3 3 1000
	expect_pg "full" p1 3 shared_bytes 10000 is_xoff 1
	leave 3 3 2
	expect_pg "8000: T is 12000" p1 3 shared_bytes 8000 is_xoff 0
	arrive 1 3 3 1000 2
	expect_pg "full again" p1 3 shared_bytes 10000 is_xoff 1
	leave 3 3 1
	arrive 2 3 3 100
	leave 3 3 1
	expect_pg "8000: T is 11900" p1 3 shared_bytes 8000 is_xoff 1
	leave 3 3 1
	expect_pg "7000: T is 12900" p1 3 shared_bytes 7000 is_xoff 0
	let_all_go 3
}

# M PGs fill together, from hosts that obey, until each is in XOFF: each gets P*alpha/(1+M*alpha)
# to within a frame, and the headroom no more than a frame
equal_shares() {
	local m k alpha share shift i s h pool=1000000 bytes=1000
	while read -r m k alpha; do
		star $((m + 1))
		for ((i = 1; i <= m; i++)); do
			port sw "p$i" rate 1gbit prio 3 guaranteed 0 alpha "$alpha" headroom 20000
			port "h$i" e rate 1gbit
		done
		port sw "p$((m + 1))" rate 1mbit
		lossless -n sw buffer set size $(($(buffer_of reserved) + pool))
		hold $((m + 1))
		for ((i = 1; i <= m; i++)); do
			data "$i" $((m + 1)) 3 $bytes count 1000 &
		done
		# 1000 frames take 8.2 ms, a pause 33 ms
		sleep 0.02
		shift=$((k < 0 ? -k : 0))
		share=$((pool * (k > 0 ? 1 << k : 1) / ((1 << shift) + m * (k > 0 ? 1 << k : 1))))
		for ((i = 1; i <= m; i++)); do
			s=$(stat_of sw "p$i" 3.shared_bytes)
			h=$(stat_of sw "p$i" 3.headroom_bytes)
			expect "M $m alpha $alpha: p$i in XOFF" "$(stat_of sw "p$i" 3.is_xoff)" == 1
			expect "M $m alpha $alpha: s of p$i" "$s" ">" $((share - bytes))
			expect "M $m alpha $alpha: s of p$i" "$s" "<" $((share + bytes))
			expect "M $m alpha $alpha: h of p$i" "$h" "<=" $bytes
			expect_stat sw "p$i" 3.headroom_drops == 0
		done
		teardown
		module_load
	done <<- END
		1 0 1
		1 -3 1/8
		2 -1 1/2
		3 -3 1/8
		3 3 8
	END
}

# listen_to_pauses, expect_pauses LINE...: what p1 sent since its first pause
listen_to_pauses() {
	listen h1 e /tmp/h1 type 0x8808
}

expect_pauses() {
	sleep 2
	kill "$LISTENER"
	wait "$LISTENER"
	expect_lines "what p1 sent" "$(pauses /tmp/h1 "$(awk 'NR == 1 { print $1 }' /tmp/h1)")" "$@"
}

# A PG in XOFF whose bytes do not move is judged again at its refreshes: the one after others
# have freed the pool resumes it. 20000 quanta at 10 Mbit/s are 1024 ms.
judged_at_refresh() {
	dynamic 20000 guaranteed 0 alpha 1 xon-offset 0 headroom 3000
	port sw p1 quanta 20000
	port sw p2 prio 3 alpha 128
	hold 2
	listen_to_pauses
	arrive 1 2 3 1000 5
	arrive 2 3 3 1000 12
	# T is 3000
	arrive 1 2 3 1000
	expect_pg "XOFF" p1 3 shared_bytes 5000 headroom_bytes 1000 is_xoff 1
	leave 2 3 1
	expect_pg "headroom is free" p1 3 shared_bytes 5000 headroom_bytes 0 is_xoff 1
	sleep 0.6
	let_go 3
	wait_until "$PATIENCE" stat_is sw p3 qlen == 0 || fail "p3 does not drain"
	expect_pg "the pool is free" p1 3 shared_bytes 5000 is_xoff 1
	expect_pauses "0 3=4e20" "512000000 3=4e20" "1024000000 3=0000" "1025000000 3=0000"
	expect_pg "judged" p1 3 shared_bytes 5000 is_xoff 0 rxwait_ns 1024000000
	let_all_go 2 3
}

# A PG that was refused while it was empty has no departure of its own: the first refresh
# resumes it
refused_while_empty() {
	dynamic 20000 guaranteed 0 alpha 1 headroom 3000
	check "a headroom pool" lossless -n sw buffer set size auto headroom-pool 2000
	port sw p1 quanta 20000 prio 3 headroom 0
	port sw p2 prio 3 alpha 128 headroom 0
	check "size" lossless -n sw buffer set size $(($(buffer_of reserved) + 20000))
	listen_to_pauses
	arrive 2 3 3 1000 22
	expect_pg "takes all" p2 3 shared_bytes 20000 headroom_bytes 2000 headroom_drops 0
	arrive 1 3 3 1000
	expect_pg "refused" p1 3 shared_bytes 0 headroom_bytes 0 is_xoff 1 headroom_drops 1
	expect_pauses "0 3=4e20" "512000000 3=0000" "513000000 3=0000"
	let_all_go 3
}

# --- changes under load ------------------------------------------------------

total_of() {
	"$SELFTESTS/bin/stats" -n sw "$1" "$2.guaranteed_bytes" "$2.shared_bytes" "$2.headroom_bytes" |
		awk '{ sum += $1 } END { print sum }'
}

# Sizes change while 30000 bytes are in use: each byte stays charged, in the new order
refiled_under_load() {
	star 2
	port sw p1 rate 10mbit prio 3 guaranteed 0 static xoff 40000 xon 20000 headroom 20000
	port sw p2 rate 10mbit
	hold 2
	arrive 1 2 3 1000 30
	expect_pg "before" p1 3 guaranteed_bytes 0 shared_bytes 30000 headroom_bytes 0 is_xoff 0
	port sw p1 prio 3 guaranteed 10000
	expect_pg "guarantee" p1 3 guaranteed_bytes 10000 shared_bytes 20000 headroom_bytes 0 is_xoff 0
	port sw p1 prio 3 static xoff 15000 xon 12000
	expect_pg "lower xoff" p1 3 guaranteed_bytes 10000 shared_bytes 5000 headroom_bytes 15000 is_xoff 1
	port sw p1 prio 3 headroom 2000
	expect_pg "more than the headroom" p1 3 guaranteed_bytes 10000 shared_bytes 5000 headroom_bytes 15000
	arrive 1 2 3 1000
	expect_pg "no room" p1 3 headroom_bytes 15000 headroom_drops 1
	port sw p1 prio 3 static xoff 3000000 xon 4000000 2> /dev/null && fail "xon above xoff is accepted"
	port sw p1 prio 3 static xoff 4000000 xon 3000000
	expect_pg "raised" p1 3 guaranteed_bytes 10000 shared_bytes 20000 headroom_bytes 0 is_xoff 0
	expect "S" "$(buffer_of shared_used)" == 20000

	# the pool becomes smaller than what is in it
	check "smaller pool" lossless -n sw buffer set size $(($(buffer_of reserved) + 7000))
	expect_pg "smaller pool" p1 3 guaranteed_bytes 10000 shared_bytes 7000 headroom_bytes 13000 is_xoff 1
	expect "S" "$(buffer_of shared_used)" == 7000
	check "larger pool" lossless -n sw buffer set size auto
	expect_pg "larger pool" p1 3 guaranteed_bytes 10000 shared_bytes 20000 headroom_bytes 0 is_xoff 0
	expect_refusal "*smaller than*" lossless -n sw buffer set size 20000

	# lossy: what it holds stays charged until it leaves
	port sw p1 prio 3 lossy
	expect "bytes of the lossy PG" "$(total_of p1 3)" == 30000
	expect_stat sw p1 3.is_xoff == 0
	leave 2 3 10
	expect "bytes of the lossy PG" "$(total_of p1 3)" == 20000
	let_all_go 2
	expect_drained sw p1 p2
}

# A change that concerns no size of a PG moves none of its bytes, and judges nothing: not
# another setting of the port, not the sizes of another priority, not another port
other_changes_move_nothing() {
	dynamic 20000 guaranteed 0 alpha 1 headroom 3000
	port sw p2 prio 3 alpha 128
	arrive 2 3 3 1000 12
	arrive 1 3 3 1000 5
	expect_pg "before" p1 3 shared_bytes 4000 headroom_bytes 1000 is_xoff 1
	# five of p2's: T is 9000
	leave 3 3 5
	port sw p1 quanta 30000
	expect_pg "quanta" p1 3 shared_bytes 4000 headroom_bytes 1000 is_xoff 1
	port sw p1 prio 4 xon-offset 1
	expect_pg "priority 4" p1 3 shared_bytes 4000 headroom_bytes 1000 is_xoff 1
	port sw p2 prio 3 alpha 64
	expect_pg "port 2" p1 3 shared_bytes 4000 headroom_bytes 1000 is_xoff 1
	let_all_go 3
}

# --- against the law itself --------------------------------------------------

declare -A QUEUE_OF
RANDOM_STATE=${VT_SEED:-1}

# random N: DICE is 0 to N-1
random() {
	RANDOM_STATE=$(((RANDOM_STATE * 1103515245 + 12345) & 0x7fffffff))
	DICE=$(((RANDOM_STATE >> 8) % $1))
}

law() {
	echo "$*" >&"${LAW[1]}"
}

# declare_pg PORT PRIORITY: of buffer-trace, and in the port
declare_pg() {
	local i=$1 prio=$2 g h k
	random 4
	g=$((DICE * 500))
	random 4
	h=$((2000 + DICE * 500))
	random 4
	k=$((DICE - 3))
	law "P port=$i prio=$prio g=$g h=$h alpha=$k xonoff=2000"
	port sw "p$i" prio "$prio" guaranteed $g headroom $h xon-offset 2000 \
		alpha "$([ $k -lt 0 ] && echo 1/$((1 << -k)) || echo $((1 << k)))"
}

# compare LINE: what the law says of the event, and what the port of the account holds
compare() {
	local event=$1 dev=$2 prio=$3 kind=$4 line said held
	read -r -t 10 -u "${LAW[0]}" line || fail "buffer-trace is silent"
	LINE=$line
	said=$(sed 's/^[0-9]* [a-z]* //; s/ T=.*state=/ /; s/ pfc=.*//; s/[gshS]=//g' <<< "$line")
	if [ "$kind" = pg ]; then
		held=$("$SELFTESTS/bin/stats" -n sw "$dev" "$prio.guaranteed_bytes" "$prio.shared_bytes" \
			"$prio.headroom_bytes" "$prio.is_xoff" | xargs)
		held="${held% *} $(buffer_of shared_used) $([ "${held##* }" = 1 ] && echo xoff || echo xon)"
	else
		said=$(awk '{ print $1 + $2, $4 }' <<< "$said")
		held="$(stat_of sw "$dev" "$prio.local_bytes") $(buffer_of shared_used)"
	fi
	[ "$said" = "$held" ] || fail "after \"$event\" the law says $said ($line), $dev holds $held"
}

law_arrival() {
	local in=$1 out=$2 prio=$3 len=$4
	law "E in=$in out=$out prio=$prio len=$len"
	arrive "$in" "$out" "$prio" "$len"
	if [ "$prio" = 1 ]; then
		compare "E $*" "p$out" "$prio" queue
	else
		compare "E $*" "p$in" "$prio" pg
	fi
	[[ $LINE = *" admit "* ]] && QUEUE_OF[$out.$prio]+="$in:$len "
	[[ $LINE = *" drop "* ]] && DROPS=$((DROPS + 1))
	[[ $LINE = *pfc=pause* ]] && PAUSES=$((PAUSES + 1))
	return 0
}

law_departure() {
	local out=$1 prio=$2 queue=${QUEUE_OF[$1.$2]:-} frame in len
	[ -n "$queue" ] || return 0
	frame=${queue%% *}
	QUEUE_OF[$out.$prio]=${queue#* }
	in=${frame%:*} len=${frame#*:}
	law "D in=$in out=$out prio=$prio len=$len"
	leave "$out" "$prio" 1
	if [ "$prio" = 1 ]; then
		compare "D $*" "p$out" "$prio" queue
	else
		compare "D $*" "p$in" "$prio" pg
	fi
	[[ $LINE = *pfc=resume* ]] && RESUMES=$((RESUMES + 1))
	return 0
}

# random_event SHARE: SHARE of 20 are arrivals
random_event() {
	local in out prio
	random 3
	in=$((DICE + 1))
	random 2
	out=$(((in + DICE) % 3 + 1))
	random 3
	prio=$((DICE == 0 ? 1 : DICE + 2))
	random 20
	if ((DICE == 0)); then
		declare_pg $in $((prio == 1 ? 3 : prio))
	elif ((DICE <= $1)); then
		# whole multiples hit the thresholds to the byte
		random 1441
		law_arrival $in $out $prio $((DICE % 3 ? DICE / 500 * 500 + 500 : DICE + 60))
	else
		law_departure $out $prio
	fi
}

# All pools are small, and the rates so low that no refresh comes in between
law_setup() {
	local i prio
	star 3
	for i in 1 2 3; do
		port sw p$i rate 10mbit pfc-rx all pfc 3,4 prio 0 guaranteed 0 \
			prio 1 guaranteed 1000 alpha 1/4 prio 2 guaranteed 0 prio 5 guaranteed 0 \
			prio 6 guaranteed 0 prio 7 guaranteed 0
		hold $i
	done
	coproc LAW { exec "$SELFTESTS/unit/buffer-trace"; }
	law "N size=40000 cell=1 hpool=0"
	for i in 1 2 3; do
		law "Q port=$i prio=1 g=1000 alpha=-2"
		for prio in 3 4; do
			declare_pg $i $prio
		done
	done
	check "size" lossless -n sw buffer set size 40000
}

# Arrivals from three ports on three that hold, in two lossless priorities and a lossy one,
# departures, and now and then new sizes of a PG
random_sequence_obeys_the_law() {
	local n input
	DROPS=0 PAUSES=0 RESUMES=0 QUEUE_OF=()
	law_setup
	for ((n = 0; n < EVENTS; n++)); do
		# fills, then empties
		random_event $((n / 30 % 2 ? 5 : 15))
		((FAILURES < 5)) || break
	done
	input=${LAW[1]}
	exec {input}>&-
	wait "$LAW_PID"
	note "$DROPS drops, $PAUSES pauses, $RESUMES resumes in $EVENTS events"
	expect drops "$DROPS" ">" 0
	expect pauses "$PAUSES" ">" 0
	expect resumes "$RESUMES" ">" 0
	let_all_go 1 2 3
	expect_drained sw p1 p2 p3
}
EVENTS=${EVENTS:-200}

run_tests static_to_the_byte static_with_guarantee dynamic_to_the_byte hysteresis_to_the_byte \
	equal_shares judged_at_refresh refused_while_empty \
	refiled_under_load other_changes_move_nothing random_sequence_obeys_the_law
