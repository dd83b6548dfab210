/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that the library must reject. Part of test.h. */
#ifndef TEST_REFUSES_H
#define TEST_REFUSES_H

#include "samite/status.h"

static __attribute__((unused)) struct sam_error refusal;

/* function(..., error) returns SAM_ERR_USAGE with a message, and also works with error NULL. */
#define refuses(function, ...)                                                                     \
    do {                                                                                           \
        refusal.text[0] = '\0';                                                                    \
        if ((function)(__VA_ARGS__, &refusal) != SAM_ERR_USAGE)                                    \
            fail_msg("%s(%s) is not refused", #function, #__VA_ARGS__);                            \
        if (!refusal.text[0] || refusal.status != SAM_ERR_USAGE)                                   \
            fail_msg("%s(%s): no message", #function, #__VA_ARGS__);                               \
        assert_int_equal((function)(__VA_ARGS__, NULL), SAM_ERR_USAGE);                            \
    } while (0)

/* The same, with a message that contains `part`. */
#define refuses_with(part, ...)                                                                    \
    do {                                                                                           \
        refuses(__VA_ARGS__);                                                                      \
        if (!strstr(refusal.text, part))                                                           \
            fail_msg("no '%s' in: %s", part, refusal.text);                                        \
    } while (0)

#endif
