/* SPDX-License-Identifier: Apache-2.0 */
/* Issue: the scoreboard decides which warps may issue their next instruction; one per stream does.
 */
#include "gputime/model.h"

/* The registers of an access of two registers (REGPAIR) count as one. */
static bool is_busy(const struct warp *w, uint16_t reg, const uint64_t *set)
{
    return is_set(set, reg) || (w->op.insn->pair && is_set(set, reg | 1u));
}

static enum sam_gputime_reason scoreboard(const struct model *m, const struct warp *w)
{
    for (unsigned i = 0; i < w->watched_count; i++)
        if (is_busy(w, w->watched[i], w->busy))
            return is_busy(w, w->watched[i], w->loading) ? SAM_GPUTIME_LOAD : SAM_GPUTIME_RAW;
    if (w->dest != NO_REGISTER && is_busy(w, w->dest, w->busy))
        return SAM_GPUTIME_WAW;
    if (w->trait->flow == FLOW_END && m->config.endprg_waits && w->outstanding)
        return SAM_GPUTIME_RAW;
    return SAM_GPUTIME_BUSY;
}

/* Why the warp's instructions are not in its buffer. */
static enum sam_gputime_reason why_not_there(const struct model *m, const struct warp *w)
{
    if (w->redirect != NEVER)
        return SAM_GPUTIME_BRANCH;
    return w->icache_until > m->now ? SAM_GPUTIME_ICACHE : SAM_GPUTIME_FETCH;
}

/* Why the warp cannot issue in this cycle; BUSY: it can. */
static enum sam_gputime_reason judge(const struct model *m, struct sm *sm, struct warp *w)
{
    const uint64_t now = m->now;
    if (!w->has_op)
        return SAM_GPUTIME_DRAIN;
    if (now < w->start + m->config.start_latency) {
        wake_at(sm, w->start + m->config.start_latency);
        return SAM_GPUTIME_START;
    }
    if (w->at_barrier)
        return SAM_GPUTIME_BARRIER;
    if (w->unresolved)
        return SAM_GPUTIME_BRANCH;
    if (now < w->issue_from) {
        wake_at(sm, w->issue_from);
        return w->after_barrier ? SAM_GPUTIME_BARRIER : SAM_GPUTIME_BRANCH;
    }
    const uint64_t there = sam_gputime_there(m, w);
    if (now < there) {
        wake_at(sm, there);
        return why_not_there(m, w);
    }
    if (w->collecting >= m->config.collectors_warp)
        return SAM_GPUTIME_COLLECTOR;
    if (w->collecting + 1 == m->config.collectors_warp && now < w->collected) {
        wake_at(sm, w->collected);
        return SAM_GPUTIME_COLLECTOR;
    }
    if (w->fenced && w->accesses == 0)
        w->fenced = false;
    if (w->fenced && w->trait->unit == SAM_GPUTIME_LSU)
        return SAM_GPUTIME_FENCE;
    return scoreboard(m, w);
}

static struct collector *free_collector(const struct model *m, struct sm *sm)
{
    uint64_t first = NEVER;
    for (uint32_t i = 0; i < m->config.collectors; i++) {
        struct collector *c = &sm->collectors[i];
        if (!c->used && c->free <= m->now)
            return c;
        if (!c->used)
            first = c->free < first ? c->free : first;
    }
    wake_at(sm, first);
    return NULL;
}

static uint8_t bank_of(const struct model *m, uint32_t slot, uint16_t reg)
{
    return (uint8_t)((reg + (m->config.banks_by_warp ? slot : 0)) & (m->config.banks - 1));
}

static void fill_collector(struct model *m, struct collector *c, const struct warp *w,
                           uint32_t slot)
{
    const struct sam_gputime_config *config = &m->config;
    c->used = true;
    c->sources = w->source_count;
    c->missing = (uint8_t)((1u << w->source_count) - 1);
    c->request = m->now + config->collect_request;
    c->ready = w->source_count ? NEVER : m->now + config->collect_none;
    for (unsigned i = 0; i < w->source_count; i++) {
        c->vector[i] = !config->banks_shared && w->sources[i] >= VECTOR;
        c->bank[i] = bank_of(m, slot, w->sources[i]);
        c->granted[i] = NEVER;
    }
}

static void note_flow(const struct model *m, struct warp *w)
{
    switch (w->trait->flow) {
    case FLOW_BRANCH:
    case FLOW_SPLIT:
    case FLOW_JOIN: w->unresolved = true; break;
    case FLOW_BARRIER: w->at_barrier = m->config.barrier_blocks; break;
    case FLOW_FENCE: w->fenced = true; break;
    case FLOW_END: break;
    default: w->unresolved = w->op.next_pc != w->op.pc + 4; break;
    }
}

static void issue(struct model *m, struct sm *sm, struct warp *w, struct collector *c)
{
    const struct trait *t = w->trait;
    const uint32_t slot = (uint32_t)(w - sm->warps);
    struct flight *f = &c->flight;
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
                   .fetched = sam_gputime_there(m, w),
                   .issued = m->now,
                   .waited = w->waited},
        .trait = t,
        .row = w->row,
        .next_pc = w->op.next_pc,
        .generation = w->generation,
        .dest = w->dest,
        .pair = w->op.insn->pair,
    };
    fill_collector(m, c, w, slot);
    if (t->unit == SAM_GPUTIME_LSU) {
        w->accesses++;
        if (!m->config.memory_perfect)
            f->access = sam_gputime_coalesce(m, sm, t, &w->op);
    }
    if (w->dest != NO_REGISTER)
        sam_gputime_mark(w, w->dest, w->op.insn->pair, t->load);
    note_flow(m, w);
    sm->used_collectors++;
    w->collecting++;
    w->after_barrier = false;
    m->result->insns++;
    m->result->counted_insns++;
    sm->stats->insns++;
    w->row->issues++;
    w->row->lanes +=
        t->stream && t->unit != SAM_GPUTIME_WARPS ? (unsigned)__builtin_popcount(w->op.acting) : 1;
    sam_gputime_warp(m, sm, w, SAM_GPUTIME_BUSY);
    sam_gputime_consume(m, w);
    sam_gputime_pull(m, w);
}

/* Of the warps in `set`, the first after the one that was issued last. */
static uint32_t choose(uint32_t set, uint32_t next)
{
    const uint32_t from = set & (UINT32_MAX << next);
    return (uint32_t)__builtin_ctz(from ? from : set);
}

/* The reason to give for a stream or an SM in which nothing is issued: the one that is nearest to
 * an issue. */
static enum sam_gputime_reason nearest(enum sam_gputime_reason a, enum sam_gputime_reason b)
{
    static const uint8_t rank[SAM_GPUTIME_REASONS] = {
        [SAM_GPUTIME_BUSY] = 20,   [SAM_GPUTIME_ARBITER] = 19, [SAM_GPUTIME_COLLECTOR] = 18,
        [SAM_GPUTIME_RAW] = 17,    [SAM_GPUTIME_WAW] = 16,     [SAM_GPUTIME_LOAD] = 15,
        [SAM_GPUTIME_FENCE] = 14,  [SAM_GPUTIME_FETCH] = 13,   [SAM_GPUTIME_BRANCH] = 12,
        [SAM_GPUTIME_ICACHE] = 11, [SAM_GPUTIME_BARRIER] = 10, [SAM_GPUTIME_START] = 9,
        [SAM_GPUTIME_DRAIN] = 8,
    };
    return rank[a] >= rank[b] ? a : b;
}

void sam_gputime_issue(struct model *m, struct sm *sm)
{
    const bool two = m->config.issue_streams == 2;
    enum sam_gputime_reason seen[2] = {SAM_GPUTIME_EMPTY, SAM_GPUTIME_EMPTY};
    enum sam_gputime_reason all = SAM_GPUTIME_EMPTY;
    uint32_t ready[2] = {0, 0};
    for (uint32_t i = 0; i < m->config.warps; i++) {
        struct warp *w = &sm->warps[i];
        if (!w->resident)
            continue;
        if (w->cut && !w->ended && w->collecting == 0 && w->outstanding == 0) {
            sam_gputime_end_warp(m, sm, w, m->now);
            if (!w->resident)
                continue;
        }
        const enum sam_gputime_reason reason = judge(m, sm, w);
        const unsigned stream = two && w->has_op ? w->trait->stream : 0;
        if (reason == SAM_GPUTIME_BUSY) {
            ready[stream] |= 1u << i;
            continue;
        }
        w->waited = reason;
        sam_gputime_warp(m, sm, w, reason);
        if (w->has_op)
            seen[stream] = nearest(reason, seen[stream]);
        all = nearest(reason, all);
    }
    for (unsigned stream = 0; stream < 2; stream++) {
        enum sam_gputime_reason left = SAM_GPUTIME_ARBITER;
        if (ready[stream]) {
            struct collector *c = free_collector(m, sm);
            wake_at(sm, c ? m->now + 1 : NEVER);
            left = c ? left : SAM_GPUTIME_COLLECTOR;
            seen[stream] = c ? SAM_GPUTIME_BUSY : nearest(left, seen[stream]);
            if (c) {
                const uint32_t i = choose(ready[stream], sm->next_warp[stream]);
                issue(m, sm, &sm->warps[i], c);
                ready[stream] &= ~(1u << i);
                sm->next_warp[stream] = (i + 1) % m->config.warps;
                sm->stats->uses[stream ? SAM_GPUTIME_ISSUE_V : SAM_GPUTIME_ISSUE_X]++;
            }
        }
        all = nearest(seen[stream], all);
        for (uint32_t set = ready[stream]; set; set &= set - 1) {
            struct warp *w = &sm->warps[__builtin_ctz(set)];
            w->waited = left;
            sam_gputime_warp(m, sm, w, left);
        }
        sam_gputime_unit(m, sm, stream ? SAM_GPUTIME_ISSUE_V : SAM_GPUTIME_ISSUE_X, seen[stream]);
    }
    sam_gputime_sm(m, sm, all);
}
