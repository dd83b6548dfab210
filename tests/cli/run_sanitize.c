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
    "race: race between warps of a workgroup: 1 byte at 0x90000004, buffer y+0x4\n"
    "  store by workgroup 0, warp 1: pc 0x80000034 <race+0x8> sw t1, 4(t0) (k.s:5)\n"
    "  store by workgroup 0, warp 0: pc 0x80000034 <race+0x8> sw t1, 4(t0) (k.s:5)\n"
    "race: race between warps of a workgroup: 4 bytes at 0x90000004, buffer y+0x4 (2 times)\n"
    "  store by workgroup 0, warp 1: pc 0x80000034 <race+0x8> sw t1, 4(t0) (k.s:5)\n"
    "  load by workgroup 0, warp 0: pc 0x80000038 <race+0xc> lw t2, 4(t0) (k.s:6)\n";

/* Exit code 1 after the launch, whose outputs are written. Workers make no difference. */
static void findings_are_reported(void **state)
{
    (void)state;
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

static void findings_in_json(void **state)
{
    (void)state;
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

static void a_clean_kernel_passes(void **state)
{
    (void)state;
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
static void a_trap_stays_one(void **state)
{
    (void)state;
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

static void refused(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_are_reported),
        cmocka_unit_test(findings_in_json),
        cmocka_unit_test(a_clean_kernel_passes),
        cmocka_unit_test(a_trap_stays_one),
        cmocka_unit_test(refused),
    };
    make_directory();
    return cmocka_run_group_tests(tests, NULL, remove_directory);
}
