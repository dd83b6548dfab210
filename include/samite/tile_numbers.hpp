/* SPDX-License-Identifier: Apache-2.0 */
/* half and bfloat16_t for C++17: 16-bit floats that convert to and from arithmetic types, rounding
 * once, to nearest even. Arithmetic is that of float. tile.hpp includes this. */
#ifndef SAMITE_TILE_NUMBERS_HPP
#define SAMITE_TILE_NUMBERS_HPP

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace samite
{

namespace detail
{

inline uint32_t float_bits(float value)
{
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline float float_of(uint32_t bits)
{
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

/* A float that rounds to 16 bits as `value` does: inexact values get an odd last bit. */
template <typename T> float to_odd(T value)
{
    const double exact = double(value);
    const float near = float(exact);
    if (double(near) == exact || exact != exact || std::isinf(near))
        return near;
    const float below =
        std::fabs(double(near)) > std::fabs(exact) ? std::nextafter(near, 0.0F) : near;
    return float_of(float_bits(below) | 1);
}

struct half_format {
    static uint16_t narrow(float value)
    {
        const uint32_t bits = float_bits(value), sign = bits >> 16 & 0x8000, x = bits & 0x7fffffff;
        if (x > 0x7f800000)
            return 0x7e00;
        if (x >= 0x477ff000) /* 65520: halfway to 2^16 */
            return uint16_t(sign | 0x7c00);
        if (x < 0x38800000) /* subnormal: one half has its last place at 2^-24 */
            return uint16_t(sign | (float_bits(float_of(x) + 0.5F) - 0x3f000000));
        return uint16_t(sign | (x - 0x38000000 + 0xfff + (x >> 13 & 1)) >> 13);
    }
    static float widen(uint16_t bits)
    {
        const uint32_t sign = uint32_t(bits & 0x8000) << 16, x = bits & 0x7fff;
        if (x >= 0x7c00)
            return float_of(sign | 0x7f800000 | (x & 0x3ff) << 13);
        if (x < 0x400)
            return float_of(sign | float_bits(float(x) * 0x1p-24F));
        return float_of(sign | ((x << 13) + 0x38000000));
    }
};

struct bfloat16_format {
    static uint16_t narrow(float value)
    {
        const uint32_t x = float_bits(value);
        if ((x & 0x7fffffff) > 0x7f800000)
            return 0x7fc0;
        return uint16_t((x + 0x7fff + (x >> 16 & 1)) >> 16);
    }
    static float widen(uint16_t bits)
    {
        return float_of(uint32_t(bits) << 16);
    }
};

template <typename Format> struct float16 {
    uint16_t bits;

    float16() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
    float16(T value) : bits(Format::narrow(to_odd(value)))
    {
    }
    static float16 from_bits(uint16_t bits)
    {
        float16 made;
        made.bits = bits;
        return made;
    }
    operator float() const
    {
        return Format::widen(bits);
    }
    float16 &operator+=(float other)
    {
        return *this = float16(float(*this) + other);
    }
    float16 &operator-=(float other)
    {
        return *this = float16(float(*this) - other);
    }
    float16 &operator*=(float other)
    {
        return *this = float16(float(*this) * other);
    }
    float16 &operator/=(float other)
    {
        return *this = float16(float(*this) / other);
    }
};

} // namespace detail

using half = detail::float16<detail::half_format>;
using bfloat16_t = detail::float16<detail::bfloat16_format>;

/* The bits of 8-bit floats, and of scales that are powers of two: operands of TMATMUL_MX. */
struct float8_e4m3_t {
    uint8_t bits;
};
struct float8_e5m2_t {
    uint8_t bits;
};
struct float8_e8m0_t {
    uint8_t bits;
};
/* The bits of two floats of 4 bits, the first in the low half. A tile of R x C elements of such a
 * type has R x C numbers. */
struct float4_e2m1x2_t {
    uint8_t bits;
};
struct float4_e1m2x2_t {
    uint8_t bits;
};

} // namespace samite

#endif
