# SPDX-License-Identifier: Apache-2.0
# Comments in the words of the field: a subject that the code has, in the indicative, not a clause for a noun
# ("What a directive prints": "Output of a directive"). Reads C files, headers and tables given as arguments;
# prints file:line of each comment with a pattern below and what to write instead. Exit 1 when there is one.
BEGIN {
    add("(^|[^a-z])(whoever|nobody|somebody)([^a-z]|$)", "name it: the caller, another agent, no reader")
    add("(^|[^a-z])(is|are|was|were) told([^a-z]|$)", "is reported to, is notified")
    add("(^|[^a-z])heeds?([^a-z]|$)", "honours, enables, checks")
    add("(^|[^a-z])(stands|stood)([^a-z]|$)", "is at, replaces, denotes, was")
    add("(^|[^a-z])beside([^a-z]|$)", "next to; in addition: besides")
    add("(^|[^a-z])(now and then|by turns|of theirs)([^a-z]|$)", "sometimes, alternately, of the noun")
    add("(^|[^a-z])one that [^.;:]* the other that", "name both")
    add("(^|[^a-z])in vain([^a-z]|$)", "without effect; of a wait: for ever")
    add("(^|[^a-z])so many (bytes|words|bits|elements|cycles|lanes|lines|of them)([^a-z]|$)", "count bytes, N cycles")
    add("(^|[^a-z])(goes|go|went) on([^a-z]|$)", "continues")
    add("(^|[^a-z])lives through([^a-z]|$)", "simulates, survives")
}

function add(pattern, advice)
{
    patterns[++n] = pattern
    advices[n] = advice
}

function judge(text, line, i)
{
    gsub(/[ \t]+/, " ", text)
    sub(/^ /, "", text)
    if (match(text, /(^|[.:;] )(What|Whatever|Who|Whoever) [a-z]+/) ||
        match(text, /^(Where|Which|How|Why) [a-z][^,.;:?]*([.:;]|$)/)) {
        printf "%s:%d: \"%s\": a relative clause as the subject: name the noun\n", FILENAME, line,
            substr(text, RSTART, RLENGTH)
        bad = 1
        return
    }
    text = tolower(text)
    for (i = 1; i <= n; i++)
        if (text ~ patterns[i]) {
            match(text, patterns[i])
            printf "%s:%d: \"%s\": %s\n", FILENAME, line, substr(text, RSTART, RLENGTH), advices[i]
            bad = 1
            return
        }
}

FNR == 1 { inside = 0 }

# A comment of several lines is one text.
{
    rest = $0
    while (rest != "") {
        if (inside) {
            end = index(rest, "*/")
            part = end ? substr(rest, 1, end - 1) : rest
            sub(/^[ \t]*\*( |$)/, " ", part)
            comment = comment " " part
            rest = end ? substr(rest, end + 2) : ""
            if (end) {
                inside = 0
                judge(comment, first)
            }
        } else {
            start = index(rest, "/*")
            if (!start)
                break
            first = FNR
            comment = ""
            inside = 1
            rest = substr(rest, start + 2)
        }
    }
}

END { exit bad }
