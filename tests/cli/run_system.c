/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run --machine system --cycles`: the report, its sums, the timeline, errors. */
#include <jansson.h>
#include <string.h>

#include "command.h"

static const char kernel[] = ".globl _start\n"
                             "_start: li s0, 0x80000000\n"
                             "vid.v v1\n"
                             "vsll.vi v2, v1, 2\n"
                             "vadd.vx v3, v2, s0\n"
                             "vlw12.v v4, 256(v3)\n"
                             "vsw12.v v4, 256(v3)\n"
                             "endprg\n"
                             ".space 1024\n";

/* Two launches, and a record that counts 2048 f16. */
static const char program[] =
    "li s1, 0x02001000\nla s3, record\nsw s3, 0(s1)\nsw s3, 0(s1)\n"
    "li s4, 0x02002000\nla s5, count\nsw s5, 0(s4)\nlw t0, 16(s1)\nlw t1, 16(s4)\n"
    "li s2, 0x02000000\nsw t1, 4(s2)\n"
    ".data\n.balign 64\n"
    "record: .word 0x80000000, 0, 1, 1, 1, 4, 1, 1024, 0, 0, 0, 0, 0, 0, 0, 0\n"
    "count: .word 2, 2, 2, data, 4096, counters, 1024, 0, 0, 2048, 0, 0, 0, 2, 2048, 0\n"
    "data: .space 4096\ncounters: .space 1024\n";

#define RUN "--machine system --gpu-code kernel.s program.s "

static void write_files(void)
{
    write_text("kernel.s", kernel);
    write_text("program.s", program);
}

static json_int_t number(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_integer(value))
        fail_msg("no number '%s'", name);
    return json_integer_value(value);
}

static json_t *report_of(const char *words)
{
    struct sam_buffer out = expect_success(words);
    json_t *root = json_loads(sam_buffer_text(&out), 0, NULL);
    assert_non_null(root);
    sam_buffer_free(&out);
    return root;
}

TEST(the_report_adds_up)
{
    write_files();
    json_t *root = report_of(RUN "--cycles --json"), *unit, *value;
    const json_t *system = json_object_get(root, "system");
    const char *name;
    size_t index;
    assert_int_equal(json_array_size(json_object_get(system, "launches")), 2);
    assert_int_equal(number(system, "records"), 1);
    json_array_foreach(json_object_get(system, "units"), index, unit)
    {
        json_int_t sum = 0;
        json_object_foreach(json_object_get(unit, "cycles"), name, value) sum +=
            json_integer_value(value);
        assert_int_equal(sum, number(system, "cycles"));
    }
    assert_int_equal(index, 20);
    json_decref(root);
}

TEST(the_text_names_the_parts)
{
    static const char *const parts[] = {
        "system: ", "2 launches, 1 weight records", "control ", "SM 0", "weights", "DRAM"};
    write_files();
    struct sam_buffer out = expect_success(RUN "--cycles");
    for (size_t i = 0; i < SAM_COUNT(parts); i++)
        expect_part(&out, parts[i]);
    sam_buffer_free(&out);
}

TEST(parameters_change_cycles)
{
    write_files();
    json_t *usual = report_of(RUN "--cycles --json"),
           *slow = report_of(RUN "--config launch_cycles=5000 --json");
    const json_int_t more = number(json_object_get(slow, "system"), "cycles") -
                            number(json_object_get(usual, "system"), "cycles");
    assert_in_range(more, 6000, 9800); /* beside the record */
    json_decref(usual);
    json_decref(slow);
    struct sam_buffer out = expect_success("--machine system --config help");
    expect_part(&out, "mem.dram_bytes");
    expect_part(&out, "wu.symbols_cycle");
    sam_buffer_free(&out);
    /* the same from a file, which may leave out nothing but comments */
    write_text("slow.cfg", "# a slow queue\nlaunch_cycles=5000\nmem.dram_bytes=4, gpu.sms=1\n");
    json_t *file = report_of(RUN "--config slow.cfg --json"),
           *words = report_of(RUN "--config launch_cycles=5000,mem.dram_bytes=4 --config gpu.sms=1 "
                                  "--json");
    assert_int_equal(number(json_object_get(file, "system"), "cycles"),
                     number(json_object_get(words, "system"), "cycles"));
    json_decref(file);
    json_decref(words);
    write_text("bad.cfg", "mem.dram_bytes=0\n");
    expect_failure(RUN "--config bad.cfg", 2, "--config bad.cfg: mem.dram_bytes=0: expected a");
    expect_failure(
        RUN "--config none.cfg", 2,
        "none.cfg: cannot open: No such file or directory: expected KEY=N,... or a file");
    expect_failure(RUN "--config slow.cfg --perfetto slow.cfg", 2, "the output is the input");
    expect_failure(RUN "--config dram_bytes=4", 2, "dram_bytes=4: expected mem.dram_bytes=4");
    expect_failure(RUN "--config mem.dram_bytes=0", 2, "mem.dram_bytes=0: expected a number");
    expect_failure(RUN "--mlen 256 --config mx.mlen=512", 2, "the hart's MLEN is 256");
}

/* One file with the tracks of all units, and an arrow from each store to its launch or record. */
TEST(one_timeline_shows_all)
{
    write_files();
    struct sam_buffer out = expect_success(RUN "--cycles --perfetto t.json");
    struct sam_buffer text = read_file("t.json");
    json_t *root = json_loads(sam_buffer_text(&text), 0, NULL), *event;
    size_t index;
    unsigned starts = 0, ends = 0;
    bool gpu = false, weights = false;
    assert_non_null(root);
    json_array_foreach(json_object_get(root, "traceEvents"), index, event)
    {
        const char *phase = json_string_value(json_object_get(event, "ph"));
        const json_t *args = json_object_get(event, "args");
        const char *name = json_string_value(json_object_get(args, "name"));
        starts += *phase == 's';
        ends += *phase == 'f';
        gpu |= *phase == 'M' && name && strcmp(name, "GPU") == 0;
        weights |= *phase == 'M' && name && strcmp(name, "weights") == 0;
    }
    assert_int_equal(starts, 3);
    assert_int_equal(ends, 3);
    assert_true(gpu && weights);
    json_decref(root);
    sam_buffer_free(&text);
    sam_buffer_free(&out);
}

/* Every combination of parameters of different parts. */
TEST(a_sweep_runs_the_system)
{
    write_files();
    command_verb = "sweep";
    json_t *root = report_of(RUN "--config launch_cycles=10,5000 --config wu.count_symbols=1,8 "
                                 "--json -j 2");
    const json_t *runs = json_object_get(root, "runs");
    json_int_t cycles[4];
    assert_int_equal(json_array_size(runs), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *row = json_array_get(runs, i);
        assert_true(json_is_true(json_object_get(row, "done")));
        cycles[i] = number(row, "cycles");
        assert_int_equal(number(row, "weights_count"), i % 2 ? 512 + 2048 / 8 : 512 + 2048);
        assert_int_equal(number(row, "GPU_launch"), i < 2 ? 20 : 10000);
    }
    assert_true(cycles[1] < cycles[0] && cycles[0] < cycles[2]);
    json_decref(root);
    struct sam_buffer out = expect_success(RUN "--config mem.dram_bytes=4,16 --html page.html");
    sam_buffer_free(&out);
    struct sam_buffer page = read_file("page.html");
    expect_part(&page, "weight unit");
    sam_buffer_free(&page);
    expect_failure(RUN "--config dram_bytes=4", 2, "dram_bytes=4: expected mem.dram_bytes=4");
    command_verb = "run";
}

PROLOGUE
{
    command_verb = "run";
    make_directory();
}

TEST_GROUP(NULL, remove_directory)
