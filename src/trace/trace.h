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
    /* sam_commit_put_lanes, compiled for the host; NULL: for any */
    char *(*put_lanes)(char *to, const uint32_t words[32], unsigned lanes);
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

/* The 8 hexadecimal digits of a word, the first one in the low byte. No branch, table or
 * multiplication, so that compilers vectorize loops. */
static inline uint64_t sam_commit_digits(uint32_t value)
{
    const uint64_t nibbles = UINT64_C(0x000f000f000f000f), ones = UINT64_C(0x0101010101010101);
    uint64_t x = (uint64_t)(value & 0xffff) << 32 | value >> 16; /* upper half first */
    x = (x << 16 & UINT64_C(0x00ff000000ff0000)) | (x >> 8 & UINT64_C(0x000000ff000000ff));
    x = (x >> 4 & nibbles) | (x & nibbles) << 8;
    const uint64_t letters = (x + 6 * ones) >> 4 & ones;
    return x + 0x30 * ones + ((letters << 5) + (letters << 3) - letters); /* 39: 'a' - '0' - 10 */
}

/* Append the digits of `lanes` words, the last one first, each followed by a blank. Writes up to 32
 * times 9 bytes; returns the end. */
static inline char *sam_commit_put_lanes(char *to, const uint32_t words[32], unsigned lanes)
{
    uint64_t digits[32];
    for (unsigned i = 0; i < 32; i++)
        digits[i] = sam_commit_digits(words[i]);
    memset(to, ' ', sizeof digits + 32);
    for (unsigned i = lanes; i-- > 0; to += 9)
        sam_put_le64(to, digits[i]);
    return to;
}

/* Append the two lines of the public ISA simulator's commit log. An immediately repeated
 * instruction (a join or a branch to itself) prints only the second line, and the next instruction
 * is preceded by the repetition count. */
void sam_commit_format(const struct sam_commit *commit, struct sam_buffer *out);

#endif
