/* SPDX-License-Identifier: Apache-2.0 */
/* One program of many small experiments, run by QEMU and on a Ventus warp or a tensor hart,
 * results compared word for word. Both machines get the same code and the same addresses;
 * differences between Ventus and RISC-V are macros, which each of the two preludes defines in
 * its own way. */
#ifndef TEST_ORACLE_H
#define TEST_ORACLE_H

#include "base/base.h"
#include "qemu.h"

#define ORACLE_DEPTH 3

/* A loop over a table of words: each iteration runs `load` with the address in place of %s. */
struct oracle_axis {
    const char *table; /* label, see oracle_table */
    const uint32_t *values;
    size_t count;  /* turns */
    size_t step;   /* words per iteration */
    size_t window; /* words per load, for the report */
    const char *load;
};

struct oracle_part { /* one store of an iteration */
    char what[64];
    size_t first;
    size_t words;
};

struct oracle_record { /* one set of nested loops */
    struct oracle_axis axes[ORACLE_DEPTH];
    size_t depth;
    size_t first; /* word of the results */
    size_t turns;
    size_t words; /* a turn */
    size_t first_part, part_count;
};

struct oracle {
    struct sam_buffer code, data;
    struct oracle_record *records;
    size_t record_count, record_capacity;
    struct oracle_part *parts;
    size_t part_count, part_capacity;
    size_t words; /* results so far */
    bool failed;  /* out of memory */
    bool open;    /* a record */
    bool wide;    /* RV64: an x register is two words */
};

void oracle_free(struct oracle *oracle);
/* Assembly, verbatim. Loops use s0..s5 and s11; t6 is reserved for macros. */
void oracle_code(struct oracle *oracle, const char *format, ...) SAM_PRINTF(2, 3);
/* A table of words in .data; the first `wrap` are repeated after the last. */
void oracle_table(struct oracle *oracle, const char *label, const uint32_t *values, size_t count,
                  size_t wrap);
/* Open the loops of a record, which ends with the next one or the check; oracle_store within it
 * defines the compared values. */
void oracle_begin(struct oracle *oracle, const struct oracle_axis *axes, size_t depth);
/* Keep the x register `reg`, or `words` elements of vector register `reg`. */
void oracle_store(struct oracle *oracle, const char *reg, const char *format, ...) SAM_PRINTF(3, 4);
void oracle_store_vector(struct oracle *oracle, const char *reg, size_t words, const char *format,
                         ...) SAM_PRINTF(4, 5);

/* Run both and compare; the preludes precede _start's code. Fails the test with the first
 * differences and their records. Returns the number of words compared. */
size_t oracle_check(struct oracle *oracle, const struct qemu_target *target,
                    const char *qemu_prelude, const char *ventus_prelude, unsigned lanes);

/* The same against a tensor hart of the ISA. */
size_t oracle_check_hart(struct oracle *oracle, const struct qemu_target *target, const char *isa);

#endif
