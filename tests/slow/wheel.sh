#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# wheel.sh BUILD, run at the top: the wheel of `./dev wheel`, installed in virtual environments, without the tree:
# the command in an empty one, the package in one with the system's NumPy, both also on a processor without AVX
# (QEMU). Exit code 77: not possible here.
set -eu
build=$(cd "$1" && pwd -P)
top=$(pwd -P)

. tools/slow.sh
command -v dpkg >/dev/null || skip 'the licences of bundled libraries are found by dpkg'
(need build wheel) || skip 'packages of ./dev wheel cannot be installed'
python=$(python_with wheel) || skip 'no Python with wheel'
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$python" tools/wheel.py "$build" "$scratch/dist"
"$python" tools/wheel.py "$build" "$scratch/again" >/dev/null
wheel=$(ls "$scratch"/dist/*.whl)
cmp "$wheel" "$scratch/again/${wheel##*/}" || die 'the same wheel, made again, has other bytes'
case ${wheel##*/} in
samite-*-py3-none-manylinux_2_[0-9]*_"$(uname -m)".whl) ;;
*) die "name of the wheel: ${wheel##*/}" ;;
esac
"$python" -m wheel unpack -d "$scratch" "$wheel" >/dev/null # compares RECORD
for package in libelf1 libjansson4; do
    [ -n "$(find "$scratch"/samite-* -path "*/licenses/$package.txt" -size +0)" ] || die "no licence of $package"
    grep -q "\"name\": \"$package\"" "$scratch"/samite-*/*.dist-info/sboms/samite.cdx.json || die "no $package among the materials"
done

# Compiled for one processor only: refused.
mkdir "$scratch/native"
echo '[{"file": "../src/base/cpu.c", "command": "cc -march=native"}]' >"$scratch/native/compile_commands.json"
! "$python" tools/wheel.py "$scratch/native" "$scratch/dist" 2>"$scratch/log" || die 'a build for one processor: no error'
grep -q '=native' "$scratch/log" || die "$(cat "$scratch/log")"

install_in() { # ENVIRONMENT OPTION...
    environment=$scratch/$1
    shift
    "$python" -m venv --without-pip "$@" "$environment"
    "$python" -m pip --quiet --disable-pip-version-check --python "$environment/bin/python" install --no-index \
        --no-deps "$wheel"
}

# From here on, in a folder without the tree and with an empty environment.
cp kernels/vecadd.s "$scratch/vecadd.s"
sed -n "/^python3 - <<'END'$/,/^END$/p" debian/tests/python | sed '1d;$d' >"$scratch/use.py"
sed -n "/^cat >kernel.s/,/^END$/p" debian/tests/python | sed '1d;$d' >"$scratch/kernel.s"
cd "$scratch"
plain() { # COMMAND...
    env -i HOME="$scratch" PATH=/usr/bin:/bin LC_ALL=C "$@"
}
vecadd() { # COMMAND...: the sums of 128 numbers with themselves, in out.npy
    plain "$@" run -q vecadd.s --kernel vecadd --grid 4 --block 32 --arg in:a.npy --arg in:a.npy \
        --arg out:f32:128:out.npy --arg u32:128
}
"$python" - <<'SCRIPT'
import struct
head = "{'descr': '<f4', 'fortran_order': False, 'shape': (128,), }".ljust(117) + "\n"
with open("a.npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
    file.write(struct.pack("<128f", *(i / 7 for i in range(128))))
SCRIPT

install_in empty
version=$(plain empty/bin/samite --version)
say "the command in an empty environment: $version"
vecadd empty/bin/samite
mv out.npy here.npy
library=$(echo empty/lib/python3.*/site-packages/samite/libsamite.so.*)
for file in "$library" "${library%/*}/bin/samite"; do
    ldd "$file" | grep '=> /' | grep -vE 'samite\.libs|/lib[cm]\.so\.6 ' && die "$file uses libraries of this system"
done

if "$python" -c 'import numpy' 2>/dev/null; then
    install_in numpy --system-site-packages
    plain numpy/bin/python use.py
    [ "$(plain numpy/bin/python -m samite --version)" = "$version" ] || die 'python -m samite --version'
    plain numpy/bin/python -c "import os, samite; assert samite.__file__.startswith(os.getcwd()), samite.__file__"
    say 'the package, with NumPy of the system'
fi
emulator=qemu-$(uname -m)
if [ "$(uname -m)" = x86_64 ] && command -v "$emulator" >/dev/null; then
    vecadd "$emulator" -cpu Nehalem "${library%/*}/bin/samite"
    cmp out.npy here.npy
    [ ! -d numpy ] || plain "$emulator" -cpu Nehalem numpy/bin/python use.py
    say 'a processor without AVX'
fi
cd "$top"
say 'the wheel works without the tree'
