/* SPDX-License-Identifier: Apache-2.0 */
/* The page of console and power, and accesses to control registers that fault. */
#include "system/program.h"

#include "streams.h"

static const char *const isas[] = {RV32, RV64};

static const char hello[] = " li t0, 0x02000000\n"
                            " la t1, text\n"
                            "1: lbu t2, 0(t1)\n"
                            " beqz t2, 2f\n"
                            " sw t2, 0(t0)\n"
                            " addi t1, t1, 1\n"
                            " j 1b\n"
                            "2: li a1, 300\n"
                            " sw a1, 4(t0)\n"
                            " j 1b\n"
                            " .data\n"
                            "text: .asciz \"hello\\n\"\n";

/* The console register and printf's semihosting calls share one output. The exit code is the
 * word. */
TEST(console)
{
    for (size_t i = 0; i < SAM_COUNT(isas); i++) {
        SCOPED(sam_buffer) text = {0};
        struct sam_hostio *host;
        const struct sam_hostio_options sinks = {.size = sizeof sinks, .output = test_sink(&text)};
        succeeds(sam_hostio_new, &sinks, &host);
        SCOPED(system_program) p = system_program_new(
            isas[i], NULL, &(struct sam_hart_options){.hostio = host}, hello, NULL);
        system_expect(&p, 300);
        assert_string_equal(sam_buffer_text(&text), "hello\n");
        assert_int_equal(sam_system_stats(p.system)->console_bytes, 6);
        assert_int_equal(sam_system_stats(p.system)->register_stores, 7);
        sam_hostio_free(host);
    }
}

/* Without a host the bytes are dropped; a failing output ends the run. */
TEST(no_console)
{
    struct system_program p = system_program_new(RV32, NULL, NULL, hello, NULL);
    system_expect(&p, 300);
    system_program_free(&p);
    struct sam_hostio *host;
    const struct sam_hostio_options sinks = {.size = sizeof sinks, .output = {test_refuse, NULL}};
    assert_int_equal(sam_hostio_new(&sinks, &host, NULL), SAM_OK);
    p = system_program_new(RV64, NULL, &(struct sam_hart_options){.hostio = host}, hello, NULL);
    assert_int_equal(sam_system_run(p.system, &p.result, &p.error), SAM_ERR_IO);
    assert_int_equal(p.result.end, SAM_SYSTEM_END_HOST);
    assert_non_null(strstr(p.error.text, "output"));
    system_program_free(&p);
    sam_hostio_free(host);
}

/* Without timing the counter equals the instructions before the load, however the program runs:
 * at once, recorded, or step by step. */
TEST(counter)
{
    static const char text[] = " li t0, 0x02000000\n"
                               " li t2, 100\n"
                               "1: addi t2, t2, -1\n"
                               " bnez t2, 1b\n"
                               " lw s0, 8(t0)\n"
                               " csrr s1, minstret\n"
                               " lw s2, 12(t0)\n"
                               " lw s3, 8(t0)\n"
                               " sub s1, s1, s0\n"
                               " sub s3, s3, s0\n"
                               " ebreak\n";
    for (size_t i = 0; i < 2 * SAM_COUNT(isas); i++) {
        const struct sam_hart_options options = {.size = sizeof options, .collect_stats = i & 1};
        SCOPED(system_program) p = system_program_new(isas[i / 2], NULL, &options, text, NULL);
        succeeds(sam_system_run, p.system, &p.result);
        assert_int_equal(p.result.hart.end, SAM_HART_EBREAK);
        assert_int_equal(sam_hart_x(p.hart, 8), 202);
        assert_int_equal(sam_hart_x(p.hart, 9), 1);
        assert_int_equal(sam_hart_x(p.hart, 18), 0);
        assert_int_equal(sam_hart_x(p.hart, 19), 3);
    }
}

TEST(identity)
{
    static const char text[] = " li t0, 0x02000000\n"
                               " lw s0, 16(t0)\n"
                               " lw s1, 20(t0)\n"
                               " lw s2, 24(t0)\n"
                               " lw s3, 28(t0)\n"
                               " ebreak\n";
    const struct sam_system_options large = {.l1m_size = 0x8000000, .l0m_size = 0x1000, .sms = 64};
    struct sam_system_config *config;
    succeeds(sam_system_config_new, &config);
    succeeds(sam_system_config_set, config, "gpu.sms=4,mx.mlen=256");
    const struct sam_system_timing timing = {.size = sizeof timing, .config = config};
    const struct sam_system_options timed = {.timing = &timing};
    const struct sam_system_options both = {.timing = &timing, .sms = 8};
    const struct {
        const char *isa;
        const struct sam_system_options *options;
        unsigned mlen;
        uint32_t acc_regs, values[4];
    } cases[] = {
        {RV32, NULL, 0, 0, {512 << 16 | 0xff << 8 | 2, 0, 0x100000, 0x100000}},
        {RV64, &large, 128, 0x11, {128 << 16 | 0x11 << 8 | 64, 0, 0x8000000, 0x1000}},
        {"rv64im", &large, 0, 0x11, {64, 0, 0x8000000, 0x1000}},
        {RV32, &timed, 0, 0x20, {256 << 16 | 0x20 << 8 | 4, 0, 0x100000, 0x100000}},
        {RV32, &both, 0, 0, {256 << 16 | 0xff << 8 | 8, 0, 0x100000, 0x100000}},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        SCOPED(system_program) p =
            system_program_new(cases[i].isa, cases[i].options,
                               &(struct sam_hart_options){.size = sizeof(struct sam_hart_options),
                                                          .mlen = cases[i].mlen,
                                                          .acc_regs = cases[i].acc_regs},
                               text, NULL);
        succeeds(sam_system_run, p.system, &p.result);
        static const unsigned registers[] = {8, 9, 18, 19};
        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(sam_hart_x(p.hart, registers[k]), cases[i].values[k]);
    }
    sam_system_config_free(config);
}

/* Everything except aligned words in registers that allow the access. */
TEST(faults)
{
    enum { LOAD = 5, STORE = 7, LOAD_MISALIGNED = 4, STORE_MISALIGNED = 6 };
    static const struct {
        const char *text;
        unsigned cause;
        uint32_t address;
        const char *words;
    } cases[] = {
        {"lw a0, 0(t0)", LOAD, 0x02000000, "register CONSOLE cannot be read"},
        {"lw a0, 4(t0)", LOAD, 0x02000004, "register EXIT cannot be read"},
        {"sw a0, 8(t0)", STORE, 0x02000008, "register CYCLE_LOW cannot be written"},
        {"sw a0, 16(t0)", STORE, 0x02000010, "register IDENTITY cannot be written"},
        {"lw a0, 32(t0)", LOAD, 0x02000020, "no control register at 0x02000020"},
        {"sw a0, 32(t0)", STORE, 0x02000020, "no control register at 0x02000020"},
        {"lw a0, 2(t0)", LOAD_MISALIGNED, 0x02000002, "misaligned"},
        {"sw a0, 2(t0)", STORE_MISALIGNED, 0x02000002, "misaligned"},
        {"lb a0, 8(t0)", LOAD, 0x02000008, "by lw and sw"},
        {"lhu a0, 8(t0)", LOAD, 0x02000008, "by lw and sw"},
        {"sb a0, 0(t0)", STORE, 0x02000000, "by lw and sw"},
        {"sh a0, 0(t0)", STORE, 0x02000000, "by lw and sw"},
        {"amoadd.w a0, a0, (t0)", STORE, 0x02000000, "by lw and sw"},
        {"sc.w a0, a0, (t0)", STORE, 0x02000000, ""},
        {"jr t0", 1, 0x02000000, ""},
        {"li t0, 0x02001000\n lw a0, 0(t0)", LOAD, 0x02001000, "GPU_SUBMIT cannot be read"},
        {"li t0, 0x02001000\n sw a0, 4(t0)", STORE, 0x02001004, "GPU_SUBMITTED cannot be written"},
        {"li t0, 0x02001000\n sw a0, 8(t0)", STORE, 0x02001008, "GPU_DONE cannot be written"},
        {"li t0, 0x02001000\n sw a0, 16(t0)", STORE, 0x02001010, "GPU_WAIT cannot be written"},
        {"li t0, 0x02002ffc\n lw a0, 0(t0)", LOAD, 0x02002ffc, "no control register"},
        {"li t0, 0x02003000\n lw a0, 0(t0)", LOAD, 0x02003000, "cannot be read"},
        {"li t0, 0x01fffffc\n sw a0, 0(t0)", STORE, 0x01fffffc, "cannot be written"},
    };
    for (size_t i = 0; i < 2 * SAM_COUNT(cases); i++) {
        SCOPED(sam_buffer) text = {0};
        sam_buffer_printf(&text, "main: li t0, 0x02000000\n %s\n ebreak\n", cases[i / 2].text);
        SCOPED(system_program) p =
            system_program_new(isas[i % 2], NULL, NULL, sam_buffer_text(&text), NULL);
        system_expect_trap(&p, cases[i / 2].cause, cases[i / 2].address, cases[i / 2].words);
        assert_true(cases[i / 2].cause == 1 || strstr(p.error.text, "<main+0x"));
    }
}

/* TensorLoad and the matrix unit cannot access control registers. */
TEST(units)
{
    static const struct {
        const char *text;
        unsigned cause;
    } cases[] = {
        {"li a0, 4 << 16 | 4 << 8 | 8\n csrw tshape, a0\n li a0, 0x02000000\n tl.load tl1, 0(a0)\n",
         5},
        {"li a0, 4 << 16 | 4 << 8 | 8\n csrw tshape, a0\n li a0, 0x02000000\n tl.store tl1, "
         "0(a0)\n",
         7},
        {"li a0, 4\n mcfgm zero, a0\n mcfgn zero, a0\n mcfgk zero, a0\n li a0, 0x02000000\n"
         " li a1, 64\n mldw m1, a1, (a0)\n",
         5},
        {"li a0, 4\n mcfgm zero, a0\n mcfgn zero, a0\n mcfgk zero, a0\n li a0, 0x02000000\n"
         " li a1, 64\n mstw m1, a1, (a0)\n",
         7},
    };
    for (size_t i = 0; i < 2 * SAM_COUNT(cases); i++) {
        SCOPED(system_program) p =
            system_program_new(isas[i % 2], NULL, NULL, cases[i / 2].text, NULL);
        system_expect_trap(&p, cases[i / 2].cause, 0x02000000, "by lw and sw");
        assert_int_equal(sam_system_stats(p.system)->register_loads, 0);
        assert_int_equal(sam_system_stats(p.system)->register_stores, 0);
    }
}

/* A faulting store has no effect: the program's handler finds its pc, and an instruction count
 * without it. */
TEST(handled)
{
    static const char text[] = " la t0, handler\n"
                               " csrw mtvec, t0\n"
                               " li t0, 0x02000000\n"
                               " li a0, 1\n"
                               "bad: sw a0, 8(t0)\n"
                               " ebreak\n"
                               "handler: csrr s0, mepc\n"
                               " csrr s1, mcause\n"
                               " csrr s2, mtval\n"
                               " csrr s3, minstret\n"
                               " la s4, bad\n"
                               " sub s4, s4, s0\n"
                               " ebreak\n";
    for (size_t i = 0; i < 2 * SAM_COUNT(isas); i++) {
        const struct sam_hart_options options = {.size = sizeof options, .collect_stats = i & 1};
        SCOPED(system_program) p = system_program_new(isas[i / 2], NULL, &options, text, NULL);
        succeeds(sam_system_run, p.system, &p.result);
        assert_int_equal(sam_hart_x(p.hart, 9), 7);
        assert_int_equal(sam_hart_x(p.hart, 18), 0x02000008);
        assert_int_equal(sam_hart_x(p.hart, 20), 0);
        assert_int_equal(sam_hart_x(p.hart, 19), 5 + 3); /* la is two instructions */
    }
}
