/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile texts and images: total expansion is bounded, many names are looked up by hashing, and
 * no message or listing contains terminal control characters. */
#include "isa/isa_test.h"

#define V "ventus"

/* Two nested .irpc of 10,000 characters each around `body`. */
static void nest(struct sam_buffer *text, const char *body)
{
    text->size = 0;
    for (int name = 'a'; name <= 'b'; name++) {
        sam_buffer_printf(text, ".irpc %c,", name);
        sam_buffer_fill(text, 'x', 10000);
        sam_buffer_append(text, "\n", 1);
    }
    sam_buffer_printf(text, "%s\n.endr\n.endr\n", body);
}

TEST(test_expansion)
{
    SCOPED(sam_buffer) text = {0};
    nest(&text, "nop");
    test_refused(V, sam_buffer_text(&text), "the program expands to more than 264 MiB");
    nest(&text, ".if 0\nnop\n.endif");
    test_refused(V, sam_buffer_text(&text), "the program expands to ");
    nest(&text, ".set x_\\a\\b, 0");
    test_refused(V, sam_buffer_text(&text), "the program expands to ");
    /* values of .irp count as text */
    text.size = 0;
    sam_buffer_printf(&text, ".irp a,");
    for (int i = 0; i < 100000; i++)
        sam_buffer_append(&text, "1,", 2);
    sam_buffer_printf(&text, "\n.irp b,");
    for (int i = 0; i < 100000; i++)
        sam_buffer_append(&text, "1,", 2);
    sam_buffer_printf(&text, "\n.endr\n.endr\n");
    test_refused(V, sam_buffer_text(&text), "the program expands to ");
}

/* A binary file has one message. */
TEST(test_binary)
{
    static const char text[] = "\tnop\nbad 1\n\0 bad 2\nbad 3\n";
    struct sam_asm_options options = {.isa = test_isa(V)};
    struct sam_image *image;
    struct sam_error error;
    SCOPED_TEXT *messages = NULL;
    assert_int_equal(
        sam_assemble(&options, "a.npy", text, sizeof text - 1, &image, &messages, &error),
        SAM_ERR_INPUT);
    assert_string_equal(messages, "a.npy:3: error: a zero byte: expected text\n");
    assert_string_equal(error.text, "a.npy:3: error: a zero byte: expected text");
}

/* The caller may lower the limit. */
TEST(test_lower_limit)
{
    static const char text[] = ".rept 1000\nnop\n.endr\n";
    for (uint64_t limit = 1 << 14; limit <= 1 << 20; limit <<= 6) {
        struct sam_asm_options options = {.isa = test_isa(V), .max_expanded = limit};
        SCOPED_IMAGE *image = NULL;
        struct sam_error error;
        SCOPED_TEXT *messages = NULL;
        enum sam_status status =
            sam_assemble(&options, "t.s", text, strlen(text), &image, &messages, &error);
        assert_int_equal(status, limit == 1 << 20 ? SAM_OK : SAM_ERR_INPUT);
        assert_true(status == SAM_OK ||
                    strstr(messages, "the program expands to more than 256 statements"));
    }
}

/* The source itself is not expansion: a source of any length passes a low limit. */
TEST(test_long_source)
{
    enum { LINES = 100000 };
    struct sam_asm_options options = {.isa = test_isa(V), .max_expanded = 1};
    SCOPED(sam_buffer) text = {0};
    struct sam_image *image;
    char *messages;
    for (unsigned i = 0; i < LINES; i++)
        sam_buffer_append(&text, "nop\n", 4);
    assert_int_equal(
        sam_assemble(&options, "t.s", sam_buffer_text(&text), text.size, &image, &messages, NULL),
        SAM_OK);
    assert_int_equal(image->sections[0].size, 4 * LINES);
    sam_text_free(messages);
    sam_image_free(image);
    static const char one[] = ".rept 1\nnop\n.endr\n";
    assert_int_equal(sam_assemble(&options, "t.s", one, strlen(one), &image, &messages, NULL),
                     SAM_ERR_INPUT);
    assert_non_null(strstr(messages, "the program expands to more than 0 statements"));
    sam_text_free(messages);
}

TEST(test_many)
{
    SCOPED(sam_buffer) text = {0};
    for (unsigned i = 0; i < 100000; i++)
        sam_buffer_printf(&text,
                          ".section s%u\n.globl l%u\nl%u: .word %u\n.macro m%u\n.endm\nm%u\n", i, i,
                          i, i, i, i);
    SCOPED_IMAGE *image = NULL;
    const struct sam_section *section =
        test_section("rv32i", sam_buffer_text(&text), "s77777", &image);
    assert_int_equal(sam_le32(section->data), 77777);
    assert_int_equal(image->section_count, 100001);
    assert_int_equal(image->symbol_count, 100000);
    struct sam_isa isa = test_isa("rv32i");
    SCOPED_TEXT *listing = NULL;
    assert_int_equal(sam_disassemble_image(&isa, image, &listing, NULL), SAM_OK);
    assert_non_null(strstr(listing, "\nl99999:\n"));
}

/* Parameters are found among many names; names with a common prefix are distinct. */
TEST(test_parameters)
{
    SCOPED(sam_buffer) text = {0};
    sam_buffer_printf(&text, ".macro m p0");
    for (int i = 1; i < 3000; i++)
        sam_buffer_printf(&text, ", p%d", i);
    sam_buffer_printf(&text, "\n.word \\p2, \\p29, \\p299, \\p2999\n.endm\n"
                             "m p2999=4, p2=1, p29=2, p299=3\n");
    WORDS(V, sam_buffer_text(&text), 1, 2, 3, 4);
    text.size = 0;
    sam_buffer_printf(&text,
                      ".macro m a, ab, abc\n.word \\a, \\ab, \\abc\n.endm\nm 1, 2, 3\n"
                      ".macro n op\n\\op\\().w\n\\op.w\n.endm\n.macro x.w\n.word 9\n.endm\nn x\n");
    WORDS(V, sam_buffer_text(&text), 1, 2, 3, 9, 9);
}

/* Sections whose printed names would collide: the text must assemble to the same bytes. */
TEST(test_names_of_sections)
{
    static const char *const names[] = {".text", ".text", ".text.1", ".text.2", ".text", "",
                                        "",      ".5",    "a\"b",    "a_b",     "a\nb",  "a\\b"};
    char long_name[400], longer_name[400];
    memset(long_name, 'x', sizeof long_name);
    long_name[390] = '\0';
    memcpy(longer_name, long_name, sizeof long_name);
    longer_name[389] = 'y';
    struct sam_isa isa = test_isa(V);
    SCOPED_IMAGE *image = sam_image_new(32);
    assert_non_null(image);
    for (unsigned i = 0; i < SAM_COUNT(names) + 2; i++) {
        uint8_t data[4] = {(uint8_t)(i + 1), 0, 0, 0};
        FREED char *name = formatted("%s", i < SAM_COUNT(names) ? names[i]
                                           : i & 1              ? long_name
                                                                : longer_name);
        struct sam_section section = {.name = name,
                                      .address = 0x80000000 + 16 * i,
                                      .size = 4,
                                      .data_size = 4,
                                      .data = data,
                                      .execute = true};
        assert_int_equal(sam_image_add_section(image, &section, NULL), SAM_OK);
    }
    assert_int_equal(sam_image_finish(image, NULL), SAM_OK);
    char *text, *messages;
    assert_int_equal(sam_disassemble_image(&isa, image, &text, NULL), SAM_OK);
    SCOPED_IMAGE *again = test_assemble(V, text, &messages);
    if (!again)
        fail_msg("%s%s", text, messages);
    size_t found = 0;
    for (size_t i = 0; i < again->section_count; i++) {
        const struct sam_section *section = &again->sections[i];
        if (!section->size)
            continue;
        assert_int_equal(section->address, 0x80000000 + 16 * found);
        assert_int_equal(sam_le32(section->data), ++found);
    }
    assert_int_equal(found, image->section_count);
    sam_text_free(text);
    sam_text_free(messages);
}

/* Messages contain no control characters but newlines, no C1 controls and no invalid UTF-8. */
TEST(test_messages_are_plain)
{
    static const char text[] =
        "bad\x1b[31m \x7f\n\x9b 1\n.error \"\xc2\x9b\xc3\xa9\x07\"\n.wo\x01rd\n"
        "add \xc2\x85, \"\x1b]0;x\x07\"\n.include \"\x1b[2J\"\n";
    struct sam_asm_options options = {.isa = test_isa(V)};
    struct sam_error error = {0};
    struct sam_image *image;
    SCOPED_TEXT *messages = NULL;
    assert_int_equal(
        sam_assemble(&options, "na\x1bme\x9b.s", text, strlen(text), &image, &messages, &error),
        SAM_ERR_INPUT);
    for (const unsigned char *c = (const unsigned char *)messages; *c; c++) {
        if ((*c < ' ' && *c != '\n') || *c == 127 || (*c == 0xc2 && c[1] < 0xa0))
            fail_msg("byte %02x in: %s", *c, messages);
        if (*c >= 0x80 && *c < 0xc0 && c[-1] < 0x80)
            fail_msg("byte %02x in: %s", *c, messages);
    }
    assert_non_null(strstr(messages, "na?me?.s:1:1: error: "));
    assert_non_null(strstr(messages, "\xc3\xa9")); /* letters stay */
    assert_null(strchr(error.text, 27));
}
