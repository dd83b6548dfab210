/* SPDX-License-Identifier: Apache-2.0 */
/* Write-back: results wait for a port, are written and clear the scoreboard. */
#include "gputime/parts.h"

#include <stdlib.h>

/* -------------------------------------------------------------------------------- scoreboard */

static void clear_register(struct sm *sm, const struct clear *c)
{
    struct warp *w = &sm->warps[c->warp];
    if (w->generation != c->generation)
        return; /* the slot has another warp */
    sam_gputime_set_busy(w, c->reg, false, false);
    if (c->pair)
        sam_gputime_set_busy(w, c->reg | 1u, false, false);
    w->outstanding--;
    recheck(sm, w, EVENT_WRITTEN);
}

static void clear_due(struct model *m, struct sm *sm)
{
    while (sm->clear_count && sm->clears[sm->clear_first].at <= m->now) {
        clear_register(sm, &sm->clears[sm->clear_first]);
        sm->clear_first = (sm->clear_first + 1) % CLEARS;
        sm->clear_count--;
    }
    if (sm->clear_count)
        write_at(sm, sm->clears[sm->clear_first].at);
}

/* ----------------------------------------------------------------------------------- in-flight
 * instructions */

enum { CHUNK = 64 };

struct inflight_chunk {
    struct inflight_chunk *next;
    struct inflight of[CHUNK];
};

bool sam_gputime_grow_inflight(struct sm *sm)
{
    struct inflight_chunk *chunk = malloc(sizeof *chunk);
    if (!chunk)
        return false;
    chunk->next = sm->chunks;
    sm->chunks = chunk;
    for (unsigned i = 0; i < CHUNK; i++)
        chunk->of[i].next = i + 1 < CHUNK ? &chunk->of[i + 1] : NULL;
    sm->free_inflight = chunk->of;
    return true;
}

void sam_gputime_free_inflight(struct sm *sm)
{
    for (struct inflight_chunk *chunk = sm->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
}

/* ----------------------------------------------------------------------------------- results */

static struct result *at_index(struct results *r, uint32_t index)
{
    return &r->of[(r->first + index) & (r->capacity - 1)]; /* a power of two */
}

static bool grow_results(struct results *r)
{
    const uint32_t capacity = r->capacity ? 2 * r->capacity : 16;
    struct result *of = malloc(capacity * sizeof *of);
    if (!of)
        return false;
    for (uint32_t i = 0; i < r->count; i++)
        of[i] = *at_index(r, i);
    free(r->of);
    *r = (struct results){capacity, 0, r->count, of};
    return true;
}

void sam_gputime_put_result(struct model *m, struct sm *sm, struct inflight *f, uint64_t ready)
{
    const unsigned port = m->config.write_ports == 2 && f->dest >= VECTOR;
    const unsigned index = m->write_rank[f->record.unit] * PORTS + port;
    struct results *r = &sm->results[index];
    if (r->count == r->capacity && !grow_results(r)) {
        m->out_of_memory = true;
        return;
    }
    uint32_t at = r->count++;
    for (; at > 0 && at_index(r, at - 1)->ready > ready; at--)
        *at_index(r, at) = *at_index(r, at - 1);
    *at_index(r, at) = (struct result){ready, f};
    sm->has_results |= 1u << index;
    write_at(sm, ready); /* possibly this cycle */
}

static void write_one(struct model *m, struct sm *sm, struct results *r)
{
    struct result *result = at_index(r, 0);
    struct inflight *f = result->inflight;
    const enum sam_gputime_unit unit = f->record.unit;
    const struct clear clear = {.at = m->now + m->config.wakeup_latency,
                                .warp = f->record.slot,
                                .generation = f->generation,
                                .reg = f->dest,
                                .pair = f->pair};
    if (result->ready < m->now && unit != SAM_GPUTIME_LSU)
        sam_gputime_span(m, sm, unit, SAM_GPUTIME_WRITEBACK, result->ready, m->now);
    sm->clears[(sm->clear_first + sm->clear_count++) % CLEARS] = clear;
    sam_gputime_retire(m, sm, f, m->now);
    r->first = (r->first + 1) & (r->capacity - 1);
    r->count--;
}

void sam_gputime_order_writes(struct model *m)
{
    static const uint8_t order[2][RESULT_UNITS] = {
        {SAM_GPUTIME_SALU, SAM_GPUTIME_VALU, SAM_GPUTIME_FPU, SAM_GPUTIME_LSU, SAM_GPUTIME_CSR,
         SAM_GPUTIME_SFU, SAM_GPUTIME_MUL, SAM_GPUTIME_TENSOR},
        {SAM_GPUTIME_SALU, SAM_GPUTIME_VALU, SAM_GPUTIME_FPU, SAM_GPUTIME_LSU, SAM_GPUTIME_CSR,
         SAM_GPUTIME_MUL, SAM_GPUTIME_SFU, SAM_GPUTIME_TENSOR},
    };
    for (unsigned i = 0; i < RESULT_UNITS; i++)
        m->write_rank[order[m->config.write_mul_first][i]] = (uint8_t)i;
}

void sam_gputime_write(struct model *m, struct sm *sm)
{
    bool taken[PORTS] = {false, false};
    sm->write_at = NEVER;
    for (uint32_t set = sm->has_results; set; set &= set - 1) {
        const unsigned index = (unsigned)__builtin_ctz(set), port = index % PORTS;
        struct results *r = &sm->results[index];
        if (at_index(r, 0)->ready <= m->now && !taken[port]) {
            const enum sam_gputime_unit unit = at_index(r, 0)->inflight->dest >= VECTOR
                                                   ? SAM_GPUTIME_WRITE_V
                                                   : SAM_GPUTIME_WRITE_X;
            write_one(m, sm, r);
            taken[port] = true;
            sm->stats->uses[unit]++;
            sam_gputime_span(m, sm, unit, SAM_GPUTIME_BUSY, m->now, m->now + 1);
        }
        if (r->count == 0)
            sm->has_results &= ~(1u << index);
        else
            write_at(sm, at_index(r, 0)->ready > m->now ? at_index(r, 0)->ready : m->now + 1);
    }
    clear_due(m, sm);
}
