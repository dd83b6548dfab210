/* SPDX-License-Identifier: Apache-2.0 */
/* Placement of buffers, as with the public driver: consecutive whole pages, so that the surplus
 * lanes of a warp larger than its workgroup access existing memory. */
#include "host.h"

/* c[id] = a[id] + b[id] by every lane, with or without a work-item. */
static const char add[] = "        .globl  add\n"
                          "add:    lw      t0, 0(a0)\n"
                          "        lw      t1, 4(a0)\n"
                          "        lw      t2, 8(a0)\n"
                          "        csrr    t3, wgid\n"
                          "        slli    t3, t3, 4\n" /* 16 work-items each */
                          "        vid.v   v1\n"
                          "        vadd.vx v1, v1, t3\n"
                          "        vsll.vi v1, v1, 2\n"
                          "        vadd.vx v2, v1, t0\n"
                          "        vlw12.v v3, 0(v2)\n"
                          "        vadd.vx v2, v1, t1\n"
                          "        vlw12.v v4, 0(v2)\n"
                          "        vadd.vv v3, v3, v4\n"
                          "        vadd.vx v2, v1, t2\n"
                          "        vsw12.v v3, 0(v2)\n"
                          "        ret\n";

/* One access at argument 0, 2 bytes before the end of the requested size. */
#define ACCESS(name, text)                                                                         \
    "        .globl  " name "\n" name ": lw t0, 0(a0)\n"                                           \
    "        vmv.v.x v1, t0\n" text "        ret\n"
static const char accesses[] = ACCESS("scalar_load", "lh t1, 0(t0)\nlhu t1, 2(t0)\nlb t1, 3(t0)\n")
    ACCESS("scalar_store", "sb zero, 1(t0)\nsb t0, 2(t0)\nsh t0, 2(t0)\n")
        ACCESS("atomic", "amoadd.w t1, t0, (t0)\namoadd.w t1, t0, (t0)\n")
            ACCESS("vector_bytes", "vlb12.v v2, 1(v1)\nvlb12.v v2, 2(v1)\n")
                ACCESS("vector_store", "vsh12.v v1, 0(v1)\nvsh12.v v1, 2(v1)\n");

static void *open_with(const char *name, const char *value)
{
    setenv(name, value, 1);
    void *device = host_open();
    unsetenv(name);
    return device;
}

TEST(sizes_in_whole_pages)
{
    static const struct {
        uint32_t size, address, strict;
    } rows[] = {
        {64, 0x90000000, 0x90000000},      {4096, 0x90001000, 0x90002000},
        {4097, 0x90002000, 0x90004000},    {1, 0x90004000, 0x90007000},
        {0x20000, 0x90005000, 0x90009000}, {64, 0x90025000, 0x9002a000},
    };
    for (int strict = 0; strict < 2; strict++) {
        void *device = open_with("SAMITE_BOUNDS", strict ? "strict" : "");
        for (int round = 0; round < 2; round++) {
            for (size_t i = 0; i < SAM_COUNT(rows); i++)
                assert_int_equal(host_buffer(device, NULL, rows[i].size),
                                 strict ? rows[i].strict : rows[i].address);
            host_free(device, strict ? rows[1].strict : rows[1].address);
            assert_int_equal(host_buffer(device, NULL, 100),
                             strict ? rows[1].strict : rows[1].address);
            assert_int_equal(vt.buf_free(device, 0, NULL, 0, 0), 0);
        }
        assert_int_equal(vt.dev_close(device), 0);
    }
    void *device = NULL;
    setenv("SAMITE_BOUNDS", "loose", 1);
    assert_int_equal(vt.dev_open(&device), -1);
    unsetenv("SAMITE_BOUNDS");
    host_expect("samite: SAMITE_BOUNDS=loose: expected strict or nothing");
}

static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

enum { ITEMS = 16 };

/* A launch of `add` with this many workgroups on a new device: its messages must be `expected`,
 * once. */
static void add_with(const char *name, const char *value, uint32_t groups, int code,
                     const char *expected)
{
    SCOPED(host_program) program = host_assemble(add);
    void *device = open_with(name, value);
    uint32_t data[8 * ITEMS], args[3];
    const uint32_t count = groups * ITEMS;
    for (uint32_t i = 0; i < count; i++)
        data[i] = 1000 * i;
    for (int i = 0; i < 3; i++)
        args[i] = host_buffer(device, i < 2 ? data : NULL, 4 * count);
    const size_t before = strlen(host_caught());
    const struct host_launch launch = {
        .kernel = "add", .groups = groups, .local = ITEMS, .args = args, .arg_count = 3};
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(host_run(device, &program, &launch), code);
        assert_int_equal(count_of(host_caught() + before, expected), i + 1);
    }
    assert_int_equal(count_of(host_caught() + before, "past the end"), code ? 0 : 2);
    for (uint32_t i = 0; i < count && code == 0; i++)
        assert_int_equal(host_word(device, args[2] + 4 * i), 2000 * i);
    /* data of surplus lanes does not outlive the buffer */
    host_free(device, args[2]);
    const uint32_t large = host_buffer(device, NULL, 4096);
    assert_int_equal(large, args[2]);
    for (uint32_t i = 0; i < 1024; i++)
        assert_int_equal(host_word(device, large + 4 * i), 0);
    assert_int_equal(vt.dev_close(device), 0);
}

#define SURPLUS(address, end, group)                                                               \
    "(add): load from " address ", past the end of the buffer 0x90000000..+" end                   \
    "; workgroup " group " warp 0 lanes 0xffffffff lane 16 pc 0x8000"

TEST(surplus_lanes)
{
    static const char one[] = SURPLUS("0x90000040", "0x40", "0 (0,0,0)");
    static const char *const ways[][2] = {
        {"SAMITE_JOBS", "1"},        {"SAMITE_LOG", "surplus.log"}, {"SAMITE_STATS", "1"},
        {"SAMITE_CYCLES", "1"},      {"SAMITE_SV39", "1"},          {"SAMITE_PROFILE", "p.txt"},
        {"SAMITE_RECORD", "surplus"}};
    for (size_t i = 0; i < SAM_COUNT(ways); i++)
        add_with(ways[i][0], ways[i][1], 1, 0, one);
    /* the last of eight workgroups, on any worker */
    for (const char *jobs = "138"; *jobs; jobs++)
        add_with("SAMITE_JOBS", (char[]){*jobs, '\0'}, 8, 0,
                 SURPLUS("0x90000200", "0x200", "7 (7,0,0)"));
    add_with("SAMITE_BOUNDS", "strict", 1, -1,
             "load from 0x90000040, outside every buffer; workgroup 0 (0,0,0) warp 0 lanes "
             "0xffffffff lane 16 pc 0x8000");
    /* The recording has whole pages, so that it can be repeated. */
    assert_int_equal(
        system("\"$SAMITE\" run -q surplus/*0001-add.metadata surplus/*0001-add.data "
               "--dump 0x90002000:64:c && od -An -tu4 -v c | tr -s ' \\n' ' ' > text && "
               "grep -q '^ 0 2000 4000 6000 8000 10000 .* 30000 $' text && "
               "rm -r surplus c text surplus.log p.txt"),
        0); /* NOLINT(concurrency-mt-unsafe) */
}

/* Each kind of access, in runs and step by step. */
TEST(every_access)
{
    static const struct {
        const char *kernel, *expected;
    } rows[] = {
        {"scalar_load", "load from 0x90000064, past"},
        {"scalar_store", "store to 0x90000064, past"},
        {"atomic", "store to 0x90000064, past"},
        {"vector_bytes", "load from 0x90000064, past"},
        {"vector_store", "store to 0x90000064, past"},
    };
    SCOPED(host_program) program = host_assemble(accesses);
    for (int stepped = 0; stepped < 2; stepped++) {
        for (size_t i = 0; i < SAM_COUNT(rows); i++) {
            void *device = open_with("SAMITE_LOG", stepped ? "steps.log" : "");
            const bool atomic = strcmp(rows[i].kernel, "atomic") == 0;
            const uint32_t buffer = host_buffer(device, NULL, 100);
            const uint32_t at = buffer + (atomic ? 100 : 98);
            const struct host_launch launch = {
                .kernel = rows[i].kernel, .groups = 1, .local = 1, .args = &at, .arg_count = 1};
            const size_t before = strlen(host_caught());
            assert_int_equal(host_run(device, &program, &launch), 0);
            const char *text = host_caught() + before;
            if (!strstr(text, rows[i].expected))
                fail_msg("%s: '%s'", rows[i].kernel, text);
            assert_int_equal(count_of(text, "past the end"), 1);
            assert_int_equal(strstr(text, " lane 0 ") != NULL, rows[i].kernel[0] == 'v');
            assert_int_equal(vt.dev_close(device), 0);
        }
    }
    assert_int_equal(remove("steps.log"), 0);
}

TEST_GROUP(host_set_up, host_tear_down)
