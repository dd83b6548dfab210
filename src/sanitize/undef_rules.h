/* SPDX-License-Identifier: Apache-2.0 */
/* What an instruction does with undefined bits: derived from its row in the instruction tables. A
 * row that nothing else is said about has the plain rule: a result is undefined wherever one of its
 * sources is. */
#ifndef SAM_SANITIZE_UNDEF_RULES_H
#define SAM_SANITIZE_UNDEF_RULES_H

#include "isa/isa.h"

/* How the undefined bits of a result follow from the sources, a and b in the order of the
 * mnemonic's formula, c the third. */
enum undef_rule {
    UNDEF_ANY, /* all bits, if any bit of a source is undefined */
    UNDEF_BIT, /* the same of a result that is 0 or 1 */
    UNDEF_COPY,
    UNDEF_AND,
    UNDEF_OR,
    UNDEF_XOR,
    UNDEF_ADD,
    UNDEF_SUB,
    UNDEF_RSUB, /* b - a */
    UNDEF_MUL,
    UNDEF_SLL,
    UNDEF_SRL,
    UNDEF_SRA,
    UNDEF_EQ, /* and not equal */
    UNDEF_LT, /* a < b, a >= b */
    UNDEF_LTU,
    UNDEF_GT, /* a > b, a <= b */
    UNDEF_GTU,
    UNDEF_MASK_AND, /* of bit 0; the sources may be inverted, and so may the result */
    UNDEF_MASK_ANDN,
    UNDEF_MASK_OR,
    UNDEF_MASK_ORN,
    UNDEF_MASK_XOR,
    UNDEF_SELECT, /* c ? b : a */
    UNDEF_ZEXT8,
    UNDEF_ZEXT16,
    UNDEF_SEXT8,
    UNDEF_SEXT16,
    UNDEF_SIGN,  /* the magnitude of a, the sign of b */
    UNDEF_SIGNX, /* the magnitude of a, the signs of both */
    UNDEF_TILE,  /* vftta: lanes are the elements of matrices */
};

/* Where a source is found. */
enum undef_place { UNDEF_NO_SOURCE, UNDEF_X, UNDEF_V, UNDEF_V0, UNDEF_IMMEDIATE };

struct undef_source {
    uint8_t place; /* enum undef_place */
    uint8_t slot;  /* enum sam_slot */
};

enum { UNDEF_SOURCES = 3 };

struct undef_row {
    uint8_t rule; /* enum undef_rule */
    uint8_t act;  /* enum sam_act */
    uint8_t bytes;
    uint8_t result; /* UNDEF_X, UNDEF_V, or UNDEF_NO_SOURCE: it writes no register */
    uint8_t source_count;
    bool vector;       /* acts on lanes */
    bool masked;       /* may be under v0 */
    bool sign_extends; /* a load */
    uint8_t index;     /* bytes of an index in a vector register */
    /* Of an ALU instruction or a branch: what the rule combines. Of a load, a store or an atomic
     * instruction: its address. Of others: what it uses. */
    struct undef_source sources[UNDEF_SOURCES];
    struct undef_source data; /* what a store or an atomic instruction writes */
};

/* Fill `row` for an instruction. */
void sam_undef_row(enum sam_op op, struct undef_row *row);

/* A value of which some bits are undefined: those are 0 or 1 in `value`, and their number says
 * nothing. */
struct undef_bits {
    uint64_t value, undef;
};

/* The undefined bits of a result of `width` bits (32 or 64). `same`: a and b are one register. */
uint64_t sam_undef_combine(enum undef_rule rule, struct undef_bits a, struct undef_bits b,
                           struct undef_bits c, unsigned width, bool same);

#endif
