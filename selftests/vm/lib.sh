# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Shared by the scripts of this folder: where things are kept, how they report, how two runs keep out of each other's way.
# Sourced after `set -euo pipefail`.

VM_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # for the scripts that source this
REPO=$(cd "$VM_DIR/../.." && pwd)
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/sch_lossless
START_SECONDS=${START_SECONDS:-$(date +%s)}
export START_SECONDS
mkdir -p "$CACHE"
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL # what our Makefile was given is not meant for a kernel's

# say WORDS...: what is being done, with the time since the first script of this run started
say() {
	printf '[%4ds] %s\n' "$(($(date +%s) - START_SECONDS))" "$*" >&2
}

die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# lock NAME: held until this process and the programs that it starts have ended; a second run waits here
lock() {
	exec {LOCK_FD}> "$CACHE/.lock-$1"
	flock -n "$LOCK_FD" && return
	say "waiting for another run that prepares $1"
	flock "$LOCK_FD"
}

# quietly LOG COMMAND...: the command's output goes to LOG and is shown only when it fails
quietly() {
	local log=$1
	shift
	"$@" > "$log" 2>&1 < /dev/null && return
	tail -n 40 "$log" >&2
	die "failed: $* (all of it: $log)"
}

# hash_of FILE...: a short key for a cache folder
hash_of() {
	cat "$@" | sha256sum | cut -c1-12
}
