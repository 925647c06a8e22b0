#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fetch a Debian kernel and its headers into the cache, without installing them, and print the folder: kernel.sh 6.1|6.12|7.2
#   FOLDER/version   the kernel's release     FOLDER/vmlinuz, FOLDER/modules, FOLDER/build   its image, modules, headers (links)
# `make -C FOLDER/build M=...` builds a module. Once a kernel is cached apt is not asked again; remove the folder for a newer one.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

series=${1:-}
case $series in
6.1) release='6\.1\.0-[0-9]+-amd64' ;;
6.12) release='6\.12\.[0-9]+\+deb12-amd64' ;;
7.2)
	say "kernel 7.2 is not run yet: its headers need a newer compiler than Debian 12's"
	exit 3
	;;
*) die "usage: kernel.sh 6.1|6.12|7.2" ;;
esac

# The newest release whose image and headers apt can both fetch
newest_release() {
	local version
	apt-cache pkgnames linux-headers- | sed -nE "s/^linux-headers-($release)\$/\\1/p" | sort -rV | while read -r version; do
		if fetchable "linux-headers-$version" && [ -n "$(image_package "$version")" ]; then
			echo "$version"
			break
		fi
	done
}

fetchable() {
	[ -n "$(apt-cache show "$1" 2> /dev/null | sed -n '/^Filename:/p')" ]
}

image_package() {
	if fetchable "linux-image-$1-unsigned"; then
		echo "linux-image-$1-unsigned"
	elif fetchable "linux-image-$1"; then
		echo "linux-image-$1"
	fi
}

# The headers come in three packages: for this flavour, common to all flavours, and the build programs
header_packages() {
	echo "linux-headers-$1"
	apt-cache depends --no-recommends --no-suggests "linux-headers-$1" |
		sed -nE 's/^ *\|?Depends: (linux-headers-[^ ]*-common|linux-kbuild-[^ ]*)$/\1/p'
}

fetch() {
	local version=$1 packages
	mapfile -t packages < <(image_package "$version"; header_packages "$version")
	say "fetching ${packages[*]}"
	(cd "$new/deb" && apt-get download "${packages[@]}" > "$new/fetch.log" 2>&1 < /dev/null)
}

# apt's lists may be older than the mirror: then they are renewed, once
find_and_fetch() {
	version=$(newest_release)
	[ -n "$version" ] && fetch "$version" && return
	say "renewing apt's package lists"
	apt-get update > "$new/update.log" 2>&1 < /dev/null || true
	version=$(newest_release)
	[ -n "$version" ] || die "apt knows no Debian kernel $series with headers (sources: Debian 12 main and security)"
	fetch "$version" || { tail -n 3 "$new/fetch.log" >&2; die "apt could not fetch kernel $version"; }
}

# The headers name each other by their place in an installed system
relocate_headers() {
	local file link target
	grep -rlI --include=Makefile --include='*.mk' --include='.kernelvariables' ' /usr/\(src\|lib\)/' "$new/usr/src" |
		while read -r file; do
			sed -i "s# /usr/\(src\|lib\)/linux-# $dir/usr/\1/linux-#g" "$file"
		done
	find "$new/usr/src" "$new/lib/modules" -type l -lname '/usr/*' | while read -r link; do
		target=$(readlink "$link")
		ln -sfn "$dir$target" "$link"
	done
}

unpack() {
	local deb
	for deb in "$new"/deb/*.deb; do
		dpkg -x "$deb" "$new"
	done
	rm -r "$new/deb"
	[ -d "$new/lib/modules" ] || ln -s usr/lib "$new/lib"
	relocate_headers
	rm -f "$new/usr/src/linux-headers-$version/vmlinux" # only for BTF, which would need pahole
	depmod -b "$new" "$version"
	ln -s "boot/vmlinuz-$version" "$new/vmlinuz"
	ln -s "lib/modules/$version" "$new/modules"
	ln -s "usr/src/linux-headers-$version" "$new/build"
	echo "$version" > "$new/version"
}

dir=$CACHE/kernel-$series
if [ ! -e "$dir/version" ]; then
	lock "kernel-$series"
fi
if [ ! -e "$dir/version" ]; then
	new=$dir.new
	rm -rf "$new" "$dir"
	mkdir -p "$new/deb"
	find_and_fetch
	say "unpacking kernel $version"
	unpack
	mv "$new" "$dir"
fi
echo "$dir"
