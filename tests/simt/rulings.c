/* SPDX-License-Identifier: Apache-2.0 */
/* docs/ventus-rulings.md at run time: a test a ruling, named after its number. Expected values are
 * worked out by hand from the ruling. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "program.h"

/* Run `text` behind which a0 = DATA, v1 = lane, v2 = DATA + 4 lane stand ready. */
static struct program prepared(const char *text, uint32_t lanes)
{
    static const char head[] = "  li a0, 0x90000000\n  vid.v v1\n  vsll.vi v2, v1, 2\n"
                               "  vadd.vx v2, v2, a0\n";
    char all[4096];
    assert_true(strlen(head) + strlen(text) < sizeof all);
    strcpy(all, head);
    strcat(all, text);
    return program_new(all, lanes);
}

/* Run it, and compare the first words of DATA. */
#define GIVES(lanes, text, ...)                                                                    \
    do {                                                                                           \
        struct program run = prepared(text, lanes);                                                \
        program_pass(&run);                                                                        \
        EXPECT_WORDS(&run, DATA, __VA_ARGS__);                                                     \
        program_free(&run);                                                                        \
    } while (0)

#define TRAPS(lanes, text, kind)                                                                   \
    do {                                                                                           \
        struct program run = prepared(text, lanes);                                                \
        program_trap(&run, kind);                                                                  \
        program_free(&run);                                                                        \
    } while (0)

/* ------------------------------------------------------------------------------- 1. state */

static void ruling_1_scalar_registers_end_at_63(void **state)
{
    (void)state;
    GIVES(4, "li x63, 7\n sw x63, 0(a0)\n endprg\n", 7);
    TRAPS(4, ".word 0x0020200b\n .word 0x00700093\n endprg\n", SAM_TRAP_ILLEGAL); /* x65 */
}

static void ruling_1_vset_gives_the_lesser_of_avl_and_vlmax(void **state)
{
    (void)state;
    GIVES(4,
          "li t0, 3\n vsetvli t1, t0, e32, m1, ta, ma\n sw t1, 0(a0)\n"
          "li t0, 99\n vsetvli t1, t0, e32, m2, ta, ma\n sw t1, 4(a0)\n"
          "vsetvli t1, zero, e32, m1, ta, ma\n sw t1, 8(a0)\n endprg\n",
          3, 8, 4);
}

static void ruling_1_elements_past_vl_stay(void **state)
{
    (void)state;
    GIVES(4,
          "vsetivli t0, 2, e32, m1, ta, ma\n vadd.vi v1, v1, 10\n"
          "vsetvli t0, zero, e32, m1, ta, ma\n vsw12.v v1, 0(v2)\n endprg\n",
          10, 11, 2, 3);
}

static void ruling_1_lmul_2_acts_on_two_registers(void **state)
{
    (void)state;
    GIVES(4,
          "vsetvli t0, zero, e32, m2, ta, ma\n vid.v v4\n"
          "vsetvli t0, zero, e32, m1, ta, ma\n vsw12.v v4, 0(v2)\n vsw12.v v5, 16(v2)\n endprg\n",
          0, 1, 2, 3, 4, 5, 6, 7);
}

static void ruling_1_another_sew_makes_vector_instructions_illegal(void **state)
{
    (void)state;
    TRAPS(4, "vsetvli t0, zero, e16, m1, ta, ma\n vadd.vi v1, v1, 1\n endprg\n", SAM_TRAP_ILLEGAL);
    TRAPS(4, "vsetvli t0, zero, e32, m4, ta, ma\n vadd.vi v1, v1, 1\n endprg\n", SAM_TRAP_ILLEGAL);
    GIVES(4, "vsetvli t0, zero, e64, m1, ta, ma\n csrr t1, vtype\n sw t1, 0(a0)\n endprg\n",
          0x80000000);
}

static void ruling_1_what_is_not_kept_is_illegal(void **state)
{
    (void)state;
    TRAPS(4, ".word 0x3a10b0d7\n endprg\n", SAM_TRAP_ILLEGAL); /* vslide1up.vx's family */
    TRAPS(4, ".word 0x021120d7\n endprg\n", SAM_TRAP_ILLEGAL); /* vredsum.vs */
    TRAPS(4, ".word 0x00000073\n endprg\n", SAM_TRAP_ILLEGAL); /* ecall */
}

static void ruling_1_scalar_instructions_ignore_the_mask(void **state)
{
    (void)state;
    /* Lanes 0 and 1 take the branch and add 1, the others add 10: both paths run once. */
    GIVES(4,
          "li t0, 0\n li t1, 2\n vmv.v.x v3, t1\n la t2, end\n setrpc zero, t2, 0\n"
          "vblt v1, v3, small\n addi t0, t0, 10\n j end\n small: addi t0, t0, 1\n"
          "end: join\n sw t0, 0(a0)\n endprg\n",
          11);
}

static void ruling_1_launch_csrs_are_read_only(void **state)
{
    (void)state;
    TRAPS(4, "csrw tid, t0\n endprg\n", SAM_TRAP_ILLEGAL);
    TRAPS(4, "csrw lds, t0\n endprg\n", SAM_TRAP_ILLEGAL);
    GIVES(4, "li t0, 0x80000040\n csrw rpc, t0\n csrr t1, rpc\n sw t1, 0(a0)\n endprg\n",
          0x80000040);
}

static void ruling_1_csr_values(void **state)
{
    (void)state;
    struct program p = prepared("csrr t1, wid\n bnez t1, done\n j done\n"
                                "done: csrr t0, wgid\n slli t0, t0, 5\n add a0, a0, t0\n"
                                "slli t2, t1, 4\n add a0, a0, t2\n csrr t0, tid\n sw t0, 0(a0)\n"
                                "csrr t0, gdx\n sw t0, 4(a0)\n csrr t0, gdy\n sw t0, 8(a0)\n"
                                "csrr t0, numw\n sw t0, 12(a0)\n endprg\n",
                                8);
    p.launch.warps = 2;
    p.launch.grid[0] = 2;
    p.launch.grid[1] = 2;
    program_pass(&p);
    /* Workgroup 2 is (0, 1): x runs fastest. */
    EXPECT_WORDS(&p, DATA + 64, 0, 0, 1, 2, 8, 0, 1, 2);
    EXPECT_WORDS(&p, DATA + 32, 0, 1, 0, 2, 8, 1, 0, 2);
    program_free(&p);
}

/* --------------------------------------------------------------------------- 2. encodings */

static void ruling_2_1_vadd12_is_signed_and_vsub12_subtracts(void **state)
{
    (void)state;
    GIVES(4,
          "vadd12.vi v3, v1, -1\n vsw12.v v3, 0(v2)\n vsub12.vi v3, v1, -2\n"
          "vsw12.v v3, 16(v2)\n endprg\n",
          0xffffffff, 0, 1, 2, 2, 3, 4, 5);
}

static void ruling_2_2_branches_compare_bits_24_20_with_bits_19_15(void **state)
{
    (void)state;
    /* vblt v1, v3: lanes with v1 < v3 (= 1) take it: lane 0. */
    GIVES(4,
          "vmv.v.i v3, 1\n vmv.v.i v4, 0\n la t2, end\n setrpc zero, t2, 0\n vblt v1, v3, taken\n"
          "j end\n taken: vmv.v.i v4, 1\n end: join\n vsw12.v v4, 0(v2)\n endprg\n",
          1, 0, 0, 0);
}

static void ruling_2_5_private_words_interleave(void **state)
{
    (void)state;
    struct program p =
        prepared("vmv.v.i v3, 4\n vadd.vi v4, v1, 9\n vsw.v v4, 0(v3)\n endprg\n", 4);
    p.launch.warps = 2;
    program_pass(&p);
    /* a = 4: word 1 of each of 8 threads, 32 bytes on; both warps store their lanes. */
    EXPECT_WORDS(&p, PDS + 32, 9, 10, 11, 12, 9, 10, 11, 12);
    program_free(&p);
    TRAPS(4, "li t0, 1024\n vmv.v.x v3, t0\n vlw.v v4, 0(v3)\n endprg\n", SAM_TRAP_PRIVATE_RANGE);
}

static void ruling_2_6_the_highest_lane_wins(void **state)
{
    (void)state;
    GIVES(8, "vmv.v.x v3, a0\n vsw12.v v1, 4(v3)\n endprg\n", 0, 7);
}

static void ruling_2_7_compares_write_0_or_1_a_lane(void **state)
{
    (void)state;
    GIVES(4,
          "vmsgt.vi v3, v1, 1\n vsw12.v v3, 0(v2)\n vmv.v.i v4, 2\n vmnand.mm v4, v3, v4\n"
          "vsw12.v v4, 16(v2)\n vmv.v.v v0, v3\n vadd.vi v1, v1, 8, v0.t\n vsw12.v v1, 32(v2)\n"
          "endprg\n",
          0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 10, 11);
}

static void ruling_2_8_moves_between_scalars_and_lanes(void **state)
{
    (void)state;
    GIVES(4,
          "li t0, 5\n vmv.s.x v3, t0\n vsw12.v v3, 0(v2)\n vmv.x.s t1, v1\n sw t1, 16(a0)\n"
          "endprg\n",
          5, 5, 5, 5, 3);
}

static void ruling_2_9_byte_loads_extend_into_each_lane(void **state)
{
    (void)state;
    GIVES(4,
          "li t0, 0x80ff7f01\n sw t0, 64(a0)\n addi t1, a0, 64\n vle8.v v3, (t1)\n"
          "vsw12.v v3, 0(v2)\n endprg\n",
          1, 0x7f, 0xffffffff, 0xffffff80);
}

static void ruling_2_10_prefixes_apply_to_what_runs_next(void **state)
{
    (void)state;
    GIVES(4,
          "vmv.v.x v200, a0\n li t0, 3\n vadd.vx v40, v200, t0\n vsub.vv v3, v40, v200\n"
          "vsw12.v v3, 0(v2)\n endprg\n",
          3, 3, 3, 3);
    /* A jump between prefix and instruction finds the instruction plain. */
    GIVES(4,
          "vmv.v.i v3, 0\n j inside\n regext zero, zero, 1\n inside: vmv.v.i v3, 6\n"
          "vsw12.v v3, 0(v2)\n endprg\n",
          6, 6, 6, 6);
    TRAPS(4, ".word 0x0010200b\n .word 0x0010200b\n nop\n endprg\n", SAM_TRAP_ILLEGAL);
}

static void ruling_2_11_pairs_are_64_bits(void **state)
{
    (void)state;
    /* {0, 0xffffffff} + 1 carries into the odd register. */
    GIVES(4,
          "li x6, -1\n li x7, 0\n li x9, 1\n regpair zero, zero, 0\n add x4, x6, x9\n"
          "regpair zero, zero, 0\n sw x4, 0(a0)\n endprg\n",
          0, 1);
    TRAPS(4, "regpair zero, zero, 0\n div x4, x6, x8\n endprg\n", SAM_TRAP_ILLEGAL);
}

static void ruling_2_12_vftta_is_a_tile_product(void **state)
{
    (void)state;
    /* 4 lanes: 2x2 times 2x2. a = [1 2; 3 4], b rows [1 2], [3 4]: a b^T = [5 11; 11 25]; + 1. */
    GIVES(4,
          "vadd.vi v3, v1, 1\n vfcvt.f.x.v v3, v3\n li t0, 0x3f800000\n vmv.v.x v4, t0\n"
          "vftta.vv v4, v3, v3\n vfcvt.x.f.v v4, v4\n vsw12.v v4, 0(v2)\n endprg\n",
          6, 12, 12, 26);
}

static void ruling_2_13_vfexp(void **state)
{
    (void)state;
    GIVES(4,
          "vfcvt.f.x.v v3, v1\n vfexp.v v3, v3\n vsw12.v v3, 0(v2)\n li t0, 0x7fa00000\n"
          "vmv.v.x v3, t0\n vfexp.v v3, v3\n vsw12.v v3, 16(v2)\n endprg\n",
          0x3f800000, 0x402df854, 0x40ec7326, 0x41a0af2e, 0x7fc00000);
}

static void ruling_2_14_barriers(void **state)
{
    (void)state;
    /* Warp 1 reads what warp 0 has stored before the barrier, and the other way round. */
    struct program p = prepared("csrr t0, wid\n slli t1, t0, 2\n add t1, t1, a0\n addi t2, t0, 7\n"
                                "sw t2, 0(t1)\n barrier\n xori t0, t0, 1\n slli t0, t0, 2\n"
                                "add t0, t0, a0\n lw t2, 0(t0)\n sw t2, 8(t1)\n endprg\n",
                                4);
    p.launch.warps = 2;
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 7, 8, 8, 7);
    program_free(&p);
    /* Two warps wait at different barriers: a report, not a hang. */
    p = prepared("csrr t0, wid\n beqz t0, other\n barrier\n endprg\n other: barrier\n endprg\n", 4);
    p.launch.warps = 2;
    program_trap(&p, SAM_TRAP_DEADLOCK);
    program_free(&p);
    /* One that has ended is not waited for. */
    p = prepared("csrr t0, wid\n beqz t0, other\n barrier\n sw t0, 0(a0)\n other: endprg\n", 4);
    p.launch.warps = 2;
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 1);
    program_free(&p);
    TRAPS(4,
          "vmv.v.i v3, 1\n la t2, end\n setrpc zero, t2, 0\n vblt v1, v3, end\n barrier\n"
          "end: join\n endprg\n",
          SAM_TRAP_BARRIER_DIVERGED);
}

static void ruling_2_15_endprg_under_divergence(void **state)
{
    (void)state;
    TRAPS(4,
          "vmv.v.i v3, 1\n la t2, end\n setrpc zero, t2, 0\n vblt v1, v3, end\n endprg\n"
          "end: join\n endprg\n",
          SAM_TRAP_ENDPRG_DIVERGED);
}

/* -------------------------------------------------------------------------- 3. SIMT stack */

static void ruling_3_fewer_lanes_first_and_taken_on_a_tie(void **state)
{
    (void)state;
    /* Each path stores its turn: the taken one in word 1, the other in word 0. One lane of four
     * takes the branch: it runs first. */
    GIVES(4,
          "li t0, 1\n vmv.v.i v3, 1\n la t2, end\n setrpc zero, t2, 0\n vblt v1, v3, taken\n"
          "sw t0, 0(a0)\n addi t0, t0, 1\n j end\n taken: sw t0, 4(a0)\n addi t0, t0, 1\n"
          "end: join\n endprg\n",
          2, 1);
    /* Two and two: the taken path first. */
    GIVES(4,
          "li t0, 1\n vmv.v.i v3, 2\n la t2, end\n setrpc zero, t2, 0\n vblt v1, v3, taken\n"
          "sw t0, 0(a0)\n addi t0, t0, 1\n j end\n taken: sw t0, 4(a0)\n addi t0, t0, 1\n"
          "end: join\n endprg\n",
          2, 1);
    /* Three take it: the rest first. */
    GIVES(4,
          "li t0, 1\n vmv.v.i v3, 3\n la t2, end\n setrpc zero, t2, 0\n vblt v1, v3, taken\n"
          "sw t0, 0(a0)\n addi t0, t0, 1\n j end\n taken: sw t0, 4(a0)\n addi t0, t0, 1\n"
          "end: join\n endprg\n",
          1, 2);
}

static void ruling_3_a_two_way_branch_joins_three_times(void **state)
{
    (void)state;
    struct program p = prepared("vmv.v.i v3, 1\n la t2, end\n setrpc zero, t2, 0\n"
                                "vblt v1, v3, end\n nop\n end: join\n endprg\n",
                                4);
    p.options.collect_stats = true;
    program_pass(&p);
    uint64_t joins = 0;
    for (size_t i = 0; i < p.result.stats.mix_count; i++)
        if (strcmp(p.result.stats.mix[i].mnemonic, "join") == 0)
            joins = p.result.stats.mix[i].warp_insns;
    assert_int_equal(joins, 3);
    assert_int_equal(p.result.stats.simt_depth, 2);
    program_free(&p);
}

static void ruling_3_the_stack_has_a_limit(void **state)
{
    (void)state;
    /* Each turn of the loop loses one lane: one more entry a turn stays. */
    static const char text[] = "la t2, end\n setrpc zero, t2, 0\n vmv.v.i v3, 0\n"
                               "loop: vadd.vi v3, v3, 1\n vbge v1, v3, loop\n end: join\n endprg\n";
    struct program p = prepared(text, 8);
    p.options.simt_stack_limit = 4;
    program_trap(&p, SAM_TRAP_STACK_OVERFLOW);
    p.options.simt_stack_limit = 16;
    program_pass(&p);
    program_free(&p);
}

/* -------------------------------------------------------------------- 4. memory and launch */

static void ruling_4_local_memory_is_a_workgroups_own(void **state)
{
    (void)state;
    /* Each workgroup adds 1 to a word of local memory that starts at zero. */
    struct program p = prepared("csrr t0, lds\n lui t1, 0x100\n add t0, t0, t1\n lw t2, 0(t0)\n"
                                "addi t2, t2, 1\n sw t2, 0(t0)\n csrr t3, gdx\n slli t3, t3, 2\n"
                                "add a0, a0, t3\n sw t2, 0(a0)\n endprg\n",
                                4);
    p.launch.grid[0] = 4;
    p.options.jobs = 2;
    program_pass(&p);
    EXPECT_WORDS(&p, DATA, 1, 1, 1, 1);
    program_free(&p);
}

static void ruling_4_accesses_are_bounded_to_the_byte(void **state)
{
    (void)state;
    struct program p = prepared("li t0, 0x92000040\n lw t1, -4(t0)\n lw t1, 0(t0)\n endprg\n", 4);
    program_trap(&p, SAM_TRAP_LOAD_FAULT);
    assert_int_equal(p.result.trap.tval, KERNEL + 64);
    p.options.loose_bounds = true;
    program_pass(&p);
    program_free(&p);
    TRAPS(4, "sw t0, 2(a0)\n endprg\n", SAM_TRAP_STORE_MISALIGNED);
    TRAPS(4, "vadd.vi v2, v2, 1\n vlw12.v v3, 0(v2)\n endprg\n", SAM_TRAP_LOAD_MISALIGNED);
}

static void ruling_4_a_trap_names_the_lowest_lane(void **state)
{
    (void)state;
    /* Lane i accesses DATA + i * 0x10000: lane 3 is outside (0x30000 bytes). */
    struct program p = prepared("vsll.vi v3, v1, 16\n vadd.vx v3, v3, a0\n vlw12.v v4, 0(v3)\n"
                                "endprg\n",
                                8);
    program_trap(&p, SAM_TRAP_LOAD_FAULT);
    assert_int_equal(p.result.trap.lane, 3);
    assert_int_equal(p.result.trap.tval, DATA + 0x30000);
    program_free(&p);
}

static void ruling_4_traps_ignore_mtvec(void **state)
{
    (void)state;
    TRAPS(4, "la t0, good\n csrw mtvec, t0\n .word 0\n good: endprg\n", SAM_TRAP_ILLEGAL);
}

static bool keep(void *context, const void *data, size_t size)
{
    strncat(context, data, size);
    return true;
}

static void ruling_4_prints_come_in_the_order_of_workgroups(void **state)
{
    (void)state;
    /* Each workgroup appends 'A' + its number and a newline. */
    struct program p = prepared("li t0, 0x93000000\n li t1, 2\n amoadd.w t2, t1, (t0)\n"
                                "add t2, t2, t0\n csrr t3, wgid\n addi t3, t3, 65\n"
                                "sb t3, 4(t2)\n li t3, 10\n sb t3, 5(t2)\n csrwi print, 1\n"
                                "csrr t4, print\n slli t3, t4, 2\n sw t4, 0(a0)\n endprg\n",
                                4);
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        char text[256] = "";
        p.launch.grid[0] = 12;
        p.options.jobs = jobs;
        p.options.print = (struct sam_sink){keep, text};
        p.options.print_prefix = true;
        program_set(&p, PRINT_BUFFER, 0);
        program_pass(&p);
        assert_string_equal(text, "[0.0] A\n[1.0] B\n[2.0] C\n[3.0] D\n[4.0] E\n[5.0] F\n[6.0] G\n"
                                  "[7.0] H\n[8.0] I\n[9.0] J\n[10.0] K\n[11.0] L\n");
        EXPECT_WORDS(&p, DATA, 0); /* the CSR is cleared */
    }
    p.launch.grid[0] = 40; /* 80 bytes do not fit in 60 */
    program_set(&p, PRINT_BUFFER, 0);
    p.options.print_prefix = false;
    char text[256] = "";
    p.options.print.context = text;
    assert_int_equal(program_run(&p), SAM_ERR_TRAP);
    program_free(&p);
}

static void ruling_4_sv39_walks_three_levels(void **state)
{
    (void)state;
    /* Tables in DATA: VA 0x80000000 (1 GiB page, code and all) stays itself; VA 0x40000000 goes to
     * DATA + 0x20000 by a 4 KiB page. */
    struct program p = program_new("li t0, 0x40000000\n lw t1, 0(t0)\n addi t1, t1, 1\n"
                                   "sw t1, 4(t0)\n endprg\n",
                                   4);
    const uint32_t root = DATA, middle = DATA + 0x1000, leaf = DATA + 0x2000;
    program_set(&p, root + 8 * 2, 0x80000000u >> 12 << 10 | 0xf);
    program_set(&p, root + 8 * 1, middle >> 12 << 10 | 1);
    program_set(&p, middle, leaf >> 12 << 10 | 1);
    program_set(&p, leaf, (DATA + 0x20000) >> 12 << 10 | 0x7);
    program_set(&p, DATA + 0x20000, 41);
    p.options.sv39 = true;
    p.options.ptbr = root;
    program_pass(&p);
    EXPECT_WORDS(&p, DATA + 0x20000, 41, 42);
    assert_int_equal(program_word(&p, leaf) & 0xff, 0xc7);     /* A and D */
    program_set(&p, leaf, (DATA + 0x20000) >> 12 << 10 | 0x3); /* no W */
    program_trap(&p, SAM_TRAP_STORE_PAGE);
    program_set(&p, leaf, 0);
    program_trap(&p, SAM_TRAP_LOAD_PAGE);
    program_set(&p, root + 8 * 2, 0x80000000u >> 12 << 10 | 0x3); /* no X */
    program_trap(&p, SAM_TRAP_FETCH_PAGE);
    program_free(&p);
}

static void ruling_4_a_runaway_kernel_is_stopped(void **state)
{
    (void)state;
    struct program p = prepared("loop: j loop\n", 4);
    p.options.max_insns = 1000;
    program_trap(&p, SAM_TRAP_BUDGET);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ruling_1_scalar_registers_end_at_63),
        cmocka_unit_test(ruling_1_vset_gives_the_lesser_of_avl_and_vlmax),
        cmocka_unit_test(ruling_1_elements_past_vl_stay),
        cmocka_unit_test(ruling_1_lmul_2_acts_on_two_registers),
        cmocka_unit_test(ruling_1_another_sew_makes_vector_instructions_illegal),
        cmocka_unit_test(ruling_1_what_is_not_kept_is_illegal),
        cmocka_unit_test(ruling_1_scalar_instructions_ignore_the_mask),
        cmocka_unit_test(ruling_1_launch_csrs_are_read_only),
        cmocka_unit_test(ruling_1_csr_values),
        cmocka_unit_test(ruling_2_1_vadd12_is_signed_and_vsub12_subtracts),
        cmocka_unit_test(ruling_2_2_branches_compare_bits_24_20_with_bits_19_15),
        cmocka_unit_test(ruling_2_5_private_words_interleave),
        cmocka_unit_test(ruling_2_6_the_highest_lane_wins),
        cmocka_unit_test(ruling_2_7_compares_write_0_or_1_a_lane),
        cmocka_unit_test(ruling_2_8_moves_between_scalars_and_lanes),
        cmocka_unit_test(ruling_2_9_byte_loads_extend_into_each_lane),
        cmocka_unit_test(ruling_2_10_prefixes_apply_to_what_runs_next),
        cmocka_unit_test(ruling_2_11_pairs_are_64_bits),
        cmocka_unit_test(ruling_2_12_vftta_is_a_tile_product),
        cmocka_unit_test(ruling_2_13_vfexp),
        cmocka_unit_test(ruling_2_14_barriers),
        cmocka_unit_test(ruling_2_15_endprg_under_divergence),
        cmocka_unit_test(ruling_3_fewer_lanes_first_and_taken_on_a_tie),
        cmocka_unit_test(ruling_3_a_two_way_branch_joins_three_times),
        cmocka_unit_test(ruling_3_the_stack_has_a_limit),
        cmocka_unit_test(ruling_4_local_memory_is_a_workgroups_own),
        cmocka_unit_test(ruling_4_accesses_are_bounded_to_the_byte),
        cmocka_unit_test(ruling_4_a_trap_names_the_lowest_lane),
        cmocka_unit_test(ruling_4_traps_ignore_mtvec),
        cmocka_unit_test(ruling_4_prints_come_in_the_order_of_workgroups),
        cmocka_unit_test(ruling_4_sv39_walks_three_levels),
        cmocka_unit_test(ruling_4_a_runaway_kernel_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
