/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of a function: which value each is for, and whether it fits. */
#ifndef SAM_TILE_BIND_H
#define SAM_TILE_BIND_H

#include "tile/check/flow.h"

/* The value of each argument, in values[count]. SAM_ERR_INPUT: one that the function does not have,
 * is given twice or cannot be given; or a parameter, other than a tile, that is not given. */
enum sam_status sam_tile_bind_values(const struct sam_tile_program *program,
                                     const struct sam_tile_func *function,
                                     const struct sam_tile_argument *arguments, size_t count,
                                     uint32_t *values, struct sam_error *error);
/* Whether the value is a parameter, or a free name of bare operations. */
static inline bool sam_tile_is_argument(const struct sam_tile_program *program, uint32_t value)
{
    return program->values[value].op == SAM_TILE_NONE;
}
/* Whether an array, or the scalar, fits the type of a value (which `name` is for messages). */
enum sam_status sam_tile_bind_array(const char *name, enum sam_dtype dtype,
                                    const struct sam_array *array, struct sam_error *error);
enum sam_status sam_tile_bind_scalar(const struct sam_tile_program *program, uint32_t value,
                                     const struct sam_tile_argument *argument, int64_t *number,
                                     struct sam_error *error);
/* Whether an array has the shape of the valid rectangle of a tile, or one dimension with as many
 * elements; a `?` of the type takes the size of the array. */
enum sam_status sam_tile_bind_shape(const char *name, struct sam_tile_type *type,
                                    const struct sam_array *array, struct sam_error *error);
/* An argument whose type takes an array or a scalar has one; the rest is checked as above. */
enum sam_status sam_tile_bind_kind(const struct sam_tile_program *program, uint32_t value,
                                   const struct sam_tile_argument *argument,
                                   struct sam_error *error);
/* The output tiles of bare operations keep their memory from beginning to end: they are read after
 * the last operation. */
void sam_tile_bind_keep(const struct sam_tile_program *program,
                        const struct sam_tile_func *function, struct sam_tile_flow *flow,
                        const struct sam_tile_argument *arguments, size_t count,
                        const uint32_t *values);

#endif
