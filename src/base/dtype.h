/* SPDX-License-Identifier: Apache-2.0 */
/* The table of element types as data. */
#ifndef SAM_BASE_DTYPE_H
#define SAM_BASE_DTYPE_H

#include "base/fp_format.h"
#include "samite/dtype.h"

/* Columns of include/samite/dtype.def, where they are explained. */
struct sam_dtype_row {
    const char *name, *safetensors, *tfjs, *tile;
    struct sam_fp_format fp;
    uint16_t ttype;      /* 0: none */
    uint8_t bits, class; /* enum sam_dtype_class */
    uint8_t gguf, onnx;  /* the number + 1, 0: none */
    char npy;            /* NumPy's letter, 0: none */
};

/* By enum sam_dtype. */
extern const struct sam_dtype_row sam_dtype_table[SAM_DTYPES];

static inline bool sam_dtype_exists(enum sam_dtype dtype)
{
    return (unsigned)dtype < SAM_DTYPES;
}

/* The type of that name in the column `column`, an offset of a `const char *` in the row, or of
 * that number in .gguf or .onnx. SAM_DTYPES if there is none. */
enum sam_dtype sam_dtype_by_name(size_t column, const char *name);
enum sam_dtype sam_dtype_by_id(size_t column, uint64_t number);

#endif
