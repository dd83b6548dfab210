/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of the GPU in time. A launch that has taken effect waits for those before it, for
 * `launch_cycles`, and then runs on the pipeline model. docs/system-rulings.md has the rules. */
#include "system/system.h"

#include <stdlib.h>

/* The state of the GPU in a cycle. */
enum system_gpu_cycle {
    SYSTEM_GPU_RUNS,   /* from the first warp's start to the last endprg */
    SYSTEM_GPU_LAUNCH, /* a launch is being set up */
    SYSTEM_GPU_FLUSH,  /* stores and write-backs are in flight */
    SYSTEM_GPU_EMPTY,  /* has no launch */
    SYSTEM_GPU_CYCLES
};

struct system_gpu_figures {
    uint64_t cycles[SYSTEM_GPU_CYCLES];
    struct sam_energy energy; /* of all launches, without memory */
    uint32_t sms;
    uint64_t (*sm)[SAM_GPUTIME_REASONS];
};

struct job {
    struct job *next;
    struct sam_gpu_recording *recording;
    uint64_t number, submitted;
    uint64_t from; /* earliest cycle of its setup */
};

struct system_gpu_time {
    struct system_unit_time unit;
    struct system_time *time;
    const struct sam_gputime_config *config;
    struct sam_gputime_memory memory;
    struct sam_gpu_recording *given; /* by the store being executed; NULL: none */
    const char *kernel;              /* of `given` */
    unsigned clock_unit;
    struct job *first, **last; /* the running launch, then the waiting ones */
    bool running;
    /* the running one */
    uint64_t begun_at, first_at;
    struct sam_gputime *model;
    struct sam_gputime_source source;
    uint64_t since; /* accounted for up to here */
    struct system_gpu_figures figures;
};

static const char *const cycle_names[SYSTEM_GPU_CYCLES] = {
    [SYSTEM_GPU_RUNS] = "runs",
    [SYSTEM_GPU_LAUNCH] = "launch",
    [SYSTEM_GPU_FLUSH] = "flush",
    [SYSTEM_GPU_EMPTY] = "empty",
};

/* -------------------------------------------------------------------------------- accounts */

static void spend(struct system_gpu_time *u, enum system_gpu_cycle kind, uint64_t to)
{
    if (to <= u->since)
        return;
    u->figures.cycles[kind] += to - u->since;
    u->since = to;
}

/* A launch is in setup until its first warp starts; its later cycles are accounted for at its end.
 */
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
    for (unsigned i = SAM_ENERGY_gpu_insn; i <= SAM_ENERGY_gpu_lds_pass; i++)
        f->energy.count[i] += energy.count[i];
}

static void add_result(struct system_gpu_time *u, const struct sam_gputime_result *result,
                       uint64_t now)
{
    struct system_gpu_figures *f = &u->figures;
    spend(u, SYSTEM_GPU_RUNS, u->first_at + result->cycles);
    spend(u, SYSTEM_GPU_FLUSH, now + 1);
    add_energy(f, u->config, result);
    for (uint32_t i = 0; i < f->sms; i++)
        for (unsigned k = 0; k < SAM_GPUTIME_REASONS; k++)
            f->sm[i][k] += result->sm[i].reasons[k];
}

/* -------------------------------------------------------------------------------- launches */

static void begin(struct system_gpu_time *u, uint64_t now)
{
    const struct job *job = u->first;
    struct sam_error error;
    account(u, now);
    u->running = true;
    u->unit.begun++;
    sam_clock_interrupt(&u->time->clock); /* its slot in the queue is free */
    u->begun_at = now;
    u->first_at = now + u->time->config.launch_cycles;
    u->source = sam_gpu_recording_source(job->recording);
    const enum sam_status status =
        sam_gputime_open(u->config, sam_gpu_recording_facts(job->recording), &u->source, NULL,
                         &u->memory, &u->model, &error);
    if (status != SAM_OK) {
        u->model = NULL;
        sam_system_time_fail(u->time, status, &error);
    }
}

/* The model has ended, and its last store has reached memory. */
static void finish(struct system_gpu_time *u, uint64_t now)
{
    struct job *job = u->first;
    struct sam_gputime_result result;
    struct sam_error error;
    const struct sam_memtime_traffic bytes = *sam_gputime_traffic(u->model);
    enum sam_status status = sam_gputime_close(u->model, &result, &error);
    u->model = NULL;
    if (status == SAM_OK) {
        sam_gpu_recording_name_rows(job->recording, &result);
        add_result(u, &result, now);
        struct sam_system_launch_time *l = &u->time->launches[job->number];
        l->submitted = job->submitted;
        l->begun = u->begun_at;
        l->first = u->first_at;
        l->end = now + 1;
        l->insns = result.insns;
        l->read = bytes.read;
        l->written = bytes.written;
        if (u->time->trace)
            sam_system_trace_launch(u->time->trace, l);
        sam_gputime_result_free(&result);
        status = sam_gpu_recording_check(job->recording, &error);
    }
    if (status != SAM_OK)
        sam_system_time_fail(u->time, status, &error);
}

/* The next launch begins in the next cycle at the earliest. */
static void leave(struct system_gpu_time *u, uint64_t now)
{
    struct job *job = u->first;
    u->running = false;
    u->unit.ended++;
    sam_clock_interrupt(&u->time->clock);
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

static void *open(const struct sam_system_config *config,
                  const struct system_stages_options *options)
{
    const uint32_t sms = config->gpu.sms;
    struct system_gpu_time *u = sam_alloc(1, sizeof *u);
    uint64_t(*sm)[SAM_GPUTIME_REASONS] = sam_alloc(sms, sizeof *sm);
    if (!u || !sm) {
        free(u);
        free(sm);
        return NULL;
    }
    u->time = options->context;
    u->config = &config->gpu;
    u->memory = (struct sam_gputime_memory){*options->port, options->unit};
    u->figures.sms = sms;
    u->figures.sm = sm;
    u->last = &u->first;
    u->since = options->clock->now;
    u->clock_unit = sam_clock_join(options->clock, (struct sam_clock_unit){tick, u});
    return u;
}

static void close(void *state)
{
    struct system_gpu_time *u = state;
    if (!u)
        return;
    sam_gputime_drop(u->model);
    for (struct job *job = u->first, *next; job; job = next) {
        next = job->next;
        sam_gpu_recording_free(job->recording);
        free(job);
    }
    sam_gpu_recording_free(u->given);
    free(u->figures.sm);
    free(u);
}

/* --------------------------------------------------------------------------------- as a unit */

void sam_system_give_launch(struct system_time *time, struct sam_gpu_recording *recording,
                            const char *kernel)
{
    struct system_gpu_time *u = time->units[SAM_SYSTEM_GPU_QUEUE];
    sam_gpu_recording_free(u->given);
    u->given = recording;
    u->kernel = kernel;
}

static bool uses(const void *state, size_t index, struct sam_work_span *bytes, bool *stores)
{
    const struct system_gpu_time *u = state;
    size_t count = 0;
    const struct sam_footprint_span *footprint =
        u->given ? sam_gpu_recording_footprint(u->given, &count) : NULL;
    if (index >= count)
        return false;
    *bytes = (struct sam_work_span){footprint[index].low, footprint[index].high};
    *stores = footprint[index].store;
    return true;
}

static bool submit(void *state)
{
    struct system_gpu_time *u = state;
    struct system_time *time = u->time;
    struct sam_gpu_recording *recording = u->given;
    const uint64_t now = time->clock.now, number = u->unit.submitted;
    u->given = NULL;
    if (!recording)
        return true;
    void *grown = sam_grow(time->launches, time->launch_count, &time->launch_capacity,
                           sizeof *time->launches);
    if (grown)
        time->launches = grown;
    struct job *job = sam_alloc(1, sizeof *job);
    if (!grown || !job) {
        free(job);
        sam_gpu_recording_free(recording);
        return false;
    }
    time->launches[time->launch_count++] =
        (struct sam_system_launch_time){.number = number, .kernel = u->kernel};
    sam_system_pipes_launch(time->pipes, now, number, u->kernel);
    *job =
        (struct job){.recording = recording, .number = number, .submitted = now, .from = now + 1};
    u->unit.submitted++;
    *u->last = job;
    u->last = &job->next;
    sam_clock_wake(&time->clock, u->clock_unit, now + 1);
    return true;
}

/* The reasons of the pipeline model while a launch runs, then those between launches. */
static void add_sm(const struct system_gpu_figures *f, uint32_t sm, struct system_measuring *m)
{
    for (unsigned i = 0; i < SAM_GPUTIME_REASONS; i++) {
        const uint64_t more = i == SAM_GPUTIME_EMPTY ? f->cycles[SYSTEM_GPU_EMPTY] : 0;
        sam_system_add_row(m, "SM", sm, sam_gputime_reason_name(i), i == SAM_GPUTIME_BUSY,
                           f->sm[sm][i] + more);
    }
    for (unsigned i = SYSTEM_GPU_LAUNCH; i <= SYSTEM_GPU_FLUSH; i++)
        sam_system_add_row(m, "SM", sm, cycle_names[i], false, f->cycles[i]);
}

static void measure(void *state, struct system_measuring *m)
{
    struct system_gpu_time *u = state;
    const struct system_gpu_figures *f = &u->figures;
    if (!u->model)
        account(u, u->time->clock.now);
    for (unsigned i = 0; i < SYSTEM_GPU_CYCLES; i++)
        sam_system_add_row(m, "GPU", 0, cycle_names[i], i == SYSTEM_GPU_RUNS, f->cycles[i]);
    for (uint32_t sm = 0; sm < f->sms; sm++)
        add_sm(f, sm, m);
    for (unsigned i = SAM_ENERGY_gpu_insn; i <= SAM_ENERGY_gpu_lds_pass; i++)
        m->figures->energy.count[i] = f->energy.count[i];
}

static struct sam_keys keys(struct sam_system_config *config)
{
    return sam_gputime_keys(&config->gpu);
}

const struct system_unit sam_system_launch_unit = {
    .take = sam_system_take_launch,
    .prefix = "gpu.",
    .keys = keys,
    .open = open,
    .close = close,
    .uses = uses,
    .submit = submit,
    .measure = measure,
};
