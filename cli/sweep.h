/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of `samite sweep` share. */
#ifndef SWEEP_H
#define SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "samite/samite.h"

enum { SWEEP_AXES = 12, SWEEP_VALUES = 32, SWEEP_RUNS = 65536 };

/* A parameter and the values it takes. */
struct sweep_axis {
    char name[32];
    char values[SWEEP_VALUES][32];
    unsigned count;
};

struct sweep_run {
    bool done;
    struct sam_error error; /* of one that could not be run */
    struct sam_mxu_stats stats;
};

struct sweep {
    const char *program;
    struct sweep_axis axes[SWEEP_AXES];
    unsigned axis_count;
    struct sweep_run *runs; /* the last axis moves fastest */
    size_t run_count;
};

/* Which value of an axis a run has. */
unsigned sweep_value(const struct sweep *sweep, size_t run, unsigned axis);
/* Part of the array that was busy. */
double sweep_utilisation(const struct sam_mxu_stats *stats);
/* A line a run, and a page with a chart a parameter. Text to be freed with free(); NULL: no memory.
 */
char *sweep_csv(const struct sweep *sweep);
char *sweep_html(const struct sweep *sweep);

#endif
