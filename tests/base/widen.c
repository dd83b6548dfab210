/* SPDX-License-Identifier: Apache-2.0 */
/* Every value of every narrow type in every wider one (dtype.c checks sam_dtype_value against
 * the formats' definitions), and single precision rounded. */

#include "test.h"

#include "samite/dtype.h"

TEST(every_value)
{
    static const enum sam_dtype narrow[] = {SAM_BF16, SAM_F16,  SAM_E4M3, SAM_E5M2,
                                            SAM_E8M0, SAM_E2M1, SAM_E3M4, SAM_E1M2,
                                            SAM_E3M0, SAM_HIF8, SAM_E3M2, SAM_E2M3};
    static const enum sam_dtype wide[] = {SAM_BF16, SAM_F16, SAM_F32, SAM_F64, SAM_TF32};
    unsigned pairs = 0;
    for (size_t n = 0; n < sizeof narrow / sizeof narrow[0]; n++) {
        for (size_t k = 0; k < sizeof wide / sizeof wide[0]; k++) {
            if (!sam_dtype_widens(narrow[n], wide[k]))
                continue;
            size_t bits = sam_dtype_bits(narrow[n]), out = sam_dtype_bits(wide[k]) / 8;
            for (uint64_t x = 0; x < UINT64_C(1) << bits; x++) {
                uint64_t in = bits == 4 ? x | x << 4 : x, y[2] = {0};
                succeeds(sam_dtype_widen, narrow[n], wide[k], &in, bits == 4 ? 2 : 1, y);
                uint64_t got = 0;
                memcpy(&got, (uint8_t *)y + (bits == 4 ? out : 0), out);
                double from = sam_dtype_value(narrow[n], x), to = sam_dtype_value(wide[k], got);
                if (isnan(from) ? !isnan(to) : from != to || !signbit(from) != !signbit(to))
                    fail_msg("%s %llx is %a, as %s %llx it is %a", sam_dtype_name(narrow[n]),
                             (unsigned long long)x, from, sam_dtype_name(wide[k]),
                             (unsigned long long)got, to);
            }
            pairs++;
        }
    }
    assert_int_equal(pairs, 3 + 3 + 4 + 9 * 5);
}

/* An array of any length is widened like its elements: long ones use a look-up table. */
TEST(arrays)
{
    static const enum sam_dtype narrow[] = {SAM_E4M3, SAM_E5M2, SAM_E8M0, SAM_E2M1,
                                            SAM_E3M4, SAM_E1M2, SAM_E3M0, SAM_BF16,
                                            SAM_HIF8, SAM_E3M2, SAM_E2M3};
    static const enum sam_dtype wide[] = {SAM_BF16, SAM_F16, SAM_F32, SAM_F64, SAM_TF32};
    static const size_t lengths[] = {15, 16, 17, 255, 256, 257, 511};
    uint8_t in[1024], all[512 * 8 + 1], one[2 * 8];
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i * 151 + i / 256);
    for (size_t n = 0; n < sizeof narrow / sizeof narrow[0]; n++)
        for (size_t k = 0; k < sizeof wide / sizeof wide[0]; k++)
            for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
                const size_t bits = sam_dtype_bits(narrow[n]), size = sam_dtype_size(wide[k]);
                if (!sam_dtype_widens(narrow[n], wide[k]))
                    continue;
                memset(all, 0xc5, sizeof all);
                succeeds(sam_dtype_widen, narrow[n], wide[k], in, lengths[l], all);
                assert_int_equal(all[lengths[l] * size], 0xc5);
                for (size_t i = 0; i < lengths[l]; i++) {
                    const size_t within = bits == 4 ? i % 2 : 0;
                    succeeds(sam_dtype_widen, narrow[n], wide[k], in + i * bits / 8, 1 + within,
                             one);
                    assert_memory_equal(all + i * size, one + within * size, size);
                }
            }
}

TEST(refused)
{
    struct sam_error error;
    uint32_t x = 0;
    assert_false(sam_dtype_widens(SAM_BF16, SAM_F16));
    assert_false(sam_dtype_widens(SAM_F16, SAM_BF16));
    assert_false(sam_dtype_widens(SAM_F32, SAM_BF16));
    assert_false(sam_dtype_widens(SAM_F32, SAM_F32));
    assert_false(sam_dtype_widens(SAM_E8M0, SAM_F16));
    assert_false(sam_dtype_widens(SAM_E2M1, SAM_E4M3));
    assert_false(sam_dtype_widens(SAM_U8, SAM_F32));
    assert_false(sam_dtype_widens((enum sam_dtype)99, SAM_F32));
    assert_true(sam_dtype_widens(SAM_F32, SAM_F64));
    assert_int_equal(sam_dtype_widen(SAM_F32, SAM_F16, &x, 1, &x, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_dtype_widen(SAM_BF16, SAM_F32, NULL, 1, &x, &error), SAM_ERR_USAGE);
    succeeds(sam_dtype_widen, SAM_BF16, SAM_F32, NULL, 0, NULL);
}

/* Signalling NaNs are preserved. */
TEST(payloads)
{
    uint16_t bf16 = 0xff81, f16 = 0x7d55;
    uint32_t f32 = 0;
    succeeds(sam_dtype_widen, SAM_BF16, SAM_F32, &bf16, 1, &f32);
    assert_int_equal(f32, 0xff810000);
    succeeds(sam_dtype_widen, SAM_F16, SAM_F32, &f16, 1, &f32);
    assert_int_equal(f32, 0x7faaa000);
}

/* In place, as in `samite convert --bf16`, and to a type without its own loop. */
TEST(narrows)
{
    struct sam_error error;
    float data[5] = {1, -3.0078125F, 1e-45F, 3.4e38F, NAN};
    uint16_t bf16[5];
    uint8_t e4m3[5];
    succeeds(sam_dtype_narrow, SAM_E4M3, data, 5, e4m3);
    assert_memory_equal(e4m3, "\x38\xc4\x00\x7f\x7f", 5);
    succeeds(sam_dtype_narrow, SAM_BF16, data, 5, data);
    memcpy(bf16, data, sizeof bf16);
    const uint16_t wanted[5] = {0x3f80, 0xc040, 0, 0x7f80, 0x7fc0};
    assert_memory_equal(bf16, wanted, sizeof wanted);
    assert_int_equal(sam_dtype_narrow(SAM_F64, data, 1, data, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_dtype_narrow(SAM_E2M1, data, 1, data, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_dtype_narrow(SAM_I8, data, 1, data, &error), SAM_ERR_USAGE);
    assert_int_equal(sam_dtype_narrow(SAM_F16, NULL, 1, data, &error), SAM_ERR_USAGE);
    succeeds(sam_dtype_narrow, SAM_F16, NULL, 0, NULL);
}
