/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the natural loop of an instruction in a page of decoded code: all instructions from which a
 * branch back to it is reached without passing it. */
#include "machine/jit.h"
#include "machine/page.h"

enum {
    MOST = 600,       /* instructions of a loop */
    MOST_BEFORE = 64, /* of straight code before it */
};

struct flow {
    const struct code_page *page;
    uint64_t reached[SAM_JIT_WORDS];
    uint64_t returns[SAM_JIT_WORDS]; /* where a function may return to */
    uint64_t lands[SAM_JIT_WORDS];   /* where other indirect jumps go */
    uint64_t resumes[SAM_JIT_WORDS]; /* where a join may continue */
    bool waits;                      /* continues after barriers */
    uint32_t to[SAM_PAGE_OPS][2];    /* successors; SAM_PAGE_OPS: none */
};

static bool has(const uint64_t *set, unsigned index)
{
    return index < SAM_PAGE_OPS && (set[index / 64] >> index % 64 & 1);
}

static bool add(uint64_t *set, unsigned index)
{
    if (index >= SAM_PAGE_OPS || has(set, index))
        return false;
    set[index / 64] |= UINT64_C(1) << index % 64;
    return true;
}

/* Whether a loop can contain the instruction. */
static bool is_possible(const struct flow *f, unsigned index)
{
    const enum sam_op op = index < SAM_PAGE_OPS ? sam_hot_op(f->page, index) : SAM_OP_ILLEGAL;
    if (op == SAM_OP_ILLEGAL)
        return false;
    switch ((enum sam_act)sam_insn_rows[op].does.act) {
    case SAM_ACT_ALU:
    case SAM_ACT_MULDIV:
    case SAM_ACT_FLOAT:
    case SAM_ACT_BRANCH:
    case SAM_ACT_JUMP:
    case SAM_ACT_LOAD:
    case SAM_ACT_STORE:
    case SAM_ACT_SPLIT:
    case SAM_ACT_JOIN:
    case SAM_ACT_RPC: return true;
    case SAM_ACT_SYNC: return f->waits && op == SAM_OP_barrier;
    default: return false;
    }
}

/* The function that auipc and this jalr call. */
static void find_function(struct flow *f, unsigned index)
{
    const struct sam_uop *jalr = &f->page->ops[index], *auipc = jalr - 1;
    if (!index || sam_hot_op(f->page, index - 1) != SAM_OP_auipc || auipc->rd != jalr->rs1)
        return;
    const int64_t distance = (int64_t)(int32_t)((uint32_t)auipc->imm << 12) + jalr->imm;
    add(f->lands, (unsigned)(index - 1 + distance / 4));
}

static void find_successors(struct flow *f, unsigned index)
{
    const struct sam_uop *uop = &f->page->ops[index];
    const enum sam_op op = sam_hot_op(f->page, index);
    const unsigned act = sam_insn_rows[op].does.act;
    uint32_t *to = f->to[index];
    to[0] = to[1] = SAM_PAGE_OPS;
    if (act == SAM_ACT_JUMP) {
        if (op == SAM_OP_jal)
            to[0] = (uint32_t)uop->imm;
        if (uop->rd != SAM_X_SINK) {
            add(f->returns, index + 1);
            to[1] = index + 1; /* the function may be elsewhere */
            if (op == SAM_OP_jalr)
                find_function(f, index);
        }
        return;
    }
    to[0] = index + 1;
    if (act == SAM_ACT_BRANCH || (act == SAM_ACT_SPLIT && !(uop->rs3 & SAM_UOP_FAR)))
        to[1] = (uint32_t)uop->imm;
    if (act == SAM_ACT_SPLIT) {
        add(f->resumes, to[0]);
        add(f->resumes, to[1]);
    } else if (act == SAM_ACT_JOIN) {
        add(f->resumes, index);
    }
}

/* Successors that depend on a register or on the SIMT stack; NULL: none. */
static const uint64_t *far_successors(const struct flow *f, unsigned index)
{
    const enum sam_op op = sam_hot_op(f->page, index);
    if (op == SAM_OP_jalr)
        return sam_jit_returns(&f->page->ops[index]) ? f->returns : f->lands;
    return op == SAM_OP_join ? f->resumes : NULL;
}

/* Everything possible that is reached from `head`. Functions return to all places of a call. */
static unsigned reach(struct flow *f, unsigned head)
{
    unsigned count = 0, before;
    add(f->reached, head);
    do {
        before = count;
        count = 0;
        for (unsigned i = 0; i < SAM_PAGE_OPS; i++) {
            if (!has(f->reached, i))
                continue;
            find_successors(f, i);
            count++;
            for (unsigned k = 0; k < 2; k++)
                if (is_possible(f, f->to[i][k]))
                    add(f->reached, f->to[i][k]);
            const uint64_t *far = far_successors(f, i);
            for (unsigned r = 0; far && r < SAM_PAGE_OPS; r++)
                if (has(far, r) && is_possible(f, r))
                    add(f->reached, r);
        }
    } while (count != before && count <= MOST);
    return count;
}

static bool leads_into(const struct flow *f, unsigned index, const uint64_t *set, unsigned head)
{
    for (unsigned k = 0; k < 2; k++)
        if (f->to[index][k] == head || has(set, f->to[index][k]))
            return true;
    const uint64_t *far = far_successors(f, index);
    for (unsigned w = 0; far && w < SAM_JIT_WORDS; w++)
        if (far[w] & set[w])
            return true;
    return false;
}

/* Registers and their uses from the operands of the instruction. */
static void note_operands(struct sam_jit_loop *loop, unsigned index, const struct sam_insn *insn)
{
    uint8_t uses = sam_insn_rows[insn->op].does.act == SAM_ACT_FLOAT ? SAM_JIT_FLOAT : 0;
    if (sam_insn_rows[insn->op].does.reads_vd)
        uses |= SAM_JIT_READS_VD;
    for (const char *l = sam_insn_rows[insn->op].operands; *l; l++) {
        const struct sam_operand *operand = sam_operand_find(*l);
        if (!operand || (operand->kind != SAM_KIND_X && operand->kind != SAM_KIND_V))
            continue;
        const bool vector = operand->kind == SAM_KIND_V;
        if (operand->slot == SAM_SLOT_RD && vector)
            loop->v_written[insn->rd / 64] |= UINT64_C(1) << insn->rd % 64;
        else if (operand->slot == SAM_SLOT_RD)
            loop->x_written |= UINT64_C(1) << insn->rd % 64;
        else if (operand->slot == SAM_SLOT_RS1)
            uses |= vector ? SAM_JIT_V1 : SAM_JIT_X1;
        else if (operand->slot == SAM_SLOT_RS2)
            uses |= vector ? SAM_JIT_V2 : SAM_JIT_X2;
    }
    loop->uses[index] = uses;
}

/* The instructions of the loop. Returns false if there is none. */
static bool find_inside(struct flow *f, unsigned head, uint64_t *inside)
{
    memset(inside, 0, sizeof f->reached);
    if (!is_possible(f, head) || reach(f, head) > MOST)
        return false;
    add(inside, head);
    bool grown, loops = false;
    do {
        grown = false;
        for (unsigned i = SAM_PAGE_OPS; i-- > 0;) {
            if (!has(f->reached, i))
                continue;
            const bool leads = leads_into(f, i, inside, head);
            const uint64_t *far = far_successors(f, i);
            loops |=
                leads && (f->to[i][0] == head || f->to[i][1] == head || (far && has(far, head)));
            grown |= leads && add(inside, i);
        }
    } while (grown);
    return loops;
}

/* The instructions of the loop at `head`, of one that waits at barriers up to the first of them:
 * it is left there. */
static bool find_natural(struct flow *f, const uint64_t *lands, unsigned head, uint64_t *inside,
                         bool *waits)
{
    struct flow beyond = {.page = f->page, .waits = true};
    *f = (struct flow){.page = f->page};
    memcpy(f->lands, lands, sizeof f->lands);
    memcpy(beyond.lands, lands, sizeof beyond.lands);
    *waits = !find_inside(f, head, inside);
    if (*waits && !find_inside(&beyond, head, inside))
        return false;
    for (unsigned w = 0; *waits && w < SAM_JIT_WORDS; w++)
        inside[w] &= f->reached[w];
    return true;
}

/* Whether nothing but the next instruction follows this one. */
static bool leads_on(const struct flow *f, unsigned index)
{
    if (!is_possible(f, index))
        return false;
    const unsigned act = sam_insn_rows[sam_hot_op(f->page, index)].does.act;
    return act == SAM_ACT_ALU || act == SAM_ACT_MULDIV || act == SAM_ACT_FLOAT ||
           act == SAM_ACT_LOAD || act == SAM_ACT_STORE || act == SAM_ACT_RPC;
}

/* The loop that is entered at `*head`. Straight code before it belongs to it: from there if a loop
 * follows `*head`; all of it, with `*head` set to its begin, if the loop waits at barriers, as
 * such a loop has few rounds. */
static bool find(struct flow *f, const uint64_t *lands, unsigned *head, uint64_t *inside)
{
    unsigned at = *head;
    bool waits;
    while (!find_natural(f, lands, at, inside, &waits))
        if (!leads_on(f, at++) || at - *head > MOST_BEFORE)
            return false;
    while (waits && *head && at - *head < MOST_BEFORE && leads_on(f, *head - 1))
        --*head;
    for (unsigned i = *head; i < at; i++)
        add(inside, i);
    return true;
}

bool sam_hot_find_loop(const struct sam_core *c, const struct code_page *page, unsigned head,
                       const uint64_t *lands, struct sam_jit_loop *loop)
{
    const struct sam_machine *machine = c->code->machine;
    struct flow f = {.page = page};
    memset(loop, 0, sizeof *loop);
    if (!find(&f, lands, &head, loop->inside))
        return false;
    loop->page_pc = page->pc;
    loop->lanes = machine->lanes;
    loop->xlen = machine->isa.xlen;
    loop->head = head;
    if (machine->lanes) {
        memcpy(loop->modes, (const char *)c + machine->modes, SAM_JIT_MODES);
        loop->frm_plain = c->frm_plain;
    }
    bool jumps = false;
    for (unsigned i = 0; i < SAM_PAGE_OPS; i++) {
        struct sam_insn insn;
        if (!has(loop->inside, i))
            continue;
        if (!sam_code_decode(c->code, sam_le32(page->bytes + 4 * i), 0, &insn))
            return false;
        loop->uops[i] = page->ops[i];
        loop->uops[i].fn = NULL;
        loop->ops[i] = (uint16_t)insn.op;
        loop->acts[i] = sam_insn_rows[insn.op].does.act;
        note_operands(loop, i, &insn);
        jumps |= insn.op == SAM_OP_jalr && !sam_jit_returns(&page->ops[i]);
        loop->splits |= sam_jit_moves_lanes(loop->acts[i]);
    }
    for (unsigned w = 0; jumps && w < SAM_JIT_WORDS; w++)
        loop->lands[w] = f.lands[w] & loop->inside[w];
    if (loop->splits) /* they change within it */
        memset(loop->modes + SAM_JIT_FIXED, 0, SAM_JIT_MODES - SAM_JIT_FIXED);
    return true;
}
