/* SPDX-License-Identifier: Apache-2.0 */
/* Run-time shape checks. The verifier (sam_tile_verify_op) runs with symbolic names for sizes that
 * are not compile-time constants, and calls back for rules on them. */
#include <inttypes.h>
#include <stdlib.h>

#include "lower/hart.h"

enum kind { ROWS, COLS, DIMENSION, PRODUCT, SUM };

struct name {
    enum kind kind;
    uint32_t value;     /* of ROWS, COLS and DIMENSION */
    unsigned dimension; /* of DIMENSION */
    int64_t a, b;       /* of PRODUCT and SUM */
};

enum { MOST = 24, FIRST = SAM_TILE_DYNAMIC - 1 };

struct shapes {
    struct lower *l;
    const struct sam_tile_op *op;
    struct name names[MOST];
    unsigned count;
    bool write; /* emit code; otherwise only find out whether there is any */
    bool any;
};

static int64_t add(struct shapes *s, struct name name)
{
    if (s->count == MOST)
        return SAM_TILE_DYNAMIC;
    s->names[s->count] = name;
    return FIRST - (int64_t)s->count++;
}

static int64_t combine(void *context, bool product, int64_t a, int64_t b)
{
    if (a == SAM_TILE_DYNAMIC || b == SAM_TILE_DYNAMIC) /* overflow */
        return SAM_TILE_DYNAMIC;
    if (product && a == 1)
        return b;
    return add(context, (struct name){.kind = product ? PRODUCT : SUM, .a = a, .b = b});
}

/* reg = a size. Clobbers the temporaries from `depth` on. */
static void get_deep(const struct shapes *s, const char *reg, int64_t size, unsigned depth)
{
    static const char *const temporaries[] = {"t6", "t5", "t4", "t3", "t2"};
    const char *other = temporaries[depth < SAM_COUNT(temporaries) ? depth : 0];
    if (size > FIRST) {
        sam_lower_hart(s->l, "li %s, %" PRId64, reg, size);
        return;
    }
    const struct name *n = &s->names[(size_t)(FIRST - size)];
    switch (n->kind) {
    case ROWS: sam_lower_field(s->l, reg, n->value, LOWER_ROWS); break;
    case COLS: sam_lower_field(s->l, reg, n->value, LOWER_COLS); break;
    case DIMENSION: sam_lower_window_size(s->l, reg, n->value, n->dimension); break;
    case PRODUCT:
    case SUM:
        get_deep(s, reg, n->a, depth);
        get_deep(s, other, n->b, depth + 1);
        sam_lower_hart(s->l, "%s %s, %s, %s", n->kind == SUM ? "add" : "mul", reg, reg, other);
        break;
    }
}

/* reg = a size. Clobbers t2 to t6. */
static void get(const struct shapes *s, const char *reg, int64_t size)
{
    get_deep(s, reg, size, 0);
}

/* Load the names in a message into registers and replace them by placeholders. */
static void load_names(const struct shapes *s, const char *text, struct sam_buffer *out)
{
    static const char *const regs[LOWER_NUMBERS] = {"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7"};
    unsigned used = 0;
    while (*text) {
        char *end = NULL;
        const long long name = *text == '{' ? strtoll(text + 1, &end, 10) : 0;
        if (name > FIRST || !end || *end != '}' || used == LOWER_NUMBERS) {
            sam_buffer_append(out, text++, 1);
            continue;
        }
        get(s, regs[used], name);
        sam_buffer_printf(out, "{%u}", used++);
        text = end + 1;
    }
}

static void later(void *context, enum sam_tile_relation relation, int64_t a, int64_t b,
                  const char *text)
{
    struct shapes *s = context;
    struct sam_buffer message = {0};
    if (a == SAM_TILE_DYNAMIC || b == SAM_TILE_DYNAMIC) {
        if (s->write)
            sam_lower_refuse(s->l, s->op, "%s: more elements than 64 bits can count",
                             sam_lower_op_name(s->op));
        return;
    }
    s->any = true;
    if (!s->write)
        return;
    sam_lower_begin(s->l, s->op);
    load_names(s, text, &message);
    const unsigned failure = sam_lower_failure(s->l, s->op, "%s", sam_buffer_text(&message));
    sam_buffer_free(&message);
    get(s, "t0", a);
    get(s, "t1", b);
    switch (relation) {
    case SAM_TILE_EQUAL: sam_lower_hart(s->l, "bne t0, t1, .Lfailure%u", failure); break;
    case SAM_TILE_AT_MOST: sam_lower_hart(s->l, "bgt t0, t1, .Lfailure%u", failure); break;
    case SAM_TILE_SOME_IF:
        sam_lower_hart(s->l,
                       "bnez t0, 0f; bnez t1, .Lfailure%u; "
                       "0:",
                       failure);
        break;
    }
}

/* Copy an operand's type, with names for sizes that are not constants. */
static void name_sizes(struct shapes *s, uint32_t value, struct sam_tile_ty *type)
{
    uint32_t size;
    *type = *sam_tile_ty(s->l->p, value);
    if (type->kind == SAM_TILE_KIND_TILE) {
        type->tile.valid_rows = sam_lower_known(s->l, value, LOWER_ROWS, &size)
                                    ? size
                                    : add(s, (struct name){.kind = ROWS, .value = value});
        type->tile.valid_cols = sam_lower_known(s->l, value, LOWER_COLS, &size)
                                    ? size
                                    : add(s, (struct name){.kind = COLS, .value = value});
    }
    for (unsigned i = 0; type->kind == SAM_TILE_KIND_PART && i < type->rank; i++)
        if (!sam_lower_window_known(s->l, value, i, false, &type->dims[i]))
            type->dims[i] =
                add(s, (struct name){.kind = DIMENSION, .value = value, .dimension = i});
}

/* A rule that is statically violated fails when the operation executes. */
static void fail(struct lower *l, const struct sam_tile_op *op, struct sam_tile_report *report)
{
    struct sam_error first;
    char *messages = NULL;
    if (sam_tile_report_end(report, &messages, &first) == SAM_ERR_INPUT) {
        sam_lower_begin(l, op);
        sam_lower_hart(l, "j .Lfailure%u",
                       sam_lower_failure(l, op, "%s", strstr(first.text, ": ") + 2));
    }
    l->state->memory |= !messages;
    free(messages);
}

/* --- overlap */

/* Compute the byte span of a tile. Returns false if its address is not a constant. */
static bool span_of(const struct lower *l, uint32_t tile, struct sam_tile_span *span)
{
    const struct sam_tile_type *type = &sam_tile_ty(l->p, tile)->tile;
    const uint32_t pitch = lower_value(l, tile)->pitch;
    uint32_t address = 0;
    const bool known = sam_lower_known(l, tile, LOWER_ADDRESS, &address);
    return sam_tile_span_tile(span, type, address, (uint32_t)lower_steps(type->dtype, pitch)) &&
           known;
}

/* Returns whether the operation may run in place on source i. */
static bool may_be_one(const struct lower *l, const struct sam_tile_op *op, uint32_t i)
{
    const uint32_t s = sam_tile_arg(l->p, op, i), d = sam_tile_arg(l->p, op, op->operand_count - 1);
    return sam_tile_may_be_one(sam_tile_row(op->code), i, &sam_tile_ty(l->p, s)->tile,
                               &sam_tile_ty(l->p, d)->tile) &&
           lower_value(l, s)->pitch == lower_value(l, d)->pitch;
}

/* Returns whether an illegal overlap is possible. Distinct tiles placed by the plan are disjoint.
 */
static bool may_overlap(const struct lower *l, const struct sam_tile_op *op, uint32_t i)
{
    const uint32_t s = sam_tile_arg(l->p, op, i), d = sam_tile_arg(l->p, op, op->operand_count - 1);
    const struct sam_tile_ty *from = sam_tile_ty(l->p, s), *to = sam_tile_ty(l->p, d);
    struct sam_tile_span x, y;
    int64_t low, high;
    if (s == d || from->kind != SAM_TILE_KIND_TILE || to->kind != SAM_TILE_KIND_TILE ||
        from->tile.loc != to->tile.loc)
        return false;
    if (lower_root(l, s) != lower_root(l, d) && !sam_lower_is_computed(l, s) &&
        !sam_lower_is_computed(l, d))
        return false;
    const bool known = span_of(l, s, &x) && span_of(l, d, &y);
    return !known ||
           (sam_tile_span_meet(&x, &y, &low, &high) && !(x.low == y.low && may_be_one(l, op, i)));
}

/* Load address, line count, pitch and line bytes of a tile into aN to aN+3. */
static void put_lines(struct lower *l, uint32_t tile, unsigned reg)
{
    const struct sam_tile_type *type = &sam_tile_ty(l->p, tile)->tile;
    const bool by_rows = type->blayout == SAM_TILE_row_major;
    const char first[] = {'a', (char)('0' + reg), '\0'};
    sam_lower_field(l, first, tile, LOWER_ADDRESS);
    sam_lower_hart(l, "li a%u, %" PRIu32 "; li a%u, %" PRIu32 "; li a%u, %" PRIu64, reg + 1,
                   by_rows ? type->rows : type->cols, reg + 2, lower_value(l, tile)->pitch, reg + 3,
                   sam_tile_length(type->dtype, by_rows ? type->cols : type->rows));
}

/* Emit a failure if the destination shares bytes with source i. */
static void check_overlap(struct lower *l, const struct sam_tile_op *op, uint32_t i)
{
    const uint32_t s = sam_tile_arg(l->p, op, i), d = sam_tile_arg(l->p, op, op->operand_count - 1);
    const uint32_t emptied_by = sam_tile_emptied_by(sam_tile_row(op->code));
    const unsigned apart = sam_lower_label(l);
    sam_lower_begin(l, op);
    const unsigned failure =
        sam_lower_failure(l, op, "%s: the destination %s overlaps %s", sam_lower_op_name(op),
                          l->p->values[d].name, l->p->values[s].name);
    if (emptied_by != SAM_TILE_NONE)
        sam_lower_skip_empty(l, sam_tile_arg(l->p, op, emptied_by), apart);
    put_lines(l, s, 0);
    put_lines(l, d, 4);
    if (may_be_one(l, op, i))
        sam_lower_hart(l, "beq a0, a4, .L%u", apart);
    sam_lower_hart(l,
                   "call .Lmeet; bnez t0, .Lfailure%u; "
                   ".L%u:",
                   failure, apart);
    l->state->meet = true;
}

/* The diagonal of ttri, or the columns of tsort, which the executor checks too. */
static void check_number(struct shapes *s, bool diagonal)
{
    struct lower *l = s->l;
    const int64_t largest = diagonal ? SAM_TILE_MOST_DIAGONAL : SAM_TILE_MOST_GROUP;
    const int64_t least = diagonal ? -largest : 0;
    const uint32_t value = sam_tile_arg(l->p, s->op, diagonal ? 0 : 1);
    const uint32_t d = sam_tile_arg(l->p, s->op, s->op->operand_count - 1);
    int64_t known;
    if (sam_lower_constant(l, value, &known) && known >= least && known <= largest)
        return;
    s->any = true;
    if (!s->write)
        return;
    sam_lower_begin(l, s->op);
    const unsigned failure = diagonal
                                 ? sam_lower_failure(l, s->op, SAM_TILE_DIAGONAL_TEXT("%s", "{0}"),
                                                     sam_lower_op_name(s->op))
                                 : sam_lower_failure(l, s->op, SAM_TILE_GROUP_TEXT("%s", "{0}"),
                                                     sam_lower_op_name(s->op));
    const unsigned end = sam_lower_label(l);
    sam_lower_skip_empty(l, d, end);
    sam_lower_get(l, "a0", value);
    sam_lower_hart(l,
                   "li t0, %" PRId64 "; bgt a0, t0, .Lfailure%u; li t0, %" PRId64
                   "; blt a0, t0, .Lfailure%u; .L%u:",
                   largest, failure, least, failure, end);
}

/* A row or column of timg2col's matrix: it and those after it exist. */
static void check_window(struct lower *l, const struct sam_tile_op *op, bool rows, int64_t of)
{
    const uint32_t from = sam_tile_arg(l->p, op, rows ? 1 : 2);
    const uint32_t d = sam_tile_arg(l->p, op, op->operand_count - 1);
    const enum sam_lower_field field = rows ? LOWER_ROWS : LOWER_COLS;
    const unsigned failure =
        sam_lower_failure(l, op, SAM_TILE_IMAGE_TEXT("%s", "%s", "{0}", "{1}", "{2}"),
                          sam_lower_op_name(op), rows ? "rows" : "columns");
    sam_lower_get(l, "a0", from);
    sam_lower_field(l, "a1", d, field);
    sam_lower_hart(l,
                   "li a2, %" PRId64 "; bltz a0, .Lfailure%u; sub t0, a2, a1; bgt a0, t0, "
                   ".Lfailure%u",
                   of, failure, failure);
}

/* The numbers of timg2col. */
static void check_image(struct shapes *s)
{
    struct lower *l = s->l;
    const uint32_t d = sam_tile_arg(l->p, s->op, s->op->operand_count - 1);
    const unsigned end = s->write ? sam_lower_label(l) : 0;
    struct sam_tile_geometry g;
    char text[200];
    const bool good = sam_lower_geometry(l, s->op, &g, text, sizeof text);
    int64_t from[2];
    uint32_t count[2];
    if (good && sam_lower_constant(l, sam_tile_arg(l->p, s->op, 1), &from[0]) &&
        sam_lower_constant(l, sam_tile_arg(l->p, s->op, 2), &from[1]) &&
        sam_lower_known(l, d, LOWER_ROWS, &count[0]) &&
        sam_lower_known(l, d, LOWER_COLS, &count[1]) && from[0] >= 0 && from[1] >= 0 &&
        from[0] <= g.rows - count[0] && from[1] <= g.cols - count[1])
        return;
    s->any = true;
    if (!s->write)
        return;
    sam_lower_begin(l, s->op);
    if (!good && !*text) {
        sam_lower_refuse(l, s->op,
                         "%s: expected a source of known size, and constants but for the position",
                         sam_lower_op_name(s->op));
        return;
    }
    sam_lower_skip_empty(l, d, end);
    if (good) {
        check_window(l, s->op, true, g.rows);
        check_window(l, s->op, false, g.cols);
    } else {
        sam_lower_hart(l, "j .Lfailure%u", sam_lower_failure(l, s->op, "%s", text));
    }
    sam_lower_hart(l, ".L%u:", end);
}

static bool verify(struct lower *l, const struct sam_tile_op *op, bool write)
{
    struct shapes s = {.l = l, .op = op, .write = write};
    const struct sam_tile_unknown unknown = {&s, combine, later};
    struct sam_tile_ty types[SAM_TILE_OPERANDS];
    const struct sam_tile_ty *pointers[SAM_TILE_OPERANDS];
    struct sam_tile_report report = {0};
    const struct sam_tile_verifier verifier = {l->options.profile, l->options.dialect,
                                               op->attribute, &report, &unknown};
    for (uint32_t i = 0; i < op->operand_count; i++) {
        name_sizes(&s, sam_tile_arg(l->p, op, i), &types[i]);
        pointers[i] = &types[i];
    }
    sam_tile_verify_op(&verifier, op->code, pointers, NULL, (struct sam_tile_pos){0});
    const enum sam_tile_family_id family = sam_tile_row(op->code)->family;
    if (family == SAM_TILE_TRI || family == SAM_TILE_SORT)
        check_number(&s, family == SAM_TILE_TRI);
    if (family == SAM_TILE_IMAGE)
        check_image(&s);
    const bool broken = report.report.errors != 0;
    if (broken && write)
        fail(l, op, &report);
    sam_tile_report_free(&report);
    for (uint32_t i = 0; i + 1 < op->operand_count; i++)
        if (may_overlap(l, op, i)) {
            s.any = true;
            if (write)
                check_overlap(l, op, i);
        }
    return s.any || broken;
}

void sam_lower_infer(struct lower *l, const struct sam_tile_op *op)
{
    struct shapes s = {.l = l, .op = op};
    const struct sam_tile_unknown others = {&s, combine, NULL};
    const uint32_t tile = sam_tile_arg(l->p, op, op->operand_count - 1);
    struct sam_tile_ty types[SAM_TILE_OPERANDS];
    const struct sam_tile_ty *pointers[SAM_TILE_OPERANDS];
    int64_t valid[2];
    if (!sam_tile_is_inferred(l->p, op, false) && !sam_tile_is_inferred(l->p, op, true))
        return;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        name_sizes(&s, sam_tile_arg(l->p, op, i), &types[i]);
        pointers[i] = &types[i];
    }
    sam_tile_infer(l->options.profile, op->code, op->attribute, pointers, &others, valid);
    for (unsigned cols = 0; cols < 2; cols++) {
        if (!sam_tile_is_inferred(l->p, op, cols) ||
            (valid[cols] > FIRST && sam_lower_size_known(l, tile, cols, valid[cols])))
            continue;
        sam_lower_begin(l, op);
        get(&s, "a0", valid[cols]);
        sam_lower_set_size(l, op, tile, cols, false);
    }
}

bool sam_lower_has_shapes(struct lower *l, const struct sam_tile_op *op)
{
    return verify(l, op, false);
}

void sam_lower_shapes(struct lower *l, const struct sam_tile_op *op)
{
    verify(l, op, true);
}
