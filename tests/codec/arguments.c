/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of codec.h and symbolstat.h. */

#include "test.h"

#include "samite/codec.h"
#include "samite/symbolstat.h"
#include "streams.h"

enum { BYTES = 4096 };

static struct sam_weight tensor = {"w", SAM_BF16, 1, {BYTES / 2}, 0, BYTES};
static const struct sam_weights one = {.file_size = BYTES, .tensors = &tensor, .count = 1};
static uint8_t file[BYTES];

static bool read_nothing(void *context, uint64_t offset, void *data, size_t size)
{
    (void)context;
    (void)offset;
    (void)data;
    (void)size;
    return false;
}

static void *allocate(void *context, size_t size)
{
    (void)context;
    return aligned_alloc(64, size);
}

/* Options rejected by every function that takes some. */
TEST(bad_options)
{
    const struct sam_allocator half = {allocate, NULL, NULL};
    const struct sam_codec_options bad[] = {
        {.level = (enum sam_codec_level)4},
        {.level = (enum sam_codec_level) - 1},
        {.allocator = &half},
        {.size = 7},
    };
    static const char *const messages[] = {"level 4", "level", "of the allocator is NULL", ""};
    const struct sam_sink sink = {test_drop, NULL};
    struct sam_packer *packer;
    struct sam_unpacker *unpacker;
    struct sam_packed *packed;
    struct sam_weight_stat stat;
    uint64_t counts[256];
    uint8_t out[BYTES];
    size_t size;
    for (size_t i = 0; i < SAM_COUNT(bad); i++) {
        const struct sam_codec_options *o = &bad[i];
        refuses_with(messages[i], sam_pack, &one, file, o, out, sizeof out, &size);
        refuses(sam_packer_open, &one, o, sink, &packer);
        assert_null(packer);
        refuses(sam_unpacker_open, o, sink, &unpacker);
        assert_null(unpacker);
        refuses(sam_packed_open, file, BYTES, o, &packed);
        assert_null(packed);
        refuses(sam_packed_open_source, ((struct sam_source){read_nothing, NULL, 9}), o, &packed);
        refuses(sam_unpack, file, BYTES, o, out, sizeof out);
        refuses(sam_weight_stat, SAM_BF16, file, BYTES, o, &stat);
        refuses(sam_weight_count, SAM_BF16, file, BYTES, o, 0, counts);
    }
    assert_true(sam_codec_level_name((enum sam_codec_level)99) != NULL);
    assert_true(sam_codec_level_name((enum sam_codec_level) - 1) != NULL);
}

/* One error at a time; the type, rank and shape of the tensor are checked as input. */
TEST(bad_weights)
{
    struct sam_weight w = tensor;
    struct sam_weights bad = one;
    assert_int_equal(sam_weights_check(NULL, &refusal), SAM_ERR_USAGE);
    assert_int_equal(sam_pack_bound(NULL), 0);
    bad.tensors = NULL;
    refuses(sam_weights_check, &bad);
    assert_int_equal(sam_pack_bound(&bad), 0);
    bad.tensors = &w;
    bad.kind = (enum sam_weights_kind)4;
    refuses_with("unknown file kind 4", sam_weights_check, &bad);
    bad.kind = (enum sam_weights_kind) - 1;
    refuses(sam_weights_check, &bad);
    bad.kind = SAM_WEIGHTS_RAW;
    w.name = NULL;
    refuses_with("tensor 0: its name is NULL", sam_weights_check, &bad);
    assert_int_equal(sam_pack_bound(&bad), 0);
    for (unsigned i = 0; i < 8; i++) {
        w = tensor;
        bad = one;
        bad.tensors = &w;
        switch (i) {
        case 0: w.type = SAM_DTYPES; break;
        case 1: w.type = (enum sam_dtype) - 1; break;
        case 2: w.rank = SAM_WEIGHT_RANK + 1; break;
        case 3: w.rank = SIZE_MAX; break;
        case 4: w.shape[0] = UINT64_MAX; break;
        case 5: w.offset = UINT64_MAX; break;
        case 6: w.size = UINT64_MAX; break;
        default: bad.file_size = UINT64_MAX; break;
        }
        assert_int_equal(sam_weights_check(&bad, NULL), SAM_ERR_INPUT);
        assert_int_equal(sam_pack_bound(&bad), 0);
        struct sam_packer *packer;
        assert_int_equal(
            sam_packer_open(&bad, NULL, (struct sam_sink){test_drop, NULL}, &packer, NULL),
            SAM_ERR_INPUT);
        assert_null(packer);
    }
    bad = one;
    bad.count = SIZE_MAX;
    assert_int_equal(sam_weights_check(&bad, NULL), SAM_ERR_INPUT);
    assert_int_equal(sam_pack_bound(&bad), 0);
    sam_weights_free(NULL);
}

TEST(one_shot)
{
    const size_t room = (size_t)sam_pack_bound(&one);
    FREED uint8_t *packed = malloc(room);
    uint8_t back[BYTES];
    size_t size;
    uint64_t restored;
    assert_non_null(packed);
    refuses(sam_pack, NULL, file, NULL, packed, room, &size);
    refuses(sam_pack, &one, NULL, NULL, packed, room, &size);
    refuses(sam_pack, &one, file, NULL, NULL, room, &size);
    refuses(sam_pack, &one, file, NULL, packed, room, NULL);
    for (size_t less = 0; less < 80; less++)
        refuses(sam_pack, &one, file, NULL, packed, less, &size);
    refuses(sam_pack, &one, file, NULL, NULL, 0, &size);
    succeeds(sam_pack, &one, file, NULL, packed, room, &size);
    refuses(sam_unpack_size, NULL, size, &restored);
    refuses(sam_unpack_size, packed, size, NULL);
    assert_int_equal(sam_unpack_size(packed, 0, &restored, NULL), SAM_ERR_INPUT);
    refuses(sam_unpack, NULL, size, NULL, back, BYTES);
    refuses(sam_unpack, packed, size, NULL, NULL, BYTES);
    refuses(sam_unpack, packed, size, NULL, back, BYTES - 1);
    assert_int_equal(sam_unpack(packed, 0, NULL, back, BYTES, NULL), SAM_ERR_INPUT);
    succeeds(sam_unpack, packed, size, NULL, back, BYTES);
    assert_memory_equal(back, file, BYTES);

    struct sam_packed *p;
    struct sam_packed_stat stat;
    refuses(sam_packed_open, NULL, size, NULL, &p);
    refuses(sam_packed_open, packed, size, NULL, NULL);
    refuses(sam_packed_open_source, ((struct sam_source){NULL, NULL, 9}), NULL, &p);
    refuses(sam_packed_open_source, ((struct sam_source){read_nothing, NULL, 9}), NULL, NULL);
    assert_int_equal(
        sam_packed_open_source((struct sam_source){read_nothing, NULL, UINT64_MAX}, NULL, &p, NULL),
        SAM_ERR_IO);
    assert_null(p);
    succeeds(sam_packed_open, packed, size, NULL, &p);
    refuses(sam_packed_read, NULL, 0, 0, 1, back);
    refuses(sam_packed_read, p, 0, 0, 1, NULL);
    refuses(sam_packed_read, p, 1, 0, 0, back);
    refuses(sam_packed_read, p, SIZE_MAX, 0, 0, back);
    refuses(sam_packed_read, p, 0, 0, UINT64_MAX, back);
    refuses(sam_packed_read, p, 0, UINT64_MAX, 1, back);
    refuses(sam_packed_read, p, 0, 1, UINT64_MAX, back);
    assert_int_equal(sam_packed_read(p, 0, BYTES, 0, NULL, NULL), SAM_OK);
    refuses(sam_packed_restore, NULL, back);
    refuses(sam_packed_restore, p, NULL);
    refuses(sam_packed_stat, NULL, 0, &stat);
    refuses(sam_packed_stat, p, 0, NULL);
    refuses(sam_packed_stat, p, 1, &stat);
    assert_null(sam_packed_weights(NULL));
    assert_null(sam_packed_header(NULL));
    assert_true(sam_packed_find(NULL, "w") == SIZE_MAX && sam_packed_find(p, NULL) == SIZE_MAX);
    sam_packed_close(p);
    sam_packed_close(NULL);
}

TEST(streams)
{
    const struct sam_sink sink = {test_drop, NULL};
    struct sam_packer *packer;
    struct sam_unpacker *unpacker;
    struct sam_packed_stat stat;
    refuses(sam_packer_open, NULL, NULL, sink, &packer);
    refuses(sam_packer_open, &one, NULL, sink, NULL);
    refuses(sam_packer_open, &one, NULL, (struct sam_sink){0}, &packer);
    assert_null(packer);
    succeeds(sam_packer_open, &one, &(struct sam_codec_options){.threads = UINT32_MAX}, sink,
             &packer);
    refuses(sam_packer_write, NULL, file, 1);
    refuses(sam_packer_write, packer, NULL, 1);
    succeeds(sam_packer_write, packer, NULL, 0);
    refuses(sam_packer_stat, packer, 0, &stat); /* not done */
    refuses(sam_packer_stat, NULL, 0, &stat);
    refuses(sam_packer_stat, packer, 0, NULL);
    assert_int_equal(sam_packer_finish(packer, NULL), SAM_ERR_INPUT);
    refuses(sam_packer_write, packer, file, 1);
    refuses(sam_packer_finish, packer);
    refuses(sam_packer_finish, NULL);
    assert_null(sam_packer_weights(NULL));
    sam_packer_close(packer);
    sam_packer_close(NULL);
    refuses(sam_unpacker_open, NULL, sink, NULL);
    succeeds(sam_unpacker_open, NULL, (struct sam_sink){0}, &unpacker);
    refuses(sam_unpacker_write, NULL, file, 1);
    refuses(sam_unpacker_write, unpacker, NULL, 1);
    succeeds(sam_unpacker_write, unpacker, NULL, 0);
    refuses(sam_unpacker_finish, NULL);
    assert_int_equal(sam_unpacker_finish(unpacker, NULL), SAM_ERR_INPUT);
    sam_unpacker_close(unpacker);
    sam_unpacker_close(NULL);
}

TEST(parts)
{
    const struct sam_sink sink = {test_drop, NULL};
    const struct sam_source source = {read_nothing, NULL, 9};
    const char *name = "a", *none = NULL;
    struct sam_packer *packer = (struct sam_packer *)file;
    uint64_t first = 7, end = 7;
    refuses(sam_packer_open_part, NULL, 0, 1, NULL, sink, &packer);
    refuses(sam_packer_open_part, &one, 0, 1, NULL, sink, NULL);
    refuses(sam_packer_open_part, &one, 1, 1, NULL, sink, &packer);
    assert_null(packer);
    refuses(sam_packer_open_part, &one, 0, 0, NULL, sink, &packer);
    refuses(sam_packer_open_part, &one, 0, 65537, NULL, sink, &packer);
    refuses(sam_packer_open_part, &one, 0, 1, NULL, (struct sam_sink){0}, &packer);
    sam_packer_range(NULL, &first, &end);
    assert_true(first == 0 && end == 0);
    refuses(sam_pack_join, NULL, &name, 1, sink);
    refuses(sam_pack_join, &source, NULL, 1, sink);
    refuses(sam_pack_join, &source, &none, 1, sink);
    refuses(sam_pack_join, &source, &name, 0, sink);
    refuses(sam_pack_join, &source, &name, 1, (struct sam_sink){0});
    refuses(sam_pack_join, &(struct sam_source){0}, &name, 1, sink);
    assert_int_equal(sam_pack_join(&source, &name, 1, sink, NULL), SAM_ERR_INPUT);
}

TEST(statistics)
{
    struct sam_weight_stat stat;
    uint64_t counts[256];
    refuses(sam_weight_stat, SAM_DTYPES, file, 2, NULL, &stat);
    refuses(sam_weight_stat, (enum sam_dtype) - 1, file, 2, NULL, &stat);
    refuses(sam_weight_stat, SAM_BF16, NULL, 2, NULL, &stat);
    refuses(sam_weight_stat, SAM_BF16, file, 2, NULL, NULL);
    refuses(sam_weight_stat, SAM_BF16, file, 3, NULL, &stat);
    assert_int_equal(sam_weight_stat(SAM_BF16, NULL, 0, NULL, &stat, NULL), SAM_OK);
    refuses_with("unknown element type", sam_weight_count, SAM_DTYPES, file, 2, NULL, 0, counts);
    assert_false(sam_dtype_parse(NULL, &tensor.type));
    refuses(sam_weight_count, SAM_BF16, NULL, 2, NULL, 0, counts);
    refuses(sam_weight_count, SAM_BF16, file, 2, NULL, 0, NULL);
    refuses(sam_weight_count, SAM_BF16, file, 2, NULL, 1, counts); /* it is not coded */
    assert_non_null(strstr(refusal.text, "coded plane 1"));
    refuses(sam_weight_count, SAM_BF16, file, 2, NULL, UINT32_MAX, counts);
}

TEST(symbol_stat)
{
    struct sam_symbolstat unit;
    uint64_t counts[4], freq[4];
    uint32_t symbol = 0;
    struct sam_symbolstat_task task = {&symbol, 1, .stall = 0};
    struct sam_symbolstat_result result;
    refuses(sam_symbolstat_init, NULL, 8, 8, 4, counts);
    refuses(sam_symbolstat_init, &unit, 8, 8, 4, NULL);
    refuses(sam_symbolstat_init, &unit, 0, 8, 4, counts);
    refuses(sam_symbolstat_init, &unit, 17, 8, 4, counts);
    refuses(sam_symbolstat_init, &unit, 8, 0, 4, counts);
    refuses_with("8-bit symbols, 65-bit counters and depth 4: expected", sam_symbolstat_init, &unit,
                 8, 65, 4, counts);
    refuses(sam_symbolstat_init, &unit, 8, 8, 0, counts);
    refuses(sam_symbolstat_init, &unit, 8, 8, SAM_SYMBOLSTAT_DEPTH + 1, counts);
    assert_int_equal(sam_symbolstat_init(&unit, 8, 8, 4, counts, NULL), SAM_OK);
    refuses(sam_symbolstat_run, NULL, &task, freq, &result);
    refuses(sam_symbolstat_run, &unit, NULL, freq, &result);
    refuses(sam_symbolstat_run, &unit, &task, NULL, &result);
    refuses(sam_symbolstat_run, &unit, &task, freq, NULL);
    task.stall = 91;
    refuses(sam_symbolstat_run, &unit, &task, freq, &result);
    task.stall = 0;
    task.symbols = NULL;
    refuses(sam_symbolstat_run, &unit, &task, freq, &result);
    task.count = 0;
    unit.state = SAM_SYMBOLSTAT_DRAIN; /* more counts than there is room for */
    refuses(sam_symbolstat_run, &unit, &task, freq, &result);
    unit.state = (enum sam_symbolstat_state)9;
    refuses(sam_symbolstat_run, &unit, &task, freq, &result);
    unit.state = SAM_SYMBOLSTAT_IDLE;
    assert_int_equal(sam_symbolstat_run(&unit, &task, freq, &result, NULL), SAM_OK);
    assert_int_equal(result.cycles, sam_symbolstat_cycles(4, 0));
    /* outside the range of the port, but within its wires */
    sam_symbolstat_clock(&unit, (struct sam_symbolstat_in){.flush = true, .symbol = UINT32_MAX});
}
