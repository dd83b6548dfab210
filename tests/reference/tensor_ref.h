/* SPDX-License-Identifier: Apache-2.0 */
/* A second opinion on the TensorLoad unit: a plain interpreter of one instruction at a time,
 * written from the TensorLoad manual and docs/tensorload-rulings.md alone. It works element by
 * element and byte by byte, and shares no code with src/. */
#ifndef TENSOR_REF_H
#define TENSOR_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TREF_REGIONS   8u
#define TREF_FIRST_CSR 0x880u
#define TREF_CSRS      72u

/* CSRs by address - TREF_FIRST_CSR. */
enum {
    TREF_LOAD_STRIDE = 0,   /* ..31 */
    TREF_STORE_STRIDE = 32, /* ..63 */
    TREF_TTYPE = 64,
    TREF_TSHAPE,
    TREF_LOAD_MASK,
    TREF_STORE_MASK,
    TREF_CONCAT_1,
    TREF_CONCAT_2,
    TREF_LOAD_WIDTH,
    TREF_STORE_WIDTH,
};

struct tref_region { /* bytes[i] is at (base + i) modulo 2^xlen */
    uint64_t base;
    uint64_t size;
    uint8_t *bytes;
};

struct tref {
    unsigned xlen;
    uint64_t x[32]; /* below 2^xlen */
    uint8_t tl[32][1024];
    uint32_t csr[TREF_CSRS];
    bool written[TREF_CSRS];
    struct tref_region regions[TREF_REGIONS];
    size_t region_count;
    uint64_t l1m[2], l0m[2]; /* base and size; size 0: tensor accesses go anywhere */
};

struct tref_trap {
    unsigned cause;
    uint64_t tval;
};

enum { TREF_ILLEGAL = 2, TREF_LOAD = 4, TREF_STORE = 6 }; /* of memory: + 1 is the access fault */

/* The byte at `address`, or NULL if unmapped. */
uint8_t *tref_byte(const struct tref *t, uint64_t address);

/* Execute `word`: a TensorLoad instruction, a CSR instruction on a TensorLoad CSR, or one of
 * lui, addi, slli, add. Returns false if it traps, with `t` unchanged. */
bool tref_step(struct tref *t, uint32_t word, struct tref_trap *trap);

/* --- element types (tensor_ref_type.c) */
struct tref_type {
    const char *name;
    uint32_t ttype;
    unsigned bits;     /* of an element in a TLReg */
    unsigned unused;   /* ignored low bits */
    unsigned exponent; /* bits of its field; 0: an unsigned integer */
    unsigned mantissa;
    int bias;
    uint32_t max; /* code of the largest finite value */
    bool has_infinity;
    uint32_t nan; /* canonical, as stored; 0: the format has none */
};
extern const struct tref_type tref_types[];
extern const size_t tref_type_count;

/* The type selected by a value of ttype; NULL if it is illegal. */
const struct tref_type *tref_type_of(uint32_t ttype);
/* Element + imm as in TL.ADDI. `hint` holds the code of a nearby result: any value works, the
 * previous result is fastest. */
uint32_t tref_add(const struct tref_type *type, uint32_t element, int imm, uint32_t *hint);
/* Element `index` of elements of 4..64 bits. */
uint64_t tref_get(const uint8_t *bytes, unsigned bits, size_t index);
void tref_put(uint8_t *bytes, unsigned bits, size_t index, uint64_t value);

/* --- shared by the files of the reference */
enum tref_op { TREF_NONE, TREF_MEMORY, TREF_ADDI, TREF_CONCAT, TREF_MERGE, TREF_XPOSE };
struct tref_insn {
    enum tref_op op;
    bool store, masked; /* TREF_MEMORY */
    unsigned tld, tls1, tls2, rs;
    int imm;
    unsigned dim;     /* of concat, merge */
    unsigned swap[2]; /* of xpose */
    unsigned bits;    /* of xpose: element size; 0: ttype's */
};
/* (tensor_ref_decode.c) op is TREF_NONE for an illegal word. */
struct tref_insn tref_decode(uint32_t word);

struct tref_shape {
    const struct tref_type *type;
    unsigned dim[3];
};
/* The type selected by ttype now; NULL if it is illegal. */
const struct tref_type *tref_current_type(const struct tref *t);
/* ttype and tshape. False: illegal. */
bool tref_shape(const struct tref *t, struct tref_shape *shape);
/* (tensor_ref_memory.c, tensor_ref_move.c) Return false on a trap. The first sets cause and
 * tval; the others only have illegal instructions. */
bool tref_memory(struct tref *t, const struct tref_insn *insn, struct tref_trap *trap);
bool tref_concat(struct tref *t, const struct tref_insn *insn);
bool tref_merge(struct tref *t, const struct tref_insn *insn);
bool tref_xpose(struct tref *t, const struct tref_insn *insn);
/* Write a whole TLReg; tl0 stays zero. */
void tref_set_tl(struct tref *t, unsigned number, const uint8_t bytes[1024]);

#endif
