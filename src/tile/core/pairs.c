/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles whose elements have 4 bits, two in a byte: an operation runs on copies in which each has a
 * byte, and what it wrote is put back. The other half of a byte stays. */
#include "tile/core/core.h"

/* Line `line` of a tile and of its copy. */
struct lines {
    uint64_t at, length, copy; /* first byte, and bytes; first byte of the copy */
};

static struct lines line_of(const struct sam_tile_ref *t, const struct sam_tile_ref *copy,
                            uint32_t line)
{
    return (struct lines){t->offset + (uint64_t)line * t->pitch / 2, copy->pitch / 2,
                          copy->offset + (uint64_t)line * copy->pitch};
}

static uint32_t line_count(const struct sam_tile_ref *t)
{
    return t->type.blayout == SAM_TILE_row_major ? t->type.rows : t->type.cols;
}

/* Give each element a byte. */
static void split(struct sam_tile_core *core, const struct sam_tile_ref *t,
                  const struct sam_tile_ref *copy)
{
    struct sam_tile_written *const from = &core->memories[t->type.loc].written;
    struct sam_tile_written *const to = &core->memories[SAM_TILE_SPARE].written;
    for (uint32_t i = 0; i < line_count(t); i++) {
        const struct lines s = line_of(t, copy, i);
        for (uint64_t k = 0; k < 2 * s.length; k++)
            core->memories[SAM_TILE_SPARE].bytes[s.copy + k] =
                sam_tile_half(core->memories[t->type.loc].bytes + s.at, k);
        const bool all = sam_tile_written_all(from, s.at, s.length);
        if (all)
            sam_tile_written_set(to, s.copy, 2 * s.length);
        for (uint64_t k = 0; !all && k < s.length; k++)
            if (sam_tile_written_all(from, s.at + k, 1))
                sam_tile_written_set(to, s.copy + 2 * k, 2);
    }
}

/* The reverse, for the bytes of which an element is written. */
static void join(struct sam_tile_core *core, const struct sam_tile_ref *t,
                 const struct sam_tile_ref *copy)
{
    struct sam_tile_written *const from = &core->memories[SAM_TILE_SPARE].written;
    struct sam_tile_written *const to = &core->memories[t->type.loc].written;
    for (uint32_t i = 0; i < line_count(t); i++) {
        const struct lines s = line_of(t, copy, i);
        for (uint64_t k = 0; k < 2 * s.length; k++) {
            if (!sam_tile_written_all(from, s.copy + k, 1))
                continue;
            sam_tile_set_half(core->memories[t->type.loc].bytes + s.at, k,
                              core->memories[SAM_TILE_SPARE].bytes[s.copy + k]);
            sam_tile_written_set(to, s.at + k / 2, 1);
        }
    }
}

enum sam_status sam_tile_run_unpaired(struct sam_tile_job *job, size_t rows, size_t cols,
                                      enum sam_status (*run)(struct sam_tile_job *job, size_t rows,
                                                             size_t cols))
{
    struct sam_tile_core *const core = job->core;
    const struct sam_tile_actual *const given = job->actuals;
    struct sam_tile_actual actuals[SAM_TILE_OPERANDS];
    struct sam_tile_ref copies[SAM_TILE_OPERANDS];
    uint64_t end = 0;
    for (size_t i = 0; i <= job->sources; i++) {
        actuals[i] = given[i];
        if (given[i].kind != SAM_TILE_IS_TILE || !sam_tile_is_paired(given[i].tile->type.dtype))
            continue;
        copies[i] = *given[i].tile;
        copies[i].type.loc = SAM_TILE_SPARE;
        copies[i].offset = end;
        copies[i].pitch = copies[i].type.blayout == SAM_TILE_row_major ? copies[i].type.cols
                                                                       : copies[i].type.rows;
        actuals[i].tile = &copies[i];
        end += 2 * sam_tile_bytes(&copies[i].type);
    }
    if (!sam_tile_core_reach(core, SAM_TILE_SPARE, end))
        return sam_fail_memory(job->error);
    sam_tile_core_forget(core, SAM_TILE_SPARE, 0, end);
    for (size_t i = 0; i <= job->sources; i++)
        if (actuals[i].kind == SAM_TILE_IS_TILE && actuals[i].tile == &copies[i])
            split(core, given[i].tile, &copies[i]);
    job->actuals = actuals;
    const enum sam_status status = run(job, rows, cols);
    job->actuals = given;
    const struct sam_tile_actual *const d = &actuals[job->sources];
    if (status == SAM_OK && d->kind == SAM_TILE_IS_TILE && d->tile == &copies[job->sources])
        join(core, given[job->sources].tile, d->tile);
    return status;
}

void sam_tile_move_pairs(const struct sam_tile_core *core, const struct sam_tile_ref *t,
                         uint8_t *data, bool in)
{
    uint8_t *const tile = core->memories[t->type.loc].bytes + t->offset;
    const size_t rows = (size_t)t->type.valid_rows, cols = (size_t)t->type.valid_cols;
    for (size_t i = 0; i < rows; i++, data += sam_tile_length(t->type.dtype, cols))
        for (size_t j = 0; j < cols; j++) {
            const size_t at = sam_tile_index(t, i, j);
            if (in)
                sam_tile_set_half(tile, at, sam_tile_half(data, j));
            else
                sam_tile_set_half(data, j, sam_tile_half(tile, at));
        }
}
