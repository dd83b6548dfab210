/* SPDX-License-Identifier: Apache-2.0 */
/* All that a test includes: the C library, cmocka, helpers. main() is in main.c. TEST defines a
 * case and registers it; cases run in file order. `test_x PATTERN` runs those whose names match. */
#ifndef TEST_H
#define TEST_H

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "must.h"
#include "random.h"
#include "refuses.h"
#include "samite/isa.h"
#include "samite/session.h"

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

static inline void scope_free(void *pointer)
{
    free(*(void **)pointer);
}

static inline void scope_image_free(struct sam_image **image)
{
    sam_image_free(*image);
}

static inline void scope_text_free(char **text)
{
    sam_text_free(*text);
}

static inline void scope_session_close(struct sam_session **session)
{
    sam_session_close(*session);
}

/* SCOPED(sam_buffer) text = {0}: a struct sam_buffer, freed by sam_buffer_free at the end of its
 * block. The others are the same for what is freed in another way: SCOPED_IMAGE *image,
 * SCOPED_TEXT *text of the library, SCOPED_SESSION *session, FREED uint8_t *bytes. */
#define SCOPED_SESSION __attribute__((cleanup(scope_session_close))) struct sam_session
#define SCOPED(type)   __attribute__((cleanup(type##_free))) struct type
#define SCOPED_IMAGE   __attribute__((cleanup(scope_image_free))) struct sam_image
#define SCOPED_TEXT    __attribute__((cleanup(scope_text_free))) char
#define FREED          __attribute__((cleanup(scope_free)))

/* Memory of malloc(). */
static inline void *test_room(size_t size)
{
    void *room = malloc(size);
    assert_non_null(room);
    return room;
}

/* A text for free(), as FREED char *words = formatted("--jobs %u", jobs). */
char *formatted(const char *format, ...) TEST_PRINTF(1, 2);

/* A function for the setup or teardown of a test: FIXTURE(setup) { ...; return 0; }. */
#define FIXTURE(function) static int function(__attribute__((unused)) void **state)

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
