/* SPDX-License-Identifier: Apache-2.0 */
/* The program of an address space. Callers upload before each launch, mostly an unchanged
 * program: then only its memory is reset, and decoded code is kept. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

void program_free(struct program *program)
{
    sam_image_free(program->image);
    free(program->bytes);
    free(program->path);
    *program = (struct program){0};
}

/* Code for 0x80000000, as a program of one section. */
static enum sam_status make_raw(const void *bytes, size_t size, struct sam_image **image,
                                struct sam_error *error)
{
    char name[] = ".text";
    struct sam_section section = {.name = name,
                                  .address = SAM_CODE_BASE,
                                  .size = size,
                                  .data_size = size,
                                  .data = (uint8_t *)(uintptr_t)bytes,
                                  .execute = true,
                                  .write = true};
    *image = sam_image_new(32);
    enum sam_status status = SAM_ERR_MEMORY;
    if (*image)
        status = sam_image_add_section(*image, &section, error);
    if (status == SAM_OK)
        status = sam_image_finish(*image, error);
    if (status != SAM_OK) {
        sam_image_free(*image);
        *image = NULL;
    }
    return status;
}

static const struct buffer *overlapped(const struct space *space, uint64_t address, uint64_t size)
{
    for (size_t i = 0; i < space->buffer_count; i++) {
        const struct buffer *b = &space->buffers[i];
        if (b->address < address + size && address < (uint64_t)b->address + b->size)
            return b;
    }
    return NULL;
}

/* 0 if no section overlaps a buffer, where loading it would overwrite data. */
static int check_place(const struct space *space, const struct sam_image *image)
{
    for (size_t i = 0; image && i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        const struct buffer *b = overlapped(space, s->address, s->size);
        if (!b && s->load_offset)
            b = overlapped(space, s->address + s->load_offset, s->data_size);
        if (b)
            return complain("section %s at 0x%llx overlaps the buffer at 0x%08x", s->name,
                            (unsigned long long)s->address, b->address);
    }
    return 0;
}

static void unload(struct space *space, const struct sam_image *image)
{
    for (size_t i = 0; image && i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        sam_gpu_unmap(space->gpu, (uint32_t)s->address, NULL);
        if (s->load_offset)
            sam_gpu_unmap(space->gpu, (uint32_t)(s->address + s->load_offset), NULL);
    }
}

static int parse(struct program *program, const char *name)
{
    struct sam_error error;
    enum sam_status status =
        program->is_elf
            ? sam_elf_parse(program->bytes, program->size, name, &program->image, &error)
            : make_raw(program->bytes, program->size, &program->image, &error);
    return status == SAM_OK ? 0 : complain("%s", error.text);
}

/* Replace the space's program by `next`; on failure the old one is kept. */
static int replace(struct space *space, struct program *next)
{
    struct sam_error error;
    unload(space, space->program.image);
    if (sam_gpu_load(space->gpu, next->image, &error) != SAM_OK) {
        unload(space, next->image);
        if (space->program.image)
            sam_gpu_load(space->gpu, space->program.image, NULL);
        return complain("%s", error.text);
    }
    program_free(&space->program);
    space->program = *next;
    *next = (struct program){0};
    space->has_tables = false;
    return 0;
}

static int upload_again(struct space *space)
{
    struct sam_error error;
    if (sam_gpu_load(space->gpu, space->program.image, &error) != SAM_OK)
        return complain("%s", error.text);
    return 0;
}

int program_upload(struct space *space, void *bytes, size_t size, const char *path)
{
    struct program next = {.bytes = bytes, .size = size};
    struct program *now = &space->program;
    if (path && !(next.path = strdup(path))) {
        program_free(&next);
        return complain("out of memory");
    }
    if (now->image && now->size == size && memcmp(now->bytes, bytes, size) == 0) {
        char *old = now->path;
        now->path = next.path;
        next.path = old;
        program_free(&next);
        return upload_again(space);
    }
    next.is_elf = path || (size >= 4 && memcmp(bytes, "\177ELF", 4) == 0);
    int code = parse(&next, path ? path : "the program");
    if (code == 0)
        code = check_place(space, next.image);
    if (code == 0)
        code = replace(space, &next);
    program_free(&next);
    return code;
}

int program_upload_file(struct space *space, const char *path, const char *function)
{
    struct sam_error error;
    char *bytes;
    size_t size;
    if (!path)
        return complain("%s: no file", function);
    if (sam_file_load(strcmp(path, "-") == 0 ? "./-" : path, MAX_PROGRAM, &bytes, &size, &error) !=
        SAM_OK)
        return complain("%s", error.text);
    return program_upload(space, bytes, size, path);
}
