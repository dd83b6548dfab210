/* SPDX-License-Identifier: Apache-2.0 */
/* The face of trace/: records of what a machine did, and their output formats. Knows base only; the
 * machines call it. */
#ifndef SAM_TRACE_H
#define SAM_TRACE_H

#include "base/base.h"
#include "samite/session.h"

/* The instruction that a warp logged last; zero at its start. */
struct sam_commit_last {
    uint32_t pc, word;
    uint32_t times; /* in a row */
};

/* What one instruction of a warp did. */
struct sam_commit {
    struct sam_commit_last *last; /* of the warp; NULL: every instruction has both lines */
    unsigned core;                /* warp */
    uint32_t pc;
    uint32_t word;
    const char *text; /* disassembly */
    /* scalar register, 0 = none */
    unsigned x;
    uint32_t x_value;
    /* CSRs other than vstart and fflags */
    unsigned csr_count;
    struct {
        unsigned address;
        const char *name;
        uint32_t value;
    } csrs[4];
    uint32_t fflags; /* raised by this instruction */
    /* vector state */
    bool vector; /* a vector instruction: the line contains "e32 m1 l8" */
    bool vstart; /* it writes vstart: a vector instruction, or one that sets vl and vtype */
    unsigned lmul, vl, lanes;
    unsigned v_count;         /* registers written */
    unsigned v;               /* the first of them */
    const uint32_t *v_values; /* [v_count][32] */
    uint32_t mask;
    /* memory */
    bool load, store;
    unsigned access_count;
    const struct sam_step_access *accesses; /* of one size */
    /* SIMT stack, instructions of opcode 0x5b */
    bool simt;
    uint32_t npc;
    uint32_t depth;
};

/* Append the two lines of the public ISA simulator's commit log. Of an instruction that runs again
 * at once (a join that stays at its pc, a branch to itself) it prints the second line only, and the
 * next instruction begins with how often it ran. */
void sam_commit_format(const struct sam_commit *commit, struct sam_buffer *out);

#endif
