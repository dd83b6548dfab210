/* SPDX-License-Identifier: Apache-2.0 */
/* `samite sweep PROGRAM --config KEY=V1,V2,...`: the cycle models under every combination. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cli_args.h"
#include "files.h"
#include "machine/lower.h"
#include "machine/system.h"
#include "progress.h"
#include "stop.h"
#include "sweep/sweep.h"

enum { MOST_JOBS = 256 };

struct state {
    struct sweep sweep;
    struct run_request run;
    enum run_machine machine;
    struct hart_request request;
    struct gpu_request gpu;
    struct system_request system;
    struct tile_request tile;
    struct sam_image *image;
    struct run_arguments arguments; /* of a system */
    unsigned jobs;
    bool json, merge;
    const char *csv, *html; /* "-" is standard output; NULL: not written */
    atomic_size_t next, finished;
    struct cli_progress progress; /* shown by the first thread alone */
};

/* ------------------------------------------------------------------------------- the runs */

static enum sam_status configure(const struct state *s, size_t index, struct hart_request *r,
                                 struct sam_error *error)
{
    const enum sam_status status = sweep_configure(&s->sweep, index, run_set_hart, r, error);
    return status == SAM_OK ? sam_mxu_config_check(&r->mxu, error) : status;
}

bool sweep_ended_well(const struct hart_request *r, const struct sam_hart_result *result,
                      struct sam_error *error)
{
    if (result->end == SAM_HART_EXIT && result->exit_code != 0)
        snprintf(error->text, sizeof error->text, "exit code %llu",
                 (unsigned long long)result->exit_code);
    else if (result->end == SAM_HART_EBREAK && r->ebreak != HART_EBREAK_ENDS)
        snprintf(error->text, sizeof error->text,
                 "%.300s: expected an exit (--ebreak ok accepts it)", result->text);
    else
        return true;
    return false;
}

static void run_one(struct state *s, size_t index)
{
    struct sweep_run *run = &s->sweep.runs[index];
    if (s->sweep.system) {
        sweep_system_run(&s->sweep, index, &s->request, s->image, &s->arguments, run);
        return;
    }
    struct hart_request r = s->request; /* its lists are shared, and read only */
    struct sam_hart_result result;
    struct sam_hart *hart = NULL;
    struct sam_hostio *host = NULL;
    if (configure(s, index, &r, &run->error) != SAM_OK)
        return;
    r.options.engines = &r.engines;
    if (s->sweep.matrix)
        r.options.cycles = &r.mxu;
    r.options.mlen = r.mxu.mlen;
    const bool hosted = run_hart_host(&r, NULL, &host) == CLI_OK; /* what it prints is dropped */
    r.options.hostio = host;
    if (!hosted || run_hart_make(&r, s->image, NULL, &hart) != CLI_OK) {
        snprintf(run->error.text, sizeof run->error.text, "the hart could not be made");
    } else if (sam_hart_run(hart, &result, &run->error) == SAM_OK &&
               sweep_ended_well(&s->request, &result, &run->error)) {
        if (s->sweep.matrix)
            run->stats = *sam_hart_cycles(hart);
        run->done = sam_hart_engines(hart, &run->engines);
    }
    sam_hart_free(hart);
    sam_hostio_free(host);
}

static int run_gpu_one(struct state *s, size_t index)
{
    struct sweep_run *run = &s->sweep.runs[index];
    struct gpu_request gpu = s->gpu;
    const size_t ranges = gpu.lds_ranges.count;
    gpu.cycles = true;
    if (sweep_configure(&s->sweep, index, run_set_gputime, &gpu.config, &run->error) != SAM_OK ||
        sam_gputime_config_check(&gpu.config, &run->error) != SAM_OK)
        return CLI_OK;
    int code = run_gpu_measure(&s->run, &gpu, &run->gpu);
    s->gpu.lds_ranges = gpu.lds_ranges; /* it may have moved; what a run added is its own */
    s->gpu.lds_ranges.count = ranges;
    run->error = run->gpu.error;
    run->done = code == CLI_OK;
    return code == CLI_OK || run->error.text[0] ? CLI_OK : code;
}

/* Launches run one at a time; each takes all the workers there is a use for. */
static int run_gpu_all(struct state *s)
{
    int code = CLI_OK;
    cli_progress_start(&s->progress, false);
    for (size_t i = 0; code == CLI_OK && !cli_stopped() && i < s->sweep.run_count; i++) {
        code = sweep_is_mine(&s->sweep, i) ? run_gpu_one(s, i) : CLI_OK;
        if (cli_progress_due(&s->progress))
            cli_progress_show(&s->progress, "sweep", i + 1, s->sweep.run_count, "runs", i + 1,
                              "runs");
    }
    cli_progress_clear(&s->progress);
    return code == CLI_OK && cli_stopped() ? cli_report_stop() : code;
}

static void run_counted(struct state *s, size_t index)
{
    if (sweep_is_mine(&s->sweep, index))
        run_one(s, index);
    atomic_fetch_add(&s->finished, 1);
}

static void *work(void *context)
{
    struct state *s = context;
    for (size_t i; !cli_stopped() && (i = atomic_fetch_add(&s->next, 1)) < s->sweep.run_count;)
        run_counted(s, i);
    return NULL;
}

/* The same on the thread that shows how far all of them are. */
static void work_and_show(struct state *s)
{
    cli_progress_start(&s->progress, false);
    for (size_t i; !cli_stopped() && (i = atomic_fetch_add(&s->next, 1)) < s->sweep.run_count;) {
        run_counted(s, i);
        const uint64_t finished = atomic_load(&s->finished);
        if (cli_progress_due(&s->progress))
            cli_progress_show(&s->progress, "sweep", finished, s->sweep.run_count, "runs", finished,
                              "runs");
    }
}

static int run_all(struct state *s)
{
    struct sweep *w = &s->sweep;
    pthread_t threads[MOST_JOBS];
    unsigned started = 0;
    w->run_count = 1;
    for (unsigned a = 0; a < w->axis_count; a++) {
        if (w->run_count > SWEEP_RUNS / w->axes[a].count)
            return cli_usage_error(s->run.args, "more than %d combinations", SWEEP_RUNS);
        w->run_count *= w->axes[a].count;
    }
    w->runs = calloc(w->run_count, sizeof *w->runs);
    if (!w->runs)
        return cli_no_memory();
    if (w->gpu)
        return run_gpu_all(s);
    while (started + 1 < s->jobs && pthread_create(&threads[started], NULL, work, s) == 0)
        started++;
    work_and_show(s);
    while (started)
        pthread_join(threads[--started], NULL);
    cli_progress_clear(&s->progress);
    return cli_stopped() ? cli_report_stop() : CLI_OK;
}

/* What would make every run fail, found before the first: the outputs, the program's memory. */
static int check_before(struct state *s)
{
    const struct hart_request *r = &s->request;
    const char *outputs[] = {s->csv, s->html};
    struct sam_hart *hart = NULL;
    int code = CLI_OK;
    for (size_t i = 0; code == CLI_OK && i < 2; i++)
        if (outputs[i])
            code = run_check_output(outputs[i]);
    if (code == CLI_OK && !s->sweep.gpu && !s->sweep.system)
        code = run_hart_make(r, s->image, NULL, &hart);
    sam_hart_free(hart);
    return code;
}

/* The matrix unit in time is there when the program's ISA has the unit. */
static int check_axes(struct state *s)
{
    struct sweep *w = &s->sweep;
    if (w->gpu || w->system)
        return CLI_OK;
    w->matrix = s->request.options.isa.extensions & SAM_EXT_XMATRIX;
    for (unsigned a = 0; a < w->axis_count; a++) {
        const struct sam_parameter *p;
        for (size_t i = 0; (p = sam_mxu_parameter(i)) && strcmp(p->name, w->axes[a].name) != 0;)
            i++;
        w->axes[a].matrix = p != NULL;
        if (p && !w->matrix)
            return cli_usage_error(s->run.args, "--config %s: %s has no matrix unit", p->name,
                                   s->request.isa);
    }
    return CLI_OK;
}

/* ---------------------------------------------------------------------------------- output */

static int write_text(const char *path, char *text)
{
    struct sam_error error;
    if (!text)
        return cli_no_memory();
    enum sam_status status = sam_file_save(path, text, strlen(text), &error);
    free(text);
    return status == SAM_OK ? CLI_OK : cli_report(&error);
}

/* The first run that failed. */
static int report_failures(const struct state *s)
{
    for (size_t i = 0; i < s->sweep.run_count; i++) {
        if (s->sweep.runs[i].done || !sweep_is_mine(&s->sweep, i))
            continue;
        cli_error("run %zu: %s", i + 1, s->sweep.runs[i].error.text);
        return CLI_PROGRAM_FAILED;
    }
    return CLI_OK;
}

/* The runs of a part, beside the table that they are part of. */
static int report_part(const struct state *s)
{
    char *name = sweep_part_name(&s->sweep, s->csv);
    const int code = name ? write_text(name, sweep_part_text(&s->sweep)) : cli_no_memory();
    free(name);
    return code;
}

static int report(const struct state *s)
{
    int code = s->json ? cli_json_print(sweep_json(&s->sweep)) : CLI_OK;
    if (code == CLI_OK && s->csv)
        code = write_text(s->csv, sweep_csv(&s->sweep));
    if (code == CLI_OK && s->html)
        code = write_text(s->html, sweep_page(&s->sweep));
    return code ?: report_failures(s);
}

/* No row length of the sweep contradicts --mlen. */
static int check_mlen(const struct state *s)
{
    int code = CLI_OK;
    for (unsigned a = 0; a < s->sweep.axis_count; a++) {
        const struct sweep_axis *axis = &s->sweep.axes[a];
        for (unsigned v = 0; code == CLI_OK && v < axis->count && strcmp(axis->name, "mlen") == 0;
             v++)
            code = run_hart_check_mlen(&s->request, (unsigned)strtoul(axis->values[v], NULL, 0));
    }
    return code;
}

/* Now, or what a reproducible build says is now. */
static int read_date(const struct cli_args *args, time_t *date)
{
    const char *text = getenv("SOURCE_DATE_EPOCH");
    uint64_t seconds;
    *date = time(NULL);
    if (!text)
        return CLI_OK;
    if (!sam_parse_u64(text, &seconds) || seconds > INT64_C(253402300799)) /* of the year 9999 */
        return cli_usage_error(args, "SOURCE_DATE_EPOCH=%s: expected seconds since 1970", text);
    *date = (time_t)seconds;
    return CLI_OK;
}

/* A launch is told by its kernel or its files. */
static int choose_machine(struct state *s)
{
    const char *first = s->run.files.count ? s->run.files.items[0] : "";
    if (!cli_given(s->run.args, "machine"))
        s->machine = s->gpu.kernel || cli_ends_with(first, ".metadata") ? RUN_VENTUS : RUN_TENSOR;
    const bool tile = cli_ends_with(first, ".pto");
    if (tile && cli_given(s->run.args, "machine") && (int)s->machine != SWEEP_SYSTEM)
        return cli_usage_error(s->run.args, "'%s': a tile program: expected --machine system",
                               first);
    if (tile)
        s->machine = (enum run_machine)SWEEP_SYSTEM;
    s->sweep.gpu = s->machine == RUN_VENTUS;
    s->sweep.system = (int)s->machine == SWEEP_SYSTEM;
    s->request.system = s->sweep.system ? &s->system : NULL;
    s->request.tile = tile ? &s->tile : NULL;
    if (s->sweep.system && !cli_given(s->run.args, "isa"))
        s->request.isa = NULL; /* that of a system */
    return cli_check_form(s->run.args, (int)s->machine);
}

/* No output of a kernel: every run would write it. */
static int check_arguments(const struct state *s)
{
    for (size_t i = 0; i < s->run.arguments.count; i++) {
        const char *word = s->run.arguments.items[i], *out = strstr(word, "out:");
        unsigned colons = 0;
        for (const char *at = out; at && *at; at++)
            colons += *at == ':';
        if (colons > 2 || (out && strstr(word, "inout:") && colons > 1))
            return cli_usage_error(s->run.args, "--arg %s: a sweep writes no outputs", word);
    }
    return CLI_OK;
}

static int check_request(struct state *s)
{
    int code = choose_machine(s);
    if (code == CLI_OK && !s->sweep.gpu)
        code = run_hart_check(&s->request);
    if (code == CLI_OK && s->sweep.gpu)
        code = run_gpu_check(&s->run, &s->gpu);
    code = code ?: check_arguments(s);
    if (code == CLI_OK && s->sweep.system)
        code = run_lower_check(&s->request);
    if (code == CLI_OK && s->request.tile)
        code = run_tile_name_arguments(&s->run);
    if (code == CLI_OK && s->sweep.system)
        code = run_arguments_parse(s->run.args, &s->run.arguments, &s->arguments);
    return code ?: sweep_check_values(&s->sweep, s->run.args)
        ?: sweep_check_columns(&s->sweep, s->run.args);
}

/* --merge TABLE: the parts beside it. Into the page go the words of the parts' command and the name
 * of the page, as one process would have them. */
static int merge(struct state *s)
{
    static char html[] = "--html";
    struct cli_args *args = s->run.args;
    struct sweep *w = &s->sweep;
    struct sam_error error = {0};
    json_t *first = NULL;
    if (s->run.files.count != 1 || w->axis_count || w->part.count)
        return cli_usage_error(args, "--merge takes the name of the table, and neither a program "
                                     "nor --config nor --part");
    const char *name = s->run.files.items[0];
    if (!s->csv && !s->json)
        s->csv = name;
    int code = CLI_OK;
    if (!sweep_parts_read(w, name, &first, &error))
        code = cli_report(&error);
    code = code ?: sweep_check_columns(w, args);
    if (code == CLI_OK && s->html) {
        w->words[w->word_count++] = html;
        w->words[w->word_count++] = (char *)(uintptr_t)s->html;
    }
    if (code == CLI_OK) {
        sweep_choose_models(w);
        code = report(s);
    }
    free(w->runs);
    free(w->words);
    json_decref(first);
    return code;
}

static int check_part(const struct state *s)
{
    if (s->sweep.part.count == 0)
        return CLI_OK;
    if (!s->csv || strcmp(s->csv, "-") == 0)
        return cli_usage_error(s->run.args, "--part needs -o FILE, beside which it writes "
                                            "FILE.part-I-of-N");
    if (s->html || s->json || s->sweep.columns)
        return cli_usage_error(s->run.args, "--%s belongs to --merge, once all parts are there",
                               s->html   ? "html"
                               : s->json ? "json"
                                         : "columns");
    return CLI_OK;
}

static int run(struct cli_args *args)
{
    struct state s = {.run = {.args = args, .quiet = true}, .jobs = 1};
    run_hart_defaults(&s.request, &s.run);
    run_gpu_defaults(&s.gpu);
    s.request.isa = "tensor";
    int code = cli_read(args, &s);
    if (code == CLI_OK && s.merge)
        return merge(&s);
    code = code ?: check_part(&s) ?: check_request(&s);
    if (code == CLI_OK && !s.csv && !s.json)
        s.csv = "-";
    if (code == CLI_OK && s.json &&
        ((s.csv && strcmp(s.csv, "-") == 0) || (s.html && strcmp(s.html, "-") == 0)))
        code = cli_usage_error(args, "--json needs standard output for itself");
    if (code == CLI_OK && s.csv)
        code = cli_writes(args, s.csv);
    if (code == CLI_OK && s.html)
        code = cli_writes(args, s.html);
    if (code == CLI_OK && s.sweep.axis_count == 0)
        code = cli_usage_error(args, "no --config to sweep");
    code = code ?: check_mlen(&s);
    if (code == CLI_OK) {
        s.sweep.program = s.run.files.items[0];
        s.sweep.words = args->words;
        s.sweep.word_count = args->count;
        s.request.options.stop = cli_stop_flag();
        if (!s.sweep.gpu)
            code = run_hart_load(&s.request, &s.arguments, &s.image);
        if (s.request.lowered) { /* each run lowers the program for itself */
            run_lower_close(&s.request);
            s.image = NULL;
        }
    }
    code = code ?: check_axes(&s) ?: read_date(args, &s.sweep.date);
    cli_catch_signals();
    code = code ?: check_before(&s) ?: run_all(&s);
    if (code == CLI_OK) {
        sweep_choose_models(&s.sweep);
        code = s.sweep.part.count ? report_part(&s) : report(&s);
        if (code == CLI_OK && s.sweep.part.count)
            code = report_failures(&s);
    }
    free(s.sweep.runs);
    sam_image_free(s.image);
    run_arguments_free(&s.arguments);
    return code;
}

enum { VENTUS = 1 << RUN_VENTUS, TENSOR = 1 << RUN_TENSOR, SYSTEM = 1 << SWEEP_SYSTEM };

static const struct cli_option options[] = {
    CLI_ROW(
        struct state, machine, "machine", CLI_CHOICE, NULL,
        "tensor (the default), ventus (implied by --kernel and .metadata), or system (implied by "
        "PROGRAM.pto)",
        .choices = "ventus tensor system"),
    {.name = "config",
     .grammar = CLI_PARSE,
     .argument = "KEY=V,V,...",
     CLI_AT(struct state, sweep),
     .parse = sweep_parse_config,
     .repeats = true,
     .names = sweep_key,
     .prefixes = sweep_key_prefix,
     .suffixes = "",
     .help = "a parameter of the machine and its values; or a file of KEY=N, which hold for all "
             "runs; repeatable; --config help lists the parameters"},
    CLI_OUTPUT(struct state, csv, "one line per run, as CSV (standard output)"),
    CLI_ROW(struct state, html, "html", CLI_TEXT, "FILE",
            "a page with charts, stall causes and a table", .suffixes = ".html"),
    CLI_JSON(struct state, json, "one row per run, as JSON on standard output"),
    CLI_ROW(struct state, sweep.columns, "columns", CLI_PARSE, "NAME,...",
            "only these columns after the parameters, in CSV and JSON; cycles,GPU_* means cycles "
            "and all that begin with GPU_; --columns help lists them (all)",
            .parse = sweep_parse_columns),
    CLI_PART(struct state, sweep.part),
    CLI_ROW(struct state, merge, "merge", CLI_FLAG, NULL,
            "make the table (and --html, --json) out of the parts beside it"),
    CLI_JOBS(struct state, jobs, "runs at a time; launches run one at a time"),
    {.name = "isa",
     .letter = 'i',
     .grammar = CLI_TEXT,
     .argument = "STRING",
     CLI_AT(struct state, request.isa),
     .names = cli_isa_name,
     .forms = TENSOR | SYSTEM,
     .help = "instruction set (tensor; of a system as for `samite run`)"},
    CLI_ROW(
        struct state, run.arguments, "arg", CLI_LIST, "ARG",
        "the next argument of the kernel or program: in:FILE.npy, out:TYPE:COUNT, inout:IN.npy, "
        "local:BYTES (of a kernel) or TYPE:VALUE",
        .forms = VENTUS | SYSTEM),
    CLI_ROW(struct state, run.max_insns, "max-insns", CLI_NUMBER, "N",
            "fail when a warp of a kernel, or the program of the hart, executes more than N "
            "instructions"),
    CLI_DEFINE(struct state, run.defines),
    CLI_INCLUDE(struct state, run.includes),
    {0},
};

/* The start of the program is described as for `samite run`. */
static const struct cli_group groups[] = {
    {"Options of --machine tensor and system", run_hart_start_rows, offsetof(struct state, request),
     TENSOR | SYSTEM},
    {"Options of --machine system", run_system_start_rows, offsetof(struct state, system), SYSTEM},
    {"Options of tile programs on --machine system", run_tile_shared_rows,
     offsetof(struct state, tile), SYSTEM},
    {NULL, run_lower_profile_rows, offsetof(struct state, tile), SYSTEM},
    {"Options of --machine ventus", run_launch_rows, offsetof(struct state, gpu), VENTUS},
    {0},
};

static const struct cli_form machines[] = {
    [RUN_VENTUS] = {.name = "ventus",
                    .summary = "launches on the GPU in time",
                    .usage = "[options] PROGRAM --kernel NAME --grid X --block X --arg ...\n"
                             "[options] A.metadata A.data [B.metadata B.data ...]",
                    .details = "Launches are described as for `samite run`; nothing that they "
                               "compute is written.\n",
                    .examples =
                        "  samite sweep sgemm.s --kernel sgemm --grid 8,8 --block 16,16 \\\n"
                        "      --arg in:a.npy --arg in:b.npy --arg out:f32:128x128 \\\n"
                        "      --config sms=1,2,4 --config mem_latency=50,200 --html "
                        "out.html\n"},
    [RUN_TENSOR] = {.name = "tensor",
                    .summary = "a program on the tensor hart",
                    .usage = "[options] PROGRAM",
                    .details = "The engines and, where --isa says so, the matrix unit in time.\n",
                    .examples = "  samite sweep gemm.s --config mpara=2,4,8 --config slots=2,4 "
                                "-j 4 \\\n    -o out.csv --html out.html\n"},
    [SWEEP_SYSTEM] = {.name = "system",
                      .suffix = ".pto",
                      .summary = "a program on the system: the hart, a GPU and a weight unit",
                      .usage = "--machine system [options] PROGRAM\n"
                               "[options] PROGRAM.pto --arg ...",
                      .details = "The parameters are those of `samite run --machine system "
                                 "--config`; wu.raw=0,1\ncompares packed with raw weights. A tile "
                                 "program is lowered for each run.\n",
                      .examples = "  samite sweep layer.s --machine system --gpu-code gpu.s \\\n"
                                  "      --weights layer.smw --config mem.dram_bytes=4,16,64 \\\n"
                                  "      --config wu.raw=0,1 --html out.html\n"},
    {0},
};

const struct cli_verb verb_sweep = {
    .name = "sweep",
    .summary = "run a program or a kernel under many configurations of its machine in time",
    .usage = "[options] PROGRAM\n"
             "[options] PROGRAM --kernel NAME --grid X --block X --arg ...\n"
             "[options] PROGRAM.pto --arg ...\n"
             "--merge [options] TABLE",
    .options = options,
    .groups = groups,
    .operand = {.name = "program",
                .grammar = CLI_PARSE,
                .parse = run_parse_file,
                .low = 1,
                .suffixes = ".s .S .elf .riscv .metadata .data .pto",
                CLI_AT(struct state, run)},
    .forms = machines,
    .form_option = "machine",
    .form_word = "machine",
    .details =
        "Every combination of the values is one run. A run that fails, or a combination that\n"
        "cannot be built, says so in its last column, and the exit code is 1.\n\n"
        "With --part I/N, every N-th run beginning with run I goes to FILE.part-I-of-N; sweep\n"
        "--merge FILE makes of all parts what one process would have made: docs/clusters.md.\n\n"
        "The page is dated by SOURCE_DATE_EPOCH where that is set.\n",
    .examples = "  samite sweep gemm.s --config mpara=2,4,8 --config slots=2,4 -j 4 \\\n"
                "    -o out.csv --html out.html\n",
    .run = run,
};
