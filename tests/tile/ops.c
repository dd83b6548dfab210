/* SPDX-License-Identifier: Apache-2.0 */
/* Every tile operation on random elements, against a formula in long double (floats) or 64-bit
 * integers, written from the table of docs/tile.md. Each is called by its C macro; a row of the
 * table that no case names fails. */
#include "tile/tile_test.h"

#include "samite/tile_ops.h"

enum { R = 8, C = 32 };

static bool seen[256];

static void mark(const char *name)
{
    struct sam_tile_op_text op;
    for (size_t i = 0; sam_tile_op_describe(i, &op); i++)
        seen[i] |= strcmp(op.name, name) == 0;
}

/* A long double rounded to the dtype: to nearest even in one step, by the double that is nearest
 * and odd where it is not exact. */
static uint64_t rounded(enum sam_tile_dtype dtype, long double v)
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
    const struct sam_fp_format *f = dtype == SAM_TILE_f16 ? &test_half : &test_bfloat;
    double largest = sam_fp_value(f, f == &test_half ? 0x7bff : 0x7f7f);
    double step = largest - sam_fp_value(f, f == &test_half ? 0x7bfe : 0x7f7e);
    if (fabs(d) >= largest + step / 2)
        return sam_fp_round(f, copysign(INFINITY, d));
    return sam_fp_round(f, d);
}

static long double real_two(const char *op, long double a, long double b)
{
    if (strcmp(op, "add") == 0)
        return a + b;
    if (strcmp(op, "sub") == 0)
        return a - b;
    if (strcmp(op, "mul") == 0)
        return a * b;
    if (strcmp(op, "div") == 0)
        return a / b;
    if (strcmp(op, "rem") == 0)
        return fmodl(a, b);
    if (strcmp(op, "expdif") == 0)
        return expl(a - b);
    if (strcmp(op, "lrelu") == 0 || strcmp(op, "prelu") == 0)
        return a < 0 ? a * b : a;
    fail_msg("no formula of %s", op);
    return 0;
}

static int64_t whole_two(const char *op, enum sam_tile_dtype dtype, int64_t a, int64_t b)
{
    int64_t width = (int64_t)sam_tile_dtype_size(dtype) * 8;
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op[0]) {
    case 'a': return strcmp(op, "add") == 0 ? (int64_t)(x + y) : a & b;
    case 's':
        return strcmp(op, "sub") == 0   ? (int64_t)(x - y)
               : strcmp(op, "shl") == 0 ? (int64_t)(x << ((b % width + width) % width))
                                        : a >> ((b % width + width) % width);
    case 'm': return (int64_t)(x * y);
    case 'd': return b ? a / b : 0;
    case 'r': return b ? a % b : 0;
    case 'o': return a | b;
    case 'x': return a ^ b;
    default: return a < 0 ? (int64_t)(x * y) : a; /* lrelu, prelu */
    }
}

static uint64_t two(const char *op, enum sam_tile_dtype dtype, uint64_t a, uint64_t b)
{
    uint64_t mask = UINT64_MAX >> (64 - 8 * sam_tile_dtype_size(dtype));
    if (strcmp(op, "min") == 0 || strcmp(op, "max") == 0)
        return test_fold(dtype, op[1] == 'a', SAM_TILE_NAN_NUMBER, a, b);
    if (test_is_real(dtype))
        return rounded(dtype, real_two(op, test_value(dtype, a), test_value(dtype, b)));
    return (uint64_t)whole_two(op, dtype, (int64_t)test_value(dtype, a),
                               (int64_t)test_value(dtype, b)) &
           mask;
}

static uint64_t one(const char *op, enum sam_tile_dtype dtype, uint64_t a)
{
    uint64_t mask = UINT64_MAX >> (64 - 8 * sam_tile_dtype_size(dtype));
    long double v = test_value(dtype, a), r = 0;
    if (strcmp(op, "abs") == 0)
        r = fabsl(v);
    else if (strcmp(op, "neg") == 0)
        r = -v;
    else if (strcmp(op, "relu") == 0)
        r = isnan(v) || v > 0 ? v : 0;
    else if (strcmp(op, "not") == 0)
        return ~a & mask;
    else if (strcmp(op, "exp") == 0)
        r = expl(v);
    else if (strcmp(op, "log") == 0)
        r = logl(v);
    else if (strcmp(op, "sqrt") == 0)
        r = sqrtl(v);
    else if (strcmp(op, "rsqrt") == 0)
        r = 1 / sqrtl(v);
    else if (strcmp(op, "recip") == 0)
        r = 1 / v;
    else
        fail_msg("no formula of %s", op);
    return test_is_real(dtype) ? rounded(dtype, r) : (uint64_t)(int64_t)r & mask;
}

/* The tiles of a case: a of R x C, b of b_rows x b_cols, d. */
struct bench {
    struct sam_tile_core *core;
    struct sam_tile a, b, d;
    uint8_t av[R * C * 4], bv[R * C * 4], dv[R * C * 4];
    enum sam_tile_dtype dtype;
};

static struct sam_tile tile(enum sam_tile_dtype dtype, int64_t rows, int64_t cols)
{
    struct sam_tile t = SAM_TILE_VALID(vec, f32, R, C, rows, cols);
    t.type.dtype = dtype;
    return t;
}

static void start(struct bench *x, uint64_t *seed, enum sam_tile_dtype dtype, int64_t b_rows,
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
        fail_msg("%s %s [%zu,%zu] of 0x%llx: 0x%llx, expected 0x%llx", name,
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

static const char *const both[] = {"add", "sub", "mul", "div", "rem", "min", "max", "prelu"};
static const char *const whole[] = {"and", "or", "xor", "shl", "shr"};

static struct sam_event call(const char *prefix, const char *op, const char *suffix,
                             struct bench *x, bool scalar, double value, char *name)
{
    struct sam_tile *sources[] = {&x->a, scalar ? NULL : &x->b, NULL};
    const struct sam_event *events[] = {NULL};
    snprintf(name, 32, "t%s%s%s", prefix, op, suffix);
    return sam_tile_apply(name, &x->d, sources, value, 0, events);
}

/* tile and tile, with a row or a column repeated, and tile and scalar */
static void two_operands(uint64_t *seed, enum sam_tile_dtype dtype, const char *op)
{
    static const char *const prefixes[] = {"", "rowexpand", "colexpand"};
    char name[32];
    struct bench x;
    bool only = strcmp(op, "rem") == 0 || strcmp(op, "prelu") == 0 || !strchr("asmde", op[0]) ||
                strcmp(op, "and") == 0 || op[1] == 'h';
    for (int form = 0; form < (only ? 1 : 3); form++) {
        if (form == 0 && strcmp(op, "expdif") == 0)
            continue;
        start(&x, seed, dtype, form == 2 ? 1 : R, form == 1 ? 1 : C, true);
        finish(&x, "", call(prefixes[form], op, "", &x, false, 0, name));
        mark(name);
        for (size_t i = 0; i < R; i++)
            for (size_t j = 0; j < C; j++) {
                size_t at = form == 0 ? i * C + j : form == 1 ? i : j;
                same(&x, name, i, j,
                     two(op, dtype, test_bits(x.av, i * C + j, dtype), test_bits(x.bv, at, dtype)));
            }
        sam_tile_core_free(x.core);
    }
    if (strcmp(op, "expdif") == 0)
        return;
    start(&x, seed, dtype, R, C, false);
    bool prelu = strcmp(op, "prelu") == 0;
    finish(&x, "", call("", prelu ? "lrelu" : op, prelu ? "" : "s", &x, true, 3, name));
    mark(name);
    uint64_t three = test_is_real(dtype) ? rounded(dtype, 3) : 3;
    for (size_t i = 0; i < R; i++)
        for (size_t j = 0; j < C; j++)
            same(&x, name, i, j, two(op, dtype, test_bits(x.av, i * C + j, dtype), three));
    sam_tile_core_free(x.core);
}

static void test_two(void **state)
{
    uint64_t seed = test_seed();
    (void)state;
    for (int round = 0; round < 20; round++)
        for (size_t d = 0; d < SAM_COUNT(test_dtypes); d++) {
            for (size_t i = 0; i < SAM_COUNT(both); i++)
                two_operands(&seed, test_dtypes[d], both[i]);
            for (size_t i = 0; i < SAM_COUNT(whole) && !test_is_real(test_dtypes[d]); i++)
                two_operands(&seed, test_dtypes[d], whole[i]);
            if (test_is_real(test_dtypes[d]))
                two_operands(&seed, test_dtypes[d], "expdif");
        }
}

static void test_one(void **state)
{
    static const char *const names[] = {"abs",  "neg",   "relu",  "exp", "log",
                                        "sqrt", "rsqrt", "recip", "not"};
    uint64_t seed = test_seed();
    (void)state;
    for (int round = 0; round < 20; round++)
        for (size_t d = 0; d < SAM_COUNT(test_dtypes); d++)
            for (size_t k = 0; k < SAM_COUNT(names); k++) {
                bool real = test_is_real(test_dtypes[d]);
                if ((real && k == 8) || (!real && k > 2 && k < 8))
                    continue;
                struct bench x;
                char name[32];
                start(&x, &seed, test_dtypes[d], R, C, false);
                finish(&x, "", call("", names[k], "", &x, true, 0, name));
                mark(name);
                for (size_t i = 0; i < R; i++)
                    for (size_t j = 0; j < C; j++)
                        same(&x, name, i, j,
                             one(names[k], x.dtype, test_bits(x.av, i * C + j, x.dtype)));
                sam_tile_core_free(x.core);
            }
}

/* Reductions: in rising order, rounded at each step; the lowest index of what the fold finds. */
static void reduction(uint64_t *seed, enum sam_tile_dtype dtype, const char *op, bool rows)
{
    struct bench x;
    char name[32];
    bool arg = strncmp(op, "arg", 3) == 0;
    const char *base = op + (arg ? 3 : 0);
    const char *step = strcmp(op, "sum") == 0 ? "add" : strcmp(op, "prod") == 0 ? "mul" : base;
    start(&x, seed, dtype, R, C, false);
    x.d = tile(arg ? SAM_TILE_i32 : dtype, rows ? R : 1, rows ? 1 : C);
    finish(&x, "", call(rows ? "row" : "col", op, "", &x, true, 0, name));
    mark(name);
    for (size_t k = 0; k < (rows ? R : C); k++) {
        size_t stride = rows ? 1 : C, first = rows ? k * C : k, n = rows ? C : R, index = 0;
        uint64_t best = test_bits(x.av, first, dtype);
        for (size_t i = 1; i < n; i++) {
            uint64_t next = test_bits(x.av, first + i * stride, dtype);
            uint64_t folded = two(step, dtype, best, next);
            bool both_nan = test_is_real(dtype) && isnan(test_value(dtype, best)) &&
                            isnan(test_value(dtype, next));
            if (arg && folded != best && !both_nan)
                index = i;
            if (!arg || (folded != best && !both_nan))
                best = folded;
        }
        same(&x, name, rows ? k : 0, rows ? 0 : k, arg ? index : best);
    }
    sam_tile_core_free(x.core);
}

static void test_reductions(void **state)
{
    static const char *const names[] = {"sum", "prod", "max", "min", "argmax", "argmin"};
    uint64_t seed = test_seed();
    (void)state;
    for (int round = 0; round < 20; round++)
        for (size_t d = 0; d < SAM_COUNT(test_dtypes); d++)
            for (size_t k = 0; k < SAM_COUNT(names); k++)
                for (int rows = 0; rows < 2; rows++)
                    reduction(&seed, test_dtypes[d], names[k], rows);
}

/* What a mask, a scalar or a place decides. */
static void choices(uint64_t *seed, enum sam_tile_dtype dtype)
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
             two("add", dtype, two("mul", dtype, test_bits(x.av, i, dtype), three),
                 test_bits(x.bv, i, dtype)));
    finish(&x, "texpands", sam_texpands(&x.d, 3));
    for (size_t i = 0; i < (size_t)R * C; i++)
        same(&x, "texpands", i / C, i % C, three);
    sam_tile_core_free(x.core);
}

/* Moves: bits are kept. */
static void moves(uint64_t *seed, enum sam_tile_dtype dtype)
{
    struct bench x;
    start(&x, seed, dtype, R, C, false);
    finish(&x, "tmov", sam_tmov(&x.d, &x.a));
    assert_memory_equal(x.dv, x.av, R * C * sam_tile_dtype_size(dtype));
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
    assert_memory_equal(x.dv, x.av, R * C * sam_tile_dtype_size(dtype));
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
    static const uint32_t top[] = {
        [SAM_TILE_f32] = 0x7f800000, [SAM_TILE_f16] = 0x7c00,    [SAM_TILE_bf16] = 0x7f80,
        [SAM_TILE_i8] = 127,         [SAM_TILE_ui8] = 255,       [SAM_TILE_i16] = 32767,
        [SAM_TILE_ui16] = 65535,     [SAM_TILE_i32] = INT32_MAX, [SAM_TILE_ui32] = UINT32_MAX};
    for (size_t i = 0; i < R; i++)
        for (size_t j = 0; j < C; j++)
            same(&x, "tfillpad", i, j,
                 i < 5 && j < 9 ? test_bits(x.bv, i * 9 + j, dtype) : top[dtype]);
    if (!test_is_real(dtype)) {
        x.d = tile(dtype, R, C);
        assert_int_equal(sam_tile_place_on(x.core, &x.d, NULL), SAM_OK);
        finish(&x, "tci", sam_tci(&x.d, 100));
        uint64_t mask = UINT64_MAX >> (64 - 8 * sam_tile_dtype_size(dtype));
        for (size_t i = 0; i < (size_t)R * C; i++)
            same(&x, "tci", i / C, i % C, (100 + i) & mask);
    }
    sam_tile_core_free(x.core);
}

static void test_choices_and_moves(void **state)
{
    uint64_t seed = test_seed();
    (void)state;
    for (int round = 0; round < 20; round++)
        for (size_t d = 0; d < SAM_COUNT(test_dtypes); d++) {
            choices(&seed, test_dtypes[d]);
            moves(&seed, test_dtypes[d]);
        }
}

static void test_matmul(void **state)
{
    static const enum sam_tile_dtype dtypes[] = {SAM_TILE_f32, SAM_TILE_f16, SAM_TILE_bf16,
                                                 SAM_TILE_i8};
    enum { M = 5, K = 9, N = 7 };
    uint64_t seed = test_seed();
    (void)state;
    for (size_t k = 0; k < SAM_COUNT(dtypes) * 3; k++) {
        enum sam_tile_dtype dtype = dtypes[k / 3];
        enum sam_tile_dtype sum = dtype == SAM_TILE_i8 ? SAM_TILE_i32 : SAM_TILE_f32;
        struct sam_tile_core *core = test_core(&(struct sam_tile_options){.profile = SAM_TILE_A5});
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
        for (size_t i = 0; i < M * K; i++)
            test_set(av, i, dtype, test_element(&seed, dtype));
        for (size_t i = 0; i < K * N; i++)
            test_set(bv, i, dtype, test_element(&seed, dtype));
        for (size_t i = 0; i < M * N; i++)
            test_set(cv, i, sum, test_element(&seed, sum));
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
        sam_tile_core_free(core);
    }
}

/* docs/tile.md has a row of every operation. */
static void test_document(void **state)
{
    char path[1024], row[64], *text;
    struct sam_tile_op_text op;
    size_t size;
    (void)state;
    snprintf(path, sizeof path, "%s/docs/tile.md", getenv("SAMITE_SOURCE"));
    assert_int_equal(sam_file_load(path, 1 << 20, &text, &size, NULL), SAM_OK);
    for (size_t i = 0; sam_tile_op_describe(i, &op); i++) {
        snprintf(row, sizeof row, "\n| `%s` | %s | %s |", op.name, op.sources, op.dtypes);
        if (!strstr(text, row))
            fail_msg("no row of %s in docs/tile.md", op.name);
    }
    free(text);
}

/* tload, tstore, textract and tinsert take views and places: programs of exec.c and of
 * kernels/tile/ run them. */
static void test_all_seen(void **state)
{
    struct sam_tile_op_text op;
    (void)state;
    for (size_t i = 0; sam_tile_op_describe(i, &op); i++)
        if (!seen[i] && !strpbrk(op.sources, "vi") && strcmp(op.name, "tstore") != 0 &&
            strcmp(op.name, "tcvt") != 0) /* convert.c */
            fail_msg("%s has no case", op.name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two),        cmocka_unit_test(test_one),
        cmocka_unit_test(test_reductions), cmocka_unit_test(test_choices_and_moves),
        cmocka_unit_test(test_matmul),     cmocka_unit_test(test_all_seen),
        cmocka_unit_test(test_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
