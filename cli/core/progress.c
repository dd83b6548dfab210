/* SPDX-License-Identifier: Apache-2.0 */

#include <time.h>
#include <unistd.h>

#include "cli.h"

static const double FIRST = 0.5, EACH = 0.2; /* seconds */

double cli_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_progress_start(struct cli_progress *p, bool quiet)
{
    p->wanted = !quiet && isatty(STDERR_FILENO);
    p->started = cli_now();
    p->next = p->started + FIRST;
    atomic_store(&p->shown, false);
}

/* Not in the first half second, then five times a second. */
static bool is_due(struct cli_progress *p)
{
    if (!p->wanted)
        return false;
    double time = cli_now();
    if (time < p->next)
        return false;
    p->next = time + EACH;
    return true;
}

/* "1:02", "12:00:00" */
static void duration_text(double seconds, char *text, size_t size)
{
    const double most = 100 * 3600;
    unsigned whole = (unsigned)(seconds < most ? seconds + 0.5 : most);
    if (whole >= 3600)
        snprintf(text, size, "%u:%02u:%02u", whole / 3600, whole / 60 % 60, whole % 60);
    else
        snprintf(text, size, "%u:%02u", whole / 60, whole % 60);
}

void cli_progress_show(struct cli_progress *p, const char *what, uint64_t done, uint64_t total,
                       const char *units, uint64_t count, const char *things)
{
    if (!is_due(p))
        return;
    const double elapsed = cli_now() - p->started;
    const double rate = elapsed > 0 ? (double)count / elapsed : 0;
    char left[32] = "?";
    if (done && total)
        duration_text(elapsed * (double)(total - done) / (double)done, left, sizeof left);
    const char *scale = rate >= 1e5 ? "M " : "";
    const double shown_rate = rate >= 1e5 ? rate / 1e6 : rate;
    atomic_store(&p->shown, true);
    if (!total) {
        fprintf(stderr, "\r%s: %llu %s, %.1f %s%s/s\033[K", what, (unsigned long long)done, units,
                shown_rate, scale, things);
        return;
    }
    fprintf(stderr, "\r%s: %llu of %llu %s, %d %%, %.1f %s%s/s, %s left\033[K", what,
            (unsigned long long)done, (unsigned long long)total, units,
            (int)(100 * (double)done / (double)total), shown_rate, scale, things, left);
}

void cli_progress_clear(struct cli_progress *p)
{
    if (atomic_exchange(&p->shown, false))
        fprintf(stderr, "\r\033[K");
}

void cli_bytes_add(struct cli_bytes *b, uint64_t more)
{
    enum { WORTH_SHOWING = 64 << 20 };
    if (!b->begun) {
        cli_progress_start(&b->line, !b->what || b->total < WORTH_SHOWING);
        b->line.next = b->line.started;
        b->begun = true;
    }
    b->done += more;
    if (b->done == b->total)
        b->line.next = 0; /* the end is shown */
    cli_progress_show(&b->line, b->what, b->done >> 20, b->total >> 20, "MiB", b->done, "bytes");
}

void cli_bytes_end(struct cli_bytes *b)
{
    cli_progress_clear(&b->line);
}
