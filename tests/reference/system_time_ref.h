/* SPDX-License-Identifier: Apache-2.0 */
/* A second, plain model of a system in time (docs/system-rulings.md, "Time"): the hart and its
 * engines, the weight unit and its queue, and the memory that they share, cycle by cycle. */
#ifndef SYSTEM_TIME_REF_H
#define SYSTEM_TIME_REF_H

#include "reference/levels_ref.h"
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

struct sref {
    struct sam_system_config config;
    const struct system_weight_work *works; /* of the records, in the order of submission */
    size_t work_count;
    /* found: */
    struct sam_engines_report engines;
    struct lref *levels;
    struct wref weights;
    uint64_t
        loads[SREF_LOADS]; /* what SREF_DONE and SREF_CYCLES give, in the order of the program */
    size_t load_count;
};

/* Run the instructions. `address` is that of a byte that they touch; `weights_port` the number of
 * the weight unit for the memory. Fails the test when memory is short. */
struct sref *sref_run(const struct sam_system_config *config, const struct sam_memtime_map *map,
                      struct eref_insn *insns, size_t count, uint64_t (*address)(unsigned byte),
                      const struct system_weight_work *works, size_t work_count,
                      unsigned weights_port);
void sref_free(struct sref *s);

#endif
