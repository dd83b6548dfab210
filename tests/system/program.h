/* SPDX-License-Identifier: Apache-2.0 */
/* A system with an assembled program for its hart and optionally for its GPU. On an error every
 * helper fails the test with its text. */
#ifndef TEST_SYSTEM_PROGRAM_H
#define TEST_SYSTEM_PROGRAM_H

#include "test.h"

#include "assemble.h"
#include "samite/device/layout.h"
#include "samite/samite.h"

#define RV32 "rv32ima_zicsr_zfinx_xtensorload_xmatrix"
#define RV64 "rv64ima_zicsr_zfinx_xtensorload_xmatrix"

/* Data of every program: four pages, followed by an unmapped one. */
#define DATA_BASE UINT64_C(0xa0000000)
#define DATA_SIZE UINT64_C(0x4000)

struct system_program {
    struct sam_system *system;
    struct sam_hart *hart;
    struct sam_image *image, *kernels;
    struct sam_system_result result;
    struct sam_error error;
};

/* options->hart and the isa of `hart` are set; both may be NULL. `kernels` NULL: no GPU program;
 * otherwise start code is prepended. */
struct system_program system_program_new(const char *isa, const struct sam_system_options *options,
                                         const struct sam_hart_options *hart, const char *text,
                                         const char *kernels);
void system_program_free(struct system_program *p);
/* Run to an exit with this code. */
void system_expect(struct system_program *p, uint64_t code);
/* Run; the hart must trap with this cause and tval, and the report contains this text. */
void system_expect_trap(struct system_program *p, unsigned cause, uint64_t tval, const char *words);
/* The rows of each unit sum to the cycles, requests of the units equal service of the levels,
 * and launches begin after their stores. */
void system_expect_sums(const struct sam_system_figures *figures);
/* Source of a GPU kernel: out[i] = i + args[1], for all work-items. */
extern const char system_fill[];
uint32_t system_word(struct system_program *p, uint64_t address);

#endif
