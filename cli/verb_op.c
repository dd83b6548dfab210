/* SPDX-License-Identifier: Apache-2.0 */
/* samite op: tensor operators on .npy files, run on TensorLoad. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "samite/file.h"
#include "samite/format.h"
#include "samite/isa.h"
#include "samite/ops.h"

enum {
    OPT_PERM = 256,
    OPT_SHAPE,
    OPT_AXIS,
    OPT_MASK,
    OPT_BEFORE,
    OPT_AFTER,
    OPT_VALUE,
    OPT_KERNEL,
    OPT_STRIDE,
    OPT_DILATION,
    OPT_PAD,
    OPT_LAYOUT,
    OPT_PLAN,
    OPT_EMIT,
};

enum op_kind { RESHAPE, TRANSPOSE, IM2COL, COMPRESS, CONCAT, PAD, OPERATORS };

static const char *const operator_names[OPERATORS] = {"reshape",  "transpose", "im2col",
                                                      "compress", "concat",    "pad"};

static const struct cli_option options[] = {
    {OPT_PERM, "perm", "D,...", "transpose: output dim i is input dim D[i]"},
    {OPT_SHAPE, "shape", "N,...", "reshape: the new shape; one of them may be -1"},
    {OPT_AXIS, "axis", "D", "concat, compress: the dim; -1 is the last (0)"},
    {OPT_MASK, "mask", "FILE", "compress: a .npy of bool or u8, one for each index of the axis"},
    {OPT_BEFORE, "before", "N,...", "pad: elements in front, a dim"},
    {OPT_AFTER, "after", "N,...", "pad: elements behind, a dim (as --before)"},
    {OPT_VALUE, "value", "V", "pad: with this (0); 0x... gives the element's bits"},
    {OPT_KERNEL, "kernel", "H,W", "im2col: the kernel's size"},
    {OPT_STRIDE, "stride", "H,W", "im2col (1,1)"},
    {OPT_DILATION, "dilation", "H,W", "im2col (1,1)"},
    {OPT_PAD, "pad", "H,W", "im2col: zeros on both sides, or T,B,L,R (0,0)"},
    {OPT_LAYOUT, "layout", "nhwc|nchw",
     "im2col: nhwc gives [N*OH*OW, KH*KW*C] (the default),\nnchw gives [N, C*KH*KW, OH*OW]"},
    {OPT_PLAN, "plan", NULL, "explain the blocks, instructions and bytes"},
    {OPT_EMIT, "emit", "FILE", "write the program in assembly"},
    {'n', "dry-run", NULL, "plan only; every file is an input"},
    {'q', "quiet", NULL, "no line about the result"},
    {0},
};

struct numbers {
    int64_t value[SAM_MAX_RANK];
    unsigned count; /* 0: not given */
};

struct request {
    struct cli_args *args;
    enum op_kind kind;
    struct numbers perm, shape, before, after, kernel, stride, dilation, pad;
    int64_t axis;
    bool nchw, explain, dry, quiet;
    const char *mask, *value, *emit;
    const char **files;
    size_t file_count;
    struct sam_array *inputs; /* input_count of them */
    size_t input_count;
    const char *output; /* NULL: dry run */
};

static volatile int interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* ----------------------------------------------------------------------- command line */

static int parse_numbers(const struct request *r, const char *option, const char *text,
                         int64_t least, struct numbers *out)
{
    out->count = 0;
    for (const char *at = text; *at;) {
        char *end;
        long long value = strtoll(at, &end, 10);
        if (end == at || (*end && *end != ',') || (*end && !end[1]) || value < least ||
            out->count == SAM_MAX_RANK)
            break;
        out->value[out->count++] = value;
        at = *end ? end + 1 : end;
        if (!*at)
            return CLI_OK;
    }
    return cli_usage_error(r->args,
                           "--%s %s: expected up to %d numbers from %lld, separated by commas",
                           option, text, SAM_MAX_RANK, (long long)least);
}

static int parse_axis(struct request *r, const char *text)
{
    char *end;
    r->axis = strtoll(text, &end, 10);
    if (!*text || *end)
        return cli_usage_error(r->args, "--axis: '%s' is no number", text);
    return CLI_OK;
}

static int add_file(struct request *r, const char *path)
{
    if (r->kind == OPERATORS) {
        for (unsigned i = 0; i < OPERATORS; i++)
            if (strcmp(path, operator_names[i]) == 0) {
                r->kind = (enum op_kind)i;
                return CLI_OK;
            }
        return cli_usage_error(
            r->args, "'%s' is no operator: reshape, transpose, im2col, compress, concat or pad",
            path);
    }
    const char **files = realloc(r->files, (r->file_count + 1) * sizeof *files);
    if (!files)
        return cli_usage_error(r->args, "out of memory");
    r->files = files;
    files[r->file_count++] = path;
    return CLI_OK;
}

static int parse_option(struct request *r, int option, const char *value)
{
    switch (option) {
    case CLI_POSITIONAL: return add_file(r, value);
    case OPT_PERM: return parse_numbers(r, "perm", value, 0, &r->perm);
    case OPT_SHAPE: return parse_numbers(r, "shape", value, -1, &r->shape);
    case OPT_BEFORE: return parse_numbers(r, "before", value, 0, &r->before);
    case OPT_AFTER: return parse_numbers(r, "after", value, 0, &r->after);
    case OPT_KERNEL: return parse_numbers(r, "kernel", value, 1, &r->kernel);
    case OPT_STRIDE: return parse_numbers(r, "stride", value, 1, &r->stride);
    case OPT_DILATION: return parse_numbers(r, "dilation", value, 1, &r->dilation);
    case OPT_PAD: return parse_numbers(r, "pad", value, 0, &r->pad);
    case OPT_AXIS: return parse_axis(r, value);
    case OPT_MASK: r->mask = value; return CLI_OK;
    case OPT_VALUE: r->value = value; return CLI_OK;
    case OPT_EMIT: r->emit = value; return CLI_OK;
    case OPT_PLAN: r->explain = true; return CLI_OK;
    case OPT_LAYOUT:
        r->nchw = strcmp(value, "nchw") == 0;
        if (!r->nchw && strcmp(value, "nhwc") != 0)
            return cli_usage_error(r->args, "--layout: expected nhwc or nchw, found '%s'", value);
        return CLI_OK;
    case 'n': r->dry = true; return CLI_OK;
    case 'q': r->quiet = true; return CLI_OK;
    default: return CLI_BAD_INPUT;
    }
}

/* Every option but the common ones belongs to some operators. */
static int check_options(const struct request *r)
{
    const struct {
        const char *name;
        bool given;
        unsigned operators; /* bits */
        bool needed;
    } rows[] = {
        {"perm", r->perm.count, 1 << TRANSPOSE, true},
        {"shape", r->shape.count, 1 << RESHAPE, true},
        {"mask", r->mask, 1 << COMPRESS, true},
        {"axis", r->axis != INT64_MIN, 1 << COMPRESS | 1 << CONCAT, false},
        {"before", r->before.count, 1 << PAD, true},
        {"after", r->after.count, 1 << PAD, false},
        {"value", r->value, 1 << PAD, false},
        {"kernel", r->kernel.count, 1 << IM2COL, true},
        {"stride", r->stride.count, 1 << IM2COL, false},
        {"dilation", r->dilation.count, 1 << IM2COL, false},
        {"pad", r->pad.count, 1 << IM2COL, false},
    };
    const char *name = operator_names[r->kind];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool ours = rows[i].operators & 1u << r->kind;
        if (rows[i].given && !ours)
            return cli_usage_error(r->args, "--%s does not go with %s", rows[i].name, name);
        if (!rows[i].given && ours && rows[i].needed)
            return cli_usage_error(r->args, "%s needs --%s", name, rows[i].name);
    }
    return CLI_OK;
}

static int check_files(struct request *r)
{
    bool many = r->kind == CONCAT;
    if (r->file_count == 1 && !many && (r->explain || r->emit))
        r->dry = true;
    size_t outputs = r->dry ? 0 : 1;
    if (r->file_count < 1 + outputs || (!many && r->file_count > 1 + outputs))
        return cli_usage_error(r->args, "%s takes %s%s, found %zu file%s", operator_names[r->kind],
                               many ? "inputs" : "one input", r->dry ? "" : " and an output",
                               r->file_count, r->file_count == 1 ? "" : "s");
    r->input_count = r->file_count - outputs;
    r->output = r->dry ? NULL : r->files[r->file_count - 1];
    return CLI_OK;
}

/* ---------------------------------------------------------------------------- planning */

static struct sam_shape shape_of(const struct sam_array *array)
{
    struct sam_shape shape = {.rank = (unsigned)array->rank};
    memcpy(shape.dim, array->shape, sizeof shape.dim);
    return shape;
}

/* A list with one number a dim. */
static int check_count(const struct request *r, const char *option, const struct numbers *list,
                       unsigned rank)
{
    if (list->count == rank)
        return CLI_OK;
    return cli_usage_error(r->args, "--%s has %u numbers, %s has %u dims", option, list->count,
                           r->files[0], rank);
}

static int plan_transpose(const struct request *r, const struct sam_shape *in, unsigned element,
                          struct sam_plan **plan)
{
    struct sam_error error;
    unsigned perm[SAM_MAX_RANK] = {0};
    int code = check_count(r, "perm", &r->perm, in->rank);
    for (unsigned i = 0; i < r->perm.count; i++)
        perm[i] = r->perm.value[i] > SAM_MAX_RANK ? SAM_MAX_RANK : (unsigned)r->perm.value[i];
    if (code != CLI_OK)
        return code;
    return sam_plan_transpose(in, element, perm, plan, &error) == SAM_OK ? CLI_OK
                                                                         : cli_report(&error);
}

static int plan_reshape(const struct request *r, const struct sam_shape *in, unsigned element,
                        struct sam_plan **plan)
{
    struct sam_error error;
    struct sam_shape out = {.rank = r->shape.count};
    uint64_t known = 1, total = 1;
    int open = -1;
    for (unsigned i = 0; i < in->rank; i++)
        total *= in->dim[i];
    for (unsigned i = 0; i < out.rank; i++) {
        if (r->shape.value[i] < 0 && open >= 0)
            return cli_usage_error(r->args, "--shape: only one dim may be -1");
        if (r->shape.value[i] < 0)
            open = (int)i;
        else if (__builtin_mul_overflow(known, (uint64_t)r->shape.value[i], &known))
            return cli_usage_error(r->args, "--shape: more than 2^64 elements");
        out.dim[i] = (uint64_t)r->shape.value[i];
    }
    if (open >= 0) {
        if (known == 0 || total % known)
            return cli_usage_error(r->args, "--shape: %llu elements do not divide by %llu",
                                   (unsigned long long)total, (unsigned long long)known);
        out.dim[open] = total / known;
    }
    return sam_plan_reshape(in, element, &out, plan, &error) == SAM_OK ? CLI_OK
                                                                       : cli_report(&error);
}

static int plan_compress(const struct request *r, const struct sam_shape *in, unsigned element,
                         unsigned axis, struct sam_plan **plan)
{
    struct sam_error error;
    struct sam_array mask;
    if (sam_npy_read(r->mask, &mask, &error) != SAM_OK)
        return cli_report(&error);
    int code = CLI_OK;
    if ((mask.dtype != SAM_BOOL && mask.dtype != SAM_U8) || mask.rank != 1)
        code = cli_usage_error(r->args, "--mask: %s holds no array of bool or u8 with one dim",
                               r->mask);
    else if (axis < in->rank && mask.count != in->dim[axis])
        code = cli_usage_error(r->args, "--mask: %s has %zu elements, axis %u has %llu indices",
                               r->mask, mask.count, axis, (unsigned long long)in->dim[axis]);
    else if (sam_plan_compress(in, element, axis, mask.data, plan, &error) != SAM_OK)
        code = cli_report(&error);
    sam_array_free(&mask);
    return code;
}

static int plan_pad(const struct request *r, const struct sam_shape *in, unsigned element,
                    struct sam_plan **plan)
{
    struct sam_error error;
    const struct numbers *after = r->after.count ? &r->after : &r->before;
    uint64_t before_n[SAM_MAX_RANK] = {0}, after_n[SAM_MAX_RANK] = {0};
    uint8_t value[16] = {0};
    int code = check_count(r, "before", &r->before, in->rank);
    if (code == CLI_OK)
        code = check_count(r, "after", after, in->rank);
    if (code == CLI_OK && r->value && !sam_dtype_parse_value(r->inputs[0].dtype, r->value, value))
        code = cli_usage_error(r->args, "--value: '%s' is no %s", r->value,
                               sam_dtype_name(r->inputs[0].dtype));
    for (unsigned i = 0; code == CLI_OK && i < in->rank; i++) {
        before_n[i] = (uint64_t)r->before.value[i];
        after_n[i] = (uint64_t)after->value[i];
    }
    if (code == CLI_OK &&
        sam_plan_pad(in, element, before_n, after_n, value, plan, &error) != SAM_OK)
        code = cli_report(&error);
    return code;
}

/* Two numbers, or one for both. */
static int pair_of(const struct request *r, const char *option, const struct numbers *list,
                   uint64_t otherwise, uint64_t pair[2])
{
    if (list->count > 2)
        return cli_usage_error(r->args, "--%s takes H,W", option);
    pair[0] = list->count ? (uint64_t)list->value[0] : otherwise;
    pair[1] = list->count == 2 ? (uint64_t)list->value[1] : pair[0];
    return CLI_OK;
}

static int plan_im2col(const struct request *r, const struct sam_shape *in, unsigned element,
                       struct sam_plan **plan)
{
    struct sam_error error;
    struct sam_im2col p = {.nchw = r->nchw};
    uint64_t both[2] = {0};
    int code = pair_of(r, "kernel", &r->kernel, 1, p.kernel);
    if (code == CLI_OK)
        code = pair_of(r, "stride", &r->stride, 1, p.stride);
    if (code == CLI_OK)
        code = pair_of(r, "dilation", &r->dilation, 1, p.dilation);
    if (code == CLI_OK && r->pad.count == 4) {
        for (unsigned i = 0; i < 4; i++)
            p.pad[i] = (uint64_t)r->pad.value[i];
    } else if (code == CLI_OK) {
        if (pair_of(r, "pad", &r->pad, 0, both) != CLI_OK)
            return cli_usage_error(r->args, "--pad takes H,W or T,B,L,R");
        p.pad[0] = p.pad[1] = both[0];
        p.pad[2] = p.pad[3] = both[1];
    }
    if (code == CLI_OK && sam_plan_im2col(in, element, &p, plan, &error) != SAM_OK)
        code = cli_report(&error);
    return code;
}

static int plan_concat(const struct request *r, unsigned element, unsigned axis,
                       struct sam_plan **plan)
{
    struct sam_error error;
    struct sam_shape *shapes = calloc(r->input_count, sizeof *shapes);
    if (!shapes)
        return cli_usage_error(r->args, "out of memory");
    int code = CLI_OK;
    for (size_t i = 0; i < r->input_count; i++) {
        shapes[i] = shape_of(&r->inputs[i]);
        if (r->inputs[i].dtype != r->inputs[0].dtype)
            code = cli_usage_error(r->args, "%s holds %s, %s holds %s", r->files[i],
                                   sam_dtype_name(r->inputs[i].dtype), r->files[0],
                                   sam_dtype_name(r->inputs[0].dtype));
    }
    if (code == CLI_OK &&
        sam_plan_concat(shapes, r->input_count, element, axis, plan, &error) != SAM_OK)
        code = cli_report(&error);
    free(shapes);
    return code;
}

static int make_plan(const struct request *r, struct sam_plan **plan)
{
    struct sam_shape in = shape_of(&r->inputs[0]);
    unsigned element = (unsigned)sam_dtype_size(r->inputs[0].dtype);
    int64_t axis = r->axis == INT64_MIN ? 0 : r->axis < 0 ? r->axis + in.rank : r->axis;
    if (axis < 0 || axis >= (in.rank ? in.rank : 1))
        return cli_usage_error(r->args, "--axis: %s has %u dims", r->files[0], in.rank);
    switch (r->kind) {
    case RESHAPE: return plan_reshape(r, &in, element, plan);
    case TRANSPOSE: return plan_transpose(r, &in, element, plan);
    case IM2COL: return plan_im2col(r, &in, element, plan);
    case COMPRESS: return plan_compress(r, &in, element, (unsigned)axis, plan);
    case CONCAT: return plan_concat(r, element, (unsigned)axis, plan);
    default: return plan_pad(r, &in, element, plan);
    }
}

/* ----------------------------------------------------------------------------- running */

static int explain(const struct sam_plan *plan)
{
    struct sam_error error;
    char *text;
    if (sam_plan_describe(plan, &text, &error) != SAM_OK)
        return cli_report(&error);
    fputs(text, stdout);
    sam_text_free(text);
    return CLI_OK;
}

static int emit(const struct request *r, const struct sam_plan *plan)
{
    struct sam_error error;
    uint64_t inputs[SAM_PLAN_INPUTS], output;
    char *text;
    sam_plan_addresses(plan, inputs, &output);
    if (sam_plan_program(plan, inputs, output, &text, &error) != SAM_OK)
        return cli_report(&error);
    enum sam_status status = sam_file_save(r->emit, text, strlen(text), &error);
    sam_text_free(text);
    return status == SAM_OK ? CLI_OK : cli_report(&error);
}

static void put_shape(const struct sam_shape *shape)
{
    for (unsigned i = 0; i < shape->rank; i++)
        printf("%s%llu", i ? "," : "[", (unsigned long long)shape->dim[i]);
    printf(shape->rank ? "]" : "[]");
}

static void report(const struct request *r, const struct sam_plan *plan,
                   const struct sam_array *out)
{
    struct sam_plan_figures f;
    sam_plan_count(plan, &f);
    uint64_t moved = f.bytes_loaded + f.bytes_stored, bound = f.bound_loaded + f.bound_stored;
    printf("%s: ", r->output);
    put_shape(sam_plan_shape(plan));
    printf(" %s, %llu blocks, %llu instructions, %llu bytes moved", sam_dtype_name(out->dtype),
           (unsigned long long)f.blocks,
           (unsigned long long)(f.loads + f.stores + f.concats + f.xposes),
           (unsigned long long)moved);
    printf(bound ? ", %.3f of the lower bound\n" : "\n", (double)moved / (double)bound);
}

static int run_plan(const struct request *r, const struct sam_plan *plan)
{
    struct sam_error error;
    const struct sam_shape *shape = sam_plan_shape(plan);
    const void **data = calloc(r->input_count, sizeof *data);
    struct sam_array out = {.dtype = r->inputs[0].dtype, .rank = shape->rank, .count = 1};
    memcpy(out.shape, shape->dim, sizeof out.shape);
    for (unsigned i = 0; i < shape->rank; i++)
        out.count *= (size_t)shape->dim[i];
    out.size = out.count * sam_dtype_size(out.dtype);
    out.data = malloc(out.size + 1);
    int code = CLI_OK;
    if (!data || !out.data)
        code = cli_usage_error(r->args, "out of memory");
    for (size_t i = 0; code == CLI_OK && i < r->input_count; i++)
        data[i] = r->inputs[i].data;
    signal(SIGINT, on_interrupt);
    if (code == CLI_OK && (sam_plan_run(plan, data, out.data, &interrupted, &error) != SAM_OK ||
                           sam_npy_write(r->output, &out, &error) != SAM_OK))
        code = cli_report(&error);
    if (code == CLI_OK && !r->quiet && strcmp(r->output, "-") != 0)
        report(r, plan, &out);
    free(data);
    free(out.data);
    return code;
}

static int operate(struct request *r)
{
    struct sam_error error;
    struct sam_plan *plan = NULL;
    r->inputs = calloc(r->input_count, sizeof *r->inputs);
    int code = r->inputs ? CLI_OK : cli_usage_error(r->args, "out of memory");
    for (size_t i = 0; code == CLI_OK && i < r->input_count; i++)
        if (sam_npy_read(r->files[i], &r->inputs[i], &error) != SAM_OK)
            code = cli_report(&error);
    if (code == CLI_OK)
        code = make_plan(r, &plan);
    if (code == CLI_OK && r->explain)
        code = explain(plan);
    if (code == CLI_OK && r->emit)
        code = emit(r, plan);
    if (code == CLI_OK && r->output)
        code = run_plan(r, plan);
    sam_plan_free(plan);
    for (size_t i = 0; r->inputs && i < r->input_count; i++)
        sam_array_free(&r->inputs[i]);
    free(r->inputs);
    return code;
}

static int run(struct cli_args *args)
{
    struct request r = {.args = args, .kind = OPERATORS, .axis = INT64_MIN};
    const char *value;
    int code = CLI_OK;
    for (int option; code == CLI_OK && (option = cli_next(args, &value)) != CLI_END;)
        code = parse_option(&r, option, value);
    if (code == CLI_OK && r.kind == OPERATORS)
        code = cli_usage_error(args, "no operator: reshape, transpose, im2col, compress, concat or "
                                     "pad");
    if (code == CLI_OK)
        code = check_options(&r);
    if (code == CLI_OK)
        code = check_files(&r);
    if (code == CLI_OK)
        code = operate(&r);
    free(r.files);
    return code;
}

const struct cli_verb verb_op = {
    .name = "op",
    .summary = "reshape, transpose, im2col, compress, concat, pad on TensorLoad",
    .usage = "reshape|transpose|im2col|compress|concat|pad [options] IN.npy... OUT.npy",
    .options = options,
    .details =
        "Plans the operator as blocks of TensorLoad registers, emits the program, runs it on the\n"
        "tensor hart and writes the result. Any rank up to 8, elements of 1, 2, 4 or 8 bytes.\n"
        "With --plan or --emit the output may be left out: nothing is run.\n\n"
        "Example:\n"
        "  samite op transpose --perm 0,3,1,2 nhwc.npy nchw.npy\n"
        "  samite op im2col --kernel 3,3 --pad 1,1 image.npy patches.npy\n"
        "  samite op compress --mask keep.npy --axis 0 in.npy out.npy\n"
        "  samite op pad --before 0,1,1,0 --value 1 in.npy out.npy\n"
        "  samite op concat --axis -1 a.npy b.npy out.npy\n"
        "  samite op transpose --perm 1,0 --plan --emit prog.s in.npy\n",
    .run = run,
};
