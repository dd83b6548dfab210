# SPDX-License-Identifier: Apache-2.0
# awk -f tools/near.awk -- WORD NAME...: prints "; did you mean 'NAME'?" for the NAME with the fewest edits (insertions,
# deletions, changes of one character) from WORD, unless more than half of WORD's characters change.
function least(a, b) {
    return a < b ? a : b
}

function edits(a, b, row, corner, change, i, k) {
    for (k = 0; k <= length(b); k++) row[k] = k
    for (i = 1; i <= length(a); i++) {
        corner = row[0]++
        for (k = 1; k <= length(b); k++) {
            change = corner + (substr(a, i, 1) != substr(b, k, 1))
            corner = row[k]
            row[k] = least(change, least(row[k], row[k - 1]) + 1)
        }
    }
    return row[length(b)]
}

BEGIN {
    most = length(ARGV[1]) / 2
    for (n = 2; n < ARGC; n++)
        if ((count = edits(ARGV[1], ARGV[n])) <= most && (name == "" || count < fewest)) {
            fewest = count
            name = ARGV[n]
        }
    if (name != "") printf "; did you mean '%s'?", name
}
