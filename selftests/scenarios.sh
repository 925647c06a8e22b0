#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: user
#
# What went wrong for the users of hardware switches, and which test holds it here. Each test named below must exist and
# be run. The numbers are those of the collection that this list was made from.
set -u
cd "$(dirname "$0")" || exit 1

scenarios() {
	cat << 'END'
1	a storm of pauses that turns into a stream of resumes must restore: watchdog/resumes_do_not_hold_back
2	all lossless priorities storm at once, one event each, the others untouched: watchdog/all_priorities_at_once
3	watchdog stopped in mid-storm and started again, no phantom storm: storm_life/watchdog_off_and_on storm_life/on_counts_from_then
4	PFC disabled on a priority in storm ends it, a newly enabled one is watched: storm_life/pfc_disabled storm_life/pfc_of_another_priority
5	receive on all eight, send for the lossless only, storms on the others are seen: storm_life/lossy_priorities
6	machine under load, detection counts real time: watchdog_load/busy_processes watchdog_load/busy_network
7	pauses at the end of a period, bursts of half the time, no storm and no loss: legit_pfc/at_the_end_of_each_period legit_pfc/fifteen_bursts_of_half_the_time
8	link flap or a port that is down, no storm and nothing stays paused: storm_life/port_flaps storm_life/peer_flaps storm_life/closed_port
9	action changed from forward to drop in mid-storm: storm_life/forward_then_drop
10	a stormed queue pushes no pauses upstream: victims/detect_100ms watchdog/action_drop
11	after restore nothing is dropped, nothing leaks to other ports: watchdog/action_drop victims/detect_100ms victims/only_its_pair_loses
12	drop counters equal the frames really lost: watchdog/action_drop victims/detect_10ms victims/detect_500ms
13	a pause of a lossy priority does not stop it, none is sent for one: priorities/lossy_priority_is_not_stopped pfc_tx/never_for_lossy
14	only the priorities that are paused downstream are paused upstream: priorities/each_alone priorities/two_at_once pfc_tx/vector_of_two
15	headroom too small is refused at configuration: config/bad_combinations config/headroom_pool_stays_as_large_as_a_frame
16	thresholds changed past each other, the order does not matter: config/thresholds_move_past_each_other
17	Not-ECT is never dropped early on a lossless priority: ecn/not_ect_is_never_dropped_on_a_lossless_priority
18	both ends paused by each other, pauses are sent and honoured: pfc_tx/sent_while_paused
19	time 0 ends a pause, a later pause reloads: pfc_rx/zero pfc_rx/reload
20	control traffic in a priority of its own is not blocked: priorities/seven_flow_through
21	priority-tagged frames are classified by PCP: paths/bridge_unaware_priority_tagged paths/vlan_aware_bridge_priority_tagged
22	the whole TCI is never used where PCP or VID is meant: classify/trust_pcp
23	refresh at half time, the peer sees no gap: pfc_tx/refresh_at_half_time no_loss/refreshed_without_gap
24	where a frame was lost, and for how long each priority was paused: stats/each_drop_has_its_counter stats/txwait_is_exact
25	MTU and speed changes recompute the headroom: config/headroom_follows_rate_cable_and_mtu config/headroom_follows_the_speed
END
}

# is_run TEST/FUNCTION: the test has a machine, and runs the function
is_run() {
	local file=${1%/*}.sh function=${1#*/}
	grep -q '^# machine: ' "$file" && grep -q "^$function() {" "$file" && [ "$(grep -cw "$function" "$file")" -gt 1 ]
}

failed=0
echo "KTAP version 1"
echo "1..$(scenarios | wc -l)"
while IFS=$'\t' read -r number text; do
	missing=""
	for name in ${text##*: }; do
		is_run "$name" || missing+=" $name"
	done
	if [ -z "$missing" ]; then
		echo "ok $number ${text%%:*}"
	else
		echo "# not there, or not run:$missing"
		echo "not ok $number ${text%%:*}"
		failed=1
	fi
done < <(scenarios)
exit "$failed"
