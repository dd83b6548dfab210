/* SPDX-License-Identifier: Apache-2.0 */
/* Records traps and describes them. */
#include <stdio.h>

#include "simt/simt.h"

/* Per kind: its cause and its text; without a text, that of the fault. */
static const struct {
    uint8_t cause; /* SAM_TRAP_NONE: 0, which no kind has */
    bool hexadecimal;
    const char *text, *after; /* the trap value goes before `after`, unless NULL */
} rows[] = {
    [SAM_TRAP_NONE] = {.text = "no trap"},
    [SAM_TRAP_ILLEGAL] = {.cause = SAM_CAUSE_ILLEGAL},
    [SAM_TRAP_FETCH] = {.cause = SAM_CAUSE_FETCH_ACCESS},
    [SAM_TRAP_FETCH_MISALIGNED] = {.cause = SAM_CAUSE_FETCH_MISALIGNED},
    [SAM_TRAP_LOAD_MISALIGNED] = {.cause = SAM_CAUSE_LOAD_MISALIGNED},
    [SAM_TRAP_STORE_MISALIGNED] = {.cause = SAM_CAUSE_STORE_MISALIGNED},
    [SAM_TRAP_LOAD_FAULT] = {.cause = SAM_CAUSE_LOAD_ACCESS},
    [SAM_TRAP_STORE_FAULT] = {.cause = SAM_CAUSE_STORE_ACCESS},
    [SAM_TRAP_FETCH_PAGE] = {.cause = SAM_CAUSE_FETCH_PAGE},
    [SAM_TRAP_LOAD_PAGE] = {.cause = SAM_CAUSE_LOAD_PAGE},
    [SAM_TRAP_STORE_PAGE] = {.cause = SAM_CAUSE_STORE_PAGE},
    [SAM_TRAP_PRIVATE_RANGE] = {SAM_CAUSE_PRIVATE, true, "private address ",
                                " is past the thread's private memory"},
    [SAM_TRAP_STACK_OVERFLOW] = {SAM_CAUSE_STACK, false, "SIMT stack overflow at ", " entries"},
    [SAM_TRAP_ENDPRG_DIVERGED] = {SAM_CAUSE_ENDPRG, .text = "endprg while lanes are diverged"},
    [SAM_TRAP_BARRIER_DIVERGED] = {SAM_CAUSE_BARRIER,
                                   .text = "deadlock: barrier reached by some lanes only"},
    [SAM_TRAP_DEADLOCK] = {SAM_CAUSE_DEADLOCK,
                           .text = "deadlock: every warp waits, not all at this barrier"},
    [SAM_TRAP_BUDGET] = {SAM_CAUSE_BUDGET, false, "still running after ", " instructions"},
    [SAM_TRAP_PRINT_FULL] = {SAM_CAUSE_PRINT, false, "print buffer full: index ",
                             " is past its end"},
    [SAM_TRAP_SPIN] = {SAM_CAUSE_LIVELOCK,
                       .text = "deadlock: the kernel waits for memory that nothing changes"},
};

static enum sam_trap_kind kind_of(unsigned cause)
{
    for (unsigned kind = SAM_TRAP_ILLEGAL; kind < SAM_COUNT(rows); kind++)
        if (rows[kind].cause == cause)
            return (enum sam_trap_kind)kind;
    return SAM_TRAP_ILLEGAL;
}

static struct sam_trap make_trap(const struct sam_warp *warp, unsigned cause, uint32_t pc,
                                 uint64_t tval)
{
    struct sam_trap trap = {.kind = kind_of(cause),
                            .workgroup = warp->wgid,
                            .warp = warp->wid,
                            .lane = warp->core.fault_lane,
                            .lanes = warp->simt,
                            .pc = pc,
                            .tval = tval};
    struct sam_fault fault;
    memcpy(trap.group, warp->group, sizeof trap.group);
    if (trap.pc % 4 || !sam_code_fetch(&warp->core, trap.pc, &trap.word, &fault))
        trap.word = 0;
    return trap;
}

void sam_run_note_access(struct sam_worker *worker, const struct sam_warp *warp)
{
    struct sam_run *run = worker->run;
    const unsigned input = worker->tlb.input;
    struct sam_trap *noted = input ? &run->gpu->inputs[input - 1] : run->gpu->options.past_end;
    worker->tlb.input = 0;
    const struct sam_trap trap =
        make_trap(warp, warp->core.cause, (uint32_t)warp->core.pc - 4, warp->core.tval);
    pthread_mutex_lock(&run->lock);
    if (noted->kind == SAM_TRAP_NONE || trap.workgroup < noted->workgroup)
        *noted = trap;
    pthread_mutex_unlock(&run->lock);
}

void sam_run_fail(struct sam_worker *worker, const struct sam_warp *warp, unsigned cause,
                  uint64_t tval)
{
    struct sam_run *run = worker->run;
    const uint32_t pc = cause == SAM_CAUSE_DEADLOCK ? warp->barrier_pc : (uint32_t)warp->core.pc;
    const struct sam_trap trap = make_trap(warp, cause, pc, tval);
    pthread_mutex_lock(&run->lock);
    if (!run->failed || trap.workgroup < run->trap.workgroup)
        run->trap = trap;
    __atomic_store_n(&run->failed, true, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&run->lock);
}

static const char *describe_kind(const struct sam_trap *trap, char *text, size_t size)
{
    const unsigned kind = trap->kind;
    if (kind >= SAM_COUNT(rows))
        return "unknown trap";
    const struct sam_fault fault = {rows[kind].cause, trap->tval};
    const bool local = trap->tval - SAM_LDS_BASE < SAM_LDS_SIZE;
    if (!rows[kind].text)
        sam_fault_text(&fault, 8,
                       local ? ", outside the workgroup's local memory" : ", outside every buffer",
                       text, size);
    else if (!rows[kind].after)
        return rows[kind].text;
    else
        snprintf(text, size, rows[kind].hexadecimal ? "%s0x%llx%s" : "%s%llu%s", rows[kind].text,
                 (unsigned long long)trap->tval, rows[kind].after);
    return text;
}

void sam_trap_describe(const struct sam_trap *trap, const struct sam_image *image, char *text,
                       size_t size)
{
    struct sam_buffer out = {0};
    struct sam_isa isa;
    char what[96];
    sam_buffer_printf(&out, "%s; workgroup %u (%u,%u,%u) warp %u lanes 0x%08x",
                      describe_kind(trap, what, sizeof what), trap->workgroup, trap->group[0],
                      trap->group[1], trap->group[2], trap->warp, trap->lanes);
    if (trap->lane != UINT32_MAX)
        sam_buffer_printf(&out, " lane %u", trap->lane);
    sam_buffer_puts(&out, " ");
    sam_fault_put_pc(&out, image, trap->pc, 8);
    if (sam_isa_parse("ventus", &isa, NULL) == SAM_OK)
        sam_fault_put_word(&out, &isa, image, trap->pc, trap->word);
    if (size)
        snprintf(text, size, "%s", sam_buffer_text(&out));
    sam_buffer_free(&out);
}
