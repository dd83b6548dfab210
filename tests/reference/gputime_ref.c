/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over cycles; operands, units and write-back: rulings 5 to 7. */
#include "gputime_ref.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gputime_ref_machine.h"

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ------------------------------------------------------------------------------- operands */

static unsigned bank_of(const struct ref_gpu *g, const struct ref_flying *f, unsigned operand)
{
    const unsigned warp = g->c->banks_by_warp ? f->slot : 0;
    return (f->is.sources[operand].number + warp) % g->c->banks;
}

static unsigned set_of(const struct ref_gpu *g, const struct ref_flying *f, unsigned operand)
{
    return !g->c->banks_shared && f->is.sources[operand].is_vector;
}

/* Serve one read of the bank, if there is one: the next in order of collectors and operands. */
static bool serve(struct ref_gpu *g, struct ref_sm *s, unsigned set, unsigned bank)
{
    const unsigned places = g->c->collectors * GPUTIME_REF_SOURCES;
    for (unsigned i = 0; i < places; i++) {
        const unsigned at = (s->next_read[set][bank] + i) % places;
        const unsigned operand = at % GPUTIME_REF_SOURCES;
        struct ref_flying *f = s->collectors[at / GPUTIME_REF_SOURCES];
        if (!f || f->issued_at + g->c->collect_request > g->now || !f->reading[operand] ||
            bank_of(g, f, operand) != bank || set_of(g, f, operand) != set)
            continue;
        f->reading[operand] = false;
        bool all = true;
        for (unsigned k = 0; k < GPUTIME_REF_SOURCES; k++)
            all &= !f->reading[k];
        if (all)
            f->ready_at = g->now + g->c->collect_read;
        s->next_read[set][bank] = (at + 1) % places;
        return true;
    }
    return false;
}

/* With one port, the lowest requested bank is served; under bank_echo, the request served
 * in the previous cycle is repeated in this one. */
static void read_operands(struct ref_gpu *g, struct ref_sm *s)
{
    const unsigned sets = g->c->banks_shared ? 1 : 2, count = sets * g->c->banks;
    const unsigned echo = g->c->bank_echo ? s->echo : 0;
    s->echo = 0;
    for (unsigned i = 0; i < count; i++) {
        const bool served = serve(g, s, i % sets, i / sets);
        if (served)
            s->echo = i + 1;
        if (g->c->bank_ports && (served || echo == i + 1))
            return;
    }
}

/* ------------------------------------------------------------------------------- units */

static unsigned sfu_cycles(const struct ref_gpu *g, const struct ref_flying *f)
{
    const unsigned size = g->c->sfu_units ? g->c->sfu_units : g->lanes / 4 ? g->lanes / 4 : 1;
    unsigned groups = 0;
    for (unsigned from = 0; from < 32; from += size) {
        bool any = false;
        for (unsigned lane = from; lane < from + size && lane < 32; lane++)
            any |= f->acting >> lane & 1;
        groups += any;
    }
    if (!f->is.is_vector || groups == 0)
        groups = 1;
    return g->c->sfu_extra +
           groups * (f->is.integer_division ? g->c->sfu_int_cycles : g->c->sfu_float_cycles);
}

static unsigned tensor_cycles(const struct ref_gpu *g)
{
    return g->c->tensor_latency + (g->lanes > 4) * g->c->tensor_step +
           (g->lanes > 8) * g->c->tensor_step;
}

static unsigned interval_of(const struct sam_gputime_config *c, enum sam_gputime_unit unit)
{
    switch (unit) {
    case SAM_GPUTIME_SALU: return c->salu_interval;
    case SAM_GPUTIME_VALU: return c->valu_interval;
    case SAM_GPUTIME_CSR: return c->csr_interval;
    case SAM_GPUTIME_MUL: return c->mul_interval;
    case SAM_GPUTIME_FPU: return c->fpu_interval;
    case SAM_GPUTIME_TENSOR: return c->tensor_interval;
    case SAM_GPUTIME_LSU: return c->perfect_interval;
    default: return 1;
    }
}

static void resolve(struct ref_gpu *g, struct ref_slot *slot, const struct ref_flying *f,
                    uint64_t at)
{
    slot->branch_open = false;
    if (f->next_pc == f->pc + 4) {
        slot->branch_until = later(at + g->c->branch_latency, g->now + 1);
        return;
    }
    slot->redirect_at = at;
    slot->redirect_pc = f->next_pc;
    slot->redirect_fetch_at = later(at + g->c->redirect_latency, later(at, g->now) + 1);
    slot->branch_until = slot->redirect_fetch_at + g->c->icache_latency + g->c->decode_latency;
}

static void accept_warps(struct ref_gpu *g, unsigned sm, struct ref_flying *f)
{
    struct ref_sm *s = &g->sm[sm];
    struct ref_slot *slot = &s->slots[f->slot];
    if (f->is.control) {
        resolve(g, slot, f, g->now + g->c->join_latency);
    }
}

static unsigned latency_of(const struct ref_gpu *g, const struct ref_flying *f)
{
    return f->is.unit == SAM_GPUTIME_SFU      ? sfu_cycles(g, f)
           : f->is.unit == SAM_GPUTIME_TENSOR ? tensor_cycles(g)
                                              : f->is.latency;
}

/* The unit starts the instruction. */
static void start(struct ref_gpu *g, unsigned sm, struct ref_flying *f)
{
    struct ref_sm *s = &g->sm[sm];
    const enum sam_gputime_unit unit = f->is.unit;
    f->accepted_at = g->now;
    if (unit == SAM_GPUTIME_LSU || f->is.fence) {
        ref_lsu_accept(g, sm, f);
        return;
    }
    f->result_at = g->now + latency_of(g, f);
    if (unit == SAM_GPUTIME_WARPS)
        accept_warps(g, sm, f);
    else if (f->is.control)
        resolve(g, &s->slots[f->slot], f,
                f->result_at + (unit == SAM_GPUTIME_VALU ? g->c->simt_latency : 0));
}

/* A barrier of one warp, executed in cycle `at`. */
static void pass_own_barrier(const struct ref_gpu *g, struct ref_slot *slot, uint64_t at)
{
    slot->own_barriers -= g->c->barrier_blocks;
    if (!g->c->barrier_blocks && !slot->at_barrier && slot->barrier_until <= at)
        slot->barrier_from = at;
    slot->barrier_until = later(slot->barrier_until, at + g->c->barrier_latency);
}

/* A barrier executed in cycle `at`. */
static void arrive(struct ref_gpu *g, struct ref_sm *s, struct ref_slot *slot, uint64_t at)
{
    if (!g->c->barrier_blocks)
        slot->barrier_from = at;
    slot->at_barrier = slot->barrier_arrived = true;
    slot->arrived_at = at;
    ref_release_barrier(g, s, slot->workgroup, at + g->c->barrier_latency);
}

/* The instruction leaves its collector, and occupies the unit for its interval from execution
 * on. */
static void leave_collector(struct ref_gpu *g, struct ref_sm *s, struct ref_flying *f)
{
    const enum sam_gputime_unit unit = f->is.unit;
    f->left_at = g->now;
    f->collecting = false;
    s->collectors[f->collector] = NULL;
    s->collector_freed_at[f->collector] = g->now;
    if (f->is.barrier)
        arrive(g, s, &s->slots[f->slot], g->now + g->c->emit_latency);
    if (f->is.barrier_of_warp)
        pass_own_barrier(g, &s->slots[f->slot], g->now + g->c->emit_latency);
    if (f->is.endprg)
        ref_end_warp(g, (unsigned)(s - g->sm), &s->slots[f->slot], g->now + g->c->emit_latency);
    if ((unit == SAM_GPUTIME_LSU && !g->c->memory_perfect) || unit == SAM_GPUTIME_WARPS)
        return;
    unsigned interval = interval_of(g->c, unit);
    if (unit == SAM_GPUTIME_SFU)
        interval = g->c->sfu_interval ? g->c->sfu_interval : latency_of(g, f);
    s->unit_free_at[unit] = g->now + g->c->emit_latency + (interval ? interval : 1);
}

static bool unit_accepts(struct ref_gpu *g, unsigned sm, const struct ref_flying *f)
{
    struct ref_sm *s = &g->sm[sm];
    return f->is.unit == SAM_GPUTIME_LSU && !g->c->memory_perfect
               ? ref_lsu_accepts(g, sm, f)
               : s->unit_free_at[f->is.unit] <= g->now + g->c->emit_latency;
}

static bool is_ready(const struct ref_gpu *g, const struct ref_flying *f)
{
    return f && f->issued_at < g->now && f->ready_at != NEVER && f->ready_at <= g->now;
}

/* An instruction of a stream leaves. */
static void emit(struct ref_gpu *g, unsigned sm, bool stream_v)
{
    struct ref_sm *s = &g->sm[sm];
    for (unsigned i = 0; i < g->c->collectors; i++) {
        const unsigned at = (s->next_emit[stream_v] + i) % g->c->collectors;
        struct ref_flying *f = s->collectors[at];
        if (!is_ready(g, f) || (g->c->issue_streams == 2 && f->is.stream_v != stream_v) ||
            !unit_accepts(g, sm, f))
            continue;
        leave_collector(g, s, f);
        s->next_emit[stream_v] = (at + 1) % g->c->collectors;
        return;
    }
}

static void emit_all(struct ref_gpu *g, unsigned sm)
{
    struct ref_sm *s = &g->sm[sm];
    emit(g, sm, false);
    if (g->c->issue_streams == 2)
        emit(g, sm, true);
    for (unsigned i = 0; i < s->flying_end; i++) {
        struct ref_flying *f = &s->flying[i];
        if (f->used && f->left_at != NEVER && f->accepted_at == NEVER &&
            f->left_at + g->c->emit_latency <= g->now)
            start(g, sm, f);
    }
}

/* ------------------------------------------------------------------------------- write-back */

/* The order of the units at a port. */
static unsigned rank(const struct sam_gputime_config *c, enum sam_gputime_unit unit)
{
    switch (unit) {
    case SAM_GPUTIME_SALU: return 0;
    case SAM_GPUTIME_VALU: return 1;
    case SAM_GPUTIME_FPU: return 2;
    case SAM_GPUTIME_LSU: return 3;
    case SAM_GPUTIME_CSR: return 4;
    case SAM_GPUTIME_SFU: return 6;
    case SAM_GPUTIME_MUL: return c->write_mul_first ? 5 : 7;
    default: return 8;
    }
}

static bool is_before(const struct sam_gputime_config *c, const struct ref_flying *a,
                      const struct ref_flying *b)
{
    const unsigned left = rank(c, a->is.unit), right = rank(c, b->is.unit);
    if (left != right)
        return left < right;
    if (a->result_at != b->result_at)
        return a->result_at < b->result_at;
    return a->accepted_at != b->accepted_at ? a->accepted_at < b->accepted_at
                                            : a->number < b->number;
}

static bool has_result(const struct ref_gpu *g, const struct ref_flying *f)
{
    return f->used && f->accepted_at != NEVER && f->result_at <= g->now;
}

static void leave(struct ref_gpu *g, struct ref_sm *s, struct ref_flying *f)
{
    f->used = false;
    if (f->is.writes && ref_is_same_warp(f, s->slots[f->slot].workgroup, s->slots[f->slot].warp))
        s->slots[f->slot].last_left_at = g->now;
    if (!g->watcher)
        return;
    g->watcher->record(g->watcher->context, &(struct sam_gputime_record){
                                                .number = f->number,
                                                .sm = (uint32_t)(s - g->sm),
                                                .slot = f->slot,
                                                .workgroup = f->workgroup,
                                                .warp = f->warp,
                                                .pc = f->pc,
                                                .insn = f->insn,
                                                .acting = f->acting,
                                                .unit = f->is.unit,
                                                .issued = f->issued_at,
                                                .executed = f->accepted_at,
                                                .done = f->result_at,
                                                .written = f->is.writes ? g->now : f->result_at});
}

static void write(struct ref_gpu *g, struct ref_sm *s, struct ref_flying *f)
{
    struct ref_slot *slot = &s->slots[f->slot];
    for (unsigned i = 0; i < slot->mark_count; i++)
        if (slot->marks[i].writer == f) {
            slot->marks[i].clear_at = g->now + g->c->wakeup_latency;
            slot->marks[i].writer = NULL;
        }
    leave(g, s, f);
}

/* `any`: to any register. */
static void write_one(struct ref_gpu *g, unsigned sm, bool any, bool vector)
{
    struct ref_sm *s = &g->sm[sm];
    struct ref_flying *first = NULL;
    for (unsigned i = 0; i < s->flying_end; i++) {
        struct ref_flying *f = &s->flying[i];
        if (has_result(g, f) && f->is.writes && (any || f->is.writes_vector == vector) &&
            (!first || is_before(g->c, f, first)))
            first = f;
    }
    if (first)
        write(g, s, first);
}

static void write_back(struct ref_gpu *g, unsigned sm)
{
    struct ref_sm *s = &g->sm[sm];
    for (unsigned i = 0; i < s->flying_end; i++) /* those without a result */
        if (has_result(g, &s->flying[i]) && !s->flying[i].is.writes && !s->flying[i].outstanding &&
            &s->flying[i] != s->sending)
            leave(g, s, &s->flying[i]);
    write_one(g, sm, g->c->write_ports == 1, false);
    if (g->c->write_ports == 2)
        write_one(g, sm, false, true);
}

/* ------------------------------------------------------------------------------- the launch */

static unsigned hardware_lanes(const struct sam_gputime_config *c,
                               const struct sam_gputime_launch *launch)
{
    return c->threads ? c->threads : launch->lanes > 8 ? launch->lanes : 8;
}

static void open_sm(struct ref_sm *s)
{
    s->last_start_at = NEVER;
    s->chosen[0] = s->chosen[1] = -1;
    s->had_collector = true;
    for (unsigned i = 0; i < GPUTIME_REF_SLOTS; i++)
        s->slots[i].freed_at = s->groups[i].freed_at = s->slots[i].end_at = NEVER;
    for (unsigned i = 0; i < SAM_COUNT(s->collector_freed_at); i++)
        s->collector_freed_at[i] = NEVER;
}

void gputime_ref_run(const struct sam_gputime_config *config,
                     const struct sam_gputime_launch *launch,
                     const struct sam_gputime_source *source,
                     const struct gputime_ref_watcher *watcher, struct gputime_ref_result *result)
{
    struct ref_gpu *g = calloc(1, sizeof *g);
    struct ref_sm *sms = calloc(config->sms, sizeof *sms);
    if (!g || !sms) {
        fprintf(stderr, "gputime_ref: out of memory\n");
        exit(2);
    }
    memset(result, 0, sizeof *result);
    g->c = config;
    g->launch = launch;
    g->source = source;
    g->watcher = watcher;
    g->result = result;
    g->lanes = hardware_lanes(config, launch);
    g->groups_left = launch->workgroups;
    g->dispatch_sm = config->dispatch_high_first ? 1 % config->sms : 0;
    g->sm = sms;
    for (unsigned i = 0; i < config->sms; i++)
        open_sm(&sms[i]);
    ref_memory_open(g);
    for (; g->groups_left > 0 || g->now <= g->last_end_at; g->now++) {
        if (g->now > g->last_issue_at + 100000) {
            fprintf(stderr, "gputime_ref: no progress\n");
            exit(2);
        }
        ref_dispatch_step(g);
        ref_memory_deliver(g);
        for (unsigned i = 0; i < config->sms; i++) {
            ref_icache_fill(g, i);
            ref_l1_fill(g, i);
            ref_reply_step(g, i);
            emit_all(g, i);
            ref_lsu_step(g, i);
            write_back(g, i);
            ref_issue_step(g, i);
            read_operands(g, &sms[i]);
            ref_fetch_step(g, i);
        }
        ref_memory_step(g);
    }
    result->cycles = g->now;
    ref_memory_close(g);
    free(sms);
    free(g);
}
