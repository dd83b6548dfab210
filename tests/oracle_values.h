/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of the experiments: 48 interesting and 16 random ones each. */
#ifndef TEST_ORACLE_VALUES_H
#define TEST_ORACLE_VALUES_H

#include "base/base.h"
#include "random.h"

#define ORACLE_VALUES 64
#define ORACLE_FEW    32 /* for triples */

struct oracle_values {
    uint32_t ints[ORACLE_VALUES];
    uint32_t floats[ORACLE_VALUES];
    uint32_t few_ints[ORACLE_FEW];
    uint32_t few_floats[ORACLE_FEW];
};

static inline void oracle_make_values(struct oracle_values *values)
{
    static const uint32_t ints[48] = {
        0,          1,          2,          3,          5,          7,          8,
        15,         16,         31,         32,         33,         63,         64,
        100,        127,        128,        255,        256,        257,        0x7fff,
        0x8000,     0xffff,     0x10000,    0x00ffffff, 0x01000001, 0x55555555, 0xaaaaaaaa,
        0x12345678, 0xdeadbeef, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0x80000002,
        0xc0000000, 0xff000000, 0xffff0000, 0xffff8000, 0xffffff7f, 0xffffff80, 0xffffffe0,
        0xfffffff0, 0xfffffff8, 0xfffffffb, 0xfffffffd, 0xfffffffe, 0xffffffff,
    };
    static const uint32_t floats[48] = {
        0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
        0x80800001, 0x00800001, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x7f7fffff,
        0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x33800001, 0x40490fdb,
        0x00ffffff, 0x20000000, 0x5f000000, 0x7f000000, 0x4b7fffff, 0xffc00001, 0xffbfffff,
        0x3f000000, 0xbf000000, 0x3effffff, 0xbf000001, 0x3fc00000, 0xbfc00000, 0x40200000,
        0xc0200000, 0x4b000001, 0x4b800001, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001,
        0x4f7fffff, 0x4f800000, 0x00200000, 0x801fffff, 0xb4000000, 0x7e800001,
    };
    uint64_t random = test_seed();
    for (size_t i = 0; i < ORACLE_VALUES; i++) {
        uint64_t r = test_random(&random);
        values->ints[i] = i < 48 ? ints[i] : (uint32_t)r;
        values->floats[i] = i < 48 ? floats[i] : (uint32_t)(r >> 32);
    }
    for (size_t i = 0; i < ORACLE_FEW; i++) {
        values->few_ints[i] = values->ints[2 * i + 1];
        values->few_floats[i] = values->floats[i < 26 ? i : i + 32];
    }
}

#endif
