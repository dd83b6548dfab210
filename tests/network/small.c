/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

#include "reference/network_ref.h"
#include "test.h"

void small_start(struct small *small, uint64_t seed)
{
    memset(small, 0, sizeof *small);
    small->seed = small->random = seed;
    small->graph.values = small->values;
    small->graph.nodes = small->nodes;
    small->graph.inputs = small->inputs;
    small->graph.outputs = small->outputs;
}

void small_free(struct small *small)
{
    for (size_t i = 0; i < small->graph.value_count; i++)
        free(small->data[i]);
}

uint64_t small_below(struct small *small, uint64_t bound)
{
    return test_below(&small->random, bound);
}

uint32_t small_value(struct small *small, enum sam_dtype dtype, uint32_t rank,
                     const uint64_t *shape)
{
    const uint32_t index = (uint32_t)small->graph.value_count++;
    assert_true(index < SMALL_VALUES);
    struct sam_net_value *const value = &small->values[index];
    snprintf(small->names[index], sizeof small->names[0], "v%u", index);
    *value = (struct sam_net_value){.name = small->names[index],
                                    .dtype = dtype,
                                    .rank = rank,
                                    .count = 1,
                                    .producer = NET_NONE,
                                    .initializer = NET_NONE};
    for (uint32_t i = 0; i < rank; i++)
        value->count *= value->shape[i] = shape[i];
    return index;
}

static double random_number(struct small *small, double low, double high)
{
    const double at = (double)test_below(&small->random, 1u << 24) / (1 << 24);
    return low + at * (high - low);
}

static void *random_elements(struct small *small, const struct sam_net_value *value, double low,
                             double high)
{
    void *const data = calloc(value->count + 1, 8);
    for (uint64_t i = 0; i < value->count; i++) {
        double number = random_number(small, low, high);
        if (small->whole || value->dtype != SAM_F32)
            number = floor(number);
        switch (value->dtype) {
        case SAM_I64: ((int64_t *)data)[i] = (int64_t)number; break;
        case SAM_I32: ((int32_t *)data)[i] = (int32_t)number; break;
        case SAM_U8: ((uint8_t *)data)[i] = (uint8_t)(int64_t)number; break;
        default: ((float *)data)[i] = (float)number;
        }
    }
    return data;
}

uint32_t small_input(struct small *small, enum sam_dtype dtype, uint32_t rank,
                     const uint64_t *shape)
{
    const uint32_t value = small_value(small, dtype, rank, shape);
    small->inputs[small->graph.input_count++] = value;
    return value;
}

uint32_t small_constant(struct small *small, enum sam_dtype dtype, uint32_t rank,
                        const uint64_t *shape, double low, double high)
{
    const uint32_t value = small_value(small, dtype, rank, shape);
    small->data[value] = random_elements(small, &small->values[value], low, high);
    small->values[value].data = small->data[value];
    return value;
}

struct net_node *small_node(struct small *small, enum sam_net_op op, uint32_t output,
                            uint32_t count, const uint32_t *inputs)
{
    const uint32_t index = (uint32_t)small->graph.node_count++;
    assert_true(index < SMALL_NODES && count <= 16);
    snprintf(small->names[SMALL_VALUES + index], sizeof small->names[0], "n%u", index);
    small->nodes[index] = (struct net_node){.op = op,
                                            .name = small->names[SMALL_VALUES + index],
                                            .inputs = small->lists[index],
                                            .input_count = count,
                                            .output = output};
    memcpy(small->lists[index], inputs, count * sizeof *inputs);
    small->values[output].producer = index;
    return &small->nodes[index];
}

void small_output(struct small *small, uint32_t value)
{
    small->outputs[small->graph.output_count++] = value;
}

/* --- checks */

static double number_at(const struct sam_net_value *value, const void *data, uint64_t i)
{
    uint64_t bits = 0;
    const size_t size = sam_dtype_size(value->dtype);
    memcpy(&bits, (const uint8_t *)data + i * size, size);
    return sam_dtype_value(value->dtype, bits);
}

static void compare(const struct small *small, const struct sam_net_value *value,
                    const void *expected, const void *got, double tolerance)
{
    double range = small->least;
    for (uint64_t i = 0; i < value->count; i++)
        if (isfinite(number_at(value, expected, i)))
            range = fmax(range, fabs(number_at(value, expected, i)));
    for (uint64_t i = 0; i < value->count; i++) {
        const double e = number_at(value, expected, i), g = number_at(value, got, i);
        if (isnan(e) ? isnan(g) : e == g || fabs(e - g) <= tolerance * range)
            continue;
        fail_msg("seed %#llx: %s[%llu of %llu]: %.9g, expected %.9g (range %g)",
                 (unsigned long long)small->seed, value->name, (unsigned long long)i,
                 (unsigned long long)value->count, g, e, range);
    }
}

static void **new_outputs(const struct small *small)
{
    void **const outputs = calloc(16, sizeof *outputs);
    for (size_t i = 0; i < small->graph.output_count; i++)
        outputs[i] = calloc(small->values[small->outputs[i]].count + 1, 8);
    return outputs;
}

static void free_outputs(const struct small *small, void **outputs)
{
    for (size_t i = 0; i < small->graph.output_count; i++)
        free(outputs[i]);
    free(outputs);
}

static void check_plan(const struct small *small, const void *const *inputs, void *const *expected,
                       const struct sam_network_options *options, double tolerance, bool system)
{
    struct sam_error error = {0};
    struct net_plan *plan = NULL;
    succeeds(sam_net_plan_make, &small->graph, options, &plan);
    if (getenv("SAMITE_PLAN"))
        for (size_t i = 0; i < plan->step_count; i++)
            printf("// %s: %s\n%s", plan->steps[i].template, plan->steps[i].name,
                   plan->steps[i].text);
    void **const host = new_outputs(small), **const other = new_outputs(small);
    if (sam_net_plan_run(plan, NULL, inputs, host, NULL, &error) != SAM_OK)
        fail_msg("seed %#llx: %s", (unsigned long long)small->seed, error.text);
    for (size_t i = 0; i < small->graph.output_count; i++)
        compare(small, &small->values[small->outputs[i]], expected[i], host[i], tolerance);
    if (system) {
        if (sam_net_plan_run(plan, &on_system, inputs, other, NULL, &error) != SAM_OK)
            fail_msg("system: %s", error.text);
        for (size_t i = 0; i < small->graph.output_count; i++) {
            const struct sam_net_value *const value = &small->values[small->outputs[i]];
            const size_t size = sam_dtype_size(value->dtype);
            for (uint64_t k = 0; k < value->count; k++)
                if (memcmp((char *)host[i] + k * size, (char *)other[i] + k * size, size) != 0)
                    fail_msg("seed %#llx: %s[%llu] is %.9g, on the system %.9g",
                             (unsigned long long)small->seed, value->name, (unsigned long long)k,
                             number_at(value, host[i], k), number_at(value, other[i], k));
        }
    }
    free_outputs(small, host);
    free_outputs(small, other);
    sam_net_plan_free(plan);
}

void small_check(struct small *small, double tolerance, bool system)
{
    void *values[SMALL_VALUES] = {0};
    const void *inputs[16] = {0};
    void *expected[16] = {0};
    for (size_t i = 0; i < small->graph.input_count; i++) {
        const struct sam_net_value *const value = &small->values[small->inputs[i]];
        inputs[i] = values[small->inputs[i]] = random_elements(small, value, -2, 2);
    }
    for (size_t i = 0; i < small->graph.value_count; i++)
        if (!values[i])
            values[i] = small->data[i] ? small->data[i] : calloc(small->values[i].count + 1, 8);
    network_ref_run(&small->graph, values);
    for (size_t i = 0; i < small->graph.output_count; i++)
        expected[i] = values[small->outputs[i]];
    check_plan(small, inputs, expected, &(struct sam_network_options){.unfused = true}, tolerance,
               false);
    check_plan(small, inputs, expected, NULL, tolerance, system);
    if (system) {
        const struct sam_network_options packed = {
            .weights = test_below(&small->random, 2) ? SAM_NETWORK_HUFFMAN : SAM_NETWORK_WINDOW};
        check_plan(small, inputs, expected, &packed, tolerance, true);
    }
    for (size_t i = 0; i < small->graph.value_count; i++)
        if (values[i] != small->data[i])
            free(values[i]);
}
