/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the lines about kernels that signature.c wrote into an image. They may come from any ELF
 * file: a line of another form ends the list. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
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

/* Read the word `word` and a space; returns what follows, or NULL. */
static const char *skip(const char *text, const char *word)
{
    const size_t size = strlen(word);
    return text && strncmp(text, word, size) == 0 && text[size] == ' ' ? text + size + 1 : NULL;
}

/* Read `count` decimal numbers with a space after each but, at the end of the line, the last. */
static const char *read_numbers(const char *text, uint32_t *numbers, unsigned count)
{
    for (unsigned i = 0; text && i < count; i++) {
        uint64_t value = 0;
        if (!sam_is_digit(*text))
            return NULL;
        while (sam_is_digit(*text) && value <= UINT32_MAX)
            value = value * 10 + (unsigned)(*text++ - '0');
        if (value > UINT32_MAX || (*text != ' ' && (*text || i + 1 < count)))
            return NULL;
        numbers[i] = (uint32_t)value;
        text += *text == ' ';
    }
    return text;
}

/* The section, and where the lines of `kernel` begin. */
static const struct sam_section *find(const struct sam_image *image, const char *kernel, size_t *at,
                                      uint32_t block[3])
{
    char line[1024];
    for (size_t i = 0; image && kernel && i < image->section_count; i++) {
        const struct sam_section *s = &image->sections[i];
        if (strcmp(s->name, SAM_CC_SIGNATURES) != 0)
            continue;
        *at = 0;
        while (next_line(s, at, line, sizeof line))
            if (read_numbers(skip(skip(line, "kernel"), kernel), block, 3))
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
    char line[1024];
    uint32_t block[3];
    size_t at;
    const struct sam_section *s = find(image, kernel, &at, block);
    for (size_t i = 0; s && next_line(s, &at, line, sizeof line); i++) {
        const char *text = skip(line, "arg");
        uint32_t numbers[2];
        enum sam_cc_space space = SAM_CC_VALUE;
        const char *rest = NULL;
        for (size_t k = 0; k < SAM_COUNT(spaces) && !rest; k++) {
            rest = read_numbers(skip(text, spaces[k]), numbers, 2);
            space = (enum sam_cc_space)k;
        }
        if (!rest || !*rest)
            return false;
        if (i < index)
            continue;
        const char *bar = strchr(rest, '|');
        *out = (struct sam_cc_argument){.space = space, .size = numbers[0], .offset = numbers[1]};
        snprintf(out->type, sizeof out->type, "%.*s", (int)(bar ? bar - rest : 0), rest);
        snprintf(out->name, sizeof out->name, "%s", bar ? bar + 1 : "");
        return true;
    }
    return false;
}
