/* SPDX-License-Identifier: Apache-2.0 */
/* errors/NAME.s must be rejected with exactly the messages in errors/NAME.txt. A first line "#
 * isa: STRING" selects another instruction set. With SAMITE_UPDATE set, the .txt files are
 * rewritten, for review before they are committed. */
#include <glob.h>

#include "isa/isa_test.h"

static void test_file(void **state)
{
    const char *path = *state;
    SCOPED(sam_buffer) source = {0}, expected = {0};
    struct sam_error error = {0};
    char isa[64] = "ventus", beside[4096], *messages;
    succeeds(sam_file_read, path, 1 << 20, &source);
    const char *choice = strstr(sam_buffer_text(&source), "\n# isa: ");
    if (choice)
        sscanf(choice, "\n# isa: %63s", isa);
    struct sam_asm_options options = {.isa = test_isa(isa), .base = 0x80000000};
    struct sam_image *image;
    const char *name = strrchr(path, '/') + 1;
    enum sam_status status = sam_assemble(&options, name, sam_buffer_text(&source), source.size,
                                          &image, &messages, &error);
    assert_int_equal(status, SAM_ERR_INPUT);
    assert_null(image);
    snprintf(beside, sizeof beside, "%.*s.txt", (int)strlen(path) - 2, path);
    if (getenv("SAMITE_UPDATE"))
        succeeds(sam_file_write, beside, messages, strlen(messages));
    assert_int_equal(sam_file_read(beside, 1 << 20, &expected, &error), SAM_OK);
    assert_string_equal(messages, sam_buffer_text(&expected));
    /* the first error is the one that callers without messages receive */
    const char *first = strstr(messages, ": error: ");
    assert_non_null(first);
    while (first > messages && first[-1] != '\n')
        first--;
    assert_int_equal(strncmp(error.text, first, strlen(error.text)), 0);
    assert_int_equal(first[strlen(error.text)], '\n');
    sam_text_free(messages);
}

static glob_t files;

PROLOGUE
{
    const char *root = getenv("SAMITE_SOURCE");
    FREED char *pattern = formatted("%s/tests/asm/errors/*.s", root ? root : ".");
    if (glob(pattern, 0, NULL, &files) != 0 || files.gl_pathc == 0) {
        fprintf(stderr, "no %s\n", pattern);
        exit(1);
    }
    for (size_t i = 0; i < files.gl_pathc; i++)
        test_add(test_file, files.gl_pathv[i], "%s", strrchr(files.gl_pathv[i], '/') + 1);
}

FIXTURE(free_names)
{
    globfree(&files);
    return 0;
}

TEST_GROUP(NULL, free_names)
