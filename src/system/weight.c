/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the weight unit: checks, then the codec. */
#include "system/weight.h"

#include <stdarg.h>
#include <stdlib.h>

enum { RECORD = 64, COUNTERS = 256, COUNTER_BYTES = COUNTERS * 4 };

/* A record being run. */
struct run {
    struct sam_memory *memory;
    struct system_weight_work *work;
    struct sam_chunks_piece piece;
    struct sam_chunks_range range;
    const struct sam_counter *counter; /* NULL: exact */
    unsigned engines;
    struct sam_counter given; /* counters given to an encode */
    uint32_t counters[COUNTERS];
    uint64_t source_size, room; /* bytes of the source needed; most bytes of output, */
    uint64_t row_room;          /* and of a row's */
    uint32_t rows;              /* to decode */
    uint64_t row;               /* where the output of the current one begins */
    bool exhausted;             /* the host is out of memory */
};

static uint64_t number(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

/* Fail the record. Only the first reason is kept. */
static void refuse(struct run *run, uint32_t status, const char *format, ...) SAM_PRINTF(3, 4);
static void refuse(struct run *run, uint32_t status, const char *format, ...)
{
    va_list arguments;
    if (run->work->result.status != SAM_WEIGHT_IS_GOOD)
        return;
    va_start(arguments, format);
    sam_format_list(run->work->fault, sizeof run->work->fault, format, arguments);
    va_end(arguments);
    run->work->result.status = status;
}

/* Whether the range lies in one buffer. */
static bool is_mapped(const struct run *run, uint64_t address, uint64_t size)
{
    return !size || sam_host_read(run->memory, address, NULL, (size_t)size, NULL) == SAM_OK;
}

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a_size && b_size && a < b + b_size && b < a + a_size;
}

/* --- checks, in this order */
static void check_result(struct run *run)
{
    uint32_t at = run->work->record.result;
    if (at % 4 || (at && !is_mapped(run, at, sizeof(struct sam_weight_result))))
        refuse(run, SAM_WEIGHT_IS_ADDRESS,
               "result at 0x%08x: expected a multiple of 4, and %zu bytes in one buffer", at,
               sizeof(struct sam_weight_result));
    else
        run->work->result_address = at;
}

/* Whether decoding converts elements of type `from` to `to`. */
static bool can_decode(uint32_t from, uint32_t to)
{
    const bool to_f16 = to == SAM_F16 && sam_dtype_bits(from) <= 8 && sam_dtype_widens(from, to);
    return from == to || to_f16 || (to == SAM_F32 && from == SAM_BF16);
}

/* The elements of row `n`. */
static struct sam_chunks_range row_of(const struct run *run, uint64_t n)
{
    const uint64_t apart = n * run->work->record.elements_high;
    const bool shared = run->piece.layout == SAM_LAYOUT_SHARED; /* counts bytes */
    struct sam_chunks_range range = run->range;
    range.first += shared ? apart * sam_dtype_bits(run->piece.type) / 8 : apart;
    if (range.first < run->range.first)
        range.first = UINT64_MAX; /* past the end */
    return range;
}

/* Validate a decode record. */
static void check_decode(struct run *run)
{
    const struct sam_weight_record *r = &run->work->record;
    const uint64_t rows[] = {0, run->rows > 1, run->rows - 1}; /* the others are between them */
    if (!can_decode(r->packed_type, r->output_type))
        refuse(run, SAM_WEIGHT_IS_RECORD,
               "element type %s as %s: expected the same, floats of 8 or 4 bits as f16 (which "
               "cannot hold e8m0), or bf16 as f32",
               sam_dtype_name(run->piece.type), sam_dtype_name(run->range.to));
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        const struct sam_chunks_range range = row_of(run, rows[i]);
        const char *fault = sam_chunks_range_fault(&run->piece, &range, &run->row_room);
        if (fault)
            refuse(run, SAM_WEIGHT_IS_RECORD, "%s", fault);
    }
    if (run->row_room > r->destination_bytes / run->rows)
        refuse(run, SAM_WEIGHT_IS_DESTINATION, "room for %u bytes: expected %llu",
               r->destination_bytes, (unsigned long long)run->row_room * run->rows);
    run->room = r->destination_bytes / run->rows * (run->rows - 1) + run->row_room;
    run->source_size = r->source_bytes;
}

/* Validate an encode or count record, whose elements must be the whole piece. */
static void check_elements(struct run *run)
{
    const struct sam_weight_record *r = &run->work->record;
    run->work->counted = r->operation == SAM_WEIGHT_ENCODE && r->first_low;
    if (run->work->counted) /* not an element: the address of counters */
        run->range.first -= r->first_low;
    if (r->output_type != r->packed_type)
        refuse(run, SAM_WEIGHT_IS_RECORD, "an output type of %s: expected that of the elements",
               sam_dtype_name(run->range.to));
    if (r->piece || run->range.first)
        refuse(run, SAM_WEIGHT_IS_RECORD,
               "piece %u from element %llu: expected 0, as the elements are the whole piece",
               r->piece, (unsigned long long)run->range.first);
    if (run->piece.count != run->range.count)
        refuse(run, SAM_WEIGHT_IS_RECORD, "%llu elements of a piece of %llu: expected all of them",
               (unsigned long long)run->range.count, (unsigned long long)run->piece.count);
    if (run->source_size > r->source_bytes)
        refuse(run, SAM_WEIGHT_IS_ADDRESS, "a source of %u bytes: the elements have %llu",
               r->source_bytes, (unsigned long long)run->source_size);
    run->room = run->row_room =
        r->operation == SAM_WEIGHT_COUNT ? COUNTER_BYTES : r->destination_bytes;
}

static void check_memory(struct run *run, uint32_t address)
{
    const struct sam_weight_record *r = &run->work->record;
    if (!is_mapped(run, r->source, run->source_size))
        refuse(run, SAM_WEIGHT_IS_ADDRESS, "source of %llu bytes at 0x%08x: not in one buffer",
               (unsigned long long)run->source_size, r->source);
    if (run->work->counted && (r->first_low % 4 || !is_mapped(run, r->first_low, COUNTER_BYTES)))
        refuse(run, SAM_WEIGHT_IS_ADDRESS,
               "counters at 0x%08x: expected a multiple of 4, and %d bytes in one buffer",
               r->first_low, COUNTER_BYTES);
    if (run->room > r->destination_bytes)
        refuse(run, SAM_WEIGHT_IS_DESTINATION, "room for %u bytes: expected %llu",
               r->destination_bytes, (unsigned long long)run->room);
    else if (!is_mapped(run, r->destination, run->room))
        refuse(run, SAM_WEIGHT_IS_DESTINATION,
               "destination of %llu bytes at 0x%08x: not in one buffer",
               (unsigned long long)run->room, r->destination);
    else if (overlap(r->destination, run->room, r->source, run->source_size) ||
             overlap(r->destination, run->room, address, RECORD) ||
             (r->result &&
              overlap(r->destination, run->room, r->result, sizeof(struct sam_weight_result))) ||
             (run->work->counted &&
              overlap(r->destination, run->room, r->first_low, COUNTER_BYTES)))
        refuse(run, SAM_WEIGHT_IS_DESTINATION,
               "destination of %llu bytes at 0x%08x: overlaps the source, the counters, the record "
               "or the result",
               (unsigned long long)run->room, r->destination);
}

static void check(struct run *run, uint32_t address)
{
    const struct sam_weight_record *r = &run->work->record;
    check_result(run);
    const bool by_rows = sam_weight_operation(r) == SAM_WEIGHT_ROWS;
    run->rows = by_rows ? r->operation >> 8 : 1;
    if (!by_rows && r->operation > SAM_WEIGHT_COUNT)
        refuse(run, SAM_WEIGHT_IS_RECORD, "operation %u: expected 0 to %d", r->operation,
               SAM_WEIGHT_ROWS);
    if (run->rows == 0)
        refuse(run, SAM_WEIGHT_IS_RECORD,
               "no rows: expected their number in bits 8 to 31 of the operation");
    /* Check the range before the conversion to enum sam_dtype. */
    if (r->packed_type >= SAM_DTYPES || r->output_type >= SAM_DTYPES)
        refuse(run, SAM_WEIGHT_IS_RECORD, "element types %u and %u: expected numbers below %d",
               r->packed_type, r->output_type, SAM_DTYPES);
    if (run->work->result.status != SAM_WEIGHT_IS_GOOD)
        return;
    run->piece = (struct sam_chunks_piece){(enum sam_dtype)r->packed_type, r->layout, r->piece,
                                           number(r->total_low, r->total_high)};
    run->range = (struct sam_chunks_range){(enum sam_dtype)r->output_type,
                                           number(r->first_low, r->first_high),
                                           number(r->elements_low, by_rows ? 0 : r->elements_high)};
    const bool decodes = by_rows || r->operation == SAM_WEIGHT_DECODE;
    if (!decodes && r->layout == SAM_LAYOUT_SHARED)
        run->piece.layout = SAM_LAYOUT_BYTES; /* equal chunks for a piece of one tensor */
    const char *fault = sam_chunks_fault(&run->piece, &run->source_size);
    if (fault)
        refuse(run, SAM_WEIGHT_IS_RECORD, "%s", fault);
    else if (decodes)
        check_decode(run);
    else
        check_elements(run);
    if (run->work->result.status == SAM_WEIGHT_IS_GOOD)
        check_memory(run, address);
}

/* --- work */
static bool read_source(void *context, uint64_t offset, void *data, size_t size)
{
    struct run *run = context;
    sam_memory_read(run->memory, run->work->record.source + offset, data, size);
    return true;
}

/* The bytes in place, if they are contiguous on the host; else NULL. */
static uint8_t *find(struct run *run, uint64_t address, size_t size, size_t *all)
{
    uint8_t *bytes = sam_memory_run(run->memory, address, all);
    return *all >= size ? bytes : NULL;
}

static const uint8_t *look(void *context, uint64_t offset, size_t size, size_t *all)
{
    struct run *run = context;
    return find(run, run->work->record.source + offset, size, all);
}

static uint8_t *place(void *context, uint64_t to, size_t size)
{
    struct run *run = context;
    size_t all = size;
    return find(run, run->work->record.destination + run->row + to, size, &all);
}

static bool store(struct run *run, uint64_t address, const void *data, uint64_t size)
{
    run->exhausted |= !sam_memory_write(run->memory, address, data, (size_t)size);
    return !run->exhausted;
}

static struct system_weight_block *add_block(struct run *run)
{
    struct system_weight_work *work = run->work;
    void *grown = sam_grow(work->blocks, work->count, &work->capacity, sizeof *work->blocks);
    run->exhausted |= !grown;
    if (!grown)
        return NULL;
    work->blocks = grown;
    work->blocks[work->count] = (struct system_weight_block){0};
    return &work->blocks[work->count++];
}

static struct system_weight_span span_of(uint64_t base, const struct sam_segment_bytes *bytes)
{
    return (struct system_weight_span){base + bytes->from, bytes->size, bytes->codes};
}

static bool add_span(struct run *run, struct system_weight_span span)
{
    struct system_weight_work *work = run->work;
    void *grown = sam_grow(work->spans, work->span_count, &work->span_capacity, sizeof span);
    run->exhausted |= !grown;
    if (!grown)
        return false;
    work->spans = grown;
    work->spans[work->span_count++] = span;
    return true;
}

/* The segments of a decoded block. Its output is divided like its elements. */
static bool add_segments(struct run *run, const struct sam_chunks_step *step,
                         struct system_weight_block *block)
{
    struct system_weight_work *work = run->work;
    const struct sam_segments *list = step->segments;
    const struct sam_segment *first = list->list, *last = first + list->count - 1;
    const uint64_t base = block->source, count = last->first + last->elements - first->first;
    block->mode = list->mode;
    block->number = list->block;
    block->size = list->size;
    block->first = first->first;
    block->head = span_of(base, &list->head);
    block->next = span_of(base, &step->next_head);
    block->segment = work->segment_count;
    block->segments = list->count;
    uint64_t end = list->head.size, given = 0;
    for (const struct sam_segment *s = first; s <= last; s++) {
        void *grown = sam_grow(work->segments, work->segment_count, &work->segment_capacity,
                               sizeof *work->segments);
        run->exhausted |= !grown;
        if (!grown)
            return false;
        work->segments = grown;
        const uint64_t to = (uint64_t)((unsigned __int128)step->to_size *
                                       (s->first + s->elements - first->first) / count);
        work->segments[work->segment_count++] =
            (struct system_weight_segment){.elements = s->elements,
                                           .skipped = s->skipped,
                                           .escapes = s->escapes,
                                           .coded_bits = s->coded_bits,
                                           .down = s->down,
                                           .read = work->span_count,
                                           .reads = s->reads,
                                           .destination = block->destination + given,
                                           .destination_bytes = to - given};
        given = to;
        for (size_t i = s->read; i < s->read + s->reads; i++) {
            const struct sam_segment_bytes *b = &list->bytes[i];
            if (!add_span(run, span_of(base, b)))
                return false;
            end = b->from + b->size > end ? b->from + b->size : end;
        }
    }
    if (list->head.size == 0 && work->segments[block->segment].reads) { /* from the first byte */
        const uint64_t from = work->spans[work->segments[block->segment].read].address;
        end -= from - block->source;
        block->source = from;
    }
    block->source_bytes = end;
    return true;
}

static bool take_step(void *context, const struct sam_chunks_step *step)
{
    struct run *run = context;
    struct system_weight_work *work = run->work;
    struct system_weight_block *block = add_block(run);
    if (!block)
        return false;
    *block =
        (struct system_weight_block){.source = work->record.source + step->from,
                                     .source_bytes = step->from_size,
                                     .destination = work->record.destination + run->row + step->to,
                                     .destination_bytes = step->to_size,
                                     .cost = step->cost,
                                     .counted = step->counted,
                                     .id = step->id};
    if (step->segments && step->segments->count && !add_segments(run, step, block))
        return false;
    if (!step->placed && !store(run, block->destination, step->data, step->to_size))
        return false;
    work->result.bytes += (uint32_t)step->to_size;
    work->result.symbols += (uint32_t)step->counted;
    return true;
}

static enum sam_status count(struct run *run, struct sam_source source,
                             const struct sam_chunks_sink *sink, struct sam_error *error)
{
    struct system_weight_work *work = run->work;
    uint64_t counts[COUNTERS];
    uint8_t bytes[COUNTER_BYTES];
    enum sam_status status = sam_chunks_count(&run->piece, source, sink, counts, error);
    if (status != SAM_OK)
        return status;
    uint32_t exact[COUNTERS], seen[COUNTERS];
    for (unsigned i = 0; i < COUNTERS; i++) /* below the bytes of memory: 32 bits */
        exact[i] = (uint32_t)counts[i];
    if (run->counter)
        sam_counter_read(run->counter, exact, seen);
    work->result.symbols = 0;
    for (unsigned i = 0; i < COUNTERS; i++) {
        const uint32_t counter = run->counter ? seen[i] : exact[i];
        work->result.symbols += counter;
        sam_put_le32(bytes + 4 * i, counter);
    }
    struct system_weight_block *block = add_block(run);
    if (!block || !store(run, work->record.destination, bytes, sizeof bytes))
        return SAM_ERR_IO;
    block->source = work->record.source + run->source_size;
    block->destination = work->record.destination;
    block->destination_bytes = work->result.bytes = sizeof bytes;
    return SAM_OK;
}

/* The number of elements decoded, encoded or counted. */
static uint32_t elements_done(const struct run *run)
{
    const struct system_weight_work *work = run->work;
    uint64_t bytes = 0;
    if (sam_weight_operation(&work->record) == SAM_WEIGHT_DECODE ||
        sam_weight_operation(&work->record) == SAM_WEIGHT_ROWS)
        return (uint32_t)((uint64_t)work->result.bytes * 8 / sam_dtype_bits(run->range.to));
    for (size_t i = work->counted; i < work->count; i++)
        bytes += work->blocks[i].source_bytes;
    return (uint32_t)(bytes * 8 / sam_dtype_bits(run->piece.type));
}

/* Counters in memory, if the record names any, replace those of the unit. */
static enum sam_status encode(struct run *run, struct sam_source source,
                              const struct sam_chunks_sink *sink, struct sam_error *error)
{
    if (!run->work->counted)
        return sam_chunks_encode(&run->piece, source, run->counter, sink, error);
    uint8_t bytes[COUNTER_BYTES];
    struct system_weight_block *block = add_block(run);
    if (!block)
        return SAM_ERR_MEMORY;
    block->source = run->work->record.first_low;
    block->source_bytes = sizeof bytes;
    sam_memory_read(run->memory, block->source, bytes, sizeof bytes);
    for (unsigned i = 0; i < COUNTERS; i++)
        run->counters[i] = sam_le32(bytes + 4 * i);
    run->given = (struct sam_counter){.given = run->counters};
    return sam_chunks_encode(&run->piece, source, &run->given, sink, error);
}

static void perform(struct run *run)
{
    struct system_weight_work *work = run->work;
    const struct sam_source source = {read_source, run, run->source_size};
    const struct sam_chunks_source chunks = {source, look};
    const struct sam_chunks_sink sink = {take_step, run, run->row_room, place, run->engines};
    struct sam_error error = {0};
    uint64_t damaged = 0;
    enum sam_status status = SAM_OK;
    switch (sam_weight_operation(&work->record)) {
    case SAM_WEIGHT_DECODE:
    case SAM_WEIGHT_ROWS:
        for (uint32_t n = 0; n < run->rows && status == SAM_OK; n++) {
            const struct sam_chunks_range range = row_of(run, n);
            run->row = (uint64_t)(work->record.destination_bytes / run->rows) * n;
            status = sam_chunks_decode(&run->piece, &range, &chunks, &sink, &work->room, &damaged,
                                       &error);
        }
        break;
    case SAM_WEIGHT_ENCODE: status = encode(run, source, &sink, &error); break;
    default: status = count(run, source, &sink, &error); break;
    }
    work->result.elements = elements_done(run);
    run->exhausted |= status == SAM_ERR_MEMORY;
    if (status == SAM_ERR_INPUT) {
        work->result.damaged_block = (uint32_t)damaged;
        refuse(run, SAM_WEIGHT_IS_DAMAGED, "%s", error.text);
    } else if (status != SAM_OK) {
        refuse(run, SAM_WEIGHT_IS_DESTINATION, "room for %u bytes: the chunks need more",
               work->record.destination_bytes);
    }
}

static void write_result(struct run *run)
{
    const struct sam_weight_result *result = &run->work->result;
    const uint32_t words[] = {
#define SAM_DEVICE_RESULT(name, meaning) result->name,
#include "samite/device/layout.def"
#undef SAM_DEVICE_RESULT
    };
    uint8_t bytes[sizeof words];
    for (size_t i = 0; i < SAM_COUNT(words); i++)
        sam_put_le32(bytes + 4 * i, words[i]);
    if (run->work->result_address)
        store(run, run->work->result_address, bytes, sizeof bytes);
}

enum sam_status sam_system_weight_run(struct sam_memory *memory, uint32_t address,
                                      const uint32_t words[16], const struct sam_counter *counter,
                                      unsigned engines, struct system_weight_work *work,
                                      struct sam_error *error)
{
    struct run run = {.memory = memory, .work = work, .counter = counter, .engines = engines};
    *work = (struct system_weight_work){.result.damaged_block = UINT32_MAX,
                                        .blocks = work->blocks,
                                        .capacity = work->capacity,
                                        .segments = work->segments,
                                        .segment_capacity = work->segment_capacity,
                                        .spans = work->spans,
                                        .span_capacity = work->span_capacity,
                                        .room = work->room};
    memcpy(&work->record, words, sizeof work->record);
    check(&run, address);
    if (work->result.status == SAM_WEIGHT_IS_GOOD)
        perform(&run);
    write_result(&run);
    return run.exhausted ? sam_fail_memory(error) : SAM_OK;
}

void sam_system_weight_free(struct system_weight_work *work)
{
    free(work->blocks);
    free(work->segments);
    free(work->spans);
    sam_chunks_room_free(&work->room);
    *work = (struct system_weight_work){0};
}
