/* SPDX-License-Identifier: Apache-2.0 */
/* Launches in time, one after another. */
#include "system/gpu_time.h"

#include <stdlib.h>

struct job {
    struct job *next;
    struct sam_gpu_recording *recording;
    uint64_t number, submitted;
    uint64_t from; /* it may begin */
};

struct system_gpu_time {
    struct sam_gputime_config config;
    uint32_t launch_cycles;
    struct sam_clock *clock;
    struct sam_gputime_memory memory;
    struct system_gpu_watch watch;
    unsigned unit;             /* of the clock */
    struct job *first, **last; /* the running one, and those that wait */
    bool running;
    uint64_t submitted, begun, ended;
    /* the running one */
    uint64_t begun_at, first_at;
    struct sam_gputime *model;
    struct sam_gputime_source source;
    uint64_t since; /* accounted for up to there */
    enum sam_status status;
    struct sam_error error;
    struct system_gpu_figures figures;
};

const char *sam_system_gpu_cycle_name(unsigned cycle)
{
    static const char *const names[SYSTEM_GPU_CYCLES] = {
        [SYSTEM_GPU_RUNS] = "runs",
        [SYSTEM_GPU_LAUNCH] = "launch",
        [SYSTEM_GPU_FLUSH] = "flush",
        [SYSTEM_GPU_EMPTY] = "empty",
    };
    return cycle < SYSTEM_GPU_CYCLES ? names[cycle] : "?";
}

/* -------------------------------------------------------------------------------- accounts */

static void spend(struct system_gpu_time *u, enum system_gpu_cycle kind, uint64_t to)
{
    if (to <= u->since)
        return;
    u->figures.cycles[kind] += to - u->since;
    u->since = to;
}

/* The running launch is set up until its first warp starts; what it did after that is known at its
 * end. */
static void account(struct system_gpu_time *u, uint64_t now)
{
    if (u->running)
        spend(u, SYSTEM_GPU_LAUNCH, now < u->first_at ? now : u->first_at);
    else
        spend(u, SYSTEM_GPU_EMPTY, now);
}

static void add_energy(struct system_gpu_figures *f, const struct sam_gputime_config *config,
                       const struct sam_gputime_result *result)
{
    struct sam_energy energy;
    sam_gputime_energy(config, result, &energy);
    for (unsigned i = SAM_ENERGY_gpu_insn; i <= SAM_ENERGY_gpu_lds_turn; i++)
        f->energy.count[i] += energy.count[i];
}

static void add_result(struct system_gpu_time *u, const struct sam_gputime_result *result,
                       uint64_t now)
{
    struct system_gpu_figures *f = &u->figures;
    spend(u, SYSTEM_GPU_RUNS, u->first_at + result->cycles);
    spend(u, SYSTEM_GPU_FLUSH, now + 1);
    f->insns += result->insns;
    add_energy(f, &u->config, result);
    f->sm_cycles += result->cycles;
    for (uint32_t i = 0; i < f->sms; i++)
        for (unsigned k = 0; k < SAM_GPUTIME_REASONS; k++)
            f->sm[i][k] += result->sm[i].reasons[k];
}

/* -------------------------------------------------------------------------------- launches */

static void fail(struct system_gpu_time *u, enum sam_status status, const struct sam_error *error)
{
    if (u->status != SAM_OK)
        return;
    u->status = status;
    u->error = *error;
}

static void begin(struct system_gpu_time *u, uint64_t now)
{
    const struct job *job = u->first;
    struct sam_error error;
    account(u, now);
    u->running = true;
    u->begun++;
    sam_clock_interrupt(u->clock); /* its place in the queue is free */
    u->begun_at = now;
    u->first_at = now + u->launch_cycles;
    u->source = sam_gpu_recording_source(job->recording);
    const enum sam_status status =
        sam_gputime_open(&u->config, sam_gpu_recording_facts(job->recording), &u->source, NULL,
                         &u->memory, &u->model, &error);
    if (status != SAM_OK) {
        u->model = NULL;
        fail(u, status, &error);
    }
}

/* The model has ended: its last store is in memory. */
static void finish(struct system_gpu_time *u, uint64_t now)
{
    struct job *job = u->first;
    struct sam_gputime_result result;
    struct sam_error error;
    const struct sam_memtime_traffic bytes = *sam_gputime_traffic(u->model);
    u->figures.bytes.read += bytes.read;
    u->figures.bytes.written += bytes.written;
    enum sam_status status = sam_gputime_close(u->model, &result, &error);
    u->model = NULL;
    if (status == SAM_OK) {
        sam_gpu_recording_name_rows(job->recording, &result);
        add_result(u, &result, now);
        const struct system_gpu_ended ended = {.number = job->number,
                                               .submitted = job->submitted,
                                               .begun = u->begun_at,
                                               .end = now + 1,
                                               .first = u->first_at,
                                               .bytes = bytes,
                                               .result = &result,
                                               .recording = job->recording};
        if (u->watch.ended)
            u->watch.ended(u->watch.context, &ended);
        sam_gputime_result_free(&result);
        status = sam_gpu_recording_check(job->recording, &error);
    }
    if (status != SAM_OK)
        fail(u, status, &error);
}

/* The next one begins in the next cycle at the earliest. */
static void leave(struct system_gpu_time *u, uint64_t now)
{
    struct job *job = u->first;
    u->running = false;
    u->ended++;
    sam_clock_interrupt(u->clock);
    u->figures.launches++;
    u->first = job->next;
    u->last = u->first ? u->last : &u->first;
    if (u->first && u->first->from <= now)
        u->first->from = now + 1;
    sam_gpu_recording_free(job->recording);
    free(job);
}

static uint64_t tick(void *context, uint64_t now)
{
    struct system_gpu_time *u = context;
    account(u, now);
    if (u->first && !u->running && u->first->from <= now)
        begin(u, now);
    if (u->first && u->running) {
        if (u->model && now < u->first_at)
            return u->first_at;
        const uint64_t next = u->model ? sam_gputime_tick(u->model, now) : SAM_CLOCK_IDLE;
        if (next != SAM_CLOCK_IDLE)
            return next;
        if (u->model)
            finish(u, now);
        leave(u, now);
    }
    return u->first ? u->first->from : SAM_CLOCK_IDLE;
}

/* ------------------------------------------------------------------------------------ life */

struct system_gpu_time *sam_system_gpu_time_new(const struct sam_gputime_config *config,
                                                uint32_t launch_cycles, struct sam_clock *clock,
                                                const struct sam_memtime_port *port,
                                                unsigned number,
                                                const struct system_gpu_watch *watch)
{
    struct system_gpu_time *u = sam_alloc(1, sizeof *u);
    uint64_t(*sm)[SAM_GPUTIME_REASONS] = sam_alloc(config->sms, sizeof *sm);
    if (!u || !sm) {
        free(u);
        free(sm);
        return NULL;
    }
    u->config = *config;
    u->launch_cycles = launch_cycles;
    u->clock = clock;
    u->memory = (struct sam_gputime_memory){*port, number};
    if (watch)
        u->watch = *watch;
    u->figures.sms = config->sms;
    u->figures.sm = sm;
    u->last = &u->first;
    u->since = clock->now;
    u->unit = sam_clock_join(clock, (struct sam_clock_unit){tick, u});
    return u;
}

void sam_system_gpu_time_free(struct system_gpu_time *u)
{
    if (!u)
        return;
    sam_gputime_drop(u->model);
    for (struct job *job = u->first, *next; job; job = next) {
        next = job->next;
        sam_gpu_recording_free(job->recording);
        free(job);
    }
    free(u->figures.sm);
    free(u);
}

bool sam_system_gpu_time_submit(struct system_gpu_time *u, struct sam_gpu_recording *recording,
                                uint64_t from)
{
    struct job *job = sam_alloc(1, sizeof *job);
    if (!job) {
        sam_gpu_recording_free(recording);
        return false;
    }
    *job = (struct job){
        .recording = recording, .number = u->submitted++, .submitted = u->clock->now, .from = from};
    *u->last = job;
    u->last = &job->next;
    sam_clock_wake(u->clock, u->unit, from);
    return true;
}

unsigned sam_system_gpu_time_waiting(const struct system_gpu_time *u)
{
    return (unsigned)(u->submitted - u->begun);
}

uint64_t sam_system_gpu_time_ended(const struct system_gpu_time *u)
{
    return u->ended;
}

enum sam_status sam_system_gpu_time_check(const struct system_gpu_time *u, struct sam_error *error)
{
    return u->status == SAM_OK ? SAM_OK : sam_fail(error, u->status, "%s", u->error.text);
}

const struct system_gpu_figures *sam_system_gpu_time_figures(struct system_gpu_time *u)
{
    if (!u->model)
        account(u, u->clock->now);
    return &u->figures;
}
