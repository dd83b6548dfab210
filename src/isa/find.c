/* SPDX-License-Identifier: Apache-2.0 */
/* Look-up of the instruction that a word encodes. */
#include "isa/isa.h"

/* Rows by the fields that their masks cover: opcode, funct3 and funct6; opcode and funct3; opcode.
 * Rows that share an entry overwrite it, so a hit is checked against match and mask, and a miss
 * falls back to a linear search. */
#define FIXES_F6(mask) (((mask)&0xfc00707f) == 0xfc00707f)
#define FIXES_F3(mask) (((mask)&0x707f) == 0x707f)
#define OF_OP(word)    (1u + ((word) >> 2 & 31))
#define OF_F3(word)    (32u + OF_OP(word) + (((word) >> 12 & 7) << 5))
#define OF_F6(word)    (256u + OF_F3(word) + ((word) >> 26 << 8))
#define INSN_TL(id, mnemonic, match, mask, operands, engine, engines, imm, handler, act, meaning,  \
                source)
#define INSN_M(id, mnemonic, match, mask, operands, imm, meaning, source)
#define INSN(id, mnemonic, match, mask, operands, ext, unit, does, undef, meaning, source)         \
    [FIXES_F6(mask) ? OF_F6(match) : FIXES_F3(mask) ? OF_F3(match) : OF_OP(match)] = SAM_OP_##id,
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const uint16_t by_fields[OF_F6(UINT32_MAX) + 1] = {
#include "isa/families.def"
};
#pragma GCC diagnostic pop
#undef INSN

/* Whether the instruction exists on the engine that the word names. */
static bool has_engine(const struct sam_insn_row *row, uint32_t word)
{
    return !row->engines || (row->engines >> (word >> 30) & 1);
}

static bool is_word(const struct sam_isa *isa, enum sam_op op, uint32_t word)
{
    const struct sam_insn_row *row = &sam_insn_rows[op];
    return (word & row->mask) == row->match && has_engine(row, word) && sam_isa_has_row(row, isa);
}

static enum sam_op find_row(const struct sam_isa *isa, uint32_t word)
{
    for (enum sam_op op = SAM_OP_ILLEGAL + 1; op < SAM_OP_COUNT; op++)
        if (is_word(isa, op, word))
            return op;
    for (size_t i = 0; i < sam_encoding_row_count; i++) {
        const struct sam_encoding_row *code = &sam_encoding_rows[i];
        const struct sam_insn_row *row = &sam_insn_rows[code->op];
        if ((word & code->mask) == code->match && has_engine(row, word) &&
            sam_isa_has_row(row, isa))
            return code->op;
    }
    return SAM_OP_ILLEGAL;
}

enum sam_op sam_op_find(const struct sam_isa *isa, uint32_t word)
{
    /* Rows are disjoint, except that fence.tso is a word of fence. */
    const unsigned entries[] = {OF_F6(word), OF_F3(word), OF_OP(word)};
    for (unsigned i = 0; i < SAM_COUNT(entries); i++) {
        const enum sam_op op = (enum sam_op)by_fields[entries[i]];
        if (op != SAM_OP_ILLEGAL && is_word(isa, op, word))
            return op;
    }
    return find_row(isa, word);
}
