# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by ./dev: build folders, configured and compiled. $jobs is how many compilers may run.

# What configuring detects by itself: it changes as packages are installed or removed.
optional_packages() {
    printf 'missing: %s\n' "$(missing_packages test bench oracle)"
}

# Empty a build folder, except for what took long to make: fuzzing corpora and fetched weights.
clear_folder() { # FOLDER
    [ ! -d "$1" ] ||
        find "$1" -mindepth 1 -maxdepth 1 ! -name corpus ! -name real -exec rm -rf {} +
}

recorded_folder() { # FOLDER KEY: where meson was told that the sources and the build are
    sed -n "s/.*\"directories\": {[^}]*\"$2\": \"\([^\"]*\)\".*/\1/p" "$1/meson-info/meson-info.json" 2>/dev/null
}

# Does the folder belong to this source tree? A build that was copied along with its sources names
# the original ones, and ninja would regenerate those.
configured_here() { # FOLDER
    [ -f "$1/build.ninja" ] || return 1
    source=$(recorded_folder "$1" source)
    build=$(recorded_folder "$1" build)
    [ -n "$source" ] && [ "$(cd "$source" 2>/dev/null && pwd -P)" = "$(pwd -P)" ] &&
        [ -n "$build" ] && [ "$(cd "$build" 2>/dev/null && pwd -P)" = "$(cd "$1" && pwd -P)" ]
}

# Debian's library folder, where linkers and CMake look: meson knows it only from dpkg-dev, and takes
# lib64 without.
library_folder() {
    multiarch=$(cc -print-multiarch 2>/dev/null) && [ -n "$multiarch" ] && [ -d "/usr/lib/$multiarch" ] &&
        printf -- '-Dlibdir=lib/%s\n' "$multiarch"
}

configure() { # FOLDER [MESON OPTION...]: messages on standard error
    folder=$1
    shift
    found=$(optional_packages)
    if ! configured_here "$folder"; then
        clear_folder "$folder"
        # shellcheck disable=SC2046 # one option, or none
        meson setup ${CI:+--werror} "$folder" $(library_folder) "$@" >&2
    elif [ "$found" != "$(cat "$folder/dev-packages" 2>/dev/null)" ]; then
        say "$folder: the installed packages have changed, configuring again" >&2
        meson configure "$folder" --clearcache >/dev/null &&
            meson setup --reconfigure "$folder" >&2
    else
        ninja -C "$folder" build.ninja >"$folder/dev-log" || {
            cat "$folder/dev-log" >&2
            return 1
        }
    fi || return 1
    printf '%s\n' "$found" >"$folder/dev-packages"
}

# FOLDER [TARGET...]: silent when there is nothing to do
compile() {
    folder=$1
    shift
    # shellcheck disable=SC2154 # jobs is set by ./dev
    ninja -C "$folder" -n "$@" 2>/dev/null | grep -q 'no work to do' ||
        ninja -C "$folder" -j "$jobs" "$@"
}

# What users get. Tests and benchmarks are built when they are run.
user_targets() { # FOLDER
    ninja -C "$1" -t targets all |
        sed -n 's,^\(samite\|libsamite[^:/]*\|drivers/[^:]*\.so[^:/]*\|examples/[^:]*\|kernels/[^:/]*\): .*LINKER.*,\1,p'
}

# What `meson install` copies out of the folder.
installed_targets() { # FOLDER
    ninja -C "$1" -t targets all | sed 's/: [^:]*$//' | sort -u >"$1/dev-targets"
    awk -v RS='[,{}]' -v root="$(cd "$1" && pwd -P)/" '
        split($0, part, "\"") > 2 && index(part[2], root) == 1 { print substr(part[2], length(root) + 1) }' \
        "$1/meson-info/intro-installed.json" | sort -u | comm -12 - "$1/dev-targets"
}

build_option() { # FOLDER NAME: the value of one of its options
    tr '{' '\n' <"$1/meson-info/intro-buildoptions.json" |
        sed -n "s/.*\"name\": \"$2\", \"value\": \"\([^\"]*\)\".*/\1/p"
}
