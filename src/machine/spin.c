/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/spin.h"

static uint64_t x_of(const struct sam_core *core, unsigned number)
{
    return sam_core_x(core, sam_code_is_narrow(core->code), number);
}

void sam_spin_begin(struct sam_spin *spin, const struct sam_core *core)
{
    spin->pc = core->pc;
    for (unsigned i = 0; i < SAM_SPIN_X; i++)
        spin->x[i] = x_of(core, i);
    spin->added = true;
}

/* Counters move by themselves. */
static bool reads_counter(struct sam_core *core, const struct sam_step *step)
{
    enum { FIRST = 0xb00, LAST = 0xcff };
    struct sam_insn insn;
    if (!sam_code_decode(core->code, step->word, step->prefix, &insn))
        return true;
    const enum sam_act act = (enum sam_act)sam_insn_rows[insn.op].does.act;
    const unsigned address = (unsigned)insn.imm & 0xfff;
    return (act == SAM_ACT_CSR_WRITE || act == SAM_ACT_CSR_BITS) && address >= FIRST &&
           address <= LAST;
}

/* False: there is no room, or the bytes cannot be read. */
static bool add_write(struct sam_spin *spin, struct sam_core *core,
                      const struct sam_step_access *access)
{
    for (unsigned i = 0; i < spin->count; i++)
        if (spin->writes[i].address == access->address && spin->writes[i].size == access->size)
            return true;
    if (spin->count == SAM_SPIN_WRITES || access->size > 8)
        return false;
    spin->writes[spin->count].address = access->address;
    spin->writes[spin->count].size = access->size;
    spin->added = true;
    return sam_core_peek(core, access->address, access->size, &spin->writes[spin->count++].value);
}

/* Take the values that the written bytes have now: whether they are those of the last return. */
static bool same_memory(struct sam_spin *spin, struct sam_core *core)
{
    bool same = !spin->added;
    spin->added = false;
    for (unsigned i = 0; i < spin->count; i++) {
        uint64_t value = 0;
        same &= sam_core_peek(core, spin->writes[i].address, spin->writes[i].size, &value) &&
                value == spin->writes[i].value;
        spin->writes[i].value = value;
    }
    return same;
}

enum sam_spin_state sam_spin_step(struct sam_spin *spin, struct sam_core *core,
                                  const struct sam_step *step)
{
    if (step->kind != SAM_STEP_RAN || step->access_count >= SAM_STEP_ACCESSES ||
        reads_counter(core, step))
        return SAM_SPIN_OTHER;
    for (unsigned i = 0; i < step->access_count; i++)
        if (step->access[i].store && !add_write(spin, core, &step->access[i]))
            return SAM_SPIN_OTHER;
    if (core->pc != spin->pc || core->pending_prefix)
        return SAM_SPIN_GOES_ON;
    for (unsigned i = 0; i < SAM_SPIN_X; i++)
        if (spin->x[i] != x_of(core, i))
            return SAM_SPIN_GOES_ON;
    return same_memory(spin, core) ? SAM_SPIN_REPEATS : SAM_SPIN_RETURNED;
}
