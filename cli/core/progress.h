/* SPDX-License-Identifier: Apache-2.0 */
/* One line on a terminal that says how far something long has come. */
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
/* Is it time for a new line? Not in the first half second, and five times a second after it. */
bool cli_progress_due(struct cli_progress *progress);
/* "what: 3 of 4096 units, 0 %, 12.3 M things/s, 1:02 left"; `count` things since the start. With a
 * total of 0, which is not known: "what: 3 units, 12.3 M things/s". */
void cli_progress_show(struct cli_progress *progress, const char *what, uint64_t done,
                       uint64_t total, const char *units, uint64_t count, const char *things);
/* Take the line away, before something else is printed and at the end. May be called by another
 * thread than the others. */
void cli_progress_clear(struct cli_progress *progress);

/* Bytes of a file, piece by piece, on the same line. From 64 MiB on it is shown at once, and when
 * all is done. Begin with {.what = "pack", .total = size}; what: NULL shows nothing. */
struct cli_bytes {
    const char *what;
    uint64_t done, total;
    bool begun;
    struct cli_progress line;
};
void cli_bytes_add(struct cli_bytes *bytes, uint64_t more);
/* Take the line away; the next piece may bring it back. */
void cli_bytes_end(struct cli_bytes *bytes);

#endif
