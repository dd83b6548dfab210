/* SPDX-License-Identifier: Apache-2.0 */
/* docs/ventus-rulings.md: rulings that rulings.txt cannot express, because they take loops,
 * another launch or another host. Values by hand. */

#include "test.h"

#include "program.h"

#define BEGIN "li x31, 0x90000000\n"
#define END   "endprg x0, x0, x0\n"

static uint32_t opv(uint32_t funct6, uint32_t funct3, uint32_t vs1)
{
    return funct6 << 26 | 1u << 25 | 2u << 20 | vs1 << 15 | funct3 << 12 | 4u << 7 | 0x57;
}

/* The word comes first in the program: it must trap, with itself as tval. */
static void is_illegal(uint32_t word)
{
    FREED char *text = formatted(".word 0x%08x\n" END, (unsigned)word);
    SCOPED(program) p = program_new(text, 4);
    program_trap(&p, SAM_TRAP_ILLEGAL);
    assert_int_equal(p.result.trap.tval, word);
    assert_int_equal(p.result.trap.word, word);
    assert_int_equal(p.result.trap.pc, SAM_CODE_BASE);
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

TEST(ruling_1_6_all_lanes_start)
{
    for (uint32_t lanes = 4; lanes <= 32; lanes *= 2) {
        SCOPED(program) p = program_new(BEGIN "vmv.v.i v1, 1\nvse32.v v1, (x31)\n" END, lanes);
        program_pass(&p);
        for (uint32_t i = 0; i < 33; i++)
            assert_int_equal(program_word(&p, DATA + 4 * i), i < lanes);
    }
}

TEST(ruling_1_7_launch_csrs)
{
    SCOPED(program) p = program_new(
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
}

TEST(ruling_2_5_private_memory_interleaves)
{
    SCOPED(program) p = program_new("vid.v v1\ncsrr x5, tid\nvadd.vx v1, v1, x5\n"
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
}

TEST(ruling_2_12_tile_product)
{
    static const unsigned shapes[4][4] = {{4, 2, 2, 2}, {8, 2, 4, 2}, {16, 4, 4, 4}, {32, 4, 8, 4}};
    for (unsigned s = 0; s < 4; s++) {
        unsigned lanes = shapes[s][0], m = shapes[s][1], k = shapes[s][2], n = shapes[s][3];
        SCOPED(program) p = program_new(BEGIN "vid.v v1\nvfcvt.f.x.v v1, v1\n" /* lane */
                                              "vid.v v2\nvadd.vi v2, v2, 1\nvfcvt.f.x.v v2, v2\n"
                                              "li x5, 1000\nvmv.v.x v3, x5\nvfcvt.f.x.v v3, v3\n"
                                              "vftta.vv v3, v2, v1\n"
                                              "vfcvt.x.f.v v3, v3\nvse32.v v3, (x31)\n" END,
                                        lanes);
        program_pass(&p);
        for (unsigned lane = 0; lane < lanes; lane++) {
            unsigned i = lane / n, j = lane % n, sum = 1000;
            for (unsigned l = 0; lane < m * n && l < k; l++)
                sum += (i * k + l) * (j * k + l + 1);
            assert_int_equal(program_word(&p, DATA + 4 * lane), sum);
        }
    }
}

TEST(ruling_4_3_start_code)
{
    char text[8192];
    snprintf(text, sizeof(text),
             "%s\nkernel: csrr x5, wid\nslli x5, x5, 4\nadd x31, x31, x5\nlw x6, 0(a0)\n"
             "add x6, x6, x5\nsw sp, 0(x6)\nsw tp, 4(x6)\nsw a0, 8(x6)\nli x7, 77\nsw x7, 12(x6)\n"
             "ret\n",
             sam_gpu_start_code());
    SCOPED(program) p = program_new(text, 4);
    p.launch.start = (uint32_t)p.image->entry;
    p.launch.warps = 2;
    program_set(&p, KERNEL, program_symbol(&p, "kernel"));
    program_set(&p, KERNEL + 4, DATA + 64); /* the arguments: one pointer */
    program_set(&p, DATA + 64, DATA);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 0x70000000, 0, DATA + 64, 77, 0x70000400, 0, DATA + 64, 77);
}

static bool collect(void *context, const void *data, size_t size)
{
    char *text = context;
    size_t old = strlen(text);
    assert_true(old + size < 256);
    memcpy(text + old, data, size);
    text[old + size] = 0;
    return true;
}

/* Prints "A\n" to "D\n" from warps 0 to 3; %s precedes the end. */
#define PRINTING                                                                                   \
    "li x30, 0x93000000\ncsrr x5, wid\nli x6, 2\namoadd.w x7, x6, (x30)\nadd x7, x7, x30\n"        \
    "addi x5, x5, 65\nsb x5, 4(x7)\nli x8, 10\nsb x8, 5(x7)\ncsrwi print, 1\n"                     \
    "csrr x9, print\nli x31, 0x90000000\nsw x9, 0(x31)\nbarrier x0, x0, 0\n"

TEST(ruling_4_6_prints)
{
    char text[256] = "";
    SCOPED(program) p = program_new(PRINTING END, 4);
    p.launch.warps = 3;
    p.options.print = (struct sam_sink){collect, text};
    program_set(&p, DATA, 5);
    program_pass(&p);
    assert_string_equal(text, "A\nB\nC\n");
    EXPECT_WORDS(&p, DATA, 0); /* cleared at once */
    program_set(&p, PRINT_BUFFER, 0);
    p.options.print_prefix = true;
    text[0] = 0;
    program_pass(&p);
    assert_string_equal(text, "[0.0] A\n[0.1] B\n[0.2] C\n");
}

TEST(ruling_4_6_a_full_buffer)
{
    char text[256] = "";
    /* 60 bytes fit after the index */
    SCOPED(program) p = program_new("li x30, 0x93000000\nli x5, 60\nsw x5, 0(x30)\n"
                                    "csrwi print, 1\naddi x5, x5, 1\nsw x5, 0(x30)\n"
                                    "bad: csrwi print, 1\n" END,
                                    4);
    p.options.print = (struct sam_sink){collect, text};
    program_trap(&p, SAM_TRAP_PRINT_FULL);
}

TEST(ruling_4_8_the_metadata_buffer)
{
    FREED char *text = formatted("%s\nother: ret\nkernel: ret\n", sam_gpu_start_code());
    SCOPED(program) p = program_new(text, 4);
    const uint32_t args[3] = {DATA, 5, 0x3f800000};
    struct sam_kernel kernel = {.name = "kernel",
                                .grid = {2, 3, 1},
                                .block = {33, 2, 1},
                                .lanes = 32,
                                .args = args,
                                .args_size = sizeof(args),
                                .print_size = 256};
    struct sam_launch launch;
    enum sam_status status = sam_gpu_prepare(p.gpu, p.image, &kernel, &launch, &p.error);
    assert_int_equal(status, SAM_OK);
    assert_int_equal(launch.warps, 3); /* 66 work-items */
    assert_int_equal(launch.lanes, 32);
    EXPECT_WORDS(&p, launch.metadata, program_symbol(&p, "kernel"));
    EXPECT_WORDS(&p, program_word(&p, launch.metadata + 4), DATA, 5, 0x3f800000);
    EXPECT_WORDS(&p, launch.metadata + 8, 2, 66, 6, 1, 33, 2, 1, 0, 0, 0);
    assert_true(program_word(&p, launch.metadata + 48) >= SAM_BUFFER_BASE);
    EXPECT_WORDS(&p, launch.metadata + 52, 256, 0, 0);
    p.launch = launch;
    program_pass(&p);
    assert_int_equal(p.result.stats.warps, 18);
    kernel.name = "absent";
    assert_int_equal(sam_gpu_prepare(p.gpu, p.image, &kernel, &launch, &p.error), SAM_ERR_INPUT);
}
