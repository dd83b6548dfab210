/* SPDX-License-Identifier: Apache-2.0 */
/* Tile operations: ins(...) outs(...), or operands and a result; tile allocation and binding. */
#include <stdlib.h>

#include "tile/text/parse.h"

/* `{cmp = lt}`, `{round = floor}` */
static bool parse_attribute(struct parser *parser, struct statement *s)
{
    return !sam_tile_parse_accept(parser, '{') || sam_tile_parse_attributes(parser, s);
}

/* `%a, %b : T, T` up to `close` */
static bool parse_typed(struct parser *parser, struct statement *s, size_t count)
{
    size_t first = s->operand_count;
    for (size_t i = 0; i < count; i++)
        if ((i && !sam_tile_parse_expect(parser, ',', "between operands")) ||
            !sam_tile_parse_operand(parser, s))
            return false;
    if (!parse_attribute(parser, s) ||
        !sam_tile_parse_expect(parser, ':', "before the operands' types"))
        return false;
    for (size_t i = 0; i < count; i++)
        if ((i && !sam_tile_parse_expect(parser, ',', "between types")) ||
            !sam_tile_parse_operand_type(parser, s, first + i))
            return false;
    return true;
}

static bool parse_dps(struct parser *parser, struct statement *s, size_t sources)
{
    if (!sam_tile_parse_result_count(parser, s, 0) ||
        !sam_tile_parse_expect_word(parser, "ins", "here") ||
        !sam_tile_parse_expect(parser, '(', "after 'ins'") || !parse_typed(parser, s, sources) ||
        !sam_tile_parse_expect(parser, ')', "after the sources") ||
        !sam_tile_parse_expect_word(parser, "outs", "after the sources") ||
        !sam_tile_parse_expect(parser, '(', "after 'outs'") || !parse_typed(parser, s, 1) ||
        !sam_tile_parse_expect(parser, ')', "after the destination") || !parse_attribute(parser, s))
        return false;
    return sam_tile_parse_append(parser, s);
}

bool sam_tile_parse_allocated(struct parser *parser, struct statement *s,
                              const struct sam_tile_ty *type)
{
    struct statement alloc = {.op = {.code = SAM_TILE_ALLOC,
                                     .pos = s->op.pos,
                                     .comment = s->op.comment,
                                     .body = {SAM_TILE_NONE, SAM_TILE_NONE}},
                              .result_count = 1};
    alloc.results[0] = s->results[0];
    bool found;
    s->op.comment = NULL;
    bool good = sam_tile_parse_destination(parser, &alloc, type, &found);
    if (good && !found)
        good =
            sam_tile_parse_result(parser, &alloc, 0, type) && sam_tile_parse_append(parser, &alloc);
    if (!s->op.comment && alloc.op.comment && good) {
        s->op.comment = alloc.op.comment; /* not appended: the comment stays with the operation */
        alloc.op.comment = NULL;
    }
    free(alloc.op.comment);
    if (!good)
        return false;
    s->result_count = 0;
    s->operands[s->operand_count++] = (struct sam_tile_operand){alloc.ids[0], s->results[0].pos};
    return true;
}

static bool parse_ssa(struct parser *parser, struct statement *s, size_t sources)
{
    struct sam_tile_ty type;
    bool stores = sam_tile_stores(sam_tile_row(s->op.code));
    if (sam_tile_updates(sam_tile_row(s->op.code))) {
        return PARSE_FAIL(parser, s->op.pos,
                          "%s changes its destination: write it with ins(...) outs(...)",
                          sam_tile_code_name(s->op.code));
    }
    if (!sam_tile_parse_result_count(parser, s, stores ? 0 : 1) ||
        !parse_typed(parser, s, sources + stores))
        return false;
    if (!stores) {
        char found[80];
        if (parser->token.kind != TOKEN_ARROW) {
            return PARSE_FAIL(parser, parser->token.pos, "expected '->' and a type, found %s",
                              sam_tile_parse_found(parser, found, sizeof found));
        }
        sam_tile_parse_next(parser);
        struct sam_tile_pos pos = parser->token.pos;
        if (!sam_tile_parse_type(parser, &type))
            return false;
        if (type.kind != SAM_TILE_KIND_TILE) {
            return PARSE_FAIL(parser, pos, "the result of %s is a tile",
                              sam_tile_code_name(s->op.code));
        }
        if (!sam_tile_parse_allocated(parser, s, &type))
            return false;
    }
    return sam_tile_parse_append(parser, s);
}

bool sam_tile_parse_tile_op(struct parser *parser, struct statement *s)
{
    size_t sources = sam_tile_row(s->op.code)->count;
    if (sam_tile_parse_is(parser, '{') && !parse_attribute(parser, s))
        return false;
    return sam_tile_parse_is_word(parser, "ins") ? parse_dps(parser, s, sources)
                                                 : parse_ssa(parser, s, sources);
}

/* `= %value` of a key */
static bool parse_key_operand(struct parser *parser, struct statement *s, unsigned flag)
{
    if (s->op.attribute & flag) {
        return PARSE_FAIL(parser, parser->token.pos, "'%.*s' is given twice",
                          (int)parser->token.size, parser->token.text);
    }
    s->op.attribute |= flag;
    sam_tile_parse_next(parser);
    return sam_tile_parse_expect(parser, '=', "after it") && sam_tile_parse_operand(parser, s);
}

bool sam_tile_parse_address(struct parser *parser, const struct statement *s, size_t index)
{
    const struct sam_tile_ty *type = &parser->p->values[s->operands[index].value].type;
    if (type->kind == SAM_TILE_KIND_SCALAR && type->dtype == SAM_I64)
        return true;
    return sam_tile_parse_kind(parser, s, index, SAM_TILE_KIND_INDEX, "an address (i64 or index)");
}

/* [addr = %a] [valid_row = %r] [valid_col = %c] : T */
static bool parse_alloc(struct parser *parser, struct statement *s)
{
    static const char *const names[] = {"addr", "valid_row", "valid_col", NULL};
    struct sam_tile_operand given[3] = {{0}};
    struct sam_tile_ty type;
    if (!sam_tile_parse_result_count(parser, s, 1))
        return false;
    while (parser->token.kind == TOKEN_WORD) {
        int key = sam_tile_word(names, parser->token.text, parser->token.size);
        if (key < 0)
            break;
        if (!parse_key_operand(parser, s, 1u << key))
            return false;
        given[key] = s->operands[--s->operand_count];
        sam_tile_parse_accept(parser, ',');
    }
    for (unsigned i = 0; i < 3; i++)
        if (s->op.attribute & 1u << i) {
            s->operands[s->operand_count++] = given[i];
            if (i == 0 ? !sam_tile_parse_address(parser, s, s->operand_count - 1)
                       : !sam_tile_parse_kind(parser, s, s->operand_count - 1, SAM_TILE_KIND_INDEX,
                                              "an index"))
                return false;
        }
    if (!sam_tile_parse_expect(parser, ':',
                               "before the tile's type (or addr, valid_row, valid_col)"))
        return false;
    struct sam_tile_pos pos = parser->token.pos;
    if (!sam_tile_parse_type(parser, &type))
        return false;
    return sam_tile_parse_made(parser, s, 0, 0, &type, pos);
}

/* `, shape = [%a, %b]`; *count receives the length */
static bool parse_index_list(struct parser *parser, struct statement *s, const char *key,
                             size_t *count)
{
    *count = 0;
    if (!sam_tile_parse_expect(parser, ',', "before the next list") ||
        !sam_tile_parse_expect_word(parser, key, "here") ||
        !sam_tile_parse_expect(parser, '=', "after it") ||
        !sam_tile_parse_expect(parser, '[', "before the list"))
        return false;
    do {
        if (!sam_tile_parse_operand(parser, s) ||
            !sam_tile_parse_kind(parser, s, s->operand_count - 1, SAM_TILE_KIND_INDEX, "an index"))
            return false;
        ++*count;
    } while (sam_tile_parse_accept(parser, ','));
    return sam_tile_parse_expect(parser, ']', "after the list");
}

static bool parse_arrow(struct parser *parser)
{
    char found[80];
    if (parser->token.kind == TOKEN_ARROW) {
        sam_tile_parse_next(parser);
        return true;
    }
    return PARSE_FAIL(parser, parser->token.pos, "expected '->' and a type, found %s",
                      sam_tile_parse_found(parser, found, sizeof found));
}

static bool check_rank(struct parser *parser, const struct statement *s,
                       const struct sam_tile_ty *type, size_t a, size_t b)
{
    if (a == type->rank && b == type->rank)
        return true;
    return PARSE_FAIL(parser, s->op.pos, "the type has %u dimensions, the lists %zu and %zu",
                      type->rank, a, b);
}

static bool check_view(struct parser *parser, const struct statement *s,
                       const struct sam_tile_ty *type)
{
    struct sam_tile_ty *pointer = &parser->p->values[s->operands[0].value].type;
    if (pointer->kind == SAM_TILE_KIND_UNKNOWN)
        *pointer = (struct sam_tile_ty){.kind = SAM_TILE_KIND_PTR, .dtype = type->dtype};
    if (pointer->dtype == type->dtype)
        return true;
    return PARSE_FAIL(parser, s->operands[0].pos, "a view of %s of a pointer to %s",
                      sam_tile_dtype_name(type->dtype), sam_tile_dtype_name(pointer->dtype));
}

bool sam_tile_parse_made(struct parser *parser, struct statement *s, size_t a, size_t b,
                         const struct sam_tile_ty *type, struct sam_tile_pos pos)
{
    const unsigned code = s->op.code;
    const enum sam_tile_kind kind = code == SAM_TILE_VIEW   ? SAM_TILE_KIND_VIEW
                                    : code == SAM_TILE_PART ? SAM_TILE_KIND_PART
                                                            : SAM_TILE_KIND_TILE;
    if (type->kind != kind) {
        return PARSE_FAIL(parser, pos, "the result of %s is %s", sam_tile_code_name(code),
                          code == SAM_TILE_VIEW   ? "a !pto.tensor_view"
                          : code == SAM_TILE_PART ? "a !pto.partition_tensor_view"
                                                  : "a tile");
    }
    const struct sam_tile_ty *from =
        s->operand_count ? &parser->p->values[s->operands[0].value].type : type;
    if (kind != SAM_TILE_KIND_TILE && !check_rank(parser, s, type, a, b))
        return false;
    if (code == SAM_TILE_VIEW && !check_view(parser, s, type))
        return false;
    if (code == SAM_TILE_PART && (from->dtype != type->dtype || from->rank != type->rank))
        return PARSE_FAIL(parser, s->op.pos, "a partition has the dtype and the rank of its view");
    if (code == SAM_TILE_REBIND && !sam_tile_ty_equal(type, from))
        return PARSE_FAIL(parser, s->op.pos, "tassign keeps the tile's type");
    if (code == SAM_TILE_SUBSET && a != 2)
        return PARSE_FAIL(parser, s->op.pos, "expected two offsets, a row and a column");
    return sam_tile_parse_result(parser, s, 0, type) && sam_tile_parse_append(parser, s);
}

/* %ptr, shape = [...], strides = [...] : T */
static bool parse_view(struct parser *parser, struct statement *s)
{
    size_t shape, strides;
    struct sam_tile_ty type;
    if (!sam_tile_parse_result_count(parser, s, 1) || !sam_tile_parse_operand(parser, s) ||
        !sam_tile_parse_kind(parser, s, 0, SAM_TILE_KIND_PTR, "a pointer") ||
        !parse_index_list(parser, s, "shape", &shape) ||
        !parse_index_list(parser, s, "strides", &strides) ||
        !sam_tile_parse_expect(parser, ':', "before the view's type"))
        return false;
    struct sam_tile_pos pos = parser->token.pos;
    return sam_tile_parse_type(parser, &type) &&
           sam_tile_parse_made(parser, s, shape, strides, &type, pos);
}

/* %view, offsets = [...], sizes = [...] : V -> T */
static bool parse_partition(struct parser *parser, struct statement *s)
{
    size_t offsets, sizes;
    struct sam_tile_ty type;
    if (!sam_tile_parse_result_count(parser, s, 1) || !sam_tile_parse_operand(parser, s) ||
        !sam_tile_parse_kind(parser, s, 0, SAM_TILE_KIND_VIEW, "a tensor view") ||
        !parse_index_list(parser, s, "offsets", &offsets) ||
        !parse_index_list(parser, s, "sizes", &sizes) ||
        !sam_tile_parse_expect(parser, ':', "before the view's type") ||
        !sam_tile_parse_operand_type(parser, s, 0) || !parse_arrow(parser))
        return false;
    struct sam_tile_pos pos = parser->token.pos;
    return sam_tile_parse_type(parser, &type) &&
           sam_tile_parse_made(parser, s, offsets, sizes, &type, pos);
}

/* `%t, @tile(0x1000)` or `%u = %t, %address : T -> T` */
static bool parse_assign(struct parser *parser, struct statement *s)
{
    struct sam_tile_ty type;
    if (!sam_tile_parse_assigned(parser, s) ||
        !sam_tile_parse_kind(parser, s, 0, SAM_TILE_KIND_TILE, "a tile") ||
        !sam_tile_parse_expect(parser, ',', "before the address"))
        return false;
    if (parser->token.kind == TOKEN_SYMBOL) {
        if (parser->token.size != 4 || memcmp(parser->token.text, "tile", 4) != 0)
            return PARSE_FAIL(parser, parser->token.pos, "expected an address, as @tile(0x1000)");
        sam_tile_parse_next(parser);
        return sam_tile_parse_result_count(parser, s, 0) &&
               sam_tile_parse_expect(parser, '(', "after '@tile'") &&
               sam_tile_parse_integer(parser, &s->op.literal) &&
               sam_tile_parse_expect(parser, ')', "after the address") &&
               sam_tile_parse_append(parser, s);
    }
    s->op.code = SAM_TILE_REBIND;
    sam_tile_parse_settle(parser, s->operands[0].value);
    if (!sam_tile_parse_result_count(parser, s, 1) || !sam_tile_parse_operand(parser, s) ||
        !sam_tile_parse_address(parser, s, 1) ||
        !sam_tile_parse_expect(parser, ':', "before the tile's type") ||
        !sam_tile_parse_operand_type(parser, s, 0) || !parse_arrow(parser))
        return false;
    struct sam_tile_pos pos = parser->token.pos;
    return sam_tile_parse_type(parser, &type) && sam_tile_parse_made(parser, s, 0, 0, &type, pos);
}

/* %t, offsets = [%r, %c] : T -> U */
static bool parse_subset(struct parser *parser, struct statement *s)
{
    size_t offsets;
    struct sam_tile_ty type;
    if (!sam_tile_parse_result_count(parser, s, 1) || !sam_tile_parse_operand(parser, s) ||
        !sam_tile_parse_kind(parser, s, 0, SAM_TILE_KIND_TILE, "a tile") ||
        !parse_index_list(parser, s, "offsets", &offsets) ||
        !sam_tile_parse_expect(parser, ':', "before the tile's type") ||
        !sam_tile_parse_operand_type(parser, s, 0) || !parse_arrow(parser))
        return false;
    struct sam_tile_pos pos = parser->token.pos;
    return sam_tile_parse_type(parser, &type) &&
           sam_tile_parse_made(parser, s, offsets, 0, &type, pos);
}

/* %t, %rows, %cols : T */
static bool parse_shape(struct parser *parser, struct statement *s)
{
    if (!sam_tile_parse_result_count(parser, s, 0) || !sam_tile_parse_operand(parser, s) ||
        !sam_tile_parse_kind(parser, s, 0, SAM_TILE_KIND_TILE, "a tile"))
        return false;
    for (size_t i = 1; i < 3; i++)
        if (!sam_tile_parse_expect(parser, ',', "before rows and columns") ||
            !sam_tile_parse_operand(parser, s) ||
            !sam_tile_parse_kind(parser, s, i, SAM_TILE_KIND_INDEX, "an index"))
            return false;
    return sam_tile_parse_expect(parser, ':', "before the tile's type") &&
           sam_tile_parse_operand_type(parser, s, 0) && sam_tile_parse_append(parser, s);
}

/* `<vector>`, the angles optional */
static bool parse_record(struct parser *parser, struct statement *s)
{
    struct sam_tile_ty type = {.kind = SAM_TILE_KIND_EVENT};
    bool angle = sam_tile_parse_accept(parser, '<');
    return sam_tile_parse_choice(parser, s, sam_tile_pipe_names,
                                 "a pipe (tload, tstore, vector, matrix)") &&
           (!angle || sam_tile_parse_expect(parser, '>', "after the pipe")) &&
           sam_tile_parse_result_count(parser, s, 1) &&
           sam_tile_parse_result(parser, s, 0, &type) && sam_tile_parse_append(parser, s);
}

/* Without events: a barrier. */
static bool parse_wait(struct parser *parser, struct statement *s)
{
    if (!sam_tile_parse_result_count(parser, s, 0))
        return false;
    if (parser->token.kind != TOKEN_VALUE || sam_tile_parse_starts_results(parser)) {
        s->op.code = SAM_TILE_BARRIER;
        return sam_tile_parse_append(parser, s);
    }
    do {
        if (!sam_tile_parse_operand(parser, s) ||
            !sam_tile_parse_kind(parser, s, s->operand_count - 1, SAM_TILE_KIND_EVENT, "an event"))
            return false;
    } while (sam_tile_parse_accept(parser, ','));
    return sam_tile_parse_append(parser, s);
}

/* %p : T */
static bool parse_prefetch(struct parser *parser, struct statement *s)
{
    return sam_tile_parse_result_count(parser, s, 0) && sam_tile_parse_operand(parser, s) &&
           sam_tile_parse_kind(parser, s, 0, SAM_TILE_KIND_PART, "a partition of a tensor view") &&
           sam_tile_parse_expect(parser, ':', "before the partition's type") &&
           sam_tile_parse_operand_type(parser, s, 0) && sam_tile_parse_append(parser, s);
}

bool sam_tile_parse_special(struct parser *parser, struct statement *s)
{
    switch (s->op.code) {
    case SAM_TILE_ALLOC: return parse_alloc(parser, s);
    case SAM_TILE_VIEW: return parse_view(parser, s);
    case SAM_TILE_PART: return parse_partition(parser, s);
    case SAM_TILE_ASSIGN: return parse_assign(parser, s);
    case SAM_TILE_SUBSET: return parse_subset(parser, s);
    case SAM_TILE_SHAPE: return parse_shape(parser, s);
    case SAM_TILE_RECORD: return parse_record(parser, s);
    case SAM_TILE_WAIT: return parse_wait(parser, s);
    case SAM_TILE_PREFETCH: return parse_prefetch(parser, s);
    default: /* barrier */
        return sam_tile_parse_result_count(parser, s, 0) && sam_tile_parse_append(parser, s);
    }
}
