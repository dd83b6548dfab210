/* SPDX-License-Identifier: Apache-2.0 */
/* The warp scheduler: which warps can issue their next instruction, and why the others stall; one
 * ready warp per stream issues. The issue state of a warp is re-evaluated on an event that it waits
 * for or at its wake-up cycle. */
#include "gputime/parts.h"

/* Under REGPAIR both registers of the pair count. */
static bool is_busy(const struct warp *w, uint16_t reg, const uint64_t *set)
{
    return is_set(set, reg) || (w->op.insn->pair && is_set(set, reg | 1u));
}

static enum sam_gputime_reason scoreboard(const struct model *m, const struct warp *w)
{
    const struct code *code = w->code;
    if (!w->outstanding)
        return SAM_GPUTIME_BUSY;
    for (unsigned i = 0; i < code->watched_count; i++)
        if (is_busy(w, code->watched[i], w->busy))
            return is_busy(w, code->watched[i], w->loading) ? SAM_GPUTIME_LOAD : SAM_GPUTIME_RAW;
    if (code->dest != NO_REGISTER && is_busy(w, code->dest, w->busy))
        return SAM_GPUTIME_WAW;
    if (w->trait->flow == SAM_FLOW_END && m->config.endprg_waits)
        return SAM_GPUTIME_RAW;
    return SAM_GPUTIME_BUSY;
}

static enum sam_gputime_reason fetch_reason(const struct model *m, const struct warp *w)
{
    if (w->redirect != NEVER)
        return SAM_GPUTIME_BRANCH;
    return w->icache_until > m->now ? SAM_GPUTIME_ICACHE : SAM_GPUTIME_FETCH;
}

/* The reason why the last instruction is still in its collector. */
static enum sam_gputime_reason collector_reason(const struct model *m, const struct sm *sm,
                                                const struct warp *w)
{
    if (sm->asking >> w->collector & 1)
        return SAM_GPUTIME_BANK;
    return sm->ready[w->collector] <= m->now ? SAM_GPUTIME_UNIT : SAM_GPUTIME_COLLECTOR;
}

/* groups_wait: accept the fetch group of the next instruction. Returns BUSY, or the reason why not
 * in this cycle. */
static enum sam_gputime_reason accept_group(const struct model *m, const struct sm *sm,
                                            struct warp *w, uint64_t *again)
{
    if (w->collecting)
        return collector_reason(m, sm, w);
    w->waits_for = EVENT_FLOW | EVENT_WRITTEN;
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

/* Collectors that the warp occupies, or has left but that are not free yet; *until is the first
 * cycle in which one of the latter is free. */
static uint32_t held_collectors(const struct model *m, const struct sm *sm, const struct warp *w,
                                uint64_t *until)
{
    uint32_t count = w->collecting;
    *until = w->collected;
    if (m->config.collectors_warp == 1)
        return 1; /* the one it has left last */
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

/* The reason why the warp cannot issue in this cycle, or BUSY. *again is the next cycle in which
 * that can change without an event of w->waits_for. */
static enum sam_gputime_reason blocking_reason(const struct model *m, const struct sm *sm,
                                               struct warp *w, uint64_t *again)
{
    const uint64_t now = m->now;
    *again = NEVER;
    w->waits_for = EVENTS;
    if (!w->has_op)
        return SAM_GPUTIME_DRAIN;
    w->waits_for = EVENT_FLOW;
    if (now < w->start + m->config.start_latency) {
        *again = w->start + m->config.start_latency;
        return SAM_GPUTIME_START;
    }
    if (sm->chosen[0] == w || sm->chosen[1] == w)
        return SAM_GPUTIME_BUSY; /* it only waits for a collector */
    const bool meets = w->trait->flow == SAM_FLOW_BARRIER || w->trait->flow == SAM_FLOW_END;
    if (now < w->barrier_until ? meets || w->barrier_from <= now : meets && w->barrier) {
        *again = now < w->barrier_until ? w->barrier_until : NEVER;
        return SAM_GPUTIME_BARRIER;
    }
    if (w->unresolved)
        return SAM_GPUTIME_BRANCH;
    if (now < w->issue_from) {
        *again = w->issue_from;
        return SAM_GPUTIME_BRANCH;
    }
    w->waits_for = EVENTS;
    const uint64_t there = sam_gputime_there(w);
    if (!w->taken && now + 1 >= there) {
        const enum sam_gputime_reason reason = accept_group(m, sm, w, again);
        if (reason == SAM_GPUTIME_BUSY)
            *again = now + 1;
        return reason == SAM_GPUTIME_BUSY ? SAM_GPUTIME_FETCH : reason;
    }
    if (now < there) {
        if (there != NEVER)
            *again = there - !w->taken;
        if (w->icache_until <= now)
            w->waits_for = EVENT_FLOW | EVENT_FETCH;
        return fetch_reason(m, w);
    }
    w->waits_for = EVENT_FLOW | EVENT_COLLECTOR;
    if (w->collecting >= m->config.collectors_warp) {
        *again = sm->ready[w->collector] > now ? sm->ready[w->collector] : NEVER;
        return collector_reason(m, sm, w);
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

/* ------------------------------------------------------------------------------------ wake-ups */

void sam_gputime_wakeups_init(struct wakeups *wakeups)
{
    *wakeups = (struct wakeups){0};
    for (unsigned i = 0; i < MOST_WARPS; i++)
        wakeups->at[i] = NEVER;
    wakeups->next = NEVER;
}

/* Branch-free, as the branches would be unpredictable: a warp without a wake-up, or with a far one,
 * is in no near set, so removing it changes nothing. */
static void cancel_wakeup(struct wakeups *a, uint32_t i)
{
    const uint32_t bit = 1u << i, near = a->at[i] % MOST_NEAR;
    a->at[i] = NEVER;
    a->far &= ~bit;
    a->near[near] &= ~bit;
    a->cycles &= ~((uint64_t)(a->near[near] == 0) << near);
}

/* `cycle` is after `now`. */
static void set_wakeup(struct wakeups *a, uint32_t i, uint64_t now, uint64_t cycle)
{
    const uint32_t near = cycle % MOST_NEAR, is_near = cycle - now < MOST_NEAR;
    cancel_wakeup(a, i);
    a->at[i] = cycle;
    a->far |= (uint32_t)(!is_near & (cycle != NEVER)) << i;
    a->near[near] |= is_near << i;
    a->cycles |= (uint64_t)is_near << near;
}

/* The warps whose wake-up is in this cycle. */
static uint32_t due_warps(const struct wakeups *a, uint64_t now)
{
    uint32_t due = a->near[now % MOST_NEAR];
    for (uint32_t set = a->far; SAM_UNLIKELY(set); set &= set - 1)
        due |= (uint32_t)(a->at[__builtin_ctz(set)] <= now) << __builtin_ctz(set);
    return due;
}

/* The first wake-up after this cycle. */
static uint64_t next_wakeup(const struct wakeups *a, uint64_t now)
{
    const unsigned first = (now + 1) % MOST_NEAR;
    const uint64_t ahead = a->cycles >> first | a->cycles << (-first % MOST_NEAR);
    const uint64_t last = UINT64_C(1) << (MOST_NEAR - 1); /* __builtin_ctzll needs a bit */
    uint64_t next = now + 1 + (unsigned)__builtin_ctzll(ahead | last);
    next |= -(uint64_t)(ahead == 0); /* NEVER */
    for (uint32_t set = a->far; SAM_UNLIKELY(set); set &= set - 1) {
        const uint64_t at = a->at[__builtin_ctz(set)];
        next = at < next ? at : next;
    }
    return next;
}

/* ------------------------------------------------------------------------------------- waits */

/* End a warp whose source ended without endprg, once its instructions are complete. Returns whether
 * it has left the SM. */
static bool is_cut_off(struct model *m, struct sm *sm, struct warp *w)
{
    if (SAM_LIKELY(!w->cut) || w->ended || w->collecting || w->outstanding)
        return false;
    sam_gputime_end_warp(m, sm, w, m->now);
    return !w->resident;
}

void sam_gputime_waits_init(struct waits *waits)
{
    *waits = (struct waits){.counts[NOT_WAITING][0] = MOST_WARPS};
    memset(waits->stream, NOT_WAITING, sizeof waits->stream);
}

const uint8_t sam_gputime_ranks[SAM_GPUTIME_REASONS] = {
#define ROW(name) [SAM_GPUTIME_##name] = RANK_##name,
    BY_RANK(ROW)
#undef ROW
};
const uint8_t sam_gputime_by_rank[RANKS] = {
#define ROW(name) SAM_GPUTIME_##name,
    BY_RANK(ROW)
#undef ROW
};

/* Move the warp to another reason, or to NOT_WAITING. */
static void wait_for(struct sm *sm, uint32_t i, unsigned stream, unsigned rank)
{
    struct waits *waits = &sm->waits;
    const unsigned last = waits->stream[i], last_rank = waits->rank[i];
    const uint8_t left = --waits->counts[last][last_rank];
    waits->reasons[last] &= ~((uint32_t)(left == 0) << last_rank);
    waits->stream[i] = (uint8_t)stream;
    waits->rank[i] = (uint8_t)rank;
    waits->counts[stream][rank]++;
    waits->reasons[stream] |= 1u << rank;
    waits->warps = (waits->warps & ~(1u << i)) | (uint32_t)(stream != NOT_WAITING) << i;
}

static void clear_wait(struct sm *sm, uint32_t i)
{
    wait_for(sm, i, NOT_WAITING, 0);
}

static void clear_departed(struct sm *sm)
{
    sm->waits.left = false;
    for (uint32_t gone = ~sm->resident_set; gone; gone &= gone - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(gone);
        if (sm->waits.warps >> i & 1)
            clear_wait(sm, i);
        cancel_wakeup(&sm->wakeups, i);
    }
}

static void check_warp(struct model *m, struct sm *sm, uint32_t i)
{
    struct warp *w = &sm->warps[i];
    const uint32_t bit = 1u << i;
    uint64_t again;
    sm->can_issue[0] &= ~bit;
    sm->can_issue[1] &= ~bit;
    if (is_cut_off(m, sm, w))
        return;
    const enum sam_gputime_reason reason = blocking_reason(m, sm, w, &again);
    const unsigned stream = m->config.issue_streams == 2 && w->has_op ? w->trait->stream : 0;
    sm->checked |= bit;
    const uint64_t barrier = w->barrier_from > m->now ? w->barrier_from : NEVER;
    if (reason == SAM_GPUTIME_BUSY) {
        if (barrier == NEVER)
            cancel_wakeup(&sm->wakeups, i);
        else
            set_wakeup(&sm->wakeups, i, m->now, barrier);
        clear_wait(sm, i);
        sm->can_issue[stream] |= bit;
        return;
    }
    set_wakeup(&sm->wakeups, i, m->now, again < barrier ? again : barrier);
    w->waited = reason;
    sam_gputime_warp(m, sm, w, reason);
    wait_for(sm, i, w->has_op ? stream : NO_STREAM, sam_gputime_ranks[reason]);
}

void sam_gputime_left_collector(const struct model *m, struct sm *sm, const struct warp *w)
{
    const uint32_t i = (uint32_t)(w - sm->warps);
    const bool held =
        sm->checked & sm->waits.warps & 1u << i && sm->waits.rank[i] == RANK_COLLECTOR;
    if (!held || m->config.collectors_warp > 1 || w->collected <= m->now) {
        recheck(sm, w, EVENT_COLLECTOR);
        return;
    }
    /* blocked until the collector is free */
    set_wakeup(&sm->wakeups, i, m->now, w->collected);
    if (w->collected < sm->wakeups.next)
        sm->wakeups.next = w->collected;
}

/* Update the issue state of the warps with an event or a wake-up in this cycle. */
static void check_warps(struct model *m, struct sm *sm)
{
    const uint32_t due = (due_warps(&sm->wakeups, m->now) | ~sm->checked) & sm->resident_set;

    if (sm->waits.left)
        clear_departed(sm);
    for (uint32_t set = due; set; set &= set - 1)
        check_warp(m, sm, (uint32_t)__builtin_ctz(set));
    if (sm->waits.left) /* warps without endprg ended in check_warp */
        clear_departed(sm);
    sm->wakeups.next = next_wakeup(&sm->wakeups, m->now);
    wake_at(sm, sm->wakeups.next);
}

/* ------------------------------------------------------------------------------------- issue */

static struct collector *free_collector(const struct model *m, struct sm *sm)
{
    uint64_t first = NEVER;
    for (uint64_t set = sm->all_collectors & ~sm->used; set; set &= set - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(set);
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
    case SAM_FLOW_BRANCH:
    case SAM_FLOW_SPLIT:
    case SAM_FLOW_JOIN: w->unresolved = true; break;
    case SAM_FLOW_BARRIER:
    case SAM_FLOW_PAUSE:
        w->barrier |= w->trait->flow == SAM_FLOW_BARRIER;
        if (m->config.barrier_blocks) {
            w->barrier_from = m->now;
            w->barrier_until = NEVER;
        }
        break;
    case SAM_FLOW_FENCE:
        w->fenced = true;
        w->fences++;
        break;
    case SAM_FLOW_END: break;
    default: w->unresolved = w->op.next_pc != w->op.pc + 4; break;
    }
}

/* groups_wait: if the next instruction starts a new fetch group, record the registers of this one.
 */
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
    struct inflight *f = c->inflight = sam_gputime_new_inflight(sm);
    if (!f) {
        m->out_of_memory = true;
        return;
    }
    /* assigned field by field: clearing the struct is slower */
    f->record.number = m->next_number++;
    f->record.sm = sm->number;
    f->record.slot = slot;
    f->record.workgroup = w->workgroup;
    f->record.warp = w->warp;
    f->record.pc = w->op.pc;
    f->record.insn = w->op.insn;
    f->record.acting = w->op.acting;
    f->record.unit = (enum sam_gputime_unit)t->unit;
    f->record.fetched = sam_gputime_fetched(w);
    f->record.issued = m->now;
    f->record.executed = f->record.done = f->record.written = 0;
    f->record.waited = w->waited;
    f->trait = t;
    f->row = w->row;
    f->access = NULL;
    f->next_pc = w->op.next_pc;
    f->generation = w->generation;
    f->dest = w->code->dest;
    f->pair = w->op.insn->pair;
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
    sm->last_issue = m->now + 1;
    w->collecting++;
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

/* Round robin: the first warp of the set from `next` on. */
static uint32_t choose_warp(uint32_t set, uint32_t next)
{
    const uint32_t from = set & (UINT32_MAX << next);
    return (uint32_t)__builtin_ctz(from ? from : set);
}

/* Whether a collector was free before the issue of the previous cycle. */
static bool had_room(const struct model *m, const struct sm *sm)
{
    if (sm->last_issue == m->now)
        return true;
    for (uint64_t set = sm->all_collectors & ~sm->used; set; set &= set - 1)
        if (sm->free_from[__builtin_ctzll(set)] < m->now)
            return true;
    return false;
}

/* Issue an instruction of the stream. `room`: with issue_early, whether one can be chosen in this
 * cycle. Returns the reasons of the stream as a set of ranks. */
static uint32_t issue_one(struct model *m, struct sm *sm, unsigned stream, bool room)
{
    struct collector *c = free_collector(m, sm);
    struct warp *w = sm->chosen[stream];
    if (!w && (m->config.issue_early ? room : c != NULL))
        w = &sm->warps[choose_warp(sm->can_issue[stream], sm->next_warp[stream])];
    sm->chosen[stream] = c ? NULL : w;
    const bool issues = c && w;
    const enum sam_gputime_reason left = issues ? SAM_GPUTIME_ARBITER : SAM_GPUTIME_COLLECTOR;
    if (c)
        wake_at(sm, m->now + 1);
    if (issues) {
        const uint32_t i = (uint32_t)(w - sm->warps);
        issue(m, sm, w, c);
        sm->can_issue[stream] &= ~(1u << i);
        sm->checked &= ~(1u << i);
        sm->next_warp[stream] = i + 1 == m->config.warps ? 0 : i + 1;
        sm->stats->uses[stream ? SAM_GPUTIME_ISSUE_V : SAM_GPUTIME_ISSUE_X]++;
    }
    for (uint32_t set = sm->can_issue[stream]; set; set &= set - 1) {
        struct warp *other = &sm->warps[__builtin_ctz(set)];
        other->waited = left;
        sam_gputime_warp(m, sm, other, left);
    }
    return 1u << sam_gputime_ranks[issues ? SAM_GPUTIME_BUSY : left];
}

void sam_gputime_issue(struct model *m, struct sm *sm)
{
    check_warps(m, sm);
    uint32_t all = sm->waits.reasons[NO_STREAM];
    const bool room = m->config.issue_early && had_room(m, sm);
    for (unsigned stream = 0; stream < m->config.issue_streams; stream++) {
        uint32_t reasons = sm->waits.reasons[stream];
        if (sm->can_issue[stream])
            reasons |= issue_one(m, sm, stream, room);
        all |= reasons;
        sam_gputime_unit(m, sm, stream ? SAM_GPUTIME_ISSUE_V : SAM_GPUTIME_ISSUE_X,
                         sam_gputime_nearest(reasons));
    }
    sam_gputime_sm(m, sm, sam_gputime_nearest(all));
}
