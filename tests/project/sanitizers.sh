#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sanitizers.sh LEAK OVERFLOW: the sanitizers of this build see a leak and an undefined operation.
. "$SAMITE_SOURCE/tests/project/tap.sh"
leak=$1
overflow=$2

sees() { # PATTERN PROGRAM
    if "$2" >"$scratch/said" 2>&1; then
        return 1
    fi
    grep -q "$1" "$scratch/said" || { cat "$scratch/said" && return 1; }
}

check 'a leak is seen' sees 'LeakSanitizer: detected memory leaks' "$leak"
check 'a signed overflow ends the program' sees 'signed integer overflow' "$overflow"
finish
