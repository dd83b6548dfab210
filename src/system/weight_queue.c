/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of the weight unit, and the packed weights of a program. */
#include "system/system.h"

static void note_accesses(struct sam_system *system, const struct system_weight_work *work)
{
    const unsigned queue = SAM_SYSTEM_WEIGHT_QUEUE;
    for (size_t i = 0; i < work->count; i++) {
        const struct system_weight_block *b = &work->blocks[i];
        if (b->segments == 0)
            sam_system_unit_accesses(system, queue, false, b->source, b->source_bytes);
        sam_system_unit_accesses(system, queue, false, b->head.address, b->head.bytes);
        sam_system_unit_accesses(system, queue, true, b->destination, b->destination_bytes);
    }
    for (size_t i = 0; i < work->span_count; i++)
        sam_system_unit_accesses(system, queue, false, work->spans[i].address,
                                 work->spans[i].bytes);
    if (work->result_address)
        sam_system_unit_accesses(system, queue, true, work->result_address, sizeof work->result);
}

static enum sam_hart_port_end take(struct sam_system *system, uint32_t address,
                                   const uint32_t words[16], uint32_t *status)
{
    struct system_weight_work *work = &system->work;
    struct sam_error error;
    sam_system_watch_record(system, SAM_SYSTEM_WEIGHT_QUEUE, address);
    struct sam_counter counter;
    unsigned engines = system->options.check_races ? SAM_STREAMS : 0;
    if (system->time) {
        const struct system_weight_config *wu = &system->time->config.wu;
        engines = wu->streams;
        counter = (struct sam_counter){wu->sym_width, wu->depth, wu->wt_width, NULL};
    }
    const enum sam_status ran = sam_system_weight_run(
        system->memory, address, words, system->time ? &counter : NULL, engines, work, &error);
    if (ran != SAM_OK)
        return sam_system_stop(system, SAM_SYSTEM_END_HOST, ran, &error);
    *status = work->result.status;
    if (system->time)
        ((struct system_weight_time *)system->time->units[SAM_SYSTEM_WEIGHT_QUEUE])->given = work;
    system->stats.weight_records++;
    system->stats.failed_records += *status != SAM_WEIGHT_IS_GOOD;
    note_accesses(system, work);
    if (system->options.weight_ended)
        system->options.weight_ended(
            system->options.weight_ended_context,
            &(struct sam_system_weight){.number = system->stats.weight_records - 1,
                                        .record = address,
                                        .status = *status,
                                        .fault = work->fault});
    return SAM_HART_PORT_DONE;
}

/* ---------------------------------------------------------------------------------- in time */

static void *open(const struct sam_system_config *config,
                  const struct system_stages_options *options)
{
    return sam_system_weight_time_new(&config->wu, options);
}

/* Source, destination and result of a record. */
static bool uses(const void *state, size_t index, struct sam_work_span *bytes, bool *stores)
{
    const struct system_weight_work *work = ((const struct system_weight_time *)state)->given;
    *stores = index > 0;
    *bytes = (struct sam_work_span){UINT64_MAX, 0};
    for (size_t i = 0; work && i < work->count && index < 2; i++) {
        const struct system_weight_block *b = &work->blocks[i];
        const uint64_t low = index ? b->destination : b->source;
        const uint64_t size = index ? b->destination_bytes : b->source_bytes;
        if (size && low < bytes->low)
            bytes->low = low;
        if (size && low + size - 1 > bytes->high)
            bytes->high = low + size - 1;
    }
    if (work && index == 2 && work->result_address)
        *bytes = (struct sam_work_span){work->result_address,
                                        work->result_address + sizeof work->result - 1};
    return work && index < 3;
}

static bool submit(void *state)
{
    struct system_weight_time *u = state;
    const struct system_weight_work *work = u->given;
    const struct system_time *time = u->stages.options.context;
    u->given = NULL;
    if (!work)
        return true;
    sam_system_pipes_record(time->pipes, time->clock.now);
    return sam_system_weight_time_submit(u, work, time->clock.now + 1);
}

static void measure(void *state, struct system_measuring *m)
{
    const struct system_weight_time *u = state;
    sam_system_stages_measure(state, m);
    m->figures->records = u->stages.unit.ended;
    m->figures->packed = u->figures.packed;
    m->figures->raw = u->figures.raw;
    m->figures->energy.count[SAM_ENERGY_symbol] = u->figures.symbols;
}

static struct sam_keys keys(struct sam_system_config *config)
{
    return sam_system_weight_keys(&config->wu);
}

const struct system_unit sam_system_weight_unit = {
    .take = take,
    .prefix = "wu.",
    .keys = keys,
    .open = open,
    .close = sam_system_stages_close,
    .uses = uses,
    .submit = submit,
    .measure = measure,
    .works = {[SYSTEM_WEIGHT_TABLES] = "tables",
              [SYSTEM_WEIGHT_SYMBOLS] = "symbols",
              [SYSTEM_WEIGHT_WINDOWS] = "windows",
              [SYSTEM_WEIGHT_COPY] = "copy",
              [SYSTEM_WEIGHT_COUNT] = "count",
              [SYSTEM_WEIGHT_CODE] = "code"},
};

/* ---------------------------------------------------------------------------------- weights */

void sam_system_show_directory(struct sam_system *system)
{
    if (system->directory)
        sam_hart_set_x(system->hart, 11, system->directory);
}

enum sam_status sam_system_load_weights(struct sam_system *system, const void *data, size_t size,
                                        uint64_t address, struct sam_error *error)
{
    if (SAM_LACKS(error, system, data))
        return SAM_ERR_USAGE;
    if (system->directory)
        return sam_fail(error, SAM_ERR_USAGE, "a second packed file: expected one");
    const enum sam_status status =
        sam_system_weights_map(system->memory, data, size, address, &system->directory, error);
    sam_system_show_directory(system);
    return status;
}
