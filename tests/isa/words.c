/* SPDX-License-Identifier: Apache-2.0 */
/* Words of compiled kernels, each with the text printed by the vendor's disassembler: both ways.
 * Reads ventus-words.tsv (word TAB text) from the folder in SAMITE_VECTORS. */
#include "isa/isa_test.h"

static struct sam_buffer vectors;
static size_t count;

struct vector {
    uint32_t word;
    const char *text;
};
static struct vector *list;

FIXTURE(load)
{
    const char *folder = getenv("SAMITE_VECTORS");
    if (!folder)
        return 0;
    FREED char *path = formatted("%s/ventus-words.tsv", folder);
    struct sam_error error;
    if (sam_file_read(path, 64 << 20, &vectors, &error) != SAM_OK) {
        printf("# %s\n", error.text);
        return -1;
    }
    size_t capacity = 0;
    for (char *line = strtok((char *)vectors.data, "\n"); line; line = strtok(NULL, "\n")) {
        char *end;
        uint32_t word = (uint32_t)strtoul(line, &end, 16);
        if (end == line || *end != '\t')
            return -1;
        list = sam_grow(list, count, &capacity, sizeof *list);
        list[count++] = (struct vector){word, end + 1};
    }
    printf("# %zu vectors\n", count);
    return 0;
}

FIXTURE(unload)
{
    sam_buffer_free(&vectors);
    free(list);
    return 0;
}

static void check(const char *text, uint32_t word)
{
    SCOPED_IMAGE *image = NULL;
    const struct sam_section *section = test_section("ventus", text, ".text", &image);
    if (section->data_size != 4 || sam_le32(section->data) != word)
        fail_msg("'%s' gives %08x, expected %08x", text, sam_le32(section->data), word);
}

TEST(test_text_to_word)
{
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++)
        check(list[i].text, list[i].word);
}

TEST(test_word_to_text_to_word)
{
    assert_true(count > 0);
    struct sam_isa isa = test_isa("ventus");
    for (size_t i = 0; i < count; i++) {
        char text[256];
        assert_true(sam_disassemble(&isa, list[i].word, 0x80000000, 0, NULL, text, sizeof text));
        assert_true(text[0] != '.');
        check(text, list[i].word);
    }
}

/* The mnemonic equals the vendor's, except vfneg.v, which the vendor spells out. */
TEST(test_same_mnemonic)
{
    assert_true(count > 0);
    struct sam_isa isa = test_isa("ventus");
    for (size_t i = 0; i < count; i++) {
        char text[256];
        sam_disassemble(&isa, list[i].word, 0x80000000, 0, NULL, text, sizeof text);
        size_t size = strcspn(list[i].text, " ");
        if (strncmp(text, "vfneg.v ", 8) == 0 && strncmp(list[i].text, "vfsgnjn.vv ", 11) == 0)
            continue;
        if (strncmp(text, list[i].text, size) != 0 || (text[size] != ' ' && text[size] != '\0'))
            fail_msg("%08x: '%s', the vendor prints '%s'", list[i].word, text, list[i].text);
    }
}

PROLOGUE
{
    if (!getenv("SAMITE_VECTORS"))
        test_skip_all("SAMITE_VECTORS is not set: no vectors to compare with");
}

TEST_GROUP(load, unload)
