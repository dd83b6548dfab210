/* SPDX-License-Identifier: Apache-2.0 */
/* The units of a system on one clock. In a cycle, the matrix unit and the engines come first, then
 * the queues in their order; the hart observes their state of the cycle before. */
#include "system/time.h"

#include <stdlib.h>

static void watch_transfer(void *context, const struct sam_memtime_transfer *t)
{
    const struct system_time *time = context;
    if (time->trace)
        sam_system_trace_transfer(time->trace, t);
}

static void watch_stage(void *context, const struct system_stage_span *span)
{
    const struct system_time *time = context;
    if (span->track == SYSTEM_TRACK_RECORDS && span->unit == SYSTEM_PORT_WEIGHTS)
        sam_system_pipes_recorded(time->pipes, span->job->number, span->from, span->to);
    if (time->trace)
        sam_system_trace_stage(time->trace, span);
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
    time->running = timing->running;
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
    if (timing->wave.write && !(time->wave = sam_system_weight_wave_new(&timing->wave))) {
        sam_system_time_free(time);
        return sam_fail_memory(error);
    }
    *out = time;
    return SAM_OK;
}

void sam_system_time_free(struct system_time *time)
{
    if (!time)
        return;
    for (unsigned i = 0; i < SAM_SYSTEM_QUEUES; i++)
        sam_system_units[i].unit->close(time->units[i]);
    sam_memtime_levels_free(time->levels);
    sam_system_trace_free(time->trace);
    if (time->wave)
        sam_system_weight_wave_end(time->wave, time->clock.now);
    sam_system_pipes_free(time->pipes);
    free(time->launches);
    free(time);
}

bool sam_system_time_attach(struct system_time *time, struct sam_hart *hart)
{
    struct sam_perfetto *json = sam_hart_timeline_of(hart);
    time->hart = hart;
    if (json && !(time->trace = sam_system_trace_new(json)))
        return false;
    for (unsigned i = 0; i < SAM_SYSTEM_QUEUES; i++) {
        const struct system_stages_options options = {
            .clock = &time->clock,
            .port = &time->port,
            .unit = SYSTEM_PORT_GPU + i,
            .requests = 32,
            .lines = 64,
            .outputs = 16,
            .watch = watch_stage,
            .context = time,
            .wave = i == SAM_SYSTEM_WEIGHT_QUEUE ? time->wave : NULL};
        time->units[i] = sam_system_units[i].unit->open(&time->config, &options);
        if (!time->units[i])
            return false;
    }
    return true;
}

/* ----------------------------------------------------------------------------------- queues */

static const struct system_unit_time *counts(const struct system_time *time, unsigned queue)
{
    return time->units[queue];
}

bool sam_system_time_is_full(const struct system_time *time, unsigned queue)
{
    const struct system_unit_time *c = counts(time, queue);
    return c->submitted - c->begun >= time->config.queue;
}

bool sam_system_time_uses(const struct system_time *time, unsigned queue, size_t index,
                          struct sam_work_span *bytes, bool *stores)
{
    return sam_system_units[queue].unit->uses(time->units[queue], index, bytes, stores);
}

bool sam_system_time_submit(struct system_time *time, unsigned queue)
{
    return sam_system_units[queue].unit->submit(time->units[queue]);
}

uint64_t sam_system_time_done(const struct system_time *time, unsigned queue)
{
    return counts(time, queue)->ended;
}

bool sam_system_time_is_idle(const struct system_time *time, unsigned queue)
{
    return counts(time, queue)->ended == counts(time, queue)->submitted;
}

static bool all_idle(const struct system_time *time)
{
    for (unsigned i = 0; i < SAM_SYSTEM_QUEUES; i++)
        if (!sam_system_time_is_idle(time, i))
            return false;
    return true;
}

enum sam_status sam_system_time_check(const struct system_time *time, struct sam_error *error)
{
    return time->status == SAM_OK ? SAM_OK : sam_fail(error, time->status, "%s", time->error.text);
}

void sam_system_time_fail(struct system_time *time, enum sam_status status,
                          const struct sam_error *error)
{
    if (time->status != SAM_OK)
        return;
    time->status = status;
    time->error = *error;
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
