/* SPDX-License-Identifier: Apache-2.0 */
/* Timing of the control registers: a store to SUBMIT waits while the queue is full, a load of WAIT
 * until the queue is empty. */
#include "system/system.h"

/* The queue that has this register at `offset` of its page, or SAM_SYSTEM_QUEUES. */
static unsigned queue_of(uint64_t address, uint32_t offset)
{
    const uint64_t queue = (address - SAM_SYSTEM_CONTROL) / SAM_SYSTEM_PAGE - 1;
    const bool is = queue < SAM_SYSTEM_QUEUES && address % SAM_SYSTEM_PAGE == offset;
    return is ? (unsigned)queue : SAM_SYSTEM_QUEUES;
}

static unsigned submits(uint64_t address, bool store)
{
    return store ? queue_of(address, SYSTEM_QUEUE_SUBMIT) : SAM_SYSTEM_QUEUES;
}

static unsigned waits(uint64_t address, bool store)
{
    return store ? SAM_SYSTEM_QUEUES : queue_of(address, SYSTEM_QUEUE_WAIT);
}

static uint64_t ready(void *context, uint64_t now, uint64_t address, bool store)
{
    const struct sam_system *system = context;
    const unsigned full = submits(address, store), busy = waits(address, store);
    if ((full == SAM_SYSTEM_QUEUES || !sam_system_time_is_full(system->time, full)) &&
        (busy == SAM_SYSTEM_QUEUES || sam_system_time_is_idle(system->time, busy)))
        return now;
    sam_system_pipes_wait(system->time->pipes, now);
    return SAM_CLOCK_IDLE;
}

static bool uses(void *context, uint64_t address, bool store, size_t index,
                 struct sam_work_span *bytes, bool *stores)
{
    const struct sam_system *system = context;
    const unsigned queue = submits(address, store);
    return queue != SAM_SYSTEM_QUEUES &&
           sam_system_time_uses(system->time, queue, index, bytes, stores);
}

static bool accessed(void *context, uint64_t now, uint64_t address, bool store)
{
    struct sam_system *system = context;
    const unsigned queue = submits(address, store);
    sam_system_pipes_accessed(system->time->pipes, now,
                              !store && queue_of(address, SYSTEM_QUEUE_DONE) != SAM_SYSTEM_QUEUES);
    return queue == SAM_SYSTEM_QUEUES || sam_system_time_submit(system->time, queue);
}

static void worked(void *context, const struct sam_hart_worked *w)
{
    const struct sam_system *system = context;
    sam_system_pipes_worked(system->time->pipes, w);
}

enum sam_status sam_system_add_time(struct sam_system *system, struct sam_hart_options *hart,
                                    struct sam_error *error)
{
    const struct sam_system_options *o = &system->options;
    const struct sam_memtime_map map = {SAM_SYSTEM_L1M, o->l1m_size, SAM_SYSTEM_L0M, o->l0m_size};
    if (!o->timing)
        return SAM_OK;
    if (o->gpu && o->gpu->timing)
        return sam_fail(error, SAM_ERR_USAGE,
                        "timing of the GPU alone: expected that of the system");
    const enum sam_status status =
        sam_system_time_new(o->timing, hart->mlen, &map, &system->time, error);
    if (status != SAM_OK)
        return status;
    const struct sam_system_config *config = &system->time->config;
    hart->engines = &config->tl;
    hart->cycles = &config->mx;
    system->shared = (struct sam_hart_shared_time){.clock = &system->time->clock,
                                                   .memory = &system->time->port,
                                                   .engines_port = SYSTEM_PORT_ENGINES,
                                                   .matrix_port = SYSTEM_PORT_MATRIX,
                                                   .ready = ready,
                                                   .uses = uses,
                                                   .accessed = accessed,
                                                   .worked = worked,
                                                   .context = system};
    return SAM_OK;
}

enum sam_status sam_system_start_time(struct sam_system *system, struct sam_error *error)
{
    if (!system->time || sam_system_time_attach(system->time, system->hart))
        return SAM_OK;
    return sam_fail_memory(error);
}

uint64_t sam_system_now(struct sam_system *system)
{
    return system->time ? sam_engines_open(system->hart->engines) : system->hart->core.accessed_at;
}

enum sam_status sam_system_measure(struct sam_system *system, struct sam_system_figures **figures,
                                   struct sam_error *error)
{
    if (SAM_LACKS(error, system, figures))
        return SAM_ERR_USAGE;
    *figures = NULL;
    if (!system->time)
        return sam_fail(error, SAM_ERR_USAGE, "a system without timing: nothing was measured");
    return sam_system_time_measure(system->time, figures, error);
}

enum sam_status sam_system_end_timeline(struct sam_system *system, struct sam_error *error)
{
    if (SAM_LACKS(error, system))
        return SAM_ERR_USAGE;
    if (system->time) {
        sam_system_time_settle(system->time);
        if (system->time->trace)
            sam_system_trace_end(system->time->trace);
        sam_system_pipes_trace(system->time->pipes, sam_hart_timeline_of(system->hart));
        struct system_weight_wave *wave = system->time->wave;
        system->time->wave = NULL;
        if (wave && !sam_system_weight_wave_end(wave, system->time->clock.now))
            return sam_fail(error, SAM_ERR_IO, "cannot write the waveform of the weight unit");
    }
    return sam_hart_end_timeline(system->hart, error);
}
