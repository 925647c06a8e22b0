#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: user
#
# A plugin whose symbols tc lacks does not load, and tc does not say so. What q_lossless.so
# takes from tc must stand in tc-plugin/symbols.txt, and each tc here must export it: the
# installed one, and those that TC_BINARIES names.
set -euo pipefail

plugin_dir=$(cd "$(dirname "$0")/../tc-plugin" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make -s -C "$plugin_dir" OUT="$work" >&2
plugin=$work/q_lossless.so

tests=0
failed=0

# result STATUS NAME [WHAT]
result() {
	tests=$((tests + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tests $2"
	else
		failed=$((failed + 1))
		echo "not ok $tests $2"
		echo "# ${3//$'\n'/ }"
	fi
}

# Symbols with a version are those of the C library, weak ones may be missing.
taken_from_tc() {
	nm -D --undefined-only "$plugin" | awk '$1 == "U" && $2 !~ /@/ { print $2 }' | sort -u
}

exported_by() {
	nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u
}

# none NAME: succeeds if stdin is empty
none() {
	local lines
	lines=$(cat)
	result "$([ -z "$lines" ] && echo 0 || echo 1)" "$1" "$lines"
}

check_tc() {
	local version
	[ -x "$1" ] || {
		result 1 "$1" "no such program"
		return
	}
	version=$(strings "$1" | awk '/^[5-9]\.[0-9]+\.[0-9]+$/ && !found { print; found = 1 }')
	none "tc $version exports what the plugin takes" < <(comm -23 "$work/taken" <(exported_by "$1"))
	none "tc $version exports what symbols.txt lists" < <(comm -23 "$work/allowed" <(exported_by "$1"))
}

echo "KTAP version 1"
taken_from_tc > "$work/taken"
sort -u "$plugin_dir/symbols.txt" > "$work/allowed"

result "$([ -s "$work/taken" ] && echo 0 || echo 1)" "the plugin takes symbols from tc" "nm finds none"
none "the plugin takes nothing but symbols.txt" < <(comm -23 "$work/taken" "$work/allowed")
none "symbols.txt lists nothing that the plugin does not take" < <(comm -13 "$work/taken" "$work/allowed")
none "only lossless_qdisc_util is visible" < <(exported_by "$plugin" | grep -vx lossless_qdisc_util || true)
none "binding is lazy" < <(readelf -d "$plugin" | grep -E 'BIND_NOW|\(FLAGS_1\).*NOW' || true)

read -r -a programs <<< "$(command -v tc || true) ${TC_BINARIES:-}"
for program in "${programs[@]}"; do
	check_tc "$program"
done

echo "1..$tests"
[ "$failed" = 0 ]
