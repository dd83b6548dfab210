/* SPDX-License-Identifier: Apache-2.0 */
/* A second opinion on programs of the tensor hart: RV64IM one instruction at a time, written
 * from the RISC-V manual, with the plain TensorLoad unit and the plain matrix unit. Shares no
 * code with src/. */
#ifndef HART_REF_H
#define HART_REF_H

#include "matrix_ref.h"
#include "tensor_ref.h"

enum href_end { HREF_RUNS, HREF_EXIT, HREF_TRAP };

struct href {
    uint64_t pc;
    struct tref t; /* with the registers, and the memory */
    struct matrix_ref m;
    /* Control registers: words from `base` on, loaded and stored by `access`. */
    struct {
        uint64_t base, size;
        void *context;
        enum href_end (*access)(void *context, uint64_t address, bool is_store, uint32_t *value);
    } control;
};

/* Execute one instruction. HREF_TRAP: pc is at it. */
enum href_end href_step(struct href *h);

#endif
