/* SPDX-License-Identifier: Apache-2.0 */
/* A second cycle model of the engines, for tests: a ticking clock, all instructions kept, every
 * older one checked in every cycle, memory as sets of bytes. Nothing is computed ahead, and nothing
 * is shared with src/. */
#ifndef TENSOR_ENGINES_REF_H
#define TENSOR_ENGINES_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "samite/engines.h"

#define EREF_MEMORY 0x4000u /* bytes that programs access */

struct eref_insn {
    bool tensor;
    unsigned engine;
    bool reads[32], writes[32]; /* TLRegs; tl0 is never looked at */
    unsigned bytes, slices;
    bool load, store;
    uint64_t touched[EREF_MEMORY / 64]; /* bit i % 64 of i / 64: it loads or stores byte i */
    /* found: */
    uint64_t issued, start, release, done;
};

/* Fill in the times of all instructions, and the report. */
void eref_run(struct eref_insn *insns, size_t count, const struct sam_engines_config *config,
              struct sam_engines_report *report);

#endif
