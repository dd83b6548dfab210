/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses outside what a launch declares, and what is said to be near. The access is labelled
 * `a`. */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "must.h"
#include "watched.h"

enum { LOCAL = 0x1000 }; /* bytes that the launches here declare */

static const struct sam_lds_range ranges[] = {
    {0x70001000, 0x10}, {0x70004100, 16}, {0x70004110, 8}, {0x7ffff000, 0x1000}};

struct outside {
    const char *text;
    enum sam_finding_kind kind;
    uint32_t address, size, base; /* base: of what is near */
    uint64_t near_size;
    const char *said; /* part of the report */
    enum sam_trap_kind trap;
};

static struct watched make(const char *text)
{
    struct watched run = watched_new(text, SAM_SANITIZE_BOUNDS);
    run.p.launch.lds_size = LOCAL;
    run.p.options.lds_ranges = ranges;
    run.p.options.lds_range_count = sizeof ranges / sizeof ranges[0];
    run.p.options.strict_lds = true; /* reported instead */
    return run;
}

static void expect(struct watched *run, const struct outside *row)
{
    char *report;
    watched_run(run);
    if (run->count != 1)
        fail_msg("%zu findings:\n%s", run->count, row->text);
    const struct sam_finding *f = run->findings;
    assert_string_equal(sam_finding_kind_name(f->kind), sam_finding_kind_name(row->kind));
    assert_true(watched_is_at(run, f, "a", NULL));
    assert_int_equal(f->address, row->address);
    assert_int_equal(f->size, row->size);
    assert_int_equal(f->near.base, row->base);
    assert_int_equal(f->near.size, row->near_size);
    assert_int_equal(run->p.result.trap.kind, row->trap);
    must(sam_sanitizer_print(run->sanitizer, NULL, &report, &run->p.error), &run->p.error);
    if (!strstr(report, row->said))
        fail_msg("no '%s' in: %s", row->said, report);
    sam_text_free(report);
}

TEST(what_is_outside)
{
    static const struct outside rows[] = {
        {START "li t0, 0x70001410\na: sw t0, 0(t0)\n" END, SAM_FINDING_BOUNDS_LOCAL, 0x70001410, 4,
         0x70001000, 16, "1024 bytes past the end of the launch's local memory, 0x70001000 to",
         SAM_TRAP_NONE},
        {START "li t0, 0x70001010\na: lb t1, 0(t0)\n" END, SAM_FINDING_BOUNDS_LOCAL, 0x70001010, 1,
         0x70001000, 16, "just past the end of", SAM_TRAP_NONE},
        {START "li t0, 0x7fffeffc\na: lw t1, 0(t0)\n" END, SAM_FINDING_BOUNDS_LOCAL, 0x7fffeffc, 4,
         0x7ffff000, 0x1000, "just before the launch's local memory", SAM_TRAP_NONE},
        {START "li t0, 0x70001000\nvadd.vx v5, v2, t0\na: vsw12.v v1, 4(v5)\n" END,
         SAM_FINDING_BOUNDS_LOCAL, 0x70001010, 4, 0x70001000, 16, "lane 3", SAM_TRAP_NONE},
        {START "li t0, 1024\nvmv.v.x v5, t0\na: vlw.v v6, 0(v5)\n" END, SAM_FINDING_BOUNDS_PRIVATE,
         1024, 4, 0, 1024, "private memory+0x400", SAM_TRAP_PRIVATE_RANGE},
        {START "vmv.v.i v5, 0\nregpair zero, zero, 0\na: vsw.v v6, 1020(v5)\n" END,
         SAM_FINDING_BOUNDS_PRIVATE, 1020, 8, 0, 1024, "across an end of", SAM_TRAP_PRIVATE_RANGE},
        {START "li t0, 0x90030000\na: lw t0, 0(t0)\n" END, SAM_FINDING_BOUNDS_GAP, 0x90030000, 4,
         DATA, DATA_SIZE, "just past the end of buffer x", SAM_TRAP_LOAD_FAULT},
        {START "li t0, 0x90fffff0\na: sw zero, 0(t0)\n" END, SAM_FINDING_BOUNDS_GAP, 0x90fffff0, 4,
         PDS, PDS_SIZE, "12 bytes before private memory", SAM_TRAP_STORE_FAULT},
        {START "li t0, 0x92000040\na: sw zero, 0(t0)\n" END, SAM_FINDING_BOUNDS_GAP, 0x92000040, 4,
         KERNEL, 64, "just past the end of the metadata buffer", SAM_TRAP_STORE_FAULT},
    };
    const struct sam_sanitizer_buffer x = {.base = DATA, .size = DATA_SIZE, .name = "x"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct watched run = make(rows[i].text);
        must(sam_sanitizer_add_buffer(run.sanitizer, &x, &run.p.error), &run.p.error);
        expect(&run, &rows[i]);
        watched_free(&run);
    }
}

TEST(what_is_inside)
{
    struct watched run = make(
        START "sw s0, 0(s1)\nli t0, 0x70000ffc\nsw s0, 0(t0)\nsw s0, 4(t0)\nli t0, 0x70004110\n"
              "sw s0, -4(t0)\nsw s0, 0(t0)\nsw s0, 4(t0)\nli t0, 0x7ffff000\nvadd.vx v5, v2, t0\n"
              "vsw12.v v1, 0(v5)\nli t0, 1020\nvmv.v.x v5, t0\nvsw.v v1, 0(v5)\ncsrr t0, pds\n"
              "sw s0, 0(t0)\nvsw12.v v1, 0(v3)\nli t0, 0x9002fffc\nlw t1, 0(t0)\n" END);
    watched_run(&run);
    assert_int_equal(run.p.result.trap.kind, SAM_TRAP_NONE);
    assert_int_equal(run.count, 0);
    watched_free(&run);
}

/* By an ordinary address, from workgroup 0. */
TEST(private_memory_of_another_workgroup)
{
    static const struct outside row = {
        START "bnez s3, 1f\nli t0, 0x91001000\na: sw zero, 0(t0)\n1:\n" END,
        SAM_FINDING_BOUNDS_OTHER,
        PDS + 4096,
        4,
        PDS,
        4096,
        "just past the end of the workgroup's private memory",
        SAM_TRAP_NONE};
    struct watched run = make(row.text);
    run.p.launch.grid[0] = 2;
    expect(&run, &row);
    watched_free(&run);
    /* that of all workgroups is a small part of a page */
    static const struct outside small = {
        START "bnez s3, 1f\nli t0, 0x91000050\nsw zero, -4(t0)\na: sw zero, 0(t0)\n1:\n" END,
        SAM_FINDING_BOUNDS_OTHER,
        PDS + 80,
        4,
        PDS + 64,
        16,
        "just past the end of the workgroup's private memory",
        SAM_TRAP_NONE};
    run = make(small.text);
    run.p.launch.grid[0] = 2;
    run.p.launch.pds_base = PDS + 64;
    run.p.launch.pds_size = 4;
    expect(&run, &small);
    watched_free(&run);
}

/* 17 scalar and 5 vector registers, which are 20 and 8: hardware gives out fours. */
TEST(registers_that_are_declared)
{
    static const struct {
        const char *text, *said; /* NULL: nothing is found */
    } rows[] = {
        {START "vmv.v.i v7, 0\nadd x19, x18, x19\ncsrr x5, tid\n" END, NULL},
        {START "a: vmv.v.i v8, 0\n" END, "v8 is not among the 8 vector registers"},
        {START "nop\nregext zero, zero, 8\na: vadd.vv v1, v2, v1\n" END, "v33 is not among"},
        {START "a: add x20, x0, x0\n" END, "s4 is not among the 20 scalar registers"},
        {START "a: sw s4, 0(s0)\n" END, "s4 is not among"},
        {START "vsetivli x0, 4, e32, m2, ta, ma\nvmv.v.i v6, 0\na: vmv.v.i v8, 0\n" END, "v8 is"},
        {START
         "regpair x0, x0, 0\nadd x18, x18, x18\nregpair x0, x0, 0\na: vadd.vi v8, v6, 0\n" END,
         "v8 is"},
        {START "regpair x0, x0, 0\na: add x19, x20, x0\n" END, "s4 is"},
        {".globl _start, kernel\n_start: vmv.v.i v9, 0\nadd x29, x0, x0\n"
         "kernel: nop\na: add x20, x0, x0\n" END,
         "s4 is"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct watched run = make(rows[i].text);
        char *report;
        sam_sanitizer_declare_registers(run.sanitizer, 17, 5);
        watched_run(&run);
        must(sam_sanitizer_print(run.sanitizer, NULL, &report, &run.p.error), &run.p.error);
        if (run.count != (rows[i].said != NULL) || (run.count && !strstr(report, rows[i].said)))
            fail_msg("%s: %s", rows[i].text, report);
        assert_true(!run.count || watched_is_at(&run, run.findings, "a", NULL));
        assert_int_equal(run.p.result.trap.kind, SAM_TRAP_NONE);
        sam_text_free(report);
        watched_free(&run);
    }
}

/* Six work-items on two warps of four: the last two lanes have none, where the sizes are known.
 * Word `last` of the six is that of the buffer. */
TEST(lanes_without_a_work_item)
{
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t sizes[] = {12, 1, 1, 6, 1, 1}, last = i % 2 ? 5 : 4; /* global, local */
        const bool known = i < 2;
        char text[512], *report;
        snprintf(text, sizeof text,
                 START "li t1, 0x30000 - 4 * %u\nadd s0, s0, t1\ncsrr t0, tid\n"
                       "vadd.vx v5, v1, t0\nvsll.vi v6, v5, 2\nvadd.vx v6, v6, s0\n"
                       "a: vsw12.v v5, 0(v6)\n" END,
                 last + 1);
        struct watched run = make(text);
        run.p.launch.warps = 2;
        run.p.launch.grid[0] = 2;
        for (uint32_t k = 0; known && k < 6; k++)
            program_set(&run.p, KERNEL + 12 + 4 * k, sizes[k]);
        watched_run(&run);
        assert_int_equal(run.p.result.trap.kind, SAM_TRAP_STORE_FAULT);
        assert_int_equal(run.count, 1);
        const struct sam_finding *f = run.findings;
        const bool surplus = known && last == 5;
        assert_int_equal(f->kind, SAM_FINDING_BOUNDS_GAP);
        assert_int_equal(f->sides[0].warp, 1);
        assert_int_equal(f->sides[0].lane, last + 1 - 4);
        assert_int_equal(f->sides[0].surplus, surplus);
        must(sam_sanitizer_print(run.sanitizer, NULL, &report, &run.p.error), &run.p.error);
        assert_int_equal(strstr(report, ", lane 2 (without a work-item): pc") != NULL, surplus);
        sam_text_free(report);
        watched_free(&run);
    }
}

/* With loose bounds there is memory everywhere, and the program goes on to its next finding. */
TEST(loose_bounds_go_on)
{
    struct watched run = make(START "li t0, 0x90030000\na: sw t0, 0(t0)\nsw t0, 4(t0)\n" END);
    run.p.options.loose_bounds = true;
    watched_run(&run);
    assert_int_equal(run.p.result.trap.kind, SAM_TRAP_NONE);
    assert_int_equal(run.count, 2);
    assert_int_equal(run.findings[0].kind, SAM_FINDING_BOUNDS_GAP);
    assert_int_equal(run.findings[1].address, 0x90030004);
    watched_free(&run);
}

/* Other checks leave strict local memory as it is. */
TEST(without_the_check_it_traps)
{
    struct watched run = watched_new(START "li t0, 0x70002000\nsw t0, 0(t0)\n" END,
                                     SAM_SANITIZE_ALL & ~SAM_SANITIZE_BOUNDS);
    run.p.launch.lds_size = LOCAL;
    run.p.options.strict_lds = true;
    watched_run(&run);
    assert_int_equal(run.p.result.trap.kind, SAM_TRAP_STORE_FAULT);
    assert_int_equal(run.count, 0);
    watched_free(&run);
}
