#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An installed tree: what is in it, and a program of a user built against it with pkg-config, with
# the shared and with the static library.
. "$SAMITE_SOURCE/tests/project/tap.sh"
tree=$scratch/tree

install_tree() {
    meson install -C "$SAMITE_BUILD" --no-rebuild --destdir "$tree"
    prefix=$(dirname "$(dirname "$(find "$tree" -path '*/bin/samite')")")
    [ -x "$prefix/bin/samite" ]
    printf '%s\n' "$prefix" >"$scratch/prefix"
}

holds() { # PATTERN...: paths under the prefix
    for pattern in "$@"; do
        find "$(cat "$scratch/prefix")" -path "*/$pattern" | grep -q . || { echo "no $pattern" && return 1; }
    done
}

man_pages() { # one for the command and one for each verb
    "$SAMITE" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z][a-z0-9-]*\) .*/\1/p' |
        while read -r verb; do
            holds "share/man/man1/samite-$verb.1" || exit 1
        done
}

user_program() { # shared or static
    prefix=$(cat "$scratch/prefix")
    libraries=$(dirname "$(find "$prefix" -name libsamite.so)")
    export PKG_CONFIG_PATH="$libraries/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$tree"
    # shellcheck disable=SC2046 # flags
    cc "$SAMITE_SOURCE/tests/project/user.c" -o "$scratch/user-$1" \
        $(pkg-config $([ "$1" = shared ] || echo --static) --cflags --libs samite)
    LD_LIBRARY_PATH=$([ "$1" = static ] || echo "$libraries") "$scratch/user-$1" >"$scratch/said"
    grep -q '^[0-9.]* rv32ima_zicsr_zfinx_zve32f_xventus$' "$scratch/said" || { cat "$scratch/said" && return 1; }
    # The intended library is the one that is used.
    case $1 in
    shared) ldd "$scratch/user-$1" | grep -q libsamite ;;
    static) ! ldd "$scratch/user-$1" | grep -q libsamite ;;
    esac
}

# The package file names only our library: what that uses matters only to static linking.
pkg_config_alone() {
    pc=$(find "$(cat "$scratch/prefix")" -name samite.pc)
    if grep '^Requires' "$pc"; then
        return 1
    fi
    grep -q '^Libs.private:.*-lelf' "$pc"
}

cmake_program() { # TARGET
    prefix=$(cat "$scratch/prefix")
    mkdir -p "$scratch/cmake-$1"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(user C)' \
        'find_package(samite 0.2 REQUIRED)' \
        "add_executable(user $SAMITE_SOURCE/tests/project/user.c)" \
        "target_link_libraries(user samite::$1)" >"$scratch/cmake-$1/CMakeLists.txt"
    cmake -S "$scratch/cmake-$1" -B "$scratch/cmake-$1/build" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
    cmake --build "$scratch/cmake-$1/build"
    "$scratch/cmake-$1/build/user" | grep -q '^[0-9.]* rv32'
}

cmake_refuses_another_version() {
    mkdir -p "$scratch/cmake-old"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(user C)' \
        'find_package(samite 7.0 REQUIRED)' >"$scratch/cmake-old/CMakeLists.txt"
    ! cmake -S "$scratch/cmake-old" -B "$scratch/cmake-old/build" \
        -DCMAKE_PREFIX_PATH="$(cat "$scratch/prefix")" 2>"$scratch/said" || return 1
    grep -q 'version: 0\.' "$scratch/said"
}

runs() {
    "$(cat "$scratch/prefix")/bin/samite" --version
}

check 'meson install' install_tree
check 'command, libraries, headers, pkg-config' holds bin/samite 'lib*/libsamite.a' \
    'lib*/libsamite.so' 'lib*/libsamite.so.0.*' include/samite/samite.h include/pto/pto-inst.hpp 'pkgconfig/samite.pc' \
    'cmake/samite/samite-config.cmake' 'share/doc/samite/examples/launch.c'
check 'man pages' man_pages
check 'man page of the command' holds share/man/man1/samite.1
check 'completions' holds share/bash-completion/completions/samite.bash share/zsh/site-functions/_samite
check 'installed command runs' runs
check 'a program with the shared library' user_program shared
check 'a program with the static library' user_program static
check 'pkg-config requires nothing else' pkg_config_alone
if command -v cmake >/dev/null; then
    check 'a CMake program with the shared library' cmake_program samite
    check 'a CMake program with the static library' cmake_program static
    check 'CMake refuses another version' cmake_refuses_another_version
else
    skip 'CMake programs' 'no cmake'
fi
finish
