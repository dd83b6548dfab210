/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of logdiff.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "refuses.h"
#include "samite/logdiff.h"

static void logs(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(logs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
