/* SPDX-License-Identifier: Apache-2.0 */
/* The lexer. */
#include "asm/asm.h"

#include <stdio.h>

#include "base/ascii.h"

bool sam_asm_name_start(char c)
{
    return sam_is_letter(c) || c == '_' || c == '.' || c == '$' || (c & 0x80);
}

bool sam_asm_name_char(char c)
{
    return sam_asm_name_start(c) || sam_is_digit(c);
}

/* Size of a well-formed character constant at `text`, or 0: an apostrophe in a comment or a macro
 * argument is not a constant. */
static size_t character_size(const char *text, size_t size)
{
    const char *at = text + 1, *problem = NULL;
    if (size < 3 || sam_asm_character(&at, text + size, &problem) < 0)
        return 0;
    return at < text + size && *at == '\'' ? (size_t)(at + 1 - text) : 0;
}

/* Size of the string at `text`, including both quotes, or up to the end of its line. */
static size_t string_size(const char *text, size_t size)
{
    size_t i = 1;
    while (i < size && text[i] != '"' && text[i] != '\n')
        i += text[i] == '\\' && i + 1 < size && text[i + 1] != '\n' ? 2 : 1;
    return i < size && text[i] == '"' ? i + 1 : i;
}

bool sam_asm_blank_comments(const struct sam_isa *isa, const char *text, size_t size,
                            struct sam_buffer *out, size_t *open_comment)
{
    bool semicolon = isa->extensions & SAM_EXT_XTENSORLOAD;
    *open_comment = SIZE_MAX;
    for (size_t i = 0; i < size;) {
        size_t keep = 1, blank = 0;
        if (text[i] == '"') {
            keep = string_size(text + i, size - i);
        } else if (text[i] == '\'') {
            keep = character_size(text + i, size - i);
            keep = keep ? keep : 1;
        } else if (text[i] == '#' || (text[i] == ';' && semicolon) ||
                   (text[i] == '/' && i + 1 < size && text[i + 1] == '/')) {
            while (i + blank < size && text[i + blank] != '\n')
                blank++;
        } else if (text[i] == '/' && i + 1 < size && text[i + 1] == '*') {
            for (blank = 2; i + blank < size; blank++)
                if (text[i + blank] == '/' && text[i + blank - 1] == '*' && blank > 2)
                    break;
            if (i + blank < size)
                blank++;
            else
                *open_comment = i;
        }
        if (!blank) {
            sam_buffer_append(out, text + i, keep);
            i += keep;
            continue;
        }
        for (size_t end = i + blank; i < end; i++)
            sam_buffer_append(out, text[i] == '\n' ? "\n" : text[i] == '\t' ? "\t" : " ", 1);
    }
    return !out->failed;
}

void sam_asm_lex_start(struct asm_lexer *lexer, const char *text, size_t size,
                       const struct asm_place *place)
{
    *lexer = (struct asm_lexer){.start = text, .at = text, .end = text + size, .place = place};
    lexer->token.text = text;
    sam_asm_lex_next(lexer);
}

struct asm_at sam_asm_lex_at(const struct asm_lexer *lexer)
{
    unsigned column = lexer->fixed_column;
    const struct asm_place *place = lexer->place;
    if (!column && lexer->token.text >= place->text &&
        lexer->token.text <= place->text + place->size)
        column = (unsigned)(lexer->token.text - place->text) + 1;
    return (struct asm_at){place, column};
}

int sam_asm_character(const char **at, const char *end, const char **problem)
{
    if (*at >= end || **at == '\n')
        return -1;
    char c = *(*at)++;
    if (c != '\\')
        return (unsigned char)c;
    if (*at >= end)
        return -1;
    c = *(*at)++;
    switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'v': return '\v';
    case 'a': return '\a';
    case 'e': return 27;
    case '\\':
    case '\'':
    case '"': return c;
    case 'x': {
        int value = 0, digits = 0;
        while (*at < end && sam_hex_digit(**at) < 16 && digits < 2) {
            value = value * 16 + (int)sam_hex_digit(*(*at)++);
            digits++;
        }
        if (digits)
            return value;
        *problem = "\\x needs hexadecimal digits";
        return -1;
    }
    default: break;
    }
    if (c >= '0' && c <= '7') {
        int value = c - '0';
        for (int i = 0; i < 2 && *at < end && **at >= '0' && **at <= '7'; i++)
            value = value * 8 + *(*at)++ - '0';
        return value & 255;
    }
    *problem = "unknown escape (known: \\n \\t \\r \\b \\f \\v \\a \\e \\\\ \\' \\\" \\xHH \\ooo)";
    return -1;
}

char *sam_asm_string(struct assembler *as, const struct asm_token *token, size_t *size,
                     const char **problem)
{
    char *bytes = sam_asm_new(as, token->size, 1);
    *size = 0;
    *problem = NULL;
    if (!bytes)
        return NULL;
    const char *at = token->text + 1, *end = token->text + token->size - 1;
    while (at < end) {
        int c = sam_asm_character(&at, end, problem);
        if (c < 0) {
            if (!*problem)
                *problem = "damaged string";
            return NULL;
        }
        bytes[(*size)++] = (char)c;
    }
    return bytes;
}

static void bad(struct asm_token *token, const char *problem)
{
    token->kind = TOKEN_BAD;
    token->problem = problem;
}

/* In pseudo.def a '$' begins the next operand. */
static bool continues(const struct asm_lexer *lexer, char c)
{
    return sam_asm_name_char(c) && !(c == '$' && lexer->bindings);
}

/* 12, 0x1f, 0b101, 0o17, 017 (octal as in C and GNU as), 1f, 1b. */
static void number_token(struct asm_lexer *lexer)
{
    struct asm_token *token = &lexer->token;
    const char *at = lexer->at, *end = lexer->end;
    unsigned radix = 10;
    if (*at == '0' && at + 1 < end) {
        char c = at[1] | 0x20;
        if (c == 'x' && at + 2 < end && sam_hex_digit(at[2]) < 16)
            radix = 16;
        else if (c == 'b' && at + 2 < end && (at[2] == '0' || at[2] == '1'))
            radix = 2;
        else if (c == 'o' && at + 2 < end && sam_hex_digit(at[2]) < 8)
            radix = 8;
        at += radix == 10 ? 0 : 2;
        if (radix == 10 && sam_is_digit(at[1])) {
            radix = 8;
            at++;
        }
    }
    uint64_t value = 0;
    bool overflow = false;
    while (at < end && sam_hex_digit(*at) < radix) {
        unsigned d = sam_hex_digit(*at++);
        if (value > (UINT64_MAX - d) / radix)
            overflow = true;
        value = value * radix + d;
    }
    token->kind = TOKEN_NUMBER;
    token->number = (int64_t)value;
    if (radix == 10 && at < end && (*at == 'f' || *at == 'b') &&
        (at + 1 == end || !sam_asm_name_char(at[1]))) {
        token->kind = TOKEN_LOCAL;
        token->punct[0] = *at++;
        token->punct[1] = '\0';
        overflow |= value > 1000000000;
    }
    if (at < end && continues(lexer, *at)) {
        while (at < end && continues(lexer, *at))
            at++;
        bad(token, "malformed number (12, 0x1f, 0b101, 0o17, 017; 1f and 1b are labels)");
    } else if (overflow) {
        bad(token, "number does not fit 64 bits");
    }
    token->size = (size_t)(at - lexer->at);
}

static size_t punct_size(const char *at, const char *end)
{
    static const char *const doubles[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "<>"};
    for (size_t i = 0; at + 1 < end && i < SAM_COUNT(doubles); i++)
        if (memcmp(at, doubles[i], 2) == 0)
            return 2;
    return 1;
}

void sam_asm_lex_next(struct asm_lexer *lexer)
{
    struct asm_token *token = &lexer->token;
    while (lexer->at < lexer->end &&
           (*lexer->at == ' ' || *lexer->at == '\t' || *lexer->at == '\r' || *lexer->at == '\f'))
        lexer->at++;
    const char *at = lexer->at, *end = lexer->end;
    *token = (struct asm_token){.kind = TOKEN_END, .text = at};
    if (at == end)
        return;
    if (*at == '$' && lexer->bindings && at + 1 < end) {
        token->kind = TOKEN_BINDING;
        token->size = 2;
        token->number = (unsigned char)at[1];
    } else if (sam_asm_name_start(*at)) {
        token->kind = TOKEN_NAME;
        while (at < end && continues(lexer, *at))
            at++;
        token->size = (size_t)(at - lexer->at);
    } else if (sam_is_digit(*at)) {
        number_token(lexer);
    } else if (*at == '"') {
        token->size = string_size(at, (size_t)(end - at));
        token->kind = TOKEN_STRING;
        if (token->size < 2 || at[token->size - 1] != '"')
            bad(token, "unterminated string");
    } else if (*at == '\'') {
        token->size = character_size(at, (size_t)(end - at));
        token->kind = TOKEN_NUMBER;
        const char *inside = at + 1, *problem = NULL;
        if (token->size)
            token->number = sam_asm_character(&inside, end, &problem);
        else
            bad(token, "malformed character constant (expected 'c')");
        token->size = token->size ? token->size : 1;
    } else {
        token->kind = TOKEN_PUNCT;
        token->size = punct_size(at, end);
        memcpy(token->punct, at, token->size);
        token->punct[token->size] = '\0';
    }
    lexer->at += token->size;
}

bool sam_asm_lex_is(const struct asm_lexer *lexer, const char *punct)
{
    return lexer->token.kind == TOKEN_PUNCT && strcmp(lexer->token.punct, punct) == 0;
}

bool sam_asm_lex_take(struct asm_lexer *lexer, const char *punct)
{
    if (!sam_asm_lex_is(lexer, punct))
        return false;
    sam_asm_lex_next(lexer);
    return true;
}

bool sam_asm_lex_is_name(const struct asm_lexer *lexer, const char *name)
{
    return lexer->token.kind == TOKEN_NAME && lexer->token.size == strlen(name) &&
           memcmp(lexer->token.text, name, lexer->token.size) == 0;
}

const char *sam_asm_lex_shown(const struct asm_lexer *lexer, char *text, size_t size)
{
    const struct asm_token *token = &lexer->token;
    if (token->kind == TOKEN_END)
        return "the end of the line";
    if (token->kind == TOKEN_BAD)
        return token->problem;
    int shown = token->size > 40 ? 40 : (int)token->size;
    snprintf(text, size, "'%.*s%s'", shown, token->text, token->size > 40 ? "..." : "");
    return text;
}
