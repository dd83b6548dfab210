/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels on all 16-bit patterns: operations of one operand, and conversions in every mode;
 * pairs of them, and conversions of 32-bit numbers, near rounding boundaries. */
#include "kernel_run.h"
#include "vector_programs.h"

#include "tile/tile.h"

enum { ROWS = 64, COLS = 256, NUMBERS = ROWS * COLS };
static const struct vector_shape shape = {ROWS, COLS, {ROWS, COLS}, ROWS, COLS};

struct numbers {
    struct kernel_run run;
    uint64_t from;
};

/* Numbers in order. */
static uint64_t in_order(void *context, const char *name, size_t index, enum sam_dtype dtype)
{
    struct numbers *n = context;
    (void)dtype;
    return name[0] == 'd' ? 0 : n->from + index;
}

static void run(struct numbers *n, const struct vector_one *one, kernel_element *element)
{
    char text[VECTOR_ONE_TEXT];
    vector_write_one(one, &shape, text);
    kernel_run_compare(&n->run, text, ROWS, COLS, element, n);
}

static void run_all(struct numbers *n, const struct vector_one *one)
{
    for (n->from = 0; n->from < 1 << 16; n->from += NUMBERS)
        run(n, one, in_order);
}

static bool is_short(enum sam_dtype dtype)
{
    return sam_dtype_size(dtype) == 2;
}

TEST(test_one_operand)
{
    struct numbers n;
    kernel_run_open(&n.run, test_seed());
    for (unsigned code = SAM_TILE_FIRST_OP; code < SAM_TILE_CODES; code++)
        for (size_t k = 0; k < SAM_COUNT(test_dtypes); k++) {
            struct vector_one one = {.code = code, .dtype = test_dtypes[k], .to = test_dtypes[k]};
            if (sam_tile_row(code)->family == SAM_TILE_UNARY && is_short(one.dtype) &&
                vector_takes(code, one.dtype))
                run_all(&n, &one);
        }
    kernel_run_close(&n.run);
}

TEST(test_conversions)
{
    struct numbers n;
    kernel_run_open(&n.run, test_seed());
    for (size_t k = 0; k < SAM_COUNT(test_dtypes); k++)
        for (size_t to = 0; to < SAM_COUNT(test_dtypes) && is_short(test_dtypes[k]); to++)
            for (unsigned round = 0; round < vector_variants(SAM_TILE_TCVT); round++) {
                struct vector_one one = {.code = SAM_TILE_TCVT,
                                         .attribute = round,
                                         .dtype = test_dtypes[k],
                                         .to = test_dtypes[to]};
                run_all(&n, &one);
            }
    kernel_run_close(&n.run);
}

/* 32-bit numbers with few low bits set: on the midpoints of narrower formats, and one away from
 * them; as integers, of every length. */
static uint64_t near_midpoint(void *context, const char *name, size_t index, enum sam_dtype dtype)
{
    struct numbers *n = context;
    uint64_t random = test_random(&n->run.seed), bits = random >> 32;
    unsigned cut = 1 + (unsigned)(random & 0xff) % 26;
    (void)name, (void)index;
    bits = bits >> cut << cut | (random >> 8 & 1) << (cut - 1);
    bits += (random >> 9 & 3) - 1;
    if (dtype == SAM_F32 && random >> 12 & 1) /* where f16 is subnormal, ends, or overflows */
        bits = (bits & 0x807fffff) | (100 + (random >> 16) % 46) << 23;
    if (dtype != SAM_F32 && random >> 12 & 1)
        bits = (uint64_t)((int64_t)(int32_t)bits >> (random >> 16) % 32);
    return bits & UINT32_MAX;
}

TEST(test_wide_conversions)
{
    struct numbers n;
    unsigned times = (unsigned)test_number("SAMITE_CASES", 3);
    static const enum sam_dtype wide[] = {SAM_F32, SAM_I32, SAM_U32};
    kernel_run_open(&n.run, test_seed());
    for (size_t k = 0; k < SAM_COUNT(wide) * times; k++)
        for (size_t to = 0; to < SAM_COUNT(test_dtypes); to++)
            for (unsigned round = 0; round < vector_variants(SAM_TILE_TCVT); round++) {
                struct vector_one one = {.code = SAM_TILE_TCVT,
                                         .attribute = round,
                                         .dtype = wide[k % SAM_COUNT(wide)],
                                         .to = test_dtypes[to]};
                run(&n, &one, near_midpoint);
            }
    kernel_run_close(&n.run);
}

/* Any bits; products and sums of 16-bit numbers then hit all kinds of midpoints. */
static uint64_t any_bits(void *context, const char *name, size_t index, enum sam_dtype dtype)
{
    struct numbers *n = context;
    uint64_t bits = test_random(&n->run.seed);
    (void)name, (void)index;
    if (test_real(dtype) && bits >> 63) /* near 1 */
        bits = (bits & 0x83ff) | 0x3800;
    return bits & 0xffff ? bits : 1;
}

TEST(test_pairs)
{
    struct numbers n;
    unsigned times = (unsigned)test_number("SAMITE_CASES", 3);
    kernel_run_open(&n.run, test_seed());
    for (unsigned code = SAM_TILE_FIRST_OP; code < SAM_TILE_CODES; code++)
        for (size_t k = 0; k < SAM_COUNT(test_dtypes) * times; k++) {
            enum sam_dtype dtype = test_dtypes[k % SAM_COUNT(test_dtypes)];
            struct vector_one one = {.code = code, .dtype = dtype, .to = dtype};
            n.run.nan = (enum sam_tile_nan)(k % 3);
            if (sam_tile_row(code)->family == SAM_TILE_BINARY && is_short(dtype) &&
                vector_takes(code, dtype))
                run(&n, &one, any_bits);
        }
    kernel_run_close(&n.run);
}
