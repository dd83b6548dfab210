/* SPDX-License-Identifier: Apache-2.0 */
#include "system/unit.h"

const struct system_unit_row sam_system_units[SAM_SYSTEM_QUEUES] = {
#define SAM_QUEUE(AGENT, QUEUE, record, name, figures, ...)                                        \
    {#record, figures, &sam_system_##record##_unit},
#include "samite/device/units.def"
};

const char *sam_system_port_name(unsigned unit)
{
    if (unit < SYSTEM_PORT_ENGINES + SAM_ENGINE_COUNT)
        return sam_engine_name(unit - SYSTEM_PORT_ENGINES);
    if (unit == SYSTEM_PORT_MATRIX)
        return "matrix";
    return unit < SYSTEM_PORTS ? sam_system_units[unit - SYSTEM_PORT_GPU].figures : "?";
}
