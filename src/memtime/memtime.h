/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of memtime/: caches, the L2 and the memory in time. Requests arrive in order of cycles,
 * and each returns the cycle of its reply: a later request never delays an earlier one. Lines are
 * addresses divided by the line size. */
#ifndef SAM_MEMTIME_H
#define SAM_MEMTIME_H

#include "base/base.h"
#include "base/keys.h"

/* --- tags.c: the tags of a cache, with true LRU */

struct sam_memtime_tags {
    uint32_t sets, ways;
    struct sam_memtime_tag {
        uint64_t line; /* + 1; 0: empty */
        uint64_t used; /* time of the last use, as a count */
        bool dirty;
    } * tags;
    uint64_t uses;
};

/* Returns false on out-of-memory. `sets` is a power of two. */
bool sam_memtime_tags_init(struct sam_memtime_tags *tags, uint32_t sets, uint32_t ways);
void sam_memtime_tags_free(struct sam_memtime_tags *tags);
/* The entry of the line, or NULL. Does not count as a use. */
static inline struct sam_memtime_tag *sam_memtime_tags_at(const struct sam_memtime_tags *tags,
                                                          uint64_t line)
{
    struct sam_memtime_tag *tag = tags->tags + (line & (tags->sets - 1)) * tags->ways, *at = NULL;
    for (uint32_t i = 0; i < tags->ways; i++, tag++) /* no branch: the way is unpredictable */
        at = tag->line == line + 1 ? tag : at;
    return at;
}
/* The entry of the line, which becomes the most recently used, or NULL. */
static inline struct sam_memtime_tag *sam_memtime_tags_find(struct sam_memtime_tags *tags,
                                                            uint64_t line)
{
    struct sam_memtime_tag *tag = sam_memtime_tags_at(tags, line);
    if (tag)
        tag->used = ++tags->uses;
    return tag;
}
/* Make its place empty. */
static inline void sam_memtime_tags_remove(struct sam_memtime_tag *tag)
{
    *tag = (struct sam_memtime_tag){0};
}
/* Replace the least recently used line of the set; *victim is the old entry. */
static inline struct sam_memtime_tag *
sam_memtime_tags_fill(struct sam_memtime_tags *tags, uint64_t line, struct sam_memtime_tag *victim)
{
    struct sam_memtime_tag *set = tags->tags + (line & (tags->sets - 1)) * tags->ways;
    struct sam_memtime_tag *oldest = set;
    uint64_t used = set->used;
    for (uint32_t i = 1; i < tags->ways; i++) {
        oldest = set[i].used < used ? &set[i] : oldest;
        used = set[i].used < used ? set[i].used : used;
    }
    *victim = *oldest;
    *oldest = (struct sam_memtime_tag){.line = line + 1, .used = ++tags->uses};
    return oldest;
}

/* --- misses.c: outstanding misses of a cache (MSHRs) */

struct sam_memtime_misses {
    uint32_t limit;  /* lines */
    uint32_t merges; /* requests per line, the first included */
    uint32_t count;
    uint64_t first; /* earliest arrival; UINT64_MAX: none outstanding */
    uint64_t low;   /* set of the lines modulo 64: a filter for look-ups */
    struct sam_memtime_miss {
        uint64_t line;
        uint64_t ready; /* cycle of the arrival */
        uint32_t merged;
    } * of;
};

bool sam_memtime_misses_init(struct sam_memtime_misses *misses, uint32_t limit, uint32_t merges);
void sam_memtime_misses_free(struct sam_memtime_misses *misses);
/* Remove the lines that have arrived by cycle `now`. */
static inline void sam_memtime_misses_retire(struct sam_memtime_misses *misses, uint64_t now)
{
    uint64_t first = UINT64_MAX, low = 0;
    uint32_t kept = 0;
    if (misses->first > now)
        return;
    for (uint32_t i = 0; i < misses->count; i++) {
        const struct sam_memtime_miss miss = misses->of[i];
        misses->of[kept] = miss;
        if (miss.ready <= now)
            continue;
        kept++;
        first = miss.ready < first ? miss.ready : first;
        low |= UINT64_C(1) << miss.line % 64;
    }
    misses->count = kept;
    misses->first = first;
    misses->low = low;
}
/* The outstanding miss of the line, or NULL. */
static inline struct sam_memtime_miss *
sam_memtime_misses_find(const struct sam_memtime_misses *misses, uint64_t line)
{
    if (!(misses->low >> line % 64 & 1))
        return NULL;
    for (uint32_t i = 0; i < misses->count; i++)
        if (misses->of[i].line == line)
            return &misses->of[i];
    return NULL;
}
static inline bool sam_memtime_misses_is_full(const struct sam_memtime_misses *misses)
{
    return misses->count == misses->limit;
}
/* Remove the earliest line that has arrived by cycle `now`. Returns false if there is none. */
static inline bool sam_memtime_misses_take(struct sam_memtime_misses *misses, uint64_t now,
                                           uint64_t *line)
{
    uint64_t first = UINT64_MAX, low = 0;
    uint32_t taken = 0;
    if (misses->first > now || misses->count == 0)
        return false;
    while (misses->of[taken].ready != misses->first)
        taken++;
    *line = misses->of[taken].line;
    misses->of[taken] = misses->of[--misses->count];
    for (uint32_t i = 0; i < misses->count; i++) {
        first = misses->of[i].ready < first ? misses->of[i].ready : first;
        low |= UINT64_C(1) << misses->of[i].line % 64;
    }
    misses->first = first;
    misses->low = low;
    return true;
}
static inline uint64_t sam_memtime_misses_first(const struct sam_memtime_misses *misses)
{
    return misses->first;
}
/* Requires a free entry. */
static inline void sam_memtime_misses_add(struct sam_memtime_misses *misses, uint64_t line,
                                          uint64_t ready)
{
    misses->of[misses->count++] = (struct sam_memtime_miss){line, ready, 1};
    misses->first = ready < misses->first ? ready : misses->first;
    misses->low |= UINT64_C(1) << line % 64;
}

/* --- shared.c: the L2 and the memory that the SMs of a GPU share */

struct sam_memtime_config {
    uint32_t sets, ways, line_bytes;
    bool write_allocate; /* a write miss fetches its line unless it covers it; otherwise it goes to
                            the memory */
    bool write_reads;    /* without write_allocate: after a read of the line, which is not kept */
    uint32_t mshrs;
    uint32_t latency;      /* from a request to the reply of a hit */
    uint32_t miss_latency; /* of a miss, in addition to the memory's time */
    uint32_t interval;     /* between replies */
    uint32_t mem_latency;  /* from a request to its first data, at least 1 */
    uint32_t mem_outstanding;
    uint32_t mem_recovery; /* from the last data of a request until its slot is free */
    uint32_t mem_bytes;    /* per cycle */
};

struct sam_memtime_stats {
    uint64_t reads, writes, read_hits, write_hits, merges, refusals, evictions, dirty;
    uint64_t busy; /* replies */
    uint64_t mem_reads, mem_writes, mem_bytes_read, mem_bytes_written;
};

struct sam_memtime;
/* Returns NULL on out-of-memory. */
struct sam_memtime *sam_memtime_new(const struct sam_memtime_config *config);
void sam_memtime_free(struct sam_memtime *m);
/* A request that arrives at the L2 in cycle `now`, in ascending order. Returns the cycle in which
 * the reply leaves. `bytes`: of the line that the write covers. */
uint64_t sam_memtime_read(struct sam_memtime *m, uint64_t now, uint64_t line);
uint64_t sam_memtime_write(struct sam_memtime *m, uint64_t now, uint64_t line, uint32_t bytes);
const struct sam_memtime_stats *sam_memtime_stats(const struct sam_memtime *m);
/* Set the cycles of the launch, in the last of them or before; requests may follow. */
void sam_memtime_end(struct sam_memtime *m, uint64_t cycles);
/* Cycles of the launch in which the memory's data bus moves data. */
uint64_t sam_memtime_bus_busy(const struct sam_memtime *m);

/* --- the port of a unit of a clock to shared memory */

enum sam_memtime_kind {
    SAM_MEMTIME_READ,
    SAM_MEMTIME_READ_STREAM, /* a read without reuse: its line is not kept in the L2 */
    SAM_MEMTIME_READ_PART,   /* the same of a part of a line: the unit keeps the last 32 of them */
    SAM_MEMTIME_WRITE,
};

struct sam_memtime_port {
    /* A request that leaves the unit in cycle `now`, in ascending order over all units, for bytes
     * within one line of 64; `unit` is for statistics. Returns the cycle, after `now`, in which the
     * last data of a read or the acknowledgement of a write arrives. */
    uint64_t (*request)(void *context, unsigned unit, uint64_t now, uint64_t address,
                        uint32_t bytes, enum sam_memtime_kind kind);
    void *context;
};

/* --- levels.c: the memory of a system, with such a port: the on-chip memories L1M and L0M, the L2
 * in front of the DRAM, and a link to remote DRAM. Rules: docs/system-rulings.md. */

enum { SAM_MEMTIME_LINE = 64, SAM_MEMTIME_UNITS = 16 };

enum sam_memtime_level {
    SAM_MEMTIME_L1M,
    SAM_MEMTIME_L0M,
    SAM_MEMTIME_L2,
    SAM_MEMTIME_DRAM,
    SAM_MEMTIME_LINK,
    SAM_MEMTIME_LEVELS
};
const char *sam_memtime_level_name(enum sam_memtime_level level);

struct sam_memtime_levels_config {
    uint32_t l1m_bytes, l0m_bytes; /* per cycle, for all units together */
    uint32_t l1m_latency, l0m_latency;
    uint32_t l2_size, l2_ways, l2_latency, l2_bytes;
    uint32_t dram_latency, dram_bytes;
    uint32_t link_latency, link_bytes;
    uint64_t link_base, link_size; /* DRAM addresses behind the link; size 0: none */
};
struct sam_keys sam_memtime_keys(struct sam_memtime_levels_config *config);
/* SAM_ERR_USAGE: a value out of range, or an L2 with less than a line per way. */
enum sam_status sam_memtime_levels_check(const struct sam_memtime_levels_config *config,
                                         struct sam_error *error);

/* Address ranges of the on-chip memories. */
struct sam_memtime_map {
    uint64_t l1m_base, l1m_size, l0m_base, l0m_size;
};

struct sam_memtime_traffic {
    uint64_t read, written; /* bytes */
};

/* Statistics of a level. Each cycle up to `last` is busy, waiting or idle. */
struct sam_memtime_level_figures {
    uint64_t requests;
    struct sam_memtime_traffic bytes;
    uint64_t busy;           /* cycles with data on the bus */
    uint64_t waiting;        /* idle cycles with a reply outstanding */
    uint64_t hits, misses;   /* only L2 */
    uint64_t partial;        /* only L2: writes of a part of a line */
    uint64_t evicted, dirty; /* only L2: lines replaced, and those of them written back */
};

struct sam_memtime_levels_figures {
    struct sam_memtime_level_figures level[SAM_MEMTIME_LEVELS];
    /* Traffic by unit. DRAM and link: fetches count for the requesting unit, write-backs for the
     * last writer of the line. */
    struct sam_memtime_traffic unit[SAM_MEMTIME_UNITS][SAM_MEMTIME_LEVELS];
    uint64_t last; /* the cycle after the last reply */
};

/* A transfer on the data bus of a level, in the cycles [from, to). */
struct sam_memtime_transfer {
    enum sam_memtime_level level;
    unsigned unit;
    bool write;
    uint32_t bytes;
    uint64_t from, to;
};

struct sam_memtime_watch {
    void (*transfer)(void *context, const struct sam_memtime_transfer *transfer); /* NULL: none */
    void *context;
};

struct sam_memtime_levels;
/* Returns NULL on out-of-memory. `config` is valid. */
struct sam_memtime_levels *sam_memtime_levels_new(const struct sam_memtime_levels_config *config,
                                                  const struct sam_memtime_map *map,
                                                  const struct sam_memtime_watch *watch);
void sam_memtime_levels_free(struct sam_memtime_levels *m);
/* Valid as long as the levels are. */
struct sam_memtime_port sam_memtime_levels_port(struct sam_memtime_levels *m);
const struct sam_memtime_levels_figures *
sam_memtime_levels_figures(const struct sam_memtime_levels *m);

#endif
