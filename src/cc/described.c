/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the lines about kernels that signature.c wrote into an image. They may come from any ELF
 * file: a line of another form ends the list. */
#include <stdio.h>
#include <string.h>

#include "cc/cc.h"

/* The next line of the section; false at its end or at one that is too long. */
static bool next_line(const struct sam_section *s, size_t *at, char *line, size_t size)
{
    const char *text = (const char *)s->data + *at;
    const char *end = *at < s->data_size ? memchr(text, '\n', s->data_size - *at) : NULL;
    if (!end || (size_t)(end - text) >= size)
        return false;
    memcpy(line, text, (size_t)(end - text));
    line[end - text] = '\0';
    *at += (size_t)(end - text) + 1;
    return true;
}

/* The section, and where the lines of `kernel` begin. */
static const struct sam_section *find(const struct sam_image *image, const char *kernel, size_t *at,
                                      uint32_t block[3])
{
    char line[1024], name[512];
    for (size_t i = 0; image && kernel && i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        if (strcmp(s->name, SAM_CC_SIGNATURES) != 0)
            continue;
        *at = 0;
        while (next_line(s, at, line, sizeof line))
            if (sscanf(line, "kernel %511s %u %u %u", name, &block[0], &block[1], &block[2]) == 4 &&
                strcmp(name, kernel) == 0)
                return s;
    }
    return NULL;
}

bool sam_cc_kernel_described(const struct sam_image *image, const char *kernel, uint32_t block[3])
{
    size_t at;
    uint32_t none[3];
    return find(image, kernel, &at, block ? block : none) != NULL;
}

bool sam_cc_kernel_argument(const struct sam_image *image, const char *kernel, size_t index,
                            struct sam_cc_argument *out)
{
    static const char *const spaces[] = {"value", "global", "constant", "local"};
    char line[1024], space[16];
    uint32_t block[3];
    size_t at;
    const struct sam_section *s = find(image, kernel, &at, block);
    for (size_t i = 0; s && next_line(s, &at, line, sizeof line); i++) {
        int rest = 0;
        if (sscanf(line, "arg %15s %u %u %n", space, &out->size, &out->offset, &rest) != 3 || !rest)
            return false;
        if (i < index)
            continue;
        const char *bar = strchr(line + rest, '|');
        const int type = bar ? (int)(bar - (line + rest)) : 0;
        snprintf(out->type, sizeof out->type, "%.*s", type, line + rest);
        snprintf(out->name, sizeof out->name, "%s", bar ? bar + 1 : "");
        for (size_t k = 0; k < SAM_COUNT(spaces); k++)
            if (strcmp(space, spaces[k]) == 0) {
                out->space = (enum sam_cc_space)k;
                return true;
            }
        return false;
    }
    return false;
}
