/* SPDX-License-Identifier: Apache-2.0 */
/* Undefined bits of operands and results, by the rule of the instruction's row. */
#ifndef SAM_SANITIZE_UNDEF_RULES_H
#define SAM_SANITIZE_UNDEF_RULES_H

#include "isa/isa.h"

struct undef_row {
    uint8_t rule; /* enum sam_undefined */
    uint8_t act;  /* enum sam_act */
    uint8_t bytes;
    uint8_t result; /* the file of rd */
    uint8_t source_count;
    bool vector;       /* acts on lanes */
    bool masked;       /* v0 is its mask where vm is 0 */
    bool sign_extends; /* loads */
    uint8_t index;     /* bytes of an index in a vector register */
    /* Accesses: the registers of the address. Others: all operands, which the rule combines. */
    struct sam_use sources[SAM_MOST_SOURCES];
    struct sam_use data; /* stored, also by atomics */
};

void sam_undef_row(enum sam_op op, struct undef_row *row);

/* A value with its undefined bits, which are arbitrary in `value`. */
struct undef_bits {
    uint64_t value, undef;
};

/* The undefined bits of a result of `width` bits (32 or 64). `same`: a and b are one register. */
uint64_t sam_undef_combine(enum sam_undefined rule, struct undef_bits a, struct undef_bits b,
                           struct undef_bits c, unsigned width, bool same);

#endif
