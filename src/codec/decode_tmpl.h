/* SPDX-License-Identifier: Apache-2.0 */
/* All streams at once, several symbols a look-up. Included by each level's file; the loop is plain
 * C, what differs is how well the host shifts and counts. */
#include "codec/codec.h"

#if defined(__BMI2__)
#include <immintrin.h>
#endif

enum {
    LOOKUPS = 5,                        /* of 11 bits each, between two loads of 64 */
    LOAD_STEP = 7,                      /* bytes of input a round takes at most */
    STORE_STEP = LOOKUPS * 7,           /* symbols a round gives at most */
    FETCH_LINES = 5,                    /* of memory, a round */
    STORE_ROOM = (LOOKUPS - 1) * 7 + 8, /* ... and needs below the write pointer */
};

#define TOP (UINT64_C(1) << 63)

/* A stream: the next bits stand low in `bits`, under a one that falls as they are used, so that
 * its leading zeros say how many were. */
struct stream {
    const uint8_t *in;
    const uint8_t *in_end;
    uint64_t bits;
    uint8_t *out; /* one past the next symbol to write, which is the one below */
    uint8_t *out_end;
};

static inline uint64_t load64(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static inline unsigned used_of(uint64_t bits)
{
    return (unsigned)__builtin_clzll(bits);
}

/* How many rounds a stream can do without another look at its ends. */
static inline size_t rounds_of(const struct stream *s)
{
    size_t in = (size_t)(s->in_end - s->in), out = (size_t)(s->out - s->out_end);
    if (in < 8 || out < STORE_ROOM)
        return 0;
    in = (in - 8) / LOAD_STEP;
    out = (out - STORE_ROOM) / STORE_STEP;
    return 1 + (in < out ? in : out);
}

#define REFILL(j)                                                                                  \
    do {                                                                                           \
        unsigned used = used_of(bits##j);                                                          \
        in##j += used >> 3;                                                                        \
        bits##j = (load64(in##j) | TOP) >> (used & 7);                                             \
    } while (0)

#define LOOKUP(j)                                                                                  \
    do {                                                                                           \
        uint64_t slot = SLOT(bits##j);                                                             \
        uint64_t entry = entries[slot];                                                            \
        bits##j >>= entry & 63;                                                                    \
        memcpy(out##j - 8, &entry, 8);                                                             \
        out##j -= counts[slot];                                                                    \
    } while (0)

#if defined(__BMI2__)
#define SLOT(bits) _bzhi_u64((bits), slot_bits)
#else
#define SLOT(bits) ((bits) & (SAM_CODE_SLOTS - 1))
#endif

#define EACH(DO)                                                                                   \
    DO(0);                                                                                         \
    DO(1);                                                                                         \
    DO(2);                                                                                         \
    DO(3);                                                                                         \
    DO(4)

#define TAKE(j)                                                                                    \
    const uint8_t *in##j = s[j].in;                                                                \
    uint64_t bits##j = s[j].bits;                                                                  \
    uint8_t *out##j = s[j].out

/* Whole bytes that were used are left behind, so that rounds_of counts right. */
#define GIVE(j)                                                                                    \
    do {                                                                                           \
        unsigned used = used_of(bits##j);                                                          \
        s[j].in = in##j + (used >> 3);                                                             \
        s[j].bits = TOP >> (used & 7);                                                             \
        s[j].out = out##j;                                                                         \
    } while (0)

/* Look-ups keep the core busy and memory idle: meanwhile fetch what is merged next, and the lines
 * that it is merged into. Fetched too far does no harm. */
struct fetch {
    const uint8_t *at;
    const uint8_t *end;
    size_t step;
};

/* The next piece of what there is to fetch; without one, lines that are there. */
static SAM_NOINLINE void fetch_next(struct fetch *fetch, const struct sam_warm *warm,
                                    const struct sam_decode_table *table)
{
    bool more = fetch->step && fetch->end != warm->to + warm->to_size;
    if (more)
        *fetch = (struct fetch){warm->to, warm->to + warm->to_size, fetch->step};
    else
        *fetch = (struct fetch){table->count, table->count + 1, 0}; /* this end is never reached */
}

static void decode_together(const struct sam_decode_table *table, struct stream s[SAM_STREAMS],
                            size_t rounds, struct fetch *fetch, const struct sam_warm *warm)
{
    const uint64_t *entries = table->entry;
    const uint8_t *counts = table->count;
#if defined(__BMI2__)
    unsigned slot_bits = SAM_CODE_LIMIT;
    __asm__("" : "+r"(slot_bits)); /* in a register: bzhi is one instruction, mov and and are two */
#endif
    const uint8_t *at = fetch->at, *fetch_end = fetch->end;
    size_t step = fetch->step;
    EACH(TAKE);
    while (rounds--) {
        for (unsigned i = 0; i < FETCH_LINES; i++)
            __builtin_prefetch(at + (size_t)64 * i, 0, 2);
        at += step;
        if (SAM_UNLIKELY(at >= fetch_end)) {
            fetch_next(fetch, warm, table);
            at = fetch->at;
            fetch_end = fetch->end;
            step = fetch->step;
        }
        EACH(REFILL);
        EACH(LOOKUP);
        EACH(LOOKUP);
        EACH(LOOKUP);
        EACH(LOOKUP);
        EACH(LOOKUP);
    }
    EACH(GIVE);
    *fetch = (struct fetch){at, fetch_end, step};
}

static bool decode_alone(const struct sam_decode_table *table, struct stream *s0,
                         const uint8_t *start)
{
    const uint64_t *entries = table->entry;
    const uint8_t *counts = table->count;
#if defined(__BMI2__)
    unsigned slot_bits = SAM_CODE_LIMIT;
    __asm__("" : "+r"(slot_bits));
#endif
    struct stream *s = s0;
    for (size_t rounds; (rounds = rounds_of(s)) != 0;) {
        TAKE(0);
        while (rounds--) {
            REFILL(0);
            LOOKUP(0);
            LOOKUP(0);
            LOOKUP(0);
            LOOKUP(0);
            LOOKUP(0);
        }
        GIVE(0);
    }
    uint64_t bit = (uint64_t)(s->in - start) * 8 + used_of(s->bits);
    return sam_stream_decode_rest(table, start, (size_t)(s->in_end - start), bit, s->out_end,
                                  (size_t)(s->out - s->out_end));
}

/* NOLINTBEGIN(readability-non-const-parameter): written through s[].out */
static bool decode(const struct sam_decode_table *table, const uint8_t *in,
                   const uint32_t sizes[SAM_STREAMS], uint8_t *symbols, size_t count,
                   const struct sam_warm *warm)
/* NOLINTEND(readability-non-const-parameter) */
{
    struct fetch fetch = {warm->from, warm->from + warm->from_size, (size_t)64 * FETCH_LINES};
    struct stream s[SAM_STREAMS];
    const uint8_t *start[SAM_STREAMS];
    size_t length = sam_stream_length(count);
    for (unsigned j = 0; j < SAM_STREAMS; j++) {
        size_t begin = j * length < count ? j * length : count;
        size_t end = count - begin < length ? count : begin + length;
        start[j] = in;
        s[j] = (struct stream){in, in + sizes[j], TOP, symbols + end, symbols + begin};
        in += sizes[j];
    }
    for (;;) {
        size_t rounds = SIZE_MAX;
        for (unsigned j = 0; j < SAM_STREAMS; j++) {
            size_t mine = rounds_of(&s[j]);
            rounds = mine < rounds ? mine : rounds;
        }
        if (!rounds)
            break;
        decode_together(table, s, rounds, &fetch, warm);
    }
    for (unsigned j = 0; j < SAM_STREAMS; j++)
        if (!decode_alone(table, &s[j], start[j]))
            return false;
    return true;
}
