/* SPDX-License-Identifier: Apache-2.0 */
/* out[o][b][m][a] = in[o][a][m][b]. Cells of 1, 2, 4 and 8 bytes go a square tile at a time, larger
 * ones by copies. */
#include "tensor/unit.h"

/* An A x B matrix of cells: rows of `in` lie in_row bytes apart, rows of `out` out_row. */
struct matrix {
    uint8_t *restrict out;
    const uint8_t *restrict in;
    unsigned a, b;
    unsigned in_row, out_row;
};

#define CELLS(name, size)                                                                          \
    static void name(const struct matrix *m, unsigned a_from, unsigned b_from)                     \
    {                                                                                              \
        for (unsigned b = b_from; b < m->b; b++)                                                   \
            for (unsigned a = a_from; a < m->a; a++)                                               \
                memcpy(m->out + b * m->out_row + a * (size), m->in + a * m->in_row + b * (size),   \
                       size);                                                                      \
    }

CELLS(cells_1, 1u)
CELLS(cells_2, 2u)
CELLS(cells_4, 4u)
CELLS(cells_8, 8u)

void sam_transpose(uint8_t *restrict out, const uint8_t *restrict in, const struct sam_transpose *t)
{
    const unsigned block = t->a * t->mid * t->b * t->size;
    for (unsigned o = 0; o < t->outer; o++) {
        for (unsigned m = 0; m < t->mid; m++) {
            struct matrix x = {out + o * block + m * t->a * t->size,
                               in + o * block + m * t->b * t->size,
                               t->a,
                               t->b,
                               t->mid * t->b * t->size,
                               t->mid * t->a * t->size};
            switch (t->size) {
            case 1: cells_1(&x, 0, 0); break;
            case 2: cells_2(&x, 0, 0); break;
            case 4: cells_4(&x, 0, 0); break;
            case 8: cells_8(&x, 0, 0); break;
            default:
                for (unsigned b = 0; b < x.b; b++)
                    for (unsigned a = 0; a < x.a; a++)
                        memcpy(x.out + b * x.out_row + a * t->size,
                               x.in + a * x.in_row + b * t->size, t->size);
            }
        }
    }
}
