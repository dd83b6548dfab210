/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/system_time_ref.h"

#include <stdlib.h>

#include "test.h"

static bool may_access(void *context, const struct eref_insn *insn)
{
    const struct sref *s = context;
    const struct wref *w = &s->weights;
    switch ((enum sref_action)insn->action) {
    case SREF_SUBMIT: return w->submitted - w->begun < s->config.queue;
    case SREF_WAIT: return w->submitted == w->ended;
    default: return true;
    }
}

static void note(struct sref *s, uint64_t value)
{
    assert_in_range(s->load_count, 0, SREF_LOADS - 1);
    s->loads[s->load_count++] = value;
}

/* The weight unit has not run in this cycle yet. */
static void accessed(void *context, const struct eref_insn *insn, uint64_t cycle)
{
    struct sref *s = context;
    struct wref *w = &s->weights;
    switch ((enum sref_action)insn->action) {
    case SREF_SUBMIT:
        assert_in_range(w->submitted, 0, s->program.work_count - 1);
        wref_submit(w, &s->program.works[w->submitted], cycle + 1);
        break;
    case SREF_SUBMITTED: note(s, w->submitted); break;
    case SREF_DONE: note(s, w->ended); break;
    case SREF_CYCLES: note(s, cycle); break;
    case SREF_WAIT: break;
    }
}

/* ------------------------------------------------------- bytes between engines and matrix unit */

static bool has(const uint64_t *bytes, const struct sref *s, const struct mref_uop *uop)
{
    for (unsigned i = 0; i < uop->size; i++) {
        const unsigned byte = s->program.byte(uop->first + i);
        if (byte < EREF_MEMORY && (bytes[byte / 64] >> byte % 64 & 1))
            return true;
    }
    return false;
}

static bool meets(const struct sref *s, const struct eref_insn *insn, const struct mref_uop *uop)
{
    return has(insn->touched, s, uop);
}

/* Whether instruction `at` of the engines or the hart waits for an older one of the matrix unit: in
 * the cycle of its answer, too. */
static bool holds(void *context, size_t at, uint64_t cycle)
{
    const struct sref *s = context;
    const struct eref_insn *insn = &s->program.insns[at];
    for (unsigned i = 0; i < s->matrix->accepted && s->program.matrix_at[i] < at; i++) {
        const struct mref_insn *older = &s->matrix->insns[i];
        if (older->work.kind != SAM_M_KIND_STORE &&
            !(older->work.kind == SAM_M_KIND_LOAD && insn->store))
            continue;
        for (unsigned k = 0; k < older->count; k++)
            if (!older->uops[k].clears && older->uops[k].answered >= cycle &&
                (meets(s, insn, &older->uops[k]) ||
                 (older->work.kind == SAM_M_KIND_STORE && has(insn->fetched, s, &older->uops[k]))))
                return true;
    }
    return false;
}

/* Whether a uop of the matrix unit waits for an older instruction of the engines. */
static bool waits(void *context, unsigned number, const struct mref_uop *uop, uint64_t cycle)
{
    const struct sref *s = context;
    const bool store = s->program.matrix[number].kind == SAM_M_KIND_STORE;
    for (size_t i = 0; i < s->program.matrix_at[number]; i++) {
        const struct eref_insn *older = &s->program.insns[i];
        if (older->tensor &&
            ((older->store && older->done > cycle) ||
             (older->load && store && older->read > cycle)) &&
            meets(s, older, uop))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------ each cycle */

static void begin(void *context, uint64_t cycle)
{
    struct sref *s = context;
    assert_int_equal(s->matrix->cycles, cycle);
    mref_begin(s->matrix);
}

static bool takes(void *context)
{
    struct sref *s = context;
    return mref_offer(s->matrix);
}

static void tick(void *context, uint64_t cycle)
{
    struct sref *s = context;
    wref_tick(&s->weights, cycle);
    mref_end(s->matrix);
}

static bool over(void *context, uint64_t cycle)
{
    const struct sref *s = context;
    return s->weights.ended == s->weights.submitted && cycle >= s->levels->last &&
           mref_is_idle(s->matrix);
}

/* A store to SUBMIT waits as if the hart loaded the source ranges of its record, from the first
 * byte to the last, and stored its destination ranges and its result. */
static void add_span(const struct sref *s, uint64_t bytes[EREF_MEMORY / 64], uint64_t low,
                     uint64_t end)
{
    for (uint64_t at = low; at < end; at++) {
        const unsigned byte = s->program.byte(at);
        if (byte < EREF_MEMORY)
            bytes[byte / 64] |= UINT64_C(1) << byte % 64;
    }
}

static void add_record(const struct sref *s, struct eref_insn *insn,
                       const struct system_weight_work *work)
{
    uint64_t source = UINT64_MAX, source_end = 0, to = UINT64_MAX, to_end = 0;
    insn->store = true;
    for (size_t i = 0; i < work->count; i++) {
        const struct system_weight_block *b = &work->blocks[i];
        if (b->source_bytes) {
            source = b->source < source ? b->source : source;
            source_end =
                b->source + b->source_bytes > source_end ? b->source + b->source_bytes : source_end;
        }
        if (b->destination_bytes) {
            to = b->destination < to ? b->destination : to;
            to_end = b->destination + b->destination_bytes > to_end
                         ? b->destination + b->destination_bytes
                         : to_end;
        }
    }
    add_span(s, insn->fetched, source, source_end);
    add_span(s, insn->touched, to, to_end);
    if (work->result_address)
        add_span(s, insn->touched, work->result_address, work->result_address + UINT64_C(20));
}

struct sref *sref_run(const struct sam_system_config *config, const struct sam_memtime_map *map,
                      const struct sref_program *program, unsigned port, unsigned weights)
{
    struct sref *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->config = *config;
    s->program = *program;
    s->levels = lref_new(&config->mem, map);
    const struct sam_memtime_port memory = {lref_request, s->levels};
    s->weights.config = config->wu;
    s->weights.port = memory;
    s->weights.number = weights;
    for (size_t i = 0, record = 0; i < program->count; i++)
        if (program->insns[i].control && program->insns[i].action == SREF_SUBMIT)
            add_record(s, &program->insns[i], &program->works[record++]);
    const struct mref_outside around = {
        .memory = &memory, .port = port, .waits = waits, .context = s};
    s->matrix = mref_new(&config->mx, &around, program->matrix, program->matrix_count);
    const struct eref_outside outside = {.memory = &memory,
                                         .address = program->address,
                                         .begin = begin,
                                         .holds = holds,
                                         .takes = takes,
                                         .may_access = may_access,
                                         .accessed = accessed,
                                         .tick = tick,
                                         .over = over,
                                         .context = s};
    eref_run(program->insns, program->count, &config->tl, &outside, &s->engines);
    return s;
}

void sref_free(struct sref *s)
{
    wref_free(&s->weights);
    lref_free(s->levels);
    mref_free(s->matrix);
    free(s);
}
