/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/levels_ref.h"

#include <stdlib.h>

#include "test.h"

struct lref *lref_new(const struct sam_memtime_levels_config *c, const struct sam_memtime_map *map)
{
    struct lref *p = calloc(1, sizeof *p);
    assert_non_null(p);
    assert_in_range(c->l2_size / SAM_MEMTIME_LINE, 1, LREF_LINES);
    p->config = *c;
    p->map = *map;
    memcpy(p->width,
           (uint32_t[]){c->l1m_bytes, c->l0m_bytes, c->l2_bytes, c->dram_bytes, c->link_bytes},
           sizeof p->width);
    memcpy(p->latency,
           (uint32_t[]){c->l1m_latency, c->l0m_latency, c->l2_latency, c->dram_latency,
                        c->link_latency},
           sizeof p->latency);
    memset(p->stream_line, 0xff, sizeof p->stream_line);
    return p;
}

void lref_free(struct lref *p)
{
    free(p);
}

static struct lref_cycle *cycle_at(struct lref *p, unsigned bus, uint64_t cycle)
{
    assert_in_range(cycle, 0, LREF_CYCLES - 1);
    return &p->cycles[bus][cycle];
}

static uint64_t pass_bus(struct lref *p, unsigned bus, uint64_t now, uint32_t bytes, uint32_t late)
{
    uint64_t cycle = now > p->head[bus] ? now : p->head[bus];
    for (;; cycle++) {
        struct lref_cycle *c = cycle_at(p, bus, cycle);
        const uint32_t room = p->width[bus] - c->used;
        const uint32_t moved = bytes < room ? bytes : room;
        c->used += moved;
        if (moved)
            cycle_at(p, bus, cycle + late)->moves = true;
        bytes -= moved;
        if (bytes == 0)
            break;
    }
    p->head[bus] = cycle;
    return cycle + late;
}

static void wait_for(struct lref *p, unsigned bus, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i <= to; i++)
        cycle_at(p, bus, i)->waits = true;
    p->last = to + 1 > p->last ? to + 1 : p->last;
}

static void count(struct lref *p, unsigned unit, unsigned level, uint32_t bytes, bool write)
{
    *(write ? &p->unit[unit][level].written : &p->unit[unit][level].read) += bytes;
}

static uint64_t ask_memory(struct lref *p, unsigned unit, uint64_t now, uint64_t line, bool write)
{
    const bool far =
        64 * line >= p->config.link_base && 64 * line < p->config.link_base + p->config.link_size;
    const unsigned bus = far ? SAM_MEMTIME_LINK : SAM_MEMTIME_DRAM;
    const uint64_t at = pass_bus(p, bus, now, 64, p->latency[bus]);
    count(p, unit, bus, 64, write);
    wait_for(p, bus, now, at);
    return at;
}

/* The lines are in order of use, most recent last. */
static struct lref_line *find_line(struct lref *p, uint64_t line)
{
    for (unsigned i = 0; i < p->count; i++)
        if (p->lines[i].line == line)
            return &p->lines[i];
    return NULL;
}

static void use_line(struct lref *p, uint64_t line)
{
    struct lref_line *l = find_line(p, line), copy = *l;
    memmove(l, l + 1, (size_t)(p->lines + --p->count - l) * sizeof *l);
    p->lines[p->count++] = copy;
}

static void make_room(struct lref *p, uint64_t now, uint64_t line)
{
    const uint64_t sets = p->config.l2_size / 64 / p->config.l2_ways;
    unsigned same = 0, oldest = 0;
    for (unsigned i = p->count; i-- > 0;)
        if (p->lines[i].line % sets == line % sets) {
            same++;
            oldest = i;
        }
    if (same < p->config.l2_ways)
        return;
    const struct lref_line out = p->lines[oldest];
    memmove(&p->lines[oldest], &p->lines[oldest + 1], (p->count - oldest - 1) * sizeof out);
    p->count--;
    if (out.dirty) {
        p->dirty++;
        ask_memory(p, out.writer, now, out.line, true);
    }
}

/* Forget a line of which a unit has read a part. Returns when it was there; 0: it was none. */
static uint64_t take_part(struct lref *p, unsigned unit, uint64_t line)
{
    struct lref_part *const parts = p->parts[unit];
    for (unsigned i = 0; i < p->part_count[unit]; i++)
        if (parts[i].line == line) {
            const uint64_t ready = parts[i].ready;
            memmove(parts + i, parts + i + 1, (--p->part_count[unit] - i) * sizeof *parts);
            return ready;
        }
    return 0;
}

static uint64_t ask_l2(struct lref *p, unsigned unit, uint64_t now, uint64_t address,
                       uint32_t bytes, enum sam_memtime_kind kind)
{
    const uint64_t line = address / 64;
    const uint32_t cost = kind == SAM_MEMTIME_WRITE && bytes < 64 ? 128 : 64;
    const uint64_t turn = pass_bus(p, SAM_MEMTIME_L2, now, cost, 0);
    const uint64_t soonest = turn + p->config.l2_latency;
    struct lref_line *l = find_line(p, line);
    if (kind == SAM_MEMTIME_WRITE)
        for (unsigned i = 0; i < SAM_MEMTIME_UNITS; i++)
            if (p->stream_line[i] == line)
                p->stream_line[i] = UINT64_MAX;
    if (kind == SAM_MEMTIME_WRITE)
        for (unsigned i = 0; i < SAM_MEMTIME_UNITS; i++)
            take_part(p, i, line);
    if (kind == SAM_MEMTIME_READ_PART && !l) {
        const uint64_t kept = take_part(p, unit, line);
        const uint64_t ready =
            kept ? kept : ask_memory(p, unit, turn, line, false) + p->config.l2_latency;
        if (p->part_count[unit] == LREF_PARTS)
            memmove(p->parts[unit], p->parts[unit] + 1,
                    (size_t)--p->part_count[unit] * sizeof *p->parts[unit]);
        p->parts[unit][p->part_count[unit]++] = (struct lref_part){line, ready};
        return ready > soonest ? ready : soonest;
    }
    if (kind == SAM_MEMTIME_READ_STREAM && !l) {
        if (p->stream_line[unit] != line)
            p->stream_ready[unit] = ask_memory(p, unit, turn, line, false) + p->config.l2_latency;
        p->stream_line[unit] = line;
        return p->stream_ready[unit] > soonest ? p->stream_ready[unit] : soonest;
    }
    if (!l) {
        uint64_t ready = soonest;
        if (kind != SAM_MEMTIME_WRITE || bytes < 64)
            ready = ask_memory(p, unit, turn, line, false) + p->config.l2_latency;
        make_room(p, turn, line);
        p->lines[p->count++] = (struct lref_line){.line = line, .ready = ready};
    } else {
        use_line(p, line);
    }
    l = &p->lines[p->count - 1];
    if (kind == SAM_MEMTIME_WRITE) {
        l->dirty = true;
        l->writer = unit;
    }
    const uint64_t at = l->ready;
    p->count -= kind == SAM_MEMTIME_READ_STREAM && bytes == 64 && !l->dirty;
    return at > soonest ? at : soonest;
}

uint64_t lref_request(void *context, unsigned unit, uint64_t now, uint64_t address, uint32_t bytes,
                      enum sam_memtime_kind kind)
{
    struct lref *p = context;
    const struct sam_memtime_map *map = &p->map;
    unsigned level = SAM_MEMTIME_L2;
    if (address >= map->l1m_base && address < map->l1m_base + map->l1m_size)
        level = SAM_MEMTIME_L1M;
    if (address >= map->l0m_base && address < map->l0m_base + map->l0m_size)
        level = SAM_MEMTIME_L0M;
    count(p, unit, level, bytes, kind == SAM_MEMTIME_WRITE);
    const uint64_t at = level == SAM_MEMTIME_L2
                            ? ask_l2(p, unit, now, address, bytes, kind)
                            : pass_bus(p, level, now, bytes, 0) + p->latency[level];
    wait_for(p, level, now, at);
    return at;
}

void lref_compare(const struct lref *p, const struct sam_memtime_levels_figures *f)
{
    assert_int_equal(f->last, p->last);
    for (unsigned level = 0; level < SAM_MEMTIME_LEVELS; level++) {
        uint64_t busy = 0, waiting = 0;
        struct sam_memtime_traffic sum = {0, 0};
        for (uint64_t i = 0; i < p->last; i++) {
            busy += p->cycles[level][i].moves;
            waiting += p->cycles[level][i].waits && !p->cycles[level][i].moves;
        }
        assert_int_equal(f->level[level].busy, busy);
        assert_int_equal(f->level[level].waiting, waiting);
        for (unsigned unit = 0; unit < SAM_MEMTIME_UNITS; unit++) {
            assert_int_equal(f->unit[unit][level].read, p->unit[unit][level].read);
            assert_int_equal(f->unit[unit][level].written, p->unit[unit][level].written);
            sum.read += f->unit[unit][level].read;
            sum.written += f->unit[unit][level].written;
        }
        /* both sides of each link */
        assert_int_equal(f->level[level].bytes.read, sum.read);
        assert_int_equal(f->level[level].bytes.written, sum.written);
    }
    assert_int_equal(f->level[SAM_MEMTIME_L2].dirty, p->dirty);
    assert_int_equal(p->dirty * 64, f->level[SAM_MEMTIME_DRAM].bytes.written +
                                        f->level[SAM_MEMTIME_LINK].bytes.written);
}
