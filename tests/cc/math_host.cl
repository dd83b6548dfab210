/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's instructions on the host, and after the library (MATH_CALLS) its functions by names that C can call. */
#ifndef MATH_CALLS
double exp_of_double(double x);
static float __samite_sqrt(float x) { return __builtin_sqrtf(x); }
static float __samite_exp(float x) { return (float)exp_of_double((double)x); }
static int __samite_ftoi_rtz(float x)
{
    return x != x || x >= 0x1p31f ? 0x7fffffff : x < -0x1p31f ? (int)0x80000000 : (int)x;
}
static int __samite_ftoi_rte(float x) { return __samite_ftoi_rtz(__builtin_rintf(x)); }
static uint __samite_ftou_rtz(float x)
{
    return x != x || x >= 0x1p32f ? 0xffffffffu : x < 0 ? 0 : (uint)x;
}
static uint __samite_ftou_rte(float x) { return __samite_ftou_rtz(__builtin_rintf(x)); }
static uint __samite_mulhu(uint x, uint y) { return (uint)((ulong)x * y >> 32); }
static int __samite_mulh(int x, int y) { return (int)((long)x * y >> 32); }
#else
#define ONE(name, limit, reference) float math_##name(float x) { return name(x); }
#define TWO(name, limit, reference) float math_##name(float x, float y) { return name(x, y); }
#define EITHER(name, reference) TWO(name, 0, reference)
#define POWER(name, limit, reference) float math_##name(float x, int n) { return name(x, n); }
#include "math.def"
#endif
