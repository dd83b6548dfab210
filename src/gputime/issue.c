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

/* Why the warp's last instruction is still in its collector. */
static enum sam_gputime_reason why_held(const struct model *m, const struct sm *sm,
                                        const struct warp *w)
{
    if (sm->asking >> w->collector & 1)
        return SAM_GPUTIME_BANK;
    return sm->ready[w->collector] <= m->now ? SAM_GPUTIME_UNIT : SAM_GPUTIME_COLLECTOR;
}

/* Why the group of the next instruction is not taken up in this cycle, in which it could be; BUSY:
 * it is. */
static enum sam_gputime_reason take_up(const struct model *m, const struct sm *sm, struct warp *w,
                                       uint64_t *again)
{
    if (w->collecting)
        return why_held(m, sm, w);
    if (m->now < w->collected) {
        *again = w->collected;
        return SAM_GPUTIME_COLLECTOR;
    }
    for (unsigned i = 0; i < w->lead_count; i++)
        if (is_set(w->busy, w->lead[i]))
            return is_set(w->loading, w->lead[i]) ? SAM_GPUTIME_LOAD : SAM_GPUTIME_RAW;
    w->taken = true;
    return SAM_GPUTIME_BUSY;
}

/* Collectors that the warp occupies, or has left and that are not free again; *until: the first
 * cycle in which one of the latter is. */
static uint32_t held_collectors(const struct model *m, const struct sm *sm, const struct warp *w,
                                uint64_t *until)
{
    uint32_t count = w->collecting;
    *until = w->collected;
    if (m->config.collectors_warp == 1)
        return 1; /* the one that it has left last */
    for (uint32_t i = 0; i < m->config.collectors; i++) {
        const struct collector *c = &sm->collectors[i];
        if (sm->used >> i & 1 || sm->free_from[i] <= m->now || &sm->warps[c->slot] != w ||
            c->generation != w->generation)
            continue;
        *until = sm->free_from[i] < *until ? sm->free_from[i] : *until;
        count++;
    }
    return count;
}

/* Why the warp cannot issue in this cycle; BUSY: it can. *again: when that may change, beside the
 * events in w->waits_for. */
static enum sam_gputime_reason judge(const struct model *m, const struct sm *sm, struct warp *w,
                                     uint64_t *again)
{
    const uint64_t now = m->now;
    *again = NEVER;
    w->waits_for = EVENTS;
    if (!w->has_op)
        return SAM_GPUTIME_DRAIN;
    if (now < w->start + m->config.start_latency) {
        *again = w->start + m->config.start_latency;
        return SAM_GPUTIME_START;
    }
    if (w->at_barrier || w->pauses ||
        (w->barrier && (w->trait->flow == FLOW_BARRIER || w->trait->flow == FLOW_END)))
        return SAM_GPUTIME_BARRIER;
    if (w->unresolved)
        return SAM_GPUTIME_BRANCH;
    if (now < w->issue_from) {
        *again = w->issue_from;
        return w->after_barrier ? SAM_GPUTIME_BARRIER : SAM_GPUTIME_BRANCH;
    }
    const uint64_t there = sam_gputime_there(w);
    if (!w->taken && now + 1 >= there) {
        const enum sam_gputime_reason reason = take_up(m, sm, w, again);
        if (reason == SAM_GPUTIME_BUSY)
            *again = now + 1;
        return reason == SAM_GPUTIME_BUSY ? SAM_GPUTIME_FETCH : reason;
    }
    if (!w->taken && there != NEVER) {
        *again = there - 1;
        return why_not_there(m, w);
    }
    if (now < there) {
        *again = there;
        return why_not_there(m, w);
    }
    w->waits_for = EVENT_FLOW | EVENT_COLLECTOR;
    if (w->collecting >= m->config.collectors_warp) {
        *again = sm->ready[w->collector] > now ? sm->ready[w->collector] : NEVER;
        return why_held(m, sm, w);
    }
    if (now < w->collected && held_collectors(m, sm, w, again) >= m->config.collectors_warp)
        return SAM_GPUTIME_COLLECTOR;
    *again = NEVER;
    w->waits_for = EVENT_FLOW | EVENT_MEMORY;
    if (w->fenced && w->fences == 0 && w->accesses == 0 && w->fence_until <= now)
        w->fenced = false;
    if (w->fenced && w->trait->unit == SAM_GPUTIME_LSU) {
        *again = w->fence_until > now ? w->fence_until : NEVER;
        return SAM_GPUTIME_FENCE;
    }
    w->waits_for = EVENT_FLOW | EVENT_WRITTEN;
    return scoreboard(m, w);
}

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

static uint8_t bank_of(const struct model *m, uint32_t slot, uint16_t reg)
{
    return (uint8_t)((reg + (m->config.banks_by_warp ? slot : 0)) & (m->config.banks - 1));
}

static void fill_collector(const struct model *m, struct sm *sm, struct collector *c,
                           const struct warp *w)
{
    const struct sam_gputime_config *config = &m->config;
    const uint32_t slot = (uint32_t)(w - sm->warps);
    const unsigned index = (unsigned)(c - sm->collectors);
    const uint64_t bit = UINT64_C(1) << index;
    sm->used |= bit;
    sm->in_stream[0] &= ~bit;
    sm->in_stream[1] &= ~bit;
    sm->in_stream[config->issue_streams == 2 && w->trait->stream] |= bit;
    sm->for_unit[w->trait->unit] |= bit;
    *(w->source_count ? &sm->asking : &sm->reading) |= bit;
    sm->ready[index] = w->source_count ? NEVER : m->now + config->collect_none;
    c->slot = slot;
    c->generation = w->generation;
    c->sources = w->source_count;
    c->missing = (uint8_t)((1u << w->source_count) - 1);
    c->request = m->now + config->collect_request;
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
        w->lead_count = w->watched_count;
        memcpy(w->lead, w->watched, w->watched_count * sizeof w->lead[0]);
        if (w->dest != NO_REGISTER)
            w->lead[w->lead_count++] = w->dest;
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
        .dest = w->dest,
        .pair = w->op.insn->pair,
    };
    fill_collector(m, sm, c, w);
    w->collector = (uint32_t)(c - sm->collectors);
    if (t->unit == SAM_GPUTIME_LSU) {
        w->accesses++;
        if (!m->config.memory_perfect)
            f->access = sam_gputime_coalesce(m, sm, t, &w->op);
    }
    if (w->dest != NO_REGISTER)
        sam_gputime_mark(w, w->dest, w->op.insn->pair, t->load);
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

/* A warp whose instructions have come to an end without endprg has ended. False: it still runs. */
static bool is_cut_off(struct model *m, struct sm *sm, struct warp *w)
{
    if (SAM_LIKELY(!w->cut) || w->ended || w->collecting || w->outstanding)
        return false;
    sam_gputime_end_warp(m, sm, w, m->now);
    return !w->resident;
}

/* The warp neither waits nor can it issue. */
static void forget(struct sm *sm, uint32_t i)
{
    struct waits *waits = &sm->waits;
    sm->can_issue[0] &= ~(1u << i);
    sm->can_issue[1] &= ~(1u << i);
    if (!(waits->warps >> i & 1))
        return;
    const unsigned stream = waits->stream[i], reason = waits->reason[i];
    waits->warps &= ~(1u << i);
    if (--waits->counts[stream][reason] == 0)
        waits->reasons[stream] &= ~(1u << reason);
}

static void wait_for(struct sm *sm, uint32_t i, unsigned stream, enum sam_gputime_reason reason)
{
    struct waits *waits = &sm->waits;
    waits->warps |= 1u << i;
    waits->stream[i] = (uint8_t)stream;
    waits->reason[i] = (uint8_t)reason;
    waits->counts[stream][reason]++;
    waits->reasons[stream] |= 1u << reason;
}

static void look_at_warp(struct model *m, struct sm *sm, uint32_t i)
{
    struct warp *w = &sm->warps[i];
    forget(sm, i);
    if (is_cut_off(m, sm, w))
        return;
    const enum sam_gputime_reason reason = judge(m, sm, w, &sm->check_at[i]);
    const unsigned stream = m->config.issue_streams == 2 && w->has_op ? w->trait->stream : 0;
    sm->judged |= 1u << i;
    if (reason == SAM_GPUTIME_BUSY) {
        sm->can_issue[stream] |= 1u << i;
        return;
    }
    w->waited = reason;
    sam_gputime_warp(m, sm, w, reason);
    wait_for(sm, i, w->has_op ? stream : NO_STREAM, reason);
}

/* When the first of the warps that wait is to be judged. */
static uint64_t first_check(const struct sm *sm)
{
    uint64_t first = NEVER;
    for (uint32_t set = sm->waits.warps; set; set &= set - 1) {
        const unsigned i = (unsigned)__builtin_ctz(set);
        first = sm->check_at[i] < first ? sm->check_at[i] : first;
    }
    return first;
}

/* The warps to be judged in this cycle. */
static uint32_t to_judge(const struct model *m, const struct sm *sm)
{
    uint32_t due = sm->resident_set & ~sm->judged;
    if (m->now < sm->look_at)
        return due;
    for (uint32_t set = sm->waits.warps; set; set &= set - 1) {
        const unsigned i = (unsigned)__builtin_ctz(set);
        due |= (uint32_t)(sm->check_at[i] <= m->now) << i;
    }
    return due;
}

/* Judge the warps of the set; keep sm->look_at. */
static void look(struct model *m, struct sm *sm, uint32_t due)
{
    bool found = m->now < sm->look_at;
    sm->look_at = found ? sm->look_at : NEVER;
    for (uint32_t set = due; set; set &= set - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(set);
        found &= !(sm->waits.warps >> i & 1) || sm->check_at[i] != sm->look_at;
        look_at_warp(m, sm, i);
        if (sm->waits.warps >> i & 1 && sm->check_at[i] < sm->look_at)
            sm->look_at = sm->check_at[i];
    }
    if (!found && sm->look_at) /* 0: a workgroup has ended meanwhile */
        sm->look_at = first_check(sm);
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
    const uint32_t due = to_judge(m, sm);
    if (m->now < sm->look_at && !due && !sm->can_issue[0] && !sm->can_issue[1]) {
        wake_at(sm, sm->look_at);
        return; /* nothing has changed */
    }
    for (uint32_t gone = sm->waits.warps & ~sm->resident_set; gone; gone &= gone - 1)
        forget(sm, (uint32_t)__builtin_ctz(gone));
    look(m, sm, due & sm->resident_set);
    wake_at(sm, sm->look_at);
    uint32_t all = sm->waits.reasons[NO_STREAM];
    for (unsigned stream = 0; stream < 2; stream++) {
        uint32_t reasons = sm->waits.reasons[stream];
        if (sm->can_issue[stream])
            reasons |= issue_one(m, sm, stream);
        all |= reasons;
        sam_gputime_unit(m, sm, stream ? SAM_GPUTIME_ISSUE_V : SAM_GPUTIME_ISSUE_X,
                         nearest(reasons));
    }
    sam_gputime_sm(m, sm, nearest(all));
}
