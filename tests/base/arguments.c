/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of status.h, text.h, dtype.h, file.h, image.h and parameter.h. */
#include <unistd.h>

#include "test.h"

#include "samite/dtype.h"
#include "samite/isa.h"
#include "samite/parameter.h"
#include "samite/version.h"

TEST(names)
{
    assert_string_equal(sam_status_name(SAM_OK), "ok");
    assert_string_equal(sam_status_name((enum sam_status)99), "unknown status");
    assert_string_equal(sam_status_name((enum sam_status) - 1), "unknown status");
    assert_true(strlen(sam_version()) >= 5);
}

/* The message uses the argument's name in the declaration. */
TEST(message)
{
    struct sam_error error;
    const int x = 0;
    assert_false(SAM_LACKS(&error, &x));
    assert_true(SAM_LACKS(&error, &x, (void *)0));
    assert_int_equal(error.status, SAM_ERR_USAGE);
    size_t size;
    assert_int_equal(sam_file_load("x", 0, NULL, &size, &error), SAM_ERR_USAGE);
    assert_string_equal(error.text, "data is NULL");
}

/* Parses settings of a file: comments, blanks and commas separate them. */
TEST(settings)
{
    static const struct {
        const char *file, *text;
    } files[] = {{"", ""},
                 {"# only a comment", ""},
                 {"a=1\n", "a=1"},
                 {"\n a = 1 # one, two\r\n,, b=2,\n\n#c=3\nd=4", "a=1,b=2,d=4"}};
    char path[] = "/tmp/samite-settings-XXXXXX", *text;
    struct sam_error error;
    refuses(sam_settings_read, NULL, &text);
    refuses(sam_settings_read, "a=1", NULL);
    succeeds(sam_settings_read, "a=1, b", &text);
    assert_string_equal(text, "a=1, b");
    sam_text_free(text);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    for (size_t i = 0; i < SAM_COUNT(files); i++) {
        succeeds(sam_file_save, path, files[i].file, strlen(files[i].file));
        succeeds(sam_settings_read, path, &text);
        assert_string_equal(text, files[i].text);
        sam_text_free(text);
    }
    succeeds(sam_file_save, path, "a=1\0b", 5);
    must_fail(SAM_ERR_INPUT, "a zero byte", sam_settings_read, path, &text);
    unlink(path);
    assert_int_equal(sam_settings_read(path, &text, &error), SAM_ERR_IO);
}

TEST(text)
{
    uint64_t u;
    int64_t i;
    assert_false(sam_parse_u64(NULL, &u));
    assert_false(sam_parse_u64("", &u));
    assert_false(sam_parse_u64("18446744073709551616", &u));
    assert_false(sam_parse_i64(NULL, &i));
    assert_false(sam_parse_i64("-", &i));
    assert_false(sam_parse_i64("-9223372036854775809", &i));
    assert_int_equal(sam_text_character(NULL, 4), 0);
    assert_int_equal(sam_text_character("a", 0), 0);
    sam_text_make_plain(NULL);
    char long_name[600];
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_int_equal(sam_edits("", 0, long_name), 255);
    assert_int_equal(sam_edits(NULL, 0, "ab"), 2);
}

TEST(dtypes)
{
    static const int bad[] = {-1, SAM_DTYPES, SAM_DTYPES + 1, INT32_MAX};
    uint8_t bytes[64];
    for (size_t i = 0; i < SAM_COUNT(bad); i++) {
        const enum sam_dtype t = (enum sam_dtype)bad[i];
        enum sam_dtype kept = SAM_F32;
        assert_int_equal(sam_dtype_bits(t), 0);
        assert_int_equal(sam_dtype_size(t), 0);
        assert_int_equal(sam_dtype_class(t), SAM_CLASS_OPAQUE);
        assert_string_equal(sam_dtype_name(t), "?");
        assert_true(sam_dtype_value(t, 1) != sam_dtype_value(t, 1));
        assert_int_equal(sam_dtype_round(t, 1), 0);
        assert_false(sam_dtype_parse_value(t, "1", bytes));
        assert_false(sam_dtype_widens(t, SAM_F32) || sam_dtype_widens(SAM_F16, t));
        assert_null(sam_dtype_safetensors(t));
        assert_int_equal(sam_dtype_npy(t), SAM_U8);
        refuses(sam_dtype_widen, t, SAM_F32, bytes, 1, bytes);
        refuses(sam_dtype_widen, SAM_F16, t, bytes, 1, bytes);
        refuses(sam_dtype_narrow, t, bytes, 1, bytes);
        assert_false(sam_dtype_parse(NULL, &kept) || sam_dtype_parse("?", &kept));
        assert_int_equal(kept, SAM_F32);
    }
    refuses(sam_dtype_widen, SAM_F16, SAM_F32, NULL, 1, bytes);
    refuses(sam_dtype_widen, SAM_F16, SAM_F32, bytes, 1, NULL);
    assert_int_equal(sam_dtype_widen(SAM_F16, SAM_F32, NULL, 0, NULL, NULL), SAM_OK);
    refuses(sam_dtype_narrow, SAM_F16, NULL, 1, bytes);
    refuses(sam_dtype_narrow, SAM_F16, bytes, 1, NULL);
    refuses(sam_dtype_narrow, SAM_F64, bytes, 1, bytes);
    assert_false(sam_dtype_parse_value(SAM_F32, NULL, bytes));
    assert_false(sam_dtype_parse_value(SAM_F32, "1", NULL));
    assert_false(sam_dtype_parse_value(SAM_OPAQUE, "1", bytes));
}

TEST(files)
{
    char *data = (char *)1;
    size_t size;
    struct sam_output *output = (struct sam_output *)1;
    refuses(sam_file_load, NULL, 9, &data, &size);
    assert_null(data);
    refuses(sam_file_load, "/dev/null", 9, NULL, &size);
    refuses(sam_file_load, "/dev/null", 9, &data, NULL);
    refuses(sam_file_save, NULL, "x", 1);
    refuses(sam_file_save, "/dev/null", NULL, 1);
    assert_int_equal(sam_file_save("/dev/null", NULL, 0, NULL), SAM_OK);
    refuses(sam_output_open, NULL, &output);
    assert_null(output);
    refuses(sam_output_open, "/dev/null", NULL);
    refuses(sam_output_open_like, "/dev/null", NULL, &output);
    assert_int_equal(sam_output_commit(NULL, &refusal), SAM_ERR_USAGE);
    assert_string_equal(refusal.text, "output is NULL");
    sam_output_abort(NULL);
    assert_int_equal(sam_output_open("/no/such/folder/x", &output, NULL), SAM_ERR_IO);
    assert_null(output);
    assert_int_equal(sam_output_open("/dev/null", &output, NULL), SAM_OK);
    assert_true(sam_output_write(output, NULL, 0));
    assert_false(sam_output_failed(output));
    assert_int_equal(sam_output_commit(output, NULL), SAM_OK);
}

TEST(images)
{
    struct sam_image *image = sam_image_new(0); /* xlen is checked where it is used */
    const struct sam_section nameless = {.size = 4};
    struct sam_section section = {.name = (char *)"a", .size = 8, .data_size = 8};
    const struct sam_symbol symbol = {0};
    assert_non_null(image);
    refuses(sam_image_add_section, NULL, &section);
    refuses(sam_image_add_debug, NULL, ".debug_info", "", 1);
    refuses(sam_image_add_debug, image, NULL, "", 1);
    refuses(sam_image_add_debug, image, ".debug_info", NULL, 1);
    assert_int_equal(sam_image_add_debug(image, ".debug_info", NULL, 0, NULL), SAM_OK);
    assert_int_equal(image->debug_count, 0);
    refuses(sam_image_add_section, image, NULL);
    refuses(sam_image_add_section, image, &nameless);
    refuses(sam_image_add_section, image, &section);
    section.data_size = 9;
    section.data = (uint8_t *)"12345678";
    assert_int_equal(sam_image_add_section(image, &section, NULL), SAM_ERR_INPUT);
    section.data_size = 8;
    section.address = UINT64_MAX;
    assert_int_equal(sam_image_add_section(image, &section, NULL), SAM_ERR_INPUT);
    refuses(sam_image_add_symbol, NULL, &symbol);
    refuses(sam_image_add_symbol, image, NULL);
    refuses(sam_image_add_symbol, image, &symbol);
    assert_int_equal(sam_image_finish(NULL, NULL), SAM_ERR_USAGE);
    assert_int_equal(sam_image_finish(image, NULL), SAM_OK);
    assert_null(sam_image_find(NULL, "x"));
    assert_null(sam_image_find(image, "x"));
    assert_null(sam_image_symbol_at(NULL, 0));
    assert_null(sam_image_function_at(NULL, 0));
    assert_null(sam_image_line_at(NULL, 0, NULL));
    uint32_t line = UINT32_MAX;
    uint64_t address;
    assert_false(sam_image_line_address(NULL, "x", &line, &address));
    assert_false(sam_image_line_address(image, "", &line, &address));
    assert_null(sam_image_symbol_at(image, UINT64_MAX));
    sam_image_free(image);
    sam_image_free(NULL);
}
