/* SPDX-License-Identifier: Apache-2.0 */
/* Verifier of a tile's type: line size, valid rectangle, layouts, capacity. */
#include "tile/tile.h"

#include <inttypes.h>

/* Report that rows (columns) of a tile are not whole blocks, with the padded type that is. */
static void fail_line(struct sam_tile_report *report, struct sam_tile_pos pos,
                      const struct sam_tile_type *t, bool by_rows, uint64_t line)
{
    struct sam_tile_ty padded = {.kind = SAM_TILE_KIND_TILE, .dtype = t->dtype, .tile = *t};
    struct sam_buffer text = {0};
    uint32_t *length = by_rows ? &padded.tile.cols : &padded.tile.rows;
    const uint64_t elements = (line + 31) / 32 * (32 * 8 / sam_dtype_table[t->dtype].bits);
    if (elements <= INT32_MAX) {
        *length = (uint32_t)elements;
        sam_tile_ty_print(&text, &padded, false);
    }
    sam_tile_error(
        report, pos, "a %s of the tile has %" PRIu64 " bytes: expected a multiple of 32%s%s",
        by_rows ? "row" : "column", line, text.size ? ", as in " : "", sam_buffer_text(&text));
    sam_buffer_free(&text);
}

void sam_tile_verify_type(const struct sam_tile_verifier *verifier, const struct sam_tile_type *t,
                          struct sam_tile_pos pos)
{
    struct sam_tile_report *report = verifier->report;
    if (t->valid_rows > t->rows || t->valid_cols > t->cols)
        sam_tile_error(report, pos,
                       "the valid rectangle %" PRId64 "x%" PRId64 " is larger than the tile, "
                       "%" PRIu32 "x%" PRIu32,
                       t->valid_rows, t->valid_cols, t->rows, t->cols);
    bool by_rows = t->blayout == SAM_TILE_row_major;
    const uint64_t length = by_rows ? t->cols : t->rows, line = sam_tile_length(t->dtype, length);
    /* The specification has vectors of R x 1 elements without padding. */
    const bool vector = by_rows && t->cols == 1 && !sam_tile_is_paired(t->dtype);
    if (sam_tile_is_paired(t->dtype) && length % 2)
        sam_tile_error(report, pos,
                       "a %s of the tile has %" PRIu64 " elements of 4 bits: expected "
                       "an even number",
                       by_rows ? "row" : "column", length);
    else if (t->slayout == SAM_TILE_none_box && line % 32 && !vector)
        fail_line(report, pos, t, by_rows, line);
    if (t->slayout != SAM_TILE_none_box && sam_tile_bytes(t) % t->fractal)
        sam_tile_error(report, pos,
                       "a boxed tile has %" PRIu64 " bytes: expected a multiple of its fractal, %u",
                       sam_tile_bytes(t), t->fractal);
    uint64_t capacity = sam_tile_capacity(verifier->profile, t->loc);
    capacity = capacity ? capacity : SAM_TILE_LARGEST;
    if (sam_tile_bytes(t) > capacity)
        sam_tile_error(report, pos, "the tile has %" PRIu64 " bytes, %s has %" PRIu64,
                       sam_tile_bytes(t), sam_tile_loc_names[t->loc], capacity);
}
