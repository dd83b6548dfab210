/* SPDX-License-Identifier: Apache-2.0 */
/* The handlers of replay.h; FILL names the function that enters them in a table. */
#include "simt/access_tmpl.h"
#include "simt/replay.h"

#define REPLAY (((const struct sam_worker *)(const void *)c->tlb)->replay) /* its first member */

/* Record the path that ends with this instruction and begin one after it, before it has run: a
 * branch that is taken leaves an empty path behind. The budget is charged up to here. */
#define END_PATH()                                                                                 \
    do {                                                                                           \
        sam_replay_end(REPLAY, c, entry, op + 1);                                                  \
        left -= op + 1 - entry;                                                                    \
        entry = op + 1;                                                                            \
    } while (0)
#define GO_ON(counters) SAM_MUSTTAIL return (counters)->fn(c, op, entry, left)

SAM_HANDLER(replay_end)
{
    END_PATH();
    GO_ON(c->counters + (op - c->ops));
}

SAM_HANDLER(replay_leave)
{
    if (op != entry)
        sam_replay_end(REPLAY, c, entry, op);
    left -= op - entry;
    entry = op;
    GO_ON(c->counters + (op - c->ops));
}

SAM_HANDLER(replay_masked)
{
    struct sam_replay *s = REPLAY;
    uint8_t *out = sam_replay_room(s, !sam_uop_in_page(c, op));
    uint32_t lanes = 0;
    for (unsigned g = 0; g < W->groups; g++)
        lanes |= acting(W, op, g);
    memcpy(out, &lanes, sizeof lanes);
    s->used += sizeof lanes;
    GO_ON(sam_counters_of(c, op));
}

/* ------------------------------------------------------------------------------- accesses */

/* A store to a page that has no room for writing may be one to code: it ends a path, so that this
 * is recorded as it was. */
static inline bool may_be_code(const struct sam_core *c, uint32_t address)
{
    return c->entries[address >> 12].write_limit == 0;
}

static inline uint32_t put_address(struct sam_core *c, const struct sam_uop *op)
{
    struct sam_replay *s = REPLAY;
    const uint32_t address = X1 + (uint32_t)op->imm;
    memcpy(sam_replay_room(s, !sam_uop_in_page(c, op)), &address, sizeof address);
    s->used += sizeof address;
    if (s->footprint)
        sam_replay_touch(s, &sam_counters_of(c, op)->insn, address);
    return address;
}

SAM_HANDLER(replay_scalar_load)
{
    put_address(c, op);
    GO_ON(sam_counters_of(c, op));
}

SAM_HANDLER(replay_scalar_store)
{
    const uint32_t address = put_address(c, op);
    if (may_be_code(c, address) || may_be_code(c, address + 4))
        END_PATH();
    GO_ON(c->counters + (op - c->ops));
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
    /* never the usual lanes: those are of the first group alone */
    uint8_t *out = put_lanes(tag, lanes, ~lanes);
    return count ? sam_replay_put_each(tag, out, at, count) : out;
}

/* True: the instruction may be a store to code. */
static inline bool put_accesses(struct sam_core *c, const struct sam_uop *op,
                                const struct sam_counters *counters)
{
    struct sam_replay *s = REPLAY;
    const struct sam_lanes_access *a = &s->access[counters->insn.op];
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
    if (s->footprint)
        sam_replay_touch_lanes(s, &counters->insn, tag, W->bits[0]);
    if (!a->store || (*tag & REPLAY_FORM) == REPLAY_NONE)
        return false;
    if ((*tag & (REPLAY_FORM | REPLAY_FOUR | REPLAY_MASKED)) != (REPLAY_STRIDED | REPLAY_FOUR))
        return true;
    uint32_t start;
    memcpy(&start, tag + 1, sizeof start);
    return may_be_code(c, start) || may_be_code(c, start + 4 * W->lanes);
}

SAM_HANDLER(replay_lanes_load)
{
    struct sam_counters *counters = sam_counters_of(c, op);
    put_accesses(c, op, counters);
    GO_ON(counters);
}

SAM_HANDLER(replay_lanes_store)
{
    struct sam_counters *counters = c->counters + (op - c->ops);
    if (put_accesses(c, op, counters))
        END_PATH();
    GO_ON(counters);
}

void FILL(struct replay_handlers *handlers);
void FILL(struct replay_handlers *handlers)
{
    *handlers = (struct replay_handlers){
        .end = replay_end,
        .leave = replay_leave,
        .masked = replay_masked,
        .scalar_load = replay_scalar_load,
        .scalar_store = replay_scalar_store,
        .lanes_load = replay_lanes_load,
        .lanes_store = replay_lanes_store,
        .put = put,
    };
}
