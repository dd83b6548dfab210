/* SPDX-License-Identifier: Apache-2.0 */
/* A RISC-V program run by QEMU's user mode: the second opinion on standard instructions. */
#ifndef TEST_QEMU_H
#define TEST_QEMU_H

#include <stdbool.h>
#include <stddef.h>

struct qemu_target {
    unsigned xlen;     /* 32 or 64 */
    const char *march; /* for the assembler */
    const char *mabi;
    const char *cpu; /* for qemu -cpu */
};

/* For a prologue: skip the program when a tool is missing. */
void qemu_require(const struct qemu_target *target);

/* Whether the assembler, the linker and qemu-riscv<xlen> are installed, and the latter knows
 * `cpu`. */
bool qemu_available(const struct qemu_target *target);

/* Assemble `text` (which defines _start and writes to standard output), link, run. Returns the
 * output (malloc'ed, *size bytes); NULL when a step fails, with the reason on standard error. */
void *qemu_run(const struct qemu_target *target, const char *text, size_t *size);

/* The bytes of one section of the program (malloc'ed, *size bytes), or NULL as above. Programs are
 * linked with .text at 0x80000000, .data at 0x90000000 and .bss at 0xa0000000. */
void *qemu_section(const struct qemu_target *target, const char *text, const char *section,
                   size_t *size);

/* The final code of a program: write a4 bytes from `symbol`, exit. */
#define QEMU_FINISH(symbol)                                                                        \
    "li a0, 1\nla a1, " symbol "\nmv a2, a4\nli a7, 64\necall\n"                                   \
    "li a0, 0\nli a7, 93\necall\n"

#endif
