/* SPDX-License-Identifier: Apache-2.0 */
/* `--check-races`: races between the units of a system. */
#include "machine/system.h"

static json_t *side_of(const struct sam_system_race_side *side)
{
    json_t *row = report_text(json_object(), "unit", sam_system_agent_name(side->agent));
    row = report_text(row, "access", sam_system_access_name(side->access));
    if (side->has_pc)
        row = report_count(row, "pc", side->pc);
    if (side->agent < SAM_SYSTEM_BY_GPU)
        return row;
    row = report_count(row, "number", side->number);
    row = report_count(row, "record", side->record);
    return report_count(row, "submitted_pc", side->submitted_pc);
}

json_t *system_report_races(const struct sam_system *system, json_t *report)
{
    size_t count;
    uint64_t dropped;
    const struct sam_system_race *races = sam_system_races(system, &count, &dropped);
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *row = report_count(json_object(), "address", races[i].address);
        row = report_count(row, "size", races[i].size);
        row = report_count(row, "low", races[i].low);
        row = report_count(row, "high", races[i].high);
        row = report_count(row, "count", races[i].count);
        row = report_set(row, "access", side_of(&races[i].access));
        rows = report_add(rows, report_set(row, "in_flight", side_of(&races[i].in_flight)));
    }
    return report_count(report_set(report, "races", rows), "races_dropped", dropped);
}

int system_print_races(const struct sam_system *system, FILE *text)
{
    struct sam_error error;
    size_t count;
    char *races;
    sam_system_races(system, &count, NULL);
    if (count == 0)
        return CLI_OK;
    if (sam_system_print_races(system, 0, &races, &error) != SAM_OK)
        return cli_report(&error);
    fflush(text);
    fputs(races, stderr);
    sam_text_free(races);
    return CLI_PROGRAM_FAILED;
}
