/* SPDX-License-Identifier: Apache-2.0 */
/* The presets agree with their measured models, within bounds. Without SAMITE_KERNELS there is
 * nothing to compare with. */

#include "test.h"

#include "agreement.h"
#include "recorded.h"

static void agree(enum agreement_model model)
{
    const char *folder = recorded_folder();
    double sum = 0;
    unsigned count = 0;
    if (!folder) {
        print_message("# SAMITE_KERNELS is not set: no measured launches\n");
        return;
    }
    for (size_t i = 0; i < agreement_row_count; i++) {
        const struct agreement_row *row = &agreement_rows[i];
        struct sam_error error;
        uint64_t cycles;
        if (!row->measured[model])
            continue;
        if (agreement_cycles(folder, row, model, &cycles, &error) != SAM_OK)
            fail_msg("%s: %s", row->name, error.text);
        const double off = agreement_error(row, model, cycles);
        print_message("# %-26s %-8s %8llu measured, %8llu here, %+.1f %%\n", row->name,
                      agreement_presets[model], (unsigned long long)row->measured[model],
                      (unsigned long long)cycles, off);
        assert_true(fabs(off) <= agreement_worst[model]);
        sum += fabs(off);
        count++;
    }
    print_message("# mean %.1f %%\n", sum / count);
    assert_true(sum / count <= agreement_mean[model]);
}

TEST(agrees_with_the_systemc_simulator)
{
    agree(AGREEMENT_SYSTEMC);
}

TEST(agrees_with_the_verilog_edition)
{
    agree(AGREEMENT_VERILOG);
}
