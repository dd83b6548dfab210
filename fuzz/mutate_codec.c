/* SPDX-License-Identifier: Apache-2.0 */
/* mutate_codec [--rounds N] [--seed N] [--window 1]: damaged packed files, N of them (100000), with
 * the outcome of each, as TAP; with --window all files are packed as windows. A file is damaged by
 * bit flips, cuts, splices, swapped blocks and wrong sizes; every eighth gets valid checksums
 * again, so that the code after the check runs. Each lies against a page that cannot be read, is
 * unpacked at once, piecewise and one tensor at a time, with an allocator that counts. Wrong is: a
 * crash, ten seconds, more memory than twice the file's size, and other bytes than were packed
 * given out as right. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/base.h"
#include "fuzz.h"
#include "samite/codec.h"
#include "tests/codec/weights.h"

enum { SAMPLES = 6, TENSORS = 4, HEADER = 97, ROOM = 1 << 22, SECONDS = 10 };

enum damage { FLIP, CUT, SPLICE, SWAP, LIE, KINDS };
static const char *const damage_name[KINDS] = {"bit flips", "truncations", "splices",
                                               "swapped pieces", "lying sizes"};

struct sample {
    uint8_t *file;
    size_t file_size;
    uint8_t *packed;
    size_t packed_size;
};

/* Outcomes by kind of damage. */
struct tally {
    unsigned long refused, harmless, forged_refused, forged_same, forged_other;
};

/* --- an allocator that knows what is out */
struct meter {
    size_t now, most;
};

static void *meter_allocate(void *context, size_t size)
{
    struct meter *m = context;
    uint8_t *memory = aligned_alloc(64, size + 64);
    if (!memory)
        return NULL;
    memcpy(memory, &size, sizeof size);
    m->now += size;
    m->most = m->now > m->most ? m->now : m->most;
    return memory + 64;
}

static void meter_release(void *context, void *memory)
{
    struct meter *m = context;
    size_t size;
    memcpy(&size, (uint8_t *)memory - 64, sizeof size);
    m->now -= size;
    free((uint8_t *)memory - 64);
}

/* --- samples */
static void make_sample(struct sample *s, unsigned number, bool window, uint64_t *random)
{
    static const enum sam_dtype types[SAMPLES][TENSORS] = {
        {SAM_BF16, SAM_F32, SAM_U8, SAM_BF16},    {SAM_F16, SAM_E4M3, SAM_E5M2, SAM_I4},
        {SAM_BF16, SAM_BF16, SAM_BF16, SAM_BF16}, {SAM_F16, SAM_E4M3, SAM_E5M2, SAM_BF16},
        {SAM_OPAQUE, SAM_F32, SAM_F16, SAM_E8M0}, {SAM_BF16, SAM_F16, SAM_E5M2, SAM_F32},
    };
    struct sam_weight tensors[TENSORS];
    static const char *const names[TENSORS] = {"alpha", "beta", "gamma.weight", "delta"};
    struct sam_weights weights = {.kind = SAM_WEIGHTS_SAFETENSORS,
                                  .header_size = HEADER,
                                  .tensors = tensors,
                                  .count = TENSORS};
    uint64_t at = HEADER;
    for (unsigned i = 0; i < TENSORS; i++) {
        uint64_t size =
            4 * (20000 + test_below(random, 20000) + (i == 2 ? 70000 : 0) +
                 (number == 5 || window ? 30000 : 0)); /* for the tables of a forged layout */
        tensors[i] = (struct sam_weight){.name = names[i],
                                         .type = types[number][i],
                                         .rank = 1,
                                         .offset = at + (i == 1 ? 5 : 0),
                                         .size = size};
        tensors[i].shape[0] = size * 8 / sam_dtype_bits(types[number][i]);
        at = tensors[i].offset + size;
    }
    weights.file_size = s->file_size = (size_t)at;
    s->file = calloc(1, s->file_size);
    FUZZ_CHECK(s->file);
    memcpy(s->file, "alpha gamma.weight delta", 24);
    for (unsigned i = 0; i < TENSORS; i++)
        test_weights(tensors[i].type, s->file + tensors[i].offset, (size_t)tensors[i].size, 0.02,
                     random);
    const struct sam_codec_options options = {.size = sizeof options,
                                              .bit_planes = number == 2 && !window,
                                              .dense = number == 3 && !window,
                                              .window = number == 5 || window};
    s->packed = malloc((size_t)sam_pack_bound(&weights));
    FUZZ_CHECK(s->packed &&
               sam_pack(&weights, s->file, &options, s->packed, (size_t)sam_pack_bound(&weights),
                        &s->packed_size, NULL) == SAM_OK);
    FUZZ_CHECK(s->packed_size < ROOM / 2);
}

/* --- damage */
static size_t near_edge(uint64_t *random, size_t size)
{
    /* Headers and the index are at the two ends: half of the damage goes there. */
    switch (test_below(random, 4)) {
    case 0: return test_below(random, size < 512 ? size : 512);
    case 1: return size - 1 - test_below(random, size < 256 ? size : 256);
    default: return test_below(random, size);
    }
}

static size_t do_damage(enum damage kind, uint8_t *data, size_t size, const struct sample *other,
                        uint64_t *random)
{
    size_t at = near_edge(random, size), from = test_below(random, size);
    size_t length = 1 + test_below(random, test_below(random, 2) ? 64 : size / 4);
    switch (kind) {
    case FLIP:
        for (uint64_t n = 1 + test_below(random, 3); n--; at = near_edge(random, size))
            data[at] ^= (uint8_t)(1u << test_below(random, 8));
        return size;
    case CUT:
        return test_below(random, 3) ? test_below(random, size)
                                     : size - 1 - test_below(random, size < 200 ? size : 200);
    case SPLICE: /* a piece of another file, or of this one */
        if (test_below(random, 2)) {
            from = test_below(random, other->packed_size);
            length = length < other->packed_size - from ? length : other->packed_size - from;
            length = length < size - at ? length : size - at;
            memcpy(data + at, other->packed + from, length);
        } else {
            length = length < size - at ? length : size - at;
            length = length < size - from ? length : size - from;
            memmove(data + at, data + from, length);
        }
        return size;
    case SWAP: { /* two pieces at multiples of 64, where chunks lie */
        size_t a = test_below(random, size / 64) * 64, b = test_below(random, size / 64) * 64;
        for (size_t i = 0; i < length && a + i < size && b + i < size; i++) {
            uint8_t byte = data[a + i];
            data[a + i] = data[b + i];
            data[b + i] = byte;
        }
        return size;
    }
    default: { /* a number that could be a size */
        static const uint64_t edges[] = {
            0,       1,       63,         64,         65,        255,           65535,
            1 << 17, 1 << 20, UINT32_MAX, UINT64_MAX, INT64_MAX, UINT64_MAX / 2};
        uint64_t value = test_below(random, 2) ? edges[test_below(random, SAM_COUNT(edges))]
                                               : test_random(random) >> test_below(random, 64);
        size_t width = (size_t)1 << test_below(random, 4);
        at -= at % width;
        for (size_t i = 0; i < width && at + i < size; i++, value >>= 8)
            data[at + i] = (uint8_t)value;
        return size;
    }
    }
}

static void put_hash(uint8_t *to, const uint8_t *data, size_t size, uint64_t seed)
{
    sam_put_le64(to, XXH3_64bits_withSeed(data, size, seed));
}

/* Recompute the checksums of a block of `size` bytes at `block` if it looks like windows, and of
 * its table in the entry of the chunk. `first`: the number of the piece and of the block's group.
 */
static void forge_windows(uint8_t *entry, uint8_t *block, size_t size, uint64_t seed,
                          uint64_t first)
{
    size_t groups = 0, sum = 2;
    while (sum < size && groups < 128 && 4 + 2 * groups <= size) { /* until the sizes add up */
        sum += 2u + sam_le16(block + 2 + 2 * groups++);
    }
    if (sum != size)
        return;
    size_t at = 2 + 2 * groups;
    for (size_t g = 0; g < groups; g++) {
        const size_t group = sam_le16(block + 2 + 2 * g);
        if (group >= 8)
            sam_put_le64(block + at,
                         XXH3_64bits_withSeed(block + at + 8, group - 8, 0) ^ (first + g));
        at += group;
    }
    put_hash(entry + 4, block, 2 + 2 * groups, seed);
}

/* Recompute the checksums of headers, list and index as far as the sizes allow;
 * docs/format-codec.md tells where they are. */
static void forge(uint8_t *data, size_t size)
{
    if (size < 192)
        return;
    uint64_t list = sam_le64(data + 24) + sam_le64(data + 32);
    if (list <= size - 128)
        put_hash(data + 48, data + 64, (size_t)list, 0);
    put_hash(data + 56, data, 56, 0);
    uint8_t *trailer = data + size - 64;
    uint64_t index = sam_le64(trailer), count = sam_le64(trailer + 8);
    uint64_t bytes = (count * 4 + 63) / 64 * 64;
    if (count < size / 4 && index <= size - 64 && bytes <= size - 64 - index)
        put_hash(trailer + 16, data + index, (size_t)bytes, 0);
    put_hash(trailer + 40, trailer, 40, 0);
    /* Chunks: without the list of pieces their seeds are unknown; try the first few tensors. */
    uint64_t at = list <= size ? 64 + (list + 63) / 64 * 64 : size;
    for (uint64_t tensor = 0; tensor < 8 && at + 64 <= size - 64; tensor++) {
        size_t header = sam_le16(data + at + 12);
        uint64_t chunk = sam_le32(data + at + 8);
        if (header < 16 || header > size - at || !chunk)
            break;
        uint64_t block = at + header;
        for (unsigned b = 0; b < data[at + 14] && 28 + 12u * b <= header; b++) {
            uint8_t *entry = data + at + 16 + 12 * b;
            const uint32_t word = sam_le32(entry), length = word & 0x3fffffff;
            if (length > size - block)
                break;
            if (word >> 30 == 2)
                forge_windows(entry, data + block, length, tensor << 32 | b,
                              tensor << 32 | 128 * b);
            block += length;
        }
        put_hash(data + at, data + at + 8, header - 8, tensor << 32);
        at += chunk;
    }
}

/* --- unpacking it */
struct comparison {
    const struct sample *sample;
    size_t at;
    bool same;
};

static bool compare(void *context, const void *data, size_t size)
{
    struct comparison *c = context;
    c->same = c->same && size <= c->sample->file_size - c->at &&
              memcmp(c->sample->file + c->at, data, size) == 0;
    c->at += c->same ? size : 0;
    return true;
}

static enum sam_status at_once(const struct sample *s, const uint8_t *data, size_t size,
                               const struct sam_codec_options *options, bool *same)
{
    uint64_t file_size;
    *same = false;
    if (sam_unpack_size(data, size, &file_size, NULL) != SAM_OK)
        return SAM_ERR_INPUT;
    if (file_size > 2 * s->file_size) /* no caller would allocate this much for the file */
        return SAM_ERR_INPUT;
    uint8_t *out = malloc((size_t)file_size + 1);
    FUZZ_CHECK(out);
    enum sam_status status = sam_unpack(data, size, options, out, (size_t)file_size, NULL);
    *same =
        status == SAM_OK && file_size == s->file_size && memcmp(out, s->file, s->file_size) == 0;
    free(out);
    return status;
}

static enum sam_status piecewise(const struct sample *s, const uint8_t *data, size_t size,
                                 const struct sam_codec_options *options, bool *same)
{
    struct comparison c = {.sample = s, .same = true};
    struct sam_unpacker *unpacker;
    FUZZ_CHECK(sam_unpacker_open(options, (struct sam_sink){compare, &c}, &unpacker, NULL) ==
               SAM_OK);
    enum sam_status status = SAM_OK;
    for (size_t at = 0; at < size && status == SAM_OK; at += 50000)
        status =
            sam_unpacker_write(unpacker, data + at, size - at < 50000 ? size - at : 50000, NULL);
    if (status == SAM_OK)
        status = sam_unpacker_finish(unpacker, NULL);
    sam_unpacker_close(unpacker);
    *same = c.same && (status != SAM_OK || c.at == s->file_size);
    return status;
}

/* Tensors of a file that opens: a read without an error must be right, unless checksums are
 * forged. */
static bool tensors(const struct sample *s, const uint8_t *data, size_t size,
                    const struct sam_codec_options *options)
{
    struct sam_packed *packed;
    bool same = true;
    if (sam_packed_open(data, size, options, &packed, NULL) != SAM_OK)
        return true;
    const struct sam_weights *weights = sam_packed_weights(packed);
    for (size_t i = 0; i < weights->count && i < 8; i++) {
        const struct sam_weight *w = &weights->tensors[i];
        uint64_t first = w->size / 3, count = w->size - first < 3000 ? w->size - first : 3000;
        uint8_t out[3000];
        if (sam_packed_read(packed, i, first, count, out, NULL) == SAM_OK)
            same = same && w->offset + first + count <= s->file_size &&
                   memcmp(out, s->file + w->offset + first, (size_t)count) == 0;
    }
    sam_packed_close(packed);
    return same;
}

/* Seconds of processor time, as the machine may be busy; then the program is killed. */
static void limit_time(time_t seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    FUZZ_CHECK(setitimer(ITIMER_PROF, &timer, NULL) == 0);
}

static void judge(const struct sample *s, const uint8_t *data, size_t size, bool forged,
                  struct tally *tally)
{
    struct meter meter = {0};
    const struct sam_allocator allocator = {meter_allocate, meter_release, &meter};
    const struct sam_codec_options options = {.allocator = &allocator};
    bool same[2];
    limit_time(SECONDS);
    enum sam_status status[2] = {at_once(s, data, size, &options, &same[0]),
                                 piecewise(s, data, size, &options, &same[1])};
    bool tensors_same = tensors(s, data, size, &options);
    limit_time(0);
    FUZZ_CHECK(meter.now == 0 && meter.most <= 2 * s->file_size);
    FUZZ_CHECK((status[0] == SAM_OK) == (status[1] == SAM_OK));
    if (forged) {
        tally->forged_refused += status[0] != SAM_OK;
        tally->forged_same += status[0] == SAM_OK && same[0];
        tally->forged_other += status[0] == SAM_OK && !same[0];
        return;
    }
    /* Pieces that the piecewise reader returned before it failed must be right. */
    FUZZ_CHECK(same[1] && tensors_same && (status[0] != SAM_OK || same[0]));
    tally->refused += status[0] != SAM_OK;
    tally->harmless += status[0] == SAM_OK;
}

/* `size` bytes directly before an unreadable page. */
static uint8_t *guarded(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *memory =
        mmap(NULL, ROOM + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    FUZZ_CHECK(memory != MAP_FAILED && mprotect(memory + ROOM, page, PROT_NONE) == 0);
    return memory + ROOM;
}

int main(int argc, char **argv)
{
    struct sample samples[SAMPLES];
    struct tally tally[KINDS] = {0};
    unsigned long rounds = 100000;
    uint64_t seed = 1;
    bool window = false;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--rounds") == 0)
            rounds = strtoul(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--window") == 0)
            window = strtoul(argv[i + 1], NULL, 0) != 0;
    }
    printf("1..%d\n# --rounds %lu --seed %" PRIu64 " --window %d\n", KINDS, rounds, seed, window);
    for (unsigned i = 0; i < SAMPLES; i++)
        make_sample(&samples[i], i, window, &seed);
    uint8_t *end = guarded(), *work = malloc(ROOM);
    FUZZ_CHECK(work);
    for (unsigned long round = 0; round < rounds; round++) {
        const struct sample *s = &samples[test_below(&seed, SAMPLES)];
        enum damage kind = (enum damage)(round % KINDS);
        bool forged = round / KINDS % 8 == 7;
        memcpy(work, s->packed, s->packed_size);
        size_t size =
            do_damage(kind, work, s->packed_size, &samples[test_below(&seed, SAMPLES)], &seed);
        if (forged)
            forge(work, size);
        memcpy(end - size, work, size);
        judge(s, end - size, size, forged, &tally[kind]);
    }
    for (unsigned k = 0; k < KINDS; k++)
        printf("ok %u - %s: %lu refused, %lu without effect; checksums made right: %lu refused, "
               "%lu without effect, %lu a different file\n",
               k + 1, damage_name[k], tally[k].refused, tally[k].harmless, tally[k].forged_refused,
               tally[k].forged_same, tally[k].forged_other);
    for (unsigned i = 0; i < SAMPLES; i++) {
        free(samples[i].file);
        free(samples[i].packed);
    }
    free(work);
    return 0;
}
