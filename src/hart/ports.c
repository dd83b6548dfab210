/* SPDX-License-Identifier: Apache-2.0 */
/* Control registers, which a hart in a system accesses as words of memory. */
#include "hart/core.h"

uint8_t *sam_hart_port_word(struct sam_hart *hart, uint64_t address, unsigned size,
                            enum sam_access access, struct sam_fault *fault)
{
    const struct sam_hart_ports *ports = &hart->home.ports;
    *fault = (struct sam_fault){sam_access_cause(access), address};
    /* Accesses of TensorLoad, of the matrix unit and of debuggers also resolve here. */
    if (!hart->core.scalar || hart->core.atomic || size != 4 || access == SAM_FETCH)
        return NULL;
    hart->port_address = address;
    if (access == SAM_STORE)
        hart->core.event |= SAM_EVENT_PORT;
    else
        hart->port_end = ports->load(ports->context, address, &hart->port_word);
    return access == SAM_STORE || hart->port_end == SAM_HART_PORT_DONE ? (uint8_t *)&hart->port_word
                                                                       : NULL;
}

/* Whether the instruction before pc is a plain store; sc may not have stored. */
static bool was_store(struct sam_hart *hart)
{
    struct sam_fault fault;
    struct sam_insn insn;
    uint32_t word;
    return sam_code_fetch(&hart->core, sam_hart_wrap(hart, hart->core.pc - 4), &word, &fault) &&
           sam_code_decode(hart->code, word, 0, &insn) &&
           sam_insn_rows[insn.op].does.act == SAM_ACT_STORE;
}

enum sam_exit sam_hart_port_store(struct sam_hart *hart, enum sam_exit exit)
{
    const struct sam_hart_ports *ports = &hart->home.ports;
    struct sam_core *c = &hart->core;
    if (exit != SAM_EXIT_EVENT || !(c->event & SAM_EVENT_PORT))
        return exit;
    const bool stored = was_store(hart);
    if (stored)
        hart->port_end = ports->store(ports->context, hart->port_address, hart->port_word);
    if (stored && hart->port_end != SAM_HART_PORT_FAULT)
        return exit;
    /* Undo the instruction; a store writes no register. */
    c->pc = sam_hart_wrap(hart, c->pc - 4);
    c->retired--;
    c->cause = SAM_CAUSE_STORE_ACCESS;
    c->tval = hart->port_address;
    return SAM_EXIT_TRAP;
}
