/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of the open specification that the published page lacks: fused products, unions,
 * quantisation, rows by index, merges, histograms, triangles, products with one row. Each is
 * compared with a plain formula on random elements, on whole, smaller and empty valid rectangles.
 */
#include "tile/tile_test.h"

#include "samite/tile_ops.h"

enum { R = 8, C = 64 };

struct bench {
    struct sam_tile_core *core;
    uint64_t seed;
    uint8_t a[R * C * 8], b[R * C * 8], c[R * C * 8], d[256 * R * 8];
};

static struct sam_tile tile(enum sam_dtype dtype, int64_t rows, int64_t cols)
{
    struct sam_tile t = SAM_TILE_VALID(vec, f32, R, C, rows, cols);
    t.type.dtype = dtype;
    return t;
}

static void fill(struct bench *x, struct sam_tile *t, uint8_t *values)
{
    const size_t count = (size_t)(t->type.valid_rows * t->type.valid_cols);
    test_random_elements(values, count, t->type.dtype, &x->seed);
    assert_int_equal(sam_tile_fill(x->core, t, values, NULL), SAM_OK);
}

static void good(struct sam_event done)
{
    assert_string_equal(done.text, "");
}

static void expect(const char *name, const struct bench *x, size_t i, enum sam_dtype dtype,
                   uint64_t wanted)
{
    const uint64_t got = test_bits(x->d, i, dtype);
    if (got != wanted)
        fail_msg("%s %s element %zu: 0x%llx: expected 0x%llx", name, sam_tile_dtype_name(dtype), i,
                 (unsigned long long)got, (unsigned long long)wanted);
}

static void read(struct bench *x, struct sam_tile *t)
{
    if (t->type.valid_rows && t->type.valid_cols)
        assert_int_equal(sam_tile_read(t, x->d, NULL), SAM_OK);
}

/* A size from 0 to `most`, often that. */
static int64_t some(struct bench *x, int64_t most)
{
    return test_below(&x->seed, 3) ? most : (int64_t)test_below(&x->seed, (uint64_t)most + 1);
}

static void each(void (*check)(struct bench *, enum sam_dtype), bool reals, bool whole)
{
    struct bench x = {.seed = test_seed()};
    for (int round = 0; round < 20; round++)
        for (size_t k = 0; k < SAM_COUNT(test_dtypes); k++) {
            if (!(test_is_real(test_dtypes[k]) ? reals : whole))
                continue;
            x.core = test_core(&(struct sam_tile_options){.profile = SAM_TILE_A5});
            check(&x, test_dtypes[k]);
            sam_tile_core_free(x.core);
        }
}

/* --- a * b + c */

/* The exact sum of two doubles, rounded to a format with at most 24 bits: the double nearest to
 * zero, with its last bit set if there is more. */
static uint64_t rounded_sum(enum sam_dtype dtype, double p, double c)
{
    double s = p + c, t = s - p, error = (p - (s - t)) + (c - t);
    uint64_t bits;
    if (isnan(s))
        return test_canonical(dtype);
    if (isinf(s))
        error = 0;
    memcpy(&bits, &s, 8);
    if (error != 0) {
        if ((error < 0) != (s < 0))
            bits--;
        bits |= 1;
    }
    memcpy(&s, &bits, 8);
    if (dtype == SAM_TILE_f32)
        return sam_f32_bits((float)s);
    const struct test_real *real = test_real(dtype);
    const double largest = sam_fp_value(&real->format, real->infinity - 1);
    const double step = largest - sam_fp_value(&real->format, real->infinity - 2);
    return sam_fp_round(&real->format, fabs(s) >= largest + step / 2 ? copysign(INFINITY, s) : s);
}

static void fused(struct bench *x, enum sam_dtype dtype)
{
    const int64_t rows = some(x, R), cols = some(x, C);
    struct sam_tile a = tile(dtype, rows, cols), b = a, c = a, d = a;
    fill(x, &a, x->a), fill(x, &b, x->b), fill(x, &c, x->c);
    good(sam_tfma(&d, &a, &b, &c));
    read(x, &d);
    for (size_t i = 0; i < (size_t)(rows * cols); i++) {
        const double p = test_value(dtype, test_bits(x->a, i, dtype)) *
                         test_value(dtype, test_bits(x->b, i, dtype));
        expect("tfma", x, i, dtype,
               rounded_sum(dtype, p, test_value(dtype, test_bits(x->c, i, dtype))));
    }
}

TEST(test_fused)
{
    each(fused, true, false);
    /* 1 + 2^-8 is midway between two numbers of bf16: 2^-100 more decides */
    SCOPED_CORE *core = test_core(NULL);
    struct sam_tile a = SAM_TILE(vec, bf16, 1, 16), b = a, c = a, d = a;
    uint16_t x[16], y[16], z[16], got[16];
    for (size_t i = 0; i < 16; i++)
        x[i] = 0x3f88, y[i] = 0x3f71, z[i] = i % 2 ? 0x8d80 : 0x0d80; /* 1.0625 * 0.94140625 */
    assert_int_equal(sam_tile_fill(core, &a, x, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(core, &b, y, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(core, &c, z, NULL), SAM_OK);
    good(sam_tfma(&d, &a, &b, &c));
    assert_int_equal(sam_tile_read(&d, got, NULL), SAM_OK);
    for (size_t i = 0; i < 16; i++)
        assert_int_equal(got[i], rounded_sum(SAM_TILE_bf16, 1.0625 * 0.94140625,
                                             test_value(SAM_TILE_bf16, z[i])));
}

/* --- unions */

static uint64_t arithmetic(int how, enum sam_dtype dtype, uint64_t a, uint64_t b)
{
    const double x = test_value(dtype, a), y = test_value(dtype, b);
    if (how > 1)
        return test_fold(dtype, how == 2, SAM_TILE_NAN_NUMBER, a, b);
    if (test_is_real(dtype))
        return how ? rounded_sum(dtype, x * y, 0) |
                         (x * y == 0 && signbit(x * y)
                              ? UINT64_C(1) << (8 * sam_dtype_size(dtype) - 1)
                              : 0)
                   : rounded_sum(dtype, x, y);
    return (how ? (uint64_t)(int64_t)x * (uint64_t)(int64_t)y
                : (uint64_t)(int64_t)x + (uint64_t)(int64_t)y) &
           UINT64_MAX >> (64 - 8 * sam_dtype_size(dtype));
}

static void unions(struct bench *x, enum sam_dtype dtype)
{
    static const char *const names[] = {"tpartadd", "tpartmul", "tpartmax", "tpartmin"};
    for (int how = 0; how < 4; how++) {
        const int64_t rows = some(x, R), cols = some(x, C);
        const bool second = test_below(&x->seed, 2);
        struct sam_tile whole = tile(dtype, rows, cols), d = whole;
        struct sam_tile part = tile(dtype, some(x, rows), some(x, cols));
        struct sam_tile *sources[] = {second ? &part : &whole, second ? &whole : &part, NULL};
        fill(x, &whole, x->a), fill(x, &part, x->b);
        good(sam_tile_apply(names[how], &d, sources, 0, 0, NULL));
        read(x, &d);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < cols; j++) {
                const size_t at = (size_t)(i * cols + j);
                uint64_t a = test_bits(x->a, at, dtype);
                if (i < part.type.valid_rows && j < part.type.valid_cols) {
                    const uint64_t b =
                        test_bits(x->b, (size_t)(i * part.type.valid_cols + j), dtype);
                    a = arithmetic(how, dtype, second ? b : a, second ? a : b);
                }
                expect(names[how], x, at, dtype, a);
            }
    }
}

TEST(test_unions)
{
    each(unions, true, true);
    SCOPED_CORE *core = test_core(NULL);
    struct sam_tile a = tile(SAM_TILE_f32, 4, 8), b = tile(SAM_TILE_f32, 8, 4);
    struct sam_tile d = tile(SAM_TILE_f32, 8, 8);
    float values[64] = {0};
    assert_int_equal(sam_tile_fill(core, &a, values, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(core, &b, values, NULL), SAM_OK);
    assert_string_equal(sam_tpartadd(&d, &a, &b).text,
                        "tpartadd: neither source has the destination's valid rectangle, 8x8");
    d.type.valid_rows = 4;
    assert_string_equal(sam_tpartadd(&d, &a, &b).text,
                        "tpartadd: source 2 has 8x4 valid elements, the destination 4x8");
}

/* --- quantisation */

/* x rounded to an integer as a mode says; at most 2^60. */
static long double whole(long double x, int mode)
{
    const long double low = floorl(x), part = x - low;
    switch (mode) {
    case SAM_TILE_FLOOR: return low;
    case SAM_TILE_CEIL: return ceill(x);
    case SAM_TILE_TRUNC: return truncl(x);
    case SAM_TILE_ROUND: return roundl(x);
    default: return part != 0.5L ? floorl(x + 0.5L) : fmodl(low, 2) == 0 ? low : low + 1;
    }
}

TEST(test_quantisation)
{
    uint64_t seed = test_seed();
    static const float factors[] = {1, 0.5, 0.25F, 0.1F, 3, 127, 0x1p-20F, 0x1p20F};
    for (unsigned k = 0; k < 400; k++) {
        const bool is_signed = k % 2;
        const unsigned how = k / 2 % 10, mode = how % 5;
        const float factor = factors[test_below(&seed, SAM_COUNT(factors))];
        const int zero = (int)test_below(&seed, 256) - (is_signed ? 128 : 0);
        SCOPED_CORE *core = test_core(NULL);
        struct sam_tile a = tile(SAM_TILE_f32, R, C);
        struct sam_tile d = tile(is_signed ? SAM_TILE_i8 : SAM_TILE_ui8, R, C), e = a;
        float in[R * C], back[R * C];
        uint8_t out[R * C];
        for (size_t i = 0; i < (size_t)R * C; i++)
            in[i] = i % 4 ? ((float)test_below(&seed, 4096) - 2048) / 8 / factor
                          : sam_bits_f32((uint32_t)test_element(&seed, SAM_TILE_f32));
        assert_int_equal(sam_tile_fill(core, &a, in, NULL), SAM_OK);
        good(sam_tquant(&d, &a, factor, zero, how));
        good(sam_tdequant(&e, &d, factor, zero, mode));
        assert_int_equal(sam_tile_read(&d, out, NULL), SAM_OK);
        assert_int_equal(sam_tile_read(&e, back, NULL), SAM_OK);
        for (size_t i = 0; i < (size_t)R * C; i++) {
            const long double low = is_signed ? -128 : 0, high = low + 255;
            const double product = (double)in[i] * factor;
            /* tiny products still count, but adding the zero point would round them away */
            const double near =
                fabs(product) < 0x1p-20 && product != 0 ? copysign(0x1p-20, product) : product;
            const long double exact = (long double)near + zero;
            long double q = isnan(product)                          ? 0
                            : isinf(product) || fabs(product) > 1e9 ? (product < 0 ? low : high)
                                                                    : whole(exact, (int)mode);
            if (how < SAM_TILE_WRAP)
                q = q < low ? low : q > high ? high : q;
            else if (isfinite(product) && fabs(product) > 1e9)
                continue; /* modulo: below */
            if (out[i] != (uint8_t)(int64_t)q)
                fail_msg("%a * %a + %d, mode %u: %u: expected %Lg", in[i], factor, zero, how,
                         out[i], q);
            const int byte = is_signed ? (int8_t)out[i] : out[i];
            const double wide = (double)(byte - zero) * factor;
            const float down = nextafterf((float)wide, -INFINITY);
            const float up = nextafterf((float)wide, INFINITY);
            const float f = (float)wide, under = (double)f > wide ? down : f;
            const float over = (double)f < wide ? up : f;
            const bool tie = under != over && wide - under == over - wide;
            const float expected = mode == SAM_TILE_FLOOR          ? under
                                   : mode == SAM_TILE_CEIL         ? over
                                   : mode == SAM_TILE_TRUNC        ? wide < 0 ? over : under
                                   : mode == SAM_TILE_ROUND && tie ? wide < 0 ? under : over
                                                                   : f;
            if (sam_f32_bits(back[i]) != sam_f32_bits(expected))
                fail_msg("(%d - %d) * %a, mode %u: %a: expected %a", byte, zero, factor, mode,
                         back[i], expected);
        }
    }
    /* modulo the width, however large */
    SCOPED_CORE *core = test_core(NULL);
    struct sam_tile a = SAM_TILE(vec, f32, 1, 8), d = SAM_TILE_VALID(vec, ui8, 1, 32, 1, 8);
    const float in[8] = {256, 300, -1, 0x1p23F + 7, -0x1p23F - 7, 0x1.000002p30F, 0x1p100F, 511.5F};
    const uint8_t expected[8] = {0, 44, 255, 7, 249, 128, 0, 0};
    uint8_t out[8];
    assert_int_equal(sam_tile_fill(core, &a, in, NULL), SAM_OK);
    good(sam_tquant(&d, &a, 1, 0, SAM_TILE_RINT + SAM_TILE_WRAP));
    assert_int_equal(sam_tile_read(&d, out, NULL), SAM_OK);
    assert_memory_equal(out, expected, sizeof out);
}

/* --- rows by index */

static const enum sam_dtype index_dtypes[] = {SAM_TILE_i16,  SAM_TILE_ui16, SAM_TILE_i32,
                                              SAM_TILE_ui32, SAM_TILE_i64,  SAM_TILE_ui64};

static void gathered(struct bench *x, enum sam_dtype dtype)
{
    const enum sam_dtype of = index_dtypes[test_below(&x->seed, SAM_COUNT(index_dtypes))];
    const int64_t from = 1 + some(x, R - 1), rows = some(x, R), cols = some(x, C);
    struct sam_tile a = tile(dtype, from, C), index = tile(of, rows, cols);
    struct sam_tile d = tile(dtype, rows, cols);
    fill(x, &a, x->a);
    for (size_t i = 0; i < (size_t)(rows * cols); i++)
        test_set(x->b, i, of, test_below(&x->seed, (uint64_t)from));
    assert_int_equal(sam_tile_fill(x->core, &index, x->b, NULL), SAM_OK);
    good(sam_tgather(&d, &a, &index));
    read(x, &d);
    for (size_t i = 0; i < (size_t)(rows * cols); i++)
        expect("tgather", x, i, dtype,
               test_bits(x->a, test_bits(x->b, i, of) * C + i % (size_t)cols, dtype));
    if (rows < 2 || cols < 2)
        return;
    test_set(x->b, (size_t)cols + 1, of, from == 1 ? UINT64_MAX : (uint64_t)from);
    assert_int_equal(sam_tile_fill(x->core, &index, x->b, NULL), SAM_OK);
    assert_string_equal(sam_tgather(&d, &a, &index).text, "tgather has no row of src for dst[1,1]");
}

static void scattered(struct bench *x, enum sam_dtype dtype)
{
    const enum sam_dtype of = index_dtypes[test_below(&x->seed, SAM_COUNT(index_dtypes))];
    const int64_t to = 1 + some(x, R - 1), rows = some(x, to), cols = some(x, C);
    struct sam_tile a = tile(dtype, rows, cols), index = tile(of, rows, cols);
    struct sam_tile d = tile(dtype, to, cols);
    fill(x, &a, x->a);
    for (int64_t j = 0; j < cols; j++) { /* rows in any order */
        uint64_t order[R] = {0};
        for (int64_t i = 0; i < to; i++) {
            const uint64_t k = test_below(&x->seed, (uint64_t)i + 1);
            order[i] = order[k];
            order[k] = (uint64_t)i;
        }
        for (int64_t i = 0; i < rows; i++)
            test_set(x->b, (size_t)(i * cols + j), of, order[i]);
    }
    assert_int_equal(sam_tile_fill(x->core, &index, x->b, NULL), SAM_OK);
    good(sam_tscatter(&d, &a, &index));
    read(x, &d);
    for (size_t k = 0; k < (size_t)(to * cols); k++) {
        uint64_t wanted = 0;
        for (size_t i = 0; i < (size_t)rows; i++)
            if (test_bits(x->b, i * (size_t)cols + k % (size_t)cols, of) == k / (size_t)cols)
                wanted = test_bits(x->a, i * (size_t)cols + k % (size_t)cols, dtype);
        expect("tscatter", x, k, dtype, wanted);
    }
    if (rows < 2 || cols < 3)
        return;
    test_set(x->b, (size_t)cols + 2, of, test_bits(x->b, 2, of));
    assert_int_equal(sam_tile_fill(x->core, &index, x->b, NULL), SAM_OK);
    assert_string_equal(sam_tscatter(&d, &a, &index).text,
                        "tscatter has no free row of dst for src[1,2]");
}

TEST(test_rows_by_index)
{
    each(gathered, true, true);
    each(scattered, true, true);
    SCOPED_CORE *core = test_core(NULL);
    struct sam_tile a = tile(SAM_TILE_f32, 4, 4), index = tile(SAM_TILE_i8, 4, 4);
    struct sam_tile part = SAM_TILE(vec, f32, 1, 8), d = tile(SAM_TILE_f32, 2, 4);
    const uint8_t bytes[16] = {0};
    const int32_t second[8] = {1, 1, 1, 1, 0, 0, 0, 0};
    float values[16] = {0};
    assert_int_equal(sam_tile_fill(core, &index, bytes, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(core, &a, values, NULL), SAM_OK);
    assert_string_equal(sam_tscatter(&d, &a, &index).text,
                        "tscatter: source 2, of indices, is of i8: expected integers of 16 to 64 "
                        "bits");
    /* only the elements that are gathered must have been written */
    struct sam_tile half = tile(SAM_TILE_f32, 4, C), rows = tile(SAM_TILE_i32, 2, 4);
    assert_int_equal(sam_tile_place_on(core, &half, NULL), SAM_OK);
    assert_int_equal(sam_tsubview(&part, &half, 1, 0, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(core, &part, values, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(core, &rows, second, NULL), SAM_OK);
    assert_string_equal(sam_tgather(&d, &half, &rows).text,
                        "tgather reads src[0,0] before it is written");
    rows.type.valid_rows = d.type.valid_rows = 1;
    good(sam_tgather(&d, &half, &rows));
}

/* --- merges */

static bool before(double a, double b, bool down)
{
    return isnan(a) || isnan(b) ? isnan(b) && !isnan(a) : down ? a > b : a < b;
}

static void sort(struct bench *x, enum sam_dtype dtype, uint8_t *values, size_t count, bool down)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = test_element(&x->seed, dtype);
        size_t at = i;
        for (; at && before(test_value(dtype, bits),
                            test_value(dtype, test_bits(values, at - 1, dtype)), down);
             at--)
            test_set(values, at, dtype, test_bits(values, at - 1, dtype));
        test_set(values, at, dtype, bits);
    }
}

/* A stable merge keeps the place of each element: its own, and those of the other row before it. */
static void merged(struct bench *x, enum sam_dtype dtype)
{
    const bool down = test_below(&x->seed, 2);
    const int64_t n = some(x, C), m = some(x, C);
    struct sam_tile a = SAM_TILE_VALID(vec, f32, 1, C, 1, n), b = a;
    struct sam_tile d = SAM_TILE_VALID(vec, f32, 1, 2 * C, 1, n + m);
    a.type.dtype = b.type.dtype = d.type.dtype = dtype;
    b.type.valid_cols = m;
    sort(x, dtype, x->a, (size_t)n, down);
    sort(x, dtype, x->b, (size_t)m, down);
    assert_int_equal(sam_tile_fill(x->core, &a, x->a, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(x->core, &b, x->b, NULL), SAM_OK);
    good(sam_tmrgsort(&d, &a, &b, down ? SAM_TILE_DESCENDING : SAM_TILE_ASCENDING));
    read(x, &d);
    for (size_t i = 0; i < (size_t)n; i++) {
        size_t at = i;
        for (size_t k = 0; k < (size_t)m; k++)
            at += before(test_value(dtype, test_bits(x->b, k, dtype)),
                         test_value(dtype, test_bits(x->a, i, dtype)), down);
        expect("tmrgsort", x, at, dtype, test_bits(x->a, i, dtype));
    }
    for (size_t i = 0; i < (size_t)m; i++) {
        size_t at = i;
        for (size_t k = 0; k < (size_t)n; k++)
            at += !before(test_value(dtype, test_bits(x->b, i, dtype)),
                          test_value(dtype, test_bits(x->a, k, dtype)), down);
        expect("tmrgsort", x, at, dtype, test_bits(x->b, i, dtype));
    }
}

TEST(test_merges)
{
    each(merged, true, false);
}

/* --- sorting: the place of an element is the number of those before it */

static void sorted(struct bench *x, enum sam_dtype dtype)
{
    const bool down = test_below(&x->seed, 2);
    const int64_t rows = some(x, R), cols = some(x, C);
    const int given = (int)some(x, 64);
    const enum sam_tile_order how = down ? SAM_TILE_DESCENDING : SAM_TILE_ASCENDING;
    const size_t width = given ? (size_t)given : 32;
    struct sam_tile a = tile(dtype, rows, cols), d = tile(dtype, rows, cols);
    struct sam_tile from = tile(SAM_TILE_ui32, rows, cols);
    uint32_t columns[R * C];
    fill(x, &a, x->a);
    good(sam_tsort(&d, &a, given, how));
    good(sam_tsort(&from, &a, given, how));
    assert_int_equal(sam_tile_read(&from, columns, NULL), SAM_OK);
    read(x, &d);
    for (size_t k = 0; k < (size_t)(rows * cols); k++) {
        const size_t row = k / (size_t)cols * (size_t)cols, first = (k - row) / width * width;
        const double value = test_value(dtype, test_bits(x->a, k, dtype));
        size_t at = row + first;
        for (size_t n = first; n < first + width && n < (size_t)cols; n++) {
            const double other = test_value(dtype, test_bits(x->a, row + n, dtype));
            at += before(other, value, down) || (row + n < k && !before(value, other, down));
        }
        expect("tsort", x, at, dtype, test_bits(x->a, k, dtype));
        assert_int_equal(columns[at], k - row - first);
    }
    if (rows && cols)
        assert_string_equal(sam_tsort(&d, &a, 65, how).text,
                            "tsort: groups of 65 columns: expected 0 to 64");
}

TEST(test_sorting)
{
    each(sorted, true, false);
}

/* --- images: the matrix by a walk over the padded images */

static uint32_t few(struct bench *x, uint32_t least, uint32_t most)
{
    return least + (uint32_t)test_below(&x->seed, most - least + 1);
}

static uint64_t pad_bits(enum sam_dtype dtype, enum sam_tile_pad pad)
{
    const unsigned width = 8 * (unsigned)sam_dtype_size(dtype);
    const uint64_t top = UINT64_C(1) << (width - 1), all = top | (top - 1);
    if (pad == SAM_TILE_PAD_null || pad == SAM_TILE_PAD_zero)
        return 0;
    if (test_is_real(dtype))
        return test_real(dtype)->infinity | (pad == SAM_TILE_PAD_min ? top : 0);
    if (!test_is_signed(dtype))
        return pad == SAM_TILE_PAD_max ? all : 0;
    return pad == SAM_TILE_PAD_max ? top - 1 : top;
}

static void imaged(struct bench *x, enum sam_dtype dtype)
{
    enum { MOST = 4096 };
    static uint64_t matrix[MOST][64];
    struct sam_tile_image s = {.height = few(x, 1, 4),
                               .width = few(x, 1, 4),
                               .filter_height = few(x, 1, 3),
                               .filter_width = few(x, 1, 2),
                               .stride_height = few(x, 1, 2),
                               .stride_width = few(x, 1, 3),
                               .dilation_height = few(x, 1, 2),
                               .dilation_width = few(x, 1, 2),
                               .pad_top = few(x, 0, 2),
                               .pad_bottom = few(x, 0, 2),
                               .pad_left = few(x, 0, 2),
                               .pad_right = few(x, 0, 2)};
    const uint32_t group = few(x, 1, 5), groups = few(x, 1, 2), images = few(x, 1, 3);
    s.channels = group * groups - few(x, 0, group - 1);
    const uint32_t lines = images * groups * s.height * s.width;
    struct sam_tile a = SAM_TILE_VALID(vec, f32, 96, 32, lines, group), d = tile(dtype, R, C);
    uint8_t values[96 * 5 * 4];
    size_t rows = 0, cols = 0;
    a.type.dtype = dtype;
    a.type.pad = (enum sam_tile_pad)test_below(&x->seed, 4);
    const uint64_t pad = pad_bits(dtype, a.type.pad);
    test_random_elements(values, lines * group, dtype, &x->seed);
    assert_int_equal(sam_tile_fill(x->core, &a, values, NULL), SAM_OK);
    for (uint32_t n = 0; n < images; n++)
        for (uint32_t top = 0;
             top + s.dilation_height * (s.filter_height - 1) < s.height + s.pad_top + s.pad_bottom;
             top += s.stride_height)
            for (uint32_t left = 0; left + s.dilation_width * (s.filter_width - 1) <
                                    s.width + s.pad_left + s.pad_right;
                 left += s.stride_width, rows++) {
                cols = 0;
                for (uint32_t g = 0; g < groups; g++)
                    for (uint32_t fy = 0; fy < s.filter_height; fy++)
                        for (uint32_t fx = 0; fx < s.filter_width; fx++)
                            for (uint32_t c = 0; c < group; c++) {
                                const int64_t y =
                                    (int64_t)(top + fy * s.dilation_height) - s.pad_top;
                                const int64_t z =
                                    (int64_t)(left + fx * s.dilation_width) - s.pad_left;
                                const bool in = g * group + c < s.channels && y >= 0 &&
                                                y < s.height && z >= 0 && z < s.width;
                                const size_t line =
                                    ((size_t)(n * groups + g) * s.height + (size_t)y) * s.width +
                                    (size_t)z;
                                matrix[rows][cols++] =
                                    in ? test_bits(values, line * group + c, dtype) : pad;
                            }
            }
    if (!rows) {
        assert_string_equal(sam_timg2col(&d, &a, 0, 0, &s).text,
                            "timg2col: the filter is larger than the padded image");
        return;
    }
    const uint32_t m = few(x, 0, (uint32_t)rows - 1), k = few(x, 0, (uint32_t)cols - 1);
    d.type.valid_rows = few(x, 0, rows - m < R ? (uint32_t)rows - m : R);
    d.type.valid_cols = few(x, 0, (uint32_t)cols - k < C ? (uint32_t)cols - k : C);
    good(sam_timg2col(&d, &a, m, k, &s));
    read(x, &d);
    for (size_t i = 0; i < (size_t)(d.type.valid_rows * d.type.valid_cols); i++)
        expect("timg2col", x, i, dtype,
               matrix[m + i / (size_t)d.type.valid_cols][k + i % (size_t)d.type.valid_cols]);
    d.type.valid_rows = d.type.valid_cols = 1;
    char text[120];
    snprintf(text, sizeof text, "timg2col: 1 rows from %zu leave the matrix, which has %zu", rows,
             rows);
    assert_string_equal(sam_timg2col(&d, &a, (double)rows, 0, &s).text, text);
    snprintf(text, sizeof text, "timg2col: 1 columns from %zu leave the matrix, which has %zu",
             cols, cols);
    assert_string_equal(sam_timg2col(&d, &a, 0, (double)cols, &s).text, text);
    s.stride_width = 0;
    assert_string_equal(sam_timg2col(&d, &a, 0, 0, &s).text,
                        "timg2col: stride_width 0: expected 1 to 65535");
}

TEST(test_images)
{
    each(imaged, true, true);
}

/* --- histograms */

TEST(test_histograms)
{
    struct bench x = {.seed = test_seed()};
    for (unsigned k = 0; k < 60; k++) {
        const enum sam_dtype dtype = k % 3 ? SAM_TILE_ui32 : SAM_TILE_ui16;
        const unsigned byte = k / 3 % (dtype == SAM_TILE_ui32 ? 4 : 2);
        const unsigned higher = (dtype == SAM_TILE_ui32 ? 3 : 1) - byte;
        const int64_t rows = some(&x, R), cols = some(&x, C);
        struct sam_tile a = tile(dtype, rows, cols), filter = tile(SAM_TILE_ui8, R, 1);
        struct sam_tile d = SAM_TILE_VALID(vec, ui32, R, 256, rows, 256);
        x.core = test_core(NULL);
        for (size_t i = 0; i < (size_t)(rows * cols); i++) /* of few values */
            test_set(x.a, i, dtype, test_random(&x.seed) & 0x01030101);
        for (size_t i = 0; i < R; i++)
            x.b[i] = (uint8_t)test_below(&x.seed, 2);
        assert_int_equal(sam_tile_fill(x.core, &a, x.a, NULL), SAM_OK);
        if (higher)
            assert_int_equal(sam_tile_fill(x.core, &filter, x.b, NULL), SAM_OK);
        else /* not read */
            assert_int_equal(sam_tile_place_on(x.core, &filter, NULL), SAM_OK);
        good(sam_thistogram(&d, &a, &filter, byte));
        read(&x, &d);
        for (size_t i = 0; i < (size_t)rows * 256; i++) {
            uint64_t count = 0;
            for (size_t j = 0; j < (size_t)cols; j++) {
                const uint64_t v = test_bits(x.a, i / 256 * (size_t)cols + j, dtype);
                bool passes = (v >> 8 * byte & 0xff) <= i % 256;
                for (unsigned h = 0; h < higher; h++)
                    passes &= (v >> 8 * (byte + higher - h) & 0xff) ==
                              x.b[dtype == SAM_TILE_ui32 ? h : i / 256];
                count += passes;
            }
            expect("thistogram", &x, i, SAM_TILE_ui32, count);
        }
        if (dtype == SAM_TILE_ui16)
            assert_string_equal(sam_thistogram(&d, &a, &filter, 2).text,
                                "thistogram: source 1 is of ui16: it has no byte b2");
        sam_tile_core_free(x.core);
    }
}

/* --- triangles, another core */

static void triangles(struct bench *x, enum sam_dtype dtype)
{
    const int64_t rows = some(x, R), cols = some(x, C);
    const int64_t diagonal = (int64_t)test_below(&x->seed, 200) - 100;
    const bool upper = test_below(&x->seed, 2);
    struct sam_tile d = tile(dtype, rows, cols);
    assert_int_equal(sam_tile_place_on(x->core, &d, NULL), SAM_OK);
    good(sam_ttri(&d, (double)diagonal, upper ? SAM_TILE_UPPER : SAM_TILE_LOWER));
    read(x, &d);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            const bool in = upper ? j >= i + diagonal : j <= i + diagonal;
            const uint64_t one = dtype == SAM_TILE_f32    ? 0x3f800000
                                 : dtype == SAM_TILE_f16  ? 0x3c00
                                 : dtype == SAM_TILE_bf16 ? 0x3f80
                                                          : 1;
            expect("ttri", x, (size_t)(i * cols + j), dtype, in ? one : 0);
        }
    if (rows && cols)
        assert_string_equal(sam_ttri(&d, -65536, SAM_TILE_LOWER).text,
                            "ttri: diagonal -65536: expected -65535 to 65535");
    struct sam_tile e = d;
    e.core = NULL;
    e.offset = SAM_TILE_UNPLACED;
    good(sam_gmov(&e, &d, 0));
    read(x, &d);
    assert_string_equal(sam_gmov(&e, &d, 1).text,
                        rows && cols ? "gmov from core 1: there is core 0 only" : "");
}

TEST(test_triangles)
{
    each(triangles, true, true);
}

/* --- products with one row */

TEST(test_vectors)
{
    enum { K = 9, N = 7 };
    SCOPED_CORE *core = test_core(NULL);
    struct sam_tile mat = SAM_TILE_VALID(mat, f32, 16, 16, K, N), row = mat;
    struct sam_tile bias = SAM_TILE_VALID(mat, f32, 1, 8, 1, N);
    struct sam_tile a = SAM_TILE_VALID(left, f32, 16, 16, 1, K);
    struct sam_tile b = SAM_TILE_VALID(right, f32, 16, 16, K, N);
    struct sam_tile d = SAM_TILE_VALID(acc, f32, 16, 16, 1, N), e = d;
    struct sam_tile out = SAM_TILE_VALID(vec, f32, 16, 16, 1, N);
    float av[K], bv[K * N], cv[N], dv[N];
    uint64_t seed = test_seed();
    for (size_t i = 0; i < K * N; i++)
        bv[i] = (float)test_below(&seed, 100) / 8;
    for (size_t i = 0; i < K; i++)
        av[i] = (float)test_below(&seed, 100) / 8;
    for (size_t i = 0; i < N; i++)
        cv[i] = (float)test_below(&seed, 100) / 8;
    row.type.valid_rows = 1;
    row.type.valid_cols = K;
    assert_int_equal(sam_tile_fill(core, &mat, bv, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(core, &row, av, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(core, &bias, cv, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(core, &e, cv, NULL), SAM_OK);
    good(sam_tmov(&a, &row));
    good(sam_tmov(&b, &mat));
    for (int how = 0; how < 3; how++) {
        good(how == 0   ? sam_tgemv(&d, &a, &b)
             : how == 1 ? sam_tgemv_acc(&d, &e, &a, &b)
                        : sam_tgemv_bias(&d, &a, &b, &bias));
        good(sam_tmov(&out, &d));
        assert_int_equal(sam_tile_read(&out, dv, NULL), SAM_OK);
        for (size_t j = 0; j < N; j++) {
            float sum = how ? cv[j] : 0;
            for (size_t k = 0; k < K; k++)
                sum += av[k] * bv[k * N + j];
            assert_true(dv[j] == sum);
        }
    }
    a.type.valid_rows = d.type.valid_rows = 2;
    assert_string_equal(sam_tgemv(&d, &a, &b).text, "tgemv: source 1 has 2 valid rows: expected 1");
}
