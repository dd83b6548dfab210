/* SPDX-License-Identifier: Apache-2.0 */
/* Part of lanes_tmpl.h: divides all lanes by one scalar. Hosts have no vector integer division, but
 * do have multiplication: T. Granlund and P. Montgomery, "Division by Invariant Integers using
 * Multiplication", 1994, section 4. */

struct divisor {
    uint32_t value;
    uint32_t multiplier, first, second; /* shifts */
    uint32_t zero;                      /* all ones if the divisor is 0 */
};

static inline struct divisor divisor_of(uint32_t value)
{
    if (value == 0)
        return (struct divisor){.zero = UINT32_MAX};
    const uint32_t bits = value == 1 ? 0 : 32 - (uint32_t)__builtin_clz(value - 1);
    const uint64_t rest = (UINT64_C(1) << bits) - value;
    return (struct divisor){.value = value,
                            .multiplier = (uint32_t)((rest << 32) / value + 1),
                            .first = bits > 0,
                            .second = bits > 0 ? bits - 1 : 0};
}

/* 2^32 - 1 if the divisor is 0. RISC-V M 7.2. */
static inline uint32_t quotient(uint32_t a, struct divisor b)
{
    const uint32_t high = (uint32_t)((uint64_t)a * b.multiplier >> 32);
    return (high + ((a - high) >> b.first)) >> b.second | b.zero;
}

/* Divides absolute values. `negative`: all ones if the divisor is negative. */
static inline uint32_t quotient_signed(uint32_t a, struct divisor b, uint32_t negative)
{
    const uint32_t sign = (uint32_t)(SI(a) >> 31), other = sign ^ negative;
    return (((quotient((a ^ sign) - sign, b) ^ other) - other)) | b.zero;
}

#define VX_DIVISOR(name, expr)                                                                     \
    LANE_OP(name##_vx, const uint32_t s = X1;                                                      \
            const struct divisor by = divisor_of(s), s, (void)0, expr)
#define VX_SIGNED(name, expr)                                                                      \
    LANE_OP(name##_vx, const uint32_t s = X1; const uint32_t negative = (uint32_t)(SI(s) >> 31);   \
            const struct divisor by = divisor_of((s ^ negative) - negative), s, (void)0, expr)

VX_DIVISOR(vdivu, quotient(a, by))
VX_DIVISOR(vremu, a - b * quotient(a, by))
VX_SIGNED(vdiv, quotient_signed(a, by, negative))
VX_SIGNED(vrem, a - b * quotient_signed(a, by, negative))
