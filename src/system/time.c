/* SPDX-License-Identifier: Apache-2.0 */
/* The units of a system on one clock. In a cycle, the matrix unit and the engines come first, then
 * the GPU, then the weight unit; the hart sees what they did in the cycles before. */
#include "system/time.h"

#include <stdlib.h>

const char *sam_system_port_name(unsigned unit)
{
    static const char *const names[SYSTEM_PORTS] = {
        [SYSTEM_PORT_MATRIX] = "matrix",
        [SYSTEM_PORT_GPU] = "GPU",
        [SYSTEM_PORT_WEIGHTS] = "weights",
    };
    if (unit < SYSTEM_PORT_ENGINES + SAM_ENGINE_COUNT)
        return sam_engine_name(unit - SYSTEM_PORT_ENGINES);
    return unit < SYSTEM_PORTS ? names[unit] : "?";
}

/* ------------------------------------------------------------------------------------ watch */

static void watch_transfer(void *context, const struct sam_memtime_transfer *t)
{
    const struct system_time *time = context;
    if (time->trace)
        sam_system_trace_transfer(time->trace, t);
}

static void watch_span(void *context, const struct system_weight_span *span)
{
    const struct system_time *time = context;
    if (span->track == SYSTEM_WEIGHT_RECORDS)
        sam_system_pipes_recorded(time->pipes, span->number, span->from, span->to);
    if (time->trace)
        sam_system_trace_weights(time->trace, span);
}

static void watch_launch(void *context, const struct system_gpu_ended *ended)
{
    struct system_time *time = context;
    struct sam_system_launch_time *l = &time->launches[ended->number];
    l->submitted = ended->submitted;
    l->begun = ended->begun;
    l->first = ended->first;
    l->end = ended->end;
    l->insns = ended->result->insns;
    l->read = ended->bytes.read;
    l->written = ended->bytes.written;
    time->launches_ended++;
    if (time->trace)
        sam_system_trace_launch(time->trace, l);
}

/* ------------------------------------------------------------------------------------- life */

enum sam_status sam_system_time_new(const struct sam_system_timing *timing, unsigned mlen,
                                    const struct sam_memtime_map *map, struct system_time **out,
                                    struct sam_error *error)
{
    *out = NULL;
    if (timing->size < sizeof *timing)
        return sam_fail(error, SAM_ERR_USAGE, "timing of %zu bytes: expected at least %zu",
                        timing->size, sizeof *timing);
    struct system_time *time = sam_alloc(1, sizeof *time);
    if (!time)
        return sam_fail_memory(error);
    if (timing->config)
        time->config = *timing->config;
    else
        sam_system_config_defaults(&time->config);
    time->config.wu.raw |= timing->raw_weights;
    enum sam_status status = sam_system_config_check(&time->config, mlen, error);
    const struct sam_memtime_watch watch = {watch_transfer, time};
    if (status == SAM_OK &&
        !(time->levels = sam_memtime_levels_new(&time->config.mem, map, &watch)))
        status = sam_fail_memory(error);
    if (status != SAM_OK) {
        sam_system_time_free(time);
        return status;
    }
    time->port = sam_memtime_levels_port(time->levels);
    *out = time;
    return SAM_OK;
}

void sam_system_time_free(struct system_time *time)
{
    if (!time)
        return;
    sam_gpu_recording_free(time->launch);
    sam_system_gpu_time_free(time->gpu);
    sam_system_weight_time_free(time->weights);
    sam_memtime_levels_free(time->levels);
    sam_system_trace_free(time->trace);
    sam_system_pipes_free(time->pipes);
    free(time->launches);
    free(time);
}

const struct sam_system_config *sam_system_time_config(const struct system_time *time)
{
    return &time->config;
}

struct sam_clock *sam_system_time_clock(struct system_time *time)
{
    return &time->clock;
}

const struct sam_memtime_port *sam_system_time_port(const struct system_time *time)
{
    return &time->port;
}

bool sam_system_time_attach(struct system_time *time, struct sam_hart *hart)
{
    const struct system_gpu_watch launches = {watch_launch, time};
    const struct system_weight_watch spans = {watch_span, time};
    struct sam_perfetto *json = sam_hart_timeline_of(hart);
    time->hart = hart;
    if (json && !(time->trace = sam_system_trace_new(json)))
        return false;
    time->gpu = sam_system_gpu_time_new(&time->config.gpu, time->config.launch_cycles, &time->clock,
                                        &time->port, SYSTEM_PORT_GPU, &launches);
    time->weights = sam_system_weight_time_new(&time->config.wu, &time->clock, &time->port,
                                               SYSTEM_PORT_WEIGHTS, &spans);
    return time->gpu && time->weights;
}

/* ----------------------------------------------------------------------------------- queues */

void sam_system_time_give_launch(struct system_time *time, struct sam_gpu_recording *recording,
                                 const char *kernel)
{
    sam_gpu_recording_free(time->launch);
    time->launch = recording;
    time->kernel = kernel;
}

void sam_system_time_give_record(struct system_time *time, const struct system_weight_work *work)
{
    time->record = work;
}

/* What a record reads, what it writes, and its result. */
static bool record_uses(const struct system_time *time, size_t index, struct sam_work_span *bytes,
                        bool *stores)
{
    const struct system_weight_work *work = time->record;
    *stores = index > 0;
    *bytes = (struct sam_work_span){UINT64_MAX, 0};
    for (size_t i = 0; i < work->count && index < 2; i++) {
        const struct system_weight_block *b = &work->blocks[i];
        const uint64_t low = index ? b->destination : b->source;
        const uint64_t size = index ? b->destination_bytes : b->source_bytes;
        if (size && low < bytes->low)
            bytes->low = low;
        if (size && low + size - 1 > bytes->high)
            bytes->high = low + size - 1;
    }
    if (index == 2 && work->result_address)
        *bytes = (struct sam_work_span){
            work->result_address, work->result_address + sizeof(struct sam_weight_result) - 1};
    return index < 3;
}

static bool launch_uses(const struct system_time *time, size_t index, struct sam_work_span *bytes,
                        bool *stores)
{
    size_t count;
    const struct sam_footprint_span *footprint = sam_gpu_recording_footprint(time->launch, &count);
    if (index >= count)
        return false;
    *bytes = (struct sam_work_span){footprint[index].low, footprint[index].high};
    *stores = footprint[index].store;
    return true;
}

static bool has_launch(const struct system_time *time)
{
    return time->launch != NULL;
}

static bool submit_launch(struct system_time *time)
{
    struct sam_gpu_recording *recording = time->launch;
    void *grown = sam_grow(time->launches, time->launch_count, &time->launch_capacity,
                           sizeof *time->launches);
    time->launch = NULL;
    if (!grown) {
        sam_gpu_recording_free(recording);
        return false;
    }
    time->launches = grown;
    time->launches[time->launch_count] =
        (struct sam_system_launch_time){.number = time->launch_count, .kernel = time->kernel};
    sam_system_pipes_launch(time->pipes, time->clock.now, time->launch_count, time->kernel);
    time->launch_count++;
    return sam_system_gpu_time_submit(time->gpu, recording, time->clock.now + 1);
}

static unsigned waiting_launches(const struct system_time *time)
{
    return sam_system_gpu_time_waiting(time->gpu);
}

static uint64_t ended_launches(const struct system_time *time)
{
    return sam_system_gpu_time_ended(time->gpu);
}

static bool has_record(const struct system_time *time)
{
    return time->record != NULL;
}

static bool submit_record(struct system_time *time)
{
    const struct system_weight_work *record = time->record;
    if (time->trace)
        sam_system_trace_record(time->trace, time->submitted[SAM_SYSTEM_WEIGHT_QUEUE],
                                time->clock.now);
    sam_system_pipes_record(time->pipes, time->clock.now);
    time->record = NULL;
    return sam_system_weight_time_submit(time->weights, record, time->clock.now + 1);
}

static unsigned waiting_records(const struct system_time *time)
{
    return sam_system_weight_time_waiting(time->weights);
}

static uint64_t ended_records(const struct system_time *time)
{
    return sam_system_weight_time_ended(time->weights);
}

/* The units that have a queue. */
static const struct unit {
    bool (*given)(const struct system_time *time); /* work that is not submitted yet */
    bool (*uses)(const struct system_time *time, size_t index, struct sam_work_span *bytes,
                 bool *stores);
    bool (*submit)(struct system_time *time);
    unsigned (*waiting)(const struct system_time *time);
    uint64_t (*ended)(const struct system_time *time);
} units[] = {
    [SAM_SYSTEM_GPU_QUEUE] = {has_launch, launch_uses, submit_launch, waiting_launches,
                              ended_launches},
    [SAM_SYSTEM_WEIGHT_QUEUE] = {has_record, record_uses, submit_record, waiting_records,
                                 ended_records},
};
_Static_assert(SAM_COUNT(units) == SAM_SYSTEM_UNITS, "a row for each queue");

bool sam_system_time_is_full(const struct system_time *time, enum sam_system_unit queue)
{
    return units[queue].waiting(time) >= time->config.queue;
}

bool sam_system_time_uses(const struct system_time *time, enum sam_system_unit queue, size_t index,
                          struct sam_work_span *bytes, bool *stores)
{
    return units[queue].given(time) && units[queue].uses(time, index, bytes, stores);
}

bool sam_system_time_submit(struct system_time *time, enum sam_system_unit queue)
{
    if (!units[queue].given(time)) /* the store was a fault */
        return true;
    const bool good = units[queue].submit(time);
    time->submitted[queue] += good;
    return good;
}

uint64_t sam_system_time_done(const struct system_time *time, enum sam_system_unit queue)
{
    return units[queue].ended(time);
}

bool sam_system_time_is_idle(const struct system_time *time, enum sam_system_unit queue)
{
    return sam_system_time_done(time, queue) == time->submitted[queue];
}

static bool all_idle(const struct system_time *time)
{
    for (unsigned i = 0; i < SAM_SYSTEM_UNITS; i++)
        if (!sam_system_time_is_idle(time, (enum sam_system_unit)i))
            return false;
    return true;
}

enum sam_status sam_system_time_check(const struct system_time *time, struct sam_error *error)
{
    return sam_system_gpu_time_check(time->gpu, error);
}

void sam_system_time_settle(struct system_time *time)
{
    struct sam_engines_report report;
    struct sam_clock *clock = &time->clock;
    sam_hart_engines(time->hart, &report);
    uint64_t next = 0; /* a unit that is not idle has one */
    while (next != SAM_CLOCK_IDLE && !all_idle(time))
        if ((next = sam_clock_next(clock)) != SAM_CLOCK_IDLE)
            sam_clock_advance(clock, next + 1);
    const uint64_t last = sam_memtime_levels_figures(time->levels)->last;
    if (last > clock->now)
        sam_clock_advance(clock, last);
    sam_hart_engines(time->hart, &report);
    sam_system_pipes_settle(time->pipes, time->launches, time->launch_count);
}
