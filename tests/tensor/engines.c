/* SPDX-License-Identifier: Apache-2.0 */
/* The engines in time on programs that can be followed by hand. With the defaults a block of
 * 1024 bytes takes 16 cycles of transfer, one more for its slices in a load or store, then the
 * latency: 8 for a load, otherwise 4. */
#include <malloc.h>

#include "hart/program.h"

/* Of the n-th instruction of the unit. */
struct times {
    unsigned issued, start, release, done;
};

struct record {
    struct times times[16];
    size_t count;
};

static bool keep(void *context, const struct sam_engines_slice *s)
{
    struct record *r = context;
    if (s->track == SAM_ENGINE_COUNT || s->cycle != SAM_ENGINE_BUSY)
        return true;
    assert_true(r->count < SAM_COUNT(r->times));
    r->times[r->count++] = (struct times){(unsigned)s->issued, (unsigned)s->start, (unsigned)s->end,
                                          (unsigned)s->done};
    return true;
}

/* CSRs that are set before the program runs, ended by address 0. */
struct csr {
    unsigned address;
    uint32_t value;
};

enum { TSHAPE = 0x8c1, TMASK_LOAD = 0x8c2, TLOAD_STRIDE = 0x880, TSTORE_STRIDE = 0x8a0 };

/* Blocks of [32, 1, 32] bytes, a0 = 0x10000, a1 = 0x11000. */
static struct program open_program(const char *isa, const char *config, struct record *record,
                                   const struct csr *csrs, const char *text)
{
    struct sam_engines_config engines;
    struct sam_hart_options options = {.engines = &engines, .watch = {.slice = keep}};
    SCOPED(sam_buffer) source = {0};
    options.watch.context = record;
    *record = (struct record){.count = 0};
    sam_engines_defaults(&engines);
    assert_int_equal(sam_engines_parse(config, &engines, NULL), SAM_OK);
    sam_buffer_printf(&source, "%s\nebreak\n", text);
    struct program p = program_new(isa, &options, sam_buffer_text(&source));
    sam_hart_set_csr(p.hart, TSHAPE, 0x200120);
    for (; csrs && csrs->address; csrs++)
        sam_hart_set_csr(p.hart, csrs->address, csrs->value);
    sam_hart_set_x(p.hart, 10, DATA_BASE);
    sam_hart_set_x(p.hart, 11, DATA_BASE + 0x1000);
    return p;
}

/* Run and compare the times of all instructions of the unit, ended by issued 99. */
static struct sam_engines_report expect(const char *config, const struct csr *csrs,
                                        const char *text, const struct times *times)
{
    struct sam_engines_report report;
    struct record r;
    SCOPED(program) p = open_program(RV64, config, &r, csrs, text);
    program_expect(&p, SAM_HART_EBREAK);
    assert_true(sam_hart_engines(p.hart, &report));
    assert_int_equal(report.instructions, p.result.instructions);
    size_t i = 0;
    for (; times[i].issued != 99; i++) {
        const struct times *a = &r.times[i], *b = &times[i];
        assert_true(i < r.count);
        if (memcmp(a, b, sizeof *a) != 0)
            fail_msg("instruction %zu of '%s': %u, %u..%u, %u; expected %u, %u..%u, %u", i, text,
                     a->issued, a->start, a->release, a->done, b->issued, b->start, b->release,
                     b->done);
    }
    assert_int_equal(r.count, i);
    return report;
}

#define END                                                                                        \
    {                                                                                              \
        99, 0, 0, 0                                                                                \
    }
#define TIMES(...) ((const struct times[]){__VA_ARGS__, END})
#define NO_TIMES   ((const struct times[]){END})

static void expect_cycles(const struct sam_engines_report *r, unsigned engine,
                          const uint64_t cycles[SAM_ENGINE_CYCLES])
{
    for (unsigned k = 0; k < SAM_ENGINE_CYCLES; k++)
        if (r->engine[engine].cycles[k] != cycles[k])
            fail_msg("%s, %s: %llu cycles, expected %llu", sam_engine_name(engine),
                     sam_engine_cycle_name(k), (unsigned long long)r->engine[engine].cycles[k],
                     (unsigned long long)cycles[k]);
}

TEST(each_waits_for_the_one_before)
{
    struct sam_engines_report r =
        expect("", NULL, "tl.load tl1, 0(a0)\ntl.addi tl2, tl1, 1\ntl.store tl2, 0(a1)",
               TIMES({0, 1, 18, 26}, {1, 26, 42, 46}, {2, 46, 63, 67}));
    assert_int_equal(r.cycles, 67);
    assert_int_equal(r.issue[SAM_ISSUE_TENSOR], 3);
    assert_int_equal(r.issue[SAM_ISSUE_DONE], 64);
    expect_cycles(&r, SAM_ENGINE_LOAD,
                  (uint64_t[SAM_ENGINE_CYCLES]){[SAM_ENGINE_EMPTY] = 1,
                                                [SAM_ENGINE_BUSY] = 17,
                                                [SAM_ENGINE_LATENCY] = 8,
                                                [SAM_ENGINE_DRAINED] = 41});
    expect_cycles(&r, SAM_ENGINE_COMP,
                  (uint64_t[SAM_ENGINE_CYCLES]){[SAM_ENGINE_EMPTY] = 2,
                                                [SAM_ENGINE_RAW] = 24,
                                                [SAM_ENGINE_BUSY] = 16,
                                                [SAM_ENGINE_LATENCY] = 4,
                                                [SAM_ENGINE_DRAINED] = 21});
    expect_cycles(&r, SAM_ENGINE_STORE,
                  (uint64_t[SAM_ENGINE_CYCLES]){[SAM_ENGINE_EMPTY] = 3,
                                                [SAM_ENGINE_RAW] = 43,
                                                [SAM_ENGINE_BUSY] = 17,
                                                [SAM_ENGINE_LATENCY] = 4});
    expect_cycles(&r, SAM_ENGINE_RESHAPE,
                  (uint64_t[SAM_ENGINE_CYCLES]){[SAM_ENGINE_EMPTY] = 3, [SAM_ENGINE_DRAINED] = 64});
    assert_int_equal(r.engine[SAM_ENGINE_LOAD].bytes, 1024);
    assert_int_equal(r.engine[SAM_ENGINE_STORE].queued, 44);
    assert_int_equal(r.engine[SAM_ENGINE_STORE].queue_peak, 1);
}

/* The load may write tl1 once the store has read it; the addition follows the load's write. */
TEST(writers_wait)
{
    struct sam_engines_report r =
        expect("", NULL, "tl.store tl1, 0(a1)\ntl.load tl1, 0(a0)\ntl.addi tl1, tl0, 5",
               TIMES({0, 1, 18, 22}, {1, 18, 35, 43}, {2, 43, 59, 63}));
    assert_int_equal(r.engine[SAM_ENGINE_LOAD].cycles[SAM_ENGINE_WAR], 16);
    assert_int_equal(r.engine[SAM_ENGINE_COMP].cycles[SAM_ENGINE_WAW], 40);
}

/* Order within an engine replaces waits: the second load follows the first at once. */
TEST(one_engine_is_in_order)
{
    expect("", NULL, "tl.load tl1, 0(a0)\ntl.load tl1, 32(a0)\ntl.load tl2, 0(a0)",
           TIMES({0, 1, 18, 26}, {1, 18, 35, 43}, {2, 35, 52, 60}));
    expect("pipelined=0", NULL, "tl.load tl1, 0(a0)\ntl.load tl1, 32(a0)",
           TIMES({0, 1, 26, 26}, {1, 26, 51, 51}));
}

TEST(nobody_waits_for_tl0)
{
    expect("", NULL, "tl.load tl0, 0(a0)\ntl.addi tl0, tl0, 1\ntl.store tl0, 0(a1)",
           TIMES({0, 1, 18, 26}, {1, 2, 18, 22}, {2, 3, 20, 24}));
}

/* A queue of one: the third load can enter when the second has started. */
TEST(a_full_queue_stalls_the_hart)
{
    struct sam_engines_report r =
        expect("load_queue=1", NULL,
               "tl.load tl1, 0(a0)\ntl.load tl2, 0(a0)\ntl.load tl3, 0(a0)\ntl.load tl4, 0(a0)",
               TIMES({0, 1, 18, 26}, {1, 18, 35, 43}, {18, 35, 52, 60}, {35, 52, 69, 77}));
    assert_int_equal(r.issue[SAM_ISSUE_TENSOR], 4);
    assert_int_equal(r.issue[SAM_ISSUE_FULL + SAM_ENGINE_LOAD], 32);
    assert_int_equal(r.issue[SAM_ISSUE_DONE], 41);
    expect_cycles(
        &r, SAM_ENGINE_COMP,
        (uint64_t[SAM_ENGINE_CYCLES]){
            [SAM_ENGINE_EMPTY] = 4, [SAM_ENGINE_HART_STALLS] = 32, [SAM_ENGINE_DRAINED] = 41});
    assert_int_equal(r.engine[SAM_ENGINE_LOAD].queue_peak, 1);
}

TEST(memory_keeps_its_order)
{
    struct sam_engines_report r = expect("", NULL, "tl.store tl1, 0(a1)\ntl.load tl2, 0(a1)",
                                         TIMES({0, 1, 18, 22}, {1, 22, 39, 47}));
    assert_int_equal(r.engine[SAM_ENGINE_LOAD].cycles[SAM_ENGINE_MEMORY], 20);
    expect("", NULL, "tl.load tl2, 0(a1)\ntl.store tl1, 31(a1)",
           TIMES({0, 1, 18, 26}, {1, 18, 35, 39}));
    expect("", NULL, "tl.load tl2, 0(a1)\ntl.store tl1, 32(a1)",
           TIMES({0, 1, 18, 26}, {1, 2, 19, 23}));
    expect("", NULL, "tl.store@load tl1, 0(a1)\ntl.store tl1, 1(a1)",
           TIMES({0, 1, 18, 26}, {1, 26, 43, 47}));
}

/* The scalar load reads the last 8 stored bytes, then the 8 after them; the scalar store needs
 * the bytes read by a load. */
TEST(scalar_accesses_wait)
{
    struct sam_engines_report r =
        expect("", NULL, "tl.store tl1, 0(a1)\nld a1, 1016(a1)\ntl.addi tl2, tl2, 1",
               TIMES({0, 1, 18, 22}, {23, 24, 40, 44}));
    assert_int_equal(r.issue[SAM_ISSUE_MEMORY], 21);
    assert_int_equal(r.issue[SAM_ISSUE_SCALAR], 1);
    assert_int_equal(r.engine[SAM_ENGINE_COMP].cycles[SAM_ENGINE_HART_STALLS], 21);
    expect("", NULL, "tl.store tl1, 0(a1)\nld a1, 1024(a1)\ntl.addi tl2, tl2, 1",
           TIMES({0, 1, 18, 22}, {2, 3, 19, 23}));
    expect("", NULL, "tl.load tl1, 0(a1)\nld a2, 0(a1)\nsd a2, 0(a1)\ntl.addi tl2, tl2, 1",
           TIMES({0, 1, 18, 26}, {19, 20, 36, 40}));
}

/* 8 slices of 32 bytes with gaps of the same size: two such accesses interleave without overlap.
 * 256 bytes: 4 cycles and 8 for the slices. */
TEST(slices_cost_and_interleave)
{
    struct csr csrs[32] = {{TSHAPE, 0x080120}};
    for (unsigned i = 0; i < 8; i++) {
        csrs[1 + 2 * i] = (struct csr){TLOAD_STRIDE + i, 2 * i};
        csrs[2 + 2 * i] = (struct csr){TSTORE_STRIDE + i, 2 * i};
    }
    expect("", csrs, "tl.load tl1, 0(a0)\ntl.store tl2, 1(a0)",
           TIMES({0, 1, 13, 21}, {1, 2, 14, 18}));
    expect("", csrs, "tl.load tl1, 0(a0)\ntl.store tl2, 2(a0)",
           TIMES({0, 1, 13, 21}, {1, 13, 25, 29}));
    expect("slice_cycles=0,load_bytes=100", csrs, "tl.load tl1, 0(a0)", TIMES({0, 1, 4, 12}));
    expect("slice_cycles=5", csrs, "tl.load tl1, 0(a0)", TIMES({0, 1, 45, 53}));
    csrs[17] = (struct csr){TMASK_LOAD, 0x100}; /* no slice: still one cycle */
    expect("", csrs, "tl.mload tl1, 0(a0)", TIMES({0, 1, 2, 10}));
}

/* The suffix selects the queue and with it the port; TL.XPOSE.{B,H,W,D} have EngineID 01. */
TEST(the_engine_of_the_word)
{
    expect("comp_bytes=32", NULL,
           "lui a2, 0x01202\naddi a2, a2, 2\ntl.addi tl1, tl1, 1\ntl.xpose.b.12 tl2, tl3, a2\n"
           "tl.xpose.12 tl4, tl5, a2\ntl.addi@store tl6, tl6, 1",
           TIMES({2, 3, 35, 39}, {3, 35, 99, 103}, {4, 5, 37, 41}, {5, 6, 22, 26}));
}

TEST(issue_of_the_hart)
{
    expect("issue=2", NULL, "nop\nnop\nnop\ntl.addi tl1, tl0, 1\ntl.addi tl2, tl0, 1",
           TIMES({1, 2, 18, 22}, {2, 18, 34, 38}));
    struct sam_engines_report r =
        expect("scalar_cpi=3", NULL, "nop\nnop\ntl.addi tl1, tl0, 1", TIMES({6, 7, 23, 27}));
    assert_int_equal(r.issue[SAM_ISSUE_SCALAR], 6);
    r = expect("issue=2,scalar_cpi=2", NULL, "tl.addi tl1, tl0, 1\nnop\ntl.addi tl2, tl0, 1",
               TIMES({0, 1, 17, 21}, {2, 17, 33, 37}));
    assert_int_equal(r.issue[SAM_ISSUE_TENSOR], 2);
    assert_int_equal(r.issue[SAM_ISSUE_SCALAR], 1);
    r = expect("", NULL, "nop", NO_TIMES);
    assert_int_equal(r.cycles, 1);
}

/* A store whose slices wrap around the RV32 address space conflicts at both ends. */
TEST(addresses_wrap)
{
    struct sam_engines_report report;
    struct record r;
    SCOPED(program) p = open_program(RV32, "", &r, NULL,
                                     "tl.store tl1, 0(a2)\nlw a3, 4(zero)\n"
                                     "tl.store tl1, 0(a2)\nlw a3, -8(zero)\nlw a3, 1000(zero)");
    succeeds(sam_hart_map, p.hart, 0, 0x1000);
    succeeds(sam_hart_map, p.hart, 0xfffff000, 0x1000);
    sam_hart_set_x(p.hart, 12, 0xfffffe00);
    program_expect(&p, SAM_HART_EBREAK);
    assert_true(sam_hart_engines(p.hart, &report));
    assert_int_equal(r.times[0].done, 22);
    assert_int_equal(r.times[1].issued, 23);
    assert_int_equal(r.times[1].done, 45);
    assert_int_equal(report.issue[SAM_ISSUE_MEMORY], 42);
}

/* Instructions that trap, in the program and in its handler, are not in the report. */
TEST(traps)
{
    struct sam_engines_report report;
    struct record r;
    SCOPED(program) p = open_program(RV64, "", &r, NULL,
                                     "la t0, handler\ncsrw mtvec, t0\ntl.load tl1, 0(a0)\n"
                                     "tl.load tl1, 0(zero)\nhandler: tl.load tl2, 0(zero)");
    program_expect(&p, SAM_HART_TRAP);
    assert_true(sam_hart_engines(p.hart, &report));
    assert_int_equal(report.instructions, p.result.instructions);
    assert_int_equal(report.engine[SAM_ENGINE_LOAD].instructions, 1);
    assert_int_equal(report.cycles, p.result.instructions + 25);
}

/* A run in two parts counts as one program. */
TEST(continued)
{
    struct sam_engines_report report;
    struct record r;
    SCOPED(program) p =
        open_program(RV64, "", &r, NULL, "tl.load tl1, 0(a0)\nthere: tl.addi tl2, tl1, 1");
    sam_hart_set_until(p.hart, SAM_HART_CODE_BASE + 4);
    program_expect(&p, SAM_HART_UNTIL);
    assert_true(sam_hart_engines(p.hart, &report));
    assert_int_equal(report.cycles, 26);
    program_expect(&p, SAM_HART_EBREAK);
    assert_true(sam_hart_engines(p.hart, &report));
    assert_int_equal(report.cycles, 46);
}

static size_t memory_in_use(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}

/* Only instructions in flight are kept, for any length of the program. */
TEST(a_long_run_takes_no_memory)
{
    struct sam_engines_report report;
    struct sam_engines_config engines;
    const struct sam_hart_options options = {.engines = &engines};
    sam_engines_defaults(&engines);
    sam_engines_parse("queue=1024,load_latency=4096", &engines, NULL);
    SCOPED(program) p = program_new(RV64, &options,
                                    "1: tl.load tl1, 0(a0)\ntl.addi tl2, tl1, 1\n"
                                    "tl.store tl2, 64(a0)\naddi a1, a1, -1\nbnez a1, 1b\nebreak\n");
    sam_hart_set_csr(p.hart, TSHAPE, 0x200120);
    sam_hart_set_x(p.hart, 10, DATA_BASE);
    size_t used[2];
    for (unsigned i = 0; i < 2; i++) {
        sam_hart_set_pc(p.hart, SAM_HART_CODE_BASE);
        sam_hart_set_x(p.hart, 11, i ? 40000 : 5000);
        program_expect(&p, SAM_HART_EBREAK);
        used[i] = memory_in_use();
    }
    assert_int_equal(used[0], used[1]);
    assert_true(sam_hart_engines(p.hart, &report));
    assert_int_equal(report.instructions, 225000);
    assert_int_equal(report.engine[SAM_ENGINE_LOAD].queue_peak, 1024);
}

static bool refuse(void *context, const struct sam_engines_slice *slice)
{
    (void)context, (void)slice;
    return false;
}

TEST(a_watch_that_refuses)
{
    struct sam_engines_config engines;
    struct sam_hart_options options = {.engines = &engines, .watch = {.slice = refuse}};
    sam_engines_defaults(&engines);
    SCOPED(program) p = program_new(RV64, &options, "nop\ntl.addi tl1, tl1, 1\nnop\nebreak\n");
    assert_int_equal(program_run(&p), SAM_ERR_IO);
    assert_int_equal(p.result.instructions, 2);
}
