#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/site.py: pages of all documents, verbs and headers; links that lead nowhere are reported, and nothing is
# written then.
. "$SAMITE_SOURCE/tests/project/tap.sh"
tree=$scratch/tree
site=$scratch/site

make_tree() { # what the site reads, without git
    mkdir -p "$tree/tools"
    cp -r "$SAMITE_SOURCE/docs" "$SAMITE_SOURCE/include" "$tree"
    cp -r "$SAMITE_SOURCE/tools/site" "$SAMITE_SOURCE/tools/site.py" "$tree/tools"
    cp "$SAMITE_SOURCE"/*.md "$SAMITE_SOURCE/LICENSE" "$tree"
    for folder in bench drivers examples kernels python src tests; do
        ln -s "$SAMITE_SOURCE/$folder" "$tree/$folder"
    done
}

builds() {
    python3 "$tree/tools/site.py" "$SAMITE" "$site"
    for page in index documents zh python examples/tour api/index api/session.h command/index source/LICENSE; do
        [ -f "$site/$page.html" ] || { echo "no $page.html" && return 1; }
    done
    [ -f "$site/overview.svg" ] && [ -f "$site/site.css" ] && [ ! -d "$site.new" ]
}

again() { # the same bytes
    python3 "$tree/tools/site.py" "$SAMITE" "$scratch/again"
    diff -r "$site" "$scratch/again"
}

verbs() { # a page for each, with its help
    "$SAMITE" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z][a-z0-9-]*\) .*/\1/p' >"$scratch/verbs"
    [ -s "$scratch/verbs" ]
    while read -r verb; do
        grep -q "Usage: samite $verb" "$site/command/$verb.html" || { echo "$verb" && return 1; }
    done <"$scratch/verbs"
}

functions() { # every exported function has an anchor in the page of its header
    cd "$SAMITE_SOURCE/include/samite"
    for header in *.h; do
        awk '/^SAM_API/ { declared = 1 } declared && match($0, /sam_[a-z0-9_]+\(/) {
            print substr($0, RSTART, RLENGTH - 1); declared = 0 }' "$header" |
            while read -r name; do
                grep -q "id=\"$name\"" "$site/api/$header.html" || { echo "$header: $name" && exit 1; }
            done
    done
}

index() { # JSON in a call; each row has an address, a page, a heading and a text
    python3 - "$site" <<'SCRIPT'
import json, pathlib, re, sys
site = pathlib.Path(sys.argv[1])
text = (site / "search-index.js").read_text()
rows = json.loads(re.fullmatch(r"samiteIndex\((.*)\);\n", text, re.S)[1])
assert len(rows) > 500 and all(len(row) == 4 for row in rows)
assert all((site / row[0].partition("#")[0]).is_file() for row in rows)
assert any(row[0] == "api/gpu.h.html#sam_gpu_launch" for row in rows)
assert any(row[0].startswith("gpu-time.html#") and "bank" in row[3] for row in rows)
SCRIPT
}

breaks() { # all kinds of broken links, found in one run
    printf '\n[x](nosuch.md) [y](energy.md#nosuch)\n' >>"$tree/docs/tile.md"
    printf '\n[x](#nosuch)\n' >>"$tree/README.md"
    echo '# New' >"$tree/docs/unlisted.md"
    status=0
    python3 "$tree/tools/site.py" "$SAMITE" "$scratch/broken" >"$scratch/said" 2>&1 || status=$?
    [ $status = 1 ] && [ ! -e "$scratch/broken" ]
}

reported() { # LINE
    grep -qxF "$1" "$scratch/said" || { cat "$scratch/said" && return 1; }
}

if command -v cmark-gfm >/dev/null; then
    check 'the sources' make_tree
    check 'pages' builds
    check 'the same pages again' again
    check 'a page for each verb' verbs
    check 'an anchor for each function' functions
    check 'the search index' index
    check 'links that lead nowhere' breaks
    check 'a link to no file' reported "docs/tile.md: no file docs/nosuch.md ('nosuch.md')"
    check 'a link to no heading' reported "docs/tile.md: no heading '#nosuch' in docs/energy.md"
    check 'a link to no heading of the page' reported "README.md: no heading '#nosuch' in README.md"
    check 'a page that is not listed' reported 'docs/README.md: does not list unlisted.md'
    check 'nothing else' test "$(wc -l <"$scratch/said")" = 4
else
    skip 'pages' 'no cmark-gfm'
fi
finish
