/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of system.h. */
#include "system/program.h"

TEST(options)
{
    const struct sam_hart_options strict = {.l1m = {0, 1}}, narrow = {.isa = {31, SAM_EXT_I}};
    const struct sam_gpu_options sv39 = {.sv39 = true}, loose = {.loose_bounds = true},
                                 jobs = {.jobs = UINT32_MAX};
    struct sam_sanitizer *sanitizer = sam_sanitizer_new(SAM_SANITIZE_RACE);
    assert_non_null(sanitizer);
    const struct sam_gpu_options checked = {.size = sizeof checked, .sanitizer = sanitizer};
    const struct sam_system_options bad[] = {
        {.hart = &strict},  {.hart = &narrow},
        {.gpu = &sv39},     {.gpu = &loose},
        {.gpu = &jobs},     {.gpu = &checked},
        {.l1m_size = 1},    {.l1m_size = 0x8001000},
        {.l0m_size = 4095}, {.l0m_size = 0x28001000},
        {.heap_size = 1},   {.heap_size = UINT64_MAX - 4095},
        {.sms = 65},        {.gpu_traps = (enum sam_system_gpu_traps)2},
        {.size = 5},
    };
    for (size_t i = 0; i < SAM_COUNT(bad); i++) {
        struct sam_system_options one = bad[i];
        struct sam_system *system = (struct sam_system *)1;
        one.size = one.size ? one.size : sizeof one;
        refuses(sam_system_new, &one, &system);
        assert_null(system);
    }
    refuses(sam_system_new, NULL, NULL);
    sam_system_free(NULL);
    sam_sanitizer_free(sanitizer);
}

TEST(memory)
{
    struct sam_system *system;
    uint64_t address;
    uint8_t byte = 0;
    assert_int_equal(sam_system_new(NULL, &system, NULL), SAM_OK);
    refuses(sam_system_map, NULL, 0, 1);
    refuses(sam_system_map, system, UINT64_MAX, 2);
    refuses(sam_system_map, system, 0xffffffff, 2);
    refuses(sam_system_map, system, 0x6fffffff, 2);
    refuses(sam_system_map, system, 0x7ffffffc, 4);
    refuses(sam_system_map, system, 0x02000000, 4);
    refuses(sam_system_map, system, 0x01ffffff, 2);
    refuses(sam_system_map, system, 0x02002fff, 2);
    refuses(sam_system_map, system, 0x0fffffff, 2); /* into L1M */
    refuses(sam_system_alloc, NULL, 1, &address);
    refuses(sam_system_alloc, system, 1, NULL);
    refuses(sam_system_alloc, system, UINT64_C(1) << 32, &address);
    assert_int_equal(sam_system_alloc(system, 0, &address, NULL), SAM_OK);
    refuses(sam_system_write, NULL, address, &byte, 1);
    refuses(sam_system_write, system, address, NULL, 1);
    refuses(sam_system_write, system, address + 1, &byte, 1);
    refuses(sam_system_read, NULL, address, &byte, 1);
    refuses(sam_system_read, system, address - 1, &byte, 1);
    refuses(sam_system_read, system, 0x02000000, &byte, 1);
    assert_int_equal(sam_system_write(system, address, NULL, 0, NULL), SAM_OK);
    assert_int_equal(sam_system_read(system, address, NULL, 1, NULL), SAM_OK);
    sam_system_free(system);
}

TEST(programs)
{
    SCOPED_IMAGE *image = test_assemble(RV32, SAM_SYSTEM_CODE_BASE, NULL, "ebreak\n");
    struct sam_system *system;
    struct sam_system_result result;
    assert_int_equal(sam_system_new(NULL, &system, NULL), SAM_OK);
    refuses(sam_system_load, NULL, image);
    refuses(sam_system_load, system, NULL);
    refuses(sam_system_load_gpu, NULL, image);
    refuses(sam_system_load_gpu, system, NULL);
    sam_system_unload(NULL);
    refuses(sam_system_run, NULL, &result);
    assert_non_null(sam_system_hart(system));
    assert_non_null(sam_system_gpu(system));
    assert_int_equal(sam_system_stats(system)->launches, 0);
    assert_int_equal(sam_system_gpu_stats(system)->warp_insns, 0);
    sam_system_free(system);
}

TEST(weights)
{
    const uint8_t data[64] = {0};
    struct sam_system *system;
    struct sam_error error;
    assert_int_equal(sam_system_new(NULL, &system, NULL), SAM_OK);
    refuses(sam_system_load_weights, NULL, data, sizeof data, 0);
    refuses(sam_system_load_weights, system, NULL, sizeof data, 0);
    assert_int_equal(sam_system_load_weights(system, data, sizeof data, 0, &error), SAM_ERR_INPUT);
    sam_system_free(system);
}

TEST(races)
{
    struct sam_system *system;
    SCOPED_TEXT *text = (char *)1;
    size_t count = 1;
    uint64_t dropped = 1;
    assert_int_equal(sam_system_new(NULL, &system, NULL), SAM_OK);
    refuses(sam_system_print_races, NULL, 0, &text);
    refuses(sam_system_print_races, system, 0, NULL);
    assert_int_equal(sam_system_print_races(system, 0, &text, NULL), SAM_OK);
    assert_string_equal(text, "");
    sam_system_races(system, &count, &dropped);
    assert_int_equal(count, 0);
    assert_int_equal(dropped, 0);
    for (unsigned i = 0; i < 8; i++) {
        assert_non_null(sam_system_access_name((enum sam_system_access)i));
        assert_non_null(sam_system_agent_name((enum sam_system_agent)i));
    }
    sam_system_free(system);
}

TEST(times)
{
    struct sam_system_config *config;
    struct sam_system_figures *figures, none = {.cycles = 0};
    struct sam_system *system;
    const char *prefix;
    char *text;
    refuses(sam_system_config_new, NULL);
    assert_int_equal(sam_system_config_new(&config, NULL), SAM_OK);
    refuses(sam_system_config_set, NULL, "launch_cycles=1");
    refuses(sam_system_config_set, config, NULL);
    refuses(sam_system_config_set, config, "mem.nothing=1");
    refuses(sam_system_config_set, config, "launch_cycles=many");
    uint64_t value;
    assert_false(sam_system_config_get(NULL, "launch_cycles", &value));
    assert_false(sam_system_config_get(config, NULL, &value));
    assert_false(sam_system_config_get(config, "launch_cycles", NULL));
    sam_system_config_free(config);
    sam_system_config_free(NULL);
    assert_non_null(sam_system_parameter(0, &prefix));
    assert_null(sam_system_parameter(SIZE_MAX, &prefix));
    assert_int_equal(sam_system_new(NULL, &system, NULL), SAM_OK);
    refuses(sam_system_measure, NULL, &figures);
    refuses(sam_system_measure, system, NULL);
    refuses(sam_system_measure, system, &figures); /* without timing */
    refuses(sam_system_end_timeline, NULL);
    refuses(sam_system_report, NULL, NULL, SAM_SYSTEM_TEXT, &text);
    refuses(sam_system_report, &none, NULL, SAM_SYSTEM_TEXT, NULL);
    refuses(sam_system_report, &none, NULL, (enum sam_system_format)2, &text);
    sam_system_figures_free(NULL);
    sam_system_free(system);
}

/* The description of a program, with one error. */
static void refuses_pipes(struct sam_system *system, struct sam_system_pipes wrong, const char *why)
{
    struct sam_error error = {0};
    must_refuse(sam_system_describe_pipes(system, &wrong, &error), &error, why);
    assert_int_equal(sam_system_describe_pipes(system, &wrong, NULL), SAM_ERR_USAGE);
}

static const char *const pipe_names[] = {"a", "b"};
static const struct sam_system_operation pipe_operations[] = {{"x", 1, 1, 0}, {"y", 2, 1, 1}};

static struct sam_system_pipes good_pipes(void)
{
    return (struct sam_system_pipes){.size = sizeof(struct sam_system_pipes),
                                     .title = "t",
                                     .names = pipe_names,
                                     .count = 2,
                                     .operations = pipe_operations,
                                     .operation_count = 2,
                                     .events = 2};
}

TEST(pipes)
{
    static const char *const nameless[] = {"a", NULL};
    static const struct sam_system_operation other_pipe = {"x", 1, 1, 2}, no_name = {NULL, 1, 1, 0};
    const struct sam_system_pipes good = good_pipes();
    struct sam_system *system;
    assert_int_equal(sam_system_new(NULL, &system, NULL), SAM_OK);
    refuses(sam_system_describe_pipes, NULL, &good);
    refuses(sam_system_describe_pipes, system, NULL);
    assert_int_equal(sam_system_describe_pipes(system, &good, NULL), SAM_OK);
#define WRONG(why, member, ...)                                                                    \
    do {                                                                                           \
        struct sam_system_pipes wrong = good;                                                      \
        wrong.member = __VA_ARGS__;                                                                \
        refuses_pipes(system, wrong, why);                                                         \
    } while (0)
    WRONG("pipes of 8 bytes: expected at least", size, 8);
    WRONG("0 pipes: expected 1 to 8", count, 0);
    WRONG("9 pipes: expected 1 to 8", count, SAM_SYSTEM_PIPES + 1);
    WRONG("title is NULL", title, NULL);
    WRONG("names is NULL", names, NULL);
    WRONG("pipe 1 without a name", names, nameless);
    WRONG("operations is NULL", operations, NULL);
    WRONG("marks is NULL", mark_count, 1);
    WRONG("kernels is NULL", kernel_count, 1);
    WRONG("operation 0 of pipe 2: expected one below 2", operations, &other_pipe);
    WRONG("operation 0 without a name", operations, &no_name);
#undef WRONG
    assert_string_equal(sam_system_pipe_cycle_name(SAM_SYSTEM_PIPE_BUSY), "busy");
    assert_string_equal(sam_system_pipe_cycle_name(SAM_SYSTEM_PIPE_CYCLES), "?");
    sam_system_free(system);
}

TEST(marks_of_pipes)
{
    static const uint32_t all[] = {0, 1}, two[] = {2}, none[] = {0};
    static const struct {
        struct sam_system_mark mark;
        const char *why;
    } marks[] = {
        {{.address = 8, .operation = 2}, "mark 0 of operation 2: expected one below 2"},
        {{.address = 6}, "mark 0 at 0x6: expected multiples of 4"},
        {{.address = 8, .kind = (enum sam_system_mark_kind)4}, "mark 0 of kind 4: expected 0 to 3"},
        {{.address = 8, .kind = SAM_SYSTEM_MARK_RECORD, .pipe = 2, .to = none, .count = 1},
         "mark 0 records pipe 2"},
        {{.address = 8, .kind = SAM_SYSTEM_MARK_RECORD, .to = all, .count = 2},
         "in events of count 2: expected a pipe below 2 and a count of 1"},
        {{.address = 8, .kind = SAM_SYSTEM_MARK_RECORD, .to = two, .count = 1}, "below 2"},
        {{.address = 8, .kind = SAM_SYSTEM_MARK_RECORD, .count = 1}, "mark 0 with other events"},
        {{.address = 8, .kind = SAM_SYSTEM_MARK_WAIT, .from = two, .count = 1}, "below 2"},
        {{.address = 8, .kind = SAM_SYSTEM_MARK_WAIT, .count = 1}, "mark 0 with other events"},
        {{.address = 8, .kind = SAM_SYSTEM_MARK_COPY, .from = none, .to = two, .count = 1},
         "below 2"},
    };
    static const struct sam_system_mark backwards[] = {{.address = 8}, {.address = 4}};
    static const struct sam_system_kernel kernels[] = {
        {"k", all, 2}, {"k", two, 1}, {"k", none, 0}, {NULL, none, 1}, {"k", NULL, 1}};
    struct sam_system_pipes wrong = good_pipes();
    struct sam_system *system;
    assert_int_equal(sam_system_new(NULL, &system, NULL), SAM_OK);
    wrong.mark_count = 1;
    for (size_t i = 0; i < SAM_COUNT(marks); i++) {
        wrong.marks = &marks[i].mark;
        refuses_pipes(system, wrong, marks[i].why);
    }
    wrong.marks = backwards;
    wrong.mark_count = 2;
    refuses_pipes(system, wrong, "mark 1 at 0x4: expected multiples of 4 in ascending order");
    wrong.mark_count = 0;
    wrong.kernel_count = 1;
    for (size_t i = 0; i < SAM_COUNT(kernels); i++) {
        wrong.kernels = &kernels[i];
        refuses_pipes(system, wrong,
                      i < 2 ? "expected operations of one pipe" : "kernel 0 without");
    }
    sam_system_free(system);
}

TEST(energy)
{
    struct sam_energy e = {.count = {[SAM_ENERGY_dram_byte] = 1000, [SAM_ENERGY_l2_byte] = 1}};
    char *text;
    sam_energy_defaults(&e.config);
    e.config.each[SAM_ENERGY_dram_byte] = 2500;
    assert_true(sam_energy_of(&e, "DRAM") == 2500);
    assert_true(sam_energy_of(&e, "no such unit") == 0);
    assert_true(sam_energy_of(&e, NULL) == 2500 + sam_energy_of(&e, "L2"));
    for (size_t i = 0; i < SAM_ENERGY_EVENTS; i++) {
        assert_non_null(sam_energy_parameter(i));
        assert_true(*sam_energy_source(i) != 0);
    }
    assert_null(sam_energy_parameter(SAM_ENERGY_EVENTS));
    assert_null(sam_energy_parameter(SIZE_MAX));
    assert_string_equal(sam_energy_source(SIZE_MAX), "");
    refuses(sam_energy_report, NULL, false, &text);
    refuses(sam_energy_report, &e, true, NULL);
}
