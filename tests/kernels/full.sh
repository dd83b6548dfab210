#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs of kernels/ and examples/ whose results go to standard output say so when it cannot be
# written, and exit with 2. Arguments: the programs.
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

for program; do
    name=$(basename "$program")
    # shellcheck disable=SC2046
    check "$name" full "$program" $(words_of "$name")
    case $name in
        check | gemm | packed | block | llm) check "$name --help" full "$program" --help ;;
    esac
done
finish
