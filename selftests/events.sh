#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-exact uml-debug
# timeout: 900
#
# What is told about storms over generic netlink: events, one for each transition and complete; the state
# of a priority; recovering and clearing by hand. The kernel's own client, with the spec of the family, is
# understood as well.
#
# Host 1 sends to host 2 through p2 at 1 Gbit/s, and host 2 pauses p2 for 33.5 ms at a time. Times are ns
# since START. Where the clock is not exact, p2 has 1 Mbit/s and a pause lasts a thousand times as long.
# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

MS=1000000
RATE=1gbit
is_exact || RATE=1mbit
SPEC=$SELFTESTS/../Documentation/netlink/specs/lossless.yaml

# lab [OPTION...]: two hosts, p2 with these options; START is 1 ms from now
lab() {
	star 2
	port sw p1 pfc "${PFC:-3,4}"
	port sw p2 rate "$RATE" pfc "${PFC:-3,4}" "$@"
	monitor sw /tmp/events
	REALTIME=$(frame offset)
	START=$(($(now) + MS))
}

# monitor NS FILE: hear events in the background; waits until it listens
monitor() {
	"$SELFTESTS/../tools/lossless" -j -n "$1" monitor > "$2" 2> "$2.log" &
	MONITOR=$!
	wait_until 10 grep -q listening "$2.log" || fail "the monitor does not start"
}

# at TIME: wait until then
at() {
	frame until $((START + $1))
}

# pause FROM COUNT [VECTOR]: host 2 pauses every 10 ms, at first at FROM
pause() {
	send_pfc 2 "${3:-0x08}" 65535,65535,65535,65535,65535,65535,65535,65535 \
		at $((START + $1)) gap $((10 * MS)) count "$2"
}

# storm_at TIME: five frames have been in the queue of priority 3 for 10 ms then, paused
storm_at() {
	pause $(($1 - 11 * MS)) 1
	data 1 2 3 1000 at $((START + $1 - 10 * MS)) count 5 gap 0
	at $(($1 + 1))
	is_exact || wait_until 20 stat_is sw p2 3.storms ">" 0 || fail "there is no storm"
}

# events FILE: a line for each, its times since START; - for what it does not have
events() {
	python3 - "$1" $((START + REALTIME)) <<- 'END'
		import json, sys
		for line in open(sys.argv[1]):
		    event = json.loads(line)
		    if "time" in event:
		        event["time"] -= int(sys.argv[2])
		    print(*(event.get(key, "-") for key in (
		        "seq", "event", "ifname", "prio", "state", "cause", "action", "time", "duration", "backlog",
		        "drained", "dropped", "ingress_dropped", "storms", "restores")))
	END
}

# expect_events LINE...: these have come, and no others
expect_events() {
	wait_until 5 eval "(( \$(wc -l < /tmp/events) >= $# ))" || fail "there are fewer than $# events"
	sleep 0.1 # nothing else may come
	expect_lines "events" "$(events /tmp/events)" "$@"
}

tool() {
	lossless -n sw watchdog "$@"
}

# known DEV PRIORITY KEY: what `watchdog show` says; jq has no 64 bits
known() {
	lossless -j -n sw watchdog show "$1" prio "$2" | python3 -c '
import json, sys
value = json.load(sys.stdin)[0][sys.argv[1]]
print(int(value) if isinstance(value, bool) else value)' "$3"
}

# index_of DEV: in sw
index_of() {
	on sw cat "/sys/class/net/$1/ifindex"
}

# --- each transition ---------------------------------------------------------

# All fields: five frames wait, two come for the queue and three from the paused peer meanwhile
storm_and_restore() {
	lab watchdog detect 10ms restore auto 50ms
	pause 0 4
	data 1 2 3 1000 at $((START + 33 * MS)) count 5 gap 0
	data 1 2 3 1000 at $((START + 45 * MS)) count 2 gap 0
	data 2 1 3 1000 at $((START + 46 * MS)) count 3 gap 0
	at $((100 * MS))
	expect_events \
		"1 storm p2 3 storm - drop $((43 * MS)) $((10 * MS)) 5 0 0 0 1 0" \
		"2 restore p2 3 ok quiet drop $((93 * MS)) $((50 * MS)) 0 5 2 3 1 1"
	expect "ifindex" "$(jq .ifindex < /tmp/events | sort -u)" == "$(index_of p2)"
}

# The counts are those of this storm
second_storm() {
	lab watchdog detect 10ms restore auto 50ms
	storm_at $((20 * MS))
	storm_at $((120 * MS))
	at $((200 * MS))
	expect_events \
		"1 storm p2 3 storm - drop $((20 * MS)) $((10 * MS)) 5 0 0 0 1 0" \
		"2 restore p2 3 ok quiet drop $((70 * MS)) $((50 * MS)) 0 5 0 0 1 1" \
		"3 storm p2 3 storm - drop $((120 * MS)) $((10 * MS)) 5 0 0 0 2 1" \
		"4 restore p2 3 ok quiet drop $((170 * MS)) $((50 * MS)) 0 5 0 0 2 2"
}

again() {
	teardown
	module_load
}

# ends_by CAUSE COMMAND...: this ends the storm
ends_by() {
	local cause=$1
	shift
	storm_at $((20 * MS))
	check "end the storm" "$@"
	wait_until 5 grep -q '"restore"' /tmp/events || fail "no restore after: $*"
	expect_text "cause, state after $*" "$(events /tmp/events | awk '$2 == "restore" { print $6, $5 }')" "$cause ok"
	again
}

causes() {
	local hand=(watchdog detect 10ms restore off)
	lab watchdog detect 10ms restore fixed 20ms
	ends_by fixed true
	lab "${hand[@]}"
	ends_by hand lossless -n sw watchdog recover p2
	lab "${hand[@]}"
	ends_by config port sw p2 watchdog off
	lab "${hand[@]}"
	ends_by down ip -n sw link set p2 down
	lab "${hand[@]}"
	ends_by down tc -n sw qdisc del dev p2 root
	lab "${hand[@]}"
	ends_by down ip -n sw link del p2
	lab watchdog detect 10ms action shutdown
	ends_by down true
}

actions() {
	local action
	for action in drop forward alert shutdown flap; do
		lab watchdog detect 10ms action "$action"
		storm_at $((20 * MS))
		wait_until 5 grep -q storm /tmp/events || fail "no event"
		expect_text "action" "$(events /tmp/events | awk '$2 == "storm" { print $7 }')" "$action"
		again
	done
}

distrust() {
	lab watchdog detect 10ms restore fixed 1ms untrust 2 10s
	storm_at $((20 * MS))
	storm_at $((40 * MS))
	at $((50 * MS))
	expect_stat sw p2 3.is_untrusted == 1
	expect_text "state" "$(lossless -j -n sw watchdog show p2 prio 3 | jq -r '.[0].state')" untrusted
	check "recover" tool recover p2 prio 3
	expect_events \
		"1 storm p2 3 storm - drop $((20 * MS)) $((10 * MS)) 5 0 0 0 1 0" \
		"2 restore p2 3 ok fixed drop $((21 * MS)) $MS 0 5 0 0 1 1" \
		"3 storm p2 3 storm - drop $((40 * MS)) $((10 * MS)) 5 0 0 0 2 1" \
		"4 untrust p2 3 untrusted - drop $((40 * MS)) 0 5 0 0 0 2 1" \
		"$(events /tmp/events | grep '^5 restore p2 3 ok hand drop')"
}

# Of the whole port: no priority, no state
timeout_of_the_port() {
	lab watchdog off pause-timeout 5ms
	hold 2 at "$START"
	data 1 2 3 1000 at $((START + MS)) count 5 gap 0
	data 1 2 4 1000 at $((START + 2 * MS)) count 2 gap 0
	at $((20 * MS))
	expect "timed out at 20 ms" "$(known p2 3 is_timed_out)" == 1
	at $((40 * MS))
	expect_events \
		"1 timeout p2 - - - drop $((6 * MS)) $((5 * MS)) 7 0 0 0 1 0" \
		"2 timeout-end p2 - - quiet drop 33553920 $((33553920 - 6 * MS)) 0 0 7 0 1 0"
	expect "timed out now" "$(known p2 3 is_timed_out)" == 0
}

# Nothing is told twice or left out: eight priorities, each with a storm every 2 ms for 30 ms
without_gaps() {
	local told i
	PFC=0,1,2,3,4,5,6,7 lab watchdog detect 1ms restore fixed 1ms action alert
	hold 2 at "$START"
	for i in 0 1 2 3 4 5 6 7; do
		data 1 2 "$i" 1000 at "$START" gap 0
	done
	at $((40 * MS))
	told=$(wc -l < /tmp/events)
	expect "events" "$told" ">=" 200
	expect_lines "numbers" "$(jq .seq < /tmp/events)" "$(seq "$told")"
	for i in 0 1 2 3 4 5 6 7; do
		expect "storms of $i" "$(jq -s "map(select(.prio == $i and .event == \"storm\")) | length" < /tmp/events)" \
			== "$(stat_of sw p2 "$i.storms")"
		expect "restores of $i" "$(jq -s "map(select(.prio == $i and .event == \"restore\")) | length" < /tmp/events)" \
			== "$(stat_of sw p2 "$i.restores")"
	done
	expect "number that is shown" "$(known p1 0 seq)" == "$told"
}

# --- a listener that is too slow ---------------------------------------------

# final FILE: the state of each priority according to the last line about it
final() {
	jq -r 'select(.state) | "\(.ifname) \(.prio) \(.state)"' < "$1" |
		awk '{ last[$1 " " $2] = $3 } END { for (which in last) print which, last[which] }' | sort
}

present() {
	lossless -j -n sw watchdog show | jq -r '.[] | "\(.ifname) \(.prio) \(.state)"' | sort
}

# Storms of priority 3 come and go, that of priority 4 comes and stays, while nobody reads: all of that,
# and the end of the one and the beginning of the other, is told by the states that are asked for then
slow_listener() {
	local before
	sysctl -qw net.core.rmem_default=2304
	star 2
	port sw p1
	port sw p2 rate 100mbit pfc 3,4 watchdog detect 1ms restore fixed 1ms action alert
	monitor sw /tmp/events
	sysctl -qw net.core.rmem_default=212992
	START=$(($(now) + MS))
	kill -STOP "$MONITOR"
	send_pfc 2 0x18 0,0,0,65535,65535 at "$START"
	data 1 2 3 1000 at "$START"
	at $((200 * MS))
	port sw p2 watchdog restore off
	data 1 2 4 1000
	at $((210 * MS))
	expect_stat sw p2 3.storms ">" 80
	expect_stat sw p2 3.is_storm == 1
	expect_stat sw p2 4.is_storm == 1
	before=$(wc -l < /tmp/events)
	kill -CONT "$MONITOR"
	wait_until 5 eval "(( \$(grep -c resync /tmp/events) >= 16 ))" || fail "the monitor does not resync"
	expect "events while stopped" "$before" == 0
	expect "events that were lost" "$(grep -vc resync /tmp/events)" "<" 80
	expect_lines "final states" "$(final /tmp/events)" "$(present)"
	check "recover" tool recover p2 prio 3
	wait_until 5 eval "tail -n 1 /tmp/events | grep -q '\"restore\"'" || fail "nothing is heard after the resync"
	expect_lines "final states" "$(final /tmp/events)" "$(present)"
	expect "states" "$(grep -c resync /tmp/events)" == 16
	expect "numbers after the resync" "$(tail -n 1 /tmp/events | jq .seq)" == "$(known p2 3 seq)"
}

# --- state -------------------------------------------------------------------

# agrees DEV PRIORITY: with the statistics of tc
agrees() {
	local key pair
	for pair in storms:storms restores:restores drained_total:drained dropped_total:dropped drained:last_drained \
		dropped:last_dropped ingress_dropped:last_ingress_dropped ingress_dropped_total:ingress_dropped \
		time:storm_start_ns duration:storm_ns; do
		key=${pair%:*}
		expect "$1 $2 $key" "$(known "$1" "$2" "$key")" == "$(stat_of sw "$1" "$2.${pair#*:}")"
	done
}

states_agree() {
	lab watchdog detect 10ms restore fixed 20ms
	storm_at $((20 * MS))
	at $((30 * MS))
	expect "duration at 30 ms" "$(known p2 3 duration)" ">=" $((10 * MS))
	expect "duration at 30 ms" "$(known p2 3 duration)" "<" $((20 * MS))
	at $((50 * MS))
	agrees p2 3
	storm_at $((70 * MS))
	data 1 2 3 1000 count 2 gap 0
	data 2 1 3 1000 count 3 gap 0
	at $((110 * MS))
	agrees p2 3
	agrees p2 4
	agrees p1 3
	expect "storms" "$(known p2 3 storms)" == 2
	expect "drained" "$(known p2 3 drained_total)" == 10
	expect "dropped" "$(known p2 3 dropped)" == 2
	expect "dropped at ingress" "$(known p2 3 ingress_dropped)" == 3
	expect "duration" "$(known p2 3 duration)" == $((20 * MS))
}

# A dump has each priority once, in order; of one port only its own
dumps() {
	local all
	lab watchdog detect 10ms restore off
	storm_at $((20 * MS))
	all=$(lossless -j -n sw watchdog show | jq -r '.[] | "\(.ifname) \(.prio) \(.state)"')
	expect_lines "all" "$all" "$(for i in 1 2; do
		for p in 0 1 2 3 4 5 6 7; do
			if [ "$i$p" = 23 ]; then echo "p$i $p storm"; else echo "p$i $p ok"; fi
		done
	done)"
	expect_lines "one port" "$(lossless -j -n sw watchdog show p2 | jq -r '.[] | "\(.ifname) \(.prio)"')" \
		p2\ {0,1,2,3,4,5,6,7}
	expect_lines "one priority" "$(tool show p2 prio 3 | head -n 1)" \
		"p2 prio 3 state storm action drop storms 1 restores 0"
}

# A port that is there all the time is told once, though others come and go between the messages of a dump
dump_while_ports_change() {
	local i
	add_ns sw
	for i in $(seq 40); do
		link sw "a$i" "$(port_mac "$i")" sw "b$i" "$(host_mac "$i")"
		port sw "a$i"
	done
	check "dump" on sw python3 - "$SPEC" "$YNL" <<- 'END'
		import subprocess, sys
		sys.path.append(sys.argv[2] + "/tools/net/ynl")
		from lib import YnlFamily

		class Slow:
		    """A socket; ports come and go after the first message"""
		    def __init__(self, sock):
		        self.sock, self.received = sock, 0
		    def __getattr__(self, name):
		        return getattr(self.sock, name)
		    def recv(self, *arguments):
		        if self.received == 1:
		            for command in ("del dev a1 root", "del dev a2 root", "del dev a30 root",
		                            "replace dev b1 root lossless", "replace dev a5 root handle 7: lossless",
		                            "replace dev a25 root handle 7: lossless"):
		                subprocess.run(["tc", "qdisc", *command.split()], check=True)
		        self.received += 1
		        return self.sock.recv(*arguments)

		ynl = YnlFamily(sys.argv[1], "", process_unknown=True, recv_size=8192)
		ynl.sock = Slow(ynl.sock)
		seen = [(entry["ifname"], entry["prio"]) for entry in ynl.dump("watchdog-get", {})]
		stayed = {(f"a{i}", prio) for i in range(1, 41) if i not in (1, 2, 30) for prio in range(8)}
		assert ynl.sock.received > 3, ynl.sock.received
		assert len(seen) == len(set(seen)), "something is told twice"
		assert stayed <= set(seen), stayed - set(seen)
		assert ("a30", 0) not in seen
	END
}

# --- by hand -----------------------------------------------------------------

recover_one_of_two() {
	lab watchdog detect 10ms restore off
	pause 0 1 0x18
	data 1 2 3 1000 at "$START"
	data 1 2 4 1000 at "$START"
	wait_until 20 stat_is sw p2 4.is_storm == 1 || fail "there is no storm"
	wait_until 20 stat_is sw p2 3.is_storm == 1 || fail "there is no storm"
	check "recover" tool recover p2 prio 4
	expect_stat sw p2 3.is_storm == 1
	expect_stat sw p2 4.is_storm == 0
	expect_text "hint" "$(tool recover p2 prio 4 2>&1)" "Warning: nothing was in storm or untrusted"
	expect_text "no hint" "$(tool recover p2 2>&1)" ""
	expect_stat sw p2 3.is_storm == 0
	check "nothing to recover is no error" tool recover p2
}

clear_counters() {
	lab watchdog detect 10ms restore off pause-timeout 5ms
	hold 2 at "$START"
	data 1 2 3 1000 at "$START" count 5 gap 0
	data 1 2 4 1000 at "$START" count 5 gap 0
	at $((40 * MS))
	port sw p2 pause-timeout off watchdog detect 10ms
	pause $((50 * MS)) 1 0x18
	data 1 2 3 1000 at $((START + 51 * MS)) count 5 gap 0
	data 1 2 4 1000 at $((START + 51 * MS)) count 5 gap 0
	at $((70 * MS))
	expect_stat sw p2 3.storms == 1
	expect_stat sw p2 4.drained == 5
	expect_stat sw p2 pause_timeouts == 1
	check "recover" tool recover p2 prio 4
	check "clear" tool clear p2 prio 4
	expect_stat sw p2 3.drained == 5
	expect_stat sw p2 4.storms == 0
	expect_stat sw p2 4.restores == 0
	expect_stat sw p2 4.drained == 0
	expect_stat sw p2 4.storm_start_ns == 0
	expect_stat sw p2 pause_timeouts == 1
	check "clear" tool clear p2
	expect_stat sw p2 3.storms == 1
	expect_stat sw p2 3.drained == 0
	expect_stat sw p2 3.is_storm == 1
	expect_stat sw p2 pause_timeouts == 0
}

refused() {
	add_ns sw
	link sw p1 "$(port_mac 1)" sw q1 "$(host_mac 1)"
	port sw p1
	expect_refusal '*no device "p9"*' tool show p9
	expect_refusal '*no device "p9"*' tool recover p9
	expect_refusal 'Error: no port with index *' tool show q1
	expect_refusal 'Error: no port with index *' tool show q1 prio 3
	expect_refusal 'Error: no port with index *' tool recover q1
	expect_refusal 'Error: no port with index *' tool clear q1 prio 3
	expect_refusal '*prio "8" is out of range; allowed: 0 to 7*' tool recover p1 prio 8
	expect_refusal '*prio "-1"*' tool clear p1 prio -1
	expect_refusal '*prio needs a value*' tool show p1 prio
	expect_refusal '*recover needs a device*' tool recover
	expect_refusal '*clear needs a device*' tool clear
	expect_refusal '*"colour"*' tool show p1 colour
	expect_refusal '*"colour"*' tool show p1 prio 3 colour
	expect_refusal '*"heal"*' tool heal p1
	expect_refusal '*"colour"*' lossless monitor colour
	# past the tool's own checks
	expect_refusal '*no port with index 4000*' ynl sw --do watchdog-get --json '{"ifindex": 4000, "prio": 3}'
	expect_refusal '*no port with index 4000*' ynl sw --dump watchdog-get --json '{"ifindex": 4000}'
	expect_refusal '*prio 9 is out of range 0 to 7*' ynl sw --do watchdog-recover --json '{"ifindex": 1, "prio": 9}'
	expect_refusal '*prio 255 is out of range 0 to 7*' ynl sw --dump watchdog-get --json '{"prio": 255}'
	expect_refusal '*ifindex of a port is missing*' ynl sw --do watchdog-clear --json '{"prio": 3}'
	expect_refusal '*prio is missing*' ynl sw --do watchdog-get \
		--json "{\"ifindex\": $(index_of p1)}"
	expect_refusal '*' ynl sw --do watchdog-recover --json '{"ifindex": 1, "storms": 9}'
}

# Another namespace hears nothing, shows nothing and recovers nothing
namespaces() {
	lab watchdog detect 10ms restore off
	add_ns other
	monitor other /tmp/elsewhere
	storm_at $((20 * MS))
	check "recover" tool recover p2
	wait_until 5 grep -q '"restore"' /tmp/events || fail "no event here"
	expect "events elsewhere" "$(wc -l < /tmp/elsewhere)" == 0
	expect_text "states elsewhere" "$(lossless -j -n other watchdog)" "[]"
	expect_refusal '*no port with index*' ynl other --do watchdog-recover \
		--json "{\"ifindex\": $(index_of p2)}"
}

# nobody COMMAND...: in sw, without any right
nobody() {
	on sw setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

unprivileged() {
	lab watchdog detect 10ms restore off
	storm_at $((20 * MS))
	expect "storms that nobody sees" "$(nobody lossless -j watchdog show p2 prio 3 | jq '.[0].storms')" == 1
	expect_refusal '*not permitted*' nobody lossless watchdog recover p2
	expect_refusal '*not permitted*' nobody lossless watchdog clear p2
	expect_stat sw p2 3.is_storm == 1
	expect_stat sw p2 3.drained == 5
}

# A monitor does not listen for ever to nobody
module_removed() {
	add_ns sw
	monitor sw /tmp/events
	rmmod sch_lossless
	wait_until 5 eval "! kill -0 $MONITOR" || { fail "the monitor goes on"; kill "$MONITOR"; }
	wait "$MONITOR"
	expect "exit status" $? == 2
	expect_text "what it says" "$(tail -n 1 /tmp/events.log)" "Error: the module sch_lossless has been removed."
	insmod "$MODULE"
}

# --- the kernel's own client -------------------------------------------------

YNL=$("$SELFTESTS/vm/source.sh")
export PYTHONDONTWRITEBYTECODE=1

# ynl NS [OPTION...]. User-Mode Linux aligns 64 bits by attributes of type pad, which this client calls unknown.
ynl() {
	on "$1" python3 "$YNL/tools/net/ynl/cli.py" --process-unknown --spec "$SPEC" \
		--schema "$YNL/Documentation/netlink/genetlink-legacy.yaml" "${@:2}"
}

kernel_client() {
	local index
	lab watchdog detect 10ms restore off
	index=$(index_of p2)
	expect "ports" "$(ynl sw --do buffer-get --output-json | jq .ports)" == 2
	check "buffer-set" ynl sw --do buffer-set --json '{"size": 1048576, "cell": 208}'
	expect "cell" "$(ynl sw --do buffer-get --output-json | jq .cell)" == 208
	storm_at $((20 * MS))
	expect_text "state" "$(ynl sw --do watchdog-get --json "{\"ifindex\": $index, \"prio\": 3}" --output-json |
		jq -c '[.ifname, .prio, .state, .action, .storms, .drained]')" '["p2",3,"storm","drop",1,5]'
	expect "priorities" "$(ynl sw --dump watchdog-get --output-json | jq length)" == 16
	expect "priorities of p2" "$(ynl sw --dump watchdog-get --json "{\"ifindex\": $index}" --output-json | jq length)" == 8
	ynl sw --subscribe events --sleep 5 --output-json > /tmp/ynl &
	wait_until 10 eval "(( \$(on sw cat /proc/net/netlink | awk '\$2 == 16 && \$4 != \"00000000\"' | wc -l) == 2 ))" ||
		fail "the client does not subscribe"
	check "recover" tool recover p2
	wait $!
	expect_text "event" "$(jq -c '.[] | [.name, .msg.event, .msg.cause, .msg.state, .msg.prio, .msg.seq]' < /tmp/ynl)" \
		'["event","restore","hand","ok",3,2]'
	START=$(($(now) + MS))
	storm_at $((20 * MS))
	check "recover" ynl sw --do watchdog-recover --json "{\"ifindex\": $index, \"prio\": 3}"
	expect_stat sw p2 3.restores == 2
	check "clear" ynl sw --do watchdog-clear --json "{\"ifindex\": $index}"
	expect_stat sw p2 3.restores == 0
}

# What the module takes in a request, by its own account: OPERATION MODE ATTRIBUTE TYPE, in numbers
requests_taken() {
	genl ctrl policy name lossless | awk '
		/ op / {
			for (i = 6; i <= NF; i++) {
				split($i, mode, "=")
				ops[++count] = $4 " " mode[1]
				policy[count] = mode[2]
			}
		}
		match($0, /policy\[[0-9]+\]:attr\[[0-9]+\]/) {
			split($0, part, /[][]/)
			match($0, /type=[A-Z0-9]+/)
			attrs[part[2]] = attrs[part[2]] " " part[4] "=" tolower(substr($0, RSTART + 5, RLENGTH - 5))
		}
		END {
			for (i = 1; i <= count; i++) {
				n = split(attrs[policy[i]], list, " ")
				for (j = 1; j <= n; j++) {
					split(list[j], attr, "=")
					print ops[i], attr[1], attr[2]
				}
			}
		}' | sort
}

# The same as the spec has it
requests_specified() {
	python3 - "$SPEC" "$YNL" <<- 'END' | sort
		import sys
		sys.path.append(sys.argv[2] + "/tools/net/ynl")
		from lib import SpecFamily

		family = SpecFamily(sys.argv[1], sys.argv[2] + "/Documentation/netlink/genetlink-legacy.yaml")
		for op in family.ops.values():
		    for mode in ("do", "dump"):
		        request = op.yaml.get(mode, {}).get("request", {})
		        for name in request.get("attributes", []):
		            attr = op.attr_set[name]
		            print(op.value, mode, attr.value, attr["type"])
	END
}

policies() {
	expect "attributes of requests" "$(requests_taken | wc -l)" == 11
	expect_lines "attributes of requests" "$(requests_taken)" "$(requests_specified)"
}

exact=(storm_and_restore second_storm actions distrust timeout_of_the_port without_gaps slow_listener states_agree
	dumps clear_counters refused namespaces module_removed kernel_client policies)
is_exact || exact=()

run_tests "${exact[@]}" causes dump_while_ports_change recover_one_of_two unprivileged
