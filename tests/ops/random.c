/* SPDX-License-Identifier: Apache-2.0 */
/* Operators on random shapes: ranks 1 to 8, dims of 0, 1, primes and more than a block, every
 * element width. SAMITE_SEED=N runs from seed N, SAMITE_CASES=N sets how many of each operator. */

#include "test.h"

#include "operator.h"

static uint64_t seed;

static unsigned case_count(void)
{
    const char *text = getenv("SAMITE_CASES");
    return text ? (unsigned)strtoul(text, NULL, 0) : 60;
}

/* A dim: often small or 1, sometimes a prime, sometimes longer than a block in bytes. */
static uint64_t random_dim(uint64_t *r, uint64_t most)
{
    static const uint64_t primes[] = {2, 3, 5, 7, 11, 13, 17, 31, 37, 61, 127, 251, 509, 1031};
    uint64_t n;
    switch (test_below(r, 6)) {
    case 0: n = 1; break;
    case 1: n = primes[test_below(r, sizeof primes / sizeof primes[0])]; break;
    case 2: n = UINT64_C(1) << test_below(r, 11); break;
    case 3: n = 1 + test_below(r, 2000); break;
    default: n = 1 + test_below(r, 12);
    }
    return n > most ? most : n;
}

static struct sam_shape random_shape(uint64_t *r, unsigned rank, uint64_t elements)
{
    struct sam_shape shape = {.rank = rank};
    for (unsigned i = 0; i < rank; i++) {
        shape.dim[i] = random_dim(r, elements);
        elements /= shape.dim[i];
    }
    for (unsigned i = rank; i-- > 1;) { /* not always the largest first */
        uint64_t j = test_below(r, i + 1), dim = shape.dim[i];
        shape.dim[i] = shape.dim[j];
        shape.dim[j] = dim;
    }
    if (test_below(r, 40) == 0)
        shape.dim[test_below(r, rank)] = 0;
    return shape;
}

static struct test_operator random_operator(uint64_t *r, enum test_kind kind)
{
    struct test_operator op = {.kind = kind, .element = 1u << test_below(r, 6), .input_count = 1};
    unsigned rank = 1 + (unsigned)test_below(r, SAM_MAX_RANK);
    uint64_t bytes = 20000 + test_below(r, 60000);
    op.in[0] = random_shape(r, rank, op.element > 16 ? bytes : bytes / op.element);
    op.axis = (unsigned)test_below(r, rank);
    if (op.element > 16)
        op.element = SAM_PLAN_HALF_BYTES;
    return op;
}

static void each(enum test_kind kind, void (*fill)(struct test_operator *op, uint64_t *r))
{
    for (unsigned k = 0; k < case_count(); k++) {
        uint64_t r = seed + k + ((uint64_t)kind << 32);
        struct test_operator op = random_operator(&r, kind);
        fill(&op, &r);
        test_operator_check(&op, &r, NULL);
        free(op.keep);
    }
}

static void fill_reshape(struct test_operator *op, uint64_t *r)
{
    uint64_t elements = 1;
    for (unsigned i = 0; i < op->in[0].rank; i++)
        elements *= op->in[0].dim[i];
    uint64_t n = 1 + test_below(r, 30);
    op->out =
        elements % n ? (struct sam_shape){1, {elements}} : (struct sam_shape){2, {elements / n, n}};
}

static void fill_transpose(struct test_operator *op, uint64_t *r)
{
    for (unsigned i = 0; i < op->in[0].rank; i++)
        op->perm[i] = i;
    for (unsigned i = op->in[0].rank; i-- > 1;) {
        unsigned j = (unsigned)test_below(r, i + 1), was = op->perm[i];
        op->perm[i] = op->perm[j];
        op->perm[j] = was;
    }
}

static void fill_concat(struct test_operator *op, uint64_t *r)
{
    op->input_count = 1 + (unsigned)test_below(r, 4);
    for (unsigned k = 1; k < op->input_count; k++) {
        op->in[k] = op->in[0];
        op->in[k].dim[op->axis] = test_below(r, 2) ? test_below(r, 40) : op->in[0].dim[op->axis];
    }
}

static void fill_compress(struct test_operator *op, uint64_t *r)
{
    uint64_t n = op->in[0].dim[op->axis], of_ten = test_below(r, 11);
    op->keep = malloc(n + 1);
    assert_non_null(op->keep);
    for (uint64_t i = 0; i < n; i++)
        op->keep[i] = test_below(r, 10) < of_ten ? (uint8_t)(1 + test_below(r, 255)) : 0;
}

static void fill_pad(struct test_operator *op, uint64_t *r)
{
    for (unsigned i = 0; i < op->in[0].rank; i++) {
        op->before[i] = test_below(r, 2) ? test_below(r, 4) : 0;
        op->after[i] = test_below(r, 2) ? test_below(r, 4) : 0;
    }
    if (op->in[0].rank > 4) /* keep the output small */
        memset(op->before, 0, sizeof op->before);
    for (unsigned i = 0; i < sizeof op->value; i++)
        op->value[i] = test_below(r, 3) ? (uint8_t)test_random(r) : op->value[0];
}

static void fill_im2col(struct test_operator *op, uint64_t *r)
{
    struct sam_im2col *p = &op->im2col;
    p->nchw = test_below(r, 2);
    op->in[0] = (struct sam_shape){4,
                                   {1 + test_below(r, 3), 1 + test_below(r, 24),
                                    1 + test_below(r, 24), 1 + test_below(r, 24)}};
    if (test_below(r, 3) == 0) /* few channels, long rows */
        op->in[0] =
            p->nchw ? (struct sam_shape){4, {1, 1 + test_below(r, 4), 6, 40 + test_below(r, 300)}}
                    : (struct sam_shape){4, {1, 6, 40 + test_below(r, 300), 1 + test_below(r, 4)}};
    for (int i = 0; i < 2; i++) {
        uint64_t size = op->in[0].dim[(p->nchw ? 2 : 1) + i];
        p->kernel[i] = 1 + test_below(r, 7);
        p->stride[i] = 1 + test_below(r, 3);
        p->dilation[i] = test_below(r, 2) ? 1 : 1 + test_below(r, 3);
        p->pad[2 * i] = test_below(r, 4);
        p->pad[2 * i + 1] = test_below(r, 4);
        while (p->dilation[i] * (p->kernel[i] - 1) + 1 > size + p->pad[2 * i] + p->pad[2 * i + 1])
            p->kernel[i]--;
    }
}

TEST(test_reshape)
{
    each(TEST_RESHAPE, fill_reshape);
}

TEST(test_transpose)
{
    each(TEST_TRANSPOSE, fill_transpose);
}

TEST(test_concat)
{
    each(TEST_CONCAT, fill_concat);
}

TEST(test_compress)
{
    each(TEST_COMPRESS, fill_compress);
}

/* More runs of long slices than are planned one by one. */
TEST(test_compress_many_runs)
{
    uint64_t r = seed;
    for (unsigned bytes = 512; bytes <= 1024; bytes += 1 + (unsigned)test_below(&r, 200)) {
        struct test_operator op = {.kind = TEST_COMPRESS, .element = 1, .input_count = 1};
        op.in[0] = (struct sam_shape){3, {1 + test_below(&r, 2), 1100, bytes}};
        op.axis = 1;
        op.keep = malloc(1100);
        assert_non_null(op.keep);
        for (unsigned i = 0; i < 1100; i++)
            op.keep[i] = i % 2 || test_below(&r, 100) == 0;
        struct sam_plan_figures f;
        test_operator_check(&op, &r, &f);
        assert_true(f.regions <= 2);
        free(op.keep);
    }
}

TEST(test_pad)
{
    each(TEST_PAD, fill_pad);
}

TEST(test_im2col)
{
    each(TEST_IM2COL, fill_im2col);
}

/* Impossible ranks and element sizes are rejected before a shape is read. */
TEST(test_no_such_shape)
{
    const struct sam_shape fine = {.rank = 2, .dim = {2, 3}}, wide = {.rank = 100};
    const struct sam_shape inputs[][2] = {{wide, fine}, {fine, wide}};
    const uint64_t none[SAM_MAX_RANK] = {0};
    const unsigned perm[SAM_MAX_RANK] = {1, 0};
    const struct sam_im2col windows = {.kernel = {1, 1}, .stride = {1, 1}, .dilation = {1, 1}};
    const uint8_t keep[2] = {1, 1};
    struct sam_plan *plan;
    struct sam_error error;
    for (int i = 0; i < 2; i++)
        must_fail(SAM_ERR_USAGE, "a tensor of 100 dims", sam_plan_concat, inputs[i], 2, 4, 0,
                  &plan);
    assert_int_equal(sam_plan_concat(&fine, 1, 3, 0, &plan, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_plan_reshape(&wide, 4, &fine, &plan, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_plan_reshape(&fine, 4, &wide, &plan, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_plan_transpose(&wide, 4, perm, &plan, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_plan_compress(&wide, 4, 0, keep, &plan, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_plan_pad(&wide, 4, none, none, NULL, &plan, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_plan_im2col(&wide, 4, &windows, &plan, &error), SAM_ERR_USAGE);
}

PROLOGUE
{
    seed = test_seed();
}
