/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of more than 4 GiB, as sparse files. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"

enum { COLUMNS = 65536, ROWS = 65600 }; /* of bytes: 4 GiB and 64 rows */

FIXTURE(set_up)
{
    command_verb = "";
    unsetenv("MALLOC_PERTURB_"); /* with it, calloc writes to all memory it returns */
    make_directory();
    return 0;
}

static FILE *create(const char *name)
{
    FREED char *path = formatted("%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    return file;
}

/* The header of an array of u8; returns its size. */
static long put_header(FILE *file, const char *shape)
{
    char text[128] = "\x93NUMPY\1\0\x76";
    memset(text + 10, ' ', sizeof text - 10);
    const int size = snprintf(text + 10, sizeof text - 10,
                              "{'descr': '|u1', 'fortran_order': False, 'shape': %s, }", shape);
    text[10 + size] = ' ';
    text[sizeof text - 1] = '\n';
    assert_int_equal(fwrite(text, 1, sizeof text, file), sizeof text);
    return sizeof text;
}

/* A row at its place in the file: each byte is the row number. */
static void put_row(FILE *file, long start, long row, int value)
{
    uint8_t bytes[COLUMNS];
    memset(bytes, value, sizeof bytes);
    assert_int_equal(fseek(file, start + row * COLUMNS, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
}

/* Rows 1, 65540 and the last: beyond 32 bits of bytes. */
TEST(compress)
{
    FILE *file = create("large.npy");
    const long start = put_header(file, "(65600, 65536)");
    put_row(file, start, 1, 7);
    put_row(file, start, 65540, 8);
    put_row(file, start, ROWS - 1, 9);
    assert_int_equal(fclose(file), 0);
    static uint8_t mask[ROWS];
    mask[1] = mask[2] = mask[65540] = mask[ROWS - 1] = 1;
    file = create("keep.npy");
    put_header(file, "(65600,)");
    assert_int_equal(fwrite(mask, 1, sizeof mask, file), sizeof mask);
    assert_int_equal(fclose(file), 0);
    expect_parts(expect_success("op compress --mask keep.npy --axis 0 large.npy out.npy"),
                 "[4,65536] u8", NULL);
    SCOPED(sam_buffer) out = read_file("out.npy");
    static const uint8_t values[] = {7, 0, 8, 9};
    assert_int_equal(out.size, 128 + 4 * COLUMNS);
    for (size_t i = 0; i < 4 * COLUMNS; i++)
        assert_int_equal(out.data[128 + i], values[i / COLUMNS]);
    /* The command used little memory. */
    struct rusage used;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &used), 0);
    assert_true(used.ru_maxrss < 1 << 20); /* KiB */
}

/* A hole truncated by the end of the file, and standard input. */
TEST(truncated)
{
    FILE *file = create("cut.npy");
    const long start = put_header(file, "(65600, 65536)");
    put_row(file, start, 1, 7);
    fflush(file);
    assert_int_equal(ftruncate(fileno(file), start + 1000L * COLUMNS), 0);
    assert_int_equal(fclose(file), 0);
    expect_failure("op reshape --shape -1 cut.npy cut2.npy", 2,
                   "take 4299161600 bytes, the file has 65536000");
    expect_failure("op reshape --shape -1 - cut2.npy <cut.npy", 2,
                   "take 4299161600 bytes, the file has 65536000");
    assert_false(exists("cut2.npy"));
}

TEST_GROUP(set_up, remove_directory)
