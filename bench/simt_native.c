/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of bench/loops/ in C, compiled for this host (-O3 -march=native): the rate
 * of a perfect translator. */
#include "simt_native.h"

#define LANES _Pragma("GCC ivdep") for (int i = 0; i < lanes; i++)

/* alu_int.s, with `lanes` a constant in each call. */
static inline void int_turns(uint64_t turns, struct native_state *s, const int lanes)
{
    uint32_t *v3 = s->v[3], *v4 = s->v[4], *v5 = s->v[5], *v6 = s->v[6];
    for (; turns; turns--) {
        LANES
        {
            uint32_t a = v3[i] + v4[i], b = v5[i] ^ a;
            b = b << 13 | b >> 19;
            uint32_t c = v4[i] - b, t = a & c, d = v6[i] + s->t2;
            d ^= (int32_t)d > (int32_t)t ? d : t;
            a += 7;
            c += d << 3;
            d -= a < c ? a : c;
            v3[i] = a, v4[i] = c, v5[i] = b | s->t0, v6[i] = d;
        }
    }
}

void native_int_32(uint64_t turns, struct native_state *s)
{
    int_turns(turns, s, 32);
}

void native_int_8(uint64_t turns, struct native_state *s)
{
    int_turns(turns, s, 8);
}

/* divergent.s: odd lanes only. */
void native_half(uint64_t turns, struct native_state *s)
{
    for (; turns; turns--) {
        for (int i = 1; i < 32; i += 2) {
            uint32_t a = s->v[3][i] + s->v[4][i], b = s->v[5][i] ^ a;
            b = b << 13 | b >> 19;
            uint32_t c = s->v[4][i] - b, t = a & c, d = s->v[6][i] + s->t2;
            d ^= (int32_t)d > (int32_t)t ? d : t;
            a += 7;
            c += d << 3;
            d -= a < c ? a : c;
            s->v[3][i] = a, s->v[4][i] = c, s->v[5][i] = b | s->t0, s->v[6][i] = d;
        }
    }
}

/* alu_float.s. */
void native_float(uint64_t turns, struct native_state *s)
{
    float *v3 = s->f[3], *v4 = s->f[4], *v5 = s->f[5], *v6 = s->f[6];
    const float *v8 = s->f[8], *v9 = s->f[9], *v10 = s->f[10];
    const int lanes = 32;
    for (; turns; turns--) {
        LANES
        {
            float a = v3[i] * v8[i] + v9[i], b = __builtin_fmaf(v8[i], v4[i], v9[i]);
            float c = v5[i] * v10[i] + v8[i], d = __builtin_fmaf(v10[i], v6[i], v9[i]);
            float e = (a + b) * v10[i];
            a = __builtin_fmaf(v8[i], a, e);
            float g = (c + d) * v8[i];
            c = __builtin_fmaf(v10[i], c, g);
            b = __builtin_fmaf(0.5f, b * 0.5f, e);
            d = __builtin_fmaf(0.5f, d + 0.25f, g);
            v3[i] = a, v4[i] = b, v5[i] = c, v6[i] = d;
        }
    }
}

/* mem_unit.s: eight loads and eight stores of 32 words per iteration over 64 KiB. */
void native_memory(uint64_t turns, struct native_state *s)
{
    uint32_t at = 0;
    for (; turns; turns--) {
        uint32_t *block = s->buffer + at, loaded[256];
        __builtin_memcpy(loaded, block, sizeof loaded);
        __asm__ volatile("" : : "r"(loaded) : "memory");
        __builtin_memcpy(block + 32, loaded, sizeof loaded - 128);
        __builtin_memcpy(block, loaded + 224, 128);
        at = (at + 256) & 0x3fff;
    }
}

/* The same with 8 words, at the same addresses. */
void native_memory_8(uint64_t turns, struct native_state *s)
{
    uint32_t at = 0;
    for (; turns; turns--) {
        uint32_t *block = s->buffer + at, loaded[8][8];
        for (int i = 0; i < 8; i++)
            __builtin_memcpy(loaded[i], block + 32 * i, sizeof loaded[i]);
        __asm__ volatile("" : : "r"(loaded) : "memory");
        for (int i = 0; i < 8; i++)
            __builtin_memcpy(block + (32 * i + 32) % 256, loaded[i], sizeof loaded[i]);
        at = (at + 256) & 0x3fff;
    }
}

/* scalar.s. */
void native_scalar(uint64_t turns, struct native_state *s)
{
    uint32_t a = s->v[3][0], b = s->v[4][0];
    for (; turns; turns--) {
        a += s->t2;
        b ^= a;
        b = b << 13 | b >> 19;
        a -= b;
        uint32_t c = (a & b) + 7;
        b += a < b;
        a ^= (uint32_t)((int32_t)a >> 5);
        a += c << 2;
        b |= a & 255;
        __asm__ volatile("" : "+r"(a), "+r"(b)); /* keeps the compiler from merging iterations */
    }
    s->v[3][0] = a, s->v[4][0] = b;
}
