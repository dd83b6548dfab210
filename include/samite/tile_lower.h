/* SPDX-License-Identifier: Apache-2.0 */
/* Tile programs on the system (system.h): a function of a tile program becomes a program of the
 * hart, with kernels for the GPU. docs/tile-lowering.md has what each operation becomes. */
#ifndef SAMITE_TILE_LOWER_H
#define SAMITE_TILE_LOWER_H

#include "system.h"
#include "tile.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sam_tile_lower_options {
    size_t size; /* sizeof of this struct (status.h) */
    enum sam_tile_profile profile;
    enum sam_tile_nan nan;
    enum sam_tile_outside outside;
    unsigned mlen; /* of the matrix unit; 0: 512 */
    unsigned sms;  /* of the GPU; 0: 2 */
};

#ifdef __cplusplus
}
#endif
#endif
