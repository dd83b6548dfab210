/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor hart and the reference in the same state: one instruction runs on both, and all state
 * visible to a program must agree afterwards. */
#ifndef TENSOR_PAIR_H
#define TENSOR_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "reference/tensor_ref.h"
#include "samite/hart.h"

#define PAIR_CODE      SAM_HART_CODE_BASE
#define PAIR_CODE_SIZE 0x1000u
#define PAIR_RUN_CODE  UINT64_C(0x40000000) /* of pair_run */

struct pair {
    struct sam_hart *hart;
    struct sam_isa isa;
    struct tref ref;
    struct tref before; /* the reference before the last instruction, except memory */
    uint64_t pc;        /* of the next instruction */
    uint64_t steps, traps;
    bool trapped;          /* the last instruction, on the reference */
    struct tref_trap trap; /* with this */
    char difference[256];  /* the difference after the last instruction */
};

struct pair_options {
    unsigned xlen;
    uint64_t l1m[2], l0m[2]; /* as in struct sam_hart_options */
};

/* Both with zero registers and only the code mapped. Fails the test if the hart cannot be
 * created. */
void pair_open(struct pair *p, const struct pair_options *options);
void pair_free(struct pair *p);
/* Map bytes and fill them from `seed`. */
void pair_map(struct pair *p, uint64_t base, uint64_t size, uint64_t seed);
void pair_set_x(struct pair *p, unsigned number, uint64_t value);
void pair_set_tl(struct pair *p, unsigned number, const uint8_t bytes[1024]);
/* The same with bytes of pair_fill. */
void pair_fill_tl(struct pair *p, unsigned number, uint64_t *random);
/* `index`: address - TREF_FIRST_CSR. */
void pair_set_csr(struct pair *p, unsigned index, uint32_t value);
/* Run `word` on both. Returns false if they disagree; p->difference describes where. */
bool pair_step(struct pair *p, uint32_t word);
/* Run `count` words on the hart alone, restarting after each trap, and compare the traps and the
 * final state. Once per pair. */
bool pair_run(struct pair *p, const uint32_t *words, size_t count);
/* pair_step that fails the test with the instruction and the state before it. */
void pair_agree(struct pair *p, uint32_t word);
/* Print the last instruction, the difference, and the state before it to standard error. */
void pair_report(const struct pair *p, uint32_t word);

/* Random bytes with runs of patterns that are special for formats and saturation. */
void pair_fill(uint8_t *bytes, uint64_t size, uint64_t *random);

#endif
