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

/* Record the instruction at core->pc and the address that a scalar one will access; clear what the
 * functions below fill. insn->op is SAM_OP_ILLEGAL when there is none. */
void sam_step_begin(struct sam_core *core, struct sam_step *step, struct sam_insn *insn);
/* Run it, then record the scalar registers and CSRs it has written and the flags it has raised. */
enum sam_exit sam_step_run(struct sam_core *core, struct sam_step *step, struct sam_insn *insn);
/* For those who want to know: the value of a scalar access that has just run. */
void sam_step_find_values(struct sam_core *core, struct sam_step *step,
                          const struct sam_insn *insn);
/* For what a machine records itself. */
static inline void sam_step_add_access(struct sam_step *step, const struct sam_step_access *access)
{
    if (step->access_count < SAM_STEP_ACCESSES)
        step->access[step->access_count++] = *access;
}
void sam_step_add_csr(struct sam_step *step, unsigned address, uint64_t value);
/* Up to 8 bytes of memory as the core sees them, without any effect. False: not there. */
bool sam_core_peek(struct sam_core *core, uint64_t address, unsigned size, uint64_t *value);

#endif
