#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example of docs/cosim.md: a toy core in SystemVerilog beside Samite, under Verilator.
. "$SAMITE_SOURCE/tests/project/tap.sh"
example=$SAMITE_SOURCE/examples/cosim
libraries=$SAMITE_BUILD/drivers/dpi
export LD_LIBRARY_PATH="$libraries:$SAMITE_BUILD"

build_testbench() {
    cd "$scratch"
    "$SAMITE" asm "$example/sort.s" -o sort.elf
    "$SAMITE" asm --format hex "$example/sort.s" -o sort.hex
    verilator --binary -Wall -j 1 --top-module testbench --Mdir model \
        "$SAMITE_SOURCE/drivers/dpi/samite_pkg.sv" "$example/core.sv" "$example/testbench.sv" \
        -LDFLAGS "-L$libraries -lsamite_dpi"
}

agrees() {
    cd "$scratch"
    model/Vtestbench >said
    grep -q '^2366 commits agree$' said || { cat said && return 1; }
}

# What the run prints must hold every one of these lines.
stops_with() { # PLUSARG LINE...
    cd "$scratch"
    if model/Vtestbench "$1" >said 2>&1; then
        echo 'ended well' && return 1
    fi
    shift
    for line in "$@"; do
        grep -qF -- "$line" said || { echo "no line: $line" && cat said && return 1; }
    done
}

# Simulators find the functions by their names: those of the package, and no others.
exports_its_names() {
    sed -n 's/.*import "DPI-C" function .* \(samite_dpi_[a-z_]*\)(.*/\1/p' \
        "$SAMITE_SOURCE/drivers/dpi/samite_pkg.sv" | sort >"$scratch/imported"
    nm -D --defined-only "$libraries/libsamite_dpi.so" | awk '{ print $3 }' | sort >"$scratch/exported"
    diff "$scratch/imported" "$scratch/exported"
}

check 'the testbench builds without warnings' build_testbench
check 'core and Samite agree' agrees
check 'a broken comparison is found at its instruction' stops_with +bug \
    'difference after 299 commits, workgroup 0 warp 0: value of x7' \
    '  word      0062b3b3                       0062b3b3 sltu t2, t0, t1' \
    '  x7        00000000                       00000001' \
    '  8000004c ffc5a303 lw t1, -4(a1)                            x6=c6e5747a'
check 'a program that is missing' stops_with +program=nosuch.elf 'samite: error: nosuch.elf: cannot open'
check 'a program that is none' stops_with +program=sort.hex 'samite: error: sort.hex: '
check 'the library has the names of the package' exports_its_names
finish
