/* SPDX-License-Identifier: Apache-2.0 */
/* samite tile and samite run on tile programs, as a user runs them. */
#include "command.h"

#include <dirent.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_typed(const char *name, enum sam_dtype dtype, const void *values, size_t rows,
                        size_t cols)
{
    char path[256];
    struct sam_array a = {
        dtype, 2, {rows, cols}, rows * cols, rows * cols * sam_dtype_size(dtype), (void *)values};
    snprintf(path, sizeof path, "%s/%s", directory, name);
    assert_int_equal(sam_npy_write(path, &a, NULL), SAM_OK);
}

static void write_array(const char *name, const float *values, size_t rows, size_t cols)
{
    write_typed(name, SAM_F32, values, rows, cols);
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
        fail_msg("samite %s: exit %d: expected %d: %s", all, o.code, code, sam_buffer_text(&o.err));
    expect_part(
        code == 2 || (o.err.size && strstr(sam_buffer_text(&o.err), part)) ? &o.err : &o.out, part);
    done(&o);
}

static int set_up(void **state)
{
    float in[32 * 32], minimum[32], other[32], corner[16 * 16];
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
    for (int i = 0; i < 16 * 16; i++) /* falls from row to row: the last is the smallest */
        corner[i] = (float)-i;
    write_array("corner.npy", corner, 16, 16);
    write_array("corner_min.npy", corner + 15 * 16, 1, 16);
    write_array("in.npy", in, 32, 32);
    write_array("small.npy", in, 31, 32);
    write_array("min.npy", minimum, 1, 32);
    write_array("other.npy", other, 1, 32);
    write_text("loop.pto", "func.func @f(%y: !pto.ptr<f32>) {\n"
                           "%a = arith.constant 0 : index\n%b = arith.constant 1 : index\n"
                           "%e = arith.constant 9000000000 : index\n"
                           "scf.for %i = %a to %e step %b {\n}\nreturn\n}\n");
    return 0;
}

TEST(test_run)
{
    expect(0, "check y: passed, 32 elements of f32 equal",
           "run @/kernels/tile/colmin.pto --func colmin --arg in:in.npy --arg y=out:f32:1,32:y.npy "
           "--check y=min.npy --stats --profile a2a3 --nan propagate --pad value");
    expect(0, "32 elements of f32 equal",
           "run --machine tile @/kernels/tile/colmin.pto --arg in:in.npy --arg out:f32:1x32 "
           "--check out=y.npy --plain");
    expect(1, "check",
           "run @/kernels/tile/colmin.pto --arg in:in.npy --arg y=out:f32:1,32 "
           "--check y=other.npy");
    expect(0, "check dst: passed, 16 elements of f32 equal",
           "run @/kernels/tile/tcolmin-flat.pto --arg src:corner.npy --arg dst:out:f32:1,16 "
           "--check dst=corner_min.npy");
    expect(0, "tcolmin %s[32x32 vec+0x0] -> %d[1x32 vec+0x1000]",
           "run @/kernels/tile/colmin.pto --arg in:in.npy --arg out:f32:1,32 --trace");
    /* what has no name is the next parameter that none of the names is for */
    expect(
        0, "check y: passed",
        "run @/kernels/tile/dynamic.pto --arg y=out:f32:1,32 --arg cols=i64:32 --arg in=in:in.npy "
        "--arg i64:32 --check y=min.npy");
    expect(0, "check out: passed",
           "run @/kernels/tile/dynamic.pto --arg in:in.npy --arg out=out:f32:1,32 --arg i64:32 "
           "--arg i64:32 --check out=min.npy");
    expect(0, "exit 0",
           "run @/kernels/tile/colmin.pto --machine system --arg in:in.npy --arg out:f32:1,32 "
           "--emit lowered");
    char script[300];
    snprintf(script, sizeof script, "%s/lowered/run", directory);
    assert_int_equal(access(script, X_OK), 0);
    expect(2, "%in is given twice",
           "run @/kernels/tile/dynamic.pto --arg in=in:in.npy --arg in=in:in.npy");
    expect(2, "argument %rows is not given",
           "run @/kernels/tile/dynamic.pto --arg in:in.npy --arg out:f32:1,32 --arg cols=i64:1");
    write_text("one.pto", "%c = arith.constant 1.0 : f32\n%i = arith.constant 0x7f800000 : f32\n"
                          "%a = texpands %c : f32 -> !pto.tile<vec, 1x16xf32>\n"
                          "%b = texpands %i : f32 -> !pto.tile<vec, 1x16xf32>\n");
    expect(0, "texpands %c[1.0] -> %a[1x16", "run one.pto --trace");
    expect(0, "texpands %i[inf] -> %b[1x16", "run one.pto --trace");
    expect(0, "done",
           "run @/kernels/tile/dynamic.pto --arg in:in.npy --arg out:f32:1,32 --arg i64:7 "
           "--arg i64:32 --profile host");
}

/* 2^24 + 1 is rounded to 2^24, whatever comes later in the rising order; in that of the system
 * the ones meet in other lanes first. */
TEST(test_sum_order)
{
    float row[64] = {16777216};
    const float rising[] = {16777216}, by_lanes[] = {16777216 + 62};
    for (int j = 1; j < 64; j++)
        row[j] = 1;
    write_array("row.npy", row, 1, 64);
    write_array("rising.npy", rising, 1, 1);
    write_array("lanes.npy", by_lanes, 1, 1);
    write_text("row.pto", "%d = trowsum %s : !pto.tile<vec, 1x64xf32> -> "
                          "!pto.tile<vec, 1x8xf32, valid=1x1>\n");
    expect(0, "check d: passed",
           "run row.pto --arg s:row.npy --arg d:out:f32:1,1 --check d=rising.npy");
    expect(
        0, "check d: passed",
        "run row.pto --arg s:row.npy --arg d:out:f32:1,1 --check d=rising.npy --sum-order rising");
    expect(
        0, "check d: passed",
        "run row.pto --arg s:row.npy --arg d:out:f32:1,1 --check d=lanes.npy --sum-order system");
    expect(2, "--sum-order x: expected rising or system", "run row.pto --sum-order x");
}

TEST(test_failures)
{
    expect(1, "tload s[31,0]: element 992 of a0, which has 992",
           "run @/kernels/tile/colmin.pto --arg in:small.npy --arg out:f32:1,32:gone.npy");
    assert_false(exists("gone.npy"));
    expect(1, "stopped after 5 operations",
           "run @/kernels/tile/colmin.pto --arg in:in.npy --arg out:f32:1,32 --max-ops 5");
    expect(2, "argument %a1 is not given", "run @/kernels/tile/colmin.pto --arg in:in.npy");
    expect(2, "%a0 is of f32: found an array of i32",
           "run @/kernels/tile/colmin.pto --arg out:i32:32,32 --arg out:f32:1,32");
    expect(2, "@colmin has 2 arguments: %a0, %a1; 3 given",
           "run @/kernels/tile/colmin.pto --arg in:in.npy --arg out:f32:1,32 --arg i64:1");
    expect(2, "has no function @f", "run @/kernels/tile/colmin.pto --func f");
    expect(2, "--nan x: expected number, propagate or first",
           "run @/kernels/tile/colmin.pto --nan x");
    expect(2, "--grid is for --machine ventus, not for tile",
           "run @/kernels/tile/colmin.pto --grid 1");
    expect(2, "--func is for --machine tile or system, not for ventus",
           "run x.s --kernel k --func f");
    expect(2, "unknown argument %nobody",
           "run @/kernels/tile/tcolmin-flat.pto --arg nobody:in.npy");
    expect(2, "%src holds 16x16 elements: found an array of 32x32",
           "run @/kernels/tile/tcolmin-flat.pto --arg src:in.npy");
    expect(2, "cannot open", "run missing.pto");
    expect(2, "--config is for --machine ventus, tensor or system, not for tile",
           "run @/kernels/tile/colmin.pto --config sms=2");
    expect(2, "--cycles is for --machine ventus, tensor or system, not for tile",
           "run @/kernels/tile/colmin.pto --cycles");
    expect(2, "tile programs have no debugger: samite run --trace shows their operations",
           "debug @/kernels/tile/colmin.pto");
    expect(2, "--machine tensor: a .pto is for --machine tile",
           "run --machine tensor @/kernels/tile/colmin.pto");
    write_text("bytes.pto", "x \x1b[31m \x9b"
                            "1m\xff \xc2\x9b \xc3\xa4 b\n");
    expect(2, "    x  [31m ?1m? ?? \xc3\xa4 b\n    ^\n", "tile check bytes.pto");
    expect(2, "missing.pto: cannot open", "tile check @/kernels/tile/colmin.pto missing.pto");
    expect(0, "/colmax.pto: no error\n",
           "tile check @/kernels/tile/colmin.pto @/kernels/tile/colmax.pto");
    expect(2, "fmt: unexpected second program 'y.pto'", "tile fmt x.pto y.pto");
    write_text("brace.pto", "}\n");
    expect(2, "1:1: error: expected an operation or the end of the file, found '}'",
           "tile check brace.pto");
    expect(2, "1:1: error: expected an operation",
           "tile check brace.pto @/kernels/tile/colmin.pto");
}

/* Outputs that would destroy something or cannot be written are reported before the run. */
TEST(test_outputs)
{
    char words[512];
    expect(0, "done",
           "run @/kernels/tile/tcolmin-flat.pto --arg src:corner.npy "
           "--arg dst:out:f32:1,16:kept.npy");
    snprintf(words, sizeof words,
             "run @/kernels/tile/tcolmin-flat.pto --arg src:kept.npy "
             "--arg dst:out:f32:1,16:%s/./kept.npy",
             directory);
    expect(2, "kept.npy: the output is the input kept.npy", words);
    expect(2, "corner.npy: the output is the input corner.npy",
           "run @/kernels/tile/tcolmin-flat.pto --arg src:corner.npy "
           "--arg dst=out:f32:1,16:corner.npy");
    expect(0, "16 elements of f32 equal",
           "run @/kernels/tile/tcolmin-flat.pto --arg src:corner.npy --arg dst=out:f32:1,16 "
           "--check dst=kept.npy");
    struct outcome o = run("run loop.pto --arg y=out:f32:1,8:nodir/y.npy");
    expect_part(&o.err, "nodir/y.npy: cannot create");
    assert_int_equal(o.code, 2);
    assert_int_equal(o.out.size, 0); /* it would run for long */
    done(&o);
    expect(1, "stopped", "run loop.pto --max-ops 9 --arg y=out:f32:1,8:later.npy");
    assert_false(exists("later.npy"));
}

/* A tile of bare operations that is both. */
TEST(test_inout)
{
    float twice[16 * 16];
    for (int i = 0; i < 16 * 16; i++)
        twice[i] = (float)(-2 * i);
    write_array("twice.npy", twice, 16, 16);
    write_text("inout.pto", "tadd ins(%a, %a : !pto.tile<vec, 16x16xf32>, "
                            "!pto.tile<vec, 16x16xf32>) outs(%a : !pto.tile<vec, 16x16xf32>)\n"
                            "%b = tabs %a : !pto.tile<vec, 16x16xf32> -> "
                            "!pto.tile<vec, 16x16xf32>\n");
    expect(0, "check a: passed, 256 elements of f32 equal",
           "run inout.pto --arg a=inout:corner.npy:sum.npy --check a=twice.npy");
    expect(2, "%b is computed by the program: it can be an output, but not an input as well",
           "run inout.pto --arg a=in:corner.npy --arg b=inout:corner.npy");
}

TEST(test_tile)
{
    expect(0, "no error", "tile check @/kernels/tile/colmin.pto --profile a5");
    expect(0, "0x001000..0x001080      128 bytes, lines 13..16  %d",
           "tile check --plan @/kernels/tile/colmin.pto");
    expect(2, "tcolmin reads %s without waiting for the tload pipe",
           "tile check @/kernels/tile/errors/missing_wait.pto");
    expect(0, "%dst = tcolmin %src : !pto.tile<vec, 16x16xf32> -> !pto.tile<vec, 1x16xf32>",
           "tile fmt --surface flat @/kernels/tile/tcolmin-flat.pto");
    expect(0, "", "tile fmt --surface flat @/kernels/tile/tcolmin-flat.pto -o flat.pto");
    char path[512];
    snprintf(path, sizeof path, "%s/kernels/tile/tcolmin-flat.pto", getenv("SAMITE_SOURCE"));
    struct sam_buffer given = {0}, made = read_file("flat.pto");
    assert_int_equal(sam_file_read(path, 1 << 16, &given, NULL), SAM_OK);
    assert_int_equal(given.size, made.size); /* is as it would be written */
    assert_memory_equal(given.data, made.data, made.size);
    sam_buffer_free(&given), sam_buffer_free(&made);
    expect(0, "", "tile fmt @/kernels/tile/softmax.pto -o softmax.pto");
    expect(0, "no error", "tile check softmax.pto");
    expect(2, "--surface mlir: expected flat, ssa or dps", "tile fmt --surface mlir x.pto");
    expect(0,
           "Usage: samite tile explain [options] PROGRAM.pto\n\n"
           "explain: show what each line of a program becomes on the system (samite run\n--machine",
           "tile explain --help");
    expect(0, "\nExamples:\n  samite tile explain softmax.pto", "tile explain --help");
    expect(2, "unknown task 'format': expected fmt, check, ops or explain", "tile format x.pto");
    expect(0, "tcolmin            t    all of the profile   d[0,j] = min over i of a[i,j]",
           "tile ops");
}

/* The document on standard output. */
static json_t *json_of(int code, const char *words)
{
    char all[1024];
    snprintf(all, sizeof all, "run %s/kernels/tile/%s", getenv("SAMITE_SOURCE"), words);
    struct outcome o = run(all);
    assert_int_equal(o.code, code);
    json_error_t error;
    json_t *root = json_loads(sam_buffer_text(&o.out), 0, &error);
    if (!root)
        fail_msg("samite %s: %s in: %s", all, error.text, sam_buffer_text(&o.out));
    done(&o);
    return root;
}

/* The number at "name.name.name". */
static long long number_at(const json_t *at, const char *path)
{
    char name[64];
    for (const char *c = path; *c; c += *c == '.') {
        size_t size = strcspn(c, ".");
        snprintf(name, sizeof name, "%.*s", (int)size, c);
        at = json_object_get(at, name);
        c += size;
    }
    if (!json_is_integer(at))
        fail_msg("no number %s", path);
    return json_integer_value(at);
}

TEST(test_json)
{
    json_t *root = json_of(0, "colmin.pto --arg in:in.npy --arg y=out:f32:1,32 --check y=min.npy "
                              "--trace --stats=json");
    assert_string_equal(json_string_value(json_object_get(root, "function")), "colmin");
    assert_string_equal(json_string_value(json_object_get(root, "end")), "done");
    assert_true(json_is_null(json_object_get(root, "error")));
    static const struct {
        const char *path;
        long long value;
    } numbers[] = {{"operations", 13},          {"tile_operations", 3},
                   {"elements", 2 * 1024 + 32}, {"bytes_loaded", 4096},
                   {"bytes_stored", 128},       {"ops.tload.count", 1},
                   {"ops.tcolmin.count", 1},    {"ops.tcolmin.elements", 1024},
                   {"ops.tstore.elements", 32}, {"pipes.tload.elements", 1024},
                   {"pipes.vector.count", 1},   {"pipes.tstore.count", 1},
                   {"pipes.matrix.count", 0},   {"memories.vec", 4096 + 128},
                   {"memories.acc", 0}};
    for (size_t i = 0; i < SAM_COUNT(numbers); i++)
        if (number_at(root, numbers[i].path) != numbers[i].value)
            fail_msg("%s: %lld", numbers[i].path, number_at(root, numbers[i].path));
    assert_int_equal(json_object_size(json_object_get(root, "ops")), 3);
    json_t *check = json_array_get(json_object_get(root, "checks"), 0);
    assert_true(json_is_true(json_object_get(check, "passed")));
    assert_int_equal(number_at(check, "elements"), 32);
    json_decref(root);
    /* a run that fails is counted as far as it got */
    root = json_of(1, "colmin.pto --arg in:small.npy --arg out:f32:1,32 --stats=json -q");
    assert_string_equal(json_string_value(json_object_get(root, "end")), "failed");
    assert_non_null(
        strstr(json_string_value(json_object_get(root, "error")), "tload s[31,0]: element 992"));
    assert_int_equal(number_at(root, "ops.tload.count"), 1);
    assert_int_equal(number_at(root, "ops.tload.elements"), 0);
    json_decref(root);
    root = json_of(1, "colmin.pto --arg in:in.npy --arg out:f32:1,32 --max-ops 5 --stats=json");
    assert_int_equal(number_at(root, "operations"), 5);
    json_decref(root);
    expect(0, "  tcolmin                  1           1024",
           "run @/kernels/tile/colmin.pto --arg in:in.npy --arg out:f32:1,32 --stats");
    expect(2, "--stats=xml: expected --stats or --stats=json",
           "run @/kernels/tile/colmin.pto --stats=xml");
    expect(2, "--json needs standard output for itself",
           "run @/kernels/tile/colmin.pto --arg in:in.npy --arg out:f32:1,32:- --stats=json");
}

/* A program is lowered for the machine that --config describes. The sums of small integers are
 * exact, in whichever order. */
TEST(test_machine)
{
    static const char *const machines[] = {"--config mx.mlen=128", "--config mx.mlen=256",
                                           "--config gpu.sms=1", "--config gpu.sms=4,mx.mlen=512",
                                           "--acc-regs 0:4"};
    static uint16_t a[32 * 64], b[64 * 48];
    float bias[48];
    for (size_t i = 0; i < SAM_COUNT(a); i++)
        a[i] = i % 3 == 0 ? 0x4000 : 0x3c00; /* 2, 1 */
    for (size_t i = 0; i < SAM_COUNT(b); i++)
        b[i] = i % 5 == 0 ? 0xbc00 : 0x3c00; /* -1, 1 */
    for (size_t i = 0; i < SAM_COUNT(bias); i++)
        bias[i] = (float)i - 40;
    write_typed("fa.npy", SAM_F16, a, 32, 64);
    write_typed("fb.npy", SAM_F16, b, 64, 48);
    write_array("bias.npy", bias, 1, 48);
#define MATMUL                                                                                     \
    "run @/kernels/tile/matmul_bias_relu.pto --arg in:fa.npy --arg in:fb.npy --arg in:bias.npy "
    expect(0, "done", MATMUL "--arg out:f32:32,48:expected.npy");
    for (size_t i = 0; i < SAM_COUNT(machines); i++) {
        char words[300];
        snprintf(words, sizeof words,
                 MATMUL "--arg out:f32:32,48 --check out=expected.npy --machine system %s",
                 machines[i]);
        expect(0, "check out: passed", words);
    }
    expect(2, "tmatmul_bias: acc_regs 0x7f leaves no two registers for factors",
           MATMUL "--arg out:f32:32,48 --machine system --acc-regs 0:1:2:3:4:5:6");
    expect(2, "mx.mlen=512: the hart's MLEN is 256",
           MATMUL "--arg out:f32:32,48 --machine system --mlen 256 --config mx.mlen=512");
}

/* Ctrl-C: what was reached of a program that would take hours. */
TEST(test_stopped)
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

/* The second line of a program tells how to run it. */
TEST(test_comments)
{
    enum { COUNT = 1024 * 2048 };
    float *values = calloc(COUNT, sizeof *values);
    struct dirent *entry;
    char path[512];
    size_t count = 0;
    write_array("x.npy", values, 1024, 2048);
    write_array("w.npy", values, 1, 64);
    write_array("s.npy", values, 16, 16);
    write_typed("a.npy", SAM_F16, values, 64, 64);
    write_typed("b.npy", SAM_F16, values, 64, 64);
    write_typed("a16.npy", SAM_U16, values, 256, 32);
    write_typed("b16.npy", SAM_U16, values, 256, 32);
    free(values);
    snprintf(path, sizeof path, "%s/kernels/tile", getenv("SAMITE_SOURCE"));
    DIR *folder = opendir(path);
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        char file[1024], what[256], how[256], words[1024];
        const char *name = entry->d_name, *dot = strrchr(name, '.');
        if (!dot || strcmp(dot, ".pto") != 0)
            continue;
        snprintf(file, sizeof file, "%s/%s", path, name);
        FILE *text = fopen(file, "r");
        assert_non_null(text);
        assert_non_null(fgets(what, sizeof what, text));
        assert_non_null(fgets(how, sizeof how, text));
        fclose(text);
        const char *start = "// Run: samite run ";
        size_t size = strlen(start), length = strlen(name);
        if (strcmp(how, "// Run: build/kernels/block\n") == 0)
            continue; /* kernels/block */
        if (strncmp(what, "// ", 3) != 0 || strncmp(how, start, size) != 0 ||
            strncmp(how + size, name, length) != 0)
            fail_msg("%s: no line that says how to run it", name);
        how[strcspn(how, "\n")] = '\0';
        snprintf(words, sizeof words, "run @/kernels/tile/%s", how + size);
        expect(0, "done", words);
        count++;
    }
    closedir(folder);
    assert_true(count >= 20);
}

TEST_GROUP(set_up, remove_directory)
