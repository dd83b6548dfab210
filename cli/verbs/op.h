/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of samite op. */
#ifndef CLI_OP_H
#define CLI_OP_H

#include "cli.h"
#include "samite/format.h"
#include "samite/ops.h"
#include "weights.h"

enum op_kind { RESHAPE, TRANSPOSE, IM2COL, COMPRESS, CONCAT, PAD };

struct op_numbers {
    int64_t value[SAM_MAX_RANK];
    unsigned count; /* 0: not given */
};

struct op_request {
    struct cli_args *args;
    enum op_kind kind;
    struct weights_hint hint; /* --dtype: its type */
    struct op_numbers in_shape[SAM_PLAN_INPUTS];
    size_t in_shapes;
    struct op_numbers perm, shape, before, after, kernel, stride, dilation, pad;
    int64_t axis;
    enum { OP_NHWC, OP_NCHW } layout;
    bool explain, dry, quiet, cycles, json;
    struct sam_engines_config engines;
    const char *mask, *value, *emit;
    const char *call; /* the name of a routine, "-" for that of the operator */
    uint64_t at_in[SAM_PLAN_INPUTS], at_out; /* --at */
    size_t at_inputs;
    bool has_at;
    struct cli_list files;
    struct sam_array *inputs; /* input_count of them, with the types and shapes of --dtype */
    enum sam_dtype stored;    /* the type in the files */
    size_t input_count;
    const char *output; /* NULL: dry run */
};

/* Give the inputs the types and shapes of --dtype and --in-shape. */
int op_take_types(struct op_request *r);
/* The stored form of the output: type, shape and size of its array. */
struct sam_array op_stored(const struct op_request *r, const struct sam_plan *plan);
/* The plan of the request: checks the options against the inputs. */
int op_make_plan(const struct op_request *r, struct sam_plan **plan);
/* op_emit.c: writes the plan's program to the file of --emit, after the command that runs it, or
 * its routine; `name` is the operator's. */
int op_emit(const struct op_request *request, const struct sam_plan *plan, const char *name);

#endif
