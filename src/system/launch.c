/* SPDX-License-Identifier: Apache-2.0 */
/* Executes launch records. */
#include "system/system.h"

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
    struct sam_launch_record r;
    _Static_assert(sizeof r == SAM_SYSTEM_RECORD, "the words of a record");
    memcpy(&r, words, sizeof r);
    *launch = (struct sam_launch){.start = r.start,
                                  .metadata = r.metadata,
                                  .grid = {r.grid_x, r.grid_y, r.grid_z},
                                  .lanes = r.lanes,
                                  .warps = r.warps,
                                  .lds_size = r.lds_bytes,
                                  .pds_size = r.pds_bytes,
                                  .pds_base = r.pds_base,
                                  .image = sam_system_image_at(system, r.start)};
}

/* Count a launch, and keep the first trap. Returns false on out-of-memory. */
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

static void notify(const struct sam_system *system, uint32_t record,
                   const struct sam_launch *launch, const struct sam_gpu_result *result)
{
    const struct sam_symbol *kernel = sam_gpu_find_kernel(system->gpu, launch);
    const struct sam_system_launch event = {.number = system->stats.launches - 1,
                                            .record = record,
                                            .launch = launch,
                                            .kernel = kernel ? kernel->name : NULL,
                                            .result = result};
    if (system->options.launched)
        system->options.launched(system->options.launched_context, &event);
}

/* End the run because a launch failed. */
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

/* With time, record the instructions for the model of the GPU. */
static enum sam_status run_launch(struct sam_system *system, const struct sam_launch *launch,
                                  struct sam_gpu_result *result, struct sam_error *error)
{
    if (!system->time)
        return sam_gpu_launch(system->gpu, launch, result, error);
    const struct sam_symbol *kernel = sam_gpu_find_kernel(system->gpu, launch);
    struct sam_gpu_recording *recording;
    const enum sam_status status = sam_gpu_record(system->gpu, launch, &system->time->config.gpu,
                                                  SYSTEM_TIME_STREAM, &recording, result, error);
    if (recording)
        sam_system_give_launch(system->time, recording, kernel ? kernel->name : NULL);
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
        notify(system, address, &launch, &result);
        *status = result.trap.kind == SAM_TRAP_NONE ? 0 : 1 + (uint32_t)result.trap.kind;
        if (ended != SAM_OK &&
            (ended != SAM_ERR_TRAP || system->options.gpu_traps == SAM_SYSTEM_TRAPS_END))
            end = fail(system, address, &launch, ended, &error);
    }
    sam_gpu_result_free(&result);
    return end;
}
