/* SPDX-License-Identifier: Apache-2.0 */
/* The weights directory, from which a program finds and decodes every tensor of a packed file. */

#include "test.h"

#include "codec/chunks_in_memory.h"
#include "codec/weights.h"
#include "system/weight_unit.h"

enum { TENSORS = 9, HEADER = 100, GAP = 700 };

/* A file with a header, tensors large and small, an empty one and gaps, packed. */
struct model {
    struct sam_weight tensors[TENSORS];
    struct packed file, packed;
};

static struct model make_model(const struct sam_codec_options *options, uint64_t *random)
{
    static const struct {
        const char *name;
        enum sam_dtype type;
        uint64_t rows, columns;
    } shapes[TENSORS] = {
        {"embedding", SAM_BF16, 1100, 1000}, /* two chunks */
        {"norm.bias", SAM_BF16, 1, 5},       /* three that are coded together */
        {"flags", SAM_U8, 1, 3},
        {"scale", SAM_F16, 1, 64},
        {"none", SAM_F32, 0, 7},
        {"down", SAM_E4M3, 300, 200},
        {"up", SAM_E2M1, 64, 1000},
        {"blob", SAM_OPAQUE, 1, 5000}, /* with a name: not a gap */
        {"", SAM_I8, 2, 600},          /* unnamed but typed: neither */
    };
    struct model m = {0};
    uint64_t at = HEADER;
    for (size_t i = 0; i < TENSORS; i++) {
        uint64_t count = shapes[i].rows * shapes[i].columns;
        m.tensors[i] = (struct sam_weight){.name = shapes[i].name,
                                           .type = shapes[i].type,
                                           .rank = 2,
                                           .shape = {shapes[i].rows, shapes[i].columns},
                                           .offset = at,
                                           .size = count * sam_dtype_bits(shapes[i].type) / 8};
        at += m.tensors[i].size + (i == 5 ? GAP : 0);
    }
    m.file = (struct packed){calloc(1, (size_t)at), (size_t)at};
    assert_non_null(m.file.data);
    for (size_t i = 0; i < TENSORS; i++)
        test_weights(m.tensors[i].type, m.file.data + m.tensors[i].offset,
                     (size_t)m.tensors[i].size, 0.02, random);
    const struct sam_weights weights = {
        .file_size = at, .header_size = HEADER, .tensors = m.tensors, .count = TENSORS};
    m.packed = pack(&weights, m.file.data, options);
    return m;
}

static void free_model(struct model *m)
{
    free(m->file.data);
    free(m->packed.data);
}

static uint64_t pair(const uint32_t words[2])
{
    return (uint64_t)words[1] << 32 | words[0];
}

/* Entry `i` of the directory, as read by a program. */
static struct sam_weight_entry entry_at(struct unit *unit, uint32_t directory, size_t i)
{
    struct sam_weight_entry entry;
    uint8_t bytes[sizeof entry];
    unit_read(unit, directory + 4 + i * sizeof entry, bytes, sizeof bytes);
    for (size_t at = 0; at < sizeof entry; at += 4) {
        uint32_t word = sam_le32(bytes + at);
        memcpy((uint8_t *)&entry + at, &word, sizeof word);
    }
    return entry;
}

static void expect_entry(struct unit *unit, const struct sam_weight_entry *e,
                         const struct sam_weight *w)
{
    char name[64];
    size_t length = strlen(w->name) + 1;
    unit_read(unit, e->name, name, length);
    assert_memory_equal(name, w->name, length);
    assert_int_equal(e->type, w->type);
    assert_int_equal(e->bits, sam_dtype_bits(w->type));
    assert_int_equal(e->rank, w->rank);
    for (size_t d = 0; d < SAM_WEIGHT_RANK; d++)
        assert_int_equal(pair(&e->shape[2 * d]), d < w->rank ? w->shape[d] : 0);
    assert_int_equal(pair(e->elements), w->shape[0] * w->shape[1]);
    assert_int_equal(!e->chunks, !w->size);
    assert_int_equal(!pair(e->bytes), !w->size);
}

/* A record as made by samite/device/weights.h, over elements [first, first + count). */
static void expect_tensor(struct unit *unit, const struct sam_weight_entry *e,
                          const uint8_t *elements, uint64_t first, uint64_t count)
{
    bool shared = e->layout == SAM_WEIGHT_LAYOUT_SHARED;
    uint64_t at = pair(e->first) + (shared ? first * e->bits / 8 : first);
    size_t size = (size_t)count * e->bits / 8;
    struct sam_weight_record r = {.packed_type = e->type,
                                  .output_type = e->type,
                                  .source = e->chunks,
                                  .source_bytes = e->bytes[0],
                                  .destination = DESTINATION,
                                  .destination_bytes = (uint32_t)size,
                                  .first_low = (uint32_t)at,
                                  .elements_low = (uint32_t)count,
                                  .result = RESULT_AT,
                                  .piece = e->piece,
                                  .layout = e->layout,
                                  .total_low = e->total[0],
                                  .total_high = e->total[1]};
    struct sam_weight_result result = unit_run(unit, &r);
    if (result.status != SAM_WEIGHT_IS_GOOD)
        fail_msg("%s", unit->work.fault);
    assert_int_equal(result.elements, count);
    FREED uint8_t *have = test_room(size + 1);
    unit_read(unit, DESTINATION, have, size);
    assert_true(!size || memcmp(have, elements + first * e->bits / 8, size) == 0);
}

TEST(every_tensor)
{
    uint64_t random = test_seed();
    for (size_t l = 0; l < SAM_COUNT(layouts); l++) {
        struct model m = make_model(&layouts[l], &random);
        SCOPED(unit) unit = unit_new("", 1, m.file.size);
        uint32_t directory, base = l ? 0xb0000040 : 0;
        uint8_t count[4], *file = test_room(m.packed.size);
        succeeds(sam_system_weights_map, unit.memory, m.packed.data, m.packed.size, base,
                 &directory);
        base = base ? base : SOURCE + 2 * SAM_PAGE_SIZE; /* the first page belongs to the source */
        unit_read(&unit, base, file, m.packed.size);
        assert_memory_equal(file, m.packed.data, m.packed.size);
        unit_read(&unit, directory, count, sizeof count);
        assert_int_equal(sam_le32(count), TENSORS);
        for (size_t i = 0; i < TENSORS; i++) {
            const struct sam_weight_entry e = entry_at(&unit, directory, i);
            const struct sam_weight *w = &m.tensors[i];
            uint64_t all = pair(e.elements), first = all / 3 & ~UINT64_C(1);
            expect_entry(&unit, &e, w);
            expect_tensor(&unit, &e, m.file.data + w->offset, 0, all);
            expect_tensor(&unit, &e, m.file.data + w->offset, first,
                          (all - first) / 2 & ~UINT64_C(1));
        }
        free(file);
        free_model(&m);
    }
}

/* Rejected, with nothing mapped. */
static void expect_refused(const void *data, size_t size, uint64_t address, enum sam_status status,
                           const char *text)
{
    SCOPED(unit) unit = unit_new("", 1, 1);
    struct sam_error error = {0};
    uint32_t directory = 1;
    assert_int_equal(sam_system_weights_map(unit.memory, data, size, address, &directory, &error),
                     status);
    if (!strstr(error.text, text))
        fail_msg("no '%s' in: %s", text, error.text);
    assert_int_equal(directory, 0);
    const struct sam_region *next = sam_memory_next(unit.memory, SOURCE + 1);
    assert_int_equal(next->base, DESTINATION);
    assert_null(sam_memory_next(unit.memory, DESTINATION + 1));
}

TEST(files_that_are_none)
{
    uint64_t random = test_seed();
    struct model m = make_model(NULL, &random);
    uint8_t *data = m.packed.data;
    expect_refused("", 0, 0, SAM_ERR_INPUT, "not a packed file");
    expect_refused(m.file.data, m.file.size, 0, SAM_ERR_INPUT, "not a packed file");
    expect_refused(data, m.packed.size - 1, 0, SAM_ERR_INPUT, "no index at the end");
    expect_refused(data, 200, 0, SAM_ERR_INPUT, "truncated");
    data[20] ^= 1;
    expect_refused(data, m.packed.size, 0, SAM_ERR_INPUT, "checksum mismatch");
    data[20] ^= 1;
    data[m.packed.size - 80] ^= 1;
    expect_refused(data, m.packed.size, 0, SAM_ERR_INPUT, "damaged");
    free_model(&m);
}

TEST(places_that_are_none)
{
    uint64_t random = test_seed();
    struct model m = make_model(NULL, &random);
    static const struct {
        uint64_t address;
        const char *text;
    } cases[] = {
        {0x02000000, "expected a multiple of 64 from 0x90000000"},
        {0x10000000, "expected a multiple of 64"},
        {0x70000000, "expected a multiple of 64"},
        {0x80000000, "expected a multiple of 64"},
        {0xb0000020, "expected a multiple of 64"},
        {0xffffffc0, "expected a multiple of 64"},
        {UINT64_C(0x190000000), "expected a multiple of 64"},
        {DESTINATION, "overlap the buffer 0xa0000000..+0x1"},
        {DESTINATION - 64, "overlap the buffer 0xa0000000..+0x1"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++)
        expect_refused(m.packed.data, m.packed.size, cases[i].address, SAM_ERR_USAGE,
                       cases[i].text);
    free_model(&m);
}

/* The file fits but its directory does not: neither is mapped. */
TEST(no_room_for_the_directory)
{
    uint64_t random = test_seed();
    struct model m = make_model(NULL, &random);
    const struct sam_memory_rules rules = {.bits = 32};
    struct sam_memory *memory = sam_memory_new(&rules);
    uint32_t directory;
    uint64_t room = (m.packed.size + 3 * SAM_PAGE_SIZE) / SAM_PAGE_SIZE * SAM_PAGE_SIZE;
    assert_non_null(memory);
    succeeds(sam_host_map, memory, SAM_SYSTEM_BUFFERS, SAM_SYSTEM_BUFFERS_BYTES - room);
    must_fail(SAM_ERR_USAGE, "no room", sam_system_weights_map, memory, m.packed.data,
              m.packed.size, 0, &directory);
    assert_null(sam_memory_next(memory, (UINT64_C(1) << 32) - room));
    sam_memory_free(memory);
    free_model(&m);
}
