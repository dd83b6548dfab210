/* SPDX-License-Identifier: Apache-2.0 */
/* `samite sweep --config`: parameters with several values, settings of all runs from files, and
 * the configuration of a run. */
#include "sweep/sweep.h"

/* The parameters of the machines, in the order of --config help. */
static const struct form {
    unsigned form;
    const char *heading;
    const struct cli_settings *settings;
} forms[] = {
    {RUN_TENSOR, "", &tensor_settings},
    {RUN_VENTUS, "\nLaunches on the GPU (--machine ventus):\n", &ventus_settings},
    {SWEEP_SYSTEM, "\nThe system (--machine system):\n", &system_settings},
};

static int list_parameters(const struct cli_args *args)
{
    const int asked = cli_asked_form(args);
    for (size_t i = 0; i < SWEEP_FORMS; i++) {
        if (asked >= 0 && (unsigned)asked != forms[i].form)
            continue;
        fputs(asked < 0 ? forms[i].heading : "", stdout);
        forms[i].settings->list();
    }
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
    char value[sizeof axis->values[0] + 1];
    for (const char *at = equals + 1; cli_item(&at, value, sizeof value);) {
        if (axis->count == SWEEP_VALUES || !*value || strlen(value) >= sizeof axis->values[0])
            return cli_usage_error(args, "--config %s: up to %d values, none empty", text,
                                   SWEEP_VALUES);
        memcpy(axis->values[axis->count++], value, sizeof axis->values[0]);
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

/* Set parameters of the machine in a command, at first those of the command line. */
static enum sam_status set(const struct sweep *s, struct run_command *c, const char *settings,
                           struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    switch (s->form) {
    case RUN_VENTUS: return ventus_settings.set(&c->gpu.config, settings, error);
    case RUN_TENSOR: return tensor_settings.set(&c->hart, settings, error);
    default:
        if (!c->system.time.config)
            status = sam_system_config_new(&c->system.time.config, error);
        return status ?: system_settings.set(c->system.time.config, settings, error);
    }
}

/* The settings are valid ones, alone. */
static int check(const struct sweep_request *s, const char *settings)
{
    struct run_command command = s->command;
    struct sam_error error;
    const enum sam_status status = set(&s->sweep, &command, settings, &error);
    sam_system_config_free(command.system.time.config);
    return status == SAM_OK ? CLI_OK : cli_refuse_settings(s->command.run.args, "", &error);
}

/* Each single value is a valid one of its parameter, as are the settings of files. */
int sweep_check_values(const struct sweep_request *request)
{
    const struct sweep *s = &request->sweep;
    int code = s->base ? check(request, s->base) : CLI_OK;
    for (unsigned a = 0; code == CLI_OK && a < s->axis_count; a++)
        for (unsigned v = 0; code == CLI_OK && v < s->axes[a].count; v++)
            code = check(request, word_of(&s->axes[a], v).text);
    for (unsigned a = 0; code == CLI_OK && s->base && a < s->axis_count; a++)
        if (strcmp(s->axes[a].name, "preset") == 0 && strncmp(s->base, "preset=", 7) == 0)
            code = cli_usage_error(s->args,
                                   "--config preset=%s,...: a file has a preset, too: expected one "
                                   "of them",
                                   s->axes[a].values[0]);
    return code;
}

/* A preset precedes the parameters that change it. */
enum sam_status sweep_configure(const struct sweep *s, size_t run, struct run_command *command,
                                struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    for (int presets = 1; presets >= 0; presets--) {
        for (unsigned a = 0; status == SAM_OK && a < s->axis_count; a++) {
            const struct word word = word_of(&s->axes[a], sweep_value(s, run, a));
            if ((strcmp(s->axes[a].name, "preset") == 0) == (presets == 1))
                status = set(s, command, word.text, error);
        }
        if (status == SAM_OK && presets == 1 && s->base)
            status = set(s, command, s->base, error);
    }
    return status;
}
