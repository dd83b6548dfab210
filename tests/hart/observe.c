/* SPDX-License-Identifier: Apache-2.0 */
/* Trace and statistics of the tensor hart. */
#include "hart/program.h"

#include "streams.h"

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

/* The store of -1 widths lies before the buffer, so that it traps; its handler continues at ra. */
TEST(traces)
{
    SCOPED(sam_buffer) trace = {0};
    struct sam_hart_options options = {.trace = test_sink(&trace)};
    SCOPED(program) p = program_new(RV32, &options, text);
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
}

TEST(a_sink_that_refuses)
{
    struct sam_hart_options options = {.trace = {test_refuse, NULL}};
    SCOPED(program) p = program_new(RV32, &options, text);
    assert_int_equal(program_run(&p), SAM_ERR_IO);
    assert_int_equal(p.result.end, SAM_HART_STOPPED);
    assert_int_equal(p.result.instructions, 1);
}

TEST(counts)
{
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
    SCOPED(program) p = program_new("rv32ima_zicsr_zfinx_xtensorload", &options, program);
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
}

static const struct sam_profile_row *row_of(struct sam_profile *profile, const struct program *p,
                                            const char *label)
{
    size_t count;
    const struct sam_profile_row *rows = sam_profile_rows(profile, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].pc == sam_image_find(p->image, label)->value)
            return &rows[i];
    fail_msg("no row of %s", label);
    return NULL;
}

/* Three rows of 16 bytes, 64 bytes apart, from byte 56 of a line on: two lines each. */
static const char profiled[] = "li t0, 5\n"
                               "li a0, 0x10038\n"
                               "loop: addi t0, t0, -1\n"
                               "word: lw t2, 0(a0)\n"
                               "bnez t0, loop\n"
                               "li t1, 0x040301\n"
                               "csrw tshape, t1\n"
                               "csrwi ttype, 8\n"
                               "li t1, 64\n"
                               "csrw tload_stride1, t1\n"
                               "tensor: tl.load tl1, 0(a0)\n"
                               "jump: ebreak\n";

TEST(profiles)
{
    struct sam_profile *profile = sam_profile_new();
    struct sam_hart_options options = {.size = sizeof options, .profile = profile};
    SCOPED(program) p = program_new(RV32, &options, profiled);
    program_expect(&p, SAM_HART_EBREAK);
    const struct sam_profile_row *row = row_of(profile, &p, "loop");
    assert_true(row->count == 5 && row->accesses == 0 && row->cycles[SAM_GPUTIME_BUSY] == 0 &&
                !row->vector);
    row = row_of(profile, &p, "word");
    assert_true(row->count == 5 && row->global_insns == 5 && row->accesses == 5 && row->lines == 5);
    row = row_of(profile, &p, "tensor");
    assert_true(row->count == 1 && row->global_insns == 1);
    assert_int_equal(row->accesses, 3);
    assert_int_equal(row->lines, 4); /* each row ends in the line in which the next begins */
    /* in a session too, and only once */
    SCOPED_SESSION *session;
    struct sam_session_stop stop;
    unsigned before;
    sam_hart_set_pc(p.hart, SAM_HART_CODE_BASE);
    succeeds(sam_session_open_hart, p.hart, &session);
    succeeds(sam_session_snapshot, session, &before);
    for (int i = 0; i < 2; i++) {
        sam_session_run(session, NULL, &stop, &p.error);
        assert_int_equal(row_of(profile, &p, "loop")->count, 10);
        succeeds(sam_session_restore, session, before);
    }
    sam_profile_free(profile);
}

/* All cycles but those after the last instruction are attributed to one. */
TEST(profiles_of_cycles)
{
    struct sam_profile *profile = sam_profile_new();
    struct sam_engines_config config;
    struct sam_engines_report report;
    sam_engines_defaults(&config);
    struct sam_hart_options options = {
        .size = sizeof options, .profile = profile, .engines = &config};
    SCOPED(program) p = program_new(RV32, &options, profiled);
    program_expect(&p, SAM_HART_EBREAK);
    assert_true(sam_hart_engines(p.hart, &report));
    size_t count;
    uint64_t cycles = 0;
    const struct sam_profile_row *rows = sam_profile_rows(profile, &count);
    for (size_t i = 0; i < count; i++)
        cycles += rows[i].cycles[SAM_GPUTIME_BUSY];
    assert_true(cycles > 0);
    assert_int_equal(cycles, report.cycles - report.issue[SAM_ISSUE_DONE]);
    sam_profile_free(profile);
}

/* Rows of the matrix unit: separate, adjacent, descending. */
TEST(profiles_of_rows)
{
    static const struct {
        int stride;
        unsigned lines;
    } cases[] = {{64, 4}, {128, 4}, {16, 1},  {8, 1},   {0, 1},
                 {32, 2}, {-64, 4}, {-16, 2}, {1000, 5}};
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        char rows[256];
        struct sam_profile *profile = sam_profile_new();
        struct sam_hart_options options = {.size = sizeof options, .profile = profile};
        snprintf(rows, sizeof rows,
                 "li t0, 0x100404\nmcfg zero, t0\nli t1, %d\nli a0, 0x11000\n"
                 "rows: mldb m0, t1, (a0)\nebreak\n",
                 cases[i].stride);
        SCOPED(program) p = program_new("rv64im_zicsr_xmatrix", &options, rows);
        program_expect(&p, SAM_HART_EBREAK);
        const struct sam_profile_row *row = row_of(profile, &p, "rows");
        if (row->accesses != 4 || row->lines != cases[i].lines)
            fail_msg("stride %d: %llu rows, %llu lines", cases[i].stride,
                     (unsigned long long)row->accesses, (unsigned long long)row->lines);
        sam_profile_free(profile);
    }
}
