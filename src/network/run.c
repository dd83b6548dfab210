/* SPDX-License-Identifier: Apache-2.0 */
/* Running a plan, step by step: on the executor of tile programs, or lowered on the system. */
#include "network/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Integers of 64 bits as those of 32 that are kept on the machine. */
static enum sam_status take_input(const struct sam_net_value *value, const void *given, void **kept,
                                  struct sam_error *error)
{
    *kept = NULL;
    int32_t *const narrow = sam_alloc(value->count, sizeof *narrow);
    if (!narrow)
        return sam_fail_memory(error);
    *kept = narrow;
    for (uint64_t i = 0; i < value->count; i++) {
        int64_t number;
        memcpy(&number, (const int64_t *)given + i, sizeof number);
        if (number < INT32_MIN || number > INT32_MAX)
            return sam_fail(error, SAM_ERR_INPUT, "input '%s': %" PRId64 " does not fit 32 bits",
                            value->name, number);
        narrow[i] = (int32_t)number;
    }
    return SAM_OK;
}

struct session {
    struct net_run run;
    void **own; /* by buffer: what the session has allocated */
    uint8_t *arena;
    enum net_machine machine;
    const struct net_run_options *options;
};

static enum sam_status open_buffers(struct session *s, const void *const *inputs,
                                    void *const *outputs, struct sam_error *error)
{
    struct net_plan *const plan = s->run.plan;
    s->run.data = sam_alloc(plan->buffer_count, sizeof *s->run.data);
    s->own = sam_alloc(plan->buffer_count, sizeof *s->own);
    s->arena = sam_alloc(plan->arena, 1);
    if (!s->run.data || !s->own || !s->arena)
        return sam_fail_memory(error);
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct net_buffer *const buffer = &plan->buffers[i];
        const struct sam_net_value *const value =
            buffer->value == NET_NONE ? NULL : &plan->graph->values[buffer->value];
        enum sam_status status = SAM_OK;
        const bool wide = value && value->dtype == SAM_I64;
        switch (buffer->kind) {
        case NET_BUFFER_INPUT:
            if (wide)
                status = take_input(value, inputs[buffer->number], &s->own[i], error);
            s->run.data[i] = s->own[i] ? s->own[i] : (void *)(uintptr_t)inputs[buffer->number];
            break;
        case NET_BUFFER_OUTPUT:
            if (wide && !(s->own[i] = sam_alloc(buffer->count, 4)))
                status = sam_fail_memory(error);
            s->run.data[i] = s->own[i] ? s->own[i] : outputs[buffer->number];
            break;
        case NET_BUFFER_WEIGHT: s->run.data[i] = buffer->data; break;
        case NET_BUFFER_SCRATCH: s->run.data[i] = s->arena + buffer->offset; break;
        }
        if (status != SAM_OK)
            return status;
    }
    return SAM_OK;
}

static void give_outputs(const struct session *s, void *const *outputs)
{
    const struct net_plan *const plan = s->run.plan;
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct net_buffer *const buffer = &plan->buffers[i];
        if (buffer->kind != NET_BUFFER_OUTPUT || !s->own[i])
            continue;
        for (uint64_t k = 0; k < buffer->count; k++)
            ((int64_t *)outputs[buffer->number])[k] = ((const int32_t *)s->own[i])[k];
    }
}

static enum sam_status parse_step(struct net_step *step, struct sam_error *error)
{
    char *messages = NULL;
    if (step->program)
        return SAM_OK;
    const enum sam_status status = sam_tile_parse(step->name, step->text, strlen(step->text),
                                                  &step->program, &messages, error);
    if (status == SAM_ERR_INPUT)
        sam_fail(error, status, "%s: %.400s", step->name, messages);
    free(messages);
    return status;
}

static enum sam_status on_host(const struct session *s, struct net_step *step,
                               const struct sam_tile_argument *arguments,
                               struct net_step_figures *figures, struct sam_error *error)
{
    const struct sam_tile_options options = {.size = sizeof options,
                                             .stop = s->options->stop,
                                             .sum_order = s->options->rising ? SAM_TILE_SUM_RISING
                                                                             : SAM_TILE_SUM_SYSTEM};
    return sam_tile_run(step->program, 0, arguments, step->buffer_count + step->scalar_count,
                        &options, &figures->stats, error);
}

static enum sam_status run_lowered(const struct session *s, struct sam_tile_lowered *lowered,
                                   struct sam_system *system, struct net_step_figures *figures,
                                   struct sam_error *error)
{
    const struct net_plan *const plan = s->run.plan;
    struct sam_system_result result;
    enum sam_status status = sam_tile_lowered_load(lowered, system, error);
    if (status == SAM_OK && plan->packed)
        status = sam_system_load_weights(system, plan->packed, plan->packed_size, 0, error);
    if (status == SAM_OK)
        status = sam_system_run(system, &result, error);
    if (status == SAM_OK)
        status = sam_tile_lowered_failure(lowered, system, error);
    if (status == SAM_OK)
        status = sam_tile_lowered_fetch(lowered, system, error);
    if (status == SAM_OK && s->options->timing)
        status = sam_system_measure(system, &figures->figures, error);
    return status;
}

static enum sam_status on_system(const struct session *s, struct net_step *step,
                                 const struct sam_tile_argument *arguments,
                                 struct net_step_figures *figures, struct sam_error *error)
{
    const struct net_plan *const plan = s->run.plan;
    const struct sam_hart_options hart = {
        .size = sizeof hart, .stop = s->options->stop, .max_insns = s->options->max_insns};
    const struct sam_system_options options = {
        .size = sizeof options, .hart = &hart, .timing = s->options->timing};
    const struct sam_tile_lower_options lowering = {
        .size = sizeof lowering, .weights = plan->packed, .weights_size = plan->packed_size};
    struct sam_tile_lowered *lowered = NULL;
    struct sam_system *system = NULL;
    char *messages = NULL;
    enum sam_status status =
        sam_tile_lower(step->program, 0, arguments, step->buffer_count + step->scalar_count,
                       &lowering, &lowered, &messages, error);
    if (status == SAM_ERR_INPUT && messages)
        sam_fail(error, status, "%s: %.400s", step->name, messages);
    free(messages);
    if (status == SAM_OK)
        status = sam_system_new(&options, &system, error);
    if (status == SAM_OK)
        status = run_lowered(s, lowered, system, figures, error);
    sam_system_free(system);
    sam_tile_lowered_free(lowered);
    return status;
}

/* The index that a program takes from an input of the network. */
static enum sam_status scalar_of(const struct session *s, const struct net_scalar_argument *from,
                                 int64_t *number, struct sam_error *error)
{
    const int32_t given = ((const int32_t *)s->run.data[from->buffer])[from->element];
    *number = given < 0 ? given + (int64_t)from->limit : given;
    if (*number < 0 || (uint64_t)*number >= from->limit)
        return sam_fail(error, SAM_ERR_TRAP,
                        "input '%s': index %" PRId32 ": expected -%" PRIu64 " to %" PRIu64,
                        s->run.plan->graph->values[s->run.plan->buffers[from->buffer].value].name,
                        given, from->limit, from->limit - 1);
    return SAM_OK;
}

static enum sam_status run_step(const struct session *s, size_t index,
                                struct net_step_figures *figures, struct sam_error *error)
{
    struct net_step *const step = &s->run.plan->steps[index];
    const size_t count = step->buffer_count + step->scalar_count;
    struct sam_array *const arrays = sam_alloc(step->buffer_count, sizeof *arrays);
    struct sam_tile_argument *const arguments = sam_alloc(count, sizeof *arguments);
    enum sam_status status = arrays && arguments ? parse_step(step, error) : sam_fail_memory(error);
    for (size_t i = 0; i < step->buffer_count && status == SAM_OK; i++) {
        const struct net_buffer *const buffer = &s->run.plan->buffers[step->buffers[i]];
        arrays[i] = (struct sam_array){.dtype = buffer->dtype,
                                       .rank = 1,
                                       .shape = {buffer->count},
                                       .count = buffer->count,
                                       .size = buffer->count * sam_dtype_size(buffer->dtype),
                                       .data = s->run.data[step->buffers[i]]};
        arguments[i] = (struct sam_tile_argument){.array = &arrays[i]};
        if (s->machine == NET_SYSTEM)
            arguments[i].packed = buffer->name;
    }
    for (size_t i = 0; i < step->scalar_count && status == SAM_OK; i++) {
        int64_t number = 0;
        status = scalar_of(s, &step->scalars[i], &number, error);
        arguments[step->buffer_count + i] = (struct sam_tile_argument){
            .is_scalar = true, .dtype = SAM_I64, .bits = (uint64_t)number};
    }
    const double begin = now();
    if (status == SAM_OK)
        status = s->machine == NET_HOST ? on_host(s, step, arguments, figures, error)
                                        : on_system(s, step, arguments, figures, error);
    figures->seconds = now() - begin;
    free(arrays);
    free(arguments);
    return status;
}

static enum sam_status run_steps(const struct session *s, struct net_figures *figures,
                                 struct sam_error *error)
{
    for (size_t i = 0; i < s->run.plan->step_count; i++) {
        struct net_step_figures unused = {0};
        enum sam_status status = run_step(s, i, figures ? &figures->steps[i] : &unused, error);
        sam_system_figures_free(unused.figures);
        if (status == SAM_OK && s->options->after)
            status = s->options->after(s->options->context, &s->run, i, error);
        if (status != SAM_OK)
            return status;
    }
    return SAM_OK;
}

static void copy_value(const struct sam_net_value *value, const struct net_place *place,
                       const uint8_t *data, size_t size, uint8_t *to)
{
    for (uint64_t i = 0; i < value->count; i++) {
        uint64_t rest = i;
        int64_t at = place->offset;
        for (uint32_t axis = value->rank; axis-- > 0; rest /= value->shape[axis])
            at += (int64_t)(rest % value->shape[axis]) * place->stride[axis];
        if (value->dtype == SAM_I64)
            ((int64_t *)to)[i] = ((const int32_t *)data)[at];
        else
            memcpy(to + i * size, data + (size_t)at * size, size);
    }
}

bool sam_net_run_value(const struct net_run *run, uint32_t value, size_t step, void *elements)
{
    const struct sam_net_value *const v = &run->plan->graph->values[value];
    const struct net_place *const place = &run->plan->places[value];
    if (place->buffer == NET_NONE)
        return false;
    const struct net_buffer *const buffer = &run->plan->buffers[place->buffer];
    if (buffer->kind == NET_BUFFER_SCRATCH && (step < buffer->first || step > buffer->last))
        return false;
    copy_value(v, place, run->data[place->buffer], sam_dtype_size(buffer->dtype), elements);
    return true;
}

enum sam_status sam_net_plan_run(struct net_plan *plan, enum net_machine machine,
                                 const void *const *inputs, void *const *outputs,
                                 const struct net_run_options *options, struct net_figures *figures,
                                 struct sam_error *error)
{
    const struct net_run_options none = {0};
    struct session s = {
        .run = {.plan = plan}, .machine = machine, .options = options ? options : &none};
    if (figures)
        *figures = (struct net_figures){0};
    if (SAM_LACKS(error, plan, inputs, outputs))
        return SAM_ERR_USAGE;
    enum sam_status status = open_buffers(&s, inputs, outputs, error);
    if (status == SAM_OK && figures) {
        figures->steps = sam_alloc(plan->step_count, sizeof *figures->steps);
        figures->count = figures->steps ? plan->step_count : 0;
        if (!figures->steps)
            status = sam_fail_memory(error);
    }
    if (status == SAM_OK)
        status = run_steps(&s, figures, error);
    if (status == SAM_OK)
        give_outputs(&s, outputs);
    for (size_t i = 0; s.own && i < plan->buffer_count; i++)
        free(s.own[i]);
    free(s.own);
    free(s.run.data);
    free(s.arena);
    return status;
}

void sam_net_figures_free(struct net_figures *figures)
{
    for (size_t i = 0; i < figures->count; i++)
        sam_system_figures_free(figures->steps[i].figures);
    free(figures->steps);
    *figures = (struct net_figures){0};
}
