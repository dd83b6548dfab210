/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores in flight, compared byte by byte. */
#include "tensor/engines_state.h"

bool sam_engines_share_a_byte(const struct sam_work_span *a, unsigned a_count,
                              const struct sam_work_span *b, unsigned b_count)
{
    unsigned i = 0, k = 0;
    while (i < a_count && k < b_count) {
        if (a[i].high < b[k].low)
            i++;
        else if (b[k].high < a[i].low)
            k++;
        else
            return true;
    }
    return false;
}

/* All units have reached this cycle. */
static uint64_t past(const struct sam_engines *e)
{
    return e->outside.clock ? e->outside.clock->now : e->cycle;
}

uint64_t sam_engines_memory_ready(struct sam_engines *e, unsigned engine, uint64_t order,
                                  bool store, const struct sam_work_span *spans, unsigned count)
{
    const uint64_t over = past(e);
    uint64_t ready = 0;
    for (size_t i = 0; i < e->inflight_count;) {
        struct sam_engines_inflight *f = &e->inflight[i];
        if (f->done <= over) { /* cannot delay any instruction */
            const struct sam_engines_inflight *last = &e->inflight[--e->inflight_count];
            if (f != last)
                memcpy(f, last,
                       offsetof(struct sam_engines_inflight, spans) +
                           last->span_count * sizeof *f->spans);
            continue;
        }
        i++;
        if ((!store && !f->store) || (store && f->engine == engine) || f->order >= order)
            continue;
        const uint64_t until = f->store ? f->done : f->read;
        if (until > ready && sam_engines_overlap(f->spans, f->span_count, spans, count))
            ready = until;
    }
    return ready;
}

bool sam_engines_add_inflight(struct sam_engines *e, const struct sam_work *w, uint64_t order,
                              uint64_t read, uint64_t done)
{
    if (e->inflight_count == e->inflight_capacity) {
        void *moved =
            sam_grow(e->inflight, e->inflight_count, &e->inflight_capacity, sizeof *e->inflight);
        if (!moved)
            return false;
        e->inflight = moved;
    }
    struct sam_engines_inflight *f = &e->inflight[e->inflight_count++];
    f->read = read;
    f->done = done;
    f->order = order;
    f->engine = (uint8_t)w->engine;
    f->store = w->store;
    f->span_count = w->span_count;
    memcpy(f->spans, w->spans, w->span_count * sizeof *w->spans);
    return true;
}

uint64_t sam_engines_ready(struct sam_engines *e, uint64_t order, bool store,
                           struct sam_work_span bytes)
{
    if (!sam_engines_has_memory(e))
        return 0;
    for (const struct sam_engines_waiting *w = e->waiting; w && w->order < order; w = w->next)
        if ((store || w->work.store) &&
            sam_engines_overlap(w->work.spans, w->work.span_count, &bytes, 1))
            return SAM_ENGINES_NEVER;
    return sam_engines_memory_ready(e, SAM_ENGINE_COUNT, order, store, &bytes, 1);
}
