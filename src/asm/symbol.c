/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols: labels, numeric labels, .equ and .set. */
#include "asm/asm.h"

#include <stdio.h>

uint32_t sam_asm_hash(const char *text, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (uint8_t)text[i]) * 16777619u;
    return hash ^ hash >> 15;
}

bool sam_asm_reserved_name(const struct assembler *as, const char *name, size_t size)
{
    return sam_isa_is_register(&as->isa, name, size);
}

struct asm_symbol *sam_asm_symbol_find(const struct assembler *as, const char *name, size_t size)
{
    return sam_names_find(&as->symbols, name, size);
}

struct asm_symbol *sam_asm_symbol_get(struct assembler *as, const char *name, size_t size)
{
    struct asm_symbol *found = sam_asm_symbol_find(as, name, size);
    if (found)
        return found;
    struct asm_symbol *symbol = sam_asm_new(as, 1, sizeof *symbol);
    if (!symbol || !(symbol->name = sam_asm_copy(as, name, size)))
        return NULL;
    symbol->hidden = (size >= 2 && name[0] == '.' && name[1] == 'L') || name[0] == '\1';
    if (!sam_names_add(&as->symbols, symbol->name, size, symbol)) {
        sam_asm_out_of_memory(as);
        return NULL;
    }
    return symbol;
}

/* The count-th definition of the label `number` is the symbol "\1number\1count"; "\1number" holds
 * the count. */
static struct asm_symbol *numeric(struct assembler *as, int64_t number, unsigned count)
{
    char name[48];
    int size = count ? snprintf(name, sizeof name, "\1%lld\1%u", (long long)number, count)
                     : snprintf(name, sizeof name, "\1%lld", (long long)number);
    return sam_asm_symbol_get(as, name, (size_t)size);
}

struct asm_symbol *sam_asm_local_label(struct assembler *as, int64_t number, bool forward)
{
    struct asm_symbol *counter = numeric(as, number, 0);
    if (!counter || (!forward && counter->count == 0))
        return NULL;
    return numeric(as, number, counter->count + forward);
}

static void place_label(struct assembler *as, struct asm_symbol *symbol, struct asm_at at)
{
    symbol->state = SYMBOL_LABEL;
    symbol->position = sam_asm_here(as);
    symbol->defined = at;
}

void sam_asm_define_local(struct assembler *as, int64_t number, struct asm_at at)
{
    struct asm_symbol *counter = numeric(as, number, 0);
    struct asm_symbol *symbol = counter ? numeric(as, number, ++counter->count) : NULL;
    if (symbol)
        place_label(as, symbol, at);
}

static void already_defined(struct assembler *as, const struct asm_symbol *symbol, struct asm_at at)
{
    sam_asm_error(as, at, "symbol '%s' is already defined at %s:%u", symbol->name,
                  symbol->defined.place->file, symbol->defined.place->line);
}

void sam_asm_define_label(struct assembler *as, const char *name, size_t size, struct asm_at at)
{
    const struct asm_symbol *known = sam_asm_symbol_find(as, name, size);
    if (sam_asm_reserved_name(as, name, size) && !(known && known->global)) { /* by .globl */
        sam_asm_error(as, at, "'%.*s' is a register, not a label", (int)size, name);
        return;
    }
    if (size == 1 && name[0] == '.') {
        sam_asm_error(as, at, "'.' cannot be a label");
        return;
    }
    struct asm_symbol *symbol = sam_asm_symbol_get(as, name, size);
    if (symbol && symbol->state != SYMBOL_UNDEFINED)
        already_defined(as, symbol, at);
    else if (symbol)
        place_label(as, symbol, at);
}

bool sam_asm_define_equ(struct assembler *as, const char *name, size_t size,
                        const struct asm_node *expr, bool may_change, struct asm_at at)
{
    if (sam_asm_reserved_name(as, name, size)) {
        sam_asm_error(as, at, "'%.*s' is a register, not a symbol", (int)size, name);
        return false;
    }
    struct asm_symbol *symbol = sam_asm_symbol_get(as, name, size);
    struct asm_equ *equ = sam_asm_new(as, 1, sizeof *equ);
    if (!symbol || !equ)
        return false;
    if (symbol->state == SYMBOL_LABEL || (symbol->state == SYMBOL_EQU && symbol->fixed)) {
        already_defined(as, symbol, at);
        return false;
    }
    equ->expr = expr;
    equ->early = sam_asm_eval_value(as, expr, &equ->value);
    if (equ->early == ASM_WRONG)
        return false;
    symbol->state = SYMBOL_EQU;
    symbol->equ = equ;
    symbol->fixed = !may_change;
    symbol->defined = at;
    return true;
}
