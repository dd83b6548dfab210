/* SPDX-License-Identifier: Apache-2.0 */
/* TL.CONCAT and TL.MERGE: hand-computed examples, and those of the manual. Every pair of masks, and
 * random ones on all types: every_move.c. */
#include "tensor/unit.h"

static struct program block(const char *type, unsigned d0, unsigned d1, unsigned d2, uint32_t mask1,
                            uint32_t mask2, const char *insn)
{
    char setup[256];
    snprintf(setup, sizeof setup,
             "li t0, %s\ncsrw ttype, t0\nli t0, %u\ncsrw tshape, t0\nli t0, 0x%x\n"
             "csrw tmask_concat_1, t0\nli t0, 0x%x\ncsrw tmask_concat_2, t0\n",
             type, d0 << 16 | d1 << 8 | d2, mask1, mask2);
    return unit_new(mask1 % 2 ? RV32 : RV64, NULL, setup, insn);
}

#define INT8 "2"

/* Blocks of letters, lower case in tl2 and upper case in tl3: concatenations count positions,
 * not elements, and fill each row with zeros; merges take from tl2 where mask 1 is set, and
 * ignore mask 2. */
TEST(rows)
{
    static const struct {
        unsigned d[3];
        uint32_t mask1, mask2;
        const char *insn, *expected;
    } cases[] = {
        {{2, 2, 3}, 0x4, 0x1, "tl.concat.2 tl1, tl2, tl3", "cA\0fD\0iG\0lJ\0"},
        {{2, 3, 2}, 0x4, 0x1, "tl.concat.1 tl1, tl2, tl3", "efAB\0\0klGH\0\0"},
        {{3, 2, 2}, 0x4, 0x1, "tl.concat.0 tl1, tl2, tl3", "ijklABCD\0\0\0\0"},
        {{2, 2, 3}, 0x2, UINT32_MAX, "tl.merge.2 tl1, tl2, tl3", "AbCDeFGhIJkL"},
        {{2, 3, 2}, 0x2, UINT32_MAX, "tl.merge.1 tl1, tl2, tl3", "ABcdEFGHijKL"},
        {{3, 2, 2}, 0x2, UINT32_MAX, "tl.merge.0 tl1, tl2, tl3", "ABCDefghIJKL"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        const unsigned *d = cases[i].d;
        SCOPED(program) p =
            block(INT8, d[0], d[1], d[2], cases[i].mask1, cases[i].mask2, cases[i].insn);
        unit_set(&p, 2, "abcdefghijkl", 12);
        unit_set(&p, 3, "ABCDEFGHIJKL", 12);
        unit_passes(&p);
        unit_expect(&p, 1, 0, cases[i].expected, 12);
        for (unsigned k = 12; k < TL_SIZE; k++)
            UNIT_EXPECT(&p, 1, k, unit_pattern(1, k));
    }
}

/* Rows of four: mask bits at and above the size of the dimension are ignored, also when
 * positions are counted; destination and sources may be one register, and tl0 reads as zero. */
TEST(masks_and_registers)
{
    static const struct {
        uint32_t mask1, mask2;
        const char *insn;
        unsigned result;
        const char *expected;
    } cases[] = {
        {0xfffffff3, 0xffffff0c, "tl.concat.2 tl1, tl2, tl3", 1, "abgh"},
        {0x6, 0x9, "tl.concat.2 tl2, tl2, tl2", 2, "bcad"},
        {0x6, 0, "tl.merge.2 tl3, tl2, tl3", 3, "ebch"},
        {0x6, 0, "tl.merge.2 tl0, tl2, tl3", 0, "\0\0\0\0"}, /* dropped */
        {0x6, 0, "tl.merge.2 tl1, tl0, tl3", 1, "e\0\0h"},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        SCOPED(program) p = block(INT8, 1, 1, 4, cases[i].mask1, cases[i].mask2, cases[i].insn);
        unit_set(&p, 2, "abcd", 4);
        unit_set(&p, 3, "efgh", 4);
        unit_passes(&p);
        unit_expect(&p, cases[i].result, 0, cases[i].expected, 4);
        UNIT_EXPECT(&p, 0, 0, 0, 0, 0, 0, 0, 0);
    }
}

/* An odd number of 4-bit elements: the nibble after the block is unchanged. */
TEST(odd_nibbles)
{
    SCOPED(program) p = block("1", 1, 1, 3, 0x4, 0x1, "tl.concat.2 tl1, tl2, tl3");
    unit_set(&p, 2, (const uint8_t[]){0x21, 0x43}, 2); /* 1 2 3 4 */
    unit_set(&p, 3, (const uint8_t[]){0x65, 0x87}, 2);
    unit_set(&p, 1, (const uint8_t[]){0xff, 0xff}, 2);
    unit_passes(&p);
    UNIT_EXPECT(&p, 1, 0, 0x53, 0xf0); /* 3 5 0, f */
}

/* Masks with too few bits: zeros follow the selected elements, in every row. */
TEST(manual_5_3)
{
    /* example 3: [8,16,4], positions 0..3 of the first, 12..15 of the second */
    SCOPED(program) p = block(INT8, 8, 16, 4, 0xf, 0xf000, "tl.concat.1 tl16, tl17, tl18");
    unit_passes(&p);
    for (unsigned i = 0; i < 8; i++)
        for (unsigned j = 0; j < 16; j++)
            for (unsigned k = 0; k < 4; k++)
                UNIT_EXPECT(&p, 16, (i * 16 + j) * 4 + k,
                            j < 4   ? unit_pattern(17, (i * 16 + j) * 4 + k)
                            : j < 8 ? unit_pattern(18, (i * 16 + j + 8) * 4 + k)
                                    : 0);
}
