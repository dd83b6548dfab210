/* SPDX-License-Identifier: Apache-2.0 */
/* Races planted in small programs of the hart and the GPU: each is found, at exactly its bytes
 * and with both sides, and none if the program waits. */
#include "system/program.h"

#include "streams.h"

/* Stores a word per lane to 0x90000000, loads one from 0x90000100, adds to the word at 0x90000200,
 * and stores to local and private memory. */
static const char kernel[] = ".globl touch\n"
                             "touch: li s0, 0x90000000\n"
                             "vid.v v1\n"
                             "vsll.vi v2, v1, 2\n"
                             "vadd.vx v3, v2, s0\n"
                             "li t0, 256\n"
                             "vadd.vx v6, v3, t0\n"
                             "st: vsw12.v v1, 0(v3)\n"
                             "ld: vlw12.v v4, 0(v6)\n"
                             "addi s1, s0, 512\n"
                             "li t1, 1\n"
                             "at: amoadd.w zero, t1, (s1)\n"
                             "csrr t2, lds\n"
                             "sw t1, 0(t2)\n"
                             "endprg\n";

/* s0: the buffer, s1: the GPU's control registers, s2: those of the console, s3: the launch
 * record, s5: those of the weight unit, s6: its record, which counts the symbols of 16 bytes
 * stored by the launch. A launch is in flight when `body` begins. */
#define BEGIN                                                                                      \
    "li s0, 0x90000000\nli s1, 0x02001000\nli s2, 0x02000000\nla s3, record\n"                     \
    "li s5, 0x02002000\nla s6, weights\n"                                                          \
    "sw zero, 0(s0)\nsub: sw s3, 0(s1)\n"
#define END                                                                                        \
    "lw t0, 16(s1)\nlw t0, 16(s5)\nlw t0, 0(s0)\nsw t0, 256(s0)\nsw t0, 0(s3)\nsw t0, 0(s6)\n"     \
    "sw zero, 0x400(s0)\nsw zero, 4(s2)\n"                                                         \
    ".data\n.balign 64\nrecord: .word 0x80000000, 0, 1, 1, 1, 4, 1, 1024, 0, 0, 0, 0, 0, 0, 0, "   \
    "0\nweights: .word 2, 1, 1, 0x90000000, 16, 0x90000400, 1024, 0, 0, 8, 0, 0x90000900, 0, 0, "  \
    "8, 0\n"

struct side {
    enum sam_system_agent agent;
    enum sam_system_access access;
    const char *symbol; /* of its pc; NULL: none */
};

struct planted {
    const char *body;
    struct side access, in_flight;
    uint64_t address, size; /* below 64: in the record in flight; 0 bytes: no race */
};

/* The kernel's code as assembled: no start code in front, so that addresses match. */
static struct system_program begin_with(const struct sam_system_options *options, const char *body,
                                        const char *kernels)
{
    char text[4096];
    struct system_program p;
    assert_true(snprintf(text, sizeof text, "%s%s%s", BEGIN, body, END) < (int)sizeof text);
    p = system_program_new(RV32, options, NULL, text, NULL);
    p.kernels = test_assemble("ventus", SAM_CODE_BASE, NULL, kernels);
    succeeds(sam_system_map, p.system, 0x90000000, 0x1000);
    succeeds(sam_system_load_gpu, p.system, p.kernels);
    return p;
}

static struct system_program begin(const char *body, const char *kernels)
{
    return begin_with(&(struct sam_system_options){.check_races = true}, body, kernels);
}

static uint64_t symbol(const struct system_program *p, enum sam_system_agent agent,
                       const char *name)
{
    const struct sam_symbol *found =
        sam_image_find(agent == SAM_SYSTEM_BY_GPU ? p->kernels : p->image, name);
    assert_non_null(found);
    return found->value;
}

static void expect_side(const struct system_program *p, const struct sam_system_race_side *side,
                        const struct side *expected)
{
    assert_int_equal(side->agent, expected->agent);
    assert_int_equal(side->access, expected->access);
    assert_int_equal(side->has_pc, expected->symbol != NULL);
    if (expected->symbol)
        assert_int_equal(side->pc, symbol(p, expected->agent, expected->symbol));
    if (side->agent < SAM_SYSTEM_BY_GPU)
        return;
    const bool gpu = side->agent == SAM_SYSTEM_BY_GPU;
    assert_int_equal(side->record, symbol(p, SAM_SYSTEM_BY_HART, gpu ? "record" : "weights"));
    if (side->number == 0)
        assert_int_equal(side->submitted_pc, symbol(p, SAM_SYSTEM_BY_HART, gpu ? "sub" : "wsub"));
}

static void expect(const struct planted *planted)
{
    SCOPED(system_program) p = begin(planted->body, kernel);
    size_t count;
    uint64_t dropped;
    system_expect(&p, 0);
    const struct sam_system_race *races = sam_system_races(p.system, &count, &dropped);
    if (count != (planted->size ? 1 : 0)) {
        char *text;
        sam_system_print_races(p.system, 0, &text, NULL);
        fail_msg("%zu races in %s:\n%s", count, planted->body, text);
    }
    assert_int_equal(dropped, 0);
    if (planted->size) {
        const uint64_t base = planted->address < 64 ? races[0].in_flight.record : 0;
        assert_int_equal(races[0].address, base + planted->address);
        assert_int_equal(races[0].size, planted->size);
        expect_side(&p, &races[0].access, &planted->access);
        expect_side(&p, &races[0].in_flight, &planted->in_flight);
    }
}

#define GPU(access, symbol)                                                                        \
    {                                                                                              \
        SAM_SYSTEM_BY_GPU, SAM_SYSTEM_##access, symbol                                             \
    }
#define HART(access)                                                                               \
    {                                                                                              \
        SAM_SYSTEM_BY_HART, SAM_SYSTEM_##access, "x"                                               \
    }
#define TENSOR(access)                                                                             \
    {                                                                                              \
        SAM_SYSTEM_BY_TENSOR, SAM_SYSTEM_##access, "x"                                             \
    }
#define MATRIX(access)                                                                             \
    {                                                                                              \
        SAM_SYSTEM_BY_MATRIX, SAM_SYSTEM_##access, "x"                                             \
    }
#define WEIGHTS(access)                                                                            \
    {                                                                                              \
        SAM_SYSTEM_BY_WEIGHTS, SAM_SYSTEM_##access, NULL                                           \
    }
#define ONE_SLICE "li t0, 0x010104\ncsrw tshape, t0\n"
#define ONE_ROW   "li t0, 0x100101\nmcfg zero, t0\n"

TEST(the_hart_and_a_launch)
{
    static const struct planted planted[] = {
        {"x: lw t0, 4(s0)\n", HART(LOAD), GPU(STORE, "st"), 0x90000004, 4},
        {"x: lb t0, 15(s0)\n", HART(LOAD), GPU(STORE, "st"), 0x9000000f, 1},
        {"x: lb t0, 16(s0)\n", .size = 0},
        {"x: sh t0, 2(s0)\n", HART(STORE), GPU(STORE, "st"), 0x90000002, 2},
        {"x: sb t0, 0x10f(s0)\n", HART(STORE), GPU(LOAD, "ld"), 0x9000010f, 1},
        {"x: lw t0, 0x104(s0)\n", .size = 0}, /* both load */
        {"addi t1, s0, 0x200\nx: lw t0, 0(t1)\n", HART(LOAD), GPU(ATOMIC, "at"), 0x90000200, 4},
        {"addi t1, s0, 0x200\nx: amoadd.w t0, t0, (t1)\n", .size = 0}, /* atomic to each other */
        {"addi t1, s0, 8\nx: amoadd.w t0, t0, (t1)\n", HART(ATOMIC), GPU(STORE, "st"), 0x90000008,
         4},
        {"x: sw zero, 8(s3)\n", HART(STORE), GPU(LOAD, NULL), 8, 4}, /* of the record */
        {"x: lw t0, 8(s3)\n", .size = 0},
        {"li t1, 0x80000000\nx: sw zero, 4(t1)\n", HART(STORE), GPU(FETCH, NULL), 0x80000004, 4},
        {"li t1, 0x80000000\nx: lw t0, 4(t1)\n", .size = 0},
        {"x: sw zero, 0x80(s0)\n", .size = 0}, /* between the bytes accessed by the kernel */
    };
    for (size_t i = 0; i < SAM_COUNT(planted); i++)
        expect(&planted[i]);
}

TEST(the_units_of_the_hart_and_a_launch)
{
    static const struct planted planted[] = {
        {ONE_SLICE "addi t1, s0, 14\nx: tl.load tl1, 0(t1)\n", TENSOR(LOAD), GPU(STORE, "st"),
         0x9000000e, 2},
        {ONE_SLICE "addi t1, s0, 0xfe\nx: tl.store tl1, 0(t1)\n", TENSOR(STORE), GPU(LOAD, "ld"),
         0x90000100, 2},
        {ONE_SLICE "addi t1, s0, 0x80\nx: tl.store tl1, 0(t1)\n", .size = 0},
        {ONE_ROW "li t2, 64\naddi t1, s0, 8\nx: mldb m1, t2, (t1)\n", MATRIX(LOAD),
         GPU(STORE, "st"), 0x90000008, 8},
        {ONE_ROW "li t2, 64\naddi t1, s0, 0x100\nx: mstb m1, t2, (t1)\n", MATRIX(STORE),
         GPU(LOAD, "ld"), 0x90000100, 16},
        {ONE_ROW "li t2, 64\naddi t1, s0, 0x100\nx: mldb m1, t2, (t1)\n", .size = 0},
    };
    for (size_t i = 0; i < SAM_COUNT(planted); i++)
        expect(&planted[i]);
}

/* The launch has ended when the record is submitted, unless the body says otherwise. */
#define COUNT "lw t0, 16(s1)\nwsub: sw s6, 0(s5)\n"

TEST(the_weight_unit_and_others)
{
    static const struct planted planted[] = {
        {COUNT "x: lw t0, 0x404(s0)\n", HART(LOAD), WEIGHTS(STORE), 0x90000404, 4},
        {COUNT "x: lw t0, 0x7fc(s0)\n", HART(LOAD), WEIGHTS(STORE), 0x900007fc, 4},
        {COUNT "x: lw t0, 0x3fc(s0)\n", .size = 0},
        {COUNT "addi t1, s0, 0x700\nx: lb t0, 0x213(t1)\n", HART(LOAD), WEIGHTS(STORE), 0x90000913,
         1}, /* the result */
        {COUNT "addi t1, s0, 0x700\nx: lb t0, 0x214(t1)\n", .size = 0},
        {COUNT "x: sb zero, 15(s0)\n", HART(STORE), WEIGHTS(LOAD), 0x9000000f, 1},
        {COUNT "x: sb zero, 16(s0)\n", .size = 0},
        {COUNT "x: lb t0, 0(s0)\n", .size = 0},
        {COUNT "x: sw zero, 60(s6)\n", HART(STORE), WEIGHTS(LOAD), 60, 4},
        {COUNT ONE_SLICE "addi t1, s0, 14\nx: tl.store tl1, 0(t1)\n", TENSOR(STORE), WEIGHTS(LOAD),
         0x9000000e, 2},
        {COUNT ONE_ROW "li t2, 64\naddi t1, s0, 0x3f8\nx: mldb m1, t2, (t1)\n", MATRIX(LOAD),
         WEIGHTS(STORE), 0x90000400, 8},
        /* the queue waited for */
        {COUNT "lw t0, 16(s1)\nlw t0, 8(s1)\nx: lw t0, 0x404(s0)\n", HART(LOAD), WEIGHTS(STORE),
         0x90000404, 4},
        {COUNT "lw t0, 16(s5)\nx: lw t0, 0x404(s0)\n", .size = 0},
        {COUNT "lw t0, 8(s5)\nx: lw t0, 0x404(s0)\n", .size = 0},
        /* the queues with each other, and with themselves */
        {"wsub: sw s6, 0(s5)\n", WEIGHTS(LOAD), GPU(STORE, "st"), 0x90000000, 16},
        {COUNT "sw s3, 0(s1)\n", GPU(STORE, "st"), WEIGHTS(LOAD), 0x90000000, 16},
        {COUNT "lw t0, 16(s5)\nsw s3, 0(s1)\n", .size = 0},
        {COUNT "sw s6, 0(s5)\nsw s6, 0(s5)\n", .size = 0},
    };
    for (size_t i = 0; i < SAM_COUNT(planted); i++)
        expect(&planted[i]);
}

/* Of the room for chunks, exactly the bytes reported by the result are written. */
TEST(encoded_bytes)
{
    SCOPED(system_program) p =
        begin("lw t0, 16(s1)\nli t0, 1\nsw t0, 0(s6)\nsw s6, 0(s5)\naddi t1, s0, 0x3e0\n"
              "addi t2, s0, 0x7f0\n1: lb t0, 0(t1)\naddi t1, t1, 1\nbne t1, t2, 1b\n",
              kernel);
    size_t count;
    system_expect(&p, 0);
    const struct sam_system_race *races = sam_system_races(p.system, &count, NULL);
    const uint32_t bytes = system_word(&p, 0x90000904);
    assert_int_equal(system_word(&p, 0x90000900), SAM_WEIGHT_IS_GOOD);
    assert_in_range(bytes, 1, 0x3ef);
    assert_int_equal(count, 1);
    assert_int_equal(races[0].address, 0x90000400);
    assert_int_equal(races[0].size, bytes);
    assert_int_equal(races[0].count, bytes);
}

/* Reads of the program before it accesses the launch's bytes. */
TEST(waiting)
{
    static const struct planted planted[] = {
        {"lw t0, 16(s1)\nx: lw t0, 4(s0)\n", .size = 0}, /* WAIT */
        {"lw t0, 8(s1)\nx: lw t0, 4(s0)\n", .size = 0},  /* DONE */
        {"lw t0, 4(s1)\nx: lw t0, 4(s0)\n", HART(LOAD), GPU(STORE, "st"), 0x90000004, 4},
        {"lw t0, 12(s1)\nx: lw t0, 4(s0)\n", HART(LOAD), GPU(STORE, "st"), 0x90000004, 4},
        /* writing STATUS is not a wait either */
        {"sw t0, 12(s1)\nx: sw t0, 4(s0)\n", HART(STORE), GPU(STORE, "st"), 0x90000004, 4},
    };
    for (size_t i = 0; i < SAM_COUNT(planted); i++)
        expect(&planted[i]);
}

/* With timing, DONE shows the ended submissions: of two launches the first, or none. The first
 * one stores to the second's bytes, too. */
TEST(polling_in_time)
{
    static const struct {
        const char *body;
        int64_t number; /* of the racing launch; -1: none */
    } cases[] = {
        {"lw t0, 8(s1)\nlw t0, 4(s0)\n", 0},
        {"li t1, 1\n1: lw t0, 8(s1)\nbne t0, t1, 1b\nlw t0, 4(s0)\n", -1},
        {"sw s3, 0(s1)\nli t1, 1\n1: lw t0, 8(s1)\nblt t0, t1, 1b\nlw t0, 4(s0)\n", 1},
        {"sw s3, 0(s1)\nli t1, 2\n1: lw t0, 8(s1)\nblt t0, t1, 1b\nlw t0, 4(s0)\n", -1},
        {"sw s3, 0(s1)\nlw t0, 16(s1)\nlw t0, 4(s0)\n", -1},
        /* time alone is not a wait */
        {"li t0, 3000\n1: addi t0, t0, -1\nbnez t0, 1b\nlw t0, 4(s0)\n", 0},
    };
    const struct sam_system_timing timing = {.size = sizeof timing};
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        SCOPED(system_program) p =
            begin_with(&(struct sam_system_options){.check_races = true, .timing = &timing},
                       cases[i].body, kernel);
        size_t count;
        system_expect(&p, 0);
        const struct sam_system_race *races = sam_system_races(p.system, &count, NULL);
        assert_int_equal(count, cases[i].number >= 0);
        if (count) {
            assert_int_equal(races[0].in_flight.number, cases[i].number);
            assert_int_equal(races[0].address, 0x90000004);
        }
    }
}

/* Values and cycles equal those of a run without the check, in every byte of the report. */
TEST(the_check_changes_nothing)
{
    static const char body[] = COUNT "sw s3, 0(s1)\nlw t1, 4(s0)\nlw t0, 8(s1)\nlw t0, 16(s5)\n";
    const struct sam_system_timing timing = {.size = sizeof timing};
    char *reports[2];
    uint32_t words[2];
    for (unsigned i = 0; i < 2; i++) {
        SCOPED(system_program) p = begin_with(
            &(struct sam_system_options){.check_races = i == 1, .timing = &timing}, body, kernel);
        struct sam_system_figures *figures;
        size_t count;
        system_expect(&p, 0);
        sam_system_races(p.system, &count, NULL);
        assert_int_equal(count > 0, i == 1);
        words[i] = system_word(&p, 0x90000408);
        succeeds(sam_system_measure, p.system, &figures);
        succeeds(sam_system_report, figures, NULL, SAM_SYSTEM_TEXT, &reports[i]);
        sam_system_figures_free(figures);
    }
    assert_string_equal(reports[0], reports[1]);
    assert_int_equal(words[0], words[1]);
    sam_text_free(reports[0]);
    sam_text_free(reports[1]);
}

/* A second launch on the same bytes is not a race; later accesses race with the later one. */
TEST(a_queue_orders_itself)
{
    size_t count;
    SCOPED(system_program) p =
        begin("lw t0, 8(s1)\nsw s3, 0(s1)\nsw s3, 0(s1)\nlb t0, 3(s0)\n", kernel);
    system_expect(&p, 0);
    const struct sam_system_race *races = sam_system_races(p.system, &count, NULL);
    assert_int_equal(count, 1);
    assert_int_equal(races[0].in_flight.number, 2);
    assert_int_equal(races[0].address, 0x90000003);
}

/* A kernel that overwrites the hart's program races with the fetches there; the store that
 * submits it was fetched before. */
TEST(a_launch_that_writes_the_harts_code)
{
    static const char writes[] = "li t0, 0x40000000\n"
                                 "li t1, 0x400\n"
                                 "add t1, t1, t0\n"
                                 "1: lw t2, 0(t0)\n"
                                 "st: sw t2, 0(t0)\n"
                                 "addi t0, t0, 4\n"
                                 "bne t0, t1, 1b\n"
                                 "endprg\n";
    SCOPED(system_program) p = begin("x: nop\nnop\nlw t0, 16(s1)\nnop\n", writes);
    size_t count;
    system_expect(&p, 0);
    const struct sam_system_race *races = sam_system_races(p.system, &count, NULL);
    const uint64_t x = symbol(&p, SAM_SYSTEM_BY_HART, "x");
    assert_int_equal(count, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(races[i].address, x + 4 * i);
        assert_int_equal(races[i].size, 4);
        assert_int_equal(races[i].access.access, SAM_SYSTEM_FETCH);
        assert_int_equal(races[i].in_flight.pc, symbol(&p, SAM_SYSTEM_BY_GPU, "st"));
    }
}

/* Host reads and writes on behalf of the program count as the program's. */
TEST(calls_of_the_host)
{
    /* SYS_WRITE0 of the bytes stored by the launch, which end at once */
    static const char body[] = "li a0, 4\nmv a1, s0\n.balign 16\nslli zero, zero, 0x1f\n"
                               "x: ebreak\nsrai zero, zero, 7\n";
    struct sam_hostio *host;
    char text[4096];
    size_t count;
    const struct sam_hostio_options sinks = {.size = sizeof sinks, .output = {test_drop, NULL}};
    succeeds(sam_hostio_new, &sinks, &host);
    assert_true(snprintf(text, sizeof text, "%s%s%s", BEGIN, body, END) < (int)sizeof text);
    SCOPED(system_program) p =
        system_program_new(RV32, &(struct sam_system_options){.check_races = true},
                           &(struct sam_hart_options){.hostio = host}, text, NULL);
    p.kernels = test_assemble("ventus", SAM_CODE_BASE, NULL, kernel);
    succeeds(sam_system_map, p.system, 0x90000000, 0x1000);
    succeeds(sam_system_load_gpu, p.system, p.kernels);
    system_expect(&p, 0);
    const struct sam_system_race *races = sam_system_races(p.system, &count, NULL);
    assert_int_equal(count, 1);
    assert_int_equal(races[0].address, 0x90000000);
    assert_int_equal(races[0].access.access, SAM_SYSTEM_LOAD);
    assert_int_equal(races[0].access.pc, symbol(&p, SAM_SYSTEM_BY_HART, "x"));
    sam_hostio_free(host);
}

TEST(the_report_has_symbols)
{
    SCOPED(system_program) p = begin("x: lw t0, 4(s0)\n", kernel);
    char *text, expected[512];
    system_expect(&p, 0);
    succeeds(sam_system_print_races, p.system, 0, &text);
    snprintf(expected, sizeof expected,
             "race: 4 bytes at 0x90000004 to 0x90000007\n"
             "  load by the hart at pc 0x%08llx <x+0x0>\n"
             "  store by GPU launch 0 at pc 0x%08llx <st+0x0>, record at 0x%08llx, "
             "submitted at pc 0x%08llx <sub+0x0>, not waited for\n",
             (unsigned long long)symbol(&p, SAM_SYSTEM_BY_HART, "x"),
             (unsigned long long)symbol(&p, SAM_SYSTEM_BY_GPU, "st"),
             (unsigned long long)symbol(&p, SAM_SYSTEM_BY_HART, "record"),
             (unsigned long long)symbol(&p, SAM_SYSTEM_BY_HART, "sub"));
    assert_string_equal(text, expected);
    sam_text_free(text);
}

/* The GPU of a system may get other options between runs. */
TEST(options_of_the_gpu)
{
    SCOPED(system_program) p = begin("x: lw t0, 4(s0)\n", kernel);
    size_t count;
    const struct sam_gpu_options options = {.size = sizeof options, .jobs = 2};
    succeeds(sam_gpu_set_options, sam_system_gpu(p.system), &options);
    system_expect(&p, 0);
    sam_system_races(p.system, &count, NULL);
    assert_int_equal(count, 1);
}

TEST(without_the_check_there_is_nothing)
{
    SCOPED(system_program) p = system_program_new(RV32, NULL, NULL, "1: j 1b\n", NULL);
    size_t count = 1;
    uint64_t dropped = 1;
    SCOPED_TEXT *text = NULL;
    assert_null(sam_system_races(p.system, &count, &dropped));
    assert_int_equal(count + dropped, 0);
    succeeds(sam_system_print_races, p.system, 0, &text);
    assert_string_equal(text, "");
}
