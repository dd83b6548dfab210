/* SPDX-License-Identifier: Apache-2.0 */
/* Records blocks, lanes and addresses (sam_replay). */
#include "simt/replay.h"

static inline void replay_on_block(struct sam_core *c, const struct sam_uop *entry,
                                   const struct sam_uop *past)
{
    sam_replay_end(sam_worker_of(c)->replay, c, entry, past);
}

/* The lanes that branch are known after the branch; sam_replay_flush records them. */
static inline void replay_on_split(struct sam_core *c, struct sam_counters *counters)
{
    (void)c, (void)counters;
}

static inline void replay_on_masked(struct sam_core *c, const struct sam_uop *op,
                                    struct sam_counters *counters)
{
    struct sam_replay *s = sam_worker_of(c)->replay;
    uint8_t *out = sam_replay_room(s, !sam_uop_in_page(c, op));
    uint32_t lanes = 0;
    (void)counters;
    for (unsigned g = 0; g < W->groups; g++)
        lanes |= acting(W, op, g);
    memcpy(out, &lanes, sizeof lanes);
    s->used += sizeof lanes;
}

static inline bool replay_on_scalar(struct sam_core *c, const struct sam_uop *op,
                                    struct sam_counters *counters)
{
    struct sam_replay *s = sam_worker_of(c)->replay;
    const uint32_t address = X1 + (uint32_t)op->imm;
    memcpy(sam_replay_room(s, !sam_uop_in_page(c, op)), &address, sizeof address);
    s->used += sizeof address;
    (void)counters;
    return may_be_code(c, address) || may_be_code(c, address + 4);
}

static inline uint8_t *put_lanes(uint8_t *tag, uint32_t bits, uint32_t usual)
{
    *tag = 0;
    if (bits == usual)
        return tag + 1;
    *tag = REPLAY_MASKED;
    memcpy(tag + 1, &bits, sizeof bits);
    return tag + 1 + sizeof bits;
}

static inline uint8_t *put_strided(uint8_t *tag, uint8_t *out, uint32_t base, uint32_t stride)
{
    memcpy(out, &base, sizeof base);
    *tag |= REPLAY_STRIDED;
    if (stride == 4) {
        *tag |= REPLAY_FOUR;
        return out + sizeof base;
    }
    memcpy(out + sizeof base, &stride, sizeof stride);
    return out + sizeof base + sizeof stride;
}

static uint8_t *put(uint8_t *tag, const uint32_t at[SAM_LANES], uint32_t bits, uint32_t usual)
{
    uint8_t *out = put_lanes(tag, bits, usual);
    if (!bits)
        return out;
    const unsigned low = (unsigned)__builtin_ctz(bits);
    const uint32_t rest = bits & (bits - 1);
    uint32_t stride = 0;
    if (rest) {
        const unsigned second = (unsigned)__builtin_ctz(rest);
        const int32_t distance = (int32_t)(at[second] - at[low]), lanes = (int32_t)(second - low);
        stride = (uint32_t)(lanes == 1 ? distance : distance / lanes);
    }
    const uint32_t base = at[low] - low * stride;
    uint32_t differ = 0;
    LANES differ |= (at[i] ^ (base + stride * (uint32_t)i)) & -(bits >> i & 1);
    if (SAM_LIKELY(!differ))
        return put_strided(tag, out, base, stride);
    uint32_t each[SAM_LANES];
    unsigned count = 0;
    for (; bits; bits &= bits - 1)
        each[count++] = at[__builtin_ctz(bits)];
    return sam_replay_put_each(tag, out, each, count);
}

/* Under LMUL 2 or REGPAIR. */
static SAM_NOINLINE uint8_t *put_many(struct sam_core *c, const struct sam_uop *op,
                                      const struct sam_lanes_access *a, bool pair, uint8_t *tag)
{
    uint32_t at[REPLAY_MOST_ADDRESSES + 16] __attribute__((aligned(64)));
    uint32_t lanes = 0;
    for (unsigned g = 0; g < W->groups; g++)
        lanes |= acting(W, op, g);
    unsigned count = active_addresses(c, op, a, at);
    if (pair)
        count = pair_up(at, count, a->own ? 4 * W->numw * W->lanes : 4);
    /* always named: `usual` lanes are those of group 0 */
    uint8_t *out = put_lanes(tag, lanes, ~lanes);
    return count ? sam_replay_put_each(tag, out, at, count) : out;
}

static inline bool replay_on_lanes(struct sam_core *c, const struct sam_uop *op,
                                   struct sam_counters *counters)
{
    struct sam_replay *s = sam_worker_of(c)->replay;
    const struct sam_lanes_access *a = &sam_worker_of(c)->access[counters->insn.op];
    uint8_t *tag = sam_replay_room(s, !sam_uop_in_page(c, op)), *out;
    const bool pair = counters->insn.pair && sam_lanes_is_pair(&counters->insn, a);
    if (SAM_UNLIKELY(W->groups != 1 || pair)) {
        out = put_many(c, op, a, pair, tag);
    } else {
        const uint32_t bits = acting(W, op, 0);
        if (a->form <= SAM_FORM_STRIDED && !a->own && bits) {
            const uint32_t stride = a->form == SAM_FORM_UNIT ? a->size : c->x32[op->rs2];
            out = put_strided(tag, put_lanes(tag, bits, W->bits[0]), X1, stride);
        } else {
            uint32_t at[SAM_LANES] __attribute__((aligned(64)));
            lane_addresses(c, op, a, 0, at);
            out = put(tag, at, bits, W->bits[0]);
        }
    }
    s->used += (size_t)(out - tag);
    if (!a->store || (*tag & REPLAY_FORM) == REPLAY_NONE)
        return false;
    if ((*tag & (REPLAY_FORM | REPLAY_FOUR | REPLAY_MASKED)) != (REPLAY_STRIDED | REPLAY_FOUR))
        return true;
    uint32_t start;
    memcpy(&start, tag + 1, sizeof start);
    return may_be_code(c, start) || may_be_code(c, start + 4 * W->lanes);
}

#define OBSERVER replay
#include "simt/observe_tmpl.h"
