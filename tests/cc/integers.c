/* SPDX-License-Identifier: Apache-2.0 */
/* Integers that are not of 8 to 64 bits, and what LLVM makes of those that are. */
#include <string.h>

#include "tests/cc/run.h"

PROLOGUE
{
    cc_need_clang();
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
    cc_check(CC_KERNEL "uint at = in[i] ^ i; uint4 q = (uint4)(i, in[i], 77u, at);"
                       "for (uint round = 3u; round-- > 0;) {"
                       "switch (q.w % 4u) { case 0u: q.x += 1; break; case 1u: break;"
                       "default: at = in[at & 127u]; } }"
                       "out[2 * i] = q.x; out[2 * i + 1] = at; }",
             2, expect_bits);
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
    cc_check(
        "typedef unsigned _BitInt(128) wide; typedef _BitInt(128) signed_wide;"
        "typedef unsigned _BitInt(65) narrow; typedef _BitInt(65) signed_narrow;" CC_KERNEL
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
    cc_check(
        CC_KERNEL
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
    cc_check(CC_KERNEL
             "uint16 q = vload16(0, in + i); uint w[16]; vstore16(q, 0, w);"
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
    cc_check(
        CC_KERNEL
        "const ulong a = in[i] | (ulong)in[i + 1] << 32, b = in[i + 2] | (ulong)in[i + 3] << 32;"
        "const long c = (long)a, d = (long)b; ulong r[] = {add_sat(a, b), sub_sat(a, b),"
        "(ulong)add_sat(c, d), (ulong)sub_sat(c, d), min(a, b), (ulong)max(c, d),"
        "popcount(a) + clz(a)};"
        "for (int k = 0; k < 14; k++) out[14 * i + k] = (uint)(r[k / 2] >> 32 * (k % 2)); }",
        14, expect_saturated);
}

static void expect_reversed(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    memset(out, 0, 16);
    for (uint32_t k = 0; k < 32; k++) {
        out[0] |= (in[i] >> k & 1) << (31 - k);
        out[1] |= k < 8 ? (in[i] >> k & 1) << (7 - k) : 0;
        out[2] |= (in[i + 1] >> k & 1) << (31 - k);
    }
    out[3] = out[0];
}

TEST(reversed_bits)
{
    cc_check(CC_KERNEL "out += 4 * i; out[0] = __builtin_bitreverse32(in[i]);"
                       "out[1] = __builtin_bitreverse8(in[i]);"
                       "ulong w = __builtin_bitreverse64(in[i] | (ulong)in[i + 1] << 32);"
                       "out[2] = (uint)w; out[3] = (uint)(w >> 32); }",
             4, expect_reversed);
}

static void expect_least(uint32_t *out, const uint32_t *in, uint32_t i, uint32_t block)
{
    (void)block;
    const uint32_t w = i % 2 ? 1u << 31 : in[i];
    const int32_t x = (int32_t)w, high = (int32_t)((int64_t)x * (int32_t)in[i + 1] >> 32);
    out[0] = w == 1u << 31;
    out[1] = w >> 24 == 0x80;
    out[2] = high > 0;
}

/* abs of the least integer is greater than the greatest; mad_hi wraps. */
TEST(results_past_the_greatest)
{
    cc_check(CC_KERNEL "const int x = i % 2 ? INT_MIN : (int)in[i], y = in[i + 1];"
                       "out += 3 * i; out[0] = abs(x) >> 31; out[1] = abs((char)(x >> 24)) >> 7;"
                       "out[2] = mad_hi(x, y, INT_MAX) < mul_hi(x, y); }",
             3, expect_least);
}
