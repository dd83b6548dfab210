/* SPDX-License-Identifier: Apache-2.0 */
/* The face of memtime/: caches, the shared L2 and the memory in time. Requests arrive in order of
 * cycles and are answered with the cycle of their reply: what comes later never delays what came
 * before. Lines are addresses divided by the line size. */
#ifndef SAM_MEMTIME_H
#define SAM_MEMTIME_H

#include "base/base.h"

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
/* The entry of the line, which is now the last used; NULL: a miss. */
struct sam_memtime_tag *sam_memtime_tags_find(struct sam_memtime_tags *tags, uint64_t line);
/* Whether the line is there; that is no use of it. */
bool sam_memtime_tags_has(const struct sam_memtime_tags *tags, uint64_t line);
/* Put the line in the place of the least recently used of its set, which *victim describes. */
struct sam_memtime_tag *sam_memtime_tags_fill(struct sam_memtime_tags *tags, uint64_t line,
                                              struct sam_memtime_tag *victim);

/* --- misses.c: the lines that a cache waits for (MSHRs) */

struct sam_memtime_misses {
    uint32_t limit;  /* lines */
    uint32_t merges; /* requests per line, the first included */
    uint32_t count;
    struct sam_memtime_miss {
        uint64_t line;
        uint64_t ready; /* when the line is there */
        uint32_t merged;
    } * of;
};

bool sam_memtime_misses_init(struct sam_memtime_misses *misses, uint32_t limit, uint32_t merges);
void sam_memtime_misses_free(struct sam_memtime_misses *misses);
/* Forget the lines that are there in cycle `now`. */
void sam_memtime_misses_retire(struct sam_memtime_misses *misses, uint64_t now);
struct sam_memtime_miss *sam_memtime_misses_find(const struct sam_memtime_misses *misses,
                                                 uint64_t line);
static inline bool sam_memtime_misses_is_full(const struct sam_memtime_misses *misses)
{
    return misses->count == misses->limit;
}
/* Take out the first line that is there in cycle `now`; false: there is none. */
bool sam_memtime_misses_take(struct sam_memtime_misses *misses, uint64_t now, uint64_t *line);
/* The cycle in which the first of them is there; UINT64_MAX: there is none. */
uint64_t sam_memtime_misses_first(const struct sam_memtime_misses *misses);
/* Requires that it is not full. */
void sam_memtime_misses_add(struct sam_memtime_misses *misses, uint64_t line, uint64_t ready);

/* --- shared.c: the L2 and the memory, which all units share */

struct sam_memtime_config {
    uint32_t sets, ways, line_bytes;
    bool write_allocate; /* a write miss fetches its line, unless it covers all of it */
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

#endif
