# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by the scripts that need published networks.

fetch() { # FOLDER PACKAGE@VERSION: sets `package` to the folder with what is in it
    name=$(printf '%s' "$2" | tr -c 'A-Za-z0-9.\n' _)
    package=$1/$name/package
    [ ! -d "$package" ] || return 0
    rm -rf "$1/$name.new"
    mkdir "$1/$name.new"
    (
        cd "$1/$name.new" || exit 1
        archive=$(npm pack --silent "$2" | tail -n 1)
        tar -xzf "$archive"
        rm -f "$archive"
    )
    mv "$1/$name.new" "$1/$name"
}
