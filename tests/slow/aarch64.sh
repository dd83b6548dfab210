#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# aarch64.sh BUILD, run at the top: everything compiled for aarch64, and the unit tests with QEMU (`./dev cross aarch64
# test`). Exit code 77: not possible here.
set -eu

die() {
    printf '%s\n' "$*" >&2
    exit 1
}

say() {
    printf '== %s\n' "$*"
}

. tools/packages.sh
(need build cross) || {
    printf 'skipped: packages of ./dev cross cannot be installed\n'
    exit 77
}
sh tools/cross.sh aarch64 "${JOBS:-$(nproc)}" test
