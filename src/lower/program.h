/* SPDX-License-Identifier: Apache-2.0 */
/* A lowered function: written by program.c, loaded into a system by load.c. */
#ifndef SAM_LOWER_PROGRAM_H
#define SAM_LOWER_PROGRAM_H

#include "base/base.h"
#include "samite/device/layout.h"
#include "samite/tile_lower.h"

struct lower_described;

struct lower_buffer {
    struct sam_array *array; /* the caller's */
    uint64_t address;
    const char *name;   /* first argument with this array */
    bool read, written; /* by the lowered program */
    bool placed;        /* by the caller, who has its elements in the system */
};

static inline uint64_t lower_bytes(const struct sam_array *array)
{
    return (uint64_t)array->count * sam_dtype_size(array->dtype);
}

struct sam_tile_lowered {
    char *hart, *gpu;
    size_t failure_at;         /* offset in `hart` before the exit: t1 holds the failure number */
    char *source;              /* the tile program */
    struct sam_array *unbound; /* arrays of unbound pointers, or NULL; if set, it cannot be
                                  loaded */
    const void *weights;       /* the caller's packed file, if an argument uses it */
    size_t weights_size;
    uint32_t offset;             /* of the options */
    struct sam_image *images[2]; /* assembled `hart` and `gpu`, or NULL */
    struct lower_buffer *buffers;
    size_t buffer_count;
    char **failures; /* by failure number - 1 */
    size_t failure_count;
    size_t plain; /* length of the program name that starts each failure text */
    struct sam_tile_lowered_note *notes;
    size_t note_count;
    struct lower_described *described; /* for the time model */
};

/* failure_text.c: append hart code that writes the failure message to standard error. For emitted
 * files only; a loaded program uses sam_tile_lowered_failure. */
void sam_lower_failure_texts(const struct sam_tile_lowered *made, struct sam_buffer *out);

#endif
