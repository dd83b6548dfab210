/* SPDX-License-Identifier: Apache-2.0 */
/* Both readings of operations on which the published page and the open specification differ, as
 * formulas. */
#include "tile/tile_test.h"

#include "samite/tile_ops.h"

enum { R = 8, C = 64 };

static uint64_t seed;
static uint8_t av[R * C * 4], bv[R * C * 4], dv[R * C * 4];

static struct sam_tile tile(enum sam_dtype dtype, int64_t rows, int64_t cols)
{
    struct sam_tile t = SAM_TILE_VALID(vec, f32, R, C, rows, cols);
    t.type.dtype = dtype;
    return t;
}

static struct sam_tile_core *core_of(bool spec)
{
    return test_core(&(struct sam_tile_options){.size = sizeof(struct sam_tile_options),
                                                .dialect = spec ? SAM_TILE_SPEC : SAM_TILE_PAGE});
}

static uint64_t rounded(enum sam_dtype dtype, double v)
{
    return isnan(v)                ? test_canonical(dtype)
           : dtype == SAM_TILE_f32 ? sam_f32_bits((float)v)
                                   : sam_fp_round(&test_real(dtype)->format, v);
}

static uint64_t width_mask(enum sam_dtype dtype)
{
    return UINT64_MAX >> (64 - 8 * sam_dtype_size(dtype));
}

/* The remainder of a by b: with the sign of a, or of b. */
static uint64_t remainder_of(enum sam_dtype dtype, bool spec, uint64_t a, uint64_t b)
{
    const double x = test_value(dtype, a), y = test_value(dtype, b);
    if (!test_is_real(dtype)) {
        const int64_t p = (int64_t)x, q = (int64_t)y;
        const int64_t floor_of = p / q - (p % q != 0 && (p < 0) != (q < 0));
        return (uint64_t)(p - q * (spec ? floor_of : p / q)) & width_mask(dtype);
    }
    const double r = fmod(x, y);
    return rounded(dtype, spec && r != 0 && (r < 0) != (y < 0) ? (float)(r + y) : r);
}

static void expect(const char *name, bool spec, size_t i, enum sam_dtype dtype, uint64_t wanted)
{
    const uint64_t got = test_bits(dv, i, dtype);
    if (got != wanted)
        fail_msg("%s %s, %s, element %zu: 0x%llx: expected 0x%llx", name, spec ? "spec" : "page",
                 sam_tile_dtype_name(dtype), i, (unsigned long long)got,
                 (unsigned long long)wanted);
}

static void elements(struct sam_tile_core *core, bool spec, enum sam_dtype dtype)
{
    struct sam_tile a = tile(dtype, R, C), b = a, d = a;
    const uint64_t sign = (width_mask(dtype) >> 1) + 1;
    for (size_t i = 0; i < (size_t)R * C; i++) {
        const uint64_t bits = test_element(&seed, dtype);
        test_set(av, i, dtype, test_element(&seed, dtype));
        test_set(bv, i, dtype, !test_is_real(dtype) && !bits ? 3 : bits);
    }
    assert_int_equal(sam_tile_fill(core, &a, av, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(core, &b, bv, NULL), SAM_OK);
    for (int how = 0; how < 4; how++) {
        const double three = -3;
        const bool scalar = how == 1 && (test_is_real(dtype) || test_is_signed(dtype));
        const char *const names[] = {"trem", scalar ? "trems" : "trem", "tneg", "tabs"};
        struct sam_tile *const sources[] = {&a, how < 2 && !scalar ? &b : NULL, NULL};
        assert_string_equal(sam_tile_apply(names[how], &d, sources, three, 0, NULL).text, "");
        assert_int_equal(sam_tile_read(&d, dv, NULL), SAM_OK);
        for (size_t i = 0; i < (size_t)R * C; i++) {
            const uint64_t x = test_bits(av, i, dtype);
            const double v = test_value(dtype, x);
            const bool nan = test_is_real(dtype) && isnan(v);
            uint64_t y = test_bits(bv, i, dtype), wanted;
            if (scalar)
                y = test_is_real(dtype) ? rounded(dtype, three)
                                        : (uint64_t)(int64_t)three & width_mask(dtype);
            if (how < 2)
                wanted = remainder_of(dtype, spec, x, y);
            else if (nan && !spec)
                wanted = test_canonical(dtype);
            else if (test_is_real(dtype))
                wanted = how == 2 ? x ^ sign : x & ~sign;
            else
                wanted = (how == 2 || v < 0 ? 0 - x : x) & width_mask(dtype);
            expect(names[how], spec, i, dtype, wanted);
        }
    }
}

TEST(test_elements)
{
    seed = test_seed();
    for (int round = 0; round < 10; round++)
        for (size_t k = 0; k < SAM_COUNT(test_dtypes); k++)
            for (int spec = 0; spec < 2; spec++) {
                SCOPED_CORE *core = core_of(spec);
                elements(core, spec, test_dtypes[k]);
            }
}

/* Masks of bytes and of bits, sequences that fall, indices of either sign, vectors without padding:
 * both readings hold in both dialects. */
TEST(test_readings)
{
    seed = test_seed();
    for (int round = 0; round < 60; round++) {
        SCOPED_CORE *core = core_of(round % 2);
        const int64_t rows = 1 + (int64_t)test_below(&seed, R),
                      cols = 1 + (int64_t)test_below(&seed, C);
        struct sam_tile a = tile(SAM_TILE_i32, rows, cols), b = a, d = a, v = a;
        struct sam_tile bits = SAM_TILE_VALID(vec, ui8, R, C, rows, (cols + 7) / 8);
        struct sam_tile bytes = SAM_TILE_VALID(vec, ui8, R, C, rows, cols);
        int32_t x[R * C], y[R * C], z[R * C];
        uint8_t packed[R * C], wide[R * C];
        for (int64_t i = 0; i < rows * cols; i++) {
            x[i] = (int32_t)test_below(&seed, 5);
            y[i] = (int32_t)test_below(&seed, 5);
        }
        assert_int_equal(sam_tile_fill(core, &a, x, NULL), SAM_OK);
        assert_int_equal(sam_tile_fill(core, &b, y, NULL), SAM_OK);
        struct sam_tile *const pair[] = {&a, &b, NULL};
        const unsigned lt = SAM_TILE_LT, packed_lt = SAM_TILE_PACKED + SAM_TILE_LT;
        assert_string_equal(sam_tile_apply("tcmp", &bits, pair, 0, packed_lt, NULL).text, "");
        assert_string_equal(sam_tile_apply("tcmp", &bytes, pair, 0, lt, NULL).text, "");
        assert_int_equal(sam_tile_read(&bits, packed, NULL), SAM_OK);
        assert_int_equal(sam_tile_read(&bytes, wide, NULL), SAM_OK);
        struct sam_tile *const by_bits[] = {&bits, &a, &b, NULL};
        assert_string_equal(sam_tile_apply("tsel", &d, by_bits, 0, 1, NULL).text, "");
        assert_int_equal(sam_tile_read(&d, z, NULL), SAM_OK);
        for (int64_t i = 0; i < rows * ((cols + 7) / 8) * 8; i++) {
            const int64_t row = i / ((cols + 7) / 8 * 8), col = i % ((cols + 7) / 8 * 8);
            const int bit = packed[i / 8] >> i % 8 & 1;
            const int64_t at = row * cols + col;
            assert_int_equal(bit, col < cols && x[at] < y[at]); /* the rest of a byte is 0 */
            if (col < cols) {
                assert_int_equal(wide[at], bit);
                assert_int_equal(z[at], bit ? x[at] : y[at]);
            }
        }
        struct sam_tile *const none[] = {NULL};
        assert_string_equal(sam_tile_apply("tci", &d, none, 3, SAM_TILE_DESCENDING, NULL).text, "");
        assert_int_equal(sam_tile_read(&d, z, NULL), SAM_OK);
        for (int64_t i = 0; i < rows * cols; i++)
            assert_int_equal(z[i], 3 - i);
        v.type.rows = (uint32_t)rows;
        v.type.cols = 1;
        v.type.valid_rows = rows;
        v.type.valid_cols = 1;
        v.type.dtype = SAM_TILE_ui32;
        assert_string_equal(sam_trowargmax(&v, &a).text, "");
        assert_int_equal(sam_tile_read(&v, z, NULL), SAM_OK);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < cols; j++)
                assert_true(x[i * cols + z[i]] >= x[i * cols + j]);
        bits.type.valid_cols = (cols + 7) / 8 + 1;
        const char *error = sam_tile_apply("tcmp", &bits, pair, 0, packed_lt, NULL).text;
        assert_non_null(strstr(error, "valid columns of 8 bits for"));
    }
}

/* The exponentials of differences of 16-bit floats as f32: those of the same numbers as f32. */
TEST(test_mixed_expdif)
{
    seed = test_seed();
    SCOPED_CORE *core = test_core(NULL);
    for (int k = 0; k < 2; k++) {
        const enum sam_dtype dtype = k ? SAM_TILE_bf16 : SAM_TILE_f16;
        struct sam_tile a = tile(dtype, R, C), b = tile(dtype, 1, C), d = tile(SAM_TILE_f32, R, C);
        struct sam_tile wa = d, wb = tile(SAM_TILE_f32, 1, C), wd = d;
        uint32_t mixed[R * C], wide[R * C];
        test_random_elements(av, (size_t)R * C, dtype, &seed);
        assert_int_equal(sam_tile_fill(core, &a, av, NULL), SAM_OK);
        assert_int_equal(sam_tile_fill(core, &b, av, NULL), SAM_OK);
        assert_string_equal(sam_tcolexpandexpdif(&d, &a, &b).text, "");
        assert_string_equal(sam_tcvt(&wa, &a, SAM_TILE_RINT).text, "");
        assert_string_equal(sam_tcvt(&wb, &b, SAM_TILE_RINT).text, "");
        assert_string_equal(sam_tcolexpandexpdif(&wd, &wa, &wb).text, "");
        assert_int_equal(sam_tile_read(&d, mixed, NULL), SAM_OK);
        assert_int_equal(sam_tile_read(&wd, wide, NULL), SAM_OK);
        assert_memory_equal(mixed, wide, sizeof mixed);
        assert_non_null(strstr(sam_tcolexpandsub(&d, &a, &b).text, "they must be the same"));
    }
}

/* Pad values of floats: infinities, or the largest finite numbers, as the specification prints
 * them. */
TEST(test_pads)
{
    static const struct {
        enum sam_dtype dtype;
        uint64_t page[2], spec[2];
    } rows[] = {
        {SAM_F64,
         {0x7ff0000000000000, 0xfff0000000000000},
         {0x7fefffffffffffff, 0xffefffffffffffff}},
        {SAM_F32, {0x7f800000, 0xff800000}, {0x7f7fffff, 0xff7fffff}},
        {SAM_TF32, {0x7f800000, 0xff800000}, {0x7f7fe000, 0xff7fe000}},
        {SAM_HF32, {0x7f800000, 0xff800000}, {0x7f7ff000, 0xff7ff000}},
        {SAM_F16, {0x7c00, 0xfc00}, {0x7bff, 0xfbff}},
        {SAM_BF16, {0x7f80, 0xff80}, {0x7f7f, 0xff7f}},
        {SAM_E4M3, {0x7f, 0x7f}, {0x7e, 0xfe}},
        {SAM_E5M2, {0x7c, 0xfc}, {0x7b, 0xfb}},
        {SAM_I8, {0x7f, 0x80}, {0x7f, 0x80}},
        {SAM_U16, {0xffff, 0}, {0xffff, 0}},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++)
        for (int spec = 0; spec < 2; spec++)
            for (int low = 0; low < 2; low++) {
                SCOPED_CORE *core = core_of(spec);
                struct sam_tile a = tile(rows[i].dtype, 1, 32), d = a;
                uint8_t in[32 * 8] = {0}, out[32 * 8];
                const size_t size = sam_dtype_size(rows[i].dtype);
                a.type.valid_cols = 31;
                d.type.pad = low ? SAM_TILE_PAD_min : SAM_TILE_PAD_max;
                assert_int_equal(sam_tile_fill(core, &a, in, NULL), SAM_OK);
                assert_string_equal(sam_tfillpad(&d, &a).text, "");
                assert_int_equal(sam_tile_read(&d, out, NULL), SAM_OK);
                uint64_t bits = 0;
                memcpy(&bits, out + 31 * size, size);
                assert_int_equal(bits, (spec ? rows[i].spec : rows[i].page)[low]);
            }
}

/* The specification has one valid row of the destination of a column reduction. */
TEST(test_rows)
{
    for (int spec = 0; spec < 2; spec++)
        for (int rows = 0; rows < 3; rows++) {
            SCOPED_CORE *core = core_of(spec);
            struct sam_tile a = tile(SAM_TILE_f32, rows ? 3 : 0, 8),
                            d = tile(SAM_TILE_f32, rows, 8);
            const float zeros[3][8] = {{0}};
            char text[80] = "";
            assert_int_equal(sam_tile_fill(core, &a, zeros, NULL), SAM_OK);
            assert_int_equal(sam_tile_place_on(core, &d, NULL), SAM_OK);
            if (spec && rows != 1)
                snprintf(text, sizeof text,
                         "tcolmin: the destination has %d valid rows: expected 1 in dialect spec",
                         rows);
            assert_string_equal(sam_tcolmin(&d, &a).text, text);
        }
}

/* The page's reductions begin with the first element, the specification's with 0 or 1. */
TEST(test_sums)
{
    static const float values[2][8] = {{-0.0F, 0, -0.0F, 1, 2, -1, -0.0F, 3},
                                       {-0.0F, 0, 0, -1, 3, 1, -0.0F, -0.0F}};
    const uint32_t odd = 0xffc00001;
    for (int spec = 0; spec < 2; spec++)
        for (int rows = 1; rows < 3; rows++) {
            SCOPED_CORE *core = core_of(spec);
            struct sam_tile a = tile(SAM_TILE_f32, rows, 8), d = tile(SAM_TILE_f32, 1, 8);
            struct sam_tile e = tile(SAM_TILE_f32, rows, 1);
            float in[2][8], out[8];
            memcpy(in, values, sizeof in);
            memcpy(&in[0][7], &odd, 4); /* a NaN */
            assert_int_equal(sam_tile_fill(core, &a, in, NULL), SAM_OK);
            assert_string_equal(sam_tcolsum(&d, &a).text, "");
            assert_int_equal(sam_tile_read(&d, out, NULL), SAM_OK);
            for (size_t j = 0; j < 8; j++) {
                float sum = spec ? 0 + in[0][j] : in[0][j];
                if (rows > 1)
                    sum += in[1][j];
                const uint32_t wanted = !isnan(sum)        ? sam_f32_bits(sum)
                                        : spec || rows > 1 ? 0x7fc00000
                                                           : odd;
                assert_int_equal(sam_f32_bits(out[j]), wanted);
            }
            a.type.valid_cols = 1; /* -0 in each row */
            assert_string_equal(sam_trowsum(&e, &a).text, "");
            assert_int_equal(sam_tile_read(&e, out, NULL), SAM_OK);
            for (int i = 0; i < rows; i++)
                assert_int_equal(sam_f32_bits(out[i]), spec ? 0 : 0x80000000);
            assert_string_equal(sam_tcolprod(&d, &a).text, "tcolprod: the destination has 8 valid "
                                                           "columns: expected 1, as the source");
        }
    struct sam_tile_options options = {.size = sizeof options, .dialect = (enum sam_tile_dialect)2};
    struct sam_tile_core *core = NULL;
    struct sam_error error;
    assert_int_equal(sam_tile_core_new(&options, &core, &error), SAM_ERR_USAGE);
    assert_string_equal(error.text, "unknown dialect 2");
}
