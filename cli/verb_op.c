/* SPDX-License-Identifier: Apache-2.0 */
/* samite op: tensor operators on .npy files, run on TensorLoad. */
#include <stdlib.h>
#include <string.h>

#include "engines.h"
#include "files.h"
#include "op.h"
#include "samite/file.h"
#include "samite/isa.h"
#include "stop.h"

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
    OPT_CYCLES,
    OPT_CONFIG,
};

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
    {OPT_EMIT, "emit", "FILE",
     "write the program in assembly, with the command that runs it\n"
     "as its first comment"},
    {OPT_CYCLES, "cycles", NULL, "the engines in time: cycles, and what each engine waits for"},
    {OPT_CONFIG, "config", "KEY=N,...", "--cycles with other parameters; --config help lists them"},
    {'n', "dry-run", NULL, "plan only; every file is an input"},
    {'q', "quiet", NULL, "no line about the result; --cycles and --plan print still"},
    {0},
};

/* ----------------------------------------------------------------------- command line */

static int parse_numbers(const struct op_request *r, const char *option, const char *text,
                         int64_t least, struct op_numbers *out)
{
    out->count = 0;
    for (const char *at = text;;) {
        char number[32];
        int64_t value;
        size_t size = strcspn(at, ",");
        snprintf(number, sizeof number, "%.*s", (int)size, at);
        if (size >= sizeof number || !cli_parse_i64(number, &value) || value < least ||
            out->count == SAM_MAX_RANK)
            break;
        out->value[out->count++] = value;
        if (!at[size])
            return CLI_OK;
        at += size + 1;
    }
    return cli_usage_error(r->args,
                           "--%s %s: expected up to %d numbers from %lld, separated by commas",
                           option, text, SAM_MAX_RANK, (long long)least);
}

static int parse_axis(struct op_request *r, const char *text)
{
    r->axis_given = true;
    if (!cli_parse_i64(text, &r->axis))
        return cli_usage_error(r->args, "--axis: '%s' is no number", text);
    return CLI_OK;
}

static int add_file(struct op_request *r, const char *path)
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

static int parse_option(struct op_request *r, int option, const char *value)
{
    struct sam_error error;
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
        r->layout_given = true;
        r->nchw = strcmp(value, "nchw") == 0;
        if (!r->nchw && strcmp(value, "nhwc") != 0)
            return cli_usage_error(r->args, "--layout: expected nhwc or nchw, found '%s'", value);
        return CLI_OK;
    case OPT_CYCLES: r->cycles = true; return CLI_OK;
    case OPT_CONFIG:
        r->cycles = true;
        if (strcmp(value, "help") == 0)
            r->listing = true;
        else if (sam_engines_parse(value, &r->engines, &error) != SAM_OK)
            return cli_usage_error(r->args, "--config: %s", error.text);
        return CLI_OK;
    case 'n': r->dry = true; return CLI_OK;
    case 'q': r->quiet = true; return CLI_OK;
    default: return CLI_BAD_INPUT;
    }
}

/* Every option but the common ones belongs to some operators. */
static int check_options(const struct op_request *r)
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
        {"axis", r->axis_given, 1 << COMPRESS | 1 << CONCAT, false},
        {"before", r->before.count, 1 << PAD, true},
        {"after", r->after.count, 1 << PAD, false},
        {"value", r->value, 1 << PAD, false},
        {"kernel", r->kernel.count, 1 << IM2COL, true},
        {"stride", r->stride.count, 1 << IM2COL, false},
        {"dilation", r->dilation.count, 1 << IM2COL, false},
        {"pad", r->pad.count, 1 << IM2COL, false},
        {"layout", r->layout_given, 1 << IM2COL, false},
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

static int check_files(struct op_request *r)
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
    if (r->cycles && r->dry)
        return cli_usage_error(r->args, "--cycles and --config need an output: without one nothing "
                                        "is run");
    if (r->output && strcmp(r->output, "-") == 0 &&
        (r->explain || (r->emit && strcmp(r->emit, "-") == 0)))
        return cli_usage_error(r->args, "standard output takes the array, %s cannot go there, too",
                               r->explain ? "--plan" : "--emit");
    return CLI_OK;
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

static void put_shape(const struct sam_shape *shape, FILE *text)
{
    for (unsigned i = 0; i < shape->rank; i++)
        fprintf(text, "%s%llu", i ? "," : "[", (unsigned long long)shape->dim[i]);
    fputs(shape->rank ? "]" : "[]", text);
}

static void report(const struct op_request *r, const struct sam_plan *plan,
                   const struct sam_array *out, FILE *text)
{
    struct sam_plan_figures f;
    sam_plan_count(plan, &f);
    uint64_t moved = f.bytes_loaded + f.bytes_stored, bound = f.bound_loaded + f.bound_stored;
    uint64_t instructions = f.loads + f.stores + f.concats + f.xposes;
    fprintf(text, "%s: ", r->output);
    put_shape(sam_plan_shape(plan), text);
    fprintf(text, " %s, %llu blocks, %llu instructions, %llu bytes moved",
            sam_dtype_name(out->dtype), (unsigned long long)f.blocks,
            (unsigned long long)instructions, (unsigned long long)moved);
    if (bound)
        fprintf(text, ", %.3f of the lower bound", (double)moved / (double)bound);
    fputc('\n', text);
}

static int run_plan(const struct op_request *r, const struct sam_plan *plan)
{
    struct sam_error error;
    const struct sam_shape *shape = sam_plan_shape(plan);
    struct sam_engines_report engines = {0};
    const void **data = calloc(r->input_count + 1, sizeof *data);
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
    cli_catch_signals();
    const struct sam_plan_options how = {
        .stop = cli_stop_flag(), .engines = r->cycles ? &r->engines : NULL, .report = &engines};
    if (code == CLI_OK && sam_plan_run(plan, data, out.data, &how, &error) != SAM_OK)
        code = cli_report(&error);
    if (code == CLI_OK && cli_stopped())
        code = cli_report_stop();
    if (code == CLI_OK && sam_npy_write(r->output, &out, &error) != SAM_OK)
        code = cli_report(&error);
    FILE *text = strcmp(r->output, "-") == 0 ? stderr : stdout;
    if (code == CLI_OK && !r->quiet)
        report(r, plan, &out, text);
    if (code == CLI_OK && r->cycles)
        cli_engines_report(&engines, text);
    free(data);
    free(out.data);
    return code;
}

static int name_files(const struct op_request *r)
{
    int code = r->mask ? cli_reads(r->args, r->mask) : CLI_OK;
    for (size_t i = 0; i < r->input_count && code == CLI_OK; i++)
        code = cli_reads(r->args, r->files[i]);
    if (r->output && code == CLI_OK)
        code = cli_writes(r->args, r->output);
    if (r->emit && code == CLI_OK)
        code = cli_writes(r->args, r->emit);
    return code;
}

static int operate(struct op_request *r)
{
    struct sam_error error;
    struct sam_plan *plan = NULL;
    r->inputs = calloc(r->input_count + 1, sizeof *r->inputs);
    int code = r->inputs ? CLI_OK : cli_usage_error(r->args, "out of memory");
    for (size_t i = 0; code == CLI_OK && i < r->input_count; i++)
        if (sam_npy_read(r->files[i], &r->inputs[i], &error) != SAM_OK)
            code = cli_report(&error);
    if (code == CLI_OK)
        code = op_make_plan(r, &plan);
    if (code == CLI_OK && r->explain)
        code = explain(plan);
    if (code == CLI_OK && r->emit)
        code = op_emit(r, plan);
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
    struct op_request r = {.args = args, .kind = OPERATORS};
    const char *value;
    int code = CLI_OK;
    sam_engines_defaults(&r.engines);
    for (int option; code == CLI_OK && (option = cli_next(args, &value)) != CLI_END;)
        code = parse_option(&r, option, value);
    if (code == CLI_OK && r.listing) {
        free(r.files);
        return cli_engines_parameters();
    }
    if (code == CLI_OK && r.kind == OPERATORS)
        code = cli_usage_error(args, "no operator: reshape, transpose, im2col, compress, concat or "
                                     "pad");
    if (code == CLI_OK)
        code = check_options(&r);
    if (code == CLI_OK)
        code = check_files(&r);
    if (code == CLI_OK)
        code = name_files(&r);
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
