/* SPDX-License-Identifier: Apache-2.0 */
/* A progress line on a terminal. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Seconds of a clock that only goes forward. */
double cli_now(void);

struct cli_progress {
    bool wanted;          /* standard error is a terminal, and --quiet was not given */
    double started, next; /* seconds; nothing is shown before `next` */
    atomic_bool shown;
};

void cli_progress_start(struct cli_progress *progress, bool quiet);
/* Whether a new line is due: not in the first half second, then five times a second. */
bool cli_progress_due(struct cli_progress *progress);
/* "what: 3 of 4096 units, 0 %, 12.3 M things/s, 1:02 left"; `count` things since the start. With
 * an unknown total, 0: "what: 3 units, 12.3 M things/s". */
void cli_progress_show(struct cli_progress *progress, const char *what, uint64_t done,
                       uint64_t total, const char *units, uint64_t count, const char *things);
/* Erase the line, before other output and at the end. May be called by another thread than the
 * others. */
void cli_progress_clear(struct cli_progress *progress);

/* Bytes of a file, piece by piece, on the same line. From 64 MiB on it appears at once, and at
 * the end. Begin with {.what = "pack", .total = size}; what: NULL shows nothing. */
struct cli_bytes {
    const char *what;
    uint64_t done, total;
    bool begun;
    struct cli_progress line;
};
void cli_bytes_add(struct cli_bytes *bytes, uint64_t more);
/* Erase the line; the next piece may print it again. */
void cli_bytes_end(struct cli_bytes *bytes);

#endif
