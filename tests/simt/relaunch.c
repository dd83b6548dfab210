/* SPDX-License-Identifier: Apache-2.0 */
/* Launches one after another, on one worker and on several: kept code is decoded again once its
 * words, or their buffers, change; the same threads serve launches of all sizes. */
#include "program.h"

#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#include "samite/session.h"

static const unsigned all_jobs[] = {1, 2, 4};

#define GROUPS 24u

/* Without its print buffer, so that workers need not keep an order; GROUPS workgroups. */
static struct program many_groups(const char *text, unsigned jobs)
{
    struct program p = program_new(text, 8);
    p.options.jobs = jobs;
    p.launch.grid[0] = GROUPS;
    program_set(&p, KERNEL + 48, 0);
    program_set(&p, KERNEL + 52, 0);
    return p;
}

/* Each workgroup has stored this word. */
static void expect_all(struct program *p, uint32_t word)
{
    for (uint32_t i = 0; i < GROUPS; i++)
        assert_int_equal(program_word(p, DATA + 4 * i), word);
    for (uint32_t i = 0; i < GROUPS; i++)
        program_set(p, DATA + 4 * i, 0);
}

/* addi t3, zero, `value` */
static uint32_t li_t3(uint32_t value)
{
    return value << 20 | 28 << 7 | 0x13;
}

#define STORE_T3                                                                                   \
    "        li      t0, 0x90000000\n"                                                             \
    "        csrr    t1, gdx\n"                                                                    \
    "        slli    t1, t1, 2\n"                                                                  \
    "        add     t0, t0, t1\n"                                                                 \
    "        sw      t3, 0(t0)\n"                                                                  \
    "        endprg\n"

TEST(rewritten_by_host)
{
    for (size_t k = 0; k < SAM_COUNT(all_jobs); k++) {
        SCOPED(program) p = many_groups("here: addi t3, zero, 1\n" STORE_T3, all_jobs[k]);
        const uint32_t here = program_symbol(&p, "here");
        for (uint32_t i = 1; i < 30; i++) {
            program_set(&p, here, li_t3(i / 2)); /* alternating with the original */
            p.options.jobs = i % 7 ? all_jobs[k] : 1;
            program_pass(&p);
            expect_all(&p, i / 2);
        }
    }
}

/* Every workgroup of a launch stores the same word of code. */
TEST(rewritten_by_kernel)
{
    for (size_t k = 0; k < SAM_COUNT(all_jobs); k++) {
        SCOPED(program) p = many_groups("        li      t0, 0x90001000\n"
                                        "        lw      t1, 0(t0)\n"
                                        "        lw      t2, 4(t0)\n"
                                        "        beqz    t2, here\n"
                                        "        sw      t1, 0(t2)\n"
                                        "        endprg\n"
                                        "here:   addi    t3, zero, 1\n" STORE_T3,
                                        all_jobs[k]);
        const uint32_t here = program_symbol(&p, "here");
        for (uint32_t i = 1; i < 20; i++) {
            program_set(&p, DATA + 0x1000, li_t3(i));
            program_set(&p, DATA + 0x1004, here);
            program_pass(&p);
            program_set(&p, DATA + 0x1004, 0);
            program_pass(&p);
            expect_all(&p, i);
        }
    }
}

/* Workgroup 0 changes a word of code, has another worker decode it, and restores it: memory ends
 * as it was at the start of the launch, but the decoded code is stale. */
TEST(rewritten_for_a_while)
{
    for (size_t k = 1; k < SAM_COUNT(all_jobs); k++) {
        SCOPED(program) p =
            many_groups("        li      s0, 0x90001000\n"
                        "        lw      s1, 0(s0)\n"
                        "        addi    s2, s0, 8\n"
                        "        addi    s3, s0, 12\n"
                        "        li      s4, 1\n"
                        "        csrr    t1, gdx\n"
                        "        beqz    s1, plain\n"
                        "        bnez    t1, other\n"
                        "        la      t2, here\n"
                        "        lw      t4, 0(t2)\n"
                        "        lw      t5, 4(s0)\n"
                        "        sw      t5, 0(t2)\n"
                        "        amoswap.w zero, s4, (s2)\n"
                        "wait:   amoor.w t6, zero, (s3)\n"
                        "        beqz    t6, wait\n"
                        "        sw      t4, 0(t2)\n"
                        "        endprg\n"
                        "other:  amoor.w t6, zero, (s2)\n"
                        "        beqz    t6, other\n"
                        "        jal     here\n"
                        "        amoswap.w zero, s4, (s3)\n"
                        "        endprg\n"
                        "plain:  jal     here\n" STORE_T3 "here:   addi    t3, zero, 1\n"
                        "        ret\n",
                        all_jobs[k]);
        p.options.max_insns = UINT64_C(1) << 40; /* the other worker may start late */
        for (uint32_t i = 2; i < 10; i++) {
            const uint32_t exchange[] = {1, li_t3(i), 0, 0};
            for (uint32_t word = 0; word < SAM_COUNT(exchange); word++)
                program_set(&p, DATA + 0x1000 + 4 * word, exchange[word]);
            program_pass(&p);
            program_set(&p, DATA + 0x1000, 0);
            program_pass(&p);
            expect_all(&p, 1);
        }
    }
}

/* The first word of a page is a new second half of the prefixed instruction at the end of the
 * page before. */
TEST(rewritten_after_prefix)
{
    for (size_t k = 0; k < SAM_COUNT(all_jobs); k++) {
        SCOPED(program) p = many_groups("        j       here\n"
                                        "        .balign 4096\n"
                                        "        .skip   4092\n"
                                        "here:   regexti x0, x0, 0\n"
                                        "there:  vadd.vi v1, v2, 1\n"
                                        "        vmv.x.s t3, v1\n" STORE_T3,
                                        all_jobs[k]);
        const uint32_t there = program_symbol(&p, "there"), word = program_word(&p, there);
        assert_int_equal(there % 4096, 0);
        for (uint32_t i = 1; i < 16; i++) {
            program_set(&p, there,
                        (word & ~(UINT32_C(31) << 15)) | i << 15); /* vadd.vi v1, v2, i */
            program_pass(&p);
            expect_all(&p, i);
        }
    }
}

/* A prefix at the end of a buffer, which traps until the buffer has the next instruction. */
TEST(prefix_at_end)
{
    for (size_t k = 0; k < SAM_COUNT(all_jobs); k++) {
        SCOPED(program) p = many_groups("        li      t0, 0x94000000\n"
                                        "        jr      t0\n"
                                        "code:   regexti x0, x0, 1\n" /* another destination */
                                        "        vadd.vi v1, v2, 5\n"
                                        "        vmv.x.s t3, v1\n" STORE_T3,
                                        all_jobs[k]);
        uint32_t words[9];
        assert_int_equal(sam_gpu_read(p.gpu, program_symbol(&p, "code"), words, sizeof words, NULL),
                         SAM_OK);
        for (int round = 0; round < 3; round++) {
            for (uint32_t count = 1; count < 10; count += 8) {
                assert_int_equal(sam_gpu_map(p.gpu, 0x94000000, 4 * count, NULL), SAM_OK);
                assert_int_equal(sam_gpu_write(p.gpu, 0x94000000, words, 4 * count, NULL), SAM_OK);
                for (uint32_t i = 0; i < GROUPS; i++)
                    program_set(&p, DATA + 4 * i, 7);
                if (count == 1)
                    program_trap(&p, SAM_TRAP_FETCH);
                else
                    program_pass(&p);
                expect_all(&p, count == 1 ? 7 : 0);
                assert_int_equal(sam_gpu_unmap(p.gpu, 0x94000000, NULL), SAM_OK);
            }
        }
    }
}

/* Code in a buffer smaller than a page, adjacent to another buffer, that is mapped, unmapped and
 * split. */
TEST(other_buffers)
{
    for (size_t k = 0; k < SAM_COUNT(all_jobs); k++) {
        SCOPED(program) p = many_groups("        li      t0, 0x94000100\n"
                                        "        jr      t0\n",
                                        all_jobs[k]);
        SCOPED(program) code = program_new("        li      t3, 9\n" STORE_T3, 8);
        uint32_t words[8];
        assert_true(code.image->sections[0].data_size <= sizeof words);
        const uint32_t size = (uint32_t)code.image->sections[0].data_size;
        memcpy(words, code.image->sections[0].data, size);
        succeeds(sam_gpu_map, p.gpu, 0x94000000, 0x100);
        for (int round = 0; round < 6; round++) {
            program_trap(&p, SAM_TRAP_FETCH);
            assert_int_equal(p.result.trap.tval, 0x94000100);
            succeeds(sam_gpu_map, p.gpu, 0x94000100, size);
            succeeds(sam_gpu_write, p.gpu, 0x94000100, words, size);
            program_pass(&p);
            program_pass(&p);
            expect_all(&p, 9);
            /* the same bytes, but the last instruction now spans two buffers */
            succeeds(sam_gpu_unmap, p.gpu, 0x94000100);
            for (uint32_t at = 0, part = size - 2; at < size; at += part, part = 2) {
                const uint8_t *bytes = (const uint8_t *)words + at;
                succeeds(sam_gpu_map, p.gpu, 0x94000100 + at, part);
                succeeds(sam_gpu_write, p.gpu, 0x94000100 + at, bytes, part);
            }
            program_trap(&p, SAM_TRAP_FETCH);
            assert_int_equal(p.result.trap.tval, 0x94000100 + size - 4);
            succeeds(sam_gpu_unmap, p.gpu, 0x94000100 + size - 2);
            succeeds(sam_gpu_unmap, p.gpu, 0x94000100);
        }
    }
}

/* Any numbers of workgroups and workers in sequence; structures prepared for more or fewer. */
TEST(other_sizes)
{
    SCOPED(program) p = many_groups("        csrr    t3, wid\n"
                                    "        addi    t3, t3, 1\n" STORE_T3,
                                    1);
    for (uint32_t i = 0; i < 400; i++) {
        const uint32_t groups = 1 + i * 7 % GROUPS;
        p.options.jobs = i / 40 % 3 ? 1 + i * 5 % 7 : 3;
        p.launch.grid[0] = groups;
        p.launch.warps = 1 + i % 11;
        program_pass(&p);
        assert_int_equal(p.result.stats.workgroups, groups);
        assert_int_equal(p.result.stats.warps, groups * p.launch.warps);
        for (uint32_t k = 0; k < GROUPS; k++) {
            const uint32_t last = program_word(&p, DATA + 4 * k);
            assert_true(k < groups ? last >= 1 && last <= p.launch.warps : last == 0);
            program_set(&p, DATA + 4 * k, 0);
        }
    }
}

/* Statistics and profiles include all workers, also those that started too late to run anything. */
TEST(counted)
{
    for (size_t k = 0; k < SAM_COUNT(all_jobs); k++) {
        SCOPED(program) p = many_groups("        li      t3, 1\n" STORE_T3, all_jobs[k]);
        for (uint32_t i = 0; i < 30; i++) {
            p.options.collect_stats = i % 3 == 1;
            program_pass(&p);
            assert_int_equal(p.result.stats.warp_insns, GROUPS * 7);
            assert_int_equal(p.result.stats.lane_insns, p.options.collect_stats ? GROUPS * 7 : 0);
            expect_all(&p, 1);
        }
    }
}

/* A prepared launch is not binding: others may be prepared before it runs, options change,
 * buffers are mapped, and some prepared launches never run. */
TEST(prepared)
{
    struct program p = many_groups("here:   li      t3, 1\n" STORE_T3, 1);
    p.options.max_insns = 1000000;
    for (uint32_t i = 0; i < 60; i++) {
        struct sam_launch launches[3];
        for (uint32_t k = 0; k < SAM_COUNT(launches); k++) {
            const struct sam_kernel kernel = {.name = "here",
                                              .grid = {k == 1 ? 1 + i % GROUPS : GROUPS, 1, 1},
                                              .block = {8 * (1 + (i + k) * 5 % 13), 1, 1},
                                              .lanes = 8,
                                              .pds_size = 4};
            p.options.jobs = 1 + (i + k) * 3 % 5;
            p.options.collect_stats = i % 4 == 3 && k == 2;
            p.options.loose_bounds = i % 5 == 4 && k == 1;
            succeeds(sam_gpu_set_options, p.gpu, &p.options);
            succeeds(sam_gpu_prepare, p.gpu, p.image, &kernel, &launches[k]);
        }
        for (uint32_t k = i % 2; k < SAM_COUNT(launches); k += 2) {
            struct sam_gpu_result result;
            succeeds(sam_gpu_launch, p.gpu, &launches[k], &result);
            assert_int_equal(result.stats.workgroups, launches[k].grid[0]);
            assert_int_equal(result.stats.warp_insns, 7 * launches[k].warps * launches[k].grid[0]);
            sam_gpu_result_free(&result);
            for (uint32_t group = 0; group < GROUPS; group++) {
                assert_int_equal(program_word(&p, DATA + 4 * group), group < launches[k].grid[0]);
                program_set(&p, DATA + 4 * group, 0);
            }
        }
    }
    program_free(&p);
    /* a gpu that has only prepared a launch */
    for (size_t k = 0; k < SAM_COUNT(all_jobs); k++) {
        const struct sam_kernel kernel = {.name = "here", .grid = {9, 1, 1}, .block = {64, 1, 1}};
        p = many_groups("here:   endprg\n", all_jobs[k]);
        succeeds(sam_gpu_set_options, p.gpu, &p.options);
        succeeds(sam_gpu_prepare, p.gpu, p.image, &kernel, &p.launch);
        program_free(&p);
    }
}

/* Launches and sessions of one program with alternating warp widths: words are loaded and stored
 * for the existing lanes, whatever the last launch had, in line or with one lane, `far`, at
 * another word. */
TEST(widths)
{
    enum { WORDS = 64 };
    SCOPED(program) p = many_groups("here:   li      t0, 0x90000000\n"
                                    "        li      t1, 0x90000100\n"
                                    "        li      t2, 0x90000200\n"
                                    "        li      t3, 0x90000300\n"
                                    "        vle32.v v1, (t3)\n"
                                    "        vadd.vx v2, v1, t0\n"
                                    "        vadd.vx v3, v1, t1\n"
                                    "        vmv.v.i v4, 0\n"
                                    "        vlw12.v v5, 0(v2)\n"
                                    "        vsw.v   v5, 4(v4)\n"
                                    "        vsw12.v v5, 0(v3)\n"
                                    "        vle32.v v6, (t1)\n"
                                    "        vlw.v   v7, 4(v4)\n"
                                    "        vadd.vv v6, v6, v7\n"
                                    "        vse32.v v6, (t2)\n"
                                    "        endprg\n",
                                    1);
    for (uint32_t turn = 0; turn < 400; turn++) {
        const uint32_t lanes = 4u << (turn * 7 + turn / 4) % 4;
        const uint32_t far = turn * 5 % (lanes + lanes / 4); /* none of them: all are in line */
        const struct sam_kernel kernel = {.name = "here",
                                          .block = {lanes, 1, 1},
                                          .grid = {1, 1, 1},
                                          .lanes = lanes,
                                          .pds_size = 8};
        for (uint32_t i = 0; i < 3 * WORDS; i++)
            program_set(&p, DATA + 4 * i, i < WORDS ? i + 100 * turn : UINT32_MAX);
        for (uint32_t i = 0; i < lanes; i++)
            program_set(&p, DATA + 0x300 + 4 * i, 4 * (i == far ? WORDS - 1 : i));
        p.options.jobs = 1 + turn / 3 % 2;
        p.options.collect_stats = turn % 5 == 4;
        succeeds(sam_gpu_set_options, p.gpu, &p.options);
        succeeds(sam_gpu_prepare, p.gpu, p.image, &kernel, &p.launch);
        if (turn % 3 == 2) {
            SCOPED_SESSION *session;
            succeeds(sam_session_open, p.gpu, &p.launch, NULL, &session);
            succeeds(sam_session_run, session, NULL, NULL);
        } else {
            succeeds(sam_gpu_launch, p.gpu, &p.launch, NULL);
        }
        for (uint32_t i = 0; i < WORDS; i++) {
            const bool stored = i == WORDS - 1 ? far < lanes : i < lanes && i != far;
            const uint32_t out = stored ? i + 100 * turn : UINT32_MAX;
            const uint32_t loaded = (i == far ? WORDS - 1 : i) + 100 * turn;
            assert_int_equal(program_word(&p, DATA + 4 * (WORDS + i)), out);
            assert_int_equal(program_word(&p, DATA + 4 * (2 * WORDS + i)),
                             i < lanes ? out + loaded : UINT32_MAX);
        }
    }
}

static void run_groups(struct program *p)
{
    program_pass(p);
    expect_all(p, 1);
}

/* A forked process has none of the threads: it launches with its own. Another child frees the
 * gpu at once. */
TEST(forked)
{
    for (size_t k = 0; k < SAM_COUNT(all_jobs); k++) {
        struct program p = many_groups("        li      t3, 1\n" STORE_T3, all_jobs[k]);
        for (int turn = 0; turn < 4; turn++) {
            if (turn != 1)
                run_groups(&p);
            fflush(stdout);
            const pid_t child = fork();
            assert_true(child >= 0);
            if (child == 0) {
                alarm(300); /* instead of waiting for ever */
                for (int i = 0; i < turn; i++)
                    run_groups(&p);
                program_free(&p);
                _exit(0);
            }
            int status = -1;
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_int_equal(status, 0);
        }
        run_groups(&p);
        program_free(&p);
    }
}

static void stop_at_last(void *context, const struct sam_gpu_progress *progress)
{
    *(volatile int *)context = progress->done == GROUPS - 1;
}

/* One workgroup never ends; the threads that ran the others are idle when it runs out of budget
 * or the launch is stopped, and serve the next one. */
TEST(ended_while_others_wait)
{
    for (size_t k = 0; k < SAM_COUNT(all_jobs); k++) {
        volatile int stop = 0;
        SCOPED(program) p = many_groups("        li      t0, 0x90001000\n"
                                        "        lw      t1, 0(t0)\n"
                                        "        csrr    t2, gdx\n"
                                        "loop:   beq     t1, t2, loop\n"
                                        "        li      t3, 1\n" STORE_T3,
                                        all_jobs[k]);
        for (uint32_t i = 0; i < 8; i++) {
            const bool stopped = i % 2;
            p.options.progress = stopped ? stop_at_last : NULL;
            p.options.progress_context = (void *)&stop;
            p.options.stop = stopped ? &stop : NULL;
            p.options.max_insns = stopped ? UINT64_C(1) << 40 : 10000000;
            program_set(&p, DATA + 0x1000, GROUPS - 1);
            if (!stopped)
                program_trap(&p, SAM_TRAP_BUDGET);
            else
                assert_int_equal(program_run(&p), SAM_ERR_STOPPED);
            program_set(&p, DATA + 0x1000, GROUPS);
            p.options.stop = NULL;
            p.options.progress = NULL;
            program_pass(&p);
            expect_all(&p, 1);
        }
    }
}
