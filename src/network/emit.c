/* SPDX-License-Identifier: Apache-2.0 */
/* A plan to look at, and as files: tile programs, constants, and a script that runs them. */
#include <stdlib.h>

#include "network/plan.h"

/* ------------------------------------------------------------------------------- the plan */

/* The place of a step's output. */
static void put_place(const struct net_plan *plan, const struct net_step *step,
                      struct sam_buffer *out)
{
    const uint32_t number = step->buffer_count ? step->buffers[step->buffer_count - 1] : NET_NONE;
    if (number == NET_NONE)
        return;
    const struct net_buffer *b = &plan->buffers[number];
    const uint64_t bytes = net_bytes(b);
    if (b->kind == NET_BUFFER_SCRATCH)
        sam_buffer_printf(out, "arena %#llx, %llu bytes", (unsigned long long)b->offset,
                          (unsigned long long)bytes);
    else
        sam_buffer_printf(out, "output, %llu bytes", (unsigned long long)bytes);
}

static size_t line_count(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

enum sam_status sam_network_list(const struct sam_network *network, char **text,
                                 struct sam_error *error)
{
    if (text)
        *text = NULL;
    if (SAM_LACKS(error, network, text))
        return SAM_ERR_USAGE;
    const struct net_plan *const plan = network->plan;
    struct sam_buffer out = {0}, place = {0};
    uint64_t products = 0, weights = 0;
    for (size_t i = 0; i < plan->step_count; i++)
        products += plan->steps[i].products;
    for (size_t i = 0; i < plan->buffer_count; i++)
        if (plan->buffers[i].kind == NET_BUFFER_WEIGHT)
            weights += net_bytes(&plan->buffers[i]);
    sam_buffer_printf(&out,
                      "%zu steps, %llu multiply-accumulates; DRAM: %llu bytes of weights, an arena "
                      "of %llu bytes\n step  kind            products  lines  result in"
                      "                       nodes\n",
                      plan->step_count, (unsigned long long)products, (unsigned long long)weights,
                      (unsigned long long)plan->arena);
    for (size_t i = 0; i < plan->step_count; i++) {
        const struct net_step *s = &plan->steps[i];
        place.size = 0;
        put_place(plan, s, &place);
        sam_buffer_printf(&out, "%5zu  %-12s %11llu %6zu  %-30s  %s\n", i, s->template,
                          (unsigned long long)s->products, line_count(s->text),
                          sam_buffer_text(&place), s->name);
    }
    const bool failed = out.failed || place.failed;
    sam_buffer_free(&place);
    if (failed) {
        sam_buffer_free(&out);
        return sam_fail_memory(error);
    }
    *text = (char *)out.data;
    return SAM_OK;
}

/* ------------------------------------------------------------------------------- the files */

static enum sam_status save(const char *folder, const char *name, const struct net_buffer *array,
                            const void *data, size_t size, struct sam_error *error)
{
    struct sam_buffer path = {0};
    enum sam_status status;
    if (!sam_buffer_printf(&path, "%s/%s", folder, name))
        return sam_fail_memory(error);
    if (array) {
        struct sam_array made = net_array_of(array, array->data);
        made.dtype = sam_dtype_npy(array->dtype);
        status = sam_npy_write(sam_buffer_text(&path), &made, error);
    } else {
        status = sam_file_save(sam_buffer_text(&path), data, size, error);
    }
    sam_buffer_free(&path);
    return status;
}

/* The arguments of a step. An array appears when a step first uses it, as zeros. */
static void put_arguments(const struct net_plan *plan, size_t index, struct sam_buffer *out)
{
    static const char *const names[] = {"input", "output", "weight", "array"}; /* by kind */
    const struct net_step *s = &plan->steps[index];
    for (size_t i = 0; i < s->buffer_count; i++) {
        const struct net_buffer *b = &plan->buffers[s->buffers[i]];
        const bool constant = b->kind == NET_BUFFER_INPUT || b->kind == NET_BUFFER_WEIGHT;
        char file[32];
        sam_format(file, sizeof file, "%s%u.npy", names[b->kind],
                   b->kind <= NET_BUFFER_OUTPUT ? b->number : s->buffers[i]);
        sam_buffer_puts(out, " \\\n    --arg ");
        if (b->name)
            sam_buffer_printf(out, "packed:weights.smw:%s", b->name);
        else if (constant)
            sam_buffer_printf(out, "in:%s", file);
        else if (b->first == index)
            sam_buffer_printf(out, "out:%s:%llu:%s", sam_dtype_name(b->dtype),
                              (unsigned long long)b->count, file);
        else
            sam_buffer_printf(out, "inout:%s:%s", file, file);
    }
    for (size_t i = 0; i < s->scalar_count; i++)
        sam_buffer_printf(out, " \\\n    --arg i64:\"$index_%u_%llu\"",
                          plan->buffers[s->scalars[i].buffer].number,
                          (unsigned long long)s->scalars[i].element);
}

static void put_script(const struct net_plan *plan, struct sam_buffer *out)
{
    sam_buffer_puts(
        out, "#!/bin/sh\n"
             "# run [OPTION...]: the steps of a network, one after another, from input0.npy, "
             "... to\n# output0.npy, ...: one-dimensional arrays, integers as i32. OPTION: "
             "--machine system --cycles, ...\nset -eu\ncd -- \"$(dirname -- \"$0\")\"\n");
    for (size_t i = 0; i < plan->step_count; i++)
        for (size_t k = 0; k < plan->steps[i].scalar_count; k++) {
            const struct net_scalar_argument *a = &plan->steps[i].scalars[k];
            const unsigned number = plan->buffers[a->buffer].number;
            const unsigned long long element = (unsigned long long)a->element;
            sam_buffer_printf(out,
                              ": \"${index_%u_%llu:?expected element %llu of input %u in the "
                              "environment}\"\n",
                              number, element, element, number);
        }
    for (size_t i = 0; i < plan->step_count; i++) {
        sam_buffer_printf(out, "samite run step%zu.pto --quiet \"$@\"", i);
        put_arguments(plan, i, out);
        sam_buffer_puts(out, "\n");
    }
}

enum sam_status sam_network_emit(const struct sam_network *network, const char *folder,
                                 struct sam_error *error)
{
    if (SAM_LACKS(error, network, folder))
        return SAM_ERR_USAGE;
    const struct net_plan *const plan = network->plan;
    enum sam_status status = SAM_OK;
    char name[64];
    for (size_t i = 0; i < plan->step_count && status == SAM_OK; i++) {
        sam_format(name, sizeof name, "step%zu.pto", i);
        status = save(folder, name, NULL, plan->steps[i].text, strlen(plan->steps[i].text), error);
    }
    for (size_t i = 0; i < plan->buffer_count && status == SAM_OK; i++) {
        if (plan->buffers[i].kind != NET_BUFFER_WEIGHT || plan->buffers[i].name)
            continue;
        sam_format(name, sizeof name, "weight%zu.npy", i);
        status = save(folder, name, &plan->buffers[i], NULL, 0, error);
    }
    if (status == SAM_OK && plan->packed)
        status = save(folder, "weights.smw", NULL, plan->packed, plan->packed_size, error);
    struct sam_buffer script = {0};
    put_script(plan, &script);
    if (status == SAM_OK)
        status = script.failed
                     ? sam_fail_memory(error)
                     : save(folder, "run", NULL, sam_buffer_text(&script), script.size, error);
    sam_buffer_free(&script);
    return status;
}
