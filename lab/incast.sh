#!/bin/bash
# Two RDMA writers, one reader behind a port that is too slow for both, and a switch with little buffer between them.
#
#     host 1 --- 1 Gbit/s ---\
#                             switch: a bridge in a namespace, 30 KB of buffer in all --- 100 Mbit/s --- host 3
#     host 2 --- 1 Gbit/s ---/
#
#   incast.sh      runs the job twice, first with a drop-tail port, then with `lossless` on every port, and prints what was counted:
#   "result ROW KEY VALUE" lines, and "# ..." lines on the way. Exit status 0: both runs came to their end, whatever they lost.
#
# Soft-RoCE lives in the initial network namespace only (up to Linux 6.12), so the hosts are veths there, and policy routing makes them
# talk through the switch. Everything that this changes is put back at the end, also when it is interrupted.
# Needs root, iproute2, util-linux, perftest, ibverbs-providers, rdma_rxe, `lossless` in PATH, and
#   MODULE       sch_lossless.ko, loaded if the module is not yet      TC_LIB_DIR   the folder of q_lossless.so, for tc
#   LAB_SECONDS  how long each run lasts (6), of which the first and the last one are not measured
#   LAB_VIRTUAL_TIME  not empty: time may leap by minutes while a program waits for a file
set -euo pipefail

NETNS=lab-switch
HOSTS="1 2 3"
SENDERS="1 2"
MTU=1200                # holds a path MTU of 1024 bytes with all its headers
PATH_MTU=1024
MESSAGE=16384
DSCP=26
PRIORITY=$((DSCP >> 3)) # by the default map
SLOW=100mbit FAST=1gbit
BUFFER=30720
LAB_SECONDS=${LAB_SECONDS:-6}
MARGIN=1
PORT=18500              # of ib_write_bw's own conversation, over lo
WORKQUEUE_MASK=/sys/devices/virtual/workqueue/cpumask
NEEDED="veth bridge sch_tbf ib_uverbs rdma_rxe"

row="" work="" saved_settings=() saved_mask="" loaded_modules=() jobs=() gid_of=()

progress() {
	echo "# $*"
}

result() {
	echo "result $row $*"
}

die() {
	echo "# incast.sh: $*" >&2
	exit 1
}

address() {
	echo "198.18.77.$1" # of the block that is set aside for benchmarks
}

mac() {
	echo "02:00:00:00:4c:0$1"
}

rate_of() {
	if [ "$1" = 3 ]; then echo "$SLOW"; else echo "$FAST"; fi
}

in_switch() {
	ip netns exec "$NETNS" "$@"
}

# What belongs to the machine

load_modules() {
	local module
	for module in $NEEDED; do
		[ ! -e "/sys/module/$module" ] || continue
		modprobe "$module" || die "this kernel has no module $module (Debian's -cloud kernels have no Soft-RoCE)"
		loaded_modules=("$module" "${loaded_modules[@]}")
	done
	[ ! -e /sys/module/sch_lossless ] || return 0
	insmod "${MODULE:?}" || die "this kernel does not take $MODULE"
	loaded_modules=(sch_lossless "${loaded_modules[@]}")
}

# modprobe takes away those too that only they needed
unload_modules() {
	local module
	for module in "${loaded_modules[@]}"; do
		case $module in
		sch_lossless) rmmod "$module" ;;
		*) modprobe -rq "$module" ;;
		esac
	done
	loaded_modules=()
}

change_settings() {
	local setting settings=(net.ipv4.conf.all.rp_filter=0 net.core.netdev_max_backlog=100000)
	[ -z "${LAB_VIRTUAL_TIME:-}" ] || settings+=(kernel.hung_task_timeout_secs=0)
	for setting in "${settings[@]}"; do
		saved_settings+=("${setting%=*}=$(sysctl -n "${setting%=*}")")
		sysctl -qw "$setting"
	done
}

restore_settings() {
	[ ${#saved_settings[@]} = 0 ] || sysctl -qw "${saved_settings[@]}"
	[ -z "$saved_mask" ] || echo "$saved_mask" > "$WORKQUEUE_MASK"
	saved_settings=() saved_mask=""
}

# own_cpus: those that we may use, one a line
own_cpus() {
	local range
	for range in $(taskset -pc $$ | sed 's/.*: //; s/,/ /g'); do
		seq "${range%-*}" "${range#*-}"
	done
}

# mask_of CPU: as the kernel writes it, in words of 32 bits
mask_of() {
	local i
	printf '%x' $((1 << ($1 % 32)))
	for ((i = $1 / 32; i > 0; i--)); do
		printf ',00000000'
	done
}

# All frames on one CPU: two feed two receive backlogs, which reorder, and Soft-RoCE repeats what nobody lost. The programs, which poll
# without a rest, get the other CPUs.
share_cpus() {
	local cpus
	mapfile -t cpus < <(own_cpus)
	[ ${#cpus[@]} -gt 1 ] || return 0
	saved_mask=$(cat "$WORKQUEUE_MASK")
	mask_of "${cpus[-1]}" > "$WORKQUEUE_MASK" || progress "Soft-RoCE cannot be kept on one CPU: its frames may arrive out of order"
	unset 'cpus[-1]'
	taskset -pc "$(IFS=,; echo "${cpus[*]}")" $$ > /dev/null
}

# The network

add_switch() {
	ip netns add "$NETNS"
	in_switch sysctl -qw net.ipv6.conf.default.disable_ipv6=1 2> /dev/null || true
	ip -n "$NETNS" -batch - <<-COMMANDS
		link add br0 type bridge mcast_snooping 0
		link set br0 up
	COMMANDS
}

add_link() {
	local i=$1 host=net.ipv4.conf.lab-h$1
	ip link add "lab-h$i" mtu "$MTU" address "$(mac "$i")" type veth peer name "p$i" mtu "$MTU" netns "$NETNS"
	sysctl -qw "$host.accept_local=1" "$host.rp_filter=0" "$host.arp_ignore=1" "$host.arp_announce=2"
	sysctl -qw "net.ipv6.conf.lab-h$i.disable_ipv6=1" 2> /dev/null || true
	ip -n "$NETNS" link set "p$i" master br0 up
	ip -batch - <<-COMMANDS
		addr add $(address "$i")/24 dev lab-h$i noprefixroute
		link set lab-h$i up
		route add $(address 0)/24 dev lab-h$i table 770$i
	COMMANDS
}

# Who is where is told, not asked: no ARP, no flooding
neighbours() {
	local i j
	for i in $HOSTS; do
		for j in $HOSTS; do
			[ "$i" = "$j" ] || echo "neigh replace $(address "$j") lladdr $(mac "$j") dev lab-h$i nud permanent"
		done
	done
}

switch_entries() {
	local i
	for i in $HOSTS; do
		echo "link set dev p$i learning off flood off"
		echo "fdb replace $(mac "$i") dev p$i master static"
	done
}

routing_rules() {
	local i j
	for i in $HOSTS; do
		echo "pref 1 iif lab-h$i lookup local"
		for j in $HOSTS; do
			[ "$i" = "$j" ] || echo "pref 2 from $(address "$i") to $(address "$j") lookup 770$i"
		done
	done
	echo "pref 3 lookup local"
}

# Our own addresses are local only to what came in by a veth; from one to another the way leads out
route_through_switch() {
	{
		routing_rules | sed 's/^/rule add /'
		echo "rule del pref 0 lookup local"
	} | ip -batch -
}

route_as_before() {
	[ -n "$(ip rule show pref 0)" ] || ip rule add pref 0 lookup local
	routing_rules | sed 's/^/rule del /' | ip -force -batch - 2> /dev/null || true
}

# gid_index DEVICE ADDRESS: the kernel fills the table a little after the address was given
gid_index() {
	local gid bytes tries
	IFS=. read -r -a bytes <<< "$2"
	gid=$(printf '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x' "${bytes[@]}")
	for tries in {1..50}; do
		if grep -lx "$gid" "/sys/class/infiniband/$1/ports/1/gids/"* 2> /dev/null | sed 's#.*/##' | grep -m 1 .; then
			return
		fi
		sleep 0.1
	done
	die "$1 has no GID for $2 after $tries tries"
}

build_network() {
	local i
	add_switch
	for i in $HOSTS; do
		add_link "$i"
	done
	neighbours | ip -batch -
	switch_entries | bridge -n "$NETNS" -batch -
	route_through_switch
	for i in $HOSTS; do
		rdma link add "lab-rxe$i" type rxe netdev "lab-h$i"
		gid_of[i]=$(gid_index "lab-rxe$i" "$(address "$i")")
	done
}

remove_network() {
	local i
	route_as_before
	for i in $HOSTS; do
		rdma link del "lab-rxe$i" 2> /dev/null || true
		ip link del "lab-h$i" 2> /dev/null || true
	done
	[ ! -e "/run/netns/$NETNS" ] || ip netns del "$NETNS"
}

cleanup() {
	local status=$?
	set +e
	[ ${#jobs[@]} = 0 ] || kill "${jobs[@]}" 2> /dev/null
	wait
	remove_network
	restore_settings
	unload_modules
	rm -rf "$work"
	exit "$status"
}

# The two kinds of switch. Lengths are those of the frames alone in both, without preamble, FCS and gap.

drop_tail_ports() {
	tc -n "$NETNS" qdisc add dev p3 root tbf rate "$SLOW" burst 10k limit "$BUFFER"
}

# Every byte of the buffer is private to a PG: 2 * (5000 + 9000) for the senders, 2720 for host 3's acknowledgements
lossless_ports() {
	local i nothing=() options=(root handle 1: lossless overhead 0 pfc "$PRIORITY")
	for i in 0 1 2 3 4 5 6 7; do
		[ "$i" = "$PRIORITY" ] || nothing+=(prio "$i" guaranteed 0)
	done
	for i in $SENDERS; do
		tc -n "$NETNS" qdisc add dev "p$i" "${options[@]}" rate "$FAST" "${nothing[@]}" \
			prio "$PRIORITY" guaranteed 5000 static xoff 5000 xon 3000 headroom 9000
	done
	tc -n "$NETNS" qdisc add dev p3 "${options[@]}" rate "$SLOW" "${nothing[@]}" prio "$PRIORITY" guaranteed 1220 headroom 1500
	lossless -n "$NETNS" buffer set size "$BUFFER"
	for i in $HOSTS; do
		tc qdisc add dev "lab-h$i" "${options[@]}" rate "$(rate_of "$i")"
	done
}

# The job

# write_bw HOST FLOW [SERVER]
write_bw() {
	local host=$1 flow=$2
	shift 2
	exec ib_write_bw -d "lab-rxe$host" -x "${gid_of[host]}" -m "$PATH_MTU" -s "$MESSAGE" -D "$LAB_SECONDS" -f "$MARGIN" -Q 1 \
		--tclass=$((DSCP << 2)) -F --report_gbits -p $((PORT + flow)) "$@"
}

is_listening() {
	cat /proc/net/tcp /proc/net/tcp6 2> /dev/null | grep -q ":$(printf %04X $((PORT + $1))) 0*:0000 0A"
}

start_servers() {
	local i tries
	for i in $SENDERS; do
		write_bw 3 "$i" > "$work/server.$i" 2>&1 &
		jobs+=($!)
	done
	for tries in {1..100}; do
		is_listening 1 && is_listening 2 && return
		sleep 0.1
	done
	sed 's/^/# /' "$work"/server.*
	die "ib_write_bw's servers do not listen after $tries tries"
}

# Sets $arrived to the bytes that host 3 has received, and $now to the time in microseconds
look_at_arrivals() {
	read -r arrived < /sys/class/net/lab-h3/statistics/rx_bytes
	now=${EPOCHREALTIME/[.,]/}
}

report_arrivals() {
	local second arrived now before since
	while look_at_arrivals && [ "$arrived" = 0 ]; do
		sleep 0.1
	done
	for ((second = 1; second < LAB_SECONDS; second++)); do
		before=$arrived since=$now
		sleep 1
		look_at_arrivals
		progress "$row: second $second of $LAB_SECONDS: $(((arrived - before) * 8 / (now - since))) Mbit/s arrive at host 3"
	done
}

job_failed() {
	progress "$row: ib_write_bw on host $1 failed:"
	tail -n 3 "$work/client.$1" | sed 's/^/#   /'
}

# The servers end when they have talked to their clients
stop_jobs() {
	local tries
	for tries in {1..20}; do
		[ "$tries" = 20 ] || [ -n "$(jobs -rp)" ] || break
		sleep 0.1
	done
	kill "${jobs[@]}" 2> /dev/null || true
	wait || true
	jobs=()
}

run_job() {
	local i clients=(none)
	start_servers
	for i in $SENDERS; do
		write_bw "$i" "$i" 127.0.0.1 > "$work/client.$i" 2>&1 &
		clients[i]=$!
		jobs+=($!)
	done
	report_arrivals &
	jobs+=($!)
	for i in $SENDERS; do
		wait "${clients[i]}" || job_failed "$i"
	done
	stop_jobs
	sleep 0.5 # until every queue has drained
}

# All counters of a moment as lines "OWNER NAME VALUE"; OWNER is a device, or what else counts

device_counters() {
	local file value
	for file in /sys/class/net/{lab-h,p,br}[0-9]/statistics/{tx_packets,rx_packets,tx_dropped,rx_dropped,tx_errors,rx_errors}; do
		[ -e "$file" ] || continue
		read -r value < "$file"
		file=${file#/sys/class/net/}
		echo "${file%%/*} ${file##*/} $value"
	done
}
export -f device_counters

# softnet_stat and arp_cache have a line for each CPU, in hexadecimal, that counts since the machine started
softnet_counters() {
	local dropped
	while read -r _ dropped _; do
		echo "softnet dropped $((16#$dropped))"
	done < /proc/net/softnet_stat
}

neighbour_counters() {
	local names values i
	{
		read -r -a names
		while read -r -a values; do
			for i in "${!names[@]}"; do
				echo "arp ${names[i]} $((16#${values[i]}))"
			done
		done
	} < /proc/net/stat/arp_cache
}

machine_counters() {
	softnet_counters
	neighbour_counters
}

# One line for each device: link lab-rxe1/1 sent_pkts 31413 rcvd_pkts 481 ...
rdma_counters() {
	rdma statistic show | awk '$2 ~ /^lab-rxe/ { for (i = 3; i < NF; i += 2) print "rdma", $i, $(i + 1) }'
}

# qdisc_counters [OPTIONS OF TC]
qdisc_counters() {
	tc "$@" -s qdisc show | awk '
	$1 == "qdisc" { for (i = 1; i < NF; i++) if ($i == "dev") device = $(i + 1) }
	match($0, /dropped [0-9]+/) { print device, "qdisc_dropped", substr($0, RSTART + 8, RLENGTH - 8) }'
}

# port_counters DEVICE [OPTIONS OF TC]: of our priority; sizes in bytes, times in nanoseconds; named by the words before the number
port_counters() {
	local device=$1
	shift
	tc "$@" -s class show dev "$device" | awk -v device="$device" -v class="1:$((PRIORITY + 1))" '
	function number(text) {
		if (text ~ /us$/) return text * 1e3
		if (text ~ /ms$/) return text * 1e6
		if (text ~ /[0-9]s$/) return text * 1e9
		if (text ~ /Kb$/) return text * 1024
		if (text ~ /Mb$/) return text * 1048576
		return text + 0
	}
	$1 == "class" { mine = ($3 == class) }
	mine && /^  / {
		for (i = 2; i < NF; i += 2) {
			name = ($i == "peak") ? name "_peak" : $1 "_" $i
			printf "%s %s %.0f\n", device, name, number($(i + 1))
		}
	}'
}

all_counters() {
	local i
	machine_counters
	device_counters
	in_switch bash -c device_counters
	rdma_counters
	qdisc_counters
	qdisc_counters -n "$NETNS"
	[ "$row" = lossless ] || return 0
	for i in $HOSTS; do
		port_counters "lab-h$i"
		port_counters "p$i" -n "$NETNS"
	done
}

# count OWNERS NAMES [largest]: the sum, or the largest, of the counters that two regular expressions name
count() {
	awk -v owners="^($1)\$" -v names="^($2)\$" -v largest="${3:-}" '
	$1 ~ owners && $2 ~ names { sum += $3; if ($3 > max) max = $3 }
	END { printf "%.0f\n", largest ? max : sum }' "$work/counters"
}

report_flow() {
	local gbit
	gbit=$(grep -A 1 '^ *#bytes' "$work/client.$1" | awk 'NR == 2 && NF == 5 { print $4 }')
	result "goodput$1" "${gbit:-0}"
}

# What left the hosts and did not reach one, pauses aside: found without the counters of losses
vanished() {
	local pauses
	pauses=$(($(count 'p.' 'pfc_(tx|tx_resumes)') - $(count 'lab-h.' 'pfc_(tx|tx_resumes)')))
	echo $(($(count 'lab-h.' tx_packets) + pauses - $(count 'lab-h.' rx_packets)))
}

report_losses() {
	local errors='[tr]x_(dropped|errors)'
	result lost_host "$(count 'lab-h.' qdisc_dropped)"
	result lost_switch "$(count 'p.' qdisc_dropped)"
	result lost_bridge "$(count br0 "$errors")"
	result lost_veth "$(count 'lab-h.|p.' "$errors")"
	result lost_softnet "$(count softnet dropped)"
	result lost_neighbour "$(count arp unresolved_discards)"
	result vanished "$(vanished)"
}

report_pauses() {
	result pauses_sent "$(count 'p.' pfc_tx)"
	result pauses_honoured $(($(count 'lab-h.' pfc_rx) - $(count 'lab-h.' pfc_ignored)))
	result after_xoff "$(count 'p.' pg_headroom_peak largest)"
	result largest_queue "$(count 'p.' queue_now_peak largest)"
	result txwait1 "$(count lab-h1 wait_tx)"
	result txwait2 "$(count lab-h2 wait_tx)"
}

report() {
	local i
	{
		awk '{ print $1, $2, -$3 }' "$work/before"
		all_counters
	} > "$work/counters"
	for i in $SENDERS; do
		report_flow "$i"
	done
	result frames "$(count 'lab-h[12]' tx_packets)"
	report_losses
	result retries "$(count rdma completer_retry_err)"
	result rdma_errors "$(count rdma \
		'duplicate_request|out_of_seq_request|(rcvd_seq|rcvd_rnr|send_rnr|retry_exceeded|retry_rnr_exceeded|send)_err')"
	[ "$row" != lossless ] || report_pauses
}

# run_row ROW PORTS: PORTS gives the switch its ports
run_row() {
	row=$1
	progress "$row: building the network"
	build_network
	"$2"
	machine_counters > "$work/before"
	progress "$row: two senders write to host 3 for $LAB_SECONDS s"
	run_job
	report
	remove_network
}

[ "$(id -u)" = 0 ] || die "root is needed"
[ ! -e "/run/netns/$NETNS" ] || die "network namespace $NETNS exists: is this running already?"
work=$(mktemp -d)
trap cleanup EXIT
trap 'exit 130' INT TERM HUP
load_modules
change_settings
share_cpus
run_row drop-tail drop_tail_ports
run_row lossless lossless_ports
