#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: user
#
# The tc plugin without tc and without a kernel: what each command line puts on the wire,
# what is refused in which words, and that its output is input again.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
header=$here/../sch_lossless/include/uapi/linux/lossless.h
export TZ=XYZ-2 # two hours before UTC

make -s -C "$here/../tc-plugin" OUT="$work" >&2
make -s -f "$here/unit/plugin.mk" UNIT_DIR="$here/unit" UNIT_OUT="$work" "$work/plugin-harness" >&2

tests=0
failed=0

# result STATUS NAME WANTED GOT
result() {
	tests=$((tests + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tests $2"
	else
		failed=$((failed + 1))
		echo "not ok $tests $2"
		printf '# wanted: %s\n# got:    %s\n' "${3//$'\n'/$'\n# '}" "${4//$'\n'/$'\n# '}"
	fi
}

harness() {
	"$work/plugin-harness" "$work/q_lossless.so" "$@"
}

# same NAME WANTED MODE WORD...: the harness prints exactly WANTED
same() {
	local name=$1 wanted=$2 got status=0
	shift 2
	got=$(harness "$@" 2>&1) || status=1
	[ "$status" = 0 ] && [ "$got" = "$wanted" ] || status=1
	result "$status" "$name" "$wanted" "$got"
}

# good "WORDS" WANTED: these attributes, and the text of them gives them again
good() {
	local words status=0 got
	read -r -a words <<< "$1"
	same "$1" "$2" attributes "${words[@]}"
	got=$(harness again "${words[@]}" 2>&1) || status=1
	result "$status" "$1: output is input" "" "$got"
}

# bad "WORDS" MESSAGE: refused with this first line of stderr and nothing on stdout
bad() {
	local words status=0 got
	read -r -a words <<< "$1"
	got=$(harness attributes "${words[@]}" 2>&1) && status=1
	got=${got%%$'\n'*}
	[ "$got" = "$2" ] || status=1
	result "$status" "refused: $1" "$2" "$got"
}

rate_range="allowed: 1Kbit to 1600Gbit, or none."
size_range="allowed: 0b to 4Gb."
list="allowed: priorities 0 to 7 as in 3,4 or 3-5, or none."
dscp_map="allowed: DSCP 0 to 63 and priority 0 to 7 as in 24-31:3,46:5."
pcp_map="allowed: PCP 0 to 7 and priority 0 to 7 as in 0:0,1:3."
alphas="allowed: 1/1024, 1/512, .. 1/2, 1, 2, .. 128."
detect_range="allowed: 1ms to 1min"
restore_range="allowed: 1ms to 24h."

rates() {
	good "rate 34.3gbit" "rate64/8=4287500000"
	good "rate 34.4gbit" "rate64/8=4300000000"
	good "rate 34.359738368gbit" "rate64/8=4294967296"
	good "rate 100gbit" "rate64/8=12500000000"
	good "rate 400gbit" "rate64/8=50000000000"
	good "rate 800gbit" "rate64/8=100000000000"
	good "rate 800000000008bit" "rate64/8=100000000001"
	good "rate 1.6tbit" "rate64/8=200000000000"
	good "rate 1kbit" "rate64/8=125"
	good "rate 1Mibit" "rate64/8=131072"
	good "rate 0.5Gibit" "rate64/8=67108864"
	good "rate 1.5GBps" "rate64/8=1500000000"
	good "rate 1000bps" "rate64/8=1000"
	good "rate 010mbit" "rate64/8=1250000"
	good "rate 12.000000000000000000000mbit" "rate64/8=1500000"
	good "rate none" "rate64/8=0"
	bad "rate" "Error: rate needs a value: RATE or none."
	bad "rate 1.7tbit" "Error: rate \"1.7tbit\" is out of range; $rate_range"
	bad "rate 999bit" "Error: rate \"999bit\" is out of range; $rate_range"
	bad "rate 0" "Error: rate \"0\" is out of range; $rate_range"
	bad "rate 99999999999999999999tbit" \
		"Error: rate \"99999999999999999999tbit\" is out of range; $rate_range"
	bad "rate 1001bit" "Error: rate \"1001bit\" is not a whole number of bytes per second; $rate_range"
	bad "rate 1.0000000000000000001gbit" \
		"Error: rate \"1.0000000000000000001gbit\" is not a whole number of bytes per second; $rate_range"
	bad "rate -1gbit" "Error: rate \"-1gbit\" is not a rate; $rate_range"
	bad "rate +1gbit" "Error: rate \"+1gbit\" is not a rate; $rate_range"
	bad "rate nan" "Error: rate \"nan\" is not a rate; $rate_range"
	bad "rate inf" "Error: rate \"inf\" is not a rate; $rate_range"
	bad "rate 0x10gbit" "Error: rate \"0x10gbit\" is not a rate; $rate_range"
	bad "rate 1e3mbit" "Error: rate \"1e3mbit\" is not a rate; $rate_range"
	bad "rate 34,3gbit" "Error: rate \"34,3gbit\" is not a rate; $rate_range"
	bad "rate .5gbit" "Error: rate \".5gbit\" is not a rate; $rate_range"
	bad "rate 5.gbit" "Error: rate \"5.gbit\" is not a rate; $rate_range"
	bad "rate 1.2.3gbit" "Error: rate \"1.2.3gbit\" is not a rate; $rate_range"
	bad "rate 1gb" "Error: rate \"1gb\" is not a rate; $rate_range"
	bad "rate 1gbit rate 2gbit" "Error: duplicate \"rate\": \"2gbit\" is the second value."
}

port_numbers() {
	good "overhead 0" "overhead/4=0"
	good "overhead 1024" "overhead/4=1024"
	bad "overhead 1025" "Error: overhead \"1025\" is out of range; allowed: 0 to 1024."
	bad "overhead 24b" "Error: overhead \"24b\" is not a whole number; allowed: 0 to 1024."
	bad "overhead 24.0" "Error: overhead \"24.0\" is not a whole number; allowed: 0 to 1024."
	bad "overhead -4" "Error: overhead \"-4\" is not a whole number; allowed: 0 to 1024."
	good "burst 64" "burst/4=64"
	bad "burst 0" "Error: burst \"0\" is out of range; allowed: 1 to 64."
	good "quanta 65535" "quanta/2=65535"
	good "quanta 010" "quanta/2=10"
	bad "quanta 65536" "Error: quanta \"65536\" is out of range; allowed: 1 to 65535."
	bad "quanta 4294967297" "Error: quanta \"4294967297\" is out of range; allowed: 1 to 65535."
	bad "quanta 18446744073709551617" \
		"Error: quanta \"18446744073709551617\" is out of range; allowed: 1 to 65535."
	bad "quanta 0" "Error: quanta \"0\" is out of range; allowed: 1 to 65535."
	good "cell 208" "cell/4=208"
	good "cell 0" "cell/4=0"
	bad "cell 65537" "Error: cell \"65537\" is out of range; allowed: 0 to 65536."
	good "default-prio 7" "default_prio/1=7"
	bad "default-prio 8" "Error: default-prio \"8\" is out of range; allowed: 0 to 7."
	good "response 64k" "response/4=65536"
	good "response 0" "response/4=0"
	bad "response 65m" "Error: response \"65m\" is out of range; allowed: 0b to 64Mb."
	good "cable 100m" "cable_cm/4=10000"
	good "cable 2.5" "cable_cm/4=250"
	good "cable 0.01m" "cable_cm/4=1"
	good "cable 1.00001km" "cable_cm/4=100001"
	good "cable 100km" "cable_cm/4=10000000"
	good "cable 0" "cable_cm/4=0"
	bad "cable 101km" "Error: cable \"101km\" is out of range; allowed: 0m to 100km."
	bad "cable 0.005m" "Error: cable \"0.005m\" is not a whole number of centimetres; allowed: 0m to 100km."
	bad "cable 10cm" "Error: cable \"10cm\" is not a length; allowed: 0m to 100km."
}

port_words() {
	good "trust dscp" "trust/1=0"
	good "trust pcp" "trust/1=1"
	good "trust skb" "trust/1=2"
	bad "trust DSCP" "Error: trust \"DSCP\" is unknown; allowed: dscp, pcp, skb."
	bad "trust" "Error: trust needs a value: dscp, pcp or skb."
	good "keep-gso" "keep_gso/1=1"
	good "keep-gso on" "keep_gso/1=1"
	good "keep-gso off keep-socket" "keep_gso/1=0 keep_socket/1=1"
	good "burst 1 keep-socket cell 2" "burst/4=1 keep_socket/1=1 cell/4=2"
	bad "keep-gso keep-gso off" "Error: duplicate \"keep-gso\"."
	bad "keep-gso yes" "What is \"yes\"?"
	good "llfc on" "llfc/1=1"
	good "pfc 3 llfc off" "pfc/1=8 llfc/1=0"
	good "pfc none llfc on" "pfc/1=0 llfc/1=1"
	bad "llfc" "Error: llfc needs a value: on or off."
	bad "llfc 1" "Error: llfc \"1\" is unknown; allowed: on, off."
	bad "llfc on pfc 3,4" "Error: llfc on and pfc 3,4 exclude each other."
	bad "pfc 3 llfc on" "Error: llfc on and pfc 3 exclude each other."
	bad "frob" "What is \"frob\"?"
	bad "Rate 1gbit" "What is \"Rate\"?"
	bad "rat 1gbit" "What is \"rat\"?"
	bad "help" "Usage: ... lossless [ rate RATE|none ] [ overhead BYTES ] [ burst FRAMES ]"
	bad "rate 1gbit help" "Usage: ... lossless [ rate RATE|none ] [ overhead BYTES ] [ burst FRAMES ]"
}

lists() {
	good "pfc 3,4" "pfc/1=24"
	good "pfc 3-5" "pfc/1=56"
	good "pfc 7,0,2-3" "pfc/1=141"
	good "pfc 0-7" "pfc/1=255"
	good "pfc 3-3" "pfc/1=8"
	good "pfc none" "pfc/1=0"
	good "pfc-rx all" "pfc_rx/1=255"
	good "pfc-rx none" "pfc_rx/1=0"
	good "pfc 3 pfc-rx 3,4" "pfc/1=8 pfc_rx/1=24"
	bad "pfc" "Error: pfc needs a value: priorities 0 to 7 as in 3,4 or 3-5, or none."
	bad "pfc all" "Error: pfc \"all\" is not a list of priorities; $list"
	bad "pfc 8" "Error: pfc \"8\" is not a list of priorities; $list"
	bad "pfc 3,300" "Error: pfc \"3,300\" is not a list of priorities; $list"
	bad "pfc 3,,4" "Error: pfc \"3,,4\" is not a list of priorities; $list"
	bad "pfc 3," "Error: pfc \"3,\" is not a list of priorities; $list"
	bad "pfc ,3" "Error: pfc \",3\" is not a list of priorities; $list"
	bad "pfc 5-3" "Error: pfc \"5-3\" is not a list of priorities; $list"
	bad "pfc 3-" "Error: pfc \"3-\" is not a list of priorities; $list"
	bad "pfc 3;4" "Error: pfc \"3;4\" is not a list of priorities; $list"
	bad "pfc -3" "Error: pfc \"-3\" is not a list of priorities; $list"
	bad "pfc 3,3" "Error: pfc \"3,3\" names priority 3 twice."
	bad "pfc 3-5,4" "Error: pfc \"3-5,4\" names priority 4 twice."
	bad "pfc 3 4" "What is \"4\"?"
	bad "pfc-rx 9" \
		"Error: pfc-rx \"9\" is not a list of priorities; allowed: priorities 0 to 7 as in 3,4 or 3-5, or all, or none."
}

maps() {
	good "dscp-map 26:3,46:5" "dscp_map{26:3,46:5}"
	good "dscp-map 0-3:1,8:2" "dscp_map{0:1,1:1,2:1,3:1,8:2}"
	good "dscp-map 63:7" "dscp_map{63:7}"
	good "pcp-map 0:1,1:0" "pcp_map{0:1,1:0}"
	bad "dscp-map 64:1" "Error: dscp-map \"64:1\" is not a map; $dscp_map"
	bad "dscp-map 1:8" "Error: dscp-map \"1:8\" is not a map; $dscp_map"
	bad "dscp-map 1" "Error: dscp-map \"1\" is not a map; $dscp_map"
	bad "dscp-map 1:" "Error: dscp-map \"1:\" is not a map; $dscp_map"
	bad "dscp-map 1:2," "Error: dscp-map \"1:2,\" is not a map; $dscp_map"
	bad "dscp-map 0-7:0,5:1" "Error: dscp-map \"0-7:0,5:1\" names DSCP 5 twice."
	bad "pcp-map 0-3:1" "Error: pcp-map \"0-3:1\" is not a map; $pcp_map"
	bad "pcp-map 8:1" "Error: pcp-map \"8:1\" is not a map; $pcp_map"
	bad "pcp-map 1:1,1:1" "Error: pcp-map \"1:1,1:1\" names PCP 1 twice."
}

sections() {
	good "prio 3 lossless" "prio{index/1=3 lossless/1=1}"
	good "prio 3 lossy" "prio{index/1=3 lossless/1=0}"
	good "prio 6 strict prio 5 weight 1000" "prio{index/1=6 weight/4=0} prio{index/1=5 weight/4=1000}"
	good "prio 0 guaranteed 4g" "prio{index/1=0 guaranteed/8=4294967296}"
	good "prio 0 guaranteed 4294967295" "prio{index/1=0 guaranteed/8=4294967295}"
	good "prio 0 guaranteed 1.5k limit 8kbit" "prio{index/1=0 guaranteed/8=1536 limit/8=1024}"
	good "prio 3 xon-offset 3036b" "prio{index/1=3 xon_offset/8=3036}"
	good "prio 3 headroom auto" "prio{index/1=3 headroom_auto/1=1}"
	good "prio 3 headroom 100KB" "prio{index/1=3 headroom/8=102400}"
	good "prio 3 headroom 0" "prio{index/1=3 headroom/8=0}"
	good "prio 3 alpha 1/1024" "prio{index/1=3 alpha/1=-10}"
	good "prio 3 alpha 1/8" "prio{index/1=3 alpha/1=-3}"
	good "prio 3 alpha 1" "prio{index/1=3 alpha/1=0}"
	good "prio 3 alpha 128" "prio{index/1=3 alpha/1=7}"
	good "prio 3 static xoff 200k xon 100k" "prio{index/1=3 xoff/8=204800 xon/8=102400}"
	good "prio 3 lossless alpha 1 limit 1m" "prio{index/1=3 lossless/1=1 alpha/1=0 limit/8=1048576}"
	good "prio 3 ecn 100k 200k 20" "prio{index/1=3 ecn/1=1 kmin/4=102400 kmax/4=204800 pmax/4=200000}"
	good "prio 3 ecn 0 0 0.0001%" "prio{index/1=3 ecn/1=1 kmin/4=0 kmax/4=0 pmax/4=1}"
	good "prio 3 ecn 1 4294967295 100" "prio{index/1=3 ecn/1=1 kmin/4=1 kmax/4=4294967295 pmax/4=1000000}"
	good "prio 3 noecn wred off" "prio{index/1=3 ecn/1=0 wred/1=0}"
	good "prio 1 lossy wred prio 2 wred on" "prio{index/1=1 lossless/1=0 wred/1=1} prio{index/1=2 wred/1=1}"
	same "an option of the port ends the section" "prio{index/1=3 weight/4=2} rate64/8=125000000" \
		attributes prio 3 weight 2 rate 1gbit
	same "a change of nothing is empty" "" attributes

	bad "prio" "Error: prio needs a value: a priority and its options."
	bad "prio 8 lossy" "Error: prio \"8\" is out of range; allowed: 0 to 7."
	bad "prio x lossy" "Error: prio \"x\" is not a whole number; allowed: 0 to 7."
	bad "prio 3" "Error: prio 3 is not followed by an option of a priority."
	bad "prio 3 rate 1gbit" "Error: prio 3 is not followed by an option of a priority."
	bad "prio 3 lossy prio 3 strict" "Error: duplicate \"prio 3\"."
	bad "prio 3 weight 2 rate 1gbit alpha 1" \
		"Error: alpha is an option of a priority: write it after prio P."
	bad "weight 3" "Error: weight is an option of a priority: write it after prio P."
	bad "prio 3 lossy lossless" "Error: prio 3 lossless and lossy exclude each other."
	bad "prio 3 lossy lossy" "Error: duplicate \"prio 3 lossy\"."
	bad "prio 3 strict weight 2" "Error: prio 3 weight and strict exclude each other."
	bad "prio 3 weight 0" "Error: prio 3 weight \"0\" is out of range; allowed: 1 to 1000."
	bad "prio 3 weight 1001" "Error: prio 3 weight \"1001\" is out of range; allowed: 1 to 1000."
	bad "prio 3 weight" "Error: prio 3 weight needs a value: N."
	bad "prio 3 guaranteed 1k guaranteed 2k" \
		"Error: duplicate \"prio 3 guaranteed\": \"2k\" is the second value."
	bad "prio 3 guaranteed 5g" "Error: prio 3 guaranteed \"5g\" is out of range; $size_range"
	bad "prio 3 guaranteed 0.3k" \
		"Error: prio 3 guaranteed \"0.3k\" is not a whole number of bytes; $size_range"
	bad "prio 3 guaranteed 1kib" "Error: prio 3 guaranteed \"1kib\" is not a size; $size_range"
	bad "prio 3 headroom maybe" "Error: prio 3 headroom \"maybe\" is not a size; allowed: 0b to 4Gb, or auto."
	bad "prio 3 headroom" "Error: prio 3 headroom needs a value: auto or SIZE."
	bad "prio 3 alpha 1/3" "Error: prio 3 alpha \"1/3\" is not a power of two; $alphas"
	bad "prio 3 alpha 1/2048" "Error: prio 3 alpha \"1/2048\" is not a power of two; $alphas"
	bad "prio 3 alpha 0.125" "Error: prio 3 alpha \"0.125\" is not a power of two; $alphas"
	bad "prio 3 alpha 256" "Error: prio 3 alpha \"256\" is not a power of two; $alphas"
	bad "prio 3 alpha 1 static xoff 2k xon 1k" "Error: prio 3 static and alpha exclude each other."
	bad "prio 3 static xoff 2k xon 1k alpha 1" "Error: prio 3 alpha and static exclude each other."
	bad "prio 3 static 2k" "Error: prio 3 static \"2k\" is unexpected; allowed: xoff SIZE xon SIZE."
	bad "prio 3 static xoff 2k" "Error: prio 3 static needs a value: xoff SIZE xon SIZE."
	bad "prio 3 static xoff 5g xon 1k" "Error: prio 3 static xoff \"5g\" is out of range; allowed: 1b to 4Gb."
	bad "prio 3 static xoff 0 xon 0" "Error: prio 3 static xoff \"0\" is out of range; allowed: 1b to 4Gb."
	bad "prio 3 static xoff 1k xon 2k" "Error: prio 3 static xon \"2k\" is more than xoff."
	bad "prio 2 lossy alpha 1 limit 1k" "Error: prio 2 is lossy: alpha and limit exclude each other."
	bad "prio 2 limit 1k alpha 1 lossy rate 1gbit" \
		"Error: prio 2 is lossy: alpha and limit exclude each other."
	bad "prio 3 ecn 200k 100k 20" "Error: prio 3 ecn kmin \"200k\" is more than kmax \"100k\"."
	bad "prio 3 ecn 4g 4g 20" "Error: prio 3 ecn kmin \"4g\" is out of range; allowed: 0b to 4294967295b."
	bad "prio 3 ecn 1k 2k 101" "Error: prio 3 ecn pmax \"101\" is out of range; allowed: 0% to 100%."
	bad "prio 3 ecn 1k 2k 0.00001" \
		"Error: prio 3 ecn pmax \"0.00001\" is not a whole number of millionths; allowed: 0% to 100%."
	bad "prio 3 ecn 1k 2k" "Error: prio 3 ecn needs a value: KMIN KMAX PMAX."
	bad "prio 3 ecn 1k 2k 20 noecn" "Error: prio 3 noecn and ecn exclude each other."
	good "prio 3 max-age 5ms" "prio{index/1=3 max_age64/8=5000000}"
	good "prio 3 lossless max-age 1h prio 4 max-age 1us" \
		"prio{index/1=3 lossless/1=1 max_age64/8=3600000000000} prio{index/1=4 max_age64/8=1000}"
	same "prio 3 max-age off" "prio{index/1=3 max_age64/8=0}" attributes prio 3 max-age off
	bad "prio 3 max-age" "Error: prio 3 max-age needs a value: TIME or off."
	bad "prio 3 max-age 999ns" \
		"Error: prio 3 max-age \"999ns\" is out of range; allowed: 1us to 1h, or off."
	bad "prio 3 max-age 61min" \
		"Error: prio 3 max-age \"61min\" is out of range; allowed: 1us to 1h, or off."
	bad "max-age 1ms" "Error: max-age is an option of a priority: write it after prio P."
}

# not_a_time TEXT
not_a_time() {
	bad "watchdog detect $1" "Error: watchdog detect \"$1\" is not a time with its unit; $detect_range."
}

time_values() {
	local text
	good "watchdog detect 1ms" "watchdog/1=1 detect64/8=1000000"
	good "watchdog detect 1000001ns" "watchdog/1=1 detect64/8=1000001"
	good "watchdog detect 1500us" "watchdog/1=1 detect64/8=1500000"
	good "watchdog detect 1.000001ms" "watchdog/1=1 detect64/8=1000001"
	good "watchdog detect 0.1s" "watchdog/1=1 detect64/8=100000000"
	good "watchdog detect 0.5min" "watchdog/1=1 detect64/8=30000000000"
	good "watchdog detect 1m" "watchdog/1=1 detect64/8=60000000000"
	good "watchdog detect 0.001H" "watchdog/1=1 detect64/8=3600000000"
	good "watchdog detect 59.999999999S" "watchdog/1=1 detect64/8=59999999999"
	good "watchdog restore fixed 24h" "watchdog/1=1 restore/1=1 restore_time64/8=86400000000000"
	for text in 100 0 -1ms +1ms nan inf 0x10ms 1e3ms 1,5ms .5ms 5.ms 1.2.3ms 100msec 1d 1kbit ms; do
		not_a_time "$text"
	done
	for text in 0ms 999999ns 61s 60000000001ns 99999999999999999999ns 5124096h; do
		bad "watchdog detect $text" "Error: watchdog detect \"$text\" is out of range; $detect_range."
	done
	bad "watchdog detect 1.0000001ms" \
		"Error: watchdog detect \"1.0000001ms\" is not a whole number of nanoseconds; $detect_range."
}

watchdog() {
	good "watchdog" "watchdog/1=1"
	good "watchdog on" "watchdog/1=1"
	good "watchdog off" "watchdog/1=0"
	good "pfc 3 watchdog off" "pfc/1=8 watchdog/1=0"
	good "watchdog on detect 50ms restore auto 1s action drop window 10ms duty 80 untrust 3 1min ingress-pass" \
		"watchdog/1=1 detect64/8=50000000 restore/1=0 restore_time64/8=1000000000 action/1=0 window64/8=10000000 duty/1=80 untrust/4=3 untrust_time64/8=60000000000 ingress_pass/1=1"
	good "watchdog restore auto" "watchdog/1=1 restore/1=0"
	good "watchdog restore auto action drop" "watchdog/1=1 restore/1=0 action/1=0"
	good "watchdog restore auto 1ms" "watchdog/1=1 restore/1=0 restore_time64/8=1000000"
	good "watchdog restore fixed 2s" "watchdog/1=1 restore/1=1 restore_time64/8=2000000000"
	good "watchdog restore off" "watchdog/1=1 restore/1=2"
	good "watchdog action drop" "watchdog/1=1 action/1=0"
	good "watchdog action forward" "watchdog/1=1 action/1=1"
	good "watchdog action alert" "watchdog/1=1 action/1=2"
	good "watchdog action shutdown" "watchdog/1=1 action/1=3"
	good "watchdog action flap" "watchdog/1=1 action/1=4"
	good "watchdog window 1s duty 1" "watchdog/1=1 window64/8=1000000000 duty/1=1"
	good "watchdog window 1s duty 100%" "watchdog/1=1 window64/8=1000000000 duty/1=100"
	good "watchdog untrust 16 24h" "watchdog/1=1 untrust/4=16 untrust_time64/8=86400000000000"
	good "watchdog ingress-pass on" "watchdog/1=1 ingress_pass/1=1"
	good "pause-timeout 500ms" "pause_timeout64/8=500000000"
	good "watchdog off pause-timeout 1s prio 3 lossy" \
		"watchdog/1=0 pause_timeout64/8=1000000000 prio{index/1=3 lossless/1=0}"
	same "what is off is sent" "watchdog/1=1 window64/8=0 untrust/4=0 ingress_pass/1=0 pause_timeout64/8=0" \
		attributes watchdog window off untrust off ingress-pass off pause-timeout off
	same "the watchdog ends the section" "prio{index/1=3 lossless/1=1} watchdog/1=1 detect64/8=5000000" \
		attributes prio 3 lossless watchdog detect 5ms
}

watchdog_refusals() {
	local word
	for word in detect restore action window untrust ingress-pass; do
		bad "$word" "Error: $word is an option of the watchdog: write it after watchdog."
		bad "watchdog pfc 3 $word" "Error: $word is an option of the watchdog: write it after watchdog."
		bad "watchdog off $word" "Error: watchdog off takes no options, but $word follows it."
	done
	bad "watchdog off pfc 3 detect 1ms" "Error: detect is an option of the watchdog: write it after watchdog."
	bad "prio 3 lossy detect 1ms" "Error: detect is an option of the watchdog: write it after watchdog."
	bad "watchdog off watchdog detect 1ms" "Error: duplicate \"watchdog\"."
	bad "watchdog yes" "What is \"yes\"?"
	bad "watchdog duty 50" "What is \"duty\"?"
	bad "watchdog detect" "Error: watchdog detect needs a value: TIME."
	bad "watchdog detect 1ms detect 2ms" \
		"Error: duplicate \"watchdog detect\": \"2ms\" is the second value."
	bad "watchdog restore" "Error: watchdog restore needs a value: auto [TIME], fixed TIME or off."
	bad "watchdog restore 1s" "Error: watchdog restore \"1s\" is unknown; allowed: auto, fixed, off."
	bad "watchdog restore fixed" "Error: watchdog restore needs a value: auto [TIME], fixed TIME or off."
	bad "watchdog restore fixed off" \
		"Error: watchdog restore fixed \"off\" is not a time with its unit; $restore_range"
	bad "watchdog restore fixed 25h" \
		"Error: watchdog restore fixed \"25h\" is out of range; $restore_range"
	bad "watchdog restore auto 999us" \
		"Error: watchdog restore auto \"999us\" is out of range; $restore_range"
	bad "watchdog restore auto -1s" \
		"Error: watchdog restore auto \"-1s\" is not a time with its unit; $restore_range"
	bad "watchdog restore auto maybe" "What is \"maybe\"?"
	bad "watchdog restore off 1s" "What is \"1s\"?"
	bad "watchdog action" "Error: watchdog action needs a value: drop, forward, alert, shutdown or flap."
	bad "watchdog action explode" \
		"Error: watchdog action \"explode\" is unknown; allowed: drop, forward, alert, shutdown, flap."
	bad "watchdog window" "Error: watchdog window needs a value: TIME duty PERCENT, or off."
	bad "watchdog window 1s" "Error: watchdog window needs a value: TIME duty PERCENT, or off."
	bad "watchdog window 1s detect 5ms duty 5" \
		"Error: watchdog window \"detect\" is unexpected; allowed: TIME duty PERCENT, or off."
	bad "watchdog window 61s duty 5" \
		"Error: watchdog window \"61s\" is out of range; $detect_range, or off."
	bad "watchdog window off duty 5" "What is \"duty\"?"
	bad "watchdog window 1s duty 0" \
		"Error: watchdog window duty \"0\" is out of range; allowed: 1% to 100%."
	bad "watchdog window 1s duty 101%" \
		"Error: watchdog window duty \"101%\" is out of range; allowed: 1% to 100%."
	bad "watchdog window 1s duty 0.5" \
		"Error: watchdog window duty \"0.5\" is not a whole number of percent; allowed: 1% to 100%."
	bad "watchdog untrust" "Error: watchdog untrust needs a value: N TIME, or off."
	bad "watchdog untrust 3" "Error: watchdog untrust needs a value: N TIME, or off."
	bad "watchdog untrust 0 1s" "Error: watchdog untrust \"0\" is out of range; allowed: 1 to 16, or off."
	bad "watchdog untrust 17 1s" "Error: watchdog untrust \"17\" is out of range; allowed: 1 to 16, or off."
	bad "watchdog untrust 3 1us" \
		"Error: watchdog untrust time \"1us\" is out of range; $restore_range"
	bad "watchdog ingress-pass ingress-pass" "Error: duplicate \"watchdog ingress-pass\"."
	bad "pause-timeout" "Error: pause-timeout needs a value: TIME or off."
	bad "pause-timeout 0" "Error: pause-timeout \"0\" is not a time with its unit; $detect_range, or off."
	bad "pause-timeout 2min" "Error: pause-timeout \"2min\" is out of range; $detect_range, or off."
}

# json_of_watchdog NAME WANTED ATTRIBUTE...: what a port's JSON says of the watchdog
json_of_watchdog() {
	local name=$1 wanted=$2 status=0 got
	shift 2
	got=$(harness dump-json "$@" | sed 's/.*\("watchdog":.*\),"priorities".*/\1/')
	[ "$got" = "$wanted" ] || status=1
	result "$status" "$name" "$wanted" "$got"
}

# What the kernel sends holds the times of what is off as well
watchdog_output() {
	local in_force="detect64/8=100000000 restore/1=0 restore_time64/8=1000000000 action/1=0"
	local off="window64/8=0 duty/1=90 untrust/4=0 untrust_time64/8=60000000000 ingress_pass/1=0 pause_timeout64/8=0"
	# shellcheck disable=SC2086 # words
	{
		same "text of the default watchdog" "watchdog detect 100ms restore auto 1s action drop window off untrust off ingress-pass off pause-timeout off " \
			dump watchdog/1=1 $in_force $off
		same "text of a watchdog that is off" "watchdog off pause-timeout off " dump watchdog/1=0 $in_force $off
		json_of_watchdog "JSON of a watchdog that is off" '"watchdog":false,"detect_ns":null,"restore":null,"restore_ns":null,"action":null,"window_ns":null,"duty_percent":null,"untrust":null,"untrust_ns":null,"ingress_pass":null,"pause_timeout_ns":null' \
			watchdog/1=0 $in_force $off
		json_of_watchdog "JSON of the default watchdog" '"watchdog":true,"detect_ns":100000000,"restore":"auto","restore_ns":1000000000,"action":"drop","window_ns":null,"duty_percent":null,"untrust":null,"untrust_ns":null,"ingress_pass":false,"pause_timeout_ns":null' \
			watchdog/1=1 $in_force $off
	}
	json_of_watchdog "JSON of a watchdog with everything" '"watchdog":true,"detect_ns":50000000,"restore":"fixed","restore_ns":2000000000,"action":"flap","window_ns":10000000,"duty_percent":80,"untrust":3,"untrust_ns":60000000000,"ingress_pass":true,"pause_timeout_ns":500000000' \
		watchdog/1=1 detect64/8=50000000 restore/1=1 restore_time64/8=2000000000 action/1=4 window64/8=10000000 \
		duty/1=80 untrust/4=3 untrust_time64/8=60000000000 ingress_pass/1=1 pause_timeout64/8=500000000
	same "text of a watchdog with everything" \
		"watchdog detect 50ms restore fixed 2s action flap window 10ms duty 80% untrust 3 1min ingress-pass on pause-timeout 500ms 
  prio 3 max-age 1ms " text watchdog detect 0.05s restore fixed 2000ms action flap window 10ms duty 80 untrust 3 60s ingress-pass \
		pause-timeout 0.5s prio 3 max-age 1000us
	same "text of a time to the nanosecond" "watchdog detect 1000001ns " text watchdog detect 1.000001ms
	same "restore off has no time" "watchdog restore off " dump watchdog/1=1 restore/1=2 restore_time64/8=1000000000
	same "an action of a newer module is a number" "watchdog action 9 " dump watchdog/1=1 action/1=9
	same "an older module has no watchdog" "overhead 24 cell 0 " dump overhead/4=24 cell/4=0
}

# sorted_keys: of the object of JSON on stdin; fails if it is none, or if a key stands twice
sorted_keys() {
	/usr/bin/python3 -c '
import json, sys
def check(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), keys
    return dict(pairs)
print(*sorted(json.load(sys.stdin, object_pairs_hook=check)))' 2>&1
}

# fields_of STRUCT: its numbers that JSON shows under their own names
fields_of() {
	sed -n "/^struct $1 {/,/^}/s/.*__u\(32\|64\) \(.*\);/\2/p" "$header" | grep -vx -e type -e flags
}

# same_keys NAME WANTED_LINES MODE WORD...: the keys of the harness's JSON
same_keys() {
	local name=$1 wanted=$2 status=0 got
	shift 2
	# shellcheck disable=SC2086 # lines are words
	wanted=$(printf '%s\n' $wanted | LC_ALL=C sort | paste -s -d ' ')
	got=$(harness "$@" | sorted_keys) || status=1
	[ "$got" = "$wanted" ] || status=1
	result "$status" "$name" "$wanted" "$got"
}

json_keys() {
	local flags="pg_xoff queue_paused storm untrusted"
	same_keys "JSON has each counter of a port" "$(fields_of tc_lossless_port_stats)" stats-json port 400 9
	same_keys "JSON has each counter of a priority" "$(fields_of tc_lossless_prio_stats) $flags" stats-json prio 400 0
	same_keys "JSON of an older module has the same keys" "$(fields_of tc_lossless_prio_stats) $flags" stats-json prio 8 0
	same_keys "JSON has each option of a port" "version rate overhead burst keep_gso keep_socket trust dscp_map pcp_map
		default_prio cable_cm response pfc pfc_rx llfc quanta cell link_rate priorities watchdog detect_ns restore restore_ns
		action window_ns duty_percent untrust untrust_ns ingress_pass pause_timeout_ns" \
		json watchdog detect 1ms restore auto 1s window 1s duty 5 untrust 3 1s prio 3 max-age 1s
}

states() {
	local flags state
	while read -r flags state; do
		same "state of flags $flags" "  state $state" stats prio 8 "$flags"
	done <<-STATES
		0 pg xon queue open
		6 pg xon queue paused storm
		8 pg xon queue open untrusted
		15 pg xoff queue paused storm untrusted
	STATES
	same "flags of a storm in JSON" "$(harness stats-json prio 8 0 | sed 's/\("queue_paused"\|"storm"\):false/\1:true/g')" \
		stats-json prio 8 6
	same "flags of distrust in JSON" "$(harness stats-json prio 8 0 | sed 's/\("pg_xoff"\|"untrusted"\):false/\1:true/g')" \
		stats-json prio 8 9
}

output() {
	same "text of a whole port" "rate 100Gbit overhead 24 keep-gso off dscp-map 0-7:0,46:5 pfc 3,4 pfc-rx all llfc off 
  prio 3 lossless strict guaranteed 3036b alpha 1/8 xon-offset 3036b headroom auto ecn 100Kb 200Kb 0.5% wred off 
  prio 4 lossy weight 2 limit 4Gb noecn " \
		text rate 100gbit overhead 24 keep-gso off dscp-map 0-7:0,46:5 pfc 3,4 pfc-rx all llfc off \
		prio 3 lossless strict guaranteed 3036 alpha 1/8 xon-offset 3036 headroom auto ecn 100k 200k 0.5% wred off \
		prio 4 lossy weight 2 limit 4g noecn
	json_keys
	same "JSON is raw and complete" \
'{"version":null,"rate":12500000000,"overhead":null,"burst":null,"keep_gso":true,"keep_socket":null,"trust":"pcp","dscp_map":null,"pcp_map":[1,null,null,null,null,null,null,null],"default_prio":null,"cable_cm":250,"response":null,"pfc":[3,4],"pfc_rx":[],"llfc":null,"quanta":null,"cell":null,"link_rate":null,"watchdog":null,"detect_ns":null,"restore":null,"restore_ns":null,"action":null,"window_ns":null,"duty_percent":null,"untrust":null,"untrust_ns":null,"ingress_pass":null,"pause_timeout_ns":null,"priorities":[{"prio":3,"lossless":null,"weight":0,"guaranteed":null,"alpha_log2":null,"static_xoff":2048,"static_xon":1024,"xon_offset":null,"headroom":null,"headroom_auto":true,"limit":null,"ecn":true,"kmin":1024,"kmax":2048,"pmax_millionths":5000,"wred":null,"max_age_ns":1000}]}' \
		json rate 100gbit keep-gso trust pcp pcp-map 0:1 cable 2.5 pfc 3-4 pfc-rx none \
		prio 3 strict static xoff 2k xon 1k headroom auto ecn 1k 2k 0.5 max-age 1us
	same "statistics of a priority before the watchdog" "  state pg xoff queue open
  queue now 8000b peak 16000b local 80000b
  pg guaranteed 24000b peak 32000b shared 40000b peak 48000b headroom 56000b peak 64000b of 72000b
  pfc xoff 88000 tx 96000 tx_resumes 104000 rx 112000 rx_resumes 120000 ignored 128000
  ecn ce_marked 136000
  drops headroom 152000 buffer 160000 local 168000 wred 144000
  wait tx 176.000us rx 184.000us" stats prio 192 1
	same "statistics of a priority" "  state pg xon queue paused
  queue now 8000b peak 16000b local 80000b
  pg guaranteed 24000b peak 32000b shared 40000b peak 48000b headroom 56000b peak 64000b of 72000b
  pfc xoff 88000 tx 96000 tx_resumes 104000 rx 112000 rx_resumes 120000 ignored 128000
  ecn ce_marked 136000
  drops headroom 152000 buffer 160000 local 168000 wred 144000 age 192000
  wait tx 176.000us rx 184.000us
  watchdog storms 200000 restores 208000 drained 216000 dropped 224000 ingress_dropped 232000
  last storm at 2025-07-04 14:00:00.123 lasted 1.234s drained 240000 dropped 248000 ingress_dropped 256000" \
		stats prio 280 2 264=1751630400123456789 272=1234567890
	same "no storm, no line of it" "$(harness stats prio 280 2 | sed '$d')" stats prio 280 2 264=0
	same "statistics of a port" "  port 9
  source stamp 64000 iif 72000 lower 80000 local 88000
  pfc malformed 8000 deferred 56000
  llfc rx 16000 rx_resumes 24000 ignored 32000 tx 40000 tx_resumes 48000
  pause_timeout count 96000 drops 104000 now 112000" stats port 120 9
	same "statistics of a port before the watchdog" "$(harness stats port 120 9 | sed '$d')" stats port 96 9
	states
	same "statistics of an older module" "  port 9
  pfc malformed 8000
  llfc rx 16000 rx_resumes 24000" stats port 32 9
	same "statistics of an older module, JSON" \
'{"port_id":9,"source_stamp":null,"source_iif":null,"source_lower":null,"source_local":null,"malformed":8000,"pfc_deferred":null,"llfc_rx":16000,"llfc_rx_resumes":24000,"llfc_ignored":null,"llfc_tx":null,"llfc_tx_resumes":null,"pause_timeouts":null,"pause_timeout_drops":null,"is_timed_out":null}' \
		stats-json port 32 9
	same "statistics of a newer module" "$(harness stats prio 280 2)" stats prio 400 2
	same "statistics that are too short for a type" "" stats prio 4 0
}

# real_tc MODE WANTED WORD...: the installed tc loads the plugin and prints such a dump with it
real_tc() {
	local mode=$1 wanted=$2 got status=0
	shift 2
	if ! command -v tc > /dev/null; then
		tests=$((tests + 1))
		echo "ok $tests tc prints a $mode # SKIP no tc here"
		return
	fi
	harness "$mode" "$work/message" "$@"
	got=$(TC_LIB_DIR=$work tc -s monitor file "$work/message" 2>&1) || status=1
	[[ $got == *"$wanted"* ]] || status=1
	result "$status" "tc prints a $mode" "$wanted" "$got"
}

echo "KTAP version 1"
rates
port_numbers
port_words
lists
maps
sections
time_values
watchdog
watchdog_refusals
watchdog_output
output
real_tc message "rate 34300Mbit pfc 3,4 watchdog detect 50ms pause-timeout 1s 
  prio 3 alpha 1/8 headroom auto 
 Sent 1500 bytes 1 pkt (dropped 0, overlimits 0 requeues 0) 
 backlog 0b 0p requeues 0
  port 3
  source stamp 0" rate 34.3gbit pfc 3,4 \
	watchdog detect 50ms pause-timeout 1s prio 3 alpha 1/8 headroom auto
real_tc class-message "prio 3 alpha 1/8 
 Sent 1500 bytes 1 pkt (dropped 0, overlimits 0 requeues 0) 
 backlog 0b 0p requeues 0
  state pg xoff queue paused
  queue now 0b" prio 3 alpha 1/8
echo "1..$tests"
[ "$failed" = 0 ]
