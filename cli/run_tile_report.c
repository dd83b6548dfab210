/* SPDX-License-Identifier: Apache-2.0 */
/* What a tile program did: for people, and as JSON. */
#include <inttypes.h>

#include "run_tile_report.h"

static const char *op_name(size_t index)
{
    struct sam_tile_op_text op = {0};
    sam_tile_op_describe(index, &op);
    return op.name;
}

void run_tile_report_stats(const struct sam_tile_stats *s, FILE *text)
{
    fprintf(text, "operations      %12" PRIu64 "\n", s->ops);
    fprintf(text, "on tiles        %12" PRIu64 " %14" PRIu64 " elements\n", s->tile_ops,
            s->elements);
    for (size_t i = 0; i < SAM_TILE_OPS; i++)
        if (s->by_op[i].ops)
            fprintf(text, "  %-16s %9" PRIu64 " %14" PRIu64 "\n", op_name(i), s->by_op[i].ops,
                    s->by_op[i].elements);
    for (int i = 0; i < SAM_TILE_PIPES; i++)
        if (s->by_pipe[i].ops)
            fprintf(text, "pipe %-10s %12" PRIu64 " %14" PRIu64 "\n",
                    sam_tile_pipe_name((enum sam_tile_pipe)i), s->by_pipe[i].ops,
                    s->by_pipe[i].elements);
    fprintf(text, "bytes loaded    %12" PRIu64 "\n", s->loaded);
    fprintf(text, "bytes stored    %12" PRIu64 "\n", s->stored);
    for (int i = 0; i < SAM_TILE_LOCS; i++)
        if (s->highest[i])
            fprintf(text, "%-5s up to     %12" PRIu64 " bytes\n",
                    sam_tile_loc_name((enum sam_tile_loc)i), s->highest[i]);
}

static json_t *count_json(const struct sam_tile_count *c)
{
    return json_pack("{s:I, s:I}", "count", (json_int_t)c->ops, "elements",
                     (json_int_t)c->elements);
}

int run_tile_report_json(const struct run_tile_outcome *o)
{
    const struct sam_tile_stats *s = o->stats;
    json_t *ops = json_object(), *pipes = json_object(), *memories = json_object();
    bool good = ops && pipes && memories;
    for (size_t i = 0; good && i < SAM_TILE_OPS; i++)
        good = !s->by_op[i].ops || cli_json_set(ops, op_name(i), count_json(&s->by_op[i]));
    for (int i = 0; good && i < SAM_TILE_PIPES; i++)
        good = cli_json_set(pipes, sam_tile_pipe_name((enum sam_tile_pipe)i),
                            count_json(&s->by_pipe[i]));
    for (int i = 0; good && i < SAM_TILE_LOCS; i++)
        good = cli_json_set(memories, sam_tile_loc_name((enum sam_tile_loc)i),
                            json_integer((json_int_t)s->highest[i]));
    const char *end = o->status == SAM_OK            ? "done"
                      : o->status == SAM_ERR_STOPPED ? "stopped"
                                                     : "failed";
    json_t *root =
        json_pack("{s:o?, s:o?, s:s, s:o?, s:f, s:I, s:I, s:I, s:I, s:I, s:o?, s:o?, s:o?, s:O?}",
                  "program", cli_json_text(o->path), "function", cli_json_text(o->function), "end",
                  end, "error", o->status == SAM_OK ? NULL : cli_json_text(o->error->text),
                  "seconds", o->seconds, "operations", (json_int_t)s->ops, "tile_operations",
                  (json_int_t)s->tile_ops, "elements", (json_int_t)s->elements, "bytes_loaded",
                  (json_int_t)s->loaded, "bytes_stored", (json_int_t)s->stored, "ops", ops, "pipes",
                  pipes, "memories", memories, "checks", o->checks);
    if (good)
        return cli_json_print(root);
    json_decref(root);
    return cli_no_memory();
}
