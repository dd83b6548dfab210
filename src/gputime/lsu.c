/* SPDX-License-Identifier: Apache-2.0 */
/* The load and store unit. It sends the line requests of one instruction at a time, one per cycle,
 * to local memory or the L1 data cache. */
#include "gputime/parts.h"

#include <stdlib.h>

void sam_gputime_lsu_put(const struct model *m, struct sm *sm, struct inflight *f, uint64_t at)
{
    struct lsu *l = &sm->lsu;
    l->under_way++;
    const uint32_t place = (l->first + l->queued++) % MOST_QUEUED;
    l->queue[place] = f;
    l->entered[place] = at;
    struct warp *w = &sm->warps[f->record.slot];
    w->in_lsu += w->generation == f->generation;
    sm->lsu_at = m->now;
}

/* --------------------------------------------------------------------------------- L1 cache */

/* Fill the lines that have arrived, before the requests of this cycle, and write back dirty
 * victims.
 */
static void fill_l1(struct model *m, struct sm *sm)
{
    struct sam_gputime_cache *stats = &sm->stats->l1d;
    struct sam_memtime_tag victim;
    for (uint64_t line; sam_memtime_misses_take(&sm->l1_misses, m->now, &line);) {
        sam_memtime_tags_fill(&sm->l1, line, &victim);
        stats->evictions += victim.line != 0;
        if (!victim.line || !victim.dirty)
            continue;
        stats->dirty++;
        sam_gputime_write_line(m, (victim.line - 1) << m->l1_shift, m->config.line_bytes, NULL);
    }
    lsu_at(sm, sam_memtime_misses_first(&sm->l1_misses));
}

/* Returns the cycle of the reply, or NEVER if refused until cycle *again. */
static uint64_t read_line(struct model *m, struct sm *sm, uint32_t line, uint64_t *again,
                          bool *missed)
{
    struct sam_gputime_cache *stats = &sm->stats->l1d;
    struct sam_memtime_miss *miss = sam_memtime_misses_find(&sm->l1_misses, line);
    if (miss) {
        if (miss->merged == sm->l1_misses.merges) {
            *again = miss->ready;
            return NEVER;
        }
        miss->merged++;
        stats->merges++;
        *missed = true;
        return miss->ready;
    }
    if (sam_memtime_tags_find(&sm->l1, line)) {
        stats->read_hits++;
        return m->now + m->config.l1_latency;
    }
    if (sam_memtime_misses_is_full(&sm->l1_misses)) {
        *again = sam_memtime_misses_first(&sm->l1_misses);
        return NEVER;
    }
    *missed = true;
    const uint64_t ready =
        sam_gputime_read_line(m, (uint64_t)line << m->l1_shift, m->config.line_bytes) +
        m->config.l1_fill_latency;
    sam_memtime_misses_add(&sm->l1_misses, line, ready);
    lsu_at(sm, ready);
    return ready;
}

/* A write that hits stays in the L1; a miss or an atomic goes to the L2. */
static uint64_t write_line(struct model *m, struct sm *sm, uint32_t line, uint32_t bytes,
                           bool atomic, uint64_t *again, bool *missed)
{
    struct sam_memtime_tag *tag = atomic ? NULL : sam_memtime_tags_find(&sm->l1, line);
    if (tag) {
        tag->dirty = true;
        sm->stats->l1d.write_hits++;
        return m->now + m->config.l1_latency;
    }
    sam_memtime_misses_retire(&sm->l1_writes, m->now);
    if (sam_memtime_misses_is_full(&sm->l1_writes)) {
        const uint64_t place = sam_memtime_misses_first(&sm->l1_writes);
        const uint64_t line_there =
            sam_memtime_misses_first(&sm->l1_misses); /* it may be this line */
        *again = place < line_there ? place : line_there;
        return NEVER;
    }
    *missed = true;
    const struct access *a = sm->lsu.inflight->access;
    const uint64_t *covered = sm->coverage ? sm->coverage[a - sm->accesses].of[a->next] : NULL;
    const uint64_t ready =
        sam_gputime_write_line(m, (uint64_t)line << m->l1_shift, bytes, covered) +
        m->config.l1_fill_latency;
    sam_memtime_misses_add(&sm->l1_writes, line, ready);
    return ready;
}

/* ------------------------------------------------------------------------------ line requests */

static uint64_t access_l1(struct model *m, struct sm *sm, uint64_t *again)
{
    struct lsu *l = &sm->lsu;
    const struct access *a = l->inflight->access;
    const uint32_t line = a->lines[a->next], bytes = a->bytes[a->next];
    bool missed = false;
    const uint64_t reply = a->write ? write_line(m, sm, line, bytes, a->atomic, again, &missed)
                                    : read_line(m, sm, line, again, &missed);
    if (reply == NEVER)
        return NEVER;
    *(a->write ? &sm->stats->l1d.writes : &sm->stats->l1d.reads) += 1;
    sm->stats->uses[SAM_GPUTIME_L1D]++;
    sm->stats->units[SAM_GPUTIME_L1D][SAM_GPUTIME_BUSY] += m->now < m->limit;
    l->inflight->row->lines++;
    l->inflight->row->misses += missed;
    return reply;
}

static uint64_t access_lds(struct model *m, struct sm *sm, uint64_t *again)
{
    struct lsu *l = &sm->lsu;
    const struct access *a = l->inflight->access;
    const uint32_t passes = a->passes[a->next];
    if (l->lds_free > m->now) {
        *again = l->lds_free;
        return NEVER;
    }
    l->lds_free = m->now + passes + (a->write ? m->config.lds_write_gap : 0);
    sm->stats->lds_passes += passes;
    sm->stats->uses[SAM_GPUTIME_LDS]++;
    l->inflight->row->passes += passes;
    sam_gputime_span(m, sm, SAM_GPUTIME_LDS, SAM_GPUTIME_BUSY, m->now, m->now + 1);
    sam_gputime_span(m, sm, SAM_GPUTIME_LDS, SAM_GPUTIME_CONFLICT, m->now + 1, m->now + passes);
    return m->now + m->config.lds_latency + passes;
}

/* All requests are sent: the result comes in cycle `result`, the next instruction may start in
 * `free`.
 */
static void finish(struct model *m, struct sm *sm, uint64_t result, uint64_t free)
{
    struct lsu *l = &sm->lsu;
    struct inflight *f = l->inflight;
    l->free = free;
    l->active = false;
    emit_at(sm, m->now + 1);
    sam_gputime_expect(m, sm, f, result);
    if (f->access)
        f->access->used = false;
    f->record.done = result;
    if (f->dest != NO_REGISTER)
        sam_gputime_put_result(m, sm, f, result);
    else
        sam_gputime_retire(m, sm, f, result);
}

/* Start the oldest queued instruction. */
static void begin(struct model *m, struct sm *sm)
{
    struct lsu *l = &sm->lsu;
    const uint64_t entered = l->entered[l->first], start = entered > l->free ? entered : l->free;
    lsu_at(sm, start > m->now ? start : m->now + 1);
    if (start > m->now)
        return;
    l->inflight = l->queue[l->first];
    emit_at(sm, m->now + 1);
    l->first = (l->first + 1) % MOST_QUEUED;
    l->queued--;
    l->inflight->row->accesses++;
    if (!l->inflight->access) { /* no active lane */
        const uint64_t end = m->now + (m->config.lsu_interval ? m->config.lsu_interval : 1);
        finish(m, sm, end, end);
        return;
    }
    l->active = true;
    l->next_request = start + m->config.lsu_latency;
    l->last_reply = 0;
    sm->stats->lds_accesses += l->inflight->access->local;
}

/* Send the next request. Returns false if it is refused. */
static bool send(struct model *m, struct sm *sm)
{
    struct lsu *l = &sm->lsu;
    struct access *a = l->inflight->access;
    uint64_t again = NEVER;
    const uint64_t reply = a->local ? access_lds(m, sm, &again) : access_l1(m, sm, &again);
    l->refused = reply == NEVER;
    if (l->refused) {
        sm->stats->l1d.refusals += !a->local && again > m->now ? again - m->now : 0;
        l->next_request = again;
        lsu_at(sm, again);
        return false;
    }
    l->last_reply = reply > l->last_reply ? reply : l->last_reply;
    l->next_request = m->now + 1;
    if (++a->next == a->count) {
        const uint64_t next = m->now + 1 + m->config.lsu_interval; /* request */
        finish(m, sm, l->last_reply + m->config.lsu_return,
               next > m->config.lsu_latency ? next - m->config.lsu_latency : 0);
    }
    return true;
}

void sam_gputime_expect(struct model *m, struct sm *sm, const struct inflight *f, uint64_t at)
{
    if (sm->answer_count == sm->answer_capacity) {
        const uint32_t capacity = sm->answer_capacity ? 2 * sm->answer_capacity : 64;
        struct answer *answers = realloc(sm->answers, capacity * sizeof *answers);
        if (!answers) {
            m->out_of_memory = true;
            return;
        }
        sm->answers = answers;
        sm->answer_capacity = capacity;
    }
    sm->answers[sm->answer_count++] = (struct answer){at, f->record.slot, f->generation};
    sm->first_answer = at < sm->first_answer ? at : sm->first_answer;
    wake_at(sm, at);
}

void sam_gputime_answers(struct model *m, struct sm *sm)
{
    uint32_t kept = 0;
    sm->first_answer = NEVER;
    sm->emit_at = sm->lsu_at = m->now; /* the LSU may accept another */
    for (uint32_t i = 0; i < sm->answer_count; i++) {
        const struct answer *a = &sm->answers[i];
        struct warp *w = &sm->warps[a->warp];
        if (a->at > m->now) {
            sm->first_answer = a->at < sm->first_answer ? a->at : sm->first_answer;
            sm->answers[kept++] = *a;
            continue;
        }
        sm->lsu.under_way -= sm->lsu.under_way > 0;
        if (w->generation != a->generation)
            continue;
        recheck(sm, w, EVENT_MEMORY);
        w->accesses--;
        w->in_lsu -= w->in_lsu > 0;
    }
    sm->answer_count = kept;
    wake_at(sm, sm->first_answer);
}

void sam_gputime_lsu(struct model *m, struct sm *sm)
{
    struct lsu *l = &sm->lsu;
    sm->lsu_at = NEVER;
    if (m->config.memory_perfect)
        return;
    fill_l1(m, sm);
    if (!l->active && l->queued)
        begin(m, sm);
    enum sam_gputime_reason reason =
        l->under_way > l->queued ? SAM_GPUTIME_MEMORY : SAM_GPUTIME_EMPTY;
    if (l->active) {
        const bool local = l->inflight->access->local;
        if (l->next_request > m->now)
            lsu_at(sm, l->next_request);
        else if (send(m, sm))
            lsu_at(sm, m->now + 1);
        reason = SAM_GPUTIME_BUSY;
        if (l->active && l->refused)
            reason = local ? SAM_GPUTIME_CONFLICT : SAM_GPUTIME_MSHR;
    }
    if (!l->active && l->queued)
        begin(m, sm);
    sam_gputime_unit(m, sm, SAM_GPUTIME_LSU, reason);
}
