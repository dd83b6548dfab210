/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX models with data in external files. */
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

#include "folder.h"
#include "format/protobuf.h"
#include "samite/file.h"
#include "samite/model.h"

enum { FLOAT = 1, EXTERNAL = 13, LOCATION = 14, RAW = 9 };

/* Each test has its own folder. */
static int enter_folder(void **state)
{
    return test_folder_make(state) || chdir(test_folder) ? -1 : 0;
}

static int leave_folder(void **state)
{
    return chdir("/") ? -1 : test_folder_remove(state);
}

static void put_entry(struct sam_buffer *tensor, const char *key, const char *value)
{
    struct sam_buffer entry = {0};
    put_text(&entry, 1, key);
    put_text(&entry, 2, value);
    put_message(tensor, EXTERNAL, entry);
}

/* A tensor of two floats; `offset` and `length` may be NULL. */
static struct sam_buffer external(const char *name, const char *location, const char *offset,
                                  const char *length)
{
    struct sam_buffer t = make_tensor(name, FLOAT, 1, (uint64_t[]){2});
    if (location)
        put_entry(&t, "location", location);
    if (offset)
        put_entry(&t, "offset", offset);
    if (length)
        put_entry(&t, "length", length);
    put_number(&t, LOCATION, 1);
    return t;
}

/* Write the model of one tensor to model.onnx. Takes ownership of it. */
static void save_model(struct sam_buffer tensor)
{
    struct sam_buffer graph = {0};
    put_message(&graph, 5, tensor);
    SCOPED(sam_buffer) model = make_model(graph);
    succeeds(sam_file_save, "model.onnx", model.data, model.size);
}

static void save(const char *path, const char *text)
{
    succeeds(sam_file_save, path, text, strlen(text));
}

static void expect_read(const char *bytes)
{
    struct sam_model *model;
    char found[8];
    size_t count;
    succeeds(sam_model_open, "model.onnx", &model);
    assert_int_equal(sam_model_tensors(model, &count)->size, 8);
    assert_int_equal(count, 1);
    succeeds(sam_model_read, model, 0, 0, 8, found);
    assert_memory_equal(found, bytes, 8);
    succeeds(sam_model_read, model, 0, 3, 4, found);
    assert_memory_equal(found, bytes + 3, 4);
    sam_model_close(model);
}

static void expect_refused(enum sam_status wanted, const char *part)
{
    struct sam_model *model;
    struct sam_error error = {0};
    const enum sam_status status = sam_model_open("model.onnx", &model, &error);
    if (status != wanted || !strstr(error.text, part) ||
        strncmp(error.text, "model.onnx: ", 12) != 0)
        fail_msg("'%s' (%d) does not say '%s'", error.text, (int)status, part);
    assert_null(model);
}

TEST(reads, .setup_func = enter_folder, .teardown_func = leave_folder)
{
    save("data.bin", "0123456789abcdef");
    save_model(external("w", "data.bin", NULL, NULL));
    expect_read("01234567");
    save_model(external("w", "data.bin", "8", "8"));
    expect_read("89abcdef");
    assert_int_equal(mkdir("below", 0777), 0);
    save("below/data.bin", "in a folder below");
    save_model(external("w", "below/./data.bin", "3", NULL));
    expect_read("a folder");
    assert_int_equal(symlink("below/data.bin", "link"), 0);
    save_model(external("w", "link", "3", NULL));
    expect_read("a folder");
}

/* Data inside, in one file and in another, alternating and repeated. */
TEST(mixes, .setup_func = enter_folder, .teardown_func = leave_folder)
{
    struct sam_buffer graph = {0}, inside = make_tensor("in", FLOAT, 1, (uint64_t[]){2});
    struct sam_model *model;
    struct sam_error error = {0};
    char found[8];
    save("a", "aaaaaaaa");
    save("b", "bbbbbbbb");
    put_message(&graph, 5, external("a", "a", NULL, NULL));
    put_bytes(&inside, RAW, "inside..", 8);
    put_message(&graph, 5, inside);
    put_message(&graph, 5, external("b", "b", NULL, NULL));
    SCOPED(sam_buffer) bytes = make_model(graph);
    succeeds(sam_file_save, "model.onnx", bytes.data, bytes.size);
    succeeds(sam_model_open, "model.onnx", &model);
    static const char *const expected[] = {"aaaaaaaa", "inside..", "bbbbbbbb"};
    for (size_t i = 0; i < 9; i++) {
        succeeds(sam_model_read, model, i * 2 % 3, 0, 8, found);
        assert_memory_equal(found, expected[i * 2 % 3], 8);
    }
    /* A file truncated while the model is open. */
    assert_int_equal(truncate("b", 4), 0);
    succeeds(sam_model_read, model, 0, 0, 8, found);
    assert_int_equal(sam_model_read(model, 2, 0, 8, found, &error), SAM_ERR_INPUT);
    sam_model_close(model);
}

TEST(escapes, .setup_func = enter_folder, .teardown_func = leave_folder)
{
    static const char *const locations[] = {
        "../outside", "below/../../outside", "..", "/etc/passwd", "", "a\\..\\outside", NULL};
    for (size_t i = 0; i < sizeof locations / sizeof locations[0]; i++) {
        save_model(external("w", locations[i], NULL, NULL));
        expect_refused(SAM_ERR_INPUT, "not a path within the model's folder");
    }
    assert_int_equal(symlink("/etc/passwd", "outside"), 0);
    save_model(external("w", "outside", NULL, NULL));
    expect_refused(SAM_ERR_INPUT, "'outside': a link that leaves the folder");
    assert_int_equal(symlink("..", "up"), 0);
    save_model(external("w", "up/x", NULL, NULL));
    save("../x-of-samite-test", "01234567");
    save_model(external("w", "up/x-of-samite-test", NULL, NULL));
    expect_refused(SAM_ERR_INPUT, "a link that leaves the folder");
    unlink("../x-of-samite-test");
}

TEST(wrong_files, .setup_func = enter_folder, .teardown_func = leave_folder)
{
    save_model(external("w", "missing", NULL, NULL));
    expect_refused(SAM_ERR_IO, "external data 'missing': No such file");
    assert_int_equal(mkfifo("pipe", 0600), 0); /* opening it must not block */
    save_model(external("w", "pipe", NULL, NULL));
    expect_refused(SAM_ERR_INPUT, "not a regular file");
    save_model(external("w", ".", NULL, NULL));
    expect_refused(SAM_ERR_INPUT, "that leaves the folder");
    save("short", "0123456789");
    save_model(external("w", "short", "3", NULL));
    expect_refused(SAM_ERR_INPUT,
                   "tensor 'w': external data 'short' has 10 bytes: expected 8 at 3");
    save_model(external("w", "short", "9223372036854775807", NULL));
    expect_refused(SAM_ERR_INPUT, "expected 8 at 9223372036854775807");
    static const char *const numbers[] = {"", "-1", "1x", "0x1", " 1", "99999999999999999999"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        save_model(external("w", "short", numbers[i], NULL));
        expect_refused(SAM_ERR_INPUT, "an invalid offset or length");
        save_model(external("w", "short", NULL, numbers[i]));
        expect_refused(SAM_ERR_INPUT, "an invalid offset or length");
    }
    save_model(external("w", "short", NULL, "9"));
    expect_refused(SAM_ERR_INPUT, "does not match its shape");
    struct sam_buffer t = external("w", "short", NULL, NULL);
    put_bytes(&t, RAW, "01234567", 8);
    save_model(t);
    expect_refused(SAM_ERR_INPUT, "data in the model and in another file");
}
