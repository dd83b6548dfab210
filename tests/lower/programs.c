/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of kernels/tile/ against the executor, and on the plain machines. */
#include "lower/plain.h"
#include "lower/tile_programs.h"

TEST(test_programs)
{
    const uint64_t seed = test_seed();
    const char *only = getenv("SAMITE_PROGRAM");
    for (int nan = SAM_TILE_NAN_NUMBER; nan <= SAM_TILE_NAN_FIRST; nan++) {
        struct lowered x;
        for (size_t i = 0; tile_program_open(i, seed + i, &x); i++) {
            /* block: without NaN, which its softmax excludes; and large */
            const bool wanted = !only || strcmp(only, x.name) == 0;
            x.options.nan = (enum sam_tile_nan)nan;
            if (wanted && (nan == SAM_TILE_NAN_NUMBER || strcmp(x.name, "block") != 0))
                plain_run(&x);
            if (x.status != SAM_OK)
                fail_msg("%s: %s", x.name, x.error.text);
            tile_program_close(&x);
        }
    }
}
