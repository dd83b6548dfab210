/* SPDX-License-Identifier: Apache-2.0 */
/* Lockstep: a hardware model of Ventus runs in lockstep with Samite. The hardware reports each
 * instruction that a warp commits; Samite runs the same instruction of the same warp, in the order
 * in which the hardware did, and compares. The first difference is described with both sides and
 * the last commits of the warp.
 *
 *   sam_session_open(gpu, &launch, &options, &session, &error);
 *   sam_cosim_open(session, NULL, &cosim, &error);
 *   for each commit of the hardware:
 *       sam_cosim_compare(cosim, &commit, &same, &error);
 *       if (!same)
 *           puts(sam_cosim_report(cosim)), stop;
 *   sam_cosim_finish(cosim, &same, &error);
 *   sam_cosim_close(cosim);
 *
 * From SystemVerilog: the package samite_pkg and libsamite_dpi (docs/cosim.md).
 *
 * Thread safety: a cosim and its session are used by one thread at a time. Since 0.2. */
#ifndef SAMITE_COSIM_H
#define SAMITE_COSIM_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sam_cosim;

struct sam_cosim_options {
    size_t size;          /* sizeof of this struct (status.h) */
    unsigned history;     /* commits of each warp kept for the report; 0: 16, at most 4096 */
    bool silent_prefixes; /* the hardware does not report prefixes (REGEXT, ...) as commits */
    /* Reads of cycle, time and instret must agree. Otherwise Samite takes the hardware's value. */
    bool strict_counters;
};

enum sam_cosim_write {
    SAM_COSIM_NONE,    /* writes no register */
    SAM_COSIM_X,       /* a scalar register */
    SAM_COSIM_V,       /* a vector register */
    SAM_COSIM_UNKNOWN, /* the hardware does not say: only pc and word are compared */
};

/* The effects of one instruction, as the hardware reports them. */
struct sam_cosim_commit {
    uint32_t workgroup, warp;
    uint32_t pc;
    uint32_t word; /* 0: not compared */
    enum sam_cosim_write write;
    unsigned index;    /* of the register, with the bits of a prefix. A write to x0 is none */
    unsigned count;    /* 1, or 2 where the next register is written, too (pairs, LMUL 2); 0: 1 */
    uint32_t x[2];     /* the values written */
    uint32_t lanes[2]; /* the lanes written: active, below vl, enabled by v0. None: no write */
    uint32_t v[2][SAM_MAX_LANES]; /* values of those lanes */
};

/* Compare from the current state of the session, which no other caller may run meanwhile. The
 * session must outlive the cosim, which does not close it. SAM_ERR_USAGE: the session of a hart. */
SAM_API enum sam_status sam_cosim_open(struct sam_session *session,
                                       const struct sam_cosim_options *options,
                                       struct sam_cosim **cosim, struct sam_error *error);
/* NULL does nothing. */
SAM_API void sam_cosim_close(struct sam_cosim *cosim);

/* Run the warp's next instruction and compare. *same false: they differ, or did before; nothing
 * runs after the first difference. A trap of Samite is a difference. Errors: SAM_ERR_USAGE for a
 * count above 2 or an unknown kind of write; SAM_ERR_MEMORY; SAM_ERR_IO if a sink failed. */
SAM_API enum sam_status sam_cosim_compare(struct sam_cosim *cosim,
                                          const struct sam_cosim_commit *commit, bool *same,
                                          struct sam_error *error);
/* The hardware has ended. *same is false if a warp of Samite has not. */
SAM_API enum sam_status sam_cosim_finish(struct sam_cosim *cosim, bool *same,
                                         struct sam_error *error);
/* The first difference, several lines of text that belong to the cosim; "" while there is none. */
SAM_API const char *sam_cosim_report(const struct sam_cosim *cosim);
/* Commits that agreed. */
SAM_API uint64_t sam_cosim_count(const struct sam_cosim *cosim);

#ifdef __cplusplus
}
#endif
#endif
