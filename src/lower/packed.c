/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that are packed weight tensors. Before a tload, the weight unit decodes the window into
 * the staging area of L0M, unless it is already there. The first window that does not fit makes the
 * program decode the whole tensor into DRAM. Undecoded elements have addresses above 4 GiB, used
 * only for address arithmetic. */
#include "lower/packed.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "lower/hart.h"
#include "samite/codec.h"

/* Tensors up to SMALL bytes keep a staging area of their own, as long as SMALL_ROOM lasts. All
 * others share the remainder. */
enum { SMALL = 16 << 10, SMALL_ROOM = (LOWER_ENDING - LOWER_STAGING) / 4 };
/* 64-bit words of the descriptor packed_N, read by .Lstage. */
enum { ENTRY, ROOM, ROOM_ELEMENTS, ELEMENTS, OWNER, FIRST, END, SHIFT, TYPE, WHOLE };

struct lower_packed {
    uint32_t pointer; /* the argument's value */
    uint64_t base;    /* address of element 0, above 4 GiB */
};

struct lower_packing {
    struct lower_packed *items;
    size_t count;
    uint32_t room;   /* next free small area */
    uint32_t delta;  /* slot: offset from an element of `window` to its decoded copy */
    uint32_t window; /* the staged window, or SAM_TILE_NONE */
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
    l->packing->items = sam_alloc(l->argument_count, sizeof *l->packing->items);
    l->packing->room = LOWER_STAGING;
    l->packing->delta = sam_lower_slot(l, 8);
    l->packing->window = SAM_TILE_NONE;
    sam_buffer_printf(&l->data, "    .balign 8\n"
                                "packed_owner: # of the room that large tensors share\n"
                                "    .dword  0\n");
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
    const uint32_t room = small ? p->room : LOWER_STAGING + SMALL_ROOM;
    if (small)
        p->room += (uint32_t)bytes;
    sam_buffer_printf(&l->data,
                      "packed_%zu:\n"
                      "    .dword  %zu\n" /* ENTRY: index; .Lsetup replaces it by the address */
                      "    .dword  0x%" PRIx32 ", %" PRIu32 ", %" PRIu64 "\n"
                      "    .dword  %s, 0, 0, %u, %" PRIu32 "\n",
                      number, place, room,
                      (uint32_t)((small ? bytes : LOWER_ENDING - room) >> shift), count,
                      small ? "0" : "packed_owner", shift, type_number(dtype));
    if (small)
        sam_buffer_printf(&l->data, "    .dword  0\n");
    else
        sam_buffer_printf(&l->data,
                          "    .dword  packed_%zu_whole\n" /* WHOLE */
                          "    .bss\n"
                          "    .balign 64\n"
                          "packed_%zu_whole:\n"
                          "    .zero   %" PRIu64 "\n"
                          "    .data\n",
                          number, number, bytes);
    sam_lower_code(&l->state->setup,
                   "lla t0, packed_%zu; ld t1, 0(t0); li t2, %zu; mul t1, t1, t2; "
                   "li t2, SAM_SYSTEM_DIRECTORY; lwu t2, 0(t2); beqz t2, 0f; addi t2, t2, 4; "
                   "add t2, t2, t1; "
                   "0: sd t2, 0(t0)",
                   number, sizeof(struct sam_weight_entry));
}

enum sam_status sam_lower_packed_argument(struct lower *l, uint32_t value,
                                          const struct sam_tile_argument *a, uint64_t *address,
                                          struct sam_error *error)
{
    const enum sam_dtype dtype = sam_tile_ty(l->p, value)->dtype;
    const uint64_t count = a->array->count;
    struct sam_packed *packed;
    size_t place;
    if (!l->options.weights)
        return sam_fail(error, SAM_ERR_USAGE, "%%%s: a packed tensor without packed weights",
                        l->p->values[value].name);
    enum sam_status status =
        sam_packed_open(l->options.weights, l->options.weights_size, NULL, &packed, error);
    if (status != SAM_OK)
        return status;
    status = check(l->p->values[value].name, find(sam_packed_weights(packed), a->packed, &place),
                   a->packed, dtype, count, error);
    sam_packed_close(packed);
    if (status != SAM_OK)
        return status;
    if (!begin(l))
        return sam_fail_memory(error);
    const size_t number = l->packing->count++;
    l->packing->items[number] =
        (struct lower_packed){value, (UINT64_C(1) << 40) + ((uint64_t)number << 36)};
    *address = l->packing->items[number].base;
    describe(l, number, place, dtype, count);
    return SAM_OK;
}

/* --- before a tload */

void sam_lower_stage(struct lower *l, const struct sam_tile_op *op)
{
    const uint32_t last = sam_tile_arg(l->p, op, op->operand_count - 1);
    const uint32_t window = op->code == SAM_TILE_TSTORE ? last : sam_tile_arg(l->p, op, 0);
    const struct lower_packed *packed =
        sam_tile_ty(l->p, window)->kind == SAM_TILE_KIND_PART ? packed_of(l, window) : NULL;
    if (!packed)
        return;
    if (op->code == SAM_TILE_TSTORE) {
        sam_lower_refuse(l, op, "tstore cannot write to packed weights");
        return;
    }
    const struct sam_tile_ty *type = sam_tile_ty(l->p, window);
    const unsigned shift = (unsigned)__builtin_ctz((unsigned)sam_tile_size(type->dtype));
    const unsigned skip = sam_lower_label(l);
    const char *name = l->p->values[packed->pointer].name;
    struct lower_packing *p = l->packing;
    sam_lower_hart(l, "# decode what the window needs of %%%s", name);
    sam_lower_slot_op(l, "sd", "zero", p->delta);
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
    sam_lower_hart(
        l,
        "addi a2, a2, 1; lla a0, packed_%zu; "
        "bltz a1, .L%u; " /* out of bounds: the tload reports it */
        "ld t0, %d(a0); blt t0, a2, .L%u; call .Lstage; bnez t0, .Lfailure%u; "
        "li t0, %" PRIu64 "; sub a0, a0, t0",
        (size_t)(packed - p->items), skip, 8 * ELEMENTS, skip,
        sam_lower_failure(l, op, "the weight unit cannot decode the packed %%%s: status {0}", name),
        packed->base);
    sam_lower_slot_op(l, "sd", "a0", p->delta);
    sam_lower_hart(l, ".L%u:", skip);
    p->window = window;
    p->stages = true;
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

/* --- .Lstage(a0: descriptor, a1, a2: element range, a3: elements from a window to the one after
 * it in its slowest dimension). Returns a0 = the address that element 0 would
 * have and t0 = 0; on failure both hold the weight unit's status. */

static void put_entry(struct lower *l)
{
    static const struct {
        size_t to, from;
    } words[] = {
        {offsetof(struct sam_weight_record, packed_type), offsetof(struct sam_weight_entry, type)},
        {offsetof(struct sam_weight_record, source), offsetof(struct sam_weight_entry, chunks)},
        {offsetof(struct sam_weight_record, source_bytes),
         offsetof(struct sam_weight_entry, bytes)},
        {offsetof(struct sam_weight_record, piece), offsetof(struct sam_weight_entry, piece)},
        {offsetof(struct sam_weight_record, layout), offsetof(struct sam_weight_entry, layout)},
        {offsetof(struct sam_weight_record, total_low), offsetof(struct sam_weight_entry, total)},
        {offsetof(struct sam_weight_record, total_high),
         offsetof(struct sam_weight_entry, total) + 4},
    };
    for (size_t i = 0; i < SAM_COUNT(words); i++)
        sam_lower_hart(l, "lw t0, %zu(a4); sw t0, %zu(a3)", words[i].from, words[i].to);
}

/* t2, t5 = the first element to decode and the count. */
static void choose_elements(struct lower *l)
{
    sam_lower_hart(l,
                   ".equ SAM_SYSTEM_DIRECTORY, 0x%08x; "
                   ".Lstage: ld t0, %d(a0); " /* shared area: do we own it? */
                   "beqz t0, 0f; ld t1, 0(t0); bne t1, a0, 1f; "
                   "0: ld t2, %d(a0); ld t3, %d(a0); bltu a1, t2, 1f; bgeu t3, a2, 4f; "
                   "1: ld t4, %d(a0); " /* decode from t2: the whole tensor, or from the
                                                 window on */
                   "ld t5, %d(a0); li t2, 0; bgeu t4, t5, 2f; mv t2, a1; sub t6, a2, a1; "
                   "bgeu t6, a3, 0f; mv t6, a3; 0: bgeu t4, t6, 3f; sub t6, a2, a1; "
                   "bgeu t4, t6, 2f; "
                   "ld t0, %d(a0); " /* too large: keep the whole tensor in DRAM from
                                                 now on */
                   "sd t0, %d(a0); sd t5, %d(a0); sd zero, %d(a0); sd zero, %d(a0); "
                   "sd zero, %d(a0); j 1b; "
                   "3: divu t4, t4, t6; mul t4, t4, t6; " /* windows that follow this one */
                   "2: sub t5, t5, t2; "                  /* t5 elements */
                   "bgeu t4, t5, 3f; mv t5, t4",
                   (unsigned)SAM_SYSTEM_DIRECTORY, 8 * OWNER, 8 * FIRST, 8 * END, 8 * ROOM_ELEMENTS,
                   8 * ELEMENTS, 8 * WHOLE, 8 * ROOM, 8 * ROOM_ELEMENTS, 8 * OWNER, 8 * FIRST,
                   8 * END);
}

/* Fill the record at a3 from the directory entry at a4. */
static void put_record(struct lower *l)
{
    sam_lower_hart(l,
                   "3: ld a4, %d(a0); bnez a4, 3f; "
                   "li t0, 1; " /* no weights: submit an invalid record */
                   "mv a0, t0; ret; "
                   "3: lla a3, packed_record",
                   8 * ENTRY);
    put_entry(l);
    sam_lower_hart(
        l,
        "ld t0, %d(a0); sw t0, %zu(a3); ld t0, %d(a0); sw t0, %zu(a3); "
        "ld t1, %d(a0); sll t1, t5, t1; sw t1, %zu(a3); sw t5, %zu(a3); "
        "sw zero, %zu(a3); lwu t0, %zu(a4); " /* offset of the tensor in its piece */
        "lwu t1, %zu(a4); slli t1, t1, 32; or t0, t0, t1; lw t1, %zu(a4); li t3, %d; "
        "mv t6, t2; bne t1, t3, 3f; lwu t1, %zu(a4); mul t6, t6, t1; srli t6, t6, 3; "
        "3: add t0, t0, t6; sw t0, %zu(a3); srli t0, t0, 32; sw t0, %zu(a3)",
        8 * TYPE, offsetof(struct sam_weight_record, output_type), 8 * ROOM,
        offsetof(struct sam_weight_record, destination), 8 * SHIFT,
        offsetof(struct sam_weight_record, destination_bytes),
        offsetof(struct sam_weight_record, elements_low),
        offsetof(struct sam_weight_record, elements_high), offsetof(struct sam_weight_entry, first),
        offsetof(struct sam_weight_entry, first) + 4, offsetof(struct sam_weight_entry, layout),
        SAM_WEIGHT_LAYOUT_SHARED, offsetof(struct sam_weight_entry, bits),
        offsetof(struct sam_weight_record, first_low),
        offsetof(struct sam_weight_record, first_high));
}

/* Submit the record and wait. */
static void submit_record(struct lower *l)
{
    sam_lower_hart(l,
                   "li t0, 0x%08x; sw a3, 0(t0); lw t0, 0x%x(t0); " /* wait */
                   "bnez t0, 5f; add t3, t2, t5; sd t2, %d(a0); sd t3, %d(a0); ld t0, %d(a0); "
                   "beqz t0, 4f; sd a0, 0(t0); "
                   "4: ld t1, %d(a0); ld t3, %d(a0); sll t2, t2, t3; sub a0, t1, t2; li t0, 0; "
                   "ret; "
                   "5: mv a0, t0; ret",
                   (unsigned)SAM_SYSTEM_WEIGHT_SUBMIT,
                   (unsigned)(SAM_SYSTEM_WEIGHT_WAIT - SAM_SYSTEM_WEIGHT_SUBMIT), 8 * FIRST,
                   8 * END, 8 * OWNER, 8 * ROOM, 8 * SHIFT);
}

void sam_lower_packed_routine(struct lower *l)
{
    if (!l->packing || !l->packing->stages)
        return;
    choose_elements(l);
    put_record(l);
    submit_record(l);
    sam_buffer_printf(&l->data, "    .balign 64\npacked_record:\n    .zero   64\n");
}

void sam_lower_packed_free(struct lower *l)
{
    if (l->packing)
        free(l->packing->items);
    free(l->packing);
    l->packing = NULL;
}
