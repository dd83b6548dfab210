/* SPDX-License-Identifier: Apache-2.0 */
/* samite run: the command line of both forms. */
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "run_tile.h"

enum {
    OPT_ELF = 256,
    OPT_POKE,
    OPT_DUMP,
    OPT_LOG,
    OPT_STATS,
    OPT_KERNEL,
    OPT_GRID,
    OPT_BLOCK,
    OPT_WARP,
    OPT_ARG,
    OPT_CHECK,
    OPT_PDS,
    OPT_PDS_SIZE,
    OPT_PRINT_SIZE,
    OPT_PRINT_PREFIX,
    OPT_MAX_INSNS,
    OPT_SCHEDULE,
    OPT_LOOSE,
    OPT_PTBR,
    OPT_SIMT_STACK,
};

static const struct cli_option options[] = {
    {OPT_KERNEL, "kernel", "NAME", "the kernel: a symbol of the program"},
    {OPT_GRID, "grid", "X[,Y,Z]", "workgroups"},
    {OPT_BLOCK, "block", "X[,Y,Z]", "work-items a workgroup"},
    {OPT_WARP, "warp", "LANES", "lanes a warp: 4, 8, 16 or 32 (the default)"},
    {OPT_ARG, "arg", "ARG",
     "the kernel's next argument, NAME= in front if you like:\n"
     "in:FILE.npy               a buffer filled from the file\n"
     "out:TYPE:COUNT[:FILE.npy] a buffer of zeros, written to the\n"
     "                          file at the end; COUNT may be 32x32\n"
     "inout:IN.npy[:OUT.npy]    both\n"
     "local:BYTES               a pointer to local memory\n"
     "u32:VALUE                 a scalar: u8 i8 u16 i16 u32 i32 u64\n"
     "                          i64 f32 f64 bool"},
    {OPT_CHECK, "check", "OUT=FILE",
     "compare an output with FILE.npy[:ULP], element by element;\n"
     "OUT is its name, its number from 0, or out for the only one"},
    {'D', "define", "NAME=VALUE", "define a symbol for the assembler; repeatable"},
    {'I', "include", "DIR", "search .include files there too; repeatable"},
    {OPT_PRINT_SIZE, "print-size", "BYTES", "give the kernel a print buffer"},
    {OPT_PDS_SIZE, "pds-size", "BYTES", "private memory a thread"},
    {OPT_ELF, "elf", "FILE", "with .metadata: load this program too, and take its symbols"},
    {OPT_POKE, "poke", "ADDR=WORD", "write a 32-bit word at this point of the sequence"},
    {OPT_DUMP, "dump", "BASE:SIZE:FILE", "write memory to a file at this point of the sequence"},
    {OPT_LOG, "log", "FILE",
     "the commit log; %n in FILE is the number of the launch, for\n"
     "one file each (one worker)"},
    {OPT_STATS, "stats", "[json]", "statistics; =json: standard output is one JSON document"},
    {'j', "jobs", "N", "worker threads; results do not depend on it"},
    {'q', "quiet", NULL, "no line for each launch"},
    {OPT_MAX_INSNS, "max-insns", "N", "fail when a warp runs more instructions in a launch"},
    {OPT_SCHEDULE, "schedule", "run|rr1",
     "warps of a workgroup: each as far as it gets (run), or one\n"
     "instruction each in turn, as the public simulator (rr1)"},
    {OPT_LOOSE, "loose-bounds", NULL, "memory outside every buffer reads zero and can be written"},
    {OPT_PDS, "pds", "own|shared",
     "CSR_PDS: private memory of each workgroup's own, or\n"
     "pdsBase for all (to compare logs)"},
    {OPT_PTBR, "ptbr", "PA", "translate addresses by the SV39 tables at this address"},
    {OPT_SIMT_STACK, "simt-stack", "N", "entries of a SIMT stack (65536)"},
    {OPT_PRINT_PREFIX, "print-prefix", NULL, "[workgroup.warp] before each line a kernel prints"},
    {0},
};

static int out_of_memory(void)
{
    fprintf(stderr, "samite: error: out of memory\n");
    return CLI_BAD_INPUT;
}

static int append(struct run_list *list, const char *word)
{
    const char **items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (!items)
        return out_of_memory();
    list->items = items;
    items[list->count++] = word;
    return CLI_OK;
}

static int add_step(struct run_request *r, struct run_step step)
{
    struct run_step *steps = realloc(r->steps, (r->step_count + 1) * sizeof *steps);
    if (!steps)
        return out_of_memory();
    r->steps = steps;
    steps[r->step_count++] = step;
    return CLI_OK;
}

/* A number up to `top`. */
static int parse_number(const struct run_request *r, const char *option, const char *text,
                        uint64_t top, uint64_t *value)
{
    if (cli_parse_u64(text, value) && *value <= top)
        return CLI_OK;
    return cli_usage_error(r->args, "--%s: '%s' is not a number from 0 to 0x%llx", option, text,
                           (unsigned long long)top);
}

static int parse_u32(const struct run_request *r, const char *option, const char *text,
                     uint32_t *value)
{
    uint64_t wide;
    int code = parse_number(r, option, text, UINT32_MAX, &wide);
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
        if (!cli_parse_u64(part, &value) || value == 0 || value > UINT32_MAX)
            break;
        extent[i] = (uint32_t)value;
        if (!text[size])
            return CLI_OK;
        text += size + 1;
    }
    return cli_usage_error(r->args, "--%s: expected X[,Y,Z], each from 1 to 2^32-1", option);
}

/* The number before `end` of "NUMBER:..." or "NUMBER=..."; what follows, or NULL. */
static const char *leading_number(const char *text, char end, uint64_t top, uint64_t *value)
{
    char part[32];
    const char *at = strchr(text, end);
    if (!at || at - text >= (ptrdiff_t)sizeof part)
        return NULL;
    snprintf(part, sizeof part, "%.*s", (int)(at - text), text);
    return cli_parse_u64(part, value) && *value <= top ? at + 1 : NULL;
}

static int parse_poke(struct run_request *r, const char *text)
{
    uint64_t address, word;
    const char *rest = leading_number(text, '=', UINT32_MAX, &address);
    if (!rest || !cli_parse_u64(rest, &word) || word > UINT32_MAX)
        return cli_usage_error(r->args, "--poke %s: expected ADDR=WORD, both of 32 bits", text);
    return add_step(r, (struct run_step){
                           .kind = RUN_POKE, .address = (uint32_t)address, .word = (uint32_t)word});
}

static int parse_dump(struct run_request *r, const char *text)
{
    uint64_t base, size;
    const char *rest = leading_number(text, ':', UINT32_MAX, &base);
    const char *path = rest ? leading_number(rest, ':', UINT64_C(1) << 32, &size) : NULL;
    if (!path || !*path || size > (UINT64_C(1) << 32) - base)
        return cli_usage_error(r->args, "--dump %s: expected BASE:SIZE:FILE, within 4 GiB", text);
    return add_step(
        r,
        (struct run_step){.kind = RUN_DUMP, .address = (uint32_t)base, .size = size, .path = path});
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
        r->stats = !value ? RUN_STATS_TEXT : RUN_STATS_JSON;
        o->collect_stats = true;
        if (value && strcmp(value, "json") != 0)
            return cli_usage_error(r->args, "--stats=%s: expected --stats or --stats=json", value);
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
    case OPT_MAX_INSNS: return parse_number(r, "max-insns", value, UINT64_MAX, &o->max_insns);
    case OPT_PTBR:
        o->sv39 = true;
        return parse_number(r, "ptbr", value, (UINT64_C(1) << 56) - 1, &o->ptbr);
    case OPT_LOOSE: o->loose_bounds = true; return CLI_OK;
    case OPT_PRINT_PREFIX: o->print_prefix = true; return CLI_OK;
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
    return append(&r->files, path);
}

static int parse_option(struct run_request *r, int option, const char *value)
{
    switch (option) {
    case CLI_POSITIONAL: return parse_file(r, value);
    case OPT_POKE: return parse_poke(r, value);
    case OPT_DUMP: return parse_dump(r, value);
    case OPT_ARG: return append(&r->arguments, value);
    case OPT_CHECK: return append(&r->checks, value);
    case 'D': return append(&r->defines, value);
    case 'I': return append(&r->includes, value);
    case OPT_KERNEL: r->kernel = value; return CLI_OK;
    case OPT_ELF: r->elf = value; return CLI_OK;
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

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), tail = strlen(end);
    return size >= tail && strcmp(text + size - tail, end) == 0;
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
    bool program = ends_with(first, ".s") || ends_with(first, ".S") || ends_with(first, ".elf") ||
                   ends_with(first, ".riscv");
    if (option || (program && !ends_with(first, ".metadata")))
        return cli_usage_error(r->args, "--kernel NAME is missing%s%s%s", option ? " (--" : "",
                               option ? option : "", option ? " goes with it)" : "");
    if (r->files.count % 2)
        return cli_usage_error(
            r->args, "files come in pairs, .metadata then .data; '%s' has no second", last);
    return CLI_OK;
}

/* Does any result go to standard output? */
static bool writes_stdout(const struct run_request *r)
{
    bool found = r->log && strcmp(r->log, "-") == 0;
    for (size_t i = 0; i < r->step_count; i++)
        found |= r->steps[i].kind == RUN_DUMP && strcmp(r->steps[i].path, "-") == 0;
    for (size_t i = 0; i < r->arguments.count; i++)
        found |= ends_with(r->arguments.items[i], ":-") && strstr(r->arguments.items[i], "out:");
    return found;
}

static int run_request(struct run *run)
{
    const struct run_request *r = run->request;
    bool json = r->stats == RUN_STATS_JSON, data = writes_stdout(r);
    if (json && data)
        return cli_usage_error(r->args, "--stats=json has standard output for itself");
    run->text = json || data ? stderr : stdout;
    if (json) {
        run->json_launches = json_array();
        run->json_checks = json_array();
        if (!run->json_launches || !run->json_checks)
            return out_of_memory();
    }
    int code = r->kernel ? run_kernel(run) : run_metadata(run);
    if (code == CLI_OK || code == CLI_PROGRAM_FAILED) {
        int closed = run_close_log(run);
        code = code == CLI_OK ? closed : code;
    }
    cli_output_abort(run->log);
    /* What was counted before a program failed is worth having. */
    if (json && json_array_size(run->json_launches) && run_json_print(run) != CLI_OK)
        code = CLI_BAD_INPUT;
    return code;
}

static int run(struct cli_args *args)
{
    if (run_tile_wants(args))
        return run_tile(args);
    struct run_request r = {.args = args};
    struct run state = {.request = &r, .text = stdout};
    const char *value;
    int code = CLI_OK;
    for (int option; code == CLI_OK && (option = cli_next(args, &value)) != CLI_END;)
        code = option == CLI_ERROR ? CLI_BAD_INPUT : parse_option(&r, option, value);
    if (code == CLI_OK)
        code = r.kernel ? check_kernel_form(&r) : check_metadata_form(&r);
    if (code == CLI_OK)
        code = run_request(&state);
    sam_gpu_free(state.gpu);
    sam_image_free(state.image);
    json_decref(state.json_launches);
    json_decref(state.json_checks);
    struct run_list *lists[] = {&r.files, &r.arguments, &r.checks, &r.defines, &r.includes};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        free(lists[i]->items);
    free(r.steps);
    return code;
}

const struct cli_verb verb_run = {
    .name = "run",
    .summary = "run Ventus GPGPU kernels",
    .usage = "[options] A.metadata A.data [B.metadata B.data ...]\n"
             "       samite run [options] PROGRAM --kernel NAME --grid X --block X --arg ...",
    .options = options,
    .details =
        "The first form runs launches that the Ventus driver wrote down, in order and in one\n"
        "memory. A buffer that several launches name is one buffer; its data stands in the first\n"
        "pair that uses it. --poke and --dump act where they are written between the files; a "
        "poke\n"
        "wins over the data of the pair behind it. A .metadata file is text, eight hexadecimal\n"
        "digits a line, comments behind a number; files without start_addr are known too.\n\n"
        "The second form describes one launch. PROGRAM is assembly (start code is added when it "
        "has\n"
        "no _start) or an ELF executable. --poke acts before the launch and --dump after it.\n"
        "Floating-point elements may be ULP representable numbers apart for --check.\n\n"
        "Ctrl-C ends a run; no file is left half-written. Exit status: 0 done, 1 the program "
        "failed\n"
        "(trap, deadlock, failed check, stopped), 2 bad usage or input.\n\n"
        "Examples:\n"
        "  samite run vecadd.metadata vecadd.data --dump 0x90002000:4096:c.bin\n"
        "  samite run BFS_1_0.metadata BFS_1_0.data --poke 0x90006000=0 \\\n"
        "      BFS_2_0.metadata BFS_2_0.data --elf object.riscv --log 'bfs-%n.log'\n"
        "  samite run vecadd.s --kernel vecadd --grid 32 --block 32 --arg in:a.npy \\\n"
        "      --arg in:b.npy --arg c=out:f32:1024:c.npy --arg u32:1024 --check c=sum.npy:1\n"
        "  samite run sgemm.elf --kernel sgemm --grid 8,8 --block 16,16 --warp 32 -j 4 \\\n"
        "      --arg in:a.npy --arg in:b.npy --arg out:f32:128x128:c.npy --stats\n",
    .run = run,
};
