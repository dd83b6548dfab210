#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# aarch64.sh BUILD, run at the top: everything compiled for aarch64, its wheel, and the unit tests with QEMU (`./dev
# cross aarch64 test`). Exit code 77: not possible here.
set -eu

. tools/slow.sh
(need build cross) || skip 'packages of ./dev cross cannot be installed'
sh tools/cross.sh aarch64 "${JOBS:-$(nproc)}"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if (need build wheel) && python=$(python_with wheel); then
    "$python" tools/wheel.py build-aarch64 "$scratch" aarch64
    "$python" -m wheel unpack -d "$scratch" "$scratch"/samite-*-manylinux_2_[0-9]*_aarch64.whl >/dev/null # compares RECORD
    set -- "$scratch"/samite-*[0-9]/samite
    for file in "$1/libsamite.so.0" "$1/bin/samite" "${1%/*}"/samite.libs/*; do
        readelf -h "$file" | grep -q 'Machine: *AArch64$' || die "${file##*/} is not for aarch64"
    done
    readelf -d "$1/libsamite.so.0" | grep -q 'soname: \[libsamite\.so\.0\]$' || die 'soname of the library'
    grep -q 'arch=arm64"' "${1%/*}"/*.dist-info/sboms/samite.cdx.json || die 'materials of another architecture'
    # Only glibc and the compiler's library are from the root.
    mkdir -p "$scratch/sysroot/lib"
    (cd build-aarch64/root && cp lib/ld-linux-aarch64.so.1 lib/aarch64-linux-gnu/lib[cm].so.6 "$scratch/sysroot/lib")
    chmod 755 "$1/bin/samite" # pip makes it so, wheel unpack does not
    said=$(qemu-aarch64 -L "$scratch/sysroot" -E LD_LIBRARY_PATH=/lib "$1/bin/samite" --version)
    say "the command of the wheel: $said"
fi

sh tools/cross.sh aarch64 "${JOBS:-$(nproc)}" test
