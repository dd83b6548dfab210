/* SPDX-License-Identifier: Apache-2.0 */
/* Splits instructions into uops. Multiplications iterate over M in the outer and N in the inner
 * loop, and never split K. Loads and stores iterate over rows and are split at cache line
 * boundaries. */
#include "matrix/cycle/cycle.h"

#define LINE 64u
#define BEAT 16u

static unsigned add_row(const struct sam_matrix_work *w, unsigned row, struct sam_mxu_move *moves)
{
    unsigned count = 0;
    for (unsigned k = 0; k < w->bytes; count++) {
        const uint64_t first = sam_matrix_address(w, row, k);
        const unsigned in_line = (unsigned)(first % LINE), rest = LINE - in_line;
        const unsigned size = w->bytes - k < rest ? w->bytes - k : rest;
        const unsigned in_beat = in_line % BEAT;
        moves[count] = (struct sam_mxu_move){
            .address = first & ~(uint64_t)(BEAT - 1),
            .first = first,
            .row = (uint16_t)row,
            .k = (uint8_t)k,
            .size = (uint8_t)size,
            .length = (uint8_t)((in_beat + size + BEAT - 1) / BEAT - 1),
            .full_line = size == LINE,
            .widen = (uint8_t)w->widen,
        };
        k += size;
    }
    return count;
}

unsigned sam_mxu_split_moves(const struct sam_matrix_work *w, unsigned rows, unsigned row_bytes,
                             struct sam_mxu_move moves[SAM_MXU_MAX_MOVES])
{
    unsigned count = 0;
    const unsigned all = w->end ? w->end : w->registers * rows;
    for (unsigned row = w->first; row < all; row++) {
        const unsigned used = row < w->m ? w->bytes << w->widen : 0;
        if (used)
            count += add_row(w, row, moves + count);
        if (w->kind == SAM_M_KIND_LOAD && used < row_bytes)
            moves[count++] = (struct sam_mxu_move){.row = (uint16_t)row,
                                                   .k = (uint8_t)used,
                                                   .size = (uint8_t)(row_bytes - used),
                                                   .zero = true};
    }
    return count;
}

static unsigned steps(unsigned size, unsigned step)
{
    return (size + step - 1) / step;
}

unsigned sam_mxu_mma_count(const struct sam_mxu_config *c, const struct sam_matrix_work *w)
{
    return steps(w->m, c->step_m) * steps(w->n, c->npara);
}

static unsigned at_least_1(unsigned value)
{
    return value ? value : 1;
}

struct sam_mxu_mma sam_mxu_split_mma(const struct sam_mxu_config *c,
                                     const struct sam_matrix_work *w, unsigned index)
{
    const unsigned across = steps(w->n, c->npara), rows = c->mlen / 32;
    const unsigned max_n = c->mlen / w->type->target; /* columns in a register */
    const unsigned per_row = at_least_1(max_n / c->rows_n_block);
    struct sam_mxu_mma u = {.m = index / across * c->step_m, .n = index % across * c->npara};
    const unsigned height = w->m - u.m < c->step_m ? w->m - u.m : c->step_m;
    const unsigned width = w->n - u.n < c->npara ? w->n - u.n : c->npara;
    u.block_1 = u.m / c->rows_m_block;
    u.reg_2 = w->ms2 + u.n / rows;
    u.block_2 = u.n % rows / c->rows_n_block;
    for (unsigned r = u.n / max_n; r <= (u.n + width - 1) / max_n; r++, u.count++) {
        const unsigned n = r == u.n / max_n ? u.n % max_n : 0;
        u.c[u.count].reg = w->md + r;
        u.c[u.count].block = u.m / c->rows_m_block * per_row + n / c->rows_n_block;
    }
    u.macs = height * width * (w->bytes * 8 / w->type->source);
    return u;
}
