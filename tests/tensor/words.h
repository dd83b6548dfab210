/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction words from their fields (r2 3; docs/tensorload-rulings.md 2), so that tests of the
 * unit need no assembler. */
#ifndef TENSOR_WORDS_H
#define TENSOR_WORDS_H

#include <stdint.h>

enum { WORD_NOP = 0x13 };
enum { ENGINE_LOAD, ENGINE_COMP, ENGINE_STORE, ENGINE_RESHAPE };

/* funct7 is EngineID and funct5. */
static inline uint32_t word_move(unsigned funct7, unsigned funct3, unsigned tld, unsigned tls1,
                                 unsigned tls2)
{
    return funct7 << 25 | tls2 << 20 | tls1 << 15 | funct3 << 12 | tld << 7 | 0x5b;
}

static inline uint32_t word_concat(unsigned dim, unsigned tld, unsigned tls1, unsigned tls2)
{
    return word_move(ENGINE_RESHAPE << 5 | dim, 1, tld, tls1, tls2);
}

static inline uint32_t word_merge(unsigned dim, unsigned tld, unsigned tls1, unsigned tls2)
{
    return word_move(ENGINE_RESHAPE << 5 | 8 | dim, 1, tld, tls1, tls2);
}

static inline uint32_t word_xpose(unsigned code, unsigned tl1, unsigned tl2, unsigned rs)
{
    return word_move(ENGINE_RESHAPE << 5 | code, 3, rs, tl1, tl2);
}

/* funct7 of tl.xpose.{b,h,w,d} and the pair's index. */
static inline uint32_t word_xpose_width(unsigned funct7, unsigned pair, unsigned tl1, unsigned tl2,
                                        unsigned rs)
{
    return word_move(funct7, pair, rs, tl1, tl2);
}

static inline uint32_t word_addi(unsigned tld, unsigned tls, int imm)
{
    return (uint32_t)ENGINE_COMP << 30 | ((uint32_t)imm & 255) << 20 | tls << 15 | 2u << 12 |
           tld << 7 | 0x5b;
}

static inline uint32_t word_load(unsigned masked, unsigned tld, unsigned rs, int imm)
{
    return masked << 28 | ((uint32_t)imm & 255) << 20 | tld << 15 | rs << 7 | 0x5b;
}

static inline uint32_t word_store(unsigned masked, unsigned tls, unsigned rs, int imm)
{
    return (uint32_t)ENGINE_STORE << 30 | 1u << 29 | masked << 28 | ((uint32_t)imm & 255) << 20 |
           tls << 15 | 2u << 12 | rs << 7 | 0x5b;
}

static inline uint32_t word_lui(unsigned rd, uint32_t upper)
{
    return (upper & 0xfffff000) | rd << 7 | 0x37;
}

static inline uint32_t word_addi_x(unsigned rd, unsigned rs1, int imm)
{
    return (uint32_t)imm << 20 | rs1 << 15 | rd << 7 | 0x13;
}

static inline uint32_t word_slli(unsigned rd, unsigned rs1, unsigned shift)
{
    return shift << 20 | rs1 << 15 | 1u << 12 | rd << 7 | 0x13;
}

/* funct3: 1 csrrw, 2 csrrs, 3 csrrc, + 4 with an immediate in place of rs1. */
static inline uint32_t word_csr(unsigned funct3, unsigned rd, unsigned csr, unsigned rs1)
{
    return csr << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x73;
}

#endif
