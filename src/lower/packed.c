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
};

static const struct lower_packed *packed_of(const struct lower *l, uint32_t window)
{
    uint32_t at = window;
    while (l->p->values[at].op != SAM_TILE_NONE)
        at = sam_tile_arg(l->p, &l->p->ops[l->p->values[at].op], 0);
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
    l->packing->items = sam_alloc(l->argument_count + 1, sizeof *l->packing->items);
    l->packing->room = LOWER_STAGING;
    l->packing->delta = sam_lower_slot(l, 8);
    l->packing->pitch = sam_lower_slot(l, 8);
    l->packing->window = SAM_TILE_NONE;
    const struct lower_staging_slot halves[] = {{"", LOWER_STAGING + SMALL_ROOM, HALF},
                                                {"", LOWER_STAGING + SMALL_ROOM + HALF, HALF}};
    sam_buffer_printf(&l->data, "    .balign 8\n");
    sam_lower_staging_slots(l, "packed_shared", halves, 2);
    return l->packing->items != NULL;
}

/* A tensor that an argument names. */
struct tensor {
    size_t place; /* in the directory */
    enum sam_dtype dtype;
    uint64_t count;
    bool windows; /* any elements are decoded by themselves */
};

static unsigned shift_of(const struct tensor *t)
{
    return (unsigned)__builtin_ctz((unsigned)sam_dtype_size(t->dtype));
}

static uint64_t bytes_of(const struct tensor *t)
{
    return ((t->count << shift_of(t)) + 63) & ~UINT64_C(63);
}

/* Whether it has a staging area of its own, at `room`. */
static bool is_small(const struct tensor *t, uint32_t room)
{
    return bytes_of(t) <= SMALL && room + bytes_of(t) <= LOWER_STAGING + SMALL_ROOM;
}

/* Elements of the first packed argument that the program before asks for. */
static uint64_t asked_of(const struct tensor *t)
{
    const uint64_t half = (uint64_t)HALF >> shift_of(t);
    return is_small(t, LOWER_STAGING) || t->count < half ? t->count : half;
}

/* Emit a descriptor, "packed_" and its name, and its link to the directory. */
static void put_descriptor(struct lower *l, const struct tensor *t, const char *name,
                           const char *slots, const char *whole)
{
    sam_buffer_printf(&l->data,
                      "packed_%s:\n"
                      "    .dword  %zu, %" PRIu64 ", %u, %" PRIu32 "\n"
                      "    .dword  %s, %s, %d\n",
                      name, t->place, t->count, shift_of(t), type_number(t->dtype), slots, whole,
                      t->windows);
    sam_lower_code(&l->state->setup,
                   "lla t0, packed_%s; ld t1, 0(t0); li t2, %zu; mul t1, t1, t2; "
                   "li t2, 0x%08x; lwu t2, 0(t2); beqz t2, 0f; addi t2, t2, 4; "
                   "add t2, t2, t1; "
                   "0: sd t2, 0(t0)",
                   name, sizeof(struct sam_weight_entry), (unsigned)SAM_SYSTEM_DIRECTORY);
}

static void describe(struct lower *l, size_t number, const struct tensor *t)
{
    struct lower_packing *p = l->packing;
    const uint64_t bytes = bytes_of(t);
    const bool small = is_small(t, p->room);
    const uint32_t room = p->room;
    char name[24], slots[40], whole[40];
    sam_format(name, sizeof name, "%zu", number);
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
    put_descriptor(l, t, name, small ? slots : "packed_shared", slots);
    if (l->options.asked && !number)
        sam_lower_staging_claim(l, small ? slots : "packed_shared", "packed_0", asked_of(t));
}

static enum sam_status look_up(const struct lower *l, const char *argument, enum sam_dtype dtype,
                               const struct sam_tile_argument *a, struct tensor *t,
                               struct sam_error *error)
{
    struct sam_packed *packed;
    *t = (struct tensor){.dtype = dtype, .count = a->array->count};
    if (!l->options.weights)
        return sam_fail(error, SAM_ERR_USAGE, "%%%s: a packed tensor without packed weights",
                        argument);
    enum sam_status status =
        sam_packed_open(l->options.weights, l->options.weights_size, NULL, &packed, error);
    if (status != SAM_OK)
        return status;
    const struct sam_weights *weights = sam_packed_weights(packed);
    const struct sam_weight *w = find(weights, a->packed, &t->place);
    struct sam_packed_stat stat = {.layout = ""};
    status = check(argument, w, a->packed, dtype, t->count, error);
    if (status == SAM_OK)
        status = sam_packed_stat(packed, (size_t)(w - weights->tensors), &stat, error);
    sam_packed_close(packed);
    t->windows = strstr(stat.layout, "window") != NULL;
    return status;
}

enum sam_status sam_lower_packed_argument(struct lower *l, uint32_t value,
                                          const struct sam_tile_argument *a, uint64_t *address,
                                          struct sam_error *error)
{
    struct tensor t;
    const enum sam_status status =
        look_up(l, l->p->values[value].name, sam_tile_ty(l->p, value)->dtype, a, &t, error);
    if (status != SAM_OK)
        return status;
    if (!begin(l))
        return sam_fail_memory(error);
    const size_t number = l->packing->count++;
    l->packing->items[number] =
        (struct lower_packed){value, (UINT64_C(1) << 40) + ((uint64_t)number << 36)};
    *address = l->packing->items[number].base;
    describe(l, number, &t);
    return SAM_OK;
}

/* --- the next program */

void sam_lower_ask(struct lower *l)
{
    const struct sam_tile_argument *a = l->options.next;
    struct sam_error error;
    struct tensor t;
    if (!a || look_up(l, "next", a->array->dtype, a, &t, &error) != SAM_OK)
        return; /* that program reports it */
    if (!begin(l)) {
        l->state->memory = true;
        return;
    }
    const bool small = is_small(&t, LOWER_STAGING);
    const struct lower_staging_slot slot = {"", LOWER_STAGING + (small ? 0 : SMALL_ROOM),
                                            small ? bytes_of(&t) : (uint64_t)HALF};
    sam_lower_staging_slots(l, "packed_next_slots", &slot, 1);
    put_descriptor(l, &t, "next", "packed_next_slots", "packed_next_slots");
    sam_lower_hart(l,
                   "# ask for weights of the next program; "
                   "lla a0, packed_next; li a1, 0; li a2, %" PRIu64 "; mv a3, a2; li a4, 0; "
                   "li a6, 0; li a7, 0; call .Lprefetch",
                   asked_of(&t));
    l->packing->stages = true;
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

/* Whether the window is made of rows that may be decoded one by one, so that the copy has another
 * distance of rows: it has if the whole window is not known to have room in both halves. The code
 * that loads the window then asks for that distance. */
static bool has_rows(const struct lower *l, uint32_t window)
{
    const struct sam_tile_ty *type = sam_tile_ty(l->p, window);
    int64_t stride, rows, pitch, columns;
    if (type->rank != 2 || !sam_lower_window_known(l, window, 1, true, &stride) || stride != 1)
        return false;
    return !sam_lower_window_known(l, window, 0, true, &pitch) ||
           !sam_lower_window_known(l, window, 0, false, &rows) ||
           !sam_lower_window_known(l, window, 1, false, &columns) || rows > HALF || pitch > HALF ||
           ((rows - 1) * pitch + columns) * (int64_t)sam_tile_size(type->dtype) > 2 * HALF;
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

/* The arguments of .Lstage and .Lprefetch for the window; to label `skip` if it has no elements, or
 * some that do not exist. */
static void give_window(struct lower *l, const struct lower_packed *packed, uint32_t window,
                        unsigned skip)
{
    const struct sam_tile_ty *type = sam_tile_ty(l->p, window);
    const unsigned shift = (unsigned)__builtin_ctz((unsigned)sam_tile_size(type->dtype));
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
}

void sam_lower_stage(struct lower *l, const struct sam_tile_op *op)
{
    const uint32_t last = sam_tile_arg(l->p, op, op->operand_count - 1);
    const struct sam_tile_row *row = sam_tile_row(op->code);
    const bool stores = sam_tile_stores(row);
    const uint32_t window = stores ? last : sam_tile_arg(l->p, op, 0);
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
