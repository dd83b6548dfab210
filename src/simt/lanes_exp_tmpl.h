/* SPDX-License-Identifier: Apache-2.0 */
/* Part of lanes_float_tmpl.h: VFEXP. Computes exp in double precision and rounds to single; raises
 * no flags. Ruling 2.13. */

/* Bound of the relative error of exp_near. Lanes where such an error could change the result in
 * single precision, about one in 2^16, use the host's exp: so results are identical on every
 * instruction level of the host. */
#define EXP_ERROR 0x1p-41
/* Outside of -110 to 100 the result is zero or infinity: bits of these floats. */
#define EXP_LOW  0xc2dc0000
#define EXP_HIGH 0x42c80000

#if LANES_MASKS
#define EXP_QUIET (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC) /* raises no flags */

/* e^x of eight lanes: x = k ln 2 / 8 + r, |r| < 0.044, 2^(k / 8) from a table, and the Taylor
 * series of e^r up to r^6. Truncation contributes less than 2^-43, the rest less than 2^-45. */
static inline __m512d exp_near(__m512d x)
{
    const __m512d table = _mm512_setr_pd(
        1, 0x1.172b83c7d517bp+0, 0x1.306fe0a31b715p+0, 0x1.4bfdad5362a27p+0, 0x1.6a09e667f3bcdp+0,
        0x1.8ace5422aa0dbp+0, 0x1.ae89f995ad3adp+0, 0x1.d5818dcfba487p+0);
    const __m512d shift = _mm512_set1_pd(0x1.8p52); /* leaves k in the low bits of a sum */
#define EXP_FMA(a, b, c) _mm512_fmadd_round_pd(a, b, c, EXP_QUIET)
#define EXP_ALL(number)  _mm512_set1_pd(number)
    const __m512d shifted = EXP_FMA(x, EXP_ALL(0x1.71547652b82fep+3), shift);
    const __m512d k = _mm512_sub_round_pd(shifted, shift, EXP_QUIET);
    const __m512d r = _mm512_fnmadd_round_pd(k, EXP_ALL(0x1.62e42fefa39efp-4), x, EXP_QUIET);
    const __m512d r2 = _mm512_mul_round_pd(r, r, EXP_QUIET);
    const __m512d high =
        EXP_FMA(r2, EXP_ALL(1.0 / 720), EXP_FMA(r, EXP_ALL(1.0 / 120), EXP_ALL(1.0 / 24)));
    const __m512d low = EXP_FMA(r, EXP_ALL(1.0 / 6), EXP_ALL(0.5));
    const __m512d rest = EXP_FMA(r2, EXP_FMA(r2, high, low), r); /* e^r - 1 */
    const __m512i bits = _mm512_castpd_si512(shifted);
    const __m512d power = _mm512_permutexvar_pd(bits, table);
    const __m512i e = _mm512_castpd_si512(EXP_FMA(power, rest, power));
    /* times 2^(k / 8 rounded down) */
    const __m512i whole = _mm512_andnot_si512(_mm512_set1_epi64(7), bits);
    return _mm512_castsi512_pd(_mm512_add_epi64(e, _mm512_slli_epi64(whole, 52 - 3)));
}

/* A double in single precision, with `ulps` added to it first. */
static inline __m256 exp_rounded(__m512d e, long long ulps)
{
    const __m512i near = _mm512_add_epi64(_mm512_castpd_si512(e), _mm512_set1_epi64(ulps));
    return _mm512_cvt_roundpd_ps(_mm512_castsi512_pd(near), EXP_QUIET);
}

/* exp of all lanes in `r`. Returns those that may be wrong. */
static inline uint32_t exp_lanes(struct sam_core *c, uint32_t *r, const uint32_t *va)
{
    const long long ulps = (long long)(EXP_ERROR * 0x1p53);
    uint32_t apart = 0;
    (void)c;
    for (int half = 0; half < 2; half++) {
        const __m512i a = LANES_HALF(va, half);
        const __m512i size = _mm512_and_si512(a, _mm512_set1_epi32(INT32_MAX));
        const __m512i x = _mm512_min_epi32(_mm512_min_epu32(a, _mm512_set1_epi32((int)EXP_LOW)),
                                           _mm512_set1_epi32(EXP_HIGH));
        const __m512d e0 = exp_near(
            _mm512_cvt_roundps_pd(_mm256_castsi256_ps(_mm512_castsi512_si256(x)), EXP_QUIET));
        const __m512d e1 = exp_near(
            _mm512_cvt_roundps_pd(_mm256_castsi256_ps(_mm512_extracti64x4_epi64(x, 1)), EXP_QUIET));
        const __m512i least = _mm512_castps_si512(_mm512_insertf32x8(
            _mm512_castps256_ps512(exp_rounded(e0, -ulps)), exp_rounded(e1, -ulps), 1));
        const __m512i most = _mm512_castps_si512(_mm512_insertf32x8(
            _mm512_castps256_ps512(exp_rounded(e0, ulps)), exp_rounded(e1, ulps), 1));
        const __mmask16 number = _mm512_cmple_epu32_mask(size, _mm512_set1_epi32(0x7f800000));
        apart |= (uint32_t)_mm512_mask_cmpneq_epi32_mask(number, least, most) << (16 * half);
        _mm512_store_si512(r + 16 * half,
                           _mm512_mask_mov_epi32(_mm512_set1_epi32(SAM_F32_NAN), number, least));
    }
    return apart;
}
#else
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define EXP_STEP(factor, sum, x) __builtin_fma(sum, x, factor)
#else
#define EXP_STEP(factor, sum, x) ((sum) * (x) + (factor))
#endif

/* e^x: x = k ln 2 + r, |r| < 0.35, and the Taylor series of e^r up to r^10. Truncation contributes
 * less than 2^-42, range reduction and summation less than 2^-45. */
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

/* exp of all lanes in `r`. Returns those that may be wrong. */
static inline uint32_t exp_lanes(struct sam_core *c, uint32_t *r, const uint32_t *va)
{
    float x[SAM_LANES] __attribute__((aligned(64)));
    float least[SAM_LANES] __attribute__((aligned(64)));
    float most[SAM_LANES] __attribute__((aligned(64)));
    uint32_t apart[SAM_LANES] __attribute__((aligned(64)));
    const unsigned before = sam_host_fp_flags();
    LANES
    {
        const uint32_t a = va[i];
        const uint32_t low = a > EXP_LOW ? EXP_LOW : a;
        x[i] = F(SI(low) > EXP_HIGH ? EXP_HIGH : low);
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
    c->fflags |= (uint8_t)before;
    sam_host_fp_clear();
    return bits_with(apart, UINT32_MAX);
}
#endif

/* A translation with mask registers contains no call of exp, but leaves instead. */
static inline bool exp_group(struct sam_core *c, uint32_t bits, uint32_t *vd, const uint32_t *va)
{
    uint32_t *const r = __builtin_assume_aligned(&W->data[0], 64);
    uint32_t rest = exp_lanes(c, r, va) & bits;
    if (SAM_TRANSLATED && LANES_MASKS && rest)
        return false;
    if (rest) {
        const unsigned before = sam_host_fp_flags();
        for (; rest; rest &= rest - 1) {
            const int lane = __builtin_ctz(rest);
            r[lane] = sam_f32_bits((float)exp((double)F(va[lane])));
        }
        c->fflags |= (uint8_t)before;
        sam_host_fp_clear();
    }
    blend(W, bits, vd, r);
    return true;
}

SAM_HANDLER(op_vfexp_v)
{
    CHECK_GROUPS();
    bool done = true;
    for (unsigned g = 0; g < GROUPS; g++)
        done &= exp_group(c, acting(W, op, g), V(op->rd + g), V(op->rs2 + g));
    if (!done)
        SAM_TRAP_SET();
    SAM_NEXT();
}
