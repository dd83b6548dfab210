/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes the work of the hart, its units and the queues to the operations of a program. */
#include "system/pipes.h"

#include <stdlib.h>

#include "system/system.h"

/* ---------------------------------------------------------------------------------- kernels */

static int by_name(const void *a, const void *b)
{
    const struct sam_system_kernel *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static void sort_kernels(struct system_pipes *p)
{
    for (size_t i = 0; i < p->about.kernel_count; i++) {
        const struct sam_system_kernel *k = p->kernels[i] = &p->about.kernels[i];
        for (uint32_t n = 0; n < k->count; n++) {
            p->leaders[k->operations[n]] = k->operations[0];
            p->launched[k->operations[n]] = true;
        }
    }
    /* An operation may be in several kernels: one that leads any has work of its own. */
    for (size_t i = 0; i < p->about.kernel_count; i++)
        p->leaders[p->kernels[i]->operations[0]] = p->kernels[i]->operations[0];
    for (size_t i = 0; i < p->about.operation_count; i++)
        p->leaders[i] = p->leaders[p->leaders[i]];
    qsort(p->kernels, p->about.kernel_count, sizeof(void *), by_name);
}

/* ------------------------------------------------------------------------------------ marks */

static void add_span(struct system_pipes *p, struct system_spans *s, uint64_t from, uint64_t to)
{
    if (from >= to)
        return;
    if (s->count && from <= s->items[s->count - 1].to &&
        s->items[s->count - 1].operation == p->current) {
        s->items[s->count - 1].to = to;
        return;
    }
    void *grown = sam_grow(s->items, s->count, &s->capacity, sizeof *s->items);
    p->failed |= !grown;
    if (!grown)
        return;
    s->items = grown;
    s->items[s->count++] = (struct system_span){from, to, p->current};
}

/* The hart reaches another operation. */
static void move_to(struct system_pipes *p, size_t operation, uint64_t now, uint64_t order)
{
    struct sam_system_operation_time *t = &p->operations[p->current];
    const uint64_t retired = p->hart->core.retired;
    t->cycles += now - p->since;
    t->instructions += retired - p->since_retired;
    if (t->operation && t->operation->pipe != SAM_SYSTEM_NO_PIPE)
        add_span(p, &p->at[t->operation->pipe], p->since, now);
    p->current = operation;
    p->since = now;
    p->since_retired = retired;
    if (p->open != SYSTEM_NO_SLICE)
        p->slices[p->open].order_end = order;
    p->open = SYSTEM_NO_SLICE;
}

/* NULL: out of memory. */
static struct system_slice *add_slice(struct system_pipes *p, uint32_t operation, uint64_t now,
                                      uint64_t order)
{
    void *grown = sam_grow(p->slices, p->slice_count, &p->slice_capacity, sizeof *p->slices);
    p->failed |= !grown;
    if (!grown)
        return NULL;
    p->slices = grown;
    struct system_slice *s = &p->slices[p->slice_count];
    *s = (struct system_slice){.operation = operation,
                               .order = order,
                               .order_end = order,
                               .opened = now,
                               .issued = UINT64_MAX,
                               .start = UINT64_MAX};
    p->last[sam_system_slice_pipe(p, s)] = p->slice_count++;
    return s;
}

/* Open the slice of an operation that runs on the hart and its units, not in a kernel. */
static void begin(struct system_pipes *p, uint32_t operation, uint64_t now, uint64_t order)
{
    const bool work = operation != SAM_SYSTEM_NO_PIPE && !p->launched[operation] &&
                      p->about.operations[operation].pipe != SAM_SYSTEM_NO_PIPE;
    struct system_slice *s = work ? add_slice(p, operation, now, order) : NULL;
    if (!s)
        return;
    s->number = p->operations[operation].count++;
    s->order_end = UINT64_MAX;
    p->open = p->slice_count - 1;
}

static void add_arrow(struct system_pipes *p, size_t tail)
{
    if (tail == SYSTEM_NO_SLICE) /* the pipe was unused */
        return;
    void *grown = sam_grow(p->arrows, p->arrow_count, &p->arrow_capacity, sizeof *p->arrows);
    p->failed |= !grown;
    if (!grown)
        return;
    p->arrows = grown;
    p->arrows[p->arrow_count++] = (struct system_arrow){tail, p->slice_count};
}

static void take_mark(struct system_pipes *p, const struct sam_system_mark *m, uint64_t now,
                      uint64_t order)
{
    const size_t none = p->about.operation_count;
    move_to(p, m->operation == SAM_SYSTEM_NO_PIPE ? none : m->operation, now, order);
    switch (m->kind) {
    case SAM_SYSTEM_MARK_CODE: begin(p, m->operation, now, order); break;
    case SAM_SYSTEM_MARK_RECORD: p->events[m->to[0]] = p->last[m->pipe]; break;
    case SAM_SYSTEM_MARK_WAIT:
        for (uint32_t i = 0; i < m->count; i++)
            add_arrow(p, p->events[m->from[i]]);
        break;
    case SAM_SYSTEM_MARK_COPY:
        for (uint32_t i = 0; i < m->count; i++)
            p->copied[i] = p->events[m->from[i]];
        for (uint32_t i = 0; i < m->count; i++)
            p->events[m->to[i]] = p->copied[i];
        break;
    }
}

/* The first mark at or after the address. */
static size_t find_mark(const struct sam_system_pipes *about, uint64_t address)
{
    size_t low = 0;
    SAM_SEARCH(low, about->mark_count, i, about->marks[i].address < address);
    return low;
}

static void reached(void *context, uint64_t address, uint64_t now, uint64_t order)
{
    struct system_pipes *p = context;
    for (size_t i = find_mark(&p->about, address);
         i < p->about.mark_count && p->about.marks[i].address == address; i++)
        take_mark(p, &p->about.marks[i], now, order);
}

/* ------------------------------------------------------------------------------------- work */

static void add_work(struct system_slice *s, uint64_t issued, uint64_t start, uint64_t end)
{
    s->issued = issued < s->issued ? issued : s->issued;
    s->start = start < s->start ? start : s->start;
    s->end = end > s->end ? end : s->end;
}

/* The slice that the unit instruction number `order` belongs to, or NULL. */
static struct system_slice *find_slice(const struct system_pipes *p, uint64_t order)
{
    size_t low = 0;
    SAM_SEARCH(low, p->slice_count, i, p->slices[i].order <= order);
    while (low && p->slices[low - 1].kernel)
        low--;
    return low && order < p->slices[low - 1].order_end ? &p->slices[low - 1] : NULL;
}

void sam_system_pipes_worked(struct system_pipes *p, const struct sam_hart_worked *w)
{
    struct system_slice *s = p ? find_slice(p, w->order) : NULL;
    if (!s)
        return;
    add_work(s, w->issued, w->start, w->done);
    s->read += w->read;
    s->written += w->written;
}

void sam_system_pipes_launch(struct system_pipes *p, uint64_t now, uint64_t number,
                             const char *kernel)
{
    if (!p || !kernel)
        return;
    const struct sam_system_kernel key = {.name = kernel}, *wanted = &key;
    const struct sam_system_kernel **found =
        bsearch(&wanted, p->kernels, p->about.kernel_count, sizeof(void *), by_name);
    struct system_slice *s =
        found ? add_slice(p, (*found)->operations[0], now, sam_engines_order(p->hart->engines))
              : NULL;
    if (!s)
        return;
    s->kernel = *found;
    s->number = number;
    for (uint32_t i = 0; i < s->kernel->count; i++)
        p->operations[s->kernel->operations[i]].count++;
}

void sam_system_pipes_settle(struct system_pipes *p, const struct sam_system_launch_time *launches,
                             size_t count)
{
    for (size_t i = 0; p && i < p->slice_count; i++) {
        struct system_slice *s = &p->slices[i];
        if (!s->kernel || s->number >= count || !launches[s->number].end)
            continue;
        const struct sam_system_launch_time *l = &launches[s->number];
        add_work(s, l->submitted, l->first, l->end);
        s->read = l->read;
        s->written = l->written;
    }
}

void sam_system_pipes_record(struct system_pipes *p, uint64_t now)
{
    if (!p)
        return;
    void *grown = sam_grow(p->records, p->record_count, &p->record_capacity, sizeof *p->records);
    p->failed |= !grown;
    if (!grown)
        return;
    p->records = grown;
    p->records[p->record_count++] = p->open;
    if (p->open != SYSTEM_NO_SLICE && p->slices[p->open].issued == UINT64_MAX)
        p->slices[p->open].issued = now;
}

void sam_system_pipes_recorded(struct system_pipes *p, uint64_t number, uint64_t from, uint64_t to)
{
    if (!p || number >= p->record_count || p->records[number] == SYSTEM_NO_SLICE)
        return;
    struct system_slice *s = &p->slices[p->records[number]];
    add_work(s, s->issued, from, to);
}

/* ------------------------------------------------------------------------------------ waits */

void sam_system_pipes_wait(struct system_pipes *p, uint64_t now)
{
    if (p && p->waits_from == UINT64_MAX)
        p->waits_from = now;
}

void sam_system_pipes_accessed(struct system_pipes *p, uint64_t now, bool polls)
{
    enum { LOOP = 4 }; /* most instructions of a polling loop */
    if (!p)
        return;
    const uint64_t retired = p->hart->core.retired;
    if (p->waits_from != UINT64_MAX)
        add_span(p, &p->waits, p->waits_from, now);
    else if (polls && p->polled_retired && retired - p->polled_retired <= LOOP)
        add_span(p, &p->waits, p->polled_at, now);
    p->waits_from = UINT64_MAX;
    p->polled_at = now;
    p->polled_retired = polls ? retired : 0;
}

/* ------------------------------------------------------------------------------------- life */

static bool allocate(struct system_pipes *p)
{
    const struct sam_system_pipes *about = &p->about;
    uint32_t most = 1;
    for (size_t i = 0; i < about->mark_count; i++)
        most = about->marks[i].count > most ? about->marks[i].count : most;
    p->kernels = sam_alloc(about->kernel_count + 1, sizeof(void *));
    p->leaders = sam_alloc(about->operation_count + 1, sizeof *p->leaders);
    p->launched = sam_alloc(about->operation_count + 1, sizeof *p->launched);
    p->operations = sam_alloc(about->operation_count + 1, sizeof *p->operations);
    p->events = sam_alloc((size_t)about->events + 1, sizeof *p->events);
    p->copied = sam_alloc(most, sizeof *p->copied);
    return p->kernels && p->leaders && p->launched && p->operations && p->events && p->copied;
}

static void start(struct system_pipes *p)
{
    const struct sam_system_pipes *about = &p->about;
    for (size_t i = 0; i < about->operation_count; i++) {
        p->leaders[i] = i;
        p->operations[i].operation = &about->operations[i];
    }
    p->leaders[about->operation_count] = about->operation_count;
    sort_kernels(p);
    for (size_t i = 0; i <= about->operation_count; i++)
        p->operations[i].leader = p->leaders[i];
    for (uint32_t i = 0; i < about->events; i++)
        p->events[i] = SYSTEM_NO_SLICE;
    for (unsigned i = 0; i < SAM_SYSTEM_PIPES; i++)
        p->last[i] = SYSTEM_NO_SLICE;
    p->current = about->operation_count;
    p->open = SYSTEM_NO_SLICE;
    p->waits_from = UINT64_MAX;
    p->since = sam_engines_now(p->hart->engines);
    p->since_retired = p->hart->core.retired;
}

static bool mark(struct system_pipes *p)
{
    const struct sam_system_pipes *about = &p->about;
    uint64_t *addresses = sam_alloc(about->mark_count + 1, sizeof *addresses);
    for (size_t i = 0; addresses && i < about->mark_count; i++)
        addresses[i] = about->marks[i].address;
    const struct sam_hart_marks marks = {addresses, about->mark_count, reached, p};
    const bool good = addresses && sam_hart_mark(p->hart, &marks);
    free(addresses);
    return good;
}

void sam_system_pipes_free(struct system_pipes *p)
{
    if (!p)
        return;
    for (unsigned i = 0; i < SAM_SYSTEM_PIPES; i++)
        free(p->at[i].items);
    free(p->waits.items);
    free(p->kernels);
    free(p->leaders);
    free(p->launched);
    free(p->operations);
    free(p->slices);
    free(p->records);
    free(p->events);
    free(p->copied);
    free(p->arrows);
    free(p);
}

static struct system_pipes *create(const struct sam_system_pipes *about, struct sam_hart *hart)
{
    struct system_pipes *p = sam_alloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->about = *about;
    p->hart = hart;
    if (allocate(p)) {
        start(p);
        if (mark(p))
            return p;
    }
    sam_system_pipes_free(p);
    return NULL;
}

enum sam_status sam_system_describe_pipes(struct sam_system *system,
                                          const struct sam_system_pipes *pipes,
                                          struct sam_error *error)
{
    if (SAM_LACKS(error, system, pipes))
        return SAM_ERR_USAGE;
    if (system->time && system->time->pipes)
        return sam_fail(error, SAM_ERR_USAGE, "pipes of a second program: expected one");
    const enum sam_status status = sam_system_pipes_check(pipes, error);
    if (status != SAM_OK || !system->time)
        return status;
    system->time->pipes = create(pipes, system->hart);
    return system->time->pipes ? SAM_OK : sam_fail_memory(error);
}
