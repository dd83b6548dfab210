/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of the debugger: every result is worked out by hand, or from C17 6.3.1.8 (usual
 * arithmetic conversions) and 6.4.4 (types of constants). */

#include "test.h"

#include "cli.h"
#include "expr.h"

/* A machine with a few names: x5 = -1, x6 = 0x3f800000 (1.0f), v3 of four lanes (10, 20, 30, 40)
 * of which 0 and 2 are active, a TensorLoad register, 16 bytes of memory at 0x1000 called
 * `table`. */
static const uint8_t memory[16] = {1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0xc0, 0x3f, 'h', 'i'};

static enum sam_status find(void *context, const char *name, bool dollar, struct value *value,
                            struct sam_error *error)
{
    (void)context;
    if (strcmp(name, "x5") == 0) {
        *value = value_integer(SAM_I32, UINT32_MAX);
    } else if (strcmp(name, "x6") == 0) {
        *value = value_integer(SAM_I32, 0x3f800000);
    } else if (strcmp(name, "v3") == 0) {
        *value = value_integer(SAM_I32, 10);
        value->is_vector = true;
        value->count = 4;
        value->active = 5;
        value->place = (struct place){.kind = PLACE_V, .number = 3};
        for (unsigned i = 1; i < 4; i++)
            value->bits[i] = 10 * (i + 1);
    } else if (strcmp(name, "tl3") == 0) {
        *value = value_integer(SAM_U8, 0);
        value->place = (struct place){.kind = PLACE_BYTES, .number = 3};
    } else if (!dollar && strcmp(name, "table") == 0) {
        *value = value_address(32, 0x1000);
    } else {
        return cli_refuse(error, "no name '%s'", name);
    }
    return SAM_OK;
}

static enum sam_status symbol(void *context, const char *name, struct value *value,
                              struct sam_error *error)
{
    if (strcmp(name, "table") != 0)
        return cli_refuse(error, "no symbol '%s'", name);
    return find(context, name, false, value, error);
}

static enum sam_status read_memory(void *context, uint64_t address, void *data, size_t size,
                                   struct sam_error *error)
{
    (void)context;
    if (address < 0x1000 || address + size > 0x1000 + sizeof memory)
        return cli_refuse(error, "no memory at 0x%llx", (unsigned long long)address);
    memcpy(data, memory + (address - 0x1000), size);
    return SAM_OK;
}

static enum sam_status byte(void *context, const struct place *place, struct value *value,
                            struct sam_error *error)
{
    (void)context;
    if (place->index >= 1024)
        return cli_refuse(error, "byte %u: the register has 1024", place->index);
    *value = value_integer(SAM_U8, place->index & 0xff);
    return SAM_OK;
}

static enum sam_status private_address(void *context, uint64_t offset, uint64_t *address,
                                       struct sam_error *error)
{
    (void)context, (void)error;
    *address = 0x9000 + offset;
    return SAM_OK;
}

static const struct expr_names names = {.xlen = 32,
                                        .find = find,
                                        .symbol = symbol,
                                        .read = read_memory,
                                        .byte = byte,
                                        .private_ = private_address};

static void expect(const char *text, char format, const char *wanted)
{
    struct sam_error error = {.text = "-"};
    struct value value;
    char got[200] = "";
    const char *at = text;
    const enum sam_status status = expr_evaluate(&names, &at, &value, &error);
    if (status == SAM_OK)
        value_text(&value, 0, format, NULL, got, sizeof got);
    if (status != SAM_OK || *at || strcmp(got, wanted) != 0)
        fail_msg("%s: expected %s, found '%s' (%s), left '%s'", text, wanted, got, error.text, at);
    at = text;
    assert_int_equal(expr_check(&names, &at, &error), SAM_OK);
    assert_string_equal(at, "");
}

static void rejects(const char *text, const char *part)
{
    struct sam_error error = {.text = "-"};
    struct value value;
    const char *at = text;
    if (expr_evaluate(&names, &at, &value, &error) == SAM_OK)
        fail_msg("%s: expected a refusal", text);
    if (!strstr(error.text, part))
        fail_msg("%s: expected '%s', found '%s'", text, part, error.text);
}

TEST(constants)
{
    expect("0", 0, "0");
    expect("010", 0, "10"); /* decimal, as everywhere in Samite */
    expect("0x1f", 0, "31");
    expect("0b101", 0, "5");
    expect("2147483647", 0, "2147483647");
    expect("2147483648", 0, "2147483648"); /* 64 bits: signed */
    expect("-2147483648", 0, "-2147483648");
    expect("0x80000000", 0, "2147483648");  /* unsigned */
    expect("-0x80000000", 0, "2147483648"); /* and stays so */
    expect("1u - 2", 0, "4294967295");
    expect("18446744073709551615", 0, "18446744073709551615");
    expect("1.5", 0, "1.5");
    expect("1e3", 0, "1000");
    expect(".5f", 0, "0.5");
    expect("1e-3", 0, "0.001");
    expect("0.1f", 0, "0.1"); /* the shortest text that reads back */
    expect("0.1f * 1.0", 0, "0.10000000149011612");
    expect("'a'", 0, "97");
    expect("'\\n'", 0, "10");
    expect("'\\''", 0, "39");
}

TEST(arithmetic)
{
    expect("1 + 2 * 3", 0, "7");
    expect("(1 + 2) * 3", 0, "9");
    expect("7 - 2 - 1", 0, "4");
    expect("7 / 2", 0, "3");
    expect("-7 / 2", 0, "-3");
    expect("-7 % 2", 0, "-1");
    expect("7 / 2.0", 0, "3.5");
    expect("1 << 4 | 1", 0, "17");
    expect("1 << 31", 0, "-2147483648");
    expect("1 << 32", 0, "0");
    expect("-16 >> 2", 0, "-4");
    expect("0xf0000000 >> 28", 0, "15");
    expect("6 & 3 ^ 1", 0, "3");
    expect("~0", 0, "-1");
    expect("~0u", 0, "4294967295");
    expect("!5 + !0", 0, "1");
    expect("- - 3", 0, "3");
    expect("2147483647 + 1", 0, "-2147483648"); /* wraps */
    expect("(-2147483647 - 1) / -1", 0, "-2147483648");
    expect("(-2147483647 - 1) % -1", 0, "0");
    expect("1 < 2 == 1", 0, "1");
    expect("-1 < 1u", 0, "0"); /* unsigned wins */
    expect("-1 < 1", 0, "1");
    expect("x5 == -1", 0, "1");
    expect("x5 < 0", 0, "1");
    expect("x5 == 0xffffffff", 0, "1");
    expect("1 ? 2 : 3", 0, "2");
    expect("0 ? 2 : 1 ? 4 : 5", 0, "4");
    expect("0.0 / 0.0 == 0.0 / 0.0", 0, "0");
    expect("0.0 / 0.0 >= 0", 0, "0");
    expect("1.5 > 1 && 2", 0, "1");
}

/* Unselected operands are parsed, but not evaluated. */
TEST(short_circuits)
{
    expect("0 && 1 / 0", 0, "0");
    expect("1 || *0", 0, "1");
    expect("1 ? 2 : *0", 0, "2");
    expect("0 ? v3[99] : 3", 0, "3");
    expect("0 && tl3[5000]", 0, "0");
    rejects("1 && 1 / 0", "division by zero");
    rejects("0 && missing", "no name 'missing'");
    rejects("0 || *0", "no memory at 0x0");
}

TEST(types)
{
    expect("f32(x6)", 0, "1");
    expect("(float)x5", 0, "-1");
    expect("f32(x6) * 2.5", 0, "2.5");
    expect("f16(0x3c00)", 0, "1");
    expect("bf16(0x4049)", 0, "3.14");
    expect("e4m3(0x38)", 0, "1");
    expect("u8(x5)", 0, "255");
    expect("i8(0x80)", 0, "-128");
    expect("(unsigned char)300", 0, "44");
    expect("(short)0x18000", 0, "-32768");
    expect("(long)1", 0, "1");
    expect("(unsigned)x5", 0, "4294967295");
    expect("(long long)x5", 0, "-1");
    expect("(uint64_t)(unsigned)x5", 0, "4294967295");
    expect("(int)2.9", 0, "2");
    expect("(int)-2.9", 0, "-2");
    expect("f64(0x3ff0000000000000)", 0, "1");
    expect("u16(x6) + 1", 0, "1");
    expect("(f16)1.0 + 0", 'x', "0x3f800000"); /* f32 arithmetic */
}

TEST(formats)
{
    expect("x5", 'x', "0xffffffff");
    expect("x5", 'u', "4294967295");
    expect("x5", 'd', "-1");
    expect("5", 'z', "0x00000005");
    expect("u8(5)", 'z', "0x05");
    expect("8", 'o', "010");
    expect("5", 't', "101");
    expect("0", 't', "0");
    expect("x6", 'f', "1");
    expect("65", 'c', "65 'A'");
    expect("7", 'c', "7 '\\007'");
    expect("1.0f", 'x', "0x3f800000");
    expect("table", 0, "0x1000");
    expect("u16(0x3c00)", 'f', "1");
}

TEST(memory_and_pointers)
{
    expect("*table", 0, "1");
    expect("*0x1004", 0, "-1");
    expect("table[1]", 0, "-1");
    expect("&table", 0, "0x1000");
    expect("*(float *)(table + 8)", 0, "1.5");
    expect("((float *)table)[2]", 0, "1.5");
    expect("{unsigned char}0x1004", 0, "255");
    expect("*(char *)0x1004", 0, "-1");
    expect("*((char *)table + 12)", 'c', "104 'h'");
    expect("(short *)table + 3", 0, "0x1006");
    expect("table + 4", 0, "0x1004"); /* bytes: a symbol has no type */
    expect("4 + table", 0, "0x1004");
    expect("(int *)0x1008 - (int *)table", 0, "2");
    expect("&table[2]", 0, "0x1008");
    expect("*&table[1]", 0, "-1");
    expect("private(4)", 0, "0x9004");
    rejects("*0x2000", "no memory at 0x2000");
    rejects("*1.5", "expected an address");
    rejects("&x5", "no symbol 'x5'");
    rejects("&(1 + 2)", "expected a symbol or something in memory");
    rejects("table + 1.5", "expected an integer");
    rejects("1 - table", "expected an integer");
    rejects("table + table", "expected a difference");
    rejects("(int *)table - table", "expected a difference");
}

TEST(vectors)
{
    expect("v3[2]", 0, "30");
    expect("v3[1 + 2] + 1", 0, "41");
    expect("(v3 + 1)[1]", 0, "21");
    expect("(100 - v3)[3]", 0, "60");
    expect("(v3 * v3)[1]", 0, "400");
    expect("(-v3)[0]", 0, "-10");
    expect("f32(v3)[0] == v3[0]", 0, "0");
    expect("any(v3 > 25)", 0, "1");
    expect("any(v3 == 20)", 0, "0"); /* lane 1 is not active */
    expect("all(v3 == 10 || v3 == 30)", 0, "1");
    expect("all(v3 > 10)", 0, "0");
    expect("tl3[7]", 0, "7");
    rejects("v3[4]", "lane 4: a warp has 4");
    rejects("v3[-1]", "lane -1");
    rejects("v3 ? 1 : 2", "the condition is a vector");
    rejects("*v3", "is a vector");
    rejects("v3[v3]", "the index is a vector");
    rejects("v3 / 0", "division by zero");
    rejects("tl3 + 1", "whole register");
    rejects("tl3[1024]", "byte 1024");
    rejects("tl3[-1]", "byte -1");
    rejects("(float)tl3", "whole register");
}

TEST(mistakes)
{
    char deep[500];
    struct value value;
    rejects("", "the expression ends: expected a value");
    rejects("1 +", "the expression ends: expected a value");
    rejects("(1", "expected ')'");
    rejects("v3[1", "expected ']'");
    rejects("1 ? 2", "expected ':'");
    rejects(")", "')': expected a value");
    rejects("12x", "'12x': expected a number");
    rejects("0x", "expected a number");
    rejects("1e", "expected a number");
    rejects("99999999999999999999", "expected a number");
    rejects("123456789012345678901234567890123456789012345678901234567890123456789", "expected a");
    rejects("''", "expected a character");
    rejects("'ab'", "expected one character");
    rejects("'\\q'", "expected one of");
    rejects("'", "expected a character");
    rejects("$", "no name ''");
    rejects("$table", "no name 'table'"); /* no symbol after a $ */
    rejects("1.5 % 2", "expected integers");
    rejects("1.5 << 2", "expected integers");
    rejects("~1.5", "expected an integer");
    rejects("1 << -1", "negative");
    rejects("1 % 0", "division by zero");
    rejects("{int 5", "expected a type and '}'");
    rejects("{foo}5", "expected a type and '}'");
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    rejects(deep, "nested more than");
    memset(deep, '-', sizeof deep - 1);
    rejects(deep, "nested more than");
    for (size_t i = 0; i < sizeof deep - 1; i++)
        deep[i] = i % 2 ? '?' : '1';
    rejects(deep, "nested more than");
    /* The caller receives the text after an expression. */
    const char *at = "1 + 2 if 3";
    succeeds(expr_evaluate, &names, &at, &value);
    assert_string_equal(at, "if 3");
    at = "0x1000:4";
    succeeds(expr_evaluate, &names, &at, &value);
    assert_string_equal(at, ":4");
}
