/* SPDX-License-Identifier: Apache-2.0 */
/* vfrec7 and vfrsqrt7 against QEMU: every upper half of a float, two lower halves, all modes. */

#include "test.h"

#include "base/fp.h"
#include "qemu.h"

/* For each mode, lower half 0 and 0xffff, upper half: vfrec7, flags, vfrsqrt7, flags. */
static const char program[] =
    ".globl _start\n"
    "_start:\n"
    "  vsetivli zero, 1, e32, m1, ta, ma\n"
    "  la a1, out\n"
    "  li s0, 0\n"
    "mode:\n"
    "  csrw frm, s0\n"
    "  li s1, 0\n"
    "low:\n"
    "  li s2, 0\n"
    "high:\n"
    "  slli t0, s2, 16\n"
    "  or t0, t0, s1\n"
    "  vmv.v.x v1, t0\n"
    "  csrw fflags, zero\n"
    "  vfrec7.v v2, v1\n"
    "  csrr t1, fflags\n"
    "  vse32.v v2, (a1)\n"
    "  sw t1, 4(a1)\n"
    "  csrw fflags, zero\n"
    "  vfrsqrt7.v v2, v1\n"
    "  csrr t1, fflags\n"
    "  addi a1, a1, 8\n"
    "  vse32.v v2, (a1)\n"
    "  sw t1, 4(a1)\n"
    "  addi a1, a1, 8\n"
    "  addi s2, s2, 1\n"
    "  li t0, 0x10000\n"
    "  bne s2, t0, high\n"
    "  li t0, 0xffff\n"
    "  mv t1, s1\n"
    "  mv s1, t0\n"
    "  bne t1, t0, low\n"
    "  addi s0, s0, 1\n"
    "  li t0, 5\n"
    "  bne s0, t0, mode\n"
    "  la a4, out\n"
    "  sub a4, a1, a4\n" QEMU_FINISH("out") ".bss\n"
                                            ".balign 16\n"
                                            "out: .space 5 * 2 * 65536 * 16\n";

static const struct qemu_target target = {64, "rv64gcv", "lp64d",
                                          "rv64,v=true,vlen=128,vext_spec=v1.0"};

TEST(test_estimates)
{
    size_t size = 0;
    FREED uint8_t *out = qemu_run(&target, program, &size);
    uint8_t *at = out;
    assert_non_null(out);
    assert_int_equal(size, 5 * 2 * 65536 * 16);
    for (enum sam_round round = SAM_RNE; round <= SAM_RMM; round++)
        for (uint32_t low = 0; low < 0x10000; low += 0xffff)
            for (uint32_t high = 0; high < 0x10000; high++, at += 16) {
                uint32_t x = high << 16 | low;
                unsigned rec_flags = 0, root_flags = 0;
                uint32_t rec = sam_f32_rec7(x, round, &rec_flags);
                uint32_t root = sam_f32_rsqrt7(x, &root_flags);
                if (rec != sam_le32(at) || rec_flags != sam_le32(at + 4) ||
                    root != sam_le32(at + 8) || root_flags != sam_le32(at + 12))
                    fail_msg("%08x mode %d: rec7 %08x %02x rsqrt7 %08x %02x, "
                             "QEMU %08x %02x %08x %02x",
                             x, round, rec, rec_flags, root, root_flags, sam_le32(at),
                             sam_le32(at + 4), sam_le32(at + 8), sam_le32(at + 12));
            }
}

PROLOGUE
{
    qemu_require(&target);
}
