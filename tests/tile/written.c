/* SPDX-License-Identifier: Apache-2.0 */
/* Tracking of written bytes: random ranges against a flag for each byte. */
#include "tile/core/written.h"

#include "tile/tile_test.h"

enum { SIZE = 8192 };

/* A random range, as long as a tile or short, often with ends at or next to word boundaries. */
static void random_stretch(uint64_t *seed, uint64_t *first, uint64_t *count)
{
    *first = test_below(seed, SIZE);
    *count = test_below(seed, test_below(seed, 3) ? 100 : SIZE) + 1;
    if (test_below(seed, 2)) {
        *first = *first / 64 * 64;
        *count = (*count + 63) / 64 * 64;
    }
    if (*count > SIZE - *first)
        *count = SIZE - *first;
}

TEST(test_stretches)
{
    uint64_t seed = test_seed(), first, count;
    size_t whole = 0;
    for (int round = 0; round < 200; round++) {
        struct sam_tile_written w = {0};
        bool bytes[SIZE] = {false};
        assert_true(sam_tile_written_grow(&w, SIZE));
        for (int step = 0; step < 400; step++) {
            random_stretch(&seed, &first, &count);
            uint64_t kind = test_below(&seed, 8);
            if (kind < 3) {
                sam_tile_written_set(&w, first, count);
                memset(&bytes[first], true, count);
            } else if (kind == 3) {
                sam_tile_written_clear(&w, first, count);
                memset(&bytes[first], false, count);
            } else {
                bool all = !memchr(&bytes[first], 0, count);
                assert_int_equal(sam_tile_written_all(&w, first, count), all);
                if (sam_tile_written_known(&w, first, count))
                    assert_true(all);
                whole += all;
            }
        }
        sam_tile_written_close(&w);
    }
    assert_true(whole > 1000); /* both answers came */
}

/* A tile written row by row, or whole, is recognised without its bit map. */
TEST(test_known)
{
    struct sam_tile_written w = {0};
    assert_true(sam_tile_written_grow(&w, SIZE));
    for (uint64_t row = 0; row < 4; row++)
        sam_tile_written_set(&w, row * 1024, 1024);
    assert_true(sam_tile_written_known(&w, 0, 4096));
    assert_false(sam_tile_written_known(&w, 0, 4097));
    sam_tile_written_clear(&w, 2048, 32);
    assert_true(sam_tile_written_known(&w, 0, 2048));
    assert_false(sam_tile_written_known(&w, 0, 4096));
    assert_false(sam_tile_written_all(&w, 0, 4096));
    assert_true(sam_tile_written_all(&w, 2080, 2016));
    assert_true(sam_tile_written_known(&w, 2080, 2016)); /* after the query */
    sam_tile_written_close(&w);
}
