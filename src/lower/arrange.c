/* SPDX-License-Identifier: Apache-2.0 */
/* The program that is lowered: its loops unrolled, its operations in a new order, its tiles at
 * places. All are tried until the tiles fit. */
#include <stdlib.h>

#include "lower/hart.h"
#include "lower/order.h"
#include "tile/check/bind.h"

static void free_in_place(struct lower *l)
{
    free(l->in_place);
    free(l->staged);
    l->in_place = l->staged = NULL;
}

/* Let products read factors in place if the tiles fit then. Returns false on out-of-memory. */
static bool read_in_place(struct lower *l, const uint32_t *values)
{
    struct sam_tile_report trial = {.program = l->p};
    const size_t size = l->f->value_count * sizeof *l->flow.life;
    struct sam_tile_life *before = sam_alloc(l->f->value_count + 1, sizeof *before);
    bool good = before != NULL;
    if (good)
        memcpy(before, l->flow.life, size);
    good = good && sam_lower_read_in_place(l) && sam_lower_read_staged(l, values) &&
           sam_tile_plan(l->p, l->f, &l->flow, l->options.profile, &trial, &l->plan) == SAM_OK;
    sam_tile_plan_free(&l->plan);
    if (good && trial.report.errors) {
        memcpy(l->flow.life, before, size);
        for (uint32_t i = 0; i < l->f->value_count; i++)
            l->in_place[i] = l->f->first_value + i;
        memset(l->staged, 0, l->f->value_count * sizeof *l->staged);
    }
    sam_tile_report_free(&trial);
    free(before);
    return good;
}

/* Operations of the new order, and when they are issued. */
struct issues {
    uint64_t *begin;
    uint32_t *order;
    size_t count;
};

/* The last operation that is issued before `end`, or 0. */
static uint32_t last_before(const struct issues *issues, uint64_t end)
{
    size_t low = 0, high = issues->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (issues->begin[middle] < end)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? issues->order[low - 1] : 0;
}

/* Cycles by which a launch may end later than estimated. */
enum { LATE = 5000 };

/* Let the place of a tile rest until the last launch that uses it has ended, by the estimates of
 * the schedule: then the hart does not wait for the launch to reuse the place. Tiles that one run
 * of vector operations uses alone stay in registers, mostly. Returns false on out-of-memory. */
static bool let_rest(struct lower *l, const struct sam_lower_times *times)
{
    struct issues issues = {sam_alloc(l->p->op_count + 1, sizeof *issues.begin),
                            sam_alloc(l->p->op_count + 1, sizeof *issues.order), 0};
    uint64_t *ends = sam_alloc(l->f->value_count + 1, sizeof *ends);
    uint32_t *last = sam_alloc(l->f->value_count + 1, sizeof *last); /* run of a tile, from 1 */
    bool *shared = sam_alloc(l->f->value_count + 1, sizeof *shared); /* by runs or other units */
    const bool good = issues.begin && issues.order && ends && last && shared;
    uint32_t runs = 0;
    bool open = false;
    for (uint32_t at = l->f->body; good && at != SAM_TILE_NONE; at = l->p->ops[at].next) {
        const struct sam_tile_op *op = &l->p->ops[at];
        const bool vector = sam_lower_is_vector(op->code);
        runs += vector && !open;
        open = vector || (open && op->code < SAM_TILE_FIRST_OP);
        if (times[at].begin) {
            issues.begin[issues.count] = times[at].begin;
            issues.order[issues.count++] = l->flow.order[at];
        }
        for (uint32_t i = 0; op->code >= SAM_TILE_FIRST_OP && i < op->operand_count; i++) {
            const uint32_t value = sam_tile_arg(l->p, op, i);
            if (sam_tile_ty(l->p, value)->kind != SAM_TILE_KIND_TILE)
                continue;
            const uint32_t root = lower_root(l, value) - l->f->first_value;
            shared[root] |= !vector || (last[root] && last[root] != runs);
            last[root] = vector ? runs : last[root];
            ends[root] = ends[root] > times[at].end ? ends[root] : times[at].end;
        }
    }
    for (uint32_t i = 0; good && i < l->f->value_count; i++)
        if (last[i] && shared[i])
            l->flow.life[i].rests = last_before(&issues, ends[i] + LATE);
    free(issues.begin);
    free(issues.order);
    free(ends);
    free(last);
    free(shared);
    return good;
}

/* Attempts, in turn until the tiles fit: how many operations may pass one that waits, eighths of
 * the room of tiles that the order may take, since places are fragmented, and whether places may be
 * taken at once. */
static const struct effort {
    unsigned ahead, eighths;
    bool crowded;
} efforts[] = {{42, 8, false}, {42, 7, false}, {42, 6, false}, {42, 8, true},
               {21, 8, true},  {10, 8, true},  {5, 8, true},   {2, 8, true}};

/* Give the operations a new order. */
static bool reorder(struct lower *l, const uint32_t *values, const struct effort *effort,
                    struct sam_lower_times *times)
{
    const struct sam_lower_arrays arrays = {l->arguments, values, l->argument_count};
    uint64_t room[SAM_TILE_LOCS];
    bool good;
    if (l->f->bare || sam_tile_is_manual(l->p))
        return true;
    for (unsigned i = 0; i < SAM_TILE_LOCS; i++)
        room[i] = sam_lower_room(l, (enum sam_tile_loc)i) * effort->eighths / 8;
    room[SAM_TILE_mat] -= room[SAM_TILE_mat] / 8; /* for tiles of other sizes between them */
    good = sam_tile_flow(l->p, l->f, &l->flow) == SAM_OK && sam_lower_read_in_place(l) &&
           sam_lower_read_staged(l, values) &&
           sam_lower_reorder(&l->unrolled.program, &l->options, &arrays, l->in_place, l->staged,
                             room, effort->ahead, times);
    sam_tile_flow_free(&l->flow);
    free_in_place(l);
    return good;
}

/* Make the program to lower, and place its tiles. `effort`: NULL for the source as it is. `values`:
 * of the source; then, of the program. */
static enum sam_status place_once(struct lower *l, const struct sam_tile_func *f,
                                  const struct effort *effort, uint32_t *values,
                                  struct sam_tile_report *report, struct sam_error *error)
{
    const size_t scalars = l->options.unbound ? 0 : l->argument_count;
    if (!sam_lower_unroll(l->source, f, l->options.profile, !effort, l->arguments, scalars, values,
                          &l->unrolled))
        return sam_fail_memory(error);
    for (size_t i = 0; i < l->argument_count; i++)
        values[i] = l->unrolled.arguments[values[i]];
    l->p = &l->unrolled.program;
    l->f = &l->p->funcs[0];
    if (effort && !l->f->bare && !sam_tile_is_manual(l->p) &&
        !sam_lower_shrink(&l->unrolled.program, &l->options))
        return sam_fail_memory(error);
    struct sam_lower_times *times = sam_alloc(l->p->op_count + 1, sizeof *times);
    bool good = times && (!effort || reorder(l, values, effort, times)) &&
                sam_tile_flow(l->p, l->f, &l->flow) == SAM_OK;
    if (good) {
        sam_tile_bind_keep(l->p, l->f, &l->flow, l->arguments, l->argument_count, values);
        good = let_rest(l, times) && read_in_place(l, values) &&
               sam_tile_plan(l->p, l->f, &l->flow, l->options.profile, report, &l->plan) == SAM_OK;
    }
    free(times);
    return good ? SAM_OK : sam_fail_memory(error);
}

void sam_lower_arrange_free(struct lower *l)
{
    free_in_place(l);
    sam_tile_flow_free(&l->flow);
    sam_tile_plan_free(&l->plan);
    sam_lower_unrolled_free(&l->unrolled);
}

enum sam_status sam_lower_arrange(struct lower *l, uint32_t *values, struct sam_error *error)
{
    const struct sam_tile_func *f = l->f;
    uint32_t *bound = sam_alloc(l->argument_count + 1, sizeof *bound);
    enum sam_status status = SAM_OK;
    if (!bound)
        return sam_fail_memory(error);
    memcpy(bound, values, l->argument_count * sizeof *bound);
    for (size_t i = 0;; i++) {
        const struct effort *effort =
            l->options.in_order || i == SAM_COUNT(efforts) ? NULL : &efforts[i];
        struct sam_tile_report trial = {.program = l->source};
        status = place_once(l, f, effort, values, effort ? &trial : l->report, error);
        const bool again = status == SAM_OK &&
                           (trial.report.errors || (effort && l->plan.crowded && !effort->crowded));
        sam_tile_report_free(&trial);
        if (!again)
            break;
        sam_lower_arrange_free(l);
        memcpy(values, bound, l->argument_count * sizeof *bound);
    }
    free(bound);
    if (status != SAM_OK || l->report->report.errors)
        return status;
    l->state->begun = sam_alloc(l->p->op_count + 1, sizeof *l->state->begun);
    return l->state->begun && (l->options.in_order || sam_lower_turn_factors(l, values)) &&
                   sam_lower_values(l)
               ? SAM_OK
               : sam_fail_memory(error);
}
