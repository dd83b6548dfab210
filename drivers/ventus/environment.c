/* SPDX-License-Identifier: Apache-2.0 */
/* The environment variables of the driver. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

/* The value of a variable; NULL when it is absent or empty. */
static const char *variable(const char *name)
{
    const char *value = getenv(name); /* NOLINT(concurrency-mt-unsafe): nobody changes it here */
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

/* What an option of `samite run` can do and this library cannot. */
static bool is_absent(const char *name)
{
    return !variable(name) || (complain("%s: not available in the driver", name), false);
}

bool environment_read(struct environment *e)
{
    enum { MAX_JOBS = 256 };
    *e = (struct environment){.jobs = 1};
    bool good = read_number("SAMITE_JOBS", 1, MAX_JOBS, &e->jobs) &&
                read_switch("SAMITE_SV39", &e->sv39) && read_switch("SAMITE_STATS", &e->stats) &&
                read_text("SAMITE_LOG", &e->log) && read_text("SAMITE_RECORD", &e->record) &&
                is_absent("SAMITE_PROFILE") && is_absent("SAMITE_CYCLES");
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
    *e = (struct environment){0};
}
