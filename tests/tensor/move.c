/* SPDX-License-Identifier: Apache-2.0 */
/* TL.LOAD, MLOAD, STORE and MSTORE: source and destination of every byte, across pages, past the
 * end of the address space, and into code. */
#include "tensor/unit.h"

#define SETUP(shape) "li a0, 0x10000\nli t0, " shape "\ncsrw tshape, t0\n"

/* Bytes [at, at + size) of the register equal those of DATA from `from` on. */
static void expect_loaded(struct program *p, unsigned tl, unsigned at, unsigned from, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        UNIT_EXPECT(p, tl, at + i, unit_pattern(32, from + i));
}

static void expect_zero(struct program *p, unsigned tl, unsigned at, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        UNIT_EXPECT(p, tl, at + i, 0);
}

static void expect_kept(struct program *p, unsigned tl, unsigned at, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        UNIT_EXPECT(p, tl, at + i, unit_pattern(tl, at + i));
}

/* DATA byte by byte: `stored[i]` indexes the register's bytes, or is -1 if unchanged. */
static void expect_data(struct program *p, unsigned tl, const int *stored, unsigned size)
{
    uint8_t data[DATA_SIZE];
    program_read(p, DATA_BASE, data, sizeof data);
    for (unsigned i = 0; i < sizeof data; i++) {
        uint8_t want = i < size && stored[i] >= 0 ? unit_pattern(tl, (unsigned)stored[i])
                                                  : unit_pattern(32, i);
        if (data[i] != want)
            fail_msg("memory byte %u: %02x, expected %02x", i, data[i], want);
    }
}

/* Mask bit i is slice i: 0b11001100 is 2, 3, 6, 7, the others are zeroed. Manual 4.5.3's shape. */
TEST(mask_bits_are_slices)
{
    SCOPED(program) p =
        unit_new(RV64, NULL, SETUP("8 << 16 | 16 << 8 | 8") "li t0, 0xcc\ncsrw tmask_load, t0\n",
                 "tl.mload tl1, 0(a0)");
    unit_passes(&p);
    for (unsigned i = 0; i < 8; i++)
        if (0xcc >> i & 1)
            expect_loaded(&p, 1, 128 * i, 128 * i, 128);
        else
            expect_zero(&p, 1, 128 * i, 128);
}

/* Manual 4.6.3: [4,32,8] under 0b1010 stores slices 1 and 3. */
TEST(skipped_slices_leave_memory)
{
    int stored[1024];
    for (int i = 0; i < 1024; i++)
        stored[i] = 0xa >> i / 256 & 1 ? i : -1;
    SCOPED(program) p =
        unit_new(RV32, NULL, SETUP("4 << 16 | 32 << 8 | 8") "li t0, 10\ncsrw tmask_store, t0\n",
                 "tl.mstore tl3, 0(a0)");
    unit_passes(&p);
    expect_data(&p, 3, stored, 1024);
}

/* Mask bits at and above D0 are ignored; a zero mask clears the block and reads nothing. */
TEST(mask_bits_above_the_shape)
{
    SCOPED(program) p = unit_new(
        RV64, NULL, SETUP("2 << 16 | 2 << 8 | 4") "li t0, 0xfffffffd\ncsrw tmask_load, t0\n",
        "tl.mload tl1, 0(a0)");
    unit_passes(&p);
    expect_loaded(&p, 1, 0, 0, 8);
    expect_zero(&p, 1, 8, 8);
    expect_kept(&p, 1, 16, TL_SIZE - 16);
    SCOPED(program) q = unit_new(RV64, NULL,
                                 "li a0, 3\nli t0, 0x020204\ncsrw tshape, t0\ncsrwi ttype, 8\n"
                                 "li t0, -4\ncsrw tmask_load, t0\n",
                                 "tl.mload tl1, 0(a0)"); /* misaligned, unmapped: never accessed */
    unit_passes(&q);
    expect_zero(&q, 1, 0, 64);
    expect_kept(&q, 1, 64, TL_SIZE - 64);
}

/* The immediate counts widths, in bytes of the element type; strides may be negative. */
TEST(strides_and_immediate)
{
    SCOPED(program) p =
        unit_new(RV64, NULL,
                 "li a0, 0x10800\nli t0, 0x030104\ncsrw tshape, t0\ncsrwi ttype, 4\n"
                 "csrwi tload_width, 6\nli t0, -7\ncsrw tload_stride0, t0\n"
                 "li t0, 100\ncsrw tload_stride1, t0\n",
                 "tl.load tl1, -3(a0)");
    unit_passes(&p); /* slices of 12 bytes */
    expect_loaded(&p, 1, 0, 0x800 - 12 * 10, 12);
    expect_loaded(&p, 1, 12, 0x800 + 12 * 97, 12);
    expect_loaded(&p, 1, 24, 0x800 - 12 * 1, 12);
    expect_kept(&p, 1, 36, TL_SIZE - 36);
    SCOPED(program) q = unit_new(RV32, NULL, SETUP("0x010108"), "tl.load tl1, 127(a0)");
    unit_passes(&q);
    expect_loaded(&q, 1, 0, 8 * 127, 8);
    SCOPED(program) r = unit_new(RV32, NULL, "li a0, 0x11000\nli t0, 0x010108\ncsrw tshape, t0\n",
                                 "tl.load tl1, -128(a0)");
    unit_passes(&r);
    expect_loaded(&r, 1, 0, 0x1000 - 8 * 128, 8);
}

/* An explicit width, narrower than a row and wider: the register is filled slice by slice. */
TEST(widths)
{
    struct program p =
        unit_new(RV64, NULL, SETUP("0x040404") "csrwi tload_width, 3\n", "tl.load tl1, 0(a0)");
    unit_passes(&p);
    expect_loaded(&p, 1, 0, 0, 12);
    expect_kept(&p, 1, 12, TL_SIZE - 12);
    program_free(&p);
    p = unit_new(RV64, NULL, SETUP("0x020102") "li t0, 512\ncsrw tload_width, t0\n",
                 "tl.load tl1, 0(a0)"); /* all 1024 bytes of a small shape */
    unit_passes(&p);
    expect_loaded(&p, 1, 0, 0, 1024);
    program_free(&p);
}

/* Slices that overlap in memory: the last one wins. */
TEST(overlapping_stores)
{
    static const int stored[8] = {8, 9, 10, 11, 4, 5, 6, 7}; /* slice 2 over slice 0 */
    SCOPED(program) p =
        unit_new(RV64, NULL, SETUP("0x030104") "csrwi tstore_stride2, 0\n", "tl.store tl4, 0(a0)");
    unit_passes(&p);
    expect_data(&p, 4, stored, 8);
}

/* More than 32 slices while no stride of that direction has been written. */
TEST(many_slices)
{
    SCOPED(program) p = unit_new(
        RV64, NULL, SETUP("255 << 16 | 0x0104") "csrwi tstore_stride0, 0\n", "tl.load tl1, 0(a0)");
    unit_passes(&p);
    expect_loaded(&p, 1, 0, 0, 1020);
    expect_kept(&p, 1, 1020, 4);
}

/* Two 4-bit elements per byte. */
TEST(nibbles)
{
    SCOPED(program) p = unit_new(RV64, NULL,
                                 "li a0, 0x10001\nli t0, 0x020306\ncsrw tshape, t0\n"
                                 "csrwi ttype, 1\ncsrwi tload_stride1, 3\n",
                                 "tl.load tl1, 1(a0)");
    unit_passes(&p); /* slices of 9 bytes; bytes have no alignment */
    expect_loaded(&p, 1, 0, 1 + 9 * 1, 9);
    expect_loaded(&p, 1, 9, 1 + 9 * 4, 9);
    expect_kept(&p, 1, 18, TL_SIZE - 18);
}

TEST(register_zero)
{
    uint8_t data[32], zeros[16] = {0};
    SCOPED(program) p = unit_new(RV64, NULL, SETUP("0x020204"), "tl.load tl0, 0(a0)");
    unit_passes(&p);
    expect_zero(&p, 0, 0, TL_SIZE);
    SCOPED(program) q = unit_new(RV64, NULL, SETUP("0x020204"), "tl.store tl0, 0(a0)");
    unit_passes(&q);
    program_read(&q, DATA_BASE, data, sizeof data);
    assert_memory_equal(data, zeros, sizeof zeros);
    assert_int_equal(data[16], unit_pattern(32, 16));
}

/* A block across a page; the same on a page mapped only through resolve, since its end is
 * unmapped. */
TEST(across_pages)
{
    static const unsigned bases[] = {0x1000 - 1, 0x1000 - 500, 0x3c00};
    for (size_t i = 0; i < SAM_COUNT(bases); i++) {
        char setup[160];
        snprintf(setup, sizeof setup,
                 "li a0, 0x10000 + %u\nli t0, 16 << 16 | 16 << 8 | 4\ncsrw tshape, t0\n", bases[i]);
        SCOPED(program) p =
            unit_new(i % 2 ? RV32 : RV64, NULL, setup, "tl.load tl1, 0(a0)\ntl.store tl9, 0(a0)");
        program_expect(&p, SAM_HART_EBREAK);
        expect_loaded(&p, 1, 0, bases[i], 1024);
        uint8_t data[1024];
        program_read(&p, DATA_BASE + bases[i], data, sizeof data);
        for (unsigned b = 0; b < sizeof data; b++)
            assert_int_equal(data[b], unit_pattern(9, b));
    }
}

/* Addresses wrap at the end of the address space. */
TEST(wraps)
{
    static const struct {
        const char *isa;
        uint64_t top;
    } cases[] = {{RV32, UINT64_C(0xfffff000)}, {RV64, UINT64_C(0xfffffffffffff000)}};
    for (size_t i = 0; i < SAM_COUNT(cases); i++) {
        struct program p = unit_new(cases[i].isa, NULL,
                                    "li a0, -64\nli t0, 0x040108\n"
                                    "csrw tshape, t0\nli t0, 32\ncsrw tload_width, t0\n",
                                    "tl.load tl1, 0(a0)");
        succeeds(sam_hart_map, p.hart, cases[i].top, 0x1000);
        succeeds(sam_hart_map, p.hart, 0, 64);
        uint8_t bytes[128];
        for (unsigned b = 0; b < sizeof bytes; b++)
            bytes[b] = (uint8_t)(b + 1);
        program_write(&p, cases[i].top + 0xfc0, bytes, 64);
        program_write(&p, 0, bytes + 64, 64);
        unit_passes(&p);
        unit_expect(&p, 1, 0, bytes, sizeof bytes);
        program_free(&p);
        /* and back: a negative stride from 0 */
        p = unit_new(cases[i].isa, NULL, "li a0, 0\nli t0, 0x010108\ncsrw tshape, t0\n",
                     "tl.load tl1, -1(a0)");
        succeeds(sam_hart_map, p.hart, cases[i].top, 0x1000);
        program_write(&p, cases[i].top + 0xff8, bytes, 8);
        unit_passes(&p);
        unit_expect(&p, 1, 0, bytes, 8);
        program_free(&p);
    }
    /* beyond it nothing is mapped: mtval wraps too */
    SCOPED(program) p = unit_new(RV32, NULL, "li a0, -16\nli t0, 0x040108\ncsrw tshape, t0\n",
                                 "tl.store tl1, 0(a0)");
    succeeds(sam_hart_map, p.hart, 0xfffff000, 0x1000);
    unit_traps(&p, 7, 0);
    uint8_t byte = 1;
    program_read(&p, 0xffffffff, &byte, 1);
    assert_int_equal(byte, 0);
}

/* On RV32 the products are formed in full, then wrapped: 2^31 widths of 4 bytes are 0. */
TEST(large_strides)
{
    SCOPED(program) p = unit_new(RV32, NULL,
                                 SETUP("0x020104") "li t0, 0x80000000\n"
                                                   "csrw tload_stride1, t0\n",
                                 "tl.load tl1, 0(a0)");
    unit_passes(&p);
    expect_loaded(&p, 1, 0, 0, 4);
    expect_loaded(&p, 1, 4, 0, 4);
    SCOPED(program) q =
        unit_new(RV64, NULL, SETUP("0x020104") "li t0, 0x80000000\ncsrw tload_stride1, t0\n",
                 "tl.load tl1, 0(a0)");
    unit_traps(&q, 5, DATA_BASE - (UINT64_C(4) << 31));
}

/* High addresses of RV64. */
TEST(above_4_gib)
{
    const uint64_t base = UINT64_C(0x7654321000010000); /* shares DATA's TLB entry */
    SCOPED(program) p = unit_new(RV64, NULL,
                                 "li a0, 0x7654321000010000\nli a1, 0x10000\n"
                                 "li t0, 0x020204\ncsrw tshape, t0\n",
                                 "tl.load tl1, 0(a0)\ntl.load tl2, 0(a1)\ntl.store tl3, 0(a0)");
    succeeds(sam_hart_map, p.hart, base, 16);
    program_expect(&p, SAM_HART_EBREAK);
    expect_zero(&p, 1, 0, 16);
    expect_loaded(&p, 2, 0, 0, 16);
    uint8_t bytes[16];
    program_read(&p, base, bytes, sizeof bytes);
    for (unsigned b = 0; b < sizeof bytes; b++)
        assert_int_equal(bytes[b], unit_pattern(3, b));
    expect_data(&p, 3, NULL, 0);
}

/* A block stored over decoded instructions, including the store itself, runs next. */
TEST(stores_into_code)
{
    SCOPED(program) p = unit_new(RV64, NULL,
                                 "la a0, target\nla a1, first\nli t0, 0x010140\n"
                                 "csrw tshape, t0\nli s0, 2\n",
                                 "first: tl.load tl1, 0(a0)\n"
                                 "store: tl.store tl1, 0(a1)\n"
                                 "addi a2, a2, 1\n" /* after the store: the new one already */
                                 ".rept 13\nnop\n.endr\n"
                                 "addi s0, s0, -1\nbnez s0, first\nebreak\n"
                                 "target: addi a3, a3, 1\naddi a4, a4, 1\naddi a5, a5, 1\n"
                                 ".rept 13\naddi a6, a6, 1\n.endr\n");
    program_expect(&p, SAM_HART_EBREAK);
    assert_int_equal(sam_hart_x(p.hart, 12), 0);
    assert_int_equal(sam_hart_x(p.hart, 13), 1); /* second turn alone */
    assert_int_equal(sam_hart_x(p.hart, 14), 1);
    assert_int_equal(sam_hart_x(p.hart, 15), 2);
    assert_int_equal(sam_hart_x(p.hart, 16), 26);
}
