/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of isa.h. */

#include "test.h"

#include "samite/isa.h"

TEST(isas)
{
    static const char *const bad[] = {"", "rv", "rv32", "rv128i", "rv32i_", "rv32i__m", "rv64ix"};
    struct sam_isa isa = {0};
    char text[8] = "kept";
    refuses(sam_isa_parse, NULL, &isa);
    refuses(sam_isa_parse, "rv32i", NULL);
    for (size_t i = 0; i < SAM_COUNT(bad); i++)
        if (i != 4 && i != 5)
            refuses(sam_isa_parse, bad[i], &isa);
    isa = (struct sam_isa){.xlen = 77, .extensions = UINT32_MAX};
    sam_isa_format(&isa, NULL, 0);
    sam_isa_format(&isa, text, 1);
    assert_string_equal(text, "");
    sam_isa_format(&isa, text, sizeof text);
    assert_string_equal(text, "rv77ima");
}

/* Words and pcs of every kind, with no ISA and with every extension, and an output of size 0. */
TEST(one_word)
{
    static const struct sam_isa isas[] = {{0, 0}, {32, 0}, {64, UINT32_MAX}, {77, UINT32_MAX}};
    char text[300];
    for (size_t i = 0; i < SAM_COUNT(isas); i++)
        for (uint64_t word = 0; word <= UINT32_MAX; word += 0x10204083) {
            sam_disassemble(&isas[i], (uint32_t)word, UINT64_MAX, UINT32_MAX, NULL, NULL, 0);
            sam_disassemble(&isas[i], (uint32_t)word, 0, 0, NULL, text, 1);
            assert_string_equal(text, "");
            sam_disassemble(&isas[i], (uint32_t)word, 0, 0, NULL, text, sizeof text);
            assert_true(text[0] != '\0');
        }
}

TEST(images)
{
    const struct sam_isa isa = {32, SAM_EXT_I};
    SCOPED_IMAGE *image = sam_image_new(32);
    SCOPED_TEXT *text = (char *)1;
    refuses(sam_disassemble_image, NULL, image, &text);
    assert_null(text);
    refuses(sam_disassemble_image, &isa, NULL, &text);
    refuses(sam_disassemble_image, &isa, image, NULL);
    assert_int_equal(sam_disassemble_image(&isa, image, &text, NULL), SAM_OK);
    assert_string_equal(text, "");
    sam_text_free(NULL);
}

static void refuses_assembly(const struct sam_asm_options *options, const char *name,
                             const char *text, size_t size)
{
    struct sam_image *image = (struct sam_image *)1;
    SCOPED_TEXT *messages = NULL;
    struct sam_error error = {0};
    assert_int_equal(sam_assemble(options, name, text, size, &image, &messages, &error),
                     SAM_ERR_USAGE);
    assert_null(image);
    assert_non_null(messages);
    assert_true(error.text[0]);
    if (options && options->listing)
        assert_null(*options->listing);
}

TEST(assembly)
{
    SCOPED_IMAGE *image = NULL;
    char *messages, *listing = (char *)1;
    const char *const nothing[] = {NULL};
    struct sam_asm_options options = {.isa = {32, SAM_EXT_I}, .listing = &listing};
    options.size = sizeof options;
    refuses_assembly(NULL, "a", "", 0);
    refuses_assembly(&options, NULL, "", 0);
    refuses_assembly(&options, "a", NULL, 1);
    refuses(sam_assemble, &options, "a", "", 0, NULL, NULL);
    refuses(sam_assemble, &options, "a", "", 0, &image, NULL);
    options.isa.xlen = 31;
    refuses_assembly(&options, "a", "nop", 3);
    options.isa.xlen = 32;
    options.define_count = 1;
    refuses_assembly(&options, "a", "nop", 3);
    options.defines = nothing;
    refuses_assembly(&options, "a", "nop", 3);
    options.define_count = 0;
    options.include_count = 1;
    refuses_assembly(&options, "a", "nop", 3);
    options.include_paths = nothing;
    refuses_assembly(&options, "a", "nop", 3);
    options.include_count = 0;
    options.base = UINT64_MAX;
    assert_int_equal(sam_assemble(&options, "a", "nop\nnop\n", 8, &image, &messages, NULL),
                     SAM_ERR_INPUT);
    assert_null(listing);
    assert_null(image);
    sam_text_free(messages);
    options.base = 0;
    options.isa.extensions = UINT32_MAX; /* undefined bits, and conflicting units */
    assert_int_equal(sam_assemble(&options, "", NULL, 0, &image, &messages, NULL), SAM_OK);
    assert_string_equal(messages, "");
    sam_text_free(messages);
    sam_text_free(listing);
}

TEST(tables)
{
    const struct sam_isa none = {0};
    struct sam_isa_entry entry;
    struct sam_csr_entry csr;
    assert_false(sam_isa_entry_get(SIZE_MAX, &entry));
    assert_false(sam_isa_entry_is_on(&none, SIZE_MAX));
    char text[8] = "x";
    sam_isa_entry_expansion(&entry, text, sizeof text); /* of no entry */
    assert_string_equal(text, "");
    for (size_t i = 0; sam_isa_entry_get(i, &entry); i++)
        sam_isa_entry_expansion(&entry, NULL, 0);
    entry = (struct sam_isa_entry){.expansion = "$"};
    sam_isa_entry_expansion(&entry, text, sizeof text);
    assert_string_equal(text, "$");
    assert_false(sam_csr_entry_get(&none, SIZE_MAX, &csr));
    assert_false(sam_csr_entry_find(&none, "", &csr));
    assert_null(sam_csr_name_note(&none, ""));
    const struct sam_isa all = {64, UINT32_MAX};
    assert_null(sam_csr_name_note(&all, "tmask_load"));
    assert_non_null(strstr(sam_csr_name_note(&all, "tmask_ls"), "the load's mask alone"));
    assert_non_null(sam_csr_name_note(&all, "tmask_load_stride7"));
    assert_false(sam_csr_entry_find(&none, "0x1000", &csr));
    assert_false(sam_csr_entry_find(&none, "18446744073709551617", &csr));
}
