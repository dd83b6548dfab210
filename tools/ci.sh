#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `./dev ci`: ci.sh [--fast | --all], run at the top: what a change must pass in a clean checkout. The fast
# part is setup, build, the tests of the release build and lint; with --fast, that is all, and clang-tidy has
# a sixteenth of the files and those of the commit. The rest: the tests under sanitizers, the main job,
# packages, a few seconds of each fuzz target, one quick round of each benchmark.
#
# Slow checks take turns, one per run, by the hash of the commit: each script of tests/slow/, and `whole`,
# which is clang-tidy on every file and every test under sanitizers. The other runs have one half of both, also
# by the hash, and the files of the commit. With --all, everything runs. The end names what failed; the last
# line is `N passed, N failed`: the test cases, plus one for each other step.
set -u
export CI=true
if [ -d ../shared/vectors ]; then
    SAMITE_VECTORS=$(cd ../shared/vectors && pwd)
    export SAMITE_VECTORS
fi
passed=0
failed=0
failures='' # a line each
log=$(mktemp)
trap 'rm -f "$log" "$log.status"' EXIT

seconds() {
    date +%s
}

step() { # NAME COMMAND...
    name=$1
    start=$(seconds)
    shift
    printf '\n##### %s\n' "$name"
    { "$@" </dev/null 2>&1 && echo 0 >"$log.status" || echo $? >"$log.status"; } | tee "$log"
    status=$(cat "$log.status")
    case $status in
    0)
        passed=$((passed + 1))
        said=ok
        ;;
    77) said=skipped ;;
    *)
        failed=$((failed + 1))
        failures="$failures
$name
$(grep -E 'ERROR|[Ee]rror:|Sanitizer: |^dev: ' "$log" | cut -c 1-300 | sed 's/^/    /' | head -n 40)
    the last lines:
$(tail -n 40 "$log" | cut -c 1-300 | sed 's/^/    /')"
        said=FAILED
        ;;
    esac
    printf '##### %s: %s, %d s\n' "$name" "$said" $(($(seconds) - start))
}

# ./dev test counts its cases itself, so it is not a step of its own.
tests() { # ARGUMENT...
    start=$(seconds)
    printf '\n##### test %s\n' "$*"
    { ./dev test "$@" </dev/null 2>&1 && echo 0 >"$log.status" || echo 1 >"$log.status"; } | tee "$log"
    counts=$(tail -n 1 "$log" | sed -n 's/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed$/\1 \2/p')
    status=$(cat "$log.status")
    # shellcheck disable=SC2086 # two numbers
    set -- "$*" ${counts:-0 0}
    passed=$((passed + $2))
    failed=$((failed + $3))
    [ "$status" = 0 ] || [ "$3" != 0 ] || failed=$((failed + 1))
    [ "$status" = 0 ] || failures="$failures
test $1
$(sed -n '/^Summary of Failures/,/^Ok:/s,^ *\([0-9]*/[0-9]* \),    \1,p; s,^\(not ok \),    \1,p' "$log")
$(grep -E '^# SAMITE_SEED=|ERROR|[Ee]rror:|Sanitizer: ' "$log" | cut -c 1-300 | sed 's/^/    /' | head -n 40)"
    printf '##### test %s: %d s\n' "$1" $(($(seconds) - start))
}

# Random tests draw from the hash of the commit, so that a run can be repeated.
hash=$(git rev-parse HEAD 2>/dev/null) || hash=0
number=$(printf '%d' "0x$(printf '%.7s' "$hash")")
export SAMITE_SEED="${SAMITE_SEED:-$number}"

turns=whole
for script in tests/slow/*.sh; do
    [ ! -f "$script" ] || turns="$turns $(basename "$script" .sh)"
done
fast=''
if [ "${1:-}" = --all ]; then
    slow=$turns
elif [ "${1:-}" = --fast ]; then
    fast=yes slow=none half=1/16
else
    # shellcheck disable=SC2086 # names without spaces
    set -- $turns
    half=$((number / $# % 2 + 1))/2
    shift $((number % $#))
    slow=$1
fi
part="--part ${half:-}"
case " $slow " in
*' whole '*) part='' ;;
esac
printf 'slow checks of this run: %s (of %s); SAMITE_SEED=%s\n' "$slow" "$turns" "$SAMITE_SEED"

finish() {
    [ -z "$failures" ] || printf '\n##### failed%s\n' "$failures"
    printf '\n%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" = 0 ] && [ "$passed" != 0 ]
    exit
}

began=$(seconds)
step setup ./dev setup
step build ./dev build
tests
# shellcheck disable=SC2086 # two words, or none
step "lint $part" ./dev lint $part
printf '\n##### fast part: %d s\n' $(($(seconds) - began))
[ -z "$fast" ] || finish
# shellcheck disable=SC2086
tests --sanitize $part
step 'main job' ./dev run
step fuzz ./dev fuzz 3
step bench ./dev bench --quick
packages=''
for turn in $slow; do
    [ "$turn" != whole ] || continue
    step "slow: $turn" sh "tests/slow/$turn.sh" build
    [ "$turn $said" != 'fresh-root ok' ] || packages=made # there
done
[ -n "$packages" ] || step packages ./dev package
finish
