/* SPDX-License-Identifier: Apache-2.0 */
/* The commit log. */
#include <stdlib.h>

#include "simt/simt.h"

struct sam_warp_log {
    const struct sam_gpu *gpu;
    struct sam_commit commit;
    struct sam_texts *texts;
    struct sam_buffer text;
};

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

static void fill_csrs(struct sam_commit *c, const struct sam_gpu *gpu, const struct sam_step *step)
{
    for (unsigned i = 0; i < step->csr_count; i++) {
        const char *name = sam_csr_name(&gpu->machine.isa, step->csr[i].address);
        c->csrs[i].address = step->csr[i].address;
        c->csrs[i].name = name ? name : "unknown";
        c->csrs[i].value = (uint32_t)step->csr[i].value;
    }
    c->csr_count = step->csr_count;
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
    };
    fill_csrs(c, log->gpu, step);
    for (unsigned i = 0; i < step->access_count && i < SAM_COMMIT_ACCESSES; i++) {
        c->access_size = step->access[i].size;
        c->accesses[c->access_count++] = (struct sam_commit_access){
            (uint32_t)step->access[i].address, (uint32_t)step->access[i].value};
    }
    log->text.size = 0;
    sam_commit_format(c, &log->text);
    const struct sam_sink *sink = &log->gpu->options.log;
    return !log->text.failed && sink->write(sink->context, log->text.data, log->text.size);
}
