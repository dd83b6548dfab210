/* SPDX-License-Identifier: Apache-2.0 */
/* For calls that must succeed for a test to make sense. Include cmocka.h first. */
#ifndef TEST_MUST_H
#define TEST_MUST_H

#include "samite/status.h"

/* Fail the test with the text of the error. */
static inline void must(enum sam_status status, const struct sam_error *error)
{
    if (status != SAM_OK)
        fail_msg("%s", error->text);
}

#endif
