/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by the parser's files: lex.c (tokens), parse.c (statements, scopes), names.c
 * (value names), parse_type.c (types), parse_op.c (tile operations), parse_scf.c (arithmetic,
 * control flow), parse_generic.c (generic form, attributes). */
#ifndef SAM_TILE_PARSE_H
#define SAM_TILE_PARSE_H

#include "tile/tile.h"

enum { PARSE_MAX_OPERANDS = 64, PARSE_MAX_DEPTH = 100, PARSE_BUCKETS = 1 << 14 };

enum token_kind {
    TOKEN_END,
    TOKEN_WORD,   /* pto.tadd, module, ins */
    TOKEN_VALUE,  /* %name; text without the percent sign */
    TOKEN_SYMBOL, /* @name; text without the at sign */
    TOKEN_TYPE,   /* !pto.ptr */
    TOKEN_NUMBER, /* integer or float, with its sign */
    TOKEN_ARROW,
    TOKEN_CHARACTER, /* any other character: text[0] */
};

struct token {
    enum token_kind kind;
    const char *text;
    size_t size;
    struct sam_tile_pos pos;
    bool first; /* first on its line */
};

struct lexer {
    const char *at, *end, *line_start;
    uint32_t line;
    struct sam_buffer comments; /* full-line comments not yet taken */
    struct sam_buffer trailing; /* trailing comments */
    bool fresh;                 /* only blanks on this line so far */
};

struct name {
    uint32_t value, next;
};

/* A block under construction. */
struct block {
    uint32_t first, last;
    uint32_t first_value; /* its own values start here */
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
    size_t awaited;    /* tiles named by a tassign, not yet defined by a result */
    bool bare;         /* an unknown name is an argument */
    bool memory;       /* ran out */
    bool ended;        /* the last statement ends its block */
    bool end_reported; /* the unexpected end of the file was reported */
};

/* A statement being parsed. */
struct statement {
    struct sam_tile_op op;
    struct sam_tile_operand operands[PARSE_MAX_OPERANDS];
    size_t operand_count;
    struct token results[PARSE_MAX_OPERANDS];
    size_t result_count;
    uint32_t ids[PARSE_MAX_OPERANDS]; /* results, once defined */
    bool has_attribute;
    bool generic;
};

/* Append to a growing array; returns SAM_TILE_NONE on out-of-memory. */
#define PARSE_PUSH(array, count, capacity, item)                                                   \
    do {                                                                                           \
        void *grown_ = (count) < UINT32_MAX - 1                                                    \
                           ? sam_grow(array, count, &(capacity), sizeof *(array))                  \
                           : NULL;                                                                 \
        if (!grown_) {                                                                             \
            parser->memory = true;                                                                 \
            return SAM_TILE_NONE;                                                                  \
        }                                                                                          \
        (array) = grown_;                                                                          \
        (array)[(count)++] = (item);                                                               \
    } while (0)

/* Report an error; false. */
#define PARSE_FAIL(parser, pos, ...) (sam_tile_error(&(parser)->report, pos, __VA_ARGS__), false)

/* --- lex.c */
void sam_tile_parse_next(struct parser *parser);
/* Peek at the next non-blank character; 0 at the end. */
int sam_tile_parse_peek(struct parser *parser);
/* Take letters, digits and the characters of `more`. */
struct token sam_tile_parse_chars(struct parser *parser, const char *more);
void sam_tile_parse_skip_char(struct parser *parser);
/* Returns whether a list of values that ends in '=' begins here. */
bool sam_tile_parse_starts_results(const struct parser *parser);
/* Take the pending comments, malloc'ed, or NULL: trailing ones and, unless `trailing`, full-line
 * ones. */
char *sam_tile_parse_take_comments(struct parser *parser, bool trailing);
/* Format the current token for messages. */
const char *sam_tile_parse_found(const struct parser *parser, char *text, size_t size);

bool sam_tile_parse_is(const struct parser *parser, char character);
bool sam_tile_parse_is_word(const struct parser *parser, const char *word);
bool sam_tile_parse_accept(struct parser *parser, char character);
bool sam_tile_parse_accept_word(struct parser *parser, const char *word);
/* Returns false, with an error, if the character is not next. */
bool sam_tile_parse_expect(struct parser *parser, char character, const char *where);
bool sam_tile_parse_expect_word(struct parser *parser, const char *word, const char *where);
/* Returns whether the token is a %name, without taking it; reports an error otherwise. */
bool sam_tile_parse_at_value(struct parser *parser, const char *what);
/* Report that more than `most` items are given; returns false. */
bool sam_tile_parse_too_many(struct parser *parser, const char *what, int most);
bool sam_tile_parse_integer(struct parser *parser, int64_t *value);

/* --- parse_type.c. Return false after an error. */
bool sam_tile_parse_type(struct parser *parser, struct sam_tile_ty *type);

/* --- names.c */
/* Define a value with a name, visible from here on. Returns SAM_TILE_NONE after an error or on
 * out-of-memory. */
uint32_t sam_tile_parse_define(struct parser *parser, const struct token *name,
                               const struct sam_tile_ty *type);
/* Add the operand that the token names to the statement. */
bool sam_tile_parse_operand(struct parser *parser, struct statement *s);
/* Add the tile operand of a tassign, which a later result may define. */
bool sam_tile_parse_assigned(struct parser *parser, struct statement *s);
/* Resolve the result of `alloc`, an alloc_tile to be appended. If it names an existing tile, of an
 * alloc_tile or a pending tassign, that tile is the destination: sets *found, and its number in
 * alloc->ids. Returns false after an error. */
bool sam_tile_parse_destination(struct parser *parser, struct statement *alloc,
                                const struct sam_tile_ty *type, bool *found);
/* Resolve a tile that only a tassign has named: an argument, or undefined; at the end of a block,
 * all such tiles of it. */
void sam_tile_parse_settle(struct parser *parser, uint32_t value);
void sam_tile_parse_end_awaiting(struct parser *parser, uint32_t first_value);
/* Leave a scope: drop the names from here on, except arguments of bare programs. */
void sam_tile_parse_leave(struct parser *parser, size_t names);
/* Define the results of a failed statement, so that their uses cause no further errors. */
void sam_tile_parse_poison(struct parser *parser, const struct statement *s);

/* --- parse.c */
bool sam_tile_parse_block(struct parser *parser, struct block *block);
/* Parse `: T` or `, T`, which must match the type of operand `index`. */
bool sam_tile_parse_operand_type(struct parser *parser, struct statement *s, size_t index);
bool sam_tile_parse_result_count(struct parser *parser, const struct statement *s, size_t count);
/* Define result `index`. */
bool sam_tile_parse_result(struct parser *parser, struct statement *s, size_t index,
                           const struct sam_tile_ty *type);
/* Append the statement to the block as an op. */
bool sam_tile_parse_append(struct parser *parser, struct statement *s);
uint32_t sam_tile_parse_ids(struct parser *parser, const uint32_t *ids, size_t count);
bool sam_tile_parse_kind(struct parser *parser, const struct statement *s, size_t index,
                         enum sam_tile_kind kind, const char *what);
/* Parse one of `words` (NULL-terminated) as the operation's attribute. */
bool sam_tile_parse_choice(struct parser *parser, struct statement *s, const char *const *words,
                           const char *what);

/* --- parse_op.c, parse_scf.c: the text after the operation name */
bool sam_tile_parse_tile_op(struct parser *parser, struct statement *s);
bool sam_tile_parse_special(struct parser *parser, struct statement *s);
bool sam_tile_parse_arith(struct parser *parser, struct statement *s);
bool sam_tile_parse_for(struct parser *parser, struct statement *s);
bool sam_tile_parse_if(struct parser *parser, struct statement *s);
bool sam_tile_parse_yield(struct parser *parser, struct statement *s);

/* --- parse_generic.c: the text after the operation name */
bool sam_tile_parse_generic(struct parser *parser, struct statement *s);
/* Parse `name = value, ...}` of a tile operation. */
bool sam_tile_parse_attributes(struct parser *parser, struct statement *s);

/* --- what the forms share: parse_op.c */
/* The SSA result of a tile operation: allocate it unless it names a tile; it becomes the last
 * operand. */
bool sam_tile_parse_allocated(struct parser *parser, struct statement *s,
                              const struct sam_tile_ty *type);
bool sam_tile_parse_address(struct parser *parser, const struct statement *s, size_t index);
/* Check a view or partition, whose lists have a and b items, window, second tile or new tile;
 * append it. */
bool sam_tile_parse_made(struct parser *parser, struct statement *s, size_t a, size_t b,
                         const struct sam_tile_ty *type, struct sam_tile_pos pos);
/* parse_scf.c */
bool sam_tile_parse_constant(struct parser *parser, struct statement *s, const struct token *value,
                             const struct sam_tile_ty *type);
/* Check the operands of arithmetic on `type`, or of a cast to it; append it. */
bool sam_tile_parse_computed(struct parser *parser, struct statement *s,
                             const struct sam_tile_ty *type, struct sam_tile_pos pos);
/* Parse a block and its '}', whose position *end receives. */
bool sam_tile_parse_body(struct parser *parser, struct statement *s, unsigned which,
                         struct sam_tile_pos *end);
/* Check the types of a loop and of what it carries; those of what a body yields, with the position
 * of its end. */
bool sam_tile_parse_carried(struct parser *parser, const struct statement *s,
                            const struct sam_tile_ty *types, size_t count);
bool sam_tile_parse_yields(struct parser *parser, const struct statement *s, unsigned which,
                           const struct sam_tile_ty *types, size_t count, struct sam_tile_pos end);
/* Append the statement before its blocks; they are linked afterwards. */
bool sam_tile_parse_append_bodies(struct parser *parser, struct statement *s,
                                  const struct sam_tile_ty *types, size_t count);

#endif
