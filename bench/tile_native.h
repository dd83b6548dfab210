/* SPDX-License-Identifier: Apache-2.0 */
/* The reference for tcolmin, compiled for the host with -O3 -march=native. */
#ifndef TILE_NATIVE_H
#define TILE_NATIVE_H

#include <stddef.h>
#include <stdint.h>

/* A straightforward column minimum; 16-bit floats are compared by value. dtype is sam_tile_dtype.
 */
void tile_native_fold(int dtype, void *dst, const void *src, size_t rows, size_t cols);
/* Every byte read once; size is a multiple of 512. */
uint64_t tile_native_read(const void *src, size_t size);

#endif
