/* SPDX-License-Identifier: Apache-2.0 */
/* Operation order of a function, tile lifetimes, and reads before any write. */
#include <stdlib.h>

#include "tile/check/flow.h"

struct read {
    uint32_t value, op, operand;
};

struct walk {
    const struct sam_tile_program *p;
    struct sam_tile_flow *flow;
    uint32_t now;
    uint32_t *uses; /* tiles, in order */
    size_t use_count, use_capacity;
    struct read *reads; /* of tiles not yet written */
    size_t read_count, read_capacity;
    uint32_t *writes; /* tiles, in order of their first write */
    size_t write_count, write_capacity;
    bool memory;
};

static uint32_t local(const struct walk *w, uint32_t value)
{
    return value - w->flow->first_value;
}

static void use(struct walk *w, uint32_t value)
{
    uint32_t root = w->flow->root[local(w, value)];
    void *grown = sam_grow(w->uses, w->use_count, &w->use_capacity, sizeof *w->uses);
    if (!grown) {
        w->memory = true;
        return;
    }
    w->uses = grown;
    w->uses[w->use_count++] = root;
    w->flow->life[local(w, root)].last = w->now;
}

/* A tile whose type leaves no element valid has none that could be unwritten, such as the scales of
 * a factor that has none. */
static void read_tile(struct walk *w, uint32_t op, uint32_t operand)
{
    uint32_t value = sam_tile_arg(w->p, &w->p->ops[op], operand);
    uint32_t root = w->flow->root[local(w, value)];
    const struct sam_tile_type *type = &w->p->values[value].type.tile;
    const bool none = type->valid_rows == 0 || type->valid_cols == 0;
    if (none || w->flow->life[local(w, root)].written)
        return;
    void *grown = sam_grow(w->reads, w->read_count, &w->read_capacity, sizeof *w->reads);
    if (!grown) {
        w->memory = true;
        return;
    }
    w->reads = grown;
    w->reads[w->read_count++] = (struct read){root, op, operand};
}

static void write_tile(struct walk *w, uint32_t root)
{
    struct sam_tile_life *life = &w->flow->life[local(w, root)];
    if (life->written)
        return;
    life->written = true;
    void *grown = sam_grow(w->writes, w->write_count, &w->write_capacity, sizeof *w->writes);
    if (!grown) {
        w->memory = true;
        return;
    }
    w->writes = grown;
    w->writes[w->write_count++] = root;
}

static void define(struct walk *w, uint32_t value, uint32_t root)
{
    uint32_t i = local(w, value);
    w->flow->root[i] = root;
    if (root == value)
        w->flow->life[i] = (struct sam_tile_life){.first = w->now, .last = w->now};
}

static void visit(struct walk *w, uint32_t index)
{
    const struct sam_tile_op *op = &w->p->ops[index];
    for (uint32_t i = 0; i < op->operand_count; i++) {
        uint32_t value = sam_tile_arg(w->p, op, i);
        if (w->p->values[value].type.kind == SAM_TILE_KIND_TILE && op->code != SAM_TILE_REBIND &&
            op->code != SAM_TILE_ASSIGN)
            use(w, value);
    }
    if (op->code >= SAM_TILE_FIRST_OP) {
        uint32_t dst = op->operand_count - 1;
        for (uint32_t i = 0; i < op->operand_count; i++)
            if (sam_tile_ty(w->p, sam_tile_arg(w->p, op, i))->kind == SAM_TILE_KIND_TILE &&
                (i != dst || sam_tile_updates(sam_tile_row(op->code))))
                read_tile(w, index, i);
        uint32_t value = sam_tile_arg(w->p, op, dst);
        if (sam_tile_ty(w->p, value)->kind == SAM_TILE_KIND_TILE)
            write_tile(w, w->flow->root[local(w, value)]);
    }
    for (uint32_t i = 0; i < op->result_count; i++) {
        uint32_t value = w->p->ids[op->results + i];
        if (w->p->values[value].type.kind == SAM_TILE_KIND_TILE)
            define(w, value,
                   op->code == SAM_TILE_SUBSET ? w->flow->root[local(w, sam_tile_arg(w->p, op, 0))]
                                               : value);
    }
}

static void block(struct walk *w, uint32_t first);

/* A tile from outside a loop that the loop uses stays live to the loop's end, and may have been
 * written by the previous iteration. */
static void loop(struct walk *w, const struct sam_tile_op *op)
{
    uint32_t start = w->now;
    size_t uses = w->use_count, reads = w->read_count, kept = reads;
    block(w, op->body[0]);
    for (size_t i = uses; i < w->use_count; i++) {
        struct sam_tile_life *life = &w->flow->life[local(w, w->uses[i])];
        if (life->first < start)
            life->last = w->now;
    }
    for (size_t i = reads; i < w->read_count; i++) {
        const struct sam_tile_life *life = &w->flow->life[local(w, w->reads[i].value)];
        if (life->first >= start || !life->written)
            w->reads[kept++] = w->reads[i];
    }
    w->read_count = kept;
}

/* Writes in one branch are invisible in the other, but may be visible after both. */
static void condition(struct walk *w, const struct sam_tile_op *op)
{
    size_t before = w->write_count;
    block(w, op->body[0]);
    size_t between = w->write_count;
    for (size_t i = before; i < between; i++)
        w->flow->life[local(w, w->writes[i])].written = false;
    block(w, op->body[1]);
    for (size_t i = before; i < between; i++)
        w->flow->life[local(w, w->writes[i])].written = true;
}

static void block(struct walk *w, uint32_t first)
{
    for (uint32_t at = first; at != SAM_TILE_NONE; at = w->p->ops[at].next) {
        const struct sam_tile_op *op = &w->p->ops[at];
        w->now++;
        w->flow->order[at] = w->now;
        visit(w, at);
        if (op->code == SAM_TILE_FOR) {
            loop(w, op);
        } else if (op->code == SAM_TILE_IF) {
            condition(w, op);
        }
    }
}

enum sam_status sam_tile_flow(const struct sam_tile_program *p, const struct sam_tile_func *f,
                              struct sam_tile_flow *flow)
{
    *flow = (struct sam_tile_flow){.first_value = f->first_value};
    flow->order = sam_alloc(p->op_count + 1, sizeof *flow->order);
    flow->root = sam_alloc(f->value_count + 1, sizeof *flow->root);
    flow->life = sam_alloc(f->value_count + 1, sizeof *flow->life);
    struct walk w = {.p = p, .flow = flow, .memory = !flow->order || !flow->root || !flow->life};
    if (!w.memory) {
        for (uint32_t i = 0; i < f->arg_count; i++) {
            uint32_t value = p->ids[f->args + i];
            define(&w, value, value);
            flow->life[local(&w, value)].written = true;
        }
        block(&w, f->body);
        for (uint32_t i = 0; i < f->arg_count; i++)
            flow->life[local(&w, p->ids[f->args + i])].last = w.now;
    }
    flow->reads = sam_alloc(w.read_count + 1, sizeof *flow->reads);
    w.memory |= !flow->reads;
    for (size_t i = 0; i < w.read_count && !w.memory; i++)
        flow->reads[flow->read_count++] =
            (struct sam_tile_early){w.reads[i].value, w.reads[i].op, w.reads[i].operand};
    flow->last = w.now;
    free(w.uses);
    free(w.reads);
    free(w.writes);
    if (!w.memory)
        return SAM_OK;
    sam_tile_flow_free(flow);
    return SAM_ERR_MEMORY;
}

void sam_tile_flow_free(struct sam_tile_flow *flow)
{
    free(flow->order);
    free(flow->root);
    free(flow->life);
    free(flow->reads);
    *flow = (struct sam_tile_flow){0};
}
