/* SPDX-License-Identifier: Apache-2.0 */
/* The routines of math.c on the GPU, bit by bit against the executor's functions: over all
 * 16-bit inputs, and over floats of every exponent with nearby values that are hard to round.
 * SAMITE_ALL=1 takes all 2^32 floats, SAMITE_ALL=2 all pairs of 16-bit numbers (some minutes
 * each); SAMITE_ROUTINE=n only one of the functions below. */
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include <math.h>

#include "assemble.h"
#include "lower/math.h"
#include "random.h"
#include "samite/samite.h"
#include "tile/core/core.h"

enum { LANES = 32, SHARE = 64 * LANES, BATCH = 64 * SHARE }; /* elements of a workgroup, a launch */
enum { A = 0x90000000, B = 0x91000000, D = 0x92000000 };

struct routine {
    struct sam_gpu *gpu;
    struct sam_image *image;
    uint32_t a[BATCH], b[BATCH], d[BATCH];
};

static void ok(enum sam_status status, const struct sam_error *error)
{
    if (status != SAM_OK)
        fail_msg("%s", error->text);
}

/* A program that applies `body` to each element of A and B; `inlined` holds lines instead. */
static struct routine *routine_new(const char *label, const char *inlined, uint64_t set)
{
    struct routine *r = calloc(1, sizeof *r);
    SCOPED(sam_buffer) text = {0};
    struct sam_error error = {0};
    assert_non_null(r);
    sam_buffer_printf(&text,
                      "csrr s2, gdx\nli t0, %d\nmul s2, s2, t0\nli s3, 0x%x\nadd s3, s3, s2\n"
                      "li s4, 0x%x\nadd s4, s4, s2\nli s5, 0x%x\nadd s5, s5, s2\nli s6, %d\n"
                      "loop:\nvle32.v v8, (s3)\nvle32.v v9, (s4)\n",
                      4 * SHARE, (unsigned)A, (unsigned)B, (unsigned)D, SHARE / LANES);
    if (inlined)
        sam_buffer_puts(&text, inlined);
    else
        sam_buffer_printf(&text, "jal ra, %s\n", label);
    sam_buffer_printf(&text,
                      "vse32.v v8, (s5)\naddi s3, s3, %d\naddi s4, s4, %d\naddi s5, s5, %d\n"
                      "addi s6, s6, -1\nbnez s6, loop\nendprg\n",
                      4 * LANES, 4 * LANES, 4 * LANES);
    sam_lower_math_text(&text, set);
    r->image = test_assemble("ventus", SAM_CODE_BASE, NULL, sam_buffer_text(&text));
    ok(sam_gpu_new(NULL, &r->gpu, &error), &error);
    ok(sam_gpu_load(r->gpu, r->image, &error), &error);
    ok(sam_gpu_map(r->gpu, A, sizeof r->a, &error), &error);
    ok(sam_gpu_map(r->gpu, B, sizeof r->b, &error), &error);
    ok(sam_gpu_map(r->gpu, D, sizeof r->d, &error), &error);
    return r;
}

static struct routine *routine_of(enum sam_lower_routine routine, enum sam_dtype narrow)
{
    enum sam_lower_math body = sam_lower_math(routine, narrow);
    return routine_new(sam_lower_math_label(body), NULL, sam_lower_math_set(body));
}

static void routine_free(struct routine *r)
{
    sam_gpu_free(r->gpu);
    sam_image_free(r->image);
    free(r);
}

/* d = routine(a, b) for a batch. */
static void run(struct routine *r)
{
    struct sam_launch launch = {.start = SAM_CODE_BASE,
                                .grid = {BATCH / SHARE, 1, 1},
                                .lanes = LANES,
                                .warps = 1,
                                .image = r->image};
    SCOPED(sam_gpu_result) result = {0};
    struct sam_error error = {0};
    ok(sam_gpu_write(r->gpu, A, r->a, sizeof r->a, &error), &error);
    ok(sam_gpu_write(r->gpu, B, r->b, sizeof r->b, &error), &error);
    ok(sam_gpu_launch(r->gpu, &launch, &result, &error), &error);
    ok(sam_gpu_read(r->gpu, D, r->d, sizeof r->d, &error), &error);
}

/* The number of elements of a batch that differ from the executor's; prints the first few. */
static size_t compare(const struct routine *r, enum sam_tile_function function,
                      enum sam_dtype dtype)
{
    static uint32_t expected[BATCH];
    size_t size = sam_tile_size(dtype), wrong = 0;
    sam_tile_reals(function, size == 2, (const float *)(const void *)r->a,
                   (const float *)(const void *)r->b, (float *)(void *)expected, BATCH);
    for (size_t i = 0; i < BATCH; i++) {
        uint32_t want = 0, got = 0;
        float w = sam_bits_f32(expected[i]), g = sam_bits_f32(r->d[i]);
        sam_tile_write_reals(dtype, &want, 1, &w);
        sam_tile_write_reals(dtype, &got, 1, &g);
        if (dtype == SAM_F32)
            got = r->d[i]; /* NaN is canonical already */
        if (want == got)
            continue;
        if (++wrong <= 8)
            print_message("# %s function %d of %08x, %08x: got %x, expected %x\n",
                          sam_tile_dtype_name(dtype), (int)function, r->a[i], r->b[i], got, want);
    }
    return wrong;
}

static const struct {
    enum sam_tile_function function;
    enum sam_lower_routine routine;
} functions[] = {
    {SAM_TILE_FN_EXP, LOWER_EXP},
    {SAM_TILE_FN_RSQRT, LOWER_RSQRT},
    {SAM_TILE_FN_LOG, LOWER_LOG},
    {SAM_TILE_FN_EXPDIF, LOWER_EXPDIF},
};

static bool wanted(size_t function)
{
    return test_number("SAMITE_ROUTINE", function) == function;
}

static bool has_two(enum sam_tile_function function)
{
    return function == SAM_TILE_FN_EXPDIF;
}

/* The float with the bits of a 16-bit number. */
static uint32_t widened(enum sam_dtype dtype, uint32_t bits)
{
    uint16_t narrow = (uint16_t)bits;
    float value;
    sam_tile_read_reals(dtype, &narrow, 1, &value);
    return sam_f32_bits(value);
}

/* Every number of f16 and bf16; b is 0, then arbitrary. */
TEST(test_narrow)
{
    static const enum sam_dtype dtypes[] = {SAM_F16, SAM_BF16};
    uint64_t seed = test_seed();
    for (size_t f = 0; f < SAM_COUNT(functions); f++)
        for (size_t n = 0; n < SAM_COUNT(dtypes) && wanted(f); n++) {
            struct routine *r = routine_of(functions[f].routine, dtypes[n]);
            bool all = test_number("SAMITE_ALL", 0) & 2;
            uint64_t rounds = !has_two(functions[f].function) ? 1 : all ? 32768 : 12;
            size_t wrong = 0;
            for (uint64_t k = 0; k < rounds; k++) {
                for (uint32_t i = 0; i < BATCH; i++) {
                    uint32_t b = all ? (uint32_t)(2 * k + i / 65536) : (uint32_t)test_random(&seed);
                    r->a[i] = widened(dtypes[n], i);
                    r->b[i] = k || all ? widened(dtypes[n], b) : 0;
                }
                run(r);
                wrong += compare(r, functions[f].function, dtypes[n]);
            }
            assert_int_equal(wrong, 0);
            routine_free(r);
        }
}

/* The boundaries of special cases, and of results that are zero, infinite or 1. */
static const uint32_t edges[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
    0x80800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
    0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff, 0x42b17217, 0x42b17218, 0xc2aeac50,
    0xc2cff1b4, 0xc2cff1b5, 0xc2ce8ed0, 0x33800000, 0xb3000000,
};

/* A float of any exponent, more often one with a finite non-zero result. */
static uint32_t any_float(uint64_t *seed)
{
    uint64_t random = test_random(seed);
    uint32_t bits = (uint32_t)(random >> 32);
    switch (random % 8) {
    case 0: return edges[(random >> 8) % SAM_COUNT(edges)];
    case 1: return edges[(random >> 8) % (SAM_COUNT(edges) - 2)] + bits % 16 - 8;
    case 2:
    case 3: return bits;
    default: return (bits & 0x80ffffff) | (0x38 + (bits >> 24) % 12) << 24;
    }
}

/* The second operand: often so near that the difference is exact, or next to it. */
static uint32_t another_float(uint64_t *seed, uint32_t a)
{
    uint64_t random = test_random(seed);
    return random % 4 ? any_float(seed) : a + (uint32_t)(random >> 32) % 4096 - 2048;
}

TEST(test_floats)
{
    uint64_t seed = test_seed(), rounds = test_number("SAMITE_CASES", 4);
    for (size_t f = 0; f < SAM_COUNT(functions); f++) {
        if (!wanted(f))
            continue;
        struct routine *r = routine_of(functions[f].routine, SAM_F32);
        size_t wrong = 0;
        for (uint64_t k = 0; k < rounds; k++) {
            for (size_t i = 0; i < BATCH; i++) {
                r->a[i] = any_float(&seed);
                r->b[i] = another_float(&seed, r->a[i]);
            }
            run(r);
            wrong += compare(r, functions[f].function, SAM_F32);
        }
        if (!has_two(functions[f].function))
            for (uint64_t k = 0; k < (1 << 15) && test_number("SAMITE_ALL", 0) & 1; k++) {
                for (uint32_t i = 0; i < BATCH; i++)
                    r->a[i] = (uint32_t)k * BATCH + i;
                run(r);
                wrong += compare(r, functions[f].function, SAM_F32);
            }
        assert_int_equal(wrong, 0);
        routine_free(r);
    }
}

/* A precondition of the sequences of elements.c: division and root are correctly rounded. */
TEST(test_instructions)
{
    static const struct {
        enum sam_tile_function function;
        const char *lines;
    } cases[] = {
        {SAM_TILE_FN_RECIP, "li t0, 0x3f800000\nvfrdiv.vf v8, v8, t0\n"},
        {SAM_TILE_FN_SQRT, "vfsqrt.v v8, v8\n"},
        {SAM_TILE_FN_DIV, "vfdiv.vv v8, v8, v9\n"},
    };
    static const enum sam_dtype dtypes[] = {SAM_F32, SAM_F16, SAM_BF16};
    uint64_t seed = test_seed();
    for (size_t n = 0; n < SAM_COUNT(cases); n++) {
        struct routine *r = routine_new(NULL, cases[n].lines, 0);
        for (size_t k = 0; k < SAM_COUNT(dtypes); k++) {
            for (uint32_t i = 0; i < BATCH; i++) {
                bool narrow = dtypes[k] != SAM_F32;
                r->a[i] = narrow ? widened(dtypes[k], i) : any_float(&seed);
                r->b[i] =
                    narrow ? widened(dtypes[k], (uint32_t)test_random(&seed)) : any_float(&seed);
            }
            run(r);
            assert_int_equal(compare(r, cases[n].function, dtypes[k]), 0);
        }
        routine_free(r);
    }
}

/* The table holds the nearest integers: long double is off by at most one. */
TEST(test_tables)
{
    for (size_t i = 0; i < LOWER_LOG_ENTRIES; i++) {
        long double c = (long double)sam_lower_log_table[2 * i + 1] * 0x1p-15L;
        long double t = -logl(c) * 0x1p64L, got = (long double)(int64_t)sam_lower_log_table[2 * i];
        assert_true(fabsl(t - got) <= 1);
        for (uint32_t m = 0; m <= 1; m++) /* the ends of the interval */
            assert_true(fabsl((long double)(i + 181 + m) / 256 * c - 1) <= 0x1p-8L);
    }
    for (size_t i = 0; i < LOWER_EXP_ENTRIES; i++) {
        long double c = ((long double)i - 90) / 256, t = expl(c) * 0x1p63L;
        assert_true(fabsl(t - (long double)sam_lower_exp_table[i]) <= 1);
    }
}
