/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a program whose results go to standard output. */
#ifndef SAMITE_KERNELS_FINISH_H
#define SAMITE_KERNELS_FINISH_H

#include <stdio.h>

/* `code`, or 2 with a message when not all of the output could be written. */
static inline int kernel_finish(const char *program, int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "%s: error: cannot write to standard output\n", program);
    return 2;
}

#endif
