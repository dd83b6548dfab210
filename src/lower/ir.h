/* SPDX-License-Identifier: Apache-2.0 */
/* Intermediate representation of GPU kernels: instructions of the tables in isa/ on virtual
 * registers, in one list per loop level. ir.c builds and prints them, schedule.c copies and
 * interleaves the innermost level, registers.c replaces virtual registers by those of the machine.
 *
 * Code is written as templates: instructions separated by ";" or line ends.
 *
 *     $d $a $b $m   registers of struct lower_regs
 *     $(0x...)      a scalar register that holds this constant
 *     v8 to v23, t0 to t6
 *                   temporaries: each assignment makes a new virtual register
 *     x64, v256...  virtual registers; below: registers of the machine. a6 and a7 are a pair of
 *                   64 bits
 */
#ifndef SAM_LOWER_IR_H
#define SAM_LOWER_IR_H

#include "lower/lower.h"

/* Loop levels: at entry (constants), once per kernel, loads of first rows, per row, per chunk of 32
 * columns, at the end of a row. LOWER_FINAL is the whole kernel in order. */
enum lower_level {
    LOWER_ENTRY,
    LOWER_ONCE,
    LOWER_FIRST,
    LOWER_ROW,
    LOWER_CHUNK,
    LOWER_END,
    LOWER_FINAL,
    LOWER_LEVELS
};

enum { LOWER_FIRST_X = 64, LOWER_FIRST_V = 256, LOWER_SLOTS = 4 };

struct lower_insn {
    uint16_t op;                /* enum sam_op, a pseudo-instruction, a label or a comment (ir.c) */
    uint16_t regs[LOWER_SLOTS]; /* rd, rs1, rs2, rs3 */
    bool masked, label;         /* label: imm is its number */
    int32_t imm;                /* immediate, CSR or label number */
    uint32_t symbol;            /* 1 + offset of a text in lower_code.names; 0: none */
};

struct lower_list {
    struct lower_insn *items;
    size_t count, capacity;
};

/* A register that an instruction names, by slot. v0 as a mask has no slot. */
struct lower_use {
    unsigned slot;
    bool vector, reads, writes;
};

struct lower_virtual {
    uint8_t level; /* of its assignment */
    uint8_t half;  /* of an aligned pair of vector registers: 1, 2; 0: none */
    uint16_t reg;  /* of the machine (registers.c) */
};

struct lower_file {
    struct lower_virtual *items; /* from LOWER_FIRST_X or LOWER_FIRST_V on */
    size_t count, capacity;
};

/* A scalar that advances from one copy of the chunk to the next: by `step`, or by a register.
 * `base` is the register in the first one. */
struct lower_moving {
    unsigned reg, base, step_reg;
    int32_t step;
};

/* Beyond constant_limit, constants are loaded at the point of use. */
enum { LOWER_CONSTANTS = 24, LOWER_MOVING = 32, LOWER_TEMPORARIES = 32 };

/* A kernel under construction. v0 is the mask. */
struct lower_code {
    struct lower *l;
    struct lower_list lists[LOWER_LEVELS];
    struct lower_file x, v;
    struct {
        uint32_t bits;
        unsigned reg;
    } constants[LOWER_CONSTANTS];
    unsigned constant_count;
    uint16_t bound_x[LOWER_LEVELS][LOWER_TEMPORARIES], bound_v[LOWER_LEVELS][LOWER_TEMPORARIES];
    struct lower_moving moving[LOWER_MOVING];
    unsigned moving_count;
    unsigned tail; /* columns from the first copy to the last, if not a multiple of 32 */
    unsigned constant_limit;
    struct sam_buffer names;
    bool pairs;   /* vector temporaries are aligned pairs, for code with regpair */
    bool holds;   /* see sam_lower_hold */
    bool partial; /* a chunk may have fewer than 32 elements: LOWER_REST */
    bool failed;  /* out of memory */
};

/* Registers with the lines left, and with the number of columns left in the row. */
#define LOWER_LINES "s0"
#define LOWER_REST  "s1"

unsigned sam_lower_take_scalar(struct lower_code *c, enum lower_level level);
unsigned sam_lower_take_vector(struct lower_code *c, enum lower_level level);
/* Returns the first of two. */
unsigned sam_lower_take_pair(struct lower_code *c, enum lower_level level);

struct lower_regs {
    unsigned d, a, b, m;
};
/* Append instructions. */
void sam_lower_emit(struct lower_code *c, enum lower_level level, const char *lines,
                    struct lower_regs regs);
/* The same of a formatted template, at most 511 characters. */
void sam_lower_emit_numbers(struct lower_code *c, enum lower_level level, struct lower_regs regs,
                            const char *format, ...) SAM_PRINTF(4, 5);
void sam_lower_gpu(struct lower_code *c, enum lower_level level, const char *format, ...)
    SAM_PRINTF(3, 4);
void sam_lower_comment(struct lower_code *c, enum lower_level level, const char *text);
/* Append a list to another one. */
void sam_lower_append(struct lower_code *c, enum lower_level level, const struct lower_list *list);
struct lower_insn *sam_lower_insert(struct lower_code *c, struct lower_list *list,
                                    struct lower_insn insn);
/* From here on temporaries keep their registers, for code with loops, until c->holds is reset. */
void sam_lower_hold(struct lower_code *c, enum lower_level level);
/* The same of vector temporaries, as aligned pairs, until c->pairs is reset. */
void sam_lower_pair(struct lower_code *c, enum lower_level level);
/* The register of a constant. */
unsigned sam_lower_number(struct lower_code *c, enum lower_level level, uint32_t bits);
/* x += number. */
void sam_lower_advance(struct lower_code *c, enum lower_level level, unsigned d, unsigned x,
                       int64_t number);

enum { LOWER_MOST_USES = 4 };
unsigned sam_lower_uses(const struct lower_insn *insn, struct lower_use uses[LOWER_MOST_USES]);
bool sam_lower_reads_mask(const struct lower_insn *insn);
bool sam_lower_is_comment(const struct lower_insn *insn);
bool sam_lower_is_label(const struct lower_insn *insn);
/* Returns whether it may go elsewhere than to the next instruction. */
bool sam_lower_jumps(const struct lower_insn *insn);
bool sam_lower_is_prefix(const struct lower_insn *insn);
/* Returns whether it writes the rounding mode, in *mode. */
bool sam_lower_sets_mode(const struct lower_insn *insn, unsigned *mode);

/* --- schedule.c: copies of the innermost level */

enum { LOWER_COPIES = 4 };
struct lower_copies *sam_lower_copies_new(struct lower_code *c, unsigned count);
void sam_lower_copies_free(struct lower_copies *copies);
/* Append copies `from` to `to` - 1 of a list to LOWER_FINAL, interleaved where they are
 * independent.
 */
void sam_lower_copies_put(struct lower_code *c, struct lower_copies *copies,
                          const struct lower_list *chunk, unsigned from, unsigned to);
/* Returns whether the list can be copied: it has no labels. */
bool sam_lower_can_copy(const struct lower_list *chunk);

/* registers.c: assign registers of the machine to LOWER_ENTRY and LOWER_FINAL. Returns false, and
 * changes nothing, if there are too few. */
bool sam_lower_assign(struct lower_code *c);

/* Append the text of the kernel to l->gpu, after its label. */
void sam_lower_print(struct lower_code *c, const char *label);
void sam_lower_code_free(struct lower_code *c);

#endif
