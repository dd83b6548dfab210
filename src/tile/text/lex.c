/* SPDX-License-Identifier: Apache-2.0 */
/* Tokenizer. */
#include <stdio.h>

#include "base/ascii.h"
#include "tile/text/parse.h"

static struct sam_tile_pos position(const struct lexer *lexer)
{
    return (struct sam_tile_pos){lexer->line, (uint32_t)(lexer->at - lexer->line_start) + 1};
}

static void advance(struct lexer *lexer)
{
    if (*lexer->at++ == '\n') {
        lexer->line++;
        lexer->line_start = lexer->at;
        lexer->fresh = true;
    }
}

/* MLIR uses '#' for attributes: it starts a comment only at the start of a line or on its own. */
static bool starts_comment(const struct lexer *lexer)
{
    const char *at = lexer->at;
    if (*at == '/')
        return at + 1 < lexer->end && at[1] == '/';
    if (*at != '#')
        return false;
    bool blank_before = at == lexer->line_start || at[-1] == ' ' || at[-1] == '\t';
    bool blank_after = at + 1 == lexer->end || sam_is_space(at[1]);
    return lexer->fresh || (blank_before && blank_after);
}

static void take_comment(struct lexer *lexer)
{
    lexer->at += *lexer->at == '/' ? 2 : 1;
    while (lexer->at < lexer->end && (*lexer->at == ' ' || *lexer->at == '\t'))
        lexer->at++;
    const char *end = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
    end = end ? end : lexer->end;
    size_t size = (size_t)(end - lexer->at);
    while (size && sam_is_space(lexer->at[size - 1]))
        size--;
    struct sam_buffer *out = lexer->fresh ? &lexer->comments : &lexer->trailing;
    sam_buffer_append(out, lexer->at, size);
    sam_buffer_append(out, "\n", 1);
    lexer->at = end;
}

static void skip_blanks(struct lexer *lexer)
{
    while (lexer->at < lexer->end) {
        if (sam_is_space(*lexer->at))
            advance(lexer);
        else if (starts_comment(lexer))
            take_comment(lexer);
        else
            return;
    }
}

char *sam_tile_parse_take_comments(struct parser *parser, bool trailing)
{
    struct sam_buffer *all = &parser->lexer.trailing, *own = &parser->lexer.comments;
    if (!trailing) {
        sam_buffer_append(all, sam_buffer_text(own), own->size);
        parser->memory |= own->failed;
        sam_buffer_free(own);
    }
    parser->memory |= all->failed;
    if (!all->size)
        return NULL;
    char *text = sam_strdup(sam_buffer_text(all));
    sam_buffer_free(all);
    parser->memory |= !text;
    return text;
}

static bool is_name_char(char c, const char *more)
{
    return sam_is_alnum(c) || c == '_' || (c && strchr(more, c));
}

static size_t name_size(const struct lexer *lexer, const char *at, const char *more)
{
    size_t size = 0;
    while (at + size < lexer->end && is_name_char(at[size], more))
        size++;
    return size;
}

static size_t number_size(const struct lexer *lexer)
{
    const char *at = lexer->at;
    size_t size = *at == '-' || *at == '+';
    while (at + size < lexer->end &&
           (is_name_char(at[size], ".") ||
            ((at[size] == '-' || at[size] == '+') && (at[size - 1] == 'e' || at[size - 1] == 'E'))))
        size++;
    return size;
}

/* Size with both quotes, or up to the end of the line if the second is missing. */
static size_t string_size(const struct lexer *lexer)
{
    size_t size = 1;
    const size_t left = (size_t)(lexer->end - lexer->at);
    while (size < left && lexer->at[size] != '"' && lexer->at[size] != '\n')
        size += lexer->at[size] == '\\' && size + 1 < left && lexer->at[size + 1] != '\n' ? 2 : 1;
    return size < left && lexer->at[size] == '"' ? size + 1 : size;
}

void sam_tile_parse_next(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct token *t = &parser->token;
    skip_blanks(lexer);
    *t = (struct token){.text = lexer->at, .pos = position(lexer), .first = lexer->fresh};
    lexer->fresh = false;
    if (lexer->at >= lexer->end)
        return;
    size_t left = (size_t)(lexer->end - lexer->at);
    char c = *lexer->at;
    bool digit_follows = left > 1 && sam_is_digit(lexer->at[1]);
    if (c == '%' || c == '@') {
        size_t size = name_size(lexer, lexer->at + 1, ".$-");
        lexer->at += 1 + size;
        t->kind = !size ? TOKEN_CHARACTER : c == '%' ? TOKEN_VALUE : TOKEN_SYMBOL;
        t->text += size ? 1 : 0;
        t->size = size ? size : 1;
        return;
    }
    if (c == '-' && left > 1 && lexer->at[1] == '>') {
        t->kind = TOKEN_ARROW;
        t->size = 2;
    } else if (sam_is_digit(c) || ((c == '-' || c == '+') && digit_follows)) {
        t->kind = TOKEN_NUMBER;
        t->size = number_size(lexer);
    } else if (is_name_char(c, "")) {
        t->kind = TOKEN_WORD;
        t->size = name_size(lexer, lexer->at, ".$");
    } else if (c == '!') {
        t->kind = TOKEN_TYPE;
        t->size = 1 + name_size(lexer, lexer->at + 1, ".$");
    } else {
        t->kind = TOKEN_CHARACTER;
        t->size = c == '"' ? string_size(lexer) : 1;
    }
    lexer->at += t->size;
}

int sam_tile_parse_peek(struct parser *parser)
{
    skip_blanks(&parser->lexer);
    return parser->lexer.at < parser->lexer.end ? (unsigned char)*parser->lexer.at : 0;
}

void sam_tile_parse_skip_char(struct parser *parser)
{
    parser->lexer.fresh = false;
    if (parser->lexer.at < parser->lexer.end)
        advance(&parser->lexer);
}

struct token sam_tile_parse_chars(struct parser *parser, const char *more)
{
    sam_tile_parse_peek(parser);
    struct lexer *lexer = &parser->lexer;
    struct token t = {.kind = TOKEN_WORD, .text = lexer->at, .pos = position(lexer)};
    t.size = name_size(lexer, lexer->at, more);
    lexer->at += t.size;
    lexer->fresh &= t.size == 0;
    return t;
}

const char *sam_tile_parse_found(const struct parser *parser, char *text, size_t size)
{
    const struct token *t = &parser->token;
    const char *mark = t->kind == TOKEN_VALUE ? "%" : t->kind == TOKEN_SYMBOL ? "@" : "";
    if (t->kind == TOKEN_END)
        snprintf(text, size, "the end of the file");
    else if (t->size == 1 && (t->text[0] < ' ' || t->text[0] > '~'))
        snprintf(text, size, "byte 0x%02x", (unsigned char)t->text[0]);
    else
        snprintf(text, size, "'%s%.*s'", mark, (int)(t->size < 60 ? t->size : 60), t->text);
    return text;
}

bool sam_tile_parse_starts_results(const struct parser *parser)
{
    const char *at = parser->lexer.at, *end = parser->lexer.end;
    while (at < end && sam_is_space(*at))
        at++;
    while (at < end && *at == ',') {
        at++;
        while (at < end && (sam_is_space(*at) || *at == '%'))
            at++;
        at += name_size(&parser->lexer, at, ".$-");
        while (at < end && sam_is_space(*at))
            at++;
    }
    return parser->token.kind == TOKEN_VALUE && at < end && *at == '=';
}

bool sam_tile_parse_is(const struct parser *parser, char character)
{
    return parser->token.kind == TOKEN_CHARACTER && parser->token.text[0] == character;
}

bool sam_tile_parse_is_word(const struct parser *parser, const char *word)
{
    return parser->token.kind == TOKEN_WORD && parser->token.size == strlen(word) &&
           memcmp(parser->token.text, word, parser->token.size) == 0;
}

bool sam_tile_parse_accept(struct parser *parser, char character)
{
    bool is = sam_tile_parse_is(parser, character);
    if (is)
        sam_tile_parse_next(parser);
    return is;
}

bool sam_tile_parse_accept_word(struct parser *parser, const char *word)
{
    bool is = sam_tile_parse_is_word(parser, word);
    if (is)
        sam_tile_parse_next(parser);
    return is;
}

bool sam_tile_parse_expect(struct parser *parser, char character, const char *where)
{
    char found[80];
    if (sam_tile_parse_accept(parser, character))
        return true;
    if (parser->token.kind == TOKEN_END && parser->end_reported)
        return false;
    parser->end_reported = parser->token.kind == TOKEN_END;
    return PARSE_FAIL(parser, parser->token.pos, "expected '%c' %s, found %s", character, where,
                      sam_tile_parse_found(parser, found, sizeof found));
}

bool sam_tile_parse_expect_word(struct parser *parser, const char *word, const char *where)
{
    char found[80];
    if (sam_tile_parse_accept_word(parser, word))
        return true;
    return PARSE_FAIL(parser, parser->token.pos, "expected '%s' %s, found %s", word, where,
                      sam_tile_parse_found(parser, found, sizeof found));
}

bool sam_tile_parse_at_value(struct parser *parser, const char *what)
{
    char found[80];
    if (parser->token.kind == TOKEN_VALUE)
        return true;
    return PARSE_FAIL(parser, parser->token.pos, "expected %s, found %s", what,
                      sam_tile_parse_found(parser, found, sizeof found));
}

bool sam_tile_parse_too_many(struct parser *parser, const char *what, int most)
{
    return PARSE_FAIL(parser, parser->token.pos, "more than %d %s", most, what);
}

bool sam_tile_parse_integer(struct parser *parser, int64_t *value)
{
    char text[80];
    if (parser->token.kind == TOKEN_NUMBER && parser->token.size < sizeof text) {
        snprintf(text, sizeof text, "%.*s", (int)parser->token.size, parser->token.text);
        if (sam_parse_i64(text, value)) {
            sam_tile_parse_next(parser);
            return true;
        }
    }
    return PARSE_FAIL(parser, parser->token.pos, "expected an integer, found %s",
                      sam_tile_parse_found(parser, text, sizeof text));
}
