/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing files: limits, files that cannot be opened, standard streams, atomic
 * output. */

#include "test.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/* A temporary folder, removed at the end. */
static char folder[1024];
static char path[1200];

FIXTURE(make_folder)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/samite-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

/* Entries of the folder, removed on request. */
static size_t entries(bool clear)
{
    size_t count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        FREED char *name = formatted("%s/%s", folder, entry->d_name);
        if (clear)
            assert_int_equal(remove(name), 0);
    }
    closedir(dir);
    return count;
}

FIXTURE(remove_folder)
{
    entries(true);
    return rmdir(folder);
}

static void expect_content(const char *text)
{
    SCOPED(sam_buffer) content = {0};
    assert_int_equal(sam_file_read(path, 1000, &content, NULL), SAM_OK);
    assert_string_equal(sam_buffer_text(&content), text);
    assert_int_equal(content.size, strlen(text));
}

TEST(test_round_trip)
{
    static const size_t sizes[] = {0, 1, 4096, 65535, 65536, 65537, 300000};
    static uint8_t data[300000];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * i >> 8);
    for (size_t i = 0; i < SAM_COUNT(sizes); i++) {
        struct sam_buffer content = {0};
        assert_int_equal(sam_file_write(path, data, sizes[i], NULL), SAM_OK);
        assert_int_equal(sam_file_read(path, sizes[i], &content, NULL), SAM_OK);
        assert_int_equal(content.size, sizes[i]);
        if (sizes[i])
            assert_memory_equal(content.data, data, sizes[i]);
        sam_buffer_free(&content);
        if (sizes[i] == 0)
            continue;
        must_fail(SAM_ERR_INPUT, "limit", sam_file_read, path, sizes[i] - 1, &content);
        assert_true(content.size < sizes[i]);
        sam_buffer_free(&content);
    }
    assert_int_equal(entries(false), 1);
}

TEST(test_cannot_read)
{
    SCOPED(sam_buffer) content = {0};
    struct sam_error error;
    FREED char *missing = formatted("%s/missing", folder);
    must_fail(SAM_ERR_IO, missing, sam_file_read, missing, 10, &content);
    assert_int_equal(sam_file_read(folder, 10, &content, &error), SAM_ERR_IO);
    assert_int_equal(sam_file_read("", 10, &content, &error), SAM_ERR_IO);
    assert_int_equal(content.size, 0);
}

/* Accepts blocks up to 100000 bytes, then asks for 150000 bytes of the file, or rejects it. */
static enum sam_status look(void *context, const struct sam_buffer *file, uint64_t *enough,
                            struct sam_error *error)
{
    unsigned *looks = context;
    ++*looks;
    if (*looks > 100)
        return sam_fail(error, SAM_ERR_INPUT, "refused");
    *enough = file->size < 100000 ? 0 : 150000;
    return SAM_OK;
}

TEST(test_look)
{
    struct sam_buffer content = {0};
    struct sam_error error;
    unsigned looks = 0;
    /* endless: read up to the requested size, or until rejected */
    succeeds(sam_file_read_seen, "/dev/zero", 1 << 20, look, &looks, &content);
    assert_int_equal(content.size, 150000);
    assert_int_equal(looks, 2);
    sam_buffer_free(&content);
    looks = 100;
    assert_int_equal(sam_file_read_seen("/dev/zero", 1 << 20, look, &looks, &content, &error),
                     SAM_ERR_INPUT);
    assert_string_equal(error.text, "refused");
    assert_true(content.size <= 100000);
    sam_buffer_free(&content);
    looks = 0;
    must_fail(SAM_ERR_INPUT, "larger than the limit of 120000 bytes", sam_file_read_seen,
              "/dev/zero", 120000, look, &looks, &content);
    sam_buffer_free(&content);
}

static void cannot_write(const char *where)
{
    struct sam_error error = {0};
    struct sam_output *output = (struct sam_output *)1;
    assert_int_equal(sam_file_write(where, "x", 1, &error), SAM_ERR_IO);
    assert_true(error.status == SAM_ERR_IO && strstr(error.text, where));
    assert_null(strstr(error.text, "Success"));
    assert_int_equal(sam_output_open(where, &output, NULL), SAM_ERR_IO);
    assert_null(output);
}

TEST(test_cannot_write)
{
    char below[1300];
    assert_int_equal(sam_file_write(path, "old", 3, NULL), SAM_OK);
    size_t before = entries(false);
    snprintf(below, sizeof below, "%s/below", path); /* under a file */
    cannot_write(below);
    snprintf(below, sizeof below, "%s/missing/file", folder);
    cannot_write(below);
    cannot_write(folder);
    cannot_write("");
    assert_int_equal(entries(false), before);
}

/* The file appears at commit only; an abort leaves no trace. */
TEST(test_all_or_nothing)
{
    struct sam_output *output;
    assert_int_equal(sam_file_write(path, "old", 3, NULL), SAM_OK);
    size_t before = entries(false);

    assert_int_equal(sam_output_open(path, &output, NULL), SAM_OK);
    assert_true(sam_output_write(output, "ne", 2));
    assert_true(sam_output_write(output, NULL, 0));
    expect_content("old");
    sam_output_abort(output);
    expect_content("old");
    assert_int_equal(entries(false), before);

    struct sam_output *second;
    assert_int_equal(sam_output_open(path, &output, NULL), SAM_OK);
    assert_int_equal(sam_output_open(path, &second, NULL), SAM_OK); /* two at once */
    assert_true(sam_output_write(output, "first", 5));
    assert_true(sam_output_write(second, "second", 6));
    assert_int_equal(sam_output_commit(output, NULL), SAM_OK);
    expect_content("first");
    assert_int_equal(sam_output_commit(second, NULL), SAM_OK);
    expect_content("second");
    assert_int_equal(entries(false), before);
    sam_output_abort(NULL);
}

/* A folder replaces the name during the write. */
TEST(test_rename_fails)
{
    struct sam_output *output;
    struct sam_error error = {0};
    remove(path);
    size_t before = entries(false);
    assert_int_equal(sam_output_open(path, &output, NULL), SAM_OK);
    assert_true(sam_output_write(output, "text", 4));
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(sam_output_commit(output, &error), SAM_ERR_IO);
    assert_non_null(strstr(error.text, path));
    assert_null(strstr(error.text, "Success"));
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(entries(false), before);
}

/* A device is written in place; a full one is an error, whenever it is detected. */
TEST(test_devices)
{
    static const uint8_t large[100000];
    struct sam_output *output;
    struct sam_error error = {0};
    assert_int_equal(sam_file_write("/dev/null", large, sizeof large, NULL), SAM_OK);
    if (access("/dev/full", W_OK) != 0)
        return; /* not a Linux */
    assert_int_equal(sam_file_write("/dev/full", large, 1, &error), SAM_ERR_IO);
    must_fail(SAM_ERR_IO, "No space left", sam_file_write, "/dev/full", large, sizeof large);
    assert_int_equal(sam_output_open("/dev/full", &output, NULL), SAM_OK);
    assert_false(sam_output_failed(output));
    assert_false(sam_output_write(output, large, sizeof large));
    assert_true(sam_output_failed(output));
    must_fail(SAM_ERR_IO, "No space left", sam_output_commit, output);
}

TEST(test_permissions)
{
    struct stat info;
    mode_t mask = umask(027);
    remove(path);
    assert_int_equal(sam_file_write(path, "x", 1, NULL), SAM_OK);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640); /* mode of a new file */
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(sam_file_write(path, "y", 1, NULL), SAM_OK);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600); /* a private file stays private */
    umask(mask);
}

/* "-", with the standard streams temporarily redirected to a file. */
TEST(test_standard_streams)
{
    SCOPED(sam_buffer) content = {0};
    fflush(stdout);
    int saved_out = dup(STDOUT_FILENO);
    assert_non_null(freopen(path, "wb", stdout));
    enum sam_status written = sam_file_write("-", "through -", 9, NULL);
    struct sam_output *output = NULL;
    enum sam_status opened = sam_output_open("-", &output, NULL);
    sam_output_abort(output); /* must not close standard output */
    int still_open = fputs("!", stdout);
    fflush(stdout);
    dup2(saved_out, STDOUT_FILENO);
    close(saved_out);
    assert_int_equal(written, SAM_OK);
    assert_int_equal(opened, SAM_OK);
    assert_true(still_open >= 0);
    assert_int_not_equal(access("-", F_OK), 0);
    expect_content("through -!");

    assert_non_null(freopen(path, "rb", stdin));
    assert_int_equal(sam_file_read("-", 100, &content, NULL), SAM_OK);
    assert_string_equal(sam_buffer_text(&content), "through -!");
}

TEST_GROUP(make_folder, remove_folder)
