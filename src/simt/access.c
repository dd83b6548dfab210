/* SPDX-License-Identifier: Apache-2.0 */
#include "simt/access.h"

uint32_t sam_insn_lanes(const struct sam_warp *w, const struct sam_insn *insn, unsigned g)
{
    uint32_t bits = w->bits[g];
    for (unsigned i = 0; !insn->vm && i < SAM_LANES; i++)
        if (!(w->v[g][i] & 1))
            bits &= ~(UINT32_C(1) << i);
    return bits;
}

/* Is it a load or store, and how wide? By the row: "mem32[" or "private8[" in its meaning, on the
 * left of the "=" for stores. The tables are the one place that says so. */
static void classify(const struct sam_insn_row *row, struct sam_access_form *f)
{
    const char *at = strstr(row->meaning, "mem"), *private_at = strstr(row->meaning, "private");
    const char *equals = strstr(row->meaning, " = ");
    f->is_private = private_at != NULL;
    if (private_at)
        at = private_at + strlen("private") - strlen("mem");
    if (!at || !equals)
        return;
    unsigned bits = 0;
    for (at += strlen("mem"); *at >= '0' && *at <= '9'; at++)
        bits = bits * 10 + (unsigned)(*at - '0');
    if (*at != '[')
        return;
    const char *suffix = strrchr(row->mnemonic, '.');
    f->memory = true;
    f->size = bits ? bits / 8 : suffix && strcmp(suffix, ".d") == 0 ? 8 : 4;
    f->store = !(row->on & SAM_EXT_A) && at < equals;
    f->load = !f->store;
}

struct sam_access_form sam_access_form_of(enum sam_op op)
{
    const struct sam_insn_row *row = &sam_insn_rows[op];
    const char *index = strstr(row->mnemonic, "xei");
    struct sam_access_form f = {
        .known = true,
        .vector = strpbrk(row->operands, "DSTW") != NULL,
        .per_lane = strstr(row->operands, "(S)") != NULL,
        .strided = strstr(row->operands, "(s),t") != NULL,
        .indexed = strstr(row->operands, "(s),T") != NULL,
        .data_in_rs3 = strchr(row->operands, 'W') != NULL,
        .index_mask = !index            ? 0
                      : index[3] == '8' ? 0xff
                      : index[3] == '1' ? 0xffff
                                        : UINT32_MAX,
    };
    classify(row, &f);
    return f;
}

static void add(struct sam_accesses *a, uint32_t address, uint32_t value)
{
    a->address[a->count] = address;
    a->value[a->count++] = value;
}

void sam_accesses_find(const struct sam_warp *w, const struct sam_insn *insn,
                       const struct sam_access_form *f, struct sam_accesses *a)
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
        for (uint32_t bits = sam_insn_lanes(w, insn, g); bits; bits &= bits - 1) {
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
