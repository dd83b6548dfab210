/* SPDX-License-Identifier: Apache-2.0 */
#include "hart_ref.h"

#include <string.h>

/* Bits high..low of a word, and the same sign-extended. */
static uint32_t field(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & (uint32_t)((UINT64_C(1) << (high - low + 1)) - 1);
}

static int64_t sign(uint64_t value, unsigned bits)
{
    const uint64_t top = UINT64_C(1) << (bits - 1);
    value &= 2 * top - 1;
    return (int64_t)((value ^ top) - top);
}

static int64_t immediate_s(uint32_t word)
{
    return sign((uint64_t)field(word, 31, 25) << 5 | field(word, 11, 7), 12);
}

static int64_t immediate_b(uint32_t word)
{
    return sign((uint64_t)field(word, 31, 31) << 12 | (uint64_t)field(word, 7, 7) << 11 |
                    (uint64_t)field(word, 30, 25) << 5 | (uint64_t)field(word, 11, 8) << 1,
                13);
}

static int64_t immediate_j(uint32_t word)
{
    return sign((uint64_t)field(word, 31, 31) << 20 | (uint64_t)field(word, 19, 12) << 12 |
                    (uint64_t)field(word, 20, 20) << 11 | (uint64_t)field(word, 30, 21) << 1,
                21);
}

static void set(struct href *h, unsigned rd, uint64_t value)
{
    if (rd)
        h->t.x[rd] = value;
}

/* --- memory, byte by byte */

static bool read(const struct href *h, uint64_t address, unsigned size, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < size; i++) {
        const uint8_t *byte = tref_byte(&h->t, address + i);
        if (!byte)
            return false;
        *value |= (uint64_t)*byte << 8 * i;
    }
    return address % size == 0;
}

static bool write(struct href *h, uint64_t address, unsigned size, uint64_t value)
{
    for (unsigned i = 0; i < size; i++)
        if (!tref_byte(&h->t, address + i))
            return false;
    for (unsigned i = 0; i < size; i++)
        *tref_byte(&h->t, address + i) = (uint8_t)(value >> 8 * i);
    return address % size == 0;
}

/* --- arithmetic */

static uint64_t high_product(uint64_t a, bool a_signed, uint64_t b, bool b_signed)
{
    /* schoolbook, on halves of 32 bits */
    const uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    const uint64_t low = a0 * b0, x = a1 * b0 + (low >> 32), y = a0 * b1 + (x & UINT32_MAX);
    uint64_t high = a1 * b1 + (x >> 32) + (y >> 32);
    if (a_signed && a >> 63)
        high -= b;
    if (b_signed && b >> 63)
        high -= a;
    return high;
}

/* Division of `bits` bits; both operands are extended to 64 bits as their signedness requires. */
static uint64_t divide(unsigned kind, uint64_t a, uint64_t b, unsigned bits)
{
    const bool is_signed = kind == 4 || kind == 6, remainder = kind >= 6;
    const uint64_t least = (uint64_t)sign(UINT64_C(1) << (bits - 1), bits);
    if (!b)
        return remainder ? a : UINT64_MAX;
    if (is_signed && a == least && b == UINT64_MAX)
        return remainder ? 0 : a;
    if (is_signed)
        return remainder ? (uint64_t)((int64_t)a % (int64_t)b)
                         : (uint64_t)((int64_t)a / (int64_t)b);
    return remainder ? a % b : a / b;
}

static uint64_t multiply(unsigned kind, uint64_t a, uint64_t b)
{
    switch (kind) {
    case 0: return a * b;
    case 1: return high_product(a, true, b, true);
    case 2: return high_product(a, true, b, false);
    case 3: return high_product(a, false, b, false);
    default: return divide(kind, a, b, 64);
    }
}

static uint64_t compute(unsigned kind, bool other, uint64_t a, uint64_t b)
{
    const unsigned shift = b & 63;
    switch (kind) {
    case 0: return other ? a - b : a + b;
    case 1: return a << shift;
    case 2: return (int64_t)a < (int64_t)b;
    case 3: return a < b;
    case 4: return a ^ b;
    case 5: return other && a >> 63 ? ~(~a >> shift) : a >> shift;
    case 6: return a | b;
    default: return a & b;
    }
}

/* The same on words. */
static bool compute_word(unsigned kind, unsigned funct7, uint64_t a, uint64_t b, uint64_t *result)
{
    const unsigned shift = b & 31;
    if (funct7 == 1 && (kind == 0 || kind >= 4)) {
        const bool is_signed = kind != 5 && kind != 7;
        a = is_signed ? (uint64_t)sign(a, 32) : a & UINT32_MAX;
        b = is_signed ? (uint64_t)sign(b, 32) : b & UINT32_MAX;
        *result = kind ? divide(kind, a, b, 32) : a * b;
    } else if (kind == 0 && funct7 != 1) {
        *result = funct7 ? a - b : a + b;
    } else if (kind == 1) {
        *result = a << shift;
    } else if (kind == 5) {
        *result = funct7 ? (uint64_t)(sign(a, 32) >> shift) : (a & UINT32_MAX) >> shift;
    } else {
        return false;
    }
    *result = (uint64_t)sign(*result, 32);
    return true;
}

static bool taken(unsigned kind, uint64_t a, uint64_t b)
{
    const bool unlike = kind & 1;
    switch (kind >> 1) {
    case 0: return (a == b) != unlike;
    case 2: return ((int64_t)a < (int64_t)b) != unlike;
    default: return (a < b) != unlike;
    }
}

/* --- instructions of the units */

static bool matrix(struct href *h, uint32_t word)
{
    memcpy(h->m.x, h->t.x, sizeof h->m.x);
    if (!matrix_ref_run(&h->m, word))
        return false;
    memcpy(h->t.x, h->m.x, sizeof h->m.x);
    return true;
}

static bool system_word(struct href *h, uint32_t word)
{
    enum { XMCSR = 0x802 };
    struct tref_trap trap;
    if (field(word, 31, 20) != XMCSR)
        return tref_step(&h->t, word, &trap);
    if (field(word, 14, 12) != 5 || field(word, 11, 7))
        return false; /* only csrwi */
    h->m.state = field(word, 16, 15);
    return true;
}

static bool is_control(const struct href *h, uint64_t address)
{
    return address >= h->control.base && address - h->control.base < h->control.size;
}

/* A load (funct3 LW or LWU) or a store (SW) of a control register. */
static enum href_end control(struct href *h, uint64_t address, unsigned kind, bool is_store,
                             uint32_t *value)
{
    if ((kind != 2 && (is_store || kind != 6)) || address % 4)
        return HREF_TRAP;
    return h->control.access(h->control.context, address, is_store, value);
}

static enum href_end load(struct href *h, uint32_t word)
{
    static const uint8_t sizes[] = {1, 2, 4, 8, 1, 2, 4};
    const uint64_t address = h->t.x[field(word, 19, 15)] + (uint64_t)sign(word >> 20, 12);
    const unsigned kind = field(word, 14, 12);
    enum href_end end = HREF_RUNS;
    uint64_t value;
    if (is_control(h, address)) {
        uint32_t bits = 0;
        end = control(h, address, kind, false, &bits);
        value = bits;
    } else if (kind > 6 || !read(h, address, sizes[kind], &value)) {
        end = HREF_TRAP;
    }
    if (end == HREF_RUNS)
        set(h, field(word, 11, 7), kind < 3 ? (uint64_t)sign(value, 8u * sizes[kind]) : value);
    return end;
}

static enum href_end store(struct href *h, uint32_t word)
{
    const uint64_t address = h->t.x[field(word, 19, 15)] + (uint64_t)immediate_s(word);
    const uint64_t value = h->t.x[field(word, 24, 20)];
    const unsigned kind = field(word, 14, 12);
    uint32_t bits = (uint32_t)value;
    if (is_control(h, address))
        return control(h, address, kind, true, &bits);
    return kind < 4 && write(h, address, 1u << kind, value) ? HREF_RUNS : HREF_TRAP;
}

enum href_end href_step(struct href *h)
{
    uint64_t fetched, result = 0, next = h->pc + 4;
    if (!read(h, h->pc, 4, &fetched))
        return HREF_TRAP;
    const uint32_t word = (uint32_t)fetched;
    const unsigned rd = field(word, 11, 7), kind = field(word, 14, 12), funct7 = word >> 25;
    const uint64_t a = h->t.x[field(word, 19, 15)], b = h->t.x[field(word, 24, 20)];
    const uint64_t i = (uint64_t)sign(word >> 20, 12);
    struct tref_trap trap;
    enum href_end end = HREF_RUNS;
    bool good = true, writes = true;
    switch (word & 0x7f) {
    case 0x37: result = (uint64_t)sign(word & 0xfffff000, 32); break;
    case 0x17: result = h->pc + (uint64_t)sign(word & 0xfffff000, 32); break;
    case 0x6f:
        result = next;
        next = h->pc + (uint64_t)immediate_j(word);
        break;
    case 0x67:
        result = next;
        next = (a + i) & ~UINT64_C(1);
        break;
    case 0x63:
        writes = false;
        if (taken(kind, a, b))
            next = h->pc + (uint64_t)immediate_b(word);
        break;
    case 0x03:
        writes = false;
        end = load(h, word);
        break;
    case 0x23:
        writes = false;
        end = store(h, word);
        break;
    case 0x13: result = compute(kind, kind == 5 && funct7 >> 1 == 0x10, a, i); break;
    case 0x1b: good = compute_word(kind, kind == 5 ? funct7 : 0, a, i, &result); break;
    case 0x33:
        result = funct7 == 1 ? multiply(kind, a, b) : compute(kind, funct7 == 0x20, a, b);
        break;
    case 0x3b: good = compute_word(kind, funct7, a, b, &result); break;
    case 0x73:
        writes = false;
        good = system_word(h, word);
        break;
    case 0x5b:
        writes = false;
        good = tref_step(&h->t, word, &trap);
        break;
    case 0x2b:
        writes = false;
        good = matrix(h, word);
        break;
    default: good = false;
    }
    if (!good)
        return HREF_TRAP;
    if (writes)
        set(h, rd, result);
    if (end == HREF_RUNS)
        h->pc = next;
    return end;
}
