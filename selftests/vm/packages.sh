#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Install with apt-get what one or more sets need, and only what is missing: packages.sh build|vm|uml|demo|style|test ...
# With nothing missing it touches neither apt nor the network.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

set_packages() {
	case $1 in
	build) echo make gcc libc6-dev bc kmod rsync pkg-config libelf-dev libmnl-dev libjson-c-dev libncurses-dev iproute2 \
		xz-utils ;;
	vm) echo qemu-system-x86 busybox-static cpio gzip kmod iproute2 util-linux ;;
	uml) echo linux-source-6.12 make gcc libc6-dev flex bison bc patch xz-utils libelf-dev libssl-dev python3 kmod rsync ;;
	demo) echo iproute2 util-linux perftest ibverbs-providers ;;
	style) echo linux-source-6.12 sparse shellcheck perl xz-utils make gcc libc6-dev patch ;;
	test) echo iproute2 python3 ethtool tcpdump jq iputils-ping nftables binutils \
		python3-yaml python3-jsonschema ;;
	*) die "no such package set: $1 (there are: build vm uml demo style test)" ;;
	esac
}

missing_packages() {
	local set package
	for set; do
		for package in $(set_packages "$set"); do
			[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] || echo "$package"
		done
	done | sort -u
}

apt_install() {
	DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

command -v dpkg-query > /dev/null || die "this machine is not a Debian: install what $0 names for '$*' by hand"
mapfile -t missing < <(missing_packages "$@")
[ ${#missing[@]} -gt 0 ] || exit 0
[ "$(id -u)" = 0 ] || die "these packages are missing, and only root can install them: ${missing[*]}"
lock packages
say "installing ${missing[*]}"
log=$CACHE/packages.log
apt_install "${missing[@]}" > "$log" 2>&1 < /dev/null && exit 0
apt-get update >> "$log" 2>&1 < /dev/null || true
apt_install "${missing[@]}" >> "$log" 2>&1 < /dev/null && exit 0
tail -n 5 "$log" >&2
die "apt-get could not install ${missing[*]} (all of its output: $log)"
