#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# aarch64.sh BUILD, run at the top: everything compiled for aarch64, and the unit tests with QEMU (`./dev cross aarch64
# test`). Exit code 77: not possible here.
set -eu

. tools/slow.sh
(need build cross) || skip 'packages of ./dev cross cannot be installed'
sh tools/cross.sh aarch64 "${JOBS:-$(nproc)}" test
