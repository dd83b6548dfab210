/* SPDX-License-Identifier: Apache-2.0 */
/* A second, plain and slow implementation of the GPU in time: every stage of every SM in every
 * cycle, directly from docs/gpu-time-rulings.md. It shares only the parameters, the instruction
 * tables and the source of instructions with src/gputime/. */
#ifndef GPUTIME_REF_H
#define GPUTIME_REF_H

#include "gputime/gputime.h"

enum { GPUTIME_REF_SMS = 64, GPUTIME_REF_SLOTS = 32 };

struct gputime_ref_result {
    uint64_t cycles;
    uint64_t insns; /* warp instructions, prefixes included */
};

/* Called for every instruction that leaves the pipeline, like sam_gputime_observer. */
struct gputime_ref_watcher {
    void *context;
    void (*record)(void *context, const struct sam_gputime_record *record);
};

/* The configuration and the launch must pass the checks of src/gputime/. Exits if memory runs
 * out or the machine makes no progress. `watcher` may be NULL. */
void gputime_ref_run(const struct sam_gputime_config *config,
                     const struct sam_gputime_launch *launch,
                     const struct sam_gputime_source *source,
                     const struct gputime_ref_watcher *watcher, struct gputime_ref_result *result);

/* Unit, registers and latency of an instruction (gputime_ref_insn.c). */
enum { GPUTIME_REF_SOURCES = 4 };
struct gputime_ref_insn {
    enum sam_gputime_unit unit;
    bool stream_v; /* issues with the vector stream */
    bool control;  /* branch, jump, vector branch, join */
    bool prefix, fence, barrier, barrier_of_warp, endprg, atomic, store, integer_division,
        is_vector;
    bool writes, writes_vector; /* x0 is written only if the scoreboard tracks it */
    unsigned destination;
    unsigned data; /* of a vector store: which source it stores */
    struct gputime_ref_source {
        bool is; /* the instruction has this operand */
        bool is_vector;
        unsigned number;
    } sources[GPUTIME_REF_SOURCES], /* registers read: rs1, rs2, rs3 or rd, the mask */
        waits[GPUTIME_REF_SOURCES]; /* registers waited for */
    unsigned source_count;
    unsigned latency; /* of a pipelined unit */
};
struct gputime_ref_insn gputime_ref_describe(const struct sam_gputime_config *config,
                                             const struct sam_insn *insn);

#endif
