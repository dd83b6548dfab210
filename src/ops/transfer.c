/* SPDX-License-Identifier: Apache-2.0 */
/* The LOADs that fill a register and the STOREs that empty it. */
#include "ops/plan.h"

#define MAX_ROWS SAM_PLAN_TL_BYTES

struct row_list {
    int64_t offset[MAX_ROWS]; /* of each row, relative to the first */
    uint64_t count;
    uint64_t run;
};

static uint64_t distance(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* Merge consecutive rows. Returns false if there are more than a register holds. */
static bool list_rows(const struct sam_rows *rows, struct row_list *list)
{
    unsigned rank = rows->rank;
    list->run = rows->run;
    while (rank > 0 && rows->dim[rank - 1].step == (int64_t)list->run)
        list->run *= rows->dim[--rank].n;
    list->count = 1;
    list->offset[0] = 0;
    for (unsigned k = 0; k < rank; k++) {
        uint64_t n = rows->dim[k].n;
        if (list->count * n * list->run > SAM_PLAN_TL_BYTES)
            return false;
        for (uint64_t i = list->count; i-- > 0;)
            for (uint64_t j = n; j-- > 0;)
                list->offset[i * n + j] = list->offset[i] + (int64_t)j * rows->dim[k].step;
        list->count *= n;
    }
    return list->run && list->count * list->run <= SAM_PLAN_TL_BYTES;
}

/* offset modulo width, in [0, width). */
static uint64_t residue_of(int64_t offset, uint64_t width)
{
    const uint64_t mask = width - 1;
    if (!(width & mask))
        return (uint64_t)offset & mask;
    int64_t r = offset % (int64_t)width;
    return (uint64_t)(r < 0 ? r + (int64_t)width : r);
}

static void set_slices(struct sam_block_op *op, const struct row_list *list, uint64_t first,
                       uint64_t rows, uint64_t width)
{
    uint64_t pieces = list->run / width;
    int64_t w = (int64_t)width;
    op->width = (uint16_t)width;
    op->slices = (uint16_t)(rows * pieces);
    op->strided = op->slices > 1;
    for (uint64_t r = 0; r < rows; r++) {
        int64_t from_first = list->offset[first + r] - list->offset[first];
        int64_t residue = (int64_t)residue_of(from_first, width);
        for (uint64_t p = 0; p < pieces; p++)
            op->stride[r * pieces + p] = (int32_t)((from_first - residue) / w + (int64_t)p);
    }
}

/* The largest width for groups of `rows` rows: it divides the run and all distances within each
 * group. */
static uint64_t group_width(const struct row_list *list, uint64_t rows)
{
    uint64_t width = list->run;
    for (uint64_t i = 0; i < list->count && width > 1; i++)
        width = sam_gcd(width, distance(list->offset[i] - list->offset[i / rows * rows]));
    return width ? width : 1;
}

static bool fits_stride(const struct row_list *list)
{
    for (uint64_t i = 0; i < list->count; i++)
        if (distance(list->offset[i]) > INT32_MAX)
            return false;
    return true;
}

bool sam_fill_register(struct sam_block *block, const struct sam_rows *rows, unsigned reg,
                       unsigned scratch)
{
    struct row_list list;
    if (!list_rows(rows, &list) || !fits_stride(&list))
        return false;
    /* Groups of `each` units of `unit` rows: one LOAD per group, joined by CONCAT, which works in
     * units. Choose the fewest groups. */
    uint64_t best_groups = SAM_PLAN_TL_SLICES + 1, best_unit = 0, best_each = 0, best_width = 0;
    for (uint64_t unit = list.count; unit > 0; unit--) {
        uint64_t units = list.count / unit;
        if (list.count % unit || units > SAM_PLAN_TL_SLICES)
            continue;
        for (uint64_t each = units; each > 0; each--) {
            uint64_t groups = (units + each - 1) / each;
            if (groups >= best_groups)
                break;
            if (each * unit > SAM_PLAN_TL_SLICES &&
                list.run * each * unit > list.run * SAM_PLAN_TL_SLICES)
                continue;
            uint64_t width = group_width(&list, each * unit);
            if (each * unit * (list.run / width) <= SAM_PLAN_TL_SLICES) {
                best_groups = groups;
                best_unit = unit;
                best_each = each;
                best_width = width;
            }
        }
    }
    if (best_groups > 8)
        return false;
    uint64_t units = list.count / best_unit;
    for (uint64_t first = 0; first < units; first += best_each) {
        uint64_t count = units - first < best_each ? units - first : best_each;
        struct sam_block_op *op = sam_block_add(block, SAM_BLOCK_LOAD);
        /* Scratch registers alternate, so that a LOAD need not wait for the previous CONCAT. */
        unsigned into = first ? scratch + (unsigned)(first / best_each) % 2 : reg;
        op->rd = (uint8_t)into;
        op->offset = rows->offset + list.offset[first * best_unit];
        set_slices(op, &list, first * best_unit, count * best_unit, best_width);
        if (first &&
            !sam_concat(block, reg, reg, (UINT32_C(1) << first) - 1, into,
                        (uint32_t)((UINT64_C(1) << count) - 1), 1, units, best_unit * list.run))
            return false;
    }
    return true;
}

/* Count the distinct residues of the rows' offsets modulo `width`, up to `most`. */
static unsigned count_residues(const struct row_list *list, uint64_t width, unsigned most,
                               uint64_t residue[SAM_PLAN_TL_SLICES])
{
    unsigned found = 0;
    for (uint64_t i = 0; i < list->count && found < most; i++) {
        uint64_t r = residue_of(list->offset[i], width);
        unsigned k = 0;
        while (k < found && residue[k] != r)
            k++;
        if (k == found)
            residue[found++] = r;
    }
    return found;
}

/* Store at most 32 rows from the start of `reg`: one STORE per residue of their offsets, masked if
 * there are several, all with the same strides. */
static bool drain_list(struct sam_block *block, const struct row_list *list, int64_t offset,
                       unsigned reg)
{
    uint64_t residue[SAM_PLAN_TL_SLICES], best_width = 0;
    unsigned best = SAM_PLAN_TL_SLICES + 1;
    for (uint64_t pieces = 1; pieces * list->count <= SAM_PLAN_TL_SLICES && pieces <= list->run;
         pieces++) {
        if (list->run % pieces)
            continue;
        uint64_t width = list->run / pieces;
        unsigned found = count_residues(list, width, best, residue);
        if (found < best) {
            best = found;
            best_width = width;
        }
    }
    if (!best_width)
        return false;
    count_residues(list, best_width, SAM_PLAN_TL_SLICES, residue);
    uint64_t pieces = list->run / best_width;
    for (unsigned k = 0; k < best; k++) {
        struct sam_block_op *op = sam_block_add(block, SAM_BLOCK_STORE);
        op->rs1 = (uint8_t)reg;
        op->offset = offset + (int64_t)residue[k];
        set_slices(op, list, 0, list->count, best_width);
        op->masked = best > 1;
        for (uint64_t i = 0; op->masked && i < list->count; i++)
            if (residue_of(list->offset[i], best_width) == residue[k])
                op->mask |= (uint32_t)((UINT64_C(1) << pieces) - 1) << (i * pieces);
    }
    return true;
}

bool sam_drain_register(struct sam_block *block, const struct sam_rows *rows, unsigned reg,
                        unsigned scratch)
{
    struct row_list list;
    if (!list_rows(rows, &list) || !fits_stride(&list))
        return false;
    /* With more rows than slices, move later parts to the front first. */
    uint64_t parts = 1;
    while (parts <= SAM_PLAN_TL_SLICES &&
           (list.count % parts || list.count / parts > SAM_PLAN_TL_SLICES))
        parts++;
    if (parts > 8)
        return false;
    struct row_list part; /* large: copy only the rows in use */
    part.count = list.count / parts;
    part.run = list.run;
    for (uint64_t k = 0; k < parts; k++) {
        int64_t first = list.offset[k * part.count];
        for (uint64_t i = 0; i < part.count; i++)
            part.offset[i] = list.offset[k * part.count + i] - first;
        if (k && !sam_concat(block, scratch, reg, UINT32_C(1) << k, reg, 0, 1, parts,
                             part.count * part.run))
            return false;
        if (!drain_list(block, &part, rows->offset + first, k ? scratch : reg))
            return false;
    }
    return true;
}
