/* SPDX-License-Identifier: Apache-2.0 */
/* `samite sweep`: settings from files, the columns of the table, tile programs. */
#include "command.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const char kernel[] = ".globl count\n"
                             "count:  lw      t0, 0(a0)\n"
                             "1:      addi    t0, t0, -1\n"
                             "        bnez    t0, 1b\n"
                             "        ret\n";

/* The more SMs, the faster. */
static const char program[] =
    "func.func @sums(%in: !pto.ptr<f32>, %n: index, %out: !pto.ptr<f32>) {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %c1 = arith.constant 1 : index\n"
    "  %c64 = arith.constant 64 : index\n"
    "  %v = pto.make_tensor_view %in, shape = [%c64, %c64], strides = [%c64, %c1] : "
    "!pto.tensor_view<?x?xf32>\n"
    "  %w = pto.make_tensor_view %out, shape = [%c1, %c64], strides = [%c64, %c1] : "
    "!pto.tensor_view<?x?xf32>\n"
    "  %pv = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c64, %c64] : "
    "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<64x64xf32>\n"
    "  %pw = pto.partition_view %w, offsets = [%c0, %c0], sizes = [%c1, %c64] : "
    "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x64xf32>\n"
    "  %t = pto.alloc_tile : !pto.tile_buf<vec, 64x64xf32>\n"
    "  %s = pto.alloc_tile : !pto.tile_buf<vec, 1x64xf32>\n"
    "  pto.tload ins(%pv : !pto.partition_tensor_view<64x64xf32>) outs(%t : "
    "!pto.tile_buf<vec, 64x64xf32>)\n"
    "  scf.for %i = %c0 to %n step %c1 {\n"
    "    pto.texp ins(%t : !pto.tile_buf<vec, 64x64xf32>) outs(%t : "
    "!pto.tile_buf<vec, 64x64xf32>)\n"
    "  }\n"
    "  pto.tcolsum ins(%t : !pto.tile_buf<vec, 64x64xf32>) outs(%s : "
    "!pto.tile_buf<vec, 1x64xf32>)\n"
    "  pto.tstore ins(%s : !pto.tile_buf<vec, 1x64xf32>) outs(%pw : "
    "!pto.partition_tensor_view<1x64xf32>)\n"
    "  return\n}\n";

#define KERNEL "k.s --kernel count --grid 8 --block 64 --arg u32:50 "
#define TILES  "sums.pto --arg in:x.npy --arg i64:3 --arg out:f32:1x64 "

static int set_up(void **state)
{
    static float values[64 * 64];
    char path[160];
    struct sam_array array = {.dtype = SAM_F32,
                              .rank = 2,
                              .shape = {64, 64},
                              .count = 64 * 64,
                              .size = sizeof values,
                              .data = values};
    (void)state;
    command_verb = "sweep";
    make_directory();
    write_text("k.s", kernel);
    write_text("sums.pto", program);
    snprintf(path, sizeof path, "%s/x.npy", directory);
    return sam_npy_write(path, &array, NULL) != SAM_OK;
}

static json_t *runs_of(const char *words, json_t **root)
{
    struct sam_buffer out = expect_success(words);
    *root = json_loads(sam_buffer_text(&out), 0, NULL);
    sam_buffer_free(&out);
    assert_non_null(*root);
    return json_object_get(*root, "runs");
}

static json_int_t cycles_of(const json_t *runs, size_t index)
{
    return json_integer_value(json_object_get(json_array_get(runs, index), "cycles"));
}

/* What a file says holds for all runs, unless a --config says something else. */
TEST(files)
{
    json_t *file, *words, *root;
    write_text("one.cfg", "sms=1 # half\nmem_latency=300\n");
    write_text("fast.cfg", "mem_latency=10\n");
    write_text("preset.cfg", "preset=systemc\n");
    write_text("bad.cfg", "smz=1\n");
    root = runs_of(KERNEL "--config one.cfg --config banks=2,4 --json", &file);
    const json_t *same =
        runs_of(KERNEL "--config sms=1 --config mem_latency=300 --config banks=2,4 --json", &words);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(cycles_of(root, i), cycles_of(same, i));
    json_decref(file);
    json_decref(words);
    root = runs_of(KERNEL "--config one.cfg --config fast.cfg --config sms=1,4 --json", &file);
    same = runs_of(KERNEL "--config mem_latency=10 --config sms=1,4 --json", &words);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(cycles_of(root, i), cycles_of(same, i));
    json_decref(file);
    json_decref(words);
    expect_failure(KERNEL "--config bad.cfg --config sms=1", 2, "unknown parameter 'smz'");
    expect_failure(KERNEL "--config none.cfg --config sms=1", 2, "none.cfg: cannot open");
    expect_failure(KERNEL "--config one.cfg", 2, "no --config to sweep");
    expect_failure(KERNEL "--config preset.cfg --config preset=rtl,systemc", 2,
                   "a file has a preset, too");
    expect_failure(KERNEL "--config one.cfg --config sms=2 -o one.cfg", 2, "output is the input");
}

/* The parameters, then the columns asked for, then errors. */
TEST(columns)
{
    struct sam_buffer out = expect_success(KERNEL "--config sms=1,2 --columns 'l1_*,cycles'");
    expect_part(&out, "sms,cycles,l1_requests,l1_hits,error\n1,");
    sam_buffer_free(&out);
    json_t *root;
    const json_t *runs = runs_of(KERNEL "--config sms=2 --columns cycles --json", &root);
    assert_int_equal(json_object_size(json_array_get(runs, 0)), 3); /* config, done, cycles */
    json_decref(root);
    out = expect_success("--machine ventus --columns help");
    assert_true(strncmp(sam_buffer_text(&out), "cycles\ninsns\n", 13) == 0);
    expect_part(&out, "\nwarp_slots_busy\n");
    sam_buffer_free(&out);
    out = expect_success("--columns help");
    expect_part(&out, "--machine tensor:\ncycles\n");
    expect_part(&out, "\nengines_cycles\n");
    expect_part(&out, "--machine system:\ncycles\ndram_bytes\n");
    sam_buffer_free(&out);
    expect_failure(KERNEL "--config sms=1 --columns cycles,cycels", 2,
                   "--columns cycels: no column has that name; did you mean 'cycles'?");
    expect_failure(KERNEL "--config sms=1,2 --columns cycles --part 1/2 -o t.csv", 2,
                   "--columns belongs to --merge");
}

/* Large counts have all their digits in the page, as in the table. */
TEST(large_counts)
{
    json_t *root;
    char text[64];
    const json_t *runs = runs_of("k.s --kernel count --grid 1 --block 1 --arg u32:200000 --config "
                                 "sms=1 --html page.html --json",
                                 &root);
    assert_true(cycles_of(runs, 0) > 1000000);
    snprintf(text, sizeof text, "cycles: %lld\n", (long long)cycles_of(runs, 0));
    struct sam_buffer page = read_file("page.html");
    expect_part(&page, text);
    sam_buffer_free(&page);
    json_decref(root);
}

/* A tile program is lowered for the machine of each run. */
TEST(tile_programs)
{
    json_t *root;
    json_t *runs = runs_of(TILES "--config gpu.sms=1,2,4 --json -j 2", &root);
    assert_int_equal(json_array_size(runs), 3);
    assert_true(cycles_of(runs, 0) > cycles_of(runs, 1));
    assert_true(cycles_of(runs, 1) > cycles_of(runs, 2));
    json_decref(root);
    runs = runs_of(TILES "--machine system --config mem.dram_bytes=1,16 --config launch_cycles=9 "
                         "--columns cycles,dram_bytes --json",
                   &root);
    assert_true(cycles_of(runs, 0) > cycles_of(runs, 1));
    json_decref(root);
    expect_failure("sums.pto --config mpara=2", 2, "mpara=2: expected mx.mpara=2");
    expect_failure("sums.pto --config mem.dram_bytes=2", 2, "argument %in is not given");
    expect_failure("none.pto --config mem.dram_bytes=2", 2, "none.pto: cannot open");
    expect_failure("sums.pto --machine tensor --config mpara=2", 2,
                   "'sums.pto': a tile program: expected --machine system");
    expect_failure(TILES "--isa rv32im --config mem.dram_bytes=2", 2, "a tile program becomes one");
    expect_failure("sums.pto --arg out:f32:1x64:y.npy --config mem.dram_bytes=2", 2,
                   "a sweep writes no outputs");
    expect_failure("k.s --machine system --func sums --config mem.dram_bytes=2", 2,
                   "--func: expected a tile program");
    /* a run that fails is a line */
    struct outcome o = run("sums.pto --arg in:x.npy --arg i64:3 --arg out:f32:1x64 --max-insns 20 "
                           "--config mem.dram_bytes=2 --columns cycles");
    assert_int_equal(o.code, 1);
    expect_part(&o.out, "mem.dram_bytes,cycles,error\n2,,");
    expect_part(&o.err, "run 1: still running after 20 instructions");
    done(&o);
}

/* Arguments of any program on the system: each run has its own memory. */
TEST(arguments)
{
    json_t *root;
    write_text("take.s", "lw t0, 0(a0)\nbnez t0, 1f\nsw a1, 0(a0)\nlw t0, 4(a0)\nmv a0, t0\n"
                         "li a7, 93\necall\n1: ebreak\n");
    const json_t *runs = runs_of("take.s --machine system --arg inout:x.npy --arg u32:7 "
                                 "--config mem.dram_bytes=1,2,4 --json -j 2",
                                 &root);
    for (size_t i = 0; i < 3; i++)
        assert_true(cycles_of(runs, i) > 0);
    json_decref(root);
}

TEST_GROUP(set_up, remove_directory)
