/* SPDX-License-Identifier: Apache-2.0 */
/* Traps: recording one, and its text. */
#include <inttypes.h>
#include <stdio.h>

#include "simt/simt.h"

static enum sam_trap_kind kind_of(unsigned cause)
{
    switch (cause) {
    case SAM_CAUSE_FETCH_MISALIGNED: return SAM_TRAP_FETCH_MISALIGNED;
    case SAM_CAUSE_FETCH_ACCESS: return SAM_TRAP_FETCH;
    case SAM_CAUSE_LOAD_MISALIGNED: return SAM_TRAP_LOAD_MISALIGNED;
    case SAM_CAUSE_LOAD_ACCESS: return SAM_TRAP_LOAD_FAULT;
    case SAM_CAUSE_STORE_MISALIGNED: return SAM_TRAP_STORE_MISALIGNED;
    case SAM_CAUSE_STORE_ACCESS: return SAM_TRAP_STORE_FAULT;
    case SAM_CAUSE_FETCH_PAGE: return SAM_TRAP_FETCH_PAGE;
    case SAM_CAUSE_LOAD_PAGE: return SAM_TRAP_LOAD_PAGE;
    case SAM_CAUSE_STORE_PAGE: return SAM_TRAP_STORE_PAGE;
    case SAM_CAUSE_PRIVATE: return SAM_TRAP_PRIVATE_RANGE;
    case SAM_CAUSE_STACK: return SAM_TRAP_STACK_OVERFLOW;
    case SAM_CAUSE_ENDPRG: return SAM_TRAP_ENDPRG_DIVERGED;
    case SAM_CAUSE_BARRIER: return SAM_TRAP_BARRIER_DIVERGED;
    case SAM_CAUSE_DEADLOCK: return SAM_TRAP_DEADLOCK;
    case SAM_CAUSE_BUDGET: return SAM_TRAP_BUDGET;
    case SAM_CAUSE_PRINT: return SAM_TRAP_PRINT_FULL;
    default: return SAM_TRAP_ILLEGAL;
    }
}

void sam_run_fail(struct sam_worker *worker, const struct sam_warp *warp, unsigned cause,
                  uint64_t tval)
{
    struct sam_run *run = worker->run;
    struct sam_trap trap = {.kind = kind_of(cause),
                            .workgroup = warp->wgid,
                            .warp = warp->wid,
                            .lane = warp->core.fault_lane,
                            .lanes = warp->simt,
                            .pc = cause == SAM_CAUSE_DEADLOCK ? warp->barrier_pc
                                                              : (uint32_t)warp->core.pc,
                            .tval = tval};
    struct sam_fault fault;
    memcpy(trap.group, warp->group, sizeof trap.group);
    if (trap.pc % 4 || !sam_code_fetch(&warp->core, trap.pc, &trap.word, &fault))
        trap.word = 0;
    pthread_mutex_lock(&run->lock);
    if (!run->failed || trap.workgroup < run->trap.workgroup)
        run->trap = trap;
    run->failed = true;
    pthread_mutex_unlock(&run->lock);
}

static const char *describe_kind(const struct sam_trap *trap, char *text, size_t size)
{
    unsigned long long at = trap->tval;
    switch (trap->kind) {
    case SAM_TRAP_NONE: return "no trap";
    case SAM_TRAP_ILLEGAL:
        return sam_word_is_compressed(trap->word) ? "compressed instruction; compile without C"
                                                  : "illegal instruction";
    case SAM_TRAP_FETCH: snprintf(text, size, "no code at 0x%08llx", at); return text;
    case SAM_TRAP_FETCH_MISALIGNED:
        snprintf(text, size, "jump to 0x%08llx, not a multiple of 4", at);
        return text;
    case SAM_TRAP_LOAD_MISALIGNED:
        snprintf(text, size, "misaligned load from 0x%08llx", at);
        return text;
    case SAM_TRAP_STORE_MISALIGNED:
        snprintf(text, size, "misaligned store to 0x%08llx", at);
        return text;
    case SAM_TRAP_LOAD_FAULT:
        snprintf(text, size, "load from 0x%08llx, outside every buffer", at);
        return text;
    case SAM_TRAP_STORE_FAULT:
        snprintf(text, size, "store to 0x%08llx, outside every buffer", at);
        return text;
    case SAM_TRAP_FETCH_PAGE: snprintf(text, size, "fetch page fault at 0x%08llx", at); return text;
    case SAM_TRAP_LOAD_PAGE: snprintf(text, size, "load page fault at 0x%08llx", at); return text;
    case SAM_TRAP_STORE_PAGE: snprintf(text, size, "store page fault at 0x%08llx", at); return text;
    case SAM_TRAP_PRIVATE_RANGE:
        snprintf(text, size, "private address 0x%llx is past the thread's private memory", at);
        return text;
    case SAM_TRAP_STACK_OVERFLOW:
        snprintf(text, size, "SIMT stack overflow at %llu entries", at);
        return text;
    case SAM_TRAP_ENDPRG_DIVERGED: return "endprg while lanes are diverged";
    case SAM_TRAP_BARRIER_DIVERGED: return "deadlock: barrier reached by some lanes only";
    case SAM_TRAP_DEADLOCK: return "deadlock: every warp waits, not all at this barrier";
    case SAM_TRAP_BUDGET:
        snprintf(text, size, "still running after %llu instructions", at);
        return text;
    case SAM_TRAP_PRINT_FULL:
        snprintf(text, size, "print buffer full: index %llu is past its end", at);
        return text;
    }
    return "unknown trap";
}

void sam_trap_describe(const struct sam_trap *trap, const struct sam_image *image, char *text,
                       size_t size)
{
    struct sam_buffer out = {0};
    struct sam_isa isa;
    char what[96], insn[96] = "";
    sam_buffer_printf(&out, "%s; workgroup %u (%u,%u,%u) warp %u lanes 0x%08x",
                      describe_kind(trap, what, sizeof what), trap->workgroup, trap->group[0],
                      trap->group[1], trap->group[2], trap->warp, trap->lanes);
    if (trap->lane != UINT32_MAX)
        sam_buffer_printf(&out, " lane %u", trap->lane);
    sam_buffer_printf(&out, " pc 0x%08x", trap->pc);
    const struct sam_symbol *symbol = sam_image_symbol_at(image, trap->pc);
    if (symbol)
        sam_buffer_printf(&out, " <%s+0x%x>", symbol->name, trap->pc - (uint32_t)symbol->value);
    if (trap->word && sam_isa_parse("ventus", &isa, NULL) == SAM_OK) {
        sam_disassemble(&isa, trap->word, trap->pc, 0, image, insn, sizeof insn);
        sam_buffer_printf(&out, " (0x%08x) %s", trap->word, insn);
    }
    if (size)
        snprintf(text, size, "%s", sam_buffer_text(&out));
    sam_buffer_free(&out);
}
