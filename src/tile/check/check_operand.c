/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of a tile operation one by one: their kinds, memories, layouts, dtypes. */
#include "tile/check/check_op.h"

static bool dtype_allowed(const void *context, enum sam_dtype dtype)
{
    const struct checked_op *s = context;
    const struct sam_fp_format *f = &sam_dtype_table[dtype].fp;
    const bool real = sam_tile_is_real(dtype);
    bool good = !sam_tile_is_special(dtype);
    switch (s->row->dtypes) {
    case SAM_TILE_ANY: return true;
    case SAM_TILE_INDEXED: return !sam_tile_is_paired(dtype);
    case SAM_TILE_REAL: good = good && real; break;
    case SAM_TILE_WHOLE: good = good && !real; break;
    case SAM_TILE_BITS: good = !real; break;
    case SAM_TILE_SHORT: good = sam_tile_size(dtype) <= 4 && !sam_tile_is_paired(dtype); break;
    case SAM_TILE_CONVERTED: good = true; break;
    case SAM_TILE_BASIC: /* not e8m0, hif8, e3m2, e2m3, e2m1, e1m2 */
        good = !real || (!f->is_unsigned && !f->is_tapered && f->top != SAM_FP_ALL_REAL);
        break;
    default: break;
    }
    if (!good)
        return false;
    return s->verifier->profile != SAM_TILE_A2A3 || dtype == SAM_F32 || dtype == SAM_F16 ||
           dtype == SAM_I16 || dtype == SAM_I32;
}

static bool kinds(const struct checked_op *s)
{
    bool good = true;
    for (size_t i = 0; i <= s->sources; i++) {
        char want = i < s->sources ? s->row->sources[i] : sam_tile_stores(s->row) ? 'v' : 't';
        enum sam_tile_kind kind = s->types[i]->kind;
        bool fits = want == 't'   ? kind == SAM_TILE_KIND_TILE
                    : want == 'v' ? kind == SAM_TILE_KIND_PART
                    : want == 'i' ? kind == SAM_TILE_KIND_INDEX
                                  : kind == SAM_TILE_KIND_SCALAR;
        char text[160];
        if (!fits && kind != SAM_TILE_KIND_UNKNOWN)
            FAULT(s, i, "%s: expected %s, found a value of type %s", s->row->name,
                  want == 't'   ? "a tile"
                  : want == 'v' ? "a partition of a tensor view"
                  : want == 'i' ? "an index"
                                : "a scalar",
                  sam_tile_ty_text(s->types[i], text, sizeof text));
        good &= fits;
    }
    return good;
}

/* Vector operations require tiles in vec, row-major and not boxed. */
static void vector_tile(const struct checked_op *s, size_t index)
{
    const struct sam_tile_type *t = tile(s, index);
    if (t->loc != SAM_TILE_vec)
        FAULT(s, index, "%s: %s is in %s: expected vec", s->row->name, which(s, index),
              sam_tile_loc_names[t->loc]);
    if (t->blayout != SAM_TILE_row_major)
        FAULT(s, index, "%s: %s has blayout col_major: expected row_major", s->row->name,
              which(s, index));
    if (t->slayout != SAM_TILE_none_box)
        FAULT(s, index, "%s: %s is boxed (slayout %s): expected none_box", s->row->name,
              which(s, index), sam_tile_layout_names[t->slayout]);
}

static void dtype_of_profile(const struct checked_op *s, size_t index)
{
    enum sam_dtype dtype = tile(s, index)->dtype;
    char allowed[SAM_TILE_DTYPE_TEXT];
    if (!dtype_allowed(s, dtype))
        FAULT(s, index, "%s: %s is of %s; profile %s has %s here", s->row->name, which(s, index),
              sam_tile_dtype_name(dtype), sam_tile_profile_names[s->verifier->profile],
              sam_tile_dtype_list(dtype_allowed, s, allowed));
}

/* Returns whether the family fixes the dtype of operand `index`. */
static bool has_own_dtype(const struct checked_op *s, size_t index)
{
    switch (sam_tile_family(s->row)->own) {
    case SAM_TILE_OWN_DST: return index == s->sources;
    case SAM_TILE_OWN_FIRST: return index == 0;
    case SAM_TILE_OWN_ALL: return true;
    default: return false;
    }
}

bool sam_tile_check_operands(const struct checked_op *s)
{
    if (!kinds(s))
        return false;
    for (size_t i = 0; i <= s->sources; i++) {
        if (s->types[i]->kind != SAM_TILE_KIND_TILE)
            continue;
        if (sam_tile_family(s->row)->tiles == SAM_TILE_TILES_VECTOR)
            vector_tile(s, i);
        if (!has_own_dtype(s, i))
            dtype_of_profile(s, i);
    }
    return true;
}
