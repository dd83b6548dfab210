/* SPDX-License-Identifier: Apache-2.0 */
/* docs/ventus-rulings.md, chapter 4: memory and launch. Values by hand. */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "program.h"

#define BEGIN "li x31, 0x90000000\n"
#define END   "endprg x0, x0, x0\n"

/* `text` traps at its label "bad". */
static struct sam_trap trapped(const char *text, enum sam_trap_kind kind)
{
    struct program p = program_new(text, 4);
    program_trap(&p, kind);
    assert_int_equal(p.result.trap.pc, program_symbol(&p, "bad"));
    struct sam_trap trap = p.result.trap;
    program_free(&p);
    return trap;
}

TEST(ruling_4_1_local_memory_of_each_workgroup)
{
    struct program p = program_new(BEGIN "li x5, 0x7ffffffc\nlw x6, 0(x5)\n"
                                         "csrr x7, wgid\nslli x8, x7, 3\nadd x31, x31, x8\n"
                                         "sw x6, 0(x31)\naddi x7, x7, 50\nsw x7, 0(x5)\n"
                                         "lw x6, 0(x5)\nsw x6, 4(x31)\n" END,
                                   4);
    p.launch.grid[0] = 4;
    p.options.jobs = 2;
    program_set(&p, DATA, 9);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 0, 50, 0, 51, 0, 52, 0, 53);
    program_free(&p);
}

TEST(ruling_4_1_little_endian_and_zero)
{
    struct program p = program_new(BEGIN "li x5, 0x11223344\nsw x5, 0(x31)\nlbu x6, 0(x31)\n"
                                         "lhu x7, 2(x31)\nsw x6, 4(x31)\nsw x7, 8(x31)\n"
                                         "lw x8, 64(x31)\nsw x8, 12(x31)\n" END,
                                   4);
    program_set(&p, DATA + 12, 5);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 0x11223344, 0x44, 0x1122, 0);
    program_free(&p);
}

TEST(ruling_4_2_misaligned)
{
    static const struct {
        const char *insn;
        enum sam_trap_kind kind;
        uint32_t lane, offset;
    } rows[] = {
        {"lh x5, 1(x31)", SAM_TRAP_LOAD_MISALIGNED, UINT32_MAX, 1},
        {"lw x5, 2(x31)", SAM_TRAP_LOAD_MISALIGNED, UINT32_MAX, 2},
        {"flw x5, 2(x31)", SAM_TRAP_LOAD_MISALIGNED, UINT32_MAX, 2},
        {"sh x5, 3(x31)", SAM_TRAP_STORE_MISALIGNED, UINT32_MAX, 3},
        {"sw x5, 1(x31)", SAM_TRAP_STORE_MISALIGNED, UINT32_MAX, 1},
        {"lr.w x5, (x30)", SAM_TRAP_LOAD_MISALIGNED, UINT32_MAX, 2},
        {"amoadd.w x5, x6, (x30)", SAM_TRAP_STORE_MISALIGNED, UINT32_MAX, 2},
        {"vle32.v v2, (x30)", SAM_TRAP_LOAD_MISALIGNED, 0, 2},
        {"vlse16.v v2, (x31), x29", SAM_TRAP_LOAD_MISALIGNED, 1, 3},
        {"vsse32.v v2, (x31), x30", SAM_TRAP_STORE_MISALIGNED, 1, 2},
        {"vlw12.v v2, 0(v1)", SAM_TRAP_LOAD_MISALIGNED, 2, 10},
        {"vsh12.v v2, 1(v1)", SAM_TRAP_STORE_MISALIGNED, 0, 1},
    };
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char text[512]; /* v1 = base + 0 4 10 12, x30 = base + 2, x29 = 3 */
        bool stride = strstr(rows[i].insn, "vsse32") != NULL;
        snprintf(text, sizeof(text),
                 BEGIN "%s\nli x29, 3\nvid.v v1\nvmseq.vi v3, v1, 2\nvsll.vi v1, v1, 2\n"
                       "vadd.vv v1, v1, v3\nvadd.vv v1, v1, v3\nvadd.vx v1, v1, x31\nbad: %s\n" END,
                 stride ? "li x30, 2" : "addi x30, x31, 2", rows[i].insn);
        struct sam_trap trap = trapped(text, rows[i].kind);
        assert_int_equal(trap.lane, rows[i].lane);
        assert_int_equal(trap.tval, DATA + rows[i].offset);
    }
}

TEST(ruling_4_2_outside_every_buffer)
{
    struct sam_trap trap =
        trapped("li x5, 0xa0000000\nbad: lw x6, 4(x5)\n" END, SAM_TRAP_LOAD_FAULT);
    assert_int_equal(trap.tval, 0xa0000004);
    assert_int_equal(trap.lane, UINT32_MAX);
    trap = trapped("bad: sb x0, 0(x0)\n" END, SAM_TRAP_STORE_FAULT);
    assert_int_equal(trap.tval, 0);
    /* the end of the metadata buffer: two lanes fit */
    trap = trapped("li x5, 0x92000038\nbad: vle32.v v1, (x5)\n" END, SAM_TRAP_LOAD_FAULT);
    assert_int_equal(trap.tval, KERNEL + 64);
    assert_int_equal(trap.lane, 2);
    assert_int_equal(trap.lanes, 0xf);
    trap = trapped("li x5, 0x92000038\nvid.v v1\nvsll.vi v1, v1, 3\nvadd.vx v1, v1, x5\n"
                   "bad: vsw12.v v2, 0(v1)\n" END,
                   SAM_TRAP_STORE_FAULT);
    assert_int_equal(trap.tval, KERNEL + 64);
    assert_int_equal(trap.lane, 1);
}

TEST(ruling_4_2_the_trap_says_where)
{
    struct program p = program_new("csrr x5, wgid\nli x6, 5\nbne x5, x6, out\n"
                                   "csrr x5, wid\nbeqz x5, out\nbad: lw x5, 0(x0)\nout: " END,
                                   8);
    p.launch.grid[0] = 2;
    p.launch.grid[1] = 2;
    p.launch.grid[2] = 3;
    p.launch.warps = 2;
    program_trap(&p, SAM_TRAP_LOAD_FAULT);
    assert_int_equal(p.result.trap.workgroup, 5);
    assert_int_equal(p.result.trap.group[0], 1);
    assert_int_equal(p.result.trap.group[1], 0);
    assert_int_equal(p.result.trap.group[2], 1);
    assert_int_equal(p.result.trap.warp, 1);
    assert_int_equal(p.result.trap.pc, program_symbol(&p, "bad"));
    assert_int_equal(p.result.trap.word, program_word(&p, program_symbol(&p, "bad")));
    program_free(&p);
}

TEST(ruling_4_2_loose_bounds)
{
    struct program p = program_new(BEGIN "li x5, 0xa0000000\nlw x6, 4(x5)\nsw x6, 0(x31)\n"
                                         "li x7, 3\nsw x7, 4(x5)\nlw x6, 4(x5)\n"
                                         "sw x6, 4(x31)\n" END,
                                   4);
    program_set(&p, DATA, 9);
    p.options.loose_bounds = true;
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 0, 3);
    program_free(&p);
}

TEST(ruling_4_2_the_code_ends)
{
    struct program p = program_new("nop\nnop\n", 4);
    program_trap(&p, SAM_TRAP_FETCH);
    assert_int_equal(p.result.trap.pc, SAM_CODE_BASE + 8);
    assert_int_equal(p.result.trap.tval, SAM_CODE_BASE + 8);
    assert_int_equal(p.result.trap.word, 0);
    program_free(&p);
}

TEST(ruling_4_3_start_code)
{
    char text[8192];
    snprintf(text, sizeof(text),
             "%s\nkernel: csrr x5, wid\nslli x5, x5, 4\nadd x31, x31, x5\nlw x6, 0(a0)\n"
             "add x6, x6, x5\nsw sp, 0(x6)\nsw tp, 4(x6)\nsw a0, 8(x6)\nli x7, 77\nsw x7, 12(x6)\n"
             "ret\n",
             sam_gpu_start_code());
    struct program p = program_new(text, 4);
    p.launch.start = (uint32_t)p.image->entry;
    p.launch.warps = 2;
    program_set(&p, KERNEL, program_symbol(&p, "kernel"));
    program_set(&p, KERNEL + 4, DATA + 64); /* the arguments: one pointer */
    program_set(&p, DATA + 64, DATA);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 0x70000000, 0, DATA + 64, 77, 0x70000400, 0, DATA + 64, 77);
    program_free(&p);
}

TEST(ruling_4_3_a_trap_is_a_failure)
{
    struct program p = program_new(BEGIN "la x5, out\ncsrw mtvec, x5\nbad: .word 0\n"
                                         "out: li x6, 1\nsw x6, 0(x31)\n" END,
                                   4);
    program_trap(&p, SAM_TRAP_ILLEGAL);
    assert_int_equal(p.result.trap.pc, program_symbol(&p, "bad"));
    EXPECT_WORDS(&p, DATA, 0);
    program_free(&p);
}

TEST(ruling_4_4_private_base_of_a_workgroup)
{
    struct program p = program_new(BEGIN "csrr x5, wgid\nslli x5, x5, 2\nadd x31, x31, x5\n"
                                         "csrr x6, pds\nsw x6, 0(x31)\n" END,
                                   8);
    p.launch.grid[1] = 3;
    p.launch.warps = 2;
    p.launch.pds_size = 100;
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, PDS, PDS + 1600, PDS + 3200);
    p.options.shared_pds = true;
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, PDS, PDS, PDS);
    program_free(&p);
}

TEST(ruling_4_4_jobs_change_nothing)
{
    for (unsigned jobs = 1; jobs < 5; jobs++) {
        struct program p =
            program_new(BEGIN "csrr x5, wgid\nslli x6, x5, 2\nadd x31, x31, x6\nmul x5, x5, x5\n"
                              "sw x5, 0(x31)\n" END,
                        4);
        p.launch.grid[0] = 20;
        p.options.jobs = jobs;
        program_pass(&p);
        for (uint32_t i = 0; i < 20; i++)
            assert_int_equal(program_word(&p, DATA + 4 * i), i * i);
        assert_int_equal(p.result.stats.warp_insns, 20 * 7);
        program_free(&p);
    }
}

TEST(ruling_4_5_atomics_once_for_a_path)
{
    struct program p = program_new(BEGIN "vid.v v1\nvmv.v.i v2, 1\nla x5, join\nsetrpc x0, x5, 0\n"
                                         "li x6, 1\nli x7, 100\n"
                                         "amoadd.w x8, x6, (x31)\n" /* 8 warps */
                                         "vbge v1, v2, join\n"
                                         "amoadd.w x8, x7, (x31)\n" /* lane 0's path, 8 warps */
                                         "join: join zero, zero, 0\n" END,
                                   4);
    p.launch.grid[0] = 4;
    p.launch.warps = 2;
    p.options.jobs = 3;
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 808);
    program_free(&p);
}

TEST(ruling_4_5_atomic_across_workgroups)
{
    struct program p = program_new(BEGIN "li x5, 500\nli x6, 1\naddi x30, x31, 4\n"
                                         "loop: amoadd.w x0, x6, (x31)\n"
                                         "again: lr.w x7, (x30)\naddi x7, x7, 1\n"
                                         "sc.w x8, x7, (x30)\nbnez x8, again\n"
                                         "addi x5, x5, -1\nbnez x5, loop\n" END,
                                   4);
    p.launch.grid[0] = 8;
    p.options.jobs = 4;
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 4000, 4000);
    program_free(&p);
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

/* Prints "A\n" to "D\n" by warps 0 to 3; %s stands before the end. */
#define PRINTING                                                                                   \
    "li x30, 0x93000000\ncsrr x5, wid\nli x6, 2\namoadd.w x7, x6, (x30)\nadd x7, x7, x30\n"        \
    "addi x5, x5, 65\nsb x5, 4(x7)\nli x8, 10\nsb x8, 5(x7)\ncsrwi print, 1\n"                     \
    "csrr x9, print\nli x31, 0x90000000\nsw x9, 0(x31)\nbarrier x0, x0, 0\n"

TEST(ruling_4_6_prints)
{
    char text[256] = "";
    struct program p = program_new(PRINTING END, 4);
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
    program_free(&p);
}

TEST(ruling_4_6_a_full_buffer)
{
    char text[256] = "";
    /* 60 bytes fit after the index */
    struct program p = program_new("li x30, 0x93000000\nli x5, 60\nsw x5, 0(x30)\n"
                                   "csrwi print, 1\naddi x5, x5, 1\nsw x5, 0(x30)\n"
                                   "bad: csrwi print, 1\n" END,
                                   4);
    p.options.print = (struct sam_sink){collect, text};
    program_trap(&p, SAM_TRAP_PRINT_FULL);
    program_free(&p);
}

enum { V = 1, R = 2, W = 4, X = 8 };

static void set_entry(struct program *p, uint32_t table, uint32_t index, uint32_t target,
                      uint32_t bits)
{
    program_set(p, table + 8 * index, target >> 12 << 10 | bits);
    program_set(p, table + 8 * index + 4, target >> 12 >> 22);
}

/* Tables in DATA: everything from 2 GiB on by itself in one page of 1 GiB; from 0 on 4 KiB pages;
 * at 2 MiB a page of 2 MiB on DATA's. */
static struct program translated(const char *text)
{
    struct program p = program_new(text, 4);
    uint32_t root = DATA + 0x1000, middle = DATA + 0x2000, leaf = DATA + 0x3000;
    set_entry(&p, root, 2, 0x80000000, V | R | W | X);
    set_entry(&p, root, 0, middle, V);
    set_entry(&p, middle, 0, leaf, V);
    set_entry(&p, middle, 1, DATA, V | R | W);
    set_entry(&p, leaf, 1, DATA + 0x5000, V | R | W);
    set_entry(&p, leaf, 2, DATA + 0x6000, V | R);
    set_entry(&p, leaf, 3, DATA + 0x6000, V | W);   /* reserved */
    set_entry(&p, leaf, 4, DATA + 0x6000, R | W);   /* not valid */
    set_entry(&p, leaf, 5, 0xc0000000, V | R);      /* no memory there */
    set_entry(&p, middle, 2, DATA + 0x1000, V | R); /* 2 MiB page, misaligned */
    p.options.sv39 = true;
    p.options.ptbr = root;
    return p;
}

TEST(ruling_4_7_translation)
{
    struct program p = translated("li x5, 0x1000\nli x6, 42\nsw x6, 8(x5)\nlw x7, 8(x5)\n"
                                  "li x8, 0x200000\nsw x7, 0x20(x8)\n"
                                  "li x9, 0x2000\nlw x7, 0(x9)\nsw x7, 0x24(x8)\n"
                                  "li x10, 0x70000000\nsw x6, 0(x10)\nlw x7, 0(x10)\n"
                                  "sw x7, 0x28(x8)\n" END);
    program_set(&p, DATA + 0x6000, 17);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA + 0x5008, 42);
    EXPECT_WORDS(&p, DATA + 0x20, 42, 17, 42);
    /* A (bit 6) where read or executed, D (bit 7) where written */
    EXPECT_WORDS(&p, DATA + 0x3008, (DATA + 0x5000) >> 12 << 10 | V | R | W | 0xc0);
    EXPECT_WORDS(&p, DATA + 0x3010, (DATA + 0x6000) >> 12 << 10 | V | R | 0x40);
    EXPECT_WORDS(&p, DATA + 0x2000, (DATA + 0x3000) >> 12 << 10 | V);
    program_free(&p);
}

TEST(ruling_4_7_page_faults)
{
    static const struct {
        const char *text;
        enum sam_trap_kind kind;
        uint32_t tval;
    } rows[] = {
        {"li x5, 0x6004\nbad: lw x6, 0(x5)\n" END, SAM_TRAP_LOAD_PAGE, 0x6004},
        {"li x5, 0x6004\nbad: sw x6, 0(x5)\n" END, SAM_TRAP_STORE_PAGE, 0x6004},
        {"li x5, 0x2000\nbad: sw x6, 0(x5)\n" END, SAM_TRAP_STORE_PAGE, 0x2000},
        {"li x5, 0x2000\nbad: amoadd.w x6, x6, (x5)\n" END, SAM_TRAP_STORE_PAGE, 0x2000},
        {"li x5, 0x3000\nbad: lw x6, 0(x5)\n" END, SAM_TRAP_LOAD_PAGE, 0x3000},
        {"li x5, 0x4000\nbad: lw x6, 0(x5)\n" END, SAM_TRAP_LOAD_PAGE, 0x4000},
        {"li x5, 0x5000\nbad: lw x6, 0(x5)\n" END, SAM_TRAP_LOAD_FAULT, 0x5000},
        {"li x5, 0x400000\nbad: lw x6, 0(x5)\n" END, SAM_TRAP_LOAD_PAGE, 0x400000},
        {"li x5, 0x40000000\nbad: lw x6, 0(x5)\n" END, SAM_TRAP_LOAD_PAGE, 0x40000000},
        {"li x5, 0x5ff8\nbad: vle32.v v1, (x5)\n" END, SAM_TRAP_LOAD_FAULT, 0x5ff8},
        {"li x5, 0x1ff8\nvle32.v v1, (x5)\nli x5, 0x2ff8\nbad: vle32.v v1, (x5)\n" END,
         SAM_TRAP_LOAD_PAGE, 0x3000},
    };
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct program p = translated(rows[i].text);
        program_trap(&p, rows[i].kind);
        assert_int_equal(p.result.trap.pc, program_symbol(&p, "bad"));
        assert_int_equal(p.result.trap.tval, rows[i].tval);
        program_free(&p);
    }
    /* no X: the jump itself is fine, the fetch is not */
    struct program p = translated("li x5, 0x1000\njr x5\n");
    program_trap(&p, SAM_TRAP_FETCH_PAGE);
    assert_int_equal(p.result.trap.pc, 0x1000);
    assert_int_equal(p.result.trap.tval, 0x1000);
    program_free(&p);
}

TEST(ruling_4_7_off_by_default)
{
    struct program p = translated("li x5, 0x1000\nbad: lw x6, 0(x5)\n" END);
    p.options.sv39 = false;
    program_trap(&p, SAM_TRAP_LOAD_FAULT);
    program_free(&p);
}

TEST(ruling_4_8_the_metadata_buffer)
{
    char text[8192];
    snprintf(text, sizeof(text), "%s\nother: ret\nkernel: ret\n", sam_gpu_start_code());
    struct program p = program_new(text, 4);
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
    program_free(&p);
}
