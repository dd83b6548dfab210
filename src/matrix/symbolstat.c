/* SPDX-License-Identifier: Apache-2.0 */
/* IDLE -start-> CLEAR (a counter a cycle) -> COUNT (a symbol a cycle) -start low-> DRAIN (a count a
 * cycle, in order) -> DONE -> IDLE. Flush leads to IDLE from anywhere. */
#include <stdlib.h>

#include "base/base.h"
#include "samite/symbolstat.h"

struct sam_symbolstat {
    struct sam_symbolstat_config config;
    enum sam_symbolstat_state state;
    uint32_t at; /* counter that CLEAR or DRAIN is at */
    bool overflow;
    bool ended; /* start has fallen during CLEAR */
    uint32_t counts[];
};

enum sam_status sam_symbolstat_new(const struct sam_symbolstat_config *c,
                                   struct sam_symbolstat **stat, struct sam_error *error)
{
    *stat = NULL;
    if (c->sym_width - 1 >= 16)
        return sam_fail(error, SAM_ERR_USAGE, "sym-width %u: expected 1 to 16", c->sym_width);
    if (c->wt_width - 1 >= 32)
        return sam_fail(error, SAM_ERR_USAGE, "wt-width %u: expected 1 to 32", c->wt_width);
    if (c->depth - 1 >= 1u << c->sym_width)
        return sam_fail(error, SAM_ERR_USAGE, "depth %u: expected 1 to %u, what %u bits can say",
                        c->depth, 1u << c->sym_width, c->sym_width);
    struct sam_symbolstat *s = sam_alloc(1, sizeof *s + c->depth * sizeof s->counts[0]);
    if (!s)
        return sam_fail_memory(error);
    s->config = *c;
    *stat = s;
    return SAM_OK;
}

void sam_symbolstat_free(struct sam_symbolstat *stat)
{
    free(stat);
}

static void enter(struct sam_symbolstat *s, enum sam_symbolstat_state state)
{
    s->state = state;
    s->at = 0;
}

static void clear_one(struct sam_symbolstat *s, bool start)
{
    s->counts[s->at++] = 0;
    s->overflow = false;
    s->ended = s->ended || !start;
    if (s->at == s->config.depth)
        enter(s, s->ended ? SAM_SYMBOLSTAT_DRAIN : SAM_SYMBOLSTAT_COUNT);
}

/* A beat in the cycle in which start falls is not accepted: ready is low then. */
static void count_one(struct sam_symbolstat *s, const struct sam_symbolstat_in *in,
                      struct sam_symbolstat_out *out)
{
    const uint32_t symbol = in->data & ((1u << s->config.sym_width) - 1);
    const uint32_t largest = (uint32_t)((UINT64_C(1) << s->config.wt_width) - 1);
    if (!in->start) {
        enter(s, SAM_SYMBOLSTAT_DRAIN);
        return;
    }
    out->data_ready = true;
    if (!in->data_valid)
        return;
    if (symbol >= s->config.depth)
        out->bad_symbol = true;
    else if (s->counts[symbol] == largest)
        s->overflow = true;
    else
        s->counts[symbol]++;
}

static void drain_one(struct sam_symbolstat *s, bool ready, struct sam_symbolstat_out *out)
{
    out->freq_valid = true;
    out->freq = s->counts[s->at];
    if (!ready)
        return;
    s->at++;
    if (s->at == s->config.depth)
        enter(s, SAM_SYMBOLSTAT_DONE);
}

void sam_symbolstat_tick(struct sam_symbolstat *s, const struct sam_symbolstat_in *in,
                         struct sam_symbolstat_out *out)
{
    *out = (struct sam_symbolstat_out){
        .state = s->state,
        .done = s->state == SAM_SYMBOLSTAT_DONE,
        .busy = s->state >= SAM_SYMBOLSTAT_CLEAR && s->state <= SAM_SYMBOLSTAT_DRAIN,
    };
    if (in->flush) {
        memset(s->counts, 0, s->config.depth * sizeof s->counts[0]);
        s->overflow = false;
        enter(s, SAM_SYMBOLSTAT_IDLE);
        out->done = false;
        return;
    }
    switch (s->state) {
    case SAM_SYMBOLSTAT_IDLE:
        s->ended = false;
        if (in->start)
            enter(s, SAM_SYMBOLSTAT_CLEAR);
        break;
    case SAM_SYMBOLSTAT_CLEAR: clear_one(s, in->start); break;
    case SAM_SYMBOLSTAT_COUNT: count_one(s, in, out); break;
    case SAM_SYMBOLSTAT_DRAIN: drain_one(s, in->freq_ready, out); break;
    case SAM_SYMBOLSTAT_DONE: enter(s, SAM_SYMBOLSTAT_IDLE); break;
    }
    out->overflow = s->overflow;
}
