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
	if [ -z "$actual" ] || ! (( actual $operator expected )); then
		fail "$text is ${actual:-missing}, expected $operator $expected"
	fi
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
	# shellcheck disable=SC2053
	elif [[ $said != $message ]]; then
		fail "said \"$said\", expected \"$message\": $*"
	fi
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
	wait_until 10 rmmod sch_lossless 2> /dev/null || fail "the module cannot be removed"
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

# hosts COUNT [MTU]: namespaces sw and h1..hN, sw's p1..pN linked to the hosts' e;
# host I is 10.0.0.I/24 with permanent neighbours
hosts() {
	local count=$1 mtu=${2:-1500} i j
	sysctl -qw net.core.netdev_max_backlog=100000
	add_ns sw
	for ((i = 1; i <= count; i++)); do
		add_ns "h$i"
		link sw "p$i" "$(port_mac "$i")" "h$i" e "$(host_mac "$i")" "$mtu"
		ip -n "h$i" addr add "10.0.0.$i/24" dev e
		for ((j = 1; j <= count; j++)); do
			((i == j)) || ip -n "h$i" neigh replace "10.0.0.$j" lladdr "$(host_mac "$j")" \
				nud permanent dev e
		done
	done
}

# bridge COUNT [OPTION...]: br0 in sw over p1..pN, which knows the hosts and learns and floods nothing
bridge() {
	local count=$1 i
	shift
	ip -n sw link add br0 type bridge mcast_snooping 0 "$@"
	ip -n sw link set br0 up
	for ((i = 1; i <= count; i++)); do
		ip -n sw link set "p$i" master br0
		ip -n sw link set "p$i" type bridge_slave learning off flood off mcast_flood off
		command bridge -n sw fdb replace "$(host_mac "$i")" dev "p$i" master static
	done
}

# star COUNT [MTU]: hosts and bridge
star() {
	hosts "$@"
	bridge "$1"
}

# port NS DEV [OPTION...]: make a device a port
port() {
	local ns=$1 dev=$2
	shift 2
	tc -n "$ns" qdisc replace dev "$dev" root handle 1: lossless "$@"
}

# stat_of NS DEV KEY: a port's statistic; P.KEY for priority P (see stats.c)
stat_of() {
	on "$1" "$SELFTESTS/bin/stats" "$2" | awk -v key="$3" '$1 == key { print $2; found = 1 } END { exit !found }'
}

# stat_is NS DEV KEY OPERATOR VALUE: for wait_until
stat_is() {
	local value
	value=$(stat_of "$1" "$2" "$3") && ((value $4 $5))
}

expect_stat() {
	expect "$1 $2 $3" "$(stat_of "$1" "$2" "$3")" "$4" "$5"
}

# The bytes that the ports of a namespace hold: nothing may be left after a test's traffic
expect_drained() {
	local ns=$1 dev key prio
	shift
	for dev in "$@"; do
		expect_stat "$ns" "$dev" qlen == 0
		for prio in 0 1 2 3 4 5 6 7; do
			for key in queue_bytes guaranteed_bytes shared_bytes headroom_bytes local_bytes; do
				expect_stat "$ns" "$dev" "$prio.$key" == 0
			done
		done
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
	on "$ns" "$SELFTESTS/bin/frame" listen "$dev" "$@" > "$file" &
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
