/* SPDX-License-Identifier: Apache-2.0 */
/* Load a lowered function into a system (programs, arrays, failures), or write it as files. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lower/op_map.h"
#include "lower/program.h"
#include "samite/isa.h"

#define HART_ISA "rv64ima_zicsr_zfinx_xtensorload_xmatrix"

const char *sam_tile_lowered_hart(const struct sam_tile_lowered *made)
{
    return made ? made->hart : "";
}

const char *sam_tile_lowered_gpu(const struct sam_tile_lowered *made)
{
    return made ? made->gpu : "";
}

bool sam_tile_lowered_note(const struct sam_tile_lowered *made, size_t index,
                           struct sam_tile_lowered_note *note)
{
    if (!made || !note || index >= made->note_count)
        return false;
    *note = made->notes[index];
    return true;
}

static enum sam_status assemble(const char *isa, uint64_t base, const char *name, const char *text,
                                struct sam_image **image, struct sam_error *error)
{
    struct sam_asm_options options = {.size = sizeof options, .base = base, .lines = true};
    char *messages = NULL;
    enum sam_status status = sam_isa_parse(isa, &options.isa, error);
    if (status == SAM_OK)
        status = sam_assemble(&options, name, text, strlen(text), image, &messages, error);
    sam_text_free(messages);
    return status;
}

enum sam_status sam_tile_lowered_images(struct sam_tile_lowered *made,
                                        const struct sam_image **hart, const struct sam_image **gpu,
                                        struct sam_error *error)
{
    if (SAM_LACKS(error, made, hart, gpu))
        return SAM_ERR_USAGE;
    enum sam_status status = SAM_OK;
    *hart = *gpu = NULL;
    if (!made->images[0])
        status = assemble(HART_ISA, SAM_SYSTEM_CODE_BASE + made->offset, "hart.s", made->hart,
                          &made->images[0], error);
    if (status == SAM_OK && !made->images[1])
        status = assemble("ventus", SAM_CODE_BASE + made->offset, "gpu.s", made->gpu,
                          &made->images[1], error);
    if (status == SAM_OK) {
        *hart = made->images[0];
        *gpu = made->images[1];
    }
    return status;
}

/* Give the system the operations of both programs, for the time model. */
static enum sam_status describe(const struct sam_tile_lowered *made, struct sam_system *system,
                                struct sam_error *error)
{
    const struct sam_system_pipes *pipes = sam_lower_pipes(made->described, made->images[0]);
    return pipes ? sam_system_describe_pipes(system, pipes, error) : sam_fail_memory(error);
}

uint32_t sam_tile_lowered_room(const struct sam_tile_lowered *made)
{
    enum { PAGE = 4096 };
    const uint64_t bases[] = {SAM_SYSTEM_CODE_BASE, SAM_CODE_BASE};
    uint64_t room = 0;
    for (unsigned i = 0; made && i < SAM_COUNT(bases); i++)
        for (size_t k = 0; made->images[i] && k < made->images[i]->section_count; k++) {
            const struct sam_section *s = &made->images[i]->sections[k];
            const uint64_t end = s->address + s->size - bases[i] - made->offset;
            room = end > room ? end : room;
        }
    return (uint32_t)((room + PAGE - 1) / PAGE * PAGE);
}

static enum sam_status check_room(const struct sam_tile_lowered *made, struct sam_error *error)
{
    const uint64_t end = (uint64_t)made->offset + sam_tile_lowered_room(made);
    return end <= SAM_SYSTEM_GPU_CODE_BYTES
               ? SAM_OK
               : sam_fail(error, SAM_ERR_INPUT,
                          "the programs of a system have 0x%x bytes of room, this one would end at "
                          "0x%" PRIx64,
                          (unsigned)SAM_SYSTEM_GPU_CODE_BYTES, end);
}

enum sam_status sam_tile_lowered_load(struct sam_tile_lowered *made, struct sam_system *system,
                                      struct sam_error *error)
{
    const struct sam_image *hart, *gpu;
    if (SAM_LACKS(error, made, system))
        return SAM_ERR_USAGE;
    if (made->unbound)
        return sam_fail(error, SAM_ERR_USAGE,
                        "a program that was lowered without its arguments: expected one with them");
    enum sam_status status = sam_tile_lowered_images(made, &hart, &gpu, error);
    if (status == SAM_OK)
        status = check_room(made, error);
    if (status == SAM_OK)
        status = sam_system_load(system, hart, error);
    if (status == SAM_OK)
        status = sam_system_load_gpu(system, gpu, error);
    if (status == SAM_OK && !made->offset)
        status = describe(made, system, error);
    for (size_t i = 0; i < made->buffer_count && status == SAM_OK; i++) {
        const struct lower_buffer *b = &made->buffers[i];
        const uint64_t size = lower_bytes(b->array);
        if (b->placed)
            continue;
        status = sam_system_map(system, b->address, size ? size : 1, error);
        if (status == SAM_OK && size && b->read)
            status = sam_system_write(system, b->address, b->array->data, size, error);
    }
    return status;
}

/* --- failures */

static enum sam_status read_symbol(const struct sam_tile_lowered *made, struct sam_system *system,
                                   const char *name, void *data, size_t size,
                                   struct sam_error *error)
{
    const struct sam_symbol *symbol =
        made->images[0] ? sam_image_find(made->images[0], name) : NULL;
    if (!symbol)
        return sam_fail(error, SAM_ERR_USAGE,
                        "the program is not in the system: expected it to be loaded");
    return sam_system_read(system, symbol->value, data, size, error);
}

/* Expand the placeholders of a failure message after the first `plain` bytes: {0} decimal, {0x}
 * hexadecimal, "[*,*]" the element. */
static void complete(struct sam_buffer *out, const char *text, size_t plain, const uint8_t *numbers,
                     const uint8_t *record)
{
    const uint32_t element = sam_le32(record + 4 * (size_t)LOWER_FAILURE_ELEMENT);
    const uint32_t columns = sam_le32(record + 4 * (size_t)LOWER_FAILURE_COLUMNS);
    sam_buffer_append(out, text, plain);
    for (const char *at = text + plain; *at;) {
        if (strcmp(at, "[*,*]") == 0 && columns) {
            sam_buffer_printf(out, "[%" PRIu32 ",%" PRIu32 "]", element / columns,
                              element % columns);
            return;
        }
        const bool place = at[0] == '{' && at[1] >= '0' && at[1] < '0' + LOWER_NUMBERS;
        if (place && (at[2] == '}' || (at[2] == 'x' && at[3] == '}'))) {
            const uint64_t number = sam_le64(numbers + 8 * (size_t)(at[1] - '0'));
            if (at[2] == 'x')
                sam_buffer_printf(out, "%" PRIx64, number);
            else
                sam_buffer_printf(out, "%" PRId64, (int64_t)number);
            at += at[2] == 'x' ? 4 : 3;
            continue;
        }
        sam_buffer_append(out, at++, 1);
    }
}

enum sam_status sam_tile_lowered_failure(const struct sam_tile_lowered *made,
                                         struct sam_system *system, struct sam_error *error)
{
    uint8_t record[4 * LOWER_FAILURE_WORDS], numbers[8 * LOWER_NUMBERS];
    if (SAM_LACKS(error, made, system))
        return SAM_ERR_USAGE;
    enum sam_status status = read_symbol(made, system, "failure", record, sizeof record, error);
    if (status == SAM_OK)
        status = read_symbol(made, system, "failure_numbers", numbers, sizeof numbers, error);
    if (status != SAM_OK)
        return status;
    const uint32_t number = sam_le32(record);
    if (!number)
        return SAM_OK;
    if (number > made->failure_count)
        return sam_fail(error, SAM_ERR_TRAP, "failure number %" PRIu32 ": expected 1 to %zu",
                        number, made->failure_count);
    struct sam_buffer text = {0};
    complete(&text, made->failures[number - 1], made->plain, numbers, record);
    status = sam_fail(error, SAM_ERR_TRAP, "%s", sam_buffer_text(&text));
    sam_buffer_free(&text);
    return status;
}

enum sam_status sam_tile_lowered_fetch(const struct sam_tile_lowered *made,
                                       struct sam_system *system, struct sam_error *error)
{
    if (SAM_LACKS(error, made, system))
        return SAM_ERR_USAGE;
    enum sam_status status = SAM_OK;
    for (size_t i = 0; i < made->buffer_count && status == SAM_OK; i++) {
        const struct lower_buffer *b = &made->buffers[i];
        if (b->written && !b->placed && lower_bytes(b->array))
            status =
                sam_system_read(system, b->address, b->array->data, lower_bytes(b->array), error);
    }
    return status;
}

/* --- as files */

static char *path_in(const char *folder, const char *name)
{
    struct sam_buffer path = {0};
    sam_buffer_printf(&path, "%s/%s", folder, name);
    return path.failed ? NULL : (char *)path.data;
}

static enum sam_status save(const char *folder, const char *name, const void *data, size_t size,
                            struct sam_error *error)
{
    char *path = path_in(folder, name);
    const enum sam_status status =
        path ? sam_file_write(path, data, size, error) : sam_fail_memory(error);
    free(path);
    return status;
}

static enum sam_status save_array(const char *folder, const char *name,
                                  const struct lower_buffer *b, struct sam_error *error)
{
    struct sam_array array = *b->array;
    char *path = path_in(folder, name);
    array.dtype = sam_dtype_npy(array.dtype);
    array.size = (size_t)lower_bytes(b->array);
    const enum sam_status status =
        path ? sam_npy_write(path, &array, error) : sam_fail_memory(error);
    free(path);
    return status;
}

/* Write the file of a buffer and its options for the run script. */
static enum sam_status emit_buffer(const struct lower_buffer *b, size_t index, const char *folder,
                                   struct sam_buffer *run, struct sam_error *error)
{
    const uint64_t size = lower_bytes(b->array);
    enum sam_status status = SAM_OK;
    char name[40];
    if (b->read && size) {
        sam_format(name, sizeof name, "in%zu.npy", index);
        status = save_array(folder, name, b, error);
        sam_buffer_printf(run, " \\\n    --mem 0x%" PRIx64 ":%s", b->address, name);
    } else {
        sam_buffer_printf(run, " \\\n    --map 0x%" PRIx64 ":%" PRIu64, b->address,
                          size ? size : 1);
    }
    if (b->written && size) {
        sam_buffer_printf(run, " \\\n    --dump 0x%" PRIx64 ":%" PRIu64 ":out%zu.npy:%s",
                          b->address, size, index, sam_dtype_name(sam_dtype_npy(b->array->dtype)));
        for (size_t i = 0; i < b->array->rank; i++)
            sam_buffer_printf(run, "%c%" PRIu64, i ? ',' : ':', b->array->shape[i]);
    }
    return status;
}

enum sam_status sam_tile_lowered_emit(const struct sam_tile_lowered *made, const char *folder,
                                      struct sam_error *error)
{
    struct sam_buffer run = {0}, hart = {0};
    if (SAM_LACKS(error, made, folder))
        return SAM_ERR_USAGE;
    sam_lower_failure_texts(made, &hart);
    sam_buffer_puts(&run, "#!/bin/sh\n"
                          "# Run the lowered program; outN.npy is what it makes of array N.\n"
                          "cd \"$(dirname \"$0\")\" || exit 2\n"
                          "exec ${SAMITE:-samite} run hart.s --machine system --gpu-code gpu.s");
    enum sam_status status =
        hart.failed ? sam_fail_memory(error) : save(folder, "hart.s", hart.data, hart.size, error);
    sam_buffer_free(&hart);
    if (status == SAM_OK)
        status = save(folder, "gpu.s", made->gpu, strlen(made->gpu), error);
    for (size_t i = 0; i < made->buffer_count && status == SAM_OK; i++)
        status = emit_buffer(&made->buffers[i], i, folder, &run, error);
    if (status == SAM_OK && made->weights) {
        status = save(folder, "weights.smw", made->weights, made->weights_size, error);
        sam_buffer_puts(&run, " \\\n    --weights weights.smw");
    }
    sam_buffer_puts(&run, " \"$@\"\n");
    if (status == SAM_OK)
        status = run.failed ? sam_fail_memory(error)
                            : save(folder, "run", sam_buffer_text(&run),
                                   strlen(sam_buffer_text(&run)), error);
    sam_buffer_free(&run);
    return status;
}
