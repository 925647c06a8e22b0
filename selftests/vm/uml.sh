#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Build a User-Mode Linux kernel from Debian's linux-source-6.12 in the cache and print its folder: uml.sh exact|debug
#   exact: virtual time, exact to the nanosecond     debug: KASAN, lockdep, kmemleak, failslab, gcov
#   GCOV=1: exact has gcov too
# The folder holds the program `linux` and what `make -C FOLDER ARCH=um M=...` needs for a module.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

flavour=${1:-}
case $flavour in exact | debug) ;; *) die "usage: uml.sh exact|debug" ;; esac
fragments=("$VM_DIR"/config/{uml,tests,"$flavour"}.config)
[ "$flavour${GCOV:+ gcov}" != "exact gcov" ] || fragments+=("$VM_DIR/config/gcov.config")
patch=$VM_DIR/config/uml-exact-time.patch
export KBUILD_BUILD_TIMESTAMP='2023-11-14 22:13:20 UTC' KBUILD_BUILD_USER=sch_lossless KBUILD_BUILD_HOST=test

configure() {
	make -C "$source" O="$dir" ARCH=um defconfig
	(cd "$dir" && "$source/scripts/kconfig/merge_config.sh" -m .config "${fragments[@]}")
	make -C "$source" O="$dir" ARCH=um olddefconfig
}

# Kconfig drops silently what it cannot grant
check_config() {
	local line
	sed -n 's/^\(CONFIG_[A-Z0-9_]*=y\)$/\1/p' "${fragments[@]}" | sort -u | while read -r line; do
		grep -qx "$line" "$dir/.config" || echo "$line"
	done > "$dir/not-granted"
	[ ! -s "$dir/not-granted" ] || say "not granted by Kconfig: $(tr '\n' ' ' < "$dir/not-granted")"
}

build() {
	make -C "$dir" ARCH=um -j"$(nproc)" linux modules
	make -C "$dir" ARCH=um modules_prepare
}

"$VM_DIR/packages.sh" uml
version=$(dpkg-query -W -f '${Version}' linux-source-6.12)
key=$({ cat "${fragments[@]}" "$patch"; declare -f configure build; } | hash_of -)
dir=$CACHE/uml-$flavour-$version-$key
if [ ! -e "$dir/.done" ]; then
	lock "uml-$flavour"
fi
if [ ! -e "$dir/.done" ]; then
	source=$("$VM_DIR/source.sh")
	say "building the User-Mode Linux kernel '$flavour' (5 to 8 minutes on 2 cores, once)"
	rm -rf "$dir"
	mkdir -p "$dir"
	quietly "$dir/configure.log" configure
	check_config
	quietly "$dir/build.log" build
	touch "$dir/.done"
	say "built $dir"
fi
echo "$dir"
