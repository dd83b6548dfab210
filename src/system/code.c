/* SPDX-License-Identifier: Apache-2.0 */
/* Self-modifying code across units: invalidates decoded instructions of the hart that a launch
 * overwrote. */
#include "system/system.h"

/* A decoded page and its bytes before the launch. */
struct shot {
    uint64_t pc;
    uint8_t bytes[SAM_PAGE_SIZE];
};

static void keep(void *context, uint64_t pc)
{
    struct sam_system *system = context;
    struct shot shot = {.pc = pc};
    sam_memory_read(system->memory, pc, shot.bytes, sizeof shot.bytes);
    sam_buffer_append(&system->code, &shot, sizeof shot);
}

/* The snapshot stays valid until the hart decodes another page or stores to a decoded one. */
bool sam_system_watch_code(struct sam_system *system)
{
    const uint64_t changes = sam_code_changes(system->hart->code);
    if (system->code.size && !system->code.failed && system->code_changes == changes)
        return true;
    system->code.size = 0;
    system->code_changes = changes;
    sam_code_each_page(system->hart->code, keep, system);
    return !system->code.failed;
}

void sam_system_check_code(struct sam_system *system)
{
    uint8_t now[SAM_PAGE_SIZE];
    const struct shot *shots = (const struct shot *)(const void *)system->code.data;
    for (size_t i = 0; i < system->code.size / sizeof *shots; i++) {
        if (!sam_workers_touched(system->gpu, (uint32_t)shots[i].pc))
            continue;
        sam_memory_read(system->memory, shots[i].pc, now, sizeof now);
        if (memcmp(now, shots[i].bytes, sizeof now) != 0)
            sam_hart_invalidate_code(system->hart, shots[i].pc, sizeof now);
    }
}
