#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Required of every verb: help with an example, one line and status 2 for bad usage, completion, a
# man page.
. "$SAMITE_SOURCE/tests/project/tap.sh"
samite=$SAMITE

verbs=$("$samite" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z][a-z0-9-]*\) .*/\1/p')

prints() { # PATTERN COMMAND...
    pattern=$1
    shift
    "$@" >"$scratch/text" || return 1
    grep -qE "$pattern" "$scratch/text" || { cat "$scratch/text" && return 1; }
}

no_arguments() {
    status=0
    "$samite" >"$scratch/out" 2>"$scratch/err" || status=$?
    [ "$status" = 2 ] && [ ! -s "$scratch/out" ] && grep -q '^Usage: samite' "$scratch/err"
}

# Every verb reads something from its command line, except `isa`, which lists without arguments.
unknown_option() {
    fails 2 "$samite" "$1" --no-such-option
    grep -q 'no-such-option' "$scratch/.stderr"
}

full_output() { # standard output that cannot be written is an error
    [ -c /dev/full ] || return 0
    fails 2 sh -c "\"$samite\" --help >/dev/full"
}

completes() { # the script is valid bash and offers every verb
    "$samite" --completion bash >"$scratch/completion"
    bash -n "$scratch/completion"
    bash -c '. "$1"; COMP_WORDS=(samite ""); COMP_CWORD=1; _samite; printf "%s\n" "${COMPREPLY[@]}"' \
        - "$scratch/completion" >"$scratch/offered"
    for verb in $verbs --help --version; do
        grep -qx -- "$verb" "$scratch/offered" || { echo "$verb is not offered" && return 1; }
    done
}

completes_options() { # VERB: every option that its help shows
    "$samite" "$1" --help | sed -n 's/^ *\(-[a-zA-Z], \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' >"$scratch/options"
    bash -c '. "$1"; COMP_WORDS=(samite "$2" --); COMP_CWORD=2; _samite; printf "%s\n" "${COMPREPLY[@]}"' \
        - "$scratch/completion" "$1" >"$scratch/offered"
    while read -r option; do
        grep -qx -- "$option" "$scratch/offered" || { echo "$option is not offered" && return 1; }
    done <"$scratch/options"
}

values() { # the words of an option, files by their ending, forms; in bash and fish
    touch "$scratch/x.s" "$scratch/x.txt"
    cat >"$scratch/ask" <<'EOS'
. "$1"; cd "$2" || exit 1; shift 2
COMP_WORDS=(samite "$@"); COMP_CWORD=$#; _samite; printf '%s\n' "${COMPREPLY[@]}"
EOS
    while read -r wanted not_wanted words; do
        # shellcheck disable=SC2086 # words
        bash "$scratch/ask" "$scratch/completion" "$scratch" $words >"$scratch/offered"
        grep -qx -- "$wanted" "$scratch/offered" || { echo "bash: $words: no $wanted" && return 1; }
        ! grep -qx -- "$not_wanted" "$scratch/offered" || { echo "bash: $words: $not_wanted" && return 1; }
        command -v fish >/dev/null || continue
        "$samite" --completion fish >"$scratch/completion.fish"
        (cd "$scratch" && HOME=$scratch fish -c "source completion.fish; complete -C 'samite $words'") |
            cut -f 1 >"$scratch/offered"
        grep -qx -- "$wanted" "$scratch/offered" || { echo "fish: $words: no $wanted" && return 1; }
    done <<'EOS'
hex tensor asm --format h
tensor ventus run --machine te
transpose pad op tr
bf16 f16 pack --dtype b
x.s x.txt asm x
mem.dram_bytes x.txt run --machine system --config mem.d
load_bytes x.txt run --config load_b
x.txt x.none run --config x.t
wu.raw x.txt sweep --config wu.r
vblt vadd.vv isa vb
EOS
    command -v zsh >/dev/null || return 0
    "$samite" --completion zsh >"$scratch/_samite"
    zsh -n "$scratch/_samite"
    grep -q -- "--format=.*:(.* hex)" "$scratch/_samite"
}

letters() { # one letter, one option, whatever the verb
    for verb in $verbs; do
        "$samite" --man "$verb" | sed -n 's/\\-/-/g; s/\\f[BIR]//g; s/^-\([a-zA-Z]\), --\([a-z-]*\).*/\1 \2/p'
    done | sort -u >"$scratch/letters"
    grep -q '^j jobs$' "$scratch/letters"
    [ "$(cut -d' ' -f1 "$scratch/letters" | sort | uniq -d)" = "" ] || { cat "$scratch/letters" && return 1; }
}

suggests() { # WHAT COMMAND...
    wanted=$1
    shift
    fails 2 "$@"
    grep -qF -- "did you mean '$wanted'?" "$scratch/.stderr"
}

helps() { # samite help VERB is samite VERB --help
    for verb in $verbs; do
        "$samite" help "$verb" >"$scratch/help"
        "$samite" "$verb" --help | diff - "$scratch/help"
    done
}

numbers() { # 010 is ten, 0x and 0b are what they say
    for number in 010 10 0xa 0b1010; do
        "$samite" dis 0x00000013 --base "$number" | grep -q '# 0000000a:' || { echo "$number" && return 1; }
    done
}

colours() {
    escape=$(printf '\033')
    "$samite" pack --color=always 2>&1 | grep -q "$escape" || return 1
    ! CLICOLOR_FORCE=1 NO_COLOR=1 "$samite" pack 2>&1 | grep -q "$escape" || return 1
    ! CLICOLOR_FORCE=1 "$samite" pack --color=never 2>&1 | grep -q "$escape" || return 1
    ! "$samite" pack 2>&1 | grep -q "$escape"
}

synopsis() { # a way to call it stays a line, and a table keeps its columns
    "$samite" --man run | mandoc -T ascii | sed 's/.\x08//g' >"$scratch/page.txt"
    grep -qE '^ +samite run --machine tensor \[options\] PROGRAM( \[-- ARGUMENT ...\])?$' "$scratch/page.txt"
    grep -qE '^ +inout:IN.npy\[:OUT.npy\] +both$' "$scratch/page.txt"
    [ "$(grep -c 'EXIT STATUS' "$scratch/page.txt")" = 1 ]
}

man_page() { # [VERB]
    "$samite" --man "$@" >"$scratch/page.1"
    mandoc -T lint -W warning "$scratch/page.1" | grep -v 'missing date' >"$scratch/lint" || true
    [ ! -s "$scratch/lint" ] || { cat "$scratch/lint" && return 1; }
    # What the help says is on the page. (With dashes and blanks as roff prints them.)
    mandoc -T ascii "$scratch/page.1" | sed 's/.\x08//g' >"$scratch/page.txt"
    grep -q 'EXIT STATUS' "$scratch/page.txt"
    [ $# = 0 ] || grep -q -- "samite-$1" "$scratch/page.txt"
}

check 'no arguments: usage on stderr, status 2' no_arguments
check '--version' prints '^samite [0-9]+\.[0-9]+\.[0-9]+$' "$samite" --version
check '--help' prints '^Usage: samite VERB' "$samite" --help
check 'help' prints '^Usage: samite VERB' "$samite" help
check 'unknown verb' fails 2 "$samite" no-such-verb
check 'unknown option before a verb' fails 2 "$samite" --no-such-option
check '--man of an unknown verb' fails 2 "$samite" --man no-such-verb
check '--completion without a shell' fails 2 "$samite" --completion
check '--completion of an unknown shell' fails 2 "$samite" --completion ksh
check 'standard output is full' full_output
check 'completion of verbs' completes
check 'completion of values' values
check 'one letter is one option' letters
check 'help VERB' helps
check 'numbers' numbers
check 'colours' colours
check 'near a verb' suggests pack "$samite" pakc
check 'near an option' suggests --output "$samite" asm --ouput x
check 'near a value' suggests elf "$samite" asm --format elv x.s
check 'near a form' suggests transpose "$samite" op tranpose
check 'near an instruction' suggests vadd.vv "$samite" isa vad.vv
if command -v mandoc >/dev/null; then
    check 'man page' man_page
    check 'man page: synopsis and tables' synopsis
else
    skip 'man page' 'no mandoc'
fi
check 'there are verbs' test -n "$verbs"
for verb in $verbs; do
    check "$verb --help" prints "samite $verb .*" "$samite" "$verb" --help
    check "$verb --help has an example" prints '^ *(\$ )?samite '"$verb" "$samite" "$verb" --help
    check "$verb: unknown option" unknown_option "$verb"
    check "$verb: completion of options" completes_options "$verb"
    if command -v mandoc >/dev/null; then
        check "$verb: man page" man_page "$verb"
    else
        skip "$verb: man page" 'no mandoc'
    fi
done
finish
