/* SPDX-License-Identifier: Apache-2.0 */
/* An image as text that assembles to the same bytes at the same addresses. */
#include "isa/isa.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"

enum {
    LONG_RUN = 32,      /* fewest zeros that become a .zero */
    LONGEST_NAME = 200, /* of a section, not counting its number */
};

struct listing {
    const struct sam_isa *isa;
    const struct sam_image *image;
    struct sam_buffer out;
    size_t next_symbol;
    struct sam_names headings; /* section names used so far */
};

bool sam_isa_is_plain_name(const struct sam_isa *isa, const char *name)
{
    size_t size = strlen(name);
    if (!size || sam_is_digit(name[0]) || strcmp(name, ".") == 0 ||
        sam_isa_is_register(isa, name, size) || sam_register_v(name, size) >= 0)
        return false;
    for (const char *c = name; *c; c++)
        if (!sam_is_alnum(*c) && *c != '_' && *c != '.' && *c != '$')
            return false;
    return true;
}

/* An ELF file may define a name twice (static functions); only the first becomes a label. */
static bool is_label(const struct listing *l, const struct sam_symbol *symbol)
{
    return sam_isa_is_plain_name(l->isa, symbol->name) && !symbol->repeated;
}

/* Print the labels at `address`, and skip those between two lines. */
static void put_labels(struct listing *l, uint64_t address)
{
    for (; l->next_symbol < l->image->symbol_count; l->next_symbol++) {
        const struct sam_symbol *symbol = &l->image->symbols[l->next_symbol];
        if (symbol->value > address)
            return;
        if (symbol->value < address || !symbol->section_relative || !is_label(l, symbol))
            continue;
        if (symbol->global)
            sam_buffer_printf(&l->out, "    .globl %s\n", symbol->name);
        if (symbol->function)
            sam_buffer_printf(&l->out, "    .type %s, @function\n", symbol->name);
        sam_buffer_printf(&l->out, "%s:\n", symbol->name);
    }
}

/* Address of the next label, at most `end`. */
static uint64_t next_label(const struct listing *l, uint64_t end)
{
    for (size_t i = l->next_symbol; i < l->image->symbol_count; i++)
        if (l->image->symbols[i].section_relative)
            return l->image->symbols[i].value < end ? l->image->symbols[i].value : end;
    return end;
}

static void put_code(struct listing *l, const struct sam_section *section)
{
    uint32_t prefix = 0;
    uint64_t at = 0;
    for (; at + 4 <= section->data_size; at += 4) {
        uint64_t pc = section->address + at;
        uint32_t word = sam_le32(section->data + at);
        char text[256];
        put_labels(l, pc);
        bool known = sam_disassemble(l->isa, word, pc, prefix, l->image, text, sizeof text);
        struct sam_insn insn;
        bool is_text = known && text[0] != '.'; /* the assembler rejects .word as a prefix */
        prefix =
            is_text && sam_decode(l->isa, word, 0, &insn) && sam_op_is_prefix(insn.op) ? word : 0;
        sam_buffer_printf(&l->out, "    %-36s # %08llx: %08x\n", text, (unsigned long long)pc,
                          word);
    }
    for (; at < section->data_size; at++) {
        put_labels(l, section->address + at);
        sam_buffer_printf(&l->out, "    .byte 0x%02x\n", section->data[at]);
    }
}

static uint64_t zeros_at(const struct sam_section *section, uint64_t at, uint64_t end)
{
    uint64_t count = 0;
    while (at + count < end && section->data[at + count] == 0)
        count++;
    return count;
}

static void put_data(struct listing *l, const struct sam_section *section)
{
    for (uint64_t at = 0; at < section->data_size && !l->out.failed;) {
        put_labels(l, section->address + at);
        uint64_t end = next_label(l, section->address + section->data_size) - section->address;
        uint64_t zeros = zeros_at(section, at, end);
        if (zeros >= LONG_RUN) {
            sam_buffer_printf(&l->out, "    .zero %llu\n", (unsigned long long)zeros);
            at += zeros;
        } else {
            uint64_t size = end - at >= 4 ? 4 : 1;
            char text[24];
            if (size == 4)
                snprintf(text, sizeof text, ".word 0x%08x", sam_le32(section->data + at));
            else
                snprintf(text, sizeof text, ".byte 0x%02x", section->data[at]);
            unsigned long long address = section->address + at;
            sam_buffer_printf(&l->out, "    %-36s # %08llx\n", text, address);
            at += size;
        }
    }
}

static void put_rest(struct listing *l, const struct sam_section *section)
{
    for (uint64_t at = section->data_size; at < section->size;) {
        put_labels(l, section->address + at);
        uint64_t end = next_label(l, section->address + section->size) - section->address;
        sam_buffer_printf(&l->out, "    .zero %llu\n", (unsigned long long)(end - at));
        at = end;
    }
}

/* The section name with characters that the assembler accepts, and with a number if another section
 * has it. */
static const char *unique_name(struct listing *l, size_t index)
{
    const char *name = l->image->sections[index].name;
    struct sam_buffer text = {0};
    size_t size = strlen(name);
    size = size > LONGEST_NAME ? LONGEST_NAME : size;
    sam_buffer_plain(&text, name, size, '_');
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] == '"' || text.data[i] == '\\')
            text.data[i] = '_';
    size = text.size;
    for (size_t number = index;
         !size || sam_names_find(&l->headings, sam_buffer_text(&text), text.size); number++) {
        text.size = size;
        sam_buffer_printf(&text, ".%zu", number);
        size = size ? size : text.size;
        if (text.failed)
            break;
    }
    char *kept = text.failed ? NULL : sam_strdup(sam_buffer_text(&text));
    l->out.failed |= !kept || !sam_names_add(&l->headings, kept, text.size, kept);
    sam_buffer_free(&text);
    return kept ? kept : "";
}

static void put_heading(struct listing *l, size_t index)
{
    const struct sam_section *section = &l->image->sections[index];
    sam_buffer_printf(&l->out, "    .section \"%s\", \"a%s%s\", @%s\n", unique_name(l, index),
                      section->write ? "w" : "", section->execute ? "x" : "",
                      section->size && !section->data_size ? "nobits" : "progbits");
    sam_buffer_printf(&l->out, "    .address 0x%llx\n", (unsigned long long)section->address);
}

static void free_headings(struct listing *l)
{
    char *name;
    for (size_t at = 0; (name = sam_names_next(&l->headings, &at));)
        free(name);
    sam_names_free(&l->headings);
}

enum sam_status sam_disassemble_image(const struct sam_isa *isa, const struct sam_image *image,
                                      char **text, struct sam_error *error)
{
    if (text)
        *text = NULL;
    if (SAM_LACKS(error, isa, image, text))
        return SAM_ERR_USAGE;
    struct listing l = {.isa = isa, .image = image};
    for (size_t i = 0; i < image->symbol_count; i++) {
        const struct sam_symbol *symbol = &image->symbols[i];
        if (!symbol->section_relative && is_label(&l, symbol))
            sam_buffer_printf(&l.out, "    .set %s, 0x%llx\n", symbol->name,
                              (unsigned long long)symbol->value);
    }
    for (size_t i = 0; i < image->section_count && !l.out.failed; i++) {
        const struct sam_section *section = &image->sections[i];
        put_heading(&l, i);
        if (section->execute)
            put_code(&l, section);
        else
            put_data(&l, section);
        put_rest(&l, section);
        put_labels(&l, section->address + section->size);
    }
    free_headings(&l);
    if (l.out.failed || !(*text = sam_strdup(sam_buffer_text(&l.out)))) {
        sam_buffer_free(&l.out);
        return sam_fail_memory(error);
    }
    sam_buffer_free(&l.out);
    return SAM_OK;
}
