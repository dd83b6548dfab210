/* SPDX-License-Identifier: Apache-2.0 */
/* samite tile and samite run on tile programs, as a user runs them. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_array(const char *name, const float *values, size_t rows, size_t cols)
{
    char path[256];
    struct sam_array a = {SAM_F32, 2, {rows, cols}, rows * cols, rows * cols * 4, (void *)values};
    snprintf(path, sizeof path, "%s/%s", directory, name);
    assert_int_equal(sam_npy_write(path, &a, NULL), SAM_OK);
}

/* `samite WORDS`, @ the folder of the sources; what it prints must hold `part`. */
static void expect(int code, const char *part, const char *words)
{
    char all[2048] = "";
    for (const char *c = words; *c; c++)
        snprintf(all + strlen(all), sizeof all - strlen(all), *c == '@' ? "%s" : "%.1s",
                 *c == '@' ? getenv("SAMITE_SOURCE") : c);
    struct outcome o = run(all);
    if (o.code != code)
        fail_msg("samite %s: exit %d, expected %d: %s", all, o.code, code, sam_buffer_text(&o.err));
    expect_part(
        code == 2 || (o.err.size && strstr(sam_buffer_text(&o.err), part)) ? &o.err : &o.out, part);
    done(&o);
}

static int set_up(void **state)
{
    float in[32 * 32], minimum[32], other[32];
    (void)state;
    make_directory();
    command_verb = "";
    for (int i = 0; i < 32 * 32; i++)
        in[i] = (float)(i * 37 % 101) - 50;
    for (int j = 0; j < 32; j++) {
        minimum[j] = in[j];
        for (int i = 1; i < 32; i++)
            minimum[j] = in[i * 32 + j] < minimum[j] ? in[i * 32 + j] : minimum[j];
        other[j] = minimum[j] + (j == 7);
    }
    write_array("in.npy", in, 32, 32);
    write_array("small.npy", in, 31, 32);
    write_array("min.npy", minimum, 1, 32);
    write_array("other.npy", other, 1, 32);
    return 0;
}

static void test_run(void **state)
{
    (void)state;
    expect(0, "check y: passed, 32 elements of f32 equal",
           "run @/kernels/tile/colmin.pto --func colmin --arg in:in.npy --arg y=out:f32:1,32:y.npy "
           "--check y=min.npy --stats --profile a2a3 --nan propagate --pad value");
    expect(0, "32 elements of f32 equal",
           "run --machine tile @/kernels/tile/colmin.pto --arg in:in.npy --arg out:f32:1x32 "
           "--check out=y.npy --plain");
    expect(1, "check",
           "run @/kernels/tile/colmin.pto --arg in:in.npy --arg y=out:f32:1,32 "
           "--check y=other.npy");
    expect(0, "tcolmin %s[32x32 vec+0x0] -> %d[1x32 vec+0x1000]",
           "run @/kernels/tile/colmin.pto --arg in:in.npy --arg out:f32:1,32 --trace");
    expect(0, "done",
           "run @/kernels/tile/dynamic.pto --arg in:in.npy --arg out:f32:1,32 --arg i64:7 "
           "--arg i64:32 --profile host");
}

static void test_failures(void **state)
{
    (void)state;
    expect(1, "tload s[31,0]: element 992 of a0, which has 992",
           "run @/kernels/tile/colmin.pto --arg in:small.npy --arg out:f32:1,32:gone.npy");
    assert_false(exists("gone.npy"));
    expect(1, "stopped after 5 operations",
           "run @/kernels/tile/colmin.pto --arg in:in.npy --arg out:f32:1,32 --max-ops 5");
    expect(2, "argument %a1 is not given", "run @/kernels/tile/colmin.pto --arg in:in.npy");
    expect(2, "%a0 is of f32, the array of i32",
           "run @/kernels/tile/colmin.pto --arg out:i32:32,32 --arg out:f32:1,32");
    expect(2, "has 2 arguments, 3 given",
           "run @/kernels/tile/colmin.pto --arg in:in.npy --arg out:f32:1,32 --arg i64:1");
    expect(2, "has no function @f", "run @/kernels/tile/colmin.pto --func f");
    expect(2, "--nan: expected number, propagate, first, found 'x'",
           "run @/kernels/tile/colmin.pto --nan x");
    expect(2, "--grid is not for tile programs", "run @/kernels/tile/colmin.pto --grid 1");
    expect(2, "--func is for --machine tile, not for ventus", "run x.s --kernel k --func f");
    expect(2, "there is no argument %nobody",
           "run @/kernels/tile/tcolmin-flat.pto --arg nobody:in.npy");
    expect(2, "%src holds 16x16 elements, the array has 32x32",
           "run @/kernels/tile/tcolmin-flat.pto --arg src:in.npy");
    expect(2, "cannot open", "run missing.pto");
}

static void test_tile(void **state)
{
    (void)state;
    expect(0, "no error", "tile check @/kernels/tile/colmin.pto --profile a5");
    expect(0, "0x001000..0x001080      128 bytes, lines 12..15  %d",
           "tile check --plan @/kernels/tile/colmin.pto");
    expect(2, "tcolmin reads %s without waiting for the tload pipe",
           "tile check @/kernels/tile/errors/missing_wait.pto");
    expect(0, "%dst = tcolmin %src : !pto.tile_buf<vec, 16x16xf32> -> !pto.tile_buf<vec, 1x16xf32>",
           "tile fmt --surface flat @/kernels/tile/tcolmin-flat.pto");
    expect(0, "", "tile fmt @/kernels/tile/softmax.pto -o softmax.pto");
    expect(0, "no error", "tile check softmax.pto");
    expect(2, "expected flat, ssa or dps, found 'mlir'", "tile fmt --surface mlir x.pto");
    expect(2, "expected fmt, check or ops, found 'format'", "tile format x.pto");
    expect(0, "tcolmin            t    all of the profile   d[0,j] = min over i of a[i,j]",
           "tile ops");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_tile),
    };
    return cmocka_run_group_tests(tests, set_up, remove_directory);
}
