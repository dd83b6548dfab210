/* SPDX-License-Identifier: Apache-2.0 */
/* Line information: the statement of each piece of code. */
#include "asm/asm.h"

/* Code after a .loc has the line that it names; code of a macro has the line of the outermost call;
 * repetitions and included files have their own. */
static const struct asm_place *origin(const struct asm_place *place)
{
    const struct asm_place *found = place;
    for (; place; place = place->outer)
        if (place->called)
            found = place->outer;
    return found;
}

static bool add_section(struct sam_lines *lines, const struct asm_section *section)
{
    const char *file = NULL; /* of the previous statement */
    uint32_t number = 0;
    for (size_t i = 0; i < section->count; i++) {
        const struct asm_item *item = &section->items[i];
        const struct asm_place *place = item->loc ? item->loc : origin(item->at.place);
        if (item->size == 0 || !place)
            continue;
        if (place->file != file && !sam_lines_file(lines, place->file, &number))
            return false;
        file = place->file;
        if (!sam_lines_add(lines, section->address + item->offset, number, place->line))
            return false;
    }
    return section->size == 0 || sam_lines_end(lines, section->address + section->size);
}

void sam_asm_lines(struct assembler *as, struct sam_image *image)
{
    struct sam_lines lines = {0};
    bool good = true;
    for (size_t i = 0; i < as->section_count && good; i++)
        if (as->sections[i]->execute && !as->sections[i]->nobits)
            good = add_section(&lines, as->sections[i]);
    if (!good || !sam_lines_finish(&lines, image))
        sam_asm_out_of_memory(as);
    sam_lines_free(&lines);
}
