/* SPDX-License-Identifier: Apache-2.0 */
/* The report of races as text. */
#include "machine/machine.h"
#include "system/race.h"

enum { TOP = 20 };

struct report {
    struct sam_buffer *out;
    const struct sam_image *(*image_of)(void *context, enum sam_system_agent agent, uint64_t pc);
    void *context;
};

const char *sam_system_access_name(enum sam_system_access access)
{
    static const char *const names[] = {"load", "store", "atomic", "fetch"};
    return (unsigned)access < SAM_COUNT(names) ? names[access] : "";
}

/* By enum sam_system_agent: the unit, and a record of its queue. */
static const struct {
    const char *name, *submitted;
} agents[SAM_SYSTEM_AGENTS] = {
#define SAM_UNIT(AGENT, name)                                             {name, NULL},
#define SAM_QUEUE(AGENT, QUEUE, record, name, figures, work, status, ...) {name, work},
#include "samite/device/units.def"
};

const char *sam_system_agent_name(enum sam_system_agent agent)
{
    return (unsigned)agent < SAM_COUNT(agents) ? agents[agent].name : "";
}

/* "pc 0x40000010 <main+0x10> (file:line)" */
static void put_pc(const struct report *r, enum sam_system_agent agent, uint64_t pc)
{
    const struct sam_image *image = r->image_of(r->context, agent, pc);
    uint32_t line = 0;
    sam_fault_put_pc(r->out, image, pc, 8);
    const char *file = image ? sam_image_line_at(image, pc, &line) : NULL;
    if (!file)
        return;
    sam_buffer_puts(r->out, " (");
    sam_buffer_plain(r->out, file, strlen(file), ' ');
    sam_buffer_printf(r->out, ":%u)", line);
}

static void put_side(const struct report *r, const struct sam_system_race_side *side)
{
    const char *submitted = agents[side->agent].submitted;
    const unsigned long long number = side->number, record = side->record;
    sam_buffer_printf(r->out, "  %s by ", sam_system_access_name(side->access));
    if (submitted)
        sam_buffer_printf(r->out, "%s %llu", submitted, number);
    else
        sam_buffer_printf(r->out, "the %s", sam_system_agent_name(side->agent));
    if (side->has_pc) {
        sam_buffer_puts(r->out, " at ");
        put_pc(r, side->agent, side->pc);
    }
    if (!submitted)
        return;
    sam_buffer_printf(r->out, "%s at 0x%08llx, submitted at ",
                      side->agent == SAM_SYSTEM_BY_GPU ? ", record" : "", record);
    put_pc(r, SAM_SYSTEM_BY_HART, side->submitted_pc);
}

static void put_race(const struct report *r, const struct sam_system_race *race)
{
    sam_buffer_printf(r->out, "race: %llu byte%s at 0x%08llx", (unsigned long long)race->size,
                      race->size == 1 ? "" : "s", (unsigned long long)race->address);
    if (race->size > 1)
        sam_buffer_printf(r->out, " to 0x%08llx",
                          (unsigned long long)(race->address + race->size - 1));
    const bool more = race->low < race->address || race->high >= race->address + race->size;
    if (race->count > 1)
        sam_buffer_printf(r->out, ", %llu times", (unsigned long long)race->count);
    if (more)
        sam_buffer_printf(r->out, " between 0x%08llx and 0x%08llx", (unsigned long long)race->low,
                          (unsigned long long)race->high);
    sam_buffer_puts(r->out, "\n");
    put_side(r, &race->access);
    sam_buffer_puts(r->out, "\n");
    put_side(r, &race->in_flight);
    sam_buffer_puts(r->out, ", not waited for\n");
}

void sam_system_races_put(struct sam_buffer *out, const struct sam_system_races *races,
                          const struct sam_image *(*image_of)(void *context,
                                                              enum sam_system_agent agent,
                                                              uint64_t pc),
                          void *context, unsigned top)
{
    const struct report r = {out, image_of, context};
    uint64_t dropped;
    size_t count;
    const struct sam_system_race *found = sam_system_races_found(races, &count, &dropped);
    const size_t shown = top ? top : TOP;
    for (size_t i = 0; i < count && i < shown; i++)
        put_race(&r, &found[i]);
    const uint64_t more = dropped + (count > shown ? count - shown : 0);
    if (more)
        sam_buffer_printf(out, "%llu more race%s\n", (unsigned long long)more,
                          more == 1 ? "" : "s");
}
