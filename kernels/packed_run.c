/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a layer on the system: programs, weights, the run, and the results in L1M. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer_memory.h"
#include "packed.h"
#include "samite/device/layout.h"

struct machine {
    struct sam_hostio *hostio;
    struct sam_system *system;
    struct sam_image *program, *kernels;
};

static enum sam_status assemble(const char *folder, const char *name, const char *isa,
                                uint64_t base, const char *define, struct sam_image **image,
                                struct sam_error *error)
{
    struct sam_asm_options options = {
        .size = sizeof options, .base = base, .defines = &define, .define_count = define != NULL};
    char path[4096], *text, *messages = NULL;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    enum sam_status status = sam_isa_parse(isa, &options.isa, error);
    if (status == SAM_OK)
        status = sam_file_load(path, 1 << 20, &text, &size, error);
    if (status != SAM_OK)
        return status;
    status = sam_assemble(&options, path, text, size, image, &messages, error);
    sam_text_free(messages);
    free(text);
    return status;
}

static enum sam_status load(struct machine *m, const struct packed_layer *layer,
                            const struct packed_run *run, struct sam_error *error)
{
    struct sam_hostio_options io = {.size = sizeof io, .output = run->console};
    struct sam_hart_options hart = {
        .size = sizeof hart, .mlen = run->mlen, .acc_regs = run->acc_regs};
    struct sam_gpu_options gpu = {.size = sizeof gpu, .print = run->console};
    struct sam_system_options options = {.size = sizeof options,
                                         .hart = &hart,
                                         .gpu = &gpu,
                                         .check_races = run->check_races,
                                         .timing = run->timing};
    enum sam_status status =
        run->program
            ? sam_elf_read(run->program, &m->program, error)
            : assemble(run->folder, "layer.s", "rv64im_zicsr_xtensorload_xmatrix", SAM_SYSTEM_CODE,
                       run->load_widen ? "LOAD_WIDEN" : NULL, &m->program, error);
    if (status == SAM_OK)
        status =
            assemble(run->folder, "gpu.s", "ventus", SAM_SYSTEM_GPU_CODE, NULL, &m->kernels, error);
    if (status == SAM_OK)
        status = sam_hostio_new(&io, &m->hostio, error);
    if (status == SAM_OK)
        status = sam_isa_parse(m->program->xlen == 32 ? "rv32im_zicsr_xtensorload_xmatrix"
                                                      : "rv64im_zicsr_xtensorload_xmatrix",
                               &hart.isa, error);
    if (status != SAM_OK)
        return status;
    hart.hostio = m->hostio;
    status = sam_system_new(&options, &m->system, error);
    if (status == SAM_OK)
        status = sam_system_load_gpu(m->system, m->kernels, error);
    if (status == SAM_OK)
        status = sam_system_load(m->system, m->program, error);
    if (status == SAM_OK)
        status = sam_system_load_weights(m->system, layer->packed, layer->packed_size, 0, error);
    return status;
}

static enum sam_status read_array(struct machine *m, uint32_t offset, size_t count, void **array,
                                  struct sam_error *error)
{
    *array = malloc(4 * count);
    if (!*array) {
        snprintf(error->text, sizeof error->text, "out of memory");
        return SAM_ERR_MEMORY;
    }
    return sam_system_read(m->system, SAM_SYSTEM_L1M + offset, *array, 4 * count, error);
}

static enum sam_status read_result(struct machine *m, const struct packed_layer *layer,
                                   struct packed_result *result, struct sam_error *error)
{
    const size_t rows = layer->rows, count = rows * layer->config.columns;
    enum sam_status status = read_array(m, LAYER_LOGITS, count, (void **)&result->logits, error);
    if (status == SAM_OK)
        status = read_array(m, LAYER_PROBABILITIES, count, (void **)&result->probabilities, error);
    if (status == SAM_OK)
        status = read_array(m, LAYER_LIKELY, rows, (void **)&result->likely, error);
    return status;
}

/* SAM_ERR_TRAP: the run had races; the error has the report of the first ones. */
static enum sam_status check_races(const struct machine *m, struct sam_error *error)
{
    size_t count;
    char *text;
    sam_system_races(m->system, &count, NULL);
    if (count == 0)
        return SAM_OK;
    const enum sam_status status = sam_system_print_races(m->system, 3, &text, error);
    if (status != SAM_OK)
        return status;
    snprintf(error->text, sizeof error->text, "%s", text);
    sam_text_free(text);
    return SAM_ERR_TRAP;
}

enum sam_status packed_run(const struct packed_layer *layer, const struct packed_run *run,
                           struct packed_result *result, struct sam_error *error)
{
    struct machine m = {0};
    struct sam_system_result ended;
    *result = (struct packed_result){0};
    if (!run->program && (layer->config.groups != 1 || layer->config.columns % 64 ||
                          layer->config.depth > LAYER_TILE / TURN_FEATURES)) {
        snprintf(error->text, sizeof error->text,
                 "layer.s multiplies 16 tokens, of depth up to %d, by a multiple of 64 columns: "
                 "expected --program FILE for other sizes",
                 LAYER_TILE / TURN_FEATURES);
        return SAM_ERR_USAGE;
    }
    enum sam_status status = load(&m, layer, run, error);
    if (status == SAM_OK)
        status = sam_system_run(m.system, &ended, error);
    if (status == SAM_OK && (ended.hart.end != SAM_HART_EXIT || ended.hart.exit_code != 0)) {
        snprintf(error->text, sizeof error->text, "the program ended with exit code %llu",
                 (unsigned long long)ended.hart.exit_code);
        status = SAM_ERR_TRAP;
    }
    if (status == SAM_OK)
        status = check_races(&m, error);
    if (status == SAM_OK)
        status = read_result(&m, layer, result, error);
    if (status == SAM_OK && run->timing)
        status = sam_system_measure(m.system, &result->figures, error);
    sam_system_free(m.system);
    sam_hostio_free(m.hostio);
    result->program = m.program;
    result->kernels = m.kernels;
    return status;
}
