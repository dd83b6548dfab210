/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of a gpu that are mapped and unmapped between launches. */
#include "program.h"

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
    SCOPED(program) p = storing(0, 42);
    uint32_t first, again;
    succeeds(sam_gpu_alloc, p.gpu, 0x5000, &first);
    program_set(&p, DATA, first + 0x1000);
    program_pass(&p);
    assert_int_equal(program_word(&p, first + 0x1000), 42);
    succeeds(sam_gpu_unmap, p.gpu, first);
    program_trap(&p, SAM_TRAP_STORE_FAULT);
    assert_int_equal(p.result.trap.tval, first + 0x1000);
    uint32_t word;
    assert_int_equal(sam_gpu_read(p.gpu, first + 0x1000, &word, 4, &p.error), SAM_ERR_USAGE);
    /* the addresses are reused, zeroed */
    succeeds(sam_gpu_alloc, p.gpu, 0x5000, &again);
    assert_int_equal(again, first);
    assert_int_equal(program_word(&p, again + 0x1000), 0);
    program_pass(&p);
    assert_int_equal(program_word(&p, again + 0x1000), 42);
}

/* Of 1 MiB the host reads one block and writes to another; a kernel stores to a third. */
TEST(untouched_blocks)
{
    enum { BLOCK = 1 << 16, SIZE = 1 << 20 };
    SCOPED(program) p = storing(0, 42);
    uint32_t base, word = 7;
    succeeds(sam_gpu_alloc, p.gpu, SIZE + BLOCK, &base);
    base += -base % BLOCK;
    const uint64_t end = (uint64_t)base + SIZE;
    assert_int_equal(sam_gpu_skip_untouched(p.gpu, base, end), end);
    succeeds(sam_gpu_read, p.gpu, base, &word, sizeof word);
    assert_int_equal(word, 0);
    assert_int_equal(sam_gpu_skip_untouched(p.gpu, base, end), end);
    succeeds(sam_gpu_write, p.gpu, base + 9 * BLOCK - 4, "word", 4);
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
}

TEST(wrong_addresses)
{
    SCOPED(program) p = storing(DATA, 1);
    assert_int_equal(sam_gpu_unmap(p.gpu, DATA + 4, &p.error), SAM_ERR_USAGE);
    assert_string_equal(p.error.text, "no buffer begins at 0x90000004");
    assert_int_equal(sam_gpu_unmap(p.gpu, 0, &p.error), SAM_ERR_USAGE);
    assert_int_equal(sam_gpu_unmap(p.gpu, DATA, NULL), SAM_OK);
    assert_int_equal(sam_gpu_unmap(p.gpu, DATA, &p.error), SAM_ERR_USAGE);
}

/* A program whose code is removed cannot be fetched. */
TEST(removed_code)
{
    SCOPED(program) p = storing(DATA + 8, 7);
    program_pass(&p);
    assert_int_equal(program_word(&p, DATA + 8), 7);
    succeeds(sam_gpu_unmap, p.gpu, SAM_CODE_BASE);
    program_trap(&p, SAM_TRAP_FETCH);
    assert_int_equal(p.result.trap.pc, SAM_CODE_BASE);
    succeeds(sam_gpu_load, p.gpu, p.image);
    program_pass(&p);
}

/* State of one launch does not leak into the next: decoded code, when the host or a launch has
 * overwritten it; the number of warps; registers and local memory, which are zeroed. */
TEST(launches_in_a_row)
{
    static const char text[] = "        li      t0, 0x90000000\n"
                               "        lw      t1, 0(t0)\n" /* code, and its address */
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
        SCOPED(program) p = program_new(text, 8);
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
                succeeds(sam_gpu_unmap, p.gpu, SAM_CODE_BASE);
                program_trap(&p, SAM_TRAP_FETCH);
                succeeds(sam_gpu_load, p.gpu, p.image);
                program_set(&p, here, word);
            }
            for (int again = 0; again < 2; again++) {
                program_set(&p, DATA + 8, 0);
                program_pass(&p);
                EXPECT_WORDS(&p, DATA + 8, i, 0, 0);
            }
        }
        /* permissions change, too */
        program_set(&p, here, addi);
        program_pass(&p);
        succeeds(sam_gpu_unmap, p.gpu, DATA);
        program_trap(&p, SAM_TRAP_LOAD_FAULT);
        p.options.loose_bounds = true;
        program_pass(&p);
        p.options.loose_bounds = false;
        program_trap(&p, SAM_TRAP_LOAD_FAULT);
    }
}

#define CONTROL 0xa0000000u /* the first workgroup that stores, and the instruction */

/* Each workgroup that stores reads its two pages first. Lanes 2 to 7 of the vector access cross
 * the end of the first one. */
static const char late_stores[] = "        li      t0, 0xa0000000\n"
                                  "        lw      t1, 0(t0)\n"
                                  "        lw      s0, 4(t0)\n"
                                  "        csrr    t0, wgid\n"
                                  "        bltu    t0, t1, done\n"
                                  "        sub     t1, t0, t1\n"
                                  "        andi    t1, t1, 15\n"
                                  "        slli    t1, t1, 13\n"
                                  "        li      t2, 0x90000000\n"
                                  "        add     t1, t1, t2\n"
                                  "        vid.v   v1\n"
                                  "        vmsgtu.vi v0, v1, 1\n"
                                  "        vsll.vi v1, v1, 2\n"
                                  "        li      t3, 4096 - 16\n"
                                  "        add     t3, t3, t1\n"
                                  "        vluxei32.v v2, (t3), v1\n"
                                  "        li      t4, 1\n"
                                  "        beqz    s0, by_scalar\n"
                                  "        beq     s0, t4, by_lane\n"
                                  ".globl by_scalar, by_lane, by_atomic\n"
                                  "by_atomic:\n"
                                  "        amoadd.w zero, t0, (t1)\n"
                                  "by_scalar:\n"
                                  "        sw      t0, 8(t1)\n"
                                  "by_lane:\n"
                                  "        vsuxei32.v v1, (t3), v1, v0.t\n"
                                  "done:   endprg\n";

static void expect_first(struct program *p, uint32_t workgroup, unsigned by)
{
    static const struct {
        const char *symbol;
        uint32_t lane, offset;
    } rows[] = {
        {"by_scalar", UINT32_MAX, 8}, {"by_lane", 2, 4096 - 8}, {"by_atomic", UINT32_MAX, 0}};
    struct sam_trap first;
    assert_true(sam_gpu_stored_input(p->gpu, DATA, &first));
    assert_int_equal(first.kind, SAM_TRAP_STORE_FAULT);
    assert_int_equal(first.workgroup, workgroup);
    assert_int_equal(first.lane, rows[by].lane);
    assert_int_equal(first.tval, DATA + rows[by].offset);
    assert_int_equal(first.pc, program_symbol(p, rows[by].symbol));
}

static bool drop(void *context, const void *data, size_t size)
{
    (void)context, (void)data, (void)size;
    return true;
}

/* The access of the lowest workgroup, for any number of workers, in runs and stepped; memory and
 * counts equal those of an unwatched launch. */
TEST(the_first_store_to_an_input)
{
    static uint8_t memory[2][DATA_SIZE];
    struct sam_trap first;
    for (unsigned i = 0; i < 48; i++) {
        const uint32_t workgroup = i % 5 * 11, by = i % 3, jobs = 1 + i / 3 % 4;
        uint64_t insns[2];
        for (unsigned watched = 0; watched < 2; watched++) {
            SCOPED(program) p = program_new(late_stores, 8);
            p.options.jobs = jobs;
            p.options.collect_stats = i % 7 == 3;
            p.options.log.write = i % 7 == 5 ? drop : NULL;
            p.launch.grid[0] = 61;
            succeeds(sam_gpu_map, p.gpu, CONTROL, 8);
            program_set(&p, CONTROL, 61);
            program_set(&p, CONTROL + 4, by);
            if (watched)
                succeeds(sam_gpu_watch_input, p.gpu, DATA);
            program_pass(&p);
            assert_false(sam_gpu_stored_input(p.gpu, DATA, &first));
            program_set(&p, CONTROL, workgroup);
            program_pass(&p);
            if (watched)
                expect_first(&p, workgroup, by);
            insns[watched] = p.result.stats.warp_insns;
            succeeds(sam_gpu_read, p.gpu, DATA, memory[watched], DATA_SIZE);
            program_set(&p, CONTROL, 61);
            program_pass(&p);
            assert_false(sam_gpu_stored_input(p.gpu, DATA, &first));
        }
        assert_int_equal(insns[1], insns[0]);
        if (jobs == 1) /* four workgroups share an address; the last one wins */
            assert_memory_equal(memory[1], memory[0], DATA_SIZE);
    }
}
