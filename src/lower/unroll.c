/* SPDX-License-Identifier: Apache-2.0 */
/* Loop unrolling and constant folding of a tile program, before it is placed and lowered. Sizes of
 * tiles and windows that become known go into their types. */
#include "lower/unroll.h"

#include <stdlib.h>

#include "tile/check/bind.h"
#include "tile/check/plan.h"

/* Operations of the unrolled function, without constants. A loop that would exceed them stays a
 * loop, and so do those around it. */
enum { MOST_OPS = 12288 };

/* The link to the next operation. */
struct link {
    uint32_t op;
    enum { FUNCTION, NEXT, FIRST_BODY, SECOND_BODY } which;
};

struct unroll {
    const struct sam_tile_program *p;
    enum sam_tile_profile profile;
    struct sam_tile_program q;
    struct link link;
    uint32_t *map;       /* by value of p: its current copy, a constant if it is known */
    uint32_t *arguments; /* the same with arguments that are known */
    uint32_t *origin;    /* by operation of q */
    size_t origin_capacity;
    bool *reshaped; /* by value of p: set_validshape changes it */
    size_t ops;     /* of q, without constants */
    unsigned depth; /* of loops that are being unrolled */
    bool whole;     /* copy everything as it is */
    bool full, memory;
};

static bool known(const struct unroll *u, uint32_t value, int64_t *number)
{
    const struct sam_tile_op *const ops = u->q.ops;
    if (!u->q.values || !ops) /* an empty program */
        return false;
    const uint32_t op = u->q.values[value].op;
    if (op == SAM_TILE_NONE || ops[op].code != SAM_TILE_CONSTANT)
        return false;
    *number = ops[op].literal;
    return true;
}

static bool known_arg(const struct unroll *u, const struct sam_tile_op *op, uint32_t i,
                      int64_t *number)
{
    return known(u, u->map[sam_tile_arg(u->p, op, i)], number);
}

/* --- copies */

static void *more(struct unroll *u, void *array, size_t count, size_t *capacity, size_t size)
{
    void *grown = u->memory ? NULL : sam_grow(array, count, capacity, size);
    u->memory |= !grown;
    return grown;
}

static uint32_t add_value(struct unroll *u, uint32_t from, uint32_t op)
{
    void *grown = more(u, u->q.values, u->q.value_count, &u->q.value_capacity, sizeof *u->q.values);
    if (!grown)
        return 0;
    u->q.values = grown;
    u->q.values[u->q.value_count] = u->p->values[from];
    u->q.values[u->q.value_count].op = op;
    return (uint32_t)u->q.value_count++;
}

static void add_id(struct unroll *u, uint32_t id)
{
    void *grown = more(u, u->q.ids, u->q.id_count, &u->q.id_capacity, sizeof *u->q.ids);
    if (!grown)
        return;
    u->q.ids = grown;
    u->q.ids[u->q.id_count++] = id;
}

static void add_operand(struct unroll *u, uint32_t value, struct sam_tile_pos pos)
{
    void *grown =
        more(u, u->q.operands, u->q.operand_count, &u->q.operand_capacity, sizeof *u->q.operands);
    if (!grown)
        return;
    u->q.operands = grown;
    u->q.operands[u->q.operand_count++] = (struct sam_tile_operand){value, pos};
}

static void set_link(struct unroll *u, struct link link, uint32_t index)
{
    switch (link.which) {
    case FUNCTION: u->q.funcs[0].body = index; break;
    case NEXT: u->q.ops[link.op].next = index; break;
    case FIRST_BODY: u->q.ops[link.op].body[0] = index; break;
    case SECOND_BODY: u->q.ops[link.op].body[1] = index; break;
    }
}

/* Append an operation; returns its index. */
static uint32_t add_op(struct unroll *u, const struct sam_tile_op *from, struct sam_tile_op op)
{
    void *grown = more(u, u->q.ops, u->q.op_count, &u->q.op_capacity, sizeof *u->q.ops);
    if (!grown)
        return 0;
    u->q.ops = grown;
    grown = more(u, u->origin, u->q.op_count, &u->origin_capacity, sizeof *u->origin);
    if (!grown)
        return 0;
    u->origin = grown;
    const uint32_t index = (uint32_t)u->q.op_count++;
    op.next = op.body[0] = op.body[1] = SAM_TILE_NONE;
    op.comment = op.tail[0] = op.tail[1] = NULL;
    u->q.ops[index] = op;
    u->origin[index] = (uint32_t)(from - u->p->ops);
    set_link(u, u->link, index);
    u->link = (struct link){index, NEXT};
    u->ops += op.code != SAM_TILE_CONSTANT;
    return index;
}

/* A constant in place of the value `like`, which `from` defines. */
static uint32_t add_constant(struct unroll *u, const struct sam_tile_op *from, uint32_t like,
                             int64_t number)
{
    const struct sam_tile_op op = {.code = SAM_TILE_CONSTANT,
                                   .literal = number,
                                   .pos = from->pos,
                                   .operands = (uint32_t)u->q.operand_count,
                                   .results = (uint32_t)u->q.id_count,
                                   .result_count = 1};
    const uint32_t index = add_op(u, from, op), value = add_value(u, like, index);
    add_id(u, value);
    return value;
}

static uint32_t copy_op(struct unroll *u, const struct sam_tile_op *from)
{
    struct sam_tile_op op = *from;
    op.operands = (uint32_t)u->q.operand_count;
    for (uint32_t i = 0; i < from->operand_count; i++) {
        const struct sam_tile_operand *o = &u->p->operands[from->operands + i];
        add_operand(u, u->map[o->value], o->pos);
    }
    const uint32_t index = add_op(u, from, op);
    const uint32_t results = (uint32_t)u->q.id_count;
    for (uint32_t i = 0; i < from->result_count; i++) {
        const uint32_t value = u->p->ids[from->results + i];
        u->map[value] = add_value(u, value, index);
        add_id(u, u->map[value]);
    }
    const uint32_t params = (uint32_t)u->q.id_count;
    for (uint32_t i = 0; i < from->param_count; i++) {
        const uint32_t value = u->p->ids[from->params + i];
        u->map[value] = add_value(u, value, index);
        add_id(u, u->map[value]);
    }
    if (u->memory)
        return 0;
    u->q.ops[index].results = results;
    u->q.ops[index].params = params;
    return index;
}

/* --- sizes */

static struct sam_tile_ty *type_of(struct unroll *u, uint32_t value)
{
    return &u->q.values[value].type;
}

static bool is_static(const struct sam_tile_type *type)
{
    return type->valid_rows != SAM_TILE_DYNAMIC && type->valid_cols != SAM_TILE_DYNAMIC;
}

static void set_valid(struct sam_tile_type *type, bool cols, int64_t size)
{
    if (size < 0 || size > (cols ? type->cols : type->rows))
        return; /* fails when it runs */
    if (cols)
        type->valid_cols = size;
    else
        type->valid_rows = size;
}

/* Valid sizes given to an allocation; the operands stay for one that is not known. */
static void size_alloc(struct unroll *u, uint32_t index, uint32_t from)
{
    static const unsigned flags[] = {SAM_TILE_HAS_ROWS, SAM_TILE_HAS_COLS};
    struct sam_tile_op *op = &u->q.ops[index];
    const uint32_t tile = u->q.ids[op->results];
    uint32_t at = 0, kept = 0;
    int64_t size;
    for (unsigned cols = 0; cols < 2 && !u->reshaped[from]; cols++) {
        if (!(op->attribute & flags[cols]))
            continue;
        const struct sam_tile_operand o = u->q.operands[op->operands + at++];
        struct sam_tile_type *type = &type_of(u, tile)->tile;
        if (known(u, o.value, &size) && size >= 0 && size <= (cols ? type->cols : type->rows)) {
            set_valid(type, cols, size);
            op->attribute &= ~flags[cols];
        } else {
            u->q.operands[op->operands + kept++] = o;
        }
    }
    if (!u->reshaped[from])
        op->operand_count = kept;
}

/* The part of the valid rectangle of its tile that a window covers. */
static void size_subset(struct unroll *u, uint32_t index, uint32_t from)
{
    const struct sam_tile_op *op = &u->q.ops[index], *old = &u->p->ops[u->origin[index]];
    const struct sam_tile_type *whole = &type_of(u, sam_tile_arg(&u->q, op, 0))->tile;
    struct sam_tile_type *type = &type_of(u, u->q.ids[op->results])->tile;
    if (u->reshaped[from] || u->reshaped[sam_tile_arg(u->p, old, 0)])
        return;
    for (uint32_t cols = 0; cols < 2; cols++) {
        const int64_t valid = cols ? whole->valid_cols : whole->valid_rows;
        const int64_t most = cols ? type->cols : type->rows;
        int64_t offset;
        if ((cols ? type->valid_cols : type->valid_rows) != SAM_TILE_DYNAMIC ||
            valid == SAM_TILE_DYNAMIC || !known(u, sam_tile_arg(&u->q, op, 1 + cols), &offset) ||
            offset < 0)
            continue;
        const int64_t left = valid > offset ? valid - offset : 0;
        set_valid(type, cols, left < most ? left : most);
    }
}

static void size_window(struct unroll *u, uint32_t index, bool part)
{
    const struct sam_tile_op *op = &u->q.ops[index];
    struct sam_tile_ty *type = type_of(u, u->q.ids[op->results]);
    for (uint32_t i = 0; i < type->rank; i++) {
        int64_t size;
        if (type->dims[i] == SAM_TILE_DYNAMIC &&
            known(u, sam_tile_arg(&u->q, op, 1 + i + (part ? type->rank : 0)), &size) &&
            size >= 0 && size <= INT32_MAX)
            type->dims[i] = size;
    }
}

static bool all_known(const struct sam_tile_ty *type)
{
    if (type->kind == SAM_TILE_KIND_TILE)
        return is_static(&type->tile);
    for (uint32_t i = 0; type->kind == SAM_TILE_KIND_PART && i < type->rank; i++)
        if (type->dims[i] == SAM_TILE_DYNAMIC)
            return false;
    return true;
}

/* Sizes that an operation gives its destination. */
static void size_destination(struct unroll *u, uint32_t index)
{
    const struct sam_tile_op *op = &u->q.ops[index], *old = &u->p->ops[u->origin[index]];
    const struct sam_tile_ty *types[SAM_TILE_OPERANDS];
    const uint32_t tile = sam_tile_arg(&u->q, op, op->operand_count - 1);
    int64_t valid[2];
    const bool wanted[2] = {sam_tile_is_inferred(&u->q, op, false),
                            sam_tile_is_inferred(&u->q, op, true)};
    if ((!wanted[0] && !wanted[1]) || u->reshaped[sam_tile_arg(u->p, old, old->operand_count - 1)])
        return;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        types[i] = type_of(u, sam_tile_arg(&u->q, op, i));
        if (i + 1 < op->operand_count && !all_known(types[i]))
            return;
    }
    sam_tile_infer(u->profile, op->code, op->attribute, types, NULL, valid);
    for (unsigned cols = 0; cols < 2; cols++)
        if (wanted[cols])
            set_valid(&type_of(u, tile)->tile, cols, valid[cols]);
}

static void copy_plain(struct unroll *u, const struct sam_tile_op *op)
{
    const uint32_t index = copy_op(u, op);
    if (u->memory || u->whole)
        return;
    if (op->code >= SAM_TILE_FIRST_OP)
        size_destination(u, index);
    else if (op->code == SAM_TILE_ALLOC)
        size_alloc(u, index, u->p->ids[op->results]);
    else if (op->code == SAM_TILE_SUBSET)
        size_subset(u, index, u->p->ids[op->results]);
    else if (op->code == SAM_TILE_VIEW || op->code == SAM_TILE_PART)
        size_window(u, index, op->code == SAM_TILE_PART);
}

/* --- scalars */

/* Returns whether the result of an operation on scalars is known; it is then a constant. */
static bool fold(struct unroll *u, const struct sam_tile_op *op)
{
    int64_t numbers[3] = {op->literal}, number;
    const bool arith = op->code >= SAM_TILE_CONSTANT && op->code <= SAM_TILE_SELECT;
    if (!arith || u->whole)
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!known_arg(u, op, i, &numbers[i]))
            return false;
    const uint32_t result = u->p->ids[op->results];
    if (!sam_tile_eval(op, sam_tile_ty(u->p, result), numbers, &number))
        return false; /* fails when it runs */
    u->map[result] = add_constant(u, op, result, number);
    return true;
}

/* --- control flow */

static void block(struct unroll *u, uint32_t first, uint32_t *yields);

/* A place to return to when a loop turns out to be too long. */
struct point {
    size_t ops, values, operands, ids, plain;
    struct link link;
};

static struct point point(const struct unroll *u)
{
    return (struct point){u->q.op_count, u->q.value_count, u->q.operand_count,
                          u->q.id_count, u->ops,           u->link};
}

static void go_back(struct unroll *u, struct point to)
{
    u->q.op_count = to.ops;
    u->q.value_count = to.values;
    u->q.operand_count = to.operands;
    u->q.id_count = to.ids;
    u->ops = to.plain;
    u->link = to.link;
    set_link(u, u->link, SAM_TILE_NONE);
}

static bool unroll_loop(struct unroll *u, const struct sam_tile_op *op)
{
    const uint32_t *params = &u->p->ids[op->params], *results = &u->p->ids[op->results];
    const struct point before = point(u);
    int64_t from, to, step;
    if (u->whole || !known_arg(u, op, 0, &from) || !known_arg(u, op, 1, &to) ||
        !known_arg(u, op, 2, &step) || step <= 0)
        return false;
    uint32_t *yields = sam_alloc(op->result_count + 1, sizeof *yields);
    u->memory |= !yields;
    for (uint32_t i = 1; i < op->param_count; i++)
        u->map[params[i]] = u->map[sam_tile_arg(u->p, op, 2 + i)];
    u->depth++;
    for (int64_t at = from; at < to && !u->memory && !u->full; at += step) {
        u->map[params[0]] = add_constant(u, op, params[0], at);
        block(u, op->body[0], yields);
        for (uint32_t i = 0; i < op->result_count && !u->memory; i++)
            u->map[params[1 + i]] = yields[i];
        if (u->ops++ > MOST_OPS) /* a loop may be empty */
            u->full = true;
        if (at > INT64_MAX - step)
            break;
    }
    free(yields);
    u->depth--;
    if (u->full && !u->depth) { /* the loops inside may be short enough */
        go_back(u, before);
        u->full = false;
        return false;
    }
    for (uint32_t i = 0; i < op->result_count; i++)
        u->map[results[i]] = u->map[params[1 + i]];
    return true;
}

static bool choose_branch(struct unroll *u, const struct sam_tile_op *op)
{
    const uint32_t *results = &u->p->ids[op->results];
    int64_t condition;
    if (u->whole || !known_arg(u, op, 0, &condition))
        return false;
    uint32_t *yields = sam_alloc(op->result_count + 1, sizeof *yields);
    u->memory |= !yields;
    if (yields)
        block(u, op->body[condition ? 0 : 1], yields);
    for (uint32_t i = 0; i < op->result_count && !u->memory; i++)
        u->map[results[i]] = yields[i];
    free(yields);
    return true;
}

static void copy_structured(struct unroll *u, const struct sam_tile_op *op)
{
    const uint32_t index = copy_op(u, op);
    const uint32_t results = u->q.ops[index].results;
    for (unsigned i = 0; i < (op->code == SAM_TILE_IF ? 2 : 1) && !u->memory; i++) {
        u->link = (struct link){index, i ? SECOND_BODY : FIRST_BODY};
        block(u, op->body[i], NULL);
    }
    for (uint32_t i = 0; i < op->result_count && !u->memory; i++)
        u->map[u->p->ids[op->results + i]] = u->q.ids[results + i];
    u->link = (struct link){index, NEXT};
}

/* Copy a block; `yields`: in place of its last operation, where its results go. */
static void block(struct unroll *u, uint32_t first, uint32_t *yields)
{
    for (uint32_t at = first; at != SAM_TILE_NONE && !u->memory && !u->full;
         at = u->p->ops[at].next) {
        const struct sam_tile_op *op = &u->p->ops[at];
        if (op->code == SAM_TILE_YIELD && yields) {
            for (uint32_t i = 0; i < op->operand_count; i++)
                yields[i] = u->map[sam_tile_arg(u->p, op, i)];
        } else if (op->code == SAM_TILE_FOR) {
            if (!unroll_loop(u, op) && !u->memory && !u->full)
                copy_structured(u, op);
        } else if (op->code == SAM_TILE_IF) {
            if (!choose_branch(u, op) && !u->memory)
                copy_structured(u, op);
        } else if (!fold(u, op)) {
            copy_plain(u, op);
        }
        u->full |= u->depth && u->ops > MOST_OPS;
    }
}

/* --- a function */

static void copy_arguments(struct unroll *u, const struct sam_tile_func *f,
                           const struct sam_tile_argument *arguments, size_t count,
                           const uint32_t *values)
{
    for (uint32_t i = 0; i < f->arg_count && !u->memory; i++) {
        const uint32_t value = u->p->ids[f->args + i];
        u->map[value] = u->arguments[value] = add_value(u, value, SAM_TILE_NONE);
        add_id(u, u->map[value]);
    }
    for (size_t i = 0; i < count && !u->memory && !u->whole; i++) {
        struct sam_error error;
        int64_t number;
        const enum sam_tile_kind kind = u->p->values[values[i]].type.kind;
        const bool scalar = kind == SAM_TILE_KIND_INDEX || kind == SAM_TILE_KIND_BOOL ||
                            kind == SAM_TILE_KIND_SCALAR;
        /* One that does not fit is reported when it is bound. */
        if (scalar && f->body != SAM_TILE_NONE && sam_tile_is_argument(u->p, values[i]) &&
            sam_tile_bind_scalar(u->p, values[i], &arguments[i], &number, &error) == SAM_OK)
            u->map[values[i]] = add_constant(u, &u->p->ops[f->body], values[i], number);
    }
}

static void number_copies(struct unroll *u, struct sam_lower_unrolled *out)
{
    out->copies = sam_alloc(u->p->op_count + 1, sizeof *out->copies);
    out->copy = sam_alloc(u->q.op_count + 1, sizeof *out->copy);
    u->memory |= !out->copies || !out->copy;
    for (size_t i = 0; i < u->q.op_count && !u->memory; i++)
        out->copy[i] = out->copies[u->origin[i]]++;
}

bool sam_lower_unroll(const struct sam_tile_program *p, const struct sam_tile_func *f,
                      enum sam_tile_profile profile, bool as_is,
                      const struct sam_tile_argument *arguments, size_t count,
                      const uint32_t *values, struct sam_lower_unrolled *out)
{
    struct unroll u = {.p = p,
                       .profile = profile,
                       .link = {0, FUNCTION},
                       .whole = as_is || f->bare || sam_tile_is_manual(p)};
    u.q = (struct sam_tile_program){.name = p->name,
                                    .text = p->text,
                                    .size = p->size,
                                    .module = p->module,
                                    .funcs = sam_alloc(1, sizeof *u.q.funcs),
                                    .func_count = 1};
    u.map = sam_alloc(p->value_count + 1, sizeof *u.map);
    u.arguments = sam_alloc(p->value_count + 1, sizeof *u.arguments);
    u.reshaped = sam_alloc(p->value_count + 1, sizeof *u.reshaped);
    u.memory = !u.q.funcs || !u.map || !u.arguments || !u.reshaped;
    if (!u.memory) {
        for (size_t i = 0; i < p->value_count; i++)
            u.map[i] = u.arguments[i] = SAM_TILE_NONE;
        for (size_t i = 0; i < p->op_count; i++)
            if (p->ops[i].code == SAM_TILE_SHAPE)
                u.reshaped[sam_tile_arg(p, &p->ops[i], 0)] = true;
        u.q.funcs[0] = *f;
        u.q.funcs[0].body = SAM_TILE_NONE;
        u.q.funcs[0].args = u.q.funcs[0].first_value = 0;
        copy_arguments(&u, f, arguments, count, values);
        block(&u, f->body, NULL);
        u.q.funcs[0].value_count = (uint32_t)u.q.value_count;
        number_copies(&u, out);
        for (size_t i = 0; i < p->value_count; i++)
            if (u.arguments[i] == SAM_TILE_NONE)
                u.arguments[i] = u.map[i];
    }
    free(u.reshaped);
    out->program = u.q;
    out->origin = u.origin;
    out->arguments = u.arguments;
    free(u.map);
    return !u.memory;
}

void sam_lower_unrolled_free(struct sam_lower_unrolled *unrolled)
{
    free(unrolled->program.funcs);
    free(unrolled->program.ops);
    free(unrolled->program.values);
    free(unrolled->program.operands);
    free(unrolled->program.ids);
    free(unrolled->origin);
    free(unrolled->copy);
    free(unrolled->copies);
    free(unrolled->arguments);
    *unrolled = (struct sam_lower_unrolled){0};
}
