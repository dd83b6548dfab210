/* SPDX-License-Identifier: Apache-2.0 */
/* `--check-races`: races between the units of a system. */
#include "machine/system.h"

static json_t *side_of(const struct sam_system_race_side *side)
{
    json_t *row = REPORT(TEXT("unit", sam_system_agent_name(side->agent)),
                         TEXT("access", sam_system_access_name(side->access)));
    if (side->has_pc)
        row = report_count(row, "pc", side->pc);
    if (side->agent < SAM_SYSTEM_BY_GPU)
        return row;
    return REPORT_MORE(row, COUNT("number", side->number), COUNT("record", side->record),
                       COUNT("submitted_pc", side->submitted_pc));
}

json_t *system_report_races(const struct sam_system *system, json_t *report)
{
    size_t count;
    uint64_t dropped;
    const struct sam_system_race *races = sam_system_races(system, &count, &dropped);
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++) {
        rows = report_add(rows, REPORT(COUNT("address", races[i].address),
                                       COUNT("size", races[i].size), COUNT("low", races[i].low),
                                       COUNT("high", races[i].high), COUNT("count", races[i].count),
                                       TREE("access", side_of(&races[i].access)),
                                       TREE("in_flight", side_of(&races[i].in_flight))));
    }
    return REPORT_MORE(report, TREE("races", rows), COUNT("races_dropped", dropped));
}

int system_print_races(const struct sam_system *system, FILE *text)
{
    struct sam_error error;
    size_t count;
    char *races = NULL;
    sam_system_races(system, &count, NULL);
    if (count == 0)
        return CLI_OK;
    fflush(text);
    return cli_print_text(sam_system_print_races(system, 0, &races, &error), &races, &error, stderr)
               ?: CLI_PROGRAM_FAILED;
}
