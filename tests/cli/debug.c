/* SPDX-License-Identifier: Apache-2.0 */
/* `samite debug` accepts what `samite run` does, and ends as that does. */
#include <stdlib.h>
#include <string.h>

#include "command.h"

static const char kernel[] = ".global twice\n"
                             "twice:\n"
                             "    lw t0, 0(a0)\n"
                             "    lw t1, 4(a0)\n"
                             "    vid.v v0\n"
                             "    vsll.vi v1, v0, 2\n"
                             "    vadd.vx v1, v1, t0\n"
                             "    vlw12.v v2, 0(v1)\n"
                             "    vadd.vv v2, v2, v2\n"
                             "    vadd.vx v3, v1, t1\n"
                             "    vsub.vx v3, v3, t0\n"
                             "    vsw12.v v2, 0(v3)\n"
                             "    ret\n";

#define LAUNCH "twice.s --kernel twice --grid 1 --block 32 --arg in:in.npy "

static void write_array(const char *name, uint32_t step)
{
    uint32_t data[32];
    struct sam_array array = {.dtype = SAM_U32, .rank = 1, .shape = {32}, .count = 32};
    char path[128];
    for (uint32_t i = 0; i < 32; i++)
        data[i] = step * i;
    array.data = data;
    array.size = sizeof data;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    assert_int_equal(sam_npy_write(path, &array, NULL), SAM_OK);
}

static int make_files(void **state)
{
    (void)state;
    make_directory();
    command_verb = "debug";
    write_text("twice.s", kernel);
    write_text("exit3.s", "_start: li a0, 3\n li a7, 93\n ecall\n");
    write_text("spin.s", "_start: nop\nhere: j here\n");
    write_array("in.npy", 1);
    write_array("good.npy", 2);
    return 0;
}

/* Outputs are written and compared when the launch has ended, and not before. */
TEST(ends_like_run)
{
    struct sam_buffer out =
        expect_success(LAUNCH "--arg c=out:u32:32:out.npy --check c=good.npy --batch -ex continue");
    expect_part(&out, "check c: passed, 32 elements");
    sam_buffer_free(&out);
    assert_true(exists("out.npy"));
    struct outcome o = run(LAUNCH "--arg c=out:u32:32 --check c=in.npy --batch -ex continue");
    assert_int_equal(o.code, 1);
    expect_part(&o.out, "check c: FAILED");
    done(&o);
    out = expect_success(LAUNCH "--arg c=out:u32:32:none.npy --check c=in.npy --batch -ex quit");
    sam_buffer_free(&out);
    assert_false(exists("none.npy"));
}

/* A launch that fails is the program's failure; so is the exit code of a program. */
TEST(failures)
{
    expect_failure(LAUNCH "--arg c=out:u32:8 --batch -ex continue", 1, "outside every buffer");
    expect_failure("--machine tensor exit3.s --batch -ex continue", 3, "exit code 3");
    struct outcome o = run("--machine tensor exit3.s --batch -ex quit");
    assert_int_equal(o.code, 0);
    done(&o);
}

/* Commands from the command line, from files and from standard input, in this order. */
TEST(scripts)
{
    write_text("one.gdb", "# comment\n\nbreak twice.s:9\ncontinue\n  print v2[3]  \n");
    write_text("two.gdb", "source one.gdb\nprint v2[4]\n");
    write_text("bad.gdb", "print 1\nprint nobody\nprint 2\n");
    write_text("loop.gdb", "source loop.gdb\n");
    struct sam_buffer out = expect_success(
        LAUNCH "--arg out:u32:32 -ex 'echo first\\n' -x two.gdb --ex=quit --echo </dev/null");
    expect_part(&out, "first\n(samite) source one.gdb\n(samite) # comment\n");
    expect_part(&out,
                "(samite) print v2[3]\n$1 = 3\n(samite) print v2[4]\n$2 = 4\n(samite) quit\n");
    sam_buffer_free(&out);
    write_text("in.gdb", "print 5\nprint 6\n");
    out = expect_success(LAUNCH "--arg out:u32:32 -ex 'print 4' <in.gdb");
    expect_part(&out, "$1 = 4\n$2 = 5\n$3 = 6\n");
    sam_buffer_free(&out);
    /* Nothing is asked, and no prompt is shown, without a terminal. */
    assert_null(strstr(sam_buffer_text(&out), "(samite)"));
    /* A command that fails ends its file, and a batch. */
    struct outcome o = run(LAUNCH "--arg out:u32:32 -x bad.gdb -ex 'print 3' </dev/null");
    assert_int_equal(o.code, 2);
    expect_part(&o.err, "samite: error: bad.gdb:2: no register, CSR or symbol 'nobody'\n");
    expect_part(&o.out, "$1 = 1\n$2 = 3\n");
    done(&o);
    o = run(LAUNCH "--arg out:u32:32 --batch -x bad.gdb -ex 'print 3'");
    assert_int_equal(o.code, 2);
    expect_part(&o.out, "$1 = 1\n");
    assert_null(strstr(sam_buffer_text(&o.out), "$2"));
    done(&o);
    expect_failure(LAUNCH "--arg out:u32:32 --batch -x loop.gdb", 2, "nested more than 16 deep");
    expect_failure(LAUNCH "--arg out:u32:32 -x none.gdb </dev/null", 2, "none.gdb: cannot open");
    expect_failure(LAUNCH "--arg out:u32:32 --batch -ex 'source none.gdb'", 2, "none.gdb");
}

/* A NUL byte does not hide the rest of its line: files and standard input must be text. */
TEST(nul_bytes)
{
    run_script("printf 'print 1\\nprint 2\\0 nobody\\nprint 3\\n' >nul.gdb");
    write_text("source.gdb", "source nul.gdb\n");
    const char *const place = "nul.gdb:2: unexpected byte 0x00: expected text";
    expect_failure(LAUNCH "--arg out:u32:32 --batch -x nul.gdb", 2, place);
    expect_failure(LAUNCH "--arg out:u32:32 --batch -x source.gdb", 2, place);
    expect_failure(LAUNCH "--arg out:u32:32 <nul.gdb", 2,
                   "standard input: unexpected byte 0x00: expected text");
}

/* What has run stays in the files that were asked for, however it ended. */
TEST(other_outputs)
{
    struct sam_buffer out = expect_success(
        LAUNCH "--arg c=out:u32:32 --trace=t.log --stats --batch -ex 'stepi 3' -ex quit");
    sam_buffer_free(&out);
    struct sam_buffer log = read_file("t.log");
    unsigned lines = 0;
    for (const char *c = sam_buffer_text(&log); *c; c++)
        lines += *c == '\n';
    assert_true(lines >= 3);
    sam_buffer_free(&log);
    out = expect_success(LAUNCH "--arg c=out:u32:32 --stats --batch -ex continue -ex quit");
    expect_part(&out, "warp instructions");
    sam_buffer_free(&out);
    /* Standard output is for data: the debugger talks on the other one. */
    struct outcome o = run(LAUNCH "--arg c=out:u32:32 --json --batch -ex 'print 7' -ex continue");
    assert_int_equal(o.code, 0);
    assert_int_equal(sam_buffer_text(&o.out)[0], '{');
    expect_part(&o.err, "$1 = 7");
    done(&o);
}

/* --until ends a program; so does an ebreak where --ebreak ok says so. */
TEST(ends_of_programs)
{
    write_text("until.s", "_start: nop\nhere: nop\nj here\n");
    write_text("ebreak.s", "_start: nop\nebreak\n");
    struct sam_buffer out =
        expect_success("--machine tensor until.s --until here --batch -ex continue");
    expect_part(&out, "[the program has reached --until]");
    sam_buffer_free(&out);
    out = expect_success("--machine tensor ebreak.s --ebreak ok --batch -ex continue");
    expect_part(&out, "[ebreak]");
    sam_buffer_free(&out);
    struct outcome o = run("--machine tensor ebreak.s --batch -ex continue");
    assert_int_equal(o.code, 1);
    expect_part(&o.err, "expected an exit (--ebreak ok accepts it)");
    done(&o);
    /* A cycle model has no past. */
    o = run("--machine tensor exit3.s --cycles --batch -ex stepi -ex rstepi");
    assert_int_equal(o.code, 2);
    expect_part(&o.err, "nothing is recorded: a cycle model cannot be taken back in time");
    done(&o);
    o = run("--machine tensor exit3.s --no-record --batch -ex stepi -ex run");
    assert_int_equal(o.code, 2);
    expect_part(&o.err, "it cannot begin again: --no-record was given");
    done(&o);
}

TEST(bad_usage)
{
    expect_failure("--ex", 2, "--ex needs a value (CMD)");
    expect_failure("no-such.s --kernel k --grid 1 --block 1", 2, "cannot open");
    expect_failure("colmin.pto", 2, "tile programs have no debugger");
    expect_failure("--machine tile x.s", 2, "expected ventus or tensor");
    expect_failure("", 2, "no file to run");
    expect_failure(LAUNCH "--cycles", 2, "--cycles measures whole launches: expected samite run");
    expect_failure(LAUNCH "--sanitize", 2, "--sanitize checks whole launches: expected samite run");
}

TEST_GROUP(make_files, remove_directory)
