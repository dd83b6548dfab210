/* SPDX-License-Identifier: Apache-2.0 */

#include <stdlib.h>
#include <sys/stat.h>

#include "cli.h"
#include "samite/cc.h"
#include "samite/file.h"

/* An existing file is identified by device and number, whatever its name; a new one by its
 * folder and its name there. */
struct identity {
    dev_t device;
    ino_t number;
    const char *name; /* NULL: it exists */
};

struct file {
    char *path;
    bool written;
    struct identity is;
};

struct cli_files {
    struct file *items;
    size_t count;
};

struct cli_files *cli_files_new(void)
{
    return calloc(1, sizeof(struct cli_files));
}

void cli_files_free(struct cli_files *files)
{
    for (size_t i = 0; files && i < files->count; i++)
        free(files->items[i].path);
    if (files)
        free(files->items);
    free(files);
}

/* False: standard input or output, a device, a pipe, or a path that cannot be created. `path` is
 * temporarily cut. */
static bool identify(char *path, struct identity *is)
{
    struct stat status;
    *is = (struct identity){0};
    if (cli_is_stdio(path))
        return false;
    if (stat(path, &status) == 0) {
        *is = (struct identity){status.st_dev, status.st_ino, NULL};
        return S_ISREG(status.st_mode);
    }
    char *slash = strrchr(path, '/');
    is->name = slash ? slash + 1 : path;
    char first = slash ? slash[1] : '\0';
    if (slash)
        slash[1] = '\0';
    bool good = stat(slash ? path : ".", &status) == 0;
    if (slash)
        slash[1] = first;
    is->device = status.st_dev;
    is->number = status.st_ino;
    return good;
}

static bool same(const struct identity *a, const struct identity *b)
{
    if (a->device != b->device || a->number != b->number)
        return false;
    return a->name && b->name ? strcmp(a->name, b->name) == 0 : a->name == b->name;
}

const char *cli_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool cli_same_file(const char *output, const char *input)
{
    struct stat to, from;
    return !cli_is_stdio(output) && !cli_is_stdio(input) && stat(output, &to) == 0 &&
           S_ISREG(to.st_mode) && stat(input, &from) == 0 && from.st_dev == to.st_dev &&
           from.st_ino == to.st_ino;
}

static int clash(const struct file *a, const struct file *b)
{
    const struct file *output = a->written ? a : b, *other = a->written ? b : a;
    return cli_error("%.400s: the output is the %s %.400s", output->path,
                     other->written ? "output" : "input", other->path);
}

static int add(const struct cli_args *args, const char *path, bool written)
{
    if (!path)
        return CLI_OK;
    struct cli_files *files = args->files;
    struct file file = {.path = strdup(path), .written = written};
    struct file *items = realloc(files->items, (files->count + 1) * sizeof *items);
    if (items)
        files->items = items;
    if (!items || !file.path) {
        free(file.path);
        return cli_no_memory();
    }
    if (!identify(file.path, &file.is)) {
        free(file.path);
        return CLI_OK;
    }
    files->items[files->count++] = file;
    for (size_t i = 0; i + 1 < files->count; i++)
        if ((written || files->items[i].written) && same(&files->items[i].is, &file.is))
            return clash(&file, &files->items[i]);
    return CLI_OK;
}

int cli_reads(const struct cli_args *args, const char *path)
{
    return add(args, path, false);
}

void cli_reads_included(void *context, const char *path)
{
    struct cli_included *included = context;
    if (included->code == CLI_OK)
        included->code = cli_reads(included->args, path);
}

int cli_reads_all(const struct cli_args *args, const struct cli_list *paths, size_t count)
{
    int code = CLI_OK;
    for (size_t i = 0; i < count && code == CLI_OK; i++)
        code = cli_reads(args, paths->items[i]);
    return code;
}

int cli_writes(const struct cli_args *args, const char *path)
{
    return add(args, path, true);
}

int cli_changes(const struct cli_args *args, const char *input, const char *output)
{
    const bool same_place = output && cli_same_file(output, input);
    return add(args, output, true) ?: add(args, same_place ? NULL : input, false);
}

int cli_load(const char *path, uint64_t most, char **data, size_t *size)
{
    struct sam_error error;
    return cli_code(sam_file_load(path, most, data, size, &error), &error);
}

int cli_save(const char *path, const void *data, size_t size)
{
    struct sam_error error;
    return cli_code(sam_file_save(path, data, size, &error), &error);
}

/* ------------------------------------------------------------------ outputs that were not kept */

bool cli_any_failed(struct sam_output *const outputs[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (outputs[i] && sam_output_failed(outputs[i]))
            return true;
    return false;
}

int cli_drop_output(struct sam_output *output)
{
    struct sam_error error;
    if (cli_any_failed(&output, 1))
        return sam_output_commit(output, &error) == SAM_OK ? CLI_OK : cli_report(&error);
    sam_output_abort(output);
    return CLI_OK;
}

/* -------------------------------------------------------------------- where text is expected */

/* Formats by their first bytes. */
static const struct kind {
    const char *magic; /* the first bytes */
    size_t size;
    const char *name;
    const char *use; /* where the command takes such a file; NULL: see `expected` */
} kinds[] = {
#define KIND(magic, name, use)                                                                     \
    {                                                                                              \
        magic, sizeof magic - 1, name, use                                                         \
    }
    KIND("\177ELF", "an ELF file", NULL),
    KIND("\x93NUMPY", "a NumPy array", "an argument: --arg in:FILE.npy"),
    KIND("\x89SMW\r\n\x1a\n", "packed weights", "an argument: --arg packed:FILE.smw:TENSOR"),
    KIND("GGUF", "a GGUF model", "samite pack, info and stat read it"),
    KIND("PK\3\4", "a zip archive", "samite pack and info read those of PyTorch"),
    KIND("!<arch>\n", "an archive of object files", "link it into an executable"),
    KIND("BC\xc0\xde", "LLVM bitcode", "compile it to an executable"),
#undef KIND
};

enum sam_status cli_expect_text(const char *name, const char *data, size_t size,
                                const char *expected, struct sam_error *error)
{
    static const struct kind source = {.name = "OpenCL C", .use = "samite cc compiles it"};
    for (size_t i = 0; i <= sizeof kinds / sizeof kinds[0]; i++) {
        const bool last = i == sizeof kinds / sizeof kinds[0];
        const struct kind *kind = last ? &source : &kinds[i];
        if (last ? !sam_cc_is_source(name)
                 : size < kind->size || memcmp(data, kind->magic, kind->size) != 0)
            continue;
        error->status = SAM_ERR_INPUT;
        snprintf(error->text, sizeof error->text, "%.400s: %s%s%s%s: expected %s", name, kind->name,
                 kind->use ? " (" : "", kind->use ? kind->use : "", kind->use ? ")" : "", expected);
        return SAM_ERR_INPUT;
    }
    return SAM_OK;
}
