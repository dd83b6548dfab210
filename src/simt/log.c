/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the commit log of warps, from single steps or from instrumented code. There, every
 * instruction has a hook: it logs the previous one, which has run by now, and notes what this one
 * is about to do. */
#include <stdlib.h>

#include "base/writer.h"
#include "machine/fpenv.h"
#include "machine/step.h"
#include "simt/observe.h"

struct sam_warp_log {
    const struct sam_gpu *gpu;
    struct sam_commit commit;
    struct sam_texts *texts;
    struct sam_writer *writer;
    struct sam_buffer text;      /* not yet written */
    const char *csr_names[4096]; /* names of the CSRs logged so far */
    /* instrumented code: */
    struct sam_instrumentation instrumentation;
    const struct sam_uop *pending; /* the instruction that runs; NULL: none */
    struct sam_insn insn;          /* of it */
    struct sam_step step;          /* of it; what the log does not need is undefined */
    uint8_t flags;                 /* of the core, before it */
    bool failed;
};

enum { BATCH = 1 << 18 }; /* bytes per write to the sink */

struct sam_warp_log *sam_warp_log_new(const struct sam_gpu *gpu)
{
    struct sam_warp_log *log = sam_alloc(1, sizeof *log);
    if (!log)
        return NULL;
    log->gpu = gpu;
    struct sam_hooks hooks;
    sam_hooks_fill(&hooks);
    log->commit.put_lanes = hooks.put_lanes;
    log->texts = sam_texts_new();
    log->writer = sam_writer_new(&gpu->options.log, gpu->options.log_apart);
    if (log->texts && log->writer)
        return log;
    sam_warp_log_free(log);
    return NULL;
}

void sam_warp_log_free(struct sam_warp_log *log)
{
    if (!log)
        return;
    sam_writer_free(log->writer);
    sam_buffer_free(&log->text);
    sam_texts_free(log->texts);
    free(log);
}

static const char *csr_name(struct sam_warp_log *log, unsigned address)
{
    const char **name = &log->csr_names[address % SAM_COUNT(log->csr_names)];
    if (!*name && !(*name = sam_csr_name(&log->gpu->machine.isa, address)))
        *name = "unknown";
    return *name;
}

static void fill_csrs(struct sam_warp_log *log, const struct sam_step *step)
{
    struct sam_commit *c = &log->commit;
    for (unsigned i = 0; i < step->csr_count; i++) {
        c->csrs[i].address = step->csr[i].address;
        c->csrs[i].name = csr_name(log, step->csr[i].address);
        c->csrs[i].value = (uint32_t)step->csr[i].value;
    }
    c->csr_count = step->csr_count;
}

bool sam_warp_log_flush(struct sam_warp_log *log)
{
    return sam_writer_flush(log->writer, &log->text);
}

/* Log an instruction that has run; `v` is what it has left in the registers step->v. */
static bool put(struct sam_warp_log *log, struct sam_warp *w, const struct sam_insn *insn,
                const struct sam_step *step, const uint32_t *v)
{
    struct sam_commit *c = &log->commit; /* field by field: clearing it first would take longer */
    const uint32_t pc = (uint32_t)step->pc;
    const unsigned act = sam_insn_rows[insn->op].does.act;
    c->text = sam_texts_of(log->texts, &log->gpu->machine.isa, insn->word, pc, NULL);
    c->last = &w->logged;
    c->core = w->wid;
    c->pc = pc;
    c->word = insn->word;
    c->x = step->x;
    c->x_value = (uint32_t)step->x_value[0];
    c->fflags = step->fflags;
    c->vector = step->vector;
    c->vstart = step->vector || act == SAM_ACT_VTYPE;
    c->lmul = w->groups;
    c->vl = w->vl;
    c->lanes = w->lanes;
    c->v = step->v;
    c->v_count = step->v_count;
    c->v_values = v;
    c->mask = w->simt;
    c->simt = act == SAM_ACT_SPLIT || act == SAM_ACT_JOIN || act == SAM_ACT_RPC;
    c->npc = w->npc;
    c->depth = w->depth;
    c->load = step->access_count && step->access[0].load;
    c->store = act == SAM_ACT_STORE;
    c->access_count = step->access_count;
    c->accesses = step->access;
    fill_csrs(log, step);
    sam_commit_format(c, &log->text);
    return log->text.size < BATCH ? !log->text.failed
                                  : sam_writer_put(log->writer, &log->text, BATCH);
}

bool sam_warp_log_step(struct sam_warp_log *log, struct sam_warp *w, const struct sam_insn *insn,
                       const struct sam_step *step)
{
    return put(log, w, insn, step, step->v_value[0]);
}

/* ------------------------------------------------------------------------ instrumented code */

static void begin(struct sam_warp_log *log, struct sam_core *c, const struct sam_uop *op,
                  const struct sam_insn *insn)
{
    struct sam_step *step = &log->step;
    log->pending = op;
    log->insn = *insn;
    step->pc = sam_pc_of(c, op);
    step->x = step->v = step->v_count = step->csr_count = step->fflags = step->access_count = 0;
    step->x_value[0] = 0;
    sam_step_before(c, step, insn);
    sam_warp_step_before(sam_warp_of(c), insn, step);
    if (sam_insn_rows[insn->op].does.act == SAM_ACT_FLOAT) {
        log->flags = c->fflags; /* those of the host are clear */
        c->fflags = 0;
    }
}

/* The instruction has run, unless it has trapped. `flags`: those of the host, unless they are
 * collected already; `instret`: instructions retired. */
static void end(struct sam_warp_log *log, struct sam_core *c, unsigned flags, uint64_t instret,
                bool trapped)
{
    struct sam_warp *w = sam_warp_of(c);
    struct sam_step *step = &log->step;
    const struct sam_insn *insn = &log->insn;
    log->pending = NULL;
    if (sam_insn_rows[insn->op].does.act == SAM_ACT_FLOAT) {
        step->fflags = c->fflags | flags;
        c->fflags = (uint8_t)(log->flags | step->fflags);
    }
    if (trapped)
        return;
    sam_step_after(c, step, insn, instret);
    sam_warp_step_after(w, insn, step);
    if (!put(log, w, insn, step, w->v[step->v]))
        log->failed = true;
}

SAM_HANDLER(log_insn)
{
    const struct sam_counters *counters = sam_counters_of(c, op);
    struct sam_warp_log *log = sam_worker_of(c)->log;
    if (log->pending) {
        const unsigned flags = sam_host_fp_flags();
        const size_t size = log->text.size;
        end(log, c, flags, sam_retired_at(c, op, entry, left), false);
        if (log->text.size < size) /* the sink may have changed the environment */
            sam_host_fp_enter();
        else if (flags)
            sam_host_fp_clear();
    }
    begin(log, c, op, &counters->insn);
    SAM_PROCEED(counters);
}

static sam_handler *instrument(void *context, const struct sam_insn *insn, bool apart)
{
    (void)context, (void)insn, (void)apart;
    return log_insn;
}

void sam_warp_log_in_runs(struct sam_warp_log *log, struct sam_code *code)
{
    log->instrumentation = (struct sam_instrumentation){.instrument = instrument};
    sam_code_instrument(code, &log->instrumentation);
}

bool sam_warp_log_stop(struct sam_warp_log *log, struct sam_warp *w, enum sam_exit exit)
{
    struct sam_core *c = &w->core;
    if (log->pending)
        end(log, c, 0, c->retired, exit == SAM_EXIT_TRAP && c->end_op == log->pending);
    return !log->failed;
}
