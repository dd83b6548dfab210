# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by the scripts here: `check NAME COMMAND...` is a case, `finish` ends them. A scratch
# folder, $scratch, is removed at the end.
set -u
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cases=0
bad=0

check() {
    name=$1
    shift
    cases=$((cases + 1))
    (set -e && "$@") >"$scratch/.output" 2>&1
    # Not in the condition itself: there, set -e has no effect.
    # shellcheck disable=SC2181
    if [ $? = 0 ]; then
        printf 'ok %d - %s\n' "$cases" "$name"
    else
        bad=$((bad + 1))
        printf 'not ok %d - %s\n' "$cases" "$name"
        sed 's/^/# /' "$scratch/.output"
    fi
}

skip() { # NAME REASON
    cases=$((cases + 1))
    printf 'ok %d - %s # SKIP %s\n' "$cases" "$1" "$2"
}

# fails STATUS COMMAND...: the command must end with this status and one line on stderr.
fails() {
    want=$1
    shift
    status=0
    "$@" >"$scratch/.stdout" 2>"$scratch/.stderr" </dev/null || status=$?
    cat "$scratch/.stderr"
    [ "$status" = "$want" ] || { echo "status $status, expected $want" && return 1; }
    [ "$(wc -l <"$scratch/.stderr")" = 1 ] || { echo "not one line" && return 1; }
}

finish() {
    printf '1..%d\n' "$cases"
    [ "$bad" = 0 ] && [ "$cases" != 0 ]
}
