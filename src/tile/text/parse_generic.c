/* SPDX-License-Identifier: Apache-2.0 */
/* The generic form of MLIR, `"name"(operands) <{properties}> ({regions}) {attributes} : (types) ->
 * types`, and the attributes of tile operations in every form. */
#include <stdlib.h>

#include "tile/text/parse.h"

/* The text after the operands. */
struct generic {
    struct sam_tile_ty results[PARSE_MAX_OPERANDS];
    size_t result_count;
    int64_t segments[3]; /* operandSegmentSizes */
    size_t segment_count;
    struct token value; /* of a constant */
    struct sam_tile_ty value_type;
    struct sam_tile_ty params[PARSE_MAX_OPERANDS]; /* of a loop: what its block takes */
    struct sam_tile_pos ends[2];                   /* of the regions */
    size_t region_count;
    bool has_literal;
};

/* --- attributes */

/* Skip `= value` up to ',' or '}'; its tokens, one space for blanks, go to `text` unless NULL. */
static bool skip_value(struct parser *parser, struct sam_buffer *text, const char *end)
{
    size_t depth = 0;
    while (parser->token.kind != TOKEN_END) {
        const struct token *t = &parser->token;
        const char c = t->kind == TOKEN_CHARACTER ? t->text[0] : 0;
        const char *start = t->text - (t->kind == TOKEN_VALUE || t->kind == TOKEN_SYMBOL);
        if (!depth && (c == ',' || c == '}'))
            return true;
        if (c == '"' && (t->size < 2 || t->text[t->size - 1] != '"'))
            return PARSE_FAIL(parser, t->pos, "expected '\"' at the end of the string");
        depth += c && strchr("([{<", c);
        depth -= depth && c && strchr(")]}>", c);
        if (text && start > end)
            sam_buffer_append(text, " ", 1);
        end = t->text + t->size;
        if (text)
            sam_buffer_append(text, start, (size_t)(end - start));
        sam_tile_parse_next(parser);
    }
    return sam_tile_parse_expect(parser, '}', "at the end of the attributes");
}

/* Keep `x.y` or `x.y = value` as it is. */
static bool keep_attribute(struct parser *parser, struct statement *s)
{
    struct sam_buffer text = {0};
    if (s->op.attributes)
        sam_buffer_printf(&text, "%s, ", s->op.attributes);
    bool good = skip_value(parser, &text, parser->token.text);
    if (good) {
        free(s->op.attributes);
        s->op.attributes = text.failed ? NULL : sam_strdup(sam_buffer_text(&text));
        parser->memory |= !s->op.attributes;
    }
    sam_buffer_free(&text);
    return good && !parser->memory;
}

/* An integer, with or without its type. */
static bool parse_typed_integer(struct parser *parser, int64_t *value)
{
    struct sam_tile_ty type;
    return sam_tile_parse_integer(parser, value) &&
           (!sam_tile_parse_accept(parser, ':') || sam_tile_parse_type(parser, &type));
}

/* `array<i32: 1, 2, 2>` */
static bool parse_segments(struct parser *parser, struct generic *g)
{
    if (!sam_tile_parse_expect_word(parser, "array", "as operandSegmentSizes") ||
        !sam_tile_parse_expect(parser, '<', "after 'array'") ||
        !sam_tile_parse_expect_word(parser, "i32", "as the array's type") ||
        !sam_tile_parse_expect(parser, ':', "after the array's type"))
        return false;
    do {
        if (g->segment_count == SAM_COUNT(g->segments))
            return sam_tile_parse_too_many(parser, "segments", SAM_COUNT(g->segments));
        if (!sam_tile_parse_integer(parser, &g->segments[g->segment_count++]))
            return false;
    } while (sam_tile_parse_accept(parser, ','));
    return sam_tile_parse_expect(parser, '>', "after the segments");
}

static bool parse_value(struct parser *parser, struct generic *g)
{
    char found[80];
    g->value = parser->token;
    if (g->value.kind != TOKEN_NUMBER && !sam_tile_parse_is_word(parser, "true") &&
        !sam_tile_parse_is_word(parser, "false"))
        return PARSE_FAIL(parser, g->value.pos, "expected a number, true or false, found %s",
                          sam_tile_parse_found(parser, found, sizeof found));
    sam_tile_parse_next(parser);
    return !sam_tile_parse_accept(parser, ':') || sam_tile_parse_type(parser, &g->value_type);
}

static bool parse_predicate(struct parser *parser, struct statement *s)
{
    int64_t number;
    const struct sam_tile_pos pos = parser->token.pos;
    if (!parse_typed_integer(parser, &number))
        return false;
    if (number < 0 || number > 5)
        return PARSE_FAIL(parser, pos, "predicate: expected 0 to 5 (eq, ne, slt, sle, sgt, sge)");
    s->op.attribute = (unsigned)number;
    return true;
}

/* The attribute that an operation has in the generic form, in the others its own syntax. */
static const char *generic_key(unsigned code)
{
    switch (code) {
    case SAM_TILE_ALLOC:
    case SAM_TILE_VIEW:
    case SAM_TILE_PART: return "operandSegmentSizes";
    case SAM_TILE_ASSIGN: return "address";
    case SAM_TILE_RECORD: return "pipe";
    case SAM_TILE_CMPI: return "predicate";
    case SAM_TILE_CONSTANT: return "value";
    case SAM_TILE_ADDI:
    case SAM_TILE_SUBI:
    case SAM_TILE_MULI: return "overflowFlags";
    default: return NULL;
    }
}

static bool parse_generic_value(struct parser *parser, struct statement *s, struct generic *g)
{
    switch (s->op.code) {
    case SAM_TILE_ALLOC:
    case SAM_TILE_VIEW:
    case SAM_TILE_PART: return parse_segments(parser, g);
    case SAM_TILE_ASSIGN: return parse_typed_integer(parser, &s->op.literal);
    case SAM_TILE_RECORD:
        return sam_tile_parse_choice(parser, s, sam_tile_pipe_names,
                                     "a pipe (tload, tstore, vector, matrix)");
    case SAM_TILE_CMPI: return parse_predicate(parser, s);
    case SAM_TILE_CONSTANT: return parse_value(parser, g);
    default: return skip_value(parser, NULL, NULL); /* undefined on overflow: here it wraps */
    }
}

static bool parse_attribute(struct parser *parser, struct statement *s, struct generic *g)
{
    char found[80];
    const struct token name = parser->token;
    const struct sam_tile_attribute_text *text =
        s->op.code >= SAM_TILE_FIRST_OP ? sam_tile_attribute(sam_tile_row(s->op.code)) : NULL;
    const char *key = text ? text->key : g ? generic_key(s->op.code) : NULL;
    if (text && name.kind == TOKEN_WORD && memchr(name.text, '.', name.size))
        return keep_attribute(parser, s);
    if (!key)
        return PARSE_FAIL(parser, name.pos, "%s has no attributes", sam_tile_code_name(s->op.code));
    if (!sam_tile_parse_is_word(parser, key))
        return PARSE_FAIL(parser, name.pos, "expected '%s' as attribute, found %s", key,
                          sam_tile_parse_found(parser, found, sizeof found));
    if (s->has_attribute)
        return PARSE_FAIL(parser, name.pos, "'%s' is given twice", key);
    s->has_attribute = true;
    sam_tile_parse_next(parser);
    if (!sam_tile_parse_expect(parser, '=', "after it"))
        return false;
    return text || !g ? sam_tile_parse_choice(parser, s, text->words, text->choices)
                      : parse_generic_value(parser, s, g);
}

static bool parse_attributes(struct parser *parser, struct statement *s, struct generic *g)
{
    if (sam_tile_parse_accept(parser, '}'))
        return true;
    do {
        if (!parse_attribute(parser, s, g))
            return false;
    } while (sam_tile_parse_accept(parser, ','));
    return sam_tile_parse_expect(parser, '}', "after the attribute");
}

bool sam_tile_parse_attributes(struct parser *parser, struct statement *s)
{
    return parse_attributes(parser, s, NULL);
}

/* --- regions */

/* `^name(%i: index, %a: f32):`, the parameters of a loop's block */
static bool parse_params(struct parser *parser, struct statement *s, struct generic *g)
{
    uint32_t ids[PARSE_MAX_OPERANDS];
    size_t count = 0;
    sam_tile_parse_next(parser); /* the block's name, which nothing refers to */
    if (sam_tile_parse_accept(parser, '(')) {
        do {
            const struct token name = parser->token;
            if (count == PARSE_MAX_OPERANDS)
                return sam_tile_parse_too_many(parser, "parameters", PARSE_MAX_OPERANDS);
            if (!sam_tile_parse_at_value(parser, "a parameter, as %i: index"))
                return false;
            sam_tile_parse_next(parser);
            if (!sam_tile_parse_expect(parser, ':', "after the parameter") ||
                !sam_tile_parse_type(parser, &g->params[count]))
                return false;
            ids[count] = sam_tile_parse_define(parser, &name, &g->params[count]);
            if (ids[count++] == SAM_TILE_NONE)
                return false;
        } while (sam_tile_parse_accept(parser, ','));
        if (!sam_tile_parse_expect(parser, ')', "after the parameters"))
            return false;
    }
    s->op.params = sam_tile_parse_ids(parser, ids, count);
    s->op.param_count = (uint32_t)count;
    return sam_tile_parse_expect(parser, ':', "after the block's name");
}

/* `({...}, {...})` */
static bool parse_regions(struct parser *parser, struct statement *s, struct generic *g)
{
    const size_t most = s->op.code == SAM_TILE_IF ? 2 : s->op.code == SAM_TILE_FOR ? 1 : 0;
    if (!sam_tile_parse_accept(parser, '('))
        return true;
    const struct sam_tile_pos pos = parser->token.pos;
    do {
        const size_t which = g->region_count, names = parser->name_count;
        if (which == most)
            return PARSE_FAIL(parser, pos, "%s: expected %zu region%s",
                              sam_tile_code_name(s->op.code), most, most == 1 ? "" : "s");
        if (!sam_tile_parse_expect(parser, '{', "before the region"))
            return false;
        g->region_count++;
        if (which == 1 && sam_tile_parse_accept(parser, '}'))
            continue; /* no else */
        s->op.attribute = which == 1;
        bool good = (!sam_tile_parse_accept(parser, '^') || parse_params(parser, s, g)) &&
                    sam_tile_parse_body(parser, s, (unsigned)which, &g->ends[which]);
        sam_tile_parse_leave(parser, names);
        if (!good)
            return false;
    } while (sam_tile_parse_accept(parser, ','));
    return sam_tile_parse_expect(parser, ')', "after the regions");
}

/* --- the whole */

/* `(%a, %b)` */
static bool parse_operands(struct parser *parser, struct statement *s)
{
    if (!sam_tile_parse_expect(parser, '(', "before the operands"))
        return false;
    if (sam_tile_parse_accept(parser, ')'))
        return true;
    do {
        if (s->op.code == SAM_TILE_ASSIGN && !s->operand_count ? !sam_tile_parse_assigned(parser, s)
                                                               : !sam_tile_parse_operand(parser, s))
            return false;
    } while (sam_tile_parse_accept(parser, ','));
    return sam_tile_parse_expect(parser, ')', "after the operands");
}

/* `: (T, U) -> V`, one type per operand and per result */
static bool parse_types(struct parser *parser, struct statement *s, struct generic *g)
{
    char found[80];
    if (!sam_tile_parse_expect(parser, ':', "before the types") ||
        !sam_tile_parse_expect(parser, '(', "before the operands' types"))
        return false;
    for (size_t i = 0; i < s->operand_count; i++)
        if ((i && !sam_tile_parse_expect(parser, ',', "between types")) ||
            !sam_tile_parse_operand_type(parser, s, i))
            return false;
    if (!sam_tile_parse_expect(parser, ')', "after the operands' types"))
        return false;
    if (parser->token.kind != TOKEN_ARROW)
        return PARSE_FAIL(parser, parser->token.pos, "expected '->' and a type, found %s",
                          sam_tile_parse_found(parser, found, sizeof found));
    sam_tile_parse_next(parser);
    const bool round = sam_tile_parse_accept(parser, '(');
    if (round && sam_tile_parse_accept(parser, ')'))
        return true;
    do {
        if (g->result_count == PARSE_MAX_OPERANDS)
            return sam_tile_parse_too_many(parser, "results", PARSE_MAX_OPERANDS);
        if (!sam_tile_parse_type(parser, &g->results[g->result_count++]))
            return false;
    } while (round && sam_tile_parse_accept(parser, ','));
    return !round || sam_tile_parse_expect(parser, ')', "after the results' types");
}

static bool count_operands(struct parser *parser, const struct statement *s, bool good,
                           const char *expected)
{
    return good || PARSE_FAIL(parser, s->op.pos, "%s: expected %s, found %zu",
                              sam_tile_code_name(s->op.code), expected, s->operand_count);
}

/* A tile operation: with its destination as last operand, or with a result. */
static bool end_tile_op(struct parser *parser, struct statement *s, const struct generic *g)
{
    const struct sam_tile_row *row = sam_tile_row(s->op.code);
    const size_t wanted = row->count + (s->result_count ? 0u : 1u);
    if (s->operand_count != wanted)
        return PARSE_FAIL(parser, s->op.pos, "%s: expected %zu operands, found %zu", row->name,
                          wanted, s->operand_count);
    if (!s->result_count)
        return sam_tile_parse_append(parser, s);
    if (sam_tile_stores(row))
        return sam_tile_parse_result_count(parser, s, 0);
    if (sam_tile_updates(row) || s->result_count != 1)
        return PARSE_FAIL(parser, s->op.pos, "%s: expected its destination as last operand",
                          row->name);
    if (g->results[0].kind != SAM_TILE_KIND_TILE)
        return PARSE_FAIL(parser, s->op.pos, "the result of %s is a tile", row->name);
    return sam_tile_parse_allocated(parser, s, &g->results[0]) && sam_tile_parse_append(parser, s);
}

/* alloc_tile, whose segments are 0 or 1 long. */
static bool end_alloc(struct parser *parser, struct statement *s, const struct generic *g)
{
    size_t count = 0;
    s->op.attribute = 0;
    for (size_t i = 0; i < g->segment_count; i++) {
        if (g->segments[i] != 0 && g->segments[i] != 1)
            return PARSE_FAIL(parser, s->op.pos, "alloc_tile: a segment is 0 or 1 long");
        s->op.attribute |= (unsigned)g->segments[i] << i;
        count += (size_t)g->segments[i];
    }
    if ((g->segment_count && g->segment_count != 3) || count != s->operand_count)
        return PARSE_FAIL(parser, s->op.pos,
                          "alloc_tile: expected operandSegmentSizes of 3 "
                          "segments (addr, valid_row, valid_col), of all "
                          "operands");
    for (size_t i = 0; i < count; i++)
        if (i == 0 && s->op.attribute & SAM_TILE_HAS_ADDRESS
                ? !sam_tile_parse_address(parser, s, i)
                : !sam_tile_parse_kind(parser, s, i, SAM_TILE_KIND_INDEX, "an index"))
            return false;
    return sam_tile_parse_made(parser, s, 0, 0, &g->results[0], s->op.pos);
}

/* The kinds of the operands of an operation with its own syntax: of the first, of the others. */
static bool check_kinds(struct parser *parser, const struct statement *s)
{
    static const struct {
        enum sam_tile_kind first;
        const char *what;
    } kinds[] = {
        [SAM_TILE_VIEW] = {SAM_TILE_KIND_PTR, "a pointer"},
        [SAM_TILE_PART] = {SAM_TILE_KIND_VIEW, "a tensor view"},
        [SAM_TILE_ASSIGN] = {SAM_TILE_KIND_TILE, "a tile"},
        [SAM_TILE_SUBSET] = {SAM_TILE_KIND_TILE, "a tile"},
        [SAM_TILE_SHAPE] = {SAM_TILE_KIND_TILE, "a tile"},
        [SAM_TILE_WAIT] = {SAM_TILE_KIND_EVENT, "an event"},
        [SAM_TILE_PREFETCH] = {SAM_TILE_KIND_PART, "a partition of a tensor view"},
    };
    const unsigned code = s->op.code;
    for (size_t i = 0; i < s->operand_count; i++) {
        const bool first = i == 0 || code == SAM_TILE_WAIT;
        if (i == 1 && code == SAM_TILE_ASSIGN
                ? !sam_tile_parse_address(parser, s, 1)
                : !sam_tile_parse_kind(parser, s, i,
                                       first ? kinds[code].first : SAM_TILE_KIND_INDEX,
                                       first ? kinds[code].what : "an index"))
            return false;
    }
    return true;
}

/* An operation of the pto dialect with its own syntax. */
static bool end_special(struct parser *parser, struct statement *s, const struct generic *g)
{
    const size_t n = s->operand_count;
    const unsigned code = s->op.code;
    const bool lists = code == SAM_TILE_VIEW || code == SAM_TILE_PART;
    const bool makes = lists || code == SAM_TILE_ALLOC || code == SAM_TILE_SUBSET ||
                       (code == SAM_TILE_ASSIGN && n == 2);
    const struct sam_tile_ty event = {.kind = SAM_TILE_KIND_EVENT};
    if (!sam_tile_parse_result_count(parser, s, makes || code == SAM_TILE_RECORD))
        return false;
    const size_t half = n / 2;
    switch (code) {
    case SAM_TILE_ALLOC: return end_alloc(parser, s, g);
    case SAM_TILE_RECORD:
        if (g->results[0].kind != SAM_TILE_KIND_EVENT)
            return PARSE_FAIL(parser, s->op.pos, "the result of record_event is an event");
        return count_operands(parser, s, n == 0, "no operand") &&
               sam_tile_parse_result(parser, s, 0, &event) && sam_tile_parse_append(parser, s);
    case SAM_TILE_BARRIER:
        return count_operands(parser, s, n == 0, "no operand") && sam_tile_parse_append(parser, s);
    case SAM_TILE_WAIT: s->op.code = n ? SAM_TILE_WAIT : SAM_TILE_BARRIER; break;
    case SAM_TILE_PREFETCH:
        if (!count_operands(parser, s, n == 1, "one operand"))
            return false;
        break;
    case SAM_TILE_ASSIGN:
        if (!count_operands(parser, s, s->has_attribute ? n == 1 : n == 2,
                            "a tile and an address, as operand or attribute"))
            return false;
        break;
    case SAM_TILE_SUBSET:
    case SAM_TILE_SHAPE:
        if (!count_operands(parser, s, n == 3, "3 operands"))
            return false;
        break;
    default:
        if (!count_operands(parser, s, n % 2 == 1, "one operand and two lists of equal length"))
            return false;
        if (g->segment_count &&
            (g->segment_count != 3 || g->segments[0] != 1 || g->segments[1] != (int64_t)half ||
             g->segments[2] != (int64_t)half))
            return PARSE_FAIL(parser, s->op.pos, "%s: expected operandSegmentSizes of 1, %zu, %zu",
                              sam_tile_code_name(code), half, half);
    }
    if (!check_kinds(parser, s))
        return false;
    if (code == SAM_TILE_ASSIGN && n == 2) {
        s->op.code = SAM_TILE_REBIND;
        sam_tile_parse_settle(parser, s->operands[0].value);
    }
    return makes ? sam_tile_parse_made(parser, s, lists ? half : 2, half, &g->results[0], s->op.pos)
                 : sam_tile_parse_append(parser, s);
}

static bool check_result(struct parser *parser, const struct statement *s,
                         const struct sam_tile_ty *is, const struct sam_tile_ty *stands)
{
    char a[160], b[160];
    return sam_tile_ty_equal(is, stands) ||
           PARSE_FAIL(parser, s->op.pos, "the result of %s is of type %s, not %s",
                      sam_tile_code_name(s->op.code), sam_tile_ty_text(is, a, sizeof a),
                      sam_tile_ty_text(stands, b, sizeof b));
}

static bool end_arith(struct parser *parser, struct statement *s, const struct generic *g)
{
    static const struct sam_tile_ty boolean = {.kind = SAM_TILE_KIND_BOOL};
    const unsigned code = s->op.code;
    const size_t wanted = code == SAM_TILE_CONSTANT ? 0
                          : code == SAM_TILE_CAST   ? 1
                          : code == SAM_TILE_SELECT ? 3
                                                    : 2;
    if (!sam_tile_parse_result_count(parser, s, 1))
        return false;
    if (s->operand_count != wanted)
        return PARSE_FAIL(parser, s->op.pos, "%s: expected %zu operand%s, found %zu",
                          sam_tile_code_name(code), wanted, wanted == 1 ? "" : "s",
                          s->operand_count);
    if (code == SAM_TILE_CONSTANT) {
        if (!s->has_attribute)
            return PARSE_FAIL(parser, s->op.pos, "arith.constant: expected {value = ...}");
        return (g->value_type.kind == SAM_TILE_KIND_UNKNOWN ||
                check_result(parser, s, &g->value_type, &g->results[0])) &&
               sam_tile_parse_constant(parser, s, &g->value, &g->results[0]);
    }
    if (code == SAM_TILE_CMPI && !s->has_attribute)
        return PARSE_FAIL(parser, s->op.pos, "arith.cmpi: expected {predicate = 0 to 5}");
    if (code == SAM_TILE_CAST)
        return sam_tile_parse_computed(parser, s, &g->results[0], s->op.pos);
    const struct sam_tile_ty type = parser->p->values[s->operands[wanted - 1].value].type;
    return check_result(parser, s, code == SAM_TILE_CMPI ? &boolean : &type, &g->results[0]) &&
           sam_tile_parse_computed(parser, s, &type, s->op.pos);
}

/* A loop or a condition. */
static bool end_bodies(struct parser *parser, struct statement *s, const struct generic *g)
{
    const bool loop = s->op.code == SAM_TILE_FOR;
    const size_t count = s->result_count, first = loop ? 3 : 1;
    if (!g->region_count)
        return PARSE_FAIL(parser, s->op.pos, "%s: expected a region",
                          sam_tile_code_name(s->op.code));
    if (!count_operands(parser, s, s->operand_count == first + (loop ? count : 0),
                        loop ? "the bounds, the step and one operand per result" : "a condition"))
        return false;
    if (s->op.param_count != (loop ? 1 + count : 0))
        return PARSE_FAIL(parser, s->op.pos, "%s: its block has %u parameters, expected %zu",
                          sam_tile_code_name(s->op.code), s->op.param_count,
                          loop ? 1 + count : (size_t)0);
    for (size_t i = 0; i < count; i++)
        if (loop && !check_result(parser, s, &g->params[1 + i], &g->results[i]))
            return false;
    if (loop ? !sam_tile_parse_carried(parser, s, g->params, 1 + count)
             : !sam_tile_parse_kind(parser, s, 0, SAM_TILE_KIND_BOOL, "a condition (i1)"))
        return false;
    if (!loop && count && !s->op.attribute)
        return PARSE_FAIL(parser, s->op.pos, "a condition with results has an else");
    for (unsigned i = 0; i < 1u + (s->op.attribute != 0); i++)
        if (!sam_tile_parse_yields(parser, s, i, g->results, count, g->ends[i]))
            return false;
    return sam_tile_parse_append_bodies(parser, s, g->results, count);
}

static bool end_block(struct parser *parser, struct statement *s)
{
    const bool yields = s->op.code == SAM_TILE_YIELD;
    parser->ended = true;
    if (yields && parser->depth < 2)
        return PARSE_FAIL(
            parser, s->op.pos,
            "scf.yield ends the block of a loop or condition; a function ends with return");
    return count_operands(parser, s, yields || !s->operand_count, "no operand") &&
           sam_tile_parse_result_count(parser, s, 0) && sam_tile_parse_append(parser, s);
}

static bool parse_rest(struct parser *parser, struct statement *s, struct generic *g)
{
    if (!parse_operands(parser, s))
        return false;
    if (sam_tile_parse_accept(parser, '<') &&
        (!sam_tile_parse_expect(parser, '{', "before the properties") ||
         !parse_attributes(parser, s, g) ||
         !sam_tile_parse_expect(parser, '>', "after the properties")))
        return false;
    if (!parse_regions(parser, s, g) ||
        (sam_tile_parse_accept(parser, '{') && !parse_attributes(parser, s, g)) ||
        !parse_types(parser, s, g))
        return false;
    if (g->result_count != s->result_count)
        return PARSE_FAIL(parser, s->op.pos, "%s: %zu types of results, found %zu name%s",
                          sam_tile_code_name(s->op.code), g->result_count, s->result_count,
                          s->result_count == 1 ? "" : "s");
    const unsigned code = s->op.code;
    if (code >= SAM_TILE_FIRST_OP)
        return end_tile_op(parser, s, g);
    if (code == SAM_TILE_FOR || code == SAM_TILE_IF)
        return end_bodies(parser, s, g);
    if (code == SAM_TILE_YIELD || code == SAM_TILE_RETURN)
        return end_block(parser, s);
    return sam_tile_code_is_pto(code) ? end_special(parser, s, g) : end_arith(parser, s, g);
}

bool sam_tile_parse_generic(struct parser *parser, struct statement *s)
{
    struct generic *g = sam_alloc(1, sizeof *g);
    if (!g) {
        parser->memory = true;
        return false;
    }
    const bool good = parse_rest(parser, s, g);
    free(g);
    return good;
}
