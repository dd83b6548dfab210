/* SPDX-License-Identifier: Apache-2.0 */
/* Linked before the library, this takes the place of its choice of lane loops: the plain build. */
#include "simt/simt.h"

void sam_lanes_fill(struct sam_machine *machine)
{
    sam_lanes_fill_base(machine);
}
