/* SPDX-License-Identifier: Apache-2.0 */
/* Equality of programs. Values correspond by position of definition, and have equal names. */
#include <stdlib.h>

#include "tile/tile.h"

struct pair {
    const struct sam_tile_program *a, *b;
    uint32_t *map; /* value of a -> value of b */
};

static bool define(struct pair *s, uint32_t x, uint32_t y)
{
    const struct sam_tile_value *v = &s->a->values[x], *w = &s->b->values[y];
    s->map[x] = y;
    return strcmp(v->name, w->name) == 0 && sam_tile_ty_equal(&v->type, &w->type);
}

static bool define_all(struct pair *s, uint32_t x, uint32_t y, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!define(s, s->a->ids[x + i], s->b->ids[y + i]))
            return false;
    return true;
}

static bool same_text(const char *x, const char *y)
{
    return strcmp(x ? x : "", y ? y : "") == 0;
}

static bool same_block(struct pair *s, uint32_t x, uint32_t y);

static bool same_op(struct pair *s, const struct sam_tile_op *x, const struct sam_tile_op *y)
{
    if (x->code != y->code || x->attribute != y->attribute || x->literal != y->literal ||
        x->operand_count != y->operand_count || x->result_count != y->result_count ||
        x->param_count != y->param_count || !same_text(x->attributes, y->attributes))
        return false;
    for (uint32_t i = 0; i < x->operand_count; i++)
        if (s->map[sam_tile_arg(s->a, x, i)] != sam_tile_arg(s->b, y, i))
            return false;
    return define_all(s, x->params, y->params, x->param_count) &&
           same_block(s, x->body[0], y->body[0]) && same_block(s, x->body[1], y->body[1]) &&
           define_all(s, x->results, y->results, x->result_count);
}

/* A yield of nothing may be left out. */
static uint32_t skip_yield(const struct sam_tile_program *p, uint32_t at)
{
    return at != SAM_TILE_NONE && p->ops[at].code == SAM_TILE_YIELD && !p->ops[at].operand_count
               ? p->ops[at].next
               : at;
}

static bool same_block(struct pair *s, uint32_t x, uint32_t y)
{
    x = skip_yield(s->a, x);
    y = skip_yield(s->b, y);
    while (x != SAM_TILE_NONE && y != SAM_TILE_NONE) {
        if (!same_op(s, &s->a->ops[x], &s->b->ops[y]))
            return false;
        x = skip_yield(s->a, s->a->ops[x].next);
        y = skip_yield(s->b, s->b->ops[y].next);
    }
    return x == y;
}

static bool same_func(struct pair *s, const struct sam_tile_func *x, const struct sam_tile_func *y)
{
    return strcmp(x->name, y->name) == 0 && same_text(x->attributes, y->attributes) &&
           x->bare == y->bare && x->arg_count == y->arg_count &&
           define_all(s, x->args, y->args, x->arg_count) && same_block(s, x->body, y->body);
}

bool sam_tile_equal(const struct sam_tile_program *a, const struct sam_tile_program *b)
{
    struct pair s = {a, b, sam_alloc(a->value_count + 1, sizeof *s.map)};
    bool same = s.map && a->module == b->module && a->func_count == b->func_count &&
                same_text(a->attributes, b->attributes);
    for (size_t i = 0; same && i < a->func_count; i++)
        same = same_func(&s, &a->funcs[i], &b->funcs[i]);
    free(s.map);
    return same;
}
