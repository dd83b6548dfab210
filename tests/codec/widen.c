/* SPDX-License-Identifier: Apache-2.0 */
/* Every value of every narrow type in every wider one, against the host's arithmetic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "samite/codec.h"

/* The value by the definition of the format: sign, exponent, mantissa, and what is special. */
static double value_of(enum sam_weight_type type, uint64_t bits)
{
    unsigned e = 8, m = 7;
    int bias = 127;
    switch (type) {
    case SAM_W_BF16: break;
    case SAM_W_F16: e = 5, m = 10, bias = 15; break;
    case SAM_W_E4M3: e = 4, m = 3, bias = 7; break;
    case SAM_W_E5M2: e = 5, m = 2, bias = 15; break;
    case SAM_W_E2M1: e = 2, m = 1, bias = 1; break;
    case SAM_W_E8M0: return bits == 255 ? NAN : ldexp(1, (int)bits - 127);
    case SAM_W_F32: {
        float f;
        uint32_t word = (uint32_t)bits;
        memcpy(&f, &word, sizeof f);
        return (double)f;
    }
    default: {
        double d;
        memcpy(&d, &bits, sizeof d);
        return d;
    }
    }
    double sign = bits >> (e + m) & 1 ? -1 : 1;
    unsigned exponent = (unsigned)(bits >> m) & ((1u << e) - 1);
    unsigned mantissa = (unsigned)bits & ((1u << m) - 1);
    bool top = exponent == (1u << e) - 1;
    if (top && type == SAM_W_E4M3 && mantissa == 7)
        return sign * NAN;
    if (top && type != SAM_W_E4M3 && type != SAM_W_E2M1)
        return mantissa ? sign * NAN : sign * INFINITY;
    if (!exponent)
        return sign * ldexp(mantissa, 1 - bias - (int)m);
    return sign * ldexp((double)((1u << m) + mantissa), (int)exponent - bias - (int)m);
}

static void every_value(void **state)
{
    (void)state;
    static const enum sam_weight_type narrow[] = {SAM_W_BF16, SAM_W_F16,  SAM_W_E4M3,
                                                  SAM_W_E5M2, SAM_W_E8M0, SAM_W_E2M1};
    static const enum sam_weight_type wide[] = {SAM_W_BF16, SAM_W_F16, SAM_W_F32, SAM_W_F64};
    unsigned pairs = 0;
    for (size_t n = 0; n < sizeof narrow / sizeof narrow[0]; n++) {
        for (size_t k = 0; k < sizeof wide / sizeof wide[0]; k++) {
            if (!sam_weight_widens(narrow[n], wide[k]))
                continue;
            size_t bits = sam_weight_type_bits(narrow[n]), out = sam_weight_type_bits(wide[k]) / 8;
            for (uint64_t x = 0; x < UINT64_C(1) << bits; x++) {
                uint64_t in = bits == 4 ? x | x << 4 : x, y[2] = {0};
                struct sam_error error;
                assert_int_equal(
                    sam_weight_widen(narrow[n], wide[k], &in, bits == 4 ? 2 : 1, y, &error),
                    SAM_OK);
                uint64_t got = 0;
                memcpy(&got, (uint8_t *)y + (bits == 4 ? out : 0), out);
                double from = value_of(narrow[n], x), to = value_of(wide[k], got);
                if (isnan(from) ? !isnan(to) : from != to || !signbit(from) != !signbit(to))
                    fail_msg("%s %llx is %a, as %s %llx it is %a", sam_weight_type_name(narrow[n]),
                             (unsigned long long)x, from, sam_weight_type_name(wide[k]),
                             (unsigned long long)got, to);
            }
            pairs++;
        }
    }
    assert_int_equal(pairs, 2 + 2 + 4 + 4 + 3 + 4);
}

static void refused(void **state)
{
    (void)state;
    struct sam_error error;
    uint32_t x = 0;
    assert_false(sam_weight_widens(SAM_W_BF16, SAM_W_F16));
    assert_false(sam_weight_widens(SAM_W_F16, SAM_W_BF16));
    assert_false(sam_weight_widens(SAM_W_F32, SAM_W_BF16));
    assert_false(sam_weight_widens(SAM_W_F32, SAM_W_F32));
    assert_false(sam_weight_widens(SAM_W_E8M0, SAM_W_F16));
    assert_false(sam_weight_widens(SAM_W_E2M1, SAM_W_E4M3));
    assert_false(sam_weight_widens(SAM_W_U8, SAM_W_F32));
    assert_false(sam_weight_widens((enum sam_weight_type)99, SAM_W_F32));
    assert_true(sam_weight_widens(SAM_W_F32, SAM_W_F64));
    assert_int_equal(sam_weight_widen(SAM_W_F32, SAM_W_F16, &x, 1, &x, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_weight_widen(SAM_W_BF16, SAM_W_F32, NULL, 1, &x, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_weight_widen(SAM_W_BF16, SAM_W_F32, NULL, 0, NULL, &error), SAM_OK);
}

/* Signalling NaNs stay what they are. */
static void payloads(void **state)
{
    (void)state;
    struct sam_error error;
    uint16_t bf16 = 0xff81, f16 = 0x7d55;
    uint32_t f32 = 0;
    assert_int_equal(sam_weight_widen(SAM_W_BF16, SAM_W_F32, &bf16, 1, &f32, &error), SAM_OK);
    assert_int_equal(f32, 0xff810000);
    assert_int_equal(sam_weight_widen(SAM_W_F16, SAM_W_F32, &f16, 1, &f32, &error), SAM_OK);
    assert_int_equal(f32, 0x7faaa000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value),
        cmocka_unit_test(refused),
        cmocka_unit_test(payloads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
