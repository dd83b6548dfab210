/* SPDX-License-Identifier: Apache-2.0 */
/* Output, and the words of a command. */
#include <stdarg.h>
#include <stdlib.h>

#include "debugger.h"

/* Newlines and tabs are the debugger's own; other control characters are foreign. */
static void put_plain(FILE *out, char *text)
{
    while (*text) {
        const size_t size = strcspn(text, "\n\t");
        const char end = text[size];
        text[size] = '\0';
        sam_text_make_plain(text);
        fputs(text, out);
        if (end)
            fputc(end, out);
        text += size + (end != '\0');
    }
}

void debug_say(struct debug *d, const char *format, ...)
{
    char *text;
    va_list list;
    va_start(list, format);
    const int size = vasprintf(&text, format, list);
    va_end(list);
    if (size < 0)
        return;
    put_plain(d->out, text);
    free(text);
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

bool debug_take(const char **at, const char *word)
{
    char found[64];
    const char *after = *at;
    if (!cli_word(&after, found, sizeof found) || strcmp(found, word) != 0)
        return false;
    *at = after;
    return true;
}

enum sam_status debug_no_more(const char *at, struct sam_error *error)
{
    at = skip_blanks(at);
    return *at ? cli_refuse(error, "unexpected '%.60s'", at) : SAM_OK;
}

enum sam_status debug_value(struct debug *d, const char **at, struct value *value,
                            struct sam_error *error)
{
    return expr_evaluate(&d->names, at, value, error);
}

static enum sam_status integer(struct debug *d, const char **at, const char *what,
                               struct value *value, struct sam_error *error)
{
    enum sam_status status = debug_value(d, at, value, error) ?: value_single(value, what, error);
    if (status == SAM_OK && sam_dtype_class(value->type) == SAM_CLASS_FLOAT)
        return cli_refuse(error, "%s is a floating-point number: expected an integer", what);
    return status;
}

enum sam_status debug_number(struct debug *d, const char **at, const char *what, uint64_t *number,
                             struct sam_error *error)
{
    struct value value;
    const enum sam_status status = integer(d, at, what, &value, error);
    if (status == SAM_OK)
        *number = (uint64_t)value_number(&value, 0);
    return status;
}

enum sam_status debug_index(struct debug *d, const char **at, const char *what, uint64_t count,
                            uint32_t *index, struct sam_error *error)
{
    uint64_t number = 0;
    const enum sam_status status = debug_number(d, at, what, &number, error);
    if (status == SAM_OK && number >= count)
        return cli_refuse(error, "%s %lld: expected 0 to %llu", what, (long long)number,
                          (unsigned long long)count - 1);
    *index = (uint32_t)number;
    return status;
}

enum sam_status debug_count(struct debug *d, const char *at, const char *what, uint64_t *number,
                            struct sam_error *error)
{
    struct value value;
    if (!*skip_blanks(at))
        return SAM_OK;
    enum sam_status status = integer(d, &at, what, &value, error) ?: debug_no_more(at, error);
    if (status != SAM_OK)
        return status;
    const int64_t found = value_number(&value, 0);
    if (found < 0 && sam_dtype_class(value.type) != SAM_CLASS_INT)
        return cli_refuse(error, "%s is %llu: expected at most %lld", what,
                          (unsigned long long)found, (long long)INT64_MAX);
    if (found < 1)
        return cli_refuse(error, "%s is %lld: expected 1 or more", what, (long long)found);
    *number = (uint64_t)found;
    return SAM_OK;
}

void *debug_grow(void *items, size_t count, size_t size)
{
    return realloc(items, (count + 1) * size);
}
