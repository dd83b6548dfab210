/* SPDX-License-Identifier: Apache-2.0 */
/* TL.ADDI: the manual's examples, and values worked out by hand for each type. Every element with
 * every immediate: every_addi.c. */
#include "tensor/unit.h"

/* Elements of `bits` bits, then ADDI, then the elements again. */
static void add(const char *type, unsigned bits, int imm, const uint32_t *in, uint32_t *out,
                unsigned count)
{
    char setup[64], insn[64];
    uint8_t bytes[TL_SIZE] = {0};
    snprintf(setup, sizeof setup, "li t0, %s\ncsrw ttype, t0\n", type);
    snprintf(insn, sizeof insn, "tl.addi tl1, tl2, %d", imm);
    SCOPED(program) p = unit_new(RV64, NULL, setup, insn);
    for (unsigned i = 0; i < count; i++)
        for (unsigned b = 0; b < bits; b++)
            bytes[(i * bits + b) / 8] |= (uint8_t)((in[i] >> b & 1) << (i * bits + b) % 8);
    unit_set(&p, 2, bytes, sizeof bytes);
    unit_passes(&p);
    const uint8_t *result = sam_hart_tl(p.hart, 1);
    for (unsigned i = 0; i < count; i++) {
        out[i] = 0;
        for (unsigned b = 0; b < bits; b++)
            out[i] |= (uint32_t)(result[(i * bits + b) / 8] >> (i * bits + b) % 8 & 1) << b;
    }
}

static void expect(const char *type, unsigned bits, int imm, const uint32_t *in,
                   const uint32_t *want, unsigned count)
{
    uint32_t out[64];
    add(type, bits, imm, in, out, count);
    for (unsigned i = 0; i < count; i++)
        if (out[i] != want[i])
            fail_msg("type %s: %x + %d is %x, expected %x", type, in[i], imm, out[i], want[i]);
}

#define EXPECT(type, bits, imm, from, to)                                                          \
    expect(type, bits, imm, (const uint32_t[]){from}, (const uint32_t[]){to},                      \
           sizeof((const uint32_t[]){from}) / 4)
#define LIST(...) __VA_ARGS__

/* Manual 4.4.4 and 5.4: integers saturate as unsigned ones. */
TEST(manual_examples)
{
    EXPECT("2", 8, 100, LIST(200), LIST(255));
    EXPECT("2", 8, -100, LIST(50), LIST(0));
    EXPECT("2", 8, 10, LIST(128), LIST(138));
    EXPECT("2", 8, -20, LIST(30), LIST(10));
    EXPECT("2", 8, 100, LIST(250, 10, 128, 200), LIST(255, 110, 228, 255));
    EXPECT("2", 8, -50, LIST(250, 10, 128, 200), LIST(200, 0, 78, 150));
}

TEST(integers)
{
    EXPECT("1", 4, 7, LIST(0, 8, 9, 15), LIST(7, 15, 15, 15));
    EXPECT("1", 4, -3, LIST(0, 2, 3, 15), LIST(0, 0, 0, 12));
    EXPECT("1", 4, 127, LIST(0, 15), LIST(15, 15));
    EXPECT("1", 4, -128, LIST(0, 15), LIST(0, 0));
    EXPECT("4", 16, 127, LIST(0xff80, 0xff81, 0), LIST(0xffff, 0xffff, 127));
    EXPECT("4", 16, -128, LIST(127, 128, 0xffff), LIST(0, 0, 0xff7f));
    EXPECT("8", 32, 127, LIST(0xffffff80, 0xffffff81, 0x7fffffff),
           LIST(0xffffffff, 0xffffffff, 0x8000007e));
    EXPECT("8", 32, -128, LIST(127, 128, 0xffffffff), LIST(0, 0, 0xffffff7f));
}

/* fp4: E2M1 0 .5 1 1.5 2 3 4 6; E1M2 0 .25 .. 1.75; E3M0 0 .25 .5 1 2 4 8 16. Sign above. */
TEST(four_bits)
{
    EXPECT("0x10", 4, 1, LIST(0, 1, 2, 3, 4, 5, 6, 7, 10, 15), LIST(2, 3, 4, 4, 5, 6, 6, 7, 0, 14));
    EXPECT("0x10", 4, -1, LIST(0, 1, 2, 15), LIST(10, 9, 0, 15));
    EXPECT("0x10", 4, 127, LIST(0, 15), LIST(7, 7));
    EXPECT("0x20", 4, 1, LIST(0, 1, 3, 4, 7, 12, 15), LIST(4, 5, 7, 7, 7, 0, 11));
    EXPECT("0x20", 4, -2, LIST(0, 7), LIST(15, 9));
    EXPECT("0x30", 4, 1, LIST(0, 1, 2, 3, 4, 7, 11), LIST(3, 3, 4, 4, 5, 7, 0));
    EXPECT("0x30", 4, -128, LIST(7), LIST(15));
}

TEST(eight_bits)
{
    /* E4M3: 1 = 38, 448 = 7e, NaN 7f and ff; 2^-9 = 01 */
    EXPECT("0x40", 8, 1, LIST(0x38, 0x00, 0x80, 0x7e, 0xfe, 0x7f, 0xff, 0x01, 0xb8),
           LIST(0x40, 0x38, 0x38, 0x7e, 0xfe, 0x7f, 0x7f, 0x38, 0x00));
    EXPECT("0x40", 8, 127, LIST(0x7e), LIST(0x7e));
    EXPECT("0x40", 8, 0, LIST(0x80, 0x01), LIST(0, 0x01)); /* -0 + 0 = +0 */
    /* E5M2: 1 = 3c, 57344 = 7b, infinity 7c, NaN 7d..7f */
    EXPECT("0x80", 8, 1, LIST(0x3c, 0x7b, 0x7c, 0xfc, 0x7d, 0xff, 0x01, 0xbc),
           LIST(0x40, 0x7b, 0x7c, 0xfc, 0x7e, 0x7e, 0x3c, 0x00));
    /* E3M4: 1 = 30, 15.5 = 6f, infinity 70, NaN above; 2^-6 = 01 */
    EXPECT("0xc0", 8, 1, LIST(0x30, 0x6f, 0x70, 0xf0, 0x71, 0xf8, 0x01, 0xb0),
           LIST(0x40, 0x6f, 0x70, 0xf0, 0x78, 0x78, 0x30, 0x00));
    EXPECT("0xc0", 8, 127, LIST(0x00, 0xef), LIST(0x6f, 0x6f));
    EXPECT("0xc0", 8, -128, LIST(0x6f), LIST(0xef));
}

TEST(wide_floats)
{
    /* half: 1 = 3c00, 65504 = 7bff; 65504 + 127 would round to infinity */
    EXPECT("0x100", 16, 1, LIST(0x3c00, 0x7c00, 0xfc00, 0x7c01, 0xffff, 0x0001, 0xbc00),
           LIST(0x4000, 0x7c00, 0xfc00, 0x7e00, 0x7e00, 0x3c00, 0));
    EXPECT("0x100", 16, 127, LIST(0x7bff, 0xfbff), LIST(0x7bff, 0xfbfb));
    EXPECT("0x100", 16, -128, LIST(0xfbff), LIST(0xfbff));
    EXPECT("0x100", 16, 0, LIST(0x0001, 0x83ff), LIST(0x0001, 0x83ff)); /* subnormals stay */
    /* bfloat16: 1 = 3f80 */
    EXPECT("0x200", 16, 1, LIST(0x3f80, 0x7f80, 0xff80, 0x7f81, 0xffff, 0x0001, 0x7f7f, 0xbf80),
           LIST(0x4000, 0x7f80, 0xff80, 0x7fc0, 0x7fc0, 0x3f80, 0x7f7f, 0));
    EXPECT("0x200", 16, 1, LIST(0x4380, 0x4381), LIST(0x4380, 0x4382)); /* 256, 258: ties */
    /* single */
    EXPECT("0x400", 32, 1, LIST(0x3f800000, 0x7f800000, 0x7f800001, 0x4b800000, 0x4b800001, 1),
           LIST(0x40000000, 0x7f800000, 0x7fc00000, 0x4b800000, 0x4b800002, 0x3f800000));
    EXPECT("0x400", 32, 0, LIST(1, 0xff7fffff, 0x80000000), LIST(1, 0xff7fffff, 0));
    /* TF32: the low 13 bits are ignored and become 0 */
    EXPECT("0x800", 32, 1, LIST(0x3f801fff, 0x7f800000, 0x7f801fff, 0x7f802000, 0xff800001),
           LIST(0x40000000, 0x7f800000, 0x7f800000, 0x7fc00000, 0xff800000));
    EXPECT("0x800", 32, 1, LIST(0x45000000, 0x45002000, 0x45001fff),
           LIST(0x45000000, 0x45004000, 0x45000000)); /* 2048, 2050: ties */
    EXPECT("0x800", 32, 0, LIST(0x00002000, 0x00001fff), LIST(0x00002000, 0));
}

/* All 1024 bytes for every tshape, in place too; writes to tl0 are dropped. */
TEST(whole_register)
{
    struct program p =
        unit_new(RV32, NULL, "li t0, 0x010101\ncsrw tshape, t0\n", "tl.addi tl7, tl7, 1");
    unit_passes(&p);
    for (unsigned i = 0; i < TL_SIZE; i++)
        UNIT_EXPECT(&p, 7, i, (uint8_t)(unit_pattern(7, i) + (unit_pattern(7, i) != 255)));
    program_free(&p);
    p = unit_new(RV32, NULL, "", "tl.addi tl0, tl7, 1"); /* no shape is needed */
    unit_passes(&p);
    for (unsigned i = 0; i < TL_SIZE; i++)
        UNIT_EXPECT(&p, 0, i, 0);
    program_free(&p);
}

/* It neither sets nor clears the program's flags. */
TEST(leaves_flags)
{
    for (int raised = 0; raised < 2; raised++) {
        SCOPED(program) p = unit_new(
            RV64, NULL,
            raised ? "li t0, 0x100\ncsrw ttype, t0\nli t1, 0x3f800000\nfdiv.s t1, t1, zero\n"
                   : "li t0, 0x400\ncsrw ttype, t0\n",
            "tl.addi tl1, tl2, 3\ncsrr a0, fflags");
        program_expect(&p, SAM_HART_EBREAK);
        assert_int_equal(sam_hart_x(p.hart, 10), raised ? 8 : 0); /* DZ */
    }
    /* in one run, without stepping */
    struct program p = program_new(RV64, NULL,
                                   "li t0, 0x400\ncsrw ttype, t0\nli t1, 0x3f800000\n"
                                   "fdiv.s t1, t1, zero\ntl.addi tl1, tl2, 3\ncsrr a0, fflags\n"
                                   "ebreak\n");
    uint8_t third[TL_SIZE];
    for (unsigned i = 0; i < TL_SIZE; i += 4)
        sam_put_le32(third + i, 0x3eaaaaab);
    sam_hart_set_tl(p.hart, 2, third);
    program_expect(&p, SAM_HART_EBREAK);
    assert_int_equal(sam_hart_x(p.hart, 10), 8);
    program_free(&p);
}
