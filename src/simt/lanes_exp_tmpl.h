/* SPDX-License-Identifier: Apache-2.0 */
/* Part of lanes_float_tmpl.h: VFEXP. Computes exp in double precision and rounds to single; raises
 * no flags. Ruling 2.13. */

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define EXP_STEP(factor, sum, x) __builtin_fma(sum, x, factor)
#else
#define EXP_STEP(factor, sum, x) ((sum) * (x) + (factor))
#endif

/* e^x for -110 <= x <= 100, with relative error at most EXP_ERROR: x = k ln 2 + r, |r| < 0.35, and
 * the Taylor series of e^r up to r^10. Truncation contributes less than 2^-42, range reduction and
 * summation less than 2^-45. */
#define EXP_ERROR 0x1p-41
static inline double exp_near(double x)
{
    static const double log2_e = 0x1.71547652b82fep+0, ln_2 = 0x1.62e42fefa39efp-1;
    const double shift = 0x1.8p52; /* leaves k in the low bits of a sum */
    const double shifted = x * log2_e + shift, r = x - (shifted - shift) * ln_2;
    double e = 1.0 / 3628800, scale;
    e = EXP_STEP(1.0 / 362880, e, r);
    e = EXP_STEP(1.0 / 40320, e, r);
    e = EXP_STEP(1.0 / 5040, e, r);
    e = EXP_STEP(1.0 / 720, e, r);
    e = EXP_STEP(1.0 / 120, e, r);
    e = EXP_STEP(1.0 / 24, e, r);
    e = EXP_STEP(1.0 / 6, e, r);
    e = EXP_STEP(0.5, e, r);
    e = EXP_STEP(1.0, e, r);
    e = EXP_STEP(1.0, e, r);
    uint64_t k;
    memcpy(&k, &shifted, sizeof k);
    k = (k + 1023) << 52; /* 2^k */
    memcpy(&scale, &k, sizeof scale);
    return e * scale;
}

/* A translation with mask registers contains no call of exp, but leaves instead. Operands and
 * results pass through assembly there, so that the computation stays between the accesses to the
 * host's flags around it. */
#if SAM_TRANSLATED && LANES_MASKS
#define EXP_LEAVES 1
static inline void exp_fence(uint32_t *words)
{
    for (int k = 0; k < 2; k++) {
        __m512i half = LANES_HALF(words, k);
        __asm__ volatile("" : "+v"(half));
        _mm512_store_si512(words + 16 * k, half);
    }
}
#else
#define EXP_LEAVES 0
#endif

/* Lanes where an error of EXP_ERROR could change the single-precision result, about one in 2^17,
 * use the host's exp: so results are identical on every instruction level of the host. */
static inline bool exp_lanes(struct sam_warp *w, uint32_t bits, uint32_t *vd, const uint32_t *va)
{
    uint32_t *const r = __builtin_assume_aligned(&w->data[0], 64);
    float x[SAM_LANES] __attribute__((aligned(64)));
    float least[SAM_LANES] __attribute__((aligned(64)));
    float most[SAM_LANES] __attribute__((aligned(64)));
    uint32_t apart[SAM_LANES] __attribute__((aligned(64)));
#if EXP_LEAVES
    uint32_t own[SAM_LANES] __attribute__((aligned(64)));
    memcpy(own, va, sizeof own);
    exp_fence(own);
    va = own;
#endif
    LANES
    {
        const uint32_t a = va[i];
        /* outside this range the result is infinity or zero */
        const uint32_t low = a > 0xc2dc0000 ? 0xc2dc0000 : a;
        x[i] = F(SI(low) > 0x42c80000 ? 0x42c80000 : low);
    }
    LANES
    {
        const double e = exp_near((double)x[i]);
        least[i] = (float)(e * (1 - EXP_ERROR));
        most[i] = (float)(e * (1 + EXP_ERROR));
    }
    LANES
    {
        const uint32_t a = va[i], one = sam_f32_bits(least[i]), other = sam_f32_bits(most[i]);
        r[i] = NAN_(a) ? SAM_F32_NAN : one;
        apart[i] = NAN_(a) ? 0 : one ^ other;
    }
#if EXP_LEAVES
    exp_fence(r);
    exp_fence(apart);
    if (bits_with(apart, UINT32_MAX) & bits)
        return false;
#else
    for (uint32_t rest = bits_with(apart, UINT32_MAX) & bits; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        r[lane] = sam_f32_bits((float)exp((double)F(va[lane])));
    }
#endif
    blend(w, bits, vd, r);
    return true;
}

SAM_HANDLER(op_vfexp_v)
{
    CHECK_GROUPS();
    const unsigned before = sam_host_fp_flags();
    bool done = true;
    for (unsigned g = 0; g < GROUPS; g++)
        done &= exp_lanes(W, acting(W, op, g), V(op->rd + g), V(op->rs2 + g));
    c->fflags |= (uint8_t)before;
    sam_host_fp_clear();
    if (!done)
        SAM_TRAP_SET();
    SAM_NEXT();
}
