/* SPDX-License-Identifier: Apache-2.0 */
/* Variables as DWARF 4, written as assembly. A debugger has no registers of one lane: locations are
 * addresses of samite/session.h, where a lane's registers, private memory and arguments appear. */
#include <stdlib.h>
#include <string.h>

#include "cc/debug.h"
#include "samite/session.h"

enum { MD_SUBRANGE = 9, MD_ENUMERATOR = 10, MD_BASIC = 11, MD_DERIVED = 12, MD_COMPOSITE = 13 };
enum { FLAG_VECTOR = 1 << 11 };
enum {
    OP_ADDR = 0x03,
    OP_DEREF = 0x06,
    OP_CONST4U = 0x0c,
    OP_PLUS_UCONST = 0x23,
    OP_PIECE = 0x93,
    OP_STACK_VALUE = 0x9f
};

/* Abbreviations: number, tag, children, attributes with their forms. */
enum {
    A_UNIT = 1,
    A_KERNEL,
    A_PARAMETER,
    A_VARIABLE,
    A_BLOCK,
    A_BASE,
    A_POINTER,
    A_VOID_POINTER,
    A_TYPEDEF,
    A_STRUCT,
    A_MEMBER,
    A_ARRAY,
    A_RANGE,
    A_VECTOR
};
static const char abbreviations[] =
    "1, 0x11, 1, 3, 8, 0x25, 8, 0x13, 5, 0x11, 1, 0x55, 0x17, 0x10, 0x17, 0, 0, "
    "2, 0x2e, 1, 3, 8, 0x11, 1, 0x12, 6, 0x3f, 0x19, 0, 0, "
    "3, 5, 0, 3, 8, 0x49, 0x13, 2, 0x17, 0, 0, 4, 0x34, 0, 3, 8, 0x49, 0x13, 2, 0x17, 0, 0, "
    "5, 0x0b, 1, 0x55, 0x17, 0, 0, 6, 0x24, 0, 3, 8, 0x0b, 6, 0x3e, 0x0b, 0, 0, "
    "7, 0x0f, 0, 0x0b, 6, 0x49, 0x13, 0, 0, 8, 0x0f, 0, 0x0b, 6, 0, 0, "
    "9, 0x16, 0, 3, 8, 0x49, 0x13, 0, 0, 10, 0x13, 1, 3, 8, 0x0b, 6, 0, 0, "
    "11, 0x0d, 0, 3, 8, 0x49, 0x13, 0x38, 6, 0, 0, 12, 1, 1, 0x49, 0x13, 0, 0, "
    "13, 0x21, 0, 0x37, 6, 0, 0, 14, 1, 1, 0x49, 0x13, 0x87, 0x42, 0x19, 0, 0, 0";

static void put_name(struct sam_buffer *out, const char *name, size_t size)
{
    sam_buffer_puts(out, "\t.asciz\t\"");
    for (size_t i = 0; i < size; i++)
        sam_buffer_printf(out, name[i] == '"' || name[i] == '\\' ? "\\%c" : "%c", name[i]);
    sam_buffer_puts(out, "\"\n");
}

static void put_byte(struct sam_buffer *out, unsigned value)
{
    sam_buffer_printf(out, "\t.byte\t%u\n", value);
}

static void put_word(struct sam_buffer *out, uint32_t value)
{
    sam_buffer_printf(out, "\t.word\t%u\n", value);
}

/* --- types */

/* A type without qualifiers; NULL: void. */
static llvm_ref plain(struct cc *cc, llvm_ref type)
{
    size_t size = 0;
    for (int depth = 0; type && depth < 64; depth++) {
        cc->ll.DITypeGetName(type, &size);
        if (cc->ll.GetMetadataKind(type) != MD_DERIVED || size || cc->ll.DITypeGetSizeInBits(type))
            return type;
        type = sam_cc_debug_operand(cc, type, 3);
    }
    return type;
}

/* Refer to a type, which is written later. */
static void put_type(struct cc_debug *d, llvm_ref type)
{
    size_t i = 0;
    type = plain(d->cc, type);
    while (i < d->type_count && d->types[i].metadata != type)
        i++;
    if (i == d->type_count)
        CC_DEBUG_ADD(d, type, (struct cc_type){type});
    sam_buffer_printf(&d->info, "\t.word\t.Ldt%zu\n", i);
}

static unsigned encoding_of(const char *name, size_t size)
{
    enum { BOOLEAN = 2, FLOAT = 4, SIGNED = 5, SIGNED_CHAR = 6, UNSIGNED = 7, UNSIGNED_CHAR = 8 };
    static const struct {
        const char *name;
        unsigned encoding;
    } encodings[] = {{"float", FLOAT},
                     {"half", FLOAT},
                     {"double", FLOAT},
                     {"char", SIGNED_CHAR},
                     {"signed char", SIGNED_CHAR},
                     {"unsigned char", UNSIGNED_CHAR},
                     {"bool", BOOLEAN},
                     {"_Bool", BOOLEAN}};
    for (size_t i = 0; i < SAM_COUNT(encodings); i++)
        if (strlen(encodings[i].name) == size && memcmp(encodings[i].name, name, size) == 0)
            return encodings[i].encoding;
    return size > 8 && memcmp(name, "unsigned", 8) == 0 ? UNSIGNED : SIGNED;
}

static void put_base(struct cc_debug *d, const char *name, size_t size, uint32_t bytes)
{
    put_byte(&d->info, A_BASE);
    put_name(&d->info, name, size);
    put_word(&d->info, bytes);
    put_byte(&d->info, encoding_of(name, size));
}

static void put_member(struct cc_debug *d, llvm_ref member)
{
    size_t size = 0;
    const char *name = d->cc->ll.DITypeGetName(member, &size);
    put_byte(&d->info, A_MEMBER);
    put_name(&d->info, name, size);
    put_type(d, sam_cc_debug_operand(d->cc, member, 3));
    put_word(&d->info, (uint32_t)(d->cc->ll.DITypeGetOffsetInBits(member) / 8));
}

static void put_composite(struct cc_debug *d, llvm_ref type)
{
    struct cc *cc = d->cc;
    size_t size = 0;
    llvm_ref elements[256], first = NULL;
    const char *name = cc->ll.DITypeGetName(type, &size);
    const uint32_t bytes = sam_cc_debug_size(cc, type);
    const unsigned count =
        sam_cc_debug_operands(cc, sam_cc_debug_operand(cc, type, 4), elements, SAM_COUNT(elements));
    if (count && elements[0])
        first = cc->ll.ValueAsMetadata(elements[0]);
    const unsigned kind = first ? cc->ll.GetMetadataKind(first) : 0;
    if (kind == MD_ENUMERATOR) {
        put_base(d, size ? name : "int", size ? size : 3, bytes);
        return;
    }
    if (kind != MD_SUBRANGE) {
        put_byte(&d->info, A_STRUCT);
        put_name(&d->info, name, size);
        put_word(&d->info, bytes);
    } else {
        put_byte(&d->info, cc->ll.DITypeGetFlags(type) & FLAG_VECTOR ? A_VECTOR : A_ARRAY);
        put_type(d, sam_cc_debug_operand(cc, type, 3));
    }
    for (unsigned i = 0; i < count; i++) {
        llvm_ref element = elements[i] ? cc->ll.ValueAsMetadata(elements[i]) : NULL, length[4];
        const unsigned is = element ? cc->ll.GetMetadataKind(element) : 0;
        if (kind != MD_SUBRANGE && is == MD_DERIVED)
            put_member(d, element);
        if (kind != MD_SUBRANGE || is != MD_SUBRANGE)
            continue;
        const unsigned n = sam_cc_debug_operands(cc, element, length, SAM_COUNT(length));
        const bool known = n && length[0] && cc->ll.GetValueKind(length[0]) == LL_CONST_INT;
        put_byte(&d->info, A_RANGE);
        put_word(&d->info, known ? (uint32_t)cc->ll.ConstIntGetZExtValue(length[0]) : 0);
    }
    put_byte(&d->info, 0);
}

static void put_type_entry(struct cc_debug *d, llvm_ref type)
{
    struct cc *cc = d->cc;
    size_t size = 0;
    const unsigned kind = type ? cc->ll.GetMetadataKind(type) : 0;
    const char *name = kind ? cc->ll.DITypeGetName(type, &size) : NULL;
    if (kind == MD_BASIC) {
        put_base(d, name, size, sam_cc_debug_size(cc, type));
    } else if (kind == MD_COMPOSITE) {
        put_composite(d, type);
    } else if (kind == MD_DERIVED && size) {
        put_byte(&d->info, A_TYPEDEF);
        put_name(&d->info, name, size);
        put_type(d, sam_cc_debug_operand(cc, type, 3));
    } else if (kind == MD_DERIVED) {
        llvm_ref to = plain(cc, sam_cc_debug_operand(cc, type, 3));
        put_byte(&d->info, to ? A_POINTER : A_VOID_POINTER);
        put_word(&d->info, 4);
        if (to)
            put_type(d, to);
    } else {
        put_base(d, "void", 4, 0);
    }
}

/* --- locations */

struct expression {
    struct sam_buffer *out;
    uint32_t size;
};

static void put_piece(struct expression *e, const struct cc_piece *p)
{
    uint32_t at = SAM_LANE_V + 4 * p->reg;
    const uint32_t add = (uint32_t)p->imm;
    switch (p->kind) {
    case CC_PIECE_VALUE:
        sam_buffer_printf(e->out, "\t.byte\t%u\n\t.word\t%u\n\t.byte\t%u\n", OP_CONST4U, add,
                          OP_STACK_VALUE);
        e->size += 6;
        return;
    case CC_PIECE_SYMBOL:
        sam_buffer_printf(e->out, "\t.byte\t%u\n\t.word\t.Lg%u+%u\n\t.byte\t%u\n", OP_ADDR, p->reg,
                          add, OP_STACK_VALUE);
        e->size += 6;
        return;
    case CC_PIECE_PRIVATE: at = SAM_LANE_PRIVATE + add; break;
    case CC_PIECE_ARGUMENT: at = SAM_LANE_ARGUMENTS + add; break;
    default:
        if (p->reg >= CC_SCALARS)
            at = SAM_LANE_X + 4 * (p->reg - CC_SCALARS);
        break;
    }
    sam_buffer_printf(e->out, "\t.byte\t%u\n\t.word\t%u\n", OP_ADDR, at);
    e->size += 5;
    if (p->kind != CC_PIECE_SUM)
        return;
    /* a sum of 32 bits, as a number of five groups of seven bits */
    sam_buffer_printf(e->out, "\t.byte\t%u, %u, %u, %u, %u, %u, %u, %u\n", OP_DEREF, OP_PLUS_UCONST,
                      (add & 127) | 128, (add >> 7 & 127) | 128, (add >> 14 & 127) | 128,
                      (add >> 21 & 127) | 128, add >> 28, OP_STACK_VALUE);
    e->size += 8;
}

static void end_piece(struct expression *e, uint32_t size)
{
    sam_buffer_printf(e->out, "\t.byte\t%u, %u, %u\n", OP_PIECE, (size & 127) | 128, size >> 7);
    e->size += 3;
}

/* The list of a variable's locations. */
static void put_locations(struct cc_debug *d, uint32_t variable)
{
    struct sam_buffer text = {0};
    const uint32_t size = d->variables[variable].size;
    for (size_t i = 0; i < d->range_count; i++) {
        const struct cc_range *r = &d->ranges[i];
        if (r->of != variable)
            continue;
        const struct cc_location l = d->locations[r->location];
        const struct cc_piece *p = d->pieces + l.first;
        struct expression e = {.out = &text};
        uint32_t at = 0;
        text.size = 0;
        if (l.count == 1 && p->offset == 0 && p->size >= size) {
            put_piece(&e, p);
        } else {
            for (uint32_t k = 0; k < l.count; k++, p++) {
                if (p->offset > at)
                    end_piece(&e, p->offset - at); /* bytes that are nowhere */
                put_piece(&e, p);
                end_piece(&e, p->size);
                at = p->offset + p->size;
            }
        }
        sam_buffer_printf(&d->lists, "\t.word\t.Ld%u, .Ld%u\n\t.half\t%u\n%s", r->from, r->to,
                          e.size, sam_buffer_text(&text));
    }
    sam_buffer_puts(&d->lists, "\t.word\t0, 0\n");
    d->failed |= text.failed;
    sam_buffer_free(&text);
}

static bool is_parameter(struct cc_function *f, const struct cc_variable *v, const char *name,
                         size_t size)
{
    if (v->call || f->cc->ll.GetSubprogram(f->ref) != f->cc->debug->scopes[v->scope].scope)
        return false;
    for (unsigned i = 0; i < f->cc->ll.CountParams(f->ref); i++) {
        int length;
        const char *argument = sam_cc_argument_name(f->cc, f->ref, i, &length);
        if ((size_t)length == size && memcmp(argument, name, size) == 0)
            return true;
    }
    return false;
}

/* The entry of a variable, whose locations follow; false: it has no name. */
static bool put_variable(struct cc_function *f, llvm_ref variable, const struct cc_variable *of)
{
    struct cc_debug *d = f->cc->debug;
    unsigned size = 0;
    llvm_ref operands[16];
    if (sam_cc_debug_operands(f->cc, variable, operands, SAM_COUNT(operands)) < 4 || !operands[1])
        return false;
    const char *name = f->cc->ll.GetMDString(operands[1], &size);
    if (!name)
        return false;
    const unsigned label = f->cc->label++;
    put_byte(&d->info, of && is_parameter(f, of, name, size) ? A_PARAMETER : A_VARIABLE);
    put_name(&d->info, name, size);
    put_type(d, sam_cc_debug_operand(f->cc, variable, 3));
    sam_buffer_printf(&d->info, "\t.word\t.Ldv%u\n", label);
    sam_buffer_printf(&d->lists, ".Ldv%u:\n", label);
    return true;
}

/* Variables of local memory: where they are while the kernel runs. */
static void put_local_variables(struct cc_function *f)
{
    struct cc *cc = f->cc;
    for (size_t i = 0; i < cc->global_count; i++) {
        const uint32_t place = cc->local_at[i]; /* 1 + the offset, or 0 */
        llvm_ref node = place && place <= SAM_LANE_V - SAM_LANE_LOCAL
                            ? sam_cc_metadata(cc, cc->globals[i], "dbg")
                            : NULL;
        llvm_ref variable = node ? sam_cc_debug_operand(cc, cc->ll.ValueAsMetadata(node), 0) : NULL;
        if (variable && put_variable(f, variable, NULL))
            sam_buffer_printf(&cc->debug->lists,
                              "\t.word\t.L%s.0, .Ldend.%s\n\t.half\t5\n\t.byte\t%u\n\t.word\t%u\n"
                              "\t.word\t0, 0\n",
                              f->name, f->name, OP_ADDR, SAM_LANE_LOCAL + place - 1);
    }
}

static void put_variables(struct cc_function *f, uint32_t scope)
{
    struct cc_debug *d = f->cc->debug;
    for (uint32_t i = 0; i < d->variable_count; i++) {
        const struct cc_variable *v = &d->variables[i];
        if (v->scope == scope && put_variable(f, v->variable, v))
            put_locations(d, i);
    }
}

static bool is_within(const struct cc_debug *d, uint32_t scope, uint32_t outer)
{
    while (scope != outer && scope != CC_NO)
        scope = d->scopes[scope].parent;
    return scope == outer;
}

static void put_scopes(struct cc_function *f, uint32_t parent)
{
    struct cc_debug *d = f->cc->debug;
    for (uint32_t s = 0; s < d->scope_count; s++) {
        bool root = d->scopes[s].scope == f->cc->ll.GetSubprogram(f->ref) && !d->scopes[s].call;
        if (root && parent == CC_NO) {
            put_variables(f, s);
            put_scopes(f, s);
        }
        if (root || d->scopes[s].parent != parent || parent == CC_NO)
            continue;
        const unsigned label = f->cc->label++;
        put_byte(&d->info, A_BLOCK);
        sam_buffer_printf(&d->info, "\t.word\t.Ldr%u\n", label);
        sam_buffer_printf(&d->spans, ".Ldr%u:\n", label);
        for (size_t i = 0; i < d->run_count; i++)
            if (is_within(d, d->runs[i].of, s))
                sam_buffer_printf(&d->spans, "\t.word\t.Ld%u, .Ld%u\n", d->runs[i].from,
                                  d->runs[i].to);
        sam_buffer_puts(&d->spans, "\t.word\t0, 0\n");
        put_variables(f, s);
        put_scopes(f, s);
        put_byte(&d->info, 0);
    }
}

void sam_cc_dwarf_kernel(struct cc_function *f)
{
    struct cc_debug *d = f->cc->debug;
    put_byte(&d->info, A_KERNEL);
    put_name(&d->info, f->name, strlen(f->name));
    sam_buffer_printf(&d->info, "\t.word\t.L%s.0\n\t.word\t.Ldend.%s - .L%s.0\n", f->name, f->name,
                      f->name);
    put_scopes(f, CC_NO);
    put_local_variables(f);
    put_byte(&d->info, 0);
}

void sam_cc_dwarf_finish(struct cc *cc, struct sam_buffer *out)
{
    enum { OPENCL = 0x15 };
    struct cc_debug *d = cc->debug;
    struct sam_buffer kernels = d->info;
    d->info = (struct sam_buffer){0};
    for (size_t i = 0; i < d->type_count; i++) { /* an entry may add types */
        sam_buffer_printf(&d->info, ".Ldt%zu:\n", i);
        put_type_entry(d, d->types[i].metadata);
    }
    sam_buffer_printf(out, "\n\t.section\t.debug_abbrev\n\t.byte\t%s\n", abbreviations);
    sam_buffer_puts(out, "\n\t.section\t.debug_info\n\t.word\t.Ldunit.end - .Ldunit\n.Ldunit:\n"
                         "\t.half\t4\n\t.word\t0\n\t.byte\t4\n\t.byte\t1\n");
    put_name(out, cc->path, strlen(cc->path));
    sam_buffer_printf(out,
                      "\t.asciz\t\"samite\"\n\t.half\t%u\n\t.word\t0\n\t.word\t.Ldtext.span\n"
                      "\t.word\t0\n%s%s\t.byte\t0\n.Ldunit.end:\n",
                      OPENCL, sam_buffer_text(&kernels), sam_buffer_text(&d->info));
    sam_buffer_printf(out, "\n\t.section\t.debug_loc\n%s", sam_buffer_text(&d->lists));
    sam_buffer_printf(out,
                      "\n\t.section\t.debug_ranges\n%s.Ldtext.span:\n"
                      "\t.word\t.Ldtext.begin, .Ldtext.end, 0, 0\n",
                      sam_buffer_text(&d->spans));
    d->failed |= kernels.failed || d->info.failed || d->lists.failed || d->spans.failed;
    sam_buffer_free(&kernels);
}

void sam_cc_debug_reset(struct cc_debug *d)
{
    free(d->in);
    d->in = NULL;
    memset(d->by_hash, 0, sizeof d->by_hash);
    d->note_count = d->piece_count = d->scope_count = d->variable_count = 0;
    d->location_count = d->range_count = d->run_count = 0;
}

void sam_cc_debug_free(struct cc_debug *d)
{
    if (!d)
        return;
    free(d->in);
    free(d->notes);
    free(d->pieces);
    free(d->scopes);
    free(d->variables);
    free(d->locations);
    free(d->ranges);
    free(d->runs);
    free(d->types);
    sam_buffer_free(&d->info);
    sam_buffer_free(&d->lists);
    sam_buffer_free(&d->spans);
    free(d);
}
