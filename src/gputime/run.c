/* SPDX-License-Identifier: Apache-2.0 */
/* The main loop: from one cycle with activity to the next. */
#include "gputime/parts.h"

#include <stdlib.h>

static bool init_sm(struct model *m, struct sm *sm, uint32_t number)
{
    const struct sam_gputime_config *c = &m->config;
    sm->number = number;
    sm->wake = sm->lsu_at = sm->emit_at = sm->write_at = sm->first_answer = NEVER;
    sm->stats = &m->result->sm[number];
    sm->free_warps = c->warps;
    sm->free_groups = c->groups;
    sm->free_sgprs = c->sgprs ? c->sgprs : UINT64_MAX / 2;
    sm->free_vgprs = c->vgprs ? c->vgprs : UINT64_MAX / 2;
    sm->free_lds = c->lds_bytes;
    sm->all_collectors = UINT64_MAX >> (MOST_COLLECTORS - c->collectors);
    sam_gputime_wakeups_init(&sm->wakeups);
    sam_gputime_waits_init(&sm->waits);
    sm->meter.reason = SAM_GPUTIME_EMPTY;
    for (unsigned i = 0; i < SAM_GPUTIME_UNITS; i++)
        sm->meters[i].reason = SAM_GPUTIME_EMPTY;
    sm->access_count = c->collectors + c->lsu_queue + 2;
    sm->warps = calloc(c->warps, sizeof *sm->warps);
    sm->groups = calloc(c->groups, sizeof *sm->groups);
    sm->collectors = calloc(c->collectors, sizeof *sm->collectors);
    sm->accesses = calloc(sm->access_count, sizeof *sm->accesses);
    if (m->shared)
        sm->coverage = calloc(sm->access_count, sizeof *sm->coverage);
    if (!sm->warps || !sm->groups || !sm->collectors || !sm->accesses ||
        (m->shared && !sm->coverage))
        return false;
    for (uint32_t i = 0; i < c->warps; i++) {
        sm->warps[i].meter.reason = SAM_GPUTIME_EMPTY;
        sm->warps[i].redirect = NEVER;
        sm->warps[i].reasons = m->result->warp_slots[number * c->warps + i];
    }
    const uint32_t way = sam_gputime_icache_line(c) * c->icache_ways;
    const uint32_t sets = c->icache_bytes ? c->icache_bytes / way : 1;
    return sam_memtime_tags_init(&sm->icache, sets, c->icache_ways) &&
           sam_memtime_tags_init(&sm->l1, c->l1_sets, c->l1_ways) &&
           sam_memtime_misses_init(&sm->icache_misses, c->icache_mshrs, UINT32_MAX) &&
           sam_memtime_misses_init(&sm->l1_misses, c->l1_mshrs, c->l1_merges) &&
           sam_memtime_misses_init(&sm->l1_writes, c->l1_wshrs, 1);
}

static void free_sm(struct sm *sm)
{
    free(sm->warps);
    free(sm->groups);
    free(sm->collectors);
    free(sm->accesses);
    sam_gputime_free_inflight(sm);
    free(sm->coverage);
    free(sm->answers);
    for (unsigned i = 0; i < RESULT_UNITS * PORTS; i++)
        free(sm->results[i].of);
    sam_memtime_tags_free(&sm->icache);
    sam_memtime_tags_free(&sm->l1);
    sam_memtime_misses_free(&sm->icache_misses);
    sam_memtime_misses_free(&sm->l1_misses);
    sam_memtime_misses_free(&sm->l1_writes);
}

static bool init_model(struct model *m)
{
    const struct sam_gputime_config *c = &m->config;
    struct sam_gputime_result *r = m->result;
    const struct sam_memtime_config memory = {
        .sets = c->l2_sets,
        .ways = c->l2_ways,
        .line_bytes = sam_gputime_l2_line(c),
        .write_allocate = c->l2_write_allocate,
        .write_reads = c->l2_write_reads,
        .mshrs = c->l2_mshrs,
        .latency = c->l2_latency,
        .miss_latency = c->l2_miss_latency,
        .interval = c->l2_interval,
        .mem_latency = c->mem_latency,
        .mem_outstanding = c->mem_outstanding,
        .mem_recovery = c->mem_recovery,
        .mem_bytes = c->mem_bytes,
    };
    m->threads = c->threads ? c->threads : sam_gputime_threads(m->launch.lanes);
    m->l1_shift = (uint32_t)__builtin_ctz(c->line_bytes);
    m->icache_shift = (uint32_t)__builtin_ctz(sam_gputime_icache_line(c));
    m->l2_shift = (uint32_t)__builtin_ctz(sam_gputime_l2_line(c));
    m->limit = m->next_release = NEVER;
    m->next_sm = c->dispatch_high_first ? 1 % c->sms : 0;
    r->sms = c->sms;
    r->slots = c->warps;
    r->groups_resident = sam_gputime_residency(c, &m->launch, &r->limit);
    r->sm = calloc(c->sms, sizeof *r->sm);
    r->warp_slots = calloc((size_t)c->sms * c->warps, sizeof *r->warp_slots);
    m->sms = calloc(c->sms, sizeof *m->sms);
    if (!m->shared)
        m->memory = sam_memtime_new(&memory);
    if (!r->sm || !r->warp_slots || !m->sms || !(m->memory || m->shared) ||
        !sam_gputime_program_init(&m->program))
        return false;
    for (uint32_t i = 0; i < c->sms; i++)
        if (!init_sm(m, &m->sms[i], i))
            return false;
    sam_gputime_classify(&m->traits);
    sam_gputime_order_writes(m);
    return true;
}

/* Warps with an event since their last check. */
static uint32_t unchecked(const struct sm *sm)
{
    return sm->resident_set & ~sm->checked;
}

/* Run the phases up to the operands that can act in this cycle. */
static void compute(struct model *m, struct sm *sm)
{
    sm->wake = NEVER;
    if (sm->first_answer <= m->now)
        sam_gputime_answers(m, sm);
    if (sm->emit_at <= m->now)
        sam_gputime_emit(m, sm);
    if (sm->write_at <= m->now)
        sam_gputime_write(m, sm);
    wake_at(sm, sm->first_answer);
    wake_at(sm, sm->emit_at);
    wake_at(sm, sm->write_at);
    if (unchecked(sm) | sm->can_issue[0] | sm->can_issue[1] | sm->waits.left |
        (sm->wakeups.next <= m->now))
        sam_gputime_issue(m, sm);
    else
        wake_at(sm, sm->wakeups.next);
    if (sm->asking)
        sam_gputime_operands(m, sm);
    else
        sam_gputime_unit(m, sm, SAM_GPUTIME_OPERANDS,
                         sm->used ? SAM_GPUTIME_BUSY : SAM_GPUTIME_EMPTY);
}

static bool is_due(const struct model *m, const struct sm *sm)
{
    return (sm->wake <= m->now) | ((sm->lsu_at <= m->now) & (unchecked(sm) != 0));
}

static uint64_t next_cycle(const struct sm *sm)
{
    return sm->wake < sm->lsu_at ? sm->wake : sm->lsu_at;
}

/* Simulate a cycle of all SMs. Returns the next one. */
static uint64_t step(struct model *m)
{
    struct sm *const end = m->sms + m->config.sms;
    bool any = false;
    if (sam_gputime_next_dispatch(m) <= m->now)
        sam_gputime_dispatch(m);
    for (struct sm *sm = m->sms; sm < end; sm++) {
        sm->due = is_due(m, sm);
        any |= sm->due;
        if (sm->due)
            compute(m, sm);
    }
    for (struct sm *sm = m->sms; any && sm < end; sm++)
        if (sm->due && sam_gputime_fetches(sm))
            sam_gputime_fetch(m, sm);
    uint64_t next = sam_gputime_next_dispatch(m);
    for (struct sm *sm = m->sms; sm < end; sm++) {
        if (sm->lsu_at <= m->now)
            sam_gputime_lsu(m, sm);
        next = next_cycle(sm) < next ? next_cycle(sm) : next;
    }
    return next > m->now ? next : m->now + 1;
}

/* ---------------------------------------------------------------------------- one SM ahead */

/* SMs interact only through the L2 and dispatch. So one SM runs ahead; before each of its requests
 * to the L2, and before each dispatch, the other SMs catch up to that cycle and phase. An SM that
 * catches up makes its own, earlier requests first, for which the remaining SMs catch up
 * recursively. An SM that is ahead stops at each of its own releases, so a dispatch for the
 * releases of others gives it nothing. Shared state is thus accessed in the order of step(). */

static void catch_up(struct model *m, uint64_t cycle, const struct sm *self);

static void switch_to(struct model *m, struct sm *sm, uint64_t cycle)
{
    m->current = sm;
    m->now = cycle;
}

/* The cycle that the SM is in, or the next in which it can act. */
static uint64_t cycle_of(const struct sm *sm)
{
    const uint64_t next = next_cycle(sm);
    return sm->phase || next < sm->cycle ? sm->cycle : next;
}

/* Run the phases of a cycle before phase `end`. */
static void run_phases(struct model *m, struct sm *sm, uint64_t cycle, enum phase end)
{
    switch_to(m, sm, cycle);
    sm->cycle = cycle;
    if (sm->phase == PHASE_COMPUTE) {
        sm->due = is_due(m, sm);
        if (sm->due)
            compute(m, sm);
        sm->phase = PHASE_FETCH;
    }
    if (sm->phase == PHASE_FETCH && end > PHASE_FETCH) {
        if (sm->due && sam_gputime_fetches(sm))
            sam_gputime_fetch(m, sm);
        sm->phase = PHASE_LSU;
    }
    if (sm->phase == PHASE_LSU && end > PHASE_LSU) {
        if (sm->lsu_at <= m->now)
            sam_gputime_lsu(m, sm);
        sm->phase = PHASE_COMPUTE;
        sm->cycle = cycle + 1;
    }
}

/* The next cycle of the LSU. */
static uint64_t request_cycle(const struct sm *sm)
{
    return sm->lsu_at > sm->cycle ? sm->lsu_at : sm->cycle;
}

/* Run the cycles before `last` in which only the LSU can act. */
static void run_requests(struct model *m, struct sm *sm, uint64_t last)
{
    if (sm->phase != PHASE_COMPUTE || unchecked(sm))
        return;
    for (uint64_t cycle = request_cycle(sm);
         cycle < sm->wake && cycle < last && cycle < sam_gputime_next_dispatch(m);
         cycle = request_cycle(sm)) {
        m->now = cycle;
        sm->cycle = cycle;
        sm->phase = PHASE_LSU;
        sam_gputime_lsu(m, sm);
        sm->phase = PHASE_COMPUTE;
        sm->cycle = cycle + 1;
    }
}

/* Run an SM up to phase `end` of cycle `last`. With `ahead`, only while it has warps: the launch
 * cannot end before they do, and accounts end with the launch. */
static void run_sm(struct model *m, struct sm *sm, uint64_t last, enum phase end, bool ahead)
{
    sm->running = true;
    for (uint64_t cycle = cycle_of(sm); cycle <= last && !m->out_of_memory; cycle = cycle_of(sm)) {
        const uint64_t dispatch = sam_gputime_next_dispatch(m);
        if (cycle == last && sm->phase >= end)
            break;
        if (sm->phase == PHASE_COMPUTE && dispatch <= cycle)
            catch_up(m, dispatch, NULL);
        else if (ahead && sm->phase == PHASE_COMPUTE && !sm->resident_set)
            break;
        else {
            run_phases(m, sm, cycle, cycle == last ? end : PHASES);
            if (!ahead || sm->resident_set)
                run_requests(m, sm, last);
        }
    }
    sm->running = false;
}

/* Perform the next dispatch if it is due by this cycle. */
static bool dispatch_by(struct model *m, uint64_t cycle)
{
    const uint64_t dispatch = sam_gputime_next_dispatch(m);
    if (dispatch > cycle || dispatch == NEVER)
        return false;
    m->now = dispatch;
    sam_gputime_dispatch(m);
    return true;
}

/* Run the SMs that are behind up to the phase of `self` in this cycle, or with NULL up to its
 * dispatch. Repeats after a dispatch, which may give them more work. */
static void catch_up(struct model *m, uint64_t cycle, const struct sm *self)
{
    do
        for (struct sm *sm = m->sms; sm < m->sms + m->config.sms; sm++)
            if (!sm->running && cycle_of(sm) <= cycle)
                run_sm(m, sm, cycle, self ? self->phase + (sm < self) : PHASE_COMPUTE, false);
    while (dispatch_by(m, cycle));
}

void sam_gputime_catch_up_others(struct model *m)
{
    struct sm *const self = m->current;
    const uint64_t cycle = m->now;
    catch_up(m, cycle, self);
    switch_to(m, self, cycle);
}

static void run_by_sm(struct model *m)
{
    uint64_t cycle = 0;
    while (cycle != NEVER && !m->out_of_memory) {
        struct sm *first = m->sms;
        for (struct sm *sm = first; sm < m->sms + m->config.sms; sm++)
            first = cycle_of(sm) < cycle_of(first) ? sm : first;
        cycle = cycle_of(first);
        if (dispatch_by(m, cycle))
            cycle = m->now;
        else if (cycle != NEVER)
            run_sm(m, first, first->resident_set ? NEVER - 1 : cycle, PHASES,
                   first->resident_set != 0);
    }
    for (struct sm *sm = m->sms; sm < m->sms + m->config.sms; sm++)
        m->now = sm->cycle > m->now + 1 ? sm->cycle - 1 : m->now;
}

/* ------------------------------------------------------------------------- a unit of a clock */

struct sam_gputime {
    struct model model;
    struct sam_gputime_result result;
    struct sam_gputime_source source;
    struct sam_gputime_observer observer;
    struct sam_gputime_memory memory;
    bool begun, ended; /* ended: the SMs are idle for good */
};

void sam_gputime_drop(struct sam_gputime *g)
{
    if (!g)
        return;
    struct model *m = &g->model;
    for (uint32_t i = 0; m->sms && i < m->config.sms; i++)
        free_sm(&m->sms[i]);
    free(m->sms);
    sam_memtime_free(m->memory);
    sam_gputime_program_free(&m->program);
    sam_gputime_result_free(&g->result);
    free(g);
}

enum sam_status sam_gputime_open(const struct sam_gputime_config *config,
                                 const struct sam_gputime_launch *launch,
                                 const struct sam_gputime_source *source,
                                 const struct sam_gputime_observer *observer,
                                 const struct sam_gputime_memory *memory,
                                 struct sam_gputime **opened, struct sam_error *error)
{
    if (SAM_LACKS(error, source, opened))
        return SAM_ERR_USAGE;
    const enum sam_status status = sam_gputime_check(config, launch, error);
    if (status != SAM_OK)
        return status;
    if (memory && config->line_bytes > MOST_PARTS * SAM_MEMTIME_LINE)
        return sam_fail(error, SAM_ERR_USAGE, "line_bytes=%u: expected at most %d",
                        config->line_bytes, MOST_PARTS * SAM_MEMTIME_LINE);
    struct sam_gputime *g = calloc(1, sizeof *g);
    if (!g)
        return sam_fail_memory(error);
    struct model *m = &g->model;
    g->source = *source;
    if (observer)
        g->observer = *observer;
    if (memory)
        g->memory = *memory;
    m->config = *config;
    m->launch = *launch;
    m->source = &g->source;
    m->observer = &g->observer;
    m->result = &g->result;
    m->shared = memory ? &g->memory : NULL;
    if (!init_model(m)) {
        sam_gputime_drop(g);
        return sam_fail_memory(error);
    }
    *opened = g;
    return SAM_OK;
}

uint64_t sam_gputime_tick(struct sam_gputime *g, uint64_t now)
{
    struct model *m = &g->model;
    if (!g->begun)
        m->first = now;
    g->begun = true;
    m->now = now - m->first;
    if (!g->ended) {
        const uint64_t next = step(m);
        if (m->out_of_memory)
            return NEVER;
        if (next != NEVER)
            return m->first + next;
        g->ended = true;
    }
    if (m->limit != NEVER && m->now + 1 < m->limit) /* the last endprg is on its way */
        return m->first + m->limit - 1;
    if (m->limit != NEVER && sam_gputime_flush(m))
        return now + 1;
    return m->acknowledged > m->now ? m->first + m->acknowledged : NEVER;
}

const struct sam_memtime_traffic *sam_gputime_traffic(const struct sam_gputime *g)
{
    return &g->model.traffic;
}

enum sam_status sam_gputime_close(struct sam_gputime *g, struct sam_gputime_result *result,
                                  struct sam_error *error)
{
    struct model *m = &g->model;
    enum sam_status status = SAM_OK;
    *result = (struct sam_gputime_result){0};
    if (!m->out_of_memory && m->limit == NEVER) {
        status = sam_fail(error, SAM_ERR_INPUT,
                          "cycle %llu: the warps wait for each other: expected endprg of all",
                          (unsigned long long)m->now);
    } else if (m->out_of_memory || !sam_gputime_settle(m)) {
        status = sam_fail_memory(error);
    } else {
        *result = g->result;
        g->result = (struct sam_gputime_result){0};
    }
    sam_gputime_drop(g);
    return status;
}

enum sam_status sam_gputime_run(const struct sam_gputime_config *config,
                                const struct sam_gputime_launch *launch,
                                const struct sam_gputime_source *source,
                                const struct sam_gputime_observer *observer,
                                struct sam_gputime_result *result, struct sam_error *error)
{
    struct sam_gputime *g;
    if (SAM_LACKS(error, source, result))
        return SAM_ERR_USAGE;
    *result = (struct sam_gputime_result){0};
    const enum sam_status status =
        sam_gputime_open(config, launch, source, observer, NULL, &g, error);
    if (status != SAM_OK)
        return status;
    if (observer) /* it expects the events of all SMs in order of time */
        for (uint64_t now = 0; now != NEVER;)
            now = sam_gputime_tick(g, now);
    else
        run_by_sm(&g->model);
    return sam_gputime_close(g, result, error);
}
