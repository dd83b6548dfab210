/* SPDX-License-Identifier: Apache-2.0 */
#include "vector_programs.h"

#include "lower/elements.h"

#define STATIC(r, c, i, j)                                                                         \
    {                                                                                              \
        r, c, {i, j}, i, j                                                                         \
    }
#define DYNAMIC(r, c, i, j)                                                                        \
    {                                                                                              \
        r, c, {SAM_TILE_DYNAMIC, SAM_TILE_DYNAMIC}, i, j                                           \
    }
const struct vector_shape vector_shapes[VECTOR_SHAPES] = {
    STATIC(64, 64, 64, 64), STATIC(16, 256, 15, 255),  STATIC(1, 256, 1, 255),
    STATIC(32, 32, 7, 31),  STATIC(32, 32, 0, 31),     STATIC(8, 32, 8, 0),
    STATIC(8, 512, 7, 480), DYNAMIC(16, 256, 15, 255), DYNAMIC(32, 64, 9, 64),
    DYNAMIC(8, 32, 0, 7),   DYNAMIC(8, 32, 3, 1),
};

static const char *dims(char *text, const int64_t valid[2])
{
    char *at = text;
    for (int i = 0; i < 2; i++) {
        at += valid[i] == SAM_TILE_DYNAMIC ? sprintf(at, "?") : sprintf(at, "%d", (int)valid[i]);
        at += sprintf(at, "%s", i ? "" : "x");
    }
    return text;
}

/* The type of a tile. */
static const char *type_of(char *text, uint32_t rows, uint32_t cols, const int64_t valid[2],
                           enum sam_dtype dtype, unsigned pad)
{
    char part[40];
    sprintf(text, "!pto.tile_buf<vec, %ux%ux%s, valid=%s, pad=%u>", rows, cols,
            sam_tile_dtype_name(dtype), dims(part, valid), pad);
    return text;
}

/* --- one operation */

static const char *const attributes[][7] = {
    [SAM_TILE_ATTRIBUTE_CMP] = {"eq", "ne", "lt", "le", "gt", "ge"},
    [SAM_TILE_ATTRIBUTE_ROUND] = {"rint", "round", "floor", "ceil", "trunc"},
    [SAM_TILE_ATTRIBUTE_STEP] = {"ascending"},
    [SAM_TILE_ATTRIBUTE_MASK] = {"bytes"},
};

/* The type of operand i. */
static void operand_type(const struct vector_one *one, const struct vector_shape *s, size_t i,
                         char *text)
{
    const struct sam_tile_row *row = sam_tile_row(one->code);
    const struct sam_tile_family *family = sam_tile_family(row);
    bool last = i + 1 == row->count, destination = i == row->count;
    int64_t valid[2] = {s->valid[0], s->valid[1]};
    uint32_t rows = s->rows, cols = s->cols;
    enum sam_dtype dtype = one->dtype;
    if (destination)
        dtype = one->to;
    else if (family->own == SAM_TILE_OWN_FIRST && i == 0)
        dtype = SAM_U8;
    if (!destination && row->sources[i] == 's') {
        strcpy(text, sam_tile_dtype_name(dtype));
        return;
    }
    if (last && family->reads == SAM_TILE_READS_LAST_ROW) {
        rows = 2;
        valid[0] = 1;
    }
    if (last && family->reads == SAM_TILE_READS_LAST_COLUMN) {
        cols = 32;
        valid[1] = 1;
    }
    if (row->family == SAM_TILE_FILLPAD && !destination && valid[0] > 3 && valid[1] > 3)
        valid[0] -= 3, valid[1] -= 2;
    type_of(text, rows, cols, valid, dtype, destination || (one->in_place && !i) ? one->pad : 0);
}

/* A constant with these bits, in the syntax of programs. */
static int constant(char *text, const char *name, enum sam_dtype dtype, uint64_t bits)
{
    bits &= UINT64_MAX >> (64 - 8 * sam_dtype_size(dtype));
    if (test_is_real(dtype))
        return sprintf(text, "  %s = arith.constant 0x%" PRIx64 " : %s\n", name, bits,
                       sam_tile_dtype_name(dtype));
    return sprintf(text, "  %s = arith.constant %.0f : %s\n", name, test_value(dtype, bits),
                   sam_tile_dtype_name(dtype));
}

void vector_write_one(const struct vector_one *one, const struct vector_shape *s, char *text)
{
    const struct sam_tile_row *row = sam_tile_row(one->code);
    const struct sam_tile_family *family = sam_tile_family(row);
    char types[4][96], *at = text;
    const char *first = one->in_place ? "d" : "a";
    const char *names[] = {first, "b", "c"};
    for (size_t i = 0; i <= row->count; i++)
        operand_type(one, s, i, types[i]);
    at += sprintf(at, "func.func @f(%%d: %s", types[row->count]);
    for (size_t i = one->in_place; i < row->count; i++)
        if (row->sources[i] == 't' || !one->constant)
            at += sprintf(at, ", %%%s: %s", names[i], types[i]);
    at += sprintf(at, ") {\n");
    for (size_t i = 0; i < row->count && one->constant; i++) {
        char name[4] = {'%', names[i][0], 0};
        if (row->sources[i] == 's')
            at += constant(at, name, sam_tile_dtype_find(types[i], strlen(types[i])), one->bits);
    }
    at += sprintf(at, "  pto.%s ins(", row->name);
    for (size_t i = 0; i < row->count; i++)
        at += sprintf(at, "%s%%%s", i ? ", " : "", names[i]);
    for (size_t i = 0; i < row->count; i++)
        at += sprintf(at, "%s%s", i ? ", " : " : ", types[i]);
    at += sprintf(at, ") outs(%%d : %s)", types[row->count]);
    if (family->attribute)
        at += sprintf(at, " {%s = %s}", sam_tile_attribute(row)->key,
                      attributes[family->attribute][one->attribute]);
    sprintf(at, "\n  return\n}\n");
}

bool vector_takes(unsigned code, enum sam_dtype dtype)
{
    enum sam_tile_class of = sam_tile_row(code)->dtypes;
    const enum sam_tile_function function = sam_tile_row(code)->function;
    if (function != SAM_TILE_FN_NONE && sam_lower_function_lack(function, dtype))
        return false; /* refused */
    const bool whole = of == SAM_TILE_WHOLE || of == SAM_TILE_BITS;
    return of == SAM_TILE_REAL ? test_is_real(dtype) : !whole || !test_is_real(dtype);
}

unsigned vector_variants(unsigned code)
{
    switch (sam_tile_family(sam_tile_row(code))->attribute) {
    case SAM_TILE_ATTRIBUTE_CMP: return 6;
    case SAM_TILE_ATTRIBUTE_ROUND: return 5;
    default: return 1;
    }
}

bool vector_by_element(unsigned code)
{
    struct sam_lower_kernel none = {0};
    struct sam_tile_op op = {.code = code};
    struct sam_tile_program p = {.ops = &op, .op_count = 1};
    struct lower l = {.p = &p};
    const enum sam_tile_family_id family = sam_tile_row(code)->family;
    if (sam_lower_is_indexed(code) || family == SAM_TILE_QUANT || family == SAM_TILE_DEQUANT)
        return false; /* generated.c has them */
    return sam_lower_can_fuse(&l, &none, 0) && !sam_lower_folds(code);
}

/* --- groups */

enum { SAME = 3 }; /* arguments of each dtype */

static unsigned pick(struct vector_group *g, unsigned n)
{
    return (unsigned)test_below(&g->seed, n);
}

static unsigned which_of(const struct vector_group *g, enum sam_dtype dtype)
{
    return dtype == g->dtypes[0] ? 0 : dtype == g->dtypes[1] ? 1 : 2;
}

static enum sam_lower_part part_of(const struct sam_tile_row *row, unsigned operand)
{
    const enum sam_tile_reads reads = sam_tile_family(row)->reads;
    return operand + 1 != row->count             ? LOWER_WHOLE
           : reads == SAM_TILE_READS_LAST_ROW    ? LOWER_FIRST_ROW
           : reads == SAM_TILE_READS_LAST_COLUMN ? LOWER_FIRST_COLUMN
                                                 : LOWER_WHOLE;
}

/* A tile of a dtype, as "%name", and its type: an argument, or a result of an earlier operation. */
static void choose(struct vector_group *g, enum sam_dtype dtype, enum sam_lower_part part,
                   char *name, char *type)
{
    unsigned which = which_of(g, dtype);
    int64_t valid[2] = {g->shape->valid[0], g->shape->valid[1]};
    uint32_t rows = g->shape->rows, cols = g->shape->cols;
    if (part == LOWER_FIRST_ROW)
        valid[0] = 1, rows = 2;
    if (part == LOWER_FIRST_COLUMN)
        valid[1] = 1, cols = 32;
    type_of(type, rows, cols, valid, dtype, 0);
    if (part == LOWER_WHOLE && g->locals[which] && pick(g, 2))
        sprintf(name, "%%l%u_%u", which, pick(g, g->locals[which]));
    else
        sprintf(name, "%%%s%u_%u",
                part == LOWER_WHOLE       ? "t"
                : part == LOWER_FIRST_ROW ? "r"
                                          : "c",
                which, part == LOWER_WHOLE ? pick(g, SAME) : 0);
}

static void declare(struct vector_group *g)
{
    char name[16], type[96];
    const char *comma = "";
    g->at += sprintf(g->at, "func.func @f(");
    for (unsigned which = 0; which < 3; which++) {
        enum sam_dtype dtype = which < 2 ? g->dtypes[which] : SAM_U8;
        if (which && dtype == g->dtypes[0])
            continue;
        if (which == 2 && dtype == g->dtypes[1])
            continue;
        for (unsigned part = LOWER_WHOLE; part <= LOWER_FIRST_COLUMN; part++) {
            choose(g, dtype, (enum sam_lower_part)part, name, type);
            for (unsigned i = 0; i < (part == LOWER_WHOLE ? SAME : 1); i++, comma = ", ")
                g->at +=
                    sprintf(g->at, "%s%.*s%u: %s", comma, (int)strlen(name) - 1, name, i, type);
        }
        g->at += sprintf(g->at, ", %%s%u: %s", which, sam_tile_dtype_name(dtype));
    }
    g->at += sprintf(g->at, ") {\n");
}

/* The destination: sometimes a new tile, which the operation must not read. */
static bool make_destination(struct vector_group *g, const struct sam_tile_row *row,
                             enum sam_dtype to, char *name, char *type)
{
    choose(g, to, LOWER_WHOLE, name, type);
    if (sam_tile_updates(row) || g->shape->valid[0] == SAM_TILE_DYNAMIC || pick(g, 2) ||
        g->locals[0] + g->locals[1] + g->locals[2] == 5)
        return false;
    sprintf(name, "%%l%u_%u", which_of(g, to), g->locals[which_of(g, to)]);
    return true;
}

static void one_of_group(struct vector_group *g)
{
    unsigned code;
    enum sam_dtype dtype = g->dtypes[pick(g, 2)];
    do
        code = SAM_TILE_FIRST_OP + pick(g, SAM_TILE_CODES - SAM_TILE_FIRST_OP);
    while (!vector_by_element(code) || !vector_takes(code, dtype) ||
           sam_tile_row(code)->family == SAM_TILE_FILLPAD);
    const struct sam_tile_row *row = sam_tile_row(code);
    const struct sam_tile_family *family = sam_tile_family(row);
    enum sam_dtype to = row->family == SAM_TILE_CMP   ? SAM_U8
                        : row->family == SAM_TILE_CVT ? g->dtypes[pick(g, 2)]
                                                      : dtype;
    char names[4][16], types[4][96], line[1024], *at = line;
    bool made = make_destination(g, row, to, names[3], types[3]);
    at += sprintf(at, "  pto.%s ins(", row->name);
    for (unsigned i = 0; i < row->count; i++) {
        enum sam_dtype of = family->own == SAM_TILE_OWN_FIRST && i == 0 ? SAM_U8 : dtype;
        if (row->sources[i] == 's') {
            sprintf(names[i], "%%s%u", which_of(g, of));
            strcpy(types[i], sam_tile_dtype_name(of));
            if (pick(g, 2)) {
                uint64_t bits = test_element(&g->seed, of);
                sprintf(names[i], "%%k%u", g->constants++);
                g->at += constant(g->at, names[i], of, bits ? bits : 1);
            }
        } else {
            choose(g, of, part_of(row, i), names[i], types[i]);
        }
        if (strcmp(names[i], names[3]) == 0 && !sam_tile_in_place(row, i))
            return; /* it cannot work in place: one operation less */
        at += sprintf(at, "%s%s", i ? ", " : "", names[i]);
    }
    for (unsigned i = 0; i < row->count; i++)
        at += sprintf(at, "%s%s", i ? ", " : " : ", types[i]);
    at += sprintf(at, ") outs(%s : %s)", names[3], types[3]);
    if (family->attribute)
        sprintf(at, " {%s = %s}", sam_tile_attribute(row)->key,
                attributes[family->attribute][pick(g, vector_variants(code))]);
    if (made) {
        g->at += sprintf(g->at, "  %s = pto.alloc_tile : %s\n", names[3], types[3]);
        g->locals[which_of(g, to)]++;
    }
    g->at += sprintf(g->at, "%s\n", line);
}

void vector_write_group(struct vector_group *g, unsigned operations)
{
    g->at = g->text;
    g->constants = g->locals[0] = g->locals[1] = g->locals[2] = 0;
    g->shape = &vector_shapes[pick(g, VECTOR_SHAPES)];
    for (unsigned i = 0; i < 2; i++)
        g->dtypes[i] = test_dtypes[pick(g, SAM_COUNT(test_dtypes))];
    declare(g);
    for (unsigned i = 0; i < operations; i++)
        one_of_group(g);
    g->at += sprintf(g->at, "  return\n}\n");
}
