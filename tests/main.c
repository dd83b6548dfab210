/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of a test program, and its main(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samite/jit.h"
#include "test.h"

CMFixtureFunction test_group_setup, test_group_teardown;
void (*test_prologue)(void);
char **test_arguments;

/* In execution order. */
static struct registered {
    const char *file;
    int line;
    struct CMUnitTest test;
} * cases;
static size_t case_count;

/* Constructors may run in any order: the line number decides. */
void test_register(const char *file, int line, const struct CMUnitTest *test)
{
    cases = realloc(cases, (case_count + 1) * sizeof *cases);
    if (!cases)
        abort();
    size_t at = case_count++;
    for (; at > 0 && cases[at - 1].line > line && !strcmp(cases[at - 1].file, file); at--)
        cases[at] = cases[at - 1];
    cases[at] = (struct registered){file, line, *test};
}

char *formatted(const char *format, ...)
{
    char *text;
    va_list list;
    va_start(list, format);
    if (vasprintf(&text, format, list) < 0)
        abort();
    va_end(list);
    return text;
}

void test_add(CMUnitTestFunction function, const void *state, const char *name, ...)
{
    char *text;
    va_list list;
    va_start(list, name);
    if (vasprintf(&text, name, list) < 0)
        abort();
    va_end(list);
    for (char *c = text; *c; c++)
        if (*c == '#' || *c == '\n') /* TAP would read a directive, or a line */
            *c = ' ';
    test_register("", 0,
                  &(struct CMUnitTest){.name = text,
                                       .test_func = function,
                                       .initial_state = (void *)(uintptr_t)state});
}

/* Unlike cmocka's skip(), which writes a "not ok" line that meson counts as a failure. */
void test_skip_all(const char *reason, ...)
{
    va_list list;
    va_start(list, reason);
    printf("1..0 # SKIP ");
    vprintf(reason, list);
    putchar('\n');
    va_end(list);
    exit(0);
}

/* Where the translator is built, tests that ask for it do not pass without it. */
static bool has_translator(void)
{
    struct sam_error error;
    if (!getenv("SAMITE_JIT") || !getenv("SAMITE_JIT_LIBRARY") || sam_jit_check(&error) == SAM_OK)
        return true;
    printf("Bail out! %s\n", error.text);
    return false;
}

int main(int argc, char **argv)
{
    if (!has_translator())
        return 1;
    test_arguments = argv + (argc > 0);
    if (test_prologue)
        test_prologue();
    if (*test_arguments)
        cmocka_set_test_filter(*test_arguments);
    struct CMUnitTest *tests = malloc((case_count + 1) * sizeof *tests);
    if (!tests)
        abort();
    for (size_t i = 0; i < case_count; i++)
        tests[i] = cases[i].test;
    const int failed =
        _cmocka_run_group_tests("tests", tests, case_count, test_group_setup, test_group_teardown);
    for (size_t i = 0; i < case_count; i++)
        if (!*cases[i].file)
            free((void *)(uintptr_t)tests[i].name);
    free(tests);
    free(cases);
    return failed;
}
