/* SPDX-License-Identifier: Apache-2.0 */
/* Launches. Consecutive vector operations are collected into one kernel, which is launched
 * asynchronously. A launch has a record, metadata and argument words in the hart's data section. In
 * a loop it has two copies, used alternately, so the hart prepares one launch while the previous
 * one runs. The GPU executes launches in order; launches never wait for each other. */
#include <inttypes.h>
#include <stdlib.h>

#include "lower/elements.h"
#include "lower/hart.h"
#include "lower/op_map.h"

/* Offsets in a launch slot: record, metadata, launch number, arguments. */
enum { RECORD = 0, METADATA = 64, NUMBER = 128, ARGUMENTS = 144 };

bool sam_lower_is_move(unsigned code)
{
    switch (code) {
    case SAM_TILE_TLOAD:
    case SAM_TILE_TSTORE:
    case SAM_TILE_TMOV:
    case SAM_TILE_TTRANS:
    case SAM_TILE_TRESHAPE:
    case SAM_TILE_TEXTRACT:
    case SAM_TILE_TINSERT:
    case SAM_TILE_GMOV:
    case SAM_TILE_TCONCAT: return true;
    default: return false;
    }
}

bool sam_lower_is_vector(unsigned code)
{
    return code >= SAM_TILE_FIRST_OP && !sam_lower_is_move(code) &&
           (sam_tile_pipe(code) == SAM_TILE_PIPE_VECTOR || sam_lower_picks(code));
}

/* --- in-flight launches */

static uint32_t local(const struct lower *l, uint32_t value)
{
    return value - l->f->first_value;
}

static uint32_t busy_slot(struct lower *l, uint32_t root)
{
    struct lower_value *v = lower_value(l, root);
    if (v->busy == LOWER_NO_SLOT)
        v->busy = sam_lower_slot(l, 8);
    return v->busy;
}

bool sam_lower_inflight_save(const struct lower *l, struct lower_inflight *saved)
{
    const size_t size = l->f->value_count * sizeof *saved->uses;
    saved->uses = sam_alloc(l->f->value_count + 1, sizeof *saved->uses);
    saved->writes = sam_alloc(l->f->value_count + 1, sizeof *saved->writes);
    if (!saved->uses || !saved->writes)
        return false;
    memcpy(saved->uses, l->state->inflight.uses, size);
    memcpy(saved->writes, l->state->inflight.writes, size);
    return true;
}

void sam_lower_inflight_free(struct lower_inflight *inflight)
{
    free(inflight->uses);
    free(inflight->writes);
    *inflight = (struct lower_inflight){0};
}

/* Join the state of two paths; `before` is the state at their split. */
static uint32_t either(uint32_t a, uint32_t b, uint32_t before)
{
    const uint32_t one = a ? a : b;
    if (a == b || ((!a || !b) && one == before))
        return one;
    return LOWER_UNCERTAIN;
}

void sam_lower_inflight_merge(struct lower *l, const struct lower_inflight *other,
                              const struct lower_inflight *before)
{
    struct lower_inflight *now = &l->state->inflight;
    for (uint32_t i = 0; i < l->f->value_count; i++) {
        now->uses[i] = either(now->uses[i], other->uses[i], before->uses[i]);
        now->writes[i] = either(now->writes[i], other->writes[i], before->writes[i]);
    }
}

void sam_lower_inflight_set(struct lower *l, const struct lower_inflight *from)
{
    const size_t size = l->f->value_count * sizeof *from->uses;
    memcpy(l->state->inflight.uses, from->uses, size);
    memcpy(l->state->inflight.writes, from->writes, size);
}

/* Returns whether a kernel loads or stores elements of a tile: a result that only the kernel itself
 * reads stays in registers. */
static bool touches(const struct lower *l, const struct sam_lower_kernel *k, uint32_t tile)
{
    for (unsigned i = 0; i < k->touched_count; i++)
        if (sam_lower_same_tile(l, k->touched[i], tile))
            return true;
    return false;
}

/* The operands of an operation are in use by a launch, that of kernel `k` if it is known. */
static void mark(struct lower *l, const struct sam_tile_op *op, const struct sam_lower_kernel *k,
                 uint32_t launch)
{
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const uint32_t value = sam_tile_arg(l->p, op, i);
        if (!lower_is_tile(l, value) || (k && !touches(l, k, value)))
            continue;
        const uint32_t at = local(l, lower_root(l, value));
        l->state->inflight.uses[at] = launch;
        if (i + 1 == op->operand_count)
            l->state->inflight.writes[at] = launch;
    }
}

static void mark_block(struct lower *l, uint32_t first)
{
    for (uint32_t at = first; at != SAM_TILE_NONE; at = l->p->ops[at].next) {
        const struct sam_tile_op *op = &l->p->ops[at];
        if (sam_lower_is_vector(op->code))
            mark(l, op, NULL, LOWER_UNCERTAIN);
        if (op->code == SAM_TILE_FOR || op->code == SAM_TILE_IF)
            mark_block(l, op->body[0]);
        if (op->code == SAM_TILE_IF)
            mark_block(l, op->body[1]);
    }
}

void sam_lower_enter_loop(struct lower *l, const struct sam_tile_op *op)
{
    mark_block(l, op->body[0]);
}

/* All launches up to `launch` have finished. */
static void clear(struct lower *l, uint32_t launch)
{
    struct lower_inflight *now = &l->state->inflight;
    for (uint32_t i = 0; i < l->f->value_count; i++) {
        now->uses[i] = now->uses[i] <= launch ? 0 : now->uses[i];
        now->writes[i] = now->writes[i] <= launch ? 0 : now->writes[i];
    }
}

void sam_lower_wait_all(struct lower *l)
{
    sam_lower_hart(l, "lw t0, SAM_SYSTEM_GPU_WAIT - SAM_SYSTEM_GPU_SUBMIT(s1)");
    clear(l, LOWER_UNCERTAIN);
}

/* If t0 is the last launch, one load of WAIT blocks until it is done; otherwise poll DONE. */
void sam_lower_wait_count(struct lower *l)
{
    sam_lower_hart(l, "beq t0, gp, 1f; "
                      "0: lw t1, SAM_SYSTEM_GPU_DONE - SAM_SYSTEM_GPU_SUBMIT(s1); subw t1, t1, t0; "
                      "bltz t1, 0b; j 2f; "
                      "1: lw t1, SAM_SYSTEM_GPU_WAIT - SAM_SYSTEM_GPU_SUBMIT(s1); "
                      "2:");
}

/* Returns whether two tiles share bytes. */
static bool meet(const struct sam_tile_place *a, const struct sam_tile_place *b)
{
    return a->loc == b->loc &&
           (a == b || a->offset == SAM_TILE_NOWHERE || b->offset == SAM_TILE_NOWHERE ||
            (a->offset < b->offset + b->size && b->offset < a->offset + a->size));
}

bool sam_lower_may_meet(const struct lower *l, uint32_t a, uint32_t b)
{
    const struct sam_tile_place *x = sam_tile_place_find(&l->plan, a);
    const struct sam_tile_place *y = sam_tile_place_find(&l->plan, b);
    return !x || !y || meet(x, y);
}

/* The launches that an operation waits for: the last one with a position in the text, and the tiles
 * whose last launch is of another iteration or branch. */
struct waits {
    uint32_t launch, tile;
    bool write;
    struct {
        uint32_t tile;
        bool write;
    } uncertain[4];
    unsigned count; /* of `uncertain`; more than fit: wait for all launches */
};

static void want(const struct lower *l, struct waits *w, uint32_t tile, bool write)
{
    const struct lower_inflight *now = &l->state->inflight;
    const uint32_t launch = (write ? now->uses : now->writes)[local(l, tile)];
    if (launch == LOWER_UNCERTAIN) {
        for (unsigned i = 0; i < w->count && i < SAM_COUNT(w->uncertain); i++)
            if (w->uncertain[i].tile == tile) {
                w->uncertain[i].write |= write;
                return;
            }
        if (w->count < SAM_COUNT(w->uncertain)) {
            w->uncertain[w->count].tile = tile;
            w->uncertain[w->count].write = write;
        }
        w->count++;
    } else if (launch > w->launch) {
        w->launch = launch;
        w->tile = tile;
        w->write = write;
    }
}

static void wait_number(struct lower *l, uint32_t tile, bool write)
{
    sam_lower_slot_op(l, "lw", "t0", busy_slot(l, tile) + (write ? 0 : 4));
    sam_lower_wait_count(l);
}

void sam_lower_wait_operands(struct lower *l, const struct sam_tile_op *op)
{
    struct lower_inflight *now = &l->state->inflight;
    struct waits w = {0};
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const uint32_t value = sam_tile_arg(l->p, op, i);
        const struct sam_tile_place *place =
            lower_is_tile(l, value) ? sam_tile_place_find(&l->plan, lower_root(l, value)) : NULL;
        for (size_t k = 0; place && k < l->plan.count; k++)
            if (meet(place, &l->plan.places[k]))
                want(l, &w, l->plan.places[k].value, i + 1 == op->operand_count);
    }
    if (!w.launch && !w.count)
        return;
    sam_lower_begin(l, op);
    if (w.count > SAM_COUNT(w.uncertain)) {
        sam_lower_wait_all(l);
        return;
    }
    if (w.launch) {
        wait_number(l, w.tile, w.write);
        clear(l, w.launch);
    }
    for (unsigned i = 0; i < w.count; i++) {
        const uint32_t at = local(l, w.uncertain[i].tile);
        wait_number(l, w.uncertain[i].tile, w.uncertain[i].write);
        now->writes[at] = 0;
        if (w.uncertain[i].write)
            now->uses[at] = 0;
    }
}

/* --- a launch */

/* Returns whether an argument word is a compile-time constant, in *number. */
static bool known_word(const struct lower *l, const struct lower_word *word, uint32_t *number)
{
    int64_t bits;
    switch (word->kind) {
    case LOWER_WORD_ADDRESS: return sam_lower_known(l, word->value, LOWER_ADDRESS, number);
    case LOWER_WORD_PITCH: return sam_lower_known(l, word->value, LOWER_PITCH, number);
    case LOWER_WORD_ROWS: return sam_lower_known(l, word->value, LOWER_ROWS, number);
    case LOWER_WORD_COLS: return sam_lower_known(l, word->value, LOWER_COLS, number);
    case LOWER_WORD_BITS:
        if (!sam_lower_constant(l, word->value, &bits))
            return false;
        *number = (uint32_t)bits;
        return true;
    case LOWER_WORD_NUMBER: *number = word->number; return true;
    default: return false;
    }
}

/* Returns whether its code is that of another launch. */
static bool is_shared(const struct sam_lower_kernel *k)
{
    return strcmp(k->name, k->code) != 0;
}

static void write_slot(struct lower *l, const struct sam_lower_kernel *k, unsigned slot)
{
    const bool first = !slot && !is_shared(k);
    sam_buffer_printf(&l->data,
                      ".L%s_%u:\n"
                      "    .word   SAM_SYSTEM_GPU_CODE, .L%s_%u + %d, %u, 1, 1, 32, %u, %u\n"
                      "    .zero   32\n"
                      "%s%s%s"
                      "    .word   0, .L%s_%u + %d, 1, %u, 1, 1, %u, 1, 1\n"
                      "    .zero   28\n"
                      "    .word   0, 0, 0, 0\n",
                      k->name, slot, k->name, slot, METADATA, k->workgroups, k->warps,
                      k->warps * 1024 + k->lds_bytes, first ? "gpu_" : "", first ? k->code : "",
                      first ? ":\n" : "", k->name, slot, ARGUMENTS, k->workgroups * k->warps * 32,
                      k->warps * 32);
    for (unsigned i = 0; i < k->word_count; i++) {
        uint32_t number = 0;
        if (k->words[i].kind == LOWER_WORD_FAILURE) {
            sam_buffer_printf(&l->data, "    .word   failure\n");
            continue;
        }
        known_word(l, &k->words[i], &number);
        sam_buffer_printf(&l->data, "    .word   0x%" PRIx32 "\n", number);
    }
    sam_buffer_printf(&l->data, "    .balign 16\n");
}

static void fill_word(struct lower *l, const struct lower_word *word, unsigned offset)
{
    uint32_t number;
    if (word->kind == LOWER_WORD_FAILURE || known_word(l, word, &number))
        return;
    switch (word->kind) {
    case LOWER_WORD_ADDRESS: sam_lower_field(l, "t0", word->value, LOWER_ADDRESS); break;
    case LOWER_WORD_ROWS: sam_lower_field(l, "t0", word->value, LOWER_ROWS); break;
    case LOWER_WORD_COLS: sam_lower_field(l, "t0", word->value, LOWER_COLS); break;
    case LOWER_WORD_WINDOW: sam_lower_window_address(l, "t0", word->value); break;
    case LOWER_WORD_COUNT: sam_lower_window_size(l, "t0", word->value, 0); break;
    case LOWER_WORD_STRIDE:
        sam_lower_window_stride(l, "t0", word->value, 0);
        sam_lower_hart(l, "slli t0, t0, %d",
                       __builtin_ctzll(sam_tile_size(sam_tile_ty(l->p, word->value)->dtype)));
        break;
    default: sam_lower_get(l, "t0", word->value); break;
    }
    sam_lower_hart(l, "sw t0, %u(s11)", offset);
}

/* s11 = the slot of this launch. */
static void choose_slot(struct lower *l, const struct sam_lower_kernel *k)
{
    const unsigned step = (ARGUMENTS + 4 * k->word_count + 15) / 16 * 16;
    if (!l->state->loops) {
        sam_lower_hart(l, "lla s11, .L%s_0", k->name);
        return;
    }
    sam_lower_hart(l,
                   "lla s11, .L%s_turn; lw t0, 0(s11); xori t1, t0, %u; sw t1, 0(s11); "
                   "add s11, s11, t0; addi s11, s11, 16; lw t0, %d(s11)",
                   k->name, step, NUMBER);
    sam_lower_wait_count(l);
}

/* Copy the address of the code to slots that the loader does not set. */
static void set_code(struct lower *l, const struct sam_lower_kernel *k)
{
    for (unsigned slot = !is_shared(k); slot < (l->state->loops ? 2 : 1); slot++)
        sam_lower_code(&l->state->setup,
                       "lla t0, gpu_%s; lw t1, 0(t0); lla t0, .L%s_%u; sw t1, %d(t0)", k->code,
                       k->name, slot, METADATA);
}

static void set_busy(struct lower *l, const struct sam_lower_kernel *k)
{
    const uint32_t now = ++l->state->launched;
    for (unsigned i = 0; i < k->op_count; i++)
        mark(l, &l->p->ops[k->ops[i]], k, now);
    for (uint32_t i = 0; i < l->f->value_count; i++) {
        const bool used = l->state->inflight.uses[i] == now;
        const bool written = l->state->inflight.writes[i] == now;
        if (used)
            sam_lower_slot_op(l, "sw", "gp", busy_slot(l, l->f->first_value + i));
        if (written)
            sam_lower_slot_op(l, "sw", "gp", busy_slot(l, l->f->first_value + i) + 4);
    }
}

static void launch(struct lower *l, const struct sam_lower_kernel *k)
{
    bool fails = false;
    choose_slot(l, k);
    for (unsigned i = 0; i < k->word_count; i++) {
        fill_word(l, &k->words[i], ARGUMENTS + 4 * i);
        fails |= k->words[i].kind == LOWER_WORD_FAILURE;
    }
    sam_lower_hart(l, "sw s11, 0(s1); addi gp, gp, 1; sw gp, %d(s11)", NUMBER);
    set_busy(l, k);
    sam_buffer_printf(&l->data, "    .balign 64\n    .zero   48\n");
    if (l->state->loops)
        sam_buffer_printf(&l->data, ".L%s_turn:\n", k->name);
    sam_buffer_printf(&l->data, "    .zero   16\n");
    for (unsigned i = 0; i < (l->state->loops ? 2 : 1); i++)
        write_slot(l, k, i);
    set_code(l, k);
    if (!fails)
        return;
    sam_lower_wait_all(l);
    sam_lower_hart(l, "lla t0, failure; lw t1, 0(t0); bnez t1, .Lended");
}

void sam_lower_flush(struct lower *l)
{
    struct sam_lower_kernel *k = &l->state->pending;
    if (!k->op_count)
        return;
    for (unsigned i = 0; i < k->op_count; i++)
        sam_lower_shapes(l, &l->p->ops[k->ops[i]]);
    sam_lower_begin(l, &l->p->ops[k->ops[0]]);
    const bool picks = sam_lower_picks(l->p->ops[k->ops[0]].code);
    if (picks)
        sam_lower_before_pick(l, &l->p->ops[k->ops[0]]);
    snprintf(k->name, sizeof k->name, "k%u", l->kernels++);
    memcpy(k->code, k->name, sizeof k->code);
    k->workgroups = k->warps = 1;
    const size_t from = l->gpu.size, failures = l->state->failures.count;
    const unsigned label = l->labels;
    sam_lower_kernel(l, k);
    if (l->state->failures.count != failures || !sam_lower_share(l, k, from, label))
        sam_lower_mark_kernel(l, k);
    for (unsigned i = 0; i < k->op_count; i++)
        sam_lower_kernel_note(l, k, &l->p->ops[k->ops[i]]);
    if (!l->report->report.errors)
        launch(l, k);
    if (picks)
        sam_lower_after_pick(l, &l->p->ops[k->ops[0]]);
    memset(k, 0, sizeof *k);
}

void sam_lower_collect(struct lower *l, uint32_t index)
{
    struct sam_lower_kernel *k = &l->state->pending;
    const struct sam_tile_op *op = &l->p->ops[index];
    if (!sam_lower_has_op(l, op))
        return;
    const bool fails = sam_lower_traps(l, op), checked = sam_lower_has_shapes(l, op);
    /* Failures must keep program order. */
    if (k->op_count && (k->op_count == LOWER_GROUP || (l->state->fails && (fails || checked)) ||
                        !sam_lower_can_fuse(l, k, index)))
        sam_lower_flush(l);
    if (!k->op_count)
        l->state->fails = false;
    l->state->fails |= fails;
    k->ops[k->op_count++] = index;
}

void sam_lower_flush_before(struct lower *l, const struct sam_tile_op *op)
{
    const bool touches = op->code == SAM_TILE_SHAPE || op->code == SAM_TILE_RECORD ||
                         op->code == SAM_TILE_WAIT || op->code == SAM_TILE_BARRIER;
    if (touches || l->state->fails)
        sam_lower_flush(l);
}
