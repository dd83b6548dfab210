/* SPDX-License-Identifier: Apache-2.0 */
/* Printing a program in each of the syntaxes. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "tile/tile.h"

struct printer {
    const struct sam_tile_program *p;
    enum sam_tile_surface surface;
    struct sam_buffer out;
    uint32_t *writers; /* by value: number of ops that write it */
    unsigned depth;
};

static void indent(struct printer *s)
{
    sam_buffer_fill(&s->out, ' ', (size_t)s->depth * 2);
}

static void comment(struct printer *s, const char *text)
{
    while (text && *text) {
        size_t size = strcspn(text, "\n");
        indent(s);
        sam_buffer_printf(&s->out, size ? "// %.*s\n" : "//\n", (int)size, text);
        text += size + 1;
    }
}

static void value(struct printer *s, uint32_t id)
{
    sam_buffer_printf(&s->out, "%%%s", s->p->values[id].name);
}

static void operand(struct printer *s, const struct sam_tile_op *op, uint32_t index)
{
    value(s, sam_tile_arg(s->p, op, index));
}

static void operands(struct printer *s, const struct sam_tile_op *op, uint32_t first,
                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        sam_buffer_printf(&s->out, i ? ", " : "");
        operand(s, op, first + i);
    }
}

static void type(struct printer *s, uint32_t id)
{
    sam_tile_ty_print(&s->out, &s->p->values[id].type, s->surface < SAM_TILE_DPS);
}

static void operand_types(struct printer *s, const struct sam_tile_op *op, uint32_t first,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        sam_buffer_printf(&s->out, i ? ", " : "");
        type(s, sam_tile_arg(s->p, op, first + i));
    }
}

/* `%a: T, %b: U` */
static void parameters(struct printer *s, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        sam_buffer_printf(&s->out, i ? ", " : "");
        value(s, s->p->ids[first + i]);
        sam_buffer_printf(&s->out, ": ");
        type(s, s->p->ids[first + i]);
    }
}

static void name(struct printer *s, const struct sam_tile_op *op)
{
    bool prefix = sam_tile_code_is_pto(op->code) && s->surface != SAM_TILE_FLAT;
    sam_buffer_printf(&s->out, "%s%s", prefix ? "pto." : "", sam_tile_code_name(op->code));
}

static void results(struct printer *s, const struct sam_tile_op *op)
{
    for (uint32_t i = 0; i < op->result_count; i++) {
        sam_buffer_printf(&s->out, i ? ", " : "");
        value(s, s->p->ids[op->results + i]);
    }
    if (op->result_count)
        sam_buffer_printf(&s->out, " = ");
}

static void result_type(struct printer *s, const struct sam_tile_op *op)
{
    type(s, s->p->ids[op->results]);
}

static void attribute(struct printer *s, const struct sam_tile_op *op)
{
    const struct sam_tile_attribute_text *text = sam_tile_attribute(sam_tile_row(op->code));
    const char *quote = s->surface == SAM_TILE_GENERIC ? "\"" : "";
    if (!text->key && !op->attributes)
        return;
    sam_buffer_printf(&s->out, " {");
    if (text->key)
        sam_buffer_printf(&s->out, "%s = %s%s%s", text->key, quote, text->words[op->attribute],
                          quote);
    sam_buffer_printf(&s->out, "%s%s}", text->key && op->attributes ? ", " : "",
                      op->attributes ? op->attributes : "");
}

/* Returns whether `op` writes the tile allocated just before it. */
static bool makes(const struct printer *s, const struct sam_tile_op *alloc,
                  const struct sam_tile_op *op)
{
    if (s->surface >= SAM_TILE_DPS || alloc->code != SAM_TILE_ALLOC || alloc->attribute || !op ||
        op->code < SAM_TILE_FIRST_OP || sam_tile_stores(sam_tile_row(op->code)) ||
        sam_tile_updates(sam_tile_row(op->code)))
        return false;
    uint32_t tile = s->p->ids[alloc->results];
    if (sam_tile_arg(s->p, op, op->operand_count - 1) != tile || s->writers[tile] != 1)
        return false;
    for (uint32_t i = 0; i + 1 < op->operand_count; i++)
        if (sam_tile_arg(s->p, op, i) == tile)
            return false;
    return true;
}

static void tile_op(struct printer *s, const struct sam_tile_op *op, bool ssa)
{
    uint32_t sources = op->operand_count - 1;
    bool stores = sam_tile_stores(sam_tile_row(op->code)) && s->surface != SAM_TILE_DPS;
    if (ssa) {
        operand(s, op, sources);
        sam_buffer_printf(&s->out, " = ");
    }
    name(s, op);
    sam_buffer_printf(&s->out, ssa || stores ? " " : " ins(");
    operands(s, op, 0, sources + stores);
    if (ssa || stores)
        attribute(s, op);
    sam_buffer_printf(&s->out, " : ");
    operand_types(s, op, 0, sources + stores);
    if (ssa) {
        sam_buffer_printf(&s->out, " -> ");
        type(s, sam_tile_arg(s->p, op, sources));
    } else if (!stores) {
        sam_buffer_printf(&s->out, ") outs(");
        operand(s, op, sources);
        sam_buffer_printf(&s->out, " : ");
        operand_types(s, op, sources, 1);
        sam_buffer_printf(&s->out, ")");
        attribute(s, op);
    }
}

/* Infinities and NaN print in hexadecimal. */
static void real_constant(struct printer *s, enum sam_dtype dtype, int64_t bits)
{
    char text[SAM_TILE_REAL_TEXT];
    if (isfinite(sam_tile_real_value(dtype, (uint64_t)bits)))
        sam_buffer_printf(&s->out, "%s", sam_tile_real_text(dtype, (uint64_t)bits, text));
    else
        sam_buffer_printf(&s->out, "0x%0*" PRIx64, (int)sam_tile_size(dtype) * 2, bits);
}

static void constant(struct printer *s, const struct sam_tile_op *op)
{
    const struct sam_tile_ty *t = &s->p->values[s->p->ids[op->results]].type;
    if (t->kind == SAM_TILE_KIND_SCALAR && sam_tile_is_real(t->dtype))
        real_constant(s, t->dtype, op->literal);
    else if (t->kind == SAM_TILE_KIND_SCALAR && t->dtype == SAM_U64)
        sam_buffer_printf(&s->out, "%" PRIu64, (uint64_t)op->literal);
    else
        sam_buffer_printf(&s->out, "%" PRId64, op->literal);
    sam_buffer_printf(&s->out, " : ");
    result_type(s, op);
}

static void list(struct printer *s, const struct sam_tile_op *op, const char *key, uint32_t first,
                 uint32_t count)
{
    sam_buffer_printf(&s->out, ", %s = [", key);
    operands(s, op, first, count);
    sam_buffer_printf(&s->out, "]");
}

/* ` : T -> U` */
static void from_to(struct printer *s, const struct sam_tile_op *op)
{
    sam_buffer_printf(&s->out, " : ");
    operand_types(s, op, 0, 1);
    sam_buffer_printf(&s->out, " -> ");
    result_type(s, op);
}

static void alloc(struct printer *s, const struct sam_tile_op *op)
{
    static const char *const keys[] = {"addr", "valid_row", "valid_col"};
    uint32_t at = 0;
    for (unsigned i = 0; i < 3; i++)
        if (op->attribute & 1u << i) {
            sam_buffer_printf(&s->out, " %s = ", keys[i]);
            operand(s, op, at++);
        }
    sam_buffer_printf(&s->out, " : ");
    result_type(s, op);
}

static void special(struct printer *s, const struct sam_tile_op *op)
{
    uint32_t half = (op->operand_count - 1) / 2;
    results(s, op);
    name(s, op);
    switch (op->code) {
    case SAM_TILE_ALLOC: alloc(s, op); return;
    case SAM_TILE_CONSTANT:
        sam_buffer_printf(&s->out, " ");
        constant(s, op);
        return;
    case SAM_TILE_RECORD:
        sam_buffer_printf(&s->out, " <%s>", sam_tile_pipe_names[op->attribute]);
        return;
    case SAM_TILE_CMPI:
        sam_buffer_printf(&s->out, " %s,", sam_tile_cmpi_names[op->attribute]);
        break;
    default: break;
    }
    if (!op->operand_count)
        return;
    sam_buffer_printf(&s->out, " ");
    switch (op->code) {
    case SAM_TILE_VIEW:
    case SAM_TILE_PART:
        operand(s, op, 0);
        list(s, op, op->code == SAM_TILE_VIEW ? "shape" : "offsets", 1, half);
        list(s, op, op->code == SAM_TILE_VIEW ? "strides" : "sizes", 1 + half, half);
        if (op->code == SAM_TILE_PART) {
            from_to(s, op);
        } else {
            sam_buffer_printf(&s->out, " : ");
            result_type(s, op);
        }
        return;
    case SAM_TILE_SUBSET:
        operand(s, op, 0);
        list(s, op, "offsets", 1, 2);
        from_to(s, op);
        return;
    case SAM_TILE_ASSIGN:
        operand(s, op, 0);
        sam_buffer_printf(&s->out,
                          op->literal < 0 ? ", @tile(%" PRId64 ")" : ", @tile(0x%" PRIx64 ")",
                          op->literal);
        return;
    default: break;
    }
    operands(s, op, 0, op->operand_count);
    switch (op->code) {
    case SAM_TILE_REBIND: from_to(s, op); return;
    case SAM_TILE_CAST:
        sam_buffer_printf(&s->out, " : ");
        operand_types(s, op, 0, 1);
        sam_buffer_printf(&s->out, " to ");
        result_type(s, op);
        return;
    case SAM_TILE_WAIT: return;
    case SAM_TILE_YIELD:
        sam_buffer_printf(&s->out, " : ");
        operand_types(s, op, 0, op->operand_count);
        return;
    case SAM_TILE_SHAPE:
        sam_buffer_printf(&s->out, " : ");
        operand_types(s, op, 0, 1);
        return;
    default: /* arithmetic: type of the last operand */
        sam_buffer_printf(&s->out, " : ");
        operand_types(s, op, op->operand_count - 1, 1);
    }
}

static void block(struct printer *s, uint32_t first);

static void body(struct printer *s, uint32_t first, const char *tail)
{
    sam_buffer_printf(&s->out, " {\n");
    s->depth++;
    block(s, first);
    comment(s, tail);
    s->depth--;
    indent(s);
    sam_buffer_printf(&s->out, "}");
}

static void result_types(struct printer *s, const struct sam_tile_op *op)
{
    if (!op->result_count)
        return;
    sam_buffer_printf(&s->out, " -> (");
    for (uint32_t i = 0; i < op->result_count; i++) {
        sam_buffer_printf(&s->out, i ? ", " : "");
        type(s, s->p->ids[op->results + i]);
    }
    sam_buffer_printf(&s->out, ")");
}

static void loop(struct printer *s, const struct sam_tile_op *op)
{
    const uint32_t *params = &s->p->ids[op->params];
    results(s, op);
    sam_buffer_printf(&s->out, "scf.for ");
    value(s, params[0]);
    static const char *const words[] = {" = ", " to ", " step "};
    for (uint32_t i = 0; i < 3; i++) {
        sam_buffer_printf(&s->out, "%s", words[i]);
        operand(s, op, i);
    }
    for (uint32_t i = 1; i < op->param_count; i++) {
        sam_buffer_printf(&s->out, i > 1 ? ", " : " iter_args(");
        value(s, params[i]);
        sam_buffer_printf(&s->out, " = ");
        operand(s, op, 2 + i);
    }
    sam_buffer_printf(&s->out, op->param_count > 1 ? ")" : "");
    result_types(s, op);
    if (s->p->values[params[0]].type.kind != SAM_TILE_KIND_INDEX) {
        sam_buffer_printf(&s->out, " : ");
        type(s, params[0]);
    }
    body(s, op->body[0], op->tail[0]);
}

static void condition(struct printer *s, const struct sam_tile_op *op)
{
    results(s, op);
    sam_buffer_printf(&s->out, "scf.if ");
    operand(s, op, 0);
    result_types(s, op);
    body(s, op->body[0], op->tail[0]);
    if (op->attribute) {
        sam_buffer_printf(&s->out, " else");
        body(s, op->body[1], op->tail[1]);
    }
}

/* --- the generic form */

static void segments(struct printer *s, unsigned a, unsigned b, unsigned c)
{
    sam_buffer_printf(&s->out, " {operandSegmentSizes = array<i32: %u, %u, %u>}", a, b, c);
}

/* The attribute of an operation that the other forms write in its own syntax. */
static void generic_attribute(struct printer *s, const struct sam_tile_op *op)
{
    const unsigned half = (op->operand_count - 1) / 2;
    switch (op->code) {
    case SAM_TILE_ALLOC:
        segments(s, op->attribute & 1, op->attribute >> 1 & 1, op->attribute >> 2 & 1);
        break;
    case SAM_TILE_VIEW:
    case SAM_TILE_PART: segments(s, 1, half, half); break;
    case SAM_TILE_ASSIGN:
        sam_buffer_printf(&s->out, " {address = %" PRId64 " : i64}", op->literal);
        break;
    case SAM_TILE_RECORD:
        sam_buffer_printf(&s->out, " {pipe = \"%s\"}", sam_tile_pipe_names[op->attribute]);
        break;
    case SAM_TILE_CMPI: sam_buffer_printf(&s->out, " {predicate = %u : i64}", op->attribute); break;
    case SAM_TILE_CONSTANT:
        sam_buffer_printf(&s->out, " {value = ");
        constant(s, op);
        sam_buffer_printf(&s->out, "}");
        break;
    default: break;
    }
}

/* A region, with its terminator. */
static void region(struct printer *s, const struct sam_tile_op *op, unsigned which)
{
    const struct sam_tile_op *ops = s->p->ops;
    uint32_t last = SAM_TILE_NONE;
    sam_buffer_printf(&s->out, "{\n");
    if (op->code == SAM_TILE_FOR) {
        indent(s);
        sam_buffer_printf(&s->out, "^bb0(");
        parameters(s, op->params, op->param_count);
        sam_buffer_printf(&s->out, "):\n");
    }
    s->depth++;
    block(s, op->body[which]);
    for (uint32_t at = op->body[which]; at != SAM_TILE_NONE; at = ops[at].next)
        last = at;
    if (last == SAM_TILE_NONE || ops[last].code != SAM_TILE_YIELD) {
        indent(s);
        sam_buffer_printf(&s->out, "\"scf.yield\"() : () -> ()\n");
    }
    comment(s, op->tail[which]);
    s->depth--;
    indent(s);
    sam_buffer_printf(&s->out, "}");
}

static void generic(struct printer *s, const struct sam_tile_op *op)
{
    results(s, op);
    sam_buffer_printf(&s->out, "\"%s", op->code == SAM_TILE_RETURN ? "func." : "");
    name(s, op);
    sam_buffer_printf(&s->out, "\"(");
    operands(s, op, 0, op->operand_count);
    sam_buffer_printf(&s->out, ")");
    if (op->code == SAM_TILE_FOR || op->code == SAM_TILE_IF) {
        sam_buffer_printf(&s->out, " (");
        region(s, op, 0);
        if (op->code == SAM_TILE_IF && op->attribute) {
            sam_buffer_printf(&s->out, ", ");
            region(s, op, 1);
        } else if (op->code == SAM_TILE_IF) {
            sam_buffer_printf(&s->out, ", {}");
        }
        sam_buffer_printf(&s->out, ")");
    }
    if (op->code >= SAM_TILE_FIRST_OP)
        attribute(s, op);
    else
        generic_attribute(s, op);
    sam_buffer_printf(&s->out, " : (");
    operand_types(s, op, 0, op->operand_count);
    sam_buffer_printf(&s->out, ")");
    if (op->result_count == 1) {
        sam_buffer_printf(&s->out, " -> ");
        result_type(s, op);
    } else if (op->result_count) {
        result_types(s, op);
    } else {
        sam_buffer_printf(&s->out, " -> ()");
    }
}

static void block(struct printer *s, uint32_t first)
{
    const struct sam_tile_op *ops = s->p->ops;
    for (uint32_t at = first; at != SAM_TILE_NONE; at = ops[at].next) {
        const struct sam_tile_op *op = &ops[at];
        const struct sam_tile_op *next = op->next != SAM_TILE_NONE ? &ops[op->next] : NULL;
        bool ssa = makes(s, op, next);
        comment(s, op->comment);
        if (ssa && next) {
            at = op->next;
            op = next;
            comment(s, op->comment);
        }
        indent(s);
        if (s->surface == SAM_TILE_GENERIC)
            generic(s, op);
        else if (op->code >= SAM_TILE_FIRST_OP)
            tile_op(s, op, ssa);
        else if (op->code == SAM_TILE_FOR)
            loop(s, op);
        else if (op->code == SAM_TILE_IF)
            condition(s, op);
        else
            special(s, op);
        sam_buffer_printf(&s->out, "\n");
    }
}

static void function(struct printer *s, const struct sam_tile_func *f)
{
    comment(s, f->comment);
    if (f->bare) {
        block(s, f->body);
        comment(s, f->tail);
        return;
    }
    indent(s);
    sam_buffer_printf(&s->out, "func.func @%s(", f->name);
    parameters(s, f->args, f->arg_count);
    sam_buffer_printf(&s->out, f->attributes ? ") attributes %s" : ")", f->attributes);
    body(s, f->body, f->tail);
    sam_buffer_printf(&s->out, "\n");
}

enum sam_status sam_tile_print(const struct sam_tile_program *p, enum sam_tile_surface surface,
                               char **text, struct sam_error *error)
{
    if (text)
        *text = NULL;
    if (!p || !text)
        return sam_fail_null(error, p ? "text" : "program");
    struct printer s = {.p = p, .surface = surface};
    if ((unsigned)surface > SAM_TILE_GENERIC)
        return sam_fail(error, SAM_ERR_USAGE, "unknown surface %u", (unsigned)surface);
    s.writers = sam_alloc(p->value_count + 1, sizeof *s.writers);
    if (!s.writers)
        return sam_fail_memory(error);
    for (size_t i = 0; i < p->op_count; i++)
        if (p->ops[i].code >= SAM_TILE_FIRST_OP)
            s.writers[sam_tile_arg(p, &p->ops[i], p->ops[i].operand_count - 1)]++;
    comment(&s, p->comments[0]);
    if (p->module) {
        sam_buffer_printf(&s.out, p->attributes ? "module attributes %s {\n" : "module {\n",
                          p->attributes);
        s.depth++;
    }
    for (size_t i = 0; i < p->func_count; i++)
        function(&s, &p->funcs[i]);
    comment(&s, p->comments[1]);
    s.depth = 0;
    if (p->module)
        sam_buffer_printf(&s.out, "}\n");
    comment(&s, p->comments[2]);
    *text = s.out.failed ? NULL : sam_strdup(sam_buffer_text(&s.out));
    sam_buffer_free(&s.out);
    free(s.writers);
    return *text ? SAM_OK : sam_fail_memory(error);
}
