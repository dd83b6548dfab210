/* SPDX-License-Identifier: Apache-2.0 */
/* Copies in the background of a product: moves that come right before a product that does not
 * depend on them. Their routines run as a coroutine of the product's, which resumes them once per
 * step for one load and one store: the queues of both units hold a few instructions only, so the
 * hart has to issue to both in turn.
 *
 * A slot holds where the coroutine continues, 0 if there is none. The registers of either side are
 * in slots while the other runs. */
#include "lower/hart.h"
#include "lower/packed.h"

#include <inttypes.h>

/* Slots of 8 bytes. */
enum {
    CONTINUE,
    JOBS,
    PRODUCT = JOBS + 2 * LOWER_BACKGROUND,
    COPY = PRODUCT + 16,
    SLOTS = COPY + 16
};

/* Registers of a product that copies change, and that they keep for themselves. */
static const char *const clobbered[] = {"ra", "t2", "t3", "a0", "a1", "s2",
                                        "s3", "s4", "s5", "a3", "t0", "t1"};
enum { KEPT = 10 };

static int slot(const struct lower *l, unsigned index)
{
    return (int)(l->state->background + 8 * index) - LOWER_SLOTS_BASE;
}

static void save(struct lower *l, const char *instruction, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        sam_lower_hart(l, "%s %s, %d(s0)", instruction, clobbered[i], slot(l, first + i));
}

void sam_lower_background_init(struct lower *l)
{
    unsigned products = 0;
    for (size_t i = 0; i < l->p->op_count; i++)
        products += l->flow.order[i] && l->p->ops[i].code >= SAM_TILE_FIRST_OP &&
                    sam_tile_pipe(l->p->ops[i].code) == SAM_TILE_PIPE_MATRIX;
    l->state->background = products > 1 ? sam_lower_slot(l, 8 * SLOTS) : LOWER_NO_SLOT;
}

/* --- which moves */

static bool is_product(unsigned code)
{
    return code >= SAM_TILE_FIRST_OP && sam_tile_pipe(code) == SAM_TILE_PIPE_MATRIX;
}

/* Returns whether the operations share bytes of a tile that one of them writes. */
static bool conflict(const struct lower *l, const struct sam_tile_op *move,
                     const struct sam_tile_op *product)
{
    for (uint32_t i = 0; i < move->operand_count; i++)
        for (uint32_t k = 0; k < product->operand_count; k++) {
            const uint32_t a = sam_tile_arg(l->p, move, i), b = sam_tile_arg(l->p, product, k);
            const bool writes = i + 1 == move->operand_count || k + 1 == product->operand_count;
            if (!writes || sam_tile_ty(l->p, a)->kind != SAM_TILE_KIND_TILE)
                continue;
            const uint32_t tiles[] = {b, sam_lower_factor_tile(l, b)};
            for (size_t n = 0; n < SAM_COUNT(tiles); n++)
                if (sam_lower_may_meet(l, lower_root(l, a), lower_root(l, tiles[n])))
                    return true;
        }
    return false;
}

/* Returns whether the product's routine resumes copies: it has steps of two rows of blocks. */
static bool has_steps(const struct lower *l, const struct sam_tile_op *product)
{
    const uint32_t d = sam_tile_arg(l->p, product, product->operand_count - 1);
    const bool by_rows = sam_tile_ty(l->p, d)->tile.blayout == SAM_TILE_row_major;
    unsigned names[8];
    uint32_t rows;
    return sam_lower_matrix_registers(l, names) &&
           sam_lower_known(l, d, by_rows ? LOWER_ROWS : LOWER_COLS, &rows) &&
           rows >= 2 * (l->options.mlen / 32);
}

/* Returns whether the product reads weights where they have been decoded. */
static bool stages(const struct lower *l, const struct sam_tile_op *product)
{
    for (uint32_t i = 0; i < product->operand_count; i++) {
        const uint32_t tile = sam_lower_factor_tile(l, sam_tile_arg(l->p, product, i));
        if (sam_tile_ty(l->p, tile)->kind == SAM_TILE_KIND_TILE &&
            sam_lower_staged_factor(l, tile) != SAM_TILE_NONE)
            return true;
    }
    return false;
}

/* The product that follows operation `index` after nothing but other moves, or SAM_TILE_NONE. */
static uint32_t next_product(const struct lower *l, uint32_t index)
{
    uint32_t at = index;
    while (at != SAM_TILE_NONE && l->p->ops[at].code != SAM_TILE_SHAPE &&
           (l->p->ops[at].code < SAM_TILE_RECORD ||
            (l->p->ops[at].code >= SAM_TILE_CONSTANT && l->p->ops[at].code < SAM_TILE_FOR) ||
            (l->p->ops[at].code >= SAM_TILE_FIRST_OP && sam_lower_is_move(l->p->ops[at].code))))
        at = l->p->ops[at].next;
    return at != SAM_TILE_NONE && is_product(l->p->ops[at].code) ? at : SAM_TILE_NONE;
}

static bool is_alias(const struct lower *l, const struct sam_tile_op *op)
{
    const uint32_t d = sam_tile_arg(l->p, op, op->operand_count - 1);
    return op->code == SAM_TILE_TMOV && sam_lower_factor_tile(l, d) != d;
}

bool sam_lower_defers(struct lower *l, uint32_t index)
{
    struct lower_state *s = l->state;
    const uint32_t product = next_product(l, index);
    unsigned count = s->jobs, staged = 0;
    if (s->background == LOWER_NO_SLOT || product == SAM_TILE_NONE || product == index ||
        !has_steps(l, &l->p->ops[product]))
        return false;
    /* This one, and all between it and the product. */
    for (uint32_t at = index; at != product; at = l->p->ops[at].next) {
        const struct sam_tile_op *op = &l->p->ops[at];
        if (op->code < SAM_TILE_FIRST_OP || is_alias(l, op))
            continue;
        staged += sam_lower_is_staged(l, op);
        if (++count > LOWER_BACKGROUND || sam_lower_is_staged_apart(l, op) ||
            !sam_lower_is_plain_copy(l, op) || conflict(l, op, &l->p->ops[product]))
            return false;
    }
    /* The slot of decoded weights that a copy reads must not be filled again before. */
    return staged < 2 && !(staged && stages(l, &l->p->ops[product]));
}

/* --- code */

static void begin_stub(struct lower *l)
{
    struct lower_state *s = l->state;
    if (!s->stub_open)
        sam_lower_code(&s->stubs, ".Lcopies%u:", s->stub_count);
    s->stub_open = true;
}

void sam_lower_defer_copy(struct lower *l, size_t routine)
{
    struct lower_state *s = l->state;
    const unsigned job = s->jobs++;
    sam_lower_hart(l, "sd t2, %d(s0); sd t3, %d(s0)", slot(l, JOBS + 2 * job),
                   slot(l, JOBS + 2 * job + 1));
    begin_stub(l);
    sam_lower_code(&s->stubs, "ld t2, %d(s0); ld t3, %d(s0); call .Lslow%zu",
                   slot(l, JOBS + 2 * job), slot(l, JOBS + 2 * job + 1), routine);
}

void sam_lower_begin_copies(struct lower *l)
{
    struct lower_state *s = l->state;
    if (!s->jobs)
        return;
    sam_lower_code(&s->stubs, "j .Lcopied");
    sam_lower_hart(l, "lla t0, .Lcopies%u; sd t0, %d(s0) # copies in the background",
                   s->stub_count++, slot(l, CONTINUE));
}

void sam_lower_end_copies(struct lower *l)
{
    struct lower_state *s = l->state;
    if (s->jobs)
        sam_lower_hart(l, "call .Lfinish");
    s->jobs = 0;
    s->stub_open = false;
}

void sam_lower_resume_copies(const struct lower *l, struct sam_buffer *out)
{
    if (l->state->background != LOWER_NO_SLOT)
        sam_lower_code(out,
                       "ld tp, %d(s0); beqz tp, 6f # no copies; "
                       "sd ra, %d(s0); call .Lcopy; ld ra, %d(s0); 6:",
                       slot(l, CONTINUE), slot(l, PRODUCT + 15), slot(l, PRODUCT + 15));
}

void sam_lower_copy_routines(struct lower *l)
{
    if (l->state->background == LOWER_NO_SLOT)
        return;
    sam_lower_hart(l, "# continue the copies at tp; .Lcopy:");
    save(l, "sd", PRODUCT, SAM_COUNT(clobbered));
    save(l, "ld", COPY, KEPT);
    sam_lower_hart(l, "jr tp; # a copy has issued a store, tp is after it; .Lissued: sd tp, %d(s0)",
                   slot(l, CONTINUE));
    save(l, "sd", COPY, KEPT);
    sam_lower_hart(l, ".Lback:");
    save(l, "ld", PRODUCT, SAM_COUNT(clobbered));
    sam_lower_hart(l, "ret; # all copies are issued; .Lcopied: sd zero, %d(s0); j .Lback",
                   slot(l, CONTINUE));
    sam_lower_hart(l,
                   "# after the product: issue what is left; "
                   ".Lfinish: sd ra, %d(s0); 1: ld tp, %d(s0); beqz tp, 2f; call .Lcopy; j 1b; "
                   "2: ld ra, %d(s0); ret",
                   slot(l, PRODUCT + 14), slot(l, CONTINUE), slot(l, PRODUCT + 14));
    sam_buffer_puts(&l->hart, sam_buffer_text(&l->state->stubs));
}
