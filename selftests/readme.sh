#!/bin/bash
# The five minutes of README.md, as they stand there.
# machine: qemu
# timeout: 600

# shellcheck source=lib.sh
. "$SELFTESTS/lib.sh"

tour() {
	sed -n '/^<!-- test: tour -->/,/^<!-- end -->/{/^<!--/d;s/^    //;p}' "$SELFTESTS/../README.md"
}

readme_tour() {
	local said
	modprobe veth
	modprobe bridge
	tour > /tmp/tour.sh
	expect "lines of the tour" "$(grep -c . /tmp/tour.sh)" ">" 10
	NAMESPACES=(sw h1 h2)
	said=$(bash -e /tmp/tour.sh 2>&1) || fail "the tour ends with status $?"
	echo "# ${said//$'\n'/$'\n'# }"
	check "shows the PG of priority 3" grep -q '^ *pg guaranteed' <<< "$said"
	check "shows the buffer" grep -q 'size 256Kb' <<< "$said"
	expect_stat sw p1 3.pfc_tx ">" 0
	expect_stat sw p1 3.headroom_drops == 0
	expect_stat h1 eth0 3.pfc_rx ">" 0
	expect_drained sw p1 p2
}

run_tests readme_tour
