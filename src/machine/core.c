/* SPDX-License-Identifier: Apache-2.0 */
/* Initialises cores, resolves their TLB misses, and stops them at the end of a budget. */
#include "machine/threads.h"

uint8_t *sam_access_slow(struct sam_core *c, uint64_t address, unsigned size,
                         enum sam_access access)
{
    struct sam_fault fault = {0, address};
    uint8_t *host = NULL;
    c->scalar = true;
    c->atomic = access == SAM_ATOMIC;
    if (c->atomic)
        access = SAM_STORE;
    if (address & (size - 1))
        fault.cause = access == SAM_LOAD ? SAM_CAUSE_LOAD_MISALIGNED : SAM_CAUSE_STORE_MISALIGNED;
    else
        host = c->tlb->resolve(c->tlb, address, size, access, &fault);
    c->scalar = c->atomic = false;
    if (SAM_UNLIKELY(c->tlb->reports)) {
        c->tlb->reports = false;
        c->event |= SAM_EVENT_REPORT;
        c->cause = sam_access_cause(access);
        c->tval = address;
    }
    if (!host) {
        c->cause = fault.cause;
        c->tval = fault.address;
    } else if (access == SAM_STORE) {
        sam_code_store(c->code, address, size);
    }
    return host;
}

bool sam_code_fetch(const struct sam_core *core, uint64_t pc, uint32_t *word,
                    struct sam_fault *fault)
{
    const uint8_t *host = core->tlb->resolve(core->tlb, pc, 4, SAM_FETCH, fault);
    if (host)
        *word = sam_le32(host);
    return host != NULL;
}

const struct sam_uop *sam_stop_at(struct sam_core *c, const struct sam_uop *next, int64_t left)
{
    c->pc = sam_pc_of(c, next);
    c->retired += (uint64_t)(c->quantum - left);
    c->exit = SAM_EXIT_BUDGET;
    return NULL;
}

void sam_core_init(struct sam_core *core, struct sam_tlb *tlb, struct sam_code *code, uint64_t pc)
{
    sam_clear(core, sizeof *core);
    core->tlb = tlb;
    core->entries = tlb->entries;
    core->code = code;
    core->pc = pc;
    core->frm_plain = true;
    core->fault_lane = UINT32_MAX;
}
