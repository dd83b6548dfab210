/* SPDX-License-Identifier: Apache-2.0 */
/* Records in time. A stage takes a part when the one before has finished with it and its own last
 * part has moved on; fetch and write ask for a line per cycle. The parts of a record follow those
 * of the one before without a gap, unless they may read what that one writes. */
#include "system/weight_time.h"

#include <stdlib.h>

enum { MOST_REQUESTS = 256 };

/* A block, a header, or one of the two passes over a block. */
struct part {
    uint64_t source, source_bytes;
    uint64_t destination, destination_bytes;
    uint64_t work[SYSTEM_WEIGHT_WORKS]; /* cycles, in this order */
    bool block;
    struct job *job;
};

/* From the first to the last byte of something; empty while high is 0. */
struct hull {
    uint64_t low, high;
};

struct job {
    struct job *next;
    uint64_t from; /* it may begin */
    uint64_t number;
    uint32_t operation;
    bool stream;
    bool running; /* parts of it may have entered */
    struct hull reads, writes;
    size_t count, taken,
        left; /* parts; those that have entered; those that have not been written */
    struct part parts[];
};

/* Fetch or write. */
struct mover {
    const struct part *part; /* NULL: free */
    uint64_t begun;
    uint64_t at, end; /* bytes still to be asked for */
    uint64_t done;    /* the last answer so far */
    unsigned count;
    uint64_t answers[MOST_REQUESTS]; /* that have not come */
};

struct system_weight_time {
    struct system_weight_config config;
    struct sam_clock *clock;
    struct sam_memtime_port port;
    unsigned number; /* of the port's units */
    unsigned unit;   /* of the clock's */
    struct system_weight_watch watch;
    struct job *first, **last; /* those that have not ended, in order */
    struct job *entering;      /* the last of them that runs; NULL: none does */
    uint64_t submitted, begun, ended;
    uint64_t shown; /* up to there the timeline shows records */
    struct mover fetch, write;
    const struct part *part; /* in work; NULL: none */
    uint64_t work_begun, work_end;
    uint64_t since;  /* accounted for up to there, */
    unsigned reason; /* and as this until the next tick, unless there is work */
    struct system_weight_figures figures;
};

static const struct sam_key keys[] = {
#define ROW(name, value, low, high, kind, meaning)                                                 \
    SAM_KEY(#name, value, low, high, struct system_weight_config, name, 1, SAM_KEY_##kind, meaning)
    ROW(table_cycles, 2048, 0, 1000000, NUMBER, "cycles per code to decode, and one per symbol"),
    ROW(symbols_cycle, 8, 1, 1024, NUMBER, "symbols decoded or encoded per cycle"),
    ROW(bits_cycle, 128, 1, 65536, NUMBER, "plain bits per cycle, beside the symbols"),
    ROW(count_symbols, 1, 1, 1024, NUMBER, "symbols counted per cycle"),
    ROW(code_cycles, 4096, 0, 1000000, NUMBER, "cycles to build a code"),
    ROW(sym_width, 8, 1, 8, NUMBER, "SymbolStat: bits of a symbol that reach the counters"),
    ROW(depth, 256, 1, 256, NUMBER, "SymbolStat: counters; larger symbols are not counted"),
    ROW(wt_width, 32, 1, 32, NUMBER, "SymbolStat: bits of a counter, which saturates"),
    ROW(requests, 32, 1, 256, NUMBER, "unanswered requests of fetches, and of writes"),
    ROW(stream, 1, 0, 1, SWITCH, "1: packed bytes do not stay in the L2"),
    ROW(raw, 0, 0, 1, SWITCH, "1: each decode is charged as a copy of its raw bytes"),
#undef ROW
};

struct sam_keys sam_system_weight_keys(struct system_weight_config *config)
{
    return (struct sam_keys){keys, SAM_COUNT(keys), config};
}

const char *sam_system_weight_cycle_name(unsigned cycle)
{
    static const char *const names[SYSTEM_WEIGHT_CYCLES] = {
        [SYSTEM_WEIGHT_TABLES] = "tables", [SYSTEM_WEIGHT_SYMBOLS] = "symbols",
        [SYSTEM_WEIGHT_PLAIN] = "plain",   [SYSTEM_WEIGHT_COUNT] = "count",
        [SYSTEM_WEIGHT_CODE] = "code",     [SYSTEM_WEIGHT_FETCH] = "fetch",
        [SYSTEM_WEIGHT_WRITE] = "write",   [SYSTEM_WEIGHT_EMPTY] = "empty",
    };
    return cycle < SYSTEM_WEIGHT_CYCLES ? names[cycle] : "?";
}

/* --------------------------------------------------------------------------------- parts */

static uint64_t divide(uint64_t number, uint32_t by)
{
    return number / by + (number % by != 0);
}

/* Coded symbols and plain bits of a block pass beside each other. */
static void add_symbols(struct system_weight_time *u, const struct sam_chunk_cost *cost,
                        struct part *part)
{
    const struct system_weight_config *c = &u->config;
    const uint64_t symbols = divide(cost->coded, c->symbols_cycle);
    const uint64_t bits = divide(cost->plain_bits, c->bits_cycle);
    u->figures.symbols += cost->coded;
    part->work[SYSTEM_WEIGHT_SYMBOLS] = symbols;
    part->work[SYSTEM_WEIGHT_PLAIN] = bits > symbols ? bits - symbols : 0;
}

static struct part part_of(const struct system_weight_block *b)
{
    return (struct part){.source = b->source,
                         .source_bytes = b->source_bytes,
                         .destination = b->destination,
                         .destination_bytes = b->destination_bytes,
                         .block = b->source_bytes && b->destination_bytes};
}

/* Bytes of a block's elements as they were before packing. */
static uint64_t raw_bytes(const struct system_weight_work *work,
                          const struct system_weight_block *b)
{
    return b->destination_bytes * sam_dtype_bits((enum sam_dtype)work->record.packed_type) /
           sam_dtype_bits((enum sam_dtype)work->record.output_type);
}

static void decode(struct system_weight_time *u, const struct system_weight_work *work,
                   struct job *job)
{
    const struct system_weight_config *c = &u->config;
    uint64_t raw = 0;
    job->stream = c->stream;
    for (size_t i = 0; i < work->count; i++) {
        const struct system_weight_block *b = &work->blocks[i];
        struct part *part = &job->parts[job->count++];
        const uint64_t size = raw_bytes(work, b);
        *part = part_of(b);
        u->figures.packed += b->source_bytes;
        u->figures.raw += size;
        if (c->raw) {
            part->source = work->record.source + raw;
            part->source_bytes = size;
            raw += size;
            continue;
        }
        if (b->cost.tables)
            part->work[SYSTEM_WEIGHT_TABLES] =
                (uint64_t)b->cost.tables * c->table_cycles + b->cost.code_symbols;
        add_symbols(u, &b->cost, part);
    }
}

/* A pass over the elements of blocks [from, to) that counts them. */
static void count_blocks(const struct system_weight_time *u, const struct system_weight_work *work,
                         size_t from, size_t to, struct job *job)
{
    for (size_t i = from; i < to; i++) {
        struct part *part = &job->parts[job->count++];
        *part = part_of(&work->blocks[i]);
        part->destination_bytes = 0;
        part->block = false;
        part->work[SYSTEM_WEIGHT_COUNT] = divide(work->blocks[i].counted, u->config.count_symbols) +
                                          (i == from ? u->config.depth : 0) +
                                          (i + 1 == to ? u->config.depth : 0);
    }
}

/* A chunk: its header, at `at`, and the blocks up to the next. Returns where that is. With counters
 * that were given there is one code for all chunks: *built. */
static size_t encode_chunk(struct system_weight_time *u, const struct system_weight_work *work,
                           size_t at, bool *built, struct job *job)
{
    size_t end = at + 1;
    uint64_t codes = 0;
    for (; end < work->count && work->blocks[end].source_bytes; end++)
        codes += work->blocks[end].cost.tables;
    if (!work->counted)
        count_blocks(u, work, at + 1, end, job);
    struct part *header = &job->parts[job->count++];
    *header = part_of(&work->blocks[at]);
    if (!work->counted || !*built)
        header->work[SYSTEM_WEIGHT_CODE] = codes * u->config.code_cycles;
    *built |= codes != 0;
    for (size_t i = at + 1; i < end; i++) {
        struct part *part = &job->parts[job->count++];
        *part = part_of(&work->blocks[i]);
        add_symbols(u, &work->blocks[i].cost, part);
    }
    return end;
}

static void encode(struct system_weight_time *u, const struct system_weight_work *work,
                   struct job *job)
{
    bool built = false;
    if (work->counted && work->count)
        job->parts[job->count++] = part_of(&work->blocks[0]);
    for (size_t i = work->counted; i < work->count;)
        i = encode_chunk(u, work, i, &built, job);
}

static void count(const struct system_weight_time *u, const struct system_weight_work *work,
                  struct job *job)
{
    size_t blocks = work->count;
    while (blocks && work->blocks[blocks - 1].destination_bytes) /* the counters */
        blocks--;
    count_blocks(u, work, 0, blocks, job);
    for (size_t i = blocks; i < work->count; i++)
        job->parts[job->count++] = part_of(&work->blocks[i]);
}

static void add_parts(struct system_weight_time *u, const struct system_weight_work *work,
                      struct job *job)
{
    switch (work->record.operation) {
    case SAM_WEIGHT_DECODE: decode(u, work, job); break;
    case SAM_WEIGHT_ENCODE: encode(u, work, job); break;
    default: count(u, work, job); break;
    }
    if (work->result_address)
        job->parts[job->count++] = (struct part){.destination = work->result_address,
                                                 .destination_bytes = sizeof work->result};
}

static void widen(struct hull *hull, uint64_t address, uint64_t bytes)
{
    if (bytes == 0)
        return;
    hull->low = hull->high == 0 || address < hull->low ? address : hull->low;
    hull->high = address + bytes > hull->high ? address + bytes : hull->high;
}

/* All parts are there. */
static void finish(struct job *job)
{
    job->left = job->count;
    for (size_t i = 0; i < job->count; i++) {
        struct part *part = &job->parts[i];
        part->job = job;
        widen(&job->reads, part->source, part->source_bytes);
        widen(&job->writes, part->destination, part->destination_bytes);
    }
}

/* -------------------------------------------------------------------------------- movers */

static void tell(const struct system_weight_time *u, const struct job *job,
                 enum system_weight_track track, uint64_t from, uint64_t to)
{
    const struct system_weight_span span = {track, job->operation, job->number, from, to};
    if (u->watch.span && to > from)
        u->watch.span(u->watch.context, &span);
}

static void take(struct mover *m, const struct part *part, uint64_t address, uint64_t bytes,
                 uint64_t now)
{
    m->part = part;
    m->begun = m->done = now;
    m->at = address;
    m->end = address + bytes;
}

/* Forget the answers that have come. */
static void receive(struct mover *m, uint64_t now)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < m->count; i++)
        if (m->answers[i] > now)
            m->answers[kept++] = m->answers[i];
    m->count = kept;
}

static bool has_moved(const struct mover *m, uint64_t now)
{
    return m->part && m->at == m->end && m->done <= now;
}

/* Ask for the next line; the next cycle in which something can happen. */
static uint64_t move(struct system_weight_time *u, struct mover *m, uint64_t now,
                     enum sam_memtime_kind kind)
{
    receive(m, now);
    if (!m->part || has_moved(m, now))
        return SAM_CLOCK_IDLE;
    if (m->at < m->end && m->count < u->config.requests) {
        const uint64_t line = (m->at | (SAM_MEMTIME_LINE - 1)) + 1;
        const uint32_t bytes = (uint32_t)((line < m->end ? line : m->end) - m->at);
        const uint64_t answer =
            u->port.request(u->port.context, u->number, now, m->at, bytes, kind);
        *(kind == SAM_MEMTIME_WRITE ? &u->figures.bytes.written : &u->figures.bytes.read) += bytes;
        m->at += bytes;
        m->done = answer > m->done ? answer : m->done;
        m->answers[m->count++] = answer;
    }
    if (m->at == m->end)
        return m->done > now ? m->done : now + 1;
    if (m->count < u->config.requests)
        return now + 1;
    uint64_t soonest = SAM_CLOCK_IDLE;
    for (unsigned i = 0; i < m->count; i++)
        soonest = m->answers[i] < soonest ? m->answers[i] : soonest;
    return soonest;
}

/* ------------------------------------------------------------------------------- accounts */

/* The cycles of the work from `since` to `now`, kind by kind. */
static void account_work(struct system_weight_time *u, uint64_t now)
{
    uint64_t from = u->work_begun;
    for (unsigned kind = 0; kind < SYSTEM_WEIGHT_WORKS; kind++) {
        const uint64_t to = from + u->part->work[kind];
        const uint64_t low = from > u->since ? from : u->since, high = to < now ? to : now;
        u->figures.cycles[kind] += high > low ? high - low : 0;
        from = to;
    }
}

static void account(struct system_weight_time *u, uint64_t now)
{
    if (u->since >= now)
        return;
    uint64_t from = u->since;
    if (u->part && u->work_end > from) {
        account_work(u, now);
        from = u->work_end < now ? u->work_end : now;
    }
    u->figures.cycles[u->reason] += now - from;
    u->since = now;
}

/* What the unit does while it does not work. */
static unsigned reason_of(const struct system_weight_time *u)
{
    if (u->part) /* what it has finished cannot move on */
        return SYSTEM_WEIGHT_WRITE;
    if (u->fetch.part)
        return SYSTEM_WEIGHT_FETCH;
    return u->write.part ? SYSTEM_WEIGHT_WRITE : SYSTEM_WEIGHT_EMPTY;
}

/* ----------------------------------------------------------------------------- the stages */

static bool leave_write(struct system_weight_time *u, uint64_t now)
{
    if (!has_moved(&u->write, now))
        return false;
    tell(u, u->write.part->job, SYSTEM_WEIGHT_WRITES, u->write.begun, now);
    u->figures.blocks += u->write.part->block;
    u->write.part->job->left--;
    u->write.part = NULL;
    return true;
}

static bool leave_work(struct system_weight_time *u, uint64_t now)
{
    if (!u->part || u->work_end > now || u->write.part)
        return false;
    tell(u, u->part->job, SYSTEM_WEIGHT_WORK, u->work_begun, u->work_end);
    take(&u->write, u->part, u->part->destination, u->part->destination_bytes, now);
    u->part = NULL;
    return true;
}

/* A header that is only read: it does not pass the other stages. */
static bool is_only_read(const struct part *part)
{
    uint64_t work = 0;
    for (unsigned kind = 0; kind < SYSTEM_WEIGHT_WORKS; kind++)
        work += part->work[kind];
    return work == 0 && part->destination_bytes == 0;
}

static bool leave_fetch(struct system_weight_time *u, uint64_t now)
{
    const bool leaves = u->fetch.part && is_only_read(u->fetch.part);
    if ((u->part && !leaves) || !has_moved(&u->fetch, now))
        return false;
    tell(u, u->fetch.part->job, SYSTEM_WEIGHT_FETCHES, u->fetch.begun, now);
    if (leaves) {
        u->fetch.part->job->left--;
        u->fetch.part = NULL;
        return true;
    }
    u->part = u->fetch.part;
    u->work_begun = u->work_end = now;
    for (unsigned kind = 0; kind < SYSTEM_WEIGHT_WORKS; kind++)
        u->work_end += u->part->work[kind];
    u->fetch.part = NULL;
    return true;
}

static bool meet(const struct hull *a, const struct hull *b)
{
    return a->low < b->high && b->low < a->high;
}

/* A record may read what one before it has still to write. */
static bool depends(const struct system_weight_time *u, const struct job *job)
{
    for (const struct job *before = u->first; before != job; before = before->next)
        if (meet(&before->writes, &job->reads))
            return true;
    return false;
}

/* The record whose parts enter next, or NULL; it may not have begun. */
static struct job *next_job(const struct system_weight_time *u)
{
    struct job *job = u->entering;
    return !job ? u->first : job->taken == job->count ? job->next : job;
}

/* The next part of a record enters, or a record without parts begins. */
static bool enter_fetch(struct system_weight_time *u, uint64_t now)
{
    struct job *job = next_job(u);
    if (!job || u->fetch.part)
        return false;
    if (!job->running) {
        if (job->from > now || depends(u, job))
            return false;
        job->running = true;
        u->entering = job;
        u->begun++;
        sam_clock_interrupt(u->clock); /* its place in the queue is free */
        if (u->first == job)
            u->shown = now;
    }
    if (job->taken < job->count) {
        const struct part *part = &job->parts[job->taken++];
        take(&u->fetch, part, part->source, part->source_bytes, now);
    }
    return true;
}

static bool end_record(struct system_weight_time *u, uint64_t now)
{
    struct job *job = u->first;
    if (!job || !job->running || job->left)
        return false;
    tell(u, job, SYSTEM_WEIGHT_RECORDS, u->shown, now);
    u->shown = now;
    u->ended++;
    sam_clock_interrupt(u->clock);
    u->figures.records++;
    u->first = job->next;
    u->last = u->first ? u->last : &u->first;
    u->entering = u->entering == job ? NULL : u->entering;
    free(job);
    return true;
}

static uint64_t tick(void *context, uint64_t now)
{
    struct system_weight_time *u = context;
    account(u, now);
    while (leave_write(u, now) || end_record(u, now) || leave_work(u, now) || leave_fetch(u, now) ||
           enter_fetch(u, now))
        ;
    const bool stream = u->fetch.part && u->fetch.part->job->stream;
    uint64_t next = move(u, &u->fetch, now, stream ? SAM_MEMTIME_READ_STREAM : SAM_MEMTIME_READ);
    const uint64_t written = move(u, &u->write, now, SAM_MEMTIME_WRITE);
    next = written < next ? written : next;
    if (u->part && u->work_end > now && u->work_end < next)
        next = u->work_end;
    const struct job *job = next_job(u);
    if (job && !job->running && job->from > now && job->from < next)
        next = job->from;
    u->reason = reason_of(u);
    return next;
}

/* ----------------------------------------------------------------------------------- life */

struct system_weight_time *sam_system_weight_time_new(const struct system_weight_config *config,
                                                      struct sam_clock *clock,
                                                      const struct sam_memtime_port *port,
                                                      unsigned number,
                                                      const struct system_weight_watch *watch)
{
    struct system_weight_time *u = sam_alloc(1, sizeof *u);
    if (!u)
        return NULL;
    u->config = *config;
    u->clock = clock;
    u->port = *port;
    u->number = number;
    if (watch)
        u->watch = *watch;
    u->last = &u->first;
    u->since = clock->now;
    u->reason = SYSTEM_WEIGHT_EMPTY;
    u->unit = sam_clock_join(clock, (struct sam_clock_unit){tick, u});
    return u;
}

void sam_system_weight_time_free(struct system_weight_time *u)
{
    if (!u)
        return;
    for (struct job *job = u->first, *next; job; job = next) {
        next = job->next;
        free(job);
    }
    free(u);
}

bool sam_system_weight_time_submit(struct system_weight_time *u,
                                   const struct system_weight_work *work, uint64_t from)
{
    /* at most both passes over each block, and the result */
    struct job *job = calloc(1, sizeof *job + (2 * work->count + 1) * sizeof job->parts[0]);
    if (!job)
        return false;
    job->from = from;
    job->number = u->submitted++;
    job->operation = work->record.operation;
    add_parts(u, work, job);
    finish(job);
    *u->last = job;
    u->last = &job->next;
    sam_clock_wake(u->clock, u->unit, from);
    return true;
}

unsigned sam_system_weight_time_waiting(const struct system_weight_time *u)
{
    return (unsigned)(u->submitted - u->begun);
}

uint64_t sam_system_weight_time_ended(const struct system_weight_time *u)
{
    return u->ended;
}

const struct system_weight_figures *sam_system_weight_time_figures(struct system_weight_time *u)
{
    account(u, u->clock->now);
    return &u->figures;
}
