/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction kernels against the executor with sums in the system's order: every reduction on
 * every dtype and on valid rectangles of many shapes, in every NaN mode, with and without
 * padding. */
#include "kernel_run.h"

#include "lower/elements.h"

struct shape {
    uint32_t rows, cols;
    bool dynamic;
    uint32_t valid_rows, valid_cols;
};

static const struct shape shapes[] = {
    {64, 64, false, 64, 64},  {16, 256, false, 15, 255}, {1, 256, false, 1, 255},
    {32, 32, false, 7, 31},   {32, 32, false, 32, 1},    {32, 32, false, 1, 1},
    {32, 32, false, 0, 31},   {8, 32, false, 8, 0},      {48, 544, false, 41, 517},
    {16, 256, true, 15, 255}, {32, 64, true, 9, 64},     {8, 32, true, 0, 7},
    {8, 32, true, 3, 1},      {8, 32, true, 1, 30},      {8, 32, true, 2, 0},
    {8, 32, true, 8, 32},     {512, 32, false, 500, 3},
};

static const unsigned codes[] = {
    SAM_TILE_TCOLSUM,    SAM_TILE_TCOLPROD,   SAM_TILE_TCOLMAX,    SAM_TILE_TCOLMIN,
    SAM_TILE_TCOLARGMAX, SAM_TILE_TCOLARGMIN, SAM_TILE_TROWSUM,    SAM_TILE_TROWPROD,
    SAM_TILE_TROWMAX,    SAM_TILE_TROWMIN,    SAM_TILE_TROWARGMAX, SAM_TILE_TROWARGMIN,
};

static void size_text(char *text, bool dynamic, uint32_t size)
{
    if (dynamic)
        strcpy(text, "?");
    else
        sprintf(text, "%u", size);
}

static void write_program(char *text, unsigned code, enum sam_dtype dtype, const struct shape *s,
                          unsigned pad)
{
    const struct sam_tile_row *row = sam_tile_row(code);
    bool columns = row->family == SAM_TILE_COLFOLD || row->family == SAM_TILE_COLARG;
    bool arg = row->family == SAM_TILE_COLARG || row->family == SAM_TILE_ROWARG;
    char rows[16], cols[16], from[96], to[96];
    size_text(rows, s->dynamic, s->valid_rows);
    size_text(cols, s->dynamic, s->valid_cols);
    sprintf(from, "!pto.tile_buf<vec, %ux%ux%s, valid=%sx%s>", s->rows, s->cols,
            sam_tile_dtype_name(dtype), rows, cols);
    sprintf(to, "!pto.tile_buf<vec, %ux%ux%s, valid=%sx%s, pad=%u>", columns ? 3 : s->rows,
            columns ? s->cols : 32, sam_tile_dtype_name(arg ? SAM_I32 : dtype),
            columns ? s->valid_rows ? "1" : "0" : rows, columns ? cols : "1", pad);
    sprintf(text,
            "func.func @f(%%d: %s, %%a: %s) {\n  pto.%s ins(%%a : %s) outs(%%d : %s)\n"
            "  return\n}\n",
            to, from, row->name, from, to);
}

/* Elements of a reduction: many ties, few numbers among NaN, and near 1, so that products stay
 * in range. */
struct elements {
    struct kernel_run *run;
    unsigned kind;
};

static uint64_t element(void *context, const char *name, size_t index, enum sam_dtype dtype)
{
    struct elements *e = context;
    uint64_t *seed = &e->run->seed, bits = test_element(seed, dtype);
    (void)name, (void)index;
    if (!test_is_real(dtype))
        return e->kind == 1 ? bits & 3 : e->kind == 2 ? bits | 1 : bits;
    const struct test_real *real = test_real(dtype);
    unsigned width = 8 * (unsigned)sam_dtype_size(dtype);
    uint64_t sign = UINT64_C(1) << (width - 1);
    switch (e->kind) {
    case 1: return (test_below(seed, 2) ? sign : 0) | test_below(seed, 2);
    case 2:
        return test_below(seed, 5) ? (real->infinity + 1 + test_below(seed, 60)) | (bits & sign)
                                   : bits;
    case 3:
        return sam_fp_convert(&real->format, 0.75 + 0x1p-24 * (double)test_below(seed, 1 << 23),
                              SAM_RNE);
    default: return bits;
    }
}

TEST(test_reductions)
{
    struct kernel_run run;
    const char *only = getenv("SAMITE_ONLY");
    kernel_run_open(&run, test_seed());
    for (size_t i = 0; i < SAM_COUNT(codes); i++) {
        const struct sam_tile_row *row = sam_tile_row(codes[i]);
        bool order = row->function == SAM_TILE_FN_MIN || row->function == SAM_TILE_FN_MAX;
        if (only && strcmp(only, row->name) != 0)
            continue;
        for (size_t k = 0; k < SAM_COUNT(test_dtypes); k++)
            for (unsigned nan = 0; nan < (order && test_is_real(test_dtypes[k]) ? 3 : 1); nan++)
                for (size_t n = 0; n < SAM_COUNT(shapes); n++)
                    for (unsigned kind = 0; kind < 4; kind++) {
                        const struct shape *s = &shapes[n];
                        struct elements e = {&run, kind};
                        char text[1024];
                        run.nan = (enum sam_tile_nan)nan;
                        run.outside =
                            test_below(&run.seed, 2) ? SAM_TILE_PAD_VALUE : SAM_TILE_PAD_KEEP;
                        run.reference =
                            s->valid_rows * s->valid_cols < 600 && test_below(&run.seed, 8) == 0;
                        write_program(text, codes[i], test_dtypes[k], s,
                                      (unsigned)test_below(&run.seed, 4));
                        kernel_run_compare(&run, text, s->valid_rows, s->valid_cols, element, &e);
                    }
    }
    kernel_run_close(&run);
}
