/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that are packed weight tensors. Before a tload, the weight unit decodes the window into
 * the staging area of L0M, unless it is already there (staging.c). Undecoded elements have
 * addresses above 4 GiB, used only for address arithmetic. */
#include "lower/packed.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "lower/hart.h"
#include "lower/staging.h"
#include "samite/codec.h"
#include "tile/check/bind.h"

/* Tensors up to SMALL bytes keep a staging area of their own, as long as SMALL_ROOM lasts. All
 * others share the remainder, in two halves. */
enum {
    SMALL = 16 << 10,
    SMALL_ROOM = (LOWER_ENDING - LOWER_STAGING) / 4,
    HALF = (LOWER_ENDING - LOWER_STAGING - SMALL_ROOM) / 2
};

struct lower_packed {
    uint32_t pointer; /* the argument's value */
    uint64_t base;    /* address of element 0, above 4 GiB */
    uint64_t count;   /* of elements */
    bool windows;     /* any elements are decoded by themselves */
    bool small;       /* it has room of its own */
    bool asked;       /* it is decoded from the start on */
};

struct lower_packing {
    struct lower_packed *items;
    size_t count;
    uint32_t room;   /* next free small area */
    uint32_t delta;  /* slot: offset from an element of `window` to its decoded copy, */
    uint32_t pitch;  /* and elements from a row of the copy to the next */
    uint32_t window; /* the staged window, or SAM_TILE_NONE */
    bool pitched;    /* its copy may have a pitch of its own */
    bool stages;     /* .Lstage is used */
    bool hints;      /* the program has prefetches of its own */
};

static const struct lower_packed *packed_of(const struct lower *l, uint32_t window)
{
    const uint32_t at = sam_tile_pointer_of(l->p, window);
    for (size_t i = 0; l->packing && i < l->packing->count; i++)
        if (l->packing->items[i].pointer == at)
            return &l->packing->items[i];
    return NULL;
}

/* --- arguments */

/* The weight unit's code for the element type of an array; 0 if unsupported. */
static uint32_t type_number(enum sam_dtype dtype)
{
    switch (dtype) {
    case SAM_BF16: return SAM_TYPE_BF16;
    case SAM_F16: return SAM_TYPE_F16;
    case SAM_F32: return SAM_TYPE_F32;
    default: return 0;
    }
}

static bool widens(enum sam_dtype packed, enum sam_dtype to)
{
    return packed == to || (packed == SAM_BF16 && to == SAM_F32) ||
           ((packed == SAM_E4M3 || packed == SAM_E5M2 || packed == SAM_E2M1) && to == SAM_F16);
}

/* Find a tensor and its index in the system's directory, which omits the file's gaps. */
static const struct sam_weight *find(const struct sam_weights *weights, const char *name,
                                     size_t *place)
{
    *place = 0;
    for (size_t i = 0; i < weights->count; i++) {
        const struct sam_weight *w = &weights->tensors[i];
        if (strcmp(w->name, name) == 0 && (name[0] || w->type != SAM_OPAQUE))
            return w;
        *place += w->type != SAM_OPAQUE || w->name[0];
    }
    return NULL;
}

static enum sam_status check(const char *argument, const struct sam_weight *w, const char *name,
                             enum sam_dtype dtype, uint64_t count, struct sam_error *error)
{
    if (!w)
        return sam_fail(error, SAM_ERR_INPUT, "%%%s: the packed weights have no tensor '%s'",
                        argument, name);
    if (!type_number(dtype) || !widens(w->type, dtype))
        return sam_fail(error, SAM_ERR_INPUT,
                        "%%%s is %s: the weight unit cannot convert %s to it (tensor '%s')",
                        argument, sam_tile_dtype_name(dtype), sam_dtype_name(w->type), name);
    if (w->size * 8 / sam_dtype_bits(w->type) != count)
        return sam_fail(error, SAM_ERR_INPUT,
                        "%%%s: the array has %" PRIu64 " elements, '%s' has %" PRIu64, argument,
                        count, name, w->size * 8 / sam_dtype_bits(w->type));
    return SAM_OK;
}

static bool begin(struct lower *l)
{
    if (l->packing)
        return true;
    l->packing = sam_alloc(1, sizeof *l->packing);
    if (!l->packing)
        return false;
    l->packing->items = sam_alloc(l->argument_count, sizeof *l->packing->items);
    l->packing->room = LOWER_STAGING;
    l->packing->delta = sam_lower_slot(l, 8);
    l->packing->pitch = sam_lower_slot(l, 8);
    l->packing->window = SAM_TILE_NONE;
    for (size_t i = 0; i < l->p->op_count; i++)
        l->packing->hints |= l->p->ops[i].code == SAM_TILE_PREFETCH;
    const struct lower_staging_slot halves[] = {{"", LOWER_STAGING + SMALL_ROOM, HALF},
                                                {"", LOWER_STAGING + SMALL_ROOM + HALF, HALF}};
    sam_buffer_printf(&l->data, "    .balign 8\n");
    sam_lower_staging_slots(l, "packed_shared", halves, 2);
    return l->packing->items != NULL;
}

/* Emit the descriptor of an argument. */
static void describe(struct lower *l, size_t number, size_t place, enum sam_dtype dtype,
                     uint64_t count)
{
    struct lower_packing *p = l->packing;
    const unsigned shift = (unsigned)__builtin_ctz((unsigned)sam_dtype_size(dtype));
    const uint64_t bytes = ((count << shift) + 63) & ~UINT64_C(63);
    const bool small = bytes <= SMALL && p->room + bytes <= LOWER_STAGING + SMALL_ROOM;
    const uint32_t room = p->room;
    p->items[number].small = small;
    char slots[40], whole[40];
    sam_format(slots, sizeof slots, "packed_%zu_slots", number);
    sam_format(whole, sizeof whole, "packed_%zu_whole", number);
    if (small)
        p->room += (uint32_t)bytes;
    sam_lower_staging_slots(l, slots, &(struct lower_staging_slot){small ? "" : whole, room, bytes},
                            1);
    if (!small)
        sam_buffer_printf(&l->data,
                          "    .bss\n"
                          "    .balign 64\n"
                          "%s:\n"
                          "    .zero   %" PRIu64 "\n"
                          "    .data\n",
                          whole, bytes);
    sam_buffer_printf(&l->data,
                      "packed_%zu:\n"
                      "    .dword  %zu, %" PRIu64 ", %u, %" PRIu32 "\n"
                      "    .dword  %s, %s, %d\n",
                      number, place, count, shift, type_number(dtype),
                      small ? slots : "packed_shared", slots, p->items[number].windows);
    sam_lower_code(&l->state->setup,
                   "lla t0, packed_%zu; ld t1, 0(t0); li t2, %zu; mul t1, t1, t2; "
                   "li t2, 0x%08x; lwu t2, 0(t2); beqz t2, 0f; addi t2, t2, 4; "
                   "add t2, t2, t1; "
                   "0: sd t2, 0(t0)",
                   number, sizeof(struct sam_weight_entry), (unsigned)SAM_SYSTEM_DIRECTORY);
}

/* Find the tensor of an argument in the packed weights, and check it. */
static enum sam_status look_up(const struct lower *l, const char *argument, enum sam_dtype dtype,
                               const struct sam_tile_argument *a, size_t *place, bool *windows,
                               struct sam_error *error)
{
    struct sam_packed *packed;
    enum sam_status status =
        sam_packed_open(l->options.weights, l->options.weights_size, NULL, &packed, error);
    if (status != SAM_OK)
        return status;
    const struct sam_weights *weights = sam_packed_weights(packed);
    const struct sam_weight *w = find(weights, a->packed, place);
    struct sam_packed_stat stat = {.layout = ""};
    status = check(argument, w, a->packed, dtype, a->array->count, error);
    if (status == SAM_OK)
        status = sam_packed_stat(packed, (size_t)(w - weights->tensors), &stat, error);
    sam_packed_close(packed);
    *windows = strstr(stat.layout, "window") != NULL;
    return status;
}

bool sam_lower_has_windows(const struct lower *l, const uint32_t *values, uint32_t window)
{
    const uint32_t pointer = sam_tile_pointer_of(l->p, window);
    bool windows = false;
    size_t place;
    for (size_t i = 0; i < l->argument_count; i++)
        if (values[i] == pointer && l->arguments[i].packed && l->options.weights)
            look_up(l, "", sam_tile_ty(l->p, pointer)->dtype, &l->arguments[i], &place, &windows,
                    NULL);
    return windows;
}

enum sam_status sam_lower_packed_argument(struct lower *l, uint32_t value,
                                          const struct sam_tile_argument *a, uint64_t *address,
                                          struct sam_error *error)
{
    const enum sam_dtype dtype = sam_tile_ty(l->p, value)->dtype;
    const char *name = l->p->values[value].name;
    size_t place;
    bool windows;
    if (!l->options.weights)
        return sam_fail(error, SAM_ERR_USAGE, "%%%s: a packed tensor without packed weights", name);
    const enum sam_status status = look_up(l, name, dtype, a, &place, &windows, error);
    if (status != SAM_OK)
        return status;
    if (!begin(l))
        return sam_fail_memory(error);
    const size_t number = l->packing->count++;
    l->packing->items[number] =
        (struct lower_packed){.pointer = value,
                              .base = (UINT64_C(1) << 40) + ((uint64_t)number << 36),
                              .count = a->array->count,
                              .windows = windows};
    *address = l->packing->items[number].base;
    describe(l, number, place, dtype, a->array->count);
    return SAM_OK;
}

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

static bool know_window(const struct lower *l, uint32_t window, struct known_window *w)
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
        int64_t offset;
        if (!sam_tile_literal(l->p, part, 1 + i, &offset) ||
            !sam_tile_literal(l->p, view, 1 + type->rank + i, &w->strides[i]) || size <= 0 ||
            size > INT32_MAX || offset < 0 || offset > INT32_MAX || w->strides[i] < 0 ||
            w->strides[i] > INT32_MAX / SAM_TILE_RANK)
            return false;
        w->first += offset * w->strides[i];
        w->end += (offset + size - 1) * w->strides[i];
        w->next = size * w->strides[i] > w->next ? size * w->strides[i] : w->next;
    }
    return w->end <= (int64_t)packed_of(l, window)->count;
}

/* Returns whether the window is known to need more than both halves. */
static bool is_too_large(const struct lower *l, uint32_t window)
{
    struct known_window w;
    return know_window(l, window, &w) &&
           (w.end - w.first) * (int64_t)sam_tile_size(sam_tile_ty(l->p, window)->dtype) >
               2 * (int64_t)HALF;
}

/* Whether the window is made of rows that may be decoded one by one, so that the copy has another
 * distance of rows: it has if the whole window is not known to have room in both halves. The code
 * that loads the window then asks for that distance. */
static bool has_rows(const struct lower *l, uint32_t window)
{
    struct known_window w;
    int64_t stride;
    if (!packed_of(l, window)->windows || sam_tile_ty(l->p, window)->rank != 2)
        return false;
    if (know_window(l, window, &w))
        return w.strides[1] == 1 && w.strides[0] >= w.sizes[1] && is_too_large(l, window);
    return sam_lower_window_known(l, window, 1, true, &stride) && stride == 1;
}

bool sam_lower_is_staged_apart(const struct lower *l, const struct sam_tile_op *op)
{
    return sam_lower_is_staged(l, op) && has_rows(l, sam_tile_arg(l->p, op, 0));
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
    const bool rows = has_rows(l, window);
    if (rows)
        sam_lower_hart(l, "li a4, %" PRId64 "; li a7, %" PRId64, w->strides[0], w->sizes[1]);
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
    if (has_rows(l, window)) {
        sam_lower_window_stride(l, "a4", window, 0);
        sam_lower_window_size(l, "a6", window, 0);
        sam_lower_window_size(l, "a7", window, 1);
        sam_lower_hart(l, "bge a4, a7, 0f; li a6, 0; 0:");
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
                   "li a3, 1; li a6, 0; call .Lprefetch",
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

/* Straight-line code knows which window is next: have it decoded. */
static void stage_next(struct lower *l, const struct sam_tile_op *op)
{
    for (uint32_t at = op->next; at != SAM_TILE_NONE && !l->packing->hints;
         at = l->p->ops[at].next) {
        const struct sam_tile_op *next = &l->p->ops[at];
        if (next->code == SAM_TILE_FOR || next->code == SAM_TILE_IF)
            return;
        const uint32_t window = staged_by(l, next);
        struct known_window w;
        if (window == SAM_TILE_NONE)
            continue;
        if (know_window(l, window, &w)) {
            give_known(l, packed_of(l, window), window, &w);
            sam_lower_hart(l, "call .Lprefetch");
        }
        return;
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
    p->pitched = has_rows(l, window);
    if (p->pitched) {
        sam_lower_window_stride(l, "t0", window, 0);
        sam_lower_slot_op(l, "sd", "t0", p->pitch);
    }
    give_window(l, packed, window, skip);
    sam_lower_hart(
        l, "call .Lstage; bnez t0, .Lfailure%u; li t0, %" PRIu64 "; sub a0, a0, t0",
        sam_lower_failure(l, op, "the weight unit cannot decode the packed %%%s: status {0}", name),
        packed->base);
    sam_lower_slot_op(l, "sd", "a0", p->delta);
    if (p->pitched)
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
    sam_lower_hart(l, "call .Lprefetch; .L%u:", skip);
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

bool sam_lower_staged_pitch(const struct lower *l, uint32_t window, uint32_t *pitch)
{
    if (!l->packing || l->packing->window != window || !l->packing->pitched)
        return false;
    *pitch = l->packing->pitch;
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
    uint32_t at = next_load(l, l->f->body);
    while (at != SAM_TILE_NONE && !is_too_large(l, sam_tile_arg(l->p, &l->p->ops[at], 0)))
        at = next_load(l, l->p->ops[at].next);
    if (at == SAM_TILE_NONE)
        return;
    const uint32_t large = sam_tile_arg(l->p, &l->p->ops[at], 0);
    sam_lower_hart(l, "mv s11, ra");
    for (at = next_load(l, l->f->body); at != SAM_TILE_NONE; at = next_load(l, l->p->ops[at].next))
        ask(l, sam_tile_arg(l->p, &l->p->ops[at], 0), true);
    ask(l, large, false);
    sam_lower_hart(l, "mv ra, s11");
}

void sam_lower_packed_routine(struct lower *l)
{
    if (l->packing && l->packing->stages)
        sam_lower_staging_routine(l);
}

void sam_lower_packed_free(struct lower *l)
{
    if (l->packing)
        free(l->packing->items);
    free(l->packing);
    l->packing = NULL;
}
