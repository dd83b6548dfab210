# SPDX-License-Identifier: Apache-2.0
# The rows of the tile operations in other forms. Reads src/tile/families.def and
# src/tile/ops.def in that order; -v form=opcodes|calls|typed|table chooses the output: a public header
# or the rows of the table in docs/tile.md. tools/tile-tables.sh puts it in its place.
function fail(text)
{
    printf "%s:%d: %s\n", FILENAME, FNR, text > "/dev/stderr"
    failed = 1
    exit 1
}

# The arguments of a row into field[1..], quotes taken off; strings may contain commas.
function split_row(line, i, c, quoted, count)
{
    sub(/^[A-Z_]*\(/, "", line)
    sub(/\)$/, "", line)
    delete field
    count = 1
    field[1] = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"")
            quoted = !quoted
        else if (c == "," && !quoted)
            field[++count] = ""
        else if (c != " " || quoted)
            field[count] = field[count] c
    }
    return count
}

function head(name, what)
{
    print "/* SPDX-License-Identifier: Apache-2.0 */"
    print "/* " what
    print " * Made from src/tile/ops.def by tools/tile-tables.sh: do not edit. */"
    print "#ifndef SAMITE_" name "_H"
    print "#define SAMITE_" name "_H"
    print ""
}

BEGIN {
    dtypes["ORDER"] = "all of the profile"
    dtypes["REAL"] = "floats"
    dtypes["WHOLE"] = "integers"
    dtypes["BITS"] = "integers, including 64 bits"
    dtypes["SHORT"] = "all of 8 to 32 bits"
    dtypes["BASIC"] = "all but e8m0, hif8, e3m2, e2m3, e2m1, e1m2"
    dtypes["CONVERTED"] = "all; to e8m0: floats"
    dtypes["FACTOR"] = "floats of up to 32 bits, but e8m0; i8, i16, ui8, ui16"
    dtypes["SCALED"] = "e4m3, e5m2, e2m1, e1m2, ui8 (pairs of e2m1), f16, bf16"
    dtypes["INDEXED"] = "all of 8 bits or more"
    dtypes["ANY"] = "all, including 64 bits"
    types["CMP"] = "sam_tile_compare"
    types["ROUND"] = "sam_tile_round"
    types["QUANT"] = types["BYTE"] = "unsigned"
    types["TRI"] = "sam_tile_triangle"
    types["ORDER"] = "sam_tile_order"
    if (form == "opcodes") {
        head("TILE_OPCODES", "Numbers of the tile operations, in the order of sam_tile_op_describe.")
        print "enum sam_tile_opcode {"
    } else if (form == "calls") {
        head("TILE_CALLS", "Tile operations as C calls; tile_ops.h describes their arguments.")
        print "#include \"tile_opcodes.h\"\n"
        print "/* clang-format off */"
    } else if (form == "typed") {
        print "/* SPDX-License-Identifier: Apache-2.0 */"
        print "/* Tile operations on typed tiles; tile.hpp includes this where each row is a function."
        print " * Made from src/tile/ops.def by tools/tile-tables.sh: do not edit. */"
        print "/* clang-format off */"
    }
}

/^TILE_FAMILY\(/ {
    if (split_row($0) != 10)
        fail("expected a family of 10 columns on one line")
    attribute[field[1]] = field[8] !~ /^(NONE|STEP|MASK)$/
    kind[field[1]] = field[8]
    vector[field[1]] = field[3] == "VECTOR"
    same[field[1]] = field[4] == "NONE"
    by_hand[field[1]] = field[1] ~ /^(LOAD|STORE|IMAGE)$/
    stores[field[1]] = field[6] == "ARRAY"
}

/^TILE_OP\(/ {
    if (split_row($0) != 7)
        fail("expected an operation of 7 columns on one line")
    if (!(field[4] in by_hand) || !(field[6] in dtypes))
        fail("unknown family " field[4] " or dtypes " field[6])
    count++
    if (form == "opcodes") {
        print "    SAM_TILE_OP_" field[1] ","
    } else if (by_hand[field[4]] && (form == "calls" || form == "typed")) {
        # in tile_ops.h and tile.hpp
    } else if (form == "calls") {
        arguments = toupper(field[3]) (attribute[field[4]] ? "A" : "") (stores[field[4]] ? "V" : "")
        print "#define sam_" field[2] "(dst, ...) SAM_TILE_CALL_" arguments "_(" \
            (field[3] == "tii" ? "\"" field[2] "\"" : field[1]) ", dst, __VA_ARGS__, NULL)"
    } else if (form == "typed") {
        print "SAMITE_TILE_" toupper(field[3]) (attribute[field[4]] ? "A" : "") (stores[field[4]] ? "V" : "") "_(" field[1] ", " field[2] \
            ", " (vector[field[4]] ? "true" : "false") ", " \
            (same[field[4]] && field[4] !~ /^(CVT|GATHER|SCATTER)$/ && field[5] != "EXPDIF" ? "true" : "false") \
            (attribute[field[4]] ? ", " types[kind[field[4]]] : "") ")"
    } else if (form == "table") {
        gsub(/\|/, "\\|", field[7])
        print "| `" field[2] "` | " field[3] " | " dtypes[field[6]] " | `" field[7] "` |"
    }
}

END {
    if (failed)
        exit 1
    if (form == "opcodes")
        print "    SAM_TILE_OPS /* how many there are */\n};\n"
    else if (form == "calls")
        print "/* clang-format on */\n"
    else if (form == "typed")
        print "/* clang-format on */"
    if (form != "table" && form != "typed")
        print "#endif"
}
