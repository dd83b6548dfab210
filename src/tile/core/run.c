/* SPDX-License-Identifier: Apache-2.0 */
/* A function with its arguments: checked, placed, run. */
#include <inttypes.h>
#include <stdlib.h>

#include "tile/core/exec.h"

size_t sam_tile_function_count(const struct sam_tile_program *p)
{
    return p->func_count;
}

const char *sam_tile_function_name(const struct sam_tile_program *p, size_t index)
{
    return index < p->func_count ? p->funcs[index].name : "";
}

int sam_tile_function_find(const struct sam_tile_program *p, const char *name)
{
    for (size_t i = 0; i < p->func_count; i++)
        if (strcmp(p->funcs[i].name, name) == 0)
            return (int)i;
    return -1;
}

size_t sam_tile_argument_count(const struct sam_tile_program *p, size_t function)
{
    return function < p->func_count ? p->funcs[function].arg_count : 0;
}

const char *sam_tile_argument_name(const struct sam_tile_program *p, size_t function, size_t index)
{
    bool there = index < sam_tile_argument_count(p, function);
    return there ? p->values[p->ids[p->funcs[function].args + index]].name : "";
}

/* Whether elements of type `given`, of an array or scalar, represent elements of `dtype`. */
static bool represents(enum sam_dtype given, enum sam_dtype dtype)
{
    return given == dtype || given == sam_dtype_npy(dtype);
}

static enum sam_status check_array(struct sam_tile_exec *x, const char *name, enum sam_dtype dtype,
                                   const struct sam_array *array)
{
    uint64_t count = 1;
    bool whole = array->rank <= SAM_COUNT(array->shape);
    for (size_t i = 0; whole && i < array->rank; i++)
        whole = !__builtin_mul_overflow(count, array->shape[i], &count);
    if (!whole || count != array->count || (count && !array->data))
        return sam_fail(x->error, SAM_ERR_USAGE,
                        "%%%s: an array of rank %zu, %zu elements and %s does not fit its shape",
                        name, array->rank, array->count, array->data ? "data" : "no data");
    if (represents(array->dtype, dtype))
        return SAM_OK;
    bool as_bits = sam_dtype_npy(dtype) != dtype;
    return sam_fail(x->error, SAM_ERR_INPUT, "%%%s is of %s%s%s%s: found an array of %s", name,
                    sam_tile_dtype_name(dtype), as_bits ? " (as " : "",
                    as_bits ? sam_dtype_name(sam_dtype_npy(dtype)) : "", as_bits ? ")" : "",
                    sam_dtype_name(array->dtype));
}

/* The array has the shape of the valid rectangle, or one dimension with as many elements; a `?`
 * takes the size of the array. */
static enum sam_status check_shape(struct sam_tile_exec *x, uint32_t value,
                                   const struct sam_array *array)
{
    struct sam_tile_ref *t = &sam_tile_slot(x, value)->tile;
    uint64_t rows = 1, cols = array->rank ? array->shape[array->rank - 1] : 1;
    for (size_t i = 0; i + 1 < array->rank; i++)
        rows *= array->shape[i];
    if (t->type.valid_rows == SAM_TILE_DYNAMIC && rows <= t->type.rows)
        t->type.valid_rows = (int64_t)rows;
    if (t->type.valid_cols == SAM_TILE_DYNAMIC && cols <= t->type.cols)
        t->type.valid_cols = (int64_t)cols;
    bool flat = array->rank == 1 &&
                array->count == (uint64_t)t->type.valid_rows * (uint64_t)t->type.valid_cols;
    if (flat || ((uint64_t)t->type.valid_rows == rows && (uint64_t)t->type.valid_cols == cols))
        return SAM_OK;
    return sam_fail(x->error, SAM_ERR_INPUT,
                    "%%%s holds %" PRId64 "x%" PRId64 " elements: found an array of %" PRIu64
                    "x%" PRIu64,
                    t->name, t->type.valid_rows, t->type.valid_cols, rows, cols);
}

static enum sam_status bind_scalar(struct sam_tile_exec *x, uint32_t value,
                                   const struct sam_tile_argument *a)
{
    const struct sam_tile_ty *type = sam_tile_ty(x->p, value);
    struct sam_tile_slot *slot = sam_tile_slot(x, value);
    const char *name = x->p->values[value].name;
    bool wide = type->kind == SAM_TILE_KIND_INDEX || type->kind == SAM_TILE_KIND_BOOL;
    if (!a->is_scalar)
        return sam_fail(x->error, SAM_ERR_INPUT, "%%%s is a scalar: expected a value", name);
    const enum sam_dtype_class class_ = sam_dtype_class(a->dtype);
    const size_t size = sam_dtype_size(a->dtype);
    const bool real = class_ == SAM_CLASS_FLOAT;
    if (!wide && !represents(a->dtype, type->dtype))
        return sam_fail(x->error, SAM_ERR_INPUT, "%%%s is of %s: found a scalar of %s", name,
                        sam_tile_dtype_name(type->dtype), sam_dtype_name(a->dtype));
    if (wide && (real || class_ == SAM_CLASS_OPAQUE || !size))
        return sam_fail(x->error, SAM_ERR_INPUT, "%%%s is an integer: found a scalar of %s", name,
                        sam_dtype_name(a->dtype));
    slot->number = (int64_t)a->bits;
    if (!real && size < 8) { /* sign- or zero-extend */
        unsigned shift = (unsigned)(64 - 8 * size);
        slot->number = class_ == SAM_CLASS_INT ? (int64_t)(a->bits << shift) >> shift
                                               : (int64_t)(a->bits << shift >> shift);
    }
    return SAM_OK;
}

static enum sam_status bind_argument(struct sam_tile_exec *x, uint32_t value,
                                     const struct sam_tile_argument *a)
{
    const struct sam_tile_ty *type = sam_tile_ty(x->p, value);
    const char *name = x->p->values[value].name;
    enum sam_status status = SAM_OK;
    switch (type->kind) {
    case SAM_TILE_KIND_PTR:
        if (!a->array)
            return sam_fail(x->error, SAM_ERR_INPUT, "%%%s is a pointer: expected an array", name);
        sam_tile_slot(x, value)->array = a->array;
        return check_array(x, name, type->dtype, a->array);
    case SAM_TILE_KIND_TILE:
        if (!a->array)
            return a->is_scalar
                       ? sam_fail(x->error, SAM_ERR_INPUT,
                                  "%%%s is a tile: expected an array, found a scalar", name)
                       : SAM_OK;
        status = check_array(x, name, type->tile.dtype, a->array);
        if (status == SAM_OK)
            status = check_shape(x, value, a->array);
        if (status == SAM_OK && (!a->output || a->inout))
            sam_tile_core_put(&x->core, &sam_tile_slot(x, value)->tile, a->array->data);
        return status;
    case SAM_TILE_KIND_INDEX:
    case SAM_TILE_KIND_BOOL:
    case SAM_TILE_KIND_SCALAR: return bind_scalar(x, value, a);
    default: return sam_fail(x->error, SAM_ERR_INPUT, "%%%s cannot be an argument", name);
    }
}

/* The value that an argument is bound to: the one with its name (any tile, for an output of bare
 * operations), or the next in order. In a function, a name that no parameter has is only the
 * caller's label. */
static uint32_t find_value(const struct sam_tile_exec *x, const struct sam_tile_argument *a,
                           size_t *next)
{
    const struct sam_tile_func *f = x->f;
    for (uint32_t i = 0; a->name && i < f->arg_count; i++)
        if (strcmp(x->p->values[x->p->ids[f->args + i]].name, a->name) == 0)
            return x->p->ids[f->args + i];
    for (uint32_t i = 0; a->name && f->bare && a->output && i < f->value_count; i++)
        if (strcmp(x->p->values[f->first_value + i].name, a->name) == 0 &&
            x->p->values[f->first_value + i].type.kind == SAM_TILE_KIND_TILE)
            return f->first_value + i;
    if (a->name && f->bare)
        return SAM_TILE_NONE;
    return *next < f->arg_count ? x->p->ids[f->args + (*next)++] : SAM_TILE_NONE;
}

static bool is_argument(const struct sam_tile_exec *x, uint32_t value)
{
    return x->p->values[value].op == SAM_TILE_NONE;
}

/* Report more arguments than the function has. */
static enum sam_status too_many(struct sam_tile_exec *x, size_t count)
{
    char names[400] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < x->f->arg_count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%%%s", i ? ", " : ": ",
                                 x->p->values[x->p->ids[x->f->args + i]].name);
    return sam_fail(x->error, SAM_ERR_INPUT, "%s%s has %" PRIu32 " argument%s%s; %zu given",
                    x->f->bare ? "the program" : "@", x->f->name, x->f->arg_count,
                    x->f->arg_count == 1 ? "" : "s", names, count);
}

static enum sam_status bind_all(struct sam_tile_exec *x, const struct sam_tile_argument *arguments,
                                size_t count, uint32_t *values)
{
    size_t next = 0;
    bool *bound = sam_alloc(x->f->value_count + 1, sizeof *bound);
    enum sam_status status = bound ? SAM_OK : sam_fail_memory(x->error);
    for (size_t i = 0; i < count && status == SAM_OK; i++) {
        values[i] = find_value(x, &arguments[i], &next);
        if (values[i] == SAM_TILE_NONE && arguments[i].name && x->f->bare)
            status = sam_fail(x->error, SAM_ERR_INPUT, "unknown argument %%%s", arguments[i].name);
        else if (values[i] == SAM_TILE_NONE)
            status = too_many(x, count);
        else if (bound[values[i] - x->f->first_value])
            status = sam_fail(x->error, SAM_ERR_INPUT, "%%%s is given twice",
                              x->p->values[values[i]].name);
        else if (arguments[i].inout && !is_argument(x, values[i]))
            status = sam_fail(
                x->error, SAM_ERR_INPUT,
                "%%%s is computed by the program: it can be an output, but not an input as well",
                x->p->values[values[i]].name);
        else if (is_argument(x, values[i]))
            status = bind_argument(x, values[i], &arguments[i]);
        if (status == SAM_OK)
            bound[values[i] - x->f->first_value] = true;
    }
    for (uint32_t i = 0; i < x->f->arg_count && status == SAM_OK; i++) {
        uint32_t value = x->p->ids[x->f->args + i];
        enum sam_tile_kind kind = sam_tile_ty(x->p, value)->kind;
        if (!bound[value - x->f->first_value] && kind != SAM_TILE_KIND_TILE)
            status = sam_fail(x->error, SAM_ERR_INPUT, "argument %%%s is not given",
                              x->p->values[value].name);
    }
    free(bound);
    return status;
}

/* Copy output tiles into their arrays. */
static enum sam_status fetch(struct sam_tile_exec *x, const struct sam_tile_argument *arguments,
                             size_t count, const uint32_t *values)
{
    for (size_t i = 0; i < count; i++) {
        if (!arguments[i].output || sam_tile_ty(x->p, values[i])->kind != SAM_TILE_KIND_TILE ||
            !arguments[i].array)
            continue;
        const struct sam_tile_ref *t = &sam_tile_slot(x, values[i])->tile;
        struct sam_error inner = {0};
        enum sam_status status = check_array(x, t->name, t->type.dtype, arguments[i].array);
        if (status == SAM_OK && !t->pitch)
            status = sam_fail(x->error, SAM_ERR_INPUT, "%%%s was never allocated",
                              x->p->values[values[i]].name);
        if (status == SAM_OK)
            status = check_shape(x, values[i], arguments[i].array);
        if (status != SAM_OK)
            return status;
        if (sam_tile_core_get(&x->core, t, arguments[i].array->data, &inner) != SAM_OK)
            return sam_fail(x->error, SAM_ERR_TRAP, "output %%%s", inner.text);
    }
    return SAM_OK;
}

/* Open the memories that hold tiles: with the size in the profile or, if it sets no limit, with
 * what the program needs. */
static bool open_memories(struct sam_tile_exec *x)
{
    uint64_t sizes[SAM_TILE_LOCS] = {0};
    for (size_t k = 0; k < x->plan.count; k++) {
        enum sam_tile_loc i = x->plan.places[k].loc;
        sizes[i] = sam_tile_capacity(x->options.profile, i);
        if (!sizes[i])
            sizes[i] = x->plan.highest[i];
    }
    for (size_t i = 0; i < x->plan.count; i++)
        if (x->plan.places[i].offset == SAM_TILE_NOWHERE && sizes[x->plan.places[i].loc] < 1 << 30)
            sizes[x->plan.places[i].loc] =
                x->options.profile == SAM_TILE_HOST ? 1 << 30 : sizes[x->plan.places[i].loc];
    return sam_tile_core_open(&x->core, sizes);
}

/* The output tile of bare operations keeps its memory from beginning to end: it is read after the
 * last operation. */
static void keep_outputs(struct sam_tile_exec *x, const struct sam_tile_argument *arguments,
                         size_t count)
{
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t value = find_value(x, &arguments[i], &next);
        if (!arguments[i].output || value == SAM_TILE_NONE ||
            sam_tile_ty(x->p, value)->kind != SAM_TILE_KIND_TILE)
            continue;
        uint32_t root = x->flow.root[value - x->f->first_value] - x->f->first_value;
        x->flow.life[root].first = 0;
        x->flow.life[root].last = x->flow.last;
    }
}

/* Place the tiles. With outputs they may need more room than sam_tile_check assumed. */
static enum sam_status place_tiles(struct sam_tile_exec *x,
                                   const struct sam_tile_argument *arguments, size_t count)
{
    struct sam_tile_report report = {.program = x->p};
    if (sam_tile_flow(x->p, x->f, &x->flow) != SAM_OK)
        return sam_fail_memory(x->error);
    keep_outputs(x, arguments, count);
    enum sam_status status =
        sam_tile_plan(x->p, x->f, &x->flow, x->options.profile, &report, &x->plan);
    char *messages = NULL;
    if (status == SAM_OK)
        status = sam_tile_report_end(&report, &messages, x->error);
    else
        sam_fail_memory(x->error);
    free(messages);
    sam_tile_report_free(&report);
    return status;
}

static enum sam_status run(struct sam_tile_exec *x, const struct sam_tile_argument *arguments,
                           size_t count)
{
    uint32_t *values = sam_alloc(count + 1, sizeof *values);
    x->slots = sam_alloc(x->f->value_count + 1, sizeof *x->slots);
    enum sam_status status =
        values && x->slots ? place_tiles(x, arguments, count) : sam_fail_memory(x->error);
    if (status == SAM_OK && !open_memories(x))
        status = sam_fail_memory(x->error);
    x->core.manual = x->plan.manual;
    for (uint32_t i = 0; i < x->f->arg_count && status == SAM_OK; i++) {
        uint32_t value = x->p->ids[x->f->args + i];
        if (sam_tile_ty(x->p, value)->kind == SAM_TILE_KIND_TILE)
            sam_tile_start(x, value);
    }
    if (status == SAM_OK)
        status = bind_all(x, arguments, count, values);
    if (status == SAM_OK)
        status = sam_tile_exec_body(x);
    if (status == SAM_OK)
        status = fetch(x, arguments, count, values);
    free(values);
    return status;
}

enum sam_status sam_tile_run(const struct sam_tile_program *p, size_t function,
                             const struct sam_tile_argument *arguments, size_t count,
                             const struct sam_tile_options *options, struct sam_tile_stats *stats,
                             struct sam_error *error)
{
    if (!p || (count && !arguments))
        return sam_fail_null(error, p ? "arguments" : "program");
    struct sam_tile_exec x = {.p = p, .error = error};
    char *messages;
    if (function >= p->func_count)
        return sam_fail(error, SAM_ERR_USAGE, "function %zu of %zu", function, p->func_count);
    x.f = &p->funcs[function];
    enum sam_status status =
        sam_options_take(&x.options, sizeof x.options, SAM_TILE_OPTIONS_FIRST, options, error);
    if (status == SAM_OK)
        status = sam_tile_check_options(&x.options, error);
    if (status != SAM_OK)
        return status;
    status = sam_tile_check(p, x.options.profile, &messages, error);
    free(messages);
    if (status != SAM_OK)
        return status;
    sam_tile_core_set(&x.core, &x.options);
    status = run(&x, arguments, count);
    if (stats)
        *stats = x.core.stats;
    sam_tile_core_close(&x.core);
    sam_tile_flow_free(&x.flow);
    sam_tile_plan_free(&x.plan);
    free(x.slots);
    return status;
}

enum sam_status sam_tile_plan_text(const struct sam_tile_program *p, enum sam_tile_profile profile,
                                   char **text, struct sam_error *error)
{
    if (text)
        *text = NULL;
    if (!p || !text)
        return sam_fail_null(error, p ? "text" : "program");
    struct sam_buffer out = {0};
    struct sam_tile_report report = {.program = p};
    bool memory = false;
    if (sam_tile_check_profile(profile, error) != SAM_OK)
        return SAM_ERR_USAGE;
    for (size_t f = 0; f < p->func_count && !memory; f++) {
        struct sam_tile_flow flow;
        struct sam_tile_plan plan = {0};
        memory = sam_tile_flow(p, &p->funcs[f], &flow) != SAM_OK;
        if (memory || sam_tile_plan(p, &p->funcs[f], &flow, profile, &report, &plan) != SAM_OK) {
            memory = true;
            sam_tile_flow_free(&flow);
            break;
        }
        uint32_t *lines = sam_alloc(flow.last + 1, sizeof *lines);
        for (size_t i = 0; lines && i < p->op_count; i++)
            if (flow.order[i])
                lines[flow.order[i]] = p->ops[i].pos.line;
        memory |= !lines;
        sam_buffer_printf(&out, "%s%s%s:", p->funcs[f].bare ? "" : "@", p->funcs[f].name,
                          plan.manual ? (p->funcs[f].bare ? "manual" : " manual")
                                      : (p->funcs[f].bare ? "auto" : " auto"));
        for (int loc = 0; loc < SAM_TILE_LOCS; loc++)
            if (plan.highest[loc])
                sam_buffer_printf(&out, " %s %" PRIu64, sam_tile_loc_names[loc], plan.highest[loc]);
        sam_buffer_printf(&out, "\n");
        for (size_t i = 0; lines && i < plan.count; i++) {
            const struct sam_tile_place *place = &plan.places[i];
            sam_buffer_printf(&out, "  %-5s", sam_tile_loc_names[place->loc]);
            if (place->offset == SAM_TILE_NOWHERE)
                sam_buffer_printf(&out, " computed        ");
            else
                sam_buffer_printf(&out, " 0x%06" PRIx64 "..0x%06" PRIx64, place->offset,
                                  place->offset + place->size);
            sam_buffer_printf(&out, " %8" PRIu64 " bytes, lines %" PRIu32 "..%" PRIu32 "  %%%s\n",
                              place->size, place->first ? lines[place->first] : 1,
                              lines[place->last], p->values[place->value].name);
        }
        free(lines);
        sam_tile_flow_free(&flow);
        sam_tile_plan_free(&plan);
    }
    char *messages = NULL;
    enum sam_status status = sam_tile_report_end(&report, &messages, error);
    free(messages);
    if (status == SAM_OK && !memory && !out.failed)
        *text = sam_strdup(sam_buffer_text(&out));
    sam_buffer_free(&out);
    return status != SAM_OK ? status : *text ? SAM_OK : sam_fail_memory(error);
}
