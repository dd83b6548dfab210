/* SPDX-License-Identifier: Apache-2.0 */
/* A second opinion on programs of the tensor hart: RV64IM one instruction at a time, written from
 * the RISC-V manual, with the plain TensorLoad unit and the plain matrix unit. Shares no code with
 * src/. */
#ifndef HART_REF_H
#define HART_REF_H

#include "matrix_ref.h"
#include "tensor_ref.h"

struct href {
    uint64_t pc;
    struct tref t; /* with the registers, and the memory */
    struct matrix_ref m;
    uint32_t exit_store; /* a store to this address ends the program: its value is the exit code */
    uint32_t exit_code;
    uint32_t quiet[2]; /* a range of addresses that read 0, and whose stores do nothing */
};

enum href_end { HREF_RUNS, HREF_EXIT, HREF_TRAP };

/* Execute one instruction. HREF_TRAP: pc is where it is. */
enum href_end href_step(struct href *h);

#endif
