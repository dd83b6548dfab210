/* SPDX-License-Identifier: Apache-2.0 */
/* Verifier of one tile operation: memories, layouts, dtypes, shapes. Unknown sizes pass; they are
 * checked again at run time. */
#include "tile/check/check_op.h"

#include <inttypes.h>

/* --- sizes, possibly unknown */

static bool is_known(int64_t size)
{
    return size >= 0;
}

/* a * b, or a + b */
static int64_t combine(const struct checked_op *s, bool product, int64_t a, int64_t b)
{
    int64_t both;
    if (is_known(a) && is_known(b))
        return (product ? __builtin_mul_overflow(a, b, &both) : __builtin_add_overflow(a, b, &both))
                   ? SAM_TILE_DYNAMIC
                   : both;
    const struct sam_tile_unknown *u = s->verifier->unknown;
    return u ? u->combine(u->context, product, a, b) : SAM_TILE_DYNAMIC;
}

/* A size for messages; an unknown one prints as its name, in braces. */
struct size_text {
    char text[24];
};

static struct size_text size(int64_t number)
{
    struct size_text t;
    sam_format(t.text, sizeof t.text, is_known(number) ? "%" PRId64 : "{%" PRId64 "}", number);
    return t;
}

/* Require a relation of two sizes. If one is unknown, defer to verifier->unknown. */
static void require(const struct checked_op *s, size_t index, enum sam_tile_relation relation,
                    int64_t a, int64_t b, const char *format, ...) SAM_PRINTF(6, 7);

static void require(const struct checked_op *s, size_t index, enum sam_tile_relation relation,
                    int64_t a, int64_t b, const char *format, ...)
{
    const struct sam_tile_unknown *u = s->verifier->unknown;
    const bool known = is_known(a) && is_known(b);
    if (!known && !u)
        return;
    const bool good = known && (relation == SAM_TILE_EQUAL     ? a == b
                                : relation == SAM_TILE_AT_MOST ? a <= b
                                                               : a || !b);
    char text[400];
    va_list list;
    if (good)
        return;
    va_start(list, format);
    sam_format_list(text, sizeof text, format, list);
    va_end(list);
    if (known)
        FAULT(s, index, "%s", text);
    else
        u->later(u->context, relation, a, b, text);
}

/* --- operands */

static void same_dtype(const struct checked_op *s, size_t a, size_t b)
{
    if (tile(s, a)->dtype != tile(s, b)->dtype)
        FAULT(s, b, "%s: %s is of %s, %s of %s: they must be the same", s->row->name, which(s, b),
              sam_tile_dtype_name(tile(s, b)->dtype), which(s, a),
              sam_tile_dtype_name(tile(s, a)->dtype));
}

static void exact_dtype(const struct checked_op *s, size_t index, size_t dtype)
{
    if (tile(s, index)->dtype != dtype)
        FAULT(s, index, "%s: %s is of %s: expected %s", s->row->name, which(s, index),
              sam_tile_dtype_name(tile(s, index)->dtype),
              sam_tile_dtype_name((enum sam_dtype)dtype));
}

static void is_position(const struct checked_op *s, size_t index, size_t unused)
{
    (void)unused;
    if (tile(s, index)->dtype != SAM_U32)
        exact_dtype(s, index, SAM_I32);
}

/* A result has the dtype of the sources; that of expdif on 16-bit floats may be f32. */
static void computed(const struct checked_op *s, size_t d, size_t a)
{
    const enum sam_dtype from = tile(s, a)->dtype;
    if (s->row->function != SAM_TILE_FN_EXPDIF || tile(s, d)->dtype != SAM_F32 ||
        (from != SAM_F16 && from != SAM_BF16))
        same_dtype(s, d, a);
}

static void valid_cols(const struct checked_op *s, size_t index, int64_t cols, const char *why)
{
    const int64_t found = tile(s, index)->valid_cols;
    require(s, index, SAM_TILE_EQUAL, found, cols, "%s: %s has %s valid columns: expected %s%s",
            s->row->name, which(s, index), size(found).text, size(cols).text, why);
}

static void valid_rows(const struct checked_op *s, size_t index, int64_t rows, const char *why)
{
    const int64_t found = tile(s, index)->valid_rows;
    require(s, index, SAM_TILE_EQUAL, found, rows, "%s: %s has %s valid rows: expected %s%s",
            s->row->name, which(s, index), size(found).text, size(rows).text, why);
}

static void valid_as(const struct checked_op *s, size_t index, size_t as)
{
    const char *why = as == s->sources ? ", as the destination" : ", as the source";
    valid_rows(s, index, tile(s, as)->valid_rows, why);
    valid_cols(s, index, tile(s, as)->valid_cols, why);
}

/* --- rules on operands a and b */

/* A reduction to one row. With rows to reduce, dst needs at least one valid row. Further valid rows
 * are legal by the operation's published page; their content follows --pad. */
static void to_row(const struct checked_op *s, size_t a, size_t d)
{
    const struct sam_tile_type *src = tile(s, a), *dst = tile(s, d);
    valid_cols(s, d, src->valid_cols, ", as the source");
    if (s->verifier->dialect == SAM_TILE_SPEC) {
        valid_rows(s, d, 1, " in dialect spec");
        return;
    }
    /* The checker assumes at least one column. */
    const bool some = !s->verifier->unknown && !is_known(src->valid_cols);
    const int64_t elements =
        some ? src->valid_rows : combine(s, true, src->valid_rows, src->valid_cols);
    if (dst->valid_rows <= 0)
        require(s, d, SAM_TILE_SOME_IF, dst->valid_rows, elements,
                "%s: the destination has no valid row", s->row->name);
    if (dst->valid_rows > 1)
        sam_tile_warning(s->verifier->report, s->positions ? s->positions[d] : s->pos,
                         "%s writes one row; the destination has %" PRId64 " valid rows",
                         s->row->name, dst->valid_rows);
}

static void to_column(const struct checked_op *s, size_t a, size_t d)
{
    valid_cols(s, d, 1, "");
    valid_rows(s, d, tile(s, a)->valid_rows, ", as the source");
}

/* The operand whose one row (column) is broadcast over the destination. */
static void repeated(const struct checked_op *s, size_t index, size_t row)
{
    const struct sam_tile_type *dst = tile(s, s->sources), *t = tile(s, index);
    if (row) {
        valid_cols(s, index, dst->valid_cols, ", as the destination");
        if (t->valid_rows <= 0)
            require(s, index, SAM_TILE_SOME_IF, t->valid_rows, dst->valid_rows,
                    "%s: %s has no valid row", s->row->name, which(s, index));
    } else {
        valid_rows(s, index, dst->valid_rows, ", as the destination");
        if (t->valid_cols <= 0)
            require(s, index, SAM_TILE_SOME_IF, t->valid_cols, dst->valid_cols,
                    "%s: %s has no valid column", s->row->name, which(s, index));
    }
}

static void global(const struct checked_op *s, size_t part, size_t at)
{
    const struct sam_tile_ty *p = s->types[part];
    const struct sam_tile_type *t = tile(s, at);
    const bool acc = sam_tile_stores(s->row);
    int64_t rows = 1;
    if (p->dtype != t->dtype)
        FAULT(s, at, "%s: the tile is of %s, the partition of %s", s->row->name,
              sam_tile_dtype_name(t->dtype), sam_tile_dtype_name(p->dtype));
    for (uint32_t i = 0; i + 1 < p->rank; i++)
        rows = combine(s, true, rows, p->dims[i]);
    valid_rows(s, at, rows, ", as the partition");
    valid_cols(s, at, p->dims[p->rank - 1], ", as the partition");
    if (t->loc == SAM_TILE_left || t->loc == SAM_TILE_right || (!acc && t->loc == SAM_TILE_acc))
        FAULT(s, at, "%s: the tile is in %s: expected %s", s->row->name, sam_tile_loc_names[t->loc],
              acc ? "vec, mat or acc" : "vec or mat");
}

static void exact_loc(const struct checked_op *s, size_t index, size_t loc)
{
    if (tile(s, index)->loc != loc)
        FAULT(s, index, "%s: %s is in %s: expected %s", s->row->name, which(s, index),
              sam_tile_loc_names[tile(s, index)->loc], sam_tile_loc_names[loc]);
}

/* The memories of d = a * b, and the sizes of d. */
static void product_places(const struct checked_op *s, size_t a, size_t b, size_t d)
{
    exact_loc(s, a, SAM_TILE_left);
    exact_loc(s, b, SAM_TILE_right);
    exact_loc(s, d, SAM_TILE_acc);
}

static void product_sizes(const struct checked_op *s, size_t a, size_t b, size_t d)
{
    if (strncmp(s->row->name, "tgemv", 5) == 0) /* a row and a matrix */
        valid_rows(s, a, 1, "");
    valid_rows(s, d, tile(s, a)->valid_rows, ", as the left factor");
    valid_cols(s, d, tile(s, b)->valid_cols, ", as the right factor");
}

static bool is_factor(const struct sam_tile_type *type)
{
    return !sam_dtype_table[type->dtype].fp.is_unsigned &&
           sam_tile_size(type->dtype) <= (sam_tile_is_real(type->dtype) ? 4 : 2);
}

/* d = a * (a + 1) */
static void product(const struct checked_op *s, size_t a, size_t d)
{
    const size_t b = a + 1;
    product_places(s, a, b, d);
    enum sam_dtype dtype = tile(s, a)->dtype;
    const bool real = sam_tile_is_real(dtype);
    if (!is_factor(tile(s, a)))
        FAULT(s, a,
              "%s: %s is of %s: expected f16, bf16, f32, tf32, hf32, hif8, e5m2, e4m3, e3m2, e2m3, "
              "e2m1, e1m2 or integers of 8 or 16 bits",
              s->row->name, which(s, a), sam_tile_dtype_name(dtype));
    if (sam_dtype_class(tile(s, b)->dtype) != sam_dtype_class(dtype) || !is_factor(tile(s, b)))
        FAULT(s, b,
              "%s: %s is of %s, %s of %s: expected two floats of up to 32 bits, or two integers of "
              "8 or 16 bits with the same sign",
              s->row->name, which(s, a), sam_tile_dtype_name(dtype), which(s, b),
              sam_tile_dtype_name(tile(s, b)->dtype));
    exact_dtype(s, d, real ? SAM_F32 : sam_tile_is_signed(dtype) ? SAM_I32 : SAM_U32);
    product_sizes(s, a, b, d);
    valid_rows(s, b, tile(s, a)->valid_cols, ", as the left factor has columns");
}

/* Factor a of a scaled product, whose lines along K have `depth` elements, and its scales, operand
 * a + 1: one per 32 elements of a line. */
static void scaled_factor(const struct checked_op *s, size_t a, int64_t depth, bool left)
{
    const struct sam_tile_type *type = tile(s, a), *scale = tile(s, a + 1);
    const enum sam_dtype dtype = type->dtype;
    const bool pairs = dtype == SAM_U8;
    if (!pairs && dtype != SAM_E4M3 && dtype != SAM_E5M2 && dtype != SAM_F16 && dtype != SAM_BF16 &&
        !sam_tile_is_paired(dtype))
        FAULT(s, a,
              "%s: %s is of %s: expected e4m3, e5m2, e2m1, e1m2, ui8 (pairs of e2m1), f16 or bf16",
              s->row->name, which(s, a), sam_tile_dtype_name(dtype));
    if (pairs && type->blayout != (left ? SAM_TILE_row_major : SAM_TILE_col_major))
        FAULT(s, a, "%s: %s, of pairs, has blayout %s: expected %s", s->row->name, which(s, a),
              sam_tile_layout_names[type->blayout],
              sam_tile_layout_names[left ? SAM_TILE_row_major : SAM_TILE_col_major]);
    exact_loc(s, a + 1, SAM_TILE_mat);
    exact_dtype(s, a + 1, SAM_E8M0);
    if (scale->blayout != SAM_TILE_row_major)
        FAULT(s, a + 1, "%s: %s has blayout col_major: expected row_major", s->row->name,
              which(s, a + 1));
    if (dtype == SAM_F16 || dtype == SAM_BF16) {
        valid_rows(s, a + 1, 0, ", as f16 and bf16 have no scales");
        return;
    }
    const int64_t blocks = left ? scale->valid_cols : scale->valid_rows;
    const int64_t covered = combine(s, true, blocks, 32), most = combine(s, false, depth, 31);
    const char *text = "%s: %s has %s blocks of scales for %s elements: expected one per 32";
    if (left)
        valid_rows(s, a + 1, type->valid_rows, ", as the left factor");
    else
        valid_cols(s, a + 1, type->valid_cols, ", as the right factor");
    require(s, a + 1, SAM_TILE_AT_MOST, depth, covered, text, s->row->name, which(s, a + 1),
            size(blocks).text, size(depth).text);
    require(s, a + 1, SAM_TILE_AT_MOST, covered, most, text, s->row->name, which(s, a + 1),
            size(blocks).text, size(depth).text);
}

/* d = (a * scales a + 1) * (b * scales b + 1), b = a + 2 */
static void scaled_product(const struct checked_op *s, size_t a, size_t d)
{
    const size_t b = a + 2;
    const struct sam_tile_type *left = tile(s, a), *right = tile(s, b);
    const int64_t depth =
        left->dtype == SAM_U8 ? combine(s, true, left->valid_cols, 2) : left->valid_cols;
    const int64_t other =
        right->dtype == SAM_U8 ? combine(s, true, right->valid_rows, 2) : right->valid_rows;
    product_places(s, a, b, d);
    exact_dtype(s, d, SAM_F32);
    product_sizes(s, a, b, d);
    require(s, b, SAM_TILE_EQUAL, depth, other,
            "%s: the left factor has %s elements in a row, the right one %s in a column",
            s->row->name, size(depth).text, size(other).text);
    scaled_factor(s, a, depth, true);
    scaled_factor(s, b, other, false);
}

/* --- unions, tables, indices */

/* The rectangle of operand a lies within that of the destination d. */
static void covered(const struct checked_op *s, size_t a, size_t d)
{
    const struct sam_tile_type *in = tile(s, a), *of = tile(s, d);
    const char *text = "%s: %s has %sx%s valid elements, the destination %sx%s";
    require(s, a, SAM_TILE_AT_MOST, in->valid_rows, of->valid_rows, text, s->row->name, which(s, a),
            size(in->valid_rows).text, size(in->valid_cols).text, size(of->valid_rows).text,
            size(of->valid_cols).text);
    require(s, a, SAM_TILE_AT_MOST, in->valid_cols, of->valid_cols, text, s->row->name, which(s, a),
            size(in->valid_rows).text, size(in->valid_cols).text, size(of->valid_rows).text,
            size(of->valid_cols).text);
}

/* One of two sources covers the destination: with counts x and y of d elements,
 * (d - x) * (d - y) = 0. */
static void union_of(const struct checked_op *s, size_t a, size_t d)
{
    const struct sam_tile_type *first = tile(s, a), *second = tile(s, a + 1), *to = tile(s, d);
    covered(s, a, d);
    covered(s, a + 1, d);
    const int64_t x = combine(s, true, first->valid_rows, first->valid_cols);
    const int64_t y = combine(s, true, second->valid_rows, second->valid_cols);
    const int64_t all = combine(s, true, to->valid_rows, to->valid_cols);
    require(s, d, SAM_TILE_EQUAL,
            combine(s, false, combine(s, true, all, all), combine(s, true, x, y)),
            combine(s, true, all, combine(s, false, x, y)),
            "%s: neither source has the destination's valid rectangle, %sx%s", s->row->name,
            size(to->valid_rows).text, size(to->valid_cols).text);
}

/* d is of e8m0 only if a is of f32, f16 or bf16. */
static void powers_of(const struct checked_op *s, size_t a, size_t d)
{
    const enum sam_dtype from = tile(s, a)->dtype;
    if (tile(s, d)->dtype == SAM_E8M0 && (sam_tile_is_special(from) || !sam_tile_is_real(from)))
        FAULT(s, a, "%s: %s is of %s: expected f32, f16 or bf16 for e8m0", s->row->name,
              which(s, a), sam_tile_dtype_name(from));
}

static void is_byte(const struct checked_op *s, size_t index, size_t scalar)
{
    const enum sam_dtype dtype = tile(s, index)->dtype;
    if (dtype != SAM_I8 && dtype != SAM_U8)
        FAULT(s, index, "%s: %s is of %s: expected i8 or ui8", s->row->name, which(s, index),
              sam_tile_dtype_name(dtype));
    if (s->types[scalar]->dtype != dtype)
        FAULT(s, scalar, "%s: the zero point is of %s, %s of %s", s->row->name,
              sam_tile_dtype_name(s->types[scalar]->dtype), which(s, index),
              sam_tile_dtype_name(dtype));
}

/* The factor, operand 1, and the tile of floats. */
static void is_single(const struct checked_op *s, size_t index, size_t scalar)
{
    exact_dtype(s, index, SAM_F32);
    if (s->types[scalar]->dtype != SAM_F32)
        FAULT(s, scalar, "%s: the factor is of %s: expected f32", s->row->name,
              sam_tile_dtype_name(s->types[scalar]->dtype));
}

static void is_index(const struct checked_op *s, size_t index, size_t unused)
{
    const enum sam_dtype dtype = tile(s, index)->dtype;
    (void)unused;
    if (sam_tile_is_real(dtype) || sam_tile_size(dtype) == 1)
        FAULT(s, index, "%s: %s, of indices, is of %s: expected integers of 16 to 64 bits",
              s->row->name, which(s, index), sam_tile_dtype_name(dtype));
}

/* Elements of partition `part` are chosen by indices, operand 1, for or from tile `at`. */
static void chosen(const struct checked_op *s, size_t part, size_t at)
{
    const struct sam_tile_ty *p = s->types[part];
    if (p->rank != 1)
        FAULT(s, part, "%s: the partition has %u dimensions: expected 1", s->row->name, p->rank);
    if (p->dtype != tile(s, at)->dtype)
        FAULT(s, at, "%s: the tile is of %s, the partition of %s", s->row->name,
              sam_tile_dtype_name(tile(s, at)->dtype), sam_tile_dtype_name(p->dtype));
    is_index(s, 1, 0);
    valid_as(s, 1, at);
}

/* The same with perhaps a mask, operand 2. */
static void picked(const struct checked_op *s, size_t part, size_t at)
{
    chosen(s, part, at);
    if (s->sources < 3)
        return;
    exact_dtype(s, 2, SAM_U8);
    valid_as(s, 2, at);
}

static void taken(const struct checked_op *s, size_t part, size_t unused)
{
    (void)unused;
    picked(s, part, s->sources);
}

static void given(const struct checked_op *s, size_t from, size_t unused)
{
    (void)unused;
    picked(s, s->sources, from);
}

static void as_wide(const struct checked_op *s, size_t a, size_t d)
{
    const int64_t has = tile(s, a)->valid_cols, wanted = tile(s, d)->valid_cols;
    require(s, a, SAM_TILE_AT_MOST, wanted, has,
            "%s: %s has %s valid columns: expected at least %s, as the destination", s->row->name,
            which(s, a), size(has).text, size(wanted).text);
}

static void cols_of(const struct checked_op *s, size_t d, size_t a)
{
    valid_cols(s, d, tile(s, a)->valid_cols, ", as the source");
}

static void merged(const struct checked_op *s, size_t a, size_t d)
{
    for (size_t i = a; i <= d; i++)
        valid_rows(s, i, 1, "");
    valid_cols(s, d, combine(s, false, tile(s, a)->valid_cols, tile(s, a + 1)->valid_cols),
               ", as both sources together");
}

/* The elements of a, or their columns. */
static void sorted(const struct checked_op *s, size_t a, size_t d)
{
    if (tile(s, d)->dtype != SAM_U32)
        same_dtype(s, a, d);
}

/* The filter has, of 16 bits, the higher byte of each row, of 32 bits, those of all rows. */
static void counted(const struct checked_op *s, size_t a, size_t d)
{
    enum { BINS = 256 };
    const struct sam_tile_type *filter = tile(s, a + 1);
    const enum sam_dtype dtype = tile(s, a)->dtype;
    if (dtype != SAM_U16 && dtype != SAM_U32)
        FAULT(s, a, "%s: %s is of %s: expected ui16 or ui32", s->row->name, which(s, a),
              sam_tile_dtype_name(dtype));
    if (dtype == SAM_U16 && s->verifier->attribute > 1)
        FAULT(s, a, "%s: %s is of ui16: it has no byte b%u", s->row->name, which(s, a),
              s->verifier->attribute);
    exact_dtype(s, a + 1, SAM_U8);
    exact_dtype(s, d, SAM_U32);
    valid_rows(s, d, tile(s, a)->valid_rows, ", as the source");
    valid_cols(s, d, BINS, "");
    const int64_t rows = dtype == SAM_U16 ? tile(s, a)->valid_rows : 3;
    require(s, a + 1, SAM_TILE_AT_MOST, rows, filter->valid_rows,
            "%s: the filter has %s valid rows: expected at least %s", s->row->name,
            size(filter->valid_rows).text, size(rows).text);
    require(s, a + 1, SAM_TILE_SOME_IF, filter->valid_cols, rows,
            "%s: the filter has no valid column", s->row->name);
}

/* Moves between memories: the legal pairs. */
static void moved(const struct checked_op *s, size_t a, size_t d)
{
    enum sam_tile_loc from = tile(s, a)->loc, to = tile(s, d)->loc;
    bool good = from == to || (from == SAM_TILE_vec && to == SAM_TILE_mat) ||
                (from == SAM_TILE_mat && (to == SAM_TILE_left || to == SAM_TILE_right)) ||
                (from == SAM_TILE_acc && (to == SAM_TILE_vec || to == SAM_TILE_mat));
    if (!good)
        FAULT(s, d, "%s: cannot move from %s to %s", s->row->name, sam_tile_loc_names[from],
              sam_tile_loc_names[to]);
}

/* Operand `in` is extracted from, or inserted into, operand `of`. */
static void within(const struct checked_op *s, size_t in, size_t of)
{
    const struct sam_tile_type *small = tile(s, in), *large = tile(s, of);
    const struct size_text rows = size(small->valid_rows), cols = size(small->valid_cols);
    const struct size_text whole = size(large->valid_rows), wide = size(large->valid_cols);
    const char *text = "%s: %sx%s elements of a tile of %sx%s", *name = s->row->name;
    require(s, in, SAM_TILE_AT_MOST, small->valid_rows, large->valid_rows, text, name, rows.text,
            cols.text, whole.text, wide.text);
    require(s, in, SAM_TILE_AT_MOST, small->valid_cols, large->valid_cols, text, name, rows.text,
            cols.text, whole.text, wide.text);
}

static void same_count(const struct checked_op *s, size_t from, size_t to)
{
    const struct sam_tile_type *a = tile(s, from), *d = tile(s, to);
    require(s, to, SAM_TILE_EQUAL, combine(s, true, d->valid_rows, d->valid_cols),
            combine(s, true, a->valid_rows, a->valid_cols), "%s: %sx%s valid elements from %sx%s",
            s->row->name, size(d->valid_rows).text, size(d->valid_cols).text,
            size(a->valid_rows).text, size(a->valid_cols).text);
}

static void padded(const struct checked_op *s, size_t source, size_t to)
{
    if (tile(s, to)->pad == SAM_TILE_PAD_null)
        FAULT(s, to, "%s: the destination has no pad value (pad=zero, max or min)", s->row->name);
    covered(s, source, to);
}

static void joined(const struct checked_op *s, size_t a, size_t d)
{
    const size_t b = a + 1;
    valid_rows(s, b, tile(s, a)->valid_rows, ", as source 1");
    valid_rows(s, d, tile(s, a)->valid_rows, ", as the sources");
    valid_cols(s, d, combine(s, false, tile(s, a)->valid_cols, tile(s, b)->valid_cols),
               ", as both sources together");
}

static void transposed(const struct checked_op *s, size_t a, size_t d)
{
    valid_rows(s, d, tile(s, a)->valid_cols, ", as the source has columns");
    valid_cols(s, d, tile(s, a)->valid_rows, ", as the source has rows");
}

/* A tile with the destination's valid rectangle and the dtype of `as`, or a scalar of that dtype.
 */
static void element(const struct checked_op *s, size_t as, size_t index)
{
    if (s->row->sources[index] == 't') {
        same_dtype(s, as, index);
        valid_as(s, index, s->row->family == SAM_TILE_CMP ? as : s->sources);
    } else if (s->types[index]->dtype != tile(s, as)->dtype) {
        FAULT(s, index, "%s: the scalar is of %s, the tile of %s", s->row->name,
              sam_tile_dtype_name(s->types[index]->dtype), sam_tile_dtype_name(tile(s, as)->dtype));
    }
}

/* The mask m has a byte per element of operand `of`, or a bit. */
static void masked(const struct checked_op *s, size_t m, size_t of)
{
    const int64_t bytes = tile(s, m)->valid_cols, cols = tile(s, of)->valid_cols;
    if (!sam_tile_is_packed(s->row, s->verifier->attribute)) {
        valid_as(s, m == 0 ? 0 : of, m == 0 ? of : m);
        return;
    }
    const int64_t bits = combine(s, true, bytes, 8);
    const char *text = "%s: the mask has %s valid columns of 8 bits for %s elements";
    valid_rows(s, m, tile(s, of)->valid_rows, ", as the elements");
    require(s, m, SAM_TILE_AT_MOST, cols, bits, text, s->row->name, size(bytes).text,
            size(cols).text);
    require(s, m, SAM_TILE_AT_MOST, bits, combine(s, false, cols, 7), text, s->row->name,
            size(bytes).text, size(cols).text);
}

static void elements(const struct checked_op *s, size_t first, size_t step)
{
    for (size_t i = first; i < s->sources; i += step)
        element(s, s->sources, i);
}

/* --- the rules of each shape of families.def, in the order of their messages */

enum { MOST_RULES = 4 };
struct rule {
    void (*check)(const struct checked_op *s, size_t a, size_t b);
    size_t a, b;
};

#define SHAPE(name, ...) static const struct rule shape_##name[MOST_RULES] = {__VA_ARGS__};
/* clang-format off */
SHAPE(load,        {global, 0, 1})
SHAPE(store,       {global, 1, 0})
SHAPE(col_fold,    {same_dtype, 0, 1}, {to_row, 0, 1})
SHAPE(row_fold,    {same_dtype, 0, 1}, {to_column, 0, 1})
SHAPE(col_arg,     {is_position, 1, 0}, {to_row, 0, 1})
SHAPE(row_arg,     {is_position, 1, 0}, {to_column, 0, 1})
SHAPE(row_expand,  {same_dtype, 1, 0}, {repeated, 0, false})
SHAPE(col_expand,  {same_dtype, 1, 0}, {repeated, 0, true})
SHAPE(row_expand2, {computed, 2, 0}, {same_dtype, 0, 1}, {valid_as, 0, 2}, {repeated, 1, false})
SHAPE(col_expand2, {computed, 2, 0}, {same_dtype, 0, 1}, {valid_as, 0, 2}, {repeated, 1, true})
SHAPE(elementwise, {elements, 0, 1})
SHAPE(scalar,      {element, 1, 0})
SHAPE(compare,     {exact_dtype, 2, SAM_U8}, {masked, 2, 0}, {element, 0, 1})
SHAPE(select,      {exact_dtype, 0, SAM_U8}, {masked, 0, 3}, {element, 3, 1}, {element, 3, 2})
SHAPE(convert,     {valid_as, 0, 1}, {powers_of, 0, 1})
SHAPE(move,        {same_dtype, 1, 0}, {valid_as, 0, 1}, {moved, 0, 1})
SHAPE(transpose,   {same_dtype, 1, 0}, {transposed, 0, 1})
SHAPE(reshape,     {same_dtype, 0, 1}, {same_count, 0, 1})
SHAPE(extract,     {same_dtype, 0, 3}, {within, 3, 0}, {moved, 0, 3})
SHAPE(insert,      {same_dtype, 0, 3}, {within, 0, 3}, {moved, 0, 3})
SHAPE(fillpad,     {same_dtype, 0, 1}, {padded, 0, 1})
SHAPE(concat,      {same_dtype, 0, 1}, {same_dtype, 0, 2}, {joined, 0, 2})
SHAPE(matmul,      {product, 0, 2})
SHAPE(matmul_acc,  {product, 1, 3}, {exact_loc, 0, SAM_TILE_acc}, {same_dtype, 3, 0}, {valid_as, 0, 3})
SHAPE(matmul_bias, {product, 0, 3}, {exact_loc, 2, SAM_TILE_mat}, {same_dtype, 3, 2}, {repeated, 2, true})
SHAPE(matmul_mx,   {scaled_product, 0, 4})
SHAPE(matmul_mx_acc, {scaled_product, 1, 5}, {exact_loc, 0, SAM_TILE_acc}, {same_dtype, 5, 0}, {valid_as, 0, 5})
SHAPE(matmul_mx_bias, {scaled_product, 0, 5}, {exact_loc, 4, SAM_TILE_mat}, {same_dtype, 5, 4}, {repeated, 4, true})
SHAPE(partial,     {same_dtype, 2, 0}, {same_dtype, 2, 1}, {union_of, 0, 2})
SHAPE(triangle,    {NULL, 0, 0})
SHAPE(quantize,    {valid_as, 0, 3}, {is_single, 0, 1}, {is_byte, 3, 2})
SHAPE(dequantize,  {valid_as, 0, 3}, {is_byte, 0, 2}, {is_single, 3, 1})
SHAPE(gather,      {same_dtype, 0, 2}, {is_index, 1, 0}, {valid_as, 1, 2}, {as_wide, 0, 2})
SHAPE(scatter,     {same_dtype, 0, 2}, {is_index, 1, 0}, {valid_as, 1, 0}, {cols_of, 2, 0})
SHAPE(histogram,   {counted, 0, 2})
SHAPE(merge,       {same_dtype, 0, 2}, {same_dtype, 0, 1}, {merged, 0, 2})
SHAPE(sort,        {valid_as, 0, 2}, {sorted, 0, 2})
SHAPE(image,       {same_dtype, 0, 16})
SHAPE(mgather,     {taken, 0, 0})
SHAPE(mgather_cas, {chosen, 0, 4}, {elements, 2, 1})
SHAPE(mscatter,    {given, 0, 0})
SHAPE(from_peer,   {same_dtype, 2, 0}, {valid_as, 0, 2})
/* clang-format on */

static const struct rule *const shapes[SAM_TILE_FAMILIES] = {
#define TILE_FAMILY(id, pipe, tiles, own, reads, writes, in_place, attribute, shapes, run)         \
    shape_##shapes,
#include "tile/families.def"
};

void sam_tile_verify_op(const struct sam_tile_verifier *verifier, unsigned code,
                        const struct sam_tile_ty *const *types,
                        const struct sam_tile_pos *positions, struct sam_tile_pos pos)
{
    const struct sam_tile_row *row = sam_tile_row(code);
    struct checked_op s = {verifier, row, types, positions, pos, row->count};
    if (!sam_tile_check_operands(&s))
        return;
    const struct rule *rule = shapes[row->family];
    for (unsigned i = 0; i < MOST_RULES && rule[i].check; i++)
        rule[i].check(&s, rule[i].a, rule[i].b);
}
