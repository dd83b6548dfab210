/* SPDX-License-Identifier: Apache-2.0 */
/* Propagates undefined bits through an instruction: checks its uses, and computes the shadow of its
 * result. Loads and stores are in undef_access.c. */
#include "sanitize/undef_step.h"

#include <stdlib.h>

bool sam_undef_init(struct undef *undef, sam_undef_report *report, void *context)
{
    *undef = (struct undef){.report = report, .context = context};
    for (unsigned i = 0; i < SAM_OP_COUNT; i++)
        sam_undef_row((enum sam_op)i, &undef->rows[i]);
    return sam_undef_memory_init(&undef->memory);
}

void sam_undef_free(struct undef *undef)
{
    sam_undef_memory_free(&undef->memory);
    free(undef->origins.slots);
    undef->origins.slots = NULL;
}

void sam_undef_start(struct undef_warp *w)
{
    for (unsigned i = 0; i < UNDEF_XREGS; i++) {
        w->x[i] = i ? UINT32_MAX : 0;
        w->x_origin[i] = UNDEF_ORIGIN_X + i;
    }
    memset(w->lanes, 0xff, sizeof w->lanes);
    memset(w->fresh, 0xff, sizeof w->fresh);
}

/* ----------------------------------------------------------------------------------- origins */

enum { SLOTS = 1 << 16 };

void sam_undef_group(struct undef *undef)
{
    struct undef_origins *o = &undef->origins;
    sam_undef_memory_group(&undef->memory);
    if (!o->count)
        return;
    o->count = 0;
    if (++o->generation == 0) { /* slots of old generations must not become valid again */
        memset(o->slots, 0, SLOTS * sizeof *o->slots);
        o->generation = 1;
    }
}

undef_origin sam_undef_origin_of_load(struct undef *undef, const struct sam_sanitize_op *op,
                                      uint32_t lane, uint32_t address, uint32_t size)
{
    struct undef_origins *o = &undef->origins;
    const uint32_t warp = op->warp->number;
    if (!o->slots) {
        o->slots = sam_alloc(SLOTS, sizeof *o->slots);
        o->generation = 1;
    }
    if (!o->slots || o->count >= SLOTS / 4 * 3)
        return 0;
    uint32_t at = (address / 4 * 2654435761u + op->pc * 2246822519u + warp * 3266489917u) >> 16;
    for (; o->slots[at].generation == o->generation; at = (at + 1) % SLOTS) {
        const struct undef_loaded *slot = &o->slots[at];
        if (slot->address == address && slot->side.pc == op->pc && slot->side.warp == warp)
            return UNDEF_ORIGIN_MEMORY + at;
    }
    o->count++;
    o->slots[at] = (struct undef_loaded){.address = address,
                                         .size = size,
                                         .generation = o->generation,
                                         .side = sam_sanitize_side(op, lane)};
    return UNDEF_ORIGIN_MEMORY + at;
}

struct undef_source_of sam_undef_from(const struct undef *undef, undef_origin origin)
{
    if (origin >= UNDEF_ORIGIN_MEMORY) {
        const struct undef_loaded *slot = &undef->origins.slots[origin - UNDEF_ORIGIN_MEMORY];
        return (struct undef_source_of){.cause = UNDEF_MEMORY,
                                        .address = slot->address,
                                        .size = slot->size,
                                        .side = slot->side};
    }
    if (origin >= UNDEF_ORIGIN_V)
        return (struct undef_source_of){.cause = UNDEF_REGISTER_V,
                                        .number = origin - UNDEF_ORIGIN_V};
    if (origin >= UNDEF_ORIGIN_X)
        return (struct undef_source_of){.cause = UNDEF_REGISTER_X,
                                        .number = origin - UNDEF_ORIGIN_X};
    return (struct undef_source_of){.cause = UNDEF_UNKNOWN};
}

/* -------------------------------------------------------------------------------------- uses */

void sam_undef_use_x(struct undef *undef, struct undef_warp *w, const struct sam_sanitize_op *op,
                     enum undef_use use, unsigned reg)
{
    if (SAM_LIKELY(!w->x[reg]))
        return;
    const struct undef_finding finding = {.use = use,
                                          .reg = (uint8_t)reg,
                                          .lane = UINT32_MAX,
                                          .from = sam_undef_from(undef, w->x_origin[reg])};
    undef->report(undef->context, op, &finding);
    w->x[reg] = 0;
}

static SAM_NOINLINE void report_lanes(struct undef *undef, struct undef_warp *w,
                                      const struct sam_sanitize_op *op, enum undef_use use,
                                      unsigned reg, uint32_t lanes)
{
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    const struct undef_finding finding = {
        .use = use,
        .vector = true,
        .reg = (uint8_t)reg,
        .lanes = lanes,
        .lane = lane,
        .from = sam_undef_from(undef, undef_origin_v(w, reg, lane)),
    };
    undef->report(undef->context, op, &finding);
    undef_define_v(w, reg, lanes);
}

void sam_undef_use_v(struct undef *undef, struct undef_warp *w, const struct sam_sanitize_op *op,
                     enum undef_use use, unsigned reg, uint32_t lanes, uint32_t relevant)
{
    uint32_t found = w->lanes[reg] & lanes;
    if (SAM_LIKELY(!found))
        return;
    for (uint32_t rest = found; relevant != UINT32_MAX && rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        if (!(undef_bits_v(w, reg, lane) & relevant))
            found &= ~(UINT32_C(1) << lane);
    }
    if (found)
        report_lanes(undef, w, op, use, reg, found);
}

static void use_sources(struct undef *undef, struct undef_warp *w, const struct sam_sanitize_op *op,
                        const struct undef_row *row, enum undef_use use)
{
    for (unsigned i = 0; i < row->source_count; i++)
        if (row->sources[i].file == SAM_OPERAND_X)
            sam_undef_use_x(undef, w, op, use, undef_reg(op->insn, row->sources[i].slot));
}

/* ----------------------------------------------------------------------------------- sources */

static struct undef_bits undef_joined(uint32_t low, uint32_t high, uint32_t low_undef,
                                      uint32_t high_undef, unsigned reg)
{
    if (reg & 1) /* a 32-bit register, sign-extended */
        return (struct undef_bits){(uint64_t)(int64_t)(int32_t)low,
                                   (uint64_t)(int64_t)(int32_t)low_undef};
    return (struct undef_bits){low | (uint64_t)high << 32, low_undef | (uint64_t)high_undef << 32};
}

static struct undef_bits read_x(const struct undef_warp *w, const struct sam_sanitize_op *op,
                                unsigned reg)
{
    if (!op->insn->pair || reg == 0)
        return (struct undef_bits){reg ? op->warp->x[reg] : 0, w->x[reg]};
    return undef_joined(op->warp->x[reg], op->warp->x[reg | 1], w->x[reg], w->x[reg | 1], reg);
}

static struct undef_bits read_v(const struct undef_warp *w, const struct sam_sanitize_op *op,
                                unsigned reg, unsigned lane)
{
    if (!op->insn->pair)
        return (struct undef_bits){op->warp->v[reg][lane], undef_bits_v(w, reg, lane)};
    return undef_joined(op->warp->v[reg][lane], op->warp->v[reg | 1][lane],
                        undef_bits_v(w, reg, lane), undef_bits_v(w, reg | 1, lane), reg);
}

/* The source operand of lane `lane` in group g. */
static struct undef_bits read_source(const struct undef_warp *w, const struct sam_sanitize_op *op,
                                     struct sam_use source, unsigned g, unsigned lane)
{
    const unsigned reg = undef_reg(op->insn, source.slot);
    switch ((enum sam_operand_file)source.file) {
    case SAM_OPERAND_X: return read_x(w, op, reg);
    case SAM_OPERAND_V: return read_v(w, op, (reg + g) % UNDEF_VREGS, lane);
    case SAM_OPERAND_V0:
        return (struct undef_bits){op->warp->v[g][lane] & 1, undef_bits_v(w, g, lane) & 1};
    case SAM_OPERAND_IMM:
        return (struct undef_bits){
            op->insn->pair ? (uint64_t)(int64_t)op->insn->imm : (uint32_t)op->insn->imm, 0};
    case SAM_OPERAND_NONE: break;
    }
    return (struct undef_bits){0};
}

/* The origin of a source's undefined bits. */
static undef_origin origin_of(const struct undef_warp *w, const struct sam_sanitize_op *op,
                              struct sam_use source, unsigned g, unsigned lane)
{
    const unsigned reg = undef_reg(op->insn, source.slot);
    switch ((enum sam_operand_file)source.file) {
    case SAM_OPERAND_X: return w->x_origin[w->x[reg] ? reg : reg | 1];
    case SAM_OPERAND_V: {
        const unsigned v = (reg + g) % UNDEF_VREGS;
        return undef_origin_v(w, undef_bits_v(w, v, lane) ? v : v | 1, lane);
    }
    case SAM_OPERAND_V0: return undef_origin_v(w, g, lane);
    default: return 0;
    }
}

/* Whether a and b are the same register. */
static bool is_same(const struct undef_row *row, const struct sam_insn *insn)
{
    const struct sam_use *a = &row->sources[0], *b = &row->sources[1];
    return row->source_count >= 2 && a->file == b->file && a->file != SAM_OPERAND_IMM &&
           undef_reg(insn, a->slot) == undef_reg(insn, b->slot);
}

/* The undefined bits of a lane's result, and their origin. */
static uint64_t combine(const struct undef_warp *w, const struct sam_sanitize_op *op,
                        const struct undef_row *row, unsigned g, unsigned lane,
                        undef_origin *origin)
{
    struct undef_bits part[SAM_MOST_SOURCES] = {0};
    *origin = 0;
    for (unsigned i = 0; i < row->source_count; i++) {
        part[i] = read_source(w, op, row->sources[i], g, lane);
        if (part[i].undef && !*origin)
            *origin = origin_of(w, op, row->sources[i], g, lane);
    }
    return sam_undef_combine((enum sam_undefined)row->rule, part[0], part[1], part[2],
                             op->insn->pair ? 64 : 32, is_same(row, op->insn));
}

/* Lanes of group g with undefined bits in a source. */
static uint32_t dirty_lanes(const struct undef_warp *w, const struct sam_sanitize_op *op,
                            const struct undef_row *row, unsigned g)
{
    uint32_t lanes = 0;
    for (unsigned i = 0; i < row->source_count; i++) {
        const struct sam_use source = row->sources[i];
        const unsigned reg = undef_reg(op->insn, source.slot);
        if (source.file == SAM_OPERAND_X) {
            lanes |= w->x[reg] ? UINT32_MAX : 0;
            if (SAM_UNLIKELY(op->insn->pair))
                lanes |= reg && w->x[reg | 1] ? UINT32_MAX : 0;
        } else if (source.file == SAM_OPERAND_V) {
            lanes |= w->lanes[(reg + g) % UNDEF_VREGS];
            if (SAM_UNLIKELY(op->insn->pair))
                lanes |= w->lanes[reg | 1];
        } else if (source.file == SAM_OPERAND_V0) {
            lanes |= w->lanes[g];
        }
    }
    return lanes;
}

/* ----------------------------------------------------------------------------------- results */

/* The other register of a pair. */
static bool writes_pair(const struct sam_insn *insn)
{
    return insn->pair && !(insn->rd & 1);
}

static void set_x(struct undef_warp *w, const struct sam_insn *insn, uint64_t bits,
                  undef_origin origin)
{
    if (insn->rd == 0)
        return;
    undef_set_x(w, insn->rd, (uint32_t)bits, origin);
    if (writes_pair(insn))
        undef_set_x(w, insn->rd + 1u, (uint32_t)(bits >> 32), origin);
}

static void scalar_result(struct undef_warp *w, const struct sam_sanitize_op *op,
                          const struct undef_row *row)
{
    undef_origin origin = 0;
    uint64_t bits = 0;
    if (SAM_UNLIKELY(dirty_lanes(w, op, row, 0)))
        bits = combine(w, op, row, 0, 0, &origin);
    set_x(w, op->insn, bits, origin);
}

/* vmv.x.s, vfmv.f.s: the value of the highest active lane, Ventus 4.1. */
static void picked_result(struct undef_warp *w, const struct sam_sanitize_op *op,
                          const struct undef_row *row)
{
    const uint32_t lanes = op->acting[0];
    undef_origin origin;
    if (!lanes)
        return;
    const uint64_t bits = combine(w, op, row, 0, 31 - (unsigned)__builtin_clz(lanes), &origin);
    set_x(w, op->insn, bits, origin);
}

static SAM_NOINLINE void mixed_lanes(struct undef_warp *w, const struct sam_sanitize_op *op,
                                     const struct undef_row *row, unsigned g, uint32_t lanes)
{
    const unsigned rd = (op->insn->rd + g) % UNDEF_VREGS;
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(lanes);
        undef_origin origin;
        const uint64_t bits = combine(w, op, row, g, lane, &origin);
        undef_set_v(w, rd, lane, (uint32_t)bits, origin);
        if (writes_pair(op->insn))
            undef_set_v(w, (rd + 1) % UNDEF_VREGS, lane, (uint32_t)(bits >> 32), origin);
    }
}

static void vector_result(struct undef_warp *w, const struct sam_sanitize_op *op,
                          const struct undef_row *row)
{
    for (unsigned g = 0; g < op->groups; g++) {
        const uint32_t acting = op->acting[g];
        const uint32_t dirty = dirty_lanes(w, op, row, g) & acting;
        /* Each lane's result depends on the same lane of the sources. */
        if (SAM_UNLIKELY(dirty))
            mixed_lanes(w, op, row, g, dirty);
        undef_define_v(w, (op->insn->rd + g) % UNDEF_VREGS, acting & ~dirty);
        if (SAM_UNLIKELY(writes_pair(op->insn)))
            undef_define_v(w, (op->insn->rd + 1u) % UNDEF_VREGS, acting & ~dirty);
    }
}

/* vftta: vd[i * n + j] depends on row i of vs1 and row j of vs2. docs/ventus-rulings.md 2.12. */
static void tile_result(struct undef_warp *w, const struct sam_sanitize_op *op)
{
    const unsigned n = op->warp->lanes <= 8 ? 2 : 4;
    const unsigned k = op->warp->lanes == 4 ? 2 : op->warp->lanes == 32 ? 8 : 4;
    const unsigned vs1 = op->insn->rs1, vs2 = op->insn->rs2, vd = op->insn->rd;
    const uint32_t rows1 = w->lanes[vs1], rows2 = w->lanes[vs2];
    uint32_t lanes = op->acting[0] & ((UINT32_C(1) << n * n) - 1);
    undef_origin origin[UNDEF_LANES] = {0};
    uint32_t dirty = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        const uint32_t row = (UINT32_C(1) << k) - 1;
        const uint32_t one = rows1 & row << lane / n * k, two = rows2 & row << lane % n * k;
        if (!one && !two && !(w->lanes[vd] >> lane & 1))
            continue;
        dirty |= UINT32_C(1) << lane;
        origin[lane] = one   ? undef_origin_v(w, vs1, (unsigned)__builtin_ctz(one))
                       : two ? undef_origin_v(w, vs2, (unsigned)__builtin_ctz(two))
                             : undef_origin_v(w, vd, lane);
    }
    undef_define_v(w, vd, lanes & ~dirty);
    for (; dirty; dirty &= dirty - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(dirty);
        undef_set_v(w, vd, lane, UINT32_MAX, origin[lane]);
    }
}

/* ---------------------------------------------------------------------------------- branches */

static void scalar_branch(struct undef *undef, struct undef_warp *w,
                          const struct sam_sanitize_op *op, const struct undef_row *row)
{
    undef_origin origin;
    if (SAM_LIKELY(!dirty_lanes(w, op, row, 0)) || !combine(w, op, row, 0, 0, &origin))
        return;
    const unsigned a = undef_reg(op->insn, row->sources[0].slot);
    const unsigned b = undef_reg(op->insn, row->sources[1].slot);
    sam_undef_use_x(undef, w, op, UNDEF_USE_BRANCH, w->x[a] ? a : b);
    w->x[a] = w->x[b] = 0;
}

static void vector_branch(struct undef *undef, struct undef_warp *w,
                          const struct sam_sanitize_op *op, const struct undef_row *row)
{
    uint32_t dirty = dirty_lanes(w, op, row, 0) & op->warp->simt, found = 0;
    for (; dirty; dirty &= dirty - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(dirty);
        undef_origin origin;
        if (combine(w, op, row, 0, lane, &origin))
            found |= UINT32_C(1) << lane;
    }
    if (!found)
        return;
    const unsigned a = undef_reg(op->insn, row->sources[0].slot);
    const unsigned b = undef_reg(op->insn, row->sources[1].slot);
    const bool first = w->lanes[a] >> __builtin_ctz(found) & 1;
    report_lanes(undef, w, op, UNDEF_USE_BRANCH, first ? a : b, found);
    undef_define_v(w, a, found);
    undef_define_v(w, b, found);
}

/* --------------------------------------------------------------------------------------- step */

void sam_undef_step(struct undef *undef, struct undef_warp *w, const struct sam_sanitize_op *op)
{
    const struct undef_row *row = &undef->rows[op->insn->op];
    if (SAM_UNLIKELY(row->masked && !op->insn->vm))
        for (unsigned g = 0; g < op->groups; g++)
            sam_undef_use_v(undef, w, op, UNDEF_USE_MASK, g, op->active[g], 1);
    if (row->bytes) {
        sam_undef_access(undef, w, op, row);
        return;
    }
    switch ((enum sam_act)row->act) {
    case SAM_ACT_BRANCH: scalar_branch(undef, w, op, row); return;
    case SAM_ACT_SPLIT: vector_branch(undef, w, op, row); return;
    case SAM_ACT_JUMP:
    case SAM_ACT_RPC: use_sources(undef, w, op, row, UNDEF_USE_TARGET); break;
    case SAM_ACT_CSR_WRITE:
    case SAM_ACT_CSR_BITS:
    case SAM_ACT_VTYPE: use_sources(undef, w, op, row, UNDEF_USE_CONTROL); break;
    default: break;
    }
    if (row->rule == SAM_UNDEFINED_TILE)
        tile_result(w, op);
    else if (row->result == SAM_OPERAND_V)
        vector_result(w, op, row);
    else if (row->result == SAM_OPERAND_X && row->vector)
        picked_result(w, op, row);
    else if (row->result == SAM_OPERAND_X)
        scalar_result(w, op, row);
}
