/* SPDX-License-Identifier: Apache-2.0 */
/* Failures of `samite run`: the reported fault is the real one, a hung launch reports where its
 * warps wait, and a long one its progress. */
#include "cli/command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Warps 0, 1 and 3 wait at one barrier, warp 2 at another, the rest have ended. */
static const char hang[] = ".globl hang\n"
                           "hang:   csrr    t0, wid\n"
                           "        li      t1, 2\n"
                           "        beq     t0, t1, other\n"
                           "        li      t1, 4\n"
                           "        bgeu    t0, t1, over\n"
                           "        barrier x0, x0, 0\n"
                           "over:   ret\n"
                           "other:  barrier x0, x0, 0\n"
                           "        ret\n";

FIXTURE(set_up)
{
    make_directory();
    write_text("hang.s", hang);
    write_text("args.s", ".globl k\nk: lw t0, 0(a0)\n lw t1, 4(a0)\n lw t2, 8(a0)\n ret\n");
    write_text("null.s", ".globl k\nk: lw t0, 0(zero)\n ret\n");
    write_text("loop.s", ".globl k\nk: j k\n");
    write_text("plain", "no program");
    write_text("rv64.s", "        li a7, 93\n        ecall\n");
    return 0;
}

/* samite asm */
static void assemble(const char *words)
{
    command_verb = "asm";
    expect_runs(words);
    command_verb = "run";
}

TEST(the_first_fault)
{
    assemble("--isa rv64im_zicsr rv64.s -o rv64.elf");
    assemble("rv64.s -o rv32.elf --isa rv32im_zicsr");
    static const struct {
        const char *words, *part;
    } cases[] = {
        {"rv64.elf",
         "rv64.elf: a 64-bit program: a Ventus GPGPU is RV32; --machine tensor runs it"},
        {"rv64.elf --grid 1 --block 1", "rv64.elf: a 64-bit program: a Ventus"},
        {"rv64.elf --kernel k --grid 1 --block 1", "rv64.elf: a 64-bit program: a Ventus"},
        {"none.elf", "none.elf: cannot open"},
        {"none.elf --arg u32:1", "none.elf: cannot open"},
        {"none", "none: cannot open"},
        {"none.s", "none.s: cannot open"},
        {"none.s --kernel k --grid 1 --block 1", "none.s: cannot open"},
        {"rv32.elf", "no --kernel NAME for rv32.elf: expected --kernel, --grid and --block"},
        {"loop.s --block 1", "--block requires --kernel NAME"},
        {"loop.s --perfetto ''", "--perfetto needs a value (FILE)"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++)
        expect_failure(cases[i].words, 2, cases[i].part);
}

TEST(forgotten_arguments)
{
#define LAUNCH " --kernel k --grid 1 --block 1 "
    expect_failure(
        "args.s" LAUNCH, 1,
        "; the kernel reads an argument at offset 0, but 0 arguments were given (--arg)");
    expect_failure("args.s" LAUNCH "--arg u32:1", 1,
                   "; the kernel reads an argument at offset 4, but 1 argument was given (--arg)");
    expect_failure("args.s" LAUNCH "--arg out:u32:1 --arg u8:1", 1,
                   "; the kernel reads an argument at offset 8, but 2 arguments were given");
    expect_runs("args.s" LAUNCH "--arg u64:1 --arg u8:2");
    /* unlike a null pointer in the kernel itself */
    struct outcome o = run("null.s" LAUNCH "--arg u32:1");
    assert_int_equal(o.code, 1);
    expect_part(&o.err, "load from 0x00000000, outside every buffer");
    assert_null(strstr(sam_buffer_text(&o.err), "argument"));
    done(&o);
}

TEST(a_deadlock)
{
    static const char *const schedules[] = {"", "--schedule rr1", "-j 2"};
    for (size_t i = 0; i < SAM_COUNT(schedules); i++) {
        FREED char *words =
            formatted("hang.s --kernel hang --grid 2,2 --block 48 --warp 8 -q %s", schedules[i]);
        SCOPED_OUTCOME o = run(words);
        assert_int_equal(o.code, 1);
        expect_part(&o.err, "samite: error: deadlock: every warp waits, not all at this barrier; "
                            "workgroup 0 (0,0,0) warp 0");
        expect_part(&o.err, "\n  workgroup 0 (0,0,0): warps 0-1, 3 wait at pc 0x80000040 "
                            "<hang+0x14> barrier\n");
        expect_part(&o.err,
                    "\n  workgroup 0 (0,0,0): warp 2 waits at pc 0x80000048 <other+0x0> barrier\n");
        expect_part(&o.err, "\n  workgroup 0 (0,0,0): warps 4-5 have ended\n");
    }
    struct outcome o = run("hang.s --kernel hang --grid 1 --block 32 --warp 8 --stats=json");
    assert_int_equal(o.code, 1);
    expect_part(&o.out, "\"symbol\": \"other\"");
    done(&o);
}

/* The output of the command on a terminal, stopped by Ctrl-C once it has printed `sign`. */
static struct sam_buffer watch(const char *words, const char *sign)
{
    int terminal, held, status;
    const pid_t child = start_on_terminal(words, 2, &terminal, &held);
    struct sam_buffer said = {0};
    while (!strstr(sam_buffer_text(&said), sign)) {
        char bytes[4096];
        ssize_t got = read(terminal, bytes, sizeof bytes);
        assert_true(got > 0);
        sam_buffer_append(&said, bytes, (size_t)got);
    }
    kill(child, SIGINT);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    fcntl(terminal, F_SETFL, O_NONBLOCK);
    for (ssize_t got;;) {
        char bytes[4096];
        got = read(terminal, bytes, sizeof bytes);
        if (got <= 0)
            break;
        sam_buffer_append(&said, bytes, (size_t)got);
    }
    close(held);
    close(terminal);
    return said;
}

TEST(progress)
{
    if (no_terminal())
        return;
    struct sam_buffer said =
        watch("loop.s --color=never --kernel k --grid 30,2 --block 40", "warp instructions/s");
    expect_part(&said, "\rlaunch 0: 0 of 60 workgroups, 0 %, ");
    expect_part(&said, " M warp instructions/s, ? left");
    expect_part(&said, "\r\033[Ksamite: error: stopped after 0 of 60 workgroups");
    expect_part(&said, "  workgroup 0 (0,0,0): warps 0-1 at pc 0x8000002c <k+0x0> j ");
    sam_buffer_free(&said);
    /* the tensor hart: executed instructions, and their limit */
    said = watch("--machine tensor --color=never loop.s", "instructions/s");
    expect_part(&said, "\rrun: ");
    expect_part(&said, " M instructions/s");
    assert_null(strstr(sam_buffer_text(&said), " left"));
    sam_buffer_free(&said);
    said = watch("--machine tensor --color=never --max-insns 1000000000000 loop.s", " left");
    expect_part(&said, " of 1000000000000 instructions, 0 %, ");
    sam_buffer_free(&said);
}

TEST_GROUP(set_up, remove_directory)
