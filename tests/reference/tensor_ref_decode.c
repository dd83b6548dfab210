/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes CUSTOM-2 words (r2 3.2 to 3.5, 8.2; rulings 2). */
#include "tensor_ref.h"

static unsigned field(uint32_t word, unsigned high, unsigned low)
{
    return (word >> low) & ((1u << (high - low + 1)) - 1);
}

static const unsigned pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/* EngineID TensorComp with bit 29 set. */
static void width_variant(uint32_t word, struct tref_insn *insn)
{
    unsigned bits, pair = field(word, 14, 12);
    switch (field(word, 29, 25)) {
    case 0x11: bits = 8; break;
    case 0x13: bits = 16; break;
    case 0x12: bits = 32; break;
    case 0x14: bits = 64; break;
    default: return;
    }
    if (pair > 5)
        return;
    insn->op = TREF_XPOSE;
    insn->bits = bits;
    insn->swap[0] = pairs[pair][0];
    insn->swap[1] = pairs[pair][1];
}

static void xpose(unsigned funct5, struct tref_insn *insn)
{
    if (funct5 & 0x10)
        return;
    insn->op = TREF_XPOSE;
    insn->swap[0] = funct5 & 3;
    insn->swap[1] = funct5 >> 2;
    if (funct5 == 0x0a) { /* the listing wins over the field rule */
        insn->swap[0] = 1;
        insn->swap[1] = 3;
    }
}

static void data_move(unsigned funct5, struct tref_insn *insn)
{
    if ((funct5 & 3) == 3)
        return;
    insn->dim = funct5 & 3;
    switch (funct5 >> 2) {
    case 0: insn->op = TREF_CONCAT; break;
    case 1:
    case 2: insn->op = TREF_MERGE; break;
    default: break;
    }
}

struct tref_insn tref_decode(uint32_t word)
{
    unsigned engine = field(word, 31, 30), funct3 = field(word, 14, 12);
    bool bit29 = field(word, 29, 29), bit28 = field(word, 28, 28);
    struct tref_insn insn = {
        .op = TREF_NONE,
        .tls2 = field(word, 24, 20),
        .tls1 = field(word, 19, 15),
        .tld = field(word, 11, 7),
        .rs = field(word, 11, 7),
        .imm = (int)field(word, 27, 20),
        .masked = bit28,
    };
    if (insn.imm > 127)
        insn.imm -= 256;
    if (field(word, 6, 0) != 0x5b)
        return insn;
    if (engine == 1 && bit29) {
        width_variant(word, &insn);
        return insn;
    }
    switch (funct3) {
    case 0:
        insn.op = TREF_MEMORY;
        insn.store = bit29;
        break;
    case 1: data_move(field(word, 29, 25), &insn); break;
    case 2:
        if (bit29) {
            insn.op = TREF_MEMORY;
            insn.store = true;
        } else if (!bit28) {
            insn.op = TREF_ADDI;
        }
        break;
    case 3: xpose(field(word, 29, 25), &insn); break;
    default: break;
    }
    if (insn.op == TREF_MEMORY) /* the TLReg of either direction is in [19:15] */
        insn.tld = insn.tls1;
    return insn;
}
