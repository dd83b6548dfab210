/* SPDX-License-Identifier: Apache-2.0 */
/* A temporary folder, and commands in it. TEST_GROUP(test_folder_make, test_folder_remove) makes
 * and removes it. Include test.h first. */
#ifndef TEST_FOLDER_H
#define TEST_FOLDER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

static char test_folder[1024];

/* The path of a file in the folder, valid until the next call. */
static inline const char *test_path(const char *name)
{
    static char path[sizeof test_folder + 256];
    snprintf(path, sizeof path, "%s/%s", test_folder, name);
    return path;
}

/* Run a shell command line; whether its exit code is 0. */
static bool SAM_PRINTF(1, 2) test_shell(const char *format, ...)
{
    char command[2048];
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(command, sizeof command, format, list);
    va_end(list);
    return length > 0 && (size_t)length < sizeof command && system(command) == 0;
}

static int test_folder_make(void **state)
{
    const char *temporary = getenv("TMPDIR");
    (void)state;
    snprintf(test_folder, sizeof test_folder, "%s/samite-XXXXXX", temporary ? temporary : "/tmp");
    return mkdtemp(test_folder) ? 0 : -1;
}

FIXTURE(test_folder_remove)
{
    return test_shell("rm -rf '%s'", test_folder) ? 0 : -1;
}

#endif
