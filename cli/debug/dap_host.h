/* SPDX-License-Identifier: Apache-2.0 */
/* The Debug Adapter Protocol on standard input and output. */
#ifndef DAP_HOST_H
#define DAP_HOST_H

#include "dap.h"

/* Runs the words of a command line with the driver; the exit code, with failures printed. */
typedef int dap_runner(char **words, int count, struct debug_options *options,
                       const struct run_driver *driver);

/* Serve the protocol until the client disconnects; the exit code, with a failure printed. Output
 * of programs becomes events. */
int dap_host_serve(dap_runner *runner);

#endif
