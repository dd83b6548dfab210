/* SPDX-License-Identifier: Apache-2.0 */
/* Hart code for the operations of a function: blocks, loops, branches. */
#include <inttypes.h>

#include "lower/hart.h"
#include "lower/op_map.h"
#include "lower/packed.h"

static void block(struct lower *l, uint32_t first, const uint32_t *yields);

/* --- values that a block yields */

static void copy(struct lower *l, uint32_t to, uint32_t from)
{
    sam_lower_get(l, "t0", from);
    sam_lower_set(l, to, "t0");
}

static bool is_target(const uint32_t *targets, uint32_t count, uint32_t value)
{
    for (uint32_t i = 0; i < count; i++)
        if (targets[i] == value)
            return true;
    return false;
}

/* A parallel copy: all sources are read before the first target is written. */
static void yield(struct lower *l, const struct sam_tile_op *op, const uint32_t *targets)
{
    enum { MOST = 64 };
    struct lower_state *s = l->state;
    bool direct = true;
    for (uint32_t i = 0; i < op->operand_count; i++)
        direct &= !is_target(targets, op->operand_count, sam_tile_arg(l->p, op, i)) ||
                  targets[i] == sam_tile_arg(l->p, op, i);
    if (op->operand_count) {
        sam_lower_begin(l, op);
        sam_lower_mark_copy(l, op, 0, targets, op->operand_count);
    }
    if (!direct && s->yields == LOWER_NO_SLOT)
        s->yields = sam_lower_slot(l, 8 * MOST);
    for (uint32_t i = 0; i < op->operand_count && !direct; i++) {
        sam_lower_get(l, "t0", sam_tile_arg(l->p, op, i));
        sam_lower_slot_op(l, "sd", "t0", s->yields + 8 * i);
    }
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (direct) {
            if (targets[i] != sam_tile_arg(l->p, op, i))
                copy(l, targets[i], sam_tile_arg(l->p, op, i));
        } else {
            sam_lower_slot_op(l, "ld", "t0", s->yields + 8 * i);
            sam_lower_set(l, targets[i], "t0");
        }
    }
}

/* --- loops and branches */

static void loop(struct lower *l, const struct sam_tile_op *op)
{
    const uint32_t *params = &l->p->ids[op->params], *results = &l->p->ids[op->results];
    const unsigned again = sam_lower_label(l), end = sam_lower_label(l);
    const uint32_t step = sam_tile_arg(l->p, op, 2);
    struct lower_inflight before;
    int64_t number;
    sam_lower_begin(l, op);
    sam_lower_mark_copy(l, op, 3, params + 1, op->param_count - 1);
    if (!sam_lower_constant(l, step, &number) || number <= 0) {
        sam_lower_get(l, "a0", step);
        sam_lower_hart(l, "blez a0, .Lfailure%u",
                       sam_lower_failure(l, op, "scf.for steps by {0}; expected 1 or more"));
    }
    if (!sam_lower_inflight_save(l, &before)) {
        l->state->memory = true;
        sam_lower_inflight_free(&before);
        return;
    }
    for (uint32_t i = 1; i < op->param_count; i++)
        copy(l, params[i], sam_tile_arg(l->p, op, 2 + i));
    copy(l, params[0], sam_tile_arg(l->p, op, 0));
    const uint32_t kept = l->state->kept;
    sam_lower_keep_sum(l, op);
    sam_lower_hart(l, ".L%u:", again);
    sam_lower_get(l, "t0", params[0]);
    sam_lower_get(l, "t1", sam_tile_arg(l->p, op, 1));
    sam_lower_hart(l, "bge t0, t1, .L%u", end);
    l->state->loops++;
    sam_lower_enter_loop(l, op);
    block(l, op->body[0], params + 1);
    l->state->loops--;
    sam_lower_resume(l, op);
    sam_lower_get(l, "t0", params[0]);
    sam_lower_get(l, "t1", step);
    sam_lower_hart(l, "add t1, t0, t1");
    sam_lower_set(l, params[0], "t1");
    sam_lower_hart(l,
                   "bgt t1, t0, .L%u; " /* no branch if the sum wrapped */
                   ".L%u:",
                   again, end);
    if (l->state->kept != kept)
        sam_lower_store_sum(l);
    sam_lower_inflight_merge(l, &before, &before);
    sam_lower_inflight_free(&before);
    for (uint32_t i = 0; i < op->result_count; i++)
        copy(l, results[i], params[1 + i]);
}

/* A constant condition emits only the taken branch. */
static void branch(struct lower *l, const struct sam_tile_op *op)
{
    const uint32_t *results = &l->p->ids[op->results], condition = sam_tile_arg(l->p, op, 0);
    struct lower_inflight before = {0}, first = {0};
    int64_t number;
    sam_lower_begin(l, op);
    if (sam_lower_constant(l, condition, &number)) {
        block(l, op->body[number ? 0 : 1], results);
        return;
    }
    const unsigned other = sam_lower_label(l), end = sam_lower_label(l);
    sam_lower_get(l, "t0", condition);
    sam_lower_hart(l, "beqz t0, .L%u", other);
    if (sam_lower_inflight_save(l, &before)) {
        block(l, op->body[0], results);
        sam_lower_hart(l,
                       "j .L%u; "
                       ".L%u:",
                       end, other);
        if (sam_lower_inflight_save(l, &first)) {
            sam_lower_inflight_set(l, &before);
            block(l, op->body[1], results);
            sam_lower_hart(l, ".L%u:", end);
            sam_lower_inflight_merge(l, &first, &before);
        }
    }
    l->state->memory |= !first.writes || !before.writes;
    sam_lower_inflight_free(&before);
    sam_lower_inflight_free(&first);
}

/* --- all operations */

static bool converts_halves(const struct lower *l, const struct sam_tile_op *op)
{
    return op->code == SAM_TILE_TCVT &&
           (sam_tile_is_paired(sam_tile_ty(l->p, sam_tile_arg(l->p, op, 0))->tile.dtype) ||
            sam_tile_is_paired(sam_tile_ty(l->p, sam_tile_arg(l->p, op, 1))->tile.dtype));
}

static void one(struct lower *l, uint32_t index, const uint32_t *yields)
{
    const struct sam_tile_op *op = &l->p->ops[index];
    if (op->code >= SAM_TILE_FIRST_OP)
        sam_lower_infer(l, op);
    if (sam_lower_is_vector(op->code) && !converts_halves(l, op)) {
        sam_lower_collect(l, index);
        return;
    }
    if (op->code < SAM_TILE_FOR) {
        sam_lower_flush_before(l, op);
        sam_lower_scalar_op(l, op);
        return;
    }
    sam_lower_flush(l);
    const unsigned errors = l->report->report.errors;
    switch (op->code) {
    case SAM_TILE_FOR: loop(l, op); break;
    case SAM_TILE_IF: branch(l, op); break;
    case SAM_TILE_YIELD: yield(l, op, yields); break;
    case SAM_TILE_RETURN: break; /* only at the end of the function */
    default:
        sam_lower_begin(l, op);
        sam_lower_shapes(l, op);
        if (l->report->report.errors != errors)
            break;
        if (op->code == SAM_TILE_TLOAD &&
            sam_lower_staged_factor(l, sam_tile_arg(l->p, op, 1)) != SAM_TILE_NONE) {
            sam_lower_note(l, op, "products read the decoded %%%s in place",
                           l->p->values[sam_tile_arg(l->p, op, 1)].name);
            break;
        }
        sam_lower_wait_operands(l, op);
        l->state->defers = sam_lower_defers(l, index);
        sam_lower_stage(l, op);
        if (sam_tile_pipe(op->code) == SAM_TILE_PIPE_MATRIX) {
            sam_lower_keep_chain(l, op);
            sam_lower_begin_copies(l);
            sam_lower_matmul(l, op);
            sam_lower_end_copies(l);
            sam_lower_end_chain(l, index);
        } else {
            sam_lower_move(l, op);
            l->state->defers = false;
        }
        sam_lower_unstage(l);
    }
}

static void block(struct lower *l, uint32_t first, const uint32_t *yields)
{
    for (uint32_t at = first; at != SAM_TILE_NONE; at = l->p->ops[at].next)
        one(l, at, yields);
    sam_lower_flush(l);
}

/* The last operation that needs weights, or SAM_TILE_NONE. */
static uint32_t last_product(const struct lower *l)
{
    uint32_t last = SAM_TILE_NONE;
    for (uint32_t at = l->f->body; at != SAM_TILE_NONE; at = l->p->ops[at].next) {
        const struct sam_tile_op *op = &l->p->ops[at];
        if (op->code == SAM_TILE_FOR || op->code == SAM_TILE_IF || sam_lower_is_staged(l, op) ||
            (op->code >= SAM_TILE_FIRST_OP && sam_tile_pipe(op->code) == SAM_TILE_PIPE_MATRIX))
            last = at;
    }
    return last;
}

void sam_lower_body(struct lower *l)
{
    const uint32_t last = last_product(l);
    sam_lower_background_init(l);
    if (last == SAM_TILE_NONE)
        sam_lower_ask(l);
    for (uint32_t at = l->f->body; at != SAM_TILE_NONE; at = l->p->ops[at].next) {
        one(l, at, l->p->ids); /* a function body yields nothing */
        if (at == last)
            sam_lower_ask(l);
    }
    sam_lower_flush(l);
}
