#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `./dev lint`: lint.sh BUILD JOBS [K/N], run at the top. Every finding is a line that starts with
# file:line. K/N: clang-tidy reads share K of N of the files, and those of the last commit. With `format`
# instead, the files are formatted, and structs for Python made anew. Files that clang-tidy found clean are remembered in BUILD/lint until the file, a header or the rules
# change.
set -eu
build=$1
jobs=$2
cache=$build/lint
mkdir -p "$cache"
part=${3:-1/1}
status=0

# Every file of the project, including new ones.
files() {
    if git rev-parse --git-dir >/dev/null 2>&1; then
        git ls-files -co --exclude-standard | while read -r file; do
            [ ! -f "$file" ] || printf '%s\n' "$file"
        done
    else
        find . -type f ! -path './build*' ! -path './.git/*' | sed 's,^\./,,'
    fi | LC_ALL=C sort
}
files >"$cache/files"
grep -E '\.([ch]|cl)$' "$cache/files" >"$cache/c-files"

if [ "$part" = format ]; then
    xargs clang-format -i <"$cache/c-files"
    python3 tools/python-abi.py
    exit
fi

# check NAME COMMAND...: the command prints nothing when it passes
check() {
    name=$1
    shift
    if "$@" >"$cache/output" 2>&1; then
        printf 'lint: %-12s ok\n' "$name"
    else
        cat "$cache/output"
        printf 'lint: %-12s FAILED\n' "$name"
        status=1
    fi
}

arrows() {
    grep -E '^(src|include|cli|drivers|examples|kernels|tests|bench|fuzz)/.*\.(c|h|def)$' "$cache/files" |
        xargs awk -f tools/arrows.awk
}

prefixes() {
    grep -E '^src/.*\.h$' "$cache/files" | xargs awk -f tools/prefixes.awk
}

prose() {
    grep -E '^(src|include|cli|drivers|kernels|bench|fuzz|tests|examples)/.*\.(c|h|def)$' "$cache/files" |
        xargs awk -f tools/prose.awk
}

# found PATTERN MEANING FILE...: every match is a finding
found() {
    pattern=$1
    meaning=$2
    shift 2
    if grep -nIHE "$pattern" "$@" >"$cache/found"; then
        awk -v meaning="$meaning" '{ match($0, /^[^:]*:[0-9]+:/); print substr($0, 1, RLENGTH), meaning }' \
            "$cache/found"
        return 1
    fi
}

house_rules() {
    bad=0
    # The brackets keep these lines from finding themselves.
    # shellcheck disable=SC2046 # names without spaces
    found '\b(TOD[O]|FIXM[E]|XX[X]|HAC[K])\b' 'unfinished: complete it' $(cat "$cache/files") || bad=1
    # shellcheck disable=SC2046
    found '(^|[^A-Za-z0-9_.$}])/(home|root|work|tmp|Users)/[A-Za-z0-9_-]+/' 'a path of one machine' \
        $(cat "$cache/files") || bad=1
    grep -E '\.(c|h|cl|def|s|S|sh|awk|build|py|toml)$|^dev$|^\.ci/run$|^meson_options\.txt$' "$cache/files" |
        xargs awk 'FNR == 1 { seen = 0 }
            FNR <= 2 && /SPDX-License-Identifie[r]: Apache-2\.0/ && (FNR == 1 || first ~ /^#!/) { seen = 1 }
            FNR == 1 { first = $0 }
            FNR == 2 && !seen { printf "%s:1: no SPDX line\n", FILENAME; bad = 1 }
            END { exit bad }' || bad=1
    grep -E '^(src|cli|drivers)/.*\.(c|h)$' "$cache/files" |
        xargs awk 'FNR == 701 { printf "%s:701: more than 700 lines\n", FILENAME; bad = 1 }
            END { exit bad }' || bad=1
    # shellcheck disable=SC2046
    found '[[:space:]]$' 'white space at the end of a line' \
        $(grep -vE '\.(md|tsv)$|^tests/cli/.*\.txt$' "$cache/files") || bad=1
    # The library must not depend on the locale of the host program (base/decimal.c, base/ascii.h).
    # shellcheck disable=SC2046
    found '\b(strto(d|f|ld)|ato[fl]|v?sscanf|v(f|sn?)?printf|str(n?)casecmp|setlocale|is(alpha|alnum|digit|xdigit|space|print|upper|lower|punct|graph|cntrl)|to(lower|upper)) *\(' \
        'depends on the locale of the host program: use base/decimal.c or base/ascii.h' \
        $(grep -E '^src/.*\.(c|h)$' "$cache/files" | grep -v '^src/base/decimal\.c$') || bad=1
    # A call ends at its semicolon, so that formats on lines of their own are seen.
    grep -E '^src/.*\.c$' "$cache/files" |
        xargs awk 'BEGIN { RS = ";" }
            FNR == 1 { line = 1 }
            /(^|[^a-z_])(snprintf|fprintf|printf)\(/ && /"[^"]*%[-+ #0-9.*]*[aefgAEFG][^"]*"/ {
                printf "%s:%d: prints a real number in the locale of the host program: use sam_format\n", FILENAME, line
                bad = 1
            }
            { line += gsub(/\n/, "") }
            END { exit bad }' || bad=1
    return "$bad"
}

format() {
    xargs clang-format --dry-run -Werror <"$cache/c-files" >"$cache/format" 2>&1 && return 0
    awk -F: '/^[^ ].*: error/ && !lines[$1]++ { first[$1] = $2 }
        END { for (file in first) printf "%s:%d: clang-format (./dev format)\n", file, first[file] }' \
        "$cache/format"
    return 1
}

shell_scripts() { # not: functions called by name, SAMITE from outside, awk in single quotes
    grep -E '\.sh$|^dev$|^\.ci/run$' "$cache/files" | xargs shellcheck -x -f gcc -e SC2016,SC2153,SC2317
}

# file, tab, command that preprocesses it: of every compiled file in C, once
commands() {
    awk -v FS='"' '/^ *"command":/ {
            sub(/^ *"command": "/, "")
            sub(/",$/, "")
            gsub(/\\"/, "\"")
            sub(/ -MD -MQ [^ ]* -MF [^ ]*/, "")
            sub(/ -o [^ ]* -c /, " -E -CC ")
            command = $0
        }
        /^ *"file":/ && $4 !~ /\.S$/ && !seen[$4]++ { printf "%s\t%s\n", $4, command }' "$build/compile_commands.json"
}

tidy() {
    rules=$({
        clang-tidy --version
        cat .clang-tidy tests/.clang-tidy tools/lint.sh
    } | sha256sum | cut -c1-32)
    # A file that is compiled for several programs is checked once.
    awk '/^ *[{]/ { entry = "" }
        { entry = entry $0 "\n" }
        /"file":/ { file = $0 }
        /^ *[}]/ && !seen[file]++ { sub(/,\n$/, "\n", entry); printf "%s%s", n++ ? "," : "[\n", entry }
        END { print "]" }' "$build/compile_commands.json" >"$cache/compile_commands.json"
    git show --name-only --format= HEAD >"$cache/last-commit" 2>/dev/null || : >"$cache/last-commit"
    commands | awk -F '\t' -v k="${part%/*}" -v n="${part#*/}" -v last="$cache/last-commit" '
        BEGIN { while ((getline file <last) > 0) changed["../" file] }
        NR % n == k % n || $1 in changed' | while IFS='	' read -r file command; do
        # What a result depends on: all that the compiler sees, and comments (NOLINT).
        key=$( (cd "$build" && eval "$command" 2>/dev/null) | sha256sum | cut -c1-32)
        stamp=$cache/$(printf '%s' "$file" | tr -c 'A-Za-z0-9_.-' _).tidy
        if [ "$(cat "$stamp" 2>/dev/null)" != "$rules $key" ]; then
            printf '%s\n%s\n%s\n' "$build/$file" "$stamp" "$rules $key"
        fi
    done >"$cache/tidy-work"
    xargs -r -d '\n' -n 3 -P "$jobs" sh -c '
        if out=$(clang-tidy -p "$0" --quiet --extra-arg=-Wno-unknown-warning-option "$1" 2>/dev/null); then
            printf "%s" "$3" >"$2"
        else
            # Without the steps of the analyzer (clang-tidy FILE shows them) and the build folder.
            printf "%s\n" "$out" | sed -n -E "s,^([^ ]*/)?\.\./([^ ]*: error: ),\2,p" |
                grep . || printf "%s\n" "$out"
            exit 1
        fi' "$cache" <"$cache/tidy-work"
}

# Uninitialised, null and dangling values are left to clang-tidy, which follows pointers through calls. Arithmetic
# shifts behave as gcc and clang define them. cppcheck cannot handle macros that are tables. One
# configuration, the one that is built: the lane loops have hundreds of them.
check_code() {
    cppcheck --max-configs=1 --enable=warning,performance,portability --error-exitcode=1 --inline-suppr --quiet \
        --std=c11 --language=c -j "$jobs" -I include -I src -I . -I "$build" \
        --suppress=missingInclude --suppress=unmatchedSuppression \
        --suppress=uninitvar --suppress=legacyUninitvar --suppress=ctuuninitvar --suppress=ctunullpointer --suppress=returnDanglingLifetime --suppress=shiftNegativeLHS \
        --suppress=shiftTooManyBitsSigned --suppress=invalidPointerCast \
        --suppress=compareBoolExpressionWithInt --suppress=unknownMacro \
        --suppress=preprocessorErrorDirective \
        --template='{file}:{line}: {severity}: {message} [{id}]' \
        --file-list="$cache/cppcheck-files"
}

python_code() {
    grep -E '\.py$' "$cache/files" | xargs flake8 --max-line-length 120 --extend-ignore=E127,E128
}

check "house rules" house_rules
check arrows arrows
check prefixes prefixes
check prose prose
check format format
check shell shell_scripts
check python python_code
check python-abi python3 tools/python-abi.py --check
grep -E '\.c$' "$cache/c-files" | grep -vE '_tmpl\.c$' >"$cache/cppcheck-files"
check cppcheck check_code
check clang-tidy tidy
exit $status
