/* SPDX-License-Identifier: Apache-2.0 */
/* Column minimum and maximum: every shape and dtype in every NaN mode, by the vector loops and
 * by the plain one, against the rule of tile_test.h; all pairs of 16-bit elements. Results must
 * be bitwise equal. */
#include "tile/core/fold.h"
#include "tile/tile_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static const enum sam_tile_nan modes[] = {SAM_TILE_NAN_NUMBER, SAM_TILE_NAN_PROPAGATE,
                                          SAM_TILE_NAN_FIRST};

struct shape {
    uint32_t rows, cols;
    int64_t valid_rows, valid_cols;
};

/* One reduction; the tile has the elements of `data`. */
static void reduce(enum sam_dtype dtype, struct shape s, bool max, enum sam_tile_nan nan,
                   bool plain, const uint8_t *data)
{
    struct sam_tile_options options = {SAM_TILE_A5, .nan = nan, .plain = plain};
    SCOPED_CORE *core = test_core(&options);
    struct sam_tile src = SAM_TILE_VALID(vec, f32, s.rows, s.cols, s.valid_rows, s.valid_cols);
    struct sam_tile dst = SAM_TILE_VALID(vec, f32, 1, s.cols, s.valid_rows > 0, s.valid_cols);
    size_t cols = (size_t)s.valid_cols;
    FREED uint8_t *result = calloc(cols + 1, 8);
    src.type.dtype = dst.type.dtype = dtype;
    assert_int_equal(sam_tile_fill(core, &src, data, NULL), SAM_OK);
    struct sam_event e = max ? sam_tcolmax(&dst, &src) : sam_tcolmin(&dst, &src);
    if (e.status != SAM_OK)
        fail_msg("%s", e.text);
    if (s.valid_rows && cols)
        assert_int_equal(sam_tile_read(&dst, result, NULL), SAM_OK);
    for (size_t j = 0; j < cols && s.valid_rows; j++) {
        uint64_t expected = test_bits(data, j, dtype);
        for (size_t i = 1; i < (size_t)s.valid_rows; i++)
            expected = test_fold(dtype, max, nan, expected, test_bits(data, i * cols + j, dtype));
        if (test_bits(result, j, dtype) != expected)
            fail_msg("%s %ux%u column %zu, mode %d%s%s: 0x%llx: expected 0x%llx",
                     sam_tile_dtype_name(dtype), s.rows, s.cols, j, nan, max ? ", max" : "",
                     plain ? ", plain" : "", (unsigned long long)test_bits(result, j, dtype),
                     (unsigned long long)expected);
    }
}

static void check(enum sam_dtype dtype, struct shape s, uint64_t *seed)
{
    size_t count = (size_t)(s.valid_rows * s.valid_cols);
    FREED uint8_t *data = calloc(count + 1, 8);
    test_random_elements(data, count, dtype, seed);
    for (size_t mode = 0; mode < SAM_COUNT(modes); mode++)
        for (int way = 0; way < 4; way++)
            reduce(dtype, s, way & 1, modes[mode], way & 2, data);
}

TEST(test_shapes)
{
    static const struct {
        enum sam_dtype dtype;
        struct shape shape;
    } single[] = {
        {SAM_TILE_f32, {64, 64, 64, 64}}, {SAM_TILE_f16, {64, 64, 64, 64}},
        {SAM_TILE_f32, {32, 16, 32, 16}}, {SAM_TILE_i8, {64, 64, 64, 64}},
        {SAM_TILE_ui8, {64, 64, 64, 64}}, {SAM_TILE_bf16, {64, 64, 64, 64}},
    };
    static const struct shape all[] = {{1, 256, 1, 255},  {16, 128, 16, 127}, {16, 256, 15, 255},
                                       {16, 64, 0, 64},   {16, 64, 16, 0},    {16, 64, 2, 1},
                                       {8, 4096, 5, 4095}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < SAM_COUNT(single); i++)
        check(single[i].dtype, single[i].shape, &seed);
    for (size_t d = 0; d < SAM_COUNT(test_dtypes); d++)
        for (size_t i = 0; i < SAM_COUNT(all); i++)
            check(test_dtypes[d], all[i], &seed);
}

TEST(test_sweep)
{
    static const enum sam_dtype dtypes[] = {SAM_TILE_i16, SAM_TILE_i32, SAM_TILE_f32};
    static const uint32_t rows[] = {16, 32}, cols[] = {16, 32, 64, 128, 256, 512};
    static const int64_t valid[] = {1, 7, 8, 31};
    uint64_t seed = test_seed();
    for (size_t d = 0; d < SAM_COUNT(dtypes); d++)
        for (size_t r = 0; r < SAM_COUNT(rows); r++)
            for (size_t c = 0; c < SAM_COUNT(cols); c++)
                for (size_t v = 0; v < SAM_COUNT(valid); v++)
                    if (valid[v] <= rows[r])
                        check(dtypes[d], (struct shape){rows[r], cols[c], valid[v], cols[c]},
                              &seed);
}

/* A single NaN in each row, surrounded by numbers and by zeros of both signs. */
TEST(test_nan_positions)
{
    for (size_t d = 0; d < 3; d++) {
        enum sam_dtype dtype = test_dtypes[d];
        uint64_t sign = UINT64_C(1) << (8 * sam_dtype_size(dtype) - 1);
        for (size_t at = 0; at < 9; at++) {
            uint8_t data[9 * 32 * 4];
            for (size_t i = 0; i < 9 * 32; i++)
                test_set(data, i, dtype,
                         i / 32 == at      ? test_canonical(dtype) | (i % 3 ? sign | 1 : 0)
                         : (i * 7 % 5) % 2 ? sign
                                           : (i % 32 < 8 ? 0 : i * 37 % 100 + 1));
            for (size_t mode = 0; mode < SAM_COUNT(modes); mode++)
                for (int way = 0; way < 4; way++)
                    reduce(dtype, (struct shape){9, 32, 9, 32}, way & 1, modes[mode], way & 2,
                           data);
        }
    }
}

/* The vector loops against the plain one, with row strides of a power of two and of an odd
 * number. */
TEST(test_pitches)
{
    static const size_t pitches[] = {64, 67, 128, 1000, 1024, 4096, 4099};
    enum { ROWS = 13 };
    uint64_t seed = test_seed();
    FREED uint8_t *data = malloc((size_t)ROWS * 4099 * 4), *fast = malloc(4099 * 4),
                  *slow = malloc(4099 * 4);
    for (size_t d = 0; d < SAM_COUNT(test_dtypes); d++)
        for (size_t p = 0; p < SAM_COUNT(pitches); p++)
            for (int round = 0; round < 6; round++) {
                enum sam_dtype dtype = test_dtypes[d];
                size_t rows = 1 + test_below(&seed, ROWS);
                size_t cols = 1 + test_below(&seed, pitches[p]), size = sam_dtype_size(dtype);
                test_random_elements(data, rows * pitches[p], dtype, &seed);
                for (int way = 0; way < 6; way++) {
                    sam_tile_fold_columns(dtype, way & 1, modes[way / 2], false, fast, data, rows,
                                          cols, pitches[p]);
                    sam_tile_fold_columns(dtype, way & 1, modes[way / 2], true, slow, data, rows,
                                          cols, pitches[p]);
                    assert_memory_equal(fast, slow, cols * size);
                }
            }
}

/* The loops of every level that this host has: row counts around a block, column counts around
 * whole vectors and around a panel. */
TEST(test_levels)
{
    enum { ROWS = 17, PITCH = 4200 };
    static const size_t cols[] = {1, 15, 16, 17, 63, 64, 65, 130, 1025, 2080, 4161};
    uint64_t seed = test_seed();
    FREED uint8_t *data = malloc((size_t)ROWS * PITCH * 4), *fast = malloc(PITCH * 4),
                  *slow = malloc(PITCH * 4);
    assert_non_null(sam_tile_fold_level(SAM_CPU_BASE));
    for (size_t d = 0; d < SAM_COUNT(test_dtypes); d++) {
        enum sam_dtype dtype = test_dtypes[d];
        test_random_elements(data, (size_t)ROWS * PITCH, dtype, &seed);
        for (size_t c = 0; c < SAM_COUNT(cols); c++)
            for (int way = 0; way < 6; way++) {
                size_t rows = 2 + test_below(&seed, ROWS - 1);
                sam_tile_fold_columns(dtype, way & 1, modes[way / 2], true, slow, data, rows,
                                      cols[c], PITCH);
                for (unsigned level = 0; level < SAM_CPU_LEVELS; level++) {
                    const struct sam_tile_fold_table *table =
                        sam_tile_fold_level((enum sam_cpu_level)level);
                    if (!table || !table->fold[dtype][0][0]) /* a type without loops of its own */
                        continue;
                    memset(fast, 0x55, PITCH * 4);
                    table->fold[dtype][way & 1][modes[way / 2]](fast, data, rows, cols[c], PITCH);
                    if (memcmp(fast, slow, cols[c] * sam_dtype_size(dtype)) != 0)
                        fail_msg("level %u, %s, %zu rows, %zu columns, mode %d", level,
                                 sam_tile_dtype_name(dtype), rows, cols[c], way);
                    /* and nothing past the last column */
                    assert_int_equal(fast[cols[c] * sam_dtype_size(dtype)], 0x55);
                }
            }
    }
}

/* Every pair of 16-bit elements. With the second elements in the order of their values, as
 * fp_format.h has them, the minimum of m and each is plain: those below m, then m itself, then
 * NaN by the rule of the mode. So results are compared with memcmp. */
enum { ALL = 65536, PANEL = 2048 }; /* a panel and its results stay in the first cache */

struct ordered {
    enum sam_dtype dtype;
    bool max, signs; /* signs: -0 is below +0 */
};

static int by_value(const void *x, const void *y, void *context)
{
    const struct ordered *o = context;
    double a = test_value(o->dtype, *(const uint16_t *)x);
    double b = test_value(o->dtype, *(const uint16_t *)y);
    int order = (a > b) - (a < b);
    if (a == 0 && b == 0 && o->signs)
        order = (signbit(b) != 0) - (signbit(a) != 0);
    return o->max ? -order : order;
}

/* One dtype, direction and mode: 2^32 pairs. */
struct pass {
    enum sam_dtype dtype;
    bool max;
    enum sam_tile_nan mode;
    char text[128]; /* of the first pair that is wrong */
};

static bool expect(struct pass *p, uint16_t m, const uint16_t *x, const uint16_t *got,
                   const uint16_t *expected, size_t count)
{
    size_t k = 0;
    if (memcmp(got, expected, count * sizeof *got) == 0)
        return true;
    while (got[k] == expected[k])
        k++;
    snprintf(p->text, sizeof p->text, "%s %s of 0x%04x, 0x%04x in mode %d: 0x%04x: expected 0x%04x",
             sam_tile_dtype_name(p->dtype), p->max ? "max" : "min", m, x[k], p->mode, got[k],
             expected[k]);
    return false;
}

/* Rows: PANEL times m; what m is compared to, numbers first. */
struct pairs {
    uint16_t m[PANEL], x[ALL];
};

/* Numbers in order, then NaN; returns the count of numbers. */
static size_t sort_all(const struct pass *p, uint16_t *x)
{
    struct ordered o = {p->dtype, p->max, p->mode != SAM_TILE_NAN_FIRST};
    size_t numbers = 0, nans = ALL;
    for (unsigned bits = 0; bits < ALL; bits++) {
        bool nan = test_is_real(p->dtype) && isnan(test_value(p->dtype, bits));
        x[nan ? --nans : numbers++] = (uint16_t)bits;
    }
    qsort_r(x, numbers, sizeof *x, by_value, &o);
    return numbers;
}

static void fill_panel(uint16_t *to, uint16_t bits)
{
    for (size_t k = 0; k < PANEL; k++)
        to[k] = bits;
}

static size_t within(size_t at, size_t start)
{
    return at < start ? 0 : at - start < PANEL ? at - start : PANEL;
}

static void run_pass(struct pass *p)
{
    struct ordered o = {p->dtype, p->max, p->mode != SAM_TILE_NAN_FIRST};
    FREED struct pairs *rows = malloc(sizeof *rows);
    uint16_t got[PANEL], canonical[PANEL];
    size_t numbers = sort_all(p, rows->x), step = 1;
#if defined(__SANITIZE_ADDRESS__) || defined(__aarch64__) /* where QEMU runs it */
    step = 61;
#endif
    fill_panel(canonical, test_is_real(p->dtype) ? (uint16_t)test_canonical(p->dtype) : 0);
    bool good = true, first = p->mode == SAM_TILE_NAN_FIRST;
    bool number = p->mode == SAM_TILE_NAN_NUMBER;
    /* m takes the same order: `below` are those in front of it. */
    for (size_t at = 0, below = 0; at < ALL && good; at += step) {
        uint16_t m = rows->x[at];
        bool nan = at >= numbers;
        while (!nan && by_value(&rows->x[below], &m, &o) < 0)
            below++;
        size_t low = !nan ? below : number ? numbers : 0;
        const uint16_t *other = nan && !first ? canonical : rows->m;
        const uint16_t *with_nan = first || (number && !nan) ? rows->m : canonical;
        fill_panel(rows->m, m);
        for (size_t start = 0; start < ALL && good; start += PANEL) {
            const uint16_t *x = rows->x + start;
            size_t split = within(low, start), end = within(numbers, start);
            sam_tile_fold_columns(p->dtype, p->max, p->mode, false, got, rows->m, 2, PANEL,
                                  PANEL + start);
            good = expect(p, m, x, got, x, split) &&
                   expect(p, m, x + split, got + split, other, end - split) &&
                   expect(p, m, x + end, got + end, with_nan, PANEL - end);
        }
    }
}

static struct pass passes[16];
static atomic_size_t next_pass;

static void *work(void *nothing)
{
    for (size_t k; (k = atomic_fetch_add(&next_pass, 1)) < SAM_COUNT(passes);)
        run_pass(&passes[k]);
    return nothing;
}

TEST(test_pairs)
{
    static const enum sam_dtype dtypes[] = {SAM_TILE_f16, SAM_TILE_bf16, SAM_TILE_i16,
                                            SAM_TILE_ui16};
    pthread_t threads[8];
    size_t count = 0, started = 0, cpus = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
    for (size_t d = 0; d < SAM_COUNT(dtypes); d++)
        for (size_t way = 0; way < (test_is_real(dtypes[d]) ? 6 : 2); way++)
            passes[count++] = (struct pass){dtypes[d], way & 1, modes[way / 2], ""};
    assert_int_equal(count, SAM_COUNT(passes));
    while (started < SAM_COUNT(threads) && started + 1 < cpus &&
           pthread_create(&threads[started], NULL, work, NULL) == 0)
        started++;
    work(NULL);
    while (started > 0)
        pthread_join(threads[--started], NULL);
    for (size_t k = 0; k < count; k++)
        assert_string_equal(passes[k].text, "");
}

/* Rows and columns outside the result: unchanged, or the pad value. */
TEST(test_padding)
{
    for (int outside = 0; outside < 2; outside++) {
        struct sam_tile_options options = {SAM_TILE_A5, .outside = outside};
        SCOPED_CORE *core = test_core(&options);
        struct sam_tile src = SAM_TILE_VALID(vec, f32, 4, 16, 4, 5);
        struct sam_tile dst = SAM_TILE_VALID(vec, f32, 2, 16, 2, 16);
        float values[20], before[32], after[32];
        for (int i = 0; i < 20; i++)
            values[i] = (float)(i * 7 % 11);
        for (int i = 0; i < 32; i++)
            before[i] = (float)i - 50;
        dst.type.pad = SAM_TILE_PAD_max;
        assert_int_equal(sam_tile_fill(core, &src, values, NULL), SAM_OK);
        assert_int_equal(sam_tile_fill(core, &dst, before, NULL), SAM_OK);
        dst.type.valid_cols = 5;
        struct sam_event e = sam_tcolmin(&dst, &src);
        assert_string_equal(e.text, "");
        dst.type.valid_cols = 16;
        assert_int_equal(sam_tile_read(&dst, after, NULL), SAM_OK);
        for (int i = 0; i < 32; i++)
            if (i >= 5)
                assert_true(after[i] == (outside ? INFINITY : before[i]));
    }
}

/* Without rows or columns nothing is written, not even padding; valid columns must still agree. */
TEST(test_empty)
{
    struct sam_tile_options options = {SAM_TILE_A5, .outside = SAM_TILE_PAD_VALUE};
    SCOPED_CORE *core = test_core(&options);
    struct sam_tile src = SAM_TILE_VALID(vec, f32, 4, 8, 0, 8);
    struct sam_tile dst = SAM_TILE_VALID(vec, f32, 1, 8, 1, 8);
    float before[8] = {1, 2, 3, 4, 5, 6, 7, 8}, after[8];
    dst.type.pad = SAM_TILE_PAD_zero;
    assert_int_equal(sam_tile_fill(core, &src, before, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(core, &dst, before, NULL), SAM_OK);
    assert_int_equal(sam_tcolmin(&dst, &src).status, SAM_OK);
    assert_int_equal(sam_tile_read(&dst, after, NULL), SAM_OK);
    assert_memory_equal(before, after, sizeof before);
    dst.type.valid_cols = 7;
    struct sam_event e = sam_tcolmin(&dst, &src);
    assert_int_equal(e.status, SAM_ERR_TRAP);
    assert_non_null(strstr(e.text, "7 valid columns: expected 8"));
}
