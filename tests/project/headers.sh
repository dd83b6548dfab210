#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The public headers: each compiles alone as C11 and as C++, without a warning and without what the
# build defines; the shared library shows the functions they declare and nothing else.
. "$SAMITE_SOURCE/tests/project/tap.sh"
cd "$SAMITE_SOURCE" || exit 1

alone() { # HEADER COMPILER...
    header=$1
    shift
    printf '#include <%s>\n#include <%s>\n' "$header" "$header" |
        "$@" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I include -
}

prefixed() { # every macro that a header defines or asks for; those of compilers begin with __
    ! grep -rnE '^ *# *(define|undef|ifdef|ifndef) ' include |
        grep -vE '# *[a-z]+ +(SAM|sam_|__|PTO_)[A-Za-z0-9_]*'
}

# A program may have macros of its own by any name in capitals without the prefix of Samite.
capitals() {
    cat include/samite/*.h include/samite/*.def include/samite/device/*.h include/samite/device/*.def |
        grep -oE '\b[A-Z][A-Z0-9_]+\b' | grep -vE '^(SAM|U?INT[0-9]|VT_|(NULL|FILE)$)' | sort -u | sed 's/.*/-D&=(/'
}

beside_macros() { # COMPILER HEADER...
    compiler=$1
    shift
    capitals >"$scratch/macros"
    grep -qx -- '-DTYPE=(' "$scratch/macros"
    # shellcheck disable=SC2086 # a compiler with its options
    printf '#include <%s>\n' "$@" | $compiler "@$scratch/macros" -Werror -fsyntax-only -I include -xc -
}

declared() { # every function with SAM_API in front, and how many
    cat include/samite/*.h | tr '\n' ' ' | sed 's,/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/, ,g' | sed 's/[;{}]/\n/g' |
        sed -n 's/.*SAM_API [^(]*[ *]\(sam_[a-z0-9_]*\)(.*/\1/p' | sort -u >"$scratch/declared"
    [ -s "$scratch/declared" ]
}

exports() { # every symbol of the shared library, its version cut off; not the versions themselves
    nm -D --defined-only "$SAMITE_BUILD/libsamite.so" |
        sed -n 's/^[0-9a-f]* [^A] \([^@]*\).*/\1/p' | sort -u >"$scratch/exported"
}

versioned() { # a symbol without a version could not be told from one of another release
    ! nm -D --defined-only --with-symbol-versions "$SAMITE_BUILD/libsamite.so" | grep -v ' A ' |
        grep -v '@@SAMITE_[0-9.]*$'
}

static_names() { # a program that links libsamite.a has these names in its own name space
    nm -g --defined-only "$SAMITE_BUILD/libsamite.a" | sed -n 's/^[0-9a-f]* [A-Z] //p' >"$scratch/names"
    grep -q '^sam_tile_parse$' "$scratch/names"
    ! grep -v '^sam_' "$scratch/names"
}

exported() {
    exports
    declared
    comm -13 "$scratch/declared" "$scratch/exported" >"$scratch/more"
    [ ! -s "$scratch/more" ] || { echo 'exported and not declared:' && cat "$scratch/more" && return 1; }
}

defined() {
    declared
    exports
    comm -23 "$scratch/declared" "$scratch/exported" >"$scratch/less"
    [ ! -s "$scratch/less" ] || { echo 'declared and not defined:' && cat "$scratch/less" && return 1; }
}

tried() { # each function is called with bad arguments, or at least named, in one of those tests
    declared
    cat tests/*/*arguments.c | grep -o 'sam_[a-z0-9_]*' | sort -u >"$scratch/named"
    comm -23 "$scratch/declared" "$scratch/named" >"$scratch/untried"
    [ ! -s "$scratch/untried" ] || { echo 'in no tests/*/arguments.c:' && cat "$scratch/untried" && return 1; }
}

for path in include/samite/*.h; do
    header=${path#include/}
    check "$header as C11" alone "$header" cc -std=c11 -xc
    if command -v c++ >/dev/null; then
        check "$header as C++" alone "$header" c++ -std=c++11 -xc++
    else
        skip "$header as C++" 'no C++ compiler'
    fi
done
for header in samite/tile.hpp pto/pto-inst.hpp pto/common/pto_instr.hpp; do
    if command -v c++ >/dev/null; then
        check "$header as C++17" alone "$header" c++ -std=c++17 -xc++
    else
        skip "$header as C++17" 'no C++ compiler'
    fi
done
check 'every macro has a prefix' prefixed
# shellcheck disable=SC2046 # names of headers
check 'the headers beside macros of a program' beside_macros cc $(cd include && ls samite/*.h samite/device/layout.h)
if command -v riscv64-unknown-elf-gcc >/dev/null; then
    # shellcheck disable=SC2046
    check 'the device headers beside macros of a program' beside_macros \
        'riscv64-unknown-elf-gcc -march=rv64im -mabi=lp64 -O1 -ffreestanding' $(cd include && ls samite/device/*.h)
else
    skip 'the device headers beside macros of a program' 'no cross compiler'
fi
check 'the static library keeps to its prefix' static_names
check 'nothing but the declared functions is exported' exported
check 'every declared function is there' defined
check 'every declared function has a test of its arguments' tried
check 'every exported function has a version' versioned
finish
