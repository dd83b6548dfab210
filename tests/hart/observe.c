/* SPDX-License-Identifier: Apache-2.0 */
/* Trace and statistics of the tensor hart. */
#include "hart/program.h"

#include <string.h>

static bool keep(void *context, const void *data, size_t size)
{
    return sam_buffer_append(context, data, size);
}

static bool refuse(void *context, const void *data, size_t size)
{
    (void)context, (void)data, (void)size;
    return false;
}

static const char text[] = "la t0, handler\n"
                           "csrw mtvec, t0\n"
                           "li a0, 0x10000\n"
                           "li t1, 0x020104\n"
                           "csrw tshape, t1\n"
                           "csrwi tload_stride1, 4\n"
                           "tl.load tl3, 1(a0)\n"
                           "tl.store tl3, -1(a0)\n"
                           "tl.addi tl0, tl3, 1\n"
                           "sw a0, 0(a0)\n"
                           "ebreak\n"
                           "handler: csrw mepc, ra\n"
                           "mret\n";

static void expect_line(const struct sam_buffer *trace, const char *line)
{
    if (!strstr(sam_buffer_text(trace), line))
        fail_msg("no '%s' in:\n%s", line, sam_buffer_text(trace));
}

/* The store of -1 widths lies before the buffer, so that it traps; its handler goes on at ra. */
static void traces(void **state)
{
    (void)state;
    struct sam_buffer trace = {0};
    struct sam_hart_options options = {.trace = {keep, &trace}};
    struct program p = program_new(RV32, &options, text);
    sam_hart_set_x(p.hart, 1, SAM_HART_CODE_BASE + 4 * 10); /* tl.addi */
    program_expect(&p, SAM_HART_EBREAK);
    expect_line(&trace, "80000008 ");
    expect_line(&trace, " lui a0, 16                               a0=00010000\n");
    expect_line(&trace, " csrw tshape, t1\n");
    expect_line(&trace, " tl.load tl3, 1(a0)                       tl3 00010004..00010017\n");
    expect_line(&trace, " trap 7: store to 0xfffc, which cannot be written\n");
    expect_line(&trace, " tl.addi tl0, tl3, 1\n");
    expect_line(&trace, " sw a0, 0(a0)\n");
    expect_line(&trace, " mret\n");
    unsigned lines = 0;
    for (const char *c = sam_buffer_text(&trace); *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, p.result.instructions + 1); /* and the trap */
    program_free(&p);
    sam_buffer_free(&trace);
}

static void a_sink_that_refuses(void **state)
{
    (void)state;
    struct sam_hart_options options = {.trace = {refuse, NULL}};
    struct program p = program_new(RV32, &options, text);
    assert_int_equal(program_run(&p), SAM_ERR_IO);
    assert_int_equal(p.result.end, SAM_HART_STOPPED);
    assert_int_equal(p.result.instructions, 1);
    program_free(&p);
}

static void counts(void **state)
{
    (void)state;
    static const char program[] = "li t1, 0x020104\n" /* lui, addi */
                                  "csrw tshape, t1\n"
                                  "li a0, 0x10000\n" /* lui */
                                  "tl.load tl1, 0(a0)\n"
                                  "csrwi tmask_store, 2\n"
                                  "tl.mstore tl1, 0(a0)\n"
                                  "tl.addi tl1, tl1, 1\n"
                                  "csrwi tmask_concat_1, 1\n"
                                  "tl.merge.0 tl1, tl1, tl1\n"
                                  "csrwi tmask_concat_2, 1\n"
                                  "tl.concat.0 tl1, tl1, tl1\n"
                                  "li t0, 0x08080804\n" /* lui, addi */
                                  "tl.xpose.b.12 tl1, tl2, t0\n"
                                  "mul t0, t0, t0\n"
                                  "lw t0, 0(a0)\n"
                                  "sw t0, 0(a0)\n"
                                  "amoadd.w t0, t0, (a0)\n"
                                  "fadd.s t0, t0, t0\n"
                                  "beq t0, t0, 1f\n"
                                  "1: j 1f\n"
                                  "1: fence\n"
                                  "ebreak\n";
    static const uint64_t expected[SAM_HART_CLASSES] = {
        [SAM_HART_ALU] = 5,      [SAM_HART_MULDIV] = 1,    [SAM_HART_BRANCH] = 1,
        [SAM_HART_JUMP] = 1,     [SAM_HART_LOAD] = 1,      [SAM_HART_STORE] = 1,
        [SAM_HART_ATOMIC] = 1,   [SAM_HART_FLOAT] = 1,     [SAM_HART_CSR] = 4,
        [SAM_HART_SYSTEM] = 1,   [SAM_HART_TL_LOAD] = 1,   [SAM_HART_TL_STORE] = 1,
        [SAM_HART_TL_ADDI] = 1,  [SAM_HART_TL_CONCAT] = 1, [SAM_HART_TL_MERGE] = 1,
        [SAM_HART_TL_XPOSE] = 1,
    };
    struct sam_hart_options options = {.collect_stats = true};
    struct program p = program_new("rv32ima_zicsr_zfinx_xtensorload", &options, program);
    program_expect(&p, SAM_HART_EBREAK);
    const struct sam_hart_stats *stats = sam_hart_stats(p.hart);
    assert_int_equal(stats->instructions, p.result.instructions);
    uint64_t sum = 0;
    for (int i = 0; i < SAM_HART_CLASSES; i++) {
        if (stats->classes[i] != expected[i])
            fail_msg("%s: %llu, expected %llu", sam_hart_class_name((enum sam_hart_class)i),
                     (unsigned long long)stats->classes[i], (unsigned long long)expected[i]);
        sum += stats->classes[i];
    }
    assert_int_equal(sum, stats->instructions);
    assert_int_equal(stats->tl_bytes_loaded, 8);
    assert_int_equal(stats->tl_bytes_stored, 4); /* one slice of two */
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces),
        cmocka_unit_test(a_sink_that_refuses),
        cmocka_unit_test(counts),
    };
    return cmocka_run_group_tests_name("hart observe", tests, NULL, NULL);
}
