/* SPDX-License-Identifier: Apache-2.0 */
#include "weights_packed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE = 1 << 20 };

/* "FILE: text" */
static void name_error(const char *path, struct sam_error *error)
{
    char text[sizeof error->text];
    snprintf(text, sizeof text, "%.400s: %.600s", path, error->text);
    memcpy(error->text, text, sizeof text);
}

bool weights_feed(const char *path, const struct sam_codec_options *options, struct sam_sink sink,
                  struct sam_error *error)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    struct sam_unpacker *unpacker = NULL;
    struct stat status;
    if (!file) {
        error->status = SAM_ERR_INPUT;
        snprintf(error->text, sizeof error->text, "%s: cannot open: %s", path, strerror(errno));
        return false;
    }
    struct weights_progress progress = {"unpack", 0, 0, -1};
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode))
        progress.total = (uint64_t)status.st_size;
    setvbuf(file, NULL, _IONBF, 0);
    uint8_t *piece = malloc(PIECE);
    bool good = piece && sam_unpacker_open(options, sink, &unpacker, error) == SAM_OK;
    while (good) {
        size_t got = fread(piece, 1, PIECE, file);
        if (got == 0)
            break;
        good = sam_unpacker_write(unpacker, piece, got, error) == SAM_OK;
        weights_progress(&progress, got);
    }
    if (good && ferror(file)) {
        good = false;
        error->status = SAM_ERR_INPUT;
        snprintf(error->text, sizeof error->text, "cannot read: %s", strerror(errno));
    } else if (good) {
        good = sam_unpacker_finish(unpacker, error) == SAM_OK;
    }
    if (!good)
        name_error(path, error);
    sam_unpacker_close(unpacker);
    free(piece);
    if (file != stdin)
        fclose(file);
    return good;
}

bool weights_packed_list(const char *path, struct weights_packed_list *list,
                         struct sam_error *error)
{
    struct weights_list all = {0};
    bool folder = weights_is_folder(path);
    *list = (struct weights_packed_list){0};
    if (folder && !weights_list(path, &all, error))
        return false;
    if (!folder) {
        all.paths = calloc(1, sizeof *all.paths);
        if (all.paths && (all.paths[0] = strdup(path)))
            all.count = 1;
    }
    size_t kept = 0;
    for (size_t i = 0; i < all.count; i++) {
        if (!folder || weights_ends_with(all.paths[i], PACKED_SUFFIX))
            all.paths[kept++] = all.paths[i];
        else
            free(all.paths[i]);
    }
    list->paths = all.paths;
    list->count = kept;
    if (kept)
        return true;
    weights_packed_list_free(list);
    error->status = SAM_ERR_INPUT;
    snprintf(error->text, sizeof error->text, "%s: no packed file (*%s) in it", path,
             PACKED_SUFFIX);
    return false;
}

void weights_packed_list_free(struct weights_packed_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (struct weights_packed_list){0};
}

bool weights_packed_open(const char *path, const struct sam_codec_options *options,
                         struct weights_file *file, struct sam_packed **packed,
                         struct sam_error *error)
{
    if (!weights_map(path, file, error))
        return false;
    if (sam_packed_open(file->data, file->size, options, packed, error) == SAM_OK)
        return true;
    name_error(path, error);
    weights_unmap(file);
    return false;
}

bool weights_is_gap(const struct sam_weight *w)
{
    return !*w->name && w->type == SAM_W_OPAQUE;
}
