/* SPDX-License-Identifier: Apache-2.0 */
/* Executed instructions built directly, without a machine: streams of ops per warp, for tests of
 * the GPU in time. */
#ifndef GPUTIME_KERNEL_H
#define GPUTIME_KERNEL_H

#include "gputime/gputime.h"

#define KERNEL_PC 0x80000000u

struct kernel_op {
    struct sam_gputime_op op;
    uint32_t addresses[32];
};

struct kernel_stream {
    struct kernel_op *ops;
    size_t count, capacity, at;
};

struct kernel {
    struct sam_gputime_launch launch;
    struct sam_insn *program; /* from KERNEL_PC on */
    size_t length, capacity;
    struct kernel_stream *streams; /* workgroups * warps */
};

void kernel_open(struct kernel *k, uint32_t workgroups, uint32_t warps, uint32_t lanes);
void kernel_free(struct kernel *k);

/* Append the instruction with this mnemonic and these registers to the program; returns its
 * index. rd, rs1, rs2 and rs3 are those of struct sam_insn; operands that the instruction lacks
 * are ignored. `masked`: under v0. */
unsigned kernel_add(struct kernel *k, const char *mnemonic, unsigned rd, unsigned rs1, unsigned rs2,
                    unsigned rs3, bool masked);

/* Append instruction `index` to a warp's stream: all lanes active, pc + 4 is next. The op is
 * valid until the next call for the warp. */
struct kernel_op *kernel_run(struct kernel *k, uint32_t workgroup, uint32_t warp, unsigned index);
/* The whole program, in order, in every warp. */
void kernel_run_all(struct kernel *k);

/* A source that starts at the first instruction of every warp. */
struct sam_gputime_source kernel_source(struct kernel *k);

/* A random kernel: every unit, dependences, divergence, barriers; optionally memory of all
 * kinds. */
void kernel_random(struct kernel *k, uint64_t *seed, bool with_memory);

#endif
