/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmark harness: rows selected by filters, and filters that match none. */
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#include "bench.h"

static int run(const char *first, const char *second)
{
    char program[] = "bench", quick[] = "--quick", words[2][16];
    char *argv[] = {program, quick, words[0], words[1], NULL};
    snprintf(words[0], sizeof words[0], "%s", first ? first : "");
    snprintf(words[1], sizeof words[1], "%s", second ? second : "");
    struct bench *bench = bench_open(2 + (first != NULL) + (second != NULL), argv, "Rows");
    bench_value(bench, "red row", "units", 1, 0);
    bench_value(bench, "blue row", "units", 2, 1);
    return bench_close(bench);
}

/* The exit code of a benchmark with two rows and these arguments; its output is discarded. */
static int code_of(const char *first, const char *second)
{
    int status;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        _exit(freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr)
                  ? run(first, second)
                  : 99);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(filters)
{
    assert_int_equal(code_of(NULL, NULL), 0);
    assert_int_equal(code_of("red", NULL), 0);
    assert_int_equal(code_of("red", "row"), 0);
    assert_int_equal(code_of("--list", "blue"), 0);
    assert_int_equal(code_of("green", NULL), 2);
    assert_int_equal(code_of("red", "green"), 2);
    assert_int_equal(code_of("--list", "green"), 2);
}
