# SPDX-License-Identifier: Apache-2.0
# The layering: which folder may include which. Reads source files given as arguments, relative to
# the top; prints file:line of every include that the table does not allow. Exit 1 when there is one.
BEGIN {
    # Every folder may include its own files, the public headers and config.h.
    allow["src/base"] = ""
    allow["src/tree"] = "base"
    allow["src/isa"] = "base"
    allow["src/asm"] = "base isa"
    allow["src/trace"] = "base isa"
    allow["src/format"] = "base"
    allow["src/machine"] = "base isa trace"
    allow["src/profile"] = "base isa tree"
    allow["src/clock"] = "base"
    allow["src/energy"] = "base tree"
    allow["src/memtime"] = "base"
    allow["src/gputime"] = "base clock energy isa memtime tree"
    allow["src/sanitize"] = "base isa"
    allow["src/simt"] = "base isa machine profile gputime sanitize trace"
    allow["src/tensor"] = "base clock energy isa machine memtime trace"
    allow["src/matrix"] = "base clock isa machine memtime trace"
    allow["src/hostio"] = "base"
    allow["src/hart"] = "base clock energy hostio isa machine memtime profile tensor matrix trace"
    allow["src/ops"] = "base"
    allow["src/cosim"] = "base isa"
    allow["src/gdb"] = "base isa"
    allow["src/tile"] = "base"
    allow["src/codec"] = "base"
    # The only folder that knows all the parts.
    allow["src/system"] = "base clock codec energy gputime hart hostio isa machine matrix memtime profile sanitize simt tensor trace tree"
    allow["src/lower"] = "base isa ops tile"
    allow["src/network"] = "base format lower tile"
    allow["src/cc"] = "base"
    allow["src/network"] = "base format tile lower trace tree"
    # A library that the main one loads; it is built from the same sources.
    allow["jit"] = "base machine simt"
    # Folders within a folder: which of their siblings they may include. All may include its face.
    within["src/tile/text"] = within["src/tile/check"] = ""
    within["src/tile/core"] = "check"
    within["src/matrix/cycle"] = ""
    # Which folders may include them from outside.
    visitors["src/matrix/cycle"] = "hart"
    visitors["src/tile/check"] = "lower"
    # Only the public headers: what these need, a user can do too.
    allow["drivers"] = allow["examples"] = allow["kernels"] = ""
    allow["cli"] = "machine run sweep weights" # its own, and tree.h: no other folder of src/ is on its include path
    allow["include/samite"] = "device"
    # The whole house.
    free["tests"] = free["bench"] = free["fuzz"] = 1
}

function top_of(path, part)
{
    split(path, part, "/")
    if (part[1] == "src" || part[1] == "include")
        return part[1] "/" part[2]
    return part[1]
}

# A folder within a folder of src/, or "".
function inner_of(path, part)
{
    return split(path, part, "/") == 4 ? part[1] "/" part[2] "/" part[3] : ""
}

function complain(text)
{
    printf "%s:%d: %s\n", FILENAME, FNR, text
    bad = 1
}

# May this file include headers of a folder within a folder?
function enters(folder, outer, name)
{
    if (folder == inner)
        return 1
    return here == "src/" outer ? index(" " within[inner] " ", " " name " ") > 0 \
                                : index(" " visitors[folder] " ", " " substr(here, 5) " ") > 0
}

FNR == 1 {
    here = top_of(FILENAME)
    if (!(here in allow) && !(here in free))
        complain("folder " here " has no row in tools/arrows.awk")
    inner = inner_of(FILENAME)
}

/^[ \t]*#[ \t]*include[ \t]*"/ && !(here in free) {
    target = $0
    sub(/^[^"]*"/, "", target)
    sub(/".*/, "", target)
    count = split(target, part, "/")
    if (target ~ /(^|\/)\.\.?\//) {
        complain("include of a relative path: " target)
    } else if (count == 1) {
        if (target == "config.h" && here !~ /^src\//)
            complain(here " must not include config.h")
    } else if (part[1] == "samite") {
        if (here == "include/samite")
            complain("public headers include each other without a folder: " target)
    } else if ("src/" part[1] != here && \
               index(" " allow[here] " ", " " part[1] " ") == 0) {
        complain(here " must not include " target)
    } else if (count == 3 && ("src/" part[1] "/" part[2]) in within && \
               !enters("src/" part[1] "/" part[2], part[1], part[2])) {
        complain((inner == "" ? here : inner) " must not include " target)
    }
}

END { exit bad }
