/* SPDX-License-Identifier: Apache-2.0 */
/* The environment variables of the driver. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

/* The value of a variable; NULL if it is unset or empty. */
static const char *variable(const char *name)
{
    const char *value = getenv(name); /* NOLINT(concurrency-mt-unsafe): read once, never changed */
    return value && *value ? value : NULL;
}

static bool read_number(const char *name, unsigned low, unsigned high, unsigned *value)
{
    const char *text = variable(name);
    uint64_t number;
    if (!text)
        return true;
    if (!sam_parse_u64(text, &number) || number < low || number > high)
        return complain("%s=%s: expected a number from %u to %u", name, text, low, high), false;
    *value = (unsigned)number;
    return true;
}

static bool read_switch(const char *name, bool *on)
{
    unsigned value = *on;
    if (!read_number(name, 0, 1, &value))
        return false;
    *on = value != 0;
    return true;
}

static bool read_text(const char *name, char **copy)
{
    const char *value = variable(name);
    if (value && !(*copy = strdup(value)))
        return complain("out of memory"), false;
    return true;
}

/* A variable with one valid word. */
static bool read_word(const char *name, const char *word, bool *on)
{
    const char *value = variable(name);
    *on = value != NULL;
    return !value || strcmp(value, word) == 0 ||
           (complain("%s=%s: expected %s or nothing", name, value, word), false);
}

/* SAMITE_PROFILE=FILE, whose suffix selects the format. */
static bool read_profile(struct environment *e)
{
    enum sam_profile_format format;
    if (!read_text("SAMITE_PROFILE", &e->profile))
        return false;
    return !e->profile ||
           (strcmp(e->profile, "-") != 0 && sam_profile_format_of(e->profile, &format)) ||
           (complain(
                "SAMITE_PROFILE=%s: expected a name that ends in .html, .json, .folded or .txt",
                e->profile),
            false);
}

/* SAMITE_CYCLES=1, or parameters as for `samite run --config`. */
static bool read_cycles(struct environment *e)
{
    const char *text = variable("SAMITE_CYCLES");
    struct sam_error error;
    sam_gputime_config_init(&e->config);
    if (!text || strcmp(text, "0") == 0)
        return true;
    e->cycles = true;
    if (strcmp(text, "1") == 0)
        return true;
    enum sam_status status = sam_gputime_config_read(&e->config, text, &error);
    if (status == SAM_OK)
        status = sam_gputime_config_check(&e->config, &error);
    return status == SAM_OK || (complain("SAMITE_CYCLES=%s: %s", text, error.text), false);
}

bool environment_read(struct environment *e)
{
    enum { MAX_JOBS = 256 };
    *e = (struct environment){.jobs = 1};
    bool good =
        read_number("SAMITE_JOBS", 1, MAX_JOBS, &e->jobs) && read_switch("SAMITE_SV39", &e->sv39) &&
        read_switch("SAMITE_STATS", &e->stats) && read_switch("SAMITE_ABORT", &e->abort) &&
        read_word("SAMITE_BOUNDS", "strict", &e->strict) && read_text("SAMITE_LOG", &e->log) &&
        read_text("SAMITE_RECORD", &e->record) && read_profile(e) && read_cycles(e);
    if (e->log && strcmp(e->log, "auto") == 0) {
        e->log_each = true;
        free(e->log);
        e->log = NULL;
    }
    if (!good)
        environment_free(e);
    return good;
}

void environment_free(struct environment *e)
{
    free(e->log);
    free(e->record);
    free(e->profile);
    *e = (struct environment){0};
}
