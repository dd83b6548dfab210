/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/matrix_time_ref.h"

#include <stdlib.h>

#include "test.h"

#define NEVER UINT64_MAX

/* ------------------------------------------------------------------------------------ uops */

static struct mref_uop *add_uop(struct mref_insn *insn)
{
    assert_in_range(insn->count, 0, MREF_UOPS - 1);
    return &insn->uops[insn->count++];
}

/* Whether bytes from `at` on begin or end within an element of the mask. */
static bool is_cut(const struct mref *m, uint64_t at, unsigned size)
{
    const unsigned element = m->config.elewidth / 8;
    return at % element != 0 || (at + size) % element != 0;
}

static void split_row(const struct mref *m, struct mref_insn *insn, unsigned row)
{
    const struct sam_matrix_work *w = &insn->work;
    const unsigned rows = m->config.mlen / 32, width = m->config.mlen / 8;
    const unsigned used = row < w->m ? w->bytes : 0;
    struct mref_uop *uop = NULL;
    unsigned begin = 0;
    for (unsigned k = 0; k < used; k++) {
        const uint64_t address = w->base + row * w->stride + k;
        if (!uop || address % 64 == 0) {
            uop = add_uop(insn);
            *uop =
                (struct mref_uop){.first = address, .reg = w->md + row / rows, .answered = NEVER};
            begin = k;
        }
        uop->beats += uop->size == 0 || address % 16 == 0;
        uop->size++;
        uop->cut = is_cut(m, uop->first, uop->size) || is_cut(m, begin, uop->size);
    }
    if (w->kind == SAM_M_KIND_LOAD && used < width) {
        uop = add_uop(insn);
        *uop = (struct mref_uop){.size = width - used,
                                 .reg = w->md + row / rows,
                                 .clears = true,
                                 .cut = is_cut(m, used, width - used),
                                 .answered = 0};
    }
}

static unsigned block_of(const struct mref *m, const struct sam_matrix_work *w, unsigned row,
                         unsigned column)
{
    const unsigned columns = m->config.mlen / w->type->target, reg = w->md + column / columns;
    unsigned across = columns / m->config.rows_n_block;
    if (across == 0)
        across = 1;
    return reg * MREF_BLOCKS + row / m->config.rows_m_block * across +
           column % columns / m->config.rows_n_block;
}

static void split_product(const struct mref *m, struct mref_insn *insn)
{
    const struct sam_matrix_work *w = &insn->work;
    const unsigned columns = m->config.mlen / w->type->target;
    for (unsigned row = 0; row < w->m; row += m->config.step_m)
        for (unsigned n = 0; n < w->n; n += m->config.npara) {
            struct mref_uop *uop = add_uop(insn);
            *uop = (struct mref_uop){.block = {block_of(m, w, row, n)}, .blocks = 1};
            for (unsigned k = n + 1; k < n + m->config.npara && k < w->n; k++)
                if (k % columns == 0)
                    uop->block[uop->blocks++] = block_of(m, w, row, k);
        }
}

static unsigned set_of(unsigned reg, unsigned count)
{
    unsigned set = 0;
    while (count--)
        set |= 1u << (reg + count);
    return set;
}

static void prepare(const struct mref *m, struct mref_insn *insn, const struct sam_matrix_work *w)
{
    insn->work = *w;
    insn->released = insn->done = NEVER;
    insn->reads = (w->reads_1 ? set_of(w->ms1, 1) : 0) |
                  (w->reads_2 ? set_of(w->ms2, w->source_registers) : 0);
    *(w->kind == SAM_M_KIND_STORE ? &insn->reads : &insn->writes) |= set_of(w->md, w->registers);
    const unsigned rows = m->config.mlen / 32;
    if (w->kind == SAM_M_KIND_CONFIG)
        return;
    if (w->kind == SAM_M_KIND_MMA)
        split_product(m, insn);
    else if (w->kind == SAM_M_KIND_POINTWISE)
        for (unsigned row = 0; row < rows; row++)
            *add_uop(insn) = (struct mref_uop){0};
    else
        for (unsigned row = w->first; row < (w->end ? w->end : w->registers * rows); row++)
            split_row(m, insn, row);
}

/* ----------------------------------------------------------------------------------- slots */

static bool is_used(const struct mref *m, unsigned i)
{
    const struct mref_insn *insn = &m->insns[i];
    return insn->accepted && insn->from <= m->cycles && !insn->over;
}

/* At the start of a cycle: free slots, then grant registers. */
static void grant(struct mref *m)
{
    for (unsigned i = 0; i < m->accepted; i++)
        m->insns[i].over |= m->insns[i].done <= m->cycles;
    for (unsigned i = 0; i < m->accepted; i++) {
        struct mref_insn *insn = &m->insns[i];
        if (!is_used(m, i) || insn->granted)
            continue;
        insn->granted = true;
        for (unsigned k = 0; k < i; k++) {
            const struct mref_insn *older = &m->insns[k];
            const bool products =
                insn->work.kind == SAM_M_KIND_MMA && older->work.kind == SAM_M_KIND_MMA;
            if (!is_used(m, k))
                continue;
            if ((insn->reads & older->writes) ||
                (m->cycles < older->released && (insn->writes & older->reads)) ||
                (!products && (insn->writes & older->writes)))
                insn->granted = false;
        }
    }
}

static unsigned slots_used(const struct mref *m)
{
    unsigned used = 0;
    for (unsigned i = 0; i < m->accepted; i++)
        used += is_used(m, i);
    return used;
}

/* The next instruction of a kind to issue: products in order, otherwise one that holds its
 * registers if possible. -1: none. */
static int next_of(const struct mref *m, enum sam_m_kind kind)
{
    int waits = -1;
    for (unsigned i = 0; i < m->accepted; i++) {
        const struct mref_insn *insn = &m->insns[i];
        if (!is_used(m, i) || insn->work.kind != kind || insn->issued == insn->count)
            continue;
        if (insn->granted || kind == SAM_M_KIND_MMA)
            return (int)i;
        waits = waits < 0 ? (int)i : waits;
    }
    return waits;
}

static void note_issue(struct mref *m, struct mref_insn *insn)
{
    if (++insn->issued == insn->count)
        insn->released = m->cycles + 1;
}

/* The write of the last uop frees the slot in the next cycle. */
static void note_written(struct mref_insn *insn, uint64_t written)
{
    insn->written++;
    if (insn->written == insn->count)
        insn->done = written + 1;
}

/* --------------------------------------------------------------------------------- channels */

static uint64_t ask(const struct mref *m, const struct mref_insn *insn, const struct mref_uop *uop)
{
    const bool store = insn->work.kind == SAM_M_KIND_STORE;
    return m->outside.memory->request(m->outside.memory->context, m->outside.port, m->cycles,
                                      uop->first, uop->size,
                                      store               ? SAM_MEMTIME_WRITE
                                      : insn->work.stream ? SAM_MEMTIME_READ_STREAM
                                                          : SAM_MEMTIME_READ);
}

static uint64_t latency(const struct mref *m)
{
    return m->config.mem_latency > m->config.beat_cycles ? m->config.mem_latency
                                                         : m->config.beat_cycles;
}

static void remove_first(struct mref_request *of, unsigned *count)
{
    memmove(of, of + 1, --*count * sizeof *of);
}

static enum sam_mxu_state read_channel(struct mref *m)
{
    struct mref_request *r = m->reads;
    if (m->read_count == 0)
        return SAM_MXU_EMPTY;
    if (m->cycles < m->next_read || m->cycles < r->ready)
        return SAM_MXU_MEMORY;
    m->next_read = m->cycles + m->config.beat_cycles;
    if (--r->beats == 0) {
        struct mref_insn *insn = &m->insns[r->insn];
        insn->uops[r->uop].answered = m->cycles;
        m->write_ports_next |= 1u << insn->uops[r->uop].reg;
        note_written(insn, m->cycles + 1);
        m->reads_freed++;
        remove_first(m->reads, &m->read_count);
    }
    return SAM_MXU_BUSY;
}

static void acknowledge(struct mref *m)
{
    const struct mref_request *r = m->writes;
    if (m->cycles < r->ready || r->ready == NEVER)
        return;
    struct mref_insn *insn = &m->insns[r->insn];
    insn->uops[r->uop].answered = m->cycles;
    note_written(insn, m->cycles);
    m->writes_freed++;
    remove_first(m->writes, &m->write_count);
}

static bool send_data(struct mref *m)
{
    struct mref_request *r = m->writes;
    while (r < m->writes + m->write_count && r->ready != NEVER)
        r++;
    if (r == m->writes + m->write_count || m->cycles < m->next_write)
        return false;
    m->next_write = m->cycles + m->config.beat_cycles;
    if (--r->beats == 0) {
        const struct mref_insn *insn = &m->insns[r->insn];
        const struct mref_uop *uop = &insn->uops[r->uop];
        const unsigned merge = m->outside.memory || uop->size == 64 ? 0 : m->config.merge_cycles;
        r->ready = m->outside.memory ? ask(m, insn, uop) : m->cycles + merge + latency(m);
        m->next_write += merge;
        if (merge)
            m->merged = m->next_write;
    }
    return true;
}

static enum sam_mxu_state write_channel(struct mref *m)
{
    if (m->write_count == 0)
        return SAM_MXU_EMPTY;
    acknowledge(m);
    if (send_data(m))
        return SAM_MXU_BUSY;
    const bool data = m->write_count && m->writes[m->write_count - 1].ready == NEVER;
    return data && m->cycles < m->merged ? SAM_MXU_MERGE : SAM_MXU_MEMORY;
}

/* ------------------------------------------------------------------------------ the pipes */

static void request_load(struct mref *m)
{
    struct mref_stage *s = &m->load;
    if (!s->full || m->cycles < s->from)
        return;
    struct mref_insn *insn = &m->insns[s->insn];
    const struct mref_uop *uop = &insn->uops[s->uop];
    if (uop->clears) {
        s->held = m->config.ports && (m->write_ports >> uop->reg & 1);
        if (s->held)
            return;
        note_written(insn, m->cycles);
    } else {
        if (m->read_count == m->config.ld_queue || m->read_count + m->reads_freed == 32)
            return;
        uint64_t ready = m->cycles + latency(m);
        if (m->outside.memory) {
            const uint64_t last = ask(m, insn, uop);
            const uint64_t others = (uint64_t)(uop->beats - 1) * m->config.beat_cycles;
            ready = last > m->cycles + others ? last - others : m->cycles + 1;
        }
        m->reads[m->read_count++] = (struct mref_request){s->insn, s->uop, uop->beats, ready};
    }
    s->full = false;
}

static void request_store(struct mref *m)
{
    struct mref_stage *s = &m->store;
    if (!s->full || m->cycles < s->from || m->write_count == m->config.st_queue ||
        m->write_count + m->writes_freed == 32)
        return;
    m->writes[m->write_count++] =
        (struct mref_request){s->insn, s->uop, m->insns[s->insn].uops[s->uop].beats, NEVER};
    s->full = false;
}

static bool waits_for_line(const struct mref *m, unsigned at)
{
    const struct mref_insn *insn = &m->insns[at];
    const struct mref_uop *uop = &insn->uops[insn->issued];
    const bool store = insn->work.kind == SAM_M_KIND_STORE;
    for (unsigned i = 0; i < at; i++) {
        const struct mref_insn *older = &m->insns[i];
        if (!is_used(m, i) || (older->work.kind != SAM_M_KIND_STORE &&
                               !(store && older->work.kind == SAM_M_KIND_LOAD)))
            continue;
        for (unsigned k = 0; k < older->count; k++)
            if (older->uops[k].answered == NEVER && older->uops[k].first / 64 == uop->first / 64)
                return true;
    }
    for (unsigned k = 0; store && k < insn->issued; k++) {
        const struct mref_uop *other = &insn->uops[k];
        if (other->answered == NEVER && other->first < uop->first + uop->size &&
            uop->first < other->first + other->size)
            return true;
    }
    return false;
}

static bool waits_outside(const struct mref *m, unsigned at)
{
    const struct mref_insn *insn = &m->insns[at];
    return m->outside.waits &&
           m->outside.waits(m->outside.context, at, &insn->uops[insn->issued], m->cycles);
}

static enum sam_mxu_state enter(struct mref *m, struct mref_stage *stage, unsigned at)
{
    struct mref_insn *insn = &m->insns[at];
    *stage = (struct mref_stage){.full = true,
                                 .insn = at,
                                 .uop = insn->issued,
                                 .from = m->cycles + (insn->uops[insn->issued].cut ? 2 : 1)};
    note_issue(m, insn);
    return SAM_MXU_BUSY;
}

static enum sam_mxu_state issue_load(struct mref *m)
{
    const int at = next_of(m, SAM_M_KIND_LOAD);
    const enum sam_mxu_state full = m->load.held ? SAM_MXU_PORT : SAM_MXU_PRESSURE;
    if (at < 0)
        return m->load.full ? full : SAM_MXU_EMPTY;
    const struct mref_insn *insn = &m->insns[at];
    if (!insn->granted)
        return SAM_MXU_REGISTER;
    if (!insn->uops[insn->issued].clears && waits_for_line(m, (unsigned)at))
        return SAM_MXU_LINE;
    if (!insn->uops[insn->issued].clears && waits_outside(m, (unsigned)at))
        return SAM_MXU_MEMORY;
    return m->load.full ? full : enter(m, &m->load, (unsigned)at);
}

static enum sam_mxu_state issue_store(struct mref *m)
{
    const int at = next_of(m, SAM_M_KIND_STORE);
    if (at < 0)
        return m->store.full ? SAM_MXU_PRESSURE : SAM_MXU_EMPTY;
    const struct mref_insn *insn = &m->insns[at];
    if (!insn->granted)
        return SAM_MXU_REGISTER;
    if (waits_for_line(m, (unsigned)at))
        return SAM_MXU_LINE;
    if (waits_outside(m, (unsigned)at))
        return SAM_MXU_MEMORY;
    if (m->store.full)
        return SAM_MXU_PRESSURE;
    if (m->config.ports && (m->read_ports >> insn->uops[insn->issued].reg & 1))
        return SAM_MXU_PORT;
    return enter(m, &m->store, (unsigned)at);
}

static enum sam_mxu_state issue_product(struct mref *m)
{
    const int at = next_of(m, SAM_M_KIND_MMA);
    if (at < 0)
        return SAM_MXU_EMPTY;
    struct mref_insn *insn = &m->insns[at];
    const struct mref_uop *uop = &insn->uops[insn->issued];
    if (!insn->granted)
        return SAM_MXU_REGISTER;
    for (unsigned i = 0; i < uop->blocks; i++)
        if (m->cycles < m->block_free[uop->block[i]])
            return SAM_MXU_BLOCK;
    for (unsigned i = 0; i < uop->blocks; i++)
        m->block_free[uop->block[i]] =
            m->cycles + m->config.acc_latency + (m->config.wb_bypass ? 0 : 1);
    note_issue(m, insn);
    note_written(insn, m->cycles + m->config.tree_stages + m->config.acc_latency);
    return SAM_MXU_BUSY;
}

static enum sam_mxu_state issue_row(struct mref *m)
{
    const int at = next_of(m, SAM_M_KIND_POINTWISE);
    if (at < 0)
        return SAM_MXU_EMPTY;
    struct mref_insn *insn = &m->insns[at];
    if (!insn->granted)
        return SAM_MXU_REGISTER;
    m->read_ports |= insn->reads;
    note_issue(m, insn);
    note_written(insn, m->cycles + 2);
    return SAM_MXU_BUSY;
}

/* ------------------------------------------------------------------------------- each cycle */

void mref_begin(struct mref *m)
{
    grant(m);
    m->read_ports = 0;
    m->write_ports = m->write_ports_next;
    m->write_ports_next = 0;
    m->reads_freed = m->writes_freed = 0;
    m->states[SAM_MXU_READ] = read_channel(m);
    request_load(m);
    request_store(m);
    m->states[SAM_MXU_WRITE] = write_channel(m);
    m->states[SAM_MXU_MMA] = issue_product(m);
    m->states[SAM_MXU_PW] = issue_row(m);
    m->states[SAM_MXU_LOAD] = issue_load(m);
    m->states[SAM_MXU_STORE] = issue_store(m);
    m->states[SAM_MXU_DSA] = SAM_MXU_EMPTY;
}

bool mref_offer(struct mref *m)
{
    struct mref_insn *insn = &m->insns[m->accepted];
    const bool sizes = insn->work.kind == SAM_M_KIND_CONFIG; /* they occupy no slot */
    m->states[SAM_MXU_DSA] = SAM_MXU_SLOTS;
    if (!sizes && slots_used(m) == m->config.slots)
        return false;
    m->states[SAM_MXU_DSA] = SAM_MXU_BUSY;
    insn->accepted = true;
    insn->over = sizes;
    insn->from = m->cycles + 1;
    m->accepted++;
    return true;
}

void mref_end(struct mref *m)
{
    for (unsigned unit = 0; unit < SAM_MXU_UNITS; unit++)
        m->buckets[unit][m->states[unit]]++;
    m->cycles++;
}

bool mref_is_idle(struct mref *m)
{
    grant(m);
    return slots_used(m) == 0;
}

struct mref *mref_new(const struct sam_mxu_config *config, const struct mref_outside *outside,
                      const struct sam_matrix_work *works, unsigned count)
{
    struct mref *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->config = *config;
    if (outside)
        m->outside = *outside;
    m->insns = calloc(count + 1, sizeof *m->insns);
    assert_non_null(m->insns);
    m->count = count;
    for (unsigned i = 0; i < count; i++)
        prepare(m, &m->insns[i], &works[i]);
    return m;
}

void mref_free(struct mref *m)
{
    free(m->insns);
    free(m);
}
