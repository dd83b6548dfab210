/* SPDX-License-Identifier: Apache-2.0 */
/* Names: operations, dtypes, memories, attribute words. */
#include "tile/tile.h"

#include "base/ascii.h"

const struct sam_tile_row sam_tile_rows[] = {
#define TILE_OP(code, name, sources, family, function, dtypes, meaning)                            \
    {name,                                                                                         \
     sources,                                                                                      \
     sizeof(sources) - 1,                                                                          \
     SAM_TILE_##family,                                                                            \
     SAM_TILE_FN_##function,                                                                       \
     SAM_TILE_##dtypes,                                                                            \
     meaning},
#include "tile/ops.def"
};

const struct sam_tile_family sam_tile_families[SAM_TILE_FAMILIES] = {
#define TILE_FAMILY(id, pipe, tiles, own, reads, writes, in_place, attribute, shapes, run)         \
    {SAM_TILE_PIPE_##pipe,          SAM_TILE_TILES_##tiles,   SAM_TILE_OWN_##own,                  \
     SAM_TILE_READS_##reads,        SAM_TILE_WRITES_##writes, SAM_TILE_IN_PLACE_##in_place,        \
     SAM_TILE_ATTRIBUTE_##attribute},
#include "tile/families.def"
};
_Static_assert(SAM_COUNT(sam_tile_rows) == SAM_TILE_OPS, "SAM_TILE_OPS is the number of rows");

static const struct {
    const char *name;
    bool pto;
} special[SAM_TILE_FIRST_OP] = {
    [SAM_TILE_ALLOC] = {"alloc_tile", true},       [SAM_TILE_VIEW] = {"make_tensor_view", true},
    [SAM_TILE_PART] = {"partition_view", true},    [SAM_TILE_ASSIGN] = {"tassign", true},
    [SAM_TILE_REBIND] = {"tassign", true},         [SAM_TILE_SUBSET] = {"subset", true},
    [SAM_TILE_SHAPE] = {"set_validshape", true},   [SAM_TILE_RECORD] = {"record_event", true},
    [SAM_TILE_WAIT] = {"wait_event", true},        [SAM_TILE_BARRIER] = {"barrier", true},
    [SAM_TILE_PREFETCH] = {"prefetch", true},      [SAM_TILE_CONSTANT] = {"arith.constant", false},
    [SAM_TILE_ADDI] = {"arith.addi", false},       [SAM_TILE_SUBI] = {"arith.subi", false},
    [SAM_TILE_MULI] = {"arith.muli", false},       [SAM_TILE_DIVSI] = {"arith.divsi", false},
    [SAM_TILE_REMSI] = {"arith.remsi", false},     [SAM_TILE_CMPI] = {"arith.cmpi", false},
    [SAM_TILE_CAST] = {"arith.index_cast", false}, [SAM_TILE_SELECT] = {"arith.select", false},
    [SAM_TILE_FOR] = {"scf.for", false},           [SAM_TILE_IF] = {"scf.if", false},
    [SAM_TILE_YIELD] = {"scf.yield", false},       [SAM_TILE_RETURN] = {"return", false},
};

/* Alternative spellings, accepted on input. */
static const struct {
    const char *name;
    enum sam_tile_code code;
} aliases[] = {
    {"tsubview", SAM_TILE_SUBSET},
    {"tsync", SAM_TILE_WAIT},
    {"tprefetch", SAM_TILE_PREFETCH},
    {"func.return", SAM_TILE_RETURN},
};

const char *const sam_tile_compare_names[] = {
    "eq",        "ne",        "lt",        "le",        "gt",        "ge", /* and packed */
    "packed_eq", "packed_ne", "packed_lt", "packed_le", "packed_gt", "packed_ge", NULL};
const char *const sam_tile_cmpi_names[] = {"eq", "ne", "slt", "sle", "sgt", "sge", NULL};
const char *const sam_tile_round_names[] = {"rint", "round", "floor", "ceil", "trunc", NULL};
static const char *const quant_names[] = {"rint",      "round",      "floor",      "ceil",
                                          "trunc",     "wrap_rint",  "wrap_round", "wrap_floor",
                                          "wrap_ceil", "wrap_trunc", NULL};
static const char *const tri_names[] = {"lower", "upper", NULL};
static const char *const byte_names[] = {"b0", "b1", "b2", "b3", NULL};
static const char *const mask_names[] = {"bytes", "packed", NULL};
static const char *const order_names[] = {"ascending", "descending", NULL};
const struct sam_tile_attribute_text sam_tile_attributes[] = {
    [SAM_TILE_ATTRIBUTE_CMP] = {"cmp", "eq, ne, lt, le, gt or ge, or one with packed_",
                                sam_tile_compare_names, SAM_COUNT(sam_tile_compare_names) - 1},
    [SAM_TILE_ATTRIBUTE_ROUND] = {"round", "rint, round, floor, ceil or trunc",
                                  sam_tile_round_names, SAM_COUNT(sam_tile_round_names) - 1},
    [SAM_TILE_ATTRIBUTE_QUANT] = {"round", "rint, round, floor, ceil or trunc, or one with wrap_",
                                  quant_names, SAM_COUNT(quant_names) - 1},
    [SAM_TILE_ATTRIBUTE_TRI] = {"tri", "lower or upper", tri_names, SAM_COUNT(tri_names) - 1},
    [SAM_TILE_ATTRIBUTE_BYTE] = {"byte", "b0, b1, b2 or b3", byte_names, SAM_COUNT(byte_names) - 1},
    [SAM_TILE_ATTRIBUTE_ORDER] = {"order", "ascending or descending", order_names,
                                  SAM_COUNT(order_names) - 1},
    [SAM_TILE_ATTRIBUTE_MASK] = {"mask", "bytes or packed", mask_names, SAM_COUNT(mask_names) - 1},
    [SAM_TILE_ATTRIBUTE_STEP] = {"order", "ascending or descending", order_names,
                                 SAM_COUNT(order_names) - 1},
};
const char *const sam_tile_pipe_names[] = {"tload", "tstore", "vector", "matrix", NULL};
const char *const sam_tile_loc_names[] = {"vec", "mat", "left", "right", "acc", NULL};
const char *const sam_tile_layout_names[] = {"none_box", "row_major", "col_major", NULL};

int sam_tile_word(const char *const *words, const char *text, size_t size)
{
    for (int i = 0; words[i]; i++)
        if (strlen(words[i]) == size && memcmp(words[i], text, size) == 0)
            return i;
    return -1;
}

const char *sam_tile_code_name(unsigned code)
{
    return code < SAM_TILE_FIRST_OP ? special[code].name : sam_tile_row(code)->name;
}

bool sam_tile_code_is_pto(unsigned code)
{
    return code >= SAM_TILE_FIRST_OP || special[code].pto;
}

static bool is_name(const char *name, const char *text, size_t size)
{
    return strlen(name) == size && memcmp(name, text, size) == 0;
}

unsigned sam_tile_code_find(const char *name, size_t size)
{
    for (unsigned code = 0; code < SAM_TILE_CODES; code++)
        if (is_name(sam_tile_code_name(code), name, size))
            return code;
    for (size_t i = 0; i < SAM_COUNT(aliases); i++)
        if (is_name(aliases[i].name, name, size))
            return aliases[i].code;
    return SAM_TILE_CODES;
}

const char *sam_tile_nearest(const char *name, size_t size)
{
    enum { FAR = 4 };
    char lower[32 + FAR]; /* longer than any name */
    const char *found = NULL;
    unsigned least = FAR;
    if (size > sizeof lower)
        return NULL;
    for (size_t i = 0; i < size; i++)
        lower[i] = sam_to_lower(name[i]);
    for (unsigned code = 0; code < SAM_TILE_CODES; code++) {
        unsigned edits = sam_edits(lower, size, sam_tile_code_name(code));
        if (edits < least) {
            least = edits;
            found = sam_tile_code_name(code);
        }
    }
    return found;
}

const char *sam_tile_loc_name(enum sam_tile_loc loc)
{
    return (unsigned)loc < SAM_TILE_LOCS ? sam_tile_loc_names[loc] : "?";
}

const char *sam_tile_pipe_name(enum sam_tile_pipe pipe)
{
    return (unsigned)pipe < SAM_TILE_PIPES ? sam_tile_pipe_names[pipe] : "?";
}

bool sam_tile_op_describe(size_t index, struct sam_tile_op_text *text)
{
    static const char *const classes[] = {
        [SAM_TILE_ORDER] = "all of the profile",
        [SAM_TILE_REAL] = "floats",
        [SAM_TILE_WHOLE] = "integers",
        [SAM_TILE_BITS] = "integers, including 64 bits",
        [SAM_TILE_SHORT] = "all of 8 to 32 bits",
        [SAM_TILE_BASIC] = "all but e8m0, hif8, e3m2, e2m3, e2m1, e1m2",
        [SAM_TILE_CONVERTED] = "all; to e8m0: floats",
        [SAM_TILE_FACTOR] = "floats of up to 32 bits, but e8m0; i8, i16, ui8, ui16",
        [SAM_TILE_SCALED] = "e4m3, e5m2, e2m1, e1m2, ui8 (pairs of e2m1), f16, bf16",
        [SAM_TILE_INDEXED] = "all of 8 bits or more",
        [SAM_TILE_ANY] = "all, including 64 bits"};
    if (index >= SAM_COUNT(sam_tile_rows))
        return false;
    *text = (struct sam_tile_op_text){sam_tile_rows[index].name, sam_tile_rows[index].sources,
                                      classes[sam_tile_rows[index].dtypes],
                                      sam_tile_rows[index].meaning};
    return true;
}

const char *const sam_tile_profile_names[] = {"a5", "a2a3", "host", NULL};

bool sam_tile_profile_parse(const char *name, enum sam_tile_profile *profile)
{
    int found = sam_tile_word(sam_tile_profile_names, name, strlen(name));
    if (found >= 0)
        *profile = (enum sam_tile_profile)found;
    return found >= 0;
}

uint64_t sam_tile_capacity(enum sam_tile_profile profile, enum sam_tile_loc loc)
{
    static const uint32_t kib[][SAM_TILE_LOCS] = {
        [SAM_TILE_A2A3] = {192, 512, 64, 64, 128},
        [SAM_TILE_A5] = {256, 512, 64, 64, 256},
        [SAM_TILE_HOST] = {0},
    };
    bool known = (unsigned)profile < SAM_COUNT(kib) && (unsigned)loc < SAM_TILE_LOCS;
    return known ? (uint64_t)kib[profile][loc] * 1024 : 0;
}
