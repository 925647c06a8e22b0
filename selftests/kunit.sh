#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: uml-debug
#
# core/ inside the kernel, under KASAN, UBSAN and lockdep: the KUnit suites of
# sch_lossless/tests/. Each case, and each row of a case's table, is a result here. The last two:
# every suite ran to its end, and gcov saw 95 % of the lines of core/ reached.

set -u
cd "$(dirname "$0")" || exit 1

log=/tmp/kunit.log

# flatten: the leaves of KUnit's tree as one list; what it said of one that failed stands before it
flatten() {
	awk '
	function leaf(name) {
		ok = /^ *ok /
		printf "%s%s %d %s\n", ok ? "" : said, ok ? "ok" : "not ok", ++number, name
	}
	/^    # Subtest: / { suite = $3 }
	/^        # Subtest: / { table = $3 }
	!/^ *(not )?ok [0-9]+ / { said = said "# " $0 "\n"; next }
	{ name = $0; sub(/^ *(not )?ok [0-9]+ /, "", name) }
	/^        [no]/ { leaf(suite " " table " " name) }
	/^    [no]/ && table != name { leaf(suite " " name) }
	/^ ? ? ? ?[no]/ { table = "" }
	{ said = "" }' "$log"
}

# report NAME COMMAND...: one more result
report() {
	local name=$1
	shift
	number=$((number + 1))
	if "$@" | sed 's/^/# /'; [ "${PIPESTATUS[0]}" = 0 ]; then
		echo "ok $number $name"
	else
		echo "not ok $number $name"
		status=1
	fi
}

# KUnit closes a suite with a result that is not indented
all_suites_passed() {
	local file suite missing=0
	for file in ../sch_lossless/tests/*_kunit.c; do
		suite=lossless_$(basename "$file" _kunit.c)
		grep -qE "^ok [0-9]+ $suite\$" "$log" && continue
		echo "$suite did not pass"
		missing=1
	done
	return "$missing"
}

echo "KTAP version 1"
if [ "${MACHINE:-uml-debug}" != uml-debug ]; then
	echo "1..0 # SKIP the suites are built for uml-debug only"
	exit 0
fi
status=0
insmod "${MODULE%/*}/sch_lossless_kunit.ko" || status=1
dmesg | sed -n 's/^\[ *[0-9.]*\] //; /^KTAP version 1/,$p' > "$log"
results=$(flatten)
echo "$results"
number=$(grep -cE '^(not )?ok ' <<< "$results")
grep -q '^not ok' <<< "$results" && status=1
report all_suites all_suites_passed
report coverage vm/gcov.py --core 95 --missed /sys/kernel/debug/gcov
echo "1..$number"
[ "$status" = 0 ]
