/* SPDX-License-Identifier: Apache-2.0 */
/* Single-stepped runs: the commit log and the statistics. */
#include <stdlib.h>

#include "simt/access.h"

struct sam_observer {
    const struct sam_gpu *gpu;
    const struct sam_launch *launch;
    struct sam_gpu_stats counts; /* without the arrays */
    uint64_t mix[SAM_OP_COUNT];
    struct sam_branch_stats *branches; /* open addressing by pc; executed 0 = free */
    size_t branch_slots, branch_count;
    struct sam_warp_accesses accesses;               /* of the instruction that runs */
    struct sam_warp_access_form forms[SAM_OP_COUNT]; /* filled on first use */
    struct sam_commit commit;
    struct sam_texts *texts; /* of the log */
    struct sam_buffer text;
    bool failed;
};

struct sam_observer *sam_observer_new(const struct sam_gpu *gpu, const struct sam_launch *launch)
{
    struct sam_observer *o = sam_alloc(1, sizeof *o);
    if (!o || (gpu->options.log.write && !(o->texts = sam_texts_new()))) {
        free(o);
        return NULL;
    }
    o->gpu = gpu;
    o->launch = launch;
    return o;
}

void sam_observer_free(struct sam_observer *o)
{
    if (!o)
        return;
    free(o->branches);
    sam_buffer_free(&o->text);
    sam_texts_free(o->texts);
    free(o);
}

bool sam_observer_failed(const struct sam_observer *o)
{
    return o->failed;
}

/* ------------------------------------------------------------------------------ statistics */

static struct sam_branch_stats *find_branch(struct sam_branch_stats *slots, size_t count,
                                            uint32_t pc)
{
    size_t at = pc / 4 * 2654435761u & (count - 1);
    while (slots[at].executed && slots[at].pc != pc)
        at = (at + 1) & (count - 1);
    return &slots[at];
}

static void count_branch(struct sam_observer *o, uint32_t pc, uint32_t word, bool diverged)
{
    if (o->branch_count * 2 >= o->branch_slots) {
        size_t slots = o->branch_slots ? o->branch_slots * 2 : 64;
        struct sam_branch_stats *grown = sam_alloc(slots, sizeof *grown);
        if (!grown) {
            o->failed = true;
            return;
        }
        for (size_t i = 0; i < o->branch_slots; i++)
            if (o->branches[i].executed)
                *find_branch(grown, slots, o->branches[i].pc) = o->branches[i];
        free(o->branches);
        o->branches = grown;
        o->branch_slots = slots;
    }
    struct sam_branch_stats *b = find_branch(o->branches, o->branch_slots, pc);
    if (!b->executed) {
        o->branch_count++;
        b->pc = pc;
        b->word = word;
    }
    b->executed++;
    b->diverged += diverged;
}

/* The distinct values of address >> shift in ascending order, which neighbouring lanes mostly have
 * already. */
static unsigned distinct(const struct sam_warp_accesses *a, unsigned shift,
                         uint32_t values[SAM_MAX_ACCESSES])
{
    unsigned count = 0;
    for (unsigned i = 0; i < a->count; i++) {
        const uint32_t value = a->address[i] >> shift;
        unsigned at = count;
        while (at && values[at - 1] > value)
            at--;
        if (at && values[at - 1] == value)
            continue;
        memmove(values + at + 1, values + at, (count++ - at) * sizeof *values);
        values[at] = value;
    }
    return count;
}

/* Passes beyond the first: the largest number of distinct words in one of the 32 banks, minus one.
 */
static unsigned bank_conflicts(const struct sam_warp_accesses *a)
{
    uint32_t words[SAM_MAX_ACCESSES];
    unsigned worst = 0, in_bank[32] = {0};
    for (unsigned count = distinct(a, 2, words), i = 0; i < count; i++)
        if (++in_bank[words[i] & 31] > worst)
            worst++;
    return worst ? worst - 1 : 0;
}

static void count_memory(struct sam_observer *o)
{
    const struct sam_warp_accesses *a = &o->accesses;
    struct sam_gpu_stats *s = &o->counts;
    if (!a->count)
        return;
    s->memory_insns++;
    s->memory_accesses += a->count;
    if (a->address[0] - SAM_LDS_BASE < SAM_LDS_SIZE) {
        s->lds_insns++;
        s->lds_conflicts += a->count > 1 ? bank_conflicts(a) : 0;
    } else {
        s->global_insns++;
        uint32_t lines[SAM_MAX_ACCESSES];
        s->lines += distinct(a, 6, lines);
    }
}

/* State before the step, needed by the counts. */
struct before {
    uint32_t pc, depth, lanes;
    bool reads_flags;
};

static void count(struct sam_observer *o, const struct sam_warp *w, const struct sam_insn *insn,
                  const struct before *before)
{
    struct sam_gpu_stats *s = &o->counts;
    o->mix[insn->op]++;
    if (!o->forms[insn->op].vector) {
        s->scalar_insns++;
        s->lane_insns++;
    } else {
        s->vector_insns++;
        s->lane_insns += before->lanes;
        s->vector_lanes += before->lanes;
        s->vector_slots += w->lanes * (w->groups ? w->groups : 1);
    }
    count_memory(o);
    if (sam_insn_rows[insn->op].does.act == SAM_ACT_SPLIT)
        count_branch(o, before->pc, insn->word, w->depth > before->depth);
    if (w->core.exit == SAM_EXIT_EVENT && w->core.event == SAM_EVENT_BARRIER)
        s->barriers++;
    if (w->deepest > s->simt_depth)
        s->simt_depth = w->deepest;
}

/* ------------------------------------------------------------------------------ commit log */

static void add_csr(struct sam_commit *c, const struct sam_gpu *gpu, unsigned address,
                    uint32_t value)
{
    const char *name = sam_csr_name(&gpu->machine.isa, address);
    c->csrs[c->csr_count].address = address;
    c->csrs[c->csr_count].name = name ? name : "unknown";
    c->csrs[c->csr_count++].value = value;
}

static void fill_registers(struct sam_commit *c, const struct sam_warp *w,
                           const struct sam_insn *insn)
{
    const struct sam_insn_row *row = &sam_insn_rows[insn->op];
    const char *operands = row->operands;
    if (operands[0] == 'd' && insn->rd != 0 && row->does.act != SAM_ACT_SYNC &&
        row->does.act != SAM_ACT_PREFIX) {
        c->x = insn->rd;
        c->x_value = w->core.x32[insn->rd];
    }
    if (operands[0] == 'D') {
        c->v = insn->rd;
        c->v_count = w->groups;
        c->v_values = w->v[insn->rd];
    }
}

static void fill_csrs(struct sam_commit *c, const struct sam_gpu *gpu, struct sam_warp *w,
                      const struct sam_insn *insn)
{
    uint64_t value;
    unsigned address = (unsigned)insn->imm & 0xfff;
    const unsigned act = sam_insn_rows[insn->op].does.act;
    bool writes = act == SAM_ACT_CSR_WRITE || (act == SAM_ACT_CSR_BITS && insn->rs1 != 0);
    if (writes && sam_core_csr_read(&w->core, address, w->core.retired, &value))
        add_csr(c, gpu, address, (uint32_t)value);
    if (act == SAM_ACT_RPC)
        add_csr(c, gpu, SAM_CSR_rpc, w->rpc);
    if (act == SAM_ACT_VTYPE) {
        add_csr(c, gpu, SAM_CSR_vl, w->vl);
        add_csr(c, gpu, SAM_CSR_vtype, w->vtype);
    }
}

static void log_step(struct sam_observer *o, struct sam_warp *w, const struct sam_insn *insn,
                     const struct before *before, unsigned raised)
{
    struct sam_commit *c = &o->commit;
    const struct sam_warp_accesses *a = &o->accesses;
    const char *text = sam_texts_of(o->texts, &o->gpu->machine.isa, insn->word, before->pc, NULL);
    const unsigned act = sam_insn_rows[insn->op].does.act;
    *c = (struct sam_commit){.last = &w->logged,
                             .core = w->wid,
                             .pc = before->pc,
                             .word = insn->word,
                             .text = text,
                             .fflags = raised,
                             .lmul = w->groups,
                             .vl = w->vl,
                             .lanes = w->lanes,
                             .mask = w->simt,
                             .simt =
                                 act == SAM_ACT_SPLIT || act == SAM_ACT_JOIN || act == SAM_ACT_RPC,
                             .npc = w->npc,
                             .depth = w->depth,
                             .load = a->load,
                             .store = a->store,
                             .access_size = a->size,
                             .access_count = a->count};
    c->vector = o->forms[insn->op].vector;
    for (unsigned i = 0; i < a->count; i++)
        c->accesses[i] = (struct sam_commit_access){a->address[i], a->value[i]};
    fill_registers(c, w, insn);
    fill_csrs(c, o->gpu, w, insn);
    o->text.size = 0;
    sam_commit_format(c, &o->text);
    const struct sam_sink *sink = &o->gpu->options.log;
    if (o->text.failed || !sink->write(sink->context, o->text.data, o->text.size))
        o->failed = true;
}

/* ------------------------------------------------------------------------------------ step */

/* Examine the instruction before it runs: what it will access, which lanes are active. */
static void look(struct sam_observer *o, struct sam_warp *w, struct before *before)
{
    struct sam_insn insn;
    struct sam_fault fault;
    uint32_t word;
    *before = (struct before){.pc = (uint32_t)w->core.pc, .depth = w->depth};
    o->accesses.count = 0;
    if (w->core.pc & 3 || !sam_code_fetch(&w->core, w->core.pc, &word, &fault))
        return;
    before->reads_flags = (word & 0x7f) == SAM_OPC_SYSTEM;
    if (!sam_code_decode(w->core.code, word, w->core.pending_prefix, &insn))
        return;
    struct sam_warp_access_form *form = &o->forms[insn.op];
    if (!form->known)
        *form = sam_warp_access_form_of(insn.op);
    sam_warp_accesses_find(w, &insn, form, &o->accesses);
    bool branch = sam_insn_rows[insn.op].does.act == SAM_ACT_SPLIT;
    if (branch)
        before->lanes = (uint32_t)__builtin_popcount(w->simt);
    for (unsigned g = 0; !branch && g < w->groups; g++)
        before->lanes += (uint32_t)__builtin_popcount(sam_warp_insn_lanes(w, &insn, g));
}

enum sam_exit sam_observer_step(struct sam_observer *o, struct sam_warp *w)
{
    struct before before;
    struct sam_insn insn;
    look(o, w, &before);
    /* To find the flags this instruction raises; an instruction that reads them must see all of
     * them. */
    const unsigned flags = w->core.fflags;
    if (!before.reads_flags)
        w->core.fflags = 0;
    enum sam_exit exit = sam_core_step(&w->core, &insn);
    unsigned raised = before.reads_flags ? 0 : w->core.fflags;
    if (!before.reads_flags)
        w->core.fflags |= (uint8_t)flags;
    if (exit == SAM_EXIT_TRAP)
        return exit;
    if (o->gpu->options.collect_stats)
        count(o, w, &insn, &before);
    if (o->gpu->options.log.write)
        log_step(o, w, &insn, &before, raised);
    return exit;
}

/* --------------------------------------------------------------------------------- results */

static int by_count(const void *a, const void *b)
{
    const struct sam_mix_row *x = a, *y = b;
    if (x->warp_insns != y->warp_insns)
        return x->warp_insns > y->warp_insns ? -1 : 1;
    return strcmp(x->mnemonic, y->mnemonic);
}

static int by_pc(const void *a, const void *b)
{
    const struct sam_branch_stats *x = a, *y = b;
    return (x->pc > y->pc) - (x->pc < y->pc);
}

static bool add_mix(struct sam_gpu_stats *stats, enum sam_op op, uint64_t executed)
{
    const char *mnemonic = sam_insn_rows[op].mnemonic;
    size_t i = 0;
    while (i < stats->mix_count && strcmp(stats->mix[i].mnemonic, mnemonic) != 0)
        i++;
    if (i == stats->mix_count) {
        struct sam_mix_row *grown = realloc(stats->mix, (i + 1) * sizeof *grown);
        if (!grown)
            return false;
        stats->mix = grown;
        stats->mix[stats->mix_count++] = (struct sam_mix_row){mnemonic, 0};
    }
    stats->mix[i].warp_insns += executed;
    return true;
}

static bool add_branch(struct sam_gpu_stats *stats, const struct sam_branch_stats *branch)
{
    size_t i = 0;
    while (i < stats->branch_count && stats->branches[i].pc != branch->pc)
        i++;
    if (i == stats->branch_count) {
        struct sam_branch_stats *grown = realloc(stats->branches, (i + 1) * sizeof *grown);
        if (!grown)
            return false;
        stats->branches = grown;
        stats->branches[stats->branch_count++] =
            (struct sam_branch_stats){.pc = branch->pc, .word = branch->word};
    }
    stats->branches[i].executed += branch->executed;
    stats->branches[i].diverged += branch->diverged;
    return true;
}

bool sam_observer_collect(struct sam_observer *o, struct sam_gpu_stats *stats)
{
    const struct sam_gpu_stats *c = &o->counts;
    bool ok = true;
    stats->scalar_insns += c->scalar_insns;
    stats->vector_insns += c->vector_insns;
    stats->lane_insns += c->lane_insns;
    stats->vector_lanes += c->vector_lanes;
    stats->vector_slots += c->vector_slots;
    stats->barriers += c->barriers;
    stats->memory_insns += c->memory_insns;
    stats->memory_accesses += c->memory_accesses;
    stats->lines += c->lines;
    stats->global_insns += c->global_insns;
    stats->lds_insns += c->lds_insns;
    stats->lds_conflicts += c->lds_conflicts;
    if (c->simt_depth > stats->simt_depth)
        stats->simt_depth = c->simt_depth;
    for (enum sam_op op = SAM_OP_ILLEGAL + 1; ok && op < SAM_OP_COUNT; op++)
        if (o->mix[op])
            ok = add_mix(stats, op, o->mix[op]);
    for (size_t i = 0; ok && i < o->branch_slots; i++)
        if (o->branches[i].executed)
            ok = add_branch(stats, &o->branches[i]);
    if (stats->mix)
        qsort(stats->mix, stats->mix_count, sizeof *stats->mix, by_count);
    if (stats->branches)
        qsort(stats->branches, stats->branch_count, sizeof *stats->branches, by_pc);
    return ok;
}
