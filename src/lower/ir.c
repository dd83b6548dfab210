/* SPDX-License-Identifier: Apache-2.0 */
/* Templates into instructions, and instructions into text. */
#include "lower/ir.h"

#include <stdarg.h>
#include <stdlib.h>

#include "isa/isa.h"

enum { OP_PSEUDO = SAM_OP_COUNT, OP_LABEL = 0xfffe, OP_COMMENT = 0xffff };
static const struct sam_isa ventus = {32, SAM_EXT_I | SAM_EXT_M | SAM_EXT_A | SAM_EXT_ZICSR |
                                              SAM_EXT_ZFINX | SAM_EXT_ZVE32F | SAM_EXT_XVENTUS};
static const char vtype[] = "e32, m1, ta, ma";

static const char *mnemonic_of(unsigned op)
{
    return op < OP_PSEUDO ? sam_insn_rows[op].mnemonic : sam_pseudo_rows[op - OP_PSEUDO].mnemonic;
}

static const char *operands_of(unsigned op)
{
    return op >= OP_LABEL   ? ""
           : op < OP_PSEUDO ? sam_insn_rows[op].operands
                            : sam_pseudo_rows[op - OP_PSEUDO].operands;
}

/* --- look-up of mnemonics */

static uint16_t *entry_of(struct lower *l, const char *name, size_t size)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < size; i++)
        hash = hash * 31 + (uint8_t)name[i];
    for (;; hash++) {
        uint16_t *entry = &l->mnemonics[hash % SAM_COUNT(l->mnemonics)];
        if (!*entry ||
            (strncmp(mnemonic_of(*entry), name, size) == 0 && !mnemonic_of(*entry)[size]))
            return entry;
    }
}

static unsigned find_op(struct lower *l, const char *name, size_t size)
{
    /* These are meant as the pseudo-instructions. */
    static const char *const meant[] = {"setrpc", "join"};
    if (!*entry_of(l, "li", 2)) {
        for (unsigned i = 0; i < sam_pseudo_row_count; i++)
            for (unsigned k = 0; k < SAM_COUNT(meant); k++)
                if (strcmp(sam_pseudo_rows[i].mnemonic, meant[k]) == 0)
                    *entry_of(l, meant[k], strlen(meant[k])) = (uint16_t)(OP_PSEUDO + i);
        for (unsigned op = 1; op < SAM_OP_COUNT; op++)
            if (sam_isa_has_row(&sam_insn_rows[op], &ventus)) {
                uint16_t *entry = entry_of(l, mnemonic_of(op), strlen(mnemonic_of(op)));
                *entry = *entry ? *entry : (uint16_t)op;
            }
        for (unsigned i = 0; i < sam_pseudo_row_count; i++) {
            const struct sam_pseudo_row *row = &sam_pseudo_rows[i];
            uint16_t *entry = entry_of(l, row->mnemonic, strlen(row->mnemonic));
            if (row->in && sam_isa_is_on(row->on, &ventus) && !*entry)
                *entry = (uint16_t)(OP_PSEUDO + i);
        }
    }
    return *entry_of(l, name, size);
}

/* --- registers of an instruction */

unsigned sam_lower_uses(const struct lower_insn *insn, struct lower_use uses[LOWER_MOST_USES])
{
    const bool reads_vd = insn->op < OP_PSEUDO && sam_insn_rows[insn->op].does.reads_vd;
    unsigned count = 0;
    for (const char *letter = operands_of(insn->op); *letter; letter++) {
        const struct sam_operand *o = sam_operand_find(*letter);
        if (!o || (o->kind != SAM_KIND_X && o->kind != SAM_KIND_V))
            continue;
        const bool writes = o->slot == SAM_SLOT_RD;
        uses[count++] = (struct lower_use){.slot = (unsigned)o->slot - SAM_SLOT_RD,
                                           .vector = o->kind == SAM_KIND_V,
                                           .reads = !writes || reads_vd || insn->masked,
                                           .writes = writes};
    }
    return count;
}

bool sam_lower_reads_mask(const struct lower_insn *insn)
{
    return insn->masked || strchr(operands_of(insn->op), '0') != NULL;
}

bool sam_lower_is_comment(const struct lower_insn *insn)
{
    return insn->op == OP_COMMENT;
}

bool sam_lower_is_label(const struct lower_insn *insn)
{
    return insn->op == OP_LABEL;
}

bool sam_lower_jumps(const struct lower_insn *insn)
{
    return strpbrk(operands_of(insn->op), "pa") != NULL;
}

bool sam_lower_is_prefix(const struct lower_insn *insn)
{
    return insn->op < OP_PSEUDO && sam_op_is_prefix((enum sam_op)insn->op);
}

bool sam_lower_sets_mode(const struct lower_insn *insn, unsigned *mode)
{
    const bool sets = strcmp(operands_of(insn->op), "E,Z") == 0;
    *mode = sets ? insn->regs[1] : *mode;
    return sets;
}

static unsigned new_register(struct lower_code *c, bool vector, enum lower_level level)
{
    struct lower_file *f = vector ? &c->v : &c->x;
    const unsigned first = vector ? LOWER_FIRST_V : LOWER_FIRST_X;
    struct lower_virtual *grown =
        f->count < 0xf000 ? sam_grow(f->items, f->count, &f->capacity, sizeof *grown) : NULL;
    c->failed |= !grown;
    if (!grown)
        return first;
    f->items = grown;
    f->items[f->count] = (struct lower_virtual){.level = (uint8_t)level};
    return first + (unsigned)f->count++;
}

unsigned sam_lower_take_scalar(struct lower_code *c, enum lower_level level)
{
    return new_register(c, false, level);
}

unsigned sam_lower_take_vector(struct lower_code *c, enum lower_level level)
{
    return new_register(c, true, level);
}

unsigned sam_lower_take_pair(struct lower_code *c, enum lower_level level)
{
    const unsigned first = sam_lower_take_vector(c, level);
    const unsigned second = sam_lower_take_vector(c, level);
    for (unsigned reg = first; reg <= second && !c->failed; reg++)
        c->v.items[reg - LOWER_FIRST_V].half = (uint8_t)(1 + reg - first);
    return first;
}

/* --- lists */

struct lower_insn *sam_lower_insert(struct lower_code *c, struct lower_list *list,
                                    struct lower_insn insn)
{
    struct lower_insn *grown =
        sam_grow(list->items, list->count, &list->capacity, sizeof *list->items);
    c->failed |= !grown;
    if (!grown)
        return NULL;
    list->items = grown;
    list->items[list->count] = insn;
    return &list->items[list->count++];
}

void sam_lower_append(struct lower_code *c, enum lower_level level, const struct lower_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        sam_lower_insert(c, &c->lists[level], list->items[i]);
}

static uint32_t name(struct lower_code *c, const char *text, size_t size)
{
    const uint32_t at = (uint32_t)c->names.size;
    sam_buffer_append(&c->names, text, size);
    sam_buffer_append(&c->names, "", 1);
    return at + 1;
}

void sam_lower_comment(struct lower_code *c, enum lower_level level, const char *text)
{
    sam_lower_insert(c, &c->lists[level],
                     (struct lower_insn){.op = OP_COMMENT, .symbol = name(c, text, strlen(text))});
}

/* --- constants */

unsigned sam_lower_number(struct lower_code *c, enum lower_level level, uint32_t bits)
{
    if (!bits)
        return 0;
    for (unsigned i = 0; i < c->constant_count; i++)
        if (c->constants[i].bits == bits)
            return c->constants[i].reg;
    const bool pooled = c->constant_count < c->constant_limit;
    const enum lower_level at = pooled ? LOWER_ENTRY : level;
    const unsigned reg = sam_lower_take_scalar(c, at);
    sam_lower_gpu(c, at, "li x%u, 0x%x", reg, bits);
    if (pooled) {
        c->constants[c->constant_count].bits = bits;
        c->constants[c->constant_count++].reg = reg;
    }
    return reg;
}

void sam_lower_advance(struct lower_code *c, enum lower_level level, unsigned d, unsigned x,
                       int64_t number)
{
    if (number >= -2048 && number < 2048)
        sam_lower_gpu(c, level, "addi x%u, x%u, %d", d, x, (int)number);
    else
        sam_lower_gpu(c, level, "add x%u, x%u, x%u", d, x,
                      sam_lower_number(c, level, (uint32_t)number));
}

void sam_lower_hold(struct lower_code *c, enum lower_level level)
{
    memset(c->bound_x[level], 0, sizeof c->bound_x[level]);
    memset(c->bound_v[level], 0, sizeof c->bound_v[level]);
    c->holds = true;
}

void sam_lower_pair(struct lower_code *c, enum lower_level level)
{
    memset(c->bound_v[level], 0, sizeof c->bound_v[level]);
    c->pairs = true;
}

/* --- templates */

struct reader {
    struct lower_code *c;
    enum lower_level level;
    const char *at, *end;
    struct lower_regs regs;
    uint32_t scratch; /* slots that name a temporary */
};

static size_t word_of(const struct reader *r, const char *stops)
{
    size_t size = 0;
    while (r->at + size < r->end && !strchr(stops, r->at[size]))
        size++;
    return size;
}

static bool is_scratch(bool vector, unsigned reg)
{
    return vector ? reg >= 8 && reg < 24 : (reg >= 5 && reg <= 7) || (reg >= 28 && reg <= 31);
}

/* Read a register: its number, virtual or of the machine. */
static unsigned read_register(struct reader *r, bool vector)
{
    const size_t size = word_of(r, ",() ");
    const char *text = r->at;
    r->at += size;
    if (text[0] == '$' && text[1] == '(') {
        const unsigned reg =
            sam_lower_number(r->c, r->level, (uint32_t)strtoul(text + 2, NULL, 16));
        r->at = memchr(text, ')', (size_t)(r->end - text));
        r->at++;
        return reg;
    }
    if (text[0] == '$')
        return text[1] == 'd'   ? r->regs.d
               : text[1] == 'a' ? r->regs.a
               : text[1] == 'b' ? r->regs.b
                                : r->regs.m;
    if (text[0] == (vector ? 'v' : 'x') && text[1] >= '0' && text[1] <= '9')
        return (unsigned)strtoul(text + 1, NULL, 10);
    return (unsigned)sam_register_x(text, size);
}

/* Read a number, a label (.Lg12) or a symbol. */
static void read_value(struct reader *r, struct lower_insn *insn)
{
    const size_t size = word_of(r, ",()");
    char *after;
    insn->label = size > 3 && memcmp(r->at, ".Lg", 3) == 0;
    if (insn->label) {
        insn->imm = (int32_t)strtol(r->at + 3, NULL, 10);
    } else {
        const bool minus = *r->at == '-';
        const unsigned long long bits = strtoull(r->at + minus, &after, 0);
        insn->imm = (int32_t)(uint32_t)(minus ? 0 - bits : bits);
        if (after == r->at + minus)
            insn->symbol = name(r->c, r->at, size);
    }
    r->at += size;
}

static void read_operand(struct reader *r, const struct sam_operand *o, struct lower_insn *insn)
{
    const bool vector = o->kind == SAM_KIND_V;
    if (vector || o->kind == SAM_KIND_X) {
        const unsigned slot = (unsigned)o->slot - SAM_SLOT_RD, reg = read_register(r, vector);
        insn->regs[slot] = (uint16_t)reg;
        r->scratch |= (uint32_t)is_scratch(vector, reg) << slot;
        return;
    }
    const size_t size = word_of(r, ",()");
    switch (o->kind) {
    case SAM_KIND_VM:
        insn->masked = r->end - r->at >= 6 && memcmp(r->at, ", v0.t", 6) == 0;
        r->at += insn->masked ? 6 : 0;
        return;
    case SAM_KIND_VTYPE:
    case SAM_KIND_V0: r->at = o->kind == SAM_KIND_VTYPE ? r->end : r->at + size; return;
    case SAM_KIND_CSR:
        insn->imm = sam_csr_address(&ventus, r->at, size);
        r->at += size;
        return;
    default: break;
    }
    if (o->slot == SAM_SLOT_RS1) { /* of a CSR instruction */
        insn->regs[1] = (uint16_t)strtoul(r->at, NULL, 0);
        r->at += size;
        return;
    }
    read_value(r, insn);
}

static void bind_one(struct lower_code *c, enum lower_level level, bool vector, unsigned reg)
{
    uint16_t *bound = (vector ? c->bound_v : c->bound_x)[level];
    if (!vector || !c->pairs) {
        bound[reg] = (uint16_t)new_register(c, vector, level);
        return;
    }
    const unsigned first = sam_lower_take_pair(c, level);
    bound[reg & ~1u] = (uint16_t)first;
    bound[reg | 1] = (uint16_t)(first + 1);
}

/* Replace temporaries by their virtual registers: sources first. */
static void bind(struct reader *r, struct lower_insn *insn)
{
    struct lower_code *c = r->c;
    struct lower_use uses[LOWER_MOST_USES];
    const unsigned count = sam_lower_uses(insn, uses);
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < count; i++) {
            const struct lower_use *u = &uses[i];
            const unsigned reg = insn->regs[u->slot];
            const bool holds = c->holds || (u->vector && c->pairs);
            if (u->writes != (pass == 1) || !(r->scratch >> u->slot & 1))
                continue;
            const uint16_t *bound = (u->vector ? c->bound_v : c->bound_x)[r->level];
            if (!bound[reg] || (u->writes && !u->reads && !holds))
                bind_one(c, r->level, u->vector, reg);
            insn->regs[u->slot] = bound[reg];
        }
}

static void read_insn(struct reader *r)
{
    const size_t size = word_of(r, " ");
    struct lower_insn insn = {.op = OP_LABEL};
    if (r->at[size - 1] == ':') {
        insn.imm = (int32_t)strtol(r->at + 3, NULL, 10);
        sam_lower_insert(r->c, &r->c->lists[r->level], insn);
        return;
    }
    insn.op = (uint16_t)find_op(r->c->l, r->at, size);
    r->c->failed |= !insn.op;
    r->at += size;
    r->scratch = 0;
    for (const char *letter = operands_of(insn.op); *letter; letter++) {
        const struct sam_operand *o = sam_operand_find(*letter);
        while (r->at < r->end && *r->at == ' ')
            r->at++;
        if (!o)
            r->at += r->at < r->end;
        else
            read_operand(r, o, &insn);
    }
    /* A constant in a temporary: loaded once. */
    const bool constant = r->level == LOWER_CHUNK && !r->c->holds && r->scratch && !insn.symbol &&
                          insn.imm && insn.op == find_op(r->c->l, "li", 2);
    if (constant) {
        r->c->bound_x[r->level][insn.regs[0]] =
            (uint16_t)sam_lower_number(r->c, r->level, (uint32_t)insn.imm);
        return;
    }
    bind(r, &insn);
    sam_lower_insert(r->c, &r->c->lists[r->level], insn);
}

void sam_lower_emit(struct lower_code *c, enum lower_level level, const char *lines,
                    struct lower_regs regs)
{
    for (const char *at = lines; *(at += strspn(at, " \t\n;"));) {
        const size_t size = strcspn(at, ";\n");
        const char *end = memchr(at, '#', size);
        end = end ? end : at + size;
        while (end > at && end[-1] == ' ')
            end--;
        struct reader r = {.c = c, .level = level, .at = at, .end = end, .regs = regs};
        if (end > at)
            read_insn(&r);
        at += size;
    }
}

void sam_lower_emit_numbers(struct lower_code *c, enum lower_level level, struct lower_regs regs,
                            const char *format, ...)
{
    char lines[512];
    va_list list;
    va_start(list, format);
    sam_format_list(lines, sizeof lines, format, list);
    va_end(list);
    sam_lower_emit(c, level, lines, regs);
}

void sam_lower_gpu(struct lower_code *c, enum lower_level level, const char *format, ...)
{
    char lines[512];
    va_list list;
    va_start(list, format);
    sam_format_list(lines, sizeof lines, format, list);
    va_end(list);
    sam_lower_emit(c, level, lines, (struct lower_regs){0});
}

/* --- text */

static void print_operand(const struct lower_code *c, struct sam_buffer *out,
                          const struct lower_insn *insn, const struct sam_operand *o)
{
    const unsigned reg =
        o->slot >= SAM_SLOT_RD && o->slot <= SAM_SLOT_RS3 ? insn->regs[o->slot - SAM_SLOT_RD] : 0;
    switch (o->kind) {
    case SAM_KIND_X: sam_buffer_puts(out, sam_register_x_name(reg)); return;
    case SAM_KIND_V: sam_buffer_printf(out, "v%u", reg); return;
    case SAM_KIND_VM: sam_buffer_puts(out, insn->masked ? ", v0.t" : ""); return;
    case SAM_KIND_V0: sam_buffer_puts(out, "v0"); return;
    case SAM_KIND_VTYPE: sam_buffer_puts(out, vtype); return;
    case SAM_KIND_CSR: sam_buffer_puts(out, sam_csr_name(&ventus, (unsigned)insn->imm)); return;
    default: break;
    }
    if (o->slot == SAM_SLOT_RS1)
        sam_buffer_printf(out, "%u", reg);
    else if (insn->symbol)
        sam_buffer_puts(out, (const char *)c->names.data + insn->symbol - 1);
    else if (insn->label)
        sam_buffer_printf(out, ".Lg%d", (int)insn->imm);
    else if (o->kind == SAM_KIND_VALUE && (insn->imm > 4095 || insn->imm < -4095))
        sam_buffer_printf(out, "0x%x", (uint32_t)insn->imm);
    else
        sam_buffer_printf(out, "%d", (int)insn->imm);
}

static void print(const struct lower_code *c, struct sam_buffer *out, const struct lower_insn *insn)
{
    if (insn->op == OP_LABEL) {
        sam_buffer_printf(out, ".Lg%d:\n", (int)insn->imm);
        return;
    }
    if (insn->op == OP_COMMENT) {
        sam_buffer_printf(out, "\t# %s\n", (const char *)c->names.data + insn->symbol - 1);
        return;
    }
    const char *letter = operands_of(insn->op);
    sam_buffer_printf(out, "\t%s%s", mnemonic_of(insn->op), *letter ? " " : "");
    for (; *letter; letter++) {
        const struct sam_operand *o = sam_operand_find(*letter);
        if (o)
            print_operand(c, out, insn, o);
        else
            sam_buffer_puts(out, *letter == ',' ? ", " : *letter == '(' ? "(" : ")");
    }
    sam_buffer_puts(out, "\n");
}

/* Returns whether instruction i copies a register to itself, as its two got the same one. */
static bool is_idle(const struct lower_list *list, size_t i)
{
    const struct lower_insn *insn = &list->items[i];
    return insn->op == SAM_OP_vmv_v_v && insn->regs[0] == insn->regs[1] &&
           !(i && sam_lower_is_prefix(insn - 1));
}

void sam_lower_print(struct lower_code *c, const char *label)
{
    static const enum lower_level order[] = {LOWER_ENTRY, LOWER_FINAL};
    struct sam_buffer *out = &c->l->gpu;
    sam_buffer_printf(out, "%s:\n", label);
    for (unsigned k = 0; k < SAM_COUNT(order) && !c->failed; k++)
        for (size_t i = 0; i < c->lists[order[k]].count; i++)
            if (!is_idle(&c->lists[order[k]], i))
                print(c, out, &c->lists[order[k]].items[i]);
    out->failed |= c->failed || c->names.failed;
}

void sam_lower_code_free(struct lower_code *c)
{
    for (unsigned i = 0; i < LOWER_LEVELS; i++)
        free(c->lists[i].items);
    free(c->x.items);
    free(c->v.items);
    sam_buffer_free(&c->names);
}
