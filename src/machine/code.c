/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes pages into micro-ops and runs them. */
#include <stdlib.h>

#include "machine/fpenv.h"
#include "machine/page.h"
#include "machine/threads.h"

static struct steps *steps_of(struct sam_code *code)
{
    if (!code->steps)
        code->steps = sam_alloc(1, sizeof *code->steps);
    return code->steps;
}

bool sam_code_decode(struct sam_code *code, uint32_t word, uint32_t prefix, struct sam_insn *insn)
{
    struct steps *steps = steps_of(code);
    struct decoded *d = &code->decoded;
    if (SAM_LIKELY(steps))
        d = &steps->decoded[((word ^ prefix) * 2654435761u >> 20) % DECODED];
    if (!d->known || d->insn.word != word || d->prefix != prefix) {
        d->legal = sam_decode(&code->machine->isa, word, prefix, &d->insn);
        d->prefix = prefix;
        d->known = true;
    }
    *insn = d->insn;
    return d->legal;
}

unsigned sam_code_vectors(const struct sam_code *code)
{
    return code->vectors;
}

uint64_t sam_code_changes(const struct sam_code *code)
{
    return code->changes;
}

void sam_code_use_vector(struct sam_code *code, unsigned number)
{
    if (number >= code->vectors)
        code->vectors = number + 1;
}

struct sam_code *sam_code_new(const struct sam_machine *machine, struct sam_tlb *tlb)
{
    struct sam_code *code = sam_alloc(1, sizeof *code);
    if (!code)
        return NULL;
    code->machine = machine;
    code->breakpoints_enabled = true;
    code->tlb = tlb;
    code->hot.next_stage = UINT64_MAX;
    /* Room for some: adding the first breakpoint cannot fail. */
    code->breakpoints = sam_grow(NULL, 0, &code->breakpoint_capacity, sizeof *code->breakpoints);
    if (!code->breakpoints) {
        free(code);
        return NULL;
    }
    return code;
}

void sam_code_free(struct sam_code *code)
{
    for (unsigned i = 0; code && i < PAGE_HASH; i++) {
        for (struct code_page *page = code->pages[i], *next; page; page = next) {
            next = page->next;
            for (unsigned j = 0; j < SAM_PAGE_OPS; j++)
                free(page->fused[j]);
            free(page->counters);
            free(page->hot);
            free(page);
        }
    }
    if (code) {
        free(code->breakpoints);
        free(code->steps);
    }
    free(code);
}

const struct sam_machine *sam_code_machine(const struct sam_code *code)
{
    return code->machine;
}

static struct code_page *find_page(const struct sam_code *code, uint64_t page_pc)
{
    struct code_page *page = code->pages[(page_pc / SAM_PAGE_SIZE) % PAGE_HASH];
    while (page && page->pc != page_pc)
        page = page->next;
    return page;
}

static uint64_t page_start(uint64_t address)
{
    return address & ~(uint64_t)(SAM_PAGE_SIZE - 1);
}

bool sam_code_has(const struct sam_code *code, uint64_t address)
{
    return find_page(code, page_start(address)) != NULL;
}

static sam_handler op_translate, op_leave_page, op_prefix, op_resume, op_step_done, op_stop;

void sam_code_instrument(struct sam_code *code, const struct sam_instrumentation *instrumentation)
{
    code->instrumentation = instrumentation;
}

void sam_code_flush_counters(struct sam_code *code)
{
    for (unsigned i = 0; i < PAGE_HASH; i++)
        for (struct code_page *page = code->pages[i]; page; page = page->next)
            if (page->counters)
                sam_page_flush_counters(code->instrumentation, page);
}

static bool is_prefix(const struct code_page *page, unsigned index)
{
    return page->ops[index].fn == op_prefix ||
           (page->counters && sam_op_is_prefix(page->counters[index].insn.op));
}

static void reset_page(struct code_page *page)
{
    free(page->hot);
    page->hot = NULL;
    for (unsigned i = 0; i < SAM_PAGE_OPS; i++)
        page->ops[i] = (struct sam_uop){.fn = op_translate};
    page->ops[SAM_PAGE_OPS] = (struct sam_uop){.fn = op_leave_page};
    memset(page->plain, 0, sizeof page->plain);
    memset(page->known, 0, sizeof page->known);
    page->low = SAM_PAGE_SIZE;
    page->high = 0;
}

void sam_page_pair(const struct sam_machine *machine, struct code_page *page, unsigned index)
{
    if (index + 1 >= SAM_PAGE_OPS || !page->plain[index] || !page->plain[index + 1] ||
        sam_hot_holds(page, index) || sam_hot_holds(page, index + 1))
        return;
    sam_handler *pair =
        machine->pair_of((enum sam_op)page->plain[index], (enum sam_op)page->plain[index + 1]);
    if (pair)
        page->ops[index].fn = pair;
}

/* Decode instruction `index` again when it is next reached, and also a prefix before it. */
static void forget(struct sam_code *code, struct code_page *page, unsigned index)
{
    if (page->counters)
        sam_page_flush_replaced(code->instrumentation, page, index);
    sam_hot_forget(code, page, index);
    page->ops[index] = (struct sam_uop){.fn = op_translate};
    page->plain[index] = 0;
    page->known[index / 64] &= ~(UINT64_C(1) << index % 64);
    if (index && page->plain[index - 1]) /* it may have been fused with this one */
        page->ops[index - 1].fn = code->machine->handlers[page->plain[index - 1]];
    struct code_page *before = index ? page : find_page(code, page->pc - SAM_PAGE_SIZE);
    const unsigned previous = (index - 1) % SAM_PAGE_OPS;
    if (before && is_prefix(before, previous)) {
        if (before->counters)
            sam_page_flush_replaced(code->instrumentation, before, previous);
        before->ops[previous] = (struct sam_uop){.fn = op_translate};
    }
}

void sam_code_store(struct sam_code *code, uint64_t address, unsigned size)
{
    struct code_page *page = find_page(code, page_start(address));
    if (!page)
        return;
    code->changes++;
    unsigned offset = address % SAM_PAGE_SIZE;
    for (unsigned index = offset / 4; size && index <= (offset + size - 1) / 4; index++)
        forget(code, page, index);
}

/* Invalidate the instruction at `pc`, if decoded. */
static void forget_at(struct sam_code *code, uint64_t pc)
{
    struct code_page *page = find_page(code, page_start(pc));
    if (page)
        forget(code, page, pc % SAM_PAGE_SIZE / 4);
}

void sam_code_redecode(struct sam_code *code, uint64_t pc)
{
    forget_at(code, pc);
    forget_at(code, pc - 4);
}

void sam_code_reset(struct sam_code *code)
{
    code->changes++;
    for (unsigned i = 0; i < PAGE_HASH; i++)
        for (struct code_page *page = code->pages[i]; page; page = page->next)
            reset_page(page);
}

static struct code_page *make_page(struct sam_code *code, uint64_t page_pc)
{
    struct code_page *page = aligned_alloc(SAM_PAGE_SIZE, sizeof *page);
    if (!page)
        return NULL;
    sam_clear(page, sizeof *page);
    page->pc = page_pc;
    reset_page(page);
    if (code->instrumentation) {
        page->counters = sam_alloc(PAGE_COUNTERS, sizeof *page->counters);
        if (!page->counters) {
            free(page);
            return NULL;
        }
        page->counters[SAM_PAGE_OPS].fn = page->ops[SAM_PAGE_OPS].fn;
        if (code->instrumentation->page_end)
            page->ops[SAM_PAGE_OPS].fn = code->instrumentation->page_end;
    }
    struct code_page **bucket = &code->pages[(page_pc / SAM_PAGE_SIZE) % PAGE_HASH];
    page->next = *bucket;
    *bucket = page;
    code->changes++;
    /* From now on, stores to the page must resolve. */
    sam_tlb_protect(code->tlb, page_pc);
    return page;
}

/* --------------------------------------------------------------------------- decoding */

/* Decode a prefix: its micro-op links to the out-of-line pair. */
static bool fuse(struct sam_core *c, struct code_page *page, unsigned index, uint32_t prefix)
{
    uint64_t pc = page->pc + index * 4u;
    uint32_t word = 0;
    struct sam_fault fault;
    struct sam_insn insn;
    if (!page->fused[index] && !(page->fused[index] = sam_alloc(1, sizeof *page->fused[index])))
        return false;
    struct sam_fused *fused = page->fused[index];
    memset(&fused->counters, 0, sizeof fused->counters);
    fused->pc = c->code->machine->isa.xlen == 32 ? (uint32_t)(pc + 4) : pc + 4;
    const bool fetched = sam_code_fetch(c, fused->pc, &word, &fault);
    /* The instruction may be on the next page, where stores must be observed, too. */
    if (fetched && !sam_code_has(c->code, fused->pc) && !make_page(c->code, page_start(fused->pc)))
        return false;
    if (fetched)
        sam_page_note(find_page(c->code, page_start(fused->pc)), fused->pc % SAM_PAGE_SIZE / 4,
                      word);
    else
        c->code->cut = true;
    if (!fetched) {
        /* Nothing can be fetched after the prefix: it has no effect, and the next fetch traps. */
        fused->ops[0] = (struct sam_uop){.fn = op_leave_page};
    } else if (sam_decode(&c->code->machine->isa, word, prefix, &insn)) {
        sam_uop_fill(c->code->machine, c->code, &insn, fused->pc, index + 1 < SAM_PAGE_OPS,
                     &fused->ops[0]);
        if (page->counters)
            sam_uop_instrument(c->code, &insn, prefix, &fused->ops[0], &fused->counters);
    } else {
        fused->ops[0] = (struct sam_uop){.fn = sam_stop_illegal};
    }
    fused->ops[1] = (struct sam_uop){.fn = op_resume};
    page->ops[index] = (struct sam_uop){.fn = op_prefix, .link = fused->ops};
    return true;
}

/* Decode instruction `op` of the running page in place. On failure, sets c->cause and c->tval and
 * returns false. */
static SAM_NOINLINE bool translate(struct sam_core *c, const struct sam_uop *op)
{
    struct code_page *page = find_page(c->code, c->page_pc);
    unsigned index = (unsigned)(op - page->ops);
    uint64_t pc = page->pc + index * 4u;
    uint32_t word;
    struct sam_fault fault;
    struct sam_insn insn;
    if (!sam_code_fetch(c, pc, &word, &fault)) {
        c->cause = fault.cause;
        c->tval = fault.address;
        return false;
    }
    sam_page_note(page, index, word);
    sam_decode(&c->code->machine->isa, word, 0, &insn);
    if (sam_code_is_breakpoint(c->code, pc) ||
        (sam_op_is_prefix(insn.op) && sam_code_is_breakpoint(c->code, pc + 4))) {
        page->ops[index] = (struct sam_uop){.fn = op_stop};
    } else if (insn.op == SAM_OP_ILLEGAL) {
        page->ops[index] = (struct sam_uop){.fn = sam_stop_illegal};
    } else if (!sam_op_is_prefix(insn.op)) {
        const struct sam_machine *machine = c->code->machine;
        sam_uop_fill(c->code->machine, c->code, &insn, pc, true, &page->ops[index]);
        if (page->counters)
            sam_uop_instrument(c->code, &insn, 0, &page->ops[index], &page->counters[index]);
        if (page->ops[index].fn == machine->handlers[insn.op])
            page->plain[index] = (uint16_t)insn.op;
        sam_hot_watch(c->code, page, index);
        if (index)
            sam_page_pair(machine, page, index - 1);
        sam_page_pair(machine, page, index);
    } else if (fuse(c, page, index, word)) {
        if (page->counters)
            sam_uop_instrument(c->code, &insn, 0, &page->ops[index], &page->counters[index]);
    } else {
        c->tlb->exhausted = true;
        c->cause = SAM_CAUSE_FETCH_ACCESS;
        c->tval = pc;
        return false;
    }
    return true;
}

/* The handler of an instruction that is not decoded yet. */
static const struct sam_uop *op_translate(SAM_HANDLER_ARGS)
{
    if (!translate(c, op))
        SAM_TRAP_SET();
    SAM_GO(op);
}

bool sam_uop_insn(struct sam_core *c, const struct sam_uop *op, struct sam_insn *insn)
{
    uint64_t pc = sam_pc_of(c, op);
    uint32_t word, prefix = 0;
    struct sam_fault fault;
    bool in_page = (uintptr_t)op - (uintptr_t)c->ops < SAM_PAGE_OPS * sizeof *op;
    if (!sam_code_fetch(c, pc, &word, &fault))
        return false;
    if (c->stepping)
        prefix = c->pending_prefix;
    else if (!in_page && !sam_code_fetch(c, pc - 4, &prefix, &fault))
        return false;
    return sam_code_decode(c->code, word, prefix, insn);
}

uint32_t sam_uop_word(struct sam_core *c, const struct sam_uop *op)
{
    uint32_t word = 0;
    struct sam_fault fault;
    sam_code_fetch(c, sam_pc_of(c, op), &word, &fault);
    return word;
}

const struct sam_uop *sam_stop_illegal(SAM_HANDLER_ARGS)
{
    SAM_TRAP(SAM_CAUSE_ILLEGAL, sam_uop_word(c, op));
}

static const struct sam_uop *op_prefix(SAM_HANDLER_ARGS)
{
    left -= op - entry + 1;
    entry = op->link;
    c->line_pc = sam_pc_of(c, op) + 4;
    SAM_GO(entry);
}

/* After an out-of-line instruction: return to its page, or continue on the next. */
static const struct sam_uop *op_resume(SAM_HANDLER_ARGS)
{
    left -= op - entry;
    uint64_t pc = c->line_pc + 4;
    uint64_t offset = pc - c->page_pc;
    if (SAM_LIKELY(offset < SAM_PAGE_SIZE)) {
        entry = c->ops + offset / 4;
        SAM_GO(entry);
    }
    entry = op;
    left += 1; /* go_to also counts the micro-op it leaves */
    SAM_JUMP_PC(pc);
}

/* The handler after the last instruction of a page, and after a prefix with nothing to fetch. */
static const struct sam_uop *op_leave_page(SAM_HANDLER_ARGS)
{
    bool sentinel = op == c->ops + SAM_PAGE_OPS;
    left += 1; /* not an instruction itself */
    SAM_JUMP_PC(sentinel ? c->page_pc + SAM_PAGE_SIZE : c->line_pc);
}

/* Stop at `op` within the block that began at `entry`. */
static void end_at(struct sam_core *c, const struct sam_uop *op, const struct sam_uop *entry)
{
    c->end_op = op;
    c->end_entry = entry;
}

/* The handler at a breakpoint. */
static const struct sam_uop *op_stop(SAM_HANDLER_ARGS)
{
    SAM_MUSTTAIL return sam_stop_before(c, op, entry, left);
}

/* The handler after a single step. */
static const struct sam_uop *op_step_done(SAM_HANDLER_ARGS)
{
    c->retired = sam_retired_at(c, op, entry, left);
    c->pc = c->line_pc + 4;
    c->exit = SAM_EXIT_BUDGET;
    return NULL;
}

/* ---------------------------------------------------------------------------- running */

/* Stop before the instruction. */
static const struct sam_uop *stop(struct sam_core *c, const struct sam_uop *op,
                                  const struct sam_uop *entry, int64_t left, enum sam_exit exit)
{
    end_at(c, op, entry);
    c->pc = sam_pc_of(c, op);
    c->retired = sam_retired_at(c, op, entry, left);
    c->exit = exit;
    return NULL;
}

const struct sam_uop *sam_stop_trap(struct sam_core *c, const struct sam_uop *op,
                                    const struct sam_uop *entry, int64_t left)
{
    return stop(c, op, entry, left, SAM_EXIT_TRAP);
}

const struct sam_uop *sam_stop_before(struct sam_core *c, const struct sam_uop *op,
                                      const struct sam_uop *entry, int64_t left)
{
    return stop(c, op, entry, left, SAM_EXIT_STOP);
}

const struct sam_uop *sam_stop_event(struct sam_core *c, const struct sam_uop *op,
                                     const struct sam_uop *entry, int64_t left, unsigned event,
                                     uint64_t next_pc)
{
    end_at(c, op, entry);
    c->retired = sam_retired_at(c, op, entry, left) + 1;
    c->pc = next_pc;
    c->exit = SAM_EXIT_EVENT;
    c->event = event;
    return NULL;
}

static inline const struct sam_uop *enter_at(struct sam_core *c, const struct code_page *page,
                                             uint64_t pc)
{
    c->ops = page->ops;
    c->counters = page->counters;
    c->page_pc = page->pc;
    return page->ops + (pc - page->pc) / 4;
}

/* Switch to the page of `pc`, which is not decoded yet. On failure, sets c->cause and c->tval and
 * returns NULL. */
static SAM_NOINLINE const struct sam_uop *enter_new(struct sam_core *c, uint64_t pc)
{
    struct sam_fault fault = {SAM_CAUSE_FETCH_ACCESS, pc};
    struct code_page *page = NULL;
    uint32_t word;
    if (pc & 3)
        fault.cause = SAM_CAUSE_FETCH_MISALIGNED;
    else if (sam_code_fetch(c, pc, &word, &fault)) {
        page = make_page(c->code, page_start(pc));
        c->tlb->exhausted |= !page;
    }
    if (!page) {
        c->cause = fault.cause;
        c->tval = fault.address;
        return NULL;
    }
    return enter_at(c, page, pc);
}

static inline const struct sam_uop *enter_page(struct sam_core *c, uint64_t pc)
{
    const struct code_page *page = find_page(c->code, page_start(pc));
    return SAM_LIKELY(page && !(pc & 3)) ? enter_at(c, page, pc) : enter_new(c, pc);
}

const struct sam_uop *sam_go_to(struct sam_core *c, const struct sam_uop *op,
                                const struct sam_uop *entry, int64_t left)
{
    const uint64_t pc = c->code->machine->isa.xlen == 32 ? (uint32_t)c->pc : c->pc;
    if (pc & 3)
        SAM_TRAP(SAM_CAUSE_FETCH_MISALIGNED, pc); /* the jump itself traps */
    left -= op - entry + 1;
    c->exit = SAM_EXIT_BUDGET;
    if (left > 0) {
        entry = enter_page(c, pc);
        if (entry)
            SAM_GO(entry);
        c->exit = SAM_EXIT_TRAP;
    }
    c->pc = pc;
    c->retired += (uint64_t)(c->quantum - left);
    return NULL;
}

/* Run handlers until one stops. */
static void run_from(struct sam_core *c, const struct sam_uop *op, int64_t left)
{
    c->quantum = left;
    c->event = 0;
    c->loop_entry = op;
    c->loop_left = left;
#if SAM_TAIL_CALLS
    op->fn(c, op, op, left);
#else
    while (op)
        op = op->fn(c, op, c->loop_entry, c->loop_left);
#endif
}

enum sam_exit sam_core_run_entered(struct sam_core *core, int64_t budget)
{
    core->fault_lane = UINT32_MAX;
    core->end_op = core->end_entry = NULL;
    const struct sam_uop *op = enter_page(core, core->pc);
    if (!op)
        return core->exit = SAM_EXIT_TRAP;
    const uint64_t before = core->retired;
    run_from(core, op, budget);
    sam_hot_note_run(core->code, core->retired - before);
    const unsigned flags = sam_host_fp_flags();
    if (flags) {
        core->fflags |= (uint8_t)flags;
        sam_host_fp_clear();
    }
    return core->exit;
}

enum sam_exit sam_core_run(struct sam_core *core, int64_t budget)
{
    const sam_host_fp host = sam_host_fp_enter();
    const enum sam_exit exit = sam_core_run_entered(core, budget);
    sam_host_fp_leave(host);
    return exit;
}

/* The micro-op of `insn` at core->pc. */
static const struct sam_uop *step_uop(struct sam_core *core, const struct sam_insn *insn)
{
    struct steps *steps = steps_of(core->code);
    struct stepped *s = steps ? &steps->stepped[core->pc / 4 % DECODED] : &core->code->stepped;
    if (!s->uop.fn || s->pc != core->pc || s->word != insn->word ||
        s->prefix != core->pending_prefix) {
        s->pc = core->pc;
        s->word = insn->word;
        s->prefix = core->pending_prefix;
        sam_uop_fill(core->code->machine, core->code, insn, core->pc, true, &s->uop);
    }
    return &s->uop;
}

/* Whether the instruction uses the host's floating-point environment, which is slow to switch to,
 * or accesses its flags. */
static bool uses_host_fp(enum sam_op op)
{
    switch ((enum sam_act)sam_insn_rows[op].does.act) {
    case SAM_ACT_FLOAT:
    case SAM_ACT_CSR_WRITE:
    case SAM_ACT_CSR_BITS:
    case SAM_ACT_TL_ADDI:
    case SAM_ACT_MATRIX: return true;
    default: return false;
    }
}

enum sam_exit sam_core_step(struct sam_core *core, struct sam_insn *insn)
{
    struct sam_insn ignored;
    struct sam_fault fault;
    uint32_t word;
    insn = insn ? insn : &ignored;
    *insn = (struct sam_insn){.op = SAM_OP_ILLEGAL};
    core->fault_lane = UINT32_MAX;
    core->exit = SAM_EXIT_TRAP;
    if (!enter_page(core, core->pc))
        return core->exit;
    if (!sam_code_fetch(core, core->pc, &word, &fault)) {
        core->cause = fault.cause;
        core->tval = fault.address;
        return core->exit;
    }
    if (!sam_code_decode(core->code, word, core->pending_prefix, insn)) {
        core->cause = SAM_CAUSE_ILLEGAL;
        core->tval = word;
        return core->exit;
    }
    if (sam_op_is_prefix(insn->op)) {
        core->pending_prefix = word;
        core->pc += 4;
        core->retired++;
        return core->exit = SAM_EXIT_BUDGET;
    }
    struct sam_uop line[2] = {{.fn = NULL}, {.fn = op_step_done}};
    line[0] = *step_uop(core, insn);
    core->line_pc = core->pc;
    core->stepping = true;
    if (uses_host_fp(insn->op)) {
        sam_host_fp host = sam_host_fp_enter();
        run_from(core, line, 1);
        core->fflags |= (uint8_t)sam_host_fp_flags();
        sam_host_fp_leave(host);
    } else {
        run_from(core, line, 1);
    }
    core->stepping = false;
    core->pending_prefix = 0;
    return core->exit;
}
