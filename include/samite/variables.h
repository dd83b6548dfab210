/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments and variables of the source at an address of the code, as the DWARF of a program
 * describes them (libdw is needed). Locations are addresses, those of session.h for one lane
 * included. Since 0.2.
 */
#ifndef SAMITE_VARIABLES_H
#define SAMITE_VARIABLES_H

#include "dtype.h"
#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SAM_VARIABLE_PIECES = 64 };

struct sam_variable_piece {
    enum { SAM_PIECE_NOWHERE, SAM_PIECE_MEMORY, SAM_PIECE_VALUE, SAM_PIECE_SUM } kind;
    uint32_t size;  /* bytes */
    uint64_t value; /* an address; the bytes; */
    uint64_t add;   /* SAM_PIECE_SUM: the word at the address plus this */
};

/* A number in a variable, which itself may be one. */
struct sam_variable_field {
    char path[64];          /* "": the variable; ".x", "[3]", ".y[1]" */
    uint32_t offset;        /* bytes */
    enum sam_dtype type;    /* integer, float or boolean */
    bool pointer;           /* an address of 4 or 8 bytes, */
    enum sam_dtype pointee; /* SAM_OPAQUE: of something else than a number */
};

struct sam_variable {
    char name[64];
    bool parameter, array;
    uint32_t size;        /* bytes */
    unsigned piece_count; /* 0: its value is not known at this address */
    struct sam_variable_piece pieces[SAM_VARIABLE_PIECES];
    unsigned field_count; /* the first of them */
    struct sam_variable_field fields[SAM_VARIABLE_PIECES];
};

struct sam_variables;

/* *variables: NULL if the program describes none. The image must outlive them. SAM_ERR_INPUT: a
 * description that cannot be read. */
SAM_API enum sam_status sam_variables_open(const struct sam_image *image,
                                           struct sam_variables **variables,
                                           struct sam_error *error);
SAM_API void sam_variables_close(struct sam_variables *variables);
/* Variable `index` of those visible at `pc`, the innermost first; false: no more. */
SAM_API bool sam_variables_at(struct sam_variables *variables, uint64_t pc, size_t index,
                              struct sam_variable *variable);

#ifdef __cplusplus
}
#endif
#endif
