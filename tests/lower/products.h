/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices in random programs, with factors from windows of arrays. */
#ifndef TEST_LOWER_PRODUCTS_H
#define TEST_LOWER_PRODUCTS_H

#include "lower/writer.h"
#include "tile/tile.h"

/* Those of the matrix unit, and pairs that are widened or multiplied by the hart. */
static const enum sam_dtype products_units[] = {SAM_TILE_f32, SAM_TILE_f16, SAM_TILE_bf16,
                                                SAM_TILE_i8};
static const enum sam_dtype products_others[][2] = {
    {SAM_TILE_e4m3, SAM_TILE_e5m2}, {SAM_TILE_hif8, SAM_TILE_hif8}, {SAM_TILE_e3m2, SAM_TILE_f16},
    {SAM_TILE_e2m3, SAM_TILE_bf16}, {SAM_TILE_f32, SAM_TILE_tf32},  {SAM_TILE_hf32, SAM_TILE_e4m3},
    {SAM_TILE_f16, SAM_TILE_f32},   {SAM_TILE_tf32, SAM_TILE_tf32}, {SAM_TILE_bf16, SAM_TILE_hif8},
    {SAM_TILE_e5m2, SAM_TILE_e5m2}, {SAM_TILE_f16, SAM_TILE_bf16},  {SAM_TILE_i16, SAM_TILE_i16},
    {SAM_TILE_i8, SAM_TILE_i16},    {SAM_TILE_i16, SAM_TILE_i8},    {SAM_TILE_ui16, SAM_TILE_ui8},
    {SAM_TILE_ui16, SAM_TILE_ui16}, {SAM_TILE_e2m1, SAM_TILE_e1m2}, {SAM_TILE_e1m2, SAM_TILE_f16},
    {SAM_TILE_e2m1, SAM_TILE_e2m1}, {SAM_TILE_e4m3, SAM_TILE_e1m2}};
/* ui8: pairs of e2m1 along K */
static const enum sam_dtype products_scaled[] = {SAM_E4M3, SAM_E5M2, SAM_U8,  SAM_F16,
                                                 SAM_BF16, SAM_E2M1, SAM_E1M2};

/* The dtype of their sums. */
static inline enum sam_dtype products_sum(enum sam_dtype dtype)
{
    switch (dtype) {
    case SAM_TILE_i8:
    case SAM_TILE_i16: return SAM_TILE_i32;
    case SAM_TILE_ui8:
    case SAM_TILE_ui16: return SAM_TILE_ui32;
    default: return SAM_F32;
    }
}
/* Write a product into `d`. `kind`: 0, 1 with a sum, from `start`, 2 with a bias; `vector`: tgemv.
 */
void products_write(struct writer *w, bool vector, unsigned kind, const enum sam_dtype of[2],
                    unsigned depth, const struct writer_tile *d, const struct writer_tile *start);
/* The same of scaled factors; the sum is `d`. tgemv if there is one row. */
void products_write_scaled(struct writer *w, unsigned kind, const enum sam_dtype of[2],
                           unsigned depth, const struct writer_tile *d);
/* Any product by this operation, into a tile that is shown; tmatmul_acc continues its own sum.
 */
void products_write_any(struct writer *w, const struct sam_tile_row *op);

#endif
