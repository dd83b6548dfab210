/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C and SIGTERM: what runs is asked to stop, so that no file is left half-written. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <stdbool.h>

/* From here on the two signals set a flag. */
void cli_catch_signals(void);
/* The flag, as the library's options take it. */
const volatile int *cli_stop_flag(void);
bool cli_stopped(void);
/* At the very end, when all is cleaned up and said: a shell goes on with its loop unless the
 * program dies by the signal itself. */
void cli_die_if_stopped(void);
/* Says so; returns the exit code. */
int cli_report_stop(void);

#endif
