/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the parts of the model. Those that are called several times per instruction and are
 * small are inline: out of line they cost 5 % of a run. */
#ifndef SAM_GPUTIME_PARTS_H
#define SAM_GPUTIME_PARTS_H

#include "gputime/model.h"

/* Invariant: each phase sets sm->wake (the LSU sm->lsu_at) no later than the next cycle in which it
 * can act. */

/* dispatch.c */
void sam_gputime_dispatch(struct model *m);
/* The next cycle with a dispatch or a release, or NEVER. */
static inline uint64_t sam_gputime_next_dispatch(const struct model *m)
{
    if (m->next_group == m->launch.workgroups)
        return NEVER;
    return m->next_dispatch < m->next_release ? m->next_dispatch : m->next_release;
}
void sam_gputime_end_warp(struct model *m, struct sm *sm, struct warp *w, uint64_t at);
/* The warp executes a barrier in cycle `at`. */
void sam_gputime_arrive(struct model *m, struct sm *sm, const struct warp *w, uint64_t at);
/* Take the warp's next instruction from the source. */
void sam_gputime_pull(struct model *m, struct warp *w);
/* Workgroups that an SM holds at a time, and the limiting resource. */
uint32_t sam_gputime_residency(const struct sam_gputime_config *config,
                               const struct sam_gputime_launch *launch,
                               enum sam_gputime_limit *limit);

/* code.c */
bool sam_gputime_program_init(struct program *program);
void sam_gputime_program_free(struct program *program);
/* The row of a pc, never NULL; sets m->out_of_memory. */
struct sam_gputime_row *sam_gputime_row(struct model *m, uint32_t pc);
/* An instruction at a pc. Returns NULL and sets m->out_of_memory on failure. */
const struct code *sam_gputime_code(struct model *m, uint32_t pc, const struct sam_insn *insn);
/* Copy all rows, unordered. Returns false on out-of-memory. */
bool sam_gputime_rows(const struct program *program, struct sam_gputime_result *result);

/* fetch.c */
void sam_gputime_fetch(struct model *m, struct sm *sm);
/* Whether the fetch phase can act. */
static inline bool sam_gputime_fetches(const struct sm *sm)
{
    return sm->roomy | sm->redirected |
           (sm->meters[SAM_GPUTIME_FETCHER].reason != SAM_GPUTIME_EMPTY);
}
void sam_gputime_start_fetch(struct model *m, struct sm *sm, struct warp *w, uint64_t at,
                             uint32_t pc);
/* Update sm->roomy after a change of the warp's buffer. */
static inline void sam_gputime_note_room(const struct model *m, struct sm *sm, const struct warp *w)
{
    /* a prefix that waits for its instruction occupies no entry */
    const uint32_t held = w->count > w->folded ? w->count - w->folded : 0;
    const bool room = held + m->config.fetch_width <= m->config.ibuffer * m->config.fetch_width;
    const uint32_t bit = 1u << (w - sm->warps);
    sm->roomy = room ? sm->roomy | bit : sm->roomy & ~bit;
}
/* The cycle in which the next instruction, which has been fetched, is in the buffer. */
static inline uint64_t sam_gputime_fetched(const struct warp *w)
{
    return w->there[(w->op.pc >> 2) % MOST_BUFFERED];
}
/* The cycle in which the next instruction is in the buffer; NEVER if it is not being fetched. */
static inline uint64_t sam_gputime_there(const struct warp *w)
{
    const bool fetched = (w->redirect == NEVER) & (w->count > w->folded);
    return sam_gputime_fetched(w) | ((uint64_t)fetched - 1);
}
/* Remove the issued instruction from the buffer. */
static inline void sam_gputime_consume(struct warp *w)
{
    w->head += 4 * (w->folded + 1);
    w->count -= w->folded + 1;
    w->folded = 0;
}

/* scheduler.c */
void sam_gputime_wakeups_init(struct wakeups *wakeups);
void sam_gputime_waits_init(struct waits *waits);
/* Reasons by rank: the reason of a stream or an SM is that of the warp nearest to an issue. */
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
        RANKS
};
extern const uint8_t sam_gputime_ranks[SAM_GPUTIME_REASONS], sam_gputime_by_rank[RANKS];
/* The reason of the lowest rank in the set, or EMPTY. */
static inline enum sam_gputime_reason sam_gputime_nearest(uint32_t set)
{
    return (enum sam_gputime_reason)sam_gputime_by_rank[__builtin_ctz(set | 1u << RANK_EMPTY)];
}
void sam_gputime_issue(struct model *m, struct sm *sm);
/* Event: the last instruction of the warp has left its collector. */
void sam_gputime_left_collector(const struct model *m, struct sm *sm, const struct warp *w);

/* operands.c */
/* Issue the next instruction of the warp to a collector. */
void sam_gputime_collect(const struct model *m, struct sm *sm, struct collector *c,
                         const struct warp *w);
/* Cancel the repeated requests of a collector that its instruction leaves. */
void sam_gputime_end_echo(struct sm *sm, struct collector *c);
/* Requires sm->asking. */
void sam_gputime_operands(struct model *m, struct sm *sm);

/* execute.c */
void sam_gputime_emit(struct model *m, struct sm *sm);

/* write.c */
void sam_gputime_write(struct model *m, struct sm *sm);
void sam_gputime_order_writes(struct model *m);
void sam_gputime_put_result(struct model *m, struct sm *sm, struct inflight *f, uint64_t ready);
/* Complete the instruction and free its entry. */
static inline void sam_gputime_retire(struct model *m, struct sm *sm, struct inflight *f,
                                      uint64_t at)
{
    f->record.written = at;
    f->row->latency += at - f->record.issued;
    if (m->observer->record)
        m->observer->record(m->observer->context, &f->record);
    f->next = sm->free_inflight;
    sm->free_inflight = f;
}
bool sam_gputime_grow_inflight(struct sm *sm);
/* Returns NULL on out-of-memory. */
static inline struct inflight *sam_gputime_new_inflight(struct sm *sm)
{
    struct inflight *f = sm->free_inflight;
    if (SAM_UNLIKELY(!f)) {
        if (!sam_gputime_grow_inflight(sm))
            return NULL;
        f = sm->free_inflight;
    }
    sm->free_inflight = f->next;
    return f;
}
void sam_gputime_free_inflight(struct sm *sm);
static inline void sam_gputime_set_busy(struct warp *w, uint16_t reg, bool on, bool load)
{
    const uint64_t bit = UINT64_C(1) << (reg & 63);
    uint64_t *busy = &w->busy[reg >> 6], *loading = &w->loading[reg >> 6];
    *busy = on ? *busy | bit : *busy & ~bit;
    *loading = on && load ? *loading | bit : *loading & ~bit;
}
static inline void sam_gputime_mark(struct warp *w, uint16_t reg, bool pair, bool load)
{
    sam_gputime_set_busy(w, reg, true, load);
    if (pair)
        sam_gputime_set_busy(w, reg | 1u, true, load);
    w->outstanding++;
}

/* lsu.c */
/* Whether the LSU accepts an instruction in this cycle. */
static inline bool sam_gputime_lsu_takes(const struct model *m, const struct sm *sm)
{
    const struct lsu *l = &sm->lsu;
    const bool idle = !l->active && l->free <= m->now + m->config.emit_latency;
    return l->under_way < m->config.lsu_all && l->queued < m->config.lsu_queue + idle;
}
void sam_gputime_lsu_put(const struct model *m, struct sm *sm, struct inflight *f, uint64_t at);
void sam_gputime_lsu(struct model *m, struct sm *sm);
/* Schedule the completion of an instruction's accesses. */
void sam_gputime_expect(struct model *m, struct sm *sm, const struct inflight *f, uint64_t at);
/* Complete the accesses that are due. */
void sam_gputime_answers(struct model *m, struct sm *sm);

/* run.c: simulate the other SMs up to the request of m->current. */
void sam_gputime_catch_up_others(struct model *m);

/* memory.c: requests of the L1s in this cycle to the L2 or to shared memory. Return the cycle in
 * which the reply reaches the L1. `covered` is the set of written bytes, or NULL for a whole line.
 */
uint64_t sam_gputime_read_line(struct model *m, uint64_t address, uint32_t size);
uint64_t sam_gputime_write_line(struct model *m, uint64_t address, uint32_t bytes,
                                const uint64_t covered[MOST_PARTS]);
/* Write back the next dirty line of each L1. Returns false if none is left. */
bool sam_gputime_flush(struct model *m);

/* coalesce.c: the line requests of an op, or NULL. */
struct access *sam_gputime_coalesce(struct model *m, struct sm *sm, const struct trait *trait,
                                    const struct sam_gputime_op *op);

/* account.c */
static inline uint64_t sam_gputime_clip(const struct model *m, uint64_t cycle)
{
    return cycle < m->limit ? cycle : m->limit;
}
/* Account the part of [from, to) that the unit has not accounted yet. */
static inline void sam_gputime_span(struct model *m, struct sm *sm, enum sam_gputime_unit unit,
                                    enum sam_gputime_reason reason, uint64_t from, uint64_t to)
{
    struct span *span = &sm->spans[unit];
    from = from > span->to ? from : span->to;
    to = sam_gputime_clip(m, to);
    if (from >= to)
        return;
    sm->stats->units[unit][reason] += to - from;
    if (from > span->to || reason != span->reason)
        span->from = from;
    span->to = to;
    span->reason = reason;
}
/* Set the state of a unit, an SM or a warp from now on. Units and SMs close their account even if
 * the state stays the same, which costs less than an unpredictable branch. */
static inline void switch_meter(const struct model *m, struct meter *meter, uint64_t *reasons,
                                enum sam_gputime_reason reason)
{
    const uint64_t now = sam_gputime_clip(m, m->now);
    reasons[meter->reason] += now - meter->since;
    *meter = (struct meter){reason, now};
}
static inline void sam_gputime_unit(struct model *m, struct sm *sm, enum sam_gputime_unit unit,
                                    enum sam_gputime_reason reason)
{
    switch_meter(m, &sm->meters[unit], sm->stats->units[unit], reason);
}
static inline void sam_gputime_sm(struct model *m, struct sm *sm, enum sam_gputime_reason reason)
{
    switch_meter(m, &sm->meter, sm->stats->reasons, reason);
}
/* Whether the cycles since the last change belong to an instruction. */
static inline bool sam_gputime_has_row(const struct warp *w)
{
    const uint32_t others =
        1u << SAM_GPUTIME_EMPTY | 1u << SAM_GPUTIME_START | 1u << SAM_GPUTIME_DRAIN;
    return (w->meter_row != NULL) & ~(others >> w->meter.reason);
}
/* Report the stall that ends now to the observer. */
void sam_gputime_report_stall(const struct model *m, const struct sm *sm, const struct warp *w);
/* Close the account of a warp slot. */
static inline void sam_gputime_close_warp(struct model *m, const struct sm *sm, struct warp *w)
{
    if (SAM_UNLIKELY(m->observer->stall != NULL))
        sam_gputime_report_stall(m, sm, w);
    struct sam_gputime_row *const rows[2] = {&m->spare, w->meter_row};
    struct sam_gputime_row *row = rows[sam_gputime_has_row(w)];
    const uint64_t now = sam_gputime_clip(m, m->now), cycles = now - w->meter.since;
    w->reasons[w->meter.reason] += cycles;
    row->reasons[w->meter.reason] += cycles;
    w->meter.since = now;
}
static inline void sam_gputime_warp(struct model *m, struct sm *sm, struct warp *w,
                                    enum sam_gputime_reason reason)
{
    if (SAM_UNLIKELY(m->observer->stall != NULL) && w->meter.reason == reason &&
        w->meter_row == w->row)
        return; /* the stall continues */
    sam_gputime_close_warp(m, sm, w);
    w->meter.reason = reason;
    w->meter_row = w->row;
    w->meter_pc = w->op.pc;
}
/* Close all accounts and fill the result. Returns false on out-of-memory. */
bool sam_gputime_settle(struct model *m);

#endif
