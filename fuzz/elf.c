/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an ELF file. What parses must be an image that keeps its promises, and must survive
 * being written and read again. */
#include <stdlib.h>
#include <string.h>

#include "samite/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

/* Every section lies within its bounds, in order, with readable bytes. */
static uint64_t check_image(const struct sam_image *image)
{
    uint64_t end = 0, sum = 0;
    for (size_t i = 0; i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        check(s->name && s->size > 0 && s->data_size <= s->size);
        check(i == 0 || s->address >= end);
        end = s->address + s->size;
        check(end > s->address || (end == 0 && i + 1 == image->section_count));
        for (size_t b = 0; b < s->data_size; b++)
            sum = sum * 31 + s->data[b];
    }
    for (size_t i = 0; i < image->symbol_count; i++)
        check(image->symbols[i].name && image->symbols[i].name[0]);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sam_image *image, *again;
    struct sam_error error = {0};
    enum sam_status status = sam_elf_parse(data, size, "fuzz", &image, &error);
    if (status != SAM_OK) {
        check(image == NULL && status == SAM_ERR_INPUT && error.status == status && error.text[0]);
        return 0;
    }
    uint64_t sum = check_image(image);
    void *file;
    size_t file_size;
    if (sam_elf_make(image, &file, &file_size, &error) == SAM_OK) {
        check(sam_elf_parse(file, file_size, "again", &again, &error) == SAM_OK);
        check(check_image(again) == sum && again->entry == image->entry);
        check(again->symbol_count == image->symbol_count);
        check(again->resource_count == image->resource_count);
        sam_image_free(again);
        free(file);
    }
    sam_image_free(image);
    return 0;
}
