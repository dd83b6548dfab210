/* SPDX-License-Identifier: Apache-2.0 */
/* Layout: assign addresses to sections, and lengthen branches that do not reach. */
#include "asm/asm.h"

#include <stdlib.h>

enum { PAGE = 4096, SECTION_ALIGNMENT = 16, MAX_ROUNDS = 64 };

/* Size of an instruction's words. */
static uint64_t insn_size(const struct asm_insn *insn)
{
    return 4u + (insn->prefix ? 4 : 0) + (insn->relaxed ? 4 : 0);
}

static void place_items(struct asm_section *section)
{
    uint64_t offset = 0;
    for (size_t i = 0; i < section->count; i++) {
        struct asm_item *item = &section->items[i];
        item->offset = offset;
        if (item->kind == ITEM_INSN) {
            item->size = insn_size(item->insn);
            item->insn->address = section->address + offset + (item->insn->prefix ? 4 : 0);
        } else if (item->kind == ITEM_ALIGN) {
            uint64_t a = item->align.alignment, skip = (a - offset % a) % a;
            item->size = skip > item->align.limit ? 0 : skip;
        }
        offset += item->size;
    }
    section->size = offset;
}

/* Order of sections in memory: code (.text first), constants, data, zeros; then those outside. */
static int rank_of(const struct asm_section *section)
{
    if (strcmp(section->name, ".text") == 0)
        return 0;
    return section->is_debug  ? 5
           : section->execute ? 1
           : !section->write  ? 2
           : section->nobits  ? 4
                              : 3;
}

static int by_rank(const void *a, const void *b)
{
    const struct asm_section *x = *(struct asm_section *const *)a,
                             *y = *(struct asm_section *const *)b;
    const int rank = rank_of(x) - rank_of(y);
    return rank ? rank : (x->order > y->order) - (x->order < y->order);
}

static uint64_t round_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

static void place_sections(struct assembler *as)
{
    uint64_t next = as->options.base;
    const struct asm_section *before = NULL;
    for (size_t i = 0; i < as->section_count; i++) {
        struct asm_section *section = as->sections[i];
        if (section->is_debug) {
            section->address = 0;
            place_items(section);
            continue;
        }
        if (!section->fixed) {
            uint64_t alignment =
                section->alignment > SECTION_ALIGNMENT ? section->alignment : SECTION_ALIGNMENT;
            /* a change of permissions starts a new page */
            if (before && (before->execute != section->execute || before->write != section->write))
                alignment = alignment > PAGE ? alignment : PAGE;
            if (before || section->alignment > SECTION_ALIGNMENT)
                next = round_up(next, alignment);
            section->address = next;
        }
        place_items(section);
        next = section->address + section->size;
        if (section->size)
            before = section;
    }
}

/* Lengthen branches that do not reach, or with `all` every branch that may grow. Returns whether
 * one grew. */
static bool grow_branches(struct assembler *as, bool all)
{
    bool grew = false;
    as->stamp++;
    for (size_t s = 0; s < as->section_count; s++) {
        struct asm_section *section = as->sections[s];
        for (size_t i = 0; i < section->count && section->epoch; i++) {
            if (section->items[i].kind != ITEM_INSN)
                continue;
            struct asm_insn *insn = section->items[i].insn;
            if (!insn->relaxable || insn->relaxed)
                continue;
            const struct asm_arg *target = sam_asm_find_arg(insn->args, 'p');
            int64_t value;
            if (sam_asm_eval(as, target->expr, insn, true, &value) != ASM_KNOWN)
                continue;
            int64_t distance = (int64_t)((uint64_t)value - insn->address);
            if (as->isa.xlen == 32)
                distance = (int32_t)distance;
            if (all || distance < -4096 || distance > 4094) {
                insn->relaxed = true;
                grew = true;
            }
        }
    }
    return grew;
}

void sam_asm_layout(struct assembler *as)
{
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
    qsort(as->sections, as->section_count, sizeof *as->sections, by_rank);
    int round = 0;
    do
        place_sections(as);
    while (grow_branches(as, ++round > MAX_ROUNDS) && !as->stop);
    as->stamp++;
}
