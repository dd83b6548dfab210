/* SPDX-License-Identifier: Apache-2.0 */
/* Where text goes as it is made: logs, traces, what a program prints. */
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
