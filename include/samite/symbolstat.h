/* SPDX-License-Identifier: Apache-2.0 */
/* SymbolStat: a clock-by-clock model of a hardware unit that counts how often each symbol occurs in
 * a stream. A unit is used by one thread at a time; units are independent. Ports: data_in and
 * freq_out (valid and ready), start, done, busy, flush.
 *
 *   IDLE   start rises -> CLEAR
 *   CLEAR  `depth` cycles, one counter each; then COUNT, or DRAIN when start has fallen meanwhile
 *   COUNT  ready, one symbol per cycle; start low (no beat is taken then) ends it -> DRAIN
 *   DRAIN  `depth` counts in symbol order, one for each cycle in which freq_out is ready
 *   DONE   done for one cycle -> IDLE
 *
 * Counters saturate at 2^weight_width - 1 and set `overflow`; a symbol of `depth` or above is not
 * counted and sets `bad_symbol`. flush: IDLE from anywhere, counters zero, no done. */
#ifndef SAMITE_SYMBOLSTAT_H
#define SAMITE_SYMBOLSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sink.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sam_symbolstat_state {
    SAM_SYMBOLSTAT_IDLE,
    SAM_SYMBOLSTAT_CLEAR,
    SAM_SYMBOLSTAT_COUNT,
    SAM_SYMBOLSTAT_DRAIN,
    SAM_SYMBOLSTAT_DONE,
};

enum { SAM_SYMBOLSTAT_DEPTH = 65536 };

struct sam_symbolstat {
    unsigned symbol_width; /* bits of a symbol, 1..16 */
    unsigned weight_width; /* bits of a counter, 1..64 */
    uint32_t depth;        /* symbols counted, 1..SAM_SYMBOLSTAT_DEPTH */
    uint64_t *counts;      /* the caller's, `depth` of them */
    /* state */
    enum sam_symbolstat_state state;
    uint32_t at; /* position in CLEAR and DRAIN */
    bool overflow, bad_symbol;
    uint64_t cycles; /* since start rose, including the cycle of done */
};

/* Inputs and outputs of the unit in one cycle. */
struct sam_symbolstat_in {
    bool start, flush, data_valid, freq_ready;
    uint32_t symbol;
};
struct sam_symbolstat_out {
    bool data_ready, freq_valid, done, busy;
    uint64_t freq;
};

/* Set parameters and memory, state IDLE. SAM_ERR_USAGE when a parameter is out of range. */
SAM_API enum sam_status sam_symbolstat_init(struct sam_symbolstat *unit, unsigned symbol_width,
                                            unsigned weight_width, uint32_t depth, uint64_t *counts,
                                            struct sam_error *error);
/* One clock. */
SAM_API struct sam_symbolstat_out sam_symbolstat_clock(struct sam_symbolstat *unit,
                                                       struct sam_symbolstat_in in);
/* Cycles of a task of `symbols` symbols without stalls, from the first cycle of CLEAR to that of
 * done. */
SAM_API uint64_t sam_symbolstat_cycles(uint32_t depth, uint64_t symbols);

/* A test bench: one task from start to done. */
struct sam_symbolstat_task {
    const uint32_t *symbols;
    size_t count;
    unsigned stall; /* percentage of cycles in which data is not valid, and freq not ready: 0..90 */
    uint64_t seed;  /* for the stalls */
    struct sam_sink vcd; /* the handshakes as a waveform, when write is not NULL */
    /* Not 0: flush is high in this cycle (start rises in cycle 0); then the bench begins again. */
    uint64_t flush_at;
};
struct sam_symbolstat_result {
    uint64_t cycles; /* out of IDLE, to that of done */
    uint64_t states[SAM_SYMBOLSTAT_DONE + 1];
};
/* `unit` must be initialised and in IDLE; the `depth` values from freq_out go to `freq`.
 * SAM_ERR_USAGE: a bad stall, a unit that is not, or a flush after done; SAM_ERR_IO: the sink
 * refused. */
SAM_API enum sam_status sam_symbolstat_run(struct sam_symbolstat *unit,
                                           const struct sam_symbolstat_task *task, uint64_t *freq,
                                           struct sam_symbolstat_result *result,
                                           struct sam_error *error);

#ifdef __cplusplus
}
#endif
#endif
