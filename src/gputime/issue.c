/* SPDX-License-Identifier: Apache-2.0 */
/* Issue: of the warps that can issue their next instruction, one per stream does. */
#include "gputime/model.h"

static struct collector *free_collector(const struct model *m, struct sm *sm)
{
    uint64_t first = NEVER;
    for (uint32_t i = 0; i < m->config.collectors; i++) {
        if (sm->used >> i & 1)
            continue;
        if (sm->free_from[i] <= m->now)
            return &sm->collectors[i];
        first = sm->free_from[i] < first ? sm->free_from[i] : first;
    }
    wake_at(sm, first);
    return NULL;
}

static void note_flow(const struct model *m, struct warp *w)
{
    switch (w->trait->flow) {
    case FLOW_BRANCH:
    case FLOW_SPLIT:
    case FLOW_JOIN: w->unresolved = true; break;
    case FLOW_BARRIER:
        w->barrier = true;
        w->at_barrier = m->config.barrier_blocks;
        break;
    case FLOW_PAUSE: w->pauses += m->config.barrier_blocks; break;
    case FLOW_FENCE:
        w->fenced = true;
        w->fences++;
        break;
    case FLOW_END: break;
    default: w->unresolved = w->op.next_pc != w->op.pc + 4; break;
    }
}

/* The next instruction is of another fetch group, or of the same. */
static void note_group(const struct model *m, struct warp *w)
{
    const uint32_t bytes = 4 * m->config.fetch_width;
    const bool jumps = w->op.next_pc != w->op.pc + 4;
    if (!m->config.groups_wait)
        return;
    if (w->op.pc % bytes == 0) {
        const struct code *code = w->code;
        w->lead_count = code->watched_count;
        memcpy(w->lead, code->watched, code->watched_count * sizeof w->lead[0]);
        if (code->dest != NO_REGISTER)
            w->lead[w->lead_count++] = code->dest;
    }
    w->taken = jumps || w->op.next_pc % bytes != 0;
    w->lead_count = jumps ? 0 : w->lead_count;
}

static void issue(struct model *m, struct sm *sm, struct warp *w, struct collector *c)
{
    const struct trait *t = w->trait;
    const uint32_t slot = (uint32_t)(w - sm->warps);
    struct flight *f = c->flight = sam_gputime_new_flight(sm);
    if (!f) {
        m->out_of_memory = true;
        return;
    }
    *f = (struct flight){
        .record = {.number = m->next_number++,
                   .sm = sm->number,
                   .slot = slot,
                   .workgroup = w->workgroup,
                   .warp = w->warp,
                   .pc = w->op.pc,
                   .insn = w->op.insn,
                   .acting = w->op.acting,
                   .unit = (enum sam_gputime_unit)t->unit,
                   .fetched = sam_gputime_there(w),
                   .issued = m->now,
                   .waited = w->waited},
        .trait = t,
        .row = w->row,
        .next_pc = w->op.next_pc,
        .generation = w->generation,
        .dest = w->code->dest,
        .pair = w->op.insn->pair,
    };
    sam_gputime_collect(m, sm, c, w);
    w->collector = (uint32_t)(c - sm->collectors);
    if (t->unit == SAM_GPUTIME_LSU) {
        w->accesses++;
        if (!m->config.memory_perfect)
            f->access = sam_gputime_coalesce(m, sm, t, &w->op);
    }
    if (w->code->dest != NO_REGISTER)
        sam_gputime_mark(w, w->code->dest, w->op.insn->pair, t->load);
    note_flow(m, w);
    w->collecting++;
    w->after_barrier = false;
    m->result->insns++;
    m->result->counted_insns++;
    sm->stats->insns++;
    w->row->issues++;
    w->row->lanes +=
        t->stream && t->unit != SAM_GPUTIME_WARPS ? (unsigned)__builtin_popcount(w->op.acting) : 1;
    sam_gputime_warp(m, sm, w, SAM_GPUTIME_BUSY);
    note_group(m, w);
    sam_gputime_consume(w);
    sam_gputime_pull(m, w);
    sam_gputime_note_room(m, sm, w);
}

/* Of the warps in `set`, the first after the one that was issued last. */
static uint32_t choose(uint32_t set, uint32_t next)
{
    const uint32_t from = set & (UINT32_MAX << next);
    return (uint32_t)__builtin_ctz(from ? from : set);
}

/* The reason to give for a stream or an SM: of a set, the one that is nearest to an issue. */
static enum sam_gputime_reason nearest(uint32_t set)
{
    static const uint8_t order[] = {SAM_GPUTIME_BUSY,    SAM_GPUTIME_ARBITER, SAM_GPUTIME_COLLECTOR,
                                    SAM_GPUTIME_RAW,     SAM_GPUTIME_WAW,     SAM_GPUTIME_BANK,
                                    SAM_GPUTIME_UNIT,    SAM_GPUTIME_LOAD,    SAM_GPUTIME_FENCE,
                                    SAM_GPUTIME_FETCH,   SAM_GPUTIME_BRANCH,  SAM_GPUTIME_ICACHE,
                                    SAM_GPUTIME_BARRIER, SAM_GPUTIME_START,   SAM_GPUTIME_DRAIN};
    if (set & 1u << SAM_GPUTIME_BUSY)
        return SAM_GPUTIME_BUSY;
    if (set && !(set & (set - 1)))
        return (enum sam_gputime_reason)__builtin_ctz(set);
    for (size_t i = 0; i < sizeof order; i++)
        if (set >> order[i] & 1)
            return (enum sam_gputime_reason)order[i];
    return SAM_GPUTIME_EMPTY;
}

/* Returns the set of reasons of the stream. */
static uint32_t issue_one(struct model *m, struct sm *sm, unsigned stream)
{
    struct collector *c = free_collector(m, sm);
    const enum sam_gputime_reason left = c ? SAM_GPUTIME_ARBITER : SAM_GPUTIME_COLLECTOR;
    if (c) {
        const uint32_t i = choose(sm->can_issue[stream], sm->next_warp[stream]);
        issue(m, sm, &sm->warps[i], c);
        sm->can_issue[stream] &= ~(1u << i);
        sm->judged &= ~(1u << i);
        sm->next_warp[stream] = i + 1 == m->config.warps ? 0 : i + 1;
        sm->stats->uses[stream ? SAM_GPUTIME_ISSUE_V : SAM_GPUTIME_ISSUE_X]++;
        wake_at(sm, m->now + 1);
    }
    for (uint32_t set = sm->can_issue[stream]; set; set &= set - 1) {
        struct warp *w = &sm->warps[__builtin_ctz(set)];
        w->waited = left;
        sam_gputime_warp(m, sm, w, left);
    }
    return 1u << (c ? SAM_GPUTIME_BUSY : left);
}

void sam_gputime_issue(struct model *m, struct sm *sm)
{
    sam_gputime_judge(m, sm);
    uint32_t all = sm->waits.reasons[NO_STREAM];
    for (unsigned stream = 0; stream < 2; stream++) {
        uint32_t reasons = sm->waits.reasons[stream];
        if (sm->can_issue[stream])
            reasons |= issue_one(m, sm, stream);
        all |= reasons;
        if (reasons == sm->last_reasons[stream])
            continue;
        sm->last_reasons[stream] = reasons;
        sam_gputime_unit(m, sm, stream ? SAM_GPUTIME_ISSUE_V : SAM_GPUTIME_ISSUE_X,
                         nearest(reasons));
    }
    if (all == sm->last_reasons[NO_STREAM])
        return;
    sm->last_reasons[NO_STREAM] = all;
    sam_gputime_sm(m, sm, nearest(all));
}
