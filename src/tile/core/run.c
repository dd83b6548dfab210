/* SPDX-License-Identifier: Apache-2.0 */
/* Run of a function with its arguments: check, place, execute. */
#include <inttypes.h>
#include <stdlib.h>

#include "tile/check/bind.h"
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

static enum sam_status bind_argument(struct sam_tile_exec *x, uint32_t value,
                                     const struct sam_tile_argument *a)
{
    const struct sam_tile_ty *type = sam_tile_ty(x->p, value);
    const char *name = x->p->values[value].name;
    struct sam_tile_slot *slot = sam_tile_slot(x, value);
    enum sam_status status;
    switch (type->kind) {
    case SAM_TILE_KIND_PTR:
        slot->array = a->array;
        return sam_tile_bind_array(name, type->dtype, a->array, x->error);
    case SAM_TILE_KIND_TILE:
        if (!a->array)
            return SAM_OK;
        status = sam_tile_bind_array(name, type->tile.dtype, a->array, x->error);
        if (status == SAM_OK)
            status = sam_tile_bind_shape(name, &slot->tile.type, a->array, x->error);
        if (status == SAM_OK && (!a->output || a->inout))
            sam_tile_core_put(&x->core, &slot->tile, a->array->data);
        return status;
    default: return sam_tile_bind_scalar(x->p, value, a, &slot->number, x->error);
    }
}

/* Copy output tiles into their arrays. */
static enum sam_status fetch(struct sam_tile_exec *x, const struct sam_tile_argument *arguments,
                             size_t count, const uint32_t *values)
{
    for (size_t i = 0; i < count; i++) {
        if (!arguments[i].output || sam_tile_ty(x->p, values[i])->kind != SAM_TILE_KIND_TILE ||
            !arguments[i].array)
            continue;
        struct sam_tile_ref *t = &sam_tile_slot(x, values[i])->tile;
        struct sam_error inner = {0};
        enum sam_status status =
            sam_tile_bind_array(t->name, t->type.dtype, arguments[i].array, x->error);
        if (status == SAM_OK && !t->pitch)
            status = sam_fail(x->error, SAM_ERR_INPUT, "%%%s was never allocated",
                              x->p->values[values[i]].name);
        if (status == SAM_OK)
            status = sam_tile_bind_shape(t->name, &t->type, arguments[i].array, x->error);
        if (status != SAM_OK)
            return status;
        if (sam_tile_core_get(&x->core, t, arguments[i].array->data, &inner) != SAM_OK)
            return sam_fail(x->error, SAM_ERR_TRAP, "output %%%s", inner.text);
    }
    return SAM_OK;
}

/* Allocate the memories that hold tiles, sized by the profile or, without a limit, by the program's
 * need. */
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
    sam_tile_core_open(&x->core, sizes);
    bool good = true;
    for (size_t i = 0; i < x->plan.count && good; i++) {
        const struct sam_tile_place *place = &x->plan.places[i];
        const uint64_t offset = place->offset == SAM_TILE_NOWHERE ? 0 : place->offset;
        good = sam_tile_core_reach(&x->core, place->loc, offset + place->size);
    }
    return good;
}

/* Place the tiles. Outputs may need more room than sam_tile_check assumed. */
static enum sam_status place_tiles(struct sam_tile_exec *x,
                                   const struct sam_tile_argument *arguments, size_t count,
                                   const uint32_t *values)
{
    struct sam_tile_report report = {.program = x->p};
    if (sam_tile_flow(x->p, x->f, &x->flow) != SAM_OK)
        return sam_fail_memory(x->error);
    sam_tile_bind_keep(x->p, x->f, &x->flow, arguments, count, values);
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
        values && x->slots ? sam_tile_bind_values(x->p, x->f, arguments, count, values, x->error)
                           : sam_fail_memory(x->error);
    if (status == SAM_OK)
        status = place_tiles(x, arguments, count, values);
    if (status == SAM_OK && !open_memories(x))
        status = sam_fail_memory(x->error);
    x->core.manual = x->plan.manual;
    for (uint32_t i = 0; i < x->f->arg_count && status == SAM_OK; i++) {
        uint32_t value = x->p->ids[x->f->args + i];
        if (sam_tile_ty(x->p, value)->kind == SAM_TILE_KIND_TILE)
            sam_tile_start(x, value);
    }
    for (size_t i = 0; i < count && status == SAM_OK; i++)
        if (sam_tile_is_argument(x->p, values[i]))
            status = bind_argument(x, values[i], &arguments[i]);
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
        return sam_fail(error, SAM_ERR_USAGE, "function %zu: expected one below %zu", function,
                        p->func_count);
    x.f = &p->funcs[function];
    enum sam_status status =
        sam_options_take(&x.options, sizeof x.options, SAM_TILE_OPTIONS_FIRST, options, error);
    if (status == SAM_OK)
        status = sam_tile_check_options(&x.options, error);
    if (status != SAM_OK)
        return status;
    status = sam_tile_check_in(p, x.options.profile, x.options.dialect, &messages, error);
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
