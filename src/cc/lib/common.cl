/* SPDX-License-Identifier: Apache-2.0 */
/* Common, geometric and relational functions. */
#pragma OPENCL FP_CONTRACT OFF

/* --- common: the same text for scalars and vectors */
#define SAM_COMMON(N, _) \
    float##N SAM_OVER degrees(float##N x) { return x * 0x1.ca5dc2p+5f; } \
    float##N SAM_OVER radians(float##N x) { return x * 0x1.1df46ap-6f; } \
    float##N SAM_OVER max(float##N x, float##N y) { return fmax(x, y); } \
    float##N SAM_OVER min(float##N x, float##N y) { return fmin(x, y); } \
    float##N SAM_OVER clamp(float##N x, float##N low, float##N high) { return fmin(fmax(x, low), high); } \
    float##N SAM_OVER mix(float##N x, float##N y, float##N a) { return x + (y - x) * a; } \
    float##N SAM_OVER step(float##N edge, float##N x) { return x < edge ? (float##N)0 : (float##N)1; } \
    float##N SAM_OVER smoothstep(float##N low, float##N high, float##N x) \
    { const float##N t = clamp((x - low) / (high - low), (float##N)0, (float##N)1); return t * t * (3 - 2 * t); }
SAM_SIZES(SAM_COMMON, )
#define SAM_COMMON_SCALAR(N, _) \
    float##N SAM_OVER clamp(float##N x, float low, float high) { return clamp(x, (float##N)low, (float##N)high); } \
    float##N SAM_OVER mix(float##N x, float##N y, float a) { return mix(x, y, (float##N)a); } \
    float##N SAM_OVER step(float edge, float##N x) { return step((float##N)edge, x); } \
    float##N SAM_OVER smoothstep(float low, float high, float##N x) { return smoothstep((float##N)low, (float##N)high, x); }
SAM_WIDTHS(SAM_COMMON_SCALAR, )
SAM_VECTOR_SCALAR(max, float, float) SAM_VECTOR_SCALAR(min, float, float)
float SAM_OVER sign(float x) { return x > 0 ? 1 : x < 0 ? -1 : sam_is_nan(x) ? 0 : x; }
SAM_FLOAT1(sign)

/* --- geometric */
float SAM_OVER dot(float x, float y) { return x * y; }
float SAM_OVER dot(float2 x, float2 y) { return sam_fma(x.x, y.x, x.y * y.y); }
float SAM_OVER dot(float3 x, float3 y) { return sam_fma(x.x, y.x, sam_fma(x.y, y.y, x.z * y.z)); }
float SAM_OVER dot(float4 x, float4 y) { return sam_fma(x.x, y.x, sam_fma(x.y, y.y, sam_fma(x.z, y.z, x.w * y.w))); }
float3 SAM_OVER cross(float3 x, float3 y) { return x.yzx * y.zxy - x.zxy * y.yzx; }
float4 SAM_OVER cross(float4 x, float4 y) { return (float4)(cross(x.xyz, y.xyz), 0); }
static float SAM_OVER sam_largest(float x) { return sam_abs(x); }
static float SAM_OVER sam_largest(float2 x) { return fmax(sam_abs(x.x), sam_abs(x.y)); }
static float SAM_OVER sam_largest(float3 x) { return fmax(sam_largest(x.xy), sam_abs(x.z)); }
static float SAM_OVER sam_largest(float4 x) { return fmax(sam_largest(x.xy), sam_largest(x.zw)); }
#define SAM_GEOMETRIC(N) \
    float SAM_OVER length(float##N x) \
    { const float unit = sam_unit(sam_largest(x)); const float##N y = x * unit; \
      return sam_largest(x) == SAM_INF ? SAM_INF : __samite_sqrt(dot(y, y)) * (1 / unit); } \
    float SAM_OVER distance(float##N x, float##N y) { return length(x - y); } \
    float##N SAM_OVER normalize(float##N x) \
    { const float largest = sam_largest(x), unit = sam_unit(largest); const float##N y = x * unit; \
      if (dot(y, y) == 0) return x; \
      const float##N z = largest == SAM_INF ? copysign(x * 0 == 0 ? (float##N)0 : x == x ? (float##N)1 : x, x) : y; \
      return z / __samite_sqrt(dot(z, z)); } \
    float SAM_OVER fast_length(float##N x) { return __samite_sqrt(dot(x, x)); } \
    float SAM_OVER fast_distance(float##N x, float##N y) { return fast_length(x - y); } \
    float##N SAM_OVER fast_normalize(float##N x) \
    { const float square = dot(x, x); return square == 0 ? x : x * (1 / __samite_sqrt(square)); }
SAM_GEOMETRIC() SAM_GEOMETRIC(2) SAM_GEOMETRIC(3) SAM_GEOMETRIC(4)

/* --- relational: 1 for a scalar, -1 in the elements of a vector */
#define SAM_RELATION_(N, F, X) int##N SAM_OVER F(float##N x, float##N y) { return X; }
#define SAM_RELATION(F, X) SAM_SIZES(SAM_RELATION_, F, X)
SAM_RELATION(isequal, x == y)
SAM_RELATION(isnotequal, x != y)
SAM_RELATION(isgreater, x > y)
SAM_RELATION(isgreaterequal, x >= y)
SAM_RELATION(isless, x < y)
SAM_RELATION(islessequal, x <= y)
SAM_RELATION(islessgreater, (x < y) | (x > y))
SAM_RELATION(isordered, (x == x) & (y == y))
SAM_RELATION(isunordered, (x != x) | (y != y))
#define SAM_CLASS(N, F, X) \
    int##N SAM_OVER F(float##N x) { const uint##N all = as_uint##N(x), size = all & 0x7fffffffu; return X; }
SAM_SIZES(SAM_CLASS, isnan, size > 0x7f800000u)
SAM_SIZES(SAM_CLASS, isinf, size == 0x7f800000u)
SAM_SIZES(SAM_CLASS, isfinite, size < 0x7f800000u)
SAM_SIZES(SAM_CLASS, isnormal, size - 0x800000u < 0x7f000000u)
SAM_SIZES(SAM_CLASS, signbit, all != size)
