/* SPDX-License-Identifier: Apache-2.0 */
/* Connects the race check with the queues and the programs of a system. */
#include "system/system.h"

bool sam_system_add_watch(struct sam_system *system)
{
    if (!system->options.check_races)
        return true;
    system->watch = sam_system_watch_new(&(struct sam_system_races_options){0});
    if (!system->watch)
        return false;
    sam_system_watch_hart(system->watch, system->hart);
    return true;
}

static enum sam_system_agent agent_of(unsigned queue)
{
    return (enum sam_system_agent)(SAM_SYSTEM_BY_GPU + queue);
}

void sam_system_watch_record(struct sam_system *system, unsigned queue, uint32_t address)
{
    if (!system->watch)
        return;
    /* New options of the GPU may have dropped it. */
    system->gpu->options.sanitizer = sam_system_watch_gpu(system->watch);
    sam_system_watch_submit(system->watch, agent_of(queue), address, SAM_SYSTEM_RECORD,
                            (uint32_t)(sam_hart_pc(system->hart) - 4));
}

void sam_system_watch_done(struct sam_system *system, unsigned queue, uint32_t left)
{
    if (system->watch)
        sam_system_watch_ended(system->watch, agent_of(queue), left);
}

void sam_system_unit_accesses(struct sam_system *system, unsigned queue, bool stores,
                              uint64_t address, uint64_t size)
{
    if (system->watch)
        sam_system_watch_access(system->watch, agent_of(queue),
                                stores ? SAM_SYSTEM_STORE : SAM_SYSTEM_LOAD, address, size);
    if (stores && size)
        sam_hart_invalidate_code(system->hart, address, size);
}

const struct sam_system_race *sam_system_races(const struct sam_system *system, size_t *count,
                                               uint64_t *dropped)
{
    uint64_t ignored;
    *count = 0;
    if (dropped)
        *dropped = 0;
    return system->watch ? sam_system_races_found(sam_system_watch_races(system->watch), count,
                                                  dropped ? dropped : &ignored)
                         : NULL;
}

static const struct sam_image *image_of(void *context, enum sam_system_agent agent, uint64_t pc)
{
    const struct sam_system *system = context;
    return agent == SAM_SYSTEM_BY_GPU ? sam_system_image_at(system, (uint32_t)pc)
                                      : system->hart->image;
}

enum sam_status sam_system_print_races(const struct sam_system *system, unsigned top, char **text,
                                       struct sam_error *error)
{
    struct sam_buffer out = {0};
    if (text)
        *text = NULL;
    if (SAM_LACKS(error, system, text))
        return SAM_ERR_USAGE;
    if (system->watch)
        sam_system_races_put(&out, sam_system_watch_races(system->watch), image_of,
                             (void *)(uintptr_t)system, top);
    sam_buffer_append(&out, "", 1);
    if (out.failed) {
        sam_buffer_free(&out);
        return sam_fail_memory(error);
    }
    *text = (char *)out.data;
    return SAM_OK;
}
