/* SPDX-License-Identifier: Apache-2.0 */
/* A second, plain model of the memory of a system in time (docs/system-rulings.md, "Memory"):
 * the cycles of each bus are assigned one by one, and the L2 is a list of lines in order of use. */
#ifndef LEVELS_REF_H
#define LEVELS_REF_H

#include "memtime/memtime.h"

enum { LREF_CYCLES = 1 << 18, LREF_LINES = 1024 };

struct lref_line {
    uint64_t line, ready;
    bool dirty;
    unsigned writer;
};

enum { LREF_PARTS = 32 };
struct lref_part {
    uint64_t line, ready;
};

struct lref {
    struct sam_memtime_levels_config config;
    struct sam_memtime_map map;
    uint32_t width[SAM_MEMTIME_LEVELS], latency[SAM_MEMTIME_LEVELS];
    uint64_t head[SAM_MEMTIME_LEVELS]; /* nothing precedes it */
    struct lref_line lines[LREF_LINES];
    unsigned count;
    uint64_t stream_line[SAM_MEMTIME_UNITS], stream_ready[SAM_MEMTIME_UNITS];
    struct lref_part parts[SAM_MEMTIME_UNITS][LREF_PARTS]; /* the newest last */
    unsigned part_count[SAM_MEMTIME_UNITS];
    uint64_t dirty, last;
    struct sam_memtime_traffic unit[SAM_MEMTIME_UNITS][SAM_MEMTIME_LEVELS];
    struct lref_cycle {
        uint32_t used; /* bytes transferred by the bus */
        bool moves, waits;
    } cycles[SAM_MEMTIME_LEVELS][LREF_CYCLES];
};

/* Fails the test if memory is short. */
struct lref *lref_new(const struct sam_memtime_levels_config *config,
                      const struct sam_memtime_map *map);
void lref_free(struct lref *p);
/* As sam_memtime_port.request; `context` is the struct. */
uint64_t lref_request(void *context, unsigned unit, uint64_t now, uint64_t address, uint32_t bytes,
                      enum sam_memtime_kind kind);
/* Fails the test unless the model agrees: its cycles, the bytes of each unit, and the bytes of
 * each level as sums over its units. */
void lref_compare(const struct lref *p, const struct sam_memtime_levels_figures *f);

#endif
