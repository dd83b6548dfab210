/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that are packed weight tensors. Before a tload, the weight unit decodes the window into
 * the staging area of L0M, unless it is already there (staging.c). Undecoded elements have
 * addresses above 4 GiB, used only for address arithmetic. */
#include "lower/packed.h"

#include <inttypes.h>

#include "lower/packing.h"
#include "lower/staging.h"
#include "tile/check/bind.h"

static const struct lower_packed *packed_of(const struct lower *l, uint32_t window)
{
    const uint32_t at = sam_tile_pointer_of(l->p, window);
    for (size_t i = 0; l->packing && i < l->packing->count; i++)
        if (l->packing->items[i].pointer == at)
            return &l->packing->items[i];
    return NULL;
}

/* A hint for a window of less than a part of ALONE of a slot asks for those after it, too. */
enum { ALONE = 4 };

/* --- before a tload */

static const struct lower_packed *packed_window(const struct lower *l, uint32_t window)
{
    return sam_tile_ty(l->p, window)->kind == SAM_TILE_KIND_PART ? packed_of(l, window) : NULL;
}

bool sam_lower_is_staged(const struct lower *l, const struct sam_tile_op *op)
{
    return op->code == SAM_TILE_TLOAD && packed_window(l, sam_tile_arg(l->p, op, 0)) != NULL;
}

/* Elements of a window within its tensor, if all numbers are constants. */
struct known_window {
    int64_t first, end, next; /* `next`: to the window after it in its slowest dimension */
    int64_t sizes[SAM_TILE_RANK], strides[SAM_TILE_RANK];
};

/* All but its place, with element 0 as its first one. */
static bool know_sizes(const struct lower *l, uint32_t window, struct known_window *w)
{
    const struct sam_tile_ty *type = sam_tile_ty(l->p, window);
    const struct sam_tile_op *part = &l->p->ops[l->p->values[window].op];
    const uint32_t of = sam_tile_arg(l->p, part, 0);
    const struct sam_tile_op *view = &l->p->ops[l->p->values[of].op];
    *w = (struct known_window){.end = 1};
    if (part->code != SAM_TILE_PART || view->code != SAM_TILE_VIEW ||
        l->p->values[sam_tile_arg(l->p, view, 0)].op != SAM_TILE_NONE)
        return false;
    for (unsigned i = 0; i < type->rank; i++) {
        const int64_t size = w->sizes[i] = type->dims[i];
        if (!sam_tile_literal(l->p, view, 1 + type->rank + i, &w->strides[i]) || size <= 0 ||
            size > INT32_MAX || w->strides[i] < 0 || w->strides[i] > INT32_MAX / SAM_TILE_RANK)
            return false;
        w->end += (size - 1) * w->strides[i];
        w->next = size * w->strides[i] > w->next ? size * w->strides[i] : w->next;
    }
    return true;
}

static bool know_window(const struct lower *l, uint32_t window, struct known_window *w)
{
    const struct sam_tile_op *part = &l->p->ops[l->p->values[window].op];
    if (!know_sizes(l, window, w))
        return false;
    for (unsigned i = 0; i < sam_tile_ty(l->p, window)->rank; i++) {
        int64_t offset;
        if (!sam_tile_literal(l->p, part, 1 + i, &offset) || offset < 0 || offset > INT32_MAX)
            return false;
        w->first += offset * w->strides[i];
    }
    w->end += w->first;
    const struct lower_packed *packed = packed_of(l, window);
    return !packed || w->end <= (int64_t)packed->count;
}

uint32_t sam_lower_slots_for(const struct lower *l, const uint32_t *values)
{
    if (l->options.next || l->options.asked)
        return 2; /* the programs agree on the first slot */
    for (size_t k = 0; k < l->p->op_count; k++) {
        const struct sam_tile_op *op = &l->p->ops[k];
        if (!l->flow.order[k] || (op->code != SAM_TILE_TLOAD && op->code != SAM_TILE_PREFETCH))
            continue;
        const uint32_t window = sam_tile_arg(l->p, op, 0);
        const uint32_t pointer = sam_tile_pointer_of(l->p, window);
        struct known_window w;
        for (size_t i = 0; i < l->argument_count; i++)
            if (values[i] == pointer && l->arguments[i].packed &&
                (!know_sizes(l, window, &w) ||
                 w.end * (int64_t)sam_tile_size(sam_tile_ty(l->p, window)->dtype) >
                     PACKING_ROOM / PACKING_SLOTS))
                return 2;
    }
    return PACKING_SLOTS;
}

bool sam_lower_has_loose_rows(const struct lower *l, const uint32_t *values, uint32_t window)
{
    struct known_window w;
    return sam_lower_has_windows(l, values, window) && !know_window(l, window, &w);
}

/* Returns whether the window is known to need more than all slots. */
static bool is_too_large(const struct lower *l, uint32_t window)
{
    struct known_window w;
    return know_window(l, window, &w) &&
           (w.end - w.first) * (int64_t)sam_tile_size(sam_tile_ty(l->p, window)->dtype) >
               PACKING_ROOM;
}

/* Elements from a row of the decoded copy to the next, if `rows` rows of `width` elements are
 * decoded one by one: as many windows side by side as fit a slot, or the room of all. 0: none
 * fits. */
static int64_t pitch_for(int64_t slot, int64_t rows, int64_t width, size_t size)
{
    const int64_t most = slot / (int64_t)size / rows / width * width;
    return most ? most : PACKING_ROOM / (int64_t)size / rows / width * width;
}

/* The same for a window of known numbers; 0 if it is decoded as it is: if its elements are not
 * rows, or fit a slot, or fit the room of all and are too many for one even without what is
 * between the rows. */
static int64_t pitch_of(const struct known_window *w, int64_t slot, size_t size)
{
    const int64_t bytes = (w->end - w->first) * (int64_t)size;
    const int64_t pitch = pitch_for(slot, w->sizes[0], w->sizes[1], size);
    if (w->sizes[2] || w->strides[1] != 1 || w->strides[0] < w->sizes[1] || bytes <= slot)
        return 0;
    return bytes <= PACKING_ROOM && pitch * w->sizes[0] * (int64_t)size > slot ? 0 : pitch;
}

/* Rows of a window: whether a record decodes them one by one. */
enum rows {
    TOGETHER, /* they are not */
    APART,    /* `pitch` elements from each other */
    PERHAPS   /* it is known when the program runs */
};

static enum rows rows_of(const struct lower *l, uint32_t window, int64_t *pitch)
{
    const struct lower_packed *packed = packed_of(l, window);
    const struct sam_tile_ty *type = sam_tile_ty(l->p, window);
    struct known_window w;
    int64_t stride;
    if (!packed->windows || packed->small || type->rank != 2)
        return TOGETHER;
    if (know_window(l, window, &w)) {
        *pitch = pitch_of(&w, l->packing->slot, sam_tile_size(type->dtype));
        return *pitch ? APART : TOGETHER;
    }
    return sam_lower_window_known(l, window, 1, true, &stride) && stride == 1 ? PERHAPS : TOGETHER;
}

bool sam_lower_is_staged_apart(const struct lower *l, const struct sam_tile_op *op)
{
    int64_t pitch;
    return sam_lower_is_staged(l, op) && rows_of(l, sam_tile_arg(l->p, op, 0), &pitch) == PERHAPS;
}

/* The loop whose variable is the offset of the window in its slowest dimension: its rows come one
 * after the other, up to the bound of the loop. SAM_TILE_NONE: none. */
static uint32_t bound_of(const struct lower *l, uint32_t window)
{
    const struct sam_tile_op *part = &l->p->ops[l->p->values[window].op];
    const uint32_t offset = sam_tile_arg(l->p, part, 1);
    if (sam_tile_ty(l->p, sam_tile_arg(l->p, part, 0))->kind != SAM_TILE_KIND_VIEW)
        return SAM_TILE_NONE;
    for (size_t i = 0; i < l->p->op_count; i++) {
        const struct sam_tile_op *op = &l->p->ops[i];
        if (op->code == SAM_TILE_FOR && l->flow.order[i] && l->p->ids[op->params] == offset)
            return sam_tile_arg(l->p, op, 1);
    }
    return SAM_TILE_NONE;
}

/* The arguments of .Lstage and .Lprefetch for a window of known numbers. */
static void give_known(struct lower *l, const struct lower_packed *packed, uint32_t window,
                       const struct known_window *w)
{
    int64_t pitch;
    const bool rows = rows_of(l, window, &pitch) == APART;
    if (rows)
        sam_lower_hart(l, "li a4, %" PRId64 "; li a7, %" PRId64 "; li s2, %" PRId64, w->strides[0],
                       w->sizes[1], pitch);
    sam_lower_hart(l,
                   "li a1, %" PRId64 "; li a2, %" PRId64 "; li a3, %" PRId64
                   "; li a5, 0; li a6, %" PRId64 "; lla a0, packed_%zu",
                   w->first, w->end, w->next, rows ? w->sizes[0] : 0,
                   (size_t)(packed - l->packing->items));
    l->packing->stages = true;
}

/* The same for any window; to label `skip` if it has no elements, or some that do not exist. */
static void give_window(struct lower *l, const struct lower_packed *packed, uint32_t window,
                        unsigned skip)
{
    const struct sam_tile_ty *type = sam_tile_ty(l->p, window);
    const unsigned shift = (unsigned)__builtin_ctz((unsigned)sam_tile_size(type->dtype));
    struct known_window w;
    int64_t pitch;
    if (know_window(l, window, &w)) {
        give_known(l, packed, window, &w);
        return;
    }
    sam_lower_window_address(l, "a1", window);
    sam_lower_hart(l, "li t0, %" PRIu64 "; sub a1, a1, t0; srai a1, a1, %u; mv a2, a1; li a3, 0",
                   packed->base, shift);
    for (unsigned i = 0; i < type->rank; i++) {
        sam_lower_window_size(l, "t0", window, i);
        sam_lower_window_stride(l, "t1", window, i);
        sam_lower_hart(l,
                       "blez t0, .L%u; mul a4, t0, t1; blt a4, a3, 0f; mv a3, a4; "
                       "0: addi t0, t0, -1; mul t0, t0, t1; srai t1, t0, 63; "
                       "and t1, t1, t0; add a1, a1, t1; sub t0, t0, t1; add a2, a2, t0",
                       skip);
    }
    const uint32_t bound = bound_of(l, window);
    sam_lower_hart(l, "addi a2, a2, 1; li a5, 0; li a6, 0");
    if (bound != SAM_TILE_NONE) {
        sam_lower_get(l, "a5", bound);
        sam_lower_window_stride(l, "t1", window, 0);
        sam_lower_hart(l, "mul a5, a5, t1");
    }
    if (rows_of(l, window, &pitch) == PERHAPS) {
        sam_lower_window_stride(l, "a4", window, 0);
        sam_lower_window_size(l, "a6", window, 0);
        sam_lower_window_size(l, "a7", window, 1);
        /* the computation of pitch_of */
        sam_lower_hart(l,
                       "sub t0, a2, a1; li t1, %zu; blt a4, a7, 1f; bgeu t1, t0, 1f; "
                       "divu t2, t1, a6; divu t2, t2, a7; mul s2, t2, a7; bnez t2, 2f; "
                       "li t1, %zu; bgeu t1, t0, 1f; divu t2, t1, a6; divu t2, t2, a7; "
                       "mul s2, t2, a7; bnez t2, 2f; 1: li a6, 0; 2:",
                       (size_t)l->packing->slot >> shift, (size_t)PACKING_ROOM >> shift);
    }
    sam_lower_hart(l,
                   "lla a0, packed_%zu; "
                   "bltz a1, .L%u; " /* out of bounds: the tload reports it */
                   "ld t0, %d(a0); blt t0, a2, .L%u; bge t0, a5, 0f; mv a5, t0; 0:",
                   (size_t)(packed - l->packing->items), skip, 8 * STAGING_ELEMENTS, skip);
    l->packing->stages = true;
}

/* The window that a later operation has decoded into one of the shared slots, or SAM_TILE_NONE. */
static uint32_t staged_by(const struct lower *l, const struct sam_tile_op *op)
{
    uint32_t window = SAM_TILE_NONE;
    if (op->code == SAM_TILE_TLOAD &&
        sam_lower_staged_factor(l, sam_tile_arg(l->p, op, 1)) == SAM_TILE_NONE)
        window = sam_tile_arg(l->p, op, 0);
    else if (op->code >= SAM_TILE_FIRST_OP && sam_tile_pipe(op->code) == SAM_TILE_PIPE_MATRIX)
        window = sam_lower_staged_factor(
            l, sam_lower_factor_tile(l, sam_tile_arg(l->p, op, op->operand_count - 2)));
    const struct lower_packed *packed = window == SAM_TILE_NONE ? NULL : packed_window(l, window);
    return packed && !packed->small && (packed->windows || !is_too_large(l, window))
               ? window
               : SAM_TILE_NONE;
}

/* Have the tensor of a window decoded whole, if that is what its load would do: a small one, or one
 * whose window is too large. */
static void ask(struct lower *l, uint32_t window, bool small)
{
    const size_t number = (size_t)(packed_of(l, window) - l->packing->items);
    struct lower_packed *item = &l->packing->items[number];
    if (item->asked || (small ? !item->small : item->windows || !is_too_large(l, window)))
        return;
    item->asked = true;
    sam_lower_hart(l,
                   "lla a0, packed_%zu; ld t0, %d(a0); sd t0, %d(a0); li a1, 0; li a2, 1; "
                   "li a3, 1; li a5, 0; li a6, 0; call .Lprefetch",
                   number, 8 * STAGING_WHOLE, 8 * STAGING_SLOTS);
}

/* After the last load from a tensor that is decoded whole: ask for the next such tensor. Its
 * elements pass through the L2, where the others would be in their way. */
static void ask_next(struct lower *l, const struct sam_tile_op *op, uint32_t window)
{
    uint32_t next = SAM_TILE_NONE;
    for (uint32_t at = op->next; at != SAM_TILE_NONE; at = l->p->ops[at].next) {
        const struct sam_tile_op *load = &l->p->ops[at];
        if (load->code == SAM_TILE_FOR || load->code == SAM_TILE_IF)
            break;
        if (!sam_lower_is_staged(l, load))
            continue;
        const uint32_t other = sam_tile_arg(l->p, load, 0);
        if (packed_of(l, other) == packed_of(l, window))
            return;
        if (next == SAM_TILE_NONE && is_too_large(l, other))
            next = other;
    }
    if (next != SAM_TILE_NONE)
        ask(l, next, false);
}

/* Straight-line code knows which windows are next: have them decoded. */
static void stage_next(struct lower *l, const struct sam_tile_op *op)
{
    uint32_t free_slots = l->packing->slots - 1;
    for (uint32_t at = op->next; at != SAM_TILE_NONE && free_slots && !l->packing->hints;
         at = l->p->ops[at].next) {
        const struct sam_tile_op *next = &l->p->ops[at];
        if (next->code == SAM_TILE_FOR || next->code == SAM_TILE_IF)
            return;
        const uint32_t window = staged_by(l, next);
        struct known_window w;
        if (window == SAM_TILE_NONE)
            continue;
        if (!know_window(l, window, &w))
            return;
        give_known(l, packed_of(l, window), window, &w);
        sam_lower_hart(l, "call .Lprefetch");
        free_slots--;
    }
}

void sam_lower_stage_factor(struct lower *l, const struct sam_tile_op *op, uint32_t window)
{
    const struct lower_packed *packed = packed_window(l, window);
    if (!packed)
        return;
    const unsigned skip = sam_lower_label(l);
    const char *name = l->p->values[packed->pointer].name;
    struct lower_packing *p = l->packing;
    sam_lower_hart(l, "# decode what the window needs of %%%s", name);
    sam_lower_slot_op(l, "sd", "zero", p->delta);
    const enum rows rows = rows_of(l, window, &p->known);
    p->pitched = rows == APART     ? PACKING_KNOWN
                 : rows == PERHAPS ? PACKING_IN_SLOT
                                   : PACKING_AS_IT_IS;
    if (p->pitched == PACKING_IN_SLOT) {
        sam_lower_window_stride(l, "t0", window, 0);
        sam_lower_slot_op(l, "sd", "t0", p->pitch);
    }
    give_window(l, packed, window, skip);
    sam_lower_hart(
        l, "call .Lstage; bnez t0, .Lfailure%u; li t0, %" PRIu64 "; sub a0, a0, t0",
        sam_lower_failure(l, op, "the weight unit cannot decode the packed %%%s: status {0}", name),
        packed->base);
    sam_lower_slot_op(l, "sd", "a0", p->delta);
    if (p->pitched == PACKING_IN_SLOT)
        sam_lower_slot_op(l, "sd", "a4", p->pitch);
    sam_lower_hart(l, ".L%u:", skip);
    p->window = window;
    if (staged_by(l, op) != SAM_TILE_NONE)
        stage_next(l, op);
    else if (is_too_large(l, window))
        ask_next(l, op, window);
}

void sam_lower_stage(struct lower *l, const struct sam_tile_op *op)
{
    const struct sam_tile_row *row = sam_tile_row(op->code);
    const uint32_t written = sam_tile_window_written(row);
    const bool stores = written != SAM_TILE_NONE;
    const uint32_t window = sam_tile_arg(l->p, op, stores ? written : 0);
    if (stores && packed_window(l, window))
        sam_lower_refuse(l, op, "%s cannot write to packed weights", row->name);
    else if (row->family == SAM_TILE_PICK && packed_window(l, window))
        sam_lower_refuse(l, op, "%s cannot read packed weights", row->name);
    else
        sam_lower_stage_factor(l, op, window);
}

void sam_lower_prefetch(struct lower *l, const struct sam_tile_op *op)
{
    const uint32_t window = sam_tile_arg(l->p, op, 0);
    const struct lower_packed *packed = packed_window(l, window);
    if (!packed)
        return;
    const unsigned skip = sam_lower_label(l);
    give_window(l, packed, window, skip);
    sam_lower_hart(
        l,
        "li t1, %" PRId64 "; sub t0, a2, a1; li a5, 0; bltu t0, t1, 0f; "
        "mv a5, a2; 0: call .Lprefetch; .L%u:",
        l->packing->slot / ALONE / (int64_t)sam_tile_size(sam_tile_ty(l->p, window)->dtype), skip);
}

void sam_lower_unstage(struct lower *l)
{
    if (l->packing)
        l->packing->window = SAM_TILE_NONE;
}

bool sam_lower_staged(const struct lower *l, uint32_t window, uint32_t *delta)
{
    if (!l->packing || l->packing->window != window)
        return false;
    *delta = l->packing->delta;
    return true;
}

bool sam_lower_staged_pitch(const struct lower *l, uint32_t window, uint32_t *pitch, int64_t *known)
{
    if (!l->packing || l->packing->window != window || l->packing->pitched == PACKING_AS_IT_IS)
        return false;
    *pitch = l->packing->pitched == PACKING_KNOWN ? LOWER_NO_SLOT : l->packing->pitch;
    *known = l->packing->known;
    return true;
}

/* The next load of packed weights in straight-line code, from operation `at` on. */
static uint32_t next_load(const struct lower *l, uint32_t at)
{
    while (at != SAM_TILE_NONE && !sam_lower_is_staged(l, &l->p->ops[at]))
        at = l->p->ops[at].next;
    return at;
}

void sam_lower_packed_setup(struct lower *l)
{
    if (!l->packing || !l->packing->stages)
        return;
    struct known_window w;
    uint32_t first = SAM_TILE_NONE, at = next_load(l, l->f->body);
    for (; at != SAM_TILE_NONE && first == SAM_TILE_NONE; at = next_load(l, l->p->ops[at].next)) {
        const uint32_t window = sam_tile_arg(l->p, &l->p->ops[at], 0);
        if (is_too_large(l, window) || staged_by(l, &l->p->ops[at]) != SAM_TILE_NONE)
            first = window;
    }
    if (first == SAM_TILE_NONE || !know_window(l, first, &w))
        return;
    sam_lower_hart(l, "mv s11, ra");
    for (at = next_load(l, l->f->body); at != SAM_TILE_NONE; at = next_load(l, l->p->ops[at].next))
        ask(l, sam_tile_arg(l->p, &l->p->ops[at], 0), true);
    if (packed_of(l, first)->windows || !is_too_large(l, first)) {
        give_known(l, packed_of(l, first), first, &w);
        sam_lower_hart(l, "call .Lprefetch");
    } else
        ask(l, first, false);
    sam_lower_hart(l, "mv ra, s11");
}

void sam_lower_packed_routine(struct lower *l)
{
    if (l->packing && l->packing->stages)
        sam_lower_staging_routine(l);
}
