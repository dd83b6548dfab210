/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of cc.h, and kernel descriptions as any ELF file may have them. */

#include "test.h"

#include "samite/samite.h"

TEST(compiling)
{
    char *assembly, *messages;
    size_t size;
    refuses(sam_cc_compile, NULL, NULL, &assembly, &size, &messages);
    refuses(sam_cc_compile, NULL, "k.cl", NULL, &size, &messages);
    refuses(sam_cc_compile, NULL, "k.cl", &assembly, NULL, &messages);
    refuses(sam_cc_compile, NULL, "k.cl", &assembly, &size, NULL);
    const struct sam_cc_options wrong = {.size = 3};
    assert_int_equal(sam_cc_compile(&wrong, "k.cl", &assembly, &size, &messages, &refusal),
                     SAM_ERR_USAGE);
    assert_null(assembly);
    sam_text_free(messages);
}

TEST(names)
{
    assert_true(sam_cc_is_source("a.cl"));
    assert_true(sam_cc_is_source("folder.s/a.ocl"));
    assert_false(sam_cc_is_source("a.cl.s"));
    assert_false(sam_cc_is_source("cl"));
    assert_false(sam_cc_is_source(NULL));
}

static bool argument_of(const char *text, size_t index, struct sam_cc_argument *argument)
{
    struct sam_section section = {.name = (char *)SAM_CC_SIGNATURES,
                                  .data = (uint8_t *)(uintptr_t)text,
                                  .data_size = strlen(text)};
    const struct sam_image image = {.sections = &section, .section_count = 1};
    return sam_cc_kernel_argument(&image, "k", index, argument);
}

TEST(descriptions)
{
    static const char text[] = "kernel other 0 0 0\narg local 4 8 float*|l\nkernel k 8 4 1\n"
                               "arg global 4 0 uint*|out\narg value 8 8 ulong|n\n";
    struct sam_section section = {.name = (char *)SAM_CC_SIGNATURES,
                                  .data = (uint8_t *)(uintptr_t)text,
                                  .data_size = sizeof text - 1};
    const struct sam_image image = {.sections = &section, .section_count = 1};
    struct sam_cc_argument a;
    uint32_t block[3];
    assert_true(sam_cc_kernel_described(&image, "k", block));
    assert_int_equal(block[0], 8);
    assert_int_equal(block[1], 4);
    assert_int_equal(block[2], 1);
    assert_true(sam_cc_kernel_described(&image, "other", NULL));
    assert_false(sam_cc_kernel_described(&image, "no", NULL));
    assert_false(sam_cc_kernel_described(&image, NULL, NULL));
    assert_false(sam_cc_kernel_described(NULL, "k", NULL));
    assert_true(sam_cc_kernel_argument(&image, "k", 1, &a));
    assert_int_equal(a.space, SAM_CC_VALUE);
    assert_int_equal(a.size, 8);
    assert_int_equal(a.offset, 8);
    assert_string_equal(a.type, "ulong");
    assert_string_equal(a.name, "n");
    assert_false(sam_cc_kernel_argument(&image, "k", 2, &a));
    assert_false(sam_cc_kernel_argument(&image, "no", 0, &a));
    assert_false(sam_cc_kernel_argument(NULL, "k", 0, &a));
    assert_false(argument_of("kernel k 1 1 1\narg value 4 0 int|a", 0, &a)); /* no newline */
    assert_false(argument_of("kernel k 1 1 1\narg other 4 0 int|a\n", 0, &a));
    assert_false(argument_of("kernel k 1 1 1\narg value x 0 int|a\n", 0, &a));
    assert_false(argument_of("kernel k 1 1\narg value 4 0 int|a\n", 0, &a));
    assert_true(argument_of("kernel k 1 1 1\narg value 4 0 int\n", 0, &a));
    assert_string_equal(a.name, "");
}
