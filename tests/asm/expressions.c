/* SPDX-License-Identifier: Apache-2.0 */
/* Operators as in the GNU as manual ("Infix Operators"): its precedence, which differs from that
 * of C, 64-bit two's complement, unsigned `>>`, comparisons that give -1 or 0. gnu.c compares
 * random expressions with GNU as itself. */
#include "isa/isa_test.h"

/* EXPRESSION as a .dword must be `value`. */
static void check(const char *expression, int64_t value)
{
    FREED char *text = formatted(".dword %s", expression);
    SCOPED_IMAGE *image = NULL;
    const struct sam_section *section = test_section("rv32i", text, ".text", &image);
    uint64_t found = sam_le32(section->data) | (uint64_t)sam_le32(section->data + 4) << 32;
    if (found != (uint64_t)value)
        fail_msg("%s = 0x%llx, expected 0x%llx", expression, (unsigned long long)found,
                 (unsigned long long)value);
}

struct sample {
    const char *text;
    int64_t value;
};

TEST(test_precedence)
{
    static const struct sample samples[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"7 - 2 - 1", 4},
        {"100 / 7 / 2", 7},
        {"1 << 4 + 1", 17}, /* shifts bind like products */
        {"1 + 2 << 3", 17},
        {"2 + 3 * 4 >> 1", 8},
        {"2 * 3 | 1", 7},
        {"1 & 3 + 1", 2}, /* bits before sums */
        {"3 - 1 & 1", 2},
        {"1 | 2 + 4", 7},
        {"1 ^ 3 & 2", 2}, /* one level, from left to right */
        {"5 ! 3", -3},    /* 5 | ~3 */
        {"7 ! !45", 42},  /* 7 ^ 45: no space between */
        {"1 + 1 == 2", -1},
        {"4 == 4 & 1", 0},
        {"1 < 2 == 2 < 3", -1}, /* ((1 < 2) == 2) < 3 */
        {"1 && 0 || 1", 1},
        {"2 == 2 ? 10 : 20", 10},
        {"0 ? 2 : 0 ? 3 : 4", 4},
    };
    for (size_t i = 0; i < SAM_COUNT(samples); i++)
        check(samples[i].text, samples[i].value);
}

TEST(test_values)
{
    static const struct sample samples[] = {
        {"5 > 3", -1},
        {"3 > 5", 0},
        {"5 == 5", -1},
        {"5 != 5", 0},
        {"5 <> 4", -1},
        {"3 <= 3", -1},
        {"3 >= 4", 0},
        {"-1 < 1", -1}, /* signed */
        {"0xffffffffffffffff > 1", 0},
        {"5 && 3", 1},
        {"0 || 7", 1},
        {"0 || 0", 0},
        {"!5", 0},
        {"!0", 1},
        {"~0", -1},
        {"- -5", 5},
        {"-7 / 2", -3},
        {"-7 % 3", -1},
        {"0x8000000000000000 / 2", -0x4000000000000000},
        {"-1 >> 60", 15}, /* unsigned */
        {"-1 >> 1", INT64_MAX},
        {"-16 >> 2", 0x3ffffffffffffffc},
        {"1 << 63", INT64_MIN},
        {"1 << 64", 0},
        {"1 >> 64", 0},
        {"1 << -1", 0},
        {"1 << 31 >> 31", 1},
        {"0xffffffff + 1", INT64_C(1) << 32},
        {"0x7fffffffffffffff + 1", INT64_MIN},
    };
    for (size_t i = 0; i < SAM_COUNT(samples); i++)
        check(samples[i].text, samples[i].value);
}

/* The same operators on values that are known only after layout. */
TEST(test_late)
{
    WORDS("rv32i", ".word later > 4, later == 5, (later - 6) >> 60, -later >> 63\n.set later, 5",
          0xffffffff, 0xffffffff, 15, 1);
}

TEST(test_in_use)
{
    test_same("rv32i", "li a0, 5 > 3", "li a0, -1");
    test_same("rv32i", "addi a0, a0, 3 == 3", "addi a0, a0, -1");
    WORDS("rv32i", ".if 2 > 1\n.word 1\n.endif\n.if (2 > 1) == 1\n.word 2\n.endif", 1);
    WORDS("rv32i", ".rept 0 - (2 > 1)\n.word 7\n.endr", 7);
}
