/* SPDX-License-Identifier: Apache-2.0 */
/* The records of the plain model of the weight unit: their parts, steps and lines. */
#include "reference/weight_time_ref.h"

#include <stdlib.h>

#include "test.h"

static uint64_t steps(uint64_t number, uint64_t per_step)
{
    uint64_t count = 0;
    for (; number; number -= number < per_step ? number : per_step)
        count++;
    return count;
}

static struct wref_part *add_part(struct wref *w, uint64_t count, unsigned kind, uint64_t work)
{
    struct wref_record *r = &w->records[w->submitted];
    r->parts = realloc(r->parts, (r->count + 1) * sizeof *r->parts);
    assert_non_null(r->parts);
    struct wref_part *part = &r->parts[r->count++];
    *part = (struct wref_part){
        .record = w->submitted, .steps = count ? count : 1, .kind = kind, .work = work};
    return part;
}

static void widen(uint64_t range[2], uint64_t low, uint64_t end)
{
    range[0] = range[1] == 0 || low < range[0] ? low : range[0];
    range[1] = end > range[1] ? end : range[1];
}

/* Bytes that steps `first` to the last use, in order; `down`: from the last byte on. Byte i of n is
 * used by the first step t with ceil(n * (t + 1) / steps) > i. */
static void add_flow(struct wref *w, struct wref_part *part, bool writes, uint64_t address,
                     uint64_t bytes, uint64_t first, uint64_t end, bool down)
{
    struct wref_record *r = &w->records[part->record];
    struct wref_line **lines = writes ? &part->writes : &part->reads;
    size_t *count = writes ? &part->write_count : &part->read_count;
    const size_t flow = part->flows++;
    uint64_t step = first;
    struct wref_line *line = NULL;
    if (bytes == 0)
        return;
    if (!part->guess)
        widen(writes ? r->writes : r->reads, address, address + bytes);
    for (uint64_t i = 0; i < bytes; i++) {
        const uint64_t at = down ? address + bytes - 1 - i : address + i;
        while ((bytes * (step + 1 - first) + (end - first) - 1) / (end - first) <= i)
            step++;
        if (!line || line->address / 64 != at / 64) {
            struct wref_line *grown = realloc(*lines, (*count + 1) * sizeof *grown);
            assert_non_null(grown);
            *lines = grown;
            line = &(*lines)[*count];
            *line = (struct wref_line){
                .address = at, .begins = step, .flow = flow, .order = (*count)++};
        }
        line->address = at < line->address ? at : line->address;
        line->bytes++;
        line->ends = step;
    }
}

static int compare(const struct wref_line *x, const struct wref_line *y, uint64_t a, uint64_t b)
{
    return a != b               ? (a > b) - (a < b)
           : x->flow != y->flow ? (x->flow > y->flow) - (x->flow < y->flow)
                                : (x->order > y->order) - (x->order < y->order);
}
static int by_begin(const void *a, const void *b)
{
    const struct wref_line *x = a, *y = b;
    return compare(x, y, x->begins, y->begins);
}
static int by_end(const void *a, const void *b)
{
    const struct wref_line *x = a, *y = b;
    return compare(x, y, x->ends, y->ends);
}

static void add_lines(struct wref *w, uint64_t source, uint64_t source_bytes, uint64_t to,
                      uint64_t to_bytes, unsigned kind, uint64_t work)
{
    const uint64_t longer = source_bytes > to_bytes ? source_bytes : to_bytes;
    const uint64_t count = longer ? steps(longer, 64) : 1;
    struct wref_part *part = add_part(w, count, kind, steps(work, count));
    add_flow(w, part, false, source, source_bytes, 0, part->steps, false);
    add_flow(w, part, true, to, to_bytes, 0, part->steps, false);
}

static struct wref_part *add_head(struct wref *w, uint64_t chunk, uint64_t address, uint64_t bytes)
{
    struct wref_part *part = add_part(w, 1, 0, 0);
    part->keep = (chunk ^ address * UINT64_C(0x9e3779b97f4a7c15)) | 1;
    add_flow(w, part, false, address, bytes, 0, 1, false);
    return part;
}

/* Cycles of the tables that are not there. */
static uint64_t tables(struct wref *w, const struct sam_chunk_cost *cost)
{
    uint64_t cycles = 0;
    for (unsigned i = 0; i < cost->codes; i++) {
        unsigned found = WREF_KEPT, oldest = 0;
        for (unsigned k = 0; k < w->config.tables; k++) {
            if (found == WREF_KEPT && w->tables[k].name == cost->code[i].id)
                found = k;
            if (w->tables[k].used < w->tables[oldest].used)
                oldest = k;
        }
        if (found == WREF_KEPT) {
            cycles += steps(cost->code[i].range, w->config.table_ports) * 2 + 11;
            found = oldest;
        }
        w->tables[found].name = cost->code[i].id;
        w->tables[found].used = ++w->uses;
    }
    return cycles;
}

static uint64_t element_of(const struct system_weight_work *work)
{
    static const unsigned sizes[] = {1, 2, 2, 2, 4, 1, 1, 1, 2, 4, 1}; /* by layout */
    return sizes[work->record.layout] * sam_dtype_bits((enum sam_dtype)work->record.output_type) /
           sam_dtype_bits((enum sam_dtype)work->record.packed_type);
}

/* Bits per element of the planes after the first, and their units, by layout. */
static unsigned raw_units(unsigned layout, unsigned units[32])
{
    static const char *const planes[] = {"",
                                         "8",
                                         "8111",
                                         "8",
                                         "888",
                                         "4",
                                         "111",
                                         "1111111",
                                         "111111111111111",
                                         "1111111111111111111111111111111",
                                         ""};
    unsigned count = 0;
    for (const char *at = planes[layout]; *at; at++)
        units[count++] = (unsigned)(*at - '0');
    return count;
}

static void guess_bytes(struct wref *w, const struct system_weight_work *work, uint64_t steps_,
                        int64_t low, int64_t high)
{
    struct wref_record *r = &w->records[w->submitted];
    struct wref_part *part = &r->parts[r->count - 1];
    const int64_t from = work->record.source, to = from + work->record.source_bytes;
    low = low < from ? from : low;
    high = high > to ? to : high;
    if (low < high)
        add_flow(w, part, false, (uint64_t)low, (uint64_t)(high - low), 0, steps_, false);
}

static void guess_part(struct wref *w, uint64_t count)
{
    struct wref_part *part = add_part(w, count, 0, 0);
    part->ahead = part->guess = true;
}

/* Requests of the unit while it waits for the header before the block, or for its table. */
static void guess(struct wref *w, const struct system_weight_work *work,
                  const struct system_weight_block *b, uint64_t at, bool has_header)
{
    static const unsigned elements[] = {8, 16, 16, 16, 32, 8, 8, 8, 16, 32, 8}; /* bits */
    const unsigned layout = work->record.layout;
    uint64_t total = work->record.total_low;
    if (layout != 10)
        total = total * sam_dtype_bits((enum sam_dtype)work->record.packed_type) / elements[layout];
    if (total <= b->number * 131072)
        return;
    uint64_t count = total - b->number * 131072;
    count = count > 131072 ? 131072 : count;
    const uint64_t groups = steps(count, 1024), table = 2 + 2 * groups;
    const uint64_t size =
        has_header ? b->size : (uint64_t)work->record.source_bytes * count / total;
    if (size <= table)
        return;
    if (!has_header) {
        guess_part(w, 1);
        guess_bytes(w, work, 1, (int64_t)at, (int64_t)(at + table));
    }
    for (uint64_t n = b->first / 1024; n < groups && n < b->first / 1024 + 2; n++) {
        const uint64_t here = n + 1 == groups ? count - n * 1024 : 1024, words = steps(here, 64);
        const int64_t slack = n == 0 ? 0 : 64;
        int64_t from = (int64_t)(at + table + (size - table) * n / groups);
        const int64_t end = (int64_t)(at + table + (size - table) * (n + 1) / groups);
        unsigned units[32], planes = raw_units(layout, units), raw = 0, k = 1;
        for (unsigned p = 0; p < planes; p++)
            raw += (unsigned)steps(here * units[p], 8);
        while (k < 4 && end - from >= (int64_t)(10 + raw + 8 * words * (k + 1)))
            k++;
        guess_part(w, words);
        guess_bytes(w, work, words, from - slack, from + 10 + (int64_t)(8 * k * words) + slack);
        from += 10 + (int64_t)(8 * k * words);
        for (unsigned p = 0; p < planes; p++) {
            const int64_t more = (int64_t)steps(here * units[p], 8);
            guess_bytes(w, work, words, from - slack, from + more + slack);
            from += more;
        }
        if (from < end)
            guess_bytes(w, work, 1, from - slack, end + slack);
    }
}

static void add_block(struct wref *w, const struct system_weight_work *work,
                      const struct system_weight_block *b)
{
    const bool window = b->mode == SAM_CHUNK_WINDOW;
    const uint64_t element = element_of(work), per_step = window ? 64 : 64 / element;
    uint64_t lead = tables(w, &b->cost);
    size_t flows = 0;
    unsigned engines = 0;
    struct wref_part *part = NULL;
    for (size_t i = b->segment; i < b->segment + b->segments; i++) {
        const struct system_weight_segment *s = &work->segments[i];
        const uint64_t count = steps(s->elements + s->skipped, per_step);
        flows += s->reads;
        if (!part || !s->down || engines == w->config.streams || flows * 2 > w->config.lines) {
            part = add_part(w, 1, SYSTEM_WEIGHT_COPY, 1);
            part->lead = lead;
            part->lead_kind = SYSTEM_WEIGHT_TABLES;
            lead = engines = 0;
            flows = s->reads;
            if (window)
                part->kind = SYSTEM_WEIGHT_WINDOWS;
            if (s->coded_bits) {
                part->kind = SYSTEM_WEIGHT_SYMBOLS;
                part->work = steps(per_step * s->coded_bits, 8 * w->config.symbols);
            }
            const uint64_t late = steps(s->escapes, w->config.escapes);
            if (window && late > count) {
                part->lead = late - count;
                part->lead_kind = SYSTEM_WEIGHT_WINDOWS;
            }
            /* The flows of a part end with their own segment, so its steps come first. */
            for (size_t k = i; k < b->segment + b->segments && (k == i || work->segments[k].down);
                 k++) {
                size_t sum = 0;
                for (size_t x = i; x <= k; x++)
                    sum += work->segments[x].reads;
                if (k - i == w->config.streams || (k > i && sum * 2 > w->config.lines))
                    break;
                const uint64_t own =
                    steps(work->segments[k].elements + work->segments[k].skipped, per_step);
                part->steps = own > part->steps ? own : part->steps;
            }
        }
        engines++;
        for (size_t k = s->read; k < s->read + s->reads; k++) {
            const struct system_weight_span *span = &work->spans[k];
            add_flow(w, part, false, span->address, span->bytes,
                     span->codes ? 0 : s->skipped / per_step, count, s->down && !span->codes);
        }
        add_flow(w, part, true, s->destination, s->destination_bytes, s->skipped / per_step, count,
                 s->down);
    }
}

static void add_decode(struct wref *w, const struct system_weight_work *work)
{
    const uint64_t packed = sam_dtype_bits((enum sam_dtype)work->record.packed_type),
                   output = sam_dtype_bits((enum sam_dtype)work->record.output_type);
    const struct sam_weight_record *record = &work->record;
    const uint64_t start = record->source + (record->layout == 10 ? record->first_low
                                                                  : record->first_low * packed / 8);
    uint64_t chunk = 0, copied = start, last = 0;
    bool guessed = false;
    for (size_t i = 0; i < work->count; i++) {
        const struct system_weight_block *b = &work->blocks[i];
        const uint64_t raw = b->destination_bytes * packed / output;
        if (w->config.raw) {
            if (record->operation % 256 == SAM_WEIGHT_ROWS && b->destination_bytes) {
                const uint64_t rows = record->operation / 256,
                               row = (b->destination - record->destination) /
                                     (record->destination_bytes / rows);
                copied = row == last ? copied : start + row * record->elements_high * packed / 8;
                last = row;
            }
            if (b->destination_bytes)
                add_lines(w, copied, raw, b->destination, b->destination_bytes, SYSTEM_WEIGHT_COPY,
                          1);
            copied += raw;
        } else if (b->segments) {
            if (b->head.bytes)
                add_head(w, chunk, b->head.address, b->head.bytes)->barrier = true;
            w->coded = b->mode != SAM_CHUNK_WINDOW;
            if (b->mode == SAM_CHUNK_WINDOW && !guessed)
                guess(w, work, b, b->head.address, true);
            guessed = false;
            if (b->next.bytes)
                add_head(w, chunk, b->next.address, b->next.bytes)->ahead = true;
            add_block(w, work, b);
        } else if (b->destination_bytes) {
            add_lines(w, b->source, b->source_bytes, b->destination, b->destination_bytes,
                      SYSTEM_WEIGHT_COPY, 1);
        } else {
            chunk = b->id;
            struct wref_part *part = add_head(w, chunk, b->source, b->source_bytes);
            part->barrier = true;
            part->chain = chunk != 0;
            guessed = !w->coded && i + 1 < work->count && b[1].segments && b[1].number % 8 == 0;
            if (guessed)
                guess(w, work, &b[1], b->source + b->source_bytes, false);
        }
    }
    for (size_t i = 0; i < w->records[w->submitted].count; i++)
        w->records[w->submitted].parts[i].streams = w->config.stream;
}

static void add_work(struct wref *w, unsigned kind, uint64_t cycles)
{
    struct wref_part *part = add_part(w, 1, 0, 0);
    part->lead = cycles;
    part->lead_kind = kind;
}

/* Blocks `from` up to `to` are counted. */
static void add_counting(struct wref *w, const struct system_weight_work *work, size_t from,
                         size_t to)
{
    if (from == to)
        return;
    add_work(w, SYSTEM_WEIGHT_COUNT, w->config.depth);
    for (size_t i = from; i < to; i++)
        add_lines(w, work->blocks[i].source, work->blocks[i].source_bytes, 0, 0,
                  SYSTEM_WEIGHT_COUNT, steps(work->blocks[i].counted, w->config.count_symbols));
    add_work(w, SYSTEM_WEIGHT_COUNT, w->config.depth);
}

static uint64_t code_cycles(const struct wref *w, unsigned n)
{
    uint64_t items = 0, below = 0;
    for (unsigned row = 0; row < 11; row++) {
        below = n + below / 2;
        items += below;
    }
    return n + steps(items, w->config.code_items) + 11;
}

static void add_encode(struct wref *w, const struct system_weight_work *work)
{
    size_t first = 0;
    unsigned built = 0;
    if (work->counted && work->count) {
        const struct system_weight_block *b = &work->blocks[first++];
        struct wref_part *part = add_part(w, 1, 0, 0);
        part->barrier = true;
        add_flow(w, part, false, b->source, b->source_bytes, 0, 1, false);
    }
    for (size_t i = first, end; i < work->count; i = end) {
        uint64_t seen[512], cycles = 0;
        unsigned codes = 0;
        for (end = i + 1; end < work->count && work->blocks[end].source_bytes; end++)
            for (unsigned k = 0; k < work->blocks[end].cost.codes; k++) {
                const struct sam_chunk_code *code = &work->blocks[end].cost.code[k];
                unsigned j = 0;
                while (j < codes && seen[j] != code->id)
                    j++;
                if (j == codes) {
                    seen[codes++] = code->id;
                    cycles += code_cycles(w, code->symbols);
                }
            }
        if (!work->counted)
            add_counting(w, work, i + 1, end);
        if (codes && (!work->counted || built++ == 0))
            add_work(w, SYSTEM_WEIGHT_CODE, cycles);
        add_lines(w, 0, 0, work->blocks[i].destination, work->blocks[i].destination_bytes, 0, 0);
        for (size_t k = i + 1; k < end; k++) {
            const struct system_weight_block *b = &work->blocks[k];
            add_lines(w, b->source, b->source_bytes, b->destination, b->destination_bytes,
                      b->cost.coded ? SYSTEM_WEIGHT_SYMBOLS : SYSTEM_WEIGHT_COPY,
                      b->cost.coded ? steps(b->cost.coded, w->config.symbols) : 1);
        }
    }
}

static void add_count(struct wref *w, const struct system_weight_work *work)
{
    if (work->count == 0)
        return;
    const struct system_weight_block *last = &work->blocks[work->count - 1];
    add_counting(w, work, 0, work->count - 1);
    add_lines(w, 0, 0, last->destination, last->destination_bytes, 0, 0);
}

void wref_submit(struct wref *w, const struct system_weight_work *work, uint64_t from)
{
    assert_in_range(w->submitted, 0, WREF_RECORDS - 1);
    struct wref_record *r = &w->records[w->submitted];
    r->from = from;
    if (work->record.operation == SAM_WEIGHT_DECODE ||
        work->record.operation % 256 == SAM_WEIGHT_ROWS)
        add_decode(w, work);
    else if (work->record.operation == SAM_WEIGHT_ENCODE)
        add_encode(w, work);
    else
        add_count(w, work);
    if (work->result_address)
        add_lines(w, 0, 0, work->result_address, 20, 0, 0);
    for (size_t i = 0; i < r->count; i++) {
        struct wref_part *part = &r->parts[i];
        if (part->read_count)
            qsort(part->reads, part->read_count, sizeof *part->reads, by_begin);
        if (part->write_count)
            qsort(part->writes, part->write_count, sizeof *part->writes, by_end);
    }
    w->submitted++;
}

void wref_free(struct wref *w)
{
    for (unsigned i = 0; i < w->submitted; i++) {
        for (size_t k = 0; k < w->records[i].count; k++) {
            free(w->records[i].parts[k].reads);
            free(w->records[i].parts[k].writes);
        }
        free(w->records[i].parts);
    }
}
