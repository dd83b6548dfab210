/* SPDX-License-Identifier: Apache-2.0 */
#include "stop.h"

#include <signal.h>

#include "cli.h"

/* The only mutable global of the command: a signal handler can reach nothing else. */
static volatile int stop_requested; /* the signal's number */

static void request_stop(int signal)
{
    stop_requested = signal;
}

const volatile int *cli_stop_flag(void)
{
    return &stop_requested;
}

void cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = request_stop, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool cli_stopped(void)
{
    return stop_requested != 0;
}

void cli_die_if_stopped(void)
{
    int number = stop_requested;
    if (!number)
        return;
    signal(number, SIG_DFL);
    raise(number);
}

int cli_report_stop(void)
{
    struct sam_error error = {.status = SAM_ERR_STOPPED, .text = "stopped"};
    return cli_report(&error);
}
