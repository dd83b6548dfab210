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
    library=$(echo "$1"/libsamite.so.*)
    for file in "$library" "$1/bin/samite" "${1%/*}"/samite.libs/*; do
        readelf -h "$file" | grep -q 'Machine: *AArch64$' || die "${file##*/} is not for aarch64"
    done
    readelf -d "$library" | grep -q 'soname: \[libsamite\.so\.0\.[0-9]*\]$' || die 'soname of the library'
    grep -q 'arch=arm64"' "${1%/*}"/*.dist-info/sboms/samite.cdx.json || die 'materials of another architecture'
    # Installed by pip on that processor, in a folder without the tree.
    root=$(pwd -P)/build-aarch64/root
    libraries=/usr/lib/aarch64-linux-gnu
    emulated() { # PROGRAM ARGUMENT...
        env -i HOME="$scratch" PATH=/usr/bin:/bin LC_ALL=C qemu-aarch64 -L "$root" \
            -E LD_LIBRARY_PATH="$libraries/blas:$libraries/lapack" -E PYTHONPATH="$scratch/installed" "$@"
    }
    emulated "$root/usr/bin/python3" -m pip --quiet --disable-pip-version-check install --no-index \
        --no-deps --root-user-action ignore --target "$scratch/installed" "$scratch"/samite-*_aarch64.whl
    sed -n "/^python3 - <<'END'$/,/^END$/p" debian/tests/python | sed '1d;$d' >"$scratch/use.py"
    sed -n "/^cat >kernel.s/,/^END$/p" debian/tests/python | sed '1d;$d' >"$scratch/kernel.s"
    cd "$scratch"
    emulated "$root/usr/bin/python3" use.py
    command=installed/samite/bin/samite
    said=$(emulated "$command" --version)
    emulated "$command" verify -q a.smw
    emulated "$command" run -q kernel.s --kernel twice --grid 1 --block 1 --arg out:u32:1
    cd "$OLDPWD"
    say "the wheel, installed for arm64: $said"
fi

sh tools/cross.sh aarch64 "${JOBS:-$(nproc)}" test
