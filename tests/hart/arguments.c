/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of hart.h, engines.h and mxu.h. */
#include "program.h"

/* A file that is not there, and the program itself, which is no translator. The error is optional.
 */
TEST(translator)
{
    struct sam_error error = {0};
    const char *given = getenv("SAMITE_JIT_LIBRARY");
    char *before = given ? strdup(given) : NULL;
    assert_int_equal(setenv("SAMITE_JIT_LIBRARY", "/dev/null/none.so", 1), 0);
    assert_int_equal(sam_jit_check(NULL), SAM_ERR_IO);
    assert_int_equal(sam_jit_check(&error), SAM_ERR_IO);
    assert_int_equal(error.status, SAM_ERR_IO);
    assert_non_null(strstr(error.text, "none.so"));
    assert_int_equal(setenv("SAMITE_JIT_LIBRARY", "", 1), 0);
    assert_int_equal(sam_jit_check(&error), SAM_ERR_INPUT);
    if (before) {
        assert_int_equal(setenv("SAMITE_JIT_LIBRARY", before, 1), 0);
        assert_int_equal(sam_jit_check(NULL), SAM_OK);
        free(before);
    } else {
        unsetenv("SAMITE_JIT_LIBRARY");
    }
}

TEST(options)
{
    struct sam_engines_config engines;
    struct sam_mxu_config mxu;
    sam_engines_defaults(&engines);
    engines.issue = 0;
    sam_mxu_config_init(&mxu, 128);
    mxu.slots = UINT32_MAX;
    const unsigned base = SAM_EXT_I | SAM_EXT_M, matrix = base | SAM_EXT_XMATRIX;
    const struct sam_hart_options bad[] = {
        {.isa = {31, base}},
        {.isa = {64, SAM_EXT_I}},
        {.isa = {64, UINT32_MAX}},
        {.isa = {32, base | SAM_EXT_XVENTUS}},
        {.mlen = 100},
        {.mlen = UINT32_MAX},
        {.l1m = {UINT64_MAX, 2}},
        {.l0m = {2, UINT64_MAX}},
        {.isa = {32, base}, .l1m = {UINT64_C(1) << 32, 1}},
        {.engines = &engines},
        {.isa = {64, matrix}, .cycles = &mxu},
        {.size = 5},
    };
    for (size_t i = 0; i < SAM_COUNT(bad); i++) {
        struct sam_hart *hart = (struct sam_hart *)1;
        refuses(sam_hart_new, &bad[i], &hart);
        assert_null(hart);
    }
    refuses(sam_hart_new, NULL, NULL);
    sam_hart_free(NULL);
}

TEST(memory)
{
    struct sam_hart *hart;
    uint64_t address;
    uint8_t byte = 0;
    assert_int_equal(sam_hart_new(NULL, &hart, NULL), SAM_OK);
    refuses(sam_hart_map, NULL, 0, 1);
    refuses(sam_hart_map, hart, 2, UINT64_MAX);
    refuses(sam_hart_map, hart, UINT64_MAX, 2);
    refuses(sam_hart_alloc, NULL, 1, &address);
    refuses(sam_hart_alloc, hart, 1, NULL);
    refuses(sam_hart_alloc, hart, UINT64_MAX, &address);
    refuses(sam_hart_alloc, hart, UINT64_MAX - 4096, &address);
    assert_int_equal(sam_hart_alloc(hart, 0, &address, NULL), SAM_OK);
    assert_int_equal(sam_hart_map(hart, UINT64_MAX, 1, NULL), SAM_OK);
    refuses(sam_hart_write, NULL, address, &byte, 1);
    refuses(sam_hart_write, hart, address, NULL, 1);
    refuses(sam_hart_write, hart, address, &byte, SIZE_MAX);
    refuses(sam_hart_write, hart, UINT64_MAX, &byte, 2);
    assert_int_equal(sam_hart_write(hart, UINT64_MAX, &byte, 1, NULL), SAM_OK);
    assert_int_equal(sam_hart_write(hart, 0, NULL, 0, NULL), SAM_OK);
    refuses(sam_hart_read, NULL, address, &byte, 1);
    refuses(sam_hart_read, hart, address, NULL, SIZE_MAX);
    refuses(sam_hart_read, hart, UINT64_MAX, &byte, 2);
    assert_int_equal(sam_hart_read(hart, UINT64_MAX, NULL, 1, NULL), SAM_OK);
    /* the rest of the address space: no room above, and none below the buffers */
    assert_int_equal(sam_hart_map(hart, SAM_HART_BUFFER_BASE, 0 - SAM_HART_BUFFER_BASE, NULL),
                     SAM_OK);
    refuses(sam_hart_alloc, hart, 1, &address);
    refuses(sam_hart_load, hart, NULL);
    SCOPED_IMAGE *image = sam_image_new(0);
    refuses(sam_hart_load, NULL, image);
    assert_int_equal(sam_hart_load(hart, image, NULL), SAM_ERR_INPUT);
    sam_hart_free(hart);
}

/* Register numbers are taken modulo their count; registers that a hart lacks are NULL. */
TEST(registers)
{
    const struct sam_hart_options plain = {.isa = {64, SAM_EXT_I | SAM_EXT_M}};
    static const uint8_t bytes[4096];
    struct sam_hart *hart;
    uint64_t value;
    assert_int_equal(sam_hart_new(&plain, &hart, NULL), SAM_OK);
    assert_int_equal(sam_hart_register(""), -1);
    assert_int_equal(sam_hart_register("x32"), -1);
    assert_int_equal(sam_hart_register("f0"), -1);
    sam_hart_set_x(hart, UINT32_MAX, 7);
    assert_int_equal(sam_hart_x(hart, UINT32_MAX), 7);
    sam_hart_set_x(hart, 0, 7);
    assert_int_equal(sam_hart_x(hart, 0), 0);
    sam_hart_set_pc(hart, UINT64_MAX);
    assert_true(sam_hart_pc(hart) == UINT64_MAX);
    assert_null(sam_hart_tl(hart, 1));
    assert_null(sam_hart_m(hart, 1));
    sam_hart_set_tl(hart, 1, bytes);
    sam_hart_set_m(hart, 1, bytes);
    assert_int_equal(sam_hart_m_size(hart), 0);
    assert_false(sam_hart_csr(hart, 4096, &value) || sam_hart_csr(hart, UINT32_MAX, &value));
    assert_false(sam_hart_set_csr(hart, 4096, 1) || sam_hart_set_csr(hart, UINT32_MAX, 1));
    assert_null(sam_hart_cycles(hart));
    struct sam_energy energy;
    assert_false(sam_hart_energy(hart, &energy));
    assert_true(sam_energy_of(&energy, NULL) == 0);
    assert_non_null(sam_hart_stats(hart));
    struct sam_engines_report report;
    assert_false(sam_hart_engines(hart, &report));
    assert_int_equal(sam_hart_end_timeline(NULL, NULL), SAM_ERR_USAGE);
    assert_int_equal(sam_hart_end_traces(NULL, NULL), SAM_ERR_USAGE);
    assert_int_equal(sam_hart_end_timeline(hart, NULL), SAM_OK);
    assert_int_equal(sam_hart_end_traces(hart, NULL), SAM_OK);
    /* its address is unmapped */
    struct sam_hart_result result;
    refuses(sam_hart_run, NULL, &result);
    refuses(sam_hart_step, NULL, &result);
    assert_int_equal(sam_hart_run(hart, NULL, NULL), SAM_ERR_TRAP);
    assert_int_equal(sam_hart_step(hart, &result, NULL), SAM_ERR_TRAP);
    sam_hart_set_until(hart, UINT64_MAX);
    sam_hart_free(hart);
    assert_string_equal(sam_hart_class_name((enum sam_hart_class) - 1), "");
    assert_string_equal(sam_hart_class_name(SAM_HART_CLASSES), "");
}

TEST(engines)
{
    struct sam_engines_config config, before;
    static const char *const bad[] = {"=",
                                      "queue",
                                      "queue=",
                                      "queue=0",
                                      "queue=x",
                                      ",",
                                      "queue=1,,queue=2",
                                      "queue=18446744073709551616",
                                      "queue=4294967297"};
    sam_engines_defaults(&config);
    before = config;
    for (size_t i = 0; i < SAM_COUNT(bad); i++) {
        refuses(sam_engines_parse, bad[i], &config);
        assert_memory_equal(&config, &before, sizeof config);
    }
    assert_int_equal(sam_engines_parse("", &config, NULL), SAM_OK);
    refuses(sam_engines_parse, NULL, &config);
    refuses(sam_engines_parse, "", NULL);
    assert_null(sam_engines_parameter(SIZE_MAX));
    assert_string_equal(sam_engine_name(UINT32_MAX), "");
    assert_string_equal(sam_engine_cycle_name(UINT32_MAX), "");
    assert_string_equal(sam_issue_cycle_name(UINT32_MAX), "");
    struct sam_mxu_config mxu;
    sam_mxu_config_init(&mxu, 0);
    refuses(sam_hart_configure, NULL, &config, &mxu);
    refuses(sam_hart_configure, "", NULL, &mxu);
    refuses(sam_hart_configure, "", &config, NULL);
    refuses(sam_hart_configure, "nothing=1", &config, &mxu);
}

TEST(matrix)
{
    struct sam_mxu_config config;
    static const char *const bad[] = {"=",        "mpara",   "mpara=",   "mpara=3",
                                      "mpara=32", "seed=-1", "nothing=1"};
    static const char *const bad_sets[] = {"", "8", "0:", ":", "0,4", "0:8", "-1", "ALL", "0 4"};
    const unsigned mlens[] = {0, 1, 100, 1024, UINT32_MAX};
    sam_mxu_config_init(&config, 512);
    for (size_t i = 0; i < SAM_COUNT(bad); i++)
        refuses(sam_mxu_config_set, &config, bad[i]);
    uint32_t set = 0x11;
    for (size_t i = 0; i < SAM_COUNT(bad_sets); i++)
        refuses(sam_hart_parse_acc_regs, bad_sets[i], &set);
    assert_int_equal(set, 0x11);
    refuses(sam_hart_parse_acc_regs, NULL, &set);
    refuses(sam_hart_parse_acc_regs, "0:4", NULL);
    struct sam_hart *hart;
    const struct sam_hart_options many = {.size = sizeof many, .acc_regs = 0x100};
    refuses(sam_hart_new, &many, &hart);
    refuses(sam_mxu_config_set, NULL, "");
    refuses(sam_mxu_config_set, &config, NULL);
    assert_int_equal(sam_mxu_config_check(NULL, NULL), SAM_ERR_USAGE);
    for (size_t i = 1; i < SAM_COUNT(mlens); i++) {
        sam_mxu_config_init(&config, mlens[i]);
        assert_int_equal(sam_mxu_config_check(&config, NULL), SAM_ERR_USAGE);
    }
    memset(&config, 0, sizeof config);
    assert_int_equal(sam_mxu_config_check(&config, NULL), SAM_ERR_USAGE);
    assert_null(sam_mxu_parameter(SIZE_MAX));
    assert_string_equal(sam_mxu_unit_name((enum sam_mxu_unit) - 1), "");
    assert_string_equal(sam_mxu_state_name(SAM_MXU_STATES), "");
    assert_string_equal(sam_mxu_port_name(SAM_MXU_PORTS), "");
    /* of a program that did nothing */
    const struct sam_mxu_stats nothing = {0};
    struct sam_mxu_roofline roofline;
    sam_mxu_config_init(&config, 512);
    sam_mxu_roofline(&config, &nothing, &roofline);
    assert_true(roofline.done == 0 && roofline.done <= roofline.bound);
}
