/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of energy/: parameters and reports for models that count events. */
#ifndef SAM_ENERGY_H
#define SAM_ENERGY_H

#include "base/json.h"
#include "base/keys.h"
#include "samite/energy.h"

/* The rows of the parameters; with `alone` their names lack the prefix "energy.". */
struct sam_keys sam_energy_keys(struct sam_energy_config *config, bool alone);

/* Append a line per unit. */
void sam_energy_put_text(const struct sam_energy *energy, struct sam_buffer *out);
/* {"pj": ..., "units": {...}, "events": {...}} */
json_t *sam_energy_json(const struct sam_energy *energy, bool *good);

#endif
