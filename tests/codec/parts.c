/* SPDX-License-Identifier: Apache-2.0 */
/* A file packed in parts: joined, they are the packed file; anything else is refused. */

#include "test.h"

#include "codec/roundtrip.h"
#include "codec/weights.h"
#include "streams.h"

enum { HEADER = 100, MOST = 9 };

/* Large tensors, gaps, small ones that are coded together, empty ones. */
static struct sam_weight tensors[] = {
    {.name = "large", .type = SAM_BF16, .rank = 1, .shape = {2500000}, .size = 5000000},
    {.name = "empty", .type = SAM_F32, .rank = 1, .shape = {0}},
    {.name = "small", .type = SAM_F16, .rank = 1, .shape = {20}, .size = 40},
    {.name = "little", .type = SAM_U8, .rank = 1, .shape = {11}, .size = 11},
    {.name = "wide", .type = SAM_F32, .rank = 2, .shape = {1024, 1100}, .size = 4505600},
    {.name = "bytes", .type = SAM_U8, .rank = 1, .shape = {3000000}, .size = 3000000},
};
static struct sam_weights weights = {.kind = SAM_WEIGHTS_RAW,
                                     .header_size = HEADER,
                                     .tensors = tensors,
                                     .count = SAM_COUNT(tensors)};
static uint8_t *file;
static struct sam_buffer parts[MOST];
static struct sam_source sources[MOST];
static const char *const names[MOST] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};

static int make_file(void **state)
{
    uint64_t at = HEADER, seed = 3;
    (void)state;
    for (size_t i = 0; i < weights.count; i++) {
        at += i % 3 == 1 ? 700000 : 0; /* a gap */
        tensors[i].offset = at;
        at += tensors[i].size;
    }
    weights.file_size = at + 9;
    file = malloc(weights.file_size);
    if (!file)
        return -1;
    for (uint64_t i = 0; i < weights.file_size; i++)
        file[i] = (uint8_t)(i % 251);
    for (size_t i = 0; i < weights.count; i++)
        test_weights(tensors[i].type, file + tensors[i].offset, tensors[i].size, 0.02, &seed);
    return 0;
}

FIXTURE(free_file)
{
    free(file);
    return 0;
}

static void free_parts(void)
{
    for (size_t i = 0; i < MOST; i++)
        sam_buffer_free(&parts[i]);
}

/* The parts of a file, each fed in blocks of another size; their ranges are adjacent. */
static void make_parts(const struct sam_weights *w, unsigned count,
                       const struct sam_codec_options *options)
{
    struct sam_error error = {0};
    uint64_t before = w->header_size;
    free_parts();
    for (unsigned i = 0; i < count; i++) {
        struct sam_packer *packer;
        uint64_t first, end;
        succeeds(sam_packer_open_part, w, i, count, options, test_sink(&parts[i]), &packer);
        sam_packer_range(packer, &first, &end);
        assert_int_equal(first, before);
        assert_true(end >= first);
        before = end;
        succeeds(sam_packer_write, packer, file, w->header_size);
        for (const size_t piece = 100000 + 7 * i; first < end;) {
            const size_t now = end - first < piece ? (size_t)(end - first) : piece;
            succeeds(sam_packer_write, packer, file + first, now);
            first += now;
        }
        succeeds(sam_packer_finish, packer);
        struct sam_packed_stat stat;
        assert_int_equal(sam_packer_stat(packer, 0, &stat, &error), SAM_ERR_USAGE);
        sam_packer_close(packer);
        sources[i] = test_source(&parts[i]);
    }
    assert_int_equal(before, w->file_size);
}

static void expect_joined(const struct sam_weights *w, unsigned count,
                          const struct sam_codec_options *options)
{
    SCOPED(sam_buffer) joined = {0};
    SCOPED(packed) whole = pack(w, file, options);
    make_parts(w, count, options);
    succeeds(sam_pack_join, sources, names, count, test_sink(&joined));
    assert_int_equal(joined.size, whole.size);
    assert_memory_equal(joined.data, whole.data, whole.size);
}

TEST(joined)
{
    static const struct sam_codec_options dense = {.dense = true, .threads = 2},
                                          bits = {.bit_planes = true};
    for (unsigned count = 1; count <= MOST; count++)
        expect_joined(&weights, count, count % 3 == 1 ? &dense : count % 3 ? NULL : &bits);
    /* A file of a header, an empty file. */
    const struct sam_weights header = {.header_size = HEADER, .file_size = HEADER}, empty = {0};
    expect_joined(&header, 3, NULL);
    expect_joined(&empty, 2, NULL);
    /* About equal shares. */
    make_parts(&weights, 3, NULL);
    for (unsigned i = 0; i < 3; i++)
        assert_true(parts[i].size > 2500000 && parts[i].size < 6500000);
    free_parts();
}

static void expect_refused(size_t count, enum sam_status status, const char *part)
{
    struct sam_error error = {0};
    SCOPED(sam_buffer) out = {0};
    if (sam_pack_join(sources, names, count, test_sink(&out), &error) != status ||
        !strstr(error.text, part))
        fail_msg("'%s' does not say '%s'", error.text, part);
}

TEST(wrong_sets)
{
    make_parts(&weights, 3, NULL);
    expect_refused(2, SAM_ERR_INPUT, "part 3/3 is missing");
    const struct sam_source third = sources[2];
    sources[2] = sources[0];
    expect_refused(3, SAM_ERR_INPUT, "c: part 1/3 is given twice, by a as well");
    sources[0] = third;
    expect_refused(1, SAM_ERR_INPUT, "part 1/3 is missing");
    expect_refused(2, SAM_ERR_INPUT, "part 1/3 is missing");
    sources[2] = sources[0];
    sources[0] = sources[1];
    sources[1] = sources[2];
    expect_refused(2, SAM_ERR_INPUT, "part 1/3 is missing");
    /* A part of another split, of other options, and a file that is no part. */
    struct sam_buffer other = parts[1];
    parts[1] = (struct sam_buffer){0};
    make_parts(&weights, 2, NULL);
    sources[1] = test_source(&other);
    expect_refused(2, SAM_ERR_INPUT, "b: part 2/3: expected parts of 2, as a");
    sam_buffer_free(&other);
    make_parts(&weights, 2, NULL);
    other = parts[1];
    parts[1] = (struct sam_buffer){0};
    make_parts(&weights, 2, &(struct sam_codec_options){.bit_planes = true});
    sources[1] = test_source(&other);
    expect_refused(2, SAM_ERR_INPUT, "b: of another file, or packed with other options, than a");
    sam_buffer_free(&other);
    struct packed whole = pack(&weights, file, NULL);
    other = (struct sam_buffer){.data = whole.data, .size = whole.size};
    sources[1] = test_source(&other);
    expect_refused(2, SAM_ERR_INPUT, "b: not a part of a packed file");
    packed_free(&whole);
    free_parts();
}

/* Any changed byte is detected, and so is a truncated end. */
TEST(damage)
{
    uint64_t random = 11;
    make_parts(&weights, 2, NULL);
    for (int i = 0; i < 300; i++) {
        struct sam_buffer *part = &parts[i % 2];
        /* The second part's start is unused except for its header. */
        size_t at = (size_t)(test_random(&random) % part->size);
        at = i < 40 ? (size_t)i : i < 80 ? part->size - 1 - (size_t)(i - 40) : at;
        if (i % 2 && at >= 128 && at < 1024)
            continue;
        const uint8_t flip = (uint8_t)(1 << test_random(&random) % 8);
        part->data[at] ^= flip;
        struct sam_error error = {0};
        SCOPED(sam_buffer) out = {0};
        const enum sam_status status = sam_pack_join(sources, names, 2, test_sink(&out), &error);
        if (status != SAM_ERR_INPUT)
            fail_msg("byte %zu of part %d: %d %s", at, i % 2 + 1, (int)status, error.text);
        part->data[at] ^= flip;
    }
    for (size_t size = 0; size < parts[1].size; size += 1 + parts[1].size / 50) {
        sources[1] = (struct sam_source){test_read, &parts[1], size};
        expect_refused(2, SAM_ERR_INPUT, "b: ");
    }
    free_parts();
}

/* Failing sinks, input of the wrong size. */
TEST(failures)
{
    const struct sam_sink sink = test_sink(&parts[0]);
    struct sam_packer *packer;
    struct sam_error error = {0};
    make_parts(&weights, 1, NULL);
    assert_int_equal(sam_pack_join(sources, names, 1, (struct sam_sink){test_refuse, NULL}, &error),
                     SAM_ERR_IO);
    /* Too many bytes, too few. */
    succeeds(sam_packer_open_part, &weights, 1, 2, NULL, sink, &packer);
    uint64_t first, end;
    sam_packer_range(packer, &first, &end);
    succeeds(sam_packer_write, packer, file, HEADER);
    assert_int_equal(sam_packer_finish(packer, &error), SAM_ERR_INPUT);
    sam_packer_close(packer);
    succeeds(sam_packer_open_part, &weights, 1, 2, NULL, sink, &packer);
    assert_int_equal(sam_packer_write(packer, file, HEADER + (end - first) + 1, &error),
                     SAM_ERR_INPUT);
    sam_packer_close(packer);
    free_parts();
}

TEST_GROUP(make_file, free_file)
