/* SPDX-License-Identifier: Apache-2.0 */
/* .npy files: written byte by byte from NumPy's description of the format, and read back. */
#include <unistd.h>

#include "test.h"

#include "samite/format.h"

static struct sam_buffer make(unsigned version, const char *header, const void *data, size_t size)
{
    struct sam_buffer file = {0};
    size_t length = strlen(header);
    uint8_t bytes[12] = {0x93, 'N', 'U', 'M', 'P', 'Y', (uint8_t)version, 0};
    sam_put_le32(bytes + 8, (uint32_t)length);
    sam_buffer_append(&file, bytes, version == 1 ? 10 : 12);
    sam_buffer_append(&file, header, length);
    sam_buffer_append(&file, data, size);
    assert_false(file.failed);
    return file;
}

static void expect(unsigned version, const char *header, const void *data, size_t size,
                   const struct sam_array *wanted)
{
    SCOPED(sam_buffer) file = make(version, header, data, size);
    SCOPED(sam_array) array;
    struct sam_error error = {0};
    if (sam_npy_parse(file.data, file.size, "a.npy", &array, &error) != SAM_OK)
        fail_msg("%s: %s", header, error.text);
    assert_int_equal(array.dtype, wanted->dtype);
    assert_int_equal(array.rank, wanted->rank);
    for (size_t i = 0; i < array.rank; i++)
        assert_int_equal(array.shape[i], wanted->shape[i]);
    assert_int_equal(array.count, wanted->count);
    assert_int_equal(array.size, wanted->size);
    assert_memory_equal(array.data, wanted->data, array.size);
}

static void expect_error(unsigned version, const char *header, const void *data, size_t size,
                         const char *part)
{
    SCOPED(sam_buffer) file = make(version, header, data, size);
    struct sam_array array;
    struct sam_error error = {0};
    assert_int_equal(sam_npy_parse(file.data, file.size, "a.npy", &array, &error), SAM_ERR_INPUT);
    if (!strstr(error.text, part))
        fail_msg("'%s' does not say '%s'", error.text, part);
    assert_null(array.data);
}

static const uint8_t bytes[48] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                  16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                  32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47};

TEST(versions_and_spellings)
{
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }    \n",
        "{'descr':'<f4','fortran_order':False,'shape':(2,3)}",
        "{\"shape\": (2, 3,), \"descr\": \"<f4\", \"fortran_order\": False}\n",
        "{ 'fortran_order' : False , 'shape' : ( 2L , 3L ) , 'descr' : '=f4' , }\n\n",
    };
    struct sam_array wanted = {SAM_F32, 2, {2, 3}, 6, 24, (void *)bytes};
    for (unsigned version = 1; version <= 3; version++)
        for (size_t i = 0; i < SAM_COUNT(headers); i++)
            expect(version, headers[i], bytes, 24, &wanted);
}

TEST(every_dtype_both_byte_orders)
{
    static const struct {
        const char *code;
        enum sam_dtype dtype;
        size_t size;
        const char *name;
    } types[] = {
        {"u1", SAM_U8, 1, "u8"},   {"i1", SAM_I8, 1, "i8"},   {"u2", SAM_U16, 2, "u16"},
        {"i2", SAM_I16, 2, "i16"}, {"u4", SAM_U32, 4, "u32"}, {"i4", SAM_I32, 4, "i32"},
        {"u8", SAM_U64, 8, "u64"}, {"i8", SAM_I64, 8, "i64"}, {"f2", SAM_F16, 2, "f16"},
        {"f4", SAM_F32, 4, "f32"}, {"f8", SAM_F64, 8, "f64"}, {"b1", SAM_BOOL, 1, "bool"},
    };
    for (size_t i = 0; i < SAM_COUNT(types); i++) {
        enum sam_dtype parsed;
        assert_true(sam_dtype_parse(types[i].name, &parsed));
        assert_int_equal(parsed, types[i].dtype);
        assert_string_equal(sam_dtype_name(parsed), types[i].name);
        assert_int_equal(sam_dtype_size(parsed), types[i].size);
        for (const char *order = "<>|"; *order; order++) {
            char header[128];
            uint8_t swapped[48];
            snprintf(header, sizeof header,
                     "{'descr': '%c%s', 'fortran_order': False, 'shape': (3,), }", *order,
                     types[i].code);
            if (*order == '|' && types[i].size > 1) {
                expect_error(1, header, bytes, 3 * types[i].size, "has no byte order");
                continue;
            }
            for (size_t b = 0; b < 3 * types[i].size; b++)
                swapped[b] = bytes[b / types[i].size * types[i].size +
                                   (types[i].size - 1 - b % types[i].size)];
            struct sam_array wanted = {types[i].dtype,
                                       1,
                                       {3},
                                       3,
                                       3 * types[i].size,
                                       *order == '>' ? (void *)swapped : (void *)bytes};
            expect(1, header, bytes, wanted.size, &wanted);
        }
    }
    enum sam_dtype dtype;
    assert_false(sam_dtype_parse("f128", &dtype));
    assert_false(sam_dtype_parse("", &dtype));
    assert_int_equal(sam_dtype_size((enum sam_dtype)99), 0);
}

TEST(shapes)
{
    struct sam_array scalar = {SAM_U16, 0, {0}, 1, 2, (void *)bytes};
    expect(1, "{'descr': '<u2', 'fortran_order': True, 'shape': ()}", bytes, 2, &scalar);
    struct sam_array empty = {SAM_U16, 3, {4, 0, UINT64_MAX}, 0, 0, (void *)bytes};
    expect(1, "{'descr': '<u2', 'fortran_order': True, 'shape': (4, 0, 18446744073709551615)}",
           bytes, 0, &empty);
    struct sam_array deep = {SAM_U8, 8, {1, 2, 1, 3, 1, 1, 2, 1}, 12, 12, (void *)bytes};
    expect(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2, 1, 3, 1, 1, 2, 1)}", bytes,
           12, &deep);
}

/* Element (i, j, k) of a 2x3x4 array is at i + 2j + 6k in column-major order. */
TEST(fortran_order)
{
    uint8_t wanted[48];
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 4; k++)
                for (size_t b = 0; b < 2; b++)
                    wanted[((i * 3 + j) * 4 + k) * 2 + b] = bytes[(i + 2 * j + 6 * k) * 2 + b];
    struct sam_array array = {SAM_I16, 3, {2, 3, 4}, 24, 48, wanted};
    expect(2, "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3, 4), }", bytes, 48, &array);
    for (size_t i = 0; i < 48; i += 2) {
        uint8_t low = wanted[i];
        wanted[i] = wanted[i + 1];
        wanted[i + 1] = low;
    }
    expect(3, "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3, 4), }", bytes, 48, &array);
}

TEST(damaged_headers)
{
    static const struct {
        const char *header;
        const char *part;
    } cases[] = {
        {"", "expected '{' at the start"},
        {"[]", "expected '{' at the start"},
        {"{", "expected 'key': value"},
        {"{}", "descr, fortran_order or shape is missing"},
        {"{'descr': '<f4', 'fortran_order': False}", "is missing"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", "expected 'key'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", "text after the closing"},
        {"{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", "expected 'key'"},
        {"{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}", "key 'descr' appears twice"},
        {"{'descr': '<f4', 'order': False, 'shape': (1,)}", "key 'order' is unknown"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "neither True nor False"},
        {"{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}", "element type '<f4, '"},
        {"{'descr': '<f4\\n', 'fortran_order': False, 'shape': (1,)}", "is not a string"},
        {"{'descr': <f4, 'fortran_order': False, 'shape': (1,)}", "is not a string"},
        {"{'descr': '<f4", "is not a string"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "structured"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "'<c8' is not supported"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "'|O' is not supported"},
        {"{'descr': '<f44', 'fortran_order': False, 'shape': (1,)}", "'<f44' is not supported"},
        {"{'descr': '', 'fortran_order': False, 'shape': (1,)}", "'' is not supported"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 1}", "not a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1)}", "is a number"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", "not a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}", "not a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "not a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,", "not a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}",
         "more than 8 dimensions"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,)}",
         "a dimension of 'shape' is too large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
         "the shape is too large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}",
         "the shape is too large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
         "2 elements of f32 take 8 bytes, the file has 4"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}",
         "0 elements of f32 take 0 bytes, the file has 4"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++)
        expect_error(1, cases[i].header, bytes, 4, cases[i].part);
}

TEST(damaged_files)
{
    struct sam_array array;
    const char *header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
    for (unsigned version = 1; version <= 2; version++) {
        SCOPED(sam_buffer) file = make(version, header, bytes, 8);
        for (size_t size = 0; size < file.size; size++) {
            FREED uint8_t *cut =
                malloc(size + 1); /* so that a sanitizer detects reads past the end */
            assert_non_null(cut);
            memcpy(cut, file.data, size);
            must_fail(SAM_ERR_INPUT,
                      size < 10 ? "a.npy: not an npy file" : "a.npy: ", sam_npy_parse, cut, size,
                      "a.npy", &array);
        }
        sam_buffer_append(&file, "x", 1);
        must_fail(SAM_ERR_INPUT, "2 elements of f32 take 8 bytes, the file has 9", sam_npy_parse,
                  file.data, file.size, "a.npy", &array);
        file.data[6] = 4;
        must_fail(SAM_ERR_INPUT, "npy version 4.0, expected 1.0 to 3.0", sam_npy_parse, file.data,
                  file.size, "a.npy", &array);
    }
    SCOPED(sam_buffer) file = make(2, header, bytes, 8);
    sam_put_le32(file.data + 8, UINT32_MAX);
    must_fail(SAM_ERR_INPUT, "an npy header of 4294967295 bytes", sam_npy_parse, file.data,
              file.size, "a.npy", &array);
    sam_put_le32(file.data + 8, 1000);
    must_fail(SAM_ERR_INPUT, "truncated in the npy header: 1000 bytes announced", sam_npy_parse,
              file.data, file.size, "a.npy", &array);
    must_fail(SAM_ERR_IO, "/nonexistent/a.npy: cannot open", sam_npy_read, "/nonexistent/a.npy",
              &array);
}

TEST(written_files)
{
    uint64_t random = test_seed();
    char directory[] = "/tmp/samite-npy-XXXXXX", path[64];
    struct sam_error error = {0};
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/a.npy", directory);
    for (int round = 0; round < 300; round++) {
        const enum sam_dtype any = (enum sam_dtype)test_below(&random, SAM_DTYPES);
        struct sam_array array = {
            .dtype = sam_dtype_npy(any), .rank = test_below(&random, 9), .count = 1};
        for (size_t i = 0; i < array.rank; i++) {
            array.shape[i] = test_below(&random, 20) ? 1 + test_below(&random, 4) : 0;
            array.count *= array.shape[i];
        }
        array.size = array.count * sam_dtype_size(array.dtype);
        FREED uint8_t *data = test_room(array.size + 1);
        for (size_t i = 0; i < array.size; i++)
            data[i] = (uint8_t)test_random(&random);
        array.data = data;
        succeeds(sam_npy_write, path, &array);
        SCOPED(sam_array) back;
        succeeds(sam_npy_read, path, &back);
        assert_int_equal(back.dtype, array.dtype);
        assert_int_equal(back.rank, array.rank);
        assert_memory_equal(back.shape, array.shape, sizeof array.shape);
        assert_int_equal(back.size, array.size);
        assert_memory_equal(back.data, data, array.size);
    }
    /* the bytes of numpy.save(path, numpy.zeros((2, 3), '<f4')) */
    struct sam_array array = {SAM_F32, 2, {2, 3}, 6, 24, (void *)bytes};
    succeeds(sam_npy_write, path, &array);
    SCOPED(sam_buffer) file = {0};
    succeeds(sam_file_read, path, 1000, &file);
    assert_int_equal(file.size, 128 + 24);
    assert_memory_equal(file.data,
                        "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', "
                        "'fortran_order': False, 'shape': (2, 3), }   ",
                        72);
    assert_int_equal(file.data[127], '\n');
    array.count = 5;
    must_fail(SAM_ERR_USAGE, "shape, count and size disagree", sam_npy_write, path, &array);
    array.count = 6;
    array.rank = 9;
    assert_int_equal(sam_npy_write(path, &array, &error), SAM_ERR_USAGE);
    unlink(path);
    rmdir(directory);
}
