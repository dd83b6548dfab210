/* SPDX-License-Identifier: Apache-2.0 */
/* convert_TYPE with _sat and the four rounding modes. */

/* A function of a scalar, and of vectors element by element. */
#define SAM_CONVERT(D, SUFFIX, S, X) \
    D SAM_OVER convert_##D##SUFFIX(S x) { return X; } \
    D##2 SAM_OVER convert_##D##2##SUFFIX(S##2 x) { return (D##2)(convert_##D##SUFFIX(x.x), convert_##D##SUFFIX(x.y)); } \
    D##3 SAM_OVER convert_##D##3##SUFFIX(S##3 x) \
    { return (D##3)(convert_##D##SUFFIX(x.x), convert_##D##SUFFIX(x.y), convert_##D##SUFFIX(x.z)); } \
    D##4 SAM_OVER convert_##D##4##SUFFIX(S##4 x) \
    { return (D##4)(convert_##D##2##SUFFIX(x.lo), convert_##D##2##SUFFIX(x.hi)); } \
    D##8 SAM_OVER convert_##D##8##SUFFIX(S##8 x) \
    { return (D##8)(convert_##D##4##SUFFIX(x.lo), convert_##D##4##SUFFIX(x.hi)); } \
    D##16 SAM_OVER convert_##D##16##SUFFIX(S##16 x) \
    { return (D##16)(convert_##D##8##SUFFIX(x.lo), convert_##D##8##SUFFIX(x.hi)); }

/* The integer that a float becomes in each mode, as a float; towards zero is the conversion's own. */
static float sam_rounded_up(float x) { return -sam_floor(-x); }

/* x to a float other than the nearest: near may lie above or below. */
static float sam_step_from(float near, bool above, bool below, bool negative, enum sam_rounding mode)
{
    const bool down = above && (mode == SAM_DOWN || (mode == SAM_TO_ZERO && !negative));
    const bool up = below && (mode == SAM_UP || (mode == SAM_TO_ZERO && negative));
    return as_float(as_uint(near) + (down ? negative ? 1 : -1 : up ? negative ? -1 : 1 : 0));
}
static float SAM_OVER sam_long_to_float(long x, enum sam_rounding mode)
{
    const float near = __samite_i64tof(x);
    const bool above = near >= 0x1p63f || __samite_ftoi64(near) > x;
    return sam_step_from(near, above, !above && __samite_ftoi64(near) < x, x < 0, mode);
}
static float SAM_OVER sam_long_to_float(ulong x, enum sam_rounding mode)
{
    const float near = __samite_u64tof(x);
    const bool above = near >= 0x1p64f || __samite_ftou64(near) > x;
    return sam_step_from(near, above, !above && __samite_ftou64(near) < x, false, mode);
}
/* Narrower integers are longs. */
#define SAM_NARROW(T) static float SAM_OVER sam_long_to_float(T x, enum sam_rounding mode) { return sam_long_to_float((long)x, mode); }
SAM_NARROW(char) SAM_NARROW(uchar) SAM_NARROW(short) SAM_NARROW(ushort) SAM_NARROW(int) SAM_NARROW(uint)

#define SAM_MODES(D, S, SAT, X) \
    SAM_CONVERT(D, SAT, S, X) SAM_CONVERT(D, SAT##_rte, S, X) SAM_CONVERT(D, SAT##_rtz, S, X) \
    SAM_CONVERT(D, SAT##_rtp, S, X) SAM_CONVERT(D, SAT##_rtn, S, X)
/* Saturation, of a long or of a ulong; the bounds are the destination's. */
static long SAM_OVER sam_sat(long x, long low, ulong high) { return x < low ? low : x > 0 && (ulong)x > high ? (long)high : x; }
static ulong SAM_OVER sam_sat(ulong x, long low, ulong high) { return x > high ? high : x; }
#define SAM_FROM_INTEGER(D, S, MIN, MAX, W) \
    SAM_MODES(D, S, , (D)x) SAM_MODES(D, S, _sat, (D)sam_sat((W)x, MIN, MAX))
#define SAM_FROM_FLOAT(D, SAT, X) \
    SAM_CONVERT(D, SAT, float, X(x)) SAM_CONVERT(D, SAT##_rtz, float, X(x)) \
    SAM_CONVERT(D, SAT##_rte, float, X(sam_rint(x))) SAM_CONVERT(D, SAT##_rtp, float, X(sam_rounded_up(x))) \
    SAM_CONVERT(D, SAT##_rtn, float, X(sam_floor(x)))
#define SAM_TO_INTEGER(D, S, U, BITS, MIN, MAX, _) \
    SAM_FROM_INTEGER(D, char, MIN, MAX, long) SAM_FROM_INTEGER(D, uchar, MIN, MAX, long) \
    SAM_FROM_INTEGER(D, short, MIN, MAX, long) SAM_FROM_INTEGER(D, ushort, MIN, MAX, long) \
    SAM_FROM_INTEGER(D, int, MIN, MAX, long) SAM_FROM_INTEGER(D, uint, MIN, MAX, long) \
    SAM_FROM_INTEGER(D, long, MIN, MAX, long) SAM_FROM_INTEGER(D, ulong, MIN, MAX, ulong) \
    static D sam_##D(float x) { return (D)x; } \
    SAM_FROM_FLOAT(D, , sam_##D) \
    SAM_FROM_FLOAT(D, _sat, sam_sat_##D)
#define SAM_SAT_NARROW(D, MIN, MAX) \
    static D sam_sat_##D(float x) { return sam_is_nan(x) ? 0 : (D)clamp(__samite_ftoi_rtz(x), MIN, MAX); }
SAM_SAT_NARROW(char, CHAR_MIN, CHAR_MAX) SAM_SAT_NARROW(uchar, 0, UCHAR_MAX)
SAM_SAT_NARROW(short, SHRT_MIN, SHRT_MAX) SAM_SAT_NARROW(ushort, 0, USHRT_MAX)
static int sam_sat_int(float x) { return sam_is_nan(x) ? 0 : __samite_ftoi_rtz(x); }
static uint sam_sat_uint(float x) { return sam_is_nan(x) ? 0 : __samite_ftou_rtz(x); }
static long sam_sat_long(float x) { return sam_is_nan(x) ? 0 : __samite_ftoi64(x); }
static ulong sam_sat_ulong(float x) { return sam_is_nan(x) ? 0 : __samite_ftou64(x); }
SAM_INTEGERS(SAM_TO_INTEGER, )

#define SAM_TO_FLOAT(S, ...) \
    SAM_CONVERT(float, , S, (float)x) SAM_CONVERT(float, _rte, S, (float)x) \
    SAM_CONVERT(float, _rtz, S, sam_long_to_float(x, SAM_TO_ZERO)) \
    SAM_CONVERT(float, _rtp, S, sam_long_to_float(x, SAM_UP)) SAM_CONVERT(float, _rtn, S, sam_long_to_float(x, SAM_DOWN))
SAM_INTEGERS(SAM_TO_FLOAT, )
SAM_MODES(float, float, , x)
