/* SPDX-License-Identifier: Apache-2.0 */
/* Events times parameters, summed by unit. */
#include "energy/energy.h"

#define ROW(name, event, picojoules, meaning)                                                      \
    SAM_KEY(name, picojoules, 0, 1000000, struct sam_energy_config, each[SAM_ENERGY_##event], 1,   \
            SAM_KEY_MILLI, "pJ per " meaning),

static const struct sam_key keys[] = {
#define SAM_ENERGY(event, unit, picojoules, meaning, source)                                       \
    ROW("energy." #event, event, picojoules, meaning)
#include "samite/energy.def"
#undef SAM_ENERGY
};

static const struct sam_key keys_alone[] = {
#define SAM_ENERGY(event, unit, picojoules, meaning, source) ROW(#event, event, picojoules, meaning)
#include "samite/energy.def"
#undef SAM_ENERGY
};

static const struct {
    const char *name, *unit, *source;
} events[] = {
#define SAM_ENERGY(event, unit, picojoules, meaning, source) {#event, unit, source},
#include "samite/energy.def"
#undef SAM_ENERGY
};

struct sam_keys sam_energy_keys(struct sam_energy_config *config, bool alone)
{
    return (struct sam_keys){alone ? keys_alone : keys, SAM_ENERGY_EVENTS, config};
}

void sam_energy_defaults(struct sam_energy_config *config)
{
    const struct sam_keys table = sam_energy_keys(config, false);
    sam_keys_defaults(&table);
}

const struct sam_parameter *sam_energy_parameter(size_t index)
{
    return index < SAM_ENERGY_EVENTS ? &keys[index].parameter : NULL;
}

const char *sam_energy_source(size_t index)
{
    return index < SAM_ENERGY_EVENTS ? events[index].source : "";
}

double sam_energy_of(const struct sam_energy *e, const char *unit)
{
    double sum = 0;
    for (size_t i = 0; i < SAM_ENERGY_EVENTS; i++)
        if (!unit || strcmp(unit, events[i].unit) == 0)
            sum += (double)e->count[i] * e->config.each[i] / 1000;
    return sum;
}

/* Whether a row is the first of its unit. */
static bool is_first(size_t index)
{
    return index == 0 || strcmp(events[index - 1].unit, events[index].unit) != 0;
}

json_t *sam_energy_tree(const struct sam_energy *e)
{
    json_t *units = json_object(), *rows = json_object();
    for (size_t i = 0; i < SAM_ENERGY_EVENTS; i++) {
        json_t *row = sam_tree_count(json_object(), "count", e->count[i]);
        rows = sam_tree_set(rows, events[i].name,
                            sam_tree_real(row, "pj", e->config.each[i] / 1000.0));
        if (is_first(i))
            units = sam_tree_real(units, events[i].unit, sam_energy_of(e, events[i].unit));
    }
    json_t *root = sam_tree_real(json_object(), "pj", sam_energy_of(e, NULL));
    return sam_tree_set(sam_tree_set(root, "units", units), "events", rows);
}

enum sam_status sam_energy_report(const struct sam_energy *energy, bool json, char **text,
                                  struct sam_error *error)
{
    if (SAM_LACKS(error, energy, text))
        return SAM_ERR_USAGE;
    json_t *tree = sam_energy_tree(energy);
    if (json)
        return sam_tree_report(tree, NULL, "", text, error);
    return sam_tree_report(sam_tree_set(json_object(), "energy", tree), SAM_ENERGY_LINES, "", text,
                           error);
}
