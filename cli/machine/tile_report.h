/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TILE_REPORT_H
#define TILE_REPORT_H

#include "report.h"
#include "samite/tile.h"

/* The report on a run (NULL on out-of-memory); the line on its end, and the lines of --stats. */
json_t *tile_report(const char *path, const char *function, enum sam_status status,
                    const struct sam_error *error, const struct sam_tile_stats *stats,
                    double seconds);
void tile_print_end(const json_t *report, bool done, FILE *text);
extern const char tile_stats[];

#endif
