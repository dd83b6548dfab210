/* SPDX-License-Identifier: Apache-2.0 */
/* Write-back: results of the units wait for a port, are written and clear the scoreboard. */
#include "gputime/model.h"

#include <stdlib.h>

/* -------------------------------------------------------------------------------- scoreboard */

static void change(struct warp *w, uint16_t reg, bool on, bool load)
{
    const uint64_t bit = UINT64_C(1) << (reg & 63);
    uint64_t *busy = &w->busy[reg >> 6], *loading = &w->loading[reg >> 6];
    *busy = on ? *busy | bit : *busy & ~bit;
    *loading = on && load ? *loading | bit : *loading & ~bit;
}

void sam_gputime_mark(struct warp *w, uint16_t reg, bool pair, bool load)
{
    change(w, reg, true, load);
    if (pair)
        change(w, reg | 1u, true, load);
    w->outstanding++;
}

static void clear_register(struct sm *sm, const struct clear *c)
{
    struct warp *w = &sm->warps[c->warp];
    if (w->generation != c->generation)
        return; /* another warp has taken its place */
    change(w, c->reg, false, false);
    if (c->pair)
        change(w, c->reg | 1u, false, false);
    w->outstanding--;
    judge_again(sm, w);
}

static void clear_due(struct model *m, struct sm *sm)
{
    while (sm->clear_count && sm->clears[sm->clear_first].at <= m->now) {
        clear_register(sm, &sm->clears[sm->clear_first]);
        sm->clear_first = (sm->clear_first + 1) % CLEARS;
        sm->clear_count--;
    }
    if (sm->clear_count)
        wake_at(sm, sm->clears[sm->clear_first].at);
}

/* ----------------------------------------------------------------------------------- results */

void sam_gputime_retire(struct model *m, struct flight *f, uint64_t at)
{
    f->record.written = at;
    f->row->latency += at - f->record.issued;
    if (m->observer->record)
        m->observer->record(m->observer->context, &f->record);
}

static struct result *at_index(struct results *r, uint32_t index)
{
    return &r->of[(r->first + index) % r->capacity];
}

static bool grow(struct results *r)
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

void sam_gputime_put_result(struct model *m, struct sm *sm, const struct flight *f, uint64_t ready)
{
    struct results *r = &sm->results[f->record.unit][f->dest >= VECTOR];
    if (r->count == r->capacity && !grow(r)) {
        m->out_of_memory = true;
        return;
    }
    uint32_t at = r->count++;
    for (; at > 0 && at_index(r, at - 1)->ready > ready; at--)
        *at_index(r, at) = *at_index(r, at - 1);
    *at_index(r, at) = (struct result){ready, *f};
    sm->result_count++;
    wake_at(sm, ready > m->now ? ready : m->now + 1);
}

static void write_one(struct model *m, struct sm *sm, enum sam_gputime_unit unit, struct results *r)
{
    struct result *result = at_index(r, 0);
    struct flight *f = &result->flight;
    const struct clear clear = {.at = m->now + m->config.wakeup_latency,
                                .warp = f->record.slot,
                                .generation = f->generation,
                                .reg = f->dest,
                                .pair = f->pair};
    if (result->ready < m->now && unit != SAM_GPUTIME_LSU)
        sam_gputime_span(m, sm, unit, SAM_GPUTIME_WRITEBACK, result->ready, m->now);
    sm->clears[(sm->clear_first + sm->clear_count++) % CLEARS] = clear;
    sam_gputime_retire(m, f, m->now);
    r->first = (r->first + 1) % r->capacity;
    r->count--;
    sm->result_count--;
}

void sam_gputime_write(struct model *m, struct sm *sm)
{
    static const uint8_t order[2][8] = {
        {SAM_GPUTIME_SALU, SAM_GPUTIME_VALU, SAM_GPUTIME_FPU, SAM_GPUTIME_LSU, SAM_GPUTIME_CSR,
         SAM_GPUTIME_SFU, SAM_GPUTIME_MUL, SAM_GPUTIME_TENSOR},
        {SAM_GPUTIME_SALU, SAM_GPUTIME_VALU, SAM_GPUTIME_FPU, SAM_GPUTIME_LSU, SAM_GPUTIME_CSR,
         SAM_GPUTIME_MUL, SAM_GPUTIME_SFU, SAM_GPUTIME_TENSOR},
    };
    const uint8_t *units = order[m->config.write_mul_first];
    bool taken[PORTS] = {false, false};
    if (sm->result_count == 0) {
        clear_due(m, sm);
        return;
    }
    for (unsigned i = 0; i < 8; i++)
        for (unsigned port = 0; port < PORTS; port++) {
            struct results *r = &sm->results[units[i]][port];
            if (r->count == 0)
                continue;
            const uint64_t ready = at_index(r, 0)->ready;
            const bool free = !taken[port] && (m->config.write_ports == 2 || !taken[!port]);
            if (ready <= m->now && free) {
                write_one(m, sm, (enum sam_gputime_unit)units[i], r);
                taken[port] = true;
                sm->stats->uses[port ? SAM_GPUTIME_WRITE_V : SAM_GPUTIME_WRITE_X]++;
                sam_gputime_span(m, sm, port ? SAM_GPUTIME_WRITE_V : SAM_GPUTIME_WRITE_X,
                                 SAM_GPUTIME_BUSY, m->now, m->now + 1);
            }
            if (r->count)
                wake_at(sm, at_index(r, 0)->ready > m->now ? at_index(r, 0)->ready : m->now + 1);
        }
    clear_due(m, sm);
}
