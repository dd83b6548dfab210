/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two commit logs: matches their warps and finds the first difference. */
#include <stdio.h>
#include <stdlib.h>

#include "trace/log.h"

const char *sam_log_ignored_name(enum sam_log_ignored kind)
{
    static const char *const names[SAM_LOG_IGNORED_KINDS] = {
        [SAM_LOG_OTHER] = "other lines",
        [SAM_LOG_ROM] = "boot ROM",
        [SAM_LOG_AFTER_END] = "after endprg",
        [SAM_LOG_REPEATED] = "waiting barrier",
        [SAM_LOG_EXECUTED] = "repeat counts",
        [SAM_LOG_INCOMPLETE] = "incomplete",
        [SAM_LOG_NO_REGISTER] = "no register written",
        [SAM_LOG_X0] = "writes to x0",
        [SAM_LOG_MACHINE_CSR] = "values of mstatus",
    };
    return (unsigned)kind < SAM_LOG_IGNORED_KINDS ? names[kind] : NULL;
}

/* A register write of a warp, where one log is of hardware. */
struct event {
    uint32_t record; /* within the warp */
    uint16_t bucket; /* a scalar register, or 256 + a vector register */
    uint16_t item;   /* within the record */
};

enum { BUCKETS = 512, VECTORS = 256 };

struct events {
    struct event *items;
    size_t count, capacity;
    uint32_t first[BUCKETS + 1]; /* start of each register's writes in `sorted` */
    struct event *sorted;
    size_t sorted_capacity;
};

struct comparer {
    struct sam_log logs[2];
    struct sam_logdiff *diff;
    bool by_register; /* one log is of hardware, which reorders writes */
    struct events events[2];
    uint64_t best; /* line of the first difference so far in the first log */
    bool exhausted;
};

/* --------------------------------------------------------------------------------- reporting */

static struct sam_log_line line_of(const struct sam_log *log, const struct sam_log_record *record)
{
    const char *from = log->text + record->at, *to = from + record->size;
    while (from > log->text && from[-1] != '\n')
        from--;
    return (struct sam_log_line){record->line, from, (size_t)(to - from)};
}

/* The location of a warp's difference. */
struct place {
    const struct sam_log_warp *warps[2];   /* one may be NULL */
    const struct sam_log_record *sides[2]; /* NULL: the warp has no more records */
    uint32_t before;                       /* preceding records of the first log's warp */
};

/* Warps missing from one log, as from a log of one warp, come after all differences. */
static uint64_t rank_of(const struct comparer *c, const struct place *place)
{
    const struct sam_log_warp *a = place->warps[0], *b = place->warps[1];
    if (!b)
        return (UINT64_C(1) << 32) + place->sides[0]->line;
    if (!a)
        return (UINT64_C(1) << 33) + place->sides[1]->line;
    if (place->sides[0])
        return place->sides[0]->line;
    return sam_log_record_of(&c->logs[0], a, a->count - 1)->line + UINT64_C(1);
}

/* Keep a difference if it is the first so far. */
static void report(struct comparer *c, const struct place *place, const char *what)
{
    struct sam_logdiff *diff = c->diff;
    const uint64_t rank = rank_of(c, place);
    if (!diff->equal && rank >= c->best)
        return;
    const struct sam_log_warp *warp = place->warps[place->warps[0] ? 0 : 1];
    c->best = rank;
    diff->equal = false;
    diff->warp = warp->id;
    diff->workgroup = warp->nth;
    diff->has_group = false;
    for (int side = 0; side < 2; side++) {
        const struct sam_log_warp *w = place->warps[side];
        if (w && !diff->has_group && w->group[0] != UINT32_MAX) {
            diff->has_group = true;
            for (int k = 0; k < 3; k++)
                diff->group[k] = w->group[k] == UINT32_MAX ? 0 : w->group[k];
        }
        diff->side[side].line = place->sides[side] ? line_of(&c->logs[side], place->sides[side])
                                                   : (struct sam_log_line){0};
    }
    const uint32_t shown = place->before < SAM_LOGDIFF_COMMON ? place->before : SAM_LOGDIFF_COMMON;
    diff->common_count = place->warps[0] && place->warps[1] ? shown : 0;
    for (uint32_t i = 0; i < diff->common_count; i++)
        diff->common[i] = line_of(&c->logs[0], sam_log_record_of(&c->logs[0], place->warps[0],
                                                                 place->before - shown + i));
    const struct sam_log_record *last[2] = {place->sides[0], place->sides[1]};
    const char *cut = last[0] && last[0]->line == c->logs[0].open   ? "; the first log ends here"
                      : last[1] && last[1]->line == c->logs[1].open ? "; the second log ends here"
                                                                    : "";
    snprintf(diff->what, sizeof diff->what, "%s%s", what, cut);
}

/* -------------------------------------------------------------------------------- two items */

enum { WHAT = 128 };

static bool words_equal(const struct sam_log_item *a, const struct sam_log_item *b, bool active,
                        char what[WHAT])
{
    if (a->has_mask && b->has_mask && a->mask != b->mask) {
        snprintf(what, WHAT, "lanes written of v%u are 0x%08x: 0x%08x in the second log", a->reg,
                 a->mask, b->mask);
        return false;
    }
    if (a->lanes != b->lanes) {
        snprintf(what, WHAT, "v%u has %u lanes: %u in the second log", a->reg, a->lanes, b->lanes);
        return false;
    }
    const uint32_t mask = a->has_mask ? a->mask : b->has_mask ? b->mask : UINT32_MAX;
    for (unsigned lane = 0; lane < a->lanes; lane++) {
        const uint32_t x = a->words[a->lanes - 1 - lane], y = b->words[b->lanes - 1 - lane];
        if (x == y || (active && lane < 32 && !(mask >> lane & 1)))
            continue;
        snprintf(what, WHAT, "lane %u of v%u is 0x%08x: 0x%08x in the second log", lane, a->reg, x,
                 y);
        return false;
    }
    return true;
}

/* `active`: ignore elements of inactive lanes. */
static bool items_equal(const struct sam_log_item *a, const struct sam_log_item *b, bool active,
                        char what[WHAT])
{
    static const char *const kinds[] = {"nothing more", "a scalar register", "a vector register",
                                        "memory", "a lane mask"};
    if (a->kind != b->kind) {
        snprintf(what, WHAT, "%s changes: %s in the second log", kinds[a->kind], kinds[b->kind]);
        return false;
    }
    if ((a->kind == SAM_LOG_SCALAR || a->kind == SAM_LOG_VECTOR) && a->reg != b->reg) {
        const char name = a->kind == SAM_LOG_SCALAR ? 'x' : 'v';
        snprintf(what, WHAT, "%c%u is written: %c%u in the second log", name, a->reg, name, b->reg);
        return false;
    }
    switch (a->kind) {
    case SAM_LOG_VECTOR: return words_equal(a, b, active, what);
    case SAM_LOG_SCALAR:
        snprintf(what, WHAT, "x%u is 0x%08x: 0x%08x in the second log", a->reg, a->value, b->value);
        return a->value == b->value;
    case SAM_LOG_MEMORY:
        snprintf(what, WHAT, "memory at 0x%08x is accessed: at 0x%08x in the second log", a->value,
                 b->value);
        if (a->value == b->value && a->stored && b->stored && a->data != b->data)
            snprintf(what, WHAT, "0x%x is stored at 0x%08x: 0x%x in the second log", a->data,
                     a->value, b->data);
        return a->value == b->value && (!a->stored || !b->stored || a->data == b->data);
    case SAM_LOG_MASK:
        snprintf(what, WHAT, "the lane mask is 0x%08x: 0x%08x in the second log", a->value,
                 b->value);
        return a->value == b->value;
    default: return true;
    }
}

static bool places_equal(const struct sam_log_record *a, const struct sam_log_record *b,
                         char what[WHAT])
{
    if (a->pc != b->pc) {
        snprintf(what, WHAT, "pc is 0x%08x: 0x%08x in the second log", a->pc, b->pc);
        return false;
    }
    if (a->word && b->word && a->word != b->word) {
        snprintf(what, WHAT, "the instruction is 0x%08x: 0x%08x in the second log", a->word,
                 b->word);
        return false;
    }
    return true;
}

/* ------------------------------------------------------------- two logs of all instructions */

/* Older logs print the SIMT mask on a line of its own, which is not read. */
static void next_but_lone_mask(struct sam_log_cursor cursors[2], struct sam_log_item items[2])
{
    for (int side = 0; side < 2; side++)
        sam_log_next(&cursors[side], &items[side]);
    for (int side = 0; side < 2; side++)
        if (items[side].kind == SAM_LOG_MASK && items[1 - side].kind != SAM_LOG_MASK)
            sam_log_next(&cursors[side], &items[side]);
}

static bool records_equal(const struct comparer *c, const struct sam_log_record *a,
                          const struct sam_log_record *b, char what[WHAT])
{
    if (!places_equal(a, b, what))
        return false;
    if (a->size == b->size &&
        memcmp(c->logs[0].text + a->at, c->logs[1].text + b->at, a->size) == 0)
        return true;
    struct sam_log_item items[2];
    struct sam_log_cursor cursors[2] = {sam_log_items(&c->logs[0], a),
                                        sam_log_items(&c->logs[1], b)};
    do {
        next_but_lone_mask(cursors, items);
        if (!items_equal(&items[0], &items[1], false, what))
            return false;
    } while (items[0].kind != SAM_LOG_NONE);
    return true;
}

static bool compare_in_order(struct comparer *c, const struct sam_log_warp *a,
                             const struct sam_log_warp *b)
{
    const uint32_t most = a->count > b->count ? a->count : b->count;
    for (uint32_t i = 0; i < most; i++) {
        struct place place = {{a, b}, {NULL, NULL}, i};
        char what[WHAT] = "the first log has no more of the warp";
        if (i < a->count)
            place.sides[0] = sam_log_record_of(&c->logs[0], a, i);
        if (i < b->count)
            place.sides[1] = sam_log_record_of(&c->logs[1], b, i);
        if (i >= b->count)
            snprintf(what, WHAT, "the second log has no more of the warp");
        else if (i < a->count && records_equal(c, place.sides[0], place.sides[1], what))
            continue;
        report(c, &place, what);
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------- registers one by one */

/* Find the n-th item of a record that is a register. */
static void item_of(const struct sam_log *log, const struct sam_log_record *record, unsigned n,
                    struct sam_log_item *item)
{
    struct sam_log_cursor cursor = sam_log_items(log, record);
    do
        sam_log_next(&cursor, item);
    while (n-- && item->kind != SAM_LOG_NONE);
}

static void add_event(struct comparer *c, struct events *e, struct event event)
{
    void *grown = sam_grow(e->items, e->count, &e->capacity, sizeof *e->items);
    if (!grown) {
        c->exhausted = true;
        return;
    }
    e->items = grown;
    e->items[e->count++] = event;
}

/* mstatus depends on the machine, and writes to x0 have no effect. */
static bool is_compared(struct sam_logdiff_side *side, const struct sam_log_record *record,
                        const struct sam_log_item *item)
{
    const bool no_register = item->kind == SAM_LOG_SCALAR && item->reg == 0;
    const bool machine =
        sam_word_is_csr(record->word) && sam_word_csr(record->word) == SAM_CSR_mstatus;
    if (no_register || machine)
        side->ignored[no_register ? SAM_LOG_X0 : SAM_LOG_MACHINE_CSR]++;
    return !no_register && !machine;
}

/* The register writes of a warp, sorted by register and then by time. */
static void collect(struct comparer *c, int which, const struct sam_log_warp *warp)
{
    struct events *e = &c->events[which];
    const struct sam_log *log = &c->logs[which];
    struct sam_logdiff_side *side = &c->diff->side[which];
    struct sam_log_item item;
    e->count = 0;
    memset(e->first, 0, sizeof e->first);
    for (uint32_t i = 0; i < warp->count; i++) {
        const struct sam_log_record *record = sam_log_record_of(log, warp, i);
        struct sam_log_cursor cursor = sam_log_items(log, record);
        bool any = false;
        unsigned n = 0;
        for (sam_log_next(&cursor, &item); item.kind != SAM_LOG_NONE;
             n++, sam_log_next(&cursor, &item)) {
            if (item.kind != SAM_LOG_SCALAR && item.kind != SAM_LOG_VECTOR)
                continue;
            any = true;
            const unsigned bucket = item.reg + (item.kind == SAM_LOG_VECTOR ? VECTORS : 0);
            if (n > UINT16_MAX || !is_compared(side, record, &item))
                continue;
            e->first[bucket + 1]++;
            add_event(c, e, (struct event){i, (uint16_t)bucket, (uint16_t)n});
        }
        side->ignored[SAM_LOG_NO_REGISTER] += !any;
    }
    for (unsigned i = 0; i < BUCKETS; i++)
        e->first[i + 1] += e->first[i];
}

static void sort(struct comparer *c, struct events *e)
{
    uint32_t next[BUCKETS];
    if (e->sorted_capacity < e->count) {
        free(e->sorted);
        e->sorted = sam_alloc(e->count, sizeof *e->sorted);
        e->sorted_capacity = e->sorted ? e->count : 0;
        if (!e->sorted) {
            c->exhausted = true;
            return;
        }
    }
    memcpy(next, e->first, sizeof next);
    for (size_t i = 0; i < e->count; i++)
        e->sorted[next[e->items[i].bucket]++] = e->items[i];
}

/* Find the first difference among the writes of one register. Returns false if there is none. */
static bool compare_register(struct comparer *c, unsigned bucket, const struct sam_log_warp *a,
                             const struct sam_log_warp *b)
{
    const struct sam_log_warp *warps[2] = {a, b};
    uint32_t count[2];
    for (int side = 0; side < 2; side++)
        count[side] = c->events[side].first[bucket + 1] - c->events[side].first[bucket];
    const uint32_t most = count[0] > count[1] ? count[0] : count[1];
    for (uint32_t i = 0; i < most; i++) {
        struct place place = {{a, b}, {NULL, NULL}, a->count};
        struct sam_log_item items[2];
        char what[WHAT];
        for (int side = 0; side < 2; side++) {
            const struct events *e = &c->events[side];
            if (i >= count[side]) {
                snprintf(what, WHAT, "the %s log has no more writes of %c%u",
                         side ? "second" : "first", bucket < VECTORS ? 'x' : 'v', bucket % VECTORS);
                continue;
            }
            const struct event *event = &e->sorted[e->first[bucket] + i];
            place.sides[side] = sam_log_record_of(&c->logs[side], warps[side], event->record);
            item_of(&c->logs[side], place.sides[side], event->item, &items[side]);
            if (side == 0)
                place.before = event->record;
        }
        if (place.sides[0] && place.sides[1] &&
            places_equal(place.sides[0], place.sides[1], what) &&
            items_equal(&items[0], &items[1], true, what))
            continue;
        report(c, &place, what);
        return false;
    }
    return true;
}

static bool compare_by_register(struct comparer *c, const struct sam_log_warp *a,
                                const struct sam_log_warp *b)
{
    bool equal = true;
    collect(c, 0, a);
    collect(c, 1, b);
    for (int side = 0; side < 2 && !c->exhausted; side++)
        sort(c, &c->events[side]);
    for (unsigned bucket = 0; bucket < BUCKETS && !c->exhausted; bucket++)
        equal &= compare_register(c, bucket, a, b);
    return equal;
}

/* ------------------------------------------------------------------------------------ warps */

static int by_place(const void *left, const void *right)
{
    const struct sam_log_warp *const *x = left, *const *y = right;
    const struct sam_log_warp *a = *x, *b = *y;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    for (int k = 2; k >= 0; k--)
        if (a->group[k] != b->group[k])
            return a->group[k] < b->group[k] ? -1 : 1;
    return (a > b) - (a < b);
}

static int by_id(const void *left, const void *right)
{
    const struct sam_log_warp *const *x = left, *const *y = right;
    const struct sam_log_warp *a = *x, *b = *y;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return (a > b) - (a < b);
}

static bool same_place(const struct sam_log_warp *a, const struct sam_log_warp *b, bool known)
{
    for (int k = 0; k < 3; k++)
        if (a->group[k] != b->group[k] &&
            (known || (a->group[k] != UINT32_MAX && b->group[k] != UINT32_MAX)))
            return false;
    return a->id == b->id;
}

static void compare_pair(struct comparer *c, const struct sam_log_warp *a,
                         const struct sam_log_warp *b)
{
    c->diff->compared++;
    if (!(c->by_register ? compare_by_register(c, a, b) : compare_in_order(c, a, b)))
        c->diff->differing++;
}

static void report_lone(struct comparer *c, int side, const struct sam_log_warp *warp)
{
    struct place place = {{NULL, NULL}, {NULL, NULL}, 0};
    place.warps[side] = warp;
    place.sides[side] = sam_log_record_of(&c->logs[side], warp, 0);
    c->diff->only[side]++;
    report(c, &place, side ? "the first log has no such warp" : "the second log has no such warp");
}

/* Match warps of two lists in `compare` order and remove them from the lists. */
static void pair(struct comparer *c, const struct sam_log_warp **lists[2], size_t counts[2],
                 int (*compare)(const void *, const void *), bool known)
{
    size_t i = 0, j = 0, left[2] = {0, 0};
    for (int side = 0; side < 2; side++)
        qsort(lists[side], counts[side], sizeof(void *), compare);
    while (i < counts[0] && j < counts[1]) {
        const struct sam_log_warp *a = lists[0][i], *b = lists[1][j];
        if (same_place(a, b, known)) {
            compare_pair(c, a, b);
            i++;
            j++;
            continue;
        }
        /* The logs have unrelated addresses: compare only positions. */
        const struct sam_log_warp places[2] = {*a, *b};
        const struct sam_log_warp *first = &places[0], *second = &places[1];
        if (compare(&first, &second) < 0)
            lists[0][left[0]++] = lists[0][i++];
        else
            lists[1][left[1]++] = lists[1][j++];
    }
    while (i < counts[0])
        lists[0][left[0]++] = lists[0][i++];
    while (j < counts[1])
        lists[1][left[1]++] = lists[1][j++];
    memcpy(counts, left, sizeof left);
}

/* Match warps of the same number and workgroup; those that never read their workgroup match in list
 * order. */
static void match(struct comparer *c)
{
    const struct sam_log_warp **lists[2] = {NULL, NULL};
    size_t counts[2];
    for (int side = 0; side < 2; side++) {
        counts[side] = c->logs[side].warp_count;
        lists[side] = sam_alloc(counts[side], sizeof(void *));
        c->exhausted |= !lists[side];
        for (size_t i = 0; lists[side] && i < counts[side]; i++)
            lists[side][i] = &c->logs[side].warps[i];
    }
    if (!c->exhausted) {
        pair(c, lists, counts, by_place, true);
        pair(c, lists, counts, by_id, false);
        for (int side = 0; side < 2; side++)
            for (size_t i = 0; i < counts[side]; i++)
                report_lone(c, side, lists[side][i]);
    }
    free(lists[0]);
    free(lists[1]);
}

enum sam_status sam_log_compare(const char *first, size_t first_size, const char *first_name,
                                const char *second, size_t second_size, const char *second_name,
                                struct sam_logdiff *diff, struct sam_error *error)
{
    if (diff)
        *diff = (struct sam_logdiff){0};
    if (SAM_LACKS(error, first_name, second_name, diff))
        return SAM_ERR_USAGE;
    if ((first_size && !first) || (second_size && !second))
        return sam_fail_null(error, first_size && !first ? "first" : "second");
    struct comparer c = {.diff = diff};
    *diff = (struct sam_logdiff){.equal = true};
    enum sam_status status = sam_log_read(first, first_size, first_name, &c.logs[0], error);
    if (status == SAM_OK)
        status = sam_log_read(second, second_size, second_name, &c.logs[1], error);
    for (int side = 0; side < 2 && status == SAM_OK; side++) {
        const struct sam_log *log = &c.logs[side];
        struct sam_logdiff_side *s = &diff->side[side];
        *s = (struct sam_logdiff_side){.form = log->form,
                                       .records = log->record_count,
                                       .warps = log->warp_count,
                                       .first_other = log->first_other};
        memcpy(s->ignored, log->ignored, sizeof s->ignored);
        c.by_register |= log->form == SAM_LOG_RTL;
    }
    if (status == SAM_OK) {
        match(&c);
        if (c.exhausted)
            status = sam_fail_memory(error);
    }
    for (int side = 0; side < 2; side++) {
        free(c.events[side].items);
        free(c.events[side].sorted);
        sam_log_free(&c.logs[side]);
    }
    return status;
}
