/* SPDX-License-Identifier: Apache-2.0 */
/* PyTorch checkpoints written here, pickle and archive: valid ones, and errors. */

#include "test.h"

#include "format/checkpoint.h"
#include "samite/model.h"
#include "streams.h"

/* The archive of a pickle without its end and of storages {"0", ...}. Takes ownership of
 * `pickle`. */
struct stored {
    const char *key;
    const void *bytes;
    size_t size;
};
static struct sam_buffer archive(struct zip z, struct sam_buffer pickle,
                                 const struct stored *stored)
{
    pickle_op(&pickle, ".");
    zip_add(&z, "archive/data.pkl", pickle.data, pickle.size);
    zip_add(&z, "archive/byteorder", "little", 6);
    for (; stored && stored->key; stored++) {
        FREED char *name = formatted("archive/data/%s", stored->key);
        zip_add(&z, name, stored->bytes, stored->size);
    }
    sam_buffer_free(&pickle);
    struct sam_buffer file = zip_end(&z);
    assert_false(file.failed);
    return file;
}

static void expect_tensor(struct sam_model *model, size_t at, const char *name, enum sam_dtype type,
                          size_t rank, const uint64_t *shape, const void *bytes, size_t size)
{
    size_t count;
    const struct sam_weight *w = sam_model_tensors(model, &count) + at;
    assert_true(at < count);
    assert_string_equal(w->name, name);
    assert_int_equal(w->type, type);
    assert_int_equal(w->rank, rank);
    assert_memory_equal(w->shape, shape, rank * sizeof *shape);
    assert_int_equal(w->size, size);
    FREED uint8_t *all = malloc(size + 1);
    succeeds(sam_model_read, model, at, 0, size, all);
    assert_memory_equal(all, bytes, size);
    /* Any range of it, also within elements. */
    for (size_t first = 0; first <= size; first += 3) {
        const size_t part = size - first < 5 ? size - first : 5;
        succeeds(sam_model_read, model, at, first, part, all);
        assert_memory_equal(all, (const uint8_t *)bytes + first, part);
    }
}

static const uint64_t shape_23[] = {2, 3}, shape_32[] = {3, 2}, by_row[] = {3, 1},
                      by_column[] = {1, 3}, one[] = {1}, four[] = {4}, none[] = {0};

/* A state dict with views of one storage, an expanded one, a parameter, nested names. */
static void fill_views(struct sam_buffer *p)
{
    pickle_text(p, "w");
    pickle_tensor(p, &(struct pickled){"ShortStorage", "0", 6, 0, 2, shape_23, by_row, NULL});
    pickle_op(p, "q\x05");
    pickle_text(p, "t");
    pickle_tensor(p, &(struct pickled){"ShortStorage", "0", 6, 0, 2, shape_32, by_column, NULL});
    pickle_text(p, "column");
    pickle_tensor(p,
                  &(struct pickled){"ShortStorage", "0", 6, 1, 1, (uint64_t[]){2}, by_row, NULL});
    pickle_text(p, "expanded");
    pickle_tensor(p, &(struct pickled){"ShortStorage", "0", 6, 5, 1, four, none, NULL});
    pickle_text(p, "tied");
    pickle_op(p, "h\x05");
    pickle_text(p, "layers");
    pickle_op(p, "](ccollections\ndefaultdict\nc__builtin__\ndict\n\x85R(");
    pickle_text(p, "bias");
    pickle_op(p, "ctorch._utils\n_rebuild_parameter\n(");
    pickle_tensor(p, &(struct pickled){"HalfStorage", "1", 1, 0, 0, NULL, NULL, NULL});
    pickle_op(p, "\x88");
    pickle_op(p, "ccollections\nOrderedDict\n)RtRue");
    pickle_text(p, "step");
    pickle_int(p, 70000);
    pickle_text(p, "empty");
    pickle_tensor(p, &(struct pickled){"FloatStorage", "2", 0, 0, 1, none, one, NULL});
    pickle_op(p, "u}(");
    pickle_text(p, "_metadata");
    pickle_op(p, "ccollections\ndefaultdict\n)Rub");
}

static const uint16_t numbers[] = {10, 11, 12, 13, 14, 15};
static const struct stored view_storages[] = {
    {"0", numbers, sizeof numbers}, {"1", "\0\x3c", 2}, {"2", "", 0}, {0}};

static void check_views(struct zip z)
{
    struct sam_buffer p = pickle_begin();
    struct sam_model *model;
    struct sam_error error = {0};
    size_t count;
    fill_views(&p);
    SCOPED(sam_buffer) file = archive(z, p, view_storages);
    succeeds(sam_model_open_torch, test_source(&file), "m.pt", &model);
    sam_model_tensors(model, &count);
    assert_int_equal(count, 7);
    expect_tensor(model, 0, "w", SAM_I16, 2, shape_23, numbers, 12);
    const uint16_t transposed[] = {10, 13, 11, 14, 12, 15}, column[] = {11, 14};
    const uint16_t expanded[] = {15, 15, 15, 15};
    expect_tensor(model, 1, "t", SAM_I16, 2, shape_32, transposed, 12);
    expect_tensor(model, 2, "column", SAM_I16, 1, (uint64_t[]){2}, column, 4);
    expect_tensor(model, 3, "expanded", SAM_I16, 1, four, expanded, 8);
    expect_tensor(model, 4, "tied", SAM_I16, 2, shape_23, numbers, 12);
    expect_tensor(model, 5, "layers.0.bias", SAM_F16, 0, NULL, "\0\x3c", 2);
    expect_tensor(model, 6, "empty", SAM_F32, 1, none, "", 0);
    uint8_t byte;
    assert_int_equal(sam_model_read(model, 7, 0, 0, &byte, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_model_read(model, 0, 12, 1, &byte, &error), SAM_ERR_USAGE);
    sam_model_close(model);
}

TEST(views)
{
    check_views((struct zip){0});
}

TEST(zip64)
{
    check_views((struct zip){.zip64 = true});
}

/* Every class of storage, and the unsupported ones. */
TEST(types)
{
    static const struct {
        const char *storage, *dtype;
        enum sam_dtype type;
    } rows[] = {
        {"FloatStorage", NULL, SAM_F32},
        {"DoubleStorage", NULL, SAM_F64},
        {"HalfStorage", NULL, SAM_F16},
        {"BFloat16Storage", NULL, SAM_BF16},
        {"LongStorage", NULL, SAM_I64},
        {"IntStorage", NULL, SAM_I32},
        {"ShortStorage", NULL, SAM_I16},
        {"CharStorage", NULL, SAM_I8},
        {"ByteStorage", NULL, SAM_U8},
        {"BoolStorage", NULL, SAM_BOOL},
        {"UntypedStorage", "uint16", SAM_U16},
        {"UntypedStorage", "uint32", SAM_U32},
        {"UntypedStorage", "uint64", SAM_U64},
        {"UntypedStorage", "float8_e4m3fn", SAM_E4M3},
        {"UntypedStorage", "float8_e5m2", SAM_E5M2},
        {"UntypedStorage", "float8_e8m0fnu", SAM_E8M0},
    };
    static const char bytes[] = "0123456789abcdef0123456789abcdef";
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        struct sam_buffer p = {0};
        struct sam_model *model;
        const size_t size = 4 * sam_dtype_size(rows[i].type);
        pickle_op(&p, "\x80\x02");
        pickle_tensor(&p, &(struct pickled){rows[i].storage, "0", rows[i].dtype ? size : 4, 0, 1,
                                            four, one, rows[i].dtype});
        SCOPED(sam_buffer) file =
            archive((struct zip){0}, p, (struct stored[]){{"0", bytes, size}, {0}});
        succeeds(sam_model_open_torch, test_source(&file), "m.pt", &model);
        expect_tensor(model, 0, "data", rows[i].type, 1, four, bytes, size);
        sam_model_close(model);
    }
}

/* Tensors that do not overlap, the rest of the storages; everything else is a gap. */
TEST(layout)
{
    struct sam_buffer p = pickle_begin();
    SCOPED(sam_weights) weights;
    fill_views(&p);
    pickle_op(&p, "(");
    pickle_text(&p, "part");
    pickle_tensor(&p, &(struct pickled){"IntStorage", "3", 10, 2, 2, shape_32, by_column, NULL});
    pickle_op(&p, "u");
    uint8_t words[40];
    memset(words, 7, sizeof words);
    SCOPED(sam_buffer) file = archive(
        (struct zip){0}, p,
        (struct stored[]){
            view_storages[0], view_storages[1], {"3", words, sizeof words}, view_storages[2], {0}});
    succeeds(sam_torch_weights, test_source(&file), "m.pt", &weights);
    assert_int_equal(weights.file_size, file.size);
    static const char *const names[] = {"w", "layers.0.bias", "archive/data/3", "part",
                                        "archive/data/3"};
    static const uint64_t sizes[] = {12, 2, 8, 24, 8};
    assert_int_equal(weights.count, SAM_COUNT(names));
    for (size_t i = 0; i < weights.count; i++) {
        assert_string_equal(weights.tensors[i].name, names[i]);
        assert_int_equal(weights.tensors[i].size, sizes[i]);
    }
    assert_int_equal(weights.tensors[0].rank, 2);
    assert_memory_equal(file.data + weights.tensors[0].offset, numbers, 12);
    assert_int_equal(weights.tensors[3].rank,
                     1); /* transposed: the order does not match the shape */
    assert_int_equal(weights.tensors[3].type, SAM_I32);
}

/* A state dict without tensors, whose archive has no storages. */
TEST(nothing)
{
    SCOPED(sam_weights) weights;
    struct sam_buffer p = pickle_begin();
    pickle_op(&p, "u");
    SCOPED(sam_buffer) file = archive((struct zip){0}, p, NULL);
    succeeds(sam_torch_weights, test_source(&file), "m.pt", &weights);
    assert_int_equal(weights.count, 0);
}

/* --- refusals */
static void expect_refused_file(struct sam_buffer file, const char *part)
{
    struct sam_model *model;
    struct sam_weights weights;
    struct sam_error error = {0};
    enum sam_status status = sam_model_open_torch(test_source(&file), "m.pt", &model, &error);
    if (status != SAM_ERR_INPUT || !strstr(error.text, part) ||
        strncmp(error.text, "m.pt: ", 6) != 0)
        fail_msg("'%s' (%d) does not say '%s'", error.text, (int)status, part);
    assert_null(model);
    assert_int_equal(sam_torch_weights(test_source(&file), "m.pt", &weights, &error),
                     SAM_ERR_INPUT);
    assert_null(weights.tensors);
    sam_buffer_free(&file);
}

/* Takes ownership of the pickle, which lacks its end. */
static void expect_refused(struct sam_buffer pickle, const char *part)
{
    static const uint8_t zeros[64];
    expect_refused_file(
        archive((struct zip){0}, pickle, (struct stored[]){{"0", zeros, 24}, {"1", zeros, 4}, {0}}),
        part);
}

static struct sam_buffer text_of(const char *text, size_t size)
{
    struct sam_buffer p = {0};
    pickle_op(&p, "\x80\x02");
    sam_buffer_append(&p, text, size);
    return p;
}
#define REFUSED(text, part) expect_refused(text_of(text, sizeof(text) - 1), part)

/* Opcodes that call or build: nothing is called, and what it would have made is an object. */
TEST(calls)
{
    REFUSED("cos\nsystem\nX\4\0\0\0true\x85R", "no tensors, but an object made by 'system'");
    REFUSED("c__main__\nNet\n)\x81", "made by 'Net'");
    REFUSED("X\2\0\0\0osX\6\0\0\0system\x93)R", "made by 'system'");
    REFUSED("X\2\0\0\0osK\1\x93", "a global without a name");
    REFUSED("cos\n\033[31m\n)R", "made by '?[31m'");
    REFUSED("(ios\nsystem\n", "opcode 0x69");
    REFUSED("\x82\1", "opcode 0x82");
    REFUSED("}}b}o", "opcode 0x6f");
    REFUSED("Ptext\n", "opcode 0x50"); /* a persistent id of protocol 0 */
    REFUSED("K\1)R", "a call of something that has no name");
    REFUSED("ccollections\nOrderedDict\nK\1R", "a call of something that has no name");
    REFUSED("ccollections\nOrderedDict\n]\x85R", "an invalid OrderedDict or defaultdict");
    REFUSED("ccollections\ndefaultdict\nK\1K\2\x86R", "an invalid OrderedDict or defaultdict");
    REFUSED("ctorch\nFloatStorage\n)R", "a call that makes no tensor");
}

/* Opcodes without their operands. */
TEST(damaged_pickles)
{
    REFUSED("", "at byte 3: it does not end with one value");
    REFUSED("K\1K\2", "does not end with one value");
    REFUSED("\x8a\xff", "it is truncated");
    REFUSED("(", "does not end with one value");
    REFUSED("t", "no mark");
    REFUSED("u", "no mark");
    REFUSED("}u", "no mark");
    REFUSED("(u", "missing on the stack");
    REFUSED("}(K\1u", "a key without a value");
    REFUSED("K\1(K\1u", "a list or dict");
    REFUSED("](K\1K\2u", "a list or dict");
    REFUSED("K\1a", "missing on the stack");
    REFUSED("(K\1s", "missing on the stack");
    REFUSED("\x87", "missing on the stack");
    REFUSED("(K\1\x86", "missing on the stack");
    REFUSED("R", "missing on the stack");
    REFUSED("(Q", "missing on the stack");
    REFUSED("q\0", "nothing to remember");
    REFUSED("K\1r\xff\xff\xff\xff", "place in the memo");
    REFUSED("h\7", "not remembered");
    REFUSED("K\1q\2h\1", "not remembered");
    REFUSED("X\xff\xff\xff\xff"
            "abc",
            "truncated");
    REFUSED("\x8d\xff\xff\xff\xff\xff\xff\xff\xff", "truncated");
    REFUSED("cos", "a name without an end");
    REFUSED("\x80\x06", "protocol");
}

TEST(damaged_tensors)
{
    const uint64_t huge[] = {UINT64_C(1) << 62, 4}, large[] = {INT64_MAX / 2};
    const uint64_t many[17] = {1};
    static const struct {
        struct pickled tensor;
        const char *part;
    } rows[] = {
        {{"FloatStorage", "0", 6, 1, 2, shape_23, by_row, NULL}, "past the end of its storage"},
        {{"FloatStorage", "0", 6, 0, 2, shape_32, by_row, NULL}, "past the end of its storage"},
        {{"FloatStorage", "0", 6, INT64_MAX, 0, NULL, NULL, NULL}, "past the end"},
        {{"FloatStorage", "0", 7, 0, 0, NULL, NULL, NULL}, "another size in the archive"},
        {{"FloatStorage", "0", INT64_MAX, 0, 0, NULL, NULL, NULL}, "another size in the archive"},
        {{"FloatStorage", "9", 6, 0, 0, NULL, NULL, NULL}, "not in the archive"},
        {{"FloatStorage", "../x", 6, 0, 0, NULL, NULL, NULL}, "not in the archive"},
        {{"UntypedStorage", "0", 24, 0, 0, NULL, NULL, NULL}, "does not fit its type"},
        {{"FloatStorage", "0", 6, 0, 0, NULL, NULL, "uint16"}, "does not fit its type"},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        struct sam_buffer p = {0};
        pickle_tensor(&p, &rows[i].tensor);
        expect_refused(p, rows[i].part);
    }
    struct sam_buffer p = {0};
    pickle_tensor(&p,
                  &(struct pickled){"FloatStorage", "0", 6, 0, 2, huge, (uint64_t[2]){0}, NULL});
    expect_refused(p, "too large");
    p = (struct sam_buffer){0};
    pickle_tensor(&p, &(struct pickled){"FloatStorage", "0", 6, 0, 1, large, none, NULL});
    expect_refused(p, "too large");
    p = (struct sam_buffer){0};
    pickle_tensor(
        &p, &(struct pickled){"FloatStorage", "0", 6, 0, 1, (uint64_t[]){1 << 30}, none, NULL});
    expect_refused(p, "repeats its elements");
    p = (struct sam_buffer){0};
    pickle_tensor(&p, &(struct pickled){"FloatStorage", "0", 6, 0, 17, many, many, NULL});
    expect_refused(p, "more than 16 dimensions");
    p = (struct sam_buffer){0};
    pickle_tensor(
        &p, &(struct pickled){"FloatStorage", "0", 6, 0, 1, (uint64_t[]){UINT64_MAX}, one, NULL});
    expect_refused(p, "an invalid shape");
    p = (struct sam_buffer){0};
    pickle_storage(&p, "FloatStorage", "0", 6);
    expect_refused(p, "a storage without a tensor");
    /* One storage as two types. */
    p = pickle_begin();
    pickle_text(&p, "a");
    pickle_tensor(&p, &(struct pickled){"FloatStorage", "0", 6, 0, 0, NULL, NULL, NULL});
    pickle_text(&p, "b");
    pickle_tensor(&p, &(struct pickled){"IntStorage", "0", 6, 0, 0, NULL, NULL, NULL});
    pickle_op(&p, "u");
    expect_refused(p, "tensor 'b': its storage has two types");
    /* One name twice. */
    p = pickle_begin();
    for (int i = 0; i < 2; i++) {
        pickle_text(&p, "a");
        pickle_tensor(&p, &(struct pickled){"FloatStorage", "0", 6, 0, 0, NULL, NULL, NULL});
    }
    pickle_op(&p, "u");
    expect_refused(p, "tensor 'a': there are two of that name");
    /* A name with a NUL; one that is too long; an invalid key. */
    static const char *const wrong[] = {"an invalid name, or one of more than 4096 bytes",
                                        "an invalid name, or one of more than 4096 bytes",
                                        "neither text nor a number"};
    for (size_t i = 0; i < SAM_COUNT(wrong); i++) {
        p = i == 0   ? text_of("}X\1\0\0\0\0", 7)
            : i == 1 ? text_of("}X\0\x11\0\0", 6)
                     : text_of("}N", 2);
        if (i == 1)
            sam_buffer_fill(&p, 'x', 0x1100);
        pickle_tensor(&p, &(struct pickled){"FloatStorage", "0", 6, 0, 0, NULL, NULL, NULL});
        pickle_op(&p, "s");
        expect_refused(p, wrong[i]);
    }
}

/* Nesting, cycles, and values that are shared many times. */
TEST(bombs)
{
    struct sam_buffer p = {0};
    for (int i = 0; i < 100000; i++)
        pickle_op(&p, "]");
    for (int i = 1; i < 100000; i++)
        pickle_op(&p, "a");
    expect_refused(p, "nested too deeply");
    REFUSED("]q\1h\1a", "nested too deeply");
    REFUSED("}q\1X\1\0\0\0kh\1s", "nested too deeply");
    p = (struct sam_buffer){0};
    pickle_op(&p, "(]q\1");
    for (int i = 0; i < 25; i++) /* each tuple holds the previous one twice */
        pickle_op(&p, "(h\1h\1tq\1");
    pickle_op(&p, "t");
    expect_refused(p, "more than 2^22 values");
}

/* The archive: truncated, compressed, encrypted, not a checkpoint. */
TEST(archives)
{
    struct sam_buffer p = pickle_begin(), file;
    struct sam_error error = {0};
    struct sam_model *model;
    fill_views(&p);
    file = archive((struct zip){.zip64 = true}, p, view_storages);
    for (size_t size = 0; size < file.size; size++) { /* every truncation */
        struct sam_buffer cut = {.data = file.data, .size = size};
        if (sam_model_open_torch(test_source(&cut), "m.pt", &model, &error) != SAM_ERR_INPUT)
            fail_msg("%zu of %zu bytes: %s", size, file.size, error.text);
    }
    sam_buffer_free(&file);

    p = pickle_begin();
    pickle_op(&p, "u");
    expect_refused_file(archive((struct zip){.method = 8}, p, NULL),
                        "'archive/byteorder' is compressed (deflate): expected stored entries");
    p = pickle_begin();
    pickle_op(&p, "u");
    expect_refused_file(archive((struct zip){.flags = 1}, p, NULL), "is encrypted");

    struct zip z = {0};
    zip_add(&z, "weights.npy", "", 0);
    expect_refused_file(zip_end(&z), "no data.pkl");
    z = (struct zip){0};
    zip_add(&z, "a/data.pkl", "N.", 2);
    zip_add(&z, "b/data.pkl", "N.", 2);
    expect_refused_file(zip_end(&z), "two pickles");
    z = (struct zip){0};
    zip_add(&z, "a/data.pkl", "N.", 2);
    zip_add(&z, "a/data.pkl", "N.", 2);
    expect_refused_file(zip_end(&z), "two entries named 'a/data.pkl'");
    z = (struct zip){0};
    zip_add(&z, "a/data.pkl", "N.", 2);
    zip_add(&z, "a/byteorder", "big", 3);
    expect_refused_file(zip_end(&z), "big-endian");

    file = text_of("\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19.", 13);
    expect_refused_file(file, "before PyTorch 1.6");
    file = text_of("not a zip", 9);
    expect_refused_file(file, "expected a zip archive");
}
