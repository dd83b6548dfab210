/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor/engines_ref.h"

#include "test.h"

#define NEVER UINT64_MAX

enum { UNANSWERED = 32, LINE = 64 };

/* The clock has reached `cycle`. */
struct machine {
    struct eref_insn *insns;
    size_t count, issued;
    size_t first; /* those before it are over */
    const struct sam_engines_config *config;
    const struct eref_outside *outside; /* NULL: none */
    uint64_t cycle;
    uint64_t held; /* the hart executes a scalar instruction up to this cycle */
    struct asked { /* unanswered requests of an engine */
        uint64_t answers[UNANSWERED];
        unsigned count;
        uint64_t done; /* of the last instruction: results arrive in order */
    } asked[SAM_ENGINE_COUNT];
};

/* The first instruction from `first` on that may matter in this cycle or later. */
static size_t skip_past(const struct eref_insn *insns, size_t first, size_t count, uint64_t cycle)
{
    while (first < count && insns[first].issued < cycle &&
           (!insns[first].tensor || (insns[first].done <= cycle && insns[first].read <= cycle)))
        first++;
    return first;
}

static bool meet(const uint64_t a[EREF_MEMORY / 64], const uint64_t b[EREF_MEMORY / 64])
{
    for (size_t i = 0; i < EREF_MEMORY / 64; i++)
        if (a[i] & b[i])
            return true;
    return false;
}

/* The reason why `later` may not start (or issue, for a scalar one) in this cycle because of
 * `earlier`: an enum sam_engine_cycle, or BUSY if it may. An instruction that has not started
 * has its times at NEVER. */
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
        (earlier->load && later->store && !here && earlier->read > cycle) ||
        (earlier->store && later->store && !here && earlier->done > cycle))
        if (meet(earlier->touched, later->touched))
            return SAM_ENGINE_MEMORY;
    if (later->control && earlier->store && earlier->done > cycle &&
        meet(earlier->touched, later->fetched))
        return SAM_ENGINE_MEMORY;
    return SAM_ENGINE_BUSY;
}

/* The first reason, in enumeration order, for which insns[at] may not start; those before
 * `first` have ended. */
static unsigned hindrance(const struct machine *m, size_t first, size_t at, uint64_t cycle)
{
    const struct eref_insn *insn = &m->insns[at];
    unsigned found = SAM_ENGINE_BUSY;
    for (size_t i = first; i < at; i++) {
        const unsigned reason = conflict(&m->insns[i], insn, cycle);
        if (reason != SAM_ENGINE_BUSY && (found == SAM_ENGINE_BUSY || reason < found))
            found = reason;
    }
    if (found == SAM_ENGINE_BUSY && m->outside && (insn->load || insn->store) &&
        m->outside->holds(m->outside->context, at, cycle))
        return SAM_ENGINE_MEMORY;
    return found;
}

static uint64_t transfer(const struct eref_insn *insn, const struct sam_engines_config *c)
{
    uint64_t cycles = (uint64_t)insn->slices * c->slice_cycles;
    for (unsigned moved = 0; moved < insn->bytes; moved += c->bytes[insn->engine])
        cycles++;
    return cycles ? cycles : 1;
}

/* ------------------------------------------------------------------------- shared memory */

static bool touches(const struct eref_insn *insn, unsigned byte)
{
    return byte < EREF_MEMORY && (insn->touched[byte / 64] >> byte % 64 & 1);
}

/* The number of contiguous bytes from `next` on within a line; *byte receives the first. */
static unsigned next_line(const struct machine *m, const struct eref_insn *insn, unsigned next,
                          unsigned *byte)
{
    while (next < EREF_MEMORY && !touches(insn, next))
        next++;
    *byte = next;
    if (next == EREF_MEMORY)
        return 0;
    const uint64_t address = m->outside->address(next);
    unsigned size = 1;
    while (touches(insn, next + size) && m->outside->address(next + size) == address + size &&
           (address + size) % LINE != 0)
        size++;
    return size;
}

static bool shares_memory(const struct machine *m, const struct eref_insn *insn)
{
    unsigned byte;
    return m->outside && (insn->load || insn->store) && next_line(m, insn, 0, &byte);
}

static void ask(struct machine *m, struct eref_insn *insn)
{
    const struct sam_memtime_port *memory = m->outside->memory;
    struct asked *asked = &m->asked[insn->engine];
    unsigned byte, size = next_line(m, insn, insn->next, &byte);
    const uint64_t answer =
        memory->request(memory->context, insn->engine, m->cycle, m->outside->address(byte), size,
                        insn->store ? SAM_MEMTIME_WRITE : SAM_MEMTIME_READ);
    asked->answers[asked->count++] = answer;
    insn->answer = answer > insn->answer ? answer : insn->answer;
    insn->next = byte + size;
    insn->sent++;
}

/* Requests are spread over the cycles of the transfer, which pauses while one has to wait. */
static void go_on(struct machine *m, struct eref_insn *insn)
{
    struct asked *asked = &m->asked[insn->engine];
    const uint64_t cycles = transfer(insn, m->config);
    unsigned open = 0;
    for (unsigned i = 0; i < asked->count; i++)
        if (asked->answers[i] > m->cycle)
            asked->answers[open++] = asked->answers[i];
    asked->count = open;
    for (; insn->sent < insn->lines && insn->sent * cycles / insn->lines == insn->passed;
         ask(m, insn))
        if (asked->count == UNANSWERED)
            return;
    if (insn->sent == insn->lines)
        insn->read = insn->answer + 1;
    if (++insn->passed < cycles)
        return;
    insn->release = m->cycle + 1;
    insn->done = insn->read > insn->release ? insn->read : insn->release;
    insn->done = insn->done > asked->done ? insn->done : asked->done;
    asked->done = insn->done;
    if (!m->config->pipelined)
        insn->release = insn->done;
}

static void begin(struct machine *m, struct eref_insn *insn)
{
    unsigned byte, size;
    insn->start = m->cycle;
    if (shares_memory(m, insn)) {
        for (unsigned at = 0; (size = next_line(m, insn, at, &byte)); at = byte + size)
            insn->lines++;
        return;
    }
    insn->release = m->cycle + transfer(insn, m->config);
    insn->done = insn->release + m->config->latency[insn->engine];
    if (insn->done < m->asked[insn->engine].done)
        insn->done = m->asked[insn->engine].done;
    m->asked[insn->engine].done = insn->done;
    if (!m->config->pipelined)
        insn->release = insn->done;
    insn->read = insn->release;
}

/* ---------------------------------------------------------------------------- each cycle */

/* Start the first instruction in the queue of `engine` if possible. */
static void tick_engine(struct machine *m, unsigned engine)
{
    for (size_t i = m->first; i < m->issued; i++) {
        struct eref_insn *insn = &m->insns[i];
        if (!insn->tensor || insn->engine != engine)
            continue;
        if (insn->start != NEVER && insn->release > m->cycle)
            return;
        if (insn->start != NEVER)
            continue;
        if (hindrance(m, m->first, i, m->cycle) == SAM_ENGINE_BUSY)
            begin(m, insn);
        return;
    }
}

static unsigned waiting(const struct machine *m, unsigned engine)
{
    unsigned count = 0;
    for (size_t i = m->first; i < m->issued; i++)
        count += m->insns[i].tensor && m->insns[i].engine == engine && m->insns[i].start == NEVER;
    return count;
}

/* The reason why the hart cannot issue this instruction; SAM_ISSUE_CYCLES: it can. */
static unsigned obstacle(const struct machine *m, const struct eref_insn *next)
{
    if (next->tensor && waiting(m, next->engine) == m->config->queue[next->engine])
        return SAM_ISSUE_FULL + next->engine;
    if (!next->tensor && hindrance(m, m->first, m->issued, m->cycle) != SAM_ENGINE_BUSY)
        return SAM_ISSUE_MEMORY;
    if (next->matrix && !m->outside->takes(m->outside->context))
        return SAM_ISSUE_SLOTS;
    if (next->control && !m->outside->may_access(m->outside->context, next))
        return SAM_ISSUE_CONTROL;
    return SAM_ISSUE_CYCLES;
}

/* The state of the hart in this cycle. */
static unsigned tick_hart(struct machine *m)
{
    unsigned kind = SAM_ISSUE_CYCLES;
    bool matrix = false; /* one of its instructions has been issued */
    if (m->held > m->cycle)
        return SAM_ISSUE_SCALAR;
    for (unsigned slot = 0; slot < m->config->issue && m->issued < m->count; slot++) {
        struct eref_insn *next = &m->insns[m->issued];
        if (next->matrix && matrix)
            return kind;
        const unsigned stall = obstacle(m, next);
        if (stall != SAM_ISSUE_CYCLES)
            return kind == SAM_ISSUE_CYCLES ? stall : kind;
        next->issued = m->cycle;
        m->issued++;
        if (next->control)
            m->outside->accessed(m->outside->context, next, m->cycle);
        const unsigned own = next->matrix   ? SAM_ISSUE_MATRIX
                             : next->tensor ? SAM_ISSUE_TENSOR
                                            : SAM_ISSUE_SCALAR;
        kind = kind == SAM_ISSUE_CYCLES || own > kind ? own : kind;
        matrix |= next->matrix;
        if (own == SAM_ISSUE_SCALAR) {
            if (m->config->scalar_cpi > 1) {
                m->held = m->cycle + m->config->scalar_cpi;
                return kind;
            }
        }
    }
    return kind == SAM_ISSUE_CYCLES ? SAM_ISSUE_DONE : kind;
}

static void tick(struct machine *m, uint8_t *hart)
{
    m->first = skip_past(m->insns, m->first, m->issued, m->cycle);
    if (m->outside)
        m->outside->begin(m->outside->context, m->cycle);
    for (unsigned engine = 0; engine < SAM_ENGINE_COUNT; engine++)
        tick_engine(m, engine);
    for (size_t i = m->first; i < m->issued; i++)
        if (m->insns[i].tensor && m->insns[i].start != NEVER && m->insns[i].release == NEVER)
            go_on(m, &m->insns[i]);
    *hart = (uint8_t)tick_hart(m);
    if (m->outside)
        m->outside->tick(m->outside->context, m->cycle);
}

static bool over(const struct machine *m)
{
    if (m->issued < m->count || m->held > m->cycle ||
        (m->count && m->insns[m->count - 1].issued >= m->cycle))
        return false;
    for (size_t i = m->first; i < m->count; i++)
        if (m->insns[i].tensor && m->insns[i].done > m->cycle)
            return false;
    return !m->outside || m->outside->over(m->outside->context, m->cycle);
}

/* ----------------------------------------------------------------------------- looking back */

/* The state of the engine in `cycle`, when all times are known. */
static unsigned look_back(const struct machine *m, size_t first, unsigned engine, uint64_t cycle,
                          unsigned hart)
{
    bool underway = false;
    for (size_t i = first; i < m->count; i++) {
        const struct eref_insn *insn = &m->insns[i];
        if (!insn->tensor || insn->engine != engine || insn->issued >= cycle)
            continue;
        if (insn->start <= cycle && cycle < insn->release)
            return SAM_ENGINE_BUSY;
        underway |= insn->release <= cycle && cycle < insn->done;
        if (insn->start > cycle) /* the last reason for waiting */
            return hindrance(m, first, i, insn->start - 1);
    }
    return underway                 ? SAM_ENGINE_LATENCY
           : hart == SAM_ISSUE_DONE ? SAM_ENGINE_DRAINED
           : hart >= SAM_ISSUE_FULL ? SAM_ENGINE_HART_STALLS
                                    : SAM_ENGINE_EMPTY;
}

static void count_queue(const struct eref_insn *insns, size_t count, unsigned engine,
                        uint64_t cycles, struct sam_engine_report *r)
{
    for (uint64_t t = 0, first = 0; t < cycles; t++) {
        uint32_t inside = 0;
        first = skip_past(insns, first, count, t);
        for (size_t i = first; i < count && insns[i].issued <= t; i++)
            inside += insns[i].tensor && insns[i].engine == engine && t < insns[i].start;
        r->queued += inside;
        r->queue_peak = inside > r->queue_peak ? inside : r->queue_peak;
    }
}

void eref_run(struct eref_insn *insns, size_t count, const struct sam_engines_config *c,
              const struct eref_outside *outside, struct sam_engines_report *report)
{
    enum { LONGEST = 1 << 18 };
    static uint8_t harts[LONGEST];
    struct machine m = {.insns = insns, .count = count, .config = c, .outside = outside};
    *report = (struct sam_engines_report){.instructions = count};
    for (size_t i = 0; i < count; i++)
        insns[i].issued = insns[i].start = insns[i].release = insns[i].done = insns[i].read = NEVER;
    for (; !over(&m); m.cycle++) {
        assert_true(m.cycle < LONGEST);
        tick(&m, &harts[m.cycle]);
        report->issue[harts[m.cycle]]++;
    }
    report->cycles = m.cycle;
    for (unsigned engine = 0; engine < SAM_ENGINE_COUNT; engine++) {
        struct sam_engine_report *r = &report->engine[engine];
        size_t first = 0;
        for (uint64_t t = 0; t < report->cycles; t++) {
            first = skip_past(insns, first, count, t);
            r->cycles[look_back(&m, first, engine, t, harts[t])]++;
        }
        for (size_t i = 0; i < count; i++)
            if (insns[i].tensor && insns[i].engine == engine) {
                r->instructions++;
                r->bytes += insns[i].bytes;
            }
        count_queue(insns, count, engine, report->cycles, r);
    }
}

void eref_compare(const struct sam_engines_report *a, const struct sam_engines_report *b)
{
    assert_int_equal(a->cycles, b->cycles);
    assert_int_equal(a->instructions, b->instructions);
    for (unsigned k = 0; k < SAM_ISSUE_CYCLES; k++)
        if (a->issue[k] != b->issue[k])
            fail_msg("hart, %s: %llu cycles; the reference: %llu", sam_issue_cycle_name(k),
                     (unsigned long long)a->issue[k], (unsigned long long)b->issue[k]);
    for (unsigned i = 0; i < SAM_ENGINE_COUNT; i++) {
        const struct sam_engine_report *x = &a->engine[i], *y = &b->engine[i];
        assert_int_equal(x->instructions, y->instructions);
        assert_int_equal(x->bytes, y->bytes);
        assert_int_equal(x->queued, y->queued);
        assert_int_equal(x->queue_peak, y->queue_peak);
        for (unsigned k = 0; k < SAM_ENGINE_CYCLES; k++)
            if (x->cycles[k] != y->cycles[k])
                fail_msg("%s, %s: %llu cycles; the reference: %llu", sam_engine_name(i),
                         sam_engine_cycle_name(k), (unsigned long long)x->cycles[k],
                         (unsigned long long)y->cycles[k]);
    }
}
