/* SPDX-License-Identifier: Apache-2.0 */
/* Growing buffers, arrays, copies of text, error messages. */

#include "test.h"

/* An impossible size gives NULL, also under the address sanitizer, instead of aborting. */
/* NOLINTBEGIN(bugprone-reserved-identifier): the sanitizer's name */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}
/* NOLINTEND(bugprone-reserved-identifier) */

TEST(test_empty)
{
    struct sam_buffer buffer = {0};
    assert_string_equal(sam_buffer_text(&buffer), "");
    assert_true(sam_buffer_append(&buffer, NULL, 0));
    assert_int_equal(buffer.size, 0);
    assert_string_equal(sam_buffer_text(&buffer), "");
    sam_buffer_free(&buffer);
    assert_null(buffer.data);
    sam_buffer_free(&buffer); /* a freed buffer is empty */
}

/* Pieces of every size, against one flat array. */
TEST(test_append)
{
    enum { LARGEST = 300 };
    static uint8_t expected[LARGEST * (LARGEST + 1) / 2];
    SCOPED(sam_buffer) buffer = {0};
    size_t size = 0;
    for (size_t piece = 0; piece <= LARGEST; piece++) {
        for (size_t i = 0; i < piece; i++)
            expected[size + i] = (uint8_t)(piece * 31 + i);
        assert_true(piece % 2 ? sam_buffer_append(&buffer, expected + size, piece)
                              : sam_buffer_fill(&buffer, (uint8_t)piece, piece));
        if (piece % 2 == 0)
            memset(expected + size, (int)(uint8_t)piece, piece);
        size += piece;
        assert_int_equal(buffer.size, size);
        assert_int_equal(buffer.data[size], 0);
        assert_true(buffer.capacity > size);
    }
    assert_memory_equal(buffer.data, expected, size);
}

/* Texts shorter than the free space, of equal length, and longer. */
TEST(test_printf)
{
    static char text[2000];
    for (size_t length = 0; length < sizeof text; length += length < 300 ? 1 : 97) {
        SCOPED(sam_buffer) buffer = {0};
        memset(text, 'x', length);
        text[length] = '\0';
        assert_true(sam_buffer_printf(&buffer, "%s", text));
        assert_int_equal(buffer.size, length);
        assert_true(sam_buffer_printf(&buffer, "%s%d", text, -7));
        assert_int_equal(buffer.size, 2 * length + 2);
        assert_int_equal(strlen(sam_buffer_text(&buffer)), 2 * length + 2);
        assert_string_equal(sam_buffer_text(&buffer) + 2 * length, "-7");
        assert_memory_equal(buffer.data + length, text, length);
    }
}

/* An impossible size puts the buffer in a permanent error state and keeps its contents. */
TEST(test_failure_stays)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / 4 + 1};
    for (size_t i = 0; i < SAM_COUNT(sizes); i++) {
        struct sam_buffer buffer = {0};
        assert_true(sam_buffer_printf(&buffer, "kept"));
        assert_false(sam_buffer_fill(&buffer, 1, sizes[i]));
        assert_true(buffer.failed);
        assert_false(sam_buffer_append(&buffer, "more", 4));
        assert_false(sam_buffer_fill(&buffer, 0, 1));
        assert_false(sam_buffer_printf(&buffer, "%d", 1));
        assert_int_equal(buffer.size, 4);
        assert_string_equal(sam_buffer_text(&buffer), "kept");
        sam_buffer_free(&buffer);
        assert_false(buffer.failed);
    }
}

TEST(test_alloc)
{
    /* The products wrap to small sizes. */
    assert_null(sam_alloc(SIZE_MAX / 2 + 1, 2));
    assert_null(sam_alloc(SIZE_MAX / 4 + 2, 4));
    assert_null(sam_alloc(SIZE_MAX, SIZE_MAX));
    static const size_t sizes[][2] = {{0, 0}, {0, 8}, {8, 0}, {3, 100}};
    for (size_t i = 0; i < SAM_COUNT(sizes); i++) {
        FREED uint8_t *memory = sam_alloc(sizes[i][0], sizes[i][1]);
        assert_non_null(memory);
        for (size_t k = 0; k < sizes[i][0] * sizes[i][1]; k++)
            assert_int_equal(memory[k], 0);
    }
}

TEST(test_grow)
{
    FREED uint32_t *array = NULL;
    size_t capacity = 0, moves = 0;
    for (size_t count = 0; count < 10000; count++) {
        size_t before = capacity;
        uint32_t *grown = sam_grow(array, count, &capacity, sizeof *array);
        assert_non_null(grown);
        assert_true(capacity > count);
        moves += capacity != before;
        array = grown;
        array[count] = (uint32_t)count;
    }
    assert_true(moves < 12);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(array[i], i);
    /* Too large: the array and its capacity are unchanged. */
    size_t huge = SIZE_MAX / 8;
    assert_null(sam_grow(array, huge, &huge, sizeof *array));
    assert_int_equal(huge, SIZE_MAX / 8);
    assert_int_equal(array[9999], 9999);
}

TEST(test_copies)
{
    FREED char *all = sam_strdup("section"), *part = sam_strndup("section", 4),
               *none = sam_strndup("", 0);
    assert_string_equal(all, "section");
    assert_string_equal(part, "sect");
    assert_string_equal(none, "");
}

TEST(test_error_line)
{
    struct sam_error error;
    static char longest[4000];
    memset(longest, 'y', sizeof longest - 1);
    assert_int_equal(sam_fail(&error, SAM_ERR_INPUT, "line %d\nof %s", 3, "x\n"), SAM_ERR_INPUT);
    assert_int_equal(error.status, SAM_ERR_INPUT);
    assert_string_equal(error.text, "line 3 of x ");
    sam_fail(&error, SAM_ERR_IO, "%s", longest);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_int_equal(sam_fail(NULL, SAM_ERR_USAGE, "nobody listens"), SAM_ERR_USAGE);
    assert_int_equal(sam_fail_memory(&error), SAM_ERR_MEMORY);
    assert_string_equal(error.text, "out of memory");
    for (enum sam_status status = SAM_OK; status <= SAM_ERR_STOPPED; status++)
        assert_string_not_equal(sam_status_name(status), "unknown status");
    assert_string_equal(sam_status_name((enum sam_status)99), "unknown status");
}

TEST(test_plain)
{
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9a",
         "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9a"},
        {"\x1b[31mred\x7f\t", "?[31mred??"},
        {"\xc2\x9b\xc2\xa0", "??\xc2\xa0"},                    /* C1, and the byte after it */
        {"\xe4 \xc3", "? ?"},                                  /* Latin-1, a cut sequence */
        {"\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf", "?????????"}, /* overlong */
        {"\xed\xa0\x80\xf4\x90\x80\x80\xf5", "????????"},      /* a surrogate, above the maximum */
        {"", ""},
    };
    struct sam_error error;
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        FREED char *text = formatted("%s", cases[i].text);
        sam_text_make_plain(text);
        assert_string_equal(text, cases[i].shown);
        sam_fail(&error, SAM_ERR_INPUT, "%s", cases[i].text);
        assert_string_equal(error.text, cases[i].shown);
    }
    sam_text_make_plain(NULL);
    assert_int_equal(sam_text_character(NULL, 1), 0);
    assert_int_equal(sam_text_character("a", 0), 0);
}

/* As printed by printf. */
TEST(test_hex)
{
    static const uint64_t values[] = {0, 1, 0xf, 0x10, 0xabcdef, 0x89abcdef, UINT64_MAX};
    for (size_t i = 0; i < SAM_COUNT(values); i++) {
        for (unsigned digits = 1; digits <= 16; digits++) {
            SCOPED(sam_buffer) b = {0};
            const uint64_t mask = digits < 16 ? (UINT64_C(1) << 4 * digits) - 1 : UINT64_MAX;
            FREED char *expected =
                formatted("x=%0*llx", (int)digits, (unsigned long long)(values[i] & mask));
            assert_true(sam_buffer_puts(&b, "x="));
            assert_true(sam_buffer_hex(&b, values[i], digits));
            assert_string_equal(sam_buffer_text(&b), expected);
        }
    }
}

TEST(test_blocks)
{
    struct sam_blocks blocks = {0};
    uint8_t *first = sam_blocks_take(&blocks, 3, 5);
    for (unsigned i = 0; i < 15; i++)
        assert_int_equal(first[i], 0);
    assert_int_equal((uintptr_t)first % _Alignof(max_align_t), 0);
    assert_string_equal(sam_blocks_text(&blocks, "text", 2), "te");
    assert_string_equal(sam_blocks_text(&blocks, NULL, 0), "");
    assert_non_null(sam_blocks_take(&blocks, 0, 8));
    assert_null(sam_blocks_take(&blocks, SIZE_MAX, 2));
    assert_null(sam_blocks_take(&blocks, SIZE_MAX, 1));
    sam_blocks_free(&blocks);
    assert_null(blocks.first);
    sam_blocks_free(&blocks);
}
