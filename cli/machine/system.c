/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --machine system PROGRAM`: the parts that the hart has around it. */
#include "machine/system.h"

#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "machine/lower.h"
#include "stop.h"

struct run_system {
    struct sam_system *system;
    struct sam_image **kernels; /* programs of the GPU */
    size_t kernel_count;
    struct run_console *console;
    bool check_races;
    struct sam_output *trace; /* of --gpu-trace, or NULL */
    struct sam_profile *profile;
};

const struct cli_option run_system_start_rows[] = {
    CLI_ROW(struct system_request, gpu_code, "gpu-code", CLI_LIST, "FILE",
            "a program of the GPU, assembly (from 0x80000000 on; start code is added unless it has "
            "a _start) or an ELF executable; repeatable",
            .suffixes = ".s .S .elf .riscv"),
    CLI_ROW(struct system_request, weights, "weights", CLI_PARSE, "FILE[@ADDRESS]",
            "packed weights (samite pack) for the program: in the first free buffer, or at an "
            "address, with a directory of the tensors in a1",
            .parse = run_parse_weights, .suffixes = ".smw"),
    CLI_ROW(struct system_request, options.gpu_traps, "gpu-traps", CLI_CHOICE, NULL,
            "a trap of a kernel ends the run (end, the default), or sets the STATUS of the queue "
            "for the program (report)",
            .choices = "end report"),
    CLI_ROW(struct system_request, options.l1m_size, "l1m-size", CLI_NUMBER, "BYTES",
            "size of L1M, a multiple of 4096 (1 MiB)", .low = 4096, .high = 0x8000000),
    CLI_ROW(struct system_request, options.l0m_size, "l0m-size", CLI_NUMBER, "BYTES",
            "size of L0M, a multiple of 4096 (1 MiB)", .low = 4096, .high = 0x28000000),
    CLI_ROW(struct system_request, options.heap_size, "heap-size", CLI_NUMBER, "BYTES",
            "memory after the program, a multiple of 4096 (16 MiB)", .low = 4096,
            .high = 0x2ff00000),
    {0},
};

const struct cli_option run_system_rows[] = {
    CLI_ROW(struct system_request, options.check_races, "check-races", CLI_FLAG, NULL,
            "find races: accesses to bytes that a launch or weight record in flight writes, or "
            "reads and somebody else writes, before the program has waited for it; slower"),
    {.name = "config",
     .grammar = CLI_PARSE,
     CLI_AT(struct system_request, time),
     .parse = run_parse_system_config,
     .argument = "KEY=N,...",
     .names = run_system_key,
     .prefixes = run_system_prefix,
     .suffixes = "",
     .repeats = true,
     .help = "--cycles with other parameters: mem.dram_bytes=32,wu.symbols_cycle=4,... or a file "
             "of them; --config help lists them with their defaults"},
    CLI_ROW(struct system_request, time.compare, "compare-raw", CLI_FLAG, NULL,
            "--cycles, and once more with each decoded weight charged as a copy of its raw bytes: "
            "what packing buys"),
    CLI_ROW(struct system_request, trace, "gpu-trace", CLI_TEXT, "FILE",
            "the commit log of the kernels, all launches; with one worker", .suffixes = ""),
    CLI_ROW(struct system_request, profile, "gpu-profile", CLI_TEXT, "FILE",
            "--profile of the kernels: what each instruction does, all launches",
            .suffixes = ".html .json .folded .txt"),
    CLI_JOBS(struct system_request, gpu.jobs,
             "worker threads of the GPU; results do not depend on it"),
    {0},
};

const char *run_system_isa(unsigned xlen)
{
    return xlen == 32 ? "rv32ima_zicsr_zfinx_xtensorload_xmatrix"
                      : "rv64ima_zicsr_zfinx_xtensorload_xmatrix";
}

int run_system_name_files(const struct system_request *request, const struct cli_args *args)
{
    int code = run_name_weights(&request->weights, args);
    for (size_t i = 0; i < request->gpu_code.count && code == CLI_OK; i++)
        code = cli_reads(args, request->gpu_code.items[i]);
    if (request->trace && strcmp(request->trace, "-") == 0 && code == CLI_OK)
        return cli_usage_error(args, "--gpu-trace -: expected a file");
    if (request->trace && code == CLI_OK)
        code = cli_writes(args, request->trace);
    return code;
}

static bool print_text(void *context, const void *data, size_t size)
{
    struct run_console *console = context;
    if (!console->output)
        return true;
    if (console->progress)
        cli_progress_clear(console->progress);
    return fwrite(data, 1, size, console->output) == size && fflush(console->output) == 0;
}

static void show_progress(void *context, const struct sam_gpu_progress *progress)
{
    struct run_console *console = context;
    if (console->progress && cli_progress_due(console->progress))
        cli_progress_show(console->progress, "launch", progress->done, progress->workgroups,
                          "workgroups", progress->warp_insns, "warp instructions");
}

/* A trap that the program is left to deal with. */
static void note_launch(void *context, const struct sam_system_launch *launch)
{
    enum { MOST = 10 };
    struct run_console *console = context;
    const struct sam_trap *trap = &launch->result->trap;
    char text[512];
    if (trap->kind == SAM_TRAP_NONE || console->failed_launches++ >= MOST)
        return;
    sam_trap_describe(trap, launch->launch->image, text, sizeof text);
    if (console->progress)
        cli_progress_clear(console->progress);
    cli_note("launch %llu%s%s%s (record 0x%08x): %s%s", (unsigned long long)launch->number,
             launch->kernel ? " <" : "", launch->kernel ? launch->kernel : "",
             launch->kernel ? ">" : "", launch->record, text,
             console->failed_launches == MOST ? "; further ones are not shown" : "");
}

/* The first page boundary after a program. */
static uint64_t end_of(const struct sam_image *image)
{
    uint64_t end = 0;
    for (size_t i = 0; i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        end = s->size && s->address + s->size > end ? s->address + s->size : end;
    }
    return (end + 4095) & ~UINT64_C(4095);
}

/* Assembly follows the program before it. */
static int load_kernels(struct run_system *s, const struct hart_request *r)
{
    const struct cli_list *files = &r->system->gpu_code;
    struct sam_error error;
    uint64_t base = SAM_CODE_BASE;
    int code = CLI_OK;
    s->kernels = calloc(files->count + 1, sizeof(void *));
    if (!s->kernels)
        return cli_no_memory();
    for (size_t i = 0; i < files->count && code == CLI_OK; i++) {
        struct sam_image **image = &s->kernels[s->kernel_count++];
        code = run_load_kernels(r->run, files->items[i], base, image);
        if (code == CLI_OK && sam_system_load_gpu(s->system, *image, &error) != SAM_OK)
            code = cli_error("%s: %s", files->items[i], error.text);
        if (code == CLI_OK)
            base = end_of(*image);
    }
    return code;
}

/* A kernel that no program of the GPU has: its word of the hart's program stays 0, and a launch of
 * it fails with "no code" alone. Other symbols may begin with gpu_ as well; _start belongs to the
 * headers. */
static void note_missing_kernels(const struct run_system *s, const struct sam_image *image)
{
    static const char prefix[] = "gpu_", zero[4];
    for (size_t i = 0; i < image->symbol_count; i++) {
        const struct sam_symbol *word = &image->symbols[i];
        const char *name = word->name + sizeof prefix - 1;
        char bytes[4];
        bool found = strncmp(word->name, prefix, sizeof prefix - 1) != 0 ||
                     !word->section_relative || strcmp(name, "_start") == 0 ||
                     sam_hart_read(sam_system_hart(s->system), word->value, bytes, sizeof bytes,
                                   NULL) != SAM_OK ||
                     memcmp(bytes, zero, sizeof zero) != 0;
        for (size_t k = 0; k < s->kernel_count && !found; k++)
            found = sam_image_find(s->kernels[k], name) != NULL;
        if (!found)
            cli_note("%s: no --gpu-code has the symbol '%s'", word->name, name);
    }
}

/* A second run, with raw weights, records nothing. */
static int open_records(struct run_system *s, const struct hart_request *r,
                        struct sam_gpu_options *gpu)
{
    const struct system_request *system = r->system;
    struct sam_error error;
    int code = system->time.raw
                   ? CLI_OK
                   : run_profile_open(r->run->args, "gpu-profile", system->profile, &s->profile);
    gpu->profile = s->profile;
    if (code != CLI_OK || !system->trace || system->time.raw)
        return code;
    if (sam_output_open(system->trace, &s->trace, &error) != SAM_OK)
        return cli_report(&error);
    gpu->log = (struct sam_sink){sam_output_write, s->trace};
    return CLI_OK;
}

int run_system_finish(struct run_system *system, const struct hart_request *request,
                      const struct sam_image *image, FILE *text)
{
    const struct sam_image *hart, *gpu = NULL;
    if (request->lowered)
        sam_tile_lowered_images(request->lowered->made, &hart, &gpu, NULL);
    const struct sam_profile_options options = {.size = sizeof options,
                                                .image = gpu                    ? gpu
                                                         : system->kernel_count ? system->kernels[0]
                                                                                : image,
                                                .title =
                                                    run_hart_name(request->run->files.items[0])};
    struct sam_output *trace = system->trace;
    struct sam_error error;
    int code = CLI_OK;
    system->trace = NULL;
    if (trace && sam_output_commit(trace, &error) != SAM_OK)
        code = cli_report(&error);
    const int written =
        run_profile_write(system->profile, request->system->profile, &options, text);
    return code ?: written;
}

int run_system_make(const struct hart_request *request, const struct sam_image *image,
                    struct run_console *console, struct run_system **out, struct sam_hart **hart)
{
    struct sam_system_options options = request->system->options;
    struct sam_gpu_options gpu = request->system->gpu;
    struct sam_error error;
    struct run_system *s = *out = calloc(1, sizeof *s);
    if (!s)
        return cli_no_memory();
    s->console = console;
    s->check_races = options.check_races;
    gpu.size = sizeof gpu;
    gpu.max_insns = request->run->max_insns;
    gpu.collect_stats = request->run->stats != RUN_STATS_NONE && !request->options.engines;
    gpu.stop = cli_stop_flag();
    gpu.print = (struct sam_sink){print_text, console};
    gpu.progress = show_progress;
    gpu.progress_context = console;
    if (!request->run->quiet)
        options.weight_ended = run_note_weight;
    if (!request->run->quiet && options.gpu_traps == SAM_SYSTEM_TRAPS_REPORT)
        options.launched = note_launch;
    options.launched_context = console;
    options.weight_ended_context = console;
    options.size = sizeof options;
    struct sam_hart_options hart_options = request->options;
    const struct sam_system_timing timing = {.size = sizeof timing,
                                             .config = request->system->time.config,
                                             .raw_weights = request->system->time.raw};
    if (hart_options.engines) { /* --cycles: of the system */
        options.timing = &timing;
        hart_options.engines = NULL;
        hart_options.cycles = NULL;
        hart_options.mlen = request->mlen; /* 0: as in the parameters */
    }
    options.hart = &hart_options;
    options.gpu = &gpu;
    const int code = open_records(s, request, &gpu);
    if (code != CLI_OK)
        return code;
    if (sam_system_new(&options, &s->system, &error) != SAM_OK)
        return cli_report(&error);
    *hart = sam_system_hart(s->system);
    if (request->lowered)
        return sam_tile_lowered_load(request->lowered->made, s->system, &error) == SAM_OK
                   ? CLI_OK
                   : cli_report(&error);
    if (sam_system_load(s->system, image, &error) != SAM_OK)
        return cli_report(&error);
    const int loaded = load_kernels(s, request);
    if (loaded == CLI_OK && !request->run->quiet && !request->system->time.raw)
        note_missing_kernels(s, image);
    return loaded;
}

int run_system_fill(const struct hart_request *request, const struct sam_image *image,
                    struct run_arguments *arguments, struct run_system *s)
{
    struct sam_hart *hart = sam_system_hart(s->system);
    struct run_arguments *passed = request->lowered ? NULL : arguments;
    const int code = run_hart_fill(request, image, passed, hart);
    return code == CLI_OK ? run_load_weights(s->system, request, arguments) : code;
}

bool run_system_output_failed(const struct run_system *system)
{
    return cli_any_failed(&system->trace, 1);
}

void run_system_free(struct run_system *system)
{
    if (!system)
        return;
    sam_system_free(system->system);
    cli_drop_output(system->trace);
    sam_profile_free(system->profile);
    for (size_t i = 0; i < system->kernel_count; i++)
        sam_image_free(system->kernels[i]);
    free(system->kernels);
    free(system);
}

enum sam_status run_system_execute(struct run_system *system, struct sam_hart_result *result,
                                   struct sam_error *error)
{
    struct sam_system_result ended;
    const enum sam_status status = sam_system_run(system->system, &ended, error);
    *result = ended.hart;
    return status;
}

struct sam_system *run_system_of(struct run_system *s)
{
    return s->system;
}

int run_system_cycles(struct run_system *s, const struct hart_request *request,
                      const struct sam_image *image, json_t *report, FILE *text)
{
    struct sam_system_figures *figures = NULL, *raw = NULL;
    struct sam_error error;
    if (sam_system_measure(s->system, &figures, &error) != SAM_OK)
        return cli_report(&error);
    int code = CLI_OK;
    if (request->system->time.compare && !cli_stopped())
        code = run_system_raw(request, image, &raw);
    code = code ?: run_system_times(figures, raw, report, text);
    sam_system_figures_free(figures);
    sam_system_figures_free(raw);
    return code;
}

json_t *run_system_report(const struct run_system *s, json_t *report)
{
    static const struct report_field counts[] = {
        REPORT_FIELD(struct sam_system_stats, launches),
        REPORT_FIELD(struct sam_system_stats, failed_launches),
        REPORT_FIELD(struct sam_system_stats, weight_records),
        REPORT_FIELD(struct sam_system_stats, failed_records),
        REPORT_FIELD(struct sam_system_stats, register_loads),
        REPORT_FIELD(struct sam_system_stats, register_stores),
        REPORT_FIELD(struct sam_system_stats, console_bytes),
        {0},
    };
    json_t *gpu = report_fields(json_object(), run_gpu_counts, sam_system_gpu_stats(s->system));
    report = report_set(report, "system",
                        report_fields(json_object(), counts, sam_system_stats(s->system)));
    report = report_set(report, "gpu", gpu);
    return s->check_races ? run_report_races(s->system, report) : report;
}

const char run_system_stats[] =
    "  launches     {system.launches:14}  {system.failed_launches} failed\n"
    "  gpu          {gpu.warp_insns:14}  warp instructions in {gpu.seconds:.3m} ms\n"
    "  records      {system.weight_records:14}  {system.failed_records} failed\n"
    "  registers    {system.register_loads:14}  loads, {system.register_stores} stores\n";

int run_system_check(const struct run_system *s, FILE *text)
{
    return s->check_races ? run_print_races(s->system, text) : CLI_OK;
}

int run_system(struct hart_request *request, struct system_request *system)
{
    request->system = system;
    request->cycles |= system->time.config || system->time.compare;
    return run_lower_check(request) ?: run_hart(request);
}
