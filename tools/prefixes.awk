# SPDX-License-Identifier: Apache-2.0
# One owner per prefix: the first word after sam_ or SAM_ of what a header declares (functions, types,
# macros, variables) belongs to the folder of src/ that uses it first. Reads the headers given as
# arguments, relative to the top; prints file:line of each declaration whose word belongs to another
# folder. Exit 1 when there is one.
function claim(name, word, part)
{
    split(FILENAME, part, "/")
    word = tolower(name)
    sub(/^sam_/, "", word)
    if (word ~ /^tile_lower/)
        word = "tile_lower" # the public names of src/lower
    else
        sub(/_.*/, "", word)
    if (!(word in owner)) {
        owner[word] = part[2]
        first[word] = FILENAME ":" FNR
    } else if (owner[word] != part[2]) {
        printf "%s:%d: %s: the prefix sam_%s_ belongs to src/%s (%s)\n", FILENAME, FNR, name, word,
            owner[word], first[word]
        bad = 1
    }
}

/^#define SAM_/ && $2 !~ /_H$/ { sub(/\(.*/, "", $2); claim($2) }

/^(struct|enum|union) sam_[a-z0-9_]+ \{/ { claim($2) }

# A declaration starts in the first column: its name is what stands before "(", "[" or ";".
/^[a-z].*[ *]sam_[a-z0-9_]+(\(|\[|;)/ && !/^(struct|enum|union) sam_[a-z0-9_]+;/ {
    match($0, /[ *]sam_[a-z0-9_]+(\(|\[|;)/)
    claim(substr($0, RSTART + 1, RLENGTH - 2))
}

END { exit bad }
