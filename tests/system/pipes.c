/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes of a program described by hand: their cycles against those of the units. */
#include "system/program.h"

/* s0: the page of the GPU's queue, s1: a launch record, s2: the page of the weight unit's queue,
 * s3: a record that counts symbols. */
static const char text[] =
    "main: li s0, 0x02001000\n"
    " li s2, 0x02002000\n"
    " la s1, record\n"
    " la s3, count\n"
    " lw t0, gpu__start\n"
    " sw t0, 0(s1)\n"
    " lw t0, gpu_kernel\n"
    " la t1, metadata\n"
    " sw t0, 0(t1)\n"
    " li a0, 0xa0001000\n"
    " li a1, 0xa0003000\n"
    "setup: li t0, 0x100101\n"
    " csrw tshape, t0\n"
    " li t0, 64\n"
    " csrw tload_width, t0\n"
    " csrw tstore_width, t0\n"
    "move: call routine\n"
    "start: sw s1, 0(s0)\n"
    "signal: nop\n"
    "waits: lw t0, 16(s0)\n"
    "decode: sw s3, 0(s2)\n"
    " lw t0, 16(s2)\n"
    "over: li t6, 0x02000000\n"
    " sw zero, 4(t6)\n"
    "routine: tl.load tl1, 0(a0)\n"
    " tl.store tl1, 0(a1)\n"
    " ret\n"
    " .data\n"
    " .balign 64\n"
    "record: .word 0, metadata, 16, 1, 1, 8, 1, 4096, 64, pds, 0, 0, 0, 0, 0, 0\n"
    "metadata: .word 0, args, 1, 128, 1, 1, 8, 1, 1, 0, 0, 0, 0, 0, 0, 0\n"
    "args: .word 0xa0000000, 100, 0, 0\n"
    "count: .word 2, 2, 2, 0xa0001000, 4096, 0xa0002000, 1024, 0, 0, 2048, 0, 0xa0003f00, 0, 2, "
    "2048, 0\n"
    "gpu__start: .word 1\n"
    "gpu_kernel: .word 1\n"
    "pds: .space 64 * 8 * 16\n";

enum { SETUP, MOVE, START, SIGNAL, WAITS, DECODE, OPERATIONS };
enum { UNITS, KERNELS, PIPES };

static const char *const pipe_names[] = {"units", "kernels"};
static const struct sam_system_operation operations[OPERATIONS] = {
    [SETUP] = {"setup", 1, 1, SAM_SYSTEM_NO_PIPE},
    [MOVE] = {"move", 2, 1, UNITS},
    [START] = {"start", 3, 1, KERNELS},
    [SIGNAL] = {"signal", 4, 1, SAM_SYSTEM_NO_PIPE},
    [WAITS] = {"waits", 5, 1, SAM_SYSTEM_NO_PIPE},
    [DECODE] = {"decode", 6, 1, UNITS},
};
static const uint32_t launched[] = {START}, event[] = {0};
static const struct sam_system_kernel kernel = {"kernel", launched, 1};

enum { MARKS = OPERATIONS + 1 };

static void place(const struct sam_image *image, struct sam_system_mark marks[MARKS])
{
    for (uint32_t i = 0; i < MARKS; i++) {
        const struct sam_symbol *s =
            sam_image_find(image, i < OPERATIONS ? operations[i].name : "over");
        assert_non_null(s);
        marks[i] = (struct sam_system_mark){.address = s->value,
                                            .operation = i < OPERATIONS ? i : SAM_SYSTEM_NO_PIPE};
    }
    marks[SIGNAL].kind = SAM_SYSTEM_MARK_RECORD;
    marks[SIGNAL].pipe = KERNELS;
    marks[SIGNAL].to = event;
    marks[WAITS].kind = SAM_SYSTEM_MARK_WAIT;
    marks[WAITS].from = event;
    marks[SIGNAL].count = marks[WAITS].count = 1;
}

static struct sam_system_pipes describe(const struct sam_system_mark marks[MARKS])
{
    return (struct sam_system_pipes){.size = sizeof(struct sam_system_pipes),
                                     .title = "by hand",
                                     .names = pipe_names,
                                     .count = PIPES,
                                     .operations = operations,
                                     .operation_count = OPERATIONS,
                                     .marks = marks,
                                     .mark_count = MARKS,
                                     .kernels = &kernel,
                                     .kernel_count = 1,
                                     .events = 1};
}

static struct system_program open_program(bool timed)
{
    const struct sam_system_timing timing = {.size = sizeof timing};
    return system_program_new(RV64, &(struct sam_system_options){.timing = timed ? &timing : NULL},
                              NULL, text, system_fill);
}

/* Cycles of a unit, except for one reason. */
static uint64_t cycles_but(const struct sam_system_figures *f, const char *unit, const char *reason)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < f->row_count; i++)
        if (strcmp(f->rows[i].unit, unit) == 0 && strcmp(f->rows[i].reason, reason) != 0)
            sum += f->rows[i].cycles;
    return sum;
}

static uint64_t cycles_of(const struct sam_system_figures *f, const char *unit, const char *reason)
{
    return f->cycles - cycles_but(f, unit, reason);
}

static void expect_pipes(const struct sam_system_figures *f)
{
    const struct sam_system_launch_time *l = &f->launches[0];
    const uint64_t *kernels = f->pipes[KERNELS].cycles, *units = f->pipes[UNITS].cycles;
    const uint64_t control = cycles_of(f, "hart", "control");
    const uint64_t records = cycles_but(f, "weights", "empty");
    assert_int_equal(f->pipe_count, PIPES);
    for (unsigned p = 0; p < PIPES; p++) {
        uint64_t sum = 0;
        for (unsigned i = 0; i < SAM_SYSTEM_PIPE_CYCLES; i++)
            sum += f->pipes[p].cycles[i];
        assert_int_equal(sum, f->cycles);
    }
    assert_int_equal(kernels[SAM_SYSTEM_PIPE_BUSY],
                     cycles_of(f, "GPU", "runs") + cycles_of(f, "GPU", "flush"));
    assert_int_equal(kernels[SAM_SYSTEM_PIPE_BUSY], l->end - l->first);
    assert_int_equal(kernels[SAM_SYSTEM_PIPE_QUEUED], l->first - l->submitted);
    /* The first wait is for the launch, the second for the record. */
    assert_true(kernels[SAM_SYSTEM_PIPE_WAIT] < control);
    assert_in_range(kernels[SAM_SYSTEM_PIPE_WAIT], records - 2, records + 2);
    assert_int_equal(units[SAM_SYSTEM_PIPE_BUSY],
                     f->operations[MOVE].work + f->operations[DECODE].work);
    assert_int_equal(f->operations[DECODE].work, records);
    assert_int_equal(kernels[SAM_SYSTEM_PIPE_DONE], cycles_of(f, "hart", "done"));
}

static void expect_operations(const struct sam_system_figures *f)
{
    static const uint64_t instructions[] = {
        [SETUP] = 5, [MOVE] = 4, [START] = 1, [SIGNAL] = 1, [WAITS] = 1, [DECODE] = 2};
    const struct sam_system_operation_time *t = f->operations;
    uint64_t counted = 0, cycles = 0;
    assert_int_equal(f->operation_count, OPERATIONS + 1);
    for (unsigned i = 0; i < OPERATIONS; i++) {
        assert_ptr_equal(t[i].operation, &operations[i]);
        assert_int_equal(t[i].leader, i);
        assert_int_equal(t[i].count, i == MOVE || i == START || i == DECODE);
        if (instructions[i] > 2 || i == WAITS) /* an assembler may need more for the others */
            assert_in_range(t[i].instructions, instructions[i], instructions[i] + 2);
    }
    for (unsigned i = 0; i <= OPERATIONS; i++) {
        counted += t[i].instructions;
        cycles += t[i].cycles;
    }
    assert_null(t[OPERATIONS].operation);
    assert_int_equal(counted, f->instructions);
    assert_int_equal(cycles, f->cycles - cycles_of(f, "hart", "done"));
    assert_int_equal(t[MOVE].read, 1024);
    assert_int_equal(t[MOVE].written, 1024);
    assert_int_equal(t[START].work, f->launches[0].end - f->launches[0].first);
    assert_true(t[START].written > 0 && t[START].written == f->launches[0].written);
}

TEST(test_cycles)
{
    SCOPED(system_program) p = open_program(true);
    struct sam_system_mark marks[MARKS];
    struct sam_system_figures *f;
    place(p.image, marks);
    const struct sam_system_pipes pipes = describe(marks);
    succeeds(sam_system_describe_pipes, p.system, &pipes);
    assert_int_equal(sam_system_describe_pipes(p.system, &pipes, &p.error), SAM_ERR_USAGE);
    system_expect(&p, 0);
    succeeds(sam_system_measure, p.system, &f);
    system_expect_sums(f);
    expect_pipes(f);
    expect_operations(f);
    sam_system_figures_free(f);
}

/* A run without timing keeps no pipes. */
TEST(test_untimed)
{
    SCOPED(system_program) p = open_program(false);
    struct sam_system_mark marks[MARKS];
    place(p.image, marks);
    const struct sam_system_pipes pipes = describe(marks);
    succeeds(sam_system_describe_pipes, p.system, &pipes);
    system_expect(&p, 0);
}
