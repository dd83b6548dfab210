/* SPDX-License-Identifier: Apache-2.0 */
/* Host services for a program on the tensor hart: a console, files below one folder,
 * arguments and clocks. Programs ask for it by RISC-V semihosting (slli x0, x0, 0x1f; ebreak; srai
 * x0, x0, 7), as picolibc's do, by ecall, and by the system calls of `tohost` and `fromhost`, as
 * newlib's and those of riscv-tests do. docs/programs-in-c.md lists all calls.
 *
 *   sam_hostio_new(&(struct sam_hostio_options){.output = sink, .folder = "data"}, &io, &error);
 *   sam_hart_new(&(struct sam_hart_options){.hostio = io}, &hart, &error);
 *
 * It serves one hart at a time, and must outlive it. Since 0.2. */
#ifndef SAMITE_HOSTIO_H
#define SAMITE_HOSTIO_H

#include <stddef.h>

#include "sink.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sam_hostio;

struct sam_hostio_options {
    size_t size;        /* sizeof of this struct (status.h) */
    const char *folder; /* the program may open files below it; NULL: none. Paths are relative to
                           it; "..", absolute paths, symbolic links and anything but a regular
                           file are refused */
    const char *const *arguments; /* the command line, separated by spaces. picolibc makes them
                                     argv[1] and on; its argv[0] is a name of its own */
    size_t argument_count;
    struct sam_sink output, errors; /* write NULL: output is dropped */
    /* Up to `size` bytes of standard input; 0: it has ended. NULL: it is empty. */
    size_t (*input)(void *context, void *data, size_t size);
    void *input_context;
};

/* options may be NULL. Strings are copied. SAM_ERR_IO: the folder cannot be opened. */
SAM_API enum sam_status sam_hostio_new(const struct sam_hostio_options *options,
                                       struct sam_hostio **hostio, struct sam_error *error);
/* Closes the files that are open. */
SAM_API void sam_hostio_free(struct sam_hostio *hostio);

#ifdef __cplusplus
}
#endif
#endif
