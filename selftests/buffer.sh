#!/bin/bash
# The namespace's buffer through the tool: what it shows, what it refuses, and that every byte of a
# fixed size is either reserved or shared.
# machine: uml-exact
# timeout: 600

# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

buffer() {
	lossless -n sw buffer "$@"
}

# value KEY: of the namespace's buffer
value() {
	lossless -j -n sw buffer show | jq ".$1"
}

two_ports() {
	add_ns sw
	link sw p1 "$(port_mac 1)" sw q1 "$(host_mac 1)"
	link sw p2 "$(port_mac 2)" sw q2 "$(host_mac 2)"
}

show_defaults() {
	add_ns sw
	expect "ports" "$(value ports)" == 0
	expect "reserved" "$(value reserved)" == 0
	expect "shared" "$(value shared)" == $((16 << 20))
	expect "cell" "$(value cell)" == 1
	expect_text "size_auto" "$(value size_auto)" true
}

# Auto: the shared pool is 16 MiB whatever is reserved
auto_size() {
	two_ports
	port sw p1 pfc 3,4
	port sw p2
	expect "ports" "$(value ports)" == 2
	expect "reserved" "$(value reserved)" ">" 200000
	expect "shared" "$(value shared)" == $((16 << 20))
}

# Fixed: shared is what is left; a port that comes or goes changes it
fixed_size() {
	local reserved
	two_ports
	port sw p1 response 0 prio 3 headroom 10000b guaranteed 2000b
	reserved=$(value reserved)
	expect "reserved of one port" "$reserved" == $((10000 + 2000 + 7 * 3036))
	buffer set size 1m headroom-pool 5000
	expect "shared" "$(value shared)" == $(((1 << 20) - reserved - 5000))
	port sw p2 response 0 prio 3 headroom 10000b guaranteed 2000b
	expect "shared with two ports" "$(value shared)" == $(((1 << 20) - 2 * reserved - 5000))
	tc -n sw qdisc del dev p2 root
	expect "shared with one again" "$(value shared)" == $(((1 << 20) - reserved - 5000))
}

# A qdisc that replaces another one of the same device is not counted twice
replaced_port() {
	two_ports
	port sw p1 response 0 prio 3 headroom 10000b guaranteed 2000b
	buffer set size 40000
	check "another handle" tc -n sw qdisc replace dev p1 root handle 2: lossless response 0 \
		prio 3 headroom 10000b guaranteed 2000b
	expect "reserved" "$(value reserved)" == 33252
	expect "shared" "$(value shared)" == 6748
}

refused() {
	two_ports
	port sw p1 response 0 prio 3 headroom 10000b guaranteed 2000b
	expect_refusal "*the buffer of 33000 bytes is smaller than 33252 bytes reserved*" \
		buffer set size 33000
	expect_refusal "*the buffer of 34000 bytes is smaller than 34252 bytes reserved*" \
		buffer set size 34000 headroom-pool 1000
	expect_refusal '*size "1k"*16Kb*4Gb*' buffer set size 1k
	expect_refusal '*size "-1"*' buffer set size -1
	expect_refusal '*cell "0"*' buffer set cell 0
	expect_refusal '*cell "70000"*' buffer set cell 70000
	expect_refusal '*headroom-pool "5g"*' buffer set headroom-pool 5g
	expect_refusal '*"colour"*' buffer set colour red
	expect "reserved" "$(value reserved)" == 33252
	expect "headroom pool" "$(value headroom_pool)" == 0
	expect_text "size_auto" "$(value size_auto)" true
}

# A port of another namespace has another buffer
namespaces() {
	two_ports
	add_ns other
	buffer set size 1m cell 208
	expect "cell here" "$(value cell)" == 208
	expect "cell there" "$(lossless -j -n other buffer show | jq .cell)" == 1
}

# Frames take whole cells, unless the port has cells of its own
cells() {
	star 2
	port sw p1
	port sw p2 rate 1mbit
	lossless -n sw buffer set cell 208
	on h1 "$SELFTESTS/bin/frame" send e dst "$(host_mac 2)" dscp 26 size 300 count 3
	expect_stat sw p1 3.guaranteed_bytes == $((2 * 416))
	wait_until 10 stat_is sw p2 qlen == 0
	port sw p2 cell 1
	on h1 "$SELFTESTS/bin/frame" send e dst "$(host_mac 2)" dscp 26 size 300 count 3
	expect_stat sw p1 3.guaranteed_bytes == $((2 * 300))
	wait_until 10 stat_is sw p2 qlen == 0
	expect_drained sw p1 p2
}

# The example of lossless(8), on four ports as in that of tc-lossless(8)
man_page() {
	local i
	add_ns sw
	for i in 1 2 3 4; do
		link sw "p$i" "$(port_mac "$i")" sw "q$i" "$(host_mac "$i")"
		port sw "p$i" rate 100gbit cable 100m pfc 3,4 dscp-map 26:3,48:6
	done
	buffer set size 32m cell 208
	expect_text "lossless buffer" "$(buffer)" "$(sed -n '/^# lossless buffer$/,/^\.RE/{/^[#.]/!p}' \
		"$SELFTESTS/../Documentation/man/lossless.8")"
}

without_module() {
	rmmod sch_lossless
	expect_refusal "*the module sch_lossless is not loaded*" lossless buffer show
	insmod "$MODULE"
}

run_tests show_defaults auto_size fixed_size replaced_port refused namespaces cells man_page without_module
