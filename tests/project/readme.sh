#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What README.md and the pages of docs/ show is true: each console example gives the output
# printed below it (except times), the named commands and files exist, and the Chinese README
# shows the same examples.
. "$SAMITE_SOURCE/tests/project/tap.sh"
cd "$SAMITE_SOURCE" || exit 1
unset PYTHONPATH SAMITE_LIBRARY

# Console blocks of a page -> $scratch/NAME.N.command and .expected; prints how many. A command goes on in
# lines that begin with '> '. What the user types at the prompt of the debugger -> .input.
examples() { # NAME PAGE
    awk -v out="$scratch/$1" '
        /^```console$/ { inside = 1; next }
        /^```$/ { inside = 0; next }
        inside && /^\$ / {
            n++
            print substr($0, 3) >(out "." n ".command")
            printf "" >(out "." n ".expected")
            printf "" >(out "." n ".input")
            command = 1
            next
        }
        inside && command && /^> / { print substr($0, 3) >(out "." n ".command"); next }
        { command = 0 }
        inside && /^\(samite\) / { print substr($0, 10) >(out "." n ".input") }
        inside { print >(out "." n ".expected") }
        END { print n + 0 }' "$2"
}

# Examples in Python run with the package of the source tree, where NumPy is installed.
for python in python3 /usr/bin/python3 none; do
    ! "$python" -c 'import numpy' 2>/dev/null || break
done
if [ "$python" != none ]; then
    mkdir "$scratch/bin"
    printf '#!/bin/sh\nexec %s -B "$@"\n' "$(command -v "$python")" >"$scratch/bin/python3"
    chmod +x "$scratch/bin/python3"
    export PATH="$scratch/bin:$PATH"
fi

timeless() {
    sed -E 's/[0-9]+(\.[0-9]+)?( ms| s|M\/s| M\/s)/TIME\2/g; s/ +$//'
}

# Instructions that a version of clang may choose otherwise: their number, addresses and registers, cycles.
compiled() { # COMMAND-FILE
    if grep -q '\.cl\>' "$1"; then
        sed -E 's/[0-9]+ warp instructions/N warp instructions/; s/0x8000[0-9a-f]{4}/PC/g; s/\+0x[0-9a-f]+/+N/g
            s/\<[vxats][0-9]+\>/R/g; s/^(  (cycles|instructions|occupancy) ).*/\1/; s/^(  [0-9][.] ).*/\1/'
    else
        cat
    fi
}

example() { # NAME N
    [ ! -s "$scratch/$1.$2.input" ] || sed -i 's/samite debug /&--echo /' "$scratch/$1.$2.command"
    { cd "$scratch/$1" && sh "$scratch/$1.$2.command" <"$scratch/$1.$2.input" 2>&1; } | timeless |
        compiled "$scratch/$1.$2.command" >"$scratch/got"
    timeless <"$scratch/$1.$2.expected" | compiled "$scratch/$1.$2.command" | diff - "$scratch/got"
}

# Run the examples of a page, in a folder of its own that looks like the top of the repository.
page() { # NAME PAGE LEAST
    mkdir "$scratch/$1"
    ln -s "$SAMITE_BUILD" "$scratch/$1/build"
    ln -s "$SAMITE_SOURCE/kernels" "$scratch/$1/kernels"
    ln -s "$SAMITE_SOURCE/examples" "$scratch/$1/examples"
    ln -s "$SAMITE_SOURCE/python" "$scratch/$1/python"
    count=$(examples "$1" "$2")
    check "$2 has $3 examples or more" test "$count" -ge "$3"
    n=1
    while [ "$n" -le "$count" ]; do
        name="$2: \$ $(head -n 1 "$scratch/$1.$n.command" | cut -c1-60 | tr '#' ' ')"
        if grep -q '^gdb-multiarch' "$scratch/$1.$n.command" && ! command -v gdb-multiarch >/dev/null; then
            skip "$name" 'no gdb-multiarch'
        elif grep -q '\<python3 ' "$scratch/$1.$n.command" && [ "$python" = none ]; then
            skip "$name" 'no NumPy'
        elif grep -q '\.cl\>' "$scratch/$1.$n.command" && ! command -v "${SAMITE_CLANG:-clang}" >/dev/null; then
            skip "$name" 'no clang'
        else
            check "$name" example "$1" "$n"
        fi
        n=$((n + 1))
    done
}

# Commands of the script: every `./dev VERB` is one that ./dev help lists.
dev_verbs() { # PAGE
    ./dev help | sed -n 's/^  \([a-z][a-z]*\)\( .*\)\{0,1\}$/\1/p' >"$scratch/verbs"
    grep -o '\./dev [a-z]*' "$1" | cut -d' ' -f2 | sort -u >"$scratch/shown"
    for verb in run test; do
        grep -qx $verb "$scratch/shown" || { echo "./dev $verb is not shown" && return 1; }
    done
    while read -r verb; do
        grep -qx "$verb" "$scratch/verbs" || { echo "no ./dev $verb" && return 1; }
    done <"$scratch/shown"
}

links() { # PAGE: files that it points to exist
    grep -o ']([^)#]*)' "$1" | sed 's/^](//; s/)$//' | grep -v '^https\{0,1\}:' | while read -r file; do
        [ -e "$(dirname "$1")/$file" ] || { echo "no $file" && exit 1; }
    done
}

same_examples() {
    [ "$(examples zh README.zh.md)" = "$count" ]
    for file in "$scratch"/en.*; do
        diff "$file" "$scratch/zh.${file#"$scratch"/en.}"
    done
}

# The indented block under a heading, run where the examples of the page are.
five_commands() {
    ln -s "$SAMITE_SOURCE/include" "$scratch/system/include"
    awk '/^## / { inside = /five commands/ } inside && sub(/^    /, "")' docs/system.md >"$scratch/five.sh"
    [ "$(grep -c '^[a-z]' "$scratch/five.sh")" -eq 5 ] || return 1
    (cd "$scratch/system" && sh -e "$scratch/five.sh") >"$scratch/got" 2>&1 || { cat "$scratch/got" && return 1; }
    grep -q '^row  15: column  305' "$scratch/got" && grep -q 'with raw weights: ' "$scratch/got"
}

page first-kernel docs/first-kernel.md 5
page examples docs/examples.md 10
page gpu-time docs/gpu-time.md 6
page profile docs/profile.md 2
page sanitizer docs/sanitizer.md 2
page kernels docs/kernels.md 5
page opencl-c docs/opencl-c.md 6
page debugging docs/debugging.md 6
page troubleshooting docs/troubleshooting.md 20
page ventus-stack docs/ventus-stack.md 5
page system docs/system.md 1
page tile-lowering docs/tile-lowering.md 1
page transformer docs/transformer.md 1
page llm docs/llm.md 3
if command -v riscv64-unknown-elf-gcc >/dev/null; then
    check 'docs/system.md: five commands from C to a report' five_commands
else
    skip 'docs/system.md: five commands from C to a report' 'no cross compiler'
fi
page en README.md 4
check 'README.zh.md has the same examples' same_examples
for page in README.md README.zh.md; do
    check "$page: verbs of ./dev" dev_verbs "$page"
done
for page in README.md README.zh.md CONTRIBUTING.md CHANGELOG.md docs/*.md; do
    check "$page: links" links "$page"
done
finish
