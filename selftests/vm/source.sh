#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Unpack Debian's linux-source-6.12 into the cache, with the exact-time patch (it changes User-Mode Linux only), and print the
# folder. Kernels are built from it, checkpatch and the kernel's own selftests are taken from it; nothing is built inside.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

"$VM_DIR/packages.sh" uml
patch=$VM_DIR/config/uml-exact-time.patch
dir=$CACHE/linux-source-$(dpkg-query -W -f '${Version}' linux-source-6.12)-$(hash_of "$patch")
if [ ! -e "$dir/.done" ]; then
	lock source
fi
if [ ! -e "$dir/.done" ]; then
	say "unpacking linux-source-6.12"
	rm -rf "$dir"
	mkdir -p "$dir"
	tar -xJf /usr/src/linux-source-6.12.tar.xz -C "$dir" --strip-components=1
	patch -s -p1 -d "$dir" < "$patch"
	touch "$dir/.done"
fi
echo "$dir"
