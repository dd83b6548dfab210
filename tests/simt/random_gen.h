/* SPDX-License-Identifier: Apache-2.0 */
/* Random Ventus programs for the differential test: registers loaded from a buffer, a body of
 * random instructions and control flow that always ends, registers stored to a buffer. */
#ifndef RANDOM_GEN_H
#define RANDOM_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEN_CODE      0x80000000u
#define GEN_CODE_SIZE 0x10000u
#define GEN_INPUT     0x90000000u
#define GEN_SCRATCH   0x91000000u
#define GEN_RESULT    0x92000000u
#define GEN_PRIVATE   0x93000000u
#define GEN_KERNEL    0x94000000u
#define GEN_COUNTER   0x95000000u /* words that every warp adds to */
#define GEN_STRIDE    0x10000u    /* bytes of input, and of result, per warp */
#define GEN_REGION    0x1000u     /* bytes of scratch, and of LDS, per warp */
#define GEN_PDS       1024u       /* bytes of private memory per thread */
#define GEN_MAX_WORDS (GEN_CODE_SIZE / 4)

struct gen_random {
    uint64_t state;
};

uint32_t gen_u32(struct gen_random *r);
/* 0 .. n - 1 */
uint32_t gen_below(struct gen_random *r, uint32_t n);
/* True once in n. */
bool gen_once_in(struct gen_random *r, uint32_t n);
/* An integer or a float, with a preference for corner cases. */
uint32_t gen_value(struct gen_random *r);

enum gen_trap {
    GEN_NO_TRAP,
    GEN_TRAP, /* the body contains an instruction that traps if reached */
};

struct gen_program {
    struct gen_random random;
    uint32_t lanes;
    enum gen_trap trap;
    bool patches_code;
    uint32_t words[GEN_MAX_WORDS];
    size_t count;
    size_t body, body_end; /* words of the body */
};

/* Fill words from random, lanes and trap. */
void gen_make(struct gen_program *program);

/* --- between the generator's files */
void gen_emit(struct gen_program *p, uint32_t word);
/* x[rd] = value, by lui and addi. */
void gen_li(struct gen_program *p, unsigned rd, uint32_t value);
/* One random instruction that neither jumps nor touches memory, with its prefix. */
void gen_plain(struct gen_program *p, bool lmul2);
/* One random load, store or atomic with the instructions that make its address. */
void gen_memory(struct gen_program *p, bool lmul2);

/* Reserved registers. Random instructions write x1..x15, x32..x63, v0..v19, v32..v255. */
enum {
    GEN_X_LOOP = 16,    /* counters of scalar loops by depth, x16..x19 */
    GEN_X_TEMP = 24,    /* x24..x26 */
    GEN_X_LDS = 27,     /* a quarter into this warp's LDS */
    GEN_X_COUNTER = 28, /* GEN_COUNTER */
    GEN_X_IN = 29,
    GEN_X_OUT = 30,
    GEN_X_SCRATCH = 31, /* a quarter into this warp's scratch */
    GEN_V_LOOP = 20,    /* counters of divergent loops by depth, v20 and v22 */
    GEN_V_ZERO = 24,
    GEN_V_INDEX = 26,
    GEN_V_ADDRESS = 28,
    GEN_V_PRIVATE = 30,
};

/* Encodings of the instructions that the generator uses by name. */
uint32_t gen_i(uint32_t opcode, uint32_t funct3, unsigned rd, unsigned rs1, int32_t imm);
uint32_t gen_s(uint32_t opcode, uint32_t funct3, unsigned rs1, unsigned rs2, int32_t imm);
uint32_t gen_b(uint32_t opcode, uint32_t funct3, unsigned rs1, unsigned rs2, int32_t imm);
uint32_t gen_jal(unsigned rd, int32_t offset);
uint32_t gen_opv(uint32_t funct6, uint32_t funct3, unsigned rd, unsigned rs1, unsigned rs2);

#endif
