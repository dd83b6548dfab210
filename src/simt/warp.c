/* SPDX-License-Identifier: Apache-2.0 */
/* A warp's control state: masks, vtype, SIMT stack, CSRs, and handlers that are compiled only once.
 * Ventus 3.2, 4.2.1, 4.2.4; RISC-V V 6. */
#include "simt/simt.h"

#include <stdlib.h>

#include "machine/fpenv.h"
#include "machine/threads.h"

#define W (sam_warp_of(c))

#define VTYPE_E32      0x10u /* vsew 010 */
#define VTYPE_LMUL     0x07u
#define VTYPE_AGNOSTIC 0xc0u /* vta, vma: ignored, elements are always undisturbed */
#define VTYPE_VILL     0x80000000u

/* ------------------------------------------------------------------------ masks and vtype */

static void set_within(struct sam_warp *w)
{
    w->single = w->groups == 1;
    for (uint32_t g = 0; g < SAM_GROUPS; g++) {
        const uint32_t first = g * w->lanes;
        const uint32_t below = g >= w->groups || w->vl <= first ? 0 : w->vl - first;
        w->bits[g] = 0;
        w->within[g] = below >= 32 ? UINT32_MAX : (UINT32_C(1) << below) - 1;
    }
}

/* vset*: set vtype and, unless `keep` is given and vl still fits, vl from the AVL. Returns vl. */
static uint32_t set_vtype(struct sam_warp *w, uint32_t vtype, uint64_t avl, bool keep)
{
    uint32_t lmul = vtype & VTYPE_LMUL;
    if ((vtype & ~(VTYPE_LMUL | VTYPE_AGNOSTIC)) != VTYPE_E32 || lmul > 1) {
        w->vtype = VTYPE_VILL;
        w->vl = 0;
        w->groups = 0;
    } else {
        w->vtype = vtype;
        w->groups = (uint8_t)(1u << lmul);
        uint32_t most = w->lanes << lmul;
        uint64_t wanted = keep ? w->vl : avl;
        w->vl = wanted < most ? (uint32_t)wanted : most;
    }
    set_within(w);
    sam_warp_set_mask(w, w->simt);
    return w->vl;
}

void sam_warp_reset(struct sam_warp *w, struct sam_worker *worker, const struct sam_launch *launch)
{
    struct sam_stack_entry *stack = w->stack;
    uint32_t capacity = w->stack_capacity;
    sam_clear((char *)w + sizeof w->core, offsetof(struct sam_warp, sets) - sizeof w->core);
    memset(w->v, 0, sam_code_vectors(worker->code) * sizeof w->v[0]);
    w->stack = stack;
    w->stack_capacity = capacity;
    sam_core_init(&w->core, &worker->tlb, worker->code, launch->start);
    w->core.mstatus = SAM_MSTATUS_VS; /* as after the start code's vsetvli */
    w->lanes = launch->lanes;
    w->all = launch->lanes == 32 ? UINT32_MAX : (UINT32_C(1) << launch->lanes) - 1;
    w->vl = launch->lanes;
    w->vtype = VTYPE_E32 | VTYPE_AGNOSTIC;
    w->groups = 1;
    w->started = w->all;
    set_within(w);
    sam_warp_set_mask(w, w->all);
}

void sam_warp_release(struct sam_warp *w)
{
    free(w->stack);
    w->stack = NULL;
    w->stack_capacity = 0;
}

/* ----------------------------------------------------------------------------------- CSRs */

static bool csr_read(struct sam_core *core, unsigned address, uint64_t instret, uint64_t *value)
{
    (void)instret;
    const struct sam_warp *w = sam_warp_of(core);
    switch (address) {
    case SAM_CSR_vstart: *value = 0; return true;
    case SAM_CSR_vl: *value = w->vl; return true;
    case SAM_CSR_vtype: *value = w->vtype; return true;
    case SAM_CSR_vlenb: *value = 4 * w->lanes; return true;
    case SAM_CSR_tid: *value = w->tid; return true;
    case SAM_CSR_numw: *value = w->numw; return true;
    case SAM_CSR_numt: *value = w->lanes; return true;
    case SAM_CSR_knl: *value = w->knl; return true;
    case SAM_CSR_wgid: *value = w->wgid; return true;
    case SAM_CSR_wid: *value = w->wid; return true;
    case SAM_CSR_lds: *value = w->lds; return true;
    case SAM_CSR_pds: *value = w->pds; return true;
    case SAM_CSR_gidx:
    case SAM_CSR_gidy:
    case SAM_CSR_gidz: *value = w->group[address - SAM_CSR_gidx]; return true;
    case SAM_CSR_print: *value = w->print; return true;
    case SAM_CSR_rpc: *value = w->rpc; return true;
    default: return false;
    }
}

/* CSRs that kernels read first. */
static const uint16_t csr_words[SAM_CSR_WORDS] = {
#define WORD(csr, member) [SAM_CSR_##csr - SAM_CSR_WORD] = offsetof(struct sam_warp, member)
    WORD(tid, tid),       WORD(numw, numw),     WORD(numt, lanes),    WORD(knl, knl),
    WORD(wgid, wgid),     WORD(wid, wid),       WORD(lds, lds),       WORD(pds, pds),
    WORD(gidx, group[0]), WORD(gidy, group[1]), WORD(gidz, group[2]),
#undef WORD
};

static bool csr_write(struct sam_core *core, unsigned address, uint64_t next, uint64_t value)
{
    (void)next;
    struct sam_warp *w = sam_warp_of(core);
    switch (address) {
    case SAM_CSR_vstart: return true; /* vstart is always 0 */
    case SAM_CSR_print:
        w->print = (uint32_t)value;
        if (w->print)
            core->event = SAM_EVENT_PRINT;
        return true;
    case SAM_CSR_rpc: w->rpc = (uint32_t)value; return true;
    default: return false;
    }
}

/* -------------------------------------------------------------------------- SIMT stack */

bool sam_warp_reserve_stack(struct sam_warp *w, uint32_t entries)
{
    if (entries > w->stack_limit)
        return false;
    if (entries <= w->stack_capacity)
        return true;
    uint32_t capacity = w->stack_capacity ? w->stack_capacity * 2 : 64;
    if (capacity < entries)
        capacity = entries;
    struct sam_stack_entry *grown = realloc(w->stack, capacity * sizeof *grown);
    if (!grown) {
        w->core.tlb->exhausted = true;
        return false;
    }
    w->stack = grown;
    w->stack_capacity = capacity;
    return true;
}

/* ------------------------------------------------------------------------------ control */

SAM_HANDLER(op_endprg)
{
    if (W->depth || W->simt != W->started)
        SAM_TRAP(SAM_CAUSE_ENDPRG, W->depth);
    return sam_stop_event(c, op, entry, left, SAM_EVENT_END, sam_pc_of(c, op) + 4);
}

SAM_HANDLER(op_barrier)
{
    if (W->simt != W->started)
        SAM_TRAP(SAM_CAUSE_BARRIER, W->simt);
    W->barrier_pc = (uint32_t)sam_pc_of(c, op);
    return sam_stop_event(c, op, entry, left, SAM_EVENT_BARRIER, W->barrier_pc + 4u);
}

/* Nothing to do: lanes run in lockstep. */
SAM_HANDLER(op_barriersub)
{
    SAM_NEXT();
}

/* vset*: rs1 = x0 requests VLMAX or, if rd = x0 too, keeps vl. RISC-V V 6.2. */
SAM_HANDLER(op_vsetvli)
{
    bool most = op->rs1 == 0, keep = most && op->rd == SAM_X_SINK;
    c->x32[op->rd] = set_vtype(W, (uint32_t)op->imm, most ? UINT32_MAX : c->x32[op->rs1], keep);
    SAM_NEXT();
}

SAM_HANDLER(op_vsetivli)
{
    c->x32[op->rd] = set_vtype(W, (uint32_t)op->imm, op->rs1, false);
    SAM_NEXT();
}

SAM_HANDLER(op_vsetvl)
{
    bool most = op->rs1 == 0, keep = most && op->rd == SAM_X_SINK;
    c->x32[op->rd] = set_vtype(W, c->x32[op->rs2], most ? UINT32_MAX : c->x32[op->rs1], keep);
    SAM_NEXT();
}

/* ------------------------------------------------------- vector operations that are not lane loops
 */

/* vmv.x.s, vfmv.f.s: every active lane writes rd, so the highest lane's value remains. */
SAM_HANDLER(op_vmv_x_s)
{
    if (!W->groups)
        SAM_TRAP_ILLEGAL();
    if (W->bits[0])
        c->x32[op->rd] = W->v[op->rs2][31 - __builtin_clz(W->bits[0])];
    SAM_NEXT();
}

uint32_t sam_warp_acting(const struct sam_warp *w, const struct sam_uop *op, unsigned g)
{
    uint32_t bits = w->bits[g];
    for (unsigned i = 0; i < SAM_LANES && !(op->rs3 & SAM_UOP_VM); i++)
        if (!(w->v[g][i] & 1))
            bits &= ~(UINT32_C(1) << i);
    return bits;
}

static bool groups_fit(const struct sam_warp *w, const struct sam_uop *op)
{
    return w->groups == 1 || (w->groups == 2 && !(op->rs3 & SAM_UOP_ODD));
}

/* VFTTA: vd[i*n+j] += sum over l of vs1[i*k+l] * vs2[j*k+l], fused, in ascending l. Reads the
 * sources completely before vd changes. */
static SAM_NOINLINE void tile_product(struct sam_warp *w, const struct sam_uop *op)
{
    uint32_t m = w->lanes == 4 || w->lanes == 8 ? 2 : 4, n = m;
    uint32_t k = w->lanes == 4 ? 2 : w->lanes == 32 ? 8 : 4;
    uint32_t result[SAM_LANES];
    unsigned flags = 0;
    uint32_t bits = sam_warp_acting(w, op, 0);
    bits &= m * n == 32 ? UINT32_MAX : (UINT32_C(1) << (m * n)) - 1;
    const uint32_t *a = w->v[op->rs1], *b = w->v[op->rs2];
    for (uint32_t rest = bits; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), i = lane / n, j = lane % n;
        uint32_t sum = w->v[op->rd][lane];
        for (uint32_t l = 0; l < k; l++)
            sum = sam_f32_fma(a[i * k + l], b[j * k + l], sum, (enum sam_round)w->core.frm, &flags);
        result[lane] = sum;
    }
    for (; bits; bits &= bits - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(bits);
        w->v[op->rd][lane] = result[lane];
    }
    w->core.fflags |= (uint8_t)flags;
}

SAM_HANDLER(op_vftta_vv)
{
    if (!groups_fit(W, op) || c->frm > SAM_RMM)
        SAM_TRAP_ILLEGAL();
    tile_product(W, op);
    SAM_NEXT();
}

#define op_vfmv_f_s op_vmv_x_s

void sam_warp_fill(struct sam_machine *machine)
{
    sam_handler **h = machine->handlers;
#define HANDLE_WARP(id) h[SAM_OP_##id] = op_##id;
#include "isa/handlers.h"
    machine->csr_words = csr_words;
    machine->csr_read = csr_read;
    machine->csr_write = csr_write;
    for (unsigned i = 0; i < SAM_OP_COUNT; i++)
        if (!machine->pair_handlers[i])
            machine->pair_handlers[i] = sam_warp_pair;
}
