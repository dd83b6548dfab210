/* SPDX-License-Identifier: Apache-2.0 */
#include "gen.h"

#include <stdlib.h>

#include "random.h"
#include "words.h"

enum { TEMP = 5 }; /* x register for constants */

static unsigned below(struct gen *g, unsigned bound)
{
    return (unsigned)test_below(&g->random, bound);
}

static bool once_in(struct gen *g, unsigned n)
{
    return below(g, n) == 0;
}

static void emit(struct gen *g, uint32_t word)
{
    if (g->count == GEN_BURST)
        abort();
    g->words[g->count++] = word;
}

/* x[rd] = value, eleven bits at a time. */
static void li(struct gen *g, const struct tref *t, unsigned rd, uint64_t value)
{
    if (t->xlen == 32)
        value &= UINT32_MAX;
    unsigned shift = 0;
    while (shift + 11 < t->xlen && value >> (shift + 11))
        shift += 11;
    emit(g, word_addi_x(rd, 0, (int)(value >> shift & 2047)));
    while (shift) {
        shift -= 11;
        emit(g, word_slli(rd, rd, 11));
        if (value >> shift & 2047)
            emit(g, word_addi_x(rd, rd, (int)(value >> shift & 2047)));
    }
}

/* From few registers, so that source and destination often coincide; occasionally tl0. */
static unsigned any_tl(struct gen *g)
{
    static const uint8_t liked[] = {0, 1, 1, 2, 2, 3, 3, 31};
    return once_in(g, 3) ? below(g, 32) : liked[below(g, 8)];
}

static unsigned any_x(struct gen *g)
{
    return once_in(g, 16) ? 0 : 6 + below(g, 26);
}

static int any_imm(struct gen *g)
{
    static const int liked[] = {0, 0, 1, -1, 2, -2, 127, -128};
    return once_in(g, 2) ? liked[below(g, 8)] : (int)below(g, 256) - 128;
}

static void set_csr(struct gen *g, const struct tref *t, unsigned index, uint32_t value)
{
    unsigned csr = TREF_FIRST_CSR + index, rd = once_in(g, 4) ? any_x(g) : 0;
    uint32_t old = t->csr[index];
    if (value < 32 && once_in(g, 2)) {
        emit(g, word_csr(5, rd, csr, value));
    } else if (once_in(g, 6)) { /* the same with the bits to set, then those to clear */
        li(g, t, TEMP, value & ~old);
        emit(g, word_csr(2, rd, csr, TEMP));
        li(g, t, TEMP, old & ~value);
        emit(g, word_csr(3, rd, csr, TEMP));
    } else {
        uint64_t high = once_in(g, 8) ? test_random(&g->random) << 32 : 0;
        li(g, t, TEMP, value | high); /* RV64 drops the upper half */
        emit(g, word_csr(1, rd, csr, TEMP));
    }
}

/* --- configurations */
static void configure_type(struct gen *g, const struct tref *t)
{
    static const uint32_t illegal[] = {0,     3,      5,          0x11, 0x300,
                                       0xc00, 0x1000, 0x80000002, 0x42, 0xfff};
    uint32_t ttype = tref_types[below(g, (unsigned)tref_type_count)].ttype;
    if (once_in(g, 24))
        ttype = illegal[below(g, 10)];
    set_csr(g, t, TREF_TTYPE, ttype);
}

static unsigned bits_of(const struct tref *t)
{
    const struct tref_type *type = tref_current_type(t);
    return type ? type->bits : 8;
}

static unsigned at_most(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static void shuffle(struct gen *g, unsigned *v, unsigned count)
{
    for (unsigned i = count; i > 1; i--) {
        unsigned j = below(g, i), kept = v[i - 1];
        v[i - 1] = v[j];
        v[j] = kept;
    }
}

/* `count` powers of two of at most 128 with product 2^log. */
static void powers(struct gen *g, unsigned *dim, unsigned count, unsigned log)
{
    for (unsigned i = 0; i < count; i++)
        dim[i] = 1;
    while (log > 0) {
        unsigned i = below(g, count);
        if (dim[i] < 128) {
            dim[i] *= 2;
            log--;
        }
    }
}

static unsigned log_of(unsigned power)
{
    unsigned log = 0;
    while (power >> (log + 1))
        log++;
    return log;
}

static void configure_shape(struct gen *g, const struct tref *t)
{
    unsigned room = 8192 / bits_of(t), dim[3];
    switch (below(g, 16)) {
    case 0: /* all of a TLReg */
    case 1:
    case 2: powers(g, dim, 3, log_of(room)); break;
    case 3: /* about as many slices as a mask has bits */
        dim[0] = 31 + below(g, 3);
        dim[1] = 1 + below(g, 4);
        dim[2] = 1 + below(g, at_most(255, room / dim[0] / dim[1] + 1));
        break;
    case 4: /* long and thin */
        dim[0] = at_most(255, room);
        dim[1] = 1 + below(g, 2);
        dim[2] = 1 + below(g, 2);
        shuffle(g, dim, 3);
        break;
    case 5: /* anything */
        for (unsigned i = 0; i < 3; i++)
            dim[i] = below(g, 256);
        break;
    default: /* something small that fits */
        dim[0] = 1 + below(g, 32);
        dim[1] = 1 + below(g, at_most(32, room / dim[0]));
        dim[2] = 1 + below(g, at_most(32, room / dim[0] / dim[1]));
        shuffle(g, dim, 3);
        break;
    }
    uint32_t reserved = once_in(g, 24) ? 1u << (24 + below(g, 8)) : 0;
    set_csr(g, t, TREF_TSHAPE, reserved | dim[0] << 16 | dim[1] << 8 | dim[2]);
}

static unsigned dim_of(const struct tref *t, unsigned d)
{
    return t->csr[TREF_TSHAPE] >> (16 - 8 * d) & 255;
}

static uint32_t any_mask(struct gen *g)
{
    uint32_t r = (uint32_t)test_random(&g->random), s = (uint32_t)test_random(&g->random);
    switch (below(g, 6)) {
    case 0: return 0;
    case 1: return UINT32_MAX;
    case 2: return r & s;
    case 3: return r | s;
    default: return r;
    }
}

static void configure_access(struct gen *g, const struct tref *t)
{
    bool store = once_in(g, 2);
    unsigned stride = store ? TREF_STORE_STRIDE : TREF_LOAD_STRIDE;
    unsigned d0 = dim_of(t, 0) ? dim_of(t, 0) : 1;
    unsigned width = dim_of(t, 1) * dim_of(t, 2), most = 8192 / bits_of(t) / d0;
    if (once_in(g, 2))
        set_csr(g, t, store ? TREF_STORE_MASK : TREF_LOAD_MASK, any_mask(g));
    if (once_in(g, 2)) {
        switch (below(g, 6)) {
        case 0: width = most; break;
        case 1: width = most + 1; break;
        case 2: width = 1 + below(g, most + 1); break;
        case 3: width = once_in(g, 4) ? (uint32_t)test_random(&g->random) : below(g, 4); break;
        default: break;
        }
        set_csr(g, t, store ? TREF_STORE_WIDTH : TREF_LOAD_WIDTH, width);
    }
    if (g->plain_strides)
        return;
    for (unsigned n = below(g, 5); n > 0; n--) {
        unsigned i = once_in(g, 4) ? below(g, 32) : below(g, at_most(d0, 32));
        int32_t value;
        switch (below(g, 6)) {
        case 0: value = (int32_t)(d0 - 1 - i); break; /* backwards */
        case 1: value = (int32_t)below(g, 4); break;  /* overlaps */
        case 2: value = -(int32_t)below(g, 8); break;
        case 3:
            value = once_in(g, 4) ? (int32_t)test_random(&g->random) : (int32_t)below(g, 40);
            break;
        case 4: value = once_in(g, 4) ? INT32_MIN + (int32_t)below(g, 2) : 1; break;
        default: value = (int32_t)i + (int32_t)below(g, 3) - 1; break;
        }
        set_csr(g, t, stride + i, (uint32_t)value);
    }
}

static void configure_concat(struct gen *g, const struct tref *t)
{
    unsigned along = at_most(32, dim_of(t, below(g, 3)));
    uint32_t garbage = once_in(g, 3) && along < 32 ? any_mask(g) << along : 0;
    uint32_t inside = along < 32 ? (1u << along) - 1 : UINT32_MAX;
    uint32_t first = any_mask(g) & inside, second = any_mask(g) & inside;
    unsigned sum = (unsigned)(__builtin_popcount(first) + __builtin_popcount(second));
    for (; sum > along + once_in(g, 8); sum--) { /* rarely one too many */
        uint32_t *from = (once_in(g, 2) && first) || !second ? &first : &second;
        *from &= *from - 1;
    }
    set_csr(g, t, TREF_CONCAT_1, first | garbage);
    if (!once_in(g, 8))
        set_csr(g, t, TREF_CONCAT_2, second | garbage);
}

/* --- instructions */
static void memory(struct gen *g, const struct tref *t)
{
    bool store = once_in(g, 2), masked = once_in(g, 2);
    int imm = any_imm(g);
    unsigned rs = any_x(g), tl = any_tl(g);
    unsigned width_csr = store ? TREF_STORE_WIDTH : TREF_LOAD_WIDTH;
    uint64_t width = t->written[width_csr] ? t->csr[width_csr] : dim_of(t, 1) * dim_of(t, 2);
    width = width * bits_of(t) / 8;
    const uint32_t *stride = &t->csr[store ? TREF_STORE_STRIDE : TREF_LOAD_STRIDE];
    /* The address of slice 0: in a data region, sometimes at its end or off by one. */
    const struct tref_region *r = &t->regions[1 + below(g, (unsigned)t->region_count - 1)];
    uint64_t target = r->base + (test_below(&g->random, r->size) & ~UINT64_C(7));
    if (once_in(g, 8))
        target = r->base + r->size - test_below(&g->random, 1024);
    if (once_in(g, 6))
        target++;
    uint64_t base = target - (uint64_t)((int64_t)(int32_t)stride[0] + imm) * width;
    if (!once_in(g, 24))
        li(g, t, rs, once_in(g, 64) ? test_random(&g->random) : base);
    uint32_t word = store ? word_store(masked, tl, rs, imm) : word_load(masked, tl, rs, imm);
    if (store && once_in(g, 3))
        word &= ~(7u << 12); /* r2 6.1's funct3 */
    emit(g, word);
}

static void xpose(struct gen *g, const struct tref *t)
{
    static const unsigned widths[4][2] = {{0x31, 8}, {0x33, 16}, {0x32, 32}, {0x34, 64}};
    unsigned rs = any_x(g), bits = bits_of(t), dim[4], *width = NULL;
    unsigned variant[2];
    if (once_in(g, 3)) {
        unsigned which = below(g, 4);
        variant[0] = widths[which][0];
        variant[1] = widths[which][1];
        width = variant;
        bits = variant[1];
    }
    powers(g, dim, 4, log_of(2048 * 8 / bits));
    if (once_in(g, 12))
        dim[below(g, 4)] = below(g, 256);
    uint64_t high = once_in(g, 8) ? test_random(&g->random) << 32 : 0;
    li(g, t, rs, high | dim[3] << 24 | dim[2] << 16 | dim[1] << 8 | dim[0]);
    unsigned tl1 = any_tl(g), tl2 = any_tl(g);
    if (tl1 == tl2 && !once_in(g, 4))
        tl2 = (tl1 + 1) % 32;
    emit(g, width ? word_xpose_width(width[0], below(g, 6), tl1, tl2, rs)
                  : word_xpose(below(g, 16), tl1, tl2, rs));
}

static void data_move(struct gen *g)
{
    unsigned tld = any_tl(g), tls1 = any_tl(g), tls2 = any_tl(g), dim = below(g, 3);
    uint32_t word =
        once_in(g, 2) ? word_concat(dim, tld, tls1, tls2) : word_merge(dim, tld, tls1, tls2);
    if ((word >> 25 & 31) >= 8 && once_in(g, 4))
        word ^= 12u << 25; /* the alternative encoding of merge */
    emit(g, word);
}

/* A CUSTOM-2 word of arbitrary fields: most are illegal. */
static void any_word(struct gen *g)
{
    uint32_t word = (uint32_t)test_random(&g->random);
    if (once_in(g, 2))
        word &= ~(4u << 12);
    emit(g, (word & ~127u) | 0x5b);
}

static void csr_access(struct gen *g)
{
    unsigned csr = TREF_FIRST_CSR + below(g, once_in(g, 8) ? TREF_CSRS + 4 : TREF_CSRS);
    unsigned funct3 = 1 + below(g, 3) + 4 * below(g, 2);
    /* Mostly reads: csrrs, csrrc with x0 and with 0. */
    if (once_in(g, 6))
        emit(g, word_csr(funct3, any_x(g), csr, below(g, 32)));
    else
        emit(g, word_csr(funct3 % 4 == 1 ? funct3 + 1 : funct3, any_x(g), csr, 0));
}

void gen_action(struct gen *g, const struct tref *t)
{
    struct tref_shape shape;
    unsigned kind = below(g, 24);
    g->count = 0;
    if (!tref_shape(t, &shape) && !once_in(g, 3)) /* with this most instructions trap */
        kind = tref_current_type(t) ? 1 : 0;
    switch (kind) {
    case 0: configure_type(g, t); break;
    case 1: configure_shape(g, t); break;
    case 2:
    case 3:
    case 4: configure_access(g, t); break;
    case 5:
    case 6: configure_concat(g, t); break;
    case 7:
    case 8:
    case 9:
    case 10:
    case 11:
    case 12: memory(g, t); break;
    case 13:
    case 14: emit(g, word_addi(any_tl(g), any_tl(g), any_imm(g))); break;
    case 15:
    case 16:
    case 17: data_move(g); break;
    case 18:
    case 19:
    case 20: xpose(g, t); break;
    case 21: any_word(g); break;
    default: csr_access(g); break;
    }
    /* The EngineID never changes the result of an instruction; with bit 29 set TensorComp has
     * other instructions. */
    uint32_t *last = g->count ? &g->words[g->count - 1] : NULL;
    if (last && (*last & 127) == 0x5b && !(*last >> 30 == 1 && *last & 1u << 29)) {
        unsigned engine = below(g, 4);
        if (engine != 1 || once_in(g, 4))
            *last = (*last & ~(3u << 30)) | engine << 30;
    }
}
