/* SPDX-License-Identifier: Apache-2.0 */
/* The table of element types as data. */
#ifndef SAM_BASE_DTYPE_H
#define SAM_BASE_DTYPE_H

#include "base/fp_format.h"
#include "samite/dtype.h"

/* Columns of include/samite/dtype.def, which describes them. */
struct sam_dtype_row {
    const char *name, *safetensors, *tfjs, *tile;
    struct sam_fp_format fp;
    uint16_t ttype;      /* 0: none */
    uint8_t bits, class; /* enum sam_dtype_class */
    uint8_t gguf, onnx;  /* number + 1, or 0 */
    char npy;            /* NumPy's type letter, or 0 */
};

/* By enum sam_dtype. */
extern const struct sam_dtype_row sam_dtype_table[SAM_DTYPES];

static inline bool sam_dtype_exists(enum sam_dtype dtype)
{
    return (unsigned)dtype < SAM_DTYPES;
}

/* Find a dtype by name, in the `const char *` column at offset `column` of the row, or by its
 * number in .gguf or .onnx. Returns SAM_DTYPES if there is none. */
enum sam_dtype sam_dtype_by_name(size_t column, const char *name);
enum sam_dtype sam_dtype_by_id(size_t column, uint64_t number);

#endif
