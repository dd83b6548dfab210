/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle model of a matrix unit on a clock of its own, driven by a hart that issues one
 * instruction per cycle. */
#ifndef MATRIX_ALONE_H
#define MATRIX_ALONE_H

#include "base/base.h"
#include "matrix/cycle/cycle.h"

struct alone {
    struct sam_clock clock;
    struct sam_mxu *x;
    uint64_t instructions;
};

/* `a` must not move until alone_free. `memory` NULL: that of the configuration. */
static inline void alone_open_on(struct alone *a, const struct sam_mxu_config *config,
                                 const struct sam_mxu_observer *observer,
                                 const struct sam_memtime_port *memory)
{
    *a = (struct alone){0};
    const struct sam_mxu_outside outside = {.clock = &a->clock, .memory = memory};
    a->x = sam_mxu_new(config, observer, &outside);
    assert_non_null(a->x);
}

static inline void alone_open(struct alone *a, const struct sam_mxu_config *config,
                              const struct sam_mxu_observer *observer)
{
    alone_open_on(a, config, observer, NULL);
}

static inline void alone_free(struct alone *a)
{
    sam_mxu_free(a->x);
}

/* Advance to the next event, or through the current one if it is due. */
static inline void alone_wait(struct alone *a)
{
    const uint64_t next = sam_clock_next(&a->clock);
    sam_clock_advance(&a->clock, next > a->clock.now ? next : a->clock.now + 1);
}

static inline void alone_scalar(struct alone *a)
{
    sam_mxu_scalars(a->x, 1);
    sam_clock_advance(&a->clock, a->clock.now + 1);
}

static inline void alone_matrix(struct alone *a, const struct sam_matrix_work *work, uint64_t pc,
                                uint32_t word)
{
    if (work->kind != SAM_M_KIND_CONFIG) {
        sam_mxu_set_waiting(a->x, true);
        while (!sam_mxu_has_room(a->x))
            alone_wait(a);
        sam_mxu_set_waiting(a->x, false);
    }
    sam_mxu_matrix(a->x, work, a->instructions++, pc, word, NULL);
    sam_clock_advance(&a->clock, a->clock.now + 1);
}

/* Run until nothing is in flight. */
static inline const struct sam_mxu_stats *alone_drain(struct alone *a)
{
    while (sam_mxu_is_busy(a->x))
        alone_wait(a);
    return sam_mxu_stats(a->x);
}

#endif
