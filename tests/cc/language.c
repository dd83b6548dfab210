/* SPDX-License-Identifier: Apache-2.0 */
/* Small kernels, one construct of OpenCL C each, against the same computation in plain C. Each runs
 * with blocks that fill warps and blocks that do not, and with warps of 8 and 32 lanes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tests/cc/run.h"

PROLOGUE
{
    cc_need_clang();
}

enum { N = 240, IN = 1024 };

static void make_input(uint32_t *in)
{
    uint32_t state = 12345;
    for (int i = 0; i < IN; i++) {
        state = state * 1664525 + 1013904223;
        in[i] = i % 7 == 0 ? state >> 28 : i % 5 == 0 ? (uint32_t) - (int32_t)(state >> 25) : state;
    }
}

/* The kernel `k(global uint *out, global const uint *in, uint n)`, its result words per work-item,
 * and what work-item i of a block of `block` is to write. */
static void check(const char *source, unsigned words,
                  void (*expect)(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block))
{
    static const uint32_t blocks[] = {32, 60, 20, 240}, lanes[] = {32, 8};
    struct sam_image *image = cc_image(source);
    uint32_t in[IN], *out = malloc(4 * N * words), *want = malloc(4 * N * words);
    make_input(in);
    for (int b = 0; b < 4; b++)
        for (int l = 0; l < 2; l++) {
            const uint32_t n = N, groups = (N + blocks[b] - 1) / blocks[b];
            if (groups * blocks[b] != N && blocks[b] != 32)
                continue;
            const uint32_t count = groups * blocks[b] < N ? groups * blocks[b] : N;
            const struct cc_launch launch = {.kernel = "k",
                                             .grid = {N / blocks[b], 1, 1},
                                             .block = {blocks[b], 1, 1},
                                             .lanes = lanes[l],
                                             .args = &n,
                                             .args_size = 4};
            memset(out, 0, 4 * N * words);
            memset(want, 0, 4 * N * words);
            for (uint32_t i = 0; i < count / blocks[b] * blocks[b] && i < N / blocks[b] * blocks[b];
                 i++)
                expect(want + i * words, in, i, blocks[b]);
            cc_run(image, &launch, out, N * words, in, IN);
            for (uint32_t i = 0; i < N * words; i++)
                if (out[i] != want[i])
                    fail_msg("block %u, %u lanes: word %u of work-item %u: 0x%08x, expected "
                             "0x%08x\n%s",
                             blocks[b], lanes[l], i % words, i / words, out[i], want[i], source);
        }
    free(out);
    free(want);
    sam_image_free(image);
}

#define KERNEL                                                                                     \
    "__kernel void k(__global uint *out, __global const uint *in, uint n) {"                       \
    "const uint i = get_global_id(0);"

static void expect_ids(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)in;
    out[0] = i % block;
    out[1] = i / block;
    out[2] = block;
    out[3] = N / block * block;
}

TEST(ids)
{
    check(KERNEL "out[4 * i] = get_local_id(0); out[4 * i + 1] = get_group_id(0);"
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
    check(KERNEL
          "uint x = in[i], r = 1; if (x & 1) r = x & 2 ? x * 3 : x + 7; else if ((int)x < 0)"
          "r = x / 5; switch (x % 6) { case 0: r += 10; break; case 1: r *= 3; case 2: r ^= x;"
          "break; case 4: r -= 5; break; default: r += 1; } out[i] = r; }",
          1, expect_branches);
}

static void expect_loops(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    uint32_t r = 0;
    for (uint32_t k = 0; k < 50; k++) {
        const uint32_t x = in[(i + k * 3) % IN];
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
    check(KERNEL
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
    check(KERNEL "uint r = 0; for (uint k = 0; k < 10; k++) { const uint x = in[i + k];"
                 "if (x % 5 == 4) { out[i] = r + k; return; } while (r < x % 64) r += 3 + k;"
                 "if (r % 13 == 12) return; } out[i] = ~r; }",
          1, expect_returns);
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
    check(KERNEL "ulong a = in[i] | (ulong)in[i + 1] << 32, b = in[i + 2] | (ulong)in[i + 3] << 20;"
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
    check(KERNEL
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
    check(KERNEL "uint4 v = ((__global const uint4 *)in)[i % 60], w = v * 3 + (uint4)(0, 1, 2, 3);"
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
    check("__constant uint table[] = {3, 1, 4, 1, 5, 9, 2, 6};" KERNEL
          "uint stack[16]; uchar bytes[16]; for (uint k = 0; k < 16; k++) {"
          "stack[k] = in[i + k] + table[k & 7]; bytes[k] = in[i + k] >> 8; }"
          "for (uint k = 0; k < 16; k++)"
          "stack[in[i + k] & 15] ^= bytes[(in[i] + k) & 15] + table[in[i + k] >> 29];"
          "uint r = 0; for (uint k = 0; k < 16; k++) r = r * 31 + stack[k]; out[i] = r; }",
          1, expect_arrays);
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
    check(KERNEL
          "__local uint all[256], sum[1]; uint l = get_local_id(0), size = get_local_size(0);"
          "all[l] = in[i]; if (l == 0) sum[0] = 0; barrier(CLK_LOCAL_MEM_FENCE);"
          "uint next = all[(l + 1) % size];"
          "for (uint step = 128; step > 0; step >>= 1) { barrier(CLK_LOCAL_MEM_FENCE);"
          "if (l < step && l + step < size) all[l] += all[l + step]; }"
          "barrier(CLK_LOCAL_MEM_FENCE); out[i] = all[0] + next; }",
          1, expect_local);
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
    check(KERNEL
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

static void expect_bits(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    const uint32_t w = in[i] ^ i;
    out[0] = i + (w % 4 == 0 ? 3 : 0);
    out[1] = w;
    for (unsigned round = 0; round < 3 && w % 4 > 1; round++)
        out[1] = in[out[1] & 127];
}

/* LLVM makes w % 4 an element of a vector of 2-bit integers. */
TEST(elements_narrower_than_bytes)
{
    check(KERNEL "uint at = in[i] ^ i; uint4 q = (uint4)(i, in[i], 77u, at);"
                 "for (uint round = 3u; round-- > 0;) {"
                 "switch (q.w % 4u) { case 0u: q.x += 1; break; case 1u: break;"
                 "default: at = in[at & 127u]; } }"
                 "out[2 * i] = q.x; out[2 * i + 1] = at; }",
          2, expect_bits);
}

static void expect_structs(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    out[0] = in[i] + in[i + 1] * 2 + (in[i + 2] & 0xffff);
    out[1] = in[(i * 3) % 200] >> 4;
}

TEST(structs_and_functions)
{
    check("struct point { uint x; ushort y[2]; ulong z; }; typedef struct { struct point p[2]; } "
          "pair;"
          "static uint weight(const pair *p, int k) { return k ? p->p[k].x * 2 : p->p[0].x; }"
          "uint __attribute__((noinline)) low(struct point q) { return q.y[0]; }" KERNEL
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
    check("#pragma OPENCL FP_CONTRACT OFF\n" KERNEL
          "float a = (int)in[i], b = in[i + 1] >> 8; float r = a + b;"
          "__global float *f = (__global float *)out + 6 * i; f[0] = r > 1e6f ? r - 3.5f : r;"
          "f[1] = a * b - b; f[2] = a / (b + 1.0f); f[3] = a < b ? -a : b;"
          "out[6 * i + 4] = (int)(a / 65536.0f); out[6 * i + 5] = (a != b) + 2 * (a >= b); }",
          6, expect_floats);
}

/* _BitInt makes integers of any width; those that LLVM makes by itself take the same way. */
static void expect_wider(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    __extension__ typedef unsigned __int128 wide;
    __extension__ typedef __int128 signed_wide;
    wide v[2] = {0};
    for (int k = 0; k < 8; k++)
        v[k / 4] |= (wide)in[i + (uint32_t)k] << 32 * (k % 4);
    const wide a = v[0], b = v[1], narrow = (a << 63) >> 63;
    const uint32_t n = in[i + 8] & 127;
    const wide results[] = {a + b,
                            a - b,
                            a * b,
                            a << n,
                            a >> n,
                            (wide)((signed_wide)a >> n),
                            (wide)((signed_wide)a < (signed_wide)b) + 2 * (a < b) +
                                4 * (a == narrow),
                            a << 70 ^ a >> 96 ^ (wide)((signed_wide)a >> 33),
                            (wide)((signed_wide)(a << 63) >> 63),
                            a / ((wide)1 << 66) + a % ((wide)1 << 39),
                            n & 1 ? a + ((wide)5 << 100) + 7 : a - ((wide)1 << 64)};
    memcpy(out, results, sizeof results);
}

TEST(integers_of_more_than_64_bits)
{
    check(
        "typedef unsigned _BitInt(128) wide; typedef _BitInt(128) signed_wide;"
        "typedef unsigned _BitInt(65) narrow; typedef _BitInt(65) signed_narrow;" KERNEL
        "wide v[2] = {0}; for (int k = 0; k < 8; k++) v[k / 4] |= (wide)in[i + k] << 32 * (k % 4);"
        "wide a = v[0], b = v[1]; n = in[i + 8] & 127; wide r[] = {"
        "a + b, a - b, a * b, a << n, a >> n, (wide)((signed_wide)a >> n),"
        "(wide)((signed_wide)a < (signed_wide)b) + 2 * (wide)(a < b) + 4 * (wide)(a == (narrow)a),"
        "a << 70 ^ a >> 96 ^ (wide)((signed_wide)a >> 33), (wide)(signed_wide)(signed_narrow)a,"
        "a / ((wide)1 << 66) + a % ((wide)1 << 39),"
        "n & 1 ? a + ((wide)5 << 100) + 7 : a - ((wide)1 << 64)};"
        "for (int k = 0; k < 44; k++) out[44 * i + k] = (uint)(r[k / 4] >> 32 * (k % 4)); }",
        44, expect_wider);
}

static void expect_sums(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    uint64_t sum = 0, cubes = 0;
    uint32_t equal = 0;
    for (uint64_t k = 0; k < in[i] % 1000; k++)
        sum += k * k + 3 * k;
    for (uint64_t k = i; k < 300; k += 3)
        cubes += k * k * k;
    for (uint32_t k = 0; k < 16; k++)
        equal |= (in[i + k] & 1) != (in[i + 16 + k] & 1);
    memcpy(out, &sum, 8);
    memcpy(out + 2, &cubes, 8);
    out[4] = !equal;
    out[5] = in[i] == in[i + 7];
}

/* Loops that LLVM turns into formulas of 65 bits and more, and vectors compared as one number. */
TEST(sums_in_closed_form)
{
    check(KERNEL
          "ulong sum = 0, cubes = 0; for (ulong k = 0; k < in[i] % 1000; k++) sum += k * k + 3 * k;"
          "for (ulong k = i; k < 300; k += 3) cubes += k * k * k;"
          "uint16 a = vload16(0, in + i) & 1, b = vload16(0, in + i + 16) & 1;"
          "__global uint *o = out + 6 * i; o[0] = (uint)sum; o[1] = (uint)(sum >> 32);"
          "o[2] = (uint)cubes; o[3] = (uint)(cubes >> 32); o[4] = all(a == b);"
          "o[5] = all((uint4)(in[i], 1, 2, 3) == (uint4)(in[i + 7], 1, 2, 3)); }",
          6, expect_sums);
}

static void expect_elements(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    for (uint32_t k = 0; k < 16; k++)
        switch (in[i + k] % 4) {
        case 0: out[k] = k; break;
        case 1: out[k] = in[i + k]; break;
        default: out[k] = in[in[i + k] & 127]; break;
        }
}

/* 16 words are 256 elements of 2 bits. */
TEST(vectors_of_many_elements)
{
    check(KERNEL "uint16 q = vload16(0, in + i); uint w[16]; vstore16(q, 0, w);"
                 "for (uint k = 0; k < 16; k++) switch (w[k] % 4u) {"
                 "case 0u: w[k] = k; break; case 1u: break; default: w[k] = in[w[k] & 127u]; }"
                 "for (uint k = 0; k < 16; k++) out[16 * i + k] = w[k]; }",
          16, expect_elements);
}

__extension__ typedef __int128 wide_integer;

static int64_t saturated(wide_integer x)
{
    return x > INT64_MAX ? INT64_MAX : x < INT64_MIN ? INT64_MIN : (int64_t)x;
}

static void expect_saturated(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    const uint64_t a = in[i] | (uint64_t)in[i + 1] << 32, b = in[i + 2] | (uint64_t)in[i + 3] << 32;
    const int64_t c = (int64_t)a, d = (int64_t)b;
    const uint64_t results[] = {a + b < a ? UINT64_MAX : a + b,
                                a < b ? 0 : a - b,
                                (uint64_t)saturated((wide_integer)c + d),
                                (uint64_t)saturated((wide_integer)c - d),
                                a < b ? a : b,
                                c < d ? (uint64_t)d : a,
                                (uint64_t)__builtin_popcountll(a) +
                                    (a ? (uint64_t)__builtin_clzll(a) : 64)};
    memcpy(out, results, sizeof results);
}

TEST(saturation_of_64_bits)
{
    check(KERNEL
          "const ulong a = in[i] | (ulong)in[i + 1] << 32, b = in[i + 2] | (ulong)in[i + 3] << 32;"
          "const long c = (long)a, d = (long)b; ulong r[] = {add_sat(a, b), sub_sat(a, b),"
          "(ulong)add_sat(c, d), (ulong)sub_sat(c, d), min(a, b), (ulong)max(c, d),"
          "popcount(a) + clz(a)};"
          "for (int k = 0; k < 14; k++) out[14 * i + k] = (uint)(r[k / 2] >> 32 * (k % 2)); }",
          14, expect_saturated);
}

static void expect_copies(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    uint8_t p[67] = {1, 2, 3}, q[67], counts[259] = {0};
    p[in[i] % 67] = 9;
    memcpy(q, p, sizeof q);
    q[in[i + 1] % 67] = 7;
    memmove(q + 1, q, 65);
    for (uint32_t k = 0; k < 40; k++)
        counts[in[i + k] % 259] += (uint8_t)(k + 1);
    for (uint32_t k = 0; k < 67; k++)
        out[0] = out[0] * 31 + q[k] + p[66 - k];
    for (uint32_t k = 0; k < 259; k++)
        out[1] = out[1] * 31 + counts[k];
}

TEST(copies_of_odd_sizes)
{
    check("struct odd { uchar counts[259]; };" KERNEL
          "uchar p[67] = {1, 2, 3}, q[67]; struct odd s = {{0}}; p[in[i] % 67] = 9;"
          "__builtin_memcpy(q, p, 67); q[in[i + 1] % 67] = 7; __builtin_memmove(q + 1, q, 65);"
          "for (uint k = 0; k < 40; k++) s.counts[in[i + k] % 259] += k + 1;"
          "struct odd t = s; uint a = 0, b = 0;"
          "for (uint k = 0; k < 67; k++) a = a * 31 + q[k] + p[66 - k];"
          "for (uint k = 0; k < 259; k++) b = b * 31 + t.counts[k];"
          "out[2 * i] = a; out[2 * i + 1] = b; }",
          2, expect_copies);
}

static void expect_generic(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    uint32_t a[8] = {0};
    for (uint32_t k = 0; k < 8; k++)
        a[in[i + k] & 7] = k + in[i];
    for (uint32_t k = 0; k < 8; k++)
        out[0] += a[k];
    out[0] += in[i / block * block] + in[i / block * block + 1] + in[0] + in[1] + in[2];
    out[0] += a[(in[i] & 1 ? 0 : 2) + (in[i + 1] & 3)];
}

TEST(generic_pointers)
{
    check("// CL2.0\n"
          "uint sum(const uint *p, int n) { uint s = 0; for (int k = 0; k < n; k++) s += p[k]; "
          "return s; }"
          "void put(uint *p, uint at, uint v) { p[at] = v; }" KERNEL
          "__local uint l[240]; uint a[8] = {0}; for (uint k = 0; k < 8; k++) put(a, in[i + k] & "
          "7, k + in[i]);"
          "put(l, get_local_id(0), in[i]); barrier(CLK_LOCAL_MEM_FENCE);"
          "uint *q = in[i] & 1 ? a : a + 2;"
          "out[i] = sum(a, 8) + sum(l, 2) + sum(in, 3) + q[in[i + 1] & 3]; }",
          1, expect_generic);
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
    struct sam_buffer text = {0};
    sam_buffer_puts(&text, KERNEL "uint s = 0;");
    for (int k = 0; k < MANY; k++)
        sam_buffer_printf(&text, "uint a%d = in[%d];\n", k, k);
    sam_buffer_puts(&text,
                    "barrier(CLK_GLOBAL_MEM_FENCE); out[i] = n; barrier(CLK_GLOBAL_MEM_FENCE);\n");
    for (int k = 0; k < MANY; k++)
        sam_buffer_printf(&text, "s = s * 31u + (a%d ^ a%d >> %d);\n", k, (k * 7 + 3) % MANY,
                          k % 13 + 1);
    sam_buffer_puts(&text, "out[i] = s; }\n");
    check(sam_buffer_text(&text), 1, expect_many);
    sam_buffer_free(&text);
}
