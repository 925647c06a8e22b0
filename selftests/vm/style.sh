#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Hold every source against the rules: checkpatch --strict, sparse and shellcheck. Ends with "N passed, N failed".
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# Programs are not kernel code: they have stdint's types, the C library's parsers and no kernel macros; tests make tables by macro
program_exceptions=PREFER_KERNEL_TYPES,SSCANF_TO_KSTRTO,STRCPY,STRNCPY,AVOID_EXTERNS,PREFER_FALLTHROUGH,CAMELCASE,BIT_MACRO,PREFER_DEFINED_ATTRIBUTE_MACRO,NEW_TYPEDEFS,MACRO_ARG_REUSE,COMPLEX_MACRO

# sources PATTERN...: ours, whether committed or not
sources() {
	local pattern expression=()
	for pattern; do
		expression+=(-o -name "$pattern")
	done
	find "$REPO" \( -name .git -o -path "$REPO/build" \) -prune -o -type f \( "${expression[@]:1}" \) -print | sort
}

generated() {
	case $1 in *.mod.c) return 0 ;; esac
	return 1
}

# judge NAME COMMAND...: the command must end well and say nothing
passed=0 failed=0
judge() {
	local name=$1
	shift
	if "$@" > "$log" 2>&1 && [ ! -s "$log" ]; then
		passed=$((passed + 1))
		echo "ok     $name"
		return
	fi
	failed=$((failed + 1))
	echo "FAILED $name"
	head -n 200 "$log"
}

exceptions_of() {
	case $1 in
	sch_lossless/core/types.h) echo PREFER_KERNEL_TYPES,MACRO_ARG_REUSE ;; # gives user space the kernel's words
	sch_lossless/tests/*) echo COMPLEX_MACRO,MACRO_ARG_REUSE ;; # tables are made by macro
	sch_lossless/trace.h) echo OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT ;; # as TRACE_EVENT is written everywhere
	sch_lossless/*) ;;
	*) echo "$program_exceptions" ;;
	esac
}

# From inside sch_lossless/, so that checkpatch knows include/uapi for what it is; in a copy, as it leaves a file where it stands
checkpatch_file() {
	local file=$1 folder=. exceptions
	exceptions=$(exceptions_of "$file")
	case $file in sch_lossless/*) folder=sch_lossless ;; esac
	cd "$copy/$folder"
	GIT_DIR=/nonexistent perl "$linux/scripts/checkpatch.pl" --root="$linux" --strict --terse --show-types --no-summary \
		${exceptions:+--ignore "$exceptions"} -f "${file#sch_lossless/}" | sed "s#^#$([ "$folder" = . ] || echo "$folder/")#"
}

checkpatch_all() {
	local file bad=0
	while read -r file; do
		file=${file#"$REPO"/}
		generated "$file" && continue
		mkdir -p "$copy/$(dirname "$file")"
		cp "$REPO/$file" "$copy/$file"
		(checkpatch_file "$file") || bad=1
	done < <(sources '*.c' '*.h')
	return "$bad"
}

# HARD_TX_TRYLOCK takes the lock or, on a driver without one, does as if: sparse cannot follow the macro
trylock="context imbalance in 'pfc_xmit'"

# The kernel's own headers are not ours to mend
sparse_module() {
	local tree out=$REPO/build/6.12
	tree=$(realpath "$("$VM_DIR/kernel.sh" 6.12)/build")
	"$VM_DIR/build.sh" 6.12 > /dev/null 2> "$out.sparse.log" || { cat "$out.sparse.log"; return 1; }
	make -C "$tree" M="$out" W=1 C=2 CHECK=sparse modules > "$out.sparse.log" 2>&1 < /dev/null || { tail "$out.sparse.log"; return 1; }
	grep -E "^($out/)?sch_lossless[^:]*:[0-9]+:[0-9]+: (warning|error):" "$out.sparse.log" | grep -v "$trylock" || return 0
}

scripts() {
	sources '*.sh'
	find "$REPO/.ci" -type f 2> /dev/null
}

shellcheck_all() {
	scripts | xargs -d '\n' shellcheck -x -P SCRIPTDIR -f gcc
}

"$VM_DIR/packages.sh" style build
linux=$("$VM_DIR/source.sh")
mkdir -p "$REPO/build"
log=$REPO/build/style.log
copy=$REPO/build/style
say "checkpatch, sparse, shellcheck"
judge "checkpatch --strict" checkpatch_all
judge "sparse" sparse_module
judge "shellcheck" shellcheck_all
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
