/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of format.h. After an error the result may be freed. */

#include "test.h"

#include "samite/format.h"
#include "samite/model.h"
#include "samite/variables.h"

/* After an error nothing of the object's previous bytes is left. */
#define REFUSES_INTO(object, function, ...)                                                        \
    do {                                                                                           \
        memset(&(object), 0x5a, (size_t)((char *)(&(object) + 1) - (char *)&(object)));            \
        refuses(function, __VA_ARGS__);                                                            \
    } while (0)

TEST(variables)
{
    SCOPED_IMAGE *image = sam_image_new(32);
    struct sam_variables *variables;
    struct sam_variable variable;
    REFUSES_INTO(variables, sam_variables_open, NULL, &variables);
    assert_null(variables);
    refuses(sam_variables_open, image, NULL);
    succeeds(sam_variables_open, image, &variables);
    assert_null(variables); /* it describes none */
    assert_false(sam_variables_at(NULL, 0, 0, &variable));
    sam_variables_close(NULL);
}

TEST(elf)
{
    struct sam_image *image, *empty = sam_image_new(32);
    void *data;
    size_t size;
    REFUSES_INTO(image, sam_elf_parse, NULL, 1, "a", &image);
    assert_null(image);
    REFUSES_INTO(image, sam_elf_parse, "", 0, NULL, &image);
    assert_null(image);
    refuses(sam_elf_parse, "", 0, "a", NULL);
    REFUSES_INTO(image, sam_elf_read, NULL, &image);
    assert_null(image);
    refuses(sam_elf_read, "/dev/null", NULL);
    assert_int_equal(sam_elf_parse(NULL, 0, "a", &image, NULL), SAM_ERR_INPUT);
    REFUSES_INTO(data, sam_elf_make, NULL, &data, &size);
    assert_null(data);
    refuses(sam_elf_make, empty, NULL, &size);
    refuses(sam_elf_make, empty, &data, NULL);
    empty->xlen = 31;
    assert_true(sam_elf_make(empty, &data, &size, NULL) != SAM_OK);
    assert_null(data);
    sam_image_free(empty);
}

TEST(metadata)
{
    struct sam_metadata m;
    uint32_t *words;
    size_t count;
    REFUSES_INTO(m, sam_metadata_parse, NULL, 1, "a", &m);
    sam_metadata_free(&m);
    REFUSES_INTO(m, sam_metadata_parse, "", 0, NULL, &m);
    sam_metadata_free(&m);
    refuses(sam_metadata_parse, "", 0, "a", NULL);
    sam_metadata_free(NULL);
    memset(&m, 0, sizeof m);
    REFUSES_INTO(words, sam_data_parse, NULL, 1, "a", &m, &words, &count);
    assert_null(words);
    refuses(sam_data_parse, "", 0, NULL, &m, &words, &count);
    refuses(sam_data_parse, "", 0, "a", NULL, &words, &count);
    refuses(sam_data_parse, "", 0, "a", &m, NULL, &count);
    refuses(sam_data_parse, "", 0, "a", &m, &words, NULL);
    struct sam_metadata_buffer huge = {.size = UINT64_MAX, .allocated = UINT64_MAX};
    m.buffers = &huge;
    m.buffer_count = 1;
    assert_int_equal(sam_data_parse(NULL, 0, "a", &m, &words, &count, NULL), SAM_ERR_INPUT);
    assert_null(words);
}

TEST(arrays)
{
    struct sam_array a;
    REFUSES_INTO(a, sam_npy_parse, NULL, 1, "a", &a);
    sam_array_free(&a);
    REFUSES_INTO(a, sam_npy_parse, "", 0, NULL, &a);
    sam_array_free(&a);
    refuses(sam_npy_parse, "", 0, "a", NULL);
    REFUSES_INTO(a, sam_npy_read, NULL, &a);
    sam_array_free(&a);
    refuses(sam_npy_read, "/dev/null", NULL);
    sam_array_free(NULL);
    uint32_t element = 0;
    const struct sam_array good = {SAM_U32, 1, {1}, 1, 4, &element};
    refuses(sam_npy_write, NULL, &good);
    refuses(sam_npy_write, "/dev/null", NULL);
    assert_int_equal(sam_npy_write("/dev/null", &good, NULL), SAM_OK);
    for (unsigned i = 0; i < 7; i++) {
        a = good;
        switch (i) {
        case 0: a.dtype = SAM_DTYPES; break;
        case 1: a.dtype = (enum sam_dtype) - 1; break;
        case 2: a.rank = 9; break;
        case 3: a.rank = SIZE_MAX; break;
        case 4: a.shape[0] = UINT64_MAX; break;
        case 5: a.count = SIZE_MAX; break;
        default: a.data = NULL; break;
        }
        refuses(sam_npy_write, "/dev/null", &a);
    }
}

TEST(weights)
{
    struct sam_weights w;
    size_t need;
    assert_int_equal(sam_weights_kind_of(NULL, 9, NULL), SAM_WEIGHTS_RAW);
    for (int kind = SAM_WEIGHTS_RAW; kind <= SAM_WEIGHTS_GGUF; kind++) {
        const enum sam_weights_kind k = (enum sam_weights_kind)kind;
        REFUSES_INTO(w, sam_weights_parse, k, NULL, 1, 1, "a", &w, &need);
        sam_weights_free(&w);
        REFUSES_INTO(w, sam_weights_parse, k, "", 0, 0, NULL, &w, &need);
        sam_weights_free(&w);
        refuses(sam_weights_parse, k, "", 0, 0, "a", NULL, &need);
        REFUSES_INTO(w, sam_weights_parse, k, "", 0, 0, "a", &w, NULL);
        sam_weights_free(&w);
        /* an empty range of an empty file; more of a file than it has */
        assert_true(sam_weights_parse(k, NULL, 0, 0, "a", &w, &need, NULL) != SAM_ERR_USAGE);
        sam_weights_free(&w);
        char bytes[64] = {0};
        assert_true(sam_weights_parse(k, bytes, 64, 3, "a", &w, &need, NULL) != SAM_ERR_USAGE);
        sam_weights_free(&w);
    }
    REFUSES_INTO(w, sam_weights_parse, (enum sam_weights_kind)4, "", 0, 0, "a", &w, &need);
    sam_weights_free(&w);
    refuses(sam_weights_parse, (enum sam_weights_kind) - 1, "", 0, 0, "a", &w, &need);
}

TEST(models)
{
    struct sam_onnx onnx;
    struct sam_tfjs tfjs;
    REFUSES_INTO(onnx, sam_onnx_parse, NULL, 1, "a", &onnx);
    sam_onnx_free(&onnx);
    REFUSES_INTO(onnx, sam_onnx_parse, "", 0, NULL, &onnx);
    sam_onnx_free(&onnx);
    refuses(sam_onnx_parse, "", 0, "a", NULL);
    assert_int_equal(sam_onnx_parse(NULL, 0, "a", &onnx, NULL), SAM_ERR_INPUT);
    sam_onnx_free(&onnx);
    sam_onnx_free(NULL);
    REFUSES_INTO(tfjs, sam_tfjs_parse, NULL, 1, "a", &tfjs);
    sam_tfjs_free(&tfjs);
    REFUSES_INTO(tfjs, sam_tfjs_parse, "", 0, NULL, &tfjs);
    sam_tfjs_free(&tfjs);
    refuses(sam_tfjs_parse, "", 0, "a", NULL);
    assert_int_equal(sam_tfjs_parse("", 0, "a", &tfjs, NULL), SAM_ERR_INPUT);
    uint8_t byte = 7;
    sam_tfjs_take(&tfjs, 0, NULL, &byte);
    assert_int_equal(byte, 7);
    sam_tfjs_free(&tfjs);
    sam_tfjs_free(NULL);
}

static bool read_nothing(void *context, uint64_t offset, void *data, size_t size)
{
    (void)context, (void)offset, (void)data, (void)size;
    return false;
}

TEST(opened_models)
{
    const struct sam_source source = {read_nothing, NULL, 100};
    struct sam_model *model;
    struct sam_weights weights;
    size_t count = 7;
    REFUSES_INTO(model, sam_model_open, NULL, &model);
    assert_null(model);
    refuses(sam_model_open, "a", NULL);
    REFUSES_INTO(model, sam_model_open_torch, source, NULL, &model);
    assert_null(model);
    refuses(sam_model_open_torch, source, "a", NULL);
    REFUSES_INTO(model, sam_model_open_torch, (struct sam_source){0}, "a", &model);
    assert_null(model);
    assert_int_equal(sam_model_open_torch(source, "a", &model, NULL), SAM_ERR_IO);
    assert_null(model);
    assert_null(sam_model_tensors(NULL, &count));
    assert_int_equal(count, 0);
    refuses(sam_model_read, NULL, 0, 0, 0, NULL);
    REFUSES_INTO(weights, sam_torch_weights, source, NULL, &weights);
    sam_weights_free(&weights);
    refuses(sam_torch_weights, source, "a", NULL);
    REFUSES_INTO(weights, sam_torch_weights, (struct sam_source){0}, "a", &weights);
    sam_weights_free(&weights);
    sam_model_close(NULL);
}
