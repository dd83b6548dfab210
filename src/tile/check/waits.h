/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SAM_TILE_WAITS_H
#define SAM_TILE_WAITS_H

#include "tile/check/plan.h"

/* Reports operations of a manual program that do not wait for another pipe, as far as addresses and
 * offsets are constants: an error where it is so whenever the line is reached, a warning where it
 * depends on the way there. False without memory. */
bool sam_tile_check_waits(const struct sam_tile_program *program,
                          const struct sam_tile_func *function, const struct sam_tile_flow *flow,
                          const struct sam_tile_plan *plan, struct sam_tile_report *report);

#endif
