/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SAM_FORMAT_SPARSE_H
#define SAM_FORMAT_SPARSE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Read up to `size` bytes into zeroed memory, without writing zeros, so that holes take no memory.
 * Returns the bytes read. */
size_t sam_sparse_read(FILE *file, uint8_t *out, size_t size);

#endif
