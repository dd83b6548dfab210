/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <assert.h>
#include <string.h>

#include "cli.h"
#include "json.h"

/* ------------------------------------------------------------------------------- the tree */

static json_t *kept(bool good, json_t *tree)
{
    if (good)
        return tree;
    json_decref(tree);
    return NULL;
}

json_t *report_set(json_t *object, const char *name, json_t *value)
{
    return kept(json_object_set_new(object, name, value) == 0, object);
}

json_t *report_add(json_t *array, json_t *value)
{
    return kept(json_array_append_new(array, value) == 0, array);
}

json_t *report_count(json_t *object, const char *name, uint64_t value)
{
    return report_set(object, name, json_integer((json_int_t)value));
}

json_t *report_real(json_t *object, const char *name, double value)
{
    return report_set(object, name, json_real(value));
}

json_t *report_flag(json_t *object, const char *name, bool value)
{
    return report_set(object, name, json_boolean(value));
}

json_t *report_text(json_t *object, const char *name, const char *text)
{
    return report_set(object, name, text ? cli_json_text(text) : json_null());
}

json_t *report_numbers(const uint64_t *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        list = report_add(list, json_integer((json_int_t)values[i]));
    return list;
}

json_t *report_named(const uint64_t *values, unsigned count, const char *(*name)(unsigned index))
{
    json_t *object = json_object();
    for (unsigned i = 0; i < count; i++)
        object = report_count(object, name(i), values[i]);
    return object;
}

json_t *report_fields(json_t *object, const struct report_field *fields, const void *from)
{
    for (const struct report_field *f = fields; f->name; f++) {
        const char *at = (const char *)from + f->at;
        uint64_t wide = 0;
        uint32_t narrow = 0;
        double real = 0;
        switch (f->type) {
        case REPORT_U64: memcpy(&wide, at, sizeof wide); break;
        case REPORT_U32:
            memcpy(&narrow, at, sizeof narrow);
            wide = narrow;
            break;
        case REPORT_REAL: memcpy(&real, at, sizeof real); break;
        }
        object = f->type == REPORT_REAL ? report_real(object, f->name, real)
                                        : report_count(object, f->name, wide);
    }
    return object;
}

/* -------------------------------------------------------------------------------- as text */

/* The report, or an element of it and what is around it. */
struct scope {
    const json_t *item;
    const char *key; /* of an element */
    const struct scope *outer;
};

struct piece {
    const char *text;
    size_t size;
};

/* The text before the first of `ends`; *rest begins with that character, or is empty. */
static struct piece cut(struct piece *rest, const char *ends)
{
    struct piece part = {rest->text, 0};
    while (part.size < rest->size && !strchr(ends, part.text[part.size]))
        part.size++;
    rest->text += part.size;
    rest->size -= part.size;
    return part;
}

/* The rest after its first character. */
static struct piece after(struct piece text)
{
    return text.size ? (struct piece){text.text + 1, text.size - 1} : text;
}

static const json_t *member(const json_t *object, struct piece path)
{
    while (object && path.size) {
        const struct piece name = cut(&path, ".");
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)name.size, name.text);
        object = json_object_get(object, key);
        path = after(path);
    }
    return object;
}

static bool is(struct piece piece, const char *text)
{
    return piece.size == strlen(text) && memcmp(piece.text, text, piece.size) == 0;
}

static const json_t *find(const struct scope *scope, struct piece path)
{
    for (; scope; scope = scope->outer) {
        const json_t *value = member(scope->item, path);
        if (value)
            return value;
        if (scope->key && is(path, "value"))
            return scope->item;
    }
    return NULL;
}

static double number(const json_t *value)
{
    return json_is_integer(value) ? (double)(uint64_t)json_integer_value(value)
                                  : json_real_value(value);
}

static bool holds(const json_t *value)
{
    return json_is_true(value) || json_object_size(value) || json_array_size(value) ||
           json_string_length(value) || (json_is_number(value) && number(value) != 0);
}

/* "-14.2M" */
struct spec {
    int width, decimals; /* decimals: -1 without */
    char unit;
};

static struct spec read_spec(struct piece text)
{
    struct spec spec = {.decimals = -1};
    const bool left = text.size && text.text[0] == '-';
    int *number_at = &spec.width;
    for (size_t i = left; i < text.size; i++) {
        const char c = text.text[i];
        if (c == '.')
            *(number_at = &spec.decimals) = 0;
        else if (c >= '0' && c <= '9')
            *number_at = *number_at * 10 + c - '0';
        else
            spec.unit = c;
    }
    spec.width = left ? -spec.width : spec.width;
    return spec;
}

static void put_real(FILE *out, double value, const struct spec *spec)
{
    const double scale = spec->unit == 'M' ? 1e-6 : spec->unit == 'm' ? 1e3 : 1;
    fprintf(out, "%*.*f", spec->width, spec->decimals < 0 ? 0 : spec->decimals, value * scale);
}

static void put_value(FILE *out, const json_t *value, const struct spec *spec)
{
    const unsigned long long integer = (unsigned long long)json_integer_value(value);
    if (json_is_string(value))
        fprintf(out, "%*s", spec->width, cli_plain(json_string_value(value)).text);
    else if (json_is_real(value) || spec->decimals >= 0)
        put_real(out, number(value), spec);
    else
        fprintf(out, spec->unit == 'x' ? "0x%*llx" : "%*llu", spec->width, integer);
}

static void put_list(FILE *out, const json_t *list, struct piece between, const struct spec *spec)
{
    char text[256] = "";
    size_t used = 0, i;
    const json_t *item;
    json_array_foreach(list, i, item) if (used < sizeof text) used +=
        (size_t)snprintf(text + used, sizeof text - used, "%.*s%llu", i ? (int)between.size : 0,
                         between.text, (unsigned long long)json_integer_value(item));
    fprintf(out, "%*s", spec->width, text);
}

static void put_padded(FILE *out, struct piece text, const struct spec *spec)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%.*s", (int)text.size, text.text);
    fprintf(out, "%*s", spec->width, copy);
}

/* The text between braces. */
static void put_expression(FILE *out, const struct scope *scope, struct piece text)
{
    const struct piece name = cut(&text, "/%*?|:");
    const char operation = text.size ? *text.text : ':';
    struct piece other = {0}, otherwise = {0};
    const json_t *value = find(scope, name);
    if (operation == '|') {
        text = after(text);
        other = cut(&text, "|");
        const bool one = json_is_true(value) || json_integer_value(value) == 1;
        const struct piece chosen = one ? other : after(text);
        fwrite(chosen.text, 1, chosen.size, out);
        return;
    }
    if (operation != ':' && operation != '?') {
        text = after(text);
        other = cut(&text, "?:");
    }
    if (text.size && *text.text == '?') {
        text = after(text);
        otherwise = cut(&text, ":");
    }
    const struct spec spec = read_spec(after(text));
    if (!value && scope->key && is(name, "key")) {
        fprintf(out, "%*s", spec.width, cli_plain(scope->key).text);
        return;
    }
    assert(value); /* the line names what the report does not have */
    if (otherwise.size && !holds(value)) {
        put_padded(out, otherwise, &spec);
    } else if (operation == '*') {
        put_list(out, value, other, &spec);
    } else if (operation == '/' || operation == '%') {
        const double whole = number(find(scope, other)), part = number(value);
        put_real(out, whole != 0 ? part / whole * (operation == '%' ? 100 : 1) : 0, &spec);
    } else {
        put_value(out, value, &spec);
    }
}

static void put_line(FILE *out, const struct scope *scope, struct piece line)
{
    while (line.size) {
        const struct piece text = cut(&line, "{");
        fwrite(text.text, 1, text.size, out);
        if (!line.size)
            break;
        struct piece inside = cut(&line, "}");
        put_expression(out, scope, after(inside));
        line = after(line);
    }
}

/* A line for each element. */
static void put_elements(FILE *out, const struct scope *scope, struct piece path, struct piece line)
{
    const struct piece list = cut(&path, "?");
    const json_t *items = find(scope, list), *item;
    struct scope inner = {.outer = scope};
    const struct piece condition = after(path);
    char index[24];
    size_t i;
    json_array_foreach(items, i, item)
    {
        snprintf(index, sizeof index, "%zu", i);
        inner.item = item;
        inner.key = index;
        if (!path.size || holds(find(&inner, condition)))
            put_line(out, &inner, line);
    }
    for (void *at = json_object_iter((json_t *)items); at;
         at = json_object_iter_next((json_t *)items, at)) {
        inner.item = json_object_iter_value(at);
        inner.key = json_object_iter_key(at);
        if (!path.size || holds(find(&inner, condition)))
            put_line(out, &inner, line);
    }
}

void report_print(FILE *out, const char *lines, const json_t *report)
{
    const struct scope scope = {.item = report};
    while (*lines) {
        const size_t size = strcspn(lines, "\n"), whole = size + (lines[size] == '\n');
        struct piece line = {lines, whole};
        if (*lines == '?' || *lines == '*') {
            struct piece path = cut(&line, " ");
            if (*lines == '*')
                put_elements(out, &scope, after(path), after(line));
            else if (holds(find(&scope, after(path))))
                put_line(out, &scope, after(line));
        } else {
            put_line(out, &scope, line);
        }
        lines += whole;
    }
}

bool report_row(json_t *rows, const char *lines, json_t *row, struct sam_error *error)
{
    const bool good = row && (!rows || json_array_append(rows, row) == 0);
    if (!good)
        cli_fail_memory(error);
    else if (!rows)
        report_print(stdout, lines, row);
    json_decref(row);
    return good;
}

/* --------------------------------------------------------------------------------- as CSV */

/* In quotes, doubled inside, where it has what ends a cell, or blanks. */
static void put_cell(FILE *out, const char *text)
{
    const bool quoted = strpbrk(text, " ,\"\r\n");
    fputs(quoted ? "\"" : "", out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    fputs(quoted ? "\"" : "", out);
}

static void put_cells(FILE *out, const json_t *columns, const json_t *row, bool names, bool *first)
{
    for (void *at = json_object_iter((json_t *)columns); at;
         at = json_object_iter_next((json_t *)columns, at)) {
        const char *name = json_object_iter_key(at);
        const json_t *column = json_object_iter_value(at), *value = json_object_get(row, name);
        if (json_is_object(column)) {
            put_cells(out, column, value, names, first);
            continue;
        }
        fputs(*first ? "" : ",", out);
        *first = false;
        if (names)
            put_cell(out, name);
        else if (json_is_string(value))
            put_cell(out, json_string_value(value));
        else if (json_is_real(value))
            fprintf(out, "%.6f", json_real_value(value));
        else if (value)
            fprintf(out, "%llu", (unsigned long long)json_integer_value(value));
    }
}

bool report_csv(FILE *out, const json_t *columns, const json_t *rows)
{
    bool first = true;
    size_t i;
    const json_t *row;
    put_cells(out, columns, NULL, true, &first);
    fputc('\n', out);
    json_array_foreach(rows, i, row)
    {
        first = true;
        put_cells(out, columns, row, false, &first);
        fputc('\n', out);
    }
    return !ferror(out);
}
