/* SPDX-License-Identifier: Apache-2.0 */
/* Page tables that the library builds for all buffers. docs/ventus-rulings.md 4.7. */

#include "test.h"

#include "program.h"

#define END "endprg\n"

static void build(struct program *p, const struct sam_image *image)
{
    if (sam_gpu_build_sv39(p->gpu, image, &p->options.ptbr, &p->error) != SAM_OK)
        fail_msg("%s", p->error.text);
    p->options.sv39 = true;
}

static struct program translated(const char *text)
{
    struct program p = program_new(text, 4);
    build(&p, p.image);
    return p;
}

TEST(every_buffer_is_reachable_at_its_own_address)
{
    SCOPED(program) p = translated("li x5, 0x90000000\nli x6, 42\nsw x6, 0(x5)\n"
                                   "li x7, 0x9002f000\nlw x8, 0(x5)\naddi x8, x8, 1\nsw x8, 0(x7)\n"
                                   "amoadd.w x9, x8, (x5)\n"
                                   "li x10, 0x70000000\nsw x9, 0(x10)\nlw x9, 0(x10)\n"
                                   "sw x9, 4(x7)\n" END);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 85);
    EXPECT_WORDS(&p, DATA + 0x2f000, 43, 42);
}

TEST(permissions_follow_the_sections)
{
    static const char constants[] = ".section .rodata\n.balign 4096\nro: .word 7\n"
                                    ".data\n.balign 4096\nrw: .word 8\n";
    static const struct {
        const char *text;
        enum sam_trap_kind kind;
    } rows[] = {
        {"la x5, ro\nlw x6, 0(x5)\nla x5, rw\nlw x6, 0(x5)\nsw x6, 0(x5)\n" END, SAM_TRAP_NONE},
        {"la x5, 0x80000000\nlw x6, 0(x5)\n" END, SAM_TRAP_NONE},
        {"la x5, 0x80000000\nsw x6, 0(x5)\n" END, SAM_TRAP_STORE_PAGE},
        {"la x5, ro\nsw x6, 0(x5)\n" END, SAM_TRAP_STORE_PAGE},
        {"la x5, ro\njr x5\n", SAM_TRAP_FETCH_PAGE},
        {"la x5, rw\njr x5\n", SAM_TRAP_FETCH_PAGE},
        {"li x5, 0x90000000\njr x5\n", SAM_TRAP_FETCH_PAGE},
        {"li x5, 0x8fff0000\nlw x6, 0(x5)\n" END, SAM_TRAP_LOAD_PAGE},
        {"li x5, 0x90030000\nsw x6, 0(x5)\n" END, SAM_TRAP_STORE_PAGE},
        /* The page is mapped, but the buffer of 64 bytes ends within it. */
        {"li x5, 0x92000040\nlw x6, 0(x5)\n" END, SAM_TRAP_LOAD_FAULT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FREED char *text = formatted("%s%s", rows[i].text, constants);
        SCOPED(program) p = translated(text);
        if (rows[i].kind == SAM_TRAP_NONE)
            program_pass(&p);
        else
            program_trap(&p, rows[i].kind);
    }
}

/* A page shared by code and data has the permissions of both. */
TEST(a_shared_page_permits_what_either_section_needs)
{
    SCOPED(program) p =
        translated("la x5, word\nli x6, 9\nsw x6, 0(x5)\nlw x7, 0(x5)\n"
                   "li x8, 0x90000000\nsw x7, 0(x8)\n" END ".data\nword: .word 8\n");
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 9);
}

TEST(without_an_image_code_is_whatever_lies_below_the_buffers)
{
    /* The program overwrites its own instruction, as a loaded .metadata file may. */
    SCOPED(program) p = program_new("la x5, here\nlw x6, there\nsw x6, 0(x5)\nj here\n"
                                    "there: li x7, 5\n"
                                    "here: li x7, 4\nli x8, 0x90000000\nsw x7, 0(x8)\n" END,
                                    4);
    build(&p, NULL);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 5);
    SCOPED(program) q = program_new("li x5, 0x90000000\njr x5\n", 4);
    build(&q, NULL);
    program_trap(&q, SAM_TRAP_FETCH_PAGE);
}

TEST(tables_follow_the_buffers_when_built_again)
{
    SCOPED(program) p = translated("li x5, 0xa0000000\nsw x5, 0(x5)\n" END);
    const uint64_t ptbr = p.options.ptbr;
    assert_true(ptbr > UINT32_MAX);
    succeeds(sam_gpu_map, p.gpu, 0xa0000000, 4);
    program_trap(&p, SAM_TRAP_STORE_PAGE);
    build(&p, p.image);
    assert_true(p.options.ptbr == ptbr);
    program_pass(&p);
    EXPECT_WORDS(&p, 0xa0000000, 0xa0000000);
}

/* The first and the last page of the 32-bit address space. */
TEST(the_ends_of_the_address_space)
{
    SCOPED(program) p = program_new("li x5, 0xfffffffc\nli x6, 3\nsw x6, 0(x5)\nlw x7, 0(x0)\n"
                                    "li x8, 0x90000000\nsw x7, 0(x8)\n" END,
                                    4);
    succeeds(sam_gpu_map, p.gpu, 0xfffff000, 4096);
    succeeds(sam_gpu_map, p.gpu, 0, 4096);
    program_set(&p, 0, 77);
    build(&p, p.image);
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 77);
    EXPECT_WORDS(&p, 0xfffffffc, 3);
}
