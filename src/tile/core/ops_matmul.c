/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products: summed in rising order, rounded after each product and each sum. */
#include "tile/core/core.h"

static float real_at(const struct sam_tile_core *core, const struct sam_tile_ref *t, size_t i,
                     size_t j)
{
    float value;
    sam_tile_read_reals(t->type.dtype, sam_tile_at(core, t, i, j), 1, &value);
    return value;
}

static uint32_t whole_at(const struct sam_tile_core *core, const struct sam_tile_ref *t, size_t i,
                         size_t j)
{
    int64_t value;
    sam_tile_read_ints(t->type.dtype, sam_tile_at(core, t, i, j), 1, &value);
    return (uint32_t)value;
}

/* d = start + a * b; `start` has as many rows as d or one for all of them; NULL: zeros */
static enum sam_status multiply(struct sam_tile_job *job, size_t factor,
                                const struct sam_tile_ref *start, bool one_row)
{
    const struct sam_tile_core *core = job->core;
    const struct sam_tile_ref *a = sam_tile_src(job, factor), *b = sam_tile_src(job, factor + 1);
    const struct sam_tile_ref *d = sam_tile_dst(job);
    size_t depth = (size_t)a->type.valid_cols;
    bool real = sam_tile_is_real(a->type.dtype);
    for (size_t i = 0; i < (size_t)d->type.valid_rows; i++)
        for (size_t j = 0; j < (size_t)d->type.valid_cols; j++) {
            size_t row = one_row ? 0 : i;
            if (real) {
                float sum = start ? real_at(core, start, row, j) : 0;
                for (size_t k = 0; k < depth; k++)
                    sum += real_at(core, a, i, k) * real_at(core, b, k, j);
                sam_tile_write_reals(SAM_F32, sam_tile_at(core, d, i, j), 1, &sum);
            } else {
                uint32_t sum = start ? whole_at(core, start, row, j) : 0;
                for (size_t k = 0; k < depth; k++)
                    sum += whole_at(core, a, i, k) * whole_at(core, b, k, j);
                memcpy(sam_tile_at(core, d, i, j), &sum, sizeof sum);
            }
        }
    return SAM_OK;
}

enum sam_status sam_tile_run_matmul(struct sam_tile_job *job)
{
    return multiply(job, 0, NULL, false);
}

enum sam_status sam_tile_run_matmul_acc(struct sam_tile_job *job)
{
    return multiply(job, 1, sam_tile_src(job, 0), false);
}

enum sam_status sam_tile_run_matmul_bias(struct sam_tile_job *job)
{
    return multiply(job, 0, sam_tile_src(job, 2), true);
}
