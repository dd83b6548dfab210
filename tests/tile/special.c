/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on f64, tf32, hf32, e4m3, e5m2 and integers of 64 bits, which only some operations
 * take, against the number of the format that is nearest to the exact result, found by search. */
#include "tile/tile_test.h"

#include "samite/tile_ops.h"

enum { R = 4, C = 64, COUNT = R * C, RINT = 0, AWAY, FLOOR, CEIL, TRUNC };

/* A float format. `top`: the smallest magnitude of infinities and NaNs; `over`: the result of an
 * overflow. */
struct format {
    enum sam_dtype dtype;
    unsigned exponent, mantissa, unused;
    int bias;
    uint64_t top, over, nan;
};

static const struct format formats[] = {
    {SAM_TILE_f64, 11, 52, 0, 1023, 0x7ffULL << 52, 0x7ffULL << 52, 0x7ff8ULL << 48},
    {SAM_TILE_tf32, 8, 10, 13, 127, 255 << 10, 0x7f800000, 0x7fc00000},
    {SAM_TILE_hf32, 8, 11, 12, 127, 255 << 11, 0x7f800000, 0x7fc00000},
    {SAM_TILE_e4m3, 4, 3, 0, 7, 0x7f, 0x7f, 0x7f},
    {SAM_TILE_e5m2, 5, 2, 0, 15, 0x7c, 0x7c, 0x7e},
    {SAM_TILE_e3m2, 3, 2, 0, 3, 0x20, 0x1f, 0},
    {SAM_TILE_e2m3, 2, 3, 0, 1, 0x20, 0x1f, 0},
    {SAM_TILE_e2m1, 2, 1, 0, 1, 8, 7, 0},
    {SAM_TILE_e1m2, 1, 2, 0, 1, 8, 7, 0},
    {SAM_TILE_f32, 8, 23, 0, 127, 255 << 23, 0x7f800000, 0x7fc00000},
    {SAM_TILE_f16, 5, 10, 0, 15, 0x7c00, 0x7c00, 0x7e00},
    {SAM_TILE_bf16, 8, 7, 0, 127, 0x7f80, 0x7f80, 0x7fc0},
};

static const enum sam_dtype whole[] = {SAM_TILE_i64, SAM_TILE_ui64, SAM_TILE_i32, SAM_TILE_ui32,
                                       SAM_TILE_i16, SAM_TILE_ui16, SAM_TILE_i8,  SAM_TILE_ui8};

static const struct format *format_of(enum sam_dtype dtype)
{
    for (size_t i = 0; i < SAM_COUNT(formats); i++)
        if (formats[i].dtype == dtype)
            return &formats[i];
    return NULL;
}

static bool is_signed(enum sam_dtype dtype)
{
    return dtype == SAM_TILE_i64 || test_is_signed(dtype);
}

/* The value of a magnitude; that of `top` is the next number if there were one. */
static long double value_of(const struct format *f, uint64_t magnitude)
{
    const uint64_t exponent = magnitude >> f->mantissa;
    const uint64_t fraction = magnitude & ((1ULL << f->mantissa) - 1);
    return ldexpl((long double)(fraction + (exponent ? 1ULL << f->mantissa : 0)),
                  (int)(exponent ? exponent : 1) - f->bias - (int)f->mantissa);
}

static uint64_t sign_of(const struct format *f)
{
    return 1ULL << (f->exponent + f->mantissa);
}

static long double number(const struct format *f, uint64_t bits)
{
    bits >>= f->unused;
    const uint64_t magnitude = bits & (sign_of(f) - 1);
    const long double v = magnitude < f->top ? value_of(f, magnitude)
                          : magnitude == f->top && f->dtype != SAM_TILE_e4m3 ? INFINITY
                                                                             : NAN;
    return bits & sign_of(f) ? -v : v;
}

/* An exact value near `near`: its distance from x is far(context, x), up to a factor that does not
 * depend on x, and negative below. */
struct exact {
    long double near, a, b;
    long double (*far)(const struct exact *e, long double x);
};

/* The bits of a format that are nearest to a finite value other than zero. */
static uint64_t nearest(const struct format *f, const struct exact *e, int mode)
{
    const bool negative = e->near < 0;
    const long double size = fabsl(e->near), sign = negative ? -1 : 1;
    uint64_t low = 0, high = f->top;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        *(value_of(f, middle) <= size ? &low : &high) = middle;
    }
    /* `near` may be off by its own rounding */
    if (low && e->far(e, sign * value_of(f, low)) * sign > 0)
        low--;
    else if (low + 1 < f->top && e->far(e, sign * value_of(f, low + 1)) * sign <= 0)
        low++;
    const long double below = -e->far(e, sign * value_of(f, low)) * sign;
    const long double above = e->far(e, sign * value_of(f, low + 1)) * sign;
    bool up = above < below || (above == below && low & 1);
    if (mode == AWAY)
        up = above <= below;
    if (mode == FLOOR || mode == CEIL || mode == TRUNC)
        up = mode != TRUNC && (mode == FLOOR) == negative;
    if (below == 0)
        up = false;
    /* Beyond the number after the largest, which is that far away at most. */
    if (size > value_of(f, f->top))
        up = mode == RINT || mode == AWAY || (mode != TRUNC && (mode == FLOOR) == negative);
    const uint64_t magnitude = low + up;
    const uint64_t bits = magnitude >= f->top ? f->over : magnitude << f->unused;
    return bits | (negative && (bits != f->nan || !bits) ? sign_of(f) << f->unused : 0);
}

static long double far_sum(const struct exact *e, long double x)
{
    return fabsl(e->a) > fabsl(e->b) ? (x - e->a) - e->b : (x - e->b) - e->a;
}

static long double far_product(const struct exact *e, long double x)
{
    return x - e->a * e->b;
}

static long double far_quotient(const struct exact *e, long double x)
{
    return e->b < 0 ? e->a - x * e->b : x * e->b - e->a;
}

static long double far_value(const struct exact *e, long double x)
{
    return x - e->near;
}

/* --- elements */

static uint64_t element(uint64_t *seed, enum sam_dtype dtype)
{
    const struct format *f = format_of(dtype);
    const uint64_t r = test_random(seed), width = sam_dtype_bits(dtype);
    const uint64_t all = r >> 3 & (UINT64_MAX >> (64 - width));
    if (!f)
        return r % 8 == 0   ? (r >> 40 & 1) << (width - 1)
               : r % 8 == 1 ? (UINT64_MAX >> (64 - width)) - (r >> 40 & 1)
               : r % 8 == 2 ? r >> 40 & 15
               : r % 8 == 3
                   ? ((1ULL << (r >> 40) % width) + (1ULL << (r >> 50) % width) - (r >> 60 & 1)) &
                         (UINT64_MAX >> (64 - width)) /* near ties */
                   : all >> (r >> 34) % width;
    const uint64_t sign = (r >> 40 & 1) * sign_of(f);
    const uint64_t one = (uint64_t)f->bias << f->mantissa, more = r >> 44 & 7;
    const uint64_t special[] = {0,
                                1,
                                f->top,
                                f->top - 1,
                                f->nan >> f->unused,
                                1ULL << f->mantissa,
                                (1ULL << f->mantissa) - 1,
                                one + more};
    const uint64_t fraction = all & ((1ULL << f->mantissa) - 1);
    if (r % 4 == 0)
        return (sign | special[r >> 48 & 7]) << f->unused;
    if (r % 4 == 1) /* the same size, so that sums cancel and products have ties */
        return (sign | (one + (more << f->mantissa) / 4 + fraction)) << f->unused;
    return all >> f->unused << f->unused;
}

struct tiles {
    struct sam_tile_core *core;
    struct sam_tile a, b, d;
    uint8_t x[8 * COUNT], y[8 * COUNT], z[8 * COUNT];
    size_t count; /* of valid elements: whole rows, perhaps none */
};

static void open(struct tiles *t, uint64_t *seed, enum sam_dtype from, enum sam_dtype to)
{
    struct sam_tile_options options = {.profile = SAM_TILE_HOST};
    t->core = test_core(&options);
    const int64_t rows = (int64_t)test_below(seed, R + 1);
    t->count = (size_t)rows * C;
    t->a = t->b = t->d = (struct sam_tile)SAM_TILE_VALID(vec, f32, R, C, rows, C);
    t->a.type.dtype = t->b.type.dtype = from;
    t->d.type.dtype = to;
    for (size_t i = 0; i < COUNT; i++) {
        test_set(t->x, i, from, element(seed, from));
        test_set(t->y, i, from, element(seed, from));
    }
    assert_int_equal(sam_tile_fill(t->core, &t->a, t->x, NULL), SAM_OK);
    assert_int_equal(sam_tile_fill(t->core, &t->b, t->y, NULL), SAM_OK);
    assert_int_equal(sam_tile_place_on(t->core, &t->d, NULL), SAM_OK);
}

static void close_after(struct tiles *t, struct sam_event event)
{
    assert_string_equal(event.text, "");
    assert_int_equal(sam_tile_read(&t->d, t->z, NULL), SAM_OK);
    sam_tile_core_free(t->core);
}

static void same(enum sam_dtype dtype, uint64_t found, uint64_t expected, const char *what,
                 uint64_t a, uint64_t b)
{
    if (found != expected)
        fail_msg("%s on %s, 0x%llx and 0x%llx: 0x%llx: expected 0x%llx", what,
                 sam_dtype_name(dtype), (unsigned long long)a, (unsigned long long)b,
                 (unsigned long long)found, (unsigned long long)expected);
}

/* --- the expands */

static const enum sam_dtype listed[] = {SAM_TILE_f64,  SAM_TILE_tf32, SAM_TILE_hf32, SAM_TILE_e4m3,
                                        SAM_TILE_e5m2, SAM_TILE_i64,  SAM_TILE_ui64};

enum { ADD, SUB, MUL, DIV, MAX, MIN, FUNCTIONS };
static const char *const names[] = {"add", "sub", "mul", "div", "max", "min"};

static uint64_t real_result(const struct format *f, unsigned function, uint64_t x, uint64_t y)
{
    const long double a = number(f, x), b = number(f, y);
    const uint64_t sign = sign_of(f) << f->unused;
    if (function >= MAX) {
        const bool max = function == MAX;
        if (isnan(a) || isnan(b))
            return isnan(a) && isnan(b) ? f->nan : isnan(a) ? y : x;
        return a == b ? (a != 0 ? x : max ? x & y : x | y) : (max ? b > a : b < a) ? y : x;
    }
    const double p = (double)a, q = (double)b;
    const double rough = function == ADD   ? p + q
                         : function == SUB ? p - q
                         : function == MUL ? p * q
                                           : p / q;
    if (f->dtype == SAM_TILE_f64) {
        uint64_t bits;
        memcpy(&bits, &rough, sizeof bits);
        return isnan(rough) ? f->nan : bits;
    }
    if (isnan(rough) || (isinf(rough) && f->over == f->nan))
        return f->nan;
    if (rough == 0 || isinf(rough))
        return (isinf(rough) ? f->over : 0) | (signbit(rough) ? sign : 0);
    const struct exact e = {rough, a, function == SUB ? -b : b,
                            function < MUL    ? far_sum
                            : function == MUL ? far_product
                                              : far_quotient};
    const uint64_t bits = nearest(f, &e, RINT);
    return bits;
}

static uint64_t whole_result(enum sam_dtype dtype, unsigned function, uint64_t x, uint64_t y)
{
    const int64_t a = (int64_t)x, b = (int64_t)y;
    const bool below = dtype == SAM_TILE_i64 ? a < b : x < y;
    switch (function) {
    case ADD: return x + y;
    case SUB: return x - y;
    case MUL: return x * y;
    case DIV: return dtype == SAM_TILE_ui64 ? x / y : y + 1 == 0 ? -x : (uint64_t)(a / b);
    default: return below == (function == MIN) ? x : y;
    }
}

static struct sam_event expand(struct tiles *t, unsigned function, bool row, struct sam_tile *one)
{
    struct sam_tile *d = &t->d, *a = &t->a;
    switch (2 * function + row) {
    case 2 * ADD: return sam_tcolexpandadd(d, a, one);
    case 2 * ADD + 1: return sam_trowexpandadd(d, a, one);
    case 2 * SUB: return sam_tcolexpandsub(d, a, one);
    case 2 * SUB + 1: return sam_trowexpandsub(d, a, one);
    case 2 * MUL: return sam_tcolexpandmul(d, a, one);
    case 2 * MUL + 1: return sam_trowexpandmul(d, a, one);
    case 2 * DIV: return sam_tcolexpanddiv(d, a, one);
    case 2 * DIV + 1: return sam_trowexpanddiv(d, a, one);
    case 2 * MAX: return sam_tcolexpandmax(d, a, one);
    case 2 * MAX + 1: return sam_trowexpandmax(d, a, one);
    case 2 * MIN: return sam_tcolexpandmin(d, a, one);
    default: return sam_trowexpandmin(d, a, one);
    }
}

TEST(test_expands)
{
    static struct tiles t;
    uint64_t seed = test_seed();
    for (unsigned n = 0; n < 40 * 2 * FUNCTIONS * SAM_COUNT(listed); n++) {
        const enum sam_dtype dtype = listed[n % SAM_COUNT(listed)];
        const unsigned function = n / SAM_COUNT(listed) % FUNCTIONS;
        const bool row = n / SAM_COUNT(listed) / FUNCTIONS & 1;
        const struct format *f = format_of(dtype);
        open(&t, &seed, dtype, dtype);
        for (size_t i = 0; i < t.count && !f && function == DIV; i++)
            if (!test_bits(t.y, i, dtype))
                test_set(t.y, i, dtype, 1 + test_below(&seed, 3));
        assert_int_equal(sam_tile_fill(t.core, &t.b, t.y, NULL), SAM_OK);
        struct sam_tile one = t.b;
        close_after(&t, expand(&t, function, row, &one));
        for (size_t i = 0; i < t.count; i++) {
            const uint64_t a = test_bits(t.x, i, dtype);
            const uint64_t b = test_bits(t.y, row ? i / C * C : i % C, dtype);
            same(dtype, test_bits(t.z, i, dtype),
                 f ? real_result(f, function, a, b) : whole_result(dtype, function, a, b),
                 names[function], a, b);
        }
    }
}

/* --- bits of integers, copies and choices */

static uint64_t bits_result(enum sam_dtype dtype, unsigned function, uint64_t x, uint64_t y)
{
    switch (function) {
    case 0: return x & y;
    case 1: return x | y;
    case 2: return x ^ y;
    case 3: return x << (y & 63);
    case 4: return dtype == SAM_TILE_i64 ? (uint64_t)((int64_t)x >> (y & 63)) : x >> (y & 63);
    default: return ~x;
    }
}

TEST(test_integers)
{
    static struct tiles t;
    uint64_t seed = test_seed();
    for (unsigned n = 0; n < 240; n++) {
        const enum sam_dtype dtype = whole[n & 1];
        const unsigned function = n / 2 % 6, scalar = n / 12 & 1;
        const double one = (double)test_below(&seed, 1000) - (dtype == SAM_TILE_i64 ? 500 : 0);
        struct sam_event event;
        open(&t, &seed, dtype, dtype);
        switch (function * 2 + scalar) {
        case 0: event = sam_tand(&t.d, &t.a, &t.b); break;
        case 1: event = sam_tands(&t.d, &t.a, one); break;
        case 2: event = sam_tor(&t.d, &t.a, &t.b); break;
        case 3: event = sam_tors(&t.d, &t.a, one); break;
        case 4: event = sam_txor(&t.d, &t.a, &t.b); break;
        case 5: event = sam_txors(&t.d, &t.a, one); break;
        case 6: event = sam_tshl(&t.d, &t.a, &t.b); break;
        case 7: event = sam_tshls(&t.d, &t.a, one); break;
        case 8: event = sam_tshr(&t.d, &t.a, &t.b); break;
        case 9: event = sam_tshrs(&t.d, &t.a, one); break;
        default: event = sam_tnot(&t.d, &t.a); break;
        }
        close_after(&t, event);
        for (size_t i = 0; i < t.count; i++) {
            const uint64_t a = test_bits(t.x, i, dtype);
            const uint64_t b = scalar ? (uint64_t)(int64_t)one : test_bits(t.y, i, dtype);
            same(dtype, test_bits(t.z, i, dtype), bits_result(dtype, function, a, b), "bits", a, b);
        }
    }
}

TEST(test_copies)
{
    static struct tiles t;
    uint64_t seed = test_seed();
    for (unsigned n = 0; n < 3 * SAM_COUNT(listed); n++) {
        const enum sam_dtype dtype = listed[n / 3];
        const size_t size = sam_dtype_size(dtype);
        open(&t, &seed, dtype, dtype);
        close_after(&t, n % 3 == 0   ? sam_tcolexpand(&t.d, &t.b)
                        : n % 3 == 1 ? sam_trowexpand(&t.d, &t.b)
                                     : sam_texpands(&t.d, 3));
        for (size_t i = 0; i < t.count; i++) {
            const struct format *f = format_of(dtype);
            const struct exact three = {.near = 3, .far = far_value};
            const uint64_t from = n % 3 == 2 ? (f ? nearest(f, &three, RINT) : 3)
                                             : test_bits(t.y, n % 3 ? i / C * C : i % C, dtype);
            same(dtype, test_bits(t.z, i, dtype), from, "expand", 0, 0);
        }
        if (size > 4)
            continue;
        struct sam_tile mask;
        uint8_t choice[COUNT];
        for (size_t i = 0; i < COUNT; i++)
            choice[i] = (uint8_t)test_below(&seed, 2);
        open(&t, &seed, dtype, dtype);
        mask = (struct sam_tile)SAM_TILE_VALID(vec, ui8, R, C, (int64_t)t.count / C, C);
        assert_int_equal(sam_tile_fill(t.core, &mask, choice, NULL), SAM_OK);
        close_after(&t, sam_tsel(&t.d, &mask, &t.a, &t.b));
        for (size_t i = 0; i < t.count; i++)
            same(dtype, test_bits(t.z, i, dtype), test_bits(choice[i] ? t.x : t.y, i, dtype),
                 "tsel", choice[i], 0);
    }
}

/* Choices among the dtypes that are computed on in conversions and products alone. */
TEST(test_choices)
{
    static const enum sam_dtype small[] = {SAM_TILE_hif8, SAM_TILE_e3m2, SAM_TILE_e2m3,
                                           SAM_TILE_e8m0};
    uint64_t seed = test_seed();
    for (size_t n = 0; n < SAM_COUNT(small); n++) {
        struct sam_tile_core *core = test_core(NULL);
        struct sam_tile mask = SAM_TILE(vec, ui8, R, C), a = mask, b = mask, d = mask;
        uint8_t choice[COUNT], x[COUNT], y[COUNT], z[COUNT];
        a.type.dtype = b.type.dtype = d.type.dtype = small[n];
        for (size_t i = 0; i < COUNT; i++) {
            choice[i] = (uint8_t)test_below(&seed, 2);
            x[i] = (uint8_t)test_random(&seed);
            y[i] = (uint8_t)test_random(&seed);
        }
        assert_int_equal(sam_tile_fill(core, &mask, choice, NULL), SAM_OK);
        assert_int_equal(sam_tile_fill(core, &a, x, NULL), SAM_OK);
        assert_int_equal(sam_tile_fill(core, &b, y, NULL), SAM_OK);
        assert_string_equal(sam_tsel(&d, &mask, &a, &b).text, "");
        assert_int_equal(sam_tile_read(&d, z, NULL), SAM_OK);
        for (size_t i = 0; i < COUNT; i++)
            assert_int_equal(z[i], choice[i] ? x[i] : y[i]);
        assert_non_null(strstr(sam_tfillpad(&d, &a).text, "tfillpad: the source is of "));
        sam_tile_core_free(core);
    }
}

/* Padding: infinities, or the ends of the range. */
TEST(test_padding)
{
    static const struct {
        enum sam_dtype dtype;
        uint64_t max, min;
    } rows[] = {
        {SAM_TILE_f64, 0x7ffULL << 52, 0xfffULL << 52}, {SAM_TILE_tf32, 0x7f800000, 0xff800000},
        {SAM_TILE_hf32, 0x7f800000, 0xff800000},        {SAM_TILE_e5m2, 0x7c, 0xfc},
        {SAM_TILE_i64, INT64_MAX, 1ULL << 63},          {SAM_TILE_ui64, UINT64_MAX, 0}};
    static struct tiles t;
    uint64_t seed = test_seed();
    for (size_t n = 0; n < 2 * SAM_COUNT(rows); n++) {
        const enum sam_dtype dtype = rows[n / 2].dtype;
        open(&t, &seed, dtype, dtype);
        t.a = (struct sam_tile)SAM_TILE_VALID(vec, f32, R, C, R, C / 2);
        t.d = (struct sam_tile)SAM_TILE(vec, f32, R, C);
        t.a.type.dtype = t.d.type.dtype = dtype;
        t.d.type.pad = n % 2 ? SAM_TILE_PAD_min : SAM_TILE_PAD_max;
        assert_int_equal(sam_tile_fill(t.core, &t.a, t.x, NULL), SAM_OK);
        assert_int_equal(sam_tile_place_on(t.core, &t.d, NULL), SAM_OK);
        close_after(&t, sam_tfillpad(&t.d, &t.a));
        for (size_t i = 0; i < COUNT; i++)
            same(dtype, test_bits(t.z, i, dtype),
                 i % C < C / 2 ? test_bits(t.x, i / C * (C / 2) + i % C, dtype)
                 : n % 2       ? rows[n / 2].min
                               : rows[n / 2].max,
                 "tfillpad", i, 0);
    }
}

/* --- conversions */

static uint64_t to_whole(enum sam_dtype to, long double v, int mode)
{
    const int width = 8 * (int)sam_dtype_size(to);
    const long double high = ldexpl(1, width - is_signed(to)), low = is_signed(to) ? -high : 0;
    const long double n = mode == RINT    ? nearbyintl(v)
                          : mode == AWAY  ? roundl(v)
                          : mode == FLOOR ? floorl(v)
                          : mode == CEIL  ? ceill(v)
                                          : truncl(v);
    const uint64_t all = UINT64_MAX >> (64 - width);
    if (isnan(v))
        return 0;
    if (n >= high)
        return is_signed(to) ? all >> 1 : all;
    return (n <= low ? (uint64_t)(int64_t)low : n < 0 ? (uint64_t)(int64_t)n : (uint64_t)n) & all;
}

static uint64_t converted(enum sam_dtype from, enum sam_dtype to, uint64_t bits, int mode)
{
    const struct format *f = format_of(from), *g = format_of(to);
    const unsigned shift = 64 - 8 * (unsigned)sam_dtype_size(from);
    const long double v = f                 ? number(f, bits)
                          : is_signed(from) ? (long double)((int64_t)(bits << shift) >> shift)
                                            : (long double)bits;
    if (!g)
        return to_whole(to, v, mode);
    if (isnan(v) || (isinf(v) && g->over == g->nan))
        return g->nan;
    if (v == 0 || isinf(v))
        return (v == 0 ? 0 : g->over) | (signbit(v) ? sign_of(g) << g->unused : 0);
    return nearest(g, &(struct exact){.near = v, .far = far_value}, mode);
}

/* Every pair of dtypes of which one is special. */
TEST(test_conversions)
{
    static struct tiles t;
    enum sam_dtype all[SAM_COUNT(formats) + SAM_COUNT(whole)];
    uint64_t seed = test_seed();
    for (size_t i = 0; i < SAM_COUNT(all); i++)
        all[i] = i < SAM_COUNT(formats) ? formats[i].dtype : whole[i - SAM_COUNT(formats)];
    for (size_t n = 0; n < SAM_COUNT(all) * SAM_COUNT(all) * 5; n++) {
        const enum sam_dtype from = all[n / 5 % SAM_COUNT(all)], to = all[n / 5 / SAM_COUNT(all)];
        const int mode = (int)(n % 5);
        open(&t, &seed, from, to);
        close_after(&t, sam_tcvt(&t.d, &t.a, (unsigned)mode));
        for (size_t i = 0; i < t.count; i++) {
            const uint64_t a = test_bits(t.x, i, from);
            same(from, test_bits(t.z, i, to), converted(from, to, a, mode), sam_dtype_name(to), a,
                 (uint64_t)mode);
        }
    }
}

/* --- products */

static uint32_t product_of(const struct tiles *t, const enum sam_dtype of[2], size_t i, size_t j,
                           size_t k)
{
    const struct format *f = format_of(of[0]), *g = format_of(of[1]);
    const unsigned shift = 64 - 8 * (unsigned)sam_dtype_size(of[0]);
    const unsigned other = 64 - 8 * (unsigned)sam_dtype_size(of[1]);
    uint64_t sum = 0;
    float real = 0;
    for (size_t at = 0; at < k; at++) {
        const uint64_t x = test_bits(t->x, i * k + at, of[0]),
                       y = test_bits(t->y, at * 8 + j, of[1]);
        if (f)
            real += (float)number(f, x) * (float)number(g, y);
        else if (is_signed(of[0]))
            sum += (uint64_t)(((int64_t)(x << shift) >> shift) * ((int64_t)(y << other) >> other));
        else
            sum += x * y;
    }
    return !f ? (uint32_t)sum : isnan(real) ? 0x7fc00000 : sam_f32_bits(real);
}

TEST(test_products)
{
    static const enum sam_dtype dtypes[] = {
        SAM_TILE_tf32, SAM_TILE_hf32, SAM_TILE_e4m3, SAM_TILE_e5m2, SAM_TILE_ui8,
        SAM_TILE_i16,  SAM_TILE_ui16, SAM_TILE_e3m2, SAM_TILE_e2m3, SAM_TILE_f16,
        SAM_TILE_i8,   SAM_TILE_bf16, SAM_TILE_e2m1, SAM_TILE_e1m2};
    enum { K = 20, N = 8 };
    static struct tiles t;
    uint64_t seed = test_seed();
    for (unsigned n = 0; n < 600; n++) {
        const enum sam_dtype dtype = dtypes[n % SAM_COUNT(dtypes)];
        const size_t k = n % 30 ? 2 + test_below(&seed, K / 2) * 2 : 0;
        enum sam_dtype of[2] = {dtype, dtypes[test_below(&seed, SAM_COUNT(dtypes))]};
        uint32_t found[R * N];
        if (sam_dtype_class(of[1]) != sam_dtype_class(dtype))
            of[1] = dtype;
        open(&t, &seed, dtype, dtype);
        for (size_t i = 0; i < COUNT; i++)
            test_set(t.y, i, of[1], element(&seed, of[1]));
        t.a = (struct sam_tile)SAM_TILE_VALID(left, f32, R, 64, R, (int64_t)k);
        t.b = (struct sam_tile)SAM_TILE_VALID(right, f32, 32, 64, (int64_t)k, N);
        t.a.type.dtype = of[0];
        t.b.type.dtype = of[1];
        struct sam_tile d = SAM_TILE_VALID(acc, f32, R, 32, R, N);
        d.type.dtype = format_of(dtype)   ? SAM_TILE_f32
                       : is_signed(dtype) ? SAM_TILE_i32
                                          : SAM_TILE_ui32;
        assert_int_equal(sam_tile_fill(t.core, &t.a, t.x, NULL), SAM_OK);
        assert_int_equal(sam_tile_fill(t.core, &t.b, t.y, NULL), SAM_OK);
        assert_int_equal(sam_tile_place_on(t.core, &d, NULL), SAM_OK);
        assert_string_equal(sam_tmatmul(&d, &t.a, &t.b).text, "");
        assert_int_equal(sam_tile_read(&d, found, NULL), SAM_OK);
        for (size_t i = 0; i < R * N; i++)
            same(dtype, found[i], product_of(&t, of, i / N, i % N, k), "tmatmul", i, k);
        sam_tile_core_free(t.core);
    }
}

/* --- what the other operations say */

TEST(test_refused)
{
    static const struct {
        enum sam_dtype dtype;
        const char *text;
    } rows[] = {
        {SAM_TILE_f64, "tadd: source 1 is of f64; profile host has "},
        {SAM_TILE_tf32, "tadd: source 1 is of tf32; profile host has "},
        {SAM_TILE_hf32, "tadd: source 1 is of hf32; profile host has "},
        {SAM_TILE_i64, "tadd: source 1 is of i64; profile host has "},
        {SAM_TILE_hif8, "tadd: source 1 is of hif8; profile host has "},
        {SAM_TILE_e3m2, "tadd: source 1 is of e3m2; profile host has "},
    };
    static struct tiles t;
    uint64_t seed = test_seed();
    for (size_t n = 0; n < SAM_COUNT(rows); n++) {
        open(&t, &seed, rows[n].dtype, rows[n].dtype);
        assert_non_null(strstr(sam_tadd(&t.d, &t.a, &t.b).text, rows[n].text));
        sam_tile_core_free(t.core);
    }
    open(&t, &seed, SAM_TILE_i64, SAM_TILE_i64);
    const struct sam_event event = sam_tands(&t.d, &t.a, 0x1p63);
    assert_string_equal(event.text, "tands: the scalar 9.22337e+18 does not fit i64");
    sam_tile_core_free(t.core);
}

/* Constants are read and printed, among them those that f32 does not hold. */
TEST(test_constants)
{
    static const char text[] = "%a = arith.constant 0.1 : f64\n"
                               "%b = arith.constant 0xfff8000000000001 : f64\n"
                               "%c = arith.constant 0.1 : tf32\n"
                               "%d = arith.constant 0.1 : hf32\n"
                               "%e = arith.constant 9223372036854775807 : i64\n"
                               "%f = texpands %a : f64 -> !pto.tile<vec, 8x8xf64>\n";
    char *printed = NULL;
    struct sam_tile_program *p = test_round_trip("text", text, sizeof text - 1);
    assert_int_equal(sam_tile_print(p, SAM_TILE_FLAT, &printed, NULL), SAM_OK);
    static const char *const found[] = {"0.1 : f64", "0xfff8000000000001 : f64", "0.1 : tf32",
                                        "0.1 : hf32"};
    for (size_t i = 0; i < SAM_COUNT(found); i++)
        assert_non_null(strstr(printed, found[i]));
    free(printed);
    sam_tile_program_free(p);
}
