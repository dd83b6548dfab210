/* SPDX-License-Identifier: Apache-2.0 */
/* Messages, and growing arrays with messages on failure. */
#include <stdarg.h>
#include <stdlib.h>

#include "driver.h"

int complain(const char *format, ...)
{
    char text[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sam_text_make_plain(text);
    fprintf(stderr, "samite: %s\n", text); /* at once: threads may print concurrently */
    return -1;
}

void *grow(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    const size_t wanted = *capacity ? 2 * *capacity : 16;
    void *grown = reallocarray(array, wanted, size);
    if (grown)
        *capacity = wanted;
    else
        complain("out of memory");
    return grown;
}
