/* SPDX-License-Identifier: Apache-2.0 */
/* Timing of records of the weight unit: their parts in its pipeline. docs/decoder.md describes
 * the unit. */
#include "system/weight_time.h"

static const struct sam_key keys[] = {
#define ROW(name, value, low, high, kind, meaning)                                                 \
    SAM_KEY(#name, value, low, high, struct system_weight_config, name, 1, SAM_KEY_##kind, meaning)
    ROW(streams, 5, 1, 5, NUMBER, "decoding engines, each for one stream of a block"),
    ROW(symbols, 3, 1, 8, NUMBER, "symbols decoded per engine and cycle, or encoded per cycle"),
    ROW(table_ports, 4, 1, 64, NUMBER, "lengths of symbols that go into a table per cycle"),
    ROW(tables, 8, 0, 64, NUMBER, "tables of codes that are kept"),
    ROW(escapes, 4, 1, 64, NUMBER, "escapes of a window put in place per cycle"),
    ROW(lines, 64, 64, 1024, NUMBER, "lines of 64 bytes of the input buffer"),
    ROW(outputs, 16, 1, 1024, NUMBER, "lines of the output buffer"),
    ROW(heads, 16, 0, 64, NUMBER, "headers of chunks and heads of blocks that are kept"),
    ROW(requests, 32, 1, 256, NUMBER, "unanswered requests of fetches, and of writes"),
    ROW(count_symbols, 1, 1, 1024, NUMBER, "symbols counted per cycle"),
    ROW(code_items, 1, 1, 64, NUMBER, "items of package-merge per cycle when a code is built"),
    ROW(sym_width, 8, 1, 8, NUMBER, "SymbolStat: bits of a symbol that reach the counters"),
    ROW(depth, 256, 1, 256, NUMBER, "SymbolStat: counters; larger symbols are not counted"),
    ROW(wt_width, 32, 1, 32, NUMBER, "SymbolStat: bits of a counter, which saturates"),
    ROW(stream, 0, 0, 1, SWITCH, "1: lines of packed bytes do not stay in the L2"),
    ROW(raw, 0, 0, 1, SWITCH, "1: each decode is charged as a copy of its raw bytes"),
#undef ROW
};

struct sam_keys sam_system_weight_keys(struct system_weight_config *config)
{
    return (struct sam_keys){keys, SAM_COUNT(keys), config};
}

/* --------------------------------------------------------------------------------- helpers */

static uint64_t divide(uint64_t number, uint64_t by)
{
    return number / by + (number % by != 0);
}

static uint64_t lines_of(uint64_t bytes)
{
    return bytes ? divide(bytes, SAM_MEMTIME_LINE) : 1;
}

static struct system_flow flow_of(uint64_t address, uint64_t bytes)
{
    return (struct system_flow){.address = address, .bytes = bytes};
}

/* Bytes read into or written from a buffer, without work. */
static void add_read(struct system_job *job, struct system_part part, uint64_t address,
                     uint64_t bytes)
{
    const struct system_flow flow = flow_of(address, bytes);
    sam_system_job_part(job, &part);
    sam_system_job_read(job, &flow);
}

static void add_write(struct system_job *job, uint64_t address, uint64_t bytes)
{
    const struct system_flow flow = flow_of(address, bytes);
    sam_system_job_part(job, &(struct system_part){.steps = lines_of(bytes)});
    sam_system_job_write(job, &flow);
}

/* A block copied in steps of one line of its source or destination, whichever is longer. */
static void add_lines(struct system_job *job, const struct system_weight_block *b, unsigned kind,
                      uint64_t work)
{
    const uint64_t longer =
        b->source_bytes > b->destination_bytes ? b->source_bytes : b->destination_bytes;
    const struct system_flow from = flow_of(b->source, b->source_bytes),
                             to = flow_of(b->destination, b->destination_bytes);
    const uint64_t steps = lines_of(longer);
    sam_system_job_part(
        job, &(struct system_part){.steps = steps, .kind = kind, .work = divide(work, steps)});
    sam_system_job_read(job, &from);
    sam_system_job_write(job, &to);
}

/* -------------------------------------------------------------------------------- decoding */

/* Cycles to build the tables of a block that are not kept: lengths are counted, the first code
 * and offset of each length follow, and symbols are sorted. */
static uint64_t prepare(struct system_weight_time *u, const struct sam_chunk_cost *cost)
{
    const struct system_weight_config *c = &u->config;
    uint64_t cycles = 0;
    for (unsigned i = 0; i < cost->codes; i++) {
        unsigned at = 0, oldest = 0;
        while (at < c->tables && u->tables[at].id != cost->code[i].id) {
            oldest = u->tables[at].used < u->tables[oldest].used ? at : oldest;
            at++;
        }
        if (at == c->tables) {
            cycles += 2 * divide(cost->code[i].range, c->table_ports) + SYSTEM_WEIGHT_LENGTHS;
            at = oldest;
        }
        u->tables[at].id = cost->code[i].id;
        u->tables[at].used = ++u->uses;
    }
    return cycles;
}

/* Names of bytes in the buffer of heads; never 0. */
static uint64_t name_of(uint64_t chunk, uint64_t address)
{
    return (chunk ^ address * UINT64_C(0x9e3779b97f4a7c15)) | 1;
}

/* Bytes of output per element of the layout. */
static uint64_t output_element(const struct system_weight_work *work)
{
    const struct sam_weight_record *r = &work->record;
    const enum sam_layout_id id =
        r->layout == SAM_LAYOUT_SHARED ? SAM_LAYOUT_BYTES : (enum sam_layout_id)r->layout;
    return (uint64_t)sam_layout_of(id)->element * sam_dtype_bits((enum sam_dtype)r->output_type) /
           sam_dtype_bits((enum sam_dtype)r->packed_type);
}

/* Elements that an engine decodes per step: a line of output, or a word of a window. */
static uint64_t elements_per_step(const struct system_weight_work *work, bool window)
{
    const uint64_t bytes = output_element(work);
    return window ? SYSTEM_WEIGHT_WORD : bytes < SAM_MEMTIME_LINE ? SAM_MEMTIME_LINE / bytes : 1;
}

static uint64_t steps_of(const struct system_weight_segment *s, uint64_t per_step)
{
    return divide(s->elements + s->skipped, per_step);
}

/* The flows of a segment, in the part added last. */
static void add_segment(struct system_job *job, const struct system_weight_work *work,
                        const struct system_weight_segment *s, uint64_t per_step)
{
    const uint64_t steps = steps_of(s, per_step), skipped = s->skipped / per_step;
    for (size_t i = s->read; i < s->read + s->reads; i++) {
        const struct system_weight_span *span = &work->spans[i];
        const uint64_t first = span->codes ? 0 : skipped;
        const struct system_flow flow = {.address = span->address,
                                         .bytes = span->bytes,
                                         .first = first,
                                         .steps = steps - first,
                                         .down = s->down && !span->codes};
        sam_system_job_read(job, &flow);
    }
    const struct system_flow flow = {.address = s->destination,
                                     .bytes = s->destination_bytes,
                                     .first = skipped,
                                     .steps = steps - skipped,
                                     .down = s->down};
    sam_system_job_write(job, &flow);
}

/* A part of the segments [at, end) of a block, with an engine for each. `lead` comes first. */
static void add_engines(struct system_weight_time *u, const struct system_weight_work *work,
                        const struct system_weight_block *b, size_t at, size_t end, uint64_t lead,
                        struct system_job *job)
{
    const bool window = b->mode == SAM_CHUNK_WINDOW;
    const uint64_t per_step = elements_per_step(work, window);
    const struct system_weight_segment *s = &work->segments[at];
    struct system_part part = {.lead = lead,
                               .lead_kind = SYSTEM_WEIGHT_TABLES,
                               .work = 1,
                               .kind = window          ? SYSTEM_WEIGHT_WINDOWS
                                       : s->coded_bits ? SYSTEM_WEIGHT_SYMBOLS
                                                       : SYSTEM_WEIGHT_COPY};
    for (size_t i = at; i < end; i++) {
        const uint64_t steps = steps_of(&work->segments[i], per_step);
        part.steps = steps > part.steps ? steps : part.steps;
    }
    if (s->coded_bits)
        part.work = divide(per_step * s->coded_bits, UINT64_C(8) * u->config.symbols);
    for (size_t i = at; i < end; i++)
        u->figures.symbols +=
            divide((work->segments[i].elements + work->segments[i].skipped) * s->coded_bits, 8);
    const uint64_t escapes = divide(s->escapes, u->config.escapes);
    if (window && escapes > part.steps) {
        part.lead = escapes - part.steps;
        part.lead_kind = SYSTEM_WEIGHT_WINDOWS;
    }
    sam_system_job_part(job, &part);
    for (size_t i = at; i < end; i++)
        add_segment(job, work, &work->segments[i], per_step);
}

/* The segments of a block: as many at a time as there are engines, and lines of the input buffer
 * for their flows. */
static void add_segments(struct system_weight_time *u, const struct system_weight_work *work,
                         const struct system_weight_block *b, struct system_job *job)
{
    uint64_t lead = prepare(u, &b->cost);
    const size_t end = b->segment + b->segments;
    for (size_t at = b->segment, to; at < end; at = to) {
        size_t flows = work->segments[at].reads;
        for (to = at + 1; to < end && work->segments[at].down && to - at < u->config.streams; to++)
            if (2 * (flows += work->segments[to].reads) > u->config.lines)
                break;
        add_engines(u, work, b, at, to, lead, job);
        lead = 0;
    }
}

/* A block whose reads are not known, or one that is charged as a copy. */
static void add_copy(const struct system_weight_block *b, uint64_t source, uint64_t bytes,
                     struct system_job *job)
{
    struct system_weight_block copy = *b;
    copy.source = source;
    copy.source_bytes = bytes;
    add_lines(job, &copy, SYSTEM_WEIGHT_COPY, 1);
}

/* Bytes named by a step. */
static uint64_t fetched_of(const struct system_weight_work *work,
                           const struct system_weight_block *b)
{
    uint64_t bytes = b->segments ? b->head.bytes : b->source_bytes;
    for (size_t k = b->segment; k < b->segment + b->segments; k++)
        for (size_t i = 0; i < work->segments[k].reads; i++)
            bytes += work->spans[work->segments[k].read + i].bytes;
    return bytes;
}

/* The head of a block, and the head of the next one. `guessed`: the lines of the block are. */
static void add_heads(struct system_weight_time *u, const struct system_weight_work *work,
                      const struct system_weight_block *b, uint64_t chunk, bool guessed,
                      struct system_job *job)
{
    if (b->head.bytes)
        add_read(job,
                 (struct system_part){.barrier = true, .keep = name_of(chunk, b->head.address)},
                 b->head.address, b->head.bytes);
    u->no_windows = b->mode != SAM_CHUNK_WINDOW;
    if (!u->no_windows && !guessed)
        sam_system_weight_guess(work, b, b->head.address, true, job);
    if (b->next.bytes)
        add_read(job, (struct system_part){.ahead = true, .keep = name_of(chunk, b->next.address)},
                 b->next.address, b->next.bytes);
}

static void decode(struct system_weight_time *u, const struct system_weight_work *work,
                   struct system_job *job)
{
    const struct sam_weight_record *r = &work->record;
    const uint64_t packed = sam_dtype_bits((enum sam_dtype)r->packed_type),
                   output = sam_dtype_bits((enum sam_dtype)r->output_type);
    const uint64_t first =
        r->layout == SAM_LAYOUT_SHARED ? r->first_low : r->first_low * packed / 8;
    const bool by_rows = sam_weight_operation(r) == SAM_WEIGHT_ROWS;
    const uint64_t room = by_rows ? r->destination_bytes / (r->operation >> 8) : UINT64_MAX;
    uint64_t raw = first, row = 0, chunk = 0;
    bool guessed = false;
    job->stream = u->config.stream;
    for (size_t i = 0; i < work->count; i++) {
        const struct system_weight_block *b = &work->blocks[i];
        const uint64_t size = b->destination_bytes * packed / output;
        u->figures.packed += fetched_of(work, b);
        u->figures.raw += size;
        if (u->config.raw) {
            if (!b->destination_bytes)
                continue;
            if ((b->destination - r->destination) / room != row) {
                row = (b->destination - r->destination) / room;
                raw = first + row * r->elements_high * packed / 8;
            }
            add_copy(b, r->source + raw, size, job);
            raw += size;
        } else if (b->segments) {
            add_heads(u, work, b, chunk, guessed, job);
            guessed = false;
            add_segments(u, work, b, job);
        } else if (b->destination_bytes) {
            add_copy(b, b->source, b->source_bytes, job);
        } else {
            chunk = b->id;
            add_read(job,
                     (struct system_part){
                         .barrier = true, .keep = name_of(chunk, b->source), .chain = b->id != 0},
                     b->source, b->source_bytes);
            const struct system_weight_block *next = b + 1;
            guessed = !u->no_windows && i + 1 < work->count && next->segments &&
                      next->number % SAM_CHUNK_BLOCKS == 0;
            if (guessed)
                sam_system_weight_guess(work, next, b->source + b->source_bytes, false, job);
        }
    }
}

/* -------------------------------------------------------------------- encoding and counting */

/* A counting pass over blocks [from, to): counters are cleared before it, and read after it. */
static void count_blocks(const struct system_weight_time *u, const struct system_weight_work *work,
                         size_t from, size_t to, struct system_job *job)
{
    const struct system_part clear = {.lead = u->config.depth, .lead_kind = SYSTEM_WEIGHT_COUNT};
    if (from < to)
        sam_system_job_part(job, &clear);
    for (size_t i = from; i < to; i++) {
        struct system_weight_block b = work->blocks[i];
        b.destination_bytes = 0;
        add_lines(job, &b, SYSTEM_WEIGHT_COUNT, divide(b.counted, u->config.count_symbols));
    }
    if (from < to)
        sam_system_job_part(job, &clear);
}

/* Cycles to build a code of n symbols by package-merge: the symbols are sorted on arrival, each
 * row merges them with the pairs of the previous row, and each row is scanned for the lengths. */
static uint64_t build_code(const struct system_weight_config *c, unsigned n)
{
    uint64_t items = 0, row = 0;
    for (unsigned i = 0; i < SYSTEM_WEIGHT_LENGTHS; i++)
        items += row = n + row / 2;
    return n + divide(items, c->code_items) + SYSTEM_WEIGHT_LENGTHS;
}

/* Whether a block before `at` of the chunk that begins at `first` has this code. */
static bool has_code(const struct system_weight_work *work, size_t first, size_t at, uint64_t id)
{
    for (size_t i = first; i < at; i++)
        for (unsigned k = 0; k < work->blocks[i].cost.codes; k++)
            if (work->blocks[i].cost.code[k].id == id)
                return true;
    return false;
}

/* Add a chunk: its header at `at` and the blocks up to the next header, whose index is returned.
 * With given counters, all chunks share one code: *built is set with the first. */
static size_t encode_chunk(struct system_weight_time *u, const struct system_weight_work *work,
                           size_t at, bool *built, struct system_job *job)
{
    const struct system_weight_config *c = &u->config;
    size_t end = at + 1;
    uint64_t codes = 0;
    for (; end < work->count && work->blocks[end].source_bytes; end++) {
        const struct sam_chunk_cost *cost = &work->blocks[end].cost;
        for (unsigned k = 0; k < cost->codes; k++)
            if (!has_code(work, at + 1, end, cost->code[k].id))
                codes += build_code(c, cost->code[k].symbols);
    }
    if (!work->counted)
        count_blocks(u, work, at + 1, end, job);
    if (codes && (!work->counted || !*built))
        sam_system_job_part(job,
                            &(struct system_part){.lead = codes, .lead_kind = SYSTEM_WEIGHT_CODE});
    *built |= codes != 0;
    add_write(job, work->blocks[at].destination, work->blocks[at].destination_bytes);
    for (size_t i = at + 1; i < end; i++) {
        const struct system_weight_block *b = &work->blocks[i];
        u->figures.symbols += b->cost.coded;
        if (b->cost.coded)
            add_lines(job, b, SYSTEM_WEIGHT_SYMBOLS, divide(b->cost.coded, c->symbols));
        else
            add_lines(job, b, SYSTEM_WEIGHT_COPY, 1);
    }
    return end;
}

static void encode(struct system_weight_time *u, const struct system_weight_work *work,
                   struct system_job *job)
{
    bool built = false;
    if (work->counted && work->count)
        add_read(job, (struct system_part){.barrier = true}, work->blocks[0].source,
                 work->blocks[0].source_bytes);
    for (size_t i = work->counted; i < work->count;)
        i = encode_chunk(u, work, i, &built, job);
}

static void count(const struct system_weight_time *u, const struct system_weight_work *work,
                  struct system_job *job)
{
    size_t blocks = work->count;
    while (blocks && work->blocks[blocks - 1].destination_bytes) /* the counters */
        blocks--;
    count_blocks(u, work, 0, blocks, job);
    for (size_t i = blocks; i < work->count; i++)
        add_write(job, work->blocks[i].destination, work->blocks[i].destination_bytes);
}

static void add_parts(struct system_weight_time *u, const struct system_weight_work *work,
                      struct system_job *job)
{
    switch (sam_weight_operation(&work->record)) {
    case SAM_WEIGHT_DECODE:
    case SAM_WEIGHT_ROWS: decode(u, work, job); break;
    case SAM_WEIGHT_ENCODE: encode(u, work, job); break;
    default: count(u, work, job); break;
    }
    if (work->result_address)
        add_write(job, work->result_address, sizeof work->result);
}

/* ----------------------------------------------------------------------------------- life */

struct system_weight_time *sam_system_weight_time_new(const struct system_weight_config *config,
                                                      const struct system_stages_options *options)
{
    struct system_weight_time *u = sam_alloc(1, sizeof *u);
    struct system_stages_options o = *options;
    if (!u)
        return NULL;
    o.requests = config->requests;
    o.lines = config->lines;
    o.outputs = config->outputs;
    o.kept = config->heads;
    u->config = *config;
    sam_system_stages_init(&u->stages, &o);
    return u;
}

bool sam_system_weight_time_submit(struct system_weight_time *u,
                                   const struct system_weight_work *work, uint64_t from)
{
    static const char *const names[] = {"decode", "encode", "count", "rows"};
    const uint32_t operation = sam_weight_operation(&work->record);
    struct system_job *job =
        sam_system_job_new(operation < SAM_COUNT(names) ? names[operation] : "?");
    if (!job)
        return false;
    add_parts(u, work, job);
    if (job->failed) {
        sam_system_job_free(job);
        return false;
    }
    sam_system_stages_enter(&u->stages, job, from);
    return true;
}
