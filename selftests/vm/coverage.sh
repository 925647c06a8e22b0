#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Line coverage of the module by the selftests that run in exact time: coverage.sh [TEST...]
# Prints it for each file, with the lines that no test reaches; that of all tests must be 95 % of core/
# and 85 % of the whole module. It works in a copy of the project, build/coverage, so that other builds
# and runs may go on beside it. The first time it builds a kernel of its own, with gcov.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

copy=$REPO/build/coverage
export GCOV=1 COVERAGE=$copy/build/gcov VM_ENV=COVERAGE

"$VM_DIR/packages.sh" build uml test
mkdir -p "$copy"
rsync -a --delete --exclude /build --exclude /.git "$REPO/" "$copy/"
rm -rf "$COVERAGE"
mkdir -p "$COVERAGE"
status=0
"$copy/selftests/run.sh" -k uml-exact "$@" || status=1
limits=(--core 95 --module 85)
[ $# = 0 ] || limits=(--core 0 --module 0)
"$VM_DIR/gcov.py" "${limits[@]}" --missed "$COVERAGE" || status=1
exit "$status"
