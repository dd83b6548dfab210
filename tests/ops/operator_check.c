/* SPDX-License-Identifier: Apache-2.0 */

#include "test.h"

#include "operator.h"

static uint64_t elements_of(const struct sam_shape *shape)
{
    uint64_t count = 1;
    for (unsigned i = 0; i < shape->rank; i++)
        count *= shape->dim[i];
    return count;
}

static uint64_t at(const struct sam_shape *shape, const uint64_t index[SAM_MAX_RANK])
{
    uint64_t place = 0;
    for (unsigned i = 0; i < shape->rank; i++)
        place = place * shape->dim[i] + index[i];
    return place;
}

/* The next index, row-major; false after the last. */
static bool next_index(const struct sam_shape *shape, uint64_t index[SAM_MAX_RANK])
{
    for (unsigned i = shape->rank; i-- > 0;) {
        if (++index[i] < shape->dim[i])
            return true;
        index[i] = 0;
    }
    return false;
}

int test_operator_source(const struct test_operator *op, const uint64_t *kept,
                         const uint64_t index[SAM_MAX_RANK], uint64_t *place)
{
    uint64_t from[SAM_MAX_RANK] = {0};
    const struct sam_shape *in = &op->in[0];
    memcpy(from, index, sizeof from);
    switch (op->kind) {
    case TEST_RESHAPE: *place = at(&op->out, index); return 0;
    case TEST_TRANSPOSE:
        for (unsigned i = 0; i < in->rank; i++)
            from[op->perm[i]] = index[i];
        break;
    case TEST_CONCAT:
        for (unsigned k = 0; k < op->input_count; k++) {
            if (from[op->axis] < op->in[k].dim[op->axis]) {
                *place = at(&op->in[k], from);
                return (int)k;
            }
            from[op->axis] -= op->in[k].dim[op->axis];
        }
        fail();
        break;
    case TEST_COMPRESS: from[op->axis] = kept[index[op->axis]]; break;
    case TEST_PAD:
        for (unsigned i = 0; i < in->rank; i++) {
            if (index[i] < op->before[i] || index[i] >= op->before[i] + in->dim[i])
                return -1;
            from[i] = index[i] - op->before[i];
        }
        break;
    case TEST_IM2COL: {
        /* Here `index` is (n, oh, ow, kh, kw, c) or (n, c, kh, kw, oh, ow). */
        const struct sam_im2col *p = &op->im2col;
        bool nchw = p->nchw;
        uint64_t oh = index[nchw ? 4 : 1], ow = index[nchw ? 5 : 2];
        uint64_t kh = index[nchw ? 2 : 3], kw = index[nchw ? 3 : 4], c = index[nchw ? 1 : 5];
        uint64_t h = oh * p->stride[0] + kh * p->dilation[0] - p->pad[0];
        uint64_t w = ow * p->stride[1] + kw * p->dilation[1] - p->pad[2];
        if (h >= in->dim[nchw ? 2 : 1] || w >= in->dim[nchw ? 3 : 2]) /* below 0 wraps */
            return -1;
        from[0] = index[0];
        from[1] = nchw ? c : h;
        from[2] = nchw ? h : w;
        from[3] = nchw ? w : c;
        break;
    }
    }
    *place = at(in, from);
    return 0;
}

struct sam_shape test_operator_index_shape(const struct test_operator *op)
{
    struct sam_shape out = op->in[0];
    switch (op->kind) {
    case TEST_RESHAPE: return op->out;
    case TEST_TRANSPOSE:
        for (unsigned i = 0; i < out.rank; i++)
            out.dim[i] = op->in[0].dim[op->perm[i]];
        return out;
    case TEST_CONCAT:
        for (unsigned k = 1; k < op->input_count; k++)
            out.dim[op->axis] += op->in[k].dim[op->axis];
        return out;
    case TEST_COMPRESS:
        out.dim[op->axis] = 0;
        for (uint64_t j = 0; j < op->in[0].dim[op->axis]; j++)
            out.dim[op->axis] += op->keep[j] != 0;
        return out;
    case TEST_PAD:
        for (unsigned i = 0; i < out.rank; i++)
            out.dim[i] += op->before[i] + op->after[i];
        return out;
    case TEST_IM2COL: break;
    }
    const struct sam_im2col *p = &op->im2col;
    uint64_t o[2];
    for (int i = 0; i < 2; i++) {
        uint64_t size = op->in[0].dim[(p->nchw ? 2 : 1) + i];
        o[i] =
            (size + p->pad[2 * i] + p->pad[2 * i + 1] - p->dilation[i] * (p->kernel[i] - 1) - 1) /
                p->stride[i] +
            1;
    }
    uint64_t n = op->in[0].dim[0], c = op->in[0].dim[p->nchw ? 1 : 3];
    uint64_t kh = p->kernel[0], kw = p->kernel[1];
    return p->nchw ? (struct sam_shape){6, {n, c, kh, kw, o[0], o[1]}}
                   : (struct sam_shape){6, {n, o[0], o[1], kh, kw, c}};
}

static uint64_t bytes_of(const struct test_operator *op, uint64_t elements)
{
    return op->element == SAM_PLAN_HALF_BYTES ? (elements + 1) / 2 : elements * op->element;
}

static void copy_element(const struct test_operator *op, uint8_t *to, uint64_t n,
                         const uint8_t *from, uint64_t place)
{
    if (op->element == SAM_PLAN_HALF_BYTES) {
        unsigned half = from[place / 2] >> place % 2 * 4 & 15;
        to[n / 2] = (uint8_t)(n % 2 ? to[n / 2] | half << 4 : half);
    } else {
        memcpy(to + n * op->element, from + place * op->element, op->element);
    }
}

static void write_expected(const struct test_operator *op, uint8_t *const *in, uint8_t *out)
{
    struct sam_shape shape = test_operator_index_shape(op);
    uint64_t index[SAM_MAX_RANK] = {0}, place = 0, done = 0, *kept = NULL;
    if (elements_of(&shape) == 0)
        return;
    if (op->kind == TEST_COMPRESS) {
        uint64_t n = 0;
        kept = test_room(shape.dim[op->axis] * sizeof *kept);
        for (uint64_t j = 0; j < op->in[0].dim[op->axis]; j++)
            if (op->keep[j])
                kept[n++] = j;
    }
    do {
        int input = test_operator_source(op, kept, index, &place);
        copy_element(op, out, done++, input < 0 ? op->value : in[input], input < 0 ? 0 : place);
    } while (next_index(&shape, index));
    free(kept);
}

void test_operator_check(const struct test_operator *op, uint64_t *random,
                         struct sam_plan_figures *figures)
{
    struct sam_error error = {0};
    struct sam_plan *plan;
    struct sam_plan_figures counted;
    char text[256];
    uint8_t *in[4] = {NULL};
    test_operator_text(op, text, sizeof text);
    if (test_operator_plan(op, &plan, &error) != SAM_OK)
        fail_msg("%s: plan: %s", text, error.text);
    struct sam_shape shape = test_operator_index_shape(op);
    uint64_t size = bytes_of(op, elements_of(&shape));
    assert_int_equal(elements_of(sam_plan_shape(plan)), elements_of(&shape));
    unsigned inputs = op->kind == TEST_CONCAT ? op->input_count : 1;
    for (unsigned k = 0; k < inputs; k++) {
        uint64_t bytes = bytes_of(op, elements_of(&op->in[k]));
        in[k] = malloc(bytes + 8);
        assert_non_null(in[k]);
        for (uint64_t i = 0; i < bytes; i++)
            in[k][i] = (uint8_t)test_random(random);
    }
    FREED uint8_t *expected = test_room(size + 1), *out = malloc(size + 1);
    assert_non_null(out);
    memset(out, 0xa5, size + 1);
    write_expected(op, in, expected);
    if (sam_plan_run(plan, (const void *const *)in, out, NULL, &error) != SAM_OK)
        fail_msg("%s: run: %s", text, error.text);
    for (uint64_t i = 0; i < size; i++)
        if (out[i] != expected[i])
            fail_msg("%s: byte %" PRIu64 " of %" PRIu64 " is %02x, expected %02x", text, i, size,
                     out[i], expected[i]);
    assert_int_equal(out[size], 0xa5);
    sam_plan_count(plan, &counted);
    /* The lower bound of every plan. */
    assert_true(counted.bytes_loaded >= counted.bound_loaded);
    assert_true(counted.bytes_stored >= counted.bound_stored);
    assert_int_equal(counted.bound_stored, size);
    if (figures)
        *figures = counted;
    for (unsigned k = 0; k < inputs; k++)
        free(in[k]);
    sam_plan_free(plan);
}
