/* SPDX-License-Identifier: Apache-2.0 */
/* Static checks of a whole program against a profile. */
#include <inttypes.h>
#include <stdlib.h>

#include "tile/check/waits.h"

struct checker {
    const struct sam_tile_program *p;
    const struct sam_tile_func *f;
    struct sam_tile_verifier verifier;
    struct sam_tile_flow flow;
    struct sam_tile_plan plan;
    bool memory;
};

static void check_value_types(struct checker *c)
{
    for (uint32_t i = 0; i < c->f->value_count; i++) {
        const struct sam_tile_value *v = &c->p->values[c->f->first_value + i];
        if (v->type.kind == SAM_TILE_KIND_TILE)
            sam_tile_verify_type(&c->verifier, &v->type.tile, v->seen);
    }
}

/* Returns whether the operation after an allocation determines the size of its tile. */
static bool is_fixed(const struct checker *c, const struct sam_tile_op *alloc, unsigned cols)
{
    const struct sam_tile_ty *types[SAM_TILE_OPERANDS] = {NULL};
    int64_t valid[2];
    if (alloc->next == SAM_TILE_NONE)
        return false;
    const struct sam_tile_op *op = &c->p->ops[alloc->next];
    if (op->code < SAM_TILE_FIRST_OP ||
        sam_tile_arg(c->p, op, op->operand_count - 1) != c->p->ids[alloc->results])
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        types[i] = sam_tile_ty(c->p, sam_tile_arg(c->p, op, i));
    sam_tile_infer(c->verifier.profile, op->code, op->attribute, types, NULL, valid);
    return valid[cols] != SAM_TILE_DYNAMIC;
}

/* A `?` requires a size operand at the allocation, unless the next operation's sources determine
 * it; a constant forbids one. */
static void check_alloc(struct checker *c, const struct sam_tile_op *op)
{
    const struct sam_tile_type *t = &sam_tile_ty(c->p, c->p->ids[op->results])->tile;
    static const char *const names[] = {"valid_row", "valid_col"};
    int64_t valid[] = {t->valid_rows, t->valid_cols};
    for (unsigned i = 0; i < 2; i++) {
        bool given = op->attribute & (i ? SAM_TILE_HAS_COLS : SAM_TILE_HAS_ROWS);
        if (given && valid[i] != SAM_TILE_DYNAMIC)
            sam_tile_error(c->verifier.report, op->pos, "%s is given, but the type says %" PRId64,
                           names[i], valid[i]);
        if (!given && valid[i] == SAM_TILE_DYNAMIC && !is_fixed(c, op, i))
            sam_tile_error(c->verifier.report, op->pos, "the type has '?', so alloc_tile needs %s",
                           names[i]);
    }
}

static void check_shape(struct checker *c, const struct sam_tile_op *op)
{
    const struct sam_tile_type *t = &sam_tile_ty(c->p, sam_tile_arg(c->p, op, 0))->tile;
    if (t->valid_rows != SAM_TILE_DYNAMIC || t->valid_cols != SAM_TILE_DYNAMIC)
        sam_tile_error(c->verifier.report, op->pos,
                       "set_validshape requires a tile whose type says valid=?x?");
}

static void check_subset(struct checker *c, const struct sam_tile_op *op)
{
    const struct sam_tile_type *t = &sam_tile_ty(c->p, sam_tile_arg(c->p, op, 0))->tile;
    const struct sam_tile_type *u = &sam_tile_ty(c->p, c->p->ids[op->results])->tile;
    if (t->loc != u->loc || t->dtype != u->dtype || t->blayout != u->blayout ||
        t->slayout != u->slayout)
        sam_tile_error(c->verifier.report, op->pos,
                       "a window must have the memory, dtype and layout of its tile");
    int64_t offset[2] = {0};
    uint64_t room[] = {t->rows, t->cols}, size[] = {u->rows, u->cols};
    for (unsigned i = 0; i < 2; i++)
        if (sam_tile_constant(c->p, sam_tile_arg(c->p, op, 1 + i), &offset[i]) &&
            (offset[i] < 0 || (uint64_t)offset[i] > room[i] ||
             size[i] > room[i] - (uint64_t)offset[i]))
            sam_tile_error(c->verifier.report, op->pos,
                           "the window ends at %s %" PRId64 ": the tile has %" PRIu64,
                           i ? "column" : "row", offset[i] + (int64_t)size[i], room[i]);
    bool by_rows = u->blayout == SAM_TILE_row_major;
    if ((uint64_t)offset[by_rows] * sam_dtype_table[u->dtype].bits % (32 * 8))
        sam_tile_error(c->verifier.report, op->pos,
                       "the window does not start at a multiple of 32 bytes");
}

static bool is_window(const struct checker *c, uint32_t tile)
{
    const uint32_t op = c->p->values[tile].op;
    return op != SAM_TILE_NONE && c->p->ops[op].code == SAM_TILE_SUBSET;
}

/* Returns whether an operation is known to write at least one element. */
static bool writes(const struct checker *c, const struct sam_tile_op *op)
{
    const uint32_t operand = sam_tile_emptied_by(sam_tile_row(op->code));
    if (operand == SAM_TILE_NONE)
        return true;
    const struct sam_tile_type *t = &sam_tile_ty(c->p, sam_tile_arg(c->p, op, operand))->tile;
    return t->valid_rows > 0 && t->valid_cols > 0;
}

/* Returns whether source i illegally overlaps the destination. A window always overlaps its tile.
 * Two windows are compared if their positions are constants, otherwise at run time. */
static bool overlaps(const struct checker *c, const struct sam_tile_op *op, uint32_t i)
{
    const uint32_t src = sam_tile_arg(c->p, op, i),
                   dst = sam_tile_arg(c->p, op, op->operand_count - 1);
    const uint32_t *root = c->flow.root;
    struct sam_tile_span x, y;
    int64_t from, to;
    if (src == dst || root[src - c->f->first_value] != root[dst - c->f->first_value])
        return false;
    if (!is_window(c, src) || !is_window(c, dst))
        return true;
    return sam_tile_span_in_root(c->p, &c->flow, src, 0, &x) &&
           sam_tile_span_in_root(c->p, &c->flow, dst, 0, &y) &&
           sam_tile_span_meet(&x, &y, &from, &to) && writes(c, op) &&
           !(x.low == y.low &&
             sam_tile_may_be_one(sam_tile_row(op->code), i, &sam_tile_ty(c->p, src)->tile,
                                 &sam_tile_ty(c->p, dst)->tile));
}

static void check_overlap(struct checker *c, const struct sam_tile_op *op)
{
    const struct sam_tile_row *row = sam_tile_row(op->code);
    uint32_t dst = sam_tile_arg(c->p, op, op->operand_count - 1);
    if (sam_tile_ty(c->p, dst)->kind != SAM_TILE_KIND_TILE)
        return;
    for (uint32_t i = 0; i + 1 < op->operand_count; i++) {
        uint32_t src = sam_tile_arg(c->p, op, i);
        if (sam_tile_ty(c->p, src)->kind != SAM_TILE_KIND_TILE)
            continue;
        if (src == dst && !sam_tile_in_place(row, i))
            sam_tile_error(c->verifier.report, c->p->operands[op->operands + i].pos,
                           "%s: %%%s is both source and destination", row->name,
                           c->p->values[src].name);
        else if (overlaps(c, op, i))
            sam_tile_error(c->verifier.report, c->p->operands[op->operands + i].pos,
                           "%s: the destination %%%s overlaps %%%s", row->name,
                           c->p->values[dst].name, c->p->values[src].name);
    }
}

static void check_tile_op(struct checker *c, const struct sam_tile_op *op)
{
    const struct sam_tile_ty *types[SAM_TILE_OPERANDS] = {NULL};
    struct sam_tile_pos positions[SAM_TILE_OPERANDS] = {{0}};
    for (uint32_t i = 0; i < op->operand_count; i++) {
        types[i] = sam_tile_ty(c->p, sam_tile_arg(c->p, op, i));
        positions[i] = c->p->operands[op->operands + i].pos;
    }
    c->verifier.attribute = op->attribute;
    sam_tile_verify_op(&c->verifier, op->code, types, positions, op->pos);
    check_overlap(c, op);
}

static void check_ops(struct checker *c)
{
    for (size_t i = 0; i < c->p->op_count; i++) {
        const struct sam_tile_op *op = &c->p->ops[i];
        if (!c->flow.order[i])
            continue;
        if (op->code >= SAM_TILE_FIRST_OP)
            check_tile_op(c, op);
        else if (op->code == SAM_TILE_ALLOC)
            check_alloc(c, op);
        else if (op->code == SAM_TILE_SHAPE)
            check_shape(c, op);
        else if (op->code == SAM_TILE_SUBSET)
            check_subset(c, op);
    }
}

static void check_reads(struct checker *c)
{
    for (size_t i = 0; i < c->flow.read_count; i++) {
        const struct sam_tile_early *early = &c->flow.reads[i];
        if (c->plan.manual && sam_tile_shares(&c->plan, early->value))
            continue;
        const struct sam_tile_op *op = &c->p->ops[early->op];
        const struct sam_tile_operand *o = &c->p->operands[op->operands + early->operand];
        sam_tile_error(c->verifier.report, o->pos, "%s reads %%%s before it is written",
                       sam_tile_code_name(op->code), c->p->values[o->value].name);
    }
}

static void check_function(struct checker *c)
{
    c->memory |= sam_tile_flow(c->p, c->f, &c->flow) != SAM_OK;
    if (c->memory)
        return;
    check_value_types(c);
    check_ops(c);
    if (sam_tile_plan(c->p, c->f, &c->flow, c->verifier.profile, c->verifier.report, &c->plan) !=
        SAM_OK)
        c->memory = true;
    if (!c->memory)
        check_reads(c);
    if (c->plan.manual && !c->memory)
        c->memory = !sam_tile_check_waits(c->p, c->f, &c->flow, &c->plan, c->verifier.report);
}

enum sam_status sam_tile_check(const struct sam_tile_program *p, enum sam_tile_profile profile,
                               char **messages, struct sam_error *error)
{
    return sam_tile_check_in(p, profile, SAM_TILE_PAGE, messages, error);
}

enum sam_status sam_tile_check_in(const struct sam_tile_program *p, enum sam_tile_profile profile,
                                  enum sam_tile_dialect dialect, char **messages,
                                  struct sam_error *error)
{
    if (messages)
        *messages = NULL;
    if (!p || !messages)
        return sam_fail_null(error, p ? "messages" : "program");
    struct sam_tile_report report = {.program = p};
    bool memory = false;
    const struct sam_tile_options options = {.profile = profile, .dialect = dialect};
    if (sam_tile_check_options(&options, error) != SAM_OK)
        return SAM_ERR_USAGE;
    for (size_t i = 0; i < p->func_count && !memory; i++) {
        struct checker c = {
            .p = p, .f = &p->funcs[i], .verifier = {profile, dialect, 0, &report, NULL}};
        check_function(&c);
        memory = c.memory;
        sam_tile_flow_free(&c.flow);
        sam_tile_plan_free(&c.plan);
    }
    enum sam_status status = sam_tile_report_end(&report, messages, error);
    return memory ? sam_fail_memory(error) : status;
}
