/* SPDX-License-Identifier: Apache-2.0 */
/* Operators as boxes: reshape, transpose, concat, pad. */
#include <stdio.h>
#include <stdlib.h>

#include "ops/operators.h"

/* ------------------------------------------------------------------------------- shapes */

bool sam_shape_bytes(const struct sam_shape *shape, unsigned element, uint64_t *bytes)
{
    uint64_t product = element;
    bool empty = false;
    for (unsigned i = 0; i < shape->rank; i++) {
        empty |= shape->dim[i] == 0;
        if (shape->dim[i] && (__builtin_mul_overflow(product, shape->dim[i], &product) ||
                              product > SAM_PLAN_MAX_BYTES))
            return false;
    }
    *bytes = empty ? 0 : product;
    return true;
}

/* Byte stride of each dim. */
void sam_shape_steps(const struct sam_shape *shape, unsigned element, int64_t step[SAM_MAX_RANK])
{
    int64_t size = element;
    for (unsigned i = shape->rank; i-- > 0;) {
        step[i] = size;
        size *= shape->dim[i] ? (int64_t)shape->dim[i] : 1;
    }
}

void sam_shape_text(const struct sam_shape *shape, char text[SAM_SHAPE_TEXT])
{
    size_t at = (size_t)snprintf(text, SAM_SHAPE_TEXT, "[");
    for (unsigned i = 0; i < shape->rank; i++)
        at += (size_t)snprintf(text + at, SAM_SHAPE_TEXT - at, "%s%llu", i ? "," : "",
                               (unsigned long long)shape->dim[i]);
    snprintf(text + at, SAM_SHAPE_TEXT - at, "]");
}

enum sam_status sam_shape_check(const struct sam_shape *shape, unsigned element,
                                struct sam_error *error)
{
    uint64_t bytes;
    if (shape->rank > SAM_MAX_RANK)
        return sam_fail(error, SAM_ERR_USAGE, "a tensor of %u dims: at most %u", shape->rank,
                        SAM_MAX_RANK);
    if (element == 0 || element > 16 || (element & (element - 1)))
        return sam_fail(error, SAM_ERR_USAGE, "elements of %u bytes: expected 1, 2, 4, 8 or 16",
                        element);
    if (!sam_shape_bytes(shape, element, &bytes))
        return sam_fail(error, SAM_ERR_USAGE, "a tensor of more than %llu bytes",
                        (unsigned long long)SAM_PLAN_MAX_BYTES);
    return SAM_OK;
}

/* -------------------------------------------------------------------------------- plans */

enum sam_status sam_plan_new(const struct sam_shape *in, size_t inputs, const struct sam_shape *out,
                             unsigned element, struct sam_plan **plan, struct sam_error *error)
{
    *plan = NULL;
    for (size_t i = 0; i < inputs; i++) {
        enum sam_status status = sam_shape_check(&in[i], element, error);
        if (status != SAM_OK)
            return status;
    }
    enum sam_status status = sam_shape_check(out, element, error);
    if (status != SAM_OK)
        return status;
    struct sam_plan *p = sam_alloc(1, sizeof *p);
    if (!p || !(p->input_size = sam_alloc(inputs, sizeof *p->input_size))) {
        free(p);
        return sam_fail_memory(error);
    }
    p->inputs = (unsigned)inputs;
    p->element = element;
    p->shape = *out;
    for (size_t i = 0; i < inputs; i++) {
        sam_shape_bytes(&in[i], element, &p->input_size[i]);
        p->bound_loaded += p->input_size[i];
    }
    sam_shape_bytes(out, element, &p->output_size);
    p->bound_stored = p->output_size;
    *plan = p;
    return SAM_OK;
}

void sam_plan_free(struct sam_plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->count; i++) {
        sam_block_clear(&plan->regions[i].block);
        free(plan->regions[i].table);
    }
    free(plan->regions);
    free(plan->split);
    free(plan->input_size);
    free(plan);
}

const struct sam_shape *sam_plan_shape(const struct sam_plan *plan)
{
    return &plan->shape;
}

uint64_t sam_plan_scratch(const struct sam_plan *plan)
{
    return plan->scratch;
}

enum sam_status sam_plan_finish(struct sam_plan **plan, enum sam_status status)
{
    if (status != SAM_OK) {
        sam_plan_free(*plan);
        *plan = NULL;
    }
    return status;
}

/* ---------------------------------------------------------------------------- operators */

enum sam_status sam_plan_reshape(const struct sam_shape *in, unsigned element,
                                 const struct sam_shape *out, struct sam_plan **plan,
                                 struct sam_error *error)
{
    if (plan)
        *plan = NULL;
    if (SAM_LACKS(error, in, out, plan))
        return SAM_ERR_USAGE;
    if (element == SAM_PLAN_HALF_BYTES)
        return sam_plan_halves_reshape(in, out, plan, error);
    char from[SAM_SHAPE_TEXT], to[SAM_SHAPE_TEXT];
    enum sam_status status = sam_plan_new(in, 1, out, element, plan, error);
    if (status != SAM_OK)
        return status;
    struct sam_plan *p = *plan;
    sam_shape_text(in, from);
    sam_shape_text(out, to);
    snprintf(p->name, sizeof p->name, "reshape %s to %s", from, to);
    if (p->input_size[0] != p->output_size)
        status = sam_fail(error, SAM_ERR_USAGE, "reshape %s to %s: %llu elements are not %llu",
                          from, to, (unsigned long long)(p->input_size[0] / element),
                          (unsigned long long)(p->output_size / element));
    struct sam_box box = {.unit = element, .rank = 1};
    box.dim[0] = (struct sam_dim){p->output_size / element, element, element};
    if (status == SAM_OK)
        status = sam_plan_box(p, &box, error);
    return sam_plan_finish(plan, status);
}

enum sam_status sam_plan_transpose(const struct sam_shape *in, unsigned element,
                                   const unsigned perm[SAM_MAX_RANK], struct sam_plan **plan,
                                   struct sam_error *error)
{
    if (plan)
        *plan = NULL;
    if (SAM_LACKS(error, in, perm, plan))
        return SAM_ERR_USAGE;
    if (element == SAM_PLAN_HALF_BYTES)
        return sam_plan_halves_transpose(in, perm, plan, error);
    struct sam_shape out = {.rank = in->rank};
    int64_t from[SAM_MAX_RANK] = {0}, to[SAM_MAX_RANK] = {0};
    char shape[SAM_SHAPE_TEXT];
    unsigned seen = 0;
    enum sam_status status = sam_shape_check(in, element, error);
    if (status != SAM_OK)
        return status;
    for (unsigned i = 0; i < in->rank; i++) {
        if (perm[i] >= in->rank || (seen & 1u << perm[i]))
            return sam_fail(error, SAM_ERR_USAGE,
                            "transpose: the permutation must name each of 0..%u once",
                            in->rank - 1);
        seen |= 1u << perm[i];
        out.dim[i] = in->dim[perm[i]];
    }
    status = sam_plan_new(in, 1, &out, element, plan, error);
    if (status != SAM_OK)
        return status;
    struct sam_box box = {.unit = element, .rank = in->rank};
    sam_shape_steps(in, element, from);
    sam_shape_steps(&out, element, to);
    sam_shape_text(in, shape);
    size_t at = (size_t)snprintf((*plan)->name, sizeof(*plan)->name, "transpose %s by ", shape);
    for (unsigned i = 0; i < in->rank; i++) {
        box.dim[i] = (struct sam_dim){out.dim[i], from[perm[i]], to[i]};
        at += (size_t)snprintf((*plan)->name + at, sizeof(*plan)->name - at, "%s%u", i ? "," : "",
                               perm[i]);
    }
    return sam_plan_finish(plan, sam_plan_box(*plan, &box, error));
}

enum sam_status sam_plan_concat(const struct sam_shape *in, size_t count, unsigned element,
                                unsigned axis, struct sam_plan **plan, struct sam_error *error)
{
    if (plan)
        *plan = NULL;
    if (SAM_LACKS(error, in, plan))
        return SAM_ERR_USAGE;
    if (element == SAM_PLAN_HALF_BYTES)
        return sam_plan_halves_concat(in, count, axis, plan, error);
    char first[SAM_SHAPE_TEXT], other[SAM_SHAPE_TEXT];
    int64_t from[SAM_MAX_RANK] = {0}, to[SAM_MAX_RANK] = {0};
    if (count == 0 || count > SAM_PLAN_INPUTS)
        return sam_fail(error, SAM_ERR_USAGE, "concat: %zu inputs: expected 1 to %d", count,
                        SAM_PLAN_INPUTS);
    for (size_t i = 0; i < count; i++)
        if (sam_shape_check(&in[i], element, error) != SAM_OK)
            return SAM_ERR_USAGE;
    struct sam_shape out = in[0];
    sam_shape_text(&in[0], first);
    if (axis >= in[0].rank)
        return sam_fail(error, SAM_ERR_USAGE, "concat: %s has no axis %u", first, axis);
    for (size_t i = 1; i < count; i++) {
        bool same = in[i].rank == out.rank;
        for (unsigned k = 0; same && k < out.rank; k++)
            same = k == axis || in[i].dim[k] == out.dim[k];
        sam_shape_text(&in[i], other);
        if (!same)
            return sam_fail(error, SAM_ERR_USAGE,
                            "concat: input %zu is %s, the first is %s: only axis %u may differ", i,
                            other, first, axis);
        if (__builtin_add_overflow(out.dim[axis], in[i].dim[axis], &out.dim[axis]))
            return sam_fail(error, SAM_ERR_USAGE, "concat: axis %u grows beyond 2^64", axis);
    }
    enum sam_status status = sam_plan_new(in, count, &out, element, plan, error);
    if (status != SAM_OK)
        return status;
    snprintf((*plan)->name, sizeof(*plan)->name, "concat of %zu along %u, first %s", count, axis,
             first);
    sam_shape_steps(&out, element, to);
    int64_t offset = 0;
    for (size_t i = 0; i < count && status == SAM_OK; i++) {
        struct sam_box box = {.unit = element, .rank = out.rank, .input = (unsigned)i};
        sam_shape_steps(&in[i], element, from);
        for (unsigned k = 0; k < out.rank; k++)
            box.dim[k] = (struct sam_dim){in[i].dim[k], from[k], to[k]};
        box.out = offset;
        offset += (int64_t)in[i].dim[axis] * to[axis];
        status = sam_plan_box(*plan, &box, error);
    }
    return sam_plan_finish(plan, status);
}

enum sam_status sam_plan_pad(const struct sam_shape *in, unsigned element,
                             const uint64_t before[SAM_MAX_RANK],
                             const uint64_t after[SAM_MAX_RANK], const void *value,
                             struct sam_plan **plan, struct sam_error *error)
{
    if (plan)
        *plan = NULL;
    if (SAM_LACKS(error, in, before, after, plan))
        return SAM_ERR_USAGE;
    if (element == SAM_PLAN_HALF_BYTES)
        return sam_plan_halves_pad(in, before, after, value, plan, error);
    struct sam_shape out = *in;
    int64_t from[SAM_MAX_RANK] = {0}, to[SAM_MAX_RANK] = {0};
    char shape[SAM_SHAPE_TEXT];
    enum sam_status status = sam_shape_check(in, element, error);
    if (status != SAM_OK)
        return status;
    for (unsigned i = 0; i < in->rank; i++)
        if (__builtin_add_overflow(out.dim[i], before[i], &out.dim[i]) ||
            __builtin_add_overflow(out.dim[i], after[i], &out.dim[i]))
            return sam_fail(error, SAM_ERR_USAGE, "pad: dim %u grows beyond 2^64", i);
    status = sam_plan_new(in, 1, &out, element, plan, error);
    if (status != SAM_OK)
        return status;
    struct sam_plan *p = *plan;
    sam_shape_text(in, shape);
    snprintf(p->name, sizeof p->name, "pad %s", shape);
    if (value)
        memcpy(p->fill, value, element);
    sam_shape_steps(in, element, from);
    sam_shape_steps(&out, element, to);
    struct sam_box copy = {.unit = element, .rank = in->rank}, frame = copy;
    for (unsigned i = 0; i < in->rank; i++) {
        copy.dim[i] = (struct sam_dim){in->dim[i], from[i], to[i]};
        copy.out += (int64_t)before[i] * to[i];
        frame.dim[i] = (struct sam_dim){out.dim[i], 0, to[i]};
    }
    status = sam_plan_box(p, &copy, error);
    /* The border: before and after along each dim, within the input's extent along the preceding
     * dims. */
    for (unsigned i = 0; i < in->rank && status == SAM_OK; i++) {
        struct sam_box side = frame;
        side.dim[i].n = before[i];
        status = sam_plan_fill(p, &side, error);
        side.dim[i].n = after[i];
        side.out += (int64_t)(before[i] + in->dim[i]) * to[i];
        if (status == SAM_OK)
            status = sam_plan_fill(p, &side, error);
        frame.dim[i].n = in->dim[i];
        frame.out += (int64_t)before[i] * to[i];
    }
    return sam_plan_finish(plan, status);
}
