/* SPDX-License-Identifier: Apache-2.0 */
/* Products, loads and stores split into micro-operations. */

#include "test.h"
#include "works.h"

TEST(blocks_of_a_half_product)
{
    struct sam_mxu_config c = config_of(512, "");
    struct sam_matrix_work w = mma_of(&half, 0, 16, 32, 64);
    assert_int_equal(sam_mxu_mma_count(&c, &w), 32);
    for (unsigned i = 0; i < 32; i++) {
        struct sam_mxu_mma u = sam_mxu_split_mma(&c, &w, i);
        assert_int_equal(u.count, 1);
        assert_int_equal(u.c[0].reg, 0);
        assert_int_equal(u.c[0].block, i);
        assert_int_equal(u.block_1, i / 8);
        assert_int_equal(u.reg_2, 2 + i % 8 / 4);
        assert_int_equal(u.block_2, i % 4);
        assert_int_equal(u.macs, 4 * 4 * 32);
    }
    c = config_of(512, "step_m=1,rows_m_block=4");
    assert_int_equal(sam_mxu_mma_count(&c, &w), 128);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(sam_mxu_split_mma(&c, &w, i).c[0].block == 0, i % 8 == 0);
    assert_int_equal(sam_mxu_split_mma(&c, &w, 32).c[0].block, 8);
}

/* 64-bit accumulators: columns continue in md + 1, and a uop may span both. */
TEST(blocks_of_a_pair)
{
    struct sam_mxu_config c = config_of(512, "");
    struct sam_matrix_work w = mma_of(&word, 4, 16, 16, 64);
    assert_int_equal(sam_mxu_split_mma(&c, &w, 1).c[0].block, 1);
    assert_int_equal(sam_mxu_split_mma(&c, &w, 2).c[0].reg, 5);
    assert_int_equal(sam_mxu_split_mma(&c, &w, 2).c[0].block, 0);
    assert_int_equal(sam_mxu_split_mma(&c, &w, 4).c[0].block, 2);
    c = config_of(128, "mpara=1,npara=4"); /* two columns per register */
    w = mma_of(&real, 4, 4, 4, 16);
    struct sam_mxu_mma u = sam_mxu_split_mma(&c, &w, 1);
    assert_int_equal(u.count, 2);
    assert_int_equal(u.c[0].reg, 4);
    assert_int_equal(u.c[1].reg, 5);
    assert_int_equal(u.c[0].block, 1);
    assert_int_equal(u.c[1].block, 1);
}

TEST(every_factorisation)
{
    static const struct {
        const struct sam_m_type *type;
        unsigned uops[3], ops[3]; /* MLEN 128, 256, 512 */
    } rows[] = {{&single, {4, 8, 16}, {32, 128, 512}},
                {&half, {8, 16, 32}, {64, 256, 1024}},
                {&byte, {4, 8, 16}, {128, 512, 2048}},
                {&word, {4, 8, 16}, {64, 256, 1024}},
                {&nibble, {4, 8, 16}, {256, 1024, 4096}}};
    for (unsigned at = 0; at < 3; at++) {
        const unsigned mlen = 128u << at, r = mlen / 32;
        for (unsigned mpara = 1; mpara <= r; mpara *= 2) {
            FREED char *text = formatted("mpara=%u,npara=%u", mpara, r / mpara);
            struct sam_mxu_config c = config_of(mlen, text);
            for (size_t i = 0; i < SAM_COUNT(rows); i++) {
                const unsigned n = rows[i].type == &half ? 2 * r : r;
                struct sam_matrix_work w = mma_of(rows[i].type, 0, r, n, mlen / 8);
                unsigned count = sam_mxu_mma_count(&c, &w), macs = 0;
                assert_int_equal(count, rows[i].uops[at]);
                for (unsigned u = 0; u < count; u++)
                    macs += sam_mxu_split_mma(&c, &w, u).macs;
                assert_int_equal(2 * macs / count, rows[i].ops[at]);
            }
        }
    }
}

struct piece {
    unsigned row, k, size;
    uint64_t address;
    unsigned length;
};

static void expect_pieces(unsigned mlen, uint64_t base, uint64_t stride, unsigned m, unsigned k,
                          const struct piece *pieces, unsigned count)
{
    struct sam_matrix_work w = {.kind = SAM_M_KIND_STORE,
                                .registers = 1,
                                .m = m,
                                .bytes = k,
                                .base = base,
                                .stride = stride};
    static struct sam_mxu_move moves[SAM_MXU_MAX_MOVES];
    assert_int_equal(sam_mxu_split_moves(&w, mlen / 32, mlen / 8, moves), count);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(moves[i].row, pieces[i].row);
        assert_int_equal(moves[i].k, pieces[i].k);
        assert_int_equal(moves[i].size, pieces[i].size);
        assert_int_equal(moves[i].address, pieces[i].address);
        assert_int_equal(moves[i].length, pieces[i].length);
    }
    /* a load clears the tail of each row and every other row, too, with one uop each */
    w.kind = SAM_M_KIND_LOAD;
    const unsigned zeroed = (k < mlen / 8 ? m : 0) + mlen / 32 - m;
    assert_int_equal(sam_mxu_split_moves(&w, mlen / 32, mlen / 8, moves), count + zeroed);
}

TEST(pieces_of_loads)
{
    const struct piece a[] = {{0, 0, 48, 0x1010, 2},
                              {0, 48, 16, 0x1040, 0},
                              {1, 0, 48, 0x1090, 2},
                              {1, 48, 16, 0x10c0, 0}};
    expect_pieces(512, 0x1010, 0x80, 2, 64, a, 4);
    const struct piece b[] = {
        {0, 0, 8, 0x1030, 0}, {0, 8, 16, 0x1040, 0}, {1, 0, 24, 0x1060, 1}, {2, 0, 24, 0x1090, 1}};
    expect_pieces(256, 0x1038, 0x30, 3, 24, b, 4);
}
