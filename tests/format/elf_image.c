/* SPDX-License-Identifier: Apache-2.0 */

#include "test.h"

#include "format/elf_image.h"

void elf_add_section(struct sam_image *image, const char *name, uint64_t address, uint64_t size,
                     const void *data, uint64_t data_size, const char *flags)
{
    struct sam_section section = {
        .name = (char *)name,
        .address = address,
        .size = size,
        .data = (void *)data,
        .data_size = data_size,
        .execute = strchr(flags, 'x') != NULL,
        .write = strchr(flags, 'w') != NULL,
    };
    succeeds(sam_image_add_section, image, &section);
}

void elf_add_symbol(struct sam_image *image, const char *name, uint64_t value, const char *flags)
{
    struct sam_symbol symbol = {
        .name = (char *)name,
        .value = value,
        .size = strchr(flags, 'f') ? 8 : 0,
        .global = strchr(flags, 'g') != NULL,
        .function = strchr(flags, 'f') != NULL,
        .section_relative = strchr(flags, 'a') == NULL,
    };
    succeeds(sam_image_add_symbol, image, &symbol);
}

struct sam_image *elf_sample(unsigned xlen)
{
    static const uint8_t code[] = {0x13, 0, 0, 0, 0x93, 0, 0x10, 0, 0x6f, 0, 0, 0};
    struct sam_image *image = sam_image_new(xlen);
    assert_non_null(image);
    image->entry = 0x80000004;
    elf_add_section(image, ".text", 0x80000000, sizeof code, code, sizeof code, "x");
    elf_add_section(image, ".rodata", 0x8000000c, 5, "hello", 5, "");
    elf_add_section(image, ".data", 0x80000014, 32, "ABCD", 4, "w");
    elf_add_section(image, ".bss", 0x80001000, 0x100000, NULL, 0, "w");
    elf_add_symbol(image, "_start", 0x80000000, "gf");
    elf_add_symbol(image, "loop", 0x80000008, "");
    elf_add_symbol(image, "table", 0x80000014, "g");
    elf_add_symbol(image, "code_end", 0x8000000c, "");
    elf_add_symbol(image, "limit", 42, "a");
    elf_add_symbol(image, "bss_end", 0x80101000, "g");
    image->resources = calloc(2, sizeof *image->resources);
    assert_non_null(image->resources);
    image->resource_count = 2;
    image->resources[0] = (struct sam_kernel_resource){4, 7, 12, 65535};
    image->resources[1] = (struct sam_kernel_resource){256, 64, 1, 2};
    succeeds(sam_image_finish, image);
    return image;
}

struct elf_file elf_file_of(const struct sam_image *image)
{
    struct elf_file f;
    void *data;
    succeeds(sam_elf_make, image, &data, &f.size);
    f.bytes = data;
    return f;
}

int elf_byte_at(const struct sam_image *image, uint64_t address)
{
    for (size_t i = 0; i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        if (address - s->address < s->size)
            return address - s->address < s->data_size ? s->data[address - s->address] : 0;
    }
    return -1;
}
