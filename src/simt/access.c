/* SPDX-License-Identifier: Apache-2.0 */
#include "simt/access.h"

uint32_t sam_warp_insn_lanes(const struct sam_warp *w, const struct sam_insn *insn, unsigned g)
{
    uint32_t bits = w->bits[g];
    for (unsigned i = 0; !insn->vm && i < SAM_LANES; i++)
        if (!(w->v[g][i] & 1))
            bits &= ~(UINT32_C(1) << i);
    return bits;
}

struct sam_warp_access_form sam_warp_access_form_of(enum sam_op op)
{
    const struct sam_insn_row *row = &sam_insn_rows[op];
    const struct sam_does *does = &row->does;
    bool store = does->act == SAM_ACT_STORE;
    return (struct sam_warp_access_form){
        .known = true,
        .memory = does->bytes != 0,
        .load = does->bytes && !store,
        .store = store,
        .is_private = does->own,
        .size = does->bytes,
        .vector = strpbrk(row->operands, "DSTW") != NULL,
        .per_lane = strstr(row->operands, "(S)") != NULL,
        .strided = strstr(row->operands, "(s),t") != NULL,
        .indexed = does->index != 0,
        .data_in_rs3 = strchr(row->operands, 'W') != NULL,
        .index_mask = does->index ? UINT32_MAX >> (32 - 8 * does->index) : 0,
    };
}

static void add(struct sam_warp_accesses *a, uint32_t address, uint32_t value)
{
    a->address[a->count] = address;
    a->value[a->count++] = value;
}

void sam_warp_accesses_find(const struct sam_warp *w, const struct sam_insn *insn,
                            const struct sam_warp_access_form *f, struct sam_warp_accesses *a)
{
    a->count = 0;
    a->load = f->load;
    a->store = f->store;
    a->size = f->size;
    if (!f->memory)
        return;
    const uint32_t *x = w->core.x32;
    if (!f->vector) {
        add(a, x[insn->rs1] + (uint32_t)insn->imm, x[insn->rs2]);
        return;
    }
    unsigned data = f->data_in_rs3 ? insn->rs3 : insn->rs2;
    for (unsigned g = 0; g < w->groups; g++) {
        for (uint32_t bits = sam_warp_insn_lanes(w, insn, g); bits; bits &= bits - 1) {
            unsigned lane = (unsigned)__builtin_ctz(bits), element = g * w->lanes + lane;
            uint32_t at = f->per_lane  ? w->v[insn->rs1 + g][lane] + (uint32_t)insn->imm
                          : f->strided ? x[insn->rs1] + element * x[insn->rs2]
                          : f->indexed ? x[insn->rs1] + (w->v[insn->rs2 + g][lane] & f->index_mask)
                                       : x[insn->rs1] + element * a->size;
            if (f->is_private)
                at = w->pds + (at & ~3u) * w->numw * w->lanes + (at & 3) + 4 * (w->tid + lane);
            add(a, at, w->v[(data + g) % SAM_VREGS][lane]);
        }
    }
}
