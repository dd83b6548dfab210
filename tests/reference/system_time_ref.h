/* SPDX-License-Identifier: Apache-2.0 */
/* A second, plain model of a system in time (docs/system-rulings.md, "Time"): the hart and its
 * engines, the weight unit and its queue, and the memory that they share, cycle by cycle. */
#ifndef SYSTEM_TIME_REF_H
#define SYSTEM_TIME_REF_H

#include "reference/levels_ref.h"
#include "reference/matrix_time_ref.h"
#include "reference/weight_time_ref.h"
#include "system/config.h"
#include "tensor/engines_ref.h"

/* The access of an instruction to a control register: eref_insn.action. */
enum sref_action {
    SREF_SUBMIT, /* a weight record */
    SREF_SUBMITTED,
    SREF_DONE,
    SREF_WAIT,
    SREF_CYCLES,
};

enum { SREF_LOADS = 256 };

/* A program and its actions in a system. */
struct sref_program {
    struct eref_insn *insns;
    size_t count;
    uint64_t (*address)(unsigned byte);     /* of those that instructions access */
    unsigned (*byte)(uint64_t address);     /* the reverse */
    const struct system_weight_work *works; /* of the records, in the order of submission */
    size_t work_count;
    const struct sam_matrix_work *matrix; /* the instructions of the matrix unit, */
    const size_t *matrix_at;              /* and their indexes in the program */
    unsigned matrix_count;
};

struct sref {
    struct sam_system_config config;
    struct sref_program program;
    /* found: */
    struct sam_engines_report engines;
    struct lref *levels;
    struct wref weights;
    struct mref *matrix;
    uint64_t loads[SREF_LOADS]; /* values of SREF_DONE and SREF_CYCLES, in program order */
    size_t load_count;
};

/* Run the program. On the memory, the matrix unit is number `port`, the weight unit `weights`.
 * Fails the test if memory is short. */
struct sref *sref_run(const struct sam_system_config *config, const struct sam_memtime_map *map,
                      const struct sref_program *program, unsigned port, unsigned weights);
void sref_free(struct sref *s);

#endif
