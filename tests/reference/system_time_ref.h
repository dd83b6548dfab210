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

/* What an instruction does with a control register: eref_insn.action. */
enum sref_action {
    SREF_SUBMIT, /* a weight record */
    SREF_SUBMITTED,
    SREF_DONE,
    SREF_WAIT,
    SREF_CYCLES,
};

enum { SREF_LOADS = 256 };

/* A program and what it does in a system. */
struct sref_program {
    struct eref_insn *insns;
    size_t count;
    uint64_t (*address)(unsigned byte);     /* of those that instructions touch */
    unsigned (*byte)(uint64_t address);     /* the other way round */
    const struct system_weight_work *works; /* of the records, in the order of submission */
    size_t work_count;
    const struct sam_matrix_work *matrix; /* the instructions of the matrix unit, */
    const size_t *matrix_at;              /* and their places in the program */
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
    uint64_t
        loads[SREF_LOADS]; /* what SREF_DONE and SREF_CYCLES give, in the order of the program */
    size_t load_count;
};

/* Run the program. The matrix unit is number `port` for the memory, the weight unit `weights`.
 * Fails the test when memory is short. */
struct sref *sref_run(const struct sam_system_config *config, const struct sam_memtime_map *map,
                      const struct sref_program *program, unsigned port, unsigned weights);
void sref_free(struct sref *s);

#endif
