/* SPDX-License-Identifier: Apache-2.0 */
/* The report on a tile program. */
#include <inttypes.h>

#include "machine/tile.h"

static const char *op_name(size_t index)
{
    struct sam_tile_op_text op = {0};
    sam_tile_op_describe(index, &op);
    return op.name;
}

static json_t *count(const struct sam_tile_count *c)
{
    return REPORT(COUNT("count", c->ops), COUNT("elements", c->elements));
}

json_t *tile_report(const char *path, const char *function, enum sam_status status,
                    const struct sam_error *error, const struct sam_tile_stats *s, double seconds)
{
    static const struct report_field fields[] = {
        REPORT_FIELD_AS("operations", struct sam_tile_stats, ops),
        REPORT_FIELD_AS("tile_operations", struct sam_tile_stats, tile_ops),
        REPORT_FIELD(struct sam_tile_stats, elements),
        REPORT_FIELD_AS("bytes_loaded", struct sam_tile_stats, loaded),
        REPORT_FIELD_AS("bytes_stored", struct sam_tile_stats, stored),
        {0},
    };
    json_t *ops = json_object(), *pipes = json_object(), *memories = json_object();
    for (size_t i = 0; i < SAM_TILE_OPS; i++)
        if (s->by_op[i].ops)
            ops = report_set(ops, op_name(i), count(&s->by_op[i]));
    for (int i = 0; i < SAM_TILE_PIPES; i++)
        pipes = report_set(pipes, sam_tile_pipe_name((enum sam_tile_pipe)i), count(&s->by_pipe[i]));
    for (int i = 0; i < SAM_TILE_LOCS; i++)
        memories = report_count(memories, sam_tile_loc_name((enum sam_tile_loc)i), s->highest[i]);
    json_t *root =
        REPORT(TEXT("program", path), TEXT("function", function),
               TEXT("end", status == SAM_OK            ? "done"
                           : status == SAM_ERR_STOPPED ? "stopped"
                                                       : "failed"),
               TEXT("error", status == SAM_OK ? NULL : error->text), REAL("seconds", seconds));
    root = report_fields(root, fields, s);
    return REPORT_MORE(root, TREE("ops", ops), TREE("pipes", pipes), TREE("memories", memories));
}

void tile_print_end(const json_t *report, bool done, FILE *text)
{
    report_print(text, "{program}", report);
    report_print(text, "?function  @{function}", report);
    report_print(text,
                 done ? ": done, {operations} operations ({tile_operations} on tiles)\n"
                      : ": FAILED, {operations} operations ({tile_operations} on tiles)\n",
                 report);
}

const char tile_stats[] = "operations      {operations:12}\n"
                          "on tiles        {tile_operations:12} {elements:14} elements\n"
                          "*ops   {key:-16} {count:9} {elements:14}\n"
                          "*pipes?count pipe {key:-10} {count:12} {elements:14}\n"
                          "bytes loaded    {bytes_loaded:12}\n"
                          "bytes stored    {bytes_stored:12}\n"
                          "*memories?value {key:-5} up to     {value:12} bytes\n";
