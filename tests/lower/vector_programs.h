/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of vector operations as text: one operation, of any dtype and valid shape, and
 * random groups. */
#ifndef VECTOR_PROGRAMS_H
#define VECTOR_PROGRAMS_H

#include "tile/tile_test.h"

struct vector_shape {
    uint32_t rows, cols; /* room */
    int64_t valid[2];    /* of the type, or SAM_TILE_DYNAMIC */
    uint32_t valid_rows, valid_cols;
};
enum { VECTOR_SHAPES = 11 };
extern const struct vector_shape vector_shapes[VECTOR_SHAPES];

/* Whether an operation is element-wise; whether it takes the dtype; its number of predicates or
 * rounding modes, at least 1. */
bool vector_by_element(unsigned code);
bool vector_takes(unsigned code, enum sam_dtype dtype);
unsigned vector_variants(unsigned code);

struct vector_one {
    unsigned code, attribute;
    enum sam_dtype dtype, to; /* of the destination, if different */
    unsigned pad;
    bool in_place;
    bool constant; /* its scalar is a constant with these bits */
    uint64_t bits;
};
enum { VECTOR_ONE_TEXT = 1024 };
void vector_write_one(const struct vector_one *one, const struct vector_shape *s, char *text);

/* Tiles for operations: of two dtypes and of masks, arguments and temporaries between
 * operations; a row and a column. */
struct vector_group {
    uint64_t seed;
    const struct vector_shape *shape;
    enum sam_dtype dtypes[2];
    unsigned locals[3], constants; /* so far */
    char text[32768], *at;
};
/* At most `operations`: those that cannot work in place are left out. */
void vector_write_group(struct vector_group *g, unsigned operations);

#endif
