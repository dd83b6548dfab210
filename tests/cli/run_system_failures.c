/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --machine system` for people who make mistakes: each is told in one line. */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

#define RUN "--machine system --gpu-code kernel.s "

static const char kernel[] = ".globl _start\n"
                             "_start: endprg\n"
                             "spin: j spin\n"
                             "trap: lw t0, 0(zero)\n"
                             "endprg\n";

/* The record is submitted to the queue whose registers are at `queue`, and its status is the exit
 * code. */
static void write_program(const char *name, const char *queue, const char *record)
{
    char text[1024];
    assert_true(snprintf(text, sizeof text,
                         "li s1, %s\nla s3, record\n_sub: sw s3, 0(s1)\nlw t0, 16(s1)\n"
                         "li s2, 0x02000000\nsw t0, 4(s2)\n.data\n.balign 64\nrecord: .word %s\n",
                         queue, record) < (int)sizeof text);
    write_text(name, text);
}

#define GPU_QUEUE    "0x02001000"
#define WEIGHT_QUEUE "0x02002000"

TEST(launch_records)
{
    static const struct {
        const char *record, *text;
    } cases[] = {
        {"0x80000000, 0, -1, -1, -1, 4, 1, 1024, 0, 0, 0, 0, 0, 0, 0, 0",
         "store to 0x2001000: launch record at 0x40001000: grid 4294967295x4294967295x4294967295: "
         "expected 1 to 2^32 - 1 workgroups; pc 0x000000004000000c <_sub+0x0>"},
        {"0x80000000, 0, 0, 1, 1, 4, 1, 1024, 0, 0, 0, 0, 0, 0, 0, 0", "grid 0x1x1: expected"},
        {"0x80000000, 0, 1, 1, 1, 5, 1, 1024, 0, 0, 0, 0, 0, 0, 0, 0", "5 threads per warp"},
        {"0x80000000, 0, 1, 1, 1, 4, 0, 1024, 0, 0, 0, 0, 0, 0, 0, 0", "0 warps per workgroup"},
        {"0x80000000, 0, 1, 1, 1, 4, 1, 1024, 0, 0, 0, 0, 7, 0, 0, 0",
         "word 12 is 0x7: expected 0"},
        {"0x80000002, 0, 1, 1, 1, 4, 1, 1024, 0, 0, 0, 0, 0, 0, 0, 0",
         "launch 0 (record 0x40001000): jump to 0x80000002, not a multiple of 4"},
        {"0x02001000, 0, 1, 1, 1, 4, 1, 1024, 0, 0, 0, 0, 0, 0, 0, 0",
         "launch 0 (record 0x40001000): no code at 0x02001000"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        write_program("launch.s", GPU_QUEUE, cases[i].record);
        expect_failure(RUN "launch.s -q", 1, cases[i].text);
    }
    write_text("absent.s", "li s1, 0x02001000\nli s3, 0x50000000\nsw s3, 0(s1)\n");
    expect_failure(RUN "absent.s -q", 1,
                   "store to 0x2001000: launch record at 0x50000000: expected 64 bytes in one "
                   "buffer; pc 0x0000000040000008");
    write_text("odd.s", "li s1, 0x02002000\nla s3, 1f\naddi s3, s3, 2\nsw s3, 0(s1)\n.data\n1: "
                        ".space 256\n");
    expect_failure(RUN "odd.s -q", 1, "expected a multiple of 4; pc ");
}

/* The program sees a status; the user is told what it means. */
TEST(weight_records)
{
    static const struct {
        const char *record;
        int status;
        const char *text;
    } cases[] = {
        {"2, 1, 1, 0x90000000, 16, 0x02001000, 1024, 0, 0, 8, 0, 0x90000900, 0, 0, 8, 0", 4,
         "weight record 0 at 0x40001000: destination of 1024 bytes at 0x02001000: not in one "
         "buffer (status 4)"},
        {"2, 1, 1, 0x70000000, 16, 0x90000400, 1024, 0, 0, 8, 0, 0x90000900, 0, 0, 8, 0", 2,
         "source of 16 bytes at 0x70000000"},
        {"2, 1, 1, 0x90000000, 16, 0x90000400, 1024, 0, 0, 8, 0, 0x02001000, 0, 0, 8, 0", 2,
         "result at 0x02001000"},
        {"3, 1, 1, 0x90000000, 16, 0x90000400, 1024, 0, 0, 8, 0, 0x90000900, 0, 0, 8, 0", 1,
         "operation 3: expected 0 to 2"},
        {"0, 1, 1, 0x90000000, -1, 0x90000400, -1, -1, -1, -1, -1, 0x90000900, 0, 0, -1, -1", 1,
         "weight record 0"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        write_program("weight.s", WEIGHT_QUEUE, cases[i].record);
        struct outcome o = run("--machine system --map 0x90000000:4096 weight.s");
        assert_int_equal(o.code, cases[i].status);
        expect_part(&o.err, cases[i].text);
        done(&o);
    }
}

/* A kernel that traps: the run ends, or the program decides and the user is told. */
TEST(traps)
{
    write_program("trap.s", GPU_QUEUE,
                  "0x80000008, 0, 1, 1, 1, 4, 1, 1024, 0, 0, 0, 0, 0, 0, 0, 0");
    expect_failure(RUN "trap.s -q", 1,
                   "launch 0 (record 0x40001000): load from 0x00000000, outside every buffer; "
                   "workgroup 0 (0,0,0) warp 0 lanes 0x0000000f pc 0x80000008 <trap+0x0>");
    struct outcome o = run(RUN "--gpu-traps report trap.s");
    assert_true(o.code > 1);
    expect_part(&o.err, "note: launch 0 (record 0x40001000): load from 0x00000000, outside every");
    expect_part(&o.err, "exit code");
    done(&o);
    o = run(RUN "--gpu-traps report trap.s -q");
    assert_null(strstr(sam_buffer_text(&o.err), "note"));
    done(&o);
}

TEST(endless_kernels)
{
    write_program("spin.s", GPU_QUEUE,
                  "0x80000004, 0, 1, 1, 1, 4, 1, 1024, 0, 0, 0, 0, 0, 0, 0, 0");
    expect_failure(RUN "spin.s --max-insns 10000 -q", 1,
                   "launch 0 (record 0x40001000): still running after 10000 instructions; "
                   "workgroup 0 (0,0,0) warp 0 lanes 0x0000000f pc 0x80000004 <spin+0x0>");
}

/* Ctrl-C in a launch with far too many workgroups, of which the program tells by a line. */
TEST(interrupted)
{
    write_text("huge.s", "li a7, 64\nli a0, 2\nla a1, line\nli a2, 1\nli s1, " GPU_QUEUE "\n"
                         "la s3, record\necall\nsw s3, 0(s1)\n.data\nline: .word 10\n"
                         ".balign 64\nrecord: .word 0x80000000, 0, 0x7fffffff, 2, 1, 4, 1, 1024, "
                         "0, 0, 0, 0, 0, 0, 0, 0\n");
    const pid_t child = start(RUN "huge.s -q");
    assert_true(comes(child, has_spoken, 0));
    kill(child, SIGINT);
    struct outcome o = dies(child, SIGINT);
    expect_part(&o.err, "stopped after ");
    done(&o);
}

/* Ctrl-C in an endless loop after a launch: with --cycles, what was reached is reported. Outputs
 * are not written. */
TEST(interrupted_in_time)
{
    static const char *const options[] = {"-q", "-q --json", "--compare-raw"};
    write_text("on.s", "li s1, " GPU_QUEUE "\nla s3, record\nsw s3, 0(s1)\nlw t0, 16(s1)\n"
                       "li a7, 64\nli a0, 2\nla a1, line\nli a2, 1\necall\n"
                       "1: addi t1, t1, 1\nj 1b\n.data\nline: .word 10\n"
                       ".balign 64\nrecord: .word 0x80000000, 0, 1, 1, 1, 4, 1, 1024, "
                       "0, 0, 0, 0, 0, 0, 0, 0\n");
    for (size_t i = 0; i < SAM_COUNT(options); i++) {
        char words[160];
        snprintf(words, sizeof words, RUN "on.s --cycles --dump 0x40000000:4:stop.bin %s",
                 options[i]);
        const pid_t child = start(words);
        assert_true(comes(child, has_spoken, 0));
        kill(child, SIGINT);
        struct outcome o = dies(child, SIGINT);
        expect_part(&o.err, "samite: error: stopped after ");
        assert_null(strstr(sam_buffer_text(&o.err), "raw"));
        if (strstr(options[i], "json")) {
            json_t *root = json_loads(sam_buffer_text(&o.out), 0, NULL);
            const json_t *system = json_object_get(root, "system");
            const json_t *launch = json_array_get(json_object_get(system, "launches"), 0);
            assert_string_equal(json_string_value(json_object_get(root, "end")), "stopped");
            assert_int_equal(json_integer_value(json_object_get(launch, "insns")), 1);
            assert_true(json_integer_value(json_object_get(system, "cycles")) >
                        json_integer_value(json_object_get(launch, "end")));
            json_decref(root);
        } else {
            expect_part(&o.out, "instructions of the hart, 1 launches, 0 weight records");
        }
        done(&o);
        assert_false(exists("stop.bin"));
    }
}

TEST(files)
{
    write_text("good.s", "li s2, 0x02000000\nsw zero, 4(s2)\n");
    write_text("empty", "");
    expect_failure("--machine system", 2, "no program");
    expect_failure("--machine system empty", 1, "no code at 0x40000000");
    expect_failure("--machine system good.s --gpu-code none.s", 2, "none.s: cannot open");
    expect_failure("--machine system good.s --gpu-code /bin/sh", 2, "not a RISC-V program");
    expect_failure("--machine system good.s --weights empty", 2, "empty: not a packed file");
    expect_failure("--machine system good.s --weights good.s", 2, "good.s: not a packed file");
    expect_failure("--machine system good.s --map 0x02000000:4096", 2, "control registers");
    expect_failure("--machine system good.s --map 0x70000000:4096", 2, "0x70000000");
    expect_failure("--machine system good.s --dump 0x02000000:16:x", 2, "not in one buffer");
    assert_false(exists("x"));
}

/* A kernel that no --gpu-code has is named; other symbols that begin with gpu_ are not. */
TEST(missing_kernels)
{
    write_text("calls.s", "li s2, 0x02000000\nsw zero, 4(s2)\n.data\n.globl gpu_trap, gpu_trpa, "
                          "gpu_count, gpu__start\ngpu_trap: .word 0\ngpu_trpa: .word 0\n"
                          "gpu_count: .word 3\ngpu__start: .word 0\n");
    struct outcome o = run(RUN "calls.s");
    assert_int_equal(o.code, 0);
    assert_string_equal(sam_buffer_text(&o.err),
                        "samite: note: gpu_trpa: no --gpu-code has the symbol 'trpa'\n");
    done(&o);
    o = run(RUN "calls.s -q");
    assert_string_equal(sam_buffer_text(&o.err), "");
    done(&o);
}

/* An output that cannot be written is named, once, whichever part writes it. */
TEST(full_outputs)
{
    static const char *const options[] = {"--trace=",  "--gpu-trace ", "--perfetto ",
                                          "--konata ", "--vcd ",       "--trace-bus="};
    if (access("/dev/full", W_OK) != 0)
        return;
    write_text("units.s",
               "li t0, 0x401010\nmcfg zero, t0\nli t1, 64\nla a0, data\n"
               "mldb m0, t1, (a0)\nmcfgmi zero, 1\n"
               "li s1, 0x02001000\nla s3, record\nsw s3, 0(s1)\nlw t0, 16(s1)\n"
               "li s2, 0x02000000\nsw zero, 4(s2)\n.data\n.balign 64\ndata: .space 1024\n"
               "record: .word 0x80000000, 0, 1, 1, 1, 4, 1, 1024, 0, 0, 0, 0, 0, 0, 0, 0\n");
    for (size_t i = 0; i < SAM_COUNT(options); i++) {
        char words[128];
        snprintf(words, sizeof words, RUN "units.s -q %s/dev/full", options[i]);
        struct outcome o = run(words);
        assert_int_equal(o.code, 2);
        assert_string_equal(sam_buffer_text(&o.err),
                            "samite: error: /dev/full: cannot write: No space left on device\n");
        done(&o);
    }
    expect_failure(RUN "units.s --gpu-profile a.pdf", 2, "--gpu-profile a.pdf: expected a name");
}

PROLOGUE
{
    command_verb = "run";
    make_directory();
    write_text("kernel.s", kernel);
}

TEST_GROUP(NULL, remove_directory)
