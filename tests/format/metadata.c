/* SPDX-License-Identifier: Apache-2.0 */
/* .metadata and .data: both forms, annotations, and every error. */

#include "test.h"

#include "samite/format.h"

/* The fixed values of a launch that is valid in every field; a test changes the field it checks. */
static const uint64_t good[14] = {0x80000000, 7,      4,     2,  1,  8,          4,
                                  0x90004000, 0x1000, 0x100, 32, 48, 0x90003000, 0};
enum { START, ID, X, Y, Z, LANES, WARPS, KNL, LDS, PDS, SGPR, VGPR, PDSBASE, COUNT };

struct file {
    uint64_t values[64];
    size_t count;
};

static struct file make(const struct sam_metadata_buffer *buffers, size_t n)
{
    struct file f = {.count = 14 + 3 * n};
    memcpy(f.values, good, sizeof good);
    f.values[COUNT] = n;
    for (size_t i = 0; i < n; i++) {
        f.values[14 + i] = buffers[i].base;
        f.values[14 + n + i] = buffers[i].size;
        f.values[14 + 2 * n + i] = buffers[i].allocated;
    }
    return f;
}

static struct sam_buffer text_of(const struct file *f, size_t from, const char *ending)
{
    struct sam_buffer text = {0};
    for (size_t i = from; i < f->count; i++)
        sam_buffer_printf(&text, "%08x%s%08x%s", (unsigned)f->values[i], ending,
                          (unsigned)(f->values[i] >> 32), ending);
    return text;
}

static enum sam_status parse(const char *text, struct sam_metadata *m, struct sam_error *error)
{
    return sam_metadata_parse(text, strlen(text), "k.metadata", m, error);
}

static void expect_error(const char *text, const char *part)
{
    struct sam_metadata m;
    struct sam_error error = {0};
    assert_int_equal(parse(text, &m, &error), SAM_ERR_INPUT);
    if (!strstr(error.text, part))
        fail_msg("'%s' does not say '%s'", error.text, part);
    assert_null(m.buffers);
}

static void expect_file_error(const struct file *f, const char *part)
{
    SCOPED(sam_buffer) text = text_of(f, 0, "\n");
    expect_error(sam_buffer_text(&text), part);
}

static const struct sam_metadata_buffer three[] = {
    {0x90000000, 8, 0x1000}, {0x90001000, 0, 0x2000}, {0x80000000, 5, 0x10000000}};

static void check_three(const struct sam_metadata *m)
{
    assert_int_equal(m->kernel_id, 7);
    assert_int_equal(m->grid[0], 4);
    assert_int_equal(m->grid[1], 2);
    assert_int_equal(m->grid[2], 1);
    assert_int_equal(m->lanes, 8);
    assert_int_equal(m->warps, 4);
    assert_int_equal(m->metadata_base, 0x90004000);
    assert_int_equal(m->lds_size, 0x1000);
    assert_int_equal(m->pds_size, 0x100);
    assert_int_equal(m->sgprs, 32);
    assert_int_equal(m->vgprs, 48);
    assert_int_equal(m->pds_base, 0x90003000);
    assert_int_equal(m->buffer_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(m->buffers[i].base, three[i].base);
        assert_int_equal(m->buffers[i].size, three[i].size);
        assert_int_equal(m->buffers[i].allocated, three[i].allocated);
    }
}

TEST(both_forms)
{
    struct file f = make(three, 3);
    f.values[START] = 0x80000100;
    for (size_t older = 0; older < 2; older++) {
        SCOPED(sam_buffer) text = text_of(&f, older, "\n");
        struct sam_metadata m;
        succeeds(parse, sam_buffer_text(&text), &m);
        assert_int_equal(m.has_start, older == 0);
        assert_int_equal(m.start, older ? 0x80000000 : 0x80000100);
        check_three(&m);
        sam_metadata_free(&m);
        assert_null(m.buffers);
    }
}

/* Hand-edited files: CRLF, blank lines, comments, upper case, no final newline. */
TEST(annotated_files)
{
    static const char *const endings[] = {"\r\n",
                                          "\n\n",
                                          "  // what it is\n",
                                          "// close\n",
                                          "\t# note\n",
                                          " comment\r\n\r\n",
                                          "\n// 12345678\n",
                                          "\n   \t\n# 00000000 is no number here\n",
                                          ";x\n"};
    struct file f = make(three, 3);
    for (size_t i = 0; i < SAM_COUNT(endings); i++) {
        SCOPED(sam_buffer) text = text_of(&f, 0, endings[i]);
        SCOPED(sam_metadata) m;
        struct sam_error error;
        if (parse(sam_buffer_text(&text), &m, &error) != SAM_OK)
            fail_msg("ending %zu: %s", i, error.text);
        check_three(&m);
    }
    SCOPED(sam_buffer) text = {0};
    sam_buffer_printf(&text, "\xef\xbb\xbf");
    f.values[KNL] = 0xABCDEF00;
    for (size_t i = 0; i < f.count; i++)
        sam_buffer_printf(&text, "  %08X\n%08X%s", (unsigned)f.values[i],
                          (unsigned)(f.values[i] >> 32), i + 1 < f.count ? "\n" : "");
    SCOPED(sam_metadata) m;
    succeeds(parse, sam_buffer_text(&text), &m);
    assert_int_equal(m.metadata_base, 0xABCDEF00);
}

TEST(numbers_are_eight_digits)
{
    expect_error("80000000\n0000000\n", "k.metadata:2: '0000000' is not a number of 8");
    expect_error("800000000\n", "k.metadata:1: '800000000' is not a number");
    expect_error("80000000\n\n// x\n0x000000\n", "k.metadata:4: '0x000000' is not");
    expect_error("vecadd.metadata", "k.metadata:1: 'vecadd.metadata' is not");
    expect_error("80000000x\n", "'80000000x'");
    expect_error("8000 0000\n", "'8000 0000'");
    expect_error("\x01\x02\x7f\n", "'\?\?\?'");
    expect_error("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\n", "'zzzzzzzzzzzzzzzzzzzzzzz' is");
}

TEST(wrong_counts)
{
    expect_error("", "0 numbers; at least 28");
    expect_error("80000000\n", "1 numbers; each value takes two");
    struct file f = make(three, 3);
    /* any single value missing or extra, at any place: never accepted with a wrong meaning */
    for (size_t gone = 1; gone < f.count; gone++) {
        struct file cut = f;
        memmove(&cut.values[gone], &cut.values[gone + 1],
                (f.count - gone - 1) * sizeof cut.values[0]);
        cut.count--;
        SCOPED(sam_buffer) text = text_of(&cut, 0, "\n");
        expect_error(sam_buffer_text(&text), "k.metadata: ");
    }
    struct file more = f;
    more.values[more.count++] = 0;
    expect_file_error(&more, "48 numbers, but num_buffer 3 requires 2*(14+3*3) = 46");
    struct file lying = f;
    lying.values[COUNT] = 4;
    expect_file_error(&lying, "46 numbers, but num_buffer 4 requires 2*(14+3*4) = 52");
    lying.values[COUNT] = UINT64_MAX;
    expect_file_error(&lying, "num_buffer is 0xffffffffffffffff");
    lying.values[COUNT] = 0xffffffff;
    expect_file_error(&lying, "num_buffer 4294967295 requires");
    struct file older = f;
    memmove(older.values, older.values + 1, (f.count - 1) * sizeof f.values[0]);
    older.count--;
    older.values[12] = 2;
    expect_file_error(&older, "44 numbers, but num_buffer 2 requires 2*(13+3*2) = 38");
}

TEST(impossible_fields)
{
    const struct {
        int field;
        uint64_t value;
        const char *part;
    } cases[] = {
        {START, UINT64_C(1) << 32, "start_addr is 0x100000000"},
        {X, 0, "kernel_size x is 0x0, expected 0x1.."},
        {Y, 0, "kernel_size y"},
        {Z, UINT64_C(1) << 40, "kernel_size z is 0x10000000000"},
        {X, 0xffffffff, "more than 2^32-1 workgroups"},
        {LANES, 0, "wf_size (threads per warp) is 0"},
        {LANES, 12, "wf_size (threads per warp) is 12, expected 4, 8, 16 or 32"},
        {LANES, 64, "wf_size"},
        {LANES, (UINT64_C(1) << 32) + 8, "wf_size"},
        {WARPS, 0, "wg_size (warps per workgroup) is 0x0"},
        {WARPS, 1025, "wg_size (warps per workgroup) is 0x401, expected 0x1..0x400"},
        {KNL, UINT64_C(1) << 32, "metaDataBaseAddr"},
        {LDS, 0x10000001, "ldsSize is 0x10000001"},
        {PDS, UINT64_C(1) << 32, "pdsSize"},
        {SGPR, UINT64_C(1) << 32, "sgprUsage"},
        {VGPR, UINT64_C(1) << 32, "vgprUsage"},
        {PDSBASE, UINT64_C(1) << 32, "pdsBaseAddr"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        struct file f = make(three, 3);
        f.values[cases[i].field] = cases[i].value;
        expect_file_error(&f, cases[i].part);
    }
}

TEST(impossible_buffers)
{
    const struct {
        struct sam_metadata_buffer buffers[3];
        const char *part;
    } cases[] = {
        {{{0x90000000, 0, 0x1001}, {0x80000000, 0, 16}, {0x90001000, 0, 4}},
         "buffers 0 (0x90000000..0x90001000) and 2 (0x90001000..0x90001003) overlap"},
        {{{0x90000000, 0, 0x10}, {0x90000000, 0, 0x10}, {0xa0000000, 0, 4}}, "buffers 0 "},
        {{{0x90001000, 0, 4}, {0x80000000, 0, 0x20000000}, {0xa0000000, 0, 4}},
         "buffers 1 (0x80000000..0x9fffffff) and 0 (0x90001000..0x90001003) overlap"},
        {{{0xfffff000, 0, 0x1001}, {0, 0, 0}, {0, 0, 0}},
         "buffer 0 (0x1001 bytes at 0xfffff000) ends above 4 GiB"},
        {{{0, 0, 0}, {UINT64_C(1) << 32, 0, 0}, {0, 0, 0}}, "buffer 1 (0x0 bytes at 0x100000000)"},
        {{{0x90000000, 0, UINT64_MAX}, {0, 0, 0}, {0, 0, 0}}, "ends above 4 GiB"},
        {{{0, 0, 0}, {0, 0, 0}, {0x90000000, 9, 8}},
         "buffer 2 at 0x90000000 has 0x9 bytes of data but an allocsize of 0x8"},
        {{{0x6ffff000, 0, 0x1001}, {0, 0, 0}, {0, 0, 0}}, "reaches into or out of local memory"},
        {{{0x7ffff000, 0, 0x1001}, {0, 0, 0}, {0, 0, 0}}, "reaches into or out of local memory"},
        {{{0x60000000, 0, 0x30000000}, {0, 0, 0}, {0, 0, 0}}, "reaches into or out of local"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        struct file f = make(cases[i].buffers, 3);
        expect_file_error(&f, cases[i].part);
    }
    /* At the limits: the last byte of memory, all of local memory, neighbours, empty buffers. */
    const struct sam_metadata_buffer fine[] = {{0xfffff000, 0x1000, 0x1000},
                                               {0x70000000, 0, 0x10000000},
                                               {0x80000000, 0, 0x10000000},
                                               {0x90000000, 1, 1},
                                               {0x90000000, 0, 0}};
    struct file f = make(fine, 5);
    SCOPED(sam_buffer) text = text_of(&f, 0, "\n");
    SCOPED(sam_metadata) m;
    succeeds(parse, sam_buffer_text(&text), &m);
}

/* --- .data */

static enum sam_status parse_data(const char *text, const struct sam_metadata *m, uint32_t **words,
                                  size_t *count, struct sam_error *error)
{
    return sam_data_parse(text, strlen(text), "k.data", m, words, count, error);
}

TEST(data_words)
{
    struct sam_metadata_buffer buffers[] = {
        {0x90000000, 5, 16}, {0x90001000, 0, 16}, {0x90002000, 4, 16}};
    struct sam_metadata m = {.buffers = buffers, .buffer_count = 3};
    uint32_t *words;
    size_t count;
    struct sam_error error = {0};
    succeeds(parse_data, "00000001\n000000FF // b\r\n\n89abCDef", &m, &words, &count);
    assert_int_equal(count, 3);
    assert_int_equal(words[0], 1);
    assert_int_equal(words[1], 0xff);
    assert_int_equal(words[2], 0x89abcdef);
    free(words);

    const struct {
        const char *text;
        const char *part;
    } cases[] = {
        {"", "k.data: ends in buffer 0 at 0x90000000: 2 words announced, 0 found"},
        {"00000001\n", "ends in buffer 0 at 0x90000000: 2 words announced, 1 found"},
        {"00000001\n00000002\n", "ends in buffer 2 at 0x90002000: 1 words announced, 0 found"},
        {"00000001\n00000002\n00000003\n\n00000004\n00000005\n",
         "k.data:5: more data than the buffers hold (3 words expected)"},
        {"00000001\n0000000g\n", "k.data:2: '0000000g' is not a number"},
        {"00000001\n00000002\n00000003\nxyz\n", "k.data:4: 'xyz' is not a number"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        assert_int_equal(parse_data(cases[i].text, &m, &words, &count, &error), SAM_ERR_INPUT);
        if (!strstr(error.text, cases[i].part))
            fail_msg("'%s' does not say '%s'", error.text, cases[i].part);
        assert_null(words);
    }
    /* an announced 4 GiB allocates no more than the text needs */
    buffers[0].size = buffers[0].allocated = UINT64_C(1) << 32;
    must_fail(SAM_ERR_INPUT, "1073741824 words announced, 1 found", parse_data, "00000001\n", &m,
              &words, &count);
    struct sam_metadata none = {0};
    succeeds(parse_data, "// nothing\n", &none, &words, &count);
    assert_int_equal(count, 0);
    free(words);
}

/* Random launches in a random layout are read back unchanged. */
TEST(round_trips)
{
    uint64_t random = test_seed();
    static const char *const dress[] = {"\n", "\r\n", " // c\n", "\n\n", "\t\n#\n"};
    for (int round = 0; round < 2000; round++) {
        struct sam_metadata_buffer buffers[8];
        size_t n = test_below(&random, 9);
        uint64_t at = 0x80000000, words_wanted = 0;
        for (size_t i = 0; i < n; i++) {
            at += test_below(&random, 3) * 0x1000;
            uint64_t allocated = test_below(&random, 200);
            uint64_t size = allocated ? test_below(&random, allocated + 1) : 0;
            buffers[i] = (struct sam_metadata_buffer){at, size, allocated};
            at += allocated;
            words_wanted += (size + 3) / 4;
        }
        struct file f = make(buffers, n);
        f.values[LANES] = UINT64_C(4) << test_below(&random, 4);
        f.values[WARPS] = 1 + test_below(&random, 1024);
        f.values[X] = 1 + test_below(&random, 1000);
        size_t older = test_below(&random, 2);
        SCOPED(sam_buffer) text = text_of(&f, older, dress[test_below(&random, SAM_COUNT(dress))]);
        SCOPED(sam_metadata) m;
        struct sam_error error = {0};
        if (parse(sam_buffer_text(&text), &m, &error) != SAM_OK)
            fail_msg("%s\n%s", error.text, sam_buffer_text(&text));
        assert_int_equal(m.lanes, f.values[LANES]);
        assert_int_equal(m.warps, f.values[WARPS]);
        assert_int_equal(m.grid[0], f.values[X]);
        assert_int_equal(m.buffer_count, n);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(m.buffers[i].base, buffers[i].base);
            assert_int_equal(m.buffers[i].size, buffers[i].size);
            assert_int_equal(m.buffers[i].allocated, buffers[i].allocated);
        }
        SCOPED(sam_buffer) data = {0};
        for (uint64_t i = 0; i < words_wanted; i++)
            sam_buffer_printf(&data, "%08x\n", (unsigned)(i * 0x9e3779b9u));
        FREED uint32_t *words;
        size_t count;
        succeeds(parse_data, sam_buffer_text(&data), &m, &words, &count);
        assert_int_equal(count, words_wanted);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(words[i], (uint32_t)(i * 0x9e3779b9u));
    }
}
