/* SPDX-License-Identifier: Apache-2.0 */
#include "weights.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_READ = 4096 };
static const size_t most_unknown = (size_t)1 << 32; /* bytes of a stream held in memory */

void weights_name_error(const char *path, struct sam_error *error)
{
    char text[sizeof error->text];
    size_t length = strlen(path);
    if (error->status == SAM_ERR_STOPPED ||
        (strncmp(error->text, path, length) == 0 && error->text[length] == ':'))
        return;
    snprintf(text, sizeof text, "%.400s: %.600s", path, error->text);
    memcpy(error->text, text, sizeof text);
}

int weights_parse_type(struct cli_args *args, const struct cli_option *option, const char *text,
                       void *place)
{
    struct weights_hint *hint = place;
    (void)option;
    hint->has_type = sam_dtype_parse(text, &hint->type);
    if (hint->has_type)
        return CLI_OK;
    struct cli_near near = {.wanted = text};
    char names[256];
    size_t used = 0;
    for (size_t t = 0; t < SAM_DTYPES && used < sizeof names; t++) {
        used += (size_t)snprintf(names + used, sizeof names - used, t ? " %s" : "%s",
                                 weights_type_name(t));
        cli_near_offer(&near, weights_type_name(t));
    }
    return cli_usage_error(args, "unknown type '%s': expected one of %s%s", text, names,
                           cli_near_text(&near));
}

int weights_parse_shape(struct cli_args *args, const struct cli_option *option, const char *text,
                        void *place)
{
    struct weights_hint *hint = place;
    char *rest = cli_own_text(args, text);
    bool good = rest != NULL;
    (void)option;
    hint->rank = 0;
    for (char *word; good && (word = strsep(&rest, ",x"));) {
        good = hint->rank < SAM_WEIGHT_RANK && sam_parse_u64(word, &hint->shape[hint->rank]);
        hint->rank++;
    }
    hint->has_shape = good;
    return good ? CLI_OK
                : cli_usage_error(args, "invalid shape '%s': expected N,N... (64,128)", text);
}

const char *weights_type_name(size_t index)
{
    return index < SAM_DTYPES ? sam_dtype_name((enum sam_dtype)index) : NULL;
}

/* A signal interrupts a wait, but not a read. */
long weights_read_from(int file, const char *path, void *data, size_t room, struct sam_error *error)
{
    struct pollfd wait = {.fd = file, .events = POLLIN};
    ssize_t got = -1;
    while (!cli_stopped() && got < 0) {
        if (poll(&wait, 1, -1) > 0)
            got = read(file, data, room);
        if (got < 0 && errno != EINTR) {
            cli_fail(error, SAM_ERR_IO, path, "cannot read: %s", strerror(errno));
            return -1;
        }
    }
    if (got < 0 || cli_stopped()) {
        cli_fail(error, SAM_ERR_STOPPED, NULL, "stopped");
        return -1;
    }
    return (long)got;
}

/* Read until `size` bytes are held or the file ends; false on a read error. */
static bool bring(struct weights_input *in, size_t size, struct sam_error *error)
{
    uint8_t *grown = realloc(in->prefix, size ? size : 1);
    if (!grown)
        return cli_fail(error, SAM_ERR_MEMORY, in->path, "out of memory");
    in->prefix = grown;
    while (in->prefix_size < size) {
        long got = weights_read_from(in->file, in->path, in->prefix + in->prefix_size,
                                     size - in->prefix_size, error);
        if (got < 0)
            return false;
        if (got == 0)
            break;
        in->prefix_size += (size_t)got;
    }
    return true;
}

/* Apply a type from the command line: to elements of the same width, or to a raw file. */
static bool apply_hint(const struct weights_hint *hint, struct weights_input *in,
                       struct sam_error *error)
{
    struct sam_weights *weights = &in->weights;
    struct sam_weight *w = weights->tensors;
    if (!hint->has_type && !hint->has_shape)
        return true;
    if (weights->kind != SAM_WEIGHTS_RAW && weights->kind != SAM_WEIGHTS_NPY)
        return cli_fail(error, SAM_ERR_USAGE, in->path,
                        "--dtype and --shape are for npy and raw files");
    size_t before = sam_dtype_bits(w->type);
    if (hint->has_type)
        w->type = hint->type;
    size_t bits = sam_dtype_bits(w->type);
    if (hint->has_shape && w->type == SAM_OPAQUE)
        return cli_fail(error, SAM_ERR_USAGE, in->path, "--shape requires --dtype");
    if (hint->has_shape) {
        w->rank = hint->rank;
        memcpy(w->shape, hint->shape, sizeof w->shape);
    } else if (bits != before) {
        if (weights->kind == SAM_WEIGHTS_NPY && !(before == 8 && bits < 8))
            return cli_fail(error, SAM_ERR_USAGE, in->path,
                            "the element width differs from that of: %s", sam_dtype_name(w->type));
        w->rank = 1;
        w->shape[0] = w->size * 8 / bits;
    }
    struct sam_error why = {0};
    if (sam_weights_check(weights, &why) != SAM_OK)
        return cli_fail(error, SAM_ERR_USAGE, in->path, "%s", why.text);
    return true;
}

bool weights_read_at(int file, uint64_t offset, void *data, size_t size)
{
    uint8_t *out = data;
    while (size) {
        ssize_t got = pread(file, out, size, (off_t)offset);
        if (got <= 0 && !(got < 0 && errno == EINTR && !cli_stopped()))
            return false;
        size_t more = got > 0 ? (size_t)got : 0;
        out += more;
        offset += more;
        size -= more;
    }
    return true;
}

/* struct sam_source.read */
static bool read_file(void *context, uint64_t offset, void *data, size_t size)
{
    return weights_read_at(((const struct weights_input *)context)->file, offset, data, size);
}

static bool read_prefix(void *context, uint64_t offset, void *data, size_t size)
{
    const struct weights_input *in = context;
    memcpy(data, in->prefix + offset, size);
    return true;
}

struct sam_source weights_source(const struct weights_input *in)
{
    return in->is_plain ? (struct sam_source){read_file, (void *)(uintptr_t)in, in->size}
                        : (struct sam_source){read_prefix, (void *)(uintptr_t)in, in->prefix_size};
}

/* The tensors of a checkpoint, whose directory is at its end: of a file, or of a pipe that was
 * read completely. A pipe without a checkpoint stays raw. */
static bool find_checkpoint(struct weights_input *in, struct sam_error *error)
{
    struct sam_weights weights;
    if (sam_torch_weights(weights_source(in), in->path, &weights, error) != SAM_OK)
        return !in->is_plain;
    sam_weights_free(&in->weights);
    in->weights = weights;
    return true;
}

/* Read until the parser has enough. */
static bool find_tensors(struct weights_input *in, uint64_t file_size, struct sam_error *error)
{
    size_t need = FIRST_READ;
    for (;;) {
        size_t before = in->prefix_size;
        if (!bring(in, need, error))
            return false;
        bool ended = in->prefix_size < need;
        if (ended)
            file_size = in->prefix_size;
        enum sam_weights_kind kind = sam_weights_kind_of(in->prefix, in->prefix_size, in->path);
        if (kind == SAM_WEIGHTS_RAW && file_size == UINT64_MAX) {
            if (in->is_device)
                return cli_fail(error, SAM_ERR_INPUT, in->path,
                                "is a device: expected a file or a pipe");
            if (need > most_unknown)
                return cli_fail(
                    error, SAM_ERR_INPUT, in->path,
                    "a pipe of more than 4 GiB without a known length: give the file name");
            need = in->prefix_size * 2; /* read to the end */
            continue;
        }
        if (sam_weights_parse(kind, in->prefix, in->prefix_size, file_size, in->path, &in->weights,
                              &need, error) != SAM_OK)
            return false;
        in->is_stream = file_size == UINT64_MAX;
        if (need <= in->prefix_size)
            return true;
        if (ended && before == in->prefix_size)
            return cli_fail(error, SAM_ERR_INPUT, in->path, "truncated in its header");
    }
}

bool weights_open(const char *path, const struct weights_hint *hint, struct weights_input *in,
                  struct sam_error *error)
{
    struct stat status;
    *in = (struct weights_input){.path = path, .file = -1};
    in->file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (in->file < 0 || fstat(in->file, &status) != 0)
        return cli_fail(error, SAM_ERR_IO, path, "cannot open: %s", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return cli_fail(error, SAM_ERR_IO, path, "cannot open: %s", strerror(EISDIR));
    /* Standard input may be a partly read file. */
    off_t at = S_ISREG(status.st_mode) ? lseek(in->file, 0, SEEK_CUR) : -1;
    in->is_plain = at == 0;
    in->is_device = S_ISCHR(status.st_mode);
    in->size = at >= 0 && at <= status.st_size ? (uint64_t)(status.st_size - at) : UINT64_MAX;
    return find_tensors(in, in->size, error) &&
           (hint->has_type || in->weights.kind != SAM_WEIGHTS_RAW ||
            !weights_begin_checkpoint(path, in->prefix, in->prefix_size) ||
            find_checkpoint(in, error)) &&
           apply_hint(hint, in, error);
}

bool weights_is_packed(const struct weights_input *in)
{
    static const uint8_t magic[] = {0x89, 'S', 'M', 'W', '\r', '\n', 0x1a, '\n'};
    return in->prefix_size >= sizeof magic && memcmp(in->prefix, magic, sizeof magic) == 0;
}

bool weights_are_unpacked(const struct weights_input *in, const char *text, struct sam_error *error)
{
    return !weights_is_packed(in) || cli_fail(error, SAM_ERR_INPUT, in->path, "%s", text);
}

void weights_close(struct weights_input *in)
{
    if (in->file > STDIN_FILENO)
        close(in->file);
    free(in->prefix);
    sam_weights_free(&in->weights);
    *in = (struct weights_input){.file = -1};
}

long weights_read(struct weights_input *in, void *data, size_t room, struct sam_error *error)
{
    size_t left = in->prefix_size - in->prefix_given;
    if (left) {
        size_t take = left < room ? left : room;
        memcpy(data, in->prefix + in->prefix_given, take);
        in->prefix_given += take;
        return (long)take;
    }
    return weights_read_from(in->file, in->path, data, room, error);
}

bool weights_may_write(const char *path, const char *input, struct sam_error *error)
{
    if (strcmp(path, "-") == 0)
        return true;
    if (cli_same_file(path, input))
        return cli_fail(error, SAM_ERR_USAGE, path, "the output is the input");
    cli_catch_signals();
    return true;
}

struct sam_output *weights_create(const char *path, const char *input, struct sam_error *error)
{
    struct sam_output *output = NULL;
    if (weights_may_write(path, input, error))
        sam_output_open_like(path, input, &output, error);
    return output;
}

bool weights_finish(struct sam_output *output, bool good, struct sam_error *error)
{
    if (output && (good || sam_output_failed(output)))
        return sam_output_commit(output, error) == SAM_OK && good;
    sam_output_abort(output);
    return false;
}

/* Ask the user at the terminal. */
static bool is_told_to(const char *path)
{
    fprintf(stderr, "samite: %s exists; overwrite it? (y/N) ", cli_plain(path).text);
    int first = getchar(), c = first;
    while (c != '\n' && c != EOF)
        c = getchar();
    return first == 'y' || first == 'Y';
}

bool weights_may_replace(const char *path, const char *input, bool force, struct sam_error *error)
{
    struct stat there;
    if (cli_same_file(path, input))
        return cli_fail(error, SAM_ERR_USAGE, path, "the output is the input");
    if (force || strcmp(path, "-") == 0 || stat(path, &there) != 0 || !S_ISREG(there.st_mode))
        return true;
    bool terminal = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    if (terminal && is_told_to(path))
        return true;
    return cli_fail(error, SAM_ERR_USAGE, path, "exists: use -f to overwrite it");
}

json_t *weights_row(const struct sam_weight *w)
{
    return REPORT(TEXT("name", w->name), TEXT("dtype", sam_dtype_name(w->type)),
                  TREE("shape", report_numbers(w->shape, w->rank)));
}

struct weights_name weights_name(const struct sam_weight *w)
{
    struct weights_name shown;
    bool gap = !*w->name && w->type == SAM_OPAQUE;
    snprintf(shown.text, sizeof shown.text, "%s", gap ? "(between tensors)" : w->name);
    sam_text_make_plain(shown.text);
    return shown;
}

/* -------------------------------------------- models: files whose tensors sam_model_open finds */

/* The first bytes of a zip archive, and of a checkpoint of PyTorch before 1.6. */
static const uint8_t archive[] = {'P', 'K', 3, 4},
                     legacy[] = {0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20};

static bool is_named_checkpoint(const char *path)
{
    return weights_ends_with(path, ".pt .pth .bin .ckpt") || strcmp(path, "-") == 0 ||
           strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/self/fd/", 14) == 0;
}

bool weights_begin_archive(const void *data, size_t size)
{
    return size >= sizeof archive && memcmp(data, archive, sizeof archive) == 0;
}

bool weights_begin_checkpoint(const char *path, const void *data, size_t size)
{
    return is_named_checkpoint(path) &&
           (weights_begin_archive(data, size) ||
            (size >= sizeof legacy && memcmp(data, legacy, sizeof legacy) == 0));
}

/* Examine regular files only: bytes read from a pipe would be missing later. */
static bool begins_checkpoint(const char *path)
{
    uint8_t start[sizeof legacy];
    const int file = weights_is_regular(path) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    const ssize_t got = file >= 0 ? read(file, start, sizeof start) : -1;
    if (file >= 0)
        close(file);
    return got > 0 && weights_begin_checkpoint(path, start, (size_t)got);
}

bool weights_are_model(const char *path)
{
    return weights_ends_with(path, ".onnx") || begins_checkpoint(path);
}

bool weights_are_checkpoint(const char *path, struct sam_error *error)
{
    struct weights_input in;
    if (weights_ends_with(path, ".onnx") || !begins_checkpoint(path))
        return false;
    const bool good = weights_open(path, &(struct weights_hint){0}, &in, error);
    weights_close(&in);
    return good;
}
