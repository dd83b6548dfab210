/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the lane loops for this host. */
#include "base/cpu.h"
#include "simt/simt.h"

void sam_lanes_fill(struct sam_machine *machine, uint32_t lanes)
{
    sam_lanes_fill_base(machine, lanes);
#if defined(__x86_64__)
    if (sam_cpu_level() >= SAM_CPU_V3)
        sam_lanes_fill_v3(machine, lanes);
    if (sam_cpu_level() >= SAM_CPU_V4)
        sam_lanes_fill_v4(machine, lanes);
#endif
}
