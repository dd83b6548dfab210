/* SPDX-License-Identifier: Apache-2.0 */
/* Executed instructions made by hand, as a source for the model of the GPU in time. Include
 * test.h first. */
#ifndef TEST_GPUTIME_STREAM_H
#define TEST_GPUTIME_STREAM_H

#include "gputime/gputime.h"

enum { STREAM_MOST = 4096, STREAM_WARPS = 64 };

/* The instructions of a warp. All warps of a launch execute one stream, or each its own. */
struct stream {
    unsigned count;
    struct sam_insn insns[STREAM_MOST];
    struct sam_gputime_op ops[STREAM_MOST];
    uint32_t addresses[64][32]; /* of accesses with one address per lane */
    unsigned address_count;
};

struct streams {
    const struct stream *of[STREAM_WARPS]; /* by workgroup * warps + warp, cyclic */
    unsigned count;
    struct sam_gputime_launch launch;
    unsigned at[1024]; /* next instruction, by workgroup * warps + warp */
};

/* Append an instruction at the pc after the last one; 32 lanes act. Registers that its format
 * lacks are ignored. Returns its op, which the caller may change. */
struct sam_gputime_op *stream_add(struct stream *s, enum sam_op op, unsigned rd, unsigned rs1,
                                  unsigned rs2);
/* The instruction jumps to `pc`. */
void stream_jump(struct stream *s, uint32_t pc);
/* An access of 4 bytes: at `address`, or of lane i at address + stride * i. */
void stream_scalar(struct stream *s, enum sam_op op, unsigned reg, uint32_t address);
void stream_lanes(struct stream *s, enum sam_op op, unsigned reg, uint32_t address, int32_t stride);
void stream_end(struct stream *s);

/* A launch of workgroups of `warps` warps, which all execute `s`. */
void streams_init(struct streams *all, const struct stream *s, uint32_t workgroups, uint32_t warps);
/* The launch as a source, from its beginning. */
struct sam_gputime_source streams_source(struct streams *all);
/* Every sum of a result. */
void streams_check(const struct sam_gputime_result *result);
/* The cycles under a configuration; `observer` may be NULL. Every sum of the result is checked. */
struct sam_gputime_result streams_run(struct streams *all, const struct sam_gputime_config *config,
                                      const struct sam_gputime_observer *observer);
/* The number of cycles only. */
uint64_t streams_cycles(struct streams *all, const struct sam_gputime_config *config);
/* A configuration from text. */
struct sam_gputime_config stream_config(const char *text);

#endif
