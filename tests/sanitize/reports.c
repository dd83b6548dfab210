/* SPDX-License-Identifier: Apache-2.0 */
/* Findings over several launches, and their reports. Individual findings: findings.txt. */

#include "test.h"

#include "samite/session.h"
#include "watched.h"

static struct watched run_with(const char *text, uint32_t warps)
{
    struct watched run = watched_new(text, SAM_SANITIZE_RACE | SAM_SANITIZE_SYNC);
    run.p.launch.warps = warps;
    watched_run(&run);
    return run;
}

TEST(launches_are_ordered)
{
    SCOPED(watched) run = run_with(START "sw s2, 0(s1)\nlw t0, 0(s0)\nsw t0, 4(s0)\n" END, 1);
    assert_int_equal(run.count, 0);
    program_pass(&run.p);
    sam_sanitizer_findings(run.sanitizer, &run.count);
    assert_int_equal(run.count, 0);
}

TEST(findings_name_who_and_where)
{
    static const char text[] =
        START "li t0, 1\nbnez s2, 1f\nvmv.v.i v5, 1\nvsw12.v v5, 0(v3)\nj 2f\n"
              "1: li t1, 3\nbne s2, t1, 2f\nlw t2, 12(s0)\n2:\n" END;
    SCOPED(watched) run = run_with(text, 4);
    const struct sam_sanitizer_buffer buffer = {.base = DATA, .size = 64, .name = "x"};
    char place[64], *report;
    assert_int_equal(run.count, 1);
    const struct sam_finding *f = run.findings;
    assert_int_equal(f->check, SAM_SANITIZE_RACE);
    assert_int_equal(f->address, DATA + 12);
    assert_int_equal(f->size, 4);
    assert_int_equal(f->sides[0].warp, 3);
    assert_int_equal(f->sides[0].lane, UINT32_MAX);
    assert_int_equal(f->sides[0].access, SAM_FINDING_LOAD);
    assert_int_equal(f->sides[1].warp, 0);
    assert_int_equal(f->sides[1].lane, 3);
    assert_int_equal(f->sides[1].access, SAM_FINDING_STORE);
    sam_sanitizer_place(run.sanitizer, f, place, sizeof place);
    assert_string_equal(place, "global memory");
    succeeds(sam_sanitizer_add_buffer, run.sanitizer, &buffer);
    sam_sanitizer_place(run.sanitizer, f, place, sizeof place);
    assert_string_equal(place, "buffer x+0xc");
    succeeds(sam_sanitizer_print, run.sanitizer, NULL, &report);
    assert_string_equal(
        report, "race: race between warps of a workgroup: 4 bytes at 0x9000000c, buffer x+0xc\n"
                "  load by workgroup 0, warp 3: pc 0x8000003c lw t2, 12(s0)\n"
                "  store by workgroup 0, warp 0, lane 3: pc 0x8000002c vsw12.v v5, "
                "0(v3)\n");
    sam_text_free(report);
    sam_sanitizer_forget(run.sanitizer);
    sam_sanitizer_findings(run.sanitizer, &run.count);
    assert_int_equal(run.count, 0);
    program_pass(&run.p); /* and it is found again */
    sam_sanitizer_findings(run.sanitizer, &run.count);
    assert_int_equal(run.count, 1);
}

/* 30 places store to the same word: the first is found with each of the others. */
TEST(a_report_has_twenty_findings_of_a_check)
{
    char text[4096] = START "addi t0, s2, 1\n";
    for (int i = 0; i < 30; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "sw s2, %d(s1)\n", 4 * i);
    strcat(text, END);
    SCOPED(watched) run = run_with(text, 2);
    SCOPED_TEXT *report;
    assert_int_equal(run.count, 30);
    succeeds(sam_sanitizer_print, run.sanitizer, NULL, &report);
    unsigned shown = 0;
    for (const char *at = report; (at = strstr(at, "race: race in")); at++)
        shown++;
    assert_int_equal(shown, 20);
    assert_non_null(strstr(report, "\nrace: 10 more findings\n"));
}

/* An output keeps its state from launches and host writes. */
TEST(outputs_last)
{
    static const char text[] = START "b: lw t0, 0(s0)\na: sw t0, 256(s0)\nsw zero, 4(s0)\n" END;
    const struct sam_sanitizer_buffer out = {
        .base = DATA, .size = DATA_SIZE, .name = "out", .output = true};
    SCOPED(watched) run = watched_new(text, SAM_SANITIZE_INIT);
    succeeds(sam_sanitizer_add_buffer, run.sanitizer, &out);
    watched_run(&run);
    assert_int_equal(run.count, 1);
    assert_int_equal(run.findings[0].kind, SAM_FINDING_INIT_STORE);
    assert_true(watched_is_at(&run, run.findings, "a", "b"));
    assert_true(run.findings[0].used.file == 'x' && run.findings[0].used.number == 5);
    assert_int_equal(run.findings[0].unwritten.file, 0);
    assert_int_equal(run.findings[0].address, DATA);
    sam_sanitizer_forget(run.sanitizer);
    /* stored words are defined now: word 1, and the copy of word 0 since it was reported */
    succeeds(sam_sanitizer_check_memory, run.sanitizer, DATA + 4, 4);
    succeeds(sam_sanitizer_check_memory, run.sanitizer, DATA + 256, 4);
    sam_sanitizer_findings(run.sanitizer, &run.count);
    assert_int_equal(run.count, 0);
    succeeds(sam_sanitizer_check_memory, run.sanitizer, DATA + 4, DATA_SIZE - 4);
    run.findings = sam_sanitizer_findings(run.sanitizer, &run.count);
    assert_int_equal(run.count, 1);
    assert_int_equal(run.findings[0].kind, SAM_FINDING_INIT_CHECK);
    assert_int_equal(run.findings[0].address, DATA + 8);
    sam_sanitizer_forget(run.sanitizer);
    program_set(&run.p, DATA, 0);
    watched_run(&run);
    assert_int_equal(run.count, 0);
    /* declared again, it is undefined again; without its buffer there is nothing to report */
    succeeds(sam_sanitizer_add_buffer, run.sanitizer, &out);
    watched_run(&run);
    assert_int_equal(run.count, 1);
    sam_sanitizer_forget(run.sanitizer);
    succeeds(sam_sanitizer_add_buffer, run.sanitizer, &out);
    succeeds(sam_gpu_unmap, run.p.gpu, DATA);
    succeeds(sam_gpu_map, run.p.gpu, DATA, DATA_SIZE);
    watched_run(&run);
    assert_int_equal(run.count, 0);
}

/* Sessions do not support a sanitizer. */
TEST(no_session_with_a_sanitizer)
{
    SCOPED(program) p = program_new(END, 4);
    struct sam_session *session = NULL;
    struct sam_sanitizer *sanitizer = sam_sanitizer_new(SAM_SANITIZE_RACE);
    SCOPED_TEXT *text;
    succeeds(sam_sanitizer_print, sanitizer, NULL, &text);
    assert_string_equal(text, "");
    p.options = (struct sam_gpu_options){.size = sizeof p.options, .sanitizer = sanitizer};
    succeeds(sam_gpu_set_options, p.gpu, &p.options);
    must_refuse(sam_session_open(p.gpu, &p.launch, NULL, &session, &p.error), &p.error,
                "sanitizer");
    assert_null(session);
    sam_sanitizer_free(sanitizer);
}
