/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of a loop's products, or of products in a row, in matrix registers: loaded before them
 * and stored after them, if it is at most two by two blocks and nothing between them reads or
 * writes it.
 */
#include "lower/box.h"
#include "lower/hart.h"

#include <inttypes.h>

/* A block of the sum: its register (matrix.c), and its rows and columns from `row` and `col` on. */
struct block {
    unsigned reg, row, col, rows, cols;
};

static unsigned part(unsigned size, unsigned from, unsigned most)
{
    return size <= from ? 0 : size - from < most ? size - from : most;
}

/* Set the blocks of the kept sum; returns how many. */
static unsigned blocks(const struct lower *l, struct block out[4])
{
    static const unsigned registers[] = {4, 5, 6, 7};
    const unsigned side = l->options.mlen / 32;
    unsigned names[8] = {0}, count = 0;
    uint32_t rows = 0, cols = 0;
    sam_lower_known(l, l->state->kept, LOWER_ROWS, &rows);
    sam_lower_known(l, l->state->kept, LOWER_COLS, &cols);
    sam_lower_matrix_registers(l, names);
    for (unsigned i = 0; i < 4; i++) {
        const struct block b = {.reg = names[registers[i]],
                                .row = i / 2 * side,
                                .col = i % 2 * side,
                                .rows = part(rows, i / 2 * side, side),
                                .cols = part(cols, i % 2 * side, side)};
        if (b.rows && b.cols)
            out[count++] = b;
    }
    return count;
}

/* Whether the operations from `op` on, and those inside, use tiles of the root `sum` as sums of
 * products alone, and multiply into no other tile. *found: there is such a product. */
static bool is_alone(const struct lower *l, uint32_t op, uint32_t sum, bool *found)
{
    for (; op != SAM_TILE_NONE; op = l->p->ops[op].next) {
        const struct sam_tile_op *o = &l->p->ops[op];
        const bool product =
            o->code >= SAM_TILE_FIRST_OP && sam_tile_pipe(o->code) == SAM_TILE_PIPE_MATRIX;
        const bool acc = product && sam_tile_accumulates(sam_tile_row(o->code));
        for (uint32_t i = 0; i < o->operand_count; i++) {
            const uint32_t value = sam_tile_arg(l->p, o, i);
            const bool last = i + 1 == o->operand_count;
            const bool is_sum = product && (last || (acc && i == 0));
            const bool shared =
                sam_tile_ty(l->p, value)->kind == SAM_TILE_KIND_TILE && lower_root(l, value) == sum;
            if (is_sum ? value != sum : shared)
                return false;
        }
        if (product && sam_tile_has_bias(sam_tile_row(o->code)))
            return false;
        *found |= product;
        if ((o->code == SAM_TILE_FOR || o->code == SAM_TILE_IF) &&
            !is_alone(l, o->body[0], sum, found))
            return false;
        if (o->code == SAM_TILE_IF && !is_alone(l, o->body[1], sum, found))
            return false;
    }
    return true;
}

/* The sum of the first product from `op` on, or SAM_TILE_NONE. */
static uint32_t first_sum(const struct lower *l, uint32_t op)
{
    for (; op != SAM_TILE_NONE; op = l->p->ops[op].next) {
        const struct sam_tile_op *o = &l->p->ops[op];
        uint32_t inside = SAM_TILE_NONE;
        if (o->code >= SAM_TILE_FIRST_OP && sam_tile_pipe(o->code) == SAM_TILE_PIPE_MATRIX)
            return sam_tile_arg(l->p, o, o->operand_count - 1);
        if (o->code == SAM_TILE_FOR || o->code == SAM_TILE_IF)
            inside = first_sum(l, o->body[0]);
        if (o->code == SAM_TILE_IF && inside == SAM_TILE_NONE)
            inside = first_sum(l, o->body[1]);
        if (inside != SAM_TILE_NONE)
            return inside;
    }
    return SAM_TILE_NONE;
}

/* Move the blocks between the tile and registers. */
static void move(struct lower *l, const char *instruction)
{
    struct block all[4];
    const unsigned count = blocks(l, all);
    uint32_t pitch = 0;
    sam_lower_known(l, l->state->kept, LOWER_PITCH, &pitch);
    sam_lower_field(l, "t0", l->state->kept, LOWER_ADDRESS);
    sam_lower_hart(l, "csrwi xmcsr, 1; li t1, %" PRIu32, pitch);
    for (unsigned i = 0; i < count; i++)
        sam_lower_hart(l,
                       "li t2, %" PRIu32 "; add t2, t2, t0; mcfgmi zero, %u; mcfgki zero, %u; "
                       "%s m%u, t1, (t2)",
                       all[i].row * pitch + 4 * all[i].col, all[i].rows, 4 * all[i].cols,
                       instruction, all[i].reg);
}

/* Returns whether the sum fits the registers, with known sizes. */
static bool fits(const struct lower *l, uint32_t sum)
{
    unsigned names[8];
    uint32_t rows, cols;
    if (l->state->kept != SAM_TILE_NONE || l->plan.manual || lower_root(l, sum) != sum ||
        !sam_lower_matrix_registers(l, names))
        return false;
    for (size_t i = 0; i < l->p->op_count; i++)
        if (sam_lower_multiplies(l, &l->p->ops[i]))
            return false;
    const struct sam_tile_type *type = &sam_tile_ty(l->p, sum)->tile;
    const unsigned most = 2 * (l->options.mlen / 32);
    const bool padded = l->options.outside == SAM_TILE_PAD_VALUE && type->pad != SAM_TILE_PAD_null;
    return !padded && type->blayout == SAM_TILE_row_major &&
           sam_lower_known(l, sum, LOWER_ROWS, &rows) &&
           sam_lower_known(l, sum, LOWER_COLS, &cols) && rows - 1 < most && cols - 1 < most;
}

void sam_lower_keep_sum(struct lower *l, const struct sam_tile_op *loop)
{
    const uint32_t sum = first_sum(l, loop->body[0]);
    bool found = false;
    if (sum == SAM_TILE_NONE || !fits(l, sum) || !is_alone(l, loop->body[0], sum, &found) || !found)
        return;
    l->state->kept = sum;
    sam_lower_note(l, loop, "the sum stays in matrix registers");
    move(l, "mldw");
}

/* The last product of those into the same sum that follow `op`, with nothing between them that uses
 * it, or another product; SAM_TILE_NONE: there is none. */
static uint32_t last_of_chain(const struct lower *l, const struct sam_tile_op *op, uint32_t sum)
{
    uint32_t last = SAM_TILE_NONE;
    for (uint32_t at = op->next; at != SAM_TILE_NONE; at = l->p->ops[at].next) {
        const struct sam_tile_op *o = &l->p->ops[at];
        const bool product =
            o->code >= SAM_TILE_FIRST_OP && sam_tile_pipe(o->code) == SAM_TILE_PIPE_MATRIX;
        if (o->code == SAM_TILE_FOR || o->code == SAM_TILE_IF)
            break;
        if (product) {
            if (!sam_tile_accumulates(sam_tile_row(o->code)) || sam_tile_arg(l->p, o, 0) != sum ||
                sam_tile_arg(l->p, o, o->operand_count - 1) != sum)
                break;
            last = at;
            continue;
        }
        bool uses = false;
        for (uint32_t i = 0; i < o->operand_count; i++) {
            const uint32_t value = sam_tile_arg(l->p, o, i);
            uses |=
                sam_tile_ty(l->p, value)->kind == SAM_TILE_KIND_TILE && lower_root(l, value) == sum;
        }
        if (uses)
            break;
    }
    return last;
}

void sam_lower_keep_chain(struct lower *l, const struct sam_tile_op *op)
{
    const uint32_t sum = sam_tile_arg(l->p, op, op->operand_count - 1);
    const struct sam_tile_row *row = sam_tile_row(op->code);
    const bool acc = sam_tile_accumulates(row);
    if (sam_tile_has_bias(row) || !fits(l, sum) || (acc && sam_tile_arg(l->p, op, 0) != sum))
        return;
    l->state->chain_end = last_of_chain(l, op, sum);
    if (l->state->chain_end == SAM_TILE_NONE)
        return;
    l->state->kept = sum;
    sam_lower_note(l, op, "the sum stays in matrix registers");
    if (acc)
        move(l, "mldw");
}

void sam_lower_end_chain(struct lower *l, uint32_t index)
{
    if (l->state->chain_end != index)
        return;
    sam_lower_store_sum(l);
    l->state->chain_end = SAM_TILE_NONE;
}

void sam_lower_store_sum(struct lower *l)
{
    move(l, "mstw");
    l->state->kept = SAM_TILE_NONE;
}

void sam_lower_kept_product(struct lower *l, const char *load, const char *multiply, bool zero,
                            uint32_t left, uint32_t right)
{
    const unsigned side = l->options.mlen / 32, again = sam_lower_label(l);
    struct block all[4];
    unsigned names[8];
    const unsigned count = blocks(l, all);
    sam_lower_matrix_registers(l, names);
    sam_lower_hart(l, "csrwi xmcsr, 1");
    if (zero)
        sam_lower_hart(l, "li a0, 0");
    for (unsigned i = 0; zero && i < count; i++)
        sam_lower_hart(l, "mmov.mx m%u, a0", all[i].reg);
    sam_lower_hart(l,
                   "beqz s10, 2f; .L%u: li t5, %u; bgeu s10, t5, 1f; mv t5, s10; "
                   "1: mcfgk zero, t5",
                   again, 4 * side);
    for (unsigned i = 0; i < count; i++) {
        const struct block *b = &all[i];
        const unsigned a = names[b->row ? 1 : 0], factor = names[b->col ? 3 : 2];
        if (!b->row)
            sam_lower_hart(l,
                           "li t6, %" PRIu32 "; add t6, t6, s4; mcfgmi zero, %u; %s m%u, s5, (t6)",
                           b->col * right, b->cols, load, factor);
        if (!b->col)
            sam_lower_hart(l,
                           "li t6, %" PRIu32 "; add t6, t6, s2; mcfgmi zero, %u; %s m%u, s3, (t6)",
                           b->row * left, b->rows, load, a);
        sam_lower_hart(l, "mcfgmi zero, %u; mcfgni zero, %u; %s m%u, m%u, m%u", b->rows, b->cols,
                       multiply, b->reg, factor, a);
    }
    sam_lower_resume_copies(l, &l->hart);
    sam_lower_hart(l,
                   "add s2, s2, t5; add s4, s4, t5; sub s10, s10, t5; bnez s10, .L%u; 2:", again);
}
