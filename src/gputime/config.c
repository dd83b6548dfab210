/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters by name, and the presets: columns of gputime.def. */
#include "energy/energy.h"
#include "gputime/gputime.h"

static const struct sam_key keys[] = {
#define SAM_GPUTIME(name, rtl, verilog, systemc, low, high, kind, meaning)                         \
    SAM_KEY(#name, rtl, low, high, struct sam_gputime_config, name, 1, SAM_KEY_##kind, meaning),
#include "samite/gputime.def"
#undef SAM_GPUTIME
};

enum { PRESETS = 3 };

static const struct {
    const char *name, *meaning;
} presets[PRESETS] = {
    {"rtl", "the Chisel source of the GPU, with its memory system"},
    {"verilog", "the Verilog edition with its defaults: 8 lanes, single issue, tiny caches"},
    {"systemc", "the SystemC cycle simulator: perfect memory"},
};

static const uint32_t preset_values[][PRESETS] = {
#define SAM_GPUTIME(name, rtl, verilog, systemc, low, high, kind, meaning) {rtl, verilog, systemc},
#include "samite/gputime.def"
#undef SAM_GPUTIME
};

const struct sam_parameter *sam_gputime_parameter(size_t index)
{
    return index < SAM_COUNT(keys) ? &keys[index].parameter : NULL;
}

const char *sam_gputime_preset(size_t index)
{
    return index < PRESETS ? presets[index].name : NULL;
}

const char *sam_gputime_preset_meaning(size_t index)
{
    return index < PRESETS ? presets[index].meaning : "";
}

struct sam_keys sam_gputime_keys(struct sam_gputime_config *config)
{
    return (struct sam_keys){keys, SAM_COUNT(keys), config};
}

static uint32_t *field(struct sam_gputime_config *config, size_t index)
{
    return (uint32_t *)(void *)((char *)config + keys[index].at);
}

static void take_preset(struct sam_gputime_config *config, size_t preset)
{
    for (size_t i = 0; i < SAM_COUNT(keys); i++)
        *field(config, i) = preset_values[i][preset];
}

void sam_gputime_config_init(struct sam_gputime_config *config)
{
    take_preset(config, 0);
    sam_energy_defaults(&config->energy);
}

/* "preset=NAME" at the start of *text, which then continues with the rest. */
static enum sam_status read_preset(struct sam_gputime_config *config, const char **text,
                                   struct sam_error *error)
{
    static const char word[] = "preset=";
    const size_t prefix = sizeof word - 1;
    if (strncmp(*text, word, prefix) != 0)
        return SAM_OK;
    const char *name = *text + prefix;
    const size_t size = strcspn(name, ",");
    for (size_t i = 0; i < PRESETS; i++)
        if (strlen(presets[i].name) == size && memcmp(presets[i].name, name, size) == 0) {
            take_preset(config, i);
            *text = name + size + (name[size] == ',');
            return SAM_OK;
        }
    return sam_fail(error, SAM_ERR_USAGE, "preset=%.*s: expected %s, %s or %s", (int)size, name,
                    presets[0].name, presets[1].name, presets[2].name);
}

enum sam_status sam_gputime_config_set(struct sam_gputime_config *config, const char *text,
                                       struct sam_error *error)
{
    if (SAM_LACKS(error, config, text))
        return SAM_ERR_USAGE;
    struct sam_gputime_config copy = *config;
    const struct sam_keys tables[] = {sam_gputime_keys(&copy),
                                      sam_energy_keys(&copy.energy, false)};
    enum sam_status status = read_preset(&copy, &text, error);
    if (status == SAM_OK && strstr(text, "preset="))
        status = sam_fail(error, SAM_ERR_USAGE,
                          "preset= after another parameter: expected it first, once");
    if (status == SAM_OK)
        status = sam_keys_set(tables, SAM_COUNT(tables), text, error);
    if (status == SAM_OK)
        *config = copy;
    return status;
}

bool sam_gputime_config_get(const struct sam_gputime_config *config, const char *name,
                            uint32_t *value)
{
    struct sam_gputime_config copy = *config;
    for (size_t i = 0; i < SAM_COUNT(keys); i++)
        if (strcmp(keys[i].parameter.name, name) == 0) {
            *value = *field(&copy, i);
            return true;
        }
    return false;
}
