#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# machine: user
#
# Documentation/netlink/specs/lossless.yaml: it passes the kernel's schema, the kernel's generator
# takes it, and its names and numbers are those of the header, all of them and no others. That the
# module and the kernel's client speak it is seen in events.sh.
set -euo pipefail

repo=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$repo/selftests/vm/packages.sh" build test
linux=$("$repo/selftests/vm/source.sh" 2> "$work/log") || { cat "$work/log"; exit 1; }

# The generator looks for the schema beside the spec, and for a kernel's root above it
spec=$work/Documentation/netlink/specs/lossless.yaml
mkdir -p "${spec%/*}"
touch "$work/MAINTAINERS"
cp "$linux"/Documentation/netlink/*.yaml "$work/Documentation/netlink/"
cp "$repo/Documentation/netlink/specs/lossless.yaml" "$spec"

tests=0
failed=0

# run NAME COMMAND...
run() {
	local name=$1
	shift
	tests=$((tests + 1))
	if "$@" > "$work/log" 2>&1; then
		echo "ok $tests $name"
	else
		sed 's/^/# /' "$work/log"
		echo "not ok $tests $name"
		failed=1
	fi
}

# spec_python: a program that has the kernel's SpecFamily, with our spec's path as its argument
spec_python() {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$linux/tools/net/ynl timeout 60 /usr/bin/python3 - "$spec"
}

schema() {
	spec_python <<- 'END'
		import sys
		from lib import SpecFamily
		SpecFamily(sys.argv[1])
	END
}

# generate MODE KIND: C code for the kernel's or the user's side
generate() {
	PYTHONDONTWRITEBYTECODE=1 timeout 60 /usr/bin/python3 "$linux/tools/net/ynl/ynl-gen-c.py" --spec "$spec" \
		--mode "$1" "--$2" -o "$work/generated-$1.${2:0:1}"
}

generated() {
	generate uapi header && generate user header && generate user source && generate kernel source
}

# Names and numbers as the generator would write them
numbers_of_spec() {
	spec_python <<- 'END'
		import sys
		from lib import SpecFamily

		family = SpecFamily(sys.argv[1])

		def put(prefix, name, value):
		    print(f"{prefix}{name}".upper().replace("-", "_"), value)

		for space in family.attr_sets.values():
		    for attr in space.attrs.values():
		        put(space.yaml["name-prefix"], attr.name, attr.value)
		for name, const in family.consts.items():
		    for entry in const.entries.values():
		        put(const["name-prefix"], entry.name, entry.raw_value())
		for op in family.msgs.values():
		    put(family["operations"]["name-prefix"], op.name, op.value)
		put("lossless-genl-", "name", family.name)
		put("lossless-genl-", "version", family.get("version", 1))
		for group in family.mcast_groups:
		    put("lossless-genl-", group, group)
	END
}

numbers_of_header() {
	local header=$repo/sch_lossless/include/uapi/linux/lossless.h name
	grep -oE '\bLOSSLESS_(A_BUFFER|A_WATCHDOG|CMD|EVENT|CAUSE|STATE|ACTION|GENL)_[A-Z_]+\b' "$header" | sort -u |
		grep -vE '_(UNSPEC|MAX)$' > "$work/names"
	{
		echo '#include <stdio.h>'
		echo '#include <linux/lossless.h>'
		printf '%s\n' '#define put(name) printf(_Generic((name), char *: #name " %s\n", default: #name " %d\n"), name)'
		echo 'int main(void) {'
		while read -r name; do
			echo "put($name);"
		done < "$work/names"
		echo 'return 0; }'
	} > "$work/numbers.c"
	gcc -Wno-format -I"$repo/sch_lossless/include/uapi" -o "$work/numbers" "$work/numbers.c"
	"$work/numbers"
}

numbers() {
	numbers_of_spec > "$work/spec" && numbers_of_header > "$work/header" || return
	echo "- in the header, + in the spec"
	diff -U 0 <(sort "$work/header") <(sort "$work/spec")
}

echo "KTAP version 1"
echo "1..3"
run schema schema
run generated generated
run numbers_of_the_header numbers
[ "$failed" = 0 ]
