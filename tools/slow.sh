# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by the slow checks of tests/slow/: their ends, and the packages that they need.

skip() { # REASON
    printf 'skipped: %s\n' "$1"
    exit 77
}

die() {
    printf '%s\n' "$*" >&2
    exit 1
}

say() {
    printf '== %s\n' "$*"
}

. tools/packages.sh
