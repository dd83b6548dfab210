/* SPDX-License-Identifier: Apache-2.0 */
/* Calls to the host, from a program that consists of a memory array only. */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "hostio/hostio.h"

#define BASE UINT64_C(0x1000)
enum { ROOM = 0x40000, TEXT = 0x2000, DATA = 0x3000, EMPTY = 0 };

struct world {
    uint8_t memory[ROOM];
    struct sam_hostio *io;
    struct sam_hostio_guest guest;
    struct sam_hostio_reply reply;
    struct sam_buffer out, err;
    const char *input;
    bool full; /* the sinks refuse */
};

static bool inside(uint64_t address, size_t size)
{
    return address >= BASE && address - BASE <= ROOM && size <= ROOM - (address - BASE);
}

static bool read_memory(void *context, uint64_t address, void *data, size_t size)
{
    const struct world *w = context;
    if (!inside(address, size))
        return false;
    memcpy(data, w->memory + (address - BASE), size);
    return true;
}

static bool write_memory(void *context, uint64_t address, const void *data, size_t size)
{
    struct world *w = context;
    if (!inside(address, size))
        return false;
    memcpy(w->memory + (address - BASE), data, size);
    return true;
}

static uint64_t clock_of(void *context)
{
    (void)context;
    return 1234567890;
}

static bool grow(void *context, uint64_t end)
{
    (void)context;
    return end <= BASE + ROOM;
}

static bool write_out(void *context, const void *data, size_t size)
{
    struct world *w = context;
    return !w->full && sam_buffer_append(&w->out, data, size);
}

static bool write_err(void *context, const void *data, size_t size)
{
    struct world *w = context;
    return !w->full && sam_buffer_append(&w->err, data, size);
}

static size_t take_input(void *context, void *data, size_t size)
{
    struct world *w = context;
    const size_t left = strlen(w->input), part = left < size ? left : size;
    memcpy(data, w->input, part);
    w->input += part;
    return part;
}

static struct world *open_world(unsigned xlen, bool files)
{
    static const char *const arguments[] = {"one", "two words"};
    struct world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    const struct sam_hostio_options options = {
        .size = sizeof options,
        .folder = files ? test_folder : NULL,
        .arguments = arguments,
        .argument_count = 2,
        .output = {write_out, w},
        .errors = {write_err, w},
        .input = take_input,
        .input_context = w,
    };
    succeeds(sam_hostio_new, &options, &w->io);
    w->input = "typed\n";
    w->guest = (struct sam_hostio_guest){.context = w,
                                         .xlen = xlen,
                                         .read = read_memory,
                                         .write = write_memory,
                                         .time = clock_of,
                                         .grow = grow,
                                         .heap_base = BASE + 0x8000,
                                         .heap_limit = 0x10000,
                                         .stack_base = 0x20000,
                                         .stack_limit = 0x18000};
    return w;
}

static void close_world(struct world *w)
{
    sam_hostio_free(w->io);
    sam_buffer_free(&w->out);
    sam_buffer_free(&w->err);
    free(w);
}

static void put_text(struct world *w, uint64_t at, const char *text)
{
    memcpy(w->memory + at, text, strlen(text) + 1);
}

/* A parameter block at BASE, and the call. */
static int64_t call(struct world *w, unsigned operation, uint64_t a, uint64_t b, uint64_t c,
                    uint64_t d)
{
    const uint64_t words[4] = {a, b, c, d};
    for (unsigned i = 0; i < 4; i++) {
        if (w->guest.xlen == 32)
            sam_put_le32(w->memory + 4 * i, (uint32_t)words[i]);
        else
            sam_put_le64(w->memory + 8 * i, words[i]);
    }
    assert_int_equal(sam_hostio_semihost(w->io, &w->guest, operation, BASE, &w->reply),
                     SAM_HOSTIO_DONE);
    return (int64_t)w->reply.result;
}

/* The same without a block. */
static int64_t call_plain(struct world *w, unsigned operation, uint64_t parameter)
{
    assert_int_equal(sam_hostio_semihost(w->io, &w->guest, operation, parameter, &w->reply),
                     SAM_HOSTIO_DONE);
    return (int64_t)w->reply.result;
}

static int64_t open_named(struct world *w, const char *name, unsigned mode)
{
    put_text(w, TEXT, name);
    return call(w, 0x01, BASE + TEXT, mode, strlen(name), 0);
}

static void expect_text(const struct sam_buffer *buffer, const char *text)
{
    assert_int_equal(buffer->size, strlen(text));
    assert_memory_equal(buffer->data, text, strlen(text));
}

static const unsigned widths[] = {32, 64};
#define EACH_WIDTH for (const unsigned *xlen = widths; xlen < widths + 2; xlen++)

TEST(a_console)
{
    EACH_WIDTH
    {
        struct world *w = open_world(*xlen, false);
        put_text(w, TEXT, "hello, ");
        call_plain(w, 0x04, BASE + TEXT);
        call_plain(w, 0x03, BASE + TEXT + 1);
        const int64_t in = open_named(w, ":tt", 0), out = open_named(w, ":tt", 4),
                      err = open_named(w, ":tt", 8);
        assert_true(in > 2 && out > in && err > out);
        put_text(w, DATA, "abcdef");
        assert_int_equal(call(w, 0x05, (uint64_t)out, BASE + DATA, 3, 0), 0);
        assert_int_equal(call(w, 0x05, (uint64_t)err, BASE + DATA + 3, 3, 0), 0);
        expect_text(&w->out, "hello, eabc");
        expect_text(&w->err, "def");
        assert_int_equal(call(w, 0x09, (uint64_t)in, 0, 0, 0), 1);
        assert_int_equal(call_plain(w, 0x07, 0), 't');
        /* one line of it, although there is room for more: 100 - 5 bytes are not read */
        assert_int_equal(call(w, 0x06, (uint64_t)in, BASE + DATA, 100, 0), 95);
        assert_memory_equal(w->memory + DATA, "yped\n", 5);
        assert_int_equal(call(w, 0x06, (uint64_t)in, BASE + DATA, 100, 0), 100);
        for (unsigned i = 1; i < 1000; i++)
            assert_int_equal(call_plain(w, 0x07, 0), -1);
        assert_int_equal(sam_hostio_semihost(w->io, &w->guest, 0x07, 0, &w->reply),
                         SAM_HOSTIO_FAILED);
        /* reading from an output, writing to the input: nothing is moved */
        assert_int_equal(call(w, 0x06, (uint64_t)out, BASE + DATA, 10, 0), 10);
        assert_int_equal(call(w, 0x05, (uint64_t)in, BASE + DATA, 10, 0), 10);
        assert_int_equal(call_plain(w, 0x13, 0), SAM_HOSTIO_EBADF);
        close_world(w);
    }
}

TEST(files_below_the_folder)
{
    EACH_WIDTH
    {
        struct world *w = open_world(*xlen, true);
        const uint64_t f = (uint64_t)open_named(w, "a.txt", 6);
        put_text(w, DATA, "0123456789");
        assert_int_equal(call(w, 0x05, f, BASE + DATA, 10, 0), 0);
        assert_int_equal(call(w, 0x0c, f, 0, 0, 0), 10);
        assert_int_equal(call(w, 0x0a, f, 4, 0, 0), 0);
        assert_int_equal(call(w, 0x06, f, BASE + DATA + 0x100, 8, 0), 2);
        assert_memory_equal(w->memory + DATA + 0x100, "456789", 6);
        assert_int_equal(call(w, 0x09, f, 0, 0, 0), 0);
        assert_int_equal(call(w, 0x02, f, 0, 0, 0), 0);
        assert_int_equal(call(w, 0x02, f, 0, 0, 0), -1);
        const uint64_t again = (uint64_t)open_named(w, "a.txt", 8); /* append */
        assert_int_equal(call(w, 0x05, again, BASE + DATA, 2, 0), 0);
        assert_int_equal(call(w, 0x0c, again, 0, 0, 0), 12);
        call(w, 0x02, again, 0, 0, 0);
        put_text(w, TEXT, "a.txtb.txt");
        assert_int_equal(call(w, 0x0f, BASE + TEXT, 5, BASE + TEXT + 5, 5), 0);
        assert_int_equal(open_named(w, "a.txt", 0), -1);
        assert_int_equal(call_plain(w, 0x13, 0), SAM_HOSTIO_ENOENT);
        put_text(w, TEXT, "b.txt");
        assert_int_equal(call(w, 0x0e, BASE + TEXT, 5, 0, 0), 0);
        assert_int_equal(call(w, 0x0e, BASE + TEXT, 5, 0, 0), -1);
        close_world(w);
    }
}

/* A large file is transferred in blocks. */
TEST(large_transfers)
{
    struct world *w = open_world(64, true);
    enum { SIZE = 0x30000 };
    for (unsigned i = 0; i < SIZE; i++)
        w->memory[DATA + i] = (uint8_t)(i * 7 + (i >> 8));
    FREED uint8_t *copy = test_room(SIZE);
    memcpy(copy, w->memory + DATA, SIZE);
    const uint64_t f = (uint64_t)open_named(w, "large", 7);
    assert_int_equal(call(w, 0x05, f, BASE + DATA, SIZE, 0), 0);
    memset(w->memory + DATA, 0, SIZE);
    assert_int_equal(call(w, 0x0a, f, 0, 0, 0), 0);
    assert_int_equal(call(w, 0x06, f, BASE + DATA, SIZE + 5, 0), 5);
    assert_memory_equal(w->memory + DATA, copy, SIZE);
    close_world(w);
}

/* Nothing outside the folder is accessible, and nothing without a folder. */
TEST(no_escape)
{
    static const char *const paths[] = {
        "../x",      "/etc/passwd", "sub/../../x", "link",     "out/x",   "sub/link",
        "sub/out/x", "..",          ".",           "sub",      "sub/",    "pipe",
        "",          "nowhere/x",   "/",           "sub/../x", "../sub/x"};
    assert_true(test_shell("cd '%s' && mkdir sub && ln -s /etc/passwd link && ln -s / out && "
                           "ln -s /etc/passwd sub/link && ln -s / sub/out && mkfifo pipe",
                           test_folder));
    struct world *w = open_world(64, true), *none = open_world(64, false);
    for (size_t i = 0; i < SAM_COUNT(paths); i++) {
        for (unsigned mode = 0; mode < 12; mode++) {
            if (open_named(w, paths[i], mode) != -1)
                fail_msg("'%s' was opened, mode %u", paths[i], mode);
            assert_int_equal(open_named(none, paths[i], mode), -1);
        }
        put_text(w, TEXT, paths[i]);
        put_text(w, DATA, "kept");
        assert_int_equal(call(w, 0x0f, BASE + TEXT, strlen(paths[i]), BASE + DATA, 0), -1);
    }
    assert_int_equal(open_named(none, "plain", 4), -1);
    assert_int_equal(call_plain(none, 0x13, 0), SAM_HOSTIO_EACCES);
    /* inside the folder, subfolders are accessible */
    const int64_t good = open_named(w, "sub//./inner", 4);
    assert_true(good > 2);
    struct stat what;
    assert_int_equal(stat(test_path("sub/inner"), &what), 0);
    /* a link itself may be removed, not its target */
    put_text(w, TEXT, "link");
    assert_int_equal(call(w, 0x0e, BASE + TEXT, 4, 0, 0), 0);
    assert_int_equal(access("/etc/passwd", F_OK), 0);
    close_world(w);
    close_world(none);
}

TEST(every_handle_is_used_once)
{
    struct world *w = open_world(32, true);
    int64_t opened, count = 0;
    while ((opened = open_named(w, "many", 6)) >= 0)
        count++;
    assert_int_equal(count, SAM_HOSTIO_FILES - 3);
    assert_int_equal(call_plain(w, 0x13, 0), SAM_HOSTIO_EMFILE);
    assert_int_equal(call(w, 0x02, 17, 0, 0, 0), 0);
    assert_int_equal(open_named(w, "many", 6), 17);
    assert_int_equal(call(w, 0x02, UINT32_MAX, 0, 0, 0), -1);
    close_world(w);
}

TEST(surroundings)
{
    EACH_WIDTH
    {
        struct world *w = open_world(*xlen, false);
        const unsigned word = *xlen / 8;
        assert_int_equal(call(w, 0x15, BASE + DATA, 100, 0, 0), 0);
        assert_string_equal((char *)w->memory + DATA, "one two words");
        assert_int_equal(w->memory[word], 13);
        assert_int_equal(call(w, 0x15, BASE + DATA, 13, 0, 0), -1); /* no room for the NUL */
        assert_int_equal(call(w, 0x16, BASE + DATA, 0, 0, 0), 0);
        assert_int_equal(sam_le32(w->memory + DATA), BASE + 0x8000);
        assert_int_equal(sam_le32(w->memory + DATA + 2 * word), 0x20000);
        assert_int_equal(call_plain(w, 0x10, 0), 123);
        assert_int_equal(call_plain(w, 0x30, BASE + DATA), 0);
        assert_int_equal(sam_le64(w->memory + DATA), 1234567890);
        assert_int_equal(call_plain(w, 0x31, 0), 1000000000);
        assert_true(call_plain(w, 0x11, 0) > 1700000000);
        assert_int_equal(call(w, 0x12, BASE + TEXT, 0, 0, 0), -1);
        assert_int_equal(call(w, 0x0d, BASE + DATA, 7, 16, 0), 0);
        assert_string_equal((char *)w->memory + DATA, "tmp007");
        assert_int_equal(call(w, 0x0d, BASE + DATA, 7, 6, 0), -1);
        assert_int_equal(call(w, 0x08, (uint64_t)-1, 0, 0, 0), 1);
        assert_int_equal(call(w, 0x08, 5, 0, 0, 0), 0);
        const uint64_t f = (uint64_t)open_named(w, ":semihosting-features", 0);
        assert_int_equal(call(w, 0x0c, f, 0, 0, 0), 5);
        assert_int_equal(call(w, 0x06, f, BASE + DATA, 5, 0), 0);
        assert_memory_equal(w->memory + DATA, "SHFB\3", 5);
        assert_int_equal(call(w, 0x0a, f, 6, 0, 0), -1);
        close_world(w);
    }
}

TEST(exits)
{
    static const struct {
        unsigned xlen, operation;
        bool block;
        uint64_t reason, code, exit_code;
    } rows[] = {
        {32, 0x18, false, 0x20026, 0, 0}, {32, 0x18, false, 0x20023, 0, 1},
        {64, 0x18, true, 0x20026, 7, 7},  {64, 0x18, true, 0x20023, 7, 1},
        {32, 0x20, true, 0x20026, 9, 9},  {64, 0x20, true, 0x20026, 0, 0},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        struct world *w = open_world(rows[i].xlen, false);
        const unsigned word = rows[i].xlen / 8;
        sam_put_le32(w->memory, (uint32_t)rows[i].reason);
        sam_put_le32(w->memory + word, (uint32_t)rows[i].code);
        assert_int_equal(sam_hostio_semihost(w->io, &w->guest, rows[i].operation,
                                             rows[i].block ? BASE : rows[i].reason, &w->reply),
                         SAM_HOSTIO_EXIT);
        assert_int_equal(w->reply.exit_code, rows[i].exit_code);
        close_world(w);
    }
}

/* Unmapped parameters end the run; unmapped buffers make the call fail. */
TEST(wrong_addresses)
{
    struct world *w = open_world(32, true);
    for (unsigned operation = 0; operation < 0x40; operation++) {
        const enum sam_hostio_end end =
            sam_hostio_semihost(w->io, &w->guest, operation, 4, &w->reply);
        if (end == SAM_HOSTIO_FAILED)
            assert_true(strlen(w->reply.text) > 20);
        else /* operations without parameters */
            assert_true(operation == 0x07 || operation == 0x10 || operation == 0x11 ||
                        operation == 0x13 || operation == 0x31 || operation == 0x18);
    }
    assert_int_equal(sam_hostio_semihost(w->io, &w->guest, 0x42, BASE, &w->reply),
                     SAM_HOSTIO_FAILED);
    assert_string_equal(w->reply.text, "semihosting call 0x42 is not known");
    const uint64_t f = (uint64_t)open_named(w, "wrong", 6);
    assert_int_equal(call(w, 0x05, f, 4, 10, 0), 10);
    assert_int_equal(call_plain(w, 0x13, 0), SAM_HOSTIO_EFAULT);
    assert_int_equal(call(w, 0x06, f, BASE + ROOM - 4, 10, 0), 10);
    assert_int_equal(call(w, 0x01, 4, 0, 3, 0), -1);
    assert_int_equal(call(w, 0x01, BASE + TEXT, 12, 3, 0), -1); /* no such mode */
    assert_int_equal(call(w, 0x01, BASE + TEXT, 0, UINT32_MAX, 0), -1);
    assert_int_equal(call(w, 0x06, f, BASE, UINT32_MAX, 0), UINT32_MAX);
    w->full = true;
    put_text(w, TEXT, "x");
    assert_int_equal(sam_hostio_semihost(w->io, &w->guest, 0x04, BASE + TEXT, &w->reply),
                     SAM_HOSTIO_SINK);
    close_world(w);
}

static int64_t syscall_of(struct world *w, uint64_t number, uint64_t a, uint64_t b, uint64_t c,
                          uint64_t d)
{
    const uint64_t arguments[6] = {a, b, c, d};
    assert_int_equal(sam_hostio_syscall(w->io, &w->guest, number, arguments, &w->reply),
                     SAM_HOSTIO_DONE);
    return (int64_t)w->reply.result;
}

TEST(system_calls)
{
    EACH_WIDTH
    {
        struct world *w = open_world(*xlen, true);
        put_text(w, DATA, "written");
        assert_int_equal(syscall_of(w, 64, 1, BASE + DATA, 7, 0), 7);
        assert_int_equal(syscall_of(w, 64, 2, BASE + DATA, 3, 0), 3);
        expect_text(&w->out, "written");
        expect_text(&w->err, "wri");
        put_text(w, TEXT, "call.txt");
        /* newlib's flags: O_CREAT 0x200, O_TRUNC 0x400, O_RDWR 2; Linux's with openat */
        const int64_t f = syscall_of(w, 1024, BASE + TEXT, 0x602, 0666, 0);
        assert_true(f > 2);
        assert_int_equal(syscall_of(w, 64, (uint64_t)f, BASE + DATA, 7, 0), 7);
        assert_int_equal(syscall_of(w, 62, (uint64_t)f, (uint64_t)-3, 2, 0), 4);
        assert_int_equal(syscall_of(w, 63, (uint64_t)f, BASE + DATA + 64, 10, 0), 3);
        assert_memory_equal(w->memory + DATA + 64, "ten", 3);
        assert_int_equal(syscall_of(w, 80, (uint64_t)f, BASE + DATA, 0, 0), 0);
        assert_int_equal(sam_le32(w->memory + DATA + 16), 0100644);
        assert_int_equal(sam_le32(w->memory + DATA + 48), 7);
        assert_int_equal(syscall_of(w, 80, 1, BASE + DATA, 0, 0), 0);
        assert_int_equal(sam_le32(w->memory + DATA + 16) & 0170000, 0020000);
        assert_int_equal(syscall_of(w, 57, (uint64_t)f, 0, 0, 0), 0);
        assert_int_equal(syscall_of(w, 57, (uint64_t)f, 0, 0, 0), -SAM_HOSTIO_EBADF);
        assert_true(syscall_of(w, 56, (uint64_t)-100, BASE + TEXT, 0101, 0666) > 2);
        assert_int_equal(syscall_of(w, 56, 5, BASE + TEXT, 0101, 0666), -SAM_HOSTIO_EBADF);
        assert_int_equal(syscall_of(w, 1024, 4, 0, 0, 0), -SAM_HOSTIO_EFAULT);
        assert_int_equal(syscall_of(w, 62, 1, 0, 0, 0), -SAM_HOSTIO_ESPIPE);
        assert_int_equal(syscall_of(w, 62, 1, 0, 7, 0), -SAM_HOSTIO_EINVAL);
        assert_int_equal(syscall_of(w, 214, 0, 0, 0, 0), BASE + 0x8000);
        assert_int_equal(syscall_of(w, 214, BASE + 0x9000, 0, 0, 0), BASE + 0x9000);
        assert_int_equal(syscall_of(w, 214, BASE + ROOM + 1, 0, 0, 0), BASE + 0x9000);
        const uint64_t code[6] = {42};
        assert_int_equal(sam_hostio_syscall(w->io, &w->guest, 93, code, &w->reply),
                         SAM_HOSTIO_EXIT);
        assert_int_equal(w->reply.exit_code, 42);
        assert_int_equal(sam_hostio_syscall(w->io, &w->guest, 172, code, &w->reply),
                         SAM_HOSTIO_FAILED);
        assert_string_equal(w->reply.text, "system call 172 is not known");
        close_world(w);
    }
}

TEST(wrong_options)
{
    struct sam_hostio *io;
    struct sam_error error;
    static const char *const hole[] = {"a", NULL};
    must_refuse(sam_hostio_new(NULL, NULL, &error), &error, "hostio");
    must_refuse(sam_hostio_new(&(struct sam_hostio_options){.argument_count = 1}, &io, &error),
                &error, "arguments");
    must_refuse(sam_hostio_new(&(struct sam_hostio_options){.arguments = hole, .argument_count = 2},
                               &io, &error),
                &error, "arguments");
    must_fail(SAM_ERR_IO, "/nonexistent/x", sam_hostio_new,
              &(struct sam_hostio_options){.folder = "/nonexistent/x"}, &io);
    assert_null(io);
    succeeds(sam_hostio_new, NULL, &io);
    sam_hostio_free(io);
    sam_hostio_free(NULL);
}

/* The documentation lists exactly the calls that exist. */
TEST(the_page_lists_them)
{
    static const struct {
        unsigned number;
        const char *name, *what;
    } rows[] = {
#define SEMIHOST(number, name, words, what) {number, #name, what},
#include "hostio/semihost.def"
#undef SEMIHOST
    };
    char row[256];
    FREED char *text;
    size_t size, count = 0;
    FREED char *path = formatted("%s/docs/programs-in-c.md", getenv("SAMITE_SOURCE"));
    succeeds(sam_file_load, path, 1 << 20, &text, &size);
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        snprintf(row, sizeof row, "| `0x%02x` | %s | %s%s|\n", rows[i].number, rows[i].name,
                 rows[i].what, rows[i].what[0] ? " " : "");
        if (!strstr(text, row))
            fail_msg("no row: %s", row);
    }
    for (const char *at = text; (at = strstr(at, "| `0x")); at++)
        count++;
    assert_int_equal(count, SAM_COUNT(rows));
}

TEST_GROUP(test_folder_make, test_folder_remove)
