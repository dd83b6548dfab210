/* SPDX-License-Identifier: Apache-2.0 */
/* The face of memtime/: caches, the L2 and the memory in time. Requests arrive in order of
 * cycles and are answered with the cycle of their reply: what comes later never delays what came
 * before. Lines are addresses divided by the line size. */
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

/* False: out of memory. `sets` is a power of two. */
bool sam_memtime_tags_init(struct sam_memtime_tags *tags, uint32_t sets, uint32_t ways);
void sam_memtime_tags_free(struct sam_memtime_tags *tags);
/* The entry of the line, or NULL. A look-up does not count as a use. */
static inline struct sam_memtime_tag *sam_memtime_tags_at(const struct sam_memtime_tags *tags,
                                                          uint64_t line)
{
    struct sam_memtime_tag *tag = tags->tags + (line & (tags->sets - 1)) * tags->ways, *at = NULL;
    for (uint32_t i = 0; i < tags->ways; i++, tag++) /* which way cannot be foreseen: no branch */
        at = tag->line == line + 1 ? tag : at;
    return at;
}
/* The same, and it is now the last used. */
static inline struct sam_memtime_tag *sam_memtime_tags_find(struct sam_memtime_tags *tags,
                                                            uint64_t line)
{
    struct sam_memtime_tag *tag = sam_memtime_tags_at(tags, line);
    if (tag)
        tag->used = ++tags->uses;
    return tag;
}
/* Put the line in the place of the least recently used of its set, which *victim describes. */
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

/* --- misses.c: the lines that a cache waits for (MSHRs) */

struct sam_memtime_misses {
    uint32_t limit;  /* lines */
    uint32_t merges; /* requests per line, the first included */
    uint32_t count;
    uint64_t first; /* when the first of them is there; UINT64_MAX: there is none */
    uint64_t low;   /* a set: the lines' low bits */
    struct sam_memtime_miss {
        uint64_t line;
        uint64_t ready; /* when the line is there */
        uint32_t merged;
    } * of;
};

bool sam_memtime_misses_init(struct sam_memtime_misses *misses, uint32_t limit, uint32_t merges);
void sam_memtime_misses_free(struct sam_memtime_misses *misses);
/* Forget the lines that are there in cycle `now`. */
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
/* NULL: the line is not waited for. */
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
/* Take out the first line that is there in cycle `now`; false: there is none. */
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
/* The cycle in which the first of them is there; UINT64_MAX: there is none. */
static inline uint64_t sam_memtime_misses_first(const struct sam_memtime_misses *misses)
{
    return misses->first;
}
/* Requires that it is not full. */
static inline void sam_memtime_misses_add(struct sam_memtime_misses *misses, uint64_t line,
                                          uint64_t ready)
{
    misses->of[misses->count++] = (struct sam_memtime_miss){line, ready, 1};
    misses->first = ready < misses->first ? ready : misses->first;
    misses->low |= UINT64_C(1) << line % 64;
}

/* --- shared.c: the L2 and the memory, which all units share */

struct sam_memtime_config {
    uint32_t sets, ways, line_bytes;
    bool write_allocate; /* a write miss fetches its line, unless it covers all of it; else it goes
                            on to the memory ... */
    bool write_reads;    /* ... after its line has been read, which is not kept */
    uint32_t mshrs;
    uint32_t latency;      /* from a request to the reply of a hit */
    uint32_t miss_latency; /* the same for a miss, beside the memory's own time */
    uint32_t interval;     /* between replies */
    uint32_t mem_latency;  /* from a request to its first data, at least 1 */
    uint32_t mem_outstanding;
    uint32_t mem_recovery; /* from the last data of a request until another takes its place */
    uint32_t mem_bytes;    /* per cycle */
};

struct sam_memtime_stats {
    uint64_t reads, writes, read_hits, write_hits, merges, refusals, evictions, dirty;
    uint64_t busy; /* replies */
    uint64_t mem_reads, mem_writes, mem_bytes_read, mem_bytes_written, mem_busy;
};

struct sam_memtime;
/* NULL: out of memory. */
struct sam_memtime *sam_memtime_new(const struct sam_memtime_config *config);
void sam_memtime_free(struct sam_memtime *m);
/* A request for a line that arrives at the L2 in cycle `now`, in ascending order of `now`; the
 * cycle in which the reply leaves. `bytes`: of the line that a write covers. */
uint64_t sam_memtime_read(struct sam_memtime *m, uint64_t now, uint64_t line);
uint64_t sam_memtime_write(struct sam_memtime *m, uint64_t now, uint64_t line, uint32_t bytes);
const struct sam_memtime_stats *sam_memtime_stats(const struct sam_memtime *m);

/* --- how a unit of a clock asks for memory that it shares with others */

enum sam_memtime_kind {
    SAM_MEMTIME_READ,
    SAM_MEMTIME_READ_STREAM, /* a read without reuse: its line does not stay in the L2 */
    SAM_MEMTIME_WRITE,
};

struct sam_memtime_port {
    /* A request that leaves the unit in cycle `now`, for bytes within one line of 64; `unit` tells
     * the units of one port apart, for the figures. In ascending order of `now`, whichever the
     * unit. Returns the cycle in which the last data of a read, or the acknowledgement of a write,
     * arrives: after `now`. */
    uint64_t (*request)(void *context, unsigned unit, uint64_t now, uint64_t address,
                        uint32_t bytes, enum sam_memtime_kind kind);
    void *context;
};

/* --- levels.c: the memory that the units of a system share, behind such a port. The on-chip
 * memories L1M and L0M; the L2 before the DRAM; a link to a part of the DRAM that is elsewhere. The
 * exact rules: docs/system-rulings.md. */

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
/* The rows of its parameters. */
struct sam_keys sam_memtime_keys(struct sam_memtime_levels_config *config);
/* SAM_ERR_USAGE: a value out of range, or an L2 smaller than a line per way. */
enum sam_status sam_memtime_levels_check(const struct sam_memtime_levels_config *config,
                                         struct sam_error *error);

/* Where the on-chip memories are. */
struct sam_memtime_map {
    uint64_t l1m_base, l1m_size, l0m_base, l0m_size;
};

struct sam_memtime_traffic {
    uint64_t read, written; /* bytes */
};

/* A level as it counts itself. Its cycles up to `last` are busy, waiting or idle. */
struct sam_memtime_level_figures {
    uint64_t requests;
    struct sam_memtime_traffic bytes;
    uint64_t busy;           /* cycles in which data moves */
    uint64_t waiting;        /* no data moves, and an answer is outstanding */
    uint64_t hits, misses;   /* the L2 alone */
    uint64_t partial;        /* writes of a part of a line, the same */
    uint64_t evicted, dirty; /* lines replaced, and of them written back, the same */
};

struct sam_memtime_levels_figures {
    struct sam_memtime_level_figures level[SAM_MEMTIME_LEVELS];
    /* What each unit has asked of a level; of DRAM and link: whose request has fetched a line, and
     * who has last written a line that was written back. */
    struct sam_memtime_traffic unit[SAM_MEMTIME_UNITS][SAM_MEMTIME_LEVELS];
    uint64_t last; /* all answers have arrived before this cycle */
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
/* NULL: out of memory. `config` has been checked. */
struct sam_memtime_levels *sam_memtime_levels_new(const struct sam_memtime_levels_config *config,
                                                  const struct sam_memtime_map *map,
                                                  const struct sam_memtime_watch *watch);
void sam_memtime_levels_free(struct sam_memtime_levels *m);
/* Valid as long as the levels are. */
struct sam_memtime_port sam_memtime_levels_port(struct sam_memtime_levels *m);
const struct sam_memtime_levels_figures *
sam_memtime_levels_figures(const struct sam_memtime_levels *m);

#endif
