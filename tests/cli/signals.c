/* SPDX-License-Identifier: Apache-2.0 */
/* Signals while a verb waits for input or output, for each verb that reads or writes a file;
 * signals ignored by the parent; and leftover files. */
#include "cli/command.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char fifo[128];

FIXTURE(setup)
{
    command_verb = "";
    make_directory();
    snprintf(fifo, sizeof fifo, "%s/fifo", directory);
    write_text("loop.s", ".globl k\nk: j k\n");
    write_text("kernel.s", ".globl _start\n_start: endprg\n");
    return mkfifo(fifo, 0600);
}

/* An input that never arrives: the open for writing returns once the verb has opened it. */
TEST(waits_for_input)
{
    static const char *const words[] = {
        "asm fifo -o out",
        "dis fifo",
        "info fifo",
        "run fifo --machine tensor",
        "run fifo --kernel k --grid 1 --block 1",
        "run fifo --machine tile",
        "tile check fifo",
        "stat fifo",
        "symbolstat fifo",
        "pack fifo -o out",
        "unpack fifo -o out",
        "verify fifo",
        "convert w=fifo -o out",
        "op transpose --perm 0 fifo out",
    };
    for (size_t i = 0; i < SAM_COUNT(words); i++) {
        int signal = i % 2 ? SIGINT : SIGTERM;
        pid_t child = start(words[i]);
        int writer = open(fifo, O_WRONLY);
        kill(child, signal);
        struct outcome o = dies(child, signal);
        close(writer);
        done(&o);
        assert_false(exists("out") || has_temporary("out"));
    }
}

static bool is_full(pid_t child, int reader)
{
    int waiting = 0;
    (void)child;
    assert_int_equal(ioctl(reader, FIONREAD, &waiting), 0);
    return waiting == fcntl(reader, F_GETPIPE_SZ);
}

/* A log without a reader, and a pipe that is never opened. */
TEST(waits_for_output)
{
    static const char *const words[] = {
        "run loop.s --kernel k --grid 1 --block 32 --log fifo --arg out:u8:4:out.npy",
        "run loop.s --machine tensor --trace=fifo --dump 0x80000000:4:out.bin",
    };
    for (size_t i = 0; i < 2 * SAM_COUNT(words); i++) {
        pid_t child = start(words[i / 2]);
        int reader = i % 2 ? open(fifo, O_RDONLY) : -1;
        assert_true(comes(child, catches, SIGTERM)); /* the second of the two */
        assert_true(reader < 0 || comes(child, is_full, reader));
        kill(child, SIGTERM);
        struct outcome o = dies(child, SIGTERM);
        expect_part(&o.err, "samite: error: stopped");
        done(&o);
        assert_false(has_temporary("out"));
        if (reader >= 0)
            close(reader);
    }
}

/* A job of a script that ignores SIGINT continues; SIGTERM still ends it. */
/* Ctrl-C in the middle of a long timed run of each model of the hart and its units: it has
 * written part of its timeline, and ends by the signal. */
TEST(models_in_time)
{
    static const char *const words[] = {
        "run engines.s --machine tensor --map 0x50000000:4096",
        ("run engines.s --machine tensor --map 0x50000000:4096 --config "
         "mem_latency=1000,load_bytes=1"),
        "run engines.s --machine system --map 0x50000000:4096",
        "run matrix.s --machine tensor --isa tensor --map 0x50000000:4096",
        "run matrix.s --machine system --map 0x50000000:4096 --config mem.dram_bytes=1",
    };
    write_text("engines.s", " li t0, 0x200104\n csrw tshape, t0\n li t0, 32\n"
                            " csrw tload_width, t0\n li a0, 0x50000000\n"
                            "1: tl.load tl1, 0(a0)\n j 1b\n");
    write_text("matrix.s", " li t0, 0x400808\n mcfg zero, t0\n li t1, 64\n li a0, 0x50000000\n"
                           "1: mldb m0, t1, (a0)\n mldb m2, t1, (a0)\n"
                           " mmaqa.b m4, m2, m0\n j 1b\n");
    for (size_t i = 0; i < SAM_COUNT(words); i++) {
        FREED char *line = formatted("%s -q --perfetto out", words[i]);
        const pid_t child = start(line);
        if (!comes(child, has_written, SIGINT))
            fail_msg("%s ended early", line);
        kill(child, SIGINT);
        struct outcome o = dies(child, SIGINT);
        expect_part(&o.err, "stopped after ");
        done(&o);
        assert_false(exists("out") || has_temporary("out"));
    }
}

TEST(ignored_stays_ignored)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGINT, &ignore, &before);
    pid_t child = start("run loop.s --machine tensor");
    sigaction(SIGINT, &before, NULL);
    assert_true(comes(child, catches, SIGTERM));
    assert_true(ignores(child, SIGINT));
    kill(child, SIGINT);
    kill(child, SIGTERM);
    struct outcome o = dies(child, SIGTERM);
    done(&o);
}

/* A verb that does not catch the signal also leaves no file. */
TEST(leaves_nothing)
{
    SCOPED(sam_buffer) symbols = {0};
    assert_true(sam_buffer_fill(&symbols, 'a', 1 << 24));
    FREED char *path = formatted("%s/symbols", directory);
    assert_int_equal(sam_file_save(path, symbols.data, symbols.size, NULL), SAM_OK);
    struct outcome o = run_interrupted("symbolstat symbols --stall 50 --vcd wave.vcd", false);
    done(&o);
    assert_false(exists("wave.vcd") || has_temporary("wave"));
}

/* Ctrl-C in the middle of a run: its location is reported, and no log, output or other file
 * remains. */
TEST(stopped_runs)
{
    static const struct {
        const char *words, *part;
    } cases[] = {
        {"run loop.s --kernel k --grid 4 --block 32 --arg out:u8:5:stop.npy --log stop.log",
         "samite: error: stopped after 0 of 4 workgroups\n"},
        {"run loop.s --trace=stop.log --machine tensor", " instructions, pc 0x80000000 <k+0x0>\n"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        struct outcome o = run_interrupted(cases[i].words, true);
        assert_int_equal(o.code, 128 + SIGINT);
        expect_part(&o.err, "samite: error: stopped after ");
        expect_part(&o.err, cases[i].part);
        done(&o);
        assert_false(exists("stop.log") || exists("stop.npy"));
        assert_false(has_temporary("stop"));
    }
}

/* Ctrl-C: progress in a program that would take hours. */
TEST(stopped_tile_programs)
{
    write_text("long.pto", "func.func @long(%n: index) {\n"
                           "  %c0 = arith.constant 0 : index\n"
                           "  %c1 = arith.constant 1 : index\n"
                           "  %x = arith.constant 1.0 : f32\n"
                           "  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>\n"
                           "  scf.for %i = %c0 to %n step %c1 {\n"
                           "    pto.texpands ins(%x : f32) outs(%t : "
                           "!pto.tile_buf<vec, 16x64xf32>)\n  }\n  return\n}\n");
    pid_t child = start("tile explain long.pto --arg i64:1000000000");
    assert_true(comes(child, catches, SIGTERM)); /* a shell before it catches SIGINT */
    assert_true(comes(child, has_worked, 0));    /* the run may start after the handler is set */
    kill(child, SIGINT);
    struct outcome o = dies(child, SIGINT);
    expect_part(&o.err, "stopped after ");
    expect_part(&o.out, " cycles until it was stopped\n");
    expect_part(&o.out, "texpands");
    done(&o);
    child =
        start("run long.pto --machine system --perfetto stop.json --cycles --arg i64:1000000000");
    assert_true(comes(child, has_written, 0));
    kill(child, SIGINT);
    o = dies(child, SIGINT);
    expect_part(&o.err, "stopped after ");
    expect_part(&o.out, "long.pto: stopped at 0x");
    expect_part(&o.out, "pipes: vector ");
    done(&o);
    assert_false(exists("stop.json") || has_temporary("stop"));
}

/* Ctrl-C in a launch with far too many workgroups; the program announces the launch with a line. */
TEST(stopped_launches)
{
    write_text("huge.s", "li a7, 64\nli a0, 2\nla a1, line\nli a2, 1\nli s1, 0x02001000\n"
                         "la s3, record\necall\nsw s3, 0(s1)\n.data\nline: .word 10\n"
                         ".balign 64\nrecord: .word 0x80000000, 0, 0x7fffffff, 2, 1, 4, 1, 1024, "
                         "0, 0, 0, 0, 0, 0, 0, 0\n");
    const pid_t child = start("run --machine system --gpu-code kernel.s huge.s -q");
    assert_true(comes(child, has_spoken, 0));
    kill(child, SIGINT);
    SCOPED_OUTCOME o = dies(child, SIGINT);
    expect_part(&o.err, "stopped after ");
}

/* Ctrl-C in an endless loop after a launch: with --cycles, progress is reported. Outputs are not
 * written. */
TEST(stopped_systems_in_time)
{
    static const char *const options[] = {"-q", "-q --json", "--compare-raw"};
    write_text("on.s", "li s1, 0x02001000\nla s3, record\nsw s3, 0(s1)\nlw t0, 16(s1)\n"
                       "li a7, 64\nli a0, 2\nla a1, line\nli a2, 1\necall\n"
                       "1: addi t1, t1, 1\nj 1b\n.data\nline: .word 10\n"
                       ".balign 64\nrecord: .word 0x80000000, 0, 1, 1, 1, 4, 1, 1024, "
                       "0, 0, 0, 0, 0, 0, 0, 0\n");
    for (size_t i = 0; i < SAM_COUNT(options); i++) {
        char words[160];
        snprintf(words, sizeof words,
                 "run --machine system --gpu-code kernel.s on.s --cycles --dump "
                 "0x40000000:4:stop.bin %s",
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
            const json_t *launch = json_at(system, "launches/0");
            assert_string_equal(json_string_value(json_object_get(root, "end")), "stopped");
            assert_int_equal(number_at(launch, "insns"), 1);
            assert_true(number_at(system, "cycles") > number_at(launch, "end"));
            json_decref(root);
        } else {
            expect_part(&o.out, "instructions of the hart, 1 launches, 0 weight records");
        }
        done(&o);
        assert_false(exists("stop.bin"));
    }
}

/* A stopped sweep leaves no table and no page. */
TEST(stopped_sweeps)
{
    write_text("again.s", "again: j again\n");
    pid_t child = start("sweep again.s --config slots=1,2,3,4 -j 2 -o loop.csv --html loop.html");
    assert_true(comes(child, catches, SIGTERM));
    kill(child, SIGINT);
    struct outcome o = dies(child, SIGINT);
    expect_part(&o.err, "stopped");
    done(&o);
    assert_false(exists("loop.csv") || exists("loop.html"));
    assert_false(has_temporary("loop.csv") || has_temporary("loop.html"));
    /* a stopped launch has no report of its own besides the sweep's */
    write_text("spin.s", ".globl spin\nspin: j spin\n");
    child = start("sweep spin.s --kernel spin --grid 1 --block 1 --config sms=1,2");
    assert_true(comes(child, catches, SIGTERM));
    kill(child, SIGINT);
    o = dies(child, SIGINT);
    assert_string_equal(sam_buffer_text(&o.err), "samite: error: stopped\n");
    done(&o);
}

TEST_GROUP(setup, remove_directory)
