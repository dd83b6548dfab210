/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a sweep: each is a run of the machine without output. */
#include <pthread.h>
#include <stdlib.h>

#include "sweep/sweep.h"

enum { MOST_JOBS = 256 };

/* Give the machine of a run its values, with timing on. */
static enum sam_status configure(const struct sweep *s, size_t index, struct run_command *c,
                                 struct sam_error *error)
{
    const enum sam_status status = sweep_configure(s, index, c, error);
    c->gpu.cycles = c->hart.cycles = true;
    c->hart.options.mlen = c->hart.mxu.mlen;
    c->hart.system = s->form == SWEEP_SYSTEM ? &c->system : NULL;
    if (s->form == SWEEP_SYSTEM || status != SAM_OK)
        return status;
    return s->form == RUN_VENTUS ? sam_gputime_config_check(&c->gpu.config, error)
                                 : sam_mxu_config_check(&c->hart.mxu, error);
}

/* Whether the program ended successfully, as in `samite run`. */
static bool ended_well(const struct hart_request *r, const struct tensor *t,
                       const struct sam_hart_result *result, struct sam_error *error)
{
    if (result->end == SAM_HART_EXIT && result->exit_code != 0 && r->lowered &&
        sam_tile_lowered_failure(r->lowered->made, t->system, error) != SAM_OK)
        return false;
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

static bool measure_hart(struct run *run, struct sweep_run *out)
{
    const struct tensor *t = run->tensor;
    struct sam_system_figures *figures;
    struct sam_hart_result result;
    if (tensor_run(run, &result) != SAM_OK ||
        !ended_well(&run->command->hart, t, &result, &run->error) ||
        (t->system && sam_system_measure(t->system, &figures, &run->error) != SAM_OK)) {
        out->error = run->error;
        return false;
    }
    if (!t->system) {
        const struct sam_mxu_stats *matrix = sam_hart_cycles(t->hart);
        if (matrix)
            out->stats = *matrix;
        return sam_hart_engines(t->hart, &out->engines);
    }
    sweep_keep_system(figures, &out->system);
    sam_system_figures_free(figures);
    return true;
}

/* A run without output, with its machine opened. Its arguments have their own items, the arrays
 * are shared; so is the program, except a tile program. */
static int open_silent(const struct sweep_request *s, struct run_command *command, struct run *run)
{
    const struct run_arguments *shared = &s->arguments;
    int code = run_begin(run, command);
    run->text = NULL;
    run->image = s->image;
    if (code == CLI_OK && s->sweep.form == RUN_VENTUS) { /* a kernel writes to the arrays */
        code = run_arguments_parse(&s->command.run, &run->arguments);
    } else if (code == CLI_OK && shared->count) {
        run->arguments = *shared;
        run->arguments.items = malloc(shared->count * sizeof *shared->items);
        if (!run->arguments.items)
            return cli_no_memory();
        memcpy(run->arguments.items, shared->items, shared->count * sizeof *shared->items);
    }
    return code ?: run->machine->open(run);
}

static void close_silent(const struct sweep_request *s, struct run *run)
{
    if (s->sweep.form != RUN_VENTUS) {
        free(run->arguments.items);
        run->arguments = (struct run_arguments){0};
    }
    if (run->image == s->image)
        run->image = NULL;
    run_end(run);
}

static int run_one(struct sweep_request *s, size_t index)
{
    struct sweep_run *out = &s->sweep.runs[index];
    struct run_command command = s->command; /* its lists are shared and read-only */
    struct run run;
    int code = CLI_OK;
    if (configure(&s->sweep, index, &command, &out->error) == SAM_OK) {
        code = open_silent(s, &command, &run);
        if (s->sweep.form == RUN_VENTUS) {
            code = code ?: run.machine->execute(&run);
            out->gpu = run.ventus->measure;
            out->done = code == CLI_OK;
            if (code == CLI_PROGRAM_FAILED) {
                out->error = run.error;
                code = CLI_OK;
            }
            /* it may have moved; items added by a run belong to it */
            s->command.gpu.lds_ranges.items = command.gpu.lds_ranges.items;
        } else if (code == CLI_OK) {
            out->done = measure_hart(&run, out);
        } else if (*run.error.text) {
            out->error = run.error;
            code = CLI_OK;
        } else {
            snprintf(out->error.text, sizeof out->error.text, "the %s could not be %s",
                     s->sweep.form == SWEEP_SYSTEM
                         ? s->command.hart.tile && !run.image ? "program" : "system"
                         : "hart",
                     s->command.hart.tile && !run.image ? "lowered" : "made");
            code = CLI_OK;
        }
        close_silent(s, &run);
    }
    sam_system_config_free(command.system.time.config);
    return code;
}

/* Take runs until none is left; one thread prints the progress of all. */
static void take_runs(struct sweep_request *s, bool shows)
{
    const size_t count = s->sweep.run_count;
    for (size_t i; !cli_stopped() && !s->failed && (i = atomic_fetch_add(&s->next, 1)) < count;) {
        const int code = sweep_is_mine(&s->sweep, i) ? run_one(s, i) : CLI_OK;
        const uint64_t finished = atomic_fetch_add(&s->finished, 1) + 1;
        if (code != CLI_OK)
            s->failed = code;
        if (shows)
            cli_progress_show(&s->progress, "sweep", finished, count, "runs", finished, "runs");
    }
}

static void *work(void *context)
{
    take_runs(context, false);
    return NULL;
}

int sweep_run_all(struct sweep_request *s)
{
    struct sweep *w = &s->sweep;
    pthread_t threads[MOST_JOBS];
    unsigned started = 0;
    w->run_count = 1;
    for (unsigned a = 0; a < w->axis_count; a++) {
        if (w->run_count > SWEEP_RUNS / w->axes[a].count)
            return cli_usage_error(s->command.run.args, "more than %d combinations", SWEEP_RUNS);
        w->run_count *= w->axes[a].count;
    }
    w->runs = calloc(w->run_count, sizeof *w->runs);
    if (!w->runs)
        return cli_no_memory();
    cli_progress_start(&s->progress, false);
    /* Launches run one at a time; each uses all useful workers. */
    while (w->form != RUN_VENTUS && started + 1 < s->jobs &&
           pthread_create(&threads[started], NULL, work, s) == 0)
        started++;
    take_runs(s, true);
    while (started)
        pthread_join(threads[--started], NULL);
    cli_progress_clear(&s->progress);
    return s->failed ?: cli_stopped() ? cli_report_stop() : CLI_OK;
}

/* Check, before the first run, the requirements of every run: the outputs, the program's memory. */
int sweep_check_before(struct sweep_request *s)
{
    const char *outputs[] = {s->csv, s->html};
    struct run run;
    int code = CLI_OK;
    for (size_t i = 0; code == CLI_OK && i < 2; i++)
        if (outputs[i])
            code = run_check_output(outputs[i]);
    if (code != CLI_OK || s->sweep.form != RUN_TENSOR)
        return code;
    code = open_silent(s, &s->command, &run);
    close_silent(s, &run);
    return code;
}
