#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs of kernels/ and examples/ whose results go to standard output say so when it cannot be
# written, and exit with 2; so does kernels/llm for options that cannot be. Arguments: the programs.
. "$SAMITE_SOURCE/tests/project/tap.sh"

words_of() { # what a program is run with: as little as shows a result
    case $1 in
        check) echo vecadd 64 ;;
        gemm) echo i8 16 16 64 ;;
        packed) echo e5m2 --columns 128 --depth 128 ;;
        llm) echo --tokens 2 In ;;
        block) echo --host --sequence 1 --width 64 --heads 1 ;;
    esac
}

full() { # PROGRAM WORDS...
    [ -c /dev/full ] || return 0
    "$@" >"$scratch/out"
    [ -s "$scratch/out" ] || { echo "no output" && return 1; }
    # shellcheck disable=SC2016
    fails 2 sh -c '"$@" >/dev/full' - "$@"
    grep -qE 'standard output' "$scratch/.stderr"
}

refuses() { # MESSAGE PROGRAM WORDS...
    message=$1
    shift
    fails 2 "$@" && [ "$(cat "$scratch/.stderr")" = "$message (llm --help)" ]
}

for program; do
    name=$(basename "$program")
    # shellcheck disable=SC2046
    check "$name" full "$program" $(words_of "$name")
    case $name in
        check | gemm | packed | block | llm) check "$name --help" full "$program" --help ;;
    esac
    [ "${program##*/}" = llm ] || continue
    check "llm --tokens 0" refuses "llm: error: --tokens '0': expected 1 to 1048576" "$program" --tokens 0
    check "llm --temperature nan" \
        refuses "llm: error: --temperature 'nan': expected 0 to 100" "$program" --temperature nan
    check "llm with two texts" refuses "llm: error: a second TEXT 'b'" "$program" a b
    check "llm with an empty text" refuses "llm: error: an empty TEXT ''" "$program" ""
    check "llm --emit on the executor" \
        refuses "llm: error: --emit, --explain, --report, --cold or --check-races without '--system'" \
        "$program" --emit . a
done
finish
