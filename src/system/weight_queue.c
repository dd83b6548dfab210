/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of the weight unit, and the packed weights that a program is given. */
#include "system/system.h"

enum sam_hart_port_end sam_system_take_record(struct sam_system *system, uint32_t address,
                                              const uint32_t words[16], uint32_t *status)
{
    struct system_weight_work *work = &system->work;
    struct sam_error error;
    sam_system_watch_record(system, SAM_SYSTEM_WEIGHT_QUEUE, address);
    struct sam_counter counter;
    if (system->time) {
        const struct system_weight_config *wu = &sam_system_time_config(system->time)->wu;
        counter = (struct sam_counter){wu->sym_width, wu->depth, wu->wt_width, NULL};
    }
    const enum sam_status ran = sam_system_weight_run(system->memory, address, words,
                                                      system->time ? &counter : NULL, work, &error);
    if (ran != SAM_OK)
        return sam_system_stop(system, SAM_SYSTEM_END_HOST, ran, &error);
    if (system->watch)
        sam_system_watch_work(system->watch, work);
    *status = work->result.status;
    if (system->time)
        sam_system_time_give_record(system->time, work);
    system->stats.weight_records++;
    system->stats.failed_records += *status != SAM_WEIGHT_IS_GOOD;
    for (size_t i = 0; i < work->count; i++)
        if (work->blocks[i].destination_bytes)
            sam_system_wrote(system, work->blocks[i].destination,
                             work->blocks[i].destination_bytes);
    if (work->result_address)
        sam_system_wrote(system, work->result_address, sizeof work->result);
    if (system->options.weight_ended)
        system->options.weight_ended(
            system->options.weight_ended_context,
            &(struct sam_system_weight){.number = system->stats.weight_records - 1,
                                        .record = address,
                                        .status = *status,
                                        .fault = work->fault});
    return SAM_HART_PORT_DONE;
}

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
