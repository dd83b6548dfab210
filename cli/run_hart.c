/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --machine tensor PROGRAM`: a program on the tensor hart. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run_hart.h"

struct state {
    struct hart_request request;
    struct sam_hart *hart;
    struct sam_image *image;
    struct cli_output *trace, *traces[HART_TRACES];
    FILE *text; /* where people read: stdout unless that carries data */
    struct sam_error error;
};

static int prepare(struct state *s)
{
    struct hart_request *r = &s->request;
    r->options.stop = run_stop_flag();
    if (r->traced) {
        if (!(s->trace = cli_output_open(r->trace, &s->error)))
            return cli_report(&s->error);
        r->options.trace = (struct sam_sink){cli_output_write, s->trace};
    }
    struct sam_sink *const sinks[HART_TRACES] = {&r->options.konata, &r->options.perfetto,
                                                 &r->options.vcd, &r->options.bus};
    for (int i = 0; i < HART_TRACES; i++) {
        if (!r->traces[i])
            continue;
        if (!(s->traces[i] = cli_output_open(r->traces[i], &s->error)))
            return cli_report(&s->error);
        *sinks[i] = (struct sam_sink){cli_output_write, s->traces[i]};
    }
    return run_hart_make(r, s->image, &s->hart);
}

static bool read_memory(void *context, uint64_t address, void *data, size_t size,
                        struct sam_error *error)
{
    return sam_hart_read(context, address, data, size, error) == SAM_OK;
}

/* What the user asked to see, whatever ended the run. */
static int show_results(struct state *s, const struct sam_hart_result *result, double seconds)
{
    const struct hart_request *r = &s->request;
    int code = CLI_OK;
    if (!r->quiet)
        run_hart_report(r, result, seconds, s->text);
    if (r->stats == RUN_STATS_TEXT)
        run_hart_report_stats(sam_hart_stats(s->hart), s->text);
    if (r->cycles && !r->quiet)
        run_hart_report_cycles(&r->config, sam_hart_cycles(s->hart), s->text);
    for (size_t i = 0; i < r->tl_count; i++)
        run_hart_report_tl(s->hart, r->tls[i], s->text);
    for (size_t i = 0; i < r->m_count; i++)
        run_hart_report_m(s->hart, r->ms[i], s->text);
    for (size_t i = 0; code == CLI_OK && i < r->dumps.count; i++) {
        const struct hart_range *d = &r->dumps.items[i];
        code = run_dump_memory(read_memory, s->hart, d->base, d->size, d->path);
    }
    if (r->stats == RUN_STATS_JSON && code == CLI_OK)
        code = run_hart_report_json(r, result, s->hart, seconds);
    return code;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What the cycle model has told, under the names asked for. */
static int end_traces(struct state *s)
{
    struct sam_error error;
    int code = CLI_OK;
    if (sam_hart_end_traces(s->hart, &error) != SAM_OK)
        return cli_report(&error);
    for (int i = 0; i < HART_TRACES; i++) {
        if (s->traces[i] && !cli_output_commit(s->traces[i], &error))
            code = cli_report(&error);
        s->traces[i] = NULL;
    }
    return code;
}

static int execute(struct state *s)
{
    struct sam_hart_result result;
    run_catch_signals();
    double started = now();
    enum sam_status status = sam_hart_run(s->hart, &result, &s->error);
    double seconds = now() - started;
    int code = CLI_OK;
    if (s->trace && status != SAM_ERR_IO) {
        struct sam_error error;
        if (!cli_output_commit(s->trace, &error))
            code = cli_report(&error);
        s->trace = NULL;
    }
    int ended = end_traces(s);
    code = code == CLI_OK ? ended : code;
    if (status == SAM_OK || status == SAM_ERR_TRAP) {
        int shown = show_results(s, &result, seconds);
        code = code == CLI_OK ? shown : code;
    }
    fflush(s->text);
    if (status != SAM_OK) {
        int failed = cli_report(&s->error);
        code = code == CLI_OK ? failed : code;
    } else if (result.end == SAM_HART_EXIT && result.exit_code != 0) {
        fprintf(stderr, "samite: error: %s: exit code %llu\n",
                run_hart_name(s->request.files.items[0]), (unsigned long long)result.exit_code);
        code = code == CLI_OK ? CLI_PROGRAM_FAILED : code;
    }
    return code;
}

int run_hart(const struct run_words *words)
{
    struct state s = {.text = stdout};
    int code = run_hart_request(words, &s.request);
    bool data = s.request.stats == RUN_STATS_JSON ||
                (s.request.traced && strcmp(s.request.trace, "-") == 0);
    for (int i = 0; i < HART_TRACES; i++)
        data |= s.request.traces[i] && strcmp(s.request.traces[i], "-") == 0;
    for (size_t i = 0; i < s.request.dumps.count; i++)
        data |= strcmp(s.request.dumps.items[i].path, "-") == 0;
    s.text = data ? stderr : stdout;
    if (code == CLI_OK)
        code = run_hart_load(&s.request, &s.image);
    if (code == CLI_OK)
        code = prepare(&s);
    if (code == CLI_OK)
        code = execute(&s);
    sam_hart_free(s.hart); /* its traces go to the files */
    cli_output_abort(s.trace);
    for (int i = 0; i < HART_TRACES; i++)
        cli_output_abort(s.traces[i]);
    sam_image_free(s.image);
    run_hart_request_free(&s.request);
    return code;
}
