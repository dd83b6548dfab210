/* SPDX-License-Identifier: Apache-2.0 */
#include "weights.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

/* Feed the file to the unpacker piece by piece and keep the totals in `fed`. */
static bool feed(int file, const char *path, struct sam_unpacker *unpacker,
                 struct cli_bytes *progress, struct weights_fed *fed, struct sam_error *error)
{
    uint8_t *piece = malloc(PIECE), header[64]; /* contains the restored size */
    long got = 0;
    bool good = piece != NULL;
    if (!good)
        cli_fail(error, SAM_ERR_MEMORY, path, "out of memory");
    while (good && (got = weights_read_from(file, path, piece, PIECE, error)) > 0) {
        for (size_t i = 0; i < (size_t)got && fed->packed + i < sizeof header; i++)
            header[fed->packed + i] = piece[i];
        fed->packed += (uint64_t)got;
        good = sam_unpacker_write(unpacker, piece, (size_t)got, error) == SAM_OK;
        cli_bytes_add(progress, (uint64_t)got);
        if (!good)
            weights_name_error(path, error);
    }
    free(piece);
    good = good && got == 0;
    if (good && sam_unpacker_finish(unpacker, error) != SAM_OK) {
        weights_name_error(path, error);
        good = false;
    }
    return good && sam_unpack_size(header, sizeof header, &fed->bytes, error) == SAM_OK;
}

bool weights_feed(const char *path, const char *what, const struct sam_codec_options *options,
                  struct sam_sink sink, struct weights_fed *fed, struct sam_error *error)
{
    int file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct sam_unpacker *unpacker = NULL;
    struct stat status;
    *fed = (struct weights_fed){0};
    if (file < 0) {
        return cli_fail(error, SAM_ERR_INPUT, path, "cannot open: %s", strerror(errno));
    }
    struct cli_bytes progress = {.what = what};
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode))
        progress.total = (uint64_t)status.st_size;
    bool good = sam_unpacker_open(options, sink, &unpacker, error) == SAM_OK &&
                feed(file, path, unpacker, &progress, fed, error);
    cli_bytes_end(&progress);
    sam_unpacker_close(unpacker);
    if (file != STDIN_FILENO)
        close(file);
    return good;
}

bool weights_packed_start(struct weights_packed *file, const struct sam_codec_options *options,
                          struct sam_error *error)
{
    struct weights_input *in = &file->input;
    enum sam_status status;
    file->size = in->is_plain ? in->size : in->prefix_size;
    if (in->is_plain)
        status = sam_packed_open_source(weights_source(in), options, &file->packed, error);
    else
        status = sam_packed_open(in->prefix, in->prefix_size, options, &file->packed, error);
    if (status != SAM_OK)
        weights_name_error(in->path, error);
    return status == SAM_OK;
}

bool weights_packed_open(const char *path, const struct sam_codec_options *options,
                         struct weights_packed *file, struct sam_error *error)
{
    *file = (struct weights_packed){0};
    if (weights_open(path, &(struct weights_hint){0}, &file->input, error) &&
        weights_packed_start(file, options, error))
        return true;
    weights_packed_close(file);
    return false;
}

void weights_packed_close(struct weights_packed *file)
{
    sam_packed_close(file->packed);
    weights_close(&file->input);
    file->packed = NULL;
}
