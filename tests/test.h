/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka, and a program of test cases: main() is in main.c. TEST defines a case and registers
 * it; cases run in file order. `test_x PATTERN` runs those whose names match. */
#ifndef TEST_H
#define TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define TEST_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* A test case: TEST(name) { ... }. Further members of struct CMUnitTest may follow the name:
 * TEST(name, .setup_func = setup). */
#define TEST(function, ...)                                                                        \
    static void function(void **state);                                                            \
    __attribute__((constructor)) static void test_register_##function(void)                        \
    {                                                                                              \
        test_register(                                                                             \
            __FILE__, __LINE__,                                                                    \
            &(struct CMUnitTest){.name = #function, .test_func = function, __VA_ARGS__});          \
    }                                                                                              \
    static void function(__attribute__((unused)) void **state)

/* Called by cmocka before the first case and after the last one; each may be NULL. */
#define TEST_GROUP(set_up, tear_down)                                                              \
    __attribute__((constructor)) static void test_register_group(void)                             \
    {                                                                                              \
        test_group_setup = (set_up);                                                               \
        test_group_teardown = (tear_down);                                                         \
    }

/* The start of main(): PROLOGUE { ... } may add cases from a table, and skip the program. */
#define PROLOGUE                                                                                   \
    static void test_begin(void);                                                                  \
    __attribute__((constructor)) static void test_register_prologue(void)                          \
    {                                                                                              \
        test_prologue = test_begin;                                                                \
    }                                                                                              \
    static void test_begin(void)

/* Words of the command line left over by the prologue; the first is the PATTERN. */
extern char **test_arguments;

extern CMFixtureFunction test_group_setup, test_group_teardown;
extern void (*test_prologue)(void);

void test_register(const char *file, int line, const struct CMUnitTest *test);

/* A case at the end, with its initial state and a name. */
void test_add(CMUnitTestFunction function, const void *state, const char *name, ...)
    TEST_PRINTF(3, 4);

/* End the program: no case can run here. */
_Noreturn void test_skip_all(const char *reason, ...) TEST_PRINTF(1, 2);

#endif
