/* SPDX-License-Identifier: Apache-2.0 */
/* Running a plan, step by step: on the executor of tile programs, or lowered on the system. */
#include "network/plan.h"
#include "samite/tile_lower.h"

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
static enum sam_status narrow(const struct sam_net_value *value, const void *given, int32_t *kept,
                              struct sam_error *error)
{
    for (uint64_t i = 0; i < value->count; i++) {
        int64_t number;
        memcpy(&number, (const int64_t *)given + i, sizeof number);
        if (number < INT32_MIN || number > INT32_MAX)
            return sam_fail(error, SAM_ERR_INPUT, "input '%s': %" PRId64 " does not fit 32 bits",
                            value->name, number);
        kept[i] = (int32_t)number;
    }
    return SAM_OK;
}

enum { PAGE = 4096 };

struct session {
    struct net_plan *plan;
    const struct sam_network_run_options *options;
    const struct sam_system_timing *timing; /* or NULL */
    struct sam_network_step *steps;
    struct sam_blocks store;
    void **data; /* by buffer: its address on the host */
    /* on the system: */
    struct sam_system *system;
    uint64_t *address;                  /* by buffer */
    uint32_t offset;                    /* of the next program */
    bool asked;                         /* for the weights of the next step */
    struct sam_system_figures *figures; /* of all steps so far, with timing */
};

static enum sam_status open_buffers(struct session *s, const void *const *inputs,
                                    void *const *outputs, struct sam_error *error)
{
    struct net_plan *const plan = s->plan;
    uint8_t *const arena = sam_blocks_take(&s->store, plan->arena + 1, 1);
    s->data = sam_blocks_take(&s->store, plan->buffer_count + 1, sizeof *s->data);
    if (!s->data || !arena)
        return sam_fail_memory(error);
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct net_buffer *const buffer = &plan->buffers[i];
        switch (buffer->kind) {
        case NET_BUFFER_INPUT: s->data[i] = (void *)(uintptr_t)inputs[buffer->number]; break;
        case NET_BUFFER_OUTPUT: s->data[i] = outputs[buffer->number]; break;
        case NET_BUFFER_WEIGHT: s->data[i] = buffer->data; continue;
        case NET_BUFFER_SCRATCH: s->data[i] = arena + buffer->offset; continue;
        }
        const struct sam_net_value *const value = &plan->graph->values[buffer->value];
        if (value->dtype != SAM_I64)
            continue;
        const void *const given = s->data[i];
        s->data[i] = sam_blocks_take(&s->store, buffer->count + 1, sizeof(int32_t));
        if (!s->data[i])
            return sam_fail_memory(error);
        const enum sam_status status =
            buffer->kind == NET_BUFFER_INPUT ? narrow(value, given, s->data[i], error) : SAM_OK;
        if (status != SAM_OK)
            return status;
    }
    return SAM_OK;
}

static void give_outputs(const struct session *s, void *const *outputs)
{
    const struct net_plan *const plan = s->plan;
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct net_buffer *const buffer = &plan->buffers[i];
        if (buffer->kind != NET_BUFFER_OUTPUT || s->data[i] == outputs[buffer->number])
            continue;
        for (uint64_t k = 0; k < buffer->count; k++)
            ((int64_t *)outputs[buffer->number])[k] = ((const int32_t *)s->data[i])[k];
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

/* --------------------------------------------------------------------------- on the system */

/* A machine with all arrays but packed ones, which the weight unit decodes. */
static enum sam_status open_system(struct session *s, struct sam_error *error)
{
    const struct net_plan *const plan = s->plan;
    const struct sam_hart_options hart = {.size = sizeof hart, .stop = s->options->stop};
    const struct sam_system_options options = {
        .size = sizeof options, .hart = &hart, .timing = s->timing};
    uint64_t arena = 0;
    s->offset = PAGE;
    s->address = sam_blocks_take(&s->store, plan->buffer_count + 1, sizeof *s->address);
    enum sam_status status =
        s->address ? sam_system_new(&options, &s->system, error) : sam_fail_memory(error);
    if (status == SAM_OK && plan->packed)
        status = sam_system_load_weights(s->system, plan->packed, plan->packed_size, 0, error);
    if (status == SAM_OK)
        status = sam_system_alloc(s->system, plan->arena, &arena, error);
    for (size_t i = 0; i < plan->buffer_count && status == SAM_OK; i++) {
        const struct net_buffer *const buffer = &plan->buffers[i];
        const uint64_t size = net_bytes(buffer);
        s->address[i] = arena + buffer->offset;
        if (buffer->kind == NET_BUFFER_SCRATCH || buffer->name)
            continue;
        status = sam_system_alloc(s->system, size, &s->address[i], error);
        if (status == SAM_OK)
            status = sam_system_write(s->system, s->address[i], s->data[i], size, error);
    }
    return status;
}

static enum sam_status fetch_outputs(const struct session *s, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    for (size_t i = 0; i < s->plan->buffer_count && status == SAM_OK; i++) {
        const struct net_buffer *const buffer = &s->plan->buffers[i];
        if (buffer->kind == NET_BUFFER_OUTPUT)
            status =
                sam_system_read(s->system, s->address[i], s->data[i], net_bytes(buffer), error);
    }
    return status;
}

/* Cycles of a row since `before`. The figures of a machine always have the same rows and levels. */
static uint64_t since(const struct sam_system_figures *before, const struct sam_system_figures *f,
                      size_t row)
{
    return f->rows[row].cycles - (before->row_count ? before->rows[row].cycles : 0);
}

/* The machine counts on from step to step: the part of one step. */
static void take_figures(const struct sam_system_figures *f,
                         const struct sam_system_figures *before, struct sam_network_step *s)
{
    s->cycles = f->cycles - before->cycles;
    s->instructions = f->instructions - before->instructions;
    s->macs = f->macs - before->macs;
    s->packed = f->packed - before->packed;
    s->raw = f->raw - before->raw;
    for (size_t i = 0; i < f->level_count; i++)
        if (strcmp(f->levels[i].name, "DRAM") == 0) {
            s->read += f->levels[i].read - (before->level_count ? before->levels[i].read : 0);
            s->written +=
                f->levels[i].written - (before->level_count ? before->levels[i].written : 0);
        }
    for (size_t i = 0; i < f->row_count; i++) {
        const struct sam_system_row *const first = &f->rows[i];
        uint64_t busy = 0;
        for (size_t k = i; k < f->row_count && f->rows[k].number == first->number &&
                           strcmp(f->rows[k].unit, first->unit) == 0;
             k++)
            busy += f->rows[k].busy ? since(before, f, k) : 0;
        if (busy > s->bound) {
            s->busiest = first->unit;
            s->bound = busy;
        }
    }
    for (size_t i = 0; s->busiest && i < f->row_count; i++)
        if (!f->rows[i].busy && since(before, f, i) > s->waiting &&
            strcmp(f->rows[i].unit, s->busiest) == 0) {
            s->waits = f->rows[i].reason;
            s->waiting = since(before, f, i);
        }
}

static enum sam_status run_lowered(struct session *s, const struct net_step *step,
                                   struct sam_tile_lowered *lowered, struct sam_error *error)
{
    struct sam_system_result result;
    enum sam_status status = sam_tile_lowered_load(lowered, s->system, error);
    if (status == SAM_ERR_INPUT)
        sam_fail(error, status, "%.100s: %.300s", step->name, error->text);
    s->offset += sam_tile_lowered_room(lowered) + PAGE;
    if (status == SAM_OK)
        status = sam_system_run(s->system, &result, error);
    if (status == SAM_OK)
        status = sam_tile_lowered_failure(lowered, s->system, error);
    struct sam_system_figures *figures = NULL;
    if (status == SAM_OK && s->timing)
        status = sam_system_measure(s->system, &figures, error);
    if (figures) {
        static const struct sam_system_figures none = {0};
        take_figures(figures, s->figures ? s->figures : &none, &s->steps[step - s->plan->steps]);
        sam_system_figures_free(s->figures);
        s->figures = figures;
    }
    sam_system_unload(s->system);
    return status;
}

/* The first packed argument of a step, if it has one. */
static bool packed_argument(const struct net_plan *plan, size_t step, struct sam_array *array,
                            struct sam_tile_argument *argument)
{
    for (size_t i = 0; step < plan->step_count && i < plan->steps[step].buffer_count; i++) {
        const struct net_buffer *const buffer = &plan->buffers[plan->steps[step].buffers[i]];
        if (!buffer->name)
            continue;
        *array = net_array_of(buffer, buffer->data);
        *argument = (struct sam_tile_argument){.array = array, .packed = buffer->name};
        return true;
    }
    return false;
}

static enum sam_status on_system(struct session *s, size_t index,
                                 const struct sam_tile_argument *arguments, size_t count,
                                 struct sam_error *error)
{
    const struct net_step *const step = &s->plan->steps[index];
    struct sam_array array;
    struct sam_tile_argument next;
    struct sam_tile_lower_options lowering = {.size = sizeof lowering,
                                              .config = s->options->config,
                                              .weights = s->plan->packed,
                                              .weights_size = s->plan->packed_size,
                                              .offset = s->offset,
                                              .asked = s->asked};
    struct sam_tile_lowered *lowered = NULL;
    char *messages = NULL;
    s->asked = packed_argument(s->plan, index + 1, &array, &next);
    lowering.next = s->asked ? &next : NULL;
    enum sam_status status =
        sam_tile_lower(step->program, 0, arguments, count, &lowering, &lowered, &messages, error);
    if (status == SAM_ERR_INPUT && messages)
        sam_fail(error, status, "%s: %.400s", step->name, messages);
    free(messages);
    if (status == SAM_OK)
        status = run_lowered(s, step, lowered, error);
    sam_tile_lowered_free(lowered);
    return status;
}

/* -------------------------------------------------------------------------------- a step */

static enum sam_status on_host(const struct session *s, const struct net_step *step,
                               const struct sam_tile_argument *arguments, size_t count,
                               struct sam_error *error)
{
    const struct sam_tile_options options = {
        .size = sizeof options, .stop = s->options->stop, .sum_order = s->options->sum_order};
    return sam_tile_run(step->program, 0, arguments, count, &options, NULL, error);
}

/* The index that a program takes from an input of the network. */
static enum sam_status scalar_of(const struct session *s, const struct net_scalar_argument *from,
                                 int64_t *number, struct sam_error *error)
{
    const int32_t given = ((const int32_t *)s->data[from->buffer])[from->element];
    *number = given < 0 ? given + (int64_t)from->limit : given;
    if (*number < 0 || (uint64_t)*number >= from->limit)
        return sam_fail(error, SAM_ERR_TRAP,
                        "input '%s': index %" PRId32 ": expected -%" PRIu64 " to %" PRIu64,
                        s->plan->graph->values[s->plan->buffers[from->buffer].value].name, given,
                        from->limit, from->limit - 1);
    return SAM_OK;
}

/* Refuse floats that a Cast has made integers of 64 bits, of which 32 are kept: those without room
 * there have become the least or the largest number. */
static enum sam_status check_casts(const struct session *s, const struct net_step *step,
                                   struct sam_error *error)
{
    const struct net_graph *const graph = s->plan->graph;
    if (!step->node_count)
        return SAM_OK;
    const struct net_node *const node = &graph->nodes[step->nodes[step->node_count - 1]];
    const struct sam_net_value *const value = &graph->values[node->output];
    if (step->output != node->output || !net_is_wide_cast(graph, node))
        return SAM_OK;
    const struct net_place *const place = &s->plan->places[node->output];
    const struct net_buffer *const buffer = &s->plan->buffers[place->buffer];
    if (s->system) {
        const enum sam_status status = sam_system_read(
            s->system, s->address[place->buffer], s->data[place->buffer], buffer->count * 4, error);
        if (status != SAM_OK)
            return status;
    }
    for (uint64_t i = 0; i < value->count; i++) {
        const int32_t number =
            ((const int32_t *)
                 s->data[place->buffer])[place->offset + net_element_at(value, i, place->stride)];
        if (number == INT32_MIN || number == INT32_MAX)
            return sam_fail(error, SAM_ERR_INPUT,
                            "node '%s' (Cast): element %" PRIu64
                            " of its integers of 64 bits is %s: expected room in 32 bits",
                            node->name, i,
                            number < 0 ? "-2147483648 or less" : "2147483648 or more");
    }
    return SAM_OK;
}

static enum sam_status run_step(struct session *s, size_t index, struct sam_error *error)
{
    struct net_step *const step = &s->plan->steps[index];
    const size_t count = step->buffer_count + step->scalar_count;
    struct sam_array *const arrays = sam_alloc(step->buffer_count, sizeof *arrays);
    struct sam_tile_argument *const arguments = sam_alloc(count, sizeof *arguments);
    enum sam_status status = arrays && arguments ? parse_step(step, error) : sam_fail_memory(error);
    for (size_t i = 0; i < step->buffer_count && status == SAM_OK; i++) {
        const uint32_t buffer = step->buffers[i];
        arrays[i] = net_array_of(&s->plan->buffers[buffer], s->data[buffer]);
        arguments[i] = (struct sam_tile_argument){.array = &arrays[i]};
        if (s->system) {
            arguments[i].packed = s->plan->buffers[buffer].name;
            arguments[i].address = s->address[buffer];
        }
    }
    for (size_t i = 0; i < step->scalar_count && status == SAM_OK; i++) {
        int64_t number = 0;
        status = scalar_of(s, &step->scalars[i], &number, error);
        arguments[step->buffer_count + i] = (struct sam_tile_argument){
            .is_scalar = true, .dtype = SAM_I64, .bits = (uint64_t)number};
    }
    const double begin = now();
    if (status == SAM_OK)
        status = s->system ? on_system(s, index, arguments, count, error)
                           : on_host(s, step, arguments, count, error);
    if (status == SAM_OK)
        status = check_casts(s, step, error);
    s->steps[index].seconds = now() - begin;
    if (status == SAM_ERR_STOPPED)
        sam_fail(error, status, "stopped in step %zu of %zu, %.400s", index + 1,
                 s->plan->step_count, step->name);
    free(arrays);
    free(arguments);
    return status;
}

static enum sam_status run_steps(struct session *s, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    for (size_t i = 0; i < s->plan->step_count && status == SAM_OK; i++) {
        status = run_step(s, i, error);
        if (status == SAM_OK && s->options->progress)
            s->options->progress(s->options->context, i + 1, s->plan->step_count);
    }
    if (status == SAM_OK && s->system)
        status = fetch_outputs(s, error);
    return status;
}

/* One run, which fills in the steps, and the sum of all if it is timed. */
static enum sam_status run_once(struct session *s, const void *const *inputs, void *const *outputs,
                                struct sam_network_step *sum, struct sam_error *error)
{
    enum sam_status status = open_buffers(s, inputs, outputs, error);
    if (status == SAM_OK)
        status = sam_net_check_ranges(s->plan->graph, inputs, error);
    if (status == SAM_OK && s->options->system)
        status = open_system(s, error);
    if (status == SAM_OK)
        status = run_steps(s, error);
    if (status == SAM_OK)
        give_outputs(s, outputs);
    if (status == SAM_OK && s->figures)
        take_figures(s->figures, &(struct sam_system_figures){0}, sum);
    sum->waits = NULL; /* of steps alone */
    sum->waiting = 0;
    sam_system_figures_free(s->figures);
    sam_system_free(s->system);
    sam_blocks_free(&s->store);
    return status;
}

enum sam_status sam_net_plan_run(struct net_plan *plan,
                                 const struct sam_network_run_options *options,
                                 const void *const *inputs, void *const *outputs,
                                 struct sam_network_figures **figures, struct sam_error *error)
{
    if (SAM_LACKS(error, plan, inputs, outputs))
        return SAM_ERR_USAGE;
    const struct sam_network_run_options none = {.sum_order = SAM_TILE_SUM_SYSTEM},
                                         *const o = options ? options : &none;
    struct sam_system_timing timing = {.size = sizeof timing, .config = o->config, .running = true};
    struct sam_network_figures *const f = sam_alloc(1, sizeof *f);
    struct sam_network_step raw = {0}, *const raw_steps = sam_alloc(plan->step_count, sizeof raw);
    if (f)
        f->steps = sam_alloc(plan->step_count, sizeof *f->steps);
    enum sam_status status = f && f->steps && raw_steps ? SAM_OK : sam_fail_memory(error);
    struct session s = {.plan = plan, .options = o, .timing = o->timing ? &timing : NULL};
    if (status == SAM_OK) {
        struct session first = s;
        first.steps = f->steps;
        status = run_once(&first, inputs, outputs, &f->sum, error);
    }
    if (status == SAM_OK && o->timing && o->raw_weights) {
        timing.raw_weights = true;
        s.steps = raw_steps;
        status = run_once(&s, inputs, outputs, &raw, error);
    }
    for (size_t i = 0; status == SAM_OK && i < plan->step_count; i++) {
        struct sam_network_step *const step = &f->steps[f->step_count++];
        step->kind = plan->steps[i].template;
        step->nodes = sam_strdup(plan->steps[i].name);
        step->raw_cycles = raw_steps[i].cycles;
        f->sum.raw_cycles += step->raw_cycles;
        f->sum.seconds += step->seconds;
        if (!step->nodes)
            status = sam_fail_memory(error);
    }
    free(raw_steps);
    if (f)
        f->timed = o->timing;
    if (status == SAM_OK && figures)
        *figures = f;
    else
        sam_network_figures_free(f);
    return status;
}
