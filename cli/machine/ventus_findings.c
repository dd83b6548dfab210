/* SPDX-License-Identifier: Apache-2.0 */
/* `--findings FILE`: the findings of --sanitize as a page, with the source around each side. */
#include <stdlib.h>
#include <sys/stat.h>

#include "machine/machine.h"

enum { SHOWN = 200, AROUND = 2, MOST_SOURCE = 1 << 22 };

/* ---------------------------------------------------------------------------------- overview */

/* How often in the first column, over a bar. */
static void put_overview(FILE *out, const json_t *findings)
{
    json_int_t most = 1;
    const json_t *row;
    size_t i;
    json_array_foreach(findings, i, row) most =
        cli_json_integer(row, "count", 0) > most ? cli_json_integer(row, "count", 0) : most;
    fprintf(out, "<h2>Overview</h2>\n<div class=\"wide\"><table>\n<thead><tr><th>times</th>"
                 "<th class=\"at\">check</th><th class=\"at\">finding</th>"
                 "<th class=\"at\">at</th><th>memory</th></tr></thead>\n<tbody>\n");
    json_array_foreach(findings, i, row)
    {
        const json_t *side = json_array_get(json_object_get(row, "sides"), 0);
        const char *file = cli_json_text(side, "file", "");
        const json_int_t count = cli_json_integer(row, "count", 0);
        if (i == SHOWN)
            break;
        fprintf(out,
                "<tr><td class=\"p\" style=\"--w:%.1f\">%lld</td><td class=\"at\">%s</td>"
                "<td class=\"at\"><a href=\"#f%zu\">%s</a></td><td class=\"at\">",
                100.0 * (double)count / (double)most, (long long)count,
                cli_json_text(row, "check", ""), i, cli_json_text(row, "kind", ""));
        sam_tree_page_escape(out, *file ? cli_base_name(file) : cli_json_text(side, "symbol", ""));
        if (*file)
            fprintf(out, ":%lld", (long long)cli_json_integer(side, "line", 0));
        fprintf(out, "</td><td>");
        sam_tree_page_escape(out, cli_json_text(row, "place", ""));
        fprintf(out, "</td></tr>\n");
    }
    fprintf(out, "</tbody></table></div>\n");
}

/* ---------------------------------------------------------------------------------- a finding */

/* The lines around one; nothing if the file cannot be read. */
static void put_source(FILE *out, const char *path, json_int_t line)
{
    struct stat status;
    char *text = NULL;
    size_t size = 0;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || /* never block on a pipe */
        sam_file_load(path, MOST_SOURCE, &text, &size, NULL) != SAM_OK)
        return;
    fprintf(out, "<pre>");
    const char *at = text;
    for (json_int_t i = 1; *at && i <= line + AROUND; i++) {
        const size_t length = strcspn(at, "\n");
        char *copy = i >= line - AROUND ? strndup(at, length) : NULL;
        if (copy) {
            fprintf(out, i == line ? "<strong>&gt;%5lld  " : " %5lld  ", (long long)i);
            sam_tree_page_escape(out, copy);
            fprintf(out, i == line ? "</strong>\n" : "\n");
        }
        free(copy);
        at += length + (at[length] == '\n');
    }
    fprintf(out, "</pre>\n");
    free(text);
}

static void put_side(FILE *out, const json_t *side)
{
    const json_t *lane = json_object_get(side, "lane");
    const char *file = cli_json_text(side, "file", ""), *access = cli_json_text(side, "access", "");
    fprintf(out, "<p><strong>%s</strong> by workgroup %lld, warp %lld",
            *access ? access : "executed", (long long)cli_json_integer(side, "workgroup", 0),
            (long long)cli_json_integer(side, "warp", 0));
    if (lane)
        fprintf(out, ", lane %lld", (long long)json_integer_value(lane));
    fprintf(out, ": <code>");
    sam_tree_page_escape(out, cli_json_text(side, "text", ""));
    fprintf(out, "</code> at 0x%llx, ", (unsigned long long)cli_json_integer(side, "pc", 0));
    sam_tree_page_escape(out, cli_json_text(side, "symbol", ""));
    if (*file) {
        fprintf(out, ", ");
        sam_tree_page_escape(out, file);
        fprintf(out, ":%lld", (long long)cli_json_integer(side, "line", 0));
    }
    fprintf(out, "</p>\n");
    if (*file)
        put_source(out, file, cli_json_integer(side, "line", 0));
}

static void put_finding(FILE *out, const json_t *row, size_t number)
{
    static const char *const registers[] = {"used", "unwritten"};
    const json_t *side, *near = json_object_get(row, "near");
    size_t i;
    fprintf(out, "<h2 id=\"f%zu\">%s</h2>\n<p class=\"result\">%s", number,
            cli_json_text(row, "kind", ""), cli_json_text(row, "check", ""));
    if (json_object_get(row, "address")) {
        fprintf(out, ", %lld bytes at 0x%llx, ", (long long)cli_json_integer(row, "size", 0),
                (unsigned long long)cli_json_integer(row, "address", 0));
        sam_tree_page_escape(out, cli_json_text(row, "place", ""));
    }
    for (i = 0; i < 2; i++)
        if (json_object_get(row, registers[i]))
            fprintf(out, ", %s register %s", registers[i], cli_json_text(row, registers[i], ""));
    if (near) {
        fprintf(out, ", near ");
        sam_tree_page_escape(out, cli_json_text(near, "name", ""));
    }
    const json_int_t count = cli_json_integer(row, "count", 0);
    fprintf(out, ": %lld time%s</p>\n", (long long)count, count == 1 ? "" : "s");
    json_array_foreach(json_object_get(row, "sides"), i, side) put_side(out, side);
}

static const char legend[] =
    "<h2 id=\"legend\">Legend</h2>\n<table><tbody>\n"
    "<tr><td class=\"at\">race</td><td>accesses to the same byte that nothing orders</td></tr>\n"
    "<tr><td class=\"at\">init</td><td>use of what nothing has written</td></tr>\n"
    "<tr><td class=\"at\">bounds</td><td>accesses outside what the launch declares</td></tr>\n"
    "<tr><td class=\"at\">sync</td><td>barriers and joins that some warps or lanes never "
    "reach</td></tr>\n"
    "<tr><td class=\"at\">times</td><td>findings of one kind with the same instructions are one; "
    "the bar is its share of the most frequent</td></tr>\n</tbody></table>\n</body></html>\n";

int ventus_write_findings(struct run *run)
{
    const struct ventus *v = run->ventus;
    const size_t count = json_array_size(v->findings), shown = count < SHOWN ? count : SHOWN;
    char *text = NULL, *head;
    size_t size = 0;
    if (!v->asked->findings)
        return CLI_OK;
    FILE *out = open_memstream(&text, &size);
    head = sam_tree_page_head("Findings",
                              v->asked->kernel ? v->asked->kernel : run->request->files.items[0]);
    if (out && head) {
        fputs(head, out);
        fprintf(out, "<p>%zu finding%s%s; samite %s</p>\n", count, count == 1 ? "" : "s",
                count > SHOWN ? ", the first 200 of which follow" : "", sam_version());
        if (count)
            put_overview(out, v->findings);
        for (size_t i = 0; i < shown; i++)
            put_finding(out, json_array_get(v->findings, i), i);
        fputs(legend, out);
    }
    const bool good = out && head && !ferror(out);
    const bool closed = out && fclose(out) == 0;
    int code = good && closed ? cli_code(sam_file_save(v->asked->findings, text, size, &run->error),
                                         &run->error)
                              : cli_no_memory();
    free(head);
    free(text);
    return code;
}
