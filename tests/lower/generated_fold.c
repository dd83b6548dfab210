/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of every reduction, on every type, with constant and run-time sizes, in every
 * mode of NaN and of padding: the same bytes as the executor with sums in the system's order,
 * also outside the written elements. */
#include "lower/writer.h"
#include "tile/tile.h"

static const char *const pads[] = {NULL, "zero", "max", "min"};
static const char *const names[] = {"tcolsum",    "tcolprod",   "tcolmax",    "tcolmin",
                                    "trowsum",    "trowprod",   "trowmax",    "trowmin",
                                    "tcolargmax", "tcolargmin", "trowargmax", "trowargmin"};

/* Sizes: small ones, those near the lanes of a warp, larger ones. */
static unsigned size(struct writer *w, unsigned most)
{
    static const unsigned sizes[] = {0, 1, 2, 7, 31, 32, 33, 63, 64, 65};
    unsigned n =
        writer_below(w, 3) ? sizes[writer_below(w, SAM_COUNT(sizes))] : writer_below(w, most);
    return n < most ? n : most;
}

TEST(test_folds)
{
    uint64_t seed = test_seed(), cases = test_number("SAMITE_CASES", 6);
    for (uint64_t n = 0; n < cases * SAM_COUNT(names) * SAM_COUNT(test_dtypes); n++) {
        const char *name = names[n % SAM_COUNT(names)];
        bool columns = name[1] == 'c', arg = strstr(name, "arg") != NULL;
        enum sam_dtype dtype = test_dtypes[n / SAM_COUNT(names) % SAM_COUNT(test_dtypes)];
        struct writer w;
        uint64_t own = test_random(&seed);
        writer_open(&w, own, own & 1);
        w.x.options.nan = (enum sam_tile_nan)writer_below(&w, 3);
        w.x.options.dialect = (enum sam_tile_dialect)writer_below(&w, 2);
        w.x.options.outside = writer_below(&w, 2) ? SAM_TILE_PAD_VALUE : SAM_TILE_PAD_KEEP;
        struct writer_tile a = {.loc = "vec",
                                .dtype = dtype,
                                .valid_rows = size(&w, columns ? 100 : 60),
                                .valid_cols = size(&w, columns ? 200 : 400)};
        struct writer_tile d = {.loc = "vec",
                                .dtype = arg ? SAM_I32 : dtype,
                                .valid_rows = columns ? 1 : a.valid_rows,
                                .valid_cols = columns ? a.valid_cols : 1,
                                .pad = pads[writer_below(&w, SAM_COUNT(pads))]};
        writer_tile(&w, &a);
        writer_tile(&w, &d);
        writer_put(&w, "pto.%s ins(%s : %s) outs(%s : %s)\n", name, a.name, a.type, d.name, d.type);
        writer_show(&w, &d);
        writer_run(&w);
    }
}

/* Columns of numbers that are hard to compare, side by side: two of them share a lane. */
TEST(test_neighbours)
{
    static const uint16_t specials[][12] = {{0x7e00, 0x7c01, 0xfe00, 0xffff, 0x7fff, 0xfc01, 0x7c00,
                                             0xfc00, 0x0000, 0x8000, 0x7bff, 0x8001},
                                            {0x7fc0, 0x7f81, 0xffc0, 0xffff, 0x7fff, 0xff81, 0x7f80,
                                             0xff80, 0x0000, 0x8000, 0x7f7f, 0x8001}};
    static const enum sam_dtype dtypes[] = {SAM_F16, SAM_BF16, SAM_I8, SAM_U8, SAM_I16, SAM_U16};
    const unsigned width = 128;
    uint64_t seed = test_seed();
    for (unsigned n = 0; n < SAM_COUNT(dtypes) * 2 * 3 * 4; n++) {
        const enum sam_dtype dtype = dtypes[n % SAM_COUNT(dtypes)];
        const unsigned rows = 2 + n / 36, columns = width - 2 * (n % 5);
        const char *name = sam_tile_dtype_name(dtype);
        SCOPED(lowered) x = {.seed = seed + n};
        char text[1024];
        snprintf(text, sizeof text,
                 "%%d = pto.tcol%s %%a : !pto.tile<vec, %ux%ux%s, valid=%ux%u> -> "
                 "!pto.tile<vec, 1x%ux%s, valid=1x%u>\n",
                 n / 6 % 2 ? "max" : "min", rows, width, name, rows, columns, width, name, columns);
        x.text = text;
        x.options.nan = (enum sam_tile_nan)(n / 12 % 3);
        x.options.dialect = (enum sam_tile_dialect)(n / 36 % 2);
        struct sam_array *a = lowered_random(&x, dtype, rows, columns);
        lowered_name(&x, "a", false);
        for (size_t k = 0; k < a->count && sam_dtype_size(dtype) == 2; k++)
            test_set(a->data, k, dtype,
                     specials[dtype == SAM_BF16][test_below(&x.seed, SAM_COUNT(specials[0]))]);
        lowered_array(&x, dtype, 1, columns);
        lowered_name(&x, "d", true);
        lowered_run(&x);
    }
}
