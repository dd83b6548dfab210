/* SPDX-License-Identifier: Apache-2.0 */
/* The harness of the benchmarks. A benchmark program is bench/<name>.c:
 *
 *   static double decode(void *context, uint64_t rounds) { ...; return words decoded; }
 *
 *   int main(int argc, char **argv)
 *   {
 *       struct bench *bench = bench_open(argc, argv, "Decoding");
 *       bench_rate(bench, "decode", "M words/s", 1e6, decode, &words, 0);
 *       return bench_close(bench);
 *   }
 *
 * Command line: [--quick] [--json FILE] [--list] [FILTER...]; a filter is a part of a name. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>

struct bench;

/* The work of `rounds` rounds. Returns its amount in the caller's unit (words, lines, lane
 * instructions), or a negative number on failure, which fails the program. */
typedef double bench_work(void *context, uint64_t rounds);

/* Never NULL: exits with 2 on a bad command line. */
struct bench *bench_open(int argc, char **argv, const char *title);

/* Whether a benchmark of this name will run; for skipping expensive set-up. */
bool bench_wants(const struct bench *bench, const char *name);

/* Whether names are only listed. */
bool bench_lists(const struct bench *bench);

/* Measure a rate: `work` is run with growing rounds until one run is long enough (this warms
 * up), then several times; the row is the median of work per second, divided by `scale` (1e6 for
 * "M"). `reference` is a figure in the same unit to compare with, or 0. Returns the figure (for
 * use as a reference), or 0 if the filters exclude it or it failed. */
double bench_rate(struct bench *bench, const char *name, const char *unit, double scale,
                  bench_work *work, void *context, double reference);

/* As bench_rate, but the row is the time of one unit of work, in seconds divided by `scale`
 * (1e-6 for "us"). */
double bench_time(struct bench *bench, const char *name, const char *unit, double scale,
                  bench_work *work, void *context, double reference);

/* The median of several figures that `once` measures itself; negative if one of them is, which
 * means failure. */
double bench_median(const struct bench *bench, double (*once)(void *context), void *context);

/* Wall time, and processor time of this process, in seconds. */
double bench_now(void);
double bench_processor(void);

/* Print the error and exit with 1: the benchmark cannot continue. */
struct sam_error;
void bench_fail(const char *what, const struct sam_error *error);

/* A row measured elsewhere (bytes of memory, a ratio). */
void bench_value(struct bench *bench, const char *name, const char *unit, double value,
                 double reference);

/* Print the table, write the JSON file, free. Returns the exit code: 1 if a benchmark failed or
 * the file cannot be written, 2 if a filter matches no name or the table cannot be printed. */
int bench_close(struct bench *bench);

/* Keep the compiler from eliminating the computation of `value`. */
static inline void bench_use(const void *value)
{
    __asm__ volatile("" : : "r"(value) : "memory");
}

#endif
