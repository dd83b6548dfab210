/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on scalars, loops and conditions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tile/text/parse.h"

static bool is_boolean(const struct token *t)
{
    return t->kind == TOKEN_WORD && ((t->size == 4 && memcmp(t->text, "true", 4) == 0) ||
                                     (t->size == 5 && memcmp(t->text, "false", 5) == 0));
}

/* The bits of a constant. Floats are decimal numbers, or their bits in hexadecimal. */
static bool constant_bits(const struct token *t, const struct sam_tile_ty *type, int64_t *bits)
{
    char text[80];
    bool boolean = type->kind == SAM_TILE_KIND_BOOL;
    if (t->size >= sizeof text)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)t->size, t->text);
    if (t->kind == TOKEN_WORD) {
        *bits = text[0] == 't';
        return boolean;
    }
    bool real = type->kind == SAM_TILE_KIND_SCALAR && sam_tile_is_real(type->dtype);
    bool hex = strncmp(text, "0x", 2) == 0;
    if (t->kind != TOKEN_NUMBER)
        return false;
    if (real && !hex) {
        char *end;
        double value = sam_strtod(text, &end);
        const uint64_t found = sam_tile_real_bits(type->dtype, value, SAM_TILE_RINT);
        *bits = (int64_t)found;
        return !*end && isfinite(sam_tile_real_value(type->dtype, found));
    }
    if (real) {
        uint64_t found;
        const bool good = sam_parse_u64(text, &found);
        const uint64_t unused = (UINT64_C(1) << sam_dtype_table[type->dtype].fp.unused) - 1;
        *bits = good ? (int64_t)(found & ~unused) : 0;
        return good && found <= UINT64_MAX >> (64 - sam_dtype_table[type->dtype].bits);
    }
    if (type->kind == SAM_TILE_KIND_SCALAR && type->dtype == SAM_U64) {
        uint64_t number;
        const bool good = sam_parse_u64(text, &number);
        *bits = good ? (int64_t)number : 0;
        return good;
    }
    if (!sam_parse_i64(text, bits))
        return false;
    if (type->kind == SAM_TILE_KIND_INDEX)
        return true;
    if (boolean)
        return *bits == 0 || *bits == 1;
    unsigned width = 8 * (unsigned)sam_tile_size(type->dtype);
    if (width == 64)
        return true;
    bool is_signed = sam_tile_is_signed(type->dtype);
    int64_t top = (INT64_C(1) << (width - is_signed)) - 1;
    return *bits <= top && *bits >= (is_signed ? -top - 1 : 0);
}

bool sam_tile_parse_constant(struct parser *parser, struct statement *s, const struct token *value,
                             const struct sam_tile_ty *type)
{
    char text[160];
    if ((type->kind != SAM_TILE_KIND_INDEX && type->kind != SAM_TILE_KIND_SCALAR &&
         type->kind != SAM_TILE_KIND_BOOL) ||
        !constant_bits(value, type, &s->op.literal))
        return PARSE_FAIL(parser, value->pos, "'%.*s' is not a constant of type %s",
                          (int)(value->size < 60 ? value->size : 60), value->text,
                          sam_tile_ty_text(type, text, sizeof text));
    return sam_tile_parse_result(parser, s, 0, type) && sam_tile_parse_append(parser, s);
}

static bool parse_constant(struct parser *parser, struct statement *s)
{
    struct token value = parser->token;
    struct sam_tile_ty type;
    char found[80];
    sam_tile_parse_found(parser, found, sizeof found);
    sam_tile_parse_next(parser);
    if (!sam_tile_parse_result_count(parser, s, 1))
        return false;
    if (value.kind != TOKEN_NUMBER && !is_boolean(&value))
        return PARSE_FAIL(parser, value.pos, "expected a number, true or false, found %s", found);
    if (value.kind == TOKEN_WORD && !sam_tile_parse_is(parser, ':'))
        type = (struct sam_tile_ty){.kind = SAM_TILE_KIND_BOOL};
    else if (!sam_tile_parse_expect(parser, ':', "before the constant's type") ||
             !sam_tile_parse_type(parser, &type))
        return false;
    return sam_tile_parse_constant(parser, s, &value, &type);
}

/* Operand `index` must have the type; a free name gets it. */
static bool parse_same(struct parser *parser, const struct statement *s, size_t index,
                       const struct sam_tile_ty *type)
{
    char is[160], stands[160];
    struct sam_tile_value *v = &parser->p->values[s->operands[index].value];
    if (v->type.kind == SAM_TILE_KIND_UNKNOWN)
        v->type = *type;
    if (sam_tile_ty_equal(&v->type, type))
        return true;
    return PARSE_FAIL(parser, s->operands[index].pos, "%%%s is of type %s, not %s", v->name,
                      sam_tile_ty_text(&v->type, is, sizeof is),
                      sam_tile_ty_text(type, stands, sizeof stands));
}

static bool is_integer(const struct sam_tile_ty *type)
{
    return type->kind == SAM_TILE_KIND_INDEX || type->kind == SAM_TILE_KIND_BOOL ||
           (type->kind == SAM_TILE_KIND_SCALAR && !sam_tile_is_real(type->dtype));
}

static bool parse_cast(struct parser *parser, struct statement *s)
{
    struct sam_tile_ty to;
    if (!sam_tile_parse_result_count(parser, s, 1) || !sam_tile_parse_operand(parser, s) ||
        !sam_tile_parse_expect(parser, ':', "before the type") ||
        !sam_tile_parse_operand_type(parser, s, 0) ||
        !sam_tile_parse_expect_word(parser, "to", "before the other type") ||
        !sam_tile_parse_type(parser, &to))
        return false;
    return sam_tile_parse_computed(parser, s, &to, s->op.pos);
}

bool sam_tile_parse_computed(struct parser *parser, struct statement *s,
                             const struct sam_tile_ty *type, struct sam_tile_pos pos)
{
    static const struct sam_tile_ty boolean = {.kind = SAM_TILE_KIND_BOOL};
    const unsigned code = s->op.code;
    if (code == SAM_TILE_CAST &&
        (!is_integer(type) || !is_integer(&parser->p->values[s->operands[0].value].type)))
        return PARSE_FAIL(parser, s->op.pos, "index_cast is between integers and index");
    if (!is_integer(type) && !(code == SAM_TILE_SELECT && type->kind == SAM_TILE_KIND_SCALAR))
        return PARSE_FAIL(parser, pos, "%s is for integers and index", sam_tile_code_name(code));
    const size_t first = code == SAM_TILE_SELECT;
    if (first && !sam_tile_parse_kind(parser, s, 0, SAM_TILE_KIND_BOOL, "a condition (i1)"))
        return false;
    for (size_t i = first; i < s->operand_count && code != SAM_TILE_CAST; i++)
        if (!parse_same(parser, s, i, type))
            return false;
    return sam_tile_parse_result(parser, s, 0, code == SAM_TILE_CMPI ? &boolean : type) &&
           sam_tile_parse_append(parser, s);
}

bool sam_tile_parse_arith(struct parser *parser, struct statement *s)
{
    size_t count = s->op.code == SAM_TILE_SELECT ? 3 : 2;
    struct sam_tile_ty type;
    if (s->op.code == SAM_TILE_CONSTANT)
        return parse_constant(parser, s);
    if (s->op.code == SAM_TILE_CAST)
        return parse_cast(parser, s);
    if (!sam_tile_parse_result_count(parser, s, 1))
        return false;
    if (s->op.code == SAM_TILE_CMPI &&
        (!sam_tile_parse_choice(parser, s, sam_tile_cmpi_names, "eq, ne, slt, sle, sgt or sge") ||
         !sam_tile_parse_expect(parser, ',', "after the predicate")))
        return false;
    for (size_t i = 0; i < count; i++)
        if ((i && !sam_tile_parse_expect(parser, ',', "between operands")) ||
            !sam_tile_parse_operand(parser, s))
            return false;
    if (!sam_tile_parse_expect(parser, ':', "before the type"))
        return false;
    struct sam_tile_pos pos = parser->token.pos;
    return sam_tile_parse_type(parser, &type) && sam_tile_parse_computed(parser, s, &type, pos);
}

/* --- control flow */

bool sam_tile_parse_body(struct parser *parser, struct statement *s, unsigned which,
                         struct sam_tile_pos *end)
{
    struct block block;
    if (!sam_tile_parse_block(parser, &block))
        return false;
    s->op.body[which] = block.first;
    s->op.tail[which] = sam_tile_parse_take_comments(parser, false);
    *end = parser->token.pos;
    return sam_tile_parse_expect(parser, '}', "at the end of the block");
}

bool sam_tile_parse_yields(struct parser *parser, const struct statement *s, unsigned which,
                           const struct sam_tile_ty *types, size_t count, struct sam_tile_pos end)
{
    const struct sam_tile_program *p = parser->p;
    const struct sam_tile_op *last = NULL;
    for (uint32_t at = s->op.body[which]; at != SAM_TILE_NONE; at = p->ops[at].next)
        last = &p->ops[at];
    bool yields = last && last->code == SAM_TILE_YIELD;
    if (last && last->code == SAM_TILE_RETURN)
        return PARSE_FAIL(parser, last->pos, "a return inside of a loop or condition");
    if ((yields ? last->operand_count : 0) != count) {
        return PARSE_FAIL(parser, yields ? last->pos : end,
                          "the block yields %zu value%s, found %u", count, count == 1 ? "" : "s",
                          yields ? last->operand_count : 0);
    }
    for (size_t i = 0; i < count; i++) {
        const struct sam_tile_operand *o = &p->operands[last->operands + i];
        if (p->values[o->value].type.kind != SAM_TILE_KIND_UNKNOWN &&
            !sam_tile_ty_equal(&p->values[o->value].type, &types[i])) {
            char is[160], stands[160];
            return PARSE_FAIL(parser, o->pos, "%%%s is of type %s, not %s",
                              p->values[o->value].name,
                              sam_tile_ty_text(&p->values[o->value].type, is, sizeof is),
                              sam_tile_ty_text(&types[i], stands, sizeof stands));
        }
    }
    return true;
}

/* A block in braces, which ends with a yield of `types`, if any. */
static bool parse_body(struct parser *parser, struct statement *s, unsigned which,
                       const struct sam_tile_ty *types, size_t count)
{
    struct sam_tile_pos end;
    return sam_tile_parse_expect(parser, '{', "before the block") &&
           sam_tile_parse_body(parser, s, which, &end) &&
           sam_tile_parse_yields(parser, s, which, types, count, end);
}

bool sam_tile_parse_yield(struct parser *parser, struct statement *s)
{
    size_t count = 0;
    if (parser->depth < 2)
        return PARSE_FAIL(
            parser, s->op.pos,
            "scf.yield ends the block of a loop or condition; a function ends with return");
    parser->ended = true;
    if (parser->token.kind != TOKEN_VALUE || parser->token.first)
        return sam_tile_parse_append(parser, s);
    do {
        if (!sam_tile_parse_operand(parser, s))
            return false;
        count++;
    } while (sam_tile_parse_accept(parser, ','));
    if (!sam_tile_parse_expect(parser, ':', "before the types"))
        return false;
    for (size_t i = 0; i < count; i++)
        if ((i && !sam_tile_parse_expect(parser, ',', "between types")) ||
            !sam_tile_parse_operand_type(parser, s, i))
            return false;
    return sam_tile_parse_append(parser, s);
}

/* Returns whether loops and conditions carry values of the type. */
static bool check_carried(struct parser *parser, const struct sam_tile_ty *type,
                          struct sam_tile_pos pos)
{
    if (type->kind == SAM_TILE_KIND_SCALAR || type->kind == SAM_TILE_KIND_INDEX ||
        type->kind == SAM_TILE_KIND_BOOL || type->kind == SAM_TILE_KIND_EVENT)
        return true;
    return PARSE_FAIL(parser, pos,
                      "loops and conditions carry scalars and events only; tiles are written "
                      "in place");
}

/* `-> (T, U)` or `-> T`, one per result */
static bool parse_types(struct parser *parser, struct statement *s, struct sam_tile_ty *types,
                        size_t *count)
{
    *count = 0;
    if (parser->token.kind != TOKEN_ARROW)
        return sam_tile_parse_result_count(parser, s, 0);
    sam_tile_parse_next(parser);
    bool round = sam_tile_parse_accept(parser, '(');
    do {
        struct sam_tile_pos pos = parser->token.pos;
        if (*count == PARSE_MAX_OPERANDS)
            return sam_tile_parse_too_many(parser, "results", PARSE_MAX_OPERANDS);
        if (!sam_tile_parse_type(parser, &types[*count]) ||
            !check_carried(parser, &types[*count], pos))
            return false;
        ++*count;
    } while (round && sam_tile_parse_accept(parser, ','));
    return (!round || sam_tile_parse_expect(parser, ')', "after the types")) &&
           sam_tile_parse_result_count(parser, s, *count);
}

bool sam_tile_parse_append_bodies(struct parser *parser, struct statement *s,
                                  const struct sam_tile_ty *types, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!sam_tile_parse_result(parser, s, i, &types[i]))
            return false;
    return sam_tile_parse_append(parser, s);
}

bool sam_tile_parse_if(struct parser *parser, struct statement *s)
{
    struct sam_tile_ty types[PARSE_MAX_OPERANDS];
    size_t count;
    if (!sam_tile_parse_operand(parser, s) ||
        !sam_tile_parse_kind(parser, s, 0, SAM_TILE_KIND_BOOL, "a condition (i1)") ||
        !parse_types(parser, s, types, &count))
        return false;
    size_t names = parser->name_count;
    bool good = parse_body(parser, s, 0, types, count);
    sam_tile_parse_leave(parser, names);
    if (good && sam_tile_parse_accept_word(parser, "else")) {
        s->op.attribute = 1;
        good = parse_body(parser, s, 1, types, count);
        sam_tile_parse_leave(parser, names);
    } else if (good && count) {
        return PARSE_FAIL(parser, s->op.pos, "a condition with results has an else");
    }
    return good && sam_tile_parse_append_bodies(parser, s, types, count);
}

/* `iter_args(%a = %x, ...)`: parameter names, and initial values as operands */
static bool parse_iter_args(struct parser *parser, struct statement *s, struct token *names,
                            size_t *count)
{
    enum { MAX_CARRIED = PARSE_MAX_OPERANDS - 3 }; /* after the bounds and the step */
    *count = 0;
    if (!sam_tile_parse_accept_word(parser, "iter_args"))
        return true;
    if (!sam_tile_parse_expect(parser, '(', "after 'iter_args'"))
        return false;
    do {
        if (*count == MAX_CARRIED)
            return sam_tile_parse_too_many(parser, "values in iter_args", MAX_CARRIED);
        names[*count] = parser->token;
        if (!sam_tile_parse_at_value(parser, "a name for the carried value, as %a"))
            return false;
        sam_tile_parse_next(parser);
        if (!sam_tile_parse_expect(parser, '=', "before the initial value") ||
            !sam_tile_parse_operand(parser, s))
            return false;
        ++*count;
    } while (sam_tile_parse_accept(parser, ','));
    return sam_tile_parse_expect(parser, ')', "after the initial values");
}

/* Define the induction variable and the loop-carried values, then parse the body. */
static bool parse_loop_body(struct parser *parser, struct statement *s,
                            const struct token *variable, const struct token *carried,
                            const struct sam_tile_ty *types, size_t count)
{
    struct sam_tile_ty type = parser->p->values[s->operands[0].value].type;
    uint32_t ids[PARSE_MAX_OPERANDS];
    ids[0] = sam_tile_parse_define(parser, variable, &type);
    for (size_t i = 0; i < count; i++) {
        if (!parse_same(parser, s, 3 + i, &types[i]))
            return false;
        ids[1 + i] = sam_tile_parse_define(parser, &carried[i], &types[i]);
    }
    for (size_t i = 0; i < 1 + count; i++)
        if (ids[i] == SAM_TILE_NONE)
            return false;
    s->op.params = sam_tile_parse_ids(parser, ids, 1 + count);
    s->op.param_count = (uint32_t)(1 + count);
    return parse_body(parser, s, 0, types, count);
}

static bool check_bounds(struct parser *parser, const struct statement *s,
                         const struct sam_tile_ty *type, struct sam_tile_pos pos)
{
    if (!is_integer(type))
        return PARSE_FAIL(parser, pos,
                          "the type of a loop variable: expected index or an integer type");
    for (size_t i = 0; i < 3; i++)
        if (!parse_same(parser, s, i, type))
            return false;
    return true;
}

bool sam_tile_parse_carried(struct parser *parser, const struct statement *s,
                            const struct sam_tile_ty *types, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (!check_carried(parser, &types[i], s->op.pos) ||
            !parse_same(parser, s, 2 + i, &types[i]))
            return false;
    return check_bounds(parser, s, &types[0], s->op.pos);
}

bool sam_tile_parse_for(struct parser *parser, struct statement *s)
{
    struct sam_tile_ty types[PARSE_MAX_OPERANDS];
    struct token variable = parser->token, carried[PARSE_MAX_OPERANDS];
    size_t count, typed;
    if (!sam_tile_parse_at_value(parser, "the loop's variable, as %i"))
        return false;
    sam_tile_parse_next(parser);
    if (!sam_tile_parse_expect(parser, '=', "after the loop's variable") ||
        !sam_tile_parse_operand(parser, s) ||
        !sam_tile_parse_expect_word(parser, "to", "after the lower bound") ||
        !sam_tile_parse_operand(parser, s) ||
        !sam_tile_parse_expect_word(parser, "step", "after the upper bound") ||
        !sam_tile_parse_operand(parser, s) || !parse_iter_args(parser, s, carried, &count) ||
        !parse_types(parser, s, types, &typed))
        return false;
    if (count != typed)
        return PARSE_FAIL(parser, s->op.pos, "%zu values are carried: found %zu types", count,
                          typed);
    struct sam_tile_ty type = {.kind = SAM_TILE_KIND_INDEX};
    if (sam_tile_parse_accept(parser, ':') && !sam_tile_parse_type(parser, &type))
        return false;
    if (!check_bounds(parser, s, &type, variable.pos))
        return false;
    size_t names = parser->name_count;
    bool good = parse_loop_body(parser, s, &variable, carried, types, count);
    sam_tile_parse_leave(parser, names);
    return good && sam_tile_parse_append_bodies(parser, s, types, count);
}
