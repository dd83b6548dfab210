/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the weight unit in time: the parts that pass its pipeline. */
#include "system/weight_time.h"

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

/* --------------------------------------------------------------------------------- parts */

static uint64_t divide(uint64_t number, uint32_t by)
{
    return number / by + (number % by != 0);
}

/* Coded symbols and plain bits of a block are processed in parallel. */
static void add_symbols(struct system_weight_time *u, const struct sam_chunk_cost *cost,
                        struct system_part *part)
{
    const struct system_weight_config *c = &u->config;
    const uint64_t symbols = divide(cost->coded, c->symbols_cycle);
    const uint64_t bits = divide(cost->plain_bits, c->bits_cycle);
    u->figures.symbols += cost->coded;
    part->work[SYSTEM_WEIGHT_SYMBOLS] = symbols;
    part->work[SYSTEM_WEIGHT_PLAIN] = bits > symbols ? bits - symbols : 0;
}

static struct system_part part_of(const struct system_weight_block *b)
{
    return (struct system_part){.source = b->source,
                                .source_bytes = b->source_bytes,
                                .destination = b->destination,
                                .destination_bytes = b->destination_bytes};
}

/* Size of a block's elements before packing. */
static uint64_t raw_bytes(const struct system_weight_work *work,
                          const struct system_weight_block *b)
{
    return b->destination_bytes * sam_dtype_bits((enum sam_dtype)work->record.packed_type) /
           sam_dtype_bits((enum sam_dtype)work->record.output_type);
}

static void decode(struct system_weight_time *u, const struct system_weight_work *work,
                   struct system_job *job)
{
    const struct system_weight_config *c = &u->config;
    uint64_t raw = 0;
    job->stream = c->stream;
    for (size_t i = 0; i < work->count; i++) {
        const struct system_weight_block *b = &work->blocks[i];
        struct system_part *part = &job->parts[job->count++];
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

/* A counting pass over blocks [from, to). */
static void count_blocks(const struct system_weight_time *u, const struct system_weight_work *work,
                         size_t from, size_t to, struct system_job *job)
{
    for (size_t i = from; i < to; i++) {
        struct system_part *part = &job->parts[job->count++];
        *part = part_of(&work->blocks[i]);
        part->destination_bytes = 0;
        part->work[SYSTEM_WEIGHT_COUNT] = divide(work->blocks[i].counted, u->config.count_symbols) +
                                          (i == from ? u->config.depth : 0) +
                                          (i + 1 == to ? u->config.depth : 0);
    }
}

/* Add a chunk: its header at `at` and the blocks up to the next header, whose index is returned.
 * With counters that were given, all chunks share one code: *built is set with the first. */
static size_t encode_chunk(struct system_weight_time *u, const struct system_weight_work *work,
                           size_t at, bool *built, struct system_job *job)
{
    size_t end = at + 1;
    uint64_t codes = 0;
    for (; end < work->count && work->blocks[end].source_bytes; end++)
        codes += work->blocks[end].cost.tables;
    if (!work->counted)
        count_blocks(u, work, at + 1, end, job);
    struct system_part *header = &job->parts[job->count++];
    *header = part_of(&work->blocks[at]);
    if (!work->counted || !*built)
        header->work[SYSTEM_WEIGHT_CODE] = codes * u->config.code_cycles;
    *built |= codes != 0;
    for (size_t i = at + 1; i < end; i++) {
        struct system_part *part = &job->parts[job->count++];
        *part = part_of(&work->blocks[i]);
        add_symbols(u, &work->blocks[i].cost, part);
    }
    return end;
}

static void encode(struct system_weight_time *u, const struct system_weight_work *work,
                   struct system_job *job)
{
    bool built = false;
    if (work->counted && work->count)
        job->parts[job->count++] = part_of(&work->blocks[0]);
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
        job->parts[job->count++] = part_of(&work->blocks[i]);
}

static void add_parts(struct system_weight_time *u, const struct system_weight_work *work,
                      struct system_job *job)
{
    switch (work->record.operation) {
    case SAM_WEIGHT_DECODE: decode(u, work, job); break;
    case SAM_WEIGHT_ENCODE: encode(u, work, job); break;
    default: count(u, work, job); break;
    }
    if (work->result_address)
        job->parts[job->count++] = (struct system_part){.destination = work->result_address,
                                                        .destination_bytes = sizeof work->result};
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
    u->config = *config;
    sam_system_stages_init(&u->stages, &o);
    return u;
}

bool sam_system_weight_time_submit(struct system_weight_time *u,
                                   const struct system_weight_work *work, uint64_t from)
{
    static const char *const names[] = {"decode", "encode", "count"};
    const uint32_t operation = work->record.operation;
    /* at most both passes over each block, and the result */
    struct system_job *job = sam_system_job_new(2 * work->count + 1);
    if (!job)
        return false;
    job->name = operation < SAM_COUNT(names) ? names[operation] : "?";
    add_parts(u, work, job);
    sam_system_stages_enter(&u->stages, job, from);
    return true;
}
