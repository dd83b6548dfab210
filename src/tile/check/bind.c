/* SPDX-License-Identifier: Apache-2.0 */
#include "tile/check/bind.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns whether elements of dtype `given`, of an array or scalar, represent elements of `dtype`.
 */
static bool represents(enum sam_dtype given, enum sam_dtype dtype)
{
    return given == sam_dtype_npy(dtype) || (given == dtype && !sam_tile_is_paired(dtype));
}

enum sam_status sam_tile_bind_array(const char *name, enum sam_dtype dtype,
                                    const struct sam_array *array, struct sam_error *error)
{
    uint64_t count = 1;
    bool whole = array->rank <= SAM_COUNT(array->shape);
    for (size_t i = 0; whole && i < array->rank; i++)
        whole = !__builtin_mul_overflow(count, array->shape[i], &count);
    if (!whole || count != array->count || (count && !array->data))
        return sam_fail(error, SAM_ERR_USAGE,
                        "%%%s: an array of rank %zu, %zu elements and %s does not fit its shape",
                        name, array->rank, array->count, array->data ? "data" : "no data");
    if (represents(array->dtype, dtype))
        return SAM_OK;
    bool as_bits = sam_dtype_npy(dtype) != dtype;
    return sam_fail(error, SAM_ERR_INPUT, "%%%s is of %s%s%s%s: found an array of %s", name,
                    sam_tile_dtype_name(dtype), as_bits ? " (as " : "",
                    as_bits ? sam_dtype_name(sam_dtype_npy(dtype)) : "", as_bits ? ")" : "",
                    sam_dtype_name(array->dtype));
}

enum sam_status sam_tile_bind_shape(const char *name, struct sam_tile_type *type,
                                    const struct sam_array *array, struct sam_error *error)
{
    uint64_t rows = 1, cols = array->rank ? array->shape[array->rank - 1] : 1;
    for (size_t i = 0; i + 1 < array->rank; i++)
        rows *= array->shape[i];
    const bool pairs = sam_tile_is_paired(type->dtype) && array->dtype != type->dtype;
    if (pairs && cols <= UINT32_MAX) /* the last one of a row may be half */
        cols = 2 * cols - (type->valid_cols % 2 != 0 && type->valid_cols > 0 && cols);
    if (type->valid_rows == SAM_TILE_DYNAMIC && rows <= type->rows)
        type->valid_rows = (int64_t)rows;
    if (type->valid_cols == SAM_TILE_DYNAMIC && cols <= type->cols)
        type->valid_cols = (int64_t)cols;
    bool flat =
        array->rank == 1 &&
        array->count == (uint64_t)type->valid_rows *
                            (pairs ? sam_tile_length(type->dtype, (uint64_t)type->valid_cols)
                                   : (uint64_t)type->valid_cols);
    if (flat || ((uint64_t)type->valid_rows == rows && (uint64_t)type->valid_cols == cols))
        return SAM_OK;
    return sam_fail(error, SAM_ERR_INPUT,
                    "%%%s holds %" PRId64 "x%" PRId64 " elements: found an array of %" PRIu64
                    "x%" PRIu64,
                    name, type->valid_rows, type->valid_cols, rows, cols);
}

enum sam_status sam_tile_bind_scalar(const struct sam_tile_program *p, uint32_t value,
                                     const struct sam_tile_argument *a, int64_t *number,
                                     struct sam_error *error)
{
    const struct sam_tile_ty *type = sam_tile_ty(p, value);
    const char *name = p->values[value].name;
    bool wide = type->kind == SAM_TILE_KIND_INDEX || type->kind == SAM_TILE_KIND_BOOL;
    if (!a->is_scalar)
        return sam_fail(error, SAM_ERR_INPUT, "%%%s is a scalar: expected a value", name);
    const enum sam_dtype_class class_ = sam_dtype_class(a->dtype);
    const size_t size = sam_dtype_size(a->dtype);
    const bool real = class_ == SAM_CLASS_FLOAT;
    if (!wide && !represents(a->dtype, type->dtype))
        return sam_fail(error, SAM_ERR_INPUT, "%%%s is of %s: found a scalar of %s", name,
                        sam_tile_dtype_name(type->dtype), sam_dtype_name(a->dtype));
    if (wide && (real || class_ == SAM_CLASS_OPAQUE || !size))
        return sam_fail(error, SAM_ERR_INPUT, "%%%s is an integer: found a scalar of %s", name,
                        sam_dtype_name(a->dtype));
    *number = (int64_t)a->bits;
    if (!real && size < 8) { /* sign- or zero-extend */
        unsigned shift = (unsigned)(64 - 8 * size);
        *number = class_ == SAM_CLASS_INT ? (int64_t)(a->bits << shift) >> shift
                                          : (int64_t)(a->bits << shift >> shift);
    }
    return SAM_OK;
}

enum sam_status sam_tile_bind_kind(const struct sam_tile_program *p, uint32_t value,
                                   const struct sam_tile_argument *a, struct sam_error *error)
{
    const char *name = p->values[value].name;
    switch (sam_tile_ty(p, value)->kind) {
    case SAM_TILE_KIND_PTR:
        if (!a->array)
            return sam_fail(error, SAM_ERR_INPUT, "%%%s is a pointer: expected an array", name);
        return SAM_OK;
    case SAM_TILE_KIND_TILE:
        if (!a->array && a->is_scalar)
            return sam_fail(error, SAM_ERR_INPUT,
                            "%%%s is a tile: expected an array, found a scalar", name);
        return SAM_OK;
    case SAM_TILE_KIND_INDEX:
    case SAM_TILE_KIND_BOOL:
    case SAM_TILE_KIND_SCALAR: return SAM_OK;
    default: return sam_fail(error, SAM_ERR_INPUT, "%%%s cannot be an argument", name);
    }
}

/* Returns whether an argument has the name of a parameter. */
static bool is_named(const char *parameter, const struct sam_tile_argument *arguments, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (arguments[i].name && strcmp(arguments[i].name, parameter) == 0)
            return true;
    return false;
}

/* Find the value that argument `index` binds to: the one with its name (for an output of bare
 * operations, any tile), otherwise the next parameter that no argument names. In a function, an
 * argument name that matches no parameter is only a label. */
static uint32_t find_value(const struct sam_tile_program *p, const struct sam_tile_func *f,
                           const struct sam_tile_argument *arguments, size_t count, size_t index,
                           size_t *next)
{
    const struct sam_tile_argument *a = &arguments[index];
    for (uint32_t i = 0; a->name && i < f->arg_count; i++)
        if (strcmp(p->values[p->ids[f->args + i]].name, a->name) == 0)
            return p->ids[f->args + i];
    for (uint32_t i = 0; a->name && f->bare && a->output && i < f->value_count; i++)
        if (strcmp(p->values[f->first_value + i].name, a->name) == 0 &&
            p->values[f->first_value + i].type.kind == SAM_TILE_KIND_TILE)
            return f->first_value + i;
    if (a->name && f->bare)
        return SAM_TILE_NONE;
    while (*next < f->arg_count &&
           is_named(p->values[p->ids[f->args + *next]].name, arguments, count))
        ++*next;
    return *next < f->arg_count ? p->ids[f->args + (*next)++] : SAM_TILE_NONE;
}

/* Report more arguments than the function has. */
static enum sam_status too_many(const struct sam_tile_program *p, const struct sam_tile_func *f,
                                size_t count, struct sam_error *error)
{
    char names[400] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < f->arg_count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%%%s", i ? ", " : ": ",
                                 p->values[p->ids[f->args + i]].name);
    return sam_fail(error, SAM_ERR_INPUT, "%s%s has %" PRIu32 " argument%s%s; %zu given",
                    f->bare ? "the program" : "@", f->name, f->arg_count,
                    f->arg_count == 1 ? "" : "s", names, count);
}

enum sam_status sam_tile_bind_values(const struct sam_tile_program *p,
                                     const struct sam_tile_func *f,
                                     const struct sam_tile_argument *arguments, size_t count,
                                     uint32_t *values, struct sam_error *error)
{
    size_t next = 0;
    bool *bound = sam_alloc(f->value_count + 1, sizeof *bound);
    enum sam_status status = bound ? SAM_OK : sam_fail_memory(error);
    for (size_t i = 0; i < count && status == SAM_OK; i++) {
        values[i] = find_value(p, f, arguments, count, i, &next);
        if (values[i] == SAM_TILE_NONE && arguments[i].name && f->bare)
            status = sam_fail(error, SAM_ERR_INPUT, "unknown argument %%%s", arguments[i].name);
        else if (values[i] == SAM_TILE_NONE)
            status = too_many(p, f, count, error);
        else if (bound[values[i] - f->first_value])
            status =
                sam_fail(error, SAM_ERR_INPUT, "%%%s is given twice", p->values[values[i]].name);
        else if (arguments[i].inout && !sam_tile_is_argument(p, values[i]))
            status = sam_fail(
                error, SAM_ERR_INPUT,
                "%%%s is computed by the program: it can be an output, but not an input as well",
                p->values[values[i]].name);
        else if (sam_tile_is_argument(p, values[i]))
            status = sam_tile_bind_kind(p, values[i], &arguments[i], error);
        if (status == SAM_OK)
            bound[values[i] - f->first_value] = true;
    }
    for (uint32_t i = 0; i < f->arg_count && status == SAM_OK; i++) {
        uint32_t value = p->ids[f->args + i];
        if (!bound[value - f->first_value] && sam_tile_ty(p, value)->kind != SAM_TILE_KIND_TILE)
            status =
                sam_fail(error, SAM_ERR_INPUT, "argument %%%s is not given", p->values[value].name);
    }
    free(bound);
    return status;
}

void sam_tile_bind_keep(const struct sam_tile_program *p, const struct sam_tile_func *f,
                        struct sam_tile_flow *flow, const struct sam_tile_argument *arguments,
                        size_t count, const uint32_t *values)
{
    for (size_t i = 0; i < count; i++) {
        if (!arguments[i].output || sam_tile_ty(p, values[i])->kind != SAM_TILE_KIND_TILE)
            continue;
        uint32_t root = flow->root[values[i] - f->first_value] - f->first_value;
        flow->life[root].first = 0;
        flow->life[root].last = flow->last;
    }
}

bool sam_tile_stored_input(const struct sam_tile_program *p, size_t function,
                           const struct sam_tile_argument *arguments, size_t count,
                           size_t *argument, uint32_t *line)
{
    struct sam_error error;
    uint32_t *values = sam_alloc(count + 1, sizeof *values);
    bool found = false;
    if (values && p && function < p->func_count &&
        sam_tile_bind_values(p, &p->funcs[function], arguments, count, values, &error) == SAM_OK)
        for (size_t i = 0; i < p->op_count && !found; i++) {
            const struct sam_tile_op *op = &p->ops[i];
            const uint32_t window = op->code < SAM_TILE_FIRST_OP
                                        ? SAM_TILE_NONE
                                        : sam_tile_window_written(sam_tile_row(op->code));
            if (window == SAM_TILE_NONE)
                continue;
            const uint32_t at = sam_tile_pointer_of(p, sam_tile_arg(p, op, window));
            for (size_t k = 0; k < count && !found; k++)
                if (values[k] == at && !arguments[k].output) {
                    *argument = k;
                    *line = op->pos.line;
                    found = true;
                }
        }
    free(values);
    return found;
}
