/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --machine system`: programs, kernels, options and what a run reports. */
#include <jansson.h>
#include <string.h>

#include "command.h"

#define RUN "--machine system "

static const char hello[] = "li t0, 0x02000000\nli t1, 'h'\nsw t1, 0(t0)\nli t1, '\\n'\n"
                            "sw t1, 0(t0)\nli a0, 7\nsw a0, 4(t0)\n";

/* out[i] = in[i] + 1 for 32 elements, by a launch; the arguments are passed on. */
static const char program[] = "sw a0, args, t0\n"
                              "sw a1, args + 4, t0\n"
                              "lw t0, gpu__start\nsw t0, record, t1\n"
                              "lw t0, gpu_increment\nsw t0, metadata, t1\n"
                              "la t0, record\nli t1, 0x02001000\nsw t0, 0(t1)\n"
                              "lw a0, 16(t1)\nli t1, 0x02000000\nsw a0, 4(t1)\n"
                              ".data\n.balign 64\n"
                              "record: .word 0, metadata, 4, 1, 1, 8, 1, 1024, 64, pds\n"
                              ".word 0, 0, 0, 0, 0, 0\n"
                              "metadata: .word 0, args, 1, 32, 1, 1, 8, 1, 1, 0, 0, 0, 0, 0, 0, 0\n"
                              "args: .word 0, 0\n"
                              "gpu__start: .word 1\ngpu_increment: .word 1\n"
                              "pds: .space 2048\n";
static const char kernel[] = ".globl increment\n"
                             "increment: lw t0, 0(a0)\nlw t1, 4(a0)\n"
                             "csrr t2, gidx\nslli t2, t2, 5\n"
                             "vid.v v1\nvsll.vi v1, v1, 2\nvadd.vx v1, v1, t2\n"
                             "vadd.vx v2, v1, t0\nvlw12.v v3, 0(v2)\nvadd.vi v3, v3, 1\n"
                             "vadd.vx v2, v1, t1\nvsw12.v v3, 0(v2)\nret\n";

static void write_array(const char *name, uint32_t first)
{
    uint32_t values[32];
    struct sam_error error;
    char path[128];
    struct sam_array array = {.dtype = SAM_U32,
                              .rank = 1,
                              .shape = {32},
                              .count = 32,
                              .size = sizeof values,
                              .data = values};
    for (uint32_t i = 0; i < 32; i++)
        values[i] = first + i;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (sam_npy_write(path, &array, &error) != SAM_OK)
        fail_msg("%s", error.text);
}

static void write_files(void)
{
    write_text("hello.s", hello);
    write_text("p.s", program);
    write_text("k.s", kernel);
    write_array("in.npy", 100);
    write_array("expected.npy", 101);
    write_array("wrong.npy", 102);
}

#define ARGUMENTS "--arg in:in.npy --arg y=out:u32:32 --gpu-code k.s "

TEST(console_and_exit)
{
    struct outcome o = run(RUN "-q hello.s");
    assert_int_equal(o.code, 7);
    assert_string_equal(sam_buffer_text(&o.out), "h\n");
    done(&o);
}

/* The letter of an option that two machines have is that of the one that runs. */
TEST(kernels_and_checks)
{
    static const char *const ways[] = {"", "-j 3 ", "--jobs 2 ", "--isa rv32im ", "--isa rv64ima "};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        char words[256];
        snprintf(words, sizeof words, RUN "p.s %s" ARGUMENTS "--check y=expected.npy:0", ways[i]);
        struct outcome o = run(words);
        assert_int_equal(o.code, 0);
        expect_part(&o.out, "p.s: exit 0, ");
        done(&o);
        snprintf(words, sizeof words, RUN "-q p.s %s" ARGUMENTS "--check y=wrong.npy:0", ways[i]);
        o = run(words);
        assert_int_equal(o.code, 1);
        done(&o);
    }
}

TEST(statistics)
{
    struct outcome o = run(RUN "p.s " ARGUMENTS "--stats");
    assert_int_equal(o.code, 0);
    expect_part(&o.out, "  launches                  1  0 failed\n");
    expect_part(&o.out, "  registers                 1  loads, 2 stores\n");
    done(&o);
    o = run(RUN "p.s " ARGUMENTS "--json");
    assert_int_equal(o.code, 0);
    json_t *root = json_loads(sam_buffer_text(&o.out), 0, NULL);
    assert_non_null(root);
    const json_t *system = json_object_get(root, "system"), *gpu = json_object_get(root, "gpu");
    assert_int_equal(json_integer_value(json_object_get(system, "launches")), 1);
    assert_int_equal(json_integer_value(json_object_get(gpu, "workgroups")), 4);
    assert_int_equal(json_integer_value(json_object_get(gpu, "warps")), 4);
    assert_true(json_integer_value(json_object_get(gpu, "warp_insns")) >= 4 * 13);
    json_decref(root);
    done(&o);
}

/* The sizes that a program reads, and a heap that ends where it is said to. */
TEST(sizes)
{
    write_text("sizes.s", "li t0, 0x02000000\nlw a0, 24(t0)\nlw a1, 28(t0)\nsub a0, a1, a0\n"
                          "srli a0, a0, 12\nsw a0, 4(t0)\n");
    struct outcome o = run(RUN "-q sizes.s --l1m-size 0x2000 --l0m-size 0x5000");
    assert_int_equal(o.code, 3);
    done(&o);
    write_text("heap.s", "li t0, 0x40005000\nsw t0, -4(t0)\nsw t0, 0(t0)\n");
    expect_failure(RUN "-q heap.s --heap-size 0x4000", 1, "store to 0x40005000");
    expect_failure(RUN "-q heap.s --heap-size 0x4001", 2, "expected a multiple of 4096");
    expect_failure(RUN "-q heap.s --heap-size 0", 2, "--heap-size");
}

/* What kernels did, instruction by instruction and in sum; a failed run keeps both. */
TEST(records)
{
    struct outcome o = run(RUN "-q p.s -j 4 " ARGUMENTS "--gpu-trace k.log --gpu-profile k.json");
    assert_int_equal(o.code, 0);
    done(&o);
    struct sam_buffer log = read_file("k.log"), profile = read_file("k.json");
    expect_part(&log, "vsw12.v");
    json_t *root = json_loads(sam_buffer_text(&profile), 0, NULL);
    assert_non_null(root);
    expect_part(&profile, "increment");
    json_decref(root);
    sam_buffer_free(&log);
    sam_buffer_free(&profile);
    write_text("trap.s", ".globl increment\nincrement: nop\nsw zero, 0(zero)\n");
    expect_failure(RUN
                   "-q p.s --arg in:in.npy --arg out:u32:32 --gpu-code trap.s --gpu-trace t.log",
                   1, "store to 0x00000000");
    log = read_file("t.log");
    assert_true(log.size > 0);
    sam_buffer_free(&log);
    expect_failure(RUN "p.s --gpu-profile k.log", 2, "expected a name that ends in");
    expect_failure(RUN "p.s --gpu-trace p.s", 2, "p.s");
    expect_failure(RUN "p.s --gpu-trace -", 2, "--gpu-trace -: expected a file");
}

TEST(wrong_words)
{
    expect_failure(RUN "hello.s --l1m 0:4096", 2, "--l1m is for --machine tensor, not for system");
    expect_failure(RUN "hello.s --grid 1", 2, "--grid is for --machine ventus, not for system");
    expect_failure(RUN "hello.s --gdb", 2, "not for system");
    expect_failure("--machine tensor hello.s --gpu-code k.s", 2,
                   "--gpu-code is for --machine system, not for tensor");
    expect_failure(RUN "hello.s --gpu-traps never", 2, "--gpu-traps");
    expect_failure(RUN "hello.s --gpu-code missing.s", 2, "missing.s");
    expect_failure(RUN, 2, "no program to run");
    expect_failure(RUN "hello.s --map 0x02000000:4096", 2, "control registers");
    expect_failure(RUN "hello.s --map 0x70000000:4096", 2, "local-memory window");
    expect_failure(RUN "hello.s --arg local:16", 2, "local memory");
    struct outcome o = run("--machine system --isa rv32im -q hello.s");
    assert_int_equal(o.code, 7);
    done(&o);
}

TEST(waits_forever)
{
    write_text("poll.s", "li t0, 0x02001000\npoll: lw a0, 8(t0)\nbeqz a0, poll\n");
    expect_failure(RUN "-q poll.s", 1, "deadlock: the program waits for control register");
    write_text("spin.s", ".globl increment\nincrement: lw t0, 0(a0)\nbnez t0, increment\nret\n");
    expect_failure(RUN "-q p.s --arg in:in.npy --arg out:u32:32 --gpu-code spin.s", 1,
                   "deadlock: the kernel waits for memory that nothing changes");
    expect_failure(RUN "-q p.s --arg in:in.npy --arg out:u32:32 --gpu-code spin.s --max-insns 900",
                   1, "still running after 900 instructions");
}

PROLOGUE
{
    make_directory();
    write_files();
}

TEST_GROUP(NULL, remove_directory)
