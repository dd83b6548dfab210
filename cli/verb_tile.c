/* SPDX-License-Identifier: Apache-2.0 */
/* samite tile: tile programs as text, the checker, the plan of the memories. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_args.h"
#include "run_tile.h"
#include "samite/file.h"

enum { OPT_SURFACE = 256, OPT_PROFILE, OPT_PLAN };

struct request {
    const char *what, *out;
    const char **paths; /* room for every word of the command line */
    size_t count;
    enum sam_tile_surface surface;
    enum sam_tile_profile profile;
    bool plan;
};

static int format(const struct request *r, const struct sam_tile_program *program)
{
    struct sam_error error = {0};
    char *text = NULL;
    if (sam_tile_print(program, r->surface, &text, &error) != SAM_OK)
        return cli_report(&error);
    int code = CLI_OK;
    if (sam_file_save(r->out ? r->out : "-", text, strlen(text), &error) != SAM_OK)
        code = cli_report(&error);
    free(text);
    return code;
}

static int check(const struct request *r, const char *path, const struct sam_tile_program *program)
{
    struct sam_error error = {0};
    char *messages = NULL, *text = NULL;
    enum sam_status status = sam_tile_check(program, r->profile, &messages, &error);
    if (messages)
        fputs(messages, stderr);
    free(messages);
    if (status != SAM_OK)
        return CLI_BAD_INPUT;
    if (!r->plan) {
        printf("%s: no error\n", strcmp(path, "-") == 0 ? "<stdin>" : path);
        return CLI_OK;
    }
    if (sam_tile_plan_text(program, r->profile, &text, &error) != SAM_OK)
        return cli_report(&error);
    fputs(text, stdout);
    free(text);
    return CLI_OK;
}

/* The operations, as the documentation has them. */
static int list(void)
{
    struct sam_tile_op_text op;
    for (size_t i = 0; sam_tile_op_describe(i, &op); i++)
        printf("%-18s %-4s %-20s %s\n", op.name, op.sources, op.dtypes, op.meaning);
    return CLI_OK;
}

static int parse_surface(const struct cli_args *args, const char *value,
                         enum sam_tile_surface *surface)
{
    static const char *const names[] = {"flat", "ssa", "dps"};
    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], value) == 0) {
            *surface = (enum sam_tile_surface)i;
            return CLI_OK;
        }
    return cli_usage_error(args, "--surface: expected flat, ssa or dps, found '%s'", value);
}

static int parse(struct cli_args *args, struct request *r)
{
    const char *value;
    int code = CLI_OK;
    for (int option; code == CLI_OK && (option = cli_next(args, &value)) != CLI_END;) {
        switch (option) {
        case OPT_SURFACE: code = parse_surface(args, value, &r->surface); break;
        case OPT_PROFILE:
            if (!sam_tile_profile_parse(value, &r->profile))
                code = cli_usage_error(args, "--profile: expected a2a3, a5 or host, found '%s'",
                                       value);
            break;
        case OPT_PLAN: r->plan = true; break;
        case 'o': r->out = value; break;
        case CLI_POSITIONAL:
            if (r->what)
                r->paths[r->count++] = value;
            else
                r->what = value;
            break;
        default: return CLI_BAD_INPUT;
        }
    }
    return code;
}

/* Every program, also behind one that has errors. */
static int each(const struct request *r, bool formats)
{
    int code = CLI_OK;
    for (size_t i = 0; i < r->count; i++) {
        struct sam_tile_program *program = run_tile_load(r->paths[i]);
        int one = !program  ? CLI_BAD_INPUT
                  : formats ? format(r, program)
                            : check(r, r->paths[i], program);
        sam_tile_program_free(program);
        code = one == CLI_OK ? code : one;
    }
    return code;
}

static int obey(struct cli_args *args, struct request *r)
{
    int code = parse(args, r);
    if (code != CLI_OK)
        return code;
    if (r->what && strcmp(r->what, "ops") == 0 && !r->count)
        return list();
    bool formats = r->what && strcmp(r->what, "fmt") == 0;
    if (!formats && (!r->what || strcmp(r->what, "check") != 0))
        return cli_usage_error(args, "expected fmt, check or ops%s%s%s", r->what ? ", found '" : "",
                               r->what ? r->what : "", r->what ? "'" : "");
    if (!r->count)
        return cli_usage_error(args, "no program");
    if (formats && r->count > 1)
        return cli_usage_error(args, "fmt takes one program; '%s' is a second", r->paths[1]);
    return each(r, formats);
}

static int run(struct cli_args *args)
{
    struct request r = {.surface = SAM_TILE_DPS, .profile = SAM_TILE_A5};
    r.paths = calloc((size_t)args->count + 1, sizeof *r.paths);
    if (!r.paths) {
        fprintf(stderr, "samite: error: out of memory\n");
        return CLI_BAD_INPUT;
    }
    int code = obey(args, &r);
    free(r.paths);
    return code;
}

static const struct cli_option options[] = {
    {OPT_SURFACE, "surface", "NAME",
     "fmt: flat (%d = tcolmin %s), ssa (%d = pto.tcolmin %s), or\n"
     "dps (ins(...) outs(...), the default)"},
    {'o', "output", "FILE", "fmt: write the program there instead of standard output"},
    {OPT_PROFILE, "profile", "NAME", "check: a2a3, a5 (default), host (no limit of memory)"},
    {OPT_PLAN, "plan", NULL, "check: where each tile is, and from which line to which"},
    {0},
};

const struct cli_verb verb_tile = {
    .name = "tile",
    .summary = "format and check tile programs",
    .usage = "fmt [options] PROGRAM.pto\n       samite tile check [options] PROGRAM.pto...\n       "
             "samite tile ops",
    .options = options,
    .details =
        "fmt prints a program in one of the three surfaces; each of them is read. Comments\n"
        "stay, in front of the operation that they precede or stand behind. check reports\n"
        "every error of each program in one run, with its line. ops lists the operations: sources\n"
        "(t tile, s scalar, i index, v partition of a tensor view), dtypes and meaning.\n"
        "`samite run PROGRAM.pto` runs one.\n\n"
        "Examples:\n"
        "  samite tile fmt --surface ssa kernel.pto\n"
        "  samite tile check --profile a2a3 --plan kernel.pto\n",
    .run = run,
};
