/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of a tile program counted: for people, and as JSON. */
#ifndef RUN_TILE_REPORT_H
#define RUN_TILE_REPORT_H

#include "run.h"

struct run_tile_outcome {
    const char *path, *function; /* function: "" of bare operations */
    enum sam_status status;
    const struct sam_error *error; /* read unless status is SAM_OK */
    const struct sam_tile_stats *stats;
    double seconds;
    json_t *checks; /* an array */
};

void run_tile_report_stats(const struct sam_tile_stats *stats, FILE *text);
/* {"program": ..., "end": "done", ..., "ops": {"tcolmin": {"count": 1, "elements": 1024}}, ...} on
 * standard output; an exit code. */
int run_tile_report_json(const struct run_tile_outcome *outcome);

#endif
