/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files: headers, gaps, tensors of every shape, ranges, pieces, threads, bad descriptions. */
#include <sys/mman.h>

#include "test.h"

#include "codec/roundtrip.h"
#include "codec/weights.h"

enum { TENSORS = 9 };

/* A header that names most of the tensors, large and empty tensors, gaps. */
struct file {
    struct sam_weights weights;
    struct sam_weight tensors[TENSORS];
    uint8_t *data;
};

static const struct {
    const char *name;
    enum sam_dtype type;
    size_t rank;
    uint64_t shape[5];
    uint64_t gap; /* in front */
} content[TENSORS] = {
    {"model.embed", SAM_BF16, 2, {1031, 1027}, 0},
    {"model.empty", SAM_F32, 3, {4, 0, 7}, 0},
    {"model.norm", SAM_F32, 1, {777}, 3},
    {"model.scalar", SAM_F16, 0, {0}, 0},
    {"model.h", SAM_F16, 5, {3, 5, 7, 11, 13}, 1},
    {"not in the header", SAM_E4M3, 2, {300, 1001}, 0},
    {"model.q", SAM_E5M2, 1, {140000}, 100},
    {"", SAM_I4, 2, {6, 7}, 0},
    {"model.tail", SAM_OPAQUE, 1, {5000}, 0},
};

static struct file make_file(void)
{
    static const char header[] = "{\"model.embed\":0,\"model.empty\":1,\"model.norm\":2,"
                                 "\"model.scalar\":3,\"model.h\":4,\"model.q\":5,\"model.tail\":6}";
    struct file f = {.weights = {.kind = SAM_WEIGHTS_SAFETENSORS, .header_size = sizeof header}};
    uint64_t at = sizeof header, random = 7;
    for (size_t i = 0; i < TENSORS; i++) {
        struct sam_weight *w = &f.tensors[i];
        *w = (struct sam_weight){.name = content[i].name,
                                 .type = content[i].type,
                                 .rank = content[i].rank,
                                 .offset = at + content[i].gap};
        uint64_t bits = sam_dtype_bits(w->type);
        for (size_t d = 0; d < w->rank; d++)
            bits *= w->shape[d] = content[i].shape[d];
        w->size = bits / 8;
        at = w->offset + w->size;
    }
    f.weights.count = TENSORS;
    f.weights.file_size = at + 11;
    f.data = malloc((size_t)f.weights.file_size);
    assert_non_null(f.data);
    test_weights(SAM_U8, f.data, (size_t)f.weights.file_size, 0, &random);
    memcpy(f.data, header, sizeof header);
    for (size_t i = 0; i < TENSORS; i++)
        test_weights(f.tensors[i].type, f.data + f.tensors[i].offset, (size_t)f.tensors[i].size,
                     0.01 * (double)(i + 1), &random);
    return f;
}

static struct sam_weights weights_of(struct file *f)
{
    f->weights.tensors = f->tensors;
    return f->weights;
}

TEST(every_way_gives_the_same)
{
    struct file f = make_file();
    struct sam_weights weights = weights_of(&f);
    for (unsigned mode = 0; mode < 4; mode++) {
        struct sam_codec_options options = {.size = sizeof options,
                                            .dense = mode == 1,
                                            .bit_planes = mode == 2,
                                            .window = mode == 3};
        SCOPED(packed) packed = pack(&weights, f.data, &options);
        assert_true(packed.size < weights.file_size);
        for (unsigned threads = 0; threads < 5; threads += 2) {
            for (unsigned level = SAM_CODEC_BEST; level <= SAM_CODEC_AVX512; level++) {
                options.threads = threads;
                options.level = (enum sam_codec_level)level;
                struct packed again = pack(&weights, f.data, &options);
                assert_int_equal(again.size, packed.size);
                assert_memory_equal(again.data, packed.data, packed.size);
                packed_free(&again);
                expect_file(&packed, f.data, (size_t)weights.file_size, &options);
            }
            size_t piece = threads ? 100003 : 777;
            expect_same_in_pieces(&weights, f.data, &packed, piece, &options);
            expect_file_in_pieces(&packed, f.data, (size_t)weights.file_size, piece, &options);
        }
        expect_file_in_pieces(&packed, f.data, (size_t)weights.file_size, SIZE_MAX / 2, &options);
    }
    free(f.data);
}

TEST(byte_by_byte)
{
    uint64_t random = 3;
    uint16_t data[3000];
    struct sam_weight tensor;
    struct sam_weights weights = one_tensor(&tensor, SAM_BF16, sizeof data);
    test_weights(SAM_BF16, data, sizeof data, 0.02, &random);
    SCOPED(packed) packed = pack(&weights, data, NULL);
    expect_file_in_pieces(&packed, data, sizeof data, 1, NULL);
    expect_same_in_pieces(&weights, data, &packed, 1, NULL);
}

TEST(ranges)
{
    struct file f = make_file();
    struct sam_weights weights = weights_of(&f);
    struct packed packed = pack(&weights, f.data, NULL);
    struct sam_packed *p;
    struct sam_error error = {0};
    uint64_t random = test_seed();
    succeeds(sam_packed_open, packed.data, packed.size, NULL, &p);
    const struct sam_weights *listed = sam_packed_weights(p);
    assert_int_equal(listed->kind, SAM_WEIGHTS_SAFETENSORS);
    assert_int_equal(listed->header_size, weights.header_size);
    assert_memory_equal(sam_packed_header(p), f.data, (size_t)weights.header_size);
    for (size_t i = 0; i < TENSORS; i++) {
        size_t tensor = *content[i].name ? sam_packed_find(p, content[i].name) : SIZE_MAX;
        if (tensor == SIZE_MAX) {
            assert_string_equal(content[i].name, "");
            continue;
        }
        const struct sam_weight *w = &listed->tensors[tensor], *wanted = &f.tensors[i];
        assert_string_equal(w->name, wanted->name);
        assert_int_equal(w->type, wanted->type);
        assert_int_equal(w->rank, wanted->rank);
        assert_memory_equal(w->shape, wanted->shape, w->rank * sizeof w->shape[0]);
        assert_int_equal(w->offset, wanted->offset);
        assert_int_equal(w->size, wanted->size);
        struct sam_packed_stat stat;
        succeeds(sam_packed_stat, p, tensor, &stat);
        assert_true(stat.packed <= w->size + 128);
        for (unsigned round = 0; round < 60; round++) {
            uint64_t first = round ? test_below(&random, w->size + 1) : 0;
            uint64_t size = round ? test_below(&random, w->size - first + 1) : w->size;
            if (round % 2)
                size %= 100;
            FREED uint8_t *out = test_room(size ? (size_t)size : 1);
            succeeds(sam_packed_read, p, tensor, first, size, out);
            assert_true(size == 0 || memcmp(out, f.data + w->offset + first, (size_t)size) == 0);
        }
        assert_int_equal(sam_packed_read(p, tensor, w->size, 1, NULL, &error), SAM_ERR_USAGE);
        assert_int_equal(sam_packed_read(p, tensor, 1, UINT64_MAX, NULL, &error), SAM_ERR_USAGE);
    }
    assert_int_equal(sam_packed_find(p, "model.non"), SIZE_MAX);
    assert_int_equal(sam_packed_read(p, listed->count, 0, 0, NULL, &error), SAM_ERR_USAGE);
    sam_packed_close(p);
    packed_free(&packed);
    free(f.data);
}

/* A source in memory that is truncated with its file. */
struct cut {
    const uint8_t *data;
    uint64_t size;
    unsigned reads;
};

static bool read_cut(void *context, uint64_t offset, void *data, size_t size)
{
    struct cut *cut = context;
    cut->reads++;
    if (offset > cut->size || size > cut->size - offset)
        return false;
    memcpy(data, cut->data + offset, size);
    return true;
}

/* Reading on demand equals reading from memory; a file truncated meanwhile gives an error
 * wherever it ends. */
TEST(from_a_source)
{
    struct file f = make_file();
    struct sam_weights weights = weights_of(&f);
    struct packed packed = pack(&weights, f.data, NULL);
    size_t size = (size_t)weights.file_size;
    FREED uint8_t *out = malloc(size);
    struct sam_error error = {0};
    assert_non_null(out);
    for (unsigned threads = 1; threads < 4; threads += 2) {
        struct cut cut = {packed.data, packed.size, 0};
        struct sam_source source = {read_cut, &cut, packed.size};
        const struct sam_codec_options options = {.threads = threads};
        struct sam_packed *p, *memory;
        succeeds(sam_packed_open_source, source, &options, &p);
        succeeds(sam_packed_open, packed.data, packed.size, NULL, &memory);
        memset(out, 0, size);
        succeeds(sam_packed_restore, p, out);
        assert_memory_equal(out, f.data, size);
        assert_memory_equal(sam_packed_header(p), f.data, (size_t)weights.header_size);
        const struct sam_weights *listed = sam_packed_weights(p);
        for (size_t i = 0; i < listed->count; i++) {
            struct sam_packed_stat a, b;
            uint64_t half = listed->tensors[i].size / 2;
            succeeds(sam_packed_stat, p, i, &a);
            succeeds(sam_packed_stat, memory, i, &b);
            assert_memory_equal(&a, &b, sizeof a);
            succeeds(sam_packed_read, p, i, half, listed->tensors[i].size - half, out);
            assert_memory_equal(out, f.data + listed->tensors[i].offset + half,
                                (size_t)(listed->tensors[i].size - half));
        }
        cut.size = packed.size / 2;
        must_fail(SAM_ERR_IO, "cannot read", sam_packed_restore, p, out);
        sam_packed_close(p);
        sam_packed_close(memory);
        for (size_t end = 0; end < packed.size; end += 1 + packed.size / 50) {
            cut.size = end;
            assert_int_equal(sam_packed_open_source(source, &options, &p, &error), SAM_ERR_IO);
            assert_null(p);
        }
    }
    struct sam_packed *p;
    assert_int_equal(sam_packed_open_source((struct sam_source){.size = 500}, NULL, &p, &error),
                     SAM_ERR_USAGE);
    packed_free(&packed);
    free(f.data);
}

static bool swallow(void *context, const void *data, size_t size)
{
    (void)data;
    *(uint64_t *)context += size;
    return true;
}

/* A hundred thousand scalars cost only their names and entries; the packer's figures match those
 * of the file and add up. */
TEST(scalars)
{
    enum { COUNT = 100000 };
    FREED struct sam_weight *tensors = calloc(COUNT, sizeof *tensors);
    FREED float *data = calloc(COUNT, sizeof *data);
    uint64_t random = 3, written = 0, sum = 0;
    assert_true(tensors && data);
    for (unsigned i = 0; i < COUNT; i++)
        tensors[i] = (struct sam_weight){.name = "", .type = SAM_F32, .offset = 4 * i, .size = 4};
    test_weights(SAM_F32, data, COUNT * sizeof *data, 0.02, &random);
    struct sam_weights weights = {
        .file_size = COUNT * sizeof *data, .tensors = tensors, .count = COUNT};
    SCOPED(packed) packed = pack(&weights, data, NULL);
    assert_true(packed.size < weights.file_size + 8 * COUNT);
    expect_file(&packed, data, COUNT * sizeof *data, NULL);
    struct sam_packer *packer;
    struct sam_packed *p;
    struct sam_error error = {0};
    struct sam_packed_stat a, b;
    succeeds(sam_packer_open, &weights, NULL, (struct sam_sink){swallow, &written}, &packer);
    assert_int_equal(sam_packer_stat(packer, 0, &a, &error), SAM_ERR_USAGE); /* not yet */
    succeeds(sam_packer_write, packer, data, COUNT * sizeof *data);
    succeeds(sam_packer_finish, packer);
    assert_int_equal(written, packed.size);
    assert_int_equal(sam_packer_weights(packer)->count, COUNT);
    assert_int_equal(sam_packer_stat(packer, COUNT, &a, &error), SAM_ERR_USAGE);
    succeeds(sam_packed_open, packed.data, packed.size, NULL, &p);
    for (unsigned i = 0; i < COUNT; i++) {
        succeeds(sam_packer_stat, packer, i, &a);
        assert_true(a.packed <= 5);
        sum += a.packed;
        if (i % 100)
            continue;
        float one;
        succeeds(sam_packed_stat, p, i, &b);
        assert_memory_equal(&a, &b, sizeof a);
        succeeds(sam_packed_read, p, i, 0, 4, &one);
        assert_memory_equal(&one, &data[i], 4);
    }
    assert_int_equal(sum % 64, 0); /* all chunks, to the byte */
    assert_true(sum > COUNT && sum < packed.size);
    sam_packer_close(packer);
    sam_packed_close(p);
}

/* Nothing, a header alone, a gap alone. */
TEST(small_files)
{
    struct sam_weights weights = {0};
    for (unsigned size = 0; size < 200; size += 7) {
        uint8_t data[200];
        memset(data, (int)size, sizeof data);
        for (unsigned header = 0; header <= size; header += 7) {
            weights.file_size = size;
            weights.header_size = header;
            SCOPED(packed) packed = pack(&weights, data, NULL);
            assert_true(packed.size <= size + 1024);
            expect_file(&packed, data, size, NULL);
            expect_file_in_pieces(&packed, data, size, 13, NULL);
            expect_same_in_pieces(&weights, data, &packed, 13, NULL);
        }
    }
}

/* Offsets above 4 GiB: a sparse file of zeros with data at its end. */
TEST(large_offsets)
{
    const uint64_t size = (UINT64_C(4) << 30) + (1 << 20) + 6;
    uint8_t *file = mmap(NULL, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (file == MAP_FAILED) { /* not skip(), which counts as a failure */
        puts("# no address space of 4 GiB: offsets above are not tested");
        return;
    }
    struct sam_weight tensors[2] = {
        {.name = "zeros", .type = SAM_U32, .rank = 2, .shape = {1 << 15, 1 << 15}, .offset = 6},
        {.name = "end", .type = SAM_F16, .rank = 1, .shape = {1 << 19}},
    };
    tensors[0].size = UINT64_C(4) << 30;
    tensors[1].offset = tensors[0].size + 6;
    tensors[1].size = 1 << 20;
    struct sam_weights weights = {
        .file_size = size, .header_size = 6, .tensors = tensors, .count = 2};
    uint64_t random = 5;
    test_weights(SAM_F16, file + tensors[1].offset, 1 << 20, 0.02, &random);
    struct sam_packed *p;
    struct packed packed = {.data = malloc(4 << 20)};
    assert_non_null(packed.data);
    struct sam_codec_options options = {.threads = 2};
    succeeds(sam_pack, &weights, file, &options, packed.data, 4 << 20, &packed.size);
    succeeds(sam_packed_open, packed.data, packed.size, &options, &p);
    FREED uint8_t *out = test_room(1 << 20);
    succeeds(sam_packed_read, p, 1, 0, 1 << 20, out);
    assert_memory_equal(out, file + tensors[1].offset, 1 << 20);
    succeeds(sam_packed_read, p, 0, tensors[0].size - 100, 100, out);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(out[i], 0);
    sam_packed_close(p);
    packed_free(&packed);
    munmap(file, size);
}

static void expect_refused(const struct sam_weights *weights, const char *part)
{
    struct sam_error error = {0};
    assert_int_equal(sam_weights_check(weights, &error), SAM_ERR_INPUT);
    if (!strstr(error.text, part))
        fail_msg("'%s' does not say '%s'", error.text, part);
    assert_int_equal(sam_pack_bound(weights), 0);
}

TEST(bad_descriptions)
{
    struct sam_weight t[2] = {
        {.name = "a", .type = SAM_F16, .rank = 1, .shape = {4}, .offset = 8, .size = 8},
        {.name = "b", .type = SAM_F32, .rank = 1, .shape = {2}, .offset = 16, .size = 8},
    };
    struct sam_weights w = {.file_size = 24, .header_size = 8, .tensors = t, .count = 2};
    assert_int_equal(sam_weights_check(&w, NULL), SAM_OK);
    t[1].offset = 15;
    expect_refused(&w, "'b' at byte 15 overlaps data that ends at 16");
    t[1].offset = 17;
    expect_refused(&w, "'b', 8 bytes at 17, extends past the end of the file at 24");
    t[1].offset = UINT64_MAX - 3;
    expect_refused(&w, "extends past the end of the file");
    t[1].offset = 16;
    t[1].size = 4;
    expect_refused(&w, "'b' has 4 bytes, which does not match its shape and type f32");
    t[1].size = 8;
    t[1].rank = 3;
    t[1].shape[0] = t[1].shape[1] = t[1].shape[2] = UINT64_C(1) << 31;
    expect_refused(&w, "does not match its shape");
    t[1].rank = SAM_WEIGHT_RANK + 1;
    expect_refused(&w, "unsupported rank (17)");
    t[1] = (struct sam_weight){
        .name = "b", .type = SAM_I4, .rank = 1, .shape = {15}, .offset = 16, .size = 8};
    expect_refused(&w, "does not match its shape");
    w.header_size = 25;
    expect_refused(&w, "a header of 25 bytes in a file of 24");
}

TEST(no_room)
{
    uint8_t data[5000] = {1, 2, 3}, out[6000];
    struct sam_weight tensor;
    struct sam_weights weights = one_tensor(&tensor, SAM_U8, sizeof data);
    struct sam_error error = {0};
    SCOPED(packed) packed = pack(&weights, data, NULL);
    size_t size;
    for (size_t room = 0; room < packed.size; room++) {
        assert_int_equal(sam_pack(&weights, data, NULL, out, room, &size, &error), SAM_ERR_USAGE);
        assert_true(size <= room);
    }
    assert_int_equal(sam_unpack(packed.data, packed.size, NULL, out, 4999, &error), SAM_ERR_USAGE);
    struct sam_packer *packer;
    assert_int_equal(sam_packer_open(&weights, NULL, (struct sam_sink){0}, &packer, &error),
                     SAM_ERR_USAGE); /* also without an output */
    assert_null(packer);
}
