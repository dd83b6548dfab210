/* SPDX-License-Identifier: Apache-2.0 */
#include "simt/access.h"

bool sam_insn_is_vector(const struct sam_insn *insn)
{
    return strpbrk(sam_insn_rows[insn->op].operands, "DSTW") != NULL;
}

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
static bool classify(const struct sam_insn *insn, struct sam_accesses *a, bool *is_private)
{
    const char *meaning = sam_insn_rows[insn->op].meaning;
    const char *at = strstr(meaning, "mem"), *private_at = strstr(meaning, "private");
    const char *equals = strstr(meaning, " = ");
    *is_private = private_at != NULL;
    if (private_at)
        at = private_at + strlen("private") - strlen("mem");
    if (!at || !equals)
        return false;
    unsigned bits = 0;
    for (at += strlen("mem"); *at >= '0' && *at <= '9'; at++)
        bits = bits * 10 + (unsigned)(*at - '0');
    if (*at != '[')
        return false;
    bool atomic = sam_insn_rows[insn->op].on & SAM_EXT_A;
    const char *suffix = strrchr(sam_insn_rows[insn->op].mnemonic, '.');
    a->size = bits ? bits / 8 : suffix && strcmp(suffix, ".d") == 0 ? 8 : 4;
    a->store = !atomic && at < equals;
    a->load = !a->store;
    return true;
}

static void add(struct sam_accesses *a, uint32_t address, uint32_t value)
{
    a->address[a->count] = address;
    a->value[a->count++] = value;
}

void sam_accesses_find(const struct sam_warp *w, const struct sam_insn *insn,
                       struct sam_accesses *a)
{
    bool is_private;
    a->count = 0;
    a->load = a->store = false;
    if (!classify(insn, a, &is_private))
        return;
    const char *operands = sam_insn_rows[insn->op].operands;
    const uint32_t *x = w->core.x32;
    if (!sam_insn_is_vector(insn)) {
        add(a, x[insn->rs1] + (uint32_t)insn->imm, x[insn->rs2]);
        return;
    }
    bool per_lane = strstr(operands, "(S)") != NULL;
    bool strided = strstr(operands, "(s),t") != NULL, indexed = strstr(operands, "(s),T") != NULL;
    unsigned data = strchr(operands, 'W') ? insn->rs3 : insn->rs2;
    const char *index = strstr(sam_insn_rows[insn->op].mnemonic, "xei");
    uint32_t index_mask = !index            ? 0
                          : index[3] == '8' ? 0xff
                          : index[3] == '1' ? 0xffff
                                            : UINT32_MAX;
    for (unsigned g = 0; g < w->groups; g++) {
        for (uint32_t bits = sam_insn_lanes(w, insn, g); bits; bits &= bits - 1) {
            unsigned lane = (unsigned)__builtin_ctz(bits), element = g * w->lanes + lane;
            uint32_t at = per_lane  ? w->v[insn->rs1 + g][lane] + (uint32_t)insn->imm
                          : strided ? x[insn->rs1] + element * x[insn->rs2]
                          : indexed ? x[insn->rs1] + (w->v[insn->rs2 + g][lane] & index_mask)
                                    : x[insn->rs1] + element * a->size;
            if (is_private)
                at = w->pds + (at & ~3u) * w->numw * w->lanes + (at & 3) + 4 * (w->tid + lane);
            add(a, at, w->v[(data + g) % SAM_VREGS][lane]);
        }
    }
}
