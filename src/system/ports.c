/* SPDX-License-Identifier: Apache-2.0 */
/* The control registers: console, power and sizes in the first page, then a page per queue. */
#include "system/system.h"

#include <stdarg.h>
#include <stdio.h>

#include "hostio/hostio.h"

enum sam_hart_port_end sam_system_refuse(struct sam_system *system, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sam_format_list(system->why, sizeof system->why, format, arguments);
    va_end(arguments);
    return SAM_HART_PORT_FAULT;
}

enum sam_hart_port_end sam_system_stop(struct sam_system *system, enum sam_system_end end,
                                       enum sam_status status, const struct sam_error *error)
{
    system->ended = true;
    system->end = end;
    system->end_status = status;
    system->end_error = *error;
    return SAM_HART_PORT_STOP;
}

/* ------------------------------------------------------------------------- console and power */

static enum sam_hart_port_end put(struct sam_system *system, uint32_t value)
{
    struct sam_hostio *host = system->hart->options.hostio;
    struct sam_error error;
    system->stats.console_bytes++;
    if (!host || sam_hostio_put(host, (char)value))
        return SAM_HART_PORT_DONE;
    sam_fail(&error, SAM_ERR_IO, "cannot write the program's output");
    return sam_system_stop(system, SAM_SYSTEM_END_HOST, SAM_ERR_IO, &error);
}

static enum sam_hart_port_end load_power(struct sam_system *system, unsigned queue, uint32_t offset,
                                         uint32_t *value)
{
    const struct sam_matrix *matrix = system->hart->matrix;
    (void)queue;
    switch (offset + SAM_SYSTEM_CONTROL) {
    case SAM_SYSTEM_CYCLE_LOW:
        *value = (uint32_t)sam_system_now(system);
        sam_hart_livelock_cancel(system->hart);
        break;
    case SAM_SYSTEM_CYCLE_HIGH:
        *value = (uint32_t)(sam_system_now(system) >> 32);
        sam_hart_livelock_cancel(system->hart);
        break;
    case SAM_SYSTEM_IDENTITY:
        *value = system->options.sms |
                 (matrix ? matrix->accumulators << 8 | matrix->row_bytes * 8 << 16 : 0);
        break;
    case SAM_SYSTEM_DIRECTORY: *value = system->directory; break;
    case SAM_SYSTEM_L1M_SIZE: *value = (uint32_t)system->options.l1m_size; break;
    case SAM_SYSTEM_L0M_SIZE: *value = (uint32_t)system->options.l0m_size; break;
    default: return SAM_HART_PORT_FAULT;
    }
    return SAM_HART_PORT_DONE;
}

static enum sam_hart_port_end store_power(struct sam_system *system, unsigned queue,
                                          uint32_t offset, uint32_t value)
{
    (void)queue;
    switch (offset + SAM_SYSTEM_CONTROL) {
    case SAM_SYSTEM_CONSOLE: return put(system, value);
    case SAM_SYSTEM_EXIT: return SAM_HART_PORT_EXIT;
    default: return SAM_HART_PORT_FAULT;
    }
}

/* ------------------------------------------------------------------------------------- pages */

/* The first page, and the pages of queues. The functions fault on registers that do not exist. */
static const struct page {
    enum sam_hart_port_end (*load)(struct sam_system *system, unsigned queue, uint32_t offset,
                                   uint32_t *value);
    enum sam_hart_port_end (*store)(struct sam_system *system, unsigned queue, uint32_t offset,
                                    uint32_t value);
} power = {load_power, store_power}, queues = {sam_system_queue_load, sam_system_queue_store};

static const struct page *page_of(uint64_t address, unsigned *queue)
{
    *queue = (unsigned)((address - SAM_SYSTEM_CONTROL) / SAM_SYSTEM_PAGE) - 1;
    return *queue < SAM_SYSTEM_QUEUES ? &queues : &power;
}

struct name {
    const char *name, *access;
};

/* The register at an address, for messages. */
static struct name name_of(uint64_t address)
{
    static const struct {
        uint64_t address;
        struct name name;
    } names[] = {
#define SAM_DEVICE_REGISTER(NAME, address, access, meaning) {address, {#NAME, access}},
#include "samite/device/layout.def"
#undef SAM_DEVICE_REGISTER
    };
    for (size_t i = 0; i < SAM_COUNT(names); i++)
        if (names[i].address == address)
            return names[i].name;
    return (struct name){NULL, NULL};
}

/* Give a fault a reason, unless it has one. */
static enum sam_hart_port_end explain_fault(struct sam_system *system, uint64_t address, bool store,
                                            enum sam_hart_port_end end)
{
    const struct name name = name_of(address);
    if (end != SAM_HART_PORT_FAULT || system->why[0])
        return end;
    if (!name.name)
        return sam_system_refuse(system, "there is no control register at 0x%08llx",
                                 (unsigned long long)address);
    return sam_system_refuse(system, "control register %s cannot be %s", name.name,
                             store ? "written" : "read");
}

static enum sam_hart_port_end load(void *context, uint64_t address, uint32_t *value)
{
    struct sam_system *system = context;
    unsigned queue;
    const struct page *page = page_of(address, &queue);
    system->why[0] = '\0';
    system->stats.register_loads++;
    return explain_fault(system, address, false,
                         page->load(system, queue, (uint32_t)address % SAM_SYSTEM_PAGE, value));
}

static enum sam_hart_port_end store(void *context, uint64_t address, uint32_t value)
{
    struct sam_system *system = context;
    unsigned queue;
    const struct page *page = page_of(address, &queue);
    system->why[0] = '\0';
    system->stats.register_stores++;
    system->polls = 0;
    sam_hart_livelock_cancel(system->hart);
    return explain_fault(system, address, true,
                         page->store(system, queue, (uint32_t)address % SAM_SYSTEM_PAGE, value));
}

static void explain(void *context, char *text, size_t size)
{
    const struct sam_system *system = context;
    snprintf(text, size, "%s", system->why);
}

void sam_system_add_ports(struct sam_system *system, struct sam_hart_ports *ports)
{
    *ports = (struct sam_hart_ports){.base = SAM_SYSTEM_CONTROL,
                                     .size = SAM_SYSTEM_CONTROL_BYTES,
                                     .load = load,
                                     .store = store,
                                     .explain = explain,
                                     .context = system};
}
