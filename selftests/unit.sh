#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: user
#
# core/ in user space: vectors for each rule, the language of buffer-trace, and random
# traces against second implementations of the buffer law and of the watchdog. Under
# sanitizers, except the long run. About half a minute.
#
# unit.sh [SEED]	the first of the random traces, by default 1

set -u
cd "$(dirname "$0")/unit" || exit 1

bin=../bin
seed=${1:-1}
number=0
failed=0

c_tests=(buffer pause rate ecn headroom watchdog)

# What a test prints goes in as a subtest: KTAP, indented.
run() {
	local name=$1
	shift
	number=$((number + 1))
	if "$@" 2>&1 | sed 's/^/  /'; [ "${PIPESTATUS[0]}" -eq 0 ]; then
		echo "ok $number $name"
	else
		echo "not ok $number $name"
		failed=1
	fi
}

if ! log=$(make --no-print-directory all 2>&1); then
	echo "KTAP version 1"
	echo "1..1"
	printf '%s\n' "$log" | sed 's/^/# /'
	echo "not ok 1 build"
	exit 1
fi

echo "KTAP version 1"
echo "1..$((${#c_tests[@]} + 5))"
for name in "${c_tests[@]}"; do
	run "$name" "$bin/test_$name"
done
run watchdog_random "$bin/test_watchdog_random" "$seed"
run trace_language ./test_trace.py ./buffer-trace
run trace_language_sanitized ./test_trace.py "$bin/buffer-trace-sanitized"
run differential ./differential.py ./buffer-trace --seed "$seed" --traces 3000
run differential_sanitized ./differential.py "$bin/buffer-trace-sanitized" \
	--seed "$((seed + 1000000))" --traces 200
exit "$failed"
