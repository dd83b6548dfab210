/* SPDX-License-Identifier: Apache-2.0 */
/* samite logdiff: compare the commit logs of two runs. */
#include <stdlib.h>

#include "cli.h"
#include "report.h"
#include "samite/samite.h"

#define MAX_LOG (UINT64_C(64) << 30)

struct request {
    struct cli_list files;
    unsigned common;
    bool json, quiet;
};

/* A line of a log, safe to print; tabs become blanks. */
static struct cli_plain line_text(const struct sam_log_line *line)
{
    struct cli_plain text;
    snprintf(text.text, sizeof text.text, "%.*s", (int)(line->size < 1000 ? line->size : 1000),
             line->text ? line->text : "");
    for (char *at = text.text; *at; at++)
        *at = *at == '\t' ? ' ' : *at;
    return cli_plain(text.text);
}

static void print_side(const char *path, const struct sam_logdiff_side *side)
{
    const char *before = "; ignored: ";
    printf("%s: %zu %s of %zu warp%s", cli_plain(path).text, side->records,
           side->form == SAM_LOG_ISA ? "instructions" : "register writes", side->warps,
           side->warps == 1 ? "" : "s");
    for (enum sam_log_ignored kind = 0; kind < SAM_LOG_IGNORED_KINDS; kind++) {
        if (!side->ignored[kind])
            continue;
        printf("%s%s %zu", before, sam_log_ignored_name(kind), side->ignored[kind]);
        if (kind == SAM_LOG_OTHER)
            printf(" (from line %zu)", side->first_other);
        before = ", ";
    }
    putchar('\n');
}

/* "warp 2 of workgroup 5,0,0" */
static void warp_text(const struct sam_logdiff *diff, char *text, size_t size)
{
    if (diff->has_group)
        snprintf(text, size, "warp %u of workgroup %u,%u,%u", diff->warp, diff->group[0],
                 diff->group[1], diff->group[2]);
    else if (diff->workgroup)
        snprintf(text, size, "warp %u, workgroup %u of its core", diff->warp, diff->workgroup);
    else
        snprintf(text, size, "warp %u", diff->warp);
}

static void print_difference(const struct request *r, const struct sam_logdiff *diff)
{
    char warp[96];
    size_t shown = diff->common_count < r->common ? diff->common_count : r->common;
    warp_text(diff, warp, sizeof warp);
    printf("%s: %s\n", warp, diff->what);
    for (size_t i = diff->common_count - shown; i < diff->common_count; i++)
        printf("  %8zu  %s\n", diff->common[i].line, line_text(&diff->common[i]).text);
    for (int side = 0; side < 2; side++) {
        const struct sam_log_line *line = &diff->side[side].line;
        if (line->line)
            printf("%c %8zu  %s\n", side ? '>' : '<', line->line, line_text(line).text);
        else
            printf("%c %8s  (none)\n", side ? '>' : '<', "");
    }
    printf("%zu of %zu warps differ", diff->differing, diff->compared);
    for (int side = 0; side < 2; side++)
        if (diff->only[side])
            printf("; %zu only in %s", diff->only[side], cli_plain(r->files.items[side]).text);
    putchar('\n');
}

static json_t *line_of(const struct sam_log_line *line)
{
    if (!line->line)
        return json_null();
    return REPORT(COUNT("line", line->line), TEXT("text", line_text(line).text));
}

static json_t *side_of(const char *path, const struct sam_logdiff_side *side, size_t only)
{
    json_t *ignored = json_object();
    for (enum sam_log_ignored kind = 0; kind < SAM_LOG_IGNORED_KINDS; kind++) {
        char key[32];
        snprintf(key, sizeof key, "%s", sam_log_ignored_name(kind));
        for (char *at = key; *at; at++)
            *at = *at == ' ' ? '_' : *at;
        if (side->ignored[kind])
            ignored = report_count(ignored, key, side->ignored[kind]);
    }
    return REPORT(TEXT("file", path), TEXT("form", side->form == SAM_LOG_ISA ? "isa" : "rtl"),
                  COUNT("records", side->records), COUNT("warps", side->warps), COUNT("only", only),
                  TREE("ignored", ignored));
}

static json_t *difference_of(const struct request *r, const struct sam_logdiff *diff)
{
    const uint64_t group[] = {diff->group[0], diff->group[1], diff->group[2]};
    json_t *common = json_array();
    size_t shown = diff->common_count < r->common ? diff->common_count : r->common;
    for (size_t i = diff->common_count - shown; i < diff->common_count; i++)
        common = report_add(common, line_of(&diff->common[i]));
    json_t *root = REPORT(COUNT("warp", diff->warp), COUNT("workgroup", diff->workgroup),
                          TEXT("what", diff->what), TREE("common", common),
                          TREE("first", line_of(&diff->side[0].line)),
                          TREE("second", line_of(&diff->side[1].line)));
    return diff->has_group ? report_set(root, "group", report_numbers(group, 3)) : root;
}

static int print_json(const struct request *r, const struct sam_logdiff *diff)
{
    json_t *root = report_flag(json_object(), "equal", diff->equal), *logs = json_array();
    for (int side = 0; side < 2; side++)
        logs = report_add(logs, side_of(r->files.items[side], &diff->side[side], diff->only[side]));
    root = REPORT_MORE(root, COUNT("compared", diff->compared), COUNT("differing", diff->differing),
                       TREE("logs", logs));
    if (!diff->equal)
        root = report_set(root, "difference", difference_of(r, diff));
    return cli_json_print(root);
}

static int print_text(const struct request *r, const struct sam_logdiff *diff)
{
    for (int side = 0; side < 2 && !r->quiet; side++)
        print_side(r->files.items[side], &diff->side[side]);
    if (!diff->equal)
        print_difference(r, diff);
    else if (!r->quiet)
        printf("equal: %zu warp%s\n", diff->compared, diff->compared == 1 ? "" : "s");
    return CLI_OK;
}

static int compare(const struct request *r, char *texts[2])
{
    const char *const *paths = r->files.items;
    struct sam_error error;
    struct sam_logdiff diff;
    const char *names[2];
    size_t sizes[2];
    for (int side = 0; side < 2; side++) {
        names[side] = cli_input_name(paths[side]);
        if (sam_file_load(paths[side], MAX_LOG, &texts[side], &sizes[side], &error) != SAM_OK)
            return cli_report(&error);
    }
    if (sam_log_compare(texts[0], sizes[0], names[0], texts[1], sizes[1], names[1], &diff,
                        &error) != SAM_OK)
        return cli_report(&error);
    int code = r->json ? print_json(r, &diff) : print_text(r, &diff);
    return code == CLI_OK && !diff.equal ? CLI_PROGRAM_FAILED : code;
}

static int run(struct cli_args *args)
{
    struct request r = {.common = 3};
    char *texts[2] = {NULL, NULL};
    int code = cli_read(args, &r);
    if (code != CLI_OK)
        return code;
    if (cli_is_stdio(r.files.items[0]) && cli_is_stdio(r.files.items[1]))
        return cli_usage_error(args, "both logs are standard input: expected at most one");
    code = compare(&r, texts);
    free(texts[0]);
    free(texts[1]);
    return code;
}

static const struct cli_option options[] = {
    CLI_ROW(struct request, common, "context", CLI_NUMBER, "N",
            "records shown that both logs have before the difference: 0 to 16 (3)",
            .high = SAM_LOGDIFF_COMMON),
    CLI_JSON(struct request, json, "print the result as JSON"),
    CLI_QUIET(struct request, quiet, "print only the difference"),
    {0},
};

const struct cli_verb verb_logdiff = {
    .name = "logdiff",
    .summary = "compare the commit logs of two runs, warp by warp",
    .usage = "[options] FIRST SECOND",
    .options = options,
    .operand = CLI_OPERAND(struct request, files, "log", CLI_LIST, 2, 2, ".log"),
    .details =
        "Reads the logs of samite run --trace, of the public instruction simulator, and of the\n"
        "RTL or the cycle simulator (a line per register write), in any combination and with\n"
        "their warps in any order. Compares pc, instruction, registers, lane masks and memory;\n"
        "with a log of the hardware, each register's writes in their order, active lanes only.\n"
        "Prints what was ignored and the first difference with the lines before it.\n\n"
        "Exit status: 0 when the logs are equal, 1 when they differ, 2 when one cannot be read.\n",
    .examples = "  samite run vecadd.metadata vecadd.data --pds shared --trace=ours.log\n"
                "  samite logdiff ours.log vecadd.log\n"
                "  samite logdiff --json --context 8 vecadd.log rtl.log\n",
    .run = run,
};
