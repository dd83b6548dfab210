/* SPDX-License-Identifier: Apache-2.0 */
/* `samite sweep --config`: parameters with several values, settings of all runs from files, and
 * the configuration of a run. */
#include "machine/system.h"
#include "sweep/sweep.h"

static int list_parameters(const struct cli_args *args)
{
    const int machine = cli_asked_form(args);
    const bool asked = machine >= 0;
    if (!asked || machine == RUN_TENSOR)
        tensor_settings.list();
    if (!asked)
        printf("\nLaunches on the GPU (--machine ventus):\n");
    if (!asked || machine == RUN_VENTUS)
        ventus_settings.list();
    if (!asked)
        printf("\nThe system (--machine system):\n");
    if (!asked || machine == SWEEP_SYSTEM)
        system_settings.list();
    return CLI_SHOWN;
}

/* ------------------------------------------------------------------------------ the words */

/* The settings of a file follow those of earlier files. */
static enum sam_status add_base(void *context, const char *settings, struct sam_error *error)
{
    struct sweep *s = context;
    const char *before = s->base ? s->base : "";
    const size_t size = strlen(before) + strlen(settings) + 2;
    char *base = cli_own(s->args, 1, size);
    if (!base) {
        cli_fail_memory(error);
        return SAM_ERR_MEMORY;
    }
    snprintf(base, size, "%s%s%s", before, *before && *settings ? "," : "", settings);
    s->base = base;
    return SAM_OK;
}

/* Those of the GPU, of the hart and of the system. */
const struct cli_settings sweep_parameters = {.set = add_base,
                                              .tables = {sam_gputime_parameter,
                                                         sam_engines_parameter, sam_mxu_parameter,
                                                         sam_energy_parameter},
                                              .prefixed = sam_system_parameter};

/* "mpara=2,4,8" */
static int add_axis(struct cli_args *args, const char *text, struct sweep *s)
{
    const char *equals = strchr(text, '=');
    if (equals == text || equals - text >= 32 || s->axis_count == SWEEP_AXES)
        return cli_usage_error(args, "--config %s: expected KEY=VALUE,VALUE,... for up to %d keys",
                               text, SWEEP_AXES);
    struct sweep_axis *axis = &s->axes[s->axis_count++];
    snprintf(axis->name, sizeof axis->name, "%.*s", (int)(equals - text), text);
    for (const struct sweep_axis *other = s->axes; other < axis; other++)
        if (strcmp(other->name, axis->name) == 0)
            return cli_usage_error(args,
                                   "--config %s: %s is given before: expected all its values "
                                   "in one --config, %s=V,V,...",
                                   text, axis->name, axis->name);
    for (const char *at = equals + 1; at; at = strchr(at, ',')) {
        at += *at == ',';
        const size_t size = strcspn(at, ",");
        if (axis->count == SWEEP_VALUES || size == 0 || size >= sizeof axis->values[0])
            return cli_usage_error(args, "--config %s: up to %d values, none empty", text,
                                   SWEEP_VALUES);
        snprintf(axis->values[axis->count++], sizeof axis->values[0], "%.*s", (int)size, at);
    }
    return CLI_OK;
}

int sweep_parse_config(struct cli_args *args, const struct cli_option *option, const char *text,
                       void *sweep)
{
    struct sweep *s = sweep;
    s->args = args;
    if (strcmp(text, "help") == 0)
        return list_parameters(args);
    return strchr(text, '=') ? add_axis(args, text, s) : cli_read_settings(args, option, text, s);
}

/* ---------------------------------------------------------------------- configurations */

/* "mpara=4" */
struct word {
    char text[80];
};

static struct word word_of(const struct sweep_axis *axis, unsigned value)
{
    struct word word;
    snprintf(word.text, sizeof word.text, "%s=%s", axis->name, axis->values[value]);
    return word;
}

/* A configuration of the machine of the sweep. */
struct one {
    struct sam_gputime_config gpu;
    struct hart_request hart;
    struct sam_system_config *system;
    cli_set *set;
    void *config;
};

/* `one` with the defaults. */
static enum sam_status open_one(const struct sweep *s, struct one *one, struct sam_error *error)
{
    *one = (struct one){.set = tensor_settings.set, .config = &one->hart};
    sam_gputime_config_init(&one->gpu);
    sam_engines_defaults(&one->hart.engines);
    sam_mxu_config_init(&one->hart.mxu, 512);
    if (s->gpu) {
        one->set = ventus_settings.set;
        one->config = &one->gpu;
    }
    if (!s->system)
        return SAM_OK;
    const enum sam_status status = sam_system_config_new(&one->system, error);
    one->set = system_settings.set;
    one->config = one->system;
    return status;
}

/* Each single value is a valid one of its parameter, as are the settings of files. */
int sweep_check_values(const struct sweep *s, const struct cli_args *args)
{
    struct one one;
    struct sam_error error;
    int code = CLI_OK;
    if (open_one(s, &one, &error) != SAM_OK)
        return cli_report(&error);
    if (s->base && one.set(one.config, s->base, &error) != SAM_OK)
        code = cli_refuse_settings(args, "", &error);
    sam_system_config_free(one.system);
    for (unsigned a = 0; code == CLI_OK && a < s->axis_count; a++)
        for (unsigned v = 0; code == CLI_OK && v < s->axes[a].count; v++) {
            const struct word word = word_of(&s->axes[a], v);
            if (open_one(s, &one, &error) != SAM_OK)
                code = cli_report(&error);
            else if (one.set(one.config, word.text, &error) != SAM_OK)
                code = cli_refuse_settings(args, "", &error);
            sam_system_config_free(one.system);
        }
    for (unsigned a = 0; code == CLI_OK && s->base && a < s->axis_count; a++)
        if (strcmp(s->axes[a].name, "preset") == 0 && strncmp(s->base, "preset=", 7) == 0)
            code = cli_usage_error(args,
                                   "--config preset=%s,...: a file has a preset, too: expected one "
                                   "of them",
                                   s->axes[a].values[0]);
    return code;
}

/* A preset precedes the parameters that change it. */
enum sam_status sweep_configure(const struct sweep *s, size_t run, cli_set *set, void *config,
                                struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    for (int presets = 1; presets >= 0; presets--) {
        for (unsigned a = 0; status == SAM_OK && a < s->axis_count; a++) {
            const struct word word = word_of(&s->axes[a], sweep_value(s, run, a));
            if ((strcmp(s->axes[a].name, "preset") == 0) == (presets == 1))
                status = set(config, word.text, error);
        }
        if (status == SAM_OK && presets == 1 && s->base)
            status = set(config, s->base, error);
    }
    return status;
}
