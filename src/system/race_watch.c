/* SPDX-License-Identifier: Apache-2.0 */
/* Translates events of the hart, the GPU and the queues into accesses for the race check. */
#include "system/race_watch.h"

#include <stdlib.h>

#include "sanitize/sanitize.h"
#include "system/weight.h"

enum { FETCHED = 4096 };

struct sam_system_watch {
    struct sam_system_races *races;
    struct sam_hart_listener hart_listener;
    struct sam_hart *hart; /* for the pc of host calls */
    struct sam_sanitizer *gpu_listener;
    uint32_t fetched[FETCHED]; /* 1 + pc fetched by the current launch, direct-mapped */
};

/* ------------------------------------------------------------------------------------- hart */

static void report_access(struct sam_system_watch *w, enum sam_system_agent agent,
                          enum sam_system_access kind, uint64_t pc, uint64_t address, uint64_t size)
{
    sam_system_races_access(w->races, &(struct system_race_access){.agent = agent,
                                                                   .kind = kind,
                                                                   .has_pc = true,
                                                                   .pc = pc,
                                                                   .address = address,
                                                                   .size = size});
}

static void on_matrix(struct sam_system_watch *w, const struct sam_hart_record *r)
{
    struct sam_matrix_work work;
    const bool trapped = r->step.kind == SAM_STEP_TRAPPED;
    if (!sam_matrix_work_done(&w->hart->core, &r->insn, r->first_row, trapped, &work) ||
        work.kind > SAM_M_KIND_STORE)
        return;
    const unsigned end = work.end < work.m ? work.end : work.m; /* other rows are cleared */
    for (unsigned row = work.first; row < end; row++)
        report_access(w, SAM_SYSTEM_BY_MATRIX,
                      work.kind == SAM_M_KIND_STORE ? SAM_SYSTEM_STORE : SAM_SYSTEM_LOAD,
                      r->step.pc, sam_matrix_address(&work, row, 0), work.bytes);
}

static void on_scalar(struct sam_system_watch *w, const struct sam_hart_record *r)
{
    const bool reserves = sam_insn_rows[r->insn.op].does.act == SAM_ACT_RESERVE;
    for (unsigned i = 0; i < r->step.access_count; i++) {
        const struct sam_step_access *a = &r->step.access[i];
        report_access(w, SAM_SYSTEM_BY_HART,
                      reserves || (a->load && a->store) ? SAM_SYSTEM_ATOMIC
                      : a->store                        ? SAM_SYSTEM_STORE
                                                        : SAM_SYSTEM_LOAD,
                      r->step.pc, a->address, a->size);
    }
}

static void on_instruction(void *context, const struct sam_hart_record *r)
{
    struct sam_system_watch *w = context;
    if (r->step.word)
        report_access(w, SAM_SYSTEM_BY_HART, SAM_SYSTEM_FETCH, r->step.pc, r->step.pc, 4);
    if (sam_matrix_is(&r->insn)) {
        on_matrix(w, r);
    } else if (r->step.kind == SAM_STEP_TRAPPED) {
        return;
    } else if (r->has_tensor) {
        for (unsigned i = 0; i < r->tensor.span_count; i++)
            report_access(w, SAM_SYSTEM_BY_TENSOR,
                          r->tensor.store ? SAM_SYSTEM_STORE : SAM_SYSTEM_LOAD, r->step.pc,
                          r->tensor.spans[i].low,
                          r->tensor.spans[i].high - r->tensor.spans[i].low + 1);
    } else {
        on_scalar(w, r);
    }
}

static void on_host_call(void *context, uint64_t address, uint64_t size, bool store)
{
    struct sam_system_watch *w = context;
    report_access(w, SAM_SYSTEM_BY_HART, store ? SAM_SYSTEM_STORE : SAM_SYSTEM_LOAD,
                  sam_hart_pc(w->hart), address, size);
}

void sam_system_watch_hart(struct sam_system_watch *w, struct sam_hart *hart)
{
    w->hart = hart;
    w->hart_listener = (struct sam_hart_listener){on_instruction, on_host_call, w};
}

/* Without records in flight the hart runs at full speed, with no listener. */
static void listen_to_hart(struct sam_system_watch *w)
{
    if (w->hart)
        w->hart->listener = sam_system_races_in_flight(w->races) ? &w->hart_listener : NULL;
}

/* -------------------------------------------------------------------------------------- GPU */

static void on_fetch(void *context, uint32_t pc)
{
    struct sam_system_watch *w = context;
    uint32_t *known = &w->fetched[pc / 4 % FETCHED];
    if (*known == pc + 1)
        return;
    *known = pc + 1;
    sam_system_races_access(w->races, &(struct system_race_access){.agent = SAM_SYSTEM_BY_GPU,
                                                                   .kind = SAM_SYSTEM_FETCH,
                                                                   .address = pc,
                                                                   .size = 4});
}

static enum sam_system_access kind_of(const struct sam_insn *insn)
{
    switch (sam_insn_rows[insn->op].does.act) {
    case SAM_ACT_LOAD: return SAM_SYSTEM_LOAD;
    case SAM_ACT_STORE: return SAM_SYSTEM_STORE;
    default: return SAM_SYSTEM_ATOMIC;
    }
}

/* Merges the accesses of consecutive elements. */
struct span {
    struct sam_system_watch *watch;
    struct system_race_access access;
};

static void flush(struct span *span)
{
    if (span->access.size)
        sam_system_races_access(span->watch->races, &span->access);
    span->access.size = 0;
}

/* Add the element of a lane. Local memory is private to the GPU; a misaligned access traps. */
static void add(struct span *span, uint32_t address, unsigned bytes)
{
    if (address - SAM_LDS_BASE < SAM_LDS_SIZE || address % bytes)
        return;
    if (address == span->access.address + span->access.size && span->access.size) {
        span->access.size += bytes;
        return;
    }
    flush(span);
    span->access.address = address;
    span->access.size = bytes;
}

static void on_access(void *context, const struct sam_sanitize_op *op)
{
    struct span span = {
        .watch = context,
        .access = {
            .agent = SAM_SYSTEM_BY_GPU, .kind = kind_of(op->insn), .has_pc = true, .pc = op->pc}};
    for (unsigned word = 0; word < op->words; word++) {
        if (!op->vector)
            add(&span, op->address[0][0] + word * op->apart, op->bytes);
        for (unsigned g = 0; g < op->groups; g++)
            for (uint32_t lanes = op->acting[g]; lanes; lanes &= lanes - 1)
                add(&span, op->address[g][__builtin_ctz(lanes)] + word * op->apart, op->bytes);
        flush(&span);
    }
}

struct sam_sanitizer *sam_system_watch_gpu(struct sam_system_watch *w)
{
    return w->gpu_listener;
}

/* ------------------------------------------------------------------------------- the queues */

void sam_system_watch_submit(struct sam_system_watch *w, enum sam_system_agent agent,
                             uint64_t record, uint64_t size, uint64_t pc)
{
    sam_system_races_submit(w->races, agent, record, pc);
    listen_to_hart(w);
    if (agent == SAM_SYSTEM_BY_GPU)
        memset(w->fetched, 0, sizeof w->fetched);
    sam_system_watch_access(w, agent, SAM_SYSTEM_LOAD, record, size);
}

void sam_system_watch_access(struct sam_system_watch *w, enum sam_system_agent agent,
                             enum sam_system_access kind, uint64_t address, uint64_t size)
{
    sam_system_races_access(w->races,
                            &(struct system_race_access){
                                .agent = agent, .kind = kind, .address = address, .size = size});
}

void sam_system_watch_ended(struct sam_system_watch *w, enum sam_system_agent agent, uint32_t left)
{
    sam_system_races_ended(w->races, agent, sam_system_races_submitted(w->races, agent) - left);
    listen_to_hart(w);
}

/* --------------------------------------------------------------------------------- the watch */

struct sam_system_watch *sam_system_watch_new(const struct sam_system_races_options *options)
{
    struct sam_system_watch *w = sam_alloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->races = sam_system_races_new(options);
    w->gpu_listener = sam_sanitize_listen(
        &(struct sam_sanitize_listener){.access = on_access, .fetch = on_fetch, .context = w});
    if (w->races && w->gpu_listener)
        return w;
    sam_system_watch_free(w);
    return NULL;
}

void sam_system_watch_free(struct sam_system_watch *w)
{
    if (!w)
        return;
    sam_system_races_free(w->races);
    sam_sanitizer_free(w->gpu_listener);
    free(w);
}

struct sam_system_races *sam_system_watch_races(struct sam_system_watch *w)
{
    return w->races;
}
