/* SPDX-License-Identifier: Apache-2.0 */
/* .macro, .rept, .irp, .irpc: recording bodies, reading arguments, substituting them. */
#include "asm/asm.h"

#include <stdio.h>

static bool is(const char *text, size_t size, const char *name)
{
    return strlen(name) == size && memcmp(text, name, size) == 0;
}

const struct asm_macro *sam_asm_macro_find(const struct assembler *as, const char *name,
                                           size_t size)
{
    return sam_names_find(&as->macros, name, size);
}

/* --- substituting arguments */

struct text {
    const char *at; /* NULL: none */
    size_t size;
};

static struct text argument_of(const struct asm_frame *frame, const char *name, size_t size)
{
    struct text found = {0};
    if (frame->series_name && is(name, size, frame->series_name)) {
        found.at = frame->series ? frame->series[frame->turn] : &frame->characters[frame->turn];
        found.size = frame->series ? strlen(found.at) : 1;
    } else if (frame->macro) {
        const struct asm_parameter *p = sam_names_find(&frame->macro->names, name, size);
        found.at = p ? frame->arguments[p - frame->macro->parameters] : NULL;
        found.size = found.at ? strlen(found.at) : 0;
    }
    return found;
}

/* The argument named at `name`: the longest parameter name, cut only at dots so that \op.vv works.
 * *size is the length of the name. */
static struct text longest_argument(const struct asm_frame *frame, const char *name, size_t limit,
                                    size_t *size)
{
    size_t longest = frame->macro         ? frame->macro->longest_name
                     : frame->series_name ? strlen(frame->series_name)
                                          : 0;
    size_t length = 0;
    while (length < limit && length <= longest && sam_asm_name_char(name[length]))
        length++;
    while (length) {
        /* a name that continues here is a different name */
        bool whole = length == limit || name[length] == '.' || !sam_asm_name_char(name[length]);
        struct text found = whole ? argument_of(frame, name, length) : (struct text){0};
        if (found.at) {
            *size = length;
            return found;
        }
        length--;
    }
    return (struct text){0};
}

bool sam_asm_substitute(struct assembler *as, const struct asm_frame *frame, const char *text,
                        size_t size, const char **result, size_t *result_size)
{
    *result = text;
    *result_size = size;
    if (!memchr(text, '\\', size))
        return true;
    struct sam_buffer out = {0};
    for (size_t i = 0; i < size; i++) {
        size_t left = size - i - 1, used = 0;
        const char *next = text + i + 1;
        struct text put;
        if (text[i] == '\\' && left >= 2 && next[0] == '(' && next[1] == ')') {
            i += 2;
        } else if (text[i] == '\\' && left && next[0] == '@') {
            sam_buffer_printf(&out, "%u", frame->number);
            i++;
        } else if (text[i] == '\\' && (put = longest_argument(frame, next, left, &used)).at) {
            sam_buffer_append(&out, put.at, put.size);
            i += used;
        } else {
            sam_buffer_append(&out, text + i, 1);
        }
        if (out.size > (1u << 20)) {
            sam_buffer_free(&out);
            sam_asm_fatal(as, sam_asm_statement_at(as), "a macro line grows beyond 1 MiB");
            return false;
        }
    }
    *result = sam_asm_copy(as, sam_buffer_text(&out), out.size);
    *result_size = out.size;
    if (out.failed)
        sam_asm_out_of_memory(as);
    sam_buffer_free(&out);
    return *result && !as->stop;
}

/* --- reading arguments */

struct cursor {
    const char *at, *end;
};

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\r'))
        c->at++;
}

/* One argument, up to a comma outside quotes and brackets, without surrounding blanks and enclosing
 * quotes. */
static char *read_argument(struct assembler *as, struct cursor *c, bool rest)
{
    skip_blanks(c);
    const char *start = c->at;
    int brackets = 0;
    while (c->at < c->end && (rest || brackets > 0 || *c->at != ',')) {
        if (*c->at == '"') {
            do
                c->at += *c->at == '\\' && c->at + 1 < c->end ? 2 : 1;
            while (c->at < c->end && *c->at != '"');
        } else if (*c->at == '\'' && c->end - c->at > 2 && c->at[2] == '\'') {
            c->at += 2;
        }
        if (c->at < c->end) {
            brackets += *c->at == '(' || *c->at == '[';
            brackets -= *c->at == ')' || *c->at == ']';
            c->at++;
        }
    }
    const char *end = c->at;
    while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    size_t size = (size_t)(end - start);
    if (!rest && size >= 2 && start[0] == '"' && !memchr(start + 1, '"', size - 2) &&
        end[-1] == '"') {
        start++;
        size -= 2;
    }
    return sam_asm_copy(as, start, size);
}

static bool keyword(const struct asm_macro *macro, struct cursor *c, size_t *index)
{
    struct cursor probe = *c;
    skip_blanks(&probe);
    const char *name = probe.at;
    while (probe.at < probe.end && sam_asm_name_char(*probe.at))
        probe.at++;
    size_t size = (size_t)(probe.at - name);
    skip_blanks(&probe);
    if (!size || probe.end - probe.at < 1 || *probe.at != '=' ||
        (probe.end - probe.at > 1 && probe.at[1] == '='))
        return false;
    const struct asm_parameter *found = sam_names_find(&macro->names, name, size);
    if (!found)
        return false;
    *index = (size_t)(found - macro->parameters);
    c->at = probe.at + 1;
    return true;
}

static bool bind_arguments(struct assembler *as, const struct asm_macro *macro, struct cursor *c,
                           const char **values)
{
    struct asm_at at = sam_asm_statement_at(as);
    size_t next = 0;
    skip_blanks(c);
    while (c->at < c->end) {
        size_t index = next;
        if (!keyword(macro, c, &index))
            next++;
        if (index >= macro->parameter_count) {
            sam_asm_error(as, at, "macro %s takes %zu argument%s, more were given", macro->name,
                          macro->parameter_count, macro->parameter_count == 1 ? "" : "s");
            return false;
        }
        char *value = read_argument(as, c, macro->parameters[index].vararg);
        if (!value)
            return false;
        values[index] = value[0] || !macro->parameters[index].fallback
                            ? value
                            : macro->parameters[index].fallback;
        if (c->at < c->end) /* a comma */
            c->at++;
        skip_blanks(c);
    }
    for (size_t i = 0; i < macro->parameter_count; i++) {
        const struct asm_parameter *p = &macro->parameters[i];
        if (p->required && (!values[i] || !values[i][0])) {
            sam_asm_error(as, at, "macro %s needs its argument '%s'", macro->name, p->name);
            return false;
        }
        if (!values[i])
            values[i] = p->fallback ? p->fallback : "";
    }
    return true;
}

static char *title_of(struct assembler *as, const char *kind, const char *name)
{
    char text[128];
    int size = snprintf(text, sizeof text, "%s%s", kind, name);
    return sam_asm_copy(as, text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
}

void sam_asm_macro_call(struct assembler *as, const struct asm_macro *macro,
                        struct asm_lexer *lexer)
{
    const char **values = sam_asm_new(as, macro->parameter_count, sizeof *values);
    struct cursor c = {lexer->token.text, lexer->end};
    if (!values || !bind_arguments(as, macro, &c, values))
        return;
    struct asm_frame frame = {.body = &macro->body,
                              .repeat = 1,
                              .macro = macro,
                              .arguments = values,
                              .number = as->macro_number++,
                              .title = title_of(as, "macro ", macro->name)};
    sam_asm_push_body(as, &frame);
}

/* --- .macro */

static bool read_parameter(struct assembler *as, struct asm_macro *macro, struct cursor *c)
{
    const char *name = c->at;
    while (c->at < c->end && sam_asm_name_char(*c->at))
        c->at++;
    if (c->at == name) {
        sam_asm_error(as, sam_asm_statement_at(as), "malformed parameter list of macro %s",
                      macro->name);
        return false;
    }
    struct asm_parameter p = {.name = sam_asm_copy(as, name, (size_t)(c->at - name))};
    skip_blanks(c);
    if (c->at < c->end && *c->at == ':') {
        const char *kind = ++c->at;
        while (c->at < c->end && sam_asm_name_char(*c->at))
            c->at++;
        size_t size = (size_t)(c->at - kind);
        p.required = is(kind, size, "req");
        p.vararg = is(kind, size, "vararg");
        if (!p.required && !p.vararg) {
            sam_asm_error(as, sam_asm_statement_at(as),
                          "expected req or vararg after ':', found '%.*s'", (int)size, kind);
            return false;
        }
        skip_blanks(c);
    }
    if (c->at < c->end && *c->at == '=') {
        c->at++;
        p.fallback = read_argument(as, c, false);
    }
    if (macro->parameter_count == macro->parameter_capacity) {
        size_t capacity = macro->parameter_capacity ? 2 * macro->parameter_capacity : 8;
        struct asm_parameter *grown = sam_asm_new(as, capacity, sizeof *grown);
        if (!grown)
            return false;
        if (macro->parameter_count)
            memcpy(grown, macro->parameters, macro->parameter_count * sizeof *grown);
        macro->parameters = grown;
        macro->parameter_capacity = capacity;
    }
    macro->parameters[macro->parameter_count++] = p;
    return p.name != NULL;
}

static void define_macro(struct assembler *as, struct asm_lexer *lexer)
{
    static const char *const openers[] = {".macro", NULL};
    struct asm_at at = sam_asm_lex_at(lexer);
    struct asm_macro *macro = sam_asm_new(as, 1, sizeof *macro);
    if (!macro)
        return;
    bool named = lexer->token.kind == TOKEN_NAME;
    macro->name = sam_asm_copy(as, lexer->token.text, named ? lexer->token.size : 0);
    if (!macro->name)
        return;
    macro->next = as->last_macro;
    as->last_macro = macro;
    struct cursor c = {lexer->token.text + lexer->token.size, lexer->end};
    bool good = named;
    if (!named)
        sam_asm_error(as, at, "expected the macro's name after .macro");
    skip_blanks(&c);
    if (good && c.at < c.end && *c.at == ',')
        c.at++;
    for (skip_blanks(&c); good && c.at < c.end; skip_blanks(&c)) {
        good = read_parameter(as, macro, &c);
        skip_blanks(&c);
        if (c.at < c.end && *c.at == ',')
            c.at++;
    }
    for (size_t i = 0; i < macro->parameter_count; i++) {
        struct asm_parameter *p = &macro->parameters[i];
        const size_t size = strlen(p->name);
        macro->longest_name = size > macro->longest_name ? size : macro->longest_name;
        if (!sam_names_find(&macro->names, p->name, size) &&
            !sam_names_add(&macro->names, p->name, size, p))
            sam_asm_out_of_memory(as);
    }
    bool again = good && sam_asm_macro_find(as, macro->name, strlen(macro->name));
    if (again)
        sam_asm_error(as, at, "macro '%s' is already defined", macro->name);
    if (sam_asm_read_body(as, openers, ".endm", &macro->body) && good && !again &&
        !sam_names_add(&as->macros, macro->name, strlen(macro->name), macro))
        sam_asm_out_of_memory(as);
}

/* --- repetitions */

static const char *const repeat_openers[] = {".rept", ".irp", ".irpc", NULL};

static void repeat(struct assembler *as, struct asm_lexer *lexer)
{
    struct asm_at at = sam_asm_lex_at(lexer);
    int64_t count = 0;
    bool good =
        sam_asm_constant(as, lexer, "the count of .rept", &count) && sam_asm_expect_end(as, lexer);
    struct asm_body *body = sam_asm_new(as, 1, sizeof *body);
    if (!body || !sam_asm_read_body(as, repeat_openers, ".endr", body) || !good)
        return;
    if (count < 0 || (uint64_t)count > as->max_expanded) {
        sam_asm_error(as, at, ".rept %lld is outside 0..%llu", (long long)count,
                      (unsigned long long)as->max_expanded);
        return;
    }
    struct asm_frame frame = {.body = body,
                              .repeat = (uint64_t)count,
                              .number = as->macro_number++,
                              .title = title_of(as, ".rept", "")};
    const struct asm_frame *outer = as->frame_count ? &as->frames[as->frame_count - 1] : NULL;
    if (outer && outer->body) /* \@ of the enclosing macro */
        frame.number = outer->number;
    sam_asm_push_body(as, &frame);
}

/* The values of an .irp. */
static bool read_series(struct assembler *as, struct cursor *c, struct asm_frame *frame)
{
    size_t capacity = 0;
    while (c->at < c->end) {
        if (frame->repeat == capacity) {
            const char **grown = sam_asm_new(as, capacity ? 2 * capacity : 8, sizeof *grown);
            if (!grown)
                return false;
            if (capacity)
                memcpy(grown, frame->series, capacity * sizeof *grown);
            frame->series = grown;
            capacity = capacity ? 2 * capacity : 8;
        }
        if (!(frame->series[frame->repeat++] = read_argument(as, c, false)))
            return false;
        c->at += c->at < c->end;
    }
    return true;
}

/* .irp name, a, b, c and .irpc name, abc. */
static void repeat_over(struct assembler *as, struct asm_lexer *lexer, bool characters)
{
    struct asm_at at = sam_asm_lex_at(lexer);
    bool good = lexer->token.kind == TOKEN_NAME;
    char *name = good ? sam_asm_copy(as, lexer->token.text, lexer->token.size) : NULL;
    if (!good)
        sam_asm_error(as, at, "expected a name after %s", characters ? ".irpc" : ".irp");
    struct cursor c = {lexer->token.text + lexer->token.size, lexer->end};
    skip_blanks(&c);
    if (c.at < c.end && *c.at == ',')
        c.at++;
    skip_blanks(&c);
    struct asm_frame frame = {.series_name = name,
                              .number = as->macro_number++,
                              .title =
                                  title_of(as, characters ? ".irpc " : ".irp ", name ? name : "")};
    struct asm_body *body = sam_asm_new(as, 1, sizeof *body);
    if (!body)
        return;
    if (characters) {
        frame.repeat = (uint64_t)(c.end - c.at);
        frame.characters = sam_asm_copy(as, c.at, frame.repeat);
    } else if (!read_series(as, &c, &frame)) {
        return;
    }
    if (!sam_asm_read_body(as, repeat_openers, ".endr", body) || !good || !name)
        return;
    frame.body = body;
    sam_asm_push_body(as, &frame);
}

static void leave_macro(struct assembler *as)
{
    for (size_t i = as->frame_count; i-- > 0;) {
        if (!as->frames[i].macro)
            continue;
        as->frame_count = i + 1;
        as->condition_count = as->frames[i].conditions;
        as->frames[i].next = as->frames[i].body->count;
        return;
    }
    sam_asm_error(as, sam_asm_statement_at(as), ".exitm outside a macro");
}

bool sam_asm_macro_directive(struct assembler *as, const char *name, size_t size,
                             struct asm_lexer *lexer)
{
    if (is(name, size, ".macro"))
        define_macro(as, lexer);
    else if (is(name, size, ".rept"))
        repeat(as, lexer);
    else if (is(name, size, ".irp") || is(name, size, ".irpc"))
        repeat_over(as, lexer, is(name, size, ".irpc"));
    else if (is(name, size, ".exitm"))
        leave_macro(as);
    else if (is(name, size, ".endm") || is(name, size, ".endr"))
        sam_asm_error(as, sam_asm_statement_at(as), "%.*s without a matching start", (int)size,
                      name);
    else
        return false;
    return true;
}
