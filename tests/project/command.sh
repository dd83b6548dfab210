#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What every verb owes: help with an example, one line and status 2 for bad usage, completion, a
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

# A verb that reads nothing from its command line is not among those we have: `isa` alone lists.
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
if command -v mandoc >/dev/null; then
    check 'man page' man_page
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
