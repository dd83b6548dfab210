/* SPDX-License-Identifier: Apache-2.0 */
/* Packed weight tensors as arguments: found in the packed file, described in the data of the hart,
 * asked for before the program that has them. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "lower/packed.h"
#include "lower/packing.h"
#include "lower/staging.h"
#include "samite/codec.h"
#include "tile/check/bind.h"

/* Whether the weight unit writes elements of the type `packed` as `to`, which has whole bytes. */
static bool widens(enum sam_dtype packed, enum sam_dtype to)
{
    return (packed == to && sam_dtype_bits(to) >= 8) || (packed == SAM_BF16 && to == SAM_F32) ||
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
    if (!widens(w->type, dtype))
        return sam_fail(error, SAM_ERR_INPUT,
                        "%%%s is %s: the weight unit cannot convert %s to it (tensor '%s')",
                        argument, sam_tile_dtype_name(dtype), sam_dtype_name(w->type), name);
    if (w->size * 8 / sam_dtype_bits(w->type) != count)
        return sam_fail(error, SAM_ERR_INPUT,
                        "%%%s: the array has %" PRIu64 " elements, '%s' has %" PRIu64, argument,
                        count, name, w->size * 8 / sam_dtype_bits(w->type));
    return SAM_OK;
}

/* Make room for `slots` slots, which large tensors share. */
static bool begin(struct lower *l, uint32_t slots)
{
    struct lower_staging_slot shared[PACKING_SLOTS] = {{.name = ""}};
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
    for (size_t i = 0; i < l->p->op_count; i++)
        l->packing->hints |= l->p->ops[i].code == SAM_TILE_PREFETCH;
    l->packing->slots = slots;
    l->packing->slot = PACKING_ROOM / slots;
    for (uint32_t i = 0; i < slots; i++)
        shared[i] = (struct lower_staging_slot){
            "", LOWER_STAGING + PACKING_SMALL_ROOM + i * (uint32_t)l->packing->slot,
            (uint64_t)l->packing->slot};
    sam_buffer_printf(&l->data, "    .balign 8\n");
    sam_lower_staging_slots(l, "packed_shared", shared, slots);
    return l->packing->items != NULL;
}

bool sam_lower_packed_begin(struct lower *l, const uint32_t *values)
{
    for (size_t i = 0; i < l->argument_count; i++)
        if (l->arguments[i].packed)
            return begin(l, sam_lower_slots_for(l, values));
    return true;
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
    return bytes_of(t) <= PACKING_SMALL && room + bytes_of(t) <= LOWER_STAGING + PACKING_SMALL_ROOM;
}

/* Elements of the first packed argument that the program before asks for. Both have two slots. */
static uint64_t asked_of(const struct tensor *t)
{
    const uint64_t half = (uint64_t)(PACKING_ROOM / 2) >> shift_of(t);
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
                      name, t->place, t->count, shift_of(t), (uint32_t)t->dtype, slots, whole,
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
    p->items[number].small = small;
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

/* Find the tensor of an argument in the packed weights, and check it. */
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

bool sam_lower_has_windows(const struct lower *l, const uint32_t *values, uint32_t window)
{
    const uint32_t pointer = sam_tile_pointer_of(l->p, window);
    struct tensor t = {.windows = false};
    for (size_t i = 0; i < l->argument_count; i++)
        if (values[i] == pointer && l->arguments[i].packed)
            look_up(l, "", sam_tile_ty(l->p, pointer)->dtype, &l->arguments[i], &t, NULL);
    return t.windows;
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
    const size_t number = l->packing->count++;
    l->packing->items[number] =
        (struct lower_packed){.pointer = value,
                              .base = (UINT64_C(1) << 40) + ((uint64_t)number << 36),
                              .count = t.count,
                              .windows = t.windows};
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
    if (!begin(l, 2)) {
        l->state->memory = true;
        return;
    }
    const bool small = is_small(&t, LOWER_STAGING);
    const struct lower_staging_slot slot = {"", LOWER_STAGING + (small ? 0 : PACKING_SMALL_ROOM),
                                            small ? bytes_of(&t) : (uint64_t)PACKING_ROOM / 2};
    sam_lower_staging_slots(l, "packed_next_slots", &slot, 1);
    put_descriptor(l, &t, "next", "packed_next_slots", "packed_next_slots");
    sam_lower_hart(l,
                   "# ask for weights of the next program; "
                   "lla a0, packed_next; li a1, 0; li a2, %" PRIu64 "; mv a3, a2; li a4, 0; "
                   "li a5, 0; li a6, 0; li a7, 0; call .Lprefetch",
                   asked_of(&t));
    l->packing->stages = true;
}

void sam_lower_packed_free(struct lower *l)
{
    if (l->packing)
        free(l->packing->items);
    free(l->packing);
    l->packing = NULL;
}
