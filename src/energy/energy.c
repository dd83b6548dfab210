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

void sam_energy_put_text(const struct sam_energy *e, struct sam_buffer *out)
{
    const double all = sam_energy_of(e, NULL);
    sam_buffer_printf(out, "energy: %.3f nJ, estimated\n", all / 1000);
    for (size_t i = 0; i < SAM_ENERGY_EVENTS; i++) {
        const double one = sam_energy_of(e, events[i].unit);
        if (is_first(i) && one > 0)
            sam_buffer_printf(out, "  %-10s %18.3f nJ  %5.1f %%\n", events[i].unit, one / 1000,
                              100 * one / all);
    }
}

json_t *sam_energy_json(const struct sam_energy *e, bool *good)
{
    json_t *root = json_object(), *units = json_object(), *rows = json_object();
    for (size_t i = 0; i < SAM_ENERGY_EVENTS; i++) {
        json_t *row = json_object();
        sam_json_set(row, "count", sam_json_count(e->count[i]), good);
        sam_json_set(row, "pj", json_real(e->config.each[i] / 1000.0), good);
        sam_json_set(rows, events[i].name, row, good);
        if (is_first(i))
            sam_json_set(units, events[i].unit, json_real(sam_energy_of(e, events[i].unit)), good);
    }
    sam_json_set(root, "pj", json_real(sam_energy_of(e, NULL)), good);
    sam_json_set(root, "units", units, good);
    sam_json_set(root, "events", rows, good);
    return root;
}

enum sam_status sam_energy_report(const struct sam_energy *energy, bool json, char **text,
                                  struct sam_error *error)
{
    struct sam_buffer out = {0};
    bool good = true;
    if (SAM_LACKS(error, energy, text))
        return SAM_ERR_USAGE;
    if (json)
        sam_json_put(sam_energy_json(energy, &good), good, "", &out);
    else
        sam_energy_put_text(energy, &out);
    *text = out.failed ? NULL : sam_strdup(sam_buffer_text(&out));
    sam_buffer_free(&out);
    return *text ? SAM_OK : sam_fail_memory(error);
}
