/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatch, fetch and issue: rulings 2 to 4. */
#include "gputime_ref_machine.h"

#include <assert.h>

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ------------------------------------------------------------------------------- dispatch */

/* Events of this cycle are not visible yet (ruling 1.1). */
static bool is_free(const struct ref_gpu *g, bool held, uint64_t freed_at)
{
    return !held && (freed_at == NEVER || freed_at < g->now);
}

static bool fits(const struct ref_gpu *g, const struct ref_sm *s)
{
    const struct sam_gputime_config *c = g->c;
    const struct sam_gputime_launch *l = g->launch;
    unsigned slots = 0, groups = 0, resident = 0;
    for (unsigned i = 0; i < c->warps; i++)
        slots += is_free(g, s->slots[i].held, s->slots[i].freed_at);
    for (unsigned i = 0; i < c->groups; i++) {
        const bool is = is_free(g, s->groups[i].used, s->groups[i].freed_at);
        groups += is;
        resident += !is;
    }
    if (slots < l->warps || groups == 0)
        return false;
    const uint64_t next = resident + 1;
    const uint64_t sgprs = l->sgprs ? l->sgprs : 64, vgprs = l->vgprs ? l->vgprs : 256;
    return (!c->sgprs || next * l->warps * sgprs <= c->sgprs) &&
           (!c->vgprs || next * l->warps * vgprs <= c->vgprs) &&
           next * l->lds_bytes <= c->lds_bytes;
}

static void place(struct ref_gpu *g, struct ref_sm *s)
{
    unsigned group = 0;
    while (!is_free(g, s->groups[group].used, s->groups[group].freed_at))
        group++;
    s->groups[group] = (struct ref_group){true, 0, g->next_workgroup, g->launch->warps};
    unsigned at = 0;
    for (uint32_t w = 0; w < g->launch->warps; w++, at++) {
        while (!is_free(g, s->slots[at].held, s->slots[at].freed_at))
            at++;
        uint64_t start = g->now + (uint64_t)g->c->warp_start_cycles * w;
        if (s->last_start_at != NEVER)
            start = later(start, s->last_start_at + g->c->warp_start_cycles);
        s->last_start_at = start;
        s->slots[at] = (struct ref_slot){.held = true,
                                         .taken = true,
                                         .taken_at = NEVER,
                                         .workgroup = g->next_workgroup,
                                         .warp = w,
                                         .group = group,
                                         .freed_at = NEVER,
                                         .start_at = start,
                                         .end_at = NEVER,
                                         .last_issue_at = NEVER,
                                         .fetch_pc = g->launch->start_pc,
                                         .skip = g->c->skip_first,
                                         .fetch_from = start + g->c->start_latency,
                                         .redirect_at = NEVER};
    }
    g->next_workgroup++;
}

void ref_dispatch_step(struct ref_gpu *g)
{
    if (g->next_workgroup == g->launch->workgroups || g->now < g->dispatch_at)
        return;
    for (unsigned i = 0; i < g->c->sms; i++) {
        const unsigned sm = (g->dispatch_sm + i) % g->c->sms;
        if (!fits(g, &g->sm[sm]))
            continue;
        place(g, &g->sm[sm]);
        g->dispatch_at = g->now + g->c->dispatch_cycles;
        g->dispatch_sm = (sm + 1) % g->c->sms;
        return;
    }
}

static bool meets(const struct ref_gpu *g, const struct ref_slot *slot, uint32_t workgroup)
{
    return slot->held && (g->c->barrier_sm || slot->workgroup == workgroup);
}

void ref_release_barrier(struct ref_gpu *g, struct ref_sm *s, uint32_t workgroup, uint64_t at)
{
    for (unsigned i = 0; i < g->c->warps; i++) {
        const struct ref_slot *slot = &s->slots[i];
        if (meets(g, slot, workgroup) && slot->end_at == NEVER && !slot->barrier_arrived)
            return;
    }
    for (unsigned i = 0; i < g->c->warps; i++) {
        struct ref_slot *slot = &s->slots[i];
        if (meets(g, slot, workgroup) && slot->barrier_arrived) {
            slot->at_barrier = slot->barrier_arrived = slot->barrier_pending = false;
            slot->barrier_until = later(slot->barrier_until, at);
        }
    }
}

/* An end may release a barrier. */
static void release_after_end(struct ref_gpu *g, struct ref_sm *s, uint32_t workgroup)
{
    uint64_t at = g->now;
    for (unsigned i = 0; i < g->c->warps; i++) {
        const struct ref_slot *slot = &s->slots[i];
        if (meets(g, slot, workgroup) && slot->barrier_arrived && slot->arrived_at >= g->now)
            at = later(at, slot->arrived_at + g->c->barrier_latency);
    }
    ref_release_barrier(g, s, workgroup, at);
}

void ref_end_warp(struct ref_gpu *g, unsigned sm, struct ref_slot *slot, uint64_t at)
{
    const uint32_t workgroup = slot->workgroup;
    struct ref_sm *s = &g->sm[sm];
    struct ref_group *group = &s->groups[slot->group];
    slot->end_at = at;
    g->last_end_at = later(g->last_end_at, at);
    group->freed_at = later(group->freed_at, at);
    if (--group->warps_left > 0) {
        release_after_end(g, s, workgroup);
        return;
    }
    group->used = false;
    for (unsigned i = 0; i < g->c->warps; i++)
        if (s->slots[i].held && s->slots[i].workgroup == workgroup) {
            s->slots[i].held = false;
            s->slots[i].freed_at = group->freed_at;
        }
    g->groups_left--;
    if (g->source->ended)
        g->source->ended(g->source->context, workgroup);
    release_after_end(g, s, workgroup);
}

/* ------------------------------------------------------------------------------- fetch */

/* The redirection takes effect: earlier fetches are dropped. */
static void redirect(const struct ref_gpu *g, struct ref_slot *slot)
{
    if (slot->redirect_at == NEVER || g->now <= slot->redirect_at)
        return;
    slot->fetch_count = slot->buffer_count = slot->group_count = 0;
    slot->missed = false;
    slot->fetch_pc = slot->redirect_pc;
    slot->fetch_from = slot->redirect_fetch_at;
    slot->redirect_at = NEVER;
}

/* Fetches that enter the buffer in this cycle. */
static void fetch_replies(struct ref_gpu *g, struct ref_slot *slot)
{
    const uint64_t latency = g->c->icache_latency;
    while (slot->fetch_count > 0 && slot->fetches[0].at + latency <= g->now) {
        const struct ref_fetch f = slot->fetches[0];
        for (unsigned i = 0; i < f.count; i++) {
            assert(slot->buffer_count < MOST_BUFFER);
            slot->buffer[slot->buffer_count++] = f.at + latency + g->c->decode_latency;
        }
        slot->groups[slot->group_count++] = f.count;
        for (unsigned i = 1; i < slot->fetch_count; i++)
            slot->fetches[i - 1] = slot->fetches[i];
        slot->fetch_count--;
    }
}

static bool look(struct ref_gpu *g, struct ref_slot *slot);

/* A fetch with only a prefix left, which waits for its instruction, does not count. */
static bool wants_fetch(struct ref_gpu *g, struct ref_slot *slot)
{
    unsigned held = slot->group_count + slot->fetch_count;
    if (g->now < slot->fetch_from)
        return false;
    if (held > 0 && !slot->endprg_issued && look(g, slot) && slot->has_prefix)
        held -= (slot->group_count ? slot->groups[0] : slot->fetches[0].count) == 1;
    return held < g->c->ibuffer;
}

void ref_reply_step(struct ref_gpu *g, unsigned sm)
{
    for (unsigned i = 0; i < g->c->warps; i++) {
        struct ref_slot *slot = &g->sm[sm].slots[i];
        if (!slot->held)
            continue;
        redirect(g, slot);
        fetch_replies(g, slot);
    }
}

static void fetch(struct ref_gpu *g, unsigned sm, struct ref_slot *slot)
{
    const uint32_t bytes = 4 * g->c->fetch_width, next = (slot->fetch_pc / bytes + 1) * bytes;
    slot->missed = !ref_icache_hit(g, sm, slot->fetch_pc);
    if (slot->missed) {
        slot->fetch_from = g->now + g->c->icache_retry;
        return;
    }
    assert(slot->fetch_count < MOST_FETCHES);
    slot->fetches[slot->fetch_count++] =
        (struct ref_fetch){g->now, slot->fetch_pc, (next - slot->fetch_pc) / 4};
    slot->fetch_pc = next;
}

void ref_fetch_step(struct ref_gpu *g, unsigned sm)
{
    struct ref_sm *s = &g->sm[sm];
    bool port_taken = false;
    for (unsigned i = 0; i < g->c->warps && !port_taken; i++) {
        struct ref_slot *slot = &s->slots[i];
        if (!slot->held || slot->end_at != NEVER)
            continue;
        const bool in_vain = slot->missed && g->now < slot->fetch_from && g->c->fetch_keeps;
        if (!in_vain && !wants_fetch(g, slot))
            continue;
        port_taken = g->c->fetch_ports;
        if (in_vain) {
            ref_icache_ahead(g, sm, slot->fetch_pc);
            continue;
        }
        fetch(g, sm, slot);
    }
}

/* ------------------------------------------------------------------------------- issue */

static bool pull(struct ref_gpu *g, struct ref_slot *slot)
{
    if (!g->source->next(g->source->context, slot->workgroup, slot->warp, &slot->op))
        return false;
    if (slot->op.form == SAM_GPUTIME_EACH)
        for (unsigned i = 0; i < slot->op.count; i++)
            slot->addresses[i] = slot->op.addresses[i];
    slot->is = gputime_ref_describe(g->c, slot->op.insn);
    return true;
}

/* The next instruction of the warp; false: there is none. */
static bool look(struct ref_gpu *g, struct ref_slot *slot)
{
    if (slot->has_op)
        return true;
    if (slot->exhausted)
        return false;
    if (slot->skip) {
        slot->skip = false;
        slot->exhausted = !pull(g, slot);
        g->result->insns += !slot->exhausted;
        if (!slot->exhausted && slot->is.prefix && g->c->fold_prefix) {
            slot->exhausted = !pull(g, slot);
            g->result->insns += !slot->exhausted;
        }
        slot->fetch_pc = slot->op.next_pc;
        if (slot->exhausted)
            return false;
    }
    slot->has_op = pull(g, slot);
    if (slot->has_op && slot->is.prefix && g->c->fold_prefix) {
        slot->has_prefix = true;
        slot->has_op = pull(g, slot);
    }
    slot->exhausted = !slot->has_op;
    return slot->has_op;
}

static bool is_marked(const struct ref_gpu *g, const struct ref_slot *slot, bool is_vector,
                      unsigned number)
{
    if (!is_vector && number == 0 && !g->c->score_x0)
        return false;
    for (unsigned i = 0; i < slot->mark_count; i++) {
        const struct ref_mark *m = &slot->marks[i];
        if (m->is_vector == is_vector && m->number == number && g->now < m->clear_at) {
            return true;
        }
    }
    return false;
}

static bool is_anything_marked(const struct ref_gpu *g, const struct ref_slot *slot)
{
    bool any = false;
    for (unsigned i = 0; i < slot->mark_count; i++)
        if (g->now < slot->marks[i].clear_at) {
            any = true;
        }
    return any;
}

static bool is_collector_free(const struct ref_gpu *g, const struct ref_sm *s, unsigned collector)
{
    return !s->collectors[collector] &&
           (s->collector_freed_at[collector] == NEVER ||
            s->collector_freed_at[collector] + g->c->collector_free <= g->now);
}

static bool is_any_collector_free(const struct ref_gpu *g, const struct ref_sm *s)
{
    for (unsigned i = 0; i < g->c->collectors; i++)
        if (is_collector_free(g, s, i))
            return true;
    return false;
}

static bool can_hold_another(const struct ref_gpu *g, const struct ref_sm *s,
                             const struct ref_slot *slot)
{
    unsigned of_warp = 0;
    for (unsigned i = 0; i < g->c->collectors; i++)
        of_warp += !is_collector_free(g, s, i) && s->collector_of[i].workgroup == slot->workgroup &&
                   s->collector_of[i].warp == slot->warp;
    return of_warp < g->c->collectors_warp;
}

/* Whether a barrier or a branch keeps the warp from its next instruction. */
static bool is_blocked(const struct ref_gpu *g, const struct ref_slot *slot)
{
    const struct gputime_ref_insn *is = &slot->is;
    const bool at_barrier = slot->at_barrier || g->now < slot->barrier_until;
    return !slot->held || slot->endprg_issued || slot->exhausted ||
           (at_barrier && slot->barrier_from <= g->now) || slot->branch_open ||
           g->now < slot->branch_until || slot->own_barriers ||
           ((slot->barrier_pending || at_barrier) && (is->barrier || is->endprg));
}

static bool is_waited_for(const struct ref_gpu *g, const struct ref_slot *slot,
                          const struct gputime_ref_insn *is)
{
    for (unsigned i = 0; i < GPUTIME_REF_SOURCES; i++)
        if (is->waits[i].is && is_marked(g, slot, is->waits[i].is_vector, is->waits[i].number))
            return true;
    return is->writes && is_marked(g, slot, is->writes_vector, is->destination);
}

/* Take up the group of the next instruction if possible in this cycle. */
static void take_up(const struct ref_gpu *g, const struct ref_sm *s, struct ref_slot *slot)
{
    if (slot->taken || is_blocked(g, slot) || slot->buffer_count == 0 ||
        slot->buffer[0] > g->now + 1 || (slot->has_lead && is_waited_for(g, slot, &slot->lead)))
        return;
    for (unsigned i = 0; i < g->c->collectors; i++)
        if (!is_collector_free(g, s, i) && s->collector_of[i].workgroup == slot->workgroup &&
            s->collector_of[i].warp == slot->warp)
            return;
    slot->taken = true;
    slot->taken_at = g->now;
}

/* Whether the warp's next instruction can issue in this cycle, given a free collector. */
static bool can_issue(const struct ref_gpu *g, const struct ref_sm *s, const struct ref_slot *slot)
{
    const unsigned needed = slot->has_prefix ? 2 : 1;
    const struct gputime_ref_insn *is = &slot->is;
    if (is_blocked(g, slot) || slot->buffer_count < needed || slot->buffer[needed - 1] > g->now)
        return false;
    if (!slot->taken || slot->taken_at == g->now)
        return false;
    if (is->unit == SAM_GPUTIME_LSU && (slot->fences_open || g->now < slot->fence_until))
        return false;
    if (is->endprg && g->c->endprg_waits && is_anything_marked(g, slot))
        return false;
    return !is_waited_for(g, slot, is) && can_hold_another(g, s, slot);
}

static void forget_marks(const struct ref_gpu *g, struct ref_slot *slot)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < slot->mark_count; i++)
        if (slot->marks[i].clear_at > g->now)
            slot->marks[kept++] = slot->marks[i];
    slot->mark_count = kept;
}

static struct ref_flying *new_flying(struct ref_sm *s)
{
    for (unsigned i = 0; i < MOST_FLYING; i++)
        if (!s->flying[i].used) {
            s->flying_end = i < s->flying_end ? s->flying_end : i + 1;
            return &s->flying[i];
        }
    assert(false && "too many instructions under way");
    return NULL;
}

/* The first instruction leaves the buffer; the last one of a fetch removes the fetch. */
static void leave_buffer(struct ref_slot *slot)
{
    slot->buffer_count--;
    for (unsigned i = 0; i < slot->buffer_count; i++)
        slot->buffer[i] = slot->buffer[i + 1];
    if (--slot->groups[0] > 0)
        return;
    slot->group_count--;
    for (unsigned i = 0; i < slot->group_count; i++)
        slot->groups[i] = slot->groups[i + 1];
}

static void note_group(const struct ref_gpu *g, struct ref_slot *slot)
{
    const uint32_t size = 4 * g->c->fetch_width, pc = slot->op.pc, next = slot->op.next_pc;
    if (!g->c->groups_wait)
        return;
    if (pc / size * size == pc) {
        slot->lead = slot->is;
        slot->has_lead = true;
    }
    slot->has_lead &= next == pc + 4;
    slot->taken = next != pc + 4 || next / size == pc / size;
    slot->taken_at = NEVER;
}

static void issue(struct ref_gpu *g, unsigned sm, unsigned at)
{
    struct ref_sm *s = &g->sm[sm];
    struct ref_slot *slot = &s->slots[at];
    const struct gputime_ref_insn *is = &slot->is;
    const struct sam_gputime_op *op = &slot->op;
    struct ref_flying *f = new_flying(s);
    const unsigned left = slot->has_prefix ? 2 : 1;
    unsigned collector = 0;
    while (!is_collector_free(g, s, collector))
        collector++;
    *f = (struct ref_flying){.used = true,
                             .is = *is,
                             .slot = at,
                             .number = g->next_number++,
                             .acting = op->acting,
                             .pc = op->pc,
                             .insn = op->insn,
                             .workgroup = slot->workgroup,
                             .warp = slot->warp,
                             .next_pc = op->next_pc,
                             .issued_at = g->now,
                             .collecting = true,
                             .collector = collector,
                             .ready_at = NEVER,
                             .left_at = NEVER,
                             .accepted_at = NEVER,
                             .begun_at = NEVER,
                             .result_at = NEVER,
                             .local = op->local && !g->c->lds_cached,
                             .last_reply_at = NEVER};
    s->collectors[collector] = f;
    s->collector_of[collector] = (struct ref_owner){slot->workgroup, slot->warp};
    for (unsigned i = 0; i < GPUTIME_REF_SOURCES; i++)
        f->reading[i] = is->sources[i].is;
    if (is->source_count == 0)
        f->ready_at = g->now + g->c->collect_none;
    if (op->form != SAM_GPUTIME_NO_ACCESS)
        ref_find_lines(g, op, f);
    for (unsigned i = 0; i < left; i++)
        leave_buffer(slot);
    forget_marks(g, slot);
    if (is->writes && (is->writes_vector || is->destination != 0 || g->c->score_x0)) {
        assert(slot->mark_count < MOST_MARKS);
        slot->marks[slot->mark_count++] =
            (struct ref_mark){is->writes_vector, is->destination, NEVER, f};
    }
    note_group(g, slot);
    slot->branch_open |= is->control;
    slot->barrier_pending |= is->barrier;
    if (is->barrier && g->c->barrier_blocks) {
        slot->at_barrier = true;
        slot->barrier_from = g->now;
    }
    slot->own_barriers += is->barrier_of_warp && g->c->barrier_blocks;
    slot->fences_open += is->fence;
    slot->endprg_issued |= is->endprg;
    slot->issued = true;
    slot->last_issue_at = g->now;
    slot->has_op = slot->has_prefix = false;
    g->last_issue_at = g->now;
    g->result->insns += left;
}

static bool belongs(const struct ref_gpu *g, const struct ref_slot *slot, bool stream_v)
{
    return slot->has_op && (g->c->issue_streams == 1 || slot->is.stream_v == stream_v);
}

/* The slot that the stream selects in this cycle; -1: none. */
static int choose(const struct ref_gpu *g, const struct ref_sm *s, bool stream_v)
{
    for (unsigned i = 0; i < g->c->warps; i++) {
        const unsigned at = (s->next[stream_v] + i) % g->c->warps;
        const struct ref_slot *slot = &s->slots[at];
        if (!slot->issued && belongs(g, slot, stream_v) && can_issue(g, s, slot))
            return (int)at;
    }
    return -1;
}

static void issue_one(struct ref_gpu *g, unsigned sm, bool stream_v)
{
    struct ref_sm *s = &g->sm[sm];
    const bool room = is_any_collector_free(g, s);
    int at = s->chosen[stream_v];
    if (at < 0 && (g->c->issue_early ? s->had_collector : room))
        at = choose(g, s, stream_v);
    s->chosen[stream_v] = room ? -1 : at;
    if (at < 0 || !room)
        return;
    issue(g, sm, (unsigned)at);
    s->next[stream_v] = ((unsigned)at + 1) % g->c->warps;
}

/* Whether all instructions of the warp have left the collectors, with all results written before
 * this cycle. */
static bool is_over(const struct ref_gpu *g, const struct ref_sm *s, const struct ref_slot *slot)
{
    for (unsigned i = 0; i < s->flying_end; i++)
        if (s->flying[i].used && (s->flying[i].is.writes || s->flying[i].collecting) &&
            ref_is_same_warp(&s->flying[i], slot->workgroup, slot->warp))
            return false;
    return slot->last_issue_at == NEVER || slot->last_left_at < g->now;
}

void ref_issue_step(struct ref_gpu *g, unsigned sm)
{
    struct ref_sm *s = &g->sm[sm];
    for (unsigned i = 0; i < g->c->warps; i++) {
        struct ref_slot *slot = &s->slots[i];
        slot->issued = false;
        if (!slot->held || slot->end_at != NEVER || g->now < slot->start_at ||
            slot->endprg_issued || look(g, slot))
            continue;
        if (is_over(g, s, slot)) /* ruling 1.3 */
            ref_end_warp(g, sm, slot, g->now);
    }
    for (unsigned i = 0; i < g->c->warps; i++)
        if (s->slots[i].has_op)
            take_up(g, s, &s->slots[i]);
    const bool has_collector = is_any_collector_free(g, s);
    issue_one(g, sm, false);
    if (g->c->issue_streams == 2)
        issue_one(g, sm, true);
    s->had_collector = has_collector;
}
