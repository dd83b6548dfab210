/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of a gpu that come and go between launches. */
#include "program.h"

#include <string.h>

#include "test.h"

/* Stores the word at DATA + 4 to the address at DATA. */
static const char store_there[] = "        li      t0, 0x90000000\n"
                                  "        lw      t1, 0(t0)\n"
                                  "        lw      t2, 4(t0)\n"
                                  "        sw      t2, 0(t1)\n"
                                  "        endprg\n";

static struct program storing(uint32_t address, uint32_t word)
{
    struct program p = program_new(store_there, 8);
    program_set(&p, DATA, address);
    program_set(&p, DATA + 4, word);
    return p;
}

TEST(removed_buffers_fault)
{
    struct program p = storing(0, 42);
    uint32_t first, again;
    assert_int_equal(sam_gpu_alloc(p.gpu, 0x5000, &first, &p.error), SAM_OK);
    program_set(&p, DATA, first + 0x1000);
    program_pass(&p);
    assert_int_equal(program_word(&p, first + 0x1000), 42);
    assert_int_equal(sam_gpu_unmap(p.gpu, first, &p.error), SAM_OK);
    program_trap(&p, SAM_TRAP_STORE_FAULT);
    assert_int_equal(p.result.trap.tval, first + 0x1000);
    uint32_t word;
    assert_int_equal(sam_gpu_read(p.gpu, first + 0x1000, &word, 4, &p.error), SAM_ERR_USAGE);
    /* the addresses serve again, as zeros */
    assert_int_equal(sam_gpu_alloc(p.gpu, 0x5000, &again, &p.error), SAM_OK);
    assert_int_equal(again, first);
    assert_int_equal(program_word(&p, again + 0x1000), 0);
    program_pass(&p);
    assert_int_equal(program_word(&p, again + 0x1000), 42);
    program_free(&p);
}

/* Of 1 MiB the host reads one block and writes to another; a kernel stores to a third. */
TEST(untouched_blocks)
{
    enum { BLOCK = 1 << 16, SIZE = 1 << 20 };
    struct program p = storing(0, 42);
    uint32_t base, word = 7;
    assert_int_equal(sam_gpu_alloc(p.gpu, SIZE + BLOCK, &base, &p.error), SAM_OK);
    base += -base % BLOCK;
    const uint64_t end = (uint64_t)base + SIZE;
    assert_int_equal(sam_gpu_skip_untouched(p.gpu, base, end), end);
    assert_int_equal(sam_gpu_read(p.gpu, base, &word, sizeof word, &p.error), SAM_OK);
    assert_int_equal(word, 0);
    assert_int_equal(sam_gpu_skip_untouched(p.gpu, base, end), end);
    assert_int_equal(sam_gpu_write(p.gpu, base + 9 * BLOCK - 4, "word", 4, &p.error), SAM_OK);
    assert_int_equal(sam_gpu_skip_untouched(p.gpu, base + 4, end), base + 8 * BLOCK);
    assert_int_equal(sam_gpu_skip_untouched(p.gpu, base, base + 8 * BLOCK), base + 8 * BLOCK);
    program_set(&p, DATA, base + 2 * BLOCK + 8);
    program_pass(&p);
    assert_int_equal(sam_gpu_skip_untouched(p.gpu, base, end), base + 2 * BLOCK);
    assert_int_equal(sam_gpu_skip_untouched(p.gpu, base + 2 * BLOCK + 9, end),
                     base + 2 * BLOCK + 9);
    assert_int_equal(sam_gpu_skip_untouched(p.gpu, base + 3 * BLOCK, end), base + 8 * BLOCK);
    assert_int_equal(sam_gpu_skip_untouched(p.gpu, end, end), end);
    assert_int_equal(sam_gpu_skip_untouched(NULL, base, end), base);
    program_free(&p);
}

TEST(wrong_addresses)
{
    struct program p = storing(DATA, 1);
    assert_int_equal(sam_gpu_unmap(p.gpu, DATA + 4, &p.error), SAM_ERR_USAGE);
    assert_string_equal(p.error.text, "no buffer begins at 0x90000004");
    assert_int_equal(sam_gpu_unmap(p.gpu, 0, &p.error), SAM_ERR_USAGE);
    assert_int_equal(sam_gpu_unmap(p.gpu, DATA, NULL), SAM_OK);
    assert_int_equal(sam_gpu_unmap(p.gpu, DATA, &p.error), SAM_ERR_USAGE);
    program_free(&p);
}

/* A program whose code is removed cannot be fetched. */
TEST(removed_code)
{
    struct program p = storing(DATA + 8, 7);
    program_pass(&p);
    assert_int_equal(program_word(&p, DATA + 8), 7);
    assert_int_equal(sam_gpu_unmap(p.gpu, SAM_CODE_BASE, &p.error), SAM_OK);
    program_trap(&p, SAM_TRAP_FETCH);
    assert_int_equal(p.result.trap.pc, SAM_CODE_BASE);
    assert_int_equal(sam_gpu_load(p.gpu, p.image, &p.error), SAM_OK);
    program_pass(&p);
    program_free(&p);
}

/* What one launch has decoded and used does not show in the next: other words in the same place,
 * written by the host or by a launch; other numbers of warps; registers and local memory that are
 * zero again. */
TEST(launches_in_a_row)
{
    static const char text[] = "        li      t0, 0x90000000\n"
                               "        lw      t1, 0(t0)\n" /* a word of code, and where to */
                               "        lw      t2, 4(t0)\n"
                               "        beqz    t2, here\n"
                               "        sw      t1, 0(t2)\n"
                               "        endprg\n"
                               "here:   addi    t3, zero, 1\n"
                               "        csrr    t4, wid\n"
                               "        bnez    t4, over\n"
                               "        li      t5, 0x70000000\n"
                               "        lw      t6, 0(t5)\n"
                               "        sw      t5, 0(t5)\n"
                               "        vmv.x.s s2, v9\n"
                               "        vmv.v.x v9, t5\n"
                               "        sw      t3, 8(t0)\n"
                               "        sw      t6, 12(t0)\n"
                               "        sw      s2, 16(t0)\n"
                               "over:   endprg\n";
    for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
        struct program p = program_new(text, 8);
        const uint32_t here = program_symbol(&p, "here"), addi = program_word(&p, here);
        p.options.jobs = jobs;
        p.launch.grid[0] = jobs;
        for (uint32_t i = 1; i <= 12; i++) {
            const uint32_t word = (addi & 0xfffff) | i << 20; /* addi t3, zero, i */
            p.launch.warps = 1 + i / 5;
            if (i % 3 == 0) { /* the host changes the word; */
                program_set(&p, here, word);
            } else if (i % 3 == 1) { /* a launch does; */
                program_set(&p, DATA, word);
                program_set(&p, DATA + 4, here);
                program_pass(&p);
                program_set(&p, DATA + 4, 0);
            } else { /* another program is loaded */
                assert_int_equal(sam_gpu_unmap(p.gpu, SAM_CODE_BASE, &p.error), SAM_OK);
                program_trap(&p, SAM_TRAP_FETCH);
                assert_int_equal(sam_gpu_load(p.gpu, p.image, &p.error), SAM_OK);
                program_set(&p, here, word);
            }
            for (int again = 0; again < 2; again++) {
                program_set(&p, DATA + 8, 0);
                program_pass(&p);
                EXPECT_WORDS(&p, DATA + 8, i, 0, 0);
            }
        }
        /* what may be read changes, too */
        program_set(&p, here, addi);
        program_pass(&p);
        assert_int_equal(sam_gpu_unmap(p.gpu, DATA, &p.error), SAM_OK);
        program_trap(&p, SAM_TRAP_LOAD_FAULT);
        p.options.loose_bounds = true;
        program_pass(&p);
        p.options.loose_bounds = false;
        program_trap(&p, SAM_TRAP_LOAD_FAULT);
        program_free(&p);
    }
}
