/* SPDX-License-Identifier: Apache-2.0 */
/* docs/ventus-rulings.md, chapter 1: state. One test or more a ruling, values by hand. */
#include <stdio.h>

#include "test.h"

#include "program.h"

#define BEGIN "li x31, 0x90000000\n"
#define END   "endprg x0, x0, x0\n"

TEST(ruling_1_1_each_warp_has_its_scalar_registers)
{
    struct program p = program_new(BEGIN "csrr x5, wid\n"
                                         "addi x5, x5, 100\n"
                                         "addi x45, x5, 0\n"
                                         "barrier x0, x0, 0\n"
                                         "csrr x6, wid\n"
                                         "slli x6, x6, 3\n"
                                         "add x31, x31, x6\n"
                                         "sw x5, 0(x31)\n"
                                         "sw x45, 4(x31)\n" END,
                                   4);
    p.launch.warps = 3;
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 100, 100, 101, 101, 102, 102);
    program_free(&p);
}

TEST(ruling_1_1_register_files)
{
    struct program p = program_new(BEGIN "addi x0, x0, 7\n"
                                         "li x63, 63\n"
                                         "vid.v v255\n"
                                         "vadd.vx v255, v255, x63\n"
                                         "sw x0, 0(x31)\n"
                                         "sw x63, 4(x31)\n"
                                         "addi x31, x31, 16\n"
                                         "vse32.v v255, (x31)\n" END,
                                   4);
    program_set(&p, DATA, 99);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 0, 63, 0, 0, 63, 64, 65, 66);
    program_free(&p);
}

TEST(ruling_1_1_x64_is_illegal)
{
    struct program p = program_new("regext zero, zero, 2\n"
                                   "bad: .word 0x00500093\n" END, /* addi x1 */
                                   4);
    program_trap(&p, SAM_TRAP_ILLEGAL);
    assert_int_equal(p.result.trap.pc, program_symbol(&p, "bad"));
    assert_int_equal(p.result.trap.tval, 0x00500093);
    assert_int_equal(p.result.trap.lanes, 0xf);
    program_free(&p);
}

TEST(ruling_1_2_floats_live_in_x_registers)
{
    struct program p = program_new(BEGIN "flw x5, 0(x31)\n" /* 1.5 */
                                         "fadd.s x6, x5, x5\n"
                                         "fsw x6, 4(x31)\n"
                                         "fmv.x.w x7, x6\n"
                                         "sw x7, 8(x31)\n"
                                         "fmv.w.x x8, x5\n"
                                         "sw x8, 12(x31)\n"
                                         "vmv.v.x v1, x5\n"
                                         "vfmul.vf v1, v1, x6\n" /* 4.5 */
                                         "vfmv.f.s x9, v1\n"
                                         "sw x9, 16(x31)\n" END,
                                   4);
    program_set(&p, DATA, 0x3fc00000);
    enum sam_status status = program_run(&p);
    assert_int_equal(status, SAM_OK);
    EXPECT_WORDS(&p, DATA, 0x3fc00000, 0x40400000, 0x40400000, 0x3fc00000, 0x40900000);
    program_free(&p);
}

/* The start code as the manual prints it (2.3), with its names of offsets (2.2), all of which
 * follow. */
TEST(ruling_4_3_the_start_code_of_the_manual)
{
    struct program p = program_new(
        "start:\ncsrr sp, CSR_LDS # set localmemory pointer\naddi tp, x0, 0\n"
        "csrr t0, CSR_KNL\nlw t1, KNL_ENTRY(t0)\nlw a0, KNL_ARG_BASE(t0)\njalr t1\n"
        "end:\nendprg\n"
        "kernel: sw sp, 0(a0)\nla t0, names\nli t1, 14\n"
        "1: lw t2, 0(t0)\nsw t2, 4(a0)\naddi t0, t0, 4\naddi a0, a0, 4\naddi t1, t1, -1\n"
        "bnez t1, 1b\nret\n"
        "names: .word KNL_ENTRY, KNL_ARG_BASE, KNL_WORK_DIM, KNL_GL_SIZE_X, KNL_GL_SIZE_Y\n"
        ".word KNL_GL_SIZE_Z, KNL_LC_SIZE_X, KNL_LC_SIZE_Y, KNL_LC_SIZE_Z, KNL_GL_OFFSET_X\n"
        ".word KNL_GL_OFFSET_Y, KNL_GL_OFFSET_Z, KNL_PRINT_ADDR, KNL_PRINT_SIZE\n",
        4);
    program_set(&p, KERNEL, program_symbol(&p, "kernel"));
    program_set(&p, KERNEL + 4, DATA);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, SAM_LDS_BASE, 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52);
    program_free(&p);
    /* a program may define them itself, as it had to */
    p = program_new(".equ KNL_ENTRY, 7\n.set KNL_ARG_BASE, 8\n"
                    "li t0, DATA_HERE\nli t1, KNL_ENTRY + KNL_ARG_BASE\nsw t1, 0(t0)\nendprg\n"
                    ".equ DATA_HERE, 0x90000000\n",
                    4);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 15);
    program_free(&p);
}

static uint32_t opv(uint32_t funct6, uint32_t funct3, uint32_t vs1)
{
    return funct6 << 26 | 1u << 25 | 2u << 20 | vs1 << 15 | funct3 << 12 | 4u << 7 | 0x57;
}

/* The word stands first in the program: it must trap, and with it as tval. */
static void is_illegal(uint32_t word)
{
    char text[64];
    snprintf(text, sizeof(text), ".word 0x%08x\n" END, (unsigned)word);
    struct program p = program_new(text, 4);
    program_trap(&p, SAM_TRAP_ILLEGAL);
    assert_int_equal(p.result.trap.tval, word);
    assert_int_equal(p.result.trap.word, word);
    assert_int_equal(p.result.trap.pc, SAM_CODE_BASE);
    program_free(&p);
}

TEST(ruling_1_3_what_is_not_kept_is_illegal)
{
    is_illegal(0x00000073); /* ecall */
    is_illegal(0x00100073); /* ebreak */
    for (uint32_t funct6 = 0; funct6 < 12; funct6++)
        is_illegal(opv(funct6, 2, 6)); /* vredsum.. vredmax, vaaddu.. vasub */
    is_illegal(opv(0x01, 1, 6));       /* vfredusum */
    is_illegal(opv(0x03, 1, 6));       /* vfredosum */
    is_illegal(opv(0x05, 1, 6));       /* vfredmin */
    is_illegal(opv(0x0c, 0, 6));       /* vrgather.vv */
    is_illegal(opv(0x0c, 3, 6));       /* vrgather.vi */
    is_illegal(opv(0x0e, 0, 6));       /* vrgatherei16 */
    is_illegal(opv(0x0e, 4, 6));       /* vslideup.vx */
    is_illegal(opv(0x0f, 3, 6));       /* vslidedown.vi */
    is_illegal(opv(0x0e, 6, 6));       /* vslide1up */
    is_illegal(opv(0x0f, 5, 6));       /* vfslide1down */
    for (uint32_t funct6 = 0x30; funct6 < 0x40; funct6++) {
        is_illegal(opv(funct6, 0, 6)); /* vwredsum and nothing */
        is_illegal(opv(funct6, 1, 6)); /* widening floating point */
        is_illegal(opv(funct6, 2, 6)); /* widening integer */
        is_illegal(opv(funct6, 6, 6));
    }
    for (uint32_t funct6 = 0x20; funct6 < 0x25; funct6++)
        is_illegal(opv(funct6, 0, 6));  /* saturating */
    is_illegal(opv(0x27, 0, 6));        /* vsmul */
    is_illegal(opv(0x27, 3, 0));        /* vmv1r.v */
    is_illegal(opv(0x2a, 3, 6));        /* vssrl */
    is_illegal(opv(0x2b, 0, 6));        /* vssra */
    is_illegal(opv(0x2c, 4, 6));        /* vnsrl */
    is_illegal(opv(0x2e, 0, 6));        /* vnclipu */
    is_illegal(opv(0x10, 2, 16));       /* vcpop */
    is_illegal(opv(0x10, 2, 17));       /* vfirst */
    is_illegal(opv(0x14, 2, 1));        /* vmsbf */
    is_illegal(opv(0x14, 2, 2));        /* vmsof */
    is_illegal(opv(0x14, 2, 3));        /* vmsif */
    is_illegal(opv(0x14, 2, 16));       /* viota */
    is_illegal(opv(0x17, 2, 6));        /* vcompress */
    is_illegal(opv(0x12, 1, 8));        /* vfwcvt */
    is_illegal(opv(0x12, 1, 20));       /* vfncvt */
    is_illegal(0x02006007 | 1u << 29);  /* vlseg2e32 */
    is_illegal(0x02006027 | 3u << 29);  /* vsseg4e32 */
    is_illegal(0x02006007 | 16u << 20); /* vle32ff */
    is_illegal(0x02b00007);             /* vlm */
}

TEST(ruling_1_3_fence_does_nothing)
{
    struct program p = program_new(BEGIN "fence\nfence.i\nli x5, 1\nsw x5, 0(x31)\n" END, 4);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 1);
    program_free(&p);
}

TEST(ruling_1_4_elements_have_32_bits)
{
    struct program p = program_new(BEGIN "li x6, 4\n"
                                         "vsetvli x5, x6, e8, m1, ta, ma\nsw x5, 0(x31)\n"
                                         "vsetvli x5, x6, e16, m1, ta, ma\nsw x5, 4(x31)\n"
                                         "vsetvli x5, x6, e64, m1, ta, ma\nsw x5, 8(x31)\n"
                                         "csrr x5, vtype\nsw x5, 12(x31)\n"
                                         "vsetvli x5, x6, e32, m1, ta, ma\nsw x5, 16(x31)\n" END,
                                   4);
    program_set(&p, DATA, 9);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 0, 0, 0, 0x80000000, 4);
    program_free(&p);
}

TEST(ruling_1_5_at_the_start)
{
    struct program p = program_new(BEGIN "csrr x5, vl\nsw x5, 0(x31)\n"
                                         "csrr x5, vtype\nandi x5, x5, 0x3f\nsw x5, 4(x31)\n"
                                         "csrr x5, vlenb\nsw x5, 8(x31)\n"
                                         "csrr x5, vstart\nsw x5, 12(x31)\n" END,
                                   16);
    program_set(&p, DATA + 12, 9);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 16, 0x10, 64, 0); /* vsew = 010, vlmul = 000 */
    program_free(&p);
}

TEST(ruling_1_5_vl_is_the_smaller_of_avl_and_vlmax)
{
    struct program p =
        program_new(BEGIN "li x6, 3\nvsetvli x5, x6, e32, m1, ta, ma\nsw x5, 0(x31)\n"
                          "li x6, 5\nvsetvli x5, x6, e32, m1, ta, ma\nsw x5, 4(x31)\n"
                          "li x6, 7\nvsetvli x5, x6, e32, m2, ta, ma\nsw x5, 8(x31)\n"
                          "li x6, -1\nvsetvli x5, x6, e32, m2, ta, ma\nsw x5, 12(x31)\n"
                          "vsetivli x5, 2, e32, m2, ta, ma\nsw x5, 16(x31)\n"
                          "li x6, 0xd0\nli x7, 9\nvsetvl x5, x7, x6\nsw x5, 20(x31)\n"
                          "vsetvli x5, x0, e32, m2, ta, ma\nsw x5, 24(x31)\n" END,
                    4);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 3, 4, 7, 8, 2, 4, 8);
    program_free(&p);
}

TEST(ruling_1_5_elements_from_vl_on_stay)
{
    struct program p = program_new(BEGIN "vmv.v.i v2, 9\n"
                                         "vmv.v.i v3, 8\n"
                                         "li x6, 5\n"
                                         "vsetvli x0, x6, e32, m2, ta, ma\n"
                                         "vid.v v2\n"
                                         "vsetvli x5, x0, e32, m1, ta, ma\n"
                                         "vse32.v v2, (x31)\n"
                                         "addi x31, x31, 16\n"
                                         "vse32.v v3, (x31)\n" END,
                                   4);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 0, 1, 2, 3, 4, 8, 8, 8);
    program_free(&p);
}

TEST(ruling_1_5_lmul_2_is_two_registers_under_one_mask)
{
    struct program p = program_new(BEGIN "vid.v v20\n"
                                         "vmv.v.i v21, 2\n"
                                         "vmv.v.i v4, 1\nvmv.v.i v5, 2\n"
                                         "vmv.v.i v6, 10\nvmv.v.i v7, 10\n"
                                         "la x5, join\n"
                                         "setrpc x0, x5, 0\n"
                                         "vblt v20, v21, join\n" /* lanes 0 and 1 leave */
                                         "vsetvli x5, x0, e32, m2, ta, ma\n"
                                         "vadd.vv v8, v6, v4\n"
                                         "join: join zero, zero, 0\n"
                                         "vsetvli x5, x0, e32, m1, ta, ma\n"
                                         "vse32.v v8, (x31)\n"
                                         "addi x31, x31, 16\n"
                                         "vse32.v v9, (x31)\n" END,
                                   4);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 0, 0, 11, 11, 0, 0, 12, 12);
    program_free(&p);
}

TEST(ruling_1_5_vill_makes_vector_instructions_illegal)
{
    static const char *const insns[] = {"vadd.vv v1, v1, v1",  "vle32.v v1, (x31)",
                                        "vadd12.vi v1, v1, 1", "vlw12.v v1, 0(v1)",
                                        "vfexp.v v1, v1",      "vmv.x.s x5, v1"};
    for (unsigned i = 0; i < sizeof(insns) / sizeof(*insns); i++) {
        char text[256];
        snprintf(text, sizeof(text),
                 BEGIN "vsetvli x5, x0, e32, m4, ta, ma\nli x5, 1\nsw x5, 0(x31)\nbad: %s\n" END,
                 insns[i]);
        struct program p = program_new(text, 4);
        program_trap(&p, SAM_TRAP_ILLEGAL);
        assert_int_equal(p.result.trap.pc, program_symbol(&p, "bad"));
        assert_int_equal(program_word(&p, DATA), 1); /* scalars still run */
        program_free(&p);
    }
}

TEST(ruling_1_6_scalars_run_once_a_path)
{
    struct program p = program_new(BEGIN "vid.v v1\n"
                                         "vmv.v.i v2, 1\n"
                                         "vmv.v.i v3, 5\n"
                                         "la x6, join\n"
                                         "setrpc x0, x6, 0\n"
                                         "vblt v1, v2, else\n" /* lane 0 */
                                         "addi x5, x5, 1\n"
                                         "vadd12.vi v3, v3, 10\n"
                                         "j join\n"
                                         "else: addi x5, x5, 100\n"
                                         "vadd12.vi v3, v3, 20\n"
                                         "join: join zero, zero, 0\n"
                                         "sw x5, 0(x31)\n"
                                         "addi x31, x31, 16\n"
                                         "vse32.v v3, (x31)\n" END,
                                   4);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 101, 0, 0, 0, 25, 15, 15, 15);
    program_free(&p);
}

TEST(ruling_1_6_all_lanes_start)
{
    for (uint32_t lanes = 4; lanes <= 32; lanes *= 2) {
        struct program p = program_new(BEGIN "vmv.v.i v1, 1\nvse32.v v1, (x31)\n" END, lanes);
        program_pass(&p);
        for (uint32_t i = 0; i < 33; i++)
            assert_int_equal(program_word(&p, DATA + 4 * i), i < lanes);
        program_free(&p);
    }
}

TEST(ruling_1_7_launch_csrs)
{
    struct program p = program_new(
        BEGIN "csrr x5, CSR_WGID\nslli x5, x5, 1\ncsrr x6, wid\nadd x5, x5, x6\nslli x5, x5, 6\n"
              "add x31, x31, x5\n"
              "csrr x5, CSR_TID\nsw x5, 0(x31)\ncsrr x5, numw\nsw x5, 4(x31)\n"
              "csrr x5, numt\nsw x5, 8(x31)\ncsrr x5, knl\nsw x5, 12(x31)\n"
              "csrr x5, 0x804\nsw x5, 16(x31)\ncsrr x5, 0x805\nsw x5, 20(x31)\n"
              "csrr x5, lds\nsw x5, 24(x31)\ncsrr x5, pds\nsw x5, 28(x31)\n"
              "csrr x5, gdx\nsw x5, 32(x31)\ncsrr x5, gidy\nsw x5, 36(x31)\n"
              "csrr x5, CSR_GIDZ\nsw x5, 40(x31)\ncsrr x5, gidx\nsw x5, 44(x31)\n"
              "csrr x5, gdy\nsw x5, 48(x31)\ncsrr x5, 0x80a\nsw x5, 52(x31)\n"
              "csrr x5, mhartid\nsw x5, 56(x31)\ncsrr x5, print\nsw x5, 60(x31)\n" END,
        8);
    p.launch.warps = 2;
    p.launch.grid[0] = 2;
    p.launch.grid[1] = 3;
    p.launch.grid[2] = 2;
    p.launch.pds_size = 64;
    program_pass(&p);
    for (uint32_t z = 0; z < 2; z++)
        for (uint32_t y = 0; y < 3; y++)
            for (uint32_t x = 0; x < 2; x++)
                for (uint32_t wid = 0; wid < 2; wid++) {
                    uint32_t group = x + 2 * y + 6 * z;
                    uint32_t at = DATA + 64 * (2 * group + wid);
                    EXPECT_WORDS(&p, at, 8 * wid, 2, 8, KERNEL, group, wid, 0x70000000,
                                 PDS + group * 2 * 8 * 64, x, y, z, x, y, z, wid, 0);
                }
    program_free(&p);
}

TEST(ruling_1_7_launch_csrs_are_read_only)
{
    for (unsigned csr = 0x800; csr <= 0x80c; csr++) {
        char text[128];
        snprintf(text, sizeof(text), BEGIN "li x5, 0\nbad: csrrw x6, 0x%x, x5\n" END, csr);
        struct program p = program_new(text, 4);
        if (csr < 0x80b) {
            program_trap(&p, SAM_TRAP_ILLEGAL);
            assert_int_equal(p.result.trap.pc, program_symbol(&p, "bad"));
        } else {
            program_pass(&p);
        }
        program_free(&p);
    }
}

TEST(ruling_1_7_what_start_code_touches)
{
    struct program p = program_new(BEGIN "li x5, 0x2000\ncsrs mstatus, x5\ncsrr x6, mstatus\n"
                                         "and x6, x6, x5\nsw x6, 0(x31)\n"
                                         "li x5, 0x80000040\ncsrw mtvec, x5\ncsrr x6, mtvec\n"
                                         "sw x6, 4(x31)\n"
                                         "csrwi frm, 3\ncsrwi fflags, 17\ncsrr x6, fcsr\n"
                                         "sw x6, 8(x31)\n"
                                         "csrr x5, instret\ncsrr x6, instret\nsub x6, x6, x5\n"
                                         "sw x6, 12(x31)\n"
                                         "csrr x5, cycleh\nsw x5, 16(x31)\n"
                                         "csrr x5, mcause\ncsrr x5, mepc\ncsrr x5, mtval\n"
                                         "csrr x5, mscratch\ncsrr x5, misa\ncsrr x5, time\n" END,
                                   4);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 0x2000, 0x80000040, 3 << 5 | 17, 1, 0);
    program_free(&p);
}

TEST(ruling_1_7_other_csrs_do_not_exist)
{
    static const unsigned csrs[] = {0x180, 0x80d, 0x7ff, 0x009, 0x3a0, 0xc23};
    for (unsigned i = 0; i < sizeof(csrs) / sizeof(*csrs); i++) {
        char text[64];
        snprintf(text, sizeof(text), "csrr x5, 0x%x\n" END, csrs[i]);
        struct program p = program_new(text, 4);
        program_trap(&p, SAM_TRAP_ILLEGAL);
        program_free(&p);
    }
}
