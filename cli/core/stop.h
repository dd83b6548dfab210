/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C and SIGTERM. By themselves they end the command at once, and an output that is not
 * complete leaves nothing behind (samite/file.h). Runs that can report their progress catch
 * them: the first asks the run to stop and wakes it if it waits, the second ends it at once. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <stdbool.h>

/* From here on the two signals set a flag, unless the command was started with them ignored. Called
 * before outputs are opened, as a pipe waits for its reader there. */
void cli_catch_signals(void);
/* The flag, as the library's options take it. */
const volatile int *cli_stop_flag(void);
bool cli_stopped(void);
/* A prompt answers Ctrl-C: from here on no number of them ends the command. */
void cli_answer_interrupts(void);
/* Forget a Ctrl-C that has been answered. False: another signal came, which stands. */
bool cli_forget_interrupt(void);
/* At the very end, after clean-up and all messages: a shell continues its loop unless the
 * program dies by the signal itself. */
void cli_die_if_stopped(void);
/* Says so; returns the exit code. */
int cli_report_stop(void);

#endif
