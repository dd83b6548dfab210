/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the handlers for the host's instruction set. */
#include "base/cpu.h"
#include "simt/observe.h"

void sam_hooks_fill_base(struct sam_hooks *hooks);
void sam_hooks_fill_v3(struct sam_hooks *hooks);
void sam_hooks_fill_v4(struct sam_hooks *hooks);

#if defined(__x86_64__)
#define FILL(name, ...)                                                                            \
    do {                                                                                           \
        name##_base(__VA_ARGS__);                                                                  \
        if (sam_cpu_level() >= SAM_CPU_V3)                                                         \
            name##_v3(__VA_ARGS__);                                                                \
        if (sam_cpu_level() >= SAM_CPU_V4)                                                         \
            name##_v4(__VA_ARGS__);                                                                \
    } while (0)
#else
#define FILL(name, ...) name##_base(__VA_ARGS__)
#endif

void sam_lanes_fill(struct sam_machine *machine, uint32_t lanes)
{
    FILL(sam_lanes_fill, machine, lanes);
}

void sam_hooks_fill(struct sam_hooks *hooks)
{
    FILL(sam_hooks_fill, hooks);
}
