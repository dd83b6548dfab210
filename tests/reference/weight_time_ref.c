/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/weight_time_ref.h"

#include <stdlib.h>

#include "test.h"

enum { FETCH, WORK, WRITE };

/* ----------------------------------------------------------------------------------- parts */

static uint64_t steps(uint64_t number, uint32_t per_step)
{
    uint64_t count = 0;
    for (; number; number -= number < per_step ? number : per_step)
        count++;
    return count;
}

static struct wref_part *add_part(struct wref *w, const struct system_weight_block *b)
{
    struct wref_record *r = &w->records[w->submitted];
    r->parts = realloc(r->parts, (r->count + 1) * sizeof *r->parts);
    assert_non_null(r->parts);
    struct wref_part *part = &r->parts[r->count++];
    *part = (struct wref_part){.record = w->submitted,
                               .address = {b->source, 0, b->destination},
                               .bytes = {b->source_bytes, 0, b->destination_bytes}};
    return part;
}

static void add_symbols(const struct wref *w, const struct system_weight_block *b,
                        struct wref_part *part)
{
    const uint64_t symbols = steps(b->cost.coded, w->config.symbols_cycle);
    const uint64_t plain = steps(b->cost.plain_bits, w->config.bits_cycle);
    part->work[SYSTEM_WEIGHT_SYMBOLS] = symbols;
    part->work[SYSTEM_WEIGHT_PLAIN] = plain < symbols ? 0 : plain - symbols;
}

static void add_decode(struct wref *w, const struct system_weight_work *work)
{
    uint64_t copied = work->record.source;
    for (size_t i = 0; i < work->count; i++) {
        const struct system_weight_block *b = &work->blocks[i];
        struct wref_part *part = add_part(w, b);
        part->streams = w->config.stream;
        if (w->config.raw) {
            part->address[FETCH] = copied;
            part->bytes[FETCH] = b->destination_bytes *
                                 sam_dtype_bits((enum sam_dtype)work->record.packed_type) /
                                 sam_dtype_bits((enum sam_dtype)work->record.output_type);
            copied += part->bytes[FETCH];
        } else {
            for (unsigned k = 0; k < b->cost.tables; k++)
                part->work[SYSTEM_WEIGHT_TABLES] += w->config.table_cycles;
            part->work[SYSTEM_WEIGHT_TABLES] += b->cost.tables ? b->cost.code_symbols : 0;
            add_symbols(w, b, part);
        }
    }
}

/* Blocks `from` up to `to` are counted. */
static void add_counting(struct wref *w, const struct system_weight_work *work, size_t from,
                         size_t to)
{
    for (size_t i = from; i < to; i++) {
        struct wref_part *part = add_part(w, &work->blocks[i]);
        part->bytes[WRITE] = 0;
        part->work[SYSTEM_WEIGHT_COUNT] = steps(work->blocks[i].counted, w->config.count_symbols);
        part->work[SYSTEM_WEIGHT_COUNT] += i == from ? w->config.depth : 0;
        part->work[SYSTEM_WEIGHT_COUNT] += i == to - 1 ? w->config.depth : 0;
    }
}

static void add_encode(struct wref *w, const struct system_weight_work *work)
{
    size_t first = 0;
    unsigned built = 0;
    if (work->counted && work->count)
        add_part(w, &work->blocks[first++]);
    for (size_t i = first, end; i < work->count; i = end) {
        uint64_t codes = 0;
        for (end = i + 1; end < work->count && work->blocks[end].source_bytes; end++)
            codes += work->blocks[end].cost.tables;
        if (!work->counted)
            add_counting(w, work, i + 1, end);
        struct wref_part *header = add_part(w, &work->blocks[i]);
        if (!work->counted || (codes && built++ == 0))
            header->work[SYSTEM_WEIGHT_CODE] = codes * w->config.code_cycles;
        for (size_t k = i + 1; k < end; k++)
            add_symbols(w, &work->blocks[k], add_part(w, &work->blocks[k]));
    }
}

static void add_count(struct wref *w, const struct system_weight_work *work)
{
    if (work->count == 0)
        return;
    add_counting(w, work, 0, work->count - 1);
    add_part(w, &work->blocks[work->count - 1]);
}

void wref_submit(struct wref *w, const struct system_weight_work *work, uint64_t from)
{
    assert_in_range(w->submitted, 0, WREF_RECORDS - 1);
    struct wref_record *r = &w->records[w->submitted];
    r->from = from;
    if (work->record.operation == SAM_WEIGHT_DECODE)
        add_decode(w, work);
    else if (work->record.operation == SAM_WEIGHT_ENCODE)
        add_encode(w, work);
    else
        add_count(w, work);
    if (work->result_address)
        add_part(w, &(struct system_weight_block){.destination = work->result_address,
                                                  .destination_bytes = 20});
    r->left = r->count;
    w->submitted++;
}

void wref_free(struct wref *w)
{
    for (unsigned i = 0; i < w->submitted; i++)
        free(w->records[i].parts);
}

/* ---------------------------------------------------------------------------------- stages */

static uint64_t work_of(const struct wref_part *part)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < SYSTEM_STAGE_WORKS; i++)
        sum += part->work[i];
    return sum;
}

static uint64_t lines_in(uint64_t address, uint64_t bytes)
{
    uint64_t lines = 0;
    for (uint64_t line = address / 64; bytes && line * 64 < address + bytes; line++)
        lines++;
    assert_in_range(lines, 0, WREF_LINES);
    return lines;
}

static void enter(struct wref *w, unsigned stage, const struct wref_part *part)
{
    struct wref_stage *s = &w->stage[stage];
    s->part = part;
    s->sent = s->worked = 0;
    s->lines = stage == WORK ? work_of(part) : lines_in(part->address[stage], part->bytes[stage]);
}

static bool is_over(const struct wref_stage *s, unsigned stage, uint64_t now)
{
    if (stage == WORK)
        return s->worked == s->lines;
    for (uint64_t i = 0; i < s->sent; i++)
        if (s->answers[i] > now)
            return false;
    return s->sent == s->lines;
}

static void send(struct wref *w, unsigned stage, uint64_t now)
{
    struct wref_stage *s = &w->stage[stage];
    unsigned open = 0;
    if (!s->part || s->sent == s->lines)
        return;
    for (uint64_t i = 0; i < s->sent; i++)
        open += s->answers[i] > now;
    if (open == w->config.requests)
        return;
    const uint64_t first = s->part->address[stage], end = first + s->part->bytes[stage];
    const uint64_t line = (first / 64 + s->sent) * 64;
    const uint64_t from = line > first ? line : first, to = line + 64 < end ? line + 64 : end;
    s->answers[s->sent++] =
        w->port.request(w->port.context, w->number, now, from, (uint32_t)(to - from),
                        stage == WRITE     ? SAM_MEMTIME_WRITE
                        : s->part->streams ? SAM_MEMTIME_READ_STREAM
                                           : SAM_MEMTIME_READ);
}

/* From the first to the last byte that a record reads, or writes. */
static void range_of(const struct wref_record *r, unsigned stage, uint64_t range[2])
{
    range[0] = UINT64_MAX;
    range[1] = 0;
    for (size_t i = 0; i < r->count; i++) {
        const uint64_t low = r->parts[i].address[stage], size = r->parts[i].bytes[stage];
        if (size && low < range[0])
            range[0] = low;
        if (size && low + size > range[1])
            range[1] = low + size;
    }
}

/* Whether record `r` may read what one before it that has not ended writes. */
static bool depends(const struct wref *w, unsigned r)
{
    uint64_t reads[2], writes[2];
    range_of(&w->records[r], FETCH, reads);
    for (unsigned i = w->ended; i < r; i++) {
        range_of(&w->records[i], WRITE, writes);
        if (reads[0] < writes[1] && writes[0] < reads[1])
            return true;
    }
    return false;
}

/* A part leaves its stage. False: nothing happens. */
static bool leave(struct wref *w, unsigned stage, uint64_t now)
{
    struct wref_stage *s = &w->stage[stage];
    if (!s->part || !is_over(s, stage, now))
        return false;
    const bool only_read = stage == FETCH && s->part->bytes[WRITE] == 0 && work_of(s->part) == 0;
    if (stage == WRITE || only_read)
        w->records[s->part->record].left--;
    else if (w->stage[stage + 1].part)
        return false;
    else
        enter(w, stage + 1, s->part);
    s->part = NULL;
    return true;
}

/* A record ends, begins, or its next part enters. */
static bool follow(struct wref *w, uint64_t now)
{
    const struct wref_record *oldest = &w->records[w->ended];
    if (w->ended < w->submitted && oldest->begun && oldest->left == 0) {
        w->ended++;
        return true;
    }
    if (w->entering == w->submitted)
        return false;
    struct wref_record *r = &w->records[w->entering];
    if (r->begun && w->next == r->count) {
        w->entering++;
        w->next = 0;
        return true;
    }
    if (w->stage[FETCH].part)
        return false;
    if (!r->begun) {
        if (r->from > now || depends(w, w->entering))
            return false;
        r->begun = true;
        w->begun++;
        return true;
    }
    enter(w, FETCH, &r->parts[w->next++]);
    return true;
}

/* What the unit does in a cycle. */
static unsigned kind_of(const struct wref *w)
{
    const struct wref_stage *s = &w->stage[WORK];
    uint64_t end = 0;
    for (unsigned i = 0; s->part && i < SYSTEM_STAGE_WORKS; i++) {
        end += s->part->work[i];
        if (s->worked < end)
            return i;
    }
    return s->part                ? SYSTEM_STAGE_WRITE
           : w->stage[FETCH].part ? SYSTEM_STAGE_FETCH
           : w->stage[WRITE].part ? SYSTEM_STAGE_WRITE
                                  : SYSTEM_STAGE_EMPTY;
}

void wref_tick(struct wref *w, uint64_t now)
{
    while (leave(w, WRITE, now) || leave(w, WORK, now) || leave(w, FETCH, now) || follow(w, now))
        ;
    send(w, FETCH, now);
    send(w, WRITE, now);
    const unsigned kind = kind_of(w);
    w->cycles[kind]++;
    w->stage[WORK].worked += kind < SYSTEM_STAGE_WORKS;
}
