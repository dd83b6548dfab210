# SPDX-License-Identifier: Apache-2.0
# Meson's testlog.json (one test program per line) -> "PASSED FAILED SKIPPED", counting the cases that
# each program reported as TAP. A program that failed without a failed case (a crash, a missing
# case, a leak at exit) counts as one failed case; one that reports no cases counts as one.
function text_of(key, start, rest)
{
    start = index($0, "\"" key "\": \"")
    if (!start)
        return ""
    rest = substr($0, start + length(key) + 5)
    gsub(/\\\\/, "\001", rest)
    gsub(/\\"/, "\002", rest)
    return substr(rest, 1, index(rest, "\"") - 1)
}

{
    result = text_of("result")
    count = split(text_of("stdout"), lines, /\\n/)
    good = bad = left_out = 0
    for (i = 1; i <= count; i++) {
        if (lines[i] ~ /^(not )?ok .*# *[Ss][Kk][Ii][Pp]/)
            left_out++
        else if (lines[i] ~ /^ok( |$)/)
            good++
        else if (lines[i] ~ /^not ok( |$)/)
            bad++
    }
    if (result == "OK" || result == "EXPECTEDFAIL") {
        if (good + bad + left_out == 0)
            good = 1
    } else if (result == "SKIP") {
        if (left_out == 0)
            left_out = 1
    } else if (bad == 0) {
        bad = 1
    }
    passed += good
    failed += bad
    skipped += left_out
}

END { printf "%d %d %d\n", passed, failed, skipped }
