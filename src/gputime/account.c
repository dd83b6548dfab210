/* SPDX-License-Identifier: Apache-2.0 */
/* Cycle accounting: each cycle of each unit, SM and warp slot has exactly one reason. */
#include "gputime/parts.h"

#include <stdlib.h>

/* ------------------------------------------------------------------------- units and warps */

/* Close the account of a meter. Returns its cycles, and their start in *from. */
static uint64_t read_meter(const struct model *m, struct meter *meter, uint64_t *from)
{
    const uint64_t now = sam_gputime_clip(m, m->now), since = meter->since;
    *from = since;
    meter->since = now;
    return now > since ? now - since : 0;
}

void sam_gputime_report_stall(const struct model *m, const struct sm *sm, const struct warp *w)
{
    const enum sam_gputime_reason reason = w->meter.reason;
    const struct sam_gputime_stall stall = {.sm = sm->number,
                                            .slot = (uint32_t)(w - sm->warps),
                                            .workgroup = w->workgroup,
                                            .warp = w->warp,
                                            .pc = w->meter_pc,
                                            .reason = reason,
                                            .from = w->meter.since,
                                            .to = sam_gputime_clip(m, m->now)};
    if (stall.from < stall.to && reason != SAM_GPUTIME_BUSY && reason != SAM_GPUTIME_EMPTY)
        m->observer->stall(m->observer->context, &stall);
}

/* ------------------------------------------------------------------------------- the result */

static int compare_rows(const void *a, const void *b)
{
    const struct sam_gputime_row *const x = a, *const y = b;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static bool settle_rows(struct model *m)
{
    struct sam_gputime_result *r = m->result;
    if (!sam_gputime_rows(&m->program, r))
        return false;
    qsort(r->rows, r->row_count, sizeof *r->rows, compare_rows);
    return true;
}

/* Unaccounted cycles of a unit are empty. */
static void settle_unit(struct model *m, struct sm *sm, enum sam_gputime_unit unit)
{
    uint64_t *reasons = sm->stats->units[unit], sum = 0, from;
    struct span *span = &sm->spans[unit];
    reasons[sm->meters[unit].reason] += read_meter(m, &sm->meters[unit], &from);
    if (span->to > m->limit) { /* accounted before the end was known */
        from = span->from > m->limit ? span->from : m->limit;
        reasons[span->reason] -= span->to - from;
    }
    for (unsigned i = 0; i < SAM_GPUTIME_REASONS; i++)
        sum += reasons[i];
    reasons[SAM_GPUTIME_EMPTY] += m->limit - sum;
}

static void settle_memory(struct model *m)
{
    const struct sam_memtime_stats *s = sam_memtime_stats(m->memory);
    struct sam_gputime_result *r = m->result;
    r->l2 = (struct sam_gputime_cache){.reads = s->reads,
                                       .writes = s->writes,
                                       .read_hits = s->read_hits,
                                       .write_hits = s->write_hits,
                                       .merges = s->merges,
                                       .refusals = s->refusals,
                                       .evictions = s->evictions,
                                       .dirty = s->dirty};
    r->l2_busy = s->busy;
    r->dram_reads = s->mem_reads;
    r->dram_writes = s->mem_writes;
    r->dram_bytes_read = s->mem_bytes_read;
    r->dram_bytes_written = s->mem_bytes_written;
    r->dram_busy = sam_memtime_bus_busy(m->memory);
}

bool sam_gputime_settle(struct model *m)
{
    struct sam_gputime_result *r = m->result;
    uint64_t from;
    m->now = m->limit;
    for (uint32_t i = 0; i < m->config.sms; i++) {
        struct sm *sm = &m->sms[i];
        for (uint32_t w = 0; w < m->config.warps; w++) {
            sam_gputime_close_warp(m, sm, &sm->warps[w]);
            sm->stats->warp_cycles += m->limit - sm->warps[w].reasons[SAM_GPUTIME_EMPTY];
        }
        sm->stats->reasons[sm->meter.reason] += read_meter(m, &sm->meter, &from);
        for (unsigned unit = 0; unit < SAM_GPUTIME_UNITS; unit++)
            settle_unit(m, sm, unit);
    }
    r->cycles = m->limit;
    r->launch_cycles = m->config.request_latency + r->cycles + m->config.reply_latency;
    if (m->memory)
        settle_memory(m);
    return settle_rows(m);
}

void sam_gputime_result_free(struct sam_gputime_result *result)
{
    if (!result)
        return;
    free(result->sm);
    free(result->warp_slots);
    free(result->rows);
    *result = (struct sam_gputime_result){0};
}
