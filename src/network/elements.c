/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise operators, alone and as the chain after another template: each on whole tiles, with
 * operands of one row or one column where they are broadcast. */
#include <inttypes.h>
#include <math.h>

#include "network/build.h"

/* --- operations on tiles, rows and columns */

struct net_tile sam_net_widen(struct sam_net_text *text, struct net_tile tile, uint64_t rows,
                              uint64_t cols)
{
    struct net_tile like = net_shape_of(tile.dtype, rows, cols);
    if (tile.scalar)
        return NET_OP1(text, "texpands", like, tile);
    if (tile.rows == rows && tile.cols == cols)
        return tile;
    if (tile.cols != cols) { /* one column */
        like.rows = tile.rows;
        tile = NET_OP1(text, "trowexpand", like, tile);
        like.rows = rows;
    }
    return tile.rows == rows ? tile : NET_OP1(text, "tcolexpand", like, tile);
}

struct net_tile sam_net_unary(struct sam_net_text *text, const char *name, struct net_tile a)
{
    return NET_OP1(text, name, a, a);
}

struct net_tile sam_net_with(struct sam_net_text *text, const char *name, struct net_tile a,
                             double scalar)
{
    return NET_OP2(text, name, a, a, sam_net_scalar(text, a.dtype, scalar));
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* All in one shape. */
static void meet(struct sam_net_text *text, uint32_t count, struct net_tile *tiles)
{
    uint64_t rows = 0, cols = 0;
    for (uint32_t i = 0; i < count; i++) {
        rows = larger(rows, tiles[i].rows);
        cols = larger(cols, tiles[i].cols);
    }
    for (uint32_t i = 0; i < count; i++)
        tiles[i] = sam_net_widen(text, tiles[i], rows, cols);
}

static void swap(struct net_tile *a, struct net_tile *b)
{
    const struct net_tile other = *a;
    *a = *b;
    *b = other;
}

/* `name` is add, sub, mul, div, min or max. */
struct net_tile sam_net_binary(struct sam_net_text *text, const char *name, struct net_tile a,
                               struct net_tile b)
{
    char full[24];
    const bool swaps = strcmp(name, "sub") != 0 && strcmp(name, "div") != 0;
    if (a.scalar && b.scalar) /* of a node without tiles: folded by the import */
        a = sam_net_widen(text, a, 1, 1);
    if (a.scalar && !swaps) {
        const bool sub = name[0] == 's';
        b = sam_net_unary(text, sub ? "tneg" : "trecip", b);
        return NET_OP2(text, sub ? "tadds" : "tmuls", b, b, a);
    }
    if (a.scalar || (swaps && !b.scalar && b.rows * b.cols > a.rows * a.cols))
        swap(&a, &b);
    if (b.scalar) {
        sam_format(full, sizeof full, "t%ss", name);
        return NET_OP2(text, full, a, a, b);
    }
    const uint64_t rows = larger(a.rows, b.rows), cols = larger(a.cols, b.cols);
    a = sam_net_widen(text, a, rows, cols);
    const char *kind = "";
    if (b.rows != rows && b.cols != cols)
        b = sam_net_widen(text, b, rows, cols);
    else if (b.rows != rows)
        kind = "colexpand";
    else if (b.cols != cols)
        kind = "rowexpand";
    sam_format(full, sizeof full, "t%s%s", kind, name);
    return NET_OP2(text, full, a, a, b);
}

static struct net_tile compare(struct sam_net_text *text, const char *how, struct net_tile *in)
{
    char name[24];
    if (in[0].scalar) {
        swap(&in[0], &in[1]);
        how = how[0] == 'l' ? "gt" : how[0] == 'g' ? "lt" : how;
    }
    sam_format(name, sizeof name, "tcmp%s {cmp = %s}", in[1].scalar ? "s" : "", how);
    if (!in[1].scalar)
        meet(text, 2, in);
    return sam_net_op(text, name, net_shape_of(SAM_U8, in[0].rows, in[0].cols), 2, in);
}

/* A mask decides between two. */
static struct net_tile where(struct sam_net_text *text, struct net_tile *in)
{
    meet(text, in[2].scalar ? 2 : 3, in);
    return sam_net_op(text, in[2].scalar ? "tsels" : "tsel", in[1], 3, in);
}

static struct net_tile convert(struct sam_net_text *text, struct net_tile a, enum sam_dtype to)
{
    if (a.dtype == to && to != SAM_U8) /* bytes become 0 or 1 */
        return a;
    const struct net_tile like = net_shape_of(to, a.rows, a.cols);
    if (to == SAM_U8)
        return NET_OP2(text, "tcmps {cmp = ne}", like, a, sam_net_scalar(text, a.dtype, 0));
    return NET_OP1(text, "tcvt {round = trunc}", like, a);
}

/* --- functions of one element */

/* Operands before operators: x, y, z are inputs, =t takes what is before as t; alpha, beta are
 * parameters; add, sub, mul, div, min, max; eq, ne, lt, gt; sel: a mask decides between two. */
static const char *const formulas[NET_OPS] = {
    [NET_Add] = "x y add",
    [NET_Sub] = "x y sub",
    [NET_Mul] = "x y mul",
    [NET_Div] = "x y div",
    [NET_Min] = "x y min",
    [NET_Max] = "x y max",
    [NET_Equal] = "x y eq",
    [NET_Less] = "x y lt",
    [NET_Greater] = "x y gt",
    [NET_Where] = "x y z sel",
    [NET_Clip] = "x alpha max beta min",
    [NET_Relu] = "x relu",
    [NET_Exp] = "x exp",
    [NET_Log] = "x log",
    [NET_Sqrt] = "x sqrt",
    [NET_Reciprocal] = "x recip",
    [NET_Neg] = "x neg",
    [NET_Abs] = "x abs",
    [NET_Sigmoid] = "x neg exp 1 add recip",
    [NET_HardSigmoid] = "x x eq x alpha mul beta add 1 min 0 max x sel", /* NaN of NaN */
    [NET_HardSwish] = "x x 0.16666667 mul 0.5 add 1 min 0 max mul",
    [NET_Tanh] = "x 2 mul exp 1 add recip -2 mul 1 add", /* 1 - 2 / (1 + e^2x) */
    /* Abramowitz and Stegun 7.1.26: |error| < 1.5e-7 for x >= 0; erf is odd. */
    [NET_Erf] = ("x abs =a a 0.3275911 mul 1 add recip =t t 1.061405429 mul -1.453152027 add t mul "
                 "1.421413741 add t mul -0.284496736 add t mul 0.254829592 add t mul a a mul neg "
                 "exp mul neg 1 add =r x 0 lt r neg r sel"),
    /* |x|^y = e^(y ln |x|), 1 for x = 1 and y = 0; negative where x is and y is odd, that is
     * y - 2 floor(y / 2) = 1, NaN unless y is an integer; 1 for x = -1 and infinite y. From 2^24 on
     * all y are even. */
    [NET_Pow] = ("x abs log y mul exp =s y -16777216 max 16777216 min =n n n 0.5 mul floor rint 2 "
                 "mul sub =o o 1 eq s neg nan sel =r o 0 eq s r sel =r x 0 lt r s sel =r y abs inf "
                 "ne r 1 sel =f x -1 eq f r sel =r x 1 ne r 1 sel =r y 0 ne r 1 sel"),
};

static bool among(const char *names, const char *name)
{
    const char *const at = strstr(names, name);
    return at && at[strlen(name)] == ' ';
}

static struct net_tile evaluate(struct sam_net_text *text, const char *formula,
                                const struct net_params *p, const struct net_tile *in)
{
    struct net_tile stack[6] = {0}, kept['z' + 1] = {0}, *top = stack; /* after the last operand */
    memcpy(&kept['x'], in, 3 * sizeof *in);
    for (char name[24]; sam_net_token(&formula, &name);) {
        char full[48];
        const bool rounds = among("floor rint ", name);
        sam_format(full, sizeof full, rounds ? "tcvt {round = %s}" : "t%s", name);
        if (name[0] == '=')
            kept[(uint8_t)name[1]] = *--top;
        else if (name[0] >= 'a' && !name[1])
            *top++ = kept[(uint8_t)name[0]];
        else if (name[0] < 'a' || among("alpha beta inf nan ", name))
            *top++ = sam_net_scalar(text, SAM_F32,
                                    name[0] == 'a'   ? (double)p->alpha
                                    : name[0] == 'b' ? (double)p->beta
                                                     : (double)sam_strtof(name, NULL));
        else if (among("add sub mul div min max ", name))
            top--, top[-1] = sam_net_binary(text, name, top[-1], top[0]);
        else if (among("eq ne lt gt ", name))
            top--, top[-1] = compare(text, name, top - 1);
        else if (among("sel ", name))
            top -= 2, top[-1] = where(text, top - 1);
        else if (rounds)
            top[-1] = NET_OP1(
                text, full,
                net_shape_of(name[0] == 'f' ? SAM_I32 : SAM_F32, top[-1].rows, top[-1].cols),
                top[-1]);
        else
            top[-1] = sam_net_unary(text, full, top[-1]);
    }
    return stack[0];
}

/* a^n for a small whole n > 0, by squares. */
static struct net_tile whole_power(struct sam_net_text *text, struct net_tile a, unsigned n)
{
    struct net_tile square = a, product = a;
    bool any = n & 1;
    while (n >>= 1) {
        square = NET_OP2(text, "tmul", square, square, square);
        if (n & 1) {
            product = any ? NET_OP2(text, "tmul", product, product, square) : square;
            any = true;
        }
    }
    return product;
}

static struct net_tile power(struct sam_net_text *text, const struct net_params *p,
                             struct net_tile *in)
{
    for (uint32_t i = 0; i < 2; i++)
        if (in[i].dtype != SAM_F32 || (i == 0 && in[i].scalar))
            in[i] = convert(text, sam_net_widen(text, in[i], in[i].rows ?: 1, in[i].cols ?: 1),
                            SAM_F32);
    if (in[1].scalar) {
        const double n = (double)sam_bits_f32(in[1].id);
        if (n >= 1 && n <= 16 && n == floor(n))
            return whole_power(text, in[0], (unsigned)n);
        if (n == 0.5 || n == -1)
            return sam_net_unary(text, n < 0 ? "trecip" : "tsqrt", in[0]);
    }
    meet(text, 2, in);
    return evaluate(text, formulas[NET_Pow], p, in);
}

/* The operator of a node on tiles. */
static struct net_tile apply(struct net_builder *b, const struct net_node *node,
                             struct net_tile *in)
{
    struct sam_net_text *const t = &b->text;
    const struct net_params *const p = &node->params;
    const enum sam_dtype out = sam_net_kept(b->graph->values[node->output].dtype);
    switch (node->op) {
    case NET_Div:
        if (out != SAM_F32)
            meet(t, 2, in);
        else if (in[1].scalar) /* divisions take the GPU far longer */
            return sam_net_binary(t, "mul", in[0],
                                  sam_net_scalar(t, SAM_F32, 1 / (double)sam_bits_f32(in[1].id)));
        break;
    case NET_Pow: return convert(t, power(t, p, in), out);
    case NET_LeakyRelu: return sam_net_with(t, "tlrelu", in[0], (double)p->alpha);
    case NET_Cast: return convert(t, in[0], out);
    default: break;
    }
    return evaluate(t, formulas[node->op], p, in);
}

/* --- chains */

static bool is_scalar(const struct sam_net_value *value)
{
    return value->data && value->count == 1;
}

void sam_net_chain_operands(struct net_builder *b, struct net_space *space)
{
    const struct net_group *const group = b->at;
    const struct sam_net_value *const shape = &b->graph->values[group->output];
    for (uint32_t i = group->start != NET_NONE; i < group->count; i++) {
        const struct net_node *const node = &b->graph->nodes[group->nodes[i]];
        for (uint32_t k = 0; k < node->input_count; k++) {
            const uint32_t value = node->inputs[k];
            bool known =
                sam_net_in_group(b, group, i, value) || is_scalar(&b->graph->values[value]);
            for (uint32_t o = 1; o < space->operands && !known; o++)
                known = space->operand[o].value == value;
            if (!known)
                sam_net_space_broadcast(b, space, value, shape);
        }
    }
}

uint32_t sam_net_chain_tiles(const struct net_builder *b)
{
    uint32_t tiles = 4;
    for (uint32_t i = 0; i < b->at->count; i++)
        switch (b->graph->nodes[b->at->nodes[i]].op) {
        case NET_Erf: tiles = 10; break;
        case NET_Pow: tiles = 12; break;
        default: tiles += b->graph->nodes[b->at->nodes[i]].input_count > 2; break;
        }
    return tiles;
}

/* Tiles of the values that a chain has met. */
struct met {
    uint32_t value[NET_OPERANDS + NET_GROUP], count;
    struct net_tile tile[NET_OPERANDS + NET_GROUP];
};

static void meet_value(struct met *met, uint32_t value, struct net_tile tile)
{
    met->value[met->count] = value;
    met->tile[met->count++] = tile;
}

struct net_tile sam_net_site_load(struct net_builder *b, const struct net_site *site,
                                  uint32_t operand)
{
    if (site->loaded && site->loaded[operand].id)
        return site->loaded[operand];
    const bool rows = sam_net_site_same(site, operand, true),
               cols = sam_net_site_same(site, operand, false);
    /* of one element: a column, for rows can be expanded at less cost */
    const bool one_row = rows && !(cols && site->rows > 1 && site->cols > 1);
    const struct net_box box = sam_net_site_box(&b->text, site, operand, one_row, cols);
    const struct net_tile like = net_shape_of(b->plan->buffers[box.buffer].dtype,
                                              one_row ? 1 : site->rows, cols ? 1 : site->cols);
    return sam_net_load(&b->text, like, &box);
}

static struct net_tile value_tile(struct net_builder *b, const struct net_site *site,
                                  struct met *met, uint32_t value)
{
    const struct sam_net_value *const v = &b->graph->values[value];
    for (uint32_t i = 0; i < met->count; i++)
        if (met->value[i] == value)
            return met->tile[i];
    if (is_scalar(v))
        return sam_net_scalar(&b->text, sam_net_kept(v->dtype), sam_net_real(v, 0));
    for (uint32_t o = 1; o < site->space->operands; o++)
        if (site->space->operand[o].value == value) {
            meet_value(met, value, sam_net_site_load(b, site, o));
            return met->tile[met->count - 1];
        }
    sam_net_build_fail(b, SAM_ERR_INPUT, "reads '%s' outside its group", v->name);
    return (struct net_tile){0};
}

struct net_tile sam_net_chain(struct net_builder *b, const struct net_site *site,
                              struct net_tile start)
{
    const struct net_group *const group = b->at;
    const struct net_node *const head = b->node;
    struct met met = {0};
    struct net_tile tile = start;
    if (group->start != NET_NONE)
        meet_value(&met, group->start, start);
    for (uint32_t i = group->start != NET_NONE; i < group->count && b->status == SAM_OK; i++) {
        const struct net_node *const node = &b->graph->nodes[group->nodes[i]];
        struct net_tile in[3] = {0};
        b->node = node;
        for (uint32_t k = 0; k < node->input_count && k < SAM_COUNT(in); k++)
            in[k] = value_tile(b, site, &met, node->inputs[k]);
        if (node->input_count == 1 && in[0].scalar)
            in[0] = sam_net_widen(&b->text, in[0], 1, 1);
        tile = apply(b, node, in);
        meet_value(&met, node->output, tile);
    }
    b->node = head;
    return sam_net_widen(&b->text, tile, site->rows, site->cols);
}

void sam_net_plan_elements(struct net_builder *b)
{
    const struct net_group *const group = b->at;
    const struct sam_net_value *const value = &b->graph->values[group->output];
    struct net_order order = sam_net_order_c;
    uint32_t largest = NET_NONE;
    for (uint32_t i = 0; i < group->count && largest == NET_NONE; i++) {
        const struct net_node *const node = &b->graph->nodes[group->nodes[i]];
        for (uint32_t k = 0; k < node->input_count; k++) {
            const struct sam_net_value *const v = &b->graph->values[node->inputs[k]];
            if (v->count == value->count && v->rank == value->rank && !v->data &&
                !sam_net_in_group(b, group, i, node->inputs[k]))
                largest = node->inputs[k];
        }
    }
    if (largest != NET_NONE) {
        const struct net_place like = sam_net_place_of(b, largest);
        order = sam_net_order_like(&like);
    }
    const struct net_place place = sam_net_place_new(b, group->output, order);
    struct net_space space;
    sam_net_space_of(&space, &place);
    sam_net_chain_operands(b, &space);
    sam_net_space_merge(&space, false);
    sam_net_space_fold(&space);
    sam_net_space_blocks(&space, 49152 / sam_net_chain_tiles(b) / 1024 * 1024, 512);
    for (struct net_parts parts = {0}; sam_net_parts(b, &space, &parts);)
        for (struct net_site site = {.space = &space}; sam_net_site_next(b, &site);)
            sam_net_site_store(&b->text, &site, sam_net_chain(b, &site, (struct net_tile){0}));
}
