/* SPDX-License-Identifier: Apache-2.0 */
/* Small kernels, one construct of OpenCL C each, against the same computation in plain C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tests/cc/run.h"
#include "tests/streams.h"

PROLOGUE
{
    cc_need_clang();
}

static void expect_ids(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)in;
    out[0] = i % block;
    out[1] = i / block;
    out[2] = block;
    out[3] = CC_ITEMS / block * block;
}

TEST(ids)
{
    cc_check(CC_KERNEL "out[4 * i] = get_local_id(0); out[4 * i + 1] = get_group_id(0);"
                       "out[4 * i + 2] = get_local_size(0); out[4 * i + 3] = get_global_size(0); }",
             4, expect_ids);
}

static void expect_branches(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    uint32_t x = in[i], r = 1;
    if (x & 1)
        r = x & 2 ? x * 3 : x + 7;
    else if ((int32_t)x < 0)
        r = x / 5;
    switch (x % 6) {
    case 0: r += 10; break;
    case 1: r *= 3; /* fall through */
    case 2: r ^= x; break;
    case 4: r -= 5; break;
    default: r += 1;
    }
    out[0] = r;
}

TEST(branches)
{
    cc_check(CC_KERNEL
             "uint x = in[i], r = 1; if (x & 1) r = x & 2 ? x * 3 : x + 7; else if ((int)x < 0)"
             "r = x / 5; switch (x % 6) { case 0: r += 10; break; case 1: r *= 3; case 2: r ^= x;"
             "break; case 4: r -= 5; break; default: r += 1; } out[i] = r; }",
             1, expect_branches);
}

static void expect_hints(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    out[0] = in[i] % 3 ? in[i] * 5 : in[i] + 1;
    out[1] = in[i] & 4 ? 2 : 7;
    out[2] = in[i] + 10;
}

TEST(hints)
{
    cc_check("uint times(uint x, uint n) { return __builtin_constant_p(n) ? x + 10 : x; }" CC_KERNEL
             "const uint x = in[i]; out[3 * i] = __builtin_expect(x % 3 != 0, 1) ? x * 5 : x + 1;"
             "if (__builtin_expect(!!(x & 4), 0)) out[3 * i + 1] = 2; else out[3 * i + 1] = 7;"
             "out[3 * i + 2] = __builtin_constant_p(x) ? 0 : times(x, 6); }",
             3, expect_hints);
}

static void expect_loops(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    uint32_t r = 0;
    for (uint32_t k = 0; k < 50; k++) {
        const uint32_t x = in[(i + k * 3) % CC_IN];
        if (x % 3 == 0)
            continue;
        r += x ^ k;
        if (x % 17 == 5)
            break;
        for (uint32_t j = k; j < 2 * (x % 5); j++) {
            r = r * 5 + j;
            if (r % 11 == 0)
                break;
            if (r % 7 == 1) {
                r += k;
                continue;
            }
            r ^= in[j];
        }
    }
    out[0] = r;
}

TEST(loops)
{
    cc_check(CC_KERNEL
             "uint r = 0; for (uint k = 0; k < 50; k++) { const uint x = in[(i + k * 3) % 1024];"
             "if (x % 3 == 0) continue; r += x ^ k; if (x % 17 == 5) break;"
             "for (uint j = k; j < 2 * (x % 5); j++) { r = r * 5 + j; if (r % 11 == 0) break;"
             "if (r % 7 == 1) { r += k; continue; } r ^= in[j]; } } out[i] = r; }",
             1, expect_loops);
}

static void expect_returns(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    uint32_t r = 0;
    for (uint32_t k = 0; k < 10; k++) {
        const uint32_t x = in[i + k];
        if (x % 5 == 4) {
            out[0] = r + k;
            return;
        }
        while (r < x % 64)
            r += 3 + k;
        if (r % 13 == 12)
            return;
    }
    out[0] = ~r;
}

TEST(returns)
{
    cc_check(CC_KERNEL "uint r = 0; for (uint k = 0; k < 10; k++) { const uint x = in[i + k];"
                       "if (x % 5 == 4) { out[i] = r + k; return; } while (r < x % 64) r += 3 + k;"
                       "if (r % 13 == 12) return; } out[i] = ~r; }",
             1, expect_returns);
}

static void expect_jumps(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    out[0] = in[i] & 8 && (int32_t)in[5] < (int32_t)in[i] ? 0 : 2;
}

/* Lanes that leave a block by a goto meet the others before the barrier of the next iteration. */
TEST(jumps_out_of_blocks)
{
    cc_check(CC_KERNEL
             "out[i] = 0; for (short k = 0; k < 2; k++) { barrier(CLK_LOCAL_MEM_FENCE); {"
             "uint x = 1; if ((in[i] & 8) && (int)in[5] < (int)in[i]) goto done; out[i] += x; }"
             "done:; } }",
             1, expect_jumps);
}

static void expect_wide(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    const uint64_t a = in[i] | (uint64_t)in[i + 1] << 32, b = in[i + 2] | (uint64_t)in[i + 3] << 20;
    const unsigned s = in[i + 4] & 63;
    uint64_t r = a + b;
    r ^= a * b;
    r += (a << s) ^ (b >> s) ^ (uint64_t)((int64_t)a >> s);
    r -= a < b ? a : b;
    if ((int64_t)a > (int64_t)b)
        r = ~r;
    r = r << 13 | r >> 51;
    r += (int64_t)(int32_t)in[i] * (int32_t)in[i + 1];
    out[0] = (uint32_t)r;
    out[1] = (uint32_t)(r >> 32);
}

TEST(wide_integers)
{
    cc_check(CC_KERNEL
             "ulong a = in[i] | (ulong)in[i + 1] << 32, b = in[i + 2] | (ulong)in[i + 3] << 20;"
             "uint s = in[i + 4] & 63; ulong r = a + b; r ^= a * b;"
             "r += (a << s) ^ (b >> s) ^ (ulong)((long)a >> s); r -= a < b ? a : b;"
             "if ((long)a > (long)b) r = ~r; r = r << 13 | r >> 51;"
             "r += (long)(int)in[i] * (int)in[i + 1];"
             "out[2 * i] = r; out[2 * i + 1] = r >> 32; }",
             2, expect_wide);
}

static void expect_narrow(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    const uint8_t *bytes = (const uint8_t *)in;
    const int8_t a = (int8_t)bytes[i];
    const uint16_t b = ((const uint16_t *)in)[i];
    int16_t c = (int16_t)(a * b);
    uint8_t d = (uint8_t)(bytes[i] + 200);
    c = (int16_t)(c >> 3);
    d = (uint8_t)(d / 3);
    out[0] = (uint32_t)(int32_t)c + d;
    out[1] = a < (int8_t)d;
    out[2] = (uint32_t)(b % 7) << (d & 7);
}

TEST(narrow_integers)
{
    cc_check(
        CC_KERNEL
        "__global const uchar *bytes = (__global const uchar *)in; char a = bytes[i];"
        "ushort b = ((__global const ushort *)in)[i]; short c = a * b; uchar d = bytes[i] + 200;"
        "c >>= 3; d /= 3; out[3 * i] = c + d; out[3 * i + 1] = a < (char)d;"
        "out[3 * i + 2] = (uint)(b % 7) << (d & 7); }",
        3, expect_narrow);
}

static void expect_vectors(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    uint32_t v[4], w[4];
    for (int k = 0; k < 4; k++) {
        v[k] = in[4 * (i % 60) + (unsigned)k];
        w[k] = v[k] * 3 + (uint32_t)k;
    }
    const uint32_t x[4] = {w[3] ^ v[0], w[0] + v[1], v[2] > w[1] ? 7u : w[2], w[i & 3]};
    memcpy(out, x, sizeof x);
}

TEST(vectors)
{
    cc_check(CC_KERNEL
             "uint4 v = ((__global const uint4 *)in)[i % 60], w = v * 3 + (uint4)(0, 1, 2, 3);"
             "uint a[4]; *(uint4 *)a = w;"
             "uint4 x = (uint4)(w.w ^ v.x, w.x + v.y, v.z > w.y ? 7u : w.z, a[i & 3]);"
             "((__global uint4 *)out)[i] = x; }",
             4, expect_vectors);
}

static void expect_arrays(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    static const uint32_t table[] = {3, 1, 4, 1, 5, 9, 2, 6};
    (void)block;
    uint32_t stack[16];
    uint8_t bytes[16];
    for (uint32_t k = 0; k < 16; k++) {
        stack[k] = in[i + k] + table[k & 7];
        bytes[k] = (uint8_t)(in[i + k] >> 8);
    }
    for (uint32_t k = 0; k < 16; k++)
        stack[in[i + k] & 15] ^= bytes[(in[i] + k) & 15] + table[in[i + k] >> 29];
    out[0] = 0;
    for (uint32_t k = 0; k < 16; k++)
        out[0] = out[0] * 31 + stack[k];
}

TEST(private_arrays_and_tables)
{
    cc_check("__constant uint table[] = {3, 1, 4, 1, 5, 9, 2, 6};" CC_KERNEL
             "uint stack[16]; uchar bytes[16]; for (uint k = 0; k < 16; k++) {"
             "stack[k] = in[i + k] + table[k & 7]; bytes[k] = in[i + k] >> 8; }"
             "for (uint k = 0; k < 16; k++)"
             "stack[in[i + k] & 15] ^= bytes[(in[i] + k) & 15] + table[in[i + k] >> 29];"
             "uint r = 0; for (uint k = 0; k < 16; k++) r = r * 31 + stack[k]; out[i] = r; }",
             1, expect_arrays);
}

static void expect_tables(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    out[0] = 5 + i % 4 + 10 * (6 - i % 2 + in[i] % 3);
}

/* A table named by the kernel and by a later table. */
TEST(tables_that_name_tables)
{
    cc_check("__constant uint a[] = {5, 6, 7, 8}; __constant uint *__constant b[] = {a + 1, "
             "a};" CC_KERNEL "out[i] = a[i % 4] + 10 * b[i % 2][in[i] % 3]; }",
             1, expect_tables);
}

static void expect_local(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    const uint32_t first = i / block * block;
    uint32_t sum = 0;
    for (uint32_t k = 0; k < block; k++)
        sum += in[first + k];
    out[0] = sum + in[first + (i + 1 - first) % block];
}

TEST(local_memory_and_barriers)
{
    cc_check(CC_KERNEL
             "__local uint all[256], sum[1]; uint l = get_local_id(0), size = get_local_size(0);"
             "all[l] = in[i]; if (l == 0) sum[0] = 0; barrier(CLK_LOCAL_MEM_FENCE);"
             "uint next = all[(l + 1) % size];"
             "for (uint step = 128; step > 0; step >>= 1) { barrier(CLK_LOCAL_MEM_FENCE);"
             "if (l < step && l + step < size) all[l] += all[l + step]; }"
             "barrier(CLK_LOCAL_MEM_FENCE); out[i] = all[0] + next; }",
             1, expect_local);
}

static uint32_t three_ways(uint32_t s, uint32_t step)
{
    return s % 3 == 0 ? s * 5 : s % 3 == 1 ? s + 7 + step : s ^ 9;
}

static void expect_met(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    uint32_t s[256], all[256];
    for (uint32_t k = 0; k < block; k++)
        s[k] = in[i / block * block + k];
    for (uint32_t step = 0; step < 4; step++) {
        for (uint32_t k = 0; k < block; k++)
            all[k] = s[k] = three_ways(s[k], step);
        for (uint32_t k = 0; k < block; k++)
            s[k] += all[(k + 1) % block];
    }
    out[0] = s[i % block];
}

/* A fourth way, which no work-item takes, leads past the barrier; and one in a loop. */
TEST(ways_to_a_barrier)
{
    cc_check("#define WAYS(step, leave) if (s % 3 == 0) s *= 5; else if (s % 3 == 1) s += 7 + step;"
             "else if (n == 0) leave; else s ^= 9; all[l] = s; barrier(CLK_LOCAL_MEM_FENCE);"
             "s += all[(l + 1) % size]; barrier(CLK_LOCAL_MEM_FENCE);\n" CC_KERNEL
             "__local uint all[256]; uint l = get_local_id(0), size = get_local_size(0), s = in[i];"
             "WAYS(0, return) for (uint step = 1; step < 3; step++) { WAYS(step, break) }"
             "for (uint step = 3; step < 4; step++) { WAYS(step, goto end) } end: out[i] = s; }",
             1, expect_met);
}

static void expect_atomics(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    const uint32_t first = i / block * block, l = i - first;
    uint32_t count = 0, sum = 0, most = 0;
    for (uint32_t k = 0; k < block; k++) {
        count += in[first + k] % 8 == l % 8;
        sum += in[first + k] & 1 ? in[first + k] : 0;
        most = in[first + k] > most ? in[first + k] : most;
    }
    out[0] = count;
    out[1] = sum;
    out[2] = most;
    out[3] = block;
}

TEST(atomics)
{
    cc_check(CC_KERNEL
             "__local uint bins[8], sum, most, turns; uint l = get_local_id(0);"
             "if (l < 8) bins[l] = 0; if (l == 0) { sum = 0; most = 0; turns = 0; }"
             "barrier(CLK_LOCAL_MEM_FENCE); atomic_inc(&bins[in[i] % 8]);"
             "if (in[i] & 1) atomic_add(&sum, in[i]); atomic_max(&most, in[i]);"
             "uint seen, old = 0; do { seen = old; old = atomic_cmpxchg(&turns, seen, seen + 1); }"
             "while (old != seen);"
             "barrier(CLK_LOCAL_MEM_FENCE); out[4 * i] = bins[l % 8]; out[4 * i + 1] = sum;"
             "out[4 * i + 2] = most; out[4 * i + 3] = turns; }",
             4, expect_atomics);
}

static void expect_structs(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    out[0] = in[i] + in[i + 1] * 2 + (in[i + 2] & 0xffff);
    out[1] = in[(i * 3) % 200] >> 4;
}

static void expect_sum(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    for (uint32_t k = i / block * block; k < i / block * block + block; k++)
        out[0] += in[k] & 0xff;
}

/* Lanes of a warp that wait for each other: LLVM would sink the release of the lock below the loop,
 * where the lane that holds it waits for the rest. */
TEST(locks)
{
    static const char *const loops[] = {
        "int done = 0; while (!done) if (atomic_cmpxchg(&lock, 0, 1) == 0) {",
        "bool done = false; do { if (take(&lock)) {",
        "add(&lock, &sum, in[i] & 0xff); if (n == 0) {",
    };
    static const char *const ends[] = {"done = 1; atomic_xchg(&lock, 0); }",
                                       "done = true; atomic_xchg(&lock, 0); } } while (!done);",
                                       "}"};
    char source[1000];
    for (int l = 0; l < 3; l++) {
        snprintf(source, sizeof source,
                 "// CL2.0\n"
                 "void add(volatile __local int *l, __local uint *s, uint x) { int done = 0;\n"
                 "while (!done) if (atomic_cmpxchg(l, 0, 1) == 0) {\n"
                 "*s += x; done = 1; atomic_xchg(l, 0); } }\n"
                 "bool take(volatile __local int *l) { return atomic_xchg(l, 1) == 0; }\n" CC_KERNEL
                 "__local volatile int lock; __local uint sum;\n"
                 "if (get_local_id(0) == 0) lock = sum = 0;\n"
                 "work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);\n"
                 "%s sum += in[i] & 0xff; %s\n"
                 "work_group_barrier(CLK_LOCAL_MEM_FENCE); out[i] = sum; }\n",
                 loops[l], ends[l]);
        cc_check(source, 1, expect_sum);
    }
}

/* printf in a function that is inlined several times: all calls share one buffer. */
TEST(prints)
{
    SCOPED_IMAGE *image =
        cc_image("void show(uint n, uint x) { if (x > n) { printf(\"%u > %u\\n\", x, n); return; }"
                 "printf(\"%u\\n\", x); }" CC_KERNEL "show(n, in[i]); show(n, in[i + 1]);"
                 "for (uint k = 2; k < n; k++) show(k, in[i + k]); }");
    struct sam_buffer text = {0};
    uint32_t out[4] = {0}, n = 5;
    const uint32_t in[8] = {5, 6, 1, 4, 9, 3, 2, 1};
    const struct cc_launch launch = {.kernel = "k",
                                     .grid = {1, 1, 1},
                                     .block = {4, 1, 1},
                                     .lanes = 4,
                                     .args = &n,
                                     .args_size = 4,
                                     .print_size = 4096,
                                     .print = test_sink(&text)};
    assert_in_range(cc_run(image, &launch, out, 4, in, 8), 100, 100000);
    assert_string_equal(sam_buffer_text(&text), "6 > 5\n4\n1\n5\n"
                                                "4\n1\n9 > 5\n6 > 5\n"
                                                "1\n3 > 2\n9 > 2\n4 > 2\n"
                                                "2\n3\n9 > 3\n4 > 3\n"
                                                "9 > 4\n1\n2\n3\n");
    sam_buffer_free(&text);
}

/* Length modifiers: hh and h convert to their type, as C has them; others change nothing. */
TEST(prints_of_lengths)
{
    SCOPED_IMAGE *image = cc_image(
        CC_KERNEL "char c = -(int)in[0]; short s = c; long l = (long)in[1] << 33; size_t z = n;"
                  "printf(\"%zu %hhu %hu %hhd %u\\n\", z, c, s, s + 256, c);"
                  "printf(\"%ld %llu %jd %td %%\\n\", l, l + 1, -l, l);"
                  "printf(\"%v2hhd,%v2hld,%v2lu,%5hhx\\n\", (char2)(c, 3), (int2)(-4, 5),"
                  "(ulong2)(l, 6), (uchar)c); }");
    struct sam_buffer text = {0};
    uint32_t out[1] = {0}, n = 7;
    const uint32_t in[2] = {1, 3};
    const struct cc_launch launch = {.kernel = "k",
                                     .grid = {1, 1, 1},
                                     .block = {1, 1, 1},
                                     .lanes = 4,
                                     .args = &n,
                                     .args_size = 4,
                                     .print_size = 4096,
                                     .print = test_sink(&text)};
    cc_run(image, &launch, out, 1, in, 2);
    assert_string_equal(sam_buffer_text(&text),
                        "7 255 65535 -1 4294967295\n"
                        "25769803776 25769803777 -25769803776 25769803776 %\n"
                        "-1,3,-4,5,25769803776,6,   ff\n");
    sam_buffer_free(&text);
}

TEST(structs_and_functions)
{
    cc_check(
        "struct point { uint x; ushort y[2]; ulong z; }; typedef struct { struct point p[2]; } "
        "pair;"
        "static uint weight(const pair *p, int k) { return k ? p->p[k].x * 2 : p->p[0].x; }"
        "uint __attribute__((noinline)) low(struct point q) { return q.y[0]; }" CC_KERNEL
        "pair p; p.p[0].x = in[i]; p.p[1].x = in[i + 1]; p.p[i & 1].y[0] = in[i + 2];"
        "p.p[(i & 1) ^ 1].y[0] = 9; p.p[1].z = in[(i * 3) % 200];"
        "out[2 * i] = weight(&p, 0) + weight(&p, 1) + low(p.p[i & 1]);"
        "out[2 * i + 1] = p.p[1].z >> 4; }",
        2, expect_structs);
}

static void expect_floats(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    const float a = (float)(int32_t)in[i], b = (float)(in[i + 1] >> 8);
    float r[4] = {a + b, a * b - b, a / (b + 1.0f), a < b ? -a : b};
    r[0] = r[0] > 1e6f ? r[0] - 3.5f : r[0];
    memcpy(out, r, sizeof r);
    out[4] = (uint32_t)(int32_t)(a / 65536.0f);
    out[5] = (a != b) + 2 * (a >= b);
}

TEST(floats)
{
    cc_check("#pragma OPENCL FP_CONTRACT OFF\n" CC_KERNEL
             "float a = (int)in[i], b = in[i + 1] >> 8; float r = a + b;"
             "__global float *f = (__global float *)out + 6 * i; f[0] = r > 1e6f ? r - 3.5f : r;"
             "f[1] = a * b - b; f[2] = a / (b + 1.0f); f[3] = a < b ? -a : b;"
             "out[6 * i + 4] = (int)(a / 65536.0f); out[6 * i + 5] = (a != b) + 2 * (a >= b); }",
             6, expect_floats);
}

static void expect_ends(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)in, (void)block;
    const float ends[] = {i ? -2.0f : -0.0f, i ? 0 : -0.0f};
    memcpy(out + 3, ends, sizeof ends);
    out[0] = out[1] = out[2] = 1;
}

/* normalize of a vector with a NaN, between zeros and infinities; fract of negative integers. */
TEST(ends_of_floats)
{
    cc_check(CC_KERNEL "const float x = i ? 0 : INFINITY, m = i ? -2 : -0.0f; float whole;"
                       "out += 5 * i; out[0] = all(isnan(normalize((float4)(x, NAN, -x, x))));"
                       "out[1] = all(isnan(normalize((float2)(NAN, x))));"
                       "out[2] = all(normalize((float3)(x, 0, 0)) == (float3)(i ? 0 : 1, 0, 0));"
                       "out[4] = as_uint(fract(m, &whole)); out[3] = as_uint(whole); }",
             5, expect_ends);
}

enum { MANY = 420 };

static void expect_many(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)i, (void)block;
    for (uint32_t k = 0; k < MANY; k++)
        out[0] = out[0] * 31 + (in[k] ^ in[(k * 7 + 3) % MANY] >> (k % 13 + 1));
}

/* More uniform values than scalar registers and the stack of the warp have room for. */
TEST(many_uniform_values)
{
    SCOPED(sam_buffer) text = {0};
    sam_buffer_puts(&text, CC_KERNEL "uint s = 0;");
    for (int k = 0; k < MANY; k++)
        sam_buffer_printf(&text, "uint a%d = in[%d];\n", k, k);
    sam_buffer_puts(&text,
                    "barrier(CLK_GLOBAL_MEM_FENCE); out[i] = n; barrier(CLK_GLOBAL_MEM_FENCE);\n");
    for (int k = 0; k < MANY; k++)
        sam_buffer_printf(&text, "s = s * 31u + (a%d ^ a%d >> %d);\n", k, (k * 7 + 3) % MANY,
                          k % 13 + 1);
    sam_buffer_puts(&text, "out[i] = s; }\n");
    cc_check(sam_buffer_text(&text), 1, expect_many);
}

static uint32_t large(uint32_t k)
{
    return (k + 3) * 0x9e3779b1u;
}

static void expect_constants(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    uint32_t uniform = (in[0] & 3) + 2;
    out[0] = in[i];
    for (uint32_t round = uniform; round > 0; round--)
        for (uint32_t k = 0; k < MANY; k++) {
            uniform = (uniform ^ large(k)) * 31;
            out[0] = (out[0] + uniform) ^ large(k + MANY);
        }
}

/* A loop with more constants than registers of both kinds: they are made where they are used. */
TEST(many_constants)
{
    SCOPED(sam_buffer) text = {0};
    sam_buffer_puts(&text, CC_KERNEL "const uint rounds = (in[0] & 3) + 2;"
                                     "uint u = rounds, s = in[i];\n"
                                     "for (uint round = 0; round < rounds; round++) {\n");
    for (uint32_t k = 0; k < MANY; k++)
        sam_buffer_printf(&text, "u = (u ^ %uu) * 31u; s = (s + u) ^ %uu;\n", large(k),
                          large(k + MANY));
    sam_buffer_puts(&text, "} out[i] = s; }\n");
    cc_check(sam_buffer_text(&text), 1, expect_constants);
}

static void expect_phases(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    for (uint32_t phase = 0; phase < 3; phase++)
        for (uint32_t k = 0; k < MANY; k++)
            out[0] = (out[0] ^ in[(i + MANY - 1 - k + phase * 7) % CC_IN]) * 31 + (in[k] & 1);
}

/* Several times more vectors than registers: later ones get the memory of earlier ones. */
TEST(many_vectors)
{
    SCOPED(sam_buffer) text = {0};
    sam_buffer_puts(&text, CC_KERNEL "uint s = 0;");
    for (uint32_t phase = 0; phase < 3; phase++) {
        for (uint32_t k = 0; k < MANY; k++)
            sam_buffer_printf(&text, "uint a%u_%u = in[(i + %uu) %% 1024u];\n", phase, k,
                              k + phase * 7);
        sam_buffer_puts(&text, "barrier(CLK_GLOBAL_MEM_FENCE); out[i] = s;"
                               "barrier(CLK_GLOBAL_MEM_FENCE);\n");
        for (uint32_t k = 0; k < MANY; k++)
            sam_buffer_printf(&text, "s = (s ^ a%u_%u) * 31u + (in[%u] & 1);\n", phase,
                              MANY - 1 - k, k);
    }
    sam_buffer_puts(&text, "out[i] = s; }\n");
    cc_check(sam_buffer_text(&text), 1, expect_phases);
}
