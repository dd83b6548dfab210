/* SPDX-License-Identifier: Apache-2.0 */
/* Placement of tiles: at addresses that the program assigns (manual), or each where one
 * of the same size has been, else at the lowest offset free during its lifetime (auto). */
#include "tile/check/plan.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ALIGNMENT = 32 };

bool sam_tile_is_manual(const struct sam_tile_program *p)
{
    for (size_t i = 0; i < p->op_count; i++)
        if (p->ops[i].code == SAM_TILE_ASSIGN || p->ops[i].code == SAM_TILE_REBIND ||
            (p->ops[i].code == SAM_TILE_ALLOC && (p->ops[i].attribute & SAM_TILE_HAS_ADDRESS)))
            return true;
    return false;
}

/* Fold constants and their sums and products, to `depth` levels. */
static bool fold(const struct sam_tile_program *p, uint32_t value, unsigned depth, int64_t *number)
{
    const struct sam_tile_ty *type = sam_tile_ty(p, value);
    bool wide = type->kind == SAM_TILE_KIND_INDEX ||
                (type->kind == SAM_TILE_KIND_SCALAR && sam_tile_size(type->dtype) == 8);
    int64_t a, b;
    if (p->values[value].op == SAM_TILE_NONE || !depth)
        return false;
    const struct sam_tile_op *op = &p->ops[p->values[value].op];
    if (op->code == SAM_TILE_CONSTANT) {
        *number = op->literal;
        return true;
    }
    if (!wide) /* may have wrapped */
        return false;
    if (op->code == SAM_TILE_CAST)
        return fold(p, sam_tile_arg(p, op, 0), depth - 1, number);
    if ((op->code != SAM_TILE_ADDI && op->code != SAM_TILE_SUBI && op->code != SAM_TILE_MULI) ||
        !fold(p, sam_tile_arg(p, op, 0), depth - 1, &a) ||
        !fold(p, sam_tile_arg(p, op, 1), depth - 1, &b))
        return false;
    return op->code == SAM_TILE_ADDI   ? !__builtin_add_overflow(a, b, number)
           : op->code == SAM_TILE_SUBI ? !__builtin_sub_overflow(a, b, number)
                                       : !__builtin_mul_overflow(a, b, number);
}

bool sam_tile_constant(const struct sam_tile_program *p, uint32_t value, int64_t *literal)
{
    return fold(p, value, 6, literal);
}

bool sam_tile_span_in_root(const struct sam_tile_program *p, const struct sam_tile_flow *flow,
                           uint32_t value, uint64_t base, struct sam_tile_span *span)
{
    const struct sam_tile_type *type = &sam_tile_ty(p, value)->tile;
    const uint32_t root = flow->root[value - flow->first_value];
    const struct sam_tile_type *of = &sam_tile_ty(p, root)->tile;
    const bool by_rows = of->blayout == SAM_TILE_row_major;
    const uint32_t pitch = by_rows ? of->cols : of->rows;
    for (uint32_t at = value; at != root;) {
        const struct sam_tile_op *op = &p->ops[p->values[at].op];
        int64_t from[2];
        for (uint32_t i = 0; i < 2; i++)
            if (!sam_tile_constant(p, sam_tile_arg(p, op, 1 + i), &from[i]))
                return false;
        base += sam_tile_length(type->dtype, (uint64_t)(from[!by_rows] * pitch + from[by_rows]));
        at = sam_tile_arg(p, op, 0);
    }
    return sam_tile_span_tile(span, type, base, pitch);
}

static struct sam_tile_place *add(struct sam_tile_plan *plan, struct sam_tile_place place)
{
    void *grown = sam_grow(plan->places, plan->count, &plan->capacity, sizeof *plan->places);
    if (!grown)
        return NULL;
    plan->places = grown;
    plan->places[plan->count++] = place;
    return &plan->places[plan->count - 1];
}

/* Collect the root tiles of the function, ordered by start of lifetime. */
static bool collect(const struct sam_tile_program *p, const struct sam_tile_func *f,
                    const struct sam_tile_flow *flow, struct sam_tile_plan *plan)
{
    for (uint32_t i = 0; i < f->value_count; i++) {
        const struct sam_tile_value *v = &p->values[f->first_value + i];
        if (v->type.kind != SAM_TILE_KIND_TILE || flow->root[i] != f->first_value + i)
            continue;
        struct sam_tile_place place = {.value = f->first_value + i,
                                       .offset = SAM_TILE_NOWHERE,
                                       .size = sam_tile_bytes(&v->type.tile),
                                       .first = flow->life[i].first,
                                       .last = flow->life[i].last,
                                       .rests = flow->life[i].rests,
                                       .loc = v->type.tile.loc};
        if (!add(plan, place))
            return false;
    }
    return true;
}

static int by_first(const void *x, const void *y)
{
    const struct sam_tile_place *a = x, *b = y;
    return a->first != b->first ? (a->first < b->first ? -1 : 1)
                                : (a->value > b->value) - (a->value < b->value);
}

static struct sam_tile_pos position(const struct sam_tile_program *p, uint32_t value)
{
    return p->values[value].seen;
}

static int by_offset(const void *x, const void *y)
{
    const struct sam_tile_place *a = *(const struct sam_tile_place *const *)x;
    const struct sam_tile_place *b = *(const struct sam_tile_place *const *)y;
    return a->loc != b->loc ? (int)a->loc - (int)b->loc
                            : (a->offset > b->offset) - (a->offset < b->offset);
}

/* --- auto */

struct active {
    struct sam_tile_place **places; /* live tiles, by offset */
    size_t count;
};

static void complain(const struct sam_tile_program *p, const struct active *active,
                     const struct sam_tile_place *place, uint64_t capacity,
                     struct sam_tile_report *report)
{
    struct sam_buffer text = {0};
    uint64_t sum = place->size;
    size_t shown = 0;
    for (size_t i = 0; i < active->count; i++) {
        sum += active->places[i]->size;
        if (shown++ < 8)
            sam_buffer_printf(&text, "%s%%%s (%" PRIu64 ")", i ? ", " : "",
                              p->values[active->places[i]->value].name, active->places[i]->size);
    }
    if (active->count > shown || shown > 8)
        sam_buffer_printf(&text, " and %zu more", active->count - 8);
    sam_tile_error(report, position(p, place->value),
                   "%s needs %" PRIu64 " bytes here, has %" PRIu64 ": %%%s (%" PRIu64 ")%s%s%s%s",
                   sam_tile_loc_names[place->loc], sum, capacity, p->values[place->value].name,
                   place->size, active->count ? " beside " : "", sam_buffer_text(&text),
                   sum <= capacity ? "; the free room is fragmented" : "", "");
    sam_buffer_free(&text);
}

enum { MOST_REST = 16 };

/* Returns whether `by` keeps its bytes from another tile: while both live, and, if there is room,
 * for `rest` of MOST_REST parts of the time that its place should rest. */
static bool is_taken(const struct sam_tile_place *by, const struct sam_tile_place *place,
                     unsigned rest)
{
    if (by->first <= place->last && by->last >= place->first)
        return true;
    return by->rests > by->last && by->first <= place->first &&
           by->last + (uint64_t)(by->rests - by->last) * rest / MOST_REST >= place->first;
}

/* Place a tile at the lowest offset between live tiles, from `offset` on. Returns false if it does
 * not fit. */
static bool fit(struct active *active, struct sam_tile_place *place, uint64_t offset,
                uint64_t capacity, unsigned rest)
{
    for (size_t i = 0; i < active->count; i++) {
        const struct sam_tile_place *by = active->places[i];
        if (by->offset >= offset + place->size)
            break;
        if (!is_taken(by, place, rest) && !is_taken(place, by, rest))
            continue;
        const uint64_t end = (by->offset + by->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        offset = end > offset ? end : offset;
    }
    place->offset = offset;
    if (capacity && offset + place->size > capacity && place->size <= capacity)
        return false;
    size_t at = active->count;
    for (; at > 0 && active->places[at - 1]->offset > offset; at--)
        active->places[at] = active->places[at - 1];
    active->places[at] = place;
    active->count++;
    return true;
}

enum { MOST_EARLIER = 64 };

/* Returns the offset of the last tile of the same size whose place is free, or 0. Then a result has
 * all of the place of an operand, or nothing of it, and operations can be done row by row. */
static uint64_t earlier(const struct sam_tile_plan *plan, const struct active *active,
                        const struct sam_tile_place *place)
{
    const size_t count = (size_t)(place - plan->places);
    for (size_t i = count; i-- > 0 && i + MOST_EARLIER >= count;) {
        const struct sam_tile_place *other = &plan->places[i];
        bool free = other->loc == place->loc && other->size == place->size;
        for (size_t k = 0; free && k < active->count; k++)
            free = active->places[k]->offset >= other->offset + other->size ||
                   other->offset >= active->places[k]->offset + active->places[k]->size;
        if (free)
            return other->offset;
    }
    return 0;
}

/* Place tiles in order of their lifetimes; reuse: where one of the same size has been. Returns the
 * first that does not fit, or NULL. */
static struct sam_tile_place *place_in_time(struct sam_tile_plan *plan, int loc, uint64_t capacity,
                                            struct active *active, bool reuse)
{
    active->count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        struct sam_tile_place *place = &plan->places[i];
        size_t kept = 0;
        if ((int)place->loc != loc)
            continue;
        for (size_t k = 0; k < active->count; k++)
            if (is_taken(active->places[k], place, MOST_REST))
                active->places[kept++] = active->places[k];
        active->count = kept;
        const uint64_t from = reuse ? earlier(plan, active, place) : 0;
        unsigned rest = MOST_REST;
        while (!fit(active, place, from, capacity, rest) && rest)
            rest--;
        if (capacity && place->size <= capacity && place->offset + place->size > capacity)
            return place;
    }
    return NULL;
}

static int by_size(const void *x, const void *y)
{
    const struct sam_tile_place *a = *(const struct sam_tile_place *const *)x;
    const struct sam_tile_place *b = *(const struct sam_tile_place *const *)y;
    return a->size != b->size ? (a->size < b->size ? 1 : -1) : by_first(a, b);
}

/* Place the largest tiles first, each directly below or above those it overlaps in time. This
 * fragments memory less. */
static bool place_by_size(struct sam_tile_plan *plan, int loc, uint64_t capacity,
                          struct active *active, unsigned most_rest)
{
    struct sam_tile_place **sorted = sam_alloc(plan->count + 1, sizeof(struct sam_tile_place *));
    size_t count = 0;
    bool good = sorted != NULL;
    for (size_t i = 0; good && i < plan->count; i++)
        if ((int)plan->places[i].loc == loc)
            sorted[count++] = &plan->places[i];
    if (good)
        qsort(sorted, count, sizeof(struct sam_tile_place *), by_size);
    for (size_t i = 0; good && i < count; i++) {
        active->count = 0;
        for (size_t k = 0; k < i; k++)
            if (is_taken(sorted[k], sorted[i], MOST_REST) ||
                is_taken(sorted[i], sorted[k], MOST_REST))
                active->places[active->count++] = sorted[k];
        qsort(active->places, active->count, sizeof(struct sam_tile_place *), by_offset);
        unsigned rest = most_rest;
        while (!(good = fit(active, sorted[i], 0, capacity, rest)) && rest)
            rest--;
    }
    free(sorted);
    return good;
}

static bool rests_any(const struct sam_tile_plan *plan, int loc)
{
    for (size_t i = 0; i < plan->count; i++)
        if ((int)plan->places[i].loc == loc && plan->places[i].rests > plan->places[i].last)
            return true;
    return false;
}

/* Limit for placement by size, which is quadratic. */
enum { MOST_BY_SIZE = 4096 };

static bool place_all(const struct sam_tile_program *p, enum sam_tile_profile profile,
                      struct sam_tile_report *report, struct sam_tile_plan *plan)
{
    struct active active = {sam_alloc(plan->count + 1, sizeof(struct sam_tile_place *)), 0};
    if (!active.places)
        return false;
    for (int loc = 0; loc < SAM_TILE_LOCS; loc++) {
        uint64_t capacity = sam_tile_capacity(profile, (enum sam_tile_loc)loc);
        if (!place_in_time(plan, loc, capacity, &active, true))
            continue;
        struct sam_tile_place *late = place_in_time(plan, loc, capacity, &active, false);
        if (!late)
            continue;
        bool good = false;
        for (unsigned rest = MOST_REST + 1; plan->count <= MOST_BY_SIZE && !good && rest-- > 0;)
            good = place_by_size(plan, loc, capacity, &active, rest);
        plan->crowded |= good && rests_any(plan, loc);
        if (good)
            continue;
        /* For the message: tiles live at the same time. */
        place_in_time(plan, loc, capacity, &active, false);
        complain(p, &active, late, capacity, report);
    }
    free(active.places);
    return true;
}

/* --- manual */

static bool overlap(const struct sam_tile_place *a, const struct sam_tile_place *b)
{
    return a->loc == b->loc && a->offset != SAM_TILE_NOWHERE && b->offset != SAM_TILE_NOWHERE &&
           a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

bool sam_tile_shares(const struct sam_tile_plan *plan, uint32_t value)
{
    const struct sam_tile_place *place = sam_tile_place_find(plan, value);
    for (size_t i = 0; place && i < plan->count; i++)
        if (plan->places[i].value != value &&
            (place->offset == SAM_TILE_NOWHERE || overlap(place, &plan->places[i])))
            return true;
    return false;
}

static void set_address(const struct sam_tile_program *p, struct sam_tile_plan *plan,
                        uint32_t value, bool known, int64_t address, struct sam_tile_pos pos,
                        enum sam_tile_profile profile, struct sam_tile_report *report)
{
    struct sam_tile_place *place = (struct sam_tile_place *)sam_tile_place_find(plan, value);
    if (!place) {
        sam_tile_error(report, pos,
                       "%%%s is a window of another tile and takes its address from it",
                       p->values[value].name);
        return;
    }
    if (place->bound) {
        sam_tile_error(report, pos, "%%%s already has an address", p->values[value].name);
        return;
    }
    place->bound = true;
    if (!known)
        return;
    uint64_t capacity = sam_tile_capacity(profile, place->loc);
    uint64_t end = capacity ? capacity : SAM_TILE_LARGEST;
    if (address < 0)
        sam_tile_error(report, pos, "the address of %%%s is %" PRId64 ": expected 0 or more",
                       p->values[value].name, address);
    else if (address % ALIGNMENT)
        sam_tile_error(report, pos, "the address of %%%s, 0x%" PRIx64 ", is not a multiple of %d",
                       p->values[value].name, address, ALIGNMENT);
    else if ((uint64_t)address > end || place->size > end - (uint64_t)address)
        sam_tile_error(report, pos, "%%%s ends at 0x%" PRIx64 ", %s has 0x%" PRIx64 " bytes",
                       p->values[value].name, (uint64_t)address + place->size,
                       sam_tile_loc_names[place->loc], end);
    else
        place->offset = (uint64_t)address;
}

static void bind(const struct sam_tile_program *p, const struct sam_tile_func *f,
                 const struct sam_tile_flow *flow, enum sam_tile_profile profile,
                 struct sam_tile_report *report, struct sam_tile_plan *plan)
{
    for (size_t i = 0; i < p->op_count; i++) {
        const struct sam_tile_op *op = &p->ops[i];
        if (!flow->order[i])
            continue; /* of another function */
        int64_t address = op->literal;
        bool known = true;
        uint32_t value = SAM_TILE_NONE;
        if (op->code == SAM_TILE_ASSIGN)
            value = sam_tile_arg(p, op, 0);
        else if (op->code == SAM_TILE_ALLOC && (op->attribute & SAM_TILE_HAS_ADDRESS))
            value = p->ids[op->results],
            known = sam_tile_constant(p, sam_tile_arg(p, op, 0), &address);
        else if (op->code == SAM_TILE_REBIND)
            value = p->ids[op->results],
            known = sam_tile_constant(p, sam_tile_arg(p, op, 1), &address);
        if (value != SAM_TILE_NONE)
            set_address(p, plan, value, known, address, op->pos, profile, report);
    }
    for (size_t i = 0; i < plan->count; i++) {
        struct sam_tile_place *place = &plan->places[i];
        const struct sam_tile_life *life = &flow->life[place->value - f->first_value];
        bool used = life->last > life->first || life->first == 0;
        if (!place->bound && used && !report->report.errors)
            sam_tile_error(report, position(p, place->value),
                           "%%%s has no address; this program assigns addresses, so every tile "
                           "needs one (tassign, or addr = of alloc_tile)",
                           p->values[place->value].name);
    }
}

/* Report live tiles that share bytes. */
static bool find_overlaps(const struct sam_tile_program *p, const struct sam_tile_plan *plan,
                          struct sam_tile_report *report)
{
    struct sam_tile_place **sorted = sam_alloc(plan->count + 1, sizeof(struct sam_tile_place *));
    size_t count = 0;
    if (!sorted)
        return false;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->places[i].offset != SAM_TILE_NOWHERE)
            sorted[count++] = &plan->places[i];
    qsort(sorted, count, sizeof(struct sam_tile_place *), by_offset);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1;
             j < count && overlap(sorted[i], sorted[j]) && report->report.errors < 100; j++) {
            const struct sam_tile_place *a = sorted[i], *b = sorted[j];
            if (a->first > b->last || b->first > a->last)
                continue;
            const struct sam_tile_place *late = by_first(a, b) > 0 ? a : b;
            const struct sam_tile_place *early = late == a ? b : a;
            sam_tile_error(report, position(p, late->value),
                           "%%%s (%s 0x%" PRIx64 "..0x%" PRIx64 ") overlaps %%%s (0x%" PRIx64
                           "..0x%" PRIx64 "), and both are in use",
                           p->values[late->value].name, sam_tile_loc_names[a->loc], late->offset,
                           late->offset + late->size - 1, p->values[early->value].name,
                           early->offset, early->offset + early->size - 1);
        }
    free(sorted);
    return true;
}

/* --- queries */

static int by_value(const void *key, const void *element)
{
    uint32_t value = *(const uint32_t *)key;
    const struct sam_tile_place *const *place = element;
    return (value > (*place)->value) - (value < (*place)->value);
}

const struct sam_tile_place *sam_tile_place_find(const struct sam_tile_plan *plan, uint32_t value)
{
    struct sam_tile_place **found =
        bsearch(&value, plan->by_value, plan->count, sizeof(struct sam_tile_place *), by_value);
    return found ? *found : NULL;
}

static int compare_values(const void *x, const void *y)
{
    const struct sam_tile_place *a = *(const struct sam_tile_place *const *)x;
    const struct sam_tile_place *b = *(const struct sam_tile_place *const *)y;
    return (a->value > b->value) - (a->value < b->value);
}

enum sam_status sam_tile_plan(const struct sam_tile_program *p, const struct sam_tile_func *f,
                              const struct sam_tile_flow *flow, enum sam_tile_profile profile,
                              struct sam_tile_report *report, struct sam_tile_plan *plan)
{
    *plan = (struct sam_tile_plan){.manual = sam_tile_is_manual(p)};
    bool good = collect(p, f, flow, plan);
    if (good && plan->count)
        qsort(plan->places, plan->count, sizeof *plan->places, by_first);
    plan->by_value = sam_alloc(plan->count + 1, sizeof(struct sam_tile_place *));
    good = good && plan->by_value;
    if (good) {
        for (size_t i = 0; i < plan->count; i++)
            plan->by_value[i] = &plan->places[i];
        qsort(plan->by_value, plan->count, sizeof(struct sam_tile_place *), compare_values);
        if (plan->manual) {
            bind(p, f, flow, profile, report, plan);
            good = find_overlaps(p, plan, report);
        } else {
            good = place_all(p, profile, report, plan);
        }
    }
    for (size_t i = 0; good && i < plan->count; i++) {
        const struct sam_tile_place *place = &plan->places[i];
        if (place->offset != SAM_TILE_NOWHERE &&
            place->offset + place->size > plan->highest[place->loc])
            plan->highest[place->loc] = place->offset + place->size;
    }
    if (good)
        return SAM_OK;
    sam_tile_plan_free(plan);
    return SAM_ERR_MEMORY;
}

void sam_tile_plan_free(struct sam_tile_plan *plan)
{
    free(plan->places);
    free(plan->by_value);
    *plan = (struct sam_tile_plan){0};
}
