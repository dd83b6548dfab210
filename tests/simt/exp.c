/* SPDX-License-Identifier: Apache-2.0 */
/* VFEXP on every level of the host's instruction set: for each float the bits of the host's exp
 * in double precision, rounded once, and no flags (ruling 2.13). By default one float in 4099 and
 * those around each boundary; SAMITE_CASES=4294967296 takes all. */

#include "test.h"

#include "base/fp.h"
#include "machine/fpenv.h"
#include "machine/threads.h"
#include "simt/simt.h"

static struct sam_machine machine;
static struct sam_warp *warp;

FIXTURE(setup)
{
    sam_lanes_fill(&machine, SAM_LANES);
    warp = aligned_alloc(128, (sizeof *warp + 127) / 128 * 128);
    if (!warp)
        return -1;
    memset(warp, 0, sizeof *warp);
    warp->groups = warp->single = 1;
    warp->lanes = warp->vl = SAM_LANES;
    warp->all = warp->within[0] = UINT32_MAX;
    sam_warp_set_mask(warp, UINT32_MAX);
    return 0;
}

FIXTURE(teardown)
{
    free(warp);
    return 0;
}

static const struct sam_uop *stop(SAM_HANDLER_ARGS)
{
    (void)c, (void)entry, (void)left;
    return op;
}

static uint32_t exp_of(uint32_t x)
{
    const uint32_t bits = sam_f32_bits((float)exp((double)sam_bits_f32(x)));
    return sam_f32_is_nan(bits) ? SAM_F32_NAN : bits;
}

/* v3 = exp of v2, which holds these. */
static void expect(const uint32_t x[SAM_LANES])
{
    const struct sam_uop ops[2] = {{.rd = 3, .rs2 = 2, .rs3 = SAM_UOP_VM}, {.fn = stop}};
    memcpy(warp->v[2], x, sizeof warp->v[2]);
    memset(warp->v[3], 0xee, sizeof warp->v[3]);
    sam_host_fp_clear();
    machine.handlers[SAM_OP_vfexp_v](&warp->core, ops, ops, 1);
    assert_int_equal(sam_host_fp_flags() | warp->core.fflags, 0);
    for (unsigned i = 0; i < SAM_LANES; i++) {
        const uint32_t want = warp->bits[0] >> i & 1 ? exp_of(x[i]) : 0xeeeeeeee;
        if (warp->v[3][i] != want)
            fail_msg("exp of 0x%08x in lane %u is 0x%08x: expected 0x%08x", x[i], i, warp->v[3][i],
                     want);
    }
}

TEST(all_magnitudes)
{
    const uint64_t all = UINT64_C(1) << 32, cases = test_number("SAMITE_CASES", all / 4099);
    const uint64_t step = cases && cases < all ? all / cases : 1;
    for (uint64_t first = 0; first < all; first += SAM_LANES * step) {
        uint32_t x[SAM_LANES];
        for (unsigned i = 0; i < SAM_LANES; i++)
            x[i] = (uint32_t)(first + i * step);
        expect(x);
    }
}

/* Boundaries where results become 1, subnormal, zero, infinity, NaN; where x is clipped. */
TEST(borders)
{
    static const uint32_t around[] = {
        0x00000000, 0x80000000, 0x33000000, 0xb2800000, 0x33800000, 0xb3000000, 0x34000000,
        0xc2aeac50, 0xc2cff1b5, 0xc2ce8ed0, 0x42b17218, 0x42b20000, 0x42c80000, 0xc2dc0000,
        0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fffffff, 0xffffffff, 0x3f317218,
        0x3eb17218, 0xbeb17218, 0x3f800000, 0x36000000, 0xb6000000};
    for (unsigned k = 0; k < SAM_COUNT(around); k++)
        for (uint32_t at = around[k] - 4096; at != around[k] + 4096; at += SAM_LANES) {
            uint32_t x[SAM_LANES];
            for (unsigned i = 0; i < SAM_LANES; i++)
                x[i] = at + i;
            expect(x);
        }
}

/* The result is so close to the middle of two floats that double precision cannot tell which one
 * is nearer. */
TEST(midpoints)
{
    static const uint32_t near[] = {0xbea6154c, 0xbea6d060, 0xbeaa789c, 0x3ea585a0, 0x3eaa23c4,
                                    0x3eabeda0, 0x3eb0b271, 0x3ebf4a81, 0xbebfaa21, 0xbee0e6cd,
                                    0xbf76fd92, 0xbf8455f1, 0x3f8386dd, 0x3f856d73, 0xbf875822,
                                    0xbfdba921, 0x3fe67199, 0xc01923d5, 0x4016bd40, 0x40197aa8};
    for (unsigned k = 0; k < SAM_COUNT(near); k++) {
        uint32_t x[SAM_LANES];
        for (unsigned i = 0; i < SAM_LANES; i++)
            x[i] = near[(k + i) % SAM_COUNT(near)];
        expect(x);
    }
}

TEST(inactive_lanes)
{
    uint32_t x[SAM_LANES];
    for (unsigned i = 0; i < SAM_LANES; i++)
        x[i] = 0x33000000 + i;
    for (unsigned i = 0; i < SAM_LANES; i++) {
        sam_warp_set_mask(warp, (UINT32_C(1) << i) | 0x80010001);
        expect(x);
    }
    sam_warp_set_mask(warp, UINT32_MAX);
}

TEST_GROUP(setup, teardown)
