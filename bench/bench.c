/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "samite/samite.h"

enum { MAX_ROWS = 256, MAX_REPEATS = 9 };

struct row {
    char *name;
    char *unit;
    double value;
    double reference;
};

struct bench {
    const char *title;
    char **filters;
    int filter_count;
    bool *matched; /* a name matches a filter if it contains it */
    const char *json;
    bool list;
    double seconds; /* minimum for one repeat */
    int repeats;
    bool failed;
    struct row rows[MAX_ROWS];
    size_t count;
};

static double seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double bench_now(void)
{
    return seconds(CLOCK_MONOTONIC);
}

double bench_processor(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static void *checked(void *pointer)
{
    if (!pointer) {
        fprintf(stderr, "bench: out of memory\n");
        exit(2);
    }
    return pointer;
}

struct bench *bench_open(int argc, char **argv, const char *title)
{
    struct bench *bench = checked(calloc(1, sizeof *bench));
    *bench = (struct bench){.title = title, .seconds = 0.1, .repeats = 7};
    int at = 1;
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        if (strcmp(argv[at], "--quick") == 0) {
            bench->seconds = 0.001;
            bench->repeats = 1;
        } else if (strcmp(argv[at], "--list") == 0) {
            bench->list = true;
        } else if (strcmp(argv[at], "--json") == 0 && at + 1 < argc) {
            bench->json = argv[++at];
        } else {
            fprintf(stderr, "usage: %s [--quick] [--json FILE] [--list] [FILTER...]\n", argv[0]);
            exit(2);
        }
    }
    bench->filters = argv + at;
    bench->filter_count = argc - at;
    bench->matched = checked(calloc((size_t)bench->filter_count + 1, sizeof *bench->matched));
    return bench;
}

bool bench_wants(const struct bench *bench, const char *name)
{
    bool wanted = bench->filter_count == 0;
    for (int i = 0; i < bench->filter_count; i++)
        if (strstr(name, bench->filters[i]))
            wanted = bench->matched[i] = true;
    return wanted;
}

bool bench_lists(const struct bench *bench)
{
    return bench->list;
}

void bench_value(struct bench *bench, const char *name, const char *unit, double value,
                 double reference)
{
    if (!bench_wants(bench, name))
        return;
    if (bench->list) {
        printf("%s\n", name);
        return;
    }
    if (bench->count == MAX_ROWS) {
        fprintf(stderr, "bench: more than %d rows\n", MAX_ROWS);
        exit(2);
    }
    bench->rows[bench->count++] = (struct row){
        .name = checked(strdup(name)),
        .unit = checked(strdup(unit)),
        .value = value,
        .reference = reference,
    };
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Units of work per second, the median of the repeats; negative after a failure. */
static double measure(const struct bench *bench, bench_work *work, void *context)
{
    uint64_t rounds = 1;
    for (;;) {
        double start = bench_now();
        if (work(context, rounds) < 0)
            return -1;
        double took = bench_now() - start;
        if (took >= bench->seconds || rounds >= UINT64_C(1) << 60)
            break;
        /* Approach the requested time in steps of at most eight times: early runs are cold and
         * slow. */
        double factor = took > 0 ? 1.2 * bench->seconds / took : 8;
        rounds = (uint64_t)((double)rounds * (factor > 8 ? 8 : factor)) + 1;
    }
    double rates[MAX_REPEATS] = {0};
    for (int i = 0; i < bench->repeats; i++) {
        double start = bench_now();
        double done = work(context, rounds);
        if (done < 0)
            return -1;
        rates[i] = done / (bench_now() - start);
    }
    qsort(rates, (size_t)bench->repeats, sizeof rates[0], by_value);
    return rates[bench->repeats / 2];
}

double bench_median(const struct bench *bench, double (*once)(void *context), void *context)
{
    double figures[MAX_REPEATS] = {0};
    for (int i = 0; i < bench->repeats; i++)
        if ((figures[i] = bench->list ? 1 : once(context)) < 0)
            return -1;
    qsort(figures, (size_t)bench->repeats, sizeof figures[0], by_value);
    return figures[bench->repeats / 2];
}

void bench_fail(const char *what, const struct sam_error *error)
{
    fprintf(stderr, "bench: %s: %s\n", what, error->text);
    exit(1);
}

static double measure_row(struct bench *bench, const char *name, const char *unit,
                          double (*convert)(double rate, double scale), double scale,
                          bench_work *work, void *context, double reference)
{
    if (!bench_wants(bench, name))
        return 0;
    double rate = bench->list ? 1 : measure(bench, work, context);
    if (rate <= 0) {
        fprintf(stderr, "bench: %s failed\n", name);
        bench->failed = true;
        return 0;
    }
    double value = convert(rate, scale);
    bench_value(bench, name, unit, value, reference);
    return value;
}

static double as_rate(double rate, double scale)
{
    return rate / scale;
}

static double as_time(double rate, double scale)
{
    return 1 / rate / scale;
}

double bench_rate(struct bench *bench, const char *name, const char *unit, double scale,
                  bench_work *work, void *context, double reference)
{
    return measure_row(bench, name, unit, as_rate, scale, work, context, reference);
}

double bench_time(struct bench *bench, const char *name, const char *unit, double scale,
                  bench_work *work, void *context, double reference)
{
    return measure_row(bench, name, unit, as_time, scale, work, context, reference);
}

/* Four significant digits, without an exponent. */
static const char *figure(double value, char text[static 32])
{
    snprintf(text, 32, value >= 1000 ? "%.0f" : "%.4g", value);
    return text;
}

static void print_table(const struct bench *bench)
{
    char text[2][32];
    printf("%-34s %12s  %-16s %12s %8s\n", bench->title, "value", "unit", "reference", "ratio");
    for (size_t i = 0; i < bench->count; i++) {
        const struct row *row = &bench->rows[i];
        printf("%-34s %12s  %-16s", row->name, figure(row->value, text[0]), row->unit);
        if (row->reference > 0)
            printf(" %12s %7.2fx", figure(row->reference, text[1]), row->value / row->reference);
        printf("\n");
    }
}

/* One object per line, so that files can be joined line by line. */
static bool write_json(const struct bench *bench)
{
    FILE *file = fopen(bench->json, "w");
    if (!file)
        return false;
    fprintf(file, "[\n");
    for (size_t i = 0; i < bench->count; i++) {
        const struct row *row = &bench->rows[i];
        bool compared = row->reference > 0;
        json_t *object =
            json_pack("{s:s, s:f, s:s, s:o, s:o}", "name", row->name, "value", row->value, "unit",
                      row->unit, "reference", compared ? json_real(row->reference) : json_null(),
                      "ratio", compared ? json_real(row->value / row->reference) : json_null());
        bool dumped = object && json_dumpf(object, file, JSON_REAL_PRECISION(6)) == 0;
        json_decref(object);
        if (!dumped) {
            fclose(file);
            return false;
        }
        fprintf(file, i + 1 < bench->count ? ",\n" : "\n");
    }
    fprintf(file, "]\n");
    return fclose(file) == 0;
}

int bench_close(struct bench *bench)
{
    int code = bench->failed ? 1 : 0;
    if (!bench->list)
        print_table(bench);
    if (bench->json && !write_json(bench)) {
        fprintf(stderr, "bench: %s: %s\n", bench->json, strerror(errno));
        code = 1;
    }
    for (int i = 0; i < bench->filter_count; i++)
        if (!bench->matched[i]) {
            fprintf(stderr, "bench: no row has '%s' in its name (--list shows them)\n",
                    bench->filters[i]);
            code = 2;
        }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "bench: cannot write to standard output\n");
        code = 2;
    }
    free(bench->matched);
    for (size_t i = 0; i < bench->count; i++) {
        free(bench->rows[i].name);
        free(bench->rows[i].unit);
    }
    free(bench);
    return code;
}
