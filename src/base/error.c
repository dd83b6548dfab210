/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"

#include <stdio.h>

#include "samite/version.h"

#undef sam_fail /* base.h defines macros of these names for the analyzer */
#undef sam_fail_memory
#undef sam_fail_null
#undef sam_lacks

const char *sam_status_name(enum sam_status status)
{
    switch (status) {
    case SAM_OK: return "ok";
    case SAM_ERR_MEMORY: return "out of memory";
    case SAM_ERR_IO: return "file error";
    case SAM_ERR_USAGE: return "bad usage";
    case SAM_ERR_INPUT: return "bad input";
    case SAM_ERR_TRAP: return "program failed";
    case SAM_ERR_STOPPED: return "stopped";
    }
    return "unknown status";
}

#define TEXT_OF(macro) TEXT(macro)
#define TEXT(tokens)   #tokens

const char *sam_version(void)
{
    return TEXT_OF(SAM_VERSION_MAJOR) "." TEXT_OF(SAM_VERSION_MINOR) "." TEXT_OF(SAM_VERSION_PATCH);
}

enum sam_status sam_fail(struct sam_error *error, enum sam_status status, const char *format, ...)
{
    if (error) {
        va_list args;
        error->status = status;
        va_start(args, format);
        sam_format_list(error->text, sizeof error->text, format, args);
        va_end(args);
        for (char *c = error->text; *c; c++)
            if (*c == '\n')
                *c = ' '; /* keep the message on one line, whatever names it contains */
        sam_text_make_plain(error->text);
    }
    return status;
}

enum sam_status sam_fail_memory(struct sam_error *error)
{
    return sam_fail(error, SAM_ERR_MEMORY, "out of memory");
}

enum sam_status sam_fail_null(struct sam_error *error, const char *what)
{
    return sam_fail(error, SAM_ERR_USAGE, "%s is NULL", what);
}

bool sam_lacks(struct sam_error *error, const char *names, const void *const *pointers,
               size_t count)
{
    char name[64];
    for (size_t i = 0; i < count; i++) {
        const size_t size = strcspn(names, ",");
        if (!pointers[i]) {
            sam_format(name, sizeof name, "%.*s", (int)size, names);
            sam_fail_null(error, name);
            return true;
        }
        names += size;
        names += strspn(names, ", ");
    }
    return false;
}
