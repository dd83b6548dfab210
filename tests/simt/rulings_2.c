/* SPDX-License-Identifier: Apache-2.0 */
/* docs/ventus-rulings.md, chapter 2: encodings and instructions. Values by hand. */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "program.h"

#define BEGIN "li x31, 0x90000000\n"
#define END   "endprg x0, x0, x0\n"
/* Lanes 2 and up run what stands between. */
#define UPPER_LANES                                                                                \
    "vid.v v30\nvmv.v.i v31, 2\nla x30, done\nsetrpc x0, x30, 0\nvblt v30, v31, done\n"
#define ALL_LANES "done: join zero, zero, 0\n"

static struct program passed(const char *text, uint32_t lanes)
{
    struct program p = program_new(text, lanes);
    program_pass(&p);
    return p;
}

/* `text` ends in a trap at its label "bad". */
static void traps(const char *text, enum sam_trap_kind kind)
{
    struct program p = program_new(text, 4);
    program_trap(&p, kind);
    assert_int_equal(p.result.trap.pc, program_symbol(&p, "bad"));
    program_free(&p);
}

TEST(ruling_2_1_vadd12_and_vsub12)
{
    struct program p = passed(BEGIN "vid.v v1\n"
                                    ".word 0xfff0818b\n" /* vadd12.vi v3, v1, -1 */
                                    ".word 0x0050920b\n" /* vsub12.vi v4, v1, 5 */
                                    "vse32.v v3, (x31)\naddi x31, x31, 16\nvse32.v v4, (x31)\n" END,
                              4);
    EXPECT_WORDS(&p, DATA, -1u, 0, 1, 2, -5u, -4u, -3u, -2u);
    program_free(&p);
}

TEST(ruling_2_2_order_of_comparison)
{
    /* Bits 24:20 name v2 = 0 1 2 3, bits 19:15 v1 = 2: lanes 0 and 1 of "vblt v2, v1" branch. */
    static const struct {
        uint32_t funct3;
        uint32_t stays[4]; /* 1: the lane does not branch */
    } rows[] = {{4, {0, 0, 1, 1}}, {5, {1, 1, 0, 0}}, {6, {0, 0, 1, 1}}, {7, {1, 1, 0, 0}}};
    for (unsigned i = 0; i < 4; i++) {
        char text[512];
        uint32_t word = 2u << 20 | 1u << 15 | rows[i].funct3 << 12 | 8u << 7 | 0x5b; /* . + 8 */
        snprintf(text, sizeof(text),
                 BEGIN "vid.v v2\nvmv.v.i v1, 2\nvmv.v.i v3, 0\nla x5, join\nsetrpc x0, x5, 0\n"
                       ".word 0x%08x\nvadd12.vi v3, v3, 1\njoin: join zero, zero, 0\n"
                       "vse32.v v3, (x31)\n" END,
                 (unsigned)word);
        struct program p = passed(text, 4);
        program_expect(&p, DATA, rows[i].stays, 4);
        program_free(&p);
    }
}

TEST(ruling_2_3_vfexp_and_vftta_words)
{
    struct program p = passed(BEGIN "vmv.v.i v2, 0\n"
                                    ".word 0x0a20618b\n" /* vfexp.v v3, v2 */
                                    ".word 0x0e31c18b\n" /* vftta.vv v3, v3, v3: 1 + 2 */
                                    "vse32.v v3, (x31)\n" END,
                              4);
    EXPECT_WORDS(&p, DATA, 0x40400000, 0x40400000, 0x40400000, 0x40400000);
    program_free(&p);
    /* bit 25 clear: lanes with bit 0 of v0 */
    p = passed(BEGIN "vid.v v0\nvmv.v.i v2, 0\nvmv.v.i v3, 7\n"
                     ".word 0x0820618b\n"
                     "vse32.v v3, (x31)\n" END,
               4);
    EXPECT_WORDS(&p, DATA, 7, 0x3f800000, 7, 0x3f800000);
    program_free(&p);
    traps("bad: .word 0x0620618b\n" END, SAM_TRAP_ILLEGAL); /* funct6 000001 of 4.2.5 */
    traps("bad: .word 0x0a20c18b\n" END, SAM_TRAP_ILLEGAL); /* funct6 000010 of the summary */
}

TEST(ruling_2_4_private_stores)
{
    struct program p = passed("li x5, 0x12345678\nvmv.v.x v3, x5\nvmv.v.i v1, 0\n"
                              ".word 0x8030a02b\n"      /* vsw.v v3, 0(v1) */
                              ".word 0x8030922b\n"      /* vsh.v v3, 4(v1) */
                              ".word 0x8030842b\n" END, /* vsb.v v3, 8(v1) */
                              4);
    for (uint32_t lane = 0; lane < 4; lane++) {
        EXPECT_WORDS(&p, PDS + 4 * lane, 0x12345678);
        EXPECT_WORDS(&p, PDS + 16 + 4 * lane, 0x5678);
        EXPECT_WORDS(&p, PDS + 32 + 4 * lane, 0x78);
    }
    program_free(&p);
    traps("bad: .word 0x8030e02b\n" END, SAM_TRAP_ILLEGAL); /* funct3 110 of the summary */
    traps("bad: .word 0x8030b02b\n" END, SAM_TRAP_ILLEGAL); /* 011 */
    traps("bad: .word 0x8030f02b\n" END, SAM_TRAP_ILLEGAL); /* 111 */
}

TEST(ruling_2_5_private_memory_interleaves)
{
    struct program p = program_new("vid.v v1\ncsrr x5, tid\nvadd.vx v1, v1, x5\n"
                                   "csrr x5, wgid\nli x6, 100\nmul x5, x5, x6\n"
                                   "vadd.vx v2, v1, x5\n" /* 100 workgroup + thread */
                                   "vmv.v.i v3, 5\n"
                                   "vsw.v v2, -1(v3)\n" /* a = 4 */
                                   "vsb.v v2, 4(v3)\n"  /* a = 9 */
                                   "vmv.v.i v4, 0\n"
                                   "vlb.v v5, 9(v4)\n"
                                   "vsh.v v5, 14(v4)\n" END,
                                   4);
    p.launch.warps = 2;
    p.launch.grid[0] = 2;
    p.launch.pds_size = 16;
    program_pass(&p);
    for (uint32_t group = 0; group < 2; group++)
        for (uint32_t thread = 0; thread < 8; thread++) {
            uint32_t base = PDS + group * 2 * 4 * 16, value = 100 * group + thread;
            EXPECT_WORDS(&p, base + 4 * 8 + 4 * thread, value);
            EXPECT_WORDS(&p, base + 8 * 8 + 4 * thread, value << 8);
            EXPECT_WORDS(&p, base + 12 * 8 + 4 * thread, value << 16);
            EXPECT_WORDS(&p, base + 4 * thread, 0);
        }
    program_free(&p);
}

TEST(ruling_2_5_beyond_the_private_size)
{
    struct program p = program_new("vid.v v1\nli x5, 341\nvmul.vx v1, v1, x5\nvmv.v.i v3, 1\n"
                                   "vlb.v v2, 0(v1)\n" /* 0 341 682 1023 */
                                   "bad: vsb.v v3, 1(v1)\n" END,
                                   4);
    program_trap(&p, SAM_TRAP_PRIVATE_RANGE);
    assert_int_equal(p.result.trap.pc, program_symbol(&p, "bad"));
    assert_int_equal(p.result.trap.lane, 3);
    assert_int_equal(p.result.trap.tval, 1024);
    program_free(&p);
    p = program_new("vmv.v.i v1, 0\nvlb.v v2, -1(v1)\n" END, 4);
    program_trap(&p, SAM_TRAP_PRIVATE_RANGE); /* -1 is far beyond */
    assert_int_equal(p.result.trap.lane, 0);
    assert_int_equal(p.result.trap.tval, 0xffffffff);
    program_free(&p);
}

/* An address below the private size is not beyond it, wherever the access ends: the traps of the
 * last bytes. */
TEST(ruling_2_5_up_to_the_private_size)
{
    static const struct {
        const char *insn;
        enum sam_trap_kind kind;
        uint32_t tval;
    } ends[] = {
        {"vsh.v v2, 1023(v1)", SAM_TRAP_STORE_MISALIGNED, 1023},
        {"vlh.v v2, 1023(v1)", SAM_TRAP_LOAD_MISALIGNED, 1023},
        {"vsw.v v2, 1022(v1)", SAM_TRAP_STORE_MISALIGNED, 1022},
        {"vlw.v v2, 1021(v1)", SAM_TRAP_LOAD_MISALIGNED, 1021},
        {"vlw.v v2, 1023(v1)", SAM_TRAP_LOAD_MISALIGNED, 1023},
        {"vlh.v v2, 1023(v3)", SAM_TRAP_PRIVATE_RANGE, 1024},
        {"regpair zero, zero, 0\nvlw.v v2, 1022(v1)", SAM_TRAP_LOAD_MISALIGNED, 1022},
        {"regpair zero, zero, 0\nvsw.v v2, 1018(v1)", SAM_TRAP_STORE_MISALIGNED, 1018},
        {"regpair zero, zero, 0\nvlw.v v2, 1020(v1)", SAM_TRAP_PRIVATE_RANGE, 1024},
        {"regpair zero, zero, 0\nvlw.v v2, 1020(v4)", SAM_TRAP_PRIVATE_RANGE, 1024},
    };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "vmv.v.i v1, 0\nvmv.v.i v3, 1\nvmv.v.i v4, 4\n%s\n" END,
                 ends[i].insn);
        struct program p = program_new(text, 4);
        program_trap(&p, ends[i].kind);
        assert_int_equal(p.result.trap.lane, 0);
        assert_int_equal(p.result.trap.tval, ends[i].tval);
        program_free(&p);
    }
}

TEST(ruling_2_6_gather_and_scatter)
{
    struct program p = program_new(BEGIN "vid.v v1\nvrsub.vi v1, v1, 3\nvsll.vi v1, v1, 3\n"
                                         "vadd.vx v1, v1, x31\n" /* base + 24 16 8 0 */
                                         "vlw12.v v2, 4(v1)\n"
                                         "vid.v v3\n"
                                         "vsw12.v v3, 64(v1)\n"
                                         "vmv.v.x v4, x31\n"
                                         "vsw12.v v3, 32(v4)\n" /* all lanes to one place */
                                         "addi x31, x31, 128\nvse32.v v2, (x31)\n" END,
                                   4);
    for (uint32_t i = 0; i < 8; i++)
        program_set(&p, DATA + 4 * i, 10 + i);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA + 128, 17, 15, 13, 11);
    EXPECT_WORDS(&p, DATA + 64, 3, 0, 2, 0, 1, 0, 0, 0);
    EXPECT_WORDS(&p, DATA + 32, 3);
    program_free(&p);
}

TEST(ruling_2_7_compares_write_elements)
{
    struct program p = passed(BEGIN "vid.v v1\nvmv.v.i v2, 9\n" UPPER_LANES
                                    "vmseq.vi v2, v1, 3\n" ALL_LANES "vse32.v v2, (x31)\n"
                                    "addi x31, x31, 16\n"
                                    "vfcvt.f.x.v v3, v1\nli x5, 0x40000000\n" /* 2.0 */
                                    "vmfge.vf v4, v3, x5\nvse32.v v4, (x31)\n" END,
                              4);
    EXPECT_WORDS(&p, DATA, 9, 9, 0, 1, 0, 0, 1, 1);
    program_free(&p);
}

TEST(ruling_2_7_masks_are_bit_0_of_elements)
{
    struct program p = passed(BEGIN "vid.v v0\n"                           /* bit 0: 0 1 0 1 */
                                    "vmv.v.i v1, 2\nvmnor.mm v3, v0, v1\n" /* v1's bit 0 is 0 */
                                    "vse32.v v3, (x31)\naddi x31, x31, 16\n"
                                    "vmv.v.i v3, 9\nvadd.vi v3, v1, 5, v0.t\n"
                                    "vse32.v v3, (x31)\naddi x31, x31, 16\n"
                                    "vmerge.vim v3, v1, 6, v0\n"
                                    "vse32.v v3, (x31)\naddi x31, x31, 16\n"
                                    "vse32.v v1, (x31), v0.t\n" END,
                              4);
    EXPECT_WORDS(&p, DATA, 1, 0, 1, 0, 9, 7, 9, 7, 2, 6, 2, 6, 0, 2, 0, 2);
    program_free(&p);
}

TEST(ruling_2_8_broadcast_and_the_highest_lane)
{
    struct program p = passed(BEGIN "vid.v v1\nvmv.v.i v2, 1\nli x5, 7\n"
                                    "vmv.x.s x6, v1\nsw x6, 0(x31)\n"
                                    "vmv.v.i v3, 2\nla x30, done\nsetrpc x0, x30, 0\n"
                                    "vbge v1, v3, done\n" /* lanes 0 and 1 go on */
                                    "vmv.x.s x6, v1\nsw x6, 4(x31)\n"
                                    "vfmv.f.s x6, v1\nsw x6, 8(x31)\n"
                                    "vmv.s.x v2, x5\n" ALL_LANES "vfmv.s.f v4, x5\n"
                                    "addi x31, x31, 16\nvse32.v v2, (x31)\n"
                                    "addi x31, x31, 16\nvse32.v v4, (x31)\n" END,
                              4);
    EXPECT_WORDS(&p, DATA, 3, 1, 1, 0, 7, 7, 1, 1, 7, 7, 7, 7);
    program_free(&p);
}

TEST(ruling_2_9_narrow_loads_and_stores)
{
    struct program p = program_new(BEGIN "vle8.v v1, (x31)\nvle16.v v2, (x31)\n"
                                         "addi x5, x31, 64\nvse32.v v1, (x5)\n"
                                         "addi x5, x5, 16\nvse32.v v2, (x5)\n"
                                         "addi x5, x5, 16\nvse8.v v2, (x5)\n"
                                         "addi x5, x5, 16\nvse16.v v2, (x5)\n" END,
                                   4);
    program_set(&p, DATA, 0x0180ff7f);
    program_set(&p, DATA + 4, 0x8001fffe);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA + 64, 0x7f, -1u, 0xffffff80, 1, 0xffffff7f, 0x180, -2u, 0xffff8001);
    EXPECT_WORDS(&p, DATA + 96, 0x01fe807f, 0, 0, 0, 0x0180ff7f, 0x8001fffe);
    program_free(&p);
}

TEST(ruling_2_10_regext_extends_each_field)
{
    /* v65 = lane, v98 = 10: x1 = 2, x2 = 3, xd = 1 -> v35 */
    struct program p = passed(BEGIN "vid.v v65\nvmv.v.i v98, 10\n"
                                    "regext zero, zero, 0x0d1\n"
                                    ".word 0x022081d7\n" /* vadd.vv v3, v2, v1 */
                                    ".word 0x022082d7\n" /* vadd.vv v5, v2, v1: no prefix left */
                                    "vse32.v v35, (x31)\naddi x31, x31, 16\n"
                                    "regext zero, zero, 0x200\n"
                                    ".word 0x020fe1a7\n" /* vse32.v v3: data by x3 -> v35 */
                                    "addi x31, x31, 16\nvse32.v v5, (x31)\n" END,
                              4);
    EXPECT_WORDS(&p, DATA, 10, 11, 12, 13, 10, 11, 12, 13, 0, 0, 0, 0);
    program_free(&p);
}

TEST(ruling_2_10_stores_and_multiply_adds)
{
    struct program p = passed(
        BEGIN "vid.v v35\nvmv.v.i v67, 1\nvmv.v.i v3, 9\nvmv.v.x v1, x31\nvsll.vi v2, v35, 2\n"
              "vadd.vv v1, v1, v2\n"
              "regext zero, zero, 0x040\n" /* x2 = 1 */
              ".word 0x0030e07b\n"         /* vsw12.v v3, 0(v1): data v35 */
              "vmv.v.i v4, 2\nvmv.v.i v5, 3\n"
              "regext zero, zero, 0x402\n" /* x3 = 2 is ignored, xd = 2 */
              ".word 0xb65221d7\n"         /* vmacc.vv v3, v4, v5: v67 += 6 */
              "addi x31, x31, 16\nvse32.v v67, (x31)\n"
              "addi x31, x31, 16\nvse32.v v3, (x31)\n" END,
        4);
    EXPECT_WORDS(&p, DATA, 0, 1, 2, 3, 7, 7, 7, 7, 9, 9, 9, 9);
    program_free(&p);
}

TEST(ruling_2_10_regexti_widens_the_immediate)
{
    struct program p = passed(BEGIN "vid.v v34\n"
                                    "regexti zero, zero, 0x7c9\n" /* high = 31, x2 = 1, xd = 1 */
                                    ".word 0x022fb1d7\n"          /* vadd.vi v3, v2, 31: 1023 */
                                    "vse32.v v35, (x31)\naddi x31, x31, 16\n"
                                    "regexti zero, zero, 0x808\n" /* high = 32: -1024 */
                                    ".word 0x022031d7\n"          /* vadd.vi v3, v2, 0 */
                                    "vse32.v v3, (x31)\naddi x31, x31, 16\n"
                                    "regexti zero, zero, 0xfc0\n"
                                    ".word 0x80cfd073\n" /* csrrwi x0, rpc, 31: 2047 */
                                    "csrr x5, rpc\nsw x5, 0(x31)\n" END,
                              4);
    EXPECT_WORDS(&p, DATA, 1023, 1024, 1025, 1026, -1024u, -1023u, -1022u, -1021u, 2047);
    program_free(&p);
    traps("regexti zero, zero, 0\nbad: .word 0x003100b3\n" END, SAM_TRAP_ILLEGAL); /* add */
    traps("regexti zero, zero, 0\nbad: .word 0x022081d7\n" END, SAM_TRAP_ILLEGAL); /* vadd.vv */
}

TEST(ruling_2_10_two_prefixes_are_illegal)
{
    traps("regext zero, zero, 0\nbad: .word 0x0000200b\naddi x1, x1, 1\n" END, SAM_TRAP_ILLEGAL);
    traps("regpair zero, zero, 0\nbad: .word 0x0000300b\naddi x1, x1, 1\n" END, SAM_TRAP_ILLEGAL);
}

TEST(ruling_2_10_what_executes_next_takes_the_prefix)
{
    /* The jump takes the prefix: its link goes to x37. Entered from elsewhere, "target" has none.
     */
    struct program p = passed(BEGIN "li x5, 1\nj target\n"
                                    "back: regext zero, zero, 1\n"
                                    ".word 0x00c002ef\n" /* jal x5, . + 12 */
                                    "regext zero, zero, 1\n"
                                    "target: .word 0x00128293\n" /* addi x5, x5, 1 */
                                    "addi x6, x6, 1\nli x7, 2\nblt x6, x7, back\n"
                                    "sw x5, 0(x31)\nsw x37, 4(x31)\nsw x6, 8(x31)\n" END,
                              4);
    uint32_t link = program_symbol(&p, "back") + 8;
    /* jal x5, . + 12 lands after target */
    EXPECT_WORDS(&p, DATA, 2, link, 2);
    program_free(&p);
}

/* The prefix is the last word of a page, its instruction, which no other way of the program
 * reaches, the first word of the next page. A store to that word counts. */
TEST(ruling_2_10_the_next_instruction_changes)
{
    struct program p = passed(BEGIN "li x6, 1\nla x7, target\nla x8, first\nla x9, second\n"
                                    "lw x10, other\n"
                                    "j prefix\n"
                                    "first: sw x6, 0(x31)\n"
                                    "sw x10, 0(x7)\n"
                                    "j prefix\n"
                                    "second: sw x6, 4(x31)\n" END "other: jalr x5, 0(x9)\n"
                                    ".balign 4096\n.rept 1023\nnop\n.endr\n"
                                    "prefix: regext zero, zero, 1\n"
                                    "target: jalr x5, 0(x8)\n",
                              4);
    EXPECT_WORDS(&p, DATA, 1, 1);
    assert_true(p.result.stats.warp_insns < 40); /* at once */
    program_free(&p);
}

TEST(ruling_2_11_pairs_add_and_compare)
{
    struct program p = passed(
        BEGIN "li x6, -1\nli x7, 0\nli x8, 1\nli x9, -2\n"
              "regpair zero, zero, 0\nadd x10, x6, x8\n" /* 0xffffffff + 0xfffffffe00000001 */
              "regpair zero, zero, 0\nadd x12, x6, x9\n" /* + -2: 0xfffffffd */
              "regpair zero, zero, 0\nadd x15, x6, x8\n" /* the low word alone */
              "regpair zero, zero, 0\nsub x16, x0, x8\n" /* 0 - pair */
              "regpair zero, zero, 0\nsltu x18, x6, x8\n"
              "regpair zero, zero, 0\nslli x20, x6, 8\n"
              "regpair zero, zero, 0\nadd x0, x6, x6\n"
              "sw x10, 0(x31)\nsw x11, 4(x31)\nsw x12, 8(x31)\nsw x13, 12(x31)\nsw x15, 16(x31)\n"
              "sw x16, 20(x31)\nsw x17, 24(x31)\nsw x18, 28(x31)\nsw x19, 32(x31)\n"
              "sw x20, 36(x31)\nsw x21, 40(x31)\nsw x1, 44(x31)\n" END,
        4);
    /* x8 = {x9, x8} = 0xfffffffe00000001; x6 + x8 = 0xffffffff00000000 */
    EXPECT_WORDS(&p, DATA, 0, 0xffffffff, 0xfffffffd, 0, 0, 0xffffffff, 1, 1, 0, 0xffffff00, 0xff,
                 0);
    program_free(&p);
}

TEST(ruling_2_11_pairs_multiply_and_shift)
{
    struct program p = passed(
        BEGIN "vmv.v.i v2, 3\nvmv.v.i v3, 1\n"   /* 0x1_00000003 */
              "vmv.v.i v4, -1\nvmv.v.i v5, -1\n" /* -1 */
              "li x6, 36\nli x7, 0\nli x8, 33\n"
              "regpair zero, zero, 0\nvmul.vv v6, v2, v4\n"
              "regpair zero, zero, 0\nvsll.vx v8, v2, x6\n"
              "regpair zero, zero, 0\nvsrl.vi v10, v4, 31\n"
              "regpair zero, zero, 0\nvmslt.vv v12, v4, v2\n"
              "vse32.v v6, (x31)\naddi x31, x31, 16\nvse32.v v7, (x31)\naddi x31, x31, 16\n"
              "vse32.v v8, (x31)\naddi x31, x31, 16\nvse32.v v9, (x31)\naddi x31, x31, 16\n"
              "vse32.v v10, (x31)\naddi x31, x31, 16\nvse32.v v11, (x31)\naddi x31, x31, 16\n"
              "vse32.v v12, (x31)\naddi x31, x31, 16\nvse32.v v13, (x31)\n" END,
        4);
    /* -(2^32 + 3) = 0xfffffffe_fffffffd; << 36 keeps 3 << 4 above; -1 >> 31 = 0x1_ffffffff */
    static const uint32_t expected[8] = {0xfffffffd, 0xfffffffe, 0, 0x30, 0xffffffff, 1, 1, 0};
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(program_word(&p, DATA + 4 * i), expected[i / 4]);
    program_free(&p);
}

TEST(ruling_2_11_pairs_in_memory)
{
    struct program p = program_new(
        BEGIN "addi x6, x31, 4\nli x7, 1\n" /* a base is never a pair: x7 does not count */
              "regpair zero, zero, 0\nlw x8, 0(x6)\n"
              "regpair zero, zero, 0\nsw x8, 28(x6)\n"
              "regpair zero, zero, 0\nlw x11, 0(x6)\n" /* odd: one word */
              "sw x11, 36(x6)\nsw x12, 40(x6)\n"
              "vid.v v1\nvsll.vi v1, v1, 3\nvadd.vx v1, v1, x31\n"
              "regpair zero, zero, 0\nvlw12.v v2, 0(v1)\n"
              "regpair zero, zero, 0\nvsw12.v v2, 64(v1)\n"
              "vmv.v.i v4, 8\n"
              "regpair zero, zero, 0\nvsw.v v2, 0(v4)\n"
              "regpair zero, zero, 0\nvlw.v v6, 0(v4)\n"
              "addi x31, x31, 128\nvse32.v v6, (x31)\naddi x31, x31, 16\nvse32.v v7, (x31)\n" END,
        4);
    for (uint32_t i = 0; i < 8; i++)
        program_set(&p, DATA + 4 * i, 10 + i);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA + 32, 11, 12, 11, 0);
    EXPECT_WORDS(&p, DATA + 64, 10, 11, 12, 13, 14, 15, 16, 17);
    /* private 8 and 12 of threads 0 to 3 */
    EXPECT_WORDS(&p, PDS + 32, 10, 12, 14, 16, 11, 13, 15, 17);
    EXPECT_WORDS(&p, DATA + 128, 10, 12, 14, 16, 11, 13, 15, 17);
    program_free(&p);
}

TEST(ruling_2_11_nothing_else_takes_pairs)
{
    static const char *const insns[] = {
        "div x4, x6, x8",     "mulh x4, x6, x8",     "lb x4, 0(x31)",     "beq x4, x6, . + 8",
        "jal x1, . + 8",      "lui x4, 1",           "fadd.s x4, x6, x8", "amoadd.w x4, x6, (x31)",
        "vmin.vv v4, v2, v6", "vmacc.vv v4, v2, v6", "vmv.v.v v4, v2",    "vle32.v v4, (x31)",
        "csrrw x4, frm, x6",  "endprg x0, x0, x0"};
    for (unsigned i = 0; i < sizeof(insns) / sizeof(*insns); i++) {
        char text[128];
        /* regpair zero, zero, 0 as a word, for the assembler refuses the instruction after it */
        snprintf(text, sizeof(text), BEGIN ".word 0x0000500b\nbad: %s\n" END, insns[i]);
        traps(text, SAM_TRAP_ILLEGAL);
    }
}

TEST(ruling_2_12_tile_product)
{
    static const unsigned shapes[4][4] = {{4, 2, 2, 2}, {8, 2, 4, 2}, {16, 4, 4, 4}, {32, 4, 8, 4}};
    for (unsigned s = 0; s < 4; s++) {
        unsigned lanes = shapes[s][0], m = shapes[s][1], k = shapes[s][2], n = shapes[s][3];
        struct program p = passed(BEGIN "vid.v v1\nvfcvt.f.x.v v1, v1\n" /* lane */
                                        "vid.v v2\nvadd.vi v2, v2, 1\nvfcvt.f.x.v v2, v2\n"
                                        "li x5, 1000\nvmv.v.x v3, x5\nvfcvt.f.x.v v3, v3\n"
                                        "vftta.vv v3, v2, v1\n"
                                        "vfcvt.x.f.v v3, v3\nvse32.v v3, (x31)\n" END,
                                  lanes);
        for (unsigned lane = 0; lane < lanes; lane++) {
            unsigned i = lane / n, j = lane % n, sum = 1000;
            for (unsigned l = 0; lane < m * n && l < k; l++)
                sum += (i * k + l) * (j * k + l + 1);
            assert_int_equal(program_word(&p, DATA + 4 * lane), sum);
        }
        program_free(&p);
    }
}

TEST(ruling_2_12_fused_in_rising_order_under_the_mask)
{
    /* lanes 0, 1: row 0 of vs1 = {1 + 2^-23, 0}; vs2 rows alike; vd = -(1 + 2^-22): fused 2^-46 */
    struct program p = program_new(BEGIN "vle32.v v1, (x31)\naddi x5, x31, 16\nvle32.v v3, (x5)\n"
                                         "vmv.v.v v5, v3\n"
                                         "vftta.vv v3, v1, v1\n"
                                         "addi x31, x31, 64\nvse32.v v3, (x31)\n" UPPER_LANES
                                         "vftta.vv v5, v1, v1\n" ALL_LANES
                                         "addi x31, x31, 16\nvse32.v v5, (x31)\n" END,
                                   4);
    static const uint32_t a[4] = {0x3f800001, 0, 0, 0}, d[4] = {0xbf800002, 0, 0, 0x40000000};
    for (uint32_t i = 0; i < 4; i++) {
        program_set(&p, DATA + 4 * i, a[i]);
        program_set(&p, DATA + 16 + 4 * i, d[i]);
    }
    program_pass(&p);
    EXPECT_WORDS(&p, DATA + 64, 0x28800000, 0, 0, 0x40000000);
    EXPECT_WORDS(&p, DATA + 80, 0xbf800002, 0, 0, 0x40000000);
    program_free(&p);
    /* 2^24 + 1 * 1 rounds to 2^24, then - 2^24: 0; the other order would give 1 */
    p = program_new(BEGIN "vle32.v v1, (x31)\naddi x5, x31, 16\nvle32.v v2, (x5)\n"
                          "li x6, 0x4b800000\nvmv.v.x v3, x6\nvftta.vv v3, v2, v1\n"
                          "vse32.v v3, (x31)\n" END,
                    4);
    static const uint32_t left[4] = {0x3f800000, 0xcb800000, 0, 0};
    static const uint32_t right[4] = {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000};
    for (uint32_t i = 0; i < 4; i++) {
        program_set(&p, DATA + 4 * i, left[i]);
        program_set(&p, DATA + 16 + 4 * i, right[i]);
    }
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 0, 0, 0x4b800000, 0x4b800000);
    program_free(&p);
}

TEST(ruling_2_13_vfexp)
{
    /* 0 1 -1 10 | -103.9 -104 88.7 89 | -inf inf nan snan | tiny, -tiny, 0.5, -0 */
    static const uint32_t in[16] = {0,          0x3f800000, 0xbf800000, 0x41200000,
                                    0xc2cfcccd, 0xc2d00000, 0x42b16666, 0x42b20000,
                                    0xff800000, 0x7f800000, 0xffc12345, 0x7f800001,
                                    0x00000001, 0x80000001, 0x3f000000, 0x80000000};
    static const uint32_t out[16] = {0x3f800000, 0x402df854, 0x3ebc5ab2, 0x46ac14ee,
                                     0x00000001, 0,          0x7f7a37fc, 0x7f800000,
                                     0,          0x7f800000, 0x7fc00000, 0x7fc00000,
                                     0x3f800000, 0x3f800000, 0x3fd3094c, 0x3f800000};
    struct program p = program_new(BEGIN "vle32.v v1, (x31)\nvfexp.v v2, v1\naddi x31, x31, 64\n"
                                         "vse32.v v2, (x31)\n" END,
                                   16);
    for (uint32_t i = 0; i < 16; i++)
        program_set(&p, DATA + 4 * i, in[i]);
    program_pass(&p);
    program_expect(&p, DATA + 64, out, 16);
    program_free(&p);
}

/* vl is a limit of the lanes, too: below their number the last element of it is the highest. */
TEST(ruling_2_8_under_vl)
{
    struct program p =
        passed(BEGIN "vid.v v1\nli x6, 99\nli x7, 99\nvsetivli x0, 2, e32, m1, ta, ma\n"
                     "vmv.x.s x6, v1\nvfmv.f.s x7, v1\nsw x6, 0(x31)\nsw x7, 4(x31)\n"
                     "li x6, 99\nvsetivli x0, 0, e32, m1, ta, ma\nvmv.x.s x6, v1\n"
                     "sw x6, 8(x31)\n" END,
               4);
    EXPECT_WORDS(&p, DATA, 1, 1, 99);
    program_free(&p);
}

TEST(ruling_2_16_extensions_of_each_lane)
{
    struct program p = passed(BEGIN "vid.v v1\nli x5, 0x12348780\nvadd.vx v1, v1, x5\n"
                                    "vzext.vf2 v2, v1\nvse32.v v2, (x31)\naddi x31, x31, 16\n"
                                    "vsext.vf2 v2, v1\nvse32.v v2, (x31)\naddi x31, x31, 16\n"
                                    "vzext.vf4 v2, v1\nvse32.v v2, (x31)\naddi x31, x31, 16\n"
                                    "vsext.vf4 v2, v1\nvse32.v v2, (x31)\n" END,
                              4);
    EXPECT_WORDS(&p, DATA, 0x8780, 0x8781, 0x8782, 0x8783, 0xffff8780, 0xffff8781, 0xffff8782,
                 0xffff8783, 0x80, 0x81, 0x82, 0x83, 0xffffff80, 0xffffff81, 0xffffff82,
                 0xffffff83);
    program_free(&p);
}

TEST(ruling_2_17_one_index_per_lane)
{
    static const char *const orders[] = {"u", "o"};
    for (unsigned i = 0; i < 4; i++) {
        const unsigned bits = i % 2 ? 16 : 8;
        const char *order = orders[i / 2];
        char text[512];
        /* Lane by lane 12, 8, 4, 0 below the bits of the index, and a 1 above them. */
        snprintf(text, sizeof text,
                 BEGIN "vid.v v1\nvadd.vi v4, v1, 10\nvse32.v v4, (x31)\n"
                       "vsll.vi v2, v1, 2\nvrsub.vi v2, v2, 12\nli x5, 1 << %u\n"
                       "vadd.vx v2, v2, x5\nvl%sxei%u.v v3, (x31), v2\n"
                       "addi x31, x31, 16\nvse32.v v3, (x31)\n"
                       "addi x31, x31, 16\nvs%sxei%u.v v4, (x31), v2\n" END,
                 bits, order, bits, order, bits);
        struct program p = passed(text, 4);
        EXPECT_WORDS(&p, DATA, 10, 11, 12, 13, 13, 12, 11, 10, 13, 12, 11, 10);
        program_free(&p);
    }
}

/* Elements 0..3 in register n under v0, 4..7 in n + 1 under v1. */
TEST(ruling_2_18_masks_and_scalars_under_lmul_2)
{
    struct program p =
        passed(BEGIN "vid.v v2\nvadd.vi v3, v2, 4\nvmv.v.i v4, 0\nvmv.v.i v5, 0\n"
                     "vand.vi v1, v2, 1\nvxor.vi v0, v1, 1\n" /* 1 0 1 0, 0 1 0 1 */
                     "vsetivli x0, 8, e32, m2, ta, ma\n"
                     "vadd.vi v4, v2, 10, v0.t\nvse32.v v4, (x31)\naddi x31, x31, 32\n"
                     "vmv.x.s x6, v2\nsw x6, 0(x31)\nvmv.x.s x6, v3\nsw x6, 4(x31)\n"
                     "vfmv.f.s x6, v2\nsw x6, 8(x31)\nvfmv.f.s x6, v3\nsw x6, 12(x31)\n" END,
               4);
    EXPECT_WORDS(&p, DATA, 10, 0, 12, 0, 0, 15, 0, 17, 3, 7, 3, 7);
    program_free(&p);
}
