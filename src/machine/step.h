/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction, recorded: the part that the cores of all machines share. Logs, statistics and
 * sessions read the record.
 *
 *   sam_step_begin(core, step, &insn);      before: the instruction and what it will access
 *   exit = sam_step_run(core, step, &insn); it runs; what it has written */
#ifndef SAM_STEP_H
#define SAM_STEP_H

#include "machine/machine.h"
#include "samite/session.h"

/* Record the instruction at core->pc and the access of a scalar one, and clear the rest of the
 * step. insn->op is SAM_OP_ILLEGAL if there is no legal instruction. */
void sam_step_begin(struct sam_core *core, struct sam_step *step, struct sam_insn *insn);
/* Run the instruction; record the scalar registers and CSRs that it wrote and the flags that it
 * raised. */
enum sam_exit sam_step_run(struct sam_core *core, struct sam_step *step, struct sam_insn *insn);
/* Their parts, for callers that decode and run the instruction themselves: whether it is a vector
 * instruction, and the access of a scalar one; the scalar registers and CSRs written. `instret`:
 * instructions retired, including this one. The fields that they add to must be empty. */
void sam_step_before(const struct sam_core *core, struct sam_step *step,
                     const struct sam_insn *insn);
void sam_step_after(struct sam_core *core, struct sam_step *step, const struct sam_insn *insn,
                    uint64_t instret);
/* Record the values of the scalar accesses just made. */
void sam_step_find_values(struct sam_core *core, struct sam_step *step,
                          const struct sam_insn *insn);
/* For records of other units. */
static inline void sam_step_add_access(struct sam_step *step, const struct sam_step_access *access)
{
    if (step->access_count < SAM_STEP_ACCESSES)
        step->access[step->access_count++] = *access;
}
void sam_step_add_csr(struct sam_step *step, unsigned address, uint64_t value);
/* Read up to 8 bytes as the core would, without side effects. Returns false if they cannot be
 * read. */
bool sam_core_peek(struct sam_core *core, uint64_t address, unsigned size, uint64_t *value);

#endif
