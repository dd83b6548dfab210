/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --machine system --check-races`. */
#include <jansson.h>
#include <string.h>

#include "command.h"

static const char kernel[] = ".globl _start\n"
                             "_start: li s0, 0x80000000\n"
                             "vid.v v1\n"
                             "vsll.vi v2, v1, 2\n"
                             "vadd.vx v3, v2, s0\n"
                             "vlw12.v v4, 256(v3)\n"
                             "st: vsw12.v v4, 256(v3)\n"
                             "endprg\n"
                             ".space 1024\n";

/* The wait is before or after the use of what the kernel writes. */
#define PROGRAM(before, after)                                                                     \
    "li s0, 0x80000000\nli s1, 0x02001000\nla s3, record\nsub: sw s3, 0(s1)\n" before              \
    "use: lw t1, 264(s0)\n" after "li s2, 0x02000000\nli a0, 0\nsw a0, 4(s2)\n"                    \
    ".data\n.balign 64\nrecord: .word 0x80000000, 0, 1, 1, 1, 4, 1, 1024, 0, 0, 0, 0, 0, 0, 0, "   \
    "0\n"
#define WAIT "lw t0, 16(s1)\n"

#define RUN "--machine system --gpu-code kernel.s "

TEST(a_race_fails_the_run)
{
    write_text("kernel.s", kernel);
    write_text("early.s", PROGRAM("", WAIT));
    write_text("late.s", PROGRAM(WAIT, ""));
    struct outcome o = run(RUN "--check-races early.s");
    assert_int_equal(o.code, 1);
    assert_string_equal(
        sam_buffer_text(&o.err),
        "race: 4 bytes at 0x80000108 to 0x8000010b\n"
        "  load by the hart at pc 0x40000018 <use+0x0> (early.s:5)\n"
        "  store by GPU launch 0 at pc 0x80000014 <st+0x0> (kernel.s:7), record at 0x40001000, "
        "submitted at pc 0x40000014 <sub+0x0> (early.s:4), not waited for\n");
    done(&o);
    o = run(RUN "--check-races late.s");
    assert_int_equal(o.code, 0);
    assert_int_equal(o.err.size, 0);
    done(&o);
    o = run(RUN "--check-races --arg out:u8:4:out.npy early.s");
    assert_int_equal(o.code, 1);
    assert_false(exists("out.npy"));
    done(&o);
    o = run(RUN
            "--arg out:u8:4:out.npy early.s"); /* the value is that of the order of submission */
    assert_int_equal(o.code, 0);
    assert_true(exists("out.npy"));
    done(&o);
}

static uint64_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return (uint64_t)json_integer_value(value);
}

TEST(the_report_lists_races)
{
    struct outcome o = run(RUN "--check-races --stats=json early.s");
    assert_int_equal(o.code, 1);
    json_t *report = json_loadb((const char *)o.out.data, o.out.size, 0, NULL);
    const json_t *races = json_object_get(report, "races");
    assert_int_equal(json_array_size(races), 1);
    const json_t *race = json_array_get(races, 0);
    assert_int_equal(number(race, "address"), 0x80000108);
    assert_int_equal(number(race, "size"), 4);
    const json_t *hart = json_object_get(race, "access");
    const json_t *gpu = json_object_get(race, "in_flight");
    assert_string_equal(json_string_value(json_object_get(hart, "unit")), "hart");
    assert_null(json_object_get(hart, "record"));
    assert_string_equal(json_string_value(json_object_get(gpu, "unit")), "GPU");
    assert_string_equal(json_string_value(json_object_get(gpu, "access")), "store");
    assert_int_equal(number(gpu, "pc"), 0x80000014);
    assert_int_equal(number(gpu, "record"), 0x40001000);
    assert_int_equal(number(gpu, "submitted_pc"), 0x40000014);
    assert_int_equal(number(report, "races_dropped"), 0);
    json_decref(report);
    done(&o);
    o = run(RUN "--check-races --stats=json late.s");
    assert_int_equal(o.code, 0);
    expect_part(&o.out, "\"races\": []");
    done(&o);
}

TEST(only_a_system_has_races)
{
    expect_failure("--machine tensor --check-races late.s", 2, "--check-races");
}

PROLOGUE
{
    command_verb = "run";
    make_directory();
}

TEST_GROUP(NULL, remove_directory)
