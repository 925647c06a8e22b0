#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two virtual machines with a cable between them: pair.sh -k 6.1|6.12 SCRIPT_A SCRIPT_B
# Each guest finds ROLE=a or ROLE=b, its NIC's MAC address in LINK_MAC (02:00:00:00:00:0a or :0b) and the other's in PEER_MAC.
# stdout: A's output, then B's behind "# b: ". A decides: once it has ended, B has 15 seconds to end. Exit status: A's, or B's if it
# ended by itself with another than 0.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

if [ "${1:-}" != -k ] || [ $# != 4 ]; then
	die "usage: pair.sh -k 6.1|6.12 SCRIPT_A SCRIPT_B"
fi
series=$2 script_a=$3 script_b=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VM_ENV="${VM_ENV:-} ROLE LINK_MAC PEER_MAC"

# boot_one OWN PEER SCRIPT
boot_one() {
	export ROLE=$1 LINK_MAC=02:00:00:00:00:0$1 PEER_MAC=02:00:00:00:00:0$2
	exec "$VM_DIR/boot.sh" -k "$series" -n "$work/$1,$work/$2,$LINK_MAC" "$3"
}

end_b() {
	local tries
	for tries in {1..15}; do
		kill -0 "$b" 2> /dev/null || return 0
		sleep 1
	done
	say "b did not end by itself within ${tries} seconds of a's end: stopped"
	kill -- "-$b"
}

"$VM_DIR/packages.sh" vm
"$VM_DIR/kernel.sh" "$series" > /dev/null
set -m
(boot_one b a "$script_b") > "$work/output-b" 2>&1 &
b=$!
set +m
status_a=0 status_b=0
(boot_one a b "$script_a") || status_a=$?
stopped=$(end_b 2>&1)
wait "$b" || status_b=$?
sed 's/^/# b: /' "$work/output-b"
[ -z "$stopped" ] || { echo "# $stopped"; status_b=0; }
[ "$status_a" = 0 ] || exit "$status_a"
exit "$status_b"
