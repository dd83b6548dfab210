#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `./dev cross`: cross.sh ARCHITECTURE JOBS [test], run at the top: Samite for another processor, in
# build-ARCHITECTURE/, by Debian's cross compiler; with `test`, the unit tests with QEMU. The libraries come from
# packages of that architecture, which apt downloads and dpkg unpacks into build-ARCHITECTURE/root: nothing of it is
# installed. Exit code 77 after a line with the reason: not possible here.
set -eu
architecture=$1
jobs=$2
folder=build-$architecture

die() {
    printf 'dev: %s\n' "$*" >&2
    exit 1
}

skip() { # REASON
    printf 'skipped: %s\n' "$1"
    exit 77
}

. tools/build.sh
case $architecture in
aarch64)
    debian=arm64
    family=aarch64
    ;;
*)
    printf "dev: cross '%s': expected aarch64\n" "$architecture" >&2
    exit 2
    ;;
esac
triple=$architecture-linux-gnu
for tool in apt-get dpkg-deb "$triple-gcc" "$triple-g++" "qemu-$architecture"; do
    command -v "$tool" >/dev/null || skip "no $tool"
done
mkdir -p "$folder"
folder=$(cd "$folder" && pwd -P)
root=$folder/root
wanted='libc6-dev libcmocka-dev libdw-dev libedit-dev libelf-dev libjansson-dev libstdc++-12-dev libxxhash-dev'
wanted="$wanted python3-numpy python3-pip" # for its wheel

# apt with a state of its own, in which nothing is installed: it downloads all that the packages depend on.
foreign() { # ARGUMENT...
    apt-get -o APT::Architecture="$debian" -o APT::Architectures::="$debian" -o Debug::NoLocking=1 \
        -o Dir::State="$folder/apt" -o Dir::State::status="$folder/apt/status" -o Dir::Cache="$folder/apt/cache" \
        -qq "$@"
}

records=$root/var/lib/dpkg # the wheel asks which package has a library
if [ "$(cat "$folder/packages" 2>/dev/null)" != "$wanted" ] || [ ! -f "$records/status" ]; then
    rm -rf "$root" "$folder/apt"
    mkdir -p "$records/info" "$records/updates" "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
    : >"$folder/apt/status"
    echo 1 >"$records/info/format" # of records whose names have architectures
    # shellcheck disable=SC2086 # a list of names
    { foreign update && foreign -y --no-install-recommends --download-only install $wanted; } \
        </dev/null >"$folder/apt.log" 2>&1 || {
        tail -n 3 "$folder/apt.log"
        skip "apt has no packages for $debian"
    }
    for file in "$folder"/apt/cache/archives/*.deb; do
        dpkg-deb -x "$file" "$root"
        name=$(dpkg-deb -f "$file" Package)
        [ "$(dpkg-deb -f "$file" Multi-Arch)" != same ] || name=$name:$debian
        dpkg-deb --fsys-tarfile "$file" | tar -t | sed 's,^\.,,; s,/$,,; /./!d' >"$records/info/$name.list"
        printf '%s\nStatus: install ok installed\n\n' "$(dpkg-deb -f "$file")" >>"$records/status"
    done
    # Links to the root of a file system lead to this one.
    find "$root" -type l -lname '/*' | while read -r link; do
        ln -sfn "$root$(readlink "$link")" "$link"
    done
    rm -rf "$folder/apt"
    printf '%s\n' "$wanted" >"$folder/packages"
fi

# Where Linux does not start programs of that processor by itself: commands that do, for tests of the command.
mkdir -p "$folder/emulated"
for program in samite tests/cli/probe; do
    printf '#!/bin/sh\nexec qemu-%s -L %s %s "$@"\n' "$architecture" "$root" "$folder/$program" \
        >"$folder/emulated/${program##*/}"
    chmod 755 "$folder/emulated/${program##*/}"
done

ccache=''
! command -v ccache >/dev/null || ccache="'ccache', "
cat >"$folder/cross.ini" <<END
[binaries]
c = [$ccache'$triple-gcc']
cpp = [$ccache'$triple-g++']
ar = '$triple-ar'
strip = '$triple-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-$architecture', '-L', '$root']
[properties]
samite_command = '$folder/emulated/samite'
sys_root = '$root'
pkg_config_libdir = '$root/usr/lib/$triple/pkgconfig:$root/usr/share/pkgconfig'
[built-in options]
c_args = ['--sysroot=$root']
c_link_args = ['--sysroot=$root']
cpp_args = ['--sysroot=$root']
cpp_link_args = ['--sysroot=$root']
[host_machine]
system = 'linux'
cpu_family = '$family'
cpu = '$architecture'
endian = 'little'
END
[ -f "$folder/build.ninja" ] || meson setup --cross-file "$folder/cross.ini" "$folder" >"$folder/log" || {
    tail -n 20 "$folder/log" >&2
    die "cannot configure $folder"
}
# shellcheck disable=SC2046 # a list of names
ninja -C "$folder" -j "$jobs" $(user_targets "$folder") >"$folder/log" || {
    tail -n 30 "$folder/log" >&2
    die "cannot build $folder"
}
printf '== build-%s/samite: %s\n' "$architecture" "$("qemu-$architecture" -L "$root" "$folder/samite" --version)"
[ "${3:-}" = test ] || exit 0

# Unit tests in C, which meson runs with QEMU, and transcripts of the command; that takes minutes. Left out:
#   cc, jit    LLVM's library would have to be one of that processor
#   lower, network, kernels, system, drivers    not tried, for their time
#   cli        but for these transcripts: scripts in Python and sh, limits of memory, signals to the command
#   *_base, *_v3    instruction sets of x86-64
#   simt/relaunch    forks with threads, what QEMU's user mode cannot do
tested='base isa asm machine simt tensor matrix hart codec format memtime profile ops sanitize trace tree tile clock
    hostio gputime cosim gdb cli/run cli/run_arrays cli/run_hart cli/pack cli/mistakes'
tests=$(
    python3 - "$folder" "$tested" <<'END'
import json
import os
import sys

folder = sys.argv[1]
with open(os.path.join(folder, "meson-info", "intro-tests.json")) as file:
    tests = json.load(file)
inside = os.path.join(folder, "tests") + os.sep
print(*sorted({test["name"] for test in tests if {test["suite"][0].split(":")[-1], test["name"]} & {*sys.argv[2].split()} and
               not test["name"].endswith(("_base", "_v3")) and test["name"] != "simt/relaunch" and
               any(word.startswith(inside) for word in test["cmd"][:4])}))
END
)
[ -n "$tests" ] || die "$folder has no unit tests"
# shellcheck disable=SC2046,SC2086 # lists of names
ninja -C "$folder" -j "$jobs" $(python3 tools/test-targets.py "$folder" $tests) >"$folder/log" || {
    tail -n 30 "$folder/log" >&2
    die 'the tests do not compile'
}
log=$folder/meson-logs/testlog.json
rm -f "$log"
# shellcheck disable=SC2086
meson test -C "$folder" --no-rebuild --print-errorlogs --timeout-multiplier 20 --num-processes "$jobs" $tests || true
counts='0 1 0'
[ ! -f "$log" ] || counts=$(awk -f tools/count-tests.awk "$log")
# shellcheck disable=SC2086 # three numbers
set -- $counts
printf '%s passed, %s failed\n' "$1" "$2"
[ "$2" = 0 ] && [ "$1" != 0 ]
