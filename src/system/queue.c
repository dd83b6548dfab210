/* SPDX-License-Identifier: Apache-2.0 */
/* The five registers of a queue. */
#include "system/system.h"

/* Records that have ended: all of them, without time. */
static uint32_t done(struct sam_system *system, unsigned queue)
{
    if (!system->time)
        return system->queues[queue].submitted;
    sam_system_now(system); /* advances the clock */
    return (uint32_t)sam_system_time_done(system->time, queue);
}

/* Count reads of a queue while all queues are empty, and start livelock detection from
 * POLLS_IN_VAIN on at each power of two: no record will end and change the register. */
static void note_poll(struct sam_system *system)
{
    enum { POLLS_IN_VAIN = 4096 };
    for (unsigned i = 0; i < SAM_SYSTEM_QUEUES; i++)
        if (system->queues[i].submitted != done(system, i))
            return;
    const uint64_t polls = ++system->polls;
    if (polls >= POLLS_IN_VAIN && (polls & (polls - 1)) == 0)
        sam_hart_livelock_check(system->hart);
}

enum sam_hart_port_end sam_system_queue_load(struct sam_system *system, unsigned queue,
                                             uint32_t offset, uint32_t *value)
{
    const struct sam_system_queue *q = &system->queues[queue];
    note_poll(system);
    switch (offset) {
    case SYSTEM_QUEUE_SUBMITTED: *value = q->submitted; break;
    case SYSTEM_QUEUE_DONE:
        *value = done(system, queue);
        sam_system_watch_done(system, queue, q->submitted - *value);
        break;
    case SYSTEM_QUEUE_WAIT:
        *value = q->status;
        sam_system_watch_done(system, queue, 0);
        break;
    case SYSTEM_QUEUE_STATUS: *value = q->status; break;
    default: return SAM_HART_PORT_FAULT;
    }
    return SAM_HART_PORT_DONE;
}

/* A record takes effect when it is submitted. */
static enum sam_hart_port_end submit(struct sam_system *system, unsigned queue, uint32_t address)
{
    struct sam_system_queue *q = &system->queues[queue];
    const char *record = sam_system_units[queue].record;
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
    const enum sam_hart_port_end end =
        sam_system_units[queue].unit->take(system, address, words, &status);
    if (end == SAM_HART_PORT_FAULT)
        return end;
    q->submitted++;
    if (!q->status)
        q->status = status;
    return end;
}

enum sam_hart_port_end sam_system_queue_store(struct sam_system *system, unsigned queue,
                                              uint32_t offset, uint32_t value)
{
    if (offset == SYSTEM_QUEUE_SUBMIT)
        return submit(system, queue, value);
    if (offset != SYSTEM_QUEUE_STATUS)
        return SAM_HART_PORT_FAULT;
    system->queues[queue].status = 0;
    return SAM_HART_PORT_DONE;
}
