/* SPDX-License-Identifier: Apache-2.0 */
/* Determines what bounds a program: the multipliers, or one of the two channels of the bus. */
#include <math.h>

#include "matrix/cycle/cycle.h"

void sam_mxu_roofline(const struct sam_mxu_config *c, const struct sam_mxu_stats *s,
                      struct sam_mxu_roofline *r)
{
    const uint64_t beats = s->read_beats > s->write_beats ? s->read_beats : s->write_beats;
    const double operations = 2 * (double)s->macs;
    *r = (struct sam_mxu_roofline){
        .peak = 2 * (double)s->peak_macs,
        .slope = 16.0 / c->beat_cycles,
        .intensity = beats ? operations / (16 * (double)beats) : INFINITY,
        .done = s->cycles ? operations / (double)s->cycles : 0,
    };
    r->bound = fmin(r->peak, r->intensity * r->slope);
    r->bus_bound = r->intensity * r->slope < r->peak;
}
