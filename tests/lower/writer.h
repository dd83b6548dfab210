/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs that move tiles: numbers known at lowering time or only at run time, windows
 * of arrays in any order of elements, tiles of any layout. */
#ifndef TEST_LOWER_WRITER_H
#define TEST_LOWER_WRITER_H

#include "lower/lowered.h"

struct writer {
    struct lowered x;
    struct sam_buffer head, body; /* arguments; operations */
    unsigned fresh;               /* next name */
    bool dynamic;                 /* sizes known only at run time */
    bool outside;                 /* windows out of bounds */
    unsigned seldom;              /* one in N programs also runs on the plain machines */
};

struct writer_tile {
    char name[24], type[160];
    const char *loc;
    enum sam_dtype dtype;
    unsigned rows, cols, valid_rows, valid_cols;
    bool by_columns, dynamic;
    bool empty; /* initially without elements */
    const char *pad;
};

/* Begin a program; its numbers may be constants (`dynamic` false) or arguments. */
void writer_open(struct writer *w, uint64_t seed, bool dynamic);
unsigned writer_below(struct writer *w, unsigned n);
void writer_put(struct writer *w, const char *format, ...) SAM_PRINTF(2, 3);
/* The name of an index with this number: %c7, or an argument. */
const char *writer_number(struct writer *w, int64_t number, char name[24]);
/* A constant, always. */
const char *writer_constant(struct writer *w, int64_t number, char name[24]);
/* A tile with valid sizes, in a random larger extent unless it has one. */
void writer_tile(struct writer *w, struct writer_tile *t);
/* The valid rectangle of `t` as a tile over that of `whole`, from [zero, zero] on. */
void writer_part(struct writer *w, struct writer_tile *t, const struct writer_tile *whole,
                 const char *zero);
/* An argument with `count` elements of random bits; its name is %p followed by the returned
 * number. */
unsigned writer_array(struct writer *w, enum sam_dtype dtype, size_t count);
/* A window of rows x cols elements of a new array, with elements in any order; `once`: at
 * distinct addresses. Sets the name and the type of the partition. */
void writer_window(struct writer *w, enum sam_dtype dtype, unsigned rows, unsigned cols, bool once,
                   char name[16], char type[160]);
/* A window of one dimension of a new array, sometimes too short. */
void writer_line(struct writer *w, enum sam_dtype dtype, unsigned count, char name[16],
                 char type[160]);
/* Fill the whole extent of a tile with random elements. */
void writer_fill(struct writer *w, const struct writer_tile *t);
/* Store the whole extent of a tile to an array of its own. */
void writer_show(struct writer *w, const struct writer_tile *t);
/* Run the program on both; some programs on the plain machines as well. Closes it. */
void writer_run(struct writer *w);
void writer_close(struct writer *w);

#endif
