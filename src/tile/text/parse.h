/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the parser share. lex.c makes tokens, parse.c statements and scopes,
 * names.c the names of values, parse_type.c types, parse_op.c tile operations, parse_scf.c
 * arithmetic and control flow. */
#ifndef SAM_TILE_PARSE_H
#define SAM_TILE_PARSE_H

#include "tile/tile.h"

enum { PARSE_MAX_OPERANDS = 64, PARSE_MAX_DEPTH = 100, PARSE_BUCKETS = 1 << 14 };

enum token_kind {
    TOKEN_END,
    TOKEN_WORD,   /* pto.tadd, module, ins */
    TOKEN_VALUE,  /* %name; the text is without the percent sign */
    TOKEN_SYMBOL, /* @name; without the at sign */
    TOKEN_TYPE,   /* !pto.ptr */
    TOKEN_NUMBER, /* an integer or a float, with its sign */
    TOKEN_ARROW,
    TOKEN_CHARACTER, /* any other: text[0] */
};

struct token {
    enum token_kind kind;
    const char *text;
    size_t size;
    struct sam_tile_pos pos;
    bool first; /* the first on its line */
};

struct lexer {
    const char *at, *end, *line_start;
    uint32_t line;
    struct sam_buffer comments; /* on lines of their own, since last taken */
    struct sam_buffer trailing; /* after something on its line */
    bool fresh;                 /* nothing but blanks on this line so far */
};

struct name {
    uint32_t value, next;
};

/* A block under construction. */
struct block {
    uint32_t first, last;
    uint32_t first_value; /* values from here on are its own */
};

struct parser {
    struct sam_tile_program *p;
    struct sam_tile_report report;
    struct lexer lexer;
    struct token token;
    struct block *block;
    struct name *names;
    size_t name_count, name_capacity;
    uint32_t *buckets; /* name + 1 */
    unsigned depth;
    size_t awaited;    /* tiles that a tassign has named and no result has defined yet */
    bool bare;         /* an unknown name is an argument */
    bool memory;       /* ran out */
    bool ended;        /* the statement just read ends its block */
    bool end_reported; /* the unexpected end of the file was reported */
};

/* A statement while it is read. */
struct statement {
    struct sam_tile_op op;
    struct sam_tile_operand operands[PARSE_MAX_OPERANDS];
    size_t operand_count;
    struct token results[PARSE_MAX_OPERANDS];
    size_t result_count;
    uint32_t ids[PARSE_MAX_OPERANDS]; /* of the results, once they are defined */
    bool has_attribute;
};

/* Append to an array that grows; return SAM_TILE_NONE if out of memory. */
#define PARSE_PUSH(array, count, capacity, item)                                                   \
    do {                                                                                           \
        void *grown_ = sam_grow(array, count, &(capacity), sizeof *(array));                       \
        if (!grown_ || (count) >= UINT32_MAX - 1) {                                                \
            parser->memory = true;                                                                 \
            return SAM_TILE_NONE;                                                                  \
        }                                                                                          \
        (array) = grown_;                                                                          \
        (array)[(count)++] = (item);                                                               \
    } while (0)

/* --- lex.c */
void sam_tile_parse_next(struct parser *parser);
/* The next character that is not blank, without taking it; 0 at the end. */
int sam_tile_parse_peek(struct parser *parser);
/* Letters, digits and the characters of `more` from here. */
struct token sam_tile_parse_chars(struct parser *parser, const char *more);
void sam_tile_parse_skip_char(struct parser *parser);
/* Does a list of values that ends in '=' begin here? */
bool sam_tile_parse_starts_results(const struct parser *parser);
/* The comments since they were last taken, malloc'ed, or NULL: those after something on its line
 * and, unless `trailing`, those on lines of their own. */
char *sam_tile_parse_take_comments(struct parser *parser, bool trailing);
/* The token as it stands in messages. */
const char *sam_tile_parse_found(const struct parser *parser, char *text, size_t size);

bool sam_tile_parse_is(const struct parser *parser, char character);
bool sam_tile_parse_is_word(const struct parser *parser, const char *word);
bool sam_tile_parse_accept(struct parser *parser, char character);
bool sam_tile_parse_accept_word(struct parser *parser, const char *word);
/* False, with an error, if it is not there. */
bool sam_tile_parse_expect(struct parser *parser, char character, const char *where);
bool sam_tile_parse_expect_word(struct parser *parser, const char *word, const char *where);
/* Whether the token is a %name; it is not taken. */
bool sam_tile_parse_at_value(struct parser *parser, const char *what);
/* Report more items than there is room for; false. */
bool sam_tile_parse_too_many(struct parser *parser, const char *what, int most);
bool sam_tile_parse_integer(struct parser *parser, int64_t *value);

/* --- parse_type.c. False after an error. */
bool sam_tile_parse_type(struct parser *parser, struct sam_tile_ty *type);

/* --- names.c */
/* A new value with a name, visible from here on; SAM_TILE_NONE after an error or if out of memory.
 */
uint32_t sam_tile_parse_define(struct parser *parser, const struct token *name,
                               const struct sam_tile_ty *type);
/* The operand that the token names, added to the statement. */
bool sam_tile_parse_operand(struct parser *parser, struct statement *s);
/* The same for the tile of a tassign, which its result may define later. */
bool sam_tile_parse_assigned(struct parser *parser, struct statement *s);
/* If the result of `alloc`, an alloc_tile to be appended, has the name of a tile that is there
 * already, of an alloc_tile or of a tassign that awaits it, then that tile is its destination:
 * *found, and its number in alloc->ids. False after an error. */
bool sam_tile_parse_destination(struct parser *parser, struct statement *alloc,
                                const struct sam_tile_ty *type, bool *found);
/* A tile that only a tassign has named so far is an argument, or not defined; and at the end of a
 * block all that it has. */
void sam_tile_parse_settle(struct parser *parser, uint32_t value);
void sam_tile_parse_end_awaiting(struct parser *parser, uint32_t first_value);
/* Forget the names from here on, but for arguments of bare programs. */
void sam_tile_parse_leave(struct parser *parser, size_t names);
/* Define the results of a statement that failed, so that their uses are not reported as well. */
void sam_tile_parse_poison(struct parser *parser, const struct statement *s);

/* --- parse.c */
bool sam_tile_parse_block(struct parser *parser, struct block *block);
/* `: T` or `, T` for operand `index`, whose type it must be. */
bool sam_tile_parse_operand_type(struct parser *parser, struct statement *s, size_t index);
bool sam_tile_parse_result_count(struct parser *parser, const struct statement *s, size_t count);
/* Define result `index`. */
bool sam_tile_parse_result(struct parser *parser, struct statement *s, size_t index,
                           const struct sam_tile_ty *type);
/* The statement as an op at the end of the block; its number. */
uint32_t sam_tile_parse_append(struct parser *parser, struct statement *s);
uint32_t sam_tile_parse_ids(struct parser *parser, const uint32_t *ids, size_t count);
bool sam_tile_parse_kind(struct parser *parser, const struct statement *s, size_t index,
                         enum sam_tile_kind kind, const char *what);
/* Take one of `words` (ended by NULL) as the operation's attribute. */
bool sam_tile_parse_choice(struct parser *parser, struct statement *s, const char *const *words,
                           const char *what);

/* --- parse_op.c, parse_scf.c: what follows the operation name */
bool sam_tile_parse_tile_op(struct parser *parser, struct statement *s);
bool sam_tile_parse_special(struct parser *parser, struct statement *s);
bool sam_tile_parse_arith(struct parser *parser, struct statement *s);
bool sam_tile_parse_for(struct parser *parser, struct statement *s);
bool sam_tile_parse_if(struct parser *parser, struct statement *s);
bool sam_tile_parse_yield(struct parser *parser, struct statement *s);

#endif
