/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of tensors of up to 2^39 bytes, too large to run: blocks execute on symbolic bytes. A
 * register holds, for each byte, its origin in the input; each byte written by a STORE must come
 * from the origin given by plain index arithmetic. SAMITE_SEED=N runs from seed N,
 * SAMITE_CASES=N sets how many. */

#include "test.h"

#include "operator.h"
#include "ops/plan.h"

#define CONSTANT  (-1)
#define UNDEFINED (-2)

struct machine {
    const struct test_operator *op;
    const struct sam_plan *plan;
    const struct sam_plan_region *region;
    int64_t reg[SAM_PLAN_FILL + 1][SAM_PLAN_TL_BYTES];
};

static void fail_plan(const struct machine *m, const char *why)
{
    char text[256];
    test_operator_text(m->op, text, sizeof text);
    fail_msg("%s: blocks of %s: %s", text, m->region->what, why);
}

static int64_t expected_byte(const struct machine *m, uint64_t at)
{
    struct sam_shape shape = test_operator_index_shape(m->op);
    uint64_t index[SAM_MAX_RANK] = {0}, element = at / m->op->element, place = 0;
    for (unsigned i = shape.rank; i-- > 0; element /= shape.dim[i])
        index[i] = element % shape.dim[i];
    int input = test_operator_source(m->op, NULL, index, &place);
    if (input >= 0 && (unsigned)input != m->region->input)
        return UNDEFINED;
    return input < 0 ? CONSTANT : (int64_t)(place * m->op->element + at % m->op->element);
}

static void check_slices(const struct machine *m, const struct sam_block_op *op)
{
    if (op->slices == 0 || op->slices > SAM_PLAN_TL_SLICES || op->width == 0 ||
        (unsigned)op->slices * op->width > SAM_PLAN_TL_BYTES || op->stride[0] != 0)
        fail_plan(m, "slices that a register does not hold");
}

static void load(struct machine *m, const struct sam_block_op *op, int64_t base)
{
    int64_t *to = m->reg[op->rd];
    check_slices(m, op);
    for (unsigned i = 0; i < SAM_PLAN_TL_BYTES; i++)
        to[i] = UNDEFINED;
    for (unsigned i = 0; i < op->slices; i++) {
        int64_t at = base + op->offset + (int64_t)op->stride[i] * op->width;
        if (at < 0 || (uint64_t)at + op->width > m->plan->input_size[m->region->input])
            fail_plan(m, "a LOAD outside the input");
        for (unsigned k = 0; k < op->width; k++)
            *to++ = at + k;
    }
}

static void store(struct machine *m, const struct sam_block_op *op, int64_t base)
{
    check_slices(m, op);
    for (unsigned i = 0; i < op->slices; i++) {
        const int64_t *from = &m->reg[op->rs1][i * op->width];
        int64_t at = base + op->offset + (int64_t)op->stride[i] * op->width;
        if (op->masked && !(op->mask >> i & 1))
            continue;
        if (at < 0 || (uint64_t)at + op->width > m->plan->output_size)
            fail_plan(m, "a STORE outside the output");
        for (unsigned k = 0; k < op->width; k++)
            if (from[k] != expected_byte(m, (uint64_t)at + k))
                fail_plan(m, "a wrong byte");
    }
}

static void concat(struct machine *m, const struct sam_block_op *op)
{
    int64_t result[SAM_PLAN_TL_BYTES];
    uint64_t outer = 1, unit = 1, n = op->shape[op->dim];
    for (unsigned i = 0; i < 3; i++)
        *(i < op->dim ? &outer : &unit) *= i == op->dim ? 1u : op->shape[i];
    unsigned kept =
        (unsigned)__builtin_popcount(op->mask1) + (unsigned)__builtin_popcount(op->mask2);
    uint32_t both = op->mask1 | op->mask2;
    bool beyond = both && 32u - (unsigned)__builtin_clz(both) > n;
    if (n == 0 || n > SAM_PLAN_TL_SLICES || outer * n * unit > SAM_PLAN_TL_BYTES ||
        outer * unit == 0 || beyond || kept > n)
        fail_plan(m, "a CONCAT that traps");
    for (unsigned i = 0; i < SAM_PLAN_TL_BYTES; i++)
        result[i] = UNDEFINED;
    for (uint64_t row = 0; row < outer; row++) {
        int64_t *to = &result[row * n * unit];
        for (uint64_t i = 0; i < 2 * n; i++) {
            const int64_t *from = m->reg[i < n ? op->rs1 : op->rs2];
            if ((i < n ? op->mask1 : op->mask2) >> (i % n) & 1) {
                memcpy(to, &from[(row * n + i % n) * unit], unit * sizeof *to);
                to += unit;
            }
        }
    }
    memcpy(m->reg[op->rd], result, sizeof result);
}

static void xpose(struct machine *m, const struct sam_block_op *op)
{
    static int64_t from[2 * SAM_PLAN_TL_BYTES], to[2 * SAM_PLAN_TL_BYTES];
    uint64_t n[4], bytes = UINT64_C(1) << op->width_log, total = bytes;
    for (unsigned i = 0; i < 4; i++) {
        n[i] = op->shape[i];
        total *= n[i];
    }
    if (total != 2 * SAM_PLAN_TL_BYTES || n[0] % 2)
        fail_plan(m, "an XPOSE that traps");
    memcpy(from, m->reg[op->rs1], sizeof from / 2);
    memcpy(from + SAM_PLAN_TL_BYTES, m->reg[op->rs2], sizeof from / 2);
    for (uint64_t k = 0; k < total / bytes; k++) {
        uint64_t index[4], left = k, at = 0;
        for (unsigned i = 4; i-- > 0; left /= n[i])
            index[i] = left % n[i];
        for (unsigned i = 0; i < 4; i++) { /* the two dims are exchanged */
            unsigned d = i == op->dim ? op->dim2 : i == op->dim2 ? op->dim : i;
            at = at * n[d] + index[d];
        }
        memcpy(&to[at * bytes], &from[k * bytes], bytes * sizeof *to);
    }
    memcpy(m->reg[op->rs1], to, sizeof to / 2);
    memcpy(m->reg[op->rs2], to + SAM_PLAN_TL_BYTES, sizeof to / 2);
}

static void run_block(struct machine *m, int64_t in, int64_t out)
{
    for (unsigned i = 0; i < m->region->block.registers; i++)
        for (unsigned k = 0; k < SAM_PLAN_TL_BYTES; k++)
            m->reg[i][k] = UNDEFINED;
    for (unsigned k = 0; k < SAM_PLAN_TL_BYTES; k++)
        m->reg[SAM_PLAN_FILL][k] = CONSTANT;
    for (size_t i = 0; i < m->region->block.count; i++) {
        const struct sam_block_op *op = &m->region->block.ops[i];
        switch (op->kind) {
        case SAM_BLOCK_LOAD: load(m, op, in); break;
        case SAM_BLOCK_STORE: store(m, op, out); break;
        case SAM_BLOCK_CONCAT: concat(m, op); break;
        case SAM_BLOCK_XPOSE: xpose(m, op); break;
        }
    }
}

/* The first block of a region, the last, or any. */
static void run_one(struct machine *m, unsigned which, uint64_t *r)
{
    int64_t in = m->region->in, out = m->region->out;
    for (unsigned i = 0; i < m->region->loops; i++) {
        const struct sam_loop *loop = &m->region->loop[i];
        uint64_t turn = which == 0 ? 0 : which == 1 ? loop->count - 1 : test_below(r, loop->count);
        in += (int64_t)turn * loop->in;
        out += (int64_t)turn * loop->out;
    }
    run_block(m, in, out);
}

static void check(const struct test_operator *op, uint64_t *r)
{
    static struct machine m;
    struct sam_plan *plan;
    struct sam_error error;
    struct sam_plan_figures f;
    char text[256];
    test_operator_text(op, text, sizeof text);
    if (test_operator_plan(op, &plan, &error) != SAM_OK) {
        if (!strstr(error.text, "a tensor of more than")) /* the output has a limit */
            fail_msg("%s: %s", text, error.text);
        return;
    }
    m.op = op;
    m.plan = plan;
    sam_plan_count(plan, &f);
    if (f.bytes_stored < f.bound_stored || f.bytes_loaded < f.bound_loaded)
        fail_msg("%s: the plan leaves bytes out", text);
    for (size_t i = 0; i < plan->count; i++) {
        m.region = &plan->regions[i];
        for (unsigned which = 0; which < 4; which++)
            run_one(&m, which, r);
    }
    sam_plan_free(plan);
}

/* Numbers with many divisors, primes, and numbers around powers of two. */
static uint64_t random_dim(uint64_t *r, uint64_t most)
{
    static const uint64_t dims[] = {5040,     55440,      110880,      720720,      1081080,
                                    73513440, 65536,      65537,       1 << 20,     46341,
                                    1000003,  2147483647, 4294967296u, 4294967311u, 2520};
    uint64_t n = 1 + test_below(r, 40);
    if (test_below(r, 2))
        n = test_below(r, 2) ? dims[test_below(r, SAM_COUNT(dims))] : 1 + test_below(r, 1000);
    return n > most ? most : n;
}

static struct test_operator random_operator(uint64_t *r)
{
    static const enum test_kind kinds[] = {TEST_TRANSPOSE, TEST_CONCAT, TEST_PAD, TEST_IM2COL};
    struct test_operator op = {.kind = kinds[test_below(r, 4)], .input_count = 1};
    bool patches = op.kind == TEST_IM2COL;
    op.element = 1u << test_below(r, 5);
    op.in[0].rank = patches ? 4 : 1 + (unsigned)test_below(r, 6);
    uint64_t room = (UINT64_C(1) << (patches ? 34 : 39)) / op.element;
    for (unsigned i = 0; i < op.in[0].rank; i++) {
        op.in[0].dim[i] = random_dim(r, room);
        room /= op.in[0].dim[i];
    }
    op.axis = (unsigned)test_below(r, op.in[0].rank);
    op.input_count = op.kind == TEST_CONCAT ? 2 : 1;
    op.in[1] = op.in[0];
    for (unsigned i = 0; i < op.in[0].rank; i++) {
        unsigned j = (unsigned)test_below(r, i + 1);
        op.perm[i] = op.perm[j];
        op.perm[j] = i;
        op.before[i] = test_below(r, 4);
        op.after[i] = test_below(r, 2);
    }
    op.im2col.nchw = test_below(r, 2);
    for (unsigned i = 0; i < 2; i++) {
        op.im2col.kernel[i] = 1 + test_below(r, 4);
        op.im2col.stride[i] = 1 + test_below(r, 3);
        op.im2col.dilation[i] = 1 + test_below(r, 2);
        op.im2col.pad[2 * i] = op.im2col.pad[2 * i + 1] = 3; /* room for the kernel */
    }
    return op;
}

TEST(test_random_plans)
{
    uint64_t seed = test_seed(), cases = test_number("SAMITE_CASES", 60);
    for (uint64_t k = 0; k < cases; k++) {
        uint64_t r = seed + k;
        struct test_operator op = random_operator(&r);
        check(&op, &r);
    }
}

/* Both dims have more divisors than the search tries. */
TEST(test_many_divisors)
{
    uint64_t r = 1;
    struct test_operator op = {.kind = TEST_TRANSPOSE, .element = 1, .input_count = 1};
    op.in[0] = (struct sam_shape){2, {1081080, 720720}};
    op.perm[0] = 1;
    check(&op, &r);
}

/* Planned without iterating along the row. */
TEST(test_long_row)
{
    uint64_t r = 1;
    struct test_operator op = {.kind = TEST_IM2COL, .element = 2, .input_count = 1};
    op.in[0] = (struct sam_shape){4, {1, 1, UINT64_C(11021447165), 1}};
    op.im2col = (struct sam_im2col){{3, 2}, {2, 2}, {1, 1}, {1, 1, 1, 1}, false};
    check(&op, &r);
}
