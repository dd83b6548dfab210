/* SPDX-License-Identifier: Apache-2.0 */
/* TL.XPOSE: the manual's examples, and tl0. Every shape and exchange: every_xpose.c. */
#include "tensor/unit.h"

enum { PAIR = 2048 };

/* Manual 3.5: [8,16,8,2] with dims 0 and 1 exchanged; element [1][2][3][1] goes to [2][1][3][1]. */
TEST(manual_3_5)
{
    SCOPED(program) p =
        unit_new(RV64, NULL, "li x10, 0xabcdef0102081008\n", "tl.xpose.01 tl1, tl2, x10");
    unit_passes(&p); /* bits 63:32 of dim_gpr are ignored */
    unsigned from = ((1 * 16 + 2) * 8 + 3) * 2 + 1, to = ((2 * 8 + 1) * 8 + 3) * 2 + 1;
    UNIT_EXPECT(&p, 1, to, unit_pattern(1, from));
    UNIT_EXPECT(&p, 1, 0, unit_pattern(1, 0));
    UNIT_EXPECT(&p, 2, 1023, unit_pattern(2, 1023));
}

/* Manual 5.1 and 5.2: as many rows as there are columns are exchanged; the first 1024 bytes of
 * the result are in the first register. */
TEST(manual_5_2)
{
    SCOPED(program) p = unit_new(RV32, NULL, "li x11, 0x01014020\n", "tl.xpose.01 tl2, tl3, x11");
    unit_passes(&p);
    for (unsigned i = 0; i < PAIR; i++) {
        unsigned row = i % 32, column = i / 32, from = row * 64 + column; /* [64,32] now */
        UNIT_EXPECT(&p, i < 1024 ? 2 : 3, i % 1024, unit_pattern(from < 1024 ? 2 : 3, from % 1024));
    }
}

/* tl0 as either half reads as zero and remains zero. */
TEST(register_zero)
{
    static const char *const insns[] = {"tl.xpose.01 tl0, tl1, x10", "tl.xpose.01 tl1, tl0, x10"};
    for (unsigned first = 0; first < 2; first++) {
        SCOPED(program) p = unit_new(RV32, NULL, "li x10, 0x01014020\n", insns[first]);
        unit_passes(&p);
        for (unsigned i = 0; i < TL_SIZE; i++) {
            unsigned place = first ? i : i + 1024; /* of tl1's bytes in the result */
            unsigned from = place % 32 * 64 + place / 32;
            bool from_tl1 = (from < 1024) == (first == 1);
            UNIT_EXPECT(&p, 0, i, 0);
            UNIT_EXPECT(&p, 1, i, from_tl1 ? unit_pattern(1, from % 1024) : 0);
        }
    }
}
