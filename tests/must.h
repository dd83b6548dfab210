/* SPDX-License-Identifier: Apache-2.0 */
/* For calls whose success a test depends on. Part of test.h. */
#ifndef TEST_MUST_H
#define TEST_MUST_H

#include "samite/status.h"

/* Fail the test with the text of the error. */
static inline void must(enum sam_status status, const struct sam_error *error)
{
    if (status != SAM_OK)
        fail_msg("%s", error->text);
}

/* function(..., error) must succeed. */
#define succeeds(function, ...)                                                                    \
    do {                                                                                           \
        struct sam_error must_error_;                                                              \
        must((function)(__VA_ARGS__, &must_error_), &must_error_);                                 \
    } while (0)

/* function(..., error) must fail with this status and a message that contains `part`. */
#define must_fail(expected, part, function, ...)                                                   \
    do {                                                                                           \
        struct sam_error must_error_;                                                              \
        assert_int_equal((function)(__VA_ARGS__, &must_error_), expected);                         \
        if (!strstr(must_error_.text, part))                                                       \
            fail_msg("no '%s' in: %s", part, must_error_.text);                                    \
    } while (0)

/* Fail the test unless the call was rejected, with a message that contains `text`. */
static inline void must_refuse(enum sam_status status, const struct sam_error *error,
                               const char *text)
{
    assert_int_equal(status, SAM_ERR_USAGE);
    if (!strstr(error->text, text))
        fail_msg("no '%s' in: %s", text, error->text);
}

#endif
