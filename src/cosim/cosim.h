/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of cosim/: the history of each warp, and the report of a difference. */
#ifndef SAM_COSIM_H
#define SAM_COSIM_H

#include "base/base.h"
#include "samite/cosim.h"

/* A step as shown in the report. */
struct sam_cosim_record {
    uint64_t pc;
    uint32_t word, prefix;
    unsigned x, x_count, v, v_count;
    uint32_t x_value[2];
    uint32_t lanes[SAM_STEP_V];
    uint32_t v_value[SAM_STEP_V][SAM_MAX_LANES];
};

/* Ring buffer of the last steps of a warp. */
struct sam_cosim_history {
    uint64_t key;   /* workgroup and warp, the key in `histories` */
    uint64_t count; /* of all steps; the newest is at (count - 1) % options.history */
    struct sam_cosim_record records[];
};

struct sam_cosim {
    struct sam_session *session;
    struct sam_cosim_options options;
    struct sam_session_shape shape;
    struct sam_names histories; /* by key */
    struct sam_step step;       /* the current one */
    uint64_t agreed;
    bool differs;
    struct sam_buffer report;
};

/* The history of a warp, or NULL. */
struct sam_cosim_history *sam_cosim_history_of(const struct sam_cosim *cosim, uint32_t workgroup,
                                               uint32_t warp);

/* report.c: begin the report of a difference in `what`. */
void sam_cosim_report_begin(struct sam_cosim *cosim, uint32_t workgroup, uint32_t warp,
                            const char *what);
/* A line with both sides. */
void sam_cosim_report_row(struct sam_cosim *cosim, const char *label, const char *hardware,
                          const char *samite);
/* A line of text without sides. */
void sam_cosim_report_line(struct sam_cosim *cosim, const char *text);
/* The instructions of cosim->step and of the commit. */
void sam_cosim_report_insn(struct sam_cosim *cosim, const struct sam_cosim_commit *commit);
/* The last commits of the warp. */
void sam_cosim_report_end(struct sam_cosim *cosim, uint32_t workgroup, uint32_t warp);

#endif
