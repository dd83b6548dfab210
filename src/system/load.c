/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the programs of the hart and of the GPU, and links kernels into the hart's program. */
#include "system/system.h"

/* A word of the hart's program called gpu_NAME is set to the address of kernel NAME. */
static const char prefix[] = "gpu_";

/* Whether a word lies in initialised data, which start code does not clear. */
static bool is_kept(const struct sam_image *image, uint64_t address)
{
    for (size_t i = 0; i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        if (address - s->address < s->size)
            return s->data_size >= 4 && address - s->address <= s->data_size - 4;
    }
    return false;
}

/* Set each gpu_NAME of `program` for the symbols NAME of `kernels`. */
static enum sam_status link_kernels(struct sam_system *system, const struct sam_image *program,
                                    const struct sam_image *kernels, struct sam_error *error)
{
    enum sam_status status = SAM_OK;
    for (size_t i = 0; program && i < program->symbol_count && status == SAM_OK; i++) {
        const struct sam_symbol *word = &program->symbols[i];
        uint8_t bytes[4];
        if (strncmp(word->name, prefix, sizeof prefix - 1) != 0 || !word->section_relative)
            continue;
        const struct sam_symbol *kernel = sam_image_find(kernels, word->name + sizeof prefix - 1);
        if (!kernel)
            continue;
        if (!is_kept(program, word->value))
            return sam_fail(error, SAM_ERR_INPUT,
                            "%s at 0x%08llx cannot hold the address of a kernel: expected 4 bytes "
                            "of initialised data, as of a const volatile uint32_t",
                            word->name, (unsigned long long)word->value);
        sam_put_le32(bytes, (uint32_t)kernel->value);
        status = sam_hart_write(system->hart, word->value, bytes, sizeof bytes, error);
    }
    return status;
}

enum sam_status sam_system_load(struct sam_system *system, const struct sam_image *image,
                                struct sam_error *error)
{
    if (SAM_LACKS(error, system, image))
        return SAM_ERR_USAGE;
    enum sam_status status = sam_hart_load(system->hart, image, error);
    if (status == SAM_OK)
        sam_system_show_directory(system);
    for (size_t i = 0; status == SAM_OK && i < system->gpu_image_count; i++)
        status = link_kernels(system, image, system->gpu_images[i], error);
    return status;
}

void sam_system_unload(struct sam_system *system)
{
    if (!system)
        return;
    system->gpu_image_count = 0;
    system->hart->image = NULL;
}

static bool is_loaded(const struct sam_system *system, const struct sam_image *image)
{
    for (size_t i = 0; i < system->gpu_image_count; i++)
        if (system->gpu_images[i] == image)
            return true;
    return false;
}

/* SAM_ERR_INPUT if a section overlaps mapped memory. */
static enum sam_status check_room(const struct sam_system *system, const struct sam_image *image,
                                  struct sam_error *error)
{
    for (size_t i = 0; i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        const struct sam_region *other = sam_memory_next(system->memory, s->address);
        if (s->size && other && other->base < s->address + s->size)
            return sam_fail(error, SAM_ERR_INPUT,
                            "section %s at 0x%08llx overlaps memory at 0x%08llx..+0x%llx", s->name,
                            (unsigned long long)s->address, (unsigned long long)other->base,
                            (unsigned long long)other->size);
    }
    return SAM_OK;
}

enum sam_status sam_system_load_gpu(struct sam_system *system, const struct sam_image *image,
                                    struct sam_error *error)
{
    if (SAM_LACKS(error, system, image))
        return SAM_ERR_USAGE;
    const bool again = is_loaded(system, image);
    enum sam_status status = again ? SAM_OK : check_room(system, image, error);
    if (status == SAM_OK)
        status = sam_gpu_load(system->gpu, image, error);
    if (status == SAM_OK && !again) {
        void *grown = sam_grow(system->gpu_images, system->gpu_image_count,
                               &system->gpu_image_capacity, sizeof(const struct sam_image *));
        if (!grown)
            return sam_fail_memory(error);
        system->gpu_images = grown;
        system->gpu_images[system->gpu_image_count++] = image;
    }
    return status == SAM_OK ? link_kernels(system, system->hart->image, image, error) : status;
}
