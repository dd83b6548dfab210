/* SPDX-License-Identifier: Apache-2.0 */
/* fmodf: a - b * trunc(a / b), which is exact. */
#include "lower/elements.h"

/* Both operands as m * 2^(e - 150), e >= 1. With n the difference of exponents, ma * 2^n mod mb is
 * computed eight bits at a time: a 24-bit remainder shifted by 8 fits a word. v10 = ma, v11 = mb,
 * v12 = n, v13 = b's exponent field. */
static const char split[] =
    "vfsgnjx.vv v14, $a, $a; vfsgnjx.vv v15, $b, $b;"
    "vand.vx v12, v14, $(0x7f800000); vand.vx v13, v15, $(0x7f800000);"
    "vand.vx v10, v14, $(0x7fffff); vand.vx v11, v15, $(0x7fffff);"
    "vmsne.vi v0, v12, 0; vor.vx v10, v10, $(0x800000), v0.t;"
    "vmsne.vi v0, v13, 0; vor.vx v11, v11, $(0x800000), v0.t;"
    "vmaxu.vx v12, v12, $(0x800000); vmaxu.vx v13, v13, $(0x800000);"
    "vsub.vv v12, v12, v13; vsra.vi v12, v12, 23; vmv.v.i v16, 8; vmv.v.i v17, 0;"
    "vmslt.vx v18, v12, zero; vremu.vv v10, v10, v11";
static const char step[] = "vmin.vv v19, v12, v16; vsll.vv v10, v10, v19; vremu.vv v10, v10, v11;"
                           "vsub.vv v12, v12, v19";
/* r * 2^-23 * 2^(e - 127), both exact; a if its exponent is below b's; NaN if a is not finite or b
 * is zero or NaN. The sign is a's. */
static const char join[] =
    "vfcvt.f.xu.v v10, v10; vfmul.vf v10, v10, $(0x34000000); vfmul.vv v10, v10, v13;"
    "vmv.v.v v0, v18; vmerge.vvm v10, v10, v14, v0; vfsgnj.vv v10, v10, $a;"
    "vmsgtu.vx v0, v14, $(0x7f7fffff); vmsgtu.vx v12, v15, $(0x7f800000); vor.vv v0, v0, v12;"
    "vmseq.vi v12, v15, 0; vor.vv v0, v0, v12; vmerge.vxm $d, v10, $(0x7fc00000), v0";

void sam_lower_remainder(struct lower_code *c, enum lower_level level, struct lower_regs regs)
{
    unsigned loop = sam_lower_label(c->l), done = sam_lower_label(c->l);
    sam_lower_hold(c, level); /* for the loop */
    sam_lower_all_lanes(c, level);
    sam_lower_emit(c, level, split, regs);
    sam_lower_gpu(c, level, ".Lg%u:; setrpc t0, .Lg%u; vbge v17, v12, .Lg%u", loop, done, done);
    sam_lower_emit(c, level, step, regs);
    sam_lower_gpu(c, level, "j .Lg%u; .Lg%u:; join", loop, done);
    sam_lower_emit(c, level, join, regs);
    sam_lower_some_lanes(c, level);
    c->holds = false;
}
