/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/system_time_ref.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

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

/* The weight unit has not lived through this cycle yet. */
static void accessed(void *context, const struct eref_insn *insn, uint64_t cycle)
{
    struct sref *s = context;
    struct wref *w = &s->weights;
    switch ((enum sref_action)insn->action) {
    case SREF_SUBMIT:
        assert_in_range(w->submitted, 0, s->work_count - 1);
        wref_submit(w, &s->works[w->submitted], cycle + 1);
        break;
    case SREF_SUBMITTED: note(s, w->submitted); break;
    case SREF_DONE: note(s, w->ended); break;
    case SREF_CYCLES: note(s, cycle); break;
    case SREF_WAIT: break;
    }
}

static void tick(void *context, uint64_t cycle)
{
    struct sref *s = context;
    wref_tick(&s->weights, cycle);
}

static bool over(void *context, uint64_t cycle)
{
    const struct sref *s = context;
    return s->weights.ended == s->weights.submitted && cycle >= s->levels->last;
}

struct sref *sref_run(const struct sam_system_config *config, const struct sam_memtime_map *map,
                      struct eref_insn *insns, size_t count, uint64_t (*address)(unsigned byte),
                      const struct system_weight_work *works, size_t work_count,
                      unsigned weights_port)
{
    struct sref *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->config = *config;
    s->works = works;
    s->work_count = work_count;
    s->levels = lref_new(&config->mem, map);
    const struct sam_memtime_port port = {lref_request, s->levels};
    s->weights.config = config->wu;
    s->weights.port = port;
    s->weights.number = weights_port;
    const struct eref_outside outside = {.memory = &port,
                                         .address = address,
                                         .may_access = may_access,
                                         .accessed = accessed,
                                         .tick = tick,
                                         .over = over,
                                         .context = s};
    eref_run(insns, count, &config->tl, &outside, &s->engines);
    return s;
}

void sref_free(struct sref *s)
{
    wref_free(&s->weights);
    lref_free(s->levels);
    free(s);
}
