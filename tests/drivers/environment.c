/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables of the Ventus driver: logs, statistics, workers, translation, and
 * recordings that `samite run` repeats. */
#include "host.h"

#include <sys/stat.h>
#include <unistd.h>

#include "samite/format.h"

/* out[i] = out[i] * 3 + i + a word of the program's data, through private memory; another word
 * changes. */
static const char mix[] = "        .globl  mix\n"
                          "mix:    lw      t0, 0(a0)\n"
                          "        csrr    t1, wgid\n"
                          "        slli    t1, t1, 5\n"
                          "        vid.v   v1\n"
                          "        vadd.vx v1, v1, t1\n"
                          "        vsll.vi v2, v1, 2\n"
                          "        vadd.vx v2, v2, t0\n"
                          "        vlw12.v v3, 0(v2)\n"
                          "        li      t2, 3\n"
                          "        vmul.vx v3, v3, t2\n"
                          "        vadd.vv v3, v3, v1\n"
                          "        la      t3, word\n"
                          "        lw      t4, 0(t3)\n"
                          "        vadd.vx v3, v3, t4\n"
                          "        vmv.v.x v4, zero\n"
                          "        vlw.v   v5, 0(v4)\n"
                          "        vsw.v   v3, 0(v4)\n"
                          "        vlw.v   v6, 0(v4)\n"
                          "        vadd.vv v6, v6, v5\n"
                          "        vsw12.v v6, 0(v2)\n"
                          "        bnez    t1, 1f\n"
                          "        addi    t4, t4, 1\n"
                          "        sw      t4, 4(t3)\n"
                          "1:      ret\n"
                          "        .data\n"
                          "word:   .word   10, 0\n";

enum { GROUPS = 6, ITEMS = 32 * GROUPS, SIZE = 4 * ITEMS };

static void *open_with(const char *name, const char *value)
{
    setenv(name, value, 1);
    void *device = host_open();
    unsetenv(name);
    return device;
}

static void refuse(const char *name, const char *value, const char *message)
{
    void *device = NULL;
    setenv(name, value, 1);
    assert_int_equal(vt.dev_open(&device), -1);
    unsetenv(name);
    assert_null(device);
    host_expect(message);
}

/* Two workgroups' parts of private memory, so that workgroups share them. */
static int run_mix(void *device, const struct host_program *program, uint32_t out, unsigned parts)
{
    const struct host_launch launch = {.kernel = "mix",
                                       .groups = GROUPS,
                                       .local = 32,
                                       .args = &out,
                                       .arg_count = 1,
                                       .pds_room = parts * 32 * 4096};
    return host_run(device, program, &launch);
}

static struct sam_buffer read_all(const char *path)
{
    struct sam_buffer text = {0};
    FREED char *data;
    size_t size;
    succeeds(sam_file_load, path, 1 << 28, &data, &size);
    sam_buffer_append(&text, data, size);
    return text;
}

static void same_files(const char *first, const char *second)
{
    SCOPED(sam_buffer) a = read_all(first), b = read_all(second);
    if (a.size != b.size || memcmp(a.data, b.data, a.size) != 0)
        fail_msg("%s and %s differ", first, second);
}

static void run_command(const char *format, const char *argument)
{
    char command[1024];
    const char *samite = getenv("SAMITE");
    int used = snprintf(command, sizeof command, "%s ", samite ? samite : "samite");
    snprintf(command + used, sizeof command - (size_t)used, format, argument);
    if (system(command) != 0) /* NOLINT(concurrency-mt-unsafe) */
        fail_msg("%s", command);
}

static void remove_folder(const char *folder)
{
    FREED char *command = formatted("rm -r %s", folder);
    assert_int_equal(system(command), 0); /* NOLINT(concurrency-mt-unsafe) */
}

/* Each launch of a recording, repeated alone and in sequence, leaves the recorded memory. */
TEST(recordings)
{
    SCOPED(host_program) program = host_assemble(mix);
    char sequence[600] = "run -q", arguments[800];
    void *device = open_with("SAMITE_RECORD", "recorded");
    uint8_t bytes[SIZE];
    uint32_t out = host_buffer(device, NULL, SIZE);
    assert_int_equal(vt.copy_to_dev(device, 0x7ffff000, NULL, 4096, 0, 0), 0);
    for (unsigned i = 0; i < 4; i++) {
        if (i == 2) { /* other memory at the same address, with less data */
            host_free(device, out);
            assert_int_equal(host_buffer(device, NULL, SIZE), out);
        }
        host_set(device, out + 400, 77 * i);
        assert_int_equal(run_mix(device, &program, out, i % 2 ? 2 : GROUPS), 0);
        assert_int_equal(vt.copy_from_dev(device, out, bytes, SIZE, 0, 0), 0);
        FREED char *name = formatted("expected%u", i);
        succeeds(sam_file_save, name, bytes, SIZE);
    }
    assert_int_equal(vt.dev_close(device), 0);
    for (unsigned i = 0; i < 4; i++) {
        char name[64];
        FREED char *pair = formatted(" recorded/%04u-mix.metadata recorded/%04u-mix.data", i, i);
        strncat(sequence, pair, sizeof sequence - strlen(sequence) - 1);
        for (int alone = 0; alone < 2; alone++) {
            snprintf(arguments, sizeof arguments, "%s%s --dump 0x%x:%d:result",
                     alone ? "run -q" : sequence, alone ? pair : "", (unsigned)out, SIZE);
            run_command("%s", arguments);
            snprintf(name, sizeof name, "expected%u", i);
            same_files(name, "result");
        }
        snprintf(arguments, sizeof arguments,
                 "run -q%s --elf recorded/program-1.elf -j 3 --dump 0x%x:%d:result", pair,
                 (unsigned)out, SIZE);
        run_command("%s", arguments);
        same_files(name, "result");
        unlink(name);
    }
    same_files("recorded/program-1.elf", program.path);
    /* local memory written by the host before the first launch is recorded */
    SCOPED(sam_buffer) text = read_all("recorded/0000-mix.metadata");
    struct sam_metadata metadata;
    succeeds(sam_metadata_parse, sam_buffer_text(&text), text.size, "m", &metadata);
    const struct sam_metadata_buffer *last = &metadata.buffers[metadata.buffer_count - 1];
    assert_true(last->base == 0x7ffff000 && last->allocated == 4096 && last->size == 0);
    sam_metadata_free(&metadata);
    unlink("result");
    remove_folder("recorded");
}

/* A second device of a process records next to the first; an impossible folder is reported. */
TEST(recorders)
{
    SCOPED(host_program) program = host_assemble(mix);
    void *first = open_with("SAMITE_RECORD", "both"), *second = open_with("SAMITE_RECORD", "both");
    assert_int_equal(run_mix(first, &program, host_buffer(first, NULL, SIZE), GROUPS), 0);
    assert_int_equal(run_mix(second, &program, host_buffer(second, NULL, SIZE), GROUPS), 0);
    assert_int_equal(vt.dev_close(first), 0);
    assert_int_equal(vt.dev_close(second), 0);
    assert_int_equal(system("test $(ls both | wc -l) = 6"), 0); /* NOLINT(concurrency-mt-unsafe) */
    remove_folder("both");
    void *device = open_with("SAMITE_RECORD", "absent/folder");
    assert_int_equal(run_mix(device, &program, host_buffer(device, NULL, SIZE), GROUPS), -1);
    host_expect("samite: SAMITE_RECORD=absent/folder: No such file or directory");
    assert_int_equal(vt.dev_close(device), 0);
}

TEST(wrong_values)
{
    refuse("SAMITE_JOBS", "many", "samite: SAMITE_JOBS=many: expected a number from 1 to 256");
    refuse("SAMITE_JOBS", "0", "SAMITE_JOBS=0");
    refuse("SAMITE_JOBS", "257", "SAMITE_JOBS=257");
    refuse("SAMITE_SV39", "yes", "SAMITE_SV39=yes: expected a number from 0 to 1");
    refuse("SAMITE_STATS", "2", "SAMITE_STATS=2");
    refuse("SAMITE_PROFILE", "profile", "SAMITE_PROFILE=profile: expected a name that ends in");
    refuse("SAMITE_CYCLES", "sms=0", "SAMITE_CYCLES=sms=0: sms=0: expected a number from 1 to 64");
    refuse("SAMITE_CYCLES", "absent", "SAMITE_CYCLES=absent: absent: cannot open");
    assert_int_equal(vt.dev_close(open_with("SAMITE_JOBS", "")), 0); /* as if unset */
}

/* The result of three launches with host writes between them. */
static void run_three(void *device, const struct host_program *program, uint32_t result[ITEMS])
{
    const uint32_t out = host_buffer(device, NULL, SIZE);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(run_mix(device, program, out, i < 2 ? 2 : GROUPS), 0);
        host_set(device, out + 8 * i, 1000 + i);
    }
    assert_int_equal(vt.copy_from_dev(device, out, result, SIZE, 0, 0), 0);
    assert_int_equal(vt.dev_close(device), 0);
}

/* The result does not depend on workers, translation or statistics. */
TEST(same_results)
{
    static const char *const variables[][2] = {{"SAMITE_JOBS", "4"},
                                               {"SAMITE_SV39", "1"},
                                               {"SAMITE_STATS", "1"},
                                               {"SAMITE_LOG", "log"},
                                               {"SAMITE_CYCLES", "preset=systemc"},
                                               {"SAMITE_PROFILE", "p.html"}};
    SCOPED(host_program) program = host_assemble(mix);
    uint32_t expected[ITEMS], result[ITEMS];
    run_three(host_open(), &program, expected);
    assert_int_equal(expected[5], ((5 + 10) * 3 + 5 + 10) * 3 + 5 + 10);
    for (size_t i = 0; i < SAM_COUNT(variables); i++) {
        run_three(open_with(variables[i][0], variables[i][1]), &program, result);
        assert_memory_equal(result, expected, sizeof expected);
    }
    unlink("log");
    unlink("p.html");
}

/* Statistics of all launches, with cycles if both are requested. */
TEST(profile_and_cycles)
{
    SCOPED(host_program) program = host_assemble(mix);
    setenv("SAMITE_CYCLES", "sms=1", 1);
    void *device = open_with("SAMITE_PROFILE", "p.json");
    unsetenv("SAMITE_CYCLES");
    const uint32_t out = host_buffer(device, NULL, SIZE);
    for (int i = 0; i < 2; i++)
        assert_int_equal(run_mix(device, &program, out, GROUPS), 0);
    host_expect("samite: cycles of launch 1: mix; ");
    assert_int_equal(vt.dev_close(device), 0);
    SCOPED(sam_buffer) text = read_all("p.json");
    const char *total = strstr(sam_buffer_text(&text), "\"count\": ");
    assert_non_null(total);
    const unsigned long count = strtoul(total + strlen("\"count\": "), NULL, 10);
    assert_true(count > 2 * 30 * GROUPS && count % 2 == 0);
    assert_non_null(strstr(sam_buffer_text(&text), "\"cycles\": "));
    assert_non_null(strstr(sam_buffer_text(&text), "vlw12.v v3, 0(v2)"));
    unlink("p.json");
}

/* SAMITE_LOG=FILE is one log of all launches, SAMITE_LOG=auto one per launch, next to the
 * program. */
TEST(logs)
{
    SCOPED(host_program) program = host_assemble(mix);
    uint32_t out;
    FREED char *own = formatted("%s.log", program.path);
    void *device = open_with("SAMITE_LOG", "all.log");
    out = host_buffer(device, NULL, SIZE);
    assert_int_equal(run_mix(device, &program, out, GROUPS), 0);
    SCOPED(sam_buffer) first = read_all("all.log");
    assert_int_equal(run_mix(device, &program, out, GROUPS), 0);
    SCOPED(sam_buffer) both = read_all("all.log");
    assert_true(first.size > 0 && both.size > first.size);
    assert_memory_equal(both.data, first.data, first.size);
    assert_non_null(strstr(sam_buffer_text(&first), "vlw12.v"));
    assert_int_equal(vt.dev_close(device), 0);

    device = open_with("SAMITE_LOG", "auto");
    out = host_buffer(device, NULL, SIZE);
    assert_int_equal(run_mix(device, &program, out, GROUPS), 0);
    SCOPED(sam_buffer) alone = read_all(own);
    assert_true(alone.size == first.size);
    assert_memory_equal(alone.data, first.data, first.size);
    assert_int_equal(vt.dev_close(device), 0);
    unlink("all.log");
    unlink(own);

    device = open_with("SAMITE_LOG", "absent/all.log");
    out = host_buffer(device, NULL, SIZE);
    assert_int_equal(run_mix(device, &program, out, GROUPS), -1);
    host_expect("samite: cannot open absent/all.log");
    assert_int_equal(vt.dev_close(device), 0);
}

TEST(statistics)
{
    SCOPED(host_program) program = host_assemble(mix);
    char text[4096] = "";
    void *device = open_with("SAMITE_STATS", "1");
    const uint32_t out = host_buffer(device, NULL, SIZE);
    for (int i = 0; i < 3; i++)
        assert_int_equal(run_mix(device, &program, out, GROUPS), 0);
    host_expect("samite: launch 2: mix\n  workgroups                        6\n");
    FILE *file = tmpfile();
    assert_int_equal(vt.dump_perf(device, file), 0);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_non_null(strstr(text, "samite: 3 launches, 0 failed\n"));
    assert_non_null(strstr(text, "  workgroups                       18\n"));
    assert_non_null(strstr(text, "  vlw12.v                          18\n"));
    assert_int_equal(vt.dev_close(device), 0);
}

TEST_GROUP(host_set_up, host_tear_down)
