/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of two profiles, compared field by field. */
#ifndef TEST_PROFILE_ROWS_H
#define TEST_PROFILE_ROWS_H

#include "samite/profile.h"

/* The first field that differs, with both values; NULL if none does. */
static inline const char *profile_rows_differ(const struct sam_profile_row *a,
                                              const struct sam_profile_row *b, uint64_t *got,
                                              uint64_t *expected)
{
#define FIELD(name)                                                                                \
    if (a->name != b->name) {                                                                      \
        *got = a->name;                                                                            \
        *expected = b->name;                                                                       \
        return #name;                                                                              \
    }
    FIELD(pc)
    FIELD(word)
    FIELD(prefix)
    FIELD(vector)
    FIELD(count)
    FIELD(lanes)
    FIELD(slots)
    FIELD(diverged)
    FIELD(global_insns)
    FIELD(lds_insns)
    FIELD(accesses)
    FIELD(lines)
    FIELD(conflicts)
#undef FIELD
    return NULL;
}

#endif
