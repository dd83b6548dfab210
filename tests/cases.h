/* SPDX-License-Identifier: Apache-2.0 */
/* Text files of test cases: a program, what holds before, how it ends, what holds afterwards.
 *
 *   == NAME                 a case; lines up to the next one are its own
 *   INSTRUCTION; ...        the program, also over several lines
 *   WORD REST               a directive: WORD is one of those that the machine knows
 *   each TEXT | DIRECTIVE   the program with TEXT for $, and further directives: a case for each
 * line # ...                   a comment, where it begins a line
 *
 * Every case, and every line "each", is a test of its own. Include test.h first. */
#ifndef TEST_CASES_H
#define TEST_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CASE_DIRECTIVES = 32 };

struct test_case {
    const char *name;
    char *program; /* with a newline for each ";" */
    struct {
        const char *word, *rest;
    } directives[CASE_DIRECTIVES]; /* those of the case, then those of its line "each" */
    unsigned count;
};

/* Add the cases of tests/PATH in the source tree; `words`, NULL after the last, are the directives.
 * To be called in a PROLOGUE. */
void cases_add(const char *path, const char *const *words, void (*run)(const struct test_case *c));
/* Whether a case has the directive; the last one's rest. NULL: none. */
const char *case_find(const struct test_case *c, const char *word);

/* The next "name=value" of a directive, or "name", whose value is "1"; false at its end. A value
 * lasts until the next space. */
bool case_setting(const char **text, char name[32], const char **value);
/* A number, or a name that `lookup` knows, and what is added to it: "+N" or "-N". Returns what
 * follows; it fails the test where there is no value. */
const char *case_value(const char *text, uint64_t *value,
                       bool (*lookup)(void *context, const char *name, uint64_t *value),
                       void *context);

#endif
