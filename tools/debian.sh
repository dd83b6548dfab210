#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `./dev package`: debian.sh FOLDER JOBS, run at the top. Debian packages of the tree as it is, in
# FOLDER, checked by lintian; and the licences of all files, by reuse.
set -eu
folder=$1
jobs=$2
version=$(dpkg-parsechangelog -S Version)
upstream=${version%-*}
rm -rf "$folder"
mkdir -p "$folder/samite-$upstream"
{ git ls-files -co --exclude-standard 2>/dev/null || find . -type f ! -path './build*' ! -path './.git/*'; } |
    while read -r file; do [ ! -f "$file" ] || printf '%s\n' "$file"; done |
    tar cf - -T - | tar xf - -C "$folder/samite-$upstream"
cd "$folder/samite-$upstream"
grep -qF "version: '$upstream'" meson.build || {
    echo "debian/changelog has version $upstream, but meson.build has another" >&2
    exit 1
}
reuse lint >../reuse.log 2>&1 || {
    cat ../reuse.log
    exit 1
}
DEB_BUILD_OPTIONS=parallel=$jobs dpkg-buildpackage -us -uc -b -nc >../build.log 2>&1 || {
    tail -n 40 ../build.log
    exit 1
}
# The first upload to Debian itself would close a wish for the package.
lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs ../*.changes
cd ..
rm -r "samite-$upstream"
ls ./*.deb
