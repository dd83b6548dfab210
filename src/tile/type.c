/* SPDX-License-Identifier: Apache-2.0 */
/* Types of values: sizes, equality, text. */
#include "tile/tile.h"

#include <inttypes.h>
#include <stdio.h>

const char *sam_tile_dtype_name(enum sam_dtype dtype)
{
    return sam_tile_has_dtype(dtype) ? sam_dtype_table[dtype].tile : "?";
}

enum sam_dtype sam_tile_dtype_find(const char *name, size_t size)
{
    char text[16];
    if (size >= sizeof text)
        return SAM_DTYPES;
    memcpy(text, name, size);
    text[size] = '\0';
    return sam_dtype_by_name(offsetof(struct sam_dtype_row, tile), text);
}

const char *sam_tile_dtype_list(bool (*wanted)(const void *context, enum sam_dtype dtype),
                                const void *context, char text[SAM_TILE_DTYPE_TEXT])
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < SAM_DTYPES && used < SAM_TILE_DTYPE_TEXT; i++) {
        enum sam_dtype dtype = (enum sam_dtype)i;
        if (sam_tile_has_dtype(dtype) && wanted(context, dtype))
            used += (size_t)snprintf(text + used, SAM_TILE_DTYPE_TEXT - used, "%s%s",
                                     used ? " " : "", sam_dtype_table[i].tile);
    }
    return text;
}

const char *sam_tile_type_fault(const struct sam_tile_type *t)
{
    return (unsigned)t->loc >= SAM_TILE_LOCS                                      ? "memory"
           : !sam_tile_has_dtype(t->dtype)                                        ? "dtype"
           : t->blayout != SAM_TILE_row_major && t->blayout != SAM_TILE_col_major ? "layout"
           : (unsigned)t->slayout > SAM_TILE_col_major                            ? "layout"
           : t->fractal != 32 && t->fractal != 512 && t->fractal != 1024          ? "fractal"
           : (unsigned)t->pad > SAM_TILE_PAD_min                                  ? "pad value"
                                                                                  : NULL;
}

enum sam_status sam_tile_check_profile(enum sam_tile_profile profile, struct sam_error *error)
{
    if ((unsigned)profile <= SAM_TILE_HOST)
        return SAM_OK;
    return sam_fail(error, SAM_ERR_USAGE, "unknown profile %u", (unsigned)profile);
}

enum sam_status sam_tile_check_options(const struct sam_tile_options *options,
                                       struct sam_error *error)
{
    if ((unsigned)options->nan > SAM_TILE_NAN_FIRST)
        return sam_fail(error, SAM_ERR_USAGE, "unknown NaN mode %u", (unsigned)options->nan);
    if ((unsigned)options->outside > SAM_TILE_PAD_VALUE)
        return sam_fail(error, SAM_ERR_USAGE, "unknown padding mode %u",
                        (unsigned)options->outside);
    if ((unsigned)options->sum_order > SAM_TILE_SUM_SYSTEM)
        return sam_fail(error, SAM_ERR_USAGE, "unknown order of sums %u",
                        (unsigned)options->sum_order);
    if ((unsigned)options->dialect > SAM_TILE_SPEC)
        return sam_fail(error, SAM_ERR_USAGE, "unknown dialect %u", (unsigned)options->dialect);
    return sam_tile_check_profile(options->profile, error);
}

uint64_t sam_tile_bytes(const struct sam_tile_type *type)
{
    const uint64_t elements = (uint64_t)type->rows * type->cols;
    return elements > UINT64_MAX / 8 ? UINT64_MAX : sam_tile_length(type->dtype, elements);
}

bool sam_tile_may_be_one(const struct sam_tile_row *row, size_t index,
                         const struct sam_tile_type *source,
                         const struct sam_tile_type *destination)
{
    struct sam_tile_type type = *source;
    type.valid_rows = destination->valid_rows;
    type.valid_cols = destination->valid_cols;
    return sam_tile_in_place(row, index) && sam_tile_type_equal(&type, destination);
}

bool sam_tile_ty_equal(const struct sam_tile_ty *a, const struct sam_tile_ty *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case SAM_TILE_KIND_SCALAR:
    case SAM_TILE_KIND_PTR: return a->dtype == b->dtype;
    case SAM_TILE_KIND_VIEW:
    case SAM_TILE_KIND_PART:
        return a->dtype == b->dtype && a->rank == b->rank &&
               memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0;
    case SAM_TILE_KIND_TILE: return sam_tile_type_equal(&a->tile, &b->tile);
    case SAM_TILE_KIND_UNKNOWN:
    case SAM_TILE_KIND_INDEX:
    case SAM_TILE_KIND_BOOL:
    case SAM_TILE_KIND_EVENT: return true;
    }
    return false;
}

static void print_dim(struct sam_buffer *out, int64_t dim)
{
    if (dim == SAM_TILE_DYNAMIC)
        sam_buffer_append(out, "?", 1);
    else
        sam_buffer_printf(out, "%" PRId64, dim);
}

static void print_tile(struct sam_buffer *out, const struct sam_tile_type *t, bool short_name)
{
    sam_buffer_printf(out, "!pto.%s<%s, %" PRIu32 "x%" PRIu32 "x%s",
                      short_name ? "tile" : "tile_buf", sam_tile_loc_names[t->loc], t->rows,
                      t->cols, sam_tile_dtype_name(t->dtype));
    if (t->valid_rows != t->rows || t->valid_cols != t->cols) {
        sam_buffer_printf(out, ", valid=");
        print_dim(out, t->valid_rows);
        sam_buffer_append(out, "x", 1);
        print_dim(out, t->valid_cols);
    }
    if (t->blayout != SAM_TILE_row_major)
        sam_buffer_printf(out, ", blayout=%s", sam_tile_layout_names[t->blayout]);
    if (t->slayout != SAM_TILE_none_box)
        sam_buffer_printf(out, ", slayout=%s", sam_tile_layout_names[t->slayout]);
    if (t->fractal != 512)
        sam_buffer_printf(out, ", fractal=%u", t->fractal);
    if (t->pad != SAM_TILE_PAD_null)
        sam_buffer_printf(out, ", pad=%d", t->pad);
    sam_buffer_append(out, ">", 1);
}

void sam_tile_ty_print(struct sam_buffer *out, const struct sam_tile_ty *type, bool short_name)
{
    switch (type->kind) {
    case SAM_TILE_KIND_UNKNOWN: sam_buffer_printf(out, "unknown"); return;
    case SAM_TILE_KIND_INDEX: sam_buffer_printf(out, "index"); return;
    case SAM_TILE_KIND_BOOL: sam_buffer_printf(out, "i1"); return;
    case SAM_TILE_KIND_EVENT: sam_buffer_printf(out, "!pto.event"); return;
    case SAM_TILE_KIND_SCALAR:
        sam_buffer_printf(out, "%s", sam_tile_dtype_name(type->dtype));
        return;
    case SAM_TILE_KIND_PTR:
        sam_buffer_printf(out, "!pto.ptr<%s>", sam_tile_dtype_name(type->dtype));
        return;
    case SAM_TILE_KIND_VIEW:
    case SAM_TILE_KIND_PART:
        sam_buffer_printf(out, "!pto.%s<",
                          type->kind == SAM_TILE_KIND_VIEW ? "tensor_view"
                                                           : "partition_tensor_view");
        for (uint32_t i = 0; i < type->rank; i++) {
            print_dim(out, type->dims[i]);
            sam_buffer_append(out, "x", 1);
        }
        sam_buffer_printf(out, "%s>", sam_tile_dtype_name(type->dtype));
        return;
    case SAM_TILE_KIND_TILE: print_tile(out, &type->tile, short_name); return;
    }
}

const char *sam_tile_ty_text(const struct sam_tile_ty *type, char *text, size_t size)
{
    struct sam_buffer out = {0};
    sam_tile_ty_print(&out, type, false);
    snprintf(text, size, "%s", sam_buffer_text(&out));
    sam_buffer_free(&out);
    return text;
}
