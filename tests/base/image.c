/* SPDX-License-Identifier: Apache-2.0 */
/* Program images: valid sections and symbols, order, overlaps, look-ups. */

#include "test.h"

static enum sam_status add(struct sam_image *image, const char *name, uint64_t address,
                           uint64_t size)
{
    struct sam_section section = {.name = (char *)name, .address = address, .size = size};
    return sam_image_add_section(image, &section, NULL);
}

static void add_symbol(struct sam_image *image, const char *name, uint64_t value, int kind)
{
    struct sam_symbol symbol = {
        .name = (char *)name,
        .value = value,
        .global = kind == 'g' || kind == 'f',
        .function = kind == 'f',
        .section_relative = kind != 'a',
    };
    assert_int_equal(sam_image_add_symbol(image, &symbol, NULL), SAM_OK);
}

static struct sam_image *make(void)
{
    struct sam_image *image = sam_image_new(32);
    assert_non_null(image);
    assert_int_equal(image->xlen, 32);
    return image;
}

TEST(test_empty)
{
    struct sam_image *image = make();
    assert_int_equal(sam_image_finish(image, NULL), SAM_OK);
    assert_null(sam_image_find(image, "main"));
    assert_null(sam_image_symbol_at(image, 0));
    assert_null(sam_image_find(NULL, "main"));
    assert_null(sam_image_symbol_at(NULL, 0));
    sam_image_free(image);
    sam_image_free(NULL);
}

TEST(test_data_is_copied)
{
    SCOPED_IMAGE *image = make();
    uint8_t data[4] = {1, 2, 3, 4};
    char name[] = ".text";
    struct sam_section section = {.name = name, .size = 8, .data_size = 4, .data = data};
    assert_int_equal(sam_image_add_section(image, &section, NULL), SAM_OK);
    memset(data, 0, sizeof data);
    memset(name, 'x', 5);
    assert_string_equal(image->sections[0].name, ".text");
    assert_memory_equal(image->sections[0].data, ((uint8_t[]){1, 2, 3, 4}), 4);
}

TEST(test_sizes_refused)
{
    SCOPED_IMAGE *image = make();
    uint8_t data[9] = {0};
    struct sam_section section = {.name = ".big", .size = 8, .data_size = 9, .data = data};
    must_fail(SAM_ERR_INPUT, ".big", sam_image_add_section, image, &section);
    assert_int_equal(add(image, ".wrap", UINT64_MAX, 1), SAM_ERR_INPUT);
    assert_int_equal(add(image, ".wrap", UINT64_MAX - 7, 8), SAM_ERR_INPUT);
    assert_int_equal(add(image, ".wrap", 2, UINT64_MAX - 1), SAM_ERR_INPUT);
    assert_int_equal(image->section_count, 0);
    assert_int_equal(add(image, ".end", UINT64_MAX - 8, 8), SAM_OK);
    assert_int_equal(image->section_count, 1);
}

static void check_overlap(const uint64_t (*sections)[2], size_t count, bool overlap)
{
    SCOPED_IMAGE *image = make();
    struct sam_error error = {0};
    for (size_t i = 0; i < count; i++)
        assert_int_equal(add(image, i == 0 ? ".first" : ".other", sections[i][0], sections[i][1]),
                         SAM_OK);
    assert_int_equal(sam_image_finish(image, &error), overlap ? SAM_ERR_INPUT : SAM_OK);
    if (overlap)
        assert_non_null(strstr(error.text, "overlap"));
}

TEST(test_overlap)
{
    check_overlap((const uint64_t[][2]){{0, 8}, {8, 8}}, 2, false);
    check_overlap((const uint64_t[][2]){{8, 8}, {0, 9}}, 2, true);
    check_overlap((const uint64_t[][2]){{0, 100}, {50, 1}}, 2, true);
    check_overlap((const uint64_t[][2]){{4, 4}, {4, 4}}, 2, true);
    check_overlap((const uint64_t[][2]){{0, UINT64_MAX}, {UINT64_MAX - 1, 1}}, 2, true);
    check_overlap((const uint64_t[][2]){{4, 0}, {0, 8}, {8, 0}}, 3, false);
    /* An empty section between two sections does not hide their overlap. */
    check_overlap((const uint64_t[][2]){{0, 100}, {50, 0}, {60, 10}}, 3, true);
    check_overlap((const uint64_t[][2]){{60, 0}, {60, 10}, {0, 61}}, 3, true);
}

/* Against a comparison of all pairs. */
TEST(test_random_overlap)
{
    uint64_t random = test_seed();
    unsigned seen[2] = {0};
    for (int round = 0; round < 20000; round++) {
        uint64_t sections[6][2];
        size_t count = 2 + test_below(&random, 5);
        bool overlap = false;
        for (size_t i = 0; i < count; i++) {
            sections[i][0] = test_below(&random, 40);
            sections[i][1] = test_below(&random, 4) ? test_below(&random, 9) : 0;
            for (size_t j = 0; j < i; j++)
                overlap |= sections[i][1] && sections[j][1] &&
                           sections[i][0] < sections[j][0] + sections[j][1] &&
                           sections[j][0] < sections[i][0] + sections[i][1];
        }
        seen[overlap]++;
        check_overlap((const uint64_t(*)[2])sections, count, overlap);
    }
    assert_true(seen[0] > 1000 && seen[1] > 1000);
}

TEST(test_order)
{
    SCOPED_IMAGE *image = make();
    for (uint64_t i = 0; i < 100; i++) {
        assert_int_equal(add(image, ".s", (i * 37 % 100) * 16, 16), SAM_OK);
        add_symbol(image, "s", i * 61 % 100 * 8, 'l');
    }
    assert_int_equal(sam_image_finish(image, NULL), SAM_OK);
    assert_int_equal(image->section_count, 100);
    for (uint64_t i = 0; i < 100; i++) {
        assert_int_equal(image->sections[i].address, i * 16);
        assert_int_equal(image->symbols[i].value, i * 8);
    }
}

static const char *name_at(const struct sam_image *image, uint64_t address)
{
    const struct sam_symbol *symbol = sam_image_symbol_at(image, address);
    return symbol ? symbol->name : "none";
}

TEST(test_symbols)
{
    SCOPED_IMAGE *image = make();
    assert_int_equal(add(image, ".text", 0x1000, 0x100), SAM_OK);
    assert_int_equal(add(image, ".data", 0x2000, 0x100), SAM_OK);
    add_symbol(image, "local", 0x1010, 'l');
    add_symbol(image, "global", 0x1010, 'g');
    add_symbol(image, "kernel", 0x1010, 'f');
    add_symbol(image, "absolute", 0x1018, 'a');
    add_symbol(image, "later", 0x1020, 'l');
    add_symbol(image, "end", 0x1100, 'l'); /* at the end: in no section */
    assert_int_equal(sam_image_finish(image, NULL), SAM_OK);
    assert_string_equal(name_at(image, 0x1000), "none");
    assert_string_equal(name_at(image, 0x100f), "none");
    assert_string_equal(name_at(image, 0x1010), "kernel");
    assert_string_equal(name_at(image, 0x101f), "kernel"); /* not the absolute value */
    assert_string_equal(name_at(image, 0x1020), "later");
    assert_string_equal(name_at(image, 0x10ff), "later");
    assert_string_equal(name_at(image, 0x1100), "none");
    assert_string_equal(name_at(image, 0x2000), "none"); /* symbols of .text are not its own */
    assert_string_equal(name_at(image, UINT64_MAX), "none");
    assert_int_equal(sam_image_find(image, "absolute")->value, 0x1018);
    assert_null(sam_image_find(image, "kerne"));
    assert_null(sam_image_find(image, ""));
}
