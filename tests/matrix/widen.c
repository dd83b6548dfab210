/* SPDX-License-Identifier: Apache-2.0 */
/* mx.load_widen: all values of both types against arithmetic of its own, what is not widened, and
 * half the beats on the bus. */

#include "hart/program.h"

#define ISA "rv64im_zicsr_zfinx_xmatrix"

/* fp16 of a number that it has, an infinity or NaN. */
static uint16_t half_of(double value)
{
    int exponent;
    if (isnan(value))
        return 0x7e00;
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (value == 0 || isinf(value))
        return isinf(value) ? sign | 0x7c00 : sign;
    const double fraction = frexp(fabs(value), &exponent); /* [0.5, 1) */
    if (exponent < -13)
        return sign | (uint16_t)ldexp(fabs(value), 24);
    return (uint16_t)(sign | (exponent + 14) << 10 | (uint16_t)((fraction * 2 - 1) * 1024));
}

static double number_of(uint8_t byte, bool e5m2)
{
    const int mantissa_bits = e5m2 ? 2 : 3, bias = e5m2 ? 15 : 7;
    const int exponent = (byte & 0x7f) >> mantissa_bits,
              mantissa = byte & ((1 << mantissa_bits) - 1);
    const double sign = byte & 0x80 ? -1 : 1;
    if (e5m2 && exponent == 31)
        return mantissa ? NAN : sign * INFINITY;
    if (!e5m2 && (byte & 0x7f) == 0x7f)
        return NAN;
    return exponent ? sign * ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits)
                    : sign * ldexp(mantissa, 1 - bias - mantissa_bits);
}

/* Load 16 rows of 32 elements from DATA, store them as bytes at DATA + 0x1000. */
static const char text[] = "csrwi xmcsr, 1\nli t0, 0x401010\nmcfg zero, t0\nli t0, 0x10000\n"
                           "li t1, 0x11000\nli t2, %d\nli t3, 64\n%s m1, t2, (t0)\n"
                           "mstb m1, t3, (t1)\nebreak\n";

static void load(const char *instruction, int stride, unsigned widen, const uint8_t *data,
                 size_t size, uint16_t out[512], uint64_t *beats)
{
    struct sam_mxu_config config;
    sam_mxu_config_init(&config, 512);
    config.load_widen = (enum sam_mxu_widen)widen;
    const struct sam_hart_options options = {.size = sizeof options, .cycles = &config};
    FREED char *program = formatted(text, stride, instruction);
    SCOPED(program) p = program_new(ISA, &options, program);
    program_write(&p, DATA_BASE, data, size);
    program_expect(&p, SAM_HART_EBREAK);
    program_read(&p, DATA_BASE + 0x1000, out, 1024);
    *beats = sam_hart_cycles(p.hart)->bytes_loaded;
}

TEST(every_value)
{
    uint8_t data[2048];
    uint16_t out[512];
    uint64_t bytes;
    for (unsigned widen = 1; widen < 3; widen++)
        for (unsigned streams = 0; streams < 2; streams++) {
            for (size_t i = 0; i < sizeof data; i++)
                data[i] = (uint8_t)i;
            load(streams ? "msldh" : "mldh", 33, widen, data, sizeof data, out, &bytes);
            assert_int_equal(bytes, 512);
            for (size_t i = 0; i < 512; i++) {
                const uint8_t byte = data[i / 32 * 33 + i % 32];
                const uint16_t expected = half_of(number_of(byte, widen == SAM_MXU_WIDEN_E5M2));
                if ((expected & 0x7fff) > 0x7c00)
                    assert_true((out[i] & 0x7fff) > 0x7c00);
                else
                    assert_int_equal(out[i], expected);
            }
        }
}

/* Loads of other elements, whole registers, and all loads while it is off. */
TEST(not_widened)
{
    static const struct {
        const char *instruction;
        unsigned widen;
    } cases[] = {{"mldh", SAM_MXU_WIDEN_NONE},
                 {"mldb", SAM_MXU_WIDEN_E4M3},
                 {"mldw", SAM_MXU_WIDEN_E5M2},
                 {"msldb", SAM_MXU_WIDEN_E5M2}};
    uint8_t data[2048];
    uint16_t out[512];
    uint64_t bytes;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 37 >> 2);
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        load(cases[i].instruction, 64, cases[i].widen, data, sizeof data, out, &bytes);
        assert_memory_equal(out, data, sizeof out);
        assert_int_equal(bytes, 1024);
    }
}

TEST(options)
{
    struct sam_mxu_config config;
    struct sam_error error;
    sam_mxu_config_init(&config, 0);
    assert_int_equal(config.load_widen, SAM_MXU_WIDEN_NONE);
    succeeds(sam_mxu_config_set, &config, "load_widen=e5m2");
    assert_int_equal(config.load_widen, SAM_MXU_WIDEN_E5M2);
    assert_int_equal(sam_mxu_config_set(&config, "load_widen=e4m", &error), SAM_ERR_USAGE);
    assert_string_equal(error.text, "load_widen=e4m: expected one of none|e4m3|e5m2");
    succeeds(sam_mxu_config_set, &config, "load_widen=none");
    assert_int_equal(config.load_widen, SAM_MXU_WIDEN_NONE);
}
