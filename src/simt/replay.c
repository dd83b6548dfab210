/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the workgroups of a launch on demand, and reads their recordings. */
#include "simt/replay.h"

#include <stdlib.h>

struct sam_replay *sam_replay_new(struct sam_run *run, size_t limit)
{
    struct sam_replay *r = sam_alloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->run = run;
    r->worker = &run->workers[0];
    r->generation = 1;
    sam_spool_store_init(&r->store, limit);
    sam_replay_grow(r);
    if (r->failed) {
        sam_replay_free(r);
        return NULL;
    }
    sam_hooks_fill(&r->hooks);
    r->worker->replay = r;
    const struct sam_worker *w = r->worker;
    if (w->counts || w->log || w->sanitizer || run->gpu->options.schedule == SAM_SCHEDULE_RR1)
        r->worker->stepped = true;
    else
        sam_replay_in_runs(r, w->code);
    return r;
}

/* -------------------------------------------------------------------------------- groups */

static struct replay_group **place_of(struct sam_replay *r, uint32_t workgroup)
{
    struct replay_group **at = &r->groups[workgroup % REPLAY_BUCKETS];
    while (*at && (*at)->workgroup != workgroup)
        at = &(*at)->next;
    return at;
}

void sam_replay_drop(struct sam_replay *r, uint32_t workgroup)
{
    struct replay_group **at = place_of(r, workgroup), *group = *at;
    if (!group)
        return;
    *at = group->next;
    for (uint32_t i = 0; i < r->run->launch->warps; i++) {
        sam_spool_clear(&r->store, &group->warps[i].stream);
        free(group->warps[i].addresses);
    }
    free(group);
}

void sam_replay_free(struct sam_replay *r)
{
    if (!r)
        return;
    if (r->worker)
        r->worker->replay = NULL;
    for (size_t i = 0; i < REPLAY_BUCKETS; i++)
        while (r->groups[i])
            sam_replay_drop(r, r->groups[i]->workgroup);
    sam_replay_code_free(r);
    sam_spool_store_release(&r->store);
    free(r->extras);
    free(r);
}

/* Run the launch's next workgroup. Returns false if there is none or recording has failed. */
static bool run_next(struct sam_replay *r)
{
    const uint32_t warps = r->run->launch->warps, workgroup = (uint32_t)r->run->next;
    if (!r->worker || r->run->next == r->run->workgroups || r->failed || r->store.status != SAM_OK)
        return false;
    struct replay_group *group = sam_alloc(1, sizeof *group + warps * sizeof group->warps[0]);
    if (!group) {
        sam_run_fail_host(r->run, SAM_ERR_MEMORY, "out of memory");
        return false;
    }
    group->workgroup = workgroup;
    *place_of(r, workgroup) = group;
    r->writing = group;
    const bool ran = sam_worker_run_next(r->worker);
    r->writing = NULL;
    if (r->failed)
        sam_run_fail_host(r->run, SAM_ERR_MEMORY, "out of memory");
    else if (r->store.status != SAM_OK)
        sam_run_fail_host(r->run, r->store.status, r->store.error.text);
    if (!ran)
        sam_replay_drop(r, workgroup);
    return ran;
}

void sam_replay_finish(struct sam_replay *r)
{
    while (run_next(r))
        sam_replay_drop(r, (uint32_t)r->run->next - 1);
}

void sam_replay_keep(struct sam_replay *r)
{
    for (uint64_t i = 0; run_next(r); i++)
        for (uint32_t k = 0; k < r->run->launch->warps; k++)
            sam_spool_end(&r->store, &(*place_of(r, (uint32_t)i))->warps[k].stream);
    r->worker->replay = NULL;
    r->worker = NULL;
}

/* ------------------------------------------------------------------------------- reading */

static uint32_t take32(struct replay_warp *w)
{
    uint32_t value;
    memcpy(&value, w->extra, sizeof value);
    w->extra += sizeof value;
    return value;
}

static uint32_t take_number(struct replay_warp *w)
{
    uint32_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = *w->extra++;
        number |= (uint32_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
}

/* Begin the next record, or repeat the current one. */
static void read_record(struct sam_replay *r, struct replay_warp *w)
{
    w->index = 0;
    if (w->again) {
        w->again--;
        return;
    }
    const struct replay_path *last = w->path;
    if (w->path)
        sam_spool_skip(&w->stream, (size_t)(w->extra - sam_spool_front(&r->store, &w->stream)));
    w->begun = true;
    w->path = NULL;
    w->extra = sam_spool_front(&r->store, &w->stream);
    if (!w->extra) { /* at the end of the stream: repetitions not written */
        w->again = w->repeats;
        w->repeats = 0;
    } else if (*w->extra == REPLAY_AGAIN) {
        w->extra++;
        w->again = take_number(w);
    }
    if (w->again) {
        w->again--;
        w->path = last;
        return;
    }
    if (!w->extra)
        return;
    if (*w->extra == REPLAY_MASKS) {
        memcpy(&w->masks, w->extra + 1, sizeof w->masks);
        w->extra += 1 + sizeof w->masks;
    }
    w->path = r->paths[take_number(w) - 2];
}

static void read_each(struct replay_warp *w, unsigned form, struct sam_gputime_op *op)
{
    op->form = SAM_GPUTIME_EACH;
    op->addresses = w->addresses;
    op->count = *w->extra++;
    if (form == REPLAY_EACH) {
        memcpy(w->addresses, w->extra, op->count * sizeof(uint32_t));
        w->extra += op->count * sizeof(uint32_t);
        return;
    }
    const uint32_t low = take32(w);
    for (unsigned i = 0; i < op->count; i++, w->extra += sizeof(uint16_t)) {
        uint16_t distance;
        memcpy(&distance, w->extra, sizeof distance);
        w->addresses[i] = low + distance;
    }
}

static bool is_local(uint32_t address)
{
    return address - SAM_LDS_BASE < SAM_LDS_SIZE;
}

static void read_lanes(struct replay_warp *w, struct sam_gputime_op *op)
{
    const unsigned tag = *w->extra++, form = tag & REPLAY_FORM;
    if (tag & REPLAY_MASKED)
        op->acting = take32(w);
    if (form == REPLAY_NONE)
        return;
    if (form != REPLAY_STRIDED) {
        read_each(w, form, op);
        op->local = is_local(op->addresses[0]);
        return;
    }
    op->form = SAM_GPUTIME_STRIDED;
    op->base = take32(w);
    op->stride = tag & REPLAY_FOUR ? 4 : (int32_t)take32(w);
    const unsigned low = (unsigned)__builtin_ctz(op->acting);
    op->local = is_local(op->base + low * (uint32_t)op->stride);
}

void sam_replay_read_extra(struct replay_warp *w, const struct replay_site *site,
                           struct sam_gputime_op *op)
{
    if (!w->extra) /* repeated paths have no extras */
        return;
    switch (site->extra) {
    case REPLAY_MASK: op->acting = take32(w); break;
    case REPLAY_TAKEN:
        op->acting = w->masks.simt;
        op->taken = take32(w);
        break;
    case REPLAY_ADDRESS:
        op->form = SAM_GPUTIME_SCALAR;
        op->bytes = site->bytes;
        op->base = take32(w);
        op->local = is_local(op->base);
        break;
    case REPLAY_LANES:
        op->bytes = site->bytes;
        read_lanes(w, op);
        break;
    default: break;
    }
}

/* The workgroup's recording, running it if necessary. NULL: it cannot run. */
static struct replay_group *group_of(struct sam_replay *r, uint32_t workgroup)
{
    struct replay_group *group;
    while (!(group = *place_of(r, workgroup)))
        if (!run_next(r))
            return NULL;
    return group;
}

bool sam_replay_starts(struct sam_replay *r, uint32_t workgroup)
{
    return group_of(r, workgroup) && !sam_run_is_stopped(r->run);
}

bool sam_replay_next(struct sam_replay *r, uint32_t workgroup, uint32_t warp,
                     struct sam_gputime_op *op)
{
    struct replay_group *group = group_of(r, workgroup);
    if (!group)
        return false;
    struct replay_warp *w = &group->warps[warp];
    if (!w->begun && !(w->addresses = sam_alloc(REPLAY_MOST_ADDRESSES, sizeof *w->addresses))) {
        sam_run_fail_host(r->run, SAM_ERR_MEMORY, "out of memory");
        return false;
    }
    if (!w->begun)
        read_record(r, w);
    if (!w->path || sam_run_is_stopped(r->run))
        return false;
    const struct replay_site *site = w->path->sites[w->index++];
    *op = (struct sam_gputime_op){
        .insn = &site->insn,
        .pc = site->pc,
        .next_pc = site->pc + 4,
        .mask = w->masks.simt,
        .acting = site->vector ? w->masks.bits[0] | w->masks.bits[1] : 0,
    };
    sam_replay_read_extra(w, site, op);
    if (w->index == w->path->count)
        read_record(r, w);
    if (w->path)
        op->next_pc = w->path->sites[w->index]->pc;
    return true;
}
