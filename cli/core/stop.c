/* SPDX-License-Identifier: Apache-2.0 */

#include <signal.h>
#include <sys/time.h>

#include "cli.h"

/* The mutable globals of the command, which a signal handler needs. */
static volatile int stop_requested; /* the signal's number */

/* Whether a prompt handles Ctrl-C. */
static volatile sig_atomic_t answering;

enum { SECONDS_TO_FINISH = 1 };

/* Ends what waits. */
static void wake(int number)
{
    (void)number;
}

/* A blocking call (on a pipe, say) returns with EINTR, an error like any other; one that starts
 * to block after the flag was set is interrupted by the timer. */
static void request_stop(int number)
{
    const struct itimerval timer = {.it_value.tv_sec = SECONDS_TO_FINISH,
                                    .it_interval.tv_sec = SECONDS_TO_FINISH};
    if (answering && number == SIGINT && stop_requested)
        return; /* the prompt handles it */
    if (stop_requested && !(answering && stop_requested == SIGINT)) {
        signal(number, SIG_DFL);
        raise(number); /* takes effect when this handler returns */
        return;
    }
    stop_requested = number;
    setitimer(ITIMER_REAL, &timer, NULL);
}

const volatile int *cli_stop_flag(void)
{
    return &stop_requested;
}

void cli_catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    struct sigaction action = {.sa_handler = wake}, before; /* without SA_RESTART */
    sigfillset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    action.sa_handler = request_stop;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

bool cli_stopped(void)
{
    return stop_requested != 0;
}

void cli_answer_interrupts(void)
{
    answering = 1;
}

void cli_interrupt(void)
{
    if (!stop_requested)
        stop_requested = SIGINT;
}

bool cli_forget_interrupt(void)
{
    if (stop_requested && stop_requested != SIGINT)
        return false;
    setitimer(ITIMER_REAL, &(const struct itimerval){.it_value = {0, 0}}, NULL);
    stop_requested = 0;
    return true;
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
