/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --machine system PROGRAM`: the parts that the hart has around it. */
#include <stdlib.h>

#include "machine/machine.h"

const struct cli_option system_start_rows[] = {
    CLI_ROW(struct system_request, gpu_code, "gpu-code", CLI_LIST, "FILE",
            "a program of the GPU, assembly (from 0x80000000 on; start code is added unless it has "
            "a _start) or an ELF executable; repeatable",
            .suffixes = ".cl .s .S .elf .riscv"),
    CLI_ROW(struct system_request, weights, "weights", CLI_PARSE, "FILE[@ADDRESS]",
            "packed weights (samite pack) for the program: in the first free buffer, or at an "
            "address, with a directory of the tensors in a1",
            .parse = system_parse_weights, .suffixes = ".smw"),
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

const struct cli_option system_rows[] = {
    CLI_ROW(struct system_request, options.check_races, "check-races", CLI_FLAG, NULL,
            "find races: accesses to bytes that a launch or weight record in flight writes, or "
            "reads and somebody else writes, before the program has waited for it; slower"),
    CLI_ROW(struct system_request, time, "config", CLI_PARSE, "KEY=N,...",
            "--cycles with other parameters: mem.dram_bytes=32,wu.symbols=4,... or a file of them; "
            "--config help lists them with their defaults",
            .parse = system_parse_config, .settings = &system_settings, .suffixes = "",
            .repeats = true),
    CLI_ROW(struct system_request, time.compare, "compare-raw", CLI_FLAG, NULL,
            "--cycles, and once more with each decoded weight charged as a copy of its raw bytes: "
            "what packing buys"),
    CLI_ROW(struct system_request, trace, "gpu-trace", CLI_TEXT, "FILE",
            "the commit log of the kernels, all launches; with one worker", .suffixes = ""),
    CLI_ROW(struct system_request, wave, "weights-vcd", CLI_TEXT, "FILE",
            "--cycles: ports, buffers and state of the weight unit as a waveform",
            .suffixes = ".vcd"),
    CLI_ROW(struct system_request, profile, "gpu-profile", CLI_TEXT, "FILE",
            "--profile of the kernels: what each instruction does, all launches",
            .suffixes = ".html .json .folded .txt"),
    CLI_JOBS(struct system_request, gpu.jobs,
             "worker threads of the GPU; results do not depend on it"),
    {0},
};

const char *system_isa(unsigned xlen)
{
    return xlen == 32 ? "rv32ima_zicsr_zfinx_xtensorload_xmatrix"
                      : "rv64ima_zicsr_zfinx_xtensorload_xmatrix";
}

int system_name_files(const struct system_request *request, const struct cli_args *args)
{
    int code = cli_reads(args, request->weights.file)
                   ?: cli_reads_all(args, &request->gpu_code, request->gpu_code.count);
    if (cli_is_stdio(request->trace) && code == CLI_OK)
        return cli_usage_error(args, "--gpu-trace -: expected a file");
    if (cli_is_stdio(request->wave) && code == CLI_OK)
        return cli_usage_error(args, "--weights-vcd -: expected a file");
    return code ?: cli_writes(args, request->trace) ?: cli_writes(args, request->wave);
}

static void show_progress(void *context, const struct sam_gpu_progress *progress)
{
    struct run *run = context;
    cli_progress_show(&run->progress, "launch", progress->done, progress->workgroups, "workgroups",
                      progress->warp_insns, "warp instructions");
}

/* A trap that the program is left to deal with. */
static void note_launch(void *context, const struct sam_system_launch *launch)
{
    enum { MOST = 10 };
    struct run *run = context;
    const struct sam_trap *trap = &launch->result->trap;
    char text[512];
    if (trap->kind == SAM_TRAP_NONE || run->tensor->failed_launches++ >= MOST)
        return;
    sam_trap_describe(trap, launch->launch->image, text, sizeof text);
    cli_progress_clear(&run->progress);
    cli_note("launch %llu%s%s%s (record 0x%08x): %s%s", (unsigned long long)launch->number,
             launch->kernel ? " <" : "", launch->kernel ? launch->kernel : "",
             launch->kernel ? ">" : "", launch->record, text,
             run->tensor->failed_launches == MOST ? "; further ones are not shown" : "");
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
static int load_kernels(struct run *run)
{
    struct tensor *t = run->tensor;
    const struct cli_list *files = &run->command->system.gpu_code;
    uint64_t base = SAM_CODE_BASE;
    int code = CLI_OK;
    t->kernels = calloc(files->count + 1, sizeof(void *));
    if (!t->kernels)
        return cli_no_memory();
    for (size_t i = 0; i < files->count && code == CLI_OK; i++) {
        struct sam_image **image = &t->kernels[t->kernel_count++];
        code = run_load_kernels(run->request, files->items[i], base, image);
        if (code == CLI_OK && sam_system_load_gpu(t->system, *image, &run->error) != SAM_OK)
            code = cli_error("%s: %s", files->items[i], run->error.text);
        if (code == CLI_OK)
            base = end_of(*image);
    }
    return code;
}

/* A kernel that no program of the GPU has: its word of the hart's program stays 0, and a launch of
 * it fails with "no code" alone. Other symbols may begin with gpu_ as well; _start belongs to the
 * headers. */
static void note_missing_kernels(const struct run *run)
{
    static const char prefix[] = "gpu_", zero[4];
    const struct tensor *t = run->tensor;
    for (size_t i = 0; i < run->image->symbol_count; i++) {
        const struct sam_symbol *word = &run->image->symbols[i];
        const char *name = word->name + sizeof prefix - 1;
        char bytes[4];
        bool found = strncmp(word->name, prefix, sizeof prefix - 1) != 0 ||
                     !word->section_relative || strcmp(name, "_start") == 0 ||
                     sam_hart_read(t->hart, word->value, bytes, sizeof bytes, NULL) != SAM_OK ||
                     memcmp(bytes, zero, sizeof zero) != 0;
        for (size_t k = 0; k < t->kernel_count && !found; k++)
            found = sam_image_find(t->kernels[k], name) != NULL;
        if (!found)
            cli_note("%s: no --gpu-code has the symbol '%s'", word->name, name);
    }
}

/* A second run, with raw weights, records nothing. */
static int open_records(struct run *run, struct sam_gpu_options *gpu, struct sam_sink *wave)
{
    const struct system_request *system = &run->command->system;
    if (system->time.raw)
        return CLI_OK;
    const int code = run_profile_open(run->request->args, "gpu-profile", system->profile,
                                      &run->tensor->gpu_profile);
    gpu->profile = run->tensor->gpu_profile;
    return code ?: run_open_output(run, RUN_GPU_TRACE, system->trace, &gpu->log)
               ?: run_open_output(run, RUN_WEIGHTS_VCD, system->wave, wave);
}

int system_finish(struct run *run)
{
    const struct tensor *t = run->tensor;
    const struct hart_request *r = &run->command->hart;
    const struct sam_image *hart, *gpu = t->kernel_count ? t->kernels[0] : run->image;
    if (r->lowered)
        sam_tile_lowered_images(r->lowered->made, &hart, &gpu, NULL);
    const struct sam_profile_options options = {
        .size = sizeof options, .image = gpu, .title = cli_input_name(r->run->files.items[0])};
    const int code =
        cli_first(run_commit_output(run, RUN_GPU_TRACE), run_commit_output(run, RUN_WEIGHTS_VCD));
    return cli_first(
        code, run_profile_write(t->gpu_profile, run->command->system.profile, &options, run->text));
}

/* The options of the GPU and of the system as the request has them. */
static void complete_options(struct run *run, struct sam_gpu_options *gpu,
                             struct sam_system_options *options)
{
    gpu->size = sizeof *gpu;
    gpu->max_insns = run->request->max_insns;
    gpu->collect_stats =
        run->request->stats != RUN_STATS_NONE && !run->command->hart.options.engines;
    gpu->stop = cli_stop_flag();
    gpu->print = (struct sam_sink){run_print_now, run};
    gpu->progress = show_progress;
    gpu->progress_context = run;
    if (!run->request->quiet)
        options->weight_ended = system_note_weight;
    if (!run->request->quiet && options->gpu_traps == SAM_SYSTEM_TRAPS_REPORT)
        options->launched = note_launch;
    options->launched_context = run;
    options->weight_ended_context = run;
    options->size = sizeof *options;
    options->gpu = gpu;
}

int system_make(struct run *run)
{
    struct tensor *t = run->tensor;
    const struct hart_request *r = &run->command->hart;
    const struct system_time_request *time = &run->command->system.time;
    struct sam_system_options options = run->command->system.options;
    struct sam_gpu_options gpu = run->command->system.gpu;
    struct sam_hart_options hart = r->options;
    struct sam_system_timing timing = {
        .size = sizeof timing, .config = time->config, .raw_weights = time->raw};
    complete_options(run, &gpu, &options);
    if (hart.engines) { /* --cycles: of the system */
        options.timing = &timing;
        hart.engines = NULL;
        hart.cycles = NULL;
        hart.mlen = r->mlen; /* 0: as in the parameters */
    }
    options.hart = &hart;
    if (run->command->system.wave && !options.timing)
        return cli_usage_error(run->request->args, "--weights-vcd requires --cycles");
    int code = open_records(run, &gpu, &timing.wave);
    if (code != CLI_OK)
        return code;
    if (sam_system_new(&options, &t->system, &run->error) != SAM_OK)
        return cli_report(&run->error);
    t->hart = sam_system_hart(t->system);
    if (r->lowered)
        return cli_code(sam_tile_lowered_load(r->lowered->made, t->system, &run->error),
                        &run->error);
    if (sam_system_load(t->system, run->image, &run->error) != SAM_OK)
        return cli_report(&run->error);
    code = load_kernels(run);
    if (code == CLI_OK && !run->request->quiet && !time->raw)
        note_missing_kernels(run);
    return code;
}

int system_fill(struct run *run)
{
    const struct hart_request *r = &run->command->hart;
    struct run_arguments *passed = r->lowered ? NULL : &run->arguments;
    return tensor_fill(r, run->image, passed, run->tensor->hart)
               ?: system_load_weights(run->tensor->system, r, &run->arguments);
}

void system_free(struct tensor *t)
{
    sam_system_free(t->system);
    sam_profile_free(t->gpu_profile);
    for (size_t i = 0; i < t->kernel_count; i++)
        sam_image_free(t->kernels[i]);
    free(t->kernels);
}

/* --- reports, with the races of --check-races */

static json_t *side_of(const struct sam_system_race_side *side)
{
    json_t *row = REPORT(TEXT("unit", sam_system_agent_name(side->agent)),
                         TEXT("access", sam_system_access_name(side->access)));
    if (side->has_pc)
        row = report_count(row, "pc", side->pc);
    if (side->agent < SAM_SYSTEM_BY_GPU)
        return row;
    return REPORT_MORE(row, COUNT("number", side->number), COUNT("record", side->record),
                       COUNT("submitted_pc", side->submitted_pc));
}

static json_t *report_races(const struct sam_system *system, json_t *report)
{
    size_t count;
    uint64_t dropped;
    const struct sam_system_race *races = sam_system_races(system, &count, &dropped);
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++) {
        rows = report_add(rows, REPORT(COUNT("address", races[i].address),
                                       COUNT("size", races[i].size), COUNT("low", races[i].low),
                                       COUNT("high", races[i].high), COUNT("count", races[i].count),
                                       TREE("access", side_of(&races[i].access)),
                                       TREE("in_flight", side_of(&races[i].in_flight))));
    }
    return REPORT_MORE(report, TREE("races", rows), COUNT("races_dropped", dropped));
}

int system_print_races(const struct sam_system *system, FILE *text)
{
    struct sam_error error;
    size_t count;
    char *races = NULL;
    sam_system_races(system, &count, NULL);
    if (count == 0)
        return CLI_OK;
    fflush(text);
    return cli_print_text(sam_system_print_races(system, 0, &races, &error), &races, &error, stderr)
               ?: CLI_PROGRAM_FAILED;
}

json_t *system_report(const struct run *run, json_t *report)
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
    const struct sam_system *system = run->tensor->system;
    json_t *gpu = report_fields(json_object(), ventus_counts, sam_system_gpu_stats(system));
    report = REPORT_MORE(
        report, TREE("system", report_fields(json_object(), counts, sam_system_stats(system))),
        TREE("gpu", gpu));
    return run->command->system.options.check_races ? report_races(system, report) : report;
}

const char system_stats[] =
    "  launches     {system.launches:14}  {system.failed_launches} failed\n"
    "  gpu          {gpu.warp_insns:14}  warp instructions in {gpu.seconds:.3m} ms\n"
    "  records      {system.weight_records:14}  {system.failed_records} failed\n"
    "  registers    {system.register_loads:14}  loads, {system.register_stores} stores\n";

static int check(struct run *run)
{
    struct run_command *c = run->command;
    c->hart.system = &c->system;
    c->hart.cycles |= c->system.time.config || c->system.time.compare;
    c->run.words = c->hart.tile ? RUN_TILE_WORDS : RUN_WORDS;
    return lower_check(&c->hart) ?: tensor_check(&c->hart);
}

const struct machine machine_system = {
    .size = sizeof(struct tensor),
    .profile = offsetof(struct run_command, hart.profile),
    .check = check,
    .writes_stdout = tensor_writes_stdout,
    .open = tensor_open,
    .execute = tensor_execute,
    .close = tensor_close,
};
