/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes all streams in parallel, several symbols per look-up. Compiled per instruction level,
 * with inline assembly for a few instructions on x86-64. */
#include "codec/codec.h"

#if defined(__BMI2__)
#include <immintrin.h>
#endif

enum {
    LOOKUPS = 5,                        /* of 11 bits each, per 64-bit load */
    LOAD_STEP = 7,                      /* most bytes of input per round */
    STORE_STEP = LOOKUPS * 7,           /* most symbols per round */
    STORE_ROOM = (LOOKUPS - 1) * 7 + 8, /* room needed below the write pointer */
    FETCH_FROM = 2 * 64,                /* bytes prefetched per round, for reading */
    FETCH_TO = 3 * 64,                  /* for writing */
};

#define TOP (UINT64_C(1) << 63)

/* Stream state. The low bits of `bits` are the next bits; a marker bit above them moves down as
 * they are consumed, so the count of leading zeros is the number of bits consumed. */
struct stream {
    const uint8_t *in;
    uint64_t bits;
    uint8_t *out; /* one past the next symbol to write; output runs backwards */
    uint8_t *out_end;
};

static inline uint64_t load64(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Number of rounds without bounds checks. Bytes before `in_end` may belong to later streams;
 * symbols decoded from them are never used. */
static inline size_t rounds_of(const struct stream *s, const uint8_t *in_end)
{
    size_t in = (size_t)(in_end - s->in), out = (size_t)(s->out - s->out_end);
    if (in < 8 || out < STORE_ROOM)
        return 0;
    in = (in - 8) / LOAD_STEP;
    out = (out - STORE_ROOM) / STORE_STEP;
    return 1 + (in < out ? in : out);
}

#if defined(__BMI2__) && defined(__x86_64__)
/* Assembly, because compilers use more instructions and reload the operand. */
#define SLOT(bits) _bzhi_u64((bits), slot_bits)
#define SLOT_BITS                                                                                  \
    unsigned slot_bits = SAM_HUFFMAN_LIMIT;                                                        \
    __asm__("" : "+r"(slot_bits)) /* in a register */

static inline uint64_t used_of(uint64_t bits)
{
    uint64_t used;
    __asm__("lzcnt %1, %0" : "=r"(used) : "r"(bits) : "cc");
    return used;
}

/* Add in a register, not in memory: the sum is needed immediately, and store forwarding is slow. */
#define ADVANCE(in, bytes)                                                                         \
    do {                                                                                           \
        uint64_t sum = (bytes);                                                                    \
        __asm__("add %1, %0" : "+r"(sum) : "m"(in) : "cc");                                        \
        (in) = (const uint8_t *)sum;                                                               \
    } while (0)

/* COUNT_DOWN decrements `out` with one instruction, but only the low 16 bits of the address. */
static inline size_t reach_of(const uint8_t *out)
{
    return ((uintptr_t)out & 0xffff) / STORE_STEP;
}

#define COUNT_DOWN(out, slot)                                                                      \
    __asm__("subw %c[counts](%[table],%[at],2), %w[low]"                                           \
            : [low] "+r"(out)                                                                      \
            : [table] "r"(table), [at] "r"(slot),                                                  \
              [counts] "i"(offsetof(struct sam_huffman_table, count)), "m"(*table)                 \
            : "cc")
#else
#define SLOT(bits) ((bits) & (SAM_HUFFMAN_SLOTS - 1))
#define SLOT_BITS  (void)0

static inline uint64_t used_of(uint64_t bits)
{
    return (uint64_t)__builtin_clzll(bits);
}

#define ADVANCE(in, bytes) ((in) += (bytes))
#define COUNT_DOWN         COUNT_DOWN_FAR

static inline size_t reach_of(const uint8_t *out)
{
    (void)out;
    return SIZE_MAX;
}
#endif
#define COUNT_DOWN_FAR(out, slot) ((out) -= table->count[slot])

#define REFILL(j)                                                                                  \
    do {                                                                                           \
        uint64_t used = used_of(bits##j);                                                          \
        ADVANCE(in##j, used >> 3);                                                                 \
        bits##j = (load64(in##j) | TOP) >> (used & 7);                                             \
    } while (0)

#define LOOKUP_BY(j, COUNT)                                                                        \
    do {                                                                                           \
        uint64_t slot = SLOT(bits##j);                                                             \
        uint64_t entry = table->entry[slot];                                                       \
        bits##j >>= entry & 63;                                                                    \
        memcpy(out##j - 8, &entry, 8);                                                             \
        COUNT(out##j, slot);                                                                       \
    } while (0)
#define LOOKUP(j)     LOOKUP_BY(j, COUNT_DOWN)
#define LOOKUP_FAR(j) LOOKUP_BY(j, COUNT_DOWN_FAR)

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

/* Advance past whole consumed bytes, so that rounds_of is exact. */
#define GIVE(j)                                                                                    \
    do {                                                                                           \
        uint64_t used = used_of(bits##j);                                                          \
        s[j].in = in##j + (used >> 3);                                                             \
        s[j].bits = TOP >> (used & 7);                                                             \
        s[j].out = out##j;                                                                         \
    } while (0)

/* Decoding leaves memory bandwidth idle: prefetch the next data meanwhile. Alternating between
 * input and output is faster than one after the other. */
struct fetch {
    const uint8_t *at;
    size_t left; /* rounds left to prefetch */
    size_t step; /* bytes per round; 0: done, prefetches repeat the same lines */
};

static inline struct fetch fetch_of(const uint8_t *at, size_t size, size_t step)
{
    return (struct fetch){at, size ? size / step + 1 : SIZE_MAX, size ? step : 0};
}

static inline void fetched(struct fetch *fetch, size_t rounds)
{
    fetch->at += fetch->step * rounds;
    fetch->left -= rounds;
    if (!fetch->left)
        *fetch = fetch_of(fetch->at, 0, 0);
}

static void decode_together(const struct sam_huffman_table *table, struct stream s[SAM_STREAMS],
                            size_t rounds, const struct fetch *in, const struct fetch *out)
{
    const uint8_t *from = in->at, *to = out->at;
    size_t from_step = in->step, to_step = out->step;
    SLOT_BITS;
    EACH(TAKE);
    while (rounds--) {
        for (unsigned i = 0; i < FETCH_FROM; i += 64)
            __builtin_prefetch(from + i, 0, 2);
        for (unsigned i = 0; i < FETCH_TO; i += 64)
            __builtin_prefetch(to + i, 0, 2);
        from += from_step;
        to += to_step;
        EACH(REFILL);
        EACH(LOOKUP);
        EACH(LOOKUP);
        EACH(LOOKUP);
        EACH(LOOKUP);
        EACH(LOOKUP);
    }
    EACH(GIVE);
}

/* Decode rounds of a single stream, at any address. */
static void decode_alone(const struct sam_huffman_table *table, struct stream *s, size_t rounds)
{
    SLOT_BITS;
    TAKE(0);
    while (rounds--) {
        REFILL(0);
        LOOKUP_FAR(0);
        LOOKUP_FAR(0);
        LOOKUP_FAR(0);
        LOOKUP_FAR(0);
        LOOKUP_FAR(0);
    }
    GIVE(0);
}

static bool decode_end(const struct sam_huffman_table *table, struct stream *s,
                       const uint8_t *in_end, const uint8_t *start, size_t size)
{
    for (size_t rounds; (rounds = rounds_of(s, in_end)) != 0;)
        decode_alone(table, s, rounds);
    SLOT_BITS;
    while (in_end - s->in >= 8 && s->out - s->out_end >= 8) {
        TAKE(0);
        REFILL(0);
        LOOKUP_FAR(0);
        GIVE(0);
    }
    uint64_t bit = (uint64_t)(s->in - start) * 8 + used_of(s->bits);
    return sam_stream_decode_rest(table, start, size, bit, s->out_end,
                                  (size_t)(s->out - s->out_end));
}

/* Number of rounds that all streams can decode together; 0 if one is near its end. A stream about
 * to leave the range of COUNT_DOWN is first advanced alone. */
static size_t rounds_together(const struct sam_huffman_table *table, struct stream s[SAM_STREAMS],
                              const uint8_t *in_end)
{
    size_t rounds = SIZE_MAX;
    for (unsigned j = 0; j < SAM_STREAMS; j++) {
        size_t mine, reach;
        while ((mine = rounds_of(&s[j], in_end)) != 0 && (reach = reach_of(s[j].out)) == 0)
            decode_alone(table, &s[j], 1);
        mine = mine < reach ? mine : reach;
        rounds = mine < rounds ? mine : rounds;
    }
    return rounds;
}

/* NOLINTBEGIN(readability-non-const-parameter): written through s[].out */
static bool decode(const struct sam_huffman_table *table, const uint8_t *in,
                   const uint32_t sizes[SAM_STREAMS], uint8_t *symbols, size_t count,
                   const struct sam_warm *warm)
/* NOLINTEND(readability-non-const-parameter) */
{
    struct fetch from = fetch_of(warm->from ? warm->from : in, warm->from_size, FETCH_FROM);
    struct fetch to = fetch_of(warm->to ? warm->to : symbols, warm->to_size, FETCH_TO);
    struct stream s[SAM_STREAMS];
    const uint8_t *start[SAM_STREAMS];
    size_t length = sam_stream_length(count);
    for (unsigned j = 0; j < SAM_STREAMS; j++) {
        size_t begin = j * length < count ? j * length : count;
        size_t end = count - begin < length ? count : begin + length;
        start[j] = in;
        s[j] = (struct stream){in, TOP, symbols + end, symbols + begin};
        in += sizes[j];
    }
    for (size_t rounds; (rounds = rounds_together(table, s, in)) != 0;) {
        rounds = from.left < rounds ? from.left : rounds;
        rounds = to.left < rounds ? to.left : rounds;
        decode_together(table, s, rounds, &from, &to);
        fetched(&from, rounds);
        fetched(&to, rounds);
    }
    for (unsigned j = 0; j < SAM_STREAMS; j++)
        if (!decode_end(table, &s[j], in, start[j], sizes[j]))
            return false;
    return true;
}
