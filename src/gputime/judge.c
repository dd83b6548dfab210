/* SPDX-License-Identifier: Apache-2.0 */
/* Which warps can issue their next instruction, and what the others wait for. A warp is judged when
 * something has happened that it may wait for, or when its alarm goes off. */
#include "gputime/model.h"

/* The registers of an access of two registers (REGPAIR) count as one. */
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
    w->waits_for = EVENTS; /* unless less is known to suffice */
    if (!w->has_op)
        return SAM_GPUTIME_DRAIN;
    w->waits_for = EVENT_FLOW;
    if (now < w->start + m->config.start_latency) {
        *again = w->start + m->config.start_latency;
        return SAM_GPUTIME_START;
    }
    if (sm->chosen[0] == w || sm->chosen[1] == w)
        return SAM_GPUTIME_BUSY; /* nothing keeps it any more */
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
        const enum sam_gputime_reason reason = take_up(m, sm, w, again);
        if (reason == SAM_GPUTIME_BUSY)
            *again = now + 1;
        return reason == SAM_GPUTIME_BUSY ? SAM_GPUTIME_FETCH : reason;
    }
    if (now < there) {
        if (there != NEVER)
            *again = there - !w->taken;
        if (w->icache_until <= now)
            w->waits_for = EVENT_FLOW | EVENT_FETCH;
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

/* ------------------------------------------------------------------------------------ alarms */

void sam_gputime_alarms_init(struct alarms *alarms)
{
    *alarms = (struct alarms){0};
    for (unsigned i = 0; i < MOST_WARPS; i++)
        alarms->at[i] = NEVER;
    alarms->next = NEVER;
}

/* There are few branches here, for none of them can be foreseen: a warp without an alarm, or with
 * one that is far, is in no near set that it could be taken out of. */
static void cancel_alarm(struct alarms *a, uint32_t i)
{
    const uint32_t bit = 1u << i, near = a->at[i] % MOST_NEAR;
    a->at[i] = NEVER;
    a->far &= ~bit;
    a->near[near] &= ~bit;
    a->cycles &= ~((uint64_t)(a->near[near] == 0) << near);
}

/* `cycle` is after `now`. */
static void set_alarm(struct alarms *a, uint32_t i, uint64_t now, uint64_t cycle)
{
    const uint32_t near = cycle % MOST_NEAR, is_near = cycle - now < MOST_NEAR;
    cancel_alarm(a, i);
    a->at[i] = cycle;
    a->far |= (uint32_t)(!is_near & (cycle != NEVER)) << i;
    a->near[near] |= is_near << i;
    a->cycles |= (uint64_t)is_near << near;
}

/* The warps whose alarm goes off in this cycle. */
static uint32_t alarmed(const struct alarms *a, uint64_t now)
{
    uint32_t due = a->near[now % MOST_NEAR];
    for (uint32_t set = a->far; SAM_UNLIKELY(set); set &= set - 1)
        due |= (uint32_t)(a->at[__builtin_ctz(set)] <= now) << __builtin_ctz(set);
    return due;
}

/* The first cycle after this one in which one goes off. */
static uint64_t next_alarm(const struct alarms *a, uint64_t now)
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

/* A warp whose instructions have come to an end without endprg has ended. False: it still runs. */
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

/* The reasons by rank: for a stream or an SM, the one is given that is nearest to an issue. */
#define BY_RANK(ROW)                                                                               \
    ROW(BUSY)                                                                                      \
    ROW(ARBITER)                                                                                   \
    ROW(COLLECTOR)                                                                                 \
    ROW(RAW)                                                                                       \
    ROW(WAW)                                                                                       \
    ROW(BANK)                                                                                      \
    ROW(UNIT)                                                                                      \
    ROW(LOAD)                                                                                      \
    ROW(FENCE)                                                                                     \
    ROW(FETCH)                                                                                     \
    ROW(BRANCH)                                                                                    \
    ROW(ICACHE)                                                                                    \
    ROW(BARRIER)                                                                                   \
    ROW(START)                                                                                     \
    ROW(DRAIN)                                                                                     \
    ROW(EMPTY)
enum {
#define ROW(name) RANK_##name,
    BY_RANK(ROW)
#undef ROW
};
static const uint8_t ranks[SAM_GPUTIME_REASONS] = {
#define ROW(name) [SAM_GPUTIME_##name] = RANK_##name,
    BY_RANK(ROW)
#undef ROW
};

uint32_t sam_gputime_rank(enum sam_gputime_reason reason)
{
    return ranks[reason];
}

enum sam_gputime_reason sam_gputime_nearest(uint32_t set)
{
    static const uint8_t reasons[] = {
#define ROW(name) SAM_GPUTIME_##name,
        BY_RANK(ROW)
#undef ROW
    };
    return (enum sam_gputime_reason)reasons[__builtin_ctz(set | 1u << RANK_EMPTY)];
}

/* The warp waits for another reason, or not at all. */
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

static void forget(struct sm *sm, uint32_t i)
{
    wait_for(sm, i, NOT_WAITING, 0);
}

/* Warps that have left the SM neither wait nor issue. */
static void forget_those_that_left(struct sm *sm)
{
    sm->waits.left = false;
    for (uint32_t gone = ~sm->resident_set; gone; gone &= gone - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(gone);
        if (sm->waits.warps >> i & 1)
            forget(sm, i);
        cancel_alarm(&sm->alarms, i);
    }
}

static void look_at_warp(struct model *m, struct sm *sm, uint32_t i)
{
    struct warp *w = &sm->warps[i];
    const uint32_t bit = 1u << i;
    uint64_t again;
    sm->can_issue[0] &= ~bit;
    sm->can_issue[1] &= ~bit;
    if (is_cut_off(m, sm, w))
        return;
    const enum sam_gputime_reason reason = judge(m, sm, w, &again);
    const unsigned stream = m->config.issue_streams == 2 && w->has_op ? w->trait->stream : 0;
    sm->judged |= bit;
    const uint64_t barrier = w->barrier_from > m->now ? w->barrier_from : NEVER;
    if (reason == SAM_GPUTIME_BUSY) {
        if (barrier == NEVER)
            cancel_alarm(&sm->alarms, i);
        else
            set_alarm(&sm->alarms, i, m->now, barrier);
        forget(sm, i);
        sm->can_issue[stream] |= bit;
        return;
    }
    set_alarm(&sm->alarms, i, m->now, again < barrier ? again : barrier);
    w->waited = reason;
    sam_gputime_warp(m, sm, w, reason);
    wait_for(sm, i, w->has_op ? stream : NO_STREAM, ranks[reason]);
}

void sam_gputime_left_collector(const struct model *m, struct sm *sm, const struct warp *w)
{
    const uint32_t i = (uint32_t)(w - sm->warps);
    const bool held = sm->judged & sm->waits.warps & 1u << i && sm->waits.rank[i] == RANK_COLLECTOR;
    if (!held || m->config.collectors_warp > 1 || w->collected <= m->now) {
        judge_again(sm, w, EVENT_COLLECTOR);
        return;
    }
    /* it is held until the collector is free again */
    set_alarm(&sm->alarms, i, m->now, w->collected);
    if (w->collected < sm->alarms.next)
        sm->alarms.next = w->collected;
}

void sam_gputime_judge(struct model *m, struct sm *sm)
{
    const uint32_t due = (alarmed(&sm->alarms, m->now) | ~sm->judged) & sm->resident_set;

    if (sm->waits.left)
        forget_those_that_left(sm);
    for (uint32_t set = due; set; set &= set - 1)
        look_at_warp(m, sm, (uint32_t)__builtin_ctz(set));
    if (sm->waits.left) /* the last warps of a group had no endprg */
        forget_those_that_left(sm);
    sm->alarms.next = next_alarm(&sm->alarms, m->now);
    wake_at(sm, sm->alarms.next);
}
