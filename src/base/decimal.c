/* SPDX-License-Identifier: Apache-2.0 */
/* Number conversion in the C locale, whatever the host program's locale: under "de_DE", strtod
 * stops at the point of "0.5" and printf writes "0,5". Only this file calls them. */
#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

/* Switches the calling thread to the C locale, which is built in: no allocation. */
struct visit {
    locale_t c, before;
};

static struct visit enter(void)
{
    struct visit v = {.c = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (v.c)
        v.before = uselocale(v.c);
    return v;
}

static void leave(struct visit v)
{
    if (v.c) {
        uselocale(v.before);
        freelocale(v.c);
    }
}

double sam_strtod(const char *text, char **end)
{
    struct visit v = enter();
    double value = strtod(text, end);
    leave(v);
    return value;
}

float sam_strtof(const char *text, char **end)
{
    struct visit v = enter();
    float value = strtof(text, end);
    leave(v);
    return value;
}

int sam_format_list(char *text, size_t size, const char *format, va_list list)
{
    struct visit v = enter();
    int length = vsnprintf(text, size, format, list);
    leave(v);
    return length;
}

int sam_format(char *text, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = sam_format_list(text, size, format, list);
    va_end(list);
    return length;
}
