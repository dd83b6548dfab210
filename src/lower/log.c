/* SPDX-License-Identifier: Apache-2.0 */
/* ln x: x = 2^e m with m in [sqrt(1/2), sqrt(2)). A table indexed by 8 bits of m gives c near 1/m;
 * r = m c - 1 is exact, |r| < 2^-8. ln x = e ln 2 - ln c + r q, q = ln(1 + r) / r. Near 1 only r q
 * remains, with a relative error below 2^-55; elsewhere the sum has 57 or 64 fractional bits. The
 * result is rounded once. */
#include "lower/math.h"

/* clang-format off */
#define COMMON \
    "li t0, 0x7fc00000; li t1, 0x7f800000; li t2, 0xff800000; vmv.v.v v23, v8; " \
    "vmv.v.x v22, t0 # default result, for negative values and NaN; " \
    "vmseq.vx v0, v8, t1; vmerge.vxm v22, v22, t1, v0 # for infinity; " \
    "vsll.vi v10, v8, 1; vmseq.vi v0, v10, 0; vmerge.vxm v22, v22, t2, v0 # for zero; " \
    "li t0, 0x800000; li t1, -149; vmsltu.vx v0, v8, t0; vfcvt.f.xu.v v10, v8; " \
    "vmerge.vvm v8, v8, v10, v0 # scale subnormals to integers; " \
    "vmv.v.i v21, 0; vmerge.vxm v21, v21, t1, v0; li t0, 0x3f3504f3 # sqrt(1/2); " \
    "li t1, 0x4b800000 # 2^24; " \
    "lla t2, .Lmath_log_table - 2896; vsub.vx v10, v8, t0; vsra.vi v11, v10, 23; " \
    "vadd.vv v21, v21, v11 # e; " \
    "vsll.vi v11, v11, 23; vsub.vv v8, v8, v11 # m; " \
    "vfmul.vf v8, v8, t1; vfcvt.xu.f.v v8, v8; vsrl.vi v11, v8, 16; vsll.vi v11, v11, 4; " \
    "vadd.vx v11, v11, t2; vlw12.v v12, 0(v11) # -ln c at 2^-64, v13 and v12; " \
    "vlw12.v v13, 4(v11); vlw12.v v10, 8(v11) # c at 2^-15; " \
    "vmul.vv v15, v8, v10 # r = m c - 1 at 2^-39; " \
    "li t0, 4 # 1/8 at 2^5; " \
    "li t1, -585 # 1/7 at 2^12; " \
    "li t2, 87381 # 1/6 at 2^19; " \
    "li t3, -13421773 # 1/5 at 2^26; " \
    "li t4, 0x80000000 # 1/4 at 2^33; " \
    "li t5, 0x55555555 # 1/3; " \
    "vmulh.vx v16, v15, t0; vadd.vx v16, v16, t1; vmulh.vv v16, v15, v16; vadd.vx v16, v16, t2; " \
    "vmulh.vv v16, v15, v16; vadd.vx v16, v16, t3; vmulh.vv v16, v15, v16; " \
    "vadd.vx v16, v16, t4 # k = 1/4 - r/5 + r^2/6 - r^3/7 + r^4/8; " \
    "vmulhsu.vv v16, v15, v16 # r k at 2^-40; " \
    "vmulh.vv v19, v15, v15; vmul.vv v18, v15, v15 # r^2 at 2^-78; " \
    "vmulh.vv v11, v19, v16; vmul.vv v10, v19, v16 # r^3 k at 2^-86; " \
    "regpair zero, zero, 0; vsra.vi v10, v10, 23; vmulhu.vx v17, v18, t5; vmul.vx v18, v19, t5; " \
    "vmulhu.vx v19, v19, t5; vadd.vv v17, v17, v19; " \
    "regpair zero, zero, 0; vadd.vv v18, v18, v17; " \
    "regpair zero, zero, 0; vsrl.vi v18, v18, 15 # r^2/3 at 2^-63; " \
    "regpair zero, zero, 0; vsub.vv v18, v18, v10; regpair zero, zero, 0; vsll.vi v10, v15, 23; " \
    "regpair zero, zero, 0; vsub.vv v18, v18, v10; " \
    "vadd.vx v19, v19, t4 # q = 1 - r/2 + r^2/3 - r^3 k = ln(1 + r) / r; " \
    "vor.vv v10, v12, v13; vor.vv v10, v10, v21; " \
    "vmseq.vi v0, v10, 0 # near 1: ln x = ln(1 + r); " \
    "li t0, 157; li t1, 31; li t2, 70; vfcvt.f.x.v v10, v15; vsll.vi v10, v10, 1; " \
    "vsrl.vi v10, v10, 24; vrsub.vx v10, v10, t0; vmax.vx v10, v10, zero; vmin.vx v10, v10, t1; " \
    "vmv.v.i v11, 0; vmerge.vvm v10, v11, v10, v0 # there normalise r; " \
    "vsll.vv v15, v15, v10; vmulhsu.vv v11, v15, v18; vmul.vv v16, v15, v19; " \
    "vmulhsu.vv v17, v15, v19; " \
    "regpair zero, zero, 0; vadd.vv v16, v16, v11 # r q at 2^-70, or lower; " \
    "vmv.v.i v11, 6; vmerge.vim v11, v11, 0, v0; regpair zero, zero, 0; vsra.vv v16, v16, v11; " \
    "regpair zero, zero, 0; vadd.vv v16, v16, v12 # r q - ln c at 2^-64; " \
    "vrsub.vx v11, v11, t2; vadd.vv v10, v10, v11 # minus the exponent; " \
    "vmsne.vi v0, v21, 0; li a6, 0xefa39ef3 # ln 2 at 2^-57; " \
    "li a7, 0x0162e42f; vmv.v.i v11, 0; vmerge.vim v11, v11, 7, v0; " \
    "regpair zero, zero, 0; vsra.vv v16, v16, v11; vsub.vv v10, v10, v11; " \
    "regpair zero, zero, 0; vmul.vx v12, v21, a6; " \
    "regpair zero, zero, 0; vadd.vv v16, v16, v12 # and e ln 2, at 2^-57; " \
    "vmerge.vvm v11, v17, v21, v0; " \
    "vsra.vi v11, v11, 31 # the sign, of e unless e = 0; " \
    "vxor.vv v16, v16, v11; vxor.vv v17, v17, v11; " \
    "regpair zero, zero, 0; vsub.vv v16, v16, v11; li t0, 158; vfcvt.f.xu.v v12, v17; " \
    "vsrl.vi v12, v12, 23; vrsub.vx v12, v12, t0; vmax.vx v12, v12, zero; vmin.vx v12, v12, t1; " \
    "regpair zero, zero, 0; vsll.vv v16, v16, v12 # normalise; " \
    "vadd.vv v10, v10, v12; vmsne.vi v13, v16, 0; " \
    "vor.vv v17, v17, v13 # upper word with sticky bit; " \
    "li t0, 0xffff0000; li t1, 159; vand.vx v12, v17, t0; vsub.vv v13, v17, v12; " \
    "vfcvt.f.xu.v v12, v12; vfcvt.f.xu.v v13, v13; vrsub.vx v10, v10, t1; vsll.vi v10, v10, 23; " \
    "vsll.vi v11, v11, 31; vor.vv v10, v10, v11 # its power of two, and the sign; " \
    "vfmul.vv v8, v12, v10; vfmacc.vv v8, v13, v10; li t0, 0x7f7fffff; vadd.vi v10, v23, -1; " \
    "vmsltu.vx v0, v10, t0; vmerge.vvm v8, v22, v8, v0; "

const char sam_lower_log_text[] = COMMON;

/* f16: the f32 logarithm of one argument rounds to an f16 midpoint. */
const char sam_lower_log_f16_text[] =
    "li t0, 0x3baf0000; vmseq.vx v20, v8, t0; " COMMON "vsub.vv v8, v8, v20";

/* clang-format on */

/* For i / 256 <= m < (i + 1) / 256, i from 181: -ln c scaled by 2^64, c scaled by 2^15. c is 1 on
 * both sides of m = 1. */
const uint64_t sam_lower_log_table[2 * LOWER_LOG_ENTRIES] = {
    0xa7f50fd44ada532a, 46218, 0xa95ccb9104a9fc79, 45965, 0xaac3a5924e5b7a5a, 45714,
    0xac26b5512bfc3b1e, 45467, 0xad88ce31369174f8, 45222, 0xaee9e97eb6335dc4, 44979,
    0xb04889710a8b8a51, 44739, 0xb1a4a12993d4b02c, 44502, 0xb2ff9eb545d9fc83, 44267,
    0xb457fe0c971e5f68, 44035, 0xb5af3113b1768bd3, 43805, 0xb705309b8eef5db6, 43577,
    0xb8587261ddb82eae, 43352, 0xb9aa6e11935896bc, 43129, 0xbafb1c436b2a15c4, 42908,
    0xbc48ec7d261ffd48, 42690, 0xbd955c346546af5b, 42474, 0xbee063cc85f92107, 42260,
    0xc029fb9833f06749, 42048, 0xc1721bd9a1fdcaf9, 41838, 0xc2b729c2023e9497, 41631,
    0xc3fc4173c9771956, 41425, 0xc53e330104c7c982, 41222, 0xc680226c4c0f5b93, 41020,
    0xc7c072aa1b14bd54, 40820, 0xc8fd7e9e9d2cd8fd, 40623, 0xca3a762131e4d72c, 40427,
    0xcb75b5fa38927661, 40233, 0xccaf35e42b580f48, 40041, 0xcde6ed8c0c6ecca5, 39851,
    0xcf1e7b91a4aef9f8, 39662, 0xd0528b86af125d32, 39476, 0xd18664f163a5e64f, 39291,
    0xd2b8584aa2a0f144, 39108, 0xd3ea0bfeb6791b1c, 38926, 0xd519cc6e49786cd4, 38746,
    0xd64790ed2c9c7d95, 38568, 0xd77350c47bb844e1, 38392, 0xd89eba31546b2d62, 38217,
    0xd9c81165d068d4a5, 38044, 0xdaf10887e928b417, 37872, 0xdc17dfb456676308, 37702,
    0xdd3e4cfb6c151e5f, 37533, 0xde628c6481acde59, 37366, 0xdf8657eb5ca7e568, 37200,
    0xe0a7e7828082216f, 37036, 0xe1c8f911cfb804be, 36873, 0xe2e7c078158c83ae, 36712,
    0xe405ff898d55dd5d, 36552, 0xe523b311a8b1f41a, 36393, 0xe63f08d2b822b70a, 36236,
    0xe759c8856ea3d745, 36080, 0xe8721bda263ef1df, 35926, 0xe98ba376f46d96e4, 35772,
    0xeaa2b3fb3d04a29e, 35620, 0xebb743fc35624e80, 35470, 0xeccd000842e0e7d8, 35320,
    0xede030a3c1737c55, 35172, 0xeef0cc4ca3b98ad8, 35026, 0xf0028b7732367e64, 34880,
    0xf1138d9222fd889e, 34735, 0xf221ea01dd85f462, 34592, 0xf32f7e254e92c3a5, 34450,
    0xf43c4652ff18aa80, 34309, 0xf5483eda6bcd4c43, 34169, 0xf6517702b82c48fb, 34031,
    0xf75bc30e3fcf57b4, 33893, 0xf8634335fb60eba6, 33757, 0xf969e0ae01d0da99, 33622,
    0xfa718ca24c29c796, 33487, 0xfb765b3833c688a2, 33354, 0xfc7a3b8f7d062543, 33222,
    0xfd7d29c0df2a2490, 33091, 0xfe7f21dec33dcc47, 32961, 0x0000000000000000, 32768,
    0x0000000000000000, 32768, 0x017f1e1ec4c76a62, 32577, 0x027d162ba9657bb8, 32451,
    0x037a04258f790986, 32326, 0x0475e3fae90cf99a, 32202, 0x0570b19482215ce7, 32079,
    0x066a68d59c8196a4, 31957, 0x0765149b4e2bca67, 31835, 0x085c94be0d653b32, 31715,
    0x0952f2118e7be027, 31596, 0x0a4a3d61a8010e28, 31477, 0x0b40617876e75da2, 31359,
    0x0c355a18c80dc2eb, 31242, 0x0d2708003f9d56c6, 31127, 0x0e1bb7e8d238750e, 31011,
    0x0f0d14863cc09a5e, 30897, 0x0ffd3488d5c98046, 30784, 0x10ee369b93bb9b38, 30671,
    0x11dbd2643d190b25, 30560, 0x12ca4b8437467fb7, 30449, 0x13b77a992cc31d87, 30339,
    0x14a5863abe48c912, 30229, 0x159015fe30188a26, 30121, 0x167b7d7273d57ae6, 30013,
    0x17658d23aba012a1, 29906, 0x184e40992a480a84, 29800, 0x1937c8556f50e3d2, 29694,
    0x1a1feed88321a676, 29589, 0x1b06af9c6950ceb4, 29485, 0x1bec061825a968c1, 29382,
    0x1ccfedbfee13a823, 29280, 0x1db4a101aaeb1b3b, 29178, 0x1e97e049bfb0b64e, 29077,
    0x1f7be9fedbfde5f4, 28976, 0x205e7a860282ef27, 28876, 0x213f8d3e3114406d, 28777,
    0x221f1d844a73e264, 28679, 0x22ff71b23114ba8a, 28581, 0x23de3e1c81cd934e, 28484,
    0x24bb7e15895d9f8f, 28388, 0x25997debf2eca228, 28292, 0x2675ebeaee1d1ecd, 28197,
    0x2750c35af6fb0227, 28103, 0x282c567f20c7e49a, 28009, 0x29064d9a7d8f3141, 27916,
    0x29e0fee949dde34b, 27823, 0x2aba0ea849535d48, 27731, 0x2b91780f3b0514d6, 27640,
    0x2c69975173d32571, 27549, 0x2d400aa2595de3a2, 27459, 0x2e17322f44096a6e, 27369,
    0x2eeca8251ec24e97, 27280, 0x2fc067acd9a49a0b, 27192, 0x3094d6eb3ea25d80, 27104,
    0x3169f704dfe52624, 27016, 0x323aeb18a339a19f, 26930, 0x330c8a45a0891f34, 26844,
    0x33ded5a4f2166701, 26758, 0x34af59505c88148b, 26673, 0x3580875cd12cb8d7, 26588,
    0x364fe7dcce843725, 26504, 0x371d75e09fc0eca1, 26421, 0x37eba9762c5bbf9f, 26338,
    0x38ba83a905392e8a, 26255, 0x39850380f44b60f3, 26174, 0x3a52a703746fcea9, 26092,
    0x3b1e6b3602d344eb, 26011, 0x3be84b190b2ed041, 25931, 0x3cb2caab5e70daae, 25851,
    0x3d7deaea64ef186a, 25771, 0x3e4492cf1d789eba, 25693, 0x3f0e64512ec28a81, 25614,
    0x3fd64467d40f9a0c, 25536, 0x409c2e0639b4de4d, 25459, 0x4162b11caf70a09d, 25382,
    0x4229ce99f15f3c1d, 25305, 0x42eeee6c3ddf7181, 25229, 0x43b4a67dcb23289f, 25153,
    0x44785ab6b8b4dc37, 25078, 0x453ca4fe721e12e6, 25003, 0x45fee5385425f574, 24929,
    0x46c1b947d219a68f, 24855, 0x47827d0d28ecd177, 24782, 0x4843d266629c88c2, 24709,
    0x4905ba3007d81515, 24636, 0x49c58a44fe1cf4f2, 24564, 0x4a85ea7e23b74a8d, 24492,
    0x4b442cb142528c60, 24421, 0x4c02fcb4215630cd, 24350, 0x4cbfa859e9b5c3e8, 24280,
    0x4d7cdf730d365aab, 24210, 0x4e3aa2ce49147fbe, 24140, 0x4ef63a3b549dc311, 24071,
    0x4fb25b83fe2f2106, 24002, 0x506f07737998589c, 23933, 0x51297fd1abaa772c, 23865,
    0x51e480663ccc9cc2, 23797, 0x529d46f3c9d863da, 23730, 0x5356933feae68d67, 23663,
    0x540d9f0ba77efb2e, 23597, 0x54c7f716cb30a874, 23530, 0x557d411f13ffae10, 23465,
    0x5635d8e1da9854f1, 23399, 0x56ec271ab1fe66d6, 23334, 0x57a2f783959208a2, 23269,
    0x585777d2fb0571f3, 23205, 0x590c77c111477e02, 23141,
};
