/* SPDX-License-Identifier: Apache-2.0 */
/* Element types of arrays, weights and registers: one list for the whole library (dtype.def).
 *
 * Threads: every function here is pure and may be called from any thread. Since 0.2. */
#ifndef SAMITE_DTYPE_H
#define SAMITE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* SAM_F32, SAM_BF16, ... The numbers are those of .smw files. */
enum sam_dtype {
#define SAM_DTYPE(name, number, ...) SAM_##name = number,
#include "dtype.def"
#undef SAM_DTYPE
    SAM_DTYPES /* how many there are; as a value, no type */
};

enum sam_dtype_class {
    SAM_CLASS_OPAQUE, /* bytes of unknown meaning */
    SAM_CLASS_UINT,
    SAM_CLASS_INT, /* two's complement */
    SAM_CLASS_FLOAT,
    SAM_CLASS_BOOL, /* zero is false, everything else true */
};

/* Bits of an element: 4, 8, 16, 32 or 64; 8 for SAM_OPAQUE, 0 if there is no such type. */
SAM_API size_t sam_dtype_bits(enum sam_dtype dtype);
/* Bytes of an element; 0 for types of 4 bits and if there is no such type. */
SAM_API size_t sam_dtype_size(enum sam_dtype dtype);
/* SAM_CLASS_OPAQUE if there is no such type. */
SAM_API enum sam_dtype_class sam_dtype_class(enum sam_dtype dtype);
/* "bf16", "e4m3", "i32", ...; "?" if there is no such type. */
SAM_API const char *sam_dtype_name(enum sam_dtype dtype);
/* The type of that name. False if there is none (or `name` is NULL); *dtype is then unchanged. */
SAM_API bool sam_dtype_parse(const char *name, enum sam_dtype *dtype);

/* The value of the element that the low sam_dtype_bits(dtype) bits of `bits` hold. Exact, except
 * that 64-bit integers are rounded to double. NaN for SAM_OPAQUE and if there is no such type. */
SAM_API double sam_dtype_value(enum sam_dtype dtype, uint64_t bits);
/* `value` as an element of a floating-point type: to nearest, ties to even. Values beyond the
 * largest finite one become infinity, or where the type has none NaN, or where it has neither the
 * largest value. A NaN becomes the type's canonical one, or zero where it has none. 0 if `dtype` is
 * not a floating-point type. */
SAM_API uint64_t sam_dtype_round(enum sam_dtype dtype, double value);
/* The text of one number as an element, little-endian into `bytes` (sam_dtype_size of them):
 * integers in C notation and within the type's range; floats rounded to nearest and not beyond the
 * largest ("inf" and "nan" where the type has them); true and false. "0x..." gives a float's bits.
 * A type of 4 bits takes the low half of a byte. False if the text is none of these, or the type is
 * SAM_OPAQUE. */
SAM_API bool sam_dtype_parse_value(enum sam_dtype dtype, const char *text, void *bytes);

/* Whether the floating-point type `to` has infinity and NaN as in IEEE 754, and every value of the
 * floating-point type `from`. */
SAM_API bool sam_dtype_widens(enum sam_dtype from, enum sam_dtype to);
/* Convert `count` elements of `data` to type `to`, with values, signs and NaN payloads preserved.
 * Elements of 4 bits are stored two per byte, the first in the low half. SAM_ERR_USAGE unless
 * sam_dtype_widens. */
SAM_API enum sam_status sam_dtype_widen(enum sam_dtype from, enum sam_dtype to, const void *data,
                                        uint64_t count, void *out, struct sam_error *error);

/* Convert `count` elements of f32 to the floating-point type `to` as sam_dtype_round does. `out`
 * may be `data`. SAM_ERR_USAGE unless `to` is a floating-point type of 8 to 32 bits. */
SAM_API enum sam_status sam_dtype_narrow(enum sam_dtype to, const void *data, uint64_t count,
                                         void *out, struct sam_error *error);

/* Name of the type in safetensors files, NULL if they have no such type. */
SAM_API const char *sam_dtype_safetensors(enum sam_dtype dtype);
/* The type whose elements represent those of `dtype` in NumPy files: `dtype` itself where NumPy has
 * it, otherwise the unsigned integer of its width (u8 for 4-bit types, two per byte). */
SAM_API enum sam_dtype sam_dtype_npy(enum sam_dtype dtype);

#ifdef __cplusplus
}
#endif
#endif
