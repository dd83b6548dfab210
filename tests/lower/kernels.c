/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the GPU against the executor: every element-wise operation, on every dtype and on
 * valid rectangles of many shapes, alone and in groups. */
#include "kernel_run.h"
#include "vector_programs.h"

#include "tile/tile.h"

/* Divisors are rarely zero. */
static uint64_t mostly(void *context, const char *name, size_t index, enum sam_dtype dtype)
{
    struct kernel_run *run = context;
    uint64_t bits = test_element(&run->seed, dtype);
    (void)name, (void)index;
    return bits || test_below(&run->seed, 4000) == 0 ? bits : 1;
}

static void run_one(struct kernel_run *run, const struct vector_one *one)
{
    char text[VECTOR_ONE_TEXT];
    for (size_t k = 0; k < VECTOR_SHAPES; k++) {
        bool few = vector_shapes[k].valid_rows * vector_shapes[k].valid_cols < 1000;
        run->reference = few && test_below(&run->seed, 8) == 0;
        vector_write_one(one, &vector_shapes[k], text);
        kernel_run_compare(run, text, vector_shapes[k].valid_rows, vector_shapes[k].valid_cols,
                           one->dtype == one->to ? mostly : NULL, run);
    }
}

TEST(test_every_operation)
{
    struct kernel_run run;
    kernel_run_open(&run, test_seed());
    unsigned count = 0;
    const char *only = getenv("SAMITE_ONLY");
    for (unsigned code = SAM_TILE_FIRST_OP; code < SAM_TILE_CODES; code++) {
        if (!vector_by_element(code) || (only && strcmp(only, sam_tile_row(code)->name) != 0))
            continue;
        const struct sam_tile_row *row = sam_tile_row(code);
        count++;
        for (size_t k = 0; k < SAM_COUNT(test_dtypes); k++)
            for (unsigned attribute = 0; attribute < vector_variants(code); attribute++) {
                struct vector_one one = {
                    .code = code, .attribute = attribute, .dtype = test_dtypes[k]};
                one.to = row->family == SAM_TILE_CMP ? SAM_U8 : one.dtype;
                one.pad =
                    row->family == SAM_TILE_FILLPAD ? 1 + (unsigned)test_below(&run.seed, 3) : 0;
                if (!vector_takes(code, one.dtype))
                    continue;
                if (row->family != SAM_TILE_CVT) {
                    run_one(&run, &one);
                    continue;
                }
                for (size_t to = 0; to < SAM_COUNT(test_dtypes); to++) {
                    one.to = test_dtypes[to];
                    run_one(&run, &one);
                }
            }
    }
    assert_true(only || count >= 60); /* the number of operations in the release */
    kernel_run_close(&run);
}

/* In place, where permitted; with --pad value; in the other NaN modes. */
TEST(test_variants)
{
    struct kernel_run run;
    kernel_run_open(&run, test_seed());
    for (unsigned code = SAM_TILE_FIRST_OP; code < SAM_TILE_CODES; code++) {
        if (!vector_by_element(code))
            continue;
        const struct sam_tile_row *row = sam_tile_row(code);
        const struct vector_shape *s = &vector_shapes[test_below(&run.seed, VECTOR_SHAPES)];
        bool extreme = row->function == SAM_TILE_FN_MIN || row->function == SAM_TILE_FN_MAX;
        for (size_t k = 0; k < SAM_COUNT(test_dtypes); k++)
            for (int nan = 0; nan < 3; nan++) {
                struct vector_one one = {.code = code, .dtype = test_dtypes[k], .pad = 1};
                char text[VECTOR_ONE_TEXT];
                one.pad += (unsigned)test_below(&run.seed, 3);
                one.constant = test_below(&run.seed, 2);
                one.bits = mostly(&run, NULL, 0, one.dtype);
                one.to = row->family == SAM_TILE_CMP ? SAM_U8 : one.dtype;
                one.in_place = row->count && sam_tile_in_place(row, 0) &&
                               row->family != SAM_TILE_SEL && test_below(&run.seed, 2);
                run.outside = test_below(&run.seed, 2) ? SAM_TILE_PAD_VALUE : SAM_TILE_PAD_KEEP;
                run.nan = (enum sam_tile_nan)nan;
                run.reference = s->valid_rows * s->valid_cols < 1000;
                if (!vector_takes(code, one.dtype) || (nan && !extreme))
                    continue;
                vector_write_one(&one, s, text);
                kernel_run_compare(&run, text, s->valid_rows, s->valid_cols, mostly, &run);
            }
    }
    kernel_run_close(&run);
}

TEST(test_groups)
{
    struct kernel_run run;
    unsigned cases = (unsigned)test_number("SAMITE_CASES", 400), operations = 0, kernels = 0;
    FREED struct vector_group *g = calloc(1, sizeof *g);
    kernel_run_open(&run, test_seed());
    for (unsigned k = 0; k < cases; k++) {
        unsigned wanted = 1 + (unsigned)test_below(&run.seed, 18);
        g->seed = test_random(&run.seed);
        vector_write_group(g, wanted);
        run.nan = (enum sam_tile_nan)test_below(&run.seed, 3);
        run.reference =
            test_below(&run.seed, 8) == 0 && g->shape->valid_rows * g->shape->valid_cols < 1000;
        kernel_run_compare(&run, g->text, g->shape->valid_rows, g->shape->valid_cols, mostly, &run);
        operations += wanted;
        kernels += run.kernels;
    }
    assert_true(cases < 100 || kernels < operations / 2); /* they are fused */
    kernel_run_close(&run);
}
