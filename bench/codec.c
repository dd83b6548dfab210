/* SPDX-License-Identifier: Apache-2.0 */
/* The weight codec against the reference pipeline (codec_reference.h), memcpy and zstd, on 64
 * MiB of normally distributed weights in 16 layers with different deviations, from a fixed seed;
 * with --real FILE:TYPE... on the weights in these files. Two programs under comparison run
 * alternately; a row compares their medians. */
#include "bench.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "codec/chunk.h"
#include "codec_reference.h"
#include "samite/file.h"
#include "tests/codec/weights.h"

enum { SIZE = 64 << 20, LAYERS = 16, MOST_TURNS = 11 };

struct set {
    const char *name;
    enum sam_dtype type;
    enum reference_kind kind;
    size_t size;
    uint8_t *elements, *back;
    struct sam_weight tensors[LAYERS];
    struct sam_weights weights;
    uint8_t *packed, *referred, *zipped;
    size_t packed_size, referred_size, zipped_size;
    struct sam_codec_options options;
    struct reference *reference;
    int zstd_level;
    int zipped_level; /* of the contents of `zipped`; 0: nothing yet */
    unsigned turns;
};

static void *room(size_t size)
{
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!memory) {
        fprintf(stderr, "bench: out of memory\n");
        exit(2);
    }
    memset(memory, 1, size);
    return memory;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

typedef bool work(struct set *set);

/* Median seconds of `ours` and `theirs` (may be NULL), run alternately. */
static bool by_turns(struct set *set, work *ours, work *theirs, double *our_time,
                     double *their_time)
{
    double a[MOST_TURNS], b[MOST_TURNS] = {0};
    bool good = ours(set) && (!theirs || theirs(set)); /* warm up */
    for (unsigned i = 0; i < set->turns && good; i++) {
        double start = bench_now();
        good = ours(set);
        a[i] = bench_now() - start;
        start = bench_now();
        good = good && (!theirs || theirs(set));
        b[i] = bench_now() - start;
    }
    qsort(a, set->turns, sizeof a[0], by_value);
    qsort(b, set->turns, sizeof b[0], by_value);
    *our_time = a[set->turns / 2];
    *their_time = b[set->turns / 2];
    return good;
}

static bool failed;

static void row(struct bench *bench, struct set *set, const char *what, work *ours, work *theirs)
{
    char name[256];
    double a = 1, b = 0;
    snprintf(name, sizeof name, "%s %s", set->name, what);
    if (!bench_wants(bench, name))
        return;
    if (!by_turns(set, ours, theirs, &a, &b)) {
        fprintf(stderr, "bench: %s failed\n", name);
        failed = true;
        return;
    }
    bench_value(bench, name, "GB/s", (double)set->size / a / 1e9,
                theirs ? (double)set->size / b / 1e9 : 0);
}

/* --- the work */
static bool pack(struct set *s)
{
    size_t bound = (size_t)sam_pack_bound(&s->weights);
    return sam_pack(&s->weights, s->elements, &s->options, s->packed, bound, &s->packed_size,
                    NULL) == SAM_OK;
}

static bool unpack(struct set *s)
{
    return sam_unpack(s->packed, s->packed_size, &s->options, s->back, s->size, NULL) == SAM_OK;
}

static bool unpack_two(struct set *s)
{
    struct sam_codec_options two = s->options;
    two.threads = 2;
    return sam_unpack(s->packed, s->packed_size, &two, s->back, s->size, NULL) == SAM_OK;
}

static bool encode_reference(struct set *s)
{
    s->referred_size = reference_encode(s->reference, s->kind, s->elements, s->size, s->referred);
    return s->referred_size != 0;
}

static bool decode_reference(struct set *s)
{
    return reference_decode(s->reference, s->kind, s->referred, s->referred_size, s->back,
                            s->size) == s->size;
}

static bool decode_plane_reference(struct set *s)
{
    return reference_decode_plane(s->reference, s->kind, s->referred, s->referred_size, s->size);
}

static bool copy(struct set *s)
{
    memcpy(s->back, s->elements, s->size);
    bench_use(s->back);
    return true;
}

static void *copy_half(void *context)
{
    struct set *s = context;
    memcpy(s->back + s->size / 2, s->elements + s->size / 2, s->size - s->size / 2);
    return NULL;
}

static bool copy_two(struct set *s)
{
    pthread_t other;
    if (pthread_create(&other, NULL, copy_half, s) != 0)
        return false;
    memcpy(s->back, s->elements, s->size / 2);
    bench_use(s->back);
    return pthread_join(other, NULL) == 0;
}

static bool zip(struct set *s)
{
    s->zipped_size =
        ZSTD_compress(s->zipped, ZSTD_compressBound(s->size), s->elements, s->size, s->zstd_level);
    s->zipped_level = s->zstd_level;
    return !ZSTD_isError(s->zipped_size);
}

static bool unzip(struct set *s)
{
    if (s->zipped_level != s->zstd_level && !zip(s)) /* encoding was filtered out */
        return false;
    return ZSTD_decompress(s->back, s->size, s->zipped, s->zipped_size) == s->size;
}

static bool unpack_with(struct set *s, enum sam_codec_level level, unsigned threads, bool trusted)
{
    const struct sam_codec_options options = {
        .size = sizeof options, .level = level, .threads = threads, .trusted = trusted};
    return sam_unpack(s->packed, s->packed_size, &options, s->back, s->size, NULL) == SAM_OK;
}

static bool unpack_trusted(struct set *s)
{
    return unpack_with(s, SAM_CODEC_BEST, 1, true);
}

static bool unpack_avx2(struct set *s)
{
    return unpack_with(s, SAM_CODEC_AVX2, 1, false);
}

static bool unpack_avx2_trusted(struct set *s)
{
    return unpack_with(s, SAM_CODEC_AVX2, 1, true);
}

static bool unpack_two_trusted(struct set *s)
{
    return unpack_with(s, SAM_CODEC_BEST, 2, true);
}

/* Only the coded plane of the packed file: tables are built, but planes are not merged. */
static bool unpack_plane(struct set *s)
{
    static uint8_t plane[SAM_CHUNK_BLOCK_SIZE + 64];
    static struct sam_huffman_table table;
    const struct sam_codec_ops *ops = sam_codec_ops(SAM_CODEC_BEST);
    enum sam_layout_id id = sam_layout_for(s->type, &s->options);
    const uint8_t *at = s->packed + SAM_ALIGN;
    uint64_t skip = sam_le64(s->packed + 24) + sam_le64(s->packed + 32);
    at += (skip + SAM_ALIGN - 1) / SAM_ALIGN * SAM_ALIGN;
    for (uint32_t t = 0; t < s->weights.count; t++) {
        uint64_t count = s->weights.tensors[t].size / sam_layout_of(id)->element;
        for (uint64_t first = 0; first < count; first += SAM_CHUNK) {
            struct sam_chunk_span span = {
                id, t, first, count - first < SAM_CHUNK ? (size_t)(count - first) : SAM_CHUNK};
            struct sam_chunk chunk;
            uint32_t size = sam_chunk_size(at, &span);
            if (sam_chunk_parse(at, size, &span, &chunk) || chunk.has_code != 1)
                return false;
            const uint8_t *last = NULL;
            for (size_t b = 0; b < sam_chunk_span_blocks(&span); b++) {
                const uint8_t *codes = chunk.block[b].codes;
                struct sam_huffman code;
                bool present;
                if (codes != last && sam_huffman_read(&codes, at + size, &code, &present))
                    sam_huffman_table_make(&code, &table);
                last = chunk.block[b].codes;
                const uint8_t *in = at + chunk.block[b].offset + 1;
                uint32_t sizes[SAM_STREAMS];
                const struct sam_warm nothing = {0};
                for (unsigned j = 0; j < SAM_STREAMS; j++, in += 4)
                    sizes[j] = sam_le32(in);
                in += sam_layout_of(id)->plane_count - 1; /* the others, which are raw */
                if (!ops->decode(&table, in, sizes, plane, sam_chunk_block_elements(&span, b),
                                 &nothing))
                    return false;
                bench_use(plane);
            }
            at += size;
        }
    }
    return true;
}

/* Whether any row of this set is selected: generating a set takes seconds. */
static bool wants(const struct bench *bench, const char *set)
{
    static const char *const rows[] = {
        "size",
        "size, --dense",
        "size, --planes=bit",
        "size of the reference",
        "encode / reference",
        "decode / reference",
        "exponent plane / huff0",
        "decode / memcpy",
        "decode, 2 threads / 1",
        "decode, 2 threads / memcpy, 2",
        "encode / zstd -1",
        "decode / zstd -1",
        "encode / zstd -3",
        "decode / zstd -3",
        "window size",
        "window encode / memcpy",
        "window decode / memcpy",
        "window decode, trusted / memcpy",
        "window decode, avx2 / memcpy",
        "window decode, avx2, trusted / memcpy",
        "window decode, 2 threads / memcpy, 2",
        "window decode, 2 threads, trusted / memcpy, 2",
        "window range of 4096 weights",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s %s", set, rows[i]);
        if (bench_wants(bench, name))
            return true;
    }
    return false;
}

/* --- the sets */
static void finish_set(struct set *s)
{
    s->weights = (struct sam_weights){
        .file_size = s->size, .tensors = s->tensors, .count = s->weights.count};
    s->back = room(s->size);
    s->packed = room((size_t)sam_pack_bound(&s->weights));
    s->referred = room(reference_bound(s->size));
    s->zipped = room(ZSTD_compressBound(s->size));
    s->reference = reference_open();
    if (!s->reference)
        exit(2);
}

static void make_set(struct set *s)
{
    uint64_t random = 20260101;
    s->size = SIZE;
    s->elements = room(SIZE);
    for (unsigned i = 0; i < LAYERS; i++) {
        size_t layer = SIZE / LAYERS;
        double sigma = 0.01 * exp2(2 * test_uniform(&random)); /* log-uniform, 0.01 to 0.04 */
        test_weights(s->type, s->elements + i * layer, layer, sigma, &random);
        s->tensors[i] = (struct sam_weight){
            .name = "layer", .type = s->type, .rank = 1, .offset = i * layer, .size = layer};
        s->tensors[i].shape[0] = layer * 8 / sam_dtype_bits(s->type);
    }
    s->weights.count = LAYERS;
    finish_set(s);
}

static bool load_set(struct set *s, const char *path)
{
    char *data;
    size_t size;
    if (sam_file_load(path, UINT64_C(1) << 34, &data, &size, NULL) != SAM_OK)
        return false;
    size_t width = sam_dtype_bits(s->type) / 8;
    s->size = size / width * width;
    s->elements = room(s->size);
    memcpy(s->elements, data, s->size);
    free(data);
    s->tensors[0] = (struct sam_weight){
        .name = "file", .type = s->type, .rank = 1, .size = s->size, .shape = {s->size / width}};
    s->weights.count = 1;
    finish_set(s);
    return true;
}

static void free_set(struct set *s)
{
    free(s->elements);
    free(s->back);
    free(s->packed);
    free(s->referred);
    free(s->zipped);
    reference_close(s->reference);
}

static void value(struct bench *bench, const struct set *s, const char *what, double bits,
                  double bound)
{
    char name[128];
    snprintf(name, sizeof name, "%s %s", s->name, what);
    bench_value(bench, name, "bits a weight", bits, bound);
}

/* Bits per weight of each option; the reference is the bound on the planes. */
static void sizes(struct bench *bench, struct set *s)
{
    double elements = (double)s->size * 8 / (double)sam_dtype_bits(s->type);
    struct sam_weight_stat stat;
    double entropy = 0;
    for (size_t i = 0; i < s->weights.count; i++) {
        const struct sam_weight *w = &s->tensors[i];
        if (sam_weight_stat(s->type, s->elements + w->offset, w->size, NULL, &stat, NULL) != SAM_OK)
            failed = true;
        entropy += stat.bound * (double)w->size / (double)s->size;
    }
    static const struct {
        const char *name;
        struct sam_codec_options options;
    } ways[] = {{"size, --dense", {.dense = true}},
                {"size, --planes=bit", {.bit_planes = true}},
                {"size", {0}}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s %s", s->name, ways[i].name);
        s->options = ways[i].options; /* the last option is the one measured for speed */
        if (ways[i].name[4] && !bench_wants(bench, name))
            continue;
        if (!pack(s)) {
            failed = true;
            return;
        }
        value(bench, s, ways[i].name, (double)s->packed_size * 8 / elements, entropy);
    }
    if (!encode_reference(s))
        failed = true;
    value(bench, s, "size of the reference", (double)s->referred_size * 8 / elements, entropy);
}

static bool read_file(void *context, uint64_t offset, void *data, size_t size)
{
    return pread(fileno(context), data, size, (off_t)offset) == (ssize_t)size;
}

/* Median microseconds to read 4096 weights at random places of a packed file in the page cache. */
static void ranges(struct bench *bench, struct set *s)
{
    enum { COUNT = 4096, READS = 301, MOST_BYTES = COUNT * 4 };
    char name[128];
    double times[READS];
    uint8_t out[MOST_BYTES];
    uint64_t random = 1, first_byte = 0;
    const size_t size = COUNT * sam_dtype_bits(s->type) / 8;
    struct sam_packed *packed = NULL;
    FILE *file = tmpfile();
    snprintf(name, sizeof name, "%s window range of 4096 weights", s->name);
    if (!bench_wants(bench, name) || s->tensors[0].size < size || !file)
        return;
    const struct sam_source source = {read_file, file, s->packed_size};
    bool good = fwrite(s->packed, 1, s->packed_size, file) == s->packed_size && !fflush(file) &&
                sam_packed_open_source(source, NULL, &packed, NULL) == SAM_OK;
    for (unsigned i = 0; good && i < READS; i++) {
        first_byte = test_below(&random, (s->tensors[0].size - size) / 4) * 4;
        const double start = bench_now();
        good = sam_packed_read(packed, 0, first_byte, size, out, NULL) == SAM_OK;
        times[i] = 1e6 * (bench_now() - start);
        good = good && memcmp(out, s->elements + s->tensors[0].offset + first_byte, size) == 0;
    }
    qsort(times, READS, sizeof times[0], by_value);
    if (good)
        bench_value(bench, name, "us", times[READS / 2], 0);
    failed |= !good;
    sam_packed_close(packed);
    fclose(file);
}

static void windows(struct bench *bench, struct set *s)
{
    const double elements = (double)s->size * 8 / (double)sam_dtype_bits(s->type);
    s->options = (struct sam_codec_options){.size = sizeof s->options, .window = true};
    if (!pack(s)) {
        failed = true;
        return;
    }
    value(bench, s, "window size", (double)s->packed_size * 8 / elements,
          (double)sam_dtype_bits(s->type));
    row(bench, s, "window encode / memcpy", pack, copy);
    row(bench, s, "window decode / memcpy", unpack, copy);
    row(bench, s, "window decode, trusted / memcpy", unpack_trusted, copy);
    row(bench, s, "window decode, avx2 / memcpy", unpack_avx2, copy);
    row(bench, s, "window decode, avx2, trusted / memcpy", unpack_avx2_trusted, copy);
    row(bench, s, "window decode, 2 threads / memcpy, 2", unpack_two, copy_two);
    row(bench, s, "window decode, 2 threads, trusted / memcpy, 2", unpack_two_trusted, copy_two);
    ranges(bench, s);
}

static void measure(struct bench *bench, struct set *s)
{
    s->options = (struct sam_codec_options){0};
    sizes(bench, s);
    row(bench, s, "encode / reference", pack, encode_reference);
    row(bench, s, "decode / reference", unpack, decode_reference);
    if (s->kind == REFERENCE_BF16)
        row(bench, s, "exponent plane / huff0", unpack_plane, decode_plane_reference);
    row(bench, s, "decode / memcpy", unpack, copy);
    row(bench, s, "decode, 2 threads / 1", unpack_two, unpack);
    row(bench, s, "decode, 2 threads / memcpy, 2", unpack_two, copy_two);
    for (s->zstd_level = 1; s->zstd_level <= 3 && s->kind == REFERENCE_BF16; s->zstd_level += 2) {
        char name[128];
        snprintf(name, sizeof name, "encode / zstd -%d", s->zstd_level);
        row(bench, s, name, pack, zip);
        snprintf(name, sizeof name, "decode / zstd -%d", s->zstd_level);
        row(bench, s, name, unpack, unzip);
    }
    windows(bench, s);
}

/* Incompressible input: a copy with checksums. */
static void incompressible(struct bench *bench, unsigned turns)
{
    struct set s = {
        .name = "random bytes", .type = SAM_U8, .kind = REFERENCE_BYTES, .turns = turns};
    if (!bench_wants(bench, "random bytes decode / memcpy"))
        return;
    make_set(&s);
    if (!pack(&s))
        failed = true;
    row(bench, &s, "decode / memcpy", unpack, copy);
    free_set(&s);
}

static int real(struct bench *bench, int count, char **words, unsigned turns)
{
    for (int i = 0; i < count; i++) {
        char *colon = strrchr(words[i], ':');
        struct set s = {.name = words[i], .turns = turns};
        if (!colon || !sam_dtype_parse(colon + 1, &s.type)) {
            fprintf(stderr, "bench: '%s' is not FILE:TYPE\n", words[i]);
            return 2;
        }
        *colon = '\0';
        s.kind = s.type == SAM_BF16  ? REFERENCE_BF16
                 : s.type == SAM_F16 ? REFERENCE_F16_HIGH
                                     : REFERENCE_BYTES;
        if (!load_set(&s, words[i])) {
            fprintf(stderr, "bench: cannot read %s\n", words[i]);
            return 2;
        }
        const char *slash = strrchr(words[i], '/');
        s.name = slash ? slash + 1 : words[i];
        measure(bench, &s);
        free_set(&s);
    }
    return 0;
}

int main(int argc, char **argv)
{
    unsigned turns = MOST_TURNS;
    int ours = argc, code = 0;
    bool list = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--real") == 0 && ours == argc)
            ours = i;
        turns = strcmp(argv[i], "--quick") == 0 ? 1 : turns;
        list |= strcmp(argv[i], "--list") == 0;
    }
    struct bench *bench = bench_open(ours, argv, "Weight codec");
    static const struct {
        const char *name;
        enum sam_dtype type;
        enum reference_kind kind;
    } sets[] = {
        {"bf16", SAM_BF16, REFERENCE_BF16},  {"fp16", SAM_F16, REFERENCE_F16_HIGH},
        {"e4m3", SAM_E4M3, REFERENCE_BYTES}, {"e5m2", SAM_E5M2, REFERENCE_BYTES},
        {"e2m1", SAM_E2M1, REFERENCE_BYTES},
    };
    for (size_t i = 0; i < sizeof sets / sizeof sets[0] && ours == argc; i++) {
        struct set s = {.name = sets[i].name,
                        .type = sets[i].type,
                        .kind = sets[i].kind,
                        .turns = list ? 0 : turns};
        if (list) {
            bench_value(bench, s.name, "", 0, 0);
            continue;
        }
        if (!wants(bench, s.name))
            continue;
        make_set(&s);
        measure(bench, &s);
        free_set(&s);
    }
    if (ours == argc && !list)
        incompressible(bench, turns);
    if (ours < argc)
        code = real(bench, argc - ours - 1, argv + ours + 1, turns);
    int closed = bench_close(bench);
    return code ? code : failed ? 1 : closed;
}
