/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the commit log of warps. */
#include <stdlib.h>

#include "simt/simt.h"

struct sam_warp_log {
    const struct sam_gpu *gpu;
    struct sam_commit commit;
    struct sam_texts *texts;
    struct sam_buffer text;      /* not yet written */
    const char *csr_names[4096]; /* names of the CSRs logged so far */
};

enum { BATCH = 1 << 16 }; /* bytes per write to the sink */

struct sam_warp_log *sam_warp_log_new(const struct sam_gpu *gpu)
{
    struct sam_warp_log *log = sam_alloc(1, sizeof *log);
    if (!log || !(log->texts = sam_texts_new())) {
        free(log);
        return NULL;
    }
    log->gpu = gpu;
    return log;
}

void sam_warp_log_free(struct sam_warp_log *log)
{
    if (!log)
        return;
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
    const struct sam_sink *sink = &log->gpu->options.log;
    const bool good =
        !log->text.failed &&
        (!log->text.size || sink->write(sink->context, log->text.data, log->text.size));
    log->text.size = 0;
    return good;
}

bool sam_warp_log_step(struct sam_warp_log *log, struct sam_warp *w, const struct sam_insn *insn,
                       const struct sam_step *step)
{
    struct sam_commit *c = &log->commit;
    const uint32_t pc = (uint32_t)step->pc;
    const unsigned act = sam_insn_rows[insn->op].does.act;
    *c = (struct sam_commit){
        .last = &w->logged,
        .core = w->wid,
        .pc = pc,
        .word = insn->word,
        .text = sam_texts_of(log->texts, &log->gpu->machine.isa, insn->word, pc, NULL),
        .x = step->x,
        .x_value = (uint32_t)step->x_value[0],
        .fflags = step->fflags,
        .vector = step->vector,
        .vstart = step->vector || act == SAM_ACT_VTYPE,
        .lmul = w->groups,
        .vl = w->vl,
        .lanes = w->lanes,
        .v = step->v,
        .v_count = step->v_count,
        .v_values = step->v_value[0],
        .mask = w->simt,
        .simt = act == SAM_ACT_SPLIT || act == SAM_ACT_JOIN || act == SAM_ACT_RPC,
        .npc = w->npc,
        .depth = w->depth,
        .load = step->access_count && step->access[0].load,
        .store = act == SAM_ACT_STORE,
        .access_count = step->access_count,
        .accesses = step->access,
    };
    fill_csrs(log, step);
    sam_commit_format(c, &log->text);
    return log->text.size < BATCH || sam_warp_log_flush(log);
}
