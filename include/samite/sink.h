/* SPDX-License-Identifier: Apache-2.0 */
/* Destinations for text as it is produced: logs, traces, a program's prints. The library calls a
 * sink from one thread at a time, but not always from the same thread. */
#ifndef SAMITE_SINK_H
#define SAMITE_SINK_H

#include <stdbool.h>
#include <stddef.h>

/* `write` returns false to stop the run (SAM_ERR_IO). */
struct sam_sink {
    bool (*write)(void *context, const void *data, size_t size);
    void *context;
};

#endif
