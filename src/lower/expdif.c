/* SPDX-License-Identifier: Apache-2.0 */
/* e^(a - b) with an exact difference. a - b is the sum of two floats; reduction to n ln 2 + r, |r|
 * < 0.36, keeps 64 fractional bits. r = c + s with c a multiple of 1/256, t = e^c from a table, |s|
 * <= 1/512. The result t + t p, p = e^s - 1, has a relative error below 2^-58 and is rounded once.
 */
#include "lower/math.h"

/* clang-format off */
#define COMMON \
    "vfsub.vv v10, v8, v9 # d = a - b, rounded; " \
    "vfsub.vv v11, v10, v8; vfsub.vv v12, v10, v11; vfsub.vv v12, v8, v12; " \
    "vfadd.vv v11, v9, v11; vfsub.vv v12, v12, v11 # rounding error of d, exact; " \
    "li t0, 0xc2d20000 # -105: the result is 0; " \
    "li t1, 0x42b20000 # 89: infinity; " \
    "li t2, 0x3fb8aa3b # log2 e; " \
    "li t3, 0x3f317200 # ln 2: its first 15 bits; " \
    "li t4, 0x4f800000 # 2^32; " \
    "li t5, 0x2f800000 # 2^-32; " \
    "vfmax.vf v8, v10, t0; vfmin.vf v8, v8, t1; vfmul.vf v11, v8, t2; vfcvt.x.f.v v13, v11 # n; " \
    "vfcvt.f.x.v v14, v13; vfnmsac.vf v8, t3, v14; vfmul.vf v17, v8, t4; " \
    "vfcvt.x.f.v v17, v17 # r, upper word; " \
    "vfcvt.f.x.v v14, v17; vfnmsac.vf v8, t5, v14; vfadd.vv v12, v12, v8 # the part below it; " \
    "li t0, 0x57800000 # 2^48; " \
    "li t1, 0x27800000 # 2^-48; " \
    "li t2, 0x5f800000 # 2^64; " \
    "li a6, 0xd1cf79ac # ln 2: the rest, at 2^-64; " \
    "li a7, 0x17f7; vfmul.vf v11, v12, t0; vfcvt.x.f.v v11, v11; vfcvt.f.x.v v14, v11; " \
    "vfnmsac.vf v12, t1, v14; vfmul.vf v15, v12, t2; vfcvt.x.f.v v15, v15; vmv.v.i v16, 0; " \
    "regpair zero, zero, 0; vsll.vi v18, v11, 16; regpair zero, zero, 0; vadd.vv v16, v16, v18; " \
    "regpair zero, zero, 0; vadd.vv v16, v16, v15; regpair zero, zero, 0; vmul.vx v18, v13, a6; " \
    "regpair zero, zero, 0; vsub.vv v16, v16, v18 # r, v17 and v16; " \
    "lla t0, .Lmath_exp_table; li t1, 0x5a800000 # indexes are from 0, and c = 0 in the middle; " \
    "li t2, 0xffffff; li t3, 0x800000 # half an interval of the table; " \
    "vadd.vx v20, v17, t1; vsrl.vi v21, v20, 24; vsll.vi v21, v21, 3; vadd.vx v21, v21, t0; " \
    "vand.vx v17, v20, t2; vsub.vx v17, v17, t3 # s, v17 and v16; " \
    "regpair zero, zero, 0; vsll.vi v18, v16, 8 # s at 2^-72; " \
    "li t0, 2185 # 1/120 at 2^18; " \
    "li t1, 2796203 # 1/24 at 2^26; " \
    "li t2, 0xaaaaaaab # 1/6 at 2^34; " \
    "vmulh.vx v20, v19, t0; vadd.vx v20, v20, t1; vmulh.vv v20, v19, v20; " \
    "vadd.vx v20, v20, t2 # h = 1/6 + s/24 + s^2/120; " \
    "vmulhsu.vv v20, v19, v20 # s h at 2^-42; " \
    "vmulhsu.vv v11, v19, v18; vmulh.vv v23, v19, v19; " \
    "vmul.vv v22, v19, v19 # s^2 at 2^-80, of the upper word; " \
    "vmulh.vv v15, v23, v20; vmul.vv v14, v23, v20 # s^3 h at 2^-90; " \
    "regpair zero, zero, 0; vsra.vi v14, v14, 26; regpair zero, zero, 0; vadd.vv v16, v16, v14; " \
    "regpair zero, zero, 0; vsrl.vi v22, v22, 17; regpair zero, zero, 0; vadd.vv v16, v16, v22; " \
    "vsra.vi v11, v11, 16; regpair zero, zero, 0; vadd.vv v16, v16, v11 # p = e^s - 1 at 2^-64; " \
    "vlw12.v v18, 0(v21) # t at 2^-63; " \
    "vlw12.v v19, 4(v21); vmul.vv v14, v17, v19; vmulhsu.vv v15, v17, v19; " \
    "vmulhu.vv v22, v19, v16; vmv.v.i v23, 0; vmulhsu.vv v11, v17, v18; " \
    "regpair zero, zero, 0; vadd.vv v18, v18, v14; " \
    "regpair zero, zero, 0; vadd.vv v18, v18, v22; " \
    "regpair zero, zero, 0; vadd.vv v18, v18, v11 # t + t p; " \
    "li t0, -125; li t1, 31; vrsub.vx v11, v13, t0; vmax.vx v11, v11, zero; " \
    "vmin.vx v11, v11, t1 # bits that a subnormal result loses; " \
    "vadd.vv v13, v13, v11; regpair zero, zero, 0; vsrl.vv v18, v18, v11; li t0, 126; " \
    "vadd.vx v13, v13, t0; vsll.vi v13, v13, 23 # 2^(n - 1); " \
    "vmsne.vi v11, v18, 0; vor.vv v19, v19, v11 # upper word with sticky bit; " \
    "li t0, 0x7fc00000; vmfne.vv v10, v10, v10; vmul.vx v10, v10, t0 # NaN where d is, else 0; "

const char sam_lower_expdif_text[] = COMMON
    "li t0, 0xffff0000; li t1, 0x30800000 # 2^-30; "
    "vand.vx v14, v19, t0; vsub.vv v15, v19, v14; vfcvt.f.xu.v v14, v14; vfcvt.f.xu.v v15, v15; "
    "vfmul.vf v14, v14, t1; vfmul.vf v15, v15, t1; vfmul.vv v14, v14, v13; "
    "vfmacc.vv v14, v15, v13; vor.vv v8, v14, v10";

/* 16-bit results: round to odd at 20 bits, so that the second rounding is exact. */
const char sam_lower_expdif_narrow_text[] = COMMON
    "li t0, 0xfff; li t1, 0x36800000 # 2^-18; "
    "vand.vx v14, v19, t0; vmsne.vi v14, v14, 0; vsrl.vi v19, v19, 12; vor.vv v14, v19, v14; "
    "vfcvt.f.xu.v v14, v14; vfmul.vf v14, v14, t1; vfmul.vv v14, v14, v13; vor.vv v8, v14, v10";

/* clang-format on */

/* e^c scaled by 2^63, for c from -90/256 to 90/256. */
const uint64_t sam_lower_exp_table[LOWER_EXP_ENTRIES] = {
    0x5a0f2adf169bbcc1, 0x5a696720916a6b04, 0x5ac3fdcb7ae27389, 0x5b1eef3a69b64c58,
    0x5b7a3bc84f5c7863, 0x5bd5e3d0786a7906, 0x5c31e7ae8cf01aa7, 0x5c8e47be90d31cc8,
    0x5ceb045ce42b35f9, 0x5d481de6439e73f4, 0x5da594b7c8bdf84d, 0x5e03692eea63120c,
    0x5e619ba97d0cb48a, 0x5ec02c85b33d4bfb, 0x5f1f1c221dd8eff8, 0x5f7e6addac83f469,
    0x5fde1917ae01d935, 0x603e272fd0949909, 0x609e9586225c57a5, 0x60ff647b11b77002,
    0x6160946f6da2e2bc, 0x61c225c4661b2511, 0x622418db8c7d50ed, 0x62866e16d3e8b649,
    0x62e925d891a0ce55, 0x634c40837d6f90c5, 0x63afbe7ab2082ba2, 0x6413a021ad6a1e02,
    0x6477e5dc5144b616, 0x64dc900ee35af2de, 0x65419f1e0de7c9f5, 0x65a7136ee002d1d3,
    0x660ced66ce0550f0, 0x66732d6bb1efb224, 0x66d9d3e3cbcf5eae, 0x6740e135c224fe4f,
    0x67a855c8a24b1dcd, 0x68103203e0dd3c5c, 0x6878764f5a1f403c, 0x68e123135265530d,
    0x694a38b8767c2625, 0x69b3b7a7dc119f69, 0x6a1da04b021def01, 0x6a87f30bd14d0e5f,
    0x6af2b0549c68a8ec, 0x6b5dd89020c26ee0, 0x6bc96c29869ed299, 0x6c356b8c61a030eb,
    0x6ca1d724b13264cc, 0x6d0eaf5ee0f6c6c4, 0x6d7bf4a7c930989f, 0x6de9a76caf31ddb0,
    0x6e57c81b45c8a035, 0x6ec65721adaca429, 0x6f3554ee75ed8806, 0x6fa4c1f09c6153de,
    0x70149e978e13773a, 0x7084eb5327b43631, 0x70f5a893b608861e, 0x7166d6c9f65a5a70,
    0x71d8766716e961fe, 0x724a87dcb75c354f, 0x72bd0b9ce931f64a, 0x7330021a303461c1,
    0x73a36bc782ea5340, 0x741749184b0abba2, 0x748b9a8065f00acd, 0x75006074250c0d1c,
    0x75759b684e5c3cd3, 0x75eb4bd21cde882e, 0x7661722741068c62, 0x76d80edde133461e,
    0x774f226c9a2537f5, 0x77c6ad4a7f750724, 0x783eafef1c0a8f39, 0x78b72ad272946d02,
    0x79301e6cfe000147, 0x79a98b37b1f1ebc1, 0x7a2371abfb3efec7, 0x7a9dd243c065ac32,
    0x7b18ad796207ebdf, 0x7b9403c7bb659c60, 0x7c0fd5aa22d75e45, 0x7c8c239c6a49ea7d,
    0x7d08ee1adfb9e44f, 0x7d8635a24db02761, 0x7e03faaffbbe924a, 0x7e823dc1aefd4e2f,
    0x7f00ff55aa8893e6, 0x7f803feaaffeef1c, 0x8000000000000000, 0x808040155aabbbe9,
    0x810100ab00222d86, 0x81824241b103b504, 0x8204055aaef1c8bd, 0x82864a77bd1036e1,
    0x8309121b2086e8a7, 0x838c5cc7a104277e, 0x84102b00893f64c7, 0x84947d49a77c8498,
    0x851954274e0fac0a, 0x859eb01e53e19398, 0x862491b414f45e15, 0x86aaf96e72e8f4b3,
    0x8731e7d3d584e8ba, 0x87b95d6b2b38db4c, 0x88415abbe9a76beb, 0x88c9e04e0e2cae22,
    0x8952eeaa1e6626ed, 0x89dc865928bb5264, 0x8a66a7e4c4e6b22b, 0x8af153d7147f6538,
    0x8b7c8abac3834979, 0x8c084d1b08e1a7db, 0x8c949b83a7066b45, 0x8d217680ec65e30e,
    0x8daede9fb4091182, 0x8e3cd46d661a86f1, 0x8ecb5877f873c9e9, 0x8f5a6b4def2b4d19,
    0x8fea0d7e5d22f377, 0x907a3f98e4972328, 0x910b022db7ae67ce, 0x919c55cd9909a4b9,
    0x922e3b09dc54d791, 0x92c0b27466d86c11, 0x9353bc9fb00b215b, 0x93e75a1ec224817c,
    0x947b8b853aafebad, 0x951051674b2031ed, 0x95a5ac59b963ca81, 0x963b9cf1e07995ea,
    0x96d223c5b10639f6, 0x9769416bb1ea126e, 0x9800f67b00d7b806, 0x9899438b52eb1e16,
    0x99322934f54147ca, 0x99cba810cd909545, 0x9a65c0b85ac1a96a, 0x9b0073c5b588e8cf,
    0x9b9bc1d39100927b, 0x9c37ab7d3b437312, 0x9cd4315e9e0832fc, 0x9d7154143f3d4025,
    0x9e0f143b41a553fd, 0x9ead727165749645, 0x9f4c6f5508ee5d52, 0x9fec0b8529038c5a,
    0xa08c47a161f19078, 0xa12d2449efe1fcf2, 0xa1cea21faf8ac772, 0xa270c1c41ecf24c7,
    0xa31383d95d6106da, 0xa3b6e9022d633c69, 0xa45af1e1f40c333b, 0xa4ff9f1cba495d61,
    0xa5a4f1572d633a33, 0xa64ae9369fa203a4, 0xa6f1876108f3009e, 0xa798cc7d078e7cf3,
    0xa840b931e09e67af, 0xa8e94e2780e59844, 0xa9928c067d67bb65, 0xaa3c73781411e812,
    0xaae705262c63dd93, 0xab9241bb5819eb0b, 0xac3e29e2d3d7813b, 0xaceabe4887d26f3b,
    0xad97ff99087ecab9, 0xae45ee81973b847e, 0xaef48bb022ffa9db, 0xafa3d7d3490853ad,
    0xb053d39a558743ab, 0xb1047fb5445230a5, 0xb1b5dcd4c192c269, 0xb267ebaa2a773dfb,
    0xb31aace78de3e2d1, 0xb3ce213fad24f9c8, 0xb4824965fca1967f, 0xb537260ea48f0bcb,
    0xb5ecb7ee81a513fd,
};
