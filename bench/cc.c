/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling OpenCL C: random kernels, 300 lines of them in one file, and the kernel of the first
 * example. Processor time of this process, LLVM's passes included but not clang, which runs twice
 * in processes of its own; and the time that passes with it. The aim is 150 ms. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "config.h"
#include "samite/cc.h"
#include "samite/isa.h"
#include "tests/cc/generate.h"

struct compiling {
    const char *path;
    double (*now)(void);
};

static double once(void *context)
{
    const struct compiling *c = context;
    const struct sam_cc_options options = {.size = sizeof options, .no_cache = true};
    struct sam_error error;
    char *text, *messages;
    size_t size;
    const double start = c->now();
    if (sam_cc_compile(&options, c->path, &text, &size, &messages, &error) != SAM_OK)
        bench_fail(c->path, &error);
    sam_text_free(messages);
    sam_text_free(text);
    return c->now() - start;
}

static void measure(struct bench *bench, const char *what, const char *path)
{
    static const struct {
        const char *name;
        double (*now)(void);
    } rows[] = {{"besides clang", bench_processor}, {"with clang", bench_now}};
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        struct compiling c = {path, rows[i].now};
        char name[64];
        snprintf(name, sizeof name, "%s, %s", what, rows[i].name);
        if (!bench_wants(bench, name))
            continue;
        if (!bench_lists(bench))
            once(&c); /* the library of builtins may have to be compiled */
        bench_value(bench, name, "ms", bench_lists(bench) ? 0 : 1e3 * bench_median(bench, once, &c),
                    rows[i].now == bench_now ? 0 : 150);
    }
}

int main(int argc, char **argv)
{
    enum { LINES = 300 };
    struct bench *bench = bench_open(argc, argv, "Compiling OpenCL C");
    struct sam_buffer text = {0};
    char path[] = "/tmp/samite-bench-XXXXXX.cl";
    unsigned lines = 0, done = 0;
    size_t seen = 0;
    generate_head(&text);
    while (lines < LINES) {
        generate_kernel(&text, done, done);
        done++;
        for (; seen < text.size; seen++)
            lines += text.data[seen] == '\n';
    }
    const int fd = mkstemps(path, 3);
    if (fd < 0 || write(fd, text.data, text.size) != (ssize_t)text.size) {
        perror("bench");
        return 1;
    }
    close(fd);
    measure(bench, "300 lines", path);
    unlink(path);
    measure(bench, "vecadd", SAM_SOURCE_ROOT "/kernels/opencl/vecadd.cl");
    sam_buffer_free(&text);
    return bench_close(bench);
}
