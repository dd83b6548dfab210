/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor/engines_ref.h"

#include <string.h>

#define NEVER UINT64_MAX

static bool same_bytes(const struct eref_insn *a, const struct eref_insn *b)
{
    for (size_t i = 0; i < EREF_MEMORY / 64; i++)
        if (a->touched[i] & b->touched[i])
            return true;
    return false;
}

/* Why `later` may not start (a scalar one: issue) in this cycle because of `earlier`: an enum
 * sam_engine_cycle, BUSY: it may. An instruction that has not started has its times at NEVER. */
static unsigned conflict(const struct eref_insn *earlier, const struct eref_insn *later,
                         uint64_t cycle)
{
    const bool here = later->tensor && earlier->engine == later->engine;
    if (!earlier->tensor)
        return SAM_ENGINE_BUSY;
    for (unsigned r = 1; r < 32; r++)
        if (earlier->writes[r] && later->reads[r] && earlier->done > cycle)
            return SAM_ENGINE_RAW;
    for (unsigned r = 1; r < 32; r++)
        if (earlier->writes[r] && later->writes[r] && !here && earlier->done > cycle)
            return SAM_ENGINE_WAW;
    for (unsigned r = 1; r < 32; r++)
        if (earlier->reads[r] && later->writes[r] && !here && earlier->release > cycle)
            return SAM_ENGINE_WAR;
    if ((earlier->store && later->load && earlier->done > cycle) ||
        (earlier->load && later->store && !here && earlier->release > cycle) ||
        (earlier->store && later->store && !here && earlier->done > cycle))
        if (same_bytes(earlier, later))
            return SAM_ENGINE_MEMORY;
    return SAM_ENGINE_BUSY;
}

/* The first reason, in the order of the enumeration, for which insns[at] may not go. */
static unsigned hindrance(const struct eref_insn *insns, size_t at, uint64_t cycle)
{
    unsigned found = SAM_ENGINE_BUSY;
    for (size_t i = 0; i < at; i++) {
        unsigned reason = conflict(&insns[i], &insns[at], cycle);
        if (reason != SAM_ENGINE_BUSY && (found == SAM_ENGINE_BUSY || reason < found))
            found = reason;
    }
    return found;
}

static uint64_t transfer(const struct eref_insn *insn, const struct sam_engines_config *c)
{
    uint64_t cycles = (uint64_t)insn->slices * c->slice_cycles;
    for (unsigned moved = 0; moved < insn->bytes; moved += c->bytes[insn->engine])
        cycles++;
    return cycles ? cycles : 1;
}

/* Start the first in the queue of `engine` if it may. */
static void tick_engine(struct eref_insn *insns, size_t issued, unsigned engine, uint64_t cycle,
                        const struct sam_engines_config *c)
{
    for (size_t i = 0; i < issued; i++) {
        struct eref_insn *insn = &insns[i];
        if (!insn->tensor || insn->engine != engine)
            continue;
        if (insn->start != NEVER && insn->release > cycle)
            return;
        if (insn->start != NEVER)
            continue;
        if (hindrance(insns, i, cycle) == SAM_ENGINE_BUSY) {
            insn->start = cycle;
            insn->release = cycle + transfer(insn, c);
            insn->done = insn->release + c->latency[engine];
            if (!c->pipelined)
                insn->release = insn->done;
        }
        return;
    }
}

static unsigned waiting(const struct eref_insn *insns, size_t issued, unsigned engine)
{
    unsigned count = 0;
    for (size_t i = 0; i < issued; i++)
        count += insns[i].tensor && insns[i].engine == engine && insns[i].start == NEVER;
    return count;
}

struct hart {
    size_t issued;
    uint64_t held; /* at work on a scalar instruction up to this cycle */
};

/* What the hart does in `cycle`. */
static unsigned tick_hart(struct eref_insn *insns, size_t count, struct hart *h, uint64_t cycle,
                          const struct sam_engines_config *c)
{
    unsigned kind = SAM_ISSUE_CYCLES;
    if (h->held > cycle)
        return SAM_ISSUE_SCALAR;
    for (unsigned slot = 0; slot < c->issue && h->issued < count; slot++) {
        struct eref_insn *next = &insns[h->issued];
        unsigned stall = SAM_ISSUE_CYCLES;
        if (next->tensor && waiting(insns, h->issued, next->engine) == c->queue[next->engine])
            stall = SAM_ISSUE_FULL + next->engine;
        else if (!next->tensor && hindrance(insns, h->issued, cycle) != SAM_ENGINE_BUSY)
            stall = SAM_ISSUE_MEMORY;
        if (stall != SAM_ISSUE_CYCLES)
            return kind == SAM_ISSUE_CYCLES ? stall : kind;
        next->issued = cycle;
        h->issued++;
        if (next->tensor) {
            kind = SAM_ISSUE_TENSOR;
        } else {
            kind = kind == SAM_ISSUE_TENSOR ? kind : SAM_ISSUE_SCALAR;
            if (c->scalar_cpi > 1) {
                h->held = cycle + c->scalar_cpi;
                return kind;
            }
        }
    }
    return kind == SAM_ISSUE_CYCLES ? SAM_ISSUE_DONE : kind;
}

/* What the engine did in `cycle`, when all times are known. */
static unsigned look_back(const struct eref_insn *insns, size_t count, unsigned engine,
                          uint64_t cycle, unsigned hart)
{
    bool underway = false;
    for (size_t i = 0; i < count; i++) {
        const struct eref_insn *insn = &insns[i];
        if (!insn->tensor || insn->engine != engine || insn->issued >= cycle)
            continue;
        if (insn->start <= cycle && cycle < insn->release)
            return SAM_ENGINE_BUSY;
        underway |= insn->release <= cycle && cycle < insn->done;
        if (insn->start > cycle) /* what held it up to the end */
            return hindrance(insns, i, insn->start - 1);
    }
    return underway                 ? SAM_ENGINE_LATENCY
           : hart == SAM_ISSUE_DONE ? SAM_ENGINE_DRAINED
           : hart >= SAM_ISSUE_FULL ? SAM_ENGINE_HART_STALLS
                                    : SAM_ENGINE_EMPTY;
}

static bool over(const struct eref_insn *insns, size_t count, const struct hart *h, uint64_t cycle)
{
    if (h->issued < count || h->held > cycle || (count && insns[count - 1].issued >= cycle))
        return false;
    for (size_t i = 0; i < count; i++)
        if (insns[i].tensor && insns[i].done > cycle)
            return false;
    return true;
}

static void count_queue(const struct eref_insn *insns, size_t count, unsigned engine,
                        uint64_t cycles, struct sam_engine_report *r)
{
    for (uint64_t t = 0; t < cycles; t++) {
        uint32_t inside = 0;
        for (size_t i = 0; i < count; i++)
            inside += insns[i].tensor && insns[i].engine == engine && insns[i].issued <= t &&
                      t < insns[i].start;
        r->queued += inside;
        r->queue_peak = inside > r->queue_peak ? inside : r->queue_peak;
    }
}

void eref_run(struct eref_insn *insns, size_t count, const struct sam_engines_config *c,
              struct sam_engines_report *report)
{
    enum { LONGEST = 1 << 16 };
    static uint8_t harts[LONGEST];
    struct hart h = {0};
    uint64_t t;
    *report = (struct sam_engines_report){.instructions = count};
    for (size_t i = 0; i < count; i++)
        insns[i].issued = insns[i].start = insns[i].release = insns[i].done = NEVER;
    for (t = 0; t < LONGEST && !over(insns, count, &h, t); t++) {
        for (unsigned engine = 0; engine < SAM_ENGINE_COUNT; engine++)
            tick_engine(insns, h.issued, engine, t, c);
        harts[t] = (uint8_t)tick_hart(insns, count, &h, t, c);
        report->issue[harts[t]]++;
    }
    report->cycles = t;
    for (unsigned engine = 0; engine < SAM_ENGINE_COUNT; engine++) {
        struct sam_engine_report *r = &report->engine[engine];
        for (t = 0; t < report->cycles; t++)
            r->cycles[look_back(insns, count, engine, t, harts[t])]++;
        for (size_t i = 0; i < count; i++)
            if (insns[i].tensor && insns[i].engine == engine) {
                r->instructions++;
                r->bytes += insns[i].bytes;
            }
        count_queue(insns, count, engine, report->cycles, r);
    }
}
