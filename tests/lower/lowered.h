/* SPDX-License-Identifier: Apache-2.0 */
/* A tile program run twice: on the executor with sums in the system's order, and lowered on a
 * system. Arrays are compared byte by byte, failures by their messages. */
#ifndef TEST_LOWER_LOWERED_H
#define TEST_LOWER_LOWERED_H

#include "tile/tile_test.h"

#include "samite/samite.h"

enum { LOWERED_ARGUMENTS = 32 };

/* Lines of programs: the index %cN; a view of a pointer to f32, by rows; a part of such a view,
 * whose position is two names. Sizes are numbers that have an INDEX. */
#define INDEX(n) "%c" #n " = arith.constant " #n " : index\n"
#define BY_ROWS(view, pointer, rows, cols)                                                         \
    "%" view " = pto.make_tensor_view %" pointer ", shape = [%c" #rows ", %c" #cols                \
    "], strides = [%c" #cols ", %c1] : !pto.tensor_view<?x?xf32>\n"
#define WINDOW_OF(part, view, row, col, rows, cols)                                                \
    "%" part " = pto.partition_view %" view ", offsets = [%" row ", %" col "], sizes = [%c" #rows  \
    ", %c" #cols "] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<" #rows "x" #cols    \
    "xf32>\n"

struct lowered {
    const char *text, *name; /* name: for messages; NULL: "test.pto" */
    struct sam_tile_argument arguments[LOWERED_ARGUMENTS];
    struct sam_array arrays[LOWERED_ARGUMENTS];
    size_t count;
    struct sam_tile_lower_options options;
    uint64_t seed;
    /* afterwards */
    enum sam_status status; /* of the executor; the lowered run has the same */
    struct sam_error error;
};

/* Add an argument: an array of zeros; of test_element; or with `data`. rows 0: one dimension. */
struct sam_array *lowered_array(struct lowered *x, enum sam_dtype dtype, size_t rows, size_t cols);
struct sam_array *lowered_random(struct lowered *x, enum sam_dtype dtype, size_t rows, size_t cols);
void lowered_scalar(struct lowered *x, enum sam_dtype dtype, uint64_t bits);
/* The last argument is an output of bare operations, or has a name. */
void lowered_name(struct lowered *x, const char *name, bool output);
/* Run both; everything must agree. Afterwards the arrays hold the executor's results. */
void lowered_run(struct lowered *x);
void lowered_succeeds(struct lowered *x); /* the same, without a failure of the program */
/* Lowering must fail with this message. */
void lowered_refused(struct lowered *x, const char *words);
void lowered_free(struct lowered *x);
/* Copies of the arguments, with arrays of their own. */
void lowered_copy(const struct lowered *x, struct lowered *to);
/* Lower without running; free the result. */
struct sam_tile_lowered *lowered_make(struct lowered *x);
/* Lower without running: the text of the hart, for inspection; free it with free(). */
char *lowered_hart(struct lowered *x);
/* A packed file of one tensor "w"; free it with free(). */
void *lowered_pack(const struct sam_array *array, bool window, size_t *size);

#endif
