/* SPDX-License-Identifier: Apache-2.0 */
/* Inference of a destination's valid sizes from the sources: the sizes that the verifier requires
 * to be equal. */
#include "tile/tile.h"

/* Names for the destination's sizes and for any other unknown size. */
#define ROWS  INT64_MIN
#define COLS  (INT64_MIN + 1)
#define OTHER (SAM_TILE_DYNAMIC - 1)

struct inferred {
    const struct sam_tile_unknown *others;
    int64_t *valid;
};

static bool is_own(int64_t size)
{
    return size == ROWS || size == COLS;
}

static int64_t combine(void *context, bool product, int64_t a, int64_t b)
{
    const struct inferred *x = context;
    if (is_own(a) || is_own(b))
        return SAM_TILE_DYNAMIC;
    return x->others ? x->others->combine(x->others->context, product, a, b) : OTHER;
}

static void later(void *context, enum sam_tile_relation relation, int64_t a, int64_t b,
                  const char *text)
{
    const struct inferred *x = context;
    const int64_t own = is_own(a) ? a : b, other = is_own(a) ? b : a;
    (void)text;
    if (relation == SAM_TILE_EQUAL && is_own(own) && !is_own(other))
        x->valid[own == COLS] = other;
}

static void name(int64_t *size)
{
    if (*size == SAM_TILE_DYNAMIC)
        *size = OTHER;
}

void sam_tile_infer(enum sam_tile_profile profile, unsigned code, unsigned attribute,
                    const struct sam_tile_ty *const *types, const struct sam_tile_unknown *others,
                    int64_t valid[2])
{
    struct sam_tile_report report = {0};
    struct inferred x = {others, valid};
    const struct sam_tile_unknown unknown = {&x, combine, later};
    const struct sam_tile_verifier verifier = {
        .profile = profile, .attribute = attribute, .report = &report, .unknown = &unknown};
    const uint32_t count = sam_tile_row(code)->count;
    struct sam_tile_ty all[SAM_TILE_OPERANDS];
    const struct sam_tile_ty *pointers[SAM_TILE_OPERANDS];
    valid[0] = valid[1] = SAM_TILE_DYNAMIC;
    for (uint32_t i = 0; i <= count; i++) {
        all[i] = *types[i];
        pointers[i] = &all[i];
        name(&all[i].tile.valid_rows);
        name(&all[i].tile.valid_cols);
        for (uint32_t k = 0; k < SAM_TILE_RANK; k++)
            name(&all[i].dims[k]);
    }
    all[count].tile.valid_rows = ROWS;
    all[count].tile.valid_cols = COLS;
    sam_tile_verify_op(&verifier, code, pointers, NULL, (struct sam_tile_pos){0});
    sam_tile_report_free(&report);
}

bool sam_tile_is_inferred(const struct sam_tile_program *p, const struct sam_tile_op *op, bool cols)
{
    const uint32_t tile = sam_tile_arg(p, op, op->operand_count - 1), made = p->values[tile].op;
    const struct sam_tile_type *type = &sam_tile_ty(p, tile)->tile;
    if (sam_tile_ty(p, tile)->kind != SAM_TILE_KIND_TILE || made == SAM_TILE_NONE ||
        (cols ? type->valid_cols : type->valid_rows) != SAM_TILE_DYNAMIC)
        return false;
    const struct sam_tile_op *alloc = &p->ops[made];
    return alloc->code == SAM_TILE_ALLOC && alloc->next == (uint32_t)(op - p->ops) &&
           !(alloc->attribute & (cols ? SAM_TILE_HAS_COLS : SAM_TILE_HAS_ROWS));
}
