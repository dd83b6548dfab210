/* SPDX-License-Identifier: Apache-2.0 */
/* The statement source: a stack of files and bodies (macros, repetitions). */
#include "asm/asm.h"

struct asm_at sam_asm_statement_at(struct assembler *as)
{
    const struct asm_statement *s = &as->statement;
    unsigned column = 0;
    const char *text = s->text;
    if (text >= s->place->text && text <= s->place->text + s->place->size) {
        while (text < s->text + s->size && (*text == ' ' || *text == '\t'))
            text++;
        column = (unsigned)(text - s->place->text) + 1;
    }
    return (struct asm_at){s->place, column};
}

static bool push(struct assembler *as, const struct asm_frame *frame)
{
    if (as->frame_count == ASM_MAX_FRAMES) {
        sam_asm_fatal(as, sam_asm_statement_at(as),
                      "macros, repetitions and files nested more than %d deep", ASM_MAX_FRAMES);
        return false;
    }
    struct asm_frame *top = &as->frames[as->frame_count++];
    *top = *frame;
    top->conditions = as->condition_count;
    return true;
}

/* Report a problem of a file at the line of its byte `at`. */
static void report(struct assembler *as, const struct asm_frame *frame, size_t at,
                   const char *problem)
{
    struct asm_place *place = sam_asm_new_place(as);
    if (!place)
        return;
    place->file = frame->file;
    place->line = 1;
    place->outer = frame->outer;
    for (size_t i = 0; i < at; i++)
        place->line += frame->text[i] == '\n';
    sam_asm_error(as, (struct asm_at){place, 0}, "%s", problem);
}

bool sam_asm_push_file(struct assembler *as, const char *file, const char *text, size_t size,
                       const struct asm_place *outer)
{
    struct asm_frame frame = {.file = file, .text = text, .size = size, .line = 0, .outer = outer};
    const char *zero = size ? memchr(text, 0, size) : NULL;
    if (zero) { /* one message, not one for each line of a binary file */
        report(as, &frame, (size_t)(zero - text), "a zero byte: expected text");
        return false;
    }
    void *grown = sam_grow(as->texts, as->text_count, &as->text_capacity, sizeof *as->texts);
    if (!grown) {
        sam_asm_out_of_memory(as);
        return false;
    }
    as->texts = grown;
    struct sam_buffer *clean = &as->texts[as->text_count++];
    *clean = (struct sam_buffer){0};
    size_t open_comment;
    if (!sam_asm_blank_comments(&as->isa, text, size, clean, &open_comment)) {
        sam_asm_out_of_memory(as);
        return false;
    }
    frame.clean = sam_buffer_text(clean);
    if (!push(as, &frame))
        return false;
    if (open_comment != SIZE_MAX)
        report(as, &frame, open_comment, "unterminated comment");
    return true;
}

bool sam_asm_push_body(struct assembler *as, struct asm_frame *frame)
{
    frame->outer = as->statement.place;
    return frame->repeat == 0 || frame->body->count == 0 || push(as, frame);
}

static void pop(struct assembler *as)
{
    struct asm_frame *frame = &as->frames[--as->frame_count];
    while (as->condition_count > frame->conditions) {
        const struct asm_condition *open = &as->conditions[--as->condition_count];
        sam_asm_error(as, (struct asm_at){open->place, 0}, ".if without .endif");
    }
}

/* Bytes of the statement at `text`: up to a newline or a `;` outside quotes. */
static size_t statement_size(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n' || text[i] == ';')
            return i;
        if (text[i] == '"') {
            for (i++; i < size && text[i] != '"' && text[i] != '\n'; i++)
                if (text[i] == '\\' && i + 1 < size && text[i + 1] != '\n')
                    i++;
            if (i < size && text[i] == '\n')
                return i;
        } else if (text[i] == '\'' && i + 2 < size && text[i + 2] == '\'') {
            i += 2;
        }
    }
    return size;
}

/* Record the position of the line at frame->at, for messages. */
static bool begin_line(struct assembler *as, struct asm_frame *frame)
{
    struct asm_place *place = sam_asm_new_place(as);
    if (!place)
        return false;
    const char *line = frame->text + frame->at;
    const char *newline = memchr(line, '\n', frame->size - frame->at);
    size_t size = newline ? (size_t)(newline - line) : frame->size - frame->at;
    if (size && line[size - 1] == '\r')
        size--;
    place->file = frame->file;
    place->line = ++frame->line;
    place->text = frame->clean + frame->at;
    place->original = line;
    place->size = size;
    place->outer = frame->outer;
    frame->place = place;
    return true;
}

static bool file_statement(struct assembler *as, struct asm_frame *frame)
{
    struct asm_statement *s = &as->statement;
    if ((frame->at == 0 || frame->clean[frame->at - 1] == '\n') && !begin_line(as, frame))
        return false;
    s->place = frame->place; /* a body may have run since the line began */
    s->text = frame->clean + frame->at;
    s->size = statement_size(s->text, frame->size - frame->at);
    frame->at += s->size;
    frame->at += frame->at < frame->size;
    return true;
}

static bool body_statement(struct assembler *as, struct asm_frame *frame)
{
    const struct asm_body_line *line = &frame->body->lines[frame->next++];
    struct asm_place *place = sam_asm_new_place(as);
    if (!place)
        return false;
    struct asm_statement *s = &as->statement;
    if (!sam_asm_substitute(as, frame, line->text, line->size, &s->text, &s->size))
        return false;
    place->file = line->place->file;
    place->line = line->place->line;
    place->text = s->text;
    place->size = s->size;
    place->outer = frame->outer;
    place->macro = frame->title;
    place->called = frame->macro != NULL;
    s->place = place;
    as->expanded += s->size;
    as->expanded_statements++;
    return true;
}

/* The next statement of the top frame, or false at its end. */
static bool raw_statement(struct assembler *as)
{
    struct asm_frame *frame = &as->frames[as->frame_count - 1];
    if (as->expanded_statements > as->max_expanded / 64 || as->expanded > as->max_expanded) {
        sam_asm_fatal(as, sam_asm_statement_at(as),
                      "the program expands to more than %llu statements or %llu characters",
                      (unsigned long long)as->max_expanded / 64,
                      (unsigned long long)as->max_expanded);
        return false;
    }
    if (!frame->body)
        return frame->at < frame->size && file_statement(as, frame);
    if (frame->next == frame->body->count) {
        if (++frame->turn >= frame->repeat)
            return false;
        frame->next = 0;
    }
    return body_statement(as, frame);
}

bool sam_asm_next_statement(struct assembler *as)
{
    while (!as->stop && as->frame_count) {
        if (raw_statement(as))
            return !as->stop;
        if (!as->stop)
            pop(as);
    }
    return false;
}

/* First word of the current statement. */
static size_t first_word(const struct asm_statement *s, const char **word)
{
    const char *at = s->text, *end = s->text + s->size;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    *word = at;
    while (at < end && sam_asm_name_char(*at))
        at++;
    return (size_t)(at - *word);
}

static bool is_word(const char *word, size_t size, const char *name)
{
    return strlen(name) == size && memcmp(word, name, size) == 0;
}

/* Allocates from the assembler's memory; the old array is freed with it. */
static bool grow_body(struct assembler *as, struct asm_body *body)
{
    size_t capacity = body->capacity ? body->capacity * 2 : 8;
    struct asm_body_line *lines = sam_asm_new(as, capacity, sizeof *lines);
    if (!lines)
        return false;
    if (body->count)
        memcpy(lines, body->lines, body->count * sizeof *lines);
    body->lines = lines;
    body->capacity = capacity;
    return true;
}

bool sam_asm_read_body(struct assembler *as, const char *const *openers, const char *closer,
                       struct asm_body *body)
{
    struct asm_at start = sam_asm_statement_at(as);
    size_t depth = 1;
    while (!as->stop && raw_statement(as)) {
        const char *word;
        size_t size = first_word(&as->statement, &word);
        for (const char *const *o = openers; *o; o++)
            depth += is_word(word, size, *o);
        if (is_word(word, size, closer) && --depth == 0)
            return true;
        if (body->count == body->capacity && !grow_body(as, body))
            return false;
        body->lines[body->count++] =
            (struct asm_body_line){as->statement.text, as->statement.size, as->statement.place};
    }
    sam_asm_error(as, start, "%s is missing", closer);
    return false;
}
