# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Files of the Ventus driver for `addn` of addn.s over 16 items from 0x90000000, 2 warps of 8: NAME.metadata and
# NAME.data. For transcripts and run_script().

numbers() { # of 64 bits, in words, the lower half first
    for n; do printf '%08x%s\n00000000\n' "$n" "$comment"; done
}

# pair NAME ARGUMENTS ADDEND [first] [local] [older]: the address of the arguments; `first` has the items' data,
# `local` places a buffer in local memory, `older` is without start_addr
pair() {
    name=$1 arguments=$2 addend=$3
    shift 3
    first=0 local=0 comment='' start=0x80000000
    for word; do
        case $word in
        first) first=64 ;;
        local) local=8 ;;
        older) start='' ;;
        esac
    done
    cat "$SAMITE_SOURCE/kernels/start.inc" addn.s >code.s
    "$SAMITE" asm --format hex code.s -o code.hex
    entry=$((0x80000000 + 4 * $("$SAMITE" asm --format hex "$SAMITE_SOURCE/kernels/start.inc" -o - | wc -l)))
    {
        # shellcheck disable=SC2086 # none, if older
        numbers $start 0 1 1 1 8 2 0x90003000 0x1000 256 32 32 0x90004000 6
        comment=' // base'
        numbers 0x90000000 "$arguments" 0x80000000 0x90004000 0x90003000 0x7ffff000
        comment=$(printf ' // size\r')
        numbers $first 8 $((4 * $(wc -l <code.hex))) 0 64 $local
        comment=''
        numbers 64 8 0x10000000 0x1000 64 0x1000
    } >"$name.metadata"
    {
        [ $first = 0 ] || printf '%08x\n' 0 100 200 300 400 500 600 700 800 900 1000 1100 1200 1300 1400 1500
        printf '%08x\n' 0x90000000 "$addend"
        cat code.hex
        printf '%08x\n' "$entry" "$arguments" 0 0 0 0 0 0 0 0 0 0 0 0 0 0
        [ $local = 0 ] || printf '%08x\n' 0 1
    } >"$name.data"
}
