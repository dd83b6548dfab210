/* SPDX-License-Identifier: Apache-2.0 */
/* A system with timing: waits between units, sums of the figures, and values that do not depend
 * on timing. */
#include "system/program.h"

static const char *const isas[] = {RV32, RV64};

/* s0: the page of the GPU's queue, s1: a launch record of 16 workgroups, s2: the page of the weight
 * unit's queue, s3: a record that counts the symbols of 2048 f16. */
#define PROGRAM(body)                                                                              \
    "main: li s0, 0x02001000\n"                                                                    \
    " li s2, 0x02002000\n"                                                                         \
    " la s1, record\n"                                                                             \
    " la s3, count\n"                                                                              \
    " lw t0, gpu__start\n"                                                                         \
    " sw t0, 0(s1)\n"                                                                              \
    " lw t0, gpu_kernel\n"                                                                         \
    " la t1, metadata\n"                                                                           \
    " sw t0, 0(t1)\n" body " li t6, 0x02000000\n"                                                  \
    " sw zero, 4(t6)\n"                                                                            \
    " .data\n"                                                                                     \
    " .balign 64\n"                                                                                \
    "record: .word 0, metadata, 16, 1, 1, 8, 1, 4096, 64, pds, 0, 0, 0, 0, 0, 0\n"                 \
    "metadata: .word 0, args, 1, 128, 1, 1, 8, 1, 1, 0, 0, 0, 0, 0, 0, 0\n"                        \
    "args: .word 0xa0000000, 100, 0, 0\n"                                                          \
    "count: .word 2, 2, 2, 0xa0001000, 4096, 0xa0002000, 1024, 0, 0, 2048, 0, 0xa0003000, 0, 2, "  \
    "2048, 0\n"                                                                                    \
    "gpu__start: .word 1\n"                                                                        \
    "gpu_kernel: .word 1\n"                                                                        \
    "pds: .space 64 * 8 * 16\n"

/* ------------------------------------------------------------------------------------ figures */

static uint64_t cycles_of(const struct sam_system_figures *f, const char *unit, const char *reason)
{
    uint64_t sum = 0;
    bool found = false;
    for (size_t i = 0; i < f->row_count; i++)
        if (strcmp(f->rows[i].unit, unit) == 0 && strcmp(f->rows[i].reason, reason) == 0) {
            sum += f->rows[i].cycles;
            found = true;
        }
    if (!found)
        fail_msg("no reason '%s' of '%s'", reason, unit);
    return sum;
}

static struct sam_system_config *config_of(const char *text)
{
    struct sam_system_config *config;
    succeeds(sam_system_config_new, &config);
    succeeds(sam_system_config_set, config, text);
    return config;
}

/* Run with these parameters; returns the figures, after checks. */
static struct sam_system_figures *run(struct system_program *p, const char *isa, const char *config,
                                      const char *text)
{
    struct sam_system_config *c = config_of(config);
    const struct sam_system_timing timing = {.size = sizeof timing, .config = c};
    struct sam_system_figures *figures;
    *p = system_program_new(isa, &(struct sam_system_options){.timing = &timing}, NULL, text,
                            system_fill);
    sam_system_config_free(c);
    system_expect(p, 0);
    if (sam_system_measure(p->system, &figures, &p->error) != SAM_OK)
        fail_msg("%s", p->error.text);
    system_expect_sums(figures);
    return figures;
}

static void release(struct system_program *p, struct sam_system_figures *figures)
{
    sam_system_figures_free(figures);
    system_program_free(p);
}

/* -------------------------------------------------------------------------------------- tests */

TEST(a_launch_takes_its_time)
{
    for (size_t i = 0; i < 2; i++) {
        struct system_program p;
        struct sam_system_figures *f = run(&p, isas[i], "launch_cycles=500",
                                           PROGRAM(" sw s1, 0(s0)\n"
                                                   " lw s4, 8(s0)\n"    /* DONE */
                                                   " lw s5, 16(s0)\n"   /* WAIT */
                                                   " lw s6, 8(s0)\n")); /* DONE */
        assert_int_equal(sam_hart_x(p.hart, 20), 0);
        assert_int_equal(sam_hart_x(p.hart, 21), 0);
        assert_int_equal(sam_hart_x(p.hart, 22), 1);
        assert_int_equal(f->launch_count, 1);
        assert_string_equal(f->launches[0].kernel, "kernel");
        assert_int_equal(f->launches[0].first - f->launches[0].begun, 500);
        assert_int_equal(cycles_of(f, "GPU", "launch"), 500);
        assert_int_equal(cycles_of(f, "SM", "launch"), 1000);
        assert_in_range(cycles_of(f, "hart", "control"), 500, f->cycles - 10);
        assert_true(cycles_of(f, "GPU", "runs") > 100);
        for (uint32_t k = 0; k < 128; k++)
            assert_int_equal(system_word(&p, DATA_BASE + 4 * k), 100 + k);
        release(&p, f);
    }
}

/* The last endprg may execute long after the last store has been acknowledged. */
TEST(a_launch_ends_with_its_last_endprg)
{
    for (unsigned latency = 0; latency <= 100; latency += 20) {
        struct system_program p;
        FREED char *config = formatted("gpu.emit_latency=%u,gpu.salu_interval=128", latency);
        struct sam_system_figures *f =
            run(&p, isas[0], config, PROGRAM(" sw s1, 0(s0)\n lw s5, 16(s0)\n"));
        assert_in_range(f->launches[0].end - f->launches[0].first, cycles_of(f, "GPU", "runs"),
                        f->cycles);
        release(&p, f);
    }
}

/* A submission begins after the end of older instructions of the engines that use its bytes:
 * loads of its destinations, stores to its sources or destinations. */
TEST(what_is_submitted_keeps_the_order)
{
    static const struct {
        const char *insn, *address, *submit;
        bool waits;
    } cases[] = {
        {"tl.store", "0xa0000000", "sw s1, 0(s0)", true}, /* the launch stores there */
        {"tl.load", "0xa0000000", "sw s1, 0(s0)", true},
        {"tl.store", "0xa0001000", "sw s1, 0(s0)", false},
        {"tl.store", "0xa0001000", "sw s3, 0(s2)", true}, /* the record's elements */
        {"tl.load", "0xa0001000", "sw s3, 0(s2)", false},
        {"tl.store", "0xa0002000", "sw s3, 0(s2)", true}, /* its counters */
        {"tl.load", "0xa0003000", "sw s3, 0(s2)", true},  /* its result */
        {"tl.store", "0xa0000000", "sw s3, 0(s2)", false},
    };
    for (size_t i = 0; i < 2 * SAM_COUNT(cases); i++) {
        struct system_program p;
        char text[2048];
        snprintf(text, sizeof text,
                 PROGRAM(" li t0, 0x081001\n" /* 128 bytes */
                         " csrw tshape, t0\n"
                         " li a0, %s\n"
                         " %s tl1, 0(a0)\n"
                         " %s\n"
                         " lw s5, 16(s0)\n"
                         " lw s5, 16(s2)\n"),
                 cases[i / 2].address, cases[i / 2].insn, cases[i / 2].submit);
        struct sam_system_figures *f =
            run(&p, isas[i % 2], "tl.load_bytes=1,tl.store_bytes=1", text);
        const uint64_t cycles = cycles_of(f, "hart", "memory");
        if (cases[i / 2].waits ? cycles < 100 : cycles > 0)
            fail_msg("%s %s, %s: %llu cycles", cases[i / 2].insn, cases[i / 2].address,
                     cases[i / 2].submit, (unsigned long long)cycles);
        release(&p, f);
    }
}

TEST(polling_sees_the_end)
{
    struct system_program p;
    struct sam_system_figures *f = run(&p, RV32, "",
                                       PROGRAM(" sw s1, 0(s0)\n"
                                               " li s5, 0\n"
                                               "1: lw s4, 8(s0)\n"
                                               " addi s5, s5, 1\n"
                                               " beqz s4, 1b\n"
                                               " li t6, 0x02000000\n"
                                               " lw s6, 8(t6)\n"));
    assert_true(sam_hart_x(p.hart, 21) > 50);
    assert_in_range(sam_hart_x(p.hart, 22), f->launches[0].end, f->launches[0].end + 6);
    assert_int_equal(cycles_of(f, "hart", "control"), 0);
    release(&p, f);
}

TEST(a_full_queue_holds_the_store)
{
    static const char text[] = PROGRAM(" sw s1, 0(s0)\n"
                                       " sw s1, 0(s0)\n"
                                       " sw s1, 0(s0)\n"
                                       " sw s1, 0(s0)\n");
    struct system_program p;
    struct sam_system_figures *f = run(&p, RV32, "queue=1", text);
    assert_int_equal(f->launch_count, 4);
    for (size_t i = 2; i < 4; i++) /* when the previous one has left the queue */
        assert_in_range(f->launches[i].submitted, f->launches[i - 1].begun,
                        f->launches[i - 1].begun + 2);
    assert_true(cycles_of(f, "hart", "control") > 200);
    release(&p, f);
    f = run(&p, RV32, "queue=16", text);
    assert_int_equal(cycles_of(f, "hart", "control"), 0);
    assert_true(cycles_of(f, "hart", "done") >
                400); /* launches that the program did not wait for */
    release(&p, f);
}

TEST(the_queues_run_beside_each_other)
{
    struct system_program p;
    struct sam_system_figures *both = run(&p, RV32, "",
                                          PROGRAM(" sw s1, 0(s0)\n"
                                                  " sw s3, 0(s2)\n"
                                                  " lw s5, 16(s0)\n"
                                                  " lw s6, 16(s2)\n"
                                                  " lw s7, 8(s2)\n"));
    assert_int_equal(sam_hart_x(p.hart, 21), 0);
    assert_int_equal(sam_hart_x(p.hart, 22), 0);
    assert_int_equal(sam_hart_x(p.hart, 23), 1);
    assert_int_equal(both->records, 1);
    assert_int_equal(cycles_of(both, "weights", "count"), 2 * 256 + 2048);
    const uint64_t cycles = both->cycles;
    release(&p, both);
    struct sam_system_figures *apart = run(&p, RV32, "",
                                           PROGRAM(" sw s1, 0(s0)\n"
                                                   " lw s5, 16(s0)\n"
                                                   " sw s3, 0(s2)\n"
                                                   " lw s6, 16(s2)\n"));
    assert_true(cycles + 100 < apart->cycles);
    release(&p, apart);
}

static uint64_t bytes_of(const struct sam_system_figures *f, const char *unit)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < f->byte_count; i++)
        if (strcmp(f->bytes[i].unit, unit) == 0)
            sum += f->bytes[i].read + f->bytes[i].written;
    return sum;
}

/* Two slices of 512 bytes go through TensorLoad, a record reads and writes, and a launch runs. */
TEST(bytes_belong_to_their_unit)
{
    static const char text[] = PROGRAM(" li a0, 0x10000000\n"
                                       " li a1, 0x18000000\n"
                                       " li t1, 512\n"
                                       " csrw tload_width, t1\n"
                                       " csrw tstore_width, t1\n"
                                       " csrwi tload_stride0, 0\n"
                                       " csrwi tload_stride1, 1\n"
                                       " csrwi tstore_stride0, 0\n"
                                       " csrwi tstore_stride1, 1\n"
                                       " li t2, 0x20101\n"
                                       " csrw tshape, t2\n"
                                       " tl.load tl1, 0(a0)\n"
                                       " tl.store tl1, 0(a1)\n"
                                       " sw s1, 0(s0)\n"
                                       " sw s3, 0(s2)\n");
    struct system_program p;
    struct sam_system_figures *f = run(&p, RV32, "", text);
    assert_int_equal(bytes_of(f, "load"), 1024);
    assert_int_equal(bytes_of(f, "store"), 1024);
    assert_int_equal(bytes_of(f, "matrix"), 0);
    assert_true(bytes_of(f, "GPU") > 512);
    assert_true(bytes_of(f, "weights") >= 4096 + 1024);
    release(&p, f);
}

/* A trapped launch takes the time of its executed instructions, and the next one follows. */
TEST(a_launch_that_traps_takes_time)
{
    static const char overrun[] = " .globl kernel\n"
                                  "kernel: li t0, 0xa0003ff0\n"
                                  " vid.v v1\n"
                                  " vsll.vi v1, v1, 2\n"
                                  " vadd.vx v1, v1, t0\n"
                                  " vsw12.v v1, 0(v1)\n"
                                  " ret\n";
    static const char text[] = PROGRAM(" sw s1, 0(s0)\n"
                                       " sw s1, 0(s0)\n"
                                       " lw s5, 16(s0)\n"
                                       " lw s6, 8(s0)\n");
    const struct sam_system_timing timing = {.size = sizeof timing};
    struct sam_system_options options = {.timing = &timing, .gpu_traps = SAM_SYSTEM_TRAPS_REPORT};
    struct sam_system_figures *f;
    struct system_program p = system_program_new(RV32, &options, NULL, text, overrun);
    system_expect(&p, 0);
    assert_int_equal(sam_hart_x(p.hart, 21), 1 + p.result.trap.kind);
    assert_int_equal(sam_hart_x(p.hart, 22), 2);
    succeeds(sam_system_measure, p.system, &f);
    system_expect_sums(f);
    assert_int_equal(f->launch_count, 2);
    assert_true(f->launches[0].insns > 5);
    release(&p, f);
    options.gpu_traps = SAM_SYSTEM_TRAPS_END;
    p = system_program_new(RV32, &options, NULL, text, overrun);
    assert_int_equal(sam_system_run(p.system, &p.result, &p.error), SAM_ERR_TRAP);
    succeeds(sam_system_measure, p.system, &f);
    system_expect_sums(f);
    release(&p, f);
}

/* A launch that exceeds the GPU of the model is rejected before it runs. */
TEST(a_launch_that_does_not_fit_is_refused)
{
    struct sam_system_config *config = config_of("gpu.lds_bytes=64");
    const struct sam_system_timing timing = {.size = sizeof timing, .config = config};
    SCOPED(system_program) p =
        system_program_new(RV32, &(struct sam_system_options){.timing = &timing}, NULL,
                           PROGRAM(" sw s1, 0(s0)\n"), system_fill);
    sam_system_config_free(config);
    assert_int_equal(sam_system_run(p.system, &p.result, &p.error), SAM_ERR_TRAP);
    if (!strstr(p.error.text, "fits no SM: lds_bytes=64"))
        fail_msg("%s", p.error.text);
    assert_int_equal(system_word(&p, DATA_BASE), 0);
}

/* Every parameter has the value set under its full name. */
TEST(parameters_are_read_back)
{
    struct sam_system_config *config =
        config_of("gpu.sms=3,mem.dram_bytes=5,mx.mlen=128,tl.pipelined=0,launch_cycles=77");
    static const struct {
        const char *name;
        uint64_t value;
    } set[] = {{"gpu.sms", 3},
               {"mem.dram_bytes", 5},
               {"mx.mlen", 128},
               {"tl.pipelined", 0},
               {"launch_cycles", 77}};
    const struct sam_parameter *p;
    const char *prefix;
    uint64_t value = 1;
    for (size_t i = 0; i < SAM_COUNT(set); i++) {
        assert_true(sam_system_config_get(config, set[i].name, &value));
        assert_int_equal(value, set[i].value);
    }
    for (size_t i = 0; (p = sam_system_parameter(i, &prefix)); i++) {
        char name[64];
        assert_true(snprintf(name, sizeof name, "%s%s", prefix, p->name) < 64);
        assert_true(sam_system_config_get(config, name, &value));
    }
    assert_false(sam_system_config_get(config, "sms", &value));
    assert_false(sam_system_config_get(config, "gpu.smz", &value));
    assert_false(sam_system_config_get(config, "gpu.", &value));
    sam_system_config_free(config);
}

TEST(nothing_is_measured_without_timing)
{
    struct sam_system_figures *f;
    SCOPED(system_program) p = system_program_new(RV32, NULL, NULL, PROGRAM(""), system_fill);
    system_expect(&p, 0);
    assert_int_equal(sam_system_measure(p.system, &f, &p.error), SAM_ERR_USAGE);
    assert_null(f);
}

/* Draw parameters of all parts, powers of two and small numbers; impossible values keep the
 * default. */
static struct sam_system_config *random_config(uint64_t *seed)
{
    struct sam_system_config *config = config_of("");
    const char *prefix;
    size_t count = 0;
    while (sam_system_parameter(count, &prefix))
        count++;
    for (unsigned i = 0; i < 8; i++) {
        const struct sam_parameter *p = sam_system_parameter(test_below(seed, count), &prefix);
        struct sam_error error;
        FREED char *text =
            formatted("%s%s=%llu", prefix, p->name,
                      (unsigned long long)(test_below(seed, 2) ? UINT64_C(1) << test_below(seed, 8)
                                                               : p->low + test_below(seed, 9)));
        /* those define the function of a part, not its timing */
        static const char *const parts[] = {"mlen", "sym_width", "depth", "wt_width"};
        bool is_part = false;
        for (size_t k = 0; k < SAM_COUNT(parts); k++)
            is_part |= strcmp(p->name, parts[k]) == 0;
        if (!is_part)
            (void)sam_system_config_set(config, text, &error);
    }
    return config;
}

/* Memory and registers are the same with every configuration. */
TEST(values_do_not_depend_on_time)
{
    static const char text[] = PROGRAM(" sw s1, 0(s0)\n"
                                       " sw s3, 0(s2)\n"
                                       " lw s5, 16(s0)\n"
                                       " la t1, args\n"
                                       " li t0, 0xa0000400\n"
                                       " sw t0, 0(t1)\n"
                                       " sw s1, 0(s0)\n"
                                       " lw s6, 16(s2)\n"
                                       " lw s7, 16(s0)\n"
                                       " lw s8, 4(s0)\n");
    uint64_t seed = test_seed();
    unsigned ran = 0;
    SCOPED(system_program) plain = system_program_new(RV32, NULL, NULL, text, system_fill);
    system_expect(&plain, 0);
    uint8_t expected[DATA_SIZE], found[DATA_SIZE];
    succeeds(sam_system_read, plain.system, DATA_BASE, expected, sizeof expected);
    for (unsigned i = 0; i < 40; i++) {
        struct sam_system_config *config = random_config(&seed);
        struct sam_system_timing timing = {
            .size = sizeof timing, .config = config, .raw_weights = i & 1};
        struct sam_system *system;
        struct sam_error error;
        const struct sam_hart_options hart = {.size = sizeof hart};
        const struct sam_system_options options = {
            .size = sizeof options, .hart = &hart, .timing = &timing};
        const bool possible = sam_system_new(&options, &system, &error) == SAM_OK;
        if (possible) {
            sam_system_free(system);
            SCOPED(system_program) p = system_program_new(
                RV32, &(struct sam_system_options){.timing = &timing}, NULL, text, system_fill);
            const enum sam_status status = sam_system_run(p.system, &p.result, &p.error);
            if (status == SAM_OK) {
                struct sam_system_figures *figures;
                ran++;
                succeeds(sam_system_read, p.system, DATA_BASE, found, sizeof found);
                assert_memory_equal(expected, found, sizeof found);
                for (unsigned x = 8; x < 32; x++)
                    assert_int_equal(sam_hart_x(p.hart, x), sam_hart_x(plain.hart, x));
                assert_int_equal(sam_system_measure(p.system, &figures, &p.error), SAM_OK);
                system_expect_sums(figures);
                sam_system_figures_free(figures);
            } else if (!strstr(p.error.text, "fits no SM")) {
                fail_msg("%s", p.error.text);
            }
        }
        sam_system_config_free(config);
    }
    assert_true(ran > 10);
}

TEST(parameters_have_prefixes)
{
    static const char *const wrong[][2] = {
        {"load_bytes=4", "load_bytes=4: expected tl.load_bytes=4"},
        {"lunch_cycles=4", "unknown parameter 'lunch_cycles'; did you mean 'launch_cycles'?"},
        {"tx.load_bytes=4",
         "tx.load_bytes=4: expected a name that begins with tl., mx., gpu., wu., "},
        {"tx.load_bytes=4", ", mem. or energy."},
        {"mem.dram_byte=4", "mem: unknown parameter 'dram_byte'; did you mean 'dram_bytes'?"},
        {"mem.dram_bytes=0", "mem.dram_bytes=0: expected a number from 1 to 4096"},
        {"queue=0", "queue=0"},
        {"gpu.warps=4,gpu.preset=rtl", "gpu."},
        /* those of a memory or a host that a part has only when it works alone */
        {"gpu.mem_latency=4", "gpu.mem_latency=4: has no effect in a system: expected a "
                              "parameter that begins with mem."},
        {"mem.dram_bytes=4,gpu.l2_sets=64", "gpu.l2_sets=64: has no effect"},
        {"mx.merge_cycles=0", "mx.merge_cycles=0: has no effect"},
        {"gpu.reply_latency=1", "expected launch_cycles"},
        {"l2_kib=64", "unknown parameter 'l2_kib'"},
    };
    struct sam_system_config *config =
        config_of("tl.load_bytes=32,mx.mpara=8,gpu.preset=verilog,gpu.warps=4,wu.symbols=4,"
                  "mem.dram_bytes=32,launch_cycles=7");
    struct sam_error error;
    for (size_t i = 0; i < SAM_COUNT(wrong); i++) {
        assert_int_equal(sam_system_config_set(config, wrong[i][0], &error), SAM_ERR_USAGE);
        if (!strstr(error.text, wrong[i][1]))
            fail_msg("%s: %s", wrong[i][0], error.text);
    }
    sam_system_config_free(config);
}
