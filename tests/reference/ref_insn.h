/* SPDX-License-Identifier: Apache-2.0 */
/* The reference's decoder: one switch over the fields of the manuals, independent of the tables
 * of src/isa. */
#ifndef REF_INSN_H
#define REF_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ref_op {
    REF_ILLEGAL,
#define REF_OP(id, name) REF_##id,
#include "ref_ops.def"
#undef REF_OP
    REF_OP_COUNT
};

/* The first source of a vector instruction. */
enum ref_form { REF_FORM_NONE, REF_FORM_V, REF_FORM_X, REF_FORM_I };

/* A decoded word. Register numbers carry the bits of a prefix. */
struct ref_insn {
    enum ref_op op;
    enum ref_form form;
    unsigned rd, rs1, rs2, rs3;
    int32_t imm;
    unsigned csr;
    unsigned rm; /* 7 = by frm, also if the word has no such field */
    bool vm;
    bool pair;
};

/* Decode `word` after `prefix` (0 = none); op is REF_ILLEGAL if it is not an instruction. Ventus
 * manual 4, rulings 1 and 2. */
struct ref_insn ref_decode(uint32_t word, uint32_t prefix);
/* Its mnemonic; "" if it is illegal. */
void ref_name(const struct ref_insn *insn, char *text, size_t size);
/* The half that decodes OP-V, the vector loads and stores: vector words of the standard. */
struct ref_fields;
void ref_decode_opv(struct ref_fields *f, struct ref_insn *insn);
void ref_decode_vmem(struct ref_fields *f, struct ref_insn *insn);

/* May it follow REGPAIR or REGPAIRI? (ruling 2.11) */
bool ref_can_pair(enum ref_op op);

/* --- shared by the two halves: the fields of a word under a prefix */

struct ref_fields {
    uint32_t word;
    bool immediate; /* REGEXTI, REGPAIRI */
    unsigned high;  /* six bits before a 5-bit immediate */
    unsigned ext_d, ext_1, ext_2, ext_3;
    bool bad;     /* an x register above x63 is named */
    bool widened; /* the instruction has a 5-bit immediate */
};

unsigned ref_bits(uint32_t word, unsigned high, unsigned low);
int32_t ref_sext(uint32_t value, unsigned width);
unsigned ref_xd(struct ref_fields *f);
unsigned ref_x1(struct ref_fields *f);
unsigned ref_x2(struct ref_fields *f);
unsigned ref_x3(struct ref_fields *f);
unsigned ref_vd(struct ref_fields *f);
unsigned ref_v1(struct ref_fields *f);
unsigned ref_v2(struct ref_fields *f);
unsigned ref_vdata(struct ref_fields *f); /* bits 11:7 of a standard vector store */
int32_t ref_imm5(struct ref_fields *f, bool is_signed);

#endif
