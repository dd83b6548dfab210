/* SPDX-License-Identifier: Apache-2.0 */
/* The dependence graph: nodes by bytes of tiles and arrays, as the executor's hazards have them,
 * and what each takes, as an estimate. */
#include "lower/graph.h"

#include "lower/elements.h"

#include "tile/check/bind.h"
#include "tile/check/plan.h"

void *sam_lower_graph_more(struct lower_order *o, void *array, size_t count, size_t *capacity,
                           size_t size)
{
    void *grown = o->memory ? NULL : sam_grow(array, count, capacity, size);
    o->memory |= !grown;
    return grown;
}

/* --- bytes */

/* The array under a window: the first argument with the same elements. */
static bool array_of(const struct lower_order *o, uint32_t window, uint32_t *value, uint64_t *count)
{
    const uint32_t pointer = sam_tile_pointer_of(o->p, window);
    const struct sam_array *array = NULL;
    for (size_t i = 0; i < o->arrays->count; i++)
        if (o->arrays->values[i] == pointer)
            array = o->arrays->arguments[i].array;
    for (size_t i = 0; array && i < o->arrays->count; i++) {
        const struct sam_tile_argument *a = &o->arrays->arguments[i];
        const bool same = a->array == array || (a->array && a->array->data == array->data);
        if (o->arrays->values[i] != pointer && !(same && array->data))
            continue;
        *value = o->arrays->values[i];
        *count = array->count;
        return true;
    }
    return false;
}

bool sam_lower_graph_is_packed(const struct lower_order *o, uint32_t window)
{
    const uint32_t pointer = sam_tile_pointer_of(o->p, window);
    for (size_t i = 0; i < o->arrays->count; i++)
        if (o->arrays->values[i] == pointer)
            return o->arrays->arguments[i].packed != NULL;
    return false;
}

/* The bytes of a window, which must be known and within the array. */
static bool window_span(const struct lower_order *o, uint32_t window, uint32_t *place,
                        struct sam_tile_span *span)
{
    if (o->p->values[window].op == SAM_TILE_NONE)
        return false;
    const struct sam_tile_op *part = &o->p->ops[o->p->values[window].op];
    const struct sam_tile_op *view = &o->p->ops[o->p->values[sam_tile_arg(o->p, part, 0)].op];
    const struct sam_tile_ty *type = lower_type_of(o, window);
    int64_t strides[SAM_TILE_RANK], base = 0;
    uint64_t count;
    if (!array_of(o, window, place, &count))
        return false;
    for (uint32_t i = 0; i < type->rank; i++) {
        int64_t offset, step;
        if (type->dims[i] == SAM_TILE_DYNAMIC || !sam_tile_literal(o->p, part, 1 + i, &offset) ||
            !sam_tile_literal(o->p, view, 1 + type->rank + i, &strides[i]) ||
            __builtin_mul_overflow(strides[i], offset, &step) ||
            __builtin_add_overflow(base, step, &base))
            return false;
    }
    return sam_tile_span_window(span, type->dtype, 0, base, type->rank, type->dims, strides) &&
           (span->size == 0 ||
            (span->low >= 0 && (uint64_t)span->high <= sam_tile_length(type->dtype, count)));
}

/* The bytes that an operand accesses, and the root tile or array that they belong to. */
static bool span_of(const struct lower_order *o, uint32_t value, uint32_t *place,
                    struct sam_tile_span *span)
{
    if (lower_type_of(o, value)->kind == SAM_TILE_KIND_PART)
        return window_span(o, value, place, span);
    *place = o->flow.root[value];
    return sam_tile_span_in_root(o->p, &o->flow, value, 0, span);
}

/* --- operations that cannot fail */

/* Families that fail for some indices. */
static bool checks_elements(enum sam_tile_family_id family)
{
    switch (family) {
    case SAM_TILE_GATHER:
    case SAM_TILE_SCATTER:
    case SAM_TILE_PEER:
    case SAM_TILE_TRI:
    case SAM_TILE_SORT:
    case SAM_TILE_IMAGE:
    case SAM_TILE_PICK:
    case SAM_TILE_EXCHANGE:
    case SAM_TILE_SPREAD: return true;
    default: return false;
    }
}

/* A partition or a view whose numbers are known and in range. */
static bool is_good_window(const struct lower_order *o, const struct sam_tile_op *op)
{
    const struct sam_tile_ty *type = lower_type_of(o, o->p->ids[op->results]);
    const struct sam_tile_ty *view = lower_type_of(o, sam_tile_arg(o->p, op, 0));
    const bool part = op->code == SAM_TILE_PART;
    for (uint32_t i = 0; i < type->rank; i++) {
        int64_t size, other, span;
        if (!sam_tile_literal(o->p, op, 1 + i + (part ? type->rank : 0), &size) ||
            size != type->dims[i] || size < 0 ||
            !sam_tile_literal(o->p, op, 1 + i + (part ? 0 : type->rank), &other))
            return false;
        if (part ? other < 0 || view->dims[i] == SAM_TILE_DYNAMIC || other > view->dims[i] ||
                       size > view->dims[i] - other
                 : __builtin_mul_overflow(size, other, &span) || span > INT32_MAX ||
                       span < -INT32_MAX || other > INT32_MAX || other < -INT32_MAX)
            return false;
    }
    return true;
}

static bool is_good_subset(const struct lower_order *o, const struct sam_tile_op *op)
{
    const struct sam_tile_type *type = &lower_type_of(o, o->p->ids[op->results])->tile;
    const struct sam_tile_type *whole = &lower_type_of(o, sam_tile_arg(o->p, op, 0))->tile;
    struct sam_tile_span span;
    int64_t row, col;
    return sam_tile_literal(o->p, op, 1, &row) && sam_tile_literal(o->p, op, 2, &col) && row >= 0 &&
           col >= 0 && row <= (int64_t)whole->rows - type->rows &&
           col <= (int64_t)whole->cols - type->cols && type->valid_rows != SAM_TILE_DYNAMIC &&
           type->valid_cols != SAM_TILE_DYNAMIC &&
           sam_tile_span_in_root(o->p, &o->flow, o->p->ids[op->results], 0, &span) &&
           span.low % 32 == 0;
}

bool sam_lower_graph_is_support(const struct lower_order *o, const struct sam_tile_op *op)
{
    switch (op->code) {
    case SAM_TILE_CONSTANT: return true;
    case SAM_TILE_ALLOC: {
        const struct sam_tile_type *type = &lower_type_of(o, o->p->ids[op->results])->tile;
        return !op->operand_count && type->valid_rows != SAM_TILE_DYNAMIC &&
               type->valid_cols != SAM_TILE_DYNAMIC;
    }
    case SAM_TILE_VIEW:
    case SAM_TILE_PART: return is_good_window(o, op);
    case SAM_TILE_SUBSET: return is_good_subset(o, op);
    default: return false;
    }
}

static bool offsets_fit(const struct lower_order *o, const struct sam_tile_op *op)
{
    const bool insert = op->code == SAM_TILE_TINSERT;
    const struct sam_tile_type *part =
        &lower_type_of(o, sam_tile_arg(o->p, op, insert ? 0 : 3))->tile;
    const struct sam_tile_type *whole =
        &lower_type_of(o, sam_tile_arg(o->p, op, insert ? 3 : 0))->tile;
    int64_t row, col;
    return sam_tile_literal(o->p, op, 1, &row) && sam_tile_literal(o->p, op, 2, &col) && row >= 0 &&
           col >= 0 && row <= whole->valid_rows - part->valid_rows &&
           col <= whole->valid_cols - part->valid_cols;
}

static bool overlaps(const struct lower_order *o, const struct sam_tile_op *op)
{
    const uint32_t d = sam_tile_arg(o->p, op, op->operand_count - 1);
    struct sam_tile_span x, y;
    uint32_t place, other;
    int64_t from, to;
    if (!span_of(o, d, &place, &x))
        return true;
    for (uint32_t i = 0; i + 1 < op->operand_count; i++) {
        const uint32_t s = sam_tile_arg(o->p, op, i);
        if (s == d || lower_type_of(o, s)->kind != SAM_TILE_KIND_TILE)
            continue;
        if (!span_of(o, s, &other, &y) ||
            (other == place && sam_tile_span_meet(&x, &y, &from, &to)))
            return true;
    }
    return false;
}

bool sam_lower_graph_is_good(const struct lower_order *o, const struct sam_tile_op *op)
{
    const struct sam_tile_row *row = op->code < SAM_TILE_FIRST_OP ? NULL : sam_tile_row(op->code);
    struct sam_tile_report report = {0};
    const struct sam_tile_verifier verifier = {
        .profile = o->options->profile, .dialect = o->options->dialect, .report = &report};
    const struct sam_tile_ty *types[SAM_TILE_OPERANDS];
    struct sam_tile_span span;
    uint32_t place;
    bool real = false; /* the last operand */
    if (!row)
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const uint32_t value = sam_tile_arg(o->p, op, i);
        types[i] = lower_type_of(o, value);
        real = types[i]->kind == SAM_TILE_KIND_TILE && sam_tile_is_real(types[i]->tile.dtype);
        if (types[i]->kind == SAM_TILE_KIND_TILE &&
            (types[i]->tile.valid_rows == SAM_TILE_DYNAMIC ||
             types[i]->tile.valid_cols == SAM_TILE_DYNAMIC))
            return false;
        if ((types[i]->kind == SAM_TILE_KIND_TILE || types[i]->kind == SAM_TILE_KIND_PART) &&
            !span_of(o, value, &place, &span))
            return false;
    }
    if ((row->function == SAM_TILE_FN_DIV || row->function == SAM_TILE_FN_REM) && !real)
        return false;
    if (checks_elements(row->family))
        return false;
    if ((op->code == SAM_TILE_TEXTRACT || op->code == SAM_TILE_TINSERT) && !offsets_fit(o, op))
        return false;
    sam_tile_verify_op(&verifier, op->code, types, NULL, op->pos);
    const bool good = !report.report.errors && !overlaps(o, op);
    sam_tile_report_free(&report);
    return good;
}

/* --- estimates */

static bool is_move(unsigned code)
{
    switch (sam_tile_row(code)->family) {
    case SAM_TILE_LOAD:
    case SAM_TILE_STORE:
    case SAM_TILE_MOV:
    case SAM_TILE_PEER:
    case SAM_TILE_TRANS:
    case SAM_TILE_RESHAPE:
    case SAM_TILE_EXTRACT:
    case SAM_TILE_INSERT:
    case SAM_TILE_CONCAT: return true;
    default: return false;
    }
}

static uint64_t elements(const struct lower_order *o, const struct sam_tile_op *op)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const struct sam_tile_ty *type = lower_type_of(o, sam_tile_arg(o->p, op, i));
        const uint64_t count =
            type->kind == SAM_TILE_KIND_TILE
                ? (uint64_t)type->tile.valid_rows * (uint64_t)type->tile.valid_cols
                : 0;
        most = count > most ? count : most;
    }
    return most;
}

/* Cycles of a vector operation per 32 elements and SM. */
static unsigned vector_weight(const struct sam_tile_row *row)
{
    switch (row->function) {
    case SAM_TILE_FN_EXPDIF: return 120;
    case SAM_TILE_FN_LOG: return 130;
    case SAM_TILE_FN_EXP:
    case SAM_TILE_FN_DIV:
    case SAM_TILE_FN_SQRT:
    case SAM_TILE_FN_RSQRT:
    case SAM_TILE_FN_RECIP: return 72;
    default: return 3;
    }
}

/* Cycles of a vector operation. A reduction of columns has one warp per 32 columns, which takes its
 * rows one after the other. */
static uint32_t vector_cycles(const struct lower_order *o, const struct sam_tile_op *op,
                              uint64_t count)
{
    enum { ROW = 38 };
    const unsigned sms = o->options->sms;
    const uint64_t all = count * vector_weight(sam_tile_row(op->code)) / 32 / sms;
    const uint64_t rows =
        sam_lower_folds_columns(op->code)
            ? (uint64_t)lower_type_of(o, sam_tile_arg(o->p, op, 0))->tile.valid_rows
            : 0;
    return 40 + (uint32_t)(all > rows * ROW ? all : rows * ROW);
}

static void estimate(const struct lower_order *o, struct lower_node *n,
                     const struct sam_tile_op *op)
{
    const struct sam_tile_row *row = sam_tile_row(op->code);
    const uint64_t count = elements(o, op);
    const uint32_t tile = sam_tile_arg(o->p, op, op->operand_count - sam_tile_stores(row) - 1u);
    const struct sam_tile_type *d = &lower_type_of(o, tile)->tile;
    if (op->code == SAM_TILE_TMOV && o->in_place[tile] != tile)
        return;
    if (op->code == SAM_TILE_TLOAD && o->staged[tile])
        return;
    if (is_move(op->code)) {
        const bool array = row->family == SAM_TILE_LOAD || row->family == SAM_TILE_STORE;
        n->hart += 40 + (uint32_t)(count * sam_tile_size(d->dtype) / (array ? 32 : 64));
    } else if (sam_tile_pipe(op->code) == SAM_TILE_PIPE_MATRIX) {
        const struct sam_tile_type *a =
            &lower_type_of(o, sam_tile_arg(o->p, op, sam_tile_accumulates(row)))->tile;
        const struct sam_tile_type *c =
            &lower_type_of(o, sam_tile_arg(o->p, op, op->operand_count - 1))->tile;
        const uint64_t macs =
            (uint64_t)a->valid_cols * (uint64_t)c->valid_rows * (uint64_t)c->valid_cols;
        n->hart += 200 + (uint32_t)(macs * sam_tile_size(a->dtype) / 256);
    } else {
        n->hart += 4;
        n->gpu += vector_cycles(o, op, count);
    }
}

/* --- the graph */

static void add_edge(struct lower_order *o, uint32_t from, uint32_t to)
{
    if (from == to)
        return;
    const uint32_t first = o->nodes[from].edges;
    if (first != SAM_TILE_NONE && o->edges[first].to == to)
        return;
    void *grown =
        sam_lower_graph_more(o, o->edges, o->edge_count, &o->edge_capacity, sizeof *o->edges);
    if (!grown)
        return;
    o->edges = grown;
    o->edges[o->edge_count] = (struct lower_edge){to, first};
    o->nodes[from].edges = (uint32_t)o->edge_count++;
    o->nodes[to].waits++;
    o->nodes[to].follows = true;
}

static void add_access(struct lower_order *o, uint32_t node, uint32_t value, bool write)
{
    const enum sam_tile_kind kind = lower_type_of(o, value)->kind;
    struct lower_access access = {.node = node, .write = write};
    int64_t from, to;
    if ((kind != SAM_TILE_KIND_TILE && kind != SAM_TILE_KIND_PART) ||
        !span_of(o, value, &access.place, &access.span))
        return;
    const uint32_t place = access.place;
    for (uint32_t at = o->last[place]; at != SAM_TILE_NONE; at = o->accesses[at].next)
        if ((write || o->accesses[at].write) &&
            sam_tile_span_meet(&access.span, &o->accesses[at].span, &from, &to))
            add_edge(o, o->accesses[at].node, node);
    void *grown = sam_lower_graph_more(o, o->accesses, o->access_count, &o->access_capacity,
                                       sizeof *o->accesses);
    if (!grown)
        return;
    o->accesses = grown;
    access.next = o->last[place];
    o->accesses[o->access_count] = access;
    o->last[place] = (uint32_t)o->access_count++;
    if (kind != SAM_TILE_KIND_TILE)
        return;
    struct lower_tile *t = &o->tiles[lower_home(o, place)];
    if (!t->used || t->last != node) {
        t->first = t->used ? t->first : node;
        t->last = node;
        t->uses++;
        t->used = true;
    }
}

/* Returns whether an operation has packed weights decoded: a load, or a product in place of one. */
static bool stages(const struct lower_order *o, const struct sam_tile_op *op)
{
    if (op->code == SAM_TILE_TLOAD)
        return !o->staged[sam_tile_arg(o->p, op, 1)] &&
               sam_lower_graph_is_packed(o, sam_tile_arg(o->p, op, 0));
    for (uint32_t i = 0; i + 1 < op->operand_count; i++) {
        const uint32_t value = sam_tile_arg(o->p, op, i);
        if (sam_tile_pipe(op->code) == SAM_TILE_PIPE_MATRIX && o->staged[o->in_place[value]])
            return true;
    }
    return false;
}

/* Slots of decoded weights are used in the order of the program, which knows what it asks for. */
static void chain(struct lower_order *o)
{
    const uint32_t node = (uint32_t)(o->node_count - 1);
    if (o->staging != SAM_TILE_NONE)
        add_edge(o, o->staging, node);
    o->staging = node;
}

static struct lower_node *add_node(struct lower_order *o)
{
    void *grown =
        sam_lower_graph_more(o, o->nodes, o->node_count, &o->node_capacity, sizeof *o->nodes);
    if (!grown)
        return NULL;
    o->nodes = grown;
    struct lower_node *node = &o->nodes[o->node_count++];
    *node = (struct lower_node){.first = (uint32_t)o->op_count, .edges = SAM_TILE_NONE};
    return node;
}

static bool add_operation(struct lower_order *o, struct lower_node *node, uint32_t index)
{
    void *grown = sam_lower_graph_more(o, o->ops, o->op_count, &o->op_capacity, sizeof *o->ops);
    if (!grown)
        return false;
    o->ops = grown;
    o->ops[o->op_count++] = index;
    node->count++;
    return true;
}

void sam_lower_graph_add_hint(struct lower_order *o, uint32_t index)
{
    struct lower_node *node = add_node(o);
    if (!node || !add_operation(o, node, index))
        return;
    node->hart = 100;
    chain(o);
}

void sam_lower_graph_add(struct lower_order *o, uint32_t index)
{
    const struct sam_tile_op *op = &o->p->ops[index];
    const bool vector = sam_tile_pipe(op->code) == SAM_TILE_PIPE_VECTOR && !is_move(op->code);
    struct lower_node *last = o->node_count ? &o->nodes[o->node_count - 1] : NULL;
    if (!last || !vector || !last->gpu) {
        last = add_node(o);
        if (!last)
            return;
        if (vector)
            last->gpu = 300, last->hart = 60; /* a launch */
    }
    if (!add_operation(o, last, index))
        return;
    estimate(o, last, op);
    if (o->hints && stages(o, op))
        chain(o);
    for (uint32_t i = 0; i < op->operand_count; i++)
        add_access(o, (uint32_t)(o->node_count - 1), sam_tile_arg(o->p, op, i),
                   sam_tile_writes_operand(sam_tile_row(op->code), i));
}
