/* SPDX-License-Identifier: Apache-2.0 */
/* The weight unit in time: a unit of a clock. What a record does comes as parts, which pass a
 * pipeline of three: fetch, work, write; those of the next record follow without a gap, unless it
 * may read what a record before it writes. docs/system-rulings.md has the rules. */
#ifndef SAM_SYSTEM_WEIGHT_TIME_H
#define SAM_SYSTEM_WEIGHT_TIME_H

#include "base/keys.h"
#include "clock/clock.h"
#include "memtime/memtime.h"
#include "system/weight.h"

struct system_weight_config {
    uint32_t table_cycles;  /* per code, beside one per symbol of it */
    uint32_t symbols_cycle; /* symbols decoded or encoded per cycle */
    uint32_t bits_cycle;    /* plain bits per cycle, beside them */
    uint32_t count_symbols; /* symbols counted per cycle */
    uint32_t code_cycles;   /* to build a code */
    uint32_t sym_width;     /* SymbolStat: bits of a symbol that reach the counters, */
    uint32_t depth;         /* counters, */
    uint32_t wt_width;      /* and their bits */
    uint32_t requests;      /* unanswered, of fetches and of writes */
    bool stream;            /* packed bytes do not stay in the L2 */
    bool raw;               /* each decode is a copy of its raw bytes */
};
/* The rows of its parameters. */
struct sam_keys sam_system_weight_keys(struct system_weight_config *config);

/* What the unit does in a cycle: up to CODE it is busy. */
enum system_weight_cycle {
    SYSTEM_WEIGHT_TABLES,  /* prepares a code for decoding */
    SYSTEM_WEIGHT_SYMBOLS, /* decodes or encodes symbols, plain bits beside them */
    SYSTEM_WEIGHT_PLAIN,   /* only plain bits are left of a block */
    SYSTEM_WEIGHT_COUNT,   /* counts symbols */
    SYSTEM_WEIGHT_CODE,    /* builds a code */
    SYSTEM_WEIGHT_FETCH,   /* waits for bytes to arrive */
    SYSTEM_WEIGHT_WRITE,   /* waits for bytes to be written */
    SYSTEM_WEIGHT_EMPTY,   /* has no record */
    SYSTEM_WEIGHT_CYCLES
};
enum { SYSTEM_WEIGHT_WORKS = SYSTEM_WEIGHT_FETCH };
const char *sam_system_weight_cycle_name(unsigned cycle);

struct system_weight_figures {
    uint64_t cycles[SYSTEM_WEIGHT_CYCLES];
    uint64_t records, blocks;         /* ended */
    struct sam_memtime_traffic bytes; /* asked of the port */
    uint64_t symbols;                 /* decoded and encoded */
    uint64_t packed, raw; /* bytes of blocks decoded: in the source, and as raw elements */
};

/* A record or a part of one, on one of the tracks: the unit's records, then the pipeline. */
enum system_weight_track {
    SYSTEM_WEIGHT_RECORDS,
    SYSTEM_WEIGHT_FETCHES,
    SYSTEM_WEIGHT_WORK,
    SYSTEM_WEIGHT_WRITES,
    SYSTEM_WEIGHT_TRACKS
};
struct system_weight_span {
    enum system_weight_track track;
    uint32_t operation; /* of the record */
    uint64_t number;    /* of the record, from 0 */
    uint64_t from, to;
};
struct system_weight_watch {
    void (*span)(void *context, const struct system_weight_span *span); /* NULL: none */
    void *context;
};

struct system_weight_time;
/* Joins the clock. The port is used as its unit `number`. `watch` may be NULL. NULL: out of memory.
 */
struct system_weight_time *sam_system_weight_time_new(const struct system_weight_config *config,
                                                      struct sam_clock *clock,
                                                      const struct sam_memtime_port *port,
                                                      unsigned number,
                                                      const struct system_weight_watch *watch);
void sam_system_weight_time_free(struct system_weight_time *u);
/* A record, which may begin in cycle `from`, after the current one. False: out of memory. */
bool sam_system_weight_time_submit(struct system_weight_time *u,
                                   const struct system_weight_work *work, uint64_t from);
/* Records that have not begun; that have ended. */
unsigned sam_system_weight_time_waiting(const struct system_weight_time *u);
uint64_t sam_system_weight_time_ended(const struct system_weight_time *u);
/* Of all cycles before the clock's current one. */
const struct system_weight_figures *sam_system_weight_time_figures(struct system_weight_time *u);

#endif
