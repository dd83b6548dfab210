/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises models: files whose tensors sam_model_open finds. */
#include <fcntl.h>
#include <unistd.h>

#include "weights.h"

/* The first bytes of a zip archive, and of a checkpoint of PyTorch before 1.6. */
static const uint8_t archive[] = {'P', 'K', 3, 4},
                     legacy[] = {0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20};

static bool is_named_checkpoint(const char *path)
{
    return weights_ends_with(path, ".pt .pth .bin .ckpt") || strcmp(path, "-") == 0 ||
           strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/self/fd/", 14) == 0;
}

bool weights_begin_checkpoint(const char *path, const void *data, size_t size)
{
    return is_named_checkpoint(path) &&
           ((size >= sizeof archive && memcmp(data, archive, sizeof archive) == 0) ||
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
