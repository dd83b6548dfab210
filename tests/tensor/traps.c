/* SPDX-License-Identifier: Apache-2.0 */
/* Every trap condition of the TensorLoad unit (manual 6.1 and the rulings), with cause and
 * mtval; each test also checks that nothing has changed. Both XLENs. */
#include "tensor/unit.h"

/* Shapes encoded as in tshape. */
#define SHAPE(d0, d1, d2) "li t0, " #d0 " << 16 | " #d1 " << 8 | " #d2 "\ncsrw tshape, t0\n"
#define SET(csr, value)   "li t0, " #value "\ncsrw " #csr ", t0\n"
#define BASE              "li a0, 0x10000\n"
#define BYTES_8_16_8      SHAPE(8, 16, 8)
#define ALL_MASKS                                                                                  \
    SET(tmask_load, -1)                                                                            \
    SET(tmask_store, -1) SET(tmask_concat_1, 1) SET(tmask_concat_2, 1)

enum { ILLEGAL = 2 };

static void check(const char *setup, const char *insn, unsigned cause, uint64_t tval)
{
    static const char *const isas[] = {RV32, RV64};
    for (size_t i = 0; i < SAM_COUNT(isas); i++) {
        SCOPED(program) p = unit_new(isas[i], NULL, setup, insn);
        unit_traps(&p, cause, tval);
    }
}

static void illegal(const char *setup, const char *insn)
{
    check(setup, insn, ILLEGAL, UNIT_WORD);
}

/* One of each kind, by operands. */
static const char *const moves[] = {"tl.load tl1, 0(a0)", "tl.mload tl1, 0(a0)",
                                    "tl.store tl1, 0(a0)", "tl.mstore tl1, 0(a0)"};
static const char *const shaped[] = {
    "tl.load tl1, 0(a0)",        "tl.mload tl1, 0(a0)",       "tl.store tl1, 0(a0)",
    "tl.mstore tl1, 0(a0)",      "tl.concat.0 tl1, tl2, tl3", "tl.concat.1 tl1, tl2, tl3",
    "tl.concat.2 tl1, tl2, tl3", "tl.merge.0 tl1, tl2, tl3",  "tl.merge.1 tl1, tl2, tl3",
    "tl.merge.2 tl1, tl2, tl3",
};

/* ------------------------------------------------------------------- CSRs never written */

TEST(shape_unwritten)
{
    for (size_t i = 0; i < SAM_COUNT(shaped); i++)
        illegal(BASE ALL_MASKS, shaped[i]);
}

TEST(masks_unwritten)
{
    illegal(BASE BYTES_8_16_8 SET(tmask_store, -1), "tl.mload tl1, 0(a0)");
    illegal(BASE BYTES_8_16_8 SET(tmask_load, -1), "tl.mstore tl1, 0(a0)");
    illegal(BYTES_8_16_8 SET(tmask_concat_1, 1), "tl.concat.0 tl1, tl2, tl3");
    illegal(BYTES_8_16_8 SET(tmask_concat_2, 1), "tl.concat.0 tl1, tl2, tl3");
    illegal(BYTES_8_16_8 SET(tmask_concat_2, 1), "tl.merge.0 tl1, tl2, tl3");
}

/* ----------------------------------------------------------------------- ttype and tshape */

/* No field, two fields, reserved codes of a field, reserved bits. */
TEST(bad_types)
{
    static const char *const types[] = {"0",     "3",          "0x11",       "0x300",     "0xc00",
                                        "0x140", "0x40000000", "0x40000002", "0x80000002"};
    for (size_t t = 0; t < SAM_COUNT(types); t++) {
        char setup[512];
        snprintf(setup, sizeof setup,
                 "%sli t0, %s\ncsrw ttype, t0\nli a1, 0x08080804\nli a2, 0x08080402\n",
                 BASE BYTES_8_16_8 ALL_MASKS, types[t]);
        for (size_t i = 0; i < SAM_COUNT(shaped); i++)
            illegal(setup, shaped[i]);
        illegal(setup, "tl.addi tl1, tl2, 1");
        illegal(setup, "tl.xpose.01 tl1, tl2, a1");
        illegal(setup, ".word 0xde20b65b"); /* dim0 = dim1 = 3 */
    }
}

TEST(bad_shapes)
{
    static const char *const shapes[] = {
        "0",          "0x000404",   "0x040004", "0x040400", /* a size of 0 */
        "0x01020202", "0x80020202",                         /* reserved bits */
        "0x081110",                                         /* 2176 bytes */
        "0x210420",                                         /* 33 * 4 * 32 */
        "0xffffff",
    };
    for (size_t s = 0; s < SAM_COUNT(shapes); s++) {
        FREED char *setup = formatted("%sli t0, %s\ncsrw tshape, t0\n", BASE ALL_MASKS, shapes[s]);
        for (size_t i = 0; i < SAM_COUNT(shaped); i++)
            illegal(setup, shaped[i]);
    }
    /* 1024 elements: too many of 2 bytes and of 4. */
    for (size_t i = 0; i < SAM_COUNT(shaped); i++) {
        illegal(BASE ALL_MASKS BYTES_8_16_8 SET(ttype, 4), shaped[i]);
        illegal(BASE ALL_MASKS BYTES_8_16_8 SET(ttype, 0x400), shaped[i]);
    }
    illegal(BASE ALL_MASKS SHAPE(8, 16, 17) SET(ttype, 1), "tl.load tl1, 0(a0)"); /* int4 */
}

/* ------------------------------------------------------------------------ loads and stores */

/* More than 32 slices: masks have no bit for them, strides no register. */
TEST(many_slices)
{
    illegal(BASE SHAPE(33, 1, 4) SET(tmask_load, -1), "tl.mload tl1, 0(a0)");
    illegal(BASE SHAPE(33, 1, 4) SET(tmask_store, -1), "tl.mstore tl1, 0(a0)");
    illegal(BASE SHAPE(33, 1, 4) SET(tload_stride0, 0), "tl.load tl1, 0(a0)");
    illegal(BASE SHAPE(33, 1, 4) SET(tload_stride31, 31), "tl.load tl1, 0(a0)");
    illegal(BASE SHAPE(33, 1, 4) SET(tstore_stride5, 5), "tl.store tl1, 0(a0)");
}

/* Slices past the register's end, also if the product exceeds 32 bits. */
TEST(wide_slices)
{
    illegal(BASE SHAPE(8, 4, 4) SET(tload_width, 129), "tl.load tl1, 0(a0)");
    illegal(BASE SHAPE(8, 4, 4) SET(tstore_width, 129), "tl.store tl1, 0(a0)");
    illegal(BASE SHAPE(8, 4, 4) SET(tload_width, 0x20000000), "tl.load tl1, 0(a0)");
    illegal(BASE SHAPE(8, 4, 4) SET(tstore_width, -1), "tl.store tl1, 0(a0)");
    illegal(BASE SHAPE(4, 4, 4) SET(ttype, 8) SET(tload_width, 65), "tl.load tl1, 0(a0)");
    /* whatever the mask excludes */
    illegal(BASE SHAPE(8, 4, 4) SET(tload_width, 129) SET(tmask_load, 1), "tl.mload tl1, 0(a0)");
}

/* A slice of 4-bit elements is a whole number of bytes. */
TEST(half_bytes)
{
    for (size_t i = 0; i < SAM_COUNT(moves); i++) {
        illegal(BASE ALL_MASKS SHAPE(4, 3, 3) SET(ttype, 1), moves[i]);
        illegal(BASE ALL_MASKS SHAPE(4, 4, 4) SET(ttype, 0x10) SET(tload_width, 7)
                    SET(tstore_width, 7),
                moves[i]);
    }
}

/* mtval is the address of the first slice accessed. */
TEST(misaligned)
{
#define SHAPED SHAPE(4, 2, 4)
    static const struct {
        const char *type;
        unsigned off;
    } cases[] = {{SET(ttype, 4), 1}, {SET(ttype, 0x100), 3}, {SET(ttype, 0x200), 1},
                 {SET(ttype, 8), 2}, {SET(ttype, 0x400), 1}, {SET(ttype, 0x800), 3}};
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        FREED char *setup =
            formatted("li a0, 0x10000 + %u\n%s%s", cases[i].off, SHAPED ALL_MASKS, cases[i].type);
        check(setup, "tl.load tl1, 0(a0)", 4, DATA_BASE + cases[i].off);
        check(setup, "tl.store tl1, 0(a0)", 6, DATA_BASE + cases[i].off);
    }
    /* slice 2 is the first one; 8 elements of 2 bytes, one width from the immediate */
    check("li a0, 0x10001\n" SHAPED SET(ttype, 4) SET(tmask_load, 12), "tl.mload tl1, 1(a0)", 4,
          DATA_BASE + 1 + 16 * (1 + 2));
    check("li a0, 0x10001\n" SHAPED SET(ttype, 4) SET(tmask_store, 12) SET(tstore_stride2, 7),
          "tl.mstore tl1, 1(a0)", 6, DATA_BASE + 1 + 16 * (1 + 7));
    /* checked before bounds, after all illegal conditions */
    check("li a0, 0x2001\n" SHAPED SET(ttype, 4), "tl.load tl1, 0(a0)", 4, 0x2001);
    illegal("li a0, 0x2001\n" SHAPED SET(ttype, 4) SET(tload_width, 999), "tl.load tl1, 0(a0)");
    /* tl0 is checked like any other */
    check("li a0, 0x10001\n" SHAPED SET(ttype, 4), "tl.load tl0, 0(a0)", 4, DATA_BASE + 1);
}

/* The first failing byte, in slice order: past the end, before the start, in a gap. */
TEST(out_of_bounds)
{
    const uint64_t end = DATA_BASE + DATA_SIZE;
#define SLICES SHAPE(4, 4, 8) /* of 32 bytes */
    check("li a0, 0x14000 - 127\n" SLICES, "tl.load tl1, 0(a0)", 5, end);
    check("li a0, 0x14000 - 127\n" SLICES, "tl.store tl1, 0(a0)", 7, end);
    check("li a0, 0x14000\n" SLICES, "tl.load tl0, 0(a0)", 5, end);
    check("li a0, 0x10000 - 5\n" SLICES, "tl.load tl1, 0(a0)", 5, DATA_BASE - 5);
    check("li a0, 0x10000\n" SLICES, "tl.store tl1, -1(a0)", 7, DATA_BASE - 32);
    /* slice 2 is out, 3 is in */
    check(BASE SLICES SET(tload_stride2, 512), "tl.load tl1, 0(a0)", 5, end);
    check(BASE SLICES SET(tstore_stride2, -2), "tl.store tl1, 1(a0)", 7, DATA_BASE - 32);
    /* the lowest slice, not the lowest address */
    check(BASE SLICES SET(tload_stride1, 600) SET(tload_stride2, -600), "tl.load tl1, 0(a0)", 5,
          DATA_BASE + 32 * 600);
    /* a product of stride and width over 32 bits is formed in full: it does not wrap to DATA */
    check("li a0, 0x100\n" SHAPE(1, 1, 4) SET(tload_stride0, 1), "tl.load tl1, 127(a0)", 5,
          0x100 + 4 * 128);
}

/* Slices excluded by the mask are not checked; included ones are. */
TEST(out_of_bounds_under_a_mask)
{
    check("li a0, 0x14000 - 64\n" SLICES SET(tmask_load, 6), "tl.mload tl1, 0(a0)", 5,
          DATA_BASE + DATA_SIZE);
    check("li a0, 0x14000 - 64\n" SLICES SET(tmask_store, 9), "tl.mstore tl1, 0(a0)", 7,
          DATA_BASE + DATA_SIZE + 32);
}

/* Strict mode: loads read L1M only, stores write L0M only. */
TEST(strict_mode)
{
    struct sam_hart_options options = {.l1m = {DATA_BASE, 0x1000},
                                       .l0m = {DATA_BASE + 0x1000, 0x1000}};
    static const struct {
        const char *setup, *insn;
        unsigned cause; /* 0: passes */
        uint64_t tval;
    } cases[] = {
        {BASE SLICES, "tl.load tl1, 0(a0)", 0, 0},
        {BASE SLICES, "tl.store tl1, 0(a0)", 7, DATA_BASE},
        {"li a0, 0x11000\n" SLICES, "tl.store tl1, 0(a0)", 0, 0},
        {"li a0, 0x11000\n" SLICES, "tl.load tl1, 0(a0)", 5, DATA_BASE + 0x1000},
        {"li a0, 0x11000 - 10\n" SLICES, "tl.load tl1, 0(a0)", 5, DATA_BASE + 0x1000},
        {"li a0, 0x11000 - 10\n" SLICES, "tl.store tl1, 0(a0)", 7, DATA_BASE + 0x1000 - 10},
        {"li a0, 0x12000 - 128\n" SLICES, "tl.store tl1, 0(a0)", 0, 0},
        {"li a0, 0x12000 - 127\n" SLICES, "tl.store tl1, 0(a0)", 7, DATA_BASE + 0x2000},
        {"li a0, 0x13000\n" SLICES SET(tmask_load, 0), "tl.mload tl1, 0(a0)", 0, 0},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        SCOPED(program) p = unit_new(i % 2 ? RV32 : RV64, &options, cases[i].setup, cases[i].insn);
        if (cases[i].cause)
            unit_traps(&p, cases[i].cause, cases[i].tval);
        else
            unit_passes(&p);
    }
    /* the scalar core is unrestricted */
    SCOPED(program) p = unit_new(RV64, &options, BASE, "sw a0, 0(a0)");
    unit_passes(&p);
}

/* -------------------------------------------------------------------------- concat, merge */

TEST(long_dimensions)
{
    static const struct {
        const char *setup, *concat, *merge;
    } cases[] = {
        {SHAPE(33, 2, 2), "tl.concat.0 tl1, tl2, tl3", "tl.merge.0 tl1, tl2, tl3"},
        {SHAPE(2, 33, 2), "tl.concat.1 tl1, tl2, tl3", "tl.merge.1 tl1, tl2, tl3"},
        {SHAPE(2, 2, 33), "tl.concat.2 tl1, tl2, tl3", "tl.merge.2 tl1, tl2, tl3"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        FREED char *setup = formatted("%s%s", ALL_MASKS, cases[i].setup);
        illegal(setup, cases[i].concat);
        illegal(setup, cases[i].merge);
    }
}

/* More positions than the result has. */
TEST(too_many_positions)
{
    illegal(SHAPE(4, 4, 4) SET(tmask_concat_1, 7) SET(tmask_concat_2, 3),
            "tl.concat.2 tl1, tl2, tl3");
    illegal(SHAPE(4, 4, 4) SET(tmask_concat_1, -1) SET(tmask_concat_2, 8),
            "tl.concat.0 tl0, tl2, tl3");
    illegal(SHAPE(1, 2, 32) SET(tmask_concat_1, 1) SET(tmask_concat_2, -1),
            "tl.concat.2 tl1, tl1, tl1");
}

/* ---------------------------------------------------------------------------------- xpose */

TEST(bad_sizes)
{
    static const struct {
        const char *setup, *insn;
    } cases[] = {
        {"li a1, 0x04080804\n", "tl.xpose.23 tl4, tl5, a1"}, /* 1024 elements */
        {"li a1, 0x08080808\n", "tl.xpose.01 tl1, tl2, a1"}, /* 4096 */
        {"li a1, 0x00400220\n", "tl.xpose.01 tl1, tl2, a1"}, /* a size of 0 */
        {"li a1, 0\n", "tl.xpose.01 tl1, tl2, a1"},
        {"li a1, 0x80100101\n", "tl.xpose.12 tl1, tl2, a1"}, /* 2048, but D0 is odd */
        {"li a1, 0x02081008\n", "tl.xpose.01 tl3, tl3, a1"}, /* one register twice */
        {"li a1, 0x02081008\n", "tl.xpose.01 tl0, tl0, a1"},
        {"li a1, 0x02081008\n" SET(ttype, 4), "tl.xpose.01 tl1, tl2, a1"}, /* 4096 bytes */
        {"li a1, 0x02081008\n" SET(ttype, 1), "tl.xpose.01 tl1, tl2, a1"}, /* 1024 bytes */
        {"li a1, 0x02081008\n", "tl.xpose.h.01 tl1, tl2, a1"},
        {"li a1, 0x02081008\n", "tl.xpose.w.23 tl1, tl2, a1"},
        {"li a1, 0x02081008\n", "tl.xpose.d.12 tl1, tl2, a1"},
        {"li a1, 0x02080808\n" SET(ttype, 4), "tl.xpose.b.01 tl1, tl2, a1"},
        {"li a1, 0x80100101\n", "tl.xpose.b.12 tl1, tl2, a1"},
        {"li a1, 0x02081008\n", "tl.xpose.b.01 tl7, tl7, a1"},
        /* dim0 = dim1 moves nothing, but is checked */
        {"li a1, 0x04080804\n", ".word 0xca20b5db"},
        {"li a1, 0x80100101\n", ".word 0xca20b5db"},
        {"li a1, 0x02081008\n", ".word 0xc010b5db"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++)
        illegal(cases[i].setup, cases[i].insn);
}

/* Codes without an instruction. */
TEST(reserved_codes)
{
    static const char *const words[] = {
        ".word 0xc62091db",                     /* concat along 3 */
        ".word 0xd62091db",                     /* merge along 3 */
        ".word 0xce2091db",                     /* its other code */
        ".word 0xd82091db",                     /* neither */
        ".word 0xe02091db", ".word 0xe020b1db", /* xpose with funct5[4] */
        ".word 0x0020c1db",                     /* no such funct3 */
        ".word 0x0020f1db", ".word 0x602081db", /* tl.store on TensorComp */
        ".word 0x6220e1db",                     /* a width variant of a seventh pair */
    };
    for (size_t i = 0; i < SAM_COUNT(words); i++)
        illegal(BASE BYTES_8_16_8 ALL_MASKS, words[i]);
}

/* ------------------------------------------------------------------------------ in words */

/* The report names the violated rule, with the values. */
TEST(reports)
{
    static const struct {
        const char *setup, *insn, *text;
    } rows[] = {
        {BASE, "tl.load tl1, 0(a0)",
         "illegal instruction: tshape was never written: expected, for [8, 4, 32] elements, li t0, "
         "0x080420; "
         "csrw tshape, t0; pc"},
        {BASE BYTES_8_16_8, "tl.mload tl1, 0(a0)", "tmask_load was never written"},
        {BASE BYTES_8_16_8, "tl.mstore tl1, 0(a0)", "tmask_store was never written"},
        {BYTES_8_16_8 SET(tmask_concat_1, 1), "tl.concat.0 tl1, tl2, tl3",
         "tmask_concat_2 was never written"},
        {BYTES_8_16_8, "tl.merge.0 tl1, tl2, tl3", "tmask_concat_1 was never written"},
        {BASE BYTES_8_16_8 SET(ttype, 3), "tl.load tl1, 0(a0)", "ttype 0x3: expected one type"},
        {SET(ttype, 0), "tl.addi tl1, tl2, 1", "ttype 0x0: expected one type"},
        {SET(ttype, 0) "li a1, 0x08080804\n", "tl.xpose.01 tl1, tl2, a1",
         "ttype 0x0: expected one type"},
        {BASE SET(tshape, 0x01080808), "tl.store tl1, 0(a0)",
         "tshape [8, 8, 8] = 0x01080808: bits 31:24 must be 0"},
        {BASE SHAPE(8, 0, 4), "tl.load tl1, 0(a0)", "tshape [8, 0, 4]: no size may be 0"},
        {BASE SHAPE(8, 16, 16), "tl.load tl1, 0(a0)",
         "tshape [8, 16, 16] of 8-bit elements takes 16384 bits: at most 8192"},
        {BASE SHAPE(33, 1, 1) ALL_MASKS, "tl.mload tl1, 0(a0)", "D0 = 33 under a mask: at most 32"},
        {BASE SHAPE(40, 1, 1) SET(tload_stride3, 1), "tl.load tl1, 0(a0)",
         "D0 = 40 where tload_stride3 is written: at most 32"},
        {BASE SHAPE(2, 2, 2) SET(ttype, 1) SET(tload_width, 3), "tl.load tl1, 0(a0)",
         "a slice of 12 bits: expected whole bytes"},
        {BASE SHAPE(8, 16, 8) SET(tstore_width, 200), "tl.store tl1, 0(a0)",
         "8 slices of 200 bytes: at most 1024 bytes"},
        {SHAPE(1, 40, 1) ALL_MASKS, "tl.merge.1 tl1, tl2, tl3",
         "D1 = 40 for a mask of positions: at most 32"},
        {SHAPE(1, 2, 1) SET(tmask_concat_1, 3) SET(tmask_concat_2, 1), "tl.concat.1 tl1, tl2, tl3",
         "the masks select 3 positions: at most D1 = 2"},
        {"li a1, 0x08080804\n", "tl.xpose.01 tl2, tl2, a1", "tl2 twice: expected two registers"},
        {"li a1, 0x08080803\n", "tl.xpose.01 tl1, tl2, a1",
         "dim_gpr [3, 8, 8, 8] of 8-bit elements takes 12288 bits: expected 16384"},
        {"li a1, 0x08080402\n", "tl.xpose.b.01 tl1, tl2, a1",
         "dim_gpr [2, 4, 8, 8] of 8-bit elements takes 4096 bits: expected 16384"},
        {"li a1, 0x10101001\n", "tl.xpose.w.01 tl1, tl2, a1",
         "dim_gpr [1, 16, 16, 16] of 32-bit elements takes 131072 bits: expected 16384"},
        {"li a1, 0x08101001\n", "tl.xpose.01 tl1, tl2, a1",
         "dim_gpr [1, 16, 16, 8]: D0 must be even"},
        {BASE "addi a0, a0, 1\n" SHAPE(2, 2, 2) SET(ttype, 4), "tl.load tl1, 0(a0)",
         "misaligned load from 0x10001: the base must be a multiple of 2; pc"},
        {"li a0, 64\n" BYTES_8_16_8, "tl.load tl1, 0(a0)",
         "load from 0x40, which cannot be read; pc"},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        SCOPED(program) p = unit_new(i % 2 ? RV32 : RV64, NULL, rows[i].setup, rows[i].insn);
        if (program_run(&p) != SAM_ERR_TRAP || !strstr(p.result.text, rows[i].text))
            fail_msg("%s, expected: %s", p.result.text, rows[i].text);
    }
}

/* In strict mode, too; an earlier instruction's violation is not reported again. */
TEST(reports_of_memory)
{
    static const struct sam_hart_options strict = {.l1m = {0x10000, 0x100}, .l0m = {0x12000, 16}};
    static const uint32_t no_instruction = 0x5b | 7 << 12;
    SCOPED(program) p = unit_new(RV64, &strict, BASE BYTES_8_16_8, "tl.load tl1, 0(a0)");
    assert_int_equal(program_run(&p), SAM_ERR_TRAP);
    assert_non_null(strstr(p.result.text, "load from 0x10100, which cannot be read: outside L1M, "
                                          "0x10000..+0x100; pc"));
    SCOPED(program) q = unit_new(RV64, &strict, BASE BYTES_8_16_8, "tl.store tl1, 0(a0)");
    assert_int_equal(program_run(&q), SAM_ERR_TRAP);
    assert_non_null(strstr(q.result.text, ": outside L0M, 0x12000..+0x10; pc"));
    sam_hart_set_pc(q.hart, SAM_HART_CODE_BASE);
    sam_hart_write(q.hart, SAM_HART_CODE_BASE, &no_instruction, 4, &q.error);
    assert_int_equal(program_run(&q), SAM_ERR_TRAP);
    assert_null(strstr(q.result.text, "L0M"));
}
