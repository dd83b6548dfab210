#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ./dev, in a small project with the targets that it knows, so that its own logic is what takes time:
# every verb's help, bad arguments, copied checkouts, installation, packages that come later. The
# libraries that are "installed" are the .pc files of a folder, and apt-get is a script.
. "$SAMITE_SOURCE/tests/project/tap.sh"
root=$scratch/tree
tools=$scratch/tools
pc=$scratch/pc
export PKG_CONFIG_LIBDIR="$pc" PATH="$tools:$PATH"
unset CI JOBS DESTDIR

library() { # NAME...: is installed
    for name in "$@"; do
        printf 'Name: %s\nDescription: of the test\nVersion: 1\n' "$name" >"$pc/$name.pc"
    done
}

script() { # NAME: a program of the test, its text on standard input
    { echo '#!/bin/sh' && cat; } >"$tools/$1"
    chmod +x "$tools/$1"
}

small_project() {
    mkdir -p "$root/tools" "$root/bench" "$root/fuzz" "$tools" "$pc"
    cp "$SAMITE_SOURCE/dev" "$root"
    cp -r "$SAMITE_SOURCE"/tools/* "$root/tools"
    library libelf libdw libedit jansson libxxhash OpenCL
    # What apt-get installs, it writes down.
    script apt-get <<'END'
echo "$@" >>"$PKG_CONFIG_LIBDIR/../apt.log"
case "$*" in *install*libcmocka-dev*) cp "$PKG_CONFIG_LIBDIR/jansson.pc" "$PKG_CONFIG_LIBDIR/cmocka.pc" ;; esac
case "$*" in *install*libzstd-dev*) cp "$PKG_CONFIG_LIBDIR/jansson.pc" "$PKG_CONFIG_LIBDIR/libzstd.pc" ;; esac
END
    script sudo <<'END'
[ "$1" != -n ] || shift
exec "$@"
END
    script dpkg-architecture <<'END' # not installed
exit 127
END
    for name in make mandoc clang c++ g++ gdb-multiarch; do # what `test` needs, and is not of interest here
        command -v $name >/dev/null || script $name </dev/null
    done
    cd "$root"
    printf 'int LLVMFuzzerTestOneInput(const char *data, unsigned long size);\n' | tee fuzz/asm.c >fuzz/elf.c
    printf '#include <stdio.h>\nint main(void)\n{\n    puts("measured %%s");\n}\n' >bench/codec.c
    sed 's/measured.*"/ok 1 - case\\n1..1"/' bench/codec.c >test.c
    cp bench/codec.c bench/asm.c
    echo 'int sam_one(void);int sam_one(void) { return 1; }' >one.c
    cat >samite.c <<'END'
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char folder[4096];
    printf("%s %s\n", getcwd(folder, sizeof folder), argc > 1 ? argv[1] : "");
}
END
    printf 'option(%s, type: %s)\n' "'tests'" "'feature', value: 'auto'" >meson_options.txt
    cat >meson.build <<'END'
project('small', 'c', version: '0.1.0', default_options: ['default_library=both'])
dependency('libelf')
library = both_libraries('samite', 'one.c', version: '0.1.0', soversion: '0', install: true)
import('pkgconfig').generate(library, name: 'samite', description: 'small')
executable('samite', 'samite.c', install: true)
subdir('bench')
subdir('drivers')
if dependency('cmocka', method: 'pkg-config', required: get_option('tests')).found()
  subdir('tests')
endif
END
    cat >bench/meson.build <<'END'
executable('asm', 'asm.c', build_by_default: false)
if dependency('libzstd', method: 'pkg-config', required: false).found()
  executable('codec', 'codec.c', build_by_default: false)
endif
END
    mkdir -p drivers/ventus tests
    echo "subdir('ventus')" >drivers/meson.build
    echo "shared_library('samite_ventus', '../../one.c')" >drivers/ventus/meson.build
    cat >tests/meson.build <<'END'
foreach name : ['isa/decode', 'isa/errors', 'tile/text']
  test(name, executable('test_' + name.underscorify(), '../test.c', build_by_default: false),
    protocol: 'tap', suite: name.split('/')[0])
endforeach
END
    cd /
}

# --- the command line: nothing is built for these

says_usage() { # VERB: and does nothing else
    for words in "$1 --help" "$1 -h" "help $1"; do
        # shellcheck disable=SC2086
        "$root/dev" $words >"$scratch/said"
        grep -q "^Usage: ./dev $1" "$scratch/said"
        [ ! -d "$root/build" ] && [ ! -d "$root/build-fuzz" ]
    done
}

refuses() { # PATTERN ARGUMENT...
    pattern=$1
    shift
    fails 2 "$root/dev" "$@"
    grep -q -- "$pattern" "$scratch/.stderr"
    [ ! -d "$root/build" ] && [ ! -d "$root/build-fuzz" ] && [ ! -e "$scratch/apt.log" ]
}

verb_list() {
    "$root/dev" help | sed -n 's/^  \([a-z][a-z]*\)\( .*\)\{0,1\}$/\1/p'
}

# --- building

builds() {
    "$root/dev" build
    [ -x "$root/build/samite" ] && [ ! -d "$root/build/tests" ]
    [ -f "$root/build/drivers/ventus/libsamite_ventus.so" ]
}

library_folder() { # the system's, also where dpkg-dev does not tell it
    multiarch=$(cc -print-multiarch 2>/dev/null) || return 0
    [ ! -d "/usr/lib/${multiarch:-none}" ] ||
        meson introspect --buildoptions "$root/build" | grep -q "\"libdir\", \"value\": \"lib/$multiarch\""
}

quiet_when_built() {
    said=$("$root/dev" build 2>&1)
    [ -z "$said" ] || { echo "$said" && return 1; }
}

jobs_checked() {
    fails 2 env JOBS=many "$root/dev" build
}

runs_here() { # a path is the user's, and nothing but the command writes to standard output
    mkdir -p "$scratch/elsewhere"
    cd "$scratch/elsewhere"
    touch "$root/samite.c"
    said=$("$root/dev" run x.s 2>"$scratch/err")
    [ "$said" = "$(pwd -P) x.s" ] || { echo "$said" && return 1; }
    grep -q ninja "$scratch/err" || grep -q samite "$scratch/err"
    "$root/dev" run --help | grep -q '^Usage: ./dev run'
}

copied() { # a copy sets itself up and leaves the original alone
    cp -a "$root" "$scratch/copy"
    mkdir -p "$scratch/copy/build-fuzz/corpus" && touch "$scratch/copy/build-fuzz/corpus/seed"
    echo '# changed in the copy' >>"$scratch/copy/meson.build"
    stat -c '%Y %n' "$root/build/build.ninja" "$root/build/samite" >"$scratch/before"
    "$scratch/copy/dev" build
    said=$("$scratch/copy/dev" build 2>&1)
    [ -z "$said" ] || { echo "$said" && return 1; }
    stat -c '%Y %n' "$root/build/build.ninja" "$root/build/samite" | diff "$scratch/before" -
    grep -q "\"$scratch/copy\"" "$scratch/copy/build/meson-info/meson-info.json"
    if grep -q "$root/" "$scratch/copy/build/build.ninja"; then return 1; fi
    rm -rf "$root.away" && mv "$root" "$root.away" # the original is not even needed
    "$scratch/copy/dev" build
    mv "$root.away" "$root"
}

# --- packages

bench_later() { # built without libzstd-dev; the benchmark that needs it is there once it is
    [ ! -f "$pc/libzstd.pc" ]
    "$root/dev" bench codec >"$scratch/said"
    grep -q '^measured' "$scratch/said" && [ -f "$pc/libzstd.pc" ]
}

bench_row() {
    "$root/dev" bench asm/row --quick | grep -q '^measured'
}

tests_later() {
    [ ! -f "$pc/cmocka.pc" ]
    "$root/dev" test >"$scratch/said"
    [ "$(tail -n 1 "$scratch/said")" = '3 passed, 0 failed' ] && [ -f "$pc/cmocka.pc" ]
}

tests_chosen() { # COUNT NAME...
    count=$1
    shift
    [ "$("$root/dev" test "$@" | tail -n 1)" = "$count passed, 0 failed" ]
}

builds_only() { # what it runs
    rm -rf "$root"/build/tests/test_*
    tests_chosen 1 isa/decode
    [ -x "$root/build/tests/test_isa_decode" ] && [ ! -e "$root/build/tests/test_tile_text" ]
}

no_such_test() { # PATTERN NAME
    mv "$root/test.c" "$root/test.c.away" # would not compile
    status=0
    "$root/dev" test "$2" >"$scratch/.stdout" 2>"$scratch/.stderr" || status=$?
    mv "$root/test.c.away" "$root/test.c"
    cat "$scratch/.stderr"
    [ "$status" = 2 ] && [ "$(wc -l <"$scratch/.stderr")" = 1 ] && grep -q "$1" "$scratch/.stderr"
}

failing_test() {
    sed 's/"ok/"not ok/' "$root/test.c" >"$scratch/test.c"
    cp "$root/test.c" "$scratch/good.c"
    cp "$scratch/test.c" "$root/test.c"
    status=0
    "$root/dev" test isa/decode >"$scratch/said" || status=$?
    cp "$scratch/good.c" "$root/test.c"
    [ "$status" = 1 ] && [ "$(tail -n 1 "$scratch/said")" = '0 passed, 1 failed' ]
}

# --- ci, whose verbs are a script here

ci_tree() {
    mkdir -p "$scratch/ci/tools" "$scratch/ci/tests/slow"
    cp "$SAMITE_SOURCE/tools/ci.sh" "$scratch/ci/tools"
    echo 'exit 0' >"$scratch/ci/tests/slow/fresh-root.sh"
    printf 'echo no arm64\nexit 77\n' >"$scratch/ci/tests/slow/other.sh"
    cat >"$scratch/ci/dev" <<'END'
#!/bin/sh
echo "$@" >>calls
[ "$*" != "$FAILING" ]
code=$?
[ "$1" != test ] || echo "5 passed, $code failed"
exit $code
END
    chmod +x "$scratch/ci/dev"
    script git <<'END' # rev-parse HEAD
echo "$HASH"
END
}

ci() { # HASH LAST-LINE VERB-WITH-ARGUMENTS...: the verbs are called; '!' before those that are not
    cd "$scratch/ci"
    rm -f calls
    status=0
    all=''
    case $1 in
    --*) all=$1 ;;
    esac
    HASH=$1 FAILING=${failing:-} sh tools/ci.sh ${all:+"$all"} >said 2>&1 || status=$?
    [ "$(tail -n 1 said)" = "$2" ] || { cat said && return 1; }
    case $2 in
    *' 0 failed') [ "$status" = 0 ] ;;
    *) [ "$status" = 1 ] ;;
    esac || return 1
    shift 2
    for verb in "$@"; do
        case $verb in
        !*) ! grep -qx -- "${verb#!}" calls ;;
        *) grep -qx -- "$verb" calls ;;
        esac || { echo "$verb" && cat calls && return 1; }
    done
}

release_tree() { # a repository of a release
    mkdir -p "$scratch/release/debian" "$scratch/release/editors/vscode" "$scratch/release/python/samite"
    cd "$scratch/release"
    printf "project('small',\n  version: '1.2.3',\n)\n" >meson.build
    printf '## [Unreleased]\n\n## [1.2.3] - 2026-11-23\n\n- A change.\n' >CHANGELOG.md
    echo 'samite (1.2.3-1) unstable; urgency=medium' >debian/changelog
    echo 'Package: libsamite1.2' >debian/control
    echo '  "version": "1.2.3",' >editors/vscode/package.json
    echo 'version = "1.2.3"' >python/pyproject.toml
    printf 'version: 1.2.3\ndate-released: 2026-11-23\n' >CITATION.cff
    echo 'VERSION = "1.2.3"' >python/samite/_library.py
    echo /build-release/ >.gitignore
    git init -q && git config user.name Test && git config user.email test@example.org
    git add . && git commit -q -m 'a release'
}

releases() {
    cd "$scratch/release"
    sh "$SAMITE_SOURCE/tools/release.sh" >"$scratch/said" && grep -q "git tag -s v1.2.3" "$scratch/said"
    (cd build-release && sha256sum --check --quiet samite-1.2.3.tar.xz.sha256)
    tar xOf build-release/samite-1.2.3.tar.xz samite-1.2.3/python/samite/_library.py | grep -q 1.2.3
}

reproducible() { # the same bytes from another clone, at another time, under another umask and time zone
    rm -rf "$scratch/clone" && git clone -q "$scratch/release" "$scratch/clone"
    cd "$scratch/clone"
    (umask 077 && TZ=Asia/Tokyo sh "$SAMITE_SOURCE/tools/release.sh" >/dev/null)
    cmp build-release/samite-1.2.3.tar.xz "$scratch/release/build-release/samite-1.2.3.tar.xz"
}

materials() { # every library that the command and the library ask for is among them, with its version
    mkdir -p "$scratch/place"
    python3 "$SAMITE_SOURCE/tools/sbom.py" "$SAMITE_BUILD" "$scratch/place/one.json"
    python3 "$SAMITE_SOURCE/tools/sbom.py" "$SAMITE_BUILD" "$scratch/place/two.json"
    cmp "$scratch/place/one.json" "$scratch/place/two.json"
    dpkg-query -W -f '${Package} ${Version}\n' libelf1 libdw1 libjansson4 libedit2 zlib1g libxxhash-dev |
        python3 -c 'import json, sys
found = {c["name"]: c["version"] for c in json.load(open(sys.argv[1]))["components"]}
for line in sys.stdin:
    name, version = line.split()
    assert found[name] == version, line' "$scratch/place/one.json"
    fails 1 python3 "$SAMITE_SOURCE/tools/sbom.py" "$scratch/release" "$scratch/place/none.json"
}

no_release() { # MESSAGE FILE TEXT: with the text in place of the file
    cd "$scratch/release"
    cp "$2" "$scratch/kept" && printf '%b' "$3" >"$2" && rm -rf build-release
    status=0
    sh "$SAMITE_SOURCE/tools/release.sh" >"$scratch/said" 2>&1 || status=$?
    mv "$scratch/kept" "$2"
    [ $status = 1 ] && [ ! -d build-release ] && grep -q "$1" "$scratch/said"
}

ci_failing() { # VERB...: the arguments of ./dev that fail; then as for ci
    failing=$1
    shift
    ci "$@"
}

# --- installation

configured_for() { # PREFIX: what a later installation would take
    meson introspect --buildoptions "$root/build" | grep -q "\"prefix\", \"value\": \"$1\""
}

installs() { # into PREFIX, as the user wrote it; pkg-config finds it by the line that is printed
    cd "$scratch"
    "$root/dev" install relative >"$scratch/said"
    grep -q "installed in $scratch/relative:" "$scratch/said"
    line=$(sed -n 's/^ *export //p' "$scratch/said")
    [ "$(eval "export $line" && pkg-config --modversion samite && samite x)" = "0.1.0
$(pwd -P) x" ]
    configured_for /usr/local
}

installs_again() { # without PREFIX after one with it
    DESTDIR=$scratch/installed "$root/dev" install >"$scratch/said"
    grep -q "installed in $scratch/installed/usr/local:" "$scratch/said"
    [ -x "$scratch/installed/usr/local/bin/samite" ]
}

installs_what_it_must() { # in a folder whose first configuration was killed
    cp -a "$root" "$scratch/killed"
    rm -rf "$scratch/killed/build"/build.ninja "$scratch/killed/build"/tests "$scratch/killed/build"/bench
    "$scratch/killed/dev" install "$scratch/usr"
    [ -x "$scratch/usr/bin/samite" ]
    [ -z "$(find "$scratch/killed/build/tests" "$scratch/killed/build/bench" -type f -perm -u+x 2>/dev/null)" ]
}

cleans() {
    "$root/dev" clean --help >/dev/null
    [ -d "$root/build" ]
    "$root/dev" clean
    [ ! -d "$root/build" ]
}

# --- the first run, with the real command

first_run() { # its result is checked, it ends with what to try, and a screen holds it
    mkdir -p "$scratch/place"
    cd "$scratch/place"
    ln -s "$SAMITE_BUILD" build
    ln -s "$SAMITE_SOURCE/kernels" kernels
    sh "$SAMITE_SOURCE/tools/first-run.sh" build >"$scratch/said"
    grep -q '^check c: passed' "$scratch/said" && grep -q 'Try next' "$scratch/said"
    awk 'length > 80 { print "too wide: " $0; bad = 1 } END { if (NR > 23) print NR " lines"; exit bad || NR > 23 }' \
        "$scratch/said"
}

check 'a small project' small_project
check 'there are verbs' test "$(verb_list | wc -l)" -ge 10
for verb in $(verb_list); do
    check "$verb --help prints its usage" says_usage "$verb"
done
check 'an unknown verb' refuses "no verb 'nosuch'" nosuch
check 'a mistyped verb' refuses "; did you mean 'test'?" tset
check 'help of a mistyped verb' refuses "; did you mean 'bench'?" help bnch
check 'help of an unknown verb' refuses "no verb 'nosuch'" help nosuch
for verb in build lint format release site clean; do
    check "$verb takes no arguments" refuses "$verb takes no arguments: 'x'" "$verb" x
done
for words in 'test --part 3/2' 'lint --part' 'test --part=x'; do
    # shellcheck disable=SC2086 # words
    check "$words" refuses 'expected K/N' $words
done
for words in 'cross' 'cross vax' 'cross aarch64 x' 'cross aarch64 test x'; do
    # shellcheck disable=SC2086 # words
    check "$words" refuses 'cross takes aarch64' $words
done
check 'wheel vax' refuses "wheel takes aarch64 or nothing: 'vax'" wheel vax
check 'ci x' refuses "ci takes --fast, --all or nothing: 'x'" ci x
for verb in test bench fuzz install; do
    check "$verb: an unknown option" refuses "no option '--nosuch'" "$verb" --nosuch
done
check 'setup nosuch' refuses 'there are build test' setup nosuch
check 'fuzz asm abc' refuses "no fuzz target 'abc': there are asm elf$" fuzz asm abc
check 'fuzz asm 0' refuses 'at least 1' fuzz asm 0
check 'fuzz 5 asm' refuses 'after the number' fuzz 5 asm
check 'bench nosuch' refuses "there are asm codec$" bench nosuch
check 'bench --json without a file' refuses 'needs a file' bench --json
check 'bench --real of another benchmark' refuses 'codec' bench --real asm
check 'test nosuch' refuses 'there are isa tile$' test nosuch
check 'test isa/nosuch' refuses './dev test isa runs all' test isa/nosuch
check 'install with two prefixes' refuses "'/b'" install /a /b
check 'build' builds
check 'the library folder' library_folder
check 'build again says nothing' quiet_when_built
check 'JOBS=many' jobs_checked
check 'run from another folder' runs_here
check 'a copied checkout' copied
check 'bench after a build without its library' bench_later
check 'a row of a benchmark' bench_row
check 'test after a build without its library' tests_later
check 'test of a folder' tests_chosen 2 isa
check 'test of one program' tests_chosen 1 tile/text
check 'test of two' tests_chosen 2 isa/errors tile
check 'test of an unknown name, once configured' no_such_test 'there are isa/decode isa/errors$' isa/decode_v9
check 'test builds what it runs' builds_only
check 'test --part 1/2' tests_chosen 2 --part 1/2
check 'test --part 2/2 of a folder' tests_chosen 1 --part=2/2 isa
check 'a test that fails' failing_test
if command -v git >/dev/null; then
    check 'a release' release_tree
    check 'release' releases
    check 'release: the archive is reproducible' reproducible
    check 'release: the date of the citation' no_release 'date-released: 2026-11-23' CITATION.cff 'version: 1.2.3\n'
    check 'release: another version' no_release 'debian/changelog: does not name version 1.2.3' debian/changelog \
        'samite (1.2.2-1) unstable\n'
    check 'release: the package of another soname' no_release 'debian/control: does not name version 1.2.3' debian/control \
        'Package: libsamite1.1\n'
    check 'release: changes left' no_release 'has changes under Unreleased' CHANGELOG.md \
        '## [Unreleased]\n\n- One.\n\n## [1.2.3] - 2026-11-23\n'
    check 'release: uncommitted' no_release 'not committed' meson.build "project('small',\n  version: '1.2.3',\n\n)\n"
else
    skip 'release' 'no git'
fi
if dpkg-query -W libelf1 libdw1 libjansson4 libedit2 zlib1g libxxhash-dev >/dev/null 2>&1; then
    check 'the bill of materials' materials
else
    skip 'the bill of materials' 'no dpkg that knows the libraries'
fi
check 'ci' ci_tree
check 'ci of a commit: everything' ci 0000000a '17 passed, 0 failed' lint 'test --sanitize' package !'lint --part 1/2'
check 'ci of a commit: another root' ci 0000001b '17 passed, 0 failed' 'lint --part 1/2' 'test --sanitize --part 1/2' !package
check 'ci of a commit: a check that is skipped' ci 0000005 '17 passed, 0 failed' 'lint --part 2/2' test \
    'test --sanitize --part 2/2' package 'fuzz 3' 'bench --quick' run setup build
check 'ci --all' ci --all '17 passed, 0 failed' lint 'test --sanitize' !package
check 'ci --fast' ci --fast '8 passed, 0 failed' setup build 'lint --part 1/16' test !run !package !'bench --quick'
check 'ci: a step that fails' ci_failing run 0000000 '16 passed, 1 failed' package
check 'ci: a test that fails' ci_failing test 0000000 '17 passed, 1 failed' package
check 'install PREFIX' installs
check 'install without PREFIX after it' installs_again
check 'install builds what it installs' installs_what_it_must
check 'clean' cleans
check 'what run shows' first_run
finish
