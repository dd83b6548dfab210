/* SPDX-License-Identifier: Apache-2.0 */
/* The unit and the registers of an instruction: rulings 4.2, 4.3 and 6.3. */
#include <string.h>

#include "gputime_ref.h"

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* vd is a source of these, too. */
static bool accumulates(const char *name)
{
    static const char *const forms[] = {"vmacc",   "vnmsac",  "vmadd",   "vnmsub", "vfmacc",
                                        "vfnmacc", "vfmsac",  "vfnmsac", "vfmadd", "vfnmadd",
                                        "vfmsub",  "vfnmsub", "vftta"};
    for (size_t i = 0; i < SAM_COUNT(forms); i++)
        if (starts(name, forms[i]))
            return true;
    return false;
}

static bool is_fused(const char *name)
{
    static const char *const scalar[] = {"fmadd", "fmsub", "fnmadd", "fnmsub"};
    for (size_t i = 0; i < SAM_COUNT(scalar); i++)
        if (starts(name, scalar[i]))
            return true;
    return accumulates(name);
}

static bool is_sum_or_product(const char *name)
{
    static const char *const forms[] = {"fadd",  "fsub",  "fmul",  "vfadd",
                                        "vfsub", "vfmul", "vfrsub"};
    for (size_t i = 0; i < SAM_COUNT(forms); i++)
        if (starts(name, forms[i]))
            return true;
    return false;
}

static enum sam_gputime_unit unit_of_float(const char *name)
{
    if (starts(name, "vftta"))
        return SAM_GPUTIME_TENSOR;
    if (has(name, "div") || has(name, "sqrt") || has(name, "rec7") || starts(name, "vfexp"))
        return SAM_GPUTIME_SFU;
    return SAM_GPUTIME_FPU;
}

static bool is_fence(const char *name)
{
    return strcmp(name, "fence") == 0 || strcmp(name, "fence.tso") == 0;
}

static enum sam_gputime_unit unit_of(const struct sam_insn_row *row)
{
    const char *name = row->mnemonic;
    if (is_fence(name))
        return SAM_GPUTIME_WARPS;
    switch ((enum sam_act)row->does.act) {
    case SAM_ACT_MULDIV:
        return has(name, "div") || has(name, "rem") ? SAM_GPUTIME_SFU : SAM_GPUTIME_MUL;
    case SAM_ACT_FLOAT: return unit_of_float(name);
    case SAM_ACT_LOAD:
    case SAM_ACT_STORE:
    case SAM_ACT_ATOMIC:
    case SAM_ACT_RESERVE: return SAM_GPUTIME_LSU;
    case SAM_ACT_CSR_WRITE:
    case SAM_ACT_CSR_BITS:
    case SAM_ACT_VTYPE:
    case SAM_ACT_RPC: return SAM_GPUTIME_CSR;
    case SAM_ACT_SPLIT: return SAM_GPUTIME_VALU;
    case SAM_ACT_JOIN:
    case SAM_ACT_SYNC: return SAM_GPUTIME_WARPS;
    default: return name[0] == 'v' ? SAM_GPUTIME_VALU : SAM_GPUTIME_SALU;
    }
}

static unsigned latency_of(const struct sam_gputime_config *c, enum sam_gputime_unit unit,
                           const char *name)
{
    switch (unit) {
    case SAM_GPUTIME_SALU: return c->salu_latency;
    case SAM_GPUTIME_VALU: return c->valu_latency;
    case SAM_GPUTIME_CSR: return c->csr_latency;
    case SAM_GPUTIME_MUL: return c->mul_latency;
    case SAM_GPUTIME_FPU:
        return is_fused(name)            ? c->fma_latency
               : is_sum_or_product(name) ? c->fadd_latency
                                         : c->fcvt_latency;
    default: return 0;
    }
}

static void add_source(struct gputime_ref_insn *d, unsigned place, bool is_vector, unsigned number)
{
    d->sources[place] = (struct gputime_ref_source){true, is_vector, number};
    d->source_count++;
}

static void find_registers(const struct sam_gputime_config *c, struct gputime_ref_insn *d,
                           const struct sam_insn *insn, const struct sam_insn_row *row)
{
    const char *letters = row->operands;
    if (strchr(letters, 'd')) {
        d->writes = true;
        d->destination = insn->rd;
    } else if (strchr(letters, 'D')) {
        d->writes = d->writes_vector = true;
        d->destination = insn->rd;
    }
    unsigned place = 0;
    for (const char *l = letters; *l; l++) {
        switch (*l) {
        case 's': add_source(d, place++, false, insn->rs1); break;
        case 'S': add_source(d, place++, true, insn->rs1); break;
        case 't':
            d->data = letters[0] == 'W' ? d->data : place;
            add_source(d, place++, false, insn->rs2);
            break;
        case 'T':
            d->data = d->store && row->operands[0] == 'W' ? d->data : place;
            add_source(d, place++, true, insn->rs2);
            break;
        case 'r': add_source(d, place++, false, insn->rs3); break;
        case 'W':
            d->data = place;
            add_source(d, place++, true, insn->rs3);
            break;
        default: break;
        }
    }
    if (accumulates(row->mnemonic))
        add_source(d, place++, true, insn->rd);
    if ((strchr(letters, 'M') && !insn->vm && c->score_masks) || strchr(letters, '0'))
        add_source(d, place++, true, 0);
}

/* Absent operands leave no gap. */
static void pack(struct gputime_ref_insn *d)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < GPUTIME_REF_SOURCES; i++) {
        const struct gputime_ref_source source = d->sources[i];
        if (!source.is)
            continue;
        if (d->data == i)
            d->data = kept;
        d->sources[i].is = false;
        d->sources[kept++] = source;
    }
}

/* Ruling 4.3: registers that the scoreboard of a preset omits. */
static void find_waits(const struct sam_gputime_config *c, struct gputime_ref_insn *d)
{
    for (unsigned i = 0; i < GPUTIME_REF_SOURCES; i++) {
        struct gputime_ref_source source = d->sources[i];
        if (d->store && source.is_vector && i == d->data && !c->score_stores)
            source.is_vector = false;
        d->waits[i] = source;
    }
}

struct gputime_ref_insn gputime_ref_describe(const struct sam_gputime_config *config,
                                             const struct sam_insn *insn)
{
    const struct sam_insn_row *row = &sam_insn_rows[insn->op];
    const enum sam_act act = row->does.act;
    struct gputime_ref_insn d = {.unit = unit_of(row)};
    d.control =
        act == SAM_ACT_BRANCH || act == SAM_ACT_JUMP || act == SAM_ACT_SPLIT || act == SAM_ACT_JOIN;
    d.prefix = act == SAM_ACT_PREFIX;
    d.fence = is_fence(row->mnemonic);
    d.endprg = strcmp(row->mnemonic, "endprg") == 0;
    d.barrier = strcmp(row->mnemonic, "barrier") == 0;
    d.barrier_of_warp = strcmp(row->mnemonic, "barriersub") == 0;
    d.atomic = act == SAM_ACT_ATOMIC;
    d.store = act == SAM_ACT_STORE;
    d.is_vector = row->mnemonic[0] == 'v';
    d.integer_division = act == SAM_ACT_MULDIV;
    d.stream_v = d.unit != SAM_GPUTIME_SALU && d.unit != SAM_GPUTIME_CSR &&
                 (d.unit != SAM_GPUTIME_WARPS || act == SAM_ACT_JOIN || d.fence);
    if (act != SAM_ACT_SYNC && act != SAM_ACT_JOIN && act != SAM_ACT_PREFIX && !d.fence)
        find_registers(config, &d, insn, row);
    pack(&d);
    if (d.writes && !d.writes_vector && d.destination == 0 && !config->score_x0)
        d.writes = false;
    find_waits(config, &d);
    d.latency = latency_of(config, d.unit, row->mnemonic);
    return d;
}
