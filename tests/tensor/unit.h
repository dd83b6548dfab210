/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction of the TensorLoad unit at a time: state in, instruction, state out. */
#ifndef TEST_TENSOR_UNIT_H
#define TEST_TENSOR_UNIT_H

#include "hart/program.h"

#define TL_SIZE 1024u

/* All state that an instruction could change, CSRs of the unit included. */
struct snapshot {
    uint8_t tl[32][TL_SIZE];
    uint8_t data[DATA_SIZE];
    uint64_t x[32];
    uint64_t csr[72];
};

/* `setup`, then the one instruction. TLRegs and DATA hold a pattern without equal adjacent
 * bytes; setup has run. */
struct program unit_new(const char *isa, const struct sam_hart_options *options, const char *setup,
                        const char *insn);
void unit_take(struct program *p, struct snapshot *s);
/* The instruction must trap with these values and change nothing. tval UNIT_WORD: the
 * instruction's. */
void unit_traps(struct program *p, unsigned cause, uint64_t tval);
#define UNIT_WORD UINT64_MAX
/* The instruction must not trap. */
void unit_passes(struct program *p);

/* Bytes of a register, to compare and to set. */
void unit_set(struct program *p, unsigned tl, const void *bytes, size_t size);
void unit_expect(struct program *p, unsigned tl, unsigned at, const void *bytes, size_t size);
#define UNIT_EXPECT(p, tl, at, ...)                                                                \
    unit_expect(p, tl, at, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* The pattern's byte `i` of register `tl` (32: of DATA). */
uint8_t unit_pattern(unsigned tl, unsigned i);

#endif
