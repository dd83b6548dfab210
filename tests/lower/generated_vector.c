/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of vector operations, lowered and run on a system, against the executor: every
 * operation on every dtype, and random groups, failures included. */
#include "plain.h"
#include "vector_programs.h"

#include "tile/tile.h"

/* Arrays and scalars for the arguments of the function. Divisors are rarely zero. */
static void give(struct lowered *x, const struct vector_shape *s)
{
    struct sam_tile_program *p = test_parse("give.pto", x->text, strlen(x->text));
    const struct sam_tile_func *f = &p->funcs[0];
    for (uint32_t i = 0; i < f->arg_count; i++) {
        const struct sam_tile_ty *type = sam_tile_ty(p, p->ids[f->args + i]);
        const struct sam_tile_type *tile = &type->tile;
        if (type->kind != SAM_TILE_KIND_TILE) {
            uint64_t bits = test_element(&x->seed, type->dtype);
            lowered_scalar(x, type->dtype, bits ? bits : 1);
            continue;
        }
        uint64_t rows = tile->valid_rows >= 0 ? (uint64_t)tile->valid_rows : s->valid_rows;
        uint64_t cols = tile->valid_cols >= 0 ? (uint64_t)tile->valid_cols : s->valid_cols;
        struct sam_array *a = lowered_array(x, tile->dtype, rows ? rows : 1, cols);
        a->shape[0] = rows;
        a->count = rows * cols;
        for (size_t k = 0; k < a->count; k++) {
            uint64_t bits = test_element(&x->seed, tile->dtype);
            test_set(a->data, k, tile->dtype, bits || test_below(&x->seed, 4000) == 0 ? bits : 1);
        }
        x->arguments[x->count - 1].output = x->arguments[x->count - 1].inout = true;
    }
    sam_tile_program_free(p);
}

static void run(struct lowered *x, const char *text, const struct vector_shape *s)
{
    x->text = text;
    x->options.nan = (enum sam_tile_nan)test_below(&x->seed, 3);
    x->options.dialect = (enum sam_tile_dialect)test_below(&x->seed, 2);
    x->options.outside = test_below(&x->seed, 2) ? SAM_TILE_PAD_VALUE : SAM_TILE_PAD_KEEP;
    give(x, s);
    (test_below(&x->seed, 8) == 0 ? plain_run : lowered_run)(x);
    lowered_free(x);
}

TEST(test_operations)
{
    struct lowered x = {.seed = test_seed()};
    char text[VECTOR_ONE_TEXT];
    for (unsigned code = SAM_TILE_FIRST_OP; code < SAM_TILE_CODES; code++)
        for (size_t k = 0; k < SAM_COUNT(test_dtypes); k++) {
            struct vector_one one = {.code = code, .dtype = test_dtypes[k]};
            const struct sam_tile_row *row = sam_tile_row(code);
            if (!vector_by_element(code) || !vector_takes(code, one.dtype))
                continue;
            one.attribute = (unsigned)test_below(&x.seed, vector_variants(code));
            one.to = row->family == SAM_TILE_CMP   ? SAM_TILE_ui8
                     : row->family == SAM_TILE_CVT ? test_dtypes[test_below(&x.seed, 9)]
                                                   : one.dtype;
            one.pad = (unsigned)test_below(&x.seed, 3) + (row->family == SAM_TILE_FILLPAD);
            const struct vector_shape *s = &vector_shapes[test_below(&x.seed, VECTOR_SHAPES)];
            vector_write_one(&one, s, text);
            run(&x, text, s);
        }
}

TEST(test_groups)
{
    struct lowered x = {.seed = test_seed()};
    unsigned cases = (unsigned)test_number("SAMITE_CASES", 100);
    struct vector_group *g = calloc(1, sizeof *g);
    for (unsigned k = 0; k < cases; k++) {
        g->seed = test_random(&x.seed);
        vector_write_group(g, 1 + (unsigned)test_below(&x.seed, 18));
        run(&x, g->text, g->shape);
    }
    free(g);
}
