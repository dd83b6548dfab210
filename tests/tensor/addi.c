/* SPDX-License-Identifier: Apache-2.0 */
/* TL.ADDI on whole registers, and the program's flags. Values: every_addi.c, and by hand
 * reference.c. */
#include "tensor/unit.h"

/* All 1024 bytes for every tshape, in place too; writes to tl0 are dropped. */
TEST(whole_register)
{
    struct program p =
        unit_new(RV32, NULL, "li t0, 0x010101\ncsrw tshape, t0\n", "tl.addi tl7, tl7, 1");
    unit_passes(&p);
    for (unsigned i = 0; i < TL_SIZE; i++)
        UNIT_EXPECT(&p, 7, i, (uint8_t)(unit_pattern(7, i) + (unit_pattern(7, i) != 255)));
    program_free(&p);
    p = unit_new(RV32, NULL, "", "tl.addi tl0, tl7, 1"); /* no shape is needed */
    unit_passes(&p);
    for (unsigned i = 0; i < TL_SIZE; i++)
        UNIT_EXPECT(&p, 0, i, 0);
    program_free(&p);
}

/* It neither sets nor clears the program's flags. */
TEST(leaves_flags)
{
    for (int raised = 0; raised < 2; raised++) {
        SCOPED(program) p = unit_new(
            RV64, NULL,
            raised ? "li t0, 0x100\ncsrw ttype, t0\nli t1, 0x3f800000\nfdiv.s t1, t1, zero\n"
                   : "li t0, 0x400\ncsrw ttype, t0\n",
            "tl.addi tl1, tl2, 3\ncsrr a0, fflags");
        program_expect(&p, SAM_HART_EBREAK);
        assert_int_equal(sam_hart_x(p.hart, 10), raised ? 8 : 0); /* DZ */
    }
    /* in one run, without stepping */
    SCOPED(program) p = program_new(RV64, NULL,
                                    "li t0, 0x400\ncsrw ttype, t0\nli t1, 0x3f800000\n"
                                    "fdiv.s t1, t1, zero\ntl.addi tl1, tl2, 3\ncsrr a0, fflags\n"
                                    "ebreak\n");
    uint8_t third[TL_SIZE];
    for (unsigned i = 0; i < TL_SIZE; i += 4)
        sam_put_le32(third + i, 0x3eaaaaab);
    sam_hart_set_tl(p.hart, 2, third);
    program_expect(&p, SAM_HART_EBREAK);
    assert_int_equal(sam_hart_x(p.hart, 10), 8);
}
