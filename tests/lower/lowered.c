/* SPDX-License-Identifier: Apache-2.0 */
#include "lower/lowered.h"

#include <inttypes.h>

/* The texts, which are too long for a message of a test. */
static void show(const struct sam_tile_lowered *made)
{
    if (getenv("SAMITE_SHOW"))
        fprintf(stderr, "%s\n%s\n", sam_tile_lowered_hart(made), sam_tile_lowered_gpu(made));
}

#define FAIL(made, ...)                                                                            \
    do {                                                                                           \
        show(made);                                                                                \
        fail_msg(__VA_ARGS__);                                                                     \
    } while (0)

static struct sam_tile_program *parse(const struct lowered *x)
{
    struct sam_tile_program *p = NULL;
    struct sam_error error;
    FREED char *messages = NULL;
    const char *name = x->name ? x->name : "test.pto";
    if (sam_tile_parse(name, x->text, strlen(x->text), &p, &messages, &error) != SAM_OK)
        fail_msg("%s\n%s", messages ? messages : error.text, x->text);
    return p;
}

struct sam_array *lowered_array(struct lowered *x, enum sam_dtype dtype, size_t rows, size_t cols)
{
    assert_true(x->count < LOWERED_ARGUMENTS);
    struct sam_array *a = &x->arrays[x->count];
    const size_t count = (rows ? rows : 1) * cols;
    *a = (struct sam_array){.dtype = dtype, .rank = rows ? 2 : 1, .count = count};
    a->shape[0] = rows ? rows : cols;
    a->shape[1] = rows ? cols : 0;
    a->size = count * sam_dtype_size(dtype);
    a->data = calloc(a->size + 1, 1);
    x->arguments[x->count++].array = a;
    return a;
}

struct sam_array *lowered_random(struct lowered *x, enum sam_dtype dtype, size_t rows, size_t cols)
{
    struct sam_array *a = lowered_array(x, dtype, rows, cols);
    test_random_elements(a->data, a->count, dtype, &x->seed);
    return a;
}

void lowered_scalar(struct lowered *x, enum sam_dtype dtype, uint64_t bits)
{
    assert_true(x->count < LOWERED_ARGUMENTS);
    x->arguments[x->count++] =
        (struct sam_tile_argument){.is_scalar = true, .dtype = dtype, .bits = bits};
}

void lowered_name(struct lowered *x, const char *name, bool output)
{
    x->arguments[x->count - 1].name = name;
    x->arguments[x->count - 1].output = output;
}

void lowered_free(struct lowered *x)
{
    for (size_t i = 0; i < LOWERED_ARGUMENTS; i++)
        free(x->arrays[i].data);
    memset(x->arrays, 0, sizeof x->arrays);
    memset(x->arguments, 0, sizeof x->arguments);
    x->count = 0;
}

void lowered_copy(const struct lowered *x, struct lowered *to)
{
    *to = *x;
    for (size_t i = 0; i < x->count; i++) {
        const struct sam_array *array = x->arguments[i].array;
        if (!array)
            continue;
        if (array != &x->arrays[i]) { /* that of another argument */
            to->arguments[i].array = &to->arrays[array - x->arrays];
            to->arrays[i].data = NULL;
            continue;
        }
        to->arrays[i].data = malloc(x->arrays[i].size + 1);
        memcpy(to->arrays[i].data, x->arrays[i].data, x->arrays[i].size);
        to->arguments[i].array = &to->arrays[i];
    }
}

static void lower(struct lowered *x, const struct sam_tile_program *p,
                  struct sam_tile_lowered **made)
{
    FREED char *messages = NULL;
    x->options.size = sizeof x->options;
    if (sam_tile_lower(p, 0, x->arguments, x->count, &x->options, made, &messages, &x->error) !=
        SAM_OK)
        fail_msg("%s: %s\n%s", x->error.text, messages ? messages : "", x->text);
}

static void run_system(struct lowered *x, struct sam_tile_lowered *made)
{
    const struct sam_gpu_options gpu = {.size = sizeof gpu, .max_insns = 100000000, .jobs = 1};
    const struct sam_hart_options hart = {.size = sizeof hart,
                                          .max_insns = 400000000,
                                          .mlen = x->options.mlen,
                                          .acc_regs = x->options.acc_regs};
    const struct sam_system_options options = {
        .size = sizeof options, .gpu = &gpu, .hart = &hart, .check_races = true};
    struct sam_system *system;
    struct sam_system_result result;
    if (sam_system_new(&options, &system, &x->error) != SAM_OK ||
        sam_tile_lowered_load(made, system, &x->error) != SAM_OK ||
        (x->options.weights && sam_system_load_weights(system, x->options.weights,
                                                       x->options.weights_size, 0, &x->error)))
        FAIL(made, "%s\n%s", x->error.text, x->text);
    if (sam_system_run(system, &result, &x->error) != SAM_OK || result.hart.end != SAM_HART_EXIT)
        FAIL(made, "%s\n%s", x->error.text, x->text);
    SCOPED_TEXT *races = NULL;
    assert_int_equal(sam_system_print_races(system, 0, &races, &x->error), SAM_OK);
    if (races[0])
        FAIL(made, "%s\n%s", races, x->text);
    x->status = sam_tile_lowered_failure(made, system, &x->error);
    assert_int_equal(result.hart.exit_code, x->status != SAM_OK);
    if (x->status == SAM_OK)
        assert_int_equal(sam_tile_lowered_fetch(made, system, &x->error), SAM_OK);
    sam_system_free(system);
}

static void compare(const struct lowered *x, const struct lowered *y,
                    const struct sam_tile_lowered *made)
{
    for (size_t i = 0; i < x->count; i++) {
        const struct sam_array *a = &x->arrays[i], *b = &y->arrays[i];
        const size_t size = sam_dtype_size(a->dtype);
        for (size_t k = 0; x->arguments[i].array == a && k < a->count; k++)
            if (memcmp((uint8_t *)a->data + k * size, (uint8_t *)b->data + k * size, size) != 0)
                FAIL(made,
                     "argument %zu, element %zu: 0x%" PRIx64 " on the system, 0x%" PRIx64
                     " by the executor\n%s",
                     i, k, test_bits(b->data, k, b->dtype), test_bits(a->data, k, a->dtype),
                     x->text);
    }
}

void lowered_run(struct lowered *x)
{
    SCOPED_PROGRAM *p = parse(x);
    struct sam_tile_lowered *made, *other;
    SCOPED(lowered) y, z;
    lowered_copy(x, &y);
    lower(&y, p, &made);
    run_system(&y, made);
    lowered_copy(x, &z); /* as written, or in a new order */
    z.options.in_order = !z.options.in_order;
    lower(&z, p, &other);
    run_system(&z, other);
    for (size_t i = 0; i < x->count; i++) /* the executor reads arrays */
        x->arguments[i].packed = NULL;
    const struct sam_tile_options options = {.size = sizeof options,
                                             .profile = x->options.profile,
                                             .nan = x->options.nan,
                                             .dialect = x->options.dialect,
                                             .outside = x->options.outside,
                                             .sum_order = SAM_TILE_SUM_SYSTEM};
    x->status = sam_tile_run(p, 0, x->arguments, x->count, &options, NULL, &x->error);
    const struct lowered *const both[] = {&y, &z};
    for (size_t i = 0; i < 2; i++) {
        if (x->status != both[i]->status ||
            (x->status != SAM_OK && strcmp(x->error.text, both[i]->error.text) != 0))
            fail_msg("by the executor: %s\non the system: %s\n%s",
                     x->status == SAM_OK ? "done" : x->error.text,
                     both[i]->status == SAM_OK ? "done" : both[i]->error.text, x->text);
        if (x->status == SAM_OK)
            compare(x, both[i], i ? other : made);
    }
    sam_tile_lowered_free(made);
    sam_tile_lowered_free(other);
}

void lowered_succeeds(struct lowered *x)
{
    lowered_run(x);
    if (x->status != SAM_OK)
        fail_msg("%s\n%s", x->error.text, x->text);
}

void lowered_refused(struct lowered *x, const char *words)
{
    SCOPED_PROGRAM *p = parse(x);
    struct sam_tile_lowered *made;
    FREED char *messages = NULL;
    x->options.size = sizeof x->options;
    assert_int_equal(
        sam_tile_lower(p, 0, x->arguments, x->count, &x->options, &made, &messages, &x->error),
        SAM_ERR_INPUT);
    assert_null(made);
    if (!strstr(x->error.text, words))
        fail_msg("no '%s' in: %s", words, x->error.text);
}

struct sam_tile_lowered *lowered_make(struct lowered *x)
{
    SCOPED_PROGRAM *p = parse(x);
    struct sam_tile_lowered *made;
    lower(x, p, &made);
    return made;
}

char *lowered_hart(struct lowered *x)
{
    struct sam_tile_lowered *made = lowered_make(x);
    char *text = sam_strdup(sam_tile_lowered_hart(made));
    sam_tile_lowered_free(made);
    return text;
}

void *lowered_pack(const struct sam_array *array, bool window, size_t *size)
{
    struct sam_weight tensor = {.name = "w", .type = array->dtype, .rank = 1};
    struct sam_weights weights = {.tensors = &tensor, .count = 1};
    const struct sam_codec_options options = {.size = sizeof options, .window = window};
    weights.file_size = tensor.size = array->size;
    tensor.shape[0] = array->count;
    const size_t room = sam_pack_bound(&weights);
    void *packed = test_room(room);
    assert_int_equal(sam_pack(&weights, array->data, &options, packed, room, size, NULL), SAM_OK);
    return packed;
}
