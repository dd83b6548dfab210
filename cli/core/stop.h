/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C and SIGTERM. By default they end the command at once, and incomplete output leaves no
 * file (samite/file.h). Runs that can report their progress catch them: the first signal asks
 * the run to stop and interrupts its waits, the second ends it at once. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <stdbool.h>

/* From here on the two signals set a flag, unless the command was started with them ignored.
 * Called before outputs are opened, since opening a pipe waits for its reader. */
void cli_catch_signals(void);
/* The flag, as the library's options take it. */
const volatile int *cli_stop_flag(void);
bool cli_stopped(void);
/* A prompt handles Ctrl-C: from here on it never ends the command. */
void cli_answer_interrupts(void);
/* Set the flag as Ctrl-C does, from another thread. */
void cli_interrupt(void);
/* Clear a Ctrl-C that has been handled. False: another signal is pending. */
bool cli_forget_interrupt(void);
/* At the very end, after clean-up and all messages: a shell continues its loop unless the
 * program dies by the signal itself. */
void cli_die_if_stopped(void);
/* Reports it; returns the exit code. */
int cli_report_stop(void);

#endif
