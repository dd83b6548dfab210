/* SPDX-License-Identifier: Apache-2.0 */
/* CSRs of the unit: initially unwritten, the definition of a write, their contents. */
#include "tensor/unit.h"

enum { FIRST = 0x880, LAST = 0x8c7 };

TEST(unwritten_reads_zero)
{
    SCOPED(program) p = program_new(RV64, NULL, "ebreak\n");
    for (unsigned address = FIRST; address <= LAST; address++) {
        uint64_t value = 1;
        assert_true(sam_hart_csr(p.hart, address, &value));
        assert_int_equal(value, 0);
    }
    uint64_t value;
    assert_false(sam_hart_csr(p.hart, LAST + 1, &value));
    assert_false(sam_hart_csr(p.hart, FIRST - 1, &value));
}

/* 32 bits each, with any contents; RV64 writes the lower half and reads the upper half as zeros. */
TEST(holds_what_is_written)
{
    struct program p = program_new(RV64, NULL, "ebreak\n");
    for (unsigned address = FIRST; address <= LAST; address++)
        assert_true(sam_hart_set_csr(p.hart, address, UINT64_C(0x12345678f0000000) + address));
    for (unsigned address = FIRST; address <= LAST; address++) {
        uint64_t value;
        assert_true(sam_hart_csr(p.hart, address, &value));
        assert_int_equal(value, 0xf0000000 + address);
    }
    program_free(&p);
    assert_int_equal(program_a0(RV64, "li t0, -1\ncsrw ttype, t0\ncsrr a0, ttype"), 0xffffffff);
    assert_int_equal(program_a0(RV32, "li t0, -1\ncsrw tshape, t0\ncsrr a0, tshape"), 0xffffffff);
    assert_int_equal(program_a0(RV64, "li t0, 12\ncsrw tshape, t0\ncsrci tshape, 4\n"
                                      "csrsi tshape, 3\ncsrrw a0, tshape, t0"),
                     11);
}

/* tmask_load as an example: tl.mload traps until it is written. Setting or clearing bits with an
 * immediate other than 0, or with a register other than x0, is a write, even if nothing changes. */
TEST(what_counts_as_a_write)
{
    static const struct {
        const char *access;
        bool writes;
    } cases[] = {
        {"csrr t1, tmask_load", false},        {"csrrs t1, tmask_load, zero", false},
        {"csrrc t1, tmask_load, zero", false}, {"csrrsi t1, tmask_load, 0", false},
        {"csrrci t1, tmask_load, 0", false},   {"csrrw zero, tmask_load, zero", true},
        {"csrrwi zero, tmask_load, 0", true},  {"csrrs zero, tmask_load, t2", true}, /* t2 = 0 */
        {"csrrc zero, tmask_load, t2", true},  {"csrrsi zero, tmask_load, 1", true},
        {"csrrci zero, tmask_load, 1", true},
    };
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        FREED char *setup =
            formatted("li a0, 0x10000\nli t0, 0x020204\ncsrw tshape, t0\n%s\n", cases[i].access);
        SCOPED(program) p = unit_new(i % 2 ? RV32 : RV64, NULL, setup, "tl.mload tl1, 0(a0)");
        if (cases[i].writes)
            unit_passes(&p);
        else
            unit_traps(&p, 2, UNIT_WORD);
    }
}

/* Unwritten: int8, the width of a slice of the shape, stride i. Writing these values changes
 * nothing. */
TEST(defaults)
{
    static const char *const setups[] = {
        "li a0, 0x10000\nli t0, 0x040208\ncsrw tshape, t0\n",
        "li a0, 0x10000\nli t0, 0x040208\ncsrw tshape, t0\n"
        "csrwi ttype, 2\ncsrwi tload_width, 16\ncsrwi tload_stride0, 0\ncsrwi tload_stride1, 1\n"
        "csrwi tload_stride2, 2\ncsrwi tload_stride3, 3\n",
    };
    for (size_t i = 0; i < SAM_COUNT(setups); i++) {
        SCOPED(program) p = unit_new(RV64, NULL, setups[i], "tl.load tl1, 0(a0)");
        unit_passes(&p);
        for (unsigned b = 0; b < 64; b++)
            UNIT_EXPECT(&p, 1, b, unit_pattern(32, b));
        for (unsigned b = 64; b < TL_SIZE; b++)
            UNIT_EXPECT(&p, 1, b, unit_pattern(1, b));
    }
}

/* A stride written with 0 is 0, no longer i. */
TEST(written_zero_is_zero)
{
    SCOPED(program) p = unit_new(RV64, NULL,
                                 "li a0, 0x10000\nli t0, 0x030104\ncsrw tshape, t0\n"
                                 "csrwi tload_stride2, 0\n",
                                 "tl.load tl1, 0(a0)");
    unit_passes(&p);
    for (unsigned b = 0; b < 8; b++)
        UNIT_EXPECT(&p, 1, b, unit_pattern(32, b));
    for (unsigned b = 0; b < 4; b++)
        UNIT_EXPECT(&p, 1, 8 + b, unit_pattern(32, b));
    SCOPED(program) q = unit_new(
        RV64, NULL, "li a0, 0x10000\nli t0, 0x030104\ncsrw tshape, t0\ncsrwi tload_width, 0\n",
        "tl.load tl1, 0(a0)"); /* zero bytes */
    unit_passes(&q);
    for (unsigned b = 0; b < 12; b++)
        UNIT_EXPECT(&q, 1, b, unit_pattern(1, b));
}

/* Loads and stores have their own mask, width and strides. */
TEST(two_directions)
{
    SCOPED(program) p = unit_new(RV64, NULL,
                                 "li a0, 0x10000\nli t0, 0x020104\ncsrw tshape, t0\n"
                                 "csrwi tload_width, 2\ncsrwi tload_stride1, 9\n"
                                 "csrwi tmask_load, 1\ncsrwi tmask_store, 2\n",
                                 "tl.mstore tl5, 0(a0)");
    uint8_t bytes[8];
    unit_passes(&p);
    program_read(&p, DATA_BASE, bytes, sizeof bytes);
    for (unsigned b = 0; b < 4; b++) {
        assert_int_equal(bytes[b], unit_pattern(32, b));
        assert_int_equal(bytes[4 + b], unit_pattern(5, 4 + b));
    }
}
