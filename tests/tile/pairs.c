/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of e2m1 and e1m2, two elements in a byte: moves against arrays with a byte per element.
 * Elements that an operation does not write stay, also half a byte. */
#include "tile/tile_test.h"

#include "samite/tile_ops.h"
#include "tile/span.h"

enum { ROWS = 6, COLS = 64, COUNT = ROWS * COLS };

/* A tile and what it holds, element by element. */
struct known {
    struct sam_tile tile;
    uint8_t is[COUNT];
};

static size_t rows_of(const struct known *k)
{
    return (size_t)k->tile.type.valid_rows;
}

static size_t cols_of(const struct known *k)
{
    return (size_t)k->tile.type.valid_cols;
}

/* All elements random, and then a valid rectangle. */
static void fill(struct known *k, struct sam_tile_core *core, uint64_t *seed, enum sam_dtype dtype,
                 int64_t rows, int64_t cols)
{
    uint8_t bytes[COUNT / 2];
    k->tile = (struct sam_tile)SAM_TILE(vec, e2m1, ROWS, COLS);
    k->tile.type.dtype = dtype;
    for (size_t i = 0; i < COUNT; i++)
        test_set(bytes, i, dtype, k->is[i] = (uint8_t)test_below(seed, 16));
    assert_int_equal(sam_tile_fill(core, &k->tile, bytes, NULL), SAM_OK);
    k->tile.type.valid_rows = rows;
    k->tile.type.valid_cols = cols;
}

static void fill_any(struct known *k, struct sam_tile_core *core, uint64_t *seed,
                     enum sam_dtype dtype)
{
    fill(k, core, seed, dtype, 1 + (int64_t)test_below(seed, ROWS),
         1 + (int64_t)test_below(seed, COLS / 2));
}

/* All of the tile, and its valid rectangle, whose rows begin at bytes. */
static void same(struct known *k)
{
    uint8_t bytes[COUNT / 2];
    const size_t rows = rows_of(k), cols = cols_of(k);
    assert_int_equal(sam_tile_read(&k->tile, bytes, NULL), SAM_OK);
    for (size_t i = 0; i < rows * cols; i++)
        assert_int_equal(
            test_bits(bytes + i / cols * ((cols + 1) / 2), i % cols, k->tile.type.dtype),
            k->is[i / cols * COLS + i % cols]);
    k->tile.type.valid_rows = ROWS;
    k->tile.type.valid_cols = COLS;
    assert_int_equal(sam_tile_read(&k->tile, bytes, NULL), SAM_OK);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(test_bits(bytes, i, k->tile.type.dtype), k->is[i]);
    sam_tile_release(&k->tile);
}

/* rows x cols elements from [si, sj] on to [di, dj]. */
static void copy(struct known *d, size_t di, size_t dj, const struct known *s, size_t si, size_t sj,
                 size_t rows, size_t cols)
{
    for (size_t i = 0; i < rows; i++)
        memcpy(&d->is[(di + i) * COLS + dj], &s->is[(si + i) * COLS + sj], cols);
}

static struct sam_event move(struct known *d, struct known *a, struct known *b, unsigned what,
                             uint64_t *seed)
{
    const size_t rows = rows_of(a), cols = cols_of(a);
    const size_t row = (size_t)test_below(seed, ROWS - rows + 1),
                 col = (size_t)test_below(seed, COLS - cols + 1);
    switch (what) {
    case 0: copy(d, 0, 0, a, 0, 0, rows, cols); return sam_tmov(&d->tile, &a->tile);
    case 1: copy(d, 0, 0, a, 0, 0, rows, cols); return sam_gmov(&d->tile, &a->tile, 0);
    case 2:
        d->tile.type.valid_rows = ROWS;
        d->tile.type.valid_cols = COLS;
        copy(d, row, col, a, 0, 0, rows, cols);
        return sam_tinsert(&d->tile, &a->tile, (int64_t)row, (int64_t)col);
    case 3:
        copy(d, 0, 0, b, row, col, rows, cols);
        return sam_textract(&d->tile, &b->tile, (int64_t)row, (int64_t)col);
    case 4:
        b->tile.type.valid_rows = (int64_t)rows;
        b->tile.type.valid_cols = (int64_t)(COLS - cols);
        d->tile.type.valid_cols = COLS;
        copy(d, 0, 0, a, 0, 0, rows, cols);
        copy(d, 0, cols, b, 0, 0, rows, COLS - cols);
        return sam_tconcat(&d->tile, &a->tile, &b->tile);
    default:
        d->tile.type.valid_rows = a->tile.type.valid_cols = a->tile.type.valid_cols % ROWS + 1;
        d->tile.type.valid_cols = a->tile.type.valid_rows;
        for (size_t i = 0; i < rows_of(d); i++)
            for (size_t j = 0; j < cols_of(d); j++)
                d->is[i * COLS + j] = a->is[j * COLS + i];
        return sam_ttrans(&d->tile, &a->tile);
    }
}

TEST(test_moves)
{
    uint64_t seed = test_seed();
    for (unsigned n = 0; n < 1200; n++) {
        const enum sam_dtype dtype = n % 2 ? SAM_TILE_e2m1 : SAM_TILE_e1m2;
        struct sam_tile_core *core = test_core(NULL);
        struct known a, b, d;
        fill_any(&a, core, &seed, dtype);
        fill(&b, core, &seed, dtype, ROWS, COLS);
        fill(&d, core, &seed, dtype, a.tile.type.valid_rows, a.tile.type.valid_cols);
        assert_string_equal(move(&d, &a, &b, n / 2 % 6, &seed).text, "");
        same(&d);
        sam_tile_core_free(core);
    }
}

/* Windows of arrays that begin and step anywhere. */
TEST(test_windows)
{
    uint64_t seed = test_seed();
    for (unsigned n = 0; n < 600; n++) {
        const enum sam_dtype dtype = n % 2 ? SAM_TILE_e2m1 : SAM_TILE_e1m2;
        struct sam_tile_core *core = test_core(NULL);
        struct known t;
        uint8_t array[512], before[512];
        fill_any(&t, core, &seed, dtype);
        for (size_t i = 0; i < sizeof array; i++)
            array[i] = before[i] = (uint8_t)test_random(&seed);
        const int64_t step = n % 3 ? 1 : 1 + (int64_t)test_below(&seed, 3);
        const int64_t pitch = step * (int64_t)cols_of(&t) + (int64_t)test_below(&seed, 20);
        struct sam_tile_view view = {array,
                                     1024,
                                     dtype,
                                     2,
                                     (int64_t)test_below(&seed, 9),
                                     {t.tile.type.valid_rows, t.tile.type.valid_cols},
                                     {pitch, step}};
        const bool load = n / 2 % 2;
        assert_string_equal(sam_tile_apply_view(load, &t.tile, &view, NULL).text, "");
        for (size_t i = 0; i < rows_of(&t); i++)
            for (size_t j = 0; j < cols_of(&t); j++) {
                const size_t at = (size_t)(view.offset + (int64_t)i * pitch + (int64_t)j * step);
                if (load)
                    t.is[i * COLS + j] = (uint8_t)test_bits(before, at, dtype);
                else
                    test_set(before, at, dtype, t.is[i * COLS + j]);
            }
        assert_memory_equal(array, before, sizeof array);
        same(&t);
        view.count = (uint64_t)view.offset + 1;
        view.shape[1] = 2;
        t.tile = (struct sam_tile)SAM_TILE_VALID(vec, e2m1, ROWS, COLS, 1, 2);
        t.tile.type.dtype = dtype;
        view.shape[0] = 1;
        assert_int_equal(sam_tile_place_on(core, &t.tile, NULL), SAM_OK);
        assert_non_null(strstr(sam_tile_apply_view(true, &t.tile, &view, NULL).text,
                               "tload dst[0,1]: element "));
        sam_tile_core_free(core);
    }
}

/* A half that was never written, and sizes and windows that are refused. */
TEST(test_refused)
{
    struct sam_tile_core *core = test_core(NULL);
    struct sam_tile a = SAM_TILE_VALID(vec, e2m1, 2, 64, 2, 5), d = a,
                    part = SAM_TILE(vec, e2m1, 2, 64);
    struct sam_error error;
    uint8_t bytes[64] = {0};
    assert_int_equal(sam_tile_fill(core, &a, bytes, NULL), SAM_OK);
    a.type.valid_cols = 8;
    d.type.valid_cols = 8;
    assert_string_equal(sam_tmov(&d, &a).text, "tmov reads src[0,6] before it is written");
    part.type.cols = 63;
    part.type.valid_cols = 3;
    assert_int_equal(sam_tile_place_on(core, &part, &error), SAM_ERR_USAGE);
    assert_non_null(
        strstr(error.text, "a row of the tile has 63 elements of 4 bits: expected an even number"));
    part.type.cols = 32;
    assert_int_equal(sam_tile_place_on(core, &part, &error), SAM_ERR_USAGE);
    assert_non_null(strstr(error.text, "a row of the tile has 16 bytes: expected a multiple of 32, "
                                       "as in !pto.tile_buf<vec, 2x64xe2m1, valid=2x3>"));
    struct sam_tile wide = SAM_TILE(vec, e2m1, 2, 256), window = SAM_TILE(vec, e2m1, 2, 64);
    assert_int_equal(sam_tile_place_on(core, &wide, NULL), SAM_OK);
    assert_int_equal(sam_tsubview(&window, &wide, 0, 63, &error), SAM_ERR_USAGE);
    if (sam_tsubview(&window, &wide, 0, 64, &error) != SAM_OK)
        fail_msg("%s", error.text);
    assert_non_null(strstr(sam_tadd(&d, &a, &a).text, "tadd: source 1 is of e2m1; profile a5 has"));
    sam_tile_core_free(core);
}

/* The bytes of windows: all that they touch, and no others if rows consist of whole bytes. */
TEST(test_spans)
{
    uint64_t seed = test_seed();
    for (unsigned n = 0; n < 3000; n++) {
        bool touched[512] = {false};
        const bool even = test_below(&seed, 2);
        int64_t shape[3], strides[3];
        const uint32_t rank = 1 + (uint32_t)test_below(&seed, 3);
        const int64_t base = 512 + (int64_t)test_below(&seed, 20) * (even ? 2 : 1);
        for (uint32_t i = 0; i < rank; i++) {
            shape[i] = (int64_t)test_below(&seed, 30) ? 1 + (int64_t)test_below(&seed, 6) : 0;
            strides[i] = ((int64_t)test_below(&seed, 40) - 20) * (even ? 2 : 1);
        }
        if (even)
            strides[rank - 1] = 1;
        for (uint32_t i = rank; i < 3; i++)
            shape[i] = 1, strides[i] = 0;
        for (int64_t i = 0; i < shape[0] * shape[1] * shape[2]; i++)
            touched[(base + i / (shape[1] * shape[2]) * strides[0] +
                     i / shape[2] % shape[1] * strides[1] + i % shape[2] * strides[2]) /
                    2] = true;
        struct sam_tile_span span, one;
        assert_true(sam_tile_span_window(&span, SAM_E2M1, 1000, base, rank, shape, strides));
        for (int64_t i = 0; i < 512; i++) {
            int64_t from, to;
            assert_true(sam_tile_span_make(&one, 1000 + i, 1, 0, NULL, NULL));
            const bool met = sam_tile_span_meet(&span, &one, &from, &to);
            if (touched[i] ? !met : met && even)
                fail_msg("byte %d: %d, expected %d", (int)i, met, touched[i]);
        }
    }
}
