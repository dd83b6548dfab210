/* SPDX-License-Identifier: Apache-2.0 */
/* The CSRs, ADDI, and the few scalar instructions used by the tests' programs. */
#include "tensor_ref.h"

#include <string.h>

void tref_set_tl(struct tref *t, unsigned number, const uint8_t bytes[1024])
{
    if (number != 0)
        memcpy(t->tl[number], bytes, 1024);
}

static void set_x(struct tref *t, unsigned number, uint64_t value)
{
    if (number != 0)
        t->x[number] = t->xlen == 32 ? value & UINT32_MAX : value;
}

const struct tref_type *tref_current_type(const struct tref *t)
{
    return tref_type_of(t->written[TREF_TTYPE] ? t->csr[TREF_TTYPE] : 2);
}

bool tref_shape(const struct tref *t, struct tref_shape *shape)
{
    uint32_t tshape = t->csr[TREF_TSHAPE];
    shape->type = tref_current_type(t);
    if (!shape->type || !t->written[TREF_TSHAPE] || tshape >> 24)
        return false;
    uint64_t bits = shape->type->bits;
    for (unsigned d = 0; d < 3; d++) {
        shape->dim[d] = tshape >> (16 - 8 * d) & 255;
        bits *= shape->dim[d];
    }
    return bits > 0 && bits <= 8192;
}

static bool addi(struct tref *t, const struct tref_insn *insn)
{
    const struct tref_type *type = tref_current_type(t);
    if (!type)
        return false;
    uint8_t result[1024];
    uint32_t hint = 0;
    for (size_t i = 0; i < 8192 / type->bits; i++)
        tref_put(
            result, type->bits, i,
            tref_add(type, (uint32_t)tref_get(t->tl[insn->tls1], type->bits, i), insn->imm, &hint));
    tref_set_tl(t, insn->tld, result);
    return true;
}

static bool csr(struct tref *t, uint32_t word)
{
    unsigned kind = word >> 12 & 3, source = word >> 15 & 31, index = (word >> 20) - TREF_FIRST_CSR;
    if (kind == 0 || index >= TREF_CSRS)
        return false;
    uint64_t operand = word >> 14 & 1 ? source : t->x[source];
    uint32_t old = t->csr[index];
    set_x(t, word >> 7 & 31, old);
    if (kind != 1 && source == 0)
        return true;
    t->csr[index] = (uint32_t)(kind == 1 ? operand : kind == 2 ? old | operand : old & ~operand);
    t->written[index] = true;
    return true;
}

static bool scalar(struct tref *t, uint32_t word)
{
    unsigned rd = word >> 7 & 31, funct3 = word >> 12 & 7, rs1 = word >> 15 & 31;
    switch (word & 127) {
    case 0x37: set_x(t, rd, (uint64_t)(int32_t)(word & 0xfffff000)); return true;
    case 0x13:
        if (funct3 == 0)
            set_x(t, rd, t->x[rs1] + (uint64_t)((int32_t)word >> 20));
        else if (funct3 == 1)
            set_x(t, rd, t->x[rs1] << (word >> 20 & (t->xlen - 1)));
        return funct3 < 2;
    case 0x33: set_x(t, rd, t->x[rs1] + t->x[word >> 20 & 31]); return true;
    case 0x73: return csr(t, word);
    default: return false;
    }
}

bool tref_step(struct tref *t, uint32_t word, struct tref_trap *trap)
{
    struct tref_trap illegal = {TREF_ILLEGAL, word};
    struct tref_insn insn = tref_decode(word);
    *trap = illegal;
    switch (insn.op) {
    case TREF_MEMORY: return tref_memory(t, &insn, trap);
    case TREF_ADDI: return addi(t, &insn);
    case TREF_CONCAT: return tref_concat(t, &insn);
    case TREF_MERGE: return tref_merge(t, &insn);
    case TREF_XPOSE: return tref_xpose(t, &insn);
    default: return scalar(t, word);
    }
}
