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
static void ends_like_run(void **state)
{
    (void)state;
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
static void failures(void **state)
{
    (void)state;
    expect_failure(LAUNCH "--arg c=out:u32:8 --batch -ex continue", 1, "outside every buffer");
    expect_failure("--machine tensor exit3.s --batch -ex continue", 3, "exit code 3");
    struct outcome o = run("--machine tensor exit3.s --batch -ex quit");
    assert_int_equal(o.code, 0);
    done(&o);
}

static void bad_usage(void **state)
{
    (void)state;
    expect_failure("--ex", 2, "--ex needs a value (CMD)");
    expect_failure("no-such.s --kernel k --grid 1 --block 1", 2, "cannot open");
    expect_failure("colmin.pto", 2, "tile programs have no debugger");
    expect_failure("--machine tile x.s", 2, "expected ventus or tensor");
    expect_failure("", 2, "no file to run");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_like_run),
        cmocka_unit_test(failures),
        cmocka_unit_test(bad_usage),
    };
    return cmocka_run_group_tests(tests, make_files, remove_directory);
}
