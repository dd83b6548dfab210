/* SPDX-License-Identifier: Apache-2.0 */
/* Binding of arguments to the values of a function, and checks of their types. */
#ifndef SAM_TILE_BIND_H
#define SAM_TILE_BIND_H

#include "tile/check/flow.h"

/* Returns whether an operand is an arith.constant, in *number. */
static inline bool sam_tile_literal(const struct sam_tile_program *program,
                                    const struct sam_tile_op *op, uint32_t operand, int64_t *number)
{
    const uint32_t made = program->values[sam_tile_arg(program, op, operand)].op;
    if (made == SAM_TILE_NONE || program->ops[made].code != SAM_TILE_CONSTANT)
        return false;
    *number = program->ops[made].literal;
    return true;
}

/* Bind each argument, in values[count]. SAM_ERR_INPUT for an argument that the function does not
 * have, that is given twice or has the wrong kind, and for a missing parameter other than a tile.
 */
enum sam_status sam_tile_bind_values(const struct sam_tile_program *program,
                                     const struct sam_tile_func *function,
                                     const struct sam_tile_argument *arguments, size_t count,
                                     uint32_t *values, struct sam_error *error);
/* Returns whether the value is a parameter, or a free name of bare operations. */
static inline bool sam_tile_is_argument(const struct sam_tile_program *program, uint32_t value)
{
    return program->values[value].op == SAM_TILE_NONE;
}
/* The pointer argument under a pointer, a view or a partition. */
static inline uint32_t sam_tile_pointer_of(const struct sam_tile_program *program, uint32_t value)
{
    while (!sam_tile_is_argument(program, value))
        value = sam_tile_arg(program, &program->ops[program->values[value].op], 0);
    return value;
}
/* Check an array, or a scalar, against the type of a value. `name` is for messages. */
enum sam_status sam_tile_bind_array(const char *name, enum sam_dtype dtype,
                                    const struct sam_array *array, struct sam_error *error);
enum sam_status sam_tile_bind_scalar(const struct sam_tile_program *program, uint32_t value,
                                     const struct sam_tile_argument *argument, int64_t *number,
                                     struct sam_error *error);
/* Check that an array has the shape of a tile's valid rectangle, or one dimension with its element
 * count. A `?` of the type takes the array's size. */
enum sam_status sam_tile_bind_shape(const char *name, struct sam_tile_type *type,
                                    const struct sam_array *array, struct sam_error *error);
/* Check that an argument for an array or scalar parameter has one. Types are checked above. */
enum sam_status sam_tile_bind_kind(const struct sam_tile_program *program, uint32_t value,
                                   const struct sam_tile_argument *argument,
                                   struct sam_error *error);
/* Extend the lifetime of the output tiles of bare operations to the whole program: they are read
 * after the last operation. */
void sam_tile_bind_keep(const struct sam_tile_program *program,
                        const struct sam_tile_func *function, struct sam_tile_flow *flow,
                        const struct sam_tile_argument *arguments, size_t count,
                        const uint32_t *values);

#endif
