/* SPDX-License-Identifier: Apache-2.0 */
/* samite merge: join the parts of a packed file, written by several processes. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weights.h"

struct request {
    const struct cli_args *args;
    struct cli_list paths;
    const char *output;
    bool force, remove, json, quiet;
};

/* The parts, one open at a time: there may be more than the limit on open files. */
struct parts {
    struct weights_list list;
    struct sam_source *sources;
    struct part {
        struct parts *all;
        size_t index;
    } * parts;
    size_t opened; /* SIZE_MAX: none */
    int file;
    struct sam_output *output;
    struct cli_bytes progress;
    uint64_t written;
};

/* struct sam_source.read */
static bool read_part(void *context, uint64_t offset, void *data, size_t size)
{
    struct part *part = context;
    struct parts *all = part->all;
    if (all->opened != part->index) {
        if (all->file >= 0)
            close(all->file);
        all->file = open(all->list.paths[part->index], O_RDONLY | O_CLOEXEC);
        all->opened = all->file >= 0 ? part->index : SIZE_MAX;
    }
    return all->file >= 0 && !cli_stopped() && weights_read_at(all->file, offset, data, size);
}

static bool write_joined(void *context, const void *data, size_t size)
{
    struct parts *all = context;
    all->written += size;
    cli_bytes_add(&all->progress, size);
    return sam_output_write(all->output, data, size);
}

static bool list_parts(const struct request *r, struct weights_list *list, struct sam_error *error)
{
    if (r->paths.count == 1 && !weights_part_stem(r->paths.items[0]))
        return weights_find_parts(r->paths.items[0], list, error);
    list->paths = calloc(r->paths.count, sizeof *list->paths);
    for (size_t i = 0; list->paths && i < r->paths.count; i++) {
        list->paths[i] = strdup(r->paths.items[i]);
        list->count += list->paths[i] != NULL;
    }
    return list->count == r->paths.count ||
           cli_fail(error, SAM_ERR_MEMORY, r->paths.items[0], "out of memory");
}

static bool open_parts(struct parts *all, struct sam_error *error)
{
    struct stat status;
    all->sources = calloc(all->list.count, sizeof *all->sources);
    all->parts = calloc(all->list.count, sizeof *all->parts);
    if (!all->sources || !all->parts)
        return cli_fail(error, SAM_ERR_MEMORY, all->list.paths[0], "out of memory");
    for (size_t i = 0; i < all->list.count; i++) {
        const char *path = all->list.paths[i];
        if (stat(path, &status) != 0)
            return cli_fail(error, SAM_ERR_IO, path, "%s", strerror(errno));
        if (!S_ISREG(status.st_mode))
            return cli_fail(error, SAM_ERR_INPUT, path, "not a regular file");
        all->parts[i] = (struct part){all, i};
        all->sources[i] = (struct sam_source){read_part, &all->parts[i], (uint64_t)status.st_size};
        all->progress.total += (uint64_t)status.st_size;
    }
    return true;
}

static bool join(const struct request *r, struct parts *all, const char *output,
                 struct sam_error *error)
{
    for (size_t i = 0; i < all->list.count; i++)
        if (!weights_may_replace(output, all->list.paths[i], r->force || i > 0, error))
            return false;
    all->output = weights_create(output, all->list.paths[0], error);
    if (!all->output)
        return false;
    const bool good =
        sam_pack_join(all->sources, (const char *const *)all->list.paths, all->list.count,
                      (struct sam_sink){write_joined, all}, error) == SAM_OK;
    cli_bytes_end(&all->progress);
    if (!good && cli_stopped())
        *error = (struct sam_error){.status = SAM_ERR_STOPPED, .text = "stopped"};
    return weights_finish(all->output, good, error);
}

static int merge(const struct request *r, struct parts *all, char **output)
{
    struct sam_error error = {0};
    if (!list_parts(r, &all->list, &error))
        return cli_report(&error);
    const char *first = all->list.paths[0];
    const size_t stem = weights_part_stem(first);
    if (!r->output && !stem)
        return cli_usage_error(r->args, "no output: use -o FILE");
    *output = r->output ? strdup(r->output) : strndup(first, stem);
    if (!*output)
        return cli_no_memory();
    if (!open_parts(all, &error) || !join(r, all, *output, &error))
        return cli_report(&error);
    for (size_t i = 0; r->remove && i < all->list.count; i++)
        unlink(all->list.paths[i]);
    if (r->quiet && !r->json)
        return CLI_OK;
    json_t *files = r->json ? json_array() : NULL;
    json_t *row = REPORT(TEXT("packed_file", *output), COUNT("parts", all->list.count),
                         COUNT("packed", all->written));
    const bool good =
        report_row(files, "{packed_file}: {parts} parts, {packed} bytes\n", row, &error);
    return cli_json_end(r->json, files, good ? CLI_OK : cli_report(&error));
}

static int run(struct cli_args *args)
{
    struct request r = {.args = args};
    int code = cli_read(args, &r);
    if (code != CLI_OK)
        return code;
    if (r.json && r.output && strcmp(r.output, "-") == 0)
        return cli_usage_error(args, "--json and the output cannot both go to standard output");
    if (r.output && strcmp(r.output, "-") == 0)
        r.quiet = true;
    struct parts all = {
        .opened = SIZE_MAX, .file = -1, .progress = {.what = r.quiet ? NULL : "merge"}};
    char *output = NULL;
    code = merge(&r, &all, &output);
    if (all.file >= 0)
        close(all.file);
    weights_list_free(&all.list);
    free(all.sources);
    free(all.parts);
    free(output);
    return code;
}

static const struct cli_option options[] = {
    CLI_OUTPUT(struct request, output, "the packed file (the name of a part without its number)"),
    CLI_ROW(struct request, remove, "remove", CLI_FLAG, NULL,
            "remove the parts once they are joined"),
    CLI_FORCE(struct request, force),
    CLI_JSON(struct request, json, "print the result as JSON"),
    CLI_QUIET(struct request, quiet, "no progress, no line at the end"),
    {0},
};

const struct cli_verb verb_merge = {
    .name = "merge",
    .summary = "join the parts of a packed file",
    .usage = "[options] FILE" PACKED_SUFFIX "|PART...",
    .options = options,
    .operand = CLI_OPERAND(struct request, paths, "packed file or part", CLI_LIST, 1, 0, ""),
    .details =
        "Joins the parts of one file, made by samite pack --part, into the packed file that one\n"
        "process would have made, byte for byte. The parts of FILE" PACKED_SUFFIX " are\n"
        "FILE" PACKED_SUFFIX
        ".part-I-of-N in the same folder. A part that is missing, given twice,\n"
        "damaged, or made of another file or with other options is an error, and nothing is\n"
        "written.\n",
    .examples = "  samite pack --part 1/2 big.gguf & samite pack --part 2/2 big.gguf; wait\n"
                "  samite merge --remove big.gguf.smw\n",
    .run = run,
};
