/* SPDX-License-Identifier: Apache-2.0 */
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>

#undef debug_fail /* macros in fail.h have these names for the analyzer */
#undef debug_fail_memory

enum sam_status debug_fail(struct sam_error *error, const char *format, ...)
{
    va_list list;
    if (!error)
        return SAM_ERR_USAGE;
    va_start(list, format);
    error->status = SAM_ERR_USAGE;
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    return SAM_ERR_USAGE;
}

enum sam_status debug_fail_memory(struct sam_error *error)
{
    if (error)
        *error = (struct sam_error){SAM_ERR_MEMORY, "out of memory"};
    return SAM_ERR_MEMORY;
}
