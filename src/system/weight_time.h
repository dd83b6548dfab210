/* SPDX-License-Identifier: Apache-2.0 */
/* The weight unit in time: the pipeline of stages.h. docs/system-rulings.md has the rules. */
#ifndef SAM_SYSTEM_WEIGHT_TIME_H
#define SAM_SYSTEM_WEIGHT_TIME_H

#include "base/keys.h"
#include "system/stages.h"
#include "system/weight.h"

struct system_weight_config {
    uint32_t streams;       /* engines, each for one stream of a block */
    uint32_t symbols;       /* decoded per engine and cycle, or encoded per cycle */
    uint32_t table_ports;   /* lengths of symbols entered into a table per cycle */
    uint32_t tables;        /* of codes that are kept */
    uint32_t escapes;       /* of a window, put in place per cycle */
    uint32_t lines;         /* of 64 bytes, of the input buffer */
    uint32_t outputs;       /* lines of the output buffer */
    uint32_t heads;         /* headers of chunks and heads of blocks that are kept */
    uint32_t requests;      /* unanswered, of fetches and of writes */
    uint32_t count_symbols; /* symbols counted per cycle */
    uint32_t code_items;    /* items of package-merge per cycle */
    uint32_t sym_width;     /* SymbolStat: bits of a symbol that reach the counters, */
    uint32_t depth;         /* counters, */
    uint32_t wt_width;      /* and their bits */
    bool stream;            /* packed bytes do not stay in the L2 */
    bool raw;               /* charge each decode as a copy of its raw bytes */
};
/* The rows of its parameters. */
struct sam_keys sam_system_weight_keys(struct system_weight_config *config);

/* The kinds of work of its pipeline (stages.h). */
enum {
    SYSTEM_WEIGHT_TABLES,  /* prepares codes for decoding */
    SYSTEM_WEIGHT_SYMBOLS, /* decodes or encodes symbols */
    SYSTEM_WEIGHT_WINDOWS, /* decodes windows */
    SYSTEM_WEIGHT_COPY,    /* moves elements that are not coded */
    SYSTEM_WEIGHT_COUNT,   /* counts symbols */
    SYSTEM_WEIGHT_CODE,    /* builds codes */
};
enum {
    SYSTEM_WEIGHT_TABLES_KEPT = 64, /* at most */
    SYSTEM_WEIGHT_LENGTHS = 11,     /* of codes, in bits */
    SYSTEM_WEIGHT_WORD = 64,        /* weights of a window decoded per cycle */
};

struct system_weight_figures {
    uint64_t symbols;     /* decoded and encoded */
    uint64_t packed, raw; /* bytes of blocks decoded: in the source, and as raw elements */
};

struct system_weight_time {
    struct system_stages stages; /* first: the state of a unit */
    struct system_weight_config config;
    struct system_weight_figures figures;
    struct {
        uint64_t id, used;
    } tables[SYSTEM_WEIGHT_TABLES_KEPT];
    uint64_t uses;
    bool no_windows; /* the last block had no windows: they are not expected */
    const struct system_weight_work *given; /* by the store being executed; NULL: none */
};
/* The requests of the options are those of `config`. NULL: out of memory. */
struct system_weight_time *sam_system_weight_time_new(const struct system_weight_config *config,
                                                      const struct system_stages_options *options);
/* A record, which may begin in cycle `from`, after the current one. False: out of memory. */
bool sam_system_weight_time_submit(struct system_weight_time *u,
                                   const struct system_weight_work *work, uint64_t from);

/* --- weight_guess.c: add parts with the lines that block `b` at address `at` probably needs first.
 * `headed`: the size of the block is known, and its table has been requested; otherwise the table
 * is among them. */
void sam_system_weight_guess(const struct system_weight_work *work,
                             const struct system_weight_block *b, uint64_t at, bool headed,
                             struct system_job *job);

#endif
