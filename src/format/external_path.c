/* SPDX-License-Identifier: Apache-2.0 */
/* External data files of a model. Only files in the model's folder or below are opened. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/format.h"

static int fail(struct sam_error *error, enum sam_status status, const char *path,
                const char *location, const char *what)
{
    sam_fail(error, status, "%s: external data '%.200s': %s", path, location, what);
    return -1;
}

/* Resolve the folder of `path` and `location` in it, following symbolic links. Returns false with
 * errno. The caller frees both strings. */
static bool resolve(const char *path, const char *location, char **folder, char **place)
{
    const char *slash = strrchr(path, '/');
    struct sam_buffer text = {0};
    char *named = slash == path ? sam_strdup("/")
                  : slash       ? sam_strndup(path, (size_t)(slash - path))
                                : sam_strdup(".");
    *folder = named ? realpath(named, NULL) : NULL;
    *place = NULL;
    if (*folder && sam_buffer_printf(&text, "%s/%s", *folder, location))
        *place = realpath((char *)text.data, NULL);
    const int reason = errno;
    sam_buffer_free(&text);
    free(named);
    errno = reason;
    return *place != NULL;
}

static bool is_within(const char *place, const char *folder)
{
    const size_t size = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(place, folder, size) == 0 && place[size] == '/';
}

int sam_onnx_open_external(const char *path, const char *location, uint64_t *size,
                           struct sam_error *error)
{
    char *folder = NULL, *place = NULL;
    struct stat status;
    int file = -1;
    if (strcmp(path, "-") == 0)
        return fail(error, SAM_ERR_INPUT, path, location, "a model from a pipe has no folder");
    if (!resolve(path, location, &folder, &place))
        fail(error, SAM_ERR_IO, path, location, strerror(errno));
    else if (!is_within(place, folder))
        fail(error, SAM_ERR_INPUT, path, location,
             "a link that leaves the folder: expected a file in it");
    else if (stat(place, &status) != 0)
        fail(error, SAM_ERR_IO, path, location, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        fail(error, SAM_ERR_INPUT, path, location, "not a regular file");
    else if ((file = open(place, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) < 0 ||
             fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        fail(error, SAM_ERR_IO, path, location, "it changed while it was opened");
        if (file >= 0)
            close(file);
        file = -1;
    } else {
        *size = (uint64_t)status.st_size;
    }
    free(folder);
    free(place);
    return file;
}
