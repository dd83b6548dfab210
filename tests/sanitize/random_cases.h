/* SPDX-License-Identifier: Apache-2.0 */
/* A check on random programs. SAMITE_SEED=N runs from seed N; SAMITE_CASES=N sets the number of
 * programs. Include test.h first. */
#ifndef RANDOM_CASES_H
#define RANDOM_CASES_H

#include <stdlib.h>

#include "random.h"
#include "simt/random_case.h"

/* Fails unless `agrees` accepts each program. It adds the number of findings to *found, which
 * must be positive over all programs. */
static inline uint64_t random_cases_agree(bool (*agrees)(struct random_case *c, uint64_t seed,
                                                         uint64_t *found))
{
    struct random_case *c = calloc(1, sizeof *c);
    const uint64_t first = test_number("SAMITE_SEED", 1), cases = test_number("SAMITE_CASES", 40);
    uint64_t found = 0;
    unsigned failures = 0;
    assert_non_null(c);
    for (uint64_t seed = first; seed < first + cases && failures < 3; seed++) {
        random_case_make(c, seed, GEN_NO_TRAP);
        if (!agrees(c, seed, &found)) {
            fprintf(stderr, "# SAMITE_SEED=%" PRIu64 "\n", seed);
            failures++;
        }
    }
    free(c);
    assert_int_equal(failures, 0);
    assert_true(found > 0);
    return found;
}

#endif
