# shellcheck shell=bash
# Shared by the selftests that run in a virtual machine: module, namespaces, checks.
#
# A test script defines functions, and ends with `run_tests FUNCTION...`: each is one KTAP
# result, named by the function. Inside, `check TEXT COMMAND...` and the expect_* functions
# record what fails; the test goes on. Namespaces made by add_ns are gone after each test.
#
# Names: hosts h1..hN, each with one device `e`; a switch `sw` with ports p1..pN.

set -uo pipefail

FAILURES=0
NAMESPACES=()

# --- results -----------------------------------------------------------------

fail() {
	FAILURES=$((FAILURES + 1))
	echo "# FAILED: $*"
}

note() {
	echo "# $*"
}

# check TEXT COMMAND...: the command must succeed
check() {
	local text=$1
	shift
	"$@" || fail "$text: $*"
}

# expect TEXT ACTUAL OPERATOR EXPECTED, with an arithmetic operator: == != < <= > >=
expect() {
	local text=$1 actual=$2 operator=$3 expected=$4
	# shellcheck disable=SC1105,SC2086 # the operator is part of the expression
	if [ -n "$actual" ] && ((actual $operator expected)); then
		return
	fi
	fail "$text is ${actual:-missing}, expected $operator $expected"
}

# expect_text TEXT ACTUAL EXPECTED: equal strings
expect_text() {
	[ "$2" = "$3" ] || fail "$1 is \"$2\", expected \"$3\""
}

# expect_refusal MESSAGE COMMAND...: must fail, and say MESSAGE (a glob) on stderr
expect_refusal() {
	local message=$1 said
	shift
	if said=$("$@" 2>&1); then
		fail "was accepted: $*"
		return
	fi
	# shellcheck disable=SC2053 # a pattern
	[[ $said == $message ]] || fail "said \"$said\", expected \"$message\": $*"
}

run_tests() {
	local name number=0 bad=0
	echo "KTAP version 1"
	echo "1..$#"
	for name in "$@"; do
		number=$((number + 1))
		FAILURES=0
		module_load
		"$name"
		teardown
		if ((FAILURES)); then
			echo "not ok $number $name"
			bad=$((bad + 1))
		else
			echo "ok $number $name"
		fi
	done
	((bad == 0))
}

# --- module ------------------------------------------------------------------

module_load() {
	lsmod | grep -q '^sch_lossless ' || insmod "$MODULE" || fail "insmod $MODULE"
}

# Everything that a test left must be gone, and the module with it.
teardown() {
	local pids
	pids=$(jobs -p)
	# shellcheck disable=SC2086
	[ -z "$pids" ] || { kill $pids; wait $pids; } 2> /dev/null
	local ns
	for ns in "${NAMESPACES[@]}"; do
		ip netns del "$ns"
	done
	NAMESPACES=()
	module_remove
}

# User-Mode Linux leaves marks of KASAN behind where a module lay, and the next one that is loaded there is accused of them: with the
# debug kernel the module stays, unused
module_remove() {
	if [ "${MACHINE:-}" = uml-debug ]; then
		wait_until 10 grep -qx 0 /sys/module/sch_lossless/refcnt || fail "the module is still in use"
	else
		wait_until 10 rmmod sch_lossless 2> /dev/null || fail "the module cannot be removed"
	fi
}

# wait_until SECONDS COMMAND...: until the command succeeds; its output is not shown
wait_until() {
	local deadline=$((SECONDS + $1))
	shift
	until "$@" > /dev/null 2>&1; do
		((SECONDS < deadline)) || return 1
		sleep 0.01
	done
}

# --- kmemleak, where the kernel has it ---------------------------------------

KMEMLEAK=/sys/kernel/debug/kmemleak

forget_leaks() {
	[ ! -e $KMEMLEAK ] || echo clear > $KMEMLEAK
}

# A test: what has leaked since forget_leaks, with the module loaded and removed many times by now
no_leak() {
	[ -e $KMEMLEAK ] || return 0
	sleep 6
	echo scan > $KMEMLEAK
	echo scan > $KMEMLEAK
	grep -q . $KMEMLEAK || return 0
	fail "kmemleak has found something"
	sed 's/^/# /' $KMEMLEAK
}

# --- network -----------------------------------------------------------------

on() {
	local ns=$1
	shift
	ip netns exec "$ns" "$@"
}

add_ns() {
	local ns
	for ns in "$@"; do
		ip netns add "$ns"
		NAMESPACES+=("$ns")
		on "$ns" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
		ip -n "$ns" link set lo up
	done
}

host_mac() {
	printf '02:00:00:00:00:%02x' "$1"
}

port_mac() {
	printf '02:00:00:00:01:%02x' "$1"
}

# link NS DEV MAC NS DEV MAC [MTU]: a veth, both ends up
link() {
	local mtu=${7:-1500}
	ip -n "$1" link add "$2" mtu "$mtu" address "$3" type veth \
		peer name "$5" netns "$4" mtu "$mtu" address "$6"
	ip -n "$1" link set "$2" up
	ip -n "$4" link set "$5" up
}

host_commands() {
	local i=$1 count=$2 j
	echo "addr add 10.0.0.$i/24 dev e"
	for ((j = 1; j <= count; j++)); do
		((i == j)) || echo "neigh replace 10.0.0.$j lladdr $(host_mac "$j") nud permanent dev e"
	done
}

# hosts COUNT [MTU]: namespaces sw and h1..hN, sw's p1..pN linked to the hosts' e;
# host I is 10.0.0.I/24 with permanent neighbours
hosts() {
	local count=$1 mtu=${2:-1500} i
	sysctl -qw net.core.netdev_max_backlog=100000
	add_ns sw
	for ((i = 1; i <= count; i++)); do
		add_ns "h$i"
		link sw "p$i" "$(port_mac "$i")" "h$i" e "$(host_mac "$i")" "$mtu"
		ip -n "h$i" -batch <(host_commands "$i" "$count")
	done
}

# bridge COUNT [OPTION...]: br0 in sw over p1..pN, which knows the hosts and learns and floods nothing
bridge() {
	local count=$1 i
	shift
	ip -n sw link add br0 type bridge mcast_snooping 0 "$@"
	ip -n sw link set br0 up
	ip -n sw -batch <(for ((i = 1; i <= count; i++)); do
		echo "link set p$i master br0"
		echo "link set p$i type bridge_slave learning off flood off mcast_flood off"
	done)
	command bridge -n sw -batch <(for ((i = 1; i <= count; i++)); do
		echo "fdb replace $(host_mac "$i") dev p$i master static"
	done)
}

# star COUNT [MTU]: hosts and bridge
star() {
	hosts "$@"
	bridge "$1"
}

# What all ports of a test have
PORT_OPTIONS=()

# port NS DEV [OPTION...]: make a device a port
port() {
	local ns=$1 dev=$2
	shift 2
	tc -n "$ns" qdisc replace dev "$dev" root handle 1: lossless "${PORT_OPTIONS[@]}" "$@"
}

# stat_of NS DEV KEY: a port's statistic; P.KEY for priority P (see stats.c)
stat_of() {
	"$SELFTESTS/bin/stats" -n "$1" "$2" "$3"
}

# stat_is NS DEV KEY OPERATOR VALUE: for wait_until
stat_is() {
	local value
	value=$(stat_of "$1" "$2" "$3") || return
	# shellcheck disable=SC1105,SC2086 # the operator is part of the expression
	(($value $4 $5))
}

expect_stat() {
	expect "$1 $2 $3" "$(stat_of "$1" "$2" "$3")" "$4" "$5"
}

# The bytes that the ports of a namespace hold: nothing may be left after a test's traffic
expect_drained() {
	local ns=$1 dev left
	shift
	for dev in "$@"; do
		left=$("$SELFTESTS/bin/stats" -n "$ns" "$dev" | awk '
			$1 == "qlen" || $1 ~ /^[0-7]\.(queue|guaranteed|shared|headroom|local)_bytes$/ {
				seen++
				if ($2)
					print $1, $2
			}
			END { if (seen != 41) print "only", seen + 0, "of 41 counters" }')
		[ -z "$left" ] || fail "$ns $dev is not empty: $left"
	done
}

# Drops that no MMU sees: per-CPU backlog, neighbours without an address
expect_no_foreign_drops() {
	local dropped rest drops=0
	while read -r _ dropped rest; do
		drops=$((drops + 16#$dropped))
	done < /proc/net/softnet_stat
	expect "softnet drops" "$drops" == 0
}

frame() {
	"$SELFTESTS/bin/frame" "$@"
}

# listen NS DEV FILE [OPTION...]: record in the background; waits until it listens
listen() {
	local ns=$1 dev=$2 file=$3 ready
	shift 3
	ready=$(packet_sockets "$ns")
	"$SELFTESTS/bin/frame" -n "$ns" listen "$dev" "$@" > "$file" &
	# shellcheck disable=SC2034 # for the tests
	LISTENER=$!
	wait_until 10 eval "(( \$(packet_sockets $ns) > $ready ))" || fail "the listener on $dev does not start"
}

packet_sockets() {
	on "$1" awk 'END { print NR - 1 }' /proc/net/packet
}

# heard FILE WORD: what the last line of a listener says, after it has ended
heard() {
	awk -v word="$2" '/^frames / { for (i = 1; i < NF; i += 2) if ($i == word) print $(i + 1) }' "$1"
}

# now: nanoseconds, as frame counts them
now() {
	frame now
}

# --- pauses ------------------------------------------------------------------

# send_pfc HOST VECTOR T0,..T7 [OPTION VALUE]...: host I tells its port to pause; times in quanta
send_pfc() {
	frame -n "h$1" send e dst 01:80:c2:00:00:01 kind pfc vector "$2" times "$3" "${@:4}"
}

# hold HOST [OPTION VALUE]...: host I pauses all priorities of its port for the longest time
hold() {
	send_pfc "$1" 0xff 65535,65535,65535,65535,65535,65535,65535,65535 "${@:2}"
}

# let_go HOST [OPTION VALUE]...: and resumes them
let_go() {
	send_pfc "$1" 0xff 0 "${@:2}"
}

# data FROM TO PRIORITY BYTES [OPTION VALUE]...: UDP frames of an exact size between hosts; to an
# address that the host does not have, so that it answers nothing
data() {
	frame -n "h$1" send e dst "$(host_mac "$2")" from "10.9.0.$1" to "10.9.0.$2" \
		dscp $(($3 * 8)) size "$4" "${@:5}"
}

# fill PRIORITY TIME: three frames of 1000 bytes from h1 to h2, at this time after START
fill() {
	data 1 2 "$1" 1000 count 3 at $((START + $2)) gap 0
}

# end TIME: LISTENER has heard all until this time after START
end() {
	frame until $((START + $1))
	kill "$LISTENER"
	wait "$LISTENER"
}

# pauses FILE [START]: the MAC Control frames that a listener recorded, a line for each: time
# since START, then PRIORITY=QUANTA (hexadecimal) of each enabled priority, or link=QUANTA. A
# frame that is not to the byte as 802.1Qbb or 802.3x has it is shown as it is.
pauses() {
	awk -v start="${2:-0}" '
	BEGIN { zeros = sprintf("%084d", 0); hex = "0123456789abcdef" }
	function byte(at) {
		return index(hex, substr($3, at, 1)) * 16 + index(hex, substr($3, at + 1, 1)) - 17
	}
	function decode(   text, time, i) {
		if ($2 != 60 || NF != 3 || $3 !~ /^0180c2000001............8808/)
			return ""
		if (substr($3, 29, 4) == "0001")
			return substr($3, 37) == zeros ? " link=" substr($3, 33, 4) : ""
		if (substr($3, 29, 6) != "010100" || substr($3, 69) != substr(zeros, 1, 52))
			return ""
		for (i = 0; i < 8; i++) {
			time = substr($3, 37 + 4 * i, 4)
			if (int(byte(35) / 2 ^ i) % 2)
				text = text " " i "=" time
			else if (time != "0000")
				return ""
		}
		return text
	}
	/^[0-9]/ {
		text = decode()
		print $1 - start (text ? text : " odd " $2 " " $3)
	}' "$1"
}

# expect_lines TEXT ACTUAL LINE...: the lines of ACTUAL are these
expect_lines() {
	local text=$1 actual=$2
	shift 2
	[ "$actual" = "$(printf '%s\n' "$@")" ] && return
	fail "$text differs (- expected, + seen)"
	diff -U 99 <(printf '%s\n' "$@") <(echo "$actual") | sed -n '4,$s/^/# /p'
}

is_exact() {
	[ "${MACHINE:-uml-exact}" = uml-exact ]
}
