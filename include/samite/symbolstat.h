/* SPDX-License-Identifier: Apache-2.0 */
/* SymbolStat, the symbol counter in front of the Huffman coder, cycle by cycle: a ready/valid
 * stream of symbols in, the count of each symbol out. Source: docs/matrix.md, "SymbolStat". */
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

struct sam_symbolstat_config {
    unsigned sym_width; /* bits of a symbol, 1..16 */
    unsigned wt_width;  /* bits of a count, 1..32 */
    unsigned depth;     /* symbols counted: 0..depth-1; 1..2^sym_width */
};

enum sam_symbolstat_state {
    SAM_SYMBOLSTAT_IDLE,
    SAM_SYMBOLSTAT_CLEAR,
    SAM_SYMBOLSTAT_COUNT,
    SAM_SYMBOLSTAT_DRAIN,
    SAM_SYMBOLSTAT_DONE
};

/* What stands at its ports in a cycle. */
struct sam_symbolstat_in {
    bool start, flush;
    bool data_valid; /* data_in */
    uint32_t data;
    bool freq_ready; /* freq_out */
};
struct sam_symbolstat_out {
    bool data_ready;
    bool freq_valid;
    uint32_t freq;
    bool done, busy;
    bool overflow;   /* a count has stayed at its largest value */
    bool bad_symbol; /* this beat's symbol is not below depth: not counted */
    enum sam_symbolstat_state state;
};

struct sam_symbolstat;
/* SAM_ERR_USAGE: a parameter outside its range. */
SAM_API enum sam_status sam_symbolstat_new(const struct sam_symbolstat_config *config,
                                           struct sam_symbolstat **stat, struct sam_error *error);
SAM_API void sam_symbolstat_free(struct sam_symbolstat *stat);
/* One cycle: outputs by the state and the inputs, then the edge. */
SAM_API void sam_symbolstat_tick(struct sam_symbolstat *stat, const struct sam_symbolstat_in *in,
                                 struct sam_symbolstat_out *out);

/* A test bench: one task over `count` symbols, from start to done. */
struct sam_symbolstat_task {
    const uint32_t *symbols;
    size_t count;
    unsigned stall; /* per cent of cycles in which data is not valid, and freq not ready: 0..90 */
    uint64_t seed;  /* of the stalls */
    struct sam_sink vcd; /* the handshakes as a waveform, when write is not NULL */
};
struct sam_symbolstat_result {
    uint64_t cycles; /* from the first of CLEAR to DONE */
    uint64_t states[SAM_SYMBOLSTAT_DONE + 1];
    uint64_t bad_symbols; /* not below depth */
    bool overflow;
};
/* `counts`: depth of them. SAM_ERR_USAGE: a parameter outside its range; SAM_ERR_IO: the sink
 * refused. */
SAM_API enum sam_status sam_symbolstat_run(const struct sam_symbolstat_config *config,
                                           const struct sam_symbolstat_task *task, uint32_t *counts,
                                           struct sam_symbolstat_result *result,
                                           struct sam_error *error);

#ifdef __cplusplus
}
#endif
#endif
