/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of logdiff.h. */

#include "test.h"

#include "samite/logdiff.h"

TEST(logs)
{
    struct sam_logdiff diff;
    refuses(sam_log_compare, NULL, 1, "a", "", 0, "b", &diff);
    refuses(sam_log_compare, "", 0, "a", NULL, 1, "b", &diff);
    refuses(sam_log_compare, "", 0, NULL, "", 0, "b", &diff);
    refuses(sam_log_compare, "", 0, "a", "", 0, NULL, &diff);
    refuses(sam_log_compare, "", 0, "a", "", 0, "b", NULL);
    assert_int_equal(sam_log_compare(NULL, 0, "a", NULL, 0, "b", &diff, NULL), SAM_ERR_INPUT);
    assert_null(sam_log_ignored_name(SAM_LOG_IGNORED_KINDS));
    assert_null(sam_log_ignored_name((enum sam_log_ignored) - 1));
}
