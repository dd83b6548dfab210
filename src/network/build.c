/* SPDX-License-Identifier: Apache-2.0 */
/* From a graph to steps: fusion, templates, arrays of the arena. */
#include "network/build.h"

#include <stdlib.h>

static const struct {
    net_template *plan;
    const char *name;
} templates[] = {
#define NET_OP(name, inputs, optional, plan, fold) {sam_net_plan_##plan, #plan},
#include "network/operators.def"
#undef NET_OP
};

void sam_net_build_fail(struct net_builder *b, enum sam_status status, const char *format, ...)
{
    char text[256];
    va_list list;
    if (b->status != SAM_OK)
        return;
    b->status = status;
    va_start(list, format);
    sam_format_list(text, sizeof text, format, list);
    va_end(list);
    if (status == SAM_ERR_MEMORY)
        sam_fail_memory(b->error);
    else
        sam_fail(b->error, status, "%s%s%s: %s", b->node ? sam_net_op_name(b->node->op) : "",
                 b->node ? " " : "", b->node ? b->node->name : "network", text);
}

/* --- fusion */

static bool is_element(const struct net_node *node)
{
    return templates[node->op].plan == sam_net_plan_elements;
}

/* Whether a chain of elementwise operators can follow in one step. */
static bool takes_chain(const struct net_node *node)
{
    net_template *const template = templates[node->op].plan;
    return is_element(node) || template == sam_net_plan_conv ||
           template == sam_net_plan_conv_transpose || template == sam_net_plan_pool ||
           template == sam_net_plan_product || template == sam_net_plan_resize;
}

bool sam_net_in_group(const struct net_builder *b, const struct net_group *group, uint32_t count,
                      uint32_t value)
{
    for (uint32_t i = 0; i < count; i++)
        if (b->graph->nodes[group->nodes[i]].output == value)
            return true;
    return false;
}

/* Take up the elementwise nodes that follow, as long as one output is what is left. */
static void grow(struct net_builder *b, struct net_group *group, uint32_t first)
{
    struct net_group trial = *group;
    const struct sam_net_value *const shape = &b->graph->values[group->output];
    const size_t end = b->graph->node_count - first > 256 ? first + 256 : b->graph->node_count;
    uint32_t outside[NET_GROUP] = {b->uses[group->output]}; /* uses of its values by other nodes */
    uint32_t reads = 0;
    for (uint32_t n = first + 1; n < end && trial.count < NET_GROUP; n++) {
        const struct net_node *const node = &b->graph->nodes[n];
        bool joins = b->group[n] == NET_NONE && is_element(node) &&
                     net_has_shape(&b->graph->values[node->output], shape->rank, shape->shape) &&
                     reads + node->input_count <= NET_OPERANDS - 6,
             reads_group = false;
        for (uint32_t i = 0; i < trial.count; i++) /* a run checks what such a node makes */
            joins &= !net_is_wide_cast(b->graph, &b->graph->nodes[trial.nodes[i]]);
        for (uint32_t k = 0; k < node->input_count && joins; k++)
            for (uint32_t i = 0; i < trial.count; i++)
                if (b->graph->nodes[trial.nodes[i]].output == node->inputs[k]) {
                    outside[i]--;
                    reads_group = true;
                }
        if (!reads_group)
            continue;
        reads += node->input_count;
        outside[trial.count] = b->uses[node->output];
        trial.nodes[trial.count++] = n;
        trial.output = node->output;
        bool one_exit = true;
        for (uint32_t i = 0; i + 1 < trial.count; i++)
            one_exit &= outside[i] == 0;
        if (one_exit)
            *group = trial;
    }
}

static void make_groups(struct net_builder *b)
{
    const struct net_graph *const graph = b->graph;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        if (b->group[n] != NET_NONE)
            continue;
        struct net_group *const group = &b->groups[b->group_count];
        *group = (struct net_group){.nodes = {n},
                                    .count = 1,
                                    .output = graph->nodes[n].output,
                                    .start = is_element(&graph->nodes[n]) ? NET_NONE
                                                                          : graph->nodes[n].output};
        if (!b->options.unfused && takes_chain(&graph->nodes[n]))
            grow(b, group, n);
        for (uint32_t i = 0; i < group->count; i++)
            b->group[group->nodes[i]] = (uint32_t)b->group_count;
        b->group_count++;
    }
}

/* Borders that windows need around the values that they read. Outputs of LayerNormalization are
 * rows without gaps: their readers copy. */
static void find_borders(struct net_builder *b)
{
    for (size_t n = 0; n < b->graph->node_count; n++) {
        const struct net_node *const node = &b->graph->nodes[n];
        if (node->op != NET_Conv)
            continue;
        const uint32_t producer = b->graph->values[node->inputs[0]].producer;
        if (producer != NET_NONE && b->graph->nodes[producer].op == NET_LayerNormalization)
            continue;
        struct net_border *const border = &b->border[node->inputs[0]];
        for (uint32_t i = 0; i < 4; i++) {
            uint64_t *const side = (i < 2 ? border->before : border->after) + 2 + i % 2;
            *side = *side < node->params.pad[i] ? node->params.pad[i] : *side;
        }
    }
}

/* --- steps */

static char *join_names(const struct net_graph *graph, const uint32_t *nodes, uint32_t count)
{
    struct sam_buffer name = {0};
    for (uint32_t i = 0; i < count; i++)
        sam_buffer_printf(&name, "%s%s", i ? " + " : "", graph->nodes[nodes[i]].name);
    if (!count)
        sam_buffer_puts(&name, "output");
    if (name.failed)
        sam_buffer_free(&name);
    return (char *)name.data;
}

void sam_net_step_finish(struct net_builder *b, const char *made, uint32_t count, uint32_t output)
{
    struct net_plan *const plan = b->plan;
    const uint32_t *const nodes = b->at->nodes;
    struct net_step step = {.template = made,
                            .buffers = b->text.buffers,
                            .buffer_count = b->text.buffer_count,
                            .scalar_count = b->text.scalar_count,
                            .node_count = count,
                            .output = output,
                            .products = b->products};
    const struct net_plan *const owner = b->text.plan;
    void *grown =
        sam_grow(plan->steps, plan->step_count, &plan->step_capacity, sizeof *plan->steps);
    if (grown)
        plan->steps = grown;
    step.text = sam_net_text_finish(&b->text);
    step.name = join_names(b->graph, nodes, count);
    step.nodes = sam_alloc(count, sizeof *step.nodes);
    memcpy(step.scalars, b->text.scalars, sizeof step.scalars);
    b->text.buffers = NULL; /* the step's now */
    sam_net_text_free(&b->text);
    b->text.plan = owner;
    b->products = 0;
    if (step.nodes && count)
        memcpy(step.nodes, nodes, count * sizeof *nodes);
    if (!grown || !step.text || !step.name || !step.nodes || b->status != SAM_OK) {
        sam_net_build_fail(b, SAM_ERR_MEMORY, "out of memory");
        sam_net_step_free(&step);
        return;
    }
    for (size_t i = 0; i < step.buffer_count; i++) {
        struct net_buffer *const buffer = &plan->buffers[step.buffers[i]];
        if (buffer->first == SIZE_MAX)
            buffer->first = plan->step_count;
        buffer->last = plan->step_count;
    }
    plan->steps[plan->step_count++] = step;
}

/* Outputs that are somewhere else, or in another order, are copied at the end. */
static void finish_outputs(struct net_builder *b)
{
    static const struct net_group no_nodes;
    const struct net_graph *const graph = b->graph;
    b->at = &no_nodes;
    b->node = NULL;
    for (uint32_t i = 0; i < graph->output_count && b->status == SAM_OK; i++) {
        const uint32_t value = graph->outputs[i];
        const struct sam_net_value *const v = &graph->values[value];
        const struct net_place from = sam_net_place_of(b, value);
        if (b->status != SAM_OK || v->count == 0)
            continue;
        const struct net_buffer *const buffer = &b->plan->buffers[from.buffer];
        if (buffer->kind == NET_BUFFER_OUTPUT && buffer->value == value && buffer->number == i)
            continue;
        struct net_place to = sam_net_place_like(v);
        to.buffer =
            sam_net_buffer_add(b, NET_BUFFER_OUTPUT, sam_net_kept(v->dtype), value, v->count);
        if (b->status != SAM_OK)
            continue;
        b->plan->buffers[to.buffer].number = i;
        sam_net_copy(b, &from, net_at(0), &to);
        sam_net_step_finish(b, "output", 0, NET_NONE);
    }
}

/* --- the arena */

static int by_size(const void *a, const void *b)
{
    const struct net_buffer *const x = *(struct net_buffer *const *)a,
                                   *const y = *(struct net_buffer *const *)b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return x < y ? -1 : x > y;
}

static uint64_t room_of(const struct net_buffer *buffer)
{
    return (net_bytes(buffer) + 63) / 64 * 64;
}

/* The first gap between those placed before that live at the same time; the largest go first. */
static enum sam_status make_arena(struct net_plan *plan, struct sam_error *error)
{
    struct net_buffer **const list = sam_alloc(plan->buffer_count, sizeof(struct net_buffer *));
    size_t count = 0;
    if (!list)
        return sam_fail_memory(error);
    for (size_t i = 0; i < plan->buffer_count; i++)
        if (plan->buffers[i].kind == NET_BUFFER_SCRATCH && plan->buffers[i].first != SIZE_MAX)
            list[count++] = &plan->buffers[i];
    qsort(list, count, sizeof(struct net_buffer *), by_size);
    for (size_t i = 0; i < count; i++) {
        struct net_buffer *const one = list[i];
        const uint64_t size = room_of(one);
        bool moved = true;
        while (moved) {
            moved = false;
            for (size_t k = 0; k < i; k++) {
                const struct net_buffer *const other = list[k];
                const uint64_t end = other->offset + room_of(other);
                if (other->first <= one->last && one->first <= other->last &&
                    other->offset < one->offset + size && one->offset < end) {
                    one->offset = end;
                    moved = true;
                }
            }
        }
        if (one->offset + size > plan->arena)
            plan->arena = one->offset + size;
    }
    free(list);
    return SAM_OK;
}

/* --- the plan */

static bool start(struct net_builder *b)
{
    const struct net_graph *const graph = b->graph;
    b->border = sam_blocks_take(&b->store, graph->value_count + 1, sizeof *b->border);
    b->uses = sam_blocks_take(&b->store, graph->value_count + 1, sizeof *b->uses);
    b->bordered = sam_blocks_take(&b->store, graph->value_count + 1, sizeof *b->bordered);
    b->group = sam_blocks_take(&b->store, graph->node_count + 1, sizeof *b->group);
    b->groups = sam_blocks_take(&b->store, graph->node_count + 1, sizeof *b->groups);
    b->plan->places = sam_alloc(graph->value_count, sizeof *b->plan->places);
    if (!b->border || !b->uses || !b->bordered || !b->group || !b->groups || !b->plan->places)
        return false;
    for (size_t i = 0; i < graph->value_count; i++)
        b->plan->places[i].buffer = NET_NONE;
    for (size_t n = 0; n < graph->node_count; n++) {
        b->group[n] = NET_NONE;
        for (uint32_t k = 0; k < graph->nodes[n].input_count; k++)
            b->uses[graph->nodes[n].inputs[k]]++;
    }
    for (size_t i = 0; i < graph->output_count; i++)
        b->uses[graph->outputs[i]]++;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct sam_net_value *const v = &graph->values[graph->inputs[i]];
        struct net_place *const place = &b->plan->places[graph->inputs[i]];
        *place = sam_net_place_like(v);
        place->buffer = sam_net_buffer_add(b, NET_BUFFER_INPUT, sam_net_kept(v->dtype),
                                           graph->inputs[i], v->count);
        if (b->status != SAM_OK)
            return false;
        b->plan->buffers[place->buffer].number = i;
    }
    return true;
}

static void build(struct net_builder *b)
{
    make_groups(b);
    find_borders(b);
    for (uint32_t n = 0; n < b->graph->node_count && b->status == SAM_OK; n++) {
        const struct net_group *const group = &b->groups[b->group[n]];
        if (group->nodes[group->count - 1] != n || b->graph->values[group->output].count == 0)
            continue;
        b->at = group;
        b->node = &b->graph->nodes[group->nodes[0]];
        b->made = templates[b->node->op].name;
        templates[b->node->op].plan(b);
        if (b->text.body.size) /* a view needs no step */
            sam_net_step_finish(b, b->made, group->count, group->output);
    }
    finish_outputs(b);
}

enum sam_status sam_net_plan_make(const struct net_graph *graph,
                                  const struct sam_network_options *options, struct net_plan **plan,
                                  struct sam_error *error)
{
    if (SAM_LACKS(error, graph, plan))
        return SAM_ERR_USAGE;
    struct net_builder b = {.graph = graph, .error = error};
    *plan = b.plan = sam_alloc(1, sizeof *b.plan);
    if (!b.plan)
        return sam_fail_memory(error);
    b.plan->graph = graph;
    b.text.plan = b.plan;
    if (options)
        b.options = *options;
    if (start(&b))
        build(&b);
    else
        sam_net_build_fail(&b, SAM_ERR_MEMORY, "out of memory");
    sam_blocks_free(&b.store);
    sam_net_text_free(&b.text);
    if (b.status == SAM_OK)
        b.status = make_arena(b.plan, error);
    if (b.status == SAM_OK && b.options.weights != SAM_NETWORK_RAW)
        b.status = sam_net_plan_pack(b.plan, b.options.weights == SAM_NETWORK_WINDOW, error);
    if (b.status != SAM_OK) {
        sam_net_plan_free(b.plan);
        *plan = NULL;
    }
    return b.status;
}

void sam_net_step_free(struct net_step *step)
{
    sam_tile_program_free(step->program);
    free(step->name);
    free(step->nodes);
    free(step->text);
    free(step->buffers);
}

void sam_net_plan_free(struct net_plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->step_count; i++)
        sam_net_step_free(&plan->steps[i]);
    for (size_t i = 0; i < plan->buffer_count; i++) {
        free(plan->buffers[i].data);
        free(plan->buffers[i].name);
    }
    free(plan->steps);
    free(plan->buffers);
    free(plan->places);
    free(plan->packed);
    free(plan);
}
