/* SPDX-License-Identifier: Apache-2.0 */
/* samite run MODEL.onnx: options, the run, its report. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/machine.h"

const struct cli_option network_rows[] = {
    CLI_ROW(struct network_request, dims, "dim", CLI_LIST, "NAME=N",
            "the size of a symbolic dimension of the model; repeatable"),
    CLI_ROW(struct network_request, outputs, "output", CLI_LIST, "NAME=FILE",
            "write a value inside the network, by its name in the model; repeatable",
            .suffixes = ".npy"),
    CLI_ROW(struct network_request, planes, "planes", CLI_CHOICE, NULL,
            "weights in DRAM: raw (the default) or packed, as huffman or window codes, and decoded "
            "on their way",
            .choices = "raw huffman window"),
    CLI_ROW(struct network_request, list, "list", CLI_FLAG, NULL,
            "print the plan: steps, their nodes and tiles"),
    CLI_ROW(struct network_request, bisect, "bisect", CLI_FLAG, NULL,
            "find the first value that differs from an array in the folder of --reference"),
    CLI_ROW(struct network_request, reference, "reference", CLI_TEXT, "DIR",
            "--bisect: DIR/NAME.npy is the value NAME, with '_' for '/'", .suffixes = "/"),
    CLI_ROW(struct network_request, unfused, "unfused", CLI_FLAG, NULL, "a step for each node"),
    CLI_ROW(struct network_request, states, "state", CLI_LIST, "INPUT=OUTPUT",
            "--runs: an input that is the output of the run before, at first zeros; repeatable"),
    CLI_ROW(struct network_request, runs, "runs", CLI_NUMBER, "N",
            "run N times: arrays of inputs and outputs have a first dimension of N more", .low = 1,
            .high = 1 << 20),
    CLI_ROW(struct network_request, html, "html", CLI_TEXT, "FILE",
            "--cycles as a page with a chart of the steps", .suffixes = ".html"),
    {0},
};

/* Options of the system, and those of every run, that mean something for a network. */
static int check_options(const struct cli_args *args)
{
    static const char meant[] = "machine arg check stats json quiet cycles config emit perfetto "
                                "compare-raw";
    struct cli_cursor c = {0};
    while (cli_next_given(args, &c)) {
        const char *name = c.option->name;
        if (!(c.group && c.group->options == network_rows) &&
            cli_choice(meant, name, strlen(name)) < 0)
            return cli_usage_error(args, "--%s does not apply to a network", name);
    }
    return CLI_OK;
}

/* --- --bisect: the first value of a network that differs from the one computed elsewhere */

/* A value may be off by this part of the largest magnitude in its reference. */
static const double tolerance = 1e-4;

/* DIR/NAME.npy, where characters that a file name cannot have are '_'. */
static char *path_of(const char *folder, const char *name)
{
    char *path = cli_text("%s/%s.npy", folder, name);
    for (char *at = path ? path + strlen(folder) + 1 : NULL; at && *at; at++)
        if (*at == '/' || (unsigned char)*at < ' ')
            *at = '_';
    return path;
}

/* Find and read the arrays of values in the folder. */
static int open_references(struct run *run)
{
    struct network *n = run->network;
    struct sam_network_tensor tensor;
    struct sam_error error;
    size_t count = 0;
    int code = CLI_OK;
    while (sam_network_value(n->made, count, &tensor))
        count++;
    n->references = calloc(count + 1, sizeof *n->references);
    if (!n->references)
        return cli_no_memory();
    for (size_t i = 0; i < count && code == CLI_OK; i++) {
        struct network_reference *r = &n->references[n->reference_count];
        sam_network_value(n->made, i, &tensor);
        r->path = path_of(run->command->network.reference, tensor.name);
        if (!r->path)
            return cli_no_memory();
        if (access(r->path, F_OK) != 0) {
            free(r->path);
            r->path = NULL;
            continue;
        }
        n->reference_count++;
        r->name = strdup(tensor.name);
        if (!r->name)
            return cli_no_memory();
        code = cli_code(sam_npy_read(r->path, &r->expected, &error), &error);
    }
    if (code == CLI_OK && n->reference_count == 0)
        code = cli_error("%s: no array of a value of the network: expected NAME.npy, with '_' for "
                         "'/' in NAME",
                         run->command->network.reference);
    return code;
}

/* The largest difference, over the largest magnitude expected: 0 for equal arrays. */
static double distance(const struct sam_array *found, const struct sam_array *expected)
{
    double most = 0, range = 0;
    for (size_t i = 0; i < expected->count; i++) {
        const double x = run_element(found, i), y = run_element(expected, i);
        range = fmax(range, fabs(y));
        most = fmax(most, isnan(x) != isnan(y) ? INFINITY : x == y ? 0 : fabs(x - y));
    }
    return most == 0 ? 0 : range == 0 ? INFINITY : most / range;
}

/* After the run: name the first value that differs. */
static int compare_references(struct run *run)
{
    const struct network *n = run->network;
    for (size_t i = 0; i < n->reference_count; i++) {
        const struct network_reference *r = &n->references[i];
        if (r->found.count != r->expected.count) {
            fprintf(run->text, "bisect: %s has %zu elements, expected %zu\n",
                    cli_plain(r->name).text, r->found.count, r->expected.count);
            return CLI_PROGRAM_FAILED;
        }
        const double off = distance(&r->found, &r->expected);
        if (!(off <= tolerance)) {
            fprintf(run->text, "bisect: %s is the first value that differs: by %.3g of its range\n",
                    cli_plain(r->name).text, off);
            return CLI_PROGRAM_FAILED;
        }
    }
    fprintf(run->text, "bisect: all %zu values are within %g of their ranges\n", n->reference_count,
            tolerance);
    return CLI_OK;
}

static void free_references(struct network *network)
{
    for (size_t i = 0; i < network->reference_count; i++) {
        struct network_reference *r = &network->references[i];
        sam_array_free(&r->found);
        sam_array_free(&r->expected);
        free(r->path);
        free((char *)r->name);
    }
    free(network->references);
}

/* --- the run */

int network_refuse_options(const struct cli_args *args)
{
    for (const struct cli_option *o = network_rows; o->grammar; o++)
        if (cli_given(args, o->name))
            return cli_usage_error(args, "--%s: expected a network (.onnx)", o->name);
    return CLI_OK;
}

static int check(struct run *run)
{
    struct network_request *n = &run->command->network;
    const struct run_request *r = run->request;
    n->system = run->command->machine == RUN_SYSTEM;
    n->perfetto = run->command->hart.files[RUN_PERFETTO];
    n->cycles = run->command->hart.cycles || n->html || n->perfetto ||
                run->command->system.time.compare || run->command->system.time.config;
    if (r->files.count != 1)
        return cli_usage_error(r->args, "unexpected second network '%s'", r->files.items[1]);
    if (n->cycles && !n->system)
        return cli_usage_error(r->args, "--html: use --machine system");
    run->command->run.words = RUN_NETWORK_WORDS;
    if (!n->bisect != !n->reference)
        return cli_usage_error(r->args, "--bisect needs --reference DIR, and that only --bisect");
    return check_options(r->args) ?: cli_reads(r->args, r->files.items[0])
        ?: cli_writes(r->args, n->html) ?: cli_writes(r->args, n->perfetto);
}

static bool writes_stdout(const struct run *run)
{
    return run_arguments_to_stdout(&run->arguments) || cli_is_stdio(run->command->network.html) ||
           cli_is_stdio(run->command->network.perfetto);
}

/* --------------------------------------------------------------------------------- opening */

/* The words NAME=N of --dim. */
static int read_dims(struct run *run)
{
    const struct cli_list *words = &run->command->network.dims;
    struct cli_args *args = run->request->args;
    struct sam_network_dim *dims = run->network->dims =
        cli_own(args, words->count, sizeof *run->network->dims);
    for (size_t i = 0; dims && i < words->count; i++) {
        char *name = cli_own_text(args, words->items[i]),
             *equals = name ? strrchr(name, '=') : NULL;
        if (!name)
            return cli_no_memory();
        if (!equals || equals == name || !sam_parse_u64(equals + 1, &dims[i].size) || !dims[i].size)
            return cli_usage_error(args, "--dim %s: expected NAME=N, at least 1", words->items[i]);
        *equals = '\0';
        dims[i].name = name;
    }
    return dims ? CLI_OK : cli_no_memory();
}

/* Import and plan, with the shapes of the inputs. Values of --output and --bisect are kept. */
static int make_network(struct run *run)
{
    struct network *n = run->network;
    const struct network_request *asked = &run->command->network;
    const struct run_arguments *all = &run->arguments;
    struct sam_network_shape *shapes = calloc(all->count + 1, sizeof *shapes);
    const size_t keeps = asked->outputs.count + n->reference_count;
    const char **keep = calloc(keeps + 1, sizeof *keep);
    const bool leading = asked->runs > 0;
    struct sam_network_options options = {.size = sizeof options,
                                          .dims = n->dims,
                                          .dim_count = asked->dims.count,
                                          .shapes = shapes,
                                          .keep = keep,
                                          .weights = asked->planes,
                                          .unfused = asked->unfused};
    int code = shapes && keep ? CLI_OK : cli_no_memory();
    for (size_t i = 0; i < all->count && code == CLI_OK; i++) {
        const struct run_argument *a = &all->items[i];
        if (a->output && i >= all->count - asked->outputs.count)
            keep[options.keep_count++] = a->name;
        if (a->output)
            continue;
        struct sam_network_shape *shape = &shapes[options.shape_count++];
        shape->input = a->name;
        if (leading && (a->array.rank == 0 || a->array.shape[0] != asked->runs))
            code =
                cli_usage_error(run->request->args,
                                "--arg %s: expected a first dimension of %llu, of --runs, before "
                                "those of the input",
                                a->word, (unsigned long long)asked->runs);
        for (size_t k = leading; k < a->array.rank && code == CLI_OK; k++)
            shape->shape[shape->rank++] = a->array.shape[k];
    }
    for (size_t i = 0; i < n->reference_count && code == CLI_OK; i++)
        keep[options.keep_count++] = n->references[i].name;
    sam_network_close(n->made);
    n->made = NULL;
    if (code == CLI_OK &&
        sam_network_open(run->request->files.items[0], &options, &n->made, &run->error) != SAM_OK)
        code = leading && run->error.status == SAM_ERR_USAGE
                   ? cli_error("%s (of an array without its first dimension, of --runs)",
                               run->error.text)
                   : cli_report(&run->error);
    free(shapes);
    free(keep);
    return code;
}

static int keep_states(struct run *run)
{
    const struct cli_list *words = &run->command->network.states;
    for (size_t i = 0; i < words->count; i++) {
        char *input = cli_own_text(run->request->args, words->items[i]),
             *output = input ? strchr(input, '=') : NULL;
        if (!input)
            return cli_no_memory();
        if (!output)
            return cli_usage_error(run->request->args, "--state %s: expected INPUT=OUTPUT", input);
        *output++ = '\0';
        if (sam_network_keep_state(run->network->made, input, output, &run->error) != SAM_OK)
            return cli_report(&run->error);
    }
    return CLI_OK;
}

static int arguments(struct run *run)
{
    return network_read_arguments(run) ?: read_dims(run) ?: make_network(run)
        ?: (run->command->network.bisect ? open_references(run) ?: make_network(run)
                                         : CLI_OK)
        ?: keep_states(run) ?: network_bind_arguments(run);
}

static int emit(const struct run *run)
{
    struct sam_error error;
    const char *folder = run->command->tile.emit;
    if (!folder)
        return CLI_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_error("%s: %s", folder, strerror(errno));
    return cli_code(sam_network_emit(run->network->made, folder, &error), &error);
}

static int open_network(struct run *run)
{
    struct network *n = run->network;
    char *text = NULL;
    const size_t count = run->arguments.count + n->reference_count;
    n->given = calloc(count + 1, sizeof *n->given);
    if (!n->given)
        return cli_no_memory();
    cli_catch_signals();
    const int code = run->command->network.list
                         ? cli_print_text(sam_network_list(n->made, &text, &run->error), &text,
                                          &run->error, run->text)
                         : CLI_OK;
    return code ?: emit(run);
}

/* ----------------------------------------------------------------------------------- a run */

static void show_progress(void *context, size_t step, size_t steps)
{
    struct run *run = context;
    cli_progress_show(&run->progress, run->request->files.items[0], step, steps, "steps", step,
                      "steps");
}

/* Run `index` of `runs` takes its slice of each input and adds its slice to each output. */
static int run_slice(struct run *run, const struct sam_network_run_options *options, uint64_t index,
                     struct sam_network_figures **figures)
{
    struct network *n = run->network;
    const uint64_t runs = run->command->network.runs;
    struct sam_array *slices = calloc(run->arguments.count + 1, sizeof *slices);
    if (!slices)
        return cli_no_memory();
    for (size_t i = 0; i < run->arguments.count; i++) {
        const struct run_argument *a = &run->arguments.items[i];
        n->given[i] = (struct sam_network_array){a->name, &slices[i]};
        if (a->output)
            continue;
        slices[i] = (struct sam_array){.dtype = a->array.dtype,
                                       .rank = a->array.rank - 1,
                                       .count = a->array.count / runs,
                                       .size = a->array.size / runs};
        memcpy(slices[i].shape, a->array.shape + 1, slices[i].rank * sizeof a->array.shape[0]);
        slices[i].data = (char *)a->array.data + index * slices[i].size;
    }
    int code = cli_code(
        sam_network_run(n->made, n->given, run->arguments.count, options, figures, &run->error),
        &run->error);
    for (size_t i = 0; i < run->arguments.count; i++) {
        struct run_argument *a = &run->arguments.items[i];
        if (!a->output)
            continue;
        if (code == CLI_OK && slices[i].data)
            memcpy((char *)a->array.data + index * slices[i].size, slices[i].data, slices[i].size);
        sam_array_free(&slices[i]);
    }
    free(slices);
    return code;
}

static int run_all(struct run *run, const struct sam_network_run_options *options,
                   struct sam_network_figures **figures)
{
    struct network *n = run->network;
    const uint64_t runs = run->command->network.runs;
    size_t count = 0;
    int code = CLI_OK;
    for (size_t i = 0; runs && i < run->arguments.count && code == CLI_OK; i++) {
        struct run_argument *a = &run->arguments.items[i];
        if (a->output && !(a->array.data = calloc(a->array.size + 1, 1)))
            code = cli_no_memory();
    }
    for (uint64_t i = 0; i < runs && code == CLI_OK; i++) {
        sam_network_figures_free(*figures);
        *figures = NULL;
        code = run_slice(run, options, i, figures);
    }
    if (runs || code != CLI_OK)
        return code;
    for (size_t i = 0; i < run->arguments.count; i++)
        n->given[count++] = (struct sam_network_array){run->arguments.items[i].name,
                                                       &run->arguments.items[i].array};
    for (size_t i = 0; i < n->reference_count; i++)
        n->given[count++] =
            (struct sam_network_array){n->references[i].name, &n->references[i].found};
    return cli_code(sam_network_run(n->made, n->given, count, options, figures, &run->error),
                    &run->error);
}

/* --------------------------------------------------------------------------------- reports */

static int write_report(struct run *run, const struct sam_network_figures *figures,
                        const char *path, enum sam_network_format format)
{
    char *text = NULL;
    if (!path)
        return CLI_OK;
    enum sam_status status =
        sam_network_report(figures, run->request->files.items[0], format, &text, &run->error);
    if (status == SAM_OK)
        status = sam_file_save(path, text, strlen(text), &run->error);
    sam_text_free(text);
    return cli_code(status, &run->error);
}

static int report(struct run *run, const struct sam_network_figures *figures)
{
    const struct network_request *asked = &run->command->network;
    char *text = NULL;
    const bool json = run->json_checks != NULL;
    if (sam_network_report(figures, run->request->files.items[0],
                           json ? SAM_NETWORK_JSON : SAM_NETWORK_TEXT, &text,
                           &run->error) != SAM_OK)
        return cli_report(&run->error);
    if (json)
        run->report = json_loads(text, 0, NULL);
    else if (!run->request->quiet)
        fputs(text, run->text);
    sam_text_free(text);
    return write_report(run, figures, asked->html, SAM_NETWORK_HTML)
               ?: write_report(run, figures, asked->perfetto, SAM_NETWORK_PERFETTO);
}

static int execute(struct run *run)
{
    const struct network_request *asked = &run->command->network;
    const struct sam_network_run_options options = {.size = sizeof options,
                                                    .system = asked->system,
                                                    .sum_order = SAM_TILE_SUM_SYSTEM,
                                                    .timing = asked->cycles,
                                                    .raw_weights =
                                                        run->command->system.time.compare,
                                                    .config = run->command->system.time.config,
                                                    .stop = cli_stop_flag(),
                                                    .progress = show_progress,
                                                    .context = run};
    struct sam_network_figures *figures = NULL;
    if ((asked->list || run->command->tile.emit) && run->arguments.count == 0)
        return CLI_OK;
    cli_progress_start(&run->progress, run->request->quiet);
    int code = run_all(run, &options, &figures);
    cli_progress_clear(&run->progress);
    code = code ?: report(run, figures);
    if (code == CLI_OK && asked->bisect)
        code = compare_references(run);
    code = code ?: run_checks_compare(run) ?: run_arguments_write(&run->arguments);
    if (run->report)
        run->report = report_set(run->report, "checks", json_incref(run->json_checks));
    sam_network_figures_free(figures);
    return code;
}

static void close_network(struct run *run)
{
    struct network *n = run->network;
    free_references(n);
    sam_network_close(n->made);
    free(n->given);
}

const struct machine machine_network = {
    .size = sizeof(struct network),
    .check = check,
    .writes_stdout = writes_stdout,
    .arguments = arguments,
    .open = open_network,
    .execute = execute,
    .close = close_network,
};
