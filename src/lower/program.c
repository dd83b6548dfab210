/* SPDX-License-Identifier: Apache-2.0 */
/* Lower a function and its arguments: check, plan, emit both programs. */
#include "lower/program.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lower/box.h"
#include "lower/hart.h"
#include "lower/op_map.h"
#include "lower/packed.h"
#include "tile/check/bind.h"

enum { PAGE = 4096 };

/* --- arrays */

static bool within(const struct sam_array *a, const struct sam_array *b)
{
    const uintptr_t x = (uintptr_t)a->data, y = (uintptr_t)b->data;
    return x < y + lower_bytes(b) && y < x + lower_bytes(a);
}

/* Returns the buffer of an array; arguments with the same array share one. */
static struct lower_buffer *add_buffer(struct sam_tile_lowered *made, const char *name,
                                       const struct sam_tile_argument *a, struct sam_error *error)
{
    struct sam_array *const array = a->array;
    const uint64_t bytes = lower_bytes(array);
    uint64_t address = SAM_SYSTEM_BUFFERS;
    for (size_t i = 0; i < made->buffer_count; i++) {
        struct lower_buffer *b = &made->buffers[i];
        const bool same = b->array->data == array->data && bytes && lower_bytes(b->array) == bytes;
        if (same || b->array == array)
            return b;
        if (within(b->array, array)) {
            sam_fail(error, SAM_ERR_USAGE, "%%%s: its array overlaps that of %%%s", name, b->name);
            return NULL;
        }
        address = (b->address + lower_bytes(b->array) + 2 * PAGE - 1) / PAGE * PAGE + PAGE;
    }
    address = a->address ? a->address : address;
    if (bytes > UINT32_MAX - PAGE || address + bytes > UINT32_MAX - PAGE) {
        sam_fail(error, SAM_ERR_INPUT, "%%%s: no room for an array of %" PRIu64 " bytes", name,
                 bytes);
        return NULL;
    }
    struct lower_buffer *b = &made->buffers[made->buffer_count++];
    *b = (struct lower_buffer){
        .array = array, .address = address, .name = name, .placed = a->address != 0};
    return b;
}

/* Emit a row-by-row copy of a tile's valid rectangle from (`in`) or to an array. */
static void copy_tile(struct lower *l, uint32_t tile, uint64_t address, bool in)
{
    static const char *const loads[] = {"lbu", "lhu", "lwu", "ld"};
    static const char *const stores[] = {"sb", "sh", "sw", "sd"};
    const struct sam_tile_type *type = &sam_tile_ty(l->p, tile)->tile;
    const unsigned size = (unsigned)sam_tile_size(type->dtype);
    const bool pairs = sam_tile_is_paired(type->dtype);
    const unsigned width = (unsigned)__builtin_ctz(size);
    const bool by_rows = type->blayout == SAM_TILE_row_major;
    sam_lower_hart(l, "# %%%s %s its array", l->p->values[tile].name, in ? "from" : "to");
    sam_lower_field(l, "a0", tile, LOWER_ADDRESS);
    sam_lower_field(l, "a1", tile, LOWER_PITCH);
    sam_lower_field(l, "a2", tile, LOWER_ROWS);
    sam_lower_field(l, "a3", tile, LOWER_COLS);
    if (pairs) { /* rows of the array start at bytes */
        sam_lower_hart(l,
                       "mv a4, a2; mv a5, a3; mul t0, a4, a5; beqz t0, 2f; slli %s, a0, 1; "
                       "li %s, 0x%" PRIx64 "; addi %s, a5, 1; andi %s, %s, -2; slli t0, a1, 1; "
                       "li %s, 1; li %s, 1; mv %s, t0",
                       in ? "t3" : "t2", in ? "t2" : "t3", address * 2, in ? "a2" : "a3",
                       in ? "a2" : "a3", in ? "a2" : "a3", "a6", "a7",
                       by_rows ? in ? "a3" : "a2"
                       : in    ? "a7"
                               : "a6");
        if (!by_rows)
            sam_lower_hart(l, "li %s, 1", in ? "a3" : "a2");
        sam_lower_box_call(l, LOWER_HALVES);
        sam_lower_hart(l, "2:");
        return;
    }
    sam_lower_hart(l,
                   "li a4, 0x%" PRIx64 "; li a5, %u; beqz a3, 2f; "
                   "0: beqz a2, 2f; mv t0, a0; mv t1, a3; "
                   "1: %-7s t2, 0(%s); %-7s t2, 0(%s); add t0, t0, %s; addi a4, a4, %u; "
                   "addi t1, t1, -1; bnez t1, 1b; add a0, a0, %s; addi a2, a2, -1; j 0b; "
                   "2:",
                   address, size, loads[width], in ? "a4" : "t0", stores[width], in ? "t0" : "a4",
                   by_rows ? "a5" : "a1", size, by_rows ? "a1" : "a5");
}

/* --- arguments */

static enum sam_status give_packed(struct lower *l, uint32_t value,
                                   const struct sam_tile_argument *a, struct sam_error *error)
{
    const struct sam_tile_value *v = &l->p->values[value];
    struct sam_array shaped = *a->array;
    uint64_t address;
    if (v->type.kind != SAM_TILE_KIND_PTR)
        return sam_fail(error, SAM_ERR_INPUT, "packed tensor for %%%s: expected a pointer argument",
                        v->name);
    shaped.data = &shaped; /* only checked for being non-NULL */
    enum sam_status status = sam_tile_bind_array(v->name, v->type.dtype, &shaped, error);
    if (status == SAM_OK)
        status = sam_lower_packed_argument(l, value, a, &address, error);
    if (status == SAM_OK)
        sam_lower_start_pointer(l, value, address, a->array->count);
    return status;
}

static enum sam_status give_array(struct lower *l, struct sam_tile_lowered *made, uint32_t value,
                                  const struct sam_tile_argument *a, struct sam_error *error)
{
    const struct sam_tile_ty *type = sam_tile_ty(l->p, value);
    const char *name = l->p->values[value].name;
    const bool tile = type->kind == SAM_TILE_KIND_TILE;
    struct sam_tile_type sized = type->tile;
    if (a->packed)
        return give_packed(l, value, a, error);
    enum sam_status status =
        sam_tile_bind_array(name, tile ? sized.dtype : type->dtype, a->array, error);
    if (status == SAM_OK && tile)
        status = sam_tile_bind_shape(name, &sized, a->array, error);
    if (status != SAM_OK)
        return status;
    struct lower_buffer *b = add_buffer(made, name, a, error);
    if (!b)
        return error->status;
    b->read |= !a->output || a->inout || !tile;
    b->written |= tile && a->output;
    if (!tile) {
        sam_lower_start_pointer(l, value, b->address,
                                sam_tile_elements(a->array, sam_tile_ty(l->p, value)->dtype));
        return SAM_OK;
    }
    sam_lower_start_size(l, value, false, (uint32_t)sized.valid_rows);
    sam_lower_start_size(l, value, true, (uint32_t)sized.valid_cols);
    if (!a->output || a->inout)
        copy_tile(l, value, b->address, true);
    return SAM_OK;
}

static enum sam_status give(struct lower *l, struct sam_tile_lowered *made, uint32_t value,
                            const struct sam_tile_argument *a, struct sam_error *error)
{
    int64_t number;
    if (!sam_tile_is_argument(l->p, value))
        return SAM_OK;
    if (sam_tile_ty(l->p, value)->kind == SAM_TILE_KIND_TILE && !a->array)
        return SAM_OK;
    if (a->array)
        return give_array(l, made, value, a, error);
    const enum sam_status status = sam_tile_bind_scalar(l->p, value, a, &number, error);
    if (status == SAM_OK)
        sam_lower_start_scalar(l, value, number);
    return status;
}

/* Emit copies of output tiles to their arrays. */
static enum sam_status take(struct lower *l, struct sam_tile_lowered *made, const uint32_t *values,
                            struct sam_error *error)
{
    for (size_t i = 0; i < l->argument_count; i++) {
        const struct sam_tile_argument *a = &l->arguments[i];
        const struct sam_tile_value *v = &l->p->values[values[i]];
        struct sam_tile_type type = v->type.tile;
        if (!a->output || v->type.kind != SAM_TILE_KIND_TILE || !a->array)
            continue;
        enum sam_status status = sam_tile_bind_array(v->name, type.dtype, a->array, error);
        if (status == SAM_OK) /* valid sizes set at run time are checked there */
            status = sam_tile_bind_shape(v->name, &type, a->array, error);
        struct lower_buffer *b = status == SAM_OK ? add_buffer(made, v->name, a, error) : NULL;
        if (!b)
            return status == SAM_OK ? error->status : status;
        b->written = true;
        sam_lower_wait_all(l);
        copy_tile(l, values[i], b->address, false);
    }
    return SAM_OK;
}

/* Mark the arrays that the program stores to as written. */
static void find_stores(const struct lower *l, struct sam_tile_lowered *made,
                        const uint32_t *values)
{
    for (size_t i = 0; i < l->p->op_count; i++) {
        const struct sam_tile_op *op = &l->p->ops[i];
        const uint32_t window = op->code < SAM_TILE_FIRST_OP
                                    ? SAM_TILE_NONE
                                    : sam_tile_window_written(sam_tile_row(op->code));
        if (window == SAM_TILE_NONE || !l->flow.order[i])
            continue;
        const uint32_t at = sam_tile_pointer_of(l->p, sam_tile_arg(l->p, op, window));
        for (size_t k = 0; k < l->argument_count; k++)
            for (size_t b = 0; values[k] == at && b < made->buffer_count; b++)
                made->buffers[b].written |=
                    made->buffers[b].array->data == l->arguments[k].array->data;
    }
}

/* --- a program */

static void begin(struct lower *l)
{
    const struct {
        const char *name;
        uint32_t value;
    } numbers[] = {
        {"SAM_SYSTEM_GPU_CODE", SAM_SYSTEM_GPU_CODE + l->options.offset},
        {"SAM_SYSTEM_EXIT", SAM_SYSTEM_EXIT},
        {"SAM_SYSTEM_GPU_SUBMIT", SAM_SYSTEM_GPU_SUBMIT},
        {"SAM_SYSTEM_GPU_DONE", SAM_SYSTEM_GPU_DONE},
        {"SAM_SYSTEM_GPU_WAIT", SAM_SYSTEM_GPU_WAIT},
    };
    struct sam_buffer name = {0};
    sam_buffer_plain(&name, l->p->name, strlen(l->p->name), '?');
    sam_buffer_printf(&l->hart, "# %s%s%s, lowered: see gpu.s for its kernels.\n",
                      sam_buffer_text(&name), l->f->bare ? "" : " @", l->f->name);
    sam_buffer_free(&name);
    for (size_t i = 0; i < SAM_COUNT(numbers); i++)
        sam_lower_hart(l, ".equ %s, 0x%08" PRIx32, numbers[i].name, numbers[i].value);
    sam_lower_hart(l,
                   ".text; .globl _start; "
                   "_start: lla s0, slots + %d; li s1, SAM_SYSTEM_GPU_SUBMIT; "
                   "lw gp, SAM_SYSTEM_GPU_DONE - SAM_SYSTEM_GPU_SUBMIT(s1); "
                   "call .Lsetup",
                   LOWER_SLOTS_BASE);
    sam_buffer_printf(&l->data, "    .data\n");
    sam_buffer_puts(&l->gpu, sam_gpu_start_code());
}

static enum sam_status write(struct lower *l, struct sam_tile_lowered *made, uint32_t *values,
                             struct sam_error *error)
{
    enum sam_status status =
        sam_tile_bind_values(l->p, l->f, l->arguments, l->argument_count, values, error);
    if (status == SAM_OK)
        status = sam_lower_arrange(l, values, error);
    if (status != SAM_OK || l->report->report.errors)
        return status;
    begin(l);
    if (!sam_lower_packed_begin(l, values))
        return sam_fail_memory(error);
    for (size_t i = 0; i < l->argument_count && status == SAM_OK; i++)
        status = give(l, made, values[i], &l->arguments[i], error);
    if (status != SAM_OK)
        return status;
    sam_lower_body(l);
    sam_lower_hart(l, "done:");
    sam_lower_mark(l, "done", NULL);
    status = take(l, made, values, error);
    if (status != SAM_OK)
        return status;
    sam_lower_finish(l);
    find_stores(l, made, values);
    made->offset = l->options.offset;
    if (l->packing) {
        made->weights = l->options.weights;
        made->weights_size = l->options.weights_size;
    }
    if (l->hart.failed || l->data.failed || l->gpu.failed || l->state->memory ||
        l->state->slots.failed || l->state->setup.failed || l->state->stubs.failed)
        return sam_fail_memory(error);
    sam_buffer_puts(&l->hart, sam_buffer_text(&l->data));
    made->hart = sam_strdup(sam_buffer_text(&l->hart));
    made->failure_at = l->state->failure_at;
    made->gpu = sam_strdup(sam_buffer_text(&l->gpu));
    made->source = sam_strndup(l->p->text, l->p->size);
    made->described = sam_lower_describe(l);
    return made->hart && made->gpu && made->source && made->described ? SAM_OK
                                                                      : sam_fail_memory(error);
}

/* Add a note, unless it says the same of the same operation as one before it: copies of an
 * operation are lowered alike. */
static void add_note(struct sam_tile_lowered *made, const struct sam_tile_op *op, char *text)
{
    const char *name = sam_lower_op_name(op);
    for (size_t i = 0; i < made->note_count; i++) {
        const struct sam_tile_lowered_note *n = &made->notes[i];
        if (n->line == op->pos.line && n->column == op->pos.column && n->name == name &&
            strcmp(n->text, text) == 0) {
            free(text);
            return;
        }
    }
    made->notes[made->note_count++] =
        (struct sam_tile_lowered_note){op->pos.line, op->pos.column, name, text};
}

/* Move messages and notes to the result. */
static void keep(struct lower *l, struct sam_tile_lowered *made)
{
    struct lower_state *s = l->state;
    made->failures = s->failures.items;
    made->failure_count = s->failures.count;
    made->plain = strlen(l->p->name);
    made->notes = sam_alloc(s->remark_count + 1, sizeof *made->notes);
    for (size_t i = 0; i < s->remark_count; i++) {
        if (made->notes)
            add_note(made, &l->p->ops[s->remarks[i].op], s->remarks[i].text);
        else
            free(s->remarks[i].text);
    }
    free(s->remarks);
}

static void close(struct lower *l)
{
    sam_buffer_free(&l->hart);
    sam_buffer_free(&l->data);
    sam_buffer_free(&l->gpu);
    sam_buffer_free(&l->state->slots);
    sam_buffer_free(&l->state->setup);
    sam_buffer_free(&l->state->stubs);
    sam_lower_packed_free(l);
    sam_lower_inflight_free(&l->state->inflight);
    free(l->state->begun);
    free(l->state->shared);
    sam_lower_op_map_free(l->state->op_map);
    free(l->values);
    sam_lower_arrange_free(l);
}

/* Returns placeholder arguments for `unbound`: empty arrays, zeros, no tiles. NULL on
 * out-of-memory. */
static struct sam_tile_argument *stand_in(const struct sam_tile_program *p,
                                          const struct sam_tile_func *f,
                                          struct sam_tile_lowered *made)
{
    struct sam_tile_argument *all = sam_alloc(f->arg_count + 1, sizeof *all);
    made->unbound = sam_alloc(f->arg_count + 1, sizeof *made->unbound);
    for (uint32_t i = 0; all && made->unbound && i < f->arg_count; i++) {
        const struct sam_tile_ty *type = sam_tile_ty(p, p->ids[f->args + i]);
        struct sam_array *array = &made->unbound[i];
        *array = (struct sam_array){.dtype = type->dtype, .rank = 1};
        if (type->kind == SAM_TILE_KIND_PTR)
            all[i].array = array;
        else if (type->kind != SAM_TILE_KIND_TILE)
            all[i] = (struct sam_tile_argument){
                .is_scalar = true,
                .dtype = type->kind == SAM_TILE_KIND_SCALAR ? type->dtype : SAM_I64};
    }
    if (made->unbound)
        return all;
    free(all);
    return NULL;
}

/* An option; if it is 0, the parameter of the configuration; if there is none, the default. */
static unsigned choose(unsigned given, const struct sam_system_config *config, const char *name,
                       unsigned otherwise)
{
    uint64_t value = 0;
    if (given)
        return given;
    return config && sam_system_config_get(config, name, &value) && value ? (unsigned)value
                                                                          : otherwise;
}

static enum sam_status take_options(struct sam_tile_lower_options *o,
                                    const struct sam_tile_lower_options *given, size_t count,
                                    struct sam_error *error)
{
    const enum sam_status status = sam_options_take(o, sizeof *o, sizeof *o, given, error);
    if (status != SAM_OK)
        return status;
    const struct sam_tile_options modes = {.size = sizeof modes,
                                           .profile = o->profile,
                                           .nan = o->nan,
                                           .outside = o->outside,
                                           .dialect = o->dialect};
    if (o->unbound && count)
        return sam_fail(error, SAM_ERR_USAGE, "unbound: %zu arguments are given", count);
    if (o->offset % PAGE || o->offset >= SAM_SYSTEM_GPU_CODE_BYTES)
        return sam_fail(error, SAM_ERR_USAGE,
                        "offset 0x%" PRIx32
                        ": expected a multiple of %d below the 0x%x bytes of code",
                        o->offset, PAGE, (unsigned)SAM_SYSTEM_GPU_CODE_BYTES);
    if (o->next && (!o->next->array || !o->next->packed))
        return sam_fail(error, SAM_ERR_USAGE, "next: expected a packed argument");
    o->mlen = choose(o->mlen, o->config, "mx.mlen", 512);
    o->sms = choose(o->sms, o->config, "gpu.sms", 2);
    o->warps = choose(o->warps, o->config, "gpu.warps", 8);
    o->acc_regs = o->acc_regs ? o->acc_regs : 0xff;
    return sam_tile_check_options(&modes, error);
}

enum sam_status sam_tile_lower(const struct sam_tile_program *p, size_t function,
                               const struct sam_tile_argument *arguments, size_t count,
                               const struct sam_tile_lower_options *options,
                               struct sam_tile_lowered **lowered, char **messages,
                               struct sam_error *error)
{
    struct sam_error inner = {0};
    if (lowered)
        *lowered = NULL;
    if (messages)
        *messages = NULL;
    if (SAM_LACKS(error, p, lowered, messages) || (count && SAM_LACKS(error, arguments)))
        return SAM_ERR_USAGE;
    if (function >= p->func_count)
        return sam_fail(error, SAM_ERR_USAGE, "function %zu: expected one below %zu", function,
                        p->func_count);
    struct sam_tile_report report = {.program = p};
    struct lower_state state = {.yields = LOWER_NO_SLOT,
                                .kept = SAM_TILE_NONE,
                                .chain_end = SAM_TILE_NONE,
                                .background = LOWER_NO_SLOT};
    struct lower l = {.source = p,
                      .p = p,
                      .f = &p->funcs[function],
                      .arguments = arguments,
                      .argument_count = count,
                      .report = &report,
                      .state = &state};
    enum sam_status status = take_options(&l.options, options, count, error);
    if (status == SAM_OK)
        status = sam_tile_check_in(p, l.options.profile, l.options.dialect, messages, error);
    if (status != SAM_OK)
        return status;
    struct sam_tile_lowered *made = sam_alloc(1, sizeof *made);
    struct sam_tile_argument *unbound = NULL;
    if (made && l.options.unbound) {
        unbound = stand_in(l.p, l.f, made);
        l.arguments = unbound;
        l.argument_count = count = unbound ? l.f->arg_count : 0;
    }
    uint32_t *values = sam_alloc(count + 1, sizeof *values);
    if (made)
        made->buffers = sam_alloc(count + 1, sizeof *made->buffers);
    status =
        made && values && made->buffers ? write(&l, made, values, &inner) : sam_fail_memory(&inner);
    if (made)
        keep(&l, made);
    if (status == SAM_OK) {
        free(*messages);
        status = sam_tile_report_end(&report, messages, &inner);
    }
    sam_tile_report_free(&report);
    if (l.boxes)
        sam_lower_box_routines(&l);
    close(&l);
    free(values);
    free(unbound);
    if (status == SAM_OK) {
        *lowered = made;
        return SAM_OK;
    }
    sam_tile_lowered_free(made);
    return sam_fail(error, status, "%s", inner.text);
}

void sam_tile_lowered_free(struct sam_tile_lowered *made)
{
    if (!made)
        return;
    for (size_t i = 0; i < made->failure_count; i++)
        free(made->failures[i]);
    for (size_t i = 0; i < made->note_count; i++)
        free((char *)made->notes[i].text);
    free(made->failures);
    free(made->notes);
    free(made->buffers);
    free(made->hart);
    free(made->gpu);
    free(made->source);
    free(made->unbound);
    sam_lower_described_free(made->described);
    sam_image_free(made->images[0]);
    sam_image_free(made->images[1]);
    free(made);
}
