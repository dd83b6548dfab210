/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of trace/: records of executed instructions, and their output formats. */
#ifndef SAM_TRACE_H
#define SAM_TRACE_H

#include "base/base.h"
#include "samite/session.h"

/* The last instruction logged for a warp; zero initially. */
struct sam_commit_last {
    uint32_t pc, word;
    uint32_t times; /* consecutive repetitions */
};

/* An executed instruction of a warp. */
struct sam_commit {
    struct sam_commit_last *last; /* of the warp; NULL: always print both lines */
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
    bool vector; /* the line contains "e32 m1 l8" */
    bool vstart; /* vstart is written, by vector instructions and vset* */
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

/* Append the two lines of the public ISA simulator's commit log. An immediately repeated
 * instruction (a join or a branch to itself) prints only the second line, and the next instruction
 * is preceded by the repetition count. */
void sam_commit_format(const struct sam_commit *commit, struct sam_buffer *out);

#endif
