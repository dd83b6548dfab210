/* SPDX-License-Identifier: Apache-2.0 */
/* Names of values and their scopes. */
#include "tile/text/parse.h"

#include <inttypes.h>
#include <stdlib.h>

static uint32_t bucket_of(const char *name, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return (hash ^ hash >> 15) % PARSE_BUCKETS;
}

static uint32_t add_name(struct parser *parser, uint32_t value)
{
    const char *text = parser->p->values[value].name;
    uint32_t *bucket = &parser->buckets[bucket_of(text, strlen(text))];
    struct name name = {value, *bucket};
    PARSE_PUSH(parser->names, parser->name_count, parser->name_capacity, name);
    *bucket = (uint32_t)parser->name_count;
    return value;
}

void sam_tile_parse_leave(struct parser *parser, size_t names)
{
    struct sam_tile_program *p = parser->p;
    size_t end = parser->name_count, kept = names;
    for (size_t i = end; i-- > names;) {
        const char *text = p->values[parser->names[i].value].name;
        parser->buckets[bucket_of(text, strlen(text))] = parser->names[i].next;
    }
    /* Arguments of a bare program are visible everywhere, wherever first named. */
    for (size_t i = names; i < end; i++) {
        struct sam_tile_value *v = &p->values[parser->names[i].value];
        if (!parser->bare || v->op != SAM_TILE_NONE || v->pos.line)
            continue;
        uint32_t *bucket = &parser->buckets[bucket_of(v->name, strlen(v->name))];
        parser->names[kept].value = parser->names[i].value;
        parser->names[kept].next = *bucket;
        *bucket = (uint32_t)++kept;
    }
    parser->name_count = kept;
}

static uint32_t find_name(const struct parser *parser, const struct token *t)
{
    uint32_t at = parser->buckets[bucket_of(t->text, t->size)];
    while (at) {
        const struct name *name = &parser->names[at - 1];
        const char *text = parser->p->values[name->value].name;
        if (strlen(text) == t->size && memcmp(text, t->text, t->size) == 0)
            return name->value;
        at = name->next;
    }
    return SAM_TILE_NONE;
}

static uint32_t new_value(struct parser *parser, const struct token *name,
                          const struct sam_tile_ty *type, struct sam_tile_pos pos)
{
    struct sam_tile_program *p = parser->p;
    struct sam_tile_value value = {.name = sam_strndup(name->text, name->size),
                                   .type = *type,
                                   .pos = pos,
                                   .seen = name->pos,
                                   .op = SAM_TILE_NONE};
    void *grown = value.name
                      ? sam_grow(p->values, p->value_count, &p->value_capacity, sizeof *p->values)
                      : NULL;
    if (!grown) {
        free(value.name);
        parser->memory = true;
        return SAM_TILE_NONE;
    }
    p->values = grown;
    p->values[p->value_count++] = value;
    return add_name(parser, (uint32_t)(p->value_count - 1));
}

uint32_t sam_tile_parse_define(struct parser *parser, const struct token *name,
                               const struct sam_tile_ty *type)
{
    uint32_t old = find_name(parser, name);
    if (old != SAM_TILE_NONE) {
        const struct sam_tile_value *v = &parser->p->values[old];
        if (v->pos.line)
            sam_tile_error(&parser->report, name->pos, "%%%s is already defined, at line %" PRIu32,
                           v->name, v->pos.line);
        else
            sam_tile_error(&parser->report, name->pos,
                           "%%%s is defined here and used before; only a tassign can precede it",
                           v->name);
        return SAM_TILE_NONE;
    }
    return new_value(parser, name, type, name->pos);
}

static void not_defined(struct parser *parser, const struct sam_tile_value *v)
{
    sam_tile_error(&parser->report, v->seen, "%%%s is not defined", v->name);
}

/* Returns whether only a tassign has named the value so far. */
static bool is_awaited(const struct sam_tile_value *v)
{
    return !v->pos.line && v->op != SAM_TILE_NONE;
}

/* Resolve a name. An unknown name becomes a value without a type. */
static uint32_t name_value(struct parser *parser, const struct token *t)
{
    struct sam_tile_ty unknown = {0};
    uint32_t value = find_name(parser, t);
    return value != SAM_TILE_NONE ? value
                                  : new_value(parser, t, &unknown, (struct sam_tile_pos){0});
}

static void await(struct parser *parser, uint32_t value, uint32_t op)
{
    parser->p->values[value].op = op;
    parser->awaited++;
}

static void stop_awaiting(struct parser *parser, uint32_t value)
{
    parser->p->values[value].op = SAM_TILE_NONE;
    parser->awaited--;
}

void sam_tile_parse_settle(struct parser *parser, uint32_t value)
{
    const struct sam_tile_value *v = &parser->p->values[value];
    if (!is_awaited(v))
        return;
    if (!parser->bare)
        not_defined(parser, v);
    stop_awaiting(parser, value);
}

void sam_tile_parse_end_awaiting(struct parser *parser, uint32_t first_value)
{
    for (uint32_t i = first_value; parser->awaited && i < parser->p->value_count; i++)
        sam_tile_parse_settle(parser, i);
}

bool sam_tile_parse_assigned(struct parser *parser, struct statement *s)
{
    const size_t count = parser->p->value_count;
    if (!sam_tile_parse_at_value(parser, "a tile, as %name"))
        return false;
    uint32_t value = name_value(parser, &parser->token);
    if (value == SAM_TILE_NONE)
        return false;
    if (parser->p->value_count > count)
        await(parser, value, (uint32_t)parser->p->op_count);
    else
        sam_tile_parse_settle(parser, value);
    s->operands[s->operand_count++] = (struct sam_tile_operand){value, parser->token.pos};
    sam_tile_parse_next(parser);
    return true;
}

/* Insert an alloc_tile before the tassign that names its tile. */
static bool allocate_before(struct parser *parser, uint32_t value, struct statement *alloc)
{
    struct sam_tile_program *p = parser->p;
    const uint32_t assign = p->values[value].op;
    struct block aside = {SAM_TILE_NONE, SAM_TILE_NONE, 0}, *here = parser->block;
    stop_awaiting(parser, value);
    p->values[value].op = assign;
    alloc->ids[0] = value;
    parser->block = &aside;
    const bool good = sam_tile_parse_append(parser, alloc);
    const uint32_t made = aside.last;
    parser->block = here;
    if (!good)
        return false;
    /* Swap them in place: others refer to the tassign by index. */
    struct sam_tile_op moved = p->ops[assign];
    p->ops[assign] = p->ops[made];
    p->ops[assign].next = made;
    p->ops[made] = moved;
    if (here->last == assign)
        here->last = made;
    p->values[value].op = assign;
    return true;
}

/* Returns whether a tile has an alloc_tile in the text. The implicit one of a result has its
 * operation's position. */
static bool is_allocated(const struct sam_tile_program *p, const struct sam_tile_value *v)
{
    if (!v->pos.line || v->op == SAM_TILE_NONE || p->ops[v->op].code != SAM_TILE_ALLOC)
        return false;
    const struct sam_tile_op *next = &p->ops[v->op + 1], *alloc = &p->ops[v->op];
    return v->op + 1 == p->op_count || next->pos.line != alloc->pos.line ||
           next->pos.column != alloc->pos.column;
}

bool sam_tile_parse_destination(struct parser *parser, struct statement *alloc,
                                const struct sam_tile_ty *type, bool *found)
{
    struct sam_tile_program *p = parser->p;
    const struct token *name = &alloc->results[0];
    const uint32_t value = find_name(parser, name);
    struct sam_tile_value *v = value == SAM_TILE_NONE ? NULL : &p->values[value];
    char is[160], stands[160];
    *found = false;
    const bool fits =
        v && (v->type.kind == SAM_TILE_KIND_UNKNOWN || sam_tile_ty_equal(&v->type, type));
    if (fits && is_awaited(v) && value >= parser->block->first_value) {
        *found = true;
        v->type = *type;
        v->pos = name->pos;
        return allocate_before(parser, value, alloc);
    }
    if (!v || !is_allocated(p, v))
        return true;
    *found = true;
    alloc->ids[0] = value;
    if (sam_tile_ty_equal(&v->type, type))
        return true;
    return PARSE_FAIL(parser, name->pos, "%%%s is of type %s, not %s", v->name,
                      sam_tile_ty_text(&v->type, is, sizeof is),
                      sam_tile_ty_text(type, stands, sizeof stands));
}

bool sam_tile_parse_operand(struct parser *parser, struct statement *s)
{
    const size_t count = parser->p->value_count;
    struct token t = parser->token;
    if (!sam_tile_parse_at_value(parser, "a value, as %name"))
        return false;
    uint32_t value = name_value(parser, &t);
    if (value == SAM_TILE_NONE)
        return false;
    const struct sam_tile_value *v = &parser->p->values[value];
    if (is_awaited(v))
        sam_tile_parse_settle(parser, value);
    else if (!parser->bare && parser->p->value_count > count)
        not_defined(parser, v);
    if (s->operand_count == PARSE_MAX_OPERANDS)
        return sam_tile_parse_too_many(parser, "operands", PARSE_MAX_OPERANDS);
    s->operands[s->operand_count++] = (struct sam_tile_operand){value, t.pos};
    sam_tile_parse_next(parser);
    return true;
}

void sam_tile_parse_poison(struct parser *parser, const struct statement *s)
{
    struct sam_tile_ty unknown = {0};
    for (size_t i = 0; i < s->result_count; i++)
        if (find_name(parser, &s->results[i]) == SAM_TILE_NONE)
            new_value(parser, &s->results[i], &unknown, s->results[i].pos);
}
