/* SPDX-License-Identifier: Apache-2.0 */
/* `samite sweep PROGRAM --config KEY=V1,V2,...`: the cycle model under every combination. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "run_hart.h"
#include "sweep.h"

enum { OPT_SWEEP_CONFIG = 1024, OPT_HTML, MOST_JOBS = 256 };

struct state {
    struct sweep sweep;
    struct run_words words; /* of the hart */
    struct hart_request request;
    struct sam_image *image;
    unsigned jobs;
    const char *csv, *html;
    atomic_size_t next;
};

/* "mpara=2,4,8" */
static int add_axis(struct state *s, const char *text)
{
    const struct cli_args *args = s->words.args;
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || equals - text >= 32 || s->sweep.axis_count == SWEEP_AXES)
        return cli_usage_error(args, "--config %s: expected KEY=VALUE,VALUE,... for up to %d keys",
                               text, SWEEP_AXES);
    struct sweep_axis *axis = &s->sweep.axes[s->sweep.axis_count++];
    snprintf(axis->name, sizeof axis->name, "%.*s", (int)(equals - text), text);
    for (const char *at = equals + 1; at; at = strchr(at, ',')) {
        at += *at == ',';
        const size_t size = strcspn(at, ",");
        char word[80];
        struct sam_mxu_config config;
        struct sam_error error;
        if (axis->count == SWEEP_VALUES || size == 0 || size >= sizeof axis->values[0])
            return cli_usage_error(args, "--config %s: up to %d values, none empty", text,
                                   SWEEP_VALUES);
        snprintf(axis->values[axis->count], sizeof axis->values[0], "%.*s", (int)size, at);
        snprintf(word, sizeof word, "%s=%s", axis->name, axis->values[axis->count]);
        sam_mxu_config_init(&config, 512);
        if (sam_mxu_config_set(&config, word, &error) != SAM_OK)
            return cli_usage_error(args, "--config: %s", error.text);
        axis->count++;
    }
    return CLI_OK;
}

static int add_word(struct run_words *words, int option, const char *value)
{
    struct run_word *items = realloc(words->items, (words->count + 1) * sizeof *items);
    if (!items)
        return run_out_of_memory();
    words->items = items;
    words->items[words->count++] = (struct run_word){option, value};
    return CLI_OK;
}

static int read_words(struct cli_args *args, struct state *s)
{
    const char *value;
    int code = CLI_OK;
    uint64_t jobs;
    s->words.args = args;
    s->jobs = 1;
    for (int option; code == CLI_OK && (option = cli_next(args, &value)) != CLI_END;) {
        switch (option) {
        case CLI_ERROR: return CLI_BAD_INPUT;
        case OPT_SWEEP_CONFIG: code = add_axis(s, value); break;
        case OPT_HTML: s->html = value; break;
        case 'o': s->csv = value; break;
        case 'j':
            code = run_parse_number(args, "jobs", value, MOST_JOBS, &jobs);
            s->jobs = code == CLI_OK && jobs ? (unsigned)jobs : 1;
            break;
        default: code = add_word(&s->words, option, value); break;
        }
    }
    return code;
}

/* ------------------------------------------------------------------------------- the runs */

static enum sam_status configure(const struct state *s, size_t index, struct hart_request *r,
                                 struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    r->mxu = s->request.mxu;
    for (unsigned a = 0; status == SAM_OK && a < s->sweep.axis_count; a++) {
        char word[80];
        const struct sweep_axis *axis = &s->sweep.axes[a];
        snprintf(word, sizeof word, "%s=%s", axis->name,
                 axis->values[sweep_value(&s->sweep, index, a)]);
        status = sam_mxu_config_set(&r->mxu, word, error);
    }
    return status == SAM_OK ? sam_mxu_config_check(&r->mxu, error) : status;
}

static void run_one(struct state *s, size_t index)
{
    struct sweep_run *run = &s->sweep.runs[index];
    struct hart_request r = s->request; /* its lists are shared, and read only */
    struct sam_hart_result result;
    struct sam_hart *hart = NULL;
    if (configure(s, index, &r, &run->error) != SAM_OK)
        return;
    r.options.cycles = &r.mxu;
    r.options.mlen = r.mxu.mlen;
    if (run_hart_make(&r, s->image, NULL, &hart) != CLI_OK) {
        snprintf(run->error.text, sizeof run->error.text, "the hart could not be made");
    } else if (sam_hart_run(hart, &result, &run->error) == SAM_OK) {
        run->stats = *sam_hart_cycles(hart);
        run->done = true;
    }
    sam_hart_free(hart);
}

static void *work(void *context)
{
    struct state *s = context;
    for (size_t i; (i = atomic_fetch_add(&s->next, 1)) < s->sweep.run_count;)
        run_one(s, i);
    return NULL;
}

static int run_all(struct state *s)
{
    struct sweep *w = &s->sweep;
    pthread_t threads[MOST_JOBS];
    unsigned started = 0;
    w->run_count = 1;
    for (unsigned a = 0; a < w->axis_count; a++) {
        if (w->run_count > SWEEP_RUNS / w->axes[a].count)
            return cli_usage_error(s->words.args, "more than %d combinations", SWEEP_RUNS);
        w->run_count *= w->axes[a].count;
    }
    w->runs = calloc(w->run_count, sizeof *w->runs);
    if (!w->runs)
        return run_out_of_memory();
    while (started + 1 < s->jobs && pthread_create(&threads[started], NULL, work, s) == 0)
        started++;
    work(s);
    while (started)
        pthread_join(threads[--started], NULL);
    return CLI_OK;
}

/* ---------------------------------------------------------------------------------- output */

static int write_text(const char *path, char *text)
{
    struct sam_error error;
    if (!text)
        return run_out_of_memory();
    enum sam_status status = sam_file_save(path, text, strlen(text), &error);
    free(text);
    return status == SAM_OK ? CLI_OK : cli_report(&error);
}

static int report(const struct state *s)
{
    int code = write_text(s->csv ? s->csv : "-", sweep_csv(&s->sweep));
    if (code == CLI_OK && s->html)
        code = write_text(s->html, sweep_html(&s->sweep));
    for (size_t i = 0; code == CLI_OK && i < s->sweep.run_count; i++) {
        if (!s->sweep.runs[i].done) {
            fprintf(stderr, "samite: error: run %zu: %s\n", i + 1, s->sweep.runs[i].error.text);
            code = CLI_PROGRAM_FAILED;
        }
    }
    return code;
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

static int run(struct cli_args *args)
{
    struct state s = {.csv = NULL};
    int code = read_words(args, &s);
    if (code == CLI_OK)
        code = run_hart_request(&s.words, &s.request);
    if (code == CLI_OK && s.csv)
        code = cli_writes(args, s.csv);
    if (code == CLI_OK && s.html)
        code = cli_writes(args, s.html);
    if (code == CLI_OK && s.sweep.axis_count == 0)
        code = cli_usage_error(args, "no --config to sweep");
    if (code == CLI_OK)
        code = check_mlen(&s);
    if (code == CLI_OK) {
        if (!s.request.isa)
            s.request.isa = "tensor";
        s.sweep.program = s.request.files.items[0];
        code = run_hart_load(&s.request, &s.image);
    }
    if (code == CLI_OK)
        code = run_all(&s);
    if (code == CLI_OK)
        code = report(&s);
    free(s.sweep.runs);
    free(s.words.items);
    sam_image_free(s.image);
    run_hart_request_free(&s.request);
    return code;
}

static const struct cli_option options[] = {
    {OPT_SWEEP_CONFIG, "config", "KEY=V,V,...",
     "a parameter of the cycle model and its values; repeatable"},
    {'o', "output", "FILE", "a line a run, as CSV (standard output)"},
    {OPT_HTML, "html", "FILE", "a page with charts"},
    {'j', "jobs", "N", "runs at a time"},
    {OPT_MLEN, "mlen", "BITS", "row of a matrix register: 128, 256 or 512 (512)"},
    {OPT_ISA, "isa", "STRING", "instruction set (tensor)"},
    {OPT_REG, "reg", "REG=VALUE", "an integer register at the start; repeatable"},
    {OPT_MEM, "mem", "BASE:FILE", "map memory and fill it from the file; repeatable"},
    {OPT_MAP, "map", "BASE:SIZE", "map memory of zeros; repeatable"},
    {'D', "define", "NAME=VALUE", "for the assembler, as .set; repeatable"},
    {'I', "include", "DIR", "search .include files there too; repeatable"},
    {0},
};

const struct cli_verb verb_sweep = {
    .name = "sweep",
    .summary = "run a program under many configurations of the matrix unit",
    .usage = "[options] PROGRAM",
    .options = options,
    .details = "Every combination of the values is one run; a combination that no unit can have\n"
               "says so in its last column, and the exit code is 1 then.\n\n"
               "Example:\n"
               "  samite sweep gemm.s --config mpara=2,4,8 --config slots=2,4 -j 4 \\\n"
               "    -o out.csv --html out.html\n",
    .run = run,
};
