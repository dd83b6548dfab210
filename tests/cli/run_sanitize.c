/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --sanitize`: the report, JSON, exit codes, and what it does not disturb. */
#include "cli/command.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* Every warp stores its number and then loads the one of all warps. */
static const char kernel[] = "        .globl  race\n"
                             "race:\n"
                             "        lw      t0, 0(a0)\n"
                             "        csrr    t1, wid\n"
                             "        sw      t1, 4(t0)\n" /* line 5 */
                             "        lw      t2, 4(t0)\n"
                             "        ret\n";

#define RUN "k.s --kernel race --grid 1 --block 64 --arg y=out:u32:4:y.npy -q "

static const char report[] =
    "race: race between warps of a workgroup: 4 bytes at 0x90000004, buffer y+0x4\n"
    "  store by workgroup 0, warp 1: pc 0x80000034 <race+0x8> sw t1, 4(t0) (k.s:5)\n"
    "  store by workgroup 0, warp 0: pc 0x80000034 <race+0x8> sw t1, 4(t0) (k.s:5)\n"
    "race: race between warps of a workgroup: 4 bytes at 0x90000004, buffer y+0x4 (2 times)\n"
    "  store by workgroup 0, warp 1: pc 0x80000034 <race+0x8> sw t1, 4(t0) (k.s:5)\n"
    "  load by workgroup 0, warp 0: pc 0x80000038 <race+0xc> lw t2, 4(t0) (k.s:6)\n";

/* Exit code 1 after the launch, whose outputs are written. Workers make no difference. */
TEST(findings_are_reported)
{
    static const char *const words[] = {RUN "--sanitize=race", RUN "--sanitize=sync,race -j 8",
                                        RUN "--sanitize=race --stats -q --json"};
    write_text("k.s", kernel);
    struct sam_buffer plain = expect_success(RUN);
    sam_buffer_free(&plain);
    plain = read_file("y.npy");
    for (size_t i = 0; i < SAM_COUNT(words); i++) {
        struct outcome o = run(words[i]);
        assert_int_equal(o.code, 1);
        assert_string_equal(sam_buffer_text(&o.err), report);
        struct sam_buffer file = read_file("y.npy");
        assert_int_equal(file.size, plain.size);
        assert_memory_equal(file.data, plain.data, file.size);
        sam_buffer_free(&file);
        done(&o);
    }
    sam_buffer_free(&plain);
}

TEST(findings_in_json)
{
    write_text("k.s", kernel);
    struct outcome o = run(RUN "--sanitize=race --json");
    json_t *root = json_loads(sam_buffer_text(&o.out), 0, NULL);
    assert_non_null(root);
    const json_t *launch = json_array_get(json_object_get(root, "launches"), 0);
    const json_t *findings = json_object_get(launch, "findings");
    assert_int_equal(json_array_size(findings), 2);
    const json_t *finding = json_array_get(findings, 1);
    assert_string_equal(json_string_value(json_object_get(finding, "check")), "race");
    assert_string_equal(json_string_value(json_object_get(finding, "place")), "buffer y+0x4");
    assert_int_equal(json_integer_value(json_object_get(finding, "address")), 0x90000004);
    const json_t *side = json_array_get(json_object_get(finding, "sides"), 1);
    assert_string_equal(json_string_value(json_object_get(side, "access")), "load");
    assert_string_equal(json_string_value(json_object_get(side, "text")), "lw t2, 4(t0)");
    assert_int_equal(json_integer_value(json_object_get(side, "warp")), 0);
    assert_int_equal(json_integer_value(json_object_get(side, "line")), 6);
    assert_null(json_object_get(side, "lane"));
    json_decref(root);
    done(&o);
}

TEST(a_clean_kernel_passes)
{
    write_text("c.s", "        .globl  race\nrace:\n        ret\n");
    struct outcome o = run("c.s --kernel race --grid 4 --block 64 --sanitize -q");
    assert_int_equal(o.code, 0);
    assert_int_equal(o.out.size + o.err.size, 0);
    done(&o);
    /* one worker is enough for a check of one warp */
    write_text("k.s", kernel);
    o = run("k.s --kernel race --grid 1 --block 32 --arg out:u32:4 --sanitize=race -q");
    assert_int_equal(o.code, 0);
    done(&o);
}

/* A trap is the same trap; what was found before it is reported first. */
TEST(a_trap_stays_one)
{
    write_text("t.s", "        .globl  race\nrace:\n        lw t0, 0(a0)\n        csrr t1, wid\n"
                      "        sw t1, 4(t0)\n        barrier 1\n        lw t0, 0(zero)\n"
                      "        ret\n");
    struct outcome o =
        run("t.s --kernel race --grid 1 --block 64 --arg out:u32:4 --sanitize=race -q");
    assert_int_equal(o.code, 1);
    const char *text = sam_buffer_text(&o.err);
    const char *found = strstr(text, "race: race between warps"), *trap = strstr(text, "load from");
    assert_true(found && trap && found < trap);
    done(&o);
}

/* Stores a register that nothing has written, reads local memory past what is declared, and leaves
 * half of its output unwritten. */
static const char careless[] = "        .globl  k\n"
                               "k:\n"
                               "        lw      t0, 0(a0)\n"
                               "        sw      s5, 0(t0)\n" /* line 4 */
                               "        csrr    t1, lds\n"
                               "        li      t2, 0x1400\n"
                               "        add     t1, t1, t2\n"
                               "        sw      zero, 0(t1)\n" /* line 8 */
                               "        ret\n";

#define CARELESS "u.s --kernel k --grid 1 --block 32 -q --arg y=out:u32:2"

/* The section of an ELF file, in assembly: 16 vector and 8 scalar registers. The start code uses
 * t4, and is not the kernel's. A warp of 32 for 20 work-items; the address is fine. */
TEST(registers_and_lanes_that_are_not_declared)
{
    write_text("r.s", "        .section .rodata.ventus.resource, \"a\"\n"
                      "        .half   16, 8, 0, 0\n"
                      "        .text\n"
                      "        .globl  k\n"
                      "k:      lw      t0, 0(sp)\n"
                      "        vmv.v.i v15, 0\n"
                      "        vmv.v.i v40, 0\n" /* line 7 */
                      "        lw      s0, 0(a0)\n"
                      "        vid.v   v1\n"
                      "        vsll.vi v1, v1, 2\n"
                      "        vadd.vx v1, v1, t0\n"
                      "        ret\n");
    struct outcome o =
        run("r.s --kernel k --grid 1 --block 20 -q --arg out:u32:32 --sanitize=bounds");
    assert_int_equal(o.code, 1);
    assert_string_equal(
        sam_buffer_text(&o.err),
        "bounds: register that the launch does not declare\n"
        "  at workgroup 0, warp 0: pc 0x80000038 <k+0xc> vmv.v.i v40, 0 (r.s:7)\n"
        "  v40 is not among the 16 vector registers that the launch declares\n"
        "bounds: register that the launch does not declare\n"
        "  load by workgroup 0, warp 0: pc 0x8000003c <k+0x10> lw s0, 0(a0) (r.s:8)\n"
        "  s0 is not among the 8 scalar registers that the launch declares\n");
    done(&o);
}

static const char careless_report[] =
    "init: undefined value stored as a result\n"
    "  store by workgroup 0, warp 0: pc 0x80000030 <k+0x4> sw s5, 0(t0) (u.s:4)\n"
    "  s5 was never written\n"
    "bounds: local memory that the launch does not declare: 4 bytes at 0x70001400, local "
    "memory+0x1400\n"
    "  store by workgroup 0, warp 0: pc 0x80000044 <k+0x18> sw zero, 0(t1) (u.s:8)\n"
    "  3072 bytes past the end of the launch's local memory, 0x70000000 to 0x700007ff\n";

/* Outputs are undefined, and --check uses all of them; --lds-range declares local memory. */
TEST(outputs_and_local_memory)
{
    write_text("u.s", careless);
    struct outcome o = run(CARELESS ":z.npy --lds-size 1024 --sanitize");
    assert_int_equal(o.code, 1);
    assert_string_equal(sam_buffer_text(&o.err), careless_report);
    done(&o);
    o = run(CARELESS " --lds-size 1024 --lds-range 0x70001400:4 --sanitize=bounds");
    assert_int_equal(o.code, 0);
    done(&o);
    /* z.npy has what the program leaves there: the check itself passes */
    o = run(CARELESS " --sanitize=init --check y=z.npy");
    assert_int_equal(o.code, 1);
    expect_part(&o.out, "check y: passed");
    expect_part(&o.err, "init: check of bytes that nothing has written: 1 byte at 0x90000004, "
                        "buffer y+0x4\n");
    done(&o);
}

TEST(registers_and_objects_in_json)
{
    write_text("u.s", careless);
    struct outcome o = run(CARELESS " --lds-size 1024 --sanitize --check y=z.npy --json");
    json_t *root = json_loads(sam_buffer_text(&o.out), 0, NULL);
    assert_non_null(root);
    const json_t *launch = json_array_get(json_object_get(root, "launches"), 0);
    const json_t *findings = json_object_get(launch, "findings");
    assert_int_equal(json_array_size(findings), 3);
    const json_t *stored = json_array_get(findings, 0);
    assert_string_equal(json_string_value(json_object_get(stored, "used")), "x21");
    assert_string_equal(json_string_value(json_object_get(stored, "unwritten")), "x21");
    const json_t *near = json_object_get(json_array_get(findings, 1), "near");
    assert_int_equal(json_integer_value(json_object_get(near, "base")), 0x70000000);
    assert_int_equal(json_integer_value(json_object_get(near, "size")), 2048);
    const json_t *checked = json_array_get(findings, 2);
    assert_string_equal(json_string_value(json_object_get(checked, "place")), "buffer y+0x4");
    assert_int_equal(json_array_size(json_object_get(checked, "sides")), 0);
    json_decref(root);
    done(&o);
}

/* Buffers of recorded launches have numbers; findings of each launch are reported, and the runs go
 * on. Each warp stores its number to the buffer. */
TEST(a_recorded_launch)
{
    static const unsigned code[] = {0x900002b7, 0x80502373, 0x0062a023, 0x0000400b};
    static const unsigned head[] = {0x80000000, 0,   1,  1,  1,  8,          2, /* warps of 8 */
                                    0x90003000, 256, 64, 32, 32, 0x90004000, 3};
    static const unsigned buffers[3][3] = {/* base, size, allocated */
                                           {0x90003000, 0, 64},
                                           {0x90000000, 0, 64},
                                           {0x80000000, sizeof code, 4096}};
    struct sam_buffer text = {0};
    for (size_t i = 0; i < SAM_COUNT(head); i++)
        sam_buffer_printf(&text, "%08x\n00000000\n", head[i]);
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < 3; i++)
            sam_buffer_printf(&text, "%08x\n00000000\n", buffers[i][k]);
    write_text("r.metadata", sam_buffer_text(&text));
    sam_buffer_free(&text);
    for (size_t i = 0; i < SAM_COUNT(code); i++)
        sam_buffer_printf(&text, "%08x\n", code[i]);
    write_text("r.data", sam_buffer_text(&text));
    sam_buffer_free(&text);
    struct outcome o = run("r.metadata r.data r.metadata r.data --sanitize=race "
                           "--dump 0x90000000:4:r.bin");
    assert_int_equal(o.code, 1);
    expect_part(&o.out, "launch 1: r, grid 1x1x1, 2 warps of 8: done, ");
    const char *found =
        "race: race between warps of a workgroup: 4 bytes at 0x90000000, buffer 1+0x0\n";
    expect_part(&o.err, found);
    assert_non_null(strstr(strstr(sam_buffer_text(&o.err), found) + 1, found));
    assert_true(exists("r.bin"));
    done(&o);
}

TEST(refused)
{
    write_text("k.s", kernel);
    expect_failure(RUN "--sanitize=race,leaks", 2,
                   "--sanitize=race,leaks: expected a list of race, init, bounds and sync, or "
                   "nothing for all of them");
    expect_failure(RUN "--sanitize=", 2, "--sanitize=: expected a list");
    expect_failure(RUN "--sanitize=race,", 2, "expected a list");
    expect_failure("--machine tensor k.s --sanitize", 2, "sanitize");
    command_verb = "debug";
    expect_failure("k.s --kernel race --grid 1 --block 64 --sanitize", 2,
                   "--sanitize checks whole launches: expected samite run");
    command_verb = "run";
}

PROLOGUE
{
    make_directory();
}

TEST_GROUP(NULL, remove_directory)
