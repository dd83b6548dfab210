/* SPDX-License-Identifier: Apache-2.0 */
/* Private memory of workgroups in fewer parts than there are workgroups (options.fit_pds). */
#include "program.h"

#include "test.h"

#include "samite/session.h"

#define TABLES 0x94000000u /* per workgroup: CSR_PDS, then two words per lane */
#define GROUPS 60

/* Each lane reads the first and the last word of its private memory, writes its workgroup's
 * number + 1 to both, waits, and reads them again: the table gets two sums per lane. */
static const char text[] = "        csrr    s0, wgid\n"
                           "        csrr    s1, pds\n"
                           "        csrr    t0, numt\n"
                           "        slli    t1, t0, 3\n"
                           "        addi    t1, t1, 4\n"
                           "        mul     t1, t1, s0\n"
                           "        li      s2, 0x94000000\n"
                           "        add     s2, s2, t1\n"
                           "        sw      s1, 0(s2)\n"
                           "        lw      s3, data\n" /* offset of the last word */
                           "        vmv.v.x v1, zero\n"
                           "        vmv.v.x v2, s3\n"
                           "        vlw.v   v3, 0(v1)\n"
                           "        vlw.v   v4, 0(v2)\n"
                           "        vadd.vv v3, v3, v4\n"
                           "        addi    t2, s0, 1\n"
                           "        vmv.v.x v5, t2\n"
                           "        vsw.v   v5, 0(v1)\n"
                           "        vsw.v   v5, 0(v2)\n"
                           "        li      t3, 2000\n"
                           "1:      addi    t3, t3, -1\n"
                           "        bnez    t3, 1b\n"
                           "        vlw.v   v6, 0(v1)\n"
                           "        vlw.v   v7, 0(v2)\n"
                           "        vadd.vv v6, v6, v7\n"
                           "        addi    t4, s2, 4\n"
                           "        vse32.v v3, (t4)\n"
                           "        slli    t5, t0, 2\n"
                           "        add     t4, t4, t5\n"
                           "        vse32.v v6, (t4)\n"
                           "        endprg\n"
                           "data:   .word   0\n";

static struct program program(uint32_t lanes, uint32_t pds_size, unsigned parts)
{
    struct program p = program_new(text, lanes);
    const uint32_t room = lanes * pds_size * parts + lanes * pds_size / 2;
    p.options.size = sizeof p.options;
    p.options.fit_pds = true;
    p.launch.grid[0] = GROUPS;
    p.launch.pds_size = pds_size;
    /* not at the start of its buffer, and, if a page holds several parts, not page-aligned */
    p.launch.pds_base = 0xa0000040;
    succeeds(sam_gpu_map, p.gpu, 0xa0000000, room + 0x40);
    succeeds(sam_gpu_map, p.gpu, TABLES, GROUPS * (4 + 8 * lanes));
    program_set(&p, program_symbol(&p, "data"), pds_size - 4);
    for (uint32_t at = 0; at < room; at += 4) /* previous contents */
        program_set(&p, 0xa0000040 + at, 0xdeadbeef);
    return p;
}

static void expect_parts(struct program *p, unsigned parts)
{
    const uint32_t lanes = p->launch.lanes, group = lanes * p->launch.pds_size;
    for (uint32_t w = 0; w < GROUPS; w++) {
        const uint32_t table = TABLES + w * (4 + 8 * lanes);
        assert_int_equal(program_word(p, table), 0xa0000040 + w % parts * group);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            assert_int_equal(program_word(p, table + 4 + 4 * lane), 0);
            assert_int_equal(program_word(p, table + 4 + 4 * (lanes + lane)), 2 * (w + 1));
        }
    }
}

TEST(parts_are_used_in_turn)
{
    static const struct {
        uint32_t lanes, pds_size;
        unsigned parts;
    } cases[] = {{8, 4, 1}, {8, 8, 7}, {32, 1024, 1}, {32, 1024, 3}, {16, 256, 2}, {4, 4096, 59}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (unsigned jobs = 1; jobs <= 4; jobs += 3) {
            SCOPED(program) p = program(cases[i].lanes, cases[i].pds_size, cases[i].parts);
            p.options.jobs = jobs;
            for (int again = 0; again < 2; again++) {
                program_pass(&p);
                expect_parts(&p, cases[i].parts);
            }
        }
    }
}

/* Separate code runs under translation, and when each instruction is observed. */
TEST(other_modes)
{
    SCOPED(program) p = program(32, 512, 2);
    p.options.collect_stats = true;
    p.options.jobs = 3;
    program_pass(&p);
    expect_parts(&p, 2);
    SCOPED(program) q = program(32, 512, 2);
    q.options.jobs = 3;
    q.options.sv39 = true;
    succeeds(sam_gpu_build_sv39, q.gpu, q.image, &q.options.ptbr);
    program_pass(&q);
    expect_parts(&q, 2);
}

/* Step and run workgroups of one part in random order, with steps back to a snapshot. */
static void run_mixed(struct sam_session *session, unsigned turns, uint64_t *random, bool goes_back)
{
    unsigned snapshot = 0;
    for (unsigned turn = 0; turn < turns; turn++) {
        struct sam_step step;
        struct sam_session_stop stop;
        const uint32_t workgroup = (uint32_t)test_below(random, GROUPS);
        const struct sam_session_run run = {.size = sizeof run,
                                            .scope = SAM_SCOPE_WORKGROUP,
                                            .workgroup = workgroup,
                                            .instructions = 1 + test_below(random, 3000)};
        if (goes_back && turn % 100 == 50)
            succeeds(sam_session_snapshot, session, &snapshot);
        if (goes_back && turn % 100 == 99)
            succeeds(sam_session_restore, session, snapshot);
        if (sam_session_workgroup_state(session, workgroup) == SAM_SESSION_ENDED)
            continue;
        if (turn % 2)
            succeeds(sam_session_step, session, workgroup, 0, &step);
        else
            succeeds(sam_session_run, session, &run, &stop);
    }
}

/* After each instruction, check the private memory of another workgroup: number + 1, or 0. */
static bool look(void *context, struct sam_session *session, const struct sam_step *step)
{
    uint32_t value, other = (step->workgroup + 1) % GROUPS;
    uint64_t address;
    unsigned *seen = context;
    if (sam_session_workgroup_state(session, other) != SAM_SESSION_LIVE)
        return true;
    succeeds(sam_session_private, session, other, 0, 3, 0, &address);
    succeeds(sam_session_read, session, other, address, &value, sizeof value);
    if (value && value != other + 1)
        fail_msg("workgroup %u has %u", other, value);
    *seen += value != 0;
    return true;
}

/* In a session, workgroups that share a part are live at once. */
TEST(sessions)
{
    uint64_t random = test_seed();
    for (unsigned parts = 1; parts <= 7; parts += 3) {
        for (unsigned way = 0; way < 3; way++) {
            SCOPED(program) p = program(8, way == 1 ? 1024 : 36, parts);
            SCOPED_SESSION *session = NULL;
            unsigned seen = 0;
            succeeds(sam_gpu_set_options, p.gpu, &p.options);
            succeeds(sam_session_open, p.gpu, &p.launch, NULL, &session);
            /* 150 leave nearly all in the middle */
            run_mixed(session, way == 0 ? 150 : 600, &random, way == 2);
            if (way == 0) {
                struct sam_session_stop stop;
                const struct sam_session_run run = {
                    .size = sizeof run, .scope = SAM_SCOPE_ALL, .each = look, .context = &seen};
                succeeds(sam_session_run, session, &run, &stop);
                assert_true(seen > 0);
            }
            succeeds(sam_session_finish, session, NULL);
            expect_parts(&p, parts);
        }
    }
}

TEST(enough_room)
{
    /* as many parts as workgroups: each has its own, with its contents */
    SCOPED(program) p = program(8, 256, GROUPS);
    program_set(&p, 0xa0000040, 0);
    succeeds(sam_gpu_check_launch, p.gpu, &p.launch);
    program_pass(&p);
    for (uint32_t w = 0; w < GROUPS; w++)
        assert_int_equal(program_word(&p, TABLES + w * (4 + 8 * 8)), 0xa0000040 + w * 8 * 256);
    assert_int_equal(program_word(&p, TABLES + 4 + 4), 2 * 0xdeadbeef); /* and it is not zeroed */
}

TEST(too_little_room)
{
    SCOPED(program) p = program(8, 256, 0);
    assert_int_equal(program_run(&p), SAM_ERR_USAGE);
    assert_string_equal(p.error.text,
                        "0x400 bytes of private memory at 0xa0000040: a workgroup needs 0x800");
    assert_int_equal(sam_gpu_check_launch(p.gpu, &p.launch, &p.error), SAM_ERR_USAGE);
    /* no buffer, or a size of 0: the kernel may need none */
    p.launch.pds_base = 0xb0000000;
    succeeds(sam_gpu_check_launch, p.gpu, &p.launch);
    program_trap(&p, SAM_TRAP_LOAD_FAULT);
    p.launch.pds_base = 0xa0000040;
    p.launch.pds_size = 0;
    succeeds(sam_gpu_check_launch, p.gpu, &p.launch);
}

/* More workgroups than fit into 2^30 bytes: each finds zeros in its part and counts itself;
 * without the option there is no room, nor is there for one workgroup that is larger. */
TEST(prepared_launches_share_parts)
{
    enum { COUNT = 0x94000000, MANY = 34000 };
    SCOPED(program) p = program_new(".globl kernel\n"
                                    "_start: vmv.v.i v1, 0\n"
                                    "vlw.v v2, 1020(v1)\nvlw.v v3, 0(v1)\nvor.vv v2, v2, v3\n"
                                    "li t0, -1\nvmv.v.x v3, t0\n"
                                    "vsw.v v3, 1020(v1)\nvsw.v v3, 0(v1)\n"
                                    "setrpc t0, 1f\nvbeq v1, v2, 1f\n.word 0\n1: join\n"
                                    "li t0, 0x94000000\nli t1, 1\namoadd.w zero, t1, (t0)\n"
                                    "kernel: endprg\n",
                                    32);
    struct sam_kernel kernel = {
        .name = "kernel", .grid = {MANY, 1, 1}, .block = {64, 1, 1}, .pds_size = 1021};
    p.options.size = sizeof p.options;
    p.options.jobs = 2;
    succeeds(sam_gpu_map, p.gpu, COUNT, 4);
    succeeds(sam_gpu_set_options, p.gpu, &p.options);
    must_fail(SAM_ERR_USAGE, "private memory of 1024 bytes per thread (--pds-size)",
              sam_gpu_prepare, p.gpu, p.image, &kernel, &p.launch);
    p.options.fit_pds = true;
    succeeds(sam_gpu_set_options, p.gpu, &p.options);
    succeeds(sam_gpu_prepare, p.gpu, p.image, &kernel, &p.launch);
    program_pass(&p);
    assert_int_equal(program_word(&p, COUNT), 2 * MANY);
    /* one part, alternating between two workgroups; and a workgroup larger than every part */
    kernel.grid[0] = 2;
    kernel.block[0] = 1024;
    kernel.pds_size = 1 << 20;
    succeeds(sam_gpu_prepare, p.gpu, p.image, &kernel, &p.launch);
    program_pass(&p);
    assert_int_equal(program_word(&p, COUNT), 2 * MANY + 2 * 32);
    kernel.pds_size += 4;
    must_fail(SAM_ERR_USAGE, "--pds-size", sam_gpu_prepare, p.gpu, p.image, &kernel, &p.launch);
}

TEST(impossible_launches)
{
    SCOPED(program) p = program(8, 256, 1);
    p.launch.lanes = 7;
    assert_int_equal(sam_gpu_check_launch(p.gpu, &p.launch, &p.error), SAM_ERR_USAGE);
    p.launch.lanes = 8;
    p.launch.grid[1] = 0;
    assert_int_equal(sam_gpu_check_launch(p.gpu, &p.launch, &p.error), SAM_ERR_USAGE);
    p.launch.grid[1] = 1;
    p.launch.warps = 1025;
    assert_int_equal(sam_gpu_check_launch(p.gpu, &p.launch, &p.error), SAM_ERR_USAGE);
}

/* The kernel's name comes from the entry in the metadata buffer. */
TEST(kernel_symbols)
{
    SCOPED(program) p = program_new("first: nop\nsecond: endprg\n", 8);
    assert_null(sam_gpu_find_kernel(p.gpu, &p.launch));
    program_set(&p, KERNEL, program_symbol(&p, "second"));
    assert_string_equal(sam_gpu_find_kernel(p.gpu, &p.launch)->name, "second");
    program_set(&p, KERNEL, program_symbol(&p, "second") + 4);
    assert_null(sam_gpu_find_kernel(p.gpu, &p.launch));
    p.launch.metadata = 0;
    assert_null(sam_gpu_find_kernel(p.gpu, &p.launch));
    p.launch.metadata = KERNEL;
    p.launch.image = NULL;
    assert_null(sam_gpu_find_kernel(p.gpu, &p.launch));
}
