/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the tests of the assembler and the disassembler. */
#ifndef ISA_TEST_H
#define ISA_TEST_H

#include "test.h"

#include "isa/isa.h"

static inline struct sam_isa test_isa(const char *text)
{
    struct sam_isa isa;
    succeeds(sam_isa_parse, text, &isa);
    return isa;
}

/* Assemble at address 0x80000000 (on RV64 too). Returns the image, or NULL with the messages in
 * *messages, which the caller frees. */
static inline struct sam_image *test_assemble(const char *isa, const char *text, char **messages)
{
    struct sam_asm_options options = {.isa = test_isa(isa), .base = 0x80000000};
    struct sam_image *image;
    struct sam_error error = {0};
    enum sam_status status =
        sam_assemble(&options, "test.s", text, strlen(text), &image, messages, &error);
    assert_non_null(*messages);
    assert_true((status == SAM_OK) == (image != NULL));
    return image;
}

/* The section `name` of a text that must assemble. The caller owns the image. */
static inline const struct sam_section *test_section(const char *isa, const char *text,
                                                     const char *name, struct sam_image **image)
{
    char *messages;
    *image = test_assemble(isa, text, &messages);
    if (!*image)
        fail_msg("%s%s", text, messages);
    sam_text_free(messages);
    for (size_t i = 0; i < (*image)->section_count; i++)
        if (strcmp((*image)->sections[i].name, name) == 0)
            return &(*image)->sections[i];
    fail_msg("no section %s", name);
    return NULL;
}

/* `text` must assemble to exactly these words. */
static inline void test_words(const char *isa, const char *text, const uint32_t *words,
                              size_t count)
{
    struct sam_image *image;
    const struct sam_section *section = test_section(isa, text, ".text", &image);
    size_t found = section->data_size / 4;
    for (size_t i = 0; i < count && i < found; i++)
        if (sam_le32(section->data + 4 * i) != words[i])
            fail_msg("%s: word %zu is %08x, expected %08x", text, i,
                     sam_le32(section->data + 4 * i), words[i]);
    if (section->data_size != 4 * count)
        fail_msg("%s: %llu bytes, expected %zu", text, (unsigned long long)section->data_size,
                 4 * count);
    sam_image_free(image);
}

#define WORDS(isa, text, ...)                                                                      \
    test_words(isa, text, (const uint32_t[]){__VA_ARGS__},                                         \
               sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

/* `a` and `b` must assemble to the same words. */
static inline void test_same(const char *isa, const char *a, const char *b)
{
    struct sam_image *one, *two;
    const struct sam_section *x = test_section(isa, a, ".text", &one);
    const struct sam_section *y = test_section(isa, b, ".text", &two);
    if (x->data_size != y->data_size || memcmp(x->data, y->data, x->data_size) != 0)
        fail_msg("'%s' and '%s' differ: %08x, %08x", a, b, sam_le32(x->data), sam_le32(y->data));
    sam_image_free(one);
    sam_image_free(two);
}

/* `text` must be rejected, with `expected` in the messages. */
static inline void test_refused(const char *isa, const char *text, const char *expected)
{
    char *messages;
    struct sam_image *image = test_assemble(isa, text, &messages);
    if (image)
        fail_msg("'%s' was accepted", text);
    if (!strstr(messages, expected))
        fail_msg("'%s': expected '%s' in: %s", text, expected, messages);
    sam_text_free(messages);
}

#endif
