/* SPDX-License-Identifier: Apache-2.0 */
/* Map from hart code ranges and kernels to operations, and the points where events are recorded,
 * waited for and copied. The time model of the system uses it. */
#include "lower/op_map.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lower/program.h"

struct lower_mark {
    char *label;
    struct sam_system_mark mark; /* operation: index in the tile program; no address or events
                                    yet */
    size_t events;               /* index in ids: `count` sources, then `count` targets */
};

struct lower_launched {
    char name[24];
    size_t ops; /* in ids */
    uint32_t count;
};

struct lower_op_map {
    struct lower_mark *marks;
    size_t count, capacity;
    struct lower_launched *kernels;
    size_t kernel_count, kernel_capacity;
    uint32_t *ids; /* events and operations; an event is named by its value */
    size_t id_count, id_capacity;
};

static struct lower_op_map *op_map_of(struct lower *l)
{
    if (!l->state->op_map)
        l->state->op_map = sam_alloc(1, sizeof *l->state->op_map);
    l->state->memory |= !l->state->op_map;
    return l->state->op_map;
}

/* Grow an array by one element; returns NULL on out-of-memory. */
static void *one_more(struct lower *l, void *array, size_t count, size_t *capacity, size_t size)
{
    void *grown = sam_grow(array, count, capacity, size);
    l->state->memory |= !grown;
    return grown;
}

void sam_lower_mark(struct lower *l, const char *label, const struct sam_tile_op *op)
{
    struct lower_op_map *m = op_map_of(l);
    void *grown = m ? one_more(l, m->marks, m->count, &m->capacity, sizeof *m->marks) : NULL;
    if (!grown)
        return;
    m->marks = grown;
    m->marks[m->count] = (struct lower_mark){
        .label = sam_strdup(label),
        .mark = {.kind = SAM_SYSTEM_MARK_CODE,
                 .operation = op ? sam_lower_origin(l, op) : SAM_SYSTEM_NO_PIPE}};
    l->state->memory |= !m->marks[m->count++].label;
}

static void add_id(struct lower *l, struct lower_op_map *m, uint32_t id)
{
    void *grown = one_more(l, m->ids, m->id_count, &m->id_capacity, sizeof *m->ids);
    if (!grown)
        return;
    m->ids = grown;
    m->ids[m->id_count++] = id;
}

static bool is_event(const struct lower *l, uint32_t value)
{
    return sam_tile_ty(l->p, value)->kind == SAM_TILE_KIND_EVENT;
}

/* Classify the last mark; the caller adds its events. Returns NULL if there is none. */
static struct lower_op_map *classify(struct lower *l, enum sam_system_mark_kind kind,
                                     uint32_t count)
{
    struct lower_op_map *m = op_map_of(l);
    if (!m || !m->count)
        return NULL;
    struct lower_mark *mark = &m->marks[m->count - 1];
    mark->mark.kind = kind;
    mark->mark.count = count;
    mark->events = m->id_count;
    return m;
}

void sam_lower_mark_record(struct lower *l, const struct sam_tile_op *op)
{
    struct lower_op_map *m = classify(l, SAM_SYSTEM_MARK_RECORD, 1);
    if (!m)
        return;
    m->marks[m->count - 1].mark.pipe = op->attribute;
    add_id(l, m, l->p->ids[op->results]);
}

void sam_lower_mark_wait(struct lower *l, const struct sam_tile_op *op)
{
    struct lower_op_map *m = classify(l, SAM_SYSTEM_MARK_WAIT, op->operand_count);
    for (uint32_t i = 0; m && i < op->operand_count; i++)
        add_id(l, m, sam_tile_arg(l->p, op, i));
}

void sam_lower_mark_copy(struct lower *l, const struct sam_tile_op *op, uint32_t first,
                         const uint32_t *targets, uint32_t count)
{
    uint32_t events = 0;
    for (uint32_t i = 0; i < count; i++)
        events += is_event(l, targets[i]);
    struct lower_op_map *m = events ? classify(l, SAM_SYSTEM_MARK_COPY, events) : NULL;
    for (uint32_t i = 0; m && i < 2 * count; i++) /* sources, then targets */
        if (is_event(l, targets[i % count]))
            add_id(l, m, i < count ? sam_tile_arg(l->p, op, first + i) : targets[i - count]);
}

void sam_lower_mark_kernel(struct lower *l, const struct sam_lower_kernel *k)
{
    struct lower_op_map *m = op_map_of(l);
    void *grown =
        m ? one_more(l, m->kernels, m->kernel_count, &m->kernel_capacity, sizeof *m->kernels)
          : NULL;
    if (!grown)
        return;
    m->kernels = grown;
    struct lower_launched *launched = &m->kernels[m->kernel_count++];
    launched->ops = m->id_count;
    launched->count = k->op_count;
    memcpy(launched->name, k->code, sizeof launched->name);
    for (unsigned i = 0; i < k->op_count; i++)
        add_id(l, m, sam_lower_origin(l, &l->p->ops[k->ops[i]]));
}

void sam_lower_op_map_free(struct lower_op_map *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->count; i++)
        free(m->marks[i].label);
    free(m->marks);
    free(m->kernels);
    free(m->ids);
    free(m);
}

/* ------------------------------------------------------------------------- the description */

/* The description kept with a lowered program. */
struct lower_described {
    struct sam_system_pipes pipes;
    struct sam_system_operation *operations;
    struct sam_system_mark *marks; /* in text order, sorted by address once placed */
    char **labels;                 /* by mark, in text order */
    struct sam_system_kernel *kernels;
    char (*names)[24];
    uint32_t *ids;
    bool placed; /* addresses are assigned */
};

/* Number the operations that have hart code or belong to a kernel. Returns their count. */
static uint32_t number_operations(const struct lower *l, const struct lower_op_map *m,
                                  uint32_t *number)
{
    uint32_t count = 0;
    for (size_t i = 0; i < l->source->op_count; i++)
        number[i] = SAM_SYSTEM_NO_PIPE;
    for (size_t i = 0; i < l->p->op_count; i++)
        if (l->state->begun[i])
            number[sam_lower_origin(l, &l->p->ops[i])] = 0;
    for (size_t i = 0; i < m->kernel_count; i++)
        for (uint32_t n = 0; n < m->kernels[i].count; n++)
            number[m->ids[m->kernels[i].ops + n]] = 0;
    for (size_t i = 0; i < l->source->op_count; i++)
        if (number[i] == 0)
            number[i] = count++;
    return count;
}

static void describe_operations(const struct lower *l, const uint32_t *number,
                                struct lower_described *d)
{
    for (size_t i = 0; i < l->source->op_count; i++) {
        const struct sam_tile_op *op = &l->source->ops[i];
        if (number[i] != SAM_SYSTEM_NO_PIPE)
            d->operations[number[i]] = (struct sam_system_operation){
                sam_lower_op_name(op), op->pos.line, op->pos.column,
                op->code < SAM_TILE_FIRST_OP ? SAM_SYSTEM_NO_PIPE
                                             : (uint32_t)sam_tile_pipe(op->code)};
    }
}

/* The event that a value names. A loop result is the loop parameter it is copied from. */
static uint32_t event_of(const struct lower *l, uint32_t value)
{
    const uint32_t by = l->p->values[value].op;
    if (by == SAM_TILE_NONE || l->p->ops[by].code != SAM_TILE_FOR)
        return value - l->f->first_value;
    const struct sam_tile_op *op = &l->p->ops[by];
    for (uint32_t i = 0; i < op->result_count; i++)
        if (l->p->ids[op->results + i] == value)
            return l->p->ids[op->params + 1 + i] - l->f->first_value;
    return value - l->f->first_value;
}

static void describe_marks(const struct lower *l, struct lower_op_map *m, const uint32_t *number,
                           struct lower_described *d)
{
    for (size_t i = 0; i < m->count; i++) {
        struct sam_system_mark *mark = &d->marks[i];
        uint32_t *events = d->ids + m->marks[i].events;
        const uint32_t count = m->marks[i].mark.count;
        *mark = m->marks[i].mark;
        const bool writes = mark->kind == SAM_SYSTEM_MARK_RECORD;
        const uint32_t all = mark->kind == SAM_SYSTEM_MARK_COPY ? 2 * count : count;
        if (mark->operation != SAM_SYSTEM_NO_PIPE)
            mark->operation = number[mark->operation];
        for (uint32_t k = 0; k < all; k++)
            events[k] = event_of(l, m->ids[m->marks[i].events + k]);
        mark->from = events;
        mark->to = writes ? events : events + count;
        d->labels[i] = m->marks[i].label;
        m->marks[i].label = NULL;
    }
}

static void describe_kernels(const struct lower_op_map *m, const uint32_t *number,
                             struct lower_described *d)
{
    for (size_t i = 0; i < m->kernel_count; i++) {
        const struct lower_launched *k = &m->kernels[i];
        memcpy(d->names[i], k->name, sizeof d->names[i]);
        for (uint32_t n = 0; n < k->count; n++)
            d->ids[k->ops + n] = number[m->ids[k->ops + n]];
        d->kernels[i] = (struct sam_system_kernel){d->names[i], d->ids + k->ops, k->count};
    }
}

struct lower_described *sam_lower_describe(struct lower *l)
{
    struct lower_op_map *m = op_map_of(l);
    struct lower_described *d = sam_alloc(1, sizeof *d);
    uint32_t *number = sam_alloc(l->source->op_count + 1, sizeof *number);
    const uint32_t count = m && number ? number_operations(l, m, number) : 0;
    if (m && d && number) {
        d->operations = sam_alloc((size_t)count + 1, sizeof *d->operations);
        d->marks = sam_alloc(m->count + 1, sizeof *d->marks);
        d->labels = sam_alloc(m->count + 1, sizeof *d->labels);
        d->kernels = sam_alloc(m->kernel_count + 1, sizeof *d->kernels);
        d->names = sam_alloc(m->kernel_count + 1, sizeof *d->names);
        d->ids = sam_alloc(m->id_count + 1, sizeof *d->ids);
    }
    const bool good =
        number && d && d->operations && d->marks && d->labels && d->kernels && d->names && d->ids;
    if (good) {
        d->pipes = (struct sam_system_pipes){.size = sizeof d->pipes,
                                             .title = "tile program",
                                             .names = sam_tile_pipe_names,
                                             .count = SAM_TILE_PIPES,
                                             .operations = d->operations,
                                             .operation_count = count,
                                             .marks = d->marks,
                                             .mark_count = m->count,
                                             .kernels = d->kernels,
                                             .kernel_count = m->kernel_count,
                                             .events = l->f->value_count};
        describe_operations(l, number, d);
        describe_marks(l, m, number, d);
        describe_kernels(m, number, d);
    }
    free(number);
    if (good)
        return d;
    sam_lower_described_free(d);
    return NULL;
}

void sam_lower_described_free(struct lower_described *d)
{
    if (!d)
        return;
    for (size_t i = 0; d->labels && i < d->pipes.mark_count; i++)
        free(d->labels[i]);
    free(d->operations);
    free(d->marks);
    free(d->labels);
    free(d->kernels);
    free(d->names);
    free(d->ids);
    free(d);
}

/* ------------------------------------------------------------------------------- addresses */

static int by_name(const void *x, const void *y)
{
    const struct sam_symbol *const *a = x, *const *b = y;
    return strcmp((*a)->name, (*b)->name);
}

/* Sort key: address, then text order. */
struct place {
    uint64_t address;
    size_t index;
};

static int by_place(const void *x, const void *y)
{
    const struct place *a = x, *b = y;
    if (a->address != b->address)
        return (a->address > b->address) - (a->address < b->address);
    return (a->index > b->index) - (a->index < b->index);
}

/* Assign the addresses of their labels to marks, and sort them. Returns false on out-of-memory or
 * for an unknown label. */
static bool place(struct lower_described *d, const struct sam_image *hart)
{
    const size_t count = d->pipes.mark_count;
    const struct sam_symbol **symbols = sam_alloc(hart->symbol_count + 1, sizeof(void *));
    struct place *places = sam_alloc(count + 1, sizeof *places);
    struct sam_system_mark *sorted = sam_alloc(count + 1, sizeof *sorted);
    bool good = symbols && places && sorted;
    for (size_t i = 0; good && i < hart->symbol_count; i++)
        symbols[i] = &hart->symbols[i];
    if (good)
        qsort(symbols, hart->symbol_count, sizeof(void *), by_name);
    for (size_t i = 0; good && i < count; i++) {
        const struct sam_symbol key = {.name = d->labels[i]}, *wanted = &key;
        const struct sam_symbol **found =
            bsearch(&wanted, symbols, hart->symbol_count, sizeof(void *), by_name);
        good = found != NULL;
        places[i] = (struct place){found ? (*found)->value : 0, i};
    }
    if (good) {
        qsort(places, count, sizeof *places, by_place);
        for (size_t i = 0; i < count; i++) {
            sorted[i] = d->marks[places[i].index];
            sorted[i].address = places[i].address;
        }
        memcpy(d->marks, sorted, count * sizeof *sorted);
        d->placed = true;
    }
    free(symbols);
    free(places);
    free(sorted);
    return good;
}

const struct sam_system_pipes *sam_lower_pipes(struct lower_described *d,
                                               const struct sam_image *hart)
{
    return d->placed || place(d, hart) ? &d->pipes : NULL;
}
