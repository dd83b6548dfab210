/* SPDX-License-Identifier: Apache-2.0 */
/* Fetch: a warp fetches sequentially until a branch redirects it. A fetch that misses in the
 * I-cache gets no reply; the warp retries. */
#include "gputime/parts.h"

static uint64_t *slot_of(struct warp *w, uint32_t pc)
{
    return &w->there[(pc >> 2) % MOST_BUFFERED];
}

void sam_gputime_start_fetch(struct model *m, struct sm *sm, struct warp *w, uint64_t at,
                             uint32_t pc)
{
    w->head = w->fetch_pc = pc;
    w->count = 0;
    w->next_fetch = at;
    w->icache_until = 0;
    w->missed = NEVER;
    w->redirect = NEVER;
    sm->redirected &= ~(1u << (w - sm->warps));
    sam_gputime_note_room(m, sm, w);
}

/* Fill the lines that have arrived, before the fetches of this cycle. */
static void fill_icache(const struct model *m, struct sm *sm)
{
    struct sam_memtime_tag victim;
    for (uint64_t line; sam_memtime_misses_take(&sm->icache_misses, m->now, &line);) {
        sam_memtime_tags_fill(&sm->icache, line, &victim);
        sm->stats->icache.evictions += victim.line != 0;
    }
}

/* Request an absent line; requires a free miss register. Returns the cycle of its arrival. */
static uint64_t request_line(struct model *m, struct sm *sm, uint64_t line)
{
    const struct sam_gputime_config *c = &m->config;
    const uint64_t ready =
        sam_gputime_read_line(m, line << m->icache_shift, 1u << m->icache_shift) +
        c->icache_fill_latency;
    sam_memtime_misses_add(&sm->icache_misses, line, ready);
    return ready;
}

/* Instructions in a fetch at `pc`, up to the end of the aligned group and of the line. */
static uint32_t fetched_at_once(const struct model *m, uint32_t pc)
{
    const uint32_t index = pc >> 2, width = m->config.fetch_width;
    const uint32_t words = 1u << (m->icache_shift - 2), rest = words - (index & (words - 1));
    const uint32_t count = width - (index & (width - 1));
    return count < rest ? count : rest;
}

/* Returns whether the next fetch of the warp hits. */
static bool access_icache(struct model *m, struct sm *sm, struct warp *w)
{
    const struct sam_gputime_config *c = &m->config;
    struct sam_gputime_cache *stats = &sm->stats->icache;
    const uint64_t line = w->fetch_pc >> m->icache_shift;
    stats->reads++;
    if (c->icache_bytes == 0)
        return true;
    fill_icache(m, sm);
    const struct sam_memtime_miss *miss = sam_memtime_misses_find(&sm->icache_misses, line);
    if (miss) {
        stats->merges++;
        w->icache_until = miss->ready;
        return false;
    }
    if (sam_memtime_tags_find(&sm->icache, line))
        return true;
    if (sam_memtime_misses_is_full(&sm->icache_misses)) {
        stats->refusals++;
        w->icache_until = sam_memtime_misses_first(&sm->icache_misses);
        return false;
    }
    w->icache_until = request_line(m, sm, line);
    return false;
}

/* icache_ahead: while a warp that missed holds the port, request the line of its next fetch. */
static void prefetch_next(struct model *m, struct sm *sm, const struct warp *w)
{
    const uint64_t line = (w->fetch_pc + 4 * fetched_at_once(m, w->fetch_pc)) >> m->icache_shift;
    fill_icache(m, sm);
    if (sam_memtime_misses_find(&sm->icache_misses, line) ||
        sam_memtime_tags_at(&sm->icache, line) || sam_memtime_misses_is_full(&sm->icache_misses))
        return;
    sm->stats->icache.reads++;
    request_line(m, sm, line);
}

static void fetch_for(struct model *m, struct sm *sm, struct warp *w)
{
    const struct sam_gputime_config *c = &m->config;
    const uint32_t count = fetched_at_once(m, w->fetch_pc);
    recheck(sm, w, EVENT_FETCH);
    if (!access_icache(m, sm, w)) {
        w->missed = m->now;
        w->next_fetch = m->now + c->icache_retry;
        return;
    }
    sm->stats->icache.read_hits++;
    for (uint32_t i = 0; i < count; i++)
        *slot_of(w, w->fetch_pc + 4 * i) = m->now + c->icache_latency + c->decode_latency;
    w->fetch_pc += 4 * count;
    w->count += count;
    w->next_fetch = m->now + 1;
    w->icache_until = 0;
    w->missed = NEVER;
    sam_gputime_note_room(m, sm, w);
}

/* Whether a branch of the warp is resolved but its target not fetched. */
static bool is_resolved(const struct model *m, const struct warp *w)
{
    const uint32_t latency = m->config.redirect_latency ? m->config.redirect_latency : 1;
    return w->redirect != NEVER && m->now + latency > w->redirect;
}

void sam_gputime_fetch(struct model *m, struct sm *sm)
{
    struct warp *chosen = NULL;
    bool fetched = false;
    for (uint32_t set = sm->roomy | sm->redirected; set; set &= set - 1) {
        struct warp *w = &sm->warps[__builtin_ctz(set)];
        if (w->redirect <= m->now) {
            sam_gputime_start_fetch(m, sm, w, m->now, w->redirect_pc);
            recheck(sm, w, EVENT_FETCH);
            wake_at(sm, m->now + 1);
        }
        if (w->redirect != NEVER)
            wake_at(sm, w->redirect);
        if (!(sm->roomy & set & -set) || is_resolved(m, w))
            continue;
        const bool waits = w->next_fetch > m->now;
        if (waits)
            wake_at(sm, w->next_fetch);
        if (waits && !(m->config.fetch_keeps && w->missed != NEVER))
            continue;
        if (!m->config.fetch_ports) {
            fetch_for(m, sm, w);
            fetched = true;
            wake_at(sm, m->now + 1);
        } else if (!chosen)
            chosen = w;
        else if (chosen->next_fetch <= m->now) /* otherwise it holds the port */
            wake_at(sm, m->now + 1);
    }
    sam_gputime_unit(m, sm, SAM_GPUTIME_FETCHER,
                     chosen || fetched ? SAM_GPUTIME_BUSY : SAM_GPUTIME_EMPTY);
    if (!chosen)
        return;
    if (chosen->next_fetch <= m->now) {
        sm->stats->uses[SAM_GPUTIME_FETCHER]++;
        fetch_for(m, sm, chosen);
        wake_at(sm, m->now + 1);
    } else if (m->config.icache_ahead) {
        prefetch_next(m, sm, chosen);
        wake_at(sm, m->now + 1);
    }
}
