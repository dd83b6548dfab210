/* SPDX-License-Identifier: Apache-2.0 */
/* samite op: options and inputs to a plan. */
#include <stdlib.h>

#include "op.h"

static struct sam_shape shape_of(const struct sam_array *array)
{
    struct sam_shape shape = {.rank = (unsigned)array->rank};
    memcpy(shape.dim, array->shape, sizeof shape.dim);
    return shape;
}

static int take_type(const struct op_request *r, size_t number, struct sam_array *array)
{
    const enum sam_dtype type = r->hint.has_type ? r->hint.type : array->dtype;
    const uint64_t bits = sam_dtype_bits(type), bytes = array->size;
    const struct op_numbers *shape = number < r->in_shapes ? &r->in_shape[number] : NULL;
    if (bits == 4 ? sam_dtype_size(array->dtype) != 1 : bits != sam_dtype_bits(array->dtype))
        return cli_usage_error(r->args,
                               "--dtype %s: %s holds %s, elements of %zu bytes: expected %s",
                               sam_dtype_name(type), r->files.items[number],
                               sam_dtype_name(array->dtype), sam_dtype_size(array->dtype),
                               bits == 4 ? "u8, two elements per byte" : "the size of the type");
    array->dtype = type;
    if (shape) {
        uint64_t count = 1;
        array->rank = shape->count;
        for (unsigned i = 0; i < shape->count; i++) {
            array->shape[i] = (uint64_t)shape->value[i];
            if (__builtin_mul_overflow(count, array->shape[i], &count) || count > 2 * bytes)
                count = UINT64_MAX;
        }
        if (count == UINT64_MAX || (count * bits + 7) / 8 != bytes)
            return cli_usage_error(r->args,
                                   "--in-shape: %s has %zu bytes, which are not that many %s",
                                   r->files.items[number], (size_t)bytes, sam_dtype_name(type));
    } else if (bits == 4 && array->rank) {
        array->shape[array->rank - 1] *= 2;
    } else if (bits == 4) {
        *array->shape = 2;
        array->rank = 1;
    }
    return CLI_OK;
}

int op_take_types(struct op_request *r)
{
    int code = CLI_OK;
    if (r->in_shapes > r->input_count)
        return cli_usage_error(r->args, "--in-shape: %zu shapes for %zu inputs", r->in_shapes,
                               r->input_count);
    r->stored = r->inputs[0].dtype;
    for (size_t i = 0; i < r->input_count && code == CLI_OK; i++)
        code = take_type(r, i, &r->inputs[i]);
    return code;
}

struct sam_array op_stored(const struct op_request *r, const struct sam_plan *plan)
{
    const struct sam_shape *shape = sam_plan_shape(plan);
    struct sam_array out = {.dtype = r->stored, .rank = shape->rank, .count = 1};
    memcpy(out.shape, shape->dim, sizeof out.shape);
    for (unsigned i = 0; i < shape->rank; i++)
        out.count *= (size_t)shape->dim[i];
    if (sam_dtype_bits(r->inputs[0].dtype) == 4) {
        const unsigned last = shape->rank ? shape->rank - 1 : 0;
        out.count = (out.count + 1) / 2;
        if (shape->rank && out.shape[last] % 2 == 0) { /* rows are whole bytes */
            out.shape[last] /= 2;
        } else {
            out.rank = 1;
            out.shape[0] = out.count;
        }
    }
    out.size = out.count * sam_dtype_size(out.dtype);
    return out;
}

/* A list with one number per dim. */
static int check_count(const struct op_request *r, const char *option,
                       const struct op_numbers *list, unsigned rank)
{
    if (list->count == rank)
        return CLI_OK;
    return cli_usage_error(r->args, "--%s has %u numbers, %s has %u dims", option, list->count,
                           r->files.items[0], rank);
}

static int plan_transpose(const struct op_request *r, const struct sam_shape *in, unsigned element,
                          struct sam_plan **plan)
{
    struct sam_error error;
    unsigned perm[SAM_MAX_RANK] = {0};
    int code = check_count(r, "perm", &r->perm, in->rank);
    for (unsigned i = 0; i < r->perm.count; i++)
        perm[i] = r->perm.value[i] > SAM_MAX_RANK ? SAM_MAX_RANK : (unsigned)r->perm.value[i];
    return code ?: cli_code(sam_plan_transpose(in, element, perm, plan, &error), &error);
}

static int plan_reshape(const struct op_request *r, const struct sam_shape *in, unsigned element,
                        struct sam_plan **plan)
{
    struct sam_error error;
    struct sam_shape out = {.rank = r->shape.count};
    uint64_t known = 1, total = 1;
    int open = -1;
    for (unsigned i = 0; i < in->rank; i++)
        total *= in->dim[i];
    for (unsigned i = 0; i < out.rank; i++) {
        if (r->shape.value[i] < 0 && open >= 0)
            return cli_usage_error(r->args, "--shape: only one dim may be -1");
        if (r->shape.value[i] < 0)
            open = (int)i;
        else if (__builtin_mul_overflow(known, (uint64_t)r->shape.value[i], &known))
            return cli_usage_error(r->args, "--shape: more than 2^64 elements");
        out.dim[i] = (uint64_t)r->shape.value[i];
    }
    if (open >= 0) {
        if (known == 0 || total % known)
            return cli_usage_error(r->args, "--shape: %llu elements do not divide by %llu",
                                   (unsigned long long)total, (unsigned long long)known);
        out.dim[open] = total / known;
    }
    return cli_code(sam_plan_reshape(in, element, &out, plan, &error), &error);
}

static int plan_compress(const struct op_request *r, const struct sam_shape *in, unsigned element,
                         unsigned axis, struct sam_plan **plan)
{
    struct sam_error error;
    struct sam_array mask;
    if (sam_npy_read(r->mask, &mask, &error) != SAM_OK)
        return cli_report(&error);
    int code = CLI_OK;
    if ((mask.dtype != SAM_BOOL && mask.dtype != SAM_U8) || mask.rank != 1)
        code = cli_usage_error(r->args, "--mask: %s holds no array of bool or u8 with one dim",
                               r->mask);
    else if (axis < in->rank && mask.count != in->dim[axis])
        code = cli_usage_error(r->args, "--mask: %s has %zu elements, axis %u has %llu indices",
                               r->mask, mask.count, axis, (unsigned long long)in->dim[axis]);
    else if (sam_plan_compress(in, element, axis, mask.data, plan, &error) != SAM_OK)
        code = cli_report(&error);
    sam_array_free(&mask);
    return code;
}

static int plan_pad(const struct op_request *r, const struct sam_shape *in, unsigned element,
                    struct sam_plan **plan)
{
    struct sam_error error;
    const struct op_numbers *after = r->after.count ? &r->after : &r->before;
    uint64_t before_n[SAM_MAX_RANK] = {0}, after_n[SAM_MAX_RANK] = {0};
    uint8_t value[16] = {0};
    int code =
        check_count(r, "before", &r->before, in->rank) ?: check_count(r, "after", after, in->rank);
    if (code == CLI_OK && r->value && !sam_dtype_parse_value(r->inputs[0].dtype, r->value, value))
        code = cli_usage_error(r->args, "--value: '%s' is no %s", r->value,
                               sam_dtype_name(r->inputs[0].dtype));
    for (unsigned i = 0; code == CLI_OK && i < in->rank; i++) {
        before_n[i] = (uint64_t)r->before.value[i];
        after_n[i] = (uint64_t)after->value[i];
    }
    return code
               ?: cli_code(sam_plan_pad(in, element, before_n, after_n, value, plan, &error),
                           &error);
}

/* Two numbers, or one for both. */
static int pair_of(const struct op_request *r, const char *option, const struct op_numbers *list,
                   uint64_t otherwise, uint64_t pair[2])
{
    if (list->count > 2)
        return cli_usage_error(r->args, "--%s: one number or two are expected, found %u", option,
                               list->count);
    pair[0] = list->count ? (uint64_t)list->value[0] : otherwise;
    pair[1] = list->count == 2 ? (uint64_t)list->value[1] : pair[0];
    return CLI_OK;
}

static int plan_im2col(const struct op_request *r, const struct sam_shape *in, unsigned element,
                       struct sam_plan **plan)
{
    struct sam_error error;
    struct sam_im2col p = {.nchw = (r->layout == OP_NCHW)};
    uint64_t both[2] = {0};
    int code = pair_of(r, "kernel", &r->kernel, 1, p.kernel)
        ?: pair_of(r, "stride", &r->stride, 1, p.stride)
        ?: pair_of(r, "dilation", &r->dilation, 1, p.dilation);
    if (code == CLI_OK && r->pad.count == 4) {
        for (unsigned i = 0; i < 4; i++)
            p.pad[i] = (uint64_t)r->pad.value[i];
    } else if (code == CLI_OK) {
        code = r->pad.count > 2 ? cli_usage_error(r->args, "--pad takes H,W or T,B,L,R")
                                : pair_of(r, "pad", &r->pad, 0, both);
        p.pad[0] = p.pad[1] = both[0];
        p.pad[2] = p.pad[3] = both[1];
    }
    return code ?: cli_code(sam_plan_im2col(in, element, &p, plan, &error), &error);
}

static int plan_concat(const struct op_request *r, unsigned element, unsigned axis,
                       struct sam_plan **plan)
{
    struct sam_error error;
    struct sam_shape *shapes = calloc(r->input_count + 1, sizeof *shapes);
    if (!shapes)
        return cli_no_memory();
    int code = CLI_OK;
    for (size_t i = 0; i < r->input_count; i++) {
        shapes[i] = shape_of(&r->inputs[i]);
        if (r->inputs[i].dtype != r->inputs[0].dtype)
            code = cli_usage_error(r->args, "%s holds %s, %s holds %s", r->files.items[i],
                                   sam_dtype_name(r->inputs[i].dtype), r->files.items[0],
                                   sam_dtype_name(r->inputs[0].dtype));
    }
    code = code
               ?: cli_code(sam_plan_concat(shapes, r->input_count, element, axis, plan, &error),
                           &error);
    free(shapes);
    return code;
}

int op_make_plan(const struct op_request *r, struct sam_plan **plan)
{
    struct sam_shape in = shape_of(&r->inputs[0]);
    const enum sam_dtype type = r->inputs[0].dtype;
    const unsigned element =
        sam_dtype_bits(type) == 4 ? SAM_PLAN_HALF_BYTES : (unsigned)sam_dtype_size(type);
    int64_t axis = r->axis < 0 ? r->axis + in.rank : r->axis;
    if (axis < 0 || axis >= (in.rank ? in.rank : 1))
        return cli_usage_error(r->args, "--axis: %s has %u dims", r->files.items[0], in.rank);
    switch (r->kind) {
    case RESHAPE: return plan_reshape(r, &in, element, plan);
    case TRANSPOSE: return plan_transpose(r, &in, element, plan);
    case IM2COL: return plan_im2col(r, &in, element, plan);
    case COMPRESS: return plan_compress(r, &in, element, (unsigned)axis, plan);
    case CONCAT: return plan_concat(r, element, (unsigned)axis, plan);
    default: return plan_pad(r, &in, element, plan);
    }
}
