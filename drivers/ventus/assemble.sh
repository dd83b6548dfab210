#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pocl's Ventus device runs `assemble.sh NAME` before a launch and reads NAME.vmem, the words of the
# program NAME.riscv from 0x80000000 on in hexadecimal, for the files that it writes beside the launch.
set -e
: >"$1.bin"
readelf -lW "$1.riscv" | awk '$1 == "LOAD" { print $2, $3, $5 }' | while read -r offset address size; do
    truncate -s $((address - 0x80000000)) "$1.bin"
    tail -c +$((offset + 1)) "$1.riscv" | head -c $((size)) >>"$1.bin"
done
od -An -v -tx4 -w4 "$1.bin" | tr -d ' ' >"$1.vmem"
rm "$1.bin"
