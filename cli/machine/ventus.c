/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run` on a Ventus GPGPU: options and checks of both forms. */
#include <stdlib.h>

#include "machine/machine.h"

/* ------------------------------------------------------------------------------ the options */

/* "X", "X,Y" or "X,Y,Z", each at least `low` of the row, which those left out are. */
static int parse_extent(struct cli_args *args, const struct cli_option *option, const char *text,
                        void *place)
{
    uint32_t *extent = place;
    uint64_t value;
    char part[32];
    extent[0] = extent[1] = extent[2] = (uint32_t)option->low;
    for (int i = 0; cli_item(&text, part, sizeof part); i++) {
        if (i == 3 || !sam_parse_u64(part, &value) || value < option->low || value > UINT32_MAX)
            return cli_usage_error(args, "--%s: expected X[,Y,Z], each from %llu to 2^32-1",
                                   option->name, (unsigned long long)option->low);
        extent[i] = (uint32_t)value;
    }
    return CLI_OK;
}

/* "BASE:SIZE" within the window of local memory. */
static int parse_lds_range(struct cli_args *args, const struct cli_option *option, const char *text,
                           void *request)
{
    struct gpu_request *r = request;
    uint64_t base = 0, size = 0;
    if (!cli_pair(text, ':', &base, &size) || base < SAM_LDS_BASE ||
        base - SAM_LDS_BASE >= SAM_LDS_SIZE || !size || size > SAM_LDS_SIZE - (base - SAM_LDS_BASE))
        return cli_usage_error(args, "--%s %s: expected BASE:SIZE within 0x%08x..0x%08x",
                               option->name, text, SAM_LDS_BASE, SAM_LDS_BASE + SAM_LDS_SIZE - 1);
    struct sam_lds_range *range = CLI_APPEND(args, &r->lds_ranges);
    if (!range)
        return cli_no_memory();
    *range = (struct sam_lds_range){(uint32_t)base, (uint32_t)size};
    return CLI_OK;
}

const struct cli_option ventus_launch_rows[] = {
    CLI_ROW(struct gpu_request, kernel, "kernel", CLI_TEXT, "NAME",
            "kernel to launch, a symbol of the program; OpenCL C with one kernel needs no name"),
    CLI_ROW(struct gpu_request, grid, "grid", CLI_PARSE, "X[,Y,Z]", "workgroups",
            .parse = parse_extent, .low = 1),
    CLI_ROW(
        struct gpu_request, block, "block", CLI_PARSE, "X[,Y,Z]",
        "work-items per workgroup (with --global: as the kernel requires, or up to 8 warps in X)",
        .parse = parse_extent, .low = 1),
    CLI_ROW(struct gpu_request, global, "global", CLI_PARSE, "X[,Y,Z]",
            "total work-items, instead of --grid; where the block does not divide them, the last "
            "workgroup is partial, and its lanes without a work-item never start",
            .parse = parse_extent, .low = 1),
    CLI_ROW(struct gpu_request, offset, "offset", CLI_PARSE, "X[,Y,Z]",
            "global offset, for kernels that read it (0,0,0)", .parse = parse_extent),
    CLI_ROW(struct gpu_request, lanes, "warp", CLI_NUMBER, "LANES",
            "lanes per warp: 4, 8, 16 or 32 (the default)", .choices = "4 8 16 32"),
    CLI_ROW(struct gpu_request, print_size, "print-size", CLI_NUMBER, "BYTES",
            "size of the kernel's print buffer (none)"),
    CLI_ROW(struct gpu_request, pds_size, "pds-size", CLI_NUMBER, "BYTES",
            "private memory per thread"),
    CLI_ROW(struct gpu_request, lds_size, "lds-size", CLI_NUMBER, "BYTES",
            "local memory that the program uses beyond its stacks and local: arguments; accesses "
            "past it trap (as the ELF file declares, or the whole window)",
            .low = 1, .high = SAM_LDS_SIZE),
    CLI_ROW(struct gpu_request, elf, "elf", CLI_TEXT, "FILE",
            "with .metadata: also load this program, and use its symbols",
            .suffixes = ".elf .riscv"),
    CLI_ROW(struct gpu_request, options.schedule, "schedule", CLI_CHOICE, NULL,
            "warps of a workgroup run until they wait (run, the default), or take turns of one "
            "instruction, as in the public simulator (rr1)",
            .choices = "run rr1"),
    CLI_ROW(struct gpu_request, options.loose_bounds, "loose-bounds", CLI_FLAG, NULL,
            "memory outside every buffer reads as zero and can be written"),
    CLI_ROW(struct gpu_request, options.strict_lds, "strict-lds", CLI_FLAG, NULL,
            "trap on local memory beyond LDS_SIZE (.metadata), beyond stacks, --lds-size and "
            "local: arguments (--kernel)"),
    CLI_PARSED("lds-range", "BASE:SIZE", parse_lds_range,
               "with --strict-lds or --sanitize=bounds: local memory that may also be accessed; "
               "repeatable",
               .repeats = true),
    CLI_ROW(
        struct gpu_request, options.shared_pds, "pds", CLI_CHOICE, NULL,
        "CSR_PDS: private memory per workgroup (own, the default), or pdsBase for all, to compare "
        "logs (shared)",
        .choices = "own shared"),
    CLI_ROW(struct gpu_request, options.ptbr, "ptbr", CLI_NUMBER, "PA",
            "translate addresses with the SV39 page tables at this address",
            .high = (UINT64_C(1) << 56) - 1),
    CLI_ROW(struct gpu_request, sv39, "sv39", CLI_FLAG, NULL,
            "build SV39 page tables for all buffers and translate addresses with them"),
    CLI_ROW(struct gpu_request, options.simt_stack_limit, "simt-stack", CLI_NUMBER, "N",
            "entries per SIMT stack (65536)"),
    {0},
};

const struct cli_option ventus_rows[] = {
    CLI_JOBS(struct gpu_request, options.jobs, "worker threads; results do not depend on it"),
    RUN_PROFILE(struct gpu_request, profile),
    CLI_ROW(
        struct gpu_request, sanitize, "sanitize", CLI_PARSE, "[race,init,bounds,sync]",
        "check the kernel as it runs, by all of these or those in the list: races, use of what "
        "nothing has written, accesses outside what the launch declares, misuse of barriers and "
        "joins; findings are exit code 1. One worker, whatever --jobs says",
        .parse = ventus_parse_sanitize),
    CLI_ROW(struct gpu_request, findings, "findings", CLI_TEXT, "FILE",
            "with --sanitize: a page of the findings, with the source around them",
            .suffixes = ".html"),
    CLI_ROW(struct gpu_request, options.print_prefix, "print-prefix", CLI_FLAG, NULL,
            "start each line that a kernel prints with [workgroup.warp]"),
    {0},
};

/* ------------------------------------------------------------------------------ the request */

bool ventus_launches_kernel(const struct run_request *r, const struct gpu_request *gpu)
{
    return gpu->kernel || (r->files.count == 1 && sam_cc_is_source(r->files.items[0]));
}

static int check_kernel_form(const struct run_request *r, const struct gpu_request *gpu)
{
    if (r->files.count != 1)
        return cli_usage_error(r->args, "--kernel takes one program, found %zu files",
                               r->files.count);
    if (gpu->grid[0] && gpu->global[0])
        return cli_usage_error(r->args, "--grid and --global: expected one of them");
    if (!gpu->global[0] && !(gpu->grid[0] && gpu->block[0])) {
        const char *program = r->files.items[0];
        const int code = sam_cc_is_source(program) ? CLI_OK : run_check_program(program);
        return code != CLI_OK
                   ? code
                   : cli_usage_error(r->args, "%s requires %s", gpu->kernel ? "--kernel" : program,
                                     gpu->grid[0] ? "--block" : "--global or --grid");
    }
    if (gpu->elf)
        return cli_usage_error(r->args, "--elf is for .metadata files: the program is '%s'",
                               r->files.items[0]);
    return CLI_OK;
}

static int check_metadata_form(const struct run_request *r)
{
    const char *option = cli_given_of(r->args, "grid block global offset warp arg check define "
                                               "include print-size pds-size lds-size");
    if (r->files.count == 0)
        return cli_usage_error(r->args, "no file to run");
    const char *first = r->files.items[0], *last = r->files.items[r->files.count - 1];
    if (option || cli_ends_with_any(first, ".s .S .elf .riscv") ||
        (r->files.count == 1 && !cli_ends_with(first, ".metadata"))) {
        int code = run_check_program(first);
        return code != CLI_OK ? code
               : option
                   ? cli_usage_error(r->args, "--%s requires --kernel NAME", option)
                   : cli_usage_error(
                         r->args,
                         "no --kernel NAME for %s: expected --kernel, --grid and --block for a "
                         "kernel of a Ventus GPGPU, --machine tensor or system for a program "
                         "that has a start of its own",
                         first);
    }
    if (r->files.count % 2)
        return cli_usage_error(
            r->args, "'%s' has no second file: expected pairs, .metadata then .data", last);
    return CLI_OK;
}

/* Make each pair of files one step, at the place of the first. */
static void join_pairs(struct run_request *r)
{
    struct run_step *items = r->steps.items, *pair = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < r->steps.count; i++) {
        if (pair && items[i].kind == RUN_FILE) {
            pair->data = items[i].path;
            pair = NULL;
            continue;
        }
        items[kept] = items[i];
        if (items[kept].kind == RUN_FILE)
            pair = &items[kept];
        kept++;
    }
    r->steps.count = kept;
}

static int check_request(struct run_request *r, const struct gpu_request *gpu)
{
    const struct run_range *dump;
    if (gpu->findings && !gpu->sanitize)
        return cli_usage_error(r->args, "--findings: use --sanitize");
    if (gpu->sv39 && gpu->options.sv39)
        return cli_usage_error(r->args, "--sv39 builds its own tables: expected no --ptbr");
    int code = ventus_launches_kernel(r, gpu) ? check_kernel_form(r, gpu) : check_metadata_form(r);
    for (size_t at = 0; code == CLI_OK && (dump = run_next_dump(r, &at));)
        if (dump->base > UINT32_MAX || dump->size > UINT32_MAX + UINT64_C(1) - dump->base)
            code = cli_usage_error(r->args, "--dump 0x%llx:0x%llx: expected a range within 4 GiB",
                                   (unsigned long long)dump->base, (unsigned long long)dump->size);
    if (code == CLI_OK && !ventus_launches_kernel(r, gpu))
        join_pairs(r);
    return code;
}

static int name_files(const struct run_request *r, struct gpu_request *gpu)
{
    const size_t launches = ventus_launches_kernel(r, gpu) ? 1 : r->files.count / 2;
    int code = run_name_files(r, r->files.count) ?: cli_reads(r->args, gpu->elf);
    if (r->trace && code == CLI_OK)
        code = ventus_name_numbered(r, r->trace, launches);
    if (gpu->findings)
        code = code ?: cli_writes(r->args, gpu->findings) ?: run_check_output(gpu->findings);
    return code ?: ventus_check_cycles(r, gpu, launches);
}

/* ---------------------------------------------------------------------------------- the run */

static int check(struct run *run)
{
    struct run_request *r = &run->command->run;
    struct gpu_request *gpu = &run->command->gpu;
    gpu->options.max_insns = r->max_insns;
    gpu->options.collect_stats = r->stats != RUN_STATS_NONE;
    gpu->options.sv39 = cli_given(r->args, "ptbr");
    return check_request(r, gpu) ?: name_files(r, gpu);
}

static bool writes_stdout(const struct run *run)
{
    const struct gpu_request *gpu = &run->command->gpu;
    return run_writes_stdout(run) || run_names_stdout(gpu->files) ||
           (gpu->findings && cli_is_stdio(gpu->findings));
}

static int open_gpu(struct run *run)
{
    struct ventus *v = run->ventus;
    v->asked = &run->command->gpu;
    v->timing = (struct sam_gpu_timing){.size = sizeof v->timing, .config = &v->asked->config};
    v->asked->options.profile = run->profile;
    if (run->json_checks && !(v->json_launches = json_array()))
        return cli_no_memory();
    return ventus_open_sanitizer(run)
               ?: (ventus_launches_kernel(run->request, v->asked) ? ventus_open_kernel(run)
                                                                  : ventus_open_pairs(run));
}

static json_t *report(struct run *run)
{
    const struct ventus *v = run->ventus;
    json_t *root =
        REPORT(TEXT("samite", sam_version()), TREE("launches", json_incref(v->json_launches)),
               TREE("checks", json_incref(run->json_checks)));
    return v->asked->cycles ? report_count(root, "cycles", v->measure.cycles) : root;
}

static int execute(struct run *run)
{
    const struct ventus *v = run->ventus;
    const char *kernel = v->asked->kernel;
    const struct sam_profile_options options = {.size = sizeof options,
                                                .image = run->image,
                                                .title =
                                                    kernel ? kernel : run->request->files.items[0]};
    cli_catch_signals();
    int code = kernel ? ventus_run_kernel(run) : ventus_run_pairs(run);
    if (code == CLI_OK || code == CLI_PROGRAM_FAILED || code == CLI_SHOWN) {
        int closed = run_commit_output(run, RUN_TRACE);
        code = closed == CLI_OK || code == CLI_PROGRAM_FAILED ? code : closed;
        closed = run_profile_write(run->profile, v->asked->profile, &options, run->text);
        code = closed == CLI_OK || code == CLI_PROGRAM_FAILED ? code : closed;
        code = ventus_write_findings(run) ?: code;
    }
    if (v->asked->cycles && v->launches > 1 && run->text && !v->json_launches)
        fprintf(run->text, "cycles of %u launches: %llu\n", v->launches,
                (unsigned long long)v->measure.cycles);
    if (code == CLI_OK && v->found)
        code = CLI_PROGRAM_FAILED;
    if (json_array_size(v->json_launches)) /* also those before a failure */
        run->report = report(run);
    return code;
}

static void close_gpu(struct run *run)
{
    struct ventus *v = run->ventus;
    sam_gpu_free(v->gpu);
    sam_gputime_result_free(&v->timing.result);
    sam_sanitizer_free(v->sanitizer);
    json_decref(v->json_launches);
    json_decref(v->findings);
    ventus_close_pairs(v);
}

const struct machine machine_ventus = {
    .size = sizeof(struct ventus),
    .profile = offsetof(struct run_command, gpu.profile),
    .check = check,
    .writes_stdout = writes_stdout,
    .open = open_gpu,
    .execute = execute,
    .close = close_gpu,
};
