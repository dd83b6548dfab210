/* SPDX-License-Identifier: Apache-2.0 */
/* Every TensorLoad instruction with concrete operands in the two editions of the manual: its word,
 * or the message that rejects it. Lines with placeholders (tlrd, rs1, dim_gpr) are left out, and a
 * line in both editions is listed once. For its li see gnu.c, for the names of CSRs
 * isa/tensorload_csr.c. Words are assembled by hand from the
 * field tables of docs/tensorload-rulings.md 2, for instance
 *
 *     tl.addi tlr1, tlr2, 10         01 00 00001010 00010 010 00001 1011011 = 0x40a120db
 *     tl.merge.0 tlr0, tlr1, tlr2    11 01000 00010 00001 001 00000 1011011 = 0xd020905b
 *
 * with the EngineID that the rulings prescribe for the assembler (loads 00, addi 01, stores 10,
 * else 11). */
#include "isa/isa_test.h"

#define ISA "rv32im_zicsr_xtensorload"

struct line {
    const char *text;
    uint32_t word;
    const char *refusal;
};

static const struct line lines[] = {
    /* 3.2.1 */
    /* 3.2.2 */
    /* 3.3.1 */
    {"tl.addi tlr1, tlr2, 10", 0x40a120db, NULL},
    {"tl.addi tlr3, tlr3, -5", 0x4fb1a1db, NULL},
    /* 3.4.1 */
    {"tl.concat.0 tlr0, tlr1, tlr2", 0xc020905b, NULL},
    {"tl.concat.1 tlr0, tlr1, tlr2", 0xc220905b, NULL},
    {"tl.concat.2 tlr0, tlr1, tlr2", 0xc420905b, NULL},
    /* 3.4.2 */
    {"tl.merge.0 tlr0, tlr1, tlr2", 0xd020905b, NULL},
    {"tl.merge.1 tlr0, tlr1, tlr2", 0xd220905b, NULL},
    {"tl.merge.2 tlr0, tlr1, tlr2", 0xd420905b, NULL},
    /* 3.5 */
    {"tl.xpose.01 t1, t2, x10", 0xc220b55b, NULL},
    {"tl.xpose.02 t1, t2, x10", 0xc420b55b, NULL},
    {"tl.xpose.03 t1, t2, x10", 0xc620b55b, NULL},
    {"tl.xpose.12 t1, t2, x10", 0xd220b55b, NULL},
    {"tl.xpose.13 t1, t2, x10", 0xd420b55b, NULL},
    {"tl.xpose.23 t1, t2, x10", 0xd620b55b, NULL},
    /* r1 5.1 */
    {"tl.xpose.01 t0, t1, x10", 0xc210355b, NULL},
    {"tl.xpose.23 t0, t1, x11", 0xd61035db, NULL},
    /* r1 5.2 */
    {"tl.xpose.01 t2, t3, x11", 0xc23135db, NULL},
    {"tl.xpose.23 t4, t5, x12", 0xd652365b, NULL},
    /* r1 5.3 */
    {"tl.concat.2 t10, t11, t12", 0xc4c5955b, NULL},
    {"tl.concat.0 t13, t14, t15", 0xc0f716db, NULL},
    {"tl.concat.1 t16, t17, t18", 0xc328985b, NULL},
    /* r1 5.4 */
    {"tl.addi t1, t0, 50", 0x432020db, NULL},
    {"tl.addi t2, t1, -128", 0x4800a15b, NULL},
    {"tl.addi t3, t3, 20", 0x4141a1db, NULL},
    {"tl.addi t5, t4, 100", 0x464222db, NULL},
    {"tl.addi t6, t4, -50", 0x4ce2235b, NULL},
    {"tl.addi t10, t11, -32", 0x4e05a55b, NULL},
    /* r1 5.5 */
    {"tl.mload t1, x10, x11", 0,
     "old form with the sizes in x10: set tshape and write tl.mload tl1, 0(x11)"},
    {"tl.mload t2, x13, x14", 0,
     "old form with the sizes in x13: set tshape and write tl.mload tl2, 0(x14)"},
    /* r1 5.6 */
    {"tl.mstore t3, x17, x16", 0,
     "old form with the sizes in x16: set tshape and write tl.mstore tl3, 0(x17)"},
    {"tl.mstore t4, x20, x19", 0,
     "old form with the sizes in x19: set tshape and write tl.mstore tl4, 0(x20)"},
    {"tl.mload t5, x10, x11", 0,
     "old form with the sizes in x10: set tshape and write tl.mload tl5, 0(x11)"},
    {"tl.addi t5, t5, 50", 0x4322a2db, NULL},
    {"tl.mstore t5, x20, x10", 0,
     "old form with the sizes in x10: set tshape and write tl.mstore tl5, 0(x20)"},
    {"tl.xpose.31 tl2, tl3, x10", 0,
     "'tl.xpose.31': expected the dimensions in rising order, tl.xpose.13 does the same"},
    {"tl.xpose.w.20 tl2, tl3, x10", 0,
     "'tl.xpose.w.20': expected the dimensions in rising order, tl.xpose.w.02 does the same"},
    {"tl.xpose.22 tl2, tl3, x10", 0, "'tl.xpose.22' would move nothing: expected two dimensions"},
    {"tl.xpose.14 tl2, tl3, x10", 0, "unknown instruction 'tl.xpose.14'"},
    /* r2 5.1 */
    {"tl.xpose.01 tl0, tl1, x10", 0xc210355b, NULL},
    {"tl.xpose.23 tl0, tl1, x11", 0xd61035db, NULL},
    /* r2 5.2 */
    {"tl.concat.2 tl10, tl11, tl12", 0xc4c5955b, NULL},
    {"tl.merge.0 tl13, tl14, tl15", 0xd0f716db, NULL},
    /* r2 5.3 */
    {"tl.addi tl1, tl0, 50", 0x432020db, NULL},
    /* r2 5.4 */
    {"tl.mload tl1, 0(x11)", 0x100085db, NULL},
    {"tl.load t2, x13, x14", 0,
     "old form with the sizes in x13: set tshape and write tl.load tl2, 0(x14)"},
    /* r2 5.6 */
    {"tl.mstore t3, 0(x17)", 0xb001a8db, NULL},
    {"tl.mstore t4, 0(x20)", 0xb0022a5b, NULL},
};

static void test_line(void **state)
{
    static const char *const comments[] = {"", " ; (funct7=0x40)", "// t", "  # it's"};
    const struct line *line = *state;
    for (size_t i = 0; i < SAM_COUNT(comments); i++) {
        FREED char *text = formatted("    %s%s", line->text, comments[i]);
        if (line->refusal)
            test_refused(ISA, text, line->refusal);
        else
            test_words(ISA, text, &line->word, 1);
    }
}

/* The whole manual as one program, without rejected lines. */
TEST(test_all_lines)
{
    SCOPED(sam_buffer) text = {0};
    uint32_t words[SAM_COUNT(lines)];
    size_t count = 0;
    for (size_t i = 0; i < SAM_COUNT(lines); i++) {
        if (lines[i].refusal)
            continue;
        sam_buffer_printf(&text, "%s ; %zu\n", lines[i].text, i);
        words[count++] = lines[i].word;
    }
    test_words(ISA, sam_buffer_text(&text), words, count);
}

/* Bits 31:25 as printed in the manual after each line: with the EngineID, but not the one that
 * the assembler uses. All of them decode, as do the merge of the field table (funct5 001dd) and
 * the instruction variants of 8.2. */
TEST(test_printed_codes)
{
    static const struct {
        uint32_t funct7, funct3;
        const char *text; /* with tl1 and tl2 as sources, register 0 in bits 11:7 */
    } codes[] = {
        {0x40, 1, "tl.concat.0@store tl0, tl1, tl2"},
        {0x41, 1, "tl.concat.1@store tl0, tl1, tl2"},
        {0x42, 1, "tl.concat.2@store tl0, tl1, tl2"},
        {0x08, 1, "tl.merge.0@load tl0, tl1, tl2"},
        {0x09, 1, "tl.merge.1@load tl0, tl1, tl2"},
        {0x0a, 1, "tl.merge.2@load tl0, tl1, tl2"},
        {0x04, 1, ".word 0x0820905b # tl.merge.0@load tl0, tl1, tl2"},
        {0x05, 1, ".word 0x0a20905b # tl.merge.1@load tl0, tl1, tl2"},
        {0x06, 1, ".word 0x0c20905b # tl.merge.2@load tl0, tl1, tl2"},
        {0x01, 3, "tl.xpose.01@load tl1, tl2, zero"},
        {0x02, 3, "tl.xpose.02@load tl1, tl2, zero"},
        {0x03, 3, "tl.xpose.03@load tl1, tl2, zero"},
        {0x09, 3, "tl.xpose.12@load tl1, tl2, zero"},
        {0x0a, 3, "tl.xpose.13@load tl1, tl2, zero"},
        {0x0b, 3, "tl.xpose.23@load tl1, tl2, zero"},
        {0x31, 0, "tl.xpose.b.01 tl1, tl2, zero"},
        {0x32, 0, "tl.xpose.w.01 tl1, tl2, zero"},
        {0x33, 0, "tl.xpose.h.01 tl1, tl2, zero"},
        {0x34, 0, "tl.xpose.d.01 tl1, tl2, zero"},
    };
    (void)state;
    struct sam_isa isa = test_isa(ISA);
    for (size_t i = 0; i < SAM_COUNT(codes); i++) {
        uint32_t word = codes[i].funct7 << 25 | 2 << 20 | 1 << 15 | codes[i].funct3 << 12 | 0x5b;
        char text[96];
        assert_true(sam_disassemble(&isa, word, 0, 0, NULL, text, sizeof text));
        assert_string_equal(text, codes[i].text);
        WORDS(ISA, codes[i].text, word);
    }
}

/* t1, tlr1 and tl1 name one TLReg; in brackets and as dim_gpr, t1 is x6. */
TEST(test_register_names)
{
    for (unsigned i = 0; i < 32; i++) {
        uint32_t word = 0x4030205b | i << 15 | (31 - i) << 7;
        static const char *const formats[] = {"tl.addi tl%u, tl%u, 3", "tl.addi tlr%u, tlr%u, 3",
                                              "tl.addi t%u, t%u, 3", "tl.addi tlreg%u, tlreg%u, 3"};
        for (size_t f = 0; f < SAM_COUNT(formats); f++) {
            FREED char *text = formatted(formats[f], 31 - i, i);
            WORDS(ISA, text, word);
        }
    }
    test_same(ISA, "tl.load t1, 4(t1)", "tl.load tl1, 4(x6)");
    test_same(ISA, "tl.store t6, -1(t6)", "tl.store tlr6, -1(x31)");
    test_same(ISA, "tl.xpose.01 t2, t3, t0", "tl.xpose.01 tl2, tl3, x5");
    test_same(ISA, "tl.load t1, (a0)", "tl.load t1, 0(a0)");
    test_same(ISA, ".set n, 5\ntl.load t1, n - 7(a0)", "tl.load t1, -2(a0)");
}

/* The suffix of each engine: bits 31:30. */
TEST(test_engines)
{
    static const char *const engines[] = {"load", "comp", "store", "reshape"};
    static const struct {
        const char *mnemonic, *operands;
        uint32_t word; /* EngineID 00 */
        unsigned usual;
        bool no_comp;
    } cases[] = {
        {"tl.load", "tl3, -1(x9)", 0x0ff184db, 0, false},
        {"tl.mload", "tl3, -1(x9)", 0x1ff184db, 0, false},
        {"tl.store", "tl3, -1(x9)", 0x2ff1a4db, 2, true},
        {"tl.mstore", "tl3, -1(x9)", 0x3ff1a4db, 2, true},
        {"tl.addi", "tl9, tl3, -1", 0x0ff1a4db, 1, false},
        {"tl.concat.1", "tl9, tl3, tl5", 0x025194db, 3, false},
        {"tl.merge.1", "tl9, tl3, tl5", 0x125194db, 3, false},
        {"tl.xpose.13", "tl3, tl5, x9", 0x1451b4db, 3, false},
    };
    (void)state;
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        char text[96];
        snprintf(text, sizeof text, "%s %s", cases[i].mnemonic, cases[i].operands);
        WORDS(ISA, text, cases[i].word | cases[i].usual << 30);
        for (unsigned e = 0; e < 4; e++) {
            snprintf(text, sizeof text, "%s@%s %s", cases[i].mnemonic, engines[e],
                     cases[i].operands);
            if (e == 1 && cases[i].no_comp)
                test_refused(ISA, text, "@comp' has no encoding: with EngineID 01, bit 29");
            else
                WORDS(ISA, text, cases[i].word | e << 30);
        }
    }
}

/* `;` begins a comment under TensorLoad and separates statements elsewhere. */
TEST(test_comments)
{
    WORDS(ISA, "nop ; nop\n; nop\nnop // ; nop\nnop # ; /*\n.ascii \"a;b;\" ; 'x", 0x13, 0x13, 0x13,
          0x3b623b61);
    WORDS(ISA, "nop /* ; */ ; */\nli a0, ';'", 0x13, 0x03b00513);
    WORDS(ISA, ".macro m a ; comment\naddi a0, a0, \\a ; another\n.endm ; third\nm 1 ; m 2\n",
          0x00150513);
    WORDS("rv32im_zicsr", "nop ; nop; nop", 0x13, 0x13, 0x13);
    WORDS("ventus", "nop;nop", 0x13, 0x13);
}

PROLOGUE
{
    for (size_t i = 0; i < SAM_COUNT(lines); i++)
        test_add(test_line, &lines[i], "%s", lines[i].text);
}
