/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of gputime.h and gputime_report.h. */

#include "test.h"

#include "samite/gputime.h"
#include "samite/gputime_report.h"

TEST(configurations)
{
    struct sam_gputime_config config, before;
    uint32_t value;
    sam_gputime_config_init(&config);
    before = config;
    refuses(sam_gputime_config_set, NULL, "sms=1");
    refuses(sam_gputime_config_set, &config, NULL);
    refuses(sam_gputime_config_set, &config, "nothing=1");
    refuses(sam_gputime_config_parse, NULL, "");
    refuses(sam_gputime_config_parse, &config, NULL);
    refuses(sam_gputime_config_read, NULL, "sms=1");
    refuses(sam_gputime_config_read, &config, NULL);
    refuses(sam_gputime_config_check, NULL);
    assert_memory_equal(&config, &before, sizeof config);
    assert_false(sam_gputime_config_get(&config, "nothing", &value));
}

TEST(names)
{
    size_t parameters = 0, presets = 0;
    while (sam_gputime_parameter(parameters))
        assert_non_null(sam_gputime_parameter(parameters++)->meaning);
    while (sam_gputime_preset(presets))
        assert_non_null(sam_gputime_preset_meaning(presets++));
    assert_true(parameters > 0 && presets > 0);
    for (unsigned i = 0; i < SAM_GPUTIME_REASONS; i++)
        assert_true(sam_gputime_reason_name(i) && sam_gputime_reason_meaning(i));
    for (unsigned i = 0; i < SAM_GPUTIME_UNITS; i++)
        assert_non_null(sam_gputime_unit_name(i));
    assert_non_null(sam_gputime_limit_name(0));
}

TEST(reports)
{
    struct sam_gputime_result result = {0};
    const struct sam_gputime_report_options sized = {.size = 3};
    char *text;
    struct sam_gputime_config config;
    struct sam_energy energy;
    sam_gputime_config_init(&config);
    sam_gputime_energy(&config, &result, &energy);
    assert_true(sam_energy_of(&energy, NULL) == 0);
    refuses(sam_gputime_report, NULL, SAM_GPUTIME_TEXT, NULL, &text);
    refuses(sam_gputime_report, &result, SAM_GPUTIME_TEXT, NULL, NULL);
    refuses(sam_gputime_report, &result, (enum sam_gputime_format)2, NULL, &text);
    refuses(sam_gputime_report, &result, SAM_GPUTIME_TEXT, &sized, &text);
    sam_gputime_result_free(&result);
    sam_gputime_result_free(NULL);
}
