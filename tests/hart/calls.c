/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of a program on the hart to its host: semihosting, ecall, tohost; also in
 * sessions that step back over a call. */
#include "hart/program.h"

static const char *const isas[] = {RV32, RV64};

/* The host, with its captured output. */
struct host {
    struct sam_hostio *io;
    struct sam_buffer out;
    const char *input;
    bool full;
};

static bool write_out(void *context, const void *data, size_t size)
{
    struct host *host = context;
    return !host->full && sam_buffer_append(&host->out, data, size);
}

static size_t take_input(void *context, void *data, size_t size)
{
    struct host *host = context;
    const size_t left = strlen(host->input), part = left < size ? left : size;
    memcpy(data, host->input, part);
    host->input += part;
    return part;
}

static void open_host(struct host *host)
{
    *host = (struct host){.input = "xyz"};
    succeeds(sam_hostio_new,
             &(struct sam_hostio_options){.size = sizeof(struct sam_hostio_options),
                                          .output = {write_out, host},
                                          .errors = {write_out, host},
                                          .input = take_input,
                                          .input_context = host},
             &host->io);
}

static void close_host(struct host *host)
{
    sam_hostio_free(host->io);
    sam_buffer_free(&host->out);
}

static void expect_output(struct host *host, const char *text)
{
    if (strcmp(sam_buffer_text(&host->out), text) != 0)
        fail_msg("wrote '%s', not '%s'", sam_buffer_text(&host->out), text);
}

#define CALL(number) "li a0, " #number "\nslli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n"

/* Reads a character three times and writes it; exits with 5. */
static const char echo[] =
    "start: la s0, buffer\n"
    "li s1, 3\n"
    "again:\n" CALL(7) "sb a0, 0(s0)\nmv a1, s0\n" CALL(
        3) "addi s1, s1, -1\n"
           "bnez s1, again\n"
           "la a1, text\n" CALL(4) "la a1, block\n" CALL(
               0x20) "ebreak\n"
                     ".data\nbuffer: .word 0\ntext: .asciz \" end\\n\"\n.balign 8\n"
                     "block: WORD 0x20026, 5\n";

static struct program echo_program(const char *isa, const struct sam_hart_options *options)
{
    FREED char *text = formatted(".macro WORD a, b\n%s \\a, \\b\n.endm\n%s",
                                 strcmp(isa, RV32) == 0 ? ".word" : ".dword", echo);
    return program_new(isa, options, text);
}

TEST(a_program_talks)
{
    for (size_t i = 0; i < SAM_COUNT(isas); i++) {
        for (unsigned stats = 0; stats < 2; stats++) {
            struct host host;
            open_host(&host);
            SCOPED(program) p = echo_program(
                isas[i], &(struct sam_hart_options){.size = sizeof(struct sam_hart_options),
                                                    .hostio = host.io,
                                                    .collect_stats = stats});
            program_expect(&p, SAM_HART_EXIT);
            assert_int_equal(p.result.exit_code, 5);
            expect_output(&host, "xyz end\n");
            if (stats) /* calls count as instructions */
                assert_int_equal(sam_hart_stats(p.hart)->instructions, p.result.instructions);
            close_host(&host);
        }
    }
}

/* Without a host, with an unknown number, or with an unmapped parameter, the run fails with a
 * reason. An ebreak without its neighbours is no call. */
TEST(what_fails)
{
    static const struct {
        const char *text, *why;
        bool host;
    } rows[] = {
        {"nop\n" CALL(7), "semihosting call, and there is no host, pc 0x8000000c", false},
        {"nop\n" CALL(0x77), "semihosting call 0x77 is not known, pc 0x8000000c", true},
        {"li a1, 8\n" CALL(5), "semihosting write: the parameter block at 0x8 is not in memory",
         true},
        {"li a7, 172\necall\n", "system call 172 is not known, pc 0x80000004", true},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        struct host host;
        open_host(&host);
        SCOPED(program) p =
            program_new(RV64,
                        &(struct sam_hart_options){.size = sizeof(struct sam_hart_options),
                                                   .hostio = rows[i].host ? host.io : NULL},
                        rows[i].text);
        program_expect(&p, SAM_HART_TRAP);
        if (!strstr(p.error.text, rows[i].why))
            fail_msg("no '%s' in: %s", rows[i].why, p.error.text);
        close_host(&host);
    }
    struct host host;
    open_host(&host);
    const struct sam_hart_options options = {.size = sizeof options, .hostio = host.io};
    struct program p = program_new(RV64, &options, "slli x0, x0, 0x1f\nebreak\nnop\n");
    program_expect(&p, SAM_HART_EBREAK);
    program_free(&p);
    host.full = true;
    p = echo_program(RV64, &options);
    assert_int_equal(program_run(&p), SAM_ERR_IO);
    program_free(&p);
    close_host(&host);
}

/* A program with its own handler receives its ecalls. */
TEST(a_handler_comes_first)
{
    struct host host;
    open_host(&host);
    const struct sam_hart_options options = {.size = sizeof options, .hostio = host.io};
    SCOPED(program) p = program_new(RV64, &options,
                                    "la t0, handler\ncsrw mtvec, t0\nli a7, 64\necall\nebreak\n"
                                    ".balign 4\nhandler: li a0, 3\nli a7, 93\necall\n");
    program_expect(&p, SAM_HART_EXIT);
    assert_int_equal(p.result.exit_code, 3);
    close_host(&host);
}

/* As in riscv-tests and proxies: eight words, whose address goes to tohost; then the program
 * waits. */
TEST(calls_by_tohost)
{
    static const char text[] =
        "la s0, words\nli t0, 64\nSTORE t0, 0(s0)\nli t0, 1\nSTORE t0, 8(s0)\nla t0, message\n"
        "STORE t0, 16(s0)\nli t0, 6\nSTORE t0, 24(s0)\n"
        "la s1, tohost\nSTORE s0, 0(s1)\n"
        "wait: lw t0, fromhost\nbeqz t0, wait\n"
        "la t1, fromhost\nsw zero, 0(t1)\n"
        "lw a0, 0(s0)\nslli a0, a0, 1\nori a0, a0, 1\nSTORE a0, 0(s1)\n"
        "here: j here\n"
        ".data\n.balign 64\nwords: .space 64\ntohost: .dword 0\nfromhost: .dword 0\n"
        "message: .ascii \"hello\\n\"\n";
    for (size_t i = 0; i < SAM_COUNT(isas); i++) {
        struct host host;
        open_host(&host);
        FREED char *source =
            formatted(".macro STORE a, b\n%s \\a, \\b\n.endm\n%s", i ? "sd" : "sw", text);
        SCOPED(program) p = program_new(
            isas[i],
            &(struct sam_hart_options){.size = sizeof(struct sam_hart_options), .hostio = host.io},
            source);
        program_expect(&p, SAM_HART_EXIT);
        assert_int_equal(p.result.exit_code, 6); /* bytes written */
        expect_output(&host, "hello\n");
        close_host(&host);
    }
    /* a character to the console of HTIF */
    struct host host;
    open_host(&host);
    const struct sam_hart_options options = {.size = sizeof options, .hostio = host.io};
    SCOPED(program) p = program_new(RV64, &options,
                                    "la s1, tohost\nli t0, 0x0101000000000041\nsd t0, 0(s1)\n"
                                    "ld a0, fromhost\nebreak\n"
                                    ".data\n.balign 8\ntohost: .dword 0\nfromhost: .dword 0\n");
    program_expect(&p, SAM_HART_EBREAK);
    expect_output(&host, "A");
    assert_int_equal(sam_hart_x(p.hart, 10), UINT64_C(0x0101000000000000));
    close_host(&host);
}

/* A call with an unmapped parameter block ends the run, without an exit code. */
TEST(a_call_outside_of_memory)
{
    struct host host;
    open_host(&host);
    const struct sam_hart_options options = {.size = sizeof options, .hostio = host.io};
    SCOPED(program) p = program_new(RV64, &options,
                                    "la s1, tohost\nli t0, 8\nsd t0, 0(s1)\nebreak\n"
                                    ".data\n.balign 8\ntohost: .dword 0\nfromhost: .dword 0\n");
    program_expect(&p, SAM_HART_TRAP);
    assert_int_equal(p.result.exit_code, 0);
    if (!strstr(p.result.text, "tohost: the system call at 0x8 is not in memory"))
        fail_msg("%s", p.result.text);
    close_host(&host);
}

/* Memory is mapped up to the symbols of a linker script. */
TEST(heap_and_stack)
{
    static const char text[] = "li t0, 0x80100000\nsw t0, -4(t0)\nlw a0, -4(t0)\nli t0, "
                               "0x800ff000\nsw t0, 0(t0)\nebreak\n"
                               ".globl __heap_end\n.set __heap_end, 0x80100000\n";
    struct program p = program_new(RV64, NULL, text);
    program_expect(&p, SAM_HART_EBREAK);
    program_free(&p);
    SCOPED_IMAGE *image = sam_image_new(64);
    struct sam_hart *hart;
    const struct sam_section code = {
        .name = ".text", .address = SAM_HART_CODE_BASE, .size = 4, .execute = true};
    const struct sam_symbol stack = {.name = "__stack", .value = UINT64_C(1) << 40};
    assert_non_null(image);
    succeeds(sam_image_add_section, image, &code);
    succeeds(sam_image_add_symbol, image, &stack);
    succeeds(sam_image_finish, image);
    succeeds(sam_hart_new, NULL, &hart);
    must_fail(SAM_ERR_INPUT, "__stack is 0x10000000000", sam_hart_load, hart, image);
    sam_hart_free(hart);
}

/* Going back does not repeat a call; a replay gets the recorded answers. */
TEST(going_back)
{
    struct host host;
    struct sam_session *session;
    struct sam_session_stop stop;
    open_host(&host);
    struct program p =
        echo_program(RV64, &(struct sam_hart_options){.size = sizeof(struct sam_hart_options),
                                                      .hostio = host.io});
    succeeds(sam_session_open_hart, p.hart, &session);
    succeeds(sam_session_record, session, 4);
    succeeds(sam_session_run, session, NULL, &stop);
    assert_int_equal(stop.reason, SAM_SESSION_DONE);
    assert_int_equal(stop.exit_code, 5);
    expect_output(&host, "xyz end\n");
    const uint64_t end = sam_session_time(session);
    for (uint64_t time = end; time-- > 0;) {
        uint8_t byte = 0;
        succeeds(sam_session_goto, session, time);
        succeeds(sam_session_read, session, 0, sam_image_find(p.image, "buffer")->value, &byte, 1);
        if (time > 32) /* the third has been stored */
            assert_int_equal(byte, 'z');
    }
    succeeds(sam_session_run, session, NULL, &stop);
    assert_int_equal(stop.reason, SAM_SESSION_DONE);
    expect_output(&host, "xyz end\n");
    assert_int_equal(sam_session_time(session), end);
    /* a changed past gives a new future: its calls are made */
    succeeds(sam_session_goto, session, 2);
    host.input = "abc";
    succeeds(sam_session_set_x, session, 0, 0, 20, 1);
    succeeds(sam_session_run, session, NULL, &stop);
    expect_output(&host, "xyz end\nabc end\n");
    sam_session_close(session);
    program_free(&p);
    close_host(&host);
}
