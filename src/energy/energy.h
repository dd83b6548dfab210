/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of energy/: parameters and reports for models that count events. */
#ifndef SAM_ENERGY_H
#define SAM_ENERGY_H

#include "base/keys.h"
#include "samite/energy.h"
#include "tree/tree.h"

/* The rows of the parameters; with `alone` their names lack the prefix "energy.". */
struct sam_keys sam_energy_keys(struct sam_energy_config *config, bool alone);

/* {"pj": ..., "units": {...}, "events": {...}} */
json_t *sam_energy_tree(const struct sam_energy *energy);
/* A line per unit, of a report with that tree as "energy". */
#define SAM_ENERGY_LINES                                                                           \
    "energy: {energy.pj:.3k} nJ, estimated\n"                                                      \
    "*energy.units?value   {key:-10} {value:18.3k} nJ  {value%energy.pj:5.1} %\n"

#endif
