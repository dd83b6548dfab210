/* SPDX-License-Identifier: Apache-2.0 */
/* Text files of test cases: a program, the state before, how it ends, the state afterwards.
 *
 *   == NAME                 a case; lines up to the next one are its own
 *   INSTRUCTION; ...        the program, also over several lines
 *   WORD REST               a directive: WORD is one that the machine defines
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
    } directives[CASE_DIRECTIVES]; /* those of the case, then those of its "each" line */
    unsigned count;
};

/* Add the cases of tests/PATH in the source tree; `words`, NULL-terminated, are the directives.
 * Call it in a PROLOGUE. */
void cases_add(const char *path, const char *const *words, void (*run)(const struct test_case *c));
/* The text after the last directive `word` of a case. Returns NULL if there is none. */
const char *case_find(const struct test_case *c, const char *word);

/* The next "name=value" of a directive, or "name" with the value "1"; false at its end. A value
 * ends at the next space. */
bool case_setting(const char **text, char name[32], const char **value);
/* Parses a number, or a name known to `lookup`, with an optional "+N" or "-N". Returns the rest
 * of the text; fails the test if there is no value. */
const char *case_value(const char *text, uint64_t *value,
                       bool (*lookup)(void *context, const char *name, uint64_t *value),
                       void *context);

#endif
