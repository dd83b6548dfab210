/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/livelock.h"

static uint64_t x_of(const struct sam_core *core, unsigned number)
{
    return sam_core_x(core, sam_code_is_narrow(core->code), number);
}

void sam_livelock_begin(struct sam_livelock *state, const struct sam_core *core)
{
    state->pc = core->pc;
    for (unsigned i = 0; i < SAM_LIVELOCK_X; i++)
        state->x[i] = x_of(core, i);
    state->added = true;
}

/* Counters change by themselves. */
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

/* Returns false if there is no room or the bytes cannot be read. */
static bool add_write(struct sam_livelock *state, struct sam_core *core,
                      const struct sam_step_access *access)
{
    for (unsigned i = 0; i < state->count; i++)
        if (state->writes[i].address == access->address && state->writes[i].size == access->size)
            return true;
    if (state->count == SAM_LIVELOCK_WRITES || access->size > 8)
        return false;
    state->writes[state->count].address = access->address;
    state->writes[state->count].size = access->size;
    state->added = true;
    return sam_core_peek(core, access->address, access->size, &state->writes[state->count++].value);
}

/* Read the written bytes again; returns whether they are as of the last return. */
static bool same_memory(struct sam_livelock *state, struct sam_core *core)
{
    bool same = !state->added;
    state->added = false;
    for (unsigned i = 0; i < state->count; i++) {
        uint64_t value = 0;
        same &= sam_core_peek(core, state->writes[i].address, state->writes[i].size, &value) &&
                value == state->writes[i].value;
        state->writes[i].value = value;
    }
    return same;
}

enum sam_livelock_state sam_livelock_step(struct sam_livelock *state, struct sam_core *core,
                                          const struct sam_step *step)
{
    if (step->kind != SAM_STEP_RAN || step->access_count >= SAM_STEP_ACCESSES ||
        reads_counter(core, step))
        return SAM_LIVELOCK_UNKNOWN;
    for (unsigned i = 0; i < step->access_count; i++)
        if (step->access[i].store && !add_write(state, core, &step->access[i]))
            return SAM_LIVELOCK_UNKNOWN;
    if (core->pc != state->pc || core->pending_prefix)
        return SAM_LIVELOCK_RUNS;
    for (unsigned i = 0; i < SAM_LIVELOCK_X; i++)
        if (state->x[i] != x_of(core, i))
            return SAM_LIVELOCK_RUNS;
    return same_memory(state, core) ? SAM_LIVELOCK_REPEATS : SAM_LIVELOCK_RETURNED;
}
