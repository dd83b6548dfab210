/* SPDX-License-Identifier: Apache-2.0 */
/* Plans move few bytes with few large instructions, on realistic shapes. Each row is also run
 * and compared byte by byte. */

#include "test.h"

#include "operator.h"
#include "operator_rows.h"

static void test_row(void **state)
{
    const struct operator_row *row = *state;
    uint64_t r = 1;
    for (unsigned element = 1; element <= 4; element *= 2) {
        struct test_operator op = operator_row_make(row, element);
        struct sam_plan_figures f;
        char text[256];
        test_operator_check(&op, &r, &f);
        test_operator_text(&op, text, sizeof text);
        double moved =
            (double)(f.bytes_loaded + f.bytes_stored) / (double)(f.bound_loaded + f.bound_stored);
        double loads = (double)f.loads * 1024 / (double)f.bytes_loaded;
        double stores = (double)f.stores * 1024 / (double)f.bytes_stored;
        if (moved > (row->divides & element ? 1.15 : 1.5))
            fail_msg("%s: %.3f of the lower bound", text, moved);
        if ((row->divides & element) && (loads > 4 || stores > 4))
            fail_msg("%s: %.2f LOADs and %.2f STOREs a KiB", text, loads, stores);
        free(op.keep);
    }
}

PROLOGUE
{
    for (const struct operator_row *row = operator_rows; row->name; row++)
        test_add(test_row, row, "%s", row->name);
}
