/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products in the order of the system's matrix unit, for one instruction level of the host.
 */
#ifndef SAM_TILE_MULTIPLY_H
#define SAM_TILE_MULTIPLY_H

#include <stddef.h>

enum { SAM_TILE_ROWS = 4, SAM_TILE_PANEL = 32 }; /* of sums, and columns, computed at a time */

/* Add to four rows of sums the products of four rows of `depth` elements with `panels` panels, each
 * [depth][SAM_TILE_PANEL]. The elements of `block` steps are added up from 0, each product with one
 * rounding, and then to the sums. `sums` and `right` are aligned to 64 bytes. */
typedef void sam_tile_multiply(float *sums, size_t pitch, const float *const *left,
                               const float *right, size_t panels, size_t depth, size_t block);

extern sam_tile_multiply sam_tile_multiply_base, sam_tile_multiply_v3, sam_tile_multiply_v4;

#endif
