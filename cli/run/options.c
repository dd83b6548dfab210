/* SPDX-License-Identifier: Apache-2.0 */
/* Options shared by several machines, and the files that they name. */
#include <stdlib.h>

#include "machine/machine.h"

static struct run_step *add_step(struct cli_args *args, struct run_request *r,
                                 enum run_step_kind kind)
{
    struct run_step *step = CLI_APPEND(args, &r->steps);
    if (step)
        step->kind = kind;
    return step;
}

int run_parse_file(struct cli_args *args, const struct cli_option *option, const char *text,
                   void *request)
{
    struct run_request *r = request;
    struct run_step *step = add_step(args, r, RUN_FILE);
    const char **file = CLI_APPEND(args, &r->files);
    (void)option;
    if (!step || !file)
        return cli_no_memory();
    *file = step->path = text;
    if (!args->only_files || r->files.count == 1)
        r->programs = r->files.count;
    return CLI_OK;
}

int run_parse_jit(struct cli_args *args, const struct cli_option *option, const char *text,
                  void *request)
{
    struct run_request *r = request;
    (void)option;
    const int which = cli_choice("off auto wait", text, strlen(text));
    if (which < 0)
        return cli_usage_error(args, "--jit=%s: expected off, auto or wait", text);
    r->jit = (enum run_jit)which;
    return setenv("SAMITE_JIT", text, 1) == 0 ? CLI_OK : cli_no_memory();
}

int run_parse_dump(struct cli_args *args, const struct cli_option *option, const char *text,
                   void *request)
{
    struct run_step *step = add_step(args, request, RUN_DUMP);
    (void)option;
    return step ? run_dump_parse(args, text, &step->dump) : cli_no_memory();
}

int run_parse_poke(struct cli_args *args, const struct cli_option *option, const char *text,
                   void *request)
{
    struct run_step *step = add_step(args, request, RUN_POKE);
    uint64_t address = 0;
    char number[32] = "";
    if (!step)
        return cli_no_memory();
    const char *rest = cli_leading_number(text, '=', UINT32_MAX, &address);
    const char *colon = rest ? strchr(rest, ':') : NULL;
    const int type = colon ? cli_choice("u8 u16 u32 u64", colon + 1, strlen(colon + 1)) : 2;
    step->bytes = type < 0 ? 0 : 1u << type;
    if (rest)
        snprintf(number, sizeof number, "%.*s",
                 (int)(colon ? (size_t)(colon - rest) : strlen(rest)), rest);
    if (!step->bytes || !sam_parse_u64(number, &step->value) ||
        (step->bytes < 8 && step->value >> 8 * step->bytes))
        return cli_usage_error(args,
                               "--%s %s: expected ADDR=VALUE[:u8|u16|u32|u64], the address of 32 "
                               "bits and a value of the type (u32)",
                               option->name, text);
    if (step->bytes - 1 > UINT32_MAX - address)
        return cli_usage_error(args, "--%s %s: expected an address range within 4 GiB",
                               option->name, text);
    step->address = (uint32_t)address;
    return CLI_OK;
}

int run_parse_stats(struct cli_args *args, const struct cli_option *option, const char *text,
                    void *stats)
{
    const enum run_stats wanted = text ? RUN_STATS_JSON : RUN_STATS_TEXT;
    if (text && strcmp(text, "json") != 0)
        return cli_usage_error(args, "--%s=%s: expected --stats or --stats=json", option->name,
                               text);
    memcpy(stats, &wanted, sizeof wanted);
    return CLI_OK;
}

const struct run_range *run_next_dump(const struct run_request *r, size_t *at)
{
    while (*at < r->steps.count) {
        const struct run_step *step = &r->steps.items[(*at)++];
        if (step->kind == RUN_DUMP)
            return &step->dump;
    }
    return NULL;
}

int run_name_files(const struct run_request *r, size_t files)
{
    const struct run_range *dump;
    int code = cli_reads_all(r->args, &r->files, files);
    for (size_t at = 0; code == CLI_OK && (dump = run_next_dump(r, &at));)
        code = cli_writes(r->args, dump->path);
    return code;
}

bool run_writes_stdout(const struct run *run)
{
    const struct run_request *r = run->request;
    const struct run_range *dump;
    bool found = r->gdb.stdio || cli_is_stdio(r->trace);
    for (size_t at = 0; (dump = run_next_dump(r, &at));)
        found |= cli_is_stdio(dump->path);
    return found || run_arguments_to_stdout(&run->arguments);
}

bool run_names_stdout(const char *const files[RUN_OUTPUTS])
{
    bool found = false;
    for (unsigned i = 0; i < RUN_OUTPUTS; i++)
        found |= cli_is_stdio(files[i]);
    return found;
}
