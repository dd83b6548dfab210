/* SPDX-License-Identifier: Apache-2.0 */
/* Files of weights, built by hand: valid layouts, and errors. */

#include "test.h"

#include "samite/format.h"

static struct sam_buffer safetensors(const char *header, size_t data)
{
    struct sam_buffer file = {0};
    uint8_t size[8];
    sam_put_le64(size, strlen(header));
    sam_buffer_append(&file, size, sizeof size);
    sam_buffer_append(&file, header, strlen(header));
    sam_buffer_fill(&file, 7, data);
    assert_false(file.failed);
    return file;
}

static enum sam_status parse(enum sam_weights_kind kind, const struct sam_buffer *file,
                             struct sam_weights *weights, struct sam_error *error)
{
    size_t need;
    enum sam_status status =
        sam_weights_parse(kind, file->data, file->size, file->size, "f", weights, &need, error);
    assert_true(status != SAM_OK || need <= file->size);
    return status;
}

static void expect_weight(const struct sam_weight *w, const char *name, enum sam_dtype type,
                          uint64_t offset, uint64_t size, size_t rank)
{
    assert_string_equal(w->name, name);
    assert_int_equal(w->type, type);
    assert_int_equal(w->offset, offset);
    assert_int_equal(w->size, size);
    assert_int_equal(w->rank, rank);
}

/* A tensor keeps the byte order of the file, never one that its shape does not describe. */
TEST(npy_order)
{
    static const struct {
        const char *header;
        enum sam_dtype type;
        size_t rank;
        bool out_of_order;
    } files[] = {
        {"'<f4', 'fortran_order': False, 'shape': (2, 3), }", SAM_F32, 2, false},
        {"'<f4', 'fortran_order': True, 'shape': (2, 3), }", SAM_F32, 1, true},
        {"'<f4', 'fortran_order': True, 'shape': (6,), }", SAM_F32, 1, false},
        {"'>f4', 'fortran_order': False, 'shape': (6,), }", SAM_OPAQUE, 1, true},
        {"'|u1', 'fortran_order': False, 'shape': (24,), }", SAM_U8, 1, false},
    };
    for (size_t i = 0; i < SAM_COUNT(files); i++) {
        SCOPED(sam_buffer) file = {0};
        SCOPED(sam_weights) weights;
        sam_buffer_append(&file, "\x93NUMPY\1\0\x76\0", 10);
        sam_buffer_printf(&file, "%-117s\n", files[i].header);
        memmove(file.data + 10 + 10, file.data + 10, 107);
        memcpy(file.data + 10, "{'descr': ", 10);
        sam_buffer_fill(&file, 1, 24);
        succeeds(parse, SAM_WEIGHTS_NPY, &file, &weights);
        expect_weight(&weights.tensors[0], "data", files[i].type, 128, 24, files[i].rank);
        assert_int_equal(weights.out_of_order, files[i].out_of_order);
    }
}

TEST(safetensors_files)
{
    /* out of offset order; an empty tensor; an unknown type; metadata */
    static const char header[] =
        "{\"__metadata__\":{\"a\":\"b\"},"
        "\"z\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[0,12]},"
        "\"e\":{\"dtype\":\"F32\",\"shape\":[0,5],\"data_offsets\":[12,12]},"
        "\"q\":{\"dtype\":\"F6_E2M3\",\"shape\":[4],\"data_offsets\":[13,16]},"
        "\"a\":{\"dtype\":\"F8_E5M2\",\"shape\":[],\"data_offsets\":[12,13]}}  ";
    SCOPED(sam_buffer) file = safetensors(header, 16);
    struct sam_weights weights;
    struct sam_error error = {0};
    uint64_t at = sizeof header - 1 + 8;
    succeeds(parse, SAM_WEIGHTS_SAFETENSORS, &file, &weights);
    assert_int_equal(weights.kind, SAM_WEIGHTS_SAFETENSORS);
    assert_int_equal(weights.header_size, at);
    assert_int_equal(weights.file_size, at + 16);
    assert_int_equal(weights.count, 4);
    expect_weight(&weights.tensors[0], "z", SAM_BF16, at, 12, 2);
    assert_int_equal(weights.tensors[0].shape[1], 3);
    expect_weight(&weights.tensors[1], "e", SAM_F32, at + 12, 0, 2);
    expect_weight(&weights.tensors[2], "a", SAM_E5M2, at + 12, 1, 0);
    expect_weight(&weights.tensors[3], "q", SAM_OPAQUE, at + 13, 3, 1);
    sam_weights_free(&weights);
    /* From a stream: requests the size it needs, finds the end itself. */
    size_t size = 0, need = 0, asked = 0;
    while (sam_weights_parse(SAM_WEIGHTS_SAFETENSORS, file.data, size, UINT64_MAX, "f", &weights,
                             &need, &error) == SAM_OK &&
           need > size) {
        size = need;
        asked++;
        assert_true(size <= file.size);
    }
    assert_int_equal(asked, 2);
    assert_int_equal(weights.file_size, at + 16);
    sam_weights_free(&weights);
}

TEST(damaged_safetensors)
{
#define TENSOR(dtype, shape, offsets)                                                              \
    "{\"a\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}}"
    static const struct {
        const char *header, *part;
    } cases[] = {
        {"[]", "the header is not an object"},
        {"{]", "damaged safetensors header"},
        {"{\"a\":1,\"a\":2}", "duplicate"},
        {"{\"a\":1}", "dtype, shape or data_offsets is missing or malformed"},
        {TENSOR("\"F32\"", "[2]", "[0]"), "dtype, shape or data_offsets is missing or malformed"},
        {TENSOR("\"F32\"", "[2]", "[0,8,9]"),
         "dtype, shape or data_offsets is missing or malformed"},
        {TENSOR("\"F32\"", "[2]", "[8,0]"), "invalid data_offsets"},
        {TENSOR("\"F32\"", "[2]", "[-1,7]"), "invalid data_offsets"},
        {TENSOR("\"F32\"", "[2]", "[0,9223372036854775807]"), "invalid data_offsets"},
        {TENSOR("\"F32\"", "[2.5]", "[0,8]"), "an invalid shape"},
        {TENSOR("\"F32\"", "[-2]", "[0,8]"), "an invalid shape"},
        {TENSOR("\"F32\"", "[3]", "[0,8]"), "which does not match its shape and type f32"},
        {TENSOR("\"F32\"", "[4611686018427387904]", "[0,0]"), "does not match its shape"},
        {TENSOR("\"F32\"", "[9]", "[0,36]"), "extends past the end of the file"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]},"
         "\"b\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[7,15]}}",
         "overlaps"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        SCOPED(sam_buffer) file = safetensors(cases[i].header, 32);
        struct sam_weights weights;
        struct sam_error error = {0};
        assert_int_equal(parse(SAM_WEIGHTS_SAFETENSORS, &file, &weights, &error), SAM_ERR_INPUT);
        if (!strstr(error.text, cases[i].part))
            fail_msg("%s: '%s' does not say '%s'", cases[i].header, error.text, cases[i].part);
        assert_null(weights.tensors);
    }
    SCOPED(sam_buffer) file = safetensors("{}", 0);
    struct sam_weights weights;
    for (size_t size = 0; size < file.size; size++) {
        struct sam_buffer cut = {.data = file.data, .size = size};
        must_fail(SAM_ERR_INPUT, "truncated", parse, SAM_WEIGHTS_SAFETENSORS, &cut, &weights);
    }
    sam_put_le64(file.data, UINT64_MAX);
    must_fail(SAM_ERR_INPUT, "a header of 18446744073709551615 bytes", parse,
              SAM_WEIGHTS_SAFETENSORS, &file, &weights);
}

/* --- gguf */
static void put(struct sam_buffer *file, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    sam_put_le64(bytes, value);
    sam_buffer_append(file, bytes, size);
}

static void put_string(struct sam_buffer *file, const char *text)
{
    put(file, strlen(text), 8);
    sam_buffer_append(file, text, strlen(text));
}

static void put_tensor(struct sam_buffer *file, const char *name, uint64_t columns, uint64_t rows,
                       uint32_t type, uint64_t offset)
{
    put_string(file, name);
    put(file, 2, 4);
    put(file, columns, 8);
    put(file, rows, 8);
    put(file, type, 4);
    put(file, offset, 8);
}

static struct sam_buffer gguf(uint32_t alignment)
{
    struct sam_buffer file = {0};
    sam_buffer_append(&file, "GGUF", 4);
    put(&file, 3, 4);
    put(&file, 3, 8); /* tensors */
    put(&file, 3, 8); /* pairs */
    put_string(&file, "general.name");
    put(&file, 8, 4);
    put_string(&file, "x");
    put_string(&file, "general.alignment");
    put(&file, 4, 4);
    put(&file, alignment, 4);
    put_string(&file, "tokens");
    put(&file, 9, 4);
    put(&file, 8, 4);
    put(&file, 2, 8);
    put_string(&file, "a");
    put_string(&file, "bc");
    put_tensor(&file, "f16", 8, 2, 1, 0);
    put_tensor(&file, "q8", 32, 2, 8, 64);
    put_tensor(&file, "unknown", 5, 1, 77, 192);
    sam_buffer_fill(&file, 0, (size_t)-file.size % 64);
    sam_buffer_fill(&file, 9, 256);
    assert_false(file.failed);
    return file;
}

TEST(gguf_files)
{
    struct sam_buffer file = gguf(64);
    struct sam_weights weights;
    struct sam_error error = {0};
    uint64_t at = file.size - 256;
    assert_int_equal(sam_weights_kind_of(file.data, 8, "a.bin"), SAM_WEIGHTS_GGUF);
    succeeds(parse, SAM_WEIGHTS_GGUF, &file, &weights);
    assert_int_equal(weights.header_size, at);
    assert_int_equal(weights.count, 3);
    expect_weight(&weights.tensors[0], "f16", SAM_F16, at, 32, 2);
    assert_int_equal(weights.tensors[0].shape[0], 2); /* the slow dimension first */
    assert_int_equal(weights.tensors[0].shape[1], 8);
    expect_weight(&weights.tensors[1], "q8", SAM_OPAQUE, at + 64, 68, 2);
    expect_weight(&weights.tensors[2], "unknown", SAM_OPAQUE, at + 192, 0, 2);
    sam_weights_free(&weights);
    for (size_t size = 4; size < at - 64; size++) {
        struct sam_buffer cut = {.data = file.data, .size = size};
        assert_int_equal(parse(SAM_WEIGHTS_GGUF, &cut, &weights, &error), SAM_ERR_INPUT);
        assert_null(weights.tensors);
    }
    file.data[4] = 1;
    must_fail(SAM_ERR_INPUT, "a version other than 2 or 3", parse, SAM_WEIGHTS_GGUF, &file,
              &weights);
    sam_buffer_free(&file);
    for (uint32_t alignment = 0; alignment < 4; alignment += 3) {
        file = gguf(alignment);
        must_fail(SAM_ERR_INPUT, "not a power of two", parse, SAM_WEIGHTS_GGUF, &file, &weights);
        sam_buffer_free(&file);
    }
}

TEST(npy_files)
{
    static const struct {
        const char *descr;
        enum sam_dtype type;
        unsigned width;
    } cases[] = {
        {"<f4", SAM_F32, 4}, {">f4", SAM_OPAQUE, 4}, {"<f2", SAM_F16, 2},
        {"|u1", SAM_U8, 1},  {"|V2", SAM_U16, 2},    {"|V1", SAM_U8, 1},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        SCOPED(sam_buffer) file = {0};
        struct sam_weights weights;
        sam_buffer_append(&file, "\x93NUMPY\x01\x00\x76\x00", 10);
        sam_buffer_printf(&file, "{'descr': '%s', 'fortran_order': False, 'shape': (3, 2), }",
                          cases[i].descr);
        sam_buffer_fill(&file, ' ', 128 - file.size);
        sam_buffer_fill(&file, 1, (size_t)6 * cases[i].width);
        succeeds(parse, SAM_WEIGHTS_NPY, &file, &weights);
        assert_int_equal(weights.header_size, 128);
        assert_int_equal(weights.count, 1);
        expect_weight(&weights.tensors[0], "data", cases[i].type, 128, 6 * cases[i].width, 2);
        sam_weights_free(&weights);
        file.size--;
        must_fail(SAM_ERR_INPUT, "extends past the end of the file", parse, SAM_WEIGHTS_NPY, &file,
                  &weights);
    }
}

/* --- sizes at which sums and products wrap */

static const uint64_t huge[] = {
    UINT64_C(1) << 31, UINT64_C(1) << 32, (UINT64_C(1) << 61) - 1,
    UINT64_C(1) << 61, UINT64_C(1) << 62, INT64_MAX - 7,
    INT64_MAX,         UINT64_C(1) << 63, UINT64_MAX - 63,
    UINT64_MAX - 7,    UINT64_MAX,
};

/* Rejected with a message, or its tensors lie in the file. */
static void refused_or_inside(enum sam_weights_kind kind, const struct sam_buffer *file)
{
    struct sam_weights weights;
    struct sam_error error = {0};
    if (parse(kind, file, &weights, &error) != SAM_OK) {
        assert_true(*error.text != 0);
        assert_null(weights.tensors);
        return;
    }
    for (size_t i = 0; i < weights.count; i++) {
        const struct sam_weight *t = &weights.tensors[i];
        assert_true(t->offset <= file->size && t->size <= file->size - t->offset);
    }
    sam_weights_free(&weights);
}

/* Each number of a text, one after the other. */
static void huge_in_text(enum sam_weights_kind kind, const char *header, bool npy)
{
    for (const char *at = header; *at; at += strspn(at, "0123456789")) {
        at += strcspn(at, "0123456789");
        for (size_t k = 0; *at && k < SAM_COUNT(huge); k++) {
            char text[512];
            sam_format(text, sizeof text, "%.*s%llu%s", (int)(at - header), header,
                       (unsigned long long)huge[k], at + strspn(at, "0123456789"));
            SCOPED(sam_buffer) file = {0};
            if (npy) {
                sam_buffer_append(&file, "\x93NUMPY\1\0\xf6\0", 10);
                sam_buffer_printf(&file, "%-245s\n", text);
                sam_buffer_fill(&file, 1, 24);
            } else {
                file = safetensors(text, 32);
            }
            refused_or_inside(kind, &file);
        }
    }
}

TEST(huge_numbers)
{
    huge_in_text(SAM_WEIGHTS_SAFETENSORS,
                 "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,1,4],\"data_offsets\":[0,32]},"
                 "\"e\":{\"dtype\":\"F4\",\"shape\":[0,5],\"data_offsets\":[32,32]}}",
                 false);
    huge_in_text(SAM_WEIGHTS_NPY,
                 "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2, 1, 0, 1), }", true);
    SCOPED(sam_buffer) file = gguf(64);
    for (size_t at = 4; at + 8 <= file.size - 256; at++) /* also as part of another word */
        for (size_t k = 0; k < SAM_COUNT(huge); k++) {
            uint8_t before[8];
            memcpy(before, file.data + at, 8);
            sam_put_le64(file.data + at, huge[k]);
            refused_or_inside(SAM_WEIGHTS_GGUF, &file);
            memcpy(file.data + at, before, 8);
        }
}

TEST(kinds)
{
    assert_int_equal(sam_weights_kind_of("", 0, "x.bin"), SAM_WEIGHTS_RAW);
    assert_int_equal(sam_weights_kind_of("", 0, "x.safetensors"), SAM_WEIGHTS_SAFETENSORS);
    assert_int_equal(sam_weights_kind_of("\x93NUMPY", 6, "-"), SAM_WEIGHTS_NPY);
    assert_int_equal(sam_weights_kind_of("\x02\0\0\0\0\0\0\0{}", 10, "-"), SAM_WEIGHTS_SAFETENSORS);
    assert_int_equal(sam_weights_kind_of("\x02\0\0\0\0\0\0\x01{}", 10, "-"), SAM_WEIGHTS_RAW);
}

/* Invalid arguments. */
TEST(without)
{
    struct sam_weights weights;
    struct sam_onnx onnx;
    struct sam_array array = {.dtype = SAM_U8, .rank = 1, .shape = {4}, .count = 4, .size = 4};
    struct sam_image *image;
    struct sam_metadata metadata;
    struct sam_error e;
    enum sam_dtype dtype;
    uint32_t *words;
    uint8_t value[8];
    size_t size;
    void *data;
    const enum sam_status usage = SAM_ERR_USAGE;
    assert_int_equal(sam_weights_kind_of(NULL, 9, NULL), SAM_WEIGHTS_RAW);
    assert_int_equal(sam_weights_parse(SAM_WEIGHTS_NPY, NULL, 1, 1, "x", &weights, &size, &e),
                     usage);
    assert_int_equal(sam_weights_parse(SAM_WEIGHTS_NPY, "", 0, 1, NULL, &weights, &size, &e),
                     usage);
    assert_int_equal(sam_weights_parse(SAM_WEIGHTS_NPY, "", 0, 1, "x", NULL, &size, &e), usage);
    assert_int_equal(sam_weights_parse(SAM_WEIGHTS_NPY, "", 0, 1, "x", &weights, NULL, &e), usage);
    assert_int_equal(sam_onnx_parse(NULL, 1, "x", &onnx, &e), usage);
    assert_int_equal(sam_onnx_parse("", 0, NULL, &onnx, &e), usage);
    assert_int_equal(sam_onnx_parse("", 0, "x", NULL, &e), usage);
    assert_int_equal(sam_npy_parse(NULL, 1, "x", &array, &e), usage);
    assert_int_equal(sam_npy_parse("", 0, NULL, &array, &e), usage);
    assert_int_equal(sam_npy_read(NULL, &array, &e), usage);
    assert_int_equal(sam_npy_read("x", NULL, &e), usage);
    assert_int_equal(sam_npy_write("x", NULL, &e), usage);
    assert_int_equal(sam_npy_write("x", &array, &e), usage);
    array = (struct sam_array){.dtype = SAM_BF16, .count = 1, .size = 2, .data = value};
    assert_int_equal(sam_npy_write("x", &array, &e), usage);
    assert_string_equal(e.text, "x: NumPy has no element type bf16");
    assert_int_equal(sam_elf_parse(NULL, 1, "x", &image, &e), usage);
    assert_int_equal(sam_elf_parse("", 0, "x", NULL, &e), usage);
    assert_int_equal(sam_elf_read(NULL, &image, &e), usage);
    assert_int_equal(sam_elf_make(NULL, &data, &size, &e), usage);
    assert_int_equal(sam_metadata_parse(NULL, 1, "x", &metadata, &e), usage);
    assert_int_equal(sam_metadata_parse("", 0, "x", NULL, &e), usage);
    assert_int_equal(sam_data_parse("", 0, "x", NULL, &words, &size, &e), usage);
    assert_non_null(strstr(e.text, "metadata is NULL"));
    assert_false(sam_dtype_parse(NULL, &dtype));
    assert_false(sam_dtype_parse_value(SAM_U8, NULL, value));
    assert_false(sam_dtype_parse_value((enum sam_dtype)99, "1", value));
    assert_int_equal(sam_dtype_size((enum sam_dtype)99), 0);
    sam_onnx_free(NULL);
    sam_array_free(NULL);
    sam_metadata_free(NULL);
}
