/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions with all operands leave their collectors and execute. */
#include "gputime/parts.h"

static uint32_t sfu_cycles(const struct model *m, const struct inflight *f)
{
    const struct sam_gputime_config *c = &m->config;
    const uint32_t quarter = m->threads / 4 ? m->threads / 4 : 1;
    const uint32_t size = c->sfu_units ? c->sfu_units : quarter;
    const uint32_t each = f->trait->speed ? c->sfu_int_cycles : c->sfu_float_cycles;
    uint32_t groups = 0;
    if (f->trait->uses.result == SAM_OPERAND_X)
        groups = 1;
    else
        for (uint32_t lane = 0; lane < 32; lane += size)
            groups +=
                (f->record.acting >> lane & (size == 32 ? UINT32_MAX : (1u << size) - 1)) != 0;
    return c->sfu_extra + each * (groups ? groups : 1);
}

static uint32_t tensor_cycles(const struct model *m)
{
    const uint32_t steps = (m->threads > 4) + (m->threads > 8);
    return m->config.tensor_latency + steps * m->config.tensor_step;
}

/* Latency, and the interval until the unit can start another instruction. */
static void measure(const struct model *m, const struct inflight *f, uint32_t *latency,
                    uint32_t *interval)
{
    const struct sam_gputime_config *c = &m->config;
    const uint32_t float_latency[3] = {c->fadd_latency, c->fma_latency, c->fcvt_latency};
    switch (f->record.unit) {
    case SAM_GPUTIME_SALU: *latency = c->salu_latency, *interval = c->salu_interval; break;
    case SAM_GPUTIME_VALU: *latency = c->valu_latency, *interval = c->valu_interval; break;
    case SAM_GPUTIME_CSR: *latency = c->csr_latency, *interval = c->csr_interval; break;
    case SAM_GPUTIME_MUL: *latency = c->mul_latency, *interval = c->mul_interval; break;
    case SAM_GPUTIME_FPU:
        *latency = float_latency[f->trait->speed];
        *interval = c->fpu_interval;
        break;
    case SAM_GPUTIME_SFU:
        *latency = sfu_cycles(m, f);
        *interval = c->sfu_interval ? c->sfu_interval : *latency;
        break;
    case SAM_GPUTIME_TENSOR: *latency = tensor_cycles(m), *interval = c->tensor_interval; break;
    case SAM_GPUTIME_LSU: *latency = c->perfect_latency, *interval = c->perfect_interval; break;
    default: *latency = 0, *interval = 1; break;
    }
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void block(struct warp *w, uint64_t from, uint64_t until)
{
    w->barrier_from = from;
    w->barrier_until = until;
}

/* Resolve a branch or join in cycle `at`. */
static void resolve(struct model *m, struct sm *sm, struct warp *w, const struct inflight *f,
                    uint64_t at)
{
    recheck(sm, w, EVENT_FLOW);
    w->unresolved = false;
    w->issue_from = later(w->issue_from, f->record.executed + 1);
    if (f->next_pc == f->record.pc + 4) {
        w->issue_from = later(w->issue_from, at + m->config.branch_latency);
    } else {
        const uint64_t fetch = at + later(m->config.redirect_latency, 1);
        w->redirect_pc = f->next_pc;
        w->redirect = fetch;
        sm->redirected |= 1u << (w - sm->warps);
        w->icache_until = 0;
        wake_at(sm, fetch);
    }
    wake_at(sm, w->issue_from > m->now ? w->issue_from : m->now + 1);
}

/* The warp executes barriersub in cycle `x`. */
static void pass_pause(const struct model *m, struct warp *w, uint64_t x)
{
    const uint64_t until = x + m->config.barrier_latency;
    if (w->barrier && w->barrier_until == NEVER)
        return; /* waits at a barrier of the workgroup */
    if (m->config.barrier_blocks || w->barrier_until <= x)
        block(w, m->config.barrier_blocks ? w->barrier_from : x, until);
    else
        w->barrier_until = later(w->barrier_until, until);
}

/* Control flow of an instruction that executes in cycle `x`, with its result `latency` cycles
 * later. */
static void take_effect(struct model *m, struct sm *sm, struct warp *w, const struct inflight *f,
                        uint64_t x, uint32_t latency)
{
    if (f->trait->flow != SAM_FLOW_NEXT)
        recheck(sm, w, EVENT_FLOW);
    switch (f->trait->flow) {
    case SAM_FLOW_BRANCH: resolve(m, sm, w, f, x + latency); break;
    case SAM_FLOW_SPLIT: resolve(m, sm, w, f, x + latency + m->config.simt_latency); break;
    case SAM_FLOW_JOIN: resolve(m, sm, w, f, x + m->config.join_latency); break;
    case SAM_FLOW_BARRIER:
        if (!m->config.barrier_blocks)
            block(w, x, NEVER);
        sam_gputime_arrive(m, sm, w, x);
        break;
    case SAM_FLOW_PAUSE: pass_pause(m, w, x); break;
    case SAM_FLOW_END: sam_gputime_end_warp(m, sm, w, x); break;
    case SAM_FLOW_FENCE:
        w->fences--;
        w->fence_until = x + 1;
        break;
    default:
        if (f->next_pc != f->record.pc + 4)
            resolve(m, sm, w, f, x + latency);
        break;
    }
}

/* Whether the unit accepts no instruction in this cycle. */
static bool is_occupied(const struct model *m, struct sm *sm, enum sam_gputime_unit unit)
{
    if (unit == SAM_GPUTIME_WARPS)
        return false;
    if (unit == SAM_GPUTIME_LSU && !m->config.memory_perfect) {
        const uint64_t idle =
            sm->lsu.free -
            (sm->lsu.free < m->config.emit_latency ? sm->lsu.free : m->config.emit_latency);
        if (idle > m->now)
            emit_at(sm, idle); /* a full queue accepts nothing before */
        return !sam_gputime_lsu_takes(m, sm);
    }
    if (sm->unit_free[unit] <= m->now)
        return false;
    emit_at(sm, sm->unit_free[unit]);
    return true;
}

/* Whether the LSU accepts no instruction of this warp. */
static bool warp_is_full(const struct model *m, const struct sm *sm, const struct collector *c)
{
    return c->inflight->record.unit == SAM_GPUTIME_LSU && !m->config.memory_perfect &&
           sm->warps[c->slot].in_lsu >= m->config.lsu_warp;
}

static void leave(const struct model *m, struct sm *sm, struct collector *c)
{
    const unsigned index = (unsigned)(c - sm->collectors);
    const uint64_t bit = UINT64_C(1) << index;
    struct warp *w = &sm->warps[c->slot];
    sm->used &= ~bit;
    sm->complete &= ~bit;
    if (c->echo)
        sam_gputime_end_echo(sm, c);
    sm->for_unit[c->inflight->record.unit] &= ~bit;
    sm->free_from[index] = m->now + m->config.collector_free;
    if (w->generation != c->generation)
        return; /* the warp ended before its last stores */
    w->collecting--;
    w->collected = sm->free_from[index];
    sam_gputime_left_collector(m, sm, w);
}

static void emit(struct model *m, struct sm *sm, struct collector *c)
{
    struct inflight *f = c->inflight;
    struct warp *w = &sm->warps[c->slot];
    const enum sam_gputime_unit unit = f->record.unit;
    const uint64_t x = m->now + m->config.emit_latency;
    uint32_t latency, interval;
    leave(m, sm, c);
    f->record.executed = x;
    sm->stats->uses[unit]++;
    emit_at(sm, m->now + 1);
    if (unit == SAM_GPUTIME_LSU && !m->config.memory_perfect) {
        sam_gputime_lsu_put(m, sm, f, x);
        return;
    }
    measure(m, f, &latency, &interval);
    sm->unit_free[unit] = m->now + interval;
    sam_gputime_span(m, sm, unit, SAM_GPUTIME_BUSY, x,
                     x + (latency > interval ? latency : interval));
    if (unit == SAM_GPUTIME_LSU)
        sam_gputime_expect(m, sm, f, x + latency);
    f->record.done = x + latency;
    take_effect(m, sm, w, f, x, latency);
    if (f->dest != NO_REGISTER)
        sam_gputime_put_result(m, sm, f, x + latency);
    else
        sam_gputime_retire(m, sm, f, x + latency);
}

/* Emit from the first complete collector in `set`, round robin from `next`, whose unit accepts its
 * instruction. */
static void emit_from(struct model *m, struct sm *sm, uint64_t set, uint32_t *next)
{
    while (set) {
        const uint64_t above = set & (UINT64_MAX << *next);
        const unsigned i = (unsigned)__builtin_ctzll(above ? above : set);
        struct collector *c = &sm->collectors[i];
        const enum sam_gputime_unit unit = c->inflight->record.unit;
        if (is_occupied(m, sm, unit)) {
            set &= ~sm->for_unit[unit];
        } else if (warp_is_full(m, sm, c)) {
            set &= ~(UINT64_C(1) << i);
        } else {
            emit(m, sm, c);
            *next = i + 1 == m->config.collectors ? 0 : i + 1;
            return; /* emit wakes the SM in the next cycle */
        }
    }
}

void sam_gputime_emit(struct model *m, struct sm *sm)
{
    uint64_t read = 0, next = NEVER;
    for (uint64_t set = sm->reading; set; set &= set - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(set);
        const bool is_read = sm->ready[i] <= m->now;
        const uint64_t ready = sm->ready[i] | -(uint64_t)is_read; /* then NEVER */
        read |= (uint64_t)is_read << i;
        next = ready < next ? ready : next;
    }
    sm->reading &= ~read;
    sm->complete |= read;
    sm->emit_at = next;
    wake_at(sm, next);
    for (unsigned stream = 0; stream < m->config.issue_streams; stream++)
        emit_from(m, sm, sm->complete & sm->in_stream[stream], &sm->next_emit[stream]);
}
