/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of a network: arrays by the names of its inputs and outputs, or in their order. */
#include <stdlib.h>

#include "machine/machine.h"

/* --output NAME=FILE */
static int add_output(struct run *run, const char *word)
{
    struct run_argument *a = run_arguments_add(&run->arguments, word);
    if (!a)
        return cli_no_memory();
    char *equals = strrchr(a->text, '=');
    if (!equals || equals == a->text || !equals[1])
        return cli_usage_error(run->request->args, "--output %s: expected NAME=FILE.npy", word);
    *equals = '\0';
    a->kind = RUN_BUFFER;
    a->output = true;
    a->name = a->text;
    a->path = equals + 1;
    return cli_writes(run->request->args, a->path) ?: run_check_output(a->path);
}

int network_read_arguments(struct run *run)
{
    const struct cli_list *outputs = &run->command->network.outputs;
    int code = run_arguments_parse(run->request, &run->arguments);
    for (size_t i = 0; i < outputs->count && code == CLI_OK; i++)
        code = add_output(run, outputs->items[i]);
    return code;
}

static bool is_named(const struct run *run, const char *name, bool output)
{
    for (size_t i = 0; i < run->arguments.count; i++) {
        const struct run_argument *a = &run->arguments.items[i];
        if (a->output == output && a->name && strcmp(a->name, name) == 0)
            return true;
    }
    return false;
}

typedef bool list_of_tensors(const struct sam_network *network, size_t index,
                             struct sam_network_tensor *tensor);

/* Give the arguments of one direction that lack a name those of the inputs or outputs that no
 * argument names, in order. */
static int name_arguments(struct run *run, list_of_tensors *list, bool output)
{
    struct sam_network_tensor tensor;
    const char *what = output ? "output" : "input";
    size_t at = 0;
    for (size_t i = 0; i < run->arguments.count; i++) {
        struct run_argument *a = &run->arguments.items[i];
        if (a->output != output || a->name)
            continue;
        while (list(run->network->made, at, &tensor) && is_named(run, tensor.name, output))
            at++;
        if (!list(run->network->made, at, &tensor))
            return cli_usage_error(run->request->args, "--arg %s: the network has no further %s",
                                   a->word, what);
        a->name = tensor.name;
        at++;
    }
    return CLI_OK;
}

static bool find(const struct run *run, list_of_tensors *list, const char *name,
                 struct sam_network_tensor *tensor)
{
    for (size_t i = 0; list(run->network->made, i, tensor); i++)
        if (strcmp(tensor->name, name) == 0)
            return true;
    return false;
}

/* An output's array has its type already, for checks. */
static int shape_output(struct run *run, struct run_argument *a)
{
    struct sam_network_tensor tensor;
    if (!find(run, sam_network_output, a->name, &tensor) &&
        !find(run, sam_network_value, a->name, &tensor))
        return cli_usage_error(run->request->args, "--arg %s: the network computes no value '%s'",
                               a->word, a->name);
    const uint64_t runs = run->command->network.runs;
    const size_t leading = runs != 0;
    struct sam_array *array = &a->array;
    if (tensor.rank + leading > sizeof array->shape / sizeof array->shape[0])
        return cli_error("--runs: output '%s' has no room for one more dimension", a->name);
    *array = (struct sam_array){.dtype = tensor.dtype, .rank = tensor.rank + leading, .count = 1};
    array->shape[0] = runs;
    memcpy(array->shape + leading, tensor.shape, tensor.rank * sizeof tensor.shape[0]);
    for (size_t i = 0; i < array->rank; i++)
        if (__builtin_mul_overflow(array->count, array->shape[i], &array->count) ||
            __builtin_mul_overflow(array->count, sam_dtype_size(array->dtype), &array->size))
            return cli_error("--runs: output '%s' has too many elements", a->name);
    return CLI_OK;
}

static int check_input(const struct run *run, const struct run_argument *a)
{
    struct sam_network_tensor tensor;
    return find(run, sam_network_input, a->name, &tensor)
               ? CLI_OK
               : cli_usage_error(run->request->args, "--arg %s: the network has no input '%s'",
                                 a->word, a->name);
}

int network_bind_arguments(struct run *run)
{
    int code = name_arguments(run, sam_network_input, false)
                   ?: name_arguments(run, sam_network_output, true);
    for (size_t i = 0; i < run->arguments.count && code == CLI_OK; i++) {
        struct run_argument *a = &run->arguments.items[i];
        code = a->output ? shape_output(run, a) : check_input(run, a);
    }
    return code;
}
