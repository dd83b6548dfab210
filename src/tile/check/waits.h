/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SAM_TILE_WAITS_H
#define SAM_TILE_WAITS_H

#include "tile/check/plan.h"

/* Report operations of a manual program that miss a wait for another pipe, as far as addresses and
 * offsets are constants: an error if the wait is missing on every path, a warning if only on some.
 * Returns false on out-of-memory. */
bool sam_tile_check_waits(const struct sam_tile_program *program,
                          const struct sam_tile_func *function, const struct sam_tile_flow *flow,
                          const struct sam_tile_plan *plan, struct sam_tile_report *report);

#endif
