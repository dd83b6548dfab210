#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `./dev release`: release.sh [BUILD], run at the top: the source archive of the version in meson.build, with its
# checksum, in build-release/; with BUILD also the bill of materials of that build. Everything is committed, and every
# file that names the version names this one. The archive has the same bytes wherever it is made from the commit.
set -eu
wrong=0

disagrees() { # FILE TEXT
    printf 'dev: %s: %s\n' "$1" "$2" >&2
    wrong=1
}

names() { # FILE PATTERN: a line of the file is of the version
    grep -qE "$2" "$1" || disagrees "$1" "does not name version $version"
}

version=$(sed -n "s/^ *version: '\([0-9.]*\)',\$/\1/p" meson.build | head -n 1)
dotted=$(printf '%s\n' "$version" | sed 's/\./\\./g')
names CHANGELOG.md "^## \[$dotted\] - [0-9]{4}-[0-9]{2}-[0-9]{2}\$"
names debian/changelog "^samite \($dotted-[0-9]+\)"
names python/pyproject.toml "^version = \"$dotted\"\$"
names python/samite/_library.py "^VERSION = \"$dotted\"\$"
names CITATION.cff "^version: $dotted\$"
names editors/vscode/package.json "^  \"version\": \"$dotted\",\$"
names debian/control "^Package: libsamite${dotted%\\*}\$"
released=$(sed -n "s/^## \[$dotted\] - \([0-9-]*\)\$/\1/p" CHANGELOG.md)
[ -z "$released" ] || grep -qx "date-released: $released" CITATION.cff ||
    disagrees CITATION.cff "does not have the date of CHANGELOG.md, date-released: $released"
! sed -n '/^## \[Unreleased\]/,/^## \[[0-9]/p' CHANGELOG.md | grep -q '^- ' ||
    disagrees CHANGELOG.md "has changes under Unreleased: they belong to $version or to a later version"
[ -z "$(git status --porcelain)" ] || disagrees . 'has changes that are not committed'
! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || disagrees . "has the tag v$version already"
[ $wrong = 0 ] || exit 1

mkdir -p build-release
archive=samite-$version.tar.xz
git -c tar.umask=0022 archive --format=tar --prefix="samite-$version/" HEAD | xz -9 --threads=1 >"build-release/$archive.new"
mv "build-release/$archive.new" "build-release/$archive"
(cd build-release && sha256sum "$archive" >"$archive.sha256" && sha256sum --check --quiet "$archive.sha256")
printf '== build-release/%s, %s bytes, sha256 %.16s...\n' "$archive" "$(wc -c <"build-release/$archive")" \
    "$(cat "build-release/$archive.sha256")"
if [ $# -gt 0 ]; then
    if command -v dpkg >/dev/null; then
        python3 tools/sbom.py "$1" "build-release/samite-$version.cdx.json"
        printf '== build-release/samite-%s.cdx.json\n' "$version"
    else
        printf '== no bill of materials: this machine has no dpkg, which knows the libraries\n'
    fi
fi
cat <<END
Left to do:
  ./dev ci --all                          on this commit, if that was not done
  git tag -s v$version -m 'Samite $version'
  git push origin v$version
  publish build-release/$archive and its .sha256, and what ./dev package and ./dev wheel make
docs/releasing.md has the whole list.
END
