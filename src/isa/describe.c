/* SPDX-License-Identifier: Apache-2.0 */
/* The tables as text, for `samite isa` and the documentation. */
#include "isa/isa.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"

static const struct {
    uint32_t extension;
    const char *name;
    const char *family;
} families[] = {
    {SAM_EXT_XMATRIX, "xmatrix", "Xmatrix: matrix unit"},
    {SAM_EXT_XTENSORLOAD, "xtensorload", "XTensorLoad: tensor blocks"},
    {SAM_EXT_XVENTUS, "xventus", "Xventus: SIMT on vectors"},
    {SAM_EXT_ZVE32F, "zve32f", "Zve32f: vectors, one 32-bit element per lane"},
    {SAM_EXT_ZFINX, "zfinx", "Zfinx: single precision in x registers"},
    {SAM_EXT_ZICSR, "zicsr", "Zicsr: control and status registers"},
    {SAM_EXT_A, "a", "A: atomics"},
    {SAM_EXT_M, "m", "M: multiplication and division"},
    {SAM_EXT_I, "i", "I: integers, jumps, memory"},
};

static void describe_on(uint32_t on, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < SAM_COUNT(families); i++)
        if ((on & families[i].extension) && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " and " : "",
                                     families[i].name);
    const char *limit = on & SAM_ON_RV32     ? "rv32 only"
                        : on & SAM_ON_RV64   ? "rv64 only"
                        : on & SAM_ON_SYSTEM ? "not on a Ventus warp"
                                             : NULL;
    if (limit && used < size)
        snprintf(text + used, size - used, "%s%s", used ? ", " : "", limit);
}

static const char *family_of(uint32_t on)
{
    for (size_t i = 0; i < SAM_COUNT(families); i++)
        if (on & families[i].extension)
            return families[i].family;
    return "";
}

static void describe_operands(const char *pattern, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (const char *c = pattern; *c && used < size; c++) {
        const struct sam_operand *operand = sam_operand_find(*c);
        char punct[3] = {*c, *c == ',' ? ' ' : '\0', '\0'};
        const char *put = operand ? operand->name : punct;
        if (*c == ',' && c[1] == 'm') {
            put = "[, rm]";
            c++;
        } else if (operand && operand->kind == SAM_KIND_VM) {
            put = "[, v0.t]";
        }
        used += (size_t)snprintf(text + used, size - used, "%s", put);
    }
}

void sam_isa_entry_expansion(const struct sam_isa_entry *entry, char *text, size_t size)
{
    const char *at = entry->expansion ? entry->expansion : "";
    struct sam_buffer out = {0};
    if (*at == '=')
        sam_buffer_printf(&out, "as few instructions as the value takes");
    if (*at == '?') { /* requires a zero or a mask */
        sam_buffer_printf(&out, at[1] == 'M' ? "with v0.t: " : "where the value is 0: ");
        at += strcspn(at, " ") + 1;
    }
    for (; *at && *at != '='; at++) {
        const struct sam_operand *operand = *at == '$' ? sam_operand_find(at[1]) : NULL;
        at += operand != NULL;
        if (operand && operand->kind == SAM_KIND_VM)
            sam_buffer_printf(&out, "[, v0.t]");
        else if (operand)
            sam_buffer_printf(&out, "%.*s", (int)strcspn(operand->name, "["), operand->name);
        else
            sam_buffer_printf(&out, strchr(",;", *at) ? "%c " : "%c", *at);
    }
    snprintf(text, size, "%s", sam_buffer_text(&out));
    sam_buffer_free(&out);
}

/* The bits of the value in one piece of the word: "imm[10:5]". */
static void name_piece(const struct sam_operand *operand, unsigned at, unsigned width, bool whole,
                       char *text, size_t size)
{
    int base = (int)strcspn(operand->name, "[");
    if (whole)
        snprintf(text, size, "%s", operand->name);
    else if (width == 1)
        snprintf(text, size, "%.*s[%u]", base, operand->name, at);
    else
        snprintf(text, size, "%.*s[%u:%u]", base, operand->name, at + width - 1, at);
}

/* The operand piece whose highest bit is `bit`. */
static bool piece_at(const char *pattern, unsigned bit, struct sam_isa_field *field)
{
    for (const char *c = pattern; *c; c++) {
        const struct sam_operand *operand = sam_operand_find(*c);
        unsigned at = operand ? operand->shift : 0;
        for (int i = 0; operand && i < 4 && operand->pieces[i].width; i++) {
            const struct sam_operand_piece *p = &operand->pieces[i];
            if (p->low + p->width - 1u == bit) {
                bool whole = i == 0 && !operand->pieces[1].width;
                field->high = bit;
                field->low = p->low;
                name_piece(operand, at, p->width, whole, field->name, sizeof field->name);
                return true;
            }
            at += p->width;
        }
    }
    return false;
}

/* Runs of fixed and ignored bits end at the field borders of the RISC-V formats. */
static bool is_border(unsigned bit)
{
    return bit == 7 || bit == 12 || bit == 15 || bit == 20 || bit == 25;
}

static void other_field(const struct sam_insn_row *row, unsigned bit, struct sam_isa_field *field)
{
    const struct sam_suffix *suffix = sam_suffix_of(row);
    struct sam_isa_field ignored;
    field->high = bit;
    field->fixed = row->mask >> bit & 1;
    size_t used = 0;
    if (suffix && (bit == suffix->low || bit == suffix->low + 1u)) {
        bool both = !suffix->field[1];
        snprintf(field->name, sizeof field->name, "%s", suffix->field[bit == suffix->low]);
        field->low = both ? suffix->low : bit;
        return;
    }
    for (;; bit--) {
        if (field->fixed && used + 1 < sizeof field->name)
            field->name[used++] = row->match >> bit & 1 ? '1' : '0';
        bool more = bit > 0 && !is_border(bit) && (row->mask >> (bit - 1) & 1) == field->fixed &&
                    !piece_at(row->operands, bit - 1, &ignored);
        if (!more)
            break;
    }
    field->low = bit;
    if (!field->fixed)
        field->name[used++] = '-';
    field->name[used] = '\0';
}

static void describe_fields(const struct sam_insn_row *row, struct sam_isa_entry *entry)
{
    for (int bit = 31; bit >= 0 && entry->field_count < SAM_COUNT(entry->fields);) {
        struct sam_isa_field *field = &entry->fields[entry->field_count++];
        *field = (struct sam_isa_field){0};
        if (!piece_at(row->operands, (unsigned)bit, field))
            other_field(row, (unsigned)bit, field);
        bit = (int)field->low - 1;
    }
}

bool sam_isa_entry_get(size_t index, struct sam_isa_entry *entry)
{
    *entry = (struct sam_isa_entry){0};
    if (index < SAM_OP_COUNT - 1) {
        const struct sam_insn_row *row = &sam_insn_rows[index + 1];
        entry->mnemonic = row->mnemonic;
        entry->family = family_of(row->on);
        entry->meaning = row->meaning;
        entry->source = row->source;
        entry->match = row->match;
        entry->mask = row->mask;
        describe_operands(row->operands, entry->operands, sizeof entry->operands);
        describe_on(row->on, entry->extensions, sizeof entry->extensions);
        describe_fields(row, entry);
        return true;
    }
    index -= SAM_OP_COUNT - 1;
    if (index >= sam_pseudo_row_count)
        return false;
    const struct sam_pseudo_row *row = &sam_pseudo_rows[index];
    entry->mnemonic = row->mnemonic;
    entry->family = "Pseudo-instructions";
    entry->expansion = row->expansion;
    entry->source = "RISC-V assembly programmer's manual";
    describe_operands(row->operands, entry->operands, sizeof entry->operands);
    describe_on(row->on, entry->extensions, sizeof entry->extensions);
    return true;
}

bool sam_isa_entry_is_on(const struct sam_isa *isa, size_t index)
{
    if (index < SAM_OP_COUNT - 1)
        return sam_isa_has_row(&sam_insn_rows[index + 1], isa);
    index -= SAM_OP_COUNT - 1;
    return index < sam_pseudo_row_count && sam_isa_is_on(sam_pseudo_rows[index].on, isa);
}

static void describe_aliases(const struct sam_csr_row *row, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sam_csr_alias_count && used < size; i++) {
        const struct sam_csr_alias *alias = &sam_csr_aliases[i];
        char name[48], number[8] = "";
        if (row->address < alias->address || row->address >= alias->address + alias->count)
            continue;
        if (row->address > alias->address)
            snprintf(number, sizeof number, "%d", row->address - alias->address);
        snprintf(name, sizeof name, "%s%s", alias->name, number);
        if (strcmp(name, row->name) != 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
    }
}

static void describe_csr(const struct sam_csr_row *row, struct sam_csr_entry *entry)
{
    *entry =
        (struct sam_csr_entry){.name = row->name, .meaning = row->meaning, .address = row->address};
    describe_on(row->on, entry->extensions, sizeof entry->extensions);
    describe_aliases(row, entry->aliases, sizeof entry->aliases);
}

bool sam_csr_entry_get(const struct sam_isa *isa, size_t index, struct sam_csr_entry *entry)
{
    for (size_t i = 0; i < sam_csr_row_count; i++) {
        const struct sam_csr_row *row = &sam_csr_rows[i];
        if (!sam_isa_is_on(row->on, isa) || index--)
            continue;
        describe_csr(row, entry);
        return true;
    }
    return false;
}

bool sam_csr_entry_find(const struct sam_isa *isa, const char *name, struct sam_csr_entry *entry)
{
    int address = sam_csr_address(isa, name, strlen(name));
    const struct sam_csr_row *found = NULL;
    for (size_t i = 0; i < sam_csr_row_count && address >= 0; i++) {
        const struct sam_csr_row *row = &sam_csr_rows[i];
        if (row->address != address || !sam_isa_is_on(row->on, isa))
            continue;
        if (!found || sam_same_name(row->name, name))
            found = row;
    }
    if (found)
        describe_csr(found, entry);
    return found != NULL;
}

const char *sam_csr_name_note(const struct sam_isa *isa, const char *name)
{
    const struct sam_csr_alias *alias = sam_csr_ruled(isa, name, strlen(name));
    return alias ? alias->note : NULL;
}
