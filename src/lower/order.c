/* SPDX-License-Identifier: Apache-2.0 */
/* The schedule of a function: list scheduling of straight-line code on a dependence graph.
 *
 * A node is a move, a product, or a run of vector operations, which becomes launches. Nodes depend
 * on each other by bytes of tiles and arrays, as the executor's hazards do. Launches run in
 * parallel with the hart; moves and products hold it while they are issued. An operation that may
 * fail, that has sizes known only at run time, an event, a loop or a branch is a fence: nothing
 * passes it. */
#include "lower/graph.h"

#include <stdlib.h>

#include "tile/check/bind.h"

/* Nodes of a segment; a longer one is cut. */
enum { MOST_NODES = 4096, MOST_COPIES = 8 };
/* Cycles: a launch that is not worth a detour; a detour that a launch is not worth. */
enum { SHORT_LAUNCH = 2000, LONG_PATH = 9000 };

enum { NOT_HERE, WAITING, EMITTED };

static bool is_arith(unsigned code)
{
    return code == SAM_TILE_ADDI || code == SAM_TILE_SUBI || code == SAM_TILE_MULI ||
           code == SAM_TILE_CMPI || code == SAM_TILE_CAST || code == SAM_TILE_SELECT;
}

static bool is_product(unsigned code)
{
    return code >= SAM_TILE_FIRST_OP && sam_tile_pipe(code) == SAM_TILE_PIPE_MATRIX;
}

/* --- the new order */

static void emit(struct lower_order *o, uint32_t index)
{
    *o->link = index;
    o->link = &o->p->ops[index].next;
    o->state[index] = EMITTED;
}

/* Emit the operations that define the operands of an operation. */
static void emit_support(struct lower_order *o, uint32_t index)
{
    const struct sam_tile_op *op = &o->p->ops[index];
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const uint32_t made = o->p->values[sam_tile_arg(o->p, op, i)].op;
        if (made == SAM_TILE_NONE || o->state[made] != WAITING)
            continue;
        emit_support(o, made);
        emit(o, made);
    }
}

/* --- room */

/* Visit each tile of a node once; the caller starts at 0 with a new visit. */
static struct lower_tile *next_tile(struct lower_order *o, const struct lower_node *n, uint32_t *op,
                                    uint32_t *operand, uint32_t *value)
{
    for (; *op < n->count; ++*op, *operand = 0) {
        const struct sam_tile_op *at = &o->p->ops[o->ops[n->first + *op]];
        while (*operand < at->operand_count) {
            *value = sam_tile_arg(o->p, at, (*operand)++);
            if (lower_type_of(o, *value)->kind != SAM_TILE_KIND_TILE)
                continue;
            *value = lower_home(o, *value);
            struct lower_tile *t = &o->tiles[*value];
            if (t->visit == o->visits)
                continue;
            t->visit = o->visits;
            return t;
        }
    }
    return NULL;
}

/* Only this launch uses the tile: it stays in registers, mostly. */
static bool is_inner(const struct lower_node *n, const struct lower_tile *t)
{
    return n->gpu && t->first == t->last;
}

/* Find the room for the tiles that only one launch uses: while it uses them. */
static void measure_inner(struct lower_order *o, struct lower_node *n)
{
    uint64_t now = 0;
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t k = 0; k < n->count; k++) {
            const struct sam_tile_op *op = &o->p->ops[o->ops[n->first + k]];
            uint64_t ended = 0;
            for (uint32_t i = 0; i < op->operand_count; i++) {
                const uint32_t value = sam_tile_arg(o->p, op, i);
                if (lower_type_of(o, value)->kind != SAM_TILE_KIND_TILE)
                    continue;
                struct lower_tile *t = &o->tiles[lower_home(o, value)];
                const uint64_t size = lower_tile_bytes(o, lower_home(o, value));
                if (!is_inner(n, t))
                    continue;
                if (pass == 0) {
                    t->left++;
                    continue;
                }
                now += t->live ? 0 : size;
                t->live = true;
                ended += --t->left ? 0 : size;
            }
            n->inner = n->inner > now ? n->inner : now;
            now -= ended;
        }
}

/* A walk over the nodes that are left, in the order of the program. */
struct walk {
    uint64_t now[SAM_TILE_LOCS], most[SAM_TILE_LOCS]; /* room of live tiles; its maximum so far */
};

static struct walk begin_walk(struct lower_order *o, const struct lower_now *now)
{
    struct walk w = {0};
    size_t kept = 0;
    o->walks++;
    for (size_t i = 0; i < o->live_count; i++) {
        const uint32_t value = o->live[i];
        if (!o->tiles[value].uses && o->tiles[value].busy <= now->hart)
            continue;
        o->live[kept++] = value;
        w.now[lower_type_of(o, value)->tile.loc] += lower_tile_bytes(o, value);
    }
    o->live_count = kept;
    memcpy(w.most, w.now, sizeof w.most);
    return w;
}

/* Step over a node. Returns whether it could go ahead of the earlier ones: whether its tiles fit
 * together with theirs. */
static bool step(struct lower_order *o, struct walk *w, const struct lower_node *n)
{
    uint64_t ended[SAM_TILE_LOCS] = {0}, wanted[SAM_TILE_LOCS] = {0};
    uint32_t op = 0, operand = 0, value;
    bool good = true;
    o->visits++;
    for (struct lower_tile *t; (t = next_tile(o, n, &op, &operand, &value));) {
        const uint64_t size = lower_tile_bytes(o, value);
        const enum sam_tile_loc loc = lower_type_of(o, value)->tile.loc;
        if (is_inner(n, t))
            continue;
        if (t->walk != o->walks) {
            t->walk = o->walks;
            t->left = t->uses;
            wanted[loc] += t->live ? 0 : size;
        }
        ended[loc] += --t->left ? 0 : size;
    }
    for (unsigned i = 0; i < SAM_TILE_LOCS; i++) {
        const uint64_t inner = i == SAM_TILE_vec ? n->inner : 0;
        good &= !(wanted[i] + inner) || w->most[i] + wanted[i] + inner <= o->room[i];
        w->now[i] += wanted[i];
        w->most[i] = w->most[i] > w->now[i] + inner ? w->most[i] : w->now[i] + inner;
        w->now[i] -= ended[i];
    }
    return good;
}

/* Give the tiles of a node room; a launch uses them until `end`. */
static void take_room(struct lower_order *o, const struct lower_node *n, uint64_t end)
{
    uint32_t op = 0, operand = 0, value;
    o->visits++;
    for (struct lower_tile *t; (t = next_tile(o, n, &op, &operand, &value));) {
        if (is_inner(n, t))
            continue;
        if (!t->live) {
            t->live = true;
            o->live[o->live_count++] = value;
        }
        t->uses--;
        t->busy = t->busy > end ? t->busy : end;
    }
}

/* --- the choice */

/* Hart cycles until the next launch that each node leads to. */
static void measure_paths(struct lower_order *o)
{
    for (size_t i = o->node_count; i-- > 0;) {
        struct lower_node *n = &o->nodes[i];
        n->path = UINT32_MAX;
        for (uint32_t e = n->edges; e != SAM_TILE_NONE; e = o->edges[e].next) {
            const uint32_t path = o->nodes[o->edges[e].to].path;
            n->path = path < n->path ? path : n->path;
        }
        n->path = n->gpu > SHORT_LAUNCH      ? 0
                  : n->path < UINT32_MAX / 2 ? n->path + n->hart
                                             : UINT32_MAX;
    }
}

/* The node to issue next. A launch that continues what has begun goes first: it takes the hart no
 * time. Else the first of those that can begin now, or of those that cannot, the one that can begin
 * first; but a node on the shortest path to a launch, if the GPU would run out of work while the
 * hart issues the other. */
static uint32_t choose(struct lower_order *o, size_t from, const struct lower_now *now)
{
    uint64_t best_start = UINT64_MAX;
    uint32_t best = SAM_TILE_NONE, feeds = SAM_TILE_NONE, best_path = LONG_PATH;
    struct walk w = begin_walk(o, now);
    for (size_t i = from; i < o->node_count && i - from <= o->ahead; i++) {
        const struct lower_node *n = &o->nodes[i];
        if (!n->done && (step(o, &w, n) || i == from) && !n->waits) {
            const uint64_t start = n->gpu || n->start < now->hart ? now->hart : n->start;
            if (n->gpu && n->follows)
                return (uint32_t)i;
            if (start == now->hart && n->path < best_path) {
                best_path = n->path;
                feeds = (uint32_t)i;
            }
            if (start < best_start) {
                best_start = start;
                best = (uint32_t)i;
            }
        }
    }
    return feeds != SAM_TILE_NONE && now->gpu < now->hart + o->nodes[best].hart ? feeds : best;
}

static void issue(struct lower_order *o, uint32_t index, struct lower_now *now)
{
    struct lower_node *n = &o->nodes[index];
    uint64_t begin = now->hart, end;
    if (n->gpu) {
        now->hart += n->hart;
        now->gpu = (now->gpu > now->hart ? now->gpu : now->hart) + n->gpu;
        end = now->gpu;
    } else {
        begin = n->start > now->hart ? n->start : now->hart;
        now->hart = begin + n->hart;
        end = 0;
    }
    n->done = true;
    take_room(o, n, end);
    for (uint32_t k = 0; k < n->count; k++)
        emit_support(o, o->ops[n->first + k]);
    for (uint32_t k = 0; k < n->count; k++) {
        o->times[o->ops[n->first + k]] = (struct sam_lower_times){begin, end};
        emit(o, o->ops[n->first + k]);
    }
    for (uint32_t e = n->edges; e != SAM_TILE_NONE; e = o->edges[e].next) {
        struct lower_node *to = &o->nodes[o->edges[e].to];
        to->waits--;
        to->start = to->start > end ? to->start : end;
    }
}

static bool is_packed(const struct lower_order *o, const struct sam_tile_op *op)
{
    return op->code == SAM_TILE_TLOAD && sam_lower_graph_is_packed(o, sam_tile_arg(o->p, op, 0));
}

/* Returns whether a launch waits for this node alone. */
static bool releases_launch(const struct lower_order *o, const struct lower_node *n)
{
    for (uint32_t e = n->edges; e != SAM_TILE_NONE; e = o->edges[e].next)
        if (o->nodes[o->edges[e].to].gpu && o->nodes[o->edges[e].to].waits == 1)
            return true;
    return false;
}

/* The next copy for the background of a product, or SAM_TILE_NONE. */
static uint32_t choose_copy(struct lower_order *o, size_t from, const struct lower_now *now,
                            uint32_t budget, bool packed)
{
    struct walk w = begin_walk(o, now);
    for (size_t i = from; i < o->node_count && i - from <= o->ahead; i++) {
        const struct lower_node *n = &o->nodes[i];
        const struct sam_tile_op *op = &o->p->ops[o->ops[n->first]];
        if (!n->done && (step(o, &w, n) || i == from) && !n->waits &&
            (op->code == SAM_TILE_TLOAD || op->code == SAM_TILE_TSTORE) && n->hart <= budget &&
            n->start <= now->hart && !releases_launch(o, n) && (packed || !is_packed(o, op)))
            return (uint32_t)i;
    }
    return SAM_TILE_NONE;
}

/* Issue copies that run in the background of a product (background.c). Returns how many. */
static size_t issue_copies(struct lower_order *o, size_t from, const struct lower_node *product,
                           const struct lower_now *now)
{
    struct lower_now same = *now;
    uint32_t budget = product->hart * 3 / 4, index;
    size_t count = 0;
    bool packed = !o->hints; /* one load of packed weights, from the slot in use */
    while (count < MOST_COPIES &&
           (index = choose_copy(o, from, now, budget, packed)) != SAM_TILE_NONE) {
        budget -= o->nodes[index].hart;
        packed &= !is_packed(o, &o->p->ops[o->ops[o->nodes[index].first]]);
        issue(o, index, &same);
        count++;
    }
    return count;
}

/* Schedule the nodes so far, and begin a new segment. */
static void end_segment(struct lower_order *o)
{
    size_t from = 0;
    measure_paths(o);
    for (size_t i = 0; i < o->node_count; i++)
        measure_inner(o, &o->nodes[i]);
    for (size_t count = 0; count < o->node_count && !o->memory; count++) {
        while (o->nodes[from].done)
            from++;
        const uint32_t next = choose(o, from, &o->now);
        const struct lower_node *n = &o->nodes[next];
        if (!n->gpu && is_product(o->p->ops[o->ops[n->first]].code))
            count += issue_copies(o, from, n, &o->now);
        issue(o, next, &o->now);
    }
    for (size_t i = 0; i < o->support_count; i++)
        if (o->state[o->support[i]] == WAITING) {
            emit_support(o, o->support[i]);
            emit(o, o->support[i]);
        }
    for (size_t i = 0; i < o->access_count; i++) {
        const uint32_t place = o->accesses[i].place;
        o->last[place] = SAM_TILE_NONE;
        if (lower_type_of(o, place)->kind == SAM_TILE_KIND_TILE)
            o->tiles[lower_home(o, place)] = (struct lower_tile){0};
    }
    o->live_count = 0;
    o->visits = o->walks = 0;
    o->staging = SAM_TILE_NONE;
    o->op_count = o->node_count = o->edge_count = o->access_count = o->support_count = 0;
}

static void add_support(struct lower_order *o, uint32_t index)
{
    void *grown = sam_lower_graph_more(o, o->support, o->support_count, &o->support_capacity,
                                       sizeof *o->support);
    if (!grown)
        return;
    o->support = grown;
    o->support[o->support_count++] = index;
    o->state[index] = WAITING;
}

/* A prefetch of an array, which has no code. */
static bool is_idle_hint(const struct lower_order *o, const struct sam_tile_op *op)
{
    return op->code == SAM_TILE_PREFETCH &&
           !sam_lower_graph_is_packed(o, sam_tile_arg(o->p, op, 0));
}

static void block(struct lower_order *o, uint32_t *link)
{
    uint32_t at = *link;
    o->link = link;
    while (at != SAM_TILE_NONE && !o->memory) {
        struct sam_tile_op *op = &o->p->ops[at];
        const uint32_t next = op->next;
        if (sam_lower_graph_is_support(o, op)) {
            add_support(o, at);
        } else if (is_arith(op->code) || is_idle_hint(o, op)) {
            emit_support(o, at);
            emit(o, at);
        } else if (op->code == SAM_TILE_PREFETCH) {
            sam_lower_graph_add_hint(o, at);
        } else if (sam_lower_graph_is_good(o, op)) {
            sam_lower_graph_add(o, at);
        } else {
            end_segment(o);
            emit(o, at);
            if (op->code == SAM_TILE_FOR || op->code == SAM_TILE_IF) {
                block(o, &op->body[0]);
                if (op->code == SAM_TILE_IF)
                    block(o, &op->body[1]);
                o->link = &op->next;
            }
        }
        if (o->node_count >= MOST_NODES)
            end_segment(o);
        at = next;
    }
    end_segment(o);
    if (!o->memory)
        *o->link = SAM_TILE_NONE;
}

bool sam_lower_reorder(struct sam_tile_program *p, const struct sam_tile_lower_options *options,
                       const struct sam_lower_arrays *arrays, const uint32_t *in_place,
                       const uint32_t *staged, const uint64_t room[SAM_TILE_LOCS], unsigned ahead,
                       struct sam_lower_times *times)
{
    struct lower_order o = {.p = p,
                            .options = options,
                            .arrays = arrays,
                            .in_place = in_place,
                            .staged = staged,
                            .staging = SAM_TILE_NONE,
                            .ahead = ahead,
                            .times = times,
                            .now = {1, 1}};
    for (size_t i = 0; i < p->op_count; i++)
        o.hints |= p->ops[i].code == SAM_TILE_PREFETCH;
    memcpy(o.room, room, sizeof o.room);
    const size_t values = p->value_count + 1;
    if (sam_tile_flow(p, &p->funcs[0], &o.flow) != SAM_OK)
        return false;
    o.last = sam_alloc(values, sizeof *o.last);
    o.tiles = sam_alloc(values, sizeof *o.tiles);
    o.live = sam_alloc(values, sizeof *o.live);
    o.state = sam_alloc(p->op_count + 1, sizeof *o.state);
    o.memory = !o.last || !o.tiles || !o.live || !o.state;
    for (size_t i = 0; !o.memory && i < values; i++)
        o.last[i] = SAM_TILE_NONE;
    if (!o.memory)
        block(&o, &p->funcs[0].body);
    sam_tile_flow_free(&o.flow);
    free(o.ops);
    free(o.nodes);
    free(o.edges);
    free(o.accesses);
    free(o.last);
    free(o.tiles);
    free(o.live);
    free(o.state);
    free(o.support);
    return !o.memory;
}
