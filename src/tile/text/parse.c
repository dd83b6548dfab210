/* SPDX-License-Identifier: Apache-2.0 */
/* Files, functions and statements. */
#include "tile/text/parse.h"

#include <inttypes.h>
#include <stdlib.h>

bool sam_tile_parse_operand_type(struct parser *parser, struct statement *s, size_t index)
{
    char stands[160], is[160];
    struct sam_tile_ty type;
    struct sam_tile_pos pos = parser->token.pos;
    if (!sam_tile_parse_type(parser, &type))
        return false;
    struct sam_tile_value *v = &parser->p->values[s->operands[index].value];
    if (v->type.kind == SAM_TILE_KIND_UNKNOWN)
        v->type = type;
    if (sam_tile_ty_equal(&v->type, &type))
        return true;
    return PARSE_FAIL(parser, pos, "%%%s is of type %s, not %s", v->name,
                      sam_tile_ty_text(&v->type, is, sizeof is),
                      sam_tile_ty_text(&type, stands, sizeof stands));
}

bool sam_tile_parse_kind(struct parser *parser, const struct statement *s, size_t index,
                         enum sam_tile_kind kind, const char *what)
{
    char is[160];
    struct sam_tile_value *v = &parser->p->values[s->operands[index].value];
    if (v->type.kind == SAM_TILE_KIND_UNKNOWN &&
        (kind == SAM_TILE_KIND_INDEX || kind == SAM_TILE_KIND_BOOL || kind == SAM_TILE_KIND_EVENT))
        v->type.kind = kind;
    if (v->type.kind == kind || v->type.kind == SAM_TILE_KIND_UNKNOWN)
        return true;
    return PARSE_FAIL(parser, s->operands[index].pos, "expected %s, %%%s is of type %s", what,
                      v->name, sam_tile_ty_text(&v->type, is, sizeof is));
}

bool sam_tile_parse_choice(struct parser *parser, struct statement *s, const char *const *words,
                           const char *what)
{
    char found[80];
    const struct token *t = &parser->token;
    const bool quoted = t->size > 2 && t->text[0] == '"';
    int word = sam_tile_word(words, t->text + quoted, t->size - 2 * quoted);
    if (word < 0)
        return PARSE_FAIL(parser, parser->token.pos, "expected %s, found %s", what,
                          sam_tile_parse_found(parser, found, sizeof found));
    s->op.attribute = (unsigned)word;
    sam_tile_parse_next(parser);
    return true;
}

bool sam_tile_parse_result_count(struct parser *parser, const struct statement *s, size_t count)
{
    if (s->result_count == count)
        return true;
    return PARSE_FAIL(parser, s->result_count ? s->results[0].pos : s->op.pos,
                      "%s has %zu result%s, found %zu", sam_tile_code_name(s->op.code), count,
                      count == 1 ? "" : "s", s->result_count);
}

bool sam_tile_parse_result(struct parser *parser, struct statement *s, size_t index,
                           const struct sam_tile_ty *type)
{
    s->ids[index] = sam_tile_parse_define(parser, &s->results[index], type);
    return s->ids[index] != SAM_TILE_NONE;
}

uint32_t sam_tile_parse_ids(struct parser *parser, const uint32_t *ids, size_t count)
{
    struct sam_tile_program *p = parser->p;
    uint32_t first = (uint32_t)p->id_count;
    for (size_t i = 0; i < count; i++)
        PARSE_PUSH(p->ids, p->id_count, p->id_capacity, ids[i]);
    return first;
}

static uint32_t add_op(struct parser *parser, struct statement *s)
{
    struct sam_tile_program *p = parser->p;
    s->op.operands = (uint32_t)p->operand_count;
    s->op.operand_count = (uint32_t)s->operand_count;
    for (size_t i = 0; i < s->operand_count; i++)
        PARSE_PUSH(p->operands, p->operand_count, p->operand_capacity, s->operands[i]);
    s->op.results = sam_tile_parse_ids(parser, s->ids, s->result_count);
    s->op.result_count = (uint32_t)s->result_count;
    s->op.next = SAM_TILE_NONE;
    PARSE_PUSH(p->ops, p->op_count, p->op_capacity, s->op);
    s->op.comment = s->op.tail[0] = s->op.tail[1] = s->op.attributes =
        NULL; /* now owned by the program */
    return (uint32_t)(p->op_count - 1);
}

bool sam_tile_parse_append(struct parser *parser, struct statement *s)
{
    struct sam_tile_program *p = parser->p;
    uint32_t op = add_op(parser, s);
    if (op == SAM_TILE_NONE || parser->memory)
        return false;
    if (parser->block->last == SAM_TILE_NONE)
        parser->block->first = op;
    else
        p->ops[parser->block->last].next = op;
    parser->block->last = op;
    for (size_t i = 0; i < s->result_count; i++)
        p->values[s->ids[i]].op = op;
    return true;
}

/* Error recovery: skip to the next line that starts a statement, or to the end of the block,
 * including blocks opened on the way. */
static void recover(struct parser *parser, uint32_t line)
{
    unsigned depth = 0;
    while (parser->token.kind != TOKEN_END) {
        if (depth == 0 && sam_tile_parse_is(parser, '}'))
            return;
        if (depth == 0 && parser->token.first && parser->token.pos.line > line &&
            (parser->token.kind == TOKEN_VALUE || parser->token.kind == TOKEN_WORD ||
             parser->token.text[0] == '"'))
            return;
        depth += sam_tile_parse_is(parser, '{');
        depth -= depth && sam_tile_parse_is(parser, '}');
        sam_tile_parse_next(parser);
    }
}

static bool parse_results(struct parser *parser, struct statement *s)
{
    if (parser->token.kind != TOKEN_VALUE)
        return true;
    do {
        char found[80];
        if (s->result_count == PARSE_MAX_OPERANDS)
            return sam_tile_parse_too_many(parser, "results", PARSE_MAX_OPERANDS);
        if (!sam_tile_parse_at_value(parser, "a result"))
            return false;
        for (size_t i = 0; i < s->result_count; i++)
            if (s->results[i].size == parser->token.size &&
                memcmp(s->results[i].text, parser->token.text, parser->token.size) == 0)
                return PARSE_FAIL(parser, parser->token.pos, "result %s appears twice",
                                  sam_tile_parse_found(parser, found, sizeof found));
        s->results[s->result_count++] = parser->token;
        sam_tile_parse_next(parser);
    } while (sam_tile_parse_accept(parser, ','));
    return sam_tile_parse_expect(parser, '=', "after the results");
}

/* The operation's name, with or without "pto.". */
static bool parse_code(struct parser *parser, struct statement *s)
{
    struct token t = parser->token;
    char found[80];
    s->op.pos = t.pos;
    s->generic = t.size > 2 && t.text[0] == '"' && t.text[t.size - 1] == '"' &&
                 sam_tile_parse_peek(parser) == '(';
    if (t.kind != TOKEN_WORD && !s->generic)
        return PARSE_FAIL(parser, t.pos, "expected an operation, found %s",
                          sam_tile_parse_found(parser, found, sizeof found));
    t.text += s->generic;
    t.size -= s->generic ? 2 : 0;
    bool prefix = t.size > 4 && memcmp(t.text, "pto.", 4) == 0;
    const char *name = t.text + (prefix ? 4 : 0);
    size_t size = t.size - (prefix ? 4 : 0);
    s->op.code = sam_tile_code_find(name, size);
    if (s->op.code == SAM_TILE_CODES || (prefix && !sam_tile_code_is_pto(s->op.code))) {
        const char *near = sam_tile_nearest(name, size);
        return PARSE_FAIL(parser, t.pos, "unknown operation '%.*s'%s%s%s%s",
                          (int)(t.size < 60 ? t.size : 60), t.text, near ? "; did you mean '" : "",
                          near && prefix ? "pto." : "", near ? near : "", near ? "'?" : "");
    }
    sam_tile_parse_next(parser);
    return true;
}

static bool parse_rest(struct parser *parser, struct statement *s)
{
    if (s->generic)
        return sam_tile_parse_generic(parser, s);
    switch (s->op.code) {
    case SAM_TILE_FOR: return sam_tile_parse_for(parser, s);
    case SAM_TILE_IF: return sam_tile_parse_if(parser, s);
    case SAM_TILE_YIELD: return sam_tile_parse_yield(parser, s);
    case SAM_TILE_RETURN:
        parser->ended = true;
        return sam_tile_parse_result_count(parser, s, 0) && sam_tile_parse_append(parser, s);
    default: break;
    }
    if (s->op.code >= SAM_TILE_FIRST_OP)
        return sam_tile_parse_tile_op(parser, s);
    return sam_tile_code_is_pto(s->op.code) ? sam_tile_parse_special(parser, s)
                                            : sam_tile_parse_arith(parser, s);
}

/* Move a trailing comment in front of its statement. */
static void add_comment(struct parser *parser)
{
    char **comment = &parser->p->ops[parser->p->op_count - 1].comment;
    char *trailing = sam_tile_parse_take_comments(parser, true);
    if (!*comment || !trailing) {
        *comment = *comment ? *comment : trailing;
        return;
    }
    struct sam_buffer both = {0};
    sam_buffer_printf(&both, "%s%s", *comment, trailing);
    free(*comment);
    free(trailing);
    *comment = both.failed ? NULL : sam_strdup(sam_buffer_text(&both));
    parser->memory |= !*comment;
    sam_buffer_free(&both);
}

static bool parse_statement(struct parser *parser)
{
    struct statement s = {.op = {.body = {SAM_TILE_NONE, SAM_TILE_NONE}}};
    uint32_t line = parser->token.pos.line;
    s.op.comment = sam_tile_parse_take_comments(parser, false);
    if (parse_results(parser, &s) && parse_code(parser, &s) && parse_rest(parser, &s)) {
        add_comment(parser);
    } else {
        sam_tile_parse_poison(parser, &s);
        recover(parser, line);
    }
    free(s.op.comment);
    free(s.op.tail[0]);
    free(s.op.tail[1]);
    free(s.op.attributes);
    return !parser->memory;
}

/* Skip the block that was just opened. */
static void skip_block(struct parser *parser)
{
    for (size_t depth = 1; depth && parser->token.kind != TOKEN_END; sam_tile_parse_next(parser)) {
        depth += sam_tile_parse_is(parser, '{');
        depth -= sam_tile_parse_is(parser, '}');
    }
    parser->end_reported |= parser->token.kind == TOKEN_END;
}

bool sam_tile_parse_block(struct parser *parser, struct block *block)
{
    struct block *outer = parser->block;
    *block = (struct block){SAM_TILE_NONE, SAM_TILE_NONE, (uint32_t)parser->p->value_count};
    if (parser->depth == PARSE_MAX_DEPTH) {
        sam_tile_error(&parser->report, parser->token.pos, "blocks nest deeper than %d",
                       PARSE_MAX_DEPTH);
        skip_block(parser);
        return false;
    }
    parser->depth++;
    parser->block = block;
    parser->ended = false;
    while (!parser->memory && parser->token.kind != TOKEN_END && !sam_tile_parse_is(parser, '}')) {
        if (parser->ended) {
            sam_tile_error(&parser->report, parser->token.pos,
                           "unexpected text after the end of a block");
            recover(parser, 0);
            parser->ended = false;
            continue;
        }
        parse_statement(parser);
    }
    sam_tile_parse_end_awaiting(parser, block->first_value);
    parser->ended = false;
    parser->block = outer;
    parser->depth--;
    return !parser->memory;
}

/* `(%a: T, ...)` */
static bool parse_args(struct parser *parser, struct sam_tile_func *f)
{
    uint32_t ids[PARSE_MAX_OPERANDS] = {0};
    size_t count = 0;
    if (!sam_tile_parse_expect(parser, '(', "after the function's name"))
        return false;
    while (!sam_tile_parse_is(parser, ')')) {
        struct token name = parser->token;
        struct sam_tile_ty type;
        if (count == PARSE_MAX_OPERANDS)
            return sam_tile_parse_too_many(parser, "arguments", PARSE_MAX_OPERANDS);
        if (!sam_tile_parse_at_value(parser, "an argument, as %a: index"))
            return false;
        sam_tile_parse_next(parser);
        if (!sam_tile_parse_expect(parser, ':', "after the argument") ||
            !sam_tile_parse_type(parser, &type))
            return false;
        ids[count] = sam_tile_parse_define(parser, &name, &type);
        if (ids[count++] == SAM_TILE_NONE)
            return false;
        if (!sam_tile_parse_accept(parser, ','))
            break;
    }
    f->args = sam_tile_parse_ids(parser, ids, count);
    f->arg_count = (uint32_t)count;
    return sam_tile_parse_expect(parser, ')', "after the arguments");
}

/* `attributes {...}`, kept verbatim. */
static bool parse_attributes(struct parser *parser, char **text)
{
    if (!sam_tile_parse_accept_word(parser, "attributes"))
        return true;
    const char *start = parser->token.text;
    if (!sam_tile_parse_expect(parser, '{', "after 'attributes'"))
        return false;
    for (unsigned depth = 1; depth;) {
        if (parser->token.kind == TOKEN_END)
            return sam_tile_parse_expect(parser, '}', "at the end of the attributes");
        depth += sam_tile_parse_is(parser, '{');
        depth -= sam_tile_parse_is(parser, '}');
        const char *end = parser->token.text + 1;
        if (!depth && !(*text = sam_strndup(start, (size_t)(end - start))))
            parser->memory = true;
        sam_tile_parse_next(parser);
    }
    return true;
}

static struct sam_tile_func *new_func(struct parser *parser, const char *name, size_t size)
{
    struct sam_tile_program *p = parser->p;
    struct sam_tile_func f = {.name = sam_strndup(name, size),
                              .pos = parser->token.pos,
                              .body = SAM_TILE_NONE,
                              .first_value = (uint32_t)p->value_count,
                              .comment = sam_tile_parse_take_comments(parser, false)};
    void *grown =
        f.name ? sam_grow(p->funcs, p->func_count, &p->func_capacity, sizeof *p->funcs) : NULL;
    if (!grown) {
        free(f.name);
        free(f.comment);
        parser->memory = true;
        return NULL;
    }
    p->funcs = grown;
    p->funcs[p->func_count] = f;
    return &p->funcs[p->func_count++];
}

static bool parse_func_head(struct parser *parser, struct sam_tile_func **f)
{
    char found[80];
    if (parser->token.kind != TOKEN_SYMBOL)
        return PARSE_FAIL(parser, parser->token.pos, "expected a name, as @kernel, found %s",
                          sam_tile_parse_found(parser, found, sizeof found));
    struct token name = parser->token;
    for (size_t i = 0; i < parser->p->func_count; i++)
        if (strlen(parser->p->funcs[i].name) == name.size &&
            memcmp(parser->p->funcs[i].name, name.text, name.size) == 0)
            sam_tile_error(&parser->report, name.pos, "@%.*s is already defined", (int)name.size,
                           name.text);
    *f = new_func(parser, name.text, name.size);
    if (!*f)
        return false;
    sam_tile_parse_next(parser);
    if (!parse_args(parser, *f))
        return false;
    if (parser->token.kind == TOKEN_ARROW)
        return PARSE_FAIL(parser, parser->token.pos,
                          "functions return nothing: write to a pointer argument");
    return parse_attributes(parser, &(*f)->attributes) &&
           sam_tile_parse_expect(parser, '{', "before the function's body");
}

/* Skip a function whose head is wrong, and its body, up to the next one or the end of the module.
 */
static void skip_func(struct parser *parser)
{
    size_t depth = 0;
    bool body = false;
    while (parser->token.kind != TOKEN_END && !sam_tile_parse_is_word(parser, "func.func")) {
        const bool opens = sam_tile_parse_is(parser, '{'), closes = sam_tile_parse_is(parser, '}');
        if (closes && !depth && body)
            return;
        body |= opens;
        depth += opens;
        depth -= closes && depth;
        sam_tile_parse_next(parser);
    }
}

static void parse_func(struct parser *parser)
{
    struct sam_tile_func *f = NULL;
    struct block body;
    size_t names = parser->name_count;
    sam_tile_parse_next(parser);
    if (!parse_func_head(parser, &f)) {
        skip_func(parser);
        sam_tile_parse_leave(parser, names);
        return;
    }
    sam_tile_parse_block(parser, &body);
    f->body = body.first;
    f->value_count = (uint32_t)parser->p->value_count - f->first_value;
    f->tail = sam_tile_parse_take_comments(parser, false);
    sam_tile_parse_expect(parser, '}', "at the end of the function");
    sam_tile_parse_leave(parser, names);
}

/* Operations outside a function: their free names become the arguments. */
static void parse_bare(struct parser *parser)
{
    char found[80];
    struct sam_tile_program *p = parser->p;
    struct block body;
    struct sam_tile_func *f = new_func(parser, "", 0);
    if (!f)
        return;
    f->bare = parser->bare = true;
    sam_tile_parse_block(parser, &body);
    f->body = body.first;
    f->value_count = (uint32_t)p->value_count - f->first_value;
    f->tail = sam_tile_parse_take_comments(parser, false);
    f->args = (uint32_t)p->id_count;
    for (uint32_t i = 0; i < f->value_count && !parser->memory; i++) {
        uint32_t id = f->first_value + i;
        if (p->values[id].pos.line)
            continue;
        f->arg_count++;
        sam_tile_parse_ids(parser, &id, 1);
        if (p->values[id].type.kind == SAM_TILE_KIND_UNKNOWN && !parser->report.report.errors)
            sam_tile_error(&parser->report, p->ops[body.first].pos,
                           "%%%s is an argument without a type: expected a type at one of its uses",
                           p->values[id].name);
    }
    if (parser->token.kind != TOKEN_END)
        sam_tile_error(&parser->report, parser->token.pos,
                       "expected an operation or the end of the file, found %s",
                       sam_tile_parse_found(parser, found, sizeof found)); /* a stray brace */
}

static void parse_file(struct parser *parser)
{
    char found[80];
    struct sam_tile_program *p = parser->p;
    if (sam_tile_parse_is_word(parser, "module"))
        p->comments[0] = sam_tile_parse_take_comments(parser, false);
    p->module = sam_tile_parse_accept_word(parser, "module");
    if (p->module && (!parse_attributes(parser, &p->attributes) ||
                      !sam_tile_parse_expect(parser, '{', "after 'module'")))
        return;
    bool functions = sam_tile_parse_is_word(parser, "func.func") || p->module;
    while (functions && !parser->memory && sam_tile_parse_is_word(parser, "func.func"))
        parse_func(parser);
    if (!functions && parser->token.kind != TOKEN_END)
        parse_bare(parser);
    p->comments[1] = sam_tile_parse_take_comments(parser, false);
    if (p->module)
        sam_tile_parse_expect(parser, '}', "at the end of the module");
    p->comments[2] = sam_tile_parse_take_comments(parser, false);
    if (parser->token.kind != TOKEN_END && !parser->report.report.errors)
        sam_tile_error(&parser->report, parser->token.pos,
                       "expected a function or the end, found %s",
                       sam_tile_parse_found(parser, found, sizeof found));
    if (!p->func_count && !parser->report.report.errors)
        sam_tile_error(&parser->report, parser->token.pos, "the file has no operation");
}

/* A NUL would end names and comments early. */
static bool is_text(struct parser *parser)
{
    const struct sam_tile_program *p = parser->p;
    struct sam_tile_pos pos = {1, 1};
    const char *nul = memchr(p->text, '\0', p->size);
    for (const char *c = p->text; nul && c < nul; c++) {
        pos.column = *c == '\n' ? 1 : pos.column + 1;
        pos.line += *c == '\n';
    }
    if (nul)
        sam_tile_error(&parser->report, pos, "unexpected byte 0x00");
    return !nul;
}

enum sam_status sam_tile_parse(const char *name, const char *text, size_t size,
                               struct sam_tile_program **program, char **messages,
                               struct sam_error *error)
{
    if (program)
        *program = NULL;
    if (messages)
        *messages = NULL;
    if (SAM_LACKS(error, name, program, messages))
        return SAM_ERR_USAGE;
    if (size && !text)
        return sam_fail_null(error, "text");
    struct parser parser = {0};
    struct sam_tile_program *p = sam_alloc(1, sizeof *p);
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) /* the byte order mark of UTF-8 */
        text += 3, size -= 3;
    parser.buckets = sam_alloc(PARSE_BUCKETS, sizeof *parser.buckets);
    if (!p || !parser.buckets || !(p->name = sam_strdup(name)) ||
        !(p->text = sam_strndup(size ? text : "", size))) {
        sam_tile_program_free(p);
        free(parser.buckets);
        return sam_fail_memory(error);
    }
    p->size = size;
    parser.p = p;
    parser.report.program = p;
    parser.lexer = (struct lexer){
        .at = p->text, .end = p->text + size, .line_start = p->text, .line = 1, .fresh = true};
    if (is_text(&parser)) {
        sam_tile_parse_next(&parser);
        parse_file(&parser);
    }
    enum sam_status status = sam_tile_report_end(&parser.report, messages, error);
    if (parser.memory) {
        status = sam_fail_memory(error);
        free(*messages); /* of what was not read */
        *messages = NULL;
    }
    sam_buffer_free(&parser.lexer.comments);
    sam_buffer_free(&parser.lexer.trailing);
    free(parser.names);
    free(parser.buckets);
    if (status == SAM_OK)
        *program = p;
    else
        sam_tile_program_free(p);
    return status;
}

void sam_tile_program_free(struct sam_tile_program *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->value_count; i++)
        free(p->values[i].name);
    for (size_t i = 0; i < p->op_count; i++) {
        free(p->ops[i].comment);
        free(p->ops[i].tail[0]);
        free(p->ops[i].tail[1]);
        free(p->ops[i].attributes);
    }
    for (size_t i = 0; i < p->func_count; i++) {
        free(p->funcs[i].name);
        free(p->funcs[i].comment);
        free(p->funcs[i].tail);
        free(p->funcs[i].attributes);
    }
    for (size_t i = 0; i < SAM_COUNT(p->comments); i++)
        free(p->comments[i]);
    free(p->values);
    free(p->ops);
    free(p->funcs);
    free(p->operands);
    free(p->ids);
    free(p->attributes);
    free(p->name);
    free(p->text);
    free(p);
}
