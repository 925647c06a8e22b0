#!/bin/bash
# What a qdisc costs per packet: pktgen through dev_queue_xmit() into a dummy device. Run in a guest:
#	selftests/vm/boot.sh -k 6.12 -m icount selftests/bench/qdisc.sh	instructions, the same in every run
#	selftests/vm/uml-boot.sh debug ...				ratios within one run
# MODULE and TC_LIB_DIR as for the selftests. The count of packets may be given.
set -euo pipefail

count=${1:-200000}

for m in dummy pktgen sch_prio sch_ets sch_red sch_fq_codel sch_cake; do
	modprobe -q "$m" || true
done
[ -e /sys/module/sch_lossless ] || insmod "$MODULE"
ip link add d0 type dummy
ip link set d0 up txqueuelen 1000

pg() {
	echo "$2" > "/proc/net/pktgen/$1"
}

send_packets() {
	local option
	pg kpktgend_0 rem_device_all
	pg kpktgend_0 "add_device d0"
	for option in "count $1" "clone_skb 0" "pkt_size 1000" "dst_mac 02:00:00:00:00:01" \
		"dst 10.0.0.1" "xmit_mode queue_xmit" "burst 1"; do
		pg d0 "$option"
	done
	pg pgctrl start
}

# OK: 1234(c1200+d34) usec, 200000 (1000byte,0frags)
ns_per_packet() {
	sed -n 's/.*OK: \([0-9]*\)(.*usec, \([0-9]*\) (.*/\1 \2/p' /proc/net/pktgen/d0 |
		awk '{ printf "%.1f\n", $1 * 1000 / $2 }'
}

setup() {
	case $1 in
	noqueue) tc qdisc replace dev d0 root noqueue ;;
	red) tc qdisc replace dev d0 root red limit 1000000 avpkt 1000 ecn bandwidth 10gbit ;;
	ets) tc qdisc replace dev d0 root ets bands 8 strict 2 ;;
	lossless) tc qdisc replace dev d0 root lossless ;;
	lossless-rate) tc qdisc replace dev d0 root lossless rate 800gbit ;;
	*) tc qdisc replace dev d0 root "$1" ;;
	esac
}

base=
printf '%-14s %10s %10s\n' qdisc ns/packet over-noqueue
for qdisc in ${QDISCS:-noqueue pfifo prio ets fq_codel red cake lossless lossless-rate}; do
	setup "$qdisc"
	send_packets 1000
	send_packets "$count"
	ns=$(ns_per_packet)
	base=${base:-$ns}
	printf '%-14s %10s %10s\n' "$qdisc" "$ns" "$(awk "BEGIN { print $ns - $base }")"
done
