/* SPDX-License-Identifier: Apache-2.0 */
#include "plain.h"

#include <stdlib.h>
#include <string.h>

#include "plain_kinds.h"
#include "plain_operators.h"
#include "samite/gpu.h"

enum { XREGS = 64, VREGS = 256, MOST_FINDINGS = 4096, LOCAL_SIZE = 0x10000 };

struct warp {
    uint32_t x[XREGS], x_open[XREGS]; /* values, and their undefined bits */
    uint32_t v[VREGS][SAM_MAX_LANES], v_open[VREGS][SAM_MAX_LANES];
    uint32_t vl, lmul;
};

struct region {
    uint32_t base, size;
    uint8_t *open;
};

struct plain {
    uint32_t lanes, warp_count, workgroup;
    uint32_t private_base, private_size;
    bool begun;
    struct warp *warps;
    struct region *regions; /* local memory, private memory, outputs */
    unsigned region_count;
    struct plain_finding found[MOST_FINDINGS];
    size_t found_count;
};

static void add_region(struct plain *p, uint32_t base, uint32_t size)
{
    p->regions = realloc(p->regions, (p->region_count + 1) * sizeof *p->regions);
    if (!p->regions)
        abort();
    struct region *region = &p->regions[p->region_count++];
    *region = (struct region){base, size, malloc(size ? size : 1)};
    if (!region->open)
        abort();
    memset(region->open, 0xff, size);
}

struct plain *plain_new(uint32_t lanes, uint32_t warps, uint32_t private_base,
                        uint32_t private_size)
{
    struct plain *p = calloc(1, sizeof *p);
    if (!p || !(p->warps = calloc(warps, sizeof *p->warps)))
        abort();
    p->lanes = lanes;
    p->warp_count = warps;
    p->private_base = private_base;
    p->private_size = private_size;
    add_region(p, SAM_LDS_BASE, LOCAL_SIZE);
    add_region(p, private_base, private_size);
    return p;
}

void plain_free(struct plain *p)
{
    for (unsigned i = 0; i < p->region_count; i++)
        free(p->regions[i].open);
    free(p->regions);
    free(p->warps);
    free(p);
}

void plain_output(struct plain *p, uint32_t base, uint32_t size)
{
    add_region(p, base, size);
}

const struct plain_finding *plain_findings(const struct plain *p, size_t *count)
{
    *count = p->found_count;
    return p->found;
}

/* ------------------------------------------------------------------------------------ memory */

static uint8_t *open_byte(struct plain *p, uint32_t address)
{
    for (unsigned i = p->region_count; i-- > 0;)
        if (address - p->regions[i].base < p->regions[i].size)
            return &p->regions[i].open[address - p->regions[i].base];
    return NULL;
}

static uint32_t load(struct plain *p, uint32_t address, unsigned size)
{
    uint32_t open = 0;
    for (unsigned i = 0; i < size; i++) {
        const uint8_t *byte = open_byte(p, address + i);
        open |= byte ? (uint32_t)*byte << 8 * i : 0;
    }
    return open;
}

static void store(struct plain *p, uint32_t address, unsigned size, uint32_t open)
{
    for (unsigned i = 0; i < size; i++) {
        uint8_t *byte = open_byte(p, address + i);
        if (byte)
            *byte = (uint8_t)(open >> 8 * i);
    }
}

/* Whether the host can read it. */
static bool is_result(const struct plain *p, uint32_t address)
{
    return address - SAM_LDS_BASE >= SAM_LDS_SIZE &&
           address - p->regions[1].base >= p->regions[1].size;
}

/* --------------------------------------------------------------------------------- findings */

static void report(struct plain *p, const struct sam_step *s, enum sam_finding_kind kind, char file,
                   unsigned number, uint32_t lanes)
{
    for (size_t i = 0; i < p->found_count; i++) {
        struct plain_finding *f = &p->found[i];
        if (f->kind == kind && f->pc == s->pc && f->file == file && f->number == number) {
            f->count++;
            return;
        }
    }
    if (p->found_count == MOST_FINDINGS)
        abort();
    p->found[p->found_count++] = (struct plain_finding){
        kind, (uint32_t)s->pc, file, number, s->workgroup, s->warp, lanes, 1};
}

static void use_x(struct plain *p, struct warp *w, const struct sam_step *s,
                  enum sam_finding_kind kind, unsigned n)
{
    if (!w->x_open[n])
        return;
    report(p, s, kind, 'x', n, 0);
    w->x_open[n] = 0;
}

static void use_v(struct plain *p, struct warp *w, const struct sam_step *s,
                  enum sam_finding_kind kind, unsigned n, uint32_t lanes, uint32_t bits)
{
    uint32_t found = 0;
    for (unsigned i = 0; i < p->lanes; i++)
        if ((lanes >> i & 1) && (w->v_open[n][i] & bits))
            found |= UINT32_C(1) << i;
    if (!found)
        return;
    report(p, s, kind, 'v', n, found);
    for (unsigned i = 0; i < p->lanes; i++)
        if (found >> i & 1)
            w->v_open[n][i] = 0;
}

/* --------------------------------------------------------------------------------- registers */

static struct number joined(unsigned n, uint32_t low, uint32_t high, uint32_t low_open,
                            uint32_t high_open)
{
    if (n & 1)
        return (struct number){(uint64_t)(int64_t)(int32_t)low,
                               (uint64_t)(int64_t)(int32_t)low_open};
    return (struct number){low | (uint64_t)high << 32, low_open | (uint64_t)high_open << 32};
}

static struct number x_of(const struct warp *w, unsigned n, bool pair)
{
    if (n == 0)
        return (struct number){0};
    if (!pair)
        return (struct number){w->x[n], w->x_open[n]};
    return joined(n, w->x[n], w->x[n | 1], w->x_open[n], w->x_open[n | 1]);
}

static struct number v_of(const struct warp *w, unsigned n, unsigned lane, bool pair)
{
    if (!pair)
        return (struct number){w->v[n][lane], w->v_open[n][lane]};
    return joined(n, w->v[n][lane], w->v[n | 1][lane], w->v_open[n][lane], w->v_open[n | 1][lane]);
}

static void set_x(struct warp *w, unsigned n, uint64_t open, bool pair)
{
    if (n == 0)
        return;
    w->x_open[n] = (uint32_t)open;
    if (pair && !(n & 1))
        w->x_open[n + 1] = (uint32_t)(open >> 32);
}

static void set_v(struct warp *w, unsigned n, unsigned lane, uint64_t open, bool pair)
{
    w->v_open[n][lane] = (uint32_t)open;
    if (pair && !(n & 1))
        w->v_open[n + 1][lane] = (uint32_t)(open >> 32);
}

static struct number immediate(const struct ref_insn *insn)
{
    return (struct number){insn->pair ? (uint64_t)(int64_t)insn->imm : (uint32_t)insn->imm, 0};
}

/* ------------------------------------------------------------------------- instructions by kind */

static void scalar_alu(struct warp *w, const struct ref_insn *insn)
{
    const struct number a = x_of(w, insn->rs1, insn->pair);
    struct number b = {0}, c = {0};
    if (has_immediate(insn->op))
        b = immediate(insn);
    else if (!is_one_source(insn->op))
        b = x_of(w, insn->rs2, insn->pair);
    if (insn->op >= REF_FMADD && insn->op <= REF_FNMADD)
        c = x_of(w, insn->rs3, false);
    const bool one = !has_immediate(insn->op) && !is_one_source(insn->op) && insn->rs1 == insn->rs2;
    set_x(w, insn->rd, plain_result(insn->op, a, b, c, insn->pair ? 64 : 32, one), insn->pair);
}

static void branch(struct plain *p, struct warp *w, const struct sam_step *s,
                   const struct ref_insn *insn)
{
    const struct number a = x_of(w, insn->rs1, false), b = x_of(w, insn->rs2, false);
    if (!plain_result(insn->op, a, b, (struct number){0}, 32, insn->rs1 == insn->rs2))
        return;
    report(p, s, SAM_FINDING_INIT_BRANCH, 'x', a.open ? insn->rs1 : insn->rs2, 0);
    w->x_open[insn->rs1] = w->x_open[insn->rs2] = 0;
}

static void split(struct plain *p, struct warp *w, const struct sam_step *s,
                  const struct ref_insn *insn)
{
    uint32_t found = 0;
    unsigned first = 0;
    for (unsigned i = p->lanes; i-- > 0;) {
        const struct number a = v_of(w, insn->rs2, i, false), b = v_of(w, insn->rs1, i, false);
        if (!(s->mask_before >> i & 1) ||
            !plain_result(insn->op, a, b, (struct number){0}, 32, insn->rs1 == insn->rs2))
            continue;
        found |= UINT32_C(1) << i;
        first = a.open ? insn->rs2 : insn->rs1;
    }
    if (!found)
        return;
    report(p, s, SAM_FINDING_INIT_BRANCH, 'v', first, found);
    for (unsigned i = 0; i < p->lanes; i++)
        if (found >> i & 1)
            w->v_open[insn->rs1][i] = w->v_open[insn->rs2][i] = 0;
}

static void vector_alu(struct plain *p, struct warp *w, const struct sam_step *s,
                       const struct ref_insn *insn)
{
    const bool custom = insn->op == REF_VADD12 || insn->op == REF_VSUB12, pair = insn->pair;
    const bool from_v = insn->form == REF_FORM_V || is_mask_logic(insn->op);
    const bool from_x = insn->form == REF_FORM_X || insn->op == REF_VFMERGE ||
                        insn->op == REF_VMV_S_X || insn->op == REF_VFMV_S_F ||
                        insn->op == REF_VFMV_V_F;
    for (unsigned up = 0; up < w->lmul; up++) {
        for (unsigned i = 0; i < p->lanes; i++) {
            if (!(s->lanes[up] >> i & 1))
                continue;
            struct number a = {0}, b = {0}, c = {0};
            if (custom)
                a = v_of(w, insn->rs1 + up, i, pair);
            else if (insn->op != REF_VID && !is_moved(insn->op))
                a = v_of(w, insn->rs2 + up, i, pair);
            if (custom || insn->form == REF_FORM_I)
                b = immediate(insn);
            else if (from_x)
                b = x_of(w, insn->rs1, pair);
            else if (from_v)
                b = v_of(w, insn->rs1 + up, i, pair);
            if (takes_v0(insn->op) && !insn->vm)
                c = (struct number){w->v[up][i] & 1, w->v_open[up][i] & 1};
            if (takes_vd(insn->op))
                c = v_of(w, insn->rd + up, i, false);
            const bool one = from_v && !is_vector_one_source(insn->op) && insn->rs1 == insn->rs2;
            set_v(w, insn->rd + up, i, plain_result(insn->op, a, b, c, pair ? 64 : 32, one), pair);
        }
    }
}

static void tile(struct plain *p, struct warp *w, const struct sam_step *s,
                 const struct ref_insn *insn)
{
    static const unsigned shapes[][2] = {[4] = {2, 2}, [8] = {2, 4}, [16] = {4, 4}, [32] = {4, 8}};
    const unsigned n = shapes[p->lanes][0], k = shapes[p->lanes][1];
    uint32_t open[SAM_MAX_LANES] = {0};
    for (unsigned i = 0; i < n * n; i++) {
        bool any = w->v_open[insn->rd][i] != 0;
        for (unsigned l = 0; l < k; l++)
            any |= w->v_open[insn->rs1][i / n * k + l] || w->v_open[insn->rs2][i % n * k + l];
        open[i] = any ? UINT32_MAX : 0;
    }
    for (unsigned i = 0; i < n * n; i++)
        if (s->lanes[0] >> i & 1)
            w->v_open[insn->rd][i] = open[i];
}

static void pick(struct plain *p, struct warp *w, const struct sam_step *s,
                 const struct ref_insn *insn)
{
    for (unsigned i = 0; i < p->lanes; i++)
        if (s->lanes[0] >> i & 1)
            set_x(w, insn->rd, w->v_open[insn->rs2][i], false);
}

/* ----------------------------------------------------------------------------------- accesses */

static uint32_t extended(enum ref_op op, unsigned size, uint32_t open)
{
    const uint32_t top = UINT32_C(1) << (8 * size - 1);
    return is_signed_load(op) && (open & top) ? open | ~(top * 2 - 1) : open;
}

static void atomic(struct plain *p, struct warp *w, const struct sam_step *s,
                   const struct ref_insn *insn)
{
    const uint32_t address = (uint32_t)s->access[0].address;
    use_x(p, w, s, SAM_FINDING_INIT_ADDRESS, insn->rs1);
    uint32_t memory = load(p, address, 4), data = w->x_open[insn->rs2], new;
    if (insn->op == REF_LR) {
        set_x(w, insn->rd, memory, false);
        return;
    }
    new = insn->op == REF_AMOSWAP || insn->op == REF_SC ? data : memory | data ? UINT32_MAX : 0;
    if (new &&is_result(p, address)) {
        if (data)
            report(p, s, SAM_FINDING_INIT_STORE, 'x', insn->rs2, 0);
        else
            report(p, s, SAM_FINDING_INIT_STORE, 0, 0, 0);
        w->x_open[insn->rs2] = 0;
        memory = new = 0;
    }
    store(p, address, 4, insn->op == REF_SC ? memory & new : new);
    set_x(w, insn->rd, insn->op == REF_SC ? 0 : memory, false);
}

static void scalar_access(struct plain *p, struct warp *w, const struct sam_step *s,
                          const struct ref_insn *insn)
{
    use_x(p, w, s, SAM_FINDING_INIT_ADDRESS, insn->rs1);
    for (unsigned i = 0; i < s->access_count; i++) {
        const struct sam_step_access *a = &s->access[i];
        const uint32_t address = (uint32_t)a->address;
        const uint32_t bits = UINT32_MAX >> (32 - 8 * a->size);
        if (a->load) {
            if (insn->rd)
                w->x_open[insn->rd + i] = extended(insn->op, a->size, load(p, address, a->size));
            continue;
        }
        const unsigned n = insn->rs2 ? insn->rs2 + i : 0;
        if ((w->x_open[n] & bits) && is_result(p, address)) {
            report(p, s, SAM_FINDING_INIT_STORE, 'x', n, 0);
            w->x_open[n] = 0;
        }
        store(p, address, a->size, w->x_open[n] & bits);
    }
}

static void use_addresses(struct plain *p, struct warp *w, const struct sam_step *s,
                          const struct ref_insn *insn)
{
    const bool standard = insn->op >= REF_VLE8 && insn->op <= REF_VSOXEI32;
    if (!s->lanes[0] && !s->lanes[1])
        return;
    if (standard)
        use_x(p, w, s, SAM_FINDING_INIT_ADDRESS, insn->rs1);
    if (is_strided(insn->op))
        use_x(p, w, s, SAM_FINDING_INIT_ADDRESS, insn->rs2);
    for (unsigned up = 0; up < w->lmul; up++) {
        if (index_bytes(insn->op))
            use_v(p, w, s, SAM_FINDING_INIT_ADDRESS, insn->rs2 + up, s->lanes[up],
                  UINT32_MAX >> (32 - 8 * index_bytes(insn->op)));
        else if (!standard)
            use_v(p, w, s, SAM_FINDING_INIT_ADDRESS, insn->rs1 + up, s->lanes[up], UINT32_MAX);
    }
}

/* Lanes that store undefined bits of a register to memory read by the host. The accesses are in
 * order: group, lane, word of a pair. */
static void use_stored(struct plain *p, struct warp *w, const struct sam_step *s, unsigned data)
{
    const unsigned words = s->access_count > (unsigned)__builtin_popcount(s->lanes[0]) +
                                                 (unsigned)__builtin_popcount(s->lanes[1])
                               ? 2
                               : 1;
    unsigned at = 0;
    for (unsigned up = 0; up < w->lmul; up++) {
        const unsigned first = at, count = (unsigned)__builtin_popcount(s->lanes[up]) * words;
        for (unsigned word = 0; word < words; word++) {
            uint32_t found = 0;
            for (unsigned i = first + word; i < first + count; i += words) {
                const struct sam_step_access *a = &s->access[i];
                const uint32_t bits = UINT32_MAX >> (32 - 8 * a->size);
                if ((w->v_open[data + up + word][a->lane] & bits) &&
                    is_result(p, (uint32_t)a->address))
                    found |= UINT32_C(1) << a->lane;
            }
            use_v(p, w, s, SAM_FINDING_INIT_STORE, data + up + word, found, UINT32_MAX);
            for (unsigned i = first + word; i < first + count; i += words) {
                const struct sam_step_access *a = &s->access[i];
                const uint32_t bits = UINT32_MAX >> (32 - 8 * a->size);
                store(p, (uint32_t)a->address, a->size,
                      w->v_open[data + up + word][a->lane] & bits);
            }
        }
        at += count;
    }
}

static void vector_access(struct plain *p, struct warp *w, const struct sam_step *s,
                          const struct ref_insn *insn)
{
    const bool standard = insn->op >= REF_VLE8 && insn->op <= REF_VSOXEI32;
    use_addresses(p, w, s, insn);
    if (!s->access_count)
        return;
    if (s->access[0].store) {
        use_stored(p, w, s, standard ? insn->rs3 : insn->rs2);
        return;
    }
    const unsigned lanes0 = (unsigned)__builtin_popcount(s->lanes[0]);
    const bool pair = insn->pair && !(insn->rd & 1);
    for (unsigned i = 0; i < s->access_count; i++) {
        const struct sam_step_access *a = &s->access[i];
        const unsigned up = pair ? i & 1 : i >= lanes0;
        w->v_open[insn->rd + up][a->lane] =
            extended(insn->op, a->size, load(p, (uint32_t)a->address, a->size));
    }
}

/* ---------------------------------------------------------------------------------------- steps */

static void use_mask(struct plain *p, struct warp *w, const struct sam_step *s)
{
    for (unsigned up = 0; up < w->lmul; up++) {
        uint32_t active = 0;
        for (unsigned i = 0; i < p->lanes; i++)
            if ((s->mask_before >> i & 1) && up * p->lanes + i < w->vl)
                active |= UINT32_C(1) << i;
        use_v(p, w, s, SAM_FINDING_INIT_MASK, up, active, 1);
    }
}

static void propagate(struct plain *p, struct warp *w, const struct sam_step *s,
                      const struct ref_insn *insn)
{
    const enum ref_op op = insn->op;
    if (s->vector && !insn->vm && !takes_v0(op))
        use_mask(p, w, s);
    if (op == REF_LUI || op == REF_AUIPC || op == REF_JAL || op == REF_CSRRWI || op == REF_CSRRSI ||
        op == REF_CSRRCI || op == REF_VSETIVLI) {
        set_x(w, insn->rd, 0, false);
    } else if (op == REF_JALR || op == REF_SETRPC) {
        use_x(p, w, s, SAM_FINDING_INIT_TARGET, insn->rs1);
        set_x(w, insn->rd, 0, false);
    } else if (op == REF_CSRRW || op == REF_CSRRS || op == REF_CSRRC || op == REF_VSETVLI ||
               op == REF_VSETVL) {
        use_x(p, w, s, SAM_FINDING_INIT_CONTROL, insn->rs1);
        if (op == REF_VSETVL)
            use_x(p, w, s, SAM_FINDING_INIT_CONTROL, insn->rs2);
        set_x(w, insn->rd, 0, false);
    } else if (is_branch(op)) {
        branch(p, w, s, insn);
    } else if (is_split(op)) {
        split(p, w, s, insn);
    } else if (op >= REF_LR && op <= REF_AMOMAXU) {
        atomic(p, w, s, insn);
    } else if (is_scalar_access(op)) {
        scalar_access(p, w, s, insn);
    } else if (is_vector_access(op)) {
        vector_access(p, w, s, insn);
    } else if (op == REF_VMV_X_S || op == REF_VFMV_F_S) {
        pick(p, w, s, insn);
    } else if (op == REF_VFTTA) {
        tile(p, w, s, insn);
    } else if (s->vector) {
        vector_alu(p, w, s, insn);
    } else if (op < REF_JOIN && op != REF_FENCE && op != REF_FENCE_TSO && op != REF_FENCE_I) {
        scalar_alu(w, insn);
    }
}

static void begin_workgroup(struct plain *p, uint32_t workgroup)
{
    p->begun = true;
    p->workgroup = workgroup;
    p->regions[1].base = p->private_base + workgroup * p->private_size;
    for (unsigned i = 0; i < 2; i++)
        memset(p->regions[i].open, 0xff, p->regions[i].size);
    for (uint32_t i = 0; i < p->warp_count; i++) {
        struct warp *w = &p->warps[i];
        memset(w, 0, sizeof *w);
        memset(w->x_open + 1, 0xff, sizeof w->x_open - sizeof w->x_open[0]);
        memset(w->v_open, 0xff, sizeof w->v_open);
        w->vl = p->lanes;
        w->lmul = 1;
    }
}

void plain_step(struct plain *p, const struct sam_step *s)
{
    if (!p->begun || p->workgroup != s->workgroup)
        begin_workgroup(p, s->workgroup);
    struct warp *w = &p->warps[s->warp];
    const struct ref_insn insn = ref_decode(s->word, s->prefix);
    if (s->kind == SAM_STEP_PREFIX)
        return;
    propagate(p, w, s, &insn);
    for (unsigned i = 0; i < s->x_count; i++)
        w->x[s->x + i] = (uint32_t)s->x_value[i];
    for (unsigned i = 0; i < s->v_count; i++)
        memcpy(w->v[s->v + i], s->v_value[i], sizeof w->v[0]);
    for (unsigned i = 0; i < s->csr_count; i++) {
        if (s->csr[i].address == 0xc20) /* vl */
            w->vl = (uint32_t)s->csr[i].value;
        if (s->csr[i].address == 0xc21) /* vtype */
            w->lmul = s->csr[i].value >> 31 ? 0 : (s->csr[i].value & 7) + 1;
    }
}
