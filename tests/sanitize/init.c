/* SPDX-License-Identifier: Apache-2.0 */
/* What counts as a use of what nothing has written, and what does not, in small programs. The
 * instruction that uses it is labelled `a`, the one that loads it from memory `b`. */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "must.h"
#include "watched.h"

static bool is_register(struct sam_finding_register reg, const char *name)
{
    char text[8];
    snprintf(text, sizeof text, "%c%u", reg.file, reg.number);
    return reg.file ? name && strcmp(text, name) == 0 : !name;
}

/* One finding: at `a`, of memory loaded at `b` when `unwritten` is NULL. */
static void expect_in(struct watched *run, const char *text, enum sam_finding_kind kind,
                      const char *used, const char *unwritten)
{
    watched_run(run);
    if (run->count != 1)
        fail_msg("%zu findings:\n%s", run->count, text);
    const struct sam_finding *f = run->findings;
    assert_string_equal(sam_finding_kind_name(f->kind), sam_finding_kind_name(kind));
    if (!watched_is_at(run, f, "a", unwritten ? NULL : "b"))
        fail_msg("pc 0x%x and 0x%x:\n%s", f->sides[0].pc, f->sides[1].pc, text);
    if (!is_register(f->used, used) || !is_register(f->unwritten, unwritten))
        fail_msg("%c%u from %c%u:\n%s", f->used.file, f->used.number, f->unwritten.file,
                 f->unwritten.number, text);
}

static void expect(const char *text, enum sam_finding_kind kind, const char *used,
                   const char *unwritten)
{
    struct watched run = watched_new(text, SAM_SANITIZE_INIT);
    expect_in(&run, text, kind, used, unwritten);
    watched_free(&run);
}

static void expect_none(const char *text)
{
    struct watched run = watched_new(text, SAM_SANITIZE_INIT);
    watched_run(&run);
    if (run.p.result.trap.kind != SAM_TRAP_NONE)
        fail_msg("%s\n%s", run.p.error.text, text);
    if (run.count)
        fail_msg("%s:\n%s", sam_finding_kind_name(run.findings[0].kind), text);
    watched_free(&run);
}

/* Registers that nothing has written are zero, so that programs go on. */
TEST(what_is_a_use)
{
    expect(START "add t1, s0, t2\na: lw t0, 0(t1)\n" END, SAM_FINDING_INIT_ADDRESS, "x6", "x7");
    expect(START "add t1, s0, t2\na: sw zero, 0(t1)\n" END, SAM_FINDING_INIT_ADDRESS, "x6", "x7");
    expect(START "a: vle32.v v5, (t1)\n" END, SAM_FINDING_INIT_ADDRESS, "x6", "x6");
    expect(START "a: vlse32.v v5, (s0), t2\n" END, SAM_FINDING_INIT_ADDRESS, "x7", "x7");
    expect(START "a: vluxei32.v v5, (s0), v9\n" END, SAM_FINDING_INIT_ADDRESS, "v9", "v9");
    expect(START "vadd.vv v3, v3, v9\na: vlw12.v v5, 0(v3)\n" END, SAM_FINDING_INIT_ADDRESS, "v3",
           "v9");
    expect(START "a: vsw.v v1, 0(v9)\n" END, SAM_FINDING_INIT_ADDRESS, "v9", "v9");
    expect(START "add t1, s0, t2\na: amoadd.w t0, s0, (t1)\n" END, SAM_FINDING_INIT_ADDRESS, "x6",
           "x7");
    expect(START "a: beqz t2, 1f\n1:\n" END, SAM_FINDING_INIT_BRANCH, "x7", "x7");
    expect(START "lla t0, 1f\nsetrpc zero, t0, 0\na: vblt v1, v9, 1f\n1: join\n" END,
           SAM_FINDING_INIT_BRANCH, "v9", "v9");
    expect(START "lla t0, 1f\nadd t0, t0, t2\na: jr t0\n1:\n" END, SAM_FINDING_INIT_TARGET, "x5",
           "x7");
    expect(START "a: setrpc t0, t2, 0\n" END, SAM_FINDING_INIT_TARGET, "x7", "x7");
    expect(START "a: vadd.vi v5, v1, 1, v0.t\n" END, SAM_FINDING_INIT_MASK, "v0", "v0");
    expect(START "a: csrw mscratch, t2\n" END, SAM_FINDING_INIT_CONTROL, "x7", "x7");
    expect(START "a: vsetvli t0, t2, e32, m1\n" END, SAM_FINDING_INIT_CONTROL, "x7", "x7");
    expect(START "a: sw t2, 0(s0)\n" END, SAM_FINDING_INIT_STORE, "x7", "x7");
    expect(START "a: sb t2, 1(s0)\n" END, SAM_FINDING_INIT_STORE, "x7", "x7");
    expect(START "a: vsw12.v v9, 0(v3)\n" END, SAM_FINDING_INIT_STORE, "v9", "v9");
    expect(START "a: vse32.v v9, (s0)\n" END, SAM_FINDING_INIT_STORE, "v9", "v9");
    expect(START "a: amoadd.w zero, t2, (s0)\n" END, SAM_FINDING_INIT_STORE, "x7", "x7");
    expect(START "lw t0, 0(s1)\nb: lw t0, 4(s1)\na: sw t0, 0(s0)\n" END, SAM_FINDING_INIT_STORE,
           "x5", NULL);
    expect(START "li t0, 32\nvmv.v.x v5, t0\nb: vlw.v v6, 0(v5)\na: vsw12.v v6, 0(v3)\n" END,
           SAM_FINDING_INIT_STORE, "v6", NULL);
}

/* It is told once: what has been reported counts as defined. */
TEST(a_use_is_told_once)
{
    expect(START "a: beqz t2, 1f\n1: sw t2, 0(s0)\nbnez t2, 1b\n" END, SAM_FINDING_INIT_BRANCH,
           "x7", "x7");
    expect(START "a: vsw12.v v9, 0(v3)\nvlw12.v v5, 0(v3)\nvsw12.v v9, 16(v3)\n" END,
           SAM_FINDING_INIT_STORE, "v9", "v9");
    struct watched run =
        watched_new(START "li t3, 3\n1: mv t0, t2\na: sw t0, 0(s0)\naddi t3, t3, -1\n"
                          "bnez t3, 1b\n" END,
                    SAM_SANITIZE_INIT);
    watched_run(&run);
    assert_int_equal(run.count, 1);
    assert_int_equal(run.findings[0].count, 3); /* t2 itself was not used */
    watched_free(&run);
}

TEST(copies_and_what_is_known_are_no_uses)
{
    /* copies, spills to local and to private memory, and arithmetic */
    expect_none(START
                "mv t0, t2\nsw t0, 8(s1)\nlw t1, 8(s1)\nadd t1, t1, s0\nmul t1, t1, t1\n" END);
    /* times a defined zero, and with one; times 4 the lower two bits */
    expect_none(START "mul t0, t0, zero\nsw t0, 0(s0)\nvmul.vx v5, v5, zero\nvsw12.v v5, 0(v3)\n"
                      "vmv.v.i v7, 0\nvmul.vv v8, v7, v6\nvand.vv v9, v6, v7\nvor.vv v8, v8, v9\n"
                      "vsw12.v v8, 0(v3)\nli t1, 4\nmul t2, t2, t1\nandi t2, t2, 3\n"
                      "beqz t2, 1f\n1:\n" END);
    expect_none(START "vmv.v.i v5, 8\nvsw.v v9, 0(v5)\nvlw.v v6, 0(v5)\nvfadd.vv v6, v6, v1\n"
                      "vmerge.vvm v7, v6, v1, v0\n" END);
    /* a register is cleared with itself */
    expect_none(START "xor t2, t2, t2\nsw t2, 0(s0)\nsub t1, t1, t1\nsw t1, 0(s0)\n"
                      "vxor.vv v9, v9, v9\nvsub.vv v8, v8, v8\nvmseq.vv v7, v7, v7\n"
                      "vsw12.v v9, 0(v3)\nvsw12.v v8, 0(v3)\nvsw12.v v7, 0(v3)\n" END);
    /* bits that are masked out, shifted out or extended over */
    expect_none(START "andi t2, t2, 0\nsw t2, 0(s0)\nori t1, t1, -1\nsw t1, 0(s0)\n"
                      "sb zero, 8(s1)\nlw t0, 8(s1)\nslli t0, t0, 24\nsrai t0, t0, 24\n"
                      "sw t0, 0(s0)\nlw t0, 8(s1)\nandi t0, t0, 0x7f\nbeqz t0, 1f\n1:\n"
                      "vmv.v.i v5, 0\nvand.vv v9, v9, v5\nvsw12.v v9, 0(v3)\n" END);
    /* only the bytes that are stored, only the bits that index */
    expect_none(START "sh zero, 8(s1)\nlw t0, 8(s1)\nsh t0, 0(s0)\nlhu t1, 8(s1)\nsw t1, 0(s0)\n"
                      "vsll.vi v9, v9, 8\nvluxei8.v v5, (s0), v9\n" END);
    /* a comparison that the known bits decide */
    expect_none(START "ori t2, t2, 1\nbnez t2, 1f\n1: andi t1, t1, 7\nli t0, 8\nblt t1, t0, 2f\n"
                      "2: vmv.v.i v5, 1\nvor.vv v9, v9, v5\nvmv.v.i v6, 0\nlla t0, 3f\n"
                      "setrpc zero, t0, 0\nvbeq v9, v6, 3f\n3: join\n" END);
    /* no lane acts */
    expect_none(START "vsetivli zero, 0, e32, m1, ta, ma\nvle32.v v5, (t2)\n" END);
}

/* Lanes 0 and 1 take one path, 2 and 3 the other. */
#define SPLIT                                                                                      \
    "vmv.v.i v5, 2\nlla t0, 2f\nsetrpc zero, t0, 0\nvblt v1, v5, 1f\nvmv.v.i v9, 3\n"              \
    "vsw12.v v9, 0(v3)\nj 2f\n1: nop\n2: join\n"

TEST(lanes_are_apart)
{
    static const char text[] = START SPLIT "a: vsw12.v v9, 0(v3)\n" END;
    struct watched run = watched_new(text, SAM_SANITIZE_INIT);
    expect_in(&run, text, SAM_FINDING_INIT_STORE, "v9", "v9");
    assert_int_equal(run.findings[0].lanes, 3);
    assert_int_equal(run.findings[0].sides[0].lane, 0);
    watched_free(&run);
}

/* Results that do not come from the same lane of the sources, or from all that acts. v9 is
 * undefined in lanes 0 and 1. */
TEST(lanes_that_results_come_from)
{
    static const struct {
        const char *text;
        uint32_t lanes;
        const char *used;
    } rows[] = {
        /* tile products of 2 x 2: lane 2 i + j takes row i of one source and row j of the other */
        {START SPLIT "vmv.v.i v8, 0\nvftta.vv v8, v1, v9\na: vsw12.v v8, 0(v3)\n" END, 3, "v8"},
        {START SPLIT "vmv.v.i v8, 0\nvftta.vv v8, v9, v1\na: vsw12.v v8, 0(v3)\n" END, 5, "v8"},
        {START SPLIT "vftta.vv v9, v1, v1\na: vsw12.v v9, 0(v3)\n" END, 3, "v9"},
        /* branches do not heed vl */
        {START "vsetivli zero, 2, e32, m1, ta, ma\nvmv.v.i v9, 1\nlla t0, 1f\nsetrpc zero, t0, 0\n"
               "a: vblt v1, v9, 1f\n1: join\n" END,
         12, "v9"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct watched run = watched_new(rows[i].text, SAM_SANITIZE_INIT);
        watched_run(&run);
        if (run.count != 1 || run.findings[0].lanes != rows[i].lanes ||
            !is_register(run.findings[0].used, rows[i].used))
            fail_msg("%zu findings, lanes 0x%x:\n%s", run.count,
                     run.count ? run.findings[0].lanes : 0, rows[i].text);
        watched_free(&run);
    }
    /* the highest active lane */
    expect_none(START SPLIT "vmv.x.s t0, v9\nsw t0, 0(s0)\n" END);
    expect(START "vsetivli zero, 3, e32, m1, ta, ma\nvmv.v.i v9, 1\nvsetvli zero, zero, e32, m1\n"
                 "vmv.x.s t1, v9\nvsetivli zero, 4, e32, m1, ta, ma\nvmv.x.s t0, v9\n"
                 "a: sw t0, 0(s0)\nsw t1, 0(s0)\n" END,
           SAM_FINDING_INIT_STORE, "x5", "v9");
    /* the second word of a pair */
    expect(START "li t1, 1\nregpair zero, zero, 0\na: sw t1, 0(s0)\n" END, SAM_FINDING_INIT_STORE,
           "x7", "x7");
    expect(START "vmv.v.i v6, 1\nregpair zero, zero, 0\na: vsw12.v v6, 0(v3)\n" END,
           SAM_FINDING_INIT_STORE, "v7", "v7");
}

/* Of 3 items in a warp of 4 lanes, the last lane has none and writes no result, but reads it. */
TEST(the_tail_of_a_workgroup)
{
    static const char text[] =
        START "vmv.v.i v5, 3\nlla t0, 1f\nsetrpc zero, t0, 0\nvbge v1, v5, 1f\nvsw12.v v1, 0(v3)\n"
              "1: join\nb: vlw12.v v6, 0(v3)\na: vsw12.v v6, 256(v3)\n" END;
    const struct sam_sanitizer_buffer out = {
        .base = DATA, .size = 16, .name = "out", .output = true};
    struct watched run = watched_new(text, SAM_SANITIZE_INIT);
    must(sam_sanitizer_add_buffer(run.sanitizer, &out, &run.p.error), &run.p.error);
    expect_in(&run, text, SAM_FINDING_INIT_STORE, "v6", NULL);
    assert_int_equal(run.findings[0].lanes, 8);
    assert_int_equal(run.findings[0].address, DATA + 12);
    watched_free(&run);
}

/* The origin goes with a spill; a word may be loaded by another warp than the one that uses it. */
TEST(origins_follow_copies)
{
    expect(START "sw t2, 8(s1)\nlw t1, 8(s1)\nmv t0, t1\na: sw t0, 0(s0)\n" END,
           SAM_FINDING_INIT_STORE, "x5", "x7");
    expect(START "vmv.v.i v5, 8\nvsw.v v9, 0(v5)\nvlw.v v6, 0(v5)\nvadd.vv v7, v1, v6\n"
                 "a: vsw12.v v7, 0(v3)\n" END,
           SAM_FINDING_INIT_STORE, "v7", "v9");
    expect(START "b: lw t1, 8(s1)\nsw t1, 12(s1)\nlw t0, 12(s1)\na: sw t0, 0(s0)\n" END,
           SAM_FINDING_INIT_STORE, "x5", NULL);
    expect(START "vmv.s.x v5, t2\nvmv.x.s t0, v5\na: sw t0, 0(s0)\n" END, SAM_FINDING_INIT_STORE,
           "x5", "x7");
}

/* Each workgroup finds its memory undefined, though the bytes are the same. */
TEST(memory_begins_anew)
{
    static const char local[] =
        START "bnez s3, 1f\nsw s3, 8(s1)\n1: nop\nb: lw t0, 8(s1)\na: sw t0, 0(s0)\n" END;
    static const char private_[] =
        START "vmv.v.i v5, 8\nbnez s3, 1f\nvsw.v v1, 0(v5)\n1: nop\nb: vlw.v v6, 0(v5)\n"
              "a: vsw12.v v6, 0(v3)\n" END;
    for (unsigned i = 0; i < 3; i++) {
        const char *text = i ? private_ : local;
        struct watched run = watched_new(text, SAM_SANITIZE_INIT);
        run.p.launch.grid[0] = 2;
        if (i == 2) { /* room for one workgroup: the second one gets the memory of the first */
            run.p.options.fit_pds = true;
            run.p.options.pds_room = 4096;
        }
        expect_in(&run, text, SAM_FINDING_INIT_STORE, i ? "v6" : "x5", NULL);
        assert_int_equal(run.findings[0].sides[0].workgroup, 1);
        assert_int_equal(run.findings[0].count, 1);
        watched_free(&run);
    }
}

/* An output stays as launches and the host leave it. */
TEST(outputs_last)
{
    static const char text[] = START "b: lw t0, 0(s0)\na: sw t0, 256(s0)\nsw zero, 4(s0)\n" END;
    const struct sam_sanitizer_buffer out = {
        .base = DATA, .size = DATA_SIZE, .name = "out", .output = true};
    struct sam_error error;
    struct watched run = watched_new(text, SAM_SANITIZE_INIT);
    must(sam_sanitizer_add_buffer(run.sanitizer, &out, &error), &error);
    expect_in(&run, text, SAM_FINDING_INIT_STORE, "x5", NULL);
    assert_int_equal(run.findings[0].address, DATA);
    sam_sanitizer_forget(run.sanitizer);
    /* what was stored is defined now: word 1, and the copy of word 0 since it was reported */
    must(sam_sanitizer_check_memory(run.sanitizer, DATA + 4, 4, &error), &error);
    must(sam_sanitizer_check_memory(run.sanitizer, DATA + 256, 4, &error), &error);
    sam_sanitizer_findings(run.sanitizer, &run.count);
    assert_int_equal(run.count, 0);
    must(sam_sanitizer_check_memory(run.sanitizer, DATA + 4, DATA_SIZE - 4, &error), &error);
    run.findings = sam_sanitizer_findings(run.sanitizer, &run.count);
    assert_int_equal(run.count, 1);
    assert_int_equal(run.findings[0].kind, SAM_FINDING_INIT_CHECK);
    assert_int_equal(run.findings[0].address, DATA + 8);
    sam_sanitizer_forget(run.sanitizer);
    program_set(&run.p, DATA, 0);
    watched_run(&run);
    assert_int_equal(run.count, 0);
    /* declared again, it is undefined again; without its buffer there is nothing to tell */
    must(sam_sanitizer_add_buffer(run.sanitizer, &out, &error), &error);
    watched_run(&run);
    assert_int_equal(run.count, 1);
    sam_sanitizer_forget(run.sanitizer);
    must(sam_sanitizer_add_buffer(run.sanitizer, &out, &error), &error);
    must(sam_gpu_unmap(run.p.gpu, DATA, &error), &error);
    must(sam_gpu_map(run.p.gpu, DATA, DATA_SIZE, &error), &error);
    watched_run(&run);
    assert_int_equal(run.count, 0);
    watched_free(&run);
}

/* An atomic instruction uses memory that it changes, when the host may read that. */
TEST(atomics_use_what_they_change)
{
    static const char text[] = START "li t0, 1\na: amoadd.w t1, t0, (s0)\nsw t1, 8(s0)\n" END;
    const struct sam_sanitizer_buffer out = {
        .base = DATA, .size = 4, .name = "counts", .output = true};
    struct watched run = watched_new(text, SAM_SANITIZE_INIT);
    char *report;
    must(sam_sanitizer_add_buffer(run.sanitizer, &out, &run.p.error), &run.p.error);
    watched_run(&run);
    assert_int_equal(run.count, 1);
    assert_int_equal(run.findings[0].used.file, 0);
    assert_int_equal(run.findings[0].address, DATA);
    must(sam_sanitizer_print(run.sanitizer, NULL, &report, &run.p.error), &run.p.error);
    assert_non_null(strstr(report, "4 bytes at 0x90000000, buffer counts+0x0\n"));
    assert_non_null(strstr(report, "never written"));
    sam_text_free(report);
    watched_free(&run);
    expect_none(START "li t0, 1\namoadd.w t1, t0, (s1)\namoswap.w t2, t0, (s1)\n"
                      "amoswap.w t1, t0, (s1)\nsw t1, 0(s0)\n" END);
    /* an sc that fails changes nothing, and says so */
    expect_none(START "sw zero, 0(s1)\nsc.w t1, t2, (s1)\nlw t0, 0(s1)\nsw t0, 0(s0)\n"
                      "sw t1, 0(s0)\n" END);
}
