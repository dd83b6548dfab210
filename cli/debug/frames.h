/* SPDX-License-Identifier: Apache-2.0 */
/* Messages with a header, as the Debug Adapter Protocol and the Language Server Protocol have
 * them: "Content-Length: N", an empty line, and N bytes of JSON. */
#ifndef DEBUG_FRAMES_H
#define DEBUG_FRAMES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "samite/status.h"

enum { FRAMES_MAX_HEADER = 4096, FRAMES_MAX_BODY = 16 << 20 };

/* Read up to `size` bytes; 0: the end, or a failure. */
typedef size_t frames_read(void *context, char *bytes, size_t size);

struct frames {
    frames_read *read;
    void *context;
    char *data; /* unread input: bytes at..end */
    size_t at, end, room;
};

enum frames_result {
    FRAMES_MESSAGE, /* *message is an object */
    FRAMES_INVALID, /* the body is not an object in JSON: error says why; more may follow */
    FRAMES_END,     /* nothing follows */
    FRAMES_BROKEN,  /* the framing is wrong, so nothing can follow: error says why */
};

/* The next message, which the caller releases. */
enum frames_result frames_next(struct frames *frames, json_t **message, struct sam_error *error);
/* Release the memory of `frames`. */
void frames_free(struct frames *frames);
/* A message with its header, and its size; free() it. NULL on out-of-memory. */
char *frames_make(const json_t *message, size_t *size);

#endif
