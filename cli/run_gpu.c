/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run` on a Ventus GPGPU: the request of both forms. */
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "run.h"

static int add_step(struct run_request *r, struct run_step step)
{
    struct run_step *steps = realloc(r->steps, (r->step_count + 1) * sizeof *steps);
    if (!steps)
        return cli_no_memory();
    r->steps = steps;
    steps[r->step_count++] = step;
    return CLI_OK;
}

static int parse_u32(const struct run_request *r, const char *option, const char *text,
                     uint32_t *value)
{
    uint64_t wide;
    int code = run_parse_number(r->args, option, text, UINT32_MAX, &wide);
    if (code == CLI_OK)
        *value = (uint32_t)wide;
    return code;
}

/* "X", "X,Y" or "X,Y,Z", each from 1. */
static int parse_extent(const struct run_request *r, const char *option, const char *text,
                        uint32_t extent[3])
{
    char part[32];
    extent[0] = extent[1] = extent[2] = 1;
    for (int i = 0; i < 3; i++) {
        size_t size = strcspn(text, ",");
        uint64_t value;
        snprintf(part, sizeof part, "%.*s", (int)(size < 31 ? size : 31), text);
        if (!sam_parse_u64(part, &value) || value == 0 || value > UINT32_MAX)
            break;
        extent[i] = (uint32_t)value;
        if (!text[size])
            return CLI_OK;
        text += size + 1;
    }
    return cli_usage_error(r->args, "--%s: expected X[,Y,Z], each from 1 to 2^32-1", option);
}

static int parse_poke(struct run_request *r, const char *text)
{
    uint64_t address, word;
    const char *rest = run_leading_number(text, '=', UINT32_MAX, &address);
    if (!rest || !sam_parse_u64(rest, &word) || word > UINT32_MAX)
        return cli_usage_error(r->args, "--poke %s: expected ADDR=WORD, both of 32 bits", text);
    return add_step(r, (struct run_step){
                           .kind = RUN_POKE, .address = (uint32_t)address, .word = (uint32_t)word});
}

static int parse_dump(struct run_request *r, const char *text)
{
    struct run_step step = {.kind = RUN_DUMP};
    int code = run_dump_parse(r->args, text, UINT32_MAX, &step.dump);
    if (code == CLI_OK)
        code = add_step(r, step);
    if (code != CLI_OK)
        run_range_free(&step.dump);
    return code;
}

static int parse_choice(struct run_request *r, int option, const char *value)
{
    struct sam_gpu_options *o = &r->options;
    if (option == OPT_SCHEDULE) {
        o->schedule = strcmp(value, "rr1") == 0 ? SAM_SCHEDULE_RR1 : SAM_SCHEDULE_RUN;
        if (strcmp(value, "rr1") != 0 && strcmp(value, "run") != 0)
            return cli_usage_error(r->args, "--schedule: expected run or rr1, found '%s'", value);
    } else if (option == OPT_PDS) {
        o->shared_pds = strcmp(value, "shared") == 0;
        if (!o->shared_pds && strcmp(value, "own") != 0)
            return cli_usage_error(r->args, "--pds: expected own or shared, found '%s'", value);
    } else {
        o->collect_stats = true;
        return run_parse_stats(r->args, value, &r->stats);
    }
    return CLI_OK;
}

static int parse_machine_option(struct run_request *r, int option, const char *value)
{
    struct sam_gpu_options *o = &r->options;
    uint32_t number = 0;
    int code = CLI_OK;
    switch (option) {
    case 'j':
        code = parse_u32(r, "jobs", value, &number);
        o->jobs = number;
        return code;
    case OPT_SIMT_STACK:
        code = parse_u32(r, "simt-stack", value, &number);
        o->simt_stack_limit = number;
        return code;
    case OPT_MAX_INSNS:
        return run_parse_number(r->args, "max-insns", value, UINT64_MAX, &o->max_insns);
    case OPT_PTBR:
        o->sv39 = true;
        return run_parse_number(r->args, "ptbr", value, (UINT64_C(1) << 56) - 1, &o->ptbr);
    case OPT_LOOSE: o->loose_bounds = true; return CLI_OK;
    case OPT_PRINT_PREFIX: o->print_prefix = true; return CLI_OK;
    case OPT_JSON: return parse_choice(r, OPT_STATS, "json");
    default: return parse_choice(r, option, value);
    }
}

/* Files come in pairs; the pair's place in the sequence is that of its first file. A program, which
 * is alone, leaves a step that its form has no use for. */
static int parse_file(struct run_request *r, const char *path)
{
    if (r->files.count % 2 == 0) {
        int code = add_step(r, (struct run_step){.kind = RUN_PAIR, .metadata = path});
        if (code != CLI_OK)
            return code;
    } else {
        size_t i = r->step_count - 1;
        while (r->steps[i].kind != RUN_PAIR)
            i--;
        r->steps[i].data = path;
    }
    return run_append(&r->files, path);
}

static int parse_option(struct run_request *r, int option, const char *value)
{
    switch (option) {
    case CLI_POSITIONAL: return parse_file(r, value);
    case OPT_POKE: return parse_poke(r, value);
    case OPT_DUMP: return parse_dump(r, value);
    case OPT_ARG: return run_append(&r->arguments, value);
    case OPT_CHECK: return run_append(&r->checks, value);
    case 'D': return run_append(&r->defines, value);
    case 'I': return run_append(&r->includes, value);
    case OPT_KERNEL: r->kernel = value; return CLI_OK;
    case OPT_ELF: r->elf = value; return CLI_OK;
    case OPT_TRACE: r->log = value && *value ? value : "-"; return CLI_OK;
    case OPT_LOG: r->log = value; return CLI_OK;
    case 'q': r->quiet = true; return CLI_OK;
    case OPT_GRID: return parse_extent(r, "grid", value, r->grid);
    case OPT_BLOCK: return parse_extent(r, "block", value, r->block);
    case OPT_WARP: return parse_u32(r, "warp", value, &r->lanes);
    case OPT_PDS_SIZE: return parse_u32(r, "pds-size", value, &r->pds_size);
    case OPT_PRINT_SIZE: return parse_u32(r, "print-size", value, &r->print_size);
    default: return parse_machine_option(r, option, value);
    }
}

static int check_kernel_form(const struct run_request *r)
{
    if (r->files.count != 1)
        return cli_usage_error(r->args, "--kernel goes with one program, found %zu files",
                               r->files.count);
    if (!r->grid[0] || !r->block[0])
        return cli_usage_error(r->args, "--%s is missing", r->grid[0] ? "block" : "grid");
    if (r->lanes && r->lanes != 4 && r->lanes != 8 && r->lanes != 16 && r->lanes != 32)
        return cli_usage_error(r->args, "--warp: expected 4, 8, 16 or 32, found %u", r->lanes);
    if (r->elf)
        return cli_usage_error(r->args, "--elf goes with .metadata files; the program is '%s'",
                               r->files.items[0]);
    return CLI_OK;
}

static int check_metadata_form(const struct run_request *r)
{
    const char *option = r->grid[0]           ? "grid"
                         : r->block[0]        ? "block"
                         : r->lanes           ? "warp"
                         : r->arguments.count ? "arg"
                         : r->checks.count    ? "check"
                         : r->defines.count   ? "define"
                         : r->includes.count  ? "include"
                         : r->print_size      ? "print-size"
                         : r->pds_size        ? "pds-size"
                                              : NULL;
    if (r->files.count == 0)
        return cli_usage_error(r->args, "no file to run");
    const char *first = r->files.items[0], *last = r->files.items[r->files.count - 1];
    bool program = cli_ends_with(first, ".s") || cli_ends_with(first, ".S") ||
                   cli_ends_with(first, ".elf") || cli_ends_with(first, ".riscv");
    if (option || program || (r->files.count == 1 && !cli_ends_with(first, ".metadata"))) {
        int code = run_check_program(first);
        return code != CLI_OK ? code
               : option
                   ? cli_usage_error(r->args, "--kernel NAME is missing (--%s needs it)", option)
                   : cli_usage_error(r->args, "--kernel NAME is missing; --machine tensor "
                                              "runs a program of the tensor hart");
    }
    if (r->files.count % 2)
        return cli_usage_error(
            r->args, "files come in pairs, .metadata then .data; '%s' has no second", last);
    return CLI_OK;
}

bool run_writes_stdout(const struct run_request *r)
{
    bool found = r->log && strcmp(r->log, "-") == 0;
    for (size_t i = 0; i < r->step_count; i++)
        found |= r->steps[i].kind == RUN_DUMP && strcmp(r->steps[i].dump.path, "-") == 0;
    return found || run_arguments_to_stdout(&r->arguments);
}

/* A file of the log each launch, where the name says so. */
static int name_logs(const struct run_request *r)
{
    size_t launches = r->kernel || !strstr(r->log, "%n") ? 1 : r->files.count / 2;
    int code = CLI_OK;
    for (size_t i = 0; i < launches && code == CLI_OK; i++) {
        char *path = strstr(r->log, "%n") ? run_log_path(r->log, (unsigned)i) : strdup(r->log);
        code = path ? cli_writes(r->args, path) : cli_no_memory();
        free(path);
    }
    return code;
}

static int name_files(const struct run_request *r)
{
    int code = CLI_OK;
    for (size_t i = 0; i < r->files.count && code == CLI_OK; i++)
        code = cli_reads(r->args, r->files.items[i]);
    if (r->elf && code == CLI_OK)
        code = cli_reads(r->args, r->elf);
    if (r->log && code == CLI_OK)
        code = name_logs(r);
    for (size_t i = 0; i < r->step_count && code == CLI_OK; i++)
        if (r->steps[i].kind == RUN_DUMP)
            code = cli_writes(r->args, r->steps[i].dump.path);
    return code;
}

static int run_request(struct run *run)
{
    const struct run_request *r = run->request;
    bool json = r->stats == RUN_STATS_JSON, data = run_writes_stdout(r);
    if (json && data)
        return cli_usage_error(r->args, "--json needs standard output for itself");
    run->text = json || data ? stderr : stdout;
    if (json) {
        run->json_launches = json_array();
        run->json_checks = json_array();
        if (!run->json_launches || !run->json_checks)
            return cli_no_memory();
    }
    int code = r->kernel ? run_kernel(run) : run_metadata(run);
    if (code == CLI_OK || code == CLI_PROGRAM_FAILED) {
        int closed = run_close_log(run);
        code = code == CLI_OK ? closed : code;
    }
    sam_output_abort(run->log);
    /* What was counted before a program failed is worth having. */
    if (json && json_array_size(run->json_launches) && run_json_print(run) != CLI_OK)
        code = CLI_BAD_INPUT;
    return code;
}

int run_gpu(const struct run_words *words)
{
    struct run_request r = {.args = words->args};
    struct run state = {.request = &r, .text = stdout};
    int code = CLI_OK;
    for (size_t i = 0; i < words->list.count && code == CLI_OK; i++)
        code = parse_option(&r, words->list.items[i].option, words->list.items[i].value);
    if (code == CLI_OK)
        code = r.kernel ? check_kernel_form(&r) : check_metadata_form(&r);
    if (code == CLI_OK)
        code = name_files(&r);
    if (code == CLI_OK)
        code = run_request(&state);
    sam_gpu_free(state.gpu);
    sam_image_free(state.image);
    json_decref(state.json_launches);
    json_decref(state.json_checks);
    struct run_list *lists[] = {&r.files, &r.arguments, &r.checks, &r.defines, &r.includes};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        free(lists[i]->items);
    for (size_t i = 0; i < r.step_count; i++)
        run_range_free(&r.steps[i].dump);
    free(r.steps);
    return code;
}
