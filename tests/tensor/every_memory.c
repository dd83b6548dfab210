/* SPDX-License-Identifier: Apache-2.0 */
/* LOAD and STORE, exhaustively on a small space: D0, width, mask, immediate, strides; every
 * address around the ends of memory; and the order of checks. */

#include "test.h"

#include "every.h"

enum { BASE = 0x1000, SIZE = 0x403 };

static void open_mapped(unsigned xlen)
{
    open_pair(xlen, 1);
    pair_map(&pair, BASE, SIZE, test_random(&random_state));
    fill_tls(4);
}

static void set_both(unsigned load_csr, unsigned store_csr, uint32_t value)
{
    pair_set_csr(&pair, load_csr, value);
    pair_set_csr(&pair, store_csr, value);
}

/* A store and a load with the same operands, masked or not. */
static void both(unsigned rs, int imm, bool masked)
{
    pair_agree(&pair, word_store(masked, 1, rs, imm));
    pair_agree(&pair, word_load(masked, 2, rs, imm));
}

/* `turn` selects strides that overlap slices, swap them or leave gaps. */
static void set_strides(unsigned turn)
{
    static const int32_t strides[5][4] = {
        {0, 1, 2, 3}, {3, 2, 1, 0}, {1, 1, 1, 1}, {-2, 5, 0, -1}, {0, 2, 4, 6}};
    for (unsigned i = 0; i < 4; i++)
        set_both(TREF_LOAD_STRIDE + i, TREF_STORE_STRIDE + i, (uint32_t)strides[turn][i]);
}

TEST(a_small_space)
{
    static const uint32_t ttypes[] = {1, 2, 4, 8};
    open_mapped(32);
    pair_set_x(&pair, 11, BASE + 0x100);
    for (unsigned turn = 0; turn < 6; turn++) { /* the first with strides never written */
        if (turn > 0)
            set_strides(turn - 1);
        for (unsigned type = 0; type < SAM_COUNT(ttypes); type++) {
            pair_set_csr(&pair, TREF_TTYPE, ttypes[type]);
            for (unsigned d0 = 1; d0 <= 4; d0++)
                for (unsigned width = 0; width <= 4; width++)
                    for (uint32_t mask = 0; mask < 1u << d0; mask++) {
                        pair_set_csr(&pair, TREF_TSHAPE, d0 << 16 | 3 << 8 | 2);
                        set_both(TREF_LOAD_WIDTH, TREF_STORE_WIDTH, width);
                        set_both(TREF_LOAD_MASK, TREF_STORE_MASK,
                                 mask | (uint32_t)test_random(&random_state) << d0);
                        for (int imm = -2; imm <= 2; imm++)
                            both(11, imm, true);
                        both(11, (int)(mask % 3), false);
                        fill_tls(4);
                    }
        }
    }
    printf("# %u loads and stores, %u traps\n", (unsigned)pair.steps, (unsigned)pair.traps);
    /* For 4-bit elements, an odd width. */
    assert_true(pair.traps > 0 && pair.traps < pair.steps / 4);
    pair_free(&pair);
}

/* Bases from below the first byte to past the last, of a block that does not fit at the end,
 * with rising and falling rows. */
TEST(every_address_at_the_ends)
{
    for (unsigned xlen = 32; xlen <= 64; xlen += 32)
        for (unsigned down = 0; down < 2; down++) {
            open_mapped(xlen);
            set_both(TREF_LOAD_MASK, TREF_STORE_MASK, 0xd);
            if (down)
                set_strides(1);
            for (uint32_t ttype = 1; ttype <= 8; ttype *= 2) {
                pair_set_csr(&pair, TREF_TTYPE, ttype);
                pair_set_csr(&pair, TREF_TSHAPE, 4 << 16 | 2 << 8 | 4);
                for (unsigned i = 0; i < 0x180; i++) {
                    pair_set_x(&pair, 11, i < 0xc0 ? BASE - 0x80 + i : BASE + SIZE - 0x140 + i);
                    both(11, 0, false);
                    both(11, -1, true);
                }
            }
            assert_true(pair.traps > 0 && pair.traps < pair.steps);
            pair_free(&pair);
        }
}

/* Memory on both sides of address 0; products far beyond it. */
TEST(addresses_wrap)
{
    static const int32_t strides[] = {0, 1, -1, 8, INT32_MAX, INT32_MIN, INT32_MIN + 1, 0x01000000};
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        uint64_t top = xlen == 32 ? UINT32_MAX : UINT64_MAX;
        pair_open(&pair, &(struct pair_options){.xlen = xlen});
        pair_map(&pair, 0, 0x1000, test_random(&random_state));
        pair_map(&pair, top - 0xfff, 0x1000, test_random(&random_state));
        fill_tls(4);
        pair_set_csr(&pair, TREF_TTYPE, 4);
        pair_set_csr(&pair, TREF_TSHAPE, 3 << 16 | 10 << 8 | 16);
        for (unsigned first = 0; first < SAM_COUNT(strides); first++)
            for (unsigned second = 0; second < SAM_COUNT(strides); second++)
                for (unsigned i = 0; i < 12; i++) {
                    /* Slice 0 begins here, for any stride. */
                    uint64_t target = 2 * test_below(&random_state, 0x300) - 0x300;
                    int imm = (int)test_below(&random_state, 256) - 128;
                    int64_t offset = ((int64_t)strides[first] + imm) * 320;
                    set_both(TREF_LOAD_STRIDE, TREF_STORE_STRIDE, (uint32_t)strides[first]);
                    set_both(TREF_LOAD_STRIDE + 1, TREF_STORE_STRIDE + 1,
                             (uint32_t)strides[second]);
                    set_both(TREF_LOAD_STRIDE + 2, TREF_STORE_STRIDE + 2,
                             (uint32_t)strides[first] + 1);
                    pair_set_x(&pair, 11, target - (uint64_t)offset);
                    both(11, imm, false);
                    fill_tls(4);
                }
        printf("# RV%u: %u loads and stores, %u traps\n", xlen, (unsigned)pair.steps,
               (unsigned)pair.traps);
        assert_true(pair.traps > 0 && pair.traps < pair.steps);
        pair_free(&pair);
    }
}

/* D0 and widths around the limits of masks, strides and a TLReg. */
TEST(limits)
{
    for (unsigned written = 0; written < 8; written++) {
        open_mapped(64);
        pair_set_x(&pair, 11, BASE);
        if (written & 1)
            set_both(TREF_LOAD_MASK, TREF_STORE_MASK, 0x80000001);
        if (written & 2)
            pair_set_csr(&pair, TREF_LOAD_STRIDE + 31, 31);
        if (written & 4)
            pair_set_csr(&pair, TREF_STORE_STRIDE, 0);
        for (unsigned d0 = 1; d0 < 256; d0 = d0 == 34 ? 254 : d0 + 1)
            for (int more = -1; more <= 1; more++) {
                uint32_t width = (uint32_t)((int)(1024 / d0) + more);
                pair_set_csr(&pair, TREF_TSHAPE, d0 << 16 | 1 << 8 | 4);
                set_both(TREF_LOAD_WIDTH, TREF_STORE_WIDTH, width);
                both(11, 0, false);
                both(11, 0, true);
            }
        unsigned legal = (unsigned)(pair.steps - pair.traps);
        printf("# %u legal\n", legal);
        assert_true(legal > 100);
        pair_free(&pair);
    }
    /* Widths that exceed a TLReg unless the product wraps. */
    static const uint32_t wide[] = {0x80000000, 0x40000000, 0x20000001, 0xffffffff, 0x10000000};
    open_mapped(32);
    pair_set_x(&pair, 11, BASE);
    for (uint32_t ttype = 1; ttype <= 8; ttype *= 2)
        for (unsigned i = 0; i < SAM_COUNT(wide); i++) {
            pair_set_csr(&pair, TREF_TTYPE, ttype);
            pair_set_csr(&pair, TREF_TSHAPE, 8 << 16 | 1 << 8 | 4);
            set_both(TREF_LOAD_WIDTH, TREF_STORE_WIDTH, wide[i]);
            both(11, 0, false);
        }
    assert_int_equal(pair.traps, pair.steps);
    pair_free(&pair);
}

/* Every shape with about as many elements as a TLReg holds; of width 0, so that no other check
 * fails. */
TEST(shapes_up_to_a_tlreg)
{
    open_mapped(32);
    pair_set_x(&pair, 11, BASE);
    pair_set_csr(&pair, TREF_LOAD_WIDTH, 0);
    for (uint32_t ttype = 1; ttype <= 8; ttype *= 2) {
        uint32_t room = 2048 / ttype;
        pair_set_csr(&pair, TREF_TTYPE, ttype);
        for (uint32_t elements = room - 8; elements <= room + 8; elements++)
            for (uint32_t d0 = 1; d0 < 256; d0++)
                for (uint32_t d1 = 1; d1 < 256 && elements % d0 == 0; d1++) {
                    uint32_t d2 = elements / d0 / d1;
                    if (d0 * d1 * d2 != elements || d2 > 255)
                        continue;
                    pair_set_csr(&pair, TREF_TSHAPE, d0 << 16 | d1 << 8 | d2);
                    pair_agree(&pair, word_load(0, 1, 11, 0));
                    assert_true(pair.trapped == (elements > room));
                }
    }
    printf("# %u shapes, %u too large\n", (unsigned)pair.steps, (unsigned)pair.traps);
    assert_true(pair.steps > 500);
    pair_free(&pair);
}

/* tl0 is checked like any other register, and stores zeros. */
TEST(tl0)
{
    open_mapped(32);
    pair_set_csr(&pair, TREF_TSHAPE, 4 << 16 | 4 << 8 | 4);
    for (unsigned i = 0; i < 80; i++) {
        pair_set_x(&pair, 11, BASE + SIZE - 0x80 + i);
        pair_agree(&pair, word_load(0, 0, 11, 0));
        pair_agree(&pair, word_store(0, 0, 11, 0));
    }
    assert_true(pair.traps > 0 && pair.traps < pair.steps);
    pair_free(&pair);
}

/* Illegal before misaligned before out of bounds; an empty mask accesses no memory. */
TEST(checks_have_an_order)
{
    open_mapped(32);
    pair_set_x(&pair, 11, 0x777); /* misaligned, not mapped */
    pair_set_csr(&pair, TREF_TTYPE, 4);
    pair_agree(&pair, word_load(0, 1, 11, 0));
    assert_int_equal(pair.trap.cause, 2); /* no tshape */
    pair_set_csr(&pair, TREF_TSHAPE, 4 << 16 | 4 << 8 | 4);
    pair_agree(&pair, word_load(0, 1, 11, 1));
    assert_true(pair.trap.cause == 4 && pair.trap.tval == 0x777 + 32);
    pair_agree(&pair, word_store(0, 1, 11, 1));
    assert_true(pair.trap.cause == 6 && pair.trap.tval == 0x777 + 32);
    pair_set_x(&pair, 11, 0x778);
    pair_agree(&pair, word_load(0, 1, 11, 1));
    assert_true(pair.trap.cause == 5 && pair.trap.tval == 0x778 + 32);
    pair_agree(&pair, word_store(0, 1, 11, 1));
    assert_true(pair.trap.cause == 7 && pair.trap.tval == 0x778 + 32);
    pair_set_x(&pair, 11, 0x777);
    pair_agree(&pair, word_load(1, 1, 11, 1));
    assert_int_equal(pair.trap.cause, 2); /* no mask */
    set_both(TREF_LOAD_MASK, TREF_STORE_MASK, 0xffffff00);
    pair_agree(&pair, word_load(1, 1, 11, 1));
    assert_false(pair.trapped);
    pair_agree(&pair, word_store(1, 1, 11, 1));
    assert_false(pair.trapped);
    set_both(TREF_LOAD_MASK, TREF_STORE_MASK, 4);
    pair_agree(&pair, word_load(1, 1, 11, 1));
    assert_true(pair.trap.cause == 4 && pair.trap.tval == 0x777 + 3 * 32);
    pair_free(&pair);
}

/* A store of the unit over an instruction that has run before. */
TEST(stores_to_code_are_seen)
{
    const uint32_t code[] = {word_store(0, 1, 11, 8), 0x0000100f /* fence.i */,
                             word_addi_x(10, 0, 1)};
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        struct sam_hart_result result;
        uint8_t bytes[1024] = {0};
        open_mapped(xlen);
        sam_put_le32(bytes, word_addi_x(10, 0, 2));
        pair_set_tl(&pair, 1, bytes);
        pair_set_csr(&pair, TREF_TSHAPE, 1 << 16 | 1 << 8 | 1);
        pair_set_csr(&pair, TREF_TTYPE, 8);
        pair_set_x(&pair, 11, PAIR_CODE - 8 * 4 + 8);
        succeeds(sam_hart_write, pair.hart, PAIR_CODE, code, sizeof code);
        sam_hart_set_until(pair.hart, PAIR_CODE + 12);
        for (uint64_t turn = 0; turn < 2; turn++) { /* the second begins at the store */
            sam_hart_set_pc(pair.hart, PAIR_CODE + (turn ? 0 : 8));
            succeeds(sam_hart_run, pair.hart, &result);
            assert_int_equal(sam_hart_x(pair.hart, 10), turn + 1);
        }
        pair_free(&pair);
    }
}

TEST_GROUP(setup, NULL)
