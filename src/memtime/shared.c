/* SPDX-License-Identifier: Apache-2.0 */
/* The L2 and the memory of a GPU. */
#include "memtime/memtime.h"

#include <stdlib.h>

/* Capacity of the reservations of the reply port: misses (one per MSHR) and hits before them. A
 * power of two. */
enum { REPLIES = 512 };

/* Capacity of the ring of spans in which the memory's data bus is busy and which may end after the
 * launch. A power of two. */
enum { SPANS = 4096 };
struct span {
    uint64_t from, to;
};

struct sam_memtime {
    struct sam_memtime_config config;
    struct sam_memtime_stats stats;
    struct sam_memtime_tags tags;
    struct sam_memtime_misses misses;
    uint64_t arrived;  /* of the last request */
    uint64_t *slots;   /* end of each outstanding memory request */
    uint64_t bus_free; /* of the memory's data bus */
    uint64_t bus_busy; /* its busy cycles but those of `spans` */
    uint32_t first_span, span_count;
    struct span spans[SPANS]; /* ascending, apart: a ring */
    uint64_t end;             /* of the launch; UINT64_MAX until it is known */
    uint32_t first_reply, reply_count;
    uint64_t replies[REPLIES]; /* reserved cycles of the reply port, ascending: a ring */
};

struct sam_memtime *sam_memtime_new(const struct sam_memtime_config *config)
{
    struct sam_memtime *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->config = *config;
    m->end = UINT64_MAX;
    m->slots = calloc(config->mem_outstanding, sizeof *m->slots);
    const bool made = sam_memtime_tags_init(&m->tags, config->sets, config->ways) &&
                      sam_memtime_misses_init(&m->misses, config->mshrs, UINT32_MAX);
    if (made && m->slots)
        return m;
    sam_memtime_free(m);
    return NULL;
}

void sam_memtime_free(struct sam_memtime *m)
{
    if (!m)
        return;
    sam_memtime_tags_free(&m->tags);
    sam_memtime_misses_free(&m->misses);
    free(m->slots);
    free(m);
}

const struct sam_memtime_stats *sam_memtime_stats(const struct sam_memtime *m)
{
    return &m->stats;
}

static const struct span *span_at(const struct sam_memtime *m, uint32_t index)
{
    return &m->spans[(m->first_span + index) % SPANS];
}

/* Occupy the data bus, which is free from `from` on. */
static void occupy(struct sam_memtime *m, uint64_t from, uint64_t to)
{
    const bool joins = m->span_count && from == m->bus_free;
    m->bus_free = to;
    if (from >= m->end)
        return;
    if (joins) {
        m->spans[(m->first_span + m->span_count - 1) % SPANS].to = to;
        return;
    }
    if (m->span_count == SPANS) {
        m->bus_busy += span_at(m, 0)->to - span_at(m, 0)->from;
        m->first_span++;
        m->span_count--;
    }
    m->spans[(m->first_span + m->span_count++) % SPANS] = (struct span){from, to};
}

void sam_memtime_end(struct sam_memtime *m, uint64_t cycles)
{
    m->end = cycles;
}

uint64_t sam_memtime_bus_busy(const struct sam_memtime *m)
{
    uint64_t busy = m->bus_busy;
    for (uint32_t i = 0; i < m->span_count && span_at(m, i)->from < m->end; i++) {
        const struct span *s = span_at(m, i);
        busy += (s->to < m->end ? s->to : m->end) - s->from;
    }
    return busy;
}

/* Returns the cycle of the last data of a transfer requested in cycle `now`. */
static uint64_t transfer(struct sam_memtime *m, uint64_t now, uint32_t bytes, bool write)
{
    const struct sam_memtime_config *c = &m->config;
    uint32_t slot = 0;
    for (uint32_t i = 1; i < c->mem_outstanding; i++)
        slot = m->slots[i] < m->slots[slot] ? i : slot;
    const uint64_t start = now > m->slots[slot] ? now : m->slots[slot];
    const uint64_t beats = (bytes + c->mem_bytes - 1) / c->mem_bytes;
    uint64_t first = start + c->mem_latency;
    first = first > m->bus_free ? first : m->bus_free;
    occupy(m, first, first + beats);
    m->slots[slot] = first + beats - 1 + c->mem_recovery;
    *(write ? &m->stats.mem_writes : &m->stats.mem_reads) += 1;
    *(write ? &m->stats.mem_bytes_written : &m->stats.mem_bytes_read) += bytes;
    return first + beats - 1;
}

static uint64_t *reply_at(struct sam_memtime *m, uint32_t index)
{
    return &m->replies[(m->first_reply + index) % REPLIES];
}

/* Reserve the first free cycle of the reply port from `wish` on. */
static uint64_t reply(struct sam_memtime *m, uint64_t wish)
{
    const uint32_t interval = m->config.interval;
    while (m->reply_count && (*reply_at(m, 0) + interval <= m->arrived ||
                              /* full: drop the oldest, which later requests cannot reach */
                              m->reply_count == REPLIES)) {
        m->first_reply++;
        m->reply_count--;
    }
    uint32_t at = m->reply_count;
    while (at > 0 && wish < *reply_at(m, at - 1) + interval)
        at--;
    for (; at < m->reply_count && wish + interval > *reply_at(m, at); at++)
        wish = *reply_at(m, at) + interval;
    for (uint32_t i = m->reply_count; i > at; i--)
        *reply_at(m, i) = *reply_at(m, i - 1);
    *reply_at(m, at) = wish;
    m->reply_count++;
    m->stats.busy++;
    return wish;
}

/* The first cycle from `now` on with a free MSHR. */
static uint64_t wait_for_place(struct sam_memtime *m, uint64_t now)
{
    uint64_t start = now;
    sam_memtime_misses_retire(&m->misses, start);
    while (sam_memtime_misses_is_full(&m->misses)) {
        start = sam_memtime_misses_first(&m->misses);
        sam_memtime_misses_retire(&m->misses, start);
    }
    m->stats.refusals += start - now;
    return start;
}

/* Allocate an absent line; a dirty victim goes to the memory in cycle `now`. */
static void replace(struct sam_memtime *m, uint64_t now, uint64_t line)
{
    struct sam_memtime_tag victim;
    sam_memtime_tags_fill(&m->tags, line, &victim);
    m->stats.evictions += victim.line != 0;
    if (victim.line && victim.dirty) {
        m->stats.dirty++;
        transfer(m, now, m->config.line_bytes, true);
    }
}

/* Fetch an absent line for a request of cycle `now`. Returns the cycle of its arrival. */
static uint64_t fetch(struct sam_memtime *m, uint64_t now, uint64_t line)
{
    const struct sam_memtime_config *c = &m->config;
    const uint64_t start = wait_for_place(m, now);
    const uint64_t ready = transfer(m, start, c->line_bytes, false) + c->miss_latency;
    replace(m, start, line);
    sam_memtime_misses_add(&m->misses, line, ready);
    return ready;
}

/* Returns the cycle in which the L2 has the data, for a request of cycle `now`. */
static uint64_t look_up(struct sam_memtime *m, uint64_t now, uint64_t line, bool whole_write,
                        bool *hit)
{
    const struct sam_memtime_tag *tag = sam_memtime_tags_find(&m->tags, line);
    sam_memtime_misses_retire(&m->misses, now);
    const struct sam_memtime_miss *miss = sam_memtime_misses_find(&m->misses, line);
    *hit = tag && !miss;
    m->stats.merges += miss != NULL;
    const uint64_t soonest = now + m->config.latency;
    if (miss)
        return miss->ready > soonest ? miss->ready : soonest;
    if (!tag && !whole_write)
        return fetch(m, now, line);
    if (!tag)
        replace(m, now, line);
    return soonest;
}

static uint64_t arrive(struct sam_memtime *m, uint64_t now)
{
    m->arrived = now > m->arrived ? now : m->arrived;
    return m->arrived;
}

uint64_t sam_memtime_read(struct sam_memtime *m, uint64_t now, uint64_t line)
{
    bool hit;
    now = arrive(m, now);
    m->stats.reads++;
    const uint64_t ready = look_up(m, now, line, false, &hit);
    m->stats.read_hits += hit;
    return reply(m, ready);
}

/* A write to the memory. The reply comes with its last data or, with write_reads, with the line
 * read first. */
static uint64_t pass_on(struct sam_memtime *m, uint64_t now, uint32_t bytes)
{
    uint64_t answered = now;
    if (m->config.write_reads)
        answered = now = transfer(m, now, m->config.line_bytes, false);
    const uint64_t written = transfer(m, now, bytes, true);
    return reply(m, (m->config.write_reads ? answered : written) + m->config.miss_latency);
}

uint64_t sam_memtime_write(struct sam_memtime *m, uint64_t now, uint64_t line, uint32_t bytes)
{
    bool hit;
    now = arrive(m, now);
    m->stats.writes++;
    sam_memtime_misses_retire(&m->misses, now);
    if (!m->config.write_allocate && !sam_memtime_tags_find(&m->tags, line) &&
        !sam_memtime_misses_find(&m->misses, line))
        return pass_on(m, now, bytes);
    const uint64_t ready = look_up(m, now, line, bytes >= m->config.line_bytes, &hit);
    m->stats.write_hits += hit;
    struct sam_memtime_tag *tag = sam_memtime_tags_find(&m->tags, line);
    if (tag) /* otherwise it was replaced before it arrived */
        tag->dirty = true;
    return reply(m, ready);
}
