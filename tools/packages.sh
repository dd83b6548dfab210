# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by ./dev: which packages each part of the work needs, and how they are installed.

# group, Debian package, how to tell that it is installed
packages() {
    cat <<'END'
build  gcc                           command cc
build  g++                           command g++
build  libc6-dev                     header stdio.h
build  meson                         command meson
build  ninja-build                   command ninja
build  pkg-config                    command pkg-config
build  libelf-dev                    library libelf
build  libdw-dev                     library libdw
build  libedit-dev                   library libedit
build  libjansson-dev                library jansson
build  libxxhash-dev                 library libxxhash
test   libcmocka-dev                 library cmocka
test   llvm-dev                      file /usr/include/llvm-c
test   mandoc                        command mandoc
test   cmake                         command cmake
test   clang                         command clang
test   ocl-icd-opencl-dev            library OpenCL
test   pocl-opencl-icd               file /etc/OpenCL/vendors/pocl.icd
test   gdb-multiarch                 command gdb-multiarch
test   make                          command make
test   verilator                     command verilator
test   locales                       file /usr/share/i18n/locales/de_DE
test   python3-numpy                 python numpy
test   python3-pytest                python pytest
test   python3-pip                   python pip
test   python3-setuptools            python setuptools
test   python3-wheel                 python wheel
lint   clang-format                  command clang-format
lint   clang-tidy                    command clang-tidy
lint   cppcheck                      command cppcheck
lint   shellcheck                    command shellcheck
lint   flake8                        command flake8
fuzz   clang                         command clang
fuzz   libclang-rt-dev               fuzzer -
wheel  patchelf                      command patchelf
wheel  python3-pip                   python pip
wheel  python3-setuptools            python setuptools
wheel  python3-wheel                 python wheel
site   cmark-gfm                     command cmark-gfm
bench  libzstd-dev                   library libzstd
bench  python3-numpy                 python numpy
cross  gcc-aarch64-linux-gnu         command aarch64-linux-gnu-gcc
cross  g++-aarch64-linux-gnu         command aarch64-linux-gnu-g++
cross  libcmocka-dev                 library cmocka
cross  qemu-user                     command qemu-aarch64
slow   debootstrap                   command debootstrap
slow   python3-nbconvert             python nbconvert
slow   python3-ipykernel             python ipykernel
slow   python3-numpy                 python numpy
package build-essential              file /usr/share/build-essential/list
package debhelper                    command dh
package dh-python                    command dh_python3
package dpkg-dev                     command dpkg-buildpackage
package lintian                      command lintian
package clang                        command clang
package llvm-dev                     file /usr/include/llvm-c
package reuse                        command reuse
oracle clang                         command clang
oracle qemu-user                     command qemu-riscv32
oracle qemu-system-misc              command qemu-system-riscv32
oracle binutils-riscv64-unknown-elf  command riscv64-unknown-elf-as
oracle gcc-riscv64-unknown-elf       command riscv64-unknown-elf-gcc
oracle picolibc-riscv64-unknown-elf  file /usr/lib/picolibc/riscv64-unknown-elf/picolibc.specs
END
}

package_groups() {
    packages | awk '!seen[$1]++ { print $1 }'
}

# The interpreter that has a module, as the tests find it: the first in PATH, or the system's.
python_with() { # MODULE
    for python in python3 /usr/bin/python3; do
        if "$python" -c "import $1" >/dev/null 2>&1; then
            printf '%s\n' "$python"
            return
        fi
    done
    return 1
}

is_there() { # KIND NAME
    case $1 in
    command) command -v "$2" ;;
    header) printf '#include <%s>\n' "$2" | cc -fsyntax-only -xc - ;;
    library) pkg-config --exists "$2" ;;
    file) [ -e "$2" ] ;;
    python) # where apt-get installs, the system's interpreter: another may have some of the modules
        if command -v apt-get >/dev/null && [ -x /usr/bin/python3 ]; then
            /usr/bin/python3 -c "import $2"
        else
            python_with "$2"
        fi
        ;;
    fuzzer) [ -f "$(clang -print-file-name=libclang_rt.fuzzer-"$(uname -m)".a)" ] ;;
    esac >/dev/null 2>&1
}

missing_packages() { # GROUP...
    packages | while read -r group package kind name; do
        case " $* " in
        *" $group "*) is_there "$kind" "$name" || printf '%s\n' "$package" ;;
        esac
    done | sort -u | tr '\n' ' '
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif [ "${CI:-}" = true ]; then
        sudo -n "$@"
    else
        sudo "$@"
    fi
}

need() { # GROUP...: install what the groups lack, or report what is missing
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    command -v apt-get >/dev/null 2>&1 ||
        die "missing packages, by their Debian names (install them with this system's package manager): $missing"
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null 2>&1 ||
        die "missing packages, and neither root nor sudo to install them: apt-get install $missing"
    say "installing $missing" >&2
    as_root apt-get -o DPkg::Lock::Timeout=300 -qq update </dev/null >&2 ||
        printf 'dev: apt-get update failed; trying the existing package lists\n' >&2
    # shellcheck disable=SC2086 # a list of names
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
        -o Dpkg::Use-Pty=0 -qq -y --no-install-recommends install $missing </dev/null >/dev/null ||
        die "apt-get could not install $missing"
    missing=$(missing_packages "$@")
    [ -z "$missing" ] || die "still missing after apt-get: $missing"
}
