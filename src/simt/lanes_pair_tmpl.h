/* SPDX-License-Identifier: Apache-2.0 */
/* Part of lanes_tmpl.h: 64-bit arithmetic under REGPAIR and REGPAIRI. The rules, and memory, scalar
 * and illegal instructions, are in pair.c. */

/* A source: an even register names a pair; an odd one is sign-extended. */
static inline void pair_read(const struct sam_warp *w, unsigned number, uint64_t *to)
{
    const uint32_t *low = __builtin_assume_aligned(&w->v[number][0], 64);
    const uint32_t *high = __builtin_assume_aligned(&w->v[number | 1][0], 64);
    if (number & 1)
        LANES to[i] = (uint64_t)(int64_t)SI(low[i]);
    else
        LANES to[i] = (uint64_t)high[i] << 32 | low[i];
}

/* The destination: both words, or the low one. */
static inline void pair_write(struct sam_warp *w, const struct sam_uop *op, const uint64_t *from)
{
    const uint32_t bits = acting(w, op, 0);
    uint32_t words[SAM_LANES] __attribute__((aligned(64)));
    LANES words[i] = (uint32_t)from[i];
    blend(w, bits, __builtin_assume_aligned(&w->v[op->rd][0], 64), words);
    if (op->rd & 1)
        return;
    LANES words[i] = (uint32_t)(from[i] >> 32);
    blend(w, bits, __builtin_assume_aligned(&w->v[op->rd + 1][0], 64), words);
}

/* Source operands in field `first` and b: B0 declares b's register, BI reads it. */
#define PAIR_OP(name, first, B0, BI, expr)                                                         \
    SAM_HANDLER(pair_##name)                                                                       \
    {                                                                                              \
        if (SAM_UNLIKELY(!W->single))                                                              \
            SAM_MUSTTAIL return sam_warp_pair(c, op, entry, left);                                 \
        {                                                                                          \
            uint64_t results[SAM_LANES] __attribute__((aligned(64)));                              \
            B0;                                                                                    \
            pair_read(W, op->first, results);                                                      \
            LANES                                                                                  \
            {                                                                                      \
                const uint64_t a = results[i], b = (BI);                                           \
                results[i] = (uint64_t)(expr);                                                     \
            }                                                                                      \
            pair_write(W, op, results);                                                            \
        }                                                                                          \
        SAM_NEXT();                                                                                \
    }

#define PAIR_VV_B0                                                                                 \
    uint64_t second[SAM_LANES] __attribute__((aligned(64)));                                       \
    pair_read(W, op->rs1, second)
#define PAIR_VI_B0          const uint64_t s = (uint64_t)op->imm
#define PAIR_VV(name, expr) PAIR_OP(name##_vv, rs2, PAIR_VV_B0, second[i], expr)
#define PAIR_VX(name, expr)                                                                        \
    PAIR_OP(name##_vx, rs2, const uint64_t s = sam_pair_scalar(c, op->rs1), s, expr)
#define PAIR_VI(name, expr) PAIR_OP(name##_vi, rs2, PAIR_VI_B0, s, expr)

/* One row per operation, with its forms. */
#define PAIR_ROWS(ALL, VV_VX, VX_VI)                                                               \
    ALL(vadd, a + b)                                                                               \
    VV_VX(vsub, a - b)                                                                             \
    VX_VI(vrsub, b - a)                                                                            \
    ALL(vand, a &b)                                                                                \
    ALL(vor, a | b)                                                                                \
    ALL(vxor, a ^ b)                                                                               \
    ALL(vsll, a << (b & 63))                                                                       \
    ALL(vsrl, a >> (b & 63))                                                                       \
    ALL(vsra, (int64_t)a >> (b & 63))                                                              \
    VV_VX(vmul, a *b)                                                                              \
    ALL(vmseq, a == b)                                                                             \
    ALL(vmsne, a != b)                                                                             \
    VV_VX(vmslt, (int64_t)a < (int64_t)b)                                                          \
    VV_VX(vmsltu, a < b)                                                                           \
    ALL(vmsle, (int64_t)a <= (int64_t)b)                                                           \
    ALL(vmsleu, a <= b)                                                                            \
    VX_VI(vmsgt, (int64_t)a > (int64_t)b)                                                          \
    VX_VI(vmsgtu, a > b)

#define PAIR_VV_VX(name, expr)    PAIR_VV(name, expr) PAIR_VX(name, expr)
#define PAIR_VX_VI(name, expr)    PAIR_VX(name, expr) PAIR_VI(name, expr)
#define PAIR_VV_VX_VI(name, expr) PAIR_VV_VX(name, expr) PAIR_VI(name, expr)
PAIR_ROWS(PAIR_VV_VX_VI, PAIR_VV_VX, PAIR_VX_VI)
PAIR_OP(vadd12_vi, rs1, PAIR_VI_B0, s, a + b)
PAIR_OP(vsub12_vi, rs1, PAIR_VI_B0, s, a - b)

static void fill_pairs(sam_handler **h)
{
#define ENTER(form)             h[SAM_OP_##form] = pair_##form;
#define ENTER_VV_VX(name, expr) ENTER(name##_vv) ENTER(name##_vx)
#define ENTER_VX_VI(name, expr) ENTER(name##_vx) ENTER(name##_vi)
#define ENTER_ALL(name, expr)   ENTER(name##_vv) ENTER(name##_vx) ENTER(name##_vi)
    PAIR_ROWS(ENTER_ALL, ENTER_VV_VX, ENTER_VX_VI)
    ENTER(vadd12_vi)
    ENTER(vsub12_vi)
}
