/* SPDX-License-Identifier: Apache-2.0 */
/* The roofline, with the multipliers or a channel of the bus as the bound, and the traffic of the
 * registers. */
#include <math.h>

#include "matrix/cycle/state.h"

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

uint64_t sam_mxu_register_bytes(const struct sam_mxu *x)
{
    const struct sam_mxu_config *c = &x->config;
    const struct sam_mxu_stats *s = &x->stats;
    const uint64_t row = c->mlen / 8, rows = s->load_uops + s->store_uops + s->zero_uops;
    const uint64_t sums = 2 * sizeof(float) * c->npara; /* read and written, of each row of C */
    return s->mma_uops * (c->step_m * (row + sums) + c->npara * row) +
           (rows + 3 * s->pw_uops) * row;
}
