#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Generates files from the rows of the tile operations: include/samite/tile_opcodes.h,
# include/samite/tile_calls.h, include/samite/tile_calls.hpp and the table of docs/tile.md. With --check nothing is written:
# differences are shown, and the exit status is 1 if there are any.
set -eu
cd "$(dirname "$0")/.."
case ${1-} in
'' | --check) ;;
*) echo "usage: tools/tile-tables.sh [--check]" >&2 && exit 2 ;;
esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
changed=0

rows() { # FORM
    awk -v form="$1" -f tools/tile-tables.awk src/tile/families.def src/tile/ops.def
}

update() { # MODE FILE: the new content is on standard input
    cat >"$scratch/new"
    cmp -s "$scratch/new" "$2" && return
    if [ "$1" = --check ]; then
        diff -u "$2" "$scratch/new" || changed=1
    else
        cat "$scratch/new" >"$2"
        echo "$2"
    fi
}

rows opcodes >"$scratch/opcodes"
rows calls >"$scratch/calls"
rows typed >"$scratch/typed"
rows table >"$scratch/table"
# The old rows of the table are those that start with an operation.
awk -v table="$scratch/table" '
    /^\| `[gmt][a-z_0-9]+` \| [tsiv]+ \| / { next }
    { print }
    /^\| operation \| sources / { getline; print; while ((getline row < table) > 0) print row }
' docs/tile.md >"$scratch/document"
update "${1-}" include/samite/tile_opcodes.h <"$scratch/opcodes"
update "${1-}" include/samite/tile_calls.h <"$scratch/calls"
update "${1-}" include/samite/tile_calls.hpp <"$scratch/typed"
update "${1-}" docs/tile.md <"$scratch/document"
exit $changed
