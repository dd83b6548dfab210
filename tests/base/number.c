/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in text, bit fields, little-endian words. */

#include "test.h"

static void good_u64(const char *text, uint64_t expected)
{
    uint64_t value = ~expected;
    if (!sam_parse_u64(text, &value) || value != expected)
        fail_msg("\"%s\": %" PRIu64 " instead of %" PRIu64, text, value, expected);
}

TEST(test_unsigned)
{
    good_u64("0", 0);
    good_u64("7", 7);
    good_u64("007", 7);
    good_u64("0x0", 0);
    good_u64("0x1f", 31);
    good_u64("0X1F", 31);
    good_u64("0xDeadBeef", 0xdeadbeef);
    good_u64("0b101", 5);
    good_u64("0B11", 3);
    good_u64("0o17", 15);
    good_u64("0O7", 7);
    good_u64("18446744073709551615", UINT64_MAX);
    good_u64("0xffffffffffffffff", UINT64_MAX);
    good_u64("0x0000000000000000000000000000001", 1);
    good_u64("0o1777777777777777777777", UINT64_MAX);
    good_u64("0b1111111111111111111111111111111111111111111111111111111111111111", UINT64_MAX);
}

TEST(test_unsigned_refused)
{
    static const char *const texts[] = {
        "",
        " ",
        " 1",
        "1 ",
        "+1",
        "-1",
        "-0",
        "x",
        "0x",
        "0b",
        "0o",
        "0xg",
        "0b2",
        "0o8",
        "1a",
        "12,",
        "1.0",
        "1e3",
        "0x-1",
        "0x 1",
        "x1f",
        "00x1",
        "1_000",
        "0xx1",
        "18446744073709551616",
        "18446744073709551620",
        "28446744073709551615",
        "184467440737095516150",
        "0x10000000000000000",
        "0o2000000000000000000000",
        "99999999999999999999999999",
        "0b10000000000000000000000000000000000000000000000000000000000000000",
    };
    for (size_t i = 0; i < SAM_COUNT(texts); i++) {
        uint64_t value = 42;
        if (sam_parse_u64(texts[i], &value))
            fail_msg("\"%s\" was taken for %" PRIu64, texts[i], value);
        assert_int_equal(value, 42);
    }
}

static void good_i64(const char *text, int64_t expected)
{
    int64_t value = ~expected;
    if (!sam_parse_i64(text, &value) || value != expected)
        fail_msg("\"%s\": %" PRId64 " instead of %" PRId64, text, value, expected);
}

TEST(test_signed)
{
    good_i64("-1", -1);
    good_i64("+1", 1);
    good_i64("-0", 0);
    good_i64("-0x10", -16);
    good_i64("+0b11", 3);
    good_i64("9223372036854775807", INT64_MAX);
    good_i64("-9223372036854775808", INT64_MIN);
    good_i64("-0x8000000000000000", INT64_MIN);
    good_i64("0x7fffffffffffffff", INT64_MAX);
    static const char *const texts[] = {
        "",
        "-",
        "+",
        "--1",
        "+-1",
        "-+1",
        "- 1",
        "-x",
        "1-",
        "9223372036854775808",
        "-9223372036854775809",
        "0x8000000000000000",
        "0xffffffffffffffff",
        "-0x8000000000000001",
    };
    for (size_t i = 0; i < SAM_COUNT(texts); i++) {
        int64_t value = 42;
        if (sam_parse_i64(texts[i], &value))
            fail_msg("\"%s\" was taken for %" PRId64, texts[i], value);
        assert_int_equal(value, 42);
    }
}

/* Numbers written by printf are read back. */
TEST(test_round_trip)
{
    uint64_t random = test_seed();
    for (int i = 0; i < 100000; i++) {
        uint64_t n = test_random(&random) >> test_below(&random, 64);
        char text[40];
        snprintf(text, sizeof text, "%" PRIu64, n);
        good_u64(text, n);
        snprintf(text, sizeof text, "0x%" PRIX64, n);
        good_u64(text, n);
        snprintf(text, sizeof text, "0o%" PRIo64, n);
        good_u64(text, n);
        snprintf(text, sizeof text, "%" PRId64, (int64_t)n);
        good_i64(text, (int64_t)n);
    }
}

TEST(test_bits)
{
    assert_int_equal(sam_bits(0xdeadbeef, 31, 0), 0xdeadbeef);
    assert_int_equal(sam_bits(0xdeadbeef, 31, 31), 1);
    assert_int_equal(sam_bits(0xdeadbeef, 0, 0), 1);
    assert_int_equal(sam_bits(0xdeadbeef, 15, 8), 0xbe);
    for (unsigned bits = 1; bits <= 32; bits++) {
        int64_t top = INT64_C(1) << (bits - 1);
        assert_int_equal(sam_sext32((uint32_t)(top - 1), bits), top - 1);
        assert_int_equal(sam_sext32((uint32_t)top, bits), -top);
        assert_int_equal(sam_sext32(UINT32_MAX, bits), -1);
        assert_int_equal(sam_sext32((uint32_t)-top, bits), -top);
    }
    uint8_t bytes[6] = {0xff, 0x01, 0x82, 0x03, 0x84, 0xff};
    assert_int_equal(sam_le16(bytes + 1), 0x8201);
    assert_int_equal(sam_le32(bytes + 1), 0x84038201);
    sam_put_le32(bytes + 1, 0x12345678);
    assert_memory_equal(bytes, ((uint8_t[]){0xff, 0x78, 0x56, 0x34, 0x12, 0xff}), 6);
    assert_int_equal(sam_f32_bits(-1.5f), 0xbfc00000);
    assert_int_equal(sam_f32_bits(sam_bits_f32(0x7f800001)), 0x7f800001);
}
