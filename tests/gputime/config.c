/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters and presets of the GPU in time, and invalid ones. */
#include "test.h"

#include "gputime/gputime.h"

TEST(every_preset_is_possible)
{
    struct sam_gputime_config config;
    unsigned count = 0;
    for (; sam_gputime_preset(count); count++) {
        char text[64];
        sam_format(text, sizeof text, "preset=%s", sam_gputime_preset(count));
        sam_gputime_config_init(&config);
        succeeds(sam_gputime_config_set, &config, text);
        succeeds(sam_gputime_config_check, &config);
        assert_true(*sam_gputime_preset_meaning(count));
    }
    assert_int_equal(count, 3);
    assert_string_equal(sam_gputime_preset(0), "rtl");
    assert_string_equal(sam_gputime_preset_meaning(count), "");
}

TEST(the_default_is_the_first_preset)
{
    struct sam_gputime_config a, b;
    sam_gputime_config_init(&a);
    sam_gputime_config_init(&b);
    succeeds(sam_gputime_config_set, &b, "preset=verilog");
    assert_memory_not_equal(&a, &b, sizeof a);
    succeeds(sam_gputime_config_set, &b, "preset=rtl");
    assert_memory_equal(&a, &b, sizeof a);
}

/* The rows give the defaults; each has a unit or none, a meaning and a value in range. */
TEST(parameters_describe_the_configuration)
{
    struct sam_gputime_config config;
    size_t count = 0;
    sam_gputime_config_init(&config);
    for (; sam_gputime_parameter(count); count++) {
        const struct sam_parameter *p = sam_gputime_parameter(count);
        uint32_t value;
        uint64_t number;
        assert_true(sam_gputime_config_get(&config, p->name, &value));
        assert_true(sam_parse_u64(p->value, &number));
        assert_int_equal(value, number);
        assert_true(value >= p->low && value <= p->high);
        assert_true(*p->meaning);
    }
    assert_int_equal(count * sizeof(uint32_t), offsetof(struct sam_gputime_config, energy));
    assert_false(sam_gputime_config_get(&config, "nothing", &(uint32_t){0}));
}

TEST(overrides_follow_a_preset)
{
    struct sam_gputime_config config;
    struct sam_error error;
    sam_gputime_config_init(&config);
    succeeds(sam_gputime_config_set, &config, "preset=systemc,sms=4,sms=5");
    assert_int_equal(config.sms, 5);
    assert_int_equal(config.memory_perfect, 1);
    const struct sam_gputime_config before = config;
    must_refuse(sam_gputime_config_set(&config, "sms=1,preset=rtl", &error), &error, "first");
    must_refuse(sam_gputime_config_set(&config, "preset=chisel", &error), &error,
                "preset=chisel: expected rtl, verilog or systemc");
    must_refuse(sam_gputime_config_set(&config, "preset=rtl,smss=1", &error), &error,
                "did you mean 'sms");
    must_refuse(sam_gputime_config_set(&config, "foo=1", &error), &error,
                "unknown parameter 'foo'");
    assert_null(strstr(error.text, "nearest"));
    must_refuse(sam_gputime_config_set(&config, "banks=0", &error), &error, "banks=0: expected");
    must_refuse(sam_gputime_config_set(&config, "l1_sets=3", &error), &error, "a power of two");
    assert_memory_equal(&before, &config, sizeof config);
}

static void impossible(const char *text, const char *message)
{
    struct sam_gputime_config config;
    struct sam_error error;
    sam_gputime_config_init(&config);
    succeeds(sam_gputime_config_set, &config, text);
    must_refuse(sam_gputime_config_check(&config, &error), &error, message);
}

TEST(two_values_may_exclude_each_other)
{
    impossible("icache_bytes=128,icache_ways=2", "icache_bytes=128, icache_ways=2");
    impossible("fetch_ports=0", "fetch_ports=0, icache_bytes=65536");
    impossible("collectors=4,collectors_warp=5", "collectors_warp=5, collectors=4");
    impossible("fetch_width=8,line_bytes=16", "fetch_width=8, line_bytes=16");
    impossible("fetch_width=8,icache_line_bytes=16", "fetch_width=8, icache_line_bytes=16");
    impossible("l2_line_bytes=64", "l2_line_bytes=64, line_bytes=128");
    impossible("icache_line_bytes=256", "line_bytes=128, icache_line_bytes=256");
    impossible("groups_wait=1,fold_prefix=1", "groups_wait=1, fold_prefix=1");
    impossible("groups_wait=1,decode_latency=0", "groups_wait=1, decode_latency=0");
    impossible("bank_echo=1,collect_read=1", "bank_echo=1, collect_read=1");
}

/* A sweep over warps need not change groups. */
TEST(workgroup_slots_may_be_idle)
{
    struct sam_gputime_config config;
    sam_gputime_config_init(&config);
    succeeds(sam_gputime_config_set, &config, "warps=2,groups=8");
    succeeds(sam_gputime_config_check, &config);
    const struct sam_gputime_launch launch = {.workgroups = 3, .warps = 2, .lanes = 8};
    succeeds(sam_gputime_check, &config, &launch);
}

static void refuse_launch(struct sam_gputime_launch launch, const char *text, const char *message)
{
    struct sam_gputime_config config;
    struct sam_error error;
    sam_gputime_config_init(&config);
    succeeds(sam_gputime_config_set, &config, text);
    must_refuse(sam_gputime_check(&config, &launch, &error), &error, message);
}

TEST(a_launch_must_fit)
{
    const struct sam_gputime_launch fits = {.workgroups = 1, .warps = 8, .lanes = 32};
    struct sam_gputime_launch l;
    refuse_launch(fits, "threads=8", "a warp of 32 lanes fits no SM: threads=8");
    refuse_launch(fits, "warps=4,groups=4", "a workgroup of 8 warps fits no SM: warps=4");
    l = fits;
    l.sgprs = 513;
    refuse_launch(l, "", "a workgroup with 4104 scalar registers fits no SM: sgprs=4096");
    l = fits;
    l.vgprs = 1024;
    refuse_launch(l, "", "a workgroup with 8192 vector registers fits no SM: vgprs=4096");
    l = fits;
    l.lds_bytes = 200000;
    refuse_launch(l, "", "200000 bytes of local memory fits no SM: lds_bytes=131072");
    l = fits;
    l.workgroups = 0;
    refuse_launch(l, "", "expected at least one of each");
}
