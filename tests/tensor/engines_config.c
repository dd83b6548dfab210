/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of the engines: parsing and the documents agree with the table. */

#include "config.h"
#include "hart/program.h"

static struct sam_engines_config defaults(void)
{
    struct sam_engines_config config;
    memset(&config, 0xff, sizeof config);
    sam_engines_defaults(&config);
    return config;
}

TEST(every_parameter)
{
    struct sam_engines_config before = defaults();
    char text[256];
    for (size_t i = 0; sam_engines_parameter(i); i++) {
        const struct sam_parameter *p = sam_engines_parameter(i);
        struct sam_engines_config config = before;
        struct sam_error error;
        unsigned value = (unsigned)strtoul(p->value, NULL, 10);
        assert_true(p->low <= value && value <= p->high);
        snprintf(text, sizeof text, "%s=%u", p->name, value);
        assert_int_equal(sam_engines_parse(text, &config, NULL), SAM_OK);
        assert_memory_equal(&config, &before, sizeof config);
        for (int top = 0; top < 2; top++) {
            snprintf(text, sizeof text, "%s=%llu", p->name,
                     (unsigned long long)(top ? p->high : p->low));
            assert_int_equal(sam_engines_parse(text, &config, NULL), SAM_OK);
            if ((top ? p->high : p->low) != value)
                assert_memory_not_equal(&config, &before, sizeof config);
        }
        config = before;
        snprintf(text, sizeof text, "issue=2,%s=%llu", p->name, (unsigned long long)p->high + 1);
        assert_int_equal(sam_engines_parse(text, &config, &error), SAM_ERR_USAGE);
        snprintf(text, sizeof text, "%s=%llu: expected a number from %llu to %llu", p->name,
                 (unsigned long long)p->high + 1, (unsigned long long)p->low,
                 (unsigned long long)p->high);
        assert_string_equal(error.text, text);
        assert_memory_equal(&config, &before, sizeof config);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(p->name, sam_engines_parameter(k)->name);
    }
}

TEST(lists)
{
    struct sam_engines_config c = defaults();
    assert_int_equal(sam_engines_parse("", &c, NULL), SAM_OK);
    assert_int_equal(sam_engines_parse("queue=8,load_queue=0x2,issue=1,issue=3", &c, NULL), SAM_OK);
    assert_int_equal(c.queue[SAM_ENGINE_LOAD], 2);
    assert_int_equal(c.queue[SAM_ENGINE_COMP], 8);
    assert_int_equal(c.queue[SAM_ENGINE_RESHAPE], 8);
    assert_int_equal(c.issue, 3);
}

TEST(bad_lists)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"lod_bytes=4", "unknown parameter 'lod_bytes'; did you mean 'load_bytes'?"},
        {"storelatency", "unknown parameter 'storelatency'; did you mean 'store_latency'?"},
        {"ISSUE=1,x=2", "unknown parameter 'ISSUE'"},
        {"issue=1,", "unknown parameter ''"},
        {"queue", "queue: expected queue=VALUE, a number from 1 to 1024"},
        {"queue=", "queue=: expected a number from 1"},
        {"queue=0", "queue=0: expected"},
        {"queue=-1", "queue=-1: expected"},
        {"queue=8x", "queue=8x: expected"},
        {"queue=99999999999999999999", "expected a number from 1 to 1024"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        struct sam_engines_config config = defaults(), before = config;
        struct sam_error error;
        assert_int_equal(sam_engines_parse(cases[i].text, &config, &error), SAM_ERR_USAGE);
        if (!strstr(error.text, cases[i].message))
            fail_msg("%s: '%s'", cases[i].text, error.text);
        assert_memory_equal(&config, &before, sizeof config);
    }
}

/* A configuration need not come from text. */
TEST(a_hart_checks)
{
    struct sam_engines_config config = defaults();
    struct sam_hart_options options = {.engines = &config};
    struct sam_hart *hart;
    struct sam_error error;
    config.bytes[SAM_ENGINE_STORE] = 0;
    assert_int_equal(sam_hart_new(&options, &hart, &error), SAM_ERR_USAGE);
    assert_string_equal(error.text, "store_bytes=0: expected a number from 1 to 65536");
    assert_null(hart);
}

TEST(names)
{
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++)
        assert_true(*sam_engine_name(i));
    for (unsigned i = 0; i < SAM_ENGINE_CYCLES; i++)
        assert_true(*sam_engine_cycle_name(i));
    for (unsigned i = 0; i < SAM_ISSUE_CYCLES; i++)
        assert_true(*sam_issue_cycle_name(i));
    assert_string_equal(sam_engine_name(SAM_ENGINE_COUNT), "");
    assert_string_equal(sam_engine_cycle_name(SAM_ENGINE_CYCLES), "");
    assert_string_equal(sam_issue_cycle_name(SAM_ISSUE_CYCLES), "");
}

TEST(the_document_has_the_table)
{
    SCOPED(sam_buffer) file = {0};
    succeeds(sam_file_read, SAM_SOURCE_ROOT "/docs/tensor-hart.md", 1 << 20, &file);
    for (size_t i = 0; sam_engines_parameter(i); i++) {
        const struct sam_parameter *p = sam_engines_parameter(i);
        FREED char *row =
            formatted("| `%s` | %s | %s | %s |\n", p->name, p->value, p->range, p->meaning);
        if (!strstr(sam_buffer_text(&file), row))
            fail_msg("docs/tensor-hart.md lacks the row %s", row);
    }
}
