/* SPDX-License-Identifier: Apache-2.0 */
/* Products of scaled factors against the formula of the specification: each element times the power
 * of two of its block of 32, then the product of f32 matrices. */
#include "tile/tile_test.h"

#include "samite/tile_ops.h"
#include "tile/tile.h"

enum { M = 5, N = 8, K = 70, BLOCKS = 3, ROOM = 128, WIDE = 32 };

/* ui8: pairs of e2m1 */
static const enum sam_dtype dtypes[] = {SAM_E4M3, SAM_E5M2, SAM_U8,  SAM_F16,
                                        SAM_BF16, SAM_E2M1, SAM_E1M2};

/* Element k of a line of `pitch` bytes or elements; pairs lie along K. */
static float element(enum sam_dtype dtype, const uint8_t *data, size_t line, size_t k, size_t pitch)
{
    if (dtype == SAM_U8)
        return (float)sam_dtype_value(SAM_E2M1, data[line * pitch + k / 2] >> (k % 2 * 4) & 15);
    return (float)sam_dtype_value(dtype, test_bits(data, line * pitch + k, dtype));
}

/* 2^(s - 127); 255 is NaN */
static float scale_of(enum sam_dtype dtype, uint8_t s)
{
    if (dtype == SAM_F16 || dtype == SAM_BF16)
        return 1;
    return s == 255 ? NAN : ldexpf(1, s - 127);
}

/* Mostly moderate scales, so that sums stay finite. */
static uint8_t random_scale(uint64_t *seed)
{
    const uint64_t r = test_below(seed, 40);
    return r == 0 ? (uint8_t)test_random(seed) : (uint8_t)(120 + r % 16);
}

static bool has_scales(enum sam_dtype dtype)
{
    return dtype != SAM_F16 && dtype != SAM_BF16;
}

/* A factor in left (right), by lines along K, and its scales. */
struct factor {
    enum sam_dtype dtype;
    bool right;
    struct sam_tile tile, scales;
    uint8_t data[N * ROOM * 2], scale[N * BLOCKS];
};

static void make(struct factor *f, struct sam_tile_core *core, uint64_t *seed, enum sam_dtype dtype,
                 bool right, size_t lines)
{
    const size_t length = dtype == SAM_U8 ? K / 2 : K;
    struct sam_tile mat = SAM_TILE(mat, f32, 16, ROOM);
    uint8_t values[N * ROOM * 2], by_rows[N * BLOCKS];
    *f = (struct factor){.dtype = dtype, .right = right};
    for (size_t i = 0; i < lines * length; i++)
        test_set(f->data, i, dtype, test_random(seed) & (dtype == SAM_F16 ? 0xbfff : UINT64_MAX));
    for (size_t i = 0; i < lines * BLOCKS; i++)
        f->scale[i] = random_scale(seed);
    mat.type.dtype = dtype;
    mat.type.valid_rows = (int64_t)(right ? length : lines);
    mat.type.valid_cols = (int64_t)(right ? lines : length);
    if (right) {
        mat.type.rows = ROOM;
        mat.type.cols = 16;
        mat.type.blayout = SAM_TILE_col_major;
    }
    for (size_t i = 0; i < lines * length; i++) /* values are given row by row */
        test_set(values, right ? i % length * lines + i / length : i, dtype,
                 test_bits(f->data, i, dtype));
    f->tile = mat;
    f->tile.type.loc = right ? SAM_TILE_right : SAM_TILE_left;
    assert_int_equal(sam_tile_fill(core, &mat, values, NULL), SAM_OK);
    assert_string_equal(sam_tmov(&f->tile, &mat).text, "");
    sam_tile_release(&mat);
    f->scales = (struct sam_tile)SAM_TILE(mat, e8m0, 16, WIDE);
    f->scales.type.valid_rows = !has_scales(dtype) ? 0 : right ? BLOCKS : (int64_t)lines;
    f->scales.type.valid_cols = right ? (int64_t)lines : BLOCKS;
    for (size_t i = 0; i < lines * BLOCKS; i++)
        by_rows[right ? i % BLOCKS * lines + i / BLOCKS : i] = f->scale[i];
    assert_int_equal(sam_tile_fill(core, &f->scales, by_rows, NULL), SAM_OK);
}

static float scaled(const struct factor *f, size_t line, size_t k)
{
    const size_t length = f->dtype == SAM_U8 ? K / 2 : K;
    return element(f->dtype, f->data, line, k, length) *
           scale_of(f->dtype, f->scale[line * BLOCKS + k / 32]);
}

static void product(uint64_t *seed, enum sam_dtype left, enum sam_dtype right, unsigned kind,
                    bool vector)
{
    const size_t rows = vector ? 1 : M;
    SCOPED_CORE *core = test_core(&(struct sam_tile_options){.profile = SAM_TILE_A5});
    struct sam_tile d = SAM_TILE_VALID(acc, f32, 16, 32, (int64_t)rows, N);
    struct sam_tile e = SAM_TILE_VALID(acc, f32, 16, 32, (int64_t)rows, N);
    struct sam_tile bias = SAM_TILE_VALID(mat, f32, 1, 32, 1, N);
    struct sam_tile out = SAM_TILE_VALID(vec, f32, 16, 32, (int64_t)rows, N);
    struct factor a, b;
    uint8_t start[M * N * 4], got[M * N * 4];
    make(&a, core, seed, left, false, rows);
    make(&b, core, seed, right, true, N);
    test_random_elements(start, (size_t)M * N, SAM_F32, seed);
    assert_int_equal(sam_tile_fill(core, &e, start, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(core, &bias, start, NULL), SAM_OK);
    struct sam_tile *const s[] = {&a.tile, &a.scales, &b.tile, &b.scales};
    const struct sam_event done =
        vector ? (kind == 0   ? sam_tgemv_mx(&d, s[0], s[1], s[2], s[3])
                  : kind == 1 ? sam_tgemv_mx_acc(&d, &e, s[0], s[1], s[2], s[3])
                              : sam_tgemv_mx_bias(&d, s[0], s[1], s[2], s[3], &bias))
               : (kind == 0   ? sam_tmatmul_mx(&d, s[0], s[1], s[2], s[3])
                  : kind == 1 ? sam_tmatmul_mx_acc(&d, &e, s[0], s[1], s[2], s[3])
                              : sam_tmatmul_mx_bias(&d, s[0], s[1], s[2], s[3], &bias));
    assert_string_equal(done.text, "");
    assert_string_equal(sam_tmov(&out, &d).text, "");
    assert_int_equal(sam_tile_read(&out, got, NULL), SAM_OK);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < N; j++) {
            const uint64_t bits =
                kind == 0 ? 0 : test_bits(start, kind == 1 ? i * N + j : j, SAM_F32);
            float sum = (float)sam_dtype_value(SAM_F32, bits);
            for (size_t k = 0; k < K; k++)
                sum += scaled(&a, i, k) * scaled(&b, j, k);
            assert_int_equal(test_bits(got, i * N + j, SAM_F32),
                             isnan(sum) ? 0x7fc00000 : sam_f32_bits(sum));
        }
}

TEST(test_scaled_products)
{
    uint64_t seed = test_seed();
    for (unsigned n = 0; n < 49 * 6; n++)
        product(&seed, dtypes[n % 7], dtypes[n / 7 % 7], n / 49 % 3, n >= 3 * 49);
}

/* Messages of the checker. */
static void refused(const char *types, const char *message)
{
    SCOPED(sam_buffer) text = {0};
    struct sam_error error = {0};
    FREED char *messages = NULL;
    sam_buffer_printf(&text,
                      "pto.tmatmul_mx ins(%%a, %%s, %%b, %%t : %s) outs(%%d : "
                      "!pto.tile_buf<acc, 16x32xf32, valid=5x7>)\n",
                      types);
    SCOPED_PROGRAM *p = test_parse("x.pto", sam_buffer_text(&text), text.size);
    assert_int_equal(sam_tile_check(p, SAM_TILE_A5, &messages, &error), SAM_ERR_INPUT);
    if (!strstr(messages, message))
        fail_msg("%s: expected %s", messages, message);
}

#define LEFT(dtype)        "!pto.tile_buf<left, 16x64x" dtype ", valid=5x40>, "
#define RIGHT(dtype)       "!pto.tile_buf<right, 64x32x" dtype ", valid=40x7, blayout=col_major>, "
#define SCALES(rows, cols) "!pto.tile_buf<mat, 16x32xe8m0, valid=" rows "x" cols ">"

TEST(test_refused)
{
    static const struct {
        const char *types, *message;
    } cases[] = {
        {LEFT("f32") SCALES("5", "2") ", " RIGHT("e4m3") SCALES("2", "7"),
         "source 1 is of f32: expected e4m3, e5m2, e2m1, e1m2, ui8 (pairs of e2m1), f16 or bf16"},
        {LEFT("e4m3") SCALES("5", "3") ", " RIGHT("e5m2") SCALES("2", "7"),
         "source 2 has 3 blocks of scales for 40 elements: expected one per 32"},
        {LEFT("e4m3") SCALES("5", "1") ", " RIGHT("e5m2") SCALES("2", "7"),
         "source 2 has 1 blocks of scales for 40 elements: expected one per 32"},
        {LEFT("f16") SCALES("5", "2") ", " RIGHT("e5m2") SCALES("2", "7"),
         "source 2 has 5 valid rows: expected 0, as f16 and bf16 have no scales"},
        {LEFT("ui8") SCALES("5", "3") ", " RIGHT("e5m2") SCALES("2", "7"),
         "the left factor has 80 elements in a row, the right one 40 in a column"},
        {LEFT("e4m3")
             SCALES("5", "2") ", "
                              "!pto.tile_buf<right, 20x32xui8, valid=20x7>, " SCALES("2", "7"),
         "source 3, of pairs, has blayout row_major: expected col_major"},
        {LEFT("e4m3") SCALES("5", "2") ", " RIGHT("e5m2") SCALES("2", "6"),
         "source 4 has 6 valid columns: expected 7, as the right factor"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++)
        refused(cases[i].types, cases[i].message);
}
