/* SPDX-License-Identifier: Apache-2.0 */
/* The disassembler. Its output assembles to the same word; a word with bits that the text cannot
 * express is printed as .word, followed by its meaning. */
#include "isa/isa.h"

#include <stdio.h>
#include <stdlib.h>

/* Values of operands by letter. */
struct bindings {
    unsigned count;
    struct {
        char letter;
        int32_t value;
    } of[8];
};

static bool find(const struct bindings *b, char letter, int32_t *value)
{
    for (unsigned i = 0; i < b->count; i++) {
        if (b->of[i].letter == letter) {
            *value = b->of[i].value;
            return true;
        }
    }
    return false;
}

static bool note(struct bindings *b, char letter, int32_t value)
{
    int32_t before;
    if (find(b, letter, &before))
        return before == value;
    if (b->count == SAM_COUNT(b->of))
        return false;
    b->of[b->count].letter = letter;
    b->of[b->count++].value = value;
    return true;
}

/* The decoded value of the operand, with the bits of a prefix. */
static int32_t value_of(const struct sam_operand *operand, const struct sam_insn *insn)
{
    switch (operand->slot) {
    case SAM_SLOT_RD: return insn->rd;
    case SAM_SLOT_RS1:
        if (operand->letter == 'Z') /* bits 10:8 of a widened csr immediate are in rs3 */
            return insn->rs3 << 8 | insn->rs1;
        return insn->rs1;
    case SAM_SLOT_RS2: return insn->rs2;
    case SAM_SLOT_RS3: return insn->rs3;
    case SAM_SLOT_IMM: return insn->imm;
    default: return sam_operand_get(operand, insn->word);
    }
}

struct printer {
    const struct sam_isa *isa;
    const struct sam_image *image;
    uint64_t pc;
    char *text; /* `used` bytes and a NUL, as far as there is room */
    size_t size, used;
};

static void SAM_PRINTF(2, 3) put(struct printer *p, const char *format, ...)
{
    va_list list;
    const bool room = p->used < p->size;
    va_start(list, format);
    p->used += (size_t)sam_format_list(room ? p->text + p->used : NULL,
                                       room ? p->size - p->used : 0, format, list);
    va_end(list);
}

static void print_target(struct printer *p, int32_t distance)
{
    uint64_t target = p->pc + (uint64_t)(int64_t)distance;
    if (p->isa->xlen == 32)
        target = (uint32_t)target;
    const struct sam_symbol *symbol = sam_image_symbol_at(p->image, target);
    /* A listing has labels only at multiples of an instruction. */
    bool has_line = target % 4 == 0;
    if (symbol && has_line && symbol->value == target &&
        sam_isa_is_plain_name(p->isa, symbol->name) && !symbol->repeated)
        put(p, "%s", symbol->name);
    else
        put(p, ". %c %ld", distance < 0 ? '-' : '+', labs((long)distance));
}

static void print_vtype(struct printer *p, int32_t value)
{
    static const char *const groups[] = {"m1", "m2", "m4", "m8", "", "mf8", "mf4", "mf2"};
    if (value > 255 || (value & 7) == 4 || value & 32)
        put(p, "%d", value);
    else
        put(p, "e%d, %s, %s, %s", 8 << (value >> 3 & 3), groups[value & 7],
            value & 64 ? "ta" : "tu", value & 128 ? "ma" : "mu");
}

static void print_fence(struct printer *p, int32_t value)
{
    for (int i = 0; i < 4; i++)
        if (value & 8 >> i)
            put(p, "%c", "iorw"[i]);
    if (!value)
        put(p, "0");
}

static void print_operand(struct printer *p, const struct sam_operand *operand, int32_t value)
{
    static const char *const modes[] = {"rne", "rtz", "rdn", "rup", "rmm", "", "", "dyn"};
    const char *csr;
    switch (operand->kind) {
    case SAM_KIND_X:
    case SAM_KIND_X8: put(p, "%s", sam_register_x_name((unsigned)value)); break;
    case SAM_KIND_V: put(p, "v%d", value); break;
    case SAM_KIND_TL: put(p, "tl%d", value); break;
    case SAM_KIND_M: put(p, "m%d", value); break;
    case SAM_KIND_V0: put(p, "v0"); break;
    case SAM_KIND_VM: put(p, "%s", value ? "" : ", v0.t"); break;
    case SAM_KIND_RM: put(p, "%s", modes[value & 7]); break;
    case SAM_KIND_TARGET: print_target(p, value); break;
    case SAM_KIND_VTYPE: print_vtype(p, value); break;
    case SAM_KIND_FENCE: print_fence(p, value); break;
    case SAM_KIND_CSR:
        csr = sam_csr_name(p->isa, (unsigned)value);
        if (csr)
            put(p, "%s", csr);
        else
            put(p, "0x%x", value);
        break;
    default: put(p, "%d", value); break;
    }
}

static void print(struct printer *p, const char *mnemonic, const char *suffix, const char *pattern,
                  const struct bindings *values)
{
    put(p, "%s%s%s", mnemonic, suffix, pattern[0] ? " " : "");
    for (const char *c = pattern; *c; c++) {
        const struct sam_operand *operand = sam_operand_find(*c);
        int32_t value = 0;
        if (*c == ',' && c[1] == 'm' && find(values, 'm', &value) && value == 7) {
            c++; /* the dynamic rounding mode is omitted */
            continue;
        }
        if (operand) {
            find(values, *c, &value);
            print_operand(p, operand, value);
        } else {
            put(p, *c == ',' ? "%c " : "%c", *c);
        }
    }
}

/* --- pseudo-instructions, from their expansion */

/* Parse the literal of an expansion at *at, and advance *at past it. */
static bool literal(const char **at, const struct sam_operand *operand, int32_t *value)
{
    size_t size = strcspn(*at, ",()$");
    char text[16];
    if (!size || size >= sizeof text)
        return false;
    memcpy(text, *at, size);
    text[size] = '\0';
    *at += size;
    char *end = text;
    *value = operand->kind == SAM_KIND_X   ? sam_register_x(text, size)
             : operand->kind == SAM_KIND_V ? sam_register_v(text, size)
             : strcmp(text, "iorw") == 0   ? 15
                                           : (int32_t)strtol(text, &end, 0);
    return true;
}

/* Match the only instruction of an expansion against a decoded one; binds its $x in *found. */
static bool matches(const char *expansion, const struct sam_insn_row *row,
                    const struct bindings *values, struct bindings *found)
{
    size_t name = strlen(row->mnemonic);
    if (strncmp(expansion, row->mnemonic, name) != 0 || expansion[name] != ' ' ||
        strchr(expansion, ';'))
        return false;
    const char *at = expansion + name + 1;
    for (const char *c = row->operands; *c; c++) {
        const struct sam_operand *operand = sam_operand_find(*c);
        int32_t value = 0, wanted;
        if (!operand) {
            if (*at++ != *c)
                return false;
            continue;
        }
        find(values, *c, &value);
        if (*at == '$') {
            if (!note(found, at[1], value))
                return false;
            at += 2;
        } else if (operand->kind == SAM_KIND_VM) {
            if (!value)
                return false;
        } else if (!literal(&at, operand, &wanted) || wanted != value) {
            return false;
        }
    }
    return *at == '\0';
}

static bool print_pseudo(struct printer *p, const struct sam_insn_row *row,
                         const struct bindings *values)
{
    for (size_t i = 0; i < sam_pseudo_row_count; i++) {
        const struct sam_pseudo_row *pseudo = &sam_pseudo_rows[i];
        struct bindings found = {0};
        if (pseudo->out && sam_isa_is_on(pseudo->on, p->isa) &&
            matches(pseudo->expansion, row, values, &found)) {
            print(p, pseudo->mnemonic, "", pseudo->operands, &found);
            return true;
        }
    }
    return false;
}

bool sam_disassemble(const struct sam_isa *isa, uint32_t word, uint64_t pc, uint32_t prefix,
                     const struct sam_image *image, char *text, size_t size)
{
    struct sam_insn insn;
    if (!sam_decode(isa, word, prefix, &insn)) {
        if (size)
            snprintf(text, size, ".word 0x%08x", word);
        return false;
    }
    const struct sam_insn_row *row = &sam_insn_rows[insn.op];
    struct bindings values = {0};
    const struct sam_encoding_row *code = sam_encoding_find(insn.op, word);
    uint32_t said = code ? 0 : row->mask; /* bits that the text determines: none of an alternative
                                             encoding */
    for (const char *c = row->operands; *c; c++) {
        const struct sam_operand *operand = sam_operand_find(*c);
        if (!operand)
            continue;
        if (!note(&values, *c, value_of(operand, &insn)))
            continue; /* more operands than fit */
        said = sam_operand_put(operand, said, -1);
    }
    const struct sam_suffix *suffix = sam_suffix_of(row);
    const char *behind = "";
    if (suffix) {
        uint32_t field = 3u << suffix->low;
        if ((word & field) != sam_suffix_default(row))
            behind = suffix->text[word >> suffix->low & 3];
        said |= field;
    }
    struct printer p = {.isa = isa, .image = image, .pc = pc, .text = text, .size = size};
    bool silent = (word & ~said) != 0;
    if (silent)
        put(&p, ".word 0x%08x # ", word);
    if (!print_pseudo(&p, row, &values))
        print(&p, code ? code->mnemonic : row->mnemonic, behind, row->operands, &values);
    return true;
}
