/* SPDX-License-Identifier: Apache-2.0 */
/* The memory levels of a system. Each serves requests in order of arrival: its data bus moves N
 * bytes per cycle, and a reply comes a fixed latency after its data. */
#include "memtime/memtime.h"

#include <stdlib.h>

/* The data bus of a level. */
struct bus {
    uint32_t bytes, latency;
    uint64_t position; /* end of the reserved bytes: cycle * bytes per cycle + byte */
    uint64_t busy_to;  /* ends of the accounted busy cycles, of those with a reply outstanding */
    uint64_t known_to;
    uint64_t known; /* cycles busy or waiting */
};

/* State of an L2 line, besides its tag. */
struct resident {
    uint64_t ready; /* arrival of its data */
    uint8_t writer; /* the last unit to write it */
};

/* A line that a unit read as a stream, which the L2 does not keep. */
enum { PARTS = 32 };
struct passing {
    uint64_t line; /* + 1; 0: none */
    uint64_t ready;
};

struct sam_memtime_levels {
    struct sam_memtime_levels_config config;
    struct sam_memtime_map map;
    struct sam_memtime_watch watch;
    struct sam_memtime_levels_figures figures;
    uint64_t arrived; /* of the last request; later ones do not come before it */
    struct bus bus[SAM_MEMTIME_LEVELS];
    struct sam_memtime_tags tags;
    struct resident *residents;                    /* per tag */
    struct passing passing[SAM_MEMTIME_UNITS];     /* the last line */
    struct passing part[SAM_MEMTIME_UNITS][PARTS]; /* of which parts were read, the newest first */
    bool has_parts[SAM_MEMTIME_UNITS];
};

/* -------------------------------------------------------------------------- configuration */

static const struct sam_key keys[] = {
#define ROW(name, value, low, high, kind, meaning)                                                 \
    SAM_KEY(#name, value, low, high, struct sam_memtime_levels_config, name, 1, SAM_KEY_##kind,    \
            meaning)
    ROW(l1m_bytes, 64, 1, 4096, NUMBER, "bytes per cycle of L1M, for all units together"),
    ROW(l0m_bytes, 64, 1, 4096, NUMBER, "the same of L0M"),
    ROW(l1m_latency, 4, 1, 10000, NUMBER, "cycles from a request to L1M to its answer"),
    ROW(l0m_latency, 4, 1, 10000, NUMBER, "the same of L0M"),
    ROW(l2_size, 1048576, 64, 268435456, POWER, "bytes of the L2"),
    ROW(l2_ways, 16, 1, 64, POWER, "ways of the L2, of lines of 64 bytes"),
    ROW(l2_latency, 20, 1, 10000, NUMBER, "cycles from a request to the L2 to the answer of a hit"),
    ROW(l2_bytes, 64, 1, 4096, NUMBER, "bytes per cycle of the L2; each access takes a line"),
    ROW(dram_latency, 100, 1, 100000, NUMBER, "cycles from a request to DRAM to its first data"),
    ROW(dram_bytes, 16, 1, 4096, NUMBER, "bytes per cycle of DRAM, for all units together"),
    ROW(link_latency, 100, 1, 100000, NUMBER, "cycles from a request over the link to its data"),
    ROW(link_bytes, 16, 1, 4096, NUMBER, "bytes per cycle of the link"),
#undef ROW
    {{"link_base", "0", "an address", 0, 0, "DRAM from here on is behind the link"},
     offsetof(struct sam_memtime_levels_config, link_base),
     1,
     SAM_KEY_WIDE},
    {{"link_size", "0", "64 bits", 0, 0, "its size in bytes; 0: the link is not used"},
     offsetof(struct sam_memtime_levels_config, link_size),
     1,
     SAM_KEY_WIDE},
};

struct sam_keys sam_memtime_keys(struct sam_memtime_levels_config *config)
{
    return (struct sam_keys){keys, SAM_COUNT(keys), config};
}

enum sam_status sam_memtime_levels_check(const struct sam_memtime_levels_config *config,
                                         struct sam_error *error)
{
    struct sam_memtime_levels_config copy = *config;
    const struct sam_keys table = sam_memtime_keys(&copy);
    const enum sam_status status = sam_keys_check(&table, error);
    if (status != SAM_OK)
        return status;
    if (config->l2_size < config->l2_ways * SAM_MEMTIME_LINE)
        return sam_fail(error, SAM_ERR_USAGE,
                        "l2_size=%u, l2_ways=%u: expected a line of %d bytes per way",
                        config->l2_size, config->l2_ways, SAM_MEMTIME_LINE);
    return SAM_OK;
}

const char *sam_memtime_level_name(enum sam_memtime_level level)
{
    static const char *const names[SAM_MEMTIME_LEVELS] = {
        [SAM_MEMTIME_L1M] = "L1M",   [SAM_MEMTIME_L0M] = "L0M",   [SAM_MEMTIME_L2] = "L2",
        [SAM_MEMTIME_DRAM] = "DRAM", [SAM_MEMTIME_LINK] = "link",
    };
    return names[level];
}

/* ---------------------------------------------------------------------------------- new, free */

struct sam_memtime_levels *sam_memtime_levels_new(const struct sam_memtime_levels_config *c,
                                                  const struct sam_memtime_map *map,
                                                  const struct sam_memtime_watch *watch)
{
    struct sam_memtime_levels *m = sam_alloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->config = *c;
    m->map = *map;
    if (watch)
        m->watch = *watch;
    m->bus[SAM_MEMTIME_L1M] = (struct bus){.bytes = c->l1m_bytes, .latency = c->l1m_latency};
    m->bus[SAM_MEMTIME_L0M] = (struct bus){.bytes = c->l0m_bytes, .latency = c->l0m_latency};
    m->bus[SAM_MEMTIME_L2] = (struct bus){.bytes = c->l2_bytes, .latency = c->l2_latency};
    m->bus[SAM_MEMTIME_DRAM] = (struct bus){.bytes = c->dram_bytes, .latency = c->dram_latency};
    m->bus[SAM_MEMTIME_LINK] = (struct bus){.bytes = c->link_bytes, .latency = c->link_latency};
    const uint32_t lines = c->l2_size / SAM_MEMTIME_LINE;
    m->residents = sam_alloc(lines, sizeof *m->residents);
    if (m->residents && sam_memtime_tags_init(&m->tags, lines / c->l2_ways, c->l2_ways))
        return m;
    sam_memtime_levels_free(m);
    return NULL;
}

void sam_memtime_levels_free(struct sam_memtime_levels *m)
{
    if (!m)
        return;
    sam_memtime_tags_free(&m->tags);
    free(m->residents);
    free(m);
}

const struct sam_memtime_levels_figures *
sam_memtime_levels_figures(const struct sam_memtime_levels *m)
{
    return &m->figures;
}

/* --------------------------------------------------------------------------------- a bus */

struct access {
    unsigned unit;
    uint64_t address;
    uint32_t bytes;
    bool write, stream, part;
};

static void count_bytes(struct sam_memtime_traffic *traffic, bool write, uint32_t bytes)
{
    *(write ? &traffic->written : &traffic->read) += bytes;
}

/* The cycles of [from, to) after *end, the end of the counted ones, which advances. */
static uint64_t uncounted(uint64_t from, uint64_t to, uint64_t *end)
{
    from = from > *end ? from : *end;
    if (from >= to)
        return 0;
    *end = to;
    return to - from;
}

/* Account for a request of cycle `now` with its reply in cycle `at`. */
static void answer(struct sam_memtime_levels *m, enum sam_memtime_level level, uint64_t now,
                   uint64_t at)
{
    struct bus *b = &m->bus[level];
    struct sam_memtime_level_figures *f = &m->figures.level[level];
    b->known += uncounted(now, at + 1, &b->known_to);
    f->waiting = b->known - f->busy;
    m->figures.last = at + 1 > m->figures.last ? at + 1 : m->figures.last;
}

/* Transfer `amount` bytes for a request of cycle `now`, `late` cycles after the bus is free for
 * them. Returns the cycle of the last byte. */
static uint64_t pass(struct sam_memtime_levels *m, enum sam_memtime_level level, uint64_t now,
                     uint32_t amount, uint32_t late, const struct access *a)
{
    struct bus *b = &m->bus[level];
    struct sam_memtime_level_figures *f = &m->figures.level[level];
    const uint64_t start = now * b->bytes > b->position ? now * b->bytes : b->position;
    b->position = start + amount;
    const uint64_t from = start / b->bytes + late, to = (b->position - 1) / b->bytes + 1 + late;
    f->requests++;
    f->busy += uncounted(from, to, &b->busy_to);
    if (m->watch.transfer) {
        const struct sam_memtime_transfer t = {level, a->unit, a->write, a->bytes, from, to};
        m->watch.transfer(m->watch.context, &t);
    }
    return to - 1;
}

/* --------------------------------------------------------------------------- on-chip memory */

static uint64_t reach(struct sam_memtime_levels *m, enum sam_memtime_level level, uint64_t now,
                      const struct access *a)
{
    const uint64_t at = pass(m, level, now, a->bytes, 0, a) + m->bus[level].latency;
    count_bytes(&m->figures.level[level].bytes, a->write, a->bytes);
    answer(m, level, now, at);
    return at;
}

/* ------------------------------------------------------------------------- below the L2 */

/* Move a line between the L2 and DRAM or link, for a request that leaves the L2 in cycle `now`.
 * Returns the cycle of its last data. */
static uint64_t move_line(struct sam_memtime_levels *m, uint64_t now, uint64_t line, unsigned unit,
                          bool write)
{
    const struct access a = {.unit = unit, .bytes = SAM_MEMTIME_LINE, .write = write};
    const uint64_t address = line * SAM_MEMTIME_LINE;
    const bool far = address - m->config.link_base < m->config.link_size;
    const enum sam_memtime_level level = far ? SAM_MEMTIME_LINK : SAM_MEMTIME_DRAM;
    const uint64_t last = pass(m, level, now, SAM_MEMTIME_LINE, m->bus[level].latency, &a);
    count_bytes(&m->figures.level[level].bytes, write, SAM_MEMTIME_LINE);
    count_bytes(&m->figures.unit[unit][level], write, SAM_MEMTIME_LINE);
    answer(m, level, now, last);
    return last;
}

static struct resident *resident_of(const struct sam_memtime_levels *m,
                                    const struct sam_memtime_tag *tag)
{
    return &m->residents[tag - m->tags.tags];
}

/* Allocate an absent line; a dirty victim is written back. */
static struct sam_memtime_tag *place(struct sam_memtime_levels *m, uint64_t now, uint64_t line)
{
    struct sam_memtime_level_figures *f = &m->figures.level[SAM_MEMTIME_L2];
    struct sam_memtime_tag victim;
    struct sam_memtime_tag *tag = sam_memtime_tags_fill(&m->tags, line, &victim);
    f->evicted += victim.line != 0;
    if (victim.line && victim.dirty) {
        f->dirty++;
        move_line(m, now, victim.line - 1, resident_of(m, tag)->writer, true);
    }
    return tag;
}

/* A stream read that misses. */
static uint64_t pass_through(struct sam_memtime_levels *m, uint64_t turn, uint64_t line,
                             const struct access *a)
{
    struct sam_memtime_level_figures *f = &m->figures.level[SAM_MEMTIME_L2];
    struct passing *const lines = a->part ? m->part[a->unit] : &m->passing[a->unit];
    const unsigned most = a->part ? PARTS : 1;
    const uint64_t soonest = turn + m->config.l2_latency;
    unsigned at = 0;
    while (at + 1 < most && lines[at].line != line + 1)
        at++;
    struct passing passing = lines[at];
    const bool hit = passing.line == line + 1;
    *(hit ? &f->hits : &f->misses) += 1;
    if (!hit)
        passing = (struct passing){line + 1,
                                   move_line(m, turn, line, a->unit, false) + m->config.l2_latency};
    memmove(lines + 1, lines, at * sizeof *lines);
    lines[0] = passing;
    m->has_parts[a->unit] |= a->part;
    return passing.ready > soonest ? passing.ready : soonest;
}

/* An access that the L2 serves in cycle `turn`. Returns the cycle of the reply. */
static uint64_t look_up(struct sam_memtime_levels *m, uint64_t turn, const struct access *a)
{
    struct sam_memtime_level_figures *f = &m->figures.level[SAM_MEMTIME_L2];
    const uint64_t line = a->address / SAM_MEMTIME_LINE;
    const uint64_t soonest = turn + m->config.l2_latency;
    const bool whole = a->write && a->bytes == SAM_MEMTIME_LINE;
    if ((a->stream || a->part) && !sam_memtime_tags_at(&m->tags, line))
        return pass_through(m, turn, line, a);
    struct sam_memtime_tag *tag = sam_memtime_tags_find(&m->tags, line);
    *(tag ? &f->hits : &f->misses) += 1;
    if (!tag) {
        uint64_t ready = soonest;
        if (!whole) /* the fetch precedes the write-back of the victim */
            ready = move_line(m, turn, line, a->unit, false) + m->config.l2_latency;
        tag = place(m, turn, line);
        *resident_of(m, tag) = (struct resident){.ready = ready};
    }
    struct resident *r = resident_of(m, tag);
    if (a->write) {
        tag->dirty = true;
        r->writer = (uint8_t)a->unit;
    }
    const uint64_t ready = r->ready;
    if (a->stream && a->bytes == SAM_MEMTIME_LINE && !tag->dirty)
        sam_memtime_tags_remove(tag);
    return ready > soonest ? ready : soonest;
}

/* A write to a line invalidates the parts of it that units have read. */
static void drop_passing(struct sam_memtime_levels *m, unsigned unit, uint64_t line)
{
    struct passing *const parts = m->part[unit];
    if (m->passing[unit].line == line + 1)
        m->passing[unit].line = 0;
    for (unsigned i = 0; m->has_parts[unit] && i < PARTS; i++)
        if (parts[i].line == line + 1) {
            memmove(parts + i, parts + i + 1, (PARTS - 1 - i) * sizeof *parts);
            parts[PARTS - 1] = (struct passing){0};
        }
}

static uint64_t reach_l2(struct sam_memtime_levels *m, uint64_t now, const struct access *a)
{
    struct sam_memtime_level_figures *f = &m->figures.level[SAM_MEMTIME_L2];
    const bool partial = a->write && a->bytes < SAM_MEMTIME_LINE;
    f->partial += partial;
    for (unsigned i = 0; a->write && i < SAM_MEMTIME_UNITS; i++)
        drop_passing(m, i, a->address / SAM_MEMTIME_LINE);
    const uint64_t turn =
        pass(m, SAM_MEMTIME_L2, now, partial ? 2 * SAM_MEMTIME_LINE : SAM_MEMTIME_LINE, 0, a);
    count_bytes(&f->bytes, a->write, a->bytes);
    const uint64_t at = look_up(m, turn, a);
    answer(m, SAM_MEMTIME_L2, now, at);
    return at;
}

/* ------------------------------------------------------------------------------- the port */

static uint64_t request(void *context, unsigned unit, uint64_t now, uint64_t address,
                        uint32_t bytes, enum sam_memtime_kind kind)
{
    struct sam_memtime_levels *m = context;
    const struct access a = {.unit = unit,
                             .address = address,
                             .bytes = bytes,
                             .write = kind == SAM_MEMTIME_WRITE,
                             .stream = kind == SAM_MEMTIME_READ_STREAM,
                             .part = kind == SAM_MEMTIME_READ_PART};
    enum sam_memtime_level level = SAM_MEMTIME_L2;
    if (address - m->map.l1m_base < m->map.l1m_size)
        level = SAM_MEMTIME_L1M;
    else if (address - m->map.l0m_base < m->map.l0m_size)
        level = SAM_MEMTIME_L0M;
    m->arrived = now > m->arrived ? now : m->arrived;
    count_bytes(&m->figures.unit[unit][level], a.write, bytes);
    return level == SAM_MEMTIME_L2 ? reach_l2(m, m->arrived, &a) : reach(m, level, m->arrived, &a);
}

struct sam_memtime_port sam_memtime_levels_port(struct sam_memtime_levels *m)
{
    return (struct sam_memtime_port){request, m};
}
