/* SPDX-License-Identifier: Apache-2.0 */
/* LOAD, MLOAD, STORE and MSTORE, a byte at a time (r2 3.2; rulings 3). */
#include "tensor_ref.h"

#include <string.h>

static uint64_t wrap(const struct tref *t, uint64_t address)
{
    return t->xlen == 32 ? address & UINT32_MAX : address;
}

uint8_t *tref_byte(const struct tref *t, uint64_t address)
{
    for (size_t i = 0; i < t->region_count; i++) {
        uint64_t offset = wrap(t, address - t->regions[i].base);
        if (offset < t->regions[i].size)
            return t->regions[i].bytes + offset;
    }
    return NULL;
}

/* The byte for an access of the unit, or NULL. */
static uint8_t *reach(const struct tref *t, bool store, uint64_t address)
{
    const uint64_t *only = store ? t->l0m : t->l1m;
    if (only[1] && wrap(t, address - only[0]) >= only[1])
        return NULL;
    return tref_byte(t, address);
}

/* The CSRs of one direction. */
struct direction {
    const uint32_t *stride;
    const bool *stride_written;
    unsigned mask, width;
};

static struct direction direction_of(const struct tref *t, bool store)
{
    unsigned first = store ? TREF_STORE_STRIDE : TREF_LOAD_STRIDE;
    return (struct direction){
        .stride = &t->csr[first],
        .stride_written = &t->written[first],
        .mask = store ? TREF_STORE_MASK : TREF_LOAD_MASK,
        .width = store ? TREF_STORE_WIDTH : TREF_LOAD_WIDTH,
    };
}

static bool any_written(const struct direction *d)
{
    for (unsigned i = 0; i < 32; i++)
        if (d->stride_written[i])
            return true;
    return false;
}

static bool slice_is_on(const struct tref *t, const struct tref_insn *insn,
                        const struct direction *d, unsigned i)
{
    return !insn->masked || t->csr[d->mask] >> i & 1;
}

static uint64_t slice_address(const struct tref *t, const struct tref_insn *insn,
                              const struct direction *d, unsigned i, uint64_t width)
{
    int64_t stride = i < 32 && d->stride_written[i] ? (int32_t)d->stride[i] : (int64_t)i;
    return wrap(t, t->x[insn->rs] + (uint64_t)(stride + insn->imm) * width);
}

bool tref_memory(struct tref *t, const struct tref_insn *insn, struct tref_trap *trap)
{
    unsigned kind = insn->store ? TREF_STORE : TREF_LOAD;
    struct direction d = direction_of(t, insn->store);
    struct tref_shape s;
    if (!tref_shape(t, &s))
        return false;
    if (insn->masked && (!t->written[d.mask] || s.dim[0] > 32))
        return false;
    if (s.dim[0] > 32 && any_written(&d))
        return false;
    uint64_t elements = t->written[d.width] ? t->csr[d.width] : s.dim[1] * s.dim[2];
    if (elements * s.type->bits % 8)
        return false;
    uint64_t width = elements * s.type->bits / 8; /* in bytes */
    if (s.dim[0] * width > 1024)
        return false;

    for (unsigned i = 0; i < s.dim[0]; i++) {
        if (!slice_is_on(t, insn, &d, i))
            continue;
        trap->cause = kind;
        trap->tval = slice_address(t, insn, &d, i, width);
        if (s.type->bits > 8 && t->x[insn->rs] % (s.type->bits / 8))
            return false;
        break;
    }
    for (unsigned i = 0; i < s.dim[0]; i++)
        for (uint64_t k = 0; slice_is_on(t, insn, &d, i) && k < width; k++) {
            trap->cause = kind + 1;
            trap->tval = wrap(t, slice_address(t, insn, &d, i, width) + k);
            if (!reach(t, insn->store, trap->tval))
                return false;
        }

    uint8_t result[1024];
    memcpy(result, t->tl[insn->tld], sizeof result);
    for (unsigned i = 0; i < s.dim[0]; i++)
        for (uint64_t k = 0; k < width; k++) {
            uint8_t *byte = &result[i * width + k];
            uint8_t *memory = tref_byte(t, slice_address(t, insn, &d, i, width) + k);
            bool on = slice_is_on(t, insn, &d, i);
            if (!insn->store)
                *byte = on ? *memory : 0;
            else if (on)
                *memory = *byte;
        }
    if (!insn->store)
        tref_set_tl(t, insn->tld, result);
    return true;
}
