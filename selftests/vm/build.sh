#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Build the module for one kernel and print the path of sch_lossless.ko: build.sh 6.1|6.12|uml-exact|uml-debug|native
# `build.sh user` builds the programs only: tc plugin, tools, the selftests' own.
# native: this machine's own kernel, or the installed one that KERNELRELEASE names.
# kbuild puts objects beside the sources, so each kernel has a copy of them in build/. GCOV=1 builds it for coverage.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

kernel=${1:-}
out=$REPO/build/$kernel
release=${KERNELRELEASE:-$(uname -r)}
unset KERNELRELEASE

kernel_tree() {
	case $kernel in
	uml-*) "$VM_DIR/uml.sh" "${kernel#uml-}" ;;
	native) echo "/lib/modules/$release/build" ;;
	*) realpath "$("$VM_DIR/kernel.sh" "$kernel")/build" ;;
	esac
}

# The copy loses what the sources lost, but keeps what kbuild made; sources that did not change keep their time
copy_sources() {
	local keep made=()
	for keep in '*.o' '*.ko' '*.cmd' '*.mod' '*.mod.c' '*.d' '*.gcno' '*.gcda' Module.symvers modules.order build.log; do
		made+=(--filter "- $keep")
	done
	mkdir -p "$out"
	rsync -a --delete "${made[@]}" "$REPO/Kbuild" "$REPO/sch_lossless" "$out/"
}

# Objects of another native kernel are of no use
forget_another_release() {
	[ "$kernel" = native ] || return 0
	[ "$(cat "$out.release" 2> /dev/null)" = "$release" ] || rm -rf "$out"
	mkdir -p "$out"
	echo "$release" > "$out.release"
}

build_module() {
	local tree options=()
	tree=$(kernel_tree)
	[ -d "$tree" ] || die "no headers of kernel $release: $tree is missing"
	case $kernel in uml-*) options=(ARCH=um) ;; esac
	[ "$kernel" != uml-debug ] || options+=(LOSSLESS_KUNIT=1) # kunit.sh runs there
	forget_another_release
	copy_sources
	say "building the module for $kernel"
	quietly "$out/build.log" make -C "$tree" "${options[@]}" M="$out" W=1 ${GCOV:+GCOV_PROFILE=y} -j"$(nproc)" modules
	grep -E 'warning:|WARNING:' "$out/build.log" >&2 || true
	[ -e "$out/sch_lossless.ko" ] || die "the build left no $out/sch_lossless.ko"
	echo "$out/sch_lossless.ko"
}

# TC_LIB_DIR replaces tc's own folder, in which netem's distributions and other plugins lie
make_tc_folder() {
	local dir=$REPO/build/tc
	mkdir -p "$dir"
	find /usr/lib/tc /usr/lib/*/tc -maxdepth 1 \( -type f -o -type l \) -exec ln -sfnt "$dir" {} + 2> /dev/null || true
	ln -sfn "$REPO/tc-plugin/q_lossless.so" "$dir/q_lossless.so"
}

build_programs() {
	local folder
	mkdir -p "$REPO/build"
	for folder in tc-plugin tools selftests; do
		[ -e "$REPO/$folder/Makefile" ] || continue
		quietly "$REPO/build/$folder.log" make -C "$REPO/$folder"
		grep -E 'warning:' "$REPO/build/$folder.log" >&2 || true
	done
	make_tc_folder
}

"$VM_DIR/packages.sh" build
lock "build-$kernel"
case $kernel in
user) build_programs ;;
6.1 | 6.12 | 7.2 | uml-exact | uml-debug | native) build_module ;;
*) die "usage: build.sh 6.1|6.12|uml-exact|uml-debug|native|user" ;;
esac
