/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of records: the five registers that each of them has, and launches on the GPU. */
#include "system/system.h"

#include <stdio.h>

/* Offsets in the page of a queue. */
enum { SUBMIT = 0, SUBMITTED = 4, DONE = 8, STATUS = 12, WAIT = 16 };

static const struct {
    const char *record;
    enum sam_hart_port_end (*take)(struct sam_system *system, uint32_t address,
                                   const uint32_t words[16], uint32_t *status);
} units[] = {
    [SAM_SYSTEM_GPU_QUEUE] = {"launch", sam_system_take_launch},
    [SAM_SYSTEM_WEIGHT_QUEUE] = {"weight", sam_system_take_record},
};
_Static_assert(SAM_COUNT(units) == SAM_SYSTEM_UNITS, "a row for each queue");

/* ---------------------------------------------------------------------------------- registers */

/* Without time what is submitted is done. */
static uint32_t done(struct sam_system *system, enum sam_system_unit unit)
{
    if (!system->time)
        return system->queues[unit].done;
    sam_system_now(system); /* what has ended by now has ended */
    return (uint32_t)sam_system_time_done(system->time, unit);
}

/* A register has been read that changes only as records end. When there are none, and the program
 * reads on, it may be waiting in vain. */
static void heed_poll(struct sam_system *system)
{
    enum { PATIENCE = 4096 };
    for (unsigned i = 0; i < SAM_SYSTEM_UNITS; i++)
        if (system->queues[i].submitted != done(system, (enum sam_system_unit)i))
            return;
    const uint64_t polls = ++system->polls;
    if (polls >= PATIENCE && (polls & (polls - 1)) == 0)
        sam_hart_livelock_check(system->hart);
}

enum sam_hart_port_end sam_system_queue_load(struct sam_system *system, enum sam_system_unit unit,
                                             uint32_t offset, uint32_t *value)
{
    const struct sam_system_queue *queue = &system->queues[unit];
    heed_poll(system);
    switch (offset) {
    case SUBMITTED: *value = queue->submitted; break;
    case DONE:
        *value = done(system, unit);
        sam_system_watch_done(system, unit, queue->submitted - *value);
        break;
    case WAIT:
        *value = queue->status;
        sam_system_watch_done(system, unit, 0);
        break;
    case STATUS: *value = queue->status; break;
    default: return SAM_HART_PORT_FAULT;
    }
    return SAM_HART_PORT_DONE;
}

/* The record takes effect at once, and is done. */
static enum sam_hart_port_end submit(struct sam_system *system, enum sam_system_unit unit,
                                     uint32_t address)
{
    struct sam_system_queue *queue = &system->queues[unit];
    const char *record = units[unit].record;
    uint8_t bytes[SAM_SYSTEM_RECORD];
    uint32_t words[SAM_SYSTEM_RECORD / 4], status = 0;
    if (address % 4)
        return sam_system_refuse(system, "%s record at 0x%08x: expected a multiple of 4", record,
                                 address);
    if (sam_host_read(system->memory, address, bytes, sizeof bytes, NULL) != SAM_OK)
        return sam_system_refuse(system, "%s record at 0x%08x: expected 64 bytes in one buffer",
                                 record, address);
    for (unsigned i = 0; i < SAM_COUNT(words); i++)
        words[i] = sam_le32(bytes + 4 * i);
    const enum sam_hart_port_end end = units[unit].take(system, address, words, &status);
    if (end == SAM_HART_PORT_FAULT)
        return end;
    queue->submitted++;
    queue->done++;
    if (!queue->status)
        queue->status = status;
    return end;
}

enum sam_hart_port_end sam_system_queue_store(struct sam_system *system, enum sam_system_unit unit,
                                              uint32_t offset, uint32_t value)
{
    if (offset == SUBMIT)
        return submit(system, unit, value);
    if (offset != STATUS)
        return SAM_HART_PORT_FAULT;
    system->queues[unit].status = 0;
    return SAM_HART_PORT_DONE;
}

/* ----------------------------------------------------------------------------------- launches */

static bool holds(const struct sam_image *image, uint32_t pc)
{
    for (size_t i = 0; i < image->section_count; i++)
        if (pc - image->sections[i].address < image->sections[i].size)
            return true;
    return false;
}

const struct sam_image *sam_system_image_at(const struct sam_system *system, uint32_t pc)
{
    for (size_t i = 0; i < system->gpu_image_count; i++)
        if (holds(system->gpu_images[i], pc))
            return system->gpu_images[i];
    return system->hart->image;
}

static void read_record(const struct sam_system *system, const uint32_t words[16],
                        struct sam_launch *launch)
{
    enum {
#define SAM_DEVICE_LAUNCH(name, meaning) AT_##name,
#include "samite/device/layout.def"
#undef SAM_DEVICE_LAUNCH
    };
    *launch = (struct sam_launch){
        .start = words[AT_start],
        .metadata = words[AT_metadata],
        .grid = {words[AT_grid_x], words[AT_grid_y], words[AT_grid_z]},
        .lanes = words[AT_lanes],
        .warps = words[AT_warps],
        .lds_size = words[AT_lds_bytes],
        .pds_size = words[AT_pds_bytes],
        .pds_base = words[AT_pds_base],
        .image = sam_system_image_at(system, words[AT_start]),
    };
}

/* Count a launch, and remember the first that trapped. False: out of memory. */
static bool account(struct sam_system *system, const struct sam_gpu_result *result)
{
    struct sam_system_stats *stats = &system->stats;
    if (result->trap.kind != SAM_TRAP_NONE && !stats->failed_launches++) {
        system->trap = result->trap;
        system->trapped_launch = stats->launches;
    }
    stats->launches++;
    return sam_gpu_stats_add(&system->gpu_stats, &result->stats, NULL) == SAM_OK;
}

static void tell(const struct sam_system *system, uint32_t record, const struct sam_launch *launch,
                 const struct sam_gpu_result *result)
{
    const struct sam_symbol *kernel = sam_gpu_find_kernel(system->gpu, launch);
    const struct sam_system_launch told = {.number = system->stats.launches - 1,
                                           .record = record,
                                           .launch = launch,
                                           .kernel = kernel ? kernel->name : NULL,
                                           .result = result};
    if (system->options.launched)
        system->options.launched(system->options.launched_context, &told);
}

/* What the failure of a launch means for the run. */
static enum sam_hart_port_end fail(struct sam_system *system, uint32_t record,
                                   const struct sam_launch *launch, enum sam_status status,
                                   const struct sam_error *error)
{
    struct sam_error named;
    const struct sam_symbol *kernel = sam_gpu_find_kernel(system->gpu, launch);
    if (status != SAM_ERR_TRAP && status != SAM_ERR_STOPPED)
        return sam_system_stop(system, SAM_SYSTEM_END_HOST, status, error);
    sam_fail(&named, status, "launch %llu%s%s%s (record 0x%08x): %s",
             (unsigned long long)system->stats.launches - 1, kernel ? " <" : "",
             kernel ? kernel->name : "", kernel ? ">" : "", record, error->text);
    return sam_system_stop(system,
                           status == SAM_ERR_STOPPED ? SAM_SYSTEM_END_HART : SAM_SYSTEM_END_TRAP,
                           status, &named);
}

/* In time, what it executes is kept until its turn comes. */
static enum sam_status run_launch(struct sam_system *system, const struct sam_launch *launch,
                                  struct sam_gpu_result *result, struct sam_error *error)
{
    if (!system->time)
        return sam_gpu_launch(system->gpu, launch, result, error);
    const struct sam_symbol *kernel = sam_gpu_find_kernel(system->gpu, launch);
    struct sam_gpu_recording *recording;
    const enum sam_status status =
        sam_gpu_record(system->gpu, launch, &sam_system_time_config(system->time)->gpu,
                       SYSTEM_TIME_STREAM, &recording, result, error);
    if (recording)
        sam_system_time_give_launch(system->time, recording, kernel ? kernel->name : NULL);
    return status;
}

enum sam_hart_port_end sam_system_take_launch(struct sam_system *system, uint32_t address,
                                              const uint32_t words[16], uint32_t *status)
{
    struct sam_launch launch;
    struct sam_gpu_result result;
    struct sam_error error;
    for (unsigned i = 10; i < 16; i++)
        if (words[i])
            return sam_system_refuse(system, "launch record at 0x%08x: word %u is 0x%x: expected 0",
                                     address, i, words[i]);
    read_record(system, words, &launch);
    if (sam_gpu_check_launch(system->gpu, &launch, &error) != SAM_OK)
        return sam_system_refuse(system, "launch record at 0x%08x: %s", address, error.text);
    sam_system_watch_record(system, SAM_SYSTEM_GPU_QUEUE, address);
    const bool watched = sam_system_watch_code(system);
    const enum sam_status ended = run_launch(system, &launch, &result, &error);
    sam_system_check_code(system);
    if (ended == SAM_ERR_USAGE) /* the GPU of the cycle model is too small for it */
        return sam_system_refuse(system, "launch record at 0x%08x: %s", address, error.text);
    enum sam_hart_port_end end = SAM_HART_PORT_DONE;
    if (!account(system, &result) || !watched) {
        sam_fail_memory(&error);
        end = sam_system_stop(system, SAM_SYSTEM_END_HOST, SAM_ERR_MEMORY, &error);
    } else {
        tell(system, address, &launch, &result);
        *status = result.trap.kind == SAM_TRAP_NONE ? 0 : 1 + (uint32_t)result.trap.kind;
        if (ended != SAM_OK &&
            (ended != SAM_ERR_TRAP || system->options.gpu_traps == SAM_SYSTEM_TRAPS_END))
            end = fail(system, address, &launch, ended, &error);
    }
    sam_gpu_result_free(&result);
    return end;
}
