/* SPDX-License-Identifier: Apache-2.0 */
/* Every tile operation on random elements, against a formula in long double (floats) or 64-bit
 * integers, written from the table of docs/tile.md. A row of the table without a formula fails. */
#include "tile/tile_test.h"

#include "samite/tile_ops.h"
#include "tile/tile.h"

enum { R = 8, C = 32 };

static bool seen[256];

static void mark(const char *name)
{
    struct sam_tile_op_text op;
    for (size_t i = 0; sam_tile_op_describe(i, &op); i++)
        seen[i] |= strcmp(op.name, name) == 0;
}

/* A long double rounded to the dtype: to nearest even in one step, through the nearest double,
 * rounded to odd if inexact. */
static uint64_t rounded(enum sam_dtype dtype, long double v)
{
    if (isnan(v))
        return test_canonical(dtype);
    if (dtype == SAM_TILE_f32)
        return sam_f32_bits((float)v);
    double d = (double)v;
    if (isfinite(d) && (long double)d != v) {
        uint64_t bits;
        if (fabsl((long double)d) > fabsl(v))
            d = nextafter(d, 0);
        memcpy(&bits, &d, 8);
        bits |= 1;
        memcpy(&d, &bits, 8);
    }
    const struct test_real *real = test_real(dtype);
    const struct sam_fp_format *f = &real->format;
    double largest = sam_fp_value(f, real->infinity - 1);
    double step = largest - sam_fp_value(f, real->infinity - 2);
    if (fabs(d) >= largest + step / 2)
        return sam_fp_round(f, copysign(INFINITY, d));
    return sam_fp_round(f, d);
}

/* The formulas: one line per function and kind of dtype. */
static long double real_formula(enum sam_tile_function function, long double a, long double b)
{
    switch (function) {
    case SAM_TILE_FN_ADD: return a + b;
    case SAM_TILE_FN_SUB: return a - b;
    case SAM_TILE_FN_MUL: return a * b;
    case SAM_TILE_FN_DIV: return a / b;
    case SAM_TILE_FN_REM: return fmodl(a, b);
    case SAM_TILE_FN_EXPDIF: return expl(a - b);
    case SAM_TILE_FN_LRELU: return a < 0 ? a * b : a;
    case SAM_TILE_FN_ABS: return fabsl(a);
    case SAM_TILE_FN_NEG: return -a;
    case SAM_TILE_FN_RELU: return isnan(a) || a > 0 ? a : 0;
    case SAM_TILE_FN_EXP: return expl(a);
    case SAM_TILE_FN_LOG: return logl(a);
    case SAM_TILE_FN_SQRT: return sqrtl(a);
    case SAM_TILE_FN_RSQRT: return 1 / sqrtl(a);
    case SAM_TILE_FN_RECIP: return 1 / a;
    default: fail_msg("no formula of function %d for floats", (int)function); return 0;
    }
}

static uint64_t whole_formula(enum sam_tile_function function, int64_t width, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    int64_t amount = (b % width + width) % width;
    switch (function) {
    case SAM_TILE_FN_ADD: return x + y;
    case SAM_TILE_FN_SUB: return x - y;
    case SAM_TILE_FN_MUL: return x * y;
    case SAM_TILE_FN_DIV: return (uint64_t)(a / b);
    case SAM_TILE_FN_REM: return (uint64_t)(a % b);
    case SAM_TILE_FN_AND: return x & y;
    case SAM_TILE_FN_OR: return x | y;
    case SAM_TILE_FN_XOR: return x ^ y;
    case SAM_TILE_FN_SHL: return x << amount;
    case SAM_TILE_FN_SHR: return (uint64_t)(a >> amount);
    case SAM_TILE_FN_LRELU: return a < 0 ? x * y : x;
    case SAM_TILE_FN_ABS: return a < 0 ? -x : x;
    case SAM_TILE_FN_NEG: return -x;
    case SAM_TILE_FN_RELU: return a > 0 ? x : 0;
    case SAM_TILE_FN_NOT: return ~x;
    default: fail_msg("no formula of function %d for integers", (int)function); return 0;
    }
}

/* The result of the function on two elements, as bits; unary functions ignore b. */
static uint64_t formula(enum sam_tile_function function, enum sam_dtype dtype, uint64_t a,
                        uint64_t b)
{
    int64_t width = (int64_t)sam_dtype_size(dtype) * 8;
    if (function == SAM_TILE_FN_MIN || function == SAM_TILE_FN_MAX)
        return test_fold(dtype, function == SAM_TILE_FN_MAX, SAM_TILE_NAN_NUMBER, a, b);
    long double x = test_value(dtype, a), y = test_value(dtype, b);
    if (test_is_real(dtype))
        return rounded(dtype, real_formula(function, x, y));
    return whole_formula(function, width, (int64_t)x, (int64_t)y) & UINT64_MAX >> (64 - width);
}

/* The tiles of a case: a of R x C, b of b_rows x b_cols, d. */
struct bench {
    struct sam_tile_core *core;
    struct sam_tile a, b, d;
    uint8_t av[R * C * 4], bv[R * C * 4], dv[R * C * 4];
    enum sam_dtype dtype;
};

static struct sam_tile tile(enum sam_dtype dtype, int64_t rows, int64_t cols)
{
    struct sam_tile t = SAM_TILE_VALID(vec, f32, R, C, rows, cols);
    t.type.dtype = dtype;
    return t;
}

static void start(struct bench *x, uint64_t *seed, enum sam_dtype dtype, int64_t b_rows,
                  int64_t b_cols, bool nonzero)
{
    x->core = test_core(&(struct sam_tile_options){.profile = SAM_TILE_A5});
    x->dtype = dtype;
    x->a = tile(dtype, R, C);
    x->b = tile(dtype, b_rows, b_cols);
    x->d = tile(dtype, R, C);
    for (size_t i = 0; i < R * C; i++) {
        uint64_t b = test_element(seed, dtype);
        while (nonzero && !test_is_real(dtype) && b == 0)
            b = test_element(seed, dtype);
        test_set(x->av, i, dtype, test_element(seed, dtype));
        test_set(x->bv, i, dtype, b);
    }
    assert_int_equal(sam_tile_fill(x->core, &x->a, x->av, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(x->core, &x->b, x->bv, NULL), SAM_OK);
}

static void same(struct bench *x, const char *name, size_t i, size_t j, uint64_t expected)
{
    uint64_t got = test_bits(x->dv, i * (size_t)x->d.type.valid_cols + j, x->d.type.dtype);
    if (got != expected)
        fail_msg("%s %s [%zu,%zu] of 0x%llx: 0x%llx: expected 0x%llx", name,
                 sam_tile_dtype_name(x->dtype), i, j,
                 (unsigned long long)test_bits(x->av, i * C + j, x->dtype), (unsigned long long)got,
                 (unsigned long long)expected);
}

static void finish(struct bench *x, const char *name, struct sam_event e)
{
    mark(name);
    if (e.status != SAM_OK)
        fail_msg("%s: %s", name, e.text);
    assert_int_equal(sam_tile_read(&x->d, x->dv, NULL), SAM_OK);
}

/* Element by element: with a tile, with one row or column of a tile, with a scalar, alone. */
static void elementwise(uint64_t *seed, const struct sam_tile_row *row, enum sam_dtype dtype)
{
    struct bench x;
    bool one_row = row->family == SAM_TILE_COLEXPAND2, one_col = row->family == SAM_TILE_ROWEXPAND2;
    bool scalar = row->family == SAM_TILE_SCALAR;
    uint64_t three = test_is_real(dtype) ? rounded(dtype, 3) : 3;
    start(&x, seed, dtype, one_row ? 1 : R, one_col ? 1 : C, true);
    struct sam_tile *sources[] = {&x.a, strcmp(row->sources, "tt") == 0 ? &x.b : NULL, NULL};
    const struct sam_event *none[] = {NULL};
    finish(&x, row->name, sam_tile_apply(row->name, &x.d, sources, 3, 0, none));
    for (size_t i = 0; i < R; i++)
        for (size_t j = 0; j < C; j++) {
            uint64_t a = test_bits(x.av, i * C + j, dtype);
            uint64_t b = test_bits(x.bv, one_row ? j : one_col ? i : i * C + j, dtype);
            same(&x, row->name, i, j, formula(row->function, dtype, a, scalar ? three : b));
        }
    sam_tile_core_free(x.core);
}

/* Reductions: in rising order, rounded at each step; the lowest index of the extremum. */
static void reduction(uint64_t *seed, const struct sam_tile_row *row, enum sam_dtype dtype)
{
    struct bench x;
    bool arg = row->family == SAM_TILE_COLARG || row->family == SAM_TILE_ROWARG;
    bool rows = row->family == SAM_TILE_ROWFOLD || row->family == SAM_TILE_ROWARG;
    start(&x, seed, dtype, R, C, false);
    x.d = tile(arg ? SAM_TILE_i32 : dtype, rows ? R : 1, rows ? 1 : C);
    struct sam_tile *sources[] = {&x.a, NULL};
    const struct sam_event *none[] = {NULL};
    finish(&x, row->name, sam_tile_apply(row->name, &x.d, sources, 0, 0, none));
    for (size_t k = 0; k < (rows ? R : C); k++) {
        size_t stride = rows ? 1 : C, first = rows ? k * C : k, n = rows ? C : R, index = 0;
        uint64_t best = test_bits(x.av, first, dtype);
        for (size_t i = 1; i < n; i++) {
            uint64_t next = test_bits(x.av, first + i * stride, dtype);
            uint64_t folded = formula(row->function, dtype, best, next);
            bool both_nan = test_is_real(dtype) && isnan(test_value(dtype, best)) &&
                            isnan(test_value(dtype, next));
            if (arg && folded != best && !both_nan)
                index = i;
            if (!arg || (folded != best && !both_nan))
                best = folded;
        }
        same(&x, row->name, rows ? k : 0, rows ? 0 : k, arg ? index : best);
    }
    sam_tile_core_free(x.core);
}

static bool takes(const struct sam_tile_row *row, enum sam_dtype dtype)
{
    const bool whole = row->dtypes == SAM_TILE_WHOLE || row->dtypes == SAM_TILE_BITS;
    return row->dtypes == SAM_TILE_REAL ? test_is_real(dtype) : !whole || !test_is_real(dtype);
}

/* Every operation of the families that are fully described by their rows. */
TEST(test_rows)
{
    uint64_t seed = test_seed();
    for (size_t k = 0; k < SAM_TILE_OPS * 20; k++) {
        const struct sam_tile_row *row = &sam_tile_rows[k % SAM_TILE_OPS];
        for (size_t d = 0; d < SAM_COUNT(test_dtypes); d++) {
            if (!takes(row, test_dtypes[d]))
                continue;
            switch (row->family) {
            case SAM_TILE_BINARY:
            case SAM_TILE_SCALAR:
            case SAM_TILE_UNARY:
            case SAM_TILE_ROWEXPAND2:
            case SAM_TILE_COLEXPAND2: elementwise(&seed, row, test_dtypes[d]); break;
            case SAM_TILE_COLFOLD:
            case SAM_TILE_ROWFOLD:
            case SAM_TILE_COLARG:
            case SAM_TILE_ROWARG: reduction(&seed, row, test_dtypes[d]); break;
            default: break; /* below, and in convert.c and programs.c */
            }
        }
    }
}

/* Operations controlled by a mask, a scalar or a position. */
static void choices(uint64_t *seed, enum sam_dtype dtype)
{
    struct bench x;
    uint8_t mask[R * C];
    struct sam_tile m = tile(SAM_TILE_ui8, R, C);
    for (unsigned how = 0; how < 6; how++) {
        start(&x, seed, dtype, R, C, false);
        x.d = tile(SAM_TILE_ui8, R, C);
        finish(&x, "tcmp", sam_tcmp(&x.d, &x.a, &x.b, how));
        for (size_t i = 0; i < (size_t)R * C; i++) {
            double a = test_value(dtype, test_bits(x.av, i, dtype));
            double b = test_value(dtype, test_bits(x.bv, i, dtype));
            bool results[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
            same(&x, "tcmp", i / C, i % C, results[how]);
        }
        struct sam_tile *sources[] = {&x.a, NULL};
        const struct sam_event *none[] = {NULL};
        finish(&x, "tcmps", sam_tile_apply("tcmps", &x.d, sources, 3, how, none));
        for (size_t i = 0; i < (size_t)R * C; i++) {
            double a = test_value(dtype, test_bits(x.av, i, dtype));
            bool results[] = {a == 3, a != 3, a<3, a <= 3, a> 3, a >= 3};
            same(&x, "tcmps", i / C, i % C, results[how]);
        }
        sam_tile_core_free(x.core);
    }
    start(&x, seed, dtype, R, C, false);
    for (size_t i = 0; i < sizeof mask; i++)
        mask[i] = (uint8_t)test_below(seed, 3);
    assert_int_equal(sam_tile_fill(x.core, &m, mask, NULL), SAM_OK);
    finish(&x, "tsel", sam_tsel(&x.d, &m, &x.a, &x.b));
    for (size_t i = 0; i < sizeof mask; i++)
        same(&x, "tsel", i / C, i % C, test_bits(mask[i] ? x.av : x.bv, i, dtype));
    struct sam_tile *sources[] = {&m, &x.a, NULL};
    const struct sam_event *none[] = {NULL};
    finish(&x, "tsels", sam_tile_apply("tsels", &x.d, sources, 3, 0, none));
    uint64_t three = test_is_real(dtype) ? rounded(dtype, 3) : 3;
    for (size_t i = 0; i < sizeof mask; i++)
        same(&x, "tsels", i / C, i % C, mask[i] ? test_bits(x.av, i, dtype) : three);
    /* d = a * 3 + d, d of b's elements */
    assert_int_equal(sam_tile_fill(x.core, &x.d, x.bv, NULL), SAM_OK);
    finish(&x, "taxpy", sam_taxpy(&x.d, &x.a, 3));
    for (size_t i = 0; i < (size_t)R * C; i++)
        same(&x, "taxpy", i / C, i % C,
             formula(SAM_TILE_FN_ADD, dtype,
                     formula(SAM_TILE_FN_MUL, dtype, test_bits(x.av, i, dtype), three),
                     test_bits(x.bv, i, dtype)));
    finish(&x, "texpands", sam_texpands(&x.d, 3));
    for (size_t i = 0; i < (size_t)R * C; i++)
        same(&x, "texpands", i / C, i % C, three);
    sam_tile_core_free(x.core);
}

/* Moves: bits are unchanged. */
static void moves(uint64_t *seed, enum sam_dtype dtype)
{
    struct bench x;
    start(&x, seed, dtype, R, C, false);
    finish(&x, "tmov", sam_tmov(&x.d, &x.a));
    assert_memory_equal(x.dv, x.av, R * C * sam_dtype_size(dtype));
    struct sam_tile row = tile(dtype, 1, C), column = tile(dtype, R, 1);
    assert_int_equal(sam_tile_fill(x.core, &row, x.av, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(x.core, &column, x.av, NULL), SAM_OK);
    finish(&x, "tcolexpand", sam_tcolexpand(&x.d, &row));
    for (size_t i = 0; i < (size_t)R * C; i++)
        same(&x, "tcolexpand", i / C, i % C, test_bits(x.av, i % C, dtype));
    finish(&x, "trowexpand", sam_trowexpand(&x.d, &column));
    for (size_t i = 0; i < (size_t)R * C; i++)
        same(&x, "trowexpand", i / C, i % C, test_bits(x.av, i / C, dtype));
    struct sam_tile t = SAM_TILE_VALID(vec, f32, C, 32, C, R);
    x.d = t;
    x.d.type.dtype = dtype;
    finish(&x, "ttrans", sam_ttrans(&x.d, &x.a));
    for (size_t i = 0; i < C; i++)
        for (size_t j = 0; j < R; j++)
            same(&x, "ttrans", i, j, test_bits(x.av, j * C + i, dtype));
    struct sam_tile u = SAM_TILE_VALID(vec, f32, C / 2, 32, C / 2, 2 * R);
    x.d = u;
    x.d.type.dtype = dtype;
    finish(&x, "treshape", sam_treshape(&x.d, &x.a));
    assert_memory_equal(x.dv, x.av, R * C * sam_dtype_size(dtype));
    /* 8x32 from 7x20 and 7x12, then padding from 5x9 */
    struct sam_tile p = tile(dtype, 7, 20), q = tile(dtype, 7, 12), s = tile(dtype, 5, 9);
    assert_int_equal(sam_tile_fill(x.core, &p, x.av, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(x.core, &q, x.bv, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(x.core, &s, x.bv, NULL), SAM_OK);
    x.d = tile(dtype, 7, 32);
    finish(&x, "tconcat", sam_tconcat(&x.d, &p, &q));
    for (size_t i = 0; i < 7; i++)
        for (size_t j = 0; j < 32; j++)
            same(&x, "tconcat", i, j,
                 j < 20 ? test_bits(x.av, i * 20 + j, dtype)
                        : test_bits(x.bv, i * 12 + j - 20, dtype));
    x.d = tile(dtype, R, C);
    x.d.type.pad = SAM_TILE_PAD_max;
    finish(&x, "tfillpad", sam_tfillpad(&x.d, &s));
    uint64_t mask = UINT64_MAX >> (64 - 8 * sam_dtype_size(dtype));
    uint64_t top = test_is_real(dtype) ? test_real(dtype)->infinity : mask >> test_is_signed(dtype);
    for (size_t i = 0; i < R; i++)
        for (size_t j = 0; j < C; j++)
            same(&x, "tfillpad", i, j, i < 5 && j < 9 ? test_bits(x.bv, i * 9 + j, dtype) : top);
    if (!test_is_real(dtype)) {
        x.d = tile(dtype, R, C);
        assert_int_equal(sam_tile_place_on(x.core, &x.d, NULL), SAM_OK);
        finish(&x, "tci", sam_tci(&x.d, 100));
        for (size_t i = 0; i < (size_t)R * C; i++)
            same(&x, "tci", i / C, i % C, (100 + i) & mask);
    }
    sam_tile_core_free(x.core);
}

TEST(test_choices_and_moves)
{
    uint64_t seed = test_seed();
    for (int round = 0; round < 20; round++)
        for (size_t d = 0; d < SAM_COUNT(test_dtypes); d++) {
            choices(&seed, test_dtypes[d]);
            moves(&seed, test_dtypes[d]);
        }
}

TEST(test_matmul)
{
    static const enum sam_dtype dtypes[] = {SAM_TILE_f32, SAM_TILE_f16, SAM_TILE_bf16, SAM_TILE_i8};
    enum { M = 5, K = 9, N = 7 };
    uint64_t seed = test_seed();
    for (size_t k = 0; k < SAM_COUNT(dtypes) * 3; k++) {
        enum sam_dtype dtype = dtypes[k / 3];
        enum sam_dtype sum = dtype == SAM_TILE_i8 ? SAM_TILE_i32 : SAM_TILE_f32;
        SCOPED_CORE *core = test_core(&(struct sam_tile_options){.profile = SAM_TILE_A5});
        struct sam_tile ma = SAM_TILE_VALID(mat, f32, 16, 32, M, K);
        struct sam_tile mb = SAM_TILE_VALID(mat, f32, 16, 32, K, N);
        struct sam_tile mc = SAM_TILE_VALID(mat, f32, 1, 32, 1, N);
        struct sam_tile a = SAM_TILE_VALID(left, f32, 16, 32, M, K);
        struct sam_tile b = SAM_TILE_VALID(right, f32, 16, 32, K, N);
        struct sam_tile d = SAM_TILE_VALID(acc, f32, 16, 32, M, N);
        struct sam_tile e = SAM_TILE_VALID(acc, f32, 16, 32, M, N);
        struct sam_tile out = SAM_TILE_VALID(vec, f32, 16, 32, M, N);
        uint8_t av[M * K * 4], bv[K * N * 4], cv[M * N * 4], dv[M * N * 4];
        ma.type.dtype = mb.type.dtype = a.type.dtype = b.type.dtype = dtype;
        mc.type.dtype = d.type.dtype = e.type.dtype = out.type.dtype = sum;
        test_random_elements(av, M * K, dtype, &seed);
        test_random_elements(bv, K * N, dtype, &seed);
        test_random_elements(cv, M * N, sum, &seed);
        assert_int_equal(sam_tile_fill(core, &ma, av, NULL), SAM_OK);
        assert_int_equal(sam_tile_fill(core, &mb, bv, NULL), SAM_OK);
        assert_int_equal(sam_tile_fill(core, &mc, cv, NULL), SAM_OK);
        assert_int_equal(sam_tile_fill(core, &e, cv, NULL), SAM_OK);
        assert_string_equal(sam_tmov(&a, &ma).text, "");
        assert_string_equal(sam_tmov(&b, &mb).text, "");
        struct sam_event done = k % 3 == 0   ? sam_tmatmul(&d, &a, &b)
                                : k % 3 == 1 ? sam_tmatmul_acc(&d, &e, &a, &b)
                                             : sam_tmatmul_bias(&d, &a, &b, &mc);
        mark(k % 3 == 0 ? "tmatmul" : k % 3 == 1 ? "tmatmul_acc" : "tmatmul_bias");
        assert_string_equal(done.text, "");
        assert_string_equal(sam_tmov(&out, &d).text, "");
        assert_int_equal(sam_tile_read(&out, dv, NULL), SAM_OK);
        for (size_t i = 0; i < M; i++)
            for (size_t j = 0; j < N; j++) {
                uint64_t start_bits =
                    k % 3 == 0 ? 0 : test_bits(cv, k % 3 == 1 ? i * N + j : j, sum);
                float real = 0;
                uint32_t integer = (uint32_t)start_bits;
                memcpy(&real, &integer, 4);
                for (size_t n = 0; n < K; n++) {
                    double x = test_value(dtype, test_bits(av, i * K + n, dtype));
                    double y = test_value(dtype, test_bits(bv, n * N + j, dtype));
                    float product = (float)(x * y);
                    real = real + product;
                    integer += (uint32_t)(dtype == SAM_TILE_i8 ? (int32_t)(x * y) : 0);
                }
                uint32_t expected = sum == SAM_TILE_i32 ? integer
                                    : isnan(real)       ? 0x7fc00000
                                                        : sam_f32_bits(real);
                assert_int_equal(test_bits(dv, i * N + j, sum), expected);
            }
    }
}

/* The public headers and the table of docs/tile.md match the rows; the table is the output of
 * `samite tile ops`. */
TEST(test_document)
{
    char path[1024], row[256], *text;
    struct sam_tile_op_text op;
    size_t size;
    snprintf(path, sizeof path, "'%s/tools/tile-tables.sh' --check", getenv("SAMITE_SOURCE"));
    if (system(path) != 0)
        fail_msg("run tools/tile-tables.sh");
    snprintf(path, sizeof path, "%s/docs/tile.md", getenv("SAMITE_SOURCE"));
    assert_int_equal(sam_file_load(path, 1 << 20, &text, &size, NULL), SAM_OK);
    for (size_t i = 0; sam_tile_op_describe(i, &op); i++) {
        size_t n = (size_t)snprintf(row, sizeof row, "\n| `%s` | %s | %s | `", op.name, op.sources,
                                    op.dtypes);
        for (const char *c = op.meaning; *c && n < sizeof row - 4; row[n++] = *c++)
            if (*c == '|')
                row[n++] = '\\';
        memcpy(row + n, "` |", 4);
        if (!strstr(text, row))
            fail_msg("docs/tile.md lacks %s", row);
    }
    free(text);
}

/* Returns whether tables.c has the cases of an operation. */
static bool tables_has(const struct sam_tile_row *row)
{
    switch (row->family) {
    case SAM_TILE_FMA:
    case SAM_TILE_UNION:
    case SAM_TILE_QUANT:
    case SAM_TILE_DEQUANT:
    case SAM_TILE_GATHER:
    case SAM_TILE_SCATTER:
    case SAM_TILE_HISTOGRAM:
    case SAM_TILE_MERGE:
    case SAM_TILE_TRI: return true;
    case SAM_TILE_MATMUL_MX: /* scaled.c */
    case SAM_TILE_MATMUL_MX_ACC:
    case SAM_TILE_MATMUL_MX_BIAS: return true;
    default: return strncmp(row->name, "tgemv", 5) == 0;
    }
}

/* tload, tstore, textract and tinsert take views and positions: programs of exec.c and of
 * kernels/tile/ run them. */
TEST(test_all_seen)
{
    struct sam_tile_op_text op;
    for (size_t i = 0; sam_tile_op_describe(i, &op); i++)
        if (!seen[i] && !strpbrk(op.sources, "vi") && !sam_tile_stores(&sam_tile_rows[i]) &&
            sam_tile_rows[i].family != SAM_TILE_CVT && /* convert.c */
            !tables_has(&sam_tile_rows[i]))            /* lower/picked.c has mgather and mscatter */
            fail_msg("%s has no case", op.name);
    for (unsigned i = 0; i < SAM_DTYPES; i++) {
        enum sam_dtype dtype = (enum sam_dtype)i;
        bool tested = strcmp(sam_tile_dtype_name(dtype), "?") == 0 || sam_tile_is_special(dtype);
        for (size_t d = 0; d < SAM_COUNT(test_dtypes); d++)
            tested |= test_dtypes[d] == dtype;
        if (!tested)
            fail_msg("%s is not in test_dtypes", sam_tile_dtype_name(dtype));
    }
}
