/* SPDX-License-Identifier: Apache-2.0 */
/* A lowered function: what program.c makes and load.c puts into a system. */
#ifndef SAM_LOWER_PROGRAM_H
#define SAM_LOWER_PROGRAM_H

#include "base/base.h"
#include "samite/device/layout.h"
#include "samite/tile_lower.h"

struct lower_described;

struct lower_buffer {
    struct sam_array *array; /* the caller's */
    uint64_t address;
    const char *name;   /* of the first argument that has it */
    bool read, written; /* by the program */
};

static inline uint64_t lower_bytes(const struct sam_array *array)
{
    return (uint64_t)array->count * sam_dtype_size(array->dtype);
}

struct sam_tile_lowered {
    char *hart, *gpu;
    size_t failure_at; /* where in `hart` it is about to exit: t1 has the failure's number */
    char *source;      /* the tile program */
    struct sam_array *unbound; /* of pointers that were not given, or NULL: it cannot be loaded */
    const void *weights;       /* the caller's packed file, if an argument is in it */
    size_t weights_size;
    struct sam_image *images[2]; /* of these; NULL: not assembled yet */
    struct lower_buffer *buffers;
    size_t buffer_count;
    char **failures; /* texts, by number - 1 */
    size_t failure_count;
    size_t plain; /* bytes that each of them begins with, the program's name: no numbers in it */
    struct sam_tile_lowered_note *notes;
    size_t note_count;
    struct lower_described *described; /* its operations, for time */
};

/* failure_text.c: the text of the hart with code that writes the message of a failure to standard
 * error. Whoever holds the texts has no use for it (sam_tile_lowered_failure). */
void sam_lower_failure_texts(const struct sam_tile_lowered *made, struct sam_buffer *out);

#endif
