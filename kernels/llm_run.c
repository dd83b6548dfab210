/* SPDX-License-Identifier: Apache-2.0 */
/* A language model on the executor of tile programs, or on the system: a step is lowered for its
 * token and position, which are numbers in its program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llm.h"
#include "model.h"

enum { FIXED = 4, SCALARS = 2 }; /* arrays before the weights; the logits follow them */

struct llm_run {
    const struct llm *llm;
    struct llm_run_options options;
    struct sam_tile_program *program;
    uint16_t *keys, *values; /* [layers][context][width] */
    float *logits;
    struct sam_array *arrays;
    struct sam_tile_argument *arguments;
    size_t array_count;
    struct sam_system_figures *figures;
    struct sam_tile_lowered *lowered; /* source of their names */
    uint64_t cycles;
};

static enum sam_status refuse(struct sam_error *error)
{
    snprintf(error->text, sizeof error->text, "out of memory");
    return SAM_ERR_MEMORY;
}

static void set_array(struct llm_run *run, size_t at, enum sam_dtype dtype, uint64_t rows,
                      uint64_t columns, void *data)
{
    run->arrays[at] = (struct sam_array){.dtype = dtype,
                                         .rank = 2,
                                         .shape = {rows, columns},
                                         .count = (size_t)(rows * columns),
                                         .data = data};
    run->arguments[at] = (struct sam_tile_argument){.array = &run->arrays[at]};
}

static void set_arguments(struct llm_run *run)
{
    const struct llm *llm = run->llm;
    const struct llm_shape *s = &llm->shape;
    set_array(run, 0, SAM_F16, s->vocabulary, s->width, llm->embed);
    set_array(run, 1, SAM_F32, s->positions, s->width, llm->turns);
    set_array(run, 2, SAM_F16, (uint64_t)s->layers * s->context, s->width, run->keys);
    set_array(run, 3, SAM_F16, (uint64_t)s->layers * s->context, s->width, run->values);
    for (int i = 0; i < LLM_MATRICES; i++) {
        const struct llm_rows *m = &llm->matrices[i];
        const bool half = llm->half != NULL;
        set_array(run, (size_t)FIXED + (size_t)i, half ? SAM_F16 : SAM_F32,
                  (uint64_t)m->rows * m->layers, m->depth,
                  half ? (void *)(llm->half + m->at) : (void *)(llm->weights + m->at));
        if (run->options.packed)
            run->arguments[FIXED + i].packed = llm_matrix_name((enum llm_matrix)i);
    }
    set_array(run, FIXED + LLM_MATRICES, SAM_F32, 1, s->vocabulary, run->logits);
}

static enum sam_status parse(struct llm_run *run, struct sam_error *error)
{
    char *messages = NULL, *text = llm_program(run->llm, error);
    if (!text)
        return SAM_ERR_MEMORY;
    const enum sam_status status =
        sam_tile_parse("llm_step.pto", text, strlen(text), &run->program, &messages, error);
    free(messages);
    free(text);
    return status;
}

enum sam_status llm_run_new(const struct llm *llm, const struct llm_run_options *options,
                            struct llm_run **result, struct sam_error *error)
{
    const struct llm_shape *s = &llm->shape;
    const size_t cached = (size_t)s->layers * s->context * s->width;
    struct llm_run *run = *result = calloc(1, sizeof *run);
    if (!run)
        return refuse(error);
    run->llm = llm;
    run->options = *options;
    run->array_count = FIXED + LLM_MATRICES + 1;
    run->keys = calloc(cached, sizeof *run->keys);
    run->values = calloc(cached, sizeof *run->values);
    run->logits = calloc(s->vocabulary, sizeof *run->logits);
    run->arrays = calloc(run->array_count, sizeof *run->arrays);
    run->arguments = calloc(run->array_count + SCALARS, sizeof *run->arguments);
    if (!run->keys || !run->values || !run->logits || !run->arrays || !run->arguments)
        return refuse(error);
    set_arguments(run);
    return parse(run, error);
}

static void drop_figures(struct llm_run *run)
{
    sam_system_figures_free(run->figures);
    sam_tile_lowered_free(run->lowered);
    run->figures = NULL;
    run->lowered = NULL;
}

void llm_run_free(struct llm_run *run)
{
    if (!run)
        return;
    drop_figures(run);
    sam_tile_program_free(run->program);
    free(run->keys);
    free(run->values);
    free(run->logits);
    free(run->arrays);
    free(run->arguments);
    free(run);
}

static enum sam_status run_once(struct llm_run *run, struct sam_system *system,
                                struct sam_error *error)
{
    enum sam_status status = sam_system_run(system, NULL, error);
    if (status == SAM_OK)
        status = sam_tile_lowered_failure(run->lowered, system, error);
    sam_system_figures_free(run->figures);
    run->figures = NULL;
    if (status == SAM_OK && run->options.timing)
        status = sam_system_measure(system, &run->figures, error);
    return status;
}

/* Data of the program, as it was before the first run. */
static enum sam_status copy_data(const struct sam_image *image, struct sam_system *system,
                                 uint8_t **copy, bool back, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    size_t used = 0, size = 0;
    for (size_t i = 0; i < image->section_count; i++)
        size += strcmp(image->sections[i].name, ".text") ? (size_t)image->sections[i].size : 0;
    if (!back)
        *copy = malloc(size + 1);
    if (!*copy)
        return refuse(error);
    for (size_t i = 0; status == SAM_OK && i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        if (strcmp(s->name, ".text") == 0 || s->size == 0)
            continue;
        status = back ? sam_system_write(system, s->address, *copy + used, (size_t)s->size, error)
                      : sam_system_read(system, s->address, *copy + used, (size_t)s->size, error);
        used += (size_t)s->size;
    }
    return status;
}

/* Run the step, with timing and not cold a second time on the same machine: a text needs its code
 * for each of its characters. */
static enum sam_status run_twice(struct llm_run *run, struct sam_system *system,
                                 struct sam_error *error)
{
    const struct sam_image *hart, *gpu;
    uint8_t *data = NULL;
    const bool twice = run->options.timing && !run->options.cold;
    uint64_t first = 0;
    enum sam_status status = sam_tile_lowered_images(run->lowered, &hart, &gpu, error);
    const uint64_t start = sam_hart_pc(sam_system_hart(system));
    if (status == SAM_OK && twice)
        status = copy_data(hart, system, &data, false, error);
    if (status == SAM_OK)
        status = run_once(run, system, error);
    if (status == SAM_OK && twice) {
        first = run->figures->cycles;
        status = copy_data(hart, system, &data, true, error);
        sam_hart_set_pc(sam_system_hart(system), start);
    }
    if (status == SAM_OK && twice)
        status = run_once(run, system, error);
    if (status == SAM_OK && run->figures)
        run->cycles = run->figures->cycles - first;
    free(data);
    return status;
}

static enum sam_status on_system(struct llm_run *run, struct sam_system *system,
                                 struct sam_error *error)
{
    const struct llm_run_options *o = &run->options;
    enum sam_status status = sam_tile_lowered_load(run->lowered, system, error);
    if (status == SAM_OK && o->packed)
        status = sam_system_load_weights(system, o->packed, o->packed_size, 0, error);
    if (status == SAM_OK)
        status = run_twice(run, system, error);
    if (status == SAM_OK)
        status = model_check_races(system, error);
    if (status == SAM_OK)
        status = sam_tile_lowered_fetch(run->lowered, system, error);
    return status;
}

static enum sam_status explain(struct llm_run *run, struct sam_error *error)
{
    char *text = NULL;
    const enum sam_status status =
        sam_tile_lowered_explain(run->lowered, run->figures, &text, error);
    if (status == SAM_OK)
        fputs(text, stdout);
    sam_text_free(text);
    return status;
}

static enum sam_status step_on_system(struct llm_run *run, struct sam_error *error)
{
    const struct llm_run_options *o = &run->options;
    const struct sam_tile_lower_options lowering = {.size = sizeof lowering,
                                                    .profile = SAM_TILE_HOST,
                                                    .config = o->timing ? o->timing->config : NULL,
                                                    .weights = o->packed,
                                                    .weights_size = o->packed_size};
    const struct sam_system_options options = {
        .size = sizeof options, .check_races = o->check_races, .timing = o->timing};
    struct sam_system *system = NULL;
    char *messages = NULL;
    drop_figures(run);
    enum sam_status status =
        sam_tile_lower(run->program, 0, run->arguments, run->array_count + SCALARS, &lowering,
                       &run->lowered, &messages, error);
    free(messages);
    if (status == SAM_OK && o->emit)
        status = sam_tile_lowered_emit(run->lowered, o->emit, error);
    if (status == SAM_OK)
        status = sam_system_new(&options, &system, error);
    if (status == SAM_OK)
        status = on_system(run, system, error);
    if (status == SAM_OK && o->explain)
        status = explain(run, error);
    sam_system_free(system);
    return status;
}

enum sam_status llm_run_step(struct llm_run *run, uint32_t token, uint32_t position,
                             struct sam_error *error)
{
    const struct sam_tile_options options = {
        .size = sizeof options, .profile = SAM_TILE_HOST, .sum_order = SAM_TILE_SUM_SYSTEM};
    const uint32_t numbers[SCALARS] = {token, position};
    for (size_t i = 0; i < SCALARS; i++)
        run->arguments[run->array_count + i] =
            (struct sam_tile_argument){.is_scalar = true, .dtype = SAM_I64, .bits = numbers[i]};
    return run->options.system && position >= run->options.start
               ? step_on_system(run, error)
               : sam_tile_run(run->program, 0, run->arguments, run->array_count + SCALARS, &options,
                              NULL, error);
}

void llm_run_continue(struct llm_run *run, const struct llm_run *from)
{
    const struct llm_shape *s = &run->llm->shape;
    const size_t size = (size_t)s->layers * s->context * s->width * sizeof *run->keys;
    memcpy(run->keys, from->keys, size);
    memcpy(run->values, from->values, size);
}

const float *llm_run_logits(const struct llm_run *run)
{
    return run->logits;
}

uint64_t llm_run_cycles(const struct llm_run *run)
{
    return run->cycles;
}

const struct sam_system_figures *llm_run_figures(const struct llm_run *run)
{
    return run->figures;
}
