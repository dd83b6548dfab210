/* SPDX-License-Identifier: Apache-2.0 */
/* XPOSE on every legal shape, for every exchange and element width; illegal shapes; and the
 * function codes of CUSTOM-2 that are instructions. */

#include "test.h"

#include "every.h"

static void fill_tl(unsigned number)
{
    pair_fill_tl(&pair, number, &random_state);
}

/* Every exchange on the shape in x10, of elements of `bits`. */
static unsigned exchanges(const struct tref_type *type, unsigned funct7, unsigned turn)
{
    unsigned count = type ? 16 : 6;
    for (unsigned i = 0; i < count; i++) {
        if (type) /* on any engine */
            pair_agree(&pair, word_xpose(i, 1, 2, 10) ^ (turn + i) % 4 << 30);
        else
            pair_agree(&pair, word_xpose_width(funct7, i, 1, 2, 10));
        assert_false(pair.trapped);
    }
    return count;
}

/* Sizes are 1..255 and their product a power of two: each is one of 1, 2, ... 128. */
static unsigned shapes(const struct tref_type *type, unsigned funct7, unsigned bits)
{
    unsigned count = 0, elements = 2048 * 8 / bits;
    for (unsigned d0 = 2; d0 <= 128; d0 *= 2)
        for (unsigned d1 = 1; d1 <= 128; d1 *= 2)
            for (unsigned d2 = 1; d2 <= 128; d2 *= 2) {
                unsigned d3 = elements / (d0 * d1 * d2);
                if (d3 == 0 || d3 > 255 || d0 * d1 * d2 * d3 != elements)
                    continue;
                fill_tl(1);
                fill_tl(2);
                pair_set_x(&pair, 10,
                           test_random(&random_state) << 32 | d3 << 24 | d2 << 16 | d1 << 8 | d0);
                count += exchanges(type, funct7, d1 + d2);
            }
    return count;
}

TEST(every_shape_by_ttype)
{
    open_pair(64, 1);
    unsigned count = 0;
    for (size_t i = 0; i < tref_type_count; i++) {
        bool first_of_width = i < 4; /* types of equal width behave alike: some shapes suffice */
        pair_set_csr(&pair, TREF_TTYPE, tref_types[i].ttype);
        if (first_of_width) {
            count += shapes(&tref_types[i], 0, tref_types[i].bits);
        } else {
            pair_set_x(&pair, 10, 2 | 16 << 8 | 8 << 16 | (64 / tref_types[i].bits) << 24);
            fill_tl(1);
            fill_tl(2);
            count += exchanges(&tref_types[i], 0, 0);
        }
    }
    printf("# %u transpositions\n", count);
    assert_true(count > 12000);
    pair_free(&pair);
}

TEST(every_shape_by_width)
{
    static const unsigned variants[4][2] = {{0x31, 8}, {0x33, 16}, {0x32, 32}, {0x34, 64}};
    unsigned count = 0;
    open_pair(32, 1);
    pair_set_csr(&pair, TREF_TTYPE, 0xffffffff); /* these ignore it */
    for (unsigned i = 0; i < 4; i++)
        count += shapes(NULL, variants[i][0], variants[i][1]);
    printf("# %u transpositions\n", count);
    assert_true(count > 3000);
    pair_free(&pair);
}

/* tl0 and shared registers, in each operand. */
TEST(operands_may_be_tl0)
{
    open_pair(32, 1);
    pair_set_x(&pair, 10, 0x02081008);
    for (unsigned a = 0; a < 3; a++)
        for (unsigned b = 0; b < 3; b++)
            for (unsigned code = 0; code < 16; code++) {
                fill_tl(1);
                fill_tl(2);
                pair_agree(&pair, word_xpose(code, a, b, 10));
                assert_true(pair.trapped == (a == b));
            }
    pair_free(&pair);
}

/* Around each legal shape, one or two sizes changed. */
TEST(other_shapes_are_illegal)
{
    static const unsigned bits[] = {1, 2, 4, 8}; /* ttype's integers */
    open_pair(64, 1);
    for (unsigned i = 0; i < 20000; i++) {
        unsigned dim[4] = {8, 16, 8, 2};
        for (unsigned n = 1 + i % 3; n > 0; n--)
            dim[test_below(&random_state, 4)] =
                (unsigned)(i % 2 ? 1u << test_below(&random_state, 8)
                                 : test_below(&random_state, 256));
        if (i % 16 == 0)
            pair_set_csr(&pair, TREF_TTYPE, bits[i / 16 % 4]);
        pair_set_x(&pair, 10, dim[3] << 24 | dim[2] << 16 | dim[1] << 8 | dim[0]);
        pair_agree(&pair, i % 5 == 0 ? word_xpose_width(0x31, i % 6, 1, 2, 10)
                                     : word_xpose(i % 16, 1, 2, 10));
    }
    printf("# %u of %u trapped\n", (unsigned)pair.traps, (unsigned)pair.steps);
    assert_true(pair.traps > pair.steps / 2 && pair.traps < pair.steps);
    pair_free(&pair);
}

/* All of EngineID, funct5 and funct3, in a state in which every instruction is legal. */
TEST(every_function_code)
{
    unsigned legal = 0;
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        open_pair(xlen, 1);
        pair_map(&pair, 0, 0x10000, test_random(&random_state));
        pair_set_csr(&pair, TREF_TSHAPE, 8 << 16 | 4 << 8 | 4);
        pair_set_csr(&pair, TREF_LOAD_MASK, 0xa5);
        pair_set_csr(&pair, TREF_STORE_MASK, 0x5a);
        pair_set_csr(&pair, TREF_CONCAT_1, 0x5);
        pair_set_csr(&pair, TREF_CONCAT_2, 0x9);
        for (unsigned i = 1; i < 32; i++)
            fill_tl(i);
        for (unsigned funct7 = 0; funct7 < 128; funct7++)
            for (unsigned funct3 = 0; funct3 < 8; funct3++) {
                uint32_t word = word_move(funct7, funct3, 11, 3, 4);
                /* dim_gpr and an address in one register, for elements of 8, 16, 32 and 64 bits. */
                static const uint32_t x11[4] = {0x02081008, 0x02080808, 0x02080408, 0x02040408};
                for (unsigned i = 0; i < 4; i++) {
                    bool memory = tref_decode(word).op == TREF_MEMORY;
                    pair_set_x(&pair, 11, memory ? 0x8000 : x11[i]);
                    pair_agree(&pair, word);
                    legal += !pair.trapped;
                    if (memory)
                        break;
                }
            }
        pair_free(&pair);
    }
    printf("# %u codes ran\n", legal);
    assert_true(legal > 200);
}

TEST_GROUP(setup, NULL)
