/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"

enum sam_status sam_options_take(void *options, size_t size, size_t first, const void *given,
                                 struct sam_error *error)
{
    size_t theirs = 0;
    memset(options, 0, size);
    if (!given)
        return SAM_OK;
    memcpy(&theirs, given, sizeof theirs);
    if (theirs == 0)
        theirs = first;
    if (theirs < first)
        return sam_fail(error, SAM_ERR_USAGE, "options of %zu bytes: expected at least %zu", theirs,
                        first);
    for (size_t at = size; at < theirs; at++)
        if (((const uint8_t *)given)[at])
            return sam_fail(error, SAM_ERR_USAGE,
                            "options of %zu bytes, with byte %zu set: this library knows %zu",
                            theirs, at, size);
    memcpy(options, given, theirs < size ? theirs : size);
    return SAM_OK;
}
