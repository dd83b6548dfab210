/* SPDX-License-Identifier: Apache-2.0 */
/* CONCAT and MERGE: every pair of masks along small dimensions, random ones along longer ones,
 * and the required CSRs. */

#include "test.h"

#include "every.h"

static unsigned below(unsigned bound)
{
    return (unsigned)test_below(&random_state, bound);
}

/* A random block of elements of `bits` with `size` along `dim`. */
static void set_shape(unsigned bits, unsigned dim, unsigned size)
{
    unsigned d[3], room = 8192 / bits / size;
    unsigned other = 1 + below(room < 12 ? room : 12), third = room / other;
    d[dim] = size;
    d[(dim + 1) % 3] = other;
    d[(dim + 2) % 3] = 1 + below(third < 12 ? third : 12);
    pair_set_csr(&pair, TREF_TSHAPE, d[0] << 16 | d[1] << 8 | d[2]);
}

/* Source and destination in every combination of equal registers. */
static uint32_t any_move(bool concat, unsigned dim)
{
    unsigned tld = below(5), tls1 = below(5), tls2 = below(5);
    return concat ? word_concat(dim, tld, tls1, tls2) : word_merge(dim, tld, tls1, tls2);
}

static void set_masks(uint32_t first, uint32_t second)
{
    pair_set_csr(&pair, TREF_CONCAT_1, first);
    pair_set_csr(&pair, TREF_CONCAT_2, second);
}

TEST(every_pair_of_small_masks)
{
    static const uint32_t widths[] = {1, 2, 4, 8}; /* ttype's integers: 4, 8, 16, 32 bits */
    open_pair(32, 5);
    for (unsigned w = 0; w < SAM_COUNT(widths); w++)
        for (unsigned dim = 0; dim < 3; dim++)
            for (unsigned size = 1; size <= 5; size++)
                for (uint32_t first = 0; first < 1u << size; first++)
                    for (uint32_t second = 0; second < 1u << size; second++) {
                        /* Mask bits above the dimension are ignored. */
                        uint32_t above = (uint32_t)test_random(&random_state) << size;
                        pair_set_csr(&pair, TREF_TTYPE, widths[w]);
                        set_shape(4u << w, dim, size);
                        set_masks(first | above, second | above);
                        pair_agree(&pair, any_move(true, dim));
                        unsigned sum =
                            (unsigned)(__builtin_popcount(first) + __builtin_popcount(second));
                        assert_true(pair.trapped == (sum > size));
                        pair_agree(&pair, any_move(false, dim));
                        assert_false(pair.trapped);
                        if (first == 0)
                            fill_tls(5);
                    }
    printf("# %u instructions\n", (unsigned)pair.steps);
    pair_free(&pair);
}

/* Masks of up to 32 positions, of which the first that fit are taken. */
TEST(longer_dimensions)
{
    unsigned full = 0;
    open_pair(64, 5);
    for (unsigned i = 0; i < 20000; i++) {
        const struct tref_type *type = &tref_types[below((unsigned)tref_type_count)];
        unsigned dim = below(3), size = 6 + below(29), places = size < 32 ? size : 32;
        unsigned most = places + (below(8) == 0), bits = below(4) ? most : below(most + 1);
        uint32_t masks[2] = {0, 0};
        for (unsigned set = 0; set < bits;) {
            uint32_t *mask = &masks[below(2)], bit = 1u << below(places);
            set += !(*mask & bit);
            *mask |= bit;
        }
        full += bits == size;
        if (places < 32) /* bits above are ignored */
            masks[i % 2] |= (uint32_t)test_random(&random_state) << places;
        pair_set_csr(&pair, TREF_TTYPE, type->ttype);
        set_shape(type->bits, dim, size);
        set_masks(masks[0], masks[1]);
        pair_agree(&pair, any_move(true, dim));
        if (i % 2)
            set_masks((uint32_t)test_random(&random_state), masks[1]);
        pair_agree(&pair, any_move(false, dim));
        assert_true(pair.trapped == (size > 32));
        if (i % 16 == 0)
            fill_tls(5);
    }
    printf("# %u instructions, %u concatenations without a gap\n", (unsigned)pair.steps, full);
    assert_true(full > 5000);
    pair_free(&pair);
}

/* First halves, second halves, and alternating: rare among random masks. */
TEST(full_concatenations)
{
    open_pair(32, 5);
    for (unsigned size = 1; size <= 32; size++)
        for (unsigned cut = 0; cut <= size; cut++)
            for (unsigned dim = 0; dim < 3; dim++) {
                uint32_t inside = size < 32 ? (1u << size) - 1 : UINT32_MAX;
                uint32_t first = cut < 32 ? (1u << cut) - 1 : UINT32_MAX;
                set_shape(8, dim, size);
                set_masks(first, inside & ~first);
                pair_agree(&pair, any_move(true, dim));
                set_masks(inside & ~first, first);
                pair_agree(&pair, any_move(true, dim));
                set_masks(inside & 0x55555555, inside & 0xaaaaaaaa);
                pair_agree(&pair, any_move(true, dim));
                fill_tls(5);
            }
    assert_int_equal(pair.traps, 0);
    pair_free(&pair);
}

/* Each CSR omitted in turn; ttype has a default. */
TEST(csrs_must_be_written)
{
    static const unsigned needed[] = {TREF_TSHAPE, TREF_CONCAT_1, TREF_CONCAT_2};
    static const uint32_t value[] = {4 << 16 | 4 << 8 | 4, 3, 5};
    unsigned legal = 0;
    for (unsigned set = 0; set < 8; set++) {
        open_pair(32, 5);
        for (unsigned i = 0; i < 3; i++)
            if (set >> i & 1)
                pair_set_csr(&pair, needed[i], value[i]);
        for (unsigned dim = 0; dim < 3; dim++) {
            pair_agree(&pair, word_concat(dim, 1, 2, 3));
            pair_agree(&pair, word_merge(dim, 1, 2, 3));
        }
        legal += (unsigned)(pair.steps - pair.traps);
        pair_free(&pair);
    }
    assert_int_equal(legal, 3 + 2 * 3); /* MERGE does not need the second mask */
}

TEST_GROUP(setup, NULL)
