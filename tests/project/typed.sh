#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Typed tiles in C++17 (samite/tile.hpp), with each compiler that is here.
. "$SAMITE_SOURCE/tests/project/tap.sh"

build() { # COMPILER FILE...
    compiler_of_build=$1
    shift
    "$compiler_of_build" -std=c++17 -Wall -Wextra -Wpedantic -Werror -O1 -I "$SAMITE_SOURCE/include" "$@" \
        -L "$SAMITE_BUILD" -lsamite -Wl,-rpath,"$SAMITE_BUILD" -o "$scratch/typed"
}

runs() { # COMPILER FILE EXPECTED
    build "$1" "$SAMITE_SOURCE/$2"
    "$scratch/typed" >"$scratch/typed.out"
    diff "$scratch/typed.out" - <<END
$3
END
}

page() { # COMPILER
    cd "$SAMITE_SOURCE/tests/tile"
    build "$1" page.cc page_auto.cc page_manual.cc
    [ "$("$scratch/typed")" = ok ] || return 1
    # An error that nobody catches.
    if "$scratch/typed" uncaught >"$scratch/typed.out" 2>&1; then return 1; fi
    [ "$(cat "$scratch/typed.out")" = 'error: tcolmin reads src[0,0] before it is written' ]
}

refused() { # COMPILER STATEMENT MESSAGE
    cat >"$scratch/refused.cc" <<END
#include <samite/tile.hpp>
using namespace samite;
int main()
{
    Tile<TileType::Vec, float, 16, 16> f;
    Tile<TileType::Vec, int32_t, 16, 16> i;
    Tile<TileType::Mat, float, 16, 16> m;
    Tile<TileType::Vec, float, 16, 16, BLayout::ColMajor> columns;
    GlobalTensor<int32_t, Shape<16, 16>> global(nullptr);
    Event<Op::TLOAD, Op::TADD> loaded;
    $2;
}
END
    if build "$1" "$scratch/refused.cc" 2>"$scratch/refused.txt"; then return 1; fi
    grep -F "$3" "$scratch/refused.txt"
}

for compiler in g++ clang++; do
    if ! command -v $compiler >/dev/null; then
        skip "$compiler" 'not here'
        continue
    fi
    check "$compiler: every operation" runs $compiler tests/tile/typed.cc ok
    check "$compiler: the example" runs $compiler examples/tile.cc \
        'auto: 0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -10 -11 -12 -13 -14 -15
manual: 1 0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -10 -11 -12 -13 -14
tcolmin reads src[0,0] before it is written'
    check "$compiler: other dtypes" refused $compiler 'TADD(f, f, i)' 'TADD: expected tiles of one dtype'
    check "$compiler: another memory" refused $compiler 'TABS(f, m)' 'TABS: expected tiles in Vec'
    check "$compiler: the published page" page $compiler
    check "$compiler: another layout" refused $compiler 'TABS(f, columns)' \
        'TABS: expected tiles that are row-major and not boxed'
    check "$compiler: a tensor of another dtype" refused $compiler 'TLOAD(f, global)' \
        'TLOAD: expected a tile and a tensor of one dtype'
    check "$compiler: an event for another operation" refused $compiler 'TABS(f, f, loaded)' \
        'the event is for another operation to wait for'
    check "$compiler: no event" refused $compiler 'TABS(f, f, 3)' 'after the operands come events to wait for'
done
finish
