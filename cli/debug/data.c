/* SPDX-License-Identifier: Apache-2.0 */
/* print, set and display. */
#include <stdlib.h>

#include "debugger.h"
#include "machine/tensor.h"

enum { PER_LINE = 8 };

enum sam_status debug_numbers(struct debug *d, const char *rest, debug_on_number *one,
                              struct sam_error *error)
{
    char word[32];
    enum sam_status status = SAM_OK;
    while (status == SAM_OK && cli_word(&rest, word, sizeof word)) {
        uint64_t first, last;
        char *dash = strchr(word, '-');
        if (dash)
            *dash = '\0';
        if (!sam_parse_u64(word, &first) || !sam_parse_u64(dash ? dash + 1 : word, &last) ||
            first > last || last > UINT32_MAX || last - first > 100000)
            return cli_refuse(error, "'%s%s%s': expected numbers, as 2 or 3-5", word,
                              dash ? "-" : "", dash ? dash + 1 : "");
        for (uint64_t number = first; number <= last && status == SAM_OK; number++)
            status = one(d, (unsigned)number, error);
    }
    return status;
}

/* ------------------------------------------------------------------------------------ print */

static bool all_alike(const struct value *v)
{
    for (unsigned i = 1; i < v->count; i++)
        if (v->bits[i] != v->bits[0])
            return false;
    return true;
}

/* Lanes in rows; inactive ones in parentheses. */
static void print_lanes(struct debug *d, const struct value *v, char format)
{
    char text[200], shown[208];
    size_t width = 0;
    for (unsigned i = 0; i < v->count; i++) {
        value_text(v, i, format, d->image, text, sizeof text);
        const size_t size = strlen(text) + 2 * !(v->active >> i & 1);
        width = size > width ? size : width;
    }
    debug_say(d, "{");
    for (unsigned i = 0; i < v->count; i++) {
        const bool active = v->active >> i & 1;
        value_text(v, i, format, d->image, text, sizeof text);
        snprintf(shown, sizeof shown, active ? "%s" : "(%s)", text);
        if (i % PER_LINE == 0)
            debug_say(d, "\n  [%2u]", i);
        debug_say(d, " %*s", (int)width, shown);
    }
    debug_say(d, "\n}\n");
}

static void print_unit_register(struct debug *d, const struct value *value)
{
    const unsigned number = value->place.number;
    if (number < 32)
        tensor_print_tl(d->run->hart, number, d->out);
    else
        tensor_print_m(d->run->hart, number - 32, d->out);
}

void debug_print_value(struct debug *d, const struct value *v, char format)
{
    char text[200];
    if (v->place.kind == PLACE_BYTES) {
        print_unit_register(d, v);
        return;
    }
    value_text(v, 0, format, d->image, text, sizeof text);
    if (!v->is_vector)
        debug_say(d, "%s\n", text);
    else if (all_alike(v))
        debug_say(d, "%s in all %u lanes\n", text, v->count);
    else
        print_lanes(d, v, format);
}

void debug_value_line(struct debug *d, const struct value *v, char format, char *text, size_t size)
{
    char one[200];
    if (!v->is_vector || all_alike(v)) {
        value_text(v, 0, format, d->image, one, sizeof one);
        snprintf(text, size, v->is_vector ? "%s in all %u lanes" : "%s", one, v->count);
        return;
    }
    size_t used = (size_t)snprintf(text, size, "{");
    for (unsigned i = 0; i < v->count && used < size; i++) {
        value_text(v, i, format, d->image, one, sizeof one);
        used += (size_t)snprintf(text + used, size - used, v->active >> i & 1 ? "%s%s" : "%s(%s)",
                                 i ? ", " : "", one);
    }
    if (used < size)
        snprintf(text + used, size - used, "}");
}

void debug_say_value(struct debug *d, const char *expression, size_t size)
{
    char copy[512], text[2048];
    struct value value;
    struct sam_error error;
    snprintf(copy, sizeof copy, "%.*s", (int)(size < sizeof copy ? size : sizeof copy - 1),
             expression);
    const enum sam_status status = debug_evaluate(d, copy, &value, &error);
    if (status == SAM_OK)
        debug_value_line(d, &value, 0, text, sizeof text);
    debug_say(d, status == SAM_OK ? "%s" : "<%s>", status == SAM_OK ? text : error.text);
}

/* "/x" at *at: the letter, or 0. */
static enum sam_status take_format(const char **at, char *format, struct sam_error *error)
{
    *format = 0;
    if (**at != '/')
        return SAM_OK;
    const char letter = (*at)[1];
    if (!letter || !strchr(value_formats, letter) || ((*at)[2] && !strchr(" \t", (*at)[2])))
        return cli_refuse(error, "'%.*s': expected / and one of x z d u o t f c a",
                          (int)strcspn(*at, " \t"), *at);
    *format = letter;
    *at += 2 + strspn(*at + 2, " \t");
    return SAM_OK;
}

enum sam_status debug_evaluate(struct debug *d, const char *text, struct value *value,
                               struct sam_error *error)
{
    const enum sam_status status = debug_value(d, &text, value, error);
    if (status == SAM_OK && text[0] == '=')
        return cli_refuse(error, "'=': expected ==; set changes values");
    return status ?: debug_no_more(text, error);
}

enum sam_status command_print(struct debug *d, const char *rest, struct sam_error *error)
{
    struct sam_variable numbers;
    struct value value;
    char format;
    enum sam_status status = take_format(&rest, &format, error);
    if (status == SAM_OK && debug_find_numbers(d, rest, &numbers))
        return debug_show_variable(d, &numbers, error);
    if (status == SAM_OK)
        status = debug_evaluate(d, *rest ? rest : "$", &value, error);
    if (status != SAM_OK)
        return status;
    if (value.place.kind != PLACE_BYTES)
        debug_say(d, "$%llu = ", (unsigned long long)debug_keep(d, &value));
    debug_print_value(d, &value, format);
    return SAM_OK;
}

/* -------------------------------------------------------------------------------------- set */

/* "$name =", where the name may be new. */
static bool new_name(const char **at, struct value *place)
{
    const char *begin = *at + 1, *end = expr_name_end(begin);
    const char *equals = end + strspn(end, " \t");
    const size_t size = (size_t)(end - begin);
    if (**at != '$' || !size || size >= sizeof place->place.name || *equals != '=' ||
        equals[1] == '=')
        return false;
    *place = value_integer(SAM_I64, 0);
    place->place.kind = PLACE_USER;
    snprintf(place->place.name, sizeof place->place.name, "%.*s", (int)size, begin);
    *at = equals;
    return true;
}

enum sam_status command_set(struct debug *d, const char *rest, struct sam_error *error)
{
    struct value place, value;
    debug_take(&rest, "var");
    if (!*rest)
        return cli_refuse(error, "set: expected PLACE = EXPRESSION");
    const char *at = rest;
    enum sam_status status = debug_value(d, &at, &place, error);
    if (status != SAM_OK) {
        struct value made;
        at = rest;
        if (!new_name(&at, &made))
            return status;
        place = made;
    }
    if (*at != '=')
        return cli_refuse(error, "%s%.40s%s: expected = and the new value", *at ? "'" : "the end",
                          at, *at ? "'" : "");
    status = debug_evaluate(d, at + 1, &value, error);
    return status ?: debug_assign(d, &place, &value, error);
}

/* ---------------------------------------------------------------------------------- display */

enum sam_status display_show(struct debug *d, const struct display *display,
                             struct sam_error *error)
{
    struct value value;
    if (display->examines) {
        debug_say(d, "%u: x%s %s\n", display->number, display->format, display->text);
        char line[512];
        snprintf(line, sizeof line, "%s %s", display->format, display->text);
        return command_examine(d, line, error);
    }
    const enum sam_status status = debug_evaluate(d, display->text, &value, error);
    if (status != SAM_OK)
        return status;
    debug_say(d, "%u: %s = ", display->number, display->text);
    if (value.place.kind == PLACE_BYTES)
        print_unit_register(d, &value);
    else
        debug_print_value(d, &value, display->format[0] ? display->format[1] : 0);
    return SAM_OK;
}

/* Whether the format applies to memory. */
static bool examines(const char *format)
{
    return strpbrk(format, "0123456789bhwgis") != NULL;
}

enum sam_status command_display(struct debug *d, const char *rest, struct sam_error *error)
{
    struct display display = {.number = d->last_display + 1};
    char letter;
    if (!*rest) {
        stop_show_displays(d);
        return SAM_OK;
    }
    if (*rest == '/') {
        const size_t size = strcspn(rest, " \t");
        if (size >= sizeof display.format)
            return cli_refuse(error, "'%.40s': expected a shorter format", rest);
        const char *at = rest;
        memcpy(display.format, rest, size);
        display.examines = examines(display.format);
        if (!display.examines && take_format(&at, &letter, error) != SAM_OK)
            return SAM_ERR_USAGE;
        rest += size + strspn(rest + size, " \t");
    }
    if (!*rest || strlen(rest) > 400)
        return cli_refuse(error, "display: expected an expression of up to 400 characters");
    struct display *grown = debug_grow(d->displays, d->display_count, sizeof *grown);
    if (grown)
        d->displays = grown;
    display.text = strdup(rest);
    if (!grown || !display.text) {
        free(display.text);
        return cli_refuse_memory(error);
    }
    const enum sam_status status = display_show(d, &display, error);
    if (status != SAM_OK) {
        free(display.text);
        return status;
    }
    d->last_display++;
    grown[d->display_count++] = display;
    return SAM_OK;
}

static enum sam_status undisplay_one(struct debug *d, unsigned number, struct sam_error *error)
{
    for (size_t i = 0; i < d->display_count; i++)
        if (d->displays[i].number == number) {
            free(d->displays[i].text);
            memmove(d->displays + i, d->displays + i + 1,
                    (--d->display_count - i) * sizeof *d->displays);
            return SAM_OK;
        }
    return cli_refuse(error, "no display %u", number);
}

enum sam_status command_undisplay(struct debug *d, const char *rest, struct sam_error *error)
{
    if (*rest)
        return debug_numbers(d, rest, undisplay_one, error);
    while (d->display_count)
        free(d->displays[--d->display_count].text);
    return SAM_OK;
}
