/* SPDX-License-Identifier: Apache-2.0 */
/* An estimate of the energy of a timed run: counters of the cycle models times parameters
 * (docs/energy.md). The functions keep no state: they may be called from any thread. Since 0.2. */
#ifndef SAMITE_ENERGY_H
#define SAMITE_ENERGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parameter.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sam_energy_event {
#define SAM_ENERGY(event, unit, picojoules, meaning, source) SAM_ENERGY_##event,
#include "energy.def"
#undef SAM_ENERGY
    SAM_ENERGY_EVENTS
};

/* Thousandths of a picojoule per event. */
struct sam_energy_config {
    uint32_t each[SAM_ENERGY_EVENTS];
};

/* Of a run. */
struct sam_energy {
    struct sam_energy_config config;
    uint64_t count[SAM_ENERGY_EVENTS];
};

SAM_API void sam_energy_defaults(struct sam_energy_config *config);
/* Parameter `index`, from 0: "energy.hart_insn", in picojoules; NULL after the last. */
SAM_API const struct sam_parameter *sam_energy_parameter(size_t index);
/* The source of its default; "" after the last. */
SAM_API const char *sam_energy_source(size_t index);
/* Picojoules of a unit, "matrix"; NULL: of all. */
SAM_API double sam_energy_of(const struct sam_energy *energy, const char *unit);
/* A line per unit, or as JSON everything, one object. *text is freed with sam_text_free. */
SAM_API enum sam_status sam_energy_report(const struct sam_energy *energy, bool json, char **text,
                                          struct sam_error *error);

#ifdef __cplusplus
}
#endif
#endif
