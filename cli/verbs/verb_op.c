/* SPDX-License-Identifier: Apache-2.0 */
/* samite op: tensor operators on .npy files, run on TensorLoad. */
#include <stdlib.h>

#include "machine/tensor.h"
#include "op.h"

/* ----------------------------------------------------------------------- command line */

/* "3,-1,4": each at least the row's `low`. */
static int parse_numbers(struct cli_args *args, const struct cli_option *option, const char *text,
                         void *place)
{
    const int64_t least = (int64_t)option->low;
    struct op_numbers *out = place;
    const char *at = text;
    char number[32];
    for (out->count = 0; cli_item(&at, number, sizeof number); out->count++)
        if (out->count == SAM_MAX_RANK || !sam_parse_i64(number, &out->value[out->count]) ||
            out->value[out->count] < least)
            return cli_usage_error(
                args, "--%s %s: expected up to %d numbers from %lld, separated by commas",
                option->name, text, SAM_MAX_RANK, (long long)least);
    return CLI_OK;
}

static int parse_axis(struct cli_args *args, const struct cli_option *option, const char *text,
                      void *axis)
{
    if (!sam_parse_i64(text, axis))
        return cli_usage_error(args, "--%s %s: expected a number", option->name, text);
    return CLI_OK;
}

static int parse_in_shape(struct cli_args *args, const struct cli_option *option, const char *text,
                          void *request)
{
    struct op_request *r = request;
    if (r->in_shapes == SAM_PLAN_INPUTS)
        return cli_usage_error(args, "--%s: expected at most %d", option->name, SAM_PLAN_INPUTS);
    return parse_numbers(args, option, text, &r->in_shape[r->in_shapes++]);
}

/* "in=ADDR,...,out=ADDR" */
static int parse_at(struct cli_args *args, const struct cli_option *option, const char *text,
                    void *request)
{
    struct op_request *r = request;
    unsigned outputs = 0;
    const char *at = text;
    char word[40];
    bool good = true;
    r->has_at = true;
    r->at_inputs = 0;
    while (good && cli_item(&at, word, sizeof word)) {
        const bool in = strncmp(word, "in=", 3) == 0;
        good = (in || (strncmp(word, "out=", 4) == 0 && !outputs++)) &&
               !(in && r->at_inputs == SAM_PLAN_INPUTS) &&
               sam_parse_u64(word + (in ? 3 : 4), in ? &r->at_in[r->at_inputs++] : &r->at_out);
    }
    if (good && outputs)
        return CLI_OK;
    return cli_usage_error(args, "--%s %s: expected in=ADDRESS for each input and out=ADDRESS",
                           option->name, text);
}

static enum sam_status set_engines(void *engines, const char *settings, struct sam_error *error)
{
    return sam_engines_parse(settings, engines, error);
}

static int parse_config(struct cli_args *args, const struct cli_option *option, const char *text,
                        void *request)
{
    struct op_request *r = request;
    r->cycles = true;
    return cli_read_settings(args, option, text, &r->engines);
}

static const struct cli_settings settings = {
    .set = set_engines, .list = cli_engines_parameters, .tables = {sam_engines_parameter}};

#define NUMBERS(word, value, least, member, bits, must, text)                                      \
    CLI_ROW(struct op_request, member, word, CLI_PARSE, value, (text), .parse = parse_numbers,     \
            .low = (uint64_t)(least), .forms = (bits), .needed = (must))

static const struct cli_option options[] = {
    CLI_ROW(struct op_request, hint, "dtype", CLI_PARSE, "TYPE",
            "the type of the elements, where .npy has no name for it: i4, e2m1, e1m2, e3m0 are\n"
            "two per byte of a u8 array, the first in the low half; others have the file's size",
            .parse = weights_parse_type, .names = weights_type_name),
    CLI_PARSED("in-shape", "N,...", parse_in_shape,
               "the input's shape in elements (once per input): for an odd number of 4-bit ones",
               .repeats = true),
    NUMBERS("perm", "D,...", 0, perm, 1 << TRANSPOSE, true, "output dim i is input dim D[i]"),
    NUMBERS("shape", "N,...", -1, shape, 1 << RESHAPE, true,
            "the new shape; one of them may be -1"),
    CLI_ROW(struct op_request, axis, "axis", CLI_PARSE, "D", "the dim; -1 is the last (0)",
            .parse = parse_axis, .forms = 1 << CONCAT | 1 << COMPRESS),
    CLI_ROW(struct op_request, mask, "mask", CLI_TEXT, "FILE",
            "a .npy of bool or u8, one element for each index of the axis", .suffixes = ".npy",
            .forms = 1 << COMPRESS, .needed = true),
    NUMBERS("before", "N,...", 0, before, 1 << PAD, true, "elements in front, one number per dim"),
    NUMBERS("after", "N,...", 0, after, 1 << PAD, false,
            "elements at the end, one number per dim (as --before)"),
    CLI_ROW(struct op_request, value, "value", CLI_TEXT, "V",
            "what to pad with (0); 0x... gives the element's bits", .forms = 1 << PAD),
    NUMBERS("kernel", "H,W", 1, kernel, 1 << IM2COL, true, "size of the kernel"),
    NUMBERS("stride", "H,W", 1, stride, 1 << IM2COL, false, "step of the kernel (1,1)"),
    NUMBERS("dilation", "H,W", 1, dilation, 1 << IM2COL, false,
            "distance between elements of the kernel (1,1)"),
    NUMBERS("pad", "H,W", 0, pad, 1 << IM2COL, false, "zeros on both sides, or T,B,L,R (0,0)"),
    CLI_ROW(struct op_request, layout, "layout", CLI_CHOICE, NULL,
            "nhwc gives [N*OH*OW, KH*KW*C] (the default),\nnchw gives [N, C*KH*KW, OH*OW]",
            .choices = "nhwc nchw", .forms = 1 << IM2COL),
    CLI_ROW(struct op_request, explain, "plan", CLI_FLAG, NULL,
            "explain the blocks, instructions and bytes"),
    CLI_ROW(struct op_request, emit, "emit", CLI_TEXT, "FILE",
            "write the program in assembly, with the command that runs it as its first comment",
            .suffixes = ".s"),
    CLI_PARSED("at", "in=ADDR,out=ADDR", parse_at,
               "--emit: the addresses of the inputs, one each, and of the output"),
    CLI_ROW(
        struct op_request, call, "call", CLI_TEXT, "[NAME]",
        "--emit: a function void NAME(void) (as the operator) for other programs, which GNU as\n"
        "takes, too"),
    CLI_ROW(struct op_request, cycles, "cycles", CLI_FLAG, NULL,
            "the engines in time: cycles, and what each engine waits for"),
    CLI_PARSED("config", "KEY=N,...", parse_config,
               "--cycles with other parameters, or a file of them; --config help lists them",
               .settings = &settings, .suffixes = "", .repeats = true),
    CLI_ROW(struct op_request, dry, "dry-run", CLI_FLAG, NULL, "plan only; every file is an input",
            .letter = 'n'),
    CLI_QUIET(struct op_request, quiet,
              "no line about the result; --cycles and --plan print still"),
    CLI_JSON(struct op_request, json,
             "the plan's figures, the result and the cycles as one JSON document"),
    {0},
};

static const struct cli_form operators[] = {
    [RESHAPE] = {.name = "reshape", .summary = "another shape of the same elements"},
    [TRANSPOSE] = {.name = "transpose", .summary = "the dims in another order"},
    [IM2COL] = {.name = "im2col",
                .summary = "the patches under a convolution's kernel as rows of a matrix"},
    [COMPRESS] = {.name = "compress", .summary = "the indices of an axis that a mask keeps"},
    [CONCAT] = {.name = "concat", .summary = "several inputs side by side along an axis"},
    [PAD] = {.name = "pad", .summary = "elements of one value around the input"},
    {0},
};

static int check_files(struct op_request *r)
{
    bool many = r->kind == CONCAT;
    if (r->files.count == 1 && !many && (r->explain || r->emit || r->json))
        r->dry = true;
    size_t outputs = r->dry ? 0 : 1;
    if (r->files.count < 1 + outputs || (!many && r->files.count > 1 + outputs))
        return cli_usage_error(r->args, "%s takes %s%s, found %zu file%s", operators[r->kind].name,
                               many ? "inputs" : "one input", r->dry ? "" : " and an output",
                               r->files.count, r->files.count == 1 ? "" : "s");
    r->input_count = r->files.count - outputs;
    r->output = r->dry ? NULL : r->files.items[r->files.count - 1];
    if ((r->has_at || r->call) && !r->emit)
        return cli_usage_error(r->args, "--at and --call need --emit");
    if (r->cycles && r->dry)
        return cli_usage_error(r->args, "--cycles and --config need an output: without one nothing "
                                        "is run");
    if (r->json && (cli_is_stdio(r->output) || cli_is_stdio(r->emit)))
        return cli_usage_error(r->args, "--json needs standard output for itself");
    if (cli_is_stdio(r->output) && (r->explain || cli_is_stdio(r->emit)))
        return cli_usage_error(r->args, "standard output takes the array, %s cannot go there, too",
                               r->explain ? "--plan" : "--emit");
    return CLI_OK;
}

/* ----------------------------------------------------------------------------- running */

static int explain(const struct sam_plan *plan)
{
    struct sam_error error;
    char *text = NULL;
    return cli_print_text(sam_plan_describe(plan, &text, &error), &text, &error, stdout);
}

/* The report of an operation; `engines` and `energy` only with --cycles, the plan with --plan. */
static json_t *report(const struct op_request *r, const struct sam_plan *plan,
                      const struct sam_engines_report *engines, const struct sam_energy *energy)
{
    static const struct report_field fields[] = {
        REPORT_FIELD(struct sam_plan_figures, regions),
        REPORT_FIELD(struct sam_plan_figures, blocks),
        REPORT_FIELD(struct sam_plan_figures, loads),
        REPORT_FIELD(struct sam_plan_figures, stores),
        REPORT_FIELD(struct sam_plan_figures, concats),
        REPORT_FIELD(struct sam_plan_figures, xposes),
        REPORT_FIELD(struct sam_plan_figures, bytes_loaded),
        REPORT_FIELD(struct sam_plan_figures, bytes_stored),
        REPORT_FIELD(struct sam_plan_figures, bound_loaded),
        REPORT_FIELD(struct sam_plan_figures, bound_stored),
        {0},
    };
    const struct sam_shape *shape = sam_plan_shape(plan);
    struct sam_plan_figures f;
    char *text = NULL;
    sam_plan_count(plan, &f);
    json_t *root = REPORT(TEXT("operator", operators[r->kind].name), TEXT("output", r->output),
                          TREE("shape", report_numbers(shape->dim, shape->rank)),
                          TEXT("dtype", sam_dtype_name(r->inputs[0].dtype)));
    root = report_fields(root, fields, &f);
    root = REPORT_MORE(root, COUNT("instructions", f.loads + f.stores + f.concats + f.xposes),
                       COUNT("bytes_moved", f.bytes_loaded + f.bytes_stored),
                       COUNT("bytes_bound", f.bound_loaded + f.bound_stored));
    if (r->explain) {
        bool made = sam_plan_describe(plan, &text, NULL) == SAM_OK;
        root = report_set(root, "plan", made ? sam_tree_string(text) : NULL);
    }
    sam_text_free(text);
    if (!engines)
        return root;
    root = report_set(root, "engines", cli_engines(engines));
    const bool made = sam_energy_report(energy, true, &text, NULL) == SAM_OK;
    root = report_set(root, "energy", made ? json_loads(text, 0, NULL) : NULL);
    if (made)
        sam_text_free(text);
    return root;
}

static int show(const struct op_request *r, const struct sam_plan *plan,
                const struct sam_engines_report *engines, const struct sam_energy *energy)
{
    FILE *text = cli_is_stdio(r->output) ? stderr : stdout;
    json_t *root = report(r, plan, r->cycles ? engines : NULL, energy);
    if (!root || r->json)
        return cli_json_print(root);
    if (!r->quiet) {
        report_print(text,
                     "{output}: [{shape*,}] {dtype}, {blocks} blocks, {instructions} instructions, "
                     "{bytes_moved} bytes moved",
                     root);
        report_print(text, "?bytes_bound , {bytes_moved/bytes_bound:.3} of the lower bound", root);
        fputc('\n', text);
    }
    if (r->cycles && energy) {
        char *lines = NULL;
        cli_engines_print(json_object_get(root, "engines"), text);
        if (sam_energy_report(energy, false, &lines, NULL) == SAM_OK)
            fputs(lines, text);
        sam_text_free(lines);
    }
    json_decref(root);
    return CLI_OK;
}

static int run_plan(const struct op_request *r, const struct sam_plan *plan)
{
    struct sam_error error;
    struct sam_engines_report engines = {0};
    struct sam_energy energy = {0};
    const void **data = calloc(r->input_count + 1, sizeof *data);
    struct sam_array out = op_stored(r, plan);
    out.data = malloc(out.size + 1);
    int code = CLI_OK;
    if (!data || !out.data)
        code = cli_no_memory();
    for (size_t i = 0; code == CLI_OK && i < r->input_count; i++)
        data[i] = r->inputs[i].data;
    cli_catch_signals();
    const struct sam_plan_options how = {.size = sizeof how,
                                         .stop = cli_stop_flag(),
                                         .engines = r->cycles ? &r->engines : NULL,
                                         .report = &engines,
                                         .energy = &energy};
    code = code ?: cli_code(sam_plan_run(plan, data, out.data, &how, &error), &error);
    if (code == CLI_OK && cli_stopped())
        code = cli_report_stop();
    code = code ?: cli_code(sam_npy_write(r->output, &out, &error), &error)
        ?: show(r, plan, &engines, &energy);
    free(data);
    free(out.data);
    return code;
}

static int name_files(const struct op_request *r)
{
    return cli_reads(r->args, r->mask) ?: cli_reads_all(r->args, &r->files, r->input_count)
        ?: cli_writes(r->args, r->output) ?: cli_writes(r->args, r->emit);
}

static int operate(struct op_request *r)
{
    struct sam_error error;
    struct sam_plan *plan = NULL;
    r->inputs = calloc(r->input_count + 1, sizeof *r->inputs);
    int code = r->inputs ? CLI_OK : cli_no_memory();
    for (size_t i = 0; code == CLI_OK && i < r->input_count; i++)
        if (sam_npy_read(r->files.items[i], &r->inputs[i], &error) != SAM_OK)
            code = cli_report(&error);
    code = code ?: op_take_types(r) ?: op_make_plan(r, &plan);
    if (code == CLI_OK && r->explain && !r->json)
        code = explain(plan);
    if (code == CLI_OK && r->emit)
        code = op_emit(r, plan, operators[r->kind].name);
    if (code == CLI_OK && r->output)
        code = run_plan(r, plan);
    else if (code == CLI_OK && r->json)
        code = show(r, plan, NULL, NULL);
    sam_plan_free(plan);
    for (size_t i = 0; r->inputs && i < r->input_count; i++)
        sam_array_free(&r->inputs[i]);
    free(r->inputs);
    return code;
}

static int run(struct cli_args *args)
{
    struct op_request r = {.args = args};
    sam_engines_defaults(&r.engines);
    int code = cli_read(args, &r);
    if (code != CLI_OK)
        return code;
    r.kind = (enum op_kind)args->form;
    return check_files(&r) ?: name_files(&r) ?: operate(&r);
}

const struct cli_verb verb_op = {
    .name = "op",
    .summary = "reshape, transpose, im2col, compress, concat, pad on TensorLoad",
    .usage = "reshape|transpose|im2col|compress|concat|pad [options] IN.npy... OUT.npy",
    .options = options,
    .operand = CLI_OPERAND(struct op_request, files, "file", CLI_LIST, 0, 0, ".npy"),
    .forms = operators,
    .form_word = "operator",
    .details =
        "Plans the operator as blocks of TensorLoad registers, emits the program, runs it on the\n"
        "tensor hart and writes the result. Any rank up to 8, elements of 1, 2, 4 or 8 bytes, or\n"
        "of 4 bits (--dtype).\n"
        "With --plan, --emit or --json the output may be left out: nothing is run.\n",
    .examples = "  samite op transpose --perm 0,3,1,2 nhwc.npy nchw.npy\n"
                "  samite op im2col --kernel 3,3 --pad 1,1 image.npy patches.npy\n"
                "  samite op compress --mask keep.npy --axis 0 in.npy out.npy\n"
                "  samite op pad --before 0,1,1,0 --value 1 in.npy out.npy\n"
                "  samite op concat --axis -1 a.npy b.npy out.npy\n"
                "  samite op transpose --perm 1,0 --plan --emit prog.s in.npy\n"
                "  samite op transpose --perm 1,0 --dtype i4 packed.npy out.npy\n"
                "  samite op im2col --kernel 3 --pad 1 --emit im2col.s --call \\\n"
                "      --at in=0x10000000,out=0x18000000 image.npy\n",
    .run = run,
};
