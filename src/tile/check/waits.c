/* SPDX-License-Identifier: Apache-2.0 */
/* Static detection of missing waits between pipes: hazard.c along every path. */
#include "tile/check/waits.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tile/hazard.h"

/* Budget of visited operations: each level of nested loops doubles the work. */
enum { MOST_OPS = 1000000 };

/* The origin of an event; unknown if not made by a record_event of this function. */
struct event {
    bool known;
    enum sam_tile_pipe pipe;
    uint64_t time;
};

struct waits {
    const struct sam_tile_program *p;
    const struct sam_tile_func *f;
    const struct sam_tile_flow *flow;
    const struct sam_tile_plan *plan;
    struct sam_tile_report *report;
    struct sam_tile_hazards hazards;
    struct event *events; /* by value of the function */
    uint8_t *reported;    /* by op: 1 warned, 2 rejected */
    unsigned budget;
    bool memory;
};

/* --- bytes */

static bool constants(const struct waits *w, const struct sam_tile_op *op, uint32_t first,
                      uint32_t count, int64_t *numbers)
{
    for (uint32_t i = 0; i < count; i++)
        if (!sam_tile_constant(w->p, sam_tile_arg(w->p, op, first + i), &numbers[i]))
            return false;
    return true;
}

static bool tile_span(const struct waits *w, uint32_t value, struct sam_tile_span *span)
{
    const struct sam_tile_place *place =
        sam_tile_place_find(w->plan, w->flow->root[value - w->f->first_value]);
    return place && place->offset != SAM_TILE_NOWHERE &&
           sam_tile_span_in_root(w->p, w->flow, value, place->offset, span);
}

/* Compute the bytes of a partition, relative to the array of *pointer. */
static bool part_span(const struct waits *w, uint32_t value, uint32_t *pointer,
                      struct sam_tile_span *span)
{
    int64_t offsets[SAM_TILE_RANK], sizes[SAM_TILE_RANK], strides[SAM_TILE_RANK], base = 0;
    uint32_t from = w->p->values[value].op, rank = sam_tile_ty(w->p, value)->rank;
    if (from == SAM_TILE_NONE)
        return false;
    const struct sam_tile_op *part = &w->p->ops[from];
    from = w->p->values[sam_tile_arg(w->p, part, 0)].op;
    if (from == SAM_TILE_NONE)
        return false;
    const struct sam_tile_op *view = &w->p->ops[from];
    if (!constants(w, part, 1, rank, offsets) || !constants(w, part, 1 + rank, rank, sizes) ||
        !constants(w, view, 1 + rank, rank, strides))
        return false;
    int64_t step;
    for (uint32_t i = 0; i < rank; i++)
        if (sizes[i] < 0 || __builtin_mul_overflow(strides[i], offsets[i], &step) ||
            __builtin_add_overflow(base, step, &base))
            return false;
    *pointer = sam_tile_arg(w->p, view, 0);
    return sam_tile_span_window(span, sam_tile_ty(w->p, value)->dtype, 0, base, rank, sizes,
                                strides);
}

/* --- operations */

static void tell(struct waits *w, uint32_t index, uint32_t operand,
                 const struct sam_tile_conflict *conflict, uint32_t pointer)
{
    const struct sam_tile_op *op = &w->p->ops[index], *from = &w->p->ops[conflict->with.op];
    const struct sam_tile_operand *o = &w->p->operands[op->operands + operand];
    bool write = operand + 1 == op->operand_count;
    char what[160], text[640];
    uint8_t level = conflict->with.perhaps ? 1 : 2;
    if (w->reported[index] >= level)
        return;
    w->reported[index] = level;
    if (pointer == SAM_TILE_NONE)
        snprintf(what, sizeof what, "%%%s", w->p->values[o->value].name);
    else
        snprintf(what, sizeof what, "bytes %" PRId64 "..%" PRId64 " of %%%s", conflict->from,
                 conflict->to - 1, w->p->values[pointer].name);
    snprintf(text, sizeof text,
             "%s %s %s without waiting for the %s pipe%s: %s of line %" PRIu32
             " may still %s %s (record_event, wait_event)",
             sam_tile_code_name(op->code), write ? "writes" : "reads", what,
             sam_tile_pipe_names[conflict->with.pipe],
             conflict->with.perhaps ? " on some path" : "", sam_tile_code_name(from->code),
             from->pos.line, conflict->with.write ? "write" : "read",
             pointer == SAM_TILE_NONE ? "it" : "them");
    if (conflict->with.perhaps)
        sam_tile_warning(w->report, o->pos, "%s", text);
    else
        sam_tile_error(w->report, o->pos, "%s", text);
}

static void touch(struct waits *w, uint32_t index, uint32_t operand)
{
    const struct sam_tile_op *op = &w->p->ops[index];
    uint32_t value = sam_tile_arg(w->p, op, operand), pointer = SAM_TILE_NONE;
    struct sam_tile_conflict conflict;
    struct sam_tile_access access = {.space = sam_tile_ty(w->p, value)->tile.loc,
                                     .pipe = sam_tile_pipe(op->code),
                                     .write =
                                         sam_tile_writes_operand(sam_tile_row(op->code), operand),
                                     .op = index};
    enum sam_tile_kind kind = sam_tile_ty(w->p, value)->kind;
    if (kind == SAM_TILE_KIND_TILE
            ? !tile_span(w, value, &access.span)
            : kind != SAM_TILE_KIND_PART || !part_span(w, value, &pointer, &access.span))
        return;
    if (pointer != SAM_TILE_NONE)
        access.space = SAM_TILE_GLOBAL + pointer;
    if (sam_tile_hazard_touch(&w->hazards, access, &conflict, &w->memory))
        tell(w, index, operand, &conflict, pointer);
}

static struct event *event_of(const struct waits *w, uint32_t value)
{
    return &w->events[value - w->f->first_value];
}

static void wait(struct waits *w, const struct sam_tile_op *op)
{
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const struct event *e = event_of(w, sam_tile_arg(w->p, op, i));
        if (e->known)
            sam_tile_hazard_wait(&w->hazards, e->pipe, e->time);
        else
            sam_tile_hazard_barrier(&w->hazards); /* an unknown event may cover all operations */
    }
}

/* --- control flow */

static uint32_t block(struct waits *w, uint32_t first);

/* Move the events that a block yields into `ids`. */
static void yield(struct waits *w, uint32_t last, const uint32_t *ids)
{
    struct event events[64];
    const struct sam_tile_op *op = last == SAM_TILE_NONE ? NULL : &w->p->ops[last];
    if (!op || op->code != SAM_TILE_YIELD)
        return;
    for (uint32_t i = 0; i < op->operand_count && i < SAM_COUNT(events); i++)
        events[i] = *event_of(w, sam_tile_arg(w->p, op, i));
    for (uint32_t i = 0; i < op->operand_count && i < SAM_COUNT(events); i++)
        *event_of(w, ids[i]) = events[i];
}

/* The iterations to follow: the second conflicts with accesses of the first, a third does as the
 * second. `*always`: the bounds are constant; otherwise the loop may be skipped. */
static int rounds(const struct waits *w, const struct sam_tile_op *op, bool *always)
{
    int64_t bounds[2], step;
    *always = constants(w, op, 0, 2, bounds);
    if (*always && bounds[0] >= bounds[1])
        return 0;
    const bool once = *always && constants(w, op, 2, 1, &step) && step > 0 &&
                      (uint64_t)bounds[1] - (uint64_t)bounds[0] <= (uint64_t)step;
    return once ? 1 : 2;
}

/* With no iteration, nothing was waited for. */
static void loop(struct waits *w, const struct sam_tile_op *op)
{
    const uint32_t *params = &w->p->ids[op->params], *results = &w->p->ids[op->results];
    struct sam_tile_hazards skipped;
    uint64_t fork = w->hazards.ids;
    bool always;
    const int most = rounds(w, op, &always);
    if (!always && !sam_tile_hazard_copy(&skipped, &w->hazards)) {
        w->memory = true;
        return;
    }
    for (uint32_t i = 1; i < op->param_count; i++)
        *event_of(w, params[i]) = *event_of(w, sam_tile_arg(w->p, op, 2 + i));
    for (int round = 0; round < most; round++)
        yield(w, block(w, op->body[0]), params + 1);
    for (uint32_t i = 0; i < op->result_count; i++)
        *event_of(w, results[i]) = *event_of(w, params[1 + i]);
    if (!always)
        w->memory |= !sam_tile_hazard_join(&w->hazards, &skipped, fork, true);
}

static void condition(struct waits *w, const struct sam_tile_op *op)
{
    const uint32_t *results = &w->p->ids[op->results];
    struct sam_tile_hazards other;
    struct event first[64];
    uint64_t fork = w->hazards.ids;
    if (!sam_tile_hazard_copy(&other, &w->hazards)) {
        w->memory = true;
        return;
    }
    yield(w, block(w, op->body[0]), results);
    for (uint32_t i = 0; i < op->result_count && i < SAM_COUNT(first); i++)
        first[i] = *event_of(w, results[i]);
    /* Advance the pipe clocks, so that times on the two paths differ. */
    memcpy(other.begun, w->hazards.begun, sizeof other.begun);
    memcpy(other.recorded, w->hazards.recorded, sizeof other.recorded);
    other.ids = w->hazards.ids;
    struct sam_tile_hazards then = w->hazards;
    w->hazards = other;
    yield(w, block(w, op->body[1]), results);
    for (uint32_t i = 0; i < op->result_count && i < SAM_COUNT(first); i++) {
        struct event *e = event_of(w, results[i]);
        e->known = e->known && first[i].known && e->pipe == first[i].pipe;
        e->time = first[i].time > e->time ? first[i].time : e->time;
    }
    w->memory |= !sam_tile_hazard_join(&w->hazards, &then, fork, false);
}

static void visit(struct waits *w, uint32_t index)
{
    const struct sam_tile_op *op = &w->p->ops[index];
    enum sam_tile_pipe pipe = (enum sam_tile_pipe)op->attribute;
    switch (op->code) {
    case SAM_TILE_RECORD:
        *event_of(w, w->p->ids[op->results]) =
            (struct event){true, pipe, sam_tile_hazard_record(&w->hazards, pipe)};
        return;
    case SAM_TILE_WAIT: wait(w, op); return;
    case SAM_TILE_BARRIER: sam_tile_hazard_barrier(&w->hazards); return;
    case SAM_TILE_FOR: loop(w, op); return;
    case SAM_TILE_IF: condition(w, op); return;
    default: break;
    }
    if (op->code < SAM_TILE_FIRST_OP)
        return;
    sam_tile_hazard_begin(&w->hazards, sam_tile_pipe(op->code));
    for (uint32_t i = 0; i < op->operand_count; i++)
        touch(w, index, i);
}

/* Returns the last operation. */
static uint32_t block(struct waits *w, uint32_t first)
{
    uint32_t last = SAM_TILE_NONE;
    for (uint32_t at = first; at != SAM_TILE_NONE && w->budget && !w->memory;
         at = w->p->ops[at].next) {
        w->budget--;
        visit(w, at);
        last = at;
    }
    return last;
}

bool sam_tile_check_waits(const struct sam_tile_program *p, const struct sam_tile_func *f,
                          const struct sam_tile_flow *flow, const struct sam_tile_plan *plan,
                          struct sam_tile_report *report)
{
    struct waits w = {
        .p = p, .f = f, .flow = flow, .plan = plan, .report = report, .budget = MOST_OPS};
    w.events = sam_alloc(f->value_count + 1, sizeof *w.events);
    w.reported = sam_alloc(p->op_count + 1, sizeof *w.reported);
    w.memory = !w.events || !w.reported;
    block(&w, f->body);
    if (!w.budget)
        sam_tile_warning(report, f->pos,
                         "loops are nested too deeply: waits are checked when the program runs");
    sam_tile_hazard_free(&w.hazards);
    free(w.events);
    free(w.reported);
    return !w.memory;
}
