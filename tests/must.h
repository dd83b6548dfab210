/* SPDX-License-Identifier: Apache-2.0 */
/* For calls whose success a test depends on. Include test.h first. */
#ifndef TEST_MUST_H
#define TEST_MUST_H

#include <string.h>

#include "samite/status.h"

/* Fail the test with the text of the error. */
static inline void must(enum sam_status status, const struct sam_error *error)
{
    if (status != SAM_OK)
        fail_msg("%s", error->text);
}

/* Fail the test unless the call was rejected, with a message that contains `text`. */
static inline void must_refuse(enum sam_status status, const struct sam_error *error,
                               const char *text)
{
    assert_int_equal(status, SAM_ERR_USAGE);
    if (!strstr(error->text, text))
        fail_msg("no '%s' in: %s", text, error->text);
}

#endif
