/* SPDX-License-Identifier: Apache-2.0 */
#include "tree/tree.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/base.h"
#include "tree/page.h"

/* ------------------------------------------------------------------------------- the tree */

/* Control characters, and bytes that are not UTF-8, are replaced. */
static json_t *plain_string(const char *text, char control)
{
    struct sam_buffer plain = {0};
    sam_buffer_plain(&plain, text, strlen(text), control);
    json_t *value = plain.failed ? NULL : json_string(sam_buffer_text(&plain));
    sam_buffer_free(&plain);
    return value;
}

json_t *sam_tree_string(const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    return value ? value : plain_string(text, '?'); /* not UTF-8 */
}

json_t *sam_tree_plain(const char *text)
{
    return text ? plain_string(text, ' ') : json_null();
}

static json_t *kept(bool good, json_t *tree)
{
    if (good)
        return tree;
    json_decref(tree);
    return NULL;
}

json_t *sam_tree_set(json_t *object, const char *name, json_t *value)
{
    return kept(json_object_set_new(object, name, value) == 0, object);
}

json_t *sam_tree_add(json_t *array, json_t *value)
{
    return kept(json_array_append_new(array, value) == 0, array);
}

json_t *sam_tree_count(json_t *object, const char *name, uint64_t value)
{
    return sam_tree_set(object, name, json_integer((json_int_t)value));
}

json_t *sam_tree_real(json_t *object, const char *name, double value)
{
    return sam_tree_set(object, name, json_real(value));
}

json_t *sam_tree_flag(json_t *object, const char *name, bool value)
{
    return sam_tree_set(object, name, json_boolean(value));
}

json_t *sam_tree_text(json_t *object, const char *name, const char *text)
{
    return sam_tree_set(object, name, sam_tree_string(text));
}

json_t *sam_tree_members(json_t *object, ...)
{
    va_list members;
    va_start(members, object);
    for (const char *name; (name = va_arg(members, const char *));)
        object = sam_tree_set(object, name, va_arg(members, json_t *));
    va_end(members);
    return object;
}

json_t *sam_tree_numbers(const uint64_t *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        list = sam_tree_add(list, json_integer((json_int_t)values[i]));
    return list;
}

json_t *sam_tree_named(const uint64_t *values, unsigned count, const char *(*name)(unsigned index))
{
    json_t *object = json_object();
    for (unsigned i = 0; i < count; i++)
        object = sam_tree_count(object, name(i), values[i]);
    return object;
}

json_t *sam_tree_fields(json_t *object, const struct sam_tree_field *fields, const void *from)
{
    for (const struct sam_tree_field *f = fields; f->name; f++) {
        const char *at = (const char *)from + f->at;
        uint64_t wide = 0;
        uint32_t narrow = 0;
        double real = 0;
        switch (f->type) {
        case SAM_TREE_U64: memcpy(&wide, at, sizeof wide); break;
        case SAM_TREE_U32:
            memcpy(&narrow, at, sizeof narrow);
            wide = narrow;
            break;
        case SAM_TREE_REAL: memcpy(&real, at, sizeof real); break;
        }
        object = f->type == SAM_TREE_REAL ? sam_tree_real(object, f->name, real)
                                          : sam_tree_count(object, f->name, wide);
    }
    return object;
}

/* -------------------------------------------------------------------------------- as text */

/* The report, or an element of it and what is around it. */
struct scope {
    const json_t *item;
    const char *key; /* of an element */
    const struct scope *outer;
    bool page; /* HTML: strings are escaped */
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
    bool page;
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

static void put_real(struct sam_buffer *out, double value, const struct spec *spec)
{
    const double divisor = spec->unit == 'k' ? 1e3 : 1;
    const double scale = spec->unit == 'M' ? 1e-6 : spec->unit == 'm' ? 1e3 : 1;
    sam_buffer_printf(out, "%*.*f", spec->width, spec->decimals < 0 ? 0 : spec->decimals,
                      value * scale / divisor);
}

static void put_string(struct sam_buffer *out, const char *text, const struct spec *spec)
{
    struct sam_buffer plain = {0};
    if (spec->page) {
        sam_tree_page_put(out, "", text, "");
        return;
    }
    sam_buffer_plain(&plain, text, strlen(text), '?');
    sam_buffer_printf(out, "%*s", spec->width, sam_buffer_text(&plain));
    out->failed |= plain.failed;
    sam_buffer_free(&plain);
}

static void put_value(struct sam_buffer *out, const json_t *value, const struct spec *spec)
{
    const unsigned long long integer = (unsigned long long)json_integer_value(value);
    if (json_is_string(value))
        put_string(out, json_string_value(value), spec);
    else if (json_is_null(value))
        sam_buffer_printf(out, "%*s", spec->width, "");
    else if (json_is_real(value) || spec->decimals >= 0)
        put_real(out, number(value), spec);
    else
        sam_buffer_printf(out, spec->unit == 'x' ? "0x%*llx" : "%*llu", spec->width, integer);
}

static void put_list(struct sam_buffer *out, const json_t *list, struct piece between,
                     const struct spec *spec)
{
    char text[256] = "";
    size_t used = 0, i;
    const json_t *item;
    json_array_foreach(list, i, item) if (used < sizeof text) used +=
        (size_t)snprintf(text + used, sizeof text - used, "%.*s%llu", i ? (int)between.size : 0,
                         between.text, (unsigned long long)json_integer_value(item));
    sam_buffer_printf(out, "%*s", spec->width, text);
}

static void put_padded(struct sam_buffer *out, struct piece text, const struct spec *spec)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%.*s", (int)text.size, text.text);
    sam_buffer_printf(out, "%*s", spec->width, copy);
}

static double share(const json_t *part, const json_t *whole)
{
    return number(whole) != 0 ? number(part) / number(whole) : 0;
}

static void put_bar(struct sam_buffer *out, double part, int width)
{
    const int filled = (int)(part * width + 0.5);
    for (int i = 0; i < width; i++)
        sam_buffer_puts(out, i < filled ? "#" : ".");
}

/* The member with the highest value, the first of several; NULL: none. */
static void *largest(json_t *object)
{
    void *most = json_object_iter(object);
    for (void *at = most; at; at = json_object_iter_next(object, at))
        if (number(json_object_iter_value(at)) > number(json_object_iter_value(most)))
            most = at;
    return most;
}

/* The members of an object, but for its first, as shares of `whole` in percent: "  load 40.2
 * branch 10.1", or sorted, "load 40.2, branch 10.1" without those below 0.05. */
static void put_shares(struct sam_buffer *out, const json_t *object, const json_t *whole,
                       bool sorted)
{
    json_t *left = json_copy((json_t *)object);
    out->failed |= !left;
    json_object_del(left, json_object_iter_key(json_object_iter(left)));
    const char *before = sorted ? "" : "  ";
    for (void *at; (at = sorted ? largest(left) : json_object_iter(left));) {
        const char *name = json_object_iter_key(at);
        const double percent = 100 * share(json_object_iter_value(at), whole);
        if (sorted && percent < 0.05)
            break;
        if (sorted || percent > 0) {
            sam_buffer_printf(out, "%s%s %.1f", before, name, percent);
            before = sorted ? ", " : "  ";
        }
        json_object_del(left, name);
    }
    json_decref(left);
}

/* The text between braces. */
static void put_expression(struct sam_buffer *out, const struct scope *scope, struct piece text)
{
    const struct piece name = cut(&text, "/%#*>^?|:");
    const char operation = text.size ? *text.text : ':';
    struct piece other = {0}, otherwise = {0};
    const json_t *value = find(scope, name);
    if (operation == '|') {
        text = after(text);
        other = cut(&text, "|");
        const bool one = json_is_true(value) || json_integer_value(value) == 1;
        const struct piece chosen = one ? other : after(text);
        sam_buffer_append(out, chosen.text, chosen.size);
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
    struct spec spec = read_spec(after(text));
    spec.page = scope->page;
    if (!value && scope->key && is(name, "key")) {
        put_string(out, scope->key, &spec);
        return;
    }
    assert(value); /* the line names what the report does not have */
    const json_t *const whole = operation == '*' ? NULL : find(scope, other);
    if (otherwise.size && !holds(value)) {
        put_padded(out, otherwise, &spec);
        return;
    }
    switch (operation) {
    case '*': put_list(out, value, other, &spec); return;
    case '/': put_real(out, share(value, whole), &spec); return;
    case '%': put_real(out, 100 * share(value, whole), &spec); return;
    case '#': put_bar(out, share(value, whole), spec.width); return;
    case '^':
    case '>': put_shares(out, value, whole, operation == '>'); return;
    default: put_value(out, value, &spec);
    }
}

static void put_line(struct sam_buffer *out, const struct scope *scope, struct piece line)
{
    while (line.size) {
        const struct piece text = cut(&line, "{");
        sam_buffer_append(out, text.text, text.size);
        if (!line.size)
            break;
        struct piece inside = cut(&line, "}");
        put_expression(out, scope, after(inside));
        line = after(line);
    }
}

/* A line for each element. */
static void put_elements(struct sam_buffer *out, const struct scope *scope, struct piece path,
                         struct piece line)
{
    const struct piece list = cut(&path, ":?");
    const json_t *items = find(scope, list), *item;
    struct scope inner = {.outer = scope, .page = scope->page};
    const bool limited = path.size && *path.text == ':';
    const size_t most = limited ? (size_t)read_spec(after(path)).width : SIZE_MAX;
    struct piece condition = after(path);
    condition.size = limited ? 0 : condition.size;
    char index[24];
    size_t i;
    json_array_foreach(items, i, item)
    {
        if (i == most)
            break;
        snprintf(index, sizeof index, "%zu", i);
        inner.item = item;
        inner.key = index;
        if (!condition.size || holds(find(&inner, condition)))
            put_line(out, &inner, line);
    }
    for (void *at = json_object_iter((json_t *)items); at;
         at = json_object_iter_next((json_t *)items, at)) {
        inner.item = json_object_iter_value(at);
        inner.key = json_object_iter_key(at);
        if (!condition.size || holds(find(&inner, condition)))
            put_line(out, &inner, line);
    }
}

static void put_lines(struct sam_buffer *out, const char *lines, const json_t *report, bool page)
{
    const struct scope scope = {.item = report, .page = page};
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

void sam_tree_print(FILE *file, const char *lines, const json_t *tree)
{
    struct sam_buffer out = {0};
    if (tree)
        put_lines(&out, lines, tree, false);
    if (!tree || out.failed)
        (void)fgetc(file); /* sets the error indicator of a stream that cannot be read */
    else if (out.size)
        fwrite(out.data, 1, out.size, file);
    sam_buffer_free(&out);
}

/* ------------------------------------------------------------------------- CSV and reports */

/* In quotes, doubled inside, where it has what ends a cell, or blanks. */
static void put_cell(struct sam_buffer *out, const char *text)
{
    const bool quoted = strpbrk(text, " ,\"\r\n");
    sam_buffer_puts(out, quoted ? "\"" : "");
    for (; *text; text++)
        sam_buffer_puts(out, *text == '"' ? "\"\"" : (char[2]){*text});
    sam_buffer_puts(out, quoted ? "\"" : "");
}

static void put_cells(struct sam_buffer *out, const json_t *columns, const json_t *row, bool names,
                      bool *first)
{
    for (void *at = json_object_iter((json_t *)columns); at;
         at = json_object_iter_next((json_t *)columns, at)) {
        const char *name = json_object_iter_key(at);
        const json_t *column = json_object_iter_value(at), *value = json_object_get(row, name);
        if (json_is_object(column)) {
            put_cells(out, column, value, names, first);
            continue;
        }
        sam_buffer_puts(out, *first ? "" : ",");
        *first = false;
        if (names)
            put_cell(out, name);
        else if (json_is_string(value))
            put_cell(out, json_string_value(value));
        else if (json_is_real(value))
            sam_buffer_printf(out, "%.6f", json_real_value(value));
        else if (value)
            sam_buffer_printf(out, "%llu", (unsigned long long)json_integer_value(value));
    }
}

static char *text_of(struct sam_buffer *out)
{
    char *text = out->failed ? NULL : sam_strdup(sam_buffer_text(out));
    sam_buffer_free(out);
    return text;
}

char *sam_tree_csv(const json_t *columns, const json_t *rows)
{
    struct sam_buffer out = {.failed = !columns || !rows};
    size_t i = 0;
    for (const json_t *row = NULL; i <= json_array_size(rows); row = json_array_get(rows, i++)) {
        bool first = true;
        put_cells(&out, columns, row, !row, &first);
        sam_buffer_puts(&out, "\n");
    }
    return text_of(&out);
}

void sam_tree_put(json_t *tree, const char *lines, const char *end, struct sam_buffer *out)
{
    char *json = tree && !lines ? json_dumps(tree, JSON_INDENT(1)) : NULL;
    if (lines && tree)
        put_lines(out, lines, tree, false);
    else
        out->failed |= !json || !sam_buffer_puts(out, json) || !sam_buffer_puts(out, end);
    free(json);
    json_decref(tree);
}

void sam_tree_put_page(json_t *tree, const char *lines, struct sam_buffer *out)
{
    out->failed |= !tree;
    if (tree)
        put_lines(out, lines, tree, true);
    json_decref(tree);
}

enum sam_status sam_tree_report(json_t *tree, const char *lines, const char *end, char **text,
                                struct sam_error *error)
{
    struct sam_buffer out = {0};
    sam_tree_put(tree, lines, end, &out);
    *text = text_of(&out);
    return *text ? SAM_OK : sam_fail_memory(error);
}
