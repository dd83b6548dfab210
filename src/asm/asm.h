/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of the assembler. Its stages:
 *   source (frames, macros, conditionals) -> statements -> directives or instructions -> items of
 *   sections -> layout (addresses, long branches) -> emit (words, image).
 * After pass one every item has a known size, except for branches that may grow; pass two evaluates
 * every expression and encodes. */
#ifndef SAM_ASM_H
#define SAM_ASM_H

#include "base/report.h"
#include "isa/isa.h"

/* Limits that keep hostile input from exhausting the host. */
enum {
    ASM_MAX_FRAMES = 64, /* nesting of macros, repetitions and files */
    ASM_MAX_CONDITIONS = 64,
    ASM_MAX_DEPTH = 200, /* of an expression */
    ASM_MAX_ARGS = 8,
    ASM_MAX_ALIGNMENT = 1 << 20,
};
#define ASM_MAX_SIZE (UINT64_C(256) << 20) /* all sections together */
/* Default limit of the characters that macros, repetitions and included files produce. A statement
 * of a body counts 64 and four bytes of memory count one towards the same limit, so that it bounds
 * time and memory whatever is expanded. */
#define ASM_MAX_EXPANDED (UINT64_C(64) << 20)

/* The position of a statement. `text` is the line as messages show it. */
struct asm_place {
    const char *file;
    unsigned line;
    const char *text;     /* the line that columns refer to: comments blanked */
    const char *original; /* the line as written, or NULL */
    size_t size;
    const struct asm_place *outer; /* where the macro was called or the file included */
    const char *macro;             /* name for "in ...", with outer */
    bool called;                   /* of a macro's body: its line information is that of the call */
    unsigned serial;               /* reading order, by which messages are sorted */
};

struct asm_at {
    const struct asm_place *place;
    unsigned column; /* from 1; 0 = the whole line */
};

/* --- expressions */
enum asm_node_kind {
    NODE_NUMBER,
    NODE_SYMBOL,
    NODE_EQU, /* a .set value that was unknown at its use */
    NODE_DOT,
    NODE_UNARY,
    NODE_BINARY,
    NODE_TERNARY,
    NODE_MODIFIER,
};

enum asm_operator {
    OP_NONE,
    OP_NEG,
    OP_NOT,
    OP_LNOT,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_ADD,
    OP_SUB,
    OP_SHL,
    OP_SHR,
    OP_LT,
    OP_GT,
    OP_LE,
    OP_GE,
    OP_EQ,
    OP_NE,
    OP_AND,
    OP_XOR,
    OP_OR,
    OP_ORN,
    OP_LAND,
    OP_LOR,
    /* modifiers */
    OP_HI,
    OP_LO,
    OP_PCREL_HI,
    OP_PCREL_LO,
    OP_PCREL_PREV, /* low part for the preceding auipc; only in pseudo.def */
};

struct asm_section;
struct asm_symbol;

/* A place in a section: `delta` bytes into an item; an item past the last is the section's end.
 * `offset` is exact as long as nothing before it can grow; positions of the same epoch have an
 * exact distance. */
struct asm_position {
    struct asm_section *section;
    size_t item;
    uint64_t delta;
    uint64_t offset;
    unsigned epoch;
};

struct asm_value {
    int64_t number;
    const struct asm_section *section; /* base of the value, or NULL for a plain number */
    unsigned epoch;
};

enum asm_known { ASM_KNOWN, ASM_UNKNOWN, ASM_WRONG };

/* The value of one .set, evaluated once per layout. */
struct asm_equ {
    const struct asm_node *expr;
    enum asm_known early; /* state in pass one */
    struct asm_value value;
    unsigned stamp;
    enum asm_known state;
    int64_t number;
    bool visiting;
};

struct asm_node {
    enum asm_node_kind kind;
    enum asm_operator op;
    unsigned depth;
    struct asm_at at;
    union {
        int64_t number;
        struct asm_symbol *symbol;
        struct asm_equ *equ;
        const struct asm_position *position;
        const struct asm_node *child[3];
    };
};

struct asm_symbol {
    char *name;
    enum { SYMBOL_UNDEFINED, SYMBOL_LABEL, SYMBOL_EQU } state;
    bool global, function, hidden;
    bool weak;  /* without a definition its value is 0 */
    bool fixed; /* .equ or -D: a second .equ is an error, but .set may change it */
    struct asm_at defined;
    struct asm_position position;
    struct asm_equ *equ;
    const struct asm_node *size;
    unsigned count; /* definitions of a numeric label so far */
};

/* --- tokens */
enum asm_token_kind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_LOCAL,   /* 1f, 1b */
    TOKEN_BINDING, /* $d in pseudo.def */
    TOKEN_PUNCT,
    TOKEN_BAD,
};

struct asm_token {
    enum asm_token_kind kind;
    const char *text;
    size_t size;
    int64_t number; /* value; number of a local label */
    char punct[3];
    const char *problem; /* of a TOKEN_BAD */
};

struct asm_args;

struct asm_lexer {
    const char *start, *at, *end;
    const struct asm_place *place;
    unsigned fixed_column;           /* of pseudo-instruction text: the column of all its tokens */
    const struct asm_args *bindings; /* operands that $x names, or NULL */
    struct asm_token token;
};

/* --- instructions */
struct asm_arg {
    const struct sam_operand *operand;
    int32_t number; /* register number, or value when expr is NULL */
    const struct asm_node *expr;
    struct asm_at at;
};

struct asm_args {
    unsigned count;
    struct asm_arg arg[ASM_MAX_ARGS]; /* allocated with room for `count` only in an instruction */
};

struct asm_insn {
    enum sam_op op;
    uint32_t bits;      /* the bits set by a suffix */
    enum sam_op prefix; /* inserted in front: regext, regexti or SAM_OP_ILLEGAL */
    const struct asm_insn *explicit_prefix;
    bool relaxable, relaxed;
    uint64_t address; /* of the word itself, after an inserted prefix */
    const struct asm_insn *previous;
    const struct asm_args *args;
    struct asm_at at;
};

/* --- sections */
enum asm_item_kind { ITEM_INSN, ITEM_RAW, ITEM_VALUE, ITEM_FILL, ITEM_ALIGN };

struct asm_item {
    enum asm_item_kind kind;
    uint64_t offset;
    uint64_t size;
    struct asm_at at;
    const struct asm_place *loc; /* of .loc, or NULL */
    union {
        struct asm_insn *insn;
        size_t raw; /* first byte in section->raw */
        const struct asm_node *value;
        struct {
            uint64_t pattern; /* of `width` bytes */
            uint8_t width;
        } fill;
        struct {
            uint64_t alignment;
            uint64_t limit; /* skip at most this many bytes */
            int fill;       /* byte, or -1: nops in code, zeros elsewhere */
        } align;
    };
};

struct asm_section {
    char *name;
    bool execute, write, nobits;
    bool fixed;    /* .address given */
    bool is_debug; /* not loaded: labels are offsets */
    uint64_t address;
    uint64_t alignment;
    uint64_t size; /* in pass one: so far, with short branches */
    unsigned epoch;
    struct asm_item *items;
    size_t count, capacity;
    struct sam_buffer raw;
    size_t order;
};

/* --- source */
struct asm_statement {
    const char *text;
    size_t size;
    const struct asm_place *place;
};

/* A row of the listing: a statement and its output. */
struct asm_listed {
    struct asm_statement statement;
    struct asm_position begin, end;
};

struct asm_body_line {
    const char *text;
    size_t size;
    const struct asm_place *place;
};

struct asm_body {
    struct asm_body_line *lines;
    size_t count, capacity;
};

struct asm_parameter {
    const char *name;
    const char *fallback; /* default text, or NULL */
    bool required, vararg;
};

struct asm_macro {
    const char *name;
    struct asm_parameter *parameters;
    size_t parameter_count, parameter_capacity;
    struct sam_names names; /* of the parameters */
    size_t longest_name;
    struct asm_body body;
    struct asm_macro *next; /* defined before */
};

struct asm_frame {
    /* a file */
    const char *file;
    const char *text, *clean; /* as written; comments blanked out */
    size_t size, at;
    unsigned line;
    const struct asm_place *place; /* of the line being read */
    /* a body, run `repeat` times */
    const struct asm_body *body;
    size_t next;
    uint64_t repeat;
    const struct asm_macro *macro; /* parameter names, or NULL */
    const char **arguments;        /* one value per parameter */
    const char **series;           /* .irp: values of its parameter, one per iteration */
    const char *characters;        /* .irpc: the same, one character each */
    const char *series_name;
    uint64_t turn;
    unsigned number; /* \@ */
    const struct asm_place *outer;
    const char *title;
    size_t conditions; /* number open when the frame began */
};

struct asm_condition {
    bool taken;  /* a branch was already assembled */
    bool active; /* this branch is */
    bool parent; /* the surrounding text is */
    bool in_else;
    const struct asm_place *place;
};

struct asm_block;

struct assembler {
    struct sam_asm_options options;
    struct sam_isa isa;
    struct sam_error *error;
    struct sam_report report;
    unsigned serial;
    bool stop; /* stop reading: out of memory, or a limit was exceeded */
    enum sam_status status;

    struct asm_block *blocks;  /* everything that lives until the end */
    size_t memory, max_memory; /* bytes of all blocks */
    struct sam_buffer *texts;  /* included files and their blanked copies */
    size_t text_count, text_capacity;

    struct sam_names symbols;
    uint16_t *mnemonics; /* heads of chains by hash: row numbers, then pseudo rows */
    uint16_t *mnemonic_next;

    struct asm_section **sections;
    struct sam_names section_names;
    size_t section_count, section_capacity;
    struct asm_section *section, *previous_section;
    struct asm_section *section_stack[16];
    size_t section_depth;
    uint64_t total_size;

    struct asm_frame frames[ASM_MAX_FRAMES];
    size_t frame_count;
    struct asm_condition conditions[ASM_MAX_CONDITIONS];
    size_t condition_count;
    struct sam_names macros;
    struct asm_macro *last_macro; /* defined last */
    unsigned macro_number;
    uint64_t expanded_statements, expanded, max_expanded;
    struct asm_statement statement;
    const char **loc_files; /* of .file, by number */
    size_t loc_file_count, loc_file_capacity;
    const struct asm_place *loc; /* of the last .loc */
    struct asm_place start;      /* of messages before the first statement */

    struct asm_listed *listed;
    size_t listed_count, listed_capacity;

    uint64_t warned_aliases; /* bit i: sam_csr_aliases[i] */

    unsigned stamp; /* layout number, 0 in pass one */
    unsigned depth; /* of evaluation and of pseudo-instructions */
};

/* report.c */
void sam_asm_error(struct assembler *as, struct asm_at at, const char *format, ...)
    SAM_PRINTF(3, 4);
void sam_asm_warning(struct assembler *as, struct asm_at at, const char *format, ...)
    SAM_PRINTF(3, 4);
/* Report an error and stop reading. */
void sam_asm_fatal(struct assembler *as, struct asm_at at, const char *format, ...)
    SAM_PRINTF(3, 4);
void sam_asm_out_of_memory(struct assembler *as);
/* All messages in source order; the first error goes to as->error. Returns NULL on out-of-memory.
 */
char *sam_asm_finish_messages(struct assembler *as);

/* memory.c */
/* Memory that lives as long as the assembler; NULL after sam_asm_out_of_memory. */
void *sam_asm_new(struct assembler *as, size_t count, size_t size);
char *sam_asm_copy(struct assembler *as, const char *text, size_t size);
struct asm_place *sam_asm_new_place(struct assembler *as);
void sam_asm_free_blocks(struct assembler *as);

/* lex.c */
/* `text` with comments replaced by spaces, lines and columns kept. `;` begins one when `isa` has
 * TensorLoad, following its manual; otherwise it separates statements. */
bool sam_asm_blank_comments(const struct sam_isa *isa, const char *text, size_t size,
                            struct sam_buffer *out, size_t *open_comment);
void sam_asm_lex_start(struct asm_lexer *lexer, const char *text, size_t size,
                       const struct asm_place *place);
void sam_asm_lex_next(struct asm_lexer *lexer);
struct asm_at sam_asm_lex_at(const struct asm_lexer *lexer);
bool sam_asm_lex_is(const struct asm_lexer *lexer, const char *punct);
bool sam_asm_lex_take(struct asm_lexer *lexer, const char *punct);
bool sam_asm_lex_is_name(const struct asm_lexer *lexer, const char *name);
/* The token for messages: "'x'" or "the end of the line". */
const char *sam_asm_lex_shown(const struct asm_lexer *lexer, char *text, size_t size);
/* Bytes of a string token, with escapes resolved. Returns NULL with *problem for a bad escape. */
char *sam_asm_string(struct assembler *as, const struct asm_token *token, size_t *size,
                     const char **problem);
/* Parse a character or escape at *at and advance *at. Returns -1 if there is none. */
int sam_asm_character(const char **at, const char *end, const char **problem);
bool sam_asm_name_start(char c);
bool sam_asm_name_char(char c);

/* expr.c */
/* Returns NULL on failure, with the reason in *fail (at most 200 characters). */
struct asm_failure {
    struct asm_at at;
    char text[256];
};
const struct asm_node *sam_asm_parse_expr(struct assembler *as, struct asm_lexer *lexer,
                                          struct asm_failure *fail);
void sam_asm_set_failure(struct asm_failure *fail, struct asm_at at, const char *format, ...)
    SAM_PRINTF(3, 4);
const struct asm_node *sam_asm_number_node(struct assembler *as, int64_t number, struct asm_at at);
/* Pass one: the value if it is known. Returns ASM_WRONG after a reported error. */
enum asm_known sam_asm_eval_early(struct assembler *as, const struct asm_node *node,
                                  int64_t *number);
enum asm_known sam_asm_eval_value(struct assembler *as, const struct asm_node *node,
                                  struct asm_value *value);
/* Whether this is an auipc that cannot reach an undefined weak symbol, whose value is 0. It becomes
 * a lui, and its low part is relative to 0, as with the GNU linker. */
bool sam_asm_becomes_lui(struct assembler *as, const struct asm_insn *insn);
/* Pass two; errors are reported unless `quiet`. `insn` supplies the pc for modifiers and may be
 * NULL. */
enum asm_known sam_asm_eval(struct assembler *as, const struct asm_node *node,
                            const struct asm_insn *insn, bool quiet, int64_t *number);

/* symbol.c */
struct asm_symbol *sam_asm_symbol_get(struct assembler *as, const char *name, size_t size);
struct asm_symbol *sam_asm_symbol_find(const struct assembler *as, const char *name, size_t size);
/* The symbol of `1f` or `1b`; NULL if there is no earlier definition. */
struct asm_symbol *sam_asm_local_label(struct assembler *as, int64_t number, bool forward);
void sam_asm_define_label(struct assembler *as, const char *name, size_t size, struct asm_at at);
void sam_asm_define_local(struct assembler *as, int64_t number, struct asm_at at);
bool sam_asm_define_equ(struct assembler *as, const char *name, size_t size,
                        const struct asm_node *expr, bool may_change, struct asm_at at);
bool sam_asm_reserved_name(const struct assembler *as, const char *name, size_t size);
uint32_t sam_asm_hash(const char *text, size_t size);

/* section.c */
struct asm_section *sam_asm_section_get(struct assembler *as, const char *name, size_t size);
struct asm_position sam_asm_here(struct assembler *as);
struct asm_item *sam_asm_add_item(struct assembler *as, enum asm_item_kind kind, uint64_t size,
                                  struct asm_at at);
/* Report a non-zero value in a section that holds only zeros. */
void sam_asm_refuse_value(struct assembler *as, const struct asm_section *section,
                          struct asm_at at);
void sam_asm_add_bytes(struct assembler *as, const void *bytes, size_t size, struct asm_at at);
void sam_asm_add_value(struct assembler *as, const struct asm_node *value, unsigned width,
                       struct asm_at at);
void sam_asm_add_fill(struct assembler *as, uint64_t count, unsigned width, uint64_t pattern,
                      struct asm_at at);
void sam_asm_add_align(struct assembler *as, uint64_t alignment, int fill, uint64_t limit,
                       struct asm_at at);
uint64_t sam_asm_position_address(const struct asm_position *position);

/* source.c */
bool sam_asm_push_file(struct assembler *as, const char *file, const char *text, size_t size,
                       const struct asm_place *outer);
/* The next statement, after macros and conditions. Returns false at the end. */
bool sam_asm_next_statement(struct assembler *as);
struct asm_at sam_asm_statement_at(struct assembler *as);
bool sam_asm_read_body(struct assembler *as, const char *const *openers, const char *closer,
                       struct asm_body *body);
bool sam_asm_push_body(struct assembler *as, struct asm_frame *frame);

/* macro.c */
bool sam_asm_macro_directive(struct assembler *as, const char *name, size_t size,
                             struct asm_lexer *lexer);
const struct asm_macro *sam_asm_macro_find(const struct assembler *as, const char *name,
                                           size_t size);
void sam_asm_macro_call(struct assembler *as, const struct asm_macro *macro,
                        struct asm_lexer *lexer);
/* The body line with the frame's arguments substituted; *result is in as's memory. */
bool sam_asm_substitute(struct assembler *as, const struct asm_frame *frame, const char *text,
                        size_t size, const char **result, size_t *result_size);

/* condition.c */
/* .if, .else, .endif and others. Returns whether the statement is one; also called in skipped text.
 */
bool sam_asm_condition_directive(struct assembler *as, const char *name, size_t size,
                                 struct asm_lexer *lexer);
bool sam_asm_is_active(const struct assembler *as);

/* directive.c, data.c */
void sam_asm_directive(struct assembler *as, struct asm_lexer *lexer);
bool sam_asm_data_directive(struct assembler *as, const char *name, size_t size,
                            struct asm_lexer *lexer);
bool sam_asm_expect_end(struct assembler *as, struct asm_lexer *lexer);
/* An expression that must have a known value; `what` names it in the message. */
bool sam_asm_constant(struct assembler *as, struct asm_lexer *lexer, const char *what,
                      int64_t *number);

/* operand.c */
bool sam_asm_match_operands(struct assembler *as, struct asm_lexer *lexer, const char *pattern,
                            struct asm_args *args, struct asm_failure *fail);
const struct asm_arg *sam_asm_find_arg(const struct asm_args *args, char letter);

/* insn.c */
bool sam_asm_index_mnemonics(struct assembler *as);
void sam_asm_instruction(struct assembler *as, const char *mnemonic, size_t size,
                         struct asm_lexer *lexer);

/* list.c */
/* Called at the start and the end of a statement; `row` is the number of rows before it.
 */
void sam_asm_list_begin(struct assembler *as);
void sam_asm_list_end(struct assembler *as, size_t row);
/* The listing of an assembled program. Returns NULL on out-of-memory. */
char *sam_asm_listing(struct assembler *as, const struct sam_image *image);

/* lines.c */
/* Line information of the sections that hold code, after layout. */
void sam_asm_lines(struct assembler *as, struct sam_image *image);

/* layout.c */
void sam_asm_layout(struct assembler *as);
/* emit.c */
struct sam_image *sam_asm_emit(struct assembler *as);
/* Encode one instruction at insn->address, an inserted prefix first. Returns the number of words.
 */
unsigned sam_asm_encode(struct assembler *as, const struct asm_insn *insn, uint32_t words[3]);
void sam_asm_section_bytes(struct assembler *as, const struct asm_section *section,
                           struct sam_buffer *out);

#endif
